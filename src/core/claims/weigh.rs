//! Weighs a claim against what was measured. What cannot be computed is not checkable: a false alarm costs trust.
//! Must not know: Markdown, rules.

use super::place::Place;
use super::quantity::Quantity;
use super::{Claim, Metric, What, names};
use crate::core::configs::Entry;
use crate::core::evals::EvalRow;
use crate::core::listing::Listing;
use crate::core::results::{Measure, ResultRow, Unit};

/// What is at hand to weigh claims with.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    /// Of one run.
    pub rows: &'a Listing<ResultRow>,
    pub scores: &'a Listing<EvalRow>,
    /// The changed configs at the head.
    pub head: &'a [Entry],
    /// The same at the merge base.
    pub base: &'a [Entry],
    /// Every changed config was read at both sides.
    pub configs_whole: bool,
}

/// What came of it; each text is a part of a sentence: `TP2/EP2 c16: 7534.5 tok/s/GPU`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Weight {
    Confirmed {
        by: String,
    },
    Contradicted {
        ours: String,
    },
    /// The number is right for another unit than the text gives it.
    WrongUnit {
        ours: String,
    },
    NotCheckable {
        why: String,
    },
}

impl Weight {
    /// A stable word.
    pub fn key(&self) -> &'static str {
        match self {
            Weight::Confirmed { .. } => "confirmed",
            Weight::Contradicted { .. } => "contradicted",
            Weight::WrongUnit { .. } => "wrong_unit",
            Weight::NotCheckable { .. } => "not_checkable",
        }
    }

    /// The same for people.
    pub fn word(&self) -> &'static str {
        match self {
            Weight::WrongUnit { .. } => "in the wrong unit",
            Weight::NotCheckable { .. } => "not checkable",
            other => other.key(),
        }
    }

    /// Whether the texts say something else than what was measured.
    pub fn is_wrong(&self) -> bool {
        matches!(self, Weight::Contradicted { .. } | Weight::WrongUnit { .. })
    }

    /// What stands behind it, a part of a sentence.
    pub fn reason(&self) -> &str {
        match self {
            Weight::Confirmed { by: text }
            | Weight::Contradicted { ours: text }
            | Weight::WrongUnit { ours: text }
            | Weight::NotCheckable { why: text } => text,
        }
    }

    pub(super) fn unknown(why: impl Into<String>) -> Weight {
        Weight::NotCheckable { why: why.into() }
    }
}

pub fn weigh(claim: &Claim, evidence: &Evidence) -> Weight {
    match &claim.what {
        What::Level { value, metric } => level(*value, *metric, &claim.place, evidence),
        What::Change { percent, metric } => compare(*percent, *metric, Form::Percent, &claim.place, evidence),
        What::Ratio { factor, metric } => compare(*factor, *metric, Form::Factor, &claim.place, evidence),
        What::Score { task, metric, low, high } => score(task, metric.as_deref(), *low, *high, &claim.place, evidence),
        What::Image { repository, tag, asserted } => names::image(repository, tag, *asserted, evidence),
        What::Config { key } => names::config(key, evidence),
        What::Acceptance { .. } => Weight::unknown("acceptance lengths are not among the results of a run"),
        What::Version { version, image } => names::version(version, *image, &claim.place, evidence),
    }
}

/// Places of the rows that a number is claimed of; none where the text names no rows, but speaks of all.
pub fn subjects(claim: &Claim, evidence: &Evidence) -> Vec<usize> {
    let baseline = match &claim.what {
        What::Level { .. } => &[][..],
        What::Change { .. } | What::Ratio { .. } => &claim.place.baseline,
        What::Score { .. } | What::Image { .. } | What::Config { .. } | What::Acceptance { .. } | What::Version { .. } => {
            return Vec::new();
        }
    };
    let (rows, entries) = (&evidence.rows.items, entries(evidence));
    let is_subject = |row: &ResultRow| {
        let stands_against = claim.place.subject.is_empty() && baseline.iter().any(|shape| shape.is(&row.axes));
        claim.place.is_subject(row, &entries) && !stands_against
    };
    let found: Vec<usize> = (0..rows.len()).filter(|at| is_subject(&rows[*at])).collect();
    if found.len() == rows.len() && found.len() > 1 { Vec::new() } else { found }
}

