//! The registry of actions: one row per action feeds keys, footer, help, palette and the README's table.
//! Must not know: how a key arrives or how help is drawn.

use super::model::{DraftState, Model, Overlay, Pane, Reach};
use super::screens::sweep::Mode;
use super::update::{errand, joblog, pins};
use crate::core::checklist::blocks::own_signoffs;
use crate::core::errand::Errands;
use crate::core::posting::{Posting, Target};

/// Where an action applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    Everywhere,
    Pane(Pane),
    /// While the post is to be confirmed.
    Confirm,
    /// While an errand is to be confirmed.
    Errand,
    /// While the log of a job is open.
    JobLog,
}

impl Scope {
    /// The heading in help and in the README.
    pub fn title(self) -> &'static str {
        match self {
            Scope::Everywhere => "Everywhere",
            Scope::Pane(pane) => pane.title(),
            Scope::Confirm => "Confirming a post",
            Scope::Errand => "Confirming another write",
            Scope::JobLog => "Log of a job",
        }
    }

    /// Whether the palette lists actions of this scope. It lies over a question, and a question is answered only while it is on
    /// screen; what a log is asked for wants one that is open.
    fn is_listed(self, model: &Model) -> bool {
        match self {
            Scope::Everywhere | Scope::Pane(_) => true,
            Scope::Confirm | Scope::Errand => false,
            Scope::JobLog => model.joblog.is_some(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ActionId {
    Down,
    Up,
    HalfPageDown,
    HalfPageUp,
    PageDown,
    PageUp,
    Top,
    Bottom,
    NextPane,
    PreviousPane,
    GoChecklist,
    GoDiff,
    GoSweep,
    GoEvals,
    GoTalk,
    GoSignoff,
    GoChecks,
    GoPoints,
    GoResults,
    Preview,
    Post,
    EditDetail,
    Refresh,
    OpenBrowser,
    CopyLink,
    Help,
    Palette,
    Log,
    Back,
    Suspend,
    Quit,
    QuitNow,
    Tick,
    Follow,
    NextNeedsMe,
    FollowCheck,
    GoItem,
    FollowPoint,
    FollowResult,
    NextCurve,
    PreviousCurve,
    NextView,
    NextReference,
    AskReference,
    Filter,
    Export,
    NextCheck,
    NextEvidence,
    PreviousEvidence,
    NextHunk,
    PreviousHunk,
    NextFile,
    PreviousFile,
    Left,
    Right,
    Search,
    SearchNext,
    SearchPrevious,
    Fold,
    JobLog,
    JobLogFold,
    JobLogFoldAll,
    JobLogTimes,
    JobLogLeft,
    JobLogRight,
    JobLogNextError,
    JobLogErrorBack,
    JobLogSearch,
    JobLogNextMatch,
    JobLogMatchBack,
    JobLogLater,
    JobLogEarlier,
    JobLogCopy,
    JobLogSave,
    JobLogAgain,
    NextSweepMode,
    SortJobs,
    NextRowAxis,
    NextColumnAxis,
    CellLeft,
    CellRight,
    ResetDetail,
    WhyNot,
    LinkItem,
    FollowFact,
    TurnPreview,
    TakeOver,
    Undo,
    Redo,
    Messages,
    PinEvidence,
    Way,
    ConfirmPost,
    ConfirmDespite,
    CancelPost,
    RerunFailed,
    RerunJob,
    CancelRun,
    PinRun,
    SweepLabel,
    VerifyAgain,
    ConfirmErrand,
    CancelErrand,
}

use ActionId as Id;

/// One row of the registry.
pub struct Action {
    pub id: ActionId,
    /// Its name in the key file and the palette: `next_hunk`.
    pub name: &'static str,
    /// One to three words, for the footer.
    pub title: &'static str,
    /// A sentence, for help.
    pub help: &'static str,
    pub scope: Scope,
    /// Default keys; a sequence is written with spaces.
    pub keys: &'static [&'static str],
    /// Whether the footer offers it.
    pub footer: bool,
    /// `Err` is the sentence that says why not.
    pub available: fn(&Model) -> Result<(), String>,
}

const CHECKLIST: Scope = Scope::Pane(Pane::Checklist);
const DIFF: Scope = Scope::Pane(Pane::Diff);
const SWEEP: Scope = Scope::Pane(Pane::Sweep);
const SIGNOFF: Scope = Scope::Pane(Pane::Signoff);
const CHECKS: Scope = Scope::Pane(Pane::Checks);
const POINTS: Scope = Scope::Pane(Pane::Points);
const RESULTS: Scope = Scope::Pane(Pane::Results);
const CONFIRM: Scope = Scope::Confirm;
const ERRAND: Scope = Scope::Errand;
const JOBLOG: Scope = Scope::JobLog;
const ANYWHERE: Scope = Scope::Everywhere;
/// The footer offers it, or it can be found in help only.
const SHOWN: bool = true;
const QUIET: bool = false;

/// All actions, in the order of the help page.
#[rustfmt::skip] // a table: one row per action
pub static ACTIONS: &[Action] = &[
    row(Id::Tick,           CHECKLIST, &["Space"],           "tick",            "tick",           SHOWN, can_tick,         "Tick or untick the item and move on; never more than one at a time"),
    row(Id::Follow,         CHECKLIST, &["Enter"],           "follow",          "evidence",       SHOWN, has_items,        "Go to what supports the item; Esc comes back"),
    row(Id::NextNeedsMe,    CHECKLIST, &["J"],               "next_needs_me",   "next open",      QUIET, has_items,        "Go to the next item that is not ticked"),
    row(Id::WhyNot,         CHECKLIST, &["x"],               "why_not",         "reason",         SHOWN, can_write,        "Say why the item is not ticked: the details carry the reason"),
    row(Id::LinkItem,       CHECKLIST, &["l"],               "link_item",       "link",           SHOWN, can_write,        "Put a link or a remark behind the item's words"),
    row(Id::NextHunk,       DIFF,      &["]"],               "next_hunk",       "hunk",           SHOWN, has_files,        "Go to the next hunk, in the next file if need be"),
    row(Id::PreviousHunk,   DIFF,      &["["],               "previous_hunk",   "hunk back",      QUIET, has_files,        "Go to the hunk before"),
    row(Id::NextFile,       DIFF,      &["}"],               "next_file",       "file",           SHOWN, has_files,        "Go to the next file"),
    row(Id::PreviousFile,   DIFF,      &["{"],               "previous_file",   "file back",      QUIET, has_files,        "Go to the file before"),
    row(Id::Left,           DIFF,      &["h", "Left"],       "left",            "left",           QUIET, has_files,        "Scroll long lines back"),
    row(Id::Right,          DIFF,      &["l", "Right"],      "right",           "right",          QUIET, has_files,        "Scroll long lines on"),
    row(Id::Search,         DIFF,      &["/"],               "search",          "search",         SHOWN, has_files,        "Search the file; n and N repeat, Esc clears the marks"),
    row(Id::SearchNext,     DIFF,      &["n"],               "search_next",     "next match",     QUIET, has_search,       "Go to the next match, round the end"),
    row(Id::SearchPrevious, DIFF,      &["N"],               "search_previous", "match back",     QUIET, has_search,       "Go to the match before, round the start"),
    row(Id::Fold,           SWEEP,     &["Enter", "Space"],  "fold",            "fold",           SHOWN, has_sweep,        "Show or hide the jobs of the run, lane or cause, the attempts of the job; list the jobs of the cell"),
    row(Id::NextSweepMode,  SWEEP,     &["v"],               "jobs_view",       "other view",     SHOWN, has_sweep,        "Show the runs as a list, as a matrix of any two axes, or by what went wrong"),
    row(Id::SortJobs,       SWEEP,     &["s"],               "sort_jobs",       "sort",           QUIET, has_list,         "Sort the jobs of each lane: as GitHub lists them, worst, longest or newest first"),
    row(Id::NextRowAxis,    SWEEP,     &["["],               "row_axis",        "rows by",        QUIET, has_table,        "Lay the matrix out with the next axis as its rows"),
    row(Id::NextColumnAxis, SWEEP,     &["]"],               "column_axis",     "columns by",     QUIET, has_table,        "Lay the matrix out with the next axis as its columns"),
    row(Id::CellLeft,       SWEEP,     &["h", "Left"],       "cell_left",       "cell back",      QUIET, has_table,        "Go to the cell on the left"),
    row(Id::CellRight,      SWEEP,     &["Right"],           "cell_right",      "cell",           QUIET, has_table,        "Go to the cell on the right"),
    row(Id::JobLog,         SWEEP,     &["l"],               "job_log",         "log",            SHOWN, joblog::can_open, "Show the log of the job under the cursor"),
    row(Id::RerunFailed,    SWEEP,     &["R"],               "rerun_failed",    "re-run failed",  QUIET, can_run,          "Re-run what failed in the run under the cursor; asks first"),
    row(Id::RerunJob,       SWEEP,     &["J"],               "rerun_job",       "re-run job",     QUIET, can_job,          "Re-run the job under the cursor; asks first"),
    row(Id::CancelRun,      SWEEP,     &["X"],               "cancel_run",      "cancel run",     QUIET, can_run,          "Cancel the run under the cursor; asks first"),
    row(Id::PinRun,         SWEEP,     &["U"],               "pin_run",         "use run",        QUIET, can_run,          "Pin the run under the cursor for the merge, by a comment; asks first"),
    row(Id::FollowFact,     SIGNOFF,   &["Enter"],           "follow_fact",     "evidence",       SHOWN, has_items,        "Go to what the text under the cursor rests on; Esc comes back"),
    row(Id::TurnPreview,    SIGNOFF,   &["m"],               "turn_preview",    "as it looks",    SHOWN, has_items,        "Show the comment as GitHub will render it, or its Markdown"),
    row(Id::ResetDetail,    SIGNOFF,   &["D"],               "reset_detail",    "draft anew",     QUIET, can_reset_detail, "Drop your detail text and draft it from evidence again"),
    row(Id::Way,            SIGNOFF,   &["W"],               "way",             "way",            SHOWN, can_choose_way,   "Post as a comment, as a review that comments, or as one that approves"),
    row(Id::FollowCheck,    CHECKS,    &["Enter"],           "follow_check",    "evidence",       SHOWN, has_evidence,     "Go to what supports the check, in its pane or in the browser; Esc comes back"),
    row(Id::GoItem,         CHECKS,    &["i"],               "go_item",         "item",           QUIET, has_checks,       "Go to the checklist's item that the check answers; Esc comes back"),
    row(Id::NextCheck,      CHECKS,    &["J"],               "next_check",      "next open",      SHOWN, has_checks,       "Go to the next check that is not green, or that the bot judged otherwise"),
    row(Id::NextEvidence,   CHECKS,    &["]"],               "next_evidence",   "more evidence",  QUIET, has_evidence,     "Choose the next piece of the check's evidence"),
    row(Id::PreviousEvidence, CHECKS,  &["["],               "previous_evidence", "evidence back", QUIET, has_evidence,    "Choose the piece of evidence before"),
    row(Id::FollowPoint,    POINTS,    &["Enter"],           "follow_point",    "job",            SHOWN, has_point_job,    "Go to the job that measured the point; Esc comes back"),
    row(Id::FollowResult,   RESULTS,   &["Enter"],           "follow_result",   "job",            SHOWN, has_result_job,   "Go to the job that measured the point; Esc comes back"),
    row(Id::NextCurve,      RESULTS,   &["]"],               "next_curve",      "curve",          SHOWN, has_curves,       "Show the next curve of the run"),
    row(Id::PreviousCurve,  RESULTS,   &["["],               "previous_curve",  "curve back",     QUIET, has_curves,       "Show the curve before"),
    row(Id::NextView,       RESULTS,   &["v"],               "next_view",       "other axis",     SHOWN, has_curves,       "Draw throughput against end-to-end latency, or against interactivity"),
    row(Id::NextReference,  RESULTS,   &["a"],               "next_reference",  "against",        SHOWN, has_references,   "Compare with an earlier run of this pull request, the next one, or none"),
    row(Id::AskReference,   RESULTS,   &["A"],               "ask_reference",   "against …",      QUIET, has_curves,       "Name what to compare with: run:ID, base, arm:spec=none, or a file"),
    row(Id::Export,         RESULTS,   &["w"],               "export",          "write",          SHOWN, has_curves,       "Write the plots as SVG and the table as Markdown, CSV and JSON into this folder"),
    row(Id::ConfirmPost,    CONFIRM,   &["y"],               "confirm_post",    "post it",        SHOWN, unwarned,         "Post exactly the text that was shown, once"),
    row(Id::ConfirmDespite, CONFIRM,   &["Y"],               "confirm_despite", "post anyway",    SHOWN, warned,           "After y: post although the bot will reject it"),
    row(Id::CancelPost,     CONFIRM,   &["n", "Esc", "q"],   "cancel_post",     "do not post",    SHOWN, always,           "Go back to the draft; nothing is written"),
    row(Id::ConfirmErrand,  ERRAND,    &["y"],               "confirm_errand",  "do it",          SHOWN, always,           "Do exactly what was shown, once"),
    row(Id::CancelErrand,   ERRAND,    &["n", "Esc", "q"],   "cancel_errand",   "do not",         SHOWN, always,           "Go back; nothing is sent"),
    row(Id::JobLogNextError, JOBLOG,   &["e"],               "job_log_error",   "error",          SHOWN, joblog::has_lines, "Go to the next line that is marked as an error, round the end"),
    row(Id::JobLogErrorBack, JOBLOG,   &["E"],               "job_log_error_back", "error back",  QUIET, joblog::has_lines, "Go to the error before"),
    row(Id::JobLogFold,     JOBLOG,    &["Space", "Enter"],  "job_log_fold",    "fold",           SHOWN, joblog::has_lines, "Show or hide the lines of the group, or of the step"),
    row(Id::JobLogFoldAll,  JOBLOG,    &["z"],               "job_log_fold_all", "fold all",      SHOWN, joblog::has_lines, "Show the lines of all steps and groups, or of none"),
    row(Id::JobLogSearch,   JOBLOG,    &["/"],               "job_log_search",  "search",         SHOWN, joblog::is_whole, "Search the whole log; a capital letter makes case count"),
    row(Id::JobLogNextMatch, JOBLOG,   &["n"],               "job_log_match",   "next match",     QUIET, joblog::has_search, "Go to the next line that matches, round the end"),
    row(Id::JobLogMatchBack, JOBLOG,   &["N"],               "job_log_match_back", "match back",  QUIET, joblog::has_search, "Go to the line before that matches"),
    row(Id::JobLogTimes,    JOBLOG,    &["t"],               "job_log_times",   "times",          SHOWN, joblog::is_open,  "Show or hide when each line was written"),
    row(Id::JobLogLeft,     JOBLOG,    &["h", "Left"],       "job_log_left",    "left",           QUIET, joblog::has_lines, "Scroll long lines back"),
    row(Id::JobLogRight,    JOBLOG,    &["l", "Right"],      "job_log_right",   "right",          QUIET, joblog::has_lines, "Scroll long lines on"),
    row(Id::JobLogEarlier,  JOBLOG,    &["["],               "job_log_earlier", "attempt back",   QUIET, joblog::is_open,  "Show the log of the same job in the attempt before"),
    row(Id::JobLogLater,    JOBLOG,    &["]"],               "job_log_later",   "later attempt",  QUIET, joblog::is_open,  "Show the log of the same job in the next attempt"),
    row(Id::JobLogCopy,     JOBLOG,    &["y"],               "job_log_copy",    "copy",           QUIET, joblog::has_lines, "Copy the line, and the link of the job's page"),
    row(Id::JobLogSave,     JOBLOG,    &["w"],               "job_log_save",    "write",          SHOWN, joblog::has_lines, "Write the log, exactly as it came, into this folder"),
    row(Id::JobLogAgain,    JOBLOG,    &["r"],               "job_log_again",   "look again",     SHOWN, joblog::can_ask_again, "Ask GitHub again for a log that was not there"),
    row(Id::TakeOver,       ANYWHERE,  &["I"],               "take_over",       "take over",      QUIET, can_take_over,    "Take your earlier sign-off over into the draft, to edit it in place"),
    row(Id::Undo,           ANYWHERE,  &["u"],               "undo",            "undo",           QUIET, can_undo,         "Bring the draft's text back to how it was; up to 50 states are kept"),
    row(Id::Redo,           ANYWHERE,  &["C-r"],             "redo",            "redo",           QUIET, can_redo,         "Take back what undo did"),
    row(Id::Messages,       ANYWHERE,  &["c"],               "messages",        "messages",       QUIET, always,           "Choose a message to copy: to the author, to another signer, to who merges"),
    row(Id::PinEvidence,    ANYWHERE,  &["a"],               "pin_evidence",    "pin",            SHOWN, can_pin,          "Pin the run, the job or the line of a log under the cursor as evidence, or take its pin away; in the sign-off, the pin that the row tells"),
    row(Id::Preview,        ANYWHERE,  &["P"],               "preview",         "preview",        SHOWN, unseen,           "Show the exact comment that would be posted"),
    row(Id::Post,           ANYWHERE,  &["p"],               "post",            "post",           SHOWN, can_post,         "From the preview: read everything again, then ask for your word"),
    row(Id::EditDetail,     ANYWHERE,  &["e"],               "edit_detail",     "details",        SHOWN, can_edit,         "Write the detail section in your editor"),
    row(Id::SweepLabel,     ANYWHERE,  &["L"],               "label",           "labels",         QUIET, can_label,        "Put a sweep's label on or take one off; asks first"),
    row(Id::VerifyAgain,    ANYWHERE,  &["V"],               "verify_again",    "verify again",   QUIET, can_verify,       "Have the bot read your sign-off again; asks first"),
    row(Id::NextPane,       ANYWHERE,  &["Tab"],             "next_pane",       "next pane",      QUIET, always,           "Go to the next pane"),
    row(Id::PreviousPane,   ANYWHERE,  &["S-Tab"],           "previous_pane",   "pane back",      QUIET, always,           "Go to the pane before"),
    row(Id::GoChecklist,    ANYWHERE,  &["0"],               "checklist",       "checklist",      QUIET, always,           "Go to the checklist"),
    row(Id::GoDiff,         ANYWHERE,  &["1"],               "diff",            "diff",           QUIET, always,           "Go to the diff"),
    row(Id::GoSweep,        ANYWHERE,  &["2"],               "sweep",           "sweep",          QUIET, always,           "Go to the runs and jobs"),
    row(Id::GoEvals,        ANYWHERE,  &["3"],               "evals",           "evals",          QUIET, always,           "Go to the eval scores"),
    row(Id::GoTalk,         ANYWHERE,  &["4"],               "talk",            "talk",           QUIET, always,           "Go to the conversation"),
    row(Id::GoSignoff,      ANYWHERE,  &["5"],               "signoff",         "sign-off",       QUIET, always,           "Go to the comment in the making"),
    row(Id::GoChecks,       ANYWHERE,  &["6"],               "checks",          "checks",         QUIET, always,           "Go to what the bot will answer, check by check"),
    row(Id::GoPoints,       ANYWHERE,  &["7"],               "points",          "points",         QUIET, always,           "Go to the measured points that come, change or go"),
    row(Id::GoResults,      ANYWHERE,  &["8"],               "results",         "results",        QUIET, always,           "Go to the curves that the run measured"),
    row(Id::Down,           ANYWHERE,  &["j", "Down"],       "down",            "down",           QUIET, always,           "One row down; in a log a count may stand before it (5j)"),
    row(Id::Up,             ANYWHERE,  &["k", "Up"],         "up",              "up",             QUIET, always,           "One row up"),
    row(Id::HalfPageDown,   ANYWHERE,  &["C-d"],             "half_page_down",  "half page down", QUIET, always,           "Half a page down"),
    row(Id::HalfPageUp,     ANYWHERE,  &["C-u"],             "half_page_up",    "half page up",   QUIET, always,           "Half a page up"),
    row(Id::PageDown,       ANYWHERE,  &["PageDown", "C-f"], "page_down",       "page down",      QUIET, always,           "A page down"),
    row(Id::PageUp,         ANYWHERE,  &["PageUp", "C-b"],   "page_up",         "page up",        QUIET, always,           "A page up"),
    row(Id::Top,            ANYWHERE,  &["g g", "Home"],     "top",             "top",            QUIET, always,           "To the first row"),
    row(Id::Bottom,         ANYWHERE,  &["G", "End"],        "bottom",          "bottom",         QUIET, always,           "To the last row"),
    row(Id::Filter,         ANYWHERE,  &["/"],               "filter",          "filter",         QUIET, can_filter,       "Keep the rows that match: words, is:…, hw:b200, conc:>=32, tp:2; - before one negates it, Esc clears"),
    row(Id::Refresh,        ANYWHERE,  &["r"],               "refresh",         "refresh",        QUIET, can_refresh,      "Read everything from GitHub again"),
    row(Id::OpenBrowser,    ANYWHERE,  &["o"],               "open",            "browser",        QUIET, has_link,         "Open what the cursor is on in the browser"),
    row(Id::CopyLink,       ANYWHERE,  &["y"],               "copy",            "copy",           QUIET, has_link,         "Copy the link of what the cursor is on; in the sign-off, its text"),
    row(Id::Back,           ANYWHERE,  &["Esc"],             "back",            "back",           QUIET, always,           "Close what lies on top, clear the search, or return to where you came from"),
    row(Id::Palette,        ANYWHERE,  &[":", "C-p"],        "palette",         "command",        SHOWN, always,           "Find an action by its name"),
    row(Id::Help,           ANYWHERE,  &["?"],               "help",            "keys",           SHOWN, always,           "Show the keys that work here"),
    row(Id::Log,            ANYWHERE,  &["g l"],             "log",             "log",            QUIET, always,           "Show the newest lines of the log, and where it is kept"),
    row(Id::Suspend,        ANYWHERE,  &["C-z"],             "suspend",         "suspend",        QUIET, always,           "Stop the program; fg brings it back"),
    row(Id::Quit,           ANYWHERE,  &["q"],               "quit",            "quit",           SHOWN, can_quit,         "Go back, and from the top leave; the draft is kept"),
    row(Id::QuitNow,        ANYWHERE,  &["C-c"],             "quit_now",        "leave",          QUIET, always,           "Leave at once; the draft is kept"),
];

#[allow(clippy::too_many_arguments)] // a row of the table above
const fn row(
    id: ActionId,
    scope: Scope,
    keys: &'static [&'static str],
    name: &'static str,
    title: &'static str,
    footer: bool,
    available: fn(&Model) -> Result<(), String>,
    help: &'static str,
) -> Action {
    Action { id, name, title, help, scope, keys, footer, available }
}

/// The row of an action.
pub fn action(id: ActionId) -> &'static Action {
    // The registry holds every id: `tests::every_action_has_one_row`.
    ACTIONS.iter().find(|action| action.id == id).unwrap_or(&ACTIONS[0])
}

