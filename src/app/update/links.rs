//! From a row to what stands behind it: in the pane that shows it, or as a page.
//! Must not know: what evidence supports.

use super::motion::scroll;
use super::show;
use crate::app::effect::{Command, Effect, Slot};
use crate::app::model::{Model, Pane};
use crate::app::screens::{Motion, checklist, checks, evals, points, results, sweep::SweepRow};
use crate::core::evidence::Evidence;
use crate::core::ids::RunId;
use crate::core::posting::Posting;

/// From an item to what supports it, and there to the row that does.
pub(super) fn follow(model: &mut Model) {
    let Some(item) = checklist::current(model) else { return };
    let pane = checklist::evidence_pane(item);
    model.trail.push(Pane::Checklist);
    show(model, pane);
    let id = model.validation().map(|sweep| sweep.run.id);
    go_to_run(model, pane, id);
}

/// From a check to the chosen evidence: in the pane that shows it, else as a page.
pub(super) fn follow_check(model: &mut Model) -> Vec<Effect> {
    let Some(evidence) = checks::evidence(model).cloned() else { return Vec::new() };
    follow_evidence(model, Pane::Checks, &evidence)
}

/// Goes to the pane, or the page, that shows what was read; Esc comes back to `from`.
pub(super) fn follow_evidence(model: &mut Model, from: Pane, evidence: &Evidence) -> Vec<Effect> {
    match (checks::place(evidence), evidence.link.clone()) {
        (Some((pane, run)), _) => {
            model.trail.push(from);
            show(model, pane);
            go_to_run(model, pane, run);
        }
        (None, Some(url)) => return vec![Effect::Do(model.ticket(Slot::Hand), Command::Open { url })],
        (None, None) => model.tell("Nothing here and no page shows this."),
    }
    Vec::new()
}

/// Puts the cursor of the sweeps or the scores on a run.
pub(super) fn go_to_run(model: &mut Model, pane: Pane, id: Option<RunId>) {
    let run = model.review.conclusions.sweeps.iter().position(|sweep| Some(sweep.run.id) == id);
    match pane {
        Pane::Sweep if run.is_some() => {
            model.sweep.show_all(&model.review.conclusions.sweeps, model.review.conclusions.cited);
            if let Some(at) =
                model.sweep.rows.iter().position(|row| matches!(row, SweepRow::Run { sweep, .. } if Some(*sweep) == run))
            {
                scroll(model, Pane::Sweep, Motion::To(at));
            }
        }
        Pane::Evals => {
            let at = evals::lines(model).position(|line| matches!(line, evals::EvalLine::Run(run) if Some(run) == id));
            if let Some(at) = at {
                scroll(model, Pane::Evals, Motion::To(at));
            }
        }
        _ => {}
    }
}

/// The page behind the row under the cursor.
pub fn link_under_cursor(model: &Model) -> Option<String> {
    let facts = &model.facts;
    if let Some(log) = &model.joblog {
        return Some(log.of.url.clone()).filter(|link| !link.is_empty());
    }
    match model.focus {
        Pane::Checklist => checklist::current(model)?.evidence.iter().find_map(|evidence| evidence.link.clone()),
        Pane::Diff => Some(format!("{}/files", facts.pull.value()?.url)),
        Pane::Sweep => {
            let row = model.sweep.rows.get(model.sweep.scroll.cursor)?;
            let sweep = model.review.conclusions.sweeps.get(row.sweep())?;
            match row.execution(sweep) {
                Some(id) => facts.job(sweep.run.id, id).map(|job| job.url.clone()),
                None => Some(sweep.run.url.clone()),
            }
        }
        Pane::Evals => {
            let run = evals::run(model)?;
            model.review.conclusions.sweeps.iter().find(|sweep| sweep.run.id == run).map(|sweep| sweep.run.url.clone())
        }
        Pane::Talk => {
            let at = model.talk.rows.get(model.talk.scroll.cursor)?.comment()?;
            Some(model.talk.comments.get(at)?.url.clone())
        }
        Pane::Checks => checks::link(model),
        Pane::Points => points::job(model).map(|(_, _, url)| url.to_owned()),
        Pane::Results => results::job(model).map(|(_, _, url)| url.to_owned()),
        Pane::Signoff => match &model.posting {
            Posting::Posted { url } => Some(url.clone()),
            Posting::Blocked(blocks) => blocks.iter().find_map(|block| block.link.clone()),
            _ => {
                let signoff = model.signed()?;
                let here = model.signoff.evidence(signoff).into_iter().find_map(|evidence| evidence.link.clone());
                here.or_else(|| Some(facts.pull.value()?.url.clone()))
            }
        },
    }
    .filter(|link| !link.is_empty())
}
