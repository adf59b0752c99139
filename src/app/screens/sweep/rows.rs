//! Which rows the sweep pane has, in its list and among its causes.
//! Must not know: how a row is drawn.

use super::place::{Fold, first_id};
use super::{Mode, SweepRow, SweepScreen};
use crate::core::sweep::names::LaneKind;
use crate::core::sweep::summary::Sweep;
use crate::core::sweep::{Causes, LaneGroup};

/// A lane of more jobs than this starts folded: its matrix tells the states.
const UNFOLDED_JOBS: usize = 24;
/// More cancellations than this start folded under the failure that set them off.
const UNFOLDED_TAKEN: usize = 8;

impl SweepScreen {
    pub(super) fn layout(&mut self, sweeps: &[Sweep], open: Option<usize>) {
        let mut rows = Vec::new();
        let kept: Vec<Option<Vec<bool>>> = sweeps.iter().map(|sweep| self.sifted_jobs(sweep)).collect();
        let all: usize = sweeps.iter().map(|sweep| sweep.jobs.len()).sum();
        let count = |(sweep, kept): (&Sweep, &Option<Vec<bool>>)| match kept {
            Some(kept) => kept.iter().filter(|kept| **kept).count(),
            None => sweep.jobs.len(),
        };
        self.kept = (sweeps.iter().zip(&kept).map(count).sum(), all);
        if self.mode == Mode::Matrix {
            rows = self.table.layout(sweeps, &self.wholes, &kept);
        } else {
            for (at, (sweep, kept)) in sweeps.iter().zip(&kept).enumerate() {
                self.run_rows(&mut rows, at, sweep, kept.as_deref(), open.unwrap_or(0) == at);
            }
        }
        self.rows = rows;
    }

    /// A run and what is below it. Of a filtered list only what leads to a job is left.
    fn run_rows(&self, rows: &mut Vec<SweepRow>, at: usize, sweep: &Sweep, kept: Option<&[bool]>, by_default: bool) {
        let id = sweep.run.id;
        let stays = |job: usize| kept.is_none_or(|kept| kept.get(job) == Some(&true));
        if kept.is_some_and(|kept| !kept.contains(&true)) {
            return;
        }
        let is_open = (by_default || kept.is_some()) != self.folds().contains(&Fold::Run(id));
        rows.push(SweepRow::Run { sweep: at, open: is_open });
        if !is_open {
            return;
        }
        rows.push(SweepRow::About { sweep: at });
        if let (Mode::Causes, Some(causes)) = (self.mode, self.causes.get(&id)) {
            return self.cause_rows(rows, at, sweep, causes, &stays);
        }
        for (lane, group) in self.groups.get(&id).map(Vec::as_slice).unwrap_or_default().iter().enumerate() {
            let mut jobs: Vec<usize> = group.jobs.iter().copied().filter(|job| stays(*job)).collect();
            if jobs.is_empty() {
                continue;
            }
            let is_open = self.is_lane_open(sweep, group, kept.is_some());
            rows.push(SweepRow::Lane { sweep: at, lane, open: is_open });
            if kept.is_none() && !group.rows.is_empty() && executed_something(group) {
                rows.push(SweepRow::Scale { sweep: at, lane });
                rows.extend((0..group.rows.len()).map(|row| SweepRow::Matrix { sweep: at, lane, row }));
            }
            if is_open {
                self.order_by.sort(&mut jobs, &sweep.jobs);
                jobs.into_iter().for_each(|job| self.job_rows(rows, at, sweep, job));
            }
        }
    }

    fn is_lane_open(&self, sweep: &Sweep, group: &LaneGroup, is_sifted: bool) -> bool {
        let small = group.kind != LaneKind::Plumbing && executed_something(group) && group.jobs.len() <= UNFOLDED_JOBS;
        (small || is_sifted) != self.folds().contains(&Fold::Lane(sweep.run.id, group.lane.clone()))
    }

    fn cause_rows(&self, rows: &mut Vec<SweepRow>, at: usize, sweep: &Sweep, causes: &Causes, stays: &impl Fn(usize) -> bool) {
        let before = rows.len();
        for (cause, group) in causes.groups.iter().enumerate() {
            let below = rows.len();
            for loss in &group.losses {
                if stays(loss.job) {
                    self.job_rows(rows, at, sweep, loss.job);
                }
                let took: Vec<usize> = loss.took.iter().copied().filter(|job| stays(*job)).collect();
                let Some(first) = sweep.jobs.get(loss.job).map(first_id).filter(|_| !took.is_empty()) else { continue };
                let is_open = (took.len() <= UNFOLDED_TAKEN) != self.folds().contains(&Fold::Took(first));
                rows.push(SweepRow::Took { sweep: at, job: loss.job, jobs: took.len(), open: is_open });
                if is_open {
                    took.into_iter().for_each(|job| self.job_rows(rows, at, sweep, job));
                }
            }
            if rows.len() > below {
                let is_open = !self.folds().contains(&Fold::Cause(sweep.run.id, group.key.clone()));
                if !is_open {
                    rows.truncate(below);
                }
                rows.insert(below, SweepRow::Cause { sweep: at, cause, open: is_open });
            }
        }
        let flaky: Vec<usize> = causes.flaky.iter().copied().filter(|job| stays(*job)).collect();
        if !flaky.is_empty() {
            let is_open = !self.folds().contains(&Fold::Flaky(sweep.run.id));
            rows.push(SweepRow::Flaky { sweep: at, jobs: flaky.len(), open: is_open });
            if is_open {
                flaky.into_iter().for_each(|job| self.job_rows(rows, at, sweep, job));
            }
        }
        if rows.len() == before {
            rows.push(SweepRow::Unharmed { sweep: at });
        }
    }

    /// A job, with its attempts where they were asked for.
    fn job_rows(&self, rows: &mut Vec<SweepRow>, sweep: usize, of: &Sweep, job: usize) {
        rows.push(SweepRow::Job { sweep, job });
        let Some(merged) = of.jobs.get(job).filter(|merged| self.folds().contains(&Fold::Attempts(first_id(merged)))) else {
            return;
        };
        rows.extend((0..merged.attempts.len()).map(|attempt| SweepRow::Attempt { sweep, job, attempt }));
    }
}

fn executed_something(group: &LaneGroup) -> bool {
    group.tally.total > group.tally.skipped
}
