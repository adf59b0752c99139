//! Logs of jobs from the wire to the disk, and from there to standard output, against a server that misbehaves.
//! Must not know: how they are shown.

use countersign::app::screens::joblog::{Asked, Piece};
use countersign::core::ids::{JobId, PullNumber, RepoName};
use countersign::core::joblog::Needle;
use countersign::core::steps::Steps;
use countersign::core::time::Time;
use countersign::core::trouble::{Trouble, TroubleKind};
use countersign::github::{Base, Client, LARGEST_LOG, Recording, Secret, Settings};
use countersign::runtime::connect::Connection;
use countersign::runtime::joblogs::{self, JobLogs};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

const JOB: JobId = JobId(5);
const MISSING: &str = "<?xml version=\"1.0\"?><Error><Code>BlobNotFound</Code></Error>";

/// One answer: status, headers, body, and how many bytes less than promised are sent.
type Told = (u16, String, Vec<u8>, usize);

/// Answers by a closure over host and target of each request; each answer ends its connection.
struct Store {
    port: u16,
    seen: Arc<Mutex<Vec<(String, String, bool)>>>,
}

impl Store {
    fn start(answer: impl Fn(usize, &str, &str) -> Told + Send + Sync + 'static) -> Store {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let store = Store { port: listener.local_addr().unwrap().port(), seen: Arc::default() };
        let (seen, answer) = (store.seen.clone(), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (seen, answer) = (seen.clone(), answer.clone());
                std::thread::spawn(move || serve(stream, &seen, answer.as_ref()));
            }
        });
        store
    }

    /// Leads every log to a store of another name, which answers so.
    fn leading(answer: impl Fn(usize, &str) -> Told + Send + Sync + 'static) -> Store {
        let asked = Mutex::new(0);
        Store::start(move |_, host, target| match target.starts_with("/repos/o/r/actions/jobs/5/logs") {
            true => {
                (302, format!("location: http://localhost:{}/blob?sig=1\r\n", host.rsplit(':').next().unwrap()), Vec::new(), 0)
            }
            false => {
                let mut asked = asked.lock().unwrap();
                *asked += 1;
                answer(*asked, target)
            }
        })
    }

    fn seen(&self) -> Vec<(String, String, bool)> {
        self.seen.lock().unwrap().clone()
    }

    fn connection(&self) -> Connection {
        let mut settings = settings();
        settings.base = Base::parse(&format!("http://127.0.0.1:{}", self.port)).unwrap();
        settings.token = Some(Secret::new("t0ken"));
        Connection::over(Client::network(settings).unwrap())
    }
}

fn settings() -> Settings {
    Settings::new(Arc::new(|| "2026-08-11T12:00:00Z".parse::<Time>().unwrap()))
}

fn serve(
    stream: TcpStream,
    seen: &Mutex<Vec<(String, String, bool)>>,
    answer: &dyn Fn(usize, &str, &str) -> Told,
) -> Option<()> {
    let mut lines = BufReader::new(stream.try_clone().ok()?).lines();
    let target = lines.next()?.ok()?.split(' ').nth(1)?.to_owned();
    let headers: Vec<String> = lines.map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
    let value = |name: &str| headers.iter().find_map(|line| line.to_ascii_lowercase().strip_prefix(name).map(str::to_owned));
    let host = value("host: ")?;
    let nth = {
        let mut seen = seen.lock().unwrap();
        seen.push((host.split(':').next()?.to_owned(), target.clone(), value("authorization: ").is_some()));
        seen.len()
    };
    let (status, more, body, short) = answer(nth, &host, &target);
    let mut stream = &stream;
    let length = if more.starts_with("content-length") { String::new() } else { format!("content-length: {}\r\n", body.len()) };
    write!(stream, "HTTP/1.1 {status} X\r\nconnection: close\r\n{length}{more}\r\n").ok()?;
    stream.write_all(&body[..body.len() - short]).ok()
}

fn whole(body: impl Into<Vec<u8>>) -> Told {
    (200, String::new(), body.into(), 0)
}

