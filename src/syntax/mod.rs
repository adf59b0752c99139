//! Syntax: source text → byte ranges with a role, by syntect's grammars; Markdown by a scanner of our own.
//! Must not know: colours, the screen, or which thread it runs on. It is slow: call it off the loop.
//!
//! A grammar's line costs up to 0.2 ms, a hostile one milliseconds: lines are read up to [`LINE_LIMIT`] bytes, and one at
//! a time, so that the caller may stop between any two.

mod markdown;
mod scopes;

use crate::core::diff::parse::{LineKind, Patch};
use crate::core::text::role::{Spans, SyntaxRole};
use crate::core::text::start;
use scopes::Roles;
use syntect::parsing::{ParseState, ScopeStack, SyntaxReference, SyntaxSet};

/// Bytes of a line that a grammar gets to see; the rest is plain.
pub const LINE_LIMIT: usize = 400;

/// Bytes of a line that the Markdown scanner looks at: prose has long lines, and the scanner is fast.
pub const PROSE_LIMIT: usize = 2_000;

/// All grammars. Loading takes milliseconds: make one, where it is used, and keep it.
pub struct Highlighter {
    set: SyntaxSet,
    roles: Roles,
}

/// How a file's lines are read; of use only with the [`Highlighter`] that named it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    Plain,
    Markdown,
    Grammar(GrammarId),
}

/// A grammar's place in the set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GrammarId(usize);

impl Default for Highlighter {
    fn default() -> Self {
        Highlighter::new()
    }
}

impl Highlighter {
    pub fn new() -> Highlighter {
        Highlighter { set: two_face::syntax::extra_newlines(), roles: Roles::new() }
    }

    /// The language of a file: by its name, else by its first line (`#!/bin/sh`).
    pub fn language(&self, path: &str, first_line: &str) -> Language {
        let name = path.rsplit('/').next().unwrap_or(path);
        let by_name = self.set.find_syntax_by_extension(name);
        let by_extension = || name.rsplit_once('.').and_then(|(_, extension)| self.set.find_syntax_by_extension(extension));
        let by_line = || self.set.find_syntax_by_first_line(start(first_line, LINE_LIMIT));
        self.language_of(by_name.or_else(by_extension).or_else(by_line))
    }

    fn language_of(&self, syntax: Option<&SyntaxReference>) -> Language {
        let Some(syntax) = syntax else { return Language::Plain };
        match syntax.name.as_str() {
            "Plain Text" => Language::Plain,
            "Markdown" | "MultiMarkdown" => Language::Markdown,
            name => {
                let at = self.set.syntaxes().iter().position(|syntax| syntax.name == name);
                at.map_or(Language::Plain, |at| Language::Grammar(GrammarId(at)))
            }
        }
    }

