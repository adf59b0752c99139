//! Stories of GitHub's limits: counted down, and over by themselves.
//! Must not know: how a limit is told on the wire.

use super::*;

/// GitHub's refusal for a limit that ends so many seconds from now.
fn limit(stage: &Stage, seconds: i64) -> Trouble {
    let mut trouble = Trouble::new(TroubleKind::Limited, "GitHub asks for a pause.", "Wait.");
    trouble.retry_at = Some(stage.world.now + TimeDelta::seconds(seconds));
    trouble
}

#[test]
fn a_limit_is_counted_down_and_what_it_kept_back_is_asked_for_once() {
    let mut stage = Stage::new(World::new());
    stage.world.now += TimeDelta::milliseconds(400);
    let kept_back = |read: &Read| matches!(read, Read::Pull | Read::Comments);
    stage.fail = Some(Fail { on: kept_back, with: limit(&stage, 3), after_post: false });
    stage = stage.open();
    assert_eq!((stage.model.countdown().as_deref(), stage.timers.len()), (Some("0:03"), 1));
    assert!(stage.model.facts.pull.trouble().is_some() && !stage.model.is_loading());
    stage.fail = None;
    stage.asked.clear();
    let mut seen = Vec::new();
    for _ in 0..3 {
        assert_eq!(stage.tick(), Duration::from_secs(1));
        seen.extend(stage.model.countdown());
    }
    assert_eq!(seen, ["0:02", "0:01", "0:00"]);
    assert_eq!(stage.asked, [], "nothing is asked before the end");
    // Not at once: as much later as the clock stood past its second when the limit came.
    assert_eq!(stage.tick(), Duration::from_millis(600));
    let again: Vec<&Read> = stage.asked.iter().filter(|read| kept_back(read)).collect();
    assert_eq!(again, [&Read::Pull, &Read::Comments]);
    assert!(stage.asked.iter().any(|read| matches!(read, Read::Runs { .. })), "what depends on it follows");
    assert!(!stage.asked.contains(&Read::Files), "what has come is not read again");
    assert_eq!((stage.model.countdown(), stage.timers.len(), stage.model.is_loading()), (None, 0, false));
    assert!(stage.model.facts.pull.settled().is_some() && stage.model.facts.comments.settled().is_some());
}

#[test]
fn a_list_that_a_limit_cut_short_is_read_again_too() {
    let mut world = World::new();
    let whole = world.jobs.clone();
    let stage = Stage::new(World::new());
    world.jobs = Listing::partial(whole.items.clone(), Some(240), limit(&stage, 2));
    let mut stage = Stage::new(world).open();
    stage.world.jobs = whole;
    stage.asked.clear();
    stage.tick();
    stage.tick();
    assert!(matches!(&stage.asked[..], [Read::Jobs(_)]), "{:?}", stage.asked);
    assert_eq!((stage.model.countdown(), stage.timers.len()), (None, 0));
}

#[test]
fn a_limit_that_comes_again_at_once_is_asked_less_and_less() {
    let mut stage = Stage::new(World::new());
    stage.fail = Some(Fail { on: |read| matches!(read, Read::Comments), with: limit(&stage, 0), after_post: false });
    stage = stage.open();
    let mut waits = Vec::new();
    for _ in 0..9 {
        let began = stage.world.now;
        let asked = stage.asked.len();
        while stage.asked.len() == asked {
            stage.tick();
        }
        waits.push((stage.world.now - began).num_seconds());
    }
    assert_eq!(waits, [1, 2, 4, 8, 16, 32, 64, 64, 64]);
}

#[test]
fn what_is_read_by_hand_meanwhile_is_not_read_again() {
    let mut stage = Stage::new(World::new());
    stage.fail = Some(Fail { on: |read| matches!(read, Read::Comments), with: limit(&stage, 2), after_post: false });
    stage = stage.open();
    stage.fail = None;
    stage.keys("r");
    stage.asked.clear();
    stage.tick();
    stage.tick();
    assert_eq!((stage.asked.len(), stage.model.countdown()), (0, None));
}

#[test]
fn a_post_that_a_limit_refused_waits_for_its_end_and_for_the_person() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys("Space Space Space Space 5 p");
    let text = stage.model.signed().unwrap().rendered.text.clone();
    stage.on_post = Sent::Refused(limit(&stage, 42));
    stage.keys("y");
    let said = |stage: &Stage| stage.model.signoff.notes.iter().map(|note| note.text.as_str()).collect::<Vec<_>>().join(" ");
    assert!(said(&stage).contains("Not posted. GitHub asks for a pause. It can be sent in 0:42."), "{}", said(&stage));
    assert_eq!((stage.saved.last().unwrap().attempt.clone(), stage.saved.last().unwrap().ticks.len()), (None, 4));
    stage.on_post = Sent::Posted(Posted { id: CommentId(900), author: None, url: "u".into() });
    stage.keys("p y");
    assert!(matches!(stage.model.posting, Posting::NotPosted { .. }));
    stage.keys("p");
    assert_eq!(stage.notice(), "GitHub's limit is in force: nothing can be sent for another 0:42.");
    for _ in 0..42 {
        stage.tick();
    }
    // The end of the limit sends nothing and asks nothing: the word is the person's, and is asked for again.
    assert_eq!((stage.posts.len(), stage.timers.len(), stage.model.countdown()), (1, 0, None));
    assert!(matches!(stage.model.posting, Posting::NotPosted { .. }));
    stage.asked.clear();
    stage.keys("p");
    assert!(stage.asked.contains(&Read::Pull) && stage.asked.contains(&Read::Comments), "rechecked: {:?}", stage.asked);
    assert!(matches!(stage.model.posting, Posting::Confirming(_)));
    assert_eq!(stage.posts.len(), 1);
    stage.keys("y");
    assert_eq!(stage.posts, [text.clone(), text]);
    assert!(matches!(stage.model.posting, Posting::Posted { .. }));
}
