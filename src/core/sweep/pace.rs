//! How often runs that are still going are looked at again.
//! Must not know: how they are read, or what a timer is.

use super::summary::{Sweep, Tally};
use crate::core::ids::RunId;
use std::time::Duration;

/// Between two looks while jobs move.
pub const LIVELY: Duration = Duration::from_secs(30);
/// When only a few jobs are left.
const ENDING: Duration = Duration::from_secs(15);
/// The longest, when nothing moves.
const QUIET: Duration = Duration::from_secs(300);
/// The longest near the end.
const ENDING_QUIET: Duration = Duration::from_secs(60);
/// The shortest while nobody looks at the runs themselves.
const ASIDE: Duration = Duration::from_secs(120);

/// What is looked at, and how it stood last.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pace {
    seen: Vec<State>,
    /// Looks in a row that saw nothing new.
    still: u32,
}

/// How one run stood.
#[derive(Debug, Clone, PartialEq, Eq)]
struct State {
    run: RunId,
    attempt: u32,
    status: String,
    /// Jobs of every lane.
    jobs: [Tally; 4],
}

/// Who looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Eye {
    /// The runs themselves are on screen, or a program waits for them.
    On,
    /// Something else is on screen.
    #[default]
    Aside,
}

impl Pace {
    /// The runs that are still going: those of commits that have left the pull request are nobody's concern.
    pub fn going(sweeps: &[Sweep]) -> impl Iterator<Item = &Sweep> {
        sweeps.iter().filter(|sweep| sweep.in_pull != Some(false) && is_going(sweep))
    }

    /// Takes how the runs stand now, and says how long to wait before the next look; `None`: nothing is going.
    pub fn next(&mut self, sweeps: &[Sweep], eye: Eye) -> Option<Duration> {
        let mut now = Vec::new();
        let (mut left, mut wanted) = (0, 0);
        for sweep in Pace::going(sweeps) {
            let counts = &sweep.counts;
            let jobs = [counts.canary, counts.benchmark, counts.eval, counts.plumbing];
            left += jobs.iter().map(Tally::unfinished).sum::<usize>();
            wanted += jobs.iter().map(Tally::wanted).sum::<usize>();
            let run = &sweep.run;
            now.push(State { run: run.id, attempt: run.attempt, status: run.status.clone(), jobs });
        }
        if now.is_empty() {
            *self = Pace::default();
            return None;
        }
        self.still = if now == self.seen { self.still.saturating_add(1) } else { 0 };
        self.seen = now;
        // A tenth, and always the last few; without any job list the end is not in sight.
        let ending = wanted > 0 && left <= (wanted / 10).max(2);
        let (least, most) = if ending { (ENDING, ENDING_QUIET) } else { (LIVELY, QUIET) };
        let pause = least.saturating_mul(1 << self.still.min(6)).min(most);
        Some(if eye == Eye::Aside { pause.max(ASIDE) } else { pause })
    }
}

/// The run, or a job of it, will still change. A word that nobody knows, of a job or of the run's end, may stand for ever,
/// so it keeps nobody waiting once the run itself is over.
pub fn is_going(sweep: &Sweep) -> bool {
    let jobs = [sweep.counts.canary, sweep.counts.benchmark, sweep.counts.eval];
    sweep.run.status != "completed" || jobs.iter().any(|tally| tally.running + tally.waiting > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::policy::tests::policy;
    use crate::core::sample::World;
    use crate::core::sweep::sweeps;

    fn sweep(green: usize, running: usize) -> Sweep {
        let world = World { run_conclusion: None, ..World::new() };
        let mut sweep = sweeps(&policy(), &world.opened(&policy())).remove(0);
        sweep.counts = Default::default();
        sweep.counts.benchmark = Tally { total: green + running, executed: green, green, running, ..Tally::default() };
        sweep
    }

    fn over(sweep: Sweep) -> Sweep {
        let run =
            crate::core::pull::Run { status: "completed".into(), conclusion: Some("success".into()), ..sweep.run.clone() };
        Sweep { run, ..sweep }
    }

    #[test]
    fn it_slows_down_while_nothing_moves_and_wakes_when_something_does() {
        let mut pace = Pace::default();
        let mut look = |sweep: &Sweep, eye| pace.next(std::slice::from_ref(sweep), eye).map(|pause| pause.as_secs());
        let start = sweep(10, 90);
        let pauses: Vec<Option<u64>> = (0..7).map(|_| look(&start, Eye::On)).collect();
        assert_eq!(pauses, [30, 60, 120, 240, 300, 300, 300].map(Some));
        assert_eq!(look(&sweep(11, 89), Eye::On), Some(30), "a job ended");
        assert_eq!(look(&sweep(12, 88), Eye::Aside), Some(120), "nobody looks");
        assert_eq!(look(&sweep(92, 8), Eye::On), Some(15), "near the end");
        let pauses: Vec<Option<u64>> = (0..4).map(|_| look(&sweep(92, 8), Eye::On)).collect();
        assert_eq!(pauses, [30, 60, 60, 60].map(Some));
        assert_eq!(look(&over(sweep(100, 0)), Eye::On), None, "it is over");
        assert_eq!(look(&start, Eye::On), Some(30), "another begins as quick as the first");
    }

    #[test]
    fn only_runs_of_the_pull_request_are_waited_for() {
        let left = Sweep { in_pull: Some(false), ..sweep(1, 1) };
        assert_eq!(Pace::default().next(&[left, over(sweep(1, 0))], Eye::On), None);
        // A list that lags behind its run.
        assert_eq!(Pace::default().next(&[over(sweep(1, 1))], Eye::On), Some(Duration::from_secs(15)));
        let mut odd = over(sweep(1, 0));
        odd.counts.benchmark.unknown = 1;
        assert_eq!(Pace::default().next(&[odd], Eye::On), None, "an unknown word may never change");
        let strange = sweep(1, 0);
        let run = crate::core::pull::Run { status: "completed".into(), conclusion: Some("odd".into()), ..strange.run.clone() };
        assert_eq!(Pace::default().next(&[Sweep { run, ..strange }], Eye::On), None, "and neither may such an end");
        let mut bare = sweep(0, 0);
        bare.counts = Default::default();
        assert_eq!(Pace::default().next(&[bare], Eye::On), Some(LIVELY), "no job is listed yet");
    }
}
