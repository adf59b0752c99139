//! Postings in every way that go wrong: a random fault, a change on GitHub, a full disk or a kill at any step.
//! Must not know: openings that go wrong (the file above).

#![allow(clippy::disallowed_methods)] // a draft's folder

use super::{LONGEST_LIMIT, OPENING, PATIENCE, Rehearsal, Tally, World};
use crate::demo;
use crate::honesty::Dice;
use countersign::app::Model;
use countersign::cli::Order;
use countersign::core::checklist::details;
use countersign::core::facts::{DocumentKind, Facts};
use countersign::core::ids::{CommentId, Key, PullNumber, RunId};
use countersign::core::pins::Pin;
use countersign::core::policy::{Policy, RULES};
use countersign::core::posting::{Posting, Target};
use countersign::core::pull::CommentPlace;
use countersign::core::session::{Draft, Way};
use countersign::core::sweep::sweeps;
use countersign::core::verdict::SignoffRef;
use countersign::github::cassette::{Body, Exchange};
use countersign::github::replay::{Act, Fault, Postbox, Script};
use countersign::github::{Client, Recording, Settings};
use countersign::report::signoff;
use countersign::runtime;
use countersign::runtime::headless::Desk;
use countersign::runtime::out::Out;
use countersign::runtime::store::{self, Access};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Ids of what stands in the conversation before: a sign-off of ours as a comment and as a review, and one of another.
const OURS: u64 = 77;
const OUR_REVIEW: u64 = 78;
const ANOTHERS: u64 = 79;

/// What a run wants to post.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Errand {
    New(Way),
    Edit(CommentPlace),
    /// What may never happen.
    EditAnothers,
}

impl Errand {
    pub fn roll(dice: &mut Dice) -> Errand {
        match dice.roll(11) {
            0 | 1 => Errand::New(Way::Comment),
            2 | 3 => Errand::New(Way::Review),
            4 | 5 => Errand::New(Way::Approve),
            6 | 7 => Errand::Edit(CommentPlace::Conversation),
            8 | 9 => Errand::Edit(CommentPlace::Review),
            _ => Errand::EditAnothers,
        }
    }

    /// Where a sign-off of ours stands before, and its id.
    fn earlier(self) -> Option<(CommentPlace, u64)> {
        match self {
            Errand::Edit(CommentPlace::Review) => Some((CommentPlace::Review, OUR_REVIEW)),
            Errand::Edit(place) => Some((place, OURS)),
            Errand::New(_) | Errand::EditAnothers => None,
        }
    }

    fn direct(self, draft: &mut Draft) {
        match self {
            Errand::New(way) => draft.way = way,
            Errand::Edit(_) | Errand::EditAnothers => {
                let (place, id) = self.earlier().unwrap_or((CommentPlace::Conversation, ANOTHERS));
                draft.edits = Some(SignoffRef { place, id: CommentId(id) });
            }
        }
    }

    fn done(self) -> &'static str {
        match self {
            Errand::New(Way::Comment) => "comment posted",
            Errand::New(Way::Review) => "review posted",
            Errand::New(Way::Approve) => "approval posted",
            Errand::Edit(CommentPlace::Review) => "review edited",
            Errand::Edit(_) | Errand::EditAnothers => "comment edited",
        }
    }
}

/// The recording with sign-offs: another reviewer's, and ours where the errand edits it.
fn signed(recording: &Recording, policy: &Policy, errand: Errand) -> Recording {
    let viewer: Value =
        serde_json::from_slice(&recording.find("/user", "application/vnd.github+json").unwrap().bytes()).unwrap();
    let another = json!({"login": "another-reviewer", "id": 4_711, "type": "User"});
    let body = format!("{}, I have looked.", policy.signoff.trigger);
    let mut rows =
        vec![(CommentPlace::Conversation, json!({"id": ANOTHERS, "user": another, "body": body, "html_url": "https://x/79"}))];
    if let Some((place, id)) = errand.earlier() {
        let url = format!("https://x/{id}");
        rows.push((place, json!({"id": id, "user": viewer, "body": body, "html_url": url, "state": "COMMENTED"})));
    }
    let mut out = recording.clone();
    for (place, row) in rows {
        let list = if place == CommentPlace::Review { "/reviews" } else { "/issues/2550/comments" };
        let last = |exchange: &&Exchange| {
            exchange.path.contains(list) && !exchange.headers.get("link").is_some_and(|link| link.contains("rel=\"next\""))
        };
        let mut page = out.exchanges().iter().find(last).unwrap().clone();
        let Body::Json(Value::Array(known)) = &mut page.body else { panic!("{}", page.path) };
        if !known.iter().any(|one| one["id"] == row["id"]) {
            known.push(row);
        }
        out.insert(page);
    }
    out
}

