//! Stories of the writes besides the sign-off: asked about, looked at once more, sent once.
//! Must not know: how they are sent.

use super::*;
use crate::app::screens::sweep::SweepRow;
use crate::app::update::errand::can_begin;
use crate::core::errand::{Errands, Outcome};
use crate::core::ids::{JobId, RunId};
use crate::core::pull::Run;
use crate::core::sample::{RUN, TRIGGER, job};

const PIN: &str = "/reuse-sweep-run 31020193450";

fn world() -> World {
    let mut world = World::new();
    world.jobs.items.push(job(9, 1, "single-node 8k1k / / p3.750 | qwen3.5 fp4 b200 sgl TP2 c4", Some("failure")));
    world
}

impl Stage {
    /// Opens the sweep pane with the cursor on its run.
    fn at_sweep(world: World) -> Stage {
        let mut stage = Stage::new(world).open();
        stage.keys("2 g g");
        stage
    }

    /// GitHub's answer to the newest errand.
    fn answer(&mut self, outcome: Outcome) {
        let (ticket, _) = self.orders.last().expect("nothing was sent").clone();
        let effects = update(&mut self.model, self.world.now, Msg::Reply(ticket, Reply::Carried(outcome)));
        self.perform(effects);
    }

    fn sent(&self) -> Vec<Order> {
        self.orders.iter().map(|(_, order)| order.clone()).collect()
    }

    fn shown(&self) -> &str {
        match &self.model.errands {
            Errands::Confirming(prepared) => &prepared.what,
            other => panic!("nothing is asked: {other:?}; {}", self.notice()),
        }
    }
}

fn lost() -> Outcome {
    Outcome::Unclear(Trouble::new(TroubleKind::Network, "The connection was cut.", "Try again."))
}

#[test]
fn a_rerun_is_shown_read_again_sent_once_and_read_afterwards() {
    let mut stage = Stage::at_sweep(world());
    stage.keys("R");
    assert_eq!(stage.shown(), "Re-run the 1 failed job of run 31020193450 (attempt 1 → 2)");
    assert_eq!(stage.sent(), []);
    stage.asked.clear();
    stage.keys("y y y");
    assert_eq!(stage.sent(), [Order::RerunFailed(RUN)]);
    for read in [Read::Pull, Read::Run(RUN), Read::Jobs(RUN)] {
        assert_eq!(stage.asked.iter().filter(|asked| **asked == read).count(), 1, "{read:?} before it is sent");
    }
    stage.keys("R");
    assert!(stage.notice().contains("is on its way to GitHub"), "{}", stage.notice());
    stage.asked.clear();
    stage.answer(Outcome::Done { link: None });
    assert!(stage.notice().starts_with("Done: Re-run the 1 failed job"), "{}", stage.notice());
    assert_eq!(stage.asked, [Read::Run(RUN), Read::Jobs(RUN)]);
    assert_eq!(stage.sent().len(), 1);
    // A second answer to the same request says nothing.
    stage.answer(lost());
    assert!(
        matches!(&stage.model.errands, Errands::Done { link: Some(link), .. } if link.ends_with("/actions/runs/31020193450"))
    );
}

#[test]
fn each_key_asks_about_what_the_cursor_is_on() {
    let mut stage = Stage::at_sweep(world());
    stage.keys("J");
    assert!(stage.notice().contains("on no job"), "{}", stage.notice());
    let at = stage.model.sweep.rows.iter().position(|row| match row {
        SweepRow::Job { job, .. } => stage.model.review.conclusions.sweeps[0].jobs[*job].job.id == JobId(9),
        _ => false,
    });
    stage.model.sweep.scroll.cursor = at.expect("its lane is open");
    stage.keys("J");
    assert!(stage.shown().starts_with("Re-run the job single-node 8k1k"), "{}", stage.shown());
    stage.keys("y");
    assert_eq!(stage.sent(), [Order::RerunJob(JobId(9))]);

    let mut going = world();
    going.run_conclusion = None;
    let mut stage = Stage::at_sweep(going);
    stage.keys("R");
    assert!(stage.notice().contains("in_progress still"), "{}", stage.notice());
    stage.keys("X y");
    assert_eq!(stage.sent(), [Order::Cancel(RUN)]);
    let mut stage = Stage::at_sweep(world());
    stage.keys("X");
    assert!(stage.notice().contains("over already"), "{}", stage.notice());
    stage.keys("U y");
    assert_eq!(stage.sent(), [Order::Comment { body: PIN.into() }]);
}

#[test]
fn nothing_is_sent_without_a_word() {
    for answer in ["n", "Esc", "q", "Enter", "Space", "R", "p"] {
        let mut stage = Stage::at_sweep(world());
        stage.keys("R").keys(answer);
        assert_eq!((stage.sent(), stage.quit), (vec![], false), "{answer}");
        let is_closed = stage.model.errands == Errands::Idle;
        assert_eq!(is_closed, matches!(answer, "n" | "Esc" | "q"), "{answer}: {:?}", stage.model.errands);
    }
}

