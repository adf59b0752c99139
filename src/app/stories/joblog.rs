//! Stories of the log of a job: opened from the sweep pane, read in windows, searched, closed.
//! Must not know: where logs are kept.

use super::*;
use crate::app::action::scopes;
use crate::app::action::{Scope, action};
use crate::app::screens::joblog::{Asked, JobLog, Piece, Stage as Reach};
use crate::app::screens::sweep::SweepRow;
use crate::core::ids::JobId;
use crate::core::joblog::{Fingerprint, Index, LINE_BYTES, Search, fingerprint};
use crate::core::pull::Job;
use crate::core::sample::{job, step};
use crate::core::steps::Steps;

const NAME: &str = "single-node 8k1k / / p3.750 | qwen3.5 fp4 b200 sgl TP2/EP2 mtp   c64";
/// Bytes of a log's end that come before its lines are counted.
const TAIL: usize = 2000;

/// Where logs are kept in these stories.
#[derive(Default)]
pub(super) struct Logs {
    text: Vec<u8>,
    steps: Steps,
    asked: Vec<Asked>,
    /// Nothing is answered: the story does it.
    silent: bool,
    /// Why there is none.
    pub(super) missing: Option<Trouble>,
    /// The most bytes that one answer had.
    most: usize,
    /// The last lines of jobs' logs, for what they failed of; a job that is not here failed of nothing known.
    pub(super) ends: std::collections::HashMap<JobId, &'static str>,
    /// Jobs whose ends were read.
    pub(super) reasons: Vec<JobId>,
}

impl Logs {
    pub(super) fn of(text: &str) -> Logs {
        Logs { text: text.as_bytes().to_vec(), ..Logs::default() }
    }

    /// As `runtime::joblogs` answers.
    pub(super) fn answer(&mut self, asked: Asked) -> Vec<Piece> {
        self.asked.push(asked.clone());
        if self.silent {
            return Vec::new();
        }
        if let Some(why) = &self.missing {
            return vec![Piece::Failed(why.clone())];
        }
        match asked {
            Asked::Open { steps, .. } => {
                self.steps = steps;
                vec![Piece::Coming { got: 1, of: Some(2) }, self.tail(), Piece::Indexed(Arc::new(self.index()))]
            }
            Asked::Lines { ranges, .. } => {
                let text = |range: std::ops::Range<u64>| self.text[range.start as usize..range.end as usize].to_vec();
                let lines: Vec<_> = ranges.into_iter().map(|range| (range.start, text(range))).collect();
                self.most = self.most.max(lines.iter().map(|(_, bytes)| bytes.len()).sum());
                vec![Piece::Lines(lines)]
            }
            Asked::Search { needle, .. } => {
                let mut search = Search::new(needle);
                search.push(&self.text);
                vec![Piece::Found(search.finish())]
            }
        }
    }

    pub(super) fn reason(&mut self, job: JobId) -> Result<Option<Fingerprint>, Trouble> {
        self.reasons.push(job);
        match &self.missing {
            Some(why) => Err(why.clone()),
            None => Ok(self.ends.get(&job).and_then(|end| fingerprint(end))),
        }
    }

    fn tail(&self) -> Piece {
        let near = self.text.len().saturating_sub(TAIL);
        let cut = if near == 0 { 0 } else { self.text[near..].iter().position(|byte| *byte == b'\n').map_or(0, |at| at + 1) };
        Piece::Tail { from: (near + cut) as u64, bytes: self.text[near + cut..].into() }
    }

    fn index(&self) -> Index {
        let mut index = Index::of(self.steps.clone());
        index.push(&self.text);
        index.finish()
    }
}

/// A run in which the job failed at first, with this log of every execution.
pub(super) fn stage(text: &str) -> Stage {
    stage_of(text, Steps::default())
}

/// The same; the execution that failed lists these steps.
fn stage_of(text: &str, steps: Steps) -> Stage {
    let jobs = vec![
        job(1, 1, "setup", Some("success")),
        Job { steps, ..job(5, 1, NAME, Some("failure")) },
        job(6, 2, NAME, Some("success")),
        job(7, 2, "eval / / p3.750 | qwen3.5 fp4 b200 sgl TP2/EP2 mtp   c64 | eval-only", None),
        job(4, 1, "agentic /", Some("skipped")),
    ];
    let mut stage = Stage::new(World { jobs: Listing::complete(jobs), ..World::new() });
    stage.logs.text = text.as_bytes().to_vec();
    stage.open()
}

