//! One mark, one word and one role for each state, so that nothing is told by colour alone.
//! Must not know: where they are drawn.

use super::theme::Role;
use crate::core::checklist::{ItemState, TickState};
use crate::core::policy::{Overall, Status};
use crate::core::sweep::{Outcome, Tally};
use crate::core::verdict::CheckStatus;

/// The cursor's mark in the first column of a row.
pub fn cursor(here: bool) -> &'static str {
    if here { "▸" } else { " " }
}

/// The ground of a row: under the cursor, in the pane that keys go to or in another.
pub fn ground(here: bool, focused: bool) -> Option<Role> {
    here.then_some(if focused { Role::Cursor } else { Role::Selected })
}

pub fn fold(open: bool) -> &'static str {
    if open { "▾ " } else { "▹ " }
}

/// In front of what is pinned as evidence.
pub fn pin(pinned: bool) -> &'static str {
    if pinned { "◆ " } else { "  " }
}

/// What the rules say.
pub fn status(status: Status) -> (&'static str, Role) {
    match status {
        Status::Pass => ("✓", Role::Good),
        Status::Fail => ("✗", Role::Bad),
        Status::Warn => ("!", Role::Warn),
        Status::NotApplicable => ("–", Role::Dim),
        Status::NeedsYou => ("?", Role::Needs),
        Status::Unavailable => ("◔", Role::Running),
    }
}

pub fn status_word(status: Status) -> &'static str {
    match status {
        Status::Pass => "PASS",
        Status::Fail => "FAIL",
        Status::Warn => "WARN",
        Status::NotApplicable => "N/A",
        Status::NeedsYou => "YOURS TO JUDGE",
        Status::Unavailable => "NOT KNOWN YET",
    }
}

/// What the bot said of a check, in the marks of our own findings.
pub fn said(said: CheckStatus) -> (&'static str, Role) {
    status(of_said(said))
}

pub fn said_word(said: CheckStatus) -> &'static str {
    status_word(of_said(said))
}

fn of_said(said: CheckStatus) -> Status {
    match said {
        CheckStatus::NotApplicable => Status::NotApplicable,
        CheckStatus::Pass => Status::Pass,
        CheckStatus::Warn => Status::Warn,
        CheckStatus::Fail => Status::Fail,
    }
}

/// The whole answer, as the bot words it.
pub fn overall(overall: Overall) -> (&'static str, &'static str, Role) {
    match overall {
        Overall::Pass => ("✓", "PASS", Role::Good),
        Overall::Warn => ("!", "WARN", Role::Warn),
        Overall::Unknown => ("?", "UNKNOWN", Role::Needs),
        Overall::Rejected => ("✗", "REJECTED", Role::Bad),
    }
}

/// The mark before an item: what only a person can judge is `?` until it is ticked, and never the rules' check mark.
pub fn item(item: &ItemState) -> (&'static str, Role) {
    match (item.status, item.tick) {
        (Status::NeedsYou, TickState::Ticked) => ("·", Role::Dim),
        _ => status(item.status),
    }
}

/// The box of an item.
pub fn tick(tick: TickState) -> (&'static str, Role) {
    match tick {
        TickState::Open => ("[ ]", Role::Text),
        TickState::Ticked => ("[x]", Role::Dim),
        TickState::Stale => ("[~]", Role::Stale),
    }
}

pub fn outcome(outcome: &Outcome) -> Role {
    if outcome.green() {
        Role::Good
    } else if outcome.failed() {
        Role::Bad
    } else if outcome.waits() || *outcome == Outcome::InProgress {
        Role::Running
    } else {
        match outcome {
            Outcome::Skipped | Outcome::Neutral => Role::Dim,
            _ => Role::Warn,
        }
    }
}

/// Counts with their marks; what is zero is left out, except green and failed.
pub fn tally(tally: &Tally) -> Vec<(Role, String)> {
    let green = (tally.green, "✓", Role::Good);
    let failed = (tally.failed, "✗", Role::Bad);
    let rest = unsettled(tally).into_iter().chain([(tally.skipped, "–", Role::Dim)]).filter(|(count, ..)| *count > 0);
    [green, failed].into_iter().chain(rest).map(part).collect()
}

/// Of the counts only those of jobs that are neither green nor skipped; nothing where there is no such job.
pub fn losses(tally: &Tally) -> Vec<(Role, String)> {
    let failed = (tally.failed, "✗", Role::Bad);
    std::iter::once(failed).chain(unsettled(tally)).filter(|(count, ..)| *count > 0).map(part).collect()
}

fn unsettled(tally: &Tally) -> [(usize, &'static str, Role); 5] {
    [
        (tally.running, "◔", Role::Running),
        (tally.waiting, "·", Role::Running),
        (tally.cancelled, "⊘", Role::Warn),
        (tally.other, "other", Role::Warn),
        (tally.unknown, "?", Role::Warn),
    ]
}

fn part((count, mark, role): (usize, &str, Role)) -> (Role, String) {
    (if count == 0 { Role::Dim } else { role }, format!("{count} {mark}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::ids::Key;

    #[test]
    fn an_item_without_a_rule_never_wears_the_check_mark() {
        let state = |status, tick| ItemState {
            brief: String::new(),
            key: Key::from("k"),
            short: String::new(),
            text: String::new(),
            depth: 0,
            tick,
            stale_reason: false,
            status,
            reason: String::new(),
            notes: Vec::new(),
            evidence: Vec::new(),
            link: None,
        };
        for (status, tick, mark) in [
            (Status::NeedsYou, TickState::Open, "?"),
            (Status::NeedsYou, TickState::Stale, "?"),
            (Status::NeedsYou, TickState::Ticked, "·"),
            (Status::Pass, TickState::Open, "✓"),
            (Status::Fail, TickState::Ticked, "✗"),
            (Status::Unavailable, TickState::Ticked, "◔"),
        ] {
            assert_eq!(item(&state(status, tick)).0, mark, "{status:?} {tick:?}");
        }
    }

    #[test]
    fn losses_are_every_count_but_green_and_skipped() {
        let all = Tally {
            total: 36,
            executed: 3,
            green: 1,
            failed: 2,
            cancelled: 3,
            skipped: 4,
            running: 5,
            waiting: 6,
            other: 7,
            unknown: 8,
        };
        let told = |parts: Vec<(Role, String)>| parts.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(" ");
        assert_eq!(told(tally(&all)), "1 ✓ 2 ✗ 5 ◔ 6 · 3 ⊘ 7 other 8 ? 4 –");
        assert_eq!(told(losses(&all)), "2 ✗ 5 ◔ 6 · 3 ⊘ 7 other 8 ?");
        let fine = Tally { green: 1, skipped: 4, ..Tally::default() };
        assert_eq!((told(tally(&fine)), told(losses(&fine))), ("1 ✓ 0 ✗ 4 –".to_owned(), String::new()));
    }

    #[test]
    fn states_differ_without_colour() {
        let all = [Status::Pass, Status::Fail, Status::Warn, Status::NotApplicable, Status::NeedsYou, Status::Unavailable];
        for (at, one) in all.iter().enumerate() {
            for other in &all[at + 1..] {
                assert_ne!((status(*one).0, status_word(*one)), (status(*other).0, status_word(*other)));
                assert_ne!(status(*one).0, status(*other).0);
            }
        }
    }
}
