//! The architecture as a test: which layer may name which, which crates it may use, and what only one place may do.
//! Must not know: what the layers do. A row here changes when the map in `src/lib.rs` does, and only then.

mod tokens;

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path as FilePath;
use tokens::{Kind, Path, Token, parse_tokens, paths, without_tests};

/// One row of the map: what may be named from inside the layer.
struct Layer {
    name: &'static str,
    /// Layers, itself included.
    inside: &'static [&'static str],
    outside: Outside,
    /// Paths that are forbidden even though their crate is allowed.
    never: &'static [&'static str],
}

enum Outside {
    Only(&'static [&'static str]),
    Any,
}
use Outside::{Any, Only};

/// Everything that is not a function of its arguments.
const WORLD: &[&str] = &[
    "std::fs",
    "std::net",
    "std::env",
    "std::process",
    "std::thread",
    "std::os",
    "std::io::stdin",
    "std::io::stdout",
    "std::io::stderr",
    "std::time::Instant",
    "std::time::SystemTime",
    "chrono::Local",
];

const PURE: &[&str] = &[
    "serde",
    "serde_json",
    "serde_yaml",
    "similar",
    "pulldown_cmark",
    "regex",
    "globset",
    "sha2",
    "chrono",
    "unicode_width",
    "unicode_segmentation",
    "thiserror",
];

const GITHUB: &[&str] = &[
    "octocrab",
    "tower",
    "http",
    "http_body",
    "http_body_util",
    "bytes",
    "hyper",
    "hyper_util",
    "hyper_rustls",
    "rustls",
    "rustls_native_certs",
    "tokio",
    "futures",
    "zip",
    "flate2",
    "base64",
    "tracing",
    "serde",
    "serde_json",
    "sha2",
    "chrono",
    "thiserror",
];

const ALL: &[&str] = &["core", "syntax", "app", "view", "report", "github", "config", "runtime", "error", "cli"];

const LAYERS: &[Layer] = &[
    Layer { name: "core", inside: &["core"], outside: Only(PURE), never: WORLD },
    Layer { name: "syntax", inside: &["syntax", "core"], outside: Only(&["syntect", "two_face"]), never: WORLD },
    Layer { name: "app", inside: &["app", "core"], outside: Only(PURE), never: WORLD },
    Layer {
        name: "view",
        inside: &["view", "app", "core"],
        outside: Only(&["ratatui", "unicode_width", "unicode_segmentation"]),
        never: VIEW_NEVER,
    },
    Layer { name: "report", inside: &["report", "core"], outside: Only(&["serde", "serde_json"]), never: WORLD },
    Layer {
        name: "github",
        inside: &["github", "core"],
        outside: Only(GITHUB),
        never: &["std::env", "std::fs", "std::process", "std::thread", "tokio::fs", "tokio::process", "tokio::signal"],
    },
    Layer {
        name: "config",
        inside: &["config", "view", "app", "core", "error"],
        outside: Only(&["toml", "serde", "serde_yaml"]),
        never: WORLD,
    },
    Layer { name: "error", inside: &["error", "core"], outside: Only(&["thiserror"]), never: WORLD },
    Layer { name: "cli", inside: &["cli", "core", "error"], outside: Only(&["clap"]), never: WORLD },
    Layer { name: "runtime", inside: ALL, outside: Any, never: &[] },
    Layer { name: "main", inside: ALL, outside: Any, never: &["std::fs", "std::net"] },
    Layer { name: "lib", inside: &[], outside: Only(&[]), never: WORLD },
];

/// [`WORLD`], and the doors to a real terminal that ratatui has.
const VIEW_NEVER: &[&str] = &[
    "std::fs",
    "std::net",
    "std::env",
    "std::process",
    "std::thread",
    "std::os",
    "std::io",
    "std::time::Instant",
    "std::time::SystemTime",
    "ratatui::crossterm",
    "ratatui::backend",
    "ratatui::Terminal",
    "ratatui::DefaultTerminal",
    "ratatui::init",
    "ratatui::run",
    "ratatui::restore",
];

