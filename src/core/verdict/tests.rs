//! Verdicts of every form: our own texts, the real ones, and what fits no form.
//! Must not know: how a verdict is printed.

#![allow(clippy::disallowed_methods)]

use super::*;
use crate::core::pull::Actor;
use proptest::prelude::*;
use std::sync::OnceLock;

pub(super) fn policy() -> VerdictPolicy {
    crate::core::policy::tests::policy().verdicts.unwrap()
}

/// Compiled once: that takes longer than any text takes to read.
fn grammar() -> &'static Grammar<'static> {
    static GRAMMAR: OnceLock<Grammar<'static>> = OnceLock::new();
    GRAMMAR.get_or_init(|| Grammar::of(Box::leak(Box::new(policy()))).unwrap())
}

pub(super) fn at(day: &str) -> Time {
    format!("{day}T12:00:00Z").parse().unwrap()
}

const HEAD: &str = "e3643999000000000000000000000000000000aa";

fn comment(id: u64, author: &str, body: &str, day: &str) -> Comment {
    Comment {
        id: CommentId(id),
        place: CommentPlace::Conversation,
        author: Actor { login: Login::from(author), id: None, bot: false },
        association: "NONE".into(),
        body: body.to_owned(),
        created_at: Some(at(day)),
        updated_at: None,
        url: format!("https://github.com/o/r/pull/1#issuecomment-{id}"),
        detail: None,
    }
}

fn body(header: &str, mark: &str, rows: &str) -> String {
    format!("<!-- codeowner-signoff-verify{mark} -->\n{header}\n\n{rows}")
}

fn read_at(body: &str, day: &str) -> Verdict {
    read(grammar(), body, Some(at(day))).unwrap_or_else(|| panic!("no verdict: {body}"))
}

fn keys(verdict: &Verdict) -> Vec<(u32, String, CheckStatus)> {
    let key = |row: &CheckRow| row.key.as_ref().map_or("?".to_owned(), |key| key.to_string());
    verdict.rows.iter().map(|row| (row.number, key(row), row.status)).collect()
}

use CheckStatus::{Fail, NotApplicable, Pass, Warn};

#[test]
fn the_first_form_is_prose() {
    let mark = format!(" sha={HEAD}");
    let rows = "Check 0 (CODEOWNER): PASS — listed owner\n- **Check 1** sweep FAIL — evals were skipped\nCheck 3 recipe: N/A - no recipe\n";
    let table = [
        ("NOT ready to merge, blocked on checks 1, 2, 3", rows, Overall::Rejected),
        ("Verified, but something **Rejected** it.", "", Overall::Rejected),
        ("PASS: ready to merge.", "Check 0 (CODEOWNER): PASS — listed owner\n", Overall::Pass),
        // The rows are worse than the words.
        ("PASS: ready to merge.", rows, Overall::Rejected),
        // Passing words inside a sentence pass nothing.
        ("This does not pass.", "", Overall::Unread),
        ("", "Check 0 (CODEOWNER): PASS — listed owner\n", Overall::Unread),
    ];
    for (first, rows, overall) in table {
        let verdict = read_at(&body(first, &mark, rows), "2026-07-01");
        assert_eq!((verdict.overall, verdict.form), (overall, Some(Form::Prose)), "{first}: {:?}", verdict.problems);
        assert!(verdict.is_about(&Sha::from(HEAD)));
    }
    let verdict = read_at(&body("NOT ready to merge", &mark, rows), "2026-07-01");
    let want = [(0, "codeowner".into(), Pass), (1, "sweep".into(), Fail), (3, "recipe".into(), NotApplicable)];
    assert_eq!(keys(&verdict), want);
    assert_eq!((verdict.rows[1].reason.as_str(), verdict.rows[1].line), ("evals were skipped", 5));
    assert_eq!(verdict.problems, ["It has no row for check 2, 4."]);
}

#[test]
fn the_second_form_has_signs_and_the_commit_in_its_mark() {
    let rows = "✅ Check 0 (CODEOWNER): PASS — owner\n- ✅ Check 1 (sweep on in-PR commit): PASS — run 1\r\n✅ **Check 2 (evals real):** PASS — 0.97\n❌ Check 3 (recipe linked & merged): FAIL — no link (see (1)): FAIL\n";
    let verdict = read_at(&body("## ❌❌❌ **REJECTED** ❌❌❌", &format!(" sha={HEAD}"), rows), "2026-06-29");
    assert_eq!((verdict.overall, verdict.form), (Overall::Rejected, Some(Form::CommitInMark)));
    let want =
        [(0, "codeowner".into(), Pass), (1, "sweep".into(), Pass), (2, "evals".into(), Pass), (3, "recipe".into(), Fail)];
    assert_eq!(keys(&verdict), want);
    assert_eq!(verdict.rows[3].reason, "no link (see (1)): FAIL");
    assert_eq!((verdict.problems.as_slice(), verdict.signoff), (&[][..], None));
}

