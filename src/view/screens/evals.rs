//! The evals: per run how its scores came, then each score against its bar.
//! Must not know: how bars are found.

use super::sweep::standing;
use crate::app::Model;
use crate::app::geometry::Area;
use crate::app::model::Pane;
use crate::app::screens::evals::{EvalLine, len, lines};
use crate::core::evals::judge::JudgedRow;
use crate::core::evals::thresholds::BarSource;
use crate::core::facts::DocumentKind;
use crate::core::ids::RunId;
use crate::core::remote::Remote;
use crate::core::sweep::{Sweep, matrix};
use crate::view::marks;
use crate::view::notes::{self, Note};
use crate::view::paint::{Canvas, Row};
use crate::view::theme::Role;

/// Columns of everything but the point, and of the remark behind.
const FIXED: usize = 58;
const REMARK: usize = 16;
/// From here on there is room for the config's name and the remark.
const ROOMY: usize = 100;

pub fn draw(canvas: &mut Canvas<'_>, model: &Model, area: Area) {
    let focused = model.focus == Pane::Evals;
    let mut notes: Vec<Note> = notes::of_runs(&model.facts, model.now).into_iter().collect();
    // Each run's row tells the same where there is room for it.
    let artifacts = model.facts.artifacts.values().filter_map(Remote::settled).find_map(|got| got.value.render_gap());
    notes.extend(artifacts.map(|gap| (Role::Warn, format!("! artifacts: {gap}"))));
    if len(model) == 0 {
        notes::draw_title(canvas, area, focused, "Evals", "", &[]);
        notes::draw_empty(canvas, area, &notes, "No sweep of a commit of this pull request is known, so there are no scores.");
        if focused {
            canvas.focus(area, 0, 0);
        }
        return;
    }
    match model.facts.document(DocumentKind::Thresholds) {
        Some(document) => notes.extend(notes::of_value("bars", document, model.now)),
        None => notes.extend(notes::of_value("bars", &Remote::<()>::Idle, model.now)),
    }
    for (run, evals) in &model.facts.evals {
        notes.extend(notes::of_list(&format!("scores of {run}"), evals, model.now));
    }
    let scores = len(model) - model.review.conclusions.sweeps.len();
    let counts = if scores == 1 { "1 score".to_owned() } else { format!("{scores} scores") };
    notes::draw_title(canvas, area, focused, "Evals", &counts, &notes);
    let body = notes::below(area, 1);
    let scroll = model.evals;
    for (at, line) in lines(model).enumerate().skip(scroll.top).take(usize::from(body.rows)) {
        let here = at == scroll.cursor;
        let head = Row::new().on(marks::ground(here, focused)).text(Role::Accent, marks::cursor(here));
        let row = match line {
            EvalLine::Run(run) => run_row(model, run, head),
            EvalLine::Score(score) => score_row(score, head, usize::from(body.cols)),
        };
        canvas.row(body, at - scroll.top, &row);
        if here && focused {
            canvas.focus(body, 0, at - scroll.top);
        }
    }
}

fn run_row<'t>(model: &'t Model, id: RunId, head: Row<'t>) -> Row<'t> {
    let Some(sweep) = model.review.conclusions.sweeps.iter().find(|sweep| sweep.run.id == id) else { return head };
    let (role, standing) = standing(sweep);
    let row = head
        .text(Role::Title, format!("run {id}"))
        .text(Role::Dim, format!(" · attempt {} · ", sweep.run.attempt))
        .text(Role::Text, sweep.run.head.short())
        .gap(1)
        .text(role, standing)
        .gap(2);
    let (role, text) = supply(model, sweep);
    row.text(role, text)
}

