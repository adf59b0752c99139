//! The curves that rows draw: points of one model, scenario, hardware and precision, and the frontier among them.
//! Must not know: pull requests, which curves matter, how many points are enough.

use super::{Better, Figure, FlawKind, Measure, ResultRow, Scenario, Statistic, frontier};
use crate::core::ids::RunId;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

/// How rows become curves: parameters that the policy holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grouping<'a> {
    /// Statistics of rows of fixed lengths, a curve each.
    pub fixed: &'a [Statistic],
    pub agentic: &'a [Statistic],
    /// What a runner's name may begin with and its hardware does not: `cluster:`.
    pub runner_prefix: &'a str,
    /// What ends the hardware key of speculative rows of fixed lengths: `_mtp`.
    pub speculative_suffix: &'a str,
    /// An agentic point counts only if it also stands on the frontier of normalised interactivity, where rows tell that.
    pub canonical: bool,
}

impl Grouping<'static> {
    /// For a policy that says nothing of curves: medians, and no rule that only one repository has.
    pub const PLAIN: Grouping<'static> = Grouping {
        fixed: &[Statistic::Median],
        agentic: &[Statistic::Median],
        runner_prefix: "",
        speculative_suffix: "_speculative",
        canonical: false,
    };
}

/// What throughput per GPU is drawn against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum View {
    /// End to end, in seconds: better when lower.
    Latency,
    /// In tokens per second and user: better when higher.
    Interactivity,
}

impl View {
    pub const ALL: [View; 2] = [View::Latency, View::Interactivity];

    /// What stands on the x axis.
    pub fn x(self, percentile: Statistic) -> Figure {
        match self {
            View::Latency => Figure::Request(Measure::E2el, percentile),
            View::Interactivity => Figure::Request(Measure::Intvty, percentile),
        }
    }
}

/// What makes points one curve.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct CurveKey {
    /// The model's prefix.
    pub model: String,
    pub scenario: Scenario,
    /// `b300_sglang_mtp`.
    pub hardware: String,
    pub precision: String,
    pub run: RunId,
    pub percentile: Statistic,
}

impl CurveKey {
    /// Whether both are the same curve, of whichever runs.
    pub fn is_twin(&self, other: &CurveKey) -> bool {
        let CurveKey { model, scenario, hardware, precision, percentile, run: _ } = self;
        (model, scenario, hardware, precision, percentile)
            == (&other.model, &other.scenario, &other.hardware, &other.precision, &other.percentile)
    }
}

impl fmt::Display for CurveKey {
    /// `qwen3.5 8192/1024 b200_sglang_mtp fp4, median`: the run is told elsewhere.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CurveKey { model, scenario, hardware, precision, percentile, .. } = self;
        write!(f, "{model} {scenario} {hardware} {precision}, {}", percentile.word())
    }
}

/// One curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    pub key: CurveKey,
    pub view: View,
    /// By rising x, then falling y.
    pub points: Vec<CurvePoint>,
    /// What cannot be drawn, in the order of the rows.
    pub invalid: Vec<Invalid>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvePoint {
    /// Its place among the rows.
    pub row: usize,
    /// In the unit of the view.
    pub x: f64,
    /// Tokens per second and GPU.
    pub y: f64,
    pub frontier: bool,
    /// The first row of the same point, where this one is measured again.
    pub repeats: Option<usize>,
}

/// A point without a place on the curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Invalid {
    /// Its place among the rows.
    pub row: usize,
    pub figure: Figure,
    pub why: Why,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    Missing,
    NotANumber,
    Negative,
    Zero,
}

impl Invalid {
    /// `the median E2E latency is missing`.
    pub fn render(&self) -> String {
        let why = match self.why {
            Why::Missing => "missing",
            Why::NotANumber => "not a number",
            Why::Negative => "negative",
            Why::Zero => "zero",
        };
        format!("the {} is {why}", self.figure.name())
    }
}

