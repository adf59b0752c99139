//! A plot as numbers: axes with round ticks, series of marks, and which mark is nearest. Terminal and SVG draw the same one.
//! Must not know: cells, pixels, colours, how curves come about.

use super::{Better, Curve, Figure, ResultRow};
use std::collections::BTreeSet;

/// About so many ticks on an axis.
const TICKS: f64 = 5.0;

#[derive(Debug, Clone, PartialEq)]
pub struct Plot {
    /// What strangers named stands in it: it passes a gate before it is shown.
    pub title: String,
    pub x: Axis,
    pub y: Axis,
    pub series: Vec<Series>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// With its unit: `median E2E latency, s`.
    pub title: String,
    pub low: f64,
    /// Above `low`.
    pub high: f64,
    /// From `low` to `high`, rising.
    pub ticks: Vec<Tick>,
    pub better: Better,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    pub at: f64,
    pub label: String,
}

/// The points of one curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    pub name: String,
    /// It is what the others are set against.
    pub reference: bool,
    /// By rising x.
    pub marks: Vec<Mark>,
    /// Points that have no place in it.
    pub invalid: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// Its place among the rows of its layer.
    pub row: usize,
    pub x: f64,
    pub y: f64,
    pub frontier: bool,
    /// The point is measured before, with other numbers.
    pub repeated: bool,
    /// `TP2/EP2 c16`.
    pub label: String,
}

/// Which mark of which series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    pub series: usize,
    pub mark: usize,
}

/// One curve to be drawn, with the rows that it is of.
#[derive(Debug, Clone, Copy)]
pub struct Layer<'a> {
    /// `run 31020193450`, `base.json`.
    pub name: &'a str,
    pub curve: &'a Curve,
    pub rows: &'a [ResultRow],
    pub reference: bool,
}

