//! The one write: a comment. Sent once, with no redirect followed; its outcome is told as far as it is certain.
//! Must not know: what a sign-off is, or how an unclear outcome is looked into.

use super::{Client, Paths};
use crate::core::ids::{PullNumber, RepoName};
use crate::core::posting::Sent;
use crate::core::trouble::{Trouble, TroubleKind};
use crate::github::layers::cache::Freshness;
use crate::github::trouble::{Asked, Certainty, Failure, malformed, refusal};
use crate::github::wire::comment::IssueComment;
use http::header::ACCEPT;
use http::response::Parts;
use http::{Method, Request};
use serde::Serialize;

#[derive(Serialize)]
struct Comment<'a> {
    body: &'a str,
}

impl Client {
    /// Posts a comment to the conversation. Never repeated by any layer.
    pub async fn post_comment(&self, repo: &RepoName, number: PullNumber, body: &str) -> Sent {
        if self.freshness == Freshness::CacheOnly {
            return Sent::Refused(Trouble::new(
                TroubleKind::Uncached,
                "Offline: nothing is sent.",
                "Start again without --offline to post.",
            ));
        }
        if !self.inner.asks_as_someone() {
            return Sent::Refused(Trouble::new(
                TroubleKind::Access,
                "There is no token: nothing can be posted.",
                "Give one, for example in COUNTERSIGN_TOKEN or GH_TOKEN, or by `gh auth login`.",
            ));
        }
        let address = Paths(repo).at(&format!("/issues/{number}/comments"));
        let builder =
            Request::builder().method(Method::POST).uri(address.as_str()).header(ACCEPT, "application/vnd.github+json");
        let request = match self.inner.crab.build_request(builder, Some(&Comment { body })) {
            Ok(request) => request,
            Err(error) => return Sent::Refused(Failure::from_octocrab(error).trouble),
        };
        let (Parts { status, headers, .. }, answer) = match self.send(request).await {
            Ok(answer) => answer,
            Err(Failure { certainty: Certainty::NotDone, trouble, .. }) => return Sent::Refused(trouble),
            Err(Failure { certainty: Certainty::Unknown, trouble, .. }) => return Sent::Unclear(trouble),
        };
        if status.is_success() {
            let comment = serde_json::from_slice::<IssueComment>(&answer).map_err(|error| error.to_string());
            return match comment.and_then(|comment| comment.posted().map_err(|member| format!("it has no {member}"))) {
                Ok(posted) => Sent::Posted(posted),
                Err(why) => Sent::Unclear(malformed(&address, why)),
            };
        }
        let trouble = refusal(Asked { address: &address, token: true }, status, &headers, &answer);
        // A gateway's failure says nothing about what stands behind it.
        if status.is_server_error() || status.as_u16() == 408 || status.is_informational() {
            Sent::Unclear(trouble)
        } else {
            Sent::Refused(trouble)
        }
    }
}