/// Puts the sweep pane's cursor on a job and opens its log.
pub(super) fn look(stage: &mut Stage, id: u64) {
    stage.keys("2");
    let sweeps = &stage.model.review.conclusions.sweeps;
    let is_job = |row: &SweepRow| matches!(row, SweepRow::Job { sweep, job } if sweeps[*sweep].jobs[*job].job.id == JobId(id));
    if !stage.model.sweep.rows.iter().any(is_job) {
        let (run, open) = (sweeps[0].run.id, stage.model.review.conclusions.cited);
        stage.model.sweep.unfold(sweeps, open, run, JobId(id));
    }
    stage.model.sweep.scroll.cursor = stage.model.sweep.rows.iter().position(is_job).unwrap();
    stage.keys("l");
}

fn log(stage: &Stage) -> &JobLog {
    stage.model.joblog.as_deref().expect("a log is open")
}

/// The texts that a screen of the log shows.
fn texts(stage: &Stage) -> Vec<String> {
    let log = log(stage);
    let rows = log.scroll.top..log.folds.rows().min(log.scroll.top + crate::app::geometry::joblog_rows(stage.model.size.1));
    rows.map(|row| log.line(row).map_or_else(|| "?".to_owned(), |line| line.text.clone())).collect()
}

/// Groups of a hundred lines, an error in the third, and one at the end.
fn long() -> String {
    let group = |n: usize| {
        let line = |at: usize| match (n, at) {
            (2, 50) => "##[error]inside\n".to_owned(),
            _ => format!("line {n}.{at}\n"),
        };
        format!("##[group]group {n}\n{}##[endgroup]\nafter {n}\n", (0..100).map(line).collect::<String>())
    };
    (0..9).map(group).collect::<String>() + "##[error]Process completed with exit code 1.\nPost job\n"
}

#[test]
fn a_log_opens_at_its_end_and_errors_are_one_key_away() {
    let mut stage = stage(&long());
    look(&mut stage, 6);
    assert_eq!((&log(&stage).stage, scopes(&stage.model)[0]), (&Reach::Whole, Scope::JobLog));
    assert_eq!(texts(&stage).last().map(String::as_str), Some("Post job"));
    assert!(!texts(&stage).contains(&"?".to_owned()), "what is on screen was asked for");
    // Eight groups are folded to a line each; the one with the error is open.
    assert_eq!(log(&stage).folds.rows(), 8 * 2 + 103 + 2);
    stage.keys("E");
    assert_eq!(log(&stage).cursor(), 9 * 103);
    stage.keys("e");
    assert_eq!((log(&stage).cursor(), texts(&stage).contains(&"inside".to_owned())), (2 * 103 + 51, true));
    stage.keys("Space");
    assert_eq!(log(&stage).cursor(), 2 * 103, "the cursor goes to the group that hides its line");
    stage.keys("e");
    assert_eq!(log(&stage).line(log(&stage).scroll.cursor).unwrap().text, "inside", "what is gone to is unfolded");
    stage.keys("e");
    assert_eq!(log(&stage).cursor(), 9 * 103);
    stage.keys("z z");
    assert_eq!(log(&stage).folds.rows(), 9 * 2 + 2);
    stage.keys("g g Space");
    assert_eq!((log(&stage).folds.rows(), texts(&stage)[1].as_str()), (9 * 2 + 2 + 101, "line 0.0"));
    stage.keys("G k k Enter");
    assert_eq!(stage.notice(), "The line is in no group.");
    stage.keys("5 0 G");
    assert_eq!(log(&stage).cursor(), 49, "a number is that of a line");
}

