//! What each [`Read`] asks GitHub for, and the writes.
//! Must not know: layers and leaves.

mod access;
mod actions;
mod artifact;
mod content;
mod errand;
mod evals;
mod list;
mod log;
mod people;
mod post;
mod pull;
mod results;

pub use access::Target;
pub use log::LARGEST_LOG;

use super::Client;
use super::drain::Drained;
use super::layers::cache::{Lasting, ReadAt};
use super::layers::{Level, is_read};
use super::trouble::{Asked, Failure, malformed, refusal};
use crate::core::evidence::{Source, digest};
use crate::core::ids::{PullNumber, RepoName, Sha};
use crate::core::plan::{Answer, Read};
use crate::core::time::Time;
use crate::core::trouble::{Trouble, TroubleKind};
use bytes::Bytes;
use http::header::{ACCEPT, LOCATION};
use http::response::Parts;
use http::{HeaderMap, Method, Request, Uri};
use http_body_util::BodyExt;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Takes what there is of a list while more pages are on their way.
pub type OnPage<'a> = &'a mut (dyn FnMut(Answer, Source) + Send);

/// Redirects of one read.
const HOPS: u32 = 3;

/// The form in which an answer is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Json,
    /// A file's bytes.
    Raw,
    /// JSON that redirects to a download on another host.
    Download,
}

impl Form {
    fn accept(self) -> &'static str {
        match self {
            Form::Json | Form::Download => "application/vnd.github+json",
            Form::Raw => "application/vnd.github.raw+json",
        }
    }
}

/// A successful answer.
struct Got {
    /// As evidence holds it.
    address: String,
    headers: HeaderMap,
    body: Bytes,
    /// When GitHub gave this answer, or confirmed it.
    read_at: Time,
}

/// Whether an address may answer otherwise later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    Possible,
    /// It names a commit, or another thing that never changes.
    Never,
}

impl Change {
    /// Of what speaks of these commits alone: a branch's name in their place would move.
    fn of(commits: &[&Sha]) -> Change {
        if commits.iter().all(|sha| sha.is_full()) { Change::Never } else { Change::Possible }
    }
}

impl Got {
    fn decode<'a, T: Deserialize<'a>>(&'a self) -> Result<T, Trouble> {
        serde_json::from_slice(&self.body).map_err(|error| malformed(&self.address, error))
    }

    /// Decodes and reads; a missing member is named.
    fn read<W: DeserializeOwned, T>(&self, read: impl FnOnce(W) -> Result<T, &'static str>) -> Result<T, Trouble> {
        read(self.decode()?).map_err(|member| malformed(&self.address, format!("it has no {member}")))
    }
}

/// Paths of one repository.
struct Paths<'a>(&'a RepoName);

impl Paths<'_> {
    fn at(&self, rest: &str) -> String {
        format!("/repos/{}/{}{rest}", self.0.owner, self.0.name)
    }
}

impl Client {
    /// Performs a read. The future brings the final answer; until then a list of several pages tells `on_page` what has
    /// come so far, as a partial listing.
    pub async fn read(
        &self,
        repo: &RepoName,
        number: PullNumber,
        read: Read,
        on_page: OnPage<'_>,
    ) -> Result<(Answer, Source), Trouble> {
        let paths = Paths(repo);
        match read {
            Read::Viewer => self.viewer().await,
            Read::Repository => self.repository(&paths).await,
            Read::Pull => self.pull(&paths, number).await,
            Read::Files => self.files(&paths, number, on_page).await,
            Read::Commits => self.commits(&paths, number, on_page).await,
            Read::Comments => self.comments(&paths, number, on_page).await,
            Read::Reviews => self.reviews(&paths, number, on_page).await,
            Read::LineComments => self.line_comments(&paths, number, on_page).await,
            Read::PendingComments(review) => self.pending_comments(&paths, number, review, on_page).await,
            Read::MergeBase { base, head } => self.merge_base(&paths, &base, head).await,
            Read::Later { measured, head } => self.later(&paths, &measured, head).await,
            Read::Runs { branch, head } => self.runs(&paths, branch.as_deref(), head, on_page).await,
            Read::Run(run) => self.run(&paths, run).await,
            Read::Jobs(run) => self.jobs(&paths, run, on_page).await,
            Read::Artifacts { run, name } => self.artifacts(&paths, run, &name, on_page).await,
            Read::Evals { run, artifact } => self.evals(&paths, run, artifact).await,
            Read::Results { run, artifact, parts } => self.results(&paths, run, &artifact, parts.as_deref()).await,
            Read::Document { paths: candidates, .. } => self.document(&paths, &candidates).await,
            Read::SideFile { path, commit, .. } => self.side_file(&paths, path, commit).await,
            Read::Top { branch } => self.top(&paths, &branch).await,
            Read::Master { paths: candidates, .. } => self.master(&paths, &candidates).await,
            Read::Folder { paths: candidates, commit, .. } => self.folder(&paths, &candidates, commit).await,
            Read::Blob(blob) => self.blob(&paths, blob).await,
            Read::Statuses { commit } => self.statuses(&paths, commit, on_page).await,
            Read::BotRuns { workflow } => self.bot_runs(&paths, &workflow).await,
            Read::LabelEvents => self.label_events(&paths, number, on_page).await,
            Read::Permission(login) => self.permission(&paths, &login).await,
            Read::Member { team, login } => self.member(&team, &login).await,
            Read::Linked(pull) => self.linked(&pull).await,
            Read::LinkedFile(file) => self.linked_file(file).await,
        }
    }