fn repo() -> RepoName {
    RepoName::parse("o/r").unwrap()
}

fn logs(folder: &Path) -> JobLogs {
    JobLogs::of(Some(folder), "127.0.0.1")
}

async fn fetch(logs: &JobLogs, connection: &Connection) -> Result<PathBuf, Trouble> {
    logs.fetch(connection, &repo(), JOB, LARGEST_LOG, |_, _| {}).await
}

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let inside = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    inside.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

fn text(lines: usize) -> Vec<u8> {
    let line = |n: usize| match n {
        3000 => "2026-08-11T10:11:12.1234567Z ##[error]bad \x1b[31mred\x1b[0m \x1b]52;c;aGk=\x07\r\n".to_owned(),
        _ => format!("2026-08-11T10:11:12.1234567Z line {n} {}\r\n", "x".repeat(900)),
    };
    let mut text = "\u{feff}".as_bytes().to_vec();
    text.extend((1..=lines).flat_map(|n| line(n).into_bytes()));
    text.extend(b"\xff\xfe end");
    text
}

#[tokio::test]
async fn a_log_goes_to_a_file_once_and_the_token_stays_at_home() {
    let body = text(4000);
    let told = body.clone();
    let store = Store::leading(move |_, _| whole(told.clone()));
    let folder = tempfile::tempdir().unwrap();
    let connection = store.connection();
    let said = Arc::new(Mutex::new(Vec::new()));
    let saying = said.clone();
    let path = logs(folder.path())
        .fetch(&connection, &repo(), JOB, LARGEST_LOG, move |got, of| saying.lock().unwrap().push((got, of)))
        .await
        .unwrap();
    assert!(std::fs::read(&path).unwrap() == body && path.ends_with("logs/127.0.0.1/o/r/5.log"), "{}", path.display());
    let said = said.lock().unwrap().clone();
    assert!(said.len() >= 4 && said.is_sorted() && said.iter().all(|(_, of)| *of == Some(body.len() as u64)), "{said:?}");
    let seen = store.seen();
    let places: Vec<_> = seen.iter().map(|(host, target, token)| (host.as_str(), target.as_str(), *token)).collect();
    assert_eq!(places, [("127.0.0.1", "/repos/o/r/actions/jobs/5/logs", true), ("localhost", "/blob?sig=1", false)]);
    // It is kept: also for another window, and offline.
    fetch(&logs(folder.path()), &connection.offline(true)).await.unwrap();
    assert_eq!((store.seen().len(), joblogs::size(folder.path()).logs), (2, 1));
    assert_eq!(joblogs::clear(folder.path()).unwrap().bytes, body.len() as u64);
    let uncached = fetch(&logs(folder.path()), &store.connection().offline(true)).await.unwrap_err();
    assert_eq!((uncached.kind, store.seen().len()), (TroubleKind::Uncached, 2));
}

#[tokio::test]
async fn what_a_job_failed_of_is_read_at_the_end_of_its_log_and_of_no_endless_one() {
    let end = "2026-08-11T10:11:12.1Z torch.OutOfMemoryError: tried 3 GiB\r\n2026-08-11T10:11:13.1Z ##[error]Process completed with exit code 1.\r\n";
    let store = Store::leading(move |_, _| whole([text(4000), b"\n".to_vec(), end.into()].concat()));
    let folder = tempfile::tempdir().unwrap();
    for _ in 0..2 {
        let reason = logs(folder.path()).reason(&store.connection(), &repo(), JOB).await.unwrap().unwrap();
        assert_eq!(reason.label(), "torch.OutOfMemoryError: tried … GiB · exit code 1");
    }
    assert_eq!(store.seen().len(), 2, "the second time it is on the disk");
    let long = Store::leading(|_, _| (200, "content-length: 104857600\r\n".into(), Vec::new(), 0));
    let empty = tempfile::tempdir().unwrap();
    let trouble = logs(empty.path()).reason(&long.connection(), &repo(), JOB).await.unwrap_err();
    assert!(
        trouble.sentence().contains("larger than 64 MB") && trouble.sentence().contains("l on the job opens it"),
        "{trouble:?}"
    );
}

