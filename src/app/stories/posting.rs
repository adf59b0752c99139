//! Stories of the ways in which a sign-off goes out: as a review, as an approval, in place of an earlier one, and in spite
//! of what the bot will reject.
//! Must not know: addresses and methods.

use super::*;
use crate::core::checklist::blocks::is_signoff;
use crate::core::posting::{Target, text_digest};
use crate::core::pull::{Comment, CommentPlace};
use crate::core::session::Way;
use crate::core::verdict::SignoffRef;

const EARLIER: &str = "As a PR reviewer and CODEOWNER, I have looked.";

fn unclear() -> Sent {
    Sent::Unclear(Trouble::new(TroubleKind::Network, "The connection was cut.", ""))
}

fn review(id: u64, state: &str, body: &str) -> Comment {
    let said = comment(id, actor("nv-owner-1", 42), body);
    Comment { place: CommentPlace::Review, detail: Some(state.to_owned()), ..said }
}

/// A stage whose draft edits the sign-off that stands as comment 500.
fn editing() -> Stage {
    let mut world = World::new();
    world.comments.push(comment(500, actor("nv-owner-1", 42), EARLIER));
    let facts = world.facts();
    let mut draft = Draft::new("api.github.com", facts.repo.clone(), facts.number);
    draft.edits = Some(SignoffRef { place: CommentPlace::Conversation, id: CommentId(500) });
    draft.edits_text = Some(text_digest(EARLIER));
    Stage::with(world, draft).open()
}

fn not_posted(stage: &Stage) -> &str {
    match &stage.model.posting {
        Posting::NotPosted { why, .. } => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_way_is_chosen_kept_and_sent() {
    let table = [("", Way::Comment), ("W", Way::Review), ("W W", Way::Approve), ("W W W", Way::Comment)];
    for (keys, way) in table {
        let mut stage = Stage::new(World::new()).open();
        stage.keys("Space Space Space Space 5").keys(keys);
        assert_eq!(stage.saved.last().unwrap().way, way);
        stage.keys("p");
        assert_eq!(stage.model.posting.question().unwrap().target, Target::New(way));
        stage.keys("y");
        let [letter] = &stage.letters[..] else { panic!("{:?}", stage.letters) };
        assert_eq!((letter.target, &letter.head), (Target::New(way), &stage.world.head));
        let attempt = stage.saved.iter().find_map(|draft| draft.attempt.clone()).unwrap();
        assert_eq!(attempt.target, Target::New(way), "written down before it was sent");
        assert!(matches!(stage.model.posting, Posting::Posted { .. }));
        // Where it stands now is what is read again.
        let read = if way == Way::Comment { Read::Comments } else { Read::Reviews };
        assert_eq!(stage.asked.last(), Some(&read));
    }
}

#[test]
fn an_unclear_review_is_looked_for_among_reviews() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys("Space Space Space Space 5 W W p");
    stage.on_post = unclear();
    stage.keys("y");
    let body = stage.posts[0].clone();
    // A comment that says the same is not it, nor is a review that does not approve.
    stage.world.comments.push(comment(901, actor("nv-owner-1", 42), &body));
    stage.world.reviews.push(review(902, "COMMENTED", &body));
    stage.wait();
    assert!(matches!(stage.model.posting, Posting::Searching { looks: 2, .. }), "{:?}", stage.model.posting);
    stage.world.reviews.push(review(903, "APPROVED", &body));
    stage.wait();
    assert!(matches!(&stage.model.posting, Posting::Posted { url } if url.ends_with("903")), "{:?}", stage.model.posting);
    assert_eq!(stage.posts.len(), 1);
}

#[test]
fn a_crash_while_a_review_was_sent_is_resolved_among_reviews() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys("Space Space Space Space 5 W p y");
    let draft = stage.saved.iter().rfind(|draft| draft.attempt.is_some()).unwrap().clone();
    let world = World { reviews: vec![review(901, "COMMENTED", &stage.posts[0])], ..World::new() };
    let reopened = Stage::with(world, draft.clone()).open();
    assert!(matches!(reopened.model.posting, Posting::Posted { .. }), "{:?}", reopened.model.posting);
    // Another window sends it perhaps at this moment.
    let mut second = Stage::with(World::new(), draft.clone());
    second.model.draft_state = DraftState::ReadOnly("Another window has it.".into());
    assert_eq!(second.open().model.posting, Posting::Draft);
    let mut reopened = Stage::with(World::new(), draft).open();
    reopened.wait().wait();
    assert!(not_posted(&reopened).contains("list of reviews was searched 3 times"), "{}", not_posted(&reopened));
    assert!(reopened.posts.is_empty());
}

