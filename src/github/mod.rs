//! Everything between [`crate::core::plan::Read`] and the network: transport, recordings, GitHub's JSON, addresses.
//! Must not know: the application, screens, settings files, the environment.
//!
//! `typed call → octocrab → trace → cache → retry → gate → record → host → whole → network or recording`. octocrab is
//! transport only: its own retries, redirects, cache and models are off, since they repeat writes and refuse real data.

pub mod address;
pub mod archive;
pub mod calls;
pub mod cassette;
mod connections;
mod drain;
mod layers;
mod leaf;
pub mod replay;
pub mod settings;
pub mod shelf;
mod stack;
mod trouble;
mod wire;

pub use address::Base;
pub use calls::{LARGEST_LOG, OnPage, Target};
pub use cassette::{Beginning, Recording, parse_bytes, parse_recording, render_recording};
pub use drain::Drain;
pub use layers::cache::Freshness;
pub use layers::gate::Budget;
pub use layers::record::Recorder;
pub use layers::trace::Counters;
pub use settings::{Authorities, Clock, Limits, Proxy, Secret, Settings};

use crate::core::time::Time;
use crate::core::trouble::Trouble;
use layers::gate::GateState;
use layers::trace::Tally;
use octocrab::Octocrab;
use std::sync::Arc;

/// One GitHub, over the network or from a recording. Cheap to clone; clones share connections, cache, limits, counters.
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
    freshness: Freshness,
}

struct Inner {
    crab: Octocrab,
    settings: Settings,
    replayed: bool,
    tally: Arc<Tally>,
    gate: Arc<GateState>,
}

impl Inner {
    /// Whether requests are made in somebody's name; a recording has the name of whoever made it.
    fn asks_as_someone(&self) -> bool {
        self.replayed || self.settings.token.is_some()
    }
}

impl Client {
    /// A client over the network. Must be made inside a Tokio runtime; reads the system's certificate authorities, which
    /// takes some milliseconds. Connects to nothing yet.
    pub fn network(settings: Settings) -> Result<Client, Trouble> {
        let leaf = leaf::Network::new(&settings)?;
        Client::over(leaf, settings, false)
    }

    /// A client that answers from a recording, has no socket, and refuses to write. `settings` gives clock and limits;
    /// its base and token are not used.
    pub fn replay(recording: impl Into<Arc<Recording>>, settings: Settings) -> Result<Client, Trouble> {
        Client::replay_with_faults(recording, settings, replay::Script::new())
    }

    /// [`Client::replay`], failing where the script says so.
    pub fn replay_with_faults(
        recording: impl Into<Arc<Recording>>,
        settings: Settings,
        script: replay::Script,
    ) -> Result<Client, Trouble> {
        Client::rehearsal(recording.into(), settings, script, None)
    }

    /// [`Client::replay_with_faults`] in which comments arrive at a postbox.
    pub fn replay_to_postbox(
        recording: impl Into<Arc<Recording>>,
        settings: Settings,
        script: replay::Script,
        postbox: Arc<replay::Postbox>,
    ) -> Result<Client, Trouble> {
        Client::rehearsal(recording.into(), settings, script, Some(postbox))
    }

    fn rehearsal(
        recording: Arc<Recording>,
        settings: Settings,
        script: replay::Script,
        postbox: Option<Arc<replay::Postbox>>,
    ) -> Result<Client, Trouble> {
        // What a recording says is kept nowhere else: it is no answer of GitHub's today.
        let shelf = Arc::new(shelf::Memory::default());
        let settings = Settings { base: recording.base.clone(), token: None, record: None, shelf, ..settings };
        Client::over(replay::Replay::new(recording, script, postbox), settings, true)
    }

    fn over(leaf: impl layers::Leaf, settings: Settings, replayed: bool) -> Result<Client, Trouble> {
        let tally = Arc::new(Tally::default());
        let gate = GateState::new(settings.clock.clone());
        let crab = stack::build(leaf, &settings, &tally, &gate)?;
        Ok(Client { inner: Arc::new(Inner { crab, settings, replayed, tally, gate }), freshness: Freshness::Network })
    }

    /// The same client, asking GitHub or what was kept of it. [`Freshness::CacheOnly`] sends nothing, not even a comment.
    pub fn with(&self, freshness: Freshness) -> Client {
        Client { inner: Arc::clone(&self.inner), freshness }
    }

    /// Whether this is a recording: nothing leaves the machine.
    pub fn is_replay(&self) -> bool {
        self.inner.replayed
    }

    /// The API that is asked.
    pub fn base(&self) -> &Base {
        &self.inner.settings.base
    }

    /// GitHub's hourly budget, as the last answer told it; `None` before, and where a server has none.
    pub fn budget(&self) -> Option<Budget> {
        self.inner.gate.budget()
    }

    /// When requests are sent again, while one of GitHub's limits is in force.
    pub fn limited_until(&self) -> Option<Time> {
        self.inner.gate.closed_until()
    }

    /// Whether a recording holds this client's token: GitHub never sends it back, but something on the way might.
    pub fn is_repeated_in(&self, recording: &Recording) -> bool {
        self.inner.settings.token.as_ref().is_some_and(|token| recording.repeats(token))
    }

    /// What was asked so far.
    pub fn counters(&self) -> Counters {
        self.inner.tally.counters()
    }
}
