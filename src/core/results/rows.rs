//! The rows of a result artifact's JSON file, of fixed lengths and agentic.
//! Must not know: zip, rules, which numbers are good.

use super::python;
use super::{Energy, Flaw, FlawKind, Gpus, Measure, Outcome, Power, Reading, ResultRow, Scenario, Statistic, Throughput, Unit};
use crate::core::axes::{Axes, Concurrency};
use crate::core::ids::RunId;
use crate::core::members::{flag, optional_number, optional_text, parallelism, required, sentence, text};
use crate::core::trouble::{Trouble, TroubleKind};
use crate::core::yaml::Problem;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashSet};

type Object = Map<String, Value>;

/// What one file held.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Results {
    pub rows: Vec<ResultRow>,
    /// Rows left out because the file says exactly the same before.
    pub duplicates: usize,
    /// Rows kept although their point is measured before, with other numbers.
    pub repeats: usize,
    /// Members that no one here reads, and in how many rows.
    pub unknown: BTreeMap<String, usize>,
    /// Rows that cannot be read: the list is partial.
    pub trouble: Option<Trouble>,
}

impl Results {
    /// Numbers left out of the rows, because they are none or cannot be negative.
    pub fn flaws(&self, kind: FlawKind) -> usize {
        self.rows.iter().flat_map(|row| &row.flaws).filter(|flaw| flaw.kind == kind).count()
    }
}

/// Reads the rows of one JSON file of a result artifact: a list, or the one object of an agentic aggregate.
///
/// A row that cannot be read is left out and told by the trouble.
///
/// # Errors
/// The file is not JSON as Python writes it, or holds something else than rows.
pub fn parse(file: &str, run: RunId, bytes: &[u8]) -> Result<Results, Trouble> {
    let value = python::parse(bytes).map_err(|error| Problem::new(file, error.line(), sentence(&error)))?;
    let items = match value {
        Value::Array(items) => items,
        Value::Object(_) => vec![value],
        _ => return Err(Problem::new(file, 1, "a row or a list of rows was expected").into()),
    };
    let mut out = Results::default();
    let (mut seen, mut points) = (HashSet::new(), HashSet::new());
    let mut first = None;
    let mut bad = 0usize;
    for (index, item) in items.iter().enumerate() {
        let row = item.as_object().ok_or_else(|| "is not an object".to_owned()).and_then(|row| parse_row(run, row));
        match row {
            Ok((row, unknown)) => {
                if !seen.insert(item.to_string()) {
                    out.duplicates += 1;
                    continue;
                }
                let point = (row.axes.clone(), row.scenario.clone(), row.image.clone(), row.fingerprint.clone());
                out.repeats += usize::from(!points.insert(point));
                for member in unknown {
                    *out.unknown.entry(member).or_default() += 1;
                }
                out.rows.push(row);
            }
            Err(what) => {
                bad += 1;
                first.get_or_insert_with(|| format!("row {} {what}", index + 1));
            }
        }
    }
    out.trouble = first.map(|first| {
        let headline = format!("{file}: {bad} of {} rows cannot be read: {first}", items.len());
        Trouble::new(TroubleKind::Malformed, headline, "Open the artifact to see the row.")
    });
    Ok(out)
}

/// Members of both kinds of row, besides those that hold numbers.
const KNOWN: [&str; 58] = [
    "hw",
    "conc",
    "image",
    "model",
    "infmax_model_prefix",
    "framework",
    "precision",
    "spec_decoding",
    "disagg",
    "recipe_fingerprint",
    "isl",
    "osl",
    "is_multinode",
    "tp",
    "pp",
    "dcp_size",
    "pcp_size",
    "ep",
    "dp_attention",
    "prefill_tp",
    "prefill_pp",
    "prefill_dcp_size",
    "prefill_pcp_size",
    "prefill_ep",
    "prefill_dp_attention",
    "prefill_num_workers",
    "decode_tp",
    "decode_pp",
    "decode_dcp_size",
    "decode_pcp_size",
    "decode_ep",
    "decode_dp_attention",
    "decode_num_workers",
    "num_prefill_gpu",
    "num_decode_gpu",
    "num_aggregate_gpu",
    "num_gpus",
    "prefill_hw",
    "decode_hw",
    "router",
    "kv_p2p_transfer",
    "tput_per_gpu",
    "output_tput_per_gpu",
    "input_tput_per_gpu",
    "power_metric_schema_version",
    "power_valid",
    "power_invalid_reasons",
    "power_audit",
    "benchmark_outcome",
    "scenario_type",
    "kv_offloading",
    "kv_offload_backend",
    "allocated_cpu_dram_gb",
    "num_requests_total",
    "num_requests_successful",
    "request_accounting",
    "dataset",
    "request_metrics",
];

