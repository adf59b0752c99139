//! Keys of the sweep pane: folds, views, axes and cells.
//! Must not know: how rows are made or drawn.

use super::ask;
use super::motion::{height_of, pane_len};
use crate::app::action::ActionId;
use crate::app::effect::{Effect, Request, Slot};
use crate::app::model::{Model, Pane};
use crate::app::screens::sweep::SweepRow;
use crate::core::ids::JobId;
use crate::core::joblog::Fingerprint;
use crate::core::plan::Read;
use crate::core::remote::Remote;
use crate::core::trouble::Trouble;

pub(super) fn act(model: &mut Model, id: ActionId, times: i64) {
    let (sweeps, open) = (&model.review.conclusions.sweeps, model.review.conclusions.cited);
    match id {
        ActionId::Fold => {
            let opened = model.sweep.toggle(sweeps, open);
            if !opened {
                model.tell("No job is in this cell.");
            }
        }
        ActionId::NextSweepMode => model.sweep.turn(sweeps, open),
        ActionId::SortJobs => model.sweep.sort(times, sweeps, open),
        ActionId::NextRowAxis => model.sweep.turn_axis(true, times, sweeps, open),
        ActionId::NextColumnAxis => model.sweep.turn_axis(false, times, sweeps, open),
        ActionId::CellLeft => model.sweep.step_cell(-times),
        ActionId::CellRight => model.sweep.step_cell(times),
        _ => {}
    }
    keep_visible(model);
}

/// From the jobs of a cell back to the matrix; `false` when no cell is listed, or another pane has the keys.
pub(super) fn close_cell(model: &mut Model) -> bool {
    let (sweeps, open) = (&model.review.conclusions.sweeps, model.review.conclusions.cited);
    let closed = model.focus == Pane::Sweep && model.sweep.close_cell(sweeps, open);
    if closed {
        keep_visible(model);
    }
    closed
}

/// Asks for the jobs of earlier runs that are open, and for the logs of failed jobs while their causes are looked at.
pub(super) fn settle(model: &mut Model) -> Vec<Effect> {
    let open = model.sweep.rows.iter().filter(|row| matches!(row, SweepRow::About { .. })).map(SweepRow::sweep);
    let runs = open.filter_map(|at| Some(model.review.conclusions.sweeps.get(at)?.run.id));
    let unread = runs.filter(|run| model.facts.jobs.get(run).is_none_or(Remote::is_idle));
    let mut effects = ask(model, unread.map(Read::Jobs).collect());
    effects.extend(ask_why(model));
    effects
}

fn ask_why(model: &mut Model) -> Vec<Effect> {
    if ![model.focus, model.beside].contains(&Pane::Sweep) || model.is_loading() || model.pause.is_some() {
        return Vec::new();
    }
    let mut effects = Vec::new();
    for job in model.sweep.unread(&model.review.conclusions.sweeps) {
        model.sweep.asked(job);
        effects.push(Effect::Ask(model.ticket(Slot::Reason(job)), Request::Reason(job)));
    }
    effects
}

/// The end of a log was read, or why not.
pub(super) fn told(model: &mut Model, job: JobId, read: Result<Option<Fingerprint>, Trouble>) {
    let (sweeps, open) = (&model.review.conclusions.sweeps, model.review.conclusions.cited);
    model.sweep.tell(job, read, sweeps, open);
    keep_visible(model);
}

fn keep_visible(model: &mut Model) {
    let (len, height) = (pane_len(model, Pane::Sweep), height_of(model, Pane::Sweep));
    model.sweep.scroll.keep_visible(len, height);
}
