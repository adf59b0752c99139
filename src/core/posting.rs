//! Posting as a state machine: rechecked, confirmed, sent once; an unclear outcome is resolved by looking.
//! Must not know: how comments are sent, read or drawn.

use super::evidence::digest;
use super::facts::Facts;
use super::ids::{BlobId, CommentId, PullNumber, RepoName, Sha, UserId};
use super::pull::{Comment, Posted, Viewer};
use super::time::Time;
use super::trouble::Trouble;
use serde::{Deserialize, Serialize};

/// GitHub's own limit on a comment, in characters.
pub const MAX_CHARS: usize = 65_536;

/// How often the conversation is searched for a comment whose outcome is unclear, and how long apart.
pub const LOOKS: u8 = 3;
/// Seconds between two looks: three looks span more than ten seconds.
pub const LOOK_SECONDS: u64 = 6;

/// What came of sending a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sent {
    Posted(Posted),
    /// GitHub said no, or the request certainly never left: nothing was written.
    Refused(Trouble),
    /// It may have been written: only looking can tell.
    Unclear(Trouble),
}

/// Exactly what the person is asked to confirm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    pub text: String,
    pub host: String,
    pub repo: RepoName,
    pub number: PullNumber,
    pub head: Sha,
    pub template: BlobId,
    pub viewer: Viewer,
    /// The newest conversation comment when it was rechecked.
    pub newest: Option<CommentId>,
}

/// What is kept on disk before the comment is sent, so that a crash can be resolved by looking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// [`text_digest`] of the comment.
    pub digest: String,
    pub author: UserId,
    /// The newest comment before sending: ours has a higher id.
    pub newest: Option<CommentId>,
    pub head: Sha,
    pub at: Time,
}

/// Where posting stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Posting {
    /// Nothing is on its way: the draft can be edited.
    #[default]
    Draft,
    /// Head, template, comments and every cited source are being read again.
    Rechecking {
        text: String,
    },
    /// Posting would be wrong, for these reasons.
    Blocked(Vec<Block>),
    /// Rechecked and waiting for the person's word.
    Confirming(Prepared),
    /// The word is given: head, template and comments are read once more, since it may have taken an hour to give.
    Verifying(Prepared),
    /// The attempt is being written to disk.
    Recording(Prepared, Attempt),
    /// The one request is on its way.
    Sending(Attempt),
    /// The outcome is unclear: `looks` searches found nothing so far.
    Searching {
        attempt: Attempt,
        looks: u8,
        why: String,
    },
    Posted {
        url: String,
    },
    /// Nothing was written; the draft is kept.
    NotPosted {
        why: String,
        hint: String,
    },
}

impl Posting {
    /// One word for the log.
    pub fn name(&self) -> &'static str {
        match self {
            Posting::Draft => "draft",
            Posting::Rechecking { .. } => "rechecking",
            Posting::Blocked(_) => "blocked",
            Posting::Confirming(_) => "confirming",
            Posting::Verifying(_) => "verifying",
            Posting::Recording(..) => "recording",
            Posting::Sending(_) => "sending",
            Posting::Searching { .. } => "searching",
            Posting::Posted { .. } => "posted",
            Posting::NotPosted { .. } => "not posted",
        }
    }

    /// Whether the text must not change now.
    pub fn is_locked(&self) -> bool {
        matches!(self, Posting::Verifying(_) | Posting::Recording(..) | Posting::Sending(_) | Posting::Searching { .. })
    }
}

/// A reason not to post.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// One sentence with the way on.
    pub reason: String,
    /// A page to look at.
    pub link: Option<String>,
}

impl Block {
    pub fn new(reason: impl Into<String>) -> Block {
        Block { reason: reason.into(), link: None }
    }

    pub fn linked(reason: impl Into<String>, link: &str) -> Block {
        Block { reason: reason.into(), link: Some(link.to_owned()) }
    }
}

impl Prepared {
    /// The record that goes to disk before the request leaves.
    pub fn attempt(&self, now: Time) -> Attempt {
        Attempt {
            digest: text_digest(&self.text),
            author: self.viewer.id,
            newest: self.newest,
            head: self.head.clone(),
            at: now,
        }
    }
}

/// Digest of a comment's text after line-end normalisation: GitHub may store CRLF and drops trailing space.
pub fn text_digest(text: &str) -> String {
    digest(text.replace("\r\n", "\n").trim_end().as_bytes())
}

/// Our comment of this attempt, if it is there: our account, newer than the newest seen, the same text.
pub fn search<'a>(attempt: &Attempt, comments: &'a [Comment]) -> Option<&'a Comment> {
    comments.iter().find(|comment| {
        comment.author.id == Some(attempt.author)
            && attempt.newest.is_none_or(|newest| comment.id > newest)
            && text_digest(&comment.body) == attempt.digest
    })
}

/// The newest conversation comment known.
pub fn newest_comment(facts: &Facts) -> Option<CommentId> {
    facts.comments.value()?.items.iter().map(|comment| comment.id).max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::pull::{Actor, CommentPlace};

    fn comment(id: u64, author: u64, body: &str) -> Comment {
        Comment {
            id: CommentId(id),
            place: CommentPlace::Conversation,
            author: Actor { login: "a".into(), id: Some(UserId(author)), bot: false },
            association: String::new(),
            body: body.to_owned(),
            created_at: None,
            updated_at: None,
            url: String::new(),
            detail: None,
        }
    }

    #[test]
    fn a_search_finds_only_our_newer_identical_comment() {
        let attempt = Attempt {
            digest: text_digest("one\ntwo\n"),
            author: UserId(7),
            newest: Some(CommentId(10)),
            head: "h".into(),
            at: Default::default(),
        };
        let table = [
            (comment(11, 7, "one\r\ntwo"), true),
            (comment(10, 7, "one\ntwo\n"), false),
            (comment(11, 8, "one\ntwo\n"), false),
            (comment(11, 7, "one\ntwo!"), false),
        ];
        for (comment, found) in table {
            assert_eq!(search(&attempt, std::slice::from_ref(&comment)).is_some(), found, "{comment:?}");
        }
    }
}
