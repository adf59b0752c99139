//! Points in time and how old they are. The clock itself is `runtime::clock`: here, now is always an argument.

use chrono::{DateTime, NaiveDate, Utc};

/// A point in time. Serialised as RFC 3339.
pub type Time = DateTime<Utc>;

/// A UTC day. Serialised as `2026-08-11`.
pub type Day = NaiveDate;

/// An age as a reviewer says it: `now`, `40 s`, `12 m`, `3 h`, `2 d`. A time in the future is `now`.
pub fn render_age(now: Time, then: Time) -> String {
    render_span((now - then).num_seconds())
}

/// A length in seconds, rounded down to its largest unit.
pub fn render_span(seconds: i64) -> String {
    match seconds {
        i64::MIN..=4 => "now".to_owned(),
        5..=89 => format!("{seconds} s"),
        90..=5399 => format!("{} m", seconds / 60),
        5400..=172_799 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86_400),
    }
}

/// How long something took: `3 s`, `12 m`; nothing where it ends before it begins.
pub fn render_length(from: Time, to: Time) -> String {
    match (to - from).num_seconds() {
        seconds @ 0..=4 => format!("{seconds} s"),
        seconds if seconds < 0 => String::new(),
        seconds => render_span(seconds),
    }
}

/// What is left of a pause, as a clock shows it: `0:42`, `59:01`, `1:00:00`. A second that has begun counts whole.
pub fn render_countdown(now: Time, end: Time) -> String {
    let seconds = ((end - now).num_milliseconds().max(0) + 999) / 1000;
    match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_countdown_ends_at_nothing() {
        let now = Time::default();
        for (ms, text) in [
            (-5, "0:00"),
            (0, "0:00"),
            (1, "0:01"),
            (41_998, "0:42"),
            (42_000, "0:42"),
            (42_001, "0:43"),
            (3_541_000, "59:01"),
            (3_600_000, "1:00:00"),
            (36_061_000, "10:01:01"),
        ] {
            assert_eq!(render_countdown(now, now + chrono::TimeDelta::milliseconds(ms)), text);
        }
    }

    #[test]
    fn spans_use_one_unit() {
        let table =
            [(-5, "now"), (4, "now"), (5, "5 s"), (89, "89 s"), (90, "1 m"), (5399, "89 m"), (5400, "1 h"), (172_800, "2 d")];
        for (seconds, text) in table {
            assert_eq!(render_span(seconds), text);
        }
    }
}
