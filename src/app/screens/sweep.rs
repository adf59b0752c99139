//! The sweep pane: runs, lanes, the matrix of each lane and its jobs, as rows that fold; or all jobs over two axes; or
//! what went wrong, by cause.
//! Must not know: colours.

pub mod order;
mod place;
mod rows;
pub mod table;
pub mod told;

use self::order::Order;
use self::place::Fold;
use self::table::Table;
use self::told::Told;
use super::Scroll;
use super::sieve::Sieve;
use crate::core::ids::{JobId, RunId};
use crate::core::sweep::matrix::{LaneGroup, lanes};
use crate::core::sweep::summary::Sweep;
use crate::core::sweep::{Asked, Causes, Course, MergedJob, Whole, causes};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// What the pane shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// Runs, lanes and jobs.
    #[default]
    List,
    /// The jobs of one commit's runs over two axes.
    Matrix,
    /// What went wrong in each run.
    Causes,
}

#[derive(Debug, Default)]
pub struct SweepScreen {
    pub scroll: Scroll,
    pub rows: Vec<SweepRow>,
    pub mode: Mode,
    pub sieve: Sieve,
    pub order_by: Order,
    pub table: Table,
    /// Lanes per run, in the order of the job list.
    pub groups: HashMap<RunId, Vec<LaneGroup>>,
    /// What went wrong, per run.
    pub causes: HashMap<RunId, Causes>,
    /// What the logs of failed jobs say.
    pub(in crate::app) told: HashMap<JobId, Told>,
    /// When the lanes of each run ended.
    pub courses: HashMap<RunId, Course>,
    /// The runs of each commit taken together, newest first.
    pub wholes: Vec<Whole>,
    /// Jobs that the filter keeps, and all that there are.
    pub kept: (usize, usize),
    /// The filter that stood before a cell of the matrix was opened.
    before_cell: Option<Sieve>,
    /// The runs in the order of the rows' indices, and the jobs that the groups were made from.
    order: Vec<RunId>,
    grouped: HashMap<RunId, Arc<[MergedJob]>>,
    /// What the reviewer folded or unfolded, against what it is by default.
    toggled: HashSet<Fold>,
    /// The same while a filter is set.
    sifted: HashSet<Fold>,
}

/// One row of the pane; indices into [`crate::core::conclusions::Conclusions::sweeps`], [`SweepScreen::groups`] and
/// [`SweepScreen::causes`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SweepRow {
    Run {
        sweep: usize,
        open: bool,
    },
    /// What is to be known of the run above.
    About {
        sweep: usize,
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
    /// One attempt of the job above.
    Attempt {
        sweep: usize,
        job: usize,
        attempt: usize,
    },
    /// Over the jobs that went wrong alike.
    Cause {
        sweep: usize,
        cause: usize,
        open: bool,
    },
    /// How many jobs the failure above took with it.
    Took {
        sweep: usize,
        job: usize,
        jobs: usize,
        open: bool,
    },
    /// Over the jobs that passed in a later attempt.
    Flaky {
        sweep: usize,
        jobs: usize,
        open: bool,
    },
    /// Nothing went wrong in this run.
    Unharmed {
        sweep: usize,
    },
    /// A row of [`Table`]; `sweep` is the newest of its runs.
    Cells {
        sweep: usize,
        row: usize,
    },
}

impl SweepRow {
    pub fn sweep(&self) -> usize {
        match self {
            SweepRow::Run { sweep, .. }
            | SweepRow::About { sweep }
            | SweepRow::Lane { sweep, .. }
            | SweepRow::Scale { sweep, .. }
            | SweepRow::Matrix { sweep, .. }
            | SweepRow::Job { sweep, .. }
            | SweepRow::Attempt { sweep, .. }
            | SweepRow::Cause { sweep, .. }
            | SweepRow::Took { sweep, .. }
            | SweepRow::Flaky { sweep, .. }
            | SweepRow::Unharmed { sweep }
            | SweepRow::Cells { sweep, .. } => *sweep,
        }
    }

    /// The job that the row is, or is an attempt of.
    pub fn job(&self) -> Option<usize> {
        match self {
            SweepRow::Job { job, .. } | SweepRow::Attempt { job, .. } => Some(*job),
            _ => None,
        }
    }

    /// The execution that the row shows: of a job the last one.
    pub fn execution(&self, sweep: &Sweep) -> Option<JobId> {
        let job = sweep.jobs.get(self.job()?)?;
        match self {
            SweepRow::Attempt { attempt, .. } => Some(job.attempts.get(*attempt)?.id),
            _ => Some(job.job.id),
        }
    }
}

impl SweepScreen {
    /// Rows between the title and the list.
    pub fn head_rows(&self) -> u16 {
        if self.mode == Mode::Matrix { 2 } else { 0 }
    }

    /// Makes the rows anew after sweeps or folds changed. `open` is the run that is unfolded by default.
    pub(in crate::app) fn sync(&mut self, sweeps: &[Sweep], open: Option<usize>) {
        let here = self.place();
        let (mut groups, mut found) = (std::mem::take(&mut self.groups), std::mem::take(&mut self.causes));
        for sweep in sweeps {
            let id = sweep.run.id;
            let same = self.grouped.get(&id).is_some_and(|jobs| Arc::ptr_eq(jobs, &sweep.jobs));
            self.groups.insert(id, groups.remove(&id).filter(|_| same).unwrap_or_else(|| lanes(&sweep.jobs)));
            let known = found.remove(&id).filter(|_| same);
            let known = known.unwrap_or_else(|| causes(&sweep.jobs, |job| self.reason(job)));
            self.causes.insert(id, known);
            if !same || !self.courses.contains_key(&id) {
                self.courses.insert(id, Course::of(sweep));
            }
        }
        self.courses.retain(|run, _| self.groups.contains_key(run));
        self.order = sweeps.iter().map(|sweep| sweep.run.id).collect();
        self.grouped = sweeps.iter().map(|sweep| (sweep.run.id, Arc::clone(&sweep.jobs))).collect();
        self.wholes = Whole::all(sweeps);
        self.layout(sweeps, open);
        self.stay(here);
    }

