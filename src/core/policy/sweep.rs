//! Rule `sweep`: one commit of the pull request has executed, green benchmark and eval lanes.
//! Must not know: scores.

mod coverage;
#[cfg(test)]
mod tests;

use super::{Confidence, Context, Finding, Status, holds, normalise, reuse};
use crate::core::ids::Sha;
use crate::core::later::{self, Merges, Told};
use crate::core::plan::Read;
use crate::core::remote::Remote;
use crate::core::sweep::origin::{Origin, origin};
use crate::core::sweep::{LaneKind, MergedJob, Outcome, Standing, Sweep, Tally, eval_sweep, validation};
use crate::core::text::counted;
use chrono::Duration;
pub(super) use coverage::Coverage;
use std::collections::HashSet;

const KEY: &str = "sweep";
const TITLE: &str = "PR validation";

/// Why a rule stops before its question: what it needs is not there.
pub(super) struct Stop {
    pub status: Status,
    pub reason: String,
    pub about: Vec<Sweep>,
    /// Ways on, a sentence each.
    pub ways: Vec<String>,
}

fn stop(status: Status, reason: String, about: impl IntoIterator<Item = Sweep>) -> Stop {
    Stop { status, reason, about: about.into_iter().collect(), ways: Vec::new() }
}

/// When the labels came and went that decide what a run measured.
pub(super) fn needs(_context: &Context<'_>, reads: &mut Vec<Read>) {
    reads.push(Read::LabelEvents);
}

pub(super) fn check(context: &Context<'_>) -> Finding {
    judge(context).unwrap_or_else(|stop| {
        let found = Finding::new(KEY, TITLE, stop.status, stop.reason).with(stop.about.iter().flat_map(Sweep::evidence));
        found.note(stop.ways)
    })
}

/// The sweep that counts as evidence.
pub(super) fn grounds<'a>(context: &'a Context<'_>) -> Result<&'a Sweep, Stop> {
    let sweep = cited(context)?;
    match &sweep.standing {
        Standing::Counts | Standing::Doubtful(_) => Ok(sweep),
        Standing::Trial(label) => {
            let label = format!("was started under the label {label}, and such a run is no evidence");
            let reason = format!("{} {label}.", capital(&sweep.label()));
            Err(Stop { ways: again(context), ..stop(Status::Fail, reason, [sweep.clone()]) })
        }
        Standing::Unread => {
            let reason = format!("Under which labels {} was started is not read yet.", sweep.label());
            Err(stop(Status::Unavailable, reason, [sweep.clone()]))
        }
    }
}

