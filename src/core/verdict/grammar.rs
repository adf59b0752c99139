//! How the verifier writes, as data: the policy's patterns and words, compiled and checked.
//! Must not know: comments, pull requests.

use crate::core::ids::Key;
use crate::core::policy::{holds, normalise};
use crate::core::time::Time;
use chrono::NaiveDate;
use regex::Regex;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The policy's section about verdicts. Patterns are those of the crate `regex`, with named groups.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VerdictPolicy {
    /// The name of the commit status that the bot sets; `None`: it sets none.
    #[serde(default)]
    pub status: Option<String>,
    /// Logins that publish verdicts; what others write is no verdict.
    pub publishers: Vec<String>,
    /// The hidden mark; groups `commit` and `signoff`.
    pub marker: String,
    /// The line that says the whole; groups `sign` and `word`.
    pub header: String,
    /// One check; groups `sign`, `number`, `name`, `status`, `reason`.
    pub row: String,
    /// One check where there is no header; groups `number`, `name`, `status`, `reason`.
    pub prose_row: String,
    /// The assessed commit, where the mark does not name it; group `commit`.
    pub commit: String,
    /// Word of a header or a row → what it means.
    pub words: BTreeMap<String, CheckStatus>,
    /// Sign before it → what it means.
    pub signs: BTreeMap<char, CheckStatus>,
    pub prose: ProsePolicy,
    /// Checks, known by their words.
    pub checks: Vec<CheckPolicy>,
    /// Which number meant which check, from which day on.
    pub numbers: Vec<NumberPolicy>,
}

/// A first line without a header.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProsePolicy {
    /// Phrases that reject, anywhere in the line.
    pub rejected: Vec<String>,
    /// Phrases that pass, if the line begins with one and nothing in it rejects.
    pub pass: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckPolicy {
    pub key: Key,
    pub words: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NumberPolicy {
    pub from: NaiveDate,
    /// The key of check 0, of check 1, …
    pub keys: Vec<Key>,
}

/// What a verdict says of one check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckStatus {
    NotApplicable,
    Pass,
    Warn,
    Fail,
}

/// The policy's patterns, ready to read with.
#[derive(Debug, Clone)]
pub struct Grammar<'a> {
    pub(super) policy: &'a VerdictPolicy,
    pub(super) marker: Regex,
    pub(super) header: Regex,
    pub(super) row: Regex,
    pub(super) prose_row: Regex,
    pub(super) commit: Regex,
}

