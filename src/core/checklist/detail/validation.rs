//! The run that measured: its jobs, what it skipped and why, what proves each point, and what came after it.
//! Must not know: scores, results.

use super::series::{Series, arm, series};
use super::{Drafting, jobs_evidence, list_gap, listed, run_evidence, run_words};
use crate::core::checklist::rendered::Rendered;
use crate::core::configs::asked;
use crate::core::evidence::{Evidence, Source};
use crate::core::later::{self, Told};
use crate::core::points::PointReview;
use crate::core::sweep::{LaneKind, MergedJob, Outcome, Sweep, Tally};
use crate::core::text::counted;
use std::collections::BTreeSet;

/// Points that are linked one by one; more are counted.
const LINKED_POINTS: usize = 12;
/// Names of skipped lanes, holes and commits that are told.
const NAMED: usize = 12;

pub(super) fn validation(drafting: &Drafting<'_>, gaps: &mut Vec<String>) -> Rendered {
    let (facts, conclusions) = (drafting.facts(), drafting.made_of.conclusions);
    let mut out = Rendered::default();
    gaps.extend(list_gap("runs", &facts.runs));
    let Some(sweep) = conclusions.validation() else {
        match (facts.runs.settled(), conclusions.sweeps.first()) {
            (Some(runs), None) if runs.value.is_complete() => out.push(match facts.runs_of_head_only() {
                None => "no sweep run of this pull request's commits was found.",
                Some(_) => "no sweep run of the head commit was found; runs of earlier commits were not read.",
            }),
            (Some(_), Some(sweep)) if sweep.in_pull == Some(false) => out
                .fact(&run_words(facts, sweep), &run_evidence(sweep))
                .push(" ran on a commit that is no longer in this pull request."),
            (Some(_), Some(sweep)) if sweep.complete && sweep.in_pull == Some(true) => {
                out.fact(&run_words(facts, sweep), &run_evidence(sweep)).push(" executed no benchmark job.")
            }
            (Some(_), Some(sweep)) => {
                // An empty list of jobs that was not read says nothing of what was executed.
                gaps.push(match facts.jobs.get(&sweep.run.id) {
                    Some(jobs) => list_gap(&format!("jobs of {}", sweep.label()), jobs)
                        .unwrap_or_else(|| "The commits of the pull request were not read whole.".to_owned()),
                    None => format!("The jobs of {} were not read.", sweep.label()),
                });
                out.push("what ").fact(&run_words(facts, sweep), &run_evidence(sweep)).push(" executed was not read.")
            }
            _ => out.push("the sweep runs were not read."),
        };
        return out;
    };
    let run = run_evidence(sweep);
    let jobs = jobs_evidence(sweep);
    out.fact(&run_words(facts, sweep), &run);
    out.push(" on ").fact(&format!("`{}`", sweep.run.head), &run).push(", ");
    match (sweep.at_head, sweep.behind) {
        (true, _) => out.push("the head of this pull request: "),
        (false, Some(behind)) => out.fact(&format!("{} before the head", counted(behind, "commit")), &run).push(": "),
        (false, None) => out.push("a commit of this pull request: "),
    };
    out.fact(&tally_words("benchmark", sweep.counts.benchmark), &jobs).push("; ");
    out.fact(&tally_words("eval", sweep.counts.eval), &jobs).push("; ");
    if sweep.counts.canary.wanted() > 0 {
        out.fact(&tally_words("canary", sweep.counts.canary), &jobs).push("; ");
    }
    let plumbing = sweep.counts.plumbing;
    out.fact(&counted(plumbing.wanted(), "plumbing job"), &jobs);
    if plumbing.failed > 0 {
        out.push(", ").fact(&format!("{} failed", plumbing.failed), &jobs);
    }
    out.push("; ").append(&skipped(drafting, sweep));
    if !sweep.complete {
        out.push(" (the job list was not read whole)");
        let what = format!("jobs of {}", sweep.label());
        match facts.jobs.get(&sweep.run.id) {
            Some(jobs) => gaps.extend(list_gap(&what, jobs)),
            None => gaps.push(format!("The {what} were not read.")),
        }
    }
    out.push(".");
    for (what, points) in [("new", &drafting.points.added), ("changed", &drafting.points.changed)] {
        if !points.is_empty() && drafting.points.keys_known {
            out.push(" ").append(&proofs(drafting, what, points, sweep));
        }
    }
    out.append(&after(drafting, sweep, gaps));
    out
}

