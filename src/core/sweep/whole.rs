//! All runs of one commit as one sweep, with the true number of its jobs.
//! Must not know: which of its runs counts.

use super::summary::{Sweep, Tally};
use crate::core::ids::Sha;

/// The runs of one commit, taken together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Whole {
    pub head: Sha,
    /// Indices into the list of sweeps, newest first.
    pub runs: Vec<usize>,
    /// Every job of every run that was read, once.
    pub tally: Tally,
    /// The job list of every run is whole.
    pub complete: bool,
}

impl Whole {
    /// In the order in which their newest runs stand in the list.
    pub fn all(sweeps: &[Sweep]) -> Vec<Whole> {
        let mut out: Vec<Whole> = Vec::new();
        for (at, sweep) in sweeps.iter().enumerate() {
            let known = out.iter().position(|whole| whole.head == sweep.run.head).unwrap_or(out.len());
            if known == out.len() {
                let head = sweep.run.head.clone();
                out.push(Whole { head, runs: Vec::new(), tally: Tally::default(), complete: true });
            }
            let Some(whole) = out.get_mut(known) else { continue };
            whole.runs.push(at);
            whole.complete &= sweep.complete;
            sweep.jobs.iter().for_each(|job| whole.tally.add(&job.outcome));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::ids::RunId;
    use crate::core::policy::tests::policy;
    use crate::core::pull::Run;
    use crate::core::sample::World;
    use crate::core::sweep::sweeps;

    #[test]
    fn runs_of_one_commit_are_one_sweep_with_every_job_counted_once() {
        let world = World::new();
        let one = sweeps(&policy(), &world.opened(&policy())).remove(0);
        let run = |id: u64, head: &str, complete: bool| {
            let run = Run { id: RunId(id), head: head.into(), ..one.run.clone() };
            Sweep { run, complete, ..one.clone() }
        };
        let wholes = Whole::all(&[run(9, "b", true), run(8, "a", true), run(7, "b", false)]);
        let told: Vec<_> = wholes.iter().map(|whole| (whole.runs.as_slice(), whole.tally.total, whole.complete)).collect();
        assert_eq!(told, [(&[0, 2][..], 2 * one.jobs.len(), false), (&[1][..], one.jobs.len(), true)]);
    }
}
