//! Jobs over any two axes: a count and a state for each cell.
//! Must not know: how wide a column is drawn.

use super::attempts::MergedJob;
use super::names::LaneKind;
use super::summary::Tally;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

/// What jobs can be laid out by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Axis {
    Lane,
    Config,
    Model,
    Hardware,
    Framework,
    Precision,
    Parallelism,
    Concurrency,
    Spec,
    Offload,
    /// A part of the name, from 0: of jobs whose names say no point.
    Part(usize),
}

/// Parts of a name that can be axes; `core::sweep::asked` has a key for each.
const PARTS: usize = 6;

/// What an axis says of a job whose name does not tell its point, or has no such part.
const MISSING: &str = "–";
/// What it says where a point goes without.
const NOT_STATED: &str = "none";

impl Axis {
    const POINT: [Axis; 10] = [
        Axis::Lane,
        Axis::Config,
        Axis::Model,
        Axis::Hardware,
        Axis::Framework,
        Axis::Precision,
        Axis::Parallelism,
        Axis::Concurrency,
        Axis::Spec,
        Axis::Offload,
    ];

    /// The axes that these jobs have.
    pub fn all<'a>(jobs: impl Iterator<Item = &'a MergedJob> + Clone) -> Vec<Axis> {
        if jobs.clone().any(|job| job.name.axes.is_some()) {
            return Axis::POINT.to_vec();
        }
        let most = jobs.map(|job| parts(&job.job.name).count()).max().unwrap_or(0);
        (0..most.min(PARTS)).map(Axis::Part).collect()
    }

    /// As a filter asks for it.
    pub fn key(self) -> &'static str {
        match self {
            Axis::Lane => "lane",
            Axis::Config => "config",
            Axis::Model => "model",
            Axis::Hardware => "hw",
            Axis::Framework => "fw",
            Axis::Precision => "prec",
            Axis::Parallelism => "parallel",
            Axis::Concurrency => "at",
            Axis::Spec => "spec",
            Axis::Offload => "kv",
            Axis::Part(0) => "part1",
            Axis::Part(1) => "part2",
            Axis::Part(2) => "part3",
            Axis::Part(3) => "part4",
            Axis::Part(4) => "part5",
            Axis::Part(_) => "part6",
        }
    }

    pub(super) fn of_key(key: &str) -> Option<Axis> {
        Axis::POINT.into_iter().find(|axis| axis.key() == key)
    }

    pub fn title(self) -> &'static str {
        match self {
            Axis::Hardware => "hardware",
            Axis::Framework => "framework",
            Axis::Precision => "precision",
            Axis::Parallelism => "parallelism",
            Axis::Concurrency => "concurrency",
            Axis::Spec => "speculation",
            Axis::Offload => "offload",
            other => other.key(),
        }
    }

    /// What a job says on this axis.
    pub fn value(self, job: &MergedJob) -> Cow<'_, str> {
        if let Axis::Part(at) = self {
            return parts(&job.job.name).nth(at).unwrap_or(MISSING).into();
        }
        if self == Axis::Lane {
            let plumbing = job.name.kind == LaneKind::Plumbing;
            return if plumbing { "plumbing".into() } else { job.name.lane.as_str().into() };
        }
        let Some(axes) = &job.name.axes else { return MISSING.into() };
        let stated = |word: &'_ Option<String>| word.clone().unwrap_or_else(|| NOT_STATED.to_owned());
        match self {
            Axis::Config => {
                let words = [&axes.model, &axes.precision, &axes.runner, &axes.framework];
                words.into_iter().chain(&axes.spec).map(String::as_str).collect::<Vec<_>>().join("-").into()
            }
            Axis::Model => axes.model.as_str().into(),
            Axis::Hardware => axes.runner.as_str().into(),
            Axis::Framework => axes.framework.as_str().into(),
            Axis::Precision => axes.precision.as_str().into(),
            Axis::Parallelism => axes.render_parallel().into(),
            Axis::Concurrency => axes.render_conc().into(),
            Axis::Spec => stated(&axes.spec).into(),
            Axis::Offload => stated(&axes.kv).into(),
            Axis::Lane | Axis::Part(_) => MISSING.into(),
        }
    }
}

/// The parts of a name: between slashes, commas and parentheses.
pub fn parts(name: &str) -> impl Iterator<Item = &str> {
    name.split(['/', ',', '(', ')']).map(str::trim).filter(|part| !part.is_empty())
}

