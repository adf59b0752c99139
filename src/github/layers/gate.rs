//! One gate per host: how many requests at once, the spacing of writes, and GitHub's limits with one shared back-off.
//! Must not know: what is asked for. A read waits for a limit only if it ends soon; a write never waits for one.

use super::{Answering, Call, Inner, Whole, always_ready, hold, is_read, repeat, take};
use crate::core::time::Time;
use crate::github::address::Base;
use crate::github::settings::Clock;
use crate::github::trouble::{Failure, limited};
use chrono::DateTime;
use http::{HeaderMap, Request, Response, StatusCode};
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
    /// Nothing is sent before this, with the same in the reader's time.
    closed: Option<(Instant, Time, Kind)>,
    /// Secondary limits in a row.
    strikes: u32,
    careful_until: Option<Instant>,
    budget: Option<Budget>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Primary,
    Secondary,
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

    /// How long the gate stays closed, and the trouble that says so.
    fn closed(&self) -> Option<(Duration, Failure)> {
        let shared = hold(&self.shared);
        let (until, time, kind) = shared.closed?;
        let left = until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?;
        Some((left, Failure::not_done(limited(kind == Kind::Primary, time))))
    }

    fn width(&self) -> u32 {
        let careful = hold(&self.shared).careful_until.is_some_and(|until| until > Instant::now());
        if careful { WIDTH } else { 1 }
    }

    /// Takes in an answer's headers. The trouble is a limit, with the time until it ends.
    fn judge(&self, status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Option<(Duration, Failure)> {
        let mut shared = hold(&self.shared);
        if let Some(budget) = budget(headers) {
            shared.budget = Some(budget);
        }
        let now = (self.clock)();
        let Some((kind, wait)) = limit(status, headers, body, now) else {
            if status.is_success() {
                shared.strikes = 0;
            }
            return None;
        };
        let wait = wait.unwrap_or_else(|| UNNAMED * 2_u32.pow(shared.strikes.min(5)));
        let until = Instant::now() + wait;
        let time = now + chrono::Duration::from_std(wait).unwrap_or_default();
        if kind == Kind::Secondary {
            shared.strikes += 1;
            shared.careful_until = Some(until + CAREFUL);
        }
        if shared.closed.is_none_or(|(before, ..)| before < until) {
            shared.closed = Some((until, time, kind));
        }
        Some((wait, Failure::not_done(limited(kind == Kind::Primary, time))))
    }
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
        if is_read(call.method()) { Box::pin(read(inner, state, own, call)) } else { Box::pin(write(inner, state, call)) }
    }
}

async fn read<S: Inner>(mut inner: S, state: Arc<GateState>, own: bool, call: Call) -> Result<Whole, Failure> {
    let (parts, _) = call.into_parts();
    let mut waits = 0;
    loop {
        let permit = state.slots.clone().acquire_many_owned(state.width()).await;
        // Looked at after the queue, in which the gate may have closed. A download elsewhere is not GitHub's to limit.
        let refused = match state.closed().filter(|_| own) {
            Some(refused) => refused,
            None => {
                let (head, body) = take(inner.call(repeat(&parts)).await?);
                match if own { state.judge(head.status, &head.headers, &body) } else { None } {
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
        tokio::time::sleep(wait).await;
    }
}

/// One at a time, spaced, and given back at once if a limit stands in the way: the person sends it again, or not.
async fn write<S: Inner>(mut inner: S, state: Arc<GateState>, call: Call) -> Result<Whole, Failure> {
    let mut last = state.last_write.lock().await;
    if let Some(last) = *last {
        tokio::time::sleep_until(last + WRITE_SPACING).await;
    }
    let _permit = state.slots.clone().acquire_many_owned(state.width()).await;
    if let Some((_, failure)) = state.closed() {
        return Err(failure);
    }
    let (parts, body): (_, OctoBody) = call.into_parts();
    let outcome = inner.call(Request::from_parts(parts, body)).await;
    *last = Some(Instant::now());
    let (head, body) = take(outcome?);
    match state.judge(head.status, &head.headers, &body) {
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
        // Measured against GitHub's own clock where it tells it: this machine's may be wrong.
        let there = text("date").and_then(|date| DateTime::parse_from_rfc2822(date).ok()).map_or(now, |date| date.to_utc());
        let reset = text("x-ratelimit-reset").and_then(|value| value.parse::<i64>().ok());
        let wait = reset.map(|reset| Duration::from_secs(reset.saturating_sub(there.timestamp()).clamp(1, 86_400) as u64));
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
