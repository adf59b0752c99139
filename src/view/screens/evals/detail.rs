//! The row of the evals under the cursor in full: a run, an arm, or a score with what earlier runs said of it.
//! Must not know: how scores are grouped or compared.

use super::columns::{error, fraction, mark, point, samples, short, signed, worst};
use super::{Counts, doubt, rows_of, supply};
use crate::app::Model;
use crate::app::geometry::Area;
use crate::app::screens::evals::{EvalLine, Shown, current};
use crate::core::evals::history::tolerance;
use crate::core::evals::{Arm, BarSource, Earlier, History, JudgedRow, Noise};
use crate::core::ids::RunId;
use crate::core::text::width;
use crate::view::gauge::{self, Ink};
use crate::view::paint::{Canvas, Row};
use crate::view::theme::Role;

/// Rows from which on there is one for a drawing of each score.
const DRAWN_ROWS: u16 = 9;

pub fn draw(canvas: &mut Canvas<'_>, model: &Model, area: Area) {
    let inside = Area { x: area.x + 1, y: area.y + 1, cols: area.cols.saturating_sub(2), rows: area.rows.saturating_sub(1) };
    match current(model) {
        None => canvas.line(area, 0, "", Role::Dim),
        Some(EvalLine::Run(run)) => {
            canvas.line(area, 0, &format!("run {run}"), Role::Title);
            draw_run(canvas, model, inside, run);
        }
        Some(EvalLine::Arm(run, arm)) => {
            canvas.line(area, 0, &arm.name.to_string(), Role::Title);
            draw_arm(canvas, model, inside, run, arm);
        }
        Some(EvalLine::Score(shown)) => {
            let (mark, role, word) = worst(shown.scores).map_or(("", Role::Dim, ""), mark);
            let title = format!("{mark} {word} · {} · {}", point(shown.arm, shown.scored), shown.scored.spot.task);
            canvas.line(area, 0, &title, role);
            draw_scores(canvas, model, inside, shown);
        }
    }
}

/// What its row has no room for.
fn draw_run(canvas: &mut Canvas<'_>, model: &Model, area: Area, run: RunId) {
    let Some(sweep) = model.review.conclusions.sweeps.iter().find(|sweep| sweep.run.id == run) else { return };
    let (role, text) = supply(model, sweep);
    let at = canvas.paragraph(area, 0, role, &text);
    let (role, text) = super::standing(sweep);
    canvas.row(
        area,
        at,
        &Row::new().text(Role::Text, "commit ").text(Role::Text, sweep.run.head.short()).gap(1).text(role, text),
    );
    if model.review.conclusions.cited_runs().contains(&run) {
        canvas.row(area, at + 1, &Row::new().text(Role::Accent, "A sign-off cites it."));
    }
}

fn draw_arm(canvas: &mut Canvas<'_>, model: &Model, area: Area, run: RunId, arm: &Arm) {
    let mut at = canvas.paragraph(area, 0, Role::Text, &arm.name.render_hardware());
    if let Some((role, text)) = doubt(&arm.name) {
        at = canvas.paragraph(area, at, role, &text);
    }
    let results = match arm.results.len() {
        1 => "1 result".to_owned(),
        many => format!("{many} results"),
    };
    at = canvas.paragraph(area, at, Role::Text, &format!("{results}. Their scores:"));
    for (role, text) in Counts::of(arm, rows_of(model, run)).words() {
        at = canvas.paragraph(area, at, role, &text);
    }
    if arm.duplicates() > 0 {
        let text = format!(
            "! {} results share their point and task with another one. Each is listed; nothing is averaged.",
            arm.duplicates()
        );
        canvas.paragraph(area, at, Role::Warn, &text);
    }
}

fn draw_scores(canvas: &mut Canvas<'_>, model: &Model, area: Area, shown: Shown<'_>) {
    let mut at = 0;
    if let Some((role @ Role::Warn, text)) = doubt(&shown.arm.name) {
        at = canvas.paragraph(area, at, role, &format!("? {text}, now and in earlier runs"));
    }
    if shown.scored.copies > 1 {
        let text = format!("! {} of {} results that say this point and task.", shown.scored.copy, shown.scored.copies);
        at = canvas.paragraph(area, at, Role::Warn, &text);
    }
    let names = shown.scores.iter().map(|score| width::of(short(&score.metric))).max().unwrap_or_default().min(24);
    for (index, score) in shown.scores.iter().enumerate() {
        at = draw_score(canvas, area, at, score, names, Ink::of(model.session.braille));
        let history = model.review.conclusions.history(shown.run, shown.arm, shown.scored, shown.from + index);
        // The scores after this one have a row each at least.
        let after = shown.scores.len() - index - 1;
        let rows = usize::from(area.rows).saturating_sub(at + 2 * after).max(1);
        at = draw_history(canvas, area, at, rows, score, &history);
    }
}

