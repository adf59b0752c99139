//! Rust source as words, marks and string literals: as much of the language as the walls need to see.
//! Must not know: which of them are allowed.

/// One token, with the line it starts on (from 1). Comments, numbers, characters and lifetimes are dropped.
#[derive(Debug, Clone, PartialEq)]
pub struct Token {
    pub line: usize,
    pub kind: Kind,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    Word(String),
    Mark(char),
    /// The inside of a string literal, escapes as written.
    Text(String),
}

impl Token {
    pub fn is(&self, mark: char) -> bool {
        self.kind == Kind::Mark(mark)
    }

    pub fn word(&self) -> Option<&str> {
        match &self.kind {
            Kind::Word(word) => Some(word),
            _ => None,
        }
    }
}

/// A path as written, `use` trees taken apart: `use a::{b, c::d}` is `a::b` and `a::c::d`.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    pub line: usize,
    pub segments: Vec<String>,
    /// The inline modules around it, outermost first: what `super` counts from.
    pub within: Vec<String>,
}

/// Splits source into tokens; text that is not Rust gives some tokens and no panic.
pub fn parse_tokens(source: &str) -> Vec<Token> {
    let chars: Vec<char> = source.chars().collect();
    let at = |i: usize| chars.get(i).copied().unwrap_or('\0');
    let (mut i, mut line, mut out) = (0, 1, Vec::new());
    while i < chars.len() {
        let (start, started) = (i, line);
        let c = at(i);
        if c.is_whitespace() {
            i += 1;
        } else if c == '/' && at(i + 1) == '/' {
            while i < chars.len() && at(i) != '\n' {
                i += 1;
            }
        } else if c == '/' && at(i + 1) == '*' {
            let mut depth = 0;
            loop {
                match (at(i), at(i + 1)) {
                    ('/', '*') => (depth, i) = (depth + 1, i + 2),
                    ('*', '/') => (depth, i) = (depth - 1, i + 2),
                    _ => i += 1,
                }
                if depth == 0 || i >= chars.len() {
                    break;
                }
            }
        } else if let Some(opening) = raw_string(&chars[i..]) {
            let hashes = opening.hashes;
            let (from, mut to) = (i + opening.length, i + opening.length);
            while to < chars.len() && !(at(to) == '"' && (1..=hashes).all(|k| at(to + k) == '#')) {
                to += 1;
            }
            out.push(Token { line, kind: Kind::Text(chars[from..to.min(chars.len())].iter().collect()) });
            i = to + 1 + hashes;
        } else if c == '"' || (matches!(c, 'b' | 'c') && at(i + 1) == '"') {
            let from = if c == '"' { i + 1 } else { i + 2 };
            let mut to = from;
            while to < chars.len() && at(to) != '"' {
                to += if at(to) == '\\' { 2 } else { 1 };
            }
            out.push(Token { line, kind: Kind::Text(chars[from..to.min(chars.len())].iter().collect()) });
            i = to + 1;
        } else if c == '\'' {
            if at(i + 1) == '\\' {
                i += 3;
                while i < chars.len() && at(i) != '\'' {
                    i += 1;
                }
                i += 1;
            } else if at(i + 2) == '\'' {
                i += 3;
            } else {
                i += 1;
                while at(i).is_alphanumeric() || at(i) == '_' {
                    i += 1;
                }
            }
        } else if c.is_alphanumeric() || c == '_' {
            if c == 'r' && at(i + 1) == '#' {
                i += 2;
            }
            let from = i;
            while at(i).is_alphanumeric() || at(i) == '_' {
                i += 1;
            }
            if !c.is_ascii_digit() {
                out.push(Token { line, kind: Kind::Word(chars[from..i].iter().collect()) });
            }
        } else {
            out.push(Token { line, kind: Kind::Mark(c) });
            i += 1;
        }
        i = i.max(start + 1).min(chars.len());
        line = started + chars[start..i].iter().filter(|c| **c == '\n').count();
    }
    out
}

struct RawOpening {
    length: usize,
    hashes: usize,
}

