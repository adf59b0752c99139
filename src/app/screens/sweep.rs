//! The sweep pane: runs, lanes, the matrix of each lane and its jobs, as rows that fold.
//! Must not know: colours.

use super::Scroll;
use crate::core::ids::{JobId, RunId};
use crate::core::sweep::MergedJob;
use crate::core::sweep::matrix::{LaneGroup, lanes};
use crate::core::sweep::names::LaneKind;
use crate::core::sweep::summary::Sweep;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A lane of more jobs than this starts folded: its matrix tells the states.
const UNFOLDED_JOBS: usize = 24;

#[derive(Debug, Default)]
pub struct SweepScreen {
    pub scroll: Scroll,
    pub rows: Vec<SweepRow>,
    /// Lanes per run, in the order of the job list.
    pub groups: HashMap<RunId, Vec<LaneGroup>>,
    /// The jobs that the groups were made from.
    grouped: HashMap<RunId, Arc<[MergedJob]>>,
    /// Runs and lanes whose fold the reviewer changed.
    toggled: HashSet<(RunId, Option<String>)>,
}

/// One row of the pane; indices into [`crate::core::conclusions::Conclusions::sweeps`] and [`SweepScreen::groups`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SweepRow {
    Run {
        sweep: usize,
        open: bool,
    },
    Lane {
        sweep: usize,
        lane: usize,
        open: bool,
    },
    /// The concurrencies over the columns.
    Scale {
        sweep: usize,
        lane: usize,
    },
    Matrix {
        sweep: usize,
        lane: usize,
        row: usize,
    },
    Job {
        sweep: usize,
        job: usize,
    },
}

impl SweepRow {
    pub fn sweep(&self) -> usize {
        match self {
            SweepRow::Run { sweep, .. }
            | SweepRow::Lane { sweep, .. }
            | SweepRow::Scale { sweep, .. }
            | SweepRow::Matrix { sweep, .. }
            | SweepRow::Job { sweep, .. } => *sweep,
        }
    }
}

impl SweepScreen {
    /// Makes the rows anew after sweeps or folds changed. `open` is the run that is unfolded by default.
    pub(in crate::app) fn sync(&mut self, sweeps: &[Sweep], open: Option<usize>) {
        let mut before = std::mem::take(&mut self.groups);
        let mut groups = |sweep: &Sweep| {
            let same = self.grouped.get(&sweep.run.id).is_some_and(|jobs| Arc::ptr_eq(jobs, &sweep.jobs));
            before.remove(&sweep.run.id).filter(|_| same).unwrap_or_else(|| lanes(&sweep.jobs))
        };
        self.groups = sweeps.iter().map(|sweep| (sweep.run.id, groups(sweep))).collect();
        self.grouped = sweeps.iter().map(|sweep| (sweep.run.id, Arc::clone(&sweep.jobs))).collect();
        self.layout(sweeps, open);
    }

    fn layout(&mut self, sweeps: &[Sweep], open: Option<usize>) {
        self.rows.clear();
        for (at, sweep) in sweeps.iter().enumerate() {
            let id = sweep.run.id;
            let is_open = (open.unwrap_or(0) == at) != self.toggled.contains(&(id, None));
            self.rows.push(SweepRow::Run { sweep: at, open: is_open });
            if !is_open {
                continue;
            }
            for (lane, group) in self.groups.get(&id).map(Vec::as_slice).unwrap_or_default().iter().enumerate() {
                let executed_something = group.tally.total > group.tally.skipped;
                let by_default = group.kind != LaneKind::Plumbing && executed_something && group.jobs.len() <= UNFOLDED_JOBS;
                let is_open = by_default != self.toggled.contains(&(id, Some(group.lane.clone())));
                self.rows.push(SweepRow::Lane { sweep: at, lane, open: is_open });
                if !group.rows.is_empty() && executed_something {
                    self.rows.push(SweepRow::Scale { sweep: at, lane });
                    self.rows.extend((0..group.rows.len()).map(|row| SweepRow::Matrix { sweep: at, lane, row }));
                }
                if is_open {
                    self.rows.extend(group.jobs.iter().map(|&job| SweepRow::Job { sweep: at, job }));
                }
            }
        }
    }

    /// Unfolds the run and the lane of a job.
    pub(in crate::app) fn unfold(&mut self, sweeps: &[Sweep], open: Option<usize>, run: RunId, job: JobId) {
        let Some(at) = sweeps.iter().position(|sweep| sweep.run.id == run) else { return };
        let is_job = |index: &usize| sweeps[at].jobs.get(*index).is_some_and(|merged| merged.job.id == job);
        let lane = self.groups.get(&run).and_then(|groups| groups.iter().find(|group| group.jobs.iter().any(is_job)));
        let Some(lane) = lane.map(|group| group.lane.clone()) else { return };
        let runs = |row: &SweepRow| matches!(row, SweepRow::Run { sweep, open: false } if *sweep == at);
        if self.rows.iter().any(runs) {
            self.toggle_key((run, None));
            self.layout(sweeps, open);
        }
        let folded = self.rows.iter().any(|row| match row {
            SweepRow::Lane { sweep, lane: index, open: false } if *sweep == at => {
                self.groups.get(&run).and_then(|groups| groups.get(*index)).is_some_and(|group| group.lane == lane)
            }
            _ => false,
        });
        if folded {
            self.toggle_key((run, Some(lane)));
            self.layout(sweeps, open);
        }
    }

    fn toggle_key(&mut self, key: (RunId, Option<String>)) {
        if !self.toggled.remove(&key) {
            self.toggled.insert(key);
        }
    }

    /// Folds or unfolds the run or lane that the cursor is in.
    pub(in crate::app) fn toggle(&mut self, sweeps: &[Sweep], open: Option<usize>) {
        let above = self
            .rows
            .iter()
            .take(self.scroll.cursor + 1)
            .rposition(|row| matches!(row, SweepRow::Run { .. } | SweepRow::Lane { .. }));
        let Some(at) = above else { return };
        let key = match &self.rows[at] {
            SweepRow::Lane { sweep, lane, .. } => {
                let Some(run) = sweeps.get(*sweep).map(|sweep| sweep.run.id) else { return };
                let Some(group) = self.groups.get(&run).and_then(|groups| groups.get(*lane)) else { return };
                (run, Some(group.lane.clone()))
            }
            row => {
                let Some(run) = sweeps.get(row.sweep()).map(|sweep| sweep.run.id) else { return };
                (run, None)
            }
        };
        self.toggle_key(key);
        self.layout(sweeps, open);
        self.scroll.cursor = at;
    }
}
