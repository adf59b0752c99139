//! Markdown source, line by line: headings, fences, lists, code, links, emphasis. Our own, since the grammar takes
//! 80 ms for a line with a few code spans.
//! Must not know: grammars; what stands in a fence is named and left to the caller.

use super::push;
use crate::core::text::role::{Spans, SyntaxRole};
use std::ops::Range;

/// What the lines before leave open.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum Page {
    #[default]
    Prose,
    /// Inside `<!--`.
    Comment,
    /// Inside a fence of `len` times `mark`.
    Fence { mark: char, len: usize },
}

/// What a line is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    Prose(Spans),
    /// A line inside a fence.
    Code,
    /// A fence that opens, with the language it names (may be empty).
    Opens {
        spans: Spans,
        language: String,
    },
    /// A fence that closes.
    Closes(Spans),
}

impl Page {
    pub(super) fn line(&mut self, line: &str) -> Line {
        let mut spans = Spans::new();
        match self {
            Page::Fence { mark, len } => {
                let bare = line.trim();
                if !bare.starts_with(*mark) || bare.chars().count() < *len || !bare.chars().all(|c| c == *mark) {
                    return Line::Code;
                }
                push(&mut spans, 0..line.len(), SyntaxRole::Punctuation);
                *self = Page::Prose;
                Line::Closes(spans)
            }
            Page::Comment => {
                let end = line.find("-->").map(|at| at + 3);
                push(&mut spans, 0..end.unwrap_or(line.len()), SyntaxRole::Comment);
                if let Some(end) = end {
                    *self = Page::Prose;
                    self.inline(line, end, &mut spans);
                }
                Line::Prose(spans)
            }
            Page::Prose => self.block(line),
        }
    }

    fn block(&mut self, line: &str) -> Line {
        let mut spans = Spans::new();
        let mut at = indent(line, 0);
        while line.get(at..).is_some_and(|rest| rest.starts_with('>')) {
            push(&mut spans, at..at + 1, SyntaxRole::Punctuation);
            at = indent(line, at + 1);
        }
        let rest = line.get(at..).unwrap_or_default();
        if let Some((mark, len, language)) = fence(rest) {
            push(&mut spans, at..line.len(), SyntaxRole::Punctuation);
            *self = Page::Fence { mark, len };
            return Line::Opens { spans, language: language.to_owned() };
        }
        let hashes = rest.len() - rest.trim_start_matches('#').len();
        if (1..=6).contains(&hashes) && rest.get(hashes..).is_some_and(|text| text.is_empty() || text.starts_with([' ', '\t']))
        {
            push(&mut spans, at..line.len(), SyntaxRole::Heading);
            return Line::Prose(spans);
        }
        if is_rule(rest) {
            push(&mut spans, at..line.len(), SyntaxRole::Punctuation);
            return Line::Prose(spans);
        }
        if let Some(len) = bullet(rest) {
            push(&mut spans, at..at + len, SyntaxRole::Punctuation);
            at = indent(line, at + len);
            let task = line.get(at..at + 3).is_some_and(|task| matches!(task, "[ ]" | "[x]" | "[X]"));
            if task && line.get(at + 3..).is_some_and(|text| text.starts_with(' ')) {
                push(&mut spans, at..at + 3, SyntaxRole::Constant);
                at += 3;
            }
        }
        self.inline(line, at, &mut spans);
        Line::Prose(spans)
    }

    /// Reads what stands inside a line from `at` on.
    fn inline(&mut self, line: &str, mut at: usize, spans: &mut Spans) {
        while let Some(rest) = line.get(at..).filter(|rest| !rest.is_empty()) {
            if rest.starts_with("<!--") {
                let end = rest.find("-->").map(|end| at + end + 3);
                push(spans, at..end.unwrap_or(line.len()), SyntaxRole::Comment);
                if end.is_none() {
                    *self = Page::Comment;
                }
                at = end.unwrap_or(line.len());
                continue;
            }
            if let Some((len, role)) = piece(line, at, rest) {
                push(spans, at..at + len, role);
                at += len;
                continue;
            }
            at += plain(rest);
        }
    }
}

