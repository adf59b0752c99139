//! The evals: per run how its scores came, then by arm each score against its bar, and the one under the cursor in full.
//! Must not know: how bars are found.

mod columns;
mod detail;

use super::sweep::standing;
use crate::app::Model;
use crate::app::geometry::{Area, detail_areas};
use crate::app::model::Pane;
use crate::app::screens::evals::{EvalLine, len, lines};
use crate::core::evals::{Arm, ArmName, JudgedRow};
use crate::core::facts::DocumentKind;
use crate::core::ids::RunId;
use crate::core::remote::Remote;
use crate::core::sweep::Sweep;
use crate::core::text::counted;
use crate::view::marks;
use crate::view::notes::{self, Note};
use crate::view::paint::{Canvas, Row};
use crate::view::theme::Role;
use columns::Columns;

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
    let scores: usize = model.review.conclusions.judged.values().map(|judged| judged.rows.len()).sum();
    let counts = counted(scores, "score");
    notes::draw_title(canvas, area, focused, "Evals", &counts, &notes);
    let (list, detail) = detail_areas(area);
    let body = notes::below(list, 1);
    let columns = Columns::of(model, usize::from(body.cols));
    let scroll = model.evals;
    for (at, line) in lines(model).enumerate().skip(scroll.top).take(usize::from(body.rows)) {
        let here = at == scroll.cursor;
        let head = Row::new().on(marks::ground(here, focused)).text(Role::Accent, marks::cursor(here));
        let row = match line {
            EvalLine::Run(run) => run_row(model, run, head),
            EvalLine::Arm(run, arm) => arm_row(arm, rows_of(model, run), head),
            EvalLine::Score(shown) => columns.row(shown, head),
        };
        canvas.row(body, at - scroll.top, &row);
        if here && focused {
            canvas.focus(body, 0, at - scroll.top);
        }
    }
    detail::draw(canvas, model, detail);
}

fn rows_of(model: &Model, run: RunId) -> &[JudgedRow] {
    model.review.conclusions.judged.get(&run).map(|judged| judged.rows.as_slice()).unwrap_or_default()
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

/// An arm: what it is, and how its scores stand.
fn arm_row<'t>(arm: &'t Arm, rows: &[JudgedRow], head: Row<'t>) -> Row<'t> {
    let doubt = doubt(&arm.name);
    // What the end of a narrow row has no room for must not look sure.
    let mark = if doubt.as_ref().is_some_and(|(role, _)| *role == Role::Warn) { "? " } else { "" };
    let mut row = head.text(Role::Warn, mark).text(Role::Text, arm.name.render_title()).gap(2);
    if arm.name.config.is_some() {
        row = row.text(Role::Dim, arm.name.render_hardware()).gap(1);
    }
    if let Some(lengths) = arm.name.render_lengths() {
        row = row.text(Role::Dim, lengths).gap(1);
    }
    let mut tail = Counts::of(arm, rows).parts();
    if arm.duplicates() > 0 {
        tail.push((Role::Warn, format!("! {} duplicates", arm.duplicates())));
    }
    tail.extend(doubt);
    for (at, (role, text)) in tail.into_iter().enumerate() {
        row = row.tail(role, if at == 0 { format!(" {text}") } else { format!("  {text}") });
    }
    row
}

/// What is to be said where no config is known for sure.
fn doubt(name: &ArmName) -> Option<Note> {
    match (&name.config, name.candidates.as_slice()) {
        (Some(_), _) => None,
        (None, []) => Some((Role::Dim, "no config known".to_owned())),
        (None, [one]) => Some((Role::Warn, format!("perhaps {one}"))),
        (None, several) => Some((Role::Warn, format!("ambiguous: {}", several.join(" or ")))),
    }
}

/// How many scores of an arm stand how.
#[derive(Default)]
struct Counts {
    reached: usize,
    missed: usize,
    diagnostic: usize,
    open: usize,
}

impl Counts {
    fn of(arm: &Arm, rows: &[JudgedRow]) -> Counts {
        let mut out = Counts::default();
        for row in arm.results.iter().flat_map(|scored| rows.get(scored.rows.clone()).unwrap_or_default()) {
            *match (row.pass, row.is_diagnostic()) {
                (Some(true), _) => &mut out.reached,
                (Some(false), _) => &mut out.missed,
                (None, true) => &mut out.diagnostic,
                (None, false) => &mut out.open,
            } += 1;
        }
        out
    }

    fn all(&self) -> impl Iterator<Item = (Role, usize, &'static str, &'static str)> {
        let all = [
            (Role::Good, self.reached, "✓", "reach their bars"),
            (Role::Bad, self.missed, "✗", "do not"),
            (Role::Dim, self.diagnostic, "–", "diagnostic: a bar of 0 is no bar"),
            (Role::Running, self.open, "◔", "not judged: the bars are not read"),
        ];
        all.into_iter().filter(|(_, count, ..)| *count > 0)
    }

    fn parts(&self) -> Vec<Note> {
        self.all().map(|(role, count, mark, _)| (role, format!("{count} {mark}"))).collect()
    }

    fn words(&self) -> Vec<Note> {
        self.all().map(|(role, count, mark, words)| (role, format!("{mark} {count} {words}"))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::columns::tests::{judged, score};
    use super::*;

    #[test]
    fn what_is_not_known_of_an_arm_is_said() {
        let judged = judged(vec![score("em_strict", 0.95, Some(true))]);
        let name = |config: Option<&str>, candidates: &[&str]| ArmName {
            config: config.map(str::to_owned),
            candidates: candidates.iter().map(|&name| name.to_owned()).collect(),
            ..crate::core::evals::arms(&judged)[0].name.clone()
        };
        let said = |name: &ArmName| doubt(name).map(|(_, text)| text).unwrap_or_default();
        assert_eq!(said(&name(Some("a"), &["a"])), "");
        assert_eq!(said(&name(None, &[])), "no config known");
        assert_eq!(said(&name(None, &["a"])), "perhaps a");
        assert_eq!(said(&name(None, &["a", "b"])), "ambiguous: a or b");
    }
}