fn entries<'a>(evidence: &Evidence<'a>) -> Vec<&'a Entry> {
    evidence.head.iter().chain(evidence.base).collect()
}

fn level(value: Quantity, metric: Metric, place: &Place, evidence: &Evidence) -> Weight {
    if evidence.rows.items.is_empty() {
        return Weight::unknown("no result row is at hand");
    }
    let entries = entries(evidence);
    let rows: Vec<&ResultRow> = evidence.rows.items.iter().filter(|row| place.is_subject(row, &entries)).collect();
    if rows.is_empty() {
        return Weight::unknown("the run has no row at the point that the text names");
    }
    let ours: Vec<(&ResultRow, String, f64)> =
        rows.iter().flat_map(|row| metric.values(row).into_iter().map(move |(name, ours)| (*row, name, ours))).collect();
    if let Some((row, name, number)) = ours.iter().find(|(.., number)| value.fits(*number)) {
        return Weight::Confirmed { by: tell(row, name, *number, value) };
    }
    if let Some(ours) = other_unit(value, metric, place, &rows) {
        return Weight::WrongUnit { ours };
    }
    let Some((row, name, number)) = nearest(&ours, value.value) else {
        return Weight::unknown("the rows at that point do not tell this number");
    };
    let ours = tell(row, name, *number, value);
    // The total of all GPUs may as well be one of a node, or of the output alone.
    let vague = metric == Metric::System;
    match doubt_at(value, place, evidence.rows.is_complete()) {
        Some(why) => Weight::unknown(format!("{why}; nearest is {ours}")),
        None if vague => Weight::unknown(format!("the text does not say which GPUs count; nearest is {ours}")),
        None => Weight::Contradicted { ours },
    }
}

fn nearest<T>(ours: &[(T, String, f64)], value: f64) -> Option<&(T, String, f64)> {
    ours.iter().min_by(|a, b| (a.2 - value).abs().total_cmp(&(b.2 - value).abs()))
}

fn tell(row: &ResultRow, name: &str, number: f64, value: Quantity) -> String {
    format!("{}: {} {name}", row.render_point(), value.render(number))
}

/// Why a number that fits nothing contradicts nothing either.
fn doubt(value: Quantity, place: &Place, whole: bool) -> Option<&'static str> {
    if !whole {
        Some("not all rows of the run were read")
    } else if place.other {
        Some("the text names a quantity that no row tells")
    } else if value.loose {
        Some("the text gives a bound or a guess")
    } else if value.earlier {
        Some("the text gives it as what was before")
    } else if place.is_elsewhere() {
        Some("the text may speak of another run")
    } else if value.inferred {
        Some("the text leaves the unit out")
    } else {
        None
    }
}

/// The same of a number that belongs to one point.
fn doubt_at(value: Quantity, place: &Place, whole: bool) -> Option<&'static str> {
    doubt(value, place, whole).or((!place.is_exact()).then_some("the text does not name the concurrency"))
}

/// The number, read in another unit, is one of these rows: with three digits and a named point that is no accident.
fn other_unit(value: Quantity, metric: Metric, place: &Place, rows: &[&ResultRow]) -> Option<String> {
    let needed = if place.is_exact() { 3 } else { 4 };
    if value.digits() < needed || value.loose || value.inferred {
        return None;
    }
    let others: Vec<(Metric, f64)> = match metric {
        Metric::Request(measure, _) if measure.unit() == Unit::Seconds => vec![(metric, 1e3), (metric, 1e-3)],
        _ => {
            let all = [Metric::PerGpu(None), Metric::System, Metric::Request(Measure::Intvty, None)];
            all.into_iter().filter(|other| *other != metric && !is_part(metric, *other)).map(|other| (other, 1.0)).collect()
        }
    };
    rows.iter().find_map(|row| {
        others.iter().find_map(|&(other, factor)| {
            let found = other.values(row).into_iter().find(|(_, ours)| value.scaled(factor).fits(*ours));
            found.map(|(name, ours)| tell(row, &name, ours, value.scaled(factor)))
        })
    })
}

/// Input and output are throughputs per GPU too: the other side is no other unit.
fn is_part(metric: Metric, other: Metric) -> bool {
    matches!((metric, other), (Metric::PerGpu(_), Metric::PerGpu(_)))
}

