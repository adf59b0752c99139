//! Which config a measured point belongs to: a job's name and an eval row tell axes, never the config's key.
//! Must not know: jobs, rows, the changelog's text.

use super::ChangedKeys;
use super::jobs::AGENTIC;
use super::masters::{Entry, Point};
use crate::core::axes::{Axes, Parallel, Role};
use serde::Serialize;

/// What the axes were read from: decides which of them are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AxesFrom {
    JobName,
    /// States neither KV offloading nor, mostly, parallelism other than TP, EP and DPA.
    EvalRow,
    /// States KV offloading of agent traces only.
    ResultRow,
}

/// The configs that a point may belong to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Candidates {
    /// The one, where no other is possible.
    pub config: Option<String>,
    /// All that are possible, the one included; a key whose entry was not read is possible.
    pub candidates: Vec<String>,
}

/// Matches a point with the configs that the changelog names.
pub fn resolve(axes: &Axes, from: AxesFrom, keys: &ChangedKeys) -> Candidates {
    let same: Vec<&Entry> = keys.entries.iter().filter(|entry| same_config(axes, entry)).collect();
    let exact: Vec<&Entry> =
        same.iter().copied().filter(|entry| entry.points.iter().any(|point| same_point(axes, from, point))).collect();
    // No row matches: the entries that share model, precision, runner and framework are all that can be said.
    let found = if exact.is_empty() { &same } else { &exact };
    let candidates: Vec<String> = found.iter().map(|entry| entry.key.clone()).chain(keys.unread.iter().cloned()).collect();
    let config = match (candidates.as_slice(), exact.as_slice()) {
        ([only], [_]) if keys.complete => Some(only.clone()),
        // The sweep measures what the changelog names, and it names one.
        ([only], []) if keys.complete && keys.entries.is_empty() && !only.contains('*') => Some(only.clone()),
        // A row of several nodes does not always tell the workers of each role; the rest still names one config.
        ([only], []) if keys.complete && from == AxesFrom::EvalRow && axes.decode.is_some() => {
            let near = same.iter().any(|entry| entry.points.iter().any(|point| same_load(axes, point)));
            near.then(|| only.clone())
        }
        _ => None,
    };
    Candidates { config, candidates }
}

/// Whether the axes are of a row of this entry, so far as their source tells them.
pub fn fits(axes: &Axes, from: AxesFrom, entry: &Entry, row: &Point) -> bool {
    same_config(axes, entry) && same_point(axes, from, row)
}

fn same_config(axes: &Axes, entry: &Entry) -> bool {
    axes.model == entry.model_prefix
        && axes.precision == entry.precision
        && axes.runner.eq_ignore_ascii_case(&entry.runner)
        && axes.framework == entry.framework
}

fn same_point(axes: &Axes, from: AxesFrom, point: &Point) -> bool {
    let whole = from != AxesFrom::EvalRow;
    let offload = from == AxesFrom::JobName || from == AxesFrom::ResultRow && point.scenario == AGENTIC;
    let same = |a: &Parallel, b: &Parallel| {
        (a.tp, a.ep, a.dpa) == (b.tp, b.ep, b.dpa) && (!whole || (a.pp, a.dcp, a.pcp) == (b.pp, b.dcp, b.pcp))
    };
    let same_role = |a: &Role, b: &Role| a.workers == b.workers && same(&a.parallel, &b.parallel);
    let roles = match ((&axes.prefill, &axes.decode), (&point.prefill, &point.decode)) {
        ((Some(ap), Some(ad)), (Some(bp), Some(bd))) => same_role(ap, bp) && same_role(ad, bd),
        // Without a decode worker a split form says as much as an aggregated one.
        ((None, None), (_, decode)) => {
            decode.as_ref().is_none_or(|role| role.workers == 0) && same(&axes.parallel, &point.parallel)
        }
        ((_, Some(decode)), (None, None)) => decode.workers == 0 && same(&axes.parallel, &point.parallel),
        _ => false,
    };
    roles && same_load(axes, point) && (!offload || (&axes.kv, &axes.kv_backend) == (&point.kv, &point.kv_backend))
}