/// Jobs over two axes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pivot {
    /// What the rows and the columns are.
    pub axes: (Axis, Axis),
    pub rows: Vec<String>,
    pub columns: Vec<String>,
    /// By row and column; a pair that no job has is not there.
    pub cells: BTreeMap<(usize, usize), Tally>,
    /// Jobs that belong to no matrix, and are not laid out: set-up and collection beside jobs that measure.
    pub outside: usize,
}

impl Pivot {
    /// Lays jobs out. Labels stand in order of appearance, numbers in theirs.
    pub fn of<'a>(jobs: impl Iterator<Item = &'a MergedJob>, axes: (Axis, Axis)) -> Pivot {
        let mut out = Pivot { axes, rows: Vec::new(), columns: Vec::new(), cells: BTreeMap::new(), outside: 0 };
        let (mut rows, mut columns) = (HashMap::new(), HashMap::new());
        let mut cells: HashMap<(usize, usize), Tally> = HashMap::new();
        for job in jobs {
            if job.name.kind == LaneKind::Plumbing && !matches!(axes.0, Axis::Part(_)) {
                out.outside += 1;
                continue;
            }
            let row = place(&mut out.rows, &mut rows, axes.0.value(job));
            let column = place(&mut out.columns, &mut columns, axes.1.value(job));
            cells.entry((row, column)).or_default().add(&job.outcome);
        }
        let (rows, columns) = (sort(&mut out.rows), sort(&mut out.columns));
        out.cells = cells.into_iter().map(|((row, column), tally)| ((rows[row], columns[column]), tally)).collect();
        out
    }

    /// A filter that keeps the jobs of a cell; of those that are laid out, only them.
    pub fn filter(&self, row: usize, column: usize) -> Option<String> {
        self.cells.get(&(row, column))?;
        let (row, column) = (self.rows.get(row)?, self.columns.get(column)?);
        let term = |axis: Axis, value: &str| match (axis, value.split_once('"')) {
            // A part that is missing has no value that could be asked for.
            (Axis::Part(_), None) if value == MISSING => format!("-{}:", axis.key()),
            (_, None) => format!("{}:\"{value}\"", axis.key()),
            // A quote cannot be quoted: the word before it is as near as a filter comes.
            (_, Some((before, _))) => format!("{}:{}", axis.key(), before.split_whitespace().next().unwrap_or_default()),
        };
        let mut terms = vec![term(self.axes.0, row)];
        if self.axes.0 != self.axes.1 {
            terms.push(term(self.axes.1, column));
        }
        if [row, column].iter().any(|value| value.as_str() == MISSING) && !matches!(self.axes.0, Axis::Part(_)) {
            terms.push("-is:plumbing".to_owned());
        }
        Some(terms.join(" "))
    }
}

/// The index of a label, which is appended if it is new.
fn place(labels: &mut Vec<String>, places: &mut HashMap<String, usize>, label: Cow<'_, str>) -> usize {
    if let Some(&at) = places.get(label.as_ref()) {
        return at;
    }
    labels.push(label.clone().into_owned());
    places.insert(label.into_owned(), labels.len() - 1);
    labels.len() - 1
}

