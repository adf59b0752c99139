//! What GitHub says about a pull request, its commits, comments, runs, jobs and artifacts: only the fields we use.
//! Must not know: wire formats (`github::wire`) or rules.

use super::ids::{ArtifactId, BlobId, CommentId, JobId, Login, PullNumber, RepoName, RunId, Sha, UserId};
use super::listing::Listing;
use super::steps::Steps;
use super::time::Time;
use super::trouble::{Trouble, TroubleKind};
use serde::{Deserialize, Serialize};

/// Who the token belongs to. Read-only use has none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Viewer {
    pub login: Login,
    pub id: UserId,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repository {
    /// As GitHub spells it today: differs from what was asked for when the repository was renamed.
    pub name: RepoName,
    pub default_branch: String,
    pub private: bool,
}

/// A person or app behind a comment. A deleted account has the login `ghost` and no id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor {
    pub login: Login,
    pub id: Option<UserId>,
    pub bot: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pull {
    pub number: PullNumber,
    pub title: String,
    pub body: String,
    /// GitHub's word: `open` or `closed`.
    pub state: String,
    pub draft: bool,
    pub merged: bool,
    pub author: Actor,
    pub labels: Vec<String>,
    pub head: Sha,
    pub head_branch: String,
    /// `None` when the fork is gone.
    pub head_repo: Option<RepoName>,
    /// The tip of the base branch when GitHub last looked; the merge base is [`super::facts::Facts::merge_base`].
    pub base: Sha,
    pub base_branch: String,
    pub additions: u64,
    pub deletions: u64,
    pub changed_files: u64,
    pub commits: u64,
    /// In the conversation.
    pub comments: u64,
    /// On lines of the diff.
    pub line_comments: u64,
    pub url: String,
    pub updated_at: Option<Time>,
    /// Whether it merges without conflict; `None` while GitHub has not looked.
    #[serde(default)]
    pub mergeable: Option<bool>,
    /// Whether GitHub merges it by itself once everything it waits for is there; `None`: not told.
    #[serde(default)]
    pub auto_merge: Option<bool>,
    /// Whether only people who may write here can still comment; `None`: not told.
    #[serde(default)]
    pub locked: Option<bool>,
}

impl Pull {
    /// Whether the head branch lies in a fork and is called like the base branch. GitHub lists runs by the branch's name
    /// alone: those of the pull request's earlier commits cannot be told from every run of the base branch.
    pub fn head_branch_is_taken(&self) -> bool {
        self.head_branch == self.base_branch
    }
}

/// How a file changed, in GitHub's words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedFile {
    pub path: String,
    pub previous_path: Option<String>,
    /// `added`, `removed`, `modified`, `renamed`, `copied`, `changed`, `unchanged`, or a word we do not know.
    pub status: String,
    pub additions: u64,
    pub deletions: u64,
    /// Blob at the head; of a removed file, the blob that went.
    pub blob: Option<BlobId>,
    /// Hunks as GitHub sends them; `None` for binary, huge and pure-rename files.
    pub patch: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    pub sha: Sha,
    /// First line of the message.
    pub headline: String,
    /// All of it.
    #[serde(default)]
    pub message: String,
    pub author: String,
    pub date: Option<Time>,
    /// How many commits it follows: two or more make it a merge. `None`: not told.
    #[serde(default)]
    pub parents: Option<usize>,
}

/// How a later commit stands to an earlier one, in GitHub's words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Course {
    /// It builds on the earlier one.
    Ahead,
    /// The earlier one builds on it.
    Behind,
    /// Neither builds on the other.
    Diverged,
    Identical,
    /// A word that we do not know.
    Other(String),
}

/// What differs between a measured commit and the head, by GitHub's comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Later {
    pub course: Course,
    /// At most 300, in GitHub's order. What a merge brought from another branch is among them. Only where the course is
    /// [`Course::Ahead`] is this what came after the measured commit.
    pub files: Listing<TouchedFile>,
}

/// A file that differs. How much is left out: in a comparison GitHub counts 0 lines also where many changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TouchedFile {
    pub path: String,
    /// Of a renamed file.
    #[serde(default)]
    pub previous_path: Option<String>,
}

impl TouchedFile {
    /// The path, and the one that it had before.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.path.as_str()).chain(self.previous_path.as_deref())
    }
}

