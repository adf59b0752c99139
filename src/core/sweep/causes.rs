//! Why a run is not green: real failures by cause, each above the cancellations that it set off.
//! Must not know: logs. Whoever has read one names its cause by a key.

use super::attempts::MergedJob;
use super::names::JobName;
use super::outcome::Outcome;
use crate::core::ids::JobId;
use chrono::TimeDelta;
use std::collections::{BTreeSet, HashMap};

/// A job that is cancelled has five minutes to end before GitHub ends it.
const GRACE: TimeDelta = TimeDelta::minutes(5);

/// What went wrong in a run; indices into its jobs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Causes {
    /// The cause of the first failure first; cancellations that no failure explains last.
    pub groups: Vec<Cause>,
    /// The first failure of each matrix.
    pub roots: BTreeSet<usize>,
    /// Failed, then passed in a later attempt of the same commit.
    pub flaky: Vec<usize>,
}

/// Jobs that went wrong alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// What its jobs have in common: GitHub's word, with the step that failed where it tells no more, or what their logs
    /// say.
    pub key: String,
    by_log: bool,
    pub kind: CauseKind,
    /// In the order in which they ended.
    pub losses: Vec<Loss>,
}

/// One job that went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    pub job: usize,
    /// What it took with it: jobs of its matrix that were cancelled right after it.
    pub took: Vec<usize>,
}

/// What kind of thing went wrong, as far as GitHub's words tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CauseKind {
    Failed,
    /// It failed and no runner is named: nothing of it ran.
    NoRunner,
    TimedOut,
    NotStarted,
    /// GitHub gave it up.
    Stale,
    NeedsApproval,
    Cancelled,
}

impl CauseKind {
    /// `None`: nothing went wrong.
    fn of(job: &MergedJob) -> Option<CauseKind> {
        Some(match job.outcome {
            Outcome::Failure if job.job.runner.as_deref().is_none_or(str::is_empty) => CauseKind::NoRunner,
            Outcome::Failure => CauseKind::Failed,
            Outcome::TimedOut => CauseKind::TimedOut,
            Outcome::StartupFailure => CauseKind::NotStarted,
            Outcome::Stale => CauseKind::Stale,
            Outcome::ActionRequired => CauseKind::NeedsApproval,
            Outcome::Cancelled => CauseKind::Cancelled,
            _ => return None,
        })
    }

    /// A stable word.
    pub fn key(self) -> &'static str {
        match self {
            CauseKind::Failed => "failure",
            CauseKind::NoRunner => "no_runner",
            CauseKind::TimedOut => "timed_out",
            CauseKind::NotStarted => "startup_failure",
            CauseKind::Stale => "stale",
            CauseKind::NeedsApproval => "action_required",
            CauseKind::Cancelled => "cancelled",
        }
    }

    /// [`CauseKind::key`], and where GitHub's word says no more than that it failed, the step: `failure: Launch job script`.
    fn key_of(self, job: &MergedJob) -> String {
        let step = job.job.steps.telling(&job.outcome).map(|step| &*step.step.name);
        match step.filter(|name| self == CauseKind::Failed && !name.is_empty()) {
            Some(name) => format!("{}: {name}", self.key()),
            None => self.key().to_owned(),
        }
    }

    /// As a heading over its jobs.
    pub fn title(self) -> &'static str {
        match self {
            CauseKind::Failed => "failed in a step of its own",
            CauseKind::NoRunner => "failed, and no runner is named: lost, or never there",
            CauseKind::TimedOut => "ran out of time",
            CauseKind::NotStarted => "could not be started",
            CauseKind::Stale => "given up by GitHub",
            CauseKind::NeedsApproval => "waits for an approval",
            CauseKind::Cancelled => "cancelled, and no failure of its matrix came right before",
        }
    }
}

/// What tells a cause from others of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told<'a> {
    /// GitHub's word alone.
    Word,
    /// The step that failed.
    Step(&'a str),
    /// What logs say.
    Log(&'a str),
}

impl Cause {
    pub fn told(&self) -> Told<'_> {
        let step = self.key.strip_prefix(self.kind.key()).and_then(|rest| rest.strip_prefix(": "));
        match step {
            _ if self.by_log => Told::Log(&self.key),
            Some(step) => Told::Step(step),
            None => Told::Word,
        }
    }
}

impl MergedJob {
    /// It failed, and passed in a later attempt. With two jobs of its name, which passed would be a guess.
    pub fn is_flaky(&self) -> bool {
        let failed = |(status, conclusion): (&str, Option<&str>)| Outcome::read(status, conclusion).failed();
        let mut before = self.attempts.iter().rev().skip(1);
        self.outcome.green()
            && !self.ambiguous
            && before.any(|attempt| failed((&attempt.status, attempt.conclusion.as_deref())))
    }
}

