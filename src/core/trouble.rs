//! Everything that can go wrong outside, as plain data: converted once, at the border where it happened.
//! Must not know: HTTP, octocrab, files.

use super::time::Time;
use serde::{Deserialize, Serialize};

/// What kind of failure it is: decides the exit code, whether waiting helps and whether the person must act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TroubleKind {
    /// 404: does not exist, or the token may not see it.
    NotFound,
    /// 401, 403 without a limit, 451, SSO: a matter of identity and rights.
    Access,
    /// A primary or secondary rate limit; `retry_at` says when it ends.
    Limited,
    /// No connection, a cut connection, TLS.
    Network,
    /// Nothing came within the time limit.
    Timeout,
    /// 5xx.
    Server,
    /// 410, or an artifact marked expired.
    Gone,
    /// The answer cannot be read: not JSON, YAML, UTF-8 or zip, or not of the promised shape.
    Malformed,
    /// Larger than the program's own limits.
    TooLarge,
    /// 400, 409, 422: GitHub understood and refused.
    Refused,
    /// 301 or 307 on a write: the repository moved, and the person must confirm the new place.
    Moved,
    /// A replayed recording does not hold this request, or was asked to write.
    Recording,
    /// Only what was kept of an earlier reading may be used, and this was not kept.
    Uncached,
}

/// A failure in a sentence, with a way on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trouble {
    pub kind: TroubleKind,
    /// One sentence: what failed.
    pub headline: String,
    /// One sentence: what to do. Empty when there is nothing to do.
    pub hint: String,
    /// When it is worth trying again, if GitHub said so.
    pub retry_at: Option<Time>,
}

impl Trouble {
    pub fn new(kind: TroubleKind, headline: impl Into<String>, hint: impl Into<String>) -> Trouble {
        Trouble { kind, headline: headline.into(), hint: hint.into(), retry_at: None }
    }

    /// Headline and hint in one line.
    pub fn sentence(&self) -> String {
        let stop = if self.headline.ends_with(['.', '!', '?']) { "" } else { "." };
        format!("{}{stop} {}", self.headline, self.hint).trim_end().to_owned()
    }
}