/// Where a comment stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommentPlace {
    Conversation,
    /// The summary of a review.
    Review,
    /// On a line of the diff.
    Line,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    pub id: CommentId,
    pub place: CommentPlace,
    pub author: Actor,
    /// `OWNER`, `MEMBER`, `COLLABORATOR`, …: history with the repository, not a permission.
    pub association: String,
    pub body: String,
    pub created_at: Option<Time>,
    pub updated_at: Option<Time>,
    pub url: String,
    /// For a review its state (`APPROVED`, `COMMENTED`, …), for a line comment `path:line`.
    pub detail: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    pub id: RunId,
    pub attempt: u32,
    /// The workflow's name: `Run Sweep`.
    pub name: String,
    pub title: String,
    pub event: String,
    /// The workflow file: `.github/workflows/run-sweep.yml`.
    pub path: String,
    pub head: Sha,
    pub head_branch: Option<String>,
    pub head_repo: Option<RepoName>,
    /// GitHub's words, unknown ones included.
    pub status: String,
    pub conclusion: Option<String>,
    pub created_at: Option<Time>,
    pub started_at: Option<Time>,
    pub updated_at: Option<Time>,
    pub url: String,
}

/// One job of one attempt. The job list of a run holds those of all attempts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    pub id: JobId,
    pub run: RunId,
    pub attempt: u32,
    /// As GitHub sends it, runs of spaces included.
    pub name: String,
    pub status: String,
    pub conclusion: Option<String>,
    pub created_at: Option<Time>,
    pub started_at: Option<Time>,
    pub completed_at: Option<Time>,
    pub runner: Option<String>,
    pub url: String,
    #[serde(default, skip_serializing_if = "Steps::is_empty")]
    pub steps: Steps,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    pub id: ArtifactId,
    pub run: RunId,
    pub name: String,
    pub size: u64,
    /// GitHub's flag. `expires_at` feeds countdowns only.
    pub expired: bool,
    pub created_at: Option<Time>,
    pub expires_at: Option<Time>,
    /// `sha256:…` where upload-artifact v4 made it.
    pub digest: Option<String>,
}

impl Artifact {
    /// What is wrong with a download of it whose bytes have this SHA-256; nothing where GitHub states no such digest.
    pub fn forged(&self, sha256: &str) -> Option<Trouble> {
        let stated = self.digest.as_deref()?.strip_prefix("sha256:")?;
        if stated.eq_ignore_ascii_case(sha256) {
            return None;
        }
        let headline =
            format!("What was downloaded as artifact {} is not what GitHub says it holds: its digest differs.", self.id);
        Some(Trouble::new(
            TroubleKind::Malformed,
            headline,
            "Read it again; if it stays so, something on the way changes answers.",
        ))
    }
}

/// A file's bytes as text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    pub path: String,
    pub blob: BlobId,
    pub text: String,
}

/// The files of a folder: no folders below it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Folder {
    /// The candidate that existed.
    pub path: String,
    pub files: Listing<FolderFile>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderFile {
    /// The last part of its path.
    pub name: String,
    pub blob: BlobId,
}

/// A label was put on or taken off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelEvent {
    /// The event's number.
    pub id: u64,
    pub label: String,
    pub added: bool,
    pub at: Option<Time>,
}

/// What an app says of a commit under a name of its own; per name the newest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitStatus {
    pub context: String,
    /// `pending`, `success`, `failure`, `error`.
    pub state: String,
    pub description: String,
    pub at: Option<Time>,
    pub url: Option<String>,
}

/// What somebody may do in the repository, in GitHub's words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Permission {
    /// `admin`, `write`, `read` or `none`.
    pub permission: String,
    /// The role behind it: `maintain`, `triage`, or a custom one.
    pub role: Option<String>,
}

impl Permission {
    /// Whether it lets somebody push.
    pub fn can_write(&self) -> bool {
        matches!(self.permission.as_str(), "admin" | "maintain" | "write")
    }
}

/// A pull request elsewhere, as far as a link to it is judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinkedPull {
    pub title: String,
    /// GitHub's word: `open` or `closed`.
    pub state: String,
    pub draft: bool,
    /// `None`: not merged.
    pub merged_at: Option<Time>,
    pub files: Listing<ChangedFile>,
}

/// What came back from a comment that was posted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Posted {
    pub id: CommentId,
    pub author: Option<UserId>,
    pub url: String,
}
