//! Evidence that a reviewer pinned by hand: a run, a job or a line of a job's log as it stood then, and what has become of
//! it since.
//! Must not know: how the comment tells it, which key pins it.

use super::conclusions::Conclusions;
use super::evidence::{Evidence, Source, digest};
use super::facts::Facts;
use super::ids::{JobId, RunId, Sha};
use super::listing::Listing;
use super::pull::Run;
use super::remote::Remote;
use super::session::Draft;
use super::sweep::{Attempt, MergedJob, Outcome, Sweep};
use super::text::start;
use super::time::Time;
use super::trouble::Trouble;
use serde::{Deserialize, Serialize};

/// Bytes of a log's line that are kept; what follows is cut off, and said.
const QUOTED: usize = 240;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pin {
    pub run: RunId,
    pub of: Subject,
    /// As GitHub sends it: the workflow's name, or the job's.
    pub name: String,
    pub attempt: u32,
    /// The newest attempt that there was then: an earlier one can be pinned on purpose.
    pub newest: u32,
    pub head: Sha,
    /// GitHub's word.
    pub conclusion: String,
    pub ended: Option<Time>,
    /// Where it was read when it was pinned.
    pub source: Source,
    pub at: Time,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    Run,
    Job(JobId),
    Line {
        job: JobId,
        /// From 1.
        number: usize,
        text: String,
    },
}

/// What has become of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// As it was, and of the head.
    Fresh,
    /// As it was, and so many commits came after it.
    Earlier(usize),
    /// Its commit has left the pull request.
    Orphaned,
    /// What it is now: `attempt 2, running`.
    Changed(String),
    /// GitHub lists it no more.
    Gone,
    /// It cannot be told: why, or that it is still being read.
    Unread(Option<String>),
}

impl Pin {
    /// Pins a run as it is; or says why not.
    pub fn of_run(sweep: &Sweep, now: Time) -> Result<Pin, String> {
        let run = &sweep.run;
        Ok(Pin {
            run: run.id,
            of: Subject::Run,
            name: run.name.clone(),
            attempt: run.attempt,
            newest: run.attempt,
            head: run.head.clone(),
            conclusion: ended(&sweep.label(), &run.status, run.conclusion.as_deref())?,
            ended: run.updated_at,
            source: Source { commit: Some(run.head.clone()), ..sweep.source.clone() },
            at: now,
        })
    }

    /// Pins one execution of a job as it is; or says why not.
    pub fn of_job(facts: &Facts, sweep: &Sweep, id: JobId, now: Time) -> Result<Pin, String> {
        let listed = facts.jobs.get(&sweep.run.id).and_then(Remote::value);
        let job = listed.and_then(|list| list.items.iter().rfind(|job| job.id == id));
        let (Some(job), Some((row, _)), Some(source)) = (job, attempt_of(sweep, id), &sweep.jobs_source) else {
            return Err("This job is not in the list of the run's jobs: r reads it again.".to_owned());
        };
        Ok(Pin {
            run: sweep.run.id,
            of: Subject::Job(id),
            name: job.name.clone(),
            attempt: job.attempt,
            newest: row.attempts.iter().map(|one| one.attempt).max().unwrap_or(job.attempt),
            head: sweep.run.head.clone(),
            conclusion: ended(&format!("job {id}"), &job.status, job.conclusion.as_deref())?,
            ended: job.completed_at,
            source: Source { commit: Some(sweep.run.head.clone()), ..source.clone() },
            at: now,
        })
    }

    /// The same of a line of its log; `number` counts from 1.
    pub fn with_line(self, facts: &Facts, number: usize, text: &str) -> Pin {
        let Subject::Job(job) = self.of else { return self };
        let kept = start(text, QUOTED);
        let text = if kept.len() < text.len() { format!("{kept} …") } else { kept.to_owned() };
        let source = Source {
            address: format!("/repos/{}/actions/jobs/{job}/logs", facts.repo),
            digest: digest(text.as_bytes()),
            read_at: self.at,
            ..self.source
        };
        Pin { of: Subject::Line { job, number, text }, source, ..self }
    }

