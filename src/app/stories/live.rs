//! Stories of runs that are still going: looked at again, at a pace, without growth, and told when they are over.
//! Must not know: terminals or wires.

use super::*;
use crate::core::sample::{RUN, job};

fn point(conc: u32) -> String {
    format!("single-node 8k1k / / p3.750 | qwen3.5 fp4 b200 sgl TP2 mtp c{conc}")
}

/// A run of so many green jobs and as many that are running.
fn world(green: u32, running: u32) -> World {
    let mut world = World::new();
    world.run_conclusion = None;
    let green_jobs = (0..green).map(|id| job(u64::from(id), 1, &point(id), Some("success")));
    let running_jobs = (green..green + running).map(|id| job(u64::from(id), 1, &point(id), None));
    world.jobs = Listing::complete(green_jobs.chain(running_jobs).collect());
    world
}

fn is_of_a_look(read: &Read) -> bool {
    matches!(read, Read::Runs { .. } | Read::Jobs(RUN))
}

/// With the runs on screen.
fn watching(world: World) -> Stage {
    let mut stage = Stage::new(world).open();
    stage.keys("2");
    // The timer of somebody who looked elsewhere is void.
    stage.timers.retain(|(ticket, _)| stage.model.is_current(ticket));
    stage
}

fn focus(stage: &mut Stage, gained: bool) {
    let effects = update(&mut stage.model, stage.world.now, Msg::Focus(gained));
    stage.perform(effects);
}

#[test]
fn sixty_minutes_of_looking_ask_little_and_leave_nothing_behind() {
    let mut stage = watching(world(10, 90));
    let began = stage.world.now;
    let mut sizes = Vec::new();
    let mut pauses = Vec::new();
    stage.asked.clear();
    while stage.world.now - began < TimeDelta::minutes(60) {
        pauses.push(stage.tick().as_secs());
        assert!(!stage.model.is_loading(), "a look does not unsettle what is known");
        sizes.push((stage.model.tickets.len(), stage.timers.len(), format!("{:?}", stage.model).len()));
    }
    assert!(stage.asked.iter().all(is_of_a_look), "{:?}", stage.asked);
    // 30 s, 1, 2 and 4 minutes, then every 5.
    assert_eq!(&pauses[..6], [30, 60, 120, 240, 300, 300]);
    assert_eq!(stage.asked.len(), 2 * pauses.len(), "the runs, and the jobs of the one that is going");
    assert!(pauses.len() < 18, "{pauses:?}");
    let (first, last) = (sizes[0], sizes[sizes.len() - 1]);
    assert_eq!((first.0, first.1), (last.0, last.1));
    assert!(last.2 < first.2 + 64, "only counters have more digits: {} and {}", first.2, last.2);
}

#[test]
fn a_run_that_moves_is_looked_at_often_and_its_end_is_told_once() {
    let mut stage = watching(world(10, 90));
    stage.tick();
    for green in 11..14 {
        stage.world.jobs = world(green, 100 - green).jobs;
        stage.tick();
        assert_eq!(stage.timers[0].1.as_secs(), 30, "{green}");
    }
    stage.world.jobs = world(98, 2).jobs;
    stage.tick();
    assert_eq!(stage.timers[0].1.as_secs(), 15, "near the end");
    stage.world.jobs = world(100, 0).jobs;
    stage.tick();
    assert_eq!((stage.notice(), stage.timers.len()), ("", 1), "the run itself is going still");
    stage.world.run_conclusion = Some("success".into());
    stage.tick();
    assert_eq!(stage.notice(), format!("run {RUN} is over: success."));
    assert_eq!((stage.rung.as_slice(), stage.timers.len()), (&[format!("run {RUN} is over: success.")][..], 0));
    stage.keys("r j");
    assert_eq!((stage.rung.len(), stage.timers.len()), (1, 0), "and nothing is looked at any more");
}

#[test]
fn a_success_in_spite_of_failed_jobs_is_a_warning() {
    for (conclusion, failed, words, bad) in [
        ("success", 0, "success.", false),
        ("success", 1, "success, 1 job failed.", true),
        ("failure", 2, "failure, 2 jobs failed.", true),
        ("cancelled", 0, "cancelled.", true),
    ] {
        let mut stage = watching(world(10, 2));
        let ends = |id: u32| if id < failed { "failure" } else { "success" };
        stage.world.jobs = Listing::complete((0..12).map(|id| job(u64::from(id), 1, &point(id), Some(ends(id)))).collect());
        stage.world.run_conclusion = Some(conclusion.into());
        stage.tick();
        assert_eq!(stage.notice(), format!("run {RUN} is over: {words}"));
        assert_eq!(stage.model.notice.as_ref().unwrap().bad, bad, "{words}");
    }
}

