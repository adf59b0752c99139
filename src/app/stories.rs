//! Stories: keys and answers in, model and effects out. Every read is answered by [`World`].
//! Must not know: terminals or wires.

mod checks;
mod errand;
mod joblog;
mod limits;
mod live;
mod measured;
mod palette;
mod pins;
mod posting;
mod recall;
mod signoff;
mod sweep;

use super::effect::{Command, Effect, Request, Slot, Ticket};
use super::key::Key;
use super::keymap::Keymap;
use super::model::{DraftState, Model, Overlay, Pane, Reach, Session};
use super::msg::{Msg, Reply};
use super::screens::log::Tail;
use super::{follow_up, painted, settle, start, update};
use crate::core::checklist::TickState;
use crate::core::errand::Order;
use crate::core::ids::{CommentId, RepoName, UserId};
use crate::core::listing::Listing;
use crate::core::plan::{self, Answer, Read};
use crate::core::policy::{Status, tests::policy};
use crate::core::posting::{Letter, Posting, Sent};
use crate::core::pull::Posted;
use crate::core::results::Against;
use crate::core::results::compare::Reference;
use crate::core::sample::{World, actor, comment, server_error};
use crate::core::session::Draft;
use crate::core::trouble::{Trouble, TroubleKind};
use chrono::TimeDelta;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

/// The program with the world it lives in.
struct Stage {
    model: Model,
    world: World,
    /// What the cache holds of an earlier visit, and what it lacks all the same.
    kept: Option<World>,
    not_kept: fn(&Read) -> bool,
    /// What GitHub was asked for.
    asked: Vec<Read>,
    /// How the program looked when it was last painted before anything was asked for.
    before_asking: Option<(String, usize)>,
    /// Answers that fail on purpose.
    fail: Option<Fail>,
    /// What the wire does with a post.
    on_post: Sent,
    /// Drafts that reached the disk, and bodies that reached the wire.
    saved: Vec<Draft>,
    posts: Vec<String>,
    /// Where each of them went.
    places: Vec<RepoName>,
    /// Errands that reached the wire; the story answers them.
    orders: Vec<(Ticket, Order)>,
    letters: Vec<Letter>,
    timers: Vec<(Ticket, Duration)>,
    logs: joblog::Logs,
    /// What the bell rang for.
    rung: Vec<String>,
    quit: bool,
}

/// Reads that fail, and how.
struct Fail {
    on: fn(&Read) -> bool,
    with: Trouble,
    /// Only once a comment was sent.
    after_post: bool,
}

impl Stage {
    fn new(world: World) -> Stage {
        let facts = world.facts();
        let draft = Draft::new("api.github.com", facts.repo.clone(), facts.number);
        Stage::with(world, draft)
    }

    fn with(world: World, draft: Draft) -> Stage {
        let session = Session { host: "api.github.com".into(), recording: None, greeting: None, day: None, braille: true };
        let mut model = Model::new(session, Arc::new(policy()), world.facts(), draft, Keymap::default());
        model.size = (160, 50);
        let posted = Posted {
            id: CommentId(900),
            author: Some(UserId(42)),
            url: "https://github.com/o/r/pull/7#issuecomment-900".into(),
        };
        let on_post = Sent::Posted(posted);
        Stage {
            model,
            world,
            kept: None,
            not_kept: |_| false,
            asked: Vec::new(),
            before_asking: None,
            fail: None,
            on_post,
            saved: Vec::new(),
            posts: Vec::new(),
            orders: Vec::new(),
            places: Vec::new(),
            letters: Vec::new(),
            timers: Vec::new(),
            logs: joblog::Logs::default(),
            rung: Vec::new(),
            quit: false,
        }
    }

    /// With what was kept of an earlier visit, three hours ago.
    fn after_a_visit(world: World) -> Stage {
        let mut stage = Stage::new(World { now: world.now + chrono::TimeDelta::hours(3), ..world.clone() });
        stage.kept = Some(world);
        stage.model.reach = Reach::Recalling { missed: HashSet::new() };
        stage
    }

