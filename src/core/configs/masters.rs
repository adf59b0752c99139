//! Master files: which config keys differ between two texts, and what one entry measures.
//! Must not know: the changelog, jobs.

use crate::core::axes::{Parallel, Role};
use crate::core::yaml::{self, Problem, Section};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// What happened to a key between merge base and head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    Added,
    Changed,
    Removed,
}

/// One config, so far as a point can be matched with it.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub key: String,
    /// As written; `#` may stand for the first `/`.
    pub image: Option<String>,
    pub model: Option<String>,
    /// `qwen3.5`.
    pub model_prefix: String,
    pub runner: String,
    pub precision: String,
    pub framework: String,
    pub multinode: bool,
    pub disagg: bool,
    /// What else the entry says of all its rows, by key: router, transfer engine, ….
    pub other: BTreeMap<String, Value>,
    /// Rows of the search space, of all scenarios.
    pub points: Vec<Point>,
}

/// One row of a search space: one parallelism at several concurrencies.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Point {
    /// `fixed-seq-len`, `agentic-coding`.
    pub scenario: String,
    pub isl: Option<u32>,
    pub osl: Option<u32>,
    /// Of a split deployment the prefill side's.
    pub parallel: Parallel,
    pub prefill: Option<Role>,
    pub decode: Option<Role>,
    pub spec: Option<String>,
    pub kv: Option<String>,
    pub kv_backend: Option<String>,
    /// The recipe that serves it, as written: a path, perhaps with `:variant`. It need not lie in this repository.
    pub recipe: Option<String>,
    /// The recipe of its eval, where that is another.
    pub eval_recipe: Option<String>,
    pub settings: Settings,
    /// What else the row and its group say, by key: hardware of a role, utilisation, the backend's version, ….
    pub other: BTreeMap<String, Value>,
    /// Ascending as the range doubles, or as listed.
    pub conc: Vec<u32>,
}

/// Additional settings of the roles, `KEY=VALUE` in their order, without those that name recipes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// Also those of the only role.
    pub prefill: Vec<String>,
    pub decode: Vec<String>,
}

/// The settings by which a role names recipes; a row's own field says the same.
const RECIPE_SETTING: &str = "CONFIG_FILE=";
const EVAL_RECIPE_SETTING: &str = "EVAL_CONFIG_FILE=";

/// Keys that came, changed (in head order) or went, by value: comments and white space do not count.
///
/// Only sections whose text differs are parsed. One that cannot be read is a problem, and changed.
pub fn changes(file: &str, base: &str, head: &str) -> (Vec<(String, Change)>, Vec<Problem>) {
    let mut problems = Vec::new();
    let mut before: HashMap<String, Section> =
        yaml::top_level(base).into_iter().map(|section| (section.key.clone(), section)).collect();
    let mut out = Vec::new();
    let mut seen = HashMap::new();
    for section in yaml::top_level(head) {
        if let Some(line) = seen.insert(section.key.clone(), section.line) {
            let message = format!("`{}` stands here again, after line {line}; only one of them can count", section.key);
            problems.push(Problem::new(file, section.line, message));
            continue;
        }
        let Some(old) = before.remove(&section.key) else {
            out.push((section.key, Change::Added));
            continue;
        };
        if section.text(head).trim_end() == old.text(base).trim_end() {
            continue;
        }
        let new = value(file, &section, head).map_err(|problem| problems.push(problem));
        let old = value(file, &old, base);
        if !matches!((new, old), (Ok(new), Ok(old)) if new == old) {
            out.push((section.key, Change::Changed));
        }
    }
    let mut gone: Vec<Section> = before.into_values().collect();
    gone.sort_by_key(|section| section.line);
    out.extend(gone.into_iter().map(|section| (section.key, Change::Removed)));
    (out, problems)
}

