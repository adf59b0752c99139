//! Documents of the default branch and changed files at either side.
//! Must not know: what a document says.

use super::{Change, Client, Form, Paths};
use crate::core::evidence::Source;
use crate::core::ids::{BlobId, Sha};
use crate::core::plan::Answer;
use crate::core::pull::Document;
use crate::core::trouble::{Trouble, TroubleKind};
use crate::github::address::{encode_path, encode_query};
use crate::github::trouble::{malformed, one_line};
use crate::github::wire::content::{Content, Held};

impl Client {
    /// The first candidate that exists. Only "not found" leads on to the next: behind any other failure the right
    /// document may stand.
    pub(super) async fn document(&self, paths: &Paths<'_>, candidates: &[String]) -> Result<(Answer, Source), Trouble> {
        for path in candidates {
            match self.file(paths, path, None).await {
                Ok((document, source)) => return Ok((Answer::Document(document), source)),
                Err(trouble) if trouble.kind == TroubleKind::NotFound => {}
                Err(trouble) => return Err(trouble),
            }
        }
        Err(Trouble::new(
            TroubleKind::NotFound,
            format!("The default branch of {} has none of: {}.", paths.0, one_line(&candidates.join(", "))),
            "Check the policy's list of paths, or the token's access to the repository's contents.",
        ))
    }

    /// A file at a commit.
    pub(super) async fn side_file(&self, paths: &Paths<'_>, path: String, commit: Sha) -> Result<(Answer, Source), Trouble> {
        let (document, mut source) = self.file(paths, &path, Some(&commit)).await?;
        source.commit = Some(commit);
        Ok((Answer::SideFile(document), source))
    }

    async fn file(&self, paths: &Paths<'_>, path: &str, at: Option<&Sha>) -> Result<(Document, Source), Trouble> {
        let query = at.map(|sha| format!("?ref={}", encode_query(sha.as_str()))).unwrap_or_default();
        let address = paths.at(&format!("/contents/{}{query}", encode_path(path)));
        let change = at.map_or(Change::Possible, |sha| Change::of(&[sha]));
        let got = self.get_once(&address, Form::Json, 1, change).await?;
        let file = match got.decode()? {
            Content::One(file) => file,
            Content::Folder(entries) => {
                return Err(malformed(&got.address, format!("it is a folder of {} entries, not a file", entries.len())));
            }
        };
        if let Some(kind) = file.kind.as_deref().filter(|kind| *kind != "file") {
            return Err(malformed(&got.address, format!("it is a {kind}, not a file")));
        }
        let blob = BlobId(file.sha.clone().ok_or_else(|| malformed(&got.address, "it has no sha"))?);
        let (bytes, read_at) = match file.bytes().map_err(|why| malformed(&got.address, why))? {
            Held::Bytes(bytes) => (bytes, got.read_at),
            Held::Elsewhere => {
                let raw = self.get_once(&address, Form::Raw, 2, change).await?;
                (raw.body.to_vec(), raw.read_at.min(got.read_at))
            }
        };
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            malformed(&got.address, format!("it is not UTF-8 text (byte {at})"))
        })?;
        let address = paths.at(&format!("/contents/{path}"));
        let source = Source { address, commit: None, read_at, digest: blob.0.clone() };
        Ok((Document { path: path.to_owned(), blob, text }, source))
    }
}
