//! The sweeps of a pull request: its runs with their merged jobs, counted, and the one that validates it.
//! Must not know: which rule reads the counts.

use super::attempts::{MergedJob, merge};
use super::names::LaneKind;
use super::outcome::Outcome;
use super::standing::{Standing, standing};
use crate::core::evidence::{Evidence, Source};
use crate::core::facts::Facts;
use crate::core::ids::{RunId, Sha};
use crate::core::policy::Policy;
use crate::core::pull::Run;
use crate::core::remote::Remote;
use crate::core::text::counted;
use crate::core::trouble::Trouble;
use std::sync::Arc;

/// How many jobs are in which state. A skipped job never counts as executed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    pub total: usize,
    /// Ran to an end, good or bad.
    pub executed: usize,
    pub green: usize,
    pub failed: usize,
    pub cancelled: usize,
    pub skipped: usize,
    pub running: usize,
    /// Queued, waiting, pending, requested.
    pub waiting: usize,
    /// Ended otherwise: neutral, stale, waiting for an approval.
    pub other: usize,
    /// In a state whose word this version does not know.
    pub unknown: usize,
}

impl Tally {
    pub fn add(&mut self, outcome: &Outcome) {
        self.total += 1;
        self.executed += usize::from(outcome.executed());
        let place = match outcome {
            Outcome::Success => &mut self.green,
            Outcome::Failure | Outcome::TimedOut | Outcome::StartupFailure => &mut self.failed,
            Outcome::Cancelled => &mut self.cancelled,
            Outcome::Skipped => &mut self.skipped,
            Outcome::InProgress => &mut self.running,
            Outcome::Queued | Outcome::Waiting | Outcome::Pending | Outcome::Requested => &mut self.waiting,
            Outcome::Neutral | Outcome::Stale | Outcome::ActionRequired => &mut self.other,
            Outcome::Unknown(_) => &mut self.unknown,
        };
        *place += 1;
    }

    /// Jobs that will still change, or whose state cannot be read.
    pub fn unfinished(&self) -> usize {
        self.running + self.waiting + self.unknown
    }

    /// Jobs that the run wanted to execute: all but the skipped.
    pub fn wanted(&self) -> usize {
        self.total - self.skipped
    }

    /// Every job that was not skipped is green; so it is with none.
    pub fn holds(&self) -> bool {
        self.green == self.wanted()
    }

    /// At least one job executed, and every job that was not skipped is green.
    pub fn all_green(&self) -> bool {
        self.green > 0 && self.holds()
    }
}

/// Tallies by kind of lane.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub benchmark: Tally,
    pub eval: Tally,
    pub canary: Tally,
    pub plumbing: Tally,
    /// Benchmarks and evals, a job that is both once.
    pub measured: Tally,
    /// Every job once.
    pub all: Tally,
}

impl Counts {
    pub fn of(jobs: &[MergedJob]) -> Counts {
        let mut out = Counts::default();
        for job in jobs {
            match job.name.kind {
                LaneKind::Benchmark => out.benchmark.add(&job.outcome),
                LaneKind::Eval => out.eval.add(&job.outcome),
                LaneKind::Canary => out.canary.add(&job.outcome),
                LaneKind::Plumbing => out.plumbing.add(&job.outcome),
            }
            if job.name.combined {
                out.eval.add(&job.outcome);
            }
            if matches!(job.name.kind, LaneKind::Benchmark | LaneKind::Eval) {
                out.measured.add(&job.outcome);
            }
            out.all.add(&job.outcome);
        }
        out
    }

    /// Jobs that measure and will still change.
    pub fn unfinished(&self) -> usize {
        self.canary.unfinished() + self.benchmark.unfinished() + self.eval.unfinished()
    }
}

/// One run of a sweep workflow, with its jobs.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    pub run: Run,
    /// Where the run was read.
    pub source: Source,
    /// Where its jobs were read; `None` before the first answer.
    pub jobs_source: Option<Source>,
    /// Whether the run's commit is one of the pull request's; `None` while that cannot be said.
    pub in_pull: Option<bool>,
    pub at_head: bool,
    /// Commits of the pull request that came after the run's.
    pub behind: Option<usize>,
    /// Whether it is evidence, by the labels that it was started under.
    pub standing: Standing,
    /// Of all attempts, merged. Shared: the same list over again is the same allocation.
    pub jobs: Arc<[MergedJob]>,
    /// The job list is whole, and nothing newer is on its way.
    pub complete: bool,
    /// Why not, where something failed rather than just being late.
    pub why: Option<Trouble>,
    pub counts: Counts,
}

