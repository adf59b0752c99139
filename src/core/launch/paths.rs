//! Where the script or recipe of a config lies: path templates, and the forms in which a config names a recipe.
//! Must not know: whether a file is there; the templates themselves.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Path templates. In them `{root}`, `{scenario}`, `{prefix}`, `{precision}`, `{sku}`, `{framework}`, `{legacy}` and
/// `{spec}` stand for what the config says.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathPolicy {
    /// What may stand in front of every path, newest layout first; empty for the repository's root.
    pub roots: Vec<String>,
    pub single_node: Vec<String>,
    pub multi_node: Vec<String>,
    /// Scenario → folder.
    pub scenarios: BTreeMap<String, String>,
    /// Framework → the ending of its older scripts; others have none.
    pub legacy: BTreeMap<String, String>,
    /// Speculative decoding → the ending.
    pub spec: BTreeMap<String, String>,
    /// Forms of a recipe's name, tried in order.
    pub recipes: Vec<RecipeForm>,
    /// Below these, after a root, scripts and recipes lie.
    pub folders: Vec<String>,
    /// Names of folders whose files nothing runs.
    #[serde(default)]
    pub inactive: Vec<String>,
    /// Scenario → words by which a path tells it; every other path tells none.
    #[serde(default)]
    pub words: BTreeMap<String, Vec<String>>,
}

/// A recipe's name that begins so lies there.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecipeForm {
    pub begins: String,
    /// What stands instead of the beginning, after each root.
    pub lies: String,
    /// Where the file is not there, it is in a checkout that this repository does not hold.
    #[serde(default)]
    pub or_external: bool,
}

/// What a config says of a point, as far as paths need it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Named<'a> {
    pub scenario: &'a str,
    pub prefix: &'a str,
    pub precision: &'a str,
    /// With or without the cluster: `b200-nv`.
    pub runner: &'a str,
    pub framework: &'a str,
    pub spec: &'a str,
    pub multi_node: bool,
}

/// Where to look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Whereabouts {
    /// The first that exists counts.
    pub candidates: Vec<String>,
    /// `override_x` of `path.yaml:override_x`.
    pub variant: Option<String>,
    /// If none exists (or there is none): whether it lies outside the repository, or is missing.
    pub otherwise: Absent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absent {
    Missing,
    External,
}

impl PathPolicy {
    /// Candidates for the launch script of a config.
    pub fn scripts(&self, named: &Named<'_>) -> Whereabouts {
        let folder = self.scenarios.get(named.scenario).map_or(named.scenario, String::as_str);
        let runner = named.runner.strip_prefix("cluster:").unwrap_or(named.runner);
        let sku = runner.split(['-', '_', ':']).next().unwrap_or(runner);
        let legacy = self.legacy.get(named.framework).map_or("", String::as_str);
        let spec = self.spec.get(named.spec).map_or("", String::as_str);
        let fields = [
            ("scenario", folder),
            ("prefix", named.prefix),
            ("precision", named.precision),
            ("sku", sku),
            ("framework", named.framework),
            ("legacy", legacy),
            ("spec", spec),
        ];
        let templates = if named.multi_node { &self.multi_node } else { &self.single_node };
        let mut candidates: Vec<String> = Vec::new();
        for root in &self.roots {
            for template in templates {
                let path = fill(template, root, &fields);
                if is_inside(&path) && !candidates.contains(&path) {
                    candidates.push(path);
                }
            }
        }
        Whereabouts { candidates, variant: None, otherwise: Absent::Missing }
    }

    /// Candidates for a recipe that a config names: `recipes/x.yaml:override_y`.
    pub fn recipe(&self, written: &str) -> Whereabouts {
        let written = written.trim();
        let (path, variant) = match written.rsplit_once(':') {
            Some((path, variant)) if !variant.contains('/') && !variant.is_empty() => (path, Some(variant.to_owned())),
            _ => (written, None),
        };
        let form = self.recipes.iter().find(|form| !form.begins.is_empty() && path.starts_with(&form.begins));
        let Some(form) = form.filter(|_| is_inside(path)) else {
            return Whereabouts { candidates: Vec::new(), variant, otherwise: Absent::External };
        };
        let rest = &path[form.begins.len()..];
        let mut candidates: Vec<String> = Vec::new();
        for root in &self.roots {
            let lies = format!("{root}{}{rest}", form.lies);
            // A path that begins with a root already keeps it.
            let lies =
                if !root.is_empty() && form.lies.starts_with(root.as_str()) { format!("{}{rest}", form.lies) } else { lies };
            if !candidates.contains(&lies) {
                candidates.push(lies);
            }
        }
        let otherwise = if form.or_external { Absent::External } else { Absent::Missing };
        Whereabouts { candidates, variant, otherwise }
    }

