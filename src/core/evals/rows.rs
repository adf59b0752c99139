//! The rows of an eval artifact's JSON file.
//! Must not know: thresholds, zip.

use super::{EvalRow, Metric};
use crate::core::axes::{Axes, Concurrency};
use crate::core::members::{optional_number, optional_text, parallelism, required, sentence, text};
use crate::core::trouble::{Trouble, TroubleKind};
use crate::core::yaml::Problem;
use serde_json::{Map, Value};

/// Metrics by their keys; `score_name` may name one more.
const METRICS: [&str; 3] = ["em_strict", "em_flexible", "accuracy"];

/// Reads the rows of one JSON file of an eval artifact.
///
/// A row that cannot be read is left out and told by the trouble, so that the list is partial and the others are kept.
///
/// # Errors
/// The file is not JSON, or not a list.
pub fn parse_rows(file: &str, bytes: &[u8]) -> Result<(Vec<EvalRow>, Option<Trouble>), Trouble> {
    let value: Value = serde_json::from_slice(bytes).map_err(|error| Problem::new(file, error.line(), sentence(&error)))?;
    let Value::Array(items) = value else {
        return Err(Problem::new(file, 1, "a list of rows was expected").into());
    };
    let mut rows = Vec::with_capacity(items.len());
    let mut first = None;
    let mut bad = 0usize;
    for (index, item) in items.iter().enumerate() {
        match item.as_object().ok_or_else(|| "is not an object".to_owned()).and_then(parse_row) {
            Ok(row) => rows.push(row),
            Err(what) => {
                bad += 1;
                first.get_or_insert_with(|| format!("row {} {what}", index + 1));
            }
        }
    }
    let trouble = first.map(|first| {
        let headline = format!("{file}: {bad} of {} rows cannot be read: {first}", items.len());
        Trouble::new(TroubleKind::Malformed, headline, "Open the artifact to see the row.")
    });
    Ok((rows, trouble))
}

fn parse_row(row: &Map<String, Value>) -> Result<EvalRow, String> {
    let (parallel, prefill, decode) = parallelism(row)?;
    let axes = Axes {
        model: text(row, "model_prefix")?,
        precision: text(row, "precision")?,
        // Upper-cased by the collector; everywhere else runners are lower-case.
        runner: text(row, "hw")?.to_lowercase(),
        framework: text(row, "framework")?.to_lowercase(),
        spec: optional_text(row, "spec_decoding")?.filter(|word| word != "none"),
        kv: optional_text(row, "kv_offloading")?.filter(|word| word != "none"),
        kv_backend: None,
        conc: Concurrency::One(required(row, "conc")?),
        parallel,
        prefill,
        decode,
    };
    let metrics = metrics(row)?;
    if metrics.is_empty() {
        return Err("holds no score".to_owned());
    }
    Ok(EvalRow {
        axes,
        model: text(row, "model")?,
        // 0 stands for agentic lanes, which have no fixed lengths.
        isl: optional_number(row, "isl")?.filter(|&length| length > 0),
        osl: optional_number(row, "osl")?.filter(|&length| length > 0),
        task: text(row, "task")?,
        metrics,
        n: optional_number(row, "n_eff")?.map(u64::from),
    })
}

fn metrics(row: &Map<String, Value>) -> Result<Vec<Metric>, String> {
    let mut out = Vec::new();
    for name in METRICS {
        if let Some(score) = share(row, name)? {
            out.push(Metric { name: name.to_owned(), score, stderr: share(row, &format!("{name}_se"))? });
        }
    }
    let name = optional_text(row, "score_name")?.unwrap_or_else(|| "score".to_owned());
    if let Some(score) = share(row, "score")? {
        // `score` repeats the metric it names; without a name and without any other metric it is one by itself.
        let repeats = out.iter().any(|metric: &Metric| metric.name == name) || (name == "score" && !out.is_empty());
        if !repeats {
            out.push(Metric { name, score, stderr: share(row, "score_se")? });
        }
    }
    Ok(out)
}

