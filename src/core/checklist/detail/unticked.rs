//! Why items are not ticked: the reviewer's reason, else what a rule says of an item that does not apply.
//! Must not know: what the items ask.

use super::{Ingredients, files, say_gap};
use crate::core::checklist::compose::{ItemState, TickState};
use crate::core::checklist::rendered::Rendered;
use crate::core::markdown::gate;
use crate::core::policy::{Policy, Status};

/// More open items than this are counted, not named: a fresh sign-off has nothing else.
const NAMED: usize = 3;

pub(super) fn unticked(made_of: &Ingredients<'_>, items: &[ItemState], gaps: &mut Vec<String>) -> Option<Rendered> {
    let trigger = &made_of.policy.signoff.trigger;
    // What says that something does not apply is what the pull request changes.
    let changed = files(made_of.facts);
    let mut out = Rendered::default();
    let mut open: Vec<String> = Vec::new();
    for item in items.iter().filter(|item| item.tick != TickState::Ticked) {
        let own = made_of.draft.reasons.get(&item.key).map(|reason| one_line(reason)).filter(|reason| !reason.is_empty());
        let begins = begins_reason(made_of.policy, item);
        match (own, item.status) {
            (Some(reason), _) => {
                out.push(&begins).push(&reason);
            }
            // With remarks it does not just not apply.
            (None, Status::NotApplicable) if item.notes.is_empty() => {
                let reason = gate::inline(item.reason.trim_end_matches('.'), trigger);
                out.push(&begins).say(&reason, item.evidence.first().or(changed.as_ref()));
                out.push(" (drafted).");
            }
            (None, _) => open.push(format!("\"{}\"", item.short)),
        }
    }
    match open.as_slice() {
        [] => {}
        [one] => say_gap(gaps, format!("{one} is not ticked and has no reason: say why or tick it.")),
        many => {
            let named = many.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
            let more = if many.len() > NAMED { format!(" and {} more", many.len() - NAMED) } else { String::new() };
            say_gap(
                gaps,
                format!("{} items are not ticked and have no reason: {named}{more}. Say why, or tick them.", many.len()),
            );
        }
    }
    (!out.is_empty()).then_some(out)
}

/// What stands before the reason of an item.
pub(in crate::core::checklist) fn begins_reason(policy: &Policy, item: &ItemState) -> String {
    format!("\n  - {}: ", gate::inline(&item.short, &policy.signoff.trigger))
}

/// The reviewer's words: not disarmed, but on one line.
pub(in crate::core::checklist) fn one_line(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}
