//! After a post: the conversation is read again, ever more rarely, until the bot's answer stands in it.
//! Must not know: how an answer is recognised (`core::verdict::beside`).

use super::ask;
use crate::app::effect::{Effect, Slot};
use crate::app::model::{Model, Reach};
use crate::app::screens::checks::said;
use crate::core::plan::Read;
use crate::core::posting::Posting;
use std::time::Duration;

/// Seconds between looks: doubled each time up to the second. A look at a conversation in which nothing was said costs
/// an answer without a body.
const PAUSES: (u64, u64) = (30, 300);
/// Some three hours; after that `r` looks.
const LOOKS: u32 = 40;

/// A sign-off stands in the conversation: begins to look.
pub(super) fn await_it(model: &mut Model) -> Vec<Effect> {
    if model.policy.verdicts.is_none() || model.reach == Reach::Offline || model.session.recording.is_some() {
        return Vec::new();
    }
    model.awaiting = Some(0);
    next(model, 0)
}

/// A pause is over.
pub(super) fn ticked(model: &mut Model) -> Vec<Effect> {
    let Some(looks) = model.awaiting else { return Vec::new() };
    if looks == LOOKS {
        model.awaiting = None;
        model.warn("The bot has not answered for three hours. Press r to look again.");
        return Vec::new();
    }
    model.awaiting = Some(looks + 1);
    let mut effects = next(model, looks + 1);
    // A limit that is in force, or a read that is under way, makes this look another's.
    if model.pause.is_none() && !model.facts.comments.is_pending() {
        effects.extend(ask(model, vec![Read::Comments]));
    }
    effects
}

/// The conversation was read.
pub(super) fn comments_came(model: &mut Model) -> Vec<Effect> {
    let Some(looks) = model.awaiting.filter(|_| !model.facts.comments.is_pending()) else { return Vec::new() };
    super::settle_derived(model);
    let Some(spoken) = model.review.spoken.as_ref().filter(|spoken| spoken.to_us && spoken.stale.is_empty()) else {
        return Vec::new();
    };
    let said = format!("The bot answered: {}. Checks shows it beside what was predicted.", said(spoken.verdict.overall));
    model.awaiting = None;
    // An answer that stood there before the program started is no news.
    if looks > 0 || matches!(model.posting, Posting::Posted { .. }) {
        model.tell(said);
    }
    vec![Effect::Cancel(Slot::Answer)]
}

fn next(model: &mut Model, looks: u32) -> Vec<Effect> {
    let seconds = PAUSES.0.saturating_mul(1 << looks.min(8)).min(PAUSES.1);
    vec![Effect::After(model.ticket(Slot::Answer), Duration::from_secs(seconds))]
}
