//! How long a run waited and will still take, the latter by what earlier runs took for the same lanes.
//! Must not know: the clock, or how often anybody looks.

use super::attempts::MergedJob;
use super::names::LaneKind;
use super::pace::is_going;
use super::summary::Sweep;
use crate::core::ids::RunId;
use crate::core::time::{Time, render_span};
use chrono::TimeDelta;
use std::collections::BTreeMap;
use std::fmt;

/// Fewer earlier runs than these tell nothing of a spread.
const ENOUGH: usize = 3;

/// What earlier runs say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remaining {
    /// So long, by so many runs: half of them took no longer than the middle.
    About { least: TimeDelta, middle: TimeDelta, most: TimeDelta, runs: usize },
    /// It has taken longer than any of so many runs.
    Overdue { runs: usize },
    /// Only so many earlier runs finished the same lanes.
    TooFew { runs: usize },
    /// Only some jobs run again, and no earlier run is like that.
    Rerun,
    /// No job has started.
    NotStarted,
}

impl fmt::Display for Remaining {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let span = |span: &TimeDelta| render_span(span.num_seconds().max(5));
        match self {
            Remaining::About { least, middle, most, runs } => {
                write!(f, "about {} left ({} to {} by {runs} earlier runs)", span(middle), span(least), span(most))
            }
            Remaining::Overdue { runs } => write!(f, "longer already than any of {runs} earlier runs"),
            Remaining::TooFew { runs: 0 } => f.write_str("time left not known: no earlier run finished these lanes"),
            Remaining::TooFew { runs } => write!(f, "time left not known: only {runs} of {ENOUGH} earlier runs to judge by"),
            Remaining::Rerun => f.write_str("time left not known: a re-run repeats only some jobs"),
            Remaining::NotStarted => f.write_str("time left not known: no job has started"),
        }
    }
}

/// When each lane of a run ended, counted from the start of its first job; `None` for lanes that are not, or not wholly,
/// executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Course {
    run: RunId,
    start: Option<Time>,
    lanes: BTreeMap<String, Option<TimeDelta>>,
}

impl Course {
    pub fn of(sweep: &Sweep) -> Course {
        let ran = |job: &&MergedJob| job.outcome.executed() || job.outcome == super::Outcome::InProgress;
        let start = sweep.jobs.iter().filter(ran).filter_map(|job| job.job.started_at).min();
        let mut lanes: BTreeMap<String, Option<TimeDelta>> = BTreeMap::new();
        for job in sweep
            .jobs
            .iter()
            .filter(|job| job.name.kind != LaneKind::Plumbing && !matches!(job.outcome, super::Outcome::Skipped))
        {
            let end = job.job.completed_at.filter(|_| job.outcome.executed()).zip(start).map(|(end, start)| end - start);
            lanes
                .entry(job.name.lane.clone())
                .and_modify(|so_far| *so_far = so_far.zip(end).map(|(a, b)| a.max(b)))
                .or_insert(end);
        }
        Course { run: sweep.run.id, start, lanes }
    }

    /// How long the run waited from its making to the start of its first job; of one that still waits, until now. `None`
    /// where GitHub tells no such time, and for a run that was started again: its jobs say nothing of the first wait.
    pub fn queued(&self, sweep: &Sweep, now: Time) -> Option<TimeDelta> {
        let made = sweep.run.created_at.filter(|_| sweep.run.attempt < 2)?;
        let waits = sweep.complete && !sweep.outcome().finished();
        self.start.or(waits.then_some(now)).map(|end| (end - made).max(TimeDelta::zero()))
    }
}

