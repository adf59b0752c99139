//! The headless commands: read what is needed by the same plan as the screen, print, and say how complete it was.
//! Must not know: formats (`report`), rules (`core`).

#![allow(clippy::disallowed_methods)] // files belong to runtime

use super::connect::Connection;
use super::out::Out;
use super::{clock, recordings, store};
use crate::cli::{Subject, Ticks};
use crate::core::checklist::Signoff;
use crate::core::configs;
use crate::core::facts::{DocumentKind, Facts};
use crate::core::filter::Filter;
use crate::core::ids::{Login, PullNumber, RepoName, RunId};
use crate::core::listing::Listing;
use crate::core::plan::{self, Read};
use crate::core::policy::Policy;
use crate::core::remote::Remote;
use crate::core::review::Review;
use crate::core::session::Draft;
use crate::core::sweep::{Sweep, eval_sweep, sweeps, validation};
use crate::core::text::render_size;
use crate::core::time::{Day, render_age};
use crate::core::trouble::{Trouble, TroubleKind};
use crate::core::verdict::{self, Overall, Verdict};
use crate::error::{AppError, ErrorKind};
use crate::github::{Freshness, Recorder};
use crate::report::{self, Report};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::task::JoinSet;

/// One pull request (or run) of one repository, as the headless commands read it.
pub struct Desk {
    pub connection: Arc<Connection>,
    pub policy: Arc<Policy>,
    /// The API's host, as drafts name it.
    pub host: String,
    /// The root of its pages.
    pub web: String,
    pub repo: RepoName,
    /// The folder of drafts; `None` when there is none.
    pub data: Option<PathBuf>,
    /// Who signs, where it is not the token's owner.
    pub signer: Option<Login>,
    /// The UTC day that dated rules compare with.
    pub day: Day,
}

/// The number that a run without a pull request is read under: no address holds it.
pub(super) const NO_PULL: PullNumber = PullNumber(0);

impl Desk {
    /// Nothing is read yet.
    pub fn facts(&self, number: PullNumber) -> Facts {
        let mut facts = Facts { signer: self.signer.clone(), ..Facts::new(&self.web, self.repo.clone(), number) };
        facts.turn_to(clock::now(), Some(self.day));
        facts
    }

    /// Reads everything that `want` lets through, until nothing is due any more.
    pub async fn load(&self, number: PullNumber, want: impl Fn(&Read) -> bool) -> Facts {
        let mut facts = self.facts(number);
        self.settle(&mut facts, Vec::new(), want).await;
        facts
    }

    /// Performs these reads, all at once, and then whatever becomes due.
    pub async fn settle(&self, facts: &mut Facts, first: Vec<Read>, want: impl Fn(&Read) -> bool) {
        let draft = Draft::new(&self.host, self.repo.clone(), facts.number);
        self.settle_for(facts, &draft, None, first, want).await;
    }

    /// [`Desk::settle`] with what the rules want to know of this sign-off.
    pub async fn settle_for(
        &self,
        facts: &mut Facts,
        draft: &Draft,
        text: Option<&str>,
        first: Vec<Read>,
        want: impl Fn(&Read) -> bool,
    ) {
        let mut asked = JoinSet::new();
        let mut reads = first;
        let mut review = Review::default();
        loop {
            plan::start(facts, &reads);
            review = review.redraw(&self.policy, facts, draft, text);
            let due: Vec<Read> = plan::due(facts, &self.policy, &review.needs).into_iter().filter(&want).collect();
            plan::start(facts, &due);
            for read in reads.drain(..).chain(due) {
                let (connection, repo, number) = (Arc::clone(&self.connection), self.repo.clone(), facts.number);
                asked.spawn(async move { connection.read(&repo, number, read, Freshness::Network, |_| {}).await });
            }
            match asked.join_next().await {
                Some(Ok(reply)) => plan::absorb(facts, reply),
                // A read catches its own panics, and nothing here ends one early.
                Some(Err(_)) => {}
                None => return,
            }
        }
    }

    /// Offline: how old what is printed is.
    pub(super) fn tell_age(&self, facts: &Facts, out: &mut Out) {
        if let Some(oldest) = facts.oldest().filter(|_| self.connection.is_offline()) {
            let (age, time) = (render_age(clock::now(), oldest), oldest.format("%Y-%m-%d %H:%M UTC"));
            out.say(format!("Offline: as GitHub answered {age} ago ({time})."));
        }
    }

