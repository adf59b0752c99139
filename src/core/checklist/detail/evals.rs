//! The scores, by task and arm: what changes first, then the arms of the same run that stay as they were.
//! Must not know: how a score is judged.

use super::series::arm;
use super::{Drafting, common, run_evidence, run_page, run_words};
use crate::core::checklist::compose::is_known_missing;
use crate::core::checklist::rendered::Rendered;
use crate::core::evals::judge::JudgedRow;
use crate::core::evals::thresholds::BarSource;
use crate::core::evidence::{Evidence, Source};
use crate::core::facts::DocumentKind;
use crate::core::policy::ItemLink;
use crate::core::text::counted;
use crate::core::trouble::Trouble;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Arms of one task that are told one by one.
const NAMED_ARMS: usize = 8;

/// What the pull request does to an arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    New,
    Changed,
    /// Measured beside them, as it was.
    Reference,
    /// Which point it is, or what becomes of it, is not known.
    Unknown,
}

/// Scores that are told together: role, config where there are several, arm.
type Group<'a> = (Role, &'a str, String);

pub(super) fn evals(drafting: &Drafting<'_>, gaps: &mut Vec<String>) -> Rendered {
    let (facts, conclusions) = (drafting.facts(), drafting.made_of.conclusions);
    let mut out = Rendered::default();
    let Some(sweep) = conclusions.eval_run() else {
        let newest = conclusions.sweeps.first();
        let read = conclusions.validation().or(newest.filter(|sweep| sweep.executed_nothing() && sweep.in_pull == Some(true)));
        match read.filter(|sweep| sweep.complete) {
            Some(_) if is_known_missing(&drafting.made_of, ItemLink::EvalRun) => out.push("no eval job was executed."),
            Some(sweep) => out
                .fact(&run_words(facts, sweep), &run_evidence(sweep))
                .push(" executed no eval job; not every other run was read."),
            _ if newest.is_some_and(|sweep| sweep.in_pull == Some(false)) => {
                out.push("no run of a commit of this pull request has scores.")
            }
            _ => out.push("not read."),
        };
        return out;
    };
    let judged = conclusions.judged.get(&sweep.run.id);
    if let Some(judged) = judged.filter(|judged| !judged.complete) {
        let why = judged.why.as_ref().map_or("they are not read yet.".to_owned(), Trouble::sentence);
        gaps.push(format!("Scores of {}: {why}", sweep.label()));
    }
    let (Some(judged), Some(rows)) =
        (judged.filter(|judged| !judged.rows.is_empty()), facts.evals.get(&sweep.run.id).and_then(|r| r.known()))
    else {
        let why = facts.evals.get(&sweep.run.id).and_then(|remote| remote.trouble()).map(|trouble| trouble.headline.clone());
        out.push("the scores of ").fact(&run_words(facts, sweep), &run_evidence(sweep)).push(" were not read");
        match why.or_else(|| judged.and_then(|judged| judged.why.as_ref().map(|why| why.headline.clone()))) {
            Some(why) => out.push(": ").fact(drafting.prose(&why).trim_end_matches('.'), &run_evidence(sweep)),
            None => &mut out,
        }
        .push(".");
        return out;
    };
    let source = Source { commit: Some(sweep.run.head.clone()), ..rows.source.clone() };
    let scores = Evidence::new("evals", format!("eval scores of {}", sweep.label()), Some(run_page(facts, sweep)), source);
    let bars = facts.document(DocumentKind::Thresholds).and_then(|remote| remote.known());
    let bars = bars.map(|got| Evidence::new("thresholds", got.value.path.clone(), None, got.source.clone()));
    let roles = Roles::of(drafting);
    let mut tasks: BTreeMap<&str, Vec<&JudgedRow>> = BTreeMap::new();
    for row in &judged.rows {
        tasks.entry(&row.task).or_default().push(row);
    }
    for (at, (task, rows)) in tasks.into_iter().enumerate() {
        out.push(if at == 0 { "" } else { " " }).fact(&drafting.code(task), &scores);
        match common(rows.iter().map(|row| row.n)) {
            Some(Some(n)) => out.push(", ").fact(&format!("n = {n}"), &scores),
            Some(None) => &mut out,
            None => out.push(", n differs"),
        };
        let bar = common(rows.iter().map(|row| row.threshold.map(f64::to_bits)));
        match (bar, &bars) {
            // The document does not name this task: the bar is the policy's, and the document supports nothing.
            (Some(Some(bar)), _) if rows.iter().any(|row| row.bar_source == Some(BarSource::Fallback)) => {
                out.push(&format!(", bar {} (the default: no threshold names this task)", f64::from_bits(bar)))
            }
            (Some(Some(bar)), Some(evidence)) => out.push(", bar ").fact(&format!("{}", f64::from_bits(bar)), evidence),
            (None, _) => out.push(", several bars"),
            (Some(_), _) => out.push(", no bar read"),
        };
        out.push(": ");
        let several = rows.iter().map(|row| row.config.as_deref().unwrap_or_default()).collect::<BTreeSet<_>>().len() > 1;
        let mut groups: BTreeMap<Group<'_>, Vec<&JudgedRow>> = BTreeMap::new();
        for row in &rows {
            let config = row.config.as_deref().filter(|_| several).unwrap_or_default();
            let role = roles.of_row(row);
            groups.entry((role, config, named(row))).or_default().push(row);
        }
        let count = groups.len();
        for (at, (group, rows)) in groups.into_iter().take(NAMED_ARMS).enumerate() {
            out.push(if at == 0 { "" } else { "; " }).fact(&told(drafting, &group, &rows), &scores);
        }
        if count > NAMED_ARMS {
            out.fact(&format!("; and {}", counted(count - NAMED_ARMS, "more arm")), &scores);
        }
        let below = rows.iter().filter(|row| row.pass == Some(false)).count();
        if below > 0 {
            out.push("; ").fact(&format!("**{} below the bar**", counted(below, "score")), &scores);
        }
        out.push(".");
    }
    // Bars that were not read are said above, with each task.
    let whole = facts.evals.get(&sweep.run.id).and_then(|scores| scores.settled()).is_some_and(|got| got.value.is_complete());
    out.push(if whole { " From " } else { " Not every score was read. From " });
    out.fact(&run_words(facts, sweep), &run_evidence(sweep)).push(".");
    out
}

