//! Every step of the real document, items that no policy knows, and copies of every version.
//! Must not know: how a change is shown.

#![allow(clippy::disallowed_methods)]

use super::*;
use crate::core::checklist::parse_template;
use crate::core::policy;
use crate::core::pull::Document;
use crate::core::session::Tick;
use proptest::prelude::*;
use std::sync::LazyLock;

/// Read once: properties ask for it in every case.
pub(in crate::core::checklist) fn policy() -> &'static Policy {
    static POLICY: LazyLock<Policy> = LazyLock::new(policy::tests::policy);
    &POLICY
}

/// Every known version of the real document, oldest first, by the name of its file.
pub(in crate::core::checklist) fn versions() -> Vec<(String, Template)> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/corpus/inferencex/checklists");
    let order = std::fs::read_to_string(format!("{root}/ORDER.txt")).unwrap();
    let version = |name: &str| {
        let text = std::fs::read_to_string(format!("{root}/{name}")).unwrap();
        let document = Document { path: name.to_owned(), blob: name.into(), text };
        (name.to_owned(), parse_template(&document, policy()).unwrap())
    };
    order.lines().map(str::trim).filter(|line| line.ends_with(".md")).map(version).collect()
}

/// A template of these items.
pub(in crate::core::checklist) fn template(items: &[&str]) -> Template {
    let policy = policy();
    let boxes: String = items.iter().map(|item| format!("- [ ] {item}\n")).collect();
    let text = format!(
        "{}, I have:\n{boxes}\n### {}\n- {}\n\nSigned: `{}`",
        policy.signoff.trigger, policy.signoff.detail, policy.signoff.detail_placeholder, policy.signoff.login_placeholder
    );
    Template::of("b".into(), text, policy)
}

/// A sign-off of this template, every box ticked.
pub(in crate::core::checklist) fn signed(template: &Template, details: &str) -> String {
    let signoff = &policy().signoff;
    let text = template.text.replace("- [ ]", "- [x]").replace(&signoff.login_placeholder, "nv-owner-1");
    text.replace(&signoff.detail_placeholder, details)
}

/// Kept, reworded, new and gone.
type Counts = (usize, usize, usize, usize);

/// What became of the items between each version and the next, as read in the documents.
const CHANGES: [(&str, Counts); 22] = [
    ("2026-06-22-2008fc1d8", (5, 1, 0, 0)), // the recipe item
    ("2026-06-22-fe97916ff", (6, 0, 0, 0)),
    ("2026-06-22-8901efda4", (5, 1, 0, 0)), // engine first
    ("2026-06-23-f0a3ea742", (6, 0, 1, 0)),
    ("2026-06-23-ce4854ade", (5, 2, 0, 0)), // "Please link", twice
    ("2026-06-23-e788604cb", (7, 0, 1, 0)),
    ("2026-07-03-49e2c335c", (7, 1, 1, 0)), // engine first; the images came
    ("2026-07-03-cfb2bbb64", (9, 0, 1, 0)),
    ("2026-07-03-13100ed72", (10, 0, 0, 0)),
    ("2026-07-03-43e25a407", (10, 0, 0, 0)),
    ("2026-07-03-e5c831688", (10, 0, 0, 0)),
    ("2026-07-04-6b40bda8e", (9, 1, 0, 0)), // a link's target
    ("2026-07-10-e7d314aa5", (10, 0, 1, 0)),
    ("2026-07-10-7abe6612a", (11, 0, 1, 0)),
    ("2026-07-10-842897c4e", (11, 1, 0, 0)), // golden AL, shortened
    ("2026-07-10-5c0a32297", (12, 0, 1, 0)), // the nested bullet got a box
    ("2026-07-14-9aeaa75d8", (11, 2, 0, 0)), // both recipe items
    ("2026-08-03-b4be78a29", (13, 0, 1, 0)),
    ("2026-08-10-f559835ae", (14, 0, 0, 0)),
    ("2026-08-14-35d731a9e", (14, 0, 1, 0)),
    ("2026-10-approx-160794a2a", (8, 7, 2, 0)), // paths moved, recipes widened; draft and Pareto came
    ("2026-10-approx-c4fe8def6", (16, 1, 0, 0)),
];

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn every_step_of_the_real_document_is_told_item_by_item() {
    let versions = versions();
    assert_eq!(versions.len(), CHANGES.len() + 1);
    for (pair, (name, counts)) in versions.windows(2).zip(CHANGES) {
        let (then, now) = (&pair[0].1, &pair[1].1);
        assert_eq!(pair[1].0, format!("{name}.md"));
        for (then, now, counts) in [(then, now, counts), (now, then, (counts.0, counts.1, counts.3, counts.2))] {
            let migration = migrate(then, now);
            assert_eq!(migration.counts(), counts, "{name}: {migration:#?}");
            whole(then, now, &migration);
        }
    }
    // A draft may be much older than the step before.
    let (first, last) = (&versions[0].1, &versions[22].1);
    let migration = migrate(first, last);
    assert_eq!(migration.counts(), (2, 4, 11, 0));
    whole(first, last, &migration);
}