/// What the palette lists, in the registry's order: what can be run from there, or says why not now.
pub fn listed(model: &Model) -> impl Iterator<Item = &'static Action> {
    ACTIONS.iter().filter(|action| action.scope.is_listed(model))
}

/// The scopes that are in force, innermost first.
pub fn scopes(model: &Model) -> [Scope; 2] {
    if model.posting.question().is_some() && model.overlay == Overlay::None {
        return [Scope::Confirm, Scope::Confirm];
    }
    if matches!(model.errands, Errands::Confirming(_)) && model.overlay == Overlay::None {
        return [Scope::Errand, Scope::Errand];
    }
    if model.joblog.is_some() {
        return [Scope::JobLog, Scope::Everywhere];
    }
    [Scope::Pane(model.focus), Scope::Everywhere]
}

fn always(_: &Model) -> Result<(), String> {
    Ok(())
}

fn unseen(model: &Model) -> Result<(), String> {
    match model.focus {
        Pane::Signoff => Err("This is the comment that would be posted.".to_owned()),
        _ => Ok(()),
    }
}

fn has_items(model: &Model) -> Result<(), String> {
    match &model.review.signoff {
        Some(Ok(_)) => Ok(()),
        Some(Err(trouble)) => Err(trouble.headline.clone()),
        None => Err("The checklist is still being read.".to_owned()),
    }
}

