//! What a job's name says: its lane and the axes of its point.
//! Must not know: what became of the job.

use crate::core::axes::{Axes, Concurrency, Parallel, Role};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a job is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LaneKind {
    Canary,
    /// Measures throughput.
    Benchmark,
    /// Measures accuracy.
    Eval,
    /// Set-up, collection, publication.
    Plumbing,
}

/// A job's name, taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobName {
    /// `single-node 8k1k`, `eval`, `canary`; of plumbing its own name: `setup`, `collect-evals`.
    pub lane: String,
    pub kind: LaneKind,
    /// `None` for plumbing, for the bare name of a skipped lane, and when the inner part cannot be read.
    pub axes: Option<Axes>,
    /// A benchmark job that also evaluates: it counts as both.
    pub combined: bool,
    /// The name without its priority, spaces collapsed: the same in every attempt.
    pub identity: String,
}

/// Reads a job's name as GitHub sends it. `aliases` turns a name's framework word into the framework (`sgl` → `sglang`).
///
/// A name never vanishes: what cannot be read keeps its lane and has no axes.
pub fn parse(name: &str, aliases: &BTreeMap<String, String>) -> JobName {
    let name = collapse(name);
    let (before, inner) = match name.split_once(" /") {
        // Callers may end in a slash of their own, which makes two.
        Some((before, rest)) => (before, Some(rest.trim_start().trim_start_matches("/ ").trim_matches('/').trim())),
        None => (name.as_str(), None),
    };
    let point = inner.map(strip_priority).filter(|text| !text.is_empty());
    let read = point.and_then(|text| parse_point(text, aliases));
    let kind = match (inner, lane_kind(before), &read) {
        (Some(_), Some(kind), _) => kind,
        // A lane that we do not know yet, told by what it runs.
        (Some(_), None, Some((_, Ending::EvalOnly))) => LaneKind::Eval,
        (Some(_), None, Some(_)) => LaneKind::Benchmark,
        _ => LaneKind::Plumbing,
    };
    let identity = match (kind, point) {
        (LaneKind::Plumbing, _) => name.clone(),
        (_, Some(point)) => format!("{before} / {point}"),
        (_, None) => before.to_owned(),
    };
    let (axes, ending) = match read {
        Some((axes, ending)) if kind != LaneKind::Plumbing => (Some(axes), ending),
        _ => (None, Ending::Plain),
    };
    let combined = kind == LaneKind::Benchmark && ending == Ending::WithEval;
    JobName { lane: before.to_owned(), kind, axes, combined, identity }
}

/// Runs of white space become one space: an empty part of the name leaves its separators behind.
fn collapse(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The kind of a lane whose name we know: `multi-node 8k1k`, `agentic eval`, `canary`, ….
fn lane_kind(lane: &str) -> Option<LaneKind> {
    let sequence = |word: &str| {
        let lengths = word.split_once('k').and_then(|(isl, rest)| Some((isl, rest.strip_suffix('k')?)));
        lengths.is_some_and(|(isl, osl)| number(isl).is_some() && number(osl).is_some())
    };
    let rest = lane.strip_prefix("multi-node").or_else(|| lane.strip_prefix("single-node")).unwrap_or(lane).trim_start();
    match rest {
        "canary" if rest == lane => Some(LaneKind::Canary),
        "agentic eval" | "eval" => Some(LaneKind::Eval),
        "agentic" => Some(LaneKind::Benchmark),
        "" if !lane.is_empty() => Some(LaneKind::Benchmark),
        word if word != lane && sequence(word) => Some(LaneKind::Benchmark),
        _ => None,
    }
}

/// What a name ends in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    Plain,
    EvalOnly,
    WithEval,
}

