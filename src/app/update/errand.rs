//! Errands in the app: drives [`Errands`] with keys and replies.
//! Must not know: the wire, or what an errand sets off (`core::errand`).

use super::{ask, limit, settle_derived};
use crate::app::action::ActionId;
use crate::app::effect::{Command, Effect, Slot};
use crate::app::key::{Code, Key};
use crate::app::model::{ErrandPage, Model, Overlay, Reach};
use crate::core::errand::{Errand, Errands, Outcome, PreparedErrand, Sight, Stand, Trace, label_rows, prepare};
use crate::core::ids::{JobId, RunId};
use crate::core::plan::Read;
use crate::core::posting::{LOOK_SECONDS, LOOKS};
use crate::core::verdict::SignoffRef;
use crate::core::verdict::beside::own_signoff;
use std::time::Duration;

/// Whether an errand can be begun at all, or the sentence that says why not.
pub fn can_begin(model: &Model) -> Result<(), String> {
    if let Some(recording) = &model.session.recording {
        return Err(format!("This is a recording ({recording}): nothing is sent from it."));
    }
    match model.reach {
        Reach::Live => {}
        Reach::Recalling { .. } => return Err("What was kept is being read; GitHub is asked right after it.".to_owned()),
        Reach::Offline => return Err("Offline: nothing is sent. Start without --offline.".to_owned()),
    }
    if model.posting.is_under_way() {
        return Err("A comment is on its way: wait until its outcome is clear.".to_owned());
    }
    if model.errands.is_under_way() {
        return Err("Something else is on its way to GitHub: wait until its outcome is clear.".to_owned());
    }
    if let Some(left) = model.countdown().filter(|_| model.pause.as_ref().is_some_and(|pause| model.now < pause.until)) {
        return Err(format!("GitHub's limit is in force: nothing can be sent for another {left}."));
    }
    Ok(())
}

/// The run under the sweep pane's cursor.
pub fn run_here(model: &Model) -> Option<RunId> {
    let row = model.sweep.rows.get(model.sweep.scroll.cursor)?;
    Some(model.review.conclusions.sweeps.get(row.sweep())?.run.id)
}

/// The job under the sweep pane's cursor.
pub fn job_here(model: &Model) -> Option<(RunId, JobId)> {
    let row = model.sweep.rows.get(model.sweep.scroll.cursor)?;
    let sweep = model.review.conclusions.sweeps.get(row.sweep())?;
    Some((sweep.run.id, sweep.jobs.get(row.job()?)?.job.id))
}

/// The execution of a job under the sweep pane's cursor: an attempt, or the last one.
pub fn execution_here(model: &Model) -> Option<(RunId, JobId)> {
    let row = model.sweep.rows.get(model.sweep.scroll.cursor)?;
    let sweep = model.review.conclusions.sweeps.get(row.sweep())?;
    Some((sweep.run.id, row.execution(sweep)?))
}

/// The viewer's newest sign-off.
pub fn signoff_here(model: &Model) -> Option<SignoffRef> {
    own_signoff(&model.policy, &model.facts).map(|own| SignoffRef { place: own.place, id: own.id })
}

/// A key asked for an errand: it is prepared and shown, or the reason why not is said.
pub(super) fn begin(model: &mut Model, id: ActionId) {
    settle_derived(model);
    model.overlay = Overlay::None;
    let errand = match id {
        ActionId::RerunFailed => run_here(model).map(|run| Errand::RerunFailed { run }),
        ActionId::RerunJob => job_here(model).map(|(run, job)| Errand::RerunJob { run, job }),
        ActionId::CancelRun => run_here(model).map(|run| Errand::Cancel { run }),
        ActionId::PinRun => run_here(model).map(|run| Errand::Reuse { run }),
        ActionId::VerifyAgain => signoff_here(model).map(|signoff| Errand::Dispatch { signoff }),
        ActionId::SweepLabel => {
            model.errands = Errands::Choosing { cursor: 0 };
            return;
        }
        _ => None,
    };
    if let Some(errand) = errand {
        propose(model, &errand);
    }
}

