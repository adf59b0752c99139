//! What each message says and what it does not, by conversation and findings, and that nothing in it is armed.
//! Must not know: who copies it.

use super::*;
use crate::core::checklist::migrate::tests::policy;
use crate::core::conclusions::Conclusions;
use crate::core::facts::DocumentKind;
use crate::core::markdown::dialect;
use crate::core::policy::Confidence;
use crate::core::pull::Actor;
use crate::core::remote::Remote;
use crate::core::review::Review;
use crate::core::sample::{World, actor, comment};
use crate::core::session::Draft;
use crate::core::time::Time;
use proptest::prelude::*;
use pulldown_cmark::{Event, Parser, Tag};
use std::sync::LazyLock;

const PHRASE: &str = "As a PR reviewer and CODEOWNER, I have";

fn finding(key: &str, status: Status, reason: &str) -> Finding {
    Finding {
        key: key.into(),
        title: format!("Title of {key}"),
        status,
        confidence: Confidence::Exact,
        brief: String::new(),
        reason: reason.to_owned(),
        notes: Vec::new(),
        number: None,
        evidence: Vec::new(),
        for_items: None,
    }
}

fn minute(minute: u32) -> Option<Time> {
    format!("2026-08-20T12:{minute:02}:00Z").parse().ok()
}

fn said(id: u64, by: Actor, body: &str) -> Comment {
    let at = minute(id as u32);
    Comment { created_at: at, updated_at: at, ..comment(id, by, body) }
}

/// A verdict about the head or an older commit, as the bot writes it.
fn verdict(rows: &str, at_head: bool) -> Comment {
    let head = World::new().head;
    let commit = if at_head { head.to_string() } else { "1".repeat(40) };
    let word = if rows.contains("FAIL") { "❌❌❌ REJECTED" } else { "✅✅✅ PASS" };
    said(3, actor("Klaud-Cold", 3), &format!("<!-- codeowner-signoff-verify sha={commit} -->\n## {word}\n{rows}\n"))
}

/// Facts of a conversation, and what the bot says in it.
fn heard(comments: Vec<Comment>) -> (Facts, Option<Spoken>) {
    let facts = World { comments, ..World::new() }.opened(policy());
    let review = Review::draw(policy(), &facts, &Draft::new("h", facts.repo.clone(), facts.number), None);
    (facts, review.spoken)
}

/// Under the newest rules, which have one check more.
fn newest(facts: &mut Facts) {
    if let Some(Remote::Ready(got)) = facts.documents.get_mut(&DocumentKind::Verifier) {
        got.value.text.push_str("## Check 14 — Pareto coverage\n");
    }
}

const GREEN: &str = "✅ Check 1 (sweep): PASS — green";