    /// Whether a file lies where scripts and recipes do, and something runs it.
    pub fn is_active(&self, path: &str) -> bool {
        let below = |root: &String| {
            path.strip_prefix(root.as_str())
                .is_some_and(|rest| self.folders.iter().any(|folder| rest.starts_with(folder.as_str())))
        };
        self.roots.iter().any(below) && !path.split('/').any(|part| self.inactive.iter().any(|name| name == part))
    }

    /// The root that a path lies below: the longest.
    pub fn root_of(&self, path: &str) -> Option<&str> {
        let fits = self.roots.iter().filter(|root| path.starts_with(root.as_str()));
        fits.max_by_key(|root| root.len()).map(String::as_str)
    }

    /// The scenario that a path tells by its words.
    pub fn scenario_of(&self, path: &str) -> Option<&str> {
        let has = |word: &String| path.split(['/', '.', '-', '_']).any(|part| part.eq_ignore_ascii_case(word));
        self.words.iter().find(|(_, words)| words.iter().any(has)).map(|(scenario, _)| scenario.as_str())
    }

    /// Whether a path's name ends, or one of its folders is called, as speculative configs are.
    pub fn is_speculative(&self, path: &str) -> bool {
        self.spec.values().any(|ending| {
            let word = ending.trim_start_matches(['_', '-']);
            !word.is_empty() && path.split(['/', '.', '-', '_']).any(|part| part == word)
        })
    }

    pub(super) fn problems(&self) -> Vec<String> {
        let mut out = Vec::new();
        if self.folders.iter().all(String::is_empty) {
            out.push("`launch.paths.folders` is empty".to_owned());
        }
        if self.roots.is_empty() {
            out.push("`launch.paths.roots` is empty; the repository's own root is `''`".to_owned());
        }
        for template in self.single_node.iter().chain(&self.multi_node) {
            let left = fill(template, "", &FIELDS.map(|field| (field, "")));
            if left.contains(['{', '}']) || !template.contains("{prefix}") {
                out.push(format!("the path template `{template}` holds an unknown field, or no `{{prefix}}`"));
            }
        }
        for form in &self.recipes {
            if form.begins.is_empty() {
                out.push("a form in `launch.paths.recipes` has an empty `begins`".to_owned());
            }
        }
        out
    }
}

const FIELDS: [&str; 7] = ["scenario", "prefix", "precision", "sku", "framework", "legacy", "spec"];