/// `new TP2/EP2 mtp c32, c64: `em_strict` 0.9680 to 0.9700, `em_flexible` 0.9710`.
fn told(drafting: &Drafting<'_>, (role, config, arm): &Group<'_>, rows: &[&JudgedRow]) -> String {
    let mut conc: Vec<(Vec<u32>, String)> =
        rows.iter().map(|row| (row.axes.conc.values().to_vec(), row.axes.render_conc())).collect();
    conc.sort();
    conc.dedup();
    let conc: Vec<&str> = conc.iter().map(|(_, conc)| conc.as_str()).collect();
    let points = if conc.len() <= NAMED_ARMS { conc.join(", ") } else { counted(conc.len(), "point") };
    let role = match role {
        Role::New => "new ",
        Role::Changed => "changed ",
        Role::Reference => "reference (not changed) ",
        Role::Unknown => "",
    };
    let config = if config.is_empty() { String::new() } else { format!("{} ", drafting.code(config)) };
    let arm = if arm.is_empty() { String::new() } else { format!("{} ", drafting.prose(arm)) };
    let mut metrics: BTreeMap<&str, Vec<&JudgedRow>> = BTreeMap::new();
    for row in rows {
        metrics.entry(&row.metric).or_default().push(row);
    }
    let said = |(metric, rows): (&str, Vec<&JudgedRow>)| format!("{} {}", drafting.code(metric), score_range(&rows));
    let scores: Vec<String> = metrics.into_iter().map(said).collect();
    format!("{role}{config}{arm}{points} {}", scores.join(", "))
}

fn score_range(rows: &[&JudgedRow]) -> String {
    let (low, high) = rows.iter().fold((f64::MAX, f64::MIN), |(low, high), row| (low.min(row.score), high.max(row.score)));
    let figure = |score: f64| format!("{score:.4}");
    if figure(low) == figure(high) { figure(low) } else { format!("{} to {}", figure(low), figure(high)) }
}

/// What the pull request does to each place of its configs: config, parallelism with speculation, concurrency. Score rows do
/// not tell all of a point, so one that fits no place has no role.
struct Roles<'a> {
    of: HashMap<(&'a str, String, u32), Role>,
}

impl<'a> Roles<'a> {
    fn of(drafting: &Drafting<'a>) -> Roles<'a> {
        let (points, keys) = (drafting.points, &drafting.made_of.conclusions.keys);
        let mut of = HashMap::new();
        if !points.keys_known {
            return Roles { of };
        }
        for entry in keys.entries.iter().chain(&keys.touched) {
            for row in &entry.points {
                let place = place(&row.parallel.render(), row.spec.as_deref());
                of.extend(row.conc.iter().map(|conc| ((entry.key.as_str(), place.clone(), *conc), Role::Reference)));
            }
        }
        for (role, points) in [(Role::Changed, &points.changed), (Role::New, &points.added)] {
            for point in points {
                let place = place(&point.axes.render_parallel(), point.axes.spec.as_deref());
                let each = point.axes.conc.values().iter();
                of.extend(each.map(|conc| ((point.config.as_str(), place.clone(), *conc), role)));
            }
        }
        Roles { of }
    }

    fn of_row(&self, row: &'a JudgedRow) -> Role {
        // Of several roles a row does not tell all.
        if row.axes.prefill.is_some() {
            return Role::Unknown;
        }
        let place = place(&row.axes.render_parallel(), row.axes.spec.as_deref());
        let of = |conc: &u32| self.of.get(&(row.config.as_deref()?, place.clone(), *conc)).copied();
        row.axes.conc.values().iter().find_map(of).unwrap_or(Role::Unknown)
    }
}

fn place(parallel: &str, spec: Option<&str>) -> String {
    format!("{parallel} {}", spec.filter(|spec| *spec != "none").unwrap_or_default())
}

/// What a row says of its arm; of several roles it does not say all.
fn named(row: &JudgedRow) -> String {
    if row.axes.prefill.is_none() { arm(&row.axes) } else { String::new() }
}
