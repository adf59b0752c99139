//! Lanes of every kind: canaries, jobs that evaluate as well, several nodes, agent traces; and all real configs at once.
//! Must not know: how names are matched.

use super::world::*;
use super::*;
use crate::core::axes::{Parallel, Role};
use crate::core::configs::masters::{self, Entry};
use crate::core::configs::{ChangelogEntry, asked, jobs};
use crate::core::listing::Listing;
use crate::core::policy::scenario::ready;
use crate::core::pull::Job;
use crate::core::results;
use crate::core::yaml;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn a_canary_measures_its_point() {
    let mut facts = green();
    jobs(&mut facts).retain(|job| !job.name.contains("TP2/EP2 mtp   c4"));
    let canary = "canary / / p1.0 | qwen3.5 fp4 b200 sgl TP2/EP2 mtp c4";
    jobs(&mut facts).push(job(90, RUN, 1, canary, "success"));
    let points = draw(&facts);
    assert_eq!((word(&at(&points, 4).job), at(&points, 4).job.found.as_ref().unwrap().id.0), ("", 90));
    // Beside its lane the worse of both speaks.
    jobs(&mut facts).push(job(91, RUN, 1, &name("TP2/EP2", 4, false), "failure"));
    assert_eq!(word(&at(&draw(&facts), 4).job), "failed");
    // A canary names no lengths: with points of two lengths nobody can tell whose it is.
    jobs(&mut facts).pop();
    let both = entry("k", "o/i:v1", &[NEW_ROW]);
    let both = format!("{both}    - isl: 4096\n      osl: 1024\n      search-space:\n      - {NEW_ROW}\n");
    configs(&mut facts, "", &both, &changelog("k", ""));
    let points = draw(&facts);
    let c4: Vec<_> = points.added.iter().filter(|point| point.render_point() == "TP2/EP2 c4").map(|p| word(&p.job)).collect();
    assert_eq!(c4, ["ambiguous", "ambiguous"]);
}

#[test]
fn a_combined_job_measures_and_evaluates() {
    let mut facts = green();
    jobs(&mut facts).retain(|job| !job.name.contains("c64"));
    let both = format!("{} | eval", name("TP2/EP2", 64, false));
    jobs(&mut facts).push(job(90, RUN, 1, &both, "success"));
    let points = draw(&facts);
    let point = at(&points, 64);
    assert_eq!((word(&point.job), word(&point.eval)), ("", ""));
    assert_eq!(point.job.found.as_ref().unwrap().id, point.eval.found.as_ref().unwrap().job.id);
    // Beside a job that only measures, one of the two is somebody else's.
    jobs(&mut facts).push(job(91, RUN, 1, &name("TP2/EP2", 64, false), "success"));
    assert_eq!(word(&at(&draw(&facts), 64).job), "ambiguous");
}

/// Jobs of points that differ in offloading have names of their own; rows of fixed lengths and scores do not tell it.
#[test]
fn a_row_that_may_be_of_two_points_is_of_neither() {
    let with = NEW_ROW.replace("spec-decoding", "kv-offloading: dram, spec-decoding");
    let mut facts = green();
    configs(&mut facts, "", &entry("k", "o/i:v1", &[NEW_ROW, &with]), &changelog("k", ""));
    for (at, conc) in [4, 16, 32, 64].into_iter().enumerate() {
        let name = name("TP2/EP2", conc, false).replace("mtp", "mtp dram KV offload");
        jobs(&mut facts).push(job(90 + at as u64, RUN, 1, &name, "success"));
    }
    for (id, conc) in [(95, 32), (96, 64)] {
        let name = name("TP2/EP2", conc, true).replace("mtp", "mtp dram KV offload");
        jobs(&mut facts).push(job(id, RUN, 1, &name, "success"));
    }
    let points = draw(&facts);
    let c64: Vec<&PointReview> = points.added.iter().filter(|point| point.render_point() == "TP2/EP2 c64").collect();
    assert_eq!(c64.len(), 2);
    for point in c64 {
        assert_eq!(
            (word(&point.job), word(&point.result), word(&point.eval)),
            ("", "ambiguous", "ambiguous"),
            "{:?}",
            point.axes
        );
        assert!(point.result.found.is_none() && point.eval.found.as_ref().unwrap().scores.is_none());
    }
}

