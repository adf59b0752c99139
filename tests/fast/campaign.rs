//! Openings and postings that go wrong: random faults on random requests, in a time of their own.
//! Must not know: which layer or rule is to cope with a fault; only what must hold whatever happens.
//!
//! `COUNTERSIGN_RUNS=2000 cargo test --release --test fast campaign` makes so many runs; each has a number and is always the same.

mod postings;

use self::postings::{Errand, post, posting_dice};
use crate::demo;
use crate::honesty::{Dice, honest, never_greener, statuses};
use countersign::app::effect::{Command, Request};
use countersign::app::key::Key;
use countersign::app::keymap::Keymap;
use countersign::app::model::Session;
use countersign::app::msg::Reply;
use countersign::app::{Effect, Model, Msg, follow_up, painted, settle, start, update};
use countersign::core::facts::Facts;
use countersign::core::plan;
use countersign::core::policy::{Policy, Status};
use countersign::core::posting::Posting;
use countersign::core::session::{Draft, parse_draft, render_draft};
use countersign::core::trouble::{Trouble, TroubleKind};
use countersign::github::cassette::{Body, Exchange};
use countersign::github::replay::{Act, Fault, Postbox, Script};
use countersign::github::{Client, Clock, Recording, Settings, render_recording};
use futures::future::{BoxFuture, LocalBoxFuture};
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Where nobody asks for more.
const RUNS: u64 = 48;
/// Threads that share the runs.
const THREADS: u64 = 2;
/// Until an opening has an answer or a trouble for everything, even where nothing ever answers.
const OPENING: Duration = Duration::from_secs(600);
/// Limits that come again and again, with what is read behind each.
const LONGEST_LIMIT: Duration = Duration::from_secs(4 * 3_600);
/// How long the person waits for a posting to settle before looking away.
const PATIENCE: Duration = Duration::from_secs(900);

/// One opening of the workstation, with hands that ask a rehearsal and a clock that the rehearsal's time moves.
struct Rehearsal {
    model: Model,
    client: Client,
    postbox: Arc<Postbox>,
    clock: Clock,
    under_way: FuturesUnordered<BoxFuture<'static, Vec<Msg>>>,
    /// The draft as it lies on disk, and how often the disk is full from now on.
    disk: Draft,
    full: u32,
    /// Messages until the program is killed.
    fuse: Option<u32>,
}

impl Rehearsal {
    fn open(world: &World, policy: &Arc<Policy>, script: Script) -> Rehearsal {
        Rehearsal::with(&world.recording, policy, script, |_| ())
    }

    /// With what is changed of an empty draft.
    fn with(recording: &Arc<Recording>, policy: &Arc<Policy>, script: Script, change: impl Fn(&mut Draft)) -> Rehearsal {
        let (postbox, began, recorded_at) = (Arc::new(Postbox::default()), Instant::now(), recording.recorded_at);
        let clock: Clock = Arc::new(move || recorded_at + began.elapsed());
        let settings = Settings::new(Arc::clone(&clock));
        let client = Client::replay_to_postbox(Arc::clone(recording), settings, script, Arc::clone(&postbox)).unwrap();
        let host = client.base().authority().to_owned();
        let mut draft = Draft::new(&host, recording.repo.clone(), recording.number);
        change(&mut draft);
        Rehearsal::over(client, postbox, clock, policy, draft)
    }

    fn over(client: Client, postbox: Arc<Postbox>, clock: Clock, policy: &Arc<Policy>, draft: Draft) -> Rehearsal {
        let facts = Facts::new("https://github.com", draft.repo.clone(), draft.number);
        let session = Session { host: draft.host.clone(), recording: None, greeting: None, day: None, braille: true };
        let model = Model::new(session, Arc::clone(policy), facts, draft.clone(), Keymap::default());
        let under_way = FuturesUnordered::new();
        Rehearsal { model, client, postbox, clock, under_way, disk: draft, full: 0, fuse: None }
    }

    fn start(&mut self) {
        let effects = start(&mut self.model, (self.clock)());
        self.perform(effects);
    }

    fn is_killed(&self) -> bool {
        self.fuse == Some(0)
    }

