//! Forty openings and postings against a GitHub that fails at random, over real sockets: what holds in a rehearsal holds
//! there too, and nothing that is left behind holds the token.
//! Must not know: which layer is to cope with a fault.

use crate::honesty::{Dice, honest, never_greener, statuses};
use crate::hub::Hub;
use crate::token::{assert_absent, traces};
use countersign::cli::Order;
use countersign::config::policy;
use countersign::core::facts::Facts;
use countersign::core::ids::{PullNumber, RepoName};
use countersign::core::policy::preflight;
use countersign::core::policy::{Policy, RULES};
use countersign::core::session::{Draft, Way};
use countersign::core::time::Time;
use countersign::github::{Base, Client, Limits, Recorder, Recording, Secret, Settings, render_recording};
use countersign::report::signoff;
use countersign::runtime::connect::Connection;
use countersign::runtime::headless::Desk;
use countersign::runtime::out::Out;
use countersign::runtime::post::post;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const RUNS: u64 = 40;
const AT_ONCE: usize = 5;
const TOKEN: &str = "ghp_Zq7vK2mX9wTn4bR8sLd3";
const NUMBER: PullNumber = PullNumber(2550);
const SCENARIOS: [&str; 4] = ["2550-green", "2550-lowscore", "2550-failed", "2550-rebased"];
/// Every wait is short here; an opening is a handful of levels of at most three tries.
const LIMITS: Limits = Limits {
    connect: Duration::from_secs(2),
    headers: Duration::from_secs(2),
    body: Duration::from_secs(2),
    body_bytes: 64 << 20,
};
/// The longest that opening and posting twice may take, with two searches of twelve seconds.
const MOST: Duration = Duration::from_secs(180);

/// A buffer that is both ends of an output.
#[derive(Clone, Default)]
struct Said(Arc<Mutex<Vec<u8>>>);

