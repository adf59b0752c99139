//! What is written and shown for people: README.md says what is so, and its pictures are real screens.
//! Must not know: what a screen should look like.
//!
//! Tables of README.md and the pictures are made here: `COUNTERSIGN_BLESS=1 cargo test --test fast docs`.

mod picture;

use crate::demo;
use countersign::app::action::ACTIONS;
use countersign::cli::{Command, parse_launch};
use countersign::config::settings::DEFAULTS;
use countersign::core::filter::Filter;
use countersign::core::ids::RunId;
use countersign::error::ErrorKind;
use countersign::github::Base;
use countersign::report;
use countersign::runtime::environment::{TokenSource, token_sources};
use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// How to renew what is stale.
const RENEW: &str = "renew it with `COUNTERSIGN_BLESS=1 cargo test --test fast docs` and look at it";
const README: &str = "README.md";

/// Pictures: file, size, keys after the opening, title.
const PICTURES: [(&str, (u16, u16), &str, &str); 5] = [
    (
        "workspace",
        (160, 46),
        "2 0 Space Space Space Space k k",
        "The checklist with its evidence, and the jobs of the sweep beside it",
    ),
    ("diff", (120, 36), "1", "The diff of a file beside the checklist"),
    ("points", (120, 36), "7 j j", "The points that a pull request adds, each with its job, its result and its eval"),
    ("results", (120, 36), "8 j j j", "The curve that the run measured, with the point under the cursor"),
    ("signoff", (120, 36), "Space Space Space Space P p", "The question before a comment is posted"),
];

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn read(name: &str) -> String {
    std::fs::read_to_string(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The file holds this text; where that is asked for, it is written first.
fn assert_fresh(name: &str, text: &str) {
    let kept = std::fs::read_to_string(path(name)).unwrap_or_default();
    if kept != text && std::env::var_os("COUNTERSIGN_BLESS").is_some() {
        return std::fs::write(path(name), text).unwrap();
    }
    assert!(kept == text, "{name} is stale: {RENEW}");
}

/// Between its marks, README.md holds this text.
fn assert_section(mark: &str, text: &str) {
    // Tests run side by side, and each renews a part of one file.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock();
    let readme = read(README);
    let (begin, end) = (format!("<!-- {mark}: made by a test -->\n"), format!("<!-- /{mark} -->"));
    let (head, rest) = readme.split_once(&begin).unwrap_or_else(|| panic!("{README} lacks {begin}"));
    let (_, tail) = rest.split_once(&end).unwrap_or_else(|| panic!("{README} lacks {end}"));
    assert_fresh(README, &format!("{head}{begin}\n{text}\n{end}{tail}"));
}

#[tokio::test]
async fn the_pictures_are_todays_screens() {
    for (name, (columns, rows), keys, title) in PICTURES {
        let mut desk = demo::opened().await;
        desk.screen(columns, rows).await;
        desk.keys(keys).await;
        let screen = desk.screen(columns, rows).await;
        let file = format!("assets/screenshots/{name}.svg");
        assert_fresh(&file, &picture::render(&screen, title));
        assert!(read(README).contains(&format!("![{title}]({file})")), "{README} shows {file}");
    }
}

#[test]
fn the_keys_are_those_of_the_registry() {
    let mut table = String::from("| where | keys | what they do | name |\n|---|---|---|---|\n");
    let mut last = None;
    for action in ACTIONS {
        let place = if last == Some(action.scope) { "" } else { action.scope.title() };
        last = Some(action.scope);
        let keys: Vec<String> = action.keys.iter().map(|key| format!("`{key}`")).collect();
        writeln!(table, "| {place} | {} | {} | `{}` |", keys.join(" "), action.help, action.name).unwrap();
    }
    assert_section("keys", &table);
}

#[test]
fn the_settings_are_the_commented_defaults() {
    let (settings, _) = DEFAULTS.split_once("\n# Keys by action.").unwrap();
    assert_section("settings", &format!("```toml\n{}\n```\n", settings.trim_end()));
}

#[test]
fn the_exit_codes_are_those_of_the_program() {
    let mut table = String::from("| code | meaning |\n|---|---|\n| 0 | fine |\n");
    for kind in ErrorKind::ALL {
        writeln!(table, "| {} | {} |", kind.exit_code(), kind.meaning()).unwrap();
    }
    assert_section("exit codes", &table);
}

#[test]
fn the_ways_of_tokens_are_those_of_the_program() {
    let rows = [
        ("github.com", "https://api.github.com", false),
        ("any other that `--api-url` names over https", "https://HOST", true),
        ("one on this machine that `--api-url` names over http", "http://localhost", true),
        ("one that a page's address or `origin` names", "https://HOST/api/v3", false),
    ];
    let mut table = String::from("| the API | tokens |\n|---|---|\n");
    for (place, address, given) in rows {
        let sources = token_sources(&Base::parse(address).unwrap(), given).into_iter().map(|source| match source {
            TokenSource::Variable(name) => format!("`{name}`"),
            TokenSource::Gh(host) => format!("`gh auth token --hostname {host}`").replace(" host`", " HOST`"),
            TokenSource::Settings(_) => "the settings".to_owned(),
        });
        writeln!(table, "| {place} | {} |", sources.collect::<Vec<_>>().join(", ")).unwrap();
    }
    assert_section("tokens", &table);
}

/// The fenced blocks of README.md in one language.
fn blocks(language: &str) -> Vec<String> {
    let readme = read(README);
    let fence = format!("```{language}\n");
    readme.split(&fence).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

#[test]
fn every_command_line_shown_is_understood() {
    let blocks = blocks("sh").join("");
    let lines: Vec<&str> = blocks.lines().filter(|line| line.starts_with("countersign ")).collect();
    assert!(lines.len() > 10, "{lines:?}");
    let mut shown = String::new();
    for line in lines {
        // A `#` that begins a word begins a comment.
        let words = line.split_whitespace().take_while(|word| !word.starts_with('#'));
        let launch = parse_launch(words.map(Into::into)).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert!(!matches!(launch.command, Command::Show(_)), "{line}");
        shown.push_str(line);
    }
    // And every command and option is shown.
    let helps = [&["--help"][..], &["render", "--help"], &["post", "--help"], &["jobs", "--help"], &["evals", "--help"]];
    for arguments in helps {
        let Command::Show(help) = parse_launch(["countersign"].iter().chain(arguments).map(Into::into)).unwrap().command else {
            panic!("{arguments:?}");
        };
        let options = help.split_whitespace().filter(|word| word.starts_with("--") && !["--help", "--version"].contains(word));
        for option in options {
            assert!(shown.contains(option) || read(README).contains(&format!("`{option}")), "{README} lacks {option}");
        }
    }
}

#[test]
fn every_variable_is_named() {
    let source = read("src/runtime/environment.rs");
    let (source, _) = source.split_once("#[cfg(test)]").unwrap();
    let source: String = source.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let is_name = |word: &&str| word.len() > 3 && word.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    let names: Vec<&str> = source.split('"').skip(1).step_by(2).filter(is_name).collect();
    assert!(names.len() > 12, "{names:?}");
    let readme = read(README);
    for name in names {
        assert!(readme.contains(&format!("`{name}`")), "{README} lacks {name}");
    }
}

#[tokio::test]
async fn the_json_shown_is_what_the_demo_says() {
    let (desk, policy) = (demo::opened().await, demo::policy());
    let facts = &desk.model.facts;
    let runs: Vec<RunId> = facts.jobs.keys().copied().collect();
    let measured = facts.evals.keys().next().copied();
    let made = [
        ("jobs", report::jobs::report(&policy, facts, &runs, &Filter::default(), Vec::new(), true)),
        ("rows", report::evals::report(&policy, facts, measured, Vec::new(), true)),
    ];
    let shown = blocks("json");
    assert_eq!(shown.len(), made.len());
    for (shown, (list, made)) in shown.iter().zip(made) {
        let (mut shown, mut made): (Value, Value) =
            (serde_json::from_str(shown).unwrap(), serde_json::from_str(&made.text).unwrap());
        let (some, all) = (shown[list].take(), made[list].take());
        assert_eq!(shown.to_string(), made.to_string(), "{list}");
        // As text, since the order of keys counts for who compares.
        let all: Vec<String> = all.as_array().unwrap().iter().map(Value::to_string).collect();
        for row in some.as_array().unwrap().iter().map(Value::to_string) {
            assert!(all.contains(&row), "{row} is no row");
        }
    }
}

#[test]
fn the_oldest_toolchain_is_that_of_the_manifest() {
    let manifest = read("Cargo.toml");
    let version = manifest.lines().find_map(|line| line.strip_prefix("rust-version = \"")?.strip_suffix('"')).unwrap();
    assert!(read(README).contains(&format!("Rust {version} or newer")), "{README} wants Rust {version}");
}

#[test]
fn every_link_leads_to_a_file() {
    for name in [README, "assets/CHANGELOG.md"] {
        let text = read(name);
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            assert!(target.starts_with("https://") || path(target).exists(), "{name} links to {target}");
        }
    }
}