impl Sweep {
    pub fn outcome(&self) -> Outcome {
        Outcome::read(&self.run.status, self.run.conclusion.as_deref())
    }

    /// It is green, and so is whatever ran in it: GitHub also calls a run a success whose failed jobs were let pass.
    pub fn ended_well(&self) -> bool {
        self.outcome().green() && self.counts.all.failed == 0
    }

    /// No benchmark and no eval ran, nor will: the measurement was skipped as a whole, however green the run is.
    pub fn executed_nothing(&self) -> bool {
        let idle = |tally: Tally| tally.executed == 0 && tally.unfinished() == 0;
        self.outcome().finished() && self.complete && idle(self.counts.benchmark) && idle(self.counts.eval)
    }

    /// Every lane was skipped although nothing went wrong: so it is with runs that reuse an earlier one.
    pub fn is_gated(&self) -> bool {
        let cancelled = self.counts.benchmark.cancelled + self.counts.eval.cancelled;
        self.executed_nothing() && cancelled == 0 && self.counts.canary.holds()
    }

    /// The run and every job that measures have come to an end, and the whole list says so.
    pub fn finished(&self) -> bool {
        self.complete && self.outcome().finished() && self.counts.unfinished() == 0
    }

    /// Benchmarks executed, and nothing that measures went wrong. Says nothing about evals.
    pub fn benchmarks_green(&self) -> bool {
        self.finished() && self.counts.benchmark.all_green() && self.counts.canary.holds()
    }

    /// Evals executed, and none went wrong.
    pub fn evals_green(&self) -> bool {
        self.finished() && self.counts.eval.all_green()
    }

    /// `run 31020193450 attempt 2`.
    pub fn label(&self) -> String {
        match self.run.attempt {
            0 | 1 => format!("run {}", self.run.id),
            attempt => format!("run {} attempt {attempt}", self.run.id),
        }
    }

    /// The run, and its job list.
    pub fn evidence(&self) -> Vec<Evidence> {
        let at = |source: &Source| Source { commit: Some(self.run.head.clone()), ..source.clone() };
        let link = Some(self.run.url.clone()).filter(|url| !url.is_empty());
        // The run stands in a list with others, so its kind carries its number.
        let run = Evidence::new(&format!("run {}", self.run.id), self.label(), link.clone(), at(&self.source));
        let jobs = self.jobs_source.as_ref().map(|source| {
            let so_far = if self.complete { "" } else { " so far" };
            let label = format!("{}{so_far} of {}", counted(self.jobs.len(), "job"), self.label());
            Evidence::new("jobs", label, link, at(source))
        });
        std::iter::once(run).chain(jobs).collect()
    }
}

/// The runs of the policy's workflows on the pull request's branch or head, newest first.
///
/// A run of another repository's branch that happens to have the same name is left out.
pub fn sweeps(policy: &Policy, facts: &Facts) -> Vec<Sweep> {
    sweeps_after(&[], policy, facts)
}

/// The same, with the jobs of `before` wherever no answer says anything else: merging thousands takes longer than a
/// frame may.
pub fn sweeps_after(before: &[Sweep], policy: &Policy, facts: &Facts) -> Vec<Sweep> {
    let Some(runs) = facts.runs.known() else { return Vec::new() };
    let home = facts.pull.value().and_then(|pull| pull.head_repo.as_ref());
    let mut out: Vec<Sweep> = runs
        .value
        .items
        .iter()
        .filter(|run| policy.sweep.is_sweep(&run.path))
        .filter(|run| match (home, &run.head_repo) {
            (Some(home), Some(from)) => home == from || facts.has_commit(&run.head) == Some(true),
            _ => true,
        })
        .map(|run| sweep(before, policy, facts, run, &runs.source))
        .collect();
    out.sort_by_key(|sweep| std::cmp::Reverse((sweep.run.created_at, sweep.run.id)));
    out
}

