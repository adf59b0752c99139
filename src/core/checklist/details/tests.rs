//! Texts that reviewers might leave behind, merged.
//! Must not know: what is drafted of real pull requests.

#![allow(clippy::disallowed_methods)]

use super::*;
use crate::core::evidence::{Evidence, Source};
use proptest::prelude::*;

const LABELS: [(&str, &str); 4] =
    [("scope", "Scope"), ("validation", "Validation"), ("evals", "Evals"), ("results", "Results")];

fn evidence(kind: &str) -> Evidence {
    let source = Source { address: "/x".into(), commit: None, read_at: Default::default(), digest: String::new() };
    Evidence::new(kind, kind, None, source)
}

/// A paragraph on a topic that states these facts.
fn paragraph(topic: &str, facts: &[&str]) -> Paragraph {
    let label = LABELS.iter().find(|(word, _)| *word == topic).unwrap().1;
    let mut rendered = Rendered::plain(format!("- **{label}**: says"));
    for fact in facts {
        rendered.push(" ").fact(fact, &evidence(topic));
    }
    rendered.push(".");
    Paragraph { topic: topic.into(), label, rendered }
}

fn text(paragraphs: &[Paragraph]) -> String {
    untouched(paragraphs).rendered.text
}

#[test]
fn a_text_falls_into_paragraphs() {
    let table: &[(&str, &[&str])] = &[
        ("", &[]),
        ("\n\n", &["\n\n"]),
        ("a\nb\n\nc\n", &["a\nb\n\n", "c\n"]),
        ("- **A**: x\n- **B**: y", &["- **A**: x\n", "- **B**: y"]),
        ("- **A**: x\r\n\r\nfree\r\n", &["- **A**: x\r\n\r\n", "free\r\n"]),
        ("- **A**:\n  - **n**: 1\n  - 2\n\n  more\n- **B**", &["- **A**:\n  - **n**: 1\n  - 2\n\n  more\n", "- **B**"]),
        ("- **A**\n```\n\n- **B**\n\nx\n```\ny\n- **C**", &["- **A**\n```\n\n- **B**\n\nx\n```\ny\n", "- **C**"]),
        ("~~~\n```\n\n- **A**\n~~~\n\nb", &["~~~\n```\n\n- **A**\n~~~\n\n", "b"]),
        ("```\nnever closed\n\n- **A**", &["```\nnever closed\n\n- **A**"]),
        ("```x``` is code\n\nb", &["```x``` is code\n\n", "b"]),
        ("````\n```\n\nx\n````\n\ny", &["````\n```\n\nx\n````\n\n", "y"]),
        (" - **A**\n- b\n- **C**", &[" - **A**\n- b\n", "- **C**"]),
    ];
    for (whole, want) in table {
        let got: Vec<&str> = split(whole).into_iter().map(|range| &whole[range]).collect();
        assert_eq!(got, *want, "{whole:?}");
    }
}

#[test]
fn words_stand_whole() {
    let table = [
        ("0.94", "bar 0.94.", 1),
        ("0.94", "0.945 10.94 0.94.1", 0),
        ("968", "0.968", 0),
        ("c16", "c16, c160, xc16", 1),
        ("[run 1](https://h/1)", "see [run 1](https://h/1).", 1),
        ("https://h/1", "https://h/12 https://h/1", 1),
        ("−1", "(+1 −1)", 1),
    ];
    for (word, text, count) in table {
        assert_eq!(places(text, word).count(), count, "{word} in {text}");
    }
}

type Row<'a> = (&'a str, &'a dyn Fn(&str) -> String, &'a str, &'a [&'a str], usize);