    fn paint(&mut self) -> Vec<Effect> {
        if self.asked.is_empty() {
            let title = self.model.facts.pull.value().map(|pull| pull.title.clone());
            self.before_asking = Some((title.unwrap_or_default(), self.model.sweep.rows.len()));
        }
        painted(&mut self.model)
    }

    fn open(mut self) -> Stage {
        let effects = start(&mut self.model, self.world.now);
        self.perform(effects);
        self
    }

    /// Performs effects and everything that follows from them.
    fn perform(&mut self, effects: Vec<Effect>) {
        let mut queue = std::collections::VecDeque::from(effects);
        loop {
            let Some(effect) = queue.pop_front() else {
                // As in the loop: what came is followed up, and then there is a frame.
                queue.extend(follow_up(&mut self.model));
                if queue.is_empty() {
                    queue.extend(settle(&mut self.model));
                    queue.extend(self.paint());
                }
                if queue.is_empty() {
                    return;
                }
                continue;
            };
            let (ticket, reply) = match effect {
                Effect::Ask(ticket, Request::Recall(read)) => {
                    let world = self.kept.as_ref().filter(|_| !(self.not_kept)(&read));
                    let nothing = || Err(Trouble::new(TroubleKind::Uncached, "It is not in the cache.", ""));
                    let missed = || plan::Reply { read: read.clone(), answer: nothing(), last: true };
                    (ticket, Reply::Read(world.map_or_else(missed, |world| world.reply(read.clone()))))
                }
                Effect::Ask(ticket, Request::Read(read)) => {
                    self.asked.push(read.clone());
                    let mut reply = self.world.reply(read.clone());
                    if let Some(fail) =
                        self.fail.as_ref().filter(|fail| (fail.on)(&read) && (!fail.after_post || !self.posts.is_empty()))
                    {
                        reply.answer = Err(fail.with.clone());
                    }
                    (ticket, Reply::Read(reply))
                }
                Effect::Ask(ticket, Request::Draw(drawing)) => (ticket, Reply::Drawn(Box::new(drawing.run()))),
                // Nobody here has runs of a base branch, but everybody has the rows of this world's run.
                Effect::Ask(ticket, Request::Refer(referring)) => {
                    let rows = self.model.facts.results.iter().find_map(|(run, rows)| Some((*run, rows.value()?)));
                    let rows = match (&referring.named, rows) {
                        (Reference::Run(_), Some((run, rows))) => Ok(Against::run(run, rows)),
                        _ => Err(server_error()),
                    };
                    (ticket, Reply::Referred { name: referring.named.to_string(), rows })
                }
                Effect::Ask(ticket, Request::Compare(comparison)) => (ticket, Reply::Compared(Box::new(comparison.run()))),
                Effect::Ask(ticket, Request::Highlight { path, .. }) => {
                    (ticket, Reply::Highlighted { path, from: 0, spans: Vec::new() })
                }
                Effect::Do(ticket, Command::Save { draft, .. }) => {
                    self.saved.push(*draft);
                    (ticket, Reply::Saved(Ok(())))
                }
                Effect::Do(ticket, Command::Post(letter)) => {
                    self.places.push(letter.repo.clone());
                    self.posts.push(letter.body.clone());
                    self.letters.push(letter);
                    (ticket, Reply::Sent(self.on_post.clone()))
                }
                Effect::Do(ticket, Command::Edit { text }) => (ticket, Reply::Edited(Ok(Some(format!("{text}read by me\n"))))),
                Effect::Ask(ticket, Request::Log) => {
                    let lines = (0..100).map(|line| format!("line {line}")).collect();
                    (ticket, Reply::Log(Ok(Tail { path: "/state/countersign.log".into(), lines })))
                }
                Effect::Ask(ticket, Request::JobLog(asked)) => {
                    for piece in self.logs.answer(asked) {
                        let reply = Msg::Reply(ticket.clone(), Reply::JobLog(piece));
                        queue.extend(update(&mut self.model, self.world.now, reply));
                    }
                    continue;
                }
                Effect::Ask(ticket, Request::Reason(job)) => (ticket, Reply::Reason(job, self.logs.reason(job))),
                Effect::Do(ticket, Command::Errand { order, .. }) => {
                    self.orders.push((ticket, order));
                    continue;
                }
                Effect::Do(_, Command::Ring { text }) => {
                    self.rung.push(text);
                    continue;
                }
                Effect::Do(..) | Effect::Cancel(_) => continue,
                Effect::After(ticket, pause) => {
                    self.timers.push((ticket, pause));
                    continue;
                }
                Effect::Quit => {
                    self.quit = true;
                    continue;
                }
            };
            queue.extend(update(&mut self.model, self.world.now, Msg::Reply(ticket, reply)));
        }
    }