/// Names of the repositories we serve and of their files: they stand in `assets/policies`, never in code.
const REPOSITORIES: &[&str] = &[
    "semianalysis",
    "inferencex",
    "lmsysorg",
    "sgl-project",
    "vllm-project",
    "ai-dynamo",
    "nvidia-master",
    "amd-master",
    "perf-changelog",
    "run-sweep",
    "pr_review_checklist",
];

/// Where strangers' text becomes cells: the one file of the view that builds spans.
const PAINT: &str = "src/view/paint.rs";
const MOST_LINES: usize = 700;

/// A source file as the rules see it.
struct Source {
    /// From the repository's root, with `/`.
    path: String,
    text: String,
    /// Without comments and test-only items.
    tokens: Vec<Token>,
}

impl Source {
    fn new(path: &str, text: &str) -> Source {
        Source { path: path.to_owned(), text: text.to_owned(), tokens: without_tests(&parse_tokens(text)).0 }
    }

    /// `src/core/text/mod.rs` → `core`, `text`; the crate roots have none.
    fn module(&self) -> Vec<&str> {
        let inner = self.path.trim_start_matches("src/").trim_end_matches(".rs");
        match inner {
            "lib" | "main" => Vec::new(),
            _ => inner.trim_end_matches("/mod").split('/').collect(),
        }
    }

    fn layer_name(&self) -> &str {
        let inner = self.path.trim_start_matches("src/").trim_end_matches(".rs");
        inner.split('/').next().unwrap_or_default()
    }
}

#[derive(Debug, PartialEq)]
struct Breach {
    path: String,
    line: usize,
    what: String,
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.what)
    }
}

/// All breaches of all rules in `source`; `crates` are the dependencies of the manifest.
fn breaches(source: &Source, crates: &BTreeSet<String>) -> Vec<Breach> {
    let mut out = Vec::new();
    let mut say = |line: usize, what: String| out.push(Breach { path: source.path.clone(), line, what });
    check_layers(source, crates, &mut say);
    check_octocrab(source, &mut say);
    check_repositories(source, &mut say);
    check_view(source, &mut say);
    check_shape(source, &mut say);
    out
}

fn check_layers(source: &Source, crates: &BTreeSet<String>, say: &mut impl FnMut(usize, String)) {
    let name = source.layer_name();
    let Some(layer) = LAYERS.iter().find(|layer| layer.name == name) else {
        return say(1, format!("`{name}` is no layer of the map (src/lib.rs, tests/fast/walls.rs)"));
    };
    for path in paths(&source.tokens) {
        let written = path.segments.join("::");
        if let Some(named) = layer_named(source, &path) {
            if ALL.contains(&named.as_str()) && !layer.inside.contains(&named.as_str()) {
                say(path.line, format!("{name} may not name {named} (`{written}`)"));
            }
            continue;
        }
        if layer.never.iter().any(|never| written == *never || written.starts_with(&format!("{never}::"))) {
            say(path.line, format!("{name} must never use `{written}`"));
            continue;
        }
        let first = &path.segments[0];
        if let Only(allowed) = layer.outside
            && crates.contains(first)
            && !allowed.contains(&first.as_str())
        {
            say(path.line, format!("{name} may not use the crate {first} (`{written}`)"));
        }
    }
}

/// The first module under the crate's root that `path` leads into, when it is written from `crate`, `self` or `super`.
fn layer_named(source: &Source, path: &Path) -> Option<String> {
    let mut module: Vec<&str> = source.module();
    module.extend(path.within.iter().map(String::as_str));
    let mut rest = path.segments.iter().map(String::as_str).peekable();
    match *rest.peek()? {
        "crate" => {
            rest.next();
            module.clear();
        }
        // The binary sees the library by its name.
        "countersign" if source.path == "src/main.rs" => {
            rest.next();
            module.clear();
        }
        "self" | "super" => {
            while let Some(step) = rest.next_if(|step| matches!(*step, "self" | "super")) {
                if step == "super" {
                    module.pop();
                }
            }
        }
        _ => return None,
    }
    module.extend(rest);
    Some(module.first().copied().unwrap_or("*").to_owned())
}

