//! What is kept on disk per pull request: the draft of the sign-off, versioned.
//! Must not know: files; `runtime::store` writes what this renders.

pub mod history;

use super::ids::{BlobId, Key, PullNumber, RepoName, Sha};
use super::pins::Pin;
use super::posting::Attempt;
use super::time::Time;
use super::verdict::SignoffRef;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The number this program writes. Within it, keys are only added.
pub const SCHEMA: u32 = 1;

/// A sign-off in the making.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    pub schema: u32,
    /// The API host it belongs to: `api.github.com`.
    pub host: String,
    pub repo: RepoName,
    pub number: PullNumber,
    #[serde(default)]
    pub ticks: BTreeMap<Key, Tick>,
    /// The reviewer's own detail text; `None`: drafted from evidence.
    #[serde(default)]
    pub detail: Option<String>,
    /// The paragraphs as they were drafted when `detail` was last edited: what the reviewer left as it was goes on being
    /// drafted from evidence. Without them the whole of `detail` is the reviewer's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drafted: Vec<DraftedParagraph>,
    /// What stands behind an item's words, by the reviewer: a link, a remark. One line each.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub behind: BTreeMap<Key, String>,
    /// Why an item is not ticked, in the reviewer's words. One line each.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub reasons: BTreeMap<Key, String>,
    /// At which head and for which words each reason was given. One without was kept by an older program: it is stale.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub reasons_at: BTreeMap<Key, Tick>,
    /// Evidence that the reviewer pinned, in the order in which the details tell it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pins: Vec<Pin>,
    /// The template's words when a box was last ticked: says what changed since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// How it is posted.
    #[serde(default)]
    pub way: Way,
    /// The sign-off of ours that it replaces in place; `None`: a new one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edits: Option<SignoffRef>,
    /// [`super::posting::text_digest`] of that one as it was taken over; `None`: not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edits_text: Option<String>,
    /// What the text was last made from; posting compares it with what GitHub says then.
    #[serde(default)]
    pub basis: Option<Basis>,
    /// A comment that was about to be sent when this was written.
    #[serde(default)]
    pub attempt: Option<Attempt>,
    /// The page of the comment that came of it.
    #[serde(default)]
    pub posted: Option<String>,
}

/// How a sign-off is posted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// A comment in the conversation.
    #[default]
    Comment,
    /// A review that comments.
    Review,
    /// A review that approves.
    Approve,
}

/// A paragraph of the details as evidence made it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DraftedParagraph {
    /// What it is about: `validation`.
    pub topic: Key,
    pub text: String,
    /// Every number and link in it, as written.
    #[serde(default)]
    pub facts: Vec<String>,
}

/// An answer of the reviewer's to an item: a box that was ticked, or a reason why not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tick {
    /// The head commit it was made at: a moved head makes it stale.
    pub head: Sha,
    /// Digest of the item's text: changed wording makes it stale too.
    pub text: String,
    pub at: Time,
}

impl Tick {
    /// Whether it was given at this head, and for these words.
    pub fn is_fresh(&self, head: Option<&Sha>, text: &str) -> bool {
        Some(&self.head) == head && self.text == text
    }
}

/// The head and the template that a draft speaks of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Basis {
    pub head: Sha,
    pub template: BlobId,
}

/// Why a draft file cannot be used as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unreadable {
    /// Not a draft: to be set aside, never overwritten.
    Corrupt(String),
    /// Written by a newer program: open read-only.
    Newer(u32),
}

impl Draft {
    pub fn new(host: &str, repo: RepoName, number: PullNumber) -> Draft {
        Draft {
            schema: SCHEMA,
            host: host.to_owned(),
            repo,
            number,
            ticks: BTreeMap::new(),
            detail: None,
            drafted: Vec::new(),
            behind: BTreeMap::new(),
            reasons: BTreeMap::new(),
            reasons_at: BTreeMap::new(),
            pins: Vec::new(),
            template: None,
            way: Way::default(),
            edits: None,
            edits_text: None,
            basis: None,
            attempt: None,
            posted: None,
        }
    }

    /// Whether it holds anything that a reviewer made.
    pub fn is_untouched(&self) -> bool {
        let own = [&self.behind, &self.reasons].iter().any(|texts| !texts.is_empty())
            || !self.pins.is_empty()
            || self.edits.is_some();
        self.ticks.is_empty() && self.detail.is_none() && !own && self.attempt.is_none() && self.posted.is_none()
    }
}

