//! Which job of which run speaks for a point: the latest that counts, over all runs and attempts.
//! Must not know: results, scores.

use super::hole::Hole;
use super::places::Places;
use crate::core::axes::Concurrency;
use crate::core::configs::{Asked, Entry, Job, Point};
use crate::core::ids::{RunId, Sha};
use crate::core::sweep::{Causes, LaneKind, MergedJob, Outcome, Standing, Sweep, causes};
use crate::core::time::Day;
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};

/// A row of an entry at one concurrency.
#[derive(Debug, Clone, Copy)]
pub(super) struct Site<'a> {
    pub entry: &'a Entry,
    pub row: &'a Point,
    pub conc: u32,
}

/// Words for frameworks in jobs' names.
pub(super) type Aliases = BTreeMap<String, String>;

/// What a job is looked for as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Benchmark,
    Eval,
}

impl Site<'_> {
    /// Whether this job measures, or evaluates, the point.
    pub(super) fn is_of(&self, job: &Job<'_>, kind: Kind) -> bool {
        match (&job.eval, kind) {
            (None, Kind::Benchmark) => std::ptr::eq(job.row, self.row) && job.conc.values().contains(&self.conc),
            // Evals of rows that are one deployment stand under the first of them.
            (Some(due), Kind::Eval) => {
                due.at.contains(&self.conc)
                    && job.entry.key == self.entry.key
                    && (std::ptr::eq(job.row, self.row) || same_deployment(job.row, self.row))
            }
            _ => false,
        }
    }
}

fn same_deployment(a: &Point, b: &Point) -> bool {
    a.parallel == b.parallel && Point { conc: Vec::new(), ..a.clone() } == Point { conc: Vec::new(), ..b.clone() }
}

/// What a sweep of one day owes, to be found by concurrency.
#[derive(Default)]
pub(super) struct Owed<'k> {
    pub asked: Asked<'k>,
    at: HashMap<(Kind, u32), Vec<usize>>,
}

impl<'k> Owed<'k> {
    pub(super) fn of(asked: Asked<'k>) -> Owed<'k> {
        let mut at: HashMap<(Kind, u32), Vec<usize>> = HashMap::new();
        for (index, job) in asked.jobs.iter().enumerate() {
            let (kind, concs) = match &job.eval {
                None => (Kind::Benchmark, job.conc.values()),
                Some(due) => (Kind::Eval, due.at.as_slice()),
            };
            for conc in concs {
                let places = at.entry((kind, *conc)).or_default();
                if places.last() != Some(&index) {
                    places.push(index);
                }
            }
        }
        Owed { asked, at }
    }

    /// The jobs of this kind that run at this concurrency.
    pub(super) fn at(&self, kind: Kind, conc: u32) -> impl Iterator<Item = &Job<'k>> {
        self.at.get(&(kind, conc)).into_iter().flatten().filter_map(|index| self.asked.jobs.get(*index))
    }

    /// Those that measure, or evaluate, this point.
    pub(super) fn of_site(&self, site: &Site<'_>, kind: Kind) -> impl Iterator<Item = &Job<'k>> {
        self.at(kind, site.conc).filter(move |job| site.is_of(job, kind))
    }
}

/// A run with what it owes and what it holds.
pub(super) struct Run<'a> {
    pub sweep: &'a Sweep,
    pub owed: &'a Owed<'a>,
    pub day: Option<Day>,
    places: Places<'a>,
    /// How many points, each with what it runs through, a job's name stands for.
    claims: HashMap<(usize, Kind), usize>,
    /// The run has begun an attempt since its jobs were read.
    stale: bool,
    /// Looked for once a lost job asks for its cause.
    causes: OnceCell<Causes>,
    /// It began under a label under which one failure cancels the jobs beside it.
    fail_fast: bool,
}

/// The job that speaks for a point.
pub(super) struct Found<'r, 'a> {
    pub run: Option<&'r Run<'a>>,
    pub job: Option<&'a MergedJob>,
    pub hole: Option<Hole>,
    /// A newer run that counts has it too, and it has not come to an end of its own there.
    pub newer: Option<(RunId, String)>,
}