#[tokio::test]
async fn refusals_are_told_as_what_they_mean_and_leave_nothing() {
    let gone = r#"{"message":"Server Error","status":"410"}"#;
    let table: [(Store, TroubleKind, &str, usize); 6] = [
        (Store::leading(|_, _| (404, String::new(), MISSING.into(), 0)), TroubleKind::NotFound, "none before the job ends", 4),
        (Store::start(|_, _, _| (404, String::new(), b"{}".to_vec(), 0)), TroubleKind::NotFound, "none before the job ends", 1),
        (Store::start(move |_, _, _| (410, String::new(), gone.into(), 0)), TroubleKind::Gone, "gone: GitHub keeps logs", 1),
        (
            Store::start(|_, _, _| (302, "location: http://evil.example/x\r\n".into(), Vec::new(), 0)),
            TroubleKind::Moved,
            "not followed",
            1,
        ),
        (Store::leading(|_, _| (200, String::new(), vec![b'x'; 9000], 100)), TroubleKind::Network, "was cut", 4),
        (
            Store::leading(|_, _| (200, "content-length: 2147483648\r\n".into(), Vec::new(), 0)),
            TroubleKind::TooLarge,
            "larger than 1024 MB",
            2,
        ),
    ];
    for (store, kind, words, asked) in table {
        let folder = tempfile::tempdir().unwrap();
        let trouble = fetch(&logs(folder.path()), &store.connection()).await.unwrap_err();
        assert_eq!(trouble.kind, kind, "{trouble:?}");
        assert!(trouble.headline.contains(words) && !trouble.headline.contains("sig=1"), "{trouble:?}");
        assert_eq!((store.seen().len(), files(folder.path())), (asked, Vec::new()), "{words}");
    }
}

#[tokio::test]
async fn a_body_that_was_cut_is_asked_for_anew_and_not_continued() {
    let store = Store::leading(|nth, _| match nth {
        1 => (200, String::new(), vec![b'a'; 300_000], 100_000),
        2 => (503, String::new(), b"busy".to_vec(), 0),
        _ => whole(vec![b'b'; 200_000]),
    });
    let folder = tempfile::tempdir().unwrap();
    let path = fetch(&logs(folder.path()), &store.connection()).await.unwrap();
    assert!(std::fs::read(path).unwrap() == vec![b'b'; 200_000]);
}

#[tokio::test]
async fn a_log_that_the_api_gives_itself_is_not_kept_among_answers() {
    let store = Store::start(|nth, _, _| (200, "etag: \"e\"\r\n".into(), format!("text {nth}\n").into_bytes(), 0));
    let folder = tempfile::tempdir().unwrap();
    let connection = store.connection();
    for nth in 1..=2 {
        let path = fetch(&logs(folder.path()), &connection).await.unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("text {nth}\n"));
        joblogs::clear(folder.path()).unwrap();
    }
}

#[tokio::test]
async fn a_recording_holds_no_logs_and_says_so() {
    let at = "2026-08-11T12:00:00Z".parse().unwrap();
    let recording = Recording::new(Base::github(), repo(), PullNumber(7), at);
    let connection = Connection::over(Client::replay(recording, settings()).unwrap());
    let trouble = fetch(&JobLogs::of(None, "api.github.com"), &connection).await.unwrap_err();
    assert_eq!(trouble.kind, TroubleKind::Recording);
}

