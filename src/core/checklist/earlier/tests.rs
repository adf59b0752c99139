//! Sign-offs written by hand, a real one, those of every version, and what the program itself renders.
//! Must not know: how a draft is shown.

#![allow(clippy::disallowed_methods)]

use super::*;
use crate::core::checklist::compose::{Ingredients, compose, tick_digest};
use crate::core::checklist::migrate::tests::{policy, signed, template, versions};
use crate::core::conclusions::Conclusions;
use crate::core::ids::CommentId;
use crate::core::pull::CommentPlace;
use crate::core::sample::{World, actor, at, comment};
use proptest::prelude::*;
use std::sync::LazyLock;

const QUALITY: &str = "The general code quality is fine.";
const VALIDATION: &str = "It has passed PR validation.  Please link to the workflow that shows this.";
const EVALS: &str = "This PR passes evals.  Please link to the workflow that shows this.";
const DOCUMENTED: &str = "Documented in the [official vLLM recipes](https://h/r):";
const MERGED: &str = "I linked it in the [vLLM recipe repo](https://h/v/r) and it is **MERGED**.";
const RUN: &str = "https://github.com/o/r/actions/runs/31432304739";

/// Five items, the last of which stands below the fourth.
fn five() -> &'static Template {
    static FIVE: LazyLock<Template> = LazyLock::new(|| {
        let flat = template(&[QUALITY, VALIDATION, EVALS, DOCUMENTED, MERGED]);
        Template::of("b".into(), flat.text.replace("- [ ] I linked", "  - [ ] I linked"), policy())
    });
    &FIVE
}

fn text(items: &str) -> String {
    format!(
        "As a PR reviewer and CODEOWNER, I have:\n{items}\n### Additional detail section:\n- fine\n\nSigned: `nv-owner-1`\n"
    )
}

/// Key, tick and what stands behind, of each item that was read.
fn told(earlier: &Earlier) -> Vec<(&str, Option<bool>, &str)> {
    earlier.items.iter().map(|item| (item.key.as_str(), item.ticked, item.behind.as_str())).collect()
}

