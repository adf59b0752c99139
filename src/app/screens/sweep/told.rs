//! What the logs of failed jobs tell, while causes are on screen.
//! Must not know: how a log is read, or how its end is understood.

use super::{Mode, SweepRow, SweepScreen};
use crate::core::ids::JobId;
use crate::core::joblog::Fingerprint;
use crate::core::sweep::causes::{Cause, CauseKind, causes};
use crate::core::sweep::summary::Sweep;
use crate::core::trouble::Trouble;

/// Logs of one run that are read unasked: their ends tell what a sweep failed of, and each may be long.
const MOST: usize = 24;
/// Logs that are on their way at a time.
const AT_ONCE: usize = 2;

/// What is known of the end of a log.
#[derive(Debug, Clone, PartialEq)]
pub enum Told {
    Coming,
    /// Why the job failed, in strangers' words; `None`: no line of it is marked as an error.
    Read(Option<String>),
    Failed(Trouble),
}

/// How many logs of a cause's jobs are read, and how many are not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Logs {
    pub coming: usize,
    pub failed: usize,
    /// Not asked for: there are too many.
    pub left: usize,
}

/// Jobs whose own log tells what went wrong.
fn has_reason(cause: &Cause) -> bool {
    matches!(cause.kind, CauseKind::Failed | CauseKind::TimedOut)
}

impl SweepScreen {
    /// The jobs whose logs are to be read next: of the runs that are open among the causes, and few at a time.
    pub(in crate::app) fn unread(&self, sweeps: &[Sweep]) -> Vec<JobId> {
        let coming = self.told.values().filter(|told| **told == Told::Coming).count();
        if self.mode != Mode::Causes || coming >= AT_ONCE {
            return Vec::new();
        }
        let mut out = Vec::new();
        for sweep in self.rows.iter().filter(|row| matches!(row, SweepRow::About { .. })).map(SweepRow::sweep) {
            let Some(sweep) = sweeps.get(sweep) else { continue };
            let groups = self.causes.get(&sweep.run.id).map(|causes| causes.groups.as_slice()).unwrap_or_default();
            let losses = groups.iter().filter(|cause| has_reason(cause)).flat_map(|cause| &cause.losses);
            let ids: Vec<JobId> = losses.filter_map(|loss| Some(sweep.jobs.get(loss.job)?.job.id)).collect();
            let asked = ids.iter().filter(|id| self.told.contains_key(id)).count();
            let open = ids.into_iter().filter(|id| !self.told.contains_key(id));
            out.extend(open.take(MOST.saturating_sub(asked)));
        }
        out.truncate(AT_ONCE - coming);
        out
    }

    pub(in crate::app) fn asked(&mut self, job: JobId) {
        self.told.insert(job, Told::Coming);
    }

    /// The end of a log was read: its job stands with those that failed of the same.
    pub(in crate::app) fn tell(
        &mut self,
        job: JobId,
        read: Result<Option<Fingerprint>, Trouble>,
        sweeps: &[Sweep],
        open: Option<usize>,
    ) {
        let told = match read {
            Ok(reason) => Told::Read(reason.map(|reason| reason.label())),
            Err(trouble) => Told::Failed(trouble),
        };
        self.told.insert(job, told);
        let here = self.place();
        let of = sweeps.iter().filter(|sweep| sweep.jobs.iter().any(|merged| merged.job.id == job));
        for sweep in of {
            let found = causes(&sweep.jobs, |job| self.reason(job));
            self.causes.insert(sweep.run.id, found);
        }
        self.layout(sweeps, open);
        self.stay(here);
    }

    /// What failed to be read is asked for again.
    pub(in crate::app) fn ask_again(&mut self) {
        self.told.retain(|_, told| !matches!(told, Told::Failed(_)));
    }

    /// Why a job failed, by its log.
    pub(super) fn reason(&self, job: JobId) -> Option<String> {
        match self.told.get(&job) {
            Some(Told::Read(reason)) => reason.clone(),
            _ => None,
        }
    }

    /// What of a cause's logs is not there.
    pub fn logs(&self, sweep: &Sweep, cause: &Cause) -> Logs {
        let mut logs = Logs::default();
        if has_reason(cause) {
            for job in cause.losses.iter().filter_map(|loss| sweep.jobs.get(loss.job)) {
                match self.told.get(&job.job.id) {
                    Some(Told::Coming) => logs.coming += 1,
                    Some(Told::Failed(_)) => logs.failed += 1,
                    Some(Told::Read(_)) => {}
                    None => logs.left += 1,
                }
            }
        }
        logs
    }
}
