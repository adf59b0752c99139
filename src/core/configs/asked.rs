//! The jobs that the pull request's changelog calls for on a day, and why perhaps not all of them are known.
//! Must not know: which jobs ran, what became of them.

use super::compare::What;
use super::jobs::{self, Job};
use super::masters::Entry;
use super::{ChangedKeys, ChangelogEntry, Named};
use crate::core::policy::ConfigPolicy;
use crate::core::time::Day;

/// What a sweep of one day owes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Asked<'k> {
    /// Benchmarks, then evals.
    pub jobs: Vec<Job<'k>>,
    /// Why not everything that was due is known, a sentence each.
    pub open: Vec<String>,
}

/// A changelog entry with the entries of its keys, so far as they are at hand.
pub type OfChangelog<'k> = (&'k ChangelogEntry, Vec<&'k Entry>);

/// What the new changelog entries ask of a sweep on `day`.
pub fn asked<'k>(configs: &ConfigPolicy, keys: &'k ChangedKeys, day: Option<Day>) -> Asked<'k> {
    let open = |why: &str| Asked { jobs: Vec::new(), open: vec![why.to_owned()] };
    if keys.changelog.is_empty() {
        return open("No new changelog entry names a config, so nothing says which jobs were due.");
    }
    let Some(day) = day else {
        return open("The day of the run is not known, so neither are the rules that chose its evals.");
    };
    let Some(era) = configs.eval_era(day) else {
        return open("The policy does not say which points were evaluated on the day of the run.");
    };
    let named = named(keys);
    let mut out = Asked { jobs: jobs::sweep(&named, era), open: Vec::new() };
    for key in &keys.unread {
        if named.iter().all(|(changelog, entries)| !changelog.config_keys.contains(key) || entries.is_empty()) {
            out.open.push(format!("The entry of `{key}` is not at hand, so its jobs are not counted."));
        }
    }
    out.jobs.retain(|job| !configs.is_retired(job.load, day) && is_asked(keys, &named, job));
    out
}

/// The new changelog entries with the entries that they name.
pub fn named(keys: &ChangedKeys) -> Vec<OfChangelog<'_>> {
    keys.changelog.iter().map(|changelog| (changelog, entries(keys, changelog))).collect()
}

/// The entries that a changelog entry names, so far as they are at hand: of a pattern those that changed.
fn entries<'k>(keys: &'k ChangedKeys, changelog: &ChangelogEntry) -> Vec<&'k Entry> {
    let mut out: Vec<&Entry> = Vec::new();
    for name in &changelog.config_keys {
        let is = |entry: &&Entry| Named::of(name, [entry.key.as_str()]).covers(&entry.key);
        for entry in keys.entries.iter().chain(&keys.touched).filter(is) {
            if !out.iter().any(|known| known.key == entry.key) {
                out.push(entry);
            }
        }
    }
    out
}

/// Of an entry that is only appended to, what it adds is measured.
fn is_asked(keys: &ChangedKeys, named: &[OfChangelog<'_>], job: &Job<'_>) -> bool {
    let names = |entries: &[&Entry]| entries.iter().any(|entry| entry.key == job.entry.key);
    let mut of_it = named.iter().filter(|(_, entries)| names(entries)).peekable();
    let appended = of_it.peek().is_some() && of_it.all(|(changelog, _)| changelog.append_only);
    !appended || stands_among(keys, job, |what| *what == What::Added)
}

/// Whether the pull request adds or changes a point of this job.
pub fn is_changed(keys: &ChangedKeys, job: &Job<'_>) -> bool {
    stands_among(keys, job, |what| *what != What::Removed)
}

fn stands_among(keys: &ChangedKeys, job: &Job<'_>, what: impl Fn(&What) -> bool) -> bool {
    let points = keys.changes.iter().filter(|change| change.key == job.entry.key).flat_map(|change| &change.points);
    let mut points = points.filter(|point| what(&point.what));
    points.any(|point| point.at.is_of(job.row) && job.conc.values().contains(&point.at.conc))
}
