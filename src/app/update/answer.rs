//! After a post: the conversation is read again, ever more rarely, until the bot's answer stands in it. After a rejection:
//! what the failing checks wait for is looked at, until it has come.
//! Must not know: how an answer is recognised (`core::verdict::beside`), or what a check waits for (`core::follow`).

use super::ask;
use crate::app::effect::{Effect, Slot};
use crate::app::model::{Model, Reach};
use crate::app::screens::checks::said;
use crate::core::follow;
use crate::core::plan::Read;
use crate::core::posting::{Posting, Target};
use std::time::Duration;

/// Seconds between looks: doubled each time up to the second. A look at a conversation in which nothing was said costs
/// an answer without a body.
const PAUSES: (u64, u64) = (30, 300);
/// Some three hours; after that `r` looks.
const LOOKS: u32 = 40;
/// Between looks at what failing checks wait for: merges and sweeps take their time.
const WATCH: Duration = Duration::from_secs(300);

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
    // A limit that is in force, or a read that is under way, makes this look another's; the search for a comment counts its
    // own looks, so far apart as it makes them.
    if model.pause.is_none() && !model.facts.comments.is_pending() && !model.posting.is_under_way() {
        let mut reads = follow::reads_of_bot(&model.policy, &model.facts);
        reads.push(Target::of(&model.draft).read());
        // The bot answers in the conversation, wherever the sign-off stands.
        reads.push(Read::Comments);
        reads.dedup();
        effects.extend(ask(model, reads));
    }
    effects
}

/// Begins to look at what the failing checks of a rejection wait for, if anything.
pub(super) fn watch(model: &mut Model) -> Vec<Effect> {
    let waits = follow::waits(&model.facts, &model.review);
    if model.reach != Reach::Live || model.session.recording.is_some() || !waits.iter().any(|wait| !wait.until.is_empty()) {
        return Vec::new();
    }
    model.watched = waits;
    vec![Effect::After(model.ticket(Slot::Watch), WATCH)]
}

/// The pause between two looks at what is waited for is over.
pub(super) fn watched(model: &mut Model) -> Vec<Effect> {
    let mut effects = vec![Effect::After(model.ticket(Slot::Watch), WATCH)];
    if model.pause.is_none() && !model.is_loading() && !model.posting.is_under_way() {
        let reads = follow::reads_of_waits(&model.facts, &model.review);
        effects.extend(ask(model, reads));
    }
    effects
}

/// Facts came while something is waited for: tells what holds now.
pub(super) fn waits_came(model: &mut Model) -> Vec<Effect> {
    if model.watched.is_empty() || model.is_loading() {
        return Vec::new();
    }
    super::settle_derived(model);
    let now = follow::waits(&model.facts, &model.review);
    let came = now.iter().find(|wait| wait.over && model.watched.iter().any(|then| then.key == wait.key && !then.over));
    let said = came.map(|wait| wait.sentence());
    model.watched = now;
    if let Some(said) = said {
        model.tell(said);
    }
    match model.watched.iter().any(|wait| !wait.until.is_empty()) {
        true => Vec::new(),
        false => {
            model.watched.clear();
            vec![Effect::Cancel(Slot::Watch)]
        }
    }
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
    let mut effects = vec![Effect::Cancel(Slot::Answer)];
    effects.extend(watch(model));
    effects
}

fn next(model: &mut Model, looks: u32) -> Vec<Effect> {
    let seconds = PAUSES.0.saturating_mul(1 << looks.min(8)).min(PAUSES.1);
    vec![Effect::After(model.ticket(Slot::Answer), Duration::from_secs(seconds))]
}