/// Every item then is kept, reworded or gone once; every item now is kept, reworded or new once; and the words add up.
fn whole(then: &Template, now: &Template, migration: &Migration) {
    let (kept, reworded, new, gone) = migration.counts();
    assert_eq!((kept + reworded + gone, kept + reworded + new), (then.items.len(), now.items.len()));
    let mut before: Vec<&Key> = migration.items.iter().filter_map(|item| item.before.as_ref()).collect();
    before.extend(migration.gone.iter().map(|(key, _)| key));
    before.sort();
    before.dedup();
    assert_eq!(before.len(), then.items.len());
    for (item, own) in migration.items.iter().zip(&now.items) {
        assert_eq!(item.key, own.key);
        let old = then.items.iter().find(|old| Some(&old.key) == item.before.as_ref());
        assert_eq!(item.change == Change::Kept, old.is_some_and(|old| old.digest == own.digest));
        if let Change::Reworded { before, words } = &item.change {
            let side = |gone: bool| -> String {
                let text = words.iter().map(|word| match word {
                    Word::Same(text) => text.as_str(),
                    Word::Gone(text) if gone => text,
                    Word::Came(text) if !gone => text,
                    Word::Gone(_) | Word::Came(_) => "",
                });
                text.collect()
            };
            assert_eq!((side(true), side(false)), (before.clone(), now.item_text(own).to_owned()));
            assert_eq!(before, then.item_text(old.unwrap()));
        }
    }
}

/// Ticks for every item of a template.
fn ticked(template: &Template) -> Draft {
    let repo = crate::core::ids::RepoName { owner: "o".into(), name: "r".into() };
    let mut draft = Draft::new("h", repo, crate::core::ids::PullNumber(7));
    for item in &template.items {
        draft.ticks.insert(item.key.clone(), Tick { head: "h".into(), text: item.digest.clone(), at: Default::default() });
        draft.reasons.insert(item.key.clone(), template.item_text(item).to_owned());
    }
    draft
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn only_kept_items_stay_ticked_and_carrying_twice_is_carrying_once() {
    let versions = versions();
    for pair in versions.windows(2) {
        let (then, now) = (&pair[0].1, &pair[1].1);
        let migration = migrate(then, now);
        let mut draft = ticked(then);
        migration.carry(&mut draft);
        for (item, own) in migration.items.iter().zip(&now.items) {
            let counts = draft.ticks.get(&own.key).is_some_and(|tick| tick.text == own.digest);
            assert_eq!(counts, item.change == Change::Kept, "{}: {}", pair[1].0, own.key);
        }
        let once = draft.clone();
        migration.carry(&mut draft);
        assert_eq!(draft, once);
        let again = migrate(now, now);
        assert!(again.is_empty() && again.summary() == "No item changed.");
        again.carry(&mut draft);
        assert_eq!(draft, once);
    }
}

#[test]
fn unknown_items_are_known_by_their_words() {
    const CAT: &str = "Fed the cat and gave it water this morning";
    /// Items then, items now, and what became of them.
    type Case = (&'static [&'static str], &'static [&'static str], Counts, &'static str);
    let table: [Case; 9] = [
        (&[CAT], &[CAT], (1, 0, 0, 0), "No item changed."),
        (&[CAT], &["Fed the cat and gave it milk this morning"], (0, 1, 0, 0), "1 item is reworded."),
        (&[CAT], &["Fed **the cat** and gave it water this morning"], (0, 1, 0, 0), "1 item is reworded."),
        (&[CAT], &["Walked the dog"], (0, 0, 1, 1), "1 item is new, 1 is gone."),
        (&[CAT, "x y"], &["x y", CAT], (2, 0, 0, 0), "No item changed."),
        // The likest one has it, whatever stands first.
        (
            &[CAT],
            &["Fed the cat and gave it wine this evening", "Fed the cat and gave it milk this morning"],
            (0, 1, 1, 0),
            "1 item is new, 1 is reworded.",
        ),
        (&[CAT, "a", "b"], &["c", "d", "e"], (0, 0, 3, 3), "3 items are new, 3 are gone."),
        // Two of the same words are two.
        (&[CAT, CAT], &[CAT], (1, 0, 0, 1), "1 item is gone."),
        // What the policy knows by different keys is never one, however alike the words are.
        (
            &["It has passed PR validation."],
            &["This PR passes evals, it has passed."],
            (0, 0, 1, 1),
            "1 item is new, 1 is gone.",
        ),
    ];
    for (then, now, counts, summary) in table {
        let (then, now) = (template(then), template(now));
        let migration = migrate(&then, &now);
        assert_eq!((migration.counts(), migration.summary().as_str()), (counts, summary), "{migration:?}");
        whole(&then, &now, &migration);
    }
}