#[test]
fn hand_written_sign_offs_are_read_in_every_shape() {
    type Item = (&'static str, Option<bool>, &'static str);
    let linked = "[Full sweep workflow](https://github.com/o/r/actions/runs/31432304739)";
    /// What it is, the items as written, what is read of them, and a word of the notes.
    type Case = (&'static str, String, Vec<Item>, &'static str);
    let table: Vec<Case> = vec![
        (
            "plain",
            format!("- [x] {QUALITY}\n- [ ] {EVALS}\n"),
            vec![("code_quality", Some(true), ""), ("evals", Some(false), "")],
            "",
        ),
        ("capital", format!("- [X] {QUALITY}\n"), vec![("code_quality", Some(true), "")], ""),
        (
            "stars",
            format!("* [x] {QUALITY}\n* [ ] {EVALS}\n"),
            vec![("code_quality", Some(true), ""), ("evals", Some(false), "")],
            "",
        ),
        ("plus", format!("+ [x] {QUALITY}\n"), vec![("code_quality", Some(true), "")], ""),
        (
            "numbers",
            format!("1. [x] {QUALITY}\n2. [x] {EVALS}\n"),
            vec![("code_quality", Some(true), ""), ("evals", Some(true), "")],
            "",
        ),
        (
            "line ends",
            format!("- [x] {QUALITY}\r\n- [x] {EVALS}\r\n"),
            vec![("code_quality", Some(true), ""), ("evals", Some(true), "")],
            "",
        ),
        ("appended", format!("- [x] {VALIDATION} {RUN}\n"), vec![("pr_validation", Some(true), RUN)], ""),
        ("replaced", format!("- [x] It has passed PR validation. {linked}\n"), vec![("pr_validation", Some(true), linked)], ""),
        ("remark", format!("- [x] {EVALS} — see c64, `a|b`\n"), vec![("evals", Some(true), "— see c64, `a|b`")], ""),
        (
            "nested",
            format!("- [x] {DOCUMENTED}\n  - [x] {MERGED} https://h/v/r/pull/5\n"),
            vec![("recipe_documented", Some(true), ""), ("recipe_pr_merged", Some(true), "https://h/v/r/pull/5")],
            "",
        ),
        (
            "copied from the page",
            format!(
                "• {QUALITY}\n• Documented in the official vLLM recipes:\n  ◦ I linked it in the vLLM recipe repo and it is MERGED. yes\n"
            ),
            vec![("code_quality", None, ""), ("recipe_documented", None, ""), ("recipe_pr_merged", None, "yes")],
            "3 items have no box",
        ),
        (
            "without bullets",
            format!("{QUALITY}\n\n{EVALS} {RUN}\n"),
            vec![("code_quality", None, ""), ("evals", None, RUN)],
            "2 items have no box",
        ),
        ("no space", format!("- [x]{QUALITY}\n"), vec![("code_quality", Some(true), "")], "1 line looks like a box"),
        (
            "page with brackets",
            format!("• [x] {QUALITY}\n• [ ] {EVALS}\n"),
            vec![("code_quality", Some(true), ""), ("evals", Some(false), "")],
            "2 lines look",
        ),
        ("in a fence", format!("```\n- [x] {QUALITY}\n```\n"), vec![("code_quality", Some(true), "")], "1 line looks"),
        ("emphasis", format!("- [x] **{QUALITY}** yes\n"), vec![("code_quality", Some(true), "yes")], ""),
        (
            "older words",
            format!("- [x] Verified: this PR passes evals on every lane {RUN}\n"),
            vec![("evals", Some(true), RUN)],
            "",
        ),
        (
            "two phrases",
            format!("- [x] {EVALS} It passed PR validation too.\n- [ ] {VALIDATION}\n"),
            vec![("evals", Some(true), "It passed PR validation too."), ("pr_validation", Some(false), "")],
            "",
        ),
        (
            "wrapped",
            "- [x] The general code\n  quality is fine. Look:\n  here\n".to_owned(),
            vec![("code_quality", Some(true), "Look:\n  here")],
            "",
        ),
    ];
    let (policy, template) = (policy(), five());
    for (name, items, want, note) in table {
        let body = text(&items);
        for (body, was_quoted) in [(body.clone(), false), (body.lines().map(|line| format!("> {line}\n")).collect(), true)] {
            let earlier = read(&body, template, policy);
            assert_eq!(told(&earlier), want, "{name}");
            assert_eq!((earlier.details.as_str(), earlier.signed.as_deref()), ("- fine", Some("nv-owner-1")), "{name}");
            assert!(earlier.unmatched.iter().all(|line| line == "```"), "{name}: {:?}", earlier.unmatched);
            assert!(earlier.notes.iter().any(|said| said.contains(note)) || note.is_empty(), "{name}: {:?}", earlier.notes);
            assert_eq!(
                earlier.notes.len(),
                usize::from(!note.is_empty()) + usize::from(was_quoted),
                "{name}: {:?}",
                earlier.notes
            );
        }
    }
}