/// Something happens on GitHub.
fn event(dice: &mut Dice, desk: &Rehearsal, recording: &Recording, errand: Errand) -> Option<&'static str> {
    let path = |end: &str| recording.exchanges().iter().find(|exchange| exchange.path.ends_with(end)).unwrap();
    let change = |exchange: &Exchange, change: &dyn Fn(&mut Value)| {
        let mut body: Value = serde_json::from_slice(&exchange.bytes()).unwrap();
        change(&mut body);
        desk.postbox.change(&exchange.path, body.to_string());
    };
    match dice.roll(9) {
        0 => change(path("/pulls/2550"), &|pull| pull["head"]["sha"] = json!("f".repeat(40))),
        1 => {
            let template = desk.model.facts.document(DocumentKind::Checklist)?.value()?.path.clone();
            change(path(&template), &|file| file["sha"] = json!("e".repeat(40)));
        }
        2 | 3 => {
            let (place, id) = errand.earlier()?;
            desk.postbox.delete(place, id);
            return Some("deleted");
        }
        _ => return None,
    }
    Some("moved")
}

fn write_fault(dice: &mut Dice) -> Script {
    const STATUSES: [u16; 8] = [401, 403, 404, 422, 500, 502, 502, 503];
    let act = match dice.roll(10) {
        0 => Act::Cut,
        1 | 2 => Act::Lost,
        3 => Act::Truncated,
        4 => Act::Hang,
        5 => Act::Slow(Duration::from_millis(50 << dice.roll(11))),
        6 => Act::Limited(60),
        7 => Act::Forbidden(60),
        _ => Act::Status(STATUSES[dice.roll(STATUSES.len())]),
    };
    let mut out = Script::new();
    if dice.roll(4) > 0 {
        out.push(Fault { method: "!", address: String::new(), times: 1 + dice.roll(2) as u32, act });
    }
    for _ in 0..dice.roll(3) {
        const PLACES: [&str; 7] = ["", "/issues/", "/reviews", "/pulls/2550/comments", "/pulls/2550", "/contents/", "/user"];
        let (times, address) = ([1, 2, 9][dice.roll(3)], PLACES[dice.roll(PLACES.len())].to_owned());
        let act = super::act(dice);
        let times = if matches!(act, Act::Limited(_) | Act::Status(429)) { times.min(3) } else { times };
        out.push(Fault { method: "GET", address, times, act });
    }
    out
}

/// What holds whatever happens.
fn sound(desk: &Rehearsal, errand: Errand, ticks: usize, deleted: bool) {
    let (arrived, edited) = (desk.postbox.arrived(), desk.postbox.edited());
    let ours = errand.earlier();
    assert!(arrived + usize::from(ours.is_some()) <= 1, "{errand:?}: {arrived} arrived");
    assert!(edited.iter().all(|one| Some(*one) == ours), "{errand:?} edited {edited:?}");
    assert_eq!(desk.disk.ticks.len(), ticks, "the draft is not lost");
    if errand == Errand::EditAnothers {
        assert_eq!(desk.postbox.writes(), 0, "another's comment is not touched");
    }
    let there = if ours.is_some() { edited.len() } else { arrived };
    match &desk.model.posting {
        Posting::Posted { .. } => assert_eq!(there, 1, "{errand:?} is said to be posted"),
        // What was edited and then deleted is not there either.
        Posting::NotPosted { .. } => assert!(there == 0 || deleted, "{errand:?} is said to be not posted"),
        _ => {}
    }
}

pub fn posting_dice(seed: u64) -> Dice {
    Dice(seed ^ 0x5eed)
}

