//! Checklist items known by their words, and what the findings say about them.
//! Must not know: templates, ticks, particular items.

use super::{Confidence, Finding, ItemPolicy, Policy, Status};
use crate::core::ids::Key;
use std::borrow::Cow;

/// The item whose phrase stands in the text; `None` when there is none, or more than one: an item is never guessed.
pub fn item_key<'a>(policy: &'a Policy, item_text: &str) -> Option<&'a ItemPolicy> {
    let words = normalise(item_text);
    let words: Vec<&str> = words.split(' ').collect();
    let mut found = policy.items.iter().filter(|item| item.phrases.iter().any(|phrase| holds(&words, phrase)));
    let only = found.next()?;
    found.next().is_none().then_some(only)
}

/// What the findings say about an item: the worst of its rules. An item without rules, or unknown, needs a person.
pub fn item_finding(item: Option<&ItemPolicy>, findings: &[Finding]) -> Finding {
    let needs_you = |key: Key, title: &str, brief: &str, reason: &str| Finding {
        brief: brief.to_owned(),
        key,
        title: title.to_owned(),
        status: Status::NeedsYou,
        confidence: Confidence::Exact,
        reason: reason.to_owned(),
        notes: Vec::new(),
        number: None,
        evidence: Vec::new(),
        for_items: None,
    };
    let Some(item) = item else {
        return needs_you(
            Key::from("unknown"),
            "unknown item",
            "new to the program: read it",
            "This item is new to the program: read it and judge it yourself.",
        );
    };
    if item.rules.is_empty() {
        return needs_you(item.key.clone(), &item.short, "yours to judge", "No rule checks this: it is yours to judge.");
    }
    let own = findings.iter().filter(|finding| item.rules.contains(&finding.key));
    let mut own: Vec<&Finding> = own.map(|finding| finding.for_items.as_deref().unwrap_or(finding)).collect();
    own.sort_by_key(|finding| std::cmp::Reverse(severity(finding.status)));
    match own.first() {
        Some(worst) if own.len() >= item.rules.len() => Finding {
            key: item.key.clone(),
            title: item.short.clone(),
            evidence: own.iter().flat_map(|finding| finding.evidence.iter().cloned()).collect(),
            ..(*worst).clone()
        },
        _ => Finding {
            status: Status::Unavailable,
            ..needs_you(item.key.clone(), &item.short, "not checked", "Its rule has not run.")
        },
    }
}

/// The higher, the more it outranks others.
fn severity(status: Status) -> u8 {
    match status {
        Status::NotApplicable => 0,
        Status::Pass => 1,
        Status::Warn => 2,
        Status::NeedsYou => 3,
        Status::Unavailable => 4,
        Status::Fail => 5,
    }
}

/// Lower-case words with one space between: link targets are dropped, everything but letters and digits separates.
pub fn normalise(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut word_ended = false;
    while let Some(c) = rest.chars().next() {
        if let Some(target) = rest.strip_prefix("](").filter(|_| c == ']') {
            word_ended = true;
            rest = after_target(target);
            continue;
        }
        // Nearly all is ASCII, and this runs over every item after every key.
        let in_word = if c.is_ascii() { c.is_ascii_alphanumeric() } else { c.is_alphanumeric() };
        if in_word {
            if word_ended && !out.is_empty() {
                out.push(' ');
            }
            match c.is_ascii() {
                true => out.push(c.to_ascii_lowercase()),
                false => out.extend(c.to_lowercase()),
            }
        }
        word_ended = !in_word;
        rest = &rest[c.len_utf8()..];
    }
    out
}

/// What follows the parenthesis that closes a link target; brackets inside it come in pairs.
fn after_target(target: &str) -> &str {
    let mut depth = 1;
    for (at, c) in target.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &target[at + 1..];
        }
    }
    ""
}