#[test]
fn edits_of_every_kind() {
    let then =
        [paragraph("scope", &["3 files"]), paragraph("validation", &["9 green", "run 7001"]), paragraph("evals", &["0.968"])];
    let now =
        [paragraph("scope", &["3 files"]), paragraph("validation", &["8 green", "run 7001"]), paragraph("results", &["21.5"])];
    // Edit; what stands there then; what is lost; how many paragraphs are stale.
    let table: [Row<'_>; 8] = [
        (
            "nothing",
            &|own| own.to_owned(),
            "- **Scope**: says 3 files.\n- **Validation**: says 8 green run 7001.\n- **Results**: says 21.5.",
            &[],
            0,
        ),
        (
            "with CRLF",
            &|own| own.replace('\n', "\r\n"),
            "- **Scope**: says 3 files.\r\n- **Validation**: says 8 green run 7001.\n- **Results**: says 21.5.",
            &[],
            0,
        ),
        (
            "a remark in the middle, and one between",
            &|own| own.replace("- **Validation**: says", "\nMine.\n\n- **Validation**: I say"),
            "- **Scope**: says 3 files.\n\nMine.\n\n- **Validation**: I say 9 green run 7001.\n- **Results**: says 21.5.",
            &["9 green"],
            1,
        ),
        (
            "one is deleted",
            &|own| own.replace("- **Scope**: says 3 files.\n", ""),
            "- **Validation**: says 8 green run 7001.\n- **Results**: says 21.5.",
            &[],
            0,
        ),
        (
            "on a topic that is gone",
            &|own| own.replace("says 0.968", "says 0.968, fine"),
            "- **Scope**: says 3 files.\n- **Validation**: says 8 green run 7001.\n- **Results**: says 21.5.\n- **Evals**: says 0.968, fine.",
            &["0.968"],
            1,
        ),
        (
            "under another label",
            &|own| own.replace("Validation**: says", "Runs**: say"),
            "- **Scope**: says 3 files.\n- **Results**: says 21.5.\n- **Runs**: say 9 green run 7001.",
            &["9 green"],
            0,
        ),
        ("all is deleted", &|_| String::new(), "- **Results**: says 21.5.", &[], 0),
        ("written anew", &|_| "fine, 9 green".to_owned(), "fine, 9 green\n\n- **Results**: says 21.5.", &["9 green"], 0),
    ];
    for (name, edit, want, lost, stale) in table {
        let merged = merge(&edit(&text(&then)), &basis(&then), &now);
        assert_eq!(merged.rendered.text, want, "{name}");
        let got: Vec<&str> = merged.lost.iter().map(|lost| lost.text.as_str()).collect();
        assert_eq!((got.as_slice(), merged.stale.len()), (lost, stale), "{name}");
        assert!(merged.lost.iter().all(|lost| merged.rendered.text[lost.range.clone()] == lost.text), "{name}");
    }
}

#[test]
fn an_edit_elsewhere_gives_no_support_to_what_lost_it() {
    let then = [paragraph("validation", &["9 green"]), paragraph("evals", &["0.968"]), paragraph("results", &["21.5"])];
    let now = [paragraph("validation", &["8 green"]), paragraph("evals", &["0.968"]), paragraph("scope", &["3 files"])];
    let own = text(&then).replace("says 9", "I say 9").replace("says 21.5", "I say 21.5");
    let shown = merge(&own, &basis(&then), &now);
    let lost = |merged: &Merged| merged.lost.iter().map(|lost| lost.text.clone()).collect::<Vec<_>>();
    assert_eq!(lost(&shown), ["9 green", "21.5"]);
    let edited = |edit: &dyn Fn(String) -> String| {
        let new = edit(shown.rendered.text.clone());
        merge(&new, &rebased(&own, &basis(&then), &new, basis(&now)), &now)
    };
    // A line behind it all, another paragraph, nothing: it is as lost as it was, and no less of today is drafted.
    for edit in [&|new| new + "\n\nread by me", &|new: String| new.replace("says 0.968", "says 0.968, fine"), &|new| new]
        as [&dyn Fn(String) -> String; 3]
    {
        let merged = edited(edit);
        assert_eq!((lost(&merged), merged.stale.len()), (vec!["9 green".to_owned(), "21.5".to_owned()], 2));
        assert!(merged.rendered.text.contains("- **Scope**: says 3 files."));
    }
    // Corrected, or looked at and left standing in other words, it is the reviewer's.
    assert_eq!(lost(&edited(&|new| new.replace("9 green", "8 green"))), ["21.5"]);
    assert_eq!(lost(&edited(&|new| new.replace("I say 9", "at the commit before I saw 9"))), ["21.5"]);
}