fn writable(model: &Model) -> Result<(), String> {
    if let DraftState::ReadOnly(why) = &model.draft_state {
        return Err(why.clone());
    }
    if model.posting.is_locked() {
        return Err("A comment is on its way: the draft is locked until its outcome is clear.".to_owned());
    }
    Ok(())
}

fn can_tick(model: &Model) -> Result<(), String> {
    has_items(model)?;
    writable(model)?;
    if model.facts.head().is_none() {
        return Err("The head commit is not read yet: a tick belongs to a commit.".to_owned());
    }
    Ok(())
}

fn can_write(model: &Model) -> Result<(), String> {
    has_items(model)?;
    writable(model)
}

fn can_pin(model: &Model) -> Result<(), String> {
    can_write(model)?;
    pins::can_pin(model)
}

fn can_take_over(model: &Model) -> Result<(), String> {
    can_write(model)?;
    let own = own_signoffs(&model.policy, &model.facts).next();
    own.map(|_| ()).ok_or_else(|| "No sign-off of yours stands in this pull request.".to_owned())
}

fn can_undo(model: &Model) -> Result<(), String> {
    writable(model)?;
    match model.history.can_undo() {
        true => Ok(()),
        false => Err("There is no earlier state of the draft.".to_owned()),
    }
}

fn can_redo(model: &Model) -> Result<(), String> {
    writable(model)?;
    match model.history.can_redo() {
        true => Ok(()),
        false => Err("Nothing was undone.".to_owned()),
    }
}