    fn keys(&mut self, keys: &str) -> &mut Stage {
        for key in keys.split_whitespace() {
            let effects = update(&mut self.model, self.world.now, Msg::Key(Key::parse(key).unwrap()));
            self.perform(effects);
        }
        self
    }

    /// Lets the pause between two looks pass.
    fn wait(&mut self) -> &mut Stage {
        self.world.now += chrono::TimeDelta::seconds(6);
        for (ticket, _) in std::mem::take(&mut self.timers) {
            let effects = update(&mut self.model, self.world.now, Msg::Timer(ticket));
            self.perform(effects);
        }
        self
    }

    /// Lets exactly the time pass that the one timer waits for.
    fn tick(&mut self) -> Duration {
        let [(ticket, pause)] = &std::mem::take(&mut self.timers)[..] else { panic!("not one timer: {:?}", self.timers) };
        self.world.now += TimeDelta::from_std(*pause).unwrap();
        let effects = update(&mut self.model, self.world.now, Msg::Timer(ticket.clone()));
        self.perform(effects);
        *pause
    }

    fn paste(&mut self, text: &str) {
        let effects = update(&mut self.model, self.world.now, Msg::Paste(text.to_owned()));
        self.perform(effects);
    }

    fn notice(&self) -> &str {
        self.model.notice.as_ref().map_or("", |notice| &notice.text)
    }

    fn blocked(&self) -> String {
        match &self.model.posting {
            Posting::Blocked(blocks) => blocks.iter().map(|block| block.reason.as_str()).collect::<Vec<_>>().join(" | "),
            other => panic!("not blocked: {other:?}"),
        }
    }
}

#[test]
fn opening_fills_every_pane_in_few_levels() {
    let stage = Stage::new(World::new()).open();
    let model = &stage.model;
    assert!(!model.is_loading());
    let states: Vec<(Status, TickState)> = model.signed().unwrap().items.iter().map(|item| (item.status, item.tick)).collect();
    assert_eq!(
        states,
        [
            (Status::Pass, TickState::Open),
            (Status::NeedsYou, TickState::Open),
            (Status::Pass, TickState::Open),
            (Status::Pass, TickState::Open),
        ]
    );
    assert_eq!(model.review.conclusions.sweeps.len(), 1);
    assert!(
        model.sweep.rows.len() > 5
            && model.diff.open.is_some()
            && !model.talk.rows.is_empty()
            && !model.signoff.rows.is_empty()
    );
}

#[test]
fn a_tick_is_saved_with_its_head_and_moves_on() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys("j Space");
    assert_eq!(stage.model.checklist.cursor, 2);
    let tick = &stage.saved.last().unwrap().ticks[&"code_quality".into()];
    assert_eq!(tick.head, stage.world.head);
    stage.keys("k Space");
    assert!(stage.saved.last().unwrap().ticks.is_empty());
}

