//! Why a cell of a point is empty: one reason, as a stable word and as a sentence with a way on.
//! Must not know: how reasons are found, how they look.

use crate::core::ids::{RunId, Sha};
use crate::core::text::counted;
use crate::core::time::Day;

/// Why a point has no job, no result or no score that counts.
#[derive(Debug, Clone, PartialEq)]
pub enum Hole {
    /// No new changelog entry names the config.
    Unnamed {
        key: String,
    },
    /// An entry names the config, and asks for something else: other scenarios, evals only, what is added only.
    Unasked {
        key: String,
    },
    /// Such lanes are not run any more.
    RetiredLane {
        lane: String,
    },
    NoRun,
    /// The run is over and holds no such job.
    Absent {
        run: RunId,
    },
    Skipped {
        run: RunId,
        canary: bool,
    },
    /// Every lane of the run was skipped: an earlier one was to be reused.
    Gated {
        run: RunId,
    },
    /// `after` is the job of the same lane that failed.
    Cancelled {
        run: RunId,
        after: Option<String>,
        fail_fast: bool,
    },
    /// It ended, and not well; `word` says how.
    Failed {
        run: RunId,
        word: String,
    },
    /// Queued, running, or not started while the run goes on.
    Pending {
        run: RunId,
        word: String,
    },
    /// A state that this version does not know.
    Strange {
        run: RunId,
        word: String,
    },
    /// Only a run of a commit that is not of this pull request has it.
    Foreign {
        run: RunId,
        commit: Sha,
    },
    /// Only a run that is no evidence has it.
    Trial {
        run: RunId,
        label: String,
    },
    /// The name, or the axes, of its job or row are those of several points.
    Shared {
        what: String,
        points: usize,
        found: usize,
    },
    /// Something that decides it was not read, or not whole.
    Unread(String),
    /// There is no green benchmark whose result could be looked up.
    Unmeasured,
    /// The run kept no result at all.
    NoResults {
        run: RunId,
    },
    NoRow {
        run: RunId,
        rows: usize,
    },
    SeveralRows {
        run: RunId,
        rows: usize,
    },
    OtherImage {
        run: RunId,
        image: String,
        wanted: String,
    },
    /// The row holds no total throughput.
    NoNumber {
        run: RunId,
    },
    /// Evals of such points are due at this concurrency or above.
    BelowLeast {
        conc: u32,
        least: u32,
    },
    /// Evals of such points are due from a later day on.
    BeforeRule {
        since: Day,
        day: Day,
    },
    /// Only these lengths are evaluated: tokens in, tokens out.
    OtherLengths {
        lengths: (u32, u32),
    },
    /// The changelog entry asks for no evals.
    EvalsOff {
        key: String,
    },
    /// The rules of that day choose other points.
    NotChosen {
        day: Day,
    },
    /// The eval ran, of another commit than the benchmark.
    OtherCommit {
        run: RunId,
        commit: Sha,
    },
    NoScore {
        run: RunId,
    },
    Low {
        task: String,
        metric: String,
        score: f64,
        bar: f64,
    },
    /// The bar is 0, so nothing was checked.
    Diagnostic {
        task: String,
    },
}

