//! Runs, jobs and artifacts.
//! Must not know: which runs matter.

use super::list::List;
use super::{Client, Form, OnPage, Paths};
use crate::core::evidence::{Source, digest};
use crate::core::ids::{JobId, RepoName, RunId, Sha};
use crate::core::listing::{Completeness, Listing};
use crate::core::plan::Answer;
use crate::core::pull::{Job, Run};
use crate::core::trouble::{Trouble, TroubleKind};
use crate::github::address::encode_query;
use crate::github::layers::hold;
use crate::github::wire;
use crate::github::wire::Row;
use serde::Deserialize;
use std::sync::Mutex;

type Outcome = Result<(Answer, Source), Trouble>;
type Side = Option<(Listing<Run>, Source)>;

const CAP: Option<(usize, &str)> = Some((1000, "runs"));

impl Client {
    /// Runs of the branch (older commits of this pull request among them) and of the head commit (which a fork's branch
    /// name may not find), as one list; without a branch those of the head commit alone.
    pub(super) async fn runs(&self, paths: &Paths<'_>, branch: Option<&str>, head: Sha, on_page: OnPage<'_>) -> Outcome {
        let list = |query: String| List {
            address: format!("{}?{query}", paths.at("/actions/runs")),
            envelope: Some("workflow_runs"),
            cap: CAP,
            commit: Some(head.clone()),
        };
        let of_head = list(format!("head_sha={}", encode_query(head.as_str())));
        let Some(branch) = branch else {
            let mut tell = |listing, source| on_page(Answer::Runs(listing), source);
            let (listing, source) = self.list::<wire::actions::Run>(&of_head, &mut tell).await?;
            return Ok((Answer::Runs(listing), source));
        };
        let of_branch = list(format!("branch={}", encode_query(branch)));
        let so_far: Mutex<([Side; 2], OnPage<'_>)> = Mutex::new(([None, None], on_page));
        let tell = |side: usize| {
            let so_far = &so_far;
            move |listing: Listing<Run>, source: Source| {
                let mut so_far = hold(so_far);
                let (sides, on_page) = &mut *so_far;
                if let Some(side) = sides.get_mut(side) {
                    *side = Some((listing, source));
                }
                if let [Some(one), Some(other)] = sides {
                    let (listing, source) = merge(one.clone(), other.clone());
                    on_page(Answer::Runs(listing), source);
                }
            }
        };
        let (mut tell_branch, mut tell_head) = (tell(0), tell(1));
        let both = futures::future::join(
            self.list::<wire::actions::Run>(&of_branch, &mut tell_branch),
            self.list::<wire::actions::Run>(&of_head, &mut tell_head),
        );
        let (listing, source) = match both.await {
            (Ok(one), Ok(other)) => merge(one, other),
            // One half that could not be read leaves the other partial, and both leave nothing.
            (Ok((half, source)), Err(why)) | (Err(why), Ok((half, source))) => {
                (Listing::partial(half.items, None, why), source)
            }
            (Err(why), Err(_)) => return Err(why),
        };
        Ok((Answer::Runs(listing), source))
    }

    /// The newest page of a workflow's runs: whose pull request each belongs to is not told.
    pub(super) async fn bot_runs(&self, paths: &Paths<'_>, workflow: &str) -> Outcome {
        #[derive(Deserialize)]
        struct Page {
            total_count: Option<usize>,
            workflow_runs: Option<Vec<wire::actions::Run>>,
        }
        let address = format!("{}?per_page=30", paths.at(&format!("/actions/workflows/{}/runs", encode_query(workflow))));
        let got = self.get(&address, Form::Json, 1).await?;
        let listing = got.read(|page: Page| {
            let rows = page.workflow_runs.ok_or("workflow_runs")?;
            let items = rows.into_iter().map(wire::Row::read).collect::<Result<Vec<Run>, _>>()?;
            Ok(match page.total_count {
                Some(all) if all <= items.len() => Listing::complete(items),
                of => Listing::partial(items, of, Trouble::new(TroubleKind::TooLarge, "Only the newest were asked for.", "")),
            })
        })?;
        let source = self.source_of(&got, None);
        Ok((Answer::BotRuns(listing), source))
    }

    /// The newest status of each name at a commit.
    pub(super) async fn statuses(&self, paths: &Paths<'_>, commit: Sha, on_page: OnPage<'_>) -> Outcome {
        let list = List {
            address: paths.at(&format!("/commits/{}/status", encode_query(commit.as_str()))),
            envelope: Some("statuses"),
            cap: None,
            commit: Some(commit),
        };
        let mut tell = |listing, source| on_page(Answer::Statuses(listing), source);
        let (listing, source) = self.list::<wire::actions::CommitStatus>(&list, &mut tell).await?;
        Ok((Answer::Statuses(listing), source))
    }

    pub(super) async fn run(&self, paths: &Paths<'_>, run: RunId) -> Outcome {
        let got = self.get(&paths.at(&format!("/actions/runs/{run}")), Form::Json, 1).await?;
        let run = got.read(wire::actions::Run::read)?;
        let head = run.head.clone();
        Ok((Answer::Run(run), self.source_of(&got, Some(head))))
    }

    /// Jobs of all attempts: the plain list would hide what an earlier attempt did.
    pub(super) async fn jobs(&self, paths: &Paths<'_>, run: RunId, on_page: OnPage<'_>) -> Outcome {
        let list = List {
            address: paths.at(&format!("/actions/runs/{run}/jobs?filter=all")),
            envelope: Some("jobs"),
            cap: None,
            commit: None,
        };
        let mut tell = |listing, source| on_page(Answer::Jobs(listing), source);
        let (listing, source) = self.list::<wire::actions::Job>(&list, &mut tell).await?;
        Ok((Answer::Jobs(listing), source))
    }

    /// One job, of whichever attempt.
    pub async fn job(&self, repo: &RepoName, job: JobId) -> Result<Job, Trouble> {
        self.get(&Paths(repo).at(&format!("/actions/jobs/{job}")), Form::Json, 1).await?.read(wire::actions::Job::read)
    }

    pub(super) async fn artifacts(&self, paths: &Paths<'_>, run: RunId, name: &str, on_page: OnPage<'_>) -> Outcome {
        let list = List {
            address: format!("{}?name={}", paths.at(&format!("/actions/runs/{run}/artifacts")), encode_query(name)),
            envelope: Some("artifacts"),
            cap: None,
            commit: None,
        };
        // The run is the one that was asked, also where GitHub leaves it out.
        let own = move |mut listing: Listing<crate::core::pull::Artifact>| {
            listing.items.iter_mut().for_each(|artifact| artifact.run = run);
            Answer::Artifacts(listing)
        };
        let mut tell = |listing, source| on_page(own(listing), source);
        let (listing, source) = self.list::<wire::actions::Artifact>(&list, &mut tell).await?;
        Ok((own(listing), source))
    }
}

/// Two lists of runs as one, newest first, each run once; whole only if both are.
fn merge((one, source): (Listing<Run>, Source), (other, other_source): (Listing<Run>, Source)) -> (Listing<Run>, Source) {
    let (counts, lengths) = ([missing(&one), missing(&other)], one.items.len() + other.items.len());
    let partial = one.completeness != Completeness::Complete || other.completeness != Completeness::Complete;
    let why = [&one, &other].into_iter().find_map(|listing| match &listing.completeness {
        Completeness::Partial { why, .. } => Some(why.clone()),
        Completeness::Complete => None,
    });
    let mut items = Vec::with_capacity(lengths);
    items.extend(one.items);
    items.extend(other.items);
    items.sort_by_key(|run| std::cmp::Reverse(run.id));
    items.dedup_by_key(|run| run.id);
    let both = digest(format!("{}\n{}", source.digest, other_source.digest).as_bytes());
    let source = Source { digest: both, read_at: source.read_at.min(other_source.read_at), ..source };
    let listing = match why.filter(|_| partial) {
        None => Listing::complete(items),
        Some(why) => {
            // Where only one is short, what it lacks is what the whole lacks at most.
            let of = match counts {
                [Some(a), Some(b)] => Some(items.len() + a.max(b)),
                _ => None,
            };
            Listing::partial(items, of, why)
        }
    };
    (listing, source)
}

/// How many are known to be missing: 0 of a whole list, `None` where nobody said.
fn missing(listing: &Listing<Run>) -> Option<usize> {
    match &listing.completeness {
        Completeness::Complete => Some(0),
        Completeness::Partial { of, .. } => of.map(|of| of.saturating_sub(listing.items.len())),
    }
}