/// `r"`, `r#"`, `br##"` …: how long the opening is, and with how many hashes it closes.
fn raw_string(rest: &[char]) -> Option<RawOpening> {
    let prefix = match rest {
        ['r', ..] => 1,
        ['b' | 'c', 'r', ..] => 2,
        _ => return None,
    };
    let hashes = rest[prefix..].iter().take_while(|c| **c == '#').count();
    (rest.get(prefix + hashes) == Some(&'"')).then_some(RawOpening { length: prefix + hashes + 1, hashes })
}

/// Tokens without the items under `#[cfg(test)]`, and the names of the modules declared there whose bodies are files.
pub fn without_tests(tokens: &[Token]) -> (Vec<Token>, Vec<String>) {
    let (mut kept, mut files, mut i) = (Vec::new(), Vec::new(), 0);
    while i < tokens.len() {
        match attribute(tokens, i) {
            Some(end) if is_test_only(&tokens[i..end]) => {
                let mut item = end;
                while let Some(next) = attribute(tokens, item) {
                    item = next;
                }
                let end = item_end(tokens, item);
                if let Some(name) = declared_module(&tokens[item..end]) {
                    files.push(name);
                }
                i = end;
            }
            _ => {
                kept.push(tokens[i].clone());
                i += 1;
            }
        }
    }
    (kept, files)
}

/// The end of the outer attribute that starts at `i`.
fn attribute(tokens: &[Token], i: usize) -> Option<usize> {
    if !(tokens.get(i)?.is('#') && tokens.get(i + 1)?.is('[')) {
        return None;
    }
    let mut depth = 0usize;
    for (k, token) in tokens.iter().enumerate().skip(i + 1) {
        match token.kind {
            Kind::Mark('[') => depth += 1,
            Kind::Mark(']') if depth == 1 => return Some(k + 1),
            Kind::Mark(']') => depth -= 1,
            _ => {}
        }
    }
    None
}

/// `#[cfg(test)]` or `#[cfg(all(test, …))]`; not `#[cfg(not(test))]` and not `#[cfg(any(test, …))]`, which builds outside too.
fn is_test_only(attribute: &[Token]) -> bool {
    let words: Vec<&str> = attribute.iter().filter_map(Token::word).collect();
    words.first() == Some(&"cfg") && words.contains(&"test") && !words.contains(&"not") && !words.contains(&"any")
}

/// Where the item that starts at `i` ends: behind its `;`, or behind its first block when it is no `use`.
fn item_end(tokens: &[Token], i: usize) -> usize {
    // The first word behind `pub`, `pub(crate)`, `pub(in path)`.
    let keyword = tokens[i..].iter().filter_map(Token::word).find(|word| !matches!(*word, "pub" | "crate" | "super" | "in"));
    let is_use = keyword == Some("use");
    let mut depth = 0usize;
    for (k, token) in tokens.iter().enumerate().skip(i) {
        match token.kind {
            Kind::Mark('{' | '(' | '[') => depth += 1,
            Kind::Mark(mark @ ('}' | ')' | ']')) => {
                depth = depth.saturating_sub(1);
                if depth == 0 && mark == '}' && !is_use {
                    return k + 1;
                }
            }
            Kind::Mark(';') if depth == 0 => return k + 1,
            _ => {}
        }
    }
    tokens.len()
}

/// The name in `mod name;`.
fn declared_module(item: &[Token]) -> Option<String> {
    item.windows(3).find(|w| w[0].word() == Some("mod") && w[2].is(';')).and_then(|w| w[1].word()).map(str::to_owned)
}