#[test]
fn an_earlier_sign_off_is_edited_in_place() {
    let mut stage = editing();
    stage.keys("Space Space Space Space 5 p");
    let Posting::Confirming(prepared) = &stage.model.posting else { panic!("{:?}", stage.model.posting) };
    assert_eq!(prepared.target.to_string(), "edits comment 500 in place");
    stage.keys("y");
    assert_eq!(stage.letters[0].target, Target::Edit(stage.model.draft.edits.unwrap()));
    assert!(matches!(stage.model.posting, Posting::Posted { .. }));
    // What stands there now is what the next edit replaces.
    assert_eq!(stage.saved.last().unwrap().edits_text, Some(text_digest(&stage.posts[0])));
    assert!(is_signoff(&stage.model.policy, &stage.posts[0]));
}

#[test]
fn what_became_of_an_unclear_edit_is_seen_in_the_comment() {
    let mut stage = editing();
    stage.keys("Space Space Space Space 5 p");
    stage.on_post = unclear();
    stage.keys("y");
    let sent = stage.posts[0].clone();
    stage.wait();
    assert!(matches!(stage.model.posting, Posting::Searching { looks: 2, .. }), "{:?}", stage.model.posting);
    stage.world.comments[1].body = sent;
    stage.wait();
    assert!(matches!(&stage.model.posting, Posting::Posted { url } if url.ends_with("500")), "{:?}", stage.model.posting);

    let mut stage = editing();
    stage.keys("Space Space Space Space 5 p");
    stage.on_post = unclear();
    stage.keys("y").wait().wait();
    assert!(not_posted(&stage).contains("says something else"), "{}", not_posted(&stage));
    assert_eq!((stage.posts.len(), stage.model.draft.attempt.is_none()), (1, true));
}

#[test]
fn an_edit_of_a_deleted_comment_keeps_the_draft_and_becomes_a_new_one() {
    let deleted = "The comment was deleted meanwhile; the draft is kept: post a new one.";
    let gone = Trouble::new(TroubleKind::NotFound, "GitHub answered 404.", "Look whether it is there.");
    for (sent, looks) in [(Sent::Refused(gone), 0), (unclear(), 2)] {
        let mut stage = editing();
        stage.keys("Space Space Space Space 5 W");
        assert!(stage.notice().contains("no other way"), "{}", stage.notice());
        stage.keys("p");
        stage.on_post = sent;
        stage.world.comments.truncate(1);
        // Verified once more after the word: there it is gone already.
        let listed = stage.world.comments.clone();
        stage.keys("y");
        assert!(stage.posts.is_empty() && stage.blocked().contains("is gone: post a new one"), "{}", stage.blocked());
        // Deleted after that look.
        stage.world.comments = vec![listed[0].clone(), comment(500, actor("nv-owner-1", 42), EARLIER)];
        stage.keys("p");
        assert!(matches!(stage.model.posting, Posting::Confirming(_)), "{:?}", stage.model.posting);
        let effects = update(&mut stage.model, stage.world.now, Msg::Key(Key::parse("y").unwrap()));
        let (reads, rest): (Vec<_>, Vec<_>) = effects.into_iter().partition(|effect| matches!(effect, Effect::Ask(..)));
        let mut last = Vec::new();
        for effect in reads {
            let Effect::Ask(ticket, Request::Read(read)) = effect else { panic!("{effect:?}") };
            let reply = Msg::Reply(ticket, Reply::Read(stage.world.reply(read)));
            last.extend(update(&mut stage.model, stage.world.now, reply));
        }
        stage.world.comments = listed;
        stage.perform(rest.into_iter().chain(last).collect());
        for _ in 0..looks {
            stage.wait();
        }
        assert!(not_posted(&stage).ends_with(deleted), "{}", not_posted(&stage));
        assert_eq!((stage.posts.len(), stage.saved.last().unwrap().ticks.len()), (1, 4));
        stage.on_post = Stage::new(World::new()).on_post;
        stage.keys("r W p y");
        assert_eq!(stage.letters.last().unwrap().target, Target::New(Way::Comment));
        assert!(matches!(stage.model.posting, Posting::Posted { .. }), "{:?}", stage.model.posting);
    }
}