#[test]
fn what_stands_in_an_edited_paragraph_is_tied_to_the_evidence_of_today() {
    let (then, now) = ([paragraph("evals", &["0.968 of 1319"])], [paragraph("evals", &["0.968 of 1319", "0.970"])]);
    let own = "- **Evals**: strict 0.968, more 0.970; 1319 samples, 5 of mine.";
    let merged = merge(own, &basis(&then), &now);
    let tied: Vec<&str> = merged.rendered.facts.iter().map(|(range, _)| &own[range.clone()]).collect();
    assert_eq!(tied, ["0.968", "0.970", "1319"]);
    assert_eq!((merged.stale.len(), merged.lost.as_slice()), (1, &[][..]));
    assert_eq!(merged.paragraphs, [Placed { topic: Some("evals".into()), range: 0..own.len(), kind: Kind::Edited }]);
}

#[test]
fn without_a_basis_all_is_the_reviewers() {
    let now = [paragraph("scope", &["3 files"])];
    let merged = merge("- **Scope**: says 3 files.\n\n", &[], &now);
    assert_eq!(merged.rendered, Rendered::plain("- **Scope**: says 3 files."));
    assert!(merged.edited && merged.paragraphs.iter().all(|placed| placed.kind == Kind::Own));
}

/// Some of the topics in their order, each with a fact of few.
fn some_draft() -> impl Strategy<Value = Vec<Paragraph>> {
    proptest::collection::vec(proptest::option::of(0..3_u8), LABELS.len()).prop_map(|facts| {
        let each = LABELS.iter().zip(facts);
        each.filter_map(|((topic, _), fact)| Some(paragraph(topic, &[&format!("0.96{}", fact?)]))).collect()
    })
}

/// Pieces of texts that reviewers and editors leave behind.
fn some_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\n".to_owned()),
        Just("\r\n".to_owned()),
        Just("- **Scope**: ".to_owned()),
        Just("- **Evals**: says 0.961.".to_owned()),
        Just("- **Mine**: é".to_owned()),
        Just("```".to_owned()),
        Just("  - nested".to_owned()),
        "[a-z0-9. *`~-]{0,8}",
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// The words that no draft wrote.
fn own_words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

proptest! {
    #[test]
    fn paragraphs_are_the_text(text in some_text()) {
        let pieces: String = split(&text).into_iter().map(|range| &text[range]).collect();
        prop_assert_eq!(pieces, text);
    }

    #[test]
    fn an_untouched_text_is_todays_draft(then in some_draft(), now in some_draft()) {
        // Deleted topics stay deleted; here none was.
        let merged = merge(&text(&then), &basis(&then), &now);
        if !then.is_empty() {
            prop_assert_eq!(&merged.rendered.text, &text(&now));
            prop_assert!(!merged.edited && merged.stale.is_empty() && merged.lost.is_empty());
        }
    }

    #[test]
    fn nothing_typed_is_lost(own in some_text(), then in some_draft(), now in some_draft()) {
        let merged = merge(&own, &basis(&then), &now);
        // Whatever is not a paragraph as it was drafted stands there, in order.
        let drafted: Vec<String> = basis(&then).into_iter().map(|paragraph| paragraph.text).collect();
        let mut rest = merged.rendered.text.as_str();
        for range in split(&own) {
            let body = own[range].trim_end();
            if drafted.iter().any(|known| is_same(known, body)) {
                continue;
            }
            let at = rest.find(body);
            prop_assert!(at.is_some(), "{:?} of {:?} is not in {:?}", body, own, merged.rendered.text);
            rest = &rest[at.unwrap_or(0) + body.len()..];
        }
        for (range, id) in &merged.rendered.facts {
            prop_assert!(merged.rendered.text.get(range.clone()).is_some() && merged.rendered.evidence.contains_key(id));
        }
        prop_assert!(merged.rendered.facts.windows(2).all(|pair| pair[0].0.end <= pair[1].0.start));
        for placed in &merged.paragraphs {
            prop_assert!(merged.rendered.text.get(placed.range.clone()).is_some());
        }
        prop_assert!(own_words(&merged.rendered.text).len() <= own_words(&own).len() + own_words(&text(&now)).len());
    }

    #[test]
    fn merging_again_changes_nothing(own in some_text(), then in some_draft(), now in some_draft()) {
        let once = merge(&own, &basis(&then), &now);
        let again = merge(&once.rendered.text, &basis(&now), &now);
        if !now.is_empty() && !then.is_empty() {
            prop_assert_eq!(&again.rendered.text, &once.rendered.text);
        }
    }
}
