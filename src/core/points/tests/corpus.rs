//! Points of the recorded pull requests.
//! Must not know: their configs' texts.

use super::*;
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
        ("2550-running", 2550, [3, 0, 0, 6], 0, 0),
        ("2550-failed", 2550, [3, 0, 0, 6], 0, 0),
        ("2313", 2313, [0, 0, 0, 0], 0, 0),
        ("2256", 2256, [0, 0, 0, 0], 0, 0),
        ("2206", 2206, [0, 0, 0, 0], 0, 0),
        ("2610", 2610, [0, 0, 0, 0], 0, 0),
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