/// What one run says of a point.
enum State<'a> {
    NotDue,
    /// It ended by itself, well or not.
    Ended(&'a MergedJob, Option<Hole>),
    Open(Option<&'a MergedJob>, Hole),
    Lost(Option<&'a MergedJob>, Hole),
    Nothing(Hole),
    /// Nobody can tell: this forbids to look further back.
    Doubt(Option<&'a MergedJob>, Hole),
}

/// Whether a run is evidence.
enum Worth {
    Counts,
    Not(Hole),
    Unknown(String),
}

impl<'a> Run<'a> {
    pub(super) fn new(sweep: &'a Sweep, owed: &'a Owed<'a>, day: Option<Day>, fail_fast: bool) -> Run<'a> {
        let places = Places::of(sweep.jobs.iter());
        let mut who: HashMap<(usize, Kind), Vec<(*const Point, &Concurrency)>> = HashMap::new();
        for job in &owed.asked.jobs {
            let kind = if job.eval.is_some() { Kind::Eval } else { Kind::Benchmark };
            for (at, _) in of_lane(&places, job) {
                let points = who.entry((at, kind)).or_default();
                let own = (std::ptr::from_ref(job.row), &job.conc);
                if !points.contains(&own) {
                    points.push(own);
                }
            }
        }
        let claims = who.into_iter().map(|(place, points)| (place, points.len())).collect();
        let last = sweep.jobs.iter().map(|job| job.job.attempt).max();
        let stale = last.is_some_and(|last| last < sweep.run.attempt);
        Run { sweep, owed, day, places, claims, stale, causes: OnceCell::new(), fail_fast }
    }

    fn worth(&self) -> Worth {
        let (run, sweep) = (self.sweep.run.id, self.sweep);
        match (sweep.in_pull, &sweep.standing) {
            (Some(false), _) => Worth::Not(Hole::Foreign { run, commit: sweep.run.head.clone() }),
            (_, Standing::Trial(label)) => Worth::Not(Hole::Trial { run, label: label.clone() }),
            (None, _) => Worth::Unknown(format!(
                "Whether {}, which run {run} measured, is a commit of this pull request is not known: its commits are not read whole.",
                sweep.run.head.short()
            )),
            (_, Standing::Unread) => Worth::Unknown(format!("Under which labels run {run} was started is not read yet.")),
            (_, Standing::Doubtful(label)) => Worth::Unknown(format!(
                "Whether run {run} was started under the label {label}, which makes it no evidence, cannot be read."
            )),
            (Some(true), Standing::Counts) => Worth::Counts,
        }
    }

    fn state(&self, site: &Site<'_>, kind: Kind, aliases: &Aliases) -> State<'a> {
        let run = self.sweep.run.id;
        let asked: Vec<&Job<'_>> = self.owed.of_site(site, kind).collect();
        let Some(first) = asked.first() else { return State::NotDue };
        let found = of_lane(&self.places, first);
        let live: Vec<(usize, &'a MergedJob)> =
            found.iter().copied().filter(|(_, job)| job.outcome != Outcome::Skipped).collect();
        if !self.sweep.complete || self.stale {
            return State::Doubt(live.first().map(|(_, job)| *job), Hole::Unread(unread(self.sweep, self.stale)));
        }
        let lanes = live.iter().filter(|(_, job)| job.name.kind != LaneKind::Canary).count();
        let points = live.iter().filter_map(|(at, _)| self.claims.get(&(*at, kind))).max().copied().unwrap_or_default();
        let twins = found.iter().any(|(_, job)| job.ambiguous) && found.len() != asked.len();
        if points > 1 || lanes > asked.len() || (twins && !live.is_empty()) {
            let what = first.name(aliases);
            return State::Doubt(None, Hole::Shared { what, points: points.max(1), found: found.len() });
        }
        // Of a canary and its lane, or of several evals of one point, the worst speaks.
        let Some((at, job)) = live.iter().min_by_key(|(_, job)| (goodness(&job.outcome), job.name.kind == LaneKind::Canary))
        else {
            let own = found.first().map(|(_, job)| *job);
            return match self.places.unread_of(first).filter(|_| own.is_none()) {
                Some(job) => State::Doubt(None, Hole::Unread(nameless(run, job))),
                None => self.unstarted(own.or_else(|| self.places.lane_of(first))),
            };
        };
        let missing = kind == Kind::Eval && live.len() < asked.len();
        let word = || job.outcome.word().to_owned();
        match &job.outcome {
            Outcome::Success if missing => State::Doubt(Some(job), Hole::Absent { run }),
            Outcome::Success => State::Ended(job, None),
            Outcome::Unknown(word) => State::Doubt(Some(job), Hole::Strange { run, word: word.clone() }),
            Outcome::Cancelled => State::Lost(Some(job), self.cancelled(*at)),
            outcome if !outcome.finished() => State::Open(Some(job), Hole::Pending { run, word: word() }),
            _ => State::Ended(job, Some(Hole::Failed { run, word: word() })),
        }
    }

    /// The job is not in the run under its own name: its lane, or the run, tells why.
    fn unstarted(&self, lane: Option<&'a MergedJob>) -> State<'a> {
        let run = self.sweep.run.id;
        let over = self.sweep.outcome();
        match lane.map(|lane| &lane.outcome) {
            Some(Outcome::Skipped) if self.sweep.is_gated() => State::Nothing(Hole::Gated { run }),
            Some(Outcome::Skipped) => State::Nothing(Hole::Skipped { run, canary: !self.sweep.counts.canary.holds() }),
            Some(Outcome::Cancelled) => State::Lost(None, Hole::Cancelled { run, after: None, fail_fast: false }),
            Some(Outcome::Unknown(word)) => State::Doubt(None, Hole::Strange { run, word: word.clone() }),
            Some(outcome) if !outcome.finished() => State::Open(None, Hole::Pending { run, word: outcome.word().to_owned() }),
            Some(outcome) if !outcome.green() => State::Lost(None, Hole::Failed { run, word: outcome.word().to_owned() }),
            _ if !over.finished() => State::Open(None, Hole::Pending { run, word: format!("the run is {}", over.word()) }),
            _ => State::Nothing(Hole::Absent { run }),
        }
    }

    fn cancelled(&self, at: usize) -> Hole {
        let causes = self.causes.get_or_init(|| causes(&self.sweep.jobs, |_| None));
        let losses = causes.groups.iter().flat_map(|cause| &cause.losses);
        let root = losses.into_iter().find(|loss| loss.took.contains(&at)).and_then(|loss| self.sweep.jobs.get(loss.job));
        let after = root.map(|job| job.name.identity.clone());
        Hole::Cancelled { run: self.sweep.run.id, after, fail_fast: self.fail_fast }
    }
}

/// The jobs that carry `asked`. Evals of fixed lengths and of agent traces may differ in nothing but their lanes.
fn of_lane<'j>(places: &Places<'j>, asked: &Job<'_>) -> Vec<(usize, &'j MergedJob)> {
    let mut found = places.matching(asked);
    let lane = asked.lane();
    found.retain(|(_, job)| asked.eval.is_none() || job.name.combined || job.name.lane == lane);
    found
}

/// Lower is worse.
fn goodness(outcome: &Outcome) -> u8 {
    match outcome {
        Outcome::Unknown(_) => 0,
        Outcome::Success => 4,
        Outcome::Cancelled => 2,
        outcome if !outcome.finished() => 3,
        _ => 1,
    }
}

fn unread(sweep: &Sweep, stale: bool) -> String {
    match &sweep.why {
        _ if stale && sweep.complete => {
            format!("Attempt {} of run {} began after its jobs were read: read them again.", sweep.run.attempt, sweep.run.id)
        }
        Some(trouble) => format!("The jobs of run {} are not read whole: {}", sweep.run.id, trouble.sentence()),
        None => format!("The jobs of run {} are not read yet, or not whole.", sweep.run.id),
    }
}

fn nameless(run: RunId, job: &MergedJob) -> String {
    let name = &job.name.identity;
    format!("Run {run} holds `{name}`, whose name cannot be read, so it may be this one: see the run's page.")
}

/// Looks from the newest run back. `commit` is that of the benchmark, where an eval of another is no company for it.
pub(super) fn find<'r, 'a>(
    runs: &'r [Run<'a>],
    site: &Site<'_>,
    kind: Kind,
    commit: Option<&Sha>,
    aliases: &Aliases,
) -> Found<'r, 'a> {
    let mut best: Option<(u8, Found<'r, 'a>)> = None;
    let mut newer: Option<(RunId, String)> = None;
    for run in runs {
        let state = run.state(site, kind, aliases);
        let same = commit.is_none_or(|commit| *commit == run.sweep.run.head);
        let found = |job, hole| Found { run: Some(run), job, hole, newer: None };
        let mut keep = |rank: u8, found: Found<'r, 'a>| {
            if best.as_ref().is_none_or(|(least, _)| rank < *least) {
                best = Some((rank, found));
            }
        };
        match (run.worth(), state) {
            (_, State::NotDue) => {}
            (Worth::Not(hole), State::Ended(job, _)) => keep(3, found(Some(job), Some(hole))),
            (Worth::Not(_), _) => {}
            (Worth::Unknown(_), State::Nothing(hole)) => keep(4, found(None, Some(hole))),
            (Worth::Unknown(why), State::Ended(job, _)) => return found(Some(job), Some(Hole::Unread(why))),
            (Worth::Unknown(why), _) => return found(None, Some(Hole::Unread(why))),
            (Worth::Counts, State::Ended(job, _)) if !same => {
                let hole = Hole::OtherCommit { run: run.sweep.run.id, commit: run.sweep.run.head.clone() };
                keep(2, found(Some(job), Some(hole)));
            }
            (Worth::Counts, State::Ended(job, hole)) => return Found { newer, ..found(Some(job), hole) },
            (Worth::Counts, State::Doubt(job, hole)) if same => return found(job, Some(hole)),
            (Worth::Counts, State::Doubt(..)) => {}
            (Worth::Counts, State::Open(job, hole)) => {
                newer.get_or_insert((run.sweep.run.id, tell(job, "not started")));
                keep(0, found(job, Some(hole)));
            }
            (Worth::Counts, State::Lost(job, hole)) => {
                newer.get_or_insert((run.sweep.run.id, tell(job, "lost")));
                keep(1, found(job, Some(hole)));
            }
            (Worth::Counts, State::Nothing(hole)) => keep(4, found(None, Some(hole))),
        }
    }
    best.map_or(Found { run: None, job: None, hole: Some(Hole::NoRun), newer: None }, |(_, found)| found)
}

fn tell(job: Option<&MergedJob>, otherwise: &str) -> String {
    job.map_or(otherwise, |job| job.outcome.word()).to_owned()
}
