//! The leaf that answers from a recording, without a socket, and fails on purpose where a script says so.
//! Must not know: what a recording tells.

use super::cassette::{self, Exchange, Recording};
use super::layers::{Answering, Call, Raw, always_ready, hold, is_read};
use super::trouble::{Failure, one_line};
use crate::core::trouble::{Trouble, TroubleKind};
use bytes::Bytes;
use http::header::{ACCEPT, ETAG, IF_NONE_MATCH};
use http::{Response, StatusCode};
use http_body_util::{BodyExt, Full, StreamBody};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
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
    /// The connection breaks before anything is done.
    Cut,
    /// What was asked is done, and the connection breaks before the answer.
    Lost,
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

/// Takes comments in a rehearsal, where a recording takes none: those that arrived stand in the conversation from then on.
#[derive(Debug, Default)]
pub struct Postbox {
    arrived: Mutex<Vec<Value>>,
    writes: AtomicUsize,
}

impl Postbox {
    /// Comments that arrived.
    pub fn arrived(&self) -> usize {
        hold(&self.arrived).len()
    }

    /// Writes that were sent, whatever became of them.
    pub fn writes(&self) -> usize {
        self.writes.load(Relaxed)
    }
}

#[derive(Clone)]
pub struct Replay {
    recording: Arc<Recording>,
    script: Arc<Mutex<Script>>,
    postbox: Option<Arc<Postbox>>,
}

impl Replay {
    pub fn new(recording: Arc<Recording>, script: Script, postbox: Option<Arc<Postbox>>) -> Replay {
        Replay { recording, script: Arc::new(Mutex::new(script)), postbox }
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

    async fn recorded(&self, call: Call, address: &str) -> Result<Raw, Failure> {
        if !is_read(call.method()) {
            if let Some(postbox) = &self.postbox {
                return Ok(self.take(postbox, call, address).await);
            }
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
        let more = self.posted(exchange);
        let etag = exchange.headers.get(ETAG.as_str()).filter(|_| more.is_none());
        if etag.is_some_and(|etag| call.headers().get(IF_NONE_MATCH).is_some_and(|known| known == etag)) {
            return Ok(answer(StatusCode::NOT_MODIFIED, whole(Bytes::new())));
        }
        let bytes = more.map_or_else(|| exchange.bytes(), |more| Bytes::from(more.to_string()));
        Ok(self.answer(exchange, whole(bytes)))
    }

    /// A comment arrives.
    async fn take(&self, postbox: &Postbox, call: Call, address: &str) -> Raw {
        let viewer = self.recording.find("/user", "").and_then(|exchange| serde_json::from_slice(&exchange.bytes()).ok());
        let viewer: Value = viewer.unwrap_or_default();
        let body = call.into_body().collect().await.map(|body| body.to_bytes()).unwrap_or_default();
        let sent: Value = serde_json::from_slice(&body).unwrap_or_default();
        let mut arrived = hold(&postbox.arrived);
        // Above every id that GitHub has given yet.
        let id = (1 << 50) + arrived.len();
        let url = format!("{address}#issuecomment-{id}");
        let comment = json!({"id": id, "user": viewer, "body": sent.get("body"), "html_url": url});
        arrived.push(comment.clone());
        answer(StatusCode::CREATED, whole(Bytes::from(comment.to_string())))
    }

    /// The last page of the conversation with what has arrived; `None` for anything else, and when nothing has.
    fn posted(&self, exchange: &Exchange) -> Option<Value> {
        let arrived = hold(&self.postbox.as_ref()?.arrived);
        let conversation = format!("/issues/{}/comments", self.recording.number);
        let last = !exchange.headers.get("link").is_some_and(|link| link.contains("rel=\"next\""));
        let cassette::Body::Json(Value::Array(known)) = &exchange.body else { return None };
        let here = exchange.path.split('?').next().is_some_and(|path| path.ends_with(&conversation));
        (here && last && !arrived.is_empty()).then(|| known.iter().chain(arrived.iter()).cloned().collect())
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
            if let Some(postbox) = this.postbox.as_ref().filter(|_| !is_read(call.method())) {
                postbox.writes.fetch_add(1, Relaxed);
            }
            let broken = || Failure::cut(this.recording.base.authority(), cut().as_ref());
            match this.fault(call.method().as_str(), &address) {
                None => this.recorded(call, &address).await,
                Some(Act::Status(status)) => error(status, &[]),
                Some(Act::Limited(seconds)) => error(429, &[("retry-after", seconds.to_string())]),
                Some(Act::Cut) => Err(broken()),
                Some(Act::Lost) => this.recorded(call, &address).await.and(Err(broken())),
                Some(Act::Truncated) => {
                    let (parts, body) = this.recorded(call, &address).await?.into_parts();
                    let bytes = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
                    let half = Ok(http_body::Frame::data(bytes.slice(..bytes.len() / 2)));
                    let body = StreamBody::new(futures::stream::iter([half, Err(cut())]));
                    Ok(Response::from_parts(parts, body.boxed_unsync()))
                }
                Some(Act::Slow(time)) => {
                    tokio::time::sleep(time).await;
                    this.recorded(call, &address).await
                }
                Some(Act::Hang) => std::future::pending().await,
            }
        })
    }
}
