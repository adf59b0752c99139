//! The jobs of one commit's runs over two axes, with a cursor that stands on a cell.
//! Must not know: how wide a column is drawn.

use super::{Mode, SweepRow, SweepScreen};
use crate::app::screens::Scroll;
use crate::app::screens::sieve::Sieve;
use crate::core::ids::Sha;
use crate::core::sweep::summary::Sweep;
use crate::core::sweep::{Axis, GRAMMAR, MergedJob, Pivot, Whole};

#[derive(Debug, Default)]
pub struct Table {
    pub pivot: Option<Pivot>,
    /// The column that the cursor is in.
    pub column: usize,
    /// Its label, where the reviewer went there.
    label: Option<String>,
    /// Whose runs; those of the newest commit where it has none.
    pub(super) head: Option<Sha>,
    /// What the reviewer chose for rows and columns.
    axes: (Option<Axis>, Option<Axis>),
    /// What can be chosen.
    choice: Vec<Axis>,
}

impl Table {
    /// The runs that are laid out.
    pub fn whole<'a>(&self, wholes: &'a [Whole]) -> Option<&'a Whole> {
        wholes.iter().find(|whole| Some(&whole.head) == self.head.as_ref()).or(wholes.first())
    }

    pub(super) fn layout(&mut self, sweeps: &[Sweep], wholes: &[Whole], kept: &[Option<Vec<bool>>]) -> Vec<SweepRow> {
        self.pivot = None;
        let Some(whole) = self.whole(wholes) else { return Vec::new() };
        let stays = |sweep: usize, job: usize| match kept.get(sweep) {
            Some(Some(kept)) => kept.get(job) == Some(&true),
            _ => true,
        };
        let of = |&run: &usize| {
            let jobs = sweeps.get(run).map(|sweep| &*sweep.jobs).unwrap_or_default();
            jobs.iter().enumerate().filter(move |(job, _)| stays(run, *job)).map(|(_, job)| job)
        };
        let jobs: Vec<&MergedJob> = whole.runs.iter().flat_map(of).collect();
        // What can be chosen does not change while a filter is typed.
        let every = whole.runs.iter().filter_map(|run| sweeps.get(*run)).flat_map(|sweep| sweep.jobs.iter());
        self.choice = Axis::all(every);
        let chosen = |axis: Option<Axis>| axis.filter(|axis| self.choice.contains(axis));
        let (rows, columns) = match self.choice.as_slice() {
            [] => return Vec::new(),
            [one] => (*one, *one),
            [Axis::Part(_), ..] => (self.choice[0], self.choice[1]),
            _ => (Axis::Parallelism, Axis::Concurrency),
        };
        let axes = (chosen(self.axes.0).unwrap_or(rows), chosen(self.axes.1).unwrap_or(columns));
        let pivot = Pivot::of(jobs.into_iter(), axes);
        // The cursor stays in its column, wherever that is now.
        let same = self.label.as_ref().and_then(|label| pivot.columns.iter().position(|column| column == label));
        self.column = same.unwrap_or(self.column).min(pivot.columns.len().saturating_sub(1));
        let sweep = whole.runs.first().copied().unwrap_or(0);
        let rows = (0..pivot.rows.len()).map(|row| SweepRow::Cells { sweep, row }).collect();
        self.pivot = Some(pivot);
        rows
    }
}

impl SweepScreen {
    /// Takes the next axis for the rows, or for the columns.
    pub(in crate::app) fn turn_axis(&mut self, rows: bool, by: i64, sweeps: &[Sweep], open: Option<usize>) {
        let Some(axes) = self.table.pivot.as_ref().map(|pivot| pivot.axes) else { return };
        let here = if rows { axes.0 } else { axes.1 };
        let len = self.table.choice.len();
        let at = self.table.choice.iter().position(|axis| *axis == here).unwrap_or(0);
        let next = (at as i64).saturating_add(by).rem_euclid(len.max(1) as i64) as usize;
        let slot = if rows { &mut self.table.axes.0 } else { &mut self.table.axes.1 };
        *slot = self.table.choice.get(next).copied();
        if rows {
            self.scroll = Scroll::default();
        } else {
            (self.table.column, self.table.label) = (0, None);
        }
        self.layout(sweeps, open);
    }

    pub(in crate::app) fn step_cell(&mut self, by: i64) {
        let Table { pivot, column, label, .. } = &mut self.table;
        let columns = pivot.as_ref().map(|pivot| pivot.columns.as_slice()).unwrap_or_default();
        let last = columns.len().saturating_sub(1);
        *column = (*column as i64).saturating_add(by).clamp(0, last as i64) as usize;
        *label = columns.get(*column).cloned();
    }

    /// Lists the jobs of the cell under the cursor; `false`: it has none.
    pub(super) fn open_cell(&mut self, sweeps: &[Sweep], open: Option<usize>) -> bool {
        let Some(SweepRow::Cells { row, .. }) = self.rows.get(self.scroll.cursor) else { return false };
        let Some(mut text) = self.table.pivot.as_ref().and_then(|pivot| pivot.filter(*row, self.table.column)) else {
            return false;
        };
        if let Some(whole) = self.table.whole(&self.wholes).filter(|_| self.wholes.len() > 1) {
            text = format!("head:{} {text}", whole.head);
        }
        // First, since a quote in the filter may be open.
        let text = format!("{text} {}", self.sieve.text);
        // Every cell can be asked for: `core::sweep::cells` tests it.
        let Ok(sieve) = Sieve::parse(&text, GRAMMAR) else { return false };
        let before = self.sieve.clone();
        self.mode = Mode::List;
        self.scroll = Scroll::default();
        self.sift(sieve, sweeps, open);
        self.before_cell = Some(before);
        self.scroll.cursor = self.rows.iter().position(|row| row.job().is_some()).unwrap_or(0);
        true
    }

    /// Goes back to the matrix whose cell is listed; `false`: none is.
    pub(in crate::app) fn close_cell(&mut self, sweeps: &[Sweep], open: Option<usize>) -> bool {
        let Some(before) = self.before_cell.take() else { return false };
        self.mode = Mode::Matrix;
        self.scroll = Scroll::default();
        self.sift(before, sweeps, open);
        true
    }
}