#[test]
fn evidence_is_one_key_away_and_esc_comes_back() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys("j j Enter");
    assert_eq!(stage.model.focus, Pane::Sweep);
    stage.keys("Esc");
    assert_eq!(stage.model.focus, Pane::Checklist);
    stage.keys("G Enter");
    assert_eq!(stage.model.focus, Pane::Evals);
    stage.keys("q");
    assert_eq!((stage.model.focus, stage.quit), (Pane::Checklist, false));
    stage.keys("q");
    assert!(stage.quit);
    assert!(stage.saved.is_empty(), "nothing was changed, so nothing is written");
}

#[test]
fn a_changed_draft_is_on_disk_for_good_before_the_end() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys("Space");
    let effects = update(&mut stage.model, stage.world.now, Msg::Key(Key::parse("C-c").unwrap()));
    assert!(matches!(&effects[..], [Effect::Do(_, Command::Save { sync: true, .. }), Effect::Quit]), "{effects:?}");
}

#[test]
fn a_draft_that_cannot_be_written_keeps_the_program_open() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys("Space");
    let now = stage.world.now;
    let press = |model: &mut Model, saved| {
        let effects = update(model, now, Msg::Key(Key::parse("q").unwrap()));
        let [Effect::Do(ticket, Command::Save { sync: true, .. })] = &effects[..] else { panic!("{effects:?}") };
        update(model, now, Msg::Reply(ticket.clone(), Reply::Saved(saved)))
    };
    let full = Trouble::new(TroubleKind::TooLarge, "No space left on device.", "Free some space.");
    assert_eq!(press(&mut stage.model, Err(full)), []);
    assert!(stage.notice().contains("C-c leaves without it. No space left on device."), "{}", stage.notice());
    assert_eq!(press(&mut stage.model, Ok(())), [Effect::Quit]);
}

#[test]
fn a_dead_key_says_so_and_an_unavailable_one_says_why() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys("X");
    assert!(stage.notice().contains("X does nothing here"));
    stage.keys("5 D");
    assert!(stage.notice().contains("already drafted"));
    let mut unread = Stage::new(World::new());
    unread.keys("Space");
    assert!(unread.notice().contains("still being read"));
}

#[test]
fn posting_sends_exactly_what_was_shown_once() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys("Space Space Space Space p");
    assert_eq!((stage.model.focus, &stage.model.posting), (Pane::Signoff, &Posting::Draft));
    let shown = stage.model.signed().unwrap().rendered.text.clone();
    stage.keys("p");
    let Posting::Confirming(prepared) = &stage.model.posting else { panic!("{:?}", stage.model.posting) };
    assert_eq!((prepared.text.as_str(), prepared.newest), (shown.as_str(), Some(CommentId(100))));
    assert!(stage.posts.is_empty());
    stage.keys("y");
    assert_eq!(stage.posts, [shown]);
    let attempt = stage.saved.iter().find_map(|draft| draft.attempt.clone()).expect("written down before it was sent");
    assert_eq!(attempt.author, UserId(42));
    assert!(matches!(&stage.model.posting, Posting::Posted { url } if url.ends_with("900")));
    assert_eq!(stage.saved.last().unwrap().attempt, None);
}

#[test]
fn nothing_is_posted_without_a_word() {
    for answer in ["n", "Esc", "q", "Enter", "Space", "p"] {
        let mut stage = Stage::new(World::new()).open();
        stage.keys("Space Space Space Space 5 p").keys(answer);
        assert!(stage.posts.is_empty(), "{answer}");
        assert!(!stage.quit);
    }
}