/// How many jobs are skipped, and why the lanes among them are: the configs ask for nothing in them.
fn skipped(drafting: &Drafting<'_>, sweep: &Sweep) -> Rendered {
    let evidence = jobs_evidence(sweep);
    let skipped: Vec<&MergedJob> = sweep.jobs.iter().filter(|job| job.outcome == Outcome::Skipped).collect();
    let mut out = Rendered::default();
    out.fact(&format!("{} skipped", skipped.len()), &evidence);
    if skipped.is_empty() {
        return out;
    }
    let policy = drafting.made_of.policy;
    let day = sweep.run.created_at.map(|time| time.date_naive()).or(drafting.facts().day);
    let asked = asked(&policy.configs, &drafting.made_of.conclusions.keys, day);
    let lane = |name: &str| name.split(" /").next().unwrap_or(name).trim().to_owned();
    let due: BTreeSet<String> = asked.jobs.iter().map(|job| lane(&job.name(&policy.sweep.framework_aliases))).collect();
    let (mut empty, mut owed, mut other) = (Vec::new(), Vec::new(), Vec::new());
    for job in skipped {
        let name = drafting.code(&job.name.lane);
        let list = match job.name.kind {
            LaneKind::Plumbing | LaneKind::Canary => &mut other,
            _ if due.contains(&job.name.lane) => &mut owed,
            _ if asked.open.is_empty() => &mut empty,
            _ => &mut other,
        };
        if !list.contains(&name) {
            list.push(name);
        }
    }
    let mut parts: Vec<String> = Vec::new();
    if !empty.is_empty() {
        let verb = if empty.len() == 1 { "holds" } else { "hold" };
        parts.push(format!("{} {verb} no point that the changelog asks for", shortened(&empty)));
    }
    if !owed.is_empty() {
        let verb = if owed.len() == 1 { "is" } else { "are" };
        parts.push(format!("{} {verb} due and skipped all the same", shortened(&owed)));
    }
    if !other.is_empty() {
        parts.push(shortened(&other));
    }
    out.push(" (").fact(&parts.join("; "), &evidence).push(")");
    out
}

fn shortened(names: &[String]) -> String {
    match names.len().checked_sub(NAMED) {
        None | Some(0) => listed(names),
        Some(more) => format!("{} and {more} more", names.get(..NAMED).unwrap_or_default().join(", ")),
    }
}

/// Which job proves each point: `TP2/EP2 mtp [c16](…), [c32](…)`, and what is wrong with the rest.
fn proofs(drafting: &Drafting<'_>, what: &str, points: &[PointReview], cited: &Sweep) -> Rendered {
    let mut out = Rendered::default();
    let proven = points.iter().filter(|point| point.job.holds()).count();
    let all = points.len();
    let noun = if all == 1 { "point" } else { "points" };
    let evidence = jobs_evidence(cited);
    let lead = match all {
        1 if proven == 1 => format!("The {what} point has its green job"),
        1 => format!("The {what} point has no green job"),
        _ if proven == all => format!("Each of the {all} {what} {noun} has its green job"),
        _ => format!("{proven} of {all} {what} {noun} have a green job"),
    };
    out.fact(&lead, &evidence);
    let mut lead = ": ";
    if proven > 0 && proven <= LINKED_POINTS {
        for Series { points } in series(points.iter().filter(|point| point.job.holds())) {
            let Some(first) = points.first() else { continue };
            out.push(lead).fact(&drafting.prose(&arm(&first.axes)), &evidence);
            for (at, point) in points.iter().enumerate() {
                let Some(job) = &point.job.found else { continue };
                let page = drafting.facts().page(&format!("actions/runs/{}/job/{}", job.run, job.id));
                let own = drafting.sweep(job.run).map_or_else(|| evidence.clone(), jobs_evidence);
                out.push(if at == 0 { " " } else { ", " }).fact(&format!("[{}]({page})", point.axes.render_conc()), &own);
            }
            lead = "; ";
        }
    }
    let holes: Vec<(&PointReview, String)> =
        points.iter().filter_map(|point| Some((point, point.job.hole.as_ref()?.word().replace('_', " ")))).collect();
    for (at, (point, why)) in holes.iter().take(NAMED).enumerate() {
        let lead = match at {
            0 if proven > 0 => "; without: ",
            0 => ": ",
            _ => ", ",
        };
        out.push(lead).fact(
            &format!("{} ({why})", drafting.prose(&format!("{} {}", arm(&point.axes), point.axes.render_conc()))),
            &evidence,
        );
    }
    if holes.len() > NAMED {
        out.fact(&format!(" and {} more", holes.len() - NAMED), &evidence);
    }
    out.push(".");
    out
}

