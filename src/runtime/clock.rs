//! The clock: the one place that says what time it is.
//! Must not know: what the time is wanted for.

use crate::core::time::Time;
use chrono::TimeDelta;
use std::sync::OnceLock;
use std::time::Instant;

/// How far the program's time is from the wall clock's.
static SHIFT: OnceLock<TimeDelta> = OnceLock::new();

/// The wall clock, or the time of the recording that is being replayed.
pub fn now() -> Time {
    wall() + SHIFT.get().copied().unwrap_or_default()
}

/// The wall clock, whatever is being replayed.
#[allow(clippy::disallowed_methods)] // this is the clock
pub fn wall() -> Time {
    chrono::Utc::now()
}

/// Lets time begin at `start`, so that ages in a recording are those of its day. Only the first call counts.
pub fn begin_at(start: Time) {
    let _ = SHIFT.set(start - now());
}

/// A clock for measuring, which never jumps.
#[allow(clippy::disallowed_methods)] // this is the clock
pub fn instant() -> Instant {
    Instant::now()
}