impl Hole {
    /// A stable word for programs.
    pub fn word(&self) -> &'static str {
        match self {
            Hole::Unnamed { .. } => "not_in_changelog",
            Hole::Unasked { .. } => "not_asked_for",
            Hole::RetiredLane { .. } => "lane_retired",
            Hole::NoRun => "no_run",
            Hole::Absent { .. } => "not_in_run",
            Hole::Skipped { .. } => "skipped",
            Hole::Gated { .. } => "reuse_gated",
            Hole::Cancelled { fail_fast: true, after: Some(_), .. } => "cancelled_by_fail_fast",
            Hole::Cancelled { .. } => "cancelled",
            Hole::Failed { .. } => "failed",
            Hole::Pending { .. } => "still_running",
            Hole::Strange { .. } => "unknown_state",
            Hole::Foreign { .. } => "run_of_other_commit",
            Hole::Trial { .. } => "trial_run",
            Hole::Shared { .. } => "ambiguous",
            Hole::Unread(_) => "not_read",
            Hole::Unmeasured => "not_measured",
            Hole::NoResults { .. } => "no_results",
            Hole::NoRow { .. } => "no_row",
            Hole::SeveralRows { .. } => "several_rows",
            Hole::OtherImage { .. } => "other_image",
            Hole::NoNumber { .. } => "no_number",
            Hole::BelowLeast { .. } => "eval_not_due_below_concurrency",
            Hole::BeforeRule { .. } => "eval_not_due_before_rule",
            Hole::OtherLengths { .. } => "eval_not_due_for_lengths",
            Hole::EvalsOff { .. } => "eval_not_asked_for",
            Hole::NotChosen { .. } => "eval_not_chosen",
            Hole::OtherCommit { .. } => "eval_of_other_commit",
            Hole::NoScore { .. } => "no_score",
            Hole::Low { .. } => "below_bar",
            Hole::Diagnostic { .. } => "diagnostic",
        }
    }

    /// Nothing is missing: by the rules none was to be there.
    pub fn is_expected(&self) -> bool {
        matches!(
            self,
            Hole::RetiredLane { .. }
                | Hole::BelowLeast { .. }
                | Hole::BeforeRule { .. }
                | Hole::OtherLengths { .. }
                | Hole::EvalsOff { .. }
                | Hole::NotChosen { .. }
        )
    }

    /// What is missing, why, and a way on where there is one.
    pub fn sentence(&self) -> String {
        match self {
            Hole::Unnamed { key } => {
                format!(
                    "No new changelog entry names {key}, so no sweep measures it: add an entry, or leave the config as it was."
                )
            }
            Hole::Unasked { key } => {
                format!("The changelog entry of {key} does not ask for this: widen the entry if it is to be measured.")
            }
            Hole::RetiredLane { lane } => format!("Lanes of {lane} are not run any more, so none is due."),
            Hole::NoRun => "No sweep of this pull request that counts has it: start one.".to_owned(),
            Hole::Absent { run } => {
                format!("Run {run} holds no such job: compare its config with what the run was started from.")
            }
            Hole::Skipped { run, canary: true } => {
                format!("Skipped in run {run}, whose canary did not end well: see the canary's log first.")
            }
            Hole::Skipped { run, .. } => format!("Skipped in run {run}: look which condition kept its lane from starting."),
            Hole::Gated { run } => {
                format!("Run {run} executed no lane, as runs do that reuse an earlier one: look for the run that it reuses.")
            }
            Hole::Cancelled { run, after: Some(job), fail_fast: true } => {
                format!("Cancelled by fail-fast in run {run} after {job} failed: mend that job and run the failed ones again.")
            }
            Hole::Cancelled { run, after: Some(job), .. } => {
                format!("Cancelled in run {run}, where {job} of the same lane failed: see that job first.")
            }
            Hole::Cancelled { run, .. } => format!("Cancelled in run {run}: run it again."),
            Hole::Failed { run, word } => format!("It ended in run {run} without success ({word}): see its log."),
            Hole::Pending { run, word } => format!("Not finished in run {run} ({word}): wait for it."),
            Hole::Strange { run, word } => {
                format!("GitHub says `{word}` of it in run {run}, which this version does not know: look at the run's page.")
            }
            Hole::Foreign { run, commit } => format!(
                "Only run {run} holds it, of {}, which is no commit of this pull request: run a sweep of one that is.",
                commit.short()
            ),
            Hole::Trial { run, label } => {
                format!(
                    "Only run {run} holds it, started under the label {label}, and such a run is no evidence: run a full sweep."
                )
            }
            Hole::Shared { what, points, found } => format!(
                "`{what}` stands for {} and was found {found} times, so which is which cannot be told: see the run's page.",
                counted(*points, "point")
            ),
            Hole::Unread(why) => why.clone(),
            Hole::Unmeasured => "No green benchmark of it counts, so there is no result to look up.".to_owned(),
            Hole::NoResults { run } => format!("Run {run} kept no results: look whether its benchmark jobs uploaded them."),
            Hole::NoRow { run, rows } => {
                format!("None of the {rows} result rows of run {run} is of this point: look whether its job uploaded one.")
            }
            Hole::SeveralRows { run, rows } => {
                format!(
                    "{rows} result rows of run {run} are of this point, and which one counts cannot be told: see its artifacts."
                )
            }
            Hole::OtherImage { run, image, wanted } => {
                format!("Run {run} measured it with {image}, and the head asks for {wanted}: run a sweep of the head.")
            }
            Hole::NoNumber { run } => format!("Its row of run {run} holds no throughput that is a number: see the artifact."),
            Hole::BelowLeast { conc, least } => {
                format!("No eval is due: concurrency {conc} is below {least}, from which on such points are evaluated.")
            }
            Hole::BeforeRule { since, day } => {
                format!("No eval is due: on {day} such points were not evaluated, as they are since {since}.")
            }
            Hole::OtherLengths { lengths: (isl, osl) } => {
                format!("No eval is due: of fixed lengths only {isl} tokens in and {osl} out are evaluated.")
            }
            Hole::EvalsOff { key } => format!("No eval is due: the changelog entry of {key} asks for none."),
            Hole::NotChosen { day } => format!("No eval is due: by the rules of {day} other points are evaluated."),
            Hole::OtherCommit { run, commit } => format!(
                "Its eval ran in run {run}, of {}, which is not the commit of the benchmark: run both of one commit.",
                commit.short()
            ),
            Hole::NoScore { run } => {
                format!("The scores of run {run} hold none of this point: look whether its eval uploaded one.")
            }
            Hole::Low { task, metric, score, bar } => {
                format!(
                    "Below the bar: {task} {metric} scored {score} against {bar}. Find the cause before it is measured again."
                )
            }
            Hole::Diagnostic { task } => format!("The bar of {task} is 0, so no score was checked: judge it yourself."),
        }
    }
}