/// The commits after the measured one, and which files they change.
fn after(drafting: &Drafting<'_>, sweep: &Sweep, gaps: &mut Vec<String>) -> Rendered {
    let mut out = Rendered::default();
    let (facts, conclusions) = (drafting.facts(), drafting.made_of.conclusions);
    if !later::is_earlier(sweep) {
        return out;
    }
    let Some(list) = facts.commits.settled().filter(|got| got.value.is_complete()) else { return out };
    let (measured, code) = (sweep.run.head.short(), |text: &str| drafting.code(text));
    let told = later::told(drafting.made_of.policy, facts, conclusions, sweep);
    if let Told::Elsewhere(course, evidence) = &told {
        let said = later::render_elsewhere(course, &code);
        gaps.push(format!("What came after {measured} cannot be told: {said}."));
        out.push(" ").fact(&said, evidence).push(".");
        return out;
    }
    let commits = later::commits(facts, sweep);
    let source = Source { commit: facts.head().cloned(), ..list.source.clone() };
    let evidence = Evidence::new("commits", "commits", later::page(facts, &sweep.run.head), source);
    let named: Vec<String> =
        commits.iter().map(|commit| format!("`{}` {}", commit.sha.short(), drafting.code(&commit.headline))).collect();
    let one = commits.len() == 1;
    out.push(" After it came").push(if one { " " } else { ": " }).fact(&shortened(&named), &evidence).push("; ");
    match told {
        Told::Changes(changes, evidence) => {
            gaps.extend(changes.gap.iter().map(|gap| format!("List of files that changed after {measured}: {gap}")));
            out.fact(&changes.render(if one { "it" } else { "they" }, one, &code), &evidence);
            // Whose changes these are cannot be told file by file.
            if let Some(merges) = changes.merges.render(one) {
                out.push("; ").fact(&format!("{merges}, and what that brought counts too"), &evidence);
            }
        }
        Told::Unread(why) => {
            gaps.push(match why {
                Some(trouble) => format!("Which files changed after {measured} was not read. {}", trouble.sentence()),
                None => format!("Which files changed after {measured} is not read yet."),
            });
            out.push(if one { "which files it changes was not read" } else { "which files these change was not read" });
        }
        Told::Elsewhere(..) => {}
    }
    out.push(".");
    out
}

/// `9 benchmark jobs executed, 9 green, 0 failed`; cancelled and unfinished ones when there are any.
fn tally_words(kind: &str, tally: Tally) -> String {
    let mut out =
        format!("{} executed, {} green, {} failed", counted(tally.executed, &format!("{kind} job")), tally.green, tally.failed);
    for (count, word) in
        [(tally.cancelled, "cancelled"), (tally.unfinished(), "not finished"), (tally.other, "ended otherwise")]
    {
        if count > 0 {
            out.push_str(&format!(", {count} {word}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::checklist::compose::Ingredients;
    use crate::core::points::{Cell, Hole, Points};
    use crate::core::policy::scenario;
    use crate::core::policy::tests::policy;
    use crate::core::session::Draft;

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn a_point_without_a_job_never_reads_as_one_with_it() {
        let (facts, review) = scenario::review("2550-green", 2550, None, |_| {});
        let (policy, draft) = (policy(), Draft::new("h", facts.repo.clone(), facts.number));
        let conclusions = &review.conclusions;
        let points = Points::draw(&policy, &facts, conclusions);
        let made_of = Ingredients { policy: &policy, facts: &facts, draft: &draft, conclusions, findings: &[], drafted: None };
        let drafting = Drafting { made_of, points: &points };
        let green = points.added[0].clone();
        let open = PointReview { job: Cell { found: None, hole: Some(Hole::NoRun) }, ..green.clone() };
        for proven in [0, 1, LINKED_POINTS, LINKED_POINTS + 1] {
            let mut all = vec![green.clone(); proven];
            all.push(open.clone());
            let text = proofs(&drafting, "new", &all, conclusions.validation().unwrap()).text;
            assert_eq!(text.contains("; without: "), proven > 0, "{text}");
        }
    }
}