/// Reads a draft file.
pub fn parse_draft(bytes: &[u8]) -> Result<Draft, Unreadable> {
    #[derive(Deserialize)]
    struct Version {
        schema: u32,
    }
    let corrupt = |error: serde_json::Error| Unreadable::Corrupt(format!("line {}: {error}", error.line()));
    let version: Version = serde_json::from_slice(bytes).map_err(corrupt)?;
    if version.schema > SCHEMA {
        return Err(Unreadable::Newer(version.schema));
    }
    serde_json::from_slice(bytes).map_err(corrupt)
}

/// The file's text: one stable, readable form.
pub fn render_draft(draft: &Draft) -> String {
    let mut text = serde_json::to_string_pretty(draft).unwrap_or_default();
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The form that version 1 wrote on its first day: must be readable for ever.
    const GOLDEN_1: &str = r#"{
  "schema": 1,
  "host": "api.github.com",
  "repo": { "owner": "o", "name": "r" },
  "number": 7,
  "ticks": { "evals": { "head": "abc", "text": "d1", "at": "2026-08-11T12:00:00Z" } },
  "detail": "checked by hand",
  "basis": { "head": "abc", "template": "b1" },
  "attempt": { "digest": "d2", "author": 42, "newest": 9, "head": "abc", "at": "2026-08-11T12:00:01Z" }
}"#;

    #[test]
    fn the_golden_file_reads_and_survives_a_round_trip() {
        let draft = parse_draft(GOLDEN_1.as_bytes()).unwrap();
        assert_eq!(draft.ticks[&Key::from("evals")].head, Sha::from("abc"));
        assert_eq!(draft.attempt.as_ref().unwrap().newest.unwrap().0, 9);
        assert!(draft.pins.is_empty());
        assert_eq!(parse_draft(render_draft(&draft).as_bytes()), Ok(draft));
    }

    /// As version 1 writes what was pinned.
    const PINNED_1: &str = r#"{
  "schema": 1, "host": "api.github.com", "repo": { "owner": "o", "name": "r" }, "number": 7,
  "pins": [
    { "run": 1, "of": "run", "name": "Run Sweep", "attempt": 2, "newest": 2, "head": "abc", "conclusion": "success",
      "ended": "2026-08-11T08:31:00Z", "at": "2026-08-11T12:00:00Z",
      "source": { "address": "/runs", "commit": "abc", "read_at": "2026-08-11T11:59:00Z", "digest": "d" } },
    { "run": 1, "of": { "job": 5 }, "name": "setup", "attempt": 1, "newest": 2, "head": "abc", "conclusion": "failure",
      "ended": null, "at": "2026-08-11T12:00:00Z",
      "source": { "address": "/jobs", "commit": "abc", "read_at": "2026-08-11T11:59:00Z", "digest": "d" } },
    { "run": 1, "of": { "line": { "job": 5, "number": 7, "text": "no room" } }, "name": "setup", "attempt": 1, "newest": 2,
      "head": "abc", "conclusion": "failure", "ended": null, "at": "2026-08-11T12:00:00Z",
      "source": { "address": "/logs", "commit": "abc", "read_at": "2026-08-11T12:00:00Z", "digest": "d" } }
  ]
}"#;

    #[test]
    fn pins_are_the_reviewers_and_survive_a_round_trip() {
        let draft = parse_draft(PINNED_1.as_bytes()).unwrap();
        let labels: Vec<String> = draft.pins.iter().map(Pin::label).collect();
        let line = "line 7 of the log of job 5, attempt 1 of 2";
        assert_eq!(labels, ["run 1 attempt 2", "job 5 attempt 1 of 2", line]);
        assert!(!draft.is_untouched());
        assert_eq!(parse_draft(render_draft(&draft).as_bytes()), Ok(draft));
    }

    #[test]
    fn other_files_are_told_apart() {
        assert!(matches!(parse_draft(b"{\"schema\": 1, \"ho"), Err(Unreadable::Corrupt(_))));
        assert!(matches!(parse_draft(b""), Err(Unreadable::Corrupt(_))));
        assert_eq!(parse_draft(b"{\"schema\": 2, \"anything\": true}"), Err(Unreadable::Newer(2)));
    }
}