    pub fn job(&self) -> Option<JobId> {
        match self.of {
            Subject::Run => None,
            Subject::Job(job) | Subject::Line { job, .. } => Some(job),
        }
    }

    /// Whether both are of one thing, whatever it was at the time.
    pub fn is_of(&self, other: &Pin) -> bool {
        match (&self.of, &other.of) {
            (Subject::Line { job, number, .. }, Subject::Line { job: of, number: at, .. }) => (job, number) == (of, at),
            (one, same) => self.run == other.run && one == same,
        }
    }

    /// Whether nothing about it is another than it was.
    pub fn says_as(&self, other: &Pin) -> bool {
        let said = |pin: &Pin| (pin.attempt, pin.newest, pin.conclusion.clone());
        self.is_of(other) && said(self) == said(other)
    }

    /// Whether it takes the place of an older one: of the same thing, or of the same job before its newest attempt.
    pub fn replaces(&self, older: &Pin, sweep: &Sweep) -> bool {
        let (Subject::Job(job), Subject::Job(before)) = (&self.of, &older.of) else { return self.is_of(older) };
        let row = attempt_of(sweep, *job).map(|(row, _)| row);
        let is_before = |row: &MergedJob| row.attempts.iter().any(|one| one.id == *before);
        job == before || older.newest < self.newest && row.is_some_and(is_before)
    }

    /// `run 1 attempt 2`, `job 5 attempt 1 of 2`, `line 7 of the log of job 5`.
    pub fn label(&self) -> String {
        let attempt = match (self.attempt, self.newest) {
            (attempt, newest) if attempt < newest => format!("attempt {attempt} of {newest}"),
            (attempt, _) => format!("attempt {attempt}"),
        };
        match &self.of {
            Subject::Run => format!("run {} {attempt}", self.run),
            Subject::Job(job) => format!("job {job} {attempt}"),
            Subject::Line { job, number, .. } => format!("line {number} of the log of job {job}, {attempt}"),
        }
    }

    /// Its page, made from its numbers: a link that GitHub's answer cannot bend.
    pub fn page(&self, facts: &Facts) -> String {
        let run = format!("actions/runs/{}", self.run);
        facts.page(&self.job().map_or(run.clone(), |job| format!("{run}/job/{job}")))
    }

    /// What supports it: each pin is a piece of its own.
    pub fn evidence(&self, facts: &Facts) -> Evidence {
        Evidence::new(&format!("pinned {}", self.label()), self.label(), Some(self.page(facts)), self.source.clone())
    }

    /// What has become of it. [`Standing::Fresh`] only where whole lists say the same of it, and of its commit.
    pub fn standing(&self, facts: &Facts, conclusions: &Conclusions) -> Standing {
        self.judge(facts, conclusions).unwrap_or_else(|standing| standing)
    }

    fn judge(&self, facts: &Facts, conclusions: &Conclusions) -> Result<Standing, Standing> {
        let head = &facts.pull.settled().ok_or_else(|| unread("pull request", &facts.pull))?.value.head;
        let Some(run) = whole("runs", &facts.runs)?.iter().find(|run| run.id == self.run) else {
            return Err(facts.runs_of_head_only().map_or(Standing::Gone, |why| Standing::Unread(Some(why))));
        };
        let commits = whole("commits", &facts.commits)?;
        let after = match commits.iter().position(|commit| commit.sha == self.head) {
            _ if self.head == *head => 0,
            // It is not the head, so something came after it, listed or not.
            Some(at) => (commits.len() - at - 1).max(1),
            None => return Err(Standing::Orphaned),
        };
        let same_head = run.head == self.head;
        match self.job() {
            None => {
                let same = same_head && run.attempt == self.attempt;
                self.compare(same, run.attempt, &run.status, run.conclusion.as_deref())?;
            }
            Some(job) => {
                whole("jobs", facts.jobs.get(&self.run).unwrap_or(&Remote::Idle))?;
                let sweep = conclusions.sweeps.iter().find(|sweep| sweep.run.id == self.run);
                let no_sweep = || Standing::Unread(Some(format!("Run {} is no sweep by today's policy.", self.run)));
                let (row, then) = attempt_of(sweep.ok_or_else(no_sweep)?, job).ok_or(Standing::Gone)?;
                let newer = row.attempts.iter().filter(|one| one.attempt > self.newest).max_by_key(|one| one.attempt);
                let now = newer.unwrap_or(then);
                let same = same_head && newer.is_none() && then.attempt == self.attempt;
                self.compare(same, now.attempt, &now.status, now.conclusion.as_deref())?;
            }
        }
        Ok(if after == 0 { Standing::Fresh } else { Standing::Earlier(after) })
    }