/// A vendor's suite runs beside the usual task under one name: both must be there.
#[test]
fn every_eval_of_a_point_must_be_there() {
    let row = "{ tp: 4, kv-offloading: none, conc-list: [64] }";
    let head = entry("k", "o/i:v1", &[row])
        .replace("fixed-seq-len:\n    - isl: 8192\n      osl: 1024\n", "agentic-coding:\n    - dram-utilization: 0.8\n")
        .replace("qwen3.5", "kimik3");
    let mut facts = green();
    configs(&mut facts, "", &head, &changelog("k", ""));
    value(&mut facts.runs).items[0].created_at = Some(crate::core::sample::at("2026-10-05T00:00:00Z"));
    let point = "p3.500 | kimik3 fp4 b200 sgl TP4 c64";
    *jobs(&mut facts) = vec![job(90, RUN, 1, &format!("agentic / / {point}"), "success")];
    for (id, want) in [(91, "not_in_run"), (92, "no_score"), (93, "ambiguous")] {
        jobs(&mut facts).push(job(id, RUN, 1, &format!("agentic eval / / {point} | eval-only"), "success"));
        assert_eq!(word(&at(&draw(&facts), 64).eval), want, "{id}");
    }
}

/// One job runs through a list; its points have a row each, and one eval at the highest.
#[test]
fn a_job_of_several_nodes_measures_its_whole_list() {
    let role = |workers, tp| Some(Role { workers, parallel: Parallel { tp, ..Parallel::default() } });
    let row =
        "{ spec-decoding: mtp, conc-list: [64, 32], prefill: { num-worker: 2, tp: 4 }, decode: { num-worker: 1, tp: 8 } }";
    let head = entry("k", "o/i:v1", &[row]).replace("multinode: false", "multinode: true\n  disagg: true");
    let mut facts = green();
    configs(&mut facts, "", &head, &changelog("k", ""));
    let point = "p3.500 | qwen3.5 fp4 b200 sgl 2P (TP4) x 1D (TP8) mtp c64x32";
    *jobs(&mut facts) = vec![
        job(90, RUN, 1, &format!("multi-node 8k1k / / {point}"), "success"),
        job(91, RUN, 1, &format!("multi-node eval / / {point} | eval-only"), "success"),
    ];
    let split = json!({"is_multinode": true, "prefill_tp": 4, "prefill_num_workers": 2, "decode_tp": 8,
        "decode_num_workers": 1, "num_prefill_gpu": 8, "num_decode_gpu": 8});
    let rows = [64, 32].map(|conc| result(RUN, 4, 1, conc, split.clone()));
    facts.results.insert(RUN, ready("results", Listing::complete(rows.to_vec())));
    let mut eval = score(64, 0.95);
    (eval.axes.parallel, eval.axes.prefill, eval.axes.decode) =
        (Parallel { tp: 4, ..Parallel::default() }, role(2, 4), role(1, 8));
    facts.evals.insert(RUN, ready("evals", Listing::complete(vec![eval])));
    let points = draw(&facts);
    assert_eq!(points.added.len(), 2);
    for (conc, eval) in [(64, ""), (32, "eval_not_chosen")] {
        let point = at(&points, conc);
        assert_eq!((word(&point.job), word(&point.result), word(&point.eval)), ("", "", eval), "c{conc}");
        assert_eq!(point.job.found.as_ref().unwrap().id.0, 90);
        assert_eq!(point.result.found.as_ref().unwrap().gpus.map(|gpus| gpus.all), Some(16));
    }
    assert_eq!(points.summary(), "2 of 2 new points executed, 1 of 1 due eval green");
    // A job of another list is another job.
    jobs(&mut facts)[0].name = jobs(&mut facts)[0].name.replace("c64x32", "c64");
    assert!(draw(&facts).added.iter().all(|point| word(&point.job) == "not_in_run"));
}

