//! The writes besides the sign-off: one request each, sent once, with no redirect followed.
//! Must not know: why an errand is wanted, or how an unclear outcome is looked into.

use super::post::is_unclear;
use super::{Client, Paths};
use crate::core::errand::{Order, Outcome};
use crate::core::ids::{PullNumber, RepoName};
use crate::core::trouble::{Trouble, TroubleKind};
use crate::github::address::encode_query;
use crate::github::trouble::{Asked, Certainty, Failure, malformed, message, refusal};
use crate::github::wire::comment::IssueComment;
use http::response::Parts;
use http::{HeaderMap, Method, StatusCode};
use serde_json::{Value, json};

impl Client {
    /// Carries an errand out. Never repeated by any layer.
    pub async fn carry_out(&self, repo: &RepoName, number: PullNumber, order: &Order) -> Outcome {
        let (method, path, body) = request(number, order);
        let address = Paths(repo).at(&path);
        match self.write_once(method, &address, body.as_ref()).await {
            Ok((Parts { status, headers, .. }, answer)) => judge(order, &address, status, &headers, &answer),
            Err(Failure { certainty: Certainty::NotDone, trouble, .. }) => Outcome::Refused(trouble),
            Err(Failure { certainty: Certainty::Unknown, trouble, .. }) => Outcome::Unclear(trouble),
        }
    }
}

/// Method, path below the repository, and body.
fn request(number: PullNumber, order: &Order) -> (Method, String, Option<Value>) {
    match order {
        Order::Comment { body } => (Method::POST, format!("/issues/{number}/comments"), Some(json!({ "body": body }))),
        Order::AddLabel(name) => (Method::POST, format!("/issues/{number}/labels"), Some(json!({ "labels": [name] }))),
        Order::RemoveLabel(name) => (Method::DELETE, format!("/issues/{number}/labels/{}", encode_query(name)), None),
        Order::RerunFailed(run) => (Method::POST, format!("/actions/runs/{run}/rerun-failed-jobs"), None),
        Order::RerunJob(job) => (Method::POST, format!("/actions/jobs/{job}/rerun"), None),
        Order::Cancel(run) => (Method::POST, format!("/actions/runs/{run}/cancel"), None),
        Order::Dispatch { workflow, branch, inputs } => {
            let path = format!("/actions/workflows/{}/dispatches", encode_query(workflow));
            (Method::POST, path, Some(json!({ "ref": branch, "inputs": inputs })))
        }
    }
}