    fn compare(&self, same: bool, attempt: u32, status: &str, conclusion: Option<&str>) -> Result<(), Standing> {
        if same && status == "completed" && conclusion == Some(&self.conclusion) {
            return Ok(());
        }
        Err(Standing::Changed(format!("attempt {attempt}, {}", Outcome::read(status, conclusion).word())))
    }
}

impl Standing {
    /// Whether a sign-off that speaks of it must not go out.
    pub fn blocks(&self) -> bool {
        matches!(self, Standing::Orphaned | Standing::Changed(_) | Standing::Gone)
    }
}

/// The runs that pins are of, as far as GitHub lists them.
pub fn pinned_runs(draft: &Draft, facts: &Facts) -> Vec<RunId> {
    let listed = facts.runs.value().map(|runs| runs.items.as_slice()).unwrap_or_default();
    let pinned = |run: &&Run| draft.pins.iter().any(|pin| pin.run == run.id);
    listed.iter().filter(pinned).map(|run| run.id).collect()
}

/// The lines of a job's log that are pinned, counted from 1.
pub fn pinned_lines(pins: &[Pin], log: JobId) -> Vec<usize> {
    let of_log = |pin: &Pin| match pin.of {
        Subject::Line { job, number, .. } if job == log => Some(number),
        _ => None,
    };
    pins.iter().filter_map(of_log).collect()
}

/// Every run that a sign-off speaks of: those that it cites by itself, and those that are pinned.
pub fn cited_runs(draft: &Draft, facts: &Facts, conclusions: &Conclusions) -> Vec<RunId> {
    let mut out = conclusions.cited_runs();
    out.extend(pinned_runs(draft, facts).into_iter().filter(|run| !conclusions.cited_runs().contains(run)));
    out
}

/// How it ended, in GitHub's word.
fn ended(what: &str, status: &str, conclusion: Option<&str>) -> Result<String, String> {
    let outcome = Outcome::read(status, conclusion);
    match conclusion.filter(|_| outcome.finished()) {
        Some(word) => Ok(word.to_owned()),
        None => Err(format!("What has not ended is no evidence yet, and {what} is {}: pin it once it ends.", outcome.word())),
    }
}

/// A job by the id of any of its attempts, and that attempt.
fn attempt_of(sweep: &Sweep, id: JobId) -> Option<(&MergedJob, &Attempt)> {
    sweep.jobs.iter().find_map(|row| Some((row, row.attempts.iter().find(|one| one.id == id)?)))
}

/// A list that can be relied on, or that it cannot.
fn whole<'a, T>(what: &str, list: &'a Remote<Listing<T>>) -> Result<&'a [T], Standing> {
    let got = list.settled().ok_or_else(|| unread(what, list))?;
    match got.value.render_gap() {
        None => Ok(&got.value.items),
        Some(gap) => Err(Standing::Unread(Some(format!("List of {what}: {gap}")))),
    }
}

fn unread<T>(what: &str, remote: &Remote<T>) -> Standing {
    let why = || remote.trouble().map_or_else(|| format!("The {what} was not read."), Trouble::sentence);
    Standing::Unread((!remote.is_pending()).then(why))
}

#[cfg(test)]
mod tests;
