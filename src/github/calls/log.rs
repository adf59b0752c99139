//! The log of one job: a text of up to a gigabyte, behind a link that lives for a minute.
//! Must not know: where it is kept, or what it says.

use super::{Change, Client, Form, Paths};
use crate::core::ids::{JobId, RepoName};
use crate::core::trouble::{Trouble, TroubleKind};
use crate::github::drain::{Drain, Drained};
use std::sync::Arc;

/// Bytes of a log that are read at most.
pub const LARGEST_LOG: usize = 1 << 30;

impl Client {
    /// Reads the log of a job that has ended and is of at most `most` bytes, whole or not at all; a try that broke off begins anew.
    ///
    /// # Errors
    /// `NotFound` while the job runs, for one that was skipped, and for one that is not there; `Gone` once GitHub has
    /// removed it; `TooLarge` above `most`; `Refused` where `into` cannot keep it.
    pub async fn job_log(&self, repo: &RepoName, job: JobId, most: usize, into: Arc<dyn Drain>) -> Result<(), Trouble> {
        let address = Paths(repo).at(&format!("/actions/jobs/{job}/logs"));
        let drained = Drained { into, most };
        let got = self.follow(&address, Form::Download, 1, Change::Possible, Some(drained)).await;
        got.map(drop).map_err(|trouble| told(job, most, trouble))
    }
}

/// What a refusal means for a log.
fn told(job: JobId, most: usize, trouble: Trouble) -> Trouble {
    let (headline, hint) = match trouble.kind {
        TroubleKind::NotFound => (
            format!("GitHub has no log of job {job}: there is none before the job ends, and never one of a skipped job."),
            "Look again when it has ended; if it has, check its number and that the token may read Actions.",
        ),
        TroubleKind::Gone => (
            format!("The log of job {job} is gone: GitHub keeps logs for a limited time, mostly 90 days."),
            "Only a new run makes a new one.",
        ),
        TroubleKind::TooLarge => (
            format!("The log of job {job} is larger than {} MB, and that is the most that is read.", most >> 20),
            if most < LARGEST_LOG { "l on the job opens it." } else { "Look at it in the browser." },
        ),
        _ => return trouble,
    };
    Trouble::new(trouble.kind, headline, hint)
}
