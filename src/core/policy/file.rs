//! The policy file's text, read and checked.
//! Must not know: where the file lies, what a rule does.

use super::{ConfigPolicy, EvalPolicy, ItemPolicy, Policy, RULES, SignoffPolicy, SweepPolicy, items};
use crate::core::facts::DocumentKind;
use crate::core::yaml::{self, Problem};
use serde::Deserialize;
use serde_yaml::Spanned;
use std::collections::{BTreeMap, HashMap};

/// The format that this version reads.
pub const SCHEMA: u32 = 1;

/// [`Policy`], with the places that problems are told by.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    schema: Spanned<u32>,
    name: String,
    documents: Spanned<BTreeMap<DocumentKind, Vec<String>>>,
    signoff: Spanned<SignoffPolicy>,
    sweep: Spanned<SweepPolicy>,
    evals: Spanned<EvalPolicy>,
    configs: ConfigPolicy,
    items: Vec<Spanned<ItemPolicy>>,
}

/// Reads a policy file.
///
/// # Errors
/// What cannot be read stops at the first problem: not YAML, an unknown key, a missing one. What can be read but not used
/// is told whole: an unknown schema, an empty list, a repeated key or phrase, a rule that does not exist.
pub fn parse(file: &str, text: &str) -> Result<Policy, Vec<Problem>> {
    let raw: File = yaml::parse(file, text).map_err(|problem| vec![problem])?;
    let mut problems = Vec::new();
    let mut say = |line: u64, message: String| {
        problems.push(Problem::new(file, usize::try_from(line).unwrap_or_default(), message));
    };
    if raw.schema.value != SCHEMA {
        say(
            raw.schema.referenced.line(),
            format!("schema {} is not known; this version reads schema {SCHEMA}", raw.schema.value),
        );
    }
    for kind in DocumentKind::ALL {
        if raw.documents.value.get(&kind).is_none_or(Vec::is_empty) {
            say(raw.documents.referenced.line(), format!("`documents` names no path for `{}`", kind.word()));
        }
    }
    let signoff = &raw.signoff.value;
    let texts = [
        ("trigger", &signoff.trigger),
        ("section", &signoff.section),
        ("detail", &signoff.detail),
        ("login_placeholder", &signoff.login_placeholder),
        ("detail_placeholder", &signoff.detail_placeholder),
    ];
    for (key, text) in texts {
        if text.trim().is_empty() {
            say(raw.signoff.referenced.line(), format!("`signoff.{key}` is empty"));
        }
    }
    if raw.sweep.value.workflows.is_empty() {
        say(raw.sweep.referenced.line(), "`sweep.workflows` names no workflow file".to_owned());
    }
    if !(0.0..=1.0).contains(&raw.evals.value.fallback) {
        say(raw.evals.referenced.line(), "`evals.fallback` is not between 0 and 1".to_owned());
    }
    let mut keys = HashMap::new();
    let mut phrases = HashMap::new();
    for item in &raw.items {
        let (line, item) = (item.referenced.line(), &item.value);
        if let Some(first) = keys.insert(item.key.clone(), line) {
            say(line, format!("the item `{}` stands here again, after line {first}", item.key));
        }
        if item.phrases.is_empty() {
            say(line, format!("the item `{}` has no phrase to be known by", item.key));
        }
        for phrase in &item.phrases {
            let words = items::normalise(phrase);
            if words.is_empty() {
                say(line, format!("a phrase of the item `{}` holds no word", item.key));
            } else if let Some(first) = phrases.insert(words, item.key.clone()) {
                say(line, format!("the phrase `{phrase}` stands for `{first}` already"));
            }
        }
        for rule in &item.rules {
            if !RULES.iter().any(|(key, _)| *key == rule.as_str()) {
                let known: Vec<&str> = RULES.iter().map(|(key, _)| *key).collect();
                say(line, format!("the rule `{rule}` does not exist; there are {}", known.join(", ")));
            }
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok(Policy {
        schema: raw.schema.value,
        name: raw.name,
        documents: raw.documents.value,
        signoff: raw.signoff.value,
        sweep: raw.sweep.value,
        evals: raw.evals.value,
        configs: raw.configs,
        items: raw.items.into_iter().map(|item| item.value).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::TEXT;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_bundled_file_is_whole() {
        let policy = parse("p.yaml", TEXT).unwrap();
        assert_eq!((policy.schema, policy.items.len()), (1, 17));
        let rules: Vec<String> =
            policy.items.iter().flat_map(|item| item.rules.iter().map(|rule| format!("{} {rule}", item.key))).collect();
        assert_eq!(rules, ["latest_version template", "pr_validation sweep", "evals evals"]);
        let links: Vec<&str> = policy.items.iter().filter(|item| item.link.is_some()).map(|item| item.key.as_str()).collect();
        assert_eq!(links, ["pr_validation", "evals"]);
        assert_eq!(policy.sweep.framework_aliases.get("sgl").map(String::as_str), Some("sglang"));
    }

    #[test]
    fn problems_name_file_and_line() {
        let line_of = |needle: &str| TEXT.lines().position(|line| line.contains(needle)).unwrap() + 1;
        let table = [
            ("schema: 1", "schema: 2", "schema: 1", "schema 2 is not known"),
            ("name: inferencex", "nam: inferencex", "name: inferencex", "nam"),
            ("    short: code quality", "    shorts: code quality", "    short: code quality", "shorts"),
            ("  fallback: 0.85", "  fallback: 85", "  artifact:", "fallback"),
            ("  fallback: 0.85", "  fallback: high", "  fallback: 0.85", ""),
            ("key: code_quality", "key: evals", "key: evals", "stands here again"),
            ("rules: [sweep]", "rules: [swep]", "key: pr_validation", "there are template, sweep, evals"),
            ("phrases: [pareto counts]", "phrases: []", "key: pareto_count", "no phrase"),
            ("phrases: [pareto counts]", "phrases: ['…']", "key: pareto_count", "no word"),
            ("phrases: [pareto counts]", "phrases: [Uses append-only]", "key: pareto_count", "`append_only` already"),
            ("section: Template", "section: ''", "trigger:", "`signoff.section` is empty"),
        ];
        for (from, to, place, want) in table {
            let problems = parse("p.yaml", &TEXT.replace(from, to)).unwrap_err();
            let problem = &problems[0];
            assert!(problem.message.contains(want), "{to}: {problem}");
            assert!(line_of(place).abs_diff(problem.line) <= 2, "{to}: {problem}, not near {}", line_of(place));
        }
    }

    #[test]
    fn all_problems_at_once() {
        let text = TEXT
            .replace("schema: 1", "schema: 7")
            .replace("rules: [sweep]", "rules: [x]")
            .replace("fallback: 0.85", "fallback: 2");
        assert_eq!(parse("p.yaml", &text).unwrap_err().len(), 3);
    }

    proptest! {
        #[test]
        fn a_cut_file_is_refused_and_never_panics(at in 0usize..6000) {
            let at = (0..=at.min(TEXT.len())).rev().find(|at| TEXT.is_char_boundary(*at)).unwrap();
            let _ = parse("p", &TEXT[..at]);
        }
    }
}
