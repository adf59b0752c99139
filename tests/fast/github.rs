//! The GitHub layer on the wire: against a server that we did not write, against one that misbehaves on purpose, and
//! over recordings of either.
#![allow(clippy::disallowed_methods)]

use crate::contract::Contract;
use crate::opening::desk;
use countersign::core::evidence::Source;
use countersign::core::facts::{DocumentKind, Side};
use countersign::core::ids::{ArtifactId, CommentId, PullNumber, RepoName, RunId};
use countersign::core::listing::{Completeness, Listing};
use countersign::core::plan::{Answer, Read};
use countersign::core::posting::{Letter, Sent, Target};
use countersign::core::pull::{CommentPlace, Course};
use countersign::core::review::Review;
use countersign::core::session::{Draft, Way};
use countersign::core::sweep::{Whole, sweeps};
use countersign::core::time::Time;
use countersign::core::trouble::{Trouble, TroubleKind};
use countersign::core::verdict::SignoffRef;
use countersign::github::replay::{Act, Fault};
use countersign::github::{Base, Client, Limits, Recorder, Recording, Secret, Settings, parse_recording, render_recording};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const REPO: &str = "SemiAnalysisAI/InferenceX";
const NUMBER: PullNumber = PullNumber(2550);
const RUN: RunId = RunId(31_020_193_450);
const HEAD: &str = "e36439994615e02aaaf042482234dc7060a6126d";
const EVALS: ArtifactId = ArtifactId(15_510_096_726);

fn shared(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared").join(path)
}

fn repo() -> RepoName {
    RepoName::parse(REPO).unwrap()
}

fn settings(base: &str) -> Settings {
    let mut settings = Settings::new(Arc::new(|| "2026-08-11T12:00:00Z".parse::<Time>().unwrap()));
    settings.base = Base::parse(base).unwrap();
    settings.token = Some(Secret::new("t0ken"));
    settings
}

fn client(base: &str) -> Client {
    Client::network(settings(base)).unwrap()
}

async fn ask(client: &Client, read: Read) -> Result<Answer, Trouble> {
    Ok(client.read(&repo(), NUMBER, read, &mut |_, _| {}).await?.0)
}

/// `../shared/tools/fakehub.py` over a scenario; ends with the test.
struct Hub {
    process: Child,
    address: String,
}

impl Hub {
    fn start(corpus: &Path, faults: &[&str]) -> Hub {
        let mut command = Command::new("python3");
        command.arg(shared("tools/fakehub.py")).arg(corpus).args(["--port", "0"]).stdout(Stdio::piped());
        for fault in faults {
            command.args(["--fault", fault]);
        }
        let mut process = command.spawn().unwrap();
        let mut address = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut address).unwrap();
        Hub { process, address: address.trim().to_owned() }
    }

    fn green(faults: &[&str]) -> Hub {
        Hub::start(&shared("corpus/scenarios/2550-green"), faults)
    }

    fn control(&self, what: &str) -> Value {
        let mut stream = TcpStream::connect(self.address.trim_start_matches("http://")).unwrap();
        write!(stream, "GET /_control/{what} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        serde_json::from_str(text.split_once("\r\n\r\n").unwrap().1).unwrap()
    }

    fn requests(&self) -> Vec<Value> {
        self.control("requests")["requests"].as_array().unwrap().clone()
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// One request as a [`Wire`] saw it.
#[derive(Debug, Clone)]
struct Seen {
    method: String,
    target: String,
    headers: BTreeMap<String, String>,
}

/// Status, headers, body.
type Told = (u16, Vec<(&'static str, String)>, String);

/// A server of a closure, for what fakehub does not do. Each answer ends its connection. At its end, no answer may have
/// held a member that GitHub does not send.
struct Wire {
    address: String,
    seen: Arc<Mutex<Vec<Seen>>>,
    /// Address and body of the answers that are no refusals.
    told: Arc<Mutex<Vec<(String, String)>>>,
}

impl Wire {
    fn start(answer: impl Fn(&Seen) -> Told + Send + Sync + 'static) -> Wire {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let wire =
            Wire { address: format!("http://{}", listener.local_addr().unwrap()), seen: Arc::default(), told: Arc::default() };
        let (seen, told) = (wire.seen.clone(), wire.told.clone());
        let answer = Arc::new(move |request: &Seen| {
            seen.lock().unwrap().push(request.clone());
            let told_now = answer(request);
            if told_now.0 == 200 && request.method == "GET" {
                told.lock().unwrap().push((request.target.clone(), told_now.2.clone()));
            }
            told_now
        });
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let answer = answer.clone();
                std::thread::spawn(move || serve(stream, answer.as_ref()));
            }
        });
        wire
    }

    fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        if !cfg!(shared) || std::thread::panicking() {
            return;
        }
        let contract = Contract::load();
        for (address, body) in self.told.lock().unwrap().iter() {
            let Ok(body) = serde_json::from_str(body) else { continue };
            assert_eq!(contract.unknown_keys("GET", address, 200, &body), Vec::<String>::new(), "{address}");
        }
    }
}

fn serve(stream: TcpStream, answer: &dyn Fn(&Seen) -> Told) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim().split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    reader.read_exact(&mut vec![0; length]).ok()?;
    let request = Seen { method, target, headers };
    let (status, headers, body) = answer(&request);
    let mut text = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n", body.len());
    for (name, value) in headers {
        text += &format!("{name}: {value}\r\n");
    }
    (&stream).write_all((text + "\r\n" + &body).as_bytes()).ok()
}

/// What a listing holds, whichever list it is.
fn shape(answer: &Answer) -> (usize, &Completeness) {
    fn of<T>(listing: &Listing<T>) -> (usize, &Completeness) {
        (listing.items.len(), &listing.completeness)
    }
    match answer {
        Answer::Files(listing) => of(listing),
        Answer::Commits(listing) => of(listing),
        Answer::Comments(listing) | Answer::Reviews(listing) | Answer::LineComments(listing) => of(listing),
        Answer::Runs(listing) => of(listing),
        Answer::Jobs(listing) => of(listing),
        Answer::Artifacts(listing) => of(listing),
        Answer::Evals(listing) => of(listing),
        other => panic!("no list: {other:?}"),
    }
}

fn runs() -> Read {
    Read::Runs { branch: Some("pr-2550".into()), head: HEAD.into() }
}

fn lists() -> Vec<Read> {
    vec![
        Read::Files,
        Read::Commits,
        Read::Comments,
        Read::Reviews,
        Read::LineComments,
        runs(),
        Read::Jobs(RUN),
        Read::Artifacts { run: RUN, name: "eval_results_all".into() },
    ]
}