fn can_edit(model: &Model) -> Result<(), String> {
    has_items(model)?;
    writable(model)?;
    if model.draft.detail.is_none() && model.is_loading() {
        // What the editor is given is kept as it is: it must not freeze a half-read draft.
        return Err("Evidence is still being read: details drafted now would say \"not read\".".to_owned());
    }
    Ok(())
}

fn can_reset_detail(model: &Model) -> Result<(), String> {
    can_edit(model)?;
    match model.draft.detail {
        Some(_) => Ok(()),
        None => Err("The details are already drafted from evidence.".to_owned()),
    }
}

/// A sign-off that is edited stays where it is, unless it is known to be gone, or not to be one of the viewer's.
fn can_choose_way(model: &Model) -> Result<(), String> {
    writable(model)?;
    let target = Target::of(&model.draft);
    let Target::Edit(edits) = target else { return Ok(()) };
    let listed = target.list(&model.facts).settled().is_some_and(|list| list.value.is_complete());
    let known = listed && model.facts.viewer.settled().is_some();
    if !known || own_signoffs(&model.policy, &model.facts).any(|comment| edits.is(comment)) {
        return Err(format!("The draft {target}: there is no other way to post it."));
    }
    Ok(())
}

fn unwarned(model: &Model) -> Result<(), String> {
    match model.posting {
        Posting::Warned(_) => Err("The bot will reject this: it takes the other key.".to_owned()),
        _ => Ok(()),
    }
}