#[test]
fn what_moved_between_preview_and_word_blocks() {
    type Change = fn(&mut World);
    let table: [(Change, &str); 5] = [
        (|world| world.head = "f".repeat(40).as_str().into(), "The head moved from e36439994 to fffffffff"),
        (|world| world.template = world.template.replace("is fine.", "is fine!"), "The template changed"),
        (
            |world| world.comments.push(comment(300, actor("nv-owner-1", 42), "As a PR reviewer and CODEOWNER, I have")),
            "A sign-off of yours is already there",
        ),
        (|world| world.scores = vec![0.5], "What the text says changed"),
        (|world| world.viewer = Err(server_error()), "Who you are on GitHub is not known"),
    ];
    for (change, words) in table {
        let mut stage = Stage::new(World::new()).open();
        stage.keys("Space Space Space Space 5");
        change(&mut stage.world);
        stage.keys("p");
        assert!(stage.blocked().contains(words), "{words}: {}", stage.blocked());
        stage.keys("y");
        assert!(stage.posts.is_empty());
    }
}

#[test]
fn what_moves_while_the_question_stands_blocks_too() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys("Space Space Space Space 5 p");
    assert!(matches!(stage.model.posting, Posting::Confirming(_)));
    stage.world.head = "f".repeat(40).as_str().into();
    stage.keys("y");
    assert!(stage.blocked().contains("The head moved"), "{}", stage.blocked());
    assert!(stage.posts.is_empty());
}

#[test]
fn a_renamed_repository_is_written_to_under_its_new_name() {
    let new = RepoName::parse("new/name").unwrap();
    let mut stage = Stage::new(World::new()).open();
    stage.keys("Space Space Space Space 5");
    stage.world.name = new.clone();
    // Its links changed with the name, so the text is read once more.
    stage.keys("p");
    assert!(stage.blocked().contains("text says changed"), "{}", stage.blocked());
    stage.keys("p");
    let Posting::Confirming(prepared) = &stage.model.posting else { panic!("{:?}", stage.model.posting) };
    assert_eq!(prepared.repo, new, "the question names the place that is written to");
    stage.keys("y");
    assert_eq!(stage.places, [new]);
}

#[test]
fn an_empty_or_half_read_sign_off_is_blocked() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys("5 p");
    assert!(stage.blocked().contains("No item is ticked"));
    let mut stage = Stage::new(World::new()).open();
    stage.keys("Space Space Space Space 5");
    stage.fail = Some(Fail { on: |read| matches!(read, Read::Comments), with: server_error(), after_post: false });
    stage.keys("p");
    assert!(stage.blocked().contains("comments could not be read"));
    let mut stage = Stage::new(World::new()).open();
    stage.keys("Space Space Space Space 5");
    stage.fail = Some(Fail { on: |read| matches!(read, Read::Runs { .. }), with: server_error(), after_post: false });
    stage.keys("p");
    assert!(stage.blocked().contains("The runs could not be read again"));
}

#[test]
fn an_unclear_outcome_is_resolved_by_looking() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys("Space Space Space Space 5 p");
    stage.on_post = Sent::Unclear(Trouble::new(TroubleKind::Network, "The connection was cut.", ""));
    stage.keys("y");
    assert!(matches!(stage.model.posting, Posting::Searching { looks: 1, .. }), "{:?}", stage.model.posting);
    let body = stage.posts[0].clone();
    stage.world.comments.push(comment(901, actor("nv-owner-1", 42), &body.replace('\n', "\r\n")));
    stage.wait();
    assert!(matches!(&stage.model.posting, Posting::Posted { url } if url.ends_with("901")), "{:?}", stage.model.posting);
    assert_eq!(stage.posts.len(), 1);
}

#[test]
fn not_posted_is_said_only_after_three_whole_looks() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys("Space Space Space Space 5 p");
    stage.on_post = Sent::Unclear(Trouble::new(TroubleKind::Network, "The connection was cut.", ""));
    stage.fail = Some(Fail { on: |read| matches!(read, Read::Comments), with: server_error(), after_post: true });
    stage.keys("y");
    stage.wait().wait().wait();
    assert!(matches!(stage.model.posting, Posting::Searching { looks: 0, .. }), "failed looks count for nothing");
    stage.fail = None;
    stage.wait().wait();
    assert!(matches!(stage.model.posting, Posting::Searching { looks: 2, .. }), "{:?}", stage.model.posting);
    stage.wait();
    assert!(
        matches!(&stage.model.posting, Posting::NotPosted { why, .. } if why.contains("3 times")),
        "{:?}",
        stage.model.posting
    );
    assert_eq!((stage.posts.len(), stage.saved.last().unwrap().attempt.clone()), (1, None));
}

