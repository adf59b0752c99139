//! The way to GitHub: makes the client when the first request needs it, and performs one read.
//! Must not know: what is read, or who waits for it.

use super::cache_files::CacheFiles;
use super::clock;
use super::environment::Environment;
use super::tokens;
use crate::config::Settings;
use crate::core::errand::{Order, Outcome};
use crate::core::ids::{JobId, PullNumber, RepoName};
use crate::core::plan::{Read, Reply};
use crate::core::posting::{Letter, Sent};
use crate::core::pull::Job;
use crate::core::time::Time;
use crate::core::trouble::{Trouble, TroubleKind};
use crate::github::{self, Base, Client, Freshness, Recorder, Recording, Secret};
use futures::FutureExt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use tokio::sync::OnceCell;

/// The client, made on first use and off the loop: certificates and `gh` take their time.
pub struct Connection {
    client: OnceCell<Client>,
    offline: bool,
    make: Arc<dyn Fn() -> Result<Client, Trouble> + Send + Sync>,
}

impl Connection {
    /// Over the network, with the first token that [`super::environment::token_sources`] finds.
    ///
    /// `record` keeps what is read; answers are kept on `shelf`, if there is one.
    pub fn network(
        base: Base,
        given: bool,
        environment: Environment,
        settings: Settings,
        record: Option<Recorder>,
        shelf: Option<CacheFiles>,
    ) -> Connection {
        Connection::new(move || {
            let token = tokens::find(&base, given, &environment, &settings)?.map(|(token, _)| token);
            make_client(base.clone(), token, &environment, &settings, record.clone(), shelf.clone())
        })
    }

    /// Over a recording: no socket, no token.
    pub fn replay(recording: Arc<Recording>) -> Connection {
        Connection::new(move || Client::replay(Arc::clone(&recording), github::Settings::new(Arc::new(clock::now))))
    }

    /// Over a client that is made already.
    pub fn over(client: Client) -> Connection {
        let kept = client.clone();
        Connection { client: OnceCell::new_with(Some(client)), make: Arc::new(move || Ok(kept.clone())), offline: false }
    }

    fn new(make: impl Fn() -> Result<Client, Trouble> + Send + Sync + 'static) -> Connection {
        Connection { client: OnceCell::new(), offline: false, make: Arc::new(make) }
    }

    /// The same, asking nobody from now on: every read is answered by what is kept, and nothing is posted.
    pub fn offline(self, offline: bool) -> Connection {
        Connection { offline, ..self }
    }

    pub fn is_offline(&self) -> bool {
        self.offline
    }

    /// The client; a failure is not kept, so that the next request tries again.
    pub async fn client(&self) -> Result<Client, Trouble> {
        let made = self.client.get_or_try_init(|| async {
            let make = Arc::clone(&self.make);
            let joined = tokio::task::spawn_blocking(move || make()).await;
            joined.unwrap_or_else(|_| Err(broken("The client could not be made")))
        });
        made.await.cloned()
    }

    /// Performs a read; what there is of a long list goes to `on_part`. Never panics, whatever the answer holds.
    pub async fn read(
        &self,
        repo: &RepoName,
        number: PullNumber,
        read: Read,
        freshness: Freshness,
        mut on_part: impl FnMut(Reply) + Send,
    ) -> Reply {
        let asked = read.clone();
        let whole = async {
            let freshness = if self.offline { Freshness::CacheOnly } else { freshness };
            let client = self.client().await?.with(freshness);
            let mut on_page =
                |answer, source| on_part(Reply { read: asked.clone(), answer: Ok((answer, source)), last: false });
            client.read(repo, number, asked.clone(), &mut on_page).await
        };
        let answer =
            AssertUnwindSafe(whole).catch_unwind().await.unwrap_or_else(|_| Err(broken("An answer could not be read")));
        if let Err(trouble) = &answer {
            // The sentence may quote what was read.
            tracing::warn!(?read, kind = ?trouble.kind, "not read");
        }
        Reply { read, answer, last: true }
    }

    /// One job, by its number alone.
    pub async fn job(&self, repo: &RepoName, job: JobId) -> Result<Job, Trouble> {
        let freshness = if self.offline { Freshness::CacheOnly } else { Freshness::Network };
        self.client().await?.with(freshness).job(repo, job).await
    }

    /// Sends the sign-off, once.
    pub async fn post(&self, letter: &Letter) -> Sent {
        let client = match self.client().await {
            Ok(client) if self.offline => client.with(Freshness::CacheOnly),
            Ok(client) => client,
            Err(trouble) => return Sent::Refused(trouble),
        };
        let sent = AssertUnwindSafe(client.post(letter)).catch_unwind().await;
        // After a panic nobody knows whether the comment left: only looking tells.
        let sent = sent.unwrap_or_else(|_| Sent::Unclear(broken("The answer to the comment could not be read")));
        match &sent {
            Sent::Posted(posted) => tracing::info!(id = posted.id.0, "the comment is posted"),
            Sent::Refused(trouble) => tracing::warn!(kind = ?trouble.kind, "the comment was refused"),
            Sent::Unclear(trouble) => tracing::warn!(kind = ?trouble.kind, "whether the comment was posted is unclear"),
        }
        sent
    }

    /// Carries an errand out, once.
    pub async fn carry_out(&self, repo: &RepoName, number: PullNumber, order: &Order) -> Outcome {
        let client = match self.client().await {
            Ok(client) if self.offline => client.with(Freshness::CacheOnly),
            Ok(client) => client,
            Err(trouble) => return Outcome::Refused(trouble),
        };
        let outcome = AssertUnwindSafe(client.carry_out(repo, number, order)).catch_unwind().await;
        // After a panic nobody knows whether it left: only looking tells.
        let outcome = outcome.unwrap_or_else(|_| Outcome::Unclear(broken("The answer to what was sent could not be read")));
        match &outcome {
            Outcome::Done { .. } => tracing::info!("an errand is done"),
            Outcome::Refused(trouble) => tracing::warn!(kind = ?trouble.kind, "an errand was refused"),
            Outcome::Unclear(trouble) => tracing::warn!(kind = ?trouble.kind, "whether an errand was done is unclear"),
        }
        outcome
    }

    /// When requests are sent again, while one of GitHub's limits is in force.
    pub fn limited_until(&self) -> Option<Time> {
        self.client.get()?.limited_until()
    }

    /// Requests left of how many, as the last answer told.
    pub fn budget(&self) -> Option<(u64, u64)> {
        self.client.get()?.budget().map(|budget| (budget.remaining, budget.limit))
    }
}

/// A client over the network, with this token. Reads certificates, and must be called inside a Tokio runtime.
pub fn make_client(
    base: Base,
    token: Option<Secret>,
    environment: &Environment,
    settings: &Settings,
    record: Option<Recorder>,
    shelf: Option<CacheFiles>,
) -> Result<Client, Trouble> {
    let mut chosen = github::Settings {
        base,
        token,
        proxy: environment.proxy(),
        authorities: tokens::authorities(environment, settings)?,
        record,
        ..github::Settings::new(Arc::new(clock::now))
    };
    if let Some(shelf) = shelf {
        chosen.shelf = Arc::new(shelf);
    }
    Client::network(chosen)
}

pub fn broken(what: &str) -> Trouble {
    let headline = format!("{what}: countersign failed inside.");
    Trouble::new(TroubleKind::Malformed, headline, "Please report it with the pull request's number.")
}
