//! Curves of small tables, and of odd rows. Must not know: how rows are read.

use super::super::rows::tests::{agentic, fixed};
use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};

pub const GROUPING: Grouping<'static> = Grouping {
    fixed: &[Statistic::Median],
    agentic: &[Statistic::P90, Statistic::P75],
    runner_prefix: "cluster:",
    speculative_suffix: "_mtp",
    canonical: true,
};

fn with(mut row: Value, changes: Value) -> Value {
    for (key, value) in changes.as_object().unwrap() {
        row[key] = value.clone();
    }
    row
}

fn rows(list: Vec<Value>) -> Vec<ResultRow> {
    let found = super::super::parse("f.json", RunId(7), Value::from(list).to_string().as_bytes()).unwrap();
    assert_eq!(found.trouble, None);
    found.rows
}

fn point(conc: u32, latency: Value, rate: Value, throughput: Value) -> Value {
    let changes = json!({"conc": conc, "median_e2el": latency, "median_intvty": rate, "tput_per_gpu": throughput});
    with(fixed(), changes)
}

#[test]
fn both_views_draw_the_same_points_against_another_axis() {
    let rows = rows(vec![
        point(1, json!(4.0), json!(120.0), json!(900.0)),
        point(2, json!(6.0), json!(80.0), json!(1500.0)),
        point(4, json!(7.0), json!(90.0), json!(1400.0)),
        point(8, json!(9.0), json!(50.0), json!(2100.0)),
    ]);
    let kept = |view| -> Vec<(usize, f64)> {
        let drawn = curves(&rows, GROUPING, view);
        assert_eq!((drawn.len(), drawn[0].len()), (1, 4));
        drawn[0].kept().map(|point| (point.row, point.x)).collect()
    };
    assert_eq!(kept(View::Latency), [(0, 4.0), (1, 6.0), (3, 9.0)]);
    // The third delivers less than the second, and faster.
    assert_eq!(kept(View::Interactivity), [(3, 50.0), (1, 80.0), (2, 90.0), (0, 120.0)]);
}

#[test]
fn what_cannot_be_drawn_says_why_and_what_is_measured_again_is_counted() {
    let twice = [point(1, json!(4.0), json!(1.0), json!(900.0)), point(1, json!(4.5), json!(1.0), json!(950.0))];
    let rows = rows(
        twice
            .into_iter()
            .chain([
                point(2, json!(null), json!(1.0), json!(1.0)),
                point(4, json!("NaN"), json!(1.0), json!(1.0)),
                point(8, json!(1.0), json!(1.0), json!(-1.0)),
                point(16, json!(1.0), json!(1.0), json!(0.0)),
            ])
            .collect(),
    );
    let curve = curves(&rows, GROUPING, View::Latency).remove(0);
    let told: Vec<(usize, String)> = curve.invalid.iter().map(|invalid| (invalid.row, invalid.render())).collect();
    let want = [
        (2, "the median E2E latency is missing"),
        (3, "the median E2E latency is not a number"),
        (4, "the total throughput is negative"),
        (5, "the total throughput is zero"),
    ];
    assert_eq!(told, want.map(|(row, why)| (row, why.to_owned())));
    let repeats: Vec<(usize, Option<usize>)> = curve.points.iter().map(|point| (point.row, point.repeats)).collect();
    assert_eq!(repeats, [(0, None), (1, Some(0))]);
    assert_eq!(curve.summary(), "2 of 6 points on the frontier, 1 measured again, 4 cannot be drawn");
}

#[test]
fn an_agentic_row_stands_on_one_curve_for_each_percentile_and_without_a_policy_on_one() {
    let rows = rows(vec![agentic(), fixed()]);
    let names = |grouping: Grouping<'_>| -> Vec<String> {
        curves(&rows, grouping, View::Latency).iter().map(|curve| curve.key.to_string()).collect()
    };
    let fixed = "qwen3.5 8192/1024 b200_sglang_mtp fp4, median";
    let want = ["dsv4 agentic-coding b300_sglang fp4, p75", "dsv4 agentic-coding b300_sglang fp4, p90", fixed];
    assert_eq!(names(GROUPING), want);
    let plain =
        ["dsv4 agentic-coding cluster:b300_sglang fp4, median", "qwen3.5 8192/1024 b200_sglang_speculative fp4, median"];
    assert_eq!(names(Grouping::PLAIN), plain);
    let twice = Grouping { fixed: &[Statistic::Median, Statistic::Median], ..GROUPING };
    assert_eq!(names(twice), want);
}

#[test]
fn twins_are_the_same_curve_of_another_run() {
    let key = curves(&rows(vec![fixed()]), GROUPING, View::Latency).remove(0).key;
    assert!(key.is_twin(&CurveKey { run: RunId(8), ..key.clone() }));
    assert!(!key.is_twin(&CurveKey { precision: "fp8".into(), ..key.clone() }));
}

pub fn number() -> impl Strategy<Value = Value> {
    prop_oneof![
        6 => (1u8..5).prop_map(|n| json!(n)),
        1 => any::<f64>().prop_map(|n| json!(n)),
        1 => Just(json!("NaN")),
        1 => Just(json!(null)),
        1 => Just(json!(0)),
    ]
}

/// Rows of few points, so that repeats are common, and of odd numbers and names.
pub fn some_rows() -> impl Strategy<Value = Vec<ResultRow>> {
    let row = (0u8..2, 1u32..4, number(), number(), number(), prop_oneof![3 => Just("b200".to_owned()), 1 => "\\PC{1,8}"]);
    prop::collection::vec(row, 0..12).prop_map(|list| {
        let values = list.into_iter().map(|(kind, conc, x, rate, y, hw)| match kind {
            0 => with(point(conc, x, rate, y), json!({"hw": hw})),
            _ => {
                let mut row = with(agentic(), json!({"conc": conc, "hw": hw}));
                let latency = json!({"e2el": {"p90": x, "p75": y}, "intvty": {"p90": rate}, "e2e_norm_intvty": {"p90": rate}});
                row["request_metrics"]["latency"] = latency;
                row["request_metrics"]["throughput"]["per_gpu"]["total_tput_tps"] = y;
                row
            }
        });
        super::super::parse("f", RunId(7), Value::from(values.collect::<Vec<_>>()).to_string().as_bytes()).unwrap().rows
    })
}

proptest! {
    #[test]
    fn every_row_stands_once_on_each_of_its_curves(rows in some_rows()) {
        for view in View::ALL {
            let drawn = curves(&rows, GROUPING, view);
            let standing: usize = drawn.iter().map(Curve::len).sum();
            prop_assert_eq!(standing, rows.iter().map(|row| keys(row, GROUPING).count()).sum::<usize>());
            for curve in &drawn {
                let kept: Vec<&CurvePoint> = curve.kept().collect();
                prop_assert!(kept.iter().all(|point| point.x > 0.0 && point.y > 0.0 && point.x.is_finite()));
                prop_assert!(kept.iter().all(|point| rows[point.row].axes.precision == curve.key.precision));
                prop_assert!(curve.points.is_sorted_by(|a, b| a.x <= b.x));
                prop_assert!(curve.points.is_empty() || !kept.is_empty() || curve.key.scenario.is_agentic() || view == View::Interactivity);
                // Along the frontier more throughput is paid with the other axis.
                let ys: Vec<f64> = kept.iter().map(|point| point.y).collect();
                match view {
                    View::Latency => prop_assert!(ys.is_sorted_by(|a, b| a <= b)),
                    View::Interactivity => prop_assert!(ys.is_sorted_by(|a, b| a >= b)),
                }
            }
        }
    }
}