/// Blocks of an agentic row that tell of the server, not of the requests.
const SERVER: [&str; 3] = ["server_metrics", "kv_cache_pool_tokens", "warnings"];

fn parse_row(run: RunId, row: &Object) -> Result<(ResultRow, Vec<String>), String> {
    let metrics = match row.get("request_metrics") {
        None | Some(Value::Null) => None,
        Some(Value::Object(metrics)) => Some(metrics),
        Some(_) => return Err("has `request_metrics` that are not an object".to_owned()),
    };
    let kind = optional_text(row, "scenario_type")?;
    let scenario = match (metrics, kind) {
        (Some(_), name) => Scenario::Agentic { name: name.unwrap_or_else(|| "agentic".to_owned()) },
        (None, _) => Scenario::Fixed { isl: required(row, "isl")?, osl: required(row, "osl")? },
    };
    let (parallel, prefill, decode) = parallelism(row)?;
    let stated = |word: Option<String>| word.filter(|word| word != "none");
    let axes = Axes {
        model: text(row, "infmax_model_prefix")?,
        precision: text(row, "precision")?,
        runner: text(row, "hw")?.to_lowercase(),
        framework: text(row, "framework")?.to_lowercase(),
        parallel,
        spec: stated(optional_text(row, "spec_decoding")?),
        kv: stated(optional_text(row, "kv_offloading")?),
        kv_backend: backend(row)?,
        conc: Concurrency::One(required(row, "conc")?),
        prefill,
        decode,
    };
    let mut numbers = Numbers::default();
    let (throughput, readings) = match metrics {
        Some(metrics) => numbers.agentic(metrics),
        None => numbers.fixed(row),
    };
    let cache = metrics.and_then(|metrics| metrics.get("cache")).and_then(Value::as_object);
    let out = ResultRow {
        run,
        model: text(row, "model")?,
        scenario,
        image: optional_text(row, "image")?,
        fingerprint: optional_text(row, "recipe_fingerprint")?,
        gpus: gpus(row, &axes)?,
        throughput,
        readings,
        cache_hit_rate: cache.and_then(|cache| {
            numbers.take(cache, "theoretical_cache_hit_rate", "request_metrics.cache.").filter(|rate| *rate <= 1.0)
        }),
        power: power(row, &mut numbers)?,
        outcome: outcome(row)?,
        flaws: numbers.flaws,
        axes,
    };
    Ok((out, unknown(row, metrics)))
}

/// `{"name": "hicache"}`, or the name alone.
fn backend(row: &Object) -> Result<Option<String>, String> {
    match row.get("kv_offload_backend") {
        Some(Value::Object(backend)) => optional_text(backend, "name"),
        _ => optional_text(row, "kv_offload_backend"),
    }
}

/// Of one node all of tp·pp·pcp; of several what the row counts.
fn gpus(row: &Object, axes: &Axes) -> Result<Option<Gpus>, String> {
    let count = |key: &str| Ok::<_, String>(optional_number(row, key)?.filter(|&n| n > 0).map(u64::from));
    let (prefill, decode) = (count("num_prefill_gpu")?, count("num_decode_gpu")?);
    let counted = match count("num_gpus")?.or(count("num_aggregate_gpu")?) {
        Some(all) => Some(all),
        None if prefill.is_none() && decode.is_none() => None,
        None => Some(prefill.unwrap_or(0) + decode.unwrap_or(0)),
    };
    if counted.is_some() || flag(row, "is_multinode")?.unwrap_or(false) {
        return Ok(counted.map(|all| Gpus { all, prefill, decode }));
    }
    let sizes = [axes.parallel.tp, axes.parallel.pp, axes.parallel.pcp];
    let all = sizes.into_iter().try_fold(1u64, |all, size| all.checked_mul(u64::from(size)));
    Ok(all.filter(|&all| all > 0).map(|all| Gpus { all, prefill: None, decode: None }))
}

