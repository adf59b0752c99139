//! A green sweep, spoiled in every way; runs under labels, holes, lanes without evals.
//! Must not know: how jobs are named.

use super::super::tests::policy;
use super::super::{Key, preflight, scenario};
use super::*;
use crate::core::facts::{Facts, Side};
use crate::core::ids::{JobId, RepoName, RunId, Sha};
use crate::core::listing::{Completeness, Listing};
use crate::core::pull::{Commit, Job, LabelEvent, Run};
use crate::core::review::Review;
use crate::core::session::Draft;
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
            message: String::new(),
            author: String::new(),
            date: None,
            parents: None,
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
        let findings = preflight(&policy(), &facts, &Draft::new("h", facts.repo.clone(), facts.number));
        let found = findings.iter().find(|found| found.key == Key::from(KEY)).unwrap();
        assert_eq!(found.status, status, "{name}: {}", found.reason);
        assert!(found.reason.contains(words), "{name}: {}", found.reason);
        assert!(found.status != Status::Pass || found.evidence.len() >= 2, "{name}");
    }
}

/// What `sweep` and `evals` say of the green scenario after a change, to a sign-off with these details.
fn after(details: Option<&str>, change: impl Fn(&mut Facts)) -> (Finding, Finding) {
    let text = details.map(|details| format!("### Additional detail section:\n{details}\n"));
    let (_, review) = scenario::review("2550-green", 2550, text.as_deref(), change);
    let of = |key: &str| review.findings.iter().find(|found| found.key == Key::from(key)).unwrap().clone();
    (of("sweep"), of("evals"))
}

fn start(facts: &Facts) -> crate::core::time::Time {
    facts.runs.value().unwrap().items[0].created_at.unwrap()
}

/// The label comes or goes so many minutes after the run began.
fn label(facts: &mut Facts, label: &str, minutes: i64, added: bool) {
    let at = Some(start(facts) + chrono::Duration::minutes(minutes));
    value(&mut facts.label_events).items.push(LabelEvent { id: 0, label: label.into(), added, at });
}

