//! Every version of the real document, in every shape that a copy of it may have.
//! Must not know: how it is shown.

#![allow(clippy::disallowed_methods)]

use super::*;
use crate::core::checklist::migrate::tests::{policy, signed, template, versions};
use crate::core::checklist::template::{Item, own_key};
use crate::core::policy::history::Wording;
use proptest::prelude::*;

/// The history as the documents give it.
fn history(versions: &[(String, Template)]) -> HistoryPolicy {
    let policy = policy();
    let mut out = HistoryPolicy::default();
    let mut before = Vec::new();
    for (name, template) in versions {
        let (commit, day) = (name.trim_end_matches(".md").rsplit('-').next().unwrap(), name.replace("-approx", ""));
        let day = day.rsplit_once('-').unwrap().0.to_owned();
        let read = parts(&template.text, policy, template);
        let mut items = Vec::new();
        for entry in entries(read.items) {
            let own = template.items.iter().find(|item| template.item_text(item) == entry.words);
            let known = item_key(policy, entry.words).map(|item| item.key.clone());
            let key = match (own, entry.mark) {
                (Some(item), Mark::Box { .. }) => item.key.clone(),
                (None, Mark::Bullet) => known.unwrap_or_else(|| own_key(entry.words)),
                _ => continue,
            };
            let wording = Wording::of(entry.words);
            let all = out.wordings.entry(key.clone()).or_default();
            let at = all.iter().position(|known| *known == wording).unwrap_or_else(|| {
                all.push(wording);
                all.len() - 1
            });
            items.push(VersionItem { key, wording: at, bare: own.is_none() });
        }
        let is_same = items == before;
        before.clone_from(&items);
        let items = if is_same { Vec::new() } else { items };
        out.versions.push(VersionPolicy { commit: commit.to_owned(), day: day.try_into().unwrap(), items });
    }
    out
}

