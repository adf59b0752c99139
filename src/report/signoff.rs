//! The sign-off without a screen: ticks from the command line, the comment, and what evidence does not back.
//! Must not know: where the draft is kept, or how a comment is posted.

use crate::core::checklist::compose::tick_digest;
use crate::core::checklist::{ItemState, Signoff, TickState};
use crate::core::facts::Facts;
use crate::core::ids::Key;
use crate::core::policy::{Policy, Status};
use crate::core::review::Review;
use crate::core::session::{Basis, Draft, Tick};
use crate::core::time::Time;
use crate::core::trouble::{Trouble, TroubleKind};

/// Composes the comment of this draft.
///
/// # Errors
/// The template is not read, or has no items.
pub fn sign(policy: &Policy, facts: &Facts, draft: &Draft) -> Result<Signoff, Trouble> {
    let missing = || Trouble::new(TroubleKind::NotFound, "The checklist document was not read.", "Try again.");
    Review::draw(policy, facts, draft, None).signoff.unwrap_or_else(|| Err(missing()))
}

/// Ticks items besides those that are ticked already; `keys` of `None` ticks them all. Returns a warning for each item
/// that evidence does not back: an item that only a person can judge is one when all are ticked at once, not by name.
///
/// # Errors
/// The names of keys that the template does not have, or that there is no head commit to tick at.
pub fn tick(
    draft: &mut Draft,
    signoff: &Signoff,
    facts: &Facts,
    keys: Option<&[Key]>,
    now: Time,
) -> Result<Vec<String>, String> {
    let known = || signoff.items.iter().map(|item| item.key.as_str()).collect::<Vec<_>>().join(", ");
    let unknown = |key: &&Key| !signoff.items.iter().any(|item| item.key == **key);
    if let Some(key) = keys.unwrap_or_default().iter().find(unknown) {
        return Err(format!("The template has no item \"{key}\". It has: {}.", known()));
    }
    let wanted: Vec<&ItemState> =
        signoff.items.iter().filter(|item| keys.is_none_or(|keys| keys.contains(&item.key))).collect();
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let Some(head) = facts.head() else { return Err("The head commit was not read: a tick belongs to a commit.".to_owned()) };
    let mut warnings = Vec::new();
    for item in wanted {
        let backed = match item.status {
            Status::Pass => true,
            Status::NeedsYou => keys.is_some(),
            Status::Fail | Status::Warn | Status::NotApplicable | Status::Unavailable => false,
        };
        if !backed {
            warnings.push(format!("warning: {} is ticked, but not backed: {}.", item.key, item.reason.trim_end_matches('.')));
        }
        if item.tick != TickState::Ticked {
            draft.ticks.insert(item.key.clone(), Tick { head: head.clone(), text: tick_digest(item), at: now });
        }
    }
    draft.basis = Some(Basis { head: head.clone(), template: signoff.template.blob.clone() });
    Ok(warnings)
}