/// One run, whatever its workflow: somebody asked for it by its number.
pub fn sweep_of(policy: &Policy, facts: &Facts, run: RunId) -> Option<Sweep> {
    let runs = facts.runs.known()?;
    let run = runs.value.items.iter().find(|known| known.id == run)?;
    Some(sweep(&[], policy, facts, run, &runs.source))
}

fn sweep(before: &[Sweep], policy: &Policy, facts: &Facts, run: &Run, source: &Source) -> Sweep {
    let remote = facts.jobs.get(&run.id);
    let known = remote.and_then(Remote::known);
    let jobs_source = known.map(|got| got.source.clone());
    let is_same = |before: &Sweep| {
        let told = before.jobs_source.as_ref().zip(jobs_source.as_ref());
        before.run.id == run.id && told.is_some_and(|(before, now)| before.is_same_text(now))
    };
    let kept = before.iter().find(|before| is_same(before));
    let (jobs, counts) = match (kept, known) {
        (Some(kept), _) => (Arc::clone(&kept.jobs), kept.counts),
        (None, Some(got)) => {
            let jobs = merge(&got.value.items, &policy.sweep.framework_aliases);
            let counts = Counts::of(&jobs);
            (Arc::from(jobs), counts)
        }
        (None, None) => (Arc::from([]), Counts::default()),
    };
    let complete = remote.and_then(Remote::settled).is_some_and(|got| got.value.is_complete());
    let why = match remote.and_then(Remote::trouble) {
        Some(trouble) => Some(trouble.clone()),
        None => known.and_then(|got| got.value.trouble().cloned()),
    };
    Sweep {
        source: source.clone(),
        jobs_source,
        in_pull: facts.has_commit(&run.head),
        at_head: facts.head() == Some(&run.head),
        behind: commits_after(facts, &run.head),
        standing: standing(policy, facts, run),
        counts,
        jobs,
        complete,
        why,
        run: run.clone(),
    }
}

/// How many commits of the pull request came after `sha`; `None` when it is not one of them or the list is not whole.
pub fn commits_after(facts: &Facts, sha: &Sha) -> Option<usize> {
    if facts.head() == Some(sha) {
        return Some(0);
    }
    let commits = facts.commits.value().filter(|list| list.is_complete())?;
    let at = commits.items.iter().position(|commit| &commit.sha == sha)?;
    Some(commits.items.len() - at - 1)
}

/// The sweep to cite: of a commit in the pull request, with executed benchmarks; one that is whole and all green with
/// evals if there is one, else the most advanced; a trial only where there is nothing else. Among equals the newest commit, then the newest run.
pub fn validation(sweeps: &[Sweep]) -> Option<&Sweep> {
    sweeps
        .iter()
        .filter(|sweep| sweep.in_pull == Some(true) && sweep.counts.benchmark.executed + sweep.counts.benchmark.running > 0)
        .min_by_key(|sweep| {
            let rank = match (sweep.benchmarks_green(), eval_sweep(sweeps, sweep).is_some_and(Sweep::evals_green)) {
                (true, true) => 0,
                (true, false) => 1,
                // Still on its way, and nothing lost yet.
                _ if !sweep.finished() && sweep.counts.benchmark.failed + sweep.counts.eval.failed == 0 => 2,
                _ => 3,
            };
            let trial = matches!(sweep.standing, Standing::Trial(_));
            (trial, rank, sweep.behind.unwrap_or(usize::MAX))
        })
}

