//! A cold opening from afar: fakehub at 100 ms a request, over real sockets. Divide by 100 ms for round trips.

use countersign::core::ids::{PullNumber, RepoName};
use countersign::core::plan::Read;
use countersign::core::time::Time;
use countersign::github::{Base, Client, Secret, Settings};
use countersign::runtime::connect::Connection;
use countersign::runtime::headless::Desk;
use divan::Bencher;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

/// `--latency-ms`.
const LATENCY: &str = "100";

struct Hub {
    process: Child,
    address: String,
}

impl Drop for Hub {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn shared(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared").join(path)
}

fn hub(scenario: &Path) -> Hub {
    let mut command = Command::new("python3");
    command.arg(shared("tools/fakehub.py")).arg(scenario).args(["--latency-ms", LATENCY]).stdout(Stdio::piped());
    let mut process = command.spawn().unwrap();
    let mut address = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut address).unwrap();
    Hub { process, address: address.trim().to_owned() }
}

/// 5,000 jobs in twenty runs of one commit.
fn stress() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("stress");
    let mut command = Command::new("python3");
    command.arg(shared("tools/make_stress.py")).arg(shared("corpus/scenarios/2550-green")).arg(&out);
    command.args(["--files", "30", "--lines", "3000", "--jobs", "5000", "--commits", "60", "--comments", "120"]);
    assert!(command.stdout(Stdio::null()).status().unwrap().success());
    (folder, out)
}

fn desk(hub: &Hub) -> Desk {
    let mut settings = Settings::new(Arc::new(Time::default));
    settings.base = Base::parse(&hub.address).unwrap();
    settings.token = Some(Secret::new("t"));
    Desk {
        connection: Arc::new(Connection::over(Client::network(settings).unwrap())),
        policy: Arc::new(countersign::config::policy::built_in().unwrap()),
        host: "127.0.0.1".to_owned(),
        web: "https://github.com".to_owned(),
        repo: RepoName::parse("SemiAnalysisAI/InferenceX").unwrap(),
        data: None,
        signer: None,
        day: "2026-08-11".parse().unwrap(),
    }
}

fn open(bencher: Bencher<'_, '_>, hub: &Hub, want: fn(&Read) -> bool) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    bencher.bench_local(|| {
        // A client of its own each time: no connection stands, nothing is in its cache.
        runtime.block_on(async { desk(hub).load(PullNumber(2550), want).await })
    });
}

/// What the diff pane needs.
fn diff(read: &Read) -> bool {
    matches!(read, Read::Pull | Read::Files)
}

#[divan::bench(sample_count = 5, ignore = !cfg!(shared), args = ["diff", "everything"])]
fn typical(bencher: Bencher<'_, '_>, what: &str) {
    let hub = hub(&shared("corpus/scenarios/2550-green"));
    open(bencher, &hub, if what == "diff" { diff } else { |_| true });
}

#[divan::bench(sample_count = 3, ignore = !cfg!(shared))]
fn thousands_of_jobs(bencher: Bencher<'_, '_>) {
    let (_folder, scenario) = stress();
    open(bencher, &hub(&scenario), |_| true);
}