/// One score in words, and drawn where there is room.
fn draw_score(canvas: &mut Canvas<'_>, area: Area, at: usize, score: &JudgedRow, names: usize, ink: Ink) -> usize {
    let (mark, role, _) = mark(score);
    let mut row = Row::new()
        .text(role, mark)
        .gap(1)
        .column(Role::Text, short(&score.metric), names)
        .gap(2)
        .text(role, fraction(score.score))
        .text(Role::Text, error(score.stderr))
        .gap(2)
        .text(Role::Dim, samples(score.n));
    if let (Some(bar), Some(margin)) = (score.threshold, score.margin()) {
        row = row.gap(2).text(role, format!("{} to", signed(margin))).text(Role::Text, format!(" ≥{}", fraction(bar)));
    }
    let source = match score.bar_source {
        _ if score.is_diagnostic() => (Role::Dim, "diagnostic"),
        Some(BarSource::Model) => (Role::Dim, "the model's bar"),
        Some(BarSource::Default) => (Role::Dim, "the task's bar"),
        Some(BarSource::Fallback) => (Role::Warn, "! a fallback: no bar is set"),
        None => (Role::Running, "◔ bar not read"),
    };
    canvas.row(area, at, &row.gap(2).text(source.0, source.1));
    if area.rows < DRAWN_ROWS || score.threshold.is_none() {
        return at + 1;
    }
    let from = fraction(score.threshold.filter(|_| !score.is_diagnostic()).map_or(0.0, gauge::low));
    let cols = usize::from(area.cols).saturating_sub(from.len() + names + 11).min(61);
    let row = Row::new().gap(4 + names).text(Role::Dim, from).gap(1);
    let row = gauge::append(row, role, score.score, score.threshold, cols, ink).gap(1).text(Role::Dim, "1");
    canvas.row(area, at + 1, &row);
    at + 2
}

/// The same score in earlier runs, in at most so many rows.
fn draw_history(canvas: &mut Canvas<'_>, area: Area, at: usize, rows: usize, now: &JudgedRow, history: &History) -> usize {
    let mut lines: Vec<Row<'_>> = history.earlier.iter().map(|then| earlier(then, now)).collect();
    let more = match history.unread.as_slice() {
        [] => None,
        [one] => Some(format!("run {one} before it is not")),
        [newest, rest @ ..] => Some(format!("run {newest} and {} more before it are not", rest.len())),
    };
    match more {
        Some(which) => lines.insert(0, gap(format!("! {which} read whole: more may be missing here"), Role::Warn)),
        None if lines.is_empty() => lines.push(gap("· no earlier run says this score".to_owned(), Role::Dim)),
        None => {}
    }
    let len = lines.len();
    for (index, mut line) in lines.into_iter().take(rows).enumerate() {
        if index + 1 == rows && len > rows {
            line = line.right(Role::Dim, format!(" {} more", len - rows));
        }
        canvas.row(area, at + index, &line);
    }
    at + len.min(rows)
}

fn gap<'t>(text: String, role: Role) -> Row<'t> {
    Row::new().gap(2).text(role, text)
}

fn earlier<'t>(then: &'t Earlier, now: &JudgedRow) -> Row<'t> {
    let by = tolerance(now.stderr, then.stderr).map(|by| format!(" ±{}", fraction(by))).unwrap_or_default();
    let (role, said) = match then.noise {
        Noise::Within => (Role::Dim, format!("within noise{by}")),
        Noise::Beyond => (Role::Warn, format!("beyond noise{by}")),
        Noise::Unknown => (Role::Dim, "noise unknown".to_owned()),
    };
    let row = Row::new()
        .gap(2)
        .text(Role::Dim, format!("run {} {} ", then.run, then.head.short()))
        .text(Role::Text, fraction(then.score))
        .column(Role::Dim, error(then.stderr), 7)
        .text(role, format!("{} {said}", signed(then.difference)));
    match then.copies {
        0 | 1 => row,
        copies => row.text(Role::Warn, format!(" ! one of {copies}")),
    }
}
