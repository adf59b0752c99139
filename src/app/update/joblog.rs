//! Opens the log of a job, moves in it, and asks for what of it is on screen.
//! Must not know: where logs are kept, how they are drawn.

use super::{errand, typing};
use crate::app::action::ActionId;
use crate::app::effect::{Command, Effect, Request, Slot};
use crate::app::geometry::joblog_rows;
use crate::app::model::{Field, Model, Overlay};
use crate::app::screens::Motion;
use crate::app::screens::joblog::{Asked, Execution, JobLog, Piece, Searching, Stage};
use crate::core::ids::{JobId, RunId};
use crate::core::joblog::Needle;
use crate::core::pull::Job;
use crate::core::text::gate;
use crate::core::trouble::{Trouble, TroubleKind};

/// Columns of one step to the side.
const SIDE: usize = 8;
const MOST_LEFT: usize = 16 << 10;

/// Opens the log of a job, of whichever attempt, over everything else.
pub(super) fn open(model: &mut Model, run: RunId, job: JobId) -> Vec<Effect> {
    let executions = executions(model, run, job);
    let Some(of) = executions.iter().find(|execution| execution.job == job).cloned() else {
        model.warn("This job is not in the list of the run's jobs.");
        return Vec::new();
    };
    let times = model.joblog.as_ref().is_some_and(|log| log.times);
    model.overlay = Overlay::JobLog;
    let log = model.joblog.insert(Box::new(JobLog::new(of, executions)));
    log.times = times;
    let unavailable = unavailable(&log.of);
    if let Some(why) = &unavailable {
        log.stage = Stage::Failed(why.clone());
    }
    let mut effects = forget(model);
    if unavailable.is_none() {
        effects.extend(ask(model));
    }
    effects
}

/// What is under way for the log before is not wanted any more.
fn forget(model: &mut Model) -> Vec<Effect> {
    let slots = [Slot::JobLog, Slot::JobLogLines, Slot::JobLogSearch];
    slots.into_iter().map(|slot| Effect::Cancel(model.ticket(slot).slot)).collect()
}

/// All executions of the job that this one is of, oldest first, as far as they were read.
fn executions(model: &Model, run: RunId, job: JobId) -> Vec<Execution> {
    let merged = model.review.conclusions.sweeps.iter().filter(|sweep| sweep.run.id == run).flat_map(|sweep| sweep.jobs.iter());
    let same = merged.map(|merged| &merged.attempts).find(|attempts| attempts.iter().any(|attempt| attempt.id == job));
    let ids = same.map_or_else(|| vec![job], |attempts| attempts.iter().map(|attempt| attempt.id).collect());
    ids.into_iter().filter_map(|id| model.facts.job(run, id)).map(execution).collect()
}

fn execution(job: &Job) -> Execution {
    Execution {
        job: job.id,
        run: job.run,
        attempt: job.attempt,
        name: job.name.clone(),
        outcome: job.conclusion.clone().unwrap_or_else(|| job.status.clone()),
        ended: job.status == "completed",
        url: job.url.clone(),
        steps: job.steps.clone(),
    }
}

/// Why there is no log to ask for.
fn unavailable(of: &Execution) -> Option<Trouble> {
    if !of.ended {
        let headline = format!("The job is {}: its log is not available until the job ends.", of.outcome.replace('_', " "));
        return Some(Trouble::new(TroubleKind::NotFound, headline, "r looks again."));
    }
    let skipped = Trouble::new(TroubleKind::NotFound, "The job was skipped: it did nothing, and there is no log of it.", "");
    (of.outcome == "skipped").then_some(skipped)
}

fn ask(model: &mut Model) -> Vec<Effect> {
    let Some(of) = model.joblog.as_ref().map(|log| &log.of) else { return Vec::new() };
    let asked = Asked::Open { job: of.job, steps: of.steps.clone() };
    vec![Effect::Ask(model.ticket(Slot::JobLog), Request::JobLog(asked))]
}