fn warned(model: &Model) -> Result<(), String> {
    match model.posting {
        Posting::Warned(_) => Ok(()),
        _ => Err("Only what the bot will reject takes this key, after the first one.".to_owned()),
    }
}

fn can_post(model: &Model) -> Result<(), String> {
    if model.reach == Reach::Offline {
        return Err("Offline: a comment rests on what GitHub says at that moment. Start without --offline to post.".to_owned());
    }
    has_items(model)?;
    writable(model)?;
    if let Some(left) = model.countdown().filter(|_| model.pause.as_ref().is_some_and(|pause| model.now < pause.until)) {
        return Err(format!("GitHub's limit is in force: nothing can be sent for another {left}."));
    }
    match &model.posting {
        _ if model.reach != Reach::Live => Err("What was kept is being read; GitHub is asked right after it.".to_owned()),
        Posting::Rechecking { .. } => Err("Everything is being read again before posting.".to_owned()),
        _ => Ok(()),
    }
}

fn can_quit(model: &Model) -> Result<(), String> {
    if matches!(model.errands, Errands::Sending(_)) {
        return Err("Something is being sent; C-c leaves all the same.".to_owned());
    }
    match model.posting {
        Posting::Recording(..) | Posting::Sending(_) => Err("A comment is being sent; C-c leaves all the same.".to_owned()),
        _ => Ok(()),
    }
}

