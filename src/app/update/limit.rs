//! GitHub's limits: counts down while one is in force, and then asks again for what it kept back.
//! Must not know: how a limit is recognised. Nothing ticks while there is none.

use super::ask;
use crate::app::effect::{Effect, Slot};
use crate::app::model::{Model, Pause};
use crate::core::listing::Listing;
use crate::core::plan::{self, Answer};
use crate::core::posting::Posting;
use crate::core::time::Time;
use crate::core::trouble::{Trouble, TroubleKind};
use chrono::TimeDelta;
use std::time::Duration;

/// Reads are asked for again up to this much after the limit's end: several windows must not all come at once.
const SPREAD_MS: i64 = 1500;
/// A limit that comes again at once lasts at least 1, 2, 4 … seconds, up to two to this power.
const MOST_DOUBLINGS: u32 = 6;

/// An answer came: one that a limit kept back, whole or in part, waits for its end.
pub(super) fn answered(model: &mut Model, reply: &plan::Reply) -> Vec<Effect> {
    if !reply.last {
        return Vec::new();
    }
    let trouble = match &reply.answer {
        Ok((answer, _)) => gap(answer),
        Err(trouble) => Some(trouble),
    };
    if let Some(end) = trouble.and_then(end) {
        let effects = pause(model, end);
        if let Some(pause) = model.pause.as_mut().filter(|pause| !pause.kept_back.contains(&reply.read)) {
            pause.kept_back.push(reply.read.clone());
        }
        return effects;
    }
    if let Some(pause) = &mut model.pause {
        pause.kept_back.retain(|read| *read != reply.read);
    } else if reply.answer.is_ok() {
        model.pauses = 0;
    }
    Vec::new()
}

/// A write was refused: for a limit, only the countdown begins. It is sent again by the person, or not.
pub(super) fn refused(model: &mut Model, trouble: &Trouble) -> Vec<Effect> {
    end(trouble).map(|end| pause(model, end)).unwrap_or_default()
}

/// When a limit ends.
fn end(trouble: &Trouble) -> Option<Time> {
    trouble.retry_at.filter(|_| trouble.kind == TroubleKind::Limited)
}

/// Why a list is not whole.
fn gap(answer: &Answer) -> Option<&Trouble> {
    match answer {
        Answer::Files(list) => list.trouble(),
        Answer::Commits(list) => list.trouble(),
        Answer::Later(later) => later.files.trouble(),
        Answer::Comments(list) | Answer::Reviews(list) | Answer::LineComments(list) => list.trouble(),
        Answer::PendingComments(list) => list.trouble(),
        Answer::Runs(list) | Answer::BotRuns(list) => list.trouble(),
        Answer::Statuses(list) => list.trouble(),
        Answer::Jobs(list) => list.trouble(),
        Answer::Artifacts(list) => list.trouble(),
        Answer::Evals(list) => Listing::trouble(list),
        Answer::Results(list) => list.trouble(),
        Answer::Folder(folder) => folder.files.trouble(),
        Answer::LabelEvents(list) => list.trouble(),
        Answer::Linked(pull) => pull.files.trouble(),
        Answer::Viewer(_)
        | Answer::Top(_)
        | Answer::Master(_)
        | Answer::Blob(_)
        | Answer::Permission(_)
        | Answer::Member(_)
        | Answer::Repository(_)
        | Answer::Pull(_)
        | Answer::MergeBase(_)
        | Answer::Run(_)
        | Answer::Document(_)
        | Answer::SideFile(_) => None,
    }
}

fn pause(model: &mut Model, end: Time) -> Vec<Effect> {
    let least = TimeDelta::seconds(1 << model.pauses.min(MOST_DOUBLINGS));
    let until = end.max(model.now + least);
    if let Some(pause) = &mut model.pause {
        // Its countdown runs already.
        pause.until = pause.until.max(until);
        return Vec::new();
    }
    let spread = TimeDelta::milliseconds(i64::from(model.now.timestamp_subsec_millis()) * SPREAD_MS / 1000);
    model.pause = Some(Pause { until, spread, kept_back: Vec::new() });
    after(model, until)
}

/// A second of the countdown is over, or all of it.
pub(super) fn ticked(model: &mut Model) -> Vec<Effect> {
    let Some(Pause { until, spread, kept_back }) = &model.pause else { return Vec::new() };
    let (until, again) = (*until, *until + *spread);
    if model.now < until {
        return after(model, until);
    }
    if kept_back.is_empty() {
        model.pause = None;
        return Vec::new();
    }
    if model.now < again {
        return after(model, again);
    }
    // While a comment is on its way nothing else is read; the search for one asks by itself.
    if model.posting.is_locked() && !matches!(model.posting, Posting::Searching { .. }) {
        return after(model, model.now + TimeDelta::seconds(1));
    }
    let kept_back = model.pause.take().map(|pause| pause.kept_back).unwrap_or_default();
    model.pauses += 1;
    // What the pull request has left behind since is not asked for.
    let reads = plan::refresh(&model.facts, &model.policy, &model.review.needs)
        .into_iter()
        .filter(|read| kept_back.contains(read))
        .collect();
    ask(model, reads)
}

/// Wakes at the next whole second before `end`.
fn after(model: &mut Model, end: Time) -> Vec<Effect> {
    let left = (end - model.now).num_milliseconds().max(1);
    let until_next = if left % 1000 == 0 { 1000 } else { left % 1000 };
    vec![Effect::After(model.ticket(Slot::Pause), Duration::from_millis(until_next.unsigned_abs()))]
}