/// Whether the phrase's parts, which `…` separates, stand in `words` one after the other.
pub(crate) fn holds(words: &[&str], phrase: &str) -> bool {
    let mut rest = words;
    let mut any = false;
    for part in phrase.split('…') {
        // Policies mostly write words as they are compared, and hundreds of phrases are looked for at each review.
        let is_plain = part.bytes().all(|byte| matches!(byte, b' ' | b'a'..=b'z' | b'0'..=b'9'));
        let part = if is_plain { Cow::Borrowed(part) } else { Cow::Owned(normalise(part)) };
        let part = part.split(' ').filter(|word| !word.is_empty());
        let len = part.clone().count();
        if len == 0 {
            continue;
        }
        let Some(at) = rest.windows(len).position(|window| window.iter().copied().eq(part.clone())) else { return false };
        rest = &rest[at + len..];
        any = true;
    }
    any
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::super::tests::policy;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_without_case_punctuation_and_link_targets() {
        let table = [
            ("**Bold**, `code` and [a link](https://h/x(y)z) end.", "bold code and a link end"),
            ("  two  spaces\tisn't ", "two spaces isn t"),
            ("PR_REVIEW_CHECKLIST.md", "pr review checklist md"),
            ("[open](never closed", "open"),
            ("", ""),
        ];
        for (text, want) in table {
            assert_eq!(normalise(text), want, "{text}");
        }
    }

    #[test]
    fn phrases_are_words_in_a_row() {
        let words = ["that", "this", "pr", "passes", "evals", "please"];
        for (phrase, want) in
            [("passes evals", true), ("pr … please", true), ("evals passes", false), ("pass", false), ("…", false)]
        {
            assert_eq!(holds(&words, phrase), want, "{phrase}");
        }
    }

    const AUGUST: [&str; 15] = [
        "latest_version",
        "code_quality",
        "pr_validation",
        "evals",
        "chat_template",
        "agentic_golden_al",
        "not_deprecated",
        "no_arch_hacks",
        "upstream_images",
        "engine_first",
        "recipe_documented",
        "recipe_pr_merged",
        "no_engine_patch",
        "append_only",
        "exceptions_reasoned",
    ];

    const NEWEST: [&str; 17] = [
        "latest_version",
        "code_quality",
        "pr_validation",
        "evals",
        "chat_template",
        "draft_as_shipped",
        "agentic_golden_al",
        "not_deprecated",
        "no_arch_hacks",
        "upstream_images",
        "engine_first",
        "recipe_documented",
        "recipe_pr_merged",
        "no_engine_patch",
        "append_only",
        "exceptions_reasoned",
        "pareto_count",
    ];

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn every_box_of_every_version_has_one_key_of_its_own() {
        let policy = policy();
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/corpus/inferencex/checklists");
        let order = std::fs::read_to_string(format!("{root}/ORDER.txt")).unwrap();
        let (mut versions, mut counts) = (0, Vec::new());
        for file in order.split_whitespace() {
            let name = file.trim_end_matches(".md");
            let text = std::fs::read_to_string(format!("{root}/{name}.md")).unwrap();
            let boxes: Vec<&str> = text.lines().filter_map(|line| line.trim_start().strip_prefix("- [ ] ")).collect();
            let keys: Vec<&str> = boxes
                .iter()
                .map(|text| item_key(&policy, text).unwrap_or_else(|| panic!("{name}: {text}")).key.as_str())
                .collect();
            let mut unique = keys.clone();
            unique.sort_unstable();
            unique.dedup();
            assert_eq!(unique.len(), keys.len(), "{name}: {keys:?}");
            let order: Vec<&str> = NEWEST.iter().filter(|key| keys.contains(key)).copied().collect();
            match name {
                "2026-08-14-35d731a9e" => assert_eq!(keys, AUGUST),
                "2026-10-approx-c4fe8def6" | "2026-10-approx-160794a2a" => assert_eq!(keys, NEWEST),
                _ => assert_eq!(unique.len(), order.len(), "{name}: {keys:?}"),
            }
            let nested = text.lines().filter_map(|line| line.strip_prefix("  - [ ] ")).next();
            assert_eq!(
                nested.and_then(|text| item_key(&policy, text)).map(|item| item.key.as_str()).is_some(),
                keys.contains(&"recipe_pr_merged")
            );
            versions += 1;
            counts.push(keys.len());
        }
        assert_eq!(versions, 23);
        assert_eq!(counts, [6, 6, 6, 6, 7, 7, 8, 9, 10, 10, 10, 10, 10, 11, 12, 12, 13, 13, 14, 14, 15, 17, 17]);
    }

    #[test]
    fn a_text_that_fits_two_items_or_none_is_not_guessed() {
        let policy = policy();
        assert_eq!(item_key(&policy, "Verified the general code quality, and that it passed PR validation"), None);
        assert_eq!(item_key(&policy, "Verified something new"), None);
    }

    #[test]
    fn an_item_takes_the_worst_of_its_rules_and_is_never_green_without_one() {
        let finding = |key: &str, status| Finding {
            brief: String::new(),
            key: Key::from(key),
            title: String::new(),
            status,
            confidence: Confidence::Exact,
            reason: key.to_owned(),
            notes: Vec::new(),
            number: None,
            evidence: Vec::new(),
            for_items: None,
        };
        let item = |rules: &[&str]| ItemPolicy {
            key: Key::from("k"),
            short: "s".into(),
            phrases: vec!["p".into()],
            rules: rules.iter().map(|rule| Key::from(*rule)).collect(),
            link: None,
        };
        let findings = [finding("a", Status::Pass), finding("b", Status::Fail), finding("c", Status::Unavailable)];
        let table: [(&[&str], Status); 5] = [
            (&[], Status::NeedsYou),
            (&["a"], Status::Pass),
            (&["a", "c"], Status::Unavailable),
            (&["a", "b", "c"], Status::Fail),
            (&["a", "missing"], Status::Unavailable),
        ];
        for (rules, status) in table {
            assert_eq!(item_finding(Some(&item(rules)), &findings).status, status, "{rules:?}");
        }
        assert_eq!(item_finding(None, &findings).status, Status::NeedsYou);
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "[\\PC\\]()\\[]{0,80}", phrase in "[\\PC… ]{0,20}") {
            let words = normalise(&text);
            prop_assert!(!words.contains("  ") && !words.starts_with(' ') && !words.ends_with(' '));
            let _ = holds(&words.split(' ').collect::<Vec<_>>(), &phrase);
            let _ = item_key(&policy(), &text);
        }
    }
}
