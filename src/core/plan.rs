//! What to read next, as a pure function of what is known: the screen and the headless commands open a pull request
//! by the same plan, level by level, each level in parallel.
//! Must not know: HTTP; it names things, `github::calls` knows their addresses.

use super::evals::EvalRow;
use super::evidence::Source;
use super::facts::{DocumentKind, Facts, Side};
use super::ids::{ArtifactId, BlobId, RunId, Sha};
use super::listing::Listing;
use super::policy::Policy;
use super::pull::{Artifact, ChangedFile, Comment, Commit, Document, Job, Pull, Repository, Run, Viewer};
use super::remote::{Remote, Sourced};
use super::trouble::{Trouble, TroubleKind};
use serde::{Deserialize, Serialize};

/// One thing to read. Comparable, so that a test can ask what would have been read.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Read {
    Viewer,
    Repository,
    Pull,
    /// All changed files, at most 3,000.
    Files,
    /// All commits, at most 250.
    Commits,
    Comments,
    Reviews,
    LineComments,
    /// The commit where head left the base branch.
    MergeBase {
        base: Sha,
        head: Sha,
    },
    /// Runs of the head branch and of the head commit, every workflow and event.
    Runs {
        branch: String,
        head: Sha,
    },
    /// One run anew.
    Run(RunId),
    /// All jobs of all attempts.
    Jobs(RunId),
    /// The run's artifacts of one name.
    Artifacts {
        run: RunId,
        name: String,
    },
    /// Downloads an artifact and reads the eval rows in it.
    Evals {
        run: RunId,
        artifact: ArtifactId,
    },
    /// The first of `paths` that exists on the default branch.
    Document {
        kind: DocumentKind,
        paths: Vec<String>,
    },
    /// A changed file at one side; `blob` saves a look-up where the file list told it.
    SideFile {
        side: Side,
        path: String,
        commit: Sha,
        blob: Option<BlobId>,
    },
}

/// What a [`Read`] brings, of the same name.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    Viewer(Viewer),
    Repository(Repository),
    Pull(Pull),
    Files(Listing<ChangedFile>),
    Commits(Listing<Commit>),
    Comments(Listing<Comment>),
    Reviews(Listing<Comment>),
    LineComments(Listing<Comment>),
    MergeBase(Sha),
    Runs(Listing<Run>),
    Run(Run),
    Jobs(Listing<Job>),
    Artifacts(Listing<Artifact>),
    Evals(Listing<EvalRow>),
    Document(Document),
    SideFile(Document),
}

/// One answer to one read; a list may answer page by page, `last` marks the end.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    pub read: Read,
    pub answer: Result<(Answer, Source), Trouble>,
    pub last: bool,
}
