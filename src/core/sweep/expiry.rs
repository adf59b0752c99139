//! What of a run goes before long, or is gone: GitHub keeps logs and artifacts for a time only.
//! Must not know: who rests on them.

use crate::core::facts::Facts;
use crate::core::ids::RunId;
use crate::core::pull::{Artifact, Run};
use crate::core::time::{Time, render_age, render_span};
use chrono::TimeDelta;
use serde::Serialize;
use std::collections::BTreeMap;

/// What goes within this is told.
const SOON: TimeDelta = TimeDelta::days(14);
/// As long GitHub keeps logs by default. A repository may set 1 to 400 days, and does not tell readers.
const LOGS_KEPT: TimeDelta = TimeDelta::days(90);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kept {
    Artifacts,
    Logs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expiry {
    pub what: Kept,
    /// When it goes; `None`: GitHub does not say.
    pub at: Option<Time>,
    /// GitHub says that it is gone. That a day is past says nothing.
    pub over: bool,
}

impl Expiry {
    /// A log, or all logs of a run, by the end of what wrote them.
    pub fn of_logs(ended: Option<Time>) -> Option<Expiry> {
        Some(Expiry { what: Kept::Logs, at: Some(ended? + LOGS_KEPT), over: false })
    }

    /// The artifact that goes first. Attempts share one list, so of each name the one that is kept longest counts.
    fn of_artifacts(list: &[Artifact]) -> Option<Expiry> {
        let mut newest: BTreeMap<&str, &Artifact> = BTreeMap::new();
        for artifact in list {
            let best = newest.entry(&artifact.name).or_insert(artifact);
            *best = std::cmp::max_by_key(*best, artifact, |one| (!one.expired, one.expires_at));
        }
        let first = newest.into_values().min_by_key(|one| (!one.expired, one.expires_at.unwrap_or(Time::MAX_UTC)))?;
        Some(Expiry { what: Kept::Artifacts, at: first.expires_at, over: first.expired })
    }

    /// Whether it is worth saying.
    pub fn matters(&self, now: Time) -> bool {
        self.over || self.at.is_some_and(|at| at - now <= SOON)
    }

    /// `logs expire in 5 d by GitHub's default`.
    pub fn phrase(&self, now: Time) -> String {
        let what = match self.what {
            Kept::Artifacts => "artifacts",
            Kept::Logs => "logs",
        };
        let when = match self.at {
            _ if self.over => return format!("{what} have expired"),
            None => return format!("when {what} expire is not known"),
            Some(at) if at > now => format!("expire in {}", render_span((at - now).num_seconds())),
            Some(at) => format!("were to expire {} ago", render_age(now, at)),
        };
        match self.what {
            Kept::Artifacts => format!("{what} {when}"),
            Kept::Logs => format!("{what} {when} by GitHub's default"),
        }
    }
}

/// What is known of a run that has ended, whether it matters or not.
pub fn expiries(facts: &Facts, run: RunId) -> Vec<Expiry> {
    // A partial list may lack the one that is kept longest.
    let artifacts = facts.artifacts.get(&run).and_then(|list| list.value()).filter(|list| list.is_complete());
    let artifacts = artifacts.and_then(|list| Expiry::of_artifacts(&list.items));
    [artifacts, Expiry::of_logs(ended(facts, run))].into_iter().flatten().collect()
}

/// What is to be said of a run: what goes soon, or is gone. Nothing where no day is known to count from.
pub fn expiring(facts: &Facts, run: RunId) -> Vec<String> {
    let Some(now) = facts.time() else { return Vec::new() };
    expiries(facts, run).iter().filter(|expiry| expiry.matters(now)).map(|expiry| expiry.phrase(now)).collect()
}

/// When a run ended, by its own word, else by the last of its jobs.
fn ended(facts: &Facts, run: RunId) -> Option<Time> {
    let listed = facts.runs.value().and_then(|runs| runs.items.iter().find(|known| known.id == run));
    let by_itself = |run: &Run| run.updated_at.filter(|_| run.status == "completed");
    if let Some(run) = listed {
        return by_itself(run);
    }
    let jobs = facts.jobs.get(&run)?.value().filter(|jobs| jobs.is_complete())?;
    let ends: Option<Vec<Time>> = jobs.items.iter().map(|job| job.completed_at).collect();
    ends?.into_iter().max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::ids::ArtifactId;
    use crate::core::sample::{RUN, at};

    fn artifact(name: &str, expired: bool, expires: Option<&str>) -> Artifact {
        Artifact {
            id: ArtifactId(1),
            run: RUN,
            name: name.into(),
            size: 1,
            expired,
            created_at: None,
            expires_at: expires.map(at),
            digest: None,
        }
    }

    #[test]
    fn only_github_says_that_an_artifact_is_gone() {
        let now = at("2026-08-11T12:00:00Z");
        let live = |day: &str| artifact("a", false, Some(&format!("2026-{day}T12:00:00Z")));
        let gone = artifact("a", true, Some("2026-08-01T12:00:00Z"));
        let table: [(&[Artifact], Option<&str>); 8] = [
            (&[], None),
            (&[live("08-25")], Some("artifacts expire in 14 d")),
            (&[live("08-26")], None),
            (&[live("08-10")], Some("artifacts were to expire 24 h ago")),
            (&[artifact("a", false, None)], None),
            (std::slice::from_ref(&gone), Some("artifacts have expired")),
            // An earlier attempt's is gone, and one of the same name is not.
            (&[gone.clone(), live("10-01")], None),
            (&[gone.clone(), artifact("b", false, Some("2026-10-01T12:00:00Z"))], Some("artifacts have expired")),
        ];
        for (list, told) in table {
            let expiry = Expiry::of_artifacts(list).filter(|expiry| expiry.matters(now));
            assert_eq!(expiry.map(|expiry| expiry.phrase(now)).as_deref(), told, "{list:?}");
        }
    }

    #[test]
    fn logs_are_counted_from_the_end_and_by_default() {
        let now = at("2026-08-11T12:00:00Z");
        let told = |ended: &str| Expiry::of_logs(Some(at(ended))).filter(|kept| kept.matters(now)).map(|kept| kept.phrase(now));
        assert_eq!(told("2026-08-01T12:00:00Z"), None);
        assert_eq!(told("2026-05-18T12:00:00Z").unwrap(), "logs expire in 5 d by GitHub's default");
        assert_eq!(told("2026-05-11T12:00:00Z").unwrap(), "logs were to expire 2 d ago by GitHub's default");
        assert_eq!(Expiry::of_logs(None), None, "it has not ended");
    }
}