/// Draws the layers over each other; those of another view than the first are left out. `None` when no point has a place.
pub fn plot(layers: &[Layer<'_>]) -> Option<Plot> {
    let view = layers.first()?.curve.view;
    let layers: Vec<&Layer<'_>> = layers.iter().filter(|layer| layer.curve.view == view).collect();
    let first = &layers.first()?.curve.key;
    let alone = layers.iter().all(|layer| layer.curve.key.is_twin(first));
    let name = |layer: &Layer<'_>| if alone { layer.name.to_owned() } else { format!("{}: {}", layer.name, layer.curve.key) };
    let series: Vec<Series> = layers
        .iter()
        .map(|layer| Series {
            name: name(layer),
            reference: layer.reference,
            marks: layer.curve.points.iter().map(|point| mark(point, layer.rows)).collect(),
            invalid: layer.curve.invalid.len(),
        })
        .collect();
    let marks = || series.iter().flat_map(|series| &series.marks);
    let figures: BTreeSet<String> = layers.iter().map(|layer| layer.curve.view.x(layer.curve.key.percentile).name()).collect();
    let figure = view.x(first.percentile);
    let x_title = format!("{}, {}", figures.into_iter().collect::<Vec<_>>().join(" or "), figure.unit());
    let y_title = format!("{} per GPU, {}", Figure::Total.name(), Figure::Total.unit());
    // A reference is told by its series: the title is of what is set against it.
    let mut own: Vec<String> =
        layers.iter().filter(|layer| !layer.reference).map(|layer| layer.curve.key.to_string()).collect();
    own.dedup();
    let title = match own.as_slice() {
        [] => first.to_string(),
        [only] => only.clone(),
        several => format!("{} curves", several.len()),
    };
    Some(Plot {
        title,
        x: Axis::over(x_title, figure.better(), marks().map(|mark| mark.x))?,
        y: Axis::over(y_title, Figure::Total.better(), marks().map(|mark| mark.y))?,
        series,
    })
}

fn mark(point: &super::CurvePoint, rows: &[ResultRow]) -> Mark {
    let label = rows.get(point.row).map(ResultRow::render_point).unwrap_or_default();
    Mark { row: point.row, x: point.x, y: point.y, frontier: point.frontier, repeated: point.repeats.is_some(), label }
}

impl Plot {
    pub fn mark(&self, spot: Spot) -> Option<&Mark> {
        self.series.get(spot.series)?.marks.get(spot.mark)
    }

    /// Every mark, from left to right.
    pub fn spots(&self) -> Vec<Spot> {
        let of =
            |(series, list): (usize, &Series)| (0..list.marks.len()).map(move |mark| Spot { series, mark }).collect::<Vec<_>>();
        let mut out: Vec<Spot> = self.series.iter().enumerate().flat_map(of).collect();
        let place = |spot: &Spot| self.mark(*spot).map_or((0.0, 0.0), |mark| (mark.x, mark.y));
        out.sort_by(|a, b| {
            let ((ax, ay), (bx, by)) = (place(a), place(b));
            ax.total_cmp(&bx).then(ay.total_cmp(&by)).then(a.cmp(b))
        });
        out
    }

    /// The mark nearest to a place in the units of the axes; both axes count as equally long.
    pub fn nearest(&self, x: f64, y: f64) -> Option<Spot> {
        let (x, y) = (self.x.share(x), self.y.share(y));
        let apart = |spot: &Spot| {
            let mark = self.mark(*spot);
            mark.map_or(f64::INFINITY, |mark| (self.x.share(mark.x) - x).hypot(self.y.share(mark.y) - y))
        };
        self.spots().into_iter().min_by(|a, b| apart(a).total_cmp(&apart(b)))
    }

    /// The next mark to the right, or to the left; the outermost stays.
    pub fn step(&self, from: Spot, right: bool) -> Option<Spot> {
        let spots = self.spots();
        let at = spots.iter().position(|spot| *spot == from).unwrap_or_default();
        let next = if right { at + 1 } else { at.saturating_sub(1) };
        spots.get(next).or(spots.last()).copied()
    }
}

impl Series {
    /// The line through the frontier, by rising x.
    pub fn line(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.marks.iter().filter(|mark| mark.frontier).map(|mark| (mark.x, mark.y))
    }
}

impl Axis {
    /// An axis over all values, from tick to tick. It begins at zero unless all values lie close together.
    fn over(title: String, better: Better, values: impl Iterator<Item = f64> + Clone) -> Option<Axis> {
        let least = values.clone().min_by(f64::total_cmp)?;
        let most = values.max_by(f64::total_cmp)?;
        let (low, high) = if least > 0.0 && most < 2.0 * least {
            // A single value stands in the middle.
            let room = if most > least { 0.0 } else { least / 10.0 };
            (least - room, most + room)
        } else {
            (least.min(0.0), most)
        };
        let ticks = ticks(low, high);
        let (low, high) = (ticks.first()?.at, ticks.last()?.at);
        Some(Axis { title, low, high, ticks, better })
    }

    /// How far along the axis a value lies: 0 at its low end, 1 at its high end.
    pub fn share(&self, value: f64) -> f64 {
        // Halves first: the span of huge numbers has no place in a double.
        (value / 2.0 - self.low / 2.0) / (self.high / 2.0 - self.low / 2.0)
    }

    /// The value at a share of the axis.
    pub fn value(&self, share: f64) -> f64 {
        self.low + (self.high - self.low) * share
    }
}

/// Round numbers from at or below `low` to at or above `high`: multiples of 1, 2 or 5 with a power of ten.
fn ticks(low: f64, high: f64) -> Vec<Tick> {
    let step = step((high - low) / TICKS);
    // A value that only rounding puts beside its tick stands on it.
    let (from, to) = ((low / step + 1e-9).floor(), (high / step - 1e-9).ceil());
    let whole = from.is_finite() && to.is_finite() && (to * step).is_finite() && to.abs() < 1e15 && from.abs() < 1e15;
    if !whole || to <= from || to - from > 20.0 {
        // Too large, too small or too close together for round numbers.
        let above = if high > low { high } else { low + 1.0_f64.max(low.abs() * 1e-9) };
        let ends = if above.is_finite() { [low, above] } else { [0.0, f64::MAX] };
        return ends.into_iter().map(|at| Tick { at, label: format!("{at:e}") }).collect();
    }
    let decimals = (-step.log10().floor()).clamp(0.0, 12.0) as usize;
    let plain = (to * step).abs() < 1e9 && step > 1e-9;
    let label = |at: f64| if plain { format!("{at:.decimals$}") } else { format!("{at:e}") };
    let count = (to - from) as usize;
    (0..=count).map(|n| (from + n as f64) * step).map(|at| Tick { at, label: label(at) }).collect()
}

/// The smallest of 1, 2, 5 with a power of ten that is not below `wanted`.
fn step(wanted: f64) -> f64 {
    let power = 10f64.powf(wanted.log10().floor());
    let found = [1.0, 2.0, 5.0].into_iter().map(|factor| factor * power).find(|step| *step >= wanted * (1.0 - 1e-9));
    found.unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::super::curves::tests::{GROUPING, some_rows};
    use super::super::rows::tests::fixed;
    use super::super::{View, curves};
    use super::*;
    use crate::core::ids::RunId;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn rows(points: &[(u32, f64, f64)]) -> Vec<ResultRow> {
        let row = |&(conc, x, y): &(u32, f64, f64)| {
            let mut row = fixed();
            (row["conc"], row["median_e2el"], row["tput_per_gpu"]) = (json!(conc), json!(x), json!(y));
            row
        };
        let list: Vec<Value> = points.iter().map(row).collect();
        super::super::parse("f", RunId(7), Value::from(list).to_string().as_bytes()).unwrap().rows
    }

    fn labels(low: f64, high: f64) -> Vec<String> {
        ticks(low, high).into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn ticks_are_round_and_hold_the_range() {
        assert_eq!(labels(0.0, 13290.8), ["0", "5000", "10000", "15000"]);
        assert_eq!(labels(4.0, 30.0), ["0", "10", "20", "30"]);
        assert_eq!(labels(0.0, 1.0), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(0.011, 0.0131), ["0.0110", "0.0115", "0.0120", "0.0125", "0.0130", "0.0135"]);
        assert_eq!(labels(0.0, 3e12).last().unwrap(), "3e12");
    }

    #[test]
    fn a_plot_has_both_runs_and_one_scale() {
        let (ours, theirs) = (rows(&[(1, 4.0, 900.0), (2, 6.0, 1500.0), (4, 7.0, 1400.0)]), rows(&[(1, 5.0, 800.0)]));
        let (a, b) = (curves(&ours, GROUPING, View::Latency).remove(0), curves(&theirs, GROUPING, View::Latency).remove(0));
        let layers = [
            Layer { name: "run 7", curve: &a, rows: &ours, reference: false },
            Layer { name: "base.json", curve: &b, rows: &theirs, reference: true },
        ];
        let plot = plot(&layers).unwrap();
        assert_eq!(plot.title, "qwen3.5 8192/1024 b200_sglang_mtp fp4, median");
        assert_eq!(
            (plot.x.title.as_str(), plot.y.title.as_str()),
            ("median E2E latency, s", "total throughput per GPU, tok/s/GPU")
        );
        assert_eq!((plot.x.low, plot.x.high, plot.y.low, plot.y.high), (4.0, 7.0, 800.0, 1600.0));
        assert_eq!(plot.series[0].line().collect::<Vec<_>>(), [(4.0, 900.0), (6.0, 1500.0)]);
        assert_eq!((plot.series[1].reference, plot.series[1].marks[0].label.as_str()), (true, "TP2/EP2 c1"));
        let order: Vec<f64> = plot.spots().into_iter().map(|spot| plot.mark(spot).unwrap().x).collect();
        assert_eq!(order, [4.0, 5.0, 6.0, 7.0]);
        // A second of latency is a third of the axis, and 100 tokens are little.
        let near = |x, y| plot.nearest(x, y).unwrap();
        assert_eq!(
            [near(4.1, 1000.0), near(5.0, 790.0), near(6.9, 1500.0)].map(|s| (s.series, s.mark)),
            [(0, 0), (1, 0), (0, 2)]
        );
        let first = near(4.0, 900.0);
        assert_eq!(plot.step(first, false), Some(first));
        assert_eq!(plot.step(first, true), Some(Spot { series: 1, mark: 0 }));
    }

    #[test]
    fn one_point_stands_in_the_middle_and_none_is_no_plot() {
        let one = rows(&[(1, 4.0, 900.0)]);
        let curve = curves(&one, GROUPING, View::Latency).remove(0);
        let of = |curve: &Curve| plot(&[Layer { name: "a", curve, rows: &one, reference: false }]);
        let drawn = of(&curve).unwrap();
        assert!(drawn.x.low < 4.0 && drawn.x.high > 4.0 && drawn.y.low < 900.0 && drawn.y.high > 900.0);
        assert_eq!((of(&Curve { points: vec![], ..curve }), plot(&[])), (None, None));
    }

    proptest! {
        #[test]
        fn every_range_has_its_axis(a in any::<f64>(), b in any::<f64>(), c in 0f64..2.0) {
            let positive = |value: f64| value.is_finite() && value > 0.0;
            let values: Vec<f64> = [a.abs(), b.abs(), c, a.abs() * (1.0 + c * 1e-15)].into_iter().filter(|v| positive(*v)).collect();
            for list in [&values[..], values.get(..1).unwrap_or_default()] {
                let Some(axis) = Axis::over(String::new(), Better::Lower, list.iter().copied()) else { continue };
                prop_assert!(axis.low.is_finite() && axis.high.is_finite() && axis.low < axis.high, "{axis:?}");
                prop_assert!((2..=22).contains(&axis.ticks.len()));
                prop_assert!(axis.ticks.is_sorted_by(|a, b| a.at < b.at), "{axis:?}");
                for value in list {
                    let share = axis.share(*value);
                    prop_assert!((-1e-6..=1.000_001).contains(&share), "{value:e} {share} {axis:?}");
                }
            }
        }

        #[test]
        fn any_rows_are_drawn(rows in some_rows(), x in any::<f64>(), y in any::<f64>()) {
            for view in View::ALL {
                let drawn = curves(&rows, GROUPING, view);
                let layer = |curve| Layer { name: "a", curve, rows: &rows, reference: false };
                let layers: Vec<Layer<'_>> = drawn.iter().map(layer).collect();
                let Some(plot) = plot(&layers) else { continue };
                prop_assert_eq!(plot.spots().len(), drawn.iter().map(|curve| curve.points.len()).sum::<usize>());
                let near = plot.nearest(x, y).unwrap();
                prop_assert!(plot.mark(near).is_some() && plot.step(near, true).is_some());
                for spot in plot.spots() {
                    let mark = plot.mark(spot).unwrap();
                    prop_assert!(mark.y >= plot.y.low && mark.y <= plot.y.high * (1.0 + 1e-9));
                }
            }
        }
    }
}