    /// Which jobs of a run the filter keeps; `None`: all.
    fn sifted_jobs(&self, sweep: &Sweep) -> Option<Vec<bool>> {
        if self.sieve.is_open() {
            return None;
        }
        let newest = sweep.jobs.iter().map(|job| job.job.attempt).max().unwrap_or(1);
        let roots = self.causes.get(&sweep.run.id).map(|causes| &causes.roots);
        let root = |at: usize| roots.is_some_and(|roots| roots.contains(&at));
        let asked = |(at, job)| Asked { job, newest, root: root(at), head: Some(&sweep.run.head) };
        Some(sweep.jobs.iter().enumerate().map(|pair| self.sieve.keeps(&asked(pair))).collect())
    }

    pub(in crate::app) fn sift(&mut self, sieve: Sieve, sweeps: &[Sweep], open: Option<usize>) {
        let here = self.place();
        self.sieve = sieve;
        self.sifted.clear();
        self.before_cell = None;
        self.layout(sweeps, open);
        self.stay(here);
    }

    /// Sorts the jobs of each lane another way.
    pub(in crate::app) fn sort(&mut self, times: i64, sweeps: &[Sweep], open: Option<usize>) {
        let here = self.place();
        (0..times).for_each(|_| self.order_by = self.order_by.next());
        self.layout(sweeps, open);
        self.stay(here);
    }

    /// Shows the next thing: list, matrix, causes.
    pub(in crate::app) fn turn(&mut self, sweeps: &[Sweep], open: Option<usize>) {
        let here = self.scroll.cursor;
        self.mode = match self.mode {
            Mode::List => {
                self.table.head = self.rows.get(here).and_then(|row| Some(sweeps.get(row.sweep())?.run.head.clone()));
                Mode::Matrix
            }
            Mode::Matrix => Mode::Causes,
            Mode::Causes => Mode::List,
        };
        self.scroll = Scroll::default();
        self.layout(sweeps, open);
    }

    /// Shows the list, of everything: some other pane leads to one of its rows.
    pub(in crate::app) fn show_all(&mut self, sweeps: &[Sweep], open: Option<usize>) {
        if self.mode != Mode::List || !self.sieve.is_open() {
            (self.mode, self.sieve) = (Mode::List, Sieve::default());
            self.before_cell = None;
            self.layout(sweeps, open);
        }
    }

    /// Unfolds the run and the lane of a job.
    pub(in crate::app) fn unfold(&mut self, sweeps: &[Sweep], open: Option<usize>, run: RunId, job: JobId) {
        self.show_all(sweeps, open);
        let Some(at) = sweeps.iter().position(|sweep| sweep.run.id == run) else { return };
        let is_job = |index: &usize| sweeps[at].jobs.get(*index).is_some_and(|merged| merged.job.id == job);
        let lane = self.groups.get(&run).and_then(|groups| groups.iter().find(|group| group.jobs.iter().any(is_job)));
        let Some(lane) = lane.map(|group| group.lane.clone()) else { return };
        let runs = |row: &SweepRow| matches!(row, SweepRow::Run { sweep, open: false } if *sweep == at);
        if self.rows.iter().any(runs) {
            self.toggle_fold(Fold::Run(run));
            self.layout(sweeps, open);
        }
        let folded = self.rows.iter().any(|row| match row {
            SweepRow::Lane { sweep, lane: index, open: false } if *sweep == at => {
                self.groups.get(&run).and_then(|groups| groups.get(*index)).is_some_and(|group| group.lane == lane)
            }
            _ => false,
        });
        if folded {
            self.toggle_fold(Fold::Lane(run, lane));
            self.layout(sweeps, open);
        }
    }

    fn folds(&self) -> &HashSet<Fold> {
        if self.sieve.is_open() { &self.toggled } else { &self.sifted }
    }

    fn toggle_fold(&mut self, fold: Fold) {
        let folds = if self.sieve.is_open() { &mut self.toggled } else { &mut self.sifted };
        if !folds.remove(&fold) {
            folds.insert(fold);
        }
    }

    /// Opens what the cursor is on: the attempts of a job, the jobs of a cell; folds or unfolds a run, a lane or a cause.
    /// `false`: a cell without jobs.
    pub(in crate::app) fn toggle(&mut self, sweeps: &[Sweep], open: Option<usize>) -> bool {
        if self.mode == Mode::Matrix {
            return self.open_cell(sweeps, open);
        }
        // A row that does not fold belongs to the one above that does.
        let above = self.rows.iter().take(self.scroll.cursor + 1).rposition(|row| self.fold(row).is_some());
        let Some((at, fold)) = above.and_then(|at| Some((at, self.fold(&self.rows[at])?))) else { return true };
        self.toggle_fold(fold);
        self.layout(sweeps, open);
        self.scroll.cursor = at;
        true
    }
}
