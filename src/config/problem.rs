//! What is wrong in a text that a person wrote: where, what, and what to write instead.
//! Must not know: how it is shown.

use crate::error::{AppError, ErrorKind};
use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The program does not start with it.
    Error,
    /// Said once; the rest of the file counts.
    Warning,
}

/// One thing wrong in one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub severity: Severity,
    /// `settings.toml:12`; without a line where the file as a whole is meant.
    pub place: String,
    /// One sentence.
    pub message: String,
    /// One sentence: what to write.
    pub hint: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)?;
        if !self.hint.is_empty() {
            write!(f, " {}", self.hint)?;
        }
        Ok(())
    }
}

/// All errors as one failure; `None` when there are only warnings.
pub fn refusal(problems: &[Problem]) -> Option<AppError> {
    let errors: Vec<String> =
        problems.iter().filter(|problem| problem.severity == Severity::Error).map(Problem::to_string).collect();
    let count = errors.len();
    match count {
        0 => None,
        _ => Some(AppError::new(ErrorKind::Usage, errors.join("\n       ")).hint(match count {
            1 => "Mend this line and start again.",
            _ => "Mend these lines and start again.",
        })),
    }
}
