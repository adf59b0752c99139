//! Whether a run counts as evidence, by the labels that it was started under.
//! Must not know: what the run measured.

use crate::core::facts::Facts;
use crate::core::policy::Policy;
use crate::core::pull::Run;
use crate::core::remote::Remote;

/// What the labels make of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    Counts,
    /// Started under this label, whose runs measure less than all.
    Trial(String),
    /// The label is set now; when it was set cannot be read.
    Doubtful(String),
    /// When labels came and went is not read yet.
    Unread,
}

pub fn standing(policy: &Policy, facts: &Facts, run: &Run) -> Standing {
    let trials = &policy.sweep.trials;
    if trials.is_empty() {
        return Standing::Counts;
    }
    let now = || match facts.pull.value().and_then(|pull| pull.labels.iter().find(|label| trials.contains(label))) {
        Some(label) => Standing::Doubtful(label.clone()),
        None => Standing::Counts,
    };
    let events = match (&facts.label_events, facts.label_events.settled()) {
        (_, Some(got)) if got.value.is_complete() => &got.value.items,
        (_, Some(_)) | (Remote::Failed { .. }, None) => return now(),
        (_, None) => return Standing::Unread,
    };
    let Some(start) = run.created_at else { return now() };
    let mut set: Vec<&str> = Vec::new();
    for event in events.iter().filter(|event| trials.contains(&event.label)) {
        let Some(at) = event.at else { return now() };
        if at <= start {
            set.retain(|label| *label != event.label);
            if event.added {
                set.push(&event.label);
            }
        }
    }
    set.first().map_or(Standing::Counts, |label| Standing::Trial((*label).to_owned()))
}
