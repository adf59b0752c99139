//! The program from outside, as far as it goes without a network or a terminal: exit codes, and which stream says what.

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Runs the program in an empty world: no variables but these folders, no terminal.
pub fn run(home: &Path, args: &[&str]) -> (i32, String, String) {
    let state = tempfile::tempdir().unwrap();
    let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_countersign"))
        .args(args)
        .env_clear()
        .env("COUNTERSIGN_CONFIG_DIR", home)
        .env("COUNTERSIGN_DATA_DIR", home)
        .env("COUNTERSIGN_STATE_DIR", state.path())
        .env("COUNTERSIGN_CACHE_DIR", home.join("cache"))
        .current_dir(home)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    (status.code().unwrap(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

#[test]
fn help_and_version_are_data() {
    let home = tempfile::tempdir().unwrap();
    for (args, words) in
        [(&["--help"][..], "Exit codes:"), (&["render", "--help"][..], "--tick"), (&["--version"][..], "countersign ")]
    {
        let (code, out, err) = run(home.path(), args);
        assert_eq!((code, err.as_str()), (0, ""), "{args:?}");
        assert!(out.contains(words), "{out}");
    }
    let (code, out, err) = run(home.path(), &["licenses"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("ratatui") && out.contains("MIT"));
}

#[test]
fn misuse_is_told_on_standard_error_with_the_way_on() {
    let home = tempfile::tempdir().unwrap();
    let table: [(&[&str], &str); 9] = [
        (&[], "countersign demo"),
        (&["2550x"], "OWNER/NAME#2550"),
        (&["--nope"], "--help"),
        (&["post", "o/r#7"], "add --yes"),
        (&["render", "7"], "--repo OWNER/NAME"),
        (&["jobs", "o/r#7", "--api-url", "http://example.org"], "https"),
        (&["o/r#7"], "countersign render o/r#7"),
        (&["demo"], "not a terminal"),
        (&["render", "o/r#7", "--tick", "all,evals", "--api-url", "http://127.0.0.1:1"], "all, or keys"),
    ];
    for (args, words) in table {
        let (code, out, err) = run(home.path(), args);
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}: {err}");
        assert!(err.starts_with("error: ") && err.contains(words), "{args:?}: {err}");
    }
}

#[test]
fn wrong_settings_stop_the_program_and_unknown_ones_do_not() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("settings.toml"), "repository = 'o'\nmouse = 'yes'\ncolour = 1\n").unwrap();
    let (code, _, err) = run(home.path(), &["jobs", "o/r#7"]);
    assert_eq!(code, 2);
    assert!(
        err.contains("settings.toml:1: ") && err.contains("settings.toml:2: ") && !err.contains("settings.toml:3"),
        "{err}"
    );
    std::fs::write(home.path().join("settings.toml"), "colour = 1\n").unwrap();
    // Nothing listens at this port, so the request fails: unavailable, not misuse.
    let (code, out, err) = run(home.path(), &["jobs", "o/r#7", "--json", "--api-url", "http://127.0.0.1:1"]);
    assert_eq!((code, out.as_str()), (5, ""), "{err}");
    assert!(err.contains("settings.toml:1: \"colour\" is not known"), "{err}");
    std::fs::write(home.path().join("settings.toml"), "policy = 'mine.yaml'\n").unwrap();
    let (code, _, err) = run(home.path(), &["jobs", "o/r#7"]);
    assert!(code == 2 && err.contains("mine.yaml"), "{err}");
    std::fs::write(home.path().join("mine.yaml"), "name: x\nschema: 9\n").unwrap();
    let (code, _, err) = run(home.path(), &["jobs", "o/r#7"]);
    assert!(code == 2 && err.contains("mine.yaml:2: schema 9"), "{err}");
}

#[test]
fn a_verdict_in_a_file_is_told_by_exit_code() {
    let home = tempfile::tempdir().unwrap();
    let mark = "<!-- codeowner-signoff-verify signoff=issuecomment-7 -->";
    let row = "✅ Check 0 (CODEOWNER): PASS — owner\u{1b}[2J";
    let table = [
        (format!("{mark}\n## ✅✅✅ **Verdict: PASS** ✅✅✅\n{row}\n"), 0, ""),
        (format!("{mark}\n## ⚠️ **Verdict: WARN** ⚠️\n{row}\n"), 3, "with warnings"),
        (format!("{mark}\n## ❌❌❌ **REJECTED** ❌❌❌\n{row}\n"), 1, "is rejected"),
        (format!("{mark}\n## ✅✅✅ **PASS** ✅✅✅\n❌ Check 1 (sweep): FAIL — no run\n"), 1, "is rejected"),
        (format!("## ✅✅✅ **PASS** ✅✅✅\n{row}\n"), 3, "see the notes"),
        (format!("{mark}\nsomething\n"), 5, "cannot be told"),
        ("LGTM\n".to_owned(), 1, "holds no verdict"),
    ];
    for (text, want, word) in table {
        std::fs::write(home.path().join("comment.txt"), &text).unwrap();
        let (code, out, err) = run(home.path(), &["verdict", "comment.txt"]);
        assert!(code == want && err.contains(word), "{text}: {code} {err}");
        assert!(!out.contains('\u{1b}') && out.is_empty() == (text == "LGTM\n"), "{out}");
        if text != "LGTM\n" {
            let (same, out, _) = run(home.path(), &["verdict", "comment.txt", "--json"]);
            let json: serde_json::Value = serde_json::from_str(&out).unwrap();
            assert!(same == want && json["schema"] == 1 && json["verdict"]["overall"].is_string(), "{json}");
        }
    }
    let (code, _, err) = run(home.path(), &["verdict", "2550x"]);
    assert!(code == 2 && err.contains("2550x cannot be read") && err.contains("OWNER/NAME#2550"), "{err}");
}

#[test]
fn nothing_of_ours_is_written_where_nothing_was_done() {
    let home = tempfile::tempdir().unwrap();
    run(home.path(), &["render", "o/r#7", "--api-url", "http://127.0.0.1:1"]);
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0);
}

#[test]
fn the_cache_tells_its_size_and_is_needed_offline() {
    let home = tempfile::tempdir().unwrap();
    for args in [&["cache"][..], &["cache", "--clear"]] {
        let (code, out, err) = run(home.path(), args);
        assert_eq!((code, err.as_str()), (0, ""), "{args:?}");
        assert!(out.contains("0 answers"), "{out}");
    }
    let offline = ["jobs", "o/r#7", "--offline", "--api-url", "http://127.0.0.1:1"];
    let (code, _, err) = run(home.path(), &offline);
    assert_eq!(code, 5, "{err}");
    assert!(err.contains("is not in the cache") && err.contains("without --offline"), "{err}");
    std::fs::write(home.path().join("settings.toml"), "[cache]\nmegabytes = 0\n").unwrap();
    let (code, _, err) = run(home.path(), &offline);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("cache.megabytes"), "{err}");
}

#[test]
fn a_cache_that_cannot_be_used_is_said_once() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("cache"), "a file").unwrap();
    let (code, _, err) = run(home.path(), &["jobs", "o/r#7", "--api-url", "http://127.0.0.1:1"]);
    assert_eq!((code, err.matches("cannot be used").count()), (5, 1), "{err}");
    assert!(err.contains("COUNTERSIGN_CACHE_DIR") && err.contains("in memory only"), "{err}");
}
