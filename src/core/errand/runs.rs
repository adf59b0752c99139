//! Re-running and cancelling: what GitHub allows, and what becomes of the run.
//! Must not know: labels.

use super::{Desk, Draft, Order, Trace, jobs};
use crate::core::ids::{JobId, RunId};
use crate::core::policy::reuse;
use crate::core::sweep::{Outcome, Sweep};
use crate::core::text::gate;
use chrono::TimeDelta;

/// GitHub re-runs a run so many days after it was made, and up to this attempt.
const DAYS: i64 = 30;
const ATTEMPTS: u32 = 50;

pub(super) fn rerun_failed(desk: &Desk<'_>, run: RunId) -> Result<Draft, String> {
    let sweep = sweep(desk, run)?;
    let mut told = again(desk, sweep)?;
    let count = |lost: fn(&Outcome) -> bool| sweep.jobs.iter().filter(|job| lost(&job.outcome)).count();
    let failed = count(Outcome::failed);
    let cancelled = count(|outcome| *outcome == Outcome::Cancelled);
    let which = match (failed, cancelled) {
        _ if !sweep.complete => {
            told.insert(0, format!("How many jobs failed is not known: {}.", gap(sweep)));
            "failed jobs".to_owned()
        }
        (0, 0) => return Err(format!("No job of run {run} failed or was cancelled: there is nothing to re-run.")),
        (0, lost) => format!("{lost} cancelled job{}", if lost == 1 { "" } else { "s" }),
        (lost, 0) => format!("{lost} failed job{}", if lost == 1 { "" } else { "s" }),
        (failed, cancelled) => format!("{failed} failed and {cancelled} cancelled jobs"),
    };
    told.insert(0, "Jobs that depend on them run again too; what the others measured stays.".to_owned());
    Ok(draft(sweep, format!("Re-run the {which} of run {run} ({})", step(sweep)), told, Order::RerunFailed(run)))
}

pub(super) fn rerun_job(desk: &Desk<'_>, run: RunId, job: JobId) -> Result<Draft, String> {
    let sweep = sweep(desk, run)?;
    let merged = sweep.jobs.iter().find(|merged| merged.job.id == job).ok_or_else(|| match sweep.complete {
        true => format!("Run {run} has no such job any more: press r to read it again."),
        false => format!("Job {job} is not among the jobs of run {run} that were read: {}.", gap(sweep)),
    })?;
    let name = gate::line(&merged.job.name);
    match &merged.outcome {
        Outcome::Skipped => return Err(format!("The job {name} was skipped: re-running it alone would skip it again.")),
        outcome if outcome.green() => return Err(format!("The job {name} is green: only what failed is re-run.")),
        outcome if !outcome.finished() => return Err(format!("The job {name} is not over yet.")),
        _ => {}
    }
    let mut told = again(desk, sweep)?;
    if merged.ambiguous {
        told.insert(0, format!("Another job of the run has the same name: this is job {job}."));
    }
    told.insert(0, "Jobs that depend on it run again too; what the others measured stays.".to_owned());
    Ok(draft(sweep, format!("Re-run the job {name} of run {run} ({})", step(sweep)), told, Order::RerunJob(job)))
}

pub(super) fn cancel(desk: &Desk<'_>, run: RunId) -> Result<Draft, String> {
    let sweep = sweep(desk, run)?;
    if sweep.run.status == "completed" {
        return Err(format!("Run {run} is over already: there is nothing to cancel."));
    }
    desk.may(false)?;
    let lost = sweep.jobs.iter().filter(|job| !job.outcome.finished()).count();
    let mut told = vec![match (sweep.complete, lost) {
        (true, 0) => "No job of it is under way at this moment; those that would follow do not start.".to_owned(),
        (true, lost) => format!("{} under way or waiting: what they measured so far is lost.", is(lost)),
        (false, _) => format!("How many jobs are under way is not known: {}.", gap(sweep)),
    }];
    told.push("What is finished stays; the rest can be re-run, and is no evidence until then.".to_owned());
    if desk.policy().rules.reuse.pinned.iter().all(|known| known != "cancelled") {
        told.push("A merge cannot reuse a cancelled run.".to_owned());
    }
    let draft = draft(sweep, format!("Cancel run {run} (attempt {})", sweep.run.attempt), told, Order::Cancel(run));
    Ok(Draft { trace: Trace::Over(run), ..draft })
}