/// What an answer says of an errand.
fn judge(order: &Order, address: &str, status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Outcome {
    if status.is_success() {
        return match order {
            Order::Comment { .. } => {
                let comment = serde_json::from_slice::<IssueComment>(body).map_err(|error| error.to_string());
                match comment.and_then(|comment| comment.posted().map_err(|member| format!("it has no {member}"))) {
                    Ok(posted) => Outcome::Done { link: Some(posted.url) },
                    Err(why) => Outcome::Unclear(malformed(address, why)),
                }
            }
            _ => Outcome::Done { link: None },
        };
    }
    // The label is gone, and that was all that was wanted.
    if status == StatusCode::NOT_FOUND && matches!(order, Order::RemoveLabel(_)) && message(body).starts_with("Label does not")
    {
        return Outcome::Done { link: None };
    }
    let told = told(order, status, headers, &message(body));
    let trouble = told.unwrap_or_else(|| refusal(Asked { address, token: true }, status, headers, body));
    if is_unclear(status) { Outcome::Unclear(trouble) } else { Outcome::Refused(trouble) }
}

/// Refusals that mean something of their own here; `said` are GitHub's words.
fn told(order: &Order, status: StatusCode, headers: &HeaderMap, said: &str) -> Option<Trouble> {
    let lower = said.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|words| lower.contains(words));
    let refused = |headline: &str, hint: &str| Some(Trouble::new(TroubleKind::Refused, headline, hint));
    let reruns = matches!(order, Order::RerunFailed(_) | Order::RerunJob(_));
    match (status.as_u16(), order) {
        (403, _) if reruns && has(&["already running"]) => {
            refused("The run is running already: it cannot be re-run before it is over.", "Press r to see how far it is.")
        }
        (403, _) if reruns && has(&["month ago", "30 days"]) => {
            refused("The run is more than 30 days old: GitHub does not re-run it.", "Start a new one, by a label or a push.")
        }
        (403, _) if reruns && has(&["50 times", "limit of 50"]) => {
            refused("The run was re-run 50 times: GitHub re-runs it no more.", "Start a new one, by a label or a push.")
        }
        (403, _) if reruns && has(&["cannot be retried"]) => refused(
            "GitHub does not re-run this run (403): it is too old, was re-run too often, or its workflow file is gone.",
            "Start a new one, by a label or a push.",
        ),
        // What else is said with a 403 is about rights: which one is named, unless GitHub names it itself.
        (403, _) if !headers.contains_key("x-github-sso") && !headers.contains_key("x-accepted-github-permissions") => {
            let headline = format!("GitHub does not let you do this (403): {said}.");
            Some(Trouble::new(TroubleKind::Access, headline, format!("It takes {}.", right(order))))
        }
        (404, Order::RemoveLabel(_) | Order::AddLabel(_) | Order::Comment { .. }) => Some(Trouble::new(
            TroubleKind::NotFound,
            "GitHub finds no such pull request that this token may write to (404).",
            format!("It takes {}.", right(order)),
        )),
        (404, Order::Dispatch { workflow, .. }) => Some(Trouble::new(
            TroubleKind::NotFound,
            format!("GitHub finds no workflow {workflow} that this token may start (404)."),
            format!("It takes {}; the file's name is `errands.verifier.workflow` in the policy.", right(order)),
        )),
        (404, _) => Some(Trouble::new(
            TroubleKind::NotFound,
            "GitHub finds no such run or job that this token may act on (404).",
            format!("It takes {}; a run that was deleted is gone for good.", right(order)),
        )),
        (409, Order::Cancel(_)) => refused("The run is over already: there is nothing to cancel (409).", "Press r to see it."),
        (409, _) => refused(&format!("GitHub cannot do this now (409): {said}."), "Press r, then look again."),
        (422, Order::Dispatch { workflow, .. }) => refused(
            &format!("GitHub does not start {workflow} so (422): {said}."),
            "What it is given stands in the policy: `errands.verifier`.",
        ),
        _ => None,
    }
}