/// The name of a point's job without priority: what [`parse`] calls its identity.
///
/// `split` puts the parallelism of several nodes in parentheses, also where one role does all.
pub fn render(lane: &str, axes: &Axes, split: bool, ending: Ending, aliases: &BTreeMap<String, String>) -> String {
    let framework = aliases.iter().find(|(_, full)| **full == axes.framework).map_or(&axes.framework, |(alias, _)| alias);
    let parallel = match axes.render_parallel() {
        whole if split && axes.prefill.is_none() => format!("({whole})"),
        whole => whole,
    };
    let mut words = vec![axes.model.as_str(), &axes.precision, &axes.runner, framework, &parallel];
    words.extend(axes.spec.as_deref());
    if let Some(kv) = &axes.kv {
        words.extend([kv.as_str(), "KV", "offload"]);
        words.extend(axes.kv_backend.as_deref());
    }
    let ending = match ending {
        Ending::Plain => "",
        Ending::EvalOnly => " | eval-only",
        Ending::WithEval => " | eval",
    };
    format!("{lane} / {} {}{ending}", words.join(" "), axes.render_conc())
}

/// `p3.750 | rest` → `rest`, with or without one word of who asked before it (`robot | p3.750 | rest`). Neither is
/// identity: a priority changes with labels.
fn strip_priority(text: &str) -> &str {
    let is_priority = |word: &str| {
        word.strip_prefix('p').is_some_and(|digits| {
            digits.starts_with(|c: char| c.is_ascii_digit()) && digits.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        })
    };
    match text.split_once(" | ") {
        Some((word, rest)) if is_priority(word) => rest,
        Some((word, rest)) if !word.contains(' ') => match rest.split_once(" | ") {
            Some((word, rest)) if is_priority(word) => rest,
            _ => text,
        },
        _ => text,
    }
}

/// `qwen3.5 fp4 b200 sgl TP2/EP2 mtp dram KV offload hicache c64 | eval-only`.
fn parse_point(text: &str, aliases: &BTreeMap<String, String>) -> Option<(Axes, Ending)> {
    let (text, ending) = match text.rsplit_once(" | ") {
        Some((text, "eval-only")) => (text, Ending::EvalOnly),
        Some((text, "eval")) => (text, Ending::WithEval),
        Some(_) => return None,
        None => (text, Ending::Plain),
    };
    let mut words = text.splitn(5, ' ');
    let (model, precision, runner, framework) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let (parallelism, rest) = parse_parallelism(words.next()?)?;
    let mut rest: Vec<&str> = rest.split(' ').filter(|word| !word.is_empty()).collect();
    let conc = parse_conc(rest.pop()?)?;
    let (spec, kv, kv_backend) = match rest.windows(2).position(|pair| pair == ["KV", "offload"]) {
        None => match rest.as_slice() {
            [] => (None, None, None),
            [spec] => (Some(*spec), None, None),
            _ => return None,
        },
        Some(at) => {
            let (before, backend) = (&rest[..at], &rest[at + 2..]);
            let (spec, kv) = match before {
                [kv] => (None, *kv),
                [spec, kv] => (Some(*spec), *kv),
                _ => return None,
            };
            match backend {
                [] => (spec, Some(kv), None),
                [name] => (spec, Some(kv), Some(*name)),
                _ => return None,
            }
        }
    };
    let stated = |word: Option<&str>| word.filter(|word| *word != "none").map(str::to_owned);
    let (parallel, prefill, decode) = parallelism;
    let axes = Axes {
        model: model.to_owned(),
        precision: precision.to_owned(),
        runner: runner.to_owned(),
        framework: aliases.get(framework).map_or(framework, String::as_str).to_owned(),
        parallel,
        spec: stated(spec),
        kv: stated(kv),
        kv_backend: stated(kv_backend),
        conc,
        prefill,
        decode,
    };
    Some((axes, ending))
}

type Parallelism = (Parallel, Option<Role>, Option<Role>);

