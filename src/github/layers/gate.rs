//! One gate per host: how many requests at once, the spacing of writes, and GitHub's limits with one shared back-off.
//! Must not know: what is asked for. A read waits for a limit only if it ends soon; a write never waits for one.

use super::{Answering, Call, Inner, Whole, always_ready, hold, is_read, repeat, take};
use crate::core::time::Time;
use crate::github::address::Base;
use crate::github::settings::Clock;
use crate::github::trouble::{Failure, limited};
use chrono::DateTime;
use http::{HeaderMap, Request, Response, StatusCode, Uri};
use http_body_util::Full;
use octocrab::OctoBody;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::Instant;
use tower::Service;

/// Requests at once: GitHub allows 100 and advises few.
pub const WIDTH: u32 = 8;
/// Between the end of one write and the next.
const WRITE_SPACING: Duration = Duration::from_secs(1);
/// The longest back-off that a read waits out by itself, and how often.
const PATIENCE: Duration = Duration::from_secs(3);
const WAITS: u32 = 2;
/// The back-off after a secondary limit that names no time; it doubles with each one in a row.
const UNNAMED: Duration = Duration::from_secs(60);
/// After a secondary limit requests go one by one for this long.
const CAREFUL: Duration = Duration::from_secs(60);

/// The hourly budget as the last answer told it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    pub remaining: u64,
    pub limit: u64,
    pub reset: Time,
}

/// What the requests of one host share.
pub struct GateState {
    clock: Clock,
    slots: Arc<Semaphore>,
    /// When the last write ended; held while one is on its way.
    last_write: tokio::sync::Mutex<Option<Instant>>,
    shared: Mutex<Shared>,
}

#[derive(Default)]
struct Shared {
    closed: Vec<Closed>,
    /// Secondary limits in a row; those of requests that were under way together count as one.
    strikes: u32,
    careful_until: Option<Instant>,
    budget: Option<Budget>,
}

/// A limit that is in force.
struct Closed {
    /// Nothing that it covers is sent before this, with the same in the reader's time.
    until: Instant,
    time: Time,
    kind: Kind,
    /// The budget that is used up, as `x-ratelimit-resource` calls it; a secondary limit covers everything.
    of: Option<String>,
}

impl Closed {
    fn covers(&self, resource: &str) -> bool {
        self.of.as_deref().is_none_or(|of| of == resource)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Primary,
    Secondary,
}

/// The budget that nearly everything is counted in.
const CORE: &str = "core";

/// The budget that a request is counted in.
fn resource(base: &Base, uri: &Uri) -> &'static str {
    let address = base.relative(uri);
    match address.split(['?', '/']).filter(|part| !part.is_empty()).collect::<Vec<_>>().as_slice() {
        ["search", "code", ..] => "code_search",
        ["search", ..] => "search",
        ["graphql", ..] => "graphql",
        _ => CORE,
    }
}

impl GateState {
    pub fn new(clock: Clock) -> Arc<GateState> {
        Arc::new(GateState {
            clock,
            slots: Arc::new(Semaphore::new(WIDTH as usize)),
            last_write: tokio::sync::Mutex::default(),
            shared: Mutex::default(),
        })
    }

    pub fn budget(&self) -> Option<Budget> {
        hold(&self.shared).budget
    }

    /// When ordinary requests are sent again, while a limit is in force.
    pub fn closed_until(&self) -> Option<Time> {
        self.closed(CORE)?.1.trouble.retry_at
    }

    /// How long the gate stays closed to requests of this budget, and the trouble that says so.
    fn closed(&self, resource: &str) -> Option<(Duration, Failure)> {
        let now = Instant::now();
        let mut shared = hold(&self.shared);
        shared.closed.retain(|closed| closed.until > now);
        let last = shared.closed.iter().filter(|closed| closed.covers(resource)).max_by_key(|closed| closed.until)?;
        Some((last.until - now, Failure::not_done(limited(last.kind == Kind::Primary, last.time))))
    }

