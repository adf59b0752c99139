//! A pull request opened by the program's own plan, over a server that we did not write: what is asked, how often, how
//! deep, over how many connections; and both sides of every exchange held to GitHub's description.
//! Must not know: what the answers mean.

use crate::contract::Contract;
use crate::demo;
use crate::hub::{Hub, TOKEN};
use crate::tap::{Exchange, Tap};
use countersign::core::facts::Facts;
use countersign::core::ids::{PullNumber, RepoName};
use countersign::core::plan;
use countersign::core::posting::Sent;
use countersign::core::time::Time;
use countersign::github::cassette::Body;
use countersign::github::replay::{Act, Fault};
use countersign::github::{Base, Client, Recorder, Recording, Secret, Settings};
use countersign::runtime::connect::Connection;
use countersign::runtime::headless::Desk;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// What an opening must keep to, by REST alone.
const MOST_REQUESTS: usize = 40;
/// Requests under way, and connections that stand.
const MOST_AT_ONCE: usize = 8;
/// Round trips until the diff is there, and until everything is.
const DIFF_ROUNDS: u128 = 4;
const ALL_ROUNDS: u128 = 7;
const JOBS_ROUNDS: u128 = 14;

const RUN: u64 = 31_020_193_450;

fn scenarios() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/scenarios")
}

/// Every scenario with its pull requests.
fn pulls() -> BTreeMap<String, Vec<PullNumber>> {
    let names = |folder: &Path| -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    };
    let numbers = |scenario: &str| {
        names(&scenarios().join(scenario)).iter().filter_map(|name| name.parse().ok()).map(PullNumber).collect()
    };
    names(&scenarios()).into_iter().map(|scenario| (scenario.clone(), numbers(&scenario))).collect()
}

pub fn desk(client: Client, repo: &RepoName, data: Option<PathBuf>) -> Desk {
    let host = client.base().authority().to_owned();
    Desk {
        connection: Arc::new(Connection::over(client)),
        policy: Arc::new(demo::policy()),
        host,
        web: "https://github.com".to_owned(),
        repo: repo.clone(),
        data,
        signer: None,
        day: "2026-08-11".parse().unwrap(),
    }
}

pub fn settings(address: &str) -> Settings {
    let mut settings = Settings::new(Arc::new(|| "2026-08-11T12:00:00Z".parse::<Time>().unwrap()));
    settings.base = Base::parse(address).unwrap();
    settings.token = Some(Secret::new(TOKEN));
    settings
}

pub fn client(address: &str) -> Client {
    Client::network(settings(address)).unwrap()
}

pub fn repo() -> RepoName {
    RepoName::parse("SemiAnalysisAI/InferenceX").unwrap()
}

/// Opens a pull request as the headless commands do, and comments on it.
async fn open(client: &Client, number: PullNumber) -> Facts {
    let facts = desk(client.clone(), &repo(), None).load(number, |_| true).await;
    assert!(matches!(client.post_comment(&repo(), number, "looks good ✓").await, Sent::Posted(_)), "{number}");
    facts
}

