//! Rule `sweep`: one commit of the pull request has executed, green benchmark and eval lanes.
//! Must not know: scores.

use super::{Confidence, Context, Finding, Status};
use crate::core::remote::Remote;
use crate::core::sweep::{LaneKind, MergedJob, Outcome, Sweep, Tally, eval_sweep, validation};
use std::collections::HashSet;

const KEY: &str = "sweep";
const TITLE: &str = "PR validation";

/// Why a rule stops before its question: what it needs is not there.
pub(super) struct Stop {
    pub status: Status,
    pub reason: String,
    pub about: Vec<Sweep>,
}

fn stop(status: Status, reason: String, about: impl IntoIterator<Item = Sweep>) -> Stop {
    Stop { status, reason, about: about.into_iter().collect() }
}

pub(super) fn check(context: &Context<'_>) -> Finding {
    let finding = |status, reason| Finding::new(KEY, TITLE, status, reason);
    let sweep = match cited(context) {
        Ok(sweep) => sweep,
        Err(stop) => return finding(stop.status, stop.reason).with(stop.about.iter().flat_map(Sweep::evidence)),
    };
    let evals = match measured(sweep).and_then(|()| evals_of(context, sweep)) {
        Ok(evals) => evals,
        Err(stop) => return finding(stop.status, stop.reason).with(sweep.evidence()),
    };
    let mut reason = format!(
        "{} on {}: {} and {} are green",
        capital(&sweep.label()),
        place(sweep),
        of(sweep.counts.benchmark, "benchmark"),
        of(evals.counts.eval, "eval"),
    );
    if evals.run.id != sweep.run.id {
        reason.push_str(&format!(", the evals in {}", evals.label()));
    }
    let repeated = sweep.jobs.iter().filter(|job| job.attempts.len() > 1).count();
    if repeated > 0 {
        reason.push_str(&format!(", {repeated} {} after a further attempt", jobs(repeated)));
    }
    let brief = format!(
        "{}/{} bench · {}/{} eval",
        sweep.counts.benchmark.green,
        sweep.counts.benchmark.wanted(),
        evals.counts.eval.green,
        evals.counts.eval.wanted(),
    );
    let mut out = finding(Status::Pass, String::new()).in_brief(brief).with(sweep.evidence());
    if evals.run.id != sweep.run.id {
        out = out.with(evals.evidence());
    }
    if let Some(behind) = sweep.behind.filter(|behind| *behind > 0) {
        let commits = if behind == 1 { "commit" } else { "commits" };
        reason.push_str(&format!("; {behind} {commits} came later: see that nothing measured changed"));
        out.confidence = Confidence::Derived;
    }
    if let Some((doubt, about)) = doubt(context, sweep, evals) {
        reason.push_str(&format!("; but {doubt}"));
        out.brief = doubt;
        out.status = Status::Warn;
        out.confidence = Confidence::Suspect;
        out = out.with(about.map(Sweep::evidence).unwrap_or_default());
    }
    reason.push('.');
    out.reason = reason;
    out
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
    let sweeps = &context.sweeps;
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
        return Err(stop(Status::Fail, reason, [(*orphan).clone()]));
    }
    if inside.is_empty()
        && let Some(reason) = facts.runs_of_head_only()
    {
        return Err(stop(Status::Unavailable, format!("No sweep of the head commit is known. {reason}"), []));
    }
    let Some(newest) = inside.first() else {
        return Err(stop(Status::Fail, "There is no sweep of this pull request.".to_owned(), []));
    };
    let tally = newest.counts.benchmark;
    let reason = if newest.executed_nothing() && tally.cancelled == 0 {
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

/// The run that holds the evals of `sweep`, executed and green.
fn evals_of<'a>(context: &'a Context<'_>, sweep: &'a Sweep) -> Result<&'a Sweep, Stop> {
    match eval_sweep(&context.sweeps, sweep) {
        Some(evals) => measured(evals).map(|()| evals),
        None => Err(stop(
            Status::Fail,
            format!("{} executed no eval lane, so nothing shows that accuracy held.", capital(&sweep.label())),
            [],
        )),
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
    for other in context.sweeps.iter().filter(|other| other.run.id != sweep.run.id && other.run.id != evals.run.id) {
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

#[cfg(test)]
mod tests {
    use super::super::tests::policy;
    use super::super::{Key, preflight, scenario};
    use super::*;
    use crate::core::facts::Facts;
    use crate::core::ids::{JobId, RepoName, RunId, Sha};
    use crate::core::listing::{Completeness, Listing};
    use crate::core::pull::{Commit, Job, Run};
    use crate::core::trouble::{Trouble, TroubleKind};

    const RUN: RunId = RunId(31_020_193_450);
    const OTHER: RunId = RunId(31_020_193_999);

    fn green() -> Facts {
        scenario::load("2550-green", 2550)
    }

    fn value<T>(remote: &mut Remote<T>) -> &mut T {
        match remote {
            Remote::Ready(got) => &mut got.value,
            _ => panic!("not ready"),
        }
    }

    /// The head moves on by `count` commits.
    fn push(facts: &mut Facts, count: usize) {
        for n in 0..count {
            let sha = Sha(format!("{n:040}"));
            value(&mut facts.commits).items.push(Commit {
                sha: sha.clone(),
                headline: String::new(),
                author: String::new(),
                date: None,
            });
            value(&mut facts.pull).head = sha;
        }
    }

    /// A second run, a copy of the first, newer, changed by `change`.
    fn again(facts: &mut Facts, change: impl Fn(&mut Run), job: impl Fn(&mut Job)) {
        let runs = &mut value(&mut facts.runs).items;
        let mut run = runs[0].clone();
        run.id = OTHER;
        run.created_at = run.created_at.map(|time| time + chrono::Duration::hours(1));
        change(&mut run);
        runs.insert(0, run);
        let mut jobs = value(facts.jobs.get_mut(&RUN).unwrap()).items.clone();
        for (at, one) in jobs.iter_mut().enumerate() {
            one.id = JobId(at as u64);
            one.run = OTHER;
            job(one);
        }
        facts.jobs.insert(OTHER, scenario::ready("other jobs", Listing::complete(jobs)));
    }

    fn jobs_of(facts: &mut Facts, run: RunId, change: impl Fn(&mut Job)) {
        value(facts.jobs.get_mut(&run).unwrap()).items.iter_mut().for_each(change);
    }

    fn is_lane(job: &Job) -> bool {
        job.name.contains(" | ")
    }

    fn is_eval(job: &Job) -> bool {
        job.name.ends_with("eval-only")
    }

    fn conclude(job: &mut Job, word: &str) {
        job.conclusion = Some(word.to_owned());
    }

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn variations_of_a_green_sweep() {
        type Change = fn(&mut Facts);
        let table: [(&str, Change, Status, &str); 21] = [
            ("later commits", |f| push(f, 2), Status::Pass, "; 2 commits came later"),
            (
                "the list of commits is cut and the run is not of the head",
                |f| {
                    push(f, 1);
                    let why = Trouble::new(TroubleKind::Server, "GitHub answered 502.", "");
                    value(&mut f.commits).completeness = Completeness::Partial { of: Some(9), why };
                },
                Status::Unavailable,
                "3 of 9 read: GitHub answered 502.",
            ),
            (
                "no run, and the fork's branch is called like the base branch",
                |f| {
                    let pull = value(&mut f.pull);
                    pull.head_branch = pull.base_branch.clone();
                    value(&mut f.runs).items.clear();
                },
                Status::Unavailable,
                "Only runs of the head commit are listed",
            ),
            (
                "the same, at the head",
                |f| {
                    value(&mut f.commits).completeness =
                        Completeness::Partial { of: None, why: Trouble::new(TroubleKind::Server, "x", "") };
                },
                Status::Pass,
                "on the head",
            ),
            (
                "a later push was gated",
                |f| {
                    push(f, 1);
                    let head = f.head().unwrap().clone();
                    again(
                        f,
                        |run| run.head = head.clone(),
                        |job| {
                            if is_lane(job) {
                                conclude(job, "skipped")
                            }
                        },
                    );
                },
                Status::Pass,
                "Run 31020193450 on e36439994",
            ),
            (
                "only gated runs",
                |f| {
                    jobs_of(f, RUN, |job| {
                        if is_lane(job) {
                            conclude(job, "skipped")
                        }
                    })
                },
                Status::Fail,
                "executed nothing",
            ),
            (
                "the measured commit left and the rest is gated",
                |f| {
                    again(f, |run| run.head = Sha::from("left"), |_| ());
                    jobs_of(f, RUN, |job| {
                        if is_lane(job) {
                            conclude(job, "skipped")
                        }
                    });
                },
                Status::Fail,
                "Run 31020193999 measured left, a commit that has left",
            ),
            (
                "a later push failed",
                |f| {
                    push(f, 1);
                    let head = f.head().unwrap().clone();
                    again(
                        f,
                        |run| run.head = head.clone(),
                        |job| {
                            if is_eval(job) {
                                conclude(job, "failure")
                            }
                        },
                    );
                },
                Status::Warn,
                "but run 31020193999 on the newer commit 000000000 has 4 failed jobs",
            ),
            (
                "a later push is running",
                |f| {
                    push(f, 1);
                    let head = f.head().unwrap().clone();
                    again(
                        f,
                        |run| {
                            run.head = head.clone();
                            run.status = "in_progress".into();
                        },
                        |job| job.status = "queued".into(),
                    );
                },
                Status::Warn,
                "on the newer commit 000000000 is not finished",
            ),
            (
                "an earlier try failed and was repeated",
                |f| {
                    again(
                        f,
                        |_| (),
                        |job| {
                            if is_eval(job) {
                                conclude(job, "failure")
                            }
                        },
                    )
                },
                Status::Pass,
                "Run 31020193450 on the head",
            ),
            (
                "another run of the commit lost what this one has not",
                |f| {
                    again(
                        f,
                        |_| (),
                        |job| {
                            if is_eval(job) {
                                conclude(job, "failure");
                                job.name = job.name.replace("fp4", "fp8")
                            }
                        },
                    );
                },
                Status::Warn,
                "but run 31020193999 on the same commit e36439994 has 4 failed jobs",
            ),
            (
                "evals in a run of their own",
                |f| {
                    again(
                        f,
                        |_| (),
                        |job| {
                            if is_lane(job) && !is_eval(job) {
                                conclude(job, "skipped")
                            }
                        },
                    );
                    jobs_of(f, RUN, |job| {
                        if is_eval(job) {
                            conclude(job, "skipped")
                        }
                    });
                },
                Status::Pass,
                "the evals in run 31020193999",
            ),
            ("no run", |f| value(&mut f.runs).items.clear(), Status::Fail, "There is no sweep of this pull request."),
            (
                "another workflow",
                |f| value(&mut f.runs).items[0].path = ".github/workflows/lint.yml".into(),
                Status::Fail,
                "There is no sweep",
            ),
            (
                "a namesake branch of another repository",
                |f| {
                    value(&mut f.runs).items[0].head_repo = RepoName::parse("some/fork");
                    value(&mut f.runs).items[0].head = Sha::from("elsewhere");
                },
                Status::Fail,
                "There is no sweep",
            ),
            (
                "an unknown word",
                |f| {
                    jobs_of(f, RUN, |job| {
                        if is_eval(job) {
                            conclude(job, "vanished")
                        }
                    })
                },
                Status::Unavailable,
                "in the state `vanished`",
            ),
            (
                "the run goes on without open jobs",
                |f| value(&mut f.runs).items[0].status = "in_progress".into(),
                Status::Unavailable,
                "is not finished: GitHub says running",
            ),
            (
                "all cancelled",
                |f| {
                    jobs_of(f, RUN, |job| {
                        if is_lane(job) {
                            conclude(job, "cancelled")
                        }
                    })
                },
                Status::Fail,
                "of 9 benchmark jobs 9 cancelled",
            ),
            (
                "one neutral",
                |f| value(f.jobs.get_mut(&RUN).unwrap()).items[4].conclusion = Some("neutral".into()),
                Status::Fail,
                "1 ended without success",
            ),
            (
                "plumbing failed",
                |f| value(f.jobs.get_mut(&RUN).unwrap()).items[0].conclusion = Some("failure".into()),
                Status::Warn,
                "its job check-changelog failed",
            ),
            (
                "a shared name over two attempts",
                |f| {
                    let jobs = &mut value(f.jobs.get_mut(&RUN).unwrap()).items;
                    let mut twin = jobs[4].clone();
                    twin.id = JobId(1);
                    twin.conclusion = Some("failure".into());
                    let mut later = jobs[4].clone();
                    (later.id, later.attempt) = (JobId(2), 2);
                    jobs.extend([twin, later]);
                },
                Status::Warn,
                "share a name over several attempts",
            ),
        ];
        for (name, change, status, words) in table {
            let mut facts = green();
            change(&mut facts);
            let findings = preflight(&policy(), &facts);
            let found = findings.iter().find(|found| found.key == Key::from(KEY)).unwrap();
            assert_eq!(found.status, status, "{name}: {}", found.reason);
            assert!(found.reason.contains(words), "{name}: {}", found.reason);
            assert!(found.status != Status::Pass || found.evidence.len() >= 2, "{name}");
        }
    }
}
