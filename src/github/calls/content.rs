//! Documents of the default branch and changed files at either side.
//! Must not know: what a document says.

use super::{Change, Client, Form, Paths};
use crate::core::evidence::Source;
use crate::core::ids::{BlobId, FileRef, Sha};
use crate::core::listing::Listing;
use crate::core::plan::Answer;
use crate::core::pull::{Document, Folder, FolderFile};
use crate::core::trouble::{Trouble, TroubleKind};
use crate::github::address::{encode_path, encode_query};
use crate::github::trouble::{malformed, one_line};
use crate::github::wire::content::{Content, Entry, File, Held, Tree};

/// Entries of one folder that GitHub lists at most.
const FOLDER: usize = 1000;

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

    /// A config file of the default branch.
    pub(super) async fn master(&self, paths: &Paths<'_>, candidates: &[String]) -> Result<(Answer, Source), Trouble> {
        match self.document(paths, candidates).await? {
            (Answer::Document(document), source) => Ok((Answer::Master(document), source)),
            other => Ok(other),
        }
    }

    /// Names at the top of the default branch.
    pub(super) async fn top(&self, paths: &Paths<'_>, branch: &str) -> Result<(Answer, Source), Trouble> {
        let got = self.get(&paths.at(&format!("/git/trees/{}", encode_query(branch))), Form::Json, 1).await?;
        let tree: Tree = got.decode()?;
        let entries = tree.tree.ok_or_else(|| malformed(&got.address, "it has no tree"))?;
        if tree.truncated == Some(true) {
            return Err(malformed(&got.address, "it is cut short"));
        }
        let first = |entry: Entry| Some(entry.path?.split('/').next()?.to_owned());
        let mut names: Vec<String> = entries.into_iter().filter_map(first).collect();
        names.sort();
        names.dedup();
        Ok((Answer::Top(names), self.source_of(&got, None)))
    }

    /// The files of the first candidate that is a folder.
    pub(super) async fn folder(
        &self,
        paths: &Paths<'_>,
        candidates: &[String],
        commit: Option<Sha>,
    ) -> Result<(Answer, Source), Trouble> {
        let query = commit.as_ref().map(|sha| format!("?ref={}", encode_query(sha.as_str()))).unwrap_or_default();
        let change = commit.as_ref().map_or(Change::Possible, |sha| Change::of(&[sha]));
        for path in candidates {
            let address = paths.at(&format!("/contents/{}{query}", encode_path(path)));
            let got = match self.get_once(&address, Form::Json, 1, change).await {
                Ok(got) => got,
                Err(trouble) if trouble.kind == TroubleKind::NotFound => continue,
                Err(trouble) => return Err(trouble),
            };
            let Content::Folder(entries) = got.decode()? else {
                return Err(malformed(&got.address, "it is a file, not a folder"));
            };
            let full = entries.len() >= FOLDER;
            let file = |entry: Entry| {
                let is_file = entry.kind.as_deref() == Some("file");
                is_file.then_some(FolderFile { name: entry.name?, blob: BlobId(entry.sha?) })
            };
            let files: Vec<FolderFile> = entries.into_iter().filter_map(file).collect();
            let files = match full {
                false => Listing::complete(files),
                true => {
                    let headline = format!("GitHub lists {FOLDER} entries of a folder and no more.");
                    Listing::partial(
                        files,
                        None,
                        Trouble::new(TroubleKind::TooLarge, headline, "The rest can be seen in a clone."),
                    )
                }
            };
            return Ok((Answer::Folder(Folder { path: path.clone(), files }), self.source_of(&got, commit)));
        }
        Err(Trouble::new(
            TroubleKind::NotFound,
            format!("None of these folders is there: {}.", one_line(&candidates.join(", "))),
            "Check the policy's list of paths.",
        ))
    }

    /// A text by its blob, which never changes.
    pub(super) async fn blob(&self, paths: &Paths<'_>, blob: BlobId) -> Result<(Answer, Source), Trouble> {
        let address = paths.at(&format!("/git/blobs/{}", encode_query(blob.as_str())));
        let got = self.get_once(&address, Form::Json, 1, Change::Never).await?;
        let file: File = got.decode()?;
        let bytes = match file.bytes().map_err(|why| malformed(&got.address, why))? {
            Held::Bytes(bytes) => bytes,
            Held::Elsewhere => return Err(malformed(&got.address, "its content is left out")),
        };
        let text = String::from_utf8(bytes).map_err(|_| malformed(&got.address, "it is not UTF-8 text"))?;
        Ok((Answer::Blob(text), Source { digest: blob.0, ..self.source_of(&got, None) }))
    }

    /// A file at a commit.
    pub(super) async fn side_file(&self, paths: &Paths<'_>, path: String, commit: Sha) -> Result<(Answer, Source), Trouble> {
        let (document, mut source) = self.file(paths, &path, Some(&commit)).await?;
        source.commit = Some(commit);
        Ok((Answer::SideFile(document), source))
    }

    /// A file of another repository, at whatever its address named.
    pub(super) async fn linked_file(&self, file: FileRef) -> Result<(Answer, Source), Trouble> {
        let at = Sha(file.at);
        let (document, source) = self.file(&Paths(&file.repo), &file.path, Some(&at)).await?;
        let commit = at.is_full().then_some(at);
        Ok((Answer::Document(document), Source { commit, ..source }))
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
