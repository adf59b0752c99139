//! What a person names to compare results with: `run:ID`, `base`, `arm:spec=none`, or a file.
//! Must not know: how any of them is read.

use super::arm::Arm;
use crate::core::ids::RunId;
use crate::core::trouble::{Trouble, TroubleKind};
use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reference {
    /// The newest green sweep of the base branch.
    Base,
    Run(RunId),
    /// Rows of the same run: `arm:spec=none`.
    Arm(Arm),
    /// Its path.
    File(String),
}

impl Reference {
    /// # Errors
    /// The words begin like a run or an arm and name none, or there are no words.
    pub fn parse(text: &str) -> Result<Reference, Trouble> {
        let text = text.trim();
        let wrong = |headline: String, hint: &str| Trouble::new(TroubleKind::Malformed, headline, hint);
        if let Some(id) = text.strip_prefix("run:") {
            let digits = !id.is_empty() && id.bytes().all(|b| b.is_ascii_digit());
            let id = digits.then(|| id.parse().ok()).flatten().filter(|id| *id != 0);
            return id
                .map(|id| Reference::Run(RunId(id)))
                .ok_or_else(|| wrong(format!("\"{}\" names no run.", text.escape_debug()), "Write run:ID."));
        }
        match text.strip_prefix("arm:") {
            Some(arm) => Arm::parse(arm).map(Reference::Arm),
            None if text == "base" => Ok(Reference::Base),
            None if text.is_empty() => {
                Err(wrong("Nothing is named to compare with.".to_owned(), "Write run:ID, base, arm:spec=none, or a file."))
            }
            None => Ok(Reference::File(text.to_owned())),
        }
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reference::Base => f.write_str("base"),
            Reference::Run(run) => write!(f, "run:{run}"),
            Reference::Arm(arm) => write!(f, "arm:{}={}", arm.dimension.word(), arm.value),
            Reference::File(path) => f.write_str(path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written_alike() {
        for text in ["base", "run:31020193450", "arm:spec=none", "old results.json"] {
            assert_eq!(Reference::parse(text).unwrap().to_string(), text);
        }
        for (text, said) in [("run:", "names no run"), ("run:0", "names no run"), ("run:7x", "names no run"), (" ", "Nothing")]
        {
            assert!(Reference::parse(text).unwrap_err().headline.contains(said), "{text}");
        }
        assert!(Reference::parse("arm:colour=red").is_err());
    }
}