/// How the scores of a run came, or why they did not.
fn supply(model: &Model, sweep: &Sweep) -> Note {
    let judged = model.review.conclusions.judged.get(&sweep.run.id);
    if let Some(trouble) = judged.and_then(|judged| judged.why.as_ref()) {
        return (Role::Bad, format!("✗ {}", trouble.sentence()));
    }
    let results = judged.map_or(0, |judged| judged.results);
    match model.facts.evals.get(&sweep.run.id) {
        Some(Remote::Loading | Remote::Refreshing(_)) => (Role::Running, format!("◔ reading scores, {results} so far")),
        _ if judged.is_some_and(|judged| judged.complete) => (Role::Dim, format!("{results} results, whole")),
        _ if model.facts.artifacts.get(&sweep.run.id).is_some_and(Remote::is_pending) => {
            (Role::Running, "◔ looking for its scores".to_owned())
        }
        _ if sweep.complete && sweep.counts.eval.wanted() == 0 => (Role::Dim, "– no eval ran".to_owned()),
        _ if sweep.counts.eval.unfinished() > 0 => {
            (Role::Running, format!("◔ {} evals are not finished", sweep.counts.eval.unfinished()))
        }
        _ if results > 0 => (Role::Running, format!("◔ {results} results; the bars are not read")),
        _ => (Role::Dim, "· no scores read".to_owned()),
    }
}

fn score_row<'t>(score: &'t JudgedRow, head: Row<'t>, cols: usize) -> Row<'t> {
    let diagnostic = score.threshold == Some(0.0);
    let (mark, role) = match (score.pass, diagnostic) {
        (Some(true), _) => ("✓", Role::Good),
        (Some(false), _) => ("✗", Role::Bad),
        (None, true) => ("·", Role::Dim),
        (None, false) => ("◔", Role::Running),
    };
    let roomy = cols >= ROOMY;
    let (parallel, conc) = (score.axes.render_parallel(), score.axes.render_conc());
    let point = match &score.config {
        Some(config) if roomy => format!("{config} {parallel} {conc}"),
        None if roomy => format!("{} {conc}", matrix::row_label(&score.axes)),
        _ => format!("{parallel} {} {conc}", score.axes.spec.as_deref().unwrap_or_default()),
    };
    let stderr = score.stderr.map(|error| format!("±{}", fraction(error))).unwrap_or_default();
    let (bar, margin) = match score.threshold {
        Some(_) if diagnostic => ("diag. 0".to_owned(), String::new()),
        Some(bar) => {
            let fallback = if score.bar_source == Some(BarSource::Fallback) { "!" } else { "" };
            (format!("≥{}{fallback}", fraction(bar)), signed(score.score - bar))
        }
        None => ("bar ?".to_owned(), String::new()),
    };
    let row = head
        .text(role, mark)
        .gap(1)
        .path(Role::Text, point, cols.saturating_sub(FIXED + if roomy { REMARK } else { 0 }).max(12))
        .gap(1)
        .column(Role::Text, score.task.as_str(), 6)
        .gap(1)
        .column(Role::Dim, score.metric.as_str(), 11)
        .number(role, fraction(score.score), 6)
        .column(Role::Dim, stderr, 7)
        .column(Role::Dim, bar, 8)
        .column(role, margin, 7)
        .text(Role::Dim, score.n.map_or_else(|| "n ?".to_owned(), |n| format!("n {n}")));
    match score.bar_source {
        _ if !roomy => row,
        _ if diagnostic => row.text(Role::Dim, "  diagnostic"),
        Some(BarSource::Fallback) => row.text(Role::Warn, "  ! fallback bar"),
        Some(BarSource::Model) => row.text(Role::Dim, "  model's bar"),
        Some(BarSource::Default) | None => row,
    }
}

/// `.9710`, `1.0000`: four digits, as scores are told.
fn fraction(value: f64) -> String {
    let text = format!("{value:.4}");
    text.strip_prefix('0').map_or(text.clone(), str::to_owned)
}

fn signed(value: f64) -> String {
    format!("{}{}", if value < 0.0 { '−' } else { '+' }, fraction(value.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_have_four_digits_and_margins_a_sign() {
        for (value, text) in [(0.971, ".9710"), (1.0, "1.0000"), (0.0, ".0000"), (0.00484, ".0048")] {
            assert_eq!(fraction(value), text);
        }
        assert_eq!((signed(0.031), signed(-0.0004)), ("+.0310".to_owned(), "−.0004".to_owned()));
    }
}
