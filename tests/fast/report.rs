//! Reports: the documented JSON, and that nothing partial is called complete.

use countersign::config::policy;
use countersign::core::evidence::Source;
use countersign::core::facts::Facts;
use countersign::core::filter::Filter;
use countersign::core::ids::{ArtifactId, CommentId, JobId, Login, PullNumber, RepoName, RunId, Sha};
use countersign::core::listing::Listing;
use countersign::core::pull::{Actor, Artifact, Comment, CommentPlace, Job};
use countersign::core::remote::{Remote, Sourced};
use countersign::core::steps::Step;
use countersign::core::sweep::Outcome;
use countersign::core::time::Time;
use countersign::core::trouble::{Trouble, TroubleKind};
use countersign::core::verdict::Grammar;
use countersign::report;
use serde_json::{Value, json};

const RUN: RunId = RunId(31);

fn job(id: u64, attempt: u32, name: &str, conclusion: &str) -> Job {
    Job {
        id: JobId(id),
        run: RUN,
        attempt,
        name: name.to_owned(),
        status: "completed".into(),
        conclusion: Some(conclusion.to_owned()),
        created_at: None,
        started_at: None,
        completed_at: None,
        runner: None,
        url: format!("https://github.com/o/r/actions/runs/31/job/{id}"),
        steps: Default::default(),
    }
}

fn ready<T>(value: T) -> Remote<T> {
    let source = Source { address: "/".into(), commit: None, read_at: Default::default(), digest: String::new() };
    Remote::Ready(Sourced { value, source })
}

fn facts(jobs: Remote<Listing<Job>>) -> Facts {
    let mut facts = Facts::new("https://github.com", RepoName::parse("o/r").unwrap(), PullNumber(7));
    facts.jobs.insert(RUN, jobs);
    facts
}

fn jobs_json(facts: &Facts, gaps: Vec<String>) -> (Value, Vec<String>) {
    let report = report::jobs::report(&policy::built_in().unwrap(), facts, &[RUN], &Filter::default(), gaps, true);
    (serde_json::from_str(&report.text).unwrap(), report.gaps)
}

fn trouble() -> Trouble {
    Trouble::new(TroubleKind::Server, "GitHub answered 502.", "Try again.")
}

#[test]
fn jobs_are_one_row_per_merged_job_in_githubs_words() {
    let name = "eval / / p3.750 | qwen3.5 fp4 b200 sgl TP2/EP2 mtp c64 | eval-only";
    let step = |number, name: &str, outcome| Step { number, name: name.into(), outcome, started_at: None, completed_at: None };
    let steps = vec![step(1, "Set up job", Outcome::Success), step(7, "Launch", Outcome::Failure)].into();
    let failed = Job { steps, ..job(2, 1, name, "failure") };
    let list = vec![job(1, 1, "setup", "success"), failed.clone(), job(3, 2, name, "success")];
    let before = facts(ready(Listing::complete(vec![failed])));
    let text = report::jobs::report(&policy::built_in().unwrap(), &before, &[RUN], &Filter::default(), Vec::new(), false).text;
    assert!(text.ends_with("  failure in step 2 of 2, Launch\n"), "{text}");
    let failed = json!({
        "nth": 2, "of": 2, "number": 7, "name": "Launch", "outcome": "failure", "started_at": null, "completed_at": null,
    });
    let (json, gaps) = jobs_json(&facts(ready(Listing::complete(list))), Vec::new());
    let axes = json!({
        "model": "qwen3.5", "precision": "fp4", "runner": "b200", "framework": "sglang", "tp": 2, "pp": 1, "dcp": 1, "pcp": 1,
        "ep": 2, "dpa": false, "spec": "mtp", "kv": null, "kv_backend": null, "conc": 64, "prefill": null, "decode": null,
    });
    let expected = json!({
        "schema": 1,
        "complete": true,
        "total": 2,
        "jobs": [
            {
                "id": 1, "run_id": 31, "attempt": 1,
                "attempts": [{"attempt": 1, "id": 1, "status": "completed", "conclusion": "success", "step": null}],
                "name": "setup", "lane": "setup", "axes": null, "status": "completed", "conclusion": "success",
                "step": null, "url": "https://github.com/o/r/actions/runs/31/job/1",
            },
            {
                "id": 3, "run_id": 31, "attempt": 2,
                "attempts": [
                    {"attempt": 1, "id": 2, "status": "completed", "conclusion": "failure", "step": failed},
                    {"attempt": 2, "id": 3, "status": "completed", "conclusion": "success", "step": null},
                ],
                "name": name, "lane": "eval", "axes": axes, "status": "completed", "conclusion": "success",
                "step": null, "url": "https://github.com/o/r/actions/runs/31/job/3",
            },
        ],
        "expiring": [],
        "artifacts_unread": [31],
    });
    assert_eq!((json, gaps.len()), (expected, 0));
}

