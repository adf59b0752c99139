//! Waits for the answer and its whole body within the time and size that are allowed; a cut body is a failure here,
//! and never half an answer above.
//! Must not know: what is in the body.

use super::trace::{Journey, Tally};
use super::{Answering, Call, Leaf, Whole, always_ready};
use crate::github::drain::Drained;
use crate::github::settings::Limits;
use crate::github::trouble::Failure;
use bytes::{Bytes, BytesMut};
use http::Response;
use http::header::CONTENT_LENGTH;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use std::sync::Arc;
use tokio::time::timeout;
use tower::{BoxError, Service};

#[derive(Clone)]
pub struct Complete<S> {
    pub inner: S,
    pub limits: Limits,
    pub tally: Arc<Tally>,
}

impl<S: Leaf> Service<Call> for Complete<S> {
    type Response = Whole;
    type Error = Failure;
    type Future = Answering<Whole>;
    always_ready!();

    fn call(&mut self, call: Call) -> Self::Future {
        self.tally.note_sent(&call);
        let limits = self.limits;
        let host = call.uri().host().unwrap_or("the host").to_owned();
        let journey = call.extensions().get::<Journey>().cloned();
        let drained = call.extensions().get::<Drained>().cloned();
        let answering = self.inner.call(call);
        Box::pin(async move {
            let Ok(answer) = timeout(limits.headers, answering).await else {
                return Err(Failure::timeout(&host, "no answer", limits.headers));
            };
            let (parts, body) = answer?.into_parts();
            if let Some(journey) = journey {
                journey.note(parts.status, &parts.headers);
            }
            if let Some(drained) = drained.filter(|_| parts.status.is_success()) {
                let length = parts.headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
                drained.pour(body, length, limits.headers, &host).await?;
                return Ok(Response::from_parts(parts, Full::default()));
            }
            let Ok(body) = timeout(limits.body, collect(body, limits.body_bytes, &host)).await else {
                return Err(Failure::timeout(&host, "no end of its answer", limits.body));
            };
            Ok(Response::from_parts(parts, Full::new(body?)))
        })
    }
}

async fn collect(mut body: UnsyncBoxBody<Bytes, BoxError>, most: usize, host: &str) -> Result<Bytes, Failure> {
    let mut whole = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| Failure::cut(host, error.as_ref()))?;
        if let Ok(data) = frame.into_data() {
            if whole.len() + data.len() > most {
                return Err(Failure::too_large(host, most));
            }
            whole.extend_from_slice(&data);
        }
    }
    Ok(whole.freeze())
}

#[cfg(test)]
mod tests {
    use super::super::Raw;
    use super::super::testing::call;
    use super::*;
    use crate::core::trouble::TroubleKind;
    use crate::github::Drain;
    use crate::github::trouble::Certainty;
    use http_body::Frame;
    use http_body_util::StreamBody;
    use std::time::Duration;

    /// Answers after `wait` with a body of these pieces, each `wait` after the last; `cut` breaks it at its end.
    #[derive(Clone)]
    struct Server {
        wait: Duration,
        pieces: Vec<&'static str>,
        cut: bool,
    }

    impl Service<Call> for Server {
        type Response = Raw;
        type Error = Failure;
        type Future = Answering<Raw>;
        always_ready!();

        fn call(&mut self, _: Call) -> Self::Future {
            let Server { wait, pieces, cut } = self.clone();
            Box::pin(async move {
                tokio::time::sleep(wait).await;
                let end = cut.then(|| Err(BoxError::from("connection reset")));
                let frames = pieces.into_iter().map(|piece| Ok(Frame::data(Bytes::from(piece)))).chain(end);
                let body = futures::StreamExt::then(futures::stream::iter(frames), move |frame| async move {
                    tokio::time::sleep(wait).await;
                    frame
                });
                Ok(Response::new(StreamBody::new(body).boxed_unsync()))
            })
        }
    }