#[test]
fn the_third_form_names_its_commit_in_a_line_below() {
    for word in ["Assessed", "Covered"] {
        let rows = format!("✅ Check 0 (CODEOWNER): PASS — owner\n\n{word} commit: `e364399`.\n");
        let verdict = read_at(&body("## ✅✅✅ **Verdict: PASS** ✅✅✅", "", &rows), "2026-09-16");
        assert_eq!((verdict.overall, verdict.form), (Overall::Pass, Some(Form::CommitInFooter)));
        assert_eq!(verdict.commit, Some(Sha::from("e364399")));
        assert!(verdict.is_about(&Sha::from(HEAD)));
    }
}

fn newest(signs: &[(u32, &str)]) -> String {
    let names = "CODEOWNER;sweep;evals actually pass;recipe;reuse command;latest checklist;upstream image / engine-first;\
                 deprecated models;architecture hacks;chat template;engine patches;agentic golden AL;append-only;\
                 draft precision;Pareto points;PR description";
    let mut rows = String::new();
    let mut folded = String::new();
    for (number, name) in (0u32..).zip(names.split(';')) {
        match signs.iter().find(|(at, _)| *at == number) {
            Some((_, sign)) => {
                let word = if sign.starts_with('❌') { "FAIL" } else { "WARN" };
                rows.push_str(&format!("{sign} Check {number} ({name}): {word} — why\n"));
            }
            None => folded.push_str(&format!("- ✅ Check {number} ({name}): PASS — fine\n")),
        }
    }
    format!(
        "{rows}\n<details><summary>Passed and not applicable checks</summary>\n\n{folded}</details>\n\nAssessed commit: `{HEAD}`.\n"
    )
}

#[test]
fn the_fourth_form_names_its_signoff_and_folds_rows() {
    let marks = [
        ("issuecomment-42", CommentPlace::Conversation),
        ("pullrequestreview-42", CommentPlace::Review),
        ("discussion_r42", CommentPlace::Line),
    ];
    for (mark, place) in marks {
        let text = body("## ⚠️ **Verdict: WARN** ⚠️", &format!(" signoff={mark}"), &newest(&[(14, "⚠️"), (15, "⚠")]));
        let verdict = read_at(&text, "2026-10-05");
        assert_eq!((verdict.overall, verdict.form), (Overall::Warn, Some(Form::PerSignoff)));
        assert_eq!(verdict.signoff, Some(SignoffRef { place, id: CommentId(42) }));
        assert_eq!(verdict.signoff.unwrap().to_string(), mark);
        assert_eq!(verdict.rows.len(), 16);
        assert_eq!(verdict.rows.iter().filter(|row| row.status == Warn).count(), 2);
        assert!(verdict.rows.iter().all(|row| row.key.is_some()), "{:?}", verdict.rows);
        assert_eq!(verdict.problems, [] as [String; 0]);
    }
}

#[test]
fn what_does_not_fit_together_is_told_and_the_worse_counts() {
    let pass = "## ✅✅✅ **Verdict: PASS** ✅✅✅";
    let footer = format!("Assessed commit: `{HEAD}`.");
    let table = [
        (
            pass,
            "",
            "✅ Check 0 (CODEOWNER): PASS — a\n❌ Check 1 (sweep): FAIL — b\n",
            Overall::Rejected,
            "better than check 1",
        ),
        (pass, "", "⚠️ Check 4 (reuse): WARN — b\n", Overall::Warn, "better than check 4"),
        (pass, "", "✅ Check 1 (sweep): FAIL — b\n", Overall::Rejected, "sign of check 1"),
        (pass, "", "❌ Check 1 (sweep): PASS — b\n", Overall::Rejected, "sign of check 1"),
        (pass, "", "✅ Check 1 (sweep): PASS — b\n✅ Check 1 (sweep): PASS — b\n", Overall::Pass, "Check 1 stands twice"),
        (pass, "", "❌ Check 1 (sweep) fails\n", Overall::Pass, "Line 4 looks like a check and cannot be read"),
        (pass, "", "✅ Check 99999999999 (sweep): PASS — b\n", Overall::Pass, "Line 4 looks like a check"),
        (pass, "", "❌❌❌ **REJECTED**\n", Overall::Rejected, "Two headers"),
        ("## ❌❌❌ **PASS** ❌❌❌", "", "", Overall::Rejected, "signs do not fit"),
        ("## ✅✅✅ **REJECTED** ✅✅✅", "", "", Overall::Rejected, "signs do not fit"),
        (pass, " sha=00000000000000000000000000000000000000aa", footer.as_str(), Overall::Pass, "two different commits"),
        ("## ✅✅✅ **FINE** ✅✅✅", " signoff=issuecomment-1", "", Overall::Unread, "cannot be told whether it passes"),
        ("", "", "", Overall::Unread, "cannot be told whether it passes"),
    ];
    for (header, mark, rows, overall, problem) in table {
        let verdict = read_at(&body(header, mark, rows), "2026-08-20");
        assert_eq!(verdict.overall, overall, "{header} {rows}");
        assert!(verdict.problems.iter().any(|told| told.contains(problem)), "{problem}: {:?}", verdict.problems);
    }
    let two = read_at(&body(pass, " sha=00000000000000000000000000000000000000aa", &footer), "2026-08-20");
    assert!(two.commit.is_none() && !two.is_about(&Sha::from(HEAD)));
}

