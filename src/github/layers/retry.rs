//! Repeats reads that failed for a passing reason. Nothing else, ever: a write goes back to the person.
//! Must not know: limits (`gate` waits for those), what is read.

use super::{Answering, Call, Inner, Whole, always_ready, is_read, repeat};
use crate::core::trouble::TroubleKind;
use crate::github::trouble::Failure;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use tower::Service;

/// Tries of one read after server errors and cut connections.
const TRIES: u32 = 3;
/// Tries of one read after a time-out, which has cost its whole time each.
const TRIES_AFTER_TIMEOUT: u32 = 2;
/// The first pause; each further one is three times as long.
const PAUSE: Duration = Duration::from_millis(300);

#[derive(Clone)]
pub struct Retry<S> {
    inner: S,
    /// Spreads the pauses of requests that failed together.
    seed: Arc<AtomicU64>,
}

impl<S> Retry<S> {
    /// `seed` differs from program to program, so that those that failed together do not come back together.
    pub fn new(inner: S, seed: u64) -> Retry<S> {
        Retry { inner, seed: Arc::new(AtomicU64::new(seed)) }
    }
}

impl<S: Inner> Service<Call> for Retry<S> {
    type Response = Whole;
    type Error = Failure;
    type Future = Answering<Whole>;
    always_ready!();

    fn call(&mut self, call: Call) -> Self::Future {
        if !is_read(call.method()) {
            return self.inner.call(call);
        }
        let (mut inner, seed) = (self.inner.clone(), self.seed.clone());
        let (parts, _) = call.into_parts();
        Box::pin(async move {
            let mut tried = 0;
            loop {
                let outcome = inner.call(repeat(&parts)).await;
                tried += 1;
                let tries = match &outcome {
                    Ok(answer) if answer.status().is_server_error() => TRIES,
                    Err(failure) if failure.again && failure.trouble.kind == TroubleKind::Timeout => TRIES_AFTER_TIMEOUT,
                    Err(failure) if failure.again => TRIES,
                    _ => return outcome,
                };
                if tried >= tries {
                    return outcome;
                }
                let pause = pause(tried, seed.fetch_add(1, Relaxed));
                tracing::info!(tried, ms = pause.as_millis(), "tries again");
                tokio::time::sleep(pause).await;
            }
        })
    }
}

/// The pause after `tried` tries, up to half as long again, spread by `seed`.
fn pause(tried: u32, seed: u64) -> Duration {
    let base = PAUSE * 3_u32.pow(tried.saturating_sub(1).min(4));
    let spread = (seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as u32;
    base + base / 2 * spread / (1 << 16)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Fake, answer, call};
    use super::*;
    use crate::core::trouble::Trouble;
    use crate::github::trouble::Certainty;

    fn failure(kind: TroubleKind, again: bool) -> Failure {
        Failure { trouble: Trouble::new(kind, "x", ""), certainty: Certainty::Unknown, again }
    }

    async fn tries(method: &str, outcome: Result<u16, Failure>) -> usize {
        let fake = Fake::new(move |_, _| outcome.clone().map(|status| answer(status, &[], "")));
        let _ = Retry::new(fake.clone(), 0).call(call(method, "/a")).await;
        fake.seen().len()
    }

    #[tokio::test(start_paused = true)]
    async fn only_reads_and_only_passing_failures_are_repeated() {
        use TroubleKind::*;
        let table = [
            ("GET", Ok(200), 1),
            ("GET", Ok(404), 1),
            ("GET", Ok(422), 1),
            ("GET", Ok(500), 3),
            ("HEAD", Ok(503), 3),
            ("GET", Err(failure(Network, true)), 3),
            ("GET", Err(failure(Network, false)), 1),
            ("GET", Err(failure(Timeout, true)), 2),
            ("GET", Err(failure(Limited, false)), 1),
            ("GET", Err(failure(TooLarge, false)), 1),
            ("POST", Ok(502), 1),
            ("POST", Err(failure(Network, true)), 1),
            ("POST", Err(failure(Timeout, true)), 1),
            ("PATCH", Ok(500), 1),
            ("DELETE", Ok(500), 1),
            ("PUT", Ok(500), 1),
        ];
        for (method, outcome, expected) in table {
            assert_eq!(tries(method, outcome.clone()).await, expected, "{method} {outcome:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_later_success_is_the_answer() {
        let fake = Fake::new(|n, _| Ok(if n < 2 { answer(502, &[], "") } else { answer(200, &[], "") }));
        assert_eq!(Retry::new(fake, 0).call(call("GET", "/a")).await.unwrap().status(), 200);
    }

    #[test]
    fn pauses_grow_and_are_spread() {
        let pauses: Vec<_> = (0..50).map(|seed| pause(1, seed)).collect();
        assert!(pauses.iter().all(|p| (PAUSE..=PAUSE * 3 / 2).contains(p)));
        assert!(pauses.iter().collect::<std::collections::BTreeSet<_>>().len() > 40);
        assert!((PAUSE * 3..=PAUSE * 9 / 2).contains(&pause(2, 7)));
    }
}
