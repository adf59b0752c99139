//! Looks again at runs that are still going, and tells when they are over.
//! Must not know: how often (`core::sweep::pace`), how a run is read, how a bell rings.
//!
//! A look is quiet: what is known stands until the whole answer is there, so that nothing on screen flickers.

use crate::app::effect::{Command, Effect, Request, Slot};
use crate::app::model::{Model, Pane, Reach};
use crate::core::ids::RunId;
use crate::core::plan;
use crate::core::sweep::Pace;
use crate::core::sweep::pace::{self, Eye};
use crate::core::text::counted;
use chrono::TimeDelta;
use std::time::Duration;

/// Where a look would be in the way of something, it waits so long.
const LATER: Duration = pace::LIVELY;

/// Why runs that are going are not looked at again.
pub fn asleep(model: &Model) -> Option<&'static str> {
    match (&model.session.recording, &model.reach) {
        (Some(_), _) => Some("a recording: it does not go on"),
        (None, Reach::Offline) => Some("offline: not looked at again"),
        (None, Reach::Live | Reach::Recalling { .. }) => None,
    }
}

/// Called after every message: tells what is over, and sees to it that a next look is due.
pub(super) fn tend(model: &mut Model) -> Vec<Effect> {
    // What is being read anyway says it first.
    if asleep(model).is_some() || model.reach != Reach::Live || model.is_loading() {
        return Vec::new();
    }
    let mut effects = tell_ended(model);
    let eye = if [model.focus, model.beside].contains(&Pane::Sweep) { Eye::On } else { Eye::Aside };
    let opened = std::mem::replace(&mut model.live.eye, eye) == Eye::Aside && eye == Eye::On;
    if model.live.away || !model.live.open.is_empty() {
        return effects;
    }
    match model.live.next {
        // Whoever turns to the runs does not want to wait as long as somebody who does not.
        Some(next) if opened && next - model.now > TimeDelta::seconds(30) => effects.push(wait(model, pace::LIVELY)),
        Some(_) => {}
        None => {
            let pause = model.live.pace.next(&model.review.conclusions.sweeps, eye);
            effects.extend(pause.map(|pause| wait(model, pause)));
        }
    }
    effects
}

fn wait(model: &mut Model, pause: Duration) -> Effect {
    model.live.next = Some(model.now + TimeDelta::from_std(pause).unwrap_or_default());
    Effect::After(model.ticket(Slot::Live), pause)
}

/// The next look is due.
pub(super) fn ticked(model: &mut Model) -> Vec<Effect> {
    model.live.next = None;
    if model.live.away || asleep(model).is_some() {
        return Vec::new();
    }
    if model.posting.is_under_way() || model.errands.is_under_way() || model.pause.is_some() || model.is_loading() {
        return vec![wait(model, LATER)];
    }
    let going = going(model);
    if going.is_empty() {
        return Vec::new();
    }
    let reads = plan::look(&model.facts, &going);
    model.live.open.clone_from(&reads);
    model.live.last = Some(model.now);
    reads.into_iter().map(|read| Effect::Ask(model.ticket(Slot::Read(read.clone())), Request::Read(read))).collect()
}

/// An answer came. `true`: it is a page of a look, and nobody sees it before the last.
pub(super) fn holds_back(model: &mut Model, reply: &plan::Reply) -> bool {
    let is_part = model.live.open.contains(&reply.read) && !model.is_loading();
    if reply.last {
        model.live.open.retain(|read| *read != reply.read);
    }
    is_part && !reply.last && reply.answer.is_ok()
}

/// Nothing is read for a window that nobody looks at; what was missed is read when somebody does.
pub(super) fn focus(model: &mut Model, gained: bool) -> Vec<Effect> {
    if model.live.away != gained {
        return Vec::new();
    }
    model.live.away = !gained;
    model.live.next = None;
    // Whatever timer runs is void.
    model.ticket(Slot::Live);
    let last = model.live.last.unwrap_or(model.opened);
    let stale = model.now - last >= TimeDelta::from_std(pace::LIVELY).unwrap_or_default();
    if gained && stale && model.reach == Reach::Live && !going(model).is_empty() { ticked(model) } else { Vec::new() }
}

fn going(model: &Model) -> Vec<RunId> {
    Pace::going(&model.review.conclusions.sweeps).map(|sweep| sweep.run.id).collect()
}

/// Runs that were going, and are over.
fn tell_ended(model: &mut Model) -> Vec<Effect> {
    let now = going(model);
    let before = std::mem::replace(&mut model.live.going, now);
    let sweeps = model.review.conclusions.sweeps.iter();
    let over = sweeps.filter(|sweep| before.contains(&sweep.run.id) && !model.live.going.contains(&sweep.run.id));
    let (mut told, mut bad) = (Vec::new(), false);
    for sweep in over {
        bad |= !sweep.ended_well();
        let failed = match sweep.counts.all.failed {
            0 => String::new(),
            failed => format!(", {} failed", counted(failed, "job")),
        };
        told.push(format!("{} is over: {}{failed}", sweep.label(), sweep.outcome().word()));
    }
    if told.is_empty() {
        return Vec::new();
    }
    let text = format!("{}.", told.join("; "));
    if bad {
        model.warn(text.clone())
    } else {
        model.tell(text.clone())
    }
    vec![Effect::Do(model.ticket(Slot::Bell), Command::Ring { text })]
}
