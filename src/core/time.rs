//! Points in time and how old they are. The clock itself is `runtime::clock`: here, now is always an argument.

use chrono::{DateTime, Utc};

/// A point in time. Serialised as RFC 3339.
pub type Time = DateTime<Utc>;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_use_one_unit() {
        let table =
            [(-5, "now"), (4, "now"), (5, "5 s"), (89, "89 s"), (90, "1 m"), (5399, "89 m"), (5400, "1 h"), (172_800, "2 d")];
        for (seconds, text) in table {
            assert_eq!(render_span(seconds), text);
        }
    }
}