/// Sorts labels that are all numbers (`64`, `c64`, `c4x8`), and says where each of them went.
fn sort(labels: &mut Vec<String>) -> Vec<usize> {
    let number = |label: &String| -> Option<Vec<u32>> {
        label.strip_prefix('c').unwrap_or(label).split('x').map(|part| part.parse().ok()).collect()
    };
    let stated = |label: &&String| label.as_str() != MISSING;
    let mut order: Vec<usize> = (0..labels.len()).collect();
    if labels.iter().filter(stated).all(|label| number(label).is_some()) {
        order.sort_by_key(|&at| (number(&labels[at]).is_none(), number(&labels[at])));
    }
    let mut went = vec![0; order.len()];
    order.iter().enumerate().for_each(|(to, &from)| went[from] = to);
    *labels = order.iter().map(|&at| std::mem::take(&mut labels[at])).collect();
    went
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::filter::Filter;
    use crate::core::sample::job;
    use crate::core::sweep::{Asked, GRAMMAR, merge};
    use proptest::prelude::*;

    fn of(names: &[(&str, &str)]) -> Vec<MergedJob> {
        let jobs: Vec<_> = names
            .iter()
            .zip(1..)
            .map(|((name, word), id)| job(id, 1, name, Some(*word).filter(|word| *word != "running")))
            .collect();
        merge(&jobs, &BTreeMap::new())
    }

    #[test]
    fn points_are_laid_out_by_any_two_axes() {
        let jobs = of(&[
            ("setup", "success"),
            ("single-node 8k1k / m fp4 b200 sgl TP2 c64", "failure"),
            ("single-node 8k1k / m fp4 b200 sgl TP2 c8", "success"),
            ("single-node 8k1k / m fp4 b200 sgl TP4 mtp c8", "running"),
            ("eval / m fp4 b200 sgl TP4 mtp c8 | eval-only", "success"),
            ("agentic /", "skipped"),
        ]);
        let pivot = Pivot::of(jobs.iter(), (Axis::Parallelism, Axis::Concurrency));
        assert_eq!((pivot.rows.as_slice(), pivot.outside), (&["TP2", "TP4", "–"].map(str::to_owned)[..], 1));
        assert_eq!(pivot.columns, ["c8", "c64", "–"]);
        assert_eq!((pivot.cells[&(0, 1)].failed, pivot.cells[&(1, 0)].total, pivot.cells[&(2, 2)].skipped), (1, 2, 1));
        assert_eq!(pivot.filter(0, 1).unwrap(), "parallel:\"TP2\" at:\"c64\"");
        assert_eq!(pivot.filter(0, 2), None, "no job is there");
    }

    #[test]
    fn any_matrix_is_laid_out_by_the_parts_of_its_names() {
        let jobs = of(&[
            ("test (ubuntu, 9)", "success"),
            ("test (ubuntu, 10)", "failure"),
            ("test (mac, 10)", "success"),
            ("lint", "success"),
        ]);
        let axes = Axis::all(jobs.iter());
        assert_eq!(axes, [Axis::Part(0), Axis::Part(1), Axis::Part(2)]);
        let pivot = Pivot::of(jobs.iter(), (axes[1], axes[2]));
        assert_eq!(
            (pivot.rows.clone(), pivot.columns.clone(), pivot.outside),
            (["ubuntu", "mac", "–"].map(str::to_owned).to_vec(), ["9", "10", "–"].map(str::to_owned).to_vec(), 0)
        );
        assert_eq!(pivot.cells[&(0, 1)].failed, 1);
    }

    proptest! {
        #[test]
        fn a_cell_s_filter_keeps_exactly_its_jobs(
            jobs in prop::collection::vec((0usize..8, 0usize..4), 1..30), row in 0usize..10, column in 0usize..10, plain in prop::bool::ANY
        ) {
            let points = ["single-node 8k1k / m fp4 b200 sgl TP2 c8", "single-node 8k1k / m fp4 b200 sgl TP2 c64", "eval / m fp4 b200 sgl TP2 c8 | eval-only",
                "agentic eval / n fp8 b300 trt TP8/EP8 mtp dram KV offload c8x64", "agentic /", "setup", "multi-node / m fp4 b200 sgl 1P (TP2) x 2D (TP4) c4", "canary / m fp4 b200 sgl TP2 c8"];
            let others = ["a (x, 1)", "a (y, 2)", "a / b (x, 10)", "lint", "b / c", "d, e, f, g, h, i, j", "a", "x (a)"];
            let words = ["success", "failure", "skipped", "running"];
            let names: Vec<(&str, &str)> = jobs.iter().map(|(name, word)| (if plain { others } else { points }[*name], words[*word])).collect();
            let jobs = of(&names);
            let axes = Axis::all(jobs.iter());
            let pair = (axes[row % axes.len()], axes[column % axes.len()]);
            let pivot = Pivot::of(jobs.iter(), pair);
            let laid: Vec<&MergedJob> =
                jobs.iter().filter(|job| job.name.kind != LaneKind::Plumbing || matches!(pair.0, Axis::Part(_))).collect();
            prop_assert_eq!(pivot.cells.values().map(|tally| tally.total).sum::<usize>(), laid.len());
            prop_assert_eq!(laid.len() + pivot.outside, jobs.len());
            for (&(row, column), tally) in &pivot.cells {
                let filter = Filter::parse(&pivot.filter(row, column).unwrap(), GRAMMAR).unwrap();
                let kept = laid.iter().filter(|job| filter.keeps(&Asked { job, newest: 1, root: false, head: None })).count();
                prop_assert_eq!(kept, tally.total, "{:?}", pivot.filter(row, column));
            }
        }
    }
}
