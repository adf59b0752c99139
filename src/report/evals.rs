//! Eval scores against thresholds, one row per score.
//! Must not know: which run is wanted, or why.

use super::{Report, SCHEMA, json, table};
use crate::core::axes::Axes;
use crate::core::configs;
use crate::core::documents::Documents;
use crate::core::evals::judge::{JudgedRow, judge};
use crate::core::evals::thresholds::BarSource;
use crate::core::facts::Facts;
use crate::core::ids::RunId;
use crate::core::policy::Policy;
use crate::core::trouble::Trouble;
use serde::Serialize;

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    /// The scores and the thresholds were read whole.
    complete: bool,
    /// The run that the scores come from; `null` when there is none.
    run_id: Option<RunId>,
    rows: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    /// `null` when several keys fit: then `candidates` names them.
    config: Option<&'a str>,
    task: &'a str,
    metric: &'a str,
    score: f64,
    stderr: Option<f64>,
    n: Option<u64>,
    threshold: Option<f64>,
    pass: Option<bool>,
    candidates: &'a [String],
    bar_source: Option<BarSource>,
    axes: &'a Axes,
}

/// Reports the scores of this run. `gaps` is what the choice of the run already lacks.
pub fn report(policy: &Policy, facts: &Facts, run: Option<RunId>, mut gaps: Vec<String>, as_json: bool) -> Report {
    let judged = run.map(|run| judge(policy, facts, &Documents::draw(policy, facts), &configs::keys(policy, facts), run));
    if let Some(judged) = judged.as_ref().filter(|judged| !judged.complete) {
        let why = judged.why.as_ref().map_or_else(|| "not everything was read.".to_owned(), Trouble::sentence);
        gaps.push(format!("Scores of run {}: {why}", judged.run));
    } else if let Some(judged) = judged.as_ref().filter(|judged| judged.rows.is_empty()) {
        gaps.push(format!("Scores of run {}: its artifact holds none.", judged.run));
    }
    let rows = judged.as_ref().map(|judged| judged.rows.as_slice()).unwrap_or_default();
    let text = if as_json {
        json(&Document { schema: SCHEMA, complete: gaps.is_empty(), run_id: run, rows: rows.iter().map(row).collect() })
    } else {
        let cells: Vec<Vec<String>> = rows.iter().map(cells).collect();
        table::render(&["", "config", "point", "task", "metric", "score", "bar", "n"], &cells)
    };
    Report { text, gaps }
}

fn row(row: &JudgedRow) -> Row<'_> {
    Row {
        config: row.config.as_deref(),
        task: &row.task,
        metric: &row.metric,
        score: row.score,
        stderr: row.stderr,
        n: row.n,
        threshold: row.threshold,
        pass: row.pass,
        candidates: &row.candidates,
        bar_source: row.bar_source,
        axes: &row.axes,
    }
}

fn cells(row: &JudgedRow) -> Vec<String> {
    let mark = match row.pass {
        Some(true) => "✓",
        Some(false) => "✗",
        None => "?",
    };
    let config = row.config.clone().unwrap_or_else(|| row.candidates.join(" or "));
    let stderr = row.stderr.map(|stderr| format!(" ±{stderr:.4}")).unwrap_or_default();
    vec![
        mark.to_owned(),
        config,
        format!("{} {}", row.axes.render_parallel(), row.axes.render_conc()),
        row.task.clone(),
        row.metric.clone(),
        format!("{:.4}{stderr}", row.score),
        row.threshold.map_or_else(|| "not read".to_owned(), |bar| format!("{bar}")),
        row.n.map(|n| n.to_string()).unwrap_or_default(),
    ]
}