#[test]
fn what_goes_soon_is_told_beside_the_jobs_and_what_was_not_read_is_not_kept_quiet() {
    let at = |text: &str| text.parse::<Time>().unwrap();
    let ended = |mut job: Job| {
        job.completed_at = Some(at("2026-05-18T12:00:00Z"));
        job
    };
    let mut facts = facts(ready(Listing::complete(vec![ended(job(1, 1, "setup", "success"))])));
    facts.turn_to(at("2026-08-11T12:00:00Z"), None);
    let remarks = |facts: &Facts| report::jobs::remarks(facts, &[RUN]);
    assert_eq!(
        remarks(&facts),
        ["Run 31: logs expire in 5 d by GitHub's default.", "Run 31: whether its artifacts expire was not read."]
    );
    let artifact = Artifact {
        id: ArtifactId(1),
        run: RUN,
        name: "eval_results_all".into(),
        size: 1,
        expired: true,
        created_at: None,
        expires_at: Some(at("2026-08-01T12:00:00Z")),
        digest: None,
    };
    facts.artifacts.insert(RUN, ready(Listing::complete(vec![artifact])));
    assert_eq!(remarks(&facts), ["Run 31: artifacts have expired.", "Run 31: logs expire in 5 d by GitHub's default."]);
    let (json, gaps) = jobs_json(&facts, Vec::new());
    let expected = json!([
        {"run_id": 31, "what": "artifacts", "at": "2026-08-01T12:00:00Z", "expired": true},
        {"run_id": 31, "what": "logs", "at": "2026-08-16T12:00:00Z", "expired": false},
    ]);
    assert_eq!((&json["expiring"], &json["artifacts_unread"], gaps.len()), (&expected, &json!([]), 0));
    // On another day that was named nothing goes yet.
    facts.turn_to(at("2026-08-11T12:00:00Z"), "2026-06-01".parse().ok());
    assert_eq!(remarks(&facts), ["Run 31: artifacts have expired."]);
}

#[test]
fn what_is_not_whole_is_never_complete() {
    let some = vec![job(1, 1, "setup", "success")];
    let table = [
        (ready(Listing::partial(some.clone(), Some(240), trouble())), Vec::new(), json!(240), 1),
        (ready(Listing::partial(some.clone(), None, trouble())), Vec::new(), json!(null), 1),
        (Remote::Failed { trouble: trouble(), last: None }, Vec::new(), json!(null), 1),
        (Remote::Loading, Vec::new(), json!(null), 1),
        // The list of runs is cut: another run may exist.
        (ready(Listing::complete(some)), vec!["List of runs: 1 of 2 read".to_owned()], json!(null), 1),
    ];
    for (remote, gaps, total, missing) in table {
        let (json, gaps) = jobs_json(&facts(remote), gaps);
        assert_eq!((&json["complete"], &json["total"], gaps.len()), (&json!(false), &total, missing), "{json}");
    }
    let none = Facts::new("https://github.com", RepoName::parse("o/r").unwrap(), PullNumber(7));
    assert_eq!(jobs_json(&none, Vec::new()).0["complete"], json!(false));
}

#[test]
fn scores_that_were_not_read_are_not_complete() {
    let policy = policy::built_in().unwrap();
    let none = facts(ready(Listing::complete(Vec::new())));
    for (run, gaps) in [(Some(RUN), 1), (None, 0)] {
        let report = report::evals::report(&policy, &none, run, Vec::new(), true);
        let json: Value = serde_json::from_str(&report.text).unwrap();
        assert_eq!((&json["schema"], &json["rows"], report.gaps.len()), (&json!(1), &json!([]), gaps));
        assert_eq!(json["complete"], json!(gaps == 0));
    }
}