/// The marked piece that begins at `rest`: its length in bytes and its role.
fn piece(line: &str, at: usize, rest: &str) -> Option<(usize, SyntaxRole)> {
    match rest.chars().next()? {
        '`' => {
            let run = run(rest, '`');
            let close = closing_run(rest, run..rest.len(), '`', run)?;
            Some((close + run, SyntaxRole::Code))
        }
        '[' => link(rest).map(|len| (len, SyntaxRole::Link)),
        '!' if rest.starts_with("![") => link(rest.get(1..)?).map(|len| (len + 1, SyntaxRole::Link)),
        '<' => {
            let end = rest.find('>')?;
            let inner = rest.get(1..end)?;
            let tag = inner.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/') && !inner.contains('<');
            let address = inner.contains("://") && !inner.contains(' ');
            tag.then_some((end + 1, if address { SyntaxRole::Link } else { SyntaxRole::Property }))
        }
        'h' if rest.starts_with("https://") || rest.starts_with("http://") => {
            let end = rest.find(|c: char| c.is_whitespace() || matches!(c, ')' | '>' | ']' | '"' | '`' | '|'));
            Some((end.unwrap_or(rest.len()), SyntaxRole::Link))
        }
        mark @ ('*' | '_') => emphasis(line, at, rest, mark),
        _ => None,
    }
}

/// Bytes to pass over when nothing is marked: an escape, a run that opens nothing, a word, or one sign.
fn plain(rest: &str) -> usize {
    let mut chars = rest.chars();
    match chars.next() {
        Some('\\') => 1 + chars.next().filter(char::is_ascii_punctuation).map_or(0, char::len_utf8),
        Some(mark @ ('`' | '*' | '_')) => run(rest, mark),
        Some(first) if first.is_alphanumeric() => rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len()),
        Some(first) => first.len_utf8(),
        None => 1,
    }
}

fn emphasis(line: &str, at: usize, rest: &str, mark: char) -> Option<(usize, SyntaxRole)> {
    let len = run(rest, mark);
    let role = match len {
        1 => SyntaxRole::Emphasis,
        2 | 3 => SyntaxRole::Strong,
        _ => return None,
    };
    let before = line.get(..at).and_then(|text| text.chars().next_back());
    let opens = rest.get(len..)?.starts_with(|c: char| !c.is_whitespace());
    if !opens || (mark == '_' && before.is_some_and(char::is_alphanumeric)) {
        return None;
    }
    let mut from = len;
    loop {
        let close = closing_run(rest, from..rest.len(), mark, len)?;
        let inner = rest.get(len..close)?.chars().next_back().is_some_and(|c| !c.is_whitespace());
        let after = rest.get(close + len..)?.chars().next();
        if inner && !(mark == '_' && after.is_some_and(char::is_alphanumeric)) {
            return Some((close + len, role));
        }
        from = close + len;
    }
}

/// Where a run of exactly `len` marks begins, searched in a range of the text.
fn closing_run(text: &str, range: Range<usize>, mark: char, len: usize) -> Option<usize> {
    let mut at = range.start;
    loop {
        at += text.get(at..range.end)?.find(mark)?;
        let found = run(text.get(at..)?, mark);
        if found == len {
            return Some(at);
        }
        at += found;
    }
}

fn run(text: &str, mark: char) -> usize {
    text.bytes().take_while(|b| char::from(*b) == mark).count()
}

/// `[text](address)` or `[text][label]` at the start: its length.
fn link(rest: &str) -> Option<usize> {
    let mut depth = 0usize;
    let close = rest.char_indices().find_map(|(at, c)| {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    })?;
    let target = rest.get(close + 1..)?;
    let end = match target.chars().next()? {
        '(' => target.find(')')?,
        '[' => target.find(']')?,
        _ => return None,
    };
    Some(close + 1 + end + 1)
}

/// Mark, length and language of a fence.
fn fence(rest: &str) -> Option<(char, usize, &str)> {
    let mark = rest.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let len = run(rest, mark);
    let info = rest.get(len..)?.trim();
    (len >= 3 && !(mark == '`' && info.contains('`')))
        .then(|| (mark, len, info.split([' ', ',', '{']).next().unwrap_or_default()))
}

/// A line across, an underline of a heading, or the row under a table's head.
fn is_rule(rest: &str) -> bool {
    let bare = rest.trim();
    let of = |set: &[char]| bare.chars().all(|c| set.contains(&c));
    let across = bare.len() >= 3 && (of(&['-', ' ']) || of(&['*', ' ']) || of(&['_', ' ']) || of(&['=']));
    across || (bare.contains('|') && bare.contains('-') && of(&['|', '-', ':', ' ']))
}

