//! Answers kept with their ETag: what has not changed is confirmed and not sent again, and what cannot change is not
//! asked for again.
//! Must not know: retries, limits, or where the answers lie ([`Shelf`]).

use super::trace::Tally;
use super::{Answering, Call, Inner, Whole, always_ready, take};
use crate::core::time::Time;
use crate::core::trouble::{Trouble, TroubleKind};
use crate::github::address::Base;
use crate::github::drain::Drained;
use crate::github::settings::Clock;
use crate::github::shelf::{Kept, Key, Shelf};
use crate::github::trouble::{Failure, one_line};
use http::header::{ACCEPT, ETAG, IF_NONE_MATCH, LOCATION};
use http::response::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode};
use http_body_util::Full;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use tower::Service;

/// Headers that mean something when the answer is given again. None of them holds a secret.
const TELLING: [&str; 3] = ["etag", "link", "content-type"];

/// Whether GitHub may be asked; travels with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Freshness {
    /// What is kept is confirmed, unless it cannot change.
    #[default]
    Network,
    /// What is kept, however old, or [`TroubleKind::Uncached`]; nothing is sent.
    CacheOnly,
}

/// Travels with a request whose answer never changes once there is one: it is kept under this address of the API, also
/// where a redirect to another host brings it, and not asked for again.
#[derive(Debug, Clone)]
pub struct Lasting(pub String);

/// Travels with an answer: when GitHub said that this is the answer.
#[derive(Debug, Clone, Copy)]
pub struct ReadAt(pub Time);

#[derive(Clone)]
pub struct Cache<S> {
    pub inner: S,
    pub base: Base,
    /// A word for the account, never the token itself.
    pub identity: String,
    pub tally: Arc<Tally>,
    pub shelf: Arc<dyn Shelf>,
    pub clock: Clock,
}

impl<S: Inner> Service<Call> for Cache<S> {
    type Response = Whole;
    type Error = Failure;
    type Future = Answering<Whole>;
    always_ready!();

    fn call(&mut self, mut call: Call) -> Self::Future {
        let own = self.base.owns(call.uri());
        let address = self.base.relative(call.uri());
        let lasting = call.extensions_mut().remove::<Lasting>();
        let only_kept = call.extensions().get() == Some(&Freshness::CacheOnly);
        let drained = call.extensions().get::<Drained>().is_some();
        let is_kept = *call.method() == Method::GET && (own || lasting.is_some()) && !drained;
        match (is_kept, only_kept) {
            (false, false) => return self.inner.call(call),
            (false, true) => return Box::pin(async move { Err(uncached(&address)) }),
            (true, _) => {}
        }
        let form = call.headers().get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or("");
        let place = lasting.as_ref().map_or(address.as_str(), |lasting| &lasting.0);
        let key = Key::new(&self.base.to_string(), place, form, &self.identity);
        let mut layer = self.clone();
        Box::pin(async move {
            let known = layer.shelf.get(&key).await;
            let holds = |kept: &Kept| only_kept || (lasting.is_some() && kept.status == StatusCode::OK);
            if let Some(kept) = known.as_ref().filter(|kept| holds(kept)) {
                layer.tally.kept.fetch_add(1, Relaxed);
                return Ok(given_again(kept.clone(), &HeaderMap::new()));
            }
            if only_kept {
                return Err(uncached(&address));
            }
            let known = known.filter(|_| own);
            let etag = known.as_ref().and_then(|kept| HeaderValue::from_str(kept.header(ETAG.as_str())?).ok());
            if let Some(etag) = etag {
                call.headers_mut().insert(IF_NONE_MATCH, etag);
            }
            let (mut parts, body) = take(layer.inner.call(call).await?);
            let now = (layer.clock)();
            match known {
                Some(kept) if parts.status == StatusCode::NOT_MODIFIED => {
                    layer.tally.unchanged.fetch_add(1, Relaxed);
                    layer.shelf.confirm(&key, kept.header(ETAG.as_str()).unwrap_or(""), now).await;
                    Ok(given_again(Kept { confirmed: now, ..kept }, &parts.headers))
                }
                _ => {
                    if let Some(headers) = worth_keeping(&layer.base, own, &parts) {
                        let kept = Kept { status: parts.status.as_u16(), headers, body: body.clone(), confirmed: now };
                        layer.shelf.put(key, kept).await;
                    }
                    parts.extensions.insert(ReadAt(now));
                    Ok(Response::from_parts(parts, Full::new(body)))
                }
            }
        })
    }
}

