//! Stories of the prediction: the day it is for, its pane, and the bot's answer beside it.
//! Must not know: terminals or wires.

use super::*;
use crate::app::screens::checks::{self, Outlook};
use crate::core::pull::Comment;
use crate::core::time::{Day, Time};

fn opened(world: World) -> Stage {
    Stage::new(world).open()
}

fn later(stage: &mut Stage, to: Time) {
    stage.world.now = to;
    let effects = update(&mut stage.model, to, Msg::Focus(true));
    stage.perform(effects);
}

#[test]
fn dated_rules_judge_by_the_utc_day_and_only_a_new_hour_makes_anything_anew() {
    let mut stage = opened(World::new());
    let today = stage.world.now.date_naive();
    assert_eq!(stage.model.facts.day, Some(today));
    let midnight = today.succ_opt().unwrap().and_hms_opt(0, 0, 0).unwrap().and_utc();
    later(&mut stage, midnight - TimeDelta::hours(1));
    update(&mut stage.model, midnight - TimeDelta::seconds(1), Msg::Focus(true));
    assert!(!stage.model.dirty && stage.model.facts.day == Some(today));
    update(&mut stage.model, midnight, Msg::Focus(true));
    assert!(stage.model.dirty && stage.model.facts.day == today.succ_opt());
    assert_eq!(stage.model.facts.now, Some(midnight));

    let day: Day = "2026-08-01".parse().unwrap();
    let mut stage = Stage::new(World::new());
    stage.model.session.day = Some(day);
    let mut stage = stage.open();
    later(&mut stage, midnight);
    assert_eq!(stage.model.facts.day, Some(day), "a day that was named stays");
}

#[test]
fn nothing_is_predicted_while_something_is_on_its_way() {
    let mut stage = Stage::new(World::new());
    let first = start(&mut stage.model, stage.world.now);
    settle(&mut stage.model);
    assert_eq!(checks::outlook(&stage.model), Outlook::Reading);
    stage.perform(first);
    assert_eq!(checks::outlook(&stage.model), Outlook::Predicted(stage.model.review.overall()));
    // A refresh keeps what is on screen, and predicts again when it is through.
    update(&mut stage.model, stage.world.now, Msg::Key(Key::parse("r").unwrap()));
    assert_eq!(checks::outlook(&stage.model), Outlook::Reading);
}

#[test]
fn a_check_leads_to_its_evidence_and_back() {
    let mut stage = opened(World::new());
    stage.keys("6");
    assert_eq!((stage.model.focus, stage.model.beside), (Pane::Checks, Pane::Checks));
    let findings = stage.model.review.findings.clone();
    assert_eq!(checks::pairs(&stage.model).len(), findings.len(), "every finding has a row");
    let sweep = findings.iter().position(|finding| finding.key.as_str() == "sweep").unwrap();
    for _ in 0..sweep {
        stage.keys("j");
    }
    assert_eq!(checks::current(&stage.model).unwrap().finding.unwrap().key.as_str(), "sweep");
    // The world's addresses are words of its own; GitHub's lead to a pane.
    let address = format!("/repos/o/r/actions/runs/{}/jobs", crate::core::sample::RUN);
    stage.model.review.findings[sweep].evidence[0].source.address = address;
    stage.keys("Enter");
    assert_eq!(stage.model.focus, Pane::Sweep);
    stage.keys("Esc");
    assert_eq!((stage.model.focus, stage.model.checks.scroll.cursor), (Pane::Checks, sweep));
    // J goes over what is green.
    stage.keys("J");
    let at = stage.model.checks.scroll.cursor;
    let status = findings[at].status;
    assert!(at != sweep && !matches!(status, Status::Pass | Status::NotApplicable), "{status:?}");
    // A row without evidence says why nothing happens.
    let bare = findings.iter().position(|finding| finding.evidence.is_empty()).unwrap();
    stage.keys("g g");
    for _ in 0..bare {
        stage.keys("j");
    }
    stage.keys("Enter");
    assert!(stage.model.notice.as_ref().unwrap().text.contains("Nothing was read"), "{:?}", stage.model.notice);
}

