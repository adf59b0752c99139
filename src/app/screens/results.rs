//! The results pane: one curve of the run that counts, its points, and a reference behind it.
//! Must not know: cells, how rows are compared.

use super::Scroll;
use super::sieve::Sieve;
use crate::app::model::Model;
use crate::core::axes::Axes;
use crate::core::filter::{Grammar, Subject};
use crate::core::ids::{JobId, RunId};
use crate::core::plan::Read;
use crate::core::policy::Policy;
use crate::core::remote::Remote;
use crate::core::results::compare::{Change, Standing};
use crate::core::results::plot::Spot;
use crate::core::results::{Against, Curve, CurvePoint, Figure, Grouping, Plot, ResultRow, Sheet, View};
use crate::core::sweep::{LaneKind, MergedJob, Sweep};
use std::sync::Arc;

#[derive(Debug)]
pub struct ResultsScreen {
    pub scroll: Scroll,
    pub view: View,
    /// Which of the view's curves.
    pub curve: usize,
    /// What the curves are set against.
    pub against: Option<Beside>,
    pub sieve: Sieve,
    /// Places in the curve, its points first, of the rows that the filter keeps.
    pub shown: Vec<usize>,
    pub sheet: Option<Arc<Sheet>>,
    /// The chosen curve as a plot; `None` when no point of it has a place.
    pub plot: Option<Plot>,
    /// What the pane wants to be read.
    pub(in crate::app) needs: Vec<Read>,
    /// What the sheet was drawn from, and what one is being drawn from.
    drawn: Option<Basis>,
    drawing: Option<Basis>,
}

/// What the curves are set against.
#[derive(Debug, Clone, PartialEq)]
pub enum Beside {
    /// An earlier run of the pull request: read, and read again, with everything else.
    Earlier(RunId),
    /// As it was named and read.
    Named {
        name: String,
        rows: Arc<Against>,
        /// Tells it from another of that name, read later.
        at: u64,
    },
}

/// Runs and digests of the rows on both sides; of named ones, the name and when they came.
type Basis = ((RunId, String), Option<(String, String)>);

/// What rows of a curve can be asked.
pub(in crate::app) const GRAMMAR: Grammar =
    Grammar { states: &["frontier", "flawed", "repeated", "better", "worse", "new"], names: &[] };

/// A row of the list.
struct Asked<'a> {
    sheet: &'a Sheet,
    row: &'a ResultRow,
    place: usize,
    /// `None`: it has no place on the curve.
    point: Option<&'a CurvePoint>,
}

impl Subject for Asked<'_> {
    fn is(&self, state: &str) -> bool {
        let against = self.sheet.against.as_ref();
        let pair = against.and_then(|set| set.comparison.pair_of(self.place));
        let total = pair.and_then(|pair| pair.differences.iter().find(|one| one.figure == Figure::Total)).map(|one| one.change);
        match state {
            "frontier" => self.point.is_some_and(|point| point.frontier),
            "flawed" => self.point.is_none() || !self.row.flaws.is_empty(),
            "repeated" => self.point.is_some_and(|point| point.repeats.is_some()),
            "better" => total == Some(Change::Better),
            "worse" => total == Some(Change::Worse),
            "new" => against.is_some_and(|set| set.comparison.standing(self.place) == Standing::OnlyOurs),
            _ => false,
        }
    }

    fn named(&self, _: &str) -> Option<String> {
        None
    }

    fn axes(&self) -> Option<&Axes> {
        Some(&self.row.axes)
    }

    fn text(&self) -> String {
        let axes = &self.row.axes;
        let words = [&axes.spec, &axes.kv].into_iter().flatten().map(String::as_str);
        let words: Vec<&str> = words.chain(self.row.image.as_deref()).collect();
        format!("{} {} {} {}", self.row.render_point(), axes.framework, axes.runner, words.join(" "))
    }
}

/// A sheet to be drawn on a worker: thousands of rows are not for the thread that draws.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    policy: Arc<Policy>,
    rows: Arc<Vec<ResultRow>>,
    against: Option<Against>,
}

impl Drawing {
    pub fn run(&self) -> Sheet {
        let grouping = self.policy.rules.pareto.as_ref().map_or(Grouping::PLAIN, |pareto| pareto.grouping());
        Sheet::draw(Arc::clone(&self.rows), grouping, self.against.as_ref())
    }
}

impl Default for ResultsScreen {
    fn default() -> Self {
        ResultsScreen {
            scroll: Scroll::default(),
            view: View::Latency,
            curve: 0,
            against: None,
            sieve: Sieve::default(),
            shown: Vec::new(),
            sheet: None,
            plot: None,
            needs: Vec::new(),
            drawn: None,
            drawing: None,
        }
    }
}

impl ResultsScreen {
    /// The curves of the view, in order.
    pub fn curves(&self) -> Vec<&Curve> {
        self.sheet.iter().flat_map(|sheet| sheet.of_view(self.view)).collect()
    }

    pub fn current(&self) -> Option<&Curve> {
        self.curves().get(self.curve).copied()
    }

    /// Rows of the list: the points, then those without a place, as far as the filter keeps them.
    pub fn rows(&self) -> usize {
        self.shown.len()
    }

    pub(in crate::app) fn sift(&mut self, sieve: Sieve) {
        self.sieve = sieve;
        self.show();
    }

    /// Chooses the rows of the curve that the filter keeps. The curve and its frontier stay those of all points.
    fn show(&mut self) {
        let chosen = self.current().zip(self.sheet.as_deref()).map(|(curve, sheet)| {
            let kept = |at: &usize| {
                let point = curve.points.get(*at);
                let place = point.map(|point| point.row).or_else(|| Some(curve.invalid.get(at - curve.points.len())?.row));
                let row = place.and_then(|place| Some((place, sheet.rows.get(place)?)));
                row.is_some_and(|(place, row)| self.sieve.keeps(&Asked { sheet, row, place, point }))
            };
            match self.sieve.is_open() {
                true => (0..curve.len()).collect(),
                false => (0..curve.len()).filter(kept).collect(),
            }
        });
        self.shown = chosen.unwrap_or_default();
    }