fn judge(context: &Context<'_>) -> Result<Finding, Stop> {
    let sweep = grounds(context)?;
    let lost = match measured(sweep) {
        Ok(()) => None,
        Err(lost) if lost.status == Status::Fail => match excuse(context, sweep) {
            Excuse::Given => Some(lost.reason),
            Excuse::None => return Err(Stop { about: vec![sweep.clone()], ..lost }),
            Excuse::Unknown => {
                let lost = lost.reason.trim_end_matches('.');
                let why = match &context.facts.label_events {
                    Remote::Idle | Remote::Loading | Remote::Refreshing(_) => "is not read yet",
                    Remote::Ready(_) | Remote::Failed { .. } => "cannot be read",
                };
                let reason =
                    format!("{lost}, as the details say; whether it was started under fail-fast, which excuses it, {why}.");
                return Err(stop(Status::Unavailable, reason, [sweep.clone()]));
            }
        },
        Err(other) => return Err(Stop { about: vec![sweep.clone()], ..other }),
    };
    let due = due(context, sweep)?;
    let evals = evals_of(context, sweep, &due).map_err(|other| Stop { about: vec![sweep.clone()], ..other })?;
    let eval_jobs = evals.map(|evals| of(evals.counts.eval, "eval"));
    let mut reason = format!(
        "{} on {}: {}",
        capital(&sweep.label()),
        place(sweep),
        match eval_jobs {
            Some(eval_jobs) => format!("{} and {eval_jobs} are green", of(sweep.counts.benchmark, "benchmark")),
            None =>
                format!("{} are green, and by the rules of that day none is evaluated", of(sweep.counts.benchmark, "benchmark")),
        },
    );
    let other = evals.filter(|evals| evals.run.id != sweep.run.id);
    if let Some(evals) = other {
        reason.push_str(&format!(", the evals in {}", evals.label()));
    }
    let repeated = sweep.jobs.iter().filter(|job| job.attempts.len() > 1).count();
    if repeated > 0 {
        reason.push_str(&format!(", {repeated} {} after a further attempt", jobs(repeated)));
    }
    let count = |tally: Tally| format!("{}/{}", tally.green, tally.wanted());
    let brief = match evals {
        Some(evals) => format!("{} bench · {} eval", count(sweep.counts.benchmark), count(evals.counts.eval)),
        None => format!("{} bench · no eval due", count(sweep.counts.benchmark)),
    };
    let mut out = Finding::new(KEY, TITLE, Status::Pass, String::new()).in_brief(brief).with(sweep.evidence());
    out = out.with(other.map(Sweep::evidence).unwrap_or_default());
    if let Some(behind) = sweep.behind.filter(|behind| *behind > 0) {
        let told = later::told(context.policy, context.facts, context.conclusions, sweep);
        let count = counted(behind, "commit");
        reason.push_str(&match &told {
            Told::Changes(changes, _) if changes.leaves_measured() => {
                format!("; {count} came later, changing documents at most")
            }
            Told::Elsewhere(..) => format!("; by the list of commits {count} came later, by GitHub's comparison not"),
            _ => format!("; {count} came later: see that nothing measured changed"),
        });
        out = out.derived().note([after(context, sweep, &told, &due)]);
        if let Told::Changes(_, evidence) | Told::Elsewhere(_, evidence) = told {
            out = out.with([evidence]);
        }
    }
    out = out.note(due.notes());
    if let Some(hole) = due.exact_hole() {
        let reason = format!("{}: {hole}.", capital(&sweep.label()));
        return Ok(Finding { status: Status::Fail, confidence: Confidence::Derived, brief: hole.clone(), reason, ..out });
    }
    let evals = evals.unwrap_or(sweep);
    let lost = lost.map(|lost| (format!("{}, as the details say", lost.trim_end_matches('.')), None));
    let holes = || due.suspect_hole().map(|hole| (hole, None));
    if let Some((doubt, about)) = lost.or_else(|| doubt(context, sweep, evals)).or_else(holes) {
        reason.push_str(&format!("; but {doubt}"));
        out.brief = doubt;
        out.status = Status::Warn;
        out.confidence = Confidence::Suspect;
        out = out.with(about.map(Sweep::evidence).unwrap_or_default());
    }
    reason.push('.');
    out.reason = reason;
    Ok(out)
}

/// Which jobs were due, and what became of them; an error while the configs are not read.
pub(super) fn due(context: &Context<'_>, sweep: &Sweep) -> Result<Coverage, Stop> {
    coverage::of(context, sweep).map_err(|reason| stop(Status::Unavailable, reason, [sweep.clone()]))
}

/// What can be told of the commits after the measured one: the files that they change, and whether the head's points were
/// all run.
fn after(context: &Context<'_>, sweep: &Sweep, told: &Told<'_>, due: &Coverage) -> String {
    let merges = Merges::of(later::commits(context.facts, sweep)).render(sweep.behind == Some(1));
    let merged = merges.map(|merges| format!("; {merges}")).unwrap_or_default();
    let points = match due.is_met() {
        true => "every point that the head asks for was run",
        false => "whether all points of the head were run cannot be told",
    };
    let code = |text: &str| format!("`{text}`");
    let (one, subject) = match sweep.behind {
        Some(1) => (true, "The later commit"),
        _ => (false, "The later commits"),
    };
    let files = match told {
        Told::Changes(changes, _) => changes.render(subject, one, &code),
        Told::Elsewhere(course, _) => later::render_elsewhere(course, &code),
        Told::Unread(None) => "Which files the later commits change is not read yet".to_owned(),
        Told::Unread(Some(trouble)) => {
            let why = trouble.headline.trim_end_matches('.');
            format!("Which files the later commits change cannot be read ({why})")
        }
    };
    format!("{files}; {points}{merged}.")
}