fn no_label_events(facts: &mut Facts) {
    let trouble = Trouble::new(TroubleKind::Server, "GitHub answered 502.", "");
    facts.label_events = Remote::Failed { trouble, last: None };
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn a_run_counts_by_the_labels_that_it_was_started_under() {
    type Change = fn(&mut Facts);
    let table: [(&str, Change, Status, &str); 8] = [
        ("set before", |f| label(f, "sweep-enabled", -5, true), Status::Fail, "under the label sweep-enabled"),
        ("fast before", |f| label(f, "agentx-fast", -5, true), Status::Fail, "under the label agentx-fast"),
        ("set after", |f| label(f, "evals-only", 5, true), Status::Pass, "are green"),
        (
            "set and removed before",
            |f| {
                label(f, "evals-only", -9, true);
                label(f, "evals-only", -5, false);
            },
            Status::Pass,
            "are green",
        ),
        (
            "removed after",
            |f| {
                label(f, "sweep-enabled", -9, true);
                label(f, "sweep-enabled", 5, false);
            },
            Status::Fail,
            "no evidence",
        ),
        ("unreadable, and not set now", no_label_events, Status::Pass, "are green"),
        (
            "unreadable, and set now",
            |f| {
                no_label_events(f);
                value(&mut f.pull).labels.push("sweep-enabled".into());
            },
            Status::Warn,
            "whether it was when the run started cannot be read",
        ),
        (
            "a newer trial beside a full run",
            |f| {
                again(f, |_| (), |_| ());
                let at = Some(start(f) - chrono::Duration::minutes(5));
                let event = LabelEvent { id: 0, label: "sweep-enabled".into(), added: true, at };
                value(&mut f.label_events).items.push(event);
            },
            Status::Pass,
            "Run 31020193450 on",
        ),
    ];
    for (name, change, status, words) in table {
        let (sweep, evals) = after(None, change);
        assert!(sweep.status == status && sweep.reason.contains(words), "{name}: {:?} {}", sweep.status, sweep.reason);
        assert_eq!(evals.status == Status::Fail, status == Status::Fail, "{name}: {}", evals.reason);
    }
    let mut facts = green();
    facts.label_events = Remote::Idle;
    let findings = preflight(&policy(), &facts, &Draft::new("h", facts.repo.clone(), facts.number));
    let found = findings.iter().find(|found| found.key == Key::from(KEY)).unwrap();
    assert!(found.status == Status::Unavailable && found.reason.contains("not read yet"), "{}", found.reason);
}

/// The jobs of the run whose names end in this.
fn ending(facts: &mut Facts, end: &str, change: impl Fn(&mut Job)) {
    let mut changed = 0;
    for job in &mut value(facts.jobs.get_mut(&RUN).unwrap()).items {
        if job.name.ends_with(end) {
            change(job);
            changed += 1;
        }
    }
    assert_eq!(changed, 1, "{end}");
}

fn without(facts: &mut Facts, end: &str) {
    let jobs = &mut value(facts.jobs.get_mut(&RUN).unwrap()).items;
    let before = jobs.len();
    jobs.retain(|job| !job.name.ends_with(end));
    assert_eq!(jobs.len(), before - 1, "{end}");
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn what_was_due_and_is_not_there_is_named() {
    const ADDED: &str = "TP2/EP2 mtp   c64";
    const OLD: &str = "TP2 mtp   c16";
    type Change = fn(&mut Facts);
    let table: [(&str, Change, Status, &str); 6] = [
        ("an added point", |f| without(f, ADDED), Status::Fail, "TP2/EP2 mtp c64 (not in the run)"),
        ("an added point skipped", |f| ending(f, ADDED, |job| conclude(job, "skipped")), Status::Fail, "c64 (skipped)"),
        ("a point as before", |f| without(f, OLD), Status::Warn, "a due benchmark job is missing"),
        (
            "a name that nothing called for",
            |f| ending(f, ADDED, |job| job.name = job.name.replace("c64", "c128")),
            Status::Warn,
            "TP2/EP2 mtp c64 (not in the run)",
        ),
        (
            "in the canary",
            |f| ending(f, ADDED, |job| job.name = job.name.replace("single-node 8k1k", "canary")),
            Status::Pass,
            "are green",
        ),
        (
            "an eval",
            |f| {
                let evals: Vec<String> = f.jobs[&RUN].value().unwrap().items.iter().map(|job| job.name.clone()).collect();
                let last = evals.iter().rfind(|name| name.ends_with("eval-only")).unwrap();
                without(f, last);
            },
            Status::Warn,
            "a due eval job is missing",
        ),
    ];
    for (name, change, status, words) in table {
        let (sweep, _) = after(None, change);
        assert!(sweep.status == status && sweep.reason.contains(words), "{name}: {:?} {}", sweep.status, sweep.reason);
    }
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn evals_that_may_stand_in_a_run_that_was_not_read_are_not_missed() {
    let skip_evals = |f: &mut Facts| {
        jobs_of(f, RUN, |job| {
            if is_eval(job) {
                conclude(job, "skipped");
            }
        });
    };
    let both = |change: &dyn Fn(&mut Facts)| {
        let (sweep, evals) = after(None, change);
        (sweep.status, evals.status, sweep.reason, evals.reason)
    };
    let (sweep, evals, ..) = both(&skip_evals);
    assert_eq!((sweep, evals), (Status::Fail, Status::Fail));
    let unread = |f: &mut Facts| {
        skip_evals(f);
        again(f, |_| (), |_| ());
        f.jobs.remove(&OTHER);
    };
    let (sweep, evals, why, whys) = both(&unread);
    assert_eq!((sweep, evals), (Status::Unavailable, Status::Unavailable), "{why} {whys}");
    assert!(why.contains("jobs of run 31020193999, of the same commit") && why == whys, "{why} {whys}");
    let mut facts = green();
    unread(&mut facts);
    let draft = Draft::new("h", facts.repo.clone(), facts.number);
    let needs = crate::core::review::Review::draw(&policy(), &facts, &draft, None).needs;
    assert!(needs.contains(&crate::core::plan::Read::Jobs(OTHER)), "{needs:?}");
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn points_that_are_never_evaluated_need_no_eval() {
    let no_evals = |facts: &mut Facts| {
        jobs_of(facts, RUN, |job| {
            if is_eval(job) {
                conclude(job, "skipped");
            }
        });
        let (_, log) =
            facts.sides.iter_mut().find(|((side, path), _)| *side == Side::Head && path.contains("changelog")).unwrap();
        let text = &mut value(log).text;
        let at = text.rfind("\n  pr-link:").unwrap();
        text.insert_str(at, "\n  no-evals: true");
    };
    let (sweep, evals) = after(None, no_evals);
    assert!(sweep.status == Status::Pass && sweep.reason.contains("none is evaluated"), "{:?} {}", sweep.status, sweep.reason);
    assert_eq!(evals.status, Status::NotApplicable, "{}", evals.reason);
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn a_lost_lane_of_a_pinned_fail_fast_run_is_a_warning_where_it_is_admitted() {
    let lose = |facts: &mut Facts| {
        ending(facts, "TP2/EP2 mtp   c64", |job| conclude(job, "failure"));
        ending(facts, "TP2/EP2 mtp   c32", |job| conclude(job, "cancelled"));
    };
    let pin = |facts: &mut Facts| {
        for comment in &mut value(&mut facts.comments).items {
            if comment.body.contains("/reuse-sweep-run") {
                comment.body = format!("/reuse-sweep-run {RUN}");
            }
        }
    };
    let admitted = "c64 failed and c32 was cancelled by fail-fast; both follow.";
    let fail_fast = &policy().sweep.fail_fast[0];
    // When the label came and went, in minutes after the run began.
    let (before, after_it, taken_off, gone) =
        (&[(-9, true)][..], &[(5, true)][..], &[(-9, true), (5, false)][..], &[(-9, true), (-5, false)][..]);
    let table = [
        (admitted, true, before, Status::Warn),
        (admitted, false, before, Status::Fail),
        ("c64 failed; the rest was cancelled.", true, before, Status::Fail),
        ("c64 and c32 will follow.", true, before, Status::Fail),
        // Today's labels say nothing of the run: put on since, and taken off since.
        (admitted, true, after_it, Status::Fail),
        (admitted, true, taken_off, Status::Warn),
        (admitted, true, gone, Status::Fail),
        (admitted, true, &[], Status::Fail),
    ];
    let judged = |details: &str, pinned: bool, labels: &dyn Fn(&mut Facts)| {
        let (sweep, _) = after(Some(details), |facts| {
            lose(facts);
            value(&mut facts.label_events).items.clear();
            labels(facts);
            let bare = |comment: &mut crate::core::pull::Comment| comment.body = comment.body.replace(&RUN.to_string(), "");
            if pinned { pin(facts) } else { value(&mut facts.comments).items.iter_mut().for_each(bare) }
        });
        assert!(sweep.reason.contains("1 failed, 1 cancelled"), "{}", sweep.reason);
        sweep
    };
    for (details, pinned, events, status) in table {
        let put = |facts: &mut Facts| events.iter().for_each(|(minutes, added)| label(facts, fail_fast, *minutes, *added));
        let sweep = judged(details, pinned, &put);
        assert_eq!(sweep.status, status, "{details} {pinned} {events:?}: {}", sweep.reason);
    }
    // Neither is guessed where nobody can tell.
    for (details, status) in [(admitted, Status::Unavailable), ("c64 and c32 will follow.", Status::Fail)] {
        let sweep = judged(details, true, &no_label_events);
        assert_eq!(sweep.status, status, "{details}: {}", sweep.reason);
        assert_eq!(sweep.reason.contains("cannot be read"), status == Status::Unavailable, "{}", sweep.reason);
    }
    // Where no label makes a trial, nothing asks when labels came before this does.
    let mut policy = policy();
    policy.sweep.trials.clear();
    let text = format!(
        "### Additional detail section:
{admitted}
"
    );
    let (mut facts, _) = scenario::review("2550-green", 2550, Some(&text), |facts| {
        lose(facts);
        pin(facts);
    });
    let draft = Draft::new("h", facts.repo.clone(), facts.number);
    no_label_events(&mut facts);
    let failed = facts.label_events.clone();
    let table = [(Remote::Idle, "is not read yet."), (Remote::Loading, "is not read yet."), (failed, "cannot be read.")];
    for (events, want) in table {
        facts.label_events = events;
        let review = Review::draw(&policy, &facts, &draft, Some(&text));
        let sweep = review.findings.iter().find(|found| found.key == Key::from(KEY)).unwrap();
        assert!(sweep.status == Status::Unavailable && sweep.reason.ends_with(want), "{}", sweep.reason);
    }
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn an_orphan_is_told_the_ways_back() {
    let (_, review) = scenario::review("2550-rebased", 2550, None, |_| ());
    let found = review.findings.iter().find(|found| found.key == Key::from(KEY)).unwrap();
    let ways = found.notes.join(" ");
    for words in
        ["push 467b18e5b", "(label full-sweep-enabled): one of this pull request takes 45 min", "Split off", "merge main"]
    {
        assert!(ways.contains(words), "{words}: {ways}");
    }
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn what_was_due_is_what_real_sweeps_ran() {
    let names: [(&str, u64); 10] = [
        ("2550-green", 2550),
        ("2550-newest", 2550),
        ("2550-rerun", 2550),
        ("2313", 2313),
        ("2256", 2256),
        ("2349", 2349),
        ("2492", 2492),
        ("2206", 2206),
        ("2462", 2462),
        ("2610", 2610),
    ];
    for (name, number) in names {
        let facts = scenario::load(name, number);
        let findings = preflight(&policy(), &facts, &Draft::new("h", facts.repo.clone(), facts.number));
        let found = findings.iter().find(|found| found.key == Key::from(KEY)).unwrap();
        // Neither a hole, nor anything that could not be told.
        let mut notes = found.notes.iter().filter(|note| !note.starts_with("The rules changed"));
        assert!(found.status == Status::Pass && notes.next().is_none(), "{name}: {} {:?}", found.reason, found.notes);
    }
}