#[test]
fn what_surrounds_the_items_is_told_apart() {
    let (policy, template) = (policy(), five());
    let item = format!("- [x] {QUALITY}\n");
    let whole = text(&item);
    let phrase = "As a PR reviewer and CODEOWNER, I have:\n";
    /// The text, its details, who signed, and how its notes begin.
    type Case<'a> = (String, &'a str, Option<&'a str>, &'a [&'a str]);
    let none: &[&str] = &[];
    let table: Vec<Case<'_>> = vec![
        (whole.clone(), "- fine", Some("nv-owner-1"), none),
        (format!("LGTM\n\n{whole}\n/reuse"), "- fine", Some("nv-owner-1"), &["What stands above", "What stands below"]),
        (whole.replace("### ", ""), "- fine", Some("nv-owner-1"), none),
        (whole.replace("### Additional detail section:", "**Additional detail section**"), "- fine", Some("nv-owner-1"), none),
        (whole.replace("`", ""), "- fine", Some("nv-owner-1"), none),
        (whole.replace("Signed: `nv-owner-1`", "**Signed:** @nv-owner-1."), "- fine", Some("nv-owner-1"), none),
        (whole.replace("nv-owner-1", "FILL_IN_GITHUB_USERNAME"), "- fine", None, &["Nobody signed"]),
        (whole.replace("- fine", "- insert any additional info here"), "", Some("nv-owner-1"), &["The placeholder"]),
        (
            whole.replace("- fine", "\n1. a\n\n  b\nSigned: `x`\n- [ ] c"),
            "\n1. a\n\n  b\nSigned: `x`\n- [ ] c",
            Some("nv-owner-1"),
            none,
        ),
        (
            format!("{phrase}{item}\nI looked\n- at all\n\nSigned: `me`"),
            "I looked\n- at all",
            Some("me"),
            &["There is no heading"],
        ),
        (format!("{phrase}{item}"), "", None, &["Nobody signed", "There is no heading"]),
        (whole.replace("CODEOWNER", "owner"), "- fine", Some("nv-owner-1"), &["The opening phrase"]),
        (String::new(), "", None, &["The opening phrase", "No item", "Nobody signed", "There is no heading"]),
        (format!("> > {}", whole.replace('\n', "\n> > ")), "- fine", Some("nv-owner-1"), &["It stood in a quotation"]),
        (
            format!("I agree:\n> {}\nso do I", whole.trim_end().replace('\n', "\n> ")),
            "- fine",
            Some("nv-owner-1"),
            &["It stood in a quotation"],
        ),
    ];
    for (body, details, signed, notes) in table {
        let earlier = read(&body, template, policy);
        assert_eq!((earlier.details.as_str(), earlier.signed.as_deref()), (details, signed), "{body}");
        assert_eq!(earlier.notes.len(), notes.len(), "{body}: {:?}", earlier.notes);
        assert!(earlier.notes.iter().zip(notes).all(|(note, begin)| note.starts_with(begin)), "{body}: {:?}", earlier.notes);
    }
    let odd = text(&format!("- [x] {QUALITY}\n- [x] {QUALITY}\n- [x] Fed the cat\n- the dog\nand prose\n"));
    let earlier = read(&odd, template, policy);
    assert_eq!(earlier.items.len(), 1, "no item is two");
    assert_eq!(earlier.unmatched, [QUALITY, "Fed the cat", "the dog", "and prose"]);
}

fn draft() -> Draft {
    Draft::new("h", crate::core::ids::RepoName { owner: "o".into(), name: "r".into() }, crate::core::ids::PullNumber(7))
}

#[test]
fn only_words_of_today_are_ticked_and_only_if_bound_again() {
    let (policy, template) = (policy(), five());
    let items = format!(
        "- [x] {QUALITY}\n- [x] It has passed PR validation. [run 1]({RUN}) and c64\n- [x] Verified: this PR passes evals, all {RUN}\n\
         - {DOCUMENTED}\n- [ ] {MERGED} see there\n- [x] Fed the cat\n"
    );
    let earlier = read(&text(&items), template, policy);
    for (rebind, ticks, left) in
        [(true, vec!["code_quality", "pr_validation"], None), (false, vec![], Some("2 items were ticked there"))]
    {
        let mut draft = draft();
        draft.drafted.push(crate::core::session::DraftedParagraph { topic: "scope".into(), text: "s".into(), facts: vec![] });
        let head: Sha = "a".repeat(40).as_str().into();
        let said = into_draft(&earlier, template, &head, at("2026-08-11T12:00:00Z"), rebind, &mut draft);
        assert_eq!(draft.ticks.keys().map(Key::as_str).collect::<Vec<_>>(), ticks);
        for (key, tick) in &draft.ticks {
            let item = template.items.iter().find(|item| item.key == *key).unwrap();
            assert_eq!((&tick.head, &tick.text), (&head, &item.digest));
        }
        let behind: Vec<(&str, &str)> = draft.behind.iter().map(|(key, text)| (key.as_str(), text.as_str())).collect();
        assert_eq!(behind, [("pr_validation", "and c64"), ("recipe_pr_merged", "see there")]);
        assert_eq!((draft.detail.as_deref(), draft.drafted.len()), (Some("- fine"), 0));
        assert_eq!(draft.template.as_ref(), Some(&template.text));
        let all = said.join("\n");
        assert!(left.is_none_or(|left| all.contains(left)), "{all}");
        for words in [
            "1 item has no box",
            "Ticked there for other words, so not here: \"passes evals\".",
            "The run that was linked behind \"PR validation\", \"passes evals\" was left out",
            "Not of today's template, so left out: \"Fed the cat\".",
        ] {
            assert!(all.contains(words), "{words}: {all}");
        }
        assert_eq!(said.len(), 4 + usize::from(left.is_some()), "{all}");
    }
}