/// What speaks for a sweep that lost jobs.
enum Excuse {
    Given,
    None,
    /// All of it is there, but when the labels came and went is not known.
    Unknown,
}

/// Whether the sign-off pins this run, which was started under fail-fast and lost lanes to it, and its details name each of
/// them.
fn excuse(context: &Context<'_>, sweep: &Sweep) -> Excuse {
    let fail_fast = &context.policy.sweep.fail_fast;
    if sweep.counts.benchmark.cancelled == 0 || !is_admitted(context, sweep) {
        return Excuse::None;
    }
    // Labels that came later say nothing of the run, and those that went had their say.
    match origin(context.facts, &sweep.run, |label| fail_fast.iter().any(|known| known == label)) {
        Origin::Labelled(_) | Origin::Under(_) => Excuse::Given,
        Origin::NoLabel => Excuse::None,
        Origin::Unread => Excuse::Unknown,
    }
}

/// Whether the sign-off pins the run, and its details name each lane that was lost.
fn is_admitted(context: &Context<'_>, sweep: &Sweep) -> bool {
    let policy = &context.policy.sweep;
    let comments = context.facts.comments.settled().map(|got| got.value.items.as_slice()).unwrap_or_default();
    let commands = reuse::commands(context, comments);
    let pinned = commands.iter().rev().find(|command| command.authorised).and_then(|command| command.run);
    let Some(details) = context.excuses().filter(|_| pinned == Some(sweep.run.id)) else { return false };
    let words = normalise(details);
    let words: Vec<&str> = words.split(' ').collect();
    let mut lost = sweep.jobs.iter().filter(|job| job.name.kind != LaneKind::Plumbing && job.outcome.is_loss()).peekable();
    let named =
        |job: &MergedJob| job.name.axes.as_ref().is_some_and(|axes| words.contains(&normalise(&axes.render_conc()).as_str()));
    policy.disclosed.iter().any(|phrase| holds(&words, phrase)) && lost.peek().is_some() && lost.all(named)
}

