//! Proof that the contract check sees what it is there for, and lets pass what GitHub really sends.
//! Must not know: our own client; its requests are checked where they are made.

use crate::contract::Contract;
use serde_json::{Value, json};

const REPO: &str = "/repos/o/r";

/// Method, address under the repository, body; and a part of each complaint.
type Request = (&'static str, &'static str, Option<&'static str>, &'static [&'static str]);

const REQUESTS: &[Request] = &[
    ("GET", "/pulls/7", None, &[]),
    ("GET", "/pulls/7/files?per_page=100&page=2", None, &[]),
    ("GET", "/actions/runs?head_sha=abc&per_page=100", None, &[]),
    ("GET", "/actions/runs/1/jobs?filter=all", None, &[]),
    ("GET", "/contents/docs/a%20b/c.md?ref=main", None, &[]),
    ("GET", "/contents/docs%2Fc.md?ref=refs%2Fheads%2Fx", None, &[]),
    ("GET", "/compare/main...feature/x", None, &[]),
    ("GET", "/commits/feature/x/check-runs?status=completed", None, &[]),
    ("GET", "/issues/7/comments?since=2026-08-11T12%3A00%3A00Z", None, &[]),
    ("POST", "/issues/7/comments", Some(r#"{"body":"x"}"#), &[]),
    ("PATCH", "/issues/comments/7", Some(r#"{"body":"x"}"#), &[]),
    (
        "POST",
        "/pulls/7/reviews",
        Some(r#"{"event":"COMMENT","body":"x","comments":[{"path":"a","line":1,"side":"RIGHT","body":"y"}]}"#),
        &[],
    ),
    // Misspelt or misplaced members.
    ("POST", "/issues/7/comments", Some(r#"{"bdy":"x"}"#), &["missing: /body", "body /bdy is not described"]),
    ("POST", "/issues/7/comments", Some(r#"{"body":"x","commit":"y"}"#), &["body /commit is not described"]),
    ("POST", "/issues/7/comments", Some(r#"{"body":1}"#), &["/body: "]),
    ("POST", "/issues/7/comments", None, &["missing: a body"]),
    ("POST", "/pulls/7/reviews", Some(r#"{"event":"LGTM"}"#), &["/event: "]),
    (
        "POST",
        "/pulls/7/reviews",
        Some(r#"{"comments":[{"path":"a","body":"y","lines":1}]}"#),
        &["body /comments/0/lines is not described"],
    ),
    ("GET", "/pulls/7", Some("{}"), &["a body is sent, but none is described"]),
    // Queries.
    ("GET", "/pulls/7/files?per_page=200", None, &["per_page=200: a page has 1 to 100 items"]),
    ("GET", "/pulls/7/files?per_page=0", None, &["per_page=0"]),
    ("GET", "/pulls/7/files?per_page=many", None, &["query `per_page`: ", "per_page=many"]),
    ("GET", "/pulls/7/files?perpage=50", None, &["query `perpage` is not described"]),
    ("GET", "/pulls/7/files?page=1&page=2", None, &["query `page` is given twice"]),
    ("GET", "/actions/runs/1/jobs?filter=newest", None, &["query `filter`: "]),
    ("GET", "/issues/7/comments?since=yesterday", None, &["query `since`: "]),
    // Paths.
    ("GET", "/pulls/seven", None, &["path `pull_number`: "]),
    ("GET", "/pulls/7/file", None, &["no such path is described"]),
    ("PUT", "/issues/7/comments", None, &["is not described for PUT"]),
    ("DELETE", "/pulls/7", None, &["is not described for DELETE"]),
];

fn assert_says(said: &[String], expected: &[&str], about: &str) {
    let fits = said.len() == expected.len() && expected.iter().all(|part| said.iter().any(|line| line.contains(part)));
    assert!(fits, "{about}\nexpected: {expected:#?}\nsaid: {said:#?}");
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn requests_are_held_to_the_description() {
    let contract = Contract::load();
    for (method, address, body, expected) in REQUESTS {
        let body = body.map(|text| serde_json::from_str::<Value>(text).unwrap());
        let said = contract.check_request(method, &format!("{REPO}{address}"), body.as_ref());
        assert_says(&said, expected, &format!("{method} {address}"));
    }
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn every_form_of_an_address_is_the_same_request() {
    let contract = Contract::load();
    let forms = [
        "/repos/o/r/pulls/7/files?per_page=101",
        "/repositories/1234/pulls/7/files?per_page=101",
        "/api/v3/repos/o/r/pulls/7/files?per_page=101",
        "http://127.0.0.1:4000/repos/o/r/pulls/7/files?per_page=101#x",
    ];
    for form in forms {
        assert_says(&contract.check_request("GET", form, None), &["per_page=101"], form);
    }
    assert_says(&contract.check_request("GET", "/search/issues", None), &["missing: query `q`"], "search");
    assert_says(&contract.check_request("GET", "/user", None), &[], "user");
}

fn label(name: &str) -> Value {
    json!({
        "id": 1, "node_id": "L_1", "url": "https://api.github.com/repos/o/r/labels/x", "name": name,
        "description": null, "color": "ededed", "default": false,
    })
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn answers_are_held_to_the_description() {
    let contract = Contract::load();
    let path = "/repos/o/r/issues/7/labels";
    let check = |status, body: Value| contract.check_response("POST", path, status, &body, "");
    assert_says(&check(200, json!([label("a")])), &[], "as described");
    assert_says(&check(200, label("a")), &[": "], "no list");
    assert_says(
        &check(200, json!([{ "id": "1" }])),
        &["/0/id: ", "missing: /0/name", "missing: ", "missing: ", "missing: ", "missing: ", "missing: "],
        "hollow",
    );
    assert_says(&check(204, Value::Null), &["status 204 is not described"], "an unknown success");
    assert_says(&check(451, json!({ "message": "Repository access blocked" })), &[], "an undescribed refusal");
    assert_says(&check(503, json!({ "message": 1 })), &["/message: "], "a refusal of another shape");
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn answers_that_are_not_json_are_let_pass() {
    let contract = Contract::load();
    let text = json!("diff --git a/x b/x");
    for accept in ["application/vnd.github.diff", "application/vnd.github.v3.patch", "application/vnd.github.raw+json"] {
        assert_says(&contract.check_response("GET", "/repos/o/r/pulls/7", 200, &text, accept), &[], accept);
    }
    let json = contract.check_response("GET", "/repos/o/r/pulls/7", 200, &text, "application/vnd.github+json");
    assert_says(&json, &[": "], "a diff where JSON was asked for");
    let moved = contract.check_response("GET", "/repos/o/r/actions/artifacts/1/zip", 302, &Value::Null, "");
    assert_says(&moved, &[], "a redirect");
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn a_file_is_judged_as_a_file() {
    let contract = Contract::load();
    let file = json!({ "type": "file", "encoding": "base64", "size": 1, "name": "a", "path": "a", "content": "eA==" });
    let said = contract.check_response("GET", "/repos/o/r/contents/a?ref=main", 200, &file, "");
    assert!(said.iter().all(|line| line.starts_with("missing: /")) && said.len() > 2, "{said:#?}");
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn members_that_github_does_not_send_are_named() {
    let contract = Contract::load();
    let mut strange = label("a");
    strange["colour"] = json!("ededed");
    let body = json!([label("b"), strange]);
    assert_eq!(contract.unknown_keys("POST", "/repos/o/r/issues/7/labels", 200, &body), ["/1/colour"]);
    // Behind references, unions and envelopes; free maps are data.
    let suite =
        json!({ "check_runs": [{ "output": { "titel": "x" }, "app": { "permissions": { "any": "read" }, "slug": "s" } }] });
    assert_eq!(contract.unknown_keys("GET", "/repos/o/r/commits/abc/check-runs", 200, &suite), ["/check_runs/0/output/titel"]);
}

/// The whole description can be used: no schema in it is unreadable to the validator.
#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn every_described_answer_can_be_checked() {
    let contract = Contract::load();
    let mut checked = 0;
    for (method, path, status) in contract.answers() {
        let path = path.replace("{", "").replace("}", "");
        let said = contract.check_response(&method, &path, status, &json!(false), "");
        assert!(!said.is_empty() || (300..400).contains(&status), "{method} {path} {status} accepts `false`");
        checked += 1;
    }
    assert!(checked > 100, "only {checked} answers are described");
}