fn check_octocrab(source: &Source, say: &mut impl FnMut(usize, String)) {
    if source.path.starts_with("src/github/") {
        return;
    }
    for token in source.tokens.iter().filter(|token| token.word() == Some("octocrab")) {
        say(token.line, "only src/github knows octocrab".to_owned());
    }
}

fn check_repositories(source: &Source, say: &mut impl FnMut(usize, String)) {
    // The name of an embedded asset is no rule: neither where it is embedded, nor where problems in it are told.
    let is_embedding = |i: usize| {
        let macro_name = i.checked_sub(3).and_then(|k| source.tokens[k].word());
        macro_name.is_some_and(|word| matches!(word, "include_str" | "include_bytes"))
    };
    let embedded: Vec<&str> = source
        .tokens
        .iter()
        .enumerate()
        .filter_map(
            |(i, token)| {
                if let Kind::Text(path) = &token.kind { Some(path.as_str()).filter(|_| is_embedding(i)) } else { None }
            },
        )
        .collect();
    for token in &source.tokens {
        let (Kind::Word(text) | Kind::Text(text)) = &token.kind else { continue };
        let is_asset = embedded.iter().any(|path| path == text || path.rsplit('/').next() == Some(text.as_str()));
        let lower = text.to_lowercase();
        if let Some(name) = REPOSITORIES.iter().find(|name| lower.contains(**name)).filter(|_| !is_asset) {
            say(token.line, format!("`{name}` belongs into assets/policies: src/ names no repository"));
        }
    }
}

/// Only [`PAINT`] turns text into spans or cells, so that nothing passes its gate; and drawing never writes the model.
fn check_view(source: &Source, say: &mut impl FnMut(usize, String)) {
    if !source.path.starts_with("src/view/") {
        return;
    }
    let word = |i: usize| source.tokens.get(i).and_then(Token::word);
    let mark = |i: usize, mark: char| source.tokens.get(i).is_some_and(|token| token.is(mark));
    for (i, token) in source.tokens.iter().enumerate() {
        let Some(this) = token.word() else { continue };
        if this == "Model" && word(i.wrapping_sub(1)) == Some("mut") && mark(i.wrapping_sub(2), '&') {
            say(token.line, "the view reads the model and never writes it".to_owned());
        }
        if source.path == PAINT {
            continue;
        }
        let is_text = matches!(this, "Span" | "Line" | "Text");
        let constructs = mark(i + 1, ':')
            && mark(i + 2, ':')
            && word(i + 3).is_some_and(|function| function.starts_with(|c: char| c.is_lowercase()));
        let literal =
            mark(i + 1, '{') && word(i + 2).is_some_and(|field| matches!(field, "content" | "spans" | "lines" | "style"));
        let writes = mark(i.wrapping_sub(1), '.')
            && matches!(
                this,
                "set_string"
                    | "set_stringn"
                    | "set_symbol"
                    | "set_char"
                    | "set_line"
                    | "set_span"
                    | "to_span"
                    | "to_line"
                    | "to_text"
            );
        if (is_text && (constructs || literal)) || writes {
            say(token.line, format!("text reaches the screen through {PAINT} only (`{this}`)"));
        }
        if is_text && word(i + 1) == Some("as") && mark(i.wrapping_sub(1), ':') {
            say(token.line, format!("`{this}` keeps its name, so that this rule sees it"));
        }
    }
}

