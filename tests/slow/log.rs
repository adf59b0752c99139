//! What the log says of a whole session, and that no token is left behind anywhere.
//! Must not know: the program's insides.

use crate::home::Home;
use crate::hub::Hub;
use crate::terminal::Terminal;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::Duration;

const PROGRAM: &str = env!("CARGO_BIN_EXE_countersign");
const PULL: &str = "SemiAnalysisAI/InferenceX#2550";
/// Unlike any text of the corpus, and without the shape of GitHub's, which the log knows.
const TOKEN: &str = "zq7Kp2Vn9Lw4Xs8Tb1Rd6Hy3";

fn environment(home: &Home) -> Vec<(OsString, OsString)> {
    let mut environment = home.environment();
    environment.push(("COUNTERSIGN_TOKEN".into(), TOKEN.into()));
    environment
}

/// Runs a command without a screen; exit code, both streams.
fn run(home: &Home, arguments: &[&str]) -> (i32, String) {
    let output = Command::new(PROGRAM)
        .args(arguments)
        .env_clear()
        .envs(environment(home))
        .current_dir(home.work())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    (output.status.code().unwrap_or(-1), said)
}

/// The files and the outputs that hold the token, in any usual spelling.
fn assert_no_token(home: &Home, outputs: &[String]) {
    let spellings = [
        TOKEN.to_owned(),
        STANDARD.encode(TOKEN).trim_end_matches('=').to_owned(),
        STANDARD.encode(format!("Bearer {TOKEN}")).trim_end_matches('=').to_owned(),
        URL_SAFE_NO_PAD.encode(format!(":{TOKEN}")),
        TOKEN.chars().rev().collect(),
    ];
    let files = Home::files(home.root());
    assert!(files.iter().any(|(path, _)| path.ends_with("countersign.log")), "{files:?}");
    let outputs = outputs.iter().map(|said| ("what was printed".into(), said.clone()));
    for (path, text) in files.into_iter().chain(outputs) {
        assert!(!spellings.iter().any(|spelling| text.contains(spelling)), "{}:\n{text}", path.display());
    }
}

fn log(home: &Home) -> String {
    let path = home.state().join("countersign/countersign.log");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(std::fs::metadata(path.parent().unwrap()).unwrap().permissions().mode() & 0o777, 0o700);
    std::fs::read_to_string(path).unwrap()
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn no_token_is_left_behind_by_any_command() {
    let (hub, home) = (Hub::start_for("2550-green", TOKEN, &[]), Home::new());
    let api = ["--api-url", hub.address(), "--log", "trace"];
    let mut outputs = Vec::new();
    for arguments in [
        &["jobs", PULL, "--json"][..],
        &["evals", PULL],
        &["render", PULL, "--tick", "all"],
        &["post", PULL, "--yes"],
        &["jobs", "run:1", "--repo", "o/r"],
    ] {
        let (code, said) = run(&home, &[arguments, &api].concat());
        assert!((0..=5).contains(&code), "{arguments:?}: {said}");
        assert!(!said.contains("TRACE") && !said.contains(" INFO "), "{said}");
        outputs.push(said);
    }
    let arguments = [&api[..], &[PULL]].concat();
    let terminal =
        Terminal::spawn(PROGRAM, &arguments, &home.work(), &environment(&home), 110, 60).with_patience(Duration::from_secs(60));
    terminal.wait_for(|screen| screen.has("code quality") && !screen.has("⟳"), "the end of loading");
    terminal.keys(" 5pp");
    terminal.wait_for(|screen| screen.has("post it") || screen.has("Not posted"), "an answer to p");
    // Where the question was asked, the bot will reject what was ticked: that takes a second word, to a second question.
    terminal.keys("y");
    let answered = terminal.wait_for(|screen| screen.has("post all the same") || !screen.has("y post it"), "an answer to y");
    if answered.has("post all the same") {
        terminal.keys("Y");
        terminal.wait_for(|screen| !screen.has("post all the same"), "an answer to Y");
    }
    terminal.keys(":log<cr>");
    terminal.wait_for(|screen| screen.has("countersign.log") && screen.has("answered"), "the log on screen");
    terminal.keys("<esc>");
    terminal.wait_for(|screen| !screen.has("countersign.log"), "the pane below the log");
    terminal.keys("<c-c>");
    assert_eq!(terminal.exit_code(), 0);
    outputs.push(String::from_utf8_lossy(&terminal.raw()).into_owned());
    assert_no_token(&home, &outputs);

    let log = log(&home);
    for words in [
        "begins version=",
        "answered method=GET path=/repos/SemiAnalysisAI/InferenceX/pulls/2550 status=200",
        "answered method=GET path=/repos/o/r/actions/runs/1/jobs",
        "not read read=Jobs(",
        "post before=\"draft\" after=\"rechecking\"",
        "path=localhost/…",
        "ends",
    ] {
        assert!(log.contains(words), "{words}\n{log}");
    }
    assert!(!log.contains("sig=") && !log.to_lowercase().contains("authorization"), "{log}");
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn a_log_that_cannot_be_written_stops_nothing_and_is_said_once() {
    let (hub, home) = (Hub::start_for("2550-green", TOKEN, &[]), Home::new());
    let blocked = home.work().join("file");
    std::fs::write(&blocked, "").unwrap();
    let output = Command::new(PROGRAM)
        .args(["jobs", PULL, "--api-url", hub.address()])
        .env_clear()
        .envs(environment(&home))
        .env("COUNTERSIGN_STATE_DIR", &blocked)
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), said.matches("Nothing is logged").count()), (Some(0), 1), "{said}");
    assert!(said.contains("COUNTERSIGN_STATE_DIR") && !output.stdout.is_empty(), "{said}");
}

/// A limit that lasts is one line for scripts: when it is worth trying again.
#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn a_limit_is_told_without_a_screen() {
    let (hub, home) = (Hub::start("2550-green", &["GET .*/pulls/2550 -> rate-secondary"]), Home::new());
    let output = Command::new(PROGRAM)
        .args(["jobs", PULL, "--api-url", hub.address()])
        .env_clear()
        .envs(home.environment())
        .env("COUNTERSIGN_TOKEN", crate::hub::TOKEN)
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), said.matches("GitHub's limit: goes on in 0:0").count()), (Some(5), 1), "{said}");
    assert!(log(&home).contains("limited kind=Secondary"), "{}", log(&home));
}