pub async fn post(seed: u64, world: &World, policy: &Arc<Policy>, tally: &mut Tally) {
    let mut dice = posting_dice(seed);
    let errand = Errand::roll(&mut dice);
    let recording = Arc::new(signed(&world.recording, policy, errand));
    let mut desk = Rehearsal::with(&recording, policy, Script::new(), |draft| errand.direct(draft));
    desk.start();
    assert!(desk.until(OPENING, |model| !model.is_loading()).await, "the opening hangs");
    let ticks = desk.model.signed().unwrap().items.len();
    desk.keys(&"Space ".repeat(ticks));
    desk.keys("P");
    assert!(desk.until(OPENING, |model| !model.is_loading()).await);
    let mut happened = Vec::from_iter(if dice.roll(4) == 0 { event(&mut dice, &desk, &recording, errand) } else { None });
    for _ in 0..3 {
        desk.postbox.fail(write_fault(&mut dice));
        // Killed at any step: of the recheck, or after the word, where it writes.
        let (kill, most) = [(0, 60), (1, 16), (2, 0), (2, 0)][dice.roll(4)];
        let fuse = |at: u32, dice: &mut Dice| (kill == at).then(|| 1 + dice.roll(most) as u32);
        desk.fuse = fuse(0, &mut dice);
        desk.full = u32::from(dice.roll(16) == 0);
        let free = |model: &Model| model.pause.is_none() && !model.is_loading();
        assert!(desk.until(LONGEST_LIMIT, free).await, "a limit hangs");
        desk.keys("5 p");
        assert!(desk.until(OPENING, |model| !matches!(model.posting, Posting::Rechecking { .. })).await, "the recheck hangs");
        if dice.roll(4) == 0 {
            happened.extend(event(&mut dice, &desk, &recording, errand));
        }
        if let Some(prepared) = desk.model.posting.question() {
            assert_eq!(matches!(prepared.target, Target::Edit(_)), errand.earlier().is_some());
            let certain = prepared.despite.is_empty();
            desk.fuse = desk.fuse.or_else(|| fuse(1, &mut dice));
            if certain { desk.keys("y") } else { desk.keys("y Y") }
        }
        desk.until(PATIENCE, |model| !model.posting.is_locked()).await;
        if desk.is_killed() {
            tally.count("killed");
            let attempted = desk.disk.attempt.is_some();
            desk = desk.reopen(dice.roll(2) == 0).await;
            assert_eq!(
                attempted,
                matches!(desk.model.posting, Posting::Searching { .. }),
                "what was about to be sent is looked for"
            );
            assert!(desk.until(OPENING, |model| !model.is_loading()).await, "the opening hangs");
            desk.until(PATIENCE, |model| !model.posting.is_locked()).await;
        }
        sound(&desk, errand, ticks, happened.contains(&"deleted"));
        match &desk.model.posting {
            Posting::Posted { .. } => {
                tally.count(errand.done());
                break;
            }
            Posting::NotPosted { .. } => tally.count("not posted"),
            Posting::Blocked(_) => tally.count(if errand == Errand::EditAnothers { "a stranger's" } else { "blocked" }),
            Posting::Searching { .. } => tally.count("unclear"),
            _ => tally.count("still a draft"),
        }
        // The next try is a calm one as often as not.
        if dice.roll(2) == 0 {
            desk.postbox.fail(Script::new());
        }
    }
    happened.into_iter().for_each(|what| tally.count(what));
}

// ---- without a screen

