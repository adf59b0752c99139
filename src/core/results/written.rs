//! A row as this program writes it in JSON, units in the names of its members, and how that is read again.
//! Must not know: what stands beside the rows in a document, files.

use super::{
    Energy, Figure, Flaw, FlawKind, Gpus, Measure, Outcome, Power, Reading, ResultRow, Results, Scenario, Statistic,
    Throughput, Unit,
};
use crate::core::ids::RunId;
use crate::core::trouble::{Trouble, TroubleKind};
use crate::core::yaml::Problem;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The member that every document of ours begins with.
pub const SCHEMA: &str = "schema";

/// The newest that is read here.
const NEWEST: u64 = 1;

/// Members of a row, besides its readings.
#[derive(Serialize, Deserialize)]
struct Frame {
    run: RunId,
    model: String,
    scenario: Scenario,
    axes: super::super::axes::Axes,
    #[serde(default)]
    image: Option<String>,
    #[serde(default)]
    fingerprint: Option<String>,
    #[serde(default)]
    gpus: Option<Gpus>,
    /// A number in JSON is finite, and a hand may have made it negative.
    #[serde(default)]
    total_tok_s_gpu: Option<f64>,
    #[serde(default)]
    output_tok_s_gpu: Option<f64>,
    #[serde(default)]
    input_tok_s_gpu: Option<f64>,
    #[serde(default)]
    cache_hit_rate: Option<f64>,
    #[serde(default)]
    power: PowerWord,
    #[serde(default)]
    energy: Option<Meters>,
    #[serde(default)]
    outcome: Option<Outcome>,
    #[serde(default)]
    flaws: Vec<Flaw>,
}

#[derive(Serialize, Deserialize, Default, Clone, Copy, PartialEq)]
#[serde(rename_all = "snake_case")]
enum PowerWord {
    #[default]
    NotMeasured,
    Invalid,
    Valid,
}

#[derive(Serialize, Deserialize)]
#[serde(default)]
#[derive(Default)]
struct Meters {
    average_w: Option<f64>,
    total_w: Option<f64>,
    total_j: Option<f64>,
    query_j: Option<f64>,
    input_token_j: Option<f64>,
    output_token_j: Option<f64>,
    token_j: Option<f64>,
}

/// The row's members, in their order.
pub fn row(row: &ResultRow) -> Map<String, Value> {
    let (power, energy) = match &row.power {
        Power::NotMeasured => (PowerWord::NotMeasured, None),
        Power::Invalid => (PowerWord::Invalid, None),
        Power::Valid(energy) => (PowerWord::Valid, Some(Meters::of(energy))),
    };
    let frame = Frame {
        run: row.run,
        model: row.model.clone(),
        scenario: row.scenario.clone(),
        axes: row.axes.clone(),
        image: row.image.clone(),
        fingerprint: row.fingerprint.clone(),
        gpus: row.gpus,
        total_tok_s_gpu: row.throughput.total,
        output_tok_s_gpu: row.throughput.output,
        input_tok_s_gpu: row.throughput.input,
        cache_hit_rate: row.cache_hit_rate,
        power,
        energy,
        outcome: row.outcome.clone(),
        flaws: row.flaws.clone(),
    };
    // A struct of texts and numbers has no way to fail.
    let mut out = match serde_json::to_value(frame) {
        Ok(Value::Object(members)) => members,
        _ => Map::new(),
    };
    for measure in Measure::ALL {
        let of = row.readings.iter().filter(|reading| reading.measure == measure);
        let block: Map<String, Value> = of.map(|reading| (reading.statistic.word().to_owned(), json!(reading.value))).collect();
        if !block.is_empty() {
            out.insert(member(measure), Value::Object(block));
        }
    }
    out
}

/// `ttft_s`, `intvty_tok_s_user`.
fn member(measure: Measure) -> String {
    format!("{}_{}", measure.word(), measure.unit().key())
}

impl Meters {
    fn of(energy: &Energy) -> Meters {
        Meters {
            average_w: energy.average_w,
            total_w: energy.total_w,
            total_j: energy.total_j,
            query_j: energy.j_per_query,
            input_token_j: energy.j_per_input_token,
            output_token_j: energy.j_per_output_token,
            token_j: energy.j_per_token,
        }
    }

