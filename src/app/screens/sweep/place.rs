//! What a row of the sweep pane is, whatever its number: for folds, and for the cursor when rows are made anew.
//! Must not know: in which order rows stand.

use super::{SweepRow, SweepScreen};
use crate::core::ids::{JobId, RunId};
use crate::core::sweep::MergedJob;

/// What folds. A job is known by its first attempt, which a later one does not change.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Fold {
    Run(RunId),
    Lane(RunId, String),
    Attempts(JobId),
    Took(JobId),
    /// By what its jobs have in common.
    Cause(RunId, String),
    Flaky(RunId),
}

/// Where the cursor stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    Fold(Fold),
    /// Of the matrix of a lane, or of the table: the label.
    Row(String),
}

impl SweepScreen {
    /// What this row folds, if it does.
    pub(super) fn fold(&self, row: &SweepRow) -> Option<Fold> {
        let run = *self.order.get(row.sweep())?;
        match row {
            SweepRow::Run { .. } => Some(Fold::Run(run)),
            SweepRow::Lane { lane, .. } => Some(Fold::Lane(run, self.groups.get(&run)?.get(*lane)?.lane.clone())),
            SweepRow::Job { job, .. } => Some(Fold::Attempts(first_id(self.grouped.get(&run)?.get(*job)?))),
            SweepRow::Took { job, .. } => Some(Fold::Took(first_id(self.grouped.get(&run)?.get(*job)?))),
            SweepRow::Cause { cause, .. } => Some(Fold::Cause(run, self.causes.get(&run)?.groups.get(*cause)?.key.clone())),
            SweepRow::Flaky { .. } => Some(Fold::Flaky(run)),
            _ => None,
        }
    }

    /// What the row under the cursor is.
    pub(super) fn place(&self) -> Option<Place> {
        self.place_of(self.rows.get(self.scroll.cursor)?)
    }

    fn place_of(&self, row: &SweepRow) -> Option<Place> {
        let run = *self.order.get(row.sweep())?;
        match row {
            SweepRow::Matrix { lane, row, .. } => {
                let group = self.groups.get(&run)?.get(*lane)?;
                Some(Place::Row(format!("{run} {} {}", group.lane, group.rows.get(*row)?.label)))
            }
            SweepRow::Cells { row, .. } => Some(Place::Row(self.table.pivot.as_ref()?.rows.get(*row)?.clone())),
            row => self.fold(row).map(Place::Fold),
        }
    }

    /// Brings the cursor back to where it stood, if that is still there.
    pub(super) fn stay(&mut self, before: Option<Place>) {
        let Some(before) = before else { return };
        let is_there = |row: &SweepRow| self.place_of(row).as_ref() == Some(&before);
        // Mostly nothing moved.
        if self.rows.get(self.scroll.cursor).is_some_and(is_there) {
            return;
        }
        if let Some(at) = self.rows.iter().position(is_there) {
            // The row stays where it is on screen.
            let above = self.scroll.cursor.saturating_sub(self.scroll.top);
            (self.scroll.cursor, self.scroll.top) = (at, at.saturating_sub(above));
        }
    }
}

pub(super) fn first_id(job: &MergedJob) -> JobId {
    job.attempts.first().map_or(job.job.id, |attempt| attempt.id)
}