#[test]
fn a_draft_with_an_attempt_reopens_in_the_search() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys("Space Space Space Space 5 p y");
    let draft = stage.saved.iter().rfind(|draft| draft.attempt.is_some()).unwrap().clone();
    let mut world = World::new();
    world.comments.push(comment(901, actor("nv-owner-1", 42), &stage.posts[0]));
    let reopened = Stage::with(world, draft).open();
    assert!(matches!(reopened.model.posting, Posting::Posted { .. }));
    assert!(reopened.posts.is_empty());
}

#[test]
fn a_refused_post_keeps_the_draft() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys("Space Space Space Space 5 p");
    stage.on_post = Sent::Refused(Trouble::new(TroubleKind::Limited, "GitHub asks to wait.", "Press p again in a minute."));
    stage.keys("y");
    assert!(matches!(&stage.model.posting, Posting::NotPosted { why, .. } if why.contains("wait")));
    let kept = stage.saved.last().unwrap();
    assert_eq!((kept.attempt.clone(), kept.ticks.len()), (None, 4));
    stage.on_post = Sent::Posted(Posted { id: CommentId(1000), author: None, url: "u".into() });
    stage.keys("p y");
    assert_eq!(stage.posts.len(), 2);
}

#[test]
fn the_draft_is_locked_while_a_comment_is_on_its_way() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys("Space Space Space Space 5 p");
    stage.on_post = Sent::Unclear(Trouble::new(TroubleKind::Timeout, "No answer.", ""));
    stage.keys("y 0 Space");
    assert!(stage.notice().contains("on its way"), "{}", stage.notice());
    assert_eq!(stage.saved.last().unwrap().ticks.len(), 4);
}

#[test]
fn a_read_only_draft_is_never_written() {
    let mut stage = Stage::new(World::new());
    stage.model.draft_state = DraftState::ReadOnly("Another window holds this draft.".into());
    let mut stage = stage.open();
    stage.keys("Space");
    assert!(stage.notice().contains("Another window"));
    stage.keys("C-c");
    assert!(stage.saved.is_empty() && stage.quit);
}

#[test]
fn details_are_edited_kept_and_drafted_anew() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys("e");
    assert!(stage.model.signed().unwrap().rendered.text.contains("\nread by me\n"));
    assert!(stage.saved.last().unwrap().detail.as_ref().unwrap().contains("**Scope**"));
    stage.keys("5 D");
    assert!(!stage.model.signed().unwrap().edited);
}

#[test]
fn a_partial_list_is_never_green() {
    let mut world = World::new();
    world.jobs = Listing::partial(world.jobs.items, Some(240), server_error());
    let stage = Stage::new(world).open();
    let states: Vec<Status> = stage.model.signed().unwrap().items.iter().map(|item| item.status).collect();
    assert_eq!(states[2], Status::Unavailable);
    assert_ne!(states[3], Status::Pass);
    assert!(stage.model.signed().unwrap().rendered.text.contains("the job list was not read whole"));
}

#[test]
fn a_late_answer_of_an_older_ticket_vanishes() {
    let mut stage = Stage::new(World::new()).open();
    let old = Ticket { slot: Slot::Read(Read::Comments), serial: 1 };
    let mut reply = stage.world.reply(Read::Comments);
    reply.answer = Ok((Answer::Comments(Listing::complete(Vec::new())), reply.answer.unwrap().1));
    let before = stage.model.facts.comments.clone();
    update(&mut stage.model, stage.world.now, Msg::Reply(old, Reply::Read(reply)));
    assert_eq!(stage.model.facts.comments, before);
}