    /// The place in the curve of the row under the cursor.
    fn chosen(&self) -> Option<usize> {
        self.shown.get(self.scroll.cursor).copied()
    }

    /// The mark of the point under the cursor.
    pub fn spot(&self) -> Option<Spot> {
        let (points, at) = (self.current()?.points.len(), self.chosen()?);
        (at < points).then_some(Spot { series: 0, mark: at })
    }

    /// The result row under the cursor.
    pub fn row(&self) -> Option<&ResultRow> {
        let curve = self.current()?;
        let at = self.chosen()?;
        let place = match curve.points.get(at) {
            Some(point) => point.row,
            None => curve.invalid.get(at - curve.points.len())?.row,
        };
        self.sheet.as_ref()?.rows.get(place)
    }

    /// Rows are here, and their curves are on the way.
    pub fn is_drawing(&self) -> bool {
        self.drawing.is_some()
    }

    /// The run that the sheet is of.
    pub fn run(&self) -> Option<RunId> {
        self.drawn.as_ref().map(|((run, _), _)| *run)
    }

    /// Drops a sheet of another run: its curves would stand under a name that is not theirs.
    pub(in crate::app) fn leave_all_but(&mut self, run: Option<RunId>) {
        if self.run() != run {
            (self.sheet, self.plot, self.drawn) = (None, None, None);
            self.shown.clear();
        }
    }

    pub(in crate::app) fn take(&mut self, sheet: Sheet) {
        self.drawn = self.drawing.take();
        self.sheet = Some(Arc::new(sheet));
        self.choose(self.curve);
    }

    /// Goes to a curve of the view, or to the last one.
    pub(in crate::app) fn choose(&mut self, curve: usize) {
        self.curve = curve.min(self.curves().len().saturating_sub(1));
        self.plot = self.sheet.as_ref().and_then(|sheet| sheet.plot(self.current()?));
        self.show();
    }

    /// The earlier run that the curves are set against.
    pub fn earlier(&self) -> Option<RunId> {
        match self.against {
            Some(Beside::Earlier(run)) => Some(run),
            None | Some(Beside::Named { .. }) => None,
        }
    }

    /// Asks for a sheet, unless the one that is here, or on its way, is of the same rows.
    pub(in crate::app) fn draw(
        &mut self,
        policy: &Arc<Policy>,
        facts: &crate::core::facts::Facts,
        run: RunId,
    ) -> Option<Drawing> {
        let side = |run: RunId| {
            let got = facts.results.get(&run).and_then(Remote::known)?;
            Some(((run, got.source.digest.clone()), got))
        };
        let (ours, rows) = side(run)?;
        let against = match &self.against {
            None => None,
            Some(Beside::Earlier(run)) => {
                side(*run).map(|((run, digest), got)| ((run.to_string(), digest), Against::run(run, &got.value)))
            }
            Some(Beside::Named { name, rows, at }) => Some(((name.clone(), at.to_string()), Against::clone(rows))),
        };
        let basis = (ours, against.as_ref().map(|(theirs, _)| theirs.clone()));
        if Some(&basis) == self.drawing.as_ref().or(self.drawn.as_ref()) {
            return None;
        }
        self.drawing = Some(basis);
        let against = against.map(|(_, against)| against);
        Some(Drawing { policy: Arc::clone(policy), rows: Arc::new(rows.value.items.clone()), against })
    }
}

/// The run whose results are shown.
pub fn run(model: &Model) -> Option<RunId> {
    model.review.conclusions.measured().map(|sweep| sweep.run.id)
}

/// Earlier runs of the pull request that may be compared with.
pub fn references(model: &Model) -> Vec<RunId> {
    let ours = run(model);
    let sweeps = model.review.conclusions.sweeps.iter();
    let others = sweeps.filter(|sweep| Some(sweep.run.id) != ours && sweep.in_pull == Some(true) && has_measured(sweep));
    others.map(|sweep| sweep.run.id).collect()
}

fn has_measured(sweep: &Sweep) -> bool {
    sweep.jobs.iter().any(|job| job.name.kind == LaneKind::Benchmark && job.outcome.green())
}

/// What the pane wants to be read.
pub fn needs(model: &Model) -> Vec<Read> {
    let Some(results) = &model.policy.results else { return Vec::new() };
    let read = |run| Read::Results { run, artifact: results.artifact.clone(), parts: results.parts.clone() };
    run(model).into_iter().chain(model.results.earlier()).map(read).collect()
}

/// The one job whose name says what the row under the cursor says; `None` also where several do.
pub fn job(model: &Model) -> Option<(RunId, JobId, &str)> {
    let row = model.results.row()?;
    let sweep = model.review.conclusions.sweeps.iter().find(|sweep| sweep.run.id == row.run)?;
    let said = |axes: &crate::core::axes::Axes| {
        (axes.parallel.clone(), axes.prefill.clone(), axes.decode.clone(), axes.conc.clone(), axes.spec.clone())
    };
    let wanted = said(&row.axes);
    let is = |job: &&MergedJob| {
        job.name.kind == LaneKind::Benchmark && job.name.axes.as_ref().is_some_and(|axes| said(axes) == wanted)
    };
    let mut found = sweep.jobs.iter().filter(is);
    match (found.next(), found.next()) {
        (Some(only), None) => Some((sweep.run.id, only.job.id, only.job.url.as_str())),
        _ => None,
    }
}
