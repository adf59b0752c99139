//! How long a run waited and will still take, the latter by what earlier runs took for the same lanes.
//! Must not know: the clock, or how often anybody looks.

use super::attempts::MergedJob;
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

/// How far the lanes of a run are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Course {
    run: RunId,
    start: Option<Time>,
    /// Of those that were not skipped, when each ended, counted from the start of the first job; `None` for what was not,
    /// or not wholly, executed.
    ends: BTreeMap<String, Option<TimeDelta>>,
    /// All that are listed, and whether a job of them will still change.
    open: BTreeMap<String, bool>,
}

impl Course {
    pub fn of(sweep: &Sweep) -> Course {
        let ran = |job: &&MergedJob| job.outcome.executed() || job.outcome == super::Outcome::InProgress;
        let start = sweep.jobs.iter().filter(ran).filter_map(|job| job.job.started_at).min();
        let (mut ends, mut open) = (BTreeMap::new(), BTreeMap::new());
        for job in sweep.jobs.iter() {
            let lane = &job.name.lane;
            *open.entry(lane.clone()).or_default() |= !job.outcome.finished();
            if job.outcome == super::Outcome::Skipped {
                continue;
            }
            let end = job.job.completed_at.filter(|_| job.outcome.executed()).zip(start).map(|(end, start)| end - start);
            ends.entry(lane.clone())
                .and_modify(|so_far: &mut Option<TimeDelta>| *so_far = so_far.zip(end).map(|(a, b)| a.max(b)))
                .or_insert(end);
        }
        Course { run: sweep.run.id, start, ends, open }
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
/// same lanes says nothing. `None`: it, or every lane of it, is over.
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
    let Some(start) = course.start else { return Some(Remaining::NotStarted) };
    let open: Vec<&String> = course.open.iter().filter(|(_, open)| **open).map(|(lane, _)| lane).collect();
    let (mut spans, mut is_ahead) = (Vec::new(), !open.is_empty());
    for other in earlier.filter(|other| other.run != course.run) {
        // Lanes wait for each other: one that is not listed yet is still to come.
        let ahead = other.ends.iter().filter(|(lane, _)| course.open.get(*lane) != Some(&false));
        let ahead: Vec<Option<TimeDelta>> = ahead.map(|(_, end)| *end).collect();
        is_ahead |= !ahead.is_empty();
        if open.iter().all(|lane| other.ends.contains_key(*lane)) {
            spans.extend(ahead.into_iter().collect::<Option<Vec<_>>>().and_then(|ends| ends.into_iter().max()));
        }
    }
    if !is_ahead && !course.open.is_empty() {
        return None;
    }
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

    /// The same run with these jobs: id, name, word, the minutes after eight in which it ended.
    fn with(sweep: &Sweep, jobs: &[(u64, &str, Option<&str>, Option<i64>)]) -> Sweep {
        let begun = at("2026-08-11T08:00:00Z");
        let made = |(id, name, word, minutes): &(u64, &str, Option<&str>, Option<i64>)| {
            let completed_at = minutes.map(|minutes| begun + TimeDelta::minutes(minutes));
            Job { completed_at, ..job(*id, 1, name, *word) }
        };
        let jobs: Vec<Job> = jobs.iter().map(made).collect();
        Sweep { jobs: merge(&jobs, &Default::default()).into(), ..sweep.clone() }
    }

    #[test]
    fn what_is_not_over_yet_counts_and_nothing_else() {
        let (going, point, eval) = (run(9, None, None), format!("{POINT}4"), "eval / m fp4 b200 sgl TP2 c4 | eval-only");
        let done = |id, benchmark, eval_end, collected| {
            let jobs = [
                (1, "setup", Some("success"), Some(2)),
                (2, point.as_str(), Some("success"), Some(benchmark)),
                (3, eval, Some("success"), Some(eval_end)),
                (4, "collect-results", Some("success"), Some(collected)),
            ];
            with(&run(id, Some(1), Some(1)), &jobs)
        };
        let earlier = [done(1, 90, 60, 95), done(2, 20, 50, 55), done(3, 20, 70, 75)];
        let said = |jobs: &[(u64, &str, Option<&str>, Option<i64>)]| told(&with(&going, jobs), &earlier, 30);
        let (setup, lost) = ((1, "setup", Some("success"), Some(2)), (2, point.as_str(), Some("cancelled"), Some(20)));
        let spread = |middle: &str, ends: &str| Some(format!("about {middle} left ({ends} by 3 earlier runs)"));
        // A cancelled job is over.
        let collected = (4, "collect-results", Some("success"), Some(3));
        assert_eq!(said(&[setup, lost, collected, (3, eval, None, None)]), spread("30 m", "20 m to 40 m"));
        // Evals are not listed before the benchmarks are over.
        assert_eq!(said(&[setup, (2, &point, None, None)]), spread("45 m", "25 m to 65 m"));
        assert_eq!(said(&[(1, "setup", None, None)]), spread("45 m", "25 m to 65 m"));
        // A lane that was skipped does not come.
        assert_eq!(
            said(&[setup, lost, collected, (3, "eval /", Some("skipped"), None), (5, "x", None, None)]).unwrap(),
            "time left not known: no earlier run finished these lanes"
        );
        assert_eq!(
            said(&[setup, lost, (3, eval, Some("success"), Some(25)), (4, "collect-results", None, None)]),
            spread("45 m", "25 m to 65 m")
        );
        // Everything is over but the run's own word.
        assert_eq!(said(&[setup, lost, (3, eval, Some("success"), Some(25)), collected]), None);
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
