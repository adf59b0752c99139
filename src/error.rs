//! How the program ends when it cannot do what it was asked: a kind, a sentence, hints, and the exit code they mean.
//! Must not know: where messages are written.

use crate::core::trouble::{Trouble, TroubleKind};
use std::fmt;

/// Why the program ends. The numbers are part of the interface (README, "Exit codes").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// 1: it worked, and the answer is no.
    No,
    /// 2: the command line or a settings file is wrong.
    Usage,
    /// 3: it worked, with warnings.
    Warnings,
    /// 4: identity or rights; what a token may not see counts too.
    Access,
    /// 5: something could not be read, or only in part.
    Unavailable,
}

impl ErrorKind {
    /// In the order of their codes.
    pub const ALL: [ErrorKind; 5] =
        [ErrorKind::No, ErrorKind::Usage, ErrorKind::Warnings, ErrorKind::Access, ErrorKind::Unavailable];

    /// What the code says, as `--help` and the README tell it.
    pub fn meaning(self) -> &'static str {
        match self {
            ErrorKind::No => "the answer is no",
            ErrorKind::Usage => "usage or settings",
            ErrorKind::Warnings => "warnings",
            ErrorKind::Access => "access",
            ErrorKind::Unavailable => "unavailable or partial",
        }
    }

    pub fn exit_code(self) -> u8 {
        match self {
            ErrorKind::No => 1,
            ErrorKind::Usage => 2,
            ErrorKind::Warnings => 3,
            ErrorKind::Access => 4,
            ErrorKind::Unavailable => 5,
        }
    }
}

/// A failure for the person: what, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppError {
    pub kind: ErrorKind,
    /// One sentence, or several lines when several things are wrong at once.
    pub message: String,
    pub hints: Vec<String>,
}

impl AppError {
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> AppError {
        AppError { kind, message: message.into(), hints: Vec::new() }
    }

    pub fn usage(message: impl Into<String>) -> AppError {
        AppError::new(ErrorKind::Usage, message)
    }

    pub fn hint(mut self, hint: impl Into<String>) -> AppError {
        let hint = hint.into();
        if !hint.is_empty() {
            self.hints.push(hint);
        }
        self
    }
}

impl fmt::Display for AppError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = if self.kind == ErrorKind::Warnings { "warning" } else { "error" };
        write!(f, "{word}: {}", self.message)?;
        for hint in &self.hints {
            write!(f, "\nhint: {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for AppError {}

impl From<Trouble> for AppError {
    fn from(trouble: Trouble) -> AppError {
        let kind = match trouble.kind {
            // GitHub answers 404 for what the token may not see, so both are a matter of access.
            TroubleKind::NotFound | TroubleKind::Access => ErrorKind::Access,
            TroubleKind::Limited
            | TroubleKind::Network
            | TroubleKind::Timeout
            | TroubleKind::Server
            | TroubleKind::Gone
            | TroubleKind::Malformed
            | TroubleKind::TooLarge
            | TroubleKind::Recording
            | TroubleKind::Uncached => ErrorKind::Unavailable,
            TroubleKind::Refused | TroubleKind::Moved => ErrorKind::No,
        };
        let until = trouble.retry_at.map(|at| format!("It is worth trying again after {}.", at.format("%H:%M:%S UTC")));
        AppError::new(kind, trouble.headline).hint(trouble.hint).hint(until.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_trouble_has_a_code_of_the_table() {
        let table = [
            (TroubleKind::NotFound, 4),
            (TroubleKind::Access, 4),
            (TroubleKind::Limited, 5),
            (TroubleKind::Network, 5),
            (TroubleKind::Timeout, 5),
            (TroubleKind::Server, 5),
            (TroubleKind::Gone, 5),
            (TroubleKind::Malformed, 5),
            (TroubleKind::TooLarge, 5),
            (TroubleKind::Recording, 5),
            (TroubleKind::Uncached, 5),
            (TroubleKind::Refused, 1),
            (TroubleKind::Moved, 1),
        ];
        for (kind, code) in table {
            assert_eq!(AppError::from(Trouble::new(kind, "x", "")).kind.exit_code(), code, "{kind:?}");
        }
    }

    #[test]
    fn an_error_is_a_sentence_with_its_hints() {
        let mut trouble = Trouble::new(TroubleKind::Limited, "GitHub's limit is used up.", "");
        trouble.retry_at = "2026-08-11T12:00:00Z".parse().ok();
        let shown = AppError::from(trouble).hint("Wait.").to_string();
        assert_eq!(shown, "error: GitHub's limit is used up.\nhint: It is worth trying again after 12:00:00 UTC.\nhint: Wait.");
    }
}
