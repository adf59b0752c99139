//! Under which label a run was started.
//! Must not know: what the label means.

use crate::core::facts::Facts;
use crate::core::pull::Run;
use crate::core::remote::Remote;
use chrono::TimeDelta;

/// A run begins within this after the label that starts it.
const PROMPT: TimeDelta = TimeDelta::minutes(2);

/// What the labels had to do with a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// This label was put on right before it.
    Labelled(String),
    /// These labels were on when it began: a push, or something else, started it.
    Under(Vec<String>),
    NoLabel,
    /// When labels came and went is not read, or not wholly.
    Unread,
}

/// What of the labels that `counts` lets through started a run.
pub fn origin(facts: &Facts, run: &Run, counts: impl Fn(&str) -> bool) -> Origin {
    let events = facts.label_events.known().map(|got| &got.value).filter(|list| list.is_complete());
    let whole = !matches!(facts.label_events, Remote::Failed { .. });
    let (Some(events), Some(start)) = (events.filter(|_| whole), run.created_at) else { return Origin::Unread };
    let mut on: Vec<(&str, bool)> = Vec::new();
    for event in events.items.iter().filter(|event| counts(&event.label)) {
        let Some(at) = event.at else { return Origin::Unread };
        if at > start {
            continue;
        }
        on.retain(|(label, _)| *label != event.label);
        if event.added {
            on.push((&event.label, start - at <= PROMPT));
        }
    }
    match on.last() {
        None => Origin::NoLabel,
        Some((label, true)) => Origin::Labelled((*label).to_owned()),
        Some(_) => Origin::Under(on.into_iter().map(|(label, _)| label.to_owned()).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::evidence::Source;
    use crate::core::listing::Listing;
    use crate::core::policy::tests::policy;
    use crate::core::pull::LabelEvent;
    use crate::core::remote::Sourced;
    use crate::core::sample::{World, at};

    #[test]
    fn the_label_put_on_right_before_started_it() {
        let world = World::new();
        let mut facts = world.opened(&policy());
        let run = facts.runs.value().unwrap().items[0].clone();
        // The run was made at seven.
        let event = |label: &str, added, time: &str| LabelEvent {
            id: 1,
            label: label.into(),
            added,
            at: Some(at(&format!("2026-08-11T{time}Z"))),
        };
        let mut told = |events: &[LabelEvent]| {
            let source = Source { address: "/".into(), commit: None, read_at: world.now, digest: String::new() };
            facts.label_events = Remote::Ready(Sourced { value: Listing::complete(events.to_vec()), source });
            origin(&facts, &run, |label| label != "docs")
        };
        let full = event("full", true, "06:59:00");
        assert_eq!(told(&[full.clone(), event("docs", true, "06:59:30")]), Origin::Labelled("full".into()));
        assert_eq!(told(&[event("full", true, "05:00:00")]), Origin::Under(vec!["full".into()]));
        assert_eq!(told(&[full.clone(), event("full", false, "06:59:59")]), Origin::NoLabel);
        assert_eq!(told(&[event("full", true, "07:00:01")]), Origin::NoLabel, "after it");
        assert_eq!(told(&[LabelEvent { at: None, ..full }]), Origin::Unread);
        facts.label_events = Remote::Idle;
        assert_eq!(origin(&facts, &run, |_| true), Origin::Unread);
    }
}