impl Curve {
    /// All points, drawn or not.
    pub fn len(&self) -> usize {
        self.points.len() + self.invalid.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The frontier, by rising x.
    pub fn kept(&self) -> impl Iterator<Item = &CurvePoint> {
        self.points.iter().filter(|point| point.frontier)
    }

    /// Points drawn again.
    pub fn repeated(&self) -> usize {
        self.points.iter().filter(|point| point.repeats.is_some()).count()
    }

    /// `5 of 9 points on the frontier, 1 measured again, 2 cannot be drawn`.
    pub fn summary(&self) -> String {
        let mut out = format!("{} of {} points on the frontier", self.kept().count(), self.len());
        for (count, what) in [(self.repeated(), "measured again"), (self.invalid.len(), "cannot be drawn")] {
            if count > 0 {
                out.push_str(&format!(", {count} {what}"));
            }
        }
        out
    }
}

/// The curves that the rows draw, in the order of their keys.
pub fn curves(rows: &[ResultRow], grouping: Grouping<'_>, view: View) -> Vec<Curve> {
    curves_of(rows, |_| true, grouping, view)
}

/// The curves that some of the rows draw; places are those among all.
pub fn curves_of(rows: &[ResultRow], wanted: impl Fn(&ResultRow) -> bool, grouping: Grouping<'_>, view: View) -> Vec<Curve> {
    let mut members: BTreeMap<CurveKey, Vec<usize>> = BTreeMap::new();
    for (place, row) in rows.iter().enumerate().filter(|(_, row)| wanted(row)) {
        for key in keys(row, grouping) {
            let of_curve = members.entry(key).or_default();
            // A percentile that is named twice is one curve.
            if of_curve.last() != Some(&place) {
                of_curve.push(place);
            }
        }
    }
    members.into_iter().map(|(key, places)| draw(rows, key, &places, grouping, view)).collect()
}

/// The curves that a row stands on.
pub fn keys<'a>(row: &'a ResultRow, grouping: Grouping<'a>) -> impl Iterator<Item = CurveKey> + 'a {
    let percentiles = if row.scenario.is_agentic() { grouping.agentic } else { grouping.fixed };
    percentiles.iter().map(move |&percentile| key(row, grouping, percentile))
}

fn key(row: &ResultRow, grouping: Grouping<'_>, percentile: Statistic) -> CurveKey {
    let runner = row.axes.runner.strip_prefix(grouping.runner_prefix).unwrap_or(&row.axes.runner);
    let sku = runner.split('-').next().unwrap_or(runner);
    let speculative = row.axes.spec.is_some() && !row.scenario.is_agentic();
    let suffix = if speculative { grouping.speculative_suffix } else { "" };
    CurveKey {
        model: row.axes.model.clone(),
        scenario: row.scenario.clone(),
        hardware: format!("{sku}_{}{suffix}", row.axes.framework),
        precision: row.axes.precision.clone(),
        run: row.run,
        percentile,
    }
}

fn draw(rows: &[ResultRow], key: CurveKey, places: &[usize], grouping: Grouping<'_>, view: View) -> Curve {
    let of_curve: Vec<(usize, &ResultRow)> = places.iter().filter_map(|&place| Some((place, rows.get(place)?))).collect();
    let figure = view.x(key.percentile);
    let kept: HashSet<usize> = kept(&of_curve, &key, grouping, view).into_iter().collect();
    let mut first = HashMap::new();
    let (mut points, mut invalid) = (Vec::new(), Vec::new());
    for (at, (place, row)) in of_curve.iter().enumerate() {
        let identity = (&row.axes, &row.image, &row.fingerprint);
        let earlier = *first.entry(identity).or_insert(*place);
        let repeats = (earlier != *place).then_some(earlier);
        match (placed(figure, row), placed(Figure::Total, row)) {
            (Ok(x), Ok(y)) => points.push(CurvePoint { row: *place, x, y, frontier: kept.contains(&at), repeats }),
            (Err(why), _) => invalid.push(Invalid { row: *place, figure, why }),
            (_, Err(why)) => invalid.push(Invalid { row: *place, figure: Figure::Total, why }),
        }
    }
    points.sort_by(|a, b| a.x.total_cmp(&b.x).then(b.y.total_cmp(&a.y)).then(a.row.cmp(&b.row)));
    Curve { key, view, points, invalid }
}

/// Places within the curve.
fn kept(of_curve: &[(usize, &ResultRow)], key: &CurveKey, grouping: Grouping<'_>, view: View) -> Vec<usize> {
    // The inverse of a rate is a time, so that lower is better in every frontier.
    let of = |row: &ResultRow, figure: Figure| match figure.better() {
        Better::Lower => figure.of(row),
        Better::Higher => figure.of(row).map(|rate| 1.0 / rate),
    };
    let along = |figure: Figure| frontier(of_curve.iter().map(|(_, row)| (of(row, figure), Figure::Total.of(row)))).kept;
    let kept = along(view.x(key.percentile));
    let pace = Figure::Request(Measure::E2eNormIntvty, key.percentile);
    let told = of_curve.iter().any(|(_, row)| pace.of(row).is_some());
    if !(grouping.canonical && key.scenario.is_agentic() && told) {
        return kept;
    }
    let canonical: HashSet<usize> = along(pace).into_iter().collect();
    kept.into_iter().filter(|at| canonical.contains(at)).collect()
}

fn placed(figure: Figure, row: &ResultRow) -> Result<f64, Why> {
    match (figure.of(row), figure.flaw(row)) {
        (Some(value), _) if value > 0.0 => Ok(value),
        (Some(_), _) => Err(Why::Zero),
        (None, Some(FlawKind::Negative)) => Err(Why::Negative),
        (None, Some(FlawKind::NotANumber)) => Err(Why::NotANumber),
        (None, None) => Err(Why::Missing),
    }
}

#[cfg(test)]
pub(crate) mod tests;