/// The headers to keep with an answer, if it is one to keep: whole, or a plain "not here", "gone" or "moved within this
/// API", without which what was read by way of them would not be found again. Of another host only what it brings.
fn worth_keeping(base: &Base, own: bool, parts: &Parts) -> Option<Vec<(String, String)>> {
    let text = |name: &str| parts.headers.get(name)?.to_str().ok();
    let mut headers: Vec<(String, String)> =
        TELLING.iter().filter_map(|name| Some(((*name).to_owned(), text(name)?.to_owned()))).collect();
    match parts.status {
        StatusCode::OK => {}
        StatusCode::NOT_FOUND | StatusCode::GONE if own => {}
        status if own && status.is_redirection() => {
            let next = base.follow(text(LOCATION.as_str())?).filter(|next| base.owns(next))?;
            headers.push((LOCATION.as_str().to_owned(), next.to_string()));
        }
        _ => return None,
    }
    Some(headers)
}

/// The kept answer with the budget that a confirmation told.
fn given_again(kept: Kept, fresh: &HeaderMap) -> Whole {
    let mut answer = Response::new(Full::new(kept.body));
    *answer.status_mut() = StatusCode::from_u16(kept.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in &kept.headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name.as_str()), HeaderValue::from_str(value)) {
            answer.headers_mut().insert(name, value);
        }
    }
    for (name, value) in fresh {
        if name.as_str().starts_with("x-ratelimit-") {
            answer.headers_mut().insert(name.clone(), value.clone());
        }
    }
    answer.extensions_mut().insert(ReadAt(kept.confirmed));
    answer
}

