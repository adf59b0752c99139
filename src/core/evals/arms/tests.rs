//! Scores in groups: what belongs together, and that none is lost.
//! Must not know: how bars are found.

use super::*;
use crate::core::axes::{Concurrency, Parallel};
use crate::core::ids::RunId;
use proptest::prelude::*;

/// A score of row `result`; its config is known.
pub fn row(result: usize, conc: u32, task: &str, metric: &str, score: f64) -> JudgedRow {
    JudgedRow {
        config: Some("a".into()),
        candidates: vec!["a".into()],
        axes: Axes {
            model: "qwen3.5".into(),
            precision: "fp4".into(),
            runner: "b200".into(),
            framework: "sglang".into(),
            parallel: Parallel { tp: 2, ep: 2, ..Parallel::default() },
            spec: Some("mtp".into()),
            kv: None,
            kv_backend: None,
            conc: Concurrency::One(conc),
            prefill: None,
            decode: None,
        },
        isl: Some(8192),
        osl: Some(1024),
        result,
        task: task.into(),
        metric: metric.into(),
        score,
        stderr: None,
        n: Some(1319),
        threshold: Some(0.9),
        bar_source: None,
        pass: Some(score >= 0.9),
    }
}

pub fn judged(run: u64, rows: Vec<JudgedRow>) -> Judged {
    let results = rows.last().map_or(0, |row| row.result + 1);
    Judged { run: RunId(run), rows, results, complete: true, why: None, holds_none: false }
}

type Points = Vec<(String, Range<usize>)>;

/// Arms with their points: which rows of the run each has.
fn shape(arms: &[Arm]) -> Vec<(String, Points)> {
    let point = |scored: &Scored| (format!("{} {}", scored.spot.render_point(), scored.spot.task), scored.rows.clone());
    arms.iter().map(|arm| (arm.name.to_string(), arm.results.iter().map(point).collect())).collect()
}

#[test]
fn a_config_is_one_arm_with_its_points_in_order_and_the_metrics_of_a_row_together() {
    let mut tp4 = row(3, 64, "gsm8k", "accuracy", 0.9);
    tp4.axes.parallel = Parallel { tp: 4, ..Parallel::default() };
    let rows = vec![
        row(0, 256, "gsm8k", "em_strict", 0.9),
        row(0, 256, "gsm8k", "em_flexible", 0.9),
        row(1, 64, "smoke", "em_strict", 0.1),
        row(2, 64, "gsm8k", "em_strict", 0.9),
        row(2, 64, "gsm8k", "em_flexible", 0.9),
        tp4,
    ];
    let points = vec![
        ("TP2/EP2 mtp c64 gsm8k".to_owned(), 3..5),
        ("TP2/EP2 mtp c64 smoke".to_owned(), 2..3),
        ("TP2/EP2 mtp c256 gsm8k".to_owned(), 0..2),
        ("TP4 mtp c64 gsm8k".to_owned(), 5..6),
    ];
    assert_eq!(shape(&arms(&judged(1, rows))), [("a 8192/1024".to_owned(), points)]);
}

#[test]
fn without_a_config_an_arm_is_what_its_rows_say_but_the_concurrency() {
    let unknown = |result, conc, tp, candidates: &[&str]| {
        let mut row = row(result, conc, "gsm8k", "em_strict", 0.9);
        row.config = None;
        row.candidates = candidates.iter().map(|&name| name.to_owned()).collect();
        row.axes.parallel.tp = tp;
        row
    };
    let mut agentic = unknown(4, 16, 2, &[]);
    (agentic.isl, agentic.osl) = (None, None);
    let rows = vec![
        unknown(0, 64, 2, &[]),
        unknown(1, 32, 2, &[]),
        unknown(2, 64, 4, &[]),
        unknown(3, 64, 2, &["a", "b"]),
        agentic,
        row(5, 64, "gsm8k", "em_strict", 0.9),
    ];
    let arms = arms(&judged(1, rows));
    let told: Vec<(String, usize, bool)> =
        arms.iter().map(|arm| (arm.name.to_string(), arm.results.len(), arm.name.is_ambiguous())).collect();
    let same = "qwen3.5 fp4 b200 sglang";
    assert_eq!(
        told,
        [
            (format!("{same} TP2/EP2 mtp"), 1, false),
            (format!("{same} TP2/EP2 mtp 8192/1024"), 2, false),
            (format!("{same} TP4/EP2 mtp 8192/1024"), 1, false),
            (format!("{same} TP2/EP2 mtp 8192/1024"), 1, true),
            ("a 8192/1024".to_owned(), 1, false),
        ]
    );
    assert_eq!(arms[3].name.candidates, ["a", "b"]);
}