/// Something of the log came.
pub(super) fn came(model: &mut Model, slot: &Slot, piece: Piece) {
    let height = height(model);
    let Some(log) = &mut model.joblog else { return };
    // A log that is here stays, though some of it, or a search, failed.
    if let (Piece::Failed(trouble), Stage::Whole) = (&piece, &log.stage) {
        match slot {
            Slot::JobLogSearch => log.search = None,
            _ => log.lacks_lines = true,
        }
        return model.warn(trouble.sentence());
    }
    let searched = matches!(piece, Piece::Found(_));
    log.take(piece, height);
    let found = log.search.as_ref().and_then(|search| search.found.as_ref());
    if searched && found.is_some_and(|found| found.lines.is_empty()) {
        model.tell("No line of the log matches.");
    }
}

/// Asks for lines that are on screen and not here; lets go of a log that was closed.
pub(super) fn settle(model: &mut Model) -> Vec<Effect> {
    if model.joblog.is_none() {
        return Vec::new();
    }
    if matches!(model.overlay, Overlay::None | Overlay::Log { .. }) {
        model.joblog = None;
        return forget(model);
    }
    let height = height(model);
    let Some(log) = &mut model.joblog else { return Vec::new() };
    let (job, ranges) = (log.of.job, log.missing(height));
    if ranges.is_empty() {
        return Vec::new();
    }
    vec![Effect::Ask(model.ticket(Slot::JobLogLines), Request::JobLog(Asked::Lines { job, ranges }))]
}

fn height(model: &Model) -> usize {
    joblog_rows(model.size.1)
}

pub(super) fn moved(model: &mut Model, motion: Motion) {
    let height = height(model);
    if let Some(log) = &mut model.joblog {
        // A number is that of a line.
        match motion {
            Motion::To(line) if log.stage == Stage::Whole => log.go_to(line.min(log.index.lines().saturating_sub(1)), height),
            motion => log.scroll(motion, height),
        }
    }
}

/// An action of the log's own.
pub(super) fn act(model: &mut Model, id: ActionId, times: i64) -> Vec<Effect> {
    let height = height(model);
    let Some(log) = &mut model.joblog else { return Vec::new() };
    match id {
        ActionId::JobLogFold | ActionId::JobLogFoldAll => {
            let all = id == ActionId::JobLogFoldAll;
            let done = log.fold(all, height);
            tell_unless(model, done, if all { "The log has no groups." } else { "The line is in no group." });
        }
        ActionId::JobLogTimes => log.times = !log.times,
        ActionId::JobLogLeft => log.left = log.left.saturating_sub(SIDE),
        ActionId::JobLogRight => log.left = (log.left + SIDE).min(MOST_LEFT),
        ActionId::JobLogNextError | ActionId::JobLogErrorBack => {
            let done = (0..times).all(|_| log.step_error(id == ActionId::JobLogNextError, height));
            let why = match log.stage {
                Stage::Tail => "No line of the end is marked as an error; those before it are still being counted.",
                _ => "No line is marked as an error.",
            };
            tell_unless(model, done, why);
        }
        ActionId::JobLogNextMatch | ActionId::JobLogMatchBack => {
            let done = (0..times).all(|_| log.step_search(id == ActionId::JobLogNextMatch, height));
            tell_unless(model, done, "No line of the log matches.");
        }
        ActionId::JobLogLater | ActionId::JobLogEarlier => {
            let (run, later) = (log.of.run, id == ActionId::JobLogLater);
            let at = log.executions.iter().position(|execution| execution.job == log.of.job).unwrap_or(0);
            let next = if later { at.checked_add(1) } else { at.checked_sub(1) };
            match next.and_then(|at| log.executions.get(at)).map(|execution| execution.job) {
                Some(job) => return open(model, run, job),
                None => model.tell(if later { "No later attempt ran this job." } else { "No earlier attempt ran this job." }),
            }
        }
        ActionId::JobLogSearch => typing::open(model, Field::JobLogSearch, String::new()),
        ActionId::JobLogCopy => {
            let Some(line) = log.line(log.scroll.cursor) else { return Vec::new() };
            let text = format!("{}\n{}", gate::line(&line.plain()), log.of.url);
            return vec![Effect::Do(model.ticket(Slot::Hand), Command::Copy { text })];
        }
        ActionId::JobLogSave => {
            let job = log.of.job;
            return vec![Effect::Do(model.ticket(Slot::Hand), Command::SaveJobLog(job))];
        }
        ActionId::JobLogAgain => {
            let (run, job) = (log.of.run, log.of.job);
            // It may have ended since, with all its steps.
            let now = executions(model, run, job).into_iter().find(|execution| execution.job == job);
            if let Some(log) = &mut model.joblog {
                log.of = now.unwrap_or_else(|| log.of.clone());
                log.stage = Stage::Coming { got: 0, of: None };
                log.lacks_lines = false;
            }
            return ask(model);
        }
        _ => {}
    }
    Vec::new()
}