fn everything() -> Vec<Read> {
    let document = |kind, paths: &[&str]| Read::Document { kind, paths: paths.iter().map(|p| (*p).to_owned()).collect() };
    let config = |side, commit: &str| Read::SideFile { side, path: "configs/nvidia-master.yaml".into(), commit: commit.into() };
    let mut all = vec![
        Read::Viewer,
        Read::Repository,
        Read::Pull,
        Read::MergeBase { base: "f064a86f82409e577702d5884cd3c8e9106a0be9".into(), head: HEAD.into() },
        Read::Later { measured: "f064a86f82409e577702d5884cd3c8e9106a0be9".into(), head: HEAD.into() },
        Read::Run(RUN),
        Read::Evals { run: RUN, artifact: EVALS },
        document(DocumentKind::Checklist, &["docs/nowhere.md", "docs/PR_REVIEW_CHECKLIST.md"]),
        document(DocumentKind::Thresholds, &["utils/evals/thresholds.yaml"]),
        config(Side::Base, "f064a86f82409e577702d5884cd3c8e9106a0be9"),
        config(Side::Head, HEAD),
    ];
    all.extend(lists());
    all
}

#[tokio::test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
async fn everything_of_a_pull_request_is_read() {
    let hub = Hub::green(&[]);
    let client = client(&hub.address);
    let mut pages = 0;
    for read in everything() {
        let (answer, source) = client.read(&repo(), NUMBER, read.clone(), &mut |_, _| pages += 1).await.unwrap();
        assert!(source.address.starts_with('/') && !source.address.contains('?'), "{source:?}");
        assert_eq!(source.read_at.to_rfc3339(), "2026-08-11T12:00:00+00:00");
        match &answer {
            Answer::Viewer(viewer) => assert_eq!((viewer.login.as_str(), viewer.id.0), ("nv-owner-1", 4242)),
            Answer::Repository(repository) => {
                assert_eq!((repository.name.clone(), repository.default_branch.as_str()), (repo(), "main"));
            }
            Answer::Pull(pull) => {
                assert_eq!((pull.head.as_str(), pull.head_branch.as_str(), pull.changed_files), (HEAD, "pr-2550", 2));
                assert_eq!(source.commit.as_ref(), Some(&pull.head));
            }
            Answer::MergeBase(sha) => assert_eq!(sha.as_str(), "f064a86f82409e577702d5884cd3c8e9106a0be9"),
            Answer::Later(later) => {
                assert_eq!((&later.course, later.files.items.len(), later.files.is_complete()), (&Course::Ahead, 2, true));
                assert_eq!(source.commit, Some(HEAD.into()));
            }
            Answer::Run(run) => {
                assert_eq!((run.id, run.attempt, run.path.as_str()), (RUN, 1, ".github/workflows/run-sweep.yml"));
                assert_eq!(run.conclusion.as_deref(), Some("success"));
            }
            Answer::Document(document) => {
                assert_eq!(source.digest, document.blob.0);
                assert!(document.text.len() > 100 && source.address.ends_with(&document.path), "{source:?}");
            }
            Answer::SideFile(document) => {
                assert_eq!(source.digest, document.blob.0);
                let expected = std::fs::read_to_string(shared("corpus/blobs").join(&document.blob.0)).unwrap();
                assert!(document.text == expected && source.commit.is_some());
            }
            Answer::Evals(rows) => {
                assert!(rows.is_complete());
                assert_eq!((rows.items.len(), rows.items.iter().map(|row| row.metrics.len()).sum::<usize>()), (4, 8));
                let zip = std::fs::read(shared("corpus/blobs/f3228da36958eca708b386e241cc0a1b6fe5e400")).unwrap();
                assert_eq!(source.digest, countersign::core::evidence::digest(&zip));
            }
            list => {
                let expected = match read {
                    Read::Files | Read::Commits => 2,
                    Read::Comments => 3,
                    Read::Reviews | Read::LineComments => 0,
                    Read::Jobs(_) => 32,
                    _ => 1,
                };
                assert_eq!(shape(list), (expected, &Completeness::Complete), "{read:?}");
            }
        }
    }
    assert_eq!(pages, 0, "no list here has a second page");
    assert_eq!(hub.control("requests")["unserved"], json!([format!("GET /repos/{REPO}/contents/docs/nowhere.md")]));
    assert_eq!(client.counters().deepest, 2, "the download, and nothing else, waits for another answer");
    assert!(client.budget().is_some_and(|budget| budget.limit == 5000));
}

#[tokio::test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
async fn downloads_go_without_the_token_and_everything_else_says_who_we_are() {
    let hub = Hub::green(&[]);
    ask(&client(&hub.address), Read::Evals { run: RUN, artifact: EVALS }).await.unwrap();
    let requests = hub.requests();
    assert_eq!(requests.len(), 2);
    for request in requests {
        let blob = request["path"].as_str().unwrap().starts_with("/_blob/");
        assert_eq!(request["auth"], json!(!blob), "{request}");
        assert_eq!(request["status"], json!(if blob { 200 } else { 302 }));
        assert!(request["ua"].as_str().unwrap().starts_with("countersign/"));
    }
}

#[tokio::test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
async fn what_has_not_changed_is_confirmed() {
    let hub = Hub::green(&[]);
    let client = client(&hub.address);
    let first = ask(&client, Read::Jobs(RUN)).await.unwrap();
    assert_eq!(ask(&client, Read::Jobs(RUN)).await.unwrap(), first);
    let statuses: Vec<_> = hub.requests().iter().map(|request| request["status"].as_u64().unwrap()).collect();
    assert_eq!(statuses, [200, 304]);
    assert_eq!((client.counters().sent, client.counters().unchanged), (2, 1));
}

/// A scenario of these sizes, in a folder of its own.
fn made(sizes: &[&str]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("stress");
    let made = Command::new("python3")
        .arg(shared("tools/make_stress.py"))
        .arg(shared("corpus/scenarios/2550-green"))
        .arg(&out)
        .args(sizes)
        .stdout(Stdio::null())
        .status();
    assert!(made.unwrap().success());
    (folder, out)
}