    fn energy(&self) -> Energy {
        Energy {
            average_w: sound(self.average_w),
            total_w: sound(self.total_w),
            total_j: sound(self.total_j),
            j_per_query: sound(self.query_j),
            j_per_input_token: sound(self.input_token_j),
            j_per_output_token: sound(self.output_token_j),
            j_per_token: sound(self.token_j),
        }
    }
}

/// None of the numbers can be negative.
fn sound(value: Option<f64>) -> Option<f64> {
    value.filter(|value| value.is_finite() && *value >= 0.0)
}

/// The rows of a document of ours.
///
/// # Errors
/// It is of a newer program, or has no points.
pub(super) fn parse(name: &str, document: &Map<String, Value>) -> Result<Results, Trouble> {
    let malformed = |message: &str| Trouble::from(Problem::new(name, 1, message));
    match document.get(SCHEMA).and_then(Value::as_u64) {
        Some(schema) if schema <= NEWEST => {}
        Some(_) => {
            let hint = "Write it again with this version, or compare with the newer one.";
            let headline = format!("{name} was written by a newer version of this program.");
            return Err(Trouble::new(TroubleKind::Malformed, headline, hint));
        }
        None => return Err(malformed("has a `schema` that is not a number")),
    }
    let points = document.get("points").and_then(Value::as_array);
    let points = points.ok_or_else(|| malformed("has no `points`: it is not what `countersign results --json` writes"))?;
    let mut out = Results::default();
    let mut first = None;
    let mut bad = 0usize;
    for (index, point) in points.iter().enumerate() {
        match parse_row(point) {
            Ok(row) => out.rows.push(row),
            Err(what) => {
                bad += 1;
                first.get_or_insert_with(|| format!("point {}: {what}", index + 1));
            }
        }
    }
    let whole = document.get("complete") == Some(&Value::Bool(true));
    out.trouble = match first {
        Some(first) => {
            let headline = format!("{name}: {bad} of {} points cannot be read: {first}", points.len());
            Some(Trouble::new(TroubleKind::Malformed, headline, "Write the file again."))
        }
        None if !whole => {
            let headline = format!("{name} says itself that it is not complete.");
            Some(Trouble::new(TroubleKind::Malformed, headline, "Write it again when everything can be read."))
        }
        None => None,
    };
    Ok(out)
}

fn parse_row(value: &Value) -> Result<ResultRow, String> {
    let mut frame: Frame = serde_json::from_value(value.clone()).map_err(|error| error.to_string())?;
    let mut readings = Vec::new();
    let mut bad: Vec<(Figure, FlawKind)> = Vec::new();
    let throughput = [
        (Figure::Total, frame.total_tok_s_gpu),
        (Figure::Output, frame.output_tok_s_gpu),
        (Figure::Input, frame.input_tok_s_gpu),
    ];
    bad.extend(
        throughput
            .iter()
            .filter(|(_, value)| value.is_some() && sound(*value).is_none())
            .map(|(f, _)| (*f, FlawKind::Negative)),
    );
    for measure in Measure::ALL {
        let block = value.get(member(measure)).and_then(Value::as_object);
        for (word, number) in block.into_iter().flatten() {
            // A rate's deviation says nothing, wherever it comes from.
            let says = |statistic: &Statistic| *statistic != Statistic::Std || measure.unit() == Unit::Seconds;
            let Some(statistic) = Statistic::parse(word).filter(says) else { continue };
            let figure = Figure::Request(measure, statistic);
            match (sound(number.as_f64()), number.is_number()) {
                (Some(value), _) => readings.push(Reading { measure, statistic, value }),
                (None, true) => bad.push((figure, FlawKind::Negative)),
                (None, false) if number.is_null() => {}
                (None, false) => bad.push((figure, FlawKind::NotANumber)),
            }
        }
    }
    frame
        .flaws
        .extend(bad.into_iter().filter_map(|(figure, kind)| Some(Flaw { member: figure.members().into_iter().next()?, kind })));
    let energy = frame.energy.map(|meters| meters.energy()).unwrap_or_default();
    Ok(ResultRow {
        run: frame.run,
        axes: frame.axes,
        model: frame.model,
        scenario: frame.scenario,
        image: frame.image,
        fingerprint: frame.fingerprint,
        gpus: frame.gpus,
        throughput: Throughput {
            total: sound(frame.total_tok_s_gpu),
            output: sound(frame.output_tok_s_gpu),
            input: sound(frame.input_tok_s_gpu),
        },
        readings,
        cache_hit_rate: sound(frame.cache_hit_rate),
        power: match frame.power {
            PowerWord::NotMeasured => Power::NotMeasured,
            PowerWord::Invalid => Power::Invalid,
            PowerWord::Valid => Power::Valid(energy),
        },
        outcome: frame.outcome,
        flaws: frame.flaws,
    })
}

