//! The curves that the rows of a run draw, judged: each needs enough points on its frontier, and none that cannot be drawn.
//! Must not know: facts, pull requests, which curves a change affects, how a curve is drawn.

use super::ParetoPolicy;
use crate::core::results::{self, CurveKey, ResultRow, View};
use serde::Serialize;

/// One curve, judged.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Curve {
    pub key: CurveKey,
    /// The frontier, by rising latency.
    pub kept: Vec<CurvePoint>,
    /// Points whose latency or throughput is missing, not a number or not above zero: places among the rows.
    pub invalid: Vec<usize>,
    /// All points, kept or not.
    pub points: usize,
    pub verdict: Verdict,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CurvePoint {
    /// Its place among the rows.
    pub row: usize,
    /// End to end, in seconds.
    pub latency: f64,
    /// Tokens per second and GPU.
    pub throughput: f64,
}

/// This rule never fails a pull request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Pass,
    Warn,
}

/// The curves that the rows draw, in the order of their keys.
pub fn curves(rows: &[ResultRow], policy: &ParetoPolicy) -> Vec<Curve> {
    results::curves(rows, policy.grouping(), View::Latency).iter().map(|curve| judge(curve, policy)).collect()
}

fn judge(curve: &results::Curve, policy: &ParetoPolicy) -> Curve {
    let point = |point: &results::CurvePoint| CurvePoint { row: point.row, latency: point.x, throughput: point.y };
    let kept: Vec<CurvePoint> = curve.kept().map(point).collect();
    let invalid: Vec<usize> = curve.invalid.iter().map(|invalid| invalid.row).collect();
    let enough = invalid.is_empty() && kept.len() >= policy.minimum;
    let verdict = if enough { Verdict::Pass } else { Verdict::Warn };
    Curve { key: curve.key.clone(), kept, invalid, points: curve.len(), verdict }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::ids::RunId;
    use crate::core::results::{Statistic, parse, rows::tests::fixed};
    use crate::core::yaml;
    use serde_json::{Value, json};

    fn policy() -> ParetoPolicy {
        let text = "{minimum: 5, below: Ask., fixed: [median], agentic: [p90, p75], runner_prefix: 'cluster:', speculative_suffix: _mtp, canonical: true}";
        yaml::parse("p.yaml", text).unwrap()
    }

    fn row(x: Value, y: Value, changes: Value) -> Value {
        let mut row = fixed();
        (row["median_e2el"], row["tput_per_gpu"]) = (x, y);
        for (key, value) in changes.as_object().unwrap() {
            row[key] = value.clone();
        }
        row
    }

    fn draw(rows: &[Value]) -> Vec<Curve> {
        let parsed = parse("f.json", RunId(7), Value::from(rows.to_vec()).to_string().as_bytes()).unwrap();
        assert_eq!(parsed.trouble, None);
        curves(&parsed.rows, &policy())
    }

    fn example(count: usize) -> Vec<Value> {
        let list = [(4.0, 900.0), (5.0, 1500.0), (6.5, 1500.0), (9.0, 2100.0), (14.0, 2600.0), (30.0, 2550.0)];
        list.iter().take(count).map(|&(x, y)| row(json!(x), json!(y), json!({}))).collect()
    }

    #[test]
    fn enough_points_pass_and_one_bad_point_warns() {
        let verdict = |rows: &[Value]| {
            let curves = draw(rows);
            assert_eq!(curves.len(), 1);
            (curves[0].verdict, curves[0].kept.len(), curves[0].invalid.clone())
        };
        assert_eq!(verdict(&example(6)), (Verdict::Pass, 5, vec![]));
        assert_eq!(verdict(&example(4)), (Verdict::Warn, 4, vec![]));
        for bad in [json!(null), json!(0), json!(-3.5), json!("NaN")] {
            let mut rows = example(6);
            rows.push(row(bad, json!(10.0), json!({})));
            assert_eq!(verdict(&rows), (Verdict::Warn, 5, vec![6]));
        }
        assert_eq!(draw(&[]), []);
    }

    #[test]
    fn curves_differ_by_all_that_the_key_tells() {
        let changes = [
            json!({}),
            json!({"hw": "cluster:b200-other", "conc": 1}),
            json!({"spec_decoding": "none"}),
            json!({"framework": "vllm"}),
            json!({"precision": "fp8"}),
            json!({"isl": 1024}),
            json!({"infmax_model_prefix": "other"}),
            json!({"hw": "b300"}),
        ];
        let rows: Vec<Value> = changes.into_iter().map(|changes| row(json!(1.0), json!(2.0), changes)).collect();
        let mut keys: Vec<String> = draw(&rows)
            .iter()
            .map(|curve| {
                let key = &curve.key;
                format!("{} {} {} {} {}", key.model, key.scenario, key.hardware, key.precision, curve.points)
            })
            .collect();
        keys.sort();
        let want = [
            "other 8192/1024 b200_sglang_mtp fp4 1",
            "qwen3.5 1024/1024 b200_sglang_mtp fp4 1",
            "qwen3.5 8192/1024 b200_sglang fp4 1",
            "qwen3.5 8192/1024 b200_sglang_mtp fp4 2",
            "qwen3.5 8192/1024 b200_sglang_mtp fp8 1",
            "qwen3.5 8192/1024 b200_vllm_mtp fp4 1",
            "qwen3.5 8192/1024 b300_sglang_mtp fp4 1",
        ];
        assert_eq!(keys, want);
    }

    fn agentic(conc: u32, p90: f64, p75: f64, rate: Option<f64>, y: f64) -> Value {
        let mut row = crate::core::results::rows::tests::agentic();
        row["conc"] = json!(conc);
        row["request_metrics"] = json!({
            "latency": {"e2el": {"p90": p90, "p75": p75}, "e2e_norm_intvty": {"p90": rate}},
            "throughput": {"per_gpu": {"total_tput_tps": y}}
        });
        row
    }

    #[test]
    fn agentic_points_count_where_the_canonical_frontier_has_them_too() {
        // The third is slower per token than the second and delivers less: it is no point of the canonical frontier.
        let rows = [
            agentic(1, 5.0, 4.0, Some(50.0), 100.0),
            agentic(2, 7.0, 6.0, Some(40.0), 300.0),
            agentic(3, 6.0, 5.0, Some(30.0), 200.0),
            agentic(4, 9.0, 8.0, Some(20.0), 400.0),
        ];
        let kept = |curves: &[Curve]| -> Vec<(Statistic, Vec<usize>)> {
            curves.iter().map(|c| (c.key.percentile, c.kept.iter().map(|point| point.row).collect())).collect()
        };
        let drawn = draw(&rows);
        assert_eq!(drawn[0].key.hardware, "b300_sglang", "agentic rows have no suffix");
        assert_eq!(kept(&drawn), [(Statistic::P75, vec![0, 2, 1, 3]), (Statistic::P90, vec![0, 1, 3])]);
        let untold: Vec<Value> = (1u32..4).map(|n| agentic(n, f64::from(n), 1.0, None, f64::from(n))).collect();
        assert_eq!(kept(&draw(&untold))[1], (Statistic::P90, vec![0, 1, 2]));
    }
}
