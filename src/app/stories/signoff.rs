//! Stories of the sign-off in the making: reasons, links behind items, the preview, what a fact rests on.
//! Must not know: terminals or wires.

use super::*;

#[test]
fn a_reason_and_a_link_are_typed_kept_and_taken_away() {
    let mut stage = Stage::new(World::new()).open();
    let key = stage.model.signed().unwrap().items[1].key.clone();
    stage.keys("j x");
    stage.paste("the head is a merge\nof main");
    stage.keys("Enter");
    assert_eq!(stage.model.draft.reasons.get(&key).map(String::as_str), Some("the head is a merge"), "one line");
    stage.keys("l");
    stage.paste(" https://example.org/a ");
    stage.keys("Enter");
    assert_eq!(stage.model.draft.behind.get(&key).map(String::as_str), Some("https://example.org/a"));
    assert_eq!(stage.saved.last(), Some(&stage.model.draft), "kept on disk");
    // What was written stands in the field again; an emptied one takes it away, and Esc changes nothing.
    stage.keys("l C-u Esc x");
    assert!(matches!(&stage.model.overlay, Overlay::Typing { text, .. } if text == "the head is a merge"));
    stage.keys("C-u Enter");
    assert!(stage.model.draft.reasons.is_empty() && !stage.model.draft.behind.is_empty());
}

#[test]
fn the_comment_is_shown_as_github_will_and_as_it_is_posted() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys("P");
    let source = stage.model.signoff.len();
    assert!(stage.model.signoff.preview.is_none());
    stage.keys("G m");
    assert_eq!(stage.model.signoff.scroll.cursor, 0);
    let shown: Vec<String> = stage.model.signoff.preview.iter().flatten().map(|row| row.text()).collect();
    assert!(!shown.is_empty() && !shown.iter().any(|row| row.contains("- [ ]") || row.contains("**")), "{shown:#?}");
    // A tick is seen there too.
    stage.keys("0 Space P");
    let ticked = |stage: &Stage| stage.model.signoff.preview.iter().flatten().any(|row| row.text().contains('☑'));
    assert!(ticked(&stage), "{:#?}", stage.model.signoff.preview);
    stage.keys("m");
    assert!(stage.model.signoff.preview.is_none() && stage.model.signoff.len() >= source);
}

#[test]
fn a_fact_leads_to_what_it_was_read_from() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys("P");
    let text = stage.model.signed().unwrap().rendered.text.clone();
    let rows = stage.model.signoff.rows.clone();
    let row = rows.iter().position(|row| text[row.clone()].contains("**Validation**")).unwrap();
    stage.keys(&vec!["j"; row].join(" "));
    // This world's answers bear no addresses of GitHub's.
    if let Some(Ok(signoff)) = &mut stage.model.review.signoff {
        for evidence in signoff.rendered.evidence.values_mut() {
            evidence.source.address = "/repos/o/r/actions/runs/31020193450/jobs".to_owned();
        }
    }
    stage.keys("Enter");
    assert_eq!(stage.model.focus, Pane::Sweep);
    stage.keys("Esc");
    assert_eq!((stage.model.focus, stage.model.signoff.scroll.cursor), (Pane::Signoff, row));
    stage.keys("g g Enter");
    assert!(stage.notice().contains("rests on evidence"), "{}", stage.notice());
}
