//! The leaf that answers from a recording, without a socket, and fails on purpose where a script says so.
//! Must not know: what a recording tells.

use super::cassette::{Exchange, Recording};
use super::layers::{Answering, Call, Raw, always_ready, hold, is_read};
use super::trouble::{Failure, one_line};
use crate::core::trouble::{Trouble, TroubleKind};
use bytes::Bytes;
use http::header::{ACCEPT, ETAG, IF_NONE_MATCH};
use http::{Response, StatusCode};
use http_body_util::{BodyExt, Full, StreamBody};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tower::{BoxError, Service};

/// One way to fail, for requests whose method and address fit, `times` times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// `GET`, `POST`, or `*`.
    pub method: &'static str,
    /// A part of the address: `/pulls/1/files?page=2`.
    pub address: String,
    pub times: u32,
    pub act: Act,
}

/// What happens instead of the recorded answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// This status with GitHub's shape of an error.
    Status(u16),
    /// The connection breaks without an answer.
    Cut,
    /// Half of the body, then the connection breaks.
    Truncated,
    /// The recorded answer, this much later.
    Slow(Duration),
    /// Never an answer.
    Hang,
    /// A limit that ends after so many seconds.
    Limited(u64),
}

/// Which requests fail, and how: the first fault that fits and is not used up.
pub type Script = Vec<Fault>;

#[derive(Clone)]
pub struct Replay {
    recording: Arc<Recording>,
    script: Arc<Mutex<Script>>,
}

impl Replay {
    pub fn new(recording: Arc<Recording>, script: Script) -> Replay {
        Replay { recording, script: Arc::new(Mutex::new(script)) }
    }

    fn fault(&self, method: &str, address: &str) -> Option<Act> {
        let mut script = hold(&self.script);
        let fits = |fault: &&mut Fault| {
            fault.times > 0 && (fault.method == "*" || fault.method == method) && address.contains(&fault.address)
        };
        let fault = script.iter_mut().find(fits)?;
        fault.times -= 1;
        Some(fault.act.clone())
    }

    fn recorded(&self, call: &Call, address: &str) -> Result<Raw, Failure> {
        if !is_read(call.method()) {
            return Err(Failure::not_done(Trouble::new(
                TroubleKind::Recording,
                "This is a recording: nothing left this machine.",
                "Open a pull request on GitHub to post to it.",
            )));
        }
        let accept = call.headers().get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or("");
        let Some(exchange) = self.recording.find(address, accept) else {
            return Err(Failure::not_done(Trouble::new(
                TroubleKind::Recording,
                format!("The recording does not hold {}.", one_line(address)),
                "Record again to have it.",
            )));
        };
        let etag = exchange.headers.get(ETAG.as_str());
        if etag.is_some_and(|etag| call.headers().get(IF_NONE_MATCH).is_some_and(|known| known == etag)) {
            return Ok(answer(StatusCode::NOT_MODIFIED, whole(Bytes::new())));
        }
        Ok(self.answer(exchange, whole(exchange.bytes())))
    }

    fn answer(&self, exchange: &Exchange, body: Body) -> Raw {
        let mut answer = answer(StatusCode::from_u16(exchange.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), body);
        *answer.headers_mut() = exchange.headers(&self.recording.base);
        answer
    }
}

type Body = http_body_util::combinators::UnsyncBoxBody<Bytes, BoxError>;

fn answer(status: StatusCode, body: Body) -> Raw {
    let mut answer = Response::new(body);
    *answer.status_mut() = status;
    answer
}

fn whole(bytes: Bytes) -> Body {
    Full::new(bytes).map_err(|never| match never {}).boxed_unsync()
}

fn cut() -> BoxError {
    std::io::Error::new(std::io::ErrorKind::ConnectionReset, "connection closed").into()
}

impl Service<Call> for Replay {
    type Response = Raw;
    type Error = Failure;
    type Future = Answering<Raw>;
    always_ready!();

    fn call(&mut self, call: Call) -> Self::Future {
        let this = self.clone();
        Box::pin(async move {
            let address = this.recording.base.relative(call.uri());
            let error = |status, headers: &[(&'static str, String)]| {
                let body = format!(r#"{{"message":"Scripted","status":"{status}"}}"#);
                let mut answer = answer(StatusCode::from_u16(status).unwrap_or_default(), whole(Bytes::from(body)));
                for (name, value) in headers {
                    if let Ok(value) = value.parse() {
                        answer.headers_mut().insert(*name, value);
                    }
                }
                Ok(answer)
            };
            match this.fault(call.method().as_str(), &address) {
                None => this.recorded(&call, &address),
                Some(Act::Status(status)) => error(status, &[]),
                Some(Act::Limited(seconds)) => error(429, &[("retry-after", seconds.to_string())]),
                Some(Act::Cut) => Err(Failure::cut(this.recording.base.authority(), cut().as_ref())),
                Some(Act::Truncated) => {
                    let (parts, body) = this.recorded(&call, &address)?.into_parts();
                    let bytes = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
                    let half = Ok(http_body::Frame::data(bytes.slice(..bytes.len() / 2)));
                    let body = StreamBody::new(futures::stream::iter([half, Err(cut())]));
                    Ok(Response::from_parts(parts, body.boxed_unsync()))
                }
                Some(Act::Slow(time)) => {
                    tokio::time::sleep(time).await;
                    this.recorded(&call, &address)
                }
                Some(Act::Hang) => std::future::pending().await,
            }
        })
    }
}
