//! `record` and `replay` from outside: what was recorded answers like the wire, holds no secret, and never writes.

use crate::hub::Hub;
use crate::workstation::Workstation;
use countersign::core::posting::Posting;
use countersign::github::{Client, Clock, Settings, cassette};
use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

const PULL: &str = "SemiAnalysisAI/InferenceX#2550";
const TOKEN: &str = "ghp_0123456789abcdefSECRET";

/// Runs the program with this token, in a home that holds nothing else.
fn run(home: &Path, token: &str, args: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_countersign"))
        .args(args)
        .env_clear()
        .env("COUNTERSIGN_CONFIG_DIR", home)
        .env("COUNTERSIGN_DATA_DIR", home)
        .env("COUNTERSIGN_TOKEN", token)
        .current_dir(home)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    (status.code().unwrap(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

/// Records the green scenario into `name`; the hub is gone afterwards. What the commands said while it was there.
fn recorded(home: &Path, name: &str, commands: &[&[&str]]) -> (PathBuf, Vec<(i32, String, String)>) {
    let hub = Hub::start_for("2550-green", TOKEN, &[]);
    let live = |args: &[&str]| run(home, TOKEN, &[args, &["--api-url", hub.address()]].concat());
    let said = commands.iter().map(|args| live(args)).collect();
    let (code, out, err) = live(&["record", PULL, name]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.starts_with(&format!("{name}: {PULL}, ")) && out.contains(" answers, "), "{out}");
    hub.assert_well_behaved();
    assert_eq!(hub.writes(), []);
    (home.join(name), said)
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn what_was_recorded_answers_like_the_wire_and_holds_no_secret() {
    let home = tempfile::tempdir().unwrap();
    let commands: [&[&str]; 5] = [
        &["jobs", PULL, "--json"],
        &["jobs", "run:31020193450", "--repo", "SemiAnalysisAI/InferenceX"],
        &["evals", PULL, "--json"],
        &["render", PULL, "--tick", "pr_validation,evals"],
        &["render", PULL],
    ];
    let (path, live) = recorded(home.path(), "pull.jsonl", &commands);
    for (args, live) in commands.iter().zip(&live) {
        let replayed = run(home.path(), "", &[args, &["--replay", "pull.jsonl"][..]].concat());
        assert_eq!(&replayed, live, "{args:?}");
        assert!(live.1.len() > 100, "{args:?}");
    }

    let text = std::fs::read_to_string(&path).unwrap();
    for secret in [TOKEN, "SECRET", "uthorization", "ookie", "Bearer", "sig=", "x-ratelimit", "x-github-request-id"] {
        assert!(!text.contains(secret), "{secret}");
    }
    let mut names = BTreeSet::new();
    for line in text.lines().skip(1) {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        names.extend(line["headers"].as_object().into_iter().flatten().map(|(name, _)| name.clone()));
    }
    let allowed = ["content-type", "etag", "link", "location"];
    assert!(!names.is_empty() && names.iter().all(|name| allowed.contains(&name.as_str())), "{names:?}");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);

    // A recording is of one pull request, and says so.
    for args in [["jobs", "o/r#2550", "--replay", "pull.jsonl"], ["render", "7", "--replay", "pull.jsonl"]] {
        let (code, out, err) = run(home.path(), "", &args);
        assert_eq!((code, out.as_str()), (2, ""), "{err}");
        assert!(err.contains(&format!("is a recording of {PULL}")), "{err}");
    }
}

#[tokio::test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
async fn the_workstation_over_a_recording_lacks_nothing_and_posts_nothing() {
    let home = tempfile::tempdir().unwrap();
    let (path, _) = recorded(home.path(), "pull.jsonl.gz", &[]);
    let (recording, problems) = countersign::runtime::recordings::open(&path).unwrap();
    assert_eq!(problems, []);
    let packed = std::fs::metadata(&path).unwrap().len();
    assert!(packed * 4 < cassette::render_recording(&recording).len() as u64, "{packed} bytes");
    let now = recording.recorded_at;
    let clock: Clock = Arc::new(move || now);
    let (repo, number) = (recording.repo.clone(), recording.number);
    let client = Client::replay(recording, Settings::new(Arc::clone(&clock))).unwrap();
    let mut desk = Workstation::open(client, repo, number, clock).await;
    for keys in ["r", "1 2 3 4", "0 Space P p"] {
        desk.keys(keys).await;
        assert_eq!(desk.failed, [], "{keys}");
    }
    assert!(matches!(desk.model.posting, Posting::Confirming(_)), "{:?}", desk.model.posting);
    // One item of many is ticked: the bot will reject it, which takes a second word.
    desk.keys("y").await;
    assert!(matches!(desk.model.posting, Posting::Warned(_)), "{:?}", desk.model.posting);
    desk.keys("Y").await;
    let Posting::NotPosted { why, .. } = &desk.model.posting else { panic!("{:?}", desk.model.posting) };
    assert!(why.contains("nothing left this machine"), "{why}");
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn what_could_not_be_read_is_told_and_nothing_else_is_overwritten() {
    let home = tempfile::tempdir().unwrap();
    let hub = Hub::start_for("2550-green", TOKEN, &["GET /reviews -> 403", "GET /pulls/9 -> 404"]);
    let file = home.path().join("x.jsonl");
    let record = |args: &[&str]| run(home.path(), TOKEN, &[&["record"], args, &["--api-url", hub.address()]].concat());
    let (code, out, err) = record(&[PULL, "x.jsonl"]);
    assert_eq!(code, 5, "{err}");
    assert!(out.contains(" answers, ") && err.contains("Reviews: ") && err.contains("403"), "{out}{err}");
    let (code, _, err) = run(home.path(), "", &["render", PULL, "--replay", "x.jsonl"]);
    assert!(code == 5 || code == 0, "{code} {err}");

    // A pull request that is not there leaves what was recorded before.
    let before = std::fs::read(&file).unwrap();
    let (code, out, err) = record(&["SemiAnalysisAI/InferenceX#9", "x.jsonl"]);
    assert_eq!((code, out.as_str()), (4, ""), "{err}");
    assert_eq!(std::fs::read(&file).unwrap(), before);

    std::fs::write(&file, "my notes\n").unwrap();
    let seen = hub.requests().len();
    let (code, _, err) = record(&[PULL, "x.jsonl"]);
    assert!(code == 2 && err.contains("--force"), "{err}");
    assert_eq!((hub.requests().len(), std::fs::read_to_string(&file).unwrap().as_str()), (seen, "my notes\n"));
    assert_eq!(record(&[PULL, "x.jsonl", "--force"]).0, 5);
    assert!(std::fs::read_to_string(&file).unwrap().starts_with("{\"schema\":1,"));
}

#[test]
fn damaged_recordings_are_told_with_their_line() {
    let home = tempfile::tempdir().unwrap();
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo/recording.jsonl");
    let text = std::fs::read_to_string(demo).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let pull: serde_json::Value = serde_json::from_str(lines[0]).unwrap();
    let pull = format!("{}#{}", pull["repo"].as_str().unwrap(), pull["number"]);
    let write = |name: &str, text: &str| std::fs::write(home.path().join(name), text).unwrap();
    write("whole", &text);
    write("broken", &text.replacen(lines[2], "{nonsense", 1));
    write("newer", &text.replacen("\"schema\":1", "\"schema\":2", 1));
    write("foreign", "{\"log\":{}}\n");
    let jobs = |name: &str| run(home.path(), "", &["jobs", &pull, "--json", "--replay", name]);
    let (code, whole, err) = jobs("whole");
    assert_eq!((code, err.as_str()), (0, ""));
    let (_, _, err) = jobs("broken");
    assert!(err.contains("warning: Line 3 of the recording cannot be read"), "{err}");
    for (name, words) in [("newer", "newer countersign"), ("foreign", "Line 1"), ("nowhere", "nowhere cannot be read")] {
        let (code, out, err) = jobs(name);
        assert!(matches!(code, 2 | 5) && out.is_empty() && err.contains(words), "{name}: {err}");
    }
    assert!(whole.contains("\"complete\": true"));
    // The screen needs a terminal, and says what does not.
    let (code, _, err) = run(home.path(), "", &["replay", "whole"]);
    assert!(code == 2 && err.contains("--replay whole"), "{err}");
}