/// A scenario in which every list has more than 200 items (commits 150).
fn stress() -> (tempfile::TempDir, PathBuf) {
    let (folder, out) = made(&["--files", "250", "--lines", "2500", "--jobs", "256", "--commits", "150", "--comments", "250"]);
    let repeat = |file: &str, row: Value, times: u64| {
        let path = out.join("2550").join(file);
        let mut rows: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        for n in 0..times {
            let mut row = row.clone();
            row["id"] = json!(row["id"].as_u64().unwrap() + n + 1);
            rows.push(row);
        }
        std::fs::write(path, serde_json::to_string(&rows).unwrap()).unwrap();
    };
    let first = |file: &str, at: usize| -> Value {
        let rows: Value = serde_json::from_str(&std::fs::read_to_string(out.join("2550").join(file)).unwrap()).unwrap();
        rows[at].clone()
    };
    repeat("reviews.json", json!({"id": 1, "user": null, "state": "COMMENTED", "body": "x"}), 250);
    repeat("review_comments.json", json!({"id": 1, "user": null, "path": "a", "line": 1, "body": "x"}), 250);
    repeat("runs.json", first("runs.json", 0), 249);
    let artifacts = format!("artifacts-{RUN}.json");
    repeat(&artifacts, first(&artifacts, 1), 249);
    (folder, out)
}

fn expected(read: &Read) -> usize {
    match read {
        Read::Commits => 150,
        Read::Comments => 253,
        Read::Jobs(_) => 256,
        _ => 250,
    }
}

#[tokio::test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
async fn thousands_of_jobs_in_twenty_runs_are_one_sweep_and_no_page_is_sent_twice() {
    let (_folder, corpus) = made(&["--files", "3", "--lines", "30", "--jobs", "5000", "--commits", "2", "--comments", "2"]);
    let hub = Hub::start(&corpus, &[]);
    let desk = desk(client(&hub.address), &repo(), None);
    let want = |read: &Read| matches!(read, Read::Repository | Read::Pull | Read::Commits | Read::Runs { .. } | Read::Jobs(_));
    let facts = desk.load(NUMBER, want).await;
    let sizes: Vec<usize> = facts.jobs.values().map(|jobs| jobs.settled().unwrap().value.items.len()).collect();
    let whole = Whole::all(&sweeps(&desk.policy, &facts)).remove(0);
    assert_eq!((sizes.len(), whole.runs.len(), whole.tally.total, whole.complete), (20, 20, 5_000, true));
    let of_jobs = |requests: &[Value]| -> Vec<(String, String, u64)> {
        let jobs = requests.iter().filter(|request| request["path"].as_str().unwrap().ends_with("/jobs"));
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        jobs.map(|job| (text(&job["path"]), text(&job["query"]), job["status"].as_u64().unwrap())).collect()
    };
    let first = hub.requests();
    let pages = of_jobs(&first);
    let once: std::collections::HashSet<_> = pages.iter().collect();
    assert_eq!((pages.len(), once.len()), (sizes.iter().map(|jobs| jobs.div_ceil(100)).sum(), pages.len()));
    // The next visit is told of every page that nothing changed.
    desk.load(NUMBER, want).await;
    let again = of_jobs(&hub.requests()[first.len()..]);
    assert!(again.len() == pages.len() && again.iter().all(|(.., status)| *status == 304), "{again:?}");
}

#[tokio::test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
async fn long_lists_come_whole_page_by_page() {
    let (_folder, corpus) = stress();
    let hub = Hub::start(&corpus, &[]);
    for read in lists() {
        let client = client(&hub.address);
        let mut pages: Vec<(usize, Option<usize>)> = Vec::new();
        let mut on_page = |answer: Answer, _: Source| {
            let (got, completeness) = shape(&answer);
            let Completeness::Partial { of, .. } = completeness else { panic!("{completeness:?}") };
            pages.push((got, *of));
        };
        let (answer, _) = client.read(&repo(), NUMBER, read.clone(), &mut on_page).await.unwrap();
        let expected = expected(&read);
        assert_eq!(shape(&answer), (expected, &Completeness::Complete), "{read:?}");
        assert!(
            pages.iter().map(|page| page.0).is_sorted() && pages.first().is_some_and(|page| page.0 == 100),
            "{read:?} {pages:?}"
        );
        if matches!(read, Read::Jobs(_) | Read::Artifacts { .. }) {
            assert_eq!(pages, [(100, Some(expected)), (200, Some(expected))], "{read:?}");
        }
        assert_eq!(client.counters().deepest, 2, "the pages behind the first come together: {read:?}");
    }
}

#[tokio::test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
async fn a_list_whose_further_pages_fail_on_the_wire_is_partial() {
    let (_folder, corpus) = stress();
    for (act, kind) in [("502", TroubleKind::Server), ("truncate", TroubleKind::Network)] {
        // Of each list the first page is served; the runs are two lists.
        let spared = [
            ("/pulls/2550/files", 1),
            ("/pulls/2550/commits", 1),
            ("/issues/2550/comments", 1),
            ("/pulls/2550/reviews", 1),
            ("/pulls/2550/comments", 1),
            ("/actions/runs$", 2),
            ("/jobs", 1),
            ("/artifacts", 1),
        ];
        let served = spared.map(|(path, times)| format!("GET {path} -> slow:0 x{times}"));
        let failing = format!("GET .* -> {act}");
        let rules: Vec<&str> = served.iter().chain([&failing]).map(String::as_str).collect();
        let hub = Hub::start(&corpus, &rules);
        let client = client(&hub.address);
        let answers = futures::future::join_all(lists().into_iter().map(|read| ask(&client, read))).await;
        for (read, answer) in lists().into_iter().zip(answers) {
            let answer = answer.unwrap();
            let (got, Completeness::Partial { of, why }) = shape(&answer) else { panic!("{read:?} {act} is whole") };
            assert_eq!(got, 100, "{read:?} {act}");
            let counted = matches!(read, Read::Runs { .. } | Read::Jobs(_) | Read::Artifacts { .. });
            assert_eq!(*of, counted.then(|| expected(&read)), "{read:?} {act}");
            assert_eq!(why.kind, kind, "{why:?}");
        }
    }
}

/// The stress scenario or the green one as a recording.
async fn recorded(corpus: &Path, reads: Vec<Read>) -> Recording {
    let hub = Hub::start(corpus, &[]);
    let mut settings = settings(&hub.address);
    let recorder = Recorder::new(Recording::new(settings.base.clone(), repo(), NUMBER, (settings.clock)()));
    settings.record = Some(recorder.clone());
    let client = Client::network(settings).unwrap();
    for read in reads {
        ask(&client, read).await.unwrap();
    }
    let text = render_recording(&recorder.recording());
    assert!(!text.contains("t0ken") && !text.contains("sig=signed"), "a recording holds no token and no signature");
    let (recording, problems) = parse_recording(&text).unwrap();
    assert_eq!(problems, []);
    recording
}

