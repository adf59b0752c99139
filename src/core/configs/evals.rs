//! Which points of an entry are evaluated, by the rules of a day.
//! Must not know: scores, which evals ran.

use super::jobs::{Job, Load};
use super::masters::{Entry, Point};
use crate::core::axes::Concurrency;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// An eval that is due.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Due {
    /// The concurrencies that it runs at; the job's name shows its benchmark's.
    pub at: Vec<u32>,
    /// A suite of the model's vendor instead of the usual task.
    pub suite: Option<String>,
}

/// The rules that select evals from a day on, until a later era begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvalEra {
    /// `2026-08-16`; the first era has none.
    pub since: Option<chrono::NaiveDate>,
    /// Fixed lengths and split deployments are evaluated at this concurrency or above.
    pub least_conc: u32,
    /// The only lengths that are evaluated: tokens in, tokens out.
    pub lengths: (u32, u32),
    /// Agent traces are evaluated at all: on one node, on several.
    pub agentic_single_node: bool,
    pub agentic_multi_node: bool,
    /// Speculative decoding, data-parallel attention and the image make agentic groups of their own on one node.
    pub agentic_by_decoding: bool,
    /// Agent traces on several nodes that never reach `least_conc` are evaluated once, at the highest there is.
    pub fallback_to_highest: bool,
    /// Suites of vendors, by the model's prefix: at every agentic point, besides the usual task.
    #[serde(default)]
    pub vendor_suites: BTreeMap<String, String>,
}

/// What makes jobs of several nodes one deployment: everything but concurrency.
fn same_deployment(a: &Job<'_>, b: &Job<'_>) -> bool {
    let entry = |job: &Job<'_>| (job.entry.image.clone(), job.entry.model.clone(), job.entry.disagg);
    std::ptr::eq(a.row, b.row)
        || a.load == b.load
            && Point { conc: Vec::new(), ..a.row.clone() } == Point { conc: Vec::new(), ..b.row.clone() }
            && Fleet::of(a) == Fleet::of(b)
            && entry(a) == entry(b)
            && a.entry.other == b.entry.other
}

/// What a model is measured on, across entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Fleet<'e> {
    model: &'e str,
    runner: &'e str,
    framework: &'e str,
    precision: &'e str,
}

impl<'e> Fleet<'e> {
    fn of(job: &Job<'e>) -> Self {
        let Entry { model, model_prefix, runner, framework, precision, .. } = job.entry;
        Fleet { model: model.as_ref().unwrap_or(model_prefix), runner, framework, precision }
    }
}

/// Speculative decoding, and data-parallel attention.
fn decoding<'e>(job: &Job<'e>) -> (Option<&'e str>, bool) {
    (job.row.spec.as_deref(), job.row.parallel.dpa)
}

/// What jobs of one deployment share at the least: TP, EP, recipe.
type Coarse<'e> = (u32, u32, Option<&'e str>);

/// Numbers the deployments of jobs, in order of appearance.
struct Deployments<'j, 'e> {
    known: HashMap<Coarse<'e>, Vec<(usize, &'j Job<'e>)>>,
    count: usize,
}

impl<'j, 'e> Deployments<'j, 'e> {
    fn new() -> Self {
        Deployments { known: HashMap::new(), count: 0 }
    }

    fn number(&mut self, job: &'j Job<'e>) -> usize {
        // Coarse first: a search through all rows would be quadratic.
        let coarse = (job.row.parallel.tp, job.row.parallel.ep, job.row.recipe.as_deref());
        let bucket = self.known.entry(coarse).or_default();
        if let Some((number, _)) = bucket.iter().find(|(_, other)| same_deployment(other, job)) {
            return *number;
        }
        bucket.push((self.count, job));
        self.count += 1;
        self.count - 1
    }
}

fn due<'e>(job: &Job<'e>, at: Vec<u32>, suite: Option<&String>) -> Job<'e> {
    Job { eval: Some(Due { at, suite: suite.cloned() }), ..job.clone() }
}