fn has_files(model: &Model) -> Result<(), String> {
    match model.facts.files.value() {
        Some(files) if !files.items.is_empty() => Ok(()),
        Some(_) => Err("This pull request changes no files.".to_owned()),
        None => Err(model
            .facts
            .files
            .trouble()
            .map_or_else(|| "The files are still being read.".to_owned(), |t| t.headline.clone())),
    }
}

fn has_search(model: &Model) -> Result<(), String> {
    has_files(model)?;
    match model.diff.search {
        Some(_) => Ok(()),
        None => Err("Nothing is searched for yet: / starts a search.".to_owned()),
    }
}

fn has_sweep(model: &Model) -> Result<(), String> {
    match model.review.conclusions.sweeps.is_empty() {
        false => Ok(()),
        true => Err("No sweep run is known.".to_owned()),
    }
}

fn has_table(model: &Model) -> Result<(), String> {
    has_sweep(model)?;
    match model.sweep.mode {
        Mode::Matrix => Ok(()),
        Mode::List | Mode::Causes => Err("This works in the matrix: v turns to it.".to_owned()),
    }
}

fn has_list(model: &Model) -> Result<(), String> {
    has_sweep(model)?;
    match model.sweep.mode {
        Mode::List => Ok(()),
        Mode::Matrix | Mode::Causes => Err("This works in the list: v turns to it.".to_owned()),
    }
}