#[tokio::test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
async fn a_recording_answers_like_the_wire_and_never_writes() {
    let corpus = shared("corpus/scenarios/2550-green");
    let recording = recorded(&corpus, everything()).await;
    let hub = Hub::start(&corpus, &[]);
    let (wire, replay) = (client(&hub.address), Client::replay(recording, settings("https://api.github.com")).unwrap());
    for read in everything() {
        assert_eq!(ask(&replay, read.clone()).await, ask(&wire, read.clone()).await, "{read:?}");
    }
    assert!(replay.is_replay() && !wire.is_replay());
    let Sent::Refused(trouble) = replay.post_comment(&repo(), NUMBER, "x").await else { panic!("posted to a recording") };
    assert_eq!(trouble.kind, TroubleKind::Recording);
    assert!(trouble.headline.contains("nothing left this machine"), "{}", trouble.headline);
    let trouble = ask(&replay, Read::Run(RunId(1))).await.unwrap_err();
    assert_eq!(trouble.kind, TroubleKind::Recording);
    assert!(trouble.headline.contains("/actions/runs/1"), "{}", trouble.headline);
}

#[tokio::test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
async fn one_failing_page_costs_that_page_and_the_whole() {
    let (_folder, corpus) = stress();
    let recording = Arc::new(recorded(&corpus, lists()).await);
    tokio::time::pause();
    for read in lists() {
        for (act, kind) in [
            (Act::Status(502), TroubleKind::Server),
            (Act::Cut, TroubleKind::Network),
            (Act::Truncated, TroubleKind::Network),
            (Act::Hang, TroubleKind::Timeout),
            (Act::Limited(600), TroubleKind::Limited),
        ] {
            let fault = |times| Fault { method: "GET", address: "&page=2".into(), times, act: act.clone() };
            let replay = |times| {
                Client::replay_with_faults(recording.clone(), settings("https://api.github.com"), vec![fault(times)]).unwrap()
            };
            let answer = ask(&replay(1000), read.clone()).await.unwrap();
            let (got, Completeness::Partial { of, why }) = shape(&answer) else { panic!("{read:?} {act:?} is whole") };
            assert_eq!(why.kind, kind, "{read:?} {act:?}");
            assert!((100..expected(&read)).contains(&got), "{read:?} {act:?} {got}");
            if kind == TroubleKind::Server && !matches!(read, Read::Commits) {
                assert_eq!((got, *of), (expected(&read) - 100, Some(expected(&read))), "{read:?} {act:?}");
            }
            if matches!(act, Act::Status(_) | Act::Truncated) {
                let answer = ask(&replay(1), read.clone()).await.unwrap();
                assert_eq!(
                    shape(&answer),
                    (expected(&read), &Completeness::Complete),
                    "one failure is outlived: {read:?} {act:?}"
                );
            }
            let first = Fault { method: "GET", address: String::new(), times: 1000, act: act.clone() };
            let dead = Client::replay_with_faults(recording.clone(), settings("https://api.github.com"), vec![first]).unwrap();
            assert_eq!(ask(&dead, read.clone()).await.unwrap_err().kind, kind, "{read:?} {act:?}");
        }
    }
}

#[tokio::test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
async fn a_comment_is_sent_once_whatever_happens() {
    // Fault, outcome, kind of trouble, comments that the hub holds.
    let table = [
        (None, "posted", None, 1),
        (Some("502"), "unclear", Some(TroubleKind::Server), 0),
        (Some("drop-after"), "unclear", Some(TroubleKind::Network), 1),
        (Some("drop-before"), "unclear", Some(TroubleKind::Network), 0),
        (Some("truncate"), "unclear", Some(TroubleKind::Network), 1),
        (Some("slow:1500"), "unclear", Some(TroubleKind::Timeout), 1),
        (Some("hang"), "unclear", Some(TroubleKind::Timeout), 0),
        (Some("rate-primary"), "refused", Some(TroubleKind::Limited), 0),
        (Some("rate-secondary"), "refused", Some(TroubleKind::Limited), 0),
        (Some("401"), "refused", Some(TroubleKind::Access), 0),
        (Some("403"), "refused", Some(TroubleKind::Access), 0),
        (Some("404"), "refused", Some(TroubleKind::NotFound), 0),
        (Some("422"), "refused", Some(TroubleKind::Refused), 0),
    ];
    let tasks = table.map(|(act, outcome, kind, writes)| async move {
        let rule = format!("POST .* -> {}", act.unwrap_or("slow:0"));
        let hub = Hub::green(&[&rule]);
        let mut settings = settings(&hub.address);
        settings.limits = Limits { headers: Duration::from_millis(900), ..Limits::default() };
        let client = Client::network(settings).unwrap();
        let sent = client.post_comment(&repo(), NUMBER, "a\nb ✓").await;
        let (said, trouble) = match &sent {
            Sent::Posted(posted) => {
                assert!(posted.url.contains("#issuecomment-") && posted.author.is_some(), "{posted:?}");
                ("posted", None)
            }
            Sent::Refused(trouble) => ("refused", Some(trouble)),
            Sent::Unclear(trouble) => ("unclear", Some(trouble)),
        };
        assert_eq!((said, trouble.map(|t| t.kind)), (outcome, kind), "{act:?} {trouble:?}");
        assert_eq!(trouble.is_some_and(|t| t.retry_at.is_some()), kind == Some(TroubleKind::Limited), "{act:?}");
        tokio::time::sleep(Duration::from_millis(1500)).await;
        let posts = hub.requests().iter().filter(|request| request["method"] == "POST").count();
        let written = hub.control("writes");
        assert_eq!((posts, written.as_array().unwrap().len()), (1, writes), "{act:?}");
        if writes == 1 {
            assert_eq!(written[0]["body"], json!({"body": "a\nb ✓"}));
        }
        assert_eq!((client.counters().sent, client.counters().writes), (1, 1), "{act:?}");
    });
    futures::future::join_all(tasks).await;
}