#[test]
fn what_is_no_verdict_is_none() {
    let grammar = grammar();
    for text in [
        "",
        "LGTM",
        "## ✅✅✅ **Verdict: PASS** ✅✅✅",
        "✅ Check 0 (CODEOWNER): PASS — a",
        "> ## ✅✅✅ **Verdict: PASS** ✅✅✅\n> ✅ Check 0 (CODEOWNER): PASS — a",
        "<!-- recipe-reminder -->\nPlease fill in the checklist.",
        "<!-- codeowner-signoff-verify sha=abc -->",
    ] {
        assert_eq!(read(grammar, text, None), None, "{text}");
    }
}

#[test]
fn only_the_newest_of_the_head_counts_and_only_a_publishers() {
    let grammar = grammar();
    let other = "1111111111111111111111111111111111111111";
    let pass = |sha: &str| body("## ✅✅✅ **Verdict: PASS** ✅✅✅", &format!(" sha={sha}"), "");
    let fail = |sha: &str| body("## ❌❌❌ **REJECTED** ❌❌❌", &format!(" sha={sha}"), "");
    let mut edited = comment(1, "klaud-cold", &pass(HEAD), "2026-08-10");
    let comments = [
        edited.clone(),
        comment(2, "Klaud-Cold", &fail(HEAD), "2026-08-11"),
        comment(3, "github-actions[bot]", &pass(other), "2026-08-12"),
        comment(4, "stranger", &pass(HEAD), "2026-08-13"),
        comment(5, "Klaud-Cold", "## ✅✅✅ **PASS — MERGE-READY** ✅✅✅\n✅ **Check 0 (CODEOWNER):** PASS — a", "2026-08-14"),
        comment(6, "nv-owner-1", "thanks", "2026-08-15"),
    ];
    let ids = |list: &[Verdict]| list.iter().map(|verdict| verdict.id.unwrap().0).collect::<Vec<_>>();
    let found = newest_for(grammar, &comments, &Sha::from(HEAD));
    let current = found.current.clone().unwrap();
    assert_eq!((current.id, current.overall), (Some(CommentId(2)), Overall::Rejected));
    assert_eq!((ids(&found.stale), ids(&found.unpublished)), (vec![3, 1], vec![5, 4]));
    assert!(found.unpublished[1].problems.iter().any(|problem| problem.contains("stranger")));
    // Edited in place: now the first comment is the newest.
    edited.updated_at = Some(at("2026-08-16"));
    let found = newest_for(grammar, [&edited, &comments[1]], &Sha::from(HEAD));
    assert_eq!(found.current.map(|verdict| verdict.overall), Some(Overall::Pass));
    let none = newest_for(grammar, &comments, &Sha::from("2222222222222222222222222222222222222222"));
    assert_eq!((none.current, ids(&none.stale)), (None, vec![3, 2, 1]));
}