fn can_run(model: &Model) -> Result<(), String> {
    has_sweep(model)?;
    errand::can_begin(model)?;
    errand::run_here(model).map(|_| ()).ok_or_else(|| "The cursor of the sweep pane is on no run.".to_owned())
}

fn can_job(model: &Model) -> Result<(), String> {
    has_sweep(model)?;
    errand::can_begin(model)?;
    errand::job_here(model).map(|_| ()).ok_or_else(|| "The cursor of the sweep pane is on no job: unfold its lane.".to_owned())
}

fn can_label(model: &Model) -> Result<(), String> {
    errand::can_begin(model)?;
    match (model.policy.errands.labels.is_empty(), model.facts.pull.value()) {
        (true, _) => Err("The policy says of no label what it does.".to_owned()),
        (false, None) => Err("The pull request is not read yet, and neither are its labels.".to_owned()),
        (false, Some(_)) => Ok(()),
    }
}

fn can_verify(model: &Model) -> Result<(), String> {
    errand::can_begin(model)?;
    errand::signoff_here(model).map(|_| ()).ok_or_else(|| "No sign-off of yours stands in the conversation.".to_owned())
}

fn has_checks(model: &Model) -> Result<(), String> {
    match model.review.findings.is_empty() {
        false => Ok(()),
        true => Err("The policy has no checks.".to_owned()),
    }
}

