//! The sweep jobs of all attempts, merged: one row per job, in GitHub's own words.
//! Must not know: which runs are wanted, or why.

use super::{Report, SCHEMA, json, table};
use crate::core::axes::Axes;
use crate::core::facts::Facts;
use crate::core::filter::Filter;
use crate::core::ids::{JobId, RunId, Sha};
use crate::core::listing::Completeness;
use crate::core::policy::Policy;
use crate::core::remote::{Remote, Sourced};
use crate::core::steps::{NthStep, Step, Steps};
use crate::core::sweep::expiry::{Kept, expiries};
use crate::core::sweep::matrix::row_label;
use crate::core::sweep::{Asked, Attempt, MergedJob, Outcome, causes, expiring, merge};
use crate::core::time::Time;
use crate::core::trouble::Trouble;
use serde::Serialize;

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    /// Every run's list was read whole.
    complete: bool,
    /// Rows, with those that GitHub says exist but that were not read; `null` when nobody knows, which of those that were
    /// not read a filter would keep among it.
    total: Option<usize>,
    jobs: Vec<Row<'a>>,
    /// What of these runs goes within 14 days, or is gone.
    expiring: Vec<Expiring>,
    /// Runs whose artifacts were not read whole: nobody knows whether they go.
    artifacts_unread: Vec<RunId>,
}

#[derive(Serialize)]
struct Expiring {
    run_id: RunId,
    what: Kept,
    /// Of logs, 90 days after the end of the run: GitHub's default, which a repository may change. `null`: not known.
    at: Option<Time>,
    /// GitHub says that it is gone, which it does of artifacts only.
    expired: bool,
}

#[derive(Serialize)]
struct Row<'a> {
    id: JobId,
    run_id: RunId,
    attempt: u32,
    attempts: Vec<AttemptRow<'a>>,
    name: &'a str,
    lane: &'a str,
    /// `null` for set-up jobs and for a skipped lane, whose name has none.
    axes: Option<&'a Axes>,
    status: &'a str,
    conclusion: Option<&'a str>,
    step: Option<StepRow<'a>>,
    url: &'a str,
}

#[derive(Serialize)]
struct AttemptRow<'a> {
    attempt: u32,
    id: JobId,
    status: &'a str,
    conclusion: Option<&'a str>,
    step: Option<StepRow<'a>>,
}

/// Where it failed, was ended, or is; `null` where GitHub does not tell, and where nothing is wrong.
#[derive(Serialize)]
struct StepRow<'a> {
    nth: usize,
    of: usize,
    /// GitHub's own, as in the address of a line: some may be left out.
    number: u64,
    name: &'a str,
    outcome: &'a Outcome,
    started_at: Option<Time>,
    completed_at: Option<Time>,
}

/// Reports the jobs of these runs that the filter keeps. `gaps` is what the choice of runs already lacks.
pub fn report(policy: &Policy, facts: &Facts, runs: &[RunId], filter: &Filter, mut gaps: Vec<String>, as_json: bool) -> Report {
    // Each with when it was read: until then, what ran had run.
    let mut jobs: Vec<(MergedJob, Time)> = Vec::new();
    let mut unread = if gaps.is_empty() { Some(0) } else { None };
    for run in runs {
        let remote = facts.jobs.get(run);
        let known = facts.runs.value().and_then(|runs| runs.items.iter().find(|known| known.id == *run));
        if let Some(Sourced { value: list, source }) = remote.and_then(Remote::known) {
            let kept = kept(merge(&list.items, &policy.sweep.framework_aliases), filter, known.map(|run| &run.head));
            jobs.extend(kept.into_iter().map(|job| (job, source.read_at)));
        }
        let settled = remote.and_then(Remote::settled).map(|got| &got.value);
        match settled.map(|list| &list.completeness) {
            Some(Completeness::Complete) => {}
            Some(Completeness::Partial { of, .. }) => {
                // GitHub counts every execution: over several attempts that tells no number of jobs.
                let once = known.is_none_or(|run| run.attempt < 2)
                    && settled.is_some_and(|list| list.items.iter().all(|job| job.attempt < 2));
                let missing = of.filter(|_| once).zip(settled).map(|(of, list)| of.saturating_sub(list.items.len()));
                unread = unread.zip(missing).map(|(a, b)| a + b);
                let gap = settled.and_then(|list| list.render_gap()).unwrap_or_default();
                gaps.push(format!("Jobs of run {run}: {gap}"));
            }
            None => {
                unread = None;
                let why = remote.and_then(Remote::trouble).map_or_else(|| "not read.".to_owned(), Trouble::sentence);
                gaps.push(format!("Jobs of run {run}: {why}"));
            }
        }
    }
    let text = if as_json {
        json(&Document {
            schema: SCHEMA,
            complete: gaps.is_empty(),
            total: unread.filter(|unread| filter.is_empty() || *unread == 0).map(|unread| jobs.len() + unread),
            jobs: jobs.iter().map(|(job, _)| row(job)).collect(),
            expiring: runs.iter().flat_map(|run| expiring_of(facts, *run)).collect(),
            artifacts_unread: runs.iter().copied().filter(|run| !has_artifacts(facts, *run)).collect(),
        })
    } else {
        let rows: Vec<Vec<String>> = jobs.iter().map(|(job, read_at)| cells(job, *read_at)).collect();
        table::render(&["", "run", "attempt", "lane", "point", "outcome"], &rows)
    };
    Report { text, gaps }
}