    fn width(&self) -> u32 {
        let careful = hold(&self.shared).careful_until.is_some_and(|until| until > Instant::now());
        if careful { WIDTH } else { 1 }
    }

    /// Takes in the answer to a request of this budget. The trouble is a limit, with the time until it ends.
    fn judge(&self, resource: &str, status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Option<(Duration, Failure)> {
        let mut shared = hold(&self.shared);
        if let Some(budget) = budget(headers) {
            shared.budget = Some(budget);
        }
        let (now, here) = ((self.clock)(), Instant::now());
        shared.closed.retain(|closed| closed.until > here);
        let told = headers.get("x-ratelimit-resource").and_then(|value| value.to_str().ok()).unwrap_or(resource);
        let Some((kind, wait)) = limit(status, headers, body, now) else {
            // Answers to what was sent before the gate closed say nothing about the time after.
            if status.is_success() && shared.closed.is_empty() {
                shared.strikes = 0;
            }
            // The last request of the hour was still answered; the next would not be.
            if let Some(wait) = used_up(headers, now) {
                shared.close(here + wait, later(now, wait), Kind::Primary, Some(told));
            }
            return None;
        };
        if kind == Kind::Secondary && !shared.closed.iter().any(|closed| closed.kind == kind) {
            shared.strikes += 1;
        }
        let wait = wait.unwrap_or_else(|| UNNAMED * 2_u32.pow(shared.strikes.saturating_sub(1).min(5)));
        if kind == Kind::Secondary {
            shared.careful_until = Some(here + wait + CAREFUL);
        }
        let time = later(now, wait);
        shared.close(here + wait, time, kind, Some(told).filter(|_| kind == Kind::Primary));
        Some((wait, Failure::not_done(limited(kind == Kind::Primary, time))))
    }
}

impl Shared {
    /// Keeps the later end of two limits that cover the same.
    fn close(&mut self, until: Instant, time: Time, kind: Kind, of: Option<&str>) {
        match self.closed.iter_mut().find(|closed| closed.kind == kind && closed.of.as_deref() == of) {
            Some(closed) if closed.until >= until => {}
            Some(closed) => (closed.until, closed.time) = (until, time),
            None => {
                tracing::warn!(?kind, of, until = %time.format("%H:%M:%SZ"), "limited");
                self.closed.push(Closed { until, time, kind, of: of.map(str::to_owned) });
            }
        }
    }
}

fn later(now: Time, wait: Duration) -> Time {
    now + chrono::Duration::from_std(wait).unwrap_or_default()
}

#[derive(Clone)]
pub struct Gate<S> {
    pub inner: S,
    pub base: Base,
    pub state: Arc<GateState>,
}

impl<S: Inner> Service<Call> for Gate<S> {
    type Response = Whole;
    type Error = Failure;
    type Future = Answering<Whole>;
    always_ready!();

