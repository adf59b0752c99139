//! `auth status` and `doctor` from outside: who the token is, what is missing for what, and that nothing of it is told.

use crate::contract::Contract;
use crate::hub::Hub;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const PULL: &str = "SemiAnalysisAI/InferenceX#2550";
const TOKEN: &str = "ghp_0123456789abcdefSECRET";

/// Runs the program in an empty home, with this token unless it is empty.
fn run(home: &Path, token: &str, args: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_countersign"))
        .args(args)
        .env_clear()
        .env("COUNTERSIGN_CONFIG_DIR", home)
        .env("COUNTERSIGN_DATA_DIR", home.join("data"))
        .env("COUNTERSIGN_TOKEN", token)
        .env("HTTPS_PROXY", "http://user:pass_word@proxy.example:3128")
        .current_dir(home)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let (out, err) = (String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap());
    for secret in ["ghp_", "SECRET", "pass_word"] {
        assert!(!out.contains(secret) && !err.contains(secret), "{args:?}: {out}{err}");
    }
    (status.code().unwrap(), out, err)
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn auth_status_says_who_and_from_where_and_never_the_token() {
    let home = tempfile::tempdir().unwrap();
    let hub = Hub::start_for("2550-green", TOKEN, &[]);
    let status =
        |token: &str, more: &[&str]| run(home.path(), token, &[&["auth", "status", "--api-url", hub.address()], more].concat());
    let (code, out, err) = status(TOKEN, &[]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    for words in ["from COUNTERSIGN_TOKEN", "account", "fine-grained", "4999 of 5000 requests"] {
        assert!(out.contains(words), "{words}: {out}");
    }
    let (code, out, _) = status(TOKEN, &["--json"]);
    assert_eq!(code, 0);
    let told: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert!(out.starts_with("{\n  \"schema\": 1,"), "{out}");
    assert_eq!((&told["hosts"][0]["works"], &told["hosts"][0]["source"]), (&true.into(), &"COUNTERSIGN_TOKEN".into()));

    for (token, words) in [("ghp_wrong_but_long", "does not accept the token"), ("", "There is no token")] {
        let (code, out, err) = status(token, &[]);
        assert_eq!(code, 4, "{out}{err}");
        assert!(out.contains(words) && err.starts_with("error: ") && err.contains("hint: "), "{out}{err}");
    }

    // A host of the settings is told too, with the token that is meant for it, and decides nothing.
    let other = hub.address().trim_start_matches("http://").replace("127.0.0.1", "localhost");
    std::fs::write(home.path().join("t"), TOKEN).unwrap();
    std::fs::set_permissions(home.path().join("t"), std::fs::Permissions::from_mode(0o600)).unwrap();
    let text = format!("[hosts.\"{other}\"]\ntoken_file = 't'\n[hosts.\"127.0.0.1:1\"]\ntoken = '{TOKEN}'\n");
    std::fs::write(home.path().join("settings.toml"), text).unwrap();
    let (code, out, err) = status(TOKEN, &[]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains(&other) && out.contains("/t\n") && out.contains("cannot be reached"), "{out}");
    assert!(err.contains("settings.toml: it holds a token and is open to others") && err.contains("chmod 600"), "{err}");
    std::fs::set_permissions(home.path().join("t"), std::fs::Permissions::from_mode(0o640)).unwrap();
    let (_, out, _) = status(TOKEN, &[]);
    assert!(out.contains("is open to others (mode 640)"), "{out}");
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn the_doctor_names_what_is_missing_for_what_and_leaves_nothing() {
    let home = tempfile::tempdir().unwrap();
    let hub = Hub::start_for("2550-green", TOKEN, &[]);
    let (code, out, err) = run(home.path(), TOKEN, &["doctor", PULL, "--api-url", hub.address()]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    for row in ["✓ settings, keys", "✓ drafts", "✓ policy", "✓ token", "✓ workflow runs", "✓ jobs", "! post a comment"]
    {
        assert!(out.contains(row), "{row}: {out}");
    }
    assert!(out.contains("proxy.example:3128") && out.contains("made when it is needed"), "{out}");
    let contract = Contract::load();
    for seen in hub.requests() {
        // The description that we have leaves the list of teams out.
        if !seen.path.starts_with("/orgs/") {
            let said = contract.check_request(&seen.method, &format!("{}?{}", seen.path, seen.query), None);
            assert!(said.is_empty(), "{seen:?}: {said:?}");
        }
    }
    assert_eq!((hub.writes(), std::fs::read_dir(home.path()).unwrap().count()), (vec![], 0));
    assert!(hub.requests().iter().all(|seen| seen.method == "GET"));

    let hub = Hub::start_for("2550-green", TOKEN, &["GET /actions/ -> 403", "GET /check-runs -> 403"]);
    let (code, out, err) = run(home.path(), TOKEN, &["doctor", PULL, "--json", "--api-url", hub.address()]);
    assert_eq!(code, 1, "{out}");
    assert!(err.starts_with("error: workflow runs: "), "{err}");
    assert!(out.starts_with("{\n  \"schema\": 1,\n  \"healthy\": false"), "{out}");
    let told: serde_json::Value = serde_json::from_str(&out).unwrap();
    let of = |name: &str| told["checks"].as_array().unwrap().iter().find(|check| check["name"] == name).unwrap().clone();
    assert_eq!(of("jobs")["health"], "broken");
    assert!(of("jobs")["hint"].as_str().unwrap().contains("Actions: read"), "{out}");
    assert_eq!((&of("checks of other apps")["health"], &of("conversation")["health"]), (&"doubtful".into(), &"good".into()));

    // A refused token is one finding and not twelve.
    let (code, out, _) = run(home.path(), "ghp_wrong_but_long", &["doctor", PULL, "--api-url", hub.address()]);
    assert!(code == 1 && out.contains("✗ token") && !out.contains("Rights"), "{out}");
}

#[test]
fn the_doctor_works_where_nothing_else_does() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("settings.toml"), "theme = 'nowhere'\nmouse = 3\npolicy = 'mine.yaml'\n").unwrap();
    std::fs::write(home.path().join("data"), "").unwrap();
    std::fs::create_dir(home.path().join("themes")).unwrap();
    std::fs::write(home.path().join("themes/odd.toml"), "nonsense").unwrap();
    let (code, out, err) = run(home.path(), "", &["doctor", "--api-url", "http://127.0.0.1:1"]);
    assert_eq!(code, 1, "{out}{err}");
    for words in ["settings.toml:2: ", "mine.yaml", "nowhere", "odd.toml:1", "✗ drafts", "is no folder", "✗ 127.0.0.1:1", "→ "]
    {
        assert!(out.contains(words), "{words}: {out}");
    }
}
