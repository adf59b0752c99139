//! All that the rows of a run show: their curves in every view, and how they differ from a reference. Screen and exports
//! draw from the same one.
//! Must not know: where rows and reference were read, which configs a pull request changes.

use super::compare::{Arm, Comparison, Dimension, compare, compare_arms};
use super::curves::{Curve, CurveKey, Grouping, View, curves, curves_of};
use super::plot::{Layer, Plot, plot};
use super::{Figure, ResultRow, Results};
use crate::core::ids::RunId;
use crate::core::listing::Listing;
use crate::core::trouble::Trouble;
use std::collections::BTreeSet;
use std::sync::Arc;

#[derive(Debug, Clone, PartialEq)]
pub struct Sheet {
    pub rows: Arc<Vec<ResultRow>>,
    /// Of each view those of all rows, by their keys.
    pub curves: Vec<Curve>,
    pub against: Option<Set>,
}

/// A reference, and what came of the comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Set {
    /// `run 31020193450`, `base.json`, `spec=none`.
    pub name: String,
    /// What the places of the comparison's other side mean; for an arm the same rows.
    pub rows: Arc<Vec<ResultRow>>,
    pub comparison: Comparison,
    /// What is missing from the reference, a sentence: points that only we have may be among it.
    pub gap: Option<String>,
    arm: Option<Dimension>,
    /// Without the arm's own rows.
    ours: Vec<Curve>,
    theirs: Vec<Curve>,
}

/// What to compare with.
#[derive(Debug, Clone, PartialEq)]
pub enum Against {
    Rows {
        name: String,
        rows: Arc<Vec<ResultRow>>,
        /// What is missing from them, a sentence.
        gap: Option<String>,
    },
    /// Of the same run.
    Arm(Arm),
}

impl Against {
    /// Another run.
    pub fn run(run: RunId, rows: &Listing<ResultRow>) -> Against {
        let name = format!("run {run}");
        let gap = rows.render_gap().map(|gap| format!("Results of {name}: {gap}"));
        Against::Rows { name, rows: Arc::new(rows.items.clone()), gap }
    }

    /// What [`super::parse_reference`] read.
    pub fn file(name: &str, found: Results) -> Against {
        let gap = found.trouble.as_ref().map(Trouble::sentence);
        Against::Rows { name: name.to_owned(), rows: Arc::new(found.rows), gap }
    }

    /// What the reference lacks, a sentence: it was not read whole, or holds nothing to set these rows against.
    pub fn gap(&self, rows: &[ResultRow]) -> Option<String> {
        match self {
            Against::Rows { gap: Some(gap), .. } => Some(gap.clone()),
            Against::Rows { name, rows, .. } => rows.is_empty().then(|| format!("The reference {name} holds no result row.")),
            Against::Arm(arm) if rows.is_empty() || rows.iter().any(|row| arm.holds(row)) => None,
            Against::Arm(arm) => {
                let values: BTreeSet<String> = rows.iter().map(|row| arm.dimension.of(&row.axes)).collect();
                let values = values.into_iter().collect::<Vec<_>>().join(", ");
                Some(format!("The run has no arm {}={}; its rows say {values}.", arm.dimension.word(), arm.value))
            }
        }
    }
}

impl Sheet {
    pub fn draw(rows: Arc<Vec<ResultRow>>, grouping: Grouping<'_>, against: Option<&Against>) -> Sheet {
        let all = |rows: &[ResultRow]| View::ALL.into_iter().flat_map(|view| curves(rows, grouping, view)).collect::<Vec<_>>();
        let drawn = all(&rows);
        let against = against.map(|against| match against {
            Against::Rows { name, rows: other, .. } => Set {
                name: name.clone(),
                gap: against.gap(&rows),
                comparison: compare(&rows, other),
                arm: None,
                ours: drawn.clone(),
                theirs: all(other),
                rows: Arc::clone(other),
            },
            Against::Arm(arm) => {
                let part = |held: bool| {
                    let of = |view| curves_of(&rows, |row| arm.holds(row) == held, grouping, view);
                    View::ALL.into_iter().flat_map(of).collect::<Vec<_>>()
                };
                Set {
                    name: format!("{}={}", arm.dimension.word(), arm.value),
                    gap: against.gap(&rows),
                    comparison: compare_arms(&rows, arm),
                    arm: Some(arm.dimension),
                    ours: part(false),
                    theirs: part(true),
                    rows: Arc::clone(&rows),
                }
            }
        });
        Sheet { rows, curves: drawn, against }
    }

