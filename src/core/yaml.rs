//! YAML under strict limits, with one-line errors; and files cut at column 0 without parsing them.
//! Must not know: what any document means, or where it lies.

mod any;

pub use any::Any;

use super::trouble::{Trouble, TroubleKind};
use serde::de::DeserializeOwned;
use std::fmt;
use std::ops::Range;

/// Limits against bombs. The largest real section is far below: a whole master file of 150 entries has 27,000 nodes.
const MAX_NODES: usize = 50_000;
const MAX_DEPTH: usize = 32;
const MAX_ALIASES: usize = 1_000;

/// What is wrong in a file, and where. Lines and columns count from 1; columns count characters. Line 0: no place known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub file: String,
    pub line: usize,
    pub column: usize,
    pub message: String,
}

impl Problem {
    pub fn new(file: &str, line: usize, message: impl Into<String>) -> Problem {
        Problem { file: file.to_owned(), line, column: 1, message: message.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file, self.message),
            line => write!(f, "{}:{line}: {}", self.file, self.message),
        }
    }
}

impl From<Problem> for Trouble {
    fn from(problem: Problem) -> Trouble {
        Trouble::new(TroubleKind::Malformed, problem.to_string(), "Correct the file at that line, then read it again.")
    }
}

/// Reads one document. Booleans are `true` and `false` only, a repeated key is an error, JSON is YAML.
pub fn parse<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, Problem> {
    parse_at(file, text, 1)
}

/// Like [`parse`], for a piece of a file that begins at line `first_line`.
pub fn parse_at<T: DeserializeOwned>(file: &str, text: &str, first_line: usize) -> Result<T, Problem> {
    read(file, text, first_line, serde_yaml::options::DuplicateKeyPolicy::Error)
}

/// Like [`parse_at`], but of a repeated key the last counts, as it does for most programs: for files that others run.
pub fn parse_as_run<T: DeserializeOwned>(file: &str, text: &str, first_line: usize) -> Result<T, Problem> {
    read(file, text, first_line, serde_yaml::options::DuplicateKeyPolicy::LastWins)
}

fn read<T: DeserializeOwned>(
    file: &str,
    text: &str,
    first_line: usize,
    duplicate_keys: serde_yaml::options::DuplicateKeyPolicy,
) -> Result<T, Problem> {
    let mut budget = serde_yaml::Budget::default();
    budget.max_nodes = MAX_NODES;
    budget.max_depth = MAX_DEPTH;
    budget.max_aliases = MAX_ALIASES;
    let options = serde_yaml::options! { strict_booleans: true, with_snippet: false, budget: Some(budget), duplicate_keys: duplicate_keys };
    serde_yaml::from_str_with_options(text, options).map_err(|error| {
        let (line, column) = match error.location() {
            Some(at) => ((at.line() as usize).saturating_add(first_line).saturating_sub(1), at.column() as usize),
            None => (first_line, 1),
        };
        Problem { file: file.to_owned(), line, column, message: one_line(&error.to_string()) }
    })
}

/// The error's own sentence: its place is told by [`Problem`], the lines after the first repeat the source.
fn one_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let line = line.split_once(": ").filter(|(place, _)| place.starts_with("error: line ")).map_or(line, |(_, rest)| rest);
    let line = line.rfind(" at line ").map_or(line, |at| &line[..at]);
    // What a programmer could set about it helps nobody here.
    line.split(", set ").next().unwrap_or(line).trim().to_owned()
}

/// A piece of a file that begins at column 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The key, without quotes; empty for a list item.
    pub key: String,
    /// Bytes of the whole piece, from its first character up to the next piece.
    pub range: Range<usize>,
    /// Line of its first character, from 1.
    pub line: usize,
}

impl Section {
    /// The piece itself, out of the text that it was cut from.
    pub fn text<'a>(&self, whole: &'a str) -> &'a str {
        whole.get(self.range.clone()).unwrap_or_default()
    }
}

/// Cuts a mapping at its column-0 keys. Nothing inside is parsed; what stands before the first key belongs to none.
pub fn top_level(text: &str) -> Vec<Section> {
    cut(text, |line| match line.as_bytes().first() {
        None | Some(b' ' | b'\t' | b'#' | b'-' | b'%' | b'}' | b']' | b'\r') => None,
        Some(_) => key_of(line),
    })
}

/// Cuts a list at its column-0 items.
pub fn items(text: &str) -> Vec<Section> {
    cut(text, |line| (line == "-" || line.starts_with("- ")).then(String::new))
}

fn cut(text: &str, starts: impl Fn(&str) -> Option<String>) -> Vec<Section> {
    let mut out: Vec<Section> = Vec::new();
    let mut at = 0;
    for (index, full) in text.split_inclusive('\n').enumerate() {
        let line = full.trim_end_matches(['\n', '\r']);
        let line = if at == 0 { line.strip_prefix('\u{feff}').unwrap_or(line) } else { line };
        let start = at;
        at += full.len();
        if let Some(key) = starts(line) {
            out.push(Section { key, range: start..at, line: index + 1 });
        } else if let Some(open) = out.last_mut() {
            open.range.end = at;
        }
    }
    out
}