    /// Killed, and opened again from what lies on disk. What was on its way arrives all the same, or never left.
    async fn reopen(self, arrives: bool) -> Rehearsal {
        if arrives {
            let _ = tokio::time::timeout(PATIENCE, self.under_way.collect::<Vec<_>>()).await;
        }
        let draft = parse_draft(render_draft(&self.disk).as_bytes()).unwrap();
        assert_eq!(draft, self.disk, "what reopens is what was saved");
        let mut again = Rehearsal::over(self.client, self.postbox, self.clock, &self.model.policy, draft);
        again.start();
        again
    }

    /// Lets answers come until `done`, or until nothing is on its way, or until `most` has passed; whether in time.
    async fn until(&mut self, most: Duration, done: impl Fn(&Model) -> bool) -> bool {
        let deadline = Instant::now() + most;
        loop {
            // What follows from the facts costs most: it is drawn when all is quiet.
            let ended = done(&self.model);
            let compares = self.model.is_loading() && !plan::is_loading(&self.model.facts);
            if ended || compares || self.under_way.is_empty() {
                let effects = settle(&mut self.model);
                self.perform(effects);
            }
            if ended {
                return true;
            }
            match tokio::time::timeout_at(deadline, self.under_way.next()).await {
                // All that is there at once, like the loop.
                Ok(Some(mut msgs)) => {
                    while let Some(Some(more)) = self.under_way.next().now_or_never() {
                        msgs.extend(more);
                    }
                    msgs.into_iter().for_each(|msg| self.take(msg));
                    if self.is_killed() {
                        return true;
                    }
                    let effects = follow_up(&mut self.model);
                    self.perform(effects);
                }
                Ok(None) => return true,
                Err(_) => return false,
            }
        }
    }

    fn keys(&mut self, keys: &str) {
        for key in keys.split_whitespace() {
            // The person looks before every key.
            let effects = painted(&mut self.model);
            self.perform(effects);
            self.take(Msg::Key(Key::parse(key).unwrap()));
            let effects = settle(&mut self.model);
            self.perform(effects);
        }
    }

    fn take(&mut self, msg: Msg) {
        if self.is_killed() {
            return;
        }
        self.fuse = self.fuse.map(|left| left - 1);
        let now = (self.clock)();
        let effects = update(&mut self.model, now, msg);
        self.perform(effects);
    }

    fn perform(&mut self, effects: Vec<Effect>) {
        let (repo, number) = (self.model.facts.repo.clone(), self.model.facts.number);
        for effect in effects {
            let (client, repo) = (self.client.clone(), repo.clone());
            let answer: BoxFuture<'static, Vec<Msg>> = match effect {
                Effect::Ask(ticket, Request::Read(read)) => Box::pin(async move {
                    let mut parts = Vec::new();
                    let mut part = |answer, source| {
                        parts.push(plan::Reply { read: read.clone(), answer: Ok((answer, source)), last: false });
                    };
                    let answer = client.read(&repo, number, read.clone(), &mut part).await;
                    parts.push(plan::Reply { read, answer, last: true });
                    parts.into_iter().map(|part| Msg::Reply(ticket.clone(), Reply::Read(part))).collect()
                }),
                Effect::Ask(ticket, Request::Compare(comparison)) => {
                    Box::pin(async move { vec![Msg::Reply(ticket, Reply::Compared(Box::new(comparison.run())))] })
                }
                Effect::Ask(ticket, Request::Draw(drawing)) => {
                    Box::pin(async move { vec![Msg::Reply(ticket, Reply::Drawn(Box::new(drawing.run())))] })
                }
                Effect::Ask(_, Request::Highlight { .. }) | Effect::Cancel(_) => continue,
                Effect::Do(ticket, Command::Save { draft, .. }) => {
                    let full = self.full > 0;
                    self.full = self.full.saturating_sub(1);
                    let saved = if full {
                        Err(Trouble::new(TroubleKind::TooLarge, "No space left on device.", "Free some space."))
                    } else {
                        self.disk = *draft;
                        Ok(())
                    };
                    Box::pin(async move { vec![Msg::Reply(ticket, Reply::Saved(saved))] })
                }
                Effect::Do(ticket, Command::Post(letter)) => {
                    Box::pin(async move { vec![Msg::Reply(ticket, Reply::Sent(client.post(&letter).await))] })
                }
                Effect::After(ticket, pause) => Box::pin(async move {
                    tokio::time::sleep(pause).await;
                    vec![Msg::Timer(ticket)]
                }),
                other => panic!("there are no hands for {other:?}"),
            };
            self.under_way.push(answer);
        }
    }
}