fn tell_unless(model: &mut Model, done: bool, why: &str) {
    if !done {
        model.tell(why);
    }
}

/// Words were entered: the whole log is searched, nearest first.
pub(super) fn search(model: &mut Model, words: &str) -> Vec<Effect> {
    model.overlay = Overlay::JobLog;
    let Some(log) = &mut model.joblog else { return Vec::new() };
    let Some(needle) = Needle::new(words) else {
        log.search = None;
        return Vec::new();
    };
    log.search = Some(Searching { needle: needle.clone(), found: None });
    let job = log.of.job;
    vec![Effect::Ask(model.ticket(Slot::JobLogSearch), Request::JobLog(Asked::Search { job, needle }))]
}

// ---- what can be done now

pub fn can_open(model: &Model) -> Result<(), String> {
    errand::execution_here(model)
        .map(|_| ())
        .ok_or_else(|| "The cursor of the sweep pane is on no job: unfold its lane.".to_owned())
}

/// The log that is open, or the sentence that says why not.
fn shown(model: &Model) -> Result<&JobLog, String> {
    model.joblog.as_deref().ok_or_else(|| "No log of a job is open: l on a job of the sweep pane opens one.".to_owned())
}

pub fn is_open(model: &Model) -> Result<(), String> {
    shown(model).map(|_| ())
}

pub fn has_lines(model: &Model) -> Result<(), String> {
    match &shown(model)?.stage {
        Stage::Coming { .. } => Err("The log is still on its way.".to_owned()),
        Stage::Failed(trouble) => Err(trouble.headline.clone()),
        Stage::Tail | Stage::Whole => Ok(()),
    }
}

pub fn is_whole(model: &Model) -> Result<(), String> {
    has_lines(model)?;
    match shown(model)?.stage {
        Stage::Tail => Err("The lines before the end are still being found.".to_owned()),
        _ => Ok(()),
    }
}

pub fn has_search(model: &Model) -> Result<(), String> {
    is_whole(model)?;
    match shown(model)?.search.as_ref().map(|search| &search.found) {
        None => Err("Nothing is searched for yet: / starts a search.".to_owned()),
        Some(None) => Err("The log is still being searched.".to_owned()),
        Some(Some(_)) => Ok(()),
    }
}

pub fn can_ask_again(model: &Model) -> Result<(), String> {
    match shown(model)?.stage {
        Stage::Failed(_) => Ok(()),
        Stage::Coming { .. } => Err("The log is on its way.".to_owned()),
        Stage::Whole if shown(model)?.lacks_lines => Ok(()),
        Stage::Tail | Stage::Whole => Err("The log is here: that of a job that has ended does not change.".to_owned()),
    }
}
