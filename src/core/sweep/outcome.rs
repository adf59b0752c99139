//! What became of a job or run, from GitHub's two words.
//! Must not know: which job it was.

use serde::{Deserialize, Serialize};

/// GitHub's `status` and `conclusion` as one state.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Success,
    Failure,
    Cancelled,
    Skipped,
    TimedOut,
    Neutral,
    ActionRequired,
    Stale,
    StartupFailure,
    Queued,
    Waiting,
    Pending,
    Requested,
    InProgress,
    /// A word that this version does not know: never a success, never finished.
    Unknown(String),
}

impl Outcome {
    /// From GitHub's words: the conclusion counts only when the status is `completed`.
    pub fn read(status: &str, conclusion: Option<&str>) -> Outcome {
        match (status, conclusion) {
            ("completed", Some("success")) => Outcome::Success,
            ("completed", Some("failure")) => Outcome::Failure,
            ("completed", Some("cancelled")) => Outcome::Cancelled,
            ("completed", Some("skipped")) => Outcome::Skipped,
            ("completed", Some("timed_out")) => Outcome::TimedOut,
            ("completed", Some("neutral")) => Outcome::Neutral,
            ("completed", Some("action_required")) => Outcome::ActionRequired,
            ("completed", Some("stale")) => Outcome::Stale,
            ("completed", Some("startup_failure")) => Outcome::StartupFailure,
            ("completed", word) => Outcome::Unknown(word.unwrap_or("completed").to_owned()),
            ("queued", _) => Outcome::Queued,
            ("waiting", _) => Outcome::Waiting,
            ("pending", _) => Outcome::Pending,
            ("requested", _) => Outcome::Requested,
            ("in_progress", _) => Outcome::InProgress,
            (word, _) => Outcome::Unknown(word.to_owned()),
        }
    }

    /// It ran to an end of its own, good or bad. Skipped and cancelled jobs did not.
    pub fn executed(&self) -> bool {
        matches!(self, Outcome::Success | Outcome::Failure | Outcome::TimedOut | Outcome::Neutral)
    }

    /// Nothing more will happen in this attempt.
    pub fn finished(&self) -> bool {
        !self.waits() && !matches!(self, Outcome::InProgress | Outcome::Unknown(_))
    }

    /// Not started yet.
    pub fn waits(&self) -> bool {
        matches!(self, Outcome::Queued | Outcome::Waiting | Outcome::Pending | Outcome::Requested)
    }

    pub fn green(&self) -> bool {
        *self == Outcome::Success
    }

    /// It went wrong by itself; a cancelled job did not.
    pub fn failed(&self) -> bool {
        matches!(self, Outcome::Failure | Outcome::TimedOut | Outcome::StartupFailure)
    }

    /// It is over and brought nothing good: neither green nor skipped.
    pub fn is_loss(&self) -> bool {
        self.finished() && !self.green() && *self != Outcome::Skipped
    }

    /// One character, one column wide, that differs without colour.
    pub fn mark(&self) -> char {
        match self {
            Outcome::Success => '✓',
            Outcome::Failure | Outcome::TimedOut | Outcome::StartupFailure => '✗',
            Outcome::Cancelled | Outcome::Stale => '⊘',
            Outcome::Skipped => '–',
            Outcome::Neutral => '○',
            Outcome::ActionRequired => '!',
            Outcome::InProgress => '◔',
            Outcome::Queued | Outcome::Waiting | Outcome::Pending | Outcome::Requested => '·',
            Outcome::Unknown(_) => '?',
        }
    }

    /// As a person says it.
    pub fn word(&self) -> &str {
        match self {
            Outcome::Success => "success",
            Outcome::Failure => "failure",
            Outcome::Cancelled => "cancelled",
            Outcome::Skipped => "skipped",
            Outcome::TimedOut => "timed out",
            Outcome::Neutral => "neutral",
            Outcome::ActionRequired => "needs approval",
            Outcome::Stale => "stale",
            Outcome::StartupFailure => "failed to start",
            Outcome::Queued => "queued",
            Outcome::Waiting => "waiting",
            Outcome::Pending => "pending",
            Outcome::Requested => "requested",
            Outcome::InProgress => "running",
            Outcome::Unknown(word) => word,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_states() {
        // (status, conclusion, mark, executed, finished, green, failed)
        let table = [
            ("completed", Some("success"), '✓', true, true, true, false),
            ("completed", Some("failure"), '✗', true, true, false, true),
            ("completed", Some("timed_out"), '✗', true, true, false, true),
            ("completed", Some("startup_failure"), '✗', false, true, false, true),
            ("completed", Some("cancelled"), '⊘', false, true, false, false),
            ("completed", Some("stale"), '⊘', false, true, false, false),
            ("completed", Some("skipped"), '–', false, true, false, false),
            ("completed", Some("neutral"), '○', true, true, false, false),
            ("completed", Some("action_required"), '!', false, true, false, false),
            ("queued", None, '·', false, false, false, false),
            ("waiting", None, '·', false, false, false, false),
            ("pending", None, '·', false, false, false, false),
            ("requested", None, '·', false, false, false, false),
            ("in_progress", None, '◔', false, false, false, false),
            // A conclusion before the end is not one.
            ("in_progress", Some("success"), '◔', false, false, false, false),
            ("completed", None, '?', false, false, false, false),
            ("completed", Some("succeeded"), '?', false, false, false, false),
            ("success", Some("success"), '?', false, false, false, false),
        ];
        for (status, conclusion, mark, executed, finished, green, failed) in table {
            let outcome = Outcome::read(status, conclusion);
            let got = (outcome.mark(), outcome.executed(), outcome.finished(), outcome.green(), outcome.failed());
            assert_eq!(got, (mark, executed, finished, green, failed), "{status} {conclusion:?}");
            assert!(!outcome.word().is_empty());
        }
    }
}