#[test]
fn an_eval_of_agent_traces_is_none_of_fixed_lengths() {
    let row = "{ tp: 4, ep: 4, dp-attn: true, spec-decoding: mtp, kv-offloading: dram, kv-offload-backend: { name: hicache }, conc-list: [64] }";
    let head = entry("k", "o/i:v2", &[row])
        .replace("fixed-seq-len:\n    - isl: 8192\n      osl: 1024\n", "agentic-coding:\n    - dram-utilization: 0.8\n")
        .replace("qwen3.5", "dsv4")
        .replace("b200", "cluster:b300-nv");
    let mut facts = green();
    configs(&mut facts, "", &head, &changelog("k", ""));
    let point = "p3.500 | dsv4 fp4 cluster:b300-nv sgl TP4/EP4/DPA mtp dram KV offload hicache c64";
    let list = |eval: &str| {
        vec![
            job(90, RUN, 1, &format!("agentic / / {point}"), "success"),
            job(91, RUN, 1, &format!("{eval} / / {point} | eval-only"), "success"),
        ]
    };
    let measured = results::rows::tests::agentic().to_string();
    let rows = results::parse("agg.json", RUN, measured.as_bytes()).unwrap().rows;
    facts.results.insert(RUN, ready("results", Listing::complete(rows)));
    for (lane, eval) in [("agentic eval", "no_score"), ("eval", "not_in_run")] {
        *jobs(&mut facts) = list(lane);
        let points = draw(&facts);
        let point = at(&points, 64);
        assert_eq!((word(&point.job), word(&point.result), word(&point.eval)), ("", "", eval), "{lane}");
        assert_eq!((point.scenario.as_str(), point.axes.kv_backend.as_deref()), ("agentic-coding", Some("hicache")));
    }
}

#[test]
fn rules_of_the_run_s_day_decide_which_evals_are_due() {
    let agentic = |key: &str, nodes: &str| {
        entry(key, "o/i:v1", &["{ tp: 2, ep: 2, kv-offloading: none, spec-decoding: mtp, conc-list: [64] }"])
            .replace("fixed-seq-len:\n    - isl: 8192\n      osl: 1024\n", "agentic-coding:\n    - dram-utilization: 0.8\n")
            .replace("multinode: false", nodes)
    };
    // Day of the run, the entry, what is said of its eval.
    let table = [
        ("2026-07-01T00:00:00Z", agentic("k", "multinode: false"), "eval_not_due_before_rule", "since 2026-07-18"),
        ("2026-08-01T00:00:00Z", agentic("k", "multinode: false"), "not_in_run", ""),
        ("2026-08-01T00:00:00Z", agentic("k", "multinode: true"), "eval_not_due_before_rule", "since 2026-08-16"),
        ("2026-08-20T00:00:00Z", agentic("k", "multinode: true"), "not_in_run", ""),
        (
            "2026-07-01T00:00:00Z",
            entry("k", "o/i:v1", &["{ tp: 2, ep: 2, conc-list: [64] }"]).replace("isl: 8192", "isl: 1024"),
            "eval_not_due_for_lengths",
            "8192 tokens in",
        ),
        (
            "2026-08-01T00:00:00Z",
            entry("k", "o/i:v1", &["{ tp: 2, ep: 2, conc-list: [64] }"]).replace("isl: 8192", "isl: 1024"),
            "lane_retired",
            "1k1k",
        ),
    ];
    for (day, head, want, words) in table {
        let mut facts = green();
        configs(&mut facts, "", &head, &changelog("k", ""));
        value(&mut facts.runs).items[0].created_at = Some(crate::core::sample::at(day));
        let points = draw(&facts);
        let eval = &at(&points, 64).eval;
        assert_eq!(word(eval), want, "{day} {head}");
        assert!(eval.hole.as_ref().unwrap().sentence().contains(words), "{:?}", eval.hole);
    }
}

