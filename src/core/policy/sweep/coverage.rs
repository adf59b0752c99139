//! Which jobs the pull request's configs called for, and what became of each in the run.
//! Must not know: scores, labels, verdicts.

use crate::core::configs::asked::{asked, is_changed};
use crate::core::points::Places;
use crate::core::policy::Context;
use crate::core::policy::read::several;
use crate::core::sweep::{LaneKind, MergedJob, Outcome, Sweep, eval_sweep};

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
    let day = sweep.run.created_at.map(|time| time.date_naive()).or(context.day());
    let due = asked(&context.policy.configs, keys, day);
    out.open.extend(due.open);
    let evals = eval_sweep(&context.conclusions.sweeps, sweep).unwrap_or(sweep);
    let mut run: Vec<&MergedJob> = sweep.jobs.iter().collect();
    if evals.run.id != sweep.run.id {
        run.extend(evals.jobs.iter().filter(|job| job.name.kind == LaneKind::Eval));
    }
    let run = Places::of(run);
    let mut taken = vec![false; run.jobs().len()];
    for job in &due.jobs {
        let found = run.matching(job);
        *(if job.eval.is_some() { &mut out.evals } else { &mut out.benchmarks }) += 1;
        found.iter().for_each(|(at, _)| taken[*at] = true);
        if found.iter().any(|(_, found)| found.outcome.green()) {
            continue;
        }
        if let Some(unread) = run.unread_of(job).filter(|_| found.is_empty()) {
            let open = format!("The name of the job `{}` cannot be read, so it may be any of its lane.", unread.name.identity);
            if !out.open.contains(&open) {
                out.open.push(open);
            }
            continue;
        }
        let outcome = found.first().map(|(_, found)| *found).or_else(|| run.lane_of(job)).map(|found| &found.outcome);
        out.holes.push(Hole {
            name: job.name(&context.policy.sweep.framework_aliases),
            eval: job.eval.is_some(),
            lost: outcome.is_some_and(Outcome::is_loss),
            became: outcome.filter(|outcome| !outcome.green()).map_or("not in the run", Outcome::word).to_owned(),
            changed: is_changed(keys, job),
        });
    }
    let measures = |job: &MergedJob| matches!(job.name.kind, LaneKind::Benchmark | LaneKind::Canary) && job.outcome.executed();
    out.strangers = run.jobs().iter().zip(&taken).filter(|(job, taken)| !**taken && measures(job)).count();
    Ok(out)
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