fn uncached(address: &str) -> Failure {
    Failure::not_done(Trouble::new(
        TroubleKind::Uncached,
        format!("{} is not in the cache.", one_line(address)),
        "Open it once without --offline.",
    ))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Fake, answer, call};
    use super::*;
    use crate::github::shelf::Memory;

    const NOW: &str = "2026-08-11T12:00:00Z";
    const LATER: &str = "2026-08-11T15:00:00Z";

    fn cache(fake: &Fake) -> Cache<Fake> {
        Cache {
            inner: fake.clone(),
            base: Base::github(),
            identity: "someone".into(),
            tally: Arc::default(),
            shelf: Arc::new(Memory::default()),
            clock: Arc::new(|| NOW.parse().unwrap()),
        }
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

    fn extended<E: Clone + Send + Sync + 'static>(mut call: Call, extension: E) -> Call {
        call.extensions_mut().insert(extension);
        call
    }

    async fn read_at(cache: &mut Cache<Fake>, call: Call) -> String {
        let answer = cache.call(call).await.unwrap();
        answer.extensions().get::<ReadAt>().unwrap().0.format("%Y-%m-%dT%H:%M:%SZ").to_string()
    }

    #[tokio::test]
    async fn an_answer_tells_when_github_gave_or_confirmed_it() {
        let fake = Fake::new(|_, call| match call.headers().contains_key(IF_NONE_MATCH) {
            true => Ok(answer(304, &[], "")),
            false => Ok(answer(200, &[("etag", "\"1\"")], "body")),
        });
        let mut cache = cache(&fake);
        let kept = || extended(asking("/a", "json"), Freshness::CacheOnly);
        assert_eq!(read_at(&mut cache, asking("/a", "json")).await, NOW);
        cache.clock = Arc::new(|| LATER.parse().unwrap());
        assert_eq!(read_at(&mut cache, kept()).await, NOW);
        assert_eq!(read_at(&mut cache, asking("/a", "json")).await, LATER);
        assert_eq!(read_at(&mut cache, kept()).await, LATER);
        assert_eq!((fake.seen().len(), cache.tally.counters().kept), (2, 2));
    }

    #[tokio::test]
    async fn what_is_only_looked_for_in_the_cache_is_never_asked() {
        let fake = Fake::new(|_, call| {
            Ok(match call.uri().path() {
                "/gone" => answer(410, &[], "gone"),
                "/none" => answer(404, &[], "none"),
                "/old" => answer(301, &[("location", "https://api.github.com/new")], ""),
                "/away" => answer(302, &[("location", "https://blob.example/x?sig=1")], ""),
                "/sick" => answer(502, &[], ""),
                "/secret" => answer(403, &[], ""),
                _ => answer(200, &[("set-cookie", "s=1")], "body"),
            })
        });
        let mut cache = cache(&fake);
        let table = [
            ("/a", Some((200, "body"))),
            ("/gone", Some((410, "gone"))),
            ("/none", Some((404, "none"))),
            ("/old", Some((301, ""))),
            // What passes, what is a matter of rights, and what leads to a signed address is not kept.
            ("/away", None),
            ("/sick", None),
            ("/secret", None),
        ];
        for (path, expected) in table {
            let kept = || extended(asking(path, "json"), Freshness::CacheOnly);
            let missed = cache.call(kept()).await.unwrap_err();
            assert_eq!(missed.trouble.kind, TroubleKind::Uncached, "{path}");
            body(&mut cache, asking(path, "json")).await;
            let before = fake.seen().len();
            match (cache.call(kept()).await, expected) {
                (Ok(answer), Some((status, text))) => {
                    let (parts, body) = take(answer);
                    assert_eq!((parts.status.as_u16(), &body[..]), (status, text.as_bytes()), "{path}");
                    assert!(!parts.headers.contains_key("set-cookie"));
                }
                (Err(failure), None) => assert_eq!(failure.trouble.kind, TroubleKind::Uncached, "{path}"),
                other => panic!("{path}: {other:?}"),
            }
            assert_eq!(fake.seen().len(), before);
        }
        for call in [call("POST", "/a"), asking("https://blob.example/a", "json")] {
            assert!(cache.call(extended(call, Freshness::CacheOnly)).await.is_err());
        }
        assert_eq!(fake.seen().len(), table.len());
    }

    #[tokio::test]
    async fn what_lasts_is_asked_for_until_it_is_there_and_then_never_again() {
        let fake = Fake::new(|n, call| {
            assert!(!call.headers().contains_key(IF_NONE_MATCH));
            Ok(match (n, call.uri().path()) {
                (0, _) => answer(404, &[], "not yet"),
                (_, "/zip") => answer(302, &[("location", "https://blob.example/x?sig=1")], ""),
                (2, _) => answer(403, &[], "too late"),
                _ => answer(200, &[("etag", "\"of another host\""), ("x-ms-signature", "1")], "zip"),
            })
        });
        let mut cache = cache(&fake);
        let asking = |path: &str| extended(asking(path, "json"), Lasting("/zip".into()));
        let statuses = ["/zip", "/zip", "https://blob.example/x?sig=1", "https://blob.example/x?sig=2"];
        for (path, status) in statuses.into_iter().zip([404, 302, 403, 200]) {
            assert_eq!(body(&mut cache, asking(path)).await.0, status, "{path}");
        }
        let (status, text, headers) = body(&mut cache, asking("/zip")).await;
        assert_eq!((status, text.as_str(), headers.contains_key("x-ms-signature")), (200, "zip", false));
        assert_eq!(fake.seen().len(), 4);
    }
}