#[test]
fn an_author_is_told_what_is_missing_and_what_mends_it() {
    use Status::{Fail, Pass, Warn};
    let red = format!("{GREEN}\n❌ Check 3 (recipe): FAIL — no link by @who in #5\n❌ Check 5 (latest checklist): FAIL — old");
    let evals = finding("evals", Fail, "0.931 against 0.94 (`c64`).");
    /// What the bot said, what was predicted, what the message says, and what it does not.
    type Case = (Vec<Comment>, Vec<Finding>, Option<&'static [&'static str]>, &'static [&'static str]);
    let table: Vec<Case> = vec![
        (vec![], vec![finding("evals", Pass, "x"), finding("sweep", Warn, "y")], None, &[]),
        (
            vec![],
            vec![evals.clone()],
            Some(&[
                "`pr-author`, a sign-off would be rejected as things stand. What is missing:\n\n- **Title of evals**: 0.931 against 0.94",
                "\n\n  To mend it, let the evals of the changed configs run,",
                "merge `main` into it and do not rebase: a merge keeps the measured commit.",
            ]),
            &["verdict"],
        ),
        (
            vec![verdict(&red, true)],
            vec![evals.clone(), finding("recipe", Fail, "predicted otherwise")],
            Some(&[
                "`pr-author`, the sign-off was rejected ([verdict](https://github.com/o/r/pull/7#issuecomment-3), about `e36439994`).",
                "- **Title of recipe**: no link by `@who` in `#5`\n\n  To mend it, name the merged upstream pull request",
            ]),
            &["0.931", "predicted otherwise", "old", "checklist"],
        ),
        // A bot that is content, or speaks of another commit.
        (vec![verdict(GREEN, true)], vec![evals.clone()], None, &[]),
        (vec![verdict(&red, false)], vec![evals], Some(&["would be rejected", "0.931"]), &["#5"]),
        (
            vec![],
            vec![Finding {
                notes: (1..=7).map(|at| format!("Line {at} by @x.")).collect(),
                ..finding("changelog", Fail, "First.")
            }],
            Some(&[
                "First.\n  - Line 1 by `@x`.\n",
                "  - Line 5 by `@x`.\n  - and 2 more\n\n  To mend it, correct the changelog",
            ]),
            &["Line 6"],
        ),
        // What the reviewer must mend is nothing for the author.
        (vec![], vec![finding("template", Fail, "old")], None, &[]),
        (
            vec![],
            vec![finding("reuse", Fail, "No command."), finding("other", Fail, "New.")],
            Some(&["with the number of the run: `/reuse-sweep-run <run>`.", "- **Title of other**: New.\n\n"]),
            &[],
        ),
    ];
    for (comments, findings, want, never) in table {
        let (facts, spoken) = heard(comments);
        let message = to_author(policy(), &facts, &findings, spoken.as_ref());
        assert_eq!(message.is_some(), want.is_some(), "{message:?}");
        let message = message.unwrap_or_default();
        for words in want.unwrap_or_default() {
            assert!(message.contains(words), "{words}\n{message}");
        }
        assert!(never.iter().all(|words| !message.contains(words)), "{message}");
    }
    let (mut facts, _) = heard(vec![]);
    // Only what is certain is foretold, and only of a bot that there is.
    let found = |confidence| [Finding { confidence, ..finding("evals", Fail, "low") }];
    let free = Policy { verdicts: None, ..policy().clone() };
    for (policy, confidence, certain) in [
        (policy(), Confidence::Exact, true),
        (policy(), Confidence::Derived, false),
        (policy(), Confidence::Suspect, false),
        (&free, Confidence::Exact, false),
    ] {
        let message = to_author(policy, &facts, &found(confidence), None).unwrap();
        assert_eq!(message.contains("would be rejected"), certain, "{message}");
        assert_eq!(message.contains("something seems to stand in the way"), !certain, "{message}");
    }
    let mut wordless = policy().clone();
    wordless.signoff.trigger.clear();
    assert!(to_author(&wordless, &facts, &found(Confidence::Exact), None).is_some(), "nothing wakes a bot without a phrase");
    facts.pull = Remote::Loading;
    assert_eq!(to_author(policy(), &facts, &[finding("evals", Fail, "x")], None), None, "who it is to is not known");
}

#[test]
fn who_signed_beside_us_is_asked_where_one_may_sign() {
    let theirs = said(5, actor("other", 7), PHRASE);
    let (mut facts, _) = heard(vec![theirs.clone()]);
    assert_eq!(to_signer(policy(), &facts, &theirs), None);
    newest(&mut facts);
    let message = to_signer(policy(), &facts, &theirs).unwrap();
    assert!(
        message.starts_with("`other`, [a sign-off of yours](https://github.com/o/r/pull/7#issuecomment-5) stands"),
        "{message}"
    );
    assert!(message.contains("editing it, or delete it"), "{message}");
    // The address that an answer brings is not used.
    let bent = Comment { url: "https://evil/".into(), ..theirs };
    assert_eq!(to_signer(policy(), &facts, &bent), Some(message));
}