#[test]
fn words_are_searched_in_the_whole_log() {
    let mut stage = stage(&long());
    look(&mut stage, 6);
    stage.keys("g g n");
    assert!(stage.notice().contains("/ starts a search"), "{}", stage.notice());
    stage.keys("/ L i n e Enter");
    assert_eq!(stage.notice(), "No line of the log matches.");
    stage.keys("/ x Esc");
    assert_eq!((&stage.model.overlay, stage.model.joblog.is_some()), (&Overlay::JobLog, true));
    stage.keys("/ . 7 7 Enter");
    let found = |stage: &Stage| {
        let found = log(stage).search.as_ref().unwrap().found.clone().unwrap();
        (found.lines.len(), log(stage).nth(&found.lines), log(stage).line(log(stage).scroll.cursor).unwrap().text.clone())
    };
    assert_eq!(found(&stage), (9, 1, "line 0.77".to_owned()));
    stage.keys("n n");
    assert_eq!(found(&stage), (9, 3, "line 2.77".to_owned()));
    stage.keys("N N N");
    assert_eq!(found(&stage), (9, 9, "line 8.77".to_owned()));
    stage.keys("/ Enter");
    assert_eq!(log(&stage).search, None);
}

#[test]
fn a_failure_leaves_the_log_that_is_here() {
    let mut stage = stage(&long());
    look(&mut stage, 6);
    stage.logs.missing = Some(Trouble::new(TroubleKind::Refused, "The file cannot be read.", "Try again."));
    stage.keys("/ . 7 7 Enter");
    assert_eq!((&log(&stage).stage, stage.notice()), (&Reach::Whole, "The file cannot be read. Try again."));
    stage.keys("n");
    assert!(stage.notice().contains("/ starts a search"), "{}", stage.notice());
    let last = texts(&stage).last().cloned();
    stage.keys("g g");
    assert_eq!((&log(&stage).stage, texts(&stage)[0].as_str()), (&Reach::Whole, "?"));
    stage.logs.missing = None;
    stage.keys("r");
    assert_eq!((&log(&stage).stage, texts(&stage).last().cloned(), log(&stage).lacks_lines), (&Reach::Whole, last, false));
    stage.keys("g g");
    assert_eq!(texts(&stage)[0], "group 0");
}

#[test]
fn the_end_is_there_before_the_lines_are_counted() {
    let mut stage = stage(&long());
    stage.logs.silent = true;
    look(&mut stage, 6);
    let ticket = Ticket { slot: Slot::JobLog, serial: stage.model.tickets[&Slot::JobLog] };
    let say = |stage: &mut Stage, piece| {
        let effects = update(&mut stage.model, stage.world.now, Msg::Reply(ticket.clone(), Reply::JobLog(piece)));
        stage.perform(effects);
    };
    assert_eq!(log(&stage).stage, Reach::Coming { got: 0, of: None });
    stage.keys("e");
    assert_eq!(stage.notice(), "The log is still on its way.");
    let tail = stage.logs.tail();
    say(&mut stage, tail);
    assert_eq!((&log(&stage).stage, texts(&stage).last().map(String::as_str)), (&Reach::Tail, Some("Post job")));
    stage.keys("/");
    assert_eq!(stage.notice(), "The lines before the end are still being found.");
    stage.keys("k");
    let index = Arc::new(stage.logs.index());
    stage.logs.silent = false;
    say(&mut stage, Piece::Indexed(index));
    assert_eq!((log(&stage).cursor(), texts(&stage).contains(&"?".to_owned())), (9 * 103, false), "it stays where it was");
    assert_eq!(stage.logs.asked.iter().filter(|asked| matches!(asked, Asked::Open { .. })).count(), 1);
    // What comes after it was closed opens nothing.
    stage.keys("q");
    assert!(stage.model.joblog.is_none() && stage.model.overlay == Overlay::None && !stage.quit);
    assert_eq!(stage.model.focus, Pane::Sweep);
    say(&mut stage, Piece::Coming { got: 1, of: None });
    assert!(stage.model.joblog.is_none());
}