#[test]
fn what_is_not_ours_is_not_edited_and_w_leads_on() {
    let mut stage = editing();
    stage.world.comments[1].author = actor("someone", 9);
    stage.keys("r Space Space Space Space 5 p");
    assert!(stage.blocked().contains("is someone's: only your own is. Post a new one (W)."), "{}", stage.blocked());
    stage.keys("W p y");
    assert_eq!(stage.letters[0].target, Target::New(Way::Comment));
}

#[test]
fn what_changes_an_edit_or_an_approval_while_the_question_stands_blocks_it() {
    type Change = fn(&mut World);
    let mine = |world: &mut World| world.comments[1].body.push_str(" Again.");
    let pending = |world: &mut World| world.reviews.push(review(7, "PENDING", "to do"));
    let table: [(Stage, &str, Change, &str); 2] = [
        (editing(), "5", mine, "was changed since you took it over"),
        (Stage::new(World::new()).open(), "5 W W", pending, "pending review"),
    ];
    for (mut stage, keys, change, words) in table {
        stage.keys("Space Space Space Space").keys(keys).keys("p");
        assert!(matches!(stage.model.posting, Posting::Confirming(_)), "{:?}", stage.model.posting);
        change(&mut stage.world);
        stage.keys("y");
        assert!(stage.blocked().contains(words), "{}", stage.blocked());
        assert!(stage.posts.is_empty());
    }
}

#[test]
fn a_pending_review_of_ours_is_counted_before_it_blocks_and_a_comment_is_the_way_on() {
    let is_count = |read: &Read| matches!(read, Read::PendingComments(_));
    // There from the start, and begun on GitHub while the question stands.
    for later in [false, true] {
        let mut stage = Stage::new(World::new());
        let begin = |world: &mut World| {
            world.reviews.push(review(7, "PENDING", ""));
            world.pending_comments = Listing::complete((1..=3).map(CommentId).collect());
        };
        if !later {
            begin(&mut stage.world);
        }
        let mut stage = stage.open();
        assert_eq!(stage.asked.iter().filter(|read| is_count(read)).count(), usize::from(!later));
        stage.keys("Space Space Space Space 5 W p");
        if later {
            assert!(matches!(stage.model.posting, Posting::Confirming(_)) && !stage.asked.iter().any(is_count));
            begin(&mut stage.world);
            stage.keys("y");
        }
        assert!(stage.blocked().contains("(3 inline comments wait in it)"), "{}", stage.blocked());
        assert!(stage.asked.contains(&Read::PendingComments(CommentId(7))));
        // Written there meanwhile: what is said is read again.
        stage.world.pending_comments = Listing::partial((1..=100).map(CommentId).collect(), None, server_error());
        stage.keys("p");
        assert!(stage.blocked().contains("(at least 100 inline comments wait in it: "), "{}", stage.blocked());
        assert_eq!((stage.posts.len(), stage.model.draft.ticks.len()), (0, 4), "the draft is kept");
        stage.fail = Some(Fail { on: is_count, with: server_error(), after_post: false });
        stage.keys("p");
        assert!(stage.blocked().contains("could not be counted: GitHub answered 502."), "{}", stage.blocked());
        // Neither the review nor what could not be counted is in a comment's way.
        stage.keys("W W p y");
        assert_eq!(stage.letters[0].target, Target::New(Way::Comment));
        assert!(matches!(stage.model.posting, Posting::Posted { .. }), "{:?}", stage.model.posting);
    }
}

