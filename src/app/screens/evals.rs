//! The evals pane: the judged rows of the runs, newest first.
//! Must not know: how bars are found.

use crate::app::model::Model;
use crate::core::evals::judge::JudgedRow;
use crate::core::ids::RunId;

/// One row of the pane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum EvalLine<'a> {
    /// A run: how its scores came, or why they did not.
    Run(RunId),
    Score(&'a JudgedRow),
}

/// All rows, newest run first.
pub fn lines(model: &Model) -> impl Iterator<Item = EvalLine<'_>> {
    runs(model).flat_map(|(run, rows)| std::iter::once(EvalLine::Run(run)).chain(rows.iter().map(EvalLine::Score)))
}

/// How many rows there are.
pub fn len(model: &Model) -> usize {
    runs(model).map(|(_, rows)| 1 + rows.len()).sum()
}

fn runs(model: &Model) -> impl Iterator<Item = (RunId, &[JudgedRow])> {
    let conclusions = &model.review.conclusions;
    conclusions.sweeps.iter().map(|sweep| {
        let judged = conclusions.judged.get(&sweep.run.id);
        (sweep.run.id, judged.map(|judged| judged.rows.as_slice()).unwrap_or_default())
    })
}
