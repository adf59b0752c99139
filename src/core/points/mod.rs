//! What a pull request does to the measured points, and what covers each of them: its job, its result, its eval.
//! Must not know: verdicts, how points are shown.
//!
//! Whatever is not read whole covers nothing: a point's cell is then empty, and its hole says what is missing.

mod cells;
mod claims;
mod draw;
mod hole;
pub mod launches;
mod notes;
mod places;
mod retired;
mod runs;
mod summary;
#[cfg(test)]
mod tests;

pub use cells::Scores;
pub use hole::Hole;
pub use launches::{ArmReview, Launches, needs as launch_needs, needs_of_base};
pub use notes::needs;
pub use places::Places;
pub use retired::Retired;

#[cfg(test)]
pub(crate) use tests::world;

use super::axes::Axes;
use super::claimed::Statement;
use super::configs::compare::Field;
use super::ids::{JobId, RunId, Sha};
use super::results::ResultRow;
use super::sweep::Outcome;

/// The points that a pull request adds, changes and removes, with their coverage.
#[derive(Debug, Clone, PartialEq)]
pub struct Points {
    /// Everything that decides about them was read whole.
    pub complete: bool,
    /// Why not; `None` exactly when complete.
    pub doubt: Option<String>,
    pub added: Vec<PointReview>,
    pub changed: Vec<PointReview>,
    /// Without coverage: nothing measures them any more.
    pub removed: Vec<PointReview>,
    pub untouched: Untouched,
    /// Entries that moved into an archive; their points are not listed one by one.
    pub retired: Vec<Retired>,
    /// Patterns that the changelog names: each stays one thing, however many configs it stands for.
    pub patterns: Vec<Pattern>,
    /// What else is to be known, a sentence each.
    pub notes: Vec<String>,
    /// The scripts and recipes that the points run. What is not read of them covers or uncovers no point.
    pub launches: Launches,
    /// Which points change was read whole, whatever is known of their coverage.
    pub keys_known: bool,
}

/// One point: a config, a scenario, a parallelism, a concurrency.
#[derive(Debug, Clone, PartialEq)]
pub struct PointReview {
    pub config: String,
    /// `fixed-seq-len`, `agentic-coding`.
    pub scenario: String,
    /// Tokens in and out, of fixed lengths.
    pub lengths: Option<(u32, u32)>,
    pub axes: Axes,
    /// As the entry writes it.
    pub image: Option<String>,
    /// Of a changed point, what differs.
    pub fields: Vec<Field>,
    pub job: Cell<JobRef>,
    pub result: Cell<ResultRow>,
    pub eval: Cell<EvalRef>,
    /// What the pull request's own texts claim of it.
    pub claims: Vec<Statement>,
}

/// What was found, and why it does not count, or why nothing was found. Both are empty only of a removed point.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell<T> {
    pub found: Option<T>,
    pub hole: Option<Hole>,
}

/// A job of a run, as of its last attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct JobRef {
    pub run: RunId,
    pub commit: Sha,
    /// Commits of the pull request that came after the run's; `None` where that is not known.
    pub behind: Option<usize>,
    pub attempt: u32,
    pub id: JobId,
    pub name: String,
    pub outcome: Outcome,
    /// GitHub's own words.
    pub status: String,
    pub conclusion: Option<String>,
    pub url: String,
    /// A newer run that counts, and what it says so far: `running`, `cancelled`.
    pub newer: Option<(RunId, String)>,
}

/// An eval job with its scores, once they are read.
#[derive(Debug, Clone, PartialEq)]
pub struct EvalRef {
    pub job: JobRef,
    pub scores: Option<Scores>,
}

/// Points of the entries that changed or are named, which stay as they were.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Untouched {
    pub count: usize,
    /// Of them, how many a run that counts has measured again, green.
    pub rerun: usize,
}

/// `gptoss*`, or `*` for a shared change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    pub pattern: String,
    /// How many keys it stands for; `None` while not all master files are read.
    pub keys: Option<usize>,
}

impl<T> Cell<T> {
    fn none() -> Cell<T> {
        Cell { found: None, hole: None }
    }

    fn hole(hole: Hole) -> Cell<T> {
        Cell { found: None, hole: Some(hole) }
    }

    /// Something was found, and nothing speaks against it.
    pub fn holds(&self) -> bool {
        self.found.is_some() && self.hole.is_none()
    }
}

impl PointReview {
    /// The first hole in the chain from the job over the result to the eval.
    pub fn hole(&self) -> Option<&Hole> {
        [&self.job.hole, &self.result.hole, &self.eval.hole].into_iter().find_map(Option::as_ref)
    }

    /// Its job is green and its result is there.
    pub fn is_measured(&self) -> bool {
        self.job.holds() && self.result.holds()
    }

    /// An eval of it is due, as far as is known.
    pub fn eval_is_due(&self) -> bool {
        let is_due = |hole: &Hole| !hole.is_expected() && !matches!(hole, Hole::Unread(_));
        self.eval.found.is_some() || self.eval.hole.as_ref().is_some_and(is_due)
    }

    /// `TP2/EP2 c16`.
    pub fn render_point(&self) -> String {
        format!("{} {}", self.axes.render_parallel(), self.axes.render_conc())
    }

    /// `fixed-seq-len 8192/1024`.
    pub fn render_scenario(&self) -> String {
        match self.lengths {
            Some((isl, osl)) => format!("{} {isl}/{osl}", self.scenario),
            None => self.scenario.clone(),
        }
    }

    fn holes(&self) -> impl Iterator<Item = &Hole> {
        [&self.job.hole, &self.result.hole, &self.eval.hole].into_iter().flatten()
    }
}

impl Points {
    /// The points that the pull request adds or changes.
    pub fn living(&self) -> impl Iterator<Item = &PointReview> {
        self.added.iter().chain(&self.changed)
    }
}