    /// The roles of each line, from the start of a file.
    pub fn lines<'a>(
        &'a self,
        language: Language,
        lines: impl Iterator<Item = &'a str> + 'a,
    ) -> impl Iterator<Item = Spans> + 'a {
        let mut state = self.begin(language);
        lines.map(move |line| self.line(&mut state, line))
    }

    /// The roles of each row of a patch ([`Patch::row`]), one after the other as they are asked for: who shows a screen
    /// of a long patch need not wait for its end. A hunk's header has none, and its first line is read as if it began a
    /// file; the old and the new side each have their own state, from where they part to where they agree again.
    pub fn rows<'a>(&'a self, language: Language, patch: &'a Patch, text: &'a str) -> impl Iterator<Item = Spans> + 'a {
        // A submodule's commit is no code.
        let language = if patch.submodule(text).is_some() { Language::Plain } else { language };
        patch.hunks.iter().flat_map(move |hunk| {
            let lines = patch.lines.get(hunk.lines.clone()).unwrap_or_default();
            let mut sides = Sides { new: self.begin(language), parted: None };
            let rows = lines.iter().map(move |line| sides.row(self, line.kind, text.get(line.text()).unwrap_or_default()));
            std::iter::once(Spans::new()).chain(rows)
        })
    }

    fn begin(&self, language: Language) -> State {
        match language {
            Language::Plain => State::Plain,
            Language::Markdown => State::Markdown { page: markdown::Page::default(), fenced: None },
            Language::Grammar(GrammarId(at)) => match self.set.syntaxes().get(at) {
                Some(syntax) => State::Grammar(Grammar { parse: ParseState::new(syntax), scopes: ScopeStack::new() }),
                None => State::Plain,
            },
        }
    }

    fn line(&self, state: &mut State, line: &str) -> Spans {
        let line = line.trim_end_matches(['\n', '\r']);
        match state {
            State::Plain => Spans::new(),
            State::Grammar(grammar) => self.grammar_line(grammar, line),
            State::Markdown { page, fenced } => match page.line(start(line, PROSE_LIMIT)) {
                markdown::Line::Prose(spans) => spans,
                markdown::Line::Code => match fenced {
                    Some(grammar) => self.grammar_line(grammar, line),
                    None => whole(line, SyntaxRole::Code),
                },
                markdown::Line::Opens { spans, language } => {
                    let syntax = (!language.is_empty()).then(|| self.set.find_syntax_by_token(&language)).flatten();
                    *fenced = match self.begin(self.language_of(syntax)) {
                        State::Grammar(grammar) => Some(grammar),
                        State::Plain | State::Markdown { .. } => None,
                    };
                    spans
                }
                markdown::Line::Closes(spans) => {
                    *fenced = None;
                    spans
                }
            },
        }
    }

    fn grammar_line(&self, grammar: &mut Grammar, line: &str) -> Spans {
        if line.len() <= LINE_LIMIT {
            return grammar.line(&self.set, &self.roles, line);
        }
        // The cut may stand inside a string: what follows the line goes on as if the line were not there.
        grammar.clone().line(&self.set, &self.roles, start(line, LINE_LIMIT))
    }
}

/// The states of the two sides of a hunk.
struct Sides {
    new: State,
    /// Of the old side, while it differs.
    parted: Option<State>,
}

impl Sides {
    fn row(&mut self, by: &Highlighter, kind: LineKind, code: &str) -> Spans {
        match kind {
            LineKind::NoNewline => Spans::new(),
            LineKind::Removed => by.line(self.parted.get_or_insert_with(|| self.new.clone()), code),
            LineKind::Added => {
                self.parted.get_or_insert_with(|| self.new.clone());
                by.line(&mut self.new, code)
            }
            LineKind::Context => {
                if let Some(old) = &mut self.parted {
                    by.line(old, code);
                }
                let spans = by.line(&mut self.new, code);
                self.parted.take_if(|old| *old == self.new);
                spans
            }
        }
    }
}

/// What the lines before say about the next one.
#[derive(Clone, PartialEq)]
enum State {
    Plain,
    Markdown {
        page: markdown::Page,
        /// Of the code block around.
        fenced: Option<Grammar>,
    },
    Grammar(Grammar),
}

#[derive(Clone, PartialEq)]
struct Grammar {
    parse: ParseState,
    scopes: ScopeStack,
}

impl Grammar {
    fn line(&mut self, set: &SyntaxSet, roles: &Roles, line: &str) -> Spans {
        // The grammars are made for lines with their end.
        let Ok(ops) = self.parse.parse_line(&format!("{line}\n"), set) else { return Spans::new() };
        let mut spans = Spans::new();
        let mut from = 0;
        for (at, op) in ops {
            push(&mut spans, from..at.min(line.len()), roles.of(&self.scopes.scopes));
            from = at.min(line.len());
            if self.scopes.apply(&op).is_err() {
                return spans;
            }
        }
        push(&mut spans, from..line.len(), roles.of(&self.scopes.scopes));
        spans
    }
}