/// Length of `-`, `*`, `+`, `1.` or `1)` with a space behind.
fn bullet(rest: &str) -> Option<usize> {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let mark = rest.as_bytes().get(digits)?;
    let fits = if digits == 0 { matches!(mark, b'-' | b'*' | b'+') } else { digits <= 9 && matches!(mark, b'.' | b')') };
    (fits && rest.as_bytes().get(digits + 1).is_none_or(|b| *b == b' ')).then_some(digits + 1)
}

fn indent(line: &str, from: usize) -> usize {
    let rest = line.get(from..).unwrap_or_default();
    from + rest.len() - rest.trim_start_matches([' ', '\t']).len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use SyntaxRole::*;
    use proptest::prelude::*;

    fn pieces(line: &str) -> Vec<(&str, SyntaxRole)> {
        let spans = match Page::default().line(line) {
            Line::Prose(spans) | Line::Opens { spans, .. } | Line::Closes(spans) => spans,
            Line::Code => return vec![],
        };
        spans.into_iter().map(|(range, role)| (&line[range.start as usize..range.end as usize], role)).collect()
    }

    #[test]
    fn lines_are_read_as_they_render() {
        for (line, expected) in [
            ("plain text, with h and http", vec![]),
            ("## Title `x`", vec![("## Title `x`", Heading)]),
            ("#no title", vec![]),
            ("- [x] a `b`", vec![("-", Punctuation), ("[x]", Constant), ("`b`", Code)]),
            ("12. a", vec![("12.", Punctuation)]),
            ("> > a *b*", vec![(">", Punctuation), (">", Punctuation), ("*b*", Emphasis)]),
            ("a **b c** ``d`e`` f", vec![("**b c**", Strong), ("``d`e``", Code)]),
            ("snake_case_name 2 * 3 * 4", vec![]),
            ("[a](b) ![c](d) [e][f] [g]", vec![("[a](b)", Link), ("![c](d)", Link), ("[e][f]", Link)]),
            (
                "see https://x.y/z, <https://a.b> (http://c.d)",
                vec![("https://x.y/z,", Link), ("<https://a.b>", Link), ("http://c.d", Link)],
            ),
            ("a <b class=x>c</b> 1 < 2 > 1", vec![("<b class=x>", Property), ("</b>", Property)]),
            ("a <!-- b --> c", vec![("<!-- b -->", Comment)]),
            ("\\*a\\* \\`b", vec![]),
            ("`open **b**", vec![("**b**", Strong)]),
            ("|-|:-:|", vec![("|-|:-:|", Punctuation)]),
            ("---", vec![("---", Punctuation)]),
            ("漢`字`漢", vec![("`字`", Code)]),
        ] {
            assert_eq!(pieces(line), expected, "{line}");
        }
    }

    #[test]
    fn fences_and_comments_reach_over_lines() {
        let mut page = Page::default();
        assert!(matches!(page.line("````rust,ignore"), Line::Opens { language, .. } if language == "rust"));
        assert_eq!(page.line("```"), Line::Code);
        assert_eq!(page.line("# no heading"), Line::Code);
        assert!(matches!(page.line(" ````` "), Line::Closes(_)));
        assert!(matches!(page.line("a <!-- b"), Line::Prose(_)));
        assert_eq!(page.line("# c"), Line::Prose(vec![(0..3, Comment)]));
        assert_eq!(page.line("d --> `e`"), Line::Prose(vec![(0..5, Comment), (6..9, Code)]));
        assert_eq!(page, Page::Prose);
        assert!(matches!(page.line("```a`b```"), Line::Prose(_)));
    }

    proptest! {
        #[test]
        fn spans_ascend_and_cut_at_characters(parts in prop::collection::vec(prop::sample::select(vec![
            "`", "``", "*", "**", "_", "[", "]", "(", ")", "<", ">", "<!--", "-->", "\\", "漢", "h", "https://x", " ", "a", "# ", "- ", "!", "|",
        ]), 0..30)) {
            let line = parts.concat();
            if let Line::Prose(spans) = Page::default().line(&line) {
                let mut end = 0;
                for (range, _) in spans {
                    prop_assert!(range.start >= end && range.end > range.start);
                    prop_assert!(line.get(range.start as usize..range.end as usize).is_some());
                    end = range.end;
                }
            }
        }
    }
}
