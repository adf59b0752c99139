//! Identifiers as types of their own, so that a bare number or string never crosses a border.
//! Must not know: what the things they identify look like.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! number_ids {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )+};
}

number_ids! {
    /// A pull request's number in its repository.
    PullNumber,
    /// A workflow run (11 digits and growing).
    RunId,
    /// A job; equal to the id of its check run.
    JobId,
    /// An artifact of a run.
    ArtifactId,
    /// A conversation comment, a review or a review comment, each in its own number space.
    CommentId,
    /// A user's account number: survives renames, unlike the login.
    UserId,
}

macro_rules! text_ids {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }
    )+};
}

text_ids! {
    /// A commit's 40 hexadecimal digits.
    Sha,
    /// A blob's 40 hexadecimal digits: identifies file contents for ever.
    BlobId,
    /// A login as GitHub spells it. Compare with [`Login::is`]: case does not count.
    Login,
    /// The stable word for a checklist item or a rule (`pr_validation`, `sweep`), from the policy file.
    Key,
    /// A hash of kind, address and commit: the same evidence has the same id in every session.
    EvidenceId,
}

impl Sha {
    /// Whether this names one commit for ever: a shorter one, or a branch's name, may come to mean another.
    pub fn is_full(&self) -> bool {
        self.0.len() == 40 && self.0.bytes().all(|b| b.is_ascii_hexdigit())
    }

    /// The first nine digits, as shown on screen and in the comment.
    pub fn short(&self) -> &str {
        self.0.get(..9).unwrap_or(&self.0)
    }
}

impl Login {
    /// Whether both name the same account (logins compare without case).
    pub fn is(&self, other: &Login) -> bool {
        self.0.eq_ignore_ascii_case(&other.0)
    }
}

/// A team as owners are named: `org/slug`, without `@`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Team {
    pub org: String,
    pub slug: String,
}

impl fmt::Display for Team {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.org, self.slug)
    }
}

/// A pull request anywhere on the same GitHub.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PullRef {
    pub repo: RepoName,
    pub number: PullNumber,
}

impl fmt::Display for PullRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.repo, self.number)
    }
}

/// A file of any repository on the same GitHub.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FileRef {
    pub repo: RepoName,
    /// A commit, a branch or a tag.
    pub at: String,
    pub path: String,
}

impl fmt::Display for FileRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.repo, self.path)
    }
}

/// `owner/name`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RepoName {
    pub owner: String,
    pub name: String,
}

impl RepoName {
    /// Reads `owner/name`; `None` unless both parts are GitHub names.
    pub fn parse(text: &str) -> Option<RepoName> {
        let (owner, name) = text.split_once('/')?;
        let word = |s: &str| {
            !s.is_empty()
                && s != "."
                && s != ".."
                && s.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
        };
        (word(owner) && word(name)).then(|| RepoName { owner: owner.to_owned(), name: name.to_owned() })
    }

    /// GitHub compares names without case.
    pub fn is(&self, other: &RepoName) -> bool {
        self.owner.eq_ignore_ascii_case(&other.owner) && self.name.eq_ignore_ascii_case(&other.name)
    }
}

impl fmt::Display for RepoName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repository_names_are_two_plain_words() {
        assert_eq!(RepoName::parse("o/r.s-t").map(|r| r.to_string()).as_deref(), Some("o/r.s-t"));
        for bad in ["", "o", "o/", "/r", "o/r/s", "o/..", "o r/x", "o/r?x"] {
            assert_eq!(RepoName::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn logins_compare_without_case() {
        assert!(Login::from("Nv-Owner").is(&Login::from("nv-owner")));
    }
}
