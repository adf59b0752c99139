//! What a run measured: every point, its curves, and how it differs from a reference; as text, JSON, CSV, Markdown or SVG.
//! Must not know: which run is wanted, where the reference was read.

mod csv;
mod json;
mod tables;
#[cfg(test)]
mod tests;

use super::{Report, svg};
use crate::core::configs::{self, AxesFrom, Candidates, ChangedKeys};
use crate::core::facts::Facts;
use crate::core::ids::RunId;
use crate::core::policy::Policy;
use crate::core::policy::pareto::ParetoPolicy;
use crate::core::remote::Remote;
use crate::core::results::compare::Pair;
use crate::core::results::{Against, Grouping, Plot, ResultRow, Sheet, View};
use crate::core::trouble::Trouble;
use std::sync::Arc;

/// How it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Text,
    Json,
    Csv,
    /// For a comment: it has passed the Markdown gate.
    Markdown,
    Svg(View),
}

/// What all forms are made of.
#[derive(Debug, Clone, Copy)]
pub struct Told<'a> {
    pub run: Option<RunId>,
    pub sheet: &'a Sheet,
    /// To which configs of the pull request each row may belong.
    pub homes: &'a [Home],
    /// Everything was read.
    pub complete: bool,
    /// The phrase that starts a sign-off, which no Markdown of ours may hold.
    pub trigger: &'a str,
}

/// To which configs of the pull request a row may belong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    pub candidates: Vec<String>,
    /// Whether it belongs to none; `None` while not every changed config is read.
    pub foreign: Option<bool>,
}

/// The homes of rows, in their order.
pub fn homes(rows: &[ResultRow], keys: &ChangedKeys) -> Vec<Home> {
    let home = |row: &ResultRow| {
        let Candidates { candidates, .. } = configs::resolve(&row.axes, AxesFrom::EvalRow, keys);
        let foreign = if candidates.is_empty() { keys.complete.then_some(true) } else { Some(false) };
        Home { candidates, foreign }
    };
    rows.iter().map(home).collect()
}

/// How the policy makes curves of rows.
pub fn grouping(policy: &Policy) -> Grouping<'_> {
    policy.rules.pareto.as_ref().map_or(Grouping::PLAIN, ParetoPolicy::grouping)
}

/// Reports what this run measured. `gaps` is what the choice of the run already lacks.
pub fn report(
    policy: &Policy,
    facts: &Facts,
    run: Option<RunId>,
    against: Option<&Against>,
    mut gaps: Vec<String>,
    form: Form,
) -> Report {
    let remote = run.and_then(|run| facts.results.get(&run));
    let rows = remote.and_then(Remote::value).map(|list| list.items.clone()).unwrap_or_default();
    if let Some(run) = run {
        let why = match remote.and_then(Remote::settled) {
            Some(got) if got.value.is_complete() && rows.is_empty() => Some("its artifacts hold none.".to_owned()),
            Some(got) => got.value.render_gap(),
            None => Some(remote.and_then(Remote::trouble).map_or_else(|| "not read.".to_owned(), Trouble::sentence)),
        };
        gaps.extend(why.map(|why| format!("Results of run {run}: {why}")));
    }
    gaps.extend(against.and_then(|against| against.gap(&rows)));
    let sheet = Sheet::draw(Arc::new(rows), grouping(policy), against);
    let homes = homes(&sheet.rows, &configs::keys(policy, facts));
    let complete = gaps.is_empty();
    let told = Told { run, sheet: &sheet, homes: &homes, complete, trigger: &policy.signoff.trigger };
    Report { text: render(told, form), gaps }
}

/// One form of what is told.
pub fn render(told: Told<'_>, form: Form) -> String {
    match form {
        Form::Text => tables::text(told),
        Form::Json => json::render(told),
        Form::Csv => csv::render(told),
        Form::Markdown => tables::markdown(told),
        Form::Svg(view) => svg::render(&plots(told.sheet, view)),
    }
}

/// A plot for each curve that has a point with a place.
fn plots(sheet: &Sheet, view: View) -> Vec<Plot> {
    sheet.of_view(view).filter_map(|curve| sheet.plot(curve)).collect()
}

impl Told<'_> {
    fn home(&self, row: usize) -> Option<&Home> {
        self.homes.get(row)
    }

    fn is_foreign(&self, row: usize) -> Option<bool> {
        self.home(row).and_then(|home| home.foreign)
    }

    /// What must not be averaged away or overlooked, a sentence each.
    fn notes(&self) -> Vec<String> {
        let rows = self.sheet.rows.len();
        let count = |number: usize, one: &str, many: &str| match number {
            0 => None,
            1 => Some(format!("1 {one}")),
            _ => Some(format!("{number} {many}")),
        };
        let foreign = (0..rows).filter(|row| self.is_foreign(*row) == Some(true)).count();
        let unknown = (0..rows).filter(|row| self.is_foreign(*row).is_none()).count();
        let mut out: Vec<Option<String>> = vec![
            count(foreign, "row is of no config of this pull request.", "rows are of no config of this pull request."),
            count(unknown, "row has no known config yet.", "rows have no known config yet."),
            count(
                self.sheet.flaws(),
                "number of a row is none, or negative where it cannot be, and is left out.",
                "numbers of rows are none, or negative where they cannot be, and are left out.",
            ),
        ];
        if let Some(set) = &self.sheet.against {
            let comparison = &set.comparison;
            out.push(Some(format!("Against {}: {}.", set.name, comparison.summary())));
            out.extend(set.gap.as_ref().map(|gap| Some(format!("The reference is not whole: {gap}"))));
            out.push(Some(comparison.noise_sentence()));
            let image = |row: Option<&ResultRow>| row.and_then(|row| row.image.clone());
            let moved = |pair: &&Pair| image(self.sheet.rows.get(pair.ours)) != image(set.rows.get(pair.theirs));
            let moved = comparison.pairs.iter().filter(moved).count();
            out.push(count(moved, "compared point ran another image there.", "compared points ran another image there."));
            out.push(count(comparison.duplicates, "row is told twice.", "rows are told twice."));
        }
        out.into_iter().flatten().collect()
    }
}

/// `TP2/EP2 mtp c16`.
fn point(row: &ResultRow) -> String {
    let axes = &row.axes;
    let words = [&axes.spec, &axes.kv, &axes.kv_backend].into_iter().flatten().map(|word| format!(" {word}"));
    format!("{}{} {}", axes.render_parallel(), words.collect::<String>(), axes.render_conc())
}