#[test]
fn the_verdict_of_the_head_stands_apart_from_older_ones_and_from_strangers() {
    let policy = policy::built_in().unwrap();
    let grammar = Grammar::of(policy.verdicts.as_ref().unwrap()).unwrap();
    let head = Sha::from("e3643999000000000000000000000000000000aa");
    let comment = |id: u64, login: &str, body: String, day: &str| Comment {
        id: CommentId(id),
        place: CommentPlace::Conversation,
        author: Actor { login: Login::from(login), id: None, bot: false },
        association: "NONE".into(),
        body,
        created_at: format!("{day}T00:00:00Z").parse().ok(),
        updated_at: None,
        url: format!("https://github.com/o/r/pull/7#issuecomment-{id}"),
        detail: None,
    };
    let rejected = |sha: &str| {
        let rows = "✅ Check 0 (CODEOWNER): PASS — a\n❌ Check 3 (recipe linked & merged): FAIL — none";
        format!("<!-- codeowner-signoff-verify sha={sha} -->\n## ❌❌❌ **REJECTED** ❌❌❌\n{rows}")
    };
    let signoff = format!("{}, I have reviewed this", policy.signoff.trigger);
    let publisher = policy.verdicts.as_ref().unwrap().publishers[0].as_str();
    let list = vec![
        comment(1, "owner", signoff.clone(), "2026-08-10"),
        comment(2, publisher, rejected(head.as_str()), "2026-08-11"),
        comment(3, publisher, rejected("1111111111111111111111111111111111111111"), "2026-08-12"),
        comment(4, "stranger", rejected(head.as_str()), "2026-08-13"),
    ];
    let mut facts = facts(ready(Listing::complete(Vec::new())));
    let ask = |facts: &Facts, gaps: Vec<String>| {
        let answer = report::verdict::report(&policy, &grammar, facts, &head, gaps, true);
        serde_json::from_str::<Value>(&answer.report.text).unwrap()
    };
    facts.comments = ready(Listing::complete(list.clone()));
    let told = ask(&facts, Vec::new());
    assert_eq!((&told["complete"], &told["answers_newest_signoff"]), (&json!(true), &json!(true)));
    assert_eq!((&told["current"]["overall"], &told["current"]["at"]), (&json!("rejected"), &json!("2026-08-11T00:00:00Z")));
    assert_eq!(
        told["current"]["rows"][1],
        json!({"number": 3, "name": "recipe linked & merged", "key": "recipe", "status": "fail", "reason": "none", "line": 4})
    );
    assert_eq!((told["stale"].as_array().map(Vec::len), told["unpublished"].as_array().map(Vec::len)), (Some(1), Some(1)));
    // A newer sign-off is not answered, and a list that is not whole says nothing about that.
    let newer = [list, vec![comment(5, "owner", signoff, "2026-08-14")]].concat();
    facts.comments = ready(Listing::complete(newer));
    assert_eq!(ask(&facts, Vec::new())["answers_newest_signoff"], json!(false));
    let partial = ask(&facts, vec!["List of reviews: not read".to_owned()]);
    assert_eq!((&partial["complete"], &partial["answers_newest_signoff"]), (&json!(false), &json!(null)));
    facts.comments = Remote::Loading;
    let none = report::verdict::report(&policy, &grammar, &facts, &head, Vec::new(), false);
    assert!(none.verdict.is_none() && none.report.text.starts_with("There is no verdict about the head commit e36439990"));
}

#[test]
fn over_several_attempts_nobody_knows_how_many_jobs_are_missing() {
    let list = |attempt| {
        let items = vec![job(1, 1, "a", "failure"), job(2, attempt, "a", "success")];
        facts(ready(Listing::partial(items, Some(5), trouble())))
    };
    let total = |facts: &Facts| jobs_json(facts, Vec::new()).0["total"].clone();
    assert_eq!(total(&list(1)), json!(5));
    assert_eq!(total(&list(2)), json!(null), "of five executions two are one job");
}

#[test]
fn the_plain_table_gates_strangers_names() {
    let list = vec![job(1, 1, "bad\u{1b}[2J\u{202e}name", "success")];
    let facts = facts(ready(Listing::complete(list)));
    let report = report::jobs::report(&policy::built_in().unwrap(), &facts, &[RUN], &Filter::default(), Vec::new(), false);
    assert!(report.text.contains("bad^[[2J<U+202E>name") && !report.text.contains('\u{1b}'), "{}", report.text);
}