fn power(row: &Object, numbers: &mut Numbers) -> Result<Power, String> {
    if row.get("power_metric_schema_version").is_none_or(Value::is_null) && row.get("power_valid").is_none_or(Value::is_null) {
        return Ok(Power::NotMeasured);
    }
    let valid = match row.get("power_valid") {
        Some(Value::Bool(valid)) => *valid,
        _ => optional_number(row, "power_valid")? == Some(1),
    };
    if !valid {
        return Ok(Power::Invalid);
    }
    let mut take = |key: &str| numbers.take(row, key, "");
    Ok(Power::Valid(Energy {
        average_w: take("avg_power_w"),
        total_w: take("avg_total_gpu_power_w"),
        total_j: take("total_gpu_energy_j"),
        j_per_query: take("joules_per_successful_query"),
        j_per_input_token: take("joules_per_input_token"),
        j_per_output_token: take("joules_per_output_token"),
        j_per_token: take("joules_per_total_token"),
    }))
}

fn outcome(row: &Object) -> Result<Option<Outcome>, String> {
    let out = match row.get("benchmark_outcome") {
        Some(Value::Object(outcome)) => Outcome {
            requested: optional_number(outcome, "requested")?,
            completed: optional_number(outcome, "completed")?,
            errors: None,
            status: optional_text(outcome, "status")?,
        },
        _ => {
            let accounting = row.get("request_accounting").and_then(Value::as_object);
            let errors = accounting.map(|accounting| optional_number(accounting, "records_error_dropped")).transpose()?;
            Outcome {
                requested: optional_number(row, "num_requests_total")?,
                completed: optional_number(row, "num_requests_successful")?,
                errors: errors.flatten(),
                status: None,
            }
        }
    };
    let empty = Outcome { requested: None, completed: None, errors: None, status: None };
    Ok((out != empty).then_some(out))
}

/// Takes numbers out of a row, and notes those that are none.
#[derive(Default)]
struct Numbers {
    flaws: Vec<Flaw>,
}

impl Numbers {
    fn take(&mut self, object: &Object, key: &str, path: &str) -> Option<f64> {
        let kind = match object.get(key) {
            None | Some(Value::Null) => return None,
            Some(value) => match value.as_f64().filter(|number| number.is_finite()) {
                Some(number) if number >= 0.0 => return Some(number),
                Some(_) => FlawKind::Negative,
                None => FlawKind::NotANumber,
            },
        };
        self.flaws.push(Flaw { member: format!("{path}{key}"), kind });
        None
    }

    fn fixed(&mut self, row: &Object) -> (Throughput, Vec<Reading>) {
        let throughput = Throughput {
            total: self.take(row, "tput_per_gpu", ""),
            output: self.take(row, "output_tput_per_gpu", ""),
            input: self.take(row, "input_tput_per_gpu", ""),
        };
        let mut readings = Vec::new();
        for key in row.keys() {
            if let Some((measure, statistic)) = fixed_key(key)
                && let Some(value) = self.take(row, key, "")
                && !spread_of_a_rate(measure, statistic)
            {
                readings.push(Reading { measure, statistic, value });
            }
        }
        (throughput, readings)
    }

