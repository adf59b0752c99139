//! Reads the eval rows in an artifact.
//! Must not know: thresholds.

use super::{Client, Paths};
use crate::core::evals::parse_rows;
use crate::core::evidence::Source;
use crate::core::ids::{ArtifactId, RunId};
use crate::core::listing::Listing;
use crate::core::plan::Answer;
use crate::core::trouble::Trouble;

impl Client {
    pub(super) async fn evals(&self, paths: &Paths<'_>, run: RunId, artifact: ArtifactId) -> Result<(Answer, Source), Trouble> {
        let lost = "Its scores cannot be read any more; run the evals again.";
        let (got, files) = self.unpacked(paths, run, artifact, 1, lost).await?;
        let mut rows = Vec::new();
        let mut doubt: Option<Trouble> = None;
        for (name, bytes) in &files {
            match parse_rows(name, bytes) {
                Ok((more, skipped)) => {
                    rows.extend(more);
                    doubt = doubt.or(skipped);
                }
                Err(trouble) => doubt = doubt.or(Some(trouble)),
            }
        }
        let listing = match doubt {
            None => Listing::complete(rows),
            Some(why) if rows.is_empty() => return Err(why),
            Some(why) => Listing::partial(rows, None, why),
        };
        Ok((Answer::Evals(listing), self.source_of(&got, None)))
    }
}