fn fill(template: &str, root: &str, fields: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(template.len() + 32);
    let mut rest = template;
    // In one pass: what a config says is never read as a template.
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((name, behind)) = after.split_once('}') else {
            out.push('{');
            rest = after;
            continue;
        };
        match fields.iter().find(|(field, _)| *field == name) {
            Some((_, text)) => out.push_str(text),
            None if name == "root" => out.push_str(root),
            None => {
                out.push('{');
                out.push_str(name);
                out.push('}');
            }
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}

/// A path that stays below where it begins.
fn is_inside(path: &str) -> bool {
    !path.starts_with(['/', '~', '$']) && !path.contains("://") && !path.split('/').any(|part| part == "..")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::policy::tests::policy;

    fn named<'a>(framework: &'a str, spec: &'a str) -> Named<'a> {
        Named {
            scenario: "fixed-seq-len",
            prefix: "dsr1",
            precision: "fp4",
            runner: "b200-nv",
            framework,
            spec,
            multi_node: false,
        }
    }

    #[test]
    fn scripts_are_looked_for_in_order() {
        let paths = policy().launch.unwrap().paths;
        let at = |named: Named<'_>| paths.scripts(&named).candidates;
        let folder = "benchmarks/single_node/fixed_seq_len";
        assert_eq!(
            at(named("sglang", "mtp")),
            [
                format!("inferencex-e2e/{folder}/dsr1_fp4_b200_sglang_mtp.sh"),
                format!("inferencex-e2e/{folder}/dsr1_fp4_b200_mtp.sh"),
                format!("{folder}/dsr1_fp4_b200_sglang_mtp.sh"),
                format!("{folder}/dsr1_fp4_b200_mtp.sh"),
            ]
        );
        let trt = at(named("trt", "none"));
        assert!(trt.contains(&format!("{folder}/dsr1_fp4_b200_trt.sh")) && trt.len() == 2, "{trt:?}");
        let many = at(Named { multi_node: true, scenario: "agentic-coding", ..named("dynamo-sglang", "mtp") });
        assert!(many.contains(&"benchmarks/multi_node/dsr1_fp4_b200_dynamo-sglang-disagg.sh".to_owned()), "{many:?}");
        assert!(at(Named { prefix: "../../x", ..named("sglang", "mtp") }).is_empty());
    }

    #[test]
    fn recipes_are_inside_overlaid_or_external() {
        let paths = policy().launch.unwrap().paths;
        let table = [
            ("recipes/vllm/a.yaml", "benchmarks/multi_node/srt-slurm-recipes/vllm/a.yaml", None, Absent::External),
            (
                "recipes/a.yaml:zip_override_x[1]",
                "benchmarks/multi_node/srt-slurm-recipes/a.yaml",
                Some("zip_override_x[1]"),
                Absent::External,
            ),
            ("benchmarks/multi_node/x/a.yaml", "benchmarks/multi_node/x/a.yaml", None, Absent::Missing),
            ("benchmarks/single_node/x/a.yaml:base", "benchmarks/single_node/x/a.yaml", Some("base"), Absent::Missing),
            ("inferencex-e2e/benchmarks/x.yaml", "inferencex-e2e/benchmarks/x.yaml", None, Absent::Missing),
        ];
        for (written, want, variant, otherwise) in table {
            let found = paths.recipe(written);
            assert!(found.candidates.iter().any(|path| path == want), "{written}: {found:?}");
            assert_eq!((found.variant.as_deref(), found.otherwise), (variant, otherwise), "{written}");
        }
        for outside in ["llm-d-name", "/srv/a.yaml", "recipes/../../a.yaml", "https://x/recipes/a.yaml", ""] {
            let found = paths.recipe(outside);
            assert_eq!((found.candidates.len(), found.otherwise), (0, Absent::External), "{outside}");
        }
    }

    #[test]
    fn paths_tell_what_they_are() {
        let paths = policy().launch.unwrap().paths;
        let table = [
            ("benchmarks/single_node/agentic/x_fp4_b200_mtp.sh", true, Some("agentic-coding"), true),
            (
                "inferencex-e2e/benchmarks/multi_node/srt-slurm-recipes/m/e/gb300-fp4/agentx/a.yaml",
                true,
                Some("agentic-coding"),
                false,
            ),
            ("benchmarks/single_node/fixed_seq_len/deprecated/x_fp4_b200.sh", false, None, false),
            ("benchmarks/multi_node/srt-slurm-recipes/trtllm/m/8k1k/stp/c1_mtp0.yaml", true, None, false),
            ("benchmarks/multi_node/srt-slurm-recipes/trtllm/m/8k1k/mtp/c1_mtp3.yaml", true, None, true),
            ("utils/benchmarks/x.sh", false, None, false),
        ];
        for (path, active, scenario, speculative) in table {
            assert_eq!(
                (paths.is_active(path), paths.scenario_of(path), paths.is_speculative(path)),
                (active, scenario, speculative),
                "{path}"
            );
        }
        assert_eq!(paths.root_of("inferencex-e2e/x"), Some("inferencex-e2e/"));
        assert_eq!(paths.root_of("x"), Some(""));
    }

    #[test]
    fn templates_are_checked() {
        let mut paths = policy().launch.unwrap().paths;
        paths.single_node.push("{root}x/{modl}.sh".to_owned());
        paths.recipes[0].begins.clear();
        assert_eq!(paths.problems().len(), 2);
    }
}