#[cfg(test)]
mod tests {
    use super::super::curves::tests::some_rows;
    use super::super::rows::tests::{agentic, fixed};
    use super::*;
    use proptest::prelude::*;

    fn document(points: Vec<Value>) -> Map<String, Value> {
        json!({"schema": 1, "complete": true, "points": points}).as_object().cloned().unwrap()
    }

    fn again(rows: &[ResultRow]) -> Results {
        // Through text, as a file would be.
        let text = Value::Object(document(rows.iter().map(|found| Value::Object(row(found))).collect())).to_string();
        parse("f", &serde_json::from_str(&text).unwrap()).unwrap()
    }

    fn sorted(mut rows: Vec<ResultRow>) -> Vec<ResultRow> {
        let place = |measure| Measure::ALL.iter().position(|other| *other == measure);
        rows.iter_mut().for_each(|row| row.readings.sort_by_key(|reading| place(reading.measure)));
        rows
    }

    #[test]
    fn a_row_is_read_as_it_was_written() {
        let mut powered = fixed();
        (powered["power_valid"], powered["avg_power_w"], powered["conc"]) = (json!(1), json!(801.5), json!(2));
        let text = Value::from(vec![fixed(), agentic(), powered]).to_string();
        let rows = super::super::parse("f", RunId(7), text.as_bytes()).unwrap().rows;
        assert_eq!(again(&rows).rows, sorted(rows.clone()));
        let members = row(&rows[0]);
        assert_eq!((&members["ttft_s"]["p99.9"], &members["total_tok_s_gpu"]), (&json!(3.9012), &json!(21865.5)));
        assert_eq!(row(&rows[2])["energy"]["average_w"], json!(801.5));
    }

    #[test]
    fn documents_that_are_not_ours_say_so() {
        let with = |change: Value| {
            let mut document = document(vec![json!({"axes": 1})]);
            document.extend(change.as_object().cloned().unwrap());
            parse("f", &document)
        };
        for (change, words) in [
            (json!({"schema": 2}), "a newer version"),
            (json!({"schema": "1"}), "not a number"),
            (json!({"points": {}}), "no `points`"),
        ] {
            let headline = with(change).unwrap_err().headline;
            assert!(headline.contains(words), "{headline}");
        }
        let partial = with(json!({})).unwrap();
        assert!(partial.rows.is_empty() && partial.trouble.unwrap().headline.starts_with("f: 1 of 1 points cannot be read"));
        let unwhole = with(json!({"points": [], "complete": false})).unwrap();
        assert!(unwhole.trouble.unwrap().headline.contains("not complete"));
    }

    #[test]
    fn numbers_that_a_hand_made_bad_are_counted_and_left_out() {
        let mut point = row(&super::super::parse("f", RunId(7), fixed().to_string().as_bytes()).unwrap().rows[0]);
        point["total_tok_s_gpu"] = json!(-1);
        point["ttft_s"] = json!({"median": "fast", "p99": -2, "p90": null, "p42": 1, "mean": 0.5});
        let found = parse_row(&Value::Object(point)).unwrap();
        let flaws: Vec<(&str, FlawKind)> = found.flaws.iter().map(|flaw| (flaw.member.as_str(), flaw.kind)).collect();
        let want =
            [("tput_per_gpu", FlawKind::Negative), ("median_ttft", FlawKind::NotANumber), ("p99_ttft", FlawKind::Negative)];
        assert_eq!(flaws, want);
        assert_eq!((found.throughput.total, found.reading(Measure::Ttft, Statistic::Mean)), (None, Some(0.5)));
        assert_eq!(Figure::Total.flaw(&found), Some(FlawKind::Negative));
        assert!(parse_row(&json!({"run": 1})).unwrap_err().contains("missing field"));
    }

    proptest! {
        #[test]
        fn any_rows_come_back(rows in some_rows()) {
            prop_assert_eq!(again(&rows).rows, sorted(rows));
        }
    }
}