    fn call(&mut self, call: Call) -> Self::Future {
        let (inner, state) = (self.inner.clone(), self.state.clone());
        let own = self.base.owns(call.uri());
        // A download elsewhere is not GitHub's to limit.
        let of = own.then(|| resource(&self.base, call.uri()));
        if is_read(call.method()) {
            Box::pin(read(inner, state, of, call))
        } else {
            Box::pin(write(inner, state, of.unwrap_or(CORE), call))
        }
    }
}

async fn read<S: Inner>(mut inner: S, state: Arc<GateState>, of: Option<&'static str>, call: Call) -> Result<Whole, Failure> {
    let (parts, _) = call.into_parts();
    let mut waits = 0;
    loop {
        let permit = state.slots.clone().acquire_many_owned(state.width()).await;
        // Looked at after the queue, in which the gate may have closed.
        let refused = match of.and_then(|of| state.closed(of)) {
            Some(refused) => refused,
            None => {
                let (head, body) = take(inner.call(repeat(&parts)).await?);
                match of.and_then(|of| state.judge(of, head.status, &head.headers, &body)) {
                    Some(refused) => refused,
                    None => return Ok(Response::from_parts(head, Full::new(body))),
                }
            }
        };
        drop(permit);
        let (wait, failure) = refused;
        if wait > PATIENCE || waits >= WAITS {
            return Err(failure);
        }
        waits += 1;
        tracing::info!(ms = wait.as_millis(), "waits for the end of a limit");
        tokio::time::sleep(wait).await;
    }
}

/// One at a time, spaced, and given back at once if a limit stands in the way: the person sends it again, or not.
async fn write<S: Inner>(mut inner: S, state: Arc<GateState>, of: &str, call: Call) -> Result<Whole, Failure> {
    let mut last = state.last_write.lock().await;
    if let Some(last) = *last {
        tokio::time::sleep_until(last + WRITE_SPACING).await;
    }
    let _permit = state.slots.clone().acquire_many_owned(state.width()).await;
    if let Some((_, failure)) = state.closed(of) {
        return Err(failure);
    }
    let (parts, body): (_, OctoBody) = call.into_parts();
    let outcome = inner.call(Request::from_parts(parts, body)).await;
    *last = Some(Instant::now());
    let (head, body) = take(outcome?);
    match state.judge(of, head.status, &head.headers, &body) {
        Some((_, failure)) => Err(failure),
        None => Ok(Response::from_parts(head, Full::new(body))),
    }
}

fn budget(headers: &HeaderMap) -> Option<Budget> {
    let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<u64>().ok();
    if headers.get("x-ratelimit-resource").is_some_and(|resource| resource != "core") {
        return None;
    }
    let reset = i64::try_from(number("x-ratelimit-reset")?).ok()?;
    Some(Budget {
        remaining: number("x-ratelimit-remaining")?,
        limit: number("x-ratelimit-limit")?,
        reset: DateTime::from_timestamp(reset, 0)?,
    })
}

/// Seconds until the budget is full again, measured against GitHub's own clock where it tells it: this machine's may be
/// wrong. Negative when that is over.
fn until_reset(headers: &HeaderMap, now: Time) -> Option<i64> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let there = text("date").and_then(|date| DateTime::parse_from_rfc2822(date).ok()).map_or(now, |date| date.to_utc());
    Some(text("x-ratelimit-reset")?.parse::<i64>().ok()?.saturating_sub(there.timestamp()))
}

/// How long nothing is left of a budget, as an answer that was no refusal tells it. A server without limits tells none.
fn used_up(headers: &HeaderMap, now: Time) -> Option<Duration> {
    let none_left = headers.get("x-ratelimit-remaining").is_some_and(|left| left == "0");
    let seconds = until_reset(headers, now).filter(|seconds| none_left && *seconds > 0)?;
    Some(Duration::from_secs(seconds.min(86_400) as u64))
}