#[test]
fn details_that_do_more_than_speak_are_told() {
    for (details, words) in
        [("fine", None), ("a\n  /use 5", Some("begins with a slash")), ("a <!-- b -->", Some("nobody sees"))]
    {
        let body = text(&format!("- [x] {QUALITY}\n")).replace("- fine", details);
        let earlier = read(&body, five(), policy());
        let said = into_draft(&earlier, five(), &"h".into(), Time::default(), true, &mut draft());
        assert_eq!(said.len(), usize::from(words.is_some()), "{said:?}");
        assert!(words.is_none_or(|words| said.iter().any(|said| said.contains(words))), "{said:?}");
    }
}

#[test]
fn links_to_runs_are_told_from_remarks() {
    let table = [
        (format!("[run 31]({RUN})"), ""),
        (RUN.to_owned(), ""),
        (format!("<{RUN}>"), ""),
        (format!("({RUN}/job/5)."), ""),
        (format!("[my run, c 64]({RUN}) but c32 failed once"), "but c32 failed once"),
        (format!("— {RUN}"), ""),
        ("(no eval run)".to_owned(), ""),
        ("see [page](https://h/x) y".to_owned(), "see [page](https://h/x) y"),
        ("[unclosed](".to_owned(), "[unclosed]("),
    ];
    for (behind, want) in table {
        assert_eq!(without_runs(&behind), want, "{behind}");
    }
}