/// The point is measured with this speculative decoding and under this concurrency.
fn same_load(axes: &Axes, point: &Point) -> bool {
    axes.spec == point.spec && axes.conc.values().iter().all(|conc| point.conc.contains(conc))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::axes::Concurrency;

    fn point(tp: u32, conc: &[u32], kv: Option<&str>) -> Point {
        Point {
            scenario: "fixed-seq-len".into(),
            parallel: Parallel { tp, ..Parallel::default() },
            spec: Some("mtp".into()),
            kv: kv.map(str::to_owned),
            conc: conc.to_vec(),
            ..Point::default()
        }
    }

    fn entry(key: &str, points: Vec<Point>) -> Entry {
        Entry {
            key: key.into(),
            image: None,
            model: None,
            model_prefix: "m".into(),
            runner: "cluster:b300-nv".into(),
            precision: "fp4".into(),
            framework: "sglang".into(),
            multinode: false,
            disagg: false,
            other: Default::default(),
            points,
        }
    }

    fn axes(tp: u32, conc: u32, kv: Option<&str>) -> Axes {
        Axes {
            model: "m".into(),
            precision: "fp4".into(),
            runner: "cluster:b300-nv".into(),
            framework: "sglang".into(),
            parallel: Parallel { tp, ..Parallel::default() },
            spec: Some("mtp".into()),
            kv: kv.map(str::to_owned),
            kv_backend: None,
            conc: Concurrency::One(conc),
            prefill: None,
            decode: None,
        }
    }

    fn keys(entries: Vec<Entry>, unread: &[&str]) -> ChangedKeys {
        let unread = unread.iter().map(|key| (*key).to_owned()).collect();
        ChangedKeys { entries, unread, complete: true, ..ChangedKeys::default() }
    }

    #[test]
    fn one_config_or_the_candidates() {
        let a = || entry("a", vec![point(2, &[16, 32], None)]);
        let b = || entry("b", vec![point(2, &[32, 64], None), point(4, &[8], Some("dram"))]);
        let name = AxesFrom::JobName;
        let shown = |axes: Axes, from, keys: &ChangedKeys| {
            let got = resolve(&axes, from, keys);
            (got.config.unwrap_or_default(), got.candidates.join(" "))
        };
        let both = keys(vec![a(), b()], &[]);
        let table = [
            (axes(2, 16, None), name, "a", "a"),
            (axes(2, 64, None), name, "b", "b"),
            (axes(2, 32, None), name, "", "a b"),
            (axes(4, 8, Some("dram")), name, "b", "b"),
            (axes(4, 8, None), name, "", "a b"),
            (axes(4, 8, None), AxesFrom::EvalRow, "b", "b"),
            (Axes { precision: "fp8".into(), ..axes(2, 16, None) }, name, "", ""),
            (Axes { conc: Concurrency::List(vec![16, 32]), ..axes(2, 1, None) }, name, "a", "a"),
            (Axes { conc: Concurrency::List(vec![16, 64]), ..axes(2, 1, None) }, name, "", "a b"),
            (Axes { spec: None, ..axes(2, 16, None) }, name, "", "a b"),
        ];
        for (axes, from, config, candidates) in table {
            assert_eq!(shown(axes.clone(), from, &both), (config.into(), candidates.into()), "{axes:?}");
        }
        assert_eq!(
            shown(axes(2, 16, None), name, &keys(vec![a()], &["c"])),
            (String::new(), "a c".into()),
            "c may be it as well"
        );
        assert_eq!(shown(axes(2, 16, None), name, &keys(vec![], &["c"])), ("c".into(), "c".into()), "the only one named");
        assert_eq!(shown(axes(2, 16, None), name, &keys(vec![], &["*"])), (String::new(), "*".into()));
        let partial = ChangedKeys { complete: false, ..keys(vec![a()], &[]) };
        assert_eq!(shown(axes(2, 16, None), name, &partial), (String::new(), "a".into()), "more may be named");
    }

    #[test]
    fn a_row_of_several_nodes_finds_its_config_without_its_workers() {
        let role = |workers, tp| Some(Role { workers, parallel: Parallel { tp, ..Parallel::default() } });
        let split = Point { prefill: role(2, 8), decode: role(13, 4), ..point(8, &[64], None) };
        let keys = keys(vec![entry("a", vec![split])], &[]);
        let row = |conc| Axes { prefill: role(1, 8), decode: role(1, 8), ..axes(8, conc, None) };
        let config = |axes: &Axes, from| resolve(axes, from, &keys).config;
        assert_eq!(config(&row(64), AxesFrom::EvalRow).as_deref(), Some("a"));
        assert_eq!(config(&row(32), AxesFrom::EvalRow), None, "no point has this load");
        assert_eq!(config(&row(64), AxesFrom::JobName), None, "a job's name tells its workers");
        assert_eq!(config(&axes(8, 64, None), AxesFrom::EvalRow), None, "a row of one node tells all of it");
    }

    #[test]
    fn roles_must_agree_unless_nothing_decodes() {
        let role = |workers, tp| Some(Role { workers, parallel: Parallel { tp, ..Parallel::default() } });
        let split = Point { prefill: role(2, 8), decode: role(1, 4), ..point(8, &[64], None) };
        let empty = Point { prefill: role(1, 8), decode: role(0, 8), ..point(8, &[64], None) };
        let at = |prefill, decode| Axes { prefill, decode, ..axes(8, 64, None) };
        let same = |axes: &Axes, point: &Point| same_point(axes, AxesFrom::JobName, point);
        assert!(same(&at(role(2, 8), role(1, 4)), &split));
        assert!(!same(&at(role(2, 8), role(2, 4)), &split));
        assert!(!same(&at(None, None), &split));
        assert!(same(&at(None, None), &empty));
        assert!(same(&at(role(1, 8), role(0, 8)), &point(8, &[64], None)));
    }
}