fn has_point_job(model: &Model) -> Result<(), String> {
    super::screens::points::job(model).map(|_| ()).ok_or_else(|| "No job of this row is known.".to_owned())
}

fn has_curves(model: &Model) -> Result<(), String> {
    model.results.current().map(|_| ()).ok_or_else(|| "No result row is known.".to_owned())
}

fn has_result_job(model: &Model) -> Result<(), String> {
    let none = || "No job, or more than one, has this point in its name.".to_owned();
    super::screens::results::job(model).map(|_| ()).ok_or_else(none)
}

fn can_filter(model: &Model) -> Result<(), String> {
    let none = || "This pane's rows cannot be filtered: those of Sweep, Points and Results can.".to_owned();
    super::update::filtered::sieve(model, model.focus).map(|_| ()).ok_or_else(none)
}

fn has_references(model: &Model) -> Result<(), String> {
    match super::screens::results::references(model).is_empty() {
        false => Ok(()),
        true => {
            Err("No earlier run of this pull request measured anything; A takes any run, the base, an arm or a file."
                .to_owned())
        }
    }
}

fn has_evidence(model: &Model) -> Result<(), String> {
    has_checks(model)?;
    super::screens::checks::evidence(model).map(|_| ()).ok_or_else(|| "Nothing was read that this row rests on.".to_owned())
}

fn has_link(model: &Model) -> Result<(), String> {
    super::update::link_under_cursor(model).map(|_| ()).ok_or_else(|| "There is no page behind this row.".to_owned())
}

fn can_refresh(model: &Model) -> Result<(), String> {
    match model.reach {
        Reach::Live => {}
        Reach::Recalling { .. } => return Err("What was kept is being read; GitHub is asked right after it.".to_owned()),
        Reach::Offline => return Err("Offline: GitHub is not asked. Start without --offline to refresh.".to_owned()),
    }
    if model.posting.is_locked() {
        return Err("A comment is on its way: wait until its outcome is clear.".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_action_has_one_row() {
        let ids: HashSet<_> = ACTIONS.iter().map(|action| action.id).collect();
        let names: HashSet<_> = ACTIONS.iter().map(|action| action.name).collect();
        assert_eq!((ids.len(), names.len()), (ACTIONS.len(), ACTIONS.len()));
        assert!(ids.contains(&ActionId::ConfirmPost));
        for entry in ACTIONS {
            assert_eq!(action(entry.id).name, entry.name);
            assert!(!entry.keys.is_empty() && !entry.help.is_empty(), "{}", entry.name);
        }
    }
}