fn propose(model: &mut Model, errand: &Errand) {
    match prepare(&model.policy, &model.facts, &model.review.conclusions, errand) {
        Ok(prepared) => pose(model, prepared),
        Err(why) => {
            model.warn(why);
            model.errands = Errands::Idle;
        }
    }
}

/// Asks, from the first row on.
fn pose(model: &mut Model, prepared: PreparedErrand) {
    model.errands = Errands::Confirming(Box::new(prepared));
    model.errand_page = ErrandPage::default();
}

/// A key while the list of labels stands open; `None`: it does not.
pub(super) fn choose(model: &mut Model, key: Key) -> Option<Vec<Effect>> {
    let Errands::Choosing { cursor } = model.errands else { return None };
    let rows = label_rows(&model.policy, &model.facts);
    let last = rows.len().saturating_sub(1);
    let chosen = match key.code {
        Code::Char('c') if key.ctrl => return Some(super::leave(model)),
        Code::Down | Code::Char('j') => Err((cursor + 1).min(last)),
        Code::Up | Code::Char('k') => Err(cursor.saturating_sub(1)),
        Code::Enter | Code::Char(' ') => Ok(rows.get(cursor).map(|row| {
            let name = row.label.name.clone();
            if row.on { Errand::RemoveLabel(name) } else { Errand::AddLabel(name) }
        })),
        Code::Esc | Code::Char('q' | 'n') => Ok(None),
        _ => Err(cursor),
    };
    match chosen {
        Err(cursor) => model.errands = Errands::Choosing { cursor },
        Ok(None) => model.errands = Errands::Idle,
        Ok(Some(errand)) => propose(model, &errand),
    }
    Some(Vec::new())
}

/// The person's word: what it rests on is read once more.
pub(super) fn confirm(model: &mut Model) -> Vec<Effect> {
    let Errands::Confirming(prepared) = &model.errands else { return Vec::new() };
    if model.errand_hides() {
        let page = model.keymap.keys("page_down").into_iter().next().unwrap_or_default();
        model.warn(format!("Not all of what it does was on screen: {page} shows the rest."));
        return Vec::new();
    }
    let prepared = prepared.clone();
    let reads = prepared.errand.reads(&model.policy, &model.facts);
    model.errands = Errands::Checking { prepared, reads: reads.clone() };
    ask(model, reads)
}

pub(super) fn cancel(model: &mut Model) {
    model.errands = Errands::Idle;
    model.tell("Nothing was sent.");
}

/// Facts came: goes on when everything that was asked for is here.
pub(super) fn facts_came(model: &mut Model) -> Vec<Effect> {
    let pending = |reads: &[Read]| reads.iter().any(|read| Stand::of(&model.facts, read) == Stand::Pending);
    match &model.errands {
        Errands::Checking { reads, .. } if !pending(reads) => checked(model),
        // Between two looks nothing was asked for.
        Errands::Looking { reads, .. } if !reads.is_empty() && !pending(reads) => looked(model),
        _ => Vec::new(),
    }
}

/// Everything was read again: what is still as it was shown is sent, what is not is shown again.
fn checked(model: &mut Model) -> Vec<Effect> {
    settle_derived(model);
    let Errands::Checking { prepared, reads } = std::mem::take(&mut model.errands) else { return Vec::new() };
    let lost = reads.iter().find_map(|read| match Stand::of(&model.facts, read) {
        Stand::Failed(trouble) => Some(trouble.clone()),
        Stand::Pending | Stand::Here => None,
    });
    if let Some(trouble) = lost {
        let why = format!("What it rests on cannot be read again. {}", trouble.headline);
        return refuse(model, &prepared, why, trouble.hint);
    }
    match prepare(&model.policy, &model.facts, &model.review.conclusions, &prepared.errand) {
        Err(why) => refuse(model, &prepared, why, String::new()),
        Ok(now) if now.was_shown_as(&prepared) => {
            let (repo, order) = (now.repo.clone(), now.order.clone());
            model.errands = Errands::Sending(Box::new(now));
            vec![Effect::Do(model.ticket(Slot::Errand), Command::Errand { repo, order })]
        }
        Ok(now) => {
            pose(model, now);
            model.warn("Something changed meanwhile: read once more what it does, then say it again.");
            Vec::new()
        }
    }
}

