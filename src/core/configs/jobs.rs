//! The jobs that an entry calls for: every benchmark and eval, with its lane and name, as the sweep generates them.
//! Must not know: which jobs ran, what became of them.

use super::evals::{self, Due};
use super::masters::{Entry, Point};
use super::{ChangelogEntry, EvalEra};
use crate::core::axes::{Axes, Concurrency, Role};
use crate::core::sweep::names::{self, Ending};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The scenario of agent traces; every other has fixed lengths.
pub const AGENTIC: &str = "agentic-coding";

/// What the lane of a job measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Load {
    /// Tokens in and out.
    Fixed {
        isl: u32,
        osl: u32,
    },
    Agentic,
}

impl Load {
    /// `8k1k`, `agentic`; lengths that are no whole thousands as they are.
    pub fn render(self) -> String {
        match self {
            Load::Agentic => "agentic".to_owned(),
            Load::Fixed { isl, osl } if isl % 1024 == 0 && osl % 1024 == 0 => format!("{}k{}k", isl / 1024, osl / 1024),
            Load::Fixed { isl, osl } => format!("{isl}_{osl}"),
        }
    }
}

/// One job of the matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct Job<'e> {
    pub entry: &'e Entry,
    pub row: &'e Point,
    pub load: Load,
    /// What its name shows: one number, or the list that it runs through.
    pub conc: Concurrency,
    /// `None` of a benchmark.
    pub eval: Option<Due>,
}

impl Point {
    /// What it asks of a server.
    pub fn load(&self) -> Load {
        match (self.scenario.as_str(), self.isl, self.osl) {
            (AGENTIC, ..) => Load::Agentic,
            (_, isl, osl) => Load::Fixed { isl: isl.unwrap_or_default(), osl: osl.unwrap_or_default() },
        }
    }
}

impl Entry {
    /// All benchmark jobs, in the order of the rows.
    ///
    /// One per concurrency, but a row of fixed lengths on several nodes is one job that runs through its list.
    pub fn benchmarks(&self) -> Vec<Job<'_>> {
        let mut jobs = Vec::new();
        for row in &self.points {
            let load = row.load();
            let job = |conc| Job { entry: self, row, load, conc, eval: None };
            match row.conc.as_slice() {
                [] => {}
                list @ [_, _, ..] if self.multinode && load != Load::Agentic => {
                    jobs.push(job(Concurrency::List(list.to_vec())));
                }
                list => jobs.extend(list.iter().map(|one| job(Concurrency::One(*one)))),
            }
        }
        jobs
    }
}

impl Job<'_> {
    /// `single-node 8k1k`, `multi-node agentic eval`: what stands before the slash of its name.
    pub fn lane(&self) -> String {
        let words = match (self.entry.multinode, self.load, &self.eval) {
            (_, Load::Agentic, None) => "agentic".to_owned(),
            (_, Load::Agentic, Some(_)) => "agentic eval".to_owned(),
            (_, Load::Fixed { .. }, Some(_)) => "eval".to_owned(),
            (false, load, None) => return format!("single-node {}", load.render()),
            (true, load, None) => load.render(),
        };
        if self.entry.multinode { format!("multi-node {words}") } else { words }
    }

    pub fn axes(&self) -> Axes {
        // Whoever has no roles on several nodes is aggregated.
        let role = |role: &Option<Role>| role.clone().filter(|_| self.entry.disagg);
        Axes {
            model: self.entry.model_prefix.clone(),
            precision: self.entry.precision.clone(),
            runner: self.entry.runner.clone(),
            framework: self.entry.framework.clone(),
            parallel: self.row.parallel.clone(),
            spec: self.row.spec.clone(),
            kv: self.row.kv.clone(),
            kv_backend: self.row.kv_backend.clone(),
            conc: self.conc.clone(),
            prefill: role(&self.row.prefill),
            decode: role(&self.row.decode),
        }
    }

    /// The identity of its name, as [`names::parse`] finds it: the lane and the point, without priority.
    pub fn name(&self, aliases: &BTreeMap<String, String>) -> String {
        let ending = if self.eval.is_some() { Ending::EvalOnly } else { Ending::Plain };
        names::render(&self.lane(), &self.axes(), self.entry.multinode, ending, aliases)
    }
}

/// What one changelog entry asks of the keys that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scope<'c> {
    /// Scenarios; empty for all.
    pub scenarios: &'c [String],
    pub benchmarks: bool,
    pub evals: Evals,
    /// Evals on several nodes need at least this expert parallelism on the prefill side.
    pub least_prefill_ep: Option<u32>,
}

