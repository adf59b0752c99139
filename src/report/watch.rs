//! What `watch` says of runs while they go, and at their end.
//! Must not know: when it looks, or what a terminal is.

use crate::core::sweep::pace::is_going;
use crate::core::sweep::{Course, Outcome, Sweep, Tally, remaining};
use crate::core::time::Time;

/// How runs ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// Every run is green, and one at least measured something.
    Green(String),
    /// Nothing went wrong, and nothing was measured.
    Nothing(String),
    /// A run ended in something else than success, or in a success in spite of failed jobs.
    Bad(String),
    /// Green as far as was read.
    Partial(String),
}

/// One line per run: `run 31020193450: in_progress · 12 of 20 · 12 ✓ 0 ✗ 3 ◔ 5 ·`. It changes when something moves.
pub fn line(sweep: &Sweep) -> String {
    let tally = tally(sweep);
    let done = tally.wanted() - tally.unfinished().min(tally.wanted());
    let so_far = if sweep.complete { "" } else { " so far" };
    let counts = [
        (tally.green, '✓', true),
        (tally.failed, '✗', true),
        (tally.running, '◔', false),
        (tally.waiting, '·', false),
        (tally.cancelled, '⊘', false),
        (tally.other, '○', false),
        (tally.unknown, '?', false),
        (tally.skipped, '–', false),
    ];
    let counts = counts.into_iter().filter(|(count, _, always)| *always || *count > 0);
    let counts: Vec<String> = counts.map(|(count, mark, _)| format!("{count} {mark}")).collect();
    let word = sweep.outcome().word().to_owned();
    format!("{}: {word} · {done} of {} jobs{so_far} · {}", sweep.label(), tally.wanted(), counts.join(" "))
}

/// How long it will still take; empty when it is over.
pub fn left(sweep: &Sweep, earlier: &[Course], now: Time) -> String {
    let left = remaining(sweep, &Course::of(sweep), earlier.iter(), now);
    left.map_or_else(String::new, |left| format!(" · {left}"))
}

/// `None` while a run is going.
pub fn end(sweeps: &[Sweep]) -> Option<End> {
    if sweeps.iter().any(is_going) {
        return None;
    }
    let lines = sweeps.iter().map(line).collect::<Vec<_>>().join("\n");
    let bad = |sweep: &Sweep| !sweep.ended_well() && sweep.outcome() != Outcome::Skipped;
    let measured = |sweep: &Sweep| sweep.counts.benchmark.executed + sweep.counts.eval.executed > 0 || is_plain(sweep);
    Some(match () {
        () if sweeps.iter().any(bad) => End::Bad(lines),
        () if sweeps.iter().any(|sweep| !sweep.complete) => End::Partial(lines),
        () if sweeps.iter().any(measured) => End::Green(lines),
        () => End::Nothing(lines),
    })
}

/// A run of another repository's matrix, whose names tell no lane: any green job is what it was for.
fn is_plain(sweep: &Sweep) -> bool {
    let counts = &sweep.counts;
    [counts.benchmark, counts.eval, counts.canary].iter().all(|tally| tally.total == 0) && counts.plumbing.green > 0
}

/// Every job once, whatever lanes it counts for.
fn tally(sweep: &Sweep) -> Tally {
    let mut out = Tally::default();
    sweep.jobs.iter().for_each(|job| out.add(&job.outcome));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::listing::Listing;
    use crate::core::policy::tests::policy;
    use crate::core::sample::{World, job};
    use crate::core::sweep::sweeps;

    fn sweep(conclusion: Option<&str>, jobs: &[(&str, Option<&str>)]) -> Sweep {
        let list = jobs.iter().zip(1..).map(|((name, word), id)| job(id, 1, name, *word));
        let jobs = Listing::complete(list.collect());
        let world = World { run_conclusion: conclusion.map(str::to_owned), jobs, ..World::new() };
        sweeps(&policy(), &world.opened(&policy())).remove(0)
    }

    #[test]
    fn a_run_is_one_line_and_ends_by_its_outcome() {
        let point = "single-node 8k1k / m fp4 b200 sgl TP2 c4";
        let going = sweep(None, &[(point, None), ("setup", Some("success")), ("agentic /", Some("skipped"))]);
        assert_eq!(line(&going), "run 31020193450: running · 1 of 2 jobs · 1 ✓ 0 ✗ 1 ◔ 1 –");
        assert_eq!(end(std::slice::from_ref(&going)), None);
        let green = sweep(Some("success"), &[(point, Some("success"))]);
        let failed = sweep(Some("failure"), &[(point, Some("failure"))]);
        let cancelled = sweep(Some("cancelled"), &[(point, Some("success"))]);
        let nothing = sweep(Some("success"), &[("setup", Some("success")), ("agentic /", Some("skipped"))]);
        let plain = sweep(Some("success"), &[("test (ubuntu)", Some("success"))]);
        let in_spite = sweep(Some("success"), &[(point, Some("success")), ("setup", Some("failure"))]);
        let partial = Sweep { complete: false, ..green.clone() };
        let ends = [
            (vec![green.clone()], 0),
            (vec![green.clone(), nothing.clone()], 0),
            (vec![plain], 0),
            (vec![nothing], 1),
            (vec![green.clone(), failed.clone()], 2),
            (vec![cancelled], 2),
            (vec![green.clone(), in_spite], 2),
            (vec![partial.clone()], 3),
            (vec![partial, failed], 2),
        ];
        for (sweeps, wanted) in ends {
            let got = match end(&sweeps).unwrap() {
                End::Green(_) => 0,
                End::Nothing(_) => 1,
                End::Bad(_) => 2,
                End::Partial(_) => 3,
            };
            assert_eq!(got, wanted, "{sweeps:?}");
        }
        assert_eq!(end(&[green, going]), None, "the last one counts");
    }
}