#[test]
fn a_sign_off_that_the_bot_will_reject_takes_two_words() {
    let failing = || {
        let mut stage = Stage::new(World { comments: Vec::new(), ..World::new() }).open();
        stage.keys("Space Space Space 5 p");
        stage
    };
    let mut stage = failing();
    let Posting::Confirming(prepared) = &stage.model.posting else { panic!("{:?}", stage.model.posting) };
    assert_eq!(prepared.failures(), "reuse (Check 4), template (Check 5)");
    // The second key alone is not enough, nor is the first one twice.
    stage.keys("Y");
    assert!(stage.posts.is_empty() && matches!(stage.model.posting, Posting::Confirming(_)));
    stage.keys("y y");
    assert!(stage.posts.is_empty() && matches!(stage.model.posting, Posting::Warned(_)), "{:?}", stage.model.posting);
    stage.keys("Y");
    assert_eq!(stage.posts.len(), 1);
    assert!(matches!(stage.model.posting, Posting::Posted { .. }));
    for keys in ["n", "y n", "y Esc", "y q", "y Enter", "y y y", "y p"] {
        let mut stage = failing();
        stage.keys(keys);
        assert!(stage.posts.is_empty() && !stage.quit, "{keys}");
    }
}

#[test]
fn what_begins_to_fail_while_the_question_stands_is_asked_again() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys("Space Space Space Space 5 p");
    stage.world.comments.clear();
    stage.keys("y");
    let Posting::Confirming(prepared) = &stage.model.posting else { panic!("{:?}", stage.model.posting) };
    assert_eq!((prepared.failures().as_str(), stage.posts.len()), ("reuse (Check 4)", 0));
    assert!(stage.notice().contains("Something changed meanwhile"), "{}", stage.notice());
    stage.keys("y Y");
    assert_eq!(stage.posts.len(), 1);
}

#[test]
fn a_run_that_was_re_run_meanwhile_is_read_as_it_is_now_before_anything_is_asked() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys("Space Space Space Space 5");
    stage.world.attempt = 2;
    stage.world.scores = vec![0.951];
    stage.asked.clear();
    stage.keys("p");
    assert!(stage.blocked().contains("What the text says changed"), "{}", stage.blocked());
    assert_eq!(stage.model.facts.evals[&crate::core::sample::RUN].settled().unwrap().value.items[0].metrics[0].score, 0.951);

    // What a rule looked at besides, and that cannot be looked at again.
    for is in [(|read| matches!(read, Read::LabelEvents)) as fn(&Read) -> bool, |read| matches!(read, Read::Results { .. })] {
        let mut stage = Stage::new(World::new()).open();
        stage.keys("Space Space Space Space 5");
        assert!(stage.asked.iter().any(is));
        stage.fail = Some(Fail { on: is, with: server_error(), after_post: false });
        stage.keys("p");
        assert!(stage.blocked().contains("could not be read again. GitHub answered 502."), "{}", stage.blocked());
    }
}

