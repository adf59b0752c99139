//! Which jobs of a run carry a job that the configs call for: a name tells the lane and the axes, never the config.
//! Must not know: which runs count, what a job's end amounts to.

use crate::core::axes::Axes;
use crate::core::configs::Job;
use crate::core::sweep::{LaneKind, MergedJob, Outcome};
use std::collections::HashMap;

/// The jobs of a run, to be found by their axes.
#[derive(Debug, Clone, Default)]
pub struct Places<'j> {
    jobs: Vec<&'j MergedJob>,
    at: HashMap<Drawer<'j>, Vec<usize>>,
    /// Bare lanes: of a lane that was skipped the name alone is listed.
    lanes: HashMap<&'j str, usize>,
    /// By lane, jobs that ran or will run, and whose names cannot be read: each may be any job of its lane.
    unread: HashMap<&'j str, usize>,
}

/// What few jobs of a run have in common: a run's thousands are put away at each review, and all of their axes take
/// longer to hash than the few in a drawer to compare.
type Drawer<'j> = (&'j str, &'j str, u32, Option<u32>);

fn drawer(axes: &Axes) -> Drawer<'_> {
    (&axes.model, &axes.runner, axes.parallel.tp, axes.conc.values().first().copied())
}

impl<'j> Places<'j> {
    pub fn of(jobs: impl IntoIterator<Item = &'j MergedJob>) -> Places<'j> {
        let mut out = Places { jobs: jobs.into_iter().collect(), ..Places::default() };
        for (at, job) in out.jobs.iter().enumerate() {
            match &job.name.axes {
                Some(axes) => out.at.entry(drawer(axes)).or_default().push(at),
                None if job.name.identity == job.name.lane => {
                    out.lanes.entry(&job.name.lane).or_insert(at);
                }
                None if job.outcome != Outcome::Skipped => {
                    out.unread.entry(&job.name.lane).or_insert(at);
                }
                None => {}
            }
        }
        out
    }

    /// All of them, in the run's order.
    pub fn jobs(&self) -> &[&'j MergedJob] {
        &self.jobs
    }

    /// The jobs whose names say what `asked` says, with their place among [`Places::jobs`].
    pub fn matching(&self, asked: &Job<'_>) -> Vec<(usize, &'j MergedJob)> {
        let (axes, lane) = (asked.axes(), asked.lane());
        let is = |found: &MergedJob| match found.name.kind {
            LaneKind::Eval => asked.eval.is_some(),
            LaneKind::Benchmark => asked.eval.is_none() && found.name.lane == lane || found.name.combined,
            LaneKind::Canary => asked.eval.is_none(),
            LaneKind::Plumbing => false,
        };
        let places = self.at.get(&drawer(&axes)).into_iter().flatten();
        let found = places.filter_map(|&at| Some((at, *self.jobs.get(at)?)));
        found.filter(|(_, found)| found.name.axes.as_ref() == Some(&axes) && is(found)).collect()
    }

    /// The bare lane that such a job would stand in.
    pub fn lane_of(&self, asked: &Job<'_>) -> Option<&'j MergedJob> {
        self.jobs.get(*self.lanes.get(asked.lane().as_str())?).copied()
    }

    /// A job of its lane whose name cannot be read: it may be this one.
    pub fn unread_of(&self, asked: &Job<'_>) -> Option<&'j MergedJob> {
        self.jobs.get(*self.unread.get(asked.lane().as_str())?).copied()
    }
}
