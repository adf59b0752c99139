//! A second visit and a visit offline, with the real program: what was kept is on screen although nobody answers.
//! Must not know: how answers are kept.

use crate::home::Home;
use crate::hub::{Hub, TOKEN};
use crate::terminal::Terminal;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

const PULL: &str = "SemiAnalysisAI/InferenceX#2550";
const PATIENCE: Duration = Duration::from_secs(60);
/// Keys of the panes, with words that only their content shows.
const PANES: [(&str, &str); 6] = [
    ("1", "nvidia-master.yaml"),
    ("2", "31020193450"),
    ("3", "gsm8k"),
    ("4", "pr-author · description"),
    ("5", "As a PR reviewer and CODEOWNER"),
    ("0", "code quality"),
];

fn terminal(address: &str, home: &Home, more: &[&str]) -> Terminal {
    let mut environment = home.environment();
    environment.push(("COUNTERSIGN_TOKEN".into(), TOKEN.into()));
    let arguments: Vec<&str> = ["--api-url", address, PULL].iter().chain(more).copied().collect();
    let program = env!("CARGO_BIN_EXE_countersign");
    Terminal::spawn(program, &arguments, &home.work(), &environment, 110, 60).with_patience(PATIENCE)
}

fn command(address: &str, home: &Home, arguments: &[&str]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_countersign"))
        .args(["--api-url", address])
        .args(arguments)
        .env_clear()
        .envs(home.environment())
        .env("COUNTERSIGN_TOKEN", TOKEN)
        .current_dir(home.work())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

fn leave(terminal: &Terminal) {
    terminal.keys("<c-c>");
    assert_eq!(terminal.exit_code(), 0);
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn a_pull_request_seen_before_is_there_although_nobody_answers() {
    let (hub, home) = (Hub::start("2550-green", &[]), Home::new());
    let first = terminal(hub.address(), &home, &[]);
    first.wait_for(|screen| screen.has("code quality") && !screen.has("⟳"), "the end of loading");
    assert!(!first.screen().has("cached"));
    leave(&first);

    // While GitHub answers: shown from the cache, then fresh.
    let second = terminal(hub.address(), &home, &[]);
    second.wait_for(|screen| screen.has("code quality") && !screen.has("cached") && !screen.has("⟳"), "the end of refreshing");
    leave(&second);

    let address = hub.address().to_owned();
    drop(hub);
    let third = terminal(&address, &home, &[]);
    third.wait_for(|screen| screen.has("code quality") && screen.has("cached"), "the mark of what was kept");
    for (key, words) in PANES {
        third.keys(key);
        third.wait_for_text(words);
    }
    leave(&third);

    let offline = terminal(&address, &home, &["--offline"]);
    for (key, words) in PANES {
        offline.keys(key);
        offline.wait_for(|screen| screen.has(words) && screen.has("offline · read"), words);
    }
    offline.keys("r");
    offline.wait_for_text("GitHub is not asked");
    leave(&offline);

    for (path, _) in Home::files(&home.cache()) {
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600, "{}", path.display());
    }
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn commands_print_offline_what_they_printed_before() {
    let (hub, home) = (Hub::start("2550-green", &[]), Home::new());
    let reports = [&["jobs", PULL, "--json"][..], &["evals", PULL, "--json"], &["render", PULL]];
    let before: Vec<_> = reports.iter().map(|arguments| command(hub.address(), &home, arguments)).collect();
    let address = hub.address().to_owned();
    drop(hub);
    for (arguments, (code, out, _)) in reports.iter().zip(&before) {
        assert!(!out.is_empty(), "{arguments:?}");
        let offline: Vec<&str> = arguments.iter().copied().chain(["--offline"]).collect();
        let (now_code, now_out, told) = command(&address, &home, &offline);
        assert_eq!((now_code, &now_out), (*code, out), "{arguments:?}: {told}");
        assert!(told.contains("Offline: as GitHub answered"), "{told}");
    }
    let (code, _, told) = command(&address, &home, &["post", PULL, "--yes", "--offline"]);
    assert_eq!((code, told.contains("Offline nothing is posted")), (Some(2), true), "{told}");
    let (code, out, told) = command(&address, &home, &["jobs", "SemiAnalysisAI/InferenceX#1", "--offline"]);
    assert_eq!((code, out.as_str(), told.contains("is not in the cache")), (Some(5), "", true), "{told}");
}
