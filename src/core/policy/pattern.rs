//! A regular expression of the policy file, compiled once.
//! Must not know: what it finds.

use regex::Regex;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// Compared and written by its text. One that is no pattern finds nothing; the policy's reader refuses it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Pattern {
    text: String,
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    pub fn regex(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| Regex::new(&self.text).ok()).as_ref()
    }

    pub fn is_match(&self, text: &str) -> bool {
        self.regex().is_some_and(|regex| regex.is_match(text))
    }

    /// What is wrong with it. One that is well is compiled by this, and not again when it is used first.
    pub(super) fn problem(&self) -> Option<String> {
        match self.regex() {
            Some(_) => None,
            None => Regex::new(&self.text).err().map(|error| error.to_string()),
        }
    }
}

impl From<String> for Pattern {
    fn from(text: String) -> Pattern {
        Pattern { text, compiled: OnceLock::new() }
    }
}

impl From<Pattern> for String {
    fn from(pattern: Pattern) -> String {
        pattern.text
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Pattern) -> bool {
        self.text == other.text
    }
}