/// The sweep that the pull request stands on, if its runs and commits were read whole.
pub(super) fn cited<'a>(context: &'a Context<'_>) -> Result<&'a Sweep, Stop> {
    let facts = context.facts;
    let Some(runs) = facts.runs.settled() else {
        return Err(stop(Status::Unavailable, unread("the runs", &facts.runs), []));
    };
    if let Some(gap) = runs.value.render_gap() {
        return Err(stop(Status::Unavailable, format!("The runs are not read whole: {gap}"), []));
    }
    let sweeps = &context.conclusions.sweeps;
    let (inside, outside): (Vec<&Sweep>, Vec<&Sweep>) = sweeps.iter().partition(|sweep| sweep.in_pull == Some(true));
    if let Some(sweep) = validation(sweeps) {
        // A run of the head needs no list of commits.
        if !sweep.at_head
            && let Some(reason) = commits_unread(context)
        {
            return Err(stop(Status::Unavailable, reason, [sweep.clone()]));
        }
        return Ok(sweep);
    }
    if outside.iter().any(|sweep| sweep.in_pull.is_none()) {
        let reason = commits_unread(context).unwrap_or_else(|| "The commits of the pull request are not read yet.".to_owned());
        return Err(stop(Status::Unavailable, reason, []));
    }
    if let Some(late) = inside.iter().find(|sweep| !sweep.finished()) {
        measured(late)?;
    }
    let measured =
        outside.iter().find(|sweep| sweep.counts.benchmark.executed > 0).or(outside.first().filter(|_| inside.is_empty()));
    if let Some(orphan) = measured {
        let commit = orphan.run.head.short();
        let reason = format!(
            "{} measured {commit}, a commit that has left the pull request; a sweep of one of its present commits is needed.",
            capital(&orphan.label())
        );
        let mut ways = ways_back(context, &orphan.run.head);
        ways.insert(
            ways.len() - 1,
            "Split off whatever ends before such a sweep would have ended (see the rule on deprecation).".to_owned(),
        );
        return Err(Stop { ways, ..stop(Status::Fail, reason, [(*orphan).clone()]) });
    }
    if inside.is_empty()
        && let Some(reason) = facts.runs_of_head_only()
    {
        return Err(stop(Status::Unavailable, format!("No sweep of the head commit is known. {reason}"), []));
    }
    let Some(newest) = inside.first() else {
        return Err(stop(Status::Fail, "There is no sweep of this pull request.".to_owned(), []));
    };
    let reason = if newest.is_gated() {
        format!(
            "{} is {}, but it executed nothing: every benchmark and eval lane was skipped.",
            capital(&newest.label()),
            newest.outcome().word()
        )
    } else {
        format!(
            "{} executed no benchmark job: {}.",
            capital(&newest.label()),
            failures(newest).unwrap_or_else(|| "there is none".to_owned())
        )
    };
    Err(stop(Status::Fail, reason, [(*newest).clone()]))
}

/// How to come back to a measured commit, cheapest first; the last is how not to lose it again.
pub(crate) fn ways_back(context: &Context<'_>, orphan: &Sha) -> Vec<String> {
    let commit = orphan.short();
    let mut out = vec![format!(
        "Restore the measured commit: push {commit} to the branch again, or merge it in, so that it is one of the pull request's commits."
    )];
    out.extend(again(context));
    let base = context.facts.pull.value().map_or("the base branch", |pull| pull.base_branch.as_str());
    out.push(format!("From now on merge {base} into the branch and do not rebase: a merge keeps the measured commit."));
    out
}

/// A full sweep, with its label and its length.
fn again(context: &Context<'_>) -> Vec<String> {
    let merge = &context.policy.rules.merge;
    let trial = |label: &&String| context.policy.sweep.trials.contains(label) || merge.not_reusable.contains(label);
    let label = merge.sweep_labels.iter().find(|label| !trial(label));
    let label = label.map(|label| format!(" (label {label})")).unwrap_or_default();
    let length = usual_length(&context.conclusions.sweeps).map_or_else(String::new, |length| {
        format!(": one of this pull request takes {}, so it ends about that long after its start", spoken(length))
    });
    vec![format!("Run a full sweep of the head{label}{length}.")]
}

/// How long a sweep of this pull request takes from start to end: the middle one of those that measured.
pub(super) fn usual_length(sweeps: &[Sweep]) -> Option<Duration> {
    let mut lengths: Vec<Duration> = sweeps.iter().filter_map(length).collect();
    lengths.sort_unstable();
    lengths.get(lengths.len() / 2).copied()
}

/// How long a sweep that measured took.
pub(super) fn length(sweep: &Sweep) -> Option<Duration> {
    let measured = sweep.finished() && sweep.counts.benchmark.executed > 0;
    let length = sweep.run.updated_at? - sweep.run.started_at.or(sweep.run.created_at)?;
    (measured && length > Duration::zero()).then_some(length)
}

/// `45 min`, `5 h 10 min`.
pub(super) fn spoken(length: Duration) -> String {
    match length.num_minutes() {
        minutes @ ..60 => format!("{minutes} min"),
        minutes => format!("{} h {} min", minutes / 60, minutes % 60),
    }
}