/// What `countersign post` comes to over a recording: its outcome in words, and how much arrived and was edited. Whatever the
/// command line says of the way, the stored draft keeps its own.
async fn posted(recording: &Recording, policy: &Policy, order: Order) -> (String, usize, usize) {
    let (home, postbox) = (tempfile::tempdir().unwrap(), Arc::new(Postbox::default()));
    let now = recording.recorded_at;
    let settings = Settings::new(Arc::new(move || now));
    let client = Client::replay_to_postbox(recording.clone(), settings, Script::new(), Arc::clone(&postbox)).unwrap();
    let desk = crate::opening::desk(client, &recording.repo, Some(home.path().to_owned()));
    let facts = desk.load(recording.number, |_| true).await;
    let mut draft = Draft::new(&desk.host, recording.repo.clone(), recording.number);
    let fresh = draft.clone();
    let blank = signoff::sign(policy, &facts, &draft).unwrap();
    signoff::tick(&mut draft, &blank, &facts, None, now).unwrap();
    let file = home.path().join("comment.md");
    std::fs::write(&file, signoff::sign(policy, &facts, &draft).unwrap().rendered.text).unwrap();
    let order = Order { file: Some(file), yes: true, ..order };
    let mut out = Out::to(std::io::sink(), std::io::sink());
    let told = match runtime::post::post(&desk, recording.number, &order, &mut out).await {
        Ok(()) => "posted".to_owned(),
        Err(error) => format!("{} {}", error.message, error.hints.join(" ")),
    };
    let stored = store::peek(&store::path(home.path(), &desk.host, &recording.repo, recording.number), &fresh).unwrap();
    let way = |draft: &Draft| (draft.way, draft.edits, draft.edits_text.clone(), draft.attempt.is_some());
    assert_eq!((way(&stored), stored.posted.is_some()), (way(&fresh), told == "posted"));
    (told, postbox.arrived(), postbox.edited().len())
}

#[tokio::test]
async fn the_command_line_says_how_and_in_spite_of_what() {
    let policy = demo::policy();
    let (plain, comment, review) = (
        signed(&demo::recording(), &policy, Errand::New(Way::Comment)),
        signed(&demo::recording(), &policy, Errand::Edit(CommentPlace::Conversation)),
        signed(&demo::recording(), &policy, Errand::Edit(CommentPlace::Review)),
    );
    let both = signed(&comment, &policy, Errand::Edit(CommentPlace::Review));
    let despite: Vec<Key> = RULES.iter().map(|rule| rule.key.into()).collect();
    let new = |way| Order { way: Some(way), despite: despite.clone(), ..Order::default() };
    let edit = || Order { edit: true, despite: despite.clone(), ..Order::default() };
    let table = [
        (&plain, Order::default(), "--despite recipe", (0, 0)),
        (
            &plain,
            Order { despite: vec!["sweep".into()], ..Order::default() },
            "The bot will reject this: recipe (Check ",
            (0, 0),
        ),
        (&plain, Order { despite: vec!["recipe".into()], ..Order::default() }, "posted", (1, 0)),
        (&plain, new(Way::Review), "posted", (1, 0)),
        (&plain, new(Way::Approve), "posted", (1, 0)),
        (&plain, edit(), "No sign-off of yours", (0, 0)),
        (&comment, new(Way::Review), "already there", (0, 0)),
        (&comment, edit(), "posted", (0, 1)),
        (&review, edit(), "posted", (0, 1)),
        (&both, edit(), "2 sign-offs of yours", (0, 0)),
        (&both, edit(), "https://x/77", (0, 0)),
        (&both, edit(), "https://x/78", (0, 0)),
    ];
    for (recording, order, words, (arrived, edited)) in table {
        let about = format!("{order:?}");
        let told = posted(recording, &policy, order).await;
        assert!(told.0.contains(words) && (told.1, told.2) == (arrived, edited), "{about} {words}: {told:?}");
    }
}

/// The recording with a pending review of ours, and the inline comments in it where they can be read.
fn pending(recording: &Recording, comments: Option<usize>) -> Recording {
    let mut out = recording.clone();
    let viewer: Value =
        serde_json::from_slice(&recording.find("/user", "application/vnd.github+json").unwrap().bytes()).unwrap();
    let mut page = out.exchanges().iter().find(|exchange| exchange.path.contains("/reviews?")).unwrap().clone();
    let mut inline = page.clone();
    let Body::Json(Value::Array(known)) = &mut page.body else { panic!("{}", page.path) };
    known.push(json!({"id": 80, "user": viewer, "body": "", "html_url": "https://x/80", "state": "PENDING"}));
    out.insert(page);
    if let Some(count) = comments {
        inline.path = inline.path.replace("/reviews?", "/reviews/80/comments?");
        inline.body = Body::Json((0..count).map(|id| json!({"id": id, "body": "draft"})).collect());
        out.insert(inline);
    }
    out
}

