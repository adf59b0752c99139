//! Which jobs the pull request's configs called for, and what became of each in the run.
//! Must not know: scores, labels, verdicts.

use crate::core::axes::Axes;
use crate::core::configs::compare::What;
use crate::core::configs::jobs::{self, Job};
use crate::core::configs::{ChangedKeys, ChangelogEntry, Entry, Named};
use crate::core::policy::Context;
use crate::core::policy::read::several;
use crate::core::sweep::{LaneKind, MergedJob, Outcome, Sweep, eval_sweep};
use std::collections::HashMap;

/// What was due and what of it was run.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::core::policy) struct Coverage {
    pub benchmarks: usize,
    pub evals: usize,
    holes: Vec<Hole>,
    /// Executed jobs that nothing called for: the names, or the configs, may not be what we think.
    strangers: usize,
    /// Why not everything that was due is known.
    open: Vec<String>,
}

/// A job that was due and is not green.
#[derive(Debug, Clone, PartialEq)]
struct Hole {
    name: String,
    eval: bool,
    /// `skipped`, `cancelled`; `not in the run`.
    became: String,
    /// It was started and lost, which the run's own end tells.
    lost: bool,
    /// The pull request adds or changes its point.
    changed: bool,
}

/// Compares what the head's configs call for with the jobs of `sweep`; `Err` while the configs are not read.
pub(super) fn of(context: &Context<'_>, sweep: &Sweep) -> Result<Coverage, String> {
    let keys = &context.conclusions.keys;
    let mut out = Coverage::default();
    if !keys.complete {
        // Something that was read and not understood is said; something that is not read yet may still come.
        if keys.problems.is_empty() || !keys.missing.is_empty() {
            let gap = keys.gaps().into_iter().next();
            return Err(gap.unwrap_or_else(|| "The changed config files are not read yet.".to_owned()));
        }
        out.open.extend(keys.gaps());
    }
    if keys.changelog.is_empty() {
        out.open.push("No new changelog entry names a config, so nothing says which jobs were due.".to_owned());
        return Ok(out);
    }
    let Some(day) = sweep.run.created_at.map(|time| time.date_naive()).or(context.day()) else {
        out.open.push("The day of the run is not known, so neither are the rules that chose its evals.".to_owned());
        return Ok(out);
    };
    let Some(era) = context.policy.configs.eval_era(day) else {
        out.open.push("The policy does not say which points were evaluated on the day of the run.".to_owned());
        return Ok(out);
    };
    let named: Vec<(&ChangelogEntry, Vec<&Entry>)> =
        keys.changelog.iter().map(|changelog| (changelog, entries(keys, changelog))).collect();
    for key in &keys.unread {
        if named.iter().all(|(changelog, entries)| !changelog.config_keys.contains(key) || entries.is_empty()) {
            out.open.push(format!("The entry of `{key}` is not at hand, so its jobs are not counted."));
        }
    }
    let mut due = jobs::sweep(&named, era);
    due.retain(|job| !context.policy.configs.is_retired(job.load, day) && is_asked(keys, &named, job));
    let evals = eval_sweep(&context.conclusions.sweeps, sweep).unwrap_or(sweep);
    let mut run: Vec<&MergedJob> = sweep.jobs.iter().collect();
    if evals.run.id != sweep.run.id {
        run.extend(evals.jobs.iter().filter(|job| job.name.kind == LaneKind::Eval));
    }
    let mut taken = vec![false; run.len()];
    let mut places: HashMap<&Axes, Vec<usize>> = HashMap::new();
    for (at, job) in run.iter().enumerate() {
        if let Some(axes) = &job.name.axes {
            places.entry(axes).or_default().push(at);
        }
    }
    for job in &due {
        let axes = job.axes();
        let is = |found: &MergedJob| match found.name.kind {
            LaneKind::Eval => job.eval.is_some(),
            LaneKind::Benchmark => job.eval.is_none() && found.name.lane == job.lane() || found.name.combined,
            LaneKind::Canary => job.eval.is_none(),
            LaneKind::Plumbing => false,
        };
        let found: Vec<usize> = places.get(&axes).into_iter().flatten().copied().filter(|&at| is(run[at])).collect();
        *(if job.eval.is_some() { &mut out.evals } else { &mut out.benchmarks }) += 1;
        found.iter().for_each(|&at| taken[at] = true);
        if found.iter().any(|&at| run[at].outcome.green()) {
            continue;
        }
        let lane = || run.iter().find(|found| found.name.lane == job.lane() && found.name.axes.is_none());
        let outcome = found.first().map(|&at| &run[at].outcome).or_else(|| lane().map(|lane| &lane.outcome));
        out.holes.push(Hole {
            name: job.name(&context.policy.sweep.framework_aliases),
            eval: job.eval.is_some(),
            lost: outcome.is_some_and(Outcome::is_loss),
            became: outcome.filter(|outcome| !outcome.green()).map_or("not in the run", Outcome::word).to_owned(),
            changed: is_changed(keys, job),
        });
    }
    let measures = |job: &MergedJob| matches!(job.name.kind, LaneKind::Benchmark | LaneKind::Canary) && job.outcome.executed();
    out.strangers = run.iter().zip(&taken).filter(|(job, taken)| !**taken && measures(job)).count();
    Ok(out)
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
fn is_asked(keys: &ChangedKeys, named: &[(&ChangelogEntry, Vec<&Entry>)], job: &Job<'_>) -> bool {
    let names = |entries: &[&Entry]| entries.iter().any(|entry| entry.key == job.entry.key);
    let mut of_it = named.iter().filter(|(_, entries)| names(entries)).peekable();
    let appended = of_it.peek().is_some() && of_it.all(|(changelog, _)| changelog.append_only);
    !appended || stands_among(keys, job, |what| *what == What::Added)
}

fn is_changed(keys: &ChangedKeys, job: &Job<'_>) -> bool {
    stands_among(keys, job, |what| *what != What::Removed)
}

fn stands_among(keys: &ChangedKeys, job: &Job<'_>, what: impl Fn(&What) -> bool) -> bool {
    let points = keys.changes.iter().filter(|change| change.key == job.entry.key).flat_map(|change| &change.points);
    let mut points = points.filter(|point| what(&point.what));
    points.any(|point| point.at.is_of(job.row) && job.conc.values().contains(&point.at.conc))
}

impl Coverage {
    /// Everything that was due is known, and the rules of the run's day choose no eval from it.
    pub fn no_eval_is_due(&self) -> bool {
        self.open.is_empty() && self.benchmarks > 0 && self.evals == 0
    }

    /// Everything that was due is known, and was run.
    pub fn is_met(&self) -> bool {
        self.open.is_empty() && self.holes.is_empty()
    }

    /// A changed point without its benchmark, where every job of the run is accounted for.
    pub fn exact_hole(&self) -> Option<String> {
        let certain = self.open.is_empty() && self.strangers == 0 && self.holes.len() < self.benchmarks + self.evals;
        let holes: Vec<&Hole> = self.holes.iter().filter(|hole| certain && !hole.eval && !hole.lost && hole.changed).collect();
        Some(render(&holes, "benchmark")).filter(|_| !holes.is_empty())
    }

    /// Anything else that was due and is not there: names and rules may be read wrongly.
    pub fn suspect_hole(&self) -> Option<String> {
        let benchmarks: Vec<&Hole> = self.holes.iter().filter(|hole| !hole.eval && !hole.lost).collect();
        if benchmarks.is_empty() { self.eval_hole() } else { Some(render(&benchmarks, "benchmark")) }
    }

    /// An eval that was due by the rules of that day and is not there.
    pub fn eval_hole(&self) -> Option<String> {
        let holes: Vec<&Hole> = self.holes.iter().filter(|hole| hole.eval && !hole.lost).collect();
        Some(render(&holes, "eval")).filter(|_| !holes.is_empty())
    }

    /// A line for each hole, and for what is not known.
    pub fn notes(&self) -> Vec<String> {
        let holes = self.holes.iter().map(|hole| format!("Due and not green: {} ({}).", hole.name, hole.became));
        holes.chain(self.open.iter().cloned()).collect()
    }
}

/// `2 of the due benchmark jobs are missing: a (skipped) and b (not in the run)`.
fn render(holes: &[&Hole], kind: &str) -> String {
    let names: Vec<String> = holes.iter().map(|hole| format!("{} ({})", hole.name, hole.became)).collect();
    match names.as_slice() {
        [one] => format!("a due {kind} job is missing, {one}"),
        many => format!("{} due {kind} jobs are missing, {}", many.len(), several(many)),
    }
}