/// The evals that the rules select from benchmarks that are generated together, in their order.
///
/// Fixed lengths on one node: the highest and the middle concurrency of those that are high enough, wherever they are
/// measured. On several nodes: each deployment's highest. Agentic on one node: the highest of all.
pub fn selected<'e>(benchmarks: &[Job<'e>], era: &EvalEra) -> Vec<Job<'e>> {
    let mut fixed: HashMap<_, BTreeSet<u32>> = HashMap::new();
    let mut agentic: HashMap<_, (usize, u32)> = HashMap::new();
    let mut split: HashMap<usize, (usize, u32)> = HashMap::new();
    // Per fleet, the highest on several nodes, and whether some deployment of it is high enough.
    let mut fleets: HashMap<Fleet<'e>, (usize, u32, bool)> = HashMap::new();
    let mut deployments = Deployments::new();
    let better = |best: &mut (usize, u32), index, top| {
        if top > best.1 {
            *best = (index, top);
        }
    };
    for (index, job) in benchmarks.iter().enumerate().filter(|(_, job)| era.evaluates(job)) {
        let Some(top) = job.conc.values().iter().copied().max() else { continue };
        let enough = top >= era.least_conc;
        match (job.entry.multinode, job.load) {
            (false, Load::Fixed { .. }) if enough => {
                fixed.entry((Fleet::of(job), decoding(job))).or_default().insert(top);
            }
            (false, Load::Fixed { .. }) => {}
            (false, Load::Agentic) => {
                let apart = era.agentic_by_decoding.then(|| (decoding(job), job.entry.image.as_deref()));
                better(agentic.entry((Fleet::of(job), apart)).or_insert((index, top)), index, top);
            }
            (true, load) => {
                if enough {
                    better(split.entry(deployments.number(job)).or_insert((index, top)), index, top);
                }
                if load == Load::Agentic {
                    let (best, conc, any) = fleets.entry(Fleet::of(job)).or_insert((index, top, false));
                    if top > *conc {
                        (*best, *conc) = (index, top);
                    }
                    *any |= enough;
                }
            }
        }
    }
    let mut picks: HashMap<usize, u32> = agentic.into_values().chain(split.into_values()).collect();
    if era.fallback_to_highest {
        picks.extend(fleets.into_values().filter(|(.., any)| !any).map(|(index, conc, _)| (index, conc)));
    }
    let two: HashMap<_, _> = fixed
        .into_iter()
        .map(|(group, concs)| (group, [concs.iter().nth(concs.len() / 2).copied(), concs.last().copied()]))
        .collect();
    let mut out = Vec::new();
    for (index, job) in benchmarks.iter().enumerate().filter(|(_, job)| era.evaluates(job)) {
        out.extend(vendor_suite(job, era));
        let group = || two.get(&(Fleet::of(job), decoding(job)));
        match (picks.get(&index), &job.conc) {
            (Some(conc), _) => out.push(due(job, vec![*conc], None)),
            (None, Concurrency::One(conc)) if !job.entry.multinode && job.load != Load::Agentic => {
                if group().is_some_and(|two| two.contains(&Some(*conc))) {
                    out.push(due(job, vec![*conc], None));
                }
            }
            (None, _) => {}
        }
    }
    out
}

impl EvalEra {
    /// Whether points like this one are ever evaluated.
    fn evaluates(&self, job: &Job<'_>) -> bool {
        match job.load {
            Load::Fixed { isl, osl } => (isl, osl) == self.lengths,
            Load::Agentic if job.entry.multinode => self.agentic_multi_node,
            Load::Agentic => self.agentic_single_node,
        }
    }
}

/// The vendor's eval of an agentic point, where the model has one.
fn vendor_suite<'e>(job: &Job<'e>, era: &EvalEra) -> Option<Job<'e>> {
    let suite = era.vendor_suites.get(&job.entry.model_prefix).filter(|_| job.load == Load::Agentic)?;
    Some(due(job, job.conc.values().to_vec(), Some(suite)))
}

/// Every eval that is possible. Deployments of several nodes are evaluated in one job: of fixed lengths at all their
/// concurrencies, of agent traces at the highest.
pub fn all<'e>(benchmarks: &[Job<'e>], era: &EvalEra) -> Vec<Job<'e>> {
    let mut deployments = Deployments::new();
    let mut merged: BTreeMap<usize, (usize, BTreeSet<u32>)> = BTreeMap::new();
    let mut out: Vec<Job<'e>> = Vec::new();
    for job in benchmarks.iter().filter(|job| era.evaluates(job)) {
        out.extend(vendor_suite(job, era));
        if !job.entry.multinode {
            out.push(due(job, job.conc.values().to_vec(), None));
            continue;
        }
        let place = out.len();
        let (_, concs) = merged.entry(deployments.number(job)).or_insert_with(|| {
            out.push(due(job, Vec::new(), None));
            (place, BTreeSet::new())
        });
        concs.extend(job.conc.values());
    }
    for (place, concs) in merged.into_values() {
        let Some(job) = out.get_mut(place) else { continue };
        let at: Vec<u32> = match job.load {
            Load::Agentic => concs.last().copied().into_iter().collect(),
            Load::Fixed { .. } => concs.iter().copied().collect(),
        };
        job.eval = Some(Due { at, suite: None });
        job.conc = match concs.into_iter().collect::<Vec<_>>() {
            one if one.len() == 1 => Concurrency::One(one.first().copied().unwrap_or_default()),
            list => Concurrency::List(list),
        };
    }
    out
}