/// What GitHub answered.
pub(super) fn carried(model: &mut Model, outcome: Outcome) -> Vec<Effect> {
    let Errands::Sending(prepared) = &model.errands else { return Vec::new() };
    let prepared = prepared.clone();
    match outcome {
        Outcome::Done { link } => done(model, &prepared, link),
        Outcome::Refused(trouble) => {
            let mut effects = limit::refused(model, &trouble);
            effects.extend(refuse(model, &prepared, trouble.headline, trouble.hint));
            effects
        }
        Outcome::Unclear(trouble) => {
            model.warn(format!("Whether it was done is not clear: looking. {}", trouble.headline));
            look(model, prepared, 0, trouble.headline)
        }
    }
}

fn look(model: &mut Model, prepared: Box<PreparedErrand>, looks: u8, why: String) -> Vec<Effect> {
    let reads = prepared.looks();
    if reads.is_empty() {
        return unclear(model, &prepared, why);
    }
    model.errands = Errands::Looking { prepared, reads: reads.clone(), looks, why };
    ask(model, reads)
}

/// A look is over: it was done, or there is another look, or nobody can tell.
fn looked(model: &mut Model) -> Vec<Effect> {
    let Errands::Looking { prepared, looks, why, .. } = std::mem::take(&mut model.errands) else { return Vec::new() };
    let looks = looks + 1;
    let sight = prepared.sight(&model.facts);
    match sight {
        Sight::Seen { link } => done(model, &prepared, link),
        Sight::Hidden => unclear(model, &prepared, why),
        Sight::NotSeen | Sight::Unread(_) if looks < LOOKS => {
            model.errands = Errands::Looking { prepared, reads: Vec::new(), looks, why };
            vec![Effect::After(model.ticket(Slot::ErrandLook), Duration::from_secs(LOOK_SECONDS))]
        }
        // Ending takes a run its time: that it goes on proves nothing.
        Sight::NotSeen if !matches!(prepared.trace, Trace::Over(_)) => {
            let why = format!("{why} GitHub shows nothing of it after {LOOKS} looks.");
            let hint = format!("Look at {} before you ask for it again.", prepared.page);
            refuse(model, &prepared, why, hint)
        }
        Sight::NotSeen => unclear(model, &prepared, format!("{why} The run goes on so far.")),
        Sight::Unread(gap) => unclear(model, &prepared, format!("{why} {gap}")),
    }
}

/// The pause between two looks is over.
pub(super) fn look_again(model: &mut Model) -> Vec<Effect> {
    match std::mem::take(&mut model.errands) {
        Errands::Looking { prepared, looks, why, .. } => look(model, prepared, looks, why),
        other => {
            model.errands = other;
            Vec::new()
        }
    }
}

fn done(model: &mut Model, prepared: &PreparedErrand, link: Option<String>) -> Vec<Effect> {
    model.tell(format!("Done: {}.", prepared.what));
    let link = link.or_else(|| Some(prepared.page.clone()));
    model.errands = Errands::Done { what: prepared.what.clone(), link };
    let reads = prepared.errand.after(&model.facts);
    ask(model, reads)
}

fn refuse(model: &mut Model, prepared: &PreparedErrand, why: String, hint: String) -> Vec<Effect> {
    model.warn(format!("Not done: {why} {hint}").trim_end().to_owned());
    model.errands = Errands::Refused { what: prepared.what.clone(), why, hint };
    Vec::new()
}

/// Nobody can tell: it is not sent again, and its page may show what came of it.
fn unclear(model: &mut Model, prepared: &PreparedErrand, why: String) -> Vec<Effect> {
    model.warn(format!("It is not clear whether it was done: look at {}. {why}", prepared.page));
    model.errands = Errands::Unclear { what: prepared.what.clone(), why, page: prepared.page.clone() };
    let reads = prepared.errand.after(&model.facts);
    ask(model, reads)
}