#[test]
fn what_changed_since_it_was_shown_is_shown_again() {
    let mut stage = Stage::at_sweep(world());
    stage.keys("R");
    stage.world.jobs.items.push(job(11, 1, "eval / / p3.750 | qwen3.5 fp4 b200 sgl TP2 c4 | eval-only", Some("failure")));
    stage.keys("y");
    assert_eq!((stage.sent(), stage.shown()), (vec![], "Re-run the 2 failed jobs of run 31020193450 (attempt 1 → 2)"));
    assert!(stage.notice().contains("Something changed meanwhile"), "{}", stage.notice());
    stage.world.run_conclusion = None;
    stage.keys("y");
    assert_eq!(stage.sent(), []);
    assert!(stage.notice().contains("Not done: Run 31020193450 is in_progress still"), "{}", stage.notice());

    let mut stage = Stage::at_sweep(world());
    stage.keys("R");
    stage.fail = Some(Fail { on: |read| matches!(read, Read::Run(_)), with: server_error(), after_post: false });
    stage.keys("y");
    assert_eq!(stage.sent(), []);
    assert!(stage.notice().contains("cannot be read again. GitHub answered 502."), "{}", stage.notice());
}

#[test]
fn a_sweep_that_began_meanwhile_is_not_ended_without_a_word() {
    for (keys, order) in [
        ("R", Order::RerunFailed(RUN)),
        ("L j Enter", Order::RemoveLabel("full-sweep-enabled".into())),
        ("J", Order::RerunJob(JobId(9))),
    ] {
        let mut stage = Stage::at_sweep(world());
        let rows = &stage.model.sweep.rows;
        let failed = rows.iter().position(|row| match row {
            SweepRow::Job { job, .. } => stage.model.review.conclusions.sweeps[0].jobs[*job].job.id == JobId(9),
            _ => false,
        });
        stage.model.sweep.scroll.cursor = failed.expect("its lane is open");
        stage.keys(keys);
        stage.shown();
        let going = Run { id: RunId(31_020_193_999), status: "in_progress".into(), conclusion: None, ..stage.world.run() };
        stage.world.more_runs.push(going);
        stage.keys("y");
        assert_eq!(stage.sent(), [], "{keys}");
        let Errands::Confirming(now) = &stage.model.errands else { panic!("{keys}: {}", stage.notice()) };
        assert!(now.consequences.iter().any(|told| told.contains("It ends run 31020193999")), "{:?}", now.consequences);
        stage.keys("y");
        assert_eq!(stage.sent(), [order]);
    }
}

#[test]
fn a_refusal_is_told_and_can_be_asked_for_again() {
    let mut stage = Stage::at_sweep(world());
    stage.keys("R y");
    stage.answer(Outcome::Refused(Trouble::new(TroubleKind::Access, "You may not.", "Ask a maintainer.")));
    assert_eq!(stage.notice(), "Not done: You may not. Ask a maintainer.");
    stage.keys("R y");
    assert_eq!(stage.sent().len(), 2, "by the person's word");
    let mut limit = Trouble::new(TroubleKind::Limited, "GitHub asks for a pause.", "Wait.");
    limit.retry_at = Some(stage.world.now + TimeDelta::seconds(42));
    stage.answer(Outcome::Refused(limit));
    stage.keys("R");
    assert!(stage.notice().contains("another 0:42"), "{}", stage.notice());
}

#[test]
fn an_unclear_outcome_is_resolved_by_looking() {
    // It arrived.
    let mut stage = Stage::at_sweep(world());
    stage.keys("U y");
    stage.world.comments.push(comment(900, actor("nv-owner-1", 42), PIN));
    stage.answer(lost());
    assert!(matches!(&stage.model.errands, Errands::Done { link: Some(link), .. } if link.ends_with("900")));
    assert!(stage.notice().starts_with("Done: Comment"), "{}", stage.notice());

    // It arrived late.
    let mut stage = Stage::at_sweep(world());
    stage.keys("R y");
    stage.answer(lost());
    assert!(stage.notice().contains("looking. The connection was cut."), "{}", stage.notice());
    assert!(stage.model.errands.is_under_way() && stage.timers.len() == 1);
    stage.world.run_conclusion = None;
    stage.wait();
    assert!(matches!(stage.model.errands, Errands::Done { .. }), "{:?}", stage.model.errands);

    // It did not.
    let mut stage = Stage::at_sweep(world());
    stage.keys("R y");
    stage.answer(lost());
    stage.wait().wait().wait();
    assert!(stage.notice().contains("nothing of it after 3 looks. Look at https://"), "{}", stage.notice());
    assert_eq!((stage.sent().len(), stage.timers.len()), (1, 0), "never sent again by itself");

    // Nobody can tell: the conversation is not whole, or the run goes on.
    let mut stage = Stage::at_sweep(world());
    stage.keys("U y");
    stage.fail = Some(Fail { on: |read| matches!(read, Read::Comments), with: server_error(), after_post: false });
    stage.answer(lost());
    stage.wait().wait();
    assert!(stage.notice().contains("not clear whether it was done: look at https://"), "{}", stage.notice());
    assert!(matches!(stage.model.errands, Errands::Unclear { .. }));
    let mut going = world();
    going.run_conclusion = None;
    let mut stage = Stage::at_sweep(going);
    stage.keys("X y");
    stage.answer(lost());
    stage.wait().wait();
    assert!(stage.notice().contains("The run goes on so far"), "{}", stage.notice());
    assert_eq!(stage.sent().len(), 1);
}

