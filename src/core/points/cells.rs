//! The result row and the score of a point, in the run whose job speaks for it.
//! Must not know: which run that is, and why.

use super::hole::Hole;
use super::runs::{Kind, Run, Site};
use crate::core::axes::Axes;
use crate::core::configs::jobs::Load;
use crate::core::configs::resolve::fits;
use crate::core::configs::{AxesFrom, EvalEra, Job, Point};
use crate::core::evals::{Judged, JudgedRow};
use crate::core::facts::Facts;
use crate::core::ids::RunId;
use crate::core::remote::Remote;
use crate::core::results::{ResultRow, Scenario};
use crate::core::time::Day;
use crate::core::trouble::{Trouble, TroubleKind};
use std::collections::{BTreeMap, HashMap};

/// Result rows by run and concurrency: each point asks for its own only.
pub(super) struct Rows<'a> {
    at: HashMap<(RunId, u32), Vec<&'a ResultRow>>,
    /// Per run how many rows, or why there are none.
    runs: BTreeMap<RunId, Result<usize, Hole>>,
}

impl<'a> Rows<'a> {
    pub(super) fn of(facts: &'a Facts, runs: &[Run<'_>]) -> Rows<'a> {
        let mut out = Rows { at: HashMap::new(), runs: BTreeMap::new() };
        for run in runs {
            let id = run.sweep.run.id;
            let rows = rows_of(facts, run);
            for row in rows.iter().copied().flatten() {
                for conc in row.axes.conc.values() {
                    out.at.entry((id, *conc)).or_default().push(row);
                }
            }
            out.runs.insert(id, rows.map(<[ResultRow]>::len));
        }
        out
    }

    /// The row of a point, or why there is none that counts.
    pub(super) fn find(&self, run: &Run<'_>, site: &Site<'_>) -> (Option<&'a ResultRow>, Option<Hole>) {
        let id = run.sweep.run.id;
        let rows = match self.runs.get(&id) {
            Some(Ok(rows)) => *rows,
            Some(Err(hole)) => return (None, Some(hole.clone())),
            None => return (None, Some(Hole::Unread(format!("The results of run {id} are not read yet.")))),
        };
        let all = self.at.get(&(id, site.conc)).into_iter().flatten();
        let mine: Vec<&'a ResultRow> = all.copied().filter(|row| is_of(row, site)).collect();
        let row = match mine.as_slice() {
            [] => return (None, Some(Hole::NoRow { run: id, rows })),
            [row] => *row,
            several => return (None, Some(Hole::SeveralRows { run: id, rows: several.len() })),
        };
        let benchmarks = run.owed.at(Kind::Benchmark, site.conc);
        let points = distinct(benchmarks.filter(|job| is_of(row, &Site { entry: job.entry, row: job.row, conc: site.conc })));
        if points > 1 {
            return (None, Some(Hole::Shared { what: format!("row {}", row.render_point()), points, found: 1 }));
        }
        let plain = |image: &String| image.replacen('#', "/", 1);
        if let (Some(image), Some(wanted)) = (row.image.as_ref().map(plain), site.entry.image.as_ref().map(plain))
            && image != wanted
        {
            return (None, Some(Hole::OtherImage { run: id, image, wanted }));
        }
        (Some(row), row.throughput.total.is_none().then_some(Hole::NoNumber { run: id }))
    }
}

fn rows_of<'a>(facts: &'a Facts, run: &Run<'_>) -> Result<&'a [ResultRow], Hole> {
    let id = run.sweep.run.id;
    if !run.sweep.outcome().finished() {
        return Err(Hole::Pending { run: id, word: "results are collected at its end".to_owned() });
    }
    let unread = |why: String| Hole::Unread(format!("The results of run {id} {why}"));
    match facts.results.get(&id) {
        Some(Remote::Failed { trouble, .. }) if trouble.kind == TroubleKind::NotFound => Err(Hole::NoResults { run: id }),
        Some(Remote::Failed { trouble, .. }) => Err(unread(format!("cannot be read: {}", trouble.sentence()))),
        Some(Remote::Ready(got)) => match got.value.render_gap() {
            None => Ok(&got.value.items),
            Some(gap) => Err(unread(format!("were not read whole: {gap}"))),
        },
        _ => Err(unread("are not read yet.".to_owned())),
    }
}

fn is_of(row: &ResultRow, site: &Site<'_>) -> bool {
    let load = match (&row.scenario, site.row.load()) {
        (Scenario::Agentic { .. }, Load::Agentic) => true,
        (Scenario::Fixed { isl, osl }, load) => load == Load::Fixed { isl: *isl, osl: *osl },
        _ => false,
    };
    load && row.axes.conc.values() == [site.conc] && fits(&row.axes, AxesFrom::ResultRow, site.entry, site.row)
}

/// How many rows of configs these jobs come from.
fn distinct<'j, 'k: 'j>(jobs: impl Iterator<Item = &'j Job<'k>>) -> usize {
    let mut rows: Vec<*const Point> = jobs.map(|job| std::ptr::from_ref(job.row)).collect();
    rows.sort_unstable();
    rows.dedup();
    rows.len()
}