#[derive(Clone, Copy, PartialEq)]
enum Form {
    Percent,
    Factor,
}

fn compare(value: Quantity, metric: Option<Metric>, form: Form, place: &Place, evidence: &Evidence) -> Weight {
    if place.baseline.is_empty() {
        return Weight::unknown("the text does not name rows of the run that it compares with");
    }
    if place.is_elsewhere() {
        return Weight::unknown("the text compares with another run");
    }
    let entries = entries(evidence);
    let admitted: Vec<&ResultRow> = evidence.rows.items.iter().filter(|row| place.admits(row, &entries)).collect();
    let is_baseline = |row: &ResultRow| place.baseline.iter().any(|shape| shape.is(&row.axes));
    let is_subject = |row: &ResultRow| match place.subject.as_slice() {
        [] => !is_baseline(row),
        shapes => shapes.iter().any(|shape| shape.is(&row.axes)),
    };
    let metrics = metric.map_or(Metric::ANY.to_vec(), |metric| vec![metric]);
    let mut ours: Vec<(&ResultRow, String, f64)> = Vec::new();
    for new in admitted.iter().filter(|row| is_subject(row)) {
        for old in admitted.iter().filter(|old| is_baseline(old) && is_pair(new, old)) {
            for (name, after) in metrics.iter().flat_map(|metric| metric.values(new)) {
                let before = metrics.iter().flat_map(|metric| metric.values(old)).find(|(other, _)| *other == name);
                if let Some((_, before)) = before.filter(|(_, before)| *before > 0.0) {
                    ours.push((*new, name, after / before));
                }
            }
        }
    }
    let shown = |ratio: f64| match form {
        Form::Percent => (ratio - 1.0) * 100.0,
        Form::Factor => ratio,
    };
    let fits = |ratio: f64| match form {
        Form::Percent if value.signed => value.fits(shown(ratio)),
        // `3 % lower` and `3 % higher` are told by words.
        Form::Percent => value.fits(shown(ratio).abs()),
        Form::Factor => value.fits(ratio) || (ratio > 0.0 && value.fits(1.0 / ratio)),
    };
    let told = |row: &ResultRow, name: &str, ratio: f64| {
        let change = match form {
            Form::Percent => format!("{}{} %", if ratio >= 1.0 { "+" } else { "" }, value.render(shown(ratio))),
            Form::Factor => format!("{}x", value.render(ratio)),
        };
        format!("{}: {change} {name}", row.render_point())
    };
    if let Some((row, name, ratio)) = ours.iter().find(|(.., ratio)| fits(*ratio)) {
        return Weight::Confirmed { by: told(row, name, *ratio) };
    }
    let apart = |ratio: f64| (shown(ratio) - value.value).abs();
    let Some((row, name, ratio)) = ours.iter().min_by(|a, b| apart(a.2).total_cmp(&apart(b.2))) else {
        return Weight::unknown("the run has no two rows that the text compares");
    };
    let ours = told(row, name, *ratio);
    match doubt_at(value, place, evidence.rows.is_complete()) {
        Some(why) => Weight::unknown(format!("{why}; nearest is {ours}")),
        // A shape alone may be that of a published row.
        None if !place.this_run => {
            Weight::unknown(format!("the text does not say that it compares rows of this run; there it is {ours}"))
        }
        None => Weight::Contradicted { ours },
    }
}

/// Two rows that differ in parallelism alone.
fn is_pair(new: &ResultRow, old: &ResultRow) -> bool {
    let (a, b) = (&new.axes, &old.axes);
    !std::ptr::eq(new, old)
        && new.scenario == old.scenario
        && (&a.model, &a.precision, &a.runner, &a.framework, &a.spec, &a.conc)
            == (&b.model, &b.precision, &b.runner, &b.framework, &b.spec, &b.conc)
}

