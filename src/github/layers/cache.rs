//! Answers kept in memory with their ETag: what has not changed is confirmed, not sent again.
//! Must not know: retries, limits. Only whole 200 answers of this API are kept, by address, form and identity.

use super::trace::Tally;
use super::{Answering, Call, Inner, Whole, always_ready, hold, take};
use crate::github::address::Base;
use crate::github::trouble::Failure;
use bytes::Bytes;
use http::header::{ACCEPT, ETAG, IF_NONE_MATCH};
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode};
use http_body_util::Full;
use std::collections::HashMap;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};
use tower::Service;

/// Bytes of bodies that are kept before the least recently used go.
const ROOM: usize = 64 << 20;

/// Address, `Accept`, identity: the same address differs between forms and between accounts.
type Key = (String, String, String);

#[derive(Clone)]
struct Kept {
    etag: HeaderValue,
    headers: HeaderMap,
    body: Bytes,
    used: u64,
}

#[derive(Default)]
struct Shelf {
    kept: HashMap<Key, Kept>,
    bytes: usize,
    uses: u64,
}

impl Shelf {
    fn get(&mut self, key: &Key) -> Option<Kept> {
        self.uses += 1;
        let kept = self.kept.get_mut(key)?;
        kept.used = self.uses;
        Some(kept.clone())
    }

    fn put(&mut self, key: Key, mut kept: Kept, room: usize) {
        if kept.body.len() > room / 4 {
            return;
        }
        self.uses += 1;
        kept.used = self.uses;
        self.bytes += kept.body.len();
        if let Some(old) = self.kept.insert(key, kept) {
            self.bytes -= old.body.len();
        }
        while self.bytes > room {
            let Some(oldest) = self.kept.iter().min_by_key(|(_, kept)| kept.used).map(|(key, _)| key.clone()) else { break };
            if let Some(gone) = self.kept.remove(&oldest) {
                self.bytes -= gone.body.len();
            }
        }
    }
}

#[derive(Clone)]
pub struct Cache<S> {
    inner: S,
    base: Base,
    identity: String,
    tally: Arc<Tally>,
    shelf: Arc<Mutex<Shelf>>,
    room: usize,
}

impl<S> Cache<S> {
    /// `identity` is a word for the account, never the token itself.
    pub fn new(inner: S, base: Base, identity: String, tally: Arc<Tally>) -> Cache<S> {
        Cache { inner, base, identity, tally, shelf: Arc::default(), room: ROOM }
    }
}

impl<S: Inner> Service<Call> for Cache<S> {
    type Response = Whole;
    type Error = Failure;
    type Future = Answering<Whole>;
    always_ready!();

    fn call(&mut self, mut call: Call) -> Self::Future {
        if *call.method() != Method::GET || !self.base.owns(call.uri()) {
            return self.inner.call(call);
        }
        let accept = call.headers().get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or("").to_owned();
        let key = (self.base.relative(call.uri()), accept, self.identity.clone());
        let known = hold(&self.shelf).get(&key);
        if let Some(kept) = &known {
            call.headers_mut().insert(IF_NONE_MATCH, kept.etag.clone());
        }
        let (shelf, tally, room) = (self.shelf.clone(), self.tally.clone(), self.room);
        let answering = self.inner.call(call);
        Box::pin(async move {
            let answer = answering.await?;
            match (answer.status(), known) {
                (StatusCode::NOT_MODIFIED, Some(kept)) => {
                    tally.unchanged.fetch_add(1, Relaxed);
                    Ok(confirmed(kept, answer.headers()))
                }
                (StatusCode::OK, _) => {
                    let (parts, body) = take(answer);
                    if let Some(etag) = parts.headers.get(ETAG) {
                        let kept = Kept { etag: etag.clone(), headers: parts.headers.clone(), body: body.clone(), used: 0 };
                        hold(&shelf).put(key, kept, room);
                    }
                    Ok(Response::from_parts(parts, Full::new(body)))
                }
                _ => Ok(answer),
            }
        })
    }
}