#[test]
fn a_verdict_answers_a_signoff_that_was_not_edited_since() {
    let grammar = grammar();
    let text = body("## ✅✅✅ **Verdict: PASS** ✅✅✅", " signoff=issuecomment-7", "");
    let verdict = read_comment(grammar, &comment(9, "Klaud-Cold", &text, "2026-10-05")).unwrap();
    let mut signoff = comment(7, "nv-owner-1", "As a PR reviewer", "2026-10-04");
    assert!(verdict.answers(&signoff));
    for (edited, answered) in [("2026-10-04", true), ("2026-10-05", false), ("2026-10-06", false)] {
        signoff.updated_at = Some(at(edited));
        assert_eq!(verdict.answers(&signoff), answered, "{edited}");
    }
    signoff.updated_at = None;
    for (id, place) in [(8, CommentPlace::Conversation), (7, CommentPlace::Review)] {
        assert!(!verdict.answers(&Comment { id: CommentId(id), place, ..signoff.clone() }));
    }
    signoff.created_at = None;
    assert!(!verdict.answers(&signoff));
    let unnamed = body("## ✅✅✅ **Verdict: PASS** ✅✅✅", &format!(" sha={HEAD}"), "");
    let unnamed = read_comment(grammar, &comment(9, "Klaud-Cold", &unnamed, "2026-10-05")).unwrap();
    assert!(unnamed.answers(&comment(8, "nv-owner-1", "", "2026-10-04")));
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn the_real_thread_holds_one_verdict_of_twelve_rows() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/corpus/threads/tep2-arm.txt");
    let thread = std::fs::read_to_string(path).unwrap();
    let posts: Vec<&str> = thread.split("\n[").collect();
    let grammar = grammar();
    let found: Vec<(&str, Verdict)> = posts
        .iter()
        .filter_map(|post| {
            let (author, body) = post.split_once("]\n")?;
            Some((author, read(grammar, body, Some(at("2026-08-11")))?))
        })
        .collect();
    let [(author, verdict)] = found.as_slice() else { panic!("{} verdicts", found.len()) };
    assert_eq!((*author, verdict.overall), ("Klaud-Cold", Overall::Rejected));
    let want: Vec<(u32, String, CheckStatus)> = grammar
        .numbered(verdict.at)
        .unwrap()
        .iter()
        .zip(0u32..)
        .map(|(key, number)| {
            (
                number,
                key.to_string(),
                match number {
                    3 => Fail,
                    11 => NotApplicable,
                    _ => Pass,
                },
            )
        })
        .collect();
    assert_eq!(keys(verdict), want);
    // Copying lost the mark.
    assert_eq!((verdict.form, verdict.problems.len()), (None, 1));
    let other = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/corpus/threads/1075-missing-flags.txt");
    assert_eq!(read(grammar, &std::fs::read_to_string(other).unwrap(), None), None);
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn the_real_numbers_mean_what_they_meant() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/corpus/verdicts.jsonl");
    let grammar = grammar();
    let mut rows = 0;
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let verdict: serde_json::Value = serde_json::from_str(line).unwrap();
        let day = verdict["date"].as_str().unwrap();
        for row in verdict["checks"].as_array().unwrap() {
            let want = match row["key"].as_str().unwrap() {
                "checklist" => "template",
                "image_order" => "images",
                "engine_patch" => "patches",
                "arch_hacks" => "hacks",
                same => same,
            };
            let number = u32::try_from(row["n"].as_u64().unwrap()).unwrap();
            let key = grammar.key(number, "", Some(at(day)));
            assert_eq!(key.as_ref().map(Key::as_str), Some(want), "{} {day} {number}", verdict["pr"]);
            // And as the bot writes it.
            let word = row["status"].as_str().unwrap();
            let sign = match word {
                "PASS" => '✅',
                "FAIL" => '❌',
                _ => '➖',
            };
            let text = body(
                "## ❌❌❌ **REJECTED** ❌❌❌",
                &format!(" sha={HEAD}"),
                &format!("{sign} Check {number} (it): {word} — {}\n", row["why"].as_str().unwrap()),
            );
            let read = read_at(&text, day);
            assert_eq!((read.rows.len(), read.rows[0].key.as_ref()), (1, key.as_ref()), "{text}");
            rows += 1;
        }
    }
    assert!(rows > 200, "{rows}");
}

proptest! {
    #[test]
    fn nothing_panics_and_a_pass_has_no_failed_row(text in "(<!-- codeowner-signoff-verify -->\n|## ✅✅✅ \\*\\*PASS\\*\\*\n|[✅❌➖⚠] Check [0-9]{1,2} \\([a-z ]{1,9}\\): (PASS|FAIL|N/A|WARN) — x\n|[-> *`é\n#]){0,8}") {
        let grammar = grammar();
        if let Some(verdict) = read(grammar, &text, None) {
            let worst = verdict.rows.iter().map(|row| row.status).max();
            prop_assert!(verdict.overall != Overall::Pass || worst <= Some(Pass));
        }
    }

    #[test]
    fn any_text_is_read_or_none(text in "\\PC{0,80}") {
        prop_assert_eq!(read(grammar(), &text, None), None);
        let _ = SignoffRef::parse(&text);
    }
}
