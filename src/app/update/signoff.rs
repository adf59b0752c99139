//! The sign-off in the making: what stands behind items, why some are not ticked, what its text rests on.
//! Must not know: how the comment is composed, or posted.

use super::{follow_evidence, save, typing};
use crate::app::effect::Effect;
use crate::app::model::{Field, Model, Pane};
use crate::app::screens::checklist;
use crate::core::ids::Key;

/// What a person writes to an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slip {
    /// Why it is not ticked.
    Reason,
    /// Behind its words.
    Behind,
}

/// Opens the field for the item under the cursor, with what was written before.
pub(super) fn write(model: &mut Model, slip: Slip) {
    let Some(key) = checklist::current(model).map(|item| item.key.clone()) else { return };
    let (field, kept) = match slip {
        Slip::Reason => (Field::Reason(key.clone()), model.draft.reasons.get(&key)),
        Slip::Behind => (Field::Behind(key.clone()), model.draft.behind.get(&key)),
    };
    // What is offered is accepted by Enter, like anything else that stands in the field.
    let offered = || match slip {
        Slip::Behind => checklist::suggestions(model).into_iter().next().map(|offered| offered.url),
        Slip::Reason => None,
    };
    let kept = kept.cloned().or_else(offered).unwrap_or_default();
    typing::open(model, field, kept);
}

/// Keeps what was written; nothing written takes it away.
pub(super) fn give(model: &mut Model, key: Key, text: &str, slip: Slip) -> Vec<Effect> {
    let texts = match slip {
        Slip::Reason => &mut model.draft.reasons,
        Slip::Behind => &mut model.draft.behind,
    };
    match text.trim() {
        "" => texts.remove(&key),
        text => texts.insert(key, text.to_owned()),
    };
    save(model, false)
}

/// From a fact of the text to what it was read from.
pub(super) fn follow_fact(model: &mut Model) -> Vec<Effect> {
    let found = model.signed().and_then(|signoff| model.signoff.evidence(signoff).first().map(|found| (*found).clone()));
    match found {
        Some(evidence) => follow_evidence(model, Pane::Signoff, &evidence),
        None => {
            model.tell("Nothing in this row rests on evidence.");
            Vec::new()
        }
    }
}