/// Another run of the commit, not read whole, that may have executed the evals of `sweep`.
pub(super) fn perhaps_evals<'a>(context: &'a Context<'_>, sweep: &Sweep) -> Option<&'a Sweep> {
    let sweeps = &context.conclusions.sweeps;
    let is_open = |other: &&Sweep| other.run.head == sweep.run.head && other.run.id != sweep.run.id && !other.complete;
    sweeps.iter().find(is_open).filter(|_| eval_sweep(sweeps, sweep).is_none())
}

/// Whether it is known that no other run executed the evals of `sweep`.
pub(super) fn no_other_evals(context: &Context<'_>, sweep: &Sweep) -> Result<(), Stop> {
    let Some(other) = perhaps_evals(context, sweep) else { return Ok(()) };
    let reason = format!(
        "{} executed no eval lane, and the jobs of {}, of the same commit, are not read whole.",
        capital(&sweep.label()),
        other.label()
    );
    Err(stop(Status::Unavailable, reason, [other.clone()]))
}

/// The run that holds the evals of `sweep`, executed and green; `None` where none is due.
fn evals_of<'a>(context: &'a Context<'_>, sweep: &'a Sweep, due: &Coverage) -> Result<Option<&'a Sweep>, Stop> {
    let label = capital(&sweep.label());
    match eval_sweep(&context.conclusions.sweeps, sweep) {
        Some(own) if own.run.id == sweep.run.id && own.counts.eval.all_green() => Ok(Some(own)),
        Some(own) if own.run.id == sweep.run.id => {
            let reason = format!("{label}: {} are green.", of(own.counts.eval, "eval"));
            Err(stop(Status::Fail, reason, []))
        }
        Some(evals) => measured(evals).map(|()| Some(evals)),
        None if due.no_eval_is_due() => Ok(None),
        None => {
            no_other_evals(context, sweep)?;
            let reason = format!("{label} executed no eval lane, so nothing shows that accuracy held.");
            Err(Stop { ways: due.notes(), ..stop(Status::Fail, reason, []) })
        }
    }
}

/// Whether every job of the sweep that measures has come to a good end, as far as is known.
pub(super) fn measured(sweep: &Sweep) -> Result<(), Stop> {
    let label = capital(&sweep.label());
    let counts = &sweep.counts;
    let unknown = sweep.jobs.iter().find_map(|job| match &job.outcome {
        Outcome::Unknown(word) => Some(word),
        _ => None,
    });
    let reason = if !sweep.complete {
        match &sweep.why {
            Some(trouble) => format!("The jobs of {} are not read whole: {}", sweep.label(), trouble.headline),
            None => format!("The jobs of {} are not read yet.", sweep.label()),
        }
    } else if let Some(word) = unknown {
        format!("{label} has a job in the state `{word}`, which this version does not know.")
    } else if counts.unfinished() > 0 {
        let all = counts.benchmark.wanted() + counts.eval.wanted() + counts.canary.wanted();
        let already = failures(sweep).map(|lost| format!("; {lost}")).unwrap_or_default();
        format!("{label}: {} of {all} jobs that measure are not finished{already}.", counts.unfinished())
    } else if !sweep.outcome().finished() {
        format!("{label} is not finished: GitHub says {}.", sweep.outcome().word())
    } else if let Some(lost) = failures(sweep) {
        return Err(stop(Status::Fail, format!("{label}: {lost}."), []));
    } else {
        return Ok(());
    };
    Err(stop(Status::Unavailable, reason, []))
}

