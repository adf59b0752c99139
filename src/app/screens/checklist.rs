//! The checklist pane: motion over the template's items.
//! Must not know: what an item means.

use crate::app::model::{Model, Pane};
use crate::core::checklist::suggestions::Suggestion;
use crate::core::checklist::{ItemState, TickState};
use crate::core::policy::Status;

/// The item under the cursor.
pub fn current(model: &Model) -> Option<&ItemState> {
    model.signed()?.items.get(model.checklist.cursor)
}

/// What is offered to stand behind the item under the cursor.
pub fn suggestions(model: &Model) -> Vec<Suggestion> {
    let Some((item, signoff)) = current(model).zip(model.signed()) else { return Vec::new() };
    let known = signoff.template.items.iter().find(|one| one.key == item.key).and_then(|one| one.known.as_ref());
    // The rule that wants a link says so of its items.
    let wanted = known.is_some_and(|known| known.rules.iter().any(|rule| rule.as_str() == "recipe"));
    let is_there = |offered: &Suggestion| signoff.rendered.text.contains(&offered.url);
    match wanted && matches!(item.status, Status::Fail | Status::NeedsYou | Status::Unavailable | Status::Warn) {
        true => model.review.offered().iter().filter(|offered| !is_there(offered)).cloned().collect(),
        false => Vec::new(),
    }
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