#[test]
fn the_bots_answer_stands_beside_the_prediction_until_it_counts_no_more() {
    let plain = opened(World::new());
    let head = plain.model.facts.head().unwrap().to_string();
    let me = plain.model.facts.viewer.value().unwrap().login.to_string();
    let at = |minute: i64| Some(World::new().now - TimeDelta::minutes(minute));
    let said = |id: u64, by: &str, body: &str, minute: i64| Comment {
        created_at: at(minute),
        updated_at: at(minute),
        ..comment(id, actor(by, id), body)
    };
    let signoff = said(1, &me, "As a PR reviewer and CODEOWNER, I have reviewed this and have:\n- [x] all", 30);
    let notes = |comments: Vec<Comment>| {
        let stage = opened(World { comments, ..World::new() });
        let notes = &stage.model.checks.notes;
        notes.iter().map(|note| note.text.clone()).collect::<Vec<_>>().join(" ")
    };
    let waiting = notes(vec![signoff.clone()]);
    assert!(waiting.contains("has not answered your sign-off of 30 m ago yet"), "{waiting}");
    let body = format!(
        "<!-- codeowner-signoff-verify signoff=issuecomment-1 -->\n## ❌❌❌ REJECTED\n❌ **Check 1 (sweep):** FAIL — red\n\n\
         Assessed commit: `{head}`"
    );
    let answered = notes(vec![signoff.clone(), said(2, "Klaud-Cold", &body, 20)]);
    assert!(answered.contains("The bot said REJECTED 20 m ago, to you: 1 check differs from the prediction"), "{answered}");
    let edited = Comment { updated_at: at(10), ..signoff };
    let stale = notes(vec![edited, said(2, "Klaud-Cold", &body, 20)]);
    assert!(
        stale.contains("STALE, counts for nothing")
            && stale.contains("was edited after it")
            && stale.contains("has not answered"),
        "{stale}"
    );
}

#[test]
fn after_a_post_the_bots_answer_is_looked_for_until_it_comes() {
    let mut stage = opened(World::new());
    assert!(!stage.model.awaits_answer() && stage.timers.is_empty());
    stage.keys("Space Space Space Space P p y");
    assert!(matches!(stage.model.posting, Posting::Posted { .. }), "{:?}", stage.model.posting);
    let me = stage.model.facts.viewer.value().unwrap().login.to_string();
    let at = |stage: &Stage| Some(stage.world.now);
    let mut ours = comment(900, actor(&me, 42), &stage.posts[0]);
    (ours.created_at, ours.updated_at) = (at(&stage), at(&stage));
    stage.world.comments.push(ours);

    stage.asked.clear();
    let pauses: Vec<u64> = (0..5).map(|_| stage.tick().as_secs()).collect();
    assert_eq!(pauses, [30, 60, 120, 240, 300]);
    let looks = |stage: &Stage| stage.asked.iter().filter(|read| **read == Read::Comments).count();
    assert_eq!((looks(&stage), stage.asked.len()), (5, 15), "one look each, at the conversation and at what the bot is doing");
    assert!(stage.model.awaits_answer());

    let head = stage.model.facts.head().unwrap().to_string();
    let body = format!(
        "<!-- codeowner-signoff-verify signoff=issuecomment-900 -->\n## ❌❌❌ REJECTED\n❌ **Check 1 (sweep):** FAIL — red\n\n\
         Assessed commit: `{head}`"
    );
    let mut answer = comment(901, actor("Klaud-Cold", 7), &body);
    (answer.created_at, answer.updated_at) = (at(&stage), at(&stage));
    stage.world.comments.push(answer);
    stage.tick();
    assert!(!stage.model.awaits_answer());
    let notice = stage.model.notice.as_ref().unwrap();
    assert!(notice.text.starts_with("The bot answered: REJECTED."), "{notice:?}");

    // A bot that never answers is not asked for ever, and a start finds an answer that was there before.
    let mut silent = opened(World::new());
    silent.keys("Space Space Space Space P p y");
    silent.asked.clear();
    while silent.model.awaits_answer() {
        silent.tick();
    }
    assert_eq!((looks(&silent), silent.timers.len()), (40, 0));
    let mut again = Stage::with(stage.world.clone(), stage.saved.last().unwrap().clone());
    let effects = start(&mut again.model, again.world.now);
    again.perform(effects);
    assert!(!again.model.awaits_answer() && again.model.notice.is_none(), "{:?}", again.model.notice);
}