#[tokio::test]
async fn a_pending_review_of_ours_is_counted_without_a_screen_too() {
    let (policy, recording) = (demo::policy(), demo::recording());
    let order = |way| Order { way: Some(way), despite: RULES.iter().map(|rule| rule.key.into()).collect(), ..Order::default() };
    let table = [
        (Some(3), Way::Review, "(3 inline comments wait in it), and GitHub takes no second one", 0),
        (Some(0), Way::Approve, "(no inline comment waits in it)", 0),
        (None, Way::Approve, "(its inline comments could not be counted: ", 0),
        (None, Way::Comment, "posted", 1),
    ];
    for (comments, way, words, arrived) in table {
        let told = posted(&pending(&recording, comments), &policy, order(way)).await;
        assert!(told.0.contains(words) && told.1 == arrived, "{comments:?} {way:?}: {told:?}");
    }
}

/// What was said to the person.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A desk over a recording whose folder holds a draft with every item ticked, as `change` leaves it.
async fn desk_with(
    recording: &Recording,
    policy: &Policy,
    home: &Path,
    postbox: &Arc<Postbox>,
    change: impl FnOnce(&mut Draft, &Facts),
) -> Desk {
    let now = recording.recorded_at;
    let settings = Settings::new(Arc::new(move || now));
    let client = Client::replay_to_postbox(recording.clone(), settings, Script::new(), Arc::clone(postbox)).unwrap();
    let mut desk = crate::opening::desk(client, &recording.repo, Some(home.to_owned()));
    desk.policy = Arc::new(policy.clone());
    let facts = desk.load(recording.number, |_| true).await;
    let mut draft = Draft::new(&desk.host, recording.repo.clone(), recording.number);
    let blank = signoff::sign(policy, &facts, &draft).unwrap();
    signoff::tick(&mut draft, &blank, &facts, None, now).unwrap();
    change(&mut draft, &facts);
    let opened = store::open(&store::path(home, &desk.host, &recording.repo, recording.number), draft.clone());
    let Access::Writable(held) = opened.access else { panic!("nobody else is there") };
    held.save(draft, true, |saved| saved.unwrap());
    desk
}

/// Posts the stored draft: what came of it, what was printed, and what was said.
async fn post_stored(desk: &Desk, number: PullNumber) -> (String, String, String) {
    post_as(desk, number, Order::default()).await
}

async fn post_as(desk: &Desk, number: PullNumber, order: Order) -> (String, String, String) {
    let despite = RULES.iter().map(|rule| rule.key.into()).collect();
    let order = Order { yes: true, despite, ..order };
    let (data, said) = (Kept::default(), Kept::default());
    let mut out = Out::to(data.clone(), said.clone());
    let told = match runtime::post::post(desk, number, &order, &mut out).await {
        Ok(()) => "posted".to_owned(),
        Err(error) => error.message,
    };
    let of = |kept: &Kept| String::from_utf8(kept.0.lock().unwrap().clone()).unwrap();
    (told, of(&data), of(&said))
}

const SENDING: &str = "Posting to ";

#[tokio::test]
async fn the_stored_text_is_shown_before_it_is_sent() {
    let (policy, recording) = (demo::policy(), demo::recording());
    let (home, postbox) = (tempfile::tempdir().unwrap(), Arc::new(Postbox::default()));
    let mut text = String::new();
    let keep = |draft: &mut Draft, facts: &Facts| text = signoff::sign(&policy, facts, draft).unwrap().rendered.text;
    let desk = desk_with(&recording, &policy, home.path(), &postbox, keep).await;
    let (told, data, said) = post_stored(&desk, recording.number).await;
    let shown = said.find(text.trim_end()).unwrap_or_else(|| panic!("{told} {said}"));
    assert!(shown < said.find(SENDING).unwrap());
    assert_eq!((data.lines().count(), postbox.arrived()), (1, 1), "standard output is the address alone");
}

#[tokio::test]
async fn a_sign_off_of_another_that_counts_for_nothing_is_told_before_anything_is_sent() {
    let mut policy = demo::policy();
    let recording = signed(&demo::recording(), &policy, Errand::New(Way::Comment));
    let warning = "another-reviewer, who owns nothing here as far as is known, wrote a sign-off too: https://x/79";
    // Where more than one may stand there is nothing to tell.
    for only_one in [false, true] {
        policy.signoff.only_one_in =
            if only_one { policy.eras.iter().map(|era| era.name.clone()).collect() } else { Vec::new() };
        let (home, postbox) = (tempfile::tempdir().unwrap(), Arc::new(Postbox::default()));
        let desk = desk_with(&recording, &policy, home.path(), &postbox, |_, _| ()).await;
        let (told, data, said) = post_stored(&desk, recording.number).await;
        assert_eq!((told.as_str(), postbox.arrived(), data.lines().count()), ("posted", 1, 1), "{said}");
        let warned = said.find(warning);
        assert_eq!(warned.is_some(), only_one, "{said}");
        assert!(warned.is_none_or(|at| at < said.find(SENDING).unwrap()), "{said}");
    }
}