/// A number between 0 and 1.
fn share(row: &Map<String, Value>, key: &str) -> Result<Option<f64>, String> {
    match row.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_f64() {
            Some(number) if (0.0..=1.0).contains(&number) => Ok(Some(number)),
            _ => Err(format!("has a `{key}` that is not a number between 0 and 1")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::axes::Parallel;
    use proptest::prelude::*;
    use serde_json::json;

    fn single() -> Value {
        json!({"is_multinode": false, "model_prefix": "qwen3.5", "model": "n/Q", "hw": "CLUSTER:B300-NV", "framework": "sglang",
            "precision": "fp4", "spec_decoding": "mtp", "isl": 8192, "osl": 1024, "tp": 2, "ep": 2, "prefill_tp": 2,
            "decode_tp": 2, "conc": 64, "dp_attention": "true", "task": "gsm8k", "em_strict": 0.968, "em_strict_se": 0.0048,
            "em_flexible": 0.97, "em_flexible_se": 0.0047, "n_eff": 1319, "source": "x", "score": 0.968,
            "score_name": "em_strict", "score_se": 0.0048})
    }

    fn with(changes: Value) -> Value {
        let mut row = single();
        for (key, value) in changes.as_object().unwrap() {
            row[key] = value.clone();
        }
        row
    }

    fn read(row: Value) -> EvalRow {
        let (rows, trouble) = parse_rows("f.json", json!([row]).to_string().as_bytes()).unwrap();
        assert_eq!(trouble, None);
        rows.into_iter().next().unwrap()
    }

    fn metrics_of(row: Value) -> Vec<(String, f64, Option<f64>)> {
        read(row).metrics.into_iter().map(|m| (m.name, m.score, m.stderr)).collect()
    }

    #[test]
    fn a_single_node_row() {
        let row = read(single());
        assert_eq!((row.axes.runner.as_str(), row.axes.spec.as_deref()), ("cluster:b300-nv", Some("mtp")));
        assert_eq!(row.axes.parallel, Parallel { tp: 2, ep: 2, dpa: true, ..Parallel::default() });
        assert_eq!((row.axes.prefill, row.axes.decode, row.axes.conc), (None, None, Concurrency::One(64)));
        assert_eq!((row.isl, row.osl, row.n, row.task.as_str()), (Some(8192), Some(1024), Some(1319), "gsm8k"));
        assert_eq!(
            metrics_of(single()),
            [("em_strict".into(), 0.968, Some(0.0048)), ("em_flexible".into(), 0.97, Some(0.0047))]
        );
    }

    #[test]
    fn spellings_of_flags_numbers_and_nothing() {
        let row = read(with(
            json!({"dp_attention": false, "isl": "0", "osl": "", "spec_decoding": "none", "n_eff": null, "pp": 4, "dcp_size": 0}),
        ));
        assert_eq!((row.axes.parallel.dpa, row.axes.parallel.pp, row.axes.parallel.dcp), (false, 4, 1));
        assert_eq!((row.isl, row.osl, row.n, row.axes.spec), (None, None, None, None));
    }

    #[test]
    fn a_multi_node_row_has_roles() {
        let roles = json!({"is_multinode": true, "prefill_num_workers": 2, "prefill_tp": 8, "prefill_ep": 8,
            "prefill_dp_attention": "true", "decode_num_workers": 1, "decode_tp": 4, "decode_dp_attention": "false"});
        let row = read(with(roles.clone()));
        assert_eq!(row.axes.render_parallel(), "2P (TP8/EP8/DPA) x 1D (TP4)");
        assert_eq!(row.axes.parallel, row.axes.prefill.unwrap().parallel);
        let mut aggregated = roles;
        aggregated["decode_num_workers"] = json!(0);
        assert_eq!(read(with(aggregated)).axes.render_parallel(), "TP8/EP8/DPA");
    }

    #[test]
    fn a_score_of_its_own_is_a_metric() {
        let none = json!({"em_strict": null, "em_flexible": null});
        let mut row = none.clone();
        row["score_name"] = json!("accuracy");
        row["accuracy"] = json!(0.5367);
        row["score"] = json!(0.5367);
        assert_eq!(metrics_of(with(row)), [("accuracy".into(), 0.5367, None)]);
        let mut row = none.clone();
        row["score_name"] = json!("resolved");
        assert_eq!(metrics_of(with(row)), [("resolved".into(), 0.968, Some(0.0048))]);
        let mut row = none;
        row["score_name"] = json!(null);
        assert_eq!(metrics_of(with(row)), [("score".into(), 0.968, Some(0.0048))]);
    }

    #[test]
    fn a_row_that_cannot_be_read_makes_the_list_partial() {
        let table = [
            (json!(7), "is not an object"),
            (with(json!({"conc": "many"})), "`conc` that is not a whole number"),
            (with(json!({"conc": -1})), "`conc` that is not a whole number"),
            (with(json!({"tp": null})), "has no `tp`"),
            (with(json!({"task": ""})), "has no `task`"),
            (with(json!({"em_strict": "0.9"})), "`em_strict` that is not a number between 0 and 1"),
            (with(json!({"em_strict": 96.8})), "`em_strict` that is not a number between 0 and 1"),
            (with(json!({"dp_attention": "yes"})), "neither true nor false"),
            (with(json!({"em_strict": null, "em_flexible": null, "score": null})), "holds no score"),
        ];
        for (bad, want) in table {
            let (rows, trouble) = parse_rows("f.json", json!([single(), bad, single()]).to_string().as_bytes()).unwrap();
            let trouble = trouble.unwrap();
            assert_eq!((rows.len(), trouble.kind), (2, TroubleKind::Malformed));
            assert!(trouble.headline.starts_with("f.json: 1 of 3 rows cannot be read: row 2 "), "{}", trouble.headline);
            assert!(trouble.headline.contains(want), "{} / {want}", trouble.headline);
        }
    }

    #[test]
    fn a_file_that_is_no_list_names_its_place() {
        for (bytes, place) in
            [(&b"[\n{,}]"[..], "f.json:2: "), (b"{}", "f.json:1: "), (b"", "f.json:1: "), (b"\xff", "f.json:1: ")]
        {
            let trouble = parse_rows("f.json", bytes).unwrap_err();
            assert_eq!(trouble.kind, TroubleKind::Malformed);
            assert!(trouble.headline.starts_with(place), "{}", trouble.headline);
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(bytes in prop::collection::vec(any::<u8>(), 0..200), key in "[a-z_]{1,12}", value in "\\PC{0,12}") {
            let _ = parse_rows("f", &bytes);
            let _ = parse_rows("f", json!([with(json!({key: value}))]).to_string().as_bytes());
        }
    }
}