#[test]
fn who_merges_is_told_verdict_run_and_what_would_lose_it() {
    let owner = || actor("nv-owner-1", 42);
    let pin = said(2, owner(), "/reuse-sweep-run 31020193450");
    const DROPS: &str = "A rebase or force-push drops this pin; a push or merge keeps it.";
    const SKIPS: &str = "While any reuse command stands, later pushes run no sweep: re-add the label to force one.";
    let passed = "- The sign-off has passed ([verdict](https://github.com/o/r/pull/7#issuecomment-3), about `e36439994`).";
    let outsider = || Comment { association: "NONE".into(), ..pin.clone() };
    let green = || verdict(GREEN, true);
    /// The conversation, what was predicted, what the message says, and what it does not.
    type Case<'a> = (Vec<Comment>, Vec<Finding>, Option<Vec<&'a str>>, &'a [&'a str]);
    let table: Vec<Case<'_>> = vec![
        (
            vec![pin.clone(), green()],
            vec![finding("merge", Status::Warn, "It conflicts.")],
            Some(vec![
                passed,
                "- [Run 31020193450](https://github.com/o/r/actions/runs/31020193450) is pinned for reuse by `nv-owner-1`.",
                DROPS,
                SKIPS,
                "- Title of merge: It conflicts.",
                "`InferenceX/core`, `SemiAnalysisAI/core`: please merge this pull request, whose head is `e36439994`.",
            ]),
            &["newest successful"],
        ),
        (
            vec![said(2, owner(), "/reuse-sweep-run"), green()],
            vec![],
            Some(vec!["the newest successful run is reused", SKIPS]),
            &[DROPS],
        ),
        (vec![green()], vec![], Some(vec![passed]), &[DROPS, SKIPS]),
        (vec![outsider(), green()], vec![], Some(vec![passed]), &[DROPS, SKIPS]),
        (vec![pin.clone()], vec![], None, &[]),
        (vec![pin.clone(), verdict(GREEN, false)], vec![], None, &[]),
        (vec![pin.clone(), verdict("❌ Check 1 (sweep): FAIL — red", true)], vec![], None, &[]),
        (vec![pin.clone(), green()], vec![finding("sweep", Status::Fail, "red")], None, &[]),
    ];
    let policy = policy();
    let nothing = Conclusions::default();
    for (comments, findings, want, never) in table {
        let (facts, spoken) = heard(comments);
        let context = Context::new(policy, &facts, &nothing, None, None, true);
        let message = to_merger(&context, &findings, spoken.as_ref());
        assert_eq!(message.is_some(), want.is_some(), "{message:?}");
        let message = message.unwrap_or_default();
        for words in want.unwrap_or_default() {
            assert!(message.contains(words), "{words}\n{message}");
        }
        assert!(never.iter().all(|words| !message.contains(words)), "{message}");
    }
    // Without a bot, nobody asks to merge what nobody judged.
    let free = Policy { verdicts: None, ..policy.clone() };
    let (facts, _) = heard(vec![]);
    for (status, want) in [(Status::Pass, true), (Status::Warn, true), (Status::Unavailable, false), (Status::NeedsYou, false)]
    {
        let context = Context::new(&free, &facts, &nothing, None, None, true);
        assert_eq!(to_merger(&context, &[finding("sweep", status, "x")], None).is_some(), want, "{status:?}");
    }
    // A conversation that is read again, or in part, says nothing of a command.
    let (mut facts, spoken) = heard(vec![pin, green()]);
    facts.comments.start();
    let message = to_merger(&Context::new(policy, &facts, &nothing, None, None, true), &[], spoken.as_ref()).unwrap();
    assert!(message.contains("Which run is to be reused was not read.") && !message.contains(DROPS), "{message}");
    facts.pull.start();
    assert_eq!(to_merger(&Context::new(policy, &facts, &nothing, None, None, true), &[], spoken.as_ref()), None);
}

#[test]
fn who_may_start_the_bot_gets_the_address_of_our_own_sign_off() {
    let table = [(said(4, actor("nv-owner-1", 42), PHRASE), true), (said(4, actor("other", 7), PHRASE), false)];
    for (signoff, is_ours) in table {
        let (facts, _) = heard(vec![signoff]);
        let message = to_dispatcher(policy(), &facts);
        assert_eq!(message.is_some(), is_ours);
        let message = message.unwrap_or_default();
        assert!(
            !is_ours || message.ends_with("pull request 7? The sign-off is https://github.com/o/r/pull/7#issuecomment-4\n"),
            "{message}"
        );
        let without = Policy { verdicts: None, ..policy().clone() };
        assert_eq!(to_dispatcher(&without, &facts), None, "there is no bot");
    }
}

#[test]
fn nobody_is_notified_unless_the_policy_wants_it() {
    let mut policy = policy().clone();
    assert_eq!(person(&policy, &"pr-author".into()), "`pr-author`");
    policy.signoff.mentions = true;
    assert_eq!(person(&policy, &"pr-author".into()), "@pr-author");
    assert_eq!(person(&policy, &"bot[bot] @x".into()), "`bot[bot] @x`", "what is no name notifies nobody");
}

proptest! {
    #[test]
    fn no_message_holds_the_phrase_a_mention_a_box_or_a_command(
        reason in prop::collection::vec(prop::sample::select(vec![
            PHRASE, "as a pr  reviewer AND codeowner", "\n", "@who", "- [x] a", "/use 5", "<!-- m -->", "[a](https://h)", "`", "#5", "漢",
        ]), 0..8),
    ) {
        let reason = reason.join(" ");
        static FACTS: LazyLock<Facts> = LazyLock::new(|| heard(vec![]).0);
        let mut facts = FACTS.clone();
        if let Remote::Ready(got) = &mut facts.pull {
            got.value.author.login = reason.as_str().into();
            got.value.base_branch.clone_from(&reason);
        }
        let message = to_author(policy(), &facts, &[finding("evals", Status::Fail, &reason)], None).unwrap();
        let folded = message.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        prop_assert!(!folded.contains("as a pr reviewer and codeowner"), "{}", message);
        prop_assert_eq!(crate::core::markdown::tasks::tasks(&message), vec![]);
        prop_assert!(message.lines().all(|line| !line.trim_start().starts_with('/')), "{}", message);
        let linked = Parser::new_ext(&message, dialect()).any(|event| matches!(event, Event::Start(Tag::Link { .. }) | Event::Html(_)));
        prop_assert!(!linked && !message.contains("<!--"), "{}", message);
        prop_assert_eq!(message.lines().count(), 7, "{}", message);
    }
}
