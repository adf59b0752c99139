//! Keys of the sweep pane: folds, views, axes and cells.
//! Must not know: how rows are made or drawn.

use super::motion::{height_of, pane_len};
use crate::app::action::ActionId;
use crate::app::model::{Model, Pane};

pub(super) fn act(model: &mut Model, id: ActionId, times: i64) {
    let (sweeps, open) = (&model.review.conclusions.sweeps, model.review.conclusions.cited);
    match id {
        ActionId::Fold => model.sweep.toggle(sweeps, open),
        ActionId::NextSweepMode => model.sweep.turn(sweeps, open),
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

fn keep_visible(model: &mut Model) {
    let (len, height) = (pane_len(model, Pane::Sweep), height_of(model, Pane::Sweep));
    model.sweep.scroll.keep_visible(len, height);
}
