//! Points of the recorded pull requests.
//! Must not know: their configs' texts.

use super::*;
use crate::core::evidence::Source;
use crate::core::plan::{self, Read, Reply};
use crate::core::policy::scenario;

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn recorded_pull_requests_have_their_points() {
    // Scenario, number; points added, changed, removed, untouched; green jobs of the listed ones; untouched run again.
    type Row<'a> = (&'a str, u64, [usize; 4], usize, usize);
    let table: [Row<'_>; 12] = [
        ("2550-green", 2550, [3, 0, 0, 6], 3, 6),
        ("2550-newest", 2550, [3, 0, 0, 6], 3, 6),
        ("2550-rerun", 2550, [3, 0, 0, 6], 3, 6),
        ("2550-rebased", 2550, [3, 0, 0, 6], 0, 0),
        ("2550-noevals", 2550, [3, 0, 0, 6], 3, 6),
        ("2550-running", 2550, [3, 0, 0, 6], 1, 2),
        ("2550-failed", 2550, [3, 0, 0, 6], 0, 4),
        ("2313", 2313, [0, 10, 0, 0], 10, 0),
        ("2256", 2256, [0, 15, 0, 0], 15, 0),
        ("2206", 2206, [9, 0, 0, 0], 9, 0),
        ("2610", 2610, [2, 6, 10, 0], 8, 0),
        ("2159", 2159, [0, 0, 0, 0], 0, 0),
    ];
    let mut wrong = Vec::new();
    for (name, number, counts, green, rerun) in table {
        let points = draw(&scenario::load(name, number));
        let got = [points.added.len(), points.changed.len(), points.removed.len(), points.untouched.count];
        let jobs = points.living().filter(|point| point.job.holds()).count();
        if (got, jobs, points.untouched.rerun) != (counts, green, rerun) {
            wrong.push(format!("{name}: {got:?} {jobs} {}; {}", points.untouched.rerun, points.summary()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn the_green_one_is_covered_from_the_job_to_the_score() {
    let (facts, _) = scenario::review("2550-green", 2550, None, |_| {});
    let points = draw(&facts);
    let shown: Vec<String> = points.added.iter().map(|point| format!("{} {}", point.config, point.render_point())).collect();
    let key = "qwen3.5-fp4-b200-sglang-mtp";
    assert_eq!(shown, [16, 32, 64].map(|conc| format!("{key} TP2/EP2 c{conc}")));
    for point in &points.added {
        let job = point.job.found.as_ref().unwrap();
        assert_eq!((job.run.0, job.outcome.word(), job.behind), (31_020_193_450, "success", Some(0)));
        assert!(job.name.ends_with(&point.axes.render_conc()), "{}", job.name);
    }
    let evals: Vec<&str> = points.added.iter().map(|point| word(&point.eval)).collect();
    // Reading zip files needs the feature; without it neither results nor scores are known, and nothing is made of that.
    if cfg!(feature = "github") {
        assert_eq!(evals, ["eval_not_chosen", "", ""]);
        assert_eq!(points.doubt, None);
        assert!(points.added.iter().all(PointReview::is_measured));
        assert!(points.added.iter().all(|point| point.result.found.as_ref().unwrap().throughput.total > Some(0.0)));
        assert_eq!(points.summary(), "3 of 3 new points executed, 2 of 2 due evals green, 6 untouched re-run");
        // Each claim of the texts stands with the point whose numbers it tells.
        for point in &points.added {
            let said = format!("{} {:?}", point.render_point(), point.claims);
            assert!(point.claims.iter().any(|claim| claim.weight.key() == "confirmed"), "{said}");
            assert!(!point.claims.iter().any(|claim| claim.weight.is_wrong()), "{said}");
        }
    } else {
        assert_eq!(evals, ["eval_not_chosen", "no_score", "no_score"]);
        assert!(points.added.iter().all(|point| word(&point.result) == "not_read") && !points.complete);
    }
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn recorded_faults_are_named() {
    // Scenario; the hole of each added point's job, in order.
    let table: [(&str, [&str; 3]); 4] = [
        ("2550-rebased", ["run_of_other_commit"; 3]),
        // When its labels came is not recorded, so nobody knows that it was fail-fast.
        ("2550-failed", ["cancelled"; 3]),
        ("2550-running", ["", "still_running", "still_running"]),
        ("2550-rerun", [""; 3]),
    ];
    for (name, want) in table {
        let points = draw(&scenario::load(name, 2550));
        let got: Vec<&str> = points.added.iter().map(|point| word(&point.job)).collect();
        assert_eq!(got, want, "{name}");
    }
    let points = draw(&scenario::load("2550-noevals", 2550));
    assert_eq!(
        points.added.iter().map(|point| word(&point.eval)).collect::<Vec<_>>(),
        ["eval_not_chosen", "skipped", "skipped"]
    );
    let gone = draw(&scenario::load("2550-expired", 2550));
    let eval = at(&gone, 64).eval.hole.clone().unwrap();
    assert!(eval.word() == "not_read" && eval.sentence().contains("expired"), "{eval:?}");
}

/// Rows and scores of real configs of every kind are those of their points.
#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn recorded_rows_and_scores_belong_to_their_points() {
    if !cfg!(feature = "github") {
        return;
    }
    // Scenario, number, what is said of every result, the line. Two of the recorded runs kept no such artifact.
    let table = [
        ("2313", 2313, "", "10 of 10 changed points executed, 2 of 2 due evals green"),
        ("2256", 2256, "", "15 of 15 changed points executed, 6 of 6 due evals green"),
        ("2206", 2206, "no_results", "9 of 9 new points executed, 9 of 9 due evals green"),
        (
            "2610",
            2610,
            "no_results",
            "2 of 2 new points executed, 6 of 6 changed points executed, 1 of 1 due eval green, 10 removed",
        ),
        ("2550-lowscore", 2550, "", "3 of 3 new points executed, 1 of 2 due evals green, 6 untouched re-run"),
    ];
    let mut wrong = Vec::new();
    for (name, number, result, summary) in table {
        let mut facts = scenario::load(name, number);
        let conclusions = Conclusions::draw(&POLICY, &facts);
        for read in needs(&POLICY, &facts, &conclusions, &Points::draw(&POLICY, &facts, &conclusions)) {
            let Read::Results { .. } = read else { continue };
            let source = Source { address: name.to_owned(), commit: None, read_at: Default::default(), digest: String::new() };
            let answer = scenario::answer(name, number, &read).map(|answer| (answer, source));
            plan::start(&mut facts, std::slice::from_ref(&read));
            plan::absorb(&mut facts, Reply { read, answer, last: true });
        }
        let points = draw(&facts);
        if points.summary() != summary || !points.complete || points.living().any(|point| word(&point.result) != result) {
            let results: Vec<_> = points.living().map(|point| word(&point.result)).collect();
            wrong.push(format!("{name}: {}; {results:?}", points.summary()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