/// Which evals are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evals {
    None,
    /// Those that the rules of the day select.
    Selected,
    All,
}

impl Default for Scope<'_> {
    fn default() -> Self {
        Scope { scenarios: &[], benchmarks: true, evals: Evals::Selected, least_prefill_ep: None }
    }
}

impl ChangelogEntry {
    /// What it asks for. Asking for all evals asks for nothing else; points that are only appended are not evaluated.
    pub fn scope(&self) -> Scope<'_> {
        let evals = match self {
            entry if entry.no_evals || entry.append_only => Evals::None,
            entry if entry.all_evals => Evals::All,
            _ => Evals::Selected,
        };
        Scope {
            scenarios: &self.scenario_type,
            benchmarks: !(self.evals_only || self.all_evals),
            evals,
            least_prefill_ep: self.eval_min_prefill_ep,
        }
    }
}

/// The jobs that `scope` asks of entries that are generated together: benchmarks, then evals by the rules of `era`.
pub fn jobs<'e>(entries: &[&'e Entry], scope: &Scope<'_>, era: &EvalEra) -> Vec<Job<'e>> {
    let asked = |job: &Job<'_>| scope.scenarios.is_empty() || scope.scenarios.contains(&job.row.scenario);
    let benchmarks: Vec<Job<'e>> = entries.iter().flat_map(|entry| entry.benchmarks()).filter(asked).collect();
    let mut evals = match scope.evals {
        Evals::None => Vec::new(),
        Evals::Selected => evals::selected(&benchmarks, era),
        Evals::All => evals::all(&benchmarks, era),
    };
    if let Some(least) = scope.least_prefill_ep {
        evals.retain(|job| {
            let prefill = job.row.prefill.as_ref().map_or(&job.row.parallel, |role| &role.parallel);
            !job.entry.multinode || prefill.ep >= least
        });
    }
    if scope.benchmarks { benchmarks.into_iter().chain(evals).collect() } else { evals }
}

/// The jobs of a sweep over the changelog's new entries, each with the entries of its keys.
///
/// A scenario of a key is benchmarked once and evaluated once, however many changelog entries name it; those that ask
/// for all evals come first. Of append-only entries only what they add is measured: see [`super::append_only`].
pub fn sweep<'e>(named: &[(&ChangelogEntry, Vec<&'e Entry>)], era: &EvalEra) -> Vec<Job<'e>> {
    let mut order: Vec<_> = named.iter().collect();
    order.sort_by_key(|(changelog, _)| !changelog.all_evals);
    let mut measured: HashSet<(&str, String)> = HashSet::new();
    let mut evaluated: HashSet<(&str, String)> = HashSet::new();
    let (mut benchmarks, mut evals) = (Vec::new(), Vec::new());
    for (changelog, entries) in order {
        let scope = changelog.scope();
        let fresh = |seen: &mut HashSet<(&'e str, String)>, scope: Scope<'_>| {
            let claimed: HashSet<(&str, &str)> = entries
                .iter()
                .flat_map(|entry| entry.points.iter().map(|row| (entry.key.as_str(), row.scenario.as_str())))
                .filter(|(_, scenario)| scope.scenarios.is_empty() || scope.scenarios.iter().any(|one| one == scenario))
                .filter(|(key, scenario)| !seen.contains(&(*key, (*scenario).to_owned())))
                .collect();
            seen.extend(claimed.iter().map(|(key, scenario)| (*key, (*scenario).to_owned())));
            let mut jobs = jobs(entries, &scope, era);
            jobs.retain(|job| claimed.contains(&(job.entry.key.as_str(), job.row.scenario.as_str())));
            jobs
        };
        if scope.benchmarks {
            benchmarks.extend(fresh(&mut measured, Scope { evals: Evals::None, ..scope }));
        }
        if scope.evals != Evals::None {
            evals.extend(fresh(&mut evaluated, Scope { benchmarks: false, ..scope }));
        }
    }
    benchmarks.append(&mut evals);
    benchmarks
}

/// Names that several of these jobs have, with how many: such a name alone does not tell its config.
pub fn shared_names<'j>(
    jobs: impl IntoIterator<Item = &'j Job<'j>>,
    aliases: &BTreeMap<String, String>,
) -> Vec<(String, usize)> {
    let mut count: HashMap<String, usize> = HashMap::new();
    for job in jobs {
        *count.entry(job.name(aliases)).or_default() += 1;
    }
    let mut shared: Vec<(String, usize)> = count.into_iter().filter(|(_, count)| *count > 1).collect();
    shared.sort();
    shared
}

#[cfg(test)]
mod tests;
