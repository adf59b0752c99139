//! What is to be known besides the cells: patterns, measurements of earlier commits, and what is still to be read.
//! Must not know: how cells are filled.

use super::{Pattern, PointReview, Points};
use crate::core::conclusions::Conclusions;
use crate::core::configs::compare::Fate;
use crate::core::configs::{ChangedKeys, Named};
use crate::core::facts::Facts;
use crate::core::plan::Read;
use crate::core::policy::Policy;
use crate::core::sweep::Sweep;
use crate::core::text::counted;
use std::collections::{BTreeMap, BTreeSet};

/// What a reader should know besides, a sentence each.
pub(super) fn notes<'p>(
    keys: &ChangedKeys,
    patterns: &[Pattern],
    unread: Vec<String>,
    living: impl Iterator<Item = &'p PointReview>,
) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for Pattern { pattern, keys } in patterns {
        let many = match keys {
            None => "configs that are not all read".to_owned(),
            Some(keys) => counted(*keys, "config"),
        };
        out.push(format!(
            "The changelog names {pattern} for {many}: those that this pull request leaves as they are stand in no row, and \
             whether one shares a job's name with a point is not looked into."
        ));
    }
    for key in keys.unread.iter().filter(|key| !key.contains('*')) {
        if keys.known.as_ref().is_some_and(|known| !known.contains(key)) {
            out.push(format!("The changelog names {key}, and no master file has such a config: correct the name."));
        }
    }
    for change in &keys.changes {
        if let Fate::Moved { from } = &change.fate {
            out.push(format!("{} moved from {from} to {}.", change.key, change.path));
        }
    }
    let mut late: BTreeMap<_, (usize, &str)> = BTreeMap::new();
    let mut newer: BTreeMap<_, usize> = BTreeMap::new();
    for job in living.flat_map(|point| [point.job.found.as_ref(), point.eval.found.as_ref().map(|eval| &eval.job)]).flatten() {
        if let Some(behind) = job.behind.filter(|behind| *behind > 0) {
            late.insert(job.run, (behind, job.commit.short()));
        }
        if let Some(newer_run) = &job.newer {
            *newer.entry((newer_run.clone(), job.run)).or_default() += 1;
        }
    }
    for (run, (behind, commit)) in late {
        let come = counted(behind, "commit");
        out.push(format!("Run {run} measured {commit}; {come} came later: see that nothing measured changed since."));
    }
    for (((run, word), older), jobs) in newer {
        let jobs = counted(jobs, "job");
        out.push(format!("{jobs} of run {older} count although the newer run {run} has them too ({word})."));
    }
    for path in unread {
        out.push(format!("The patch of {path} is not given, so whether a removed config moved there cannot be told."));
    }
    out
}

/// The patterns among the names of the changelog.
pub(super) fn patterns(keys: &ChangedKeys) -> Vec<Pattern> {
    let count = |name: &str| {
        let known = keys.known.as_ref()?;
        match Named::of(name, known.iter().map(String::as_str)) {
            Named::Pattern { count, .. } => Some(count),
            _ => None,
        }
    };
    let names = keys.named().into_iter().filter(|name| name.contains('*'));
    names.map(|name| Pattern { pattern: name.to_owned(), keys: count(name) }).collect()
}

/// What must be read besides for the cells of points: the results of the runs that speak for them, and, while a point has
/// no job, those jobs of the next older run that nobody asked for.
pub fn needs(policy: &Policy, facts: &Facts, conclusions: &Conclusions, points: &Points) -> Vec<Read> {
    let mut out = vec![Read::LabelEvents];
    let runs: BTreeSet<_> = points.living().filter_map(|point| Some(point.job.found.as_ref()?.run)).collect();
    if let Some(results) = &policy.results {
        let ended = |sweep: &&Sweep| runs.contains(&sweep.run.id) && sweep.outcome().finished();
        for sweep in conclusions.sweeps.iter().filter(ended) {
            out.push(Read::Results { run: sweep.run.id, artifact: results.artifact.clone(), parts: results.parts.clone() });
        }
    }
    let unmeasured = points.living().any(|point| point.job.found.is_none());
    let unasked = |sweep: &&Sweep| sweep.in_pull == Some(true) && !facts.jobs.contains_key(&sweep.run.id);
    out.extend(conclusions.sweeps.iter().find(unasked).filter(|_| unmeasured).map(|sweep| Read::Jobs(sweep.run.id)));
    out
}