/// Every path of two or more segments, and every `use`, in order.
pub fn paths(tokens: &[Token]) -> Vec<Path> {
    let (mut out, mut depth, mut within): (Vec<Path>, usize, Vec<(usize, String)>) = (Vec::new(), 0, Vec::new());
    let mut i = 0;
    while i < tokens.len() {
        let names = |within: &[(usize, String)]| within.iter().map(|(_, name)| name.clone()).collect::<Vec<_>>();
        match &tokens[i].kind {
            Kind::Mark('{') => depth += 1,
            Kind::Mark('}') => {
                depth = depth.saturating_sub(1);
                within.retain(|(opened, _)| *opened < depth + 1);
            }
            Kind::Word(word) if word == "mod" && tokens.get(i + 2).is_some_and(|t| t.is('{')) => {
                if let Some(name) = tokens[i + 1].word() {
                    within.push((depth + 1, name.to_owned()));
                }
                i += 1;
            }
            Kind::Word(word) if word == "use" && !tokens.get(i + 1).is_some_and(|t| t.is('<')) => {
                let mut tree = UseTree { tokens, at: i + 1, within: names(&within), out: &mut out };
                tree.read(&[]);
                i = tree.at.max(i + 1);
                continue;
            }
            Kind::Word(word) if starts_path(tokens, i) => {
                let mut segments = vec![word.clone()];
                let mut end = i + 1;
                while let Some(next) = segment_after(tokens, end) {
                    segments.push(next.to_owned());
                    end += 3;
                }
                if segments.len() > 1 {
                    out.push(Path { line: tokens[i].line, segments, within: names(&within) });
                }
                i = end;
                continue;
            }
            _ => {}
        }
        i += 1;
    }
    out
}

/// The word in `:: word` at `i`.
fn segment_after(tokens: &[Token], i: usize) -> Option<&str> {
    (tokens.get(i)?.is(':') && tokens.get(i + 1)?.is(':')).then(|| tokens.get(i + 2)?.word()).flatten()
}

/// Whether the word at `i` is the first of its path: not after `.`, and not after `::` that continues something.
fn starts_path(tokens: &[Token], i: usize) -> bool {
    let before = |n: usize| i.checked_sub(n).map(|k| &tokens[k]);
    if before(1).is_some_and(|t| t.is('.')) {
        // `a.b` is a field, `0..b::C` a range.
        return before(2).is_some_and(|t| t.is('.'));
    }
    let after_colons = before(1).is_some_and(|t| t.is(':')) && before(2).is_some_and(|t| t.is(':'));
    let arrow = before(3).is_some_and(|t| t.is('>')) && before(4).is_some_and(|t| t.is('-'));
    let continues = before(3).is_some_and(|t| t.word().is_some() || t.is('>'));
    !after_colons || arrow || !continues
}

struct UseTree<'a> {
    tokens: &'a [Token],
    at: usize,
    within: Vec<String>,
    out: &'a mut Vec<Path>,
}

