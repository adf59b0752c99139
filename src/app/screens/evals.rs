//! The evals pane: the runs, newest first, and below each its scores by arm, point and task.
//! Must not know: how bars are found, or how rows are drawn.

use crate::app::geometry::layout;
use crate::app::model::{Model, Pane};
use crate::core::evals::{Arm, JudgedRow, Scored};
use crate::core::ids::RunId;

/// From this width of the pane on, strict and flexible scores stand side by side.
pub const SIDE_BY_SIDE: u16 = 96;

/// One row of the pane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum EvalLine<'a> {
    /// A run: how its scores came, or why they did not.
    Run(RunId),
    /// An arm of that run.
    Arm(RunId, &'a Arm),
    Score(Shown<'a>),
}

/// What one row shows of a result: one score, or two where there is room.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shown<'a> {
    pub run: RunId,
    pub arm: &'a Arm,
    pub scored: &'a Scored,
    /// One or two scores.
    pub scores: &'a [JudgedRow],
    /// The place of the first of them among the scores of the run.
    pub from: usize,
}

impl Shown<'_> {
    /// It stands above the others of its result.
    pub fn is_first(&self) -> bool {
        self.from == self.scored.rows.start
    }
}

/// All rows, newest run first.
pub fn lines(model: &Model) -> impl Iterator<Item = EvalLine<'_>> {
    let most = side_by_side(model);
    runs(model).flat_map(move |(run, arms, rows)| {
        let arms = arms.iter().flat_map(move |arm| {
            let results = arm.results.iter().flat_map(move |scored| {
                let scores = rows.get(scored.rows.clone()).unwrap_or_default();
                scores.chunks(most).enumerate().map(move |(at, scores)| {
                    EvalLine::Score(Shown { run, arm, scored, scores, from: scored.rows.start + at * most })
                })
            });
            std::iter::once(EvalLine::Arm(run, arm)).chain(results)
        });
        std::iter::once(EvalLine::Run(run)).chain(arms)
    })
}

/// How many rows there are.
pub fn len(model: &Model) -> usize {
    let most = side_by_side(model);
    let results = |arm: &Arm| arm.results.iter().map(|scored| scored.rows.len().div_ceil(most)).sum::<usize>();
    runs(model).map(|(_, arms, _)| 1 + arms.iter().map(|arm| 1 + results(arm)).sum::<usize>()).sum()
}

/// The row under the cursor.
pub fn current(model: &Model) -> Option<EvalLine<'_>> {
    lines(model).nth(model.evals.cursor)
}

/// The run of the row under the cursor.
pub fn run(model: &Model) -> Option<RunId> {
    current(model).map(|line| line.run())
}

/// Takes another size, and leaves the cursor on the score that it is on: what stands side by side in one size stands
/// apart in another.
pub fn resize(model: &mut Model, size: (u16, u16)) {
    let before = current(model).map(|line| (line.run(), line.kind()));
    model.size = size;
    let same = |line: EvalLine<'_>| before.is_some_and(|(run, kind)| line.run() == run && line.kind().is_at(kind));
    let at = lines(model).position(same);
    model.evals.cursor = at.unwrap_or(model.evals.cursor);
}

impl EvalLine<'_> {
    fn run(&self) -> RunId {
        match self {
            EvalLine::Run(run) | EvalLine::Arm(run, _) => *run,
            EvalLine::Score(shown) => shown.run,
        }
    }

    fn kind(&self) -> Kind {
        match self {
            EvalLine::Run(_) => Kind::Run,
            EvalLine::Arm(_, arm) => Kind::Arm(arm.results.first().map_or(0, |scored| scored.rows.start)),
            EvalLine::Score(shown) => Kind::Score(shown.from, shown.scores.len()),
        }
    }
}

/// What a row is within its run, by the places of scores.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Run,
    /// By its first score.
    Arm(usize),
    Score(usize, usize),
}

impl Kind {
    /// It shows the first of what the other shows.
    fn is_at(self, other: Kind) -> bool {
        match (self, other) {
            (Kind::Run, Kind::Run) => true,
            (Kind::Arm(one), Kind::Arm(other)) => one == other,
            (Kind::Score(from, len), Kind::Score(at, _)) => (from..from + len).contains(&at),
            _ => false,
        }
    }
}

/// How many scores of a result a row shows.
fn side_by_side(model: &Model) -> usize {
    let (cols, rows) = model.size;
    let pane = layout(cols, rows, Pane::Evals).and_then(|layout| layout.pane);
    if pane.is_some_and(|pane| pane.cols >= SIDE_BY_SIDE) { 2 } else { 1 }
}

fn runs(model: &Model) -> impl Iterator<Item = (RunId, &[Arm], &[JudgedRow])> {
    let conclusions = &model.review.conclusions;
    conclusions.sweeps.iter().map(|sweep| {
        let id = sweep.run.id;
        let arms = conclusions.arms.get(&id).map(|arms| arms.as_slice()).unwrap_or_default();
        let rows = conclusions.judged.get(&id).map(|judged| judged.rows.as_slice()).unwrap_or_default();
        (id, arms, rows)
    })
}