/// The kept answer with the budget that the confirmation told.
fn confirmed(kept: Kept, fresh: &HeaderMap) -> Whole {
    let mut answer = Response::new(Full::new(kept.body));
    *answer.headers_mut() = kept.headers;
    for (name, value) in fresh {
        if name.as_str().starts_with("x-ratelimit-") {
            answer.headers_mut().insert(name.clone(), value.clone());
        }
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Fake, answer, call};
    use super::*;

    fn cache(fake: &Fake) -> Cache<Fake> {
        Cache::new(fake.clone(), Base::github(), "someone".into(), Arc::default())
    }

    fn asking(path: &str, accept: &str) -> Call {
        let mut call = call("GET", path);
        call.headers_mut().insert(ACCEPT, accept.parse().unwrap());
        call
    }

    async fn body(cache: &mut Cache<Fake>, call: Call) -> (u16, String, HeaderMap) {
        let (parts, body) = take(cache.call(call).await.unwrap());
        (parts.status.as_u16(), String::from_utf8(body.to_vec()).unwrap(), parts.headers)
    }

    #[tokio::test]
    async fn a_confirmation_brings_the_kept_body_and_the_new_budget() {
        let fake = Fake::new(|_, call| match call.headers().get(IF_NONE_MATCH) {
            None => {
                Ok(answer(200, &[("etag", "\"1\""), ("link", "<x>; rel=\"next\""), ("x-ratelimit-remaining", "9")], "body"))
            }
            Some(etag) => {
                assert_eq!(etag, "\"1\"");
                Ok(answer(304, &[("x-ratelimit-remaining", "8")], ""))
            }
        });
        let mut cache = cache(&fake);
        body(&mut cache, asking("/a", "json")).await;
        let (status, text, headers) = body(&mut cache, asking("/a", "json")).await;
        assert_eq!((status, text.as_str()), (200, "body"));
        assert_eq!(
            (&headers["x-ratelimit-remaining"], &headers["link"]),
            (&"8".parse().unwrap(), &"<x>; rel=\"next\"".parse().unwrap())
        );
        assert_eq!(cache.tally.counters().unchanged, 1);
    }

    #[tokio::test]
    async fn other_forms_other_methods_and_other_hosts_do_not_share() {
        let fake = Fake::new(|_, call| {
            assert!(!call.headers().contains_key(IF_NONE_MATCH), "{call:?}");
            Ok(answer(200, &[("etag", "\"1\"")], "body"))
        });
        let mut cache = cache(&fake);
        for call in [
            asking("/a", "json"),
            asking("/a", "raw"),
            asking("/a?x=1", "json"),
            call("POST", "/a"),
            asking("https://blob.example/a", "json"),
            asking("https://blob.example/a", "json"),
        ] {
            body(&mut cache, call).await;
        }
        assert_eq!(fake.seen().len(), 6);
    }

    #[test]
    fn the_shelf_stays_within_its_room() {
        let mut shelf = Shelf::default();
        let kept = |n: usize| Kept {
            etag: HeaderValue::from_static("x"),
            headers: HeaderMap::new(),
            body: Bytes::from(vec![0; n]),
            used: 0,
        };
        let key = |n: usize| (n.to_string(), String::new(), String::new());
        for n in 0..20 {
            shelf.put(key(n), kept(10), 100);
            shelf.get(&key(0));
        }
        shelf.put(key(99), kept(26), 100);
        assert!(shelf.bytes <= 100 && shelf.kept.len() == 10, "{} {}", shelf.bytes, shelf.kept.len());
        assert!(shelf.kept.contains_key(&key(0)), "the one that is used stays");
        assert!(!shelf.kept.contains_key(&key(99)), "nothing takes more than a quarter");
    }
}
