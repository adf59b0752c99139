//! Proof that the harness sees, types, waits and isolates, on programs that every machine has.
//! Must not know: countersign.

use crate::contract::Contract;
use crate::home::Home;
use crate::hub::Hub;
use crate::terminal::{Ending, Terminal};
use serde_json::json;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

fn shell(script: &str) -> (Home, Terminal) {
    let home = Home::new();
    let terminal = Terminal::spawn("sh", &["-c", script], &home.work(), &home.environment(), 80, 10);
    (home, terminal)
}

/// The text of the panic that `act` ends in.
fn complaint(act: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(act)).expect_err("a complaint");
    panic.downcast_ref::<String>().cloned().unwrap_or_default()
}

#[test]
fn output_and_exit_code_are_seen() {
    let (_home, terminal) = shell("printf 'ready \\342\\234\\223'; exit 3");
    assert_eq!(terminal.wait_for_text("ready ✓").rows[0], "ready ✓");
    assert_eq!(terminal.exit_code(), 3);
}

#[test]
fn keys_arrive_by_character_and_by_name() {
    let (_home, terminal) = shell("stty raw -echo; echo ready; dd bs=1 count=15 2>/dev/null | od -An -tx1");
    terminal.wait_for_text("ready");
    terminal.keys("jé<cr><esc><c-c><up><s-tab><tab><lt><space>");
    let screen = terminal.wait_for_text("3c");
    assert_eq!(screen.row("6a").unwrap().trim(), "6a c3 a9 0d 1b 03 1b 5b 41 1b 5b 5a 09 3c 20");
}

#[test]
fn a_key_that_does_not_exist_is_refused() {
    let (_home, terminal) = shell("cat");
    assert!(complaint(|| terminal.keys("<return>")).contains("<return> is no key"));
}

#[test]
fn an_interrupt_reaches_the_program() {
    let (_home, terminal) = shell("trap 'echo caught; exit 7' INT; echo ready; while :; do read line; done");
    terminal.wait_for_text("ready");
    terminal.keys("<c-c>");
    terminal.wait_for_text("caught");
    assert_eq!(terminal.exit_code(), 7);
}

#[test]
fn a_resize_reaches_the_program() {
    let (_home, terminal) = shell("stty size; while read line; do stty size; done");
    terminal.wait_for_text("10 80");
    terminal.resize(100, 30);
    terminal.keys("<cr>");
    assert_eq!(terminal.wait_for_text("30 100").rows.len(), 30);
}

#[test]
fn a_wait_in_vain_shows_the_last_screen() {
    let (_home, terminal) = shell("echo last words");
    let said = complaint(|| drop(terminal.wait_for_text("more")));
    assert!(said.contains("in vain for `more`") && said.contains("|last words") && said.contains("Code(0)"), "{said}");

    let (_home, terminal) = shell("echo still here; read line");
    let terminal = terminal.with_patience(Duration::from_millis(300));
    let said = complaint(|| drop(terminal.wait_for_text("more")));
    assert!(said.contains("|still here") && said.contains("is running"), "{said}");
}

#[test]
fn modes_title_clipboard_and_raw_bytes_are_seen() {
    let (_home, terminal) = shell(
        "printf '\\033[?1049h\\033[?2004h\\033[?1000h\\033[?25l\\033]2;name\\007\\033]52;c;eA==\\007on'; read line;
         printf '\\033[?25h\\033[?1000l\\033[?2004l\\033[?1049loff'; read line",
    );
    let on = terminal.wait_for_text("on");
    assert!(on.alternate && on.bracketed_paste && on.mouse && on.cursor_hidden, "{on:?}");
    assert_eq!((on.title.as_str(), on.clipboard.as_str()), ("name", "eA=="));
    terminal.keys("<cr>");
    let off = terminal.wait_for_text("off");
    assert!(!off.alternate && !off.bracketed_paste && !off.mouse && !off.cursor_hidden, "{off:?}");
    assert!(terminal.wrote(b"\x1b[?2004l") && !terminal.wrote(b"\x1b[?1006h"));
}

#[test]
fn pastes_are_bracketed_when_the_program_asks() {
    let (_home, terminal) = shell("stty raw -echo; printf '\\033[?2004hready'; dd bs=1 count=15 2>/dev/null | od -An -c");
    terminal.wait_for_text("ready");
    terminal.paste("a\nb");
    let screen = terminal.wait_for_text("033   [   2   0   0   ~");
    assert!(screen.text().contains("\\n"), "{screen}");
}

#[test]
fn questions_to_the_terminal_are_answered() {
    let (_home, terminal) = shell("stty raw -echo; printf '\\033[c\\033[6n'; dd bs=1 count=12 2>/dev/null | od -An -c");
    terminal.wait_for(|screen| screen.has("?   6   2   c") && screen.has("1   ;   1   R"), "both answers");
}

#[test]
fn kill_nine_ends_what_ignores_everything_else() {
    let (_home, terminal) = shell("trap '' TERM HUP INT; echo ready; while :; do read line; done");
    terminal.wait_for_text("ready");
    terminal.signal("TERM");
    terminal.kill9();
    assert!(matches!(terminal.ending(), Ending::Signal(_)), "{:?}", terminal.ending());
}