    /// `countersign jobs`.
    pub async fn jobs(&self, of: Subject, filter: &Filter, json: bool, out: &mut Out) -> Result<(), AppError> {
        let (facts, runs, gaps) = match of {
            Subject::Run(run) => {
                let mut facts = self.facts(NO_PULL);
                self.settle(&mut facts, vec![Read::Jobs(run), self.artifacts(run)], |_| false).await;
                refuse_nothing(facts.jobs.get(&run))?;
                (facts, vec![run], Vec::new())
            }
            Subject::Pull(number) => {
                let wanted = |read: &Read| {
                    matches!(read, Read::Pull | Read::Commits | Read::Runs { .. } | Read::Jobs(_) | Read::Artifacts { .. })
                };
                let mut facts = self.load(number, wanted).await;
                refuse(&facts.pull)?;
                let runs: Vec<RunId> = self.runs_of(&facts);
                // The plan reads the newest runs; a list of all jobs needs the older ones too.
                let older = runs.iter().filter(|run| !facts.jobs.contains_key(run));
                let more = older.flat_map(|run| [Read::Jobs(*run), self.artifacts(*run)]).collect();
                self.settle(&mut facts, more, |_| false).await;
                let mut gaps = list_gaps(&[("runs", gap(&facts.runs)), ("commits", gap(&facts.commits))]);
                gaps.extend(facts.runs_of_head_only());
                if runs.is_empty() && gaps.is_empty() {
                    out.say("There is no sweep of this pull request's commits.");
                    sweeps(&self.policy, &facts).iter().for_each(|sweep| out.say(left(sweep)));
                }
                (facts, runs, gaps)
            }
        };
        self.tell_age(&facts, out);
        if !json {
            report::jobs::remarks(&facts, &runs).into_iter().for_each(|remark| out.say(remark));
        }
        finish(report::jobs::report(&self.policy, &facts, &runs, filter, gaps, json), out)
    }

    /// `countersign evals`.
    pub async fn evals(&self, of: Subject, json: bool, out: &mut Out) -> Result<(), AppError> {
        let (facts, run, gaps) = match of {
            Subject::Run(run) => {
                let mut facts = Facts::new(&self.web, self.repo.clone(), NO_PULL);
                let name = self.policy.evals.artifact.clone();
                let bars = |read: &Read| matches!(read, Read::Document { kind: DocumentKind::Thresholds, .. });
                self.settle(&mut facts, vec![Read::Artifacts { run, name }], bars).await;
                refuse_nothing(facts.artifacts.get(&run))?;
                let newest =
                    facts.artifacts.get(&run).and_then(Remote::value).and_then(|list| plan::newest_readable(&list.items));
                if let Some(artifact) = newest.map(|artifact| artifact.id) {
                    self.settle(&mut facts, vec![Read::Evals { run, artifact }], |_| false).await;
                }
                (facts, Some(run), Vec::new())
            }
            Subject::Pull(number) => {
                let idle = |read: &Read| {
                    let said = matches!(read, Read::Comments | Read::Reviews | Read::LineComments);
                    !said && !matches!(read, Read::Viewer | Read::Results { .. })
                };
                let facts = self.load(number, idle).await;
                refuse(&facts.pull)?;
                let sweeps = sweeps(&self.policy, &facts);
                let run = validation(&sweeps).map(|cited| eval_sweep(&sweeps, cited).unwrap_or(cited).run.id);
                // Scores of a run that only evaluates count as well when there is nothing to validate; those of a commit that
                // has left the pull request never do.
                let scored = |sweep: &&Sweep| facts.evals.contains_key(&sweep.run.id);
                let run = run.or_else(|| {
                    sweeps.iter().filter(|sweep| sweep.in_pull != Some(false)).find(scored).map(|sweep| sweep.run.id)
                });
                let lists =
                    [("runs", gap(&facts.runs)), ("commits", gap(&facts.commits)), ("changed files", gap(&facts.files))];
                let mut gaps = list_gaps(&lists);
                // Which run counts is read from the jobs.
                for sweep in sweeps.iter().filter(|sweep| sweep.in_pull != Some(false) && !sweep.complete) {
                    let jobs = facts.jobs.get(&sweep.run.id).and_then(gap).unwrap_or_else(|| "not read".to_owned());
                    gaps.push(format!("Jobs of run {}: {jobs}", sweep.run.id));
                }
                // Which config a score belongs to is read from the changed config files.
                gaps.extend(configs::keys(&self.policy, &facts).gaps());
                if run.is_none() && gaps.is_empty() {
                    gaps.push("No sweep run of this pull request has scores.".to_owned());
                    gaps.extend(sweeps.iter().find(scored).map(left));
                    gaps.extend(facts.runs_of_head_only());
                }
                (facts, run, gaps)
            }
        };
        self.tell_age(&facts, out);
        finish(report::evals::report(&self.policy, &facts, run, gaps, json), out)
    }

