//! The checklist pane: motion over the template's items.
//! Must not know: what an item means.

use crate::app::model::{Model, Pane};
use crate::core::checklist::{ItemState, TickState};

/// The item under the cursor.
pub fn current(model: &Model) -> Option<&ItemState> {
    model.signed()?.items.get(model.checklist.cursor)
}

/// The next item after the cursor that is not ticked, round the end.
pub fn next_open(model: &Model) -> Option<usize> {
    let items = &model.signed()?.items;
    let after = (model.checklist.cursor + 1).min(items.len());
    let open = |at: &usize| items[*at].tick != TickState::Ticked;
    (after..items.len()).chain(0..after).find(open)
}

/// The pane that holds what supports the item.
pub fn evidence_pane(item: &ItemState) -> Pane {
    use crate::core::policy::ItemLink;
    match item.link {
        Some(ItemLink::SweepRun) => Pane::Sweep,
        Some(ItemLink::EvalRun) => Pane::Evals,
        None => Pane::Diff,
    }
}