/// The sign-off of a recorded thread, copied from the page: who wrote it stands in brackets above.
fn recorded() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/corpus/threads/tep2-arm.txt");
    let thread = std::fs::read_to_string(path).unwrap();
    let start = thread.find("\nAs a PR reviewer and CODEOWNER").unwrap() + 1;
    let end = start + thread[start..].find("\n[Klaud-Cold]").unwrap();
    thread[start..end].to_owned()
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn a_real_sign_off_is_taken_over() {
    let policy = policy();
    let versions = versions();
    let of_day = &versions[19].1;
    let body = recorded();
    let earlier = read(&body, of_day, policy);
    let keys: Vec<&str> = earlier.items.iter().map(|item| item.key.as_str()).collect();
    assert_eq!(keys, of_day.items.iter().map(|item| item.key.as_str()).collect::<Vec<_>>());
    assert!(earlier.items.iter().all(|item| item.ticked.is_none()), "a copy of the page says nothing of ticks");
    assert!(earlier.items.iter().all(|item| item.fit == Fit::Whole), "{:#?}", earlier.items);
    let behind: Vec<(&str, &str)> =
        told(&earlier).into_iter().filter(|item| !item.2.is_empty()).map(|item| (item.0, item.2)).collect();
    assert_eq!(behind.len(), 2);
    assert!(
        behind
            .iter()
            .all(|(key, link)| ["pr_validation", "evals"].contains(key) && link.ends_with("/actions/runs/31432304739"))
    );
    assert_eq!((earlier.unmatched.len(), earlier.signed.as_deref()), (0, Some("nv-owner-1")));
    assert!(earlier.details.starts_with("\nScope of the change. This PR") && earlier.details.ends_with("image is unchanged."));
    assert!(body.contains(&earlier.details), "byte for byte");
    assert_eq!(earlier.notes, ["14 items have no box, as in a copy of the page: what was ticked is not known."]);
    let mut draft = draft();
    let said = into_draft(&earlier, of_day, &"h".into(), at("2026-08-11T12:00:00Z"), true, &mut draft);
    assert!(draft.ticks.is_empty() && draft.behind.is_empty() && draft.detail.is_some());
    assert_eq!(said.len(), 2, "{said:?}");
    // In the newest words seven items read otherwise, and two are not there.
    let newest = read(&body, &versions[22].1, policy);
    assert_eq!((newest.items.len(), newest.unmatched.len()), (14, 0));
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn sign_offs_of_every_version_are_read_by_every_later_template() {
    let policy = policy();
    let versions = versions();
    for (at, (name, then)) in versions.iter().enumerate() {
        let earlier = read(&signed(then, "1. a\n\n   b"), then, policy);
        assert!(earlier.items.iter().all(|item| item.ticked == Some(true) && item.behind.is_empty()), "{name}");
        assert_eq!((earlier.items.len(), earlier.signed.as_deref()), (then.items.len(), Some("nv-owner-1")), "{name}");
        for (later, now) in versions.iter().skip(at) {
            let earlier = read(&signed(then, "x"), now, policy);
            // The first versions have a bullet without a box, which became an item later on.
            let ticked = earlier.items.iter().filter(|item| item.ticked == Some(true)).count();
            assert_eq!(ticked, then.items.len(), "{name} by {later}: {:?}", earlier.unmatched);
            assert_eq!(
                earlier.items.len() - ticked,
                usize::from(earlier.items.iter().any(|item| item.ticked.is_none())),
                "{name}"
            );
        }
    }
}

/// What the program renders from a draft, with the reviewer's words behind some items as they will stand there.
fn rendered(ticked: &[bool], detail: &str, behind: &[String]) -> (Template, String) {
    static READ: LazyLock<(Facts, Conclusions)> = LazyLock::new(|| {
        let facts = World::new().opened(policy());
        let conclusions = Conclusions::draw(policy(), &facts);
        (facts, conclusions)
    });
    let (facts, conclusions) = &*READ;
    let mut draft = Draft::new("h", facts.repo.clone(), facts.number);
    draft.detail = Some(detail.to_owned());
    let signoff = |draft: &Draft| {
        compose(&Ingredients { policy: policy(), facts, draft, conclusions, findings: &[], drafted: None }).unwrap().unwrap()
    };
    for (item, _) in signoff(&draft).items.iter().zip(ticked).filter(|(_, ticked)| **ticked) {
        let tick = Tick { head: facts.head().unwrap().clone(), text: tick_digest(item), at: Default::default() };
        draft.ticks.insert(item.key.clone(), tick);
    }
    let signoff = signoff(&draft);
    let mut text = signoff.rendered.text.clone();
    for (item, behind) in signoff.items.iter().zip(behind).filter(|(_, behind)| !behind.is_empty()) {
        text = text.replacen(&item.text, &format!("{} {behind}", item.text), 1);
    }
    (signoff.template, text)
}

#[test]
fn what_the_program_writes_behind_an_item_is_not_taken_for_the_reviewer_s() {
    let policy = policy();
    for (jobs, runs) in [(true, true), (false, true), (false, false)] {
        let mut world = World::new();
        if !jobs {
            world.jobs.items.clear();
        }
        let mut facts = world.opened(policy);
        if !runs {
            facts.runs = Remote::Loading;
            facts.jobs.clear();
        }
        let own = Draft::new("h", facts.repo.clone(), facts.number);
        let conclusions = Conclusions::draw(policy, &facts);
        let made_of =
            Ingredients { policy, facts: &facts, draft: &own, conclusions: &conclusions, findings: &[], drafted: None };
        let signoff = compose(&made_of).unwrap().unwrap();
        let earlier = read(&signoff.rendered.text, &signoff.template, policy);
        assert_eq!(earlier.items.iter().filter(|item| !item.behind.is_empty()).count(), 2);
        let mut draft = draft();
        into_draft(&earlier, &signoff.template, &"h".into(), Time::default(), true, &mut draft);
        assert!(draft.behind.is_empty(), "{:?}", draft.behind);
        assert_eq!(draft.detail.as_deref(), Some(signoff.detail.as_str()));
    }
}

proptest! {
    #[test]
    fn what_the_program_renders_is_read_again(
        ticked in prop::collection::vec(any::<bool>(), 4),
        detail in prop::collection::vec(prop::sample::select(vec![
            "- a", "  b", "", "- [x] c", "### Additional detail section:", "Signed: `x`", "```", "> q", "漢", "• d", "/use 1",
            "It has passed PR validation.",
        ]), 0..6),
        behind in prop::collection::vec(prop::sample::select(vec!["", "see c64", "https://h/x", "[a b](https://h/y) z", "— 漢"]), 4),
    ) {
        let detail = detail.join("\n");
        let behind: Vec<String> = behind.into_iter().map(str::to_owned).collect();
        let (template, text) = rendered(&ticked, &detail, &behind);
        for text in [text.replace('\n', "\r\n"), text] {
            let earlier = read(&text, &template, policy());
            let ticks: Vec<bool> = earlier.items.iter().map(|item| item.ticked.unwrap()).collect();
            prop_assert_eq!(&ticks, &ticked);
            for (item, behind) in earlier.items.iter().zip(&behind) {
                let own = template.items.iter().find(|own| own.key == item.key).unwrap();
                prop_assert_eq!(&item.words, template.item_text(own));
                prop_assert!(item.behind.starts_with(behind.as_str()), "{:?}", item);
            }
            prop_assert_eq!(&earlier.details, detail.trim_end());
            prop_assert_eq!(earlier.signed.as_deref(), Some("nv-owner-1"));
            prop_assert_eq!(&earlier.notes, &Vec::<String>::new());
        }
    }

    #[test]
    fn no_text_panics_and_no_item_stands_twice(parts in prop::collection::vec(prop::sample::select(vec![
        "As a PR reviewer and CODEOWNER", "\n", "\r\n", "> ", "- [x] ", "• ", "- ", "  ", "[x]", QUALITY, VALIDATION, "It has passed PR validation",
        ". ", "[a](", ")", "https://h/1", "### Additional detail section:", "Signed: `", "`", "漢", "```\n", "<!--", "-->",
    ]), 0..24)) {
        let earlier = read(&parts.concat(), five(), policy());
        let mut keys: Vec<&Key> = earlier.items.iter().map(|item| &item.key).collect();
        keys.sort();
        let count = keys.len();
        keys.dedup();
        prop_assert_eq!(count, keys.len());
        into_draft(&earlier, five(), &"h".into(), Time::default(), true, &mut draft());
    }
}

const PHRASE: &str = "As a PR reviewer and CODEOWNER, I have";

/// Facts of a conversation; the verifier of the newest rules has one check more.
fn conversation(comments: Vec<Comment>, newest: bool) -> Facts {
    let mut facts = World { comments, ..World::new() }.opened(policy());
    if let Some(Remote::Ready(got)) = facts.documents.get_mut(&DocumentKind::Verifier).filter(|_| newest) {
        got.value.text.push_str("## Check 14 — Pareto coverage\n");
    }
    facts
}

#[test]
fn sign_offs_of_others_are_found_by_account_newest_first() {
    let edited = |mut comment: Comment| {
        comment.updated_at = Some(at("2026-08-12T00:00:00Z"));
        comment
    };
    let bot = crate::core::pull::Actor { bot: true, ..actor("bot", 9) };
    let ghost = crate::core::pull::Actor { id: None, ..actor("NV-OWNER-1", 0) };
    let comments = vec![
        edited(comment(1, actor("other", 7), PHRASE)),
        comment(2, actor("other", 7), "no sign-off"),
        // Ours, under a name that changed since; and somebody who has our old name.
        comment(3, actor("renamed", 42), PHRASE),
        comment(4, actor("nv-owner-1", 8), PHRASE),
        comment(5, ghost, PHRASE),
        comment(6, bot, PHRASE),
        comment(7, actor("third", 10), &format!("<!-- recipe-reminder -->\n{PHRASE}")),
    ];
    let mut facts = conversation(comments, true);
    if let Remote::Ready(got) = &mut facts.reviews {
        got.value.items.push(Comment { place: CommentPlace::Review, ..comment(9, actor("other", 7), PHRASE) });
    }
    let ids: Vec<CommentId> = of_others(policy(), &facts).iter().map(|comment| comment.id).collect();
    assert_eq!(ids, [CommentId(1), CommentId(9), CommentId(4)]);
    facts.viewer = Remote::Loading;
    assert_eq!(of_others(policy(), &facts).len(), 0, "nobody knows whose they are");
}

#[test]
fn a_foreign_sign_off_stands_in_the_way_only_where_one_may_stand() {
    let theirs = || vec![comment(1, actor("other", 7), PHRASE)];
    let policy = policy();
    let table = [(theirs(), true, 1), (theirs(), false, 0), (vec![comment(1, actor("nv-owner-1", 42), PHRASE)], true, 0)];
    for (comments, newest, count) in table {
        let facts = conversation(comments, newest);
        assert_eq!(is_only_one(policy, &facts), newest);
        let blocks = foreign(policy, &facts);
        assert_eq!(blocks.len(), count);
        for block in blocks {
            assert!(block.reason.starts_with("A sign-off by other stands here, and only one may"), "{}", block.reason);
            assert_eq!(block.link.as_deref(), Some("https://github.com/o/r/pull/7#issuecomment-1"));
        }
    }
    // Anybody can write the words: only who may sign stands in the way.
    let by =
        |login: &str, association: &str| Comment { association: association.into(), ..comment(1, actor(login, 7), PHRASE) };
    for (login, association, may) in [
        ("other", "COLLABORATOR", true),
        ("other", "CONTRIBUTOR", false),
        ("other", "NONE", false),
        ("nv-owner-2", "NONE", true),
        ("writer", "NONE", true),
    ] {
        let mut facts = conversation(vec![by(login, association)], true);
        if let Some(Remote::Ready(got)) = facts.documents.get_mut(&DocumentKind::Owners) {
            got.value.text.push_str("/configs/ @nv-owner-2\n");
        }
        let may_write = crate::core::pull::Permission { permission: "write".into(), role: None };
        let source = facts.comments.known().unwrap().source.clone();
        facts.permissions.insert("writer".into(), Remote::Ready(crate::core::remote::Sourced { value: may_write, source }));
        assert_eq!(
            (foreign(policy, &facts).len(), idle(policy, &facts).len()),
            (usize::from(may), usize::from(!may)),
            "{login}"
        );
        facts.documents.remove(&DocumentKind::Owners);
        assert_eq!(foreign(policy, &facts).len(), 1, "{login}: who owns anything is not known");
    }
    let mut free = policy.clone();
    free.signoff.only_one_in.clear();
    assert_eq!(foreign(&free, &conversation(theirs(), true)), [], "the policy asks for no such thing");
    // Where the verifier cannot be read, the day decides.
    let mut facts = conversation(theirs(), false);
    facts.documents.remove(&DocumentKind::Verifier);
    for (day, count) in [("2026-08-11", 0), ("2026-10-01", 1)] {
        facts.day = day.parse().ok();
        assert_eq!(foreign(policy, &facts).len(), count, "{day}");
    }
}