#[tokio::test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
async fn every_way_of_posting_is_one_request_of_its_own() {
    let (conversation, review) = (CommentPlace::Conversation, CommentPlace::Review);
    let edit = |place, id| Target::Edit(SignoffRef { place, id: CommentId(id) });
    let head = HEAD;
    let hub = Hub::green(&[]);
    let client = Client::network(settings(&hub.address)).unwrap();
    let letter = |target| Letter { repo: repo(), number: NUMBER, target, head: head.into(), body: "a\nb ✓".to_owned() };
    let mut ids = Vec::new();
    for way in [Way::Comment, Way::Review, Way::Approve] {
        let sent = client.post(&letter(Target::New(way))).await;
        let Sent::Posted(posted) = sent else { panic!("{way:?}: {sent:?}") };
        ids.push(posted.id.0);
    }
    for (place, id) in [(conversation, ids[0]), (review, ids[1])] {
        let sent = client.post(&letter(edit(place, id))).await;
        assert!(matches!(&sent, Sent::Posted(posted) if posted.id.0 == id), "{place:?}: {sent:?}");
    }
    let body = json!("a\nb ✓");
    let said = |event: &str| json!({"body": body, "event": event, "commit_id": head});
    let expected = [
        ("POST", "/issues/2550/comments".to_owned(), json!({"body": body})),
        ("POST", "/pulls/2550/reviews".to_owned(), said("COMMENT")),
        ("POST", "/pulls/2550/reviews".to_owned(), said("APPROVE")),
        ("PATCH", format!("/issues/comments/{}", ids[0]), json!({"body": body})),
        ("PUT", format!("/pulls/2550/reviews/{}", ids[1]), json!({"body": body})),
    ];
    let written = hub.control("writes");
    let written = written.as_array().unwrap();
    assert_eq!(written.len(), expected.len(), "{written:?}");
    for (written, (method, path, body)) in written.iter().zip(expected) {
        assert_eq!((written["method"].as_str().unwrap(), &written["body"]), (method, &body));
        assert!(written["path"].as_str().unwrap().ends_with(&path), "{written} {path}");
    }
}

/// No method is repeated: whatever the answer, one request left.
#[tokio::test]
async fn an_edit_and_a_review_are_never_sent_twice() {
    let edit = |place| Target::Edit(SignoffRef { place, id: CommentId(9) });
    let table = [
        (Target::New(Way::Approve), "POST", "/pulls/2550/reviews"),
        (edit(CommentPlace::Conversation), "PATCH", "/issues/comments/9"),
        (edit(CommentPlace::Review), "PUT", "/pulls/2550/reviews/9"),
        (edit(CommentPlace::Line), "PATCH", "/pulls/comments/9"),
    ];
    for (target, method, path) in table {
        for (status, unclear) in [(502, true), (503, true), (200, true), (404, false), (403, false), (422, false), (307, false)]
        {
            let wire = Wire::start(move |_| (status, vec![("location", "/elsewhere".into())], "{}".into()));
            let letter = Letter { repo: repo(), number: NUMBER, target, head: "abc".into(), body: "x".into() };
            let sent = client(&wire.address).post(&letter).await;
            assert_eq!(matches!(sent, Sent::Unclear(_)), unclear, "{target:?} {status}: {sent:?}");
            assert_eq!(matches!(sent, Sent::Refused(_)), !unclear, "{target:?} {status}: {sent:?}");
            let seen = wire.seen();
            assert_eq!((seen.len(), seen[0].method.as_str()), (1, method), "{target:?} {status}");
            assert!(seen[0].target.ends_with(path), "{}", seen[0].target);
        }
    }
}

#[tokio::test]
async fn a_comment_that_never_left_is_refused() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let sent = client(&format!("http://127.0.0.1:{port}")).post_comment(&repo(), NUMBER, "x").await;
    let Sent::Refused(trouble) = sent else { panic!("{sent:?}") };
    assert_eq!(trouble.kind, TroubleKind::Network);
    assert!(trouble.headline.contains("refused"), "{}", trouble.headline);

    let wire = Wire::start(|_| (201, vec![], "{}".into()));
    let mut settings = settings(&wire.address);
    settings.token = None;
    let anonymous = Client::network(settings).unwrap();
    assert!(matches!(anonymous.post_comment(&repo(), NUMBER, "x").await, Sent::Refused(t) if t.kind == TroubleKind::Access));
    assert_eq!(ask(&anonymous, Read::Viewer).await.unwrap_err().kind, TroubleKind::Access);
    assert_eq!(wire.seen().len(), 0, "without a token neither is asked");
}

#[tokio::test]
async fn a_write_follows_no_redirect_and_an_answer_without_sense_is_unclear() {
    for status in [301, 302, 307, 308] {
        let wire =
            Wire::start(move |_| (status, vec![("location", "/repositories/1/issues/2550/comments".into())], "{}".into()));
        let sent = client(&wire.address).post_comment(&repo(), NUMBER, "x").await;
        assert!(matches!(&sent, Sent::Refused(trouble) if trouble.kind == TroubleKind::Moved), "{sent:?}");
        let seen = wire.seen();
        assert_eq!((seen.len(), seen[0].method.as_str()), (1, "POST"), "{status}");
    }
    for body in ["", "{}", "<html>", "[]", r#"{"id":null,"html_url":"x"}"#] {
        let wire = Wire::start(move |_| (201, vec![], body.into()));
        let sent = client(&wire.address).post_comment(&repo(), NUMBER, "x").await;
        assert!(matches!(&sent, Sent::Unclear(trouble) if trouble.kind == TroubleKind::Malformed), "{sent:?}");
    }
}

#[tokio::test]
async fn the_token_does_not_travel_to_another_port() {
    let other = Wire::start(|_| (200, vec![], "PK".into()));
    let target = other.address.clone();
    let own = Wire::start(move |seen| {
        let elsewhere = format!("{target}/x?sig=1");
        if seen.target.contains("/comments") {
            (200, vec![("link", format!("<{elsewhere}&page=2>; rel=\"next\""))], "[]".into())
        } else {
            (302, vec![("location", elsewhere)], String::new())
        }
    });
    let client = client(&own.address);
    // A download goes there, without the token; it is no zip, which is said.
    let trouble = ask(&client, Read::Evals { run: RUN, artifact: EVALS }).await.unwrap_err();
    assert_eq!(trouble.kind, TroubleKind::Malformed, "{trouble:?}");
    let seen = other.seen();
    assert_eq!(seen.len(), 1);
    assert!(!seen[0].headers.contains_key("authorization") && seen[0].target == "/x?sig=1", "{seen:?}");
    // Anything else stays.
    assert_eq!(ask(&client, Read::Pull).await.unwrap_err().kind, TroubleKind::Moved);
    let answer = ask(&client, Read::Comments).await.unwrap();
    assert!(matches!(shape(&answer), (0, Completeness::Partial { .. })), "{answer:?}");
    assert_eq!(other.seen().len(), 1);
    assert!(own.seen().iter().all(|seen| seen.headers["authorization"] == "Bearer t0ken"));
    assert!(own.seen().iter().all(|seen| seen.headers["x-github-api-version"] == "2022-11-28"));
}