    fn agentic(&mut self, metrics: &Object) -> (Throughput, Vec<Reading>) {
        let inside = |object: &Object, key: &str| object.get(key).and_then(Value::as_object).cloned().unwrap_or_default();
        let per_gpu = inside(&inside(metrics, "throughput"), "per_gpu");
        let path = "request_metrics.throughput.per_gpu.";
        let throughput = Throughput {
            total: self.take(&per_gpu, "total_tput_tps", path),
            output: self.take(&per_gpu, "output_tput_tps", path),
            input: self.take(&per_gpu, "input_tput_tps", path),
        };
        let latency = inside(metrics, "latency");
        let mut readings: Vec<Reading> = Vec::new();
        for measure in Measure::ALL {
            let block = inside(&latency, measure.word());
            for key in block.keys() {
                let Some(statistic) = Statistic::parse(key) else { continue };
                let path = format!("request_metrics.latency.{}.", measure.word());
                let value = self.take(&block, key, &path);
                // `p50` and `median` are one statistic.
                let stands = readings.iter().any(|had| (had.measure, had.statistic) == (measure, statistic));
                if let Some(value) = value.filter(|_| !stands) {
                    readings.push(Reading { measure, statistic, value });
                }
            }
        }
        (throughput, readings)
    }
}

/// `p99.9_ttft`.
fn fixed_key(key: &str) -> Option<(Measure, Statistic)> {
    let (statistic, measure) = key.split_once('_')?;
    // `p50_…` would be the median once more.
    Some((Measure::parse(measure)?, Statistic::parse(statistic).filter(|_| statistic != "p50")?))
}

/// Fixed rows turn each statistic of a time into a rate; of the deviation that says nothing.
fn spread_of_a_rate(measure: Measure, statistic: Statistic) -> bool {
    statistic == Statistic::Std && measure.unit() == Unit::TokensPerSecondPerUser
}