/// `key: …` → the key.
fn key_of(line: &str) -> Option<String> {
    for quote in ['"', '\''] {
        if let Some(rest) = line.strip_prefix(quote) {
            let (key, after) = rest.split_once(quote)?;
            return after.trim_start().starts_with(':').then(|| key.to_owned());
        }
    }
    let end = line.find(": ").or_else(|| line.trim_end().strip_suffix(':').map(str::len)).or_else(|| line.find(":\t"))?;
    Some(line[..end].trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    #[test]
    fn an_error_is_one_line_with_its_place() {
        let table = [
            ("a: 1\nb: [\n", 2..=3, ""),
            ("a: 1\na: 2\n", 2..=2, "duplicate"),
            ("a: 1\n\tb: 2\n", 1..=2, ""),
            ("x: *nowhere\n", 1..=1, ""),
        ];
        for (text, lines, word) in table {
            let problem = parse::<Value>("f.yaml", text).unwrap_err();
            assert!(lines.contains(&problem.line), "{problem:?}");
            assert!(problem.message.contains(word) && !problem.message.contains('\n'), "{problem:?}");
            assert!(!problem.message.contains(" line "), "{problem:?}");
            assert_eq!(problem.to_string(), format!("f.yaml:{}: {}", problem.line, problem.message));
        }
    }

    #[test]
    fn a_piece_knows_its_line_in_the_whole_file() {
        let problem = parse_at::<Value>("f", "a: 1\na: 2\n", 10).unwrap_err();
        assert_eq!(problem.line, 11);
        assert_eq!(Trouble::from(problem).kind, TroubleKind::Malformed);
    }

    #[test]
    fn yes_is_a_word_and_json_is_yaml() {
        assert_eq!(parse::<Value>("f", "a: yes\nb: true\n").unwrap(), serde_json::json!({"a": "yes", "b": true}));
        assert_eq!(parse::<Value>("f", "{\"a\": [0.90, \"x\"]}").unwrap(), serde_json::json!({"a": [0.9, "x"]}));
    }

    #[test]
    fn bombs_are_refused() {
        let deep = "[".repeat(100_000);
        let nested = (0..40).map(|i| format!("{}k:\n", " ".repeat(i))).collect::<String>();
        let wide = format!("[{}]", "1,".repeat(60_000));
        let mut laughs = "a0: &a0 [x, x]\n".to_owned();
        for i in 1..30 {
            laughs.push_str(&format!("a{i}: &a{i} [*a{0}, *a{0}, *a{0}, *a{0}]\n", i - 1));
        }
        for bomb in [deep, nested, wide, laughs] {
            assert!(parse::<Value>("f", &bomb).is_err(), "{}", &bomb[..40]);
        }
    }

    #[test]
    fn sections_begin_at_column_0_keys() {
        let text = "# head\none:\n  a: 1\n\n# about two\n\"two x\": {b: 2}\n'three':\n- not: a key\nfour: x:y\n";
        let cut: Vec<_> = top_level(text).into_iter().map(|s| (s.key.clone(), s.line, s.text(text).to_owned())).collect();
        assert_eq!(cut.len(), 4);
        assert_eq!(cut[0], ("one".into(), 2, "one:\n  a: 1\n\n# about two\n".into()));
        assert_eq!((cut[1].0.as_str(), cut[1].1), ("two x", 6));
        assert_eq!(cut[2], ("three".into(), 7, "'three':\n- not: a key\n".into()));
        assert_eq!(cut[3], ("four".into(), 9, "four: x:y\n".into()));
    }

    #[test]
    fn items_begin_at_column_0_dashes() {
        let text = "# head\n- a: 1\n  b: 2\n  \n- c\n-\n  d: 1\n--- no\n";
        let lines: Vec<_> = items(text).iter().map(|s| (s.line, s.text(text).to_owned())).collect();
        assert_eq!(lines[0], (2, "- a: 1\n  b: 2\n  \n".into()));
        assert_eq!(lines.iter().map(|l| l.0).collect::<Vec<_>>(), [2, 5, 6]);
    }

    proptest! {
        #[test]
        fn nothing_panics_and_pieces_tile_the_rest_of_the_file(text in "(?s)[a:\\-#\"' \t\r\n\u{feff}é*&{}\\[\\]|]{0,200}") {
            let _ = parse::<Value>("f", &text);
            for cut in [top_level(&text), items(&text)] {
                for pair in cut.windows(2) {
                    prop_assert_eq!(pair[0].range.end, pair[1].range.start);
                }
                if let Some(last) = cut.last() {
                    prop_assert_eq!(last.range.end, text.len());
                }
            }
        }
    }
}