/// A recording, and what is true of it.
struct World {
    name: &'static str,
    recording: Arc<Recording>,
    /// Addresses that can fail.
    routes: Vec<String>,
    truth: Facts,
    findings: BTreeMap<String, Status>,
}

/// The demo, and three in which it goes wrong in earnest: every list in pages, so that each page can fail by itself.
async fn worlds(policy: &Arc<Policy>) -> Vec<World> {
    let head = "66862b059a6390e058dc80126ea20535c8f981f3";
    let failed = |job: &mut Value| {
        if job["name"].as_str().is_some_and(|name| name.contains('/')) {
            job["conclusion"] = json!("failure");
        }
    };
    let moved = |run: &mut Value| {
        if run["head_sha"] == head {
            run["head_sha"] = json!("0123456789012345678901234567890123456789");
        }
    };
    let mut out = Vec::new();
    for (name, recording) in [
        ("green", edited(&demo::recording(), "-", "", &|_| ())),
        ("failed", edited(&demo::recording(), "/jobs?", "jobs", &failed)),
        ("rebased", edited(&demo::recording(), "/actions/runs?", "workflow_runs", &moved)),
        ("unscored", edited(&demo::recording(), "/artifacts?", "artifacts", &|artifact| artifact["expired"] = json!(true))),
    ] {
        let recording = Arc::new(recording);
        let lines = render_recording(&recording);
        let paths = lines.lines().skip(1).map(|line| serde_json::from_str::<Value>(line).unwrap());
        let routes = paths.map(|line| line["path"].as_str().unwrap().to_owned()).collect();
        let blank = Facts::new("", recording.repo.clone(), recording.number);
        let mut world = World { name, recording, routes, truth: blank, findings: BTreeMap::new() };
        let mut calm = Rehearsal::open(&world, policy, Script::new());
        calm.start();
        assert!(calm.until(OPENING, |_| false).await && !plan::is_loading(&calm.model.facts), "{name}");
        world.findings = findings(&calm.model);
        world.truth = calm.model.facts;
        out.push(world);
    }
    out
}

fn findings(model: &Model) -> BTreeMap<String, Status> {
    statuses(&model.review.findings)
}

/// The recording with each list in pages, and the rows of the lists at `part` changed.
fn edited(recording: &Recording, part: &str, member: &str, change: &dyn Fn(&mut Value)) -> Recording {
    let mut out = recording.clone();
    for line in render_recording(recording).lines().skip(1) {
        let line: Value = serde_json::from_str(line).unwrap();
        let (path, accept) = (line["path"].as_str().unwrap(), line["accept"].as_str().unwrap());
        let first = recording.find(path, accept).unwrap();
        let Body::Json(body) = &first.body else { continue };
        let body = &lean(body.clone());
        let envelope = ["jobs", "artifacts", "workflow_runs"].into_iter().find(|name| body[*name].is_array());
        let Some(rows) = envelope.map_or(body, |name| &body[name]).as_array() else {
            out.insert(Exchange { body: Body::Text(body.to_string()), ..first.clone() });
            continue;
        };
        let mut rows = rows.clone();
        if path.contains(part) && envelope == Some(member) {
            rows.iter_mut().for_each(change);
        }
        let size = rows.len().div_ceil(2).max(1);
        let pages = rows.len().div_ceil(size).max(1);
        for page in 1..=pages {
            let at = |page: usize| if page == 1 { path.to_owned() } else { format!("{path}&page={page}") };
            let here: Vec<Value> = rows.iter().skip((page - 1) * size).take(size).cloned().collect();
            let mut exchange = first.clone();
            exchange.path = at(page);
            exchange.headers.clear();
            if page < pages {
                let links = format!("<{}>; rel=\"next\", <{}>; rel=\"last\"", at(page + 1), at(pages));
                exchange.headers.insert("link".to_owned(), links);
            }
            exchange.body = match envelope {
                Some(name) => Body::Text(json!({ "total_count": rows.len(), name: here }).to_string()),
                // The postbox adds to the conversation.
                None => Body::Json(Value::Array(here)),
            };
            out.insert(exchange);
        }
    }
    out
}