fn check_shape(source: &Source, say: &mut impl FnMut(usize, String)) {
    let lines = source.text.lines().count();
    if lines > MOST_LINES {
        say(lines, format!("{lines} lines; past {MOST_LINES}, look for the second idea in it"));
    }
    if source.path != "src/main.rs" && !source.text.starts_with("//! ") {
        say(1, "a module begins with `//!`: what it owns, then what it must not know".to_owned());
    }
}

/// The crates of `[dependencies]`, as code spells them.
fn parse_dependencies(manifest: &str) -> BTreeSet<String> {
    let table = manifest.lines().skip_while(|line| line.trim() != "[dependencies]").skip(1);
    table
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split_once('='))
        .map(|(name, _)| name.trim().replace('-', "_"))
        .filter(|name| !name.starts_with('#'))
        .collect()
}

fn manifest_dependencies() -> BTreeSet<String> {
    parse_dependencies(&std::fs::read_to_string(FilePath::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).unwrap())
}

/// Every source file of the library and the binary; those that only tests include are there for their shape alone.
fn load_sources() -> Vec<Source> {
    let root = FilePath::new(env!("CARGO_MANIFEST_DIR"));
    let (mut found, mut folders) = (Vec::new(), vec![root.join("src")]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
                // The build script is not part of the program.
                if name != "src/build.rs" {
                    found.push(Source::new(&name, &std::fs::read_to_string(&path).unwrap()));
                }
            }
        }
    }
    let test_files: BTreeSet<String> = found.iter().flat_map(test_files).collect();
    for source in found.iter_mut().filter(|source| test_files.contains(&source.path)) {
        source.tokens.clear();
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// The files of the modules that `source` declares under `#[cfg(test)]`.
fn test_files(source: &Source) -> Vec<String> {
    let folder = format!("src/{}", source.module().join("/"));
    let folder = folder.trim_end_matches('/');
    let (_, names) = without_tests(&parse_tokens(&source.text));
    names.iter().flat_map(|name| [format!("{folder}/{name}.rs"), format!("{folder}/{name}/mod.rs")]).collect()
}

#[test]
fn every_file_keeps_within_its_walls() {
    let (sources, crates) = (load_sources(), manifest_dependencies());
    assert!(sources.iter().any(|source| source.path == "src/lib.rs"), "no sources were found");
    let found: Vec<String> =
        sources.iter().flat_map(|source| breaches(source, &crates)).map(|breach| breach.to_string()).collect();
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
}

/// Each rule, broken on purpose: file, content, and a part of what must be said.
const BAD: &[(&str, &str, &str)] = &[
    ("src/core/x.rs", "use crate::view::theme;", "core may not name view"),
    ("src/core/x.rs", "fn f() { crate::runtime::clock::now() }", "core may not name runtime"),
    ("src/core/policy/x.rs", "use super::super::super::github;", "core may not name github"),
    ("src/core/policy/mod.rs", "mod a { use super::super::super::app::Msg; }", "core may not name app"),
    ("src/core/x.rs", "use {crate::{core::ids, report}};", "core may not name report"),
    ("src/core/x.rs", "macro_rules! m { () => { $crate::app::Msg } }", "core may not name app"),
    ("src/core/x.rs", "use std::{fmt, fs::File};", "core must never use `std::fs::File`"),
    ("src/core/x.rs", "fn f() { ::std::env::var(\"HOME\") }", "core must never use `std::env::var`"),
    ("src/core/x.rs", "use std::process;", "core must never use `std::process`"),
    ("src/core/x.rs", "use std::net::TcpStream;", "core must never use"),
    ("src/core/x.rs", "fn f() { std::thread::spawn(g) }", "core must never use"),
    ("src/core/x.rs", "use std::time::{Duration, Instant};", "core must never use `std::time::Instant`"),
    ("src/core/x.rs", "use chrono::Local;", "core must never use `chrono::Local`"),
    ("src/core/x.rs", "use ratatui::text::Line;", "core may not use the crate ratatui"),
    ("src/core/x.rs", "use tokio;", "core may not use the crate tokio"),
    ("src/app/x.rs", "use ratatui::layout::Rect;", "app may not use the crate ratatui"),
    ("src/app/x.rs", "use crossterm::event::KeyEvent;", "app may not use the crate crossterm"),
    ("src/app/mod.rs", "use super::view;", "app may not name view"),
    ("src/app/x.rs", "use crate::report::json;", "app may not name report"),
    ("src/view/x.rs", "use crate::github::calls;", "view may not name github"),
    ("src/view/x.rs", "use crate::syntax;", "view may not name syntax"),
    ("src/view/x.rs", "use ratatui::crossterm::event;", "view must never use `ratatui::crossterm"),
    ("src/view/x.rs", "fn f() { std::io::stdout() }", "view must never use"),
    ("src/report/x.rs", "use crate::app::Model;", "report may not name app"),
    ("src/report/x.rs", "use ratatui::style::Color;", "report may not use the crate ratatui"),
    ("src/github/x.rs", "use crate::config::Settings;", "github may not name config"),
    ("src/github/x.rs", "use std::env;", "github must never use `std::env`"),
    ("src/github/x.rs", "use std::fs;", "github must never use `std::fs`"),
    ("src/config/x.rs", "use std::fs::read_to_string;", "config must never use"),
    ("src/config/x.rs", "use crate::runtime::store;", "config may not name runtime"),
    ("src/syntax/x.rs", "use crate::app::Msg;", "syntax may not name app"),
    ("src/error.rs", "use crate::app::Msg;", "error may not name app"),
    ("src/cli.rs", "use crate::runtime::run;", "cli may not name runtime"),
    ("src/helpers/x.rs", "fn f() {}", "`helpers` is no layer of the map"),
    ("src/runtime/x.rs", "use octocrab::Octocrab;", "only src/github knows octocrab"),
    ("src/main.rs", "fn main() { octocrab::instance(); }", "only src/github knows octocrab"),
    ("src/core/x.rs", "const R: &str = \"SemiAnalysisAI/x\";", "src/ names no repository"),
    ("src/config/x.rs", "const R: &str = \"inferencex.yaml\";", "src/ names no repository"),
    ("src/app/x.rs", "const R: &str = r#\"inferencex-e2e\"#;", "src/ names no repository"),
    ("src/github/x.rs", "fn is_lmsysorg_image() {}", "src/ names no repository"),
    ("src/core/x.rs", "const P: &str = \"configs/nvidia-master.yaml\";", "src/ names no repository"),
    ("src/view/x.rs", "fn f() { Span::raw(title) }", "through src/view/paint.rs only (`Span`)"),
    ("src/view/screens/x.rs", "fn f() { ratatui::text::Line::from(title) }", "through src/view/paint.rs only (`Line`)"),
    ("src/view/x.rs", "fn f() { Text::styled(title, style) }", "through src/view/paint.rs only (`Text`)"),
    ("src/view/x.rs", "fn f() { Span { content, style } }", "through src/view/paint.rs only (`Span`)"),
    ("src/view/x.rs", "fn f() { buffer.set_string(0, 0, title, style) }", "through src/view/paint.rs only (`set_string`)"),
    ("src/view/x.rs", "use ratatui::text::Line as L;", "keeps its name"),
    ("src/view/x.rs", "fn draw(model: &mut Model) {}", "never writes it"),
    ("src/core/x.rs", "fn no_doc() {}", "a module begins with `//!`"),
];

/// What the same rules must let pass.
const GOOD: &[(&str, &str)] = &[
    ("src/core/x.rs", "use crate::core::ids; use std::{fmt, time::Duration}; use serde::Serialize;"),
    ("src/core/policy/x.rs", "use super::super::evals; mod a { use super::super::y; }"),
    ("src/core/x.rs", "// use std::fs and crate::view\nconst T: &str = \"std::fs::read\";"),
    ("src/core/x.rs", "#[cfg(test)]\nmod tests { use std::fs; const R: &str = \"SemiAnalysisAI/InferenceX\"; }"),
    ("src/core/x.rs", "/// As lmsysorg spells it.\nfn f(http: u8) { http.open::<u8>() }"),
    (
        "src/config/x.rs",
        "const P: &str = include_str!(\"../../assets/policies/inferencex.yaml\"); fn f() { read(\"inferencex.yaml\", P) }",
    ),
    ("src/view/x.rs", "fn f(model: &Model) -> Line<'_> { match x { Line::Added(y) => paint::line(y) } }"),
    ("src/view/paint.rs", "fn f(text: Safe) -> Span { Span::raw(text.0) }"),
    ("src/github/x.rs", "use octocrab::Octocrab; use tokio::time::Instant;"),
    ("src/runtime/x.rs", "use crate::{app, github, view}; use std::{env, fs}; use crossterm::event;"),
    ("src/main.rs", "fn main() { countersign::runtime::run() }"),
];

#[test]
fn each_rule_can_fail() {
    let crates = manifest_dependencies();
    for (path, code, expected) in BAD {
        let doc = if expected.contains("begins") { "" } else { "//! x\n" };
        let found = breaches(&Source::new(path, &format!("{doc}{code}")), &crates);
        let said: Vec<_> = found.iter().map(|breach| breach.what.as_str()).collect();
        assert!(said.len() == 1 && said[0].contains(expected), "{path}: {code}\nexpected: {expected}\nsaid: {said:#?}");
    }
}

#[test]
fn what_is_allowed_passes() {
    let crates = manifest_dependencies();
    for (path, code) in GOOD {
        let found = breaches(&Source::new(path, &format!("//! x\n{code}")), &crates);
        assert_eq!(found, [], "{path}: {code}");
    }
}

#[test]
fn a_long_file_is_named_with_its_length() {
    let text = format!("//! x\n{}", "// y\n".repeat(MOST_LINES));
    let found = breaches(&Source::new("src/core/x.rs", &text), &BTreeSet::new());
    assert_eq!(found.iter().map(|breach| breach.line).collect::<Vec<_>>(), [MOST_LINES + 1]);
    assert!(breaches(&Source::new("src/core/x.rs", text.trim_end_matches("// y\n")), &BTreeSet::new()).is_empty());
}

#[test]
fn files_of_test_modules_are_found() {
    let source = Source::new("src/core/diff/mod.rs", "#[cfg(test)]\nmod tests;\nmod words;");
    assert_eq!(test_files(&source), ["src/core/diff/tests.rs", "src/core/diff/tests/mod.rs"]);
}

#[test]
fn dependencies_are_read_from_the_manifest() {
    let crates = manifest_dependencies();
    assert!(["serde", "pulldown_cmark", "octocrab", "ratatui", "http_body_util"].iter().all(|name| crates.contains(*name)));
    assert!(!crates.contains("proptest") && !crates.contains("insta"), "{crates:?}");
    assert_eq!(
        parse_dependencies("[package]\nname = \"x\"\n[dependencies]\n# a = b\nc-d = \"1\"\n[dev-dependencies]\ne = \"1\"")
            .len(),
        1
    );
}

#[test]
fn layers_name_only_layers_and_crates_that_exist() {
    let crates = manifest_dependencies();
    for layer in LAYERS {
        assert!(layer.inside.iter().all(|name| ALL.contains(name)), "{}", layer.name);
        let Only(allowed) = layer.outside else { continue };
        // globset is in the design for a later rule.
        let unknown: Vec<_> = allowed.iter().filter(|name| !crates.contains(**name) && **name != "globset").collect();
        assert!(unknown.is_empty(), "{}: {unknown:?}", layer.name);
    }
}