    /// `countersign verdict`.
    pub async fn verdict(&self, number: PullNumber, json: bool, out: &mut Out) -> Result<(), AppError> {
        let wanted = |read: &Read| matches!(read, Read::Pull | Read::Comments | Read::Reviews | Read::LineComments);
        let facts = self.load(number, wanted).await;
        refuse(&facts.pull)?;
        let Some(head) = facts.head() else {
            return Err(AppError::new(ErrorKind::Unavailable, "The head commit was not read."));
        };
        let lists = [
            ("comments", gap(&facts.comments)),
            ("reviews", gap(&facts.reviews)),
            ("line comments", gap(&facts.line_comments)),
        ];
        let grammar = grammar(&self.policy)?;
        let answer = report::verdict::report(&self.policy, &grammar, &facts, head, list_gaps(&lists), json);
        finish(answer.report, out)?;
        match answer.verdict {
            Some(verdict) => judged(&verdict),
            None => Err(AppError::new(ErrorKind::No, "The verifier has not answered about the head commit.")),
        }
    }

    /// `countersign render`: the stored draft's comment, with more ticks or another detail text if asked.
    pub async fn render(
        &self,
        number: PullNumber,
        ticks: &Ticks,
        detail: Option<&Path>,
        out: &mut Out,
    ) -> Result<(), AppError> {
        let fresh = Draft::new(&self.host, self.repo.clone(), number);
        let stored = match &self.data {
            Some(data) => store::peek(&store::path(data, &self.host, &self.repo, number), &fresh)?,
            None => fresh,
        };
        let mut draft = stored;
        if let Some(path) = detail {
            draft.detail = Some(read_file(path)?);
        }
        let mut facts = self.facts(number);
        self.settle_for(&mut facts, &draft, None, Vec::new(), |_| true).await;
        refuse(&facts.pull)?;
        let signoff = report::signoff::sign(&self.policy, &facts, &draft).map_err(no_template)?;
        let keys = match ticks {
            Ticks::All => None,
            Ticks::Keys(keys) => Some(keys.as_slice()),
        };
        let warnings = report::signoff::tick(&mut draft, &signoff, &facts, keys, clock::now()).map_err(AppError::usage)?;
        let signoff: Signoff = report::signoff::sign(&self.policy, &facts, &draft).map_err(no_template)?;
        self.tell_age(&facts, out);
        out.data(&signoff.rendered.text);
        let objections = signoff.objections.unfit.iter().chain(&signoff.objections.warnings);
        for line in warnings.iter().chain(objections).chain(&signoff.gaps) {
            out.say(line);
        }
        if !signoff.gaps.is_empty() {
            let told = "The comment is printed, and says so where a fact was not read or is not there.";
            return Err(AppError::new(ErrorKind::Unavailable, told));
        }
        match warnings.len() {
            0 => Ok(()),
            count => {
                Err(AppError::new(ErrorKind::Warnings, format!("{count} of the ticked items are not backed by evidence.")))
            }
        }
    }

    /// `countersign record`: everything that the screen and the commands can show, into a file.
    pub async fn record(&self, number: PullNumber, recorder: &Recorder, file: &Path, out: &mut Out) -> Result<(), AppError> {
        let mut facts = self.load(number, |_| true).await;
        refuse(&facts.pull)?;
        // The plan reads the newest runs; a list of all jobs needs the older ones too.
        let older = self.runs_of(&facts).into_iter().filter(|run| !facts.jobs.contains_key(run)).map(Read::Jobs).collect();
        self.settle(&mut facts, older, |_| false).await;
        self.cover(&mut facts).await;
        let recording = recorder.recording();
        if self.connection.client().await?.is_repeated_in(&recording) {
            return Err(AppError::new(ErrorKind::No, "An answer repeats the token, so nothing was recorded.")
                .hint("Something between this machine and GitHub writes requests into answers: look there first."));
        }
        let size = recordings::save(file, &recording)?;
        let (place, repo) = (file.display(), &self.repo);
        out.data(&format!("{place}: {repo}#{number}, {} answers, {}\n", recording.len(), render_size(size)));
        match facts.gaps() {
            gaps if gaps.is_empty() => Ok(()),
            gaps => Err(AppError::new(ErrorKind::Unavailable, gaps.join("\n       "))
                .hint("The rest is recorded; what is missing here is missing when it is replayed.")),
        }
    }

    fn artifacts(&self, run: RunId) -> Read {
        Read::Artifacts { run, name: self.policy.evals.artifact.clone() }
    }