    pub fn of_view(&self, view: View) -> impl Iterator<Item = &Curve> {
        self.curves.iter().filter(move |curve| curve.view == view)
    }

    /// One curve with the same of the reference behind it. `None` when no point of either has a place.
    pub fn plot(&self, curve: &Curve) -> Option<Plot> {
        let own = format!("run {}", curve.key.run);
        let Some(set) = &self.against else {
            return plot(&[Layer { name: &own, curve, rows: &self.rows, reference: false }]);
        };
        let same_view = |other: &&Curve| other.view == curve.view;
        let theirs = set.theirs.iter().filter(same_view).filter(|other| set.is_twin(&curve.key, &other.key));
        let ours = set.ours.iter().filter(same_view).filter(|other| other.key == curve.key);
        let behind = theirs.map(|curve| Layer { name: &set.name, curve, rows: &set.rows, reference: true });
        let front = ours.map(|curve| Layer { name: &own, curve, rows: &self.rows, reference: false });
        let mut layers: Vec<Layer<'_>> = front.chain(behind).collect();
        if layers.is_empty() {
            layers.push(Layer { name: &own, curve, rows: &self.rows, reference: false });
        }
        plot(&layers)
    }

    /// Figures that some row tells, in the order of [`Figure::all`].
    pub fn figures(&self) -> Vec<Figure> {
        Figure::all().filter(|figure| self.rows.iter().any(|row| figure.of(row).is_some())).collect()
    }

    /// Numbers that rows state and that are none, or cannot be negative.
    pub fn flaws(&self) -> usize {
        self.rows.iter().map(|row| row.flaws.len()).sum()
    }
}

impl Set {
    /// Whether ours and the reference stand in the same rows.
    pub fn is_arm(&self) -> bool {
        self.arm.is_some()
    }

    fn is_twin(&self, ours: &CurveKey, theirs: &CurveKey) -> bool {
        let Some(dimension) = self.arm else { return ours.is_twin(theirs) };
        let hardware = matches!(dimension, Dimension::Spec | Dimension::Framework | Dimension::Runner);
        let precision = dimension == Dimension::Precision;
        let alike = CurveKey {
            hardware: if hardware { ours.hardware.clone() } else { theirs.hardware.clone() },
            precision: if precision { ours.precision.clone() } else { theirs.precision.clone() },
            ..theirs.clone()
        };
        ours.is_twin(&alike)
    }
}

#[cfg(test)]
mod tests {
    use super::super::curves::tests::{GROUPING, some_rows};
    use super::super::rows::tests::fixed;
    use super::*;
    use crate::core::trouble::TroubleKind;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn rows(list: &[(&str, u32, f64)]) -> Arc<Vec<ResultRow>> {
        let row = |&(spec, conc, y): &(&str, u32, f64)| {
            let mut row = fixed();
            (row["spec_decoding"], row["conc"], row["tput_per_gpu"]) = (json!(spec), json!(conc), json!(y));
            row
        };
        let list: Vec<Value> = list.iter().map(row).collect();
        Arc::new(super::super::parse("f", RunId(7), Value::from(list).to_string().as_bytes()).unwrap().rows)
    }