#[test]
fn nothing_of_the_outer_environment_comes_in() {
    let (home, terminal) = shell("env | cut -d= -f1 | sort; pwd; ls -A | wc -l; exit 0");
    terminal.exit_code();
    let raw = String::from_utf8_lossy(&terminal.raw()).replace('\r', "");
    let names: BTreeSet<&str> = raw.lines().filter(|line| line.chars().all(|c| c.is_ascii_uppercase() || c == '_')).collect();
    let given: Vec<String> = home
        .environment()
        .into_iter()
        .map(|(name, _)| name.into_string().unwrap())
        .chain(["PWD", "SHLVL", "OLDPWD", "_"].map(Into::into))
        .collect();
    let strangers: Vec<_> = names.iter().filter(|name| !given.iter().any(|known| known == *name)).collect();
    assert!(strangers.is_empty() && names.contains("HOME"), "{strangers:?} in {raw}");
    assert!(raw.contains(home.work().to_str().unwrap()), "{raw}");
}

#[test]
fn files_left_behind_are_found() {
    let home = Home::new();
    std::fs::create_dir_all(home.data().join("a/b")).unwrap();
    std::fs::write(home.data().join("a/b/c.json"), "{}").unwrap();
    assert_eq!(Home::files(&home.data()), [(home.data().join("a/b/c.json"), "{}".to_owned())]);
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn the_hub_counts_requests_and_writes() {
    let hub = Hub::start("2550-green", &["GET /issues/2550/comments -> 502 x1"]);
    let repo = "/repos/SemiAnalysisAI/InferenceX";
    let token = "Authorization: Bearer t\r\n";
    let comments = format!("{repo}/issues/2550/comments");
    assert_eq!(hub.ask("GET", &comments, token, None).0, 502);
    let (status, before) = hub.ask("GET", &format!("{comments}?per_page=100"), token, None);
    assert_eq!(status, 200);
    let body = json!({ "body": "hello" }).to_string();
    assert_eq!(hub.ask("POST", &comments, "", Some(body.clone())).0, 401);
    assert_eq!(hub.ask("POST", &comments, "Authorization: Bearer other\r\n", Some(body.clone())).0, 401);
    assert_eq!(hub.ask("POST", &comments, token, Some(body)).0, 201);
    hub.comment(2550, "someone", "and hello");

    let (_, after) = hub.ask("GET", &format!("{comments}?per_page=100"), token, None);
    let count = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap().as_array().unwrap().len();
    assert_eq!(count(&after), count(&before) + 2);
    let [write] = &hub.writes()[..] else { panic!("{:?}", hub.writes()) };
    assert_eq!((write.path.as_str(), &write.body), ("/issues/2550/comments", &json!({ "body": "hello" })));
    let posts = hub.requests_like("POST", "/comments");
    let seen: Vec<_> = posts.iter().map(|seen| (seen.authorized, seen.status)).collect();
    assert_eq!(seen, [(false, Some(401)), (true, Some(401)), (true, Some(201))]);
    assert_eq!(hub.requests()[0].fault.as_deref(), Some("502"));
    hub.assert_well_behaved();
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn the_hub_moves_heads_and_files() {
    let hub = Hub::start("2550-green", &[]);
    let (repo, token) = ("/repos/SemiAnalysisAI/InferenceX", "Authorization: Bearer t\r\n");
    let sha = "0123456789abcdef0123456789abcdef01234567";
    hub.push(2550, sha);
    assert!(hub.ask("GET", &format!("{repo}/pulls/2550"), token, None).1.contains(sha));
    hub.write_file("main", "docs/x.md", "moved");
    assert_eq!(hub.file("SemiAnalysisAI/InferenceX", "main", "docs/x.md"), "moved");
}

/// What the scenarios serve is what GitHub describes: a client that works here reads real shapes.
#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn the_hub_answers_as_github_describes() {
    let (hub, contract) = (Hub::start("2550-green", &[]), Contract::load());
    let (repo, token) = ("/repos/SemiAnalysisAI/InferenceX", "Authorization: Bearer t\r\n");
    let routes = [
        "/pulls/2550",
        "/pulls/2550/files?per_page=100",
        "/pulls/2550/commits?per_page=100",
        "/issues/2550/comments?per_page=100",
        "/actions/runs?per_page=100",
        "/actions/runs/31020193450/jobs?filter=all&per_page=100",
        "/actions/runs/31020193450/artifacts?per_page=100",
    ];
    let mut wrong = Vec::new();
    for route in routes {
        let address = format!("{repo}{route}");
        let (status, body) = hub.ask("GET", &address, token, None);
        let body = serde_json::from_str(&body).unwrap();
        let said = contract.check_response("GET", &address, status, &body, "");
        // The corpus leaves addresses that nobody reads empty.
        let said = said.into_iter().filter(|what| !what.ends_with("not a \"uri\""));
        wrong.extend(
            said.into_iter()
                .chain(contract.unknown_keys("GET", &address, status, &body))
                .map(|what| format!("{route}: {what}")),
        );
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn a_request_that_github_does_not_describe_is_reported() {
    let hub = Hub::start("2550-green", &[]);
    let token = "Authorization: Bearer t\r\n";
    hub.ask("GET", "/repos/SemiAnalysisAI/InferenceX/pulls/2550/files?per_page=200", token, None);
    assert!(complaint(|| hub.assert_well_behaved()).contains("per_page=200"));
}
