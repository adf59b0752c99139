//! Finds the artifacts that hold a run's measured points, downloads them and reads the rows in them.
//! Must not know: what the policy calls them, what rows are for.

use super::list::List;
use super::{Client, Paths};
use crate::core::evidence::{Source, digest};
use crate::core::ids::RunId;
use crate::core::listing::Listing;
use crate::core::plan::{Answer, newest_readable};
use crate::core::pull::Artifact;
use crate::core::results::{self, ResultRow};
use crate::core::trouble::{Trouble, TroubleKind};
use crate::github::address::encode_query;
use crate::github::layers::gate::WIDTH;
use crate::github::wire;
use futures::StreamExt;
use std::collections::BTreeMap;

/// Parts that are downloaded at most.
const PARTS: usize = 100;
/// Downloads of one run at once; the gate bounds all reads together.
const AHEAD: usize = WIDTH as usize;

const LOST: &str = "The points that it measured cannot be read any more; only a new sweep measures them again.";

/// Rows, and the first doubt whether they are all.
#[derive(Default)]
struct Gathering {
    rows: Vec<ResultRow>,
    doubt: Option<Trouble>,
}

impl Gathering {
    fn doubt(&mut self, why: Trouble) {
        self.doubt.get_or_insert(why);
    }

    fn listing(self) -> Result<Listing<ResultRow>, Trouble> {
        match self.doubt {
            None => Ok(Listing::complete(self.rows)),
            Some(why) if self.rows.is_empty() => Err(why),
            Some(why) => Ok(Listing::partial(self.rows, None, why)),
        }
    }
}

impl Client {
    /// The points of the newest artifact called `name`; where there is none, those of the newest of each name that begins
    /// with `parts`. A run that has neither fails with `NotFound`.
    pub(super) async fn results(
        &self,
        paths: &Paths<'_>,
        run: RunId,
        name: &str,
        parts: Option<&str>,
    ) -> Result<(Answer, Source), Trouble> {
        let (named, _) = self.artifacts_of(paths, run, Some(name)).await?;
        let mut all = Gathering::default();
        if let Some(artifact) = newest_readable(&named.items) {
            let source = self.take(paths, run, artifact, 2, &mut all).await?;
            return Ok((Answer::Results(all.listing()?), source));
        }
        if !named.items.is_empty() {
            return Err(gone(run, name));
        }
        whole(&named)?;
        let Some(prefix) = parts else { return Err(none(run, name)) };
        let (listed, source) = self.artifacts_of(paths, run, None).await?;
        let mut names: BTreeMap<&str, Vec<Artifact>> = BTreeMap::new();
        for artifact in listed.items.iter().filter(|artifact| artifact.name.starts_with(prefix)) {
            names.entry(&artifact.name).or_default().push(artifact.clone());
        }
        if names.is_empty() {
            whole(&listed)?;
            return Err(none(run, name));
        }
        let newest: Vec<Artifact> = names.values().filter_map(|same| newest_readable(same)).cloned().collect();
        if newest.len() < names.len() {
            all.doubt(gone(run, prefix));
        }
        if newest.len() > PARTS {
            let headline = format!("Run {run} has {} result artifacts, and {PARTS} are read.", newest.len());
            all.doubt(Trouble::new(TroubleKind::TooLarge, headline, "Look at the rest in the browser."));
        }
        listed.trouble().cloned().into_iter().for_each(|why| all.doubt(why));
        let mut downloads = futures::stream::iter(newest.into_iter().take(PARTS).map(|artifact| async move {
            let mut part = Gathering::default();
            let source = self.take(paths, run, &artifact, 3, &mut part).await;
            (part, source)
        }))
        .buffered(AHEAD);
        let (mut digests, mut read_at) = (source.digest, source.read_at);
        while let Some((part, source)) = downloads.next().await {
            part.doubt.into_iter().for_each(|why| all.doubt(why));
            match source {
                Ok(source) => {
                    all.rows.extend(part.rows);
                    digests.push_str(&source.digest);
                    read_at = read_at.min(source.read_at);
                }
                Err(why) => {
                    let hopeless = matches!(why.kind, TroubleKind::Limited | TroubleKind::Timeout | TroubleKind::Access);
                    all.doubt(why);
                    if hopeless {
                        break;
                    }
                }
            }
        }
        let source = Source { digest: digest(digests.as_bytes()), read_at, ..source };
        Ok((Answer::Results(all.listing()?), source))
    }

    async fn artifacts_of(
        &self,
        paths: &Paths<'_>,
        run: RunId,
        name: Option<&str>,
    ) -> Result<(Listing<Artifact>, Source), Trouble> {
        let query = name.map(|name| format!("?name={}", encode_query(name))).unwrap_or_default();
        let address = format!("{}{query}", paths.at(&format!("/actions/runs/{run}/artifacts")));
        let list = List { address, envelope: Some("artifacts"), cap: None, commit: None };
        self.list::<wire::actions::Artifact>(&list, &mut |_, _| {}).await
    }

    /// Adds the rows of one artifact.
    async fn take(
        &self,
        paths: &Paths<'_>,
        run: RunId,
        artifact: &Artifact,
        level: u32,
        all: &mut Gathering,
    ) -> Result<Source, Trouble> {
        let (got, files) = self.unpacked(paths, run, artifact.id, level, LOST).await?;
        let source = self.source_of(&got, None);
        if let Some(trouble) = artifact.forged(&source.digest) {
            return Err(trouble);
        }
        for (name, bytes) in &files {
            match results::parse(name, run, bytes) {
                Ok(found) => {
                    all.rows.extend(found.rows);
                    found.trouble.into_iter().for_each(|why| all.doubt(why));
                }
                Err(why) => all.doubt(why),
            }
        }
        Ok(source)
    }
}

/// A list that is not whole may lack what was looked for.
fn whole(list: &Listing<Artifact>) -> Result<(), Trouble> {
    list.trouble().cloned().map_or(Ok(()), Err)
}

fn gone(run: RunId, name: &str) -> Trouble {
    Trouble::new(TroubleKind::Gone, format!("The artifact {name} of run {run} has expired."), LOST)
}

fn none(run: RunId, name: &str) -> Trouble {
    let hint = "Look at the run in the browser: its job that collects results may have failed.";
    Trouble::new(TroubleKind::NotFound, format!("Run {run} kept no results: it has no artifact {name}."), hint)
}