#[test]
fn what_was_typed_for_an_unknown_item_goes_along_and_its_tick_is_stale() {
    let (then, now) = (template(&["Fed the cat and the dog", "gone"]), template(&["Fed the cat and the bird"]));
    let mut draft = ticked(&then);
    draft.behind.insert(then.items[0].key.clone(), "twice".to_owned());
    migrate(&then, &now).carry(&mut draft);
    let key = &now.items[0].key;
    assert_ne!(key, &then.items[0].key);
    assert_eq!(draft.behind.get(key).map(String::as_str), Some("twice"));
    assert!(draft.ticks.contains_key(key) && draft.ticks[key].text != now.items[0].digest);
    // What belongs to an item that is gone is not lost.
    assert_eq!(draft.reasons.get(&then.items[1].key).map(String::as_str), Some("gone"));
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn a_copy_of_every_version_says_what_it_lacks() {
    let policy = policy();
    let versions = versions();
    let now = &versions[22].1;
    for (at, (name, template)) in versions.iter().enumerate() {
        let details = "- Verified that all is fine.\n- [x] my own box";
        // As it was signed; with a run behind each item; copied from the page.
        let text = signed(template, details);
        let linked =
            text.lines().map(|line| if line.contains("[x] V") { format!("{line} https://h/runs/1") } else { line.to_owned() });
        for text in [linked.collect::<Vec<_>>().join("\r\n"), text.replace("- [x]", "•"), text] {
            // Some versions have a bullet without a box, which became an item later on; a copy of the page has bullets only.
            let has_item = template.items.iter().any(|item| item.key.as_str() == "recipe_pr_merged");
            let has_bullet = text.contains("opened in [vLLM") && !has_item;
            assert_eq!(missing(&text, template, policy), [], "{name}");
            let (kept, reworded, new, _) = migrate(template, now).counts();
            let lacks = missing(&text, now, policy);
            let count = |kind| lacks.iter().filter(|lack| lack.kind == kind).count();
            assert_eq!(count(LackKind::Missing) + usize::from(has_bullet), new, "{name}");
            // Where links point to does not count for a copy: reworded are at most those whose bytes are.
            assert!(count(LackKind::Reworded) <= reworded + 1 && kept + reworded + new == 17, "{name}");
            assert_eq!(lacks.is_empty(), at == 22, "{name}");
        }
    }
    // The real rejection: made from the version of 10 August, when an item had been added on the 14th.
    let lacks = missing(&signed(&versions[19].1, "fine"), &versions[20].1, policy);
    let sentence = lack_sentence("This copy", &lacks).unwrap();
    assert_eq!(sentence, "This copy is not of today's template: it lacks \"append-only\".");
}

#[test]
fn a_lack_is_one_sentence() {
    let lack = |name: &str, kind| Lack { key: name.into(), name: name.to_owned(), kind };
    use LackKind::{Missing, Reworded};
    let table = [
        (vec![], None),
        (vec![lack("a", Missing), lack("b", Missing)], Some("it lacks \"a\", \"b\".")),
        (
            vec![lack("a", Missing), lack("b", Reworded), lack("c", Reworded)],
            Some("it lacks \"a\" and words 2 items otherwise."),
        ),
        (vec![lack("b", Reworded)], Some("it words 1 item otherwise.")),
    ];
    for (lacks, end) in table {
        let want = end.map(|end| format!("This copy is not of today's template: {end}"));
        assert_eq!(lack_sentence("This copy", &lacks), want);
    }
}

fn items() -> impl Strategy<Value = Vec<String>> {
    let word =
        prop::sample::select(vec!["fed", "the", "cat", "dog", "water", "**bold**", "[a](b)", "漢", "passes", "evals", "pr"]);
    prop::collection::vec(prop::collection::vec(word, 1..7).prop_map(|words| words.join(" ")), 1..7)
}

proptest! {
    #[test]
    fn no_item_is_lost_and_none_stands_twice(then in items(), now in items()) {
        let of = |items: &[String]| template(&items.iter().map(String::as_str).collect::<Vec<_>>());
        let (then, now) = (of(&then), of(&now));
        let migration = migrate(&then, &now);
        whole(&then, &now, &migration);
        prop_assert!(migrate(&now, &now).is_empty());
        let mut draft = ticked(&then);
        let total = draft.ticks.len();
        migration.carry(&mut draft);
        let once = draft.clone();
        migration.carry(&mut draft);
        prop_assert_eq!(&draft, &once);
        prop_assert_eq!(draft.ticks.len(), total);
    }
}