/// The section as it should stand in the policy file.
fn written(history: &HistoryPolicy) -> String {
    let mut out = String::from("history:\n  wordings:\n");
    for (key, wordings) in &history.wordings {
        match wordings.as_slice() {
            [one] => out.push_str(&format!("    {key}: [{one}]\n")),
            many => {
                out.push_str(&format!("    {key}:\n"));
                many.iter().for_each(|wording| out.push_str(&format!("      - {wording}\n")));
            }
        }
    }
    out.push_str("  versions:\n");
    for VersionPolicy { commit, day, items } in &history.versions {
        let day = String::from(*day);
        if items.is_empty() {
            out.push_str(&format!("    - {{ commit: {commit}, day: {day} }}\n"));
            continue;
        }
        out.push_str(&format!("    - commit: {commit}\n      day: {day}\n"));
        let mut line = String::from("      items: [");
        for (at, item) in items.iter().enumerate() {
            let end = if at + 1 == items.len() { "]" } else { "," };
            let word = format!("{item}{end}");
            if line.len() + word.len() + 1 > 120 {
                out.push_str(&format!("{}\n", line.trim_end()));
                line = " ".repeat(15);
            }
            line.push_str(&format!("{word} "));
        }
        out.push_str(&format!("{}\n", line.trim_end()));
    }
    out
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn the_policy_s_history_is_that_of_the_documents() {
    let made = history(&versions());
    assert!(made == policy().history, "The policy's history should be:\n{}", written(&made));
}

/// The names of files are `2026-08-03-b4be78a29.md`.
fn commit_of(name: &str) -> &str {
    name.trim_end_matches(".md").rsplit('-').next().unwrap()
}

fn today() -> Option<Day> {
    Day::from_ymd_opt(2026, 12, 1)
}

/// The shapes in which a signed template may be handed in; whether boxes are lost in it.
fn shapes(template: &Template) -> Vec<(&'static str, String, bool)> {
    let text = signed(template, "- Verified that all is fine.\n- [x] my own box");
    let each = |change: fn(&str) -> String| text.lines().map(change).collect::<Vec<_>>().join("\n");
    let linked = each(|line| if line.contains("[x] V") { format!("{line} https://h/runs/1") } else { line.to_owned() });
    let replaced = |line: &str| match line.split_once(". ").filter(|_| line.contains("Please link")) {
        Some((first, _)) => format!("{first}. [Full sweep](https://h/o/r/actions/runs/1)"),
        None => line.to_owned(),
    };
    vec![
        ("as it stands", template.text.clone(), false),
        ("linked", linked, false),
        ("replaced", each(replaced), false),
        ("half ticked", text.replacen("- [x]", "- [ ]", 3), false),
        ("stars", text.replace("- [x]", "* [X]"), false),
        ("line ends", text.replace('\n', "\r\n"), false),
        ("quoted", format!("He wrote:\n\n{}\n\nWhat of it?", each(|line| format!("> {line}"))), false),
        ("bullets", text.replace("- [x]", "•"), true),
        ("the page", text.replace("  - [x]", "  ◦").replace("- [x]", "•").replace("**", ""), true),
        ("signed", text, false),
    ]
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn a_copy_of_every_version_is_told_as_that_version() {
    let (versions, policy) = (versions(), policy());
    let alike = policy.history.alike();
    assert_eq!(alike.len(), 17);
    let now = &versions[22].1;
    for (name, template) in &versions {
        let own = alike.iter().find(|alike| alike.versions.iter().any(|version| version.commit == commit_of(name))).unwrap();
        // Where boxes are, only they are items; in a copy of the page nobody can tell which lines had one.
        let items = |items: &[VersionItem], is_page: bool| -> Vec<VersionItem> {
            let items = items.iter().filter(|item| is_page || !item.bare);
            items.map(|item| VersionItem { bare: false, ..item.clone() }).collect()
        };
        let same = |is_page: bool| -> Vec<&VersionPolicy> {
            let same = alike.iter().filter(|other| items(other.items, is_page) == items(own.items, is_page));
            same.flat_map(|alike| alike.versions.clone()).collect()
        };
        for (shape, text, is_page) in shapes(template) {
            let told = tell(&text, now, policy).unwrap_or_else(|| panic!("{name} {shape}"));
            let want = same(is_page);
            assert!(want.len() <= own.versions.len() + 2, "{name}: {want:?}");
            // The version before this one said no more than its first sentences.
            if shape == "replaced" && commit_of(name) == "ce4854ade" {
                assert!(told.is_exact() && told.versions.iter().all(|version| version.commit == "f0a3ea742"), "{told:?}");
                continue;
            }
            assert_eq!(told.versions, want, "{name} {shape}");
            assert!(told.is_exact() && told.gone.is_empty(), "{name} {shape}: {told:?}");
        }
    }
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn between_neighbours_exactly_what_changed_is_named() {
    let (versions, policy) = (versions(), policy());
    let names = |template: &Template, items: &[&Item]| -> Vec<String> {
        items.iter().map(|item| format!("\"{}\"", template.name(item))).collect()
    };
    let mut told_apart = 0;
    for pair in versions.windows(2) {
        for ((name, then), (_, now)) in [(&pair[0], &pair[1]), (&pair[1], &pair[0])] {
            let words = |template: &Template, item: &Item| normalise(template.item_text(item));
            let other = |template: &'_ Template, key: &Key| template.items.iter().find(|item| item.key == *key).cloned();
            let new: Vec<&Item> = now.items.iter().filter(|item| other(then, &item.key).is_none()).collect();
            let gone: Vec<&Item> = then.items.iter().filter(|item| other(now, &item.key).is_none()).collect();
            let is_reworded = |item: &&Item| {
                let own = words(now, item);
                // What follows an item's words is no other wording of it.
                other(then, &item.key).is_some_and(|old| !format!("{} ", words(then, &old)).starts_with(&format!("{own} ")))
            };
            let reworded: Vec<&Item> = now.items.iter().filter(is_reworded).collect();
            let said = sentence("Your copy", &signed(then, "- fine"), now, policy, today());
            // A bullet that became an item is there already.
            let bare = |item: &&&Item| item.key.as_str() == "recipe_pr_merged" && then.text.contains("opened in [vLLM");
            let new: Vec<&Item> = new.into_iter().filter(|item| !bare(&item)).collect();
            // And an item that became a bullet is not gone.
            let gone: Vec<&Item> = gone
                .into_iter()
                .filter(|item| !(item.key.as_str() == "recipe_pr_merged" && now.text.contains("opened in")))
                .collect();
            if new.is_empty() && gone.is_empty() && reworded.is_empty() {
                assert!(said.is_none() || gone.is_empty(), "{name}: {said:?}");
                continue;
            }
            let said = said.unwrap_or_else(|| panic!("{name}"));
            told_apart += 1;
            assert!(
                said.starts_with("Your copy is the version of ") || said.starts_with("Your copy is one of the versions of "),
                "{said}"
            );
            let list = |list: Vec<String>, words: &str| {
                if list.is_empty() { String::new() } else { format!("{words}: {}", list.join(", ")) }
            };
            for part in [
                list(names(now, &new), "more"),
                list(names(now, &reworded), "worded otherwise"),
                list(names(then, &gone), "gone"),
            ] {
                assert!(said.contains(&part), "{name}: {part:?} is not in {said}");
            }
            assert_eq!(said.matches('"').count(), 2 * (new.len() + gone.len() + reworded.len()), "{name}: {said}");
        }
    }
    assert_eq!(told_apart, 27);
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn sentences_name_the_day_and_what_is_missing() {
    let (versions, policy) = (versions(), policy());
    let of = |commit: &str| &versions.iter().find(|(name, _)| commit_of(name) == commit).unwrap().1;
    let (august, newest) = (of("35d731a9e"), of("c4fe8def6"));
    let evals = "- [x] Verified that this PR passes evals.  Please link to GitHub Action workflow that shows this.\n";
    let quality = "- [x] Verified that the general code quality meets the";
    type Change = fn(&str) -> String;
    let as_is: Change = str::to_owned;
    /// Whose words, what is done to them, today's template, and what is said.
    type Case<'a> = (&'a str, Box<dyn Fn(&str) -> String>, &'a Template, Option<&'a str>);
    let table: Vec<Case<'_>> = vec![
        (
            "f559835ae",
            Box::new(as_is),
            august,
            Some("Your copy is the version of 3 August or 10 August; today's template has 1 item more: \"append-only\"."),
        ),
        (
            "9aeaa75d8",
            Box::new(as_is),
            august,
            Some(
                "Your copy is the version of 14 July; today's template has 2 items more: \"not deprecated\", \"append-only\".",
            ),
        ),
        (
            "7abe6612a",
            Box::new(as_is),
            august,
            Some(
                "Your copy is one of the versions of 10 July; today's template has 2 items more: \"not deprecated\", \"append-only\"; \
                 3 items are worded otherwise: \"agentic golden AL\", \"recipe documented\", \"recipe PR merged\".",
            ),
        ),
        (
            "160794a2a",
            Box::new(as_is),
            newest,
            Some("Your copy is one of the versions of about October; 1 item is worded otherwise: \"recipe PR merged\"."),
        ),
        // Today's template may be older than the copy.
        (
            "35d731a9e",
            Box::new(as_is),
            of("9aeaa75d8"),
            Some("Your copy is the version of 14 August; 2 items are gone: \"not deprecated\", \"append-only\"."),
        ),
        ("c4fe8def6", Box::new(as_is), newest, None),
        // Today's with an item taken out, or edited, is made from no older one.
        (
            "35d731a9e",
            Box::new(move |text| text.replace(evals, "")),
            august,
            Some("Your copy is not of today's template: it lacks \"passes evals\"."),
        ),
        // One edited item, one of one's own, and another order.
        (
            "9aeaa75d8",
            Box::new(move |text| text.replace(quality, "- [x] Verified that the general code quality flatters the")),
            august,
            Some(
                "Your copy is nearest to the version of 14 July (with \"code quality\" in other words); today's template has 2 items \
                 more: \"not deprecated\", \"append-only\"; 1 item is worded otherwise: \"code quality\".",
            ),
        ),
        (
            "9aeaa75d8",
            Box::new(move |text| text.replace(evals, &format!("- [ ] Fed the cat\n{evals}"))),
            august,
            Some(
                "Your copy is nearest to the version of 14 July (with \"Fed the cat\" besides); today's template has 2 items more: \
                 \"not deprecated\", \"append-only\".",
            ),
        ),
        (
            "9aeaa75d8",
            Box::new(move |text| text.replace(evals, "").replace(quality, &format!("{evals}{quality}"))),
            august,
            Some(
                "Your copy is nearest to the version of 14 July (in another order); today's template has 2 items more: \
                 \"not deprecated\", \"append-only\".",
            ),
        ),
        (
            "9aeaa75d8",
            Box::new(move |text| text.replace(evals, &evals.replace("- [x]", "-"))),
            august,
            Some(
                "Your copy is nearest to the version of 14 July (with \"passes evals\" as no box); today's template has 2 items more: \
                 \"not deprecated\", \"append-only\".",
            ),
        ),
    ];
    for (commit, change, now, want) in table {
        let text = change(&signed(of(commit), "fine"));
        assert_eq!(sentence("Your copy", &text, now, policy, today()).as_deref(), want, "{commit}");
    }
    // The year is said where it is another than today's.
    let said = sentence("It", &signed(of("9aeaa75d8"), "fine"), august, policy, Day::from_ymd_opt(2027, 1, 2)).unwrap();
    assert!(said.starts_with("It is the version of 14 July 2026; "), "{said}");
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn an_edit_to_any_item_of_any_version_is_never_told_as_exact() {
    let (versions, policy) = (versions(), policy());
    for (name, then) in &versions {
        let text = signed(then, "fine").replace("[x]", "[ ]");
        for item in &then.items {
            // In the middle of its first words: what stands behind an item is a remark.
            let words = then.item_text(item);
            let at = words.match_indices(' ').nth(2).unwrap().0;
            let edited = text.replacen(words, &format!("{} not{}", &words[..at], &words[at..]), 1);
            assert_ne!(edited, text);
            for text in [edited.replace("- [ ]", "•"), edited] {
                let told = tell(&text, then, policy).unwrap_or_else(|| panic!("{name}: {words}"));
                assert!(!told.is_exact() && told.likeness(today()).starts_with("nearest to "), "{name}: {words}: {told:?}");
            }
        }
    }
}

#[test]
fn what_is_no_template_is_none() {
    let policy = policy();
    let own = template(&["The general code quality is fine.", "This PR passes evals.", "Fed the cat"]);
    for text in ["", "\n\n", "Looks good to me.", "- [x] general code quality\n- [x] passes evals", &signed(&own, "fine")] {
        assert_eq!(tell(text, &own, policy), None, "{text}");
    }
    let said = sentence("Your copy", &signed(&template(&["Fed the cat"]), "fine"), &own, policy, today());
    assert!(said.is_some_and(|said| said.starts_with("Your copy is not of today's template: it lacks")));
    // Nothing is known: nothing is told.
    let ignorant = Policy { history: HistoryPolicy::default(), ..policy.clone() };
    assert_eq!(tell(&own.text, &own, &ignorant), None);
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn hostile_texts_are_told_in_time_and_without_their_bytes() {
    let (versions, policy) = (versions(), policy());
    let now = &versions[22].1;
    let evil = "\u{1b}[31m\u{202e}evil";
    let text = signed(&versions[17].1, "fine").replacen("- [x]", &format!("- [x] {evil}\n- [x]"), 1);
    let said = sentence("Your copy", &text, now, policy, today()).unwrap();
    assert!(said.contains("nearest to the version of 14 July") && !said.contains(['\u{1b}', '\u{202e}']), "{said:?}");
    let begun = std::time::Instant::now();
    let long = "word ".repeat(200_000);
    let lines = "- [x] Verified that this PR passes evals. \n".repeat(20_000);
    let brackets = "- [x] [](".repeat(20_000);
    for text in [long, lines, brackets, "> ".repeat(5_000), "\u{0}".repeat(10_000)] {
        assert_eq!(tell(&text, now, policy), None);
        let around = format!("{}\n{text}", signed(&versions[17].1, &text));
        let _ = tell(&around, now, policy);
    }
    assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
}

proptest! {
    #[test]
    fn nothing_panics(text in "[ab漢 \\[\\]()>•\\-x`#:/.\r\n]{0,80}", words in "[Vv]erified [a-z .\\[\\]()]{0,40}") {
        let own = template(&[words.as_str()]);
        let _ = tell(&text, &own, policy());
        let _ = sentence("It", &format!("- [x] {words}\n{text}"), &own, policy(), None);
        prop_assert!(cut(&text).len() <= text.len());
    }
}