/// Whether an answer is a limit of either kind, and for how long if it says so. 403 is also a missing right: only its
/// headers and words tell the difference.
fn limit(status: StatusCode, headers: &HeaderMap, body: &[u8], now: Time) -> Option<(Kind, Option<Duration>)> {
    if !matches!(status, StatusCode::FORBIDDEN | StatusCode::TOO_MANY_REQUESTS) {
        return None;
    }
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let named = text("retry-after").and_then(|value| value.parse::<u64>().ok()).map(|s| Duration::from_secs(s.min(86_400)));
    let words = String::from_utf8_lossy(&body[..body.len().min(4096)]).to_ascii_lowercase();
    let secondary = words.contains("secondary rate limit")
        || words.contains("secondary-rate-limits")
        || words.contains("abuse detection")
        || words.contains("abuse-rate-limits");
    if text("x-ratelimit-remaining") == Some("0") && !secondary {
        let wait = until_reset(headers, now).map(|seconds| Duration::from_secs(seconds.clamp(1, 86_400) as u64));
        return Some((Kind::Primary, wait.or(named)));
    }
    let told = status == StatusCode::TOO_MANY_REQUESTS || secondary || named.is_some() || words.contains("rate limit exceeded");
    told.then_some((Kind::Secondary, named))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Fake, answer, call};
    use super::*;
    use crate::core::trouble::TroubleKind;
    use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

    fn gate<S: Inner>(inner: S) -> Gate<S> {
        let clock: Clock = Arc::new(|| "2026-08-11T12:00:00Z".parse().unwrap());
        Gate { inner, base: Base::github(), state: GateState::new(clock) }
    }

    const SECONDARY: &str = r#"{"message":"You have exceeded a secondary rate limit."}"#;

    #[test]
    fn limits_are_told_from_missing_rights() {
        use Kind::*;
        let now: Time = "2026-08-11T12:00:00Z".parse().unwrap();
        let zero = ("x-ratelimit-remaining", "0");
        let reset = ("x-ratelimit-reset", "1786449610");
        let date = ("date", "Tue, 11 Aug 2026 12:00:03 GMT");
        let doc = r#"{"message":"No","documentation_url":"https://docs.github.com/x#abuse-rate-limits"}"#;
        let seconds = |n| Some(Duration::from_secs(n));
        type Row = (u16, Vec<(&'static str, &'static str)>, &'static str, Option<(Kind, Option<Duration>)>);
        let table: Vec<Row> = vec![
            (403, vec![], r#"{"message":"Resource not accessible by personal access token"}"#, None),
            (403, vec![("x-ratelimit-remaining", "12")], "{}", None),
            (404, vec![zero, reset], SECONDARY, None),
            (200, vec![zero, reset], "", None),
            (403, vec![zero, reset], "", Some((Primary, seconds(10)))),
            (429, vec![zero, reset, date], "", Some((Primary, seconds(7)))),
            (403, vec![zero], "", Some((Primary, None))),
            (403, vec![("retry-after", "7")], "", Some((Secondary, seconds(7)))),
            (429, vec![], "", Some((Secondary, None))),
            (403, vec![("x-ratelimit-remaining", "4000")], SECONDARY, Some((Secondary, None))),
            (403, vec![zero, ("retry-after", "9")], SECONDARY, Some((Secondary, seconds(9)))),
            (403, vec![], doc, Some((Secondary, None))),
            (403, vec![("retry-after", "soon")], SECONDARY, Some((Secondary, None))),
        ];
        for (status, headers, body, expected) in table {
            let headers = answer(200, &headers, "").headers().clone();
            let status = StatusCode::from_u16(status).unwrap();
            assert_eq!(limit(status, &headers, body.as_bytes(), now), expected, "{status} {headers:?} {body}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_read_waits_for_a_short_limit_and_reports_a_long_one() {
        let short = Fake::new(|n, _| Ok(if n == 0 { answer(403, &[("retry-after", "2")], "") } else { answer(200, &[], "") }));
        let before = Instant::now();
        assert_eq!(gate(short).call(call("GET", "/a")).await.unwrap().status(), 200);
        assert_eq!(before.elapsed().as_secs(), 2);

        let long = Fake::new(|_, _| Ok(answer(403, &[("retry-after", "30")], "")));
        let mut gate = gate(long.clone());
        for _ in 0..3 {
            let failure = gate.call(call("GET", "/a")).await.unwrap_err();
            assert_eq!(failure.trouble.kind, TroubleKind::Limited);
            assert_eq!(failure.trouble.retry_at.unwrap().to_rfc3339(), "2026-08-11T12:00:30+00:00");
        }
        assert_eq!(long.seen().len(), 1, "the gate is closed for all that follow");
        tokio::time::advance(Duration::from_secs(31)).await;
        let _ = gate.call(call("GET", "/a")).await;
        assert_eq!(long.seen().len(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn an_endless_short_limit_ends() {
        let fake = Fake::new(|_, _| Ok(answer(429, &[("retry-after", "1")], "")));
        assert!(gate(fake.clone()).call(call("GET", "/a")).await.is_err());
        assert_eq!(fake.seen().len(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn a_write_is_given_back_at_once() {
        let fake = Fake::new(|_, _| Ok(answer(403, &[("retry-after", "1")], SECONDARY)));
        let mut gate = gate(fake.clone());
        let before = Instant::now();
        assert_eq!(gate.call(call("POST", "/a")).await.unwrap_err().trouble.kind, TroubleKind::Limited);
        assert_eq!(before.elapsed(), Duration::ZERO);
        assert_eq!(fake.seen().len(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn unnamed_limits_double() {
        let fake = Fake::new(|_, _| Ok(answer(429, &[], "")));
        let mut gate = gate(fake);
        let mut waits = Vec::new();
        for _ in 0..3 {
            let failure = gate.call(call("GET", "/a")).await.unwrap_err();
            let wait = (failure.trouble.retry_at.unwrap() - (gate.state.clock)()).num_seconds() as u64;
            waits.push(wait);
            tokio::time::advance(Duration::from_secs(wait)).await;
        }
        assert_eq!(waits, [60, 120, 240]);
    }

    #[tokio::test(start_paused = true)]
    async fn refusals_of_requests_that_were_under_way_together_count_once() {
        let fake = Fake::new(|_, _| Ok(answer(403, &[], SECONDARY)));
        let gate = gate(fake.clone());
        let all = futures::future::join_all((0..8).map(|_| gate.clone().call(call("GET", "/a")))).await;
        assert_eq!(fake.seen().len(), 8);
        for outcome in all {
            let at = outcome.unwrap_err().trouble.retry_at.unwrap();
            assert_eq!((at - (gate.state.clock)()).num_seconds(), 60);
        }
        tokio::time::advance(Duration::from_secs(61)).await;
        let failure = gate.clone().call(call("GET", "/a")).await.unwrap_err();
        assert_eq!((failure.trouble.retry_at.unwrap() - (gate.state.clock)()).num_seconds(), 120);
    }

    #[tokio::test(start_paused = true)]
    async fn one_budget_that_is_used_up_leaves_the_others_open() {
        let fake = Fake::new(|_, call| {
            let searches = call.uri().path().starts_with("/search");
            let told =
                [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1786449660"), ("x-ratelimit-resource", "search")];
            Ok(if searches { answer(403, &told, "") } else { answer(200, &[], "") })
        });
        let gate = gate(fake.clone());
        let ask = |address: &str| gate.clone().call(call("GET", address));
        assert!(ask("/search/issues?q=x").await.is_err());
        assert_eq!(gate.state.closed_until(), None);
        assert_eq!(ask("/repos/o/r").await.unwrap().status(), 200);
        assert!(ask("/search/issues?q=y").await.is_err());
        assert_eq!(fake.seen(), ["GET /search/issues?q=x", "GET /repos/o/r"], "the second search was not sent");
        for (address, of) in [
            ("/repos/o/search/graphql", CORE),
            ("/search/code?q=x", "code_search"),
            ("/search/issues", "search"),
            ("https://api.github.com/graphql", "graphql"),
        ] {
            assert_eq!(resource(&Base::github(), &address.parse().unwrap()), of, "{address}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_last_request_of_the_hour_closes_the_gate() {
        let fake =
            Fake::new(|_, _| Ok(answer(200, &[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1786449660")], "")));
        let gate = gate(fake.clone());
        assert_eq!(gate.clone().call(call("GET", "/a")).await.unwrap().status(), 200);
        assert_eq!(gate.state.closed_until().unwrap().to_rfc3339(), "2026-08-11T12:01:00+00:00");
        assert_eq!(gate.clone().call(call("POST", "/a")).await.unwrap_err().trouble.kind, TroubleKind::Limited);
        assert_eq!(fake.seen().len(), 1);
        tokio::time::advance(Duration::from_secs(61)).await;
        assert_eq!(gate.clone().call(call("GET", "/a")).await.unwrap().status(), 200);
    }

    /// GitHub Enterprise Server has no limits unless its owner sets them: no header, no budget, never closed.
    #[tokio::test(start_paused = true)]
    async fn a_server_without_limits_is_never_closed() {
        let fake =
            Fake::new(|n, _| Ok(answer([200, 403, 404, 200][n as usize], &[], r#"{"message":"Must have admin rights"}"#)));
        let gate = gate(fake);
        for status in [200, 403, 404, 200] {
            assert_eq!(gate.clone().call(call("GET", "/a")).await.unwrap().status(), status);
        }
        assert_eq!((gate.state.budget(), gate.state.closed_until()), (None, None));
    }

    #[tokio::test(start_paused = true)]
    async fn writes_go_one_by_one_a_second_apart() {
        let fake = Fake::new(|_, _| Ok(answer(201, &[], "")));
        let gate = gate(fake);
        let before = Instant::now();
        let calls = (0..4).map(|_| gate.clone().call(call("POST", "/a")));
        futures::future::join_all(calls).await;
        assert_eq!(before.elapsed().as_secs(), 3);
    }

    /// Counts how many are under way at once.
    #[derive(Clone, Default)]
    struct Slow {
        now: Arc<AtomicU32>,
        most: Arc<AtomicU32>,
        limited_first: bool,
        calls: Arc<AtomicU32>,
    }

    impl Service<Call> for Slow {
        type Response = Whole;
        type Error = Failure;
        type Future = Answering<Whole>;
        always_ready!();
        fn call(&mut self, _: Call) -> Self::Future {
            let this = self.clone();
            Box::pin(async move {
                let first = this.calls.fetch_add(1, SeqCst) == 0;
                this.most.fetch_max(this.now.fetch_add(1, SeqCst) + 1, SeqCst);
                tokio::time::sleep(Duration::from_millis(50)).await;
                this.now.fetch_sub(1, SeqCst);
                Ok(if first && this.limited_first { answer(403, &[("retry-after", "1")], "") } else { answer(200, &[], "") })
            })
        }
    }

    #[tokio::test(start_paused = true)]
    async fn at_most_so_many_at_once_and_one_by_one_after_a_secondary_limit() {
        let slow = Slow::default();
        let open = gate(slow.clone());
        futures::future::join_all((0..40).map(|_| open.clone().call(call("GET", "/a")))).await;
        assert_eq!(slow.most.load(SeqCst), WIDTH);

        let slow = Slow { limited_first: true, ..Slow::default() };
        let careful = gate(slow.clone());
        careful.clone().call(call("GET", "/a")).await.unwrap();
        slow.most.store(0, SeqCst);
        futures::future::join_all((0..6).map(|_| careful.clone().call(call("GET", "/a")))).await;
        assert_eq!(slow.most.load(SeqCst), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn the_budget_is_the_last_one_told() {
        let fake = Fake::new(|n, _| {
            let left = (10 - n).to_string();
            let core = if n == 2 { "search" } else { "core" };
            let headers =
                [("x-ratelimit-remaining", left.as_str()), ("x-ratelimit-limit", "60"), ("x-ratelimit-reset", "1786449610")];
            Ok(answer(200, &[&headers[..], &[("x-ratelimit-resource", core)]].concat(), ""))
        });
        let mut gate = gate(fake);
        for _ in 0..3 {
            gate.call(call("GET", "/a")).await.unwrap();
        }
        let budget = gate.state.budget().unwrap();
        assert_eq!((budget.remaining, budget.limit), (9, 60));
    }
}
