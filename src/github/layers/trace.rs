//! Counts what is asked: requests, writes, how deep requests depended on each other.
//! Must not know: the answers' meaning. It keeps numbers, no log.

use super::{Answering, Call, Inner, Level, Whole, always_ready, is_read};
use crate::github::trouble::Failure;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tower::Service;

/// What a client did so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Requests that were asked for.
    pub asked: u64,
    /// Requests that were sent, repetitions included.
    pub sent: u64,
    /// Of the sent: those that change something.
    pub writes: u64,
    /// Reads answered by "not modified".
    pub unchanged: u64,
    /// The longest chain of requests within one read, each waiting for the one before.
    pub deepest: u64,
}

/// The counters while they count.
#[derive(Debug, Default)]
pub struct Tally {
    asked: AtomicU64,
    pub(super) sent: AtomicU64,
    pub(super) writes: AtomicU64,
    pub(super) unchanged: AtomicU64,
    deepest: AtomicU64,
}

impl Tally {
    pub fn counters(&self) -> Counters {
        Counters {
            asked: self.asked.load(Relaxed),
            sent: self.sent.load(Relaxed),
            writes: self.writes.load(Relaxed),
            unchanged: self.unchanged.load(Relaxed),
            deepest: self.deepest.load(Relaxed),
        }
    }

    /// One request goes to the leaf.
    pub(super) fn note_sent(&self, call: &Call) {
        self.sent.fetch_add(1, Relaxed);
        if !is_read(call.method()) {
            self.writes.fetch_add(1, Relaxed);
        }
    }
}

#[derive(Clone)]
pub struct Trace<S> {
    pub inner: S,
    pub tally: Arc<Tally>,
}

impl<S: Inner> Service<Call> for Trace<S> {
    type Response = Whole;
    type Error = Failure;
    type Future = Answering<Whole>;
    always_ready!();

    fn call(&mut self, call: Call) -> Self::Future {
        self.tally.asked.fetch_add(1, Relaxed);
        let level = call.extensions().get::<Level>().map_or(1, |level| level.0);
        self.tally.deepest.fetch_max(u64::from(level), Relaxed);
        self.inner.call(call)
    }
}