/// Without the addresses and repositories that nobody reads, which are most of an answer.
fn lean(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(lean).collect(),
        Value::Object(members) => {
            let read = |name: &str| !name.ends_with("_url") || name == "html_url";
            let heavy = |name: &str| matches!(name, "repository" | "_links" | "permissions" | "reactions" | "verification");
            let kept = members.into_iter().filter(|(name, _)| read(name) && !heavy(name));
            Value::Object(kept.map(|(name, member)| (name, lean(member))).collect())
        }
        other => other,
    }
}

fn act(dice: &mut Dice) -> Act {
    const STATUSES: [u16; 12] = [400, 401, 403, 404, 410, 422, 429, 451, 500, 502, 503, 504];
    match dice.roll(12) {
        0..=4 => Act::Status(STATUSES[dice.roll(STATUSES.len())]),
        5 => Act::Cut,
        6 => Act::Lost,
        7 => Act::Truncated,
        8 => Act::Slow(Duration::from_millis(50 << dice.roll(10))),
        9 | 10 => Act::Hang,
        _ => Act::Limited([1, 2, 60, 600][dice.roll(4)]),
    }
}

fn script(dice: &mut Dice, routes: &[String]) -> Script {
    let mut out = Script::new();
    for _ in 0..=dice.roll(4) {
        let address = match dice.roll(8) {
            0 => String::new(),
            1 => "page=".to_owned(),
            2 => "/contents/".to_owned(),
            3 => "/actions/".to_owned(),
            _ => routes[dice.roll(routes.len())].clone(),
        };
        let (times, act) = ([1, 1, 2, 3, 9, 40][dice.roll(6)], act(dice));
        // What a limit kept back is asked for again at its end, and for as long as it comes again.
        let times = if matches!(act, Act::Limited(_) | Act::Status(429)) { times.min(3) } else { times };
        out.push(Fault { method: "GET", address, times, act });
    }
    for _ in 0..dice.roll(3) {
        let times = [1, 1, 2][dice.roll(3)];
        out.insert(0, Fault { method: "POST", address: String::new(), times, act: act(dice) });
    }
    out
}

/// What became of the runs: a campaign in which nothing fails, or nothing is posted, proves nothing.
#[derive(Default)]
struct Tally(HashMap<&'static str, u64>);

impl Tally {
    fn count(&mut self, what: &'static str) {
        *self.0.entry(what).or_default() += 1;
    }
}

async fn run(seed: u64, world: &World, policy: &Arc<Policy>, tally: &mut Tally) {
    let mut dice = Dice(seed);
    let script = script(&mut dice, &world.routes);
    let mut desk = Rehearsal::open(world, policy, script);
    desk.start();
    // A limit may count down behind it, and what it kept back comes later.
    assert!(desk.until(OPENING, |model| !model.is_loading()).await, "the opening hangs");
    honest(&desk.model.facts, &world.truth);
    never_greener(&findings(&desk.model), &world.findings);
    tally.count(if findings(&desk.model) == world.findings { "unharmed" } else { "harmed" });

    let mut unclear_before = 0;
    desk.keys("Space P");
    for attempt in 0..3 {
        // Pressed again where that may do harm, and now and then where it should do nothing.
        let again = matches!(desk.model.posting, Posting::NotPosted { .. } | Posting::Searching { .. });
        if attempt > 0 && !again && !seed.is_multiple_of(16) {
            break;
        }
        // The person waits for a limit's end, and for what it kept back.
        let free = |model: &Model| model.pause.is_none() && !model.is_loading();
        assert!(desk.until(LONGEST_LIMIT, free).await, "a limit hangs");
        desk.keys("p");
        let settled = |model: &Model| !matches!(model.posting, Posting::Rechecking { .. });
        assert!(desk.until(OPENING, settled).await, "the recheck hangs");
        if matches!(desk.model.posting, Posting::Confirming(_)) {
            desk.keys("y");
            // Where one item of many is ticked, the bot will reject it: that takes another word.
            if matches!(desk.model.posting, Posting::Warned(_)) {
                desk.keys("Y");
            }
        }
        let settled = |model: &Model| !model.posting.is_locked();
        let ended = desk.until(PATIENCE, settled).await;
        assert!(ended || matches!(desk.model.posting, Posting::Searching { .. }), "{:?}", desk.model.posting);
        let (writes, arrived) = (desk.postbox.writes(), desk.postbox.arrived());
        assert!(arrived <= 1, "posted {arrived} times");
        match &desk.model.posting {
            Posting::Posted { .. } => {
                assert_eq!(arrived, 1, "said to be posted");
                tally.count("posted");
            }
            Posting::NotPosted { .. } => {
                assert_eq!(arrived, 0, "said to be not posted");
                tally.count("not posted");
            }
            Posting::Blocked(_) => tally.count("blocked"),
            Posting::Searching { .. } => {
                assert!(unclear_before == 0 || writes == unclear_before, "sent again while unclear");
                unclear_before = writes;
                tally.count("unclear");
            }
            // Without a template there is nothing to post.
            Posting::Draft => {
                assert!(desk.model.signed().is_none(), "nothing came of it");
                tally.count("without a template");
            }
            other => panic!("{other:?}"),
        }
        honest(&desk.model.facts, &world.truth);
        never_greener(&findings(&desk.model), &world.findings);
    }
}

/// A runtime whose time moves only where everything waits.
fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap()
}

