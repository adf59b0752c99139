//! Pins what the cursor is on as evidence, or takes its pin away.
//! Must not know: how the details tell it, or what becomes of it.

use super::save;
use crate::app::effect::Effect;
use crate::app::model::{Model, Pane};
use crate::app::screens::joblog::Stage;
use crate::app::screens::sweep::SweepRow;
use crate::core::ids::RunId;
use crate::core::pins::{Pin, Subject};
use crate::core::posting::Posting;
use crate::core::sweep::Sweep;

/// What the key does where the cursor is.
enum Doing<'a> {
    Pin(Box<Pin>, &'a Sweep),
    /// By its place in the draft.
    TakeAway(usize),
}

/// Whether something can be pinned here or taken away, or the sentence that says why not.
pub fn can_pin(model: &Model) -> Result<(), String> {
    here(model).map(|_| ())
}

/// Pins, or takes away; what was pinned before it changed is pinned anew.
pub(super) fn pin(model: &mut Model) -> Vec<Effect> {
    let (pins, told) = match here(model) {
        Err(why) => {
            model.warn(why);
            return Vec::new();
        }
        Ok(Doing::TakeAway(at)) => {
            let mut pins = model.draft.pins.clone();
            let label = pins.remove(at).label();
            (pins, format!("The pin of {label} is taken away; u brings it back."))
        }
        Ok(Doing::Pin(pin, sweep)) => {
            let label = pin.label();
            let mut pins = model.draft.pins.clone();
            pins.retain(|older| !pin.replaces(older, sweep));
            pins.push(*pin);
            (pins, format!("Pinned as evidence: {label}. The details tell it (5)."))
        }
    };
    model.draft.pins = pins;
    if matches!(model.posting, Posting::Blocked(_) | Posting::NotPosted { .. }) {
        model.posting = Posting::Draft;
    }
    model.tell(told);
    save(model, false)
}

fn here(model: &Model) -> Result<Doing<'_>, String> {
    if let Some(log) = &model.joblog {
        let sweep = sweep_of(model, log.of.run)?;
        let number = log.cursor() + 1;
        let known = |pin: &Pin| matches!(pin.of, Subject::Line { job, number: at, .. } if (job, at) == (log.of.job, number));
        return doing(model, sweep, known, || {
            if log.stage != Stage::Whole {
                return Err("The lines of the log are still being counted: a pin says which one it is of.".to_owned());
            }
            let line = log.line(log.scroll.cursor).ok_or("The line is still being read.")?;
            let job = Pin::of_job(&model.facts, sweep, log.of.job, model.now)?;
            Ok(job.with_line(&model.facts, number, &line.plain()))
        });
    }
    match model.focus {
        Pane::Sweep => {
            let row = model.sweep.rows.get(model.sweep.scroll.cursor);
            let row = row.ok_or("No sweep run is known.")?;
            let sweep = model.review.conclusions.sweeps.get(row.sweep()).ok_or("No sweep run is known.")?;
            match row.execution(sweep) {
                Some(job) => {
                    doing(model, sweep, |pin| pin.of == Subject::Job(job), || Pin::of_job(&model.facts, sweep, job, model.now))
                }
                None if matches!(row, SweepRow::Run { .. } | SweepRow::About { .. }) => doing(
                    model,
                    sweep,
                    |pin| pin.of == Subject::Run && pin.run == sweep.run.id,
                    || Pin::of_run(sweep, model.now),
                ),
                None => Err("The cursor is on no run, job or attempt: Enter unfolds a lane, v lists the jobs.".to_owned()),
            }
        }
        Pane::Signoff => {
            let here = model.signed().map(|signoff| model.signoff.evidence(signoff)).unwrap_or_default();
            let is_here = |pin: &Pin| here.iter().any(|evidence| evidence.id == pin.evidence(&model.facts).id);
            let at = model.draft.pins.iter().position(is_here).map(Doing::TakeAway);
            at.ok_or_else(|| {
                "Nothing pinned is told in this row: what is pinned stands in the details, as Markdown (m).".to_owned()
            })
        }
        _ => Err("A run or a job is pinned in the sweep pane (2), a line in the log of a job.".to_owned()),
    }
}

/// What is pinned as it is now is taken away, and so is what cannot be pinned again.
fn doing<'a>(
    model: &Model,
    sweep: &'a Sweep,
    is_known: impl Fn(&Pin) -> bool,
    make: impl FnOnce() -> Result<Pin, String>,
) -> Result<Doing<'a>, String> {
    let known = model.draft.pins.iter().position(is_known);
    match (make(), known) {
        (Ok(pin), Some(at)) if model.draft.pins.get(at).is_some_and(|older| pin.says_as(older)) => Ok(Doing::TakeAway(at)),
        (Ok(pin), _) => Ok(Doing::Pin(Box::new(pin), sweep)),
        (Err(_), Some(at)) => Ok(Doing::TakeAway(at)),
        (Err(why), None) => Err(why),
    }
}

fn sweep_of(model: &Model, run: RunId) -> Result<&Sweep, String> {
    let sweeps = &model.review.conclusions.sweeps;
    sweeps.iter().find(|sweep| sweep.run.id == run).ok_or_else(|| format!("Run {run} is not among the sweeps any more."))
}