fn score(
    task: &str,
    metric: Option<&str>,
    low: Quantity,
    high: Option<Quantity>,
    place: &Place,
    evidence: &Evidence,
) -> Weight {
    // Of `from a to b` only b is told of now.
    let (low, high) = match high {
        Some(high) if low.earlier => (high, None),
        _ => (low, high),
    };
    let plain =
        |word: &str| -> String { word.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect() };
    let task = plain(task);
    let of_task = |row: &&EvalRow| plain(&row.task).starts_with(&task);
    let rows: Vec<&EvalRow> = evidence.scores.items.iter().filter(of_task).filter(|row| is_at(row, place)).collect();
    let ours: Vec<(f64, Option<f64>, String)> = rows
        .iter()
        .flat_map(|row| {
            let wanted = row.metrics.iter().filter(|had| metric.is_none_or(|metric| had.name.contains(metric)));
            wanted.map(|had| (had.score, noise(had.score, had.stderr, row.n), had.name.clone()))
        })
        .collect();
    let (Some(least), Some(most)) = (
        ours.iter().map(|(score, ..)| *score).min_by(f64::total_cmp),
        ours.iter().map(|(score, ..)| *score).max_by(f64::total_cmp),
    ) else {
        return Weight::unknown(format!("no score of {task} is at hand"));
    };
    let shown = match low.render(least) == low.render(most) {
        true => low.render(least),
        false => format!("{} to {}", low.render(least), low.render(most)),
    };
    let names: Vec<&str> = ours.iter().fold(Vec::new(), |mut names, (.., name)| {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
        names
    });
    let shown = format!("{} {task}: {shown}", names.join(", "));
    let fits = |value: Quantity| ours.iter().any(|(score, ..)| value.fits(*score));
    let confirmed = match high {
        None => fits(low),
        Some(high) => (fits(low) && fits(high)) || (least > low.value - low.step && most < high.value + high.step),
    };
    if confirmed {
        return Weight::Confirmed { by: shown };
    }
    if low.value < 0.011 && fits(low.scaled(100.0)) {
        return Weight::WrongUnit { ours: shown };
    }
    // A repeat of the same measurement scatters: only what lies outside of that is another result.
    let (from, to) = (low.value, high.map_or(low.value, |high| high.value));
    let apart = |score: f64| if score < from { from - score } else { (score - to).max(0.0) };
    let near = ours.iter().any(|(score, noise, _)| noise.is_none_or(|noise| apart(*score) <= noise));
    let bound = Quantity { loose: low.loose || high.is_some_and(|high| high.loose), ..low };
    match doubt(bound, place, evidence.scores.is_complete()) {
        Some(why) => Weight::unknown(format!("{why}; the run has {shown}")),
        None if near => Weight::unknown(format!("the scores of a repeated run may differ by as much; this one has {shown}")),
        None => Weight::Contradicted { ours: shown },
    }
}

/// How far two measurements of the same model mostly lie apart: twice the standard error of their difference.
fn noise(score: f64, stderr: Option<f64>, n: Option<u64>) -> Option<f64> {
    let from_samples = || n.filter(|&n| n > 0).map(|n| (score * (1.0 - score) / n as f64).sqrt());
    stderr.filter(|stderr| *stderr > 0.0).or_else(from_samples).map(|stderr| 2.0 * 2f64.sqrt() * stderr)
}