/// What is wrong with an exchange.
fn judge(contract: &Contract, exchange: &Exchange) -> Vec<String> {
    let header = |name: &str| exchange.headers.get(name).map_or("", String::as_str);
    let mut out = Vec::new();
    let mut want = |right: bool, what: &str| {
        if !right {
            out.push(format!("{what}: {:?}", exchange.headers));
        }
    };
    want(header("user-agent").starts_with("countersign/"), "says who asks");
    if exchange.is_download() {
        want(header("authorization").is_empty(), "takes no token along");
        return out;
    }
    want(header("authorization") == format!("Bearer {TOKEN}"), "has the token");
    want(header("x-github-api-version") == "2022-11-28", "has the version");
    want(header("accept").starts_with("application/vnd.github"), "has a form");
    let sent = (!exchange.body.is_empty()).then(|| serde_json::from_slice::<Value>(&exchange.body).unwrap());
    out.extend(contract.check_request(&exchange.method, &exchange.target, sent.as_ref()));
    let Ok(answer) = serde_json::from_slice::<Value>(&exchange.answer) else { return out };
    let Exchange { method, target, status, .. } = exchange;
    let said = contract.check_response(method, target, *status, &answer, header("accept"));
    // The corpus leaves empty what nobody reads, and the hub completes no answer to a write.
    let hollow = |what: &str| match method.as_str() {
        "POST" => what.starts_with("missing: ") || what.starts_with("/reactions: "),
        _ => what.ends_with("not a \"uri\"") || what.starts_with("/jobs/") && what.contains("/started_at: "),
    };
    out.extend(said.into_iter().filter(|what| !hollow(what)));
    let unknown = contract.unknown_keys(method, target, *status, &answer);
    out.extend(unknown.into_iter().map(|key| format!("GitHub does not send {key}")));
    out
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
async fn every_exchange_of_every_scenario_is_one_that_github_describes() {
    let contract = Contract::load();
    let (mut wrong, mut templates) = (BTreeSet::new(), BTreeSet::new());
    for (scenario, numbers) in pulls() {
        let hub = Hub::start(&scenario, &[]);
        let tap = Tap::before(hub.address());
        for number in numbers {
            let facts = open(&client(tap.address()), number).await;
            assert!(facts.pull.settled().is_some(), "{scenario} {number}");
            assert!(!plan::is_loading(&facts), "{scenario} {number}");
        }
        for exchange in tap.exchanges() {
            templates.extend(contract.template(&exchange.method, &exchange.target));
            let said = judge(&contract, &exchange);
            wrong.extend(said.into_iter().map(|what| format!("{scenario}: {} {}: {what}", exchange.method, exchange.target)));
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", Vec::from_iter(wrong).join("\n"));
    // Every operation that the program has is among them.
    let expected = [
        "GET /repos/{owner}/{repo}",
        "GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}",
        "GET /repos/{owner}/{repo}/actions/runs",
        "GET /repos/{owner}/{repo}/actions/runs/{run_id}/artifacts",
        "GET /repos/{owner}/{repo}/actions/runs/{run_id}/jobs",
        "GET /repos/{owner}/{repo}/collaborators/{username}/permission",
        "GET /repos/{owner}/{repo}/compare/{basehead}",
        "GET /repos/{owner}/{repo}/contents/{path}",
        "GET /repos/{owner}/{repo}/git/blobs/{file_sha}",
        "GET /repos/{owner}/{repo}/git/trees/{tree_sha}",
        "GET /repos/{owner}/{repo}/issues/{issue_number}/comments",
        "GET /repos/{owner}/{repo}/issues/{issue_number}/events",
        "GET /repos/{owner}/{repo}/pulls/{pull_number}",
        "GET /repos/{owner}/{repo}/pulls/{pull_number}/comments",
        "GET /repos/{owner}/{repo}/pulls/{pull_number}/commits",
        "GET /repos/{owner}/{repo}/pulls/{pull_number}/files",
        "GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews",
        "GET /user",
        "POST /repos/{owner}/{repo}/issues/{issue_number}/comments",
    ];
    assert_eq!(Vec::from_iter(templates), expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
async fn a_typical_pull_request_costs_few_requests_and_no_job_costs_one() {
    let hub = Hub::start("2550-green", &[]);
    let tap = Tap::before(hub.address());
    let client = client(tap.address());
    let facts = desk(client.clone(), &repo(), None).load(PullNumber(2550), |_| true).await;
    let exchanges = tap.exchanges();
    let asked: Vec<&str> = exchanges.iter().map(|exchange| exchange.target.as_str()).collect();
    assert!((20..=MOST_REQUESTS).contains(&asked.len()), "{} {asked:#?}", asked.len());
    assert_eq!(client.counters().sent as usize, asked.len(), "nothing is repeated");
    assert_eq!(asked.iter().collect::<BTreeSet<_>>().len(), asked.len(), "nothing is asked twice: {asked:#?}");
    let under_way =
        |at: &Exchange| exchanges.iter().filter(|other| other.asked <= at.asked && at.asked < other.answered).count();
    assert!(exchanges.iter().map(under_way).max() <= Some(MOST_AT_ONCE));
    // Two of them are downloads from another host, for which an idle connection makes room.
    assert_eq!(tap.connections(), MOST_AT_ONCE);
    assert!(exchanges.iter().any(Exchange::is_download));
    let jobs = facts.jobs.values().map(|jobs| jobs.value().unwrap().items.len()).sum::<usize>();
    let about_jobs = asked.iter().filter(|target| target.contains("/jobs")).count();
    assert_eq!((jobs, about_jobs), (32, 1), "{asked:#?}");
}

/// The scenario's reads, kept.
pub async fn recorded(hub: &Hub, number: PullNumber, more: impl AsyncFnOnce(&Desk, Facts)) -> Arc<Recording> {
    let mut settings = settings(hub.address());
    let recorder = Recorder::new(Recording::new(settings.base.clone(), repo(), number, (settings.clock)()));
    settings.record = Some(recorder.clone());
    let desk = desk(Client::network(settings).unwrap(), &repo(), None);
    let facts = desk.load(number, |_| true).await;
    more(&desk, facts).await;
    Arc::new(recorder.recording())
}

/// One round trip of a rehearsal, in its own time.
const ROUND: Duration = Duration::from_millis(100);

/// A client over a recording in which every answer takes one round trip.
fn distant(recording: &Arc<Recording>) -> Client {
    let script = vec![Fault { method: "*", address: String::new(), times: u32::MAX, act: Act::Slow(ROUND) }];
    let began = Instant::now();
    let mut settings = settings("https://api.github.com");
    settings.clock = Arc::new(move || Time::default() + began.elapsed());
    Client::replay_with_faults(Arc::clone(recording), settings, script).unwrap()
}

/// Opens it from afar: round trips until the diff was there, and until everything was.
async fn rehearse(recording: &Arc<Recording>) -> (Facts, u128, u128) {
    let began = Instant::now();
    let facts = desk(distant(recording), &repo(), None).load(recording.number, |_| true).await;
    let all = began.elapsed().as_millis() / ROUND.as_millis();
    let diff = (facts.files.settled().unwrap().source.read_at - Time::default()).num_milliseconds();
    (facts, u128::from(diff.unsigned_abs()) / ROUND.as_millis(), all)
}

#[tokio::test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
async fn everything_is_there_after_few_round_trips() {
    let recording = recorded(&Hub::start("2550-green", &[]), PullNumber(2550), async |_, _| {}).await;
    tokio::time::pause();
    let (facts, diff, all) = rehearse(&recording).await;
    assert!(facts.evals.values().all(|evals| evals.settled().is_some()) && facts.evals.len() == 1);
    assert!(diff <= DIFF_ROUNDS && all <= ALL_ROUNDS, "{diff} and {all} round trips");

    let recording = Arc::new(with_jobs(&recording, 5_000));
    let (facts, diff, all) = rehearse(&recording).await;
    let jobs: Vec<_> = facts.jobs.values().map(|jobs| &jobs.settled().unwrap().value).collect();
    assert!(jobs.len() == 1 && jobs[0].is_complete() && jobs[0].items.len() == 5_000);
    assert!(diff <= DIFF_ROUNDS && all <= JOBS_ROUNDS, "{diff} and {all} round trips");
}

/// The recording with so many jobs in its run.
fn with_jobs(recording: &Recording, count: usize) -> Recording {
    let mut out = recording.clone();
    let list = format!("/repos/{}/actions/runs/{RUN}/jobs?filter=all&per_page=100", repo());
    let first = recording.find(&list, "").unwrap().clone();
    let Body::Json(known) = &first.body else { panic!("no JSON") };
    let pages = count.div_ceil(100);
    for page in 1..=pages {
        let row = |n: usize| {
            let mut row = known["jobs"][n % 32].clone();
            row["id"] = json!(n + 1);
            row["name"] = json!(format!("{} c{n}", row["name"].as_str().unwrap()));
            row
        };
        let rows: Vec<Value> = ((page - 1) * 100..(page * 100).min(count)).map(row).collect();
        let at = |page: usize| if page == 1 { list.clone() } else { format!("{list}&page={page}") };
        let links = format!("<{}>; rel=\"next\", <{}>; rel=\"last\"", at(page + 1), at(pages));
        let mut exchange = first.clone();
        exchange.path = at(page);
        exchange.headers = if page < pages { [("link".to_owned(), links)].into() } else { BTreeMap::new() };
        exchange.body = Body::Json(json!({ "total_count": count, "jobs": rows }));
        out.insert(exchange);
    }
    out
}
