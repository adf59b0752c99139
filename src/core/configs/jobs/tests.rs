//! Jobs of real and small entries. Must not know: how an entry is read.
#![allow(clippy::disallowed_methods)]

use super::*;
use crate::core::configs::masters;
use crate::core::policy::tests::policy;
use crate::core::sweep::names::LaneKind;
use crate::core::yaml;
use chrono::NaiveDate;
use std::collections::HashMap;

fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

fn era(text: &str) -> EvalEra {
    policy().configs.eval_era(day(text)).unwrap().clone()
}

fn entries(paths: &[&str]) -> Vec<Entry> {
    let mut out = Vec::new();
    for path in paths {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/corpus/inferencex/");
        let text = std::fs::read_to_string(format!("{root}{path}")).unwrap();
        out.extend(yaml::top_level(&text).iter().map(|section| masters::parse_entry(path, section, &text).unwrap()));
    }
    out
}

const AUGUST: [&str; 2] = ["2026-08/configs/nvidia-master.yaml", "2026-08/configs/amd-master.yaml"];
const NEWEST: [&str; 2] =
    ["newest/inferencex-e2e/configs/nvidia-master.excerpt.yaml", "newest/inferencex-e2e/configs/amd-master.excerpt.yaml"];

/// Benchmarks and evals of one key alone.
fn count(entry: &Entry, era: &EvalEra) -> (usize, usize) {
    let jobs = jobs(&[entry], &Scope::default(), era);
    let evals = jobs.iter().filter(|job| job.eval.is_some()).count();
    (jobs.len() - evals, evals)
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn every_real_key_has_the_jobs_that_its_generator_makes() {
    let (entries, era) = (entries(&AUGUST), era("2026-08-21"));
    let mut kinds: HashMap<(bool, bool), (Vec<usize>, Vec<usize>)> = HashMap::new();
    for entry in &entries {
        let (benchmarks, evals) = count(entry, &era);
        let agentic = entry.points.iter().any(|row| row.scenario == AGENTIC);
        let kind = kinds.entry((entry.multinode, agentic)).or_default();
        kind.0.push(benchmarks);
        kind.1.push(evals);
    }
    let benchmarks: usize = kinds.values().flat_map(|kind| &kind.0).sum();
    let evals: usize = kinds.values().flat_map(|kind| &kind.1).sum();
    assert_eq!((benchmarks, evals), (1_820, 649));
    // Median and most, of benchmarks and of evals.
    for (kind, want) in [
        ((false, false), (8, 24, 2, 6)),
        ((false, true), (10, 42, 1, 1)),
        ((true, false), (6, 18, 5, 13)),
        ((true, true), (5, 35, 2, 6)),
    ] {
        let (mut benchmarks, mut evals) = kinds.remove(&kind).unwrap();
        benchmarks.sort_unstable();
        evals.sort_unstable();
        let half = benchmarks.len() / 2;
        let got = (benchmarks[half], benchmarks.last().copied().unwrap(), evals[half], evals.last().copied().unwrap());
        assert_eq!(got, want, "several nodes, agentic: {kind:?}");
    }
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn every_generated_name_is_read_back_as_its_point() {
    let aliases = policy().sweep.framework_aliases;
    for (paths, when) in [(AUGUST, "2026-08-21"), (NEWEST, "2026-10-10")] {
        let (entries, era) = (entries(&paths), era(when));
        let mut read = 0;
        for entry in &entries {
            for evals in [Evals::Selected, Evals::All] {
                for job in jobs(&[entry], &Scope { evals, ..Scope::default() }, &era) {
                    let name = job.name(&aliases);
                    let parsed = names::parse(&name, &aliases);
                    assert_eq!((parsed.identity.as_str(), parsed.lane), (name.as_str(), job.lane()));
                    let kind = if job.eval.is_some() { LaneKind::Eval } else { LaneKind::Benchmark };
                    assert_eq!((parsed.kind, parsed.axes.as_ref()), (kind, Some(&job.axes())), "{name}");
                    // As the server writes it: two slashes, a priority, gaps.
                    let (lane, point) = name.split_once(" / ").unwrap();
                    let sent = format!("{lane} / / p3.750 | {}", point.replace(" c", "   c"));
                    assert_eq!(names::parse(&sent, &aliases).identity, name);
                    read += 1;
                }
            }
        }
        assert!(read > 100, "{read}");
    }
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn names_of_several_points_are_told() {
    let aliases = policy().sweep.framework_aliases;
    let entries = entries(&AUGUST);
    let jobs: Vec<Job<'_>> = entries.iter().flat_map(Entry::benchmarks).collect();
    // Without the lengths: the only 1k1k point of all keys shares its name with an 8k1k point.
    let mut inner: HashMap<String, usize> = HashMap::new();
    for job in &jobs {
        *inner.entry(job.name(&aliases).replace("1k1k", "8k1k")).or_default() += 1;
    }
    assert_eq!((inner.len(), inner.values().filter(|count| **count > 1).count()), (1_799, 21));
    let shared = shared_names(&jobs, &aliases);
    assert_eq!(shared.len(), 20);
    assert!(shared.iter().all(|(name, count)| *count == 2 && name.contains(" / ")), "{shared:?}");
}

fn entry(head: &str, scenario: &str, group: &str, rows: &[&str]) -> Entry {
    let rows: String = rows.iter().map(|row| format!("      - {row}\n")).collect();
    let text = format!(
        "k:\n  image: i:1\n  model: m\n  model-prefix: kimik3\n  runner: r\n  precision: fp4\n  framework: sglang\n{head}  scenarios:\n    {scenario}:\n    - {group}\n      search-space:\n{rows}"
    );
    masters::entry("m.yaml", &text, "k").unwrap().unwrap()
}

fn shown(jobs: &[Job<'_>]) -> Vec<String> {
    let aliases = policy().sweep.framework_aliases;
    jobs.iter()
        .map(|job| {
            let name = job.name(&aliases);
            let name = name.replace("kimik3 fp4 r sgl ", "");
            match &job.eval {
                None => name,
                Some(due) => format!("{name} at {:?}{}", due.at, due.suite.as_ref().map(|_| " vendor").unwrap_or_default()),
            }
        })
        .collect()
}

fn evals(entry: &Entry, when: &str) -> Vec<String> {
    shown(&jobs(&[entry], &Scope { benchmarks: false, ..Scope::default() }, &era(when)))
}

#[test]
fn fixed_lengths_are_evaluated_at_the_highest_and_the_middle() {
    let group = "isl: 8192\n      osl: 1024";
    let one = entry(
        "",
        "fixed-seq-len",
        group,
        &[
            "{ tp: 4, conc-start: 4, conc-end: 64 }",
            "{ tp: 8, conc-list: [64, 128] }",
            "{ tp: 2, dp-attn: true, conc-list: [8] }",
        ],
    );
    assert_eq!(
        evals(&one, "2026-08-21"),
        ["eval / TP4 c64 | eval-only at [64]", "eval / TP8 c64 | eval-only at [64]", "eval / TP8 c128 | eval-only at [128]"],
        "of 16 32 64 128 the third and the last; 8 is too low"
    );
    let short = entry("", "fixed-seq-len", "isl: 1024\n      osl: 1024", &["{ tp: 4, conc-list: [64] }"]);
    assert_eq!(evals(&short, "2026-08-21").len(), 0);
    assert_eq!(short.benchmarks()[0].lane(), "single-node 1k1k");
    let configs = policy().configs;
    let retired = |when| configs.is_retired(short.benchmarks()[0].load, day(when));
    assert!(!retired("2026-07-16") && retired("2026-07-17"));
    assert!(!configs.is_retired(one.benchmarks()[0].load, day("2026-08-21")));
    let role = "{ num-worker: 1, tp: 8 }";
    let row = |conc: &str| format!("{{ conc-list: {conc}, prefill: {role}, decode: {role} }}");
    let (a, b, c) = (row("[8, 32, 16]"), row("[64]"), row("[8]"));
    let split = entry("  multinode: true\n  disagg: true\n", "fixed-seq-len", group, &[&a, &b, &c]);
    assert_eq!(
        shown(&split.benchmarks())[..2],
        ["multi-node 8k1k / 1P (TP8) x 1D (TP8) c8x32x16", "multi-node 8k1k / 1P (TP8) x 1D (TP8) c64"]
    );
    assert_eq!(evals(&split, "2026-07-01"), ["multi-node eval / 1P (TP8) x 1D (TP8) c64 | eval-only at [64]"]);
}

#[test]
fn agent_traces_are_evaluated_by_the_rules_of_their_day() {
    let group = "dram-utilization: 0.8";
    let one = entry(
        "",
        AGENTIC,
        group,
        &[
            "{ tp: 4, kv-offloading: none, conc-list: [1, 4] }",
            "{ tp: 8, kv-offloading: none, spec-decoding: mtp, conc-list: [2] }",
        ],
    );
    assert_eq!(evals(&one, "2026-08-21"), ["agentic eval / TP4 c4 | eval-only at [4]"]);
    assert_eq!(
        evals(&one, "2026-10-01"),
        [
            "agentic eval / TP4 c1 | eval-only at [1] vendor",
            "agentic eval / TP4 c4 | eval-only at [4] vendor",
            "agentic eval / TP4 c4 | eval-only at [4]",
            "agentic eval / TP8 mtp c2 | eval-only at [2] vendor",
            "agentic eval / TP8 mtp c2 | eval-only at [2]",
        ]
    );
    let several = |conc: &str| {
        let row = format!("{{ conc-list: {conc}, worker: {{ num-worker: 1, tp: 8 }} }}");
        let mut entry = entry("  multinode: true\n", AGENTIC, group, &[&row]);
        entry.model_prefix = "m".to_owned();
        entry
    };
    assert_eq!(evals(&several("[4, 16, 32]"), "2026-08-15").len(), 0);
    assert_eq!(
        evals(&several("[4, 16, 32]"), "2026-08-16"),
        ["multi-node agentic eval / m fp4 r sgl (TP8) c32 | eval-only at [32]"]
    );
    assert_eq!(evals(&several("[4, 8]"), "2026-08-16").len(), 0);
    assert_eq!(evals(&several("[4, 8]"), "2026-10-01"), ["multi-node agentic eval / m fp4 r sgl (TP8) c8 | eval-only at [8]"]);
}

#[test]
fn the_changelog_shapes_what_is_due() {
    let group = "isl: 8192\n      osl: 1024";
    let one = entry("", "fixed-seq-len", group, &["{ tp: 4, conc-list: [8, 16] }"]);
    let counted = |changelog: &ChangelogEntry| {
        let jobs = jobs(&[&one], &changelog.scope(), &era("2026-08-21"));
        let evals = jobs.iter().filter(|job| job.eval.is_some()).count();
        (jobs.len() - evals, evals)
    };
    let plain = ChangelogEntry::default;
    assert_eq!(counted(&plain()), (2, 1));
    assert_eq!(counted(&ChangelogEntry { evals_only: true, ..plain() }), (0, 1));
    assert_eq!(counted(&ChangelogEntry { all_evals: true, ..plain() }), (0, 2));
    assert_eq!(counted(&ChangelogEntry { no_evals: true, ..plain() }), (2, 0));
    assert_eq!(counted(&ChangelogEntry { append_only: true, ..plain() }), (2, 0));
    assert_eq!(counted(&ChangelogEntry { scenario_type: vec![AGENTIC.into()], ..plain() }), (0, 0));
    let row = "{ conc-list: [8, 16, 32], prefill: { num-worker: 1, tp: 8, ep: 4 }, decode: { num-worker: 1, tp: 8 } }";
    let split = entry("  multinode: true\n  disagg: true\n", "fixed-seq-len", group, &[row]);
    for (least, count) in [(None, 1), (Some(4), 1), (Some(8), 0)] {
        let changelog = ChangelogEntry { evals_only: true, eval_min_prefill_ep: least, ..plain() };
        assert_eq!(jobs(&[&split], &changelog.scope(), &era("2026-08-21")).len(), count, "{least:?}");
    }
    let all = ChangelogEntry { all_evals: true, ..plain() };
    assert_eq!(
        shown(&jobs(&[&split], &all.scope(), &era("2026-08-21"))),
        ["multi-node eval / 1P (TP8/EP4) x 1D (TP8) c8x16x32 | eval-only at [8, 16, 32]"]
    );
}

#[test]
fn a_key_that_is_named_twice_is_swept_once() {
    let one = entry("", "fixed-seq-len", "isl: 8192\n      osl: 1024", &["{ tp: 4, conc-list: [8, 16] }"]);
    let plain = ChangelogEntry::default();
    let all = ChangelogEntry { all_evals: true, ..ChangelogEntry::default() };
    let names = |named: &[&ChangelogEntry]| {
        let named: Vec<_> = named.iter().map(|changelog| (*changelog, vec![&one])).collect();
        shown(&sweep(&named, &era("2026-08-21")))
    };
    assert_eq!(names(&[&plain, &plain]), names(&[&plain]));
    assert_eq!(names(&[&plain]).len(), 3);
    assert_eq!(names(&[&plain, &all]).len(), 4, "the wider choice of evals wins, wherever it stands");
}