#[tokio::test]
async fn what_the_draft_lacks_and_what_moved_under_it_is_told_before_it_is_sent() {
    let (policy, recording) = (demo::policy(), demo::recording());
    let warnings = ["Facts moved under your paragraph \"Validation\": ", "What you pinned stands nowhere in your details"];
    // Of a text that is no draft's none of that is true.
    for given in [false, true] {
        let (home, postbox) = (tempfile::tempdir().unwrap(), Arc::new(Postbox::default()));
        let mut text = String::new();
        let edit = |draft: &mut Draft, facts: &Facts| {
            let sweeps = sweeps(&policy, facts);
            let ended = sweeps.iter().find(|sweep| sweep.in_pull == Some(true) && sweep.outcome().finished()).unwrap();
            draft.pins.push(Pin::of_run(ended, recording.recorded_at).unwrap());
            let signed = signoff::sign(&policy, facts, draft).unwrap();
            let line = signed.detail.lines().find(|line| line.starts_with("- **Validation**")).unwrap();
            draft.detail = Some(format!("{line} I looked at all of them.\n"));
            draft.drafted = details::basis(&signed.drafted);
            // It was drafted in other words then.
            let then = draft.drafted.iter_mut().find(|known| known.text.starts_with("- **Validation**")).unwrap();
            then.text.push_str(" So far.");
            text = signoff::sign(&policy, facts, draft).unwrap().rendered.text;
        };
        let desk = desk_with(&recording, &policy, home.path(), &postbox, edit).await;
        let file = home.path().join("comment.md");
        std::fs::write(&file, &text).unwrap();
        let order = Order { file: given.then_some(file), ..Order::default() };
        let (told, _, said) = post_as(&desk, recording.number, order).await;
        assert_eq!((told.as_str(), postbox.arrived()), ("posted", 1), "{said}");
        for warning in warnings {
            let at = said.find(warning);
            assert_eq!(at.is_none(), given, "{warning}: {said}");
            assert!(at.is_none_or(|at| at < said.find(SENDING).unwrap()), "{said}");
        }
    }
}

#[tokio::test]
async fn a_pin_that_does_not_stand_any_more_blocks_the_stored_draft() {
    let (policy, recording) = (demo::policy(), demo::recording());
    type Change = fn(&mut Pin);
    let table: [(Change, &str); 4] = [
        (|_| (), "posted"),
        (|pin| pin.head = "0".repeat(40).as_str().into(), "its commit 000000000 has left the pull request: take the pin away"),
        (|pin| pin.conclusion = "neutral".into(), "and now it is attempt "),
        (|pin| pin.run = RunId(1), "GitHub lists it no more"),
    ];
    for (change, words) in table {
        let (home, postbox) = (tempfile::tempdir().unwrap(), Arc::new(Postbox::default()));
        let pin = |draft: &mut Draft, facts: &Facts| {
            let sweeps = sweeps(&policy, facts);
            let ended = sweeps.iter().find(|sweep| sweep.in_pull == Some(true) && sweep.outcome().finished()).unwrap();
            let mut pin = Pin::of_run(ended, recording.recorded_at).unwrap();
            change(&mut pin);
            draft.pins.push(pin);
        };
        let desk = desk_with(&recording, &policy, home.path(), &postbox, pin).await;
        let (told, data, said) = post_stored(&desk, recording.number).await;
        assert!(told.contains(words), "{words}: {told} {said}");
        let is_posted = usize::from(words == "posted");
        assert_eq!((postbox.arrived(), data.lines().count()), (is_posted, is_posted), "{words}");
        assert!(words == "posted" || told.starts_with("Not posted. You pinned run "), "{told}");
    }
}