/// Adds a range, joined with the last one if it touches and has the same role.
fn push(spans: &mut Spans, range: std::ops::Range<usize>, role: SyntaxRole) {
    let (Ok(start), Ok(end)) = (u32::try_from(range.start), u32::try_from(range.end)) else { return };
    if start >= end || role == SyntaxRole::Plain {
        return;
    }
    match spans.last_mut() {
        Some((last, same)) if *same == role && last.end == start => last.end = end,
        _ => spans.push((start..end, role)),
    }
}

fn whole(line: &str, role: SyntaxRole) -> Spans {
    let mut spans = Spans::new();
    push(&mut spans, 0..line.len(), role);
    spans
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::*;
    use crate::core::diff::parse::parse_patch;
    use std::sync::LazyLock;

    static HIGHLIGHTER: LazyLock<Highlighter> = LazyLock::new(Highlighter::new);

    fn roles<'a>(language: Language, text: &'a str) -> Vec<Vec<(&'a str, SyntaxRole)>> {
        let all = HIGHLIGHTER.lines(language, text.lines());
        let named = |(line, spans): (&'a str, Spans)| {
            spans.into_iter().map(|(range, role)| (&line[range.start as usize..range.end as usize], role)).collect()
        };
        text.lines().zip(all).map(named).collect()
    }

    fn language(path: &str) -> Language {
        HIGHLIGHTER.language(path, "")
    }

    fn name(language: Language) -> &'static str {
        match language {
            Language::Plain => "-",
            Language::Markdown => "md",
            Language::Grammar(GrammarId(at)) => &HIGHLIGHTER.set.syntaxes()[at].name,
        }
    }

    #[test]
    fn languages_are_known_by_name_or_first_line() {
        for (path, first, expected) in [
            ("configs/nvidia-master.yaml", "", "YAML"),
            ("a/b.py", "", "Python"),
            ("x.sh", "", "Bourne Again Shell (bash)"),
            ("run", "#!/usr/bin/env bash", "Bourne Again Shell (bash)"),
            ("Dockerfile", "", "Dockerfile"),
            ("README.md", "", "md"),
            ("x.toml", "", "TOML"),
            ("x.rs", "", "Rust"),
            ("x.txt", "", "-"),
            ("x.unknown", "", "-"),
            ("", "", "-"),
        ] {
            assert_eq!(name(HIGHLIGHTER.language(path, first)), expected, "{path}");
        }
    }

    #[test]
    fn scopes_become_roles() {
        use SyntaxRole::*;
        for (path, text, expected) in [
            ("x.yaml", "key: \"v\" # c", vec![("key", Property), (":", Punctuation), ("\"v\"", String), ("# c", Comment)]),
            ("x.yaml", "tp: 4", vec![("tp", Property), (":", Punctuation), ("4", Number)]),
            (
                "x.json",
                "{\"a\": true}",
                vec![("{", Punctuation), ("\"a\"", Property), (":", Punctuation), ("true", Constant), ("}", Punctuation)],
            ),
            (
                "x.py",
                "def f(): return 1",
                vec![("def", Keyword), ("f", Function), ("():", Punctuation), ("return", Keyword), ("1", Number)],
            ),
            ("x.sh", "echo \"$A\"", vec![("echo", Function), ("\"", String), ("$A", Variable), ("\"", String)]),
        ] {
            assert_eq!(roles(language(path), text)[0], expected, "{text}");
        }
        assert_eq!(roles(Language::Plain, "key: 1"), [vec![]]);
    }

    #[test]
    fn long_lines_are_cut_and_leave_no_trace() {
        let text = format!("a: 1\nb: \"{}\nc: 2", "x".repeat(1_000));
        let all = roles(language("x.yaml"), &text);
        assert_eq!(all[2], roles(language("x.yaml"), "c: 2")[0]);
        assert!(all[1].iter().map(|(piece, _)| piece.len()).sum::<usize>() <= LINE_LIMIT);
    }

    #[test]
    fn rows_are_read_only_when_asked_for() {
        let text = format!("@@ -0,0 +1,{0} @@\n{1}@@ -9 +9 @@\n+k: 1\n", 1_000_000, "+k: 1\n".repeat(1_000_000));
        let patch = parse_patch(&text);
        // A million lines take a minute.
        let first: Vec<Spans> = HIGHLIGHTER.rows(language("x.yaml"), &patch, &text).take(3).collect();
        assert_eq!((first[0].len(), first[2].len()), (0, 3));
    }

    #[test]
    fn each_side_of_a_patch_keeps_its_own_state() {
        let text = "@@ -1,3 +1,3 @@\n-s = \"\"\"old\n+s = 1\n x = 2\n-\"\"\"\n+y = 3\n@@ -9 +9 @@\n+z = 4\n";
        let patch = parse_patch(text);
        let rows: Vec<Spans> = HIGHLIGHTER.rows(language("x.py"), &patch, text).collect();
        assert_eq!(rows.len(), patch.rows());
        // What opens in a removed line does not swallow the new side, nor the next hunk.
        let alone = |line: &str| HIGHLIGHTER.lines(language("x.py"), line.lines()).next().unwrap();
        assert_eq!(rows[3], alone("x = 2"));
        assert_eq!(rows[4], [(0..3, SyntaxRole::String)]);
        assert_eq!(rows[5], alone("y = 3"));
        assert_eq!(rows[7], alone("z = 4"));
        assert!(rows[0].is_empty() && rows[6].is_empty());

        let commit = format!("@@ -1 +1 @@\n+Subproject commit {}\n", "1".repeat(40));
        let patch = parse_patch(&commit);
        let rows: Vec<Spans> = HIGHLIGHTER.rows(language("x.py"), &patch, &commit).collect();
        assert_eq!(rows, [vec![], vec![]]);
    }

    #[test]
    fn fences_in_markdown_speak_their_language() {
        use SyntaxRole::*;
        let all = roles(Language::Markdown, "# T\n```yaml\nk: 1\n```\nk: `c`\n```\nplain\n~~~");
        assert_eq!(all[0], [("# T", Heading)]);
        assert_eq!(all[2], [("k", Property), (":", Punctuation), ("1", Number)]);
        assert_eq!(all[4], [("`c`", Code)]);
        assert_eq!(all[6], [("plain", Code)]);
        assert_eq!(all[7], [("~~~", Code)]);
    }

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn real_diffs_are_highlighted_row_by_row() {
        for scenario in ["2550-siblings/2550", "2462/2462", "2206/2206"] {
            let root = env!("CARGO_MANIFEST_DIR");
            let list = std::fs::read(format!("{root}/../shared/corpus/scenarios/{scenario}/files.json")).unwrap();
            let files: Vec<serde_json::Value> = serde_json::from_slice(&list).unwrap();
            let mut coloured = 0;
            for file in &files {
                let Some(text) = file["patch"].as_str() else { continue };
                let patch = parse_patch(text);
                let language = language(file["filename"].as_str().unwrap());
                let rows: Vec<Spans> = HIGHLIGHTER.rows(language, &patch, text).collect();
                assert_eq!(rows.len(), patch.rows());
                for (at, spans) in rows.iter().enumerate() {
                    let row = patch.row(at).unwrap();
                    let line = &text[row.text];
                    let mut end = 0;
                    for (range, role) in spans {
                        assert!(range.start >= end && range.start < range.end && *role != SyntaxRole::Plain);
                        assert!(line.get(range.start as usize..range.end as usize).is_some());
                        end = range.end;
                    }
                    coloured += usize::from(!spans.is_empty());
                }
            }
            assert!(coloured > 10, "{scenario}");
        }
    }
}
