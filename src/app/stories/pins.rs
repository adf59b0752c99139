//! Stories of evidence pinned by hand: runs, jobs and lines of logs, and what becomes of them.
//! Must not know: terminals or wires.

use super::joblog::{Logs, look, stage as logged};
use super::*;
use crate::app::screens::sweep::SweepRow;
use crate::core::ids::{JobId, Sha};
use crate::core::pins::{Subject, pinned_lines};
use crate::core::sample::{RUN, at, job};

/// The paragraph on what was pinned, line by line.
fn told(stage: &Stage) -> Vec<String> {
    let signoff = stage.model.signed().unwrap();
    let paragraph = signoff.drafted.iter().find(|paragraph| paragraph.topic.as_str() == "pins");
    let lines = paragraph.map(|paragraph| paragraph.rendered.text.lines().skip(1).map(|line| line.trim().to_owned()));
    lines.into_iter().flatten().collect()
}

fn pinned(stage: &Stage) -> Vec<String> {
    stage.model.draft.pins.iter().map(|pin| pin.label()).collect()
}

/// Puts the cursor of the sign-off on the row that tells a pin.
fn go_to(stage: &mut Stage, words: &str) {
    stage.keys("5");
    let text = stage.model.signed().unwrap().rendered.text.clone();
    let at = stage.model.signoff.rows.iter().position(|row| text[row.clone()].contains(words)).expect(words);
    stage.model.signoff.scroll.cursor = at;
}

#[test]
fn a_run_a_job_and_a_line_are_pinned_told_and_taken_away() {
    let mut stage = logged("first\n##[error]no @room `left` https://evil.example\nlast\n");
    stage.keys("2 g g a");
    assert!(stage.notice().starts_with("Pinned as evidence: run 31020193450 attempt 1."), "{}", stage.notice());
    look(&mut stage, 6);
    stage.keys("e a");
    stage.keys("Esc a");
    assert_eq!(pinned(&stage), ["run 31020193450 attempt 1", "line 2 of the log of job 6, attempt 2", "job 6 attempt 2"]);
    // The log marks it, and no other does.
    let marked = |job: u64| pinned_lines(&stage.model.draft.pins, JobId(job));
    assert_eq!((marked(6), marked(5)), (vec![2], vec![]));
    let lines = told(&stage);
    let page = "https://github.com/o/r/actions/runs/31020193450";
    assert_eq!(lines[0], format!("- [run 31020193450]({page}) attempt 1 on `e36439994`, success."));
    assert!(
        lines[1].starts_with(&format!("- line 2 of the log of [job 6]({page}/job/6) `single-node 8k1k"))
            && lines[1].contains(", attempt 2, ``Error: no @room `left` https:·//evil.example`` on `e36439994`"),
        "{}",
        lines[1]
    );
    assert!(lines[2].ends_with("on `e36439994`, success, ended 2026-08-11 08:31 UTC."), "{}", lines[2]);
    assert_eq!(stage.saved.last().unwrap().pins, stage.model.draft.pins, "kept on disk");
    // The same key takes it away, and u brings it back.
    stage.keys("a");
    assert_eq!(pinned(&stage).len(), 2);
    stage.keys("u");
    assert_eq!(pinned(&stage).len(), 3);
    // So does the row of the sign-off that tells it, and no other.
    stage.keys("5 g g a");
    assert!(stage.notice().contains("Nothing pinned is told in this row"), "{}", stage.notice());
    go_to(&mut stage, "line 2 of the log");
    stage.keys("a");
    assert!(stage.model.draft.pins.iter().all(|pin| !matches!(pin.of, Subject::Line { .. })), "{:?}", pinned(&stage));
    assert_eq!(told(&stage).len(), 2);
}

#[test]
fn what_is_no_evidence_is_refused_in_a_sentence() {
    let mut stage = logged("text\n");
    look(&mut stage, 7);
    stage.keys("Esc a");
    assert!(stage.notice().contains("job 7 is running: pin it once it ends"), "{}", stage.notice());
    let lane = stage.model.sweep.rows.iter().position(|row| matches!(row, SweepRow::Lane { .. })).unwrap();
    stage.model.sweep.scroll.cursor = lane;
    stage.keys("a");
    assert!(stage.notice().contains("on no run, job or attempt"), "{}", stage.notice());
    stage.keys("1 a");
    assert!(stage.notice().contains("pinned in the sweep pane (2)"), "{}", stage.notice());
    assert!(stage.model.draft.pins.is_empty() && told(&stage).is_empty());
}