impl UseTree<'_> {
    /// Reads one branch under `prefix` up to its `,`, `}` or `;`.
    fn read(&mut self, prefix: &[String]) {
        let mut segments = prefix.to_vec();
        let mut line = self.tokens.get(self.at).map_or(0, |t| t.line);
        while let Some(token) = self.tokens.get(self.at) {
            match &token.kind {
                Kind::Mark(':') => self.at += 1,
                Kind::Mark('*') => {
                    segments.push("*".to_owned());
                    self.at += 1;
                }
                Kind::Word(word) if word == "as" => self.at += 2,
                Kind::Word(word) => {
                    line = token.line;
                    segments.push(word.clone());
                    self.at += 1;
                }
                Kind::Mark('{') => {
                    self.at += 1;
                    while self.tokens.get(self.at).is_some_and(|t| !t.is('}') && !t.is(';')) {
                        let before = self.at;
                        self.read(&segments);
                        if self.tokens.get(self.at).is_some_and(|t| t.is(',')) || self.at == before {
                            self.at += 1;
                        }
                    }
                    self.at += 1;
                    return;
                }
                _ => break,
            }
        }
        if segments.len() > prefix.len() {
            self.out.push(Path { line, segments, within: self.within.clone() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(source: &str) -> Vec<String> {
        parse_tokens(source).iter().filter_map(Token::word).map(str::to_owned).collect()
    }

    fn found(source: &str) -> Vec<String> {
        paths(&parse_tokens(source)).into_iter().map(|path| path.segments.join("::")).collect()
    }

    #[test]
    fn comments_strings_characters_and_lifetimes_hide_what_is_in_them() {
        let table = [
            ("a // b\nc", "a c"),
            ("a /* b /* c */ d */ e", "a e"),
            (r#"a "b \" c" d"#, "a d"),
            (r##"a r#"b " c"# d"##, "a d"),
            (r#"a b"x" c"y" br"z" e"#, "a e"),
            (r"a '\'' b '\u{1F600}' c 'x' d", "a b c d"),
            ("fn f<'a>(x: &'a str) -> 'static", "fn f x str"),
            ("r#type 1_000u64 x1", "type x1"),
        ];
        for (source, expected) in table {
            assert_eq!(words(source).join(" "), expected, "{source}");
        }
    }

    #[test]
    fn lines_count_through_comments_and_strings() {
        let tokens = parse_tokens("/* 1\n2 */ \"3\n\" here\nthere");
        let lines: Vec<_> = tokens.iter().filter_map(|t| t.word().map(|w| (w, t.line))).collect();
        assert_eq!(lines, [("here", 3), ("there", 4)]);
    }

    #[test]
    fn use_trees_come_apart() {
        let table = [
            ("use a::{b, c::{d, e as f}, self}; g::h", "a::b a::c::d a::c::e a::self g::h"),
            ("pub(crate) use super::*;", "super::*"),
            ("use {std::fs, serde::Serialize};", "std::fs serde::Serialize"),
            ("use ::std::env;", "std::env"),
            ("use tower;", "tower"),
            ("fn f() -> impl Iterator + use<'_> { a::b }", "a::b"),
        ];
        for (source, expected) in table {
            assert_eq!(found(source).join(" "), expected, "{source}");
        }
    }

    #[test]
    fn paths_start_where_they_start() {
        let table = [
            ("x.a::<T>(b::c::<D>::e())", "b::c"),
            ("<T as a::B>::c", "a::B"),
            ("fn f() -> ::std::fs::File", "std::fs::File"),
            ("$crate::core::X", "crate::core::X"),
            ("for i in 0..std::mem::MAX {}", "std::mem::MAX"),
        ];
        for (source, expected) in table {
            assert_eq!(found(source).join(" "), expected, "{source}");
        }
    }

    #[test]
    fn inline_modules_are_known() {
        let tokens = parse_tokens("mod a { use super::x; mod b { super::y::z } super::w::v } super::u::t");
        let within: Vec<_> = paths(&tokens).into_iter().map(|path| path.within.join("/")).collect();
        assert_eq!(within, ["a", "a/b", "a", ""]);
    }

    #[test]
    fn test_only_items_go_and_others_stay() {
        let table = [
            ("#[cfg(test)] mod t { use a::b; } fn k() {}", "fn k", ""),
            ("#[cfg(test)] #[allow(x)] mod t; fn k() {}", "fn k", "t"),
            ("#[cfg(test)] use a::{b, c}; fn k() {}", "fn k", ""),
            ("#[cfg(all(test, shared))] fn t() -> [u8; 2] { x } fn k() {}", "fn k", ""),
            ("#[cfg(not(test))] fn k() {}", "cfg not test fn k", ""),
            ("#[cfg(feature = \"x\")] mod k;", "cfg feature mod k", ""),
        ];
        for (source, kept, files) in table {
            let (tokens, declared) = without_tests(&parse_tokens(source));
            let words: Vec<_> = tokens.iter().filter_map(Token::word).collect();
            assert_eq!((words.join(" ").as_str(), declared.join(" ").as_str()), (kept, files), "{source}");
        }
    }

    #[test]
    fn text_that_is_not_rust_does_not_panic() {
        for source in ["\"", "'", "r#\"", "/*", "use a::{", "use {,,", "#[cfg(test)]", "mod", "'\\", "b'", "use ;;"] {
            let tokens = parse_tokens(source);
            let (kept, _) = without_tests(&tokens);
            paths(&kept);
        }
    }
}