/// The run whose eval lanes speak for `validation`: itself, or a run of the same commit that executed only evals.
pub fn eval_sweep<'a>(sweeps: &'a [Sweep], validation: &'a Sweep) -> Option<&'a Sweep> {
    let has_evals = |sweep: &Sweep| sweep.counts.eval.executed + sweep.counts.eval.unfinished() > 0;
    if has_evals(validation) {
        return Some(validation);
    }
    let counts = |sweep: &&Sweep| !matches!(sweep.standing, Standing::Trial(_));
    sweeps.iter().filter(counts).find(|sweep| sweep.run.head == validation.run.head && has_evals(sweep))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::ids::JobId;
    use crate::core::listing::Listing;
    use crate::core::policy::scenario;
    use crate::core::policy::tests::policy;
    use crate::core::sweep::lanes;

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn scenarios_are_counted() {
        // Benchmarks and evals as (total, executed, green, failed, cancelled, skipped, running, waiting).
        type Row = [usize; 8];
        let table: [(&str, u64, Row, Row); 6] = [
            ("2550-green", 2550, [14, 9, 9, 0, 0, 5, 0, 0], [7, 4, 4, 0, 0, 3, 0, 0]),
            ("2550-noevals", 2550, [14, 9, 9, 0, 0, 5, 0, 0], [4, 0, 0, 0, 0, 4, 0, 0]),
            ("2550-failed", 2550, [14, 5, 4, 1, 4, 5, 0, 0], [7, 0, 0, 0, 4, 3, 0, 0]),
            ("2550-running", 2550, [14, 3, 3, 0, 0, 5, 3, 3], [7, 2, 2, 0, 0, 3, 1, 1]),
            ("2550-rerun", 2550, [14, 9, 9, 0, 0, 5, 0, 0], [7, 4, 4, 0, 0, 3, 0, 0]),
            ("2159", 2159, [6, 0, 0, 0, 0, 6, 0, 0], [4, 0, 0, 0, 0, 4, 0, 0]),
        ];
        for (name, number, benchmark, eval) in table {
            let sweeps = sweeps(&policy(), &scenario::load(name, number));
            let [sweep] = sweeps.as_slice() else { panic!("{name}") };
            let row = |t: Tally| [t.total, t.executed, t.green, t.failed, t.cancelled, t.skipped, t.running, t.waiting];
            assert_eq!((row(sweep.counts.benchmark), row(sweep.counts.eval)), (benchmark, eval), "{name}");
            assert_eq!(
                (sweep.in_pull, sweep.at_head, sweep.behind, sweep.complete),
                (Some(true), true, Some(0), true),
                "{name}"
            );
            assert_eq!(sweep.executed_nothing(), name == "2159");
            assert_eq!(sweep.jobs.iter().map(|job| job.attempts.len()).max(), Some(if name == "2550-rerun" { 2 } else { 1 }));
            let counts = sweep.counts;
            assert_eq!(
                [counts.benchmark, counts.eval, counts.canary, counts.plumbing].iter().map(|tally| tally.total).sum::<usize>(),
                sweep.jobs.len()
            );
        }
    }

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn a_sweep_becomes_lanes_rows_and_columns() {
        let sweeps = sweeps(&policy(), &scenario::load("2550-green", 2550));
        let groups = lanes(&sweeps[0].jobs);
        assert_eq!(groups.iter().map(|group| group.jobs.len()).sum::<usize>(), sweeps[0].jobs.len());
        let lane = groups.iter().find(|group| group.lane == "single-node 8k1k").unwrap();
        let labels: Vec<&str> = lane.rows.iter().map(|row| row.label.as_str()).collect();
        assert_eq!(
            labels,
            ["qwen3.5 fp4 b200 sglang TP4 mtp", "qwen3.5 fp4 b200 sglang TP2 mtp", "qwen3.5 fp4 b200 sglang TP2/EP2 mtp"]
        );
        assert_eq!(lane.columns, [vec![4], vec![8], vec![16], vec![32], vec![64]]);
        assert_eq!(lane.rows.iter().map(|row| row.cells.len()).collect::<Vec<_>>(), [1, 5, 3]);
        assert!(lane.rows.iter().flat_map(|row| row.cells.values()).all(|cell| cell.outcome.green() && cell.jobs.len() == 1));
        assert_eq!((lane.tally.green, groups.last().unwrap().lane.as_str()), (9, "plumbing"));
    }

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn thousands_of_jobs_of_one_name_stay_apart() {
        let mut facts = scenario::load("2550-green", 2550);
        let Remote::Ready(got) = facts.jobs.values_mut().next().unwrap() else { panic!() };
        let job = got.value.items[5].clone();
        let many = (0..5_000).map(|n| crate::core::pull::Job { id: JobId(n), attempt: 1 + (n / 2_500) as u32, ..job.clone() });
        got.value = Listing::complete(many.collect());
        let sweeps = sweeps(&policy(), &facts);
        assert_eq!(sweeps[0].jobs.len(), 2_500);
        assert!(sweeps[0].jobs.iter().all(|job| job.ambiguous && job.attempts.len() == 2));
        let groups = lanes(&sweeps[0].jobs);
        assert_eq!(groups[0].rows[0].cells.values().map(|cell| cell.jobs.len()).sum::<usize>(), 2_500);
    }
}
