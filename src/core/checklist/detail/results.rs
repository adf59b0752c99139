//! What the new and changed points measured, beside arms of the same run that stay as they were.
//! Must not know: which differences matter.

use super::series::arm;
use super::{Drafting, say_gap};
use crate::core::axes::Parallel;
use crate::core::checklist::rendered::Rendered;
use crate::core::ids::RunId;
use crate::core::points::PointReview;
use crate::core::results::compare::{Arm, Comparison, Dimension, compare_arms};
use crate::core::results::{Figure, Measure, ResultRow, Statistic};
use crate::core::text::counted;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Points that are told one by one; more are told by their ends.
const NAMED: usize = 12;
const FIGURES: [Figure; 2] = [Figure::Total, Figure::Request(Measure::Intvty, Statistic::Median)];

pub(super) fn results(drafting: &Drafting<'_>, gaps: &mut Vec<String>) -> Option<Rendered> {
    let points: Vec<&PointReview> = drafting.points.living().collect();
    if points.is_empty() || !drafting.points.keys_known {
        return None;
    }
    let measured: Vec<(&PointReview, &ResultRow)> = points
        .iter()
        .filter(|point| point.result.holds())
        .filter_map(|point| Some((*point, point.result.found.as_ref()?)))
        .collect();
    let missing = points.len() - measured.len();
    let mut out = Rendered::default();
    let Some((_, first)) = measured.first() else {
        // A point without a job has no result either, and the validation says so.
        let hole = points.iter().filter(|point| point.job.holds()).find_map(|point| point.result.hole.as_ref())?;
        say_gap(gaps, format!("Results: {}", hole.sentence()));
        out.push("not read.");
        return Some(out).filter(|_| matches!(hole, crate::core::points::Hole::Unread(_)));
    };
    let evidence = drafting.rows(first.run);
    if measured.len() > NAMED {
        for (at, figure) in FIGURES.into_iter().enumerate() {
            let values = || measured.iter().filter_map(|(_, row)| Some((figure.of(row)?, row.run)));
            let low = values().min_by(|(a, _), (b, _)| a.total_cmp(b));
            if let (Some((low, of_low)), Some((high, of_high))) = (low, values().max_by(|(a, _), (b, _)| a.total_cmp(b))) {
                let high = format!("{} {}", figure.render(high), figure.shown_unit());
                out.push(if at == 0 { "" } else { ", " }).say(&figure.render(low), drafting.rows(of_low).as_ref());
                out.push(" to ").say(&high, drafting.rows(of_high).as_ref());
            }
        }
        let mut runs: BTreeMap<RunId, usize> = BTreeMap::new();
        measured.iter().for_each(|(_, row)| *runs.entry(row.run).or_default() += 1);
        for (at, (run, points)) in runs.iter().enumerate() {
            let of_run = if runs.len() > 1 { format!(" of run {run}") } else { String::new() };
            out.push(if at == 0 { " over " } else { " and " });
            out.say(&format!("{}{of_run}", counted(*points, "point")), drafting.rows(*run).as_ref());
        }
    } else {
        let references = References::of(drafting, &measured);
        let mut last = String::new();
        for (point, row) in &measured {
            let own = drafting.rows(row.run);
            let reference = references.of_row(row);
            let name = arm(&point.axes);
            let beside = reference.map(|reference| format!(" against {}", arm(&reference.axes))).unwrap_or_default();
            let lead = format!("{name}{beside}");
            out.push(if out.is_empty() { "" } else { "; " });
            if lead != last {
                out.say(&format!("{}: ", drafting.prose(&lead)), own.as_ref());
                last = lead;
            }
            out.say(&figures(point, row, reference), own.as_ref());
        }
    }
    out.push(". Each was measured once (").say("n = 1", evidence.as_ref()).push(").");
    if missing > 0 {
        let verb = if missing == 1 { "has" } else { "have" };
        out.push(" ").say(&format!("{} of {} {verb} no result.", missing, counted(points.len(), "point")), evidence.as_ref());
    }
    Some(out)
}

/// `c16 21865.5 tok/s/GPU (+5.85 %), 74.63 tok/s/user (+6.01 %)`.
fn figures(point: &PointReview, row: &ResultRow, reference: Option<&ResultRow>) -> String {
    let compared = reference.map(|reference| {
        let arm = Arm { dimension: Dimension::Parallel, value: reference.axes.render_parallel() };
        compare_arms(&[reference.clone(), row.clone()], &arm)
    });
    let pair = compared.as_ref().map(|compared: &Comparison| compared.pairs.as_slice()).and_then(<[_]>::first);
    let told = FIGURES.into_iter().filter_map(|figure| {
        let value = format!("{} {}", figure.render(figure.of(row)?), figure.shown_unit());
        let change = pair.and_then(|pair| pair.difference(figure)).map(|difference| format!(" ({})", difference.render()));
        Some(format!("{value}{}", change.unwrap_or_default()))
    });
    format!("{} {}", point.axes.render_conc(), told.collect::<Vec<_>>().join(", "))
}

/// The rows of the same runs that the pull request leaves as they were.
struct References<'a> {
    /// By everything but parallelism.
    rows: HashMap<String, Vec<&'a ResultRow>>,
}

impl<'a> References<'a> {
    fn of(drafting: &Drafting<'a>, measured: &[(&PointReview, &ResultRow)]) -> References<'a> {
        let place = |row: &ResultRow| (row.run, arm(&row.axes), other(row));
        let own: HashSet<_> = drafting.points.living().filter_map(|point| point.result.found.as_ref()).map(place).collect();
        let runs: HashSet<_> = measured.iter().map(|(_, row)| row.run).collect();
        let all = runs.iter().filter_map(|run| drafting.facts().results.get(run)?.settled());
        let mut rows: HashMap<String, Vec<&ResultRow>> = HashMap::new();
        for row in all.flat_map(|got| &got.value.items).filter(|row| !own.contains(&place(row))) {
            rows.entry(other(row)).or_default().push(row);
        }
        References { rows }
    }

    /// The one of the nearest parallelism; none where two are as near.
    fn of_row(&self, row: &ResultRow) -> Option<&'a ResultRow> {
        let mut near: Vec<(usize, &ResultRow)> =
            self.rows.get(&other(row))?.iter().map(|one| (apart(&one.axes.parallel, &row.axes.parallel), *one)).collect();
        near.retain(|(apart, one)| {
            *apart > 0 && one.run == row.run && one.axes.prefill.is_none() && row.axes.prefill.is_none()
        });
        near.sort_by_key(|(apart, _)| *apart);
        match near.as_slice() {
            [(first, one), rest @ ..] if rest.first().is_none_or(|(second, _)| second > first) => Some(one),
            _ => None,
        }
    }
}

/// Everything of a row but its parallelism.
fn other(row: &ResultRow) -> String {
    let axes = &row.axes;
    format!(
        "{} {} {} {} {:?} {:?} {:?} {} {:?}",
        axes.model,
        axes.precision,
        axes.runner,
        axes.framework,
        axes.spec,
        axes.kv,
        axes.kv_backend,
        axes.render_conc(),
        row.scenario
    )
}

/// In how many sizes two differ.
fn apart(one: &Parallel, other: &Parallel) -> usize {
    let sizes = |p: &Parallel| [p.tp, p.pp, p.dcp, p.pcp, p.ep, u32::from(p.dpa)];
    sizes(one).iter().zip(sizes(other)).filter(|(a, b)| **a != *b).count()
}