#[test]
fn rows_that_say_the_same_are_all_listed_and_counted() {
    let rows = vec![
        row(0, 64, "gsm8k", "em_strict", 0.9),
        row(0, 64, "gsm8k", "em_flexible", 0.9),
        row(1, 32, "gsm8k", "em_strict", 0.9),
        row(2, 64, "gsm8k", "em_strict", 0.1),
        row(2, 64, "gsm8k", "em_flexible", 0.1),
    ];
    let arms = arms(&judged(1, rows));
    let [arm] = &arms[..] else { panic!("{arms:?}") };
    let copies: Vec<_> = arm.results.iter().map(|scored| (scored.rows.clone(), scored.copy, scored.copies)).collect();
    assert_eq!(copies, [(2..3, 1, 1), (0..2, 1, 2), (3..5, 2, 2)]);
    assert_eq!((arm.duplicates(), arm.at(&arm.results[1].spot).len(), arm.at(&arm.results[0].spot).len()), (2, 2, 1));
    let by_row = by_row(&arms);
    assert_eq!((by_row.len(), by_row[&4].1.copy), (5, 2));
}

#[test]
fn a_point_of_several_concurrencies_is_one() {
    let mut many = row(0, 64, "gsm8k", "em_strict", 0.9);
    many.axes.conc = Concurrency::List(vec![64, 32]);
    let arms = arms(&judged(1, vec![many]));
    assert_eq!(arms[0].results[0].spot.render_point(), "TP2/EP2 mtp c64x32");
}

fn any_row() -> impl Strategy<Value = (JudgedRow, usize)> {
    let config = prop::option::of("[ab]");
    let candidates = prop::collection::vec("[ab*]", 0..3);
    let numbers = (1u32..4, 1u32..4, prop::option::of(1u32..3), 1usize..4);
    (config, candidates, numbers, "\\PC{0,3}", any::<f64>(), prop::option::of(any::<f64>())).prop_map(
        |(config, candidates, (tp, conc, isl, metrics), task, score, stderr)| {
            let mut row = row(0, conc, &task, "m", score);
            row.axes.parallel.tp = tp;
            (JudgedRow { config, candidates, isl, stderr, ..row }, metrics)
        },
    )
}

proptest! {
    #[test]
    fn every_score_is_in_exactly_one_group(made in prop::collection::vec(any_row(), 0..40)) {
        let rows = made.into_iter().enumerate().flat_map(|(result, (row, metrics))| {
            (0..metrics).map(move |at| JudgedRow { result, metric: format!("m{at}"), ..row.clone() })
        });
        let judged = judged(1, rows.collect());
        let arms = arms(&judged);
        let mut seen: Vec<usize> = arms.iter().flat_map(|arm| &arm.results).flat_map(|scored| scored.rows.clone()).collect();
        seen.sort_unstable();
        prop_assert_eq!(seen, (0..judged.rows.len()).collect::<Vec<_>>());
        prop_assert!(arms.is_sorted_by(|a, b| a.name < b.name));
        for arm in &arms {
            for scored in &arm.results {
                let rows = scored.of(&judged);
                prop_assert!(rows.iter().all(|row| ArmName::of(row) == arm.name && Spot::of(row) == scored.spot));
                prop_assert_eq!(arm.at(&scored.spot).len(), scored.copies);
                prop_assert!((1..=scored.copies).contains(&scored.copy));
            }
        }
    }
}