#[test]
fn a_job_without_a_log_says_why_and_is_looked_at_again_on_request() {
    let mut stage = stage(&long());
    let said = |stage: &Stage| match &log(stage).stage {
        Reach::Failed(trouble) => trouble.sentence(),
        other => panic!("{other:?}"),
    };
    look(&mut stage, 7);
    assert_eq!(said(&stage), "The job is in progress: its log is not available until the job ends. r looks again.");
    assert_eq!(stage.logs.asked, [], "GitHub has none, so it is not asked");
    stage.logs.missing = Some(Trouble::new(TroubleKind::NotFound, "GitHub has no log of job 7.", ""));
    stage.keys("r");
    let asked = [Asked::Open { job: JobId(7), steps: Steps::default() }];
    assert_eq!((said(&stage).as_str(), &stage.logs.asked[..]), ("GitHub has no log of job 7.", &asked[..]));
    stage.keys("e");
    assert_eq!(stage.notice(), "GitHub has no log of job 7.");
    stage.logs.missing = None;
    stage.keys("r r");
    assert_eq!(log(&stage).stage, Reach::Whole);
    assert!(stage.notice().contains("does not change"), "{}", stage.notice());
    stage.keys("Esc");
    look(&mut stage, 4);
    assert!(said(&stage).starts_with("The job was skipped"), "{}", said(&stage));
}

#[test]
fn the_logs_of_earlier_attempts_are_beside_it() {
    let mut stage = stage(&long());
    look(&mut stage, 6);
    stage.keys("t [");
    let of = &log(&stage).of;
    assert_eq!((of.job, of.attempt, of.outcome.as_str(), log(&stage).times), (JobId(5), 1, "failure", true));
    stage.keys("[");
    assert_eq!((stage.notice(), log(&stage).of.job), ("No earlier attempt ran this job.", JobId(5)));
    // Lines of the one before, which come late, are not taken for this one's.
    let ticket = Ticket { slot: Slot::JobLogLines, serial: stage.model.tickets[&Slot::JobLogLines] };
    stage.logs.silent = true;
    stage.keys("]");
    assert_eq!(log(&stage).of.job, JobId(6));
    let late = Piece::Lines(vec![(0, b"of another".to_vec())]);
    update(&mut stage.model, stage.world.now, Msg::Reply(ticket, Reply::JobLog(late)));
    assert_eq!(log(&stage).held(), 0);
}

#[test]
fn a_line_is_copied_with_its_page_and_the_log_is_written() {
    let mut stage = stage("a\n2026-08-11T10:11:12Z ##[error]bad \x1b[31mred\x1b[0m\x1b]52;c;x\x07\n");
    look(&mut stage, 5 + 1);
    let press = |stage: &mut Stage, key: &str| update(&mut stage.model, stage.world.now, Msg::Key(Key::parse(key).unwrap()));
    let [Effect::Do(_, Command::Copy { text })] = &press(&mut stage, "y")[..] else { panic!("no copy") };
    assert_eq!(text, "Error: bad red^[]52;c;x^G\nhttps://github.com/o/r/actions/runs/31020193450/job/6");
    assert!(matches!(&press(&mut stage, "w")[..], [Effect::Do(_, Command::SaveJobLog(JobId(6)))]));
    let [Effect::Do(_, Command::Open { url })] = &press(&mut stage, "o")[..] else { panic!("no page") };
    assert!(url.ends_with("/job/6"), "{url}");
}

#[test]
fn help_and_the_palette_lie_over_the_log_and_leave_it_there() {
    let mut stage = stage(&long());
    look(&mut stage, 6);
    for keys in ["? Esc", "? ?", ": Esc", "? q"] {
        stage.keys(keys);
        assert_eq!((&stage.model.overlay, stage.model.joblog.is_some()), (&Overlay::JobLog, true), "{keys}");
    }
    let typed: String = "job_log_times".chars().map(|c| format!("{c} ")).collect();
    stage.keys(&format!(": {typed} Enter"));
    assert!(log(&stage).times);
    stage.keys("Tab");
    assert!(stage.model.joblog.is_none() && stage.model.focus == Pane::Evals, "another pane takes its place");
    assert!((action(super::super::action::ActionId::JobLogFold).available)(&stage.model).unwrap_err().contains("No log"));
}

