//! A GitHub on loopback that we did not write: `../shared/tools/fakehub.py` over one scenario, for one test.
//! Must not know: the program under test; it hears only requests.

use crate::contract::Contract;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The one token that a hub accepts, unless it is open.
pub const TOKEN: &str = "t";
/// The longest that the hub may take to start, answer its control routes or see an expected request.
const PATIENCE: Duration = Duration::from_secs(20);

pub struct Hub {
    process: Child,
    /// `http://127.0.0.1:PORT`.
    address: String,
}

/// A request as the hub saw it, faults included.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    pub method: String,
    /// Percent-decoded, without the query.
    pub path: String,
    pub query: String,
    /// Whether an `Authorization` header came with it.
    pub authorized: bool,
    /// The behaviour that a fault rule ordered for it.
    pub fault: Option<String>,
    /// `None` where the hub cut the connection.
    pub status: Option<u64>,
}

/// A write that the hub performed.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    pub method: String,
    /// Under the repository: `/issues/7/comments`.
    pub path: String,
    pub body: Value,
}

impl Hub {
    /// Starts a scenario of the corpus with fault rules such as `POST /issues/.* -> drop-after`.
    pub fn start(scenario: &str, faults: &[&str]) -> Hub {
        Hub::start_for(scenario, TOKEN, faults)
    }

    /// Starts a scenario that wants this token: one that can be looked for where it must not be.
    pub fn start_for(scenario: &str, token: &str, faults: &[&str]) -> Hub {
        let arguments = faults.iter().flat_map(|fault| ["--fault", fault]);
        Hub::launch(scenario, &["--token", token].into_iter().chain(arguments).collect::<Vec<_>>())
    }

    /// Starts a scenario that anyone may read without a token.
    pub fn start_open(scenario: &str) -> Hub {
        Hub::launch(scenario, &[])
    }

    fn launch(scenario: &str, arguments: &[&str]) -> Hub {
        let shared = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared");
        let folder = shared.join("corpus/scenarios").join(scenario);
        assert!(folder.is_dir(), "there is no scenario {scenario}");
        let log = tempfile::NamedTempFile::new().unwrap();
        let mut command = Command::new("python3");
        command.arg(shared.join("tools/fakehub.py")).arg(folder).args(arguments);
        let errors = Stdio::from(File::create(log.path()).unwrap());
        let mut process = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(errors).spawn().expect("python3 runs");
        let mut first = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut first).unwrap();
        let address = first.trim().to_owned();
        if !address.starts_with("http://127.0.0.1:") {
            process.kill().ok();
            process.wait().ok();
            panic!("fakehub did not start: {first}{}", std::fs::read_to_string(log.path()).unwrap_or_default());
        }
        Hub { process, address }
    }

    /// For `--api-url`.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Every request so far, in order of arrival.
    pub fn requests(&self) -> Vec<Seen> {
        let answer = self.control("GET", "requests", None);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let seen = |value: &Value| Seen {
            method: text(&value["method"]),
            path: text(&value["path"]),
            query: text(&value["query"]),
            authorized: value["auth"] == true,
            fault: value["fault"].as_str().map(str::to_owned),
            status: value["status"].as_u64(),
        };
        answer["requests"].as_array().unwrap().iter().map(seen).collect()
    }

    /// The requests with `method` whose path holds `part`.
    pub fn requests_like(&self, method: &str, part: &str) -> Vec<Seen> {
        self.requests().into_iter().filter(|seen| seen.method == method && seen.path.contains(part)).collect()
    }

    /// Waits until a request like this has arrived, however it is answered.
    pub fn wait_for_request(&self, method: &str, part: &str) -> Seen {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(seen) = self.requests_like(method, part).into_iter().next() {
                return seen;
            }
            assert!(Instant::now() < deadline, "no {method} …{part}… came; there were: {:#?}", self.requests());
            // The hub has no way to call us: ask again, gently.
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Everything that was written, in order.
    pub fn writes(&self) -> Vec<Written> {
        let answer = self.control("GET", "writes", None);
        let write = |value: &Value| Written {
            method: value["method"].as_str().unwrap().to_owned(),
            path: value["path"].as_str().unwrap().to_owned(),
            body: value["body"].clone(),
        };
        answer.as_array().unwrap().iter().map(write).collect()
    }

    /// Moves the head of a pull request to `sha`, as a force-push would.
    pub fn push(&self, pull: u64, sha: &str) {
        self.control("POST", "push", Some(json!({ "pr": pull, "sha": sha })));
    }

    /// Someone else comments.
    pub fn comment(&self, pull: u64, login: &str, body: &str) {
        self.control("POST", "comment", Some(json!({ "pr": pull, "login": login, "body": body })));
    }

    /// Replaces a file at a branch or commit.
    pub fn write_file(&self, reference: &str, path: &str, text: &str) {
        self.control("POST", "content", Some(json!({ "ref": reference, "path": path, "text": text })));
    }

    /// The text of a file at a branch or commit, as the hub serves it.
    pub fn file(&self, repository: &str, reference: &str, path: &str) -> String {
        let raw = format!("Authorization: token {TOKEN}\r\nAccept: application/vnd.github.raw\r\n");
        let (status, body) = self.ask("GET", &format!("/repos/{repository}/contents/{path}?ref={reference}"), &raw, None);
        assert_eq!(status, 200, "{path} at {reference}");
        body
    }

    /// Every request was one that GitHub describes, and no token left for the download host.
    pub fn assert_well_behaved(&self) {
        let contract = Contract::load();
        let mut wrong = Vec::new();
        for seen in self.requests() {
            let download = seen.path.starts_with("/_blob/");
            if download && seen.authorized {
                wrong.push(format!("a token went to {}", seen.path));
            }
            if !download && seen.method == "GET" {
                let address = format!("{}?{}", seen.path.replace('%', "%25"), seen.query);
                wrong.extend(contract.check_request("GET", &address, None).iter().map(|what| format!("{address}: {what}")));
            }
        }
        for write in self.writes() {
            let address = format!("/repos/o/r{}", write.path);
            let said = contract.check_request(&write.method, &address, Some(&write.body));
            wrong.extend(said.iter().map(|what| format!("{} {address}: {what}", write.method)));
        }
        assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
    }

    fn control(&self, method: &str, route: &str, body: Option<Value>) -> Value {
        let (status, text) = self.ask(method, &format!("/_control/{route}"), "", body.map(|body| body.to_string()));
        assert_eq!(status, 200, "/_control/{route}: {text}");
        serde_json::from_str(&text).unwrap()
    }

    /// One HTTP request over a connection of its own; status and body.
    pub fn ask(&self, method: &str, path: &str, headers: &str, body: Option<String>) -> (u16, String) {
        let host = self.address.trim_start_matches("http://");
        let mut stream = TcpStream::connect(host).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let body = body.unwrap_or_default();
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8_lossy(&answer);
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{method} {path}: no answer: {answer}"));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        (status.unwrap_or_else(|| panic!("{method} {path}: {head}")), body.to_owned())
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}
