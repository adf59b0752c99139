//! Who the token is, and small reads that tell what it may do.
//! Must not know: which features need which right (`core::access`).

use super::{Client, Form, Paths};
use crate::core::access::{Identity, Probe, TokenKind};
use crate::core::ids::{PullNumber, RepoName};
use crate::core::trouble::{Trouble, TroubleKind};
use crate::github::address::encode_path;
use crate::github::trouble::one_line;
use crate::github::wire;
use http::HeaderMap;
use serde::Deserialize;

#[derive(Deserialize)]
struct RunIds {
    workflow_runs: Vec<RunId>,
}

#[derive(Deserialize)]
struct RunId {
    id: u64,
}

/// Where rights are tried.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    pub repo: &'a RepoName,
    /// Without one, the list of all pull requests stands for what belongs to one.
    pub number: Option<PullNumber>,
    /// The default branch.
    pub branch: &'a str,
    /// Where a document of that branch may lie.
    pub document: &'a [String],
}

impl Client {
    /// Whom the token stands for.
    pub async fn identity(&self) -> Result<Identity, Trouble> {
        self.must_be_someone()?;
        let got = self.get("/user", Form::Json, 1).await?;
        let viewer = got.read(wire::pull::viewer)?;
        Ok(Identity {
            login: viewer.login.to_string(),
            kind: kind_of(&got.headers),
            expires: text(&got.headers, "github-authentication-token-expiration"),
        })
    }

    /// Whether the API answers, and what it says of itself.
    pub async fn version(&self) -> Result<String, Trouble> {
        let (headers, limited) = match self.get("/rate_limit", Form::Json, 1).await {
            Ok(got) => (got.headers, true),
            // A server without limits says so by 404; that is an answer.
            Err(trouble) if trouble.kind == TroubleKind::NotFound => (HeaderMap::new(), false),
            Err(trouble) => return Err(trouble),
        };
        let mut told = match text(&headers, "x-github-enterprise-version") {
            Some(version) => format!("GitHub Enterprise Server {}", version.trim_start_matches("enterprise-server@")),
            None => "answers".to_owned(),
        };
        if let Some(version) = text(&headers, "x-github-api-version-selected") {
            told.push_str(&format!(", API version {version}"));
        }
        if !limited {
            told.push_str(", without rate limits");
        }
        Ok(told)
    }

    /// Reads as little as shows whether the token may read it.
    pub async fn probe(&self, target: Target<'_>, probe: Probe) -> Result<(), Trouble> {
        let paths = Paths(target.repo);
        let branch = encode_path(target.branch);
        let of_pull = |rest: &str| match target.number {
            Some(number) => format!("/pulls/{number}{rest}"),
            None => "/pulls?state=all&per_page=1".to_owned(),
        };
        let path = match probe {
            Probe::Pull => of_pull(""),
            Probe::Files => of_pull("/files?per_page=1"),
            Probe::Commits => of_pull("/commits?per_page=1"),
            Probe::Reviews => of_pull("/reviews?per_page=1"),
            Probe::Comments => match target.number {
                Some(number) => format!("/issues/{number}/comments?per_page=1"),
                None => "/issues/comments?per_page=1".to_owned(),
            },
            Probe::Contents => return self.document(&paths, target.document).await.map(|_| ()),
            Probe::Runs => "/actions/runs?per_page=1".to_owned(),
            Probe::Jobs => {
                let got = self.get(&paths.at("/actions/runs?per_page=1"), Form::Json, 1).await?;
                let Some(run) = got.decode::<RunIds>()?.workflow_runs.first().map(|run| run.id) else { return Ok(()) };
                format!("/actions/runs/{run}/jobs?per_page=1")
            }
            Probe::Artifacts => "/actions/artifacts?per_page=1".to_owned(),
            Probe::Statuses => format!("/commits/{branch}/status?per_page=1"),
            Probe::Checks => format!("/commits/{branch}/check-runs?per_page=1"),
            Probe::Teams => {
                return self.get(&format!("/orgs/{}/teams?per_page=1", target.repo.owner), Form::Json, 1).await.map(|_| ());
            }
        };
        self.get(&paths.at(&path), Form::Json, 1).await.map(|_| ())
    }
}

fn kind_of(headers: &HeaderMap) -> TokenKind {
    let Some(scopes) = text(headers, "x-oauth-scopes") else { return TokenKind::FineGrained };
    let scopes = scopes.split(',').map(|scope| scope.trim().to_owned()).filter(|scope| !scope.is_empty()).collect();
    match headers.contains_key("x-oauth-client-id") {
        true => TokenKind::OfApp { scopes },
        false => TokenKind::Classic { scopes },
    }
}

/// A header as one line; `None` when it is not there. An empty one is there.
fn text(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(one_line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_tells_the_kind_of_a_token() {
        let of = |pairs: &[(&'static str, &str)]| {
            kind_of(&pairs.iter().map(|(name, value)| (http::HeaderName::from_static(name), value.parse().unwrap())).collect())
        };
        let scopes = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        assert_eq!(of(&[]), TokenKind::FineGrained);
        assert_eq!(of(&[("x-oauth-scopes", "")]), TokenKind::Classic { scopes: vec![] });
        assert_eq!(of(&[("x-oauth-scopes", "repo, read:org")]), TokenKind::Classic { scopes: scopes(&["repo", "read:org"]) });
        let app = of(&[("x-oauth-scopes", "repo"), ("x-oauth-client-id", "1")]);
        assert_eq!(app, TokenKind::OfApp { scopes: scopes(&["repo"]) });
    }
}
