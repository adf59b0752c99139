//! The headless twin of the screen: the same facts as JSON and plain text.
//! Must not know: the application, colours, where it is written.

pub mod auth;
pub mod check;
pub mod doctor;
pub mod evals;
pub mod joblog;
pub mod jobs;
pub mod points;
pub mod results;
pub mod signoff;
pub mod svg;
mod table;
pub mod verdict;
pub mod watch;

/// What a report is made of: text for standard output, and what is missing from it, a sentence each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    pub text: String,
    /// Empty only if everything was read.
    pub gaps: Vec<String>,
}

/// The number in `schema` of every JSON report. Within it, keys are only added.
pub const SCHEMA: u32 = 1;

fn json(value: &impl serde::Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}
