//! Downloads an artifact and reads the eval rows in it.
//! Must not know: thresholds.

use super::{Change, Client, Form, Paths};
use crate::core::evals::parse_rows;
use crate::core::evidence::Source;
use crate::core::ids::{ArtifactId, RunId};
use crate::core::listing::Listing;
use crate::core::plan::Answer;
use crate::core::trouble::{Trouble, TroubleKind};
use crate::github::archive::{Bounds, open_archive};

impl Client {
    pub(super) async fn evals(&self, paths: &Paths<'_>, run: RunId, artifact: ArtifactId) -> Result<(Answer, Source), Trouble> {
        let address = paths.at(&format!("/actions/artifacts/{artifact}/zip"));
        let named = |mut trouble: Trouble| {
            if trouble.kind == TroubleKind::Gone {
                trouble.headline = format!("Artifact {artifact} of run {run} has expired (410).");
                trouble.hint = "Its scores cannot be read any more; run the evals again.".to_owned();
            }
            trouble
        };
        // An artifact is written once; a run that is repeated makes another one.
        let got = self.get_once(&address, Form::Download, 1, Change::Never).await.map_err(named)?;
        let files = open_archive(&got.body, ".json", Bounds::default())?;
        if files.is_empty() {
            return Err(Trouble::new(
                TroubleKind::Malformed,
                format!("Artifact {artifact} of run {run} holds no JSON file."),
                "Look at the run in the browser.",
            ));
        }
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