/// How long a run that is going will still take. `earlier` are the courses of other runs; one that did not finish the
/// same lanes says nothing. `None`: it is over.
pub fn remaining<'a>(
    sweep: &Sweep,
    course: &Course,
    earlier: impl Iterator<Item = &'a Course>,
    now: Time,
) -> Option<Remaining> {
    if !is_going(sweep) {
        return None;
    }
    if sweep.run.attempt > 1 {
        return Some(Remaining::Rerun);
    }
    let open: Vec<&String> = course.lanes.iter().filter(|(_, end)| end.is_none()).map(|(lane, _)| lane).collect();
    let Some(start) = course.start else { return Some(Remaining::NotStarted) };
    let whole = |other: &Course| {
        open.iter().map(|lane| other.lanes.get(*lane).copied().flatten()).collect::<Option<Vec<_>>>()?.into_iter().max()
    };
    let mut spans: Vec<TimeDelta> = earlier.filter(|other| other.run != course.run).filter_map(whole).collect();
    let runs = spans.len();
    if runs < ENOUGH {
        return Some(Remaining::TooFew { runs });
    }
    spans.sort_unstable();
    let left = |span: TimeDelta| (span - (now - start)).max(TimeDelta::zero());
    let (least, middle, most) = (left(spans[0]), left(spans[(runs - 1) / 2]), left(spans[runs - 1]));
    Some(if most.is_zero() { Remaining::Overdue { runs } } else { Remaining::About { least, middle, most, runs } })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::policy::tests::policy;
    use crate::core::pull::{Job, Run};
    use crate::core::sample::{World, at, job};
    use crate::core::sweep::{merge, sweeps};

    const POINT: &str = "single-node 8k1k / m fp4 b200 sgl TP2 c";

    /// A run whose two lanes end so many minutes after eight; `None`: still running.
    fn run(id: u64, benchmark: Option<i64>, eval: Option<i64>) -> Sweep {
        let world = World::new();
        let sweep = sweeps(&policy(), &world.opened(&policy())).remove(0);
        let begun = at("2026-08-11T08:00:00Z");
        let ended = |id, name: &str, minutes: Option<i64>| {
            let completed_at = minutes.map(|minutes| begun + TimeDelta::minutes(minutes));
            Job { completed_at, ..job(id, 1, name, minutes.map(|_| "success")) }
        };
        let jobs = [ended(1, &format!("{POINT}4"), benchmark), ended(2, "eval / m fp4 b200 sgl TP2 c4 | eval-only", eval)];
        let is_over = benchmark.is_some() && eval.is_some();
        let (status, conclusion) = if is_over { ("completed", Some("success".to_owned())) } else { ("in_progress", None) };
        let run = Run { id: RunId(id), status: status.into(), conclusion, ..sweep.run.clone() };
        Sweep { run, jobs: merge(&jobs, &Default::default()).into(), counts: Default::default(), ..sweep }
    }

    fn told(sweep: &Sweep, earlier: &[Sweep], minute: i64) -> Option<String> {
        let courses: Vec<Course> = earlier.iter().map(Course::of).collect();
        let now = at("2026-08-11T08:00:00Z") + TimeDelta::minutes(minute);
        remaining(sweep, &Course::of(sweep), courses.iter(), now).map(|remaining| remaining.to_string())
    }

    #[test]
    fn earlier_runs_of_the_same_lanes_tell_what_is_left() {
        let going = run(9, Some(20), None);
        let earlier = [run(1, Some(20), Some(60)), run(2, Some(99), Some(50)), run(3, Some(20), Some(90))];
        let said = |minute| told(&going, &earlier, minute).unwrap();
        assert_eq!(said(30), "about 30 m left (20 m to 60 m by 3 earlier runs)", "of lanes that are over nothing counts");
        assert_eq!(said(70), "about 5 s left (5 s to 20 m by 3 earlier runs)");
        assert_eq!(said(91), "longer already than any of 3 earlier runs");
        // A run that did not finish the lane says nothing, and neither does the run itself.
        let unfinished = [run(1, Some(20), Some(60)), run(2, Some(20), None), going.clone()];
        assert_eq!(told(&going, &unfinished, 30).unwrap(), "time left not known: only 1 of 3 earlier runs to judge by");
        assert!(told(&going, &[], 30).unwrap().contains("no earlier run"));
        assert_eq!(told(&earlier[0], &earlier, 30), None, "it is over");
    }

    #[test]
    fn a_run_waits_until_its_first_job() {
        let sweep = run(1, Some(20), Some(60));
        let now = at("2026-08-11T12:00:00Z");
        let queued = |sweep: &Sweep| Course::of(sweep).queued(sweep, now).map(|span| span.num_hours());
        assert_eq!(queued(&sweep), Some(1), "made at seven, first job at eight");
        let again = Sweep { run: Run { attempt: 2, ..sweep.run.clone() }, ..sweep.clone() };
        assert_eq!(queued(&again), None);
        let waits = Sweep { jobs: [].into(), ..run(1, None, None) };
        assert_eq!(queued(&waits), Some(5));
        let unread = Sweep { complete: false, ..waits };
        assert_eq!(queued(&unread), None, "a list that is not read says nothing of who waits");
    }

    #[test]
    fn what_no_earlier_run_is_like_is_not_guessed() {
        let earlier = [run(1, Some(2), Some(6)), run(2, Some(9), Some(5)), run(3, Some(2), Some(9))];
        let mut again = run(9, Some(1), None);
        again.run.attempt = 2;
        assert!(told(&again, &earlier, 1).unwrap().contains("re-run"));
        let mut waits = run(9, None, None);
        waits.jobs = [].into();
        assert!(told(&waits, &earlier, 1).unwrap().contains("no job has started"));
    }
}
