//! The leaf that answers from a recording, without a socket, and fails on purpose where a script says so.
//! Must not know: what a recording tells.

use super::cassette::{self, Exchange, Recording};
use super::layers::{Answering, Call, Raw, always_ready, hold, is_read};
use super::trouble::{Failure, one_line};
use crate::core::pull::CommentPlace;
use crate::core::trouble::{Trouble, TroubleKind};
use bytes::Bytes;
use http::header::{ACCEPT, ETAG, IF_NONE_MATCH};
use http::{Method, Response, StatusCode};
use http_body_util::{BodyExt, Full, StreamBody};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tower::{BoxError, Service};

/// One way to fail, for requests whose method and address fit, `times` times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// `GET`, `POST`, `*`, or `!` for everything that writes.
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
    /// The same told as a refusal: 403 with a pause.
    Forbidden(u64),
}

/// Which requests fail, and how: the first fault that fits and is not used up.
pub type Script = Vec<Fault>;

/// What happens to a pull request in a rehearsal, where a recording takes nothing: what arrives stands there from then on.
#[derive(Debug, Default)]
pub struct Postbox {
    kept: Mutex<Kept>,
    writes: AtomicUsize,
}

#[derive(Debug, Default)]
struct Kept {
    arrived: Vec<(CommentPlace, Value)>,
    /// New texts of what stood there before, by place and id.
    edited: BTreeMap<(&'static str, u64), Value>,
    deleted: BTreeSet<(&'static str, u64)>,
    /// Other answers, by path without a query.
    changed: BTreeMap<String, Bytes>,
    /// What goes wrong from some moment on; it counts before what was to go wrong from the start.
    failing: Script,
}

impl Postbox {
    /// Comments and reviews that arrived.
    pub fn arrived(&self) -> usize {
        hold(&self.kept).arrived.len()
    }

    /// Ids of comments and reviews whose text was replaced, each with where it stands.
    pub fn edited(&self) -> Vec<(CommentPlace, u64)> {
        let places = [CommentPlace::Conversation, CommentPlace::Review, CommentPlace::Line];
        let place = |name: &str| places.into_iter().find(|place| folder(*place) == name);
        hold(&self.kept).edited.keys().filter_map(|(name, id)| Some((place(name)?, *id))).collect()
    }

    /// Somebody deletes a comment or a review.
    pub fn delete(&self, place: CommentPlace, id: u64) {
        hold(&self.kept).deleted.insert((folder(place), id));
    }

    /// The answers of a path are this from now on.
    pub fn change(&self, path: &str, body: impl Into<Bytes>) {
        hold(&self.kept).changed.insert(path.to_owned(), body.into());
    }

    /// This goes wrong from now on, instead of what this said before.
    pub fn fail(&self, script: Script) {
        hold(&self.kept).failing = script;
    }

    /// Writes that were sent, whatever became of them.
    pub fn writes(&self) -> usize {
        self.writes.load(Relaxed)
    }
}

/// What the last parts of a list's path are called.
fn folder(place: CommentPlace) -> &'static str {
    match place {
        CommentPlace::Conversation => "issues/comments",
        CommentPlace::Review => "pulls/reviews",
        CommentPlace::Line => "pulls/comments",
    }
}

/// The kind of list that a path belongs to, and the id at its end if it names one of its items.
fn place_of(path: &str) -> Option<(CommentPlace, Option<u64>)> {
    let mut parts = path.split('?').next()?.split('/').skip(4);
    let (kind, first, rest) = (parts.next()?, parts.next()?, Vec::from_iter(parts));
    let place = match (kind, first, rest.as_slice()) {
        ("issues", "comments", [_]) | ("issues", _, ["comments"]) => CommentPlace::Conversation,
        ("pulls", "comments", [_]) | ("pulls", _, ["comments"]) => CommentPlace::Line,
        ("pulls", _, ["reviews"] | ["reviews", _]) => CommentPlace::Review,
        _ => return None,
    };
    Some((place, rest.last().and_then(|last| last.parse().ok())))
}

/// The first fault that fits, which is used up by one.
fn next_fault(script: &mut Script, method: &str, address: &str) -> Option<Act> {
    let fits = |fault: &&mut Fault| {
        let method = match fault.method {
            "*" => true,
            "!" => !matches!(method, "GET" | "HEAD"),
            only => only == method,
        };
        fault.times > 0 && method && address.contains(&fault.address)
    };
    let fault = script.iter_mut().find(fits)?;
    fault.times -= 1;
    Some(fault.act.clone())
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
        let later = self.postbox.as_ref().and_then(|postbox| next_fault(&mut hold(&postbox.kept).failing, method, address));
        later.or_else(|| next_fault(&mut hold(&self.script), method, address))
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
        let more = self.since(exchange);
        let etag = exchange.headers.get(ETAG.as_str()).filter(|_| more.is_none());
        if etag.is_some_and(|etag| call.headers().get(IF_NONE_MATCH).is_some_and(|known| known == etag)) {
            return Ok(answer(StatusCode::NOT_MODIFIED, whole(Bytes::new())));
        }
        let is_new = more.is_some();
        let mut answer = self.answer(exchange, whole(more.unwrap_or_else(|| exchange.bytes())));
        if is_new {
            answer.headers_mut().remove(ETAG);
        }
        Ok(answer)
    }

