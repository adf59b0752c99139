//! The changelog whose new entries name the measured configs. It has thousands of lines: only new entries are parsed.
//! Must not know: where the file lies, master files.

pub mod rules;

use crate::core::yaml::{self, Problem, Section};
use serde::Deserialize;
use std::collections::{HashMap, HashSet};

/// One entry.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct ChangelogEntry {
    /// As written: a pattern (`gptoss*`, or `*` for a shared change) names many configs and is not expanded.
    pub config_keys: Vec<String>,
    /// `fixed-seq-len`, `agentic-coding`; empty for all.
    pub scenario_type: Vec<String>,
    pub description: Vec<String>,
    /// As written: the pull request's address, or a placeholder.
    pub pr_link: Option<String>,
    /// Its keys are evaluated and not measured.
    pub evals_only: bool,
    /// Every possible eval runs, and nothing else.
    pub all_evals: bool,
    /// Nothing is evaluated.
    pub no_evals: bool,
    /// Points are added; those that were there stay as they are.
    pub append_only: bool,
    /// Evals on several nodes need at least this expert parallelism on the prefill side.
    pub eval_min_prefill_ep: Option<u32>,
    /// Line in the file at the head, from 1.
    pub line: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Raw {
    config_keys: Words,
    scenario_type: Option<Words>,
    description: Option<Words>,
    pr_link: Option<String>,
    #[serde(default)]
    evals_only: bool,
    #[serde(default)]
    all_evals: bool,
    #[serde(default)]
    no_evals: bool,
    #[serde(default)]
    append_only: bool,
    eval_min_prefill_ep: Option<u32>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Words {
    One(String),
    Many(Vec<String>),
}

impl From<Words> for Vec<String> {
    fn from(words: Words) -> Self {
        match words {
            Words::One(word) => vec![word],
            Words::Many(words) => words,
        }
    }
}

/// The entries of `head` that are absent from `base`, wherever they were inserted; problems for those that cannot be read.
///
/// An entry whose link alone was corrected is not new.
pub fn added(file: &str, base: &str, head: &str) -> (Vec<ChangelogEntry>, Vec<Problem>) {
    let mut known: HashMap<String, usize> = HashMap::new();
    let before = yaml::items(base);
    for item in &before {
        *known.entry(plain(item.text(base))).or_default() += 1;
    }
    let mut fresh: Vec<Section> = Vec::new();
    for item in yaml::items(head) {
        match known.get_mut(&plain(item.text(head))) {
            Some(count) if *count > 0 => *count -= 1,
            _ => fresh.push(item),
        }
    }
    // What is left of the base was removed, or edited.
    let mut gone: HashSet<_> = HashSet::new();
    for item in &before {
        if let Some(count) = known.get_mut(&plain(item.text(base))).filter(|count| **count > 0) {
            *count -= 1;
            if let Ok(entry) = entry(file, item, base) {
                gone.insert(body(entry));
            }
        }
    }
    let mut problems = Vec::new();
    let mut entries = Vec::new();
    for item in fresh {
        match entry(file, &item, head) {
            Ok(entry) => {
                if !gone.remove(&body(entry.clone())) {
                    entries.push(entry);
                }
            }
            Err(problem) => problems.push(problem),
        }
    }
    (entries, problems)
}

/// An entry without what may be corrected, and without its place.
fn body(entry: ChangelogEntry) -> ChangelogEntry {
    ChangelogEntry { pr_link: None, line: 0, ..entry }
}

/// The text that counts: no blank lines, no trailing spaces.
fn plain(text: &str) -> String {
    text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

fn entry(file: &str, item: &Section, text: &str) -> Result<ChangelogEntry, Problem> {
    let mut raw: Vec<Raw> = yaml::parse_at(file, item.text(text), item.line)?;
    let (Some(raw), true) = (raw.pop(), raw.is_empty()) else {
        return Err(Problem::new(file, item.line, "one entry was expected here"));
    };
    Ok(ChangelogEntry {
        config_keys: raw.config_keys.into(),
        scenario_type: raw.scenario_type.map(Vec::from).unwrap_or_default(),
        description: raw.description.map(Vec::from).unwrap_or_default(),
        pr_link: raw.pr_link,
        evals_only: raw.evals_only,
        all_evals: raw.all_evals,
        no_evals: raw.no_evals,
        append_only: raw.append_only,
        eval_min_prefill_ep: raw.eval_min_prefill_ep,
        line: item.line,
    })
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const A: &str = "- config-keys:\n    - a\n  description:\n    - \"first\"\n  pr-link: https://h/1\n";
    const B: &str = "- config-keys:\n    - b-*\n    - b\n  scenario-type:\n    - agentic-coding\n  description:\n    - second\n  pr-link: XXX\n";

    fn keys(base: &str, head: &str) -> (Vec<Vec<String>>, Vec<usize>) {
        let (entries, problems) = added("c.yaml", base, head);
        (entries.into_iter().map(|entry| entry.config_keys).collect(), problems.into_iter().map(|p| p.line).collect())
    }

    #[test]
    fn new_entries_wherever_they_stand() {
        let both = |a: &str, b: &str| format!("{a}\n{b}");
        assert_eq!(keys(A, &both(A, B)).0, [["b-*", "b"]]);
        assert_eq!(keys(A, &both(B, A)).0, [["b-*", "b"]]);
        assert_eq!(keys("", &both(A, B)).0.len(), 2);
        assert_eq!(keys(&both(A, B), A).0.len(), 0);
        assert_eq!(keys(A, &both(A, A)).0, [["a"]], "the same again is a new measurement");
        assert_eq!(keys(A, &A.replace('\n', "  \n\n")).0.len(), 0, "white space only");
        assert_eq!(keys(A, &A.replace("h/1", "h/2")).0.len(), 0, "a corrected link");
        assert_eq!(keys(A, &A.replace("first", "other")).0, [["a"]]);
    }

    #[test]
    fn an_entry_that_cannot_be_read_costs_only_itself() {
        let head = format!("# top\n{A}\n- config-keys: [\n\n- 7\n\n- description: none\n\n{B}- config-keys: one\n");
        let (entries, problems) = keys(A, &head);
        assert_eq!(entries, [vec!["b-*".to_owned(), "b".to_owned()], vec!["one".to_owned()]]);
        assert_eq!(problems.len(), 3);
        assert!(problems.iter().all(|line| (8..=13).contains(line)), "{problems:?}");
    }

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn the_real_file_is_read_whole() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/corpus/inferencex/");
        let text = std::fs::read_to_string(format!("{root}2026-08/perf-changelog.yaml")).unwrap();
        let (entries, problems) = added("perf-changelog.yaml", "", &text);
        assert_eq!((entries.len(), problems.len()), (772, 0));
        assert_eq!(entries.iter().filter(|e| e.config_keys.iter().any(|key| key.contains('*'))).count(), 5);
        assert_eq!(entries.iter().map(|e| e.config_keys.len()).max(), Some(52));
        assert!(entries.iter().all(|e| e.pr_link.is_some() && !e.description.is_empty()));
        assert_eq!(entries.iter().filter(|e| e.evals_only).count(), 6);
        assert_eq!(entries.iter().filter(|e| e.append_only).count(), 1);
        assert_eq!(added("f", &text, &text).0, []);
        let newest = std::fs::read_to_string(format!("{root}newest/inferencex-e2e/perf-changelog.excerpt.yaml")).unwrap();
        let (entries, problems) = added("f", "", &newest);
        assert_eq!((entries.len(), problems.len()), (10, 0));
        assert!(entries.iter().any(|e| e.config_keys == ["*"]));
    }

    proptest! {
        #[test]
        fn nothing_panics(base in "(?s)(- config-keys: [a\\[\\]:#\n -]{0,12}\n?){0,5}", head in "(?s)(- config-keys: [a\\[\\]:#\n -]{0,12}\n?){0,5}") {
            let (entries, problems) = added("f", &base, &head);
            prop_assert!(entries.len() + problems.len() <= yaml::items(&head).len());
        }
    }
}