fn value(file: &str, section: &Section, text: &str) -> Result<Value, Problem> {
    yaml::parse_at(file, section.text(text), section.line)
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Raw {
    image: Option<String>,
    model: Option<String>,
    model_prefix: String,
    runner: String,
    precision: String,
    framework: String,
    #[serde(default)]
    multinode: bool,
    #[serde(default)]
    disagg: bool,
    #[serde(default)]
    scenarios: BTreeMap<String, Vec<RawScenario>>,
    #[serde(flatten)]
    other: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct RawScenario {
    isl: Option<u32>,
    osl: Option<u32>,
    #[serde(default)]
    search_space: Vec<RawPoint>,
    #[serde(flatten)]
    other: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct RawPoint {
    tp: Option<u32>,
    pp: Option<u32>,
    dcp_size: Option<u32>,
    pcp_size: Option<u32>,
    ep: Option<u32>,
    dp_attn: Option<bool>,
    spec_decoding: Option<String>,
    kv_offloading: Option<String>,
    kv_offload_backend: Option<RawBackend>,
    conc_list: Option<Vec<u32>>,
    conc_start: Option<u32>,
    conc_end: Option<u32>,
    prefill: Option<RawRole>,
    decode: Option<RawRole>,
    worker: Option<RawRole>,
    srt_recipe: Option<String>,
    eval_srt_recipe: Option<String>,
    #[serde(flatten)]
    other: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum RawBackend {
    Named {
        name: String,
        #[serde(flatten)]
        other: BTreeMap<String, Value>,
    },
    Word(String),
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct RawRole {
    num_worker: Option<u32>,
    tp: Option<u32>,
    pp: Option<u32>,
    dcp_size: Option<u32>,
    pcp_size: Option<u32>,
    ep: Option<u32>,
    dp_attn: Option<bool>,
    additional_settings: Option<Vec<String>>,
    #[serde(flatten)]
    other: BTreeMap<String, Value>,
}

/// One entry of a master file; `None` when the file has no such key. The problem names the line in the file.
pub fn entry(file: &str, text: &str, key: &str) -> Option<Result<Entry, Problem>> {
    let section = yaml::top_level(text).into_iter().find(|section| section.key == key)?;
    Some(parse_entry(file, &section, text))
}

/// The entry of one section of `text`.
pub(crate) fn parse_entry(file: &str, section: &Section, text: &str) -> Result<Entry, Problem> {
    let whole: BTreeMap<String, Raw> = yaml::parse_at(file, section.text(text), section.line)?;
    let Some((key, raw)) = whole.into_iter().next() else {
        return Err(Problem::new(file, section.line, "one entry was expected here"));
    };
    let mut points = Vec::new();
    for (scenario, list) in raw.scenarios {
        for group in list {
            for row in group.search_space {
                let point = point(&scenario, (group.isl, group.osl), &group.other, raw.disagg, row);
                points.push(
                    point.map_err(|what| Problem::new(file, section.line, format!("`{key}`: a search-space row {what}")))?,
                );
            }
        }
    }
    Ok(Entry {
        key,
        image: raw.image,
        model: raw.model,
        model_prefix: raw.model_prefix,
        runner: raw.runner,
        precision: raw.precision,
        framework: raw.framework,
        multinode: raw.multinode,
        disagg: raw.disagg,
        other: raw.other,
        points,
    })
}

fn point(
    scenario: &str,
    (isl, osl): (Option<u32>, Option<u32>),
    shared: &BTreeMap<String, Value>,
    disagg: bool,
    mut row: RawPoint,
) -> Result<Point, &'static str> {
    let own = RawRole {
        tp: row.tp,
        pp: row.pp,
        dcp_size: row.dcp_size,
        pcp_size: row.pcp_size,
        ep: row.ep,
        dp_attn: row.dp_attn,
        ..RawRole::default()
    };
    let mut other = shared.clone();
    other.append(&mut row.other);
    let mut alone = |one: &RawRole| {
        let one = role(one)?;
        if one.workers != 1 {
            other.insert("num-worker".to_owned(), one.workers.into());
        }
        Ok::<Parallel, &'static str>(one.parallel)
    };
    let (parallel, prefill, decode) = match (&row.prefill, &row.decode) {
        (Some(prefill), Some(decode)) if disagg => {
            let (prefill, decode) = (role(prefill)?, role(decode)?);
            (prefill.parallel.clone(), Some(prefill), Some(decode))
        }
        (Some(prefill), Some(form)) => {
            let parallel = alone(prefill)?;
            let decode = role(form)?;
            // Aggregated: the decode side is a form without content; one that has some is no less a difference.
            if decode.workers != 0 {
                let said = serde_json::to_value(&decode).map_err(|_| "has a `decode` that cannot be kept")?;
                other.insert("decode".to_owned(), said);
            }
            (parallel, None, None)
        }
        (Some(one), None) | (None, Some(one)) => (alone(one)?, None, None),
        (None, None) => (alone(row.worker.as_ref().unwrap_or(&own))?, None, None),
    };
    let conc = match (row.conc_list, row.conc_start, row.conc_end) {
        (Some(list), None, None) => list,
        (None, Some(start), Some(end)) => doubling(start, end)?,
        _ => return Err("needs either `conc-list` or `conc-start` with `conc-end`"),
    };
    let (mut recipe, mut eval_recipe) = (row.srt_recipe, row.eval_srt_recipe);
    let mut settings = Settings::default();
    for (name, role) in [("prefill", row.prefill), ("prefill", row.worker), ("decode", row.decode)] {
        let Some(role) = role else { continue };
        other.extend(role.other.into_iter().map(|(key, value)| (format!("{name}.{key}"), value)));
        let kept = if name == "decode" { &mut settings.decode } else { &mut settings.prefill };
        for setting in role.additional_settings.unwrap_or_default() {
            if let Some(path) = setting.strip_prefix(RECIPE_SETTING) {
                one_recipe(&mut recipe, path)?;
            } else if let Some(path) = setting.strip_prefix(EVAL_RECIPE_SETTING) {
                one_recipe(&mut eval_recipe, path)?;
            } else {
                kept.push(setting);
            }
        }
    }
    let stated = |word: Option<String>| word.filter(|word| !matches!(word.as_str(), "" | "none" | "default"));
    let kv = stated(row.kv_offloading);
    let backend = row.kv_offload_backend.map(|backend| match backend {
        RawBackend::Word(name) => name,
        RawBackend::Named { name, other: about } => {
            other.extend(about.into_iter().map(|(key, value)| (format!("kv-offload-backend.{key}"), value)));
            name
        }
    });
    Ok(Point {
        scenario: scenario.to_owned(),
        isl,
        osl,
        parallel,
        prefill,
        decode,
        spec: stated(row.spec_decoding),
        kv_backend: kv.as_ref().and(stated(backend)),
        kv,
        recipe,
        eval_recipe,
        settings,
        other,
        conc,
    })
}

/// Remembers the recipe that a row names, in whatever place: it can only be one.
fn one_recipe(known: &mut Option<String>, path: &str) -> Result<(), &'static str> {
    match known {
        Some(other) if other != path => Err("names two different recipes"),
        _ => {
            *known = Some(path.to_owned());
            Ok(())
        }
    }
}

fn role(raw: &RawRole) -> Result<Role, &'static str> {
    let parallel = Parallel {
        tp: raw.tp.ok_or("has no `tp`")?,
        pp: raw.pp.unwrap_or(1),
        dcp: raw.dcp_size.unwrap_or(1),
        pcp: raw.pcp_size.unwrap_or(1),
        ep: raw.ep.unwrap_or(1),
        dpa: raw.dp_attn.unwrap_or(false),
    };
    Ok(Role { workers: raw.num_worker.unwrap_or(1), parallel })
}

/// `4..48` → 4 8 16 32 48: doubles from the start, the end is always included.
fn doubling(start: u32, end: u32) -> Result<Vec<u32>, &'static str> {
    if start == 0 || end < start {
        return Err("has a concurrency range that does not ascend from at least 1");
    }
    let mut out: Vec<u32> = std::iter::successors(Some(start), |n| n.checked_mul(2)).take_while(|n| *n < end).collect();
    out.push(end);
    Ok(out)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ENTRY: &str =
        "k:\n  image: i:1\n  model: m\n  model-prefix: p\n  runner: r\n  precision: fp4\n  framework: f\n  multinode: false\n";

    fn one(search: &str, disagg: bool) -> Result<Entry, Problem> {
        let text = format!(
            "{ENTRY}  disagg: {disagg}\n  scenarios:\n    fixed-seq-len:\n    - isl: 8192\n      osl: 1024\n      search-space:\n      - {search}\n"
        );
        entry("m.yaml", &text, "k").unwrap()
    }

    #[test]
    fn ranges_double_and_include_their_end() {
        for (start, end, want) in
            [(4, 48, vec![4, 8, 16, 32, 48]), (4, 4, vec![4]), (1, 3, vec![1, 2, 3]), (4, 64, vec![4, 8, 16, 32, 64])]
        {
            assert_eq!(doubling(start, end), Ok(want));
        }
        assert_eq!(doubling(1, u32::MAX).map(|all| all.len()), Ok(33));
        assert!(doubling(0, 4).is_err() && doubling(8, 4).is_err());
    }

    #[test]
    fn rows_of_every_form() {
        let point = |search: &str, disagg: bool| one(search, disagg).unwrap().points.remove(0);
        let plain = point(
            "{ tp: 2, ep: 2, conc-list: [16, 32], spec-decoding: none, kv-offloading: dram, kv-offload-backend: { name: hicache, version: 1 } }",
            false,
        );
        assert_eq!(
            (plain.parallel.render(), plain.spec, plain.kv.as_deref(), plain.kv_backend.as_deref()),
            ("TP2/EP2".into(), None, Some("dram"), Some("hicache"))
        );
        assert_eq!((plain.conc, plain.isl, plain.scenario.as_str()), (vec![16, 32], Some(8192), "fixed-seq-len"));
        let no_kv = point("{ tp: 2, conc-start: 1, conc-end: 2, kv-offloading: none, kv-offload-backend: x }", false);
        assert_eq!((no_kv.kv, no_kv.kv_backend), (None, None));
        let roles =
            "{ conc-list: [1], prefill: { num-worker: 2, tp: 8, dp-attn: true }, decode: { num-worker: 3, tp: 4, pp: 2 } }";
        let split = point(roles, true);
        assert_eq!((split.prefill.unwrap().workers, split.decode.unwrap().parallel.render()), (2, "TP4/PP2".into()));
        let whole = point(&roles.replace("num-worker: 3", "num-worker: 0"), false);
        assert_eq!((whole.parallel.render(), whole.prefill, whole.decode), ("TP8/DPA".into(), None, None));
        assert_eq!(point("{ conc-list: [1], num-nodes: 2, worker: { tp: 8, ep: 4 } }", false).parallel.render(), "TP8/EP4");
    }

    #[test]
    fn a_bad_row_names_file_and_line() {
        for (search, want) in [
            ("{ ep: 2, conc-list: [1] }", "has no `tp`"),
            ("{ tp: 2 }", "needs either"),
            ("{ tp: 2, conc-list: [1], conc-start: 1, conc-end: 2 }", "needs either"),
            ("{ tp: two, conc-list: [1] }", ""),
            (
                "{ conc-list: [1], srt-recipe: a, worker: { tp: 1, additional-settings: ['CONFIG_FILE=b'] } }",
                "two different recipes",
            ),
        ] {
            let problem = one(search, false).unwrap_err();
            assert!(problem.line >= 1 && problem.message.contains(want), "{problem}");
        }
    }

    #[test]
    fn recipe_settings_and_whatever_else_a_row_says_are_kept() {
        let row = "{ conc-list: [1], router: { name: r }, kv-offloading: dram, kv-offload-backend: { name: m, version: 2 }, \
            prefill: { num-worker: 1, tp: 8, hardware: x, additional-settings: ['CONFIG_FILE=recipes/a.yaml:v', 'A=1'] }, \
            decode: { num-worker: 1, tp: 8, additional-settings: ['EVAL_CONFIG_FILE=e.yaml', 'B=2'] } }";
        let split = one(row, true).unwrap().points.remove(0);
        assert_eq!((split.recipe.as_deref(), split.eval_recipe.as_deref()), (Some("recipes/a.yaml:v"), Some("e.yaml")));
        assert_eq!(split.settings, Settings { prefill: vec!["A=1".into()], decode: vec!["B=2".into()] });
        let other: Vec<&str> = split.other.keys().map(String::as_str).collect();
        assert_eq!(other, ["kv-offload-backend.version", "prefill.hardware", "router"]);
        let whole = one(row, false).unwrap().points.remove(0);
        assert!(whole.other.contains_key("decode"), "a decode side that decodes is not lost");
        let single = one("{ tp: 1, conc-list: [1], srt-recipe: s.yaml, power: { cap: 1 } }", false).unwrap().points.remove(0);
        assert_eq!((single.recipe.as_deref(), single.other.len()), (Some("s.yaml"), 1));
    }

    #[test]
    fn only_values_count() {
        let base = "# top\na:\n  x: 1\n  y: [1, 2]\n\nb: {x: 1}\nc: 1\nd: 1\n";
        let head = "a:\n  y:\n  - 1\n  - 2\n  x: 1  # said\n# about b\nb: {x: 2}\nd: 1\n\n# end\ne: 5\n";
        let (changes, problems) = changes("m", base, head);
        let want = [("b", Change::Changed), ("e", Change::Added), ("c", Change::Removed)].map(|(k, c)| (k.to_owned(), c));
        assert_eq!((changes, problems), (want.to_vec(), vec![]));
    }

    #[test]
    fn a_section_that_cannot_be_read_has_changed_and_says_where() {
        let (found, problems) = changes("m.yaml", "a: {x: 1}\nb: 1\n", "a: {x: 1\nb: 1\nb: 2\n");
        assert!(found.contains(&("a".to_owned(), Change::Changed)), "{found:?}");
        assert_eq!(problems.iter().map(|p| p.line).collect::<Vec<_>>().last(), Some(&3), "{problems:?}");
    }

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn every_real_entry_is_read() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/corpus/inferencex/");
        let table = [
            ("2026-08/configs/nvidia-master.yaml", 152),
            ("2026-08/configs/amd-master.yaml", 56),
            ("newest/inferencex-e2e/configs/amd-master.excerpt.yaml", 31),
            ("newest/inferencex-e2e/configs/nvidia-master.excerpt.yaml", 17),
        ];
        for (path, count) in table {
            let text = std::fs::read_to_string(format!("{root}{path}")).unwrap();
            let sections = yaml::top_level(&text);
            assert_eq!(sections.len(), count, "{path}");
            for section in &sections {
                let entry = parse_entry(path, section, &text).unwrap();
                assert!(!entry.points.is_empty() && entry.points.iter().all(|p| !p.conc.is_empty()), "{}", entry.key);
            }
            assert_eq!(changes(path, &text, &text), (vec![], vec![]));
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(base in "(?s)([ab]: [x{}\\[,#\n \\]-]{0,10}\n){0,5}", head in "(?s)([ab]: [x{}\\[,#\n \\]-]{0,10}\n){0,5}") {
            let _ = changes("m", &base, &head);
            let _ = entry("m", &head, "a");
        }
    }
}