/// The part of a name that all jobs of one matrix share.
fn matrix(name: &JobName) -> &str {
    let lane = name.lane.as_str();
    lane.find([' ', '/', '(']).filter(|_| name.axes.is_none()).map_or(lane, |_| {
        let end = lane.find(" (").or_else(|| lane.find(" /")).unwrap_or(lane.len());
        &lane[..end]
    })
}

/// Groups what went wrong. `told` names the cause of a job whose log was read; others are grouped by GitHub's words.
pub fn causes(jobs: &[MergedJob], told: impl Fn(JobId) -> Option<String>) -> Causes {
    let mut out = Causes { flaky: (0..jobs.len()).filter(|&at| jobs[at].is_flaky()).collect(), ..Causes::default() };
    let mut lost: Vec<(usize, CauseKind)> =
        jobs.iter().enumerate().filter_map(|(at, job)| Some((at, CauseKind::of(job)?))).collect();
    // When it ended; what has no time comes last.
    lost.sort_by_key(|(at, kind)| {
        let end = jobs[*at].job.completed_at;
        (*kind == CauseKind::Cancelled, end.is_none(), end, *at)
    });
    let mut first: HashMap<&str, usize> = HashMap::new();
    let mut took: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut alone: Vec<(usize, CauseKind)> = Vec::new();
    for (at, kind) in lost {
        let job = &jobs[at];
        let matrix = matrix(&job.name);
        if job.outcome.failed() {
            if !first.contains_key(matrix) {
                first.insert(matrix, at);
                out.roots.insert(at);
            }
        } else if kind == CauseKind::Cancelled
            && let Some(&root) = first.get(matrix)
            && let (Some(then), Some(end)) = (jobs[root].job.completed_at, job.job.completed_at)
            && job.job.attempt == jobs[root].job.attempt
            && (then..=then + GRACE).contains(&end)
        {
            took.entry(root).or_default().push(at);
            continue;
        }
        alone.push((at, kind));
    }
    let mut places: HashMap<(bool, String), usize> = HashMap::new();
    for (at, kind) in alone {
        let reason = told(jobs[at].job.id);
        let by_log = reason.is_some();
        let key = reason.unwrap_or_else(|| kind.key_of(&jobs[at]));
        let place = *places.entry((by_log, key.clone())).or_insert(out.groups.len());
        if place == out.groups.len() {
            out.groups.push(Cause { key, by_log, kind, losses: Vec::new() });
        }
        if let Some(group) = out.groups.get_mut(place) {
            group.losses.push(Loss { job: at, took: took.remove(&at).unwrap_or_default() });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::pull::Job;
    use crate::core::sample::{at, job, step};
    use crate::core::sweep::merge;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn ended(id: u64, attempt: u32, name: &str, word: &str, minute: u32) -> Job {
        let done = at("2026-08-11T08:00:00Z") + TimeDelta::minutes(i64::from(minute));
        let runner = Some("node-3".to_owned());
        Job { completed_at: Some(done), runner, ..job(id, attempt, name, Some(word)) }
    }

    fn shown(jobs: &[Job], told: impl Fn(JobId) -> Option<String>) -> Vec<String> {
        let jobs = merge(jobs, &BTreeMap::new());
        let id = |at: &usize| jobs[*at].job.id.to_string();
        let ids = |list: &[usize]| list.iter().map(id).collect::<Vec<_>>().join(",");
        let causes = causes(&jobs, told);
        let loss = |loss: &Loss| match loss.took.is_empty() {
            true => id(&loss.job),
            false => format!("{}>{}", id(&loss.job), ids(&loss.took)),
        };
        let line = |cause: &Cause| {
            let losses: Vec<String> = cause.losses.iter().map(loss).collect();
            format!("{}: {}", cause.key, losses.join(" "))
        };
        let roots: Vec<usize> = causes.roots.iter().copied().collect();
        let ends = [format!("roots {}", ids(&roots)), format!("flaky {}", ids(&causes.flaky))];
        causes.groups.iter().map(line).chain(ends).collect()
    }

    #[test]
    fn the_first_failure_stands_above_what_it_cancelled() {
        let point = |conc: u32| format!("single-node 8k1k / qwen3.5 fp4 b200 sgl TP2 c{conc}");
        let jobs = [
            ended(1, 1, &point(4), "cancelled", 21),
            ended(2, 1, &point(8), "failure", 22),
            ended(3, 1, &point(16), "failure", 20),
            ended(4, 1, &point(32), "cancelled", 25),
            ended(5, 1, &point(64), "cancelled", 26),
            ended(6, 1, "eval / qwen3.5 fp4 b200 sgl TP2 c4 | eval-only", "cancelled", 21),
            ended(7, 1, "eval / qwen3.5 fp4 b200 sgl TP2 c8 | eval-only", "timed_out", 30),
            ended(8, 1, "setup", "success", 1),
        ];
        assert_eq!(
            shown(&jobs, |_| None),
            ["failure: 3>1,4 2", "timed_out: 7", "cancelled: 6 5", "roots 3,7", "flaky "],
            "five minutes after the first failure, a cancellation has another cause; and so has one of another lane"
        );
        // Logs tell causes apart, and bring together what GitHub's words do not.
        let told = |id: JobId| matches!(id.0, 2 | 7).then(|| "oom".to_owned());
        assert_eq!(shown(&jobs, told), ["failure: 3>1,4", "oom: 2 7", "cancelled: 6 5", "roots 3,7", "flaky "]);
    }

    #[test]
    fn failures_are_told_apart_by_their_steps_where_nothing_else_is_known() {
        let failed = |id, step_name: &str| {
            let steps = vec![step("Checkout", "success", None, None), step(step_name, "failure", None, None)].into();
            Job { steps, ..ended(id, 1, &format!("a{id}"), "failure", id as u32) }
        };
        let stopped = Job { steps: failed(9, "x").steps, ..ended(5, 1, "e", "timed_out", 9) };
        let jobs = [failed(1, "Launch"), failed(2, "Upload"), failed(3, "Launch"), ended(4, 1, "d", "failure", 4), stopped];
        let expected =
            ["failure: Launch: 1 3", "failure: Upload: 2", "failure: 4", "timed_out: 5", "roots 1,2,3,4,5", "flaky "];
        assert_eq!(shown(&jobs, |_| None), expected);
        let told = |id: JobId| (id.0 < 3).then(|| "failure: Launch".to_owned());
        assert_eq!(shown(&jobs, told)[..2], ["failure: Launch: 1 2", "failure: Launch: 3"]);
        let causes = causes(&merge(&jobs, &BTreeMap::new()), told);
        let tellers: Vec<_> = causes.groups.iter().map(Cause::told).collect();
        assert_eq!(tellers, [Told::Log("failure: Launch"), Told::Step("Launch"), Told::Word, Told::Word]);
    }

    #[test]
    fn any_matrix_has_a_first_failure() {
        let jobs = [
            ended(1, 1, "build (ubuntu, stable)", "failure", 3),
            ended(2, 1, "build (ubuntu, nightly)", "cancelled", 3),
            ended(3, 1, "lint", "cancelled", 3),
            Job { runner: None, ..ended(4, 1, "docs", "failure", 9) },
        ];
        assert_eq!(shown(&jobs, |_| None), ["failure: 1>2", "no_runner: 4", "cancelled: 3", "roots 1,4", "flaky "]);
    }

    #[test]
    fn flaky_is_what_passed_in_a_later_attempt() {
        let jobs = [
            ended(1, 1, "a", "failure", 3),
            ended(2, 1, "b", "failure", 3),
            ended(3, 1, "c", "cancelled", 3),
            ended(4, 2, "a", "success", 9),
            ended(5, 2, "b", "failure", 9),
            ended(6, 2, "c", "success", 9),
        ];
        assert_eq!(shown(&jobs, |_| None), ["failure: 5", "roots 5", "flaky 4"]);
    }

    proptest! {
        #[test]
        fn every_loss_stands_exactly_once(
            jobs in prop::collection::vec((0usize..4, 0usize..7, 0u32..40), 0..60)
        ) {
            let words = ["success", "failure", "cancelled", "timed_out", "stale", "skipped", "startup_failure"];
            let jobs: Vec<Job> = jobs
                .iter()
                .enumerate()
                .map(|(id, (name, word, minute))| ended(id as u64, 1, ["a", "b (x)", "b (y)", "eval / z"][*name], words[*word], *minute))
                .collect();
            let merged = merge(&jobs, &BTreeMap::new());
            let causes = causes(&merged, |_| None);
            let mut seen: Vec<usize> = causes
                .groups
                .iter()
                .flat_map(|cause| &cause.losses)
                .flat_map(|loss| std::iter::once(loss.job).chain(loss.took.iter().copied()))
                .collect();
            seen.sort_unstable();
            let lost: Vec<usize> = (0..merged.len()).filter(|&at| merged[at].outcome.is_loss()).collect();
            prop_assert_eq!(seen, lost);
            prop_assert!(causes.roots.iter().all(|&root| merged[root].outcome.failed()));
        }
    }
}