/// The scores of one point.
#[derive(Debug, Clone, PartialEq)]
pub struct Scores {
    /// The one that stands worst against its bar.
    pub worst: JudgedRow,
    pub count: usize,
}

/// The scores of a point in the run whose eval job speaks for it, or why none counts.
pub(super) fn scores(judged: Option<&Judged>, run: &Run<'_>, site: &Site<'_>) -> (Option<Scores>, Option<Hole>) {
    let id = run.sweep.run.id;
    let judged = match judged {
        Some(judged) if judged.complete => judged,
        other => {
            let why = other.and_then(|judged| judged.why.as_ref()).map(Trouble::sentence);
            let why = why.unwrap_or_else(|| format!("The scores of run {id}, or their bars, are not read yet."));
            return (None, Some(Hole::Unread(why)));
        }
    };
    let at = |axes: &Axes| axes.conc.values() == [site.conc];
    let exact = |row: &&JudgedRow| at(&row.axes) && fits(&row.axes, AxesFrom::EvalRow, site.entry, site.row);
    // A row of several nodes does not always tell the workers of each role.
    let near = |row: &&JudgedRow| at(&row.axes) && is_near(&row.axes, row.config.as_deref(), site);
    let mut rows: Vec<&JudgedRow> = judged.rows.iter().filter(exact).collect();
    let is_exact = !rows.is_empty();
    if !is_exact {
        rows = judged.rows.iter().filter(near).collect();
    }
    let Some(first) = rows.first() else { return (None, Some(Hole::NoScore { run: id })) };
    let others = run.owed.at(Kind::Eval, site.conc).filter(|job| {
        let other = Site { entry: job.entry, row: job.row, conc: site.conc };
        match is_exact {
            true => fits(&first.axes, AxesFrom::EvalRow, job.entry, job.row),
            false => is_near(&first.axes, first.config.as_deref(), &other),
        }
    });
    let points = distinct(others);
    if points > 1 {
        let what = format!("score at {} {}", first.axes.render_parallel(), first.axes.render_conc());
        return (None, Some(Hole::Shared { what, points, found: rows.len() }));
    }
    let margin = |row: &JudgedRow| row.score - row.threshold.unwrap_or_default();
    let low = rows.iter().filter(|row| row.pass == Some(false)).min_by(|a, b| margin(a).total_cmp(&margin(b)));
    if let Some(row) = low {
        let bar = row.threshold.unwrap_or_default();
        let hole = Hole::Low { task: row.task.clone(), metric: row.metric.clone(), score: row.score, bar };
        return (Some(Scores { worst: (*row).clone(), count: rows.len() }), Some(hole));
    }
    let checked = rows.iter().filter(|row| row.pass == Some(true)).min_by(|a, b| margin(a).total_cmp(&margin(b)));
    let worst = checked.unwrap_or(first);
    let hole = checked.is_none().then(|| Hole::Diagnostic { task: worst.task.clone() });
    (Some(Scores { worst: (*worst).clone(), count: rows.len() }), hole)
}

/// Of a split deployment: the config, speculative decoding and load agree.
fn is_near(axes: &Axes, config: Option<&str>, site: &Site<'_>) -> bool {
    axes.decode.is_some()
        && site.row.decode.is_some()
        && config == Some(site.entry.key.as_str())
        && axes.spec == site.row.spec
        && site.row.conc.contains(&site.conc)
}

/// Why no eval of a point that is measured is due, by the rules of `day`.
pub(super) fn not_due(eras: &[EvalEra], site: &Site<'_>, evals_off: bool, day: Day) -> Hole {
    let key = || site.entry.key.clone();
    let index = eras.iter().rposition(|era| era.since.is_none_or(|since| since <= day));
    let Some((era, later)) = index.and_then(|at| Some((eras.get(at)?, eras.get(at + 1..)?))) else {
        return Hole::NotChosen { day };
    };
    if evals_off {
        return Hole::EvalsOff { key: key() };
    }
    let multinode = site.entry.multinode;
    match site.row.load() {
        Load::Fixed { isl, osl } if (isl, osl) != era.lengths => return Hole::OtherLengths { lengths: era.lengths },
        Load::Agentic => {
            let evaluates = |era: &EvalEra| if multinode { era.agentic_multi_node } else { era.agentic_single_node };
            if !evaluates(era) {
                let since = later.iter().find(|era| evaluates(era)).and_then(|era| era.since);
                return since.map_or(Hole::NotChosen { day }, |since| Hole::BeforeRule { since, day });
            }
            if !multinode {
                return Hole::NotChosen { day };
            }
        }
        Load::Fixed { .. } => {}
    }
    match site.conc < era.least_conc {
        true => Hole::BelowLeast { conc: site.conc, least: era.least_conc },
        false => Hole::NotChosen { day },
    }
}
