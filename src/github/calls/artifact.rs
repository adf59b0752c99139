//! Downloads an artifact and unpacks the JSON files in it.
//! Must not know: what they mean.

use super::{Change, Client, Form, Got, Paths};
use crate::core::ids::{ArtifactId, RunId};
use crate::core::trouble::{Trouble, TroubleKind};
use crate::github::archive::{Bounds, open_archive};

/// Names and bytes, in the archive's order.
pub type Files = Vec<(String, Vec<u8>)>;

impl Client {
    /// At least one file. `lost` is the way on when the artifact has expired.
    pub(super) async fn unpacked(
        &self,
        paths: &Paths<'_>,
        run: RunId,
        artifact: ArtifactId,
        level: u32,
        lost: &str,
    ) -> Result<(Got, Files), Trouble> {
        let address = paths.at(&format!("/actions/artifacts/{artifact}/zip"));
        let named = |mut trouble: Trouble| {
            if trouble.kind == TroubleKind::Gone {
                trouble.headline = format!("Artifact {artifact} of run {run} has expired (410).");
                lost.clone_into(&mut trouble.hint);
            }
            trouble
        };
        // An artifact is written once; a run that is repeated makes another one.
        let got = self.get_once(&address, Form::Download, level, Change::Never).await.map_err(named)?;
        let files = open_archive(&got.body, ".json", Bounds::default())?;
        if files.is_empty() {
            return Err(Trouble::new(
                TroubleKind::Malformed,
                format!("Artifact {artifact} of run {run} holds no JSON file."),
                "Look at the run in the browser.",
            ));
        }
        Ok((got, files))
    }
}