    /// Something is written. A comment that is not there cannot be; whose it is, is not asked.
    async fn take(&self, postbox: &Postbox, call: Call, address: &str) -> Raw {
        let viewer = self.recording.find("/user", "").and_then(|exchange| serde_json::from_slice(&exchange.bytes()).ok());
        let viewer: Value = viewer.unwrap_or_default();
        let is_new = call.method() == Method::POST;
        let body = call.into_body().collect().await.map(|body| body.to_bytes()).unwrap_or_default();
        let sent: Value = serde_json::from_slice(&body).unwrap_or_default();
        let json = |status, value: &Value| answer(status, whole(Bytes::from(value.to_string())));
        let missing = || json(StatusCode::NOT_FOUND, &json!({"message": "Not Found", "status": "404"}));
        let mut kept = hold(&postbox.kept);
        match place_of(address) {
            Some((place, None)) if is_new => {
                // Above every id that GitHub has given yet.
                let id = (1 << 50) + kept.arrived.len();
                let state = match sent["event"].as_str() {
                    Some("APPROVE") => "APPROVED",
                    Some("COMMENT") => "COMMENTED",
                    _ => "PENDING",
                };
                let url = format!("{address}#{id}");
                let mut comment = json!({"id": id, "user": viewer, "body": sent["body"], "html_url": url});
                if place == CommentPlace::Review {
                    comment["state"] = json!(state);
                }
                kept.arrived.push((place, comment.clone()));
                json(if place == CommentPlace::Review { StatusCode::OK } else { StatusCode::CREATED }, &comment)
            }
            Some((place, Some(id))) if !is_new => {
                let key = (folder(place), id);
                let stands = |comment: &Value| comment["id"].as_u64() == Some(id);
                let arrived = kept.arrived.iter().any(|(there, comment)| *there == place && stands(comment));
                if kept.deleted.contains(&key) || !arrived && !self.recorded_in(place).any(|comment| stands(&comment)) {
                    return missing();
                }
                kept.edited.insert(key, sent["body"].clone());
                json(
                    StatusCode::OK,
                    &json!({"id": id, "user": viewer, "body": sent["body"], "html_url": format!("{address}#{id}")}),
                )
            }
            _ => missing(),
        }
    }

    /// All of the recording's comments of a place.
    fn recorded_in(&self, place: CommentPlace) -> impl Iterator<Item = Value> {
        let here = move |exchange: &&Exchange| place_of(&exchange.path) == Some((place, None));
        let rows = |exchange: &Exchange| match &exchange.body {
            cassette::Body::Json(Value::Array(rows)) => rows.clone(),
            _ => Vec::new(),
        };
        self.recording.exchanges().iter().filter(here).flat_map(rows)
    }

    /// An answer with what has happened since it was recorded: what was edited or deleted, and on a list's last page what
    /// arrived. `None` where nothing did.
    fn since(&self, exchange: &Exchange) -> Option<Bytes> {
        let kept = hold(&self.postbox.as_ref()?.kept);
        let path = exchange.path.split('?').next()?;
        if let Some(other) = kept.changed.get(path) {
            return Some(other.clone());
        }
        let (place, None) = place_of(path)? else { return None };
        let cassette::Body::Json(Value::Array(known)) = &exchange.body else { return None };
        let last = !exchange.headers.get("link").is_some_and(|link| link.contains("rel=\"next\""));
        let arrived = kept.arrived.iter().filter(|(there, _)| last && *there == place).map(|(_, comment)| comment);
        let key = |comment: &Value| (folder(place), comment["id"].as_u64().unwrap_or_default());
        let standing = known.iter().chain(arrived).filter(|comment| !kept.deleted.contains(&key(comment)));
        let now: Vec<Value> = standing
            .map(|comment| match kept.edited.get(&key(comment)) {
                Some(body) => Value::Object(
                    comment
                        .as_object()
                        .cloned()
                        .unwrap_or_default()
                        .into_iter()
                        .chain([("body".to_owned(), body.clone())])
                        .collect(),
                ),
                None => comment.clone(),
            })
            .collect();
        (now != *known).then(|| Bytes::from(Value::Array(now).to_string()))
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
                Some(Act::Forbidden(seconds)) => error(403, &[("retry-after", seconds.to_string())]),
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