#[tokio::test]
async fn the_end_comes_first_then_all_lines_and_windows_of_them() {
    let body = text(4000);
    let told = body.clone();
    let store = Store::leading(move |_, _| whole(told.clone()));
    let folder = tempfile::tempdir().unwrap();
    let (logs, connection) = (Arc::new(logs(folder.path())), store.connection());
    let ask = async |asked: Asked| {
        let pieces = Arc::new(Mutex::new(Vec::new()));
        let said = pieces.clone();
        logs.clone().answer(&connection, &repo(), asked, move |piece| said.lock().unwrap().push(piece)).await;
        Arc::into_inner(pieces).unwrap().into_inner().unwrap()
    };
    let pieces = ask(Asked::Open { job: JOB, steps: Steps::default() }).await;
    let [.., Piece::Tail { from, bytes }, Piece::Indexed(index)] = &pieces[..] else { panic!("{} pieces", pieces.len()) };
    let from = *from as usize;
    assert!(bytes.len() <= 256 << 10 && bytes.len() > 250 << 10 && body[from..] == bytes[..] && body[from - 1] == b'\n');
    assert_eq!((index.lines(), index.errors(), index.bytes().end), (4001, &[2999][..], body.len() as u64));
    let ranges = [0, 2999, 4000].map(|line| index.range(line).unwrap()).to_vec();
    let pieces = ask(Asked::Lines { job: JOB, ranges: ranges.clone() }).await;
    let expected: Vec<_> =
        ranges.iter().map(|range| (range.start, body[range.start as usize..range.end as usize].to_vec())).collect();
    assert!(pieces == [Piece::Lines(expected)]);
    let pieces = ask(Asked::Search { job: JOB, needle: Needle::new("line 399").unwrap() }).await;
    let [Piece::Found(found)] = &pieces[..] else { panic!("{pieces:?}") };
    assert_eq!(found.lines, [&[398][..], &(3989..3999).collect::<Vec<_>>()].concat());
    joblogs::clear(folder.path()).unwrap();
    let pieces = ask(Asked::Lines { job: JOB, ranges }).await;
    assert!(matches!(&pieces[..], [Piece::Failed(trouble)] if trouble.headline.contains("not on the disk")), "{pieces:?}");
}

#[test]
fn the_command_prints_lines_that_steer_no_terminal() {
    let body = text(3100);
    let listed = r#"{"id":5,"run_id":31,"name":"x","steps":[{"name":"Launch \u001b[2J","status":"completed",
        "conclusion":"failure","number":1,"started_at":"2026-08-11T10:11:12Z","completed_at":"2026-08-11T10:25:12Z"}]}"#;
    let store = Store::leading(move |nth, target| match target.ends_with("/jobs/5") {
        // The last one that asks is told nothing.
        true if nth < 4 => whole(listed),
        true => (404, String::new(), b"{}".to_vec(), 0),
        false => whole(body.clone()),
    });
    let home = tempfile::tempdir().unwrap();
    let api = format!("http://127.0.0.1:{}", store.port);
    let run = |more: &[&str]| {
        let args = ["log", "5", "--repo", "o/r", "--api-url", &api];
        let (code, out, err) = crate::cli::run(home.path(), &[&args, more].concat());
        assert!(!out.contains(|c: char| c.is_control() && c != '\n'), "{code} {err}");
        (code, out, err)
    };
    let (code, out, err) = run(&["--errors"]);
    assert_eq!((code, out.lines().count()), (0, 8), "{out}{err}");
    assert_eq!(out.lines().next(), Some("── ✗ step 1 of 1, Launch ^[[2J, 14 m"));
    assert_eq!(out.lines().nth(4), Some(">3000 Error: bad red ^[]52;c;aGk=^G"));
    let (code, out, _) = run(&["--timestamps"]);
    assert_eq!((code, out.lines().count()), (0, 3102));
    let lines = out.split_once('\n').unwrap().1;
    assert!(lines.starts_with("2026-08-11T10:11:12.1234567Z line 1 xxx") && lines.ends_with("\n<0xFF><0xFE> end\n"));
    assert_eq!(store.seen().iter().filter(|(_, target, _)| target.contains("blob")).count(), 1, "it was kept");
    let (code, out, err) = run(&[]);
    assert!(code == 0 && out.starts_with("line 1 xxx") && err.contains("Which lines are of which step is not known."), "{err}");
    let (code, out, _) = crate::cli::run(home.path(), &["cache", "--clear"]);
    assert!(code == 0 && out.contains("1 logs of jobs, 2.8 MB, removed"), "{out}");
    let (code, _, err) = run(&["--offline"]);
    assert!(code != 0 && err.contains("not in the cache"), "{code} {err}");
}
