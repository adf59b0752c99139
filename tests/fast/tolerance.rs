//! What GitHub may leave out, null or rename costs no fact but its own: each member of each answer in turn, on the demo.
//! Must not know: which members are read; it finds out those that are needed, and holds them to a list.

use crate::demo;
use countersign::core::ids::RunId;
use countersign::core::plan::{Answer, Read};
use countersign::github::cassette::{Body, Exchange};
use countersign::github::{Client, Recording, Settings};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

const RUN: RunId = RunId(31_020_193_450);
const HEAD: &str = "66862b059a6390e058dc80126ea20535c8f981f3";

/// A read, and the members without which there is no fact: gone, or null. The answers of version
/// 2026-03-10 lack `merge_commit_sha` and `assignee`, which must therefore never stand here.
fn table() -> Vec<(Read, &'static [&'static str])> {
    vec![
        (Read::Viewer, &["/id", "/login"]),
        (Read::Repository, &["/default_branch", "/full_name"]),
        (
            Read::Pull,
            &[
                "/base",
                "/base/ref",
                "/base/sha",
                "/changed_files",
                "/commits",
                "/head",
                "/head/ref",
                "/head/sha",
                "/number",
                "/state",
            ],
        ),
        (Read::Files, &["/0/filename"]),
        (Read::Commits, &["/0/sha"]),
        (Read::Comments, &["/0/id"]),
        (Read::Reviews, &["/0/id"]),
        (Read::LineComments, &["/0/id"]),
        (
            Read::Runs { branch: None, head: HEAD.into() },
            &["/total_count", "/workflow_runs", "/workflow_runs/0/head_sha", "/workflow_runs/0/id"],
        ),
        (Read::Run(RUN), &["/head_sha", "/id"]),
        (Read::Jobs(RUN), &["/jobs", "/jobs/0/id", "/jobs/0/name", "/jobs/0/run_id", "/total_count"]),
        (
            Read::Artifacts { run: RUN, name: "eval_results_all".into() },
            &["/artifacts", "/artifacts/0/expired", "/artifacts/0/id", "/artifacts/0/name", "/total_count"],
        ),
    ]
}

/// The exchange that answers a read.
fn address(read: &Read) -> String {
    let at = match read {
        Read::Viewer => return "/user".to_owned(),
        Read::Repository => String::new(),
        Read::Pull => "/pulls/2550".to_owned(),
        Read::Files => "/pulls/2550/files?per_page=100".to_owned(),
        Read::Commits => "/pulls/2550/commits?per_page=100".to_owned(),
        Read::Comments => "/issues/2550/comments?per_page=100".to_owned(),
        Read::Reviews => "/pulls/2550/reviews?per_page=100".to_owned(),
        Read::LineComments => "/pulls/2550/comments?per_page=100".to_owned(),
        Read::Runs { .. } => format!("/actions/runs?head_sha={HEAD}&per_page=100"),
        Read::Run(run) => format!("/actions/runs/{run}"),
        Read::Jobs(run) => format!("/actions/runs/{run}/jobs?filter=all&per_page=100"),
        Read::Artifacts { run, name } => format!("/actions/runs/{run}/artifacts?name={name}&per_page=100"),
        other => panic!("{other:?} is no JSON of GitHub's"),
    };
    format!("/repos/example-lab/bench-demo{at}")
}

/// Pointers of every member, of the first row where there are rows.
fn members(value: &Value, at: &str, out: &mut Vec<String>) {
    match value {
        Value::Object(members_here) => {
            for (name, member) in members_here {
                let at = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
                members(member, &at, out);
                out.push(at);
            }
        }
        Value::Array(rows) => rows.iter().take(1).for_each(|row| members(row, &format!("{at}/0"), out)),
        _ => {}
    }
}

fn without(body: &Value, pointer: &str) -> Value {
    let mut out = body.clone();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    out.pointer_mut(parent).and_then(Value::as_object_mut).unwrap().remove(&name.replace("~1", "/").replace("~0", "~"));
    out
}

fn with(body: &Value, pointer: &str, value: Value) -> Value {
    let mut out = body.clone();
    *out.pointer_mut(pointer).unwrap() = value;
    out
}

/// Whether the read still brings a fact, all rows of it.
async fn stands(recording: &Recording, read: &Read, exchange: &Exchange, body: Value) -> bool {
    let mut changed = recording.clone();
    changed.insert(Exchange { body: Body::Json(body), ..exchange.clone() });
    let now = recording.recorded_at;
    let client = Client::replay(changed, Settings::new(Arc::new(move || now))).unwrap();
    let answer = client.read(&recording.repo, recording.number, read.clone(), &mut |_, _| {}).await;
    match answer.map(|(answer, _)| answer) {
        Ok(Answer::Files(list)) => list.is_complete(),
        Ok(Answer::Commits(list)) => list.is_complete(),
        Ok(Answer::Comments(list) | Answer::Reviews(list) | Answer::LineComments(list)) => list.is_complete(),
        Ok(Answer::Runs(list)) => list.is_complete(),
        Ok(Answer::Jobs(list)) => list.is_complete(),
        Ok(Answer::Artifacts(list)) => list.is_complete(),
        Ok(_) => true,
        Err(trouble) => {
            assert!(!trouble.headline.is_empty() && !trouble.hint.is_empty(), "{read:?}: {trouble:?}");
            false
        }
    }
}

#[tokio::test]
async fn a_member_that_is_absent_null_or_new_costs_no_more_than_itself() {
    let whole = demo::recording();
    for (read, needed) in table() {
        let path = address(&read);
        let exchange = whole.find(&path, "").unwrap().clone();
        let Body::Json(body) = &exchange.body else { panic!("{path} is no JSON") };
        // The rest of the recording is not asked for.
        let bare = Recording::new(whole.base.clone(), whole.repo.clone(), whole.number, whole.recorded_at);
        let mut pointers = Vec::new();
        members(body, "", &mut pointers);
        let (mut gone, mut null) = (BTreeSet::new(), BTreeSet::new());
        for pointer in &pointers {
            if !stands(&bare, &read, &exchange, without(body, pointer)).await {
                gone.insert(pointer.as_str());
            }
            if !stands(&bare, &read, &exchange, with(body, pointer, Value::Null)).await {
                null.insert(pointer.as_str());
            }
            // A word that nobody knows, where words are: only a name of a repository must have a form.
            let word = body.pointer(pointer).is_some_and(Value::is_string);
            if word && !stands(&bare, &read, &exchange, with(body, pointer, json!("brand_new_word"))).await {
                assert_eq!((&read, pointer.as_str()), (&Read::Repository, "/full_name"), "an unknown word is read");
            }
            let mut more = body.clone();
            more.pointer_mut(pointer.rsplit_once('/').unwrap().0).unwrap()["brand_new_member"] = json!({"x": [null]});
            assert!(stands(&bare, &read, &exchange, more).await, "{read:?}: a new member beside {pointer}");
        }
        let expected: BTreeSet<&str> = needed.iter().copied().collect();
        assert_eq!(gone, expected, "{read:?}: absent");
        assert_eq!(null, expected, "{read:?}: null");
    }
}