/// The right that it takes.
fn right(order: &Order) -> &'static str {
    match order {
        Order::Comment { .. } => "the permission \"Issues or Pull requests: write\", or the scope repo of a classic token",
        Order::AddLabel(_) | Order::RemoveLabel(_) => {
            "triage access, and the permission \"Issues or Pull requests: write\" or the scope repo of a classic token"
        }
        Order::RerunFailed(_) | Order::RerunJob(_) | Order::Cancel(_) | Order::Dispatch { .. } => {
            "write access, and the permission \"Actions: write\" or the scope repo of a classic token"
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods)] // both ends of the wire stand here

    use super::*;
    use crate::core::ids::{JobId, RunId};
    use crate::core::time::Time;
    use crate::github::layers::cache::Freshness;
    use crate::github::{Base, Secret, Settings};
    use http::HeaderName;
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::sync::{Arc, Mutex};

    const RUN: RunId = RunId(31_020_193_450);

    fn dispatch() -> Order {
        let inputs = [("comment_url".to_owned(), "https://github.com/o/r/pull/7#issuecomment-1".to_owned())];
        Order::Dispatch { workflow: "verify again.yml".into(), branch: "main".into(), inputs: inputs.into() }
    }

    #[test]
    fn each_errand_is_one_request() {
        let table = [
            (Order::Comment { body: "/x 1".into() }, "POST", "/issues/7/comments", r#"{"body":"/x 1"}"#),
            (Order::AddLabel("a b".into()), "POST", "/issues/7/labels", r#"{"labels":["a b"]}"#),
            (Order::RemoveLabel("a/b ?#é".into()), "DELETE", "/issues/7/labels/a%2Fb%20%3F%23%C3%A9", ""),
            (Order::RerunFailed(RUN), "POST", "/actions/runs/31020193450/rerun-failed-jobs", ""),
            (Order::RerunJob(JobId(9)), "POST", "/actions/jobs/9/rerun", ""),
            (Order::Cancel(RUN), "POST", "/actions/runs/31020193450/cancel", ""),
            (
                dispatch(),
                "POST",
                "/actions/workflows/verify%20again.yml/dispatches",
                r#"{"inputs":{"comment_url":"https://github.com/o/r/pull/7#issuecomment-1"},"ref":"main"}"#,
            ),
        ];
        for (order, method, path, body) in table {
            let (how, place, sent) = request(PullNumber(7), &order);
            assert_eq!((how.as_str(), place.as_str()), (method, path));
            assert_eq!(sent, serde_json::from_str(body).ok(), "{path}");
        }
    }

    fn of(order: &Order, status: u16, headers: &[(&str, &str)], said: &str) -> Outcome {
        let headers = headers.iter().map(|(k, v)| (k.parse::<HeaderName>().unwrap(), v.parse().unwrap())).collect();
        let body =
            json!({ "message": said, "documentation_url": "https://docs.github.com/rest", "status": status.to_string() });
        let body = body.to_string();
        judge(order, "/repos/o/r/x", StatusCode::from_u16(status).unwrap(), &headers, body.as_bytes())
    }

    #[test]
    fn each_refusal_says_what_it_means_here() {
        use TroubleKind::{Access, NotFound, Refused};
        let (failed, job, cancel) = (Order::RerunFailed(RUN), Order::RerunJob(JobId(9)), Order::Cancel(RUN));
        let (put, off) = (Order::AddLabel("x".into()), Order::RemoveLabel("x".into()));
        let pin = Order::Comment { body: "/x 1".into() };
        let old = "Unable to re-run this workflow run because it was created over a month ago";
        let rights = ("x-accepted-github-permissions", "actions=write");
        let table = [
            (&failed, 403, vec![], "This workflow is already running", Refused, "running already", "r to see"),
            (&job, 403, vec![rights], old, Refused, "more than 30 days old", "by a label or a push"),
            (&failed, 403, vec![], "This workflow run has been retried 50 times", Refused, "re-run 50 times", "a push"),
            (&failed, 403, vec![], "This workflow run cannot be retried", Refused, "too old, was re-run too often", "a push"),
            (&failed, 403, vec![], "Must have admin rights to Repository.", Access, "admin rights", "\"Actions: write\""),
            (
                &cancel,
                403,
                vec![rights],
                "Resource not accessible by personal access token",
                Access,
                "not accessible",
                "actions=write",
            ),
            (&pin, 403, vec![], "Resource not accessible", Access, "not accessible", "\"Issues or Pull requests: write\""),
            // The words of a re-run say nothing of a label.
            (&put, 403, vec![], "This workflow is already running", Access, "does not let you", "triage access"),
            (&off, 404, vec![], "Not Found", NotFound, "no such pull request", "scope repo"),
            (&failed, 404, vec![], "Not Found", NotFound, "no such run or job", "gone for good"),
            (&dispatch(), 404, vec![], "Not Found", NotFound, "no workflow verify again.yml", "errands.verifier.workflow"),
            (&cancel, 409, vec![], "Cannot cancel a workflow run that is completed.", Refused, "over already", "r to see"),
            (&job, 409, vec![], "Conflict", Refused, "cannot do this now (409): Conflict.", "look again"),
            (&dispatch(), 422, vec![], "Unexpected inputs provided", Refused, "(422): Unexpected inputs", "in the policy"),
            (&put, 422, vec![], "Validation Failed", Refused, "(422): Validation Failed", "objects to"),
            (&pin, 301, vec![("location", "https://h/repositories/1")], "Moved", TroubleKind::Moved, "moved", "new name"),
        ];
        for (order, status, headers, said, kind, headline, hint) in table {
            let Outcome::Refused(trouble) = of(order, status, &headers, said) else { panic!("{order:?} {status}") };
            assert_eq!(trouble.kind, kind, "{order:?} {status}: {}", trouble.headline);
            assert!(trouble.headline.contains(headline), "{order:?} {status}: {}", trouble.headline);
            assert!(trouble.hint.contains(hint), "{order:?} {status}: {}", trouble.hint);
        }
    }

    #[test]
    fn an_answer_that_may_hide_the_deed_is_unclear() {
        for status in [500, 502, 503, 504, 408] {
            assert!(matches!(of(&Order::Cancel(RUN), status, &[], "Server Error"), Outcome::Unclear(_)), "{status}");
        }
        for (order, status) in [(Order::RerunFailed(RUN), 201), (Order::Cancel(RUN), 202), (dispatch(), 204)] {
            assert_eq!(of(&order, status, &[], ""), Outcome::Done { link: None });
        }
        assert_eq!(of(&Order::RemoveLabel("x".into()), 404, &[], "Label does not exist"), Outcome::Done { link: None });
        let pin = Order::Comment { body: "/x 1".into() };
        assert!(matches!(of(&pin, 201, &[], "no comment"), Outcome::Unclear(why) if why.kind == TroubleKind::Malformed));
        let body = json!({
            "id": 900, "body": "/x 1", "user": { "login": "a", "id": 42, "type": "User" }, "author_association": "MEMBER",
            "html_url": "https://github.com/o/r/pull/7#issuecomment-900",
            "created_at": "2026-08-11T12:00:00Z", "updated_at": "2026-08-11T12:00:00Z",
        });
        let done = judge(&pin, "/x", StatusCode::CREATED, &HeaderMap::new(), body.to_string().as_bytes());
        assert_eq!(done, Outcome::Done { link: Some("https://github.com/o/r/pull/7#issuecomment-900".into()) });
    }

    /// A server that answers every request so; what it was asked, head and body.
    fn server(answer: &'static str) -> (Client, Arc<Mutex<Vec<String>>>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut settings = Settings::new(Arc::new(Time::default));
        settings.base = Base::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
        settings.token = Some(Secret::new("t"));
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let seen = Arc::clone(&asked);
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let (mut text, mut buffer) = (String::new(), [0; 4096]);
                let is_whole = |text: &str| {
                    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
                    let length = head.to_ascii_lowercase();
                    let length = length.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
                    length.map_or(0, |length| length.parse().unwrap()) == body.len()
                };
                while !is_whole(&text) {
                    match stream.read(&mut buffer) {
                        Ok(got) if got > 0 => text.push_str(&String::from_utf8_lossy(&buffer[..got])),
                        _ => break,
                    }
                }
                seen.lock().unwrap().push(text);
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        (Client::network(settings).unwrap(), asked)
    }

    #[tokio::test]
    async fn each_is_sent_once_whatever_the_answer() {
        let repo = RepoName { owner: "o".into(), name: "r".into() };
        let orders = [
            Order::Comment { body: "/x 1".into() },
            Order::AddLabel("a b".into()),
            Order::RemoveLabel("a/b".into()),
            Order::RerunFailed(RUN),
            Order::Cancel(RUN),
            dispatch(),
        ];
        const EMPTY: &str = "content-length: 0\r\nconnection: close\r\n\r\n";
        let answers: [&'static str; 4] = ["502 Bad Gateway", "307 Temporary Redirect\r\nlocation: /x", "409 Conflict", ""];
        let answers = answers.map(|answer| match answer {
            "" => "",
            answer => &*format!("HTTP/1.1 {answer}\r\n{EMPTY}").leak(),
        });
        for order in &orders {
            let (_, path, body) = request(PullNumber(7), order);
            for answer in answers {
                let (client, asked) = server(answer);
                let outcome = client.carry_out(&repo, PullNumber(7), order).await;
                // A connection that breaks off, and a gateway's failure, say nothing of what was done.
                let is_unclear = matches!(outcome, Outcome::Unclear(_));
                assert_eq!(is_unclear, answer.is_empty() || answer.contains("502"), "{order:?} {answer:?}: {outcome:?}");
                assert!(!matches!(outcome, Outcome::Done { .. }), "{order:?} {answer:?}");
                let asked = asked.lock().unwrap();
                let [one] = asked.as_slice() else { panic!("{order:?} {answer:?}: {asked:?}") };
                assert!(one.contains(&format!(" /repos/o/r{path} HTTP/1.1")), "{one}");
                assert!(
                    one.ends_with(&format!("\r\n\r\n{}", body.as_ref().map(Value::to_string).unwrap_or_default())),
                    "{one}"
                );
            }
        }
        let (client, asked) = server("");
        let kept = client.with(Freshness::CacheOnly).carry_out(&repo, PullNumber(7), &orders[1]).await;
        assert!(matches!(kept, Outcome::Refused(why) if why.kind == TroubleKind::Uncached));
        assert!(asked.lock().unwrap().is_empty(), "offline nothing is sent");
    }
}
