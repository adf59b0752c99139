//! Keeps every read and its answer in a recording. Stands above `host`, so that no token can enter it.
//! Must not know: who reads the recording.

use super::{Answering, Call, Inner, Whole, always_ready, hold, take};
use crate::github::address::Base;
use crate::github::cassette::{Exchange, Recording};
use crate::github::drain::Drained;
use crate::github::trouble::Failure;
use http::header::ACCEPT;
use http::{Method, Response};
use http_body_util::Full;
use std::sync::{Arc, Mutex};
use tower::Service;

/// A recording in the making, shared with whoever will write it to a file.
#[derive(Clone)]
pub struct Recorder(Arc<Mutex<Recording>>);

impl Recorder {
    pub fn new(recording: Recording) -> Recorder {
        Recorder(Arc::new(Mutex::new(recording)))
    }

    /// What has been recorded so far.
    pub fn recording(&self) -> Recording {
        hold(&self.0).clone()
    }
}

#[derive(Clone)]
pub struct Record<S> {
    pub inner: S,
    pub base: Base,
    pub recorder: Option<Recorder>,
}

impl<S: Inner> Service<Call> for Record<S> {
    type Response = Whole;
    type Error = Failure;
    type Future = Answering<Whole>;
    always_ready!();

    fn call(&mut self, call: Call) -> Self::Future {
        // What goes elsewhere leaves an answer without a body.
        let is_whole = *call.method() == Method::GET && call.extensions().get::<Drained>().is_none();
        let Some(recorder) = self.recorder.clone().filter(|_| is_whole) else {
            return self.inner.call(call);
        };
        let base = self.base.clone();
        let uri = call.uri().clone();
        let accept = call.headers().get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or("").to_owned();
        let answering = self.inner.call(call);
        Box::pin(async move {
            let (parts, body) = take(answering.await?);
            // A failure that passes and "not modified" are no part of the story that a recording tells.
            if matches!(parts.status.as_u16(), 200..=299 | 301 | 302 | 307 | 308 | 404 | 406 | 410 | 422) {
                hold(&recorder.0).insert(Exchange::of(&base, &uri, &accept, &parts, &body));
            }
            Ok(Response::from_parts(parts, Full::new(body)))
        })
    }
}