#[test]
fn a_pin_of_an_earlier_commit_says_so_and_an_orphan_blocks_until_it_is_taken_away() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys("2 g g a");
    let measured = stage.world.head.clone();
    // The author pushes: the run is of a commit before the head.
    let next = Sha::from("f".repeat(40).as_str());
    (stage.world.measured, stage.world.before, stage.world.head) = (Some(measured.clone()), vec![measured], next);
    stage.keys("r");
    assert!(told(&stage)[0].ends_with("success; 1 commit before the head."), "{:?}", told(&stage));
    let note = |stage: &Stage| stage.model.signoff.notes.iter().map(|note| note.text.clone()).collect::<Vec<_>>().join(" ");
    assert!(note(&stage).contains("You pinned run 31020193450 attempt 1, and it is of 1 commit before the head."));
    stage.keys("0 g g Space Space Space Space 5 p");
    assert!(matches!(stage.model.posting, Posting::Confirming(_)), "{:?}", stage.model.posting);
    stage.keys("n");
    // A rebase drops the commit.
    stage.world.before = vec![Sha::from("e".repeat(40).as_str())];
    stage.keys("r");
    assert!(told(&stage)[0].ends_with("; its commit is no longer in this pull request."), "{:?}", told(&stage));
    stage.keys("p");
    let blocked = stage.blocked();
    for words in ["take the pin away", "push e36439994 to the branch again", "Run a full sweep", "do not rebase"] {
        assert!(blocked.contains(words), "{words}: {blocked}");
    }
    go_to(&mut stage, "[run 31020193450](https://github.com/o/r/actions/runs/31020193450) attempt 1 on");
    stage.keys("a p");
    assert!(stage.model.draft.pins.is_empty());
    assert!(matches!(stage.model.posting, Posting::Confirming(_)), "{:?}", stage.model.posting);
}

#[test]
fn what_ran_again_blocks_until_it_is_pinned_again() {
    let mut stage = Stage::new(World::new()).open();
    look(&mut stage, 2);
    stage.keys("Esc a 0 g g Space Space Space Space");
    let name = stage.world.jobs.items[1].name.clone();
    stage.world.jobs.items.push(job(9, 2, &name, Some("success")));
    stage.keys("r 5 p");
    assert!(stage.blocked().contains("You pinned job 2 attempt 1, and now it is attempt 2, success: pin it again"));
    look(&mut stage, 9);
    stage.keys("Esc a");
    assert_eq!(pinned(&stage), ["job 9 attempt 2"], "it takes the place of the attempt before");
    stage.keys("5 p");
    assert!(matches!(stage.model.posting, Posting::Confirming(_)), "{:?}", stage.model.posting);
}

#[test]
fn what_goes_soon_is_heard_where_it_is_relied_on() {
    let ended = at("2026-05-18T12:00:00Z");
    let mut stage =
        Stage::new(World { ended: Some(ended), artifacts_until: Some(at("2026-08-14T12:00:00Z")), ..World::new() }).open();
    let note = |stage: &Stage| stage.model.signoff.notes.iter().map(|note| note.text.clone()).collect::<Vec<_>>().join(" ");
    let cited =
        format!("The sign-off cites run {RUN}, whose artifacts expire in 3 d, and whose logs expire in 5 d by GitHub's");
    assert!(note(&stage).contains(&cited), "{}", note(&stage));
    stage.keys("2 g g a");
    assert!(told(&stage)[0].ends_with("; GitHub keeps its logs until 2026-08-16 by default."), "{:?}", told(&stage));
    let of_pin = "You pinned run 31020193450 attempt 1, and its logs expire in 5 d by GitHub's default.";
    assert!(!note(&stage).contains(of_pin), "it is said once: {}", note(&stage));
    // It is a warning: nothing is in the way of the post.
    stage.keys("0 g g Space Space Space Space 5 p");
    assert!(matches!(stage.model.posting, Posting::Confirming(_)), "{:?}", stage.model.posting);
    // A run that is no longer cited is still pinned.
    stage.world.measured = Some(Sha::from("d".repeat(40).as_str()));
    stage.keys("n r");
    assert!(note(&stage).contains(of_pin) && !note(&stage).contains("cites run"), "{}", note(&stage));
}

#[test]
fn strangers_words_in_a_pin_stay_text() {
    let mut world = World::new();
    let hostile = "evil `x` @team\n/reuse-sweep-run 1 <!-- mark --> \u{202e}[a](https://evil.example)";
    world.jobs.items.push(job(9, 1, hostile, Some("failure")));
    let trigger = crate::core::sample::TRIGGER;
    let mut stage = Stage::new(world);
    stage.logs = Logs::of(&format!("{trigger}, I - [x] all `` of it\n"));
    let mut stage = stage.open();
    look(&mut stage, 9);
    stage.keys("a Esc a");
    let text = &stage.model.signed().unwrap().rendered.text;
    let lines = told(&stage);
    assert_eq!(lines.len(), 2, "each pin is one line: {lines:?}");
    for line in &lines {
        for armed in ["https://evil", "<!--", "\u{202e}", trigger, "\n"] {
            assert!(!line.contains(armed), "{armed:?}: {line}");
        }
    }
    assert_eq!(text.matches(trigger).count(), 1, "the template's own");
    assert!(!text.lines().any(|line| line.trim_start().starts_with('/')));
}