/// Members that nothing above reads. Those of blocks are told with the block's name.
fn unknown(row: &Object, metrics: Option<&Object>) -> Vec<String> {
    let energy = |key: &str| {
        let key = key.strip_prefix("prefill_").or_else(|| key.strip_prefix("decode_")).unwrap_or(key);
        key.starts_with("avg_") || key.starts_with("joules_per_") || key == "total_gpu_energy_j"
    };
    let known = |key: &str| KNOWN.contains(&key) || SERVER.contains(&key) || energy(key) || fixed_key(key).is_some();
    let mut out: Vec<String> = row.keys().filter(|key| !known(key)).cloned().collect();
    let blocks = ["qps", "latency", "tokens", "throughput", "cache"];
    let inner = metrics.into_iter().flat_map(Map::keys).filter(|key| !blocks.contains(&key.as_str()));
    out.extend(inner.map(|key| format!("request_metrics.{key}")));
    let latency = metrics.and_then(|metrics| metrics.get("latency")).and_then(Value::as_object);
    let measures = latency.into_iter().flat_map(Map::keys).filter(|key| Measure::parse(key).is_none());
    out.extend(measures.map(|key| format!("request_metrics.latency.{key}")));
    out
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::core::axes::Parallel;
    use proptest::prelude::*;
    use serde_json::json;

    const RUN: RunId = RunId(7);

    /// The shape of one fixed-length row of one node.
    pub(crate) fn fixed() -> Value {
        json!({"hw": "b200", "conc": 64, "image": "o/i:v1", "model": "o/M", "infmax_model_prefix": "qwen3.5",
            "framework": "sglang", "precision": "fp4", "spec_decoding": "mtp", "disagg": false, "recipe_fingerprint": "9f",
            "isl": 8192, "osl": 1024, "is_multinode": false, "tp": 2, "pp": 1, "dcp_size": 1, "pcp_size": 1, "ep": 2,
            "dp_attention": "false", "tput_per_gpu": 21865.5, "output_tput_per_gpu": 2429.25,
            "input_tput_per_gpu": 19436.25, "mean_ttft": 0.9132, "median_ttft": 0.6405, "p99.9_ttft": 3.9012,
            "median_tpot": 0.01181, "median_intvty": 84.67, "std_intvty": 909.09, "p90_intvty": 74.63,
            "median_e2el": 11.7028, "power_metric_schema_version": 2, "power_valid": 0})
    }

    /// The shape of one agentic aggregate of one node.
    pub(crate) fn agentic() -> Value {
        json!({"hw": "cluster:b300-nv", "conc": 64, "image": "o/i:v2", "recipe_fingerprint": "", "model": "o/D",
            "infmax_model_prefix": "dsv4", "framework": "sglang", "precision": "fp4", "spec_decoding": "mtp",
            "disagg": false, "scenario_type": "agentic-coding", "is_multinode": false, "tp": 4, "ep": 4,
            "dp_attention": "true", "pp": 1, "dcp_size": 1, "pcp_size": 1, "kv_offloading": "dram",
            "kv_offload_backend": {"name": "hicache"}, "allocated_cpu_dram_gb": 1199, "num_requests_total": 1812,
            "num_requests_successful": 1741, "request_accounting": {"records_total": 1812, "records_error_dropped": 7},
            "request_metrics": {
                "latency": {"ttft": {"p50": 1.41, "p90": 3.88}, "e2el": {"p50": 21.4, "p75": 38.7, "p90": 74.2},
                    "intvty": {"p50": 58.1, "p90": 41.9}, "e2e_norm_intvty": {"p90": 22.31}},
                "throughput": {"duration_seconds": 3600.4,
                    "per_gpu": {"total_tput_tps": 21144.2, "output_tput_tps": 148.6, "input_tput_tps": 20995.6}},
                "cache": {"theoretical_cache_hit_rate": 0.951}},
            "kv_cache_pool_tokens": 1843200})
    }

    fn with(mut row: Value, changes: Value) -> Value {
        for (key, value) in changes.as_object().unwrap() {
            row[key] = value.clone();
        }
        row
    }

    fn results(rows: Value) -> Results {
        parse("f.json", RUN, rows.to_string().as_bytes()).unwrap()
    }

    fn read(row: Value) -> ResultRow {
        let found = results(json!([row]));
        assert_eq!((found.trouble, found.rows.len()), (None, 1));
        found.rows.into_iter().next().unwrap()
    }

    #[test]
    fn a_row_of_fixed_lengths() {
        let row = read(fixed());
        assert_eq!(row.axes.parallel, Parallel { tp: 2, ep: 2, ..Parallel::default() });
        assert_eq!(
            (row.scenario.clone(), row.render_point()),
            (Scenario::Fixed { isl: 8192, osl: 1024 }, "TP2/EP2 c64".into())
        );
        assert_eq!(row.gpus.map(|gpus| gpus.all), Some(2), "experts share the GPUs of the tensor group");
        assert_eq!(row.throughput, Throughput { total: Some(21865.5), output: Some(2429.25), input: Some(19436.25) });
        assert_eq!(row.reading(Measure::Ttft, Statistic::P999), Some(3.9012));
        assert_eq!(row.reading(Measure::E2el, Statistic::Median), Some(11.7028));
        assert_eq!(row.reading(Measure::E2el, Statistic::P90), None);
        assert_eq!(row.reading(Measure::Intvty, Statistic::Std), None, "the deviation of a rate says nothing");
        assert_eq!((row.power, row.outcome, row.flaws), (Power::Invalid, None, vec![]));
        assert_eq!(results(json!([fixed()])).unknown, BTreeMap::new());
    }

    #[test]
    fn an_agentic_aggregate_alone_or_among_others() {
        let alone = parse("f.json", RUN, agentic().to_string().as_bytes()).unwrap();
        let row = alone.rows[0].clone();
        assert_eq!(row.scenario, Scenario::Agentic { name: "agentic-coding".into() });
        assert_eq!((row.axes.kv.as_deref(), row.axes.kv_backend.as_deref()), (Some("dram"), Some("hicache")));
        assert_eq!(row.throughput.total, Some(21144.2));
        assert_eq!(row.reading(Measure::E2el, Statistic::Median), Some(21.4), "p50 is the median");
        assert_eq!(row.reading(Measure::E2eNormIntvty, Statistic::P90), Some(22.31));
        assert_eq!((row.cache_hit_rate, row.fingerprint.clone()), (Some(0.951), None));
        let outcome = row.outcome.clone().unwrap();
        assert_eq!((outcome.requested, outcome.completed, outcome.errors), (Some(1812), Some(1741), Some(7)));
        assert_eq!(alone.unknown, BTreeMap::new());
        assert_eq!(results(json!([fixed(), agentic()])).rows[1], row);
    }

    #[test]
    fn several_nodes_have_roles_and_the_flat_sum_is_not_read() {
        let roles = json!({"is_multinode": true, "tp": 12, "ep": 8, "prefill_tp": 8, "prefill_ep": 8,
            "prefill_dp_attention": "true", "prefill_num_workers": 2, "decode_tp": 4, "decode_num_workers": 6,
            "num_prefill_gpu": 16, "num_decode_gpu": 24});
        for row in [fixed(), agentic()] {
            let row = read(with(row, roles.clone()));
            assert_eq!(row.axes.render_parallel(), "2P (TP8/EP8/DPA) x 6D (TP4)");
            assert_eq!((row.axes.parallel.tp, row.gpus), (8, Some(Gpus { all: 40, prefill: Some(16), decode: Some(24) })));
        }
        let aggregated = json!({"decode_num_workers": 0, "num_prefill_gpu": null, "num_decode_gpu": null, "num_gpus": 8});
        let row = read(with(with(agentic(), roles.clone()), aggregated));
        assert_eq!((row.axes.render_parallel().as_str(), row.gpus.map(|g| g.all)), ("TP8/EP8/DPA", Some(8)));
        // With nothing but the sum, nobody knows the sides.
        let bare = results(json!([with(agentic(), json!({"is_multinode": true}))]));
        assert!(bare.trouble.unwrap().headline.contains("has no `prefill_num_workers`"));
    }

    #[test]
    fn numbers_that_are_none_are_counted_and_left_out() {
        let text =
            json!([fixed()]).to_string().replace("0.6405", "NaN").replace("11.7028", "-Infinity").replace("84.67", "-84.67");
        let found = parse("f.json", RUN, text.as_bytes()).unwrap();
        let row = &found.rows[0];
        let member = |member: &str, kind| Flaw { member: member.into(), kind };
        let want = [
            member("median_ttft", FlawKind::NotANumber),
            member("median_intvty", FlawKind::Negative),
            member("median_e2el", FlawKind::NotANumber),
        ];
        assert_eq!(row.flaws, want);
        assert_eq!(row.reading(Measure::Ttft, Statistic::Median), None);
        assert_eq!((found.flaws(FlawKind::NotANumber), found.flaws(FlawKind::Negative)), (2, 1));
        let mut row = agentic();
        row["request_metrics"]["throughput"]["per_gpu"]["total_tput_tps"] = json!(-1);
        row["request_metrics"]["latency"]["ttft"]["p90"] = json!("fast");
        row["request_metrics"]["latency"]["ttft"]["p50"] = json!(null);
        let row = read(row);
        let path = "request_metrics.throughput.per_gpu.total_tput_tps";
        let want = [member(path, FlawKind::Negative), member("request_metrics.latency.ttft.p90", FlawKind::NotANumber)];
        assert_eq!((row.throughput.total, row.flaws), (None, want.to_vec()));
    }

    #[test]
    fn power_counts_only_when_the_row_vouches_for_it() {
        let measured =
            json!({"power_valid": 1, "avg_power_w": 801.5, "joules_per_output_token": 1.25, "decode_avg_power_w": 1.0});
        let Power::Valid(energy) = read(with(fixed(), measured)).power else { panic!() };
        assert_eq!((energy.average_w, energy.j_per_output_token, energy.total_j), (Some(801.5), Some(1.25), None));
        assert_eq!(read(with(fixed(), json!({"avg_power_w": 801.5}))).power, Power::Invalid);
        let silent = json!({"power_valid": null, "power_metric_schema_version": null});
        assert_eq!(read(with(fixed(), silent)).power, Power::NotMeasured);
        let outcome = json!({"benchmark_outcome": {"requested": 640, "completed": 639, "status": "ok", "more": 1}});
        assert_eq!(read(with(fixed(), outcome)).outcome.unwrap().completed, Some(639));
    }

    #[test]
    fn repeated_rows_and_unknown_members_are_counted() {
        let again = with(fixed(), json!({"tput_per_gpu": 1.0}));
        let odd = with(fixed(), json!({"conc": 1, "new": 1, "p90_new": 2}));
        let mut nested = agentic();
        nested["request_metrics"]["latency"]["new"] = json!({});
        nested["request_metrics"]["more"] = json!(1);
        let found = results(json!([fixed(), fixed(), again, odd, nested]));
        assert_eq!((found.rows.len(), found.duplicates, found.repeats), (4, 1, 1));
        let unknown: Vec<(&str, usize)> = found.unknown.iter().map(|(key, count)| (key.as_str(), *count)).collect();
        assert_eq!(unknown, [("new", 1), ("p90_new", 1), ("request_metrics.latency.new", 1), ("request_metrics.more", 1)]);
    }

    #[test]
    fn a_bad_row_costs_itself() {
        let table = [
            (json!(null), "is not an object"),
            (with(fixed(), json!({"conc": -4})), "`conc` that is not a whole number"),
            (with(fixed(), json!({"isl": null})), "has no `isl`"),
            (with(fixed(), json!({"hw": ["b200"]})), "`hw` that is not a text"),
            (with(fixed(), json!({"infmax_model_prefix": ""})), "has no `infmax_model_prefix`"),
            (with(agentic(), json!({"request_metrics": 7})), "`request_metrics` that are not an object"),
        ];
        for (bad, want) in table {
            let found = results(json!([fixed(), bad, agentic()]));
            let headline = found.trouble.unwrap().headline;
            assert_eq!(found.rows.len(), 2);
            assert!(headline.starts_with("f.json: 1 of 3 rows cannot be read: row 2 "), "{headline}");
            assert!(headline.contains(want), "{headline} / {want}");
        }
        for (bytes, place) in
            [(&b"[\n{,}]"[..], "f.json:2: "), (b"7", "f.json:1: "), (b"", "f.json:1: "), (b"\xff", "f.json:1: ")]
        {
            let headline = parse("f.json", RUN, bytes).unwrap_err().headline;
            assert!(headline.starts_with(place), "{headline}");
        }
        assert_eq!(results(json!([])), Results::default());
    }

    #[test]
    #[cfg(feature = "github")]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn every_result_artifact_of_the_scenarios_is_read_whole() {
        use crate::core::policy::scenario;
        let table = [
            ("2550-green", 2550, 9, 0),
            ("2492", 2492, 18, 0),
            ("2256", 2256, 15, 0),
            ("2349", 2349, 14, 0),
            ("2313", 2313, 10, 0),
        ];
        for (name, number, rows, duplicates) in table {
            let found = parse("agg_bmk.json", RUN, &scenario::artifact(name, number, "results_bmk", "agg_bmk.json")).unwrap();
            assert_eq!((found.rows.len(), found.duplicates, found.repeats), (rows, duplicates, 0), "{name}");
            assert_eq!((found.trouble, found.unknown), (None, BTreeMap::new()), "{name}");
            assert!(found.rows.iter().all(|row| row.flaws.is_empty() && row.gpus.is_some() && row.readings.len() > 20));
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(bytes in prop::collection::vec(any::<u8>(), 0..200), at in any::<prop::sample::Index>(), key in "[a-z_]{1,12}", value in "\\PC{0,12}", number in any::<f64>()) {
            let _ = parse("f", RUN, &bytes);
            for row in [fixed(), agentic()] {
                let keys: Vec<String> = row.as_object().unwrap().keys().cloned().chain([key.clone()]).collect();
                let key = at.get(&keys);
                let odd = json!({"latency": {"ttft": value, "e2el": {"p90": number}}, "throughput": number});
                for value in [json!(&value), json!(number), odd] {
                    let _ = results(json!([with(row.clone(), json!({ key: value }))]));
                }
            }
        }
    }
}