#[test]
fn hunks_files_and_search_move_through_the_diff() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys("1 ]");
    assert_eq!((stage.model.diff.file, stage.model.diff.scroll.cursor), (1, 0));
    stage.keys("]");
    assert_eq!(stage.model.diff.scroll.cursor, 3);
    stage.keys("]");
    assert!(stage.notice().contains("last hunk"));
    stage.keys("g g / e c h o Enter");
    assert_eq!(stage.model.diff.search.as_ref().unwrap().hits, [1, 2, 4]);
    stage.keys("n n n N");
    assert_eq!(stage.model.diff.scroll.cursor, 4);
    stage.keys("Esc");
    assert_eq!((stage.model.diff.search.is_none(), stage.model.focus), (true, Pane::Diff));
    stage.keys("{ [");
    assert_eq!(stage.model.diff.file, 0);
}

#[test]
fn the_palette_runs_what_is_typed() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys(": s w e e p Enter");
    assert_eq!((stage.model.focus, &stage.model.overlay), (Pane::Sweep, &Overlay::None));
    let effects = update(&mut stage.model, stage.world.now, Msg::Paste("x\ny".into()));
    assert_eq!((effects, &stage.model.overlay), (Vec::new(), &Overlay::None));
}

#[test]
fn help_scrolls_to_its_end_and_back_at_once() {
    let mut stage = Stage::new(World::new()).open();
    stage.model.size = (80, 24);
    stage.keys("? G");
    let Overlay::Help { top: last } = stage.model.overlay else { panic!("no help") };
    stage.keys("j k");
    assert_eq!(stage.model.overlay, Overlay::Help { top: last - 1 });
    stage.keys("g g");
    assert_eq!(stage.model.overlay, Overlay::Help { top: 0 });
}

#[test]
fn the_log_opens_at_its_end_and_scrolls() {
    let mut stage = Stage::new(World::new()).open();
    stage.model.size = (80, 24);
    stage.keys(": l o g Enter");
    let top = |stage: &Stage| match &stage.model.overlay {
        Overlay::Log { tail: Some(Ok(tail)), top } if tail.lines.len() == 100 => *top,
        other => panic!("no log: {other:?}"),
    };
    assert_eq!(top(&stage), usize::MAX);
    stage.keys("k");
    assert_eq!(top(&stage), 80);
    stage.keys("G j");
    assert_eq!(top(&stage), 81);
    stage.keys("g g");
    assert_eq!(top(&stage), 0);
    stage.keys("Esc");
    assert_eq!(stage.model.overlay, Overlay::None);
    // An answer that comes after it was closed opens nothing.
    let tail = Tail { path: String::new(), lines: Vec::new() };
    let ticket = Ticket { slot: Slot::Log, serial: stage.model.serial };
    update(&mut stage.model, stage.world.now, Msg::Reply(ticket, Reply::Log(Ok(tail))));
    assert_eq!(stage.model.overlay, Overlay::None);
}

#[test]
fn no_key_panics_at_any_size() {
    let keys = "j k C-d C-u PageDown PageUp g G Tab S-Tab 0 1 2 3 4 5 Space Enter J ] [ } { h l / x Enter n N D P p y n e r o ? Esc : q Esc g l j k G g g Esc 9 9 j";
    for size in [(1, 1), (40, 12), (80, 24), (160, 50), (300, 100)] {
        for world in [World::new(), World { jobs: Listing::complete(Vec::new()), comments: Vec::new(), ..World::new() }] {
            let mut stage = Stage::new(world).open();
            let effects = update(&mut stage.model, stage.world.now, Msg::Resize(size.0, size.1));
            stage.perform(effects);
            stage.keys(keys).keys(keys);
        }
    }
}
