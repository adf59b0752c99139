//! A body that goes piece by piece to whoever keeps it, and is never in memory as a whole.
//! Must not know: what is in it, or where it is kept.

use super::trouble::Failure;
use crate::core::trouble::{Trouble, TroubleKind};
use bytes::Bytes;
use http_body_util::BodyExt;
use http_body_util::combinators::UnsyncBoxBody;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;
use tower::BoxError;

/// Keeps a body. It is called from a task, so each call is short.
pub trait Drain: Send + Sync {
    /// A body begins, of this many bytes where the other end says so. What came of an earlier try is void.
    fn begin(&self, bytes: Option<u64>) -> io::Result<()>;

    /// The next bytes.
    fn take(&self, piece: &[u8]) -> io::Result<()>;
}

/// Travels with a request: the body of a success goes there and stays out of the answer, which is not kept either.
#[derive(Clone)]
pub(super) struct Drained {
    pub into: Arc<dyn Drain>,
    /// Bytes at most.
    pub most: usize,
}

impl Drained {
    /// Takes a body to its end. `patience` is the longest pause between two pieces: the whole may take its time.
    pub async fn pour(
        &self,
        mut body: UnsyncBoxBody<Bytes, BoxError>,
        length: Option<u64>,
        patience: Duration,
        host: &str,
    ) -> Result<(), Failure> {
        if length.is_some_and(|length| length > self.most as u64) {
            return Err(Failure::too_large(host, self.most));
        }
        self.into.begin(length).map_err(unkept)?;
        let mut came = 0;
        loop {
            let Ok(frame) = timeout(patience, body.frame()).await else {
                return Err(Failure::timeout(host, "no more of its answer", patience));
            };
            let Some(frame) = frame else { return Ok(()) };
            let Ok(piece) = frame.map_err(|error| Failure::cut(host, error.as_ref()))?.into_data() else { continue };
            came += piece.len();
            if came > self.most {
                return Err(Failure::too_large(host, self.most));
            }
            self.into.take(&piece).map_err(unkept)?;
        }
    }
}

fn unkept(error: io::Error) -> Failure {
    let headline = format!("What comes cannot be written to the disk: {error}.");
    Failure::not_done(Trouble::new(
        TroubleKind::Refused,
        headline,
        "Make room, or name another folder in COUNTERSIGN_CACHE_DIR.",
    ))
}