#[test]
fn labels_are_chosen_from_the_policy_s_list() {
    let mut stage = Stage::new(world()).open();
    stage.keys("L k");
    assert_eq!(stage.model.errands, Errands::Choosing { cursor: 0 });
    stage.keys("j Enter");
    assert_eq!(stage.shown(), "Take the label full-sweep-enabled off");
    stage.keys("y");
    assert_eq!(stage.sent(), [Order::RemoveLabel("full-sweep-enabled".into())]);
    stage.world.labels.clear();
    stage.asked.clear();
    stage.answer(lost());
    assert!(stage.notice().starts_with("Done: Take the label"), "seen in the labels: {}", stage.notice());
    assert!(stage.asked.contains(&Read::LabelEvents) && stage.asked.iter().any(|read| matches!(read, Read::Runs { .. })));
    stage.keys("L j Space y");
    assert_eq!(stage.sent().last(), Some(&Order::AddLabel("full-sweep-enabled".into())));
    let mut stage = Stage::new(world()).open();
    stage.keys("L Enter");
    assert!(stage.notice().contains("two sweep labels conflict"), "{}", stage.notice());
    stage.keys("L q");
    assert_eq!((&stage.model.errands, stage.quit, stage.sent()), (&Errands::Idle, false, vec![]));
}

#[test]
fn the_bot_is_asked_again_about_a_sign_off_of_ours() {
    let mut stage = Stage::new(world()).open();
    stage.keys("V");
    assert!(stage.notice().contains("No sign-off of yours"), "{}", stage.notice());
    let mut signed = world();
    signed.comments.push(comment(300, actor("nv-owner-1", 42), &format!("{TRIGGER}, I have looked.")));
    let mut stage = Stage::new(signed).open();
    stage.keys("V y");
    assert!(matches!(&stage.sent()[..], [Order::Dispatch { branch, .. }] if branch == "main"));
    stage.answer(lost());
    assert!(matches!(stage.model.errands, Errands::Unclear { .. }), "nothing here shows it");
}

#[test]
fn none_of_it_is_there_where_nothing_may_be_sent() {
    let offline: fn(&mut Stage) = |stage| stage.model.reach = Reach::Offline;
    let replay: fn(&mut Stage) = |stage| stage.model.session.recording = Some("demo".into());
    let posting: fn(&mut Stage) = |stage| stage.model.posting = Posting::Rechecking { text: "x".into() };
    for (change, words) in [(offline, "Offline"), (replay, "recording (demo)"), (posting, "comment is on its way")] {
        for key in ["R", "J", "X", "U", "L", "V"] {
            let mut stage = Stage::at_sweep(world());
            change(&mut stage);
            stage.keys(key);
            assert!(stage.notice().contains(words), "{key}: {}", stage.notice());
            assert_eq!(stage.model.errands, Errands::Idle);
        }
    }
    let mut stage = Stage::new(World { comments: Vec::new(), ..world() }).open();
    stage.keys("Space Space Space Space 5 p y");
    assert!(matches!(stage.model.posting, Posting::Warned(_)));
    assert!(can_begin(&stage.model).unwrap_err().contains("comment is on its way"));
}

#[test]
fn what_an_errand_sets_off_was_all_on_screen_before_it_is_sent() {
    for keys in ["PageDown", "j j j j j j j j j j j j j j j j j j j j", "C-d C-d C-d", "PageDown k"] {
        let mut stage = Stage::new(world());
        stage.model.size = (60, 13);
        let mut stage = stage.open();
        stage.keys("2 g g U");
        stage.shown();
        stage.keys("y");
        assert_eq!(stage.sent(), []);
        assert!(stage.notice().contains("PageDown shows the rest"), "{}", stage.notice());
        // The last page alone is not all of it.
        stage.keys("G y");
        assert_eq!(stage.sent(), []);
        stage.keys("g g").keys(keys).keys("PageDown PageDown PageDown PageDown PageDown y");
        assert_eq!(stage.sent().len(), 1, "{keys}: {}", stage.notice());
    }
}