    async fn outcome(wait: u64, pieces: &[&'static str], cut: bool) -> Result<Bytes, Failure> {
        let inner = Server { wait: Duration::from_secs(wait), pieces: pieces.to_vec(), cut };
        let limits = Limits { body_bytes: 10, ..Limits::default() };
        let answer = Complete { inner, limits, tally: Arc::default() }.call(call("GET", "https://h/a")).await?;
        Ok(super::super::take(answer).1)
    }

    /// Keeps what comes, up to so many bytes.
    #[derive(Default)]
    struct Shelf {
        kept: std::sync::Mutex<Vec<u8>>,
        room: usize,
    }

    impl Drain for Shelf {
        fn begin(&self, _: Option<u64>) -> std::io::Result<()> {
            super::super::hold(&self.kept).clear();
            Ok(())
        }

        fn take(&self, piece: &[u8]) -> std::io::Result<()> {
            let mut kept = super::super::hold(&self.kept);
            kept.extend(piece);
            if kept.len() > self.room { Err(std::io::ErrorKind::StorageFull.into()) } else { Ok(()) }
        }
    }

    /// What is kept of a body that may have 12 bytes, and what stays in the answer.
    async fn drained(wait: u64, pieces: &[&'static str], cut: bool, room: usize) -> Result<(String, Bytes), Failure> {
        let inner = Server { wait: Duration::from_secs(wait), pieces: pieces.to_vec(), cut };
        let shelf = Arc::new(Shelf { kept: std::sync::Mutex::new(b"an earlier try".to_vec()), room });
        let mut call = call("GET", "https://h/a");
        call.extensions_mut().insert(Drained { into: shelf.clone(), most: 12 });
        // Longer than an answer that stays in memory may be.
        let limits = Limits { body_bytes: 3, ..Limits::default() };
        let answer = Complete { inner, limits, tally: Arc::default() }.call(call).await?;
        let kept = String::from_utf8_lossy(&super::super::hold(&shelf.kept)).into_owned();
        Ok((kept, super::super::take(answer).1))
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_is_kept_elsewhere_may_take_its_time_but_not_fall_silent() {
        let long = ["a", "b", "c", "d", "e", "f"];
        assert_eq!(drained(19, &long, false, 99).await.unwrap(), ("abcdef".to_owned(), Bytes::new()));
        let table = [
            (drained(0, &["ab"], true, 99).await, TroubleKind::Network, true, "connection reset"),
            (drained(0, &["abcdef", "ghijklm"], false, 99).await, TroubleKind::TooLarge, false, "larger"),
            (drained(0, &["abcdef"], false, 5).await, TroubleKind::Refused, false, "cannot be written to the disk"),
        ];
        for (outcome, kind, again, words) in table {
            let failure = outcome.unwrap_err();
            assert_eq!((failure.trouble.kind, failure.again), (kind, again));
            assert!(failure.trouble.headline.contains(words), "{}", failure.trouble.headline);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn only_whole_bodies_pass() {
        assert_eq!(outcome(0, &["ab", "cd"], false).await.unwrap(), "abcd");
        assert_eq!(outcome(0, &[], false).await.unwrap(), "");
        let table = [
            (outcome(0, &["ab"], true).await, TroubleKind::Network, true, "connection reset"),
            (outcome(0, &["abcdef", "ghijkl"], false).await, TroubleKind::TooLarge, false, "larger"),
            (outcome(21, &["a"], false).await, TroubleKind::Timeout, true, "no answer within 20 s"),
            (outcome(15, &["a", "b", "c", "d", "e"], false).await, TroubleKind::Timeout, true, "within 60 s"),
        ];
        for (outcome, kind, again, words) in table {
            let failure = outcome.unwrap_err();
            assert_eq!((failure.trouble.kind, failure.again, failure.certainty), (kind, again, Certainty::Unknown));
            assert!(failure.trouble.headline.contains(words), "{}", failure.trouble.headline);
        }
    }
}