/// Everything that is measured comes at once, and every job is green: the figures of the format's description hold, and
/// only points whose job's name others have are left open.
#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn every_real_config_is_covered_but_for_shared_names() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/corpus/inferencex/2026-08/configs/");
    let read = |name: &str| std::fs::read_to_string(format!("{root}{name}")).unwrap();
    let (master, other) = (read("nvidia-master.yaml"), read("amd-master.yaml"));
    let mut facts = green();
    let parse = |text: &str| -> Vec<Entry> {
        yaml::top_level(text).iter().map(|section| masters::parse_entry("m", section, text).unwrap()).collect()
    };
    let entries: Vec<Entry> = [parse(&master), parse(&other)].concat();
    let log: String = entries.iter().map(|entry| changelog(&entry.key, "")).collect();
    configs(&mut facts, "", &master, &log);
    let amd = "configs/amd-master.yaml";
    value(&mut facts.files).items.push(file(amd, "added", None));
    facts.sides.insert((crate::core::facts::Side::Head, amd.into()), document(amd, &other));
    value(&mut facts.runs).items[0].created_at = Some(crate::core::sample::at("2026-08-21T00:00:00Z"));

    let named: Vec<ChangelogEntry> =
        entries.iter().map(|entry| ChangelogEntry { config_keys: vec![entry.key.clone()], ..Default::default() }).collect();
    let named: Vec<_> = named.iter().zip(&entries).map(|(changelog, entry)| (changelog, vec![entry])).collect();
    let era = POLICY.configs.eval_era("2026-08-21".parse().unwrap()).unwrap();
    let due = jobs::sweep(&named, era);
    let aliases = &POLICY.sweep.framework_aliases;
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    for job in &due {
        *names.entry(job.name(aliases)).or_default() += 1;
    }
    let all: Vec<Job> = due.iter().enumerate().map(|(id, one)| job(id as u64, RUN, 1, &one.name(aliases), "success")).collect();
    assert_eq!(due.iter().filter(|job| job.eval.is_some()).count(), 649);
    assert_eq!(all.len(), 1_820 + 649);
    super::world::jobs(&mut facts).clear();
    super::world::jobs(&mut facts).extend(all);

    let conclusions = Conclusions::draw(&POLICY, &facts);
    assert!(conclusions.keys.doubt().is_none(), "{:?}", conclusions.keys.doubt());
    let points = Points::draw(&POLICY, &facts, &conclusions);
    let all: usize = entries.iter().flat_map(|entry| &entry.points).map(|row| row.conc.len()).sum();
    assert_eq!((points.added.len(), points.changed.len(), points.untouched.count), (all, 0, 0));
    let mut holes: BTreeMap<&str, usize> = BTreeMap::new();
    let mut covered: BTreeSet<u64> = BTreeSet::new();
    for point in &points.added {
        *holes.entry(word(&point.job)).or_default() += 1;
        covered.extend(point.job.found.as_ref().map(|job| job.id.0));
    }
    let retired = asked(&POLICY.configs, &conclusions.keys, "2026-08-21".parse().ok()).jobs;
    let lane = 1_820 - retired.iter().filter(|job| job.eval.is_none()).count();
    let shared = names.iter().filter(|(name, count)| **count > 1 && !name.ends_with("eval-only")).count();
    assert_eq!((lane, shared), (1, 20));
    // Single points stand behind all of them but lists of several nodes.
    assert_eq!(covered.len(), 1_820 - lane - 2 * shared);
    assert_eq!((holes.get("lane_retired"), holes.len()), (Some(&1), 3), "{holes:?}");
    assert!(holes["ambiguous"] >= 2 * shared, "{holes:?}");
}