/// What speaks against another attempt, or forbids it.
fn again(desk: &Desk<'_>, sweep: &Sweep) -> Result<Vec<String>, String> {
    let run = &sweep.run;
    if run.status != "completed" {
        let status = gate::line(&run.status);
        return Err(format!("Run {} is {status} still: it can be re-run once it is over, or cancelled now.", run.id));
    }
    if run.attempt >= ATTEMPTS {
        return Err(format!(
            "Run {} is at attempt {}, and GitHub re-runs none more than {ATTEMPTS} times: start a new one, by a label or a \
             push.",
            run.id, run.attempt
        ));
    }
    let mut told = Vec::new();
    match (run.created_at, desk.facts().now) {
        (Some(made), Some(now)) if now - made > TimeDelta::days(DAYS) => {
            return Err(format!(
                "Run {} was made {} days ago, and GitHub re-runs none after {DAYS}: start a new one, by a label or a push.",
                run.id,
                (now - made).num_days()
            ));
        }
        (Some(_), Some(_)) => {}
        _ => told.push(format!("How old the run is is not known: GitHub refuses one of more than {DAYS} days.")),
    }
    desk.may(false)?;
    match (sweep.in_pull, desk.facts().head()) {
        (Some(false), _) => {
            told.push(format!("It measures {}, which has left the pull request: the result is no evidence.", run.head.short()))
        }
        (_, Some(head)) if *head != run.head => {
            told.push(format!("It measures {} again, not the head {}.", run.head.short(), head.short()));
        }
        _ => {}
    }
    let pinned = reuse::standing(&desk.context).and_then(|command| command.run);
    if pinned == Some(run.id) {
        told.push("It is the run that a merge reuses: until it is over again, a merge is refused.".to_owned());
    }
    told.extend(desk.ends(Some(run.id)));
    Ok(told)
}

/// A sweep of the pull request.
pub(super) fn sweep<'a>(desk: &'a Desk<'_>, run: RunId) -> Result<&'a Sweep, String> {
    let facts = desk.facts();
    desk.context.conclusions.sweeps.iter().find(|sweep| sweep.run.id == run).ok_or_else(|| {
        match facts.runs.value().map(|runs| runs.render_gap()) {
            None => "The list of runs is not read yet.".to_owned(),
            Some(Some(gap)) => format!("Run {run} may be among the runs that were not read: {gap}."),
            Some(None) => format!("Run {run} is no sweep of this pull request."),
        }
    })
}

fn draft(sweep: &Sweep, what: String, consequences: Vec<String>, order: Order) -> Draft {
    let Sweep { run, .. } = sweep;
    let trace = Trace::Attempt { run: run.id, above: run.attempt };
    Draft { what, consequences, order, trace, page: format!("actions/runs/{}", run.id) }
}

/// `attempt 2 → 3`.
fn step(sweep: &Sweep) -> String {
    let attempt = sweep.run.attempt.max(1);
    format!("attempt {attempt} → {}", attempt.saturating_add(1))
}

/// Why the jobs of a run are not all known.
pub(super) fn gap(sweep: &Sweep) -> String {
    match &sweep.why {
        Some(why) => why.headline.trim_end_matches('.').to_owned(),
        None => "its jobs are still being read".to_owned(),
    }
}

/// `1 job is`, `3 jobs are`.
fn is(count: usize) -> String {
    format!("{} {}", jobs(count), if count == 1 { "is" } else { "are" })
}
