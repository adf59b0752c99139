//! Jobs of a sweep as lanes, rows and concurrency columns.
//! Must not know: how wide a column is drawn.

use super::attempts::MergedJob;
use super::names::LaneKind;
use super::outcome::Outcome;
use super::summary::Tally;
use crate::core::axes::Axes;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The jobs of one lane.
#[derive(Debug, Clone, PartialEq)]
pub struct LaneGroup {
    pub lane: String,
    pub kind: LaneKind,
    pub tally: Tally,
    /// All concurrencies of the rows, ascending: one number, or the list that a multi-node job runs through.
    pub columns: Vec<Vec<u32>>,
    pub rows: Vec<MatrixRow>,
    /// Indices of all its jobs in the sweep's list, those without axes included.
    pub jobs: Vec<usize>,
}

/// Points that differ in concurrency only.
#[derive(Debug, Clone, PartialEq)]
pub struct MatrixRow {
    /// `qwen3.5 fp4 b200 sglang TP2/EP2 mtp`.
    pub label: String,
    pub cells: BTreeMap<Vec<u32>, Cell>,
}

/// One point: mostly one job; several share a name when configs differ in what the name does not tell.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    pub jobs: Vec<usize>,
    /// The worst of them.
    pub outcome: Outcome,
}

/// Groups jobs by lane: lanes that measure in order of appearance, plumbing as one group at the end.
pub fn lanes(jobs: &[MergedJob]) -> Vec<LaneGroup> {
    let mut at: HashMap<(LaneKind, &str), usize> = HashMap::new();
    let mut groups: Vec<LaneGroup> = Vec::new();
    let mut rows: HashMap<(usize, String), usize> = HashMap::new();
    for (index, job) in jobs.iter().enumerate() {
        let lane = if job.name.kind == LaneKind::Plumbing { "plumbing" } else { job.name.lane.as_str() };
        let at = *at.entry((job.name.kind, lane)).or_insert(groups.len());
        if at == groups.len() {
            groups.push(LaneGroup {
                lane: lane.to_owned(),
                kind: job.name.kind,
                tally: Tally::default(),
                columns: Vec::new(),
                rows: Vec::new(),
                jobs: Vec::new(),
            });
        }
        let Some(group) = groups.get_mut(at) else { continue };
        group.tally.add(&job.outcome);
        group.jobs.push(index);
        let Some(axes) = &job.name.axes else { continue };
        let label = row_label(axes);
        let row = *rows.entry((at, label.clone())).or_insert(group.rows.len());
        if row == group.rows.len() {
            group.rows.push(MatrixRow { label, cells: BTreeMap::new() });
        }
        let Some(row) = group.rows.get_mut(row) else { continue };
        row.cells
            .entry(axes.conc.values().to_vec())
            .and_modify(|cell| {
                cell.jobs.push(index);
                if severity(&job.outcome) > severity(&cell.outcome) {
                    cell.outcome = job.outcome.clone();
                }
            })
            .or_insert_with(|| Cell { jobs: vec![index], outcome: job.outcome.clone() });
    }
    for group in &mut groups {
        let columns: BTreeSet<&Vec<u32>> = group.rows.iter().flat_map(|row| row.cells.keys()).collect();
        group.columns = columns.into_iter().cloned().collect();
    }
    groups.sort_by_key(|group| group.kind == LaneKind::Plumbing);
    groups
}

/// Everything of a point but its concurrency.
pub fn row_label(axes: &Axes) -> String {
    let mut out = format!("{} {} {} {} {}", axes.model, axes.precision, axes.runner, axes.framework, axes.render_parallel());
    for part in [&axes.spec, &axes.kv, &axes.kv_backend].into_iter().flatten() {
        out.push(' ');
        out.push_str(part);
    }
    out
}

/// What a cell shows when its jobs differ: the more it needs a look, the higher.
pub fn severity(outcome: &Outcome) -> u8 {
    match outcome {
        Outcome::Success => 0,
        Outcome::Skipped => 1,
        Outcome::Neutral => 2,
        outcome if outcome.waits() => 3,
        Outcome::InProgress => 4,
        Outcome::Cancelled | Outcome::Stale => 5,
        Outcome::ActionRequired => 6,
        Outcome::Unknown(_) => 7,
        _ => 8,
    }
}