/// What is to be heard beside the table: what of these runs goes soon, or is gone, and of which nobody knows.
pub fn remarks(facts: &Facts, runs: &[RunId]) -> Vec<String> {
    let of_run = |run: &RunId| {
        let unread = (!has_artifacts(facts, *run)).then(|| "whether its artifacts expire was not read".to_owned());
        expiring(facts, *run).into_iter().chain(unread).map(|told| format!("Run {run}: {told}.")).collect::<Vec<_>>()
    };
    runs.iter().flat_map(of_run).collect()
}

fn has_artifacts(facts: &Facts, run: RunId) -> bool {
    facts.artifacts.get(&run).and_then(Remote::settled).is_some_and(|got| got.value.is_complete())
}

fn expiring_of(facts: &Facts, run: RunId) -> Vec<Expiring> {
    let Some(now) = facts.time() else { return Vec::new() };
    let told = expiries(facts, run).into_iter().filter(|expiry| expiry.matters(now));
    told.map(|expiry| Expiring { run_id: run, what: expiry.what, at: expiry.at, expired: expiry.over }).collect()
}

/// What the filter keeps of one run's jobs; of a list that is not whole, the first failure is that of what was read.
fn kept(jobs: Vec<MergedJob>, filter: &Filter, head: Option<&Sha>) -> Vec<MergedJob> {
    if filter.is_empty() {
        return jobs;
    }
    let newest = jobs.iter().map(|job| job.job.attempt).max().unwrap_or(1);
    let roots = causes(&jobs, |_| None).roots;
    let keeps = |(at, job): (usize, MergedJob)| {
        filter.keeps(&Asked { job: &job, newest, root: roots.contains(&at), head }).then_some(job)
    };
    jobs.into_iter().enumerate().filter_map(keeps).collect()
}

fn row(job: &MergedJob) -> Row<'_> {
    Row {
        id: job.job.id,
        run_id: job.job.run,
        attempt: job.job.attempt,
        attempts: job.attempts.iter().map(attempt).collect(),
        name: &job.job.name,
        lane: &job.name.lane,
        axes: job.name.axes.as_ref(),
        status: &job.job.status,
        conclusion: job.job.conclusion.as_deref(),
        step: step(&job.job.steps, &job.outcome),
        url: &job.job.url,
    }
}

fn attempt(attempt: &Attempt) -> AttemptRow<'_> {
    AttemptRow {
        attempt: attempt.attempt,
        id: attempt.id,
        status: &attempt.status,
        conclusion: attempt.conclusion.as_deref(),
        step: step(&attempt.steps, &attempt.outcome()),
    }
}

fn step<'a>(steps: &'a Steps, job: &Outcome) -> Option<StepRow<'a>> {
    let NthStep { step, nth, of } = steps.telling(job)?;
    let Step { number, name, outcome, started_at, completed_at } = step;
    Some(StepRow { nth, of, number: *number, name, outcome, started_at: *started_at, completed_at: *completed_at })
}

fn cells(job: &MergedJob, read_at: Time) -> Vec<String> {
    let point = |axes: &Axes| format!("{} {}", row_label(axes), axes.render_conc());
    vec![
        job.outcome.mark().to_string(),
        job.job.run.to_string(),
        job.job.attempt.to_string(),
        job.name.lane.clone(),
        job.name.axes.as_ref().map(point).unwrap_or_default(),
        match job.job.steps.told(&job.outcome, read_at) {
            Some(step) => format!("{} {step}", job.outcome.word()),
            None => job.outcome.word().to_owned(),
        },
    ]
}