    fn source_of(&self, got: &Got, commit: Option<Sha>) -> Source {
        let address = got.address.split('?').next().unwrap_or(&got.address);
        Source { address: address.to_owned(), commit, read_at: got.read_at, digest: digest(&got.body) }
    }

    /// Sends one request, as it stands.
    async fn send(&self, request: Request<octocrab::OctoBody>) -> Result<(Parts, Bytes), Failure> {
        let answer = self.inner.crab.execute(request).await.map_err(Failure::from_octocrab)?;
        let (parts, body) = answer.into_parts();
        // It is whole already: the layers gave it so.
        let body = body.collect().await.map_err(Failure::from_octocrab)?.to_bytes();
        Ok((parts, body))
    }

    /// Reads an address (relative, or as a `Link` gave it), following redirects that may be followed.
    async fn get(&self, address: &str, form: Form, level: u32) -> Result<Got, Trouble> {
        self.get_once(address, form, level, Change::Possible).await
    }

    /// [`Client::get`], and never again where the answer is kept and cannot change.
    async fn get_once(&self, address: &str, form: Form, level: u32, change: Change) -> Result<Got, Trouble> {
        self.follow(address, form, level, change, None).await
    }

    /// [`Client::get_once`], with a body that goes elsewhere if `drained` says where.
    async fn follow(
        &self,
        address: &str,
        form: Form,
        level: u32,
        change: Change,
        drained: Option<Drained>,
    ) -> Result<Got, Trouble> {
        let base = &self.inner.settings.base;
        let first: Uri = address.parse().map_err(|_| malformed(address, "this is no address"))?;
        let shown = base.relative(&first);
        if !base.owns(&first) {
            return Err(malformed(&shown, "a list went on at another host"));
        }
        let mut uri = first.clone();
        let mut renewed = false;
        for hop in 0..=HOPS {
            let mut builder = Request::builder()
                .method(Method::GET)
                .uri(uri.clone())
                .header(ACCEPT, form.accept())
                .extension(self.freshness)
                .extension(Level(level + hop));
            if change == Change::Never {
                builder = builder.extension(Lasting(shown.clone()));
            }
            if let Some(drained) = &drained {
                builder = builder.extension(drained.clone());
            }
            let request =
                self.inner.crab.build_request(builder, None::<&()>).map_err(|error| Failure::from_octocrab(error).trouble)?;
            debug_assert!(is_read(request.method()));
            let own = base.owns(&uri);
            let (parts, body) = self.send(request).await.map_err(|failure| failure.trouble)?;
            let Parts { status, headers, extensions, .. } = parts;
            if status.is_success() {
                let read_at = extensions.get().map_or_else(|| (self.inner.settings.clock)(), |ReadAt(at)| *at);
                return Ok(Got { address: shown, headers, body, read_at });
            }
            if form == Form::Download && !own && !renewed && matches!(status.as_u16(), 403 | 404) {
                // The link to the storage lives for a minute: one that aged on the way is asked for anew, once.
                renewed = true;
                uri = first.clone();
                continue;
            }
            if !status.is_redirection() {
                let place = base.relative(&uri);
                let asked = Asked { address: &place, token: own && self.inner.settings.token.is_some() };
                return Err(refusal(asked, status, &headers, &body));
            }
            let location = headers.get(LOCATION).and_then(|value| value.to_str().ok()).unwrap_or("");
            let next = base.follow(location).filter(|next| form == Form::Download || base.owns(next));
            uri = next.ok_or_else(|| {
                Trouble::new(
                    TroubleKind::Moved,
                    format!("{shown} leads to an address that is not followed."),
                    "Check the API address; a read stays on its host, and a download goes over https.",
                )
            })?;
        }
        Err(Trouble::new(
            TroubleKind::Moved,
            format!("{shown} leads from address to address without end."),
            "Check the API address.",
        ))
    }
}