impl Write for Said {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn desk(hub: &Hub, policy: &Arc<Policy>, data: &Path) -> (Desk, Recorder) {
    let mut settings = Settings::new(Arc::new(|| "2026-08-11T12:00:00Z".parse::<Time>().unwrap()));
    settings.base = Base::parse(hub.address()).unwrap();
    settings.token = Some(Secret::new(TOKEN));
    settings.limits = LIMITS;
    let repo = RepoName::parse("SemiAnalysisAI/InferenceX").unwrap();
    let recorder = Recorder::new(Recording::new(settings.base.clone(), repo.clone(), NUMBER, Time::default()));
    settings.record = Some(recorder.clone());
    let desk = Desk {
        connection: Arc::new(Connection::over(Client::network(settings).unwrap())),
        policy: Arc::clone(policy),
        host: "127.0.0.1".to_owned(),
        web: "https://github.com".to_owned(),
        repo,
        data: Some(data.to_owned()),
        signer: None,
        day: "2026-08-11".parse().unwrap(),
    };
    (desk, recorder)
}

/// The comment with every item ticked.
fn ticked(policy: &Policy, facts: &Facts) -> String {
    let mut draft = Draft::new("127.0.0.1", facts.repo.clone(), NUMBER);
    let signed = signoff::sign(policy, facts, &draft).unwrap();
    signoff::tick(&mut draft, &signed, facts, None, Time::default()).unwrap();
    signoff::sign(policy, facts, &draft).unwrap().rendered.text
}

/// Rules for the hub.
fn faults(dice: &mut Dice) -> Vec<String> {
    const PATHS: [&str; 14] = [
        ".*",
        "/user",
        "/pulls/2550$",
        "/pulls/2550/files",
        "/pulls/2550/commits",
        "/pulls/2550/reviews",
        "/pulls/2550/comments",
        "/issues/2550/comments",
        "/actions/runs$",
        "/jobs",
        "/artifacts",
        "/contents/.*",
        "/compare/.*",
        "/_blob/.*",
    ];
    const ACTS: [&str; 14] = [
        "401",
        "403",
        "404",
        "410",
        "422",
        "500",
        "502",
        "503",
        "truncate",
        "drop-before",
        "drop-after",
        "slow:300",
        "hang",
        "rate-secondary",
    ];
    const WRITES: [&str; 8] = ["drop-after", "truncate", "drop-after", "403", "422", "rate-secondary", "rate-primary", "502"];
    let mut out: Vec<String> = (0..=dice.roll(3))
        .map(|_| {
            let (path, act) = (PATHS[dice.roll(PATHS.len())], ACTS[dice.roll(ACTS.len())]);
            format!("GET {path} -> {act} x{}", [1, 2, 9][dice.roll(3)])
        })
        .collect();
    if dice.roll(2) == 0 {
        out.push(format!("POST .* -> {} x1", WRITES[dice.roll(WRITES.len())]));
    }
    out
}

/// How many comments arrived.
async fn run(seed: u64, policy: Arc<Policy>, truth: Arc<Vec<(Facts, String)>>) -> usize {
    let at = seed as usize % SCENARIOS.len();
    let ((truth, comment), rules) = (&truth[at], faults(&mut Dice(seed)));
    let hub = Hub::start_for(SCENARIOS[at], TOKEN, &rules.iter().map(String::as_str).collect::<Vec<_>>());
    let (home, said, began) = (tempfile::tempdir().unwrap(), Said::default(), Instant::now());
    let about = format!("run {seed}, {}: {rules:?}", SCENARIOS[at]);
    let (desk, recorder) = desk(&hub, &policy, home.path());
    let file = home.path().join("comment.md");
    std::fs::write(&file, comment).unwrap();
    let whole = async {
        let facts = desk.load(NUMBER, |_| true).await;
        honest(&facts, truth);
        let green = |facts: &Facts| statuses(&preflight(&policy, facts, &Draft::new("h", facts.repo.clone(), facts.number)));
        never_greener(&green(&facts), &green(truth));
        let way = [Way::Comment, Way::Review, Way::Approve][seed as usize / SCENARIOS.len() % 3];
        let despite = RULES.iter().map(|rule| rule.key.into()).collect();
        let order = Order { file: Some(file), way: Some(way), despite, yes: true, ..Order::default() };
        for _ in 0..2 {
            let mut out = Out::to(said.clone(), said.clone());
            let outcome = post(&desk, NUMBER, &order, &mut out).await;
            write!(said.clone(), "{outcome:?}").unwrap();
            let written = hub.writes().len();
            assert!(written <= 1, "{about}: posted {written} times");
            assert!(outcome.is_err() || written == 1, "{about}: said to be posted");
        }
    };
    assert!(tokio::time::timeout(MOST, whole).await.is_ok(), "{about}: hangs");
    assert!(began.elapsed() < MOST, "{about}");
    hub.assert_well_behaved();
    std::fs::write(home.path().join("recording.jsonl"), render_recording(&recorder.recording())).unwrap();
    std::fs::write(home.path().join("said"), &*said.0.lock().unwrap()).unwrap();
    assert!(traces(&format!("{:?}", recorder.recording()), TOKEN).is_empty(), "{about}");
    assert_absent(home.path(), TOKEN);
    hub.writes().len()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
async fn a_github_that_fails_at_random_is_never_posted_to_twice() {
    let policy = Arc::new(policy::built_in().unwrap());
    let mut truth = Vec::new();
    for scenario in SCENARIOS {
        let (hub, home) = (Hub::start_for(scenario, TOKEN, &[]), tempfile::tempdir().unwrap());
        let facts = desk(&hub, &policy, home.path()).0.load(NUMBER, |_| true).await;
        let comment = ticked(&policy, &facts);
        truth.push((facts, comment));
    }
    let truth = Arc::new(truth);
    let runs = (0..RUNS).map(|seed| run(seed, Arc::clone(&policy), Arc::clone(&truth)));
    let mut runs = futures::StreamExt::buffer_unordered(futures::stream::iter(runs), AT_ONCE);
    let mut posted = 0;
    while let Some(count) = futures::StreamExt::next(&mut runs).await {
        posted += count;
    }
    assert!((5..RUNS as usize).contains(&posted), "{posted} of {RUNS} were posted: some must be, and some must not");
}