    /// Sweep runs of the pull request's own commits, newest first; a run whose commit cannot be placed is kept.
    fn runs_of(&self, facts: &Facts) -> Vec<RunId> {
        let sweeps = sweeps(&self.policy, facts);
        sweeps.iter().filter(|sweep| sweep.in_pull != Some(false)).map(|sweep| sweep.run.id).collect()
    }
}

/// `countersign verdict FILE`: the text of one comment, whoever wrote it and whenever.
pub fn verdict_in(policy: &Policy, path: &Path, json: bool, out: &mut Out) -> Result<(), AppError> {
    let text =
        read_file(path).map_err(|error| error.hint("A pull request is written 2550, OWNER/NAME#2550, or as its address."))?;
    let Some(verdict) = verdict::read(&grammar(policy)?, &text, None) else {
        let told = format!("{} holds no verdict: neither the verifier's mark, nor a header with checks below.", path.display());
        return Err(AppError::new(ErrorKind::No, told));
    };
    finish(report::verdict::lone(&verdict, json), out)?;
    judged(&verdict)
}

/// A policy that was read has a grammar that can be compiled; one that was not is told.
fn grammar(policy: &Policy) -> Result<verdict::Grammar<'_>, AppError> {
    let verdicts = policy.verdicts.as_ref().ok_or_else(|| {
        AppError::usage("The policy does not say how verdicts are written.").hint("Add the section `verdicts` to it.")
    })?;
    verdict::Grammar::of(verdicts).map_err(|problems| AppError::usage(problems.join("\n       ")))
}

/// The exit code of a verdict.
fn judged(verdict: &Verdict) -> Result<(), AppError> {
    match verdict.overall {
        Overall::Pass if verdict.problems.is_empty() => Ok(()),
        Overall::Pass => Err(AppError::new(ErrorKind::Warnings, "The verdict passes, but see the notes about it.")),
        Overall::Warn => Err(AppError::new(ErrorKind::Warnings, "The verdict passes with warnings.")),
        Overall::Rejected => Err(AppError::new(ErrorKind::No, "The sign-off is rejected.")),
        Overall::Unread => Err(AppError::new(ErrorKind::Unavailable, "It cannot be told what the verdict says.")),
    }
}

/// Ends with the trouble when the pull request itself could not be read.
pub fn refuse<T>(remote: &Remote<T>) -> Result<(), AppError> {
    match remote.trouble() {
        Some(trouble) => Err(trouble.clone().into()),
        None => Ok(()),
    }
}

/// A sweep whose commit is not, or no longer, one of the pull request's.
fn left(sweep: &Sweep) -> String {
    let (run, commit) = (sweep.run.id, sweep.run.head.short());
    format!("Run {run} measured {commit}, a commit that has left the pull request; ask for run:{run} to see it all the same.")
}

/// Why there is no comment. The pull request was read, so a missing document is a gap and no matter of access.
pub fn no_template(trouble: Trouble) -> AppError {
    let missing = trouble.kind == TroubleKind::NotFound;
    let error = AppError::from(trouble);
    if missing { AppError { kind: ErrorKind::Unavailable, ..error } } else { error }
}

/// Ends with the trouble when nothing at all could be read of what was asked for.
pub(super) fn refuse_nothing<T>(remote: Option<&Remote<T>>) -> Result<(), AppError> {
    let remote = remote.filter(|remote| remote.value().is_none());
    remote.map_or(Ok(()), refuse)
}

fn gap<T>(remote: &Remote<Listing<T>>) -> Option<String> {
    match remote.settled() {
        Some(got) => got.value.render_gap(),
        None => Some(remote.trouble().map_or_else(|| "not read".to_owned(), Trouble::sentence)),
    }
}

fn list_gaps(lists: &[(&str, Option<String>)]) -> Vec<String> {
    lists.iter().filter_map(|(name, gap)| gap.as_ref().map(|gap| format!("List of {name}: {gap}"))).collect()
}

/// Prints a report; one with gaps is printed too, and the exit code tells.
pub(super) fn finish(report: Report, out: &mut Out) -> Result<(), AppError> {
    out.data(&report.text);
    match report.gaps.is_empty() {
        true => Ok(()),
        false => Err(AppError::new(ErrorKind::Unavailable, report.gaps.join("\n       "))),
    }
}

/// A text file that the command line names.
pub fn read_file(path: &Path) -> Result<String, AppError> {
    std::fs::read_to_string(path).map_err(|error| AppError::usage(format!("{} cannot be read: {error}.", path.display())))
}