#[test]
fn a_key_pressed_before_the_question_was_on_screen_is_no_answer() {
    let burst = |stage: &mut Stage, keys: &str| {
        for key in keys.split_whitespace() {
            let effects = update(&mut stage.model, stage.world.now, Msg::Key(Key::parse(key).unwrap()));
            // Answers come, but no frame.
            for effect in effects {
                if let Effect::Ask(ticket, Request::Read(read)) = effect {
                    let reply = Msg::Reply(ticket, Reply::Read(stage.world.reply(read)));
                    update(&mut stage.model, stage.world.now, reply);
                }
            }
            follow_up(&mut stage.model);
        }
    };
    let ready = |world: World| {
        let mut stage = Stage::new(world).open();
        stage.keys("Space Space Space Space 5");
        stage
    };
    let asks = |stage: &Stage| matches!(stage.model.posting, Posting::Confirming(_));
    let mut stage = ready(World::new());
    burst(&mut stage, "p y");
    assert!(asks(&stage) && stage.notice().contains("not on screen yet"), "{:?}", stage.model.posting);
    // The same asked once more between two frames.
    stage.perform(Vec::new());
    burst(&mut stage, "n p y");
    assert!(asks(&stage), "{:?}", stage.model.posting);
    // Nor is one that is given under something that hides the question, by its name.
    stage.perform(Vec::new());
    stage.model.overlay = Overlay::Palette { text: String::new(), cursor: 0 };
    stage.keys("c o n f i r m _ p o s t Enter");
    assert!(stage.notice().contains("No action that can be run from here"), "{}", stage.notice());
    assert!(asks(&stage), "{:?}", stage.model.posting);
    // Nor in a window that is too small to show it.
    stage.model.size = (39, 24);
    stage.keys("g y");
    assert!(asks(&stage), "{:?}", stage.model.posting);
    stage.model.size = (80, 24);
    stage.perform(Vec::new());
    stage.keys("y");
    assert_eq!(stage.posts.len(), 1);

    // The second word is for a question of its own.
    let mut stage = ready(World { comments: Vec::new(), ..World::new() });
    stage.keys("p");
    burst(&mut stage, "y Y");
    assert!(matches!(stage.model.posting, Posting::Warned(_)), "{:?}", stage.model.posting);
    stage.perform(Vec::new());
    stage.keys("Y");
    assert_eq!(stage.posts.len(), 1);

    let mut stage = Stage::new(World::new()).open();
    stage.keys(": c o n f i r m _ e r r a n d Enter");
    assert!(stage.notice().contains("No action that can be run from here"), "{}", stage.notice());
    stage.keys("2 g g");
    burst(&mut stage, "U y");
    assert!(matches!(stage.model.errands, crate::core::errand::Errands::Confirming(_)), "{:?}", stage.model.errands);
    stage.keys("y");
    assert_eq!(stage.orders.len(), 0, "the frame came after that key");
    stage.keys("y");
    assert_eq!(stage.orders.len(), 1);
}

#[test]
fn only_its_own_looks_count_in_a_search() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys("Space Space Space Space 5 p y");
    let attempt = stage.saved.iter().find_map(|draft| draft.attempt.clone()).unwrap();
    let (ticket, _) = stage.timers.iter().find(|(ticket, _)| ticket.slot == Slot::Answer).unwrap().clone();
    let search = Posting::Searching { attempt, looks: 1, why: "It was cut off.".into() };
    stage.model.posting = search.clone();
    stage.asked.clear();
    let effects = update(&mut stage.model, stage.world.now + TimeDelta::seconds(1), Msg::Timer(ticket));
    stage.perform(effects);
    assert_eq!((stage.asked.as_slice(), &stage.model.posting), (&[][..], &search));
}

#[test]
fn a_question_that_was_put_away_and_asked_anew_between_two_frames_is_another_one() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys("Space Space Space Space 5 p");
    let asks = |stage: &Stage| matches!(stage.model.posting, Posting::Confirming(_));
    assert!(asks(&stage) && stage.model.question_was_drawn());
    // All in one batch, in which something else came first.
    stage.model.came = true;
    for key in ["n", "p"] {
        let effects = update(&mut stage.model, stage.world.now, Msg::Key(Key::parse(key).unwrap()));
        for effect in effects {
            if let Effect::Ask(ticket, Request::Read(read)) = effect {
                let reply = Msg::Reply(ticket, Reply::Read(stage.world.reply(read)));
                update(&mut stage.model, stage.world.now, reply);
            }
        }
    }
    follow_up(&mut stage.model);
    assert!(asks(&stage) && !stage.model.question_was_drawn(), "{:?}", stage.model.posting);
    update(&mut stage.model, stage.world.now, Msg::Key(Key::parse("y").unwrap()));
    assert!(asks(&stage) && stage.notice().contains("not on screen yet"), "{}", stage.notice());
}