#[test]
fn a_log_of_fifty_megabytes_is_never_here_as_a_whole() {
    let line = format!("{}\n", "x".repeat(99));
    let mut text = line.repeat(500_000);
    text += &format!("{}\n", "y".repeat(1_000_000));
    let mut stage = stage(&text);
    look(&mut stage, 6);
    let most = |stage: &Stage| (log(stage).held(), stage.logs.most);
    for keys in ["g g", "G", "2 5 0 0 0 0 G", "PageDown PageDown PageUp", "C-d j k", "G"] {
        stage.keys(keys);
        assert!(!texts(&stage).contains(&"?".to_owned()), "{keys}");
        let (held, answered) = most(&stage);
        assert!(held < 1 << 20 && answered < 1 << 18, "{keys}: {held} held, {answered} in an answer");
    }
    assert!(log(&stage).index.footprint() < 8 * 500_001 * 2 + 1024);
    let last = log(&stage).line(log(&stage).scroll.cursor).unwrap();
    assert_eq!((last.text.len(), last.cut), (LINE_BYTES, true));
}

#[test]
fn steps_fold_and_what_failed_is_open() {
    let at = |second: u32, text: &str| format!("2026-08-11T10:00:{second:02}.5000000Z {text}\n");
    let lines = [
        at(1, "Current runner version"),
        at(1, "more"),
        at(3, "##[group]Run actions/checkout"),
        at(3, "with: x"),
        at(3, "##[endgroup]"),
        at(4, "fetched"),
        at(5, "##[group]Run bash launch.sh"),
        at(5, "env: y"),
        at(5, "##[endgroup]"),
        at(9, "loading"),
        at(20, "##[error]out of memory"),
        at(21, "Post job cleanup."),
        at(21, "Cleaning up orphan processes"),
    ];
    let time = |second: u32| format!("2026-08-11T10:00:{second:02}Z");
    let listed = |name, word, from, to| step(name, word, Some(&time(from)), Some(&time(to)));
    let steps = vec![
        listed("Set up job", "success", 1, 3),
        listed("Checkout", "success", 3, 4),
        listed("Launch job script", "failure", 5, 20),
        listed("Upload result", "skipped", 20, 20),
        listed("Post Checkout", "success", 21, 21),
        listed("Complete job", "success", 21, 21),
    ];
    let mut stage = stage_of(&lines.concat(), steps.into());
    look(&mut stage, 6);
    assert_eq!(log(&stage).folds.rows(), 13 - 2 - 2, "no steps of this execution are known: groups fold as ever");
    stage.keys("[");
    let heads = |stage: &Stage| {
        let log = log(stage);
        let head = |row| Some(log.folds.step(&log.index, log.folds.line(row))?.0.step.name.to_string());
        (0..log.folds.rows()).map(|row| head(row).unwrap_or_else(|| "|".to_owned())).collect::<Vec<_>>()
    };
    let open = ["Set up job", "Checkout", "Launch job script", "|", "|", "Post Checkout", "Complete job"];
    assert_eq!(heads(&stage), open);
    assert_eq!(log(&stage).cursor(), 12, "the cursor is at the end");
    // On a line that begins a step and its group, one opens after the other, then both fold.
    stage.keys("g g j Space");
    assert_eq!((log(&stage).cursor(), heads(&stage).len()), (2, 7 + 1));
    stage.keys("Space");
    assert_eq!(heads(&stage).len(), 7 + 3);
    stage.keys("Space");
    assert_eq!(heads(&stage), open);
    // A line of the group folds the group, and any other line the step.
    stage.keys("j Space j Space");
    assert_eq!((log(&stage).cursor(), heads(&stage)), (6, open.map(str::to_owned).to_vec()));
    stage.keys("j Space");
    assert_eq!(
        (log(&stage).cursor(), heads(&stage)[2..].join(" ")),
        (6, "Launch job script Post Checkout Complete job".into())
    );
    stage.keys("e");
    assert_eq!((log(&stage).cursor(), heads(&stage)), (10, open.map(str::to_owned).to_vec()), "what is gone to is unfolded");
    stage.keys("/ w i t h Enter");
    assert_eq!((log(&stage).cursor(), heads(&stage).len()), (3, 7 + 3), "and so is what is found, step and group");
    stage.keys("z");
    assert_eq!(heads(&stage).len(), 13);
    stage.keys("z");
    assert_eq!(heads(&stage).len(), 5);
}
