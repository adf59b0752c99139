//! Results as one JSON document; `core::results::parse_reference` reads its points again.
//! Must not know: text for people beyond names and reasons.

use super::{Home, Told, point};
use crate::core::results::compare::{Change, Comparison, Difference, Pair, Side};
use crate::core::results::sheet::Set;
use crate::core::results::{Curve, CurveKey, Figure, ResultRow, View, written};
use crate::report::{SCHEMA, json};
use serde::Serialize;
use serde_json::{Map, Value, json as value};

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    /// The rows and the reference were read whole.
    complete: bool,
    /// `null` when there is no run.
    run: Option<crate::core::ids::RunId>,
    curves: Vec<CurveRow<'a>>,
    points: Vec<Map<String, Value>>,
    against: Option<AgainstRow<'a>>,
    /// What is left out or unclear, a sentence each.
    notes: Vec<String>,
}

#[derive(Serialize)]
struct CurveRow<'a> {
    name: String,
    view: View,
    #[serde(flatten)]
    key: &'a CurveKey,
    /// All points, those that cannot be drawn too.
    total: usize,
    frontier: usize,
    /// Places in `points`, by rising x.
    points: Vec<Map<String, Value>>,
    invalid: Vec<InvalidRow>,
}

#[derive(Serialize)]
struct InvalidRow {
    point: usize,
    why: String,
}

#[derive(Serialize)]
struct AgainstRow<'a> {
    reference: &'a str,
    /// The reference was read whole.
    complete: bool,
    /// Every point has its pair.
    whole: bool,
    pairs: Vec<PairRow<'a>>,
    ambiguous: Vec<AmbiguousRow>,
    /// Places in `points`.
    only_here: &'a [usize],
    only_reference: Vec<String>,
    duplicates: usize,
    /// By how much a point that was measured again differs on one side; empty when each was measured once.
    noise: Vec<NoiseRow>,
}

#[derive(Serialize)]
struct PairRow<'a> {
    point: usize,
    name: String,
    reference_run: crate::core::ids::RunId,
    reference_image: Option<&'a str>,
    differences: Map<String, Value>,
    /// Figures that only one side tells.
    only_here: Vec<String>,
    only_reference: Vec<String>,
}

#[derive(Serialize)]
struct AmbiguousRow {
    points: Vec<usize>,
    reference: Vec<String>,
}

#[derive(Serialize)]
struct NoiseRow {
    figure: String,
    percent: f64,
    n: usize,
}

pub(super) fn render(told: Told<'_>) -> String {
    let sheet = told.sheet;
    json(&Document {
        schema: SCHEMA,
        complete: told.complete,
        run: told.run,
        curves: sheet.curves.iter().map(curve).collect(),
        points: sheet.rows.iter().enumerate().map(|(place, row)| one_point(told.home(place), row)).collect(),
        against: sheet.against.as_ref().map(|set| against(&sheet.rows, set)),
        notes: told.notes(),
    })
}

fn curve(curve: &Curve) -> CurveRow<'_> {
    let (x, y) = (curve.view.x(curve.key.percentile).key(), Figure::Total.key());
    let points = curve.points.iter().map(|point| {
        let mut out = Map::new();
        out.insert("point".into(), value!(point.row));
        out.insert(x.clone(), value!(point.x));
        out.insert(y.clone(), value!(point.y));
        out.insert("frontier".into(), value!(point.frontier));
        out.insert("repeats".into(), value!(point.repeats));
        out
    });
    CurveRow {
        name: curve.key.to_string(),
        view: curve.view,
        key: &curve.key,
        total: curve.len(),
        frontier: curve.kept().count(),
        points: points.collect(),
        invalid: curve.invalid.iter().map(|bad| InvalidRow { point: bad.row, why: bad.render() }).collect(),
    }
}

fn one_point(home: Option<&Home>, row: &ResultRow) -> Map<String, Value> {
    let mut out = Map::new();
    out.insert("name".into(), value!(point(row)));
    out.insert("configs".into(), value!(home.map(|home| home.candidates.as_slice()).unwrap_or_default()));
    out.insert("foreign".into(), value!(home.and_then(|home| home.foreign)));
    out.extend(written::row(row));
    out
}

fn against<'a>(ours: &[ResultRow], set: &'a Set) -> AgainstRow<'a> {
    let comparison: &Comparison = &set.comparison;
    let names = |places: &[usize]| places.iter().filter_map(|place| set.rows.get(*place)).map(full_name).collect();
    let noise =
        comparison.noise.iter().map(|noise| NoiseRow { figure: noise.figure.key(), percent: noise.percent, n: noise.rows });
    AgainstRow {
        reference: &set.name,
        complete: set.gap.is_none(),
        whole: comparison.is_whole(),
        pairs: comparison.pairs.iter().filter_map(|pair| one_pair(ours, &set.rows, pair)).collect(),
        ambiguous: comparison
            .ambiguous
            .iter()
            .map(|unclear| AmbiguousRow { points: unclear.ours.clone(), reference: names(&unclear.theirs) })
            .collect(),
        only_here: &comparison.only_ours,
        only_reference: names(&comparison.only_theirs),
        duplicates: comparison.duplicates,
        noise: noise.collect(),
    }
}

fn one_pair<'a>(ours: &[ResultRow], theirs: &'a [ResultRow], pair: &Pair) -> Option<PairRow<'a>> {
    let (our, their) = (ours.get(pair.ours)?, theirs.get(pair.theirs)?);
    let lacking =
        |side: Side| pair.one_sided.iter().filter(move |(_, has)| *has == side).map(|(figure, _)| figure.key()).collect();
    Some(PairRow {
        point: pair.ours,
        name: point(our),
        reference_run: their.run,
        reference_image: their.image.as_deref(),
        differences: pair.differences.iter().map(|difference| (difference.figure.key(), change(difference))).collect(),
        only_here: lacking(Side::Ours),
        only_reference: lacking(Side::Theirs),
    })
}

fn change(difference: &Difference) -> Value {
    let word = match difference.change {
        Change::Better => "better",
        Change::Worse => "worse",
        Change::Same => "same",
    };
    value!({
        "here": difference.ours,
        "reference": difference.theirs,
        "absolute": difference.absolute(),
        "percent": difference.percent(),
        "change": word,
    })
}

/// A row that stands in no list of the document.
fn full_name(row: &ResultRow) -> String {
    let axes = &row.axes;
    format!("{} {} {} {} {} {}", axes.model, row.scenario, axes.precision, axes.runner, axes.framework, point(row))
}