/// `TP2/EP2 …`, `(TP8/PP2) …`, `2P (TP8/DPA) x 1D (TP4) …` → the parallelism and what follows it.
fn parse_parallelism(text: &str) -> Option<(Parallelism, &str)> {
    if text.starts_with("TP") {
        let (word, rest) = text.split_once(' ')?;
        return Some(((parse_parallel(word)?, None, None), rest));
    }
    let (workers, inner) = text.split_once('(')?;
    let (first, rest) = inner.split_once(')')?;
    let parallel = parse_parallel(first)?;
    if workers.is_empty() {
        return Some(((parallel, None, None), rest));
    }
    let prefill = Role { workers: number(workers.strip_suffix("P ")?)?, parallel: parallel.clone() };
    let (workers, inner) = rest.strip_prefix(" x ")?.split_once("D (")?;
    let (second, rest) = inner.split_once(')')?;
    let decode = Role { workers: number(workers)?, parallel: parse_parallel(second)? };
    Some(((parallel, Some(prefill), Some(decode)), rest))
}

/// `TP8/PP2/EP8/DPA`, in any order after TP.
fn parse_parallel(text: &str) -> Option<Parallel> {
    let mut parts = text.split('/');
    let mut out = Parallel { tp: number(parts.next()?.strip_prefix("TP")?)?, ..Parallel::default() };
    for part in parts {
        let digits = part.find(|c: char| c.is_ascii_digit()).unwrap_or(part.len());
        let (name, size) = part.split_at(digits);
        match name {
            "PP" => out.pp = number(size)?,
            "DCP" => out.dcp = number(size)?,
            "PCP" => out.pcp = number(size)?,
            "EP" => out.ep = number(size)?,
            "DPA" if size.is_empty() => out.dpa = true,
            _ => return None,
        }
    }
    Some(out)
}

/// `c64` → one, `c64x32x16` → the list.
fn parse_conc(word: &str) -> Option<Concurrency> {
    let list = word.strip_prefix('c')?.split('x').map(number).collect::<Option<Vec<u32>>>()?;
    match list.as_slice() {
        [one] => Some(Concurrency::One(*one)),
        _ => Some(Concurrency::List(list)),
    }
}