fn is_at(row: &EvalRow, place: &Place) -> bool {
    let axes = &row.axes;
    (place.conc.is_empty() || axes.conc.values().iter().any(|conc| place.conc.contains(conc)))
        && (place.skus.is_empty() || place.skus.iter().any(|sku| axes.runner.contains(sku.as_str())))
        && (place.frameworks.is_empty() || place.frameworks.iter().any(|name| axes.framework.contains(name.as_str())))
        && (place.precisions.is_empty() || place.precisions.iter().any(|word| word.contains(&axes.precision)))
        && (place.subject.is_empty() || place.subject.iter().any(|shape| shape.is(axes)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::axes::{Axes, Parallel};
    use crate::core::claims::parse;
    use crate::core::configs::Point;
    use crate::core::evals::Metric as EvalMetric;
    use crate::core::ids::RunId;
    use crate::core::results::{self, rows::tests::fixed};
    use crate::core::trouble::{Trouble, TroubleKind};
    use proptest::prelude::*;
    use serde_json::{Value, json};

    /// Three points of one config: TP2/EP1 and TP2/EP2 at 16, TP2/EP2 at 32.
    fn rows() -> Vec<ResultRow> {
        let point = |conc: u32, ep: u32, per_gpu: f64, rate: f64, first: f64| {
            let mut row = fixed();
            let values = json!({"conc": conc, "ep": ep, "tput_per_gpu": per_gpu, "output_tput_per_gpu": per_gpu / 9.0,
                "input_tput_per_gpu": per_gpu * 8.0 / 9.0, "median_intvty": rate, "p90_intvty": rate * 0.8,
                "median_ttft": first, "mean_ttft": first * 1.1, "median_tpot": 1.0 / rate, "median_e2el": 9.0 * first,
                "p99.9_ttft": null, "image": "lab/engine:v0.5.14-cu130"});
            for (key, value) in values.as_object().unwrap() {
                row[key] = value.clone();
            }
            row
        };
        let list = [point(16, 1, 7118.1, 114.25, 0.7), point(16, 2, 7534.5, 120.16, 0.6405), point(32, 2, 10319.8, 80.41, 0.9)];
        results::parse("f.json", RunId(7), Value::from(list.to_vec()).to_string().as_bytes()).unwrap().rows
    }

    fn score_row(axes: Axes, strict: f64) -> EvalRow {
        let metric = |name: &str, score| EvalMetric { name: name.into(), score, stderr: Some(0.0048) };
        EvalRow {
            axes,
            model: "o/M".into(),
            isl: None,
            osl: None,
            task: "gsm8k".into(),
            metrics: vec![metric("em_strict", strict), metric("em_flexible", strict + 0.001)],
            n: Some(1319),
        }
    }

    fn entry(key: &str, image: &str) -> Entry {
        let point = Point {
            scenario: "fixed-seq-len".into(),
            isl: Some(8192),
            osl: Some(1024),
            parallel: Parallel { tp: 2, ..Parallel::default() },
            spec: Some("mtp".into()),
            conc: vec![16, 32],
            ..Point::default()
        };
        Entry {
            key: key.into(),
            image: Some(image.into()),
            model: None,
            model_prefix: "qwen3.5".into(),
            runner: "b200".into(),
            precision: "fp4".into(),
            framework: "sglang".into(),
            multinode: false,
            disagg: false,
            other: Default::default(),
            points: vec![point],
        }
    }

    const KEY: &str = "qwen3.5-fp4-b200-sglang-mtp";

    struct Known {
        rows: Listing<ResultRow>,
        scores: Listing<EvalRow>,
        head: Vec<Entry>,
        base: Vec<Entry>,
    }

    impl Known {
        fn new() -> Known {
            let rows = rows();
            let scores = vec![score_row(rows[1].axes.clone(), 0.968), score_row(rows[2].axes.clone(), 0.971)];
            Known {
                rows: Listing::complete(rows),
                scores: Listing::complete(scores),
                head: vec![entry(KEY, "lab#engine:v0.5.14-cu130")],
                base: vec![entry(KEY, "lab/engine:v0.5.12")],
            }
        }

        fn evidence(&self) -> Evidence<'_> {
            Evidence { rows: &self.rows, scores: &self.scores, head: &self.head, base: &self.base, configs_whole: true }
        }

        /// Each claim's text and a letter for its weight: C, X (contradicted), U (wrong unit), - (not checkable).
        fn shown(&self, text: &str) -> String {
            let weighed = parse(text).into_iter().map(|claim| {
                let letter = match weigh(&claim, &self.evidence()) {
                    Weight::Confirmed { .. } => 'C',
                    Weight::Contradicted { .. } => 'X',
                    Weight::WrongUnit { .. } => 'U',
                    Weight::NotCheckable { .. } => '-',
                };
                format!("{letter} {}", &text[claim.range])
            });
            weighed.collect::<Vec<_>>().join(" | ")
        }
    }

    #[test]
    fn sentences_weigh_what_they_should() {
        let table = [
            // Levels.
            ("It reaches 7534.5 tok/s/GPU at concurrency 16.", "C 7534.5 tok/s/GPU"),
            ("7,534 tokens/s/GPU at c16 and 80.4 tok/s/user at c32", "C 7,534 tokens/s/GPU | C 80.4 tok/s/user"),
            ("7534.5 tok/s/GPU at 120.16 at concurrency 16", "C 7534.5 tok/s/GPU | C 120.16"),
            ("7.5k tok/s/gpu with TP2/EP2 at conc 16", "C 7.5k tok/s/gpu"),
            ("7900.1 tok/s/GPU at concurrency 16", "X 7900.1 tok/s/GPU"),
            ("TP2/EP1 gives 7534.5 tok/s/GPU at concurrency 16", "X 7534.5 tok/s/GPU"),
            ("7900.1 tok/s/GPU", "- 7900.1 tok/s/GPU"),
            ("7900.1 tok/s/GPU at concurrency 512", "- 7900.1 tok/s/GPU"),
            ("about 7900 tok/s/GPU at concurrency 16", "- 7900 tok/s/GPU"),
            ("7900.1 tok/s/GPU at concurrency 16 was published", "- 7900.1 tok/s/GPU"),
            ("from 7000.5 tok/s/GPU to 7534.5 tok/s/GPU at concurrency 16", "- 7000.5 tok/s/GPU | C 7534.5 tok/s/GPU"),
            ("7900.1 tok/s/GPU at concurrency 16 on H200", "- 7900.1 tok/s/GPU"),
            ("7900.1 tok/s/GPU at concurrency 16 in 1k1k", "- 7900.1 tok/s/GPU"),
            ("7900.1 tok/s/GPU from concurrency 16 to 64", "- 7900.1 tok/s/GPU"),
            ("7534.5 tok/s/user at concurrency 16", "U 7534.5 tok/s/user"),
            ("7534.5 tok/s at concurrency 16", "U 7534.5 tok/s"),
            ("15069 tok/s at concurrency 16", "C 15069 tok/s"),
            ("15999 tok/s at concurrency 16", "- 15999 tok/s"),
            ("output 837.17 tok/s/GPU at c16; 1/2 of 5 s", "C 837.17 tok/s/GPU"),
            ("TTFT 0.64 s at concurrency 16", "C 0.64 s"),
            ("median TTFT of 640.5 ms and mean TTFT 704.6 ms with TP2/EP2 at concurrency 16", "C 640.5 ms | C 704.6 ms"),
            ("TTFT 640.5 s at concurrency 16", "U 640.5 s"),
            ("median TTFT 0.91 s with TP2/EP2 at concurrency 16", "X 0.91 s"),
            ("p75 TTFT 0.91 s at concurrency 16", "- 0.91 s"),
            ("a TTFT timeout of 300 s at concurrency 16, 5 s of warm-up", ""),
            // Changes.
            ("TP2/EP2 is +5.85 % tok/s/GPU over TP2/EP1 of the same run at concurrency 16", "C +5.85 %"),
            ("At c16 TP2/EP2 is 5.2% faster in interactivity than TP2/EP1 in this sweep", "C 5.2%"),
            ("TP2/EP2 has -8.5 % TTFT against TP2/EP1 of the same run at c16", "C -8.5 %"),
            ("TP2/EP2 is +7.85 % against TP2/EP1 of the same run at concurrency 16", "X +7.85 %"),
            ("TP2/EP2 is +7.85 % against TP2/EP1 at concurrency 16", "- +7.85 %"),
            ("+5.85 % tok/s/GPU at concurrency 16", "- +5.85 %"),
            ("+5.85 % against the published TP2/EP1 at concurrency 16", "- +5.85 %"),
            ("TP2/EP2 has 1.06x the throughput of the run, compared to TP2/EP1 of the same run at c16", "C 1.06x"),
            ("TP2/EP2 has 1.5x throughput against TP2/EP1 of the same run at c16", "X 1.5x"),
            ("on 8x B200, 95 % of requests, 5-9 % of them", ""),
            ("TP2/EP2 needs -20 % power against TP2/EP1 of the same run at c16", "- -20 %"),
            // Scores.
            ("GSM8K strict 0.968 to 0.971 against a bar of 0.94", "C 0.968 to 0.971"),
            (
                "GSM8K strict-match 0.967-0.975 and flexible-extract 0.960-0.968 against a 0.94 threshold",
                "C 0.967-0.975 | - 0.960-0.968",
            ),
            ("gsm8k: 96.8%, threshold 94%", "C 96.8%"),
            ("GSM8K strict 0.991", "X 0.991"),
            ("GSM8K strict 0.965", "- 0.965"),
            ("GSM8K 0.97%", "U 0.97%"),
            ("GPQA 0.81", "- 0.81"),
            ("GSM8K strict improved from 0.80 to 0.97", "C 0.80 to 0.97"),
            ("GSM8K strict improved from 0.80 to 0.995", "X 0.80 to 0.995"),
            // Names.
            ("measured on lab/engine:v0.5.14-cu130.", "C lab/engine:v0.5.14-cu130"),
            ("measured on `lab/engine:v0.5.15-cu130`.", "X lab/engine:v0.5.15-cu130"),
            ("lab/engine:v0.5.15-cu130 crashes", "- lab/engine:v0.5.15-cu130"),
            ("moves from lab/engine:v0.5.12 to lab/engine:v0.5.14-cu130", "C lab/engine:v0.5.12 | C lab/engine:v0.5.14-cu130"),
            ("unlike runs on lab/engine:v0.5.11", "- lab/engine:v0.5.11"),
            ("on other/engine:v1, see src/x.py:12", "- other/engine:v1"),
            (
                "changes qwen3.5-fp4-b200-sglang-mtp, not qwen3.5-fp8-b200-sglang",
                &format!("C {KEY} | - qwen3.5-fp8-b200-sglang"),
            ),
            ("bumps the image to v0.5.14", "C v0.5.14"),
            ("bumps the image to v0.5.16", "X v0.5.16"),
            ("bumps the vLLM image to v0.19.0", "- v0.19.0"),
            ("needs transformers v4.56.1", "- v4.56.1"),
            ("acceptance length 3.39", "- acceptance length 3.39"),
        ];
        let known = Known::new();
        for (text, want) in table {
            assert_eq!(known.shown(text), want, "{text}");
        }
    }

    #[test]
    fn tables_take_units_from_heads_and_points_from_rows() {
        let known = Known::new();
        let head = "| conc | tok/s/GPU | tok/s/user | TTFT (ms) | against TP2/EP1 of the same run |\n|---|---|---|---|---|\n";
        let right = "| 16 | 7534.5 | **120.16** | 640.5 | +5.85 % / +5.17 % |\n";
        let shown = known.shown(&format!("TP2/EP2:\n\n{head}{right}"));
        assert_eq!(shown, "C 7534.5 | C 120.16 | C 640.5 | C +5.85 % | C +5.17 %");
        let wrong = "| 16 | 7634.5 | 7534.5 | 0.9 | +5.85 % / +9.17 % |\n";
        let shown = known.shown(&format!("TP2/EP2:\n\n{head}{wrong}"));
        assert_eq!(shown, "X 7634.5 | U 7534.5 | X 0.9 | C +5.85 % | X +9.17 %");
        // Of a concurrency that was not measured, or published elsewhere, nothing is said.
        assert_eq!(known.shown(&format!("{head}| 48 | 7634.5 | 1.25 | | |\n")), "- 7634.5 | - 1.25");
        assert_eq!(known.shown(&format!("The published numbers.\n\n{head}| 16 | 7634.5 | | | |\n")), "- 7634.5");
        let turned = "| | TP2/EP1 c16 | TP2/EP2 c16 |\n|---|---|---|\n| tok/s/GPU | 7118.1 | 7118.1 |\n| GSM8K strict | | 96.8 % |\n| bar | | 94 % |\n";
        assert_eq!(known.shown(turned), "C 7118.1 | X 7118.1 | C 96.8 %");
        let arrow = "| conc | before → after tok/s/user |\n|---|---|\n| 32 | 75.0 → 80.4 |\n";
        assert_eq!(known.shown(arrow), "- 75.0 | C 80.4");
    }

    #[test]
    fn nothing_is_contradicted_by_what_was_not_read() {
        let mut known = Known::new();
        let text = "7900.1 tok/s/GPU at concurrency 16; GSM8K strict 0.991; measured on lab/engine:v0.5.15";
        assert_eq!(known.shown(text), "X 7900.1 tok/s/GPU | X 0.991 | X lab/engine:v0.5.15");
        let cut = Trouble::new(TroubleKind::Server, "GitHub failed (502).", "");
        known.rows = Listing::partial(rows(), None, cut.clone());
        known.scores = Listing::partial(known.scores.items, None, cut);
        known.head = Vec::new();
        assert_eq!(known.shown(text), "- 7900.1 tok/s/GPU | - 0.991 | - lab/engine:v0.5.15");
        known.rows.items.clear();
        known.scores.items.clear();
        assert_eq!(known.shown(text), "- 7900.1 tok/s/GPU | - 0.991 | - lab/engine:v0.5.15");
    }

    #[test]
    #[cfg(feature = "github")]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn the_scenarios_contradict_what_they_should() {
        use crate::core::configs::{keys, masters};
        use crate::core::facts::Side;
        use crate::core::policy::{scenario, tests::policy};
        use crate::core::remote::Remote;
        use crate::core::yaml;
        for (name, want) in [
            ("2550-claims", &["+19.46 %", "0.991", "lmsysorg/sglang:v0.5.15-cu130"][..]),
            ("2550-green", &[]),
            ("2550-newest", &[]),
        ] {
            let facts = scenario::load(name, 2550);
            let keys = keys(&policy(), &facts);
            let bytes = scenario::artifact(name, 2550, "results_bmk", "agg_bmk.json");
            let rows = Listing::complete(results::parse("agg_bmk.json", RunId(7), &bytes).unwrap().rows);
            let scores = facts.evals.values().next().and_then(Remote::value).unwrap().clone();
            let base: Vec<Entry> = keys
                .masters
                .iter()
                .map(|change| {
                    let text = &facts.sides[&(Side::Base, change.path.clone())].value().unwrap().text;
                    let section = yaml::top_level(text).into_iter().find(|section| section.key == change.key).unwrap();
                    masters::parse_entry(&change.path, &section, text).unwrap()
                })
                .collect();
            let evidence =
                Evidence { rows: &rows, scores: &scores, head: &keys.entries, base: &base, configs_whole: keys.complete };
            let pull = &facts.pull.value().unwrap();
            let entries = keys.changelog.iter().flat_map(|entry| &entry.description);
            let mut contradicted = Vec::new();
            let mut confirmed = Vec::new();
            for text in [&pull.title, &pull.body].into_iter().chain(entries) {
                for claim in parse(text) {
                    let said = text[claim.range.clone()].to_owned();
                    match weigh(&claim, &evidence) {
                        Weight::Contradicted { .. } | Weight::WrongUnit { .. } => contradicted.push(said),
                        Weight::Confirmed { .. } => confirmed.push(said),
                        Weight::NotCheckable { .. } => {}
                    }
                }
            }
            assert_eq!(contradicted, want, "{name}");
            for said in ["7534.5", "51.97", "+5.85 %", "+7.26 %", "qwen3.5-fp4-b200-sglang-mtp", "7534.5 tok/s/GPU"] {
                assert!(confirmed.iter().any(|claim| claim == said), "{name}: {said} of {confirmed:?}");
            }
        }
    }

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    #[allow(clippy::disallowed_methods)]
    fn entries_about_other_configs_raise_no_alarm() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/corpus/inferencex/2026-08/perf-changelog.yaml");
        let text = std::fs::read_to_string(path).unwrap();
        let (entries, _) = crate::core::configs::changelog::added("f.yaml", "", &text);
        let known = Known::new();
        let mut claims = 0;
        let mut alarms = Vec::new();
        for said in entries.iter().flat_map(|entry| &entry.description) {
            // An entry that moves an image to another version does contradict this one's.
            for claim in parse(said).into_iter().filter(|claim| !matches!(claim.what, What::Version { .. })) {
                claims += 1;
                if let Weight::Contradicted { ours } | Weight::WrongUnit { ours } = weigh(&claim, &known.evidence()) {
                    alarms.push(format!("{} / {ours} / {said}", &said[claim.range]));
                }
            }
        }
        assert!(claims > 500, "{claims}");
        assert!(alarms.is_empty(), "{}", alarms.join("\n"));
    }

    proptest! {
        #[test]
        fn any_text_is_weighed(text in "(\\PC|[|`>*\n-]|TP2/EP2|[0-9]{1,4}|\\.[0-9]| tok/s/GPU| %| at concurrency | GSM8K |TTFT | ms| against |lab/engine:v){0,40}") {
            let known = Known::new();
            for claim in parse(&text) {
                prop_assert!(text.get(claim.range.clone()).is_some_and(|said| !said.is_empty()));
                let _ = weigh(&claim, &known.evidence());
            }
        }
    }
}
