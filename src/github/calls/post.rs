//! The writes: each is sent once, with no redirect followed; its outcome is told as far as it is certain.
//! Must not know: what a sign-off is, or how an unclear outcome is looked into.

use super::{Client, Paths};
use crate::core::ids::{PullNumber, RepoName};
use crate::core::posting::{Letter, Sent, Target};
use crate::core::pull::{CommentPlace, Posted};
use crate::core::session::Way;
use crate::core::trouble::{Trouble, TroubleKind};
use crate::github::layers::cache::Freshness;
use crate::github::trouble::{Asked, Certainty, Failure, malformed, refusal};
use crate::github::wire::comment::IssueComment;
use bytes::Bytes;
use http::header::ACCEPT;
use http::response::Parts;
use http::{Method, Request, StatusCode};
use serde::Serialize;

#[derive(Serialize)]
struct Comment<'a> {
    body: &'a str,
}

#[derive(Serialize)]
struct Review<'a> {
    body: &'a str,
    event: &'static str,
    commit_id: &'a str,
}

impl Client {
    /// Sends a sign-off: a new comment, a new review, or another text for one that stands. Never repeated by any layer.
    pub async fn post(&self, letter: &Letter) -> Sent {
        let Letter { repo, number, target, head, body } = letter;
        let paths = Paths(repo);
        let event = match target {
            Target::New(Way::Comment) => return self.post_comment(repo, *number, body).await,
            Target::New(Way::Review) => "COMMENT",
            Target::New(Way::Approve) => "APPROVE",
            Target::Edit(signoff) => {
                let (method, path) = match signoff.place {
                    CommentPlace::Conversation => (Method::PATCH, format!("/issues/comments/{}", signoff.id)),
                    CommentPlace::Review => (Method::PUT, format!("/pulls/{number}/reviews/{}", signoff.id)),
                    CommentPlace::Line => (Method::PATCH, format!("/pulls/comments/{}", signoff.id)),
                };
                return self.write_text(method, &paths.at(&path), &Comment { body }).await;
            }
        };
        let review = Review { body, event, commit_id: head.as_str() };
        self.write_text(Method::POST, &paths.at(&format!("/pulls/{number}/reviews")), &review).await
    }

    /// Posts a comment to the conversation. Never repeated by any layer.
    pub async fn post_comment(&self, repo: &RepoName, number: PullNumber, body: &str) -> Sent {
        let address = Paths(repo).at(&format!("/issues/{number}/comments"));
        self.write_text(Method::POST, &address, &Comment { body }).await
    }

    /// A write that is answered by what now stands there.
    async fn write_text(&self, method: Method, address: &str, body: &impl Serialize) -> Sent {
        let answer = match self.send_write(method, address, body).await {
            Ok(answer) => answer,
            Err(sent) => return sent,
        };
        match read_posted(&answer) {
            Ok(posted) => Sent::Posted(posted),
            Err(why) => Sent::Unclear(malformed(address, why)),
        }
    }

    /// Sends one write and brings the body of its success; `Err` tells what became of it else, and is never
    /// [`Sent::Posted`].
    async fn send_write(&self, method: Method, address: &str, body: &impl Serialize) -> Result<Bytes, Sent> {
        let (Parts { status, headers, .. }, answer) = match self.write_once(method, address, Some(body)).await {
            Ok(answer) => answer,
            Err(Failure { certainty: Certainty::NotDone, trouble, .. }) => return Err(Sent::Refused(trouble)),
            Err(Failure { certainty: Certainty::Unknown, trouble, .. }) => return Err(Sent::Unclear(trouble)),
        };
        if status.is_success() {
            return Ok(answer);
        }
        let trouble = refusal(Asked { address, token: true }, status, &headers, &answer);
        Err(if is_unclear(status) { Sent::Unclear(trouble) } else { Sent::Refused(trouble) })
    }

    /// Sends one write and brings whatever GitHub answered. Never repeated by any layer.
    pub(super) async fn write_once(
        &self,
        method: Method,
        address: &str,
        body: Option<&impl Serialize>,
    ) -> Result<(Parts, Bytes), Failure> {
        let never = |kind, headline: &str, hint: &str| Failure {
            trouble: Trouble::new(kind, headline, hint),
            certainty: Certainty::NotDone,
            again: false,
        };
        if self.freshness == Freshness::CacheOnly {
            return Err(never(TroubleKind::Uncached, "Offline: nothing is sent.", "Start again without --offline."));
        }
        if !self.inner.asks_as_someone() {
            return Err(never(
                TroubleKind::Access,
                "There is no token: nothing can be written.",
                "Give one, for example in COUNTERSIGN_TOKEN or GH_TOKEN, or by `gh auth login`.",
            ));
        }
        let builder = Request::builder().method(method).uri(address).header(ACCEPT, "application/vnd.github+json");
        let request = self.inner.crab.build_request(builder, body);
        // It was not even made.
        let request = request.map_err(|error| Failure { certainty: Certainty::NotDone, ..Failure::from_octocrab(error) })?;
        self.send(request).await
    }
}

/// Whether an answer that is no success may hide the deed: a gateway's failure says nothing about what stands behind it.
pub(super) fn is_unclear(status: StatusCode) -> bool {
    status.is_server_error() || status.as_u16() == 408 || status.is_informational()
}

/// Comment or review: all that is told of it has the same names in each.
fn read_posted(answer: &[u8]) -> Result<Posted, String> {
    let comment = serde_json::from_slice::<IssueComment>(answer).map_err(|error| error.to_string())?;
    comment.posted().map_err(|member| format!("it has no {member}"))
}