#[tokio::test]
async fn a_renamed_repository_is_read_under_its_new_place() {
    let wire = Wire::start(|seen| match seen.target.as_str() {
        "/repositories/7" => (200, vec![], r#"{"full_name":"new/name","default_branch":"main"}"#.into()),
        _ => (301, vec![("location", "/repositories/7".into())], "{}".into()),
    });
    let Answer::Repository(repository) = ask(&client(&wire.address), Read::Repository).await.unwrap() else { panic!() };
    assert_eq!(repository.name.to_string(), "new/name");
    let around = Wire::start(|_| (301, vec![("location", "/a".into())], "{}".into()));
    assert_eq!(ask(&client(&around.address), Read::Repository).await.unwrap_err().kind, TroubleKind::Moved);
    assert_eq!(around.seen().len(), 4);
}

/// A draft that nobody else sees is counted, and not kept.
#[tokio::test]
async fn the_comments_of_a_pending_review_are_counted_page_by_page() {
    const PATH: &str = "/repos/SemiAnalysisAI/InferenceX/pulls/2550/reviews/77/comments?per_page=100";
    for (second, whole) in [(200, true), (502, false)] {
        let wire = Wire::start(move |seen| {
            let row = |id: u64| json!({"id": id, "pull_request_review_id": 77, "path": "a", "position": 1, "user": null, "body": "x"});
            let next = format!("<{PATH}&page=2>; rel=\"next\", <{PATH}&page=2>; rel=\"last\"");
            match seen.target.strip_prefix(PATH) {
                Some("") => (200, vec![("link", next)], json!((1..=100).map(row).collect::<Vec<_>>()).to_string()),
                Some("&page=2") => (second, vec![], json!([row(101)]).to_string()),
                _ => (404, vec![], "{}".into()),
            }
        });
        let answer = ask(&client(&wire.address), Read::PendingComments(CommentId(77))).await.unwrap();
        let Answer::PendingComments(list) = &answer else { panic!("{answer:?}") };
        assert_eq!((list.items.len(), list.is_complete()), (if whole { 101 } else { 100 }, whole), "{list:?}");
        assert_eq!(list.items[99], CommentId(100));
    }
    let none = Wire::start(|_| (404, vec![], r#"{"message":"Not Found"}"#.into()));
    let trouble = ask(&client(&none.address), Read::PendingComments(CommentId(77))).await.unwrap_err();
    assert_eq!(trouble.kind, TroubleKind::NotFound);
}

#[tokio::test]
async fn at_most_eight_requests_are_under_way() {
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (inside, peak) = (now.clone(), most.clone());
    let wire = Wire::start(move |seen| {
        peak.fetch_max(inside.fetch_add(1, SeqCst) + 1, SeqCst);
        std::thread::sleep(Duration::from_millis(40));
        inside.fetch_sub(1, SeqCst);
        let page = seen.target.split("&page=").nth(1).and_then(|page| page.parse::<usize>().ok()).unwrap_or(1);
        let link = format!(r#"</x?per_page=100&page={}>; rel="next", </x?per_page=100&page=20>; rel="last""#, page + 1);
        let headers = if page < 20 { vec![("link", link)] } else { vec![] };
        (200, headers, json!([{"sha": format!("{}-{page}", seen.target)}]).to_string())
    });
    let client = client(&wire.address);
    let reads = (0..4).map(|_| ask(&client, Read::Commits));
    for answer in futures::future::join_all(reads).await {
        assert_eq!(shape(&answer.unwrap()), (20, &Completeness::Complete));
    }
    assert_eq!(most.load(SeqCst), 8);
}

/// A server whose list has these pages, each with whatever it claims.
fn pages(pages: Vec<(Value, Option<&'static str>)>) -> Wire {
    Wire::start(move |seen| {
        let page = seen
            .target
            .split("page=")
            .last()
            .and_then(|page| page.parse::<usize>().ok())
            .filter(|page| *page < 100)
            .unwrap_or(1);
        let (body, link) = pages.get(page - 1).cloned().unwrap_or((json!([]), None));
        let headers = link.map(|link| ("link", link.to_owned())).into_iter().collect();
        (200, headers, body.to_string())
    })
}

#[tokio::test]
async fn lists_that_lie_are_not_whole() {
    let row = |id: u64| json!({"id": id, "run_id": RUN.0, "name": "x"});
    let envelope =
        |total: Value, ids: &[u64]| json!({"total_count": total, "jobs": ids.iter().map(|id| row(*id)).collect::<Vec<_>>()});
    let next2 = Some(r#"</a?page=2>; rel="next""#);
    let next1 = Some(r#"</a?page=1>; rel="next""#);
    let next3 = Some(r#"</a?page=3>; rel="next""#);
    let last2 = Some(r#"</a?page=2>; rel="next", </a?page=2>; rel="last""#);
    let last3 = Some(r#"</a?page=2>; rel="next", </a?page=3>; rel="last""#);
    let mut broken = envelope(json!(2), &[1, 2]);
    broken["jobs"][1]["id"] = json!("two");
    type Row<'a> = (&'a str, Vec<(Value, Option<&'static str>)>, usize, Option<&'a str>);
    let table: Vec<Row> = vec![
        ("whole", vec![(envelope(json!(2), &[1, 2]), None)], 2, None),
        ("empty", vec![(envelope(json!(0), &[]), None)], 0, None),
        ("without a known end", vec![(envelope(json!(2), &[1]), next2), (envelope(json!(2), &[2]), None)], 2, None),
        ("shifted, but all there", vec![(envelope(json!(2), &[1]), last2), (envelope(json!(2), &[1, 2]), None)], 2, None),
        ("counts more", vec![(envelope(json!(33), &[1]), None)], 1, Some("counts 33 and listed 1")),
        ("repeats", vec![(envelope(json!(3), &[1]), next2), (envelope(json!(3), &[1]), next2)], 1, Some("nothing new")),
        ("adds nothing", vec![(envelope(json!(3), &[1]), last3), (envelope(json!(3), &[]), last3)], 1, Some("nothing new")),
        ("shrinks", vec![(envelope(json!(4), &[1, 2]), last2), (envelope(json!(3), &[4]), None)], 3, Some("changed while")),
        (
            "shrinks to a repeat",
            vec![(envelope(json!(3), &[1, 2]), last2), (envelope(json!(2), &[2]), None)],
            2,
            Some("nothing new"),
        ),
        ("grows meanwhile", vec![(envelope(json!(2), &[1]), last2), (envelope(json!(3), &[2, 3]), None)], 3, None),
        (
            "grows by a page",
            vec![(envelope(json!(2), &[1]), last2), (envelope(json!(3), &[2]), next3), (envelope(json!(3), &[3]), None)],
            3,
            None,
        ),
        ("counts less than it lists", vec![(envelope(json!(1), &[1, 2]), None)], 2, Some("changed while")),
        (
            "repeats a page further on",
            vec![(envelope(json!(4), &[1]), last3), (envelope(json!(4), &[2]), last3), (envelope(json!(4), &[1, 2]), None)],
            2,
            Some("nothing new"),
        ),
        (
            "leads round in a circle",
            vec![(envelope(json!(2), &[1]), next2), (envelope(json!(2), &[2]), next1)],
            2,
            Some("nothing new"),
        ),
        ("an item that is none", vec![(broken, None)], 1, Some("item 2")),
    ];
    for (name, list, got, why) in table {
        let wire = pages(list);
        let answer = ask(&client(&wire.address), Read::Jobs(RUN)).await.unwrap();
        let (items, completeness) = shape(&answer);
        assert_eq!(items, got, "{name}");
        match (completeness, why) {
            (Completeness::Complete, None) => {}
            (Completeness::Partial { why, .. }, Some(words)) => {
                assert!(why.headline.contains(words), "{name}: {}", why.headline)
            }
            other => panic!("{name}: {other:?}"),
        }
    }
    for body in [json!([]), json!({"jobs": []}), json!({"total_count": 1}), json!("x"), json!(null)] {
        let wire = pages(vec![(body.clone(), None)]);
        assert_eq!(ask(&client(&wire.address), Read::Jobs(RUN)).await.unwrap_err().kind, TroubleKind::Malformed, "{body}");
    }
}

#[tokio::test]
async fn lists_at_githubs_cap_are_not_whole() {
    for (read, cap) in [(Read::Commits, 250), (Read::Files, 3000)] {
        for count in [cap - 1, cap] {
            let wire = Wire::start(move |seen| {
                let page = seen.target.split("&page=").nth(1).and_then(|page| page.parse::<usize>().ok()).unwrap_or(1);
                let row = |n: usize| match cap {
                    250 => json!({"sha": n.to_string()}),
                    _ => json!({"sha": n.to_string(), "filename": n.to_string()}),
                };
                let rows: Vec<Value> = ((page - 1) * 100..(page * 100).min(count)).map(row).collect();
                let last = count.div_ceil(100);
                let link =
                    format!(r#"</a?per_page=100&page={}>; rel="next", </a?per_page=100&page={last}>; rel="last""#, page + 1);
                (200, if page < last { vec![("link", link)] } else { vec![] }, Value::from(rows).to_string())
            });
            let answer = ask(&client(&wire.address), read.clone()).await.unwrap();
            let (got, completeness) = shape(&answer);
            assert_eq!((got, *completeness == Completeness::Complete), (count, count < cap), "{read:?}");
        }
    }
}

#[tokio::test]
async fn only_not_found_leads_to_the_next_document() {
    let document = Read::Document { kind: DocumentKind::Checklist, paths: vec!["a b.md".into(), "c.md".into()] };
    let found = r#"{"type":"file","sha":"s","encoding":"base64","content":"eA==\n"}"#;
    for (first, second, outcome) in [
        ((404, "{}"), (200, found), Ok("c.md")),
        ((200, found), (500, ""), Ok("a b.md")),
        ((404, "{}"), (404, "{}"), Err((TroubleKind::NotFound, "a b.md, c.md"))),
        ((502, ""), (200, found), Err((TroubleKind::Server, "502"))),
        ((403, "{}"), (200, found), Err((TroubleKind::Access, "403"))),
        ((200, "[]"), (200, found), Err((TroubleKind::Malformed, "folder"))),
        ((200, "<html>"), (200, found), Err((TroubleKind::Malformed, "a%20b.md"))),
        (
            (200, r#"{"type":"file","sha":"s","encoding":"base64","content":"/w=="}"#),
            (200, found),
            Err((TroubleKind::Malformed, "UTF-8")),
        ),
    ] {
        let wire = Wire::start(move |seen| {
            let (status, body) = if seen.target.ends_with("/contents/a%20b.md") { first } else { second };
            (status, vec![], body.to_owned())
        });
        match (ask(&client(&wire.address), document.clone()).await, outcome) {
            (Ok(Answer::Document(document)), Ok(path)) => {
                assert_eq!((document.path.as_str(), document.text.as_str()), (path, "x"))
            }
            (Err(trouble), Err((kind, words))) => {
                assert_eq!(trouble.kind, kind, "{trouble:?}");
                assert!(trouble.headline.contains(words) && !trouble.hint.is_empty(), "{trouble:?}");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn large_files_come_raw() {
    let wire = Wire::start(|seen| {
        if seen.headers["accept"].contains("raw") {
            (200, vec![], "x".repeat(2_000_000))
        } else {
            (200, vec![], r#"{"type":"file","sha":"s","encoding":"none","content":""}"#.into())
        }
    });
    let read = Read::SideFile { side: Side::Head, path: "a".into(), commit: "c".into() };
    let Answer::SideFile(document) = ask(&client(&wire.address), read).await.unwrap() else { panic!() };
    assert_eq!(document.text.len(), 2_000_000);
    assert!(wire.seen().iter().all(|seen| seen.target.ends_with("/contents/a?ref=c")));
}

#[tokio::test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
async fn what_fails_is_said_with_the_way_on() {
    let table = [
        ("401", TroubleKind::Access, "expired"),
        ("403", TroubleKind::Access, "Resource not accessible"),
        ("404", TroubleKind::NotFound, "/pulls/2550"),
        ("410", TroubleKind::Gone, "gone"),
        ("500", TroubleKind::Server, "500"),
        ("hang", TroubleKind::Timeout, "within 0 s"),
        ("drop-before", TroubleKind::Network, "cut"),
        ("truncate", TroubleKind::Network, "cut"),
    ];
    let tasks = table.map(|(act, kind, words)| async move {
        let hub = Hub::green(&[&format!("GET .* -> {act}")]);
        let mut settings = settings(&hub.address);
        settings.limits.headers = Duration::from_millis(800);
        let trouble = ask(&Client::network(settings).unwrap(), Read::Pull).await.unwrap_err();
        assert_eq!(trouble.kind, kind, "{act}: {trouble:?}");
        assert!(trouble.headline.contains(words) && !trouble.hint.is_empty(), "{act}: {trouble:?}");
        assert!(!format!("{trouble:?}").contains("t0ken"));
    });
    futures::future::join_all(tasks).await;
}

#[tokio::test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
async fn passing_failures_and_short_limits_are_outlived() {
    let tasks = ["502 x2", "drop-before x2", "truncate x2", "rate-secondary x1", "rate-primary x1"].map(|fault| async move {
        let hub = Hub::green(&[&format!("GET .* -> {fault}")]);
        let answer = ask(&client(&hub.address), Read::Pull).await;
        assert!(matches!(answer, Ok(Answer::Pull(_))), "{fault}: {answer:?}");
    });
    futures::future::join_all(tasks).await;
}

#[tokio::test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
async fn expired_scores_are_gone_and_not_empty() {
    let hub = Hub::start(&shared("corpus/scenarios/2550-expired"), &[]);
    let client = client(&hub.address);
    let Answer::Artifacts(artifacts) = ask(&client, lists().pop().unwrap()).await.unwrap() else { panic!() };
    assert!(artifacts.items.iter().all(|artifact| artifact.expired && artifact.run == RUN));
    let trouble = ask(&client, Read::Evals { run: RUN, artifact: artifacts.items[0].id }).await.unwrap_err();
    assert_eq!(trouble.kind, TroubleKind::Gone);
    assert!(trouble.headline.contains("expired"), "{}", trouble.headline);
}

/// What came after a measured commit: asked for by both commits, every file on the one page that is asked for, and at
/// GitHub's limit no longer all.
#[tokio::test]
async fn what_came_after_a_commit_is_read_from_one_page() {
    let (measured, head) = ("c".repeat(40), HEAD);
    let file = |at: usize| {
        json!({
            "sha": "b".repeat(40), "filename": format!("benchmarks/f{at}.sh"), "status": "modified", "additions": 0,
            "deletions": 0, "changes": 0, "blob_url": "x", "raw_url": "x", "contents_url": "x",
        })
    };
    for (status, course, count, whole) in [
        ("ahead", Course::Ahead, 3, true),
        ("diverged", Course::Diverged, 3, true),
        ("identical", Course::Identical, 0, true),
        ("ahead", Course::Ahead, 300, false),
    ] {
        let files: Vec<Value> = (0..count).map(file).collect();
        let body = json!({
            "status": status, "ahead_by": 2, "behind_by": 0, "total_commits": 2, "commits": [{"sha": head}],
            "merge_base_commit": {"sha": measured}, "files": files,
        });
        let wire = Wire::start(move |_| (200, vec![], body.to_string()));
        let read = Read::Later { measured: measured.as_str().into(), head: head.into() };
        let Answer::Later(later) = ask(&client(&wire.address), read).await.unwrap() else { panic!() };
        assert_eq!((later.course, later.files.items.len(), later.files.is_complete()), (course, count, whole), "{status}");
        let seen: Vec<String> = wire.seen().iter().map(|seen| seen.target.clone()).collect();
        assert_eq!(seen, [format!("/repos/{REPO}/compare/{measured}...{head}?per_page=1")]);
    }
    let wire = Wire::start(|_| (404, vec![], r#"{"message":"Not Found","documentation_url":"x","status":"404"}"#.into()));
    let read = Read::Later { measured: measured.as_str().into(), head: head.into() };
    assert_eq!(ask(&client(&wire.address), read).await.unwrap_err().kind, TroubleKind::NotFound);
}

/// A scenario with one commit more than was measured, in a folder of its own.
fn pushed(message: &str, parents: &[&str]) -> (tempfile::TempDir, String) {
    let (folder, head) = (tempfile::tempdir().unwrap(), "a".repeat(40));
    let from = shared("corpus/scenarios/2550-green");
    let copy = |inside: &str| {
        std::fs::create_dir_all(folder.path().join(inside)).unwrap();
        for entry in std::fs::read_dir(from.join(inside)).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_file() {
                std::fs::copy(entry.path(), folder.path().join(inside).join(entry.file_name())).unwrap();
            }
        }
    };
    ["", "2550"].into_iter().for_each(copy);
    let change = |file: &str, change: &dyn Fn(&mut Value)| {
        let path = folder.path().join(file);
        let mut value: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        change(&mut value);
        std::fs::write(path, value.to_string()).unwrap();
    };
    change("corpus.json", &|meta| meta["blobs"] = json!(shared("corpus/blobs").canonicalize().unwrap()));
    change("2550/commits.json", &|commits| {
        let list = commits.as_array_mut().unwrap();
        let mut last = list.last().unwrap().clone();
        (last["sha"], last["commit"]["message"]) = (json!(head), json!(message));
        let parent = last["parents"][0].clone();
        let of = |sha: &&str| {
            let mut parent = parent.clone();
            parent["sha"] = json!(sha);
            parent
        };
        last["parents"] = parents.iter().map(of).collect();
        list.push(last);
    });
    change("2550/pull.json", &|pull| {
        pull["head"]["sha"] = json!(head);
        pull["commits"] = json!(pull["commits"].as_u64().unwrap() + 1);
    });
    change("2550/contents.json", &|contents| {
        let contents = contents.as_object_mut().unwrap();
        for (key, blob) in contents.clone() {
            if let Some(path) = key.strip_prefix(&format!("{HEAD}:")) {
                contents.insert(format!("{head}:{path}"), blob);
            }
        }
    });
    (folder, head)
}

/// By the program's own plan. What fakehub compares is always the whole pull request, whatever the first commit is.
#[tokio::test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
async fn an_opening_asks_once_what_came_after_the_measured_commit() {
    let (folder, head) = pushed("Merge branch 'main' into arm", &[HEAD, "9999999999999999999999999999999999999999"]);
    let hub = Hub::start(folder.path(), &[]);
    let client = client(&hub.address);
    let desk = desk(client, &repo(), None);
    let facts = desk.load(NUMBER, |_| true).await;
    let compared = |of: &str| {
        let end = format!("/compare/{of}...{head}");
        hub.requests().iter().filter(|seen| seen["path"].as_str().unwrap().ends_with(&end)).count()
    };
    assert_eq!(compared(HEAD), 1);
    assert_eq!(facts.commits.value().unwrap().items.last().unwrap().parents, Some(2));
    let pair = facts.later.keys().next().unwrap();
    assert_eq!((facts.later.len(), pair.0.as_str(), pair.1.as_str()), (1, HEAD, head.as_str()));
    let review = Review::draw(&desk.policy, &facts, &Draft::new("h", repo(), NUMBER), None);
    let text = &review.signed().unwrap().rendered.text;
    let want = " After it came `aaaaaaaaa` `Merge branch 'main' into arm`; it touches 2 files of this pull request: \
                `configs/nvidia-master.yaml` and `perf-changelog.yaml` (the changelog, 1 config with the pull request's changed \
                key `qwen3.5-fp4-b200-sglang-mtp`, no script, no recipe); it merges another branch, and what that brought counts \
                too.";
    assert!(text.contains(want), "{text}");
    let other = Hub::green(&[]);
    let facts = crate::opening::desk(self::client(&other.address), &repo(), None).load(NUMBER, |_| true).await;
    assert!(facts.later.is_empty(), "the head was measured");
}