    #[test]
    fn a_plot_sets_the_arm_behind_the_rest_of_its_run() {
        let run = rows(&[("mtp", 1, 110.0), ("none", 1, 100.0), ("none", 2, 120.0)]);
        let arm = Against::Arm(Arm::parse("spec=none").unwrap());
        let sheet = Sheet::draw(run, GROUPING, Some(&arm));
        let drawn = |hardware: &str| {
            let curve = sheet.of_view(View::Latency).find(|curve| curve.key.hardware == hardware).unwrap();
            sheet.plot(curve).unwrap()
        };
        let of = |hardware: &str| {
            let plot = drawn(hardware);
            plot.series.iter().map(|series| (series.name.clone(), series.marks.len(), series.reference)).collect::<Vec<_>>()
        };
        let behind = "spec=none: qwen3.5 8192/1024 b200_sglang fp4, median";
        let front = "run 7: qwen3.5 8192/1024 b200_sglang_mtp fp4, median";
        assert_eq!(drawn("b200_sglang_mtp").title, "qwen3.5 8192/1024 b200_sglang_mtp fp4, median");
        assert_eq!(of("b200_sglang_mtp"), [(front.to_owned(), 1, false), (behind.to_owned(), 2, true)]);
        assert_eq!(of("b200_sglang"), [("spec=none".to_owned(), 2, true)]);
        assert_eq!(sheet.against.as_ref().unwrap().comparison.summary(), "1 point compared, 1 only in the reference");
    }

    #[test]
    fn a_reference_is_drawn_behind_the_same_curve() {
        let other = Against::Rows { name: "base.json".into(), rows: rows(&[("mtp", 1, 90.0), ("none", 1, 1.0)]), gap: None };
        let sheet = Sheet::draw(rows(&[("mtp", 1, 110.0)]), GROUPING, Some(&other));
        let plot = sheet.plot(sheet.of_view(View::Interactivity).next().unwrap()).unwrap();
        let told: Vec<(&str, f64)> = plot.series.iter().map(|series| (series.name.as_str(), series.marks[0].y)).collect();
        assert_eq!(told, [("run 7", 110.0), ("base.json", 90.0)]);
        assert_eq!(plot.title, "qwen3.5 8192/1024 b200_sglang_mtp fp4, median");
    }

    #[test]
    fn a_reference_that_is_not_whole_says_so() {
        let run = rows(&[("mtp", 1, 110.0)]);
        let gone = || Trouble::new(TroubleKind::Gone, "The artifact has expired.", "");
        let gap = |against: Against| Sheet::draw(Arc::clone(&run), GROUPING, Some(&against)).against.unwrap().gap;
        assert_eq!(gap(Against::run(RunId(8), &Listing::complete(run.to_vec()))), None);
        let partial = Against::run(RunId(8), &Listing::partial(run.to_vec(), Some(3), gone()));
        assert_eq!(gap(partial).unwrap(), "Results of run 8: 1 of 3 read: The artifact has expired.");
        let found = |rows, trouble| Results { rows, trouble, ..Results::default() };
        assert_eq!(gap(Against::file("f", found(run.to_vec(), None))), None);
        assert_eq!(gap(Against::file("f", found(run.to_vec(), Some(gone())))).unwrap(), "The artifact has expired.");
        assert_eq!(gap(Against::file("f", found(vec![], None))).unwrap(), "The reference f holds no result row.");
        let arm = gap(Against::Arm(Arm::parse("spec=none").unwrap()));
        assert_eq!(arm.unwrap(), "The run has no arm spec=none; its rows say mtp.");
    }

    proptest! {
        #[test]
        fn any_sheet_is_drawn(ours in some_rows(), theirs in some_rows(), kind in 0u8..3) {
            let against = match kind {
                0 => None,
                1 => Some(Against::Rows { name: "n".into(), rows: Arc::new(theirs), gap: None }),
                _ => Some(Against::Arm(Arm::parse("runner=b200").unwrap())),
            };
            let sheet = Sheet::draw(Arc::new(ours), GROUPING, against.as_ref());
            for curve in &sheet.curves {
                prop_assert!(sheet.plot(curve).is_some() || curve.points.is_empty());
            }
        }
    }
}