/// One thread's share, with a sentence for each run that went wrong.
async fn share(thread: u64, campaign: &Campaign<'_>) -> (Tally, Vec<String>) {
    let (mut tally, mut wrong) = (Tally::default(), Vec::new());
    for seed in (0..campaign.count).filter(|seed| seed % THREADS == thread) {
        let world = &campaign.worlds[(seed / THREADS) as usize % campaign.worlds.len()];
        let run: LocalBoxFuture<'_, ()> = match campaign.kind {
            Kind::Openings => Box::pin(run(seed, world, campaign.policy, &mut tally)),
            Kind::Postings => Box::pin(post(seed, world, campaign.policy, &mut tally)),
        };
        if let Err(panic) = AssertUnwindSafe(run).catch_unwind().await {
            let said = panic.downcast_ref::<String>().cloned().or(panic.downcast_ref::<&str>().map(|said| (*said).to_owned()));
            let about = match campaign.kind {
                Kind::Openings => format!("{:?}", script(&mut Dice(seed), &world.routes)),
                Kind::Postings => format!("{:?}", Errand::roll(&mut posting_dice(seed))),
            };
            wrong.push(format!("{seed}, {}: {}\n    {about}", world.name, said.unwrap_or_default()));
        }
    }
    (tally, wrong)
}

struct Campaign<'a> {
    kind: Kind,
    worlds: &'a [World],
    policy: &'a Arc<Policy>,
    count: u64,
}

#[derive(Clone, Copy)]
enum Kind {
    Openings,
    Postings,
}

/// Makes all runs; what is tallied must have happened in one of so many at least.
fn campaign(kind: Kind, worlds: &[World], policy: &Arc<Policy>, must: &[&str]) {
    let asked = std::env::var("COUNTERSIGN_RUNS").ok().and_then(|count| count.parse().ok());
    let campaign = Campaign { kind, worlds, policy, count: asked.unwrap_or(RUNS) };
    let (mut tally, mut wrong) = (Tally::default(), Vec::new());
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                let campaign = &campaign;
                scope.spawn(move || runtime().block_on(share(thread, campaign)))
            })
            .collect();
        for thread in threads {
            let (counted, said) = thread.join().unwrap();
            counted.0.into_iter().for_each(|(what, count)| *tally.0.entry(what).or_default() += count);
            wrong.extend(said);
        }
    });
    assert!(
        wrong.is_empty(),
        "{} runs went wrong:\n{}",
        wrong.len(),
        wrong.iter().take(8).map(String::as_str).collect::<Vec<_>>().join("\n")
    );
    for what in must {
        assert!(tally.0.get(what).is_some_and(|times| *times > campaign.count / 200), "{what}: {:?}", tally.0);
    }
}

#[test]
fn whatever_fails_nothing_hangs_lies_or_is_posted_twice() {
    let policy = Arc::new(demo::policy());
    let worlds = runtime().block_on(worlds(&policy));
    campaign(Kind::Openings, &worlds, &policy, &["unharmed", "harmed", "posted", "not posted", "blocked"]);
}

#[test]
fn in_every_way_a_sign_off_goes_out_once_or_not_at_all() {
    let policy = Arc::new(demo::policy());
    let mut worlds = runtime().block_on(worlds(&policy));
    // The others differ in what is read, not in what is written.
    worlds.truncate(1);
    let must = ["comment posted", "review posted", "approval posted", "comment edited", "review edited"];
    let must = [&must[..], &["killed", "blocked", "not posted", "a stranger's", "deleted"]].concat();
    campaign(Kind::Postings, &worlds, &policy, &must);
}
