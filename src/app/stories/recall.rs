//! Stories of a second visit: what was kept is shown first, and then confirmed.
//! Must not know: where answers are kept.

use super::*;

#[test]
fn what_was_kept_is_painted_before_github_is_asked_and_then_confirmed() {
    let stage = Stage::after_a_visit(World::new()).open();
    let (title, rows) = stage.before_asking.clone().unwrap();
    assert!(!title.is_empty() && rows > 5, "{title} {rows}");
    assert!(!stage.model.is_loading());
    assert_eq!((&stage.model.reach, stage.model.kept_since()), (&Reach::Live, None));
    // Everything that can have changed is asked for once, and nothing that cannot.
    let once: HashSet<&Read> = stage.asked.iter().collect();
    assert_eq!(once.len(), stage.asked.len());
    assert_eq!(stage.asked, plan::refresh(&stage.model.facts, &stage.model.policy, &stage.model.review.needs));
}

#[test]
fn a_pull_request_never_seen_is_asked_for_at_once() {
    let stage = Stage { kept: None, ..Stage::after_a_visit(World::new()) }.open();
    assert_eq!(stage.before_asking, None, "GitHub is asked without waiting for a frame");
    assert!(!stage.model.is_loading() && stage.model.sweep.rows.len() > 5);
    let live = Stage::new(World::new()).open();
    assert_eq!(stage.asked.iter().collect::<HashSet<_>>(), live.asked.iter().collect());
    assert_eq!(stage.asked.len(), live.asked.len());
}

#[test]
fn what_was_not_kept_is_asked_for_with_the_rest() {
    let mut stage = Stage::after_a_visit(World::new());
    stage.not_kept = |read| matches!(read, Read::Comments | Read::Evals { .. } | Read::Jobs(_));
    let stage = stage.open();
    assert!(stage.before_asking.is_some_and(|(title, _)| !title.is_empty()));
    assert!(stage.asked.iter().any(|read| matches!(read, Read::Evals { .. })));
    assert!(!stage.model.is_loading() && stage.model.talk.rows.len() > 1 && stage.model.signed().is_some());
}

#[test]
fn a_head_that_moved_meanwhile_takes_over() {
    let mut stage = Stage::after_a_visit(World::new());
    stage.world.head = "f".repeat(40).as_str().into();
    let stage = stage.open();
    assert_eq!(stage.model.facts.head(), Some(&stage.world.head));
    let of_new = |read: &Read| matches!(read, Read::SideFile { commit, .. } if *commit == stage.world.head);
    assert!(stage.asked.iter().any(of_new), "{:?}", stage.asked);
    assert!(!stage.model.is_loading() && stage.model.kept_since().is_none());
}

#[test]
fn a_github_that_does_not_answer_leaves_what_was_kept_with_its_age() {
    let mut stage = Stage::after_a_visit(World::new());
    stage.fail = Some(Fail { on: |_| true, with: server_error(), after_post: false });
    let visit = stage.kept.as_ref().map(|world| world.now);
    let stage = stage.open();
    assert_eq!(stage.model.kept_since(), visit);
    assert!(stage.model.sweep.rows.len() > 5 && stage.model.facts.pull.trouble().is_some());
}

#[test]
fn offline_nothing_is_asked_and_nothing_posted() {
    let mut stage = Stage::after_a_visit(World::new());
    stage.model.reach = Reach::Offline;
    stage.not_kept = |read| matches!(read, Read::Comments);
    let visit = stage.kept.as_ref().map(|world| world.now);
    let mut stage = stage.open();
    assert_eq!((stage.asked.len(), stage.model.kept_since()), (0, visit));
    assert_eq!(stage.model.facts.comments.trouble().map(|trouble| trouble.kind), Some(TroubleKind::Uncached));
    stage.keys("r");
    assert!(stage.notice().contains("Offline"), "{}", stage.notice());
    stage.keys("Space Space Space Space P p");
    assert!(stage.notice().contains("Offline"), "{}", stage.notice());
    assert_eq!((stage.model.draft.ticks.len(), &stage.model.posting), (4, &Posting::Draft));
    assert!(stage.asked.is_empty() && stage.posts.is_empty());
}

#[test]
fn a_post_rests_on_github_s_word_after_a_start_from_the_cache() {
    let mut stage = Stage::after_a_visit(World::new());
    stage.model.reach = Reach::Recalling { missed: HashSet::new() };
    let effects = start(&mut stage.model, stage.world.now);
    // Before GitHub was asked, p says so.
    for key in ["P", "p"] {
        assert_eq!(update(&mut stage.model, stage.world.now, Msg::Key(Key::parse(key).unwrap())), []);
    }
    assert_eq!(stage.model.posting, Posting::Draft);
    stage.perform(effects);
    stage.keys("0 Space Space Space Space P");
    stage.asked.clear();
    stage.keys("p y");
    assert_eq!(stage.posts.len(), 1);
    assert!(stage.asked.contains(&Read::Pull) && stage.asked.contains(&Read::Viewer));
}

#[test]
fn what_was_kept_is_no_look_for_a_comment_whose_outcome_is_unclear() {
    let first = {
        let mut stage = Stage::new(World::new()).open();
        stage.on_post = Sent::Unclear(server_error());
        stage.keys("Space Space Space Space P p y");
        stage.saved.iter().rev().find(|draft| draft.attempt.is_some()).unwrap().clone()
    };
    let mut stage = Stage::after_a_visit(World::new());
    stage.model.draft = first;
    let stage = stage.open();
    let Posting::Searching { looks, .. } = &stage.model.posting else { panic!("{:?}", stage.model.posting) };
    assert_eq!(*looks, 1, "one look at GitHub, none at the cache");
}