fn number(digits: &str) -> Option<u32> {
    digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn aliases() -> BTreeMap<String, String> {
        [("sgl", "sglang"), ("dyn-sgl", "dynamo-sglang"), ("sgl-disagg", "sglang-disagg")]
            .map(|(a, b)| (a.to_owned(), b.to_owned()))
            .into()
    }

    fn shown(name: &str) -> String {
        let job = parse(name, &aliases());
        let Some(axes) = &job.axes else { return format!("{} {:?}", job.lane, job.kind) };
        let extra: Vec<&str> = [&axes.spec, &axes.kv, &axes.kv_backend].into_iter().flatten().map(String::as_str).collect();
        format!(
            "{} {:?} {} {} {} {} {} [{}] {}{}",
            job.lane,
            job.kind,
            axes.model,
            axes.precision,
            axes.runner,
            axes.framework,
            axes.render_parallel(),
            extra.join(" "),
            axes.render_conc(),
            if job.combined { " +eval" } else { "" }
        )
    }

    #[test]
    fn names_tell_lane_and_axes() {
        let table = [
            ("canary / / p3.750 | qwen3.5 fp4 b200 sgl TP4 mtp c4", "canary Canary qwen3.5 fp4 b200 sglang TP4 [mtp] c4"),
            (
                "single-node 8k1k / / p3.750 | qwen3.5 fp4 b200 sgl TP2/EP2 mtp   c64",
                "single-node 8k1k Benchmark qwen3.5 fp4 b200 sglang TP2/EP2 [mtp] c64",
            ),
            (
                "single-node 8k1k / p3.750 | qwen3.5 fp4 b200 sgl TP2    c64",
                "single-node 8k1k Benchmark qwen3.5 fp4 b200 sglang TP2 [] c64",
            ),
            (
                "eval / / p3.750 | qwen3.5 fp4 b200 sgl TP2/EP2 mtp c64 | eval-only",
                "eval Eval qwen3.5 fp4 b200 sglang TP2/EP2 [mtp] c64",
            ),
            (
                "multi-node 8k1k / / p3.500 | dsr1 fp8 mi355x-disagg sgl-disagg 2P (TP8/EP8/DPA) x 1D (TP8/EP8/DPA) c1024x2048",
                "multi-node 8k1k Benchmark dsr1 fp8 mi355x-disagg sglang-disagg 2P (TP8/EP8/DPA) x 1D (TP8/EP8/DPA) [] c1024x2048",
            ),
            (
                "multi-node eval / / p3.500 | dsr1 fp8 mi355x-disagg sgl-disagg 1P (TP4) x 1D (TP8) c64x32x16x8x4x2x1 | eval-only",
                "multi-node eval Eval dsr1 fp8 mi355x-disagg sglang-disagg 1P (TP4) x 1D (TP8) [] c64x32x16x8x4x2x1",
            ),
            (
                "agentic / / p5.500 | kimik3 fp4 cluster:b300-nv vllm TP8/DCP8 mtp dram KV offload mooncake c70",
                "agentic Benchmark kimik3 fp4 cluster:b300-nv vllm TP8/DCP8 [mtp dram mooncake] c70",
            ),
            ("agentic / / p1 | m fp4 r vllm TP8 dram KV offload  c70", "agentic Benchmark m fp4 r vllm TP8 [dram] c70"),
            (
                "agentic eval / / klaud | p4.000 | glm5.2 fp4 cluster:mi355x-amds sgl TP8/EP8 mtp c4 | eval-only",
                "agentic eval Eval glm5.2 fp4 cluster:mi355x-amds sglang TP8/EP8 [mtp] c4",
            ),
            (
                "multi-node agentic / / p5.250 | glm5.2 fp4 cluster:gb200-nv dyn-sgl 1P (TP8/EP8/DPA) x 6D (TP4) mtp dram KV offload hicache c45",
                "multi-node agentic Benchmark glm5.2 fp4 cluster:gb200-nv dynamo-sglang 1P (TP8/EP8/DPA) x 6D (TP4) [mtp dram hicache] c45",
            ),
            (
                "multi-node agentic / / p6.750 | kimik3 fp4 cluster:gb200-nv dynamo-vllm (TP8/PP2/DCP8) mtp dram KV offload mooncake c16",
                "multi-node agentic Benchmark kimik3 fp4 cluster:gb200-nv dynamo-vllm TP8/PP2/DCP8 [mtp dram mooncake] c16",
            ),
            (
                "multi-node agentic / / p6.750 | m fp4 r vllm 1P (TP8) x 0D (TP8) c16",
                "multi-node agentic Benchmark m fp4 r vllm 1P (TP8) x 0D (TP8) [] c16",
            ),
            (
                "single-node / / p0.000 | m fp4 r vllm TP1/PP2/DCP3/PCP4/EP5/DPA c1 | eval",
                "single-node Benchmark m fp4 r vllm TP1/PP2/DCP3/PCP4/EP5/DPA [] c1 +eval",
            ),
            // Skipped callers, plumbing, the unknown and the unreadable.
            ("single-node 1k1k /", "single-node 1k1k Benchmark"),
            ("eval / /", "eval Eval"),
            ("multi-node agentic eval /", "multi-node agentic eval Eval"),
            ("setup", "setup Plumbing"),
            ("collect-evals / collect-evals", "collect-evals Plumbing"),
            ("eval", "eval Plumbing"),
            ("", " Plumbing"),
            ("single-node 8k1k / / something else", "single-node 8k1k Benchmark"),
            ("eval / / p3.750 | qwen3.5 fp4 b200 sgl TPx c64 | eval-only", "eval Eval"),
            ("agentic / / p3.750 | m fp4 r sgl TP99999999999 c64", "agentic Benchmark"),
            ("rack 8k1k / / p3.750 | m fp4 r vllm TP1 c64", "rack 8k1k Benchmark m fp4 r vllm TP1 [] c64"),
            ("rack check / / p3.750 | m fp4 r vllm TP1 c64 | eval-only", "rack check Eval m fp4 r vllm TP1 [] c64"),
        ];
        for (name, want) in table {
            assert_eq!(shown(name), want, "{name}");
        }
    }

    #[test]
    fn aggregated_names_have_no_roles_and_split_ones_repeat_the_prefill_side() {
        let axes = |par: &str| parse(&format!("multi-node 8k1k / / p1 | m p r f {par} c1"), &aliases()).axes.unwrap();
        let aggregated = axes("(TP8/PP2/DCP8)");
        assert_eq!((aggregated.parallel.tp, aggregated.parallel.pp, aggregated.parallel.dcp), (8, 2, 8));
        assert_eq!((aggregated.prefill, aggregated.decode), (None, None));
        let split = axes("3P (TP8/EP8/DPA) x 2D (TP4)");
        assert_eq!(split.parallel, split.prefill.clone().unwrap().parallel);
        assert_eq!((split.prefill.unwrap().workers, split.decode.unwrap().workers), (3, 2));
    }

    #[test]
    fn the_priority_is_not_identity() {
        let identity = |name: &str| parse(name, &aliases()).identity;
        let one = identity("single-node 8k1k / / p3.750 | m fp4 b200 sgl TP4 mtp   c4");
        assert_eq!(one, "single-node 8k1k / m fp4 b200 sgl TP4 mtp c4");
        assert_eq!(one, identity("single-node 8k1k / klaud | p0.000 | m fp4 b200 sgl TP4 mtp c4"));
        assert_eq!(identity("eval / /"), "eval");
        assert_ne!(identity("eval / / unreadable a"), identity("eval / / unreadable b"));
        assert_eq!(identity("collect-evals /  collect-evals"), "collect-evals / collect-evals");
    }

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn every_job_of_every_scenario_is_read() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/scenarios");
        let mut read = 0;
        for scenario in std::fs::read_dir(root).unwrap() {
            for pull in std::fs::read_dir(scenario.unwrap().path()).unwrap().filter(|p| p.as_ref().unwrap().path().is_dir()) {
                for file in std::fs::read_dir(pull.unwrap().path()).unwrap().map(|f| f.unwrap().path()) {
                    if !file.file_name().unwrap().to_str().unwrap().starts_with("jobs-") {
                        continue;
                    }
                    let jobs: Vec<serde_json::Value> = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
                    for name in jobs.iter().map(|job| job["name"].as_str().unwrap()) {
                        let job = parse(name, &aliases());
                        assert_eq!(job.axes.is_some(), name.contains('|'), "{name}");
                        assert_eq!(job.kind == LaneKind::Eval, name.contains("eval /"), "{name}");
                        assert_eq!(
                            job.kind == LaneKind::Benchmark,
                            name.contains("k1k /") || name.contains("agentic /"),
                            "{name}"
                        );
                        read += 1;
                    }
                }
            }
        }
        assert!(read > 800, "{read}");
    }

    proptest! {
        #[test]
        fn nothing_panics_and_the_identity_stays(name in "(single-node 8k1k|eval|x) /( /)? (p1\\.0 \\| )?[a-zA-Z0-9() /|é]{0,60}") {
            let job = parse(&name, &aliases());
            let spaced = name.replace(' ', "   ");
            prop_assert_eq!(parse(&spaced, &aliases()), job);
        }

        #[test]
        fn any_text_is_some_job(name in "\\PC{0,80}") {
            let job = parse(&name, &aliases());
            prop_assert!(job.axes.is_none() || job.kind != LaneKind::Plumbing);
        }
    }
}