/// `1 of 9 benchmark jobs failed, 4 were cancelled`, for each kind that lost some.
fn failures(sweep: &Sweep) -> Option<String> {
    let kinds = [(sweep.counts.canary, "canary"), (sweep.counts.benchmark, "benchmark"), (sweep.counts.eval, "eval")];
    let lost: Vec<String> = kinds
        .into_iter()
        .filter_map(|(tally, kind)| {
            let parts: Vec<String> =
                [(tally.failed, "failed"), (tally.cancelled, "cancelled"), (tally.other, "ended without success")]
                    .into_iter()
                    .filter(|(count, _)| *count > 0)
                    .map(|(count, word)| format!("{count} {word}"))
                    .collect();
            (!parts.is_empty()).then(|| format!("of {} {kind} {} {}", tally.wanted(), jobs(tally.wanted()), parts.join(", ")))
        })
        .collect();
    (!lost.is_empty()).then(|| lost.join("; "))
}

/// What speaks against a green sweep: later runs, other runs of its commit, plumbing, attempts that cannot be told apart.
fn doubt<'a>(context: &'a Context<'_>, sweep: &Sweep, evals: &Sweep) -> Option<(String, Option<&'a Sweep>)> {
    let measures = |job: &&MergedJob| job.name.kind != LaneKind::Plumbing;
    let green: HashSet<&str> = [sweep, evals]
        .into_iter()
        .flat_map(|sweep| sweep.jobs.iter())
        .filter(|job| job.outcome.green())
        .map(|job| job.name.identity.as_str())
        .collect();
    for other in context.conclusions.sweeps.iter().filter(|other| other.run.id != sweep.run.id && other.run.id != evals.run.id)
    {
        let newer = other.in_pull == Some(true) && other.behind < sweep.behind;
        let same = other.run.head == sweep.run.head;
        if !newer && !same {
            continue;
        }
        let lost = other
            .jobs
            .iter()
            .filter(measures)
            .filter(|job| job.outcome.failed() && (newer || !green.contains(job.name.identity.as_str())))
            .count();
        let which = if newer { "the newer commit" } else { "the same commit" };
        let said = format!("{} on {which} {}", other.label(), other.run.head.short());
        if lost > 0 {
            return Some((format!("{said} has {lost} failed {}", jobs(lost)), Some(other)));
        }
        if newer && !other.finished() && !other.executed_nothing() {
            return Some((format!("{said} is not finished, or not read"), Some(other)));
        }
    }
    if let Standing::Doubtful(label) = &sweep.standing {
        return Some((format!("the label {label} is set, and whether it was when the run started cannot be read"), None));
    }
    let plumbing = sweep.jobs.iter().find(|job| !measures(job) && job.outcome.failed());
    if let Some(job) = plumbing {
        return Some((format!("its job {} failed", job.name.lane), None));
    }
    let unclear = sweep.jobs.iter().filter(|job| job.ambiguous && job.attempts.len() > 1).count();
    (unclear > 0).then(|| {
        (format!("{unclear} {} share a name over several attempts, so which was repeated cannot be told", jobs(unclear)), None)
    })
}

fn commits_unread(context: &Context<'_>) -> Option<String> {
    let commits = &context.facts.commits;
    match commits.settled() {
        None => Some(unread("the commits", commits)),
        Some(got) => got.value.render_gap().map(|gap| format!("The commits are not read whole: {gap}")),
    }
}

fn unread<T>(what: &str, remote: &Remote<T>) -> String {
    match remote.trouble() {
        Some(trouble) => format!("{} cannot be read: {}", capital(what), trouble.headline),
        None => format!("{} are not read yet.", capital(what)),
    }
}

/// `the head e36439994`, or the commit alone.
fn place(sweep: &Sweep) -> String {
    if sweep.at_head { format!("the head {}", sweep.run.head.short()) } else { sweep.run.head.short().to_owned() }
}

/// `9 of 9 benchmark jobs`.
fn of(tally: Tally, kind: &str) -> String {
    format!("{} of {} {kind} {}", tally.green, tally.wanted(), jobs(tally.wanted()))
}

pub(super) fn jobs(count: usize) -> &'static str {
    if count == 1 { "job" } else { "jobs" }
}

pub(super) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
