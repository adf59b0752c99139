//! Counts what is asked, and tells the log of each request: what, how it ended, how long it took.
//! Must not know: the answers' meaning. No header, body, token or signature gets into a line.

use super::{Answering, Call, Inner, Level, Whole, always_ready, hold, is_read};
use crate::github::address::Base;
use crate::github::trouble::{Failure, one_line};
use http::{HeaderMap, StatusCode, Uri};
use http_body::Body;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use tokio::time::Instant;
use tower::Service;
use tracing::{debug, info, warn};

/// Parts of a query that are told with their values: places in lists, branches, commits, names.
const PLAIN: &[&str] = &["page", "per_page", "filter", "branch", "head_sha", "ref", "name", "event", "recursive"];

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
    /// Reads answered by what was kept, without asking.
    pub kept: u64,
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
    pub(super) kept: AtomicU64,
    deepest: AtomicU64,
}

impl Tally {
    pub fn counters(&self) -> Counters {
        Counters {
            asked: self.asked.load(Relaxed),
            sent: self.sent.load(Relaxed),
            writes: self.writes.load(Relaxed),
            unchanged: self.unchanged.load(Relaxed),
            kept: self.kept.load(Relaxed),
            deepest: self.deepest.load(Relaxed),
        }
    }

    /// One request goes to the leaf.
    pub(super) fn note_sent(&self, call: &Call) {
        if let Some(journey) = call.extensions().get::<Journey>() {
            hold(&journey.0).sent += 1;
        }
        self.sent.fetch_add(1, Relaxed);
        if !is_read(call.method()) {
            self.writes.fetch_add(1, Relaxed);
        }
    }
}

/// What happens to one request below: travels with it, so that one line can tell all of it.
#[derive(Debug, Clone, Default)]
pub struct Journey(Arc<Mutex<Legs>>);

#[derive(Debug, Default)]
struct Legs {
    sent: u32,
    /// As it came from the other end, and GitHub's name for it.
    status: Option<StatusCode>,
    id: String,
}

impl Journey {
    /// An answer came from the leaf.
    pub(super) fn note(&self, status: StatusCode, headers: &HeaderMap) {
        let id = headers.get("x-github-request-id").and_then(|id| id.to_str().ok());
        let mut legs = hold(&self.0);
        legs.status = Some(status);
        legs.id = id.map(one_line).unwrap_or_default();
    }
}

/// The address for the log: a query keeps only plain values, and of another host there is nothing but its name, since
/// path and query together are what opens a download.
fn shown(base: &Base, uri: &Uri) -> String {
    if !base.owns(uri) {
        return format!("{}/…", uri.host().unwrap_or("another host"));
    }
    let address = base.relative(uri);
    let Some((path, query)) = address.split_once('?') else { return address };
    let parts = query.split('&').map(|part| match part.split_once('=') {
        Some((name, _)) if !PLAIN.contains(&name) => format!("{name}=…"),
        _ => part.to_owned(),
    });
    format!("{path}?{}", parts.collect::<Vec<_>>().join("&"))
}

#[derive(Clone)]
pub struct Trace<S> {
    pub inner: S,
    pub base: Base,
    pub tally: Arc<Tally>,
}

impl<S: Inner> Service<Call> for Trace<S> {
    type Response = Whole;
    type Error = Failure;
    type Future = Answering<Whole>;
    always_ready!();

    fn call(&mut self, mut call: Call) -> Self::Future {
        self.tally.asked.fetch_add(1, Relaxed);
        let level = call.extensions().get::<Level>().map_or(1, |level| level.0);
        self.tally.deepest.fetch_max(u64::from(level), Relaxed);
        let (method, path) = (call.method().clone(), shown(&self.base, call.uri()));
        let journey = Journey::default();
        call.extensions_mut().insert(journey.clone());
        debug!(%method, %path, "asks");
        let began = Instant::now();
        let answering = self.inner.call(call);
        Box::pin(async move {
            let outcome = answering.await;
            let ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
            let legs = hold(&journey.0);
            let tries = legs.sent;
            match &outcome {
                Ok(answer) => {
                    let status = answer.status();
                    let kept = tries == 0 || legs.status == Some(StatusCode::NOT_MODIFIED) && status == StatusCode::OK;
                    let bytes = answer.body().size_hint().lower();
                    let (status, id) = (status.as_u16(), &legs.id);
                    // What is looked for in several places is mostly not in the first.
                    if status < 400 || status == 404 {
                        info!(%method, %path, status, ms, bytes, tries, kept, %id, "answered");
                    } else {
                        warn!(%method, %path, status, ms, bytes, tries, kept, %id, "refused");
                    }
                }
                Err(failure) => {
                    let why = &failure.trouble.headline;
                    warn!(%method, %path, ms, tries, kind = ?failure.trouble.kind, %why, "failed");
                }
            }
            drop(legs);
            outcome
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Fake, answer, call};
    use super::*;
    use std::fmt::Write;

    #[test]
    fn addresses_in_the_log_open_nothing() {
        let base = Base::parse("https://ghe.example.org/api/v3").unwrap();
        for (from, to) in [
            ("/repos/o/r/pulls/7", "/repos/o/r/pulls/7"),
            ("/repos/o/r/x?page=2&per_page=100", "/repos/o/r/x?page=2&per_page=100"),
            ("/repos/o/r/x?token=abc&page=2&flag", "/repos/o/r/x?token=…&page=2&flag"),
            ("https://ghe.example.org/api/v3/x?after=Y3Vyc29y", "/x?after=…"),
            ("https://blob.example/c/secret.zip?sig=abc", "blob.example/…"),
            ("https://ghe.example.org.evil.example/api/v3/x?page=2", "ghe.example.org.evil.example/…"),
        ] {
            assert_eq!(shown(&base, &from.parse().unwrap()), to, "{from}");
        }
    }

    /// Keeps what is said, as one text.
    #[derive(Clone, Default)]
    struct Ear(Arc<Mutex<String>>);

    impl tracing::Subscriber for Ear {
        fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
            true
        }
        fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
            tracing::span::Id::from_u64(1)
        }
        fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
        fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
        fn event(&self, event: &tracing::Event<'_>) {
            let mut text = hold(&self.0);
            event.record(&mut |field: &tracing::field::Field, value: &dyn std::fmt::Debug| {
                write!(text, "{field}={value:?} ").unwrap();
            });
            text.push('\n');
        }
        fn enter(&self, _: &tracing::span::Id) {}
        fn exit(&self, _: &tracing::span::Id) {}
    }

    #[tokio::test]
    async fn a_request_is_told_without_what_it_carried() {
        let fake = Fake::new(|n, call| {
            call.extensions().get::<Journey>().unwrap().note(StatusCode::OK, &HeaderMap::new());
            Ok(answer([200, 403][n as usize], &[("set-cookie", "secretword")], "secretword"))
        });
        let ear = Ear::default();
        let _quiet = tracing::subscriber::set_default(ear.clone());
        let mut trace = Trace { inner: fake, base: Base::github(), tally: Arc::default() };
        for _ in 0..2 {
            let mut call = call("GET", "/a?page=2&sig=secretword");
            call.headers_mut().insert("authorization", "Bearer secretword".parse().unwrap());
            trace.call(call).await.unwrap();
        }
        let said = hold(&ear.0).clone();
        assert!(said.contains("message=answered method=GET path=/a?page=2&sig=… status=200"), "{said}");
        assert!(said.contains("message=refused method=GET path=/a?page=2&sig=… status=403"), "{said}");
        assert!(!said.contains("secretword"), "{said}");
    }
}