impl<'a> Grammar<'a> {
    /// Compiles the patterns.
    ///
    /// # Errors
    /// Every pattern that is none or lacks a group, every list that is empty or names what does not exist.
    pub fn of(policy: &'a VerdictPolicy) -> Result<Grammar<'a>, Vec<String>> {
        let mut problems = check_lists(policy);
        let mut compile = |name: &str, text: &str, groups: &[&str]| match Regex::new(text) {
            Err(error) => {
                let why = error.to_string();
                let why = why.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
                problems.push(format!("`verdicts.{name}` is no pattern: {why}"));
                None
            }
            Ok(pattern) => {
                let missing: Vec<&str> = groups
                    .iter()
                    .copied()
                    .filter(|group| !pattern.capture_names().flatten().any(|name| name == *group))
                    .collect();
                if !missing.is_empty() {
                    problems.push(format!("`verdicts.{name}` has no group named {}", missing.join(", ")));
                }
                Some(pattern)
            }
        };
        let marker = compile("marker", &policy.marker, &["commit", "signoff"]);
        let header = compile("header", &policy.header, &["sign", "word"]);
        let row = compile("row", &policy.row, &["sign", "number", "name", "status", "reason"]);
        let prose_row = compile("prose_row", &policy.prose_row, &["number", "name", "status", "reason"]);
        let commit = compile("commit", &policy.commit, &["commit"]);
        match (marker, header, row, prose_row, commit) {
            (Some(marker), Some(header), Some(row), Some(prose_row), Some(commit)) if problems.is_empty() => {
                Ok(Grammar { policy, marker, header, row, prose_row, commit })
            }
            _ => Err(problems),
        }
    }

    /// The check that a row is about: by its words, and where they say nothing or too much, by its number on that day.
    pub fn key(&self, number: u32, name: &str, at: Option<Time>) -> Option<Key> {
        let numbered = self.numbered(at).and_then(|keys| keys.get(number as usize));
        let words = normalise(name);
        let words: Vec<&str> = words.split(' ').collect();
        let said = |check: &&CheckPolicy| check.words.iter().any(|phrase| holds(&words, phrase));
        let hits: Vec<&Key> = self.policy.checks.iter().filter(said).map(|check| &check.key).collect();
        match hits.as_slice() {
            [] => numbered.cloned(),
            [only] => Some((*only).clone()),
            several => numbered.filter(|key| several.contains(key)).cloned(),
        }
    }

    /// The checks of that day, by number.
    pub(super) fn numbered(&self, at: Option<Time>) -> Option<&[Key]> {
        let day = at?.date_naive();
        let era = self.policy.numbers.iter().rev().find(|era| era.from <= day)?;
        Some(&era.keys)
    }
}

fn check_lists(policy: &VerdictPolicy) -> Vec<String> {
    let mut out = Vec::new();
    let lists = [
        ("publishers", policy.publishers.is_empty()),
        ("words", policy.words.is_empty()),
        ("signs", policy.signs.is_empty()),
        ("checks", policy.checks.is_empty()),
        ("numbers", policy.numbers.is_empty()),
        ("prose.rejected", policy.prose.rejected.is_empty()),
    ];
    out.extend(lists.iter().filter(|(_, empty)| *empty).map(|(name, _)| format!("`verdicts.{name}` is empty")));
    let mut seen: Vec<&Key> = Vec::new();
    for check in &policy.checks {
        if seen.contains(&&check.key) {
            out.push(format!("the check `{}` stands twice in `verdicts.checks`", check.key));
        }
        seen.push(&check.key);
        if check.words.is_empty() {
            out.push(format!("the check `{}` has no words to be known by", check.key));
        }
    }
    let phrases = policy.checks.iter().flat_map(|check| &check.words).chain(&policy.prose.rejected).chain(&policy.prose.pass);
    out.extend(
        phrases.filter(|phrase| normalise(phrase).is_empty()).map(|phrase| format!("the phrase `{phrase}` holds no word")),
    );
    for era in &policy.numbers {
        for key in era.keys.iter().filter(|key| !seen.contains(key)) {
            out.push(format!("the numbers from {} name `{key}`, which is no check", era.from));
        }
    }
    if policy.numbers.windows(2).any(|pair| pair[0].from >= pair[1].from) {
        out.push("`verdicts.numbers` is not in the order of its days".to_owned());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::tests::{at, policy};
    use super::*;

    #[test]
    fn checks_are_known_by_words_first_and_then_by_number_and_day() {
        let policy = policy();
        let grammar = Grammar::of(&policy).unwrap();
        let table = [
            (0, "CODEOWNER", None, Some("codeowner")),
            (1, "sweep on in-PR commit", None, Some("sweep")),
            (2, "evals real", None, Some("evals")),
            (2, "evals actually pass", None, Some("evals")),
            (3, "recipe linked & merged", None, Some("recipe")),
            (4, "reuse command", None, Some("reuse")),
            (5, "latest checklist", None, Some("template")),
            (6, "upstream image / engine-first", None, Some("images")),
            (7, "deprecated models", None, Some("deprecated")),
            (8, "architecture hacks", None, Some("hacks")),
            (9, "spec-decode chat template", None, Some("chat_template")),
            (10, "engine patches", None, Some("patches")),
            (11, "agentic golden AL", None, Some("golden_al")),
            (12, "append-only", None, Some("append_only")),
            (13, "draft precision", None, Some("draft")),
            (14, "Pareto points", None, Some("pareto")),
            (15, "PR description", None, Some("description")),
            // The words outrank the number that the check had before or after.
            (7, "model architecture", Some("2026-07-12"), Some("hacks")),
            (7, "model architecture", Some("2026-08-12"), Some("hacks")),
            // Words that say nothing: the number on that day. 7 moved, and 16 never was.
            (7, "", Some("2026-08-02"), Some("hacks")),
            (7, "", Some("2026-08-03"), Some("deprecated")),
            (7, "item seven", Some("2026-07-02"), None),
            (7, "item seven", None, None),
            (12, "x", Some("2026-08-13"), None),
            (12, "x", Some("2026-08-14"), Some("append_only")),
            (14, "x", Some("2026-11-30"), Some("pareto")),
            (16, "x", Some("2026-11-30"), None),
            (u32::MAX, "x", Some("2026-11-30"), None),
            // Words that say too much: the number decides between them, or nobody.
            (2, "sweep and evals", Some("2026-08-10"), Some("evals")),
            (9, "sweep and evals", Some("2026-08-10"), None),
            (2, "sweep and evals", None, None),
        ];
        for (number, name, day, want) in table {
            let key = grammar.key(number, name, day.map(at));
            assert_eq!(key.as_ref().map(Key::as_str), want, "{number} ({name}) on {day:?}");
        }
    }

    #[test]
    fn a_grammar_that_cannot_read_is_refused_whole() {
        type Hurt = fn(&mut VerdictPolicy);
        let table: [(Hurt, &str); 10] = [
            (|p| p.row = "(".to_owned(), "`verdicts.row` is no pattern"),
            (|p| p.header = "x".to_owned(), "`verdicts.header` has no group named sign, word"),
            (|p| p.commit = "(?P<sha>x)".to_owned(), "group named commit"),
            (|p| p.publishers.clear(), "`verdicts.publishers` is empty"),
            (|p| p.words.clear(), "`verdicts.words` is empty"),
            (|p| p.checks[1].key = Key::from("codeowner"), "stands twice"),
            (|p| p.checks[1].words.clear(), "has no words"),
            (|p| p.checks[1].words = vec!["…".to_owned()], "holds no word"),
            (|p| p.numbers[0].keys.push(Key::from("nothing")), "`nothing`, which is no check"),
            (|p| p.numbers.reverse(), "order of its days"),
        ];
        for (hurt, want) in table {
            let mut policy = policy();
            hurt(&mut policy);
            let problems = Grammar::of(&policy).unwrap_err();
            assert!(problems.iter().any(|problem| problem.contains(want)), "{want}: {problems:?}");
        }
        let mut policy = policy();
        policy.row = "(".to_owned();
        policy.commit = "[".to_owned();
        policy.signs.clear();
        assert_eq!(Grammar::of(&policy).unwrap_err().len(), 3);
    }
}