#[test]
fn what_a_run_measured_is_read_once_it_is_over_and_again_after_another_attempt() {
    let mut stage = watching(world(100, 0));
    let count = |stage: &Stage| {
        let of = |is: fn(&Read) -> bool| stage.asked.iter().filter(|read| is(read)).count();
        let artifacts = of(|read| matches!(read, Read::Artifacts { .. }));
        (artifacts, of(|read| matches!(read, Read::Evals { .. })), of(|read| matches!(read, Read::Results { .. })))
    };
    stage.asked.clear();
    stage.tick();
    assert_eq!(count(&stage), (0, 0, 0), "while it is going");
    stage.world.run_conclusion = Some("success".into());
    stage.tick();
    assert_eq!(count(&stage), (1, 1, 1));
    // Somebody re-ran it.
    let all = Read::Runs { branch: Some("arm".into()), head: stage.world.head.clone() };
    stage.world = World { run_conclusion: None, attempt: 2, ..stage.world };
    stage.asked.clear();
    stage.keys("r");
    assert!(stage.asked.contains(&all) && stage.timers.len() == 1, "{:?}", stage.timers);
    stage.asked.clear();
    stage.world.run_conclusion = Some("success".into());
    stage.tick();
    assert_eq!(count(&stage), (1, 1, 1));
}

#[test]
fn nobody_looks_without_need() {
    assert_eq!(Stage::new(World::new()).open().timers, [], "nothing is going");
    let mut recorded = Stage::new(world(1, 1));
    recorded.model.session.recording = Some("demo".into());
    assert_eq!(recorded.open().timers, []);
    let mut stage = Stage::new(world(10, 90)).open();
    assert_eq!(stage.timers[0].1.as_secs(), 120, "another pane is on screen");
    stage.keys("2");
    let [_, (_, pause)] = &stage.timers[..] else { panic!("{:?}", stage.timers) };
    assert_eq!(pause.as_secs(), 30, "sooner for somebody who turns to the runs");
    // The window loses the focus: the timers are void.
    stage.asked.clear();
    focus(&mut stage, false);
    stage.wait();
    stage.world.now += TimeDelta::hours(2);
    assert_eq!((stage.asked.as_slice(), stage.timers.as_slice()), (&[][..], &[][..]));
    focus(&mut stage, true);
    assert_eq!((stage.asked.len(), stage.timers.len()), (2, 1), "what was missed is read at once");
    focus(&mut stage, true);
    focus(&mut stage, false);
    focus(&mut stage, true);
    assert_eq!(stage.asked.len(), 2, "a look just now is enough");
}

#[test]
fn a_look_waits_for_a_post_and_survives_a_failure() {
    let mut stage = watching(world(10, 90));
    stage.fail = Some(Fail { on: is_of_a_look, with: server_error(), after_post: false });
    stage.tick();
    assert!(stage.model.facts.jobs[&RUN].trouble().is_some() && stage.model.facts.jobs[&RUN].value().is_some());
    assert_eq!(stage.timers.len(), 1, "it is looked at again");
    stage.fail = None;
    stage.tick();
    assert!(stage.model.facts.jobs[&RUN].settled().is_some());
    stage.model.posting = Posting::Rechecking { text: String::new() };
    stage.asked.clear();
    stage.tick();
    assert_eq!((stage.asked.as_slice(), stage.timers.len()), (&[][..], 1));
}

#[test]
fn pages_of_jobs_that_come_together_are_shown_together() {
    let mut stage = Stage::new(world(10, 0)).open();
    let asked = update(&mut stage.model, stage.world.now, Msg::Key(Key::parse("r").unwrap()));
    let is_jobs = |effect: &Effect| match effect {
        Effect::Ask(ticket, Request::Read(Read::Jobs(RUN))) => Some(ticket.clone()),
        _ => None,
    };
    let ticket = asked.iter().find_map(is_jobs).unwrap();
    let send = |stage: &mut Stage, jobs: usize| {
        let mut reply = stage.world.reply(Read::Jobs(RUN));
        if let Ok((Answer::Jobs(list), source)) = &mut reply.answer {
            let why = Trouble::new(TroubleKind::Network, "more pages are on their way", "");
            list.items.truncate(jobs);
            *list = Listing::partial(std::mem::take(&mut list.items), Some(10), why);
            source.digest = jobs.to_string();
        }
        reply.last = false;
        let effects = update(&mut stage.model, stage.world.now, Msg::Reply(ticket.clone(), Reply::Read(reply)));
        settle(&mut stage.model);
        effects
    };
    let shown = |stage: &Stage| stage.model.review.conclusions.sweeps[0].jobs.len();
    let after = |effects: Vec<Effect>| {
        let timer = |effect| match effect {
            Effect::After(ticket @ Ticket { slot: Slot::Parts, .. }, _) => Some(ticket),
            _ => None,
        };
        effects.into_iter().find_map(timer)
    };
    let timer = after(send(&mut stage, 1)).expect("a pause begins");
    assert_eq!(shown(&stage), 1, "the first page at once");
    assert_eq!(after(send(&mut stage, 2)), None);
    assert_eq!(after(send(&mut stage, 3)), None);
    assert_eq!(shown(&stage), 1);
    let timer = after(update(&mut stage.model, stage.world.now, Msg::Timer(timer))).expect("and another");
    settle(&mut stage.model);
    assert_eq!(shown(&stage), 3, "what came meanwhile");
    // Nothing came: nothing ticks.
    assert_eq!(after(update(&mut stage.model, stage.world.now, Msg::Timer(timer))), None);
    send(&mut stage, 4);
    send(&mut stage, 5);
    let whole = stage.world.reply(Read::Jobs(RUN));
    update(&mut stage.model, stage.world.now, Msg::Reply(ticket.clone(), Reply::Read(whole)));
    settle(&mut stage.model);
    assert_eq!(shown(&stage), 10, "the last page does not wait");
}
