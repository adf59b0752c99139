//! The document of bars that eval scores must reach.
//! Must not know: scores.

use crate::core::yaml::{self, Problem};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Bars per task, and per model where a model has its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Thresholds {
    default: BTreeMap<String, f64>,
    models: BTreeMap<String, BTreeMap<String, f64>>,
}

/// Where a bar stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BarSource {
    /// The model's own.
    Model,
    /// The task's, for every model.
    Default,
    /// The document does not know the task: the policy's.
    Fallback,
}

/// The score that must be reached, inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bar {
    pub value: f64,
    pub source: BarSource,
}

impl Bar {
    /// A bar of 0 never fails: the score is shown, and is no pass.
    pub fn is_diagnostic(&self) -> bool {
        self.value == 0.0
    }
}

#[derive(Deserialize)]
struct Raw {
    default: Option<BTreeMap<String, f64>>,
    models: Option<BTreeMap<String, BTreeMap<String, f64>>>,
}

/// Reads the document: YAML, or JSON text, which is YAML.
///
/// # Errors
/// It cannot be read, it has neither `default` nor `models`, or a bar is not between 0 and 1.
pub fn parse(file: &str, text: &str) -> Result<Thresholds, Problem> {
    let raw: Raw = yaml::parse(file, text)?;
    if raw.default.is_none() && raw.models.is_none() {
        return Err(Problem::new(file, 1, "neither `default` nor `models` is there, so no bar is known"));
    }
    let out = Thresholds { default: raw.default.unwrap_or_default(), models: raw.models.unwrap_or_default() };
    let all = out.default.iter().chain(out.models.values().flatten());
    match all.into_iter().find(|(_, bar)| !(0.0..=1.0).contains(*bar)) {
        Some((task, bar)) => Err(Problem::new(file, 0, format!("the bar of `{task}` is {bar}, which is not between 0 and 1"))),
        None => Ok(out),
    }
}

impl Thresholds {
    /// The bar of a task for a model's prefix; `fallback` where the document knows neither.
    pub fn bar(&self, prefix: &str, task: &str, fallback: f64) -> Bar {
        let model = self.models.get(prefix).and_then(|tasks| tasks.get(task));
        match (model, self.default.get(task)) {
            (Some(&value), _) => Bar { value, source: BarSource::Model },
            (None, Some(&value)) => Bar { value, source: BarSource::Default },
            (None, None) => Bar { value: fallback, source: BarSource::Fallback },
        }
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn both_layouts_resolve_model_then_default_then_fallback() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/corpus/inferencex/");
        for path in ["2026-08/utils/evals/thresholds.yaml", "newest/inferencex-e2e/infx/evals/thresholds.yaml"] {
            let doc = parse(path, &std::fs::read_to_string(format!("{root}{path}")).unwrap()).unwrap();
            let bar = |prefix: &str, task: &str| {
                let bar = doc.bar(prefix, task, 0.85);
                (bar.value, bar.source)
            };
            assert_eq!(bar("qwen3.5", "gsm8k"), (0.94, BarSource::Model));
            assert_eq!(bar("glm5.2", "gsm8k"), (0.90, BarSource::Default));
            assert_eq!(bar("qwen3.5", "swebench_lite"), (0.50, BarSource::Default));
            assert_eq!(bar("qwen3.5", "unheard_of"), (0.85, BarSource::Fallback));
        }
        let newest = std::fs::read_to_string(format!("{root}newest/inferencex-e2e/infx/evals/thresholds.yaml")).unwrap();
        assert!(parse("f", &newest).unwrap().bar("kimik3", "kimi_tool_call_schema_full", 0.85).is_diagnostic());
    }

    #[test]
    fn a_document_without_bars_is_not_read_as_empty() {
        for text in
            ["", "{}", "thresholds: {gsm8k: 0.9}", "default: [1]", "default: {gsm8k: high}", "default: {gsm8k: 94}", "a: &"]
        {
            assert!(parse("t.yaml", text).is_err(), "{text}");
        }
    }
}
