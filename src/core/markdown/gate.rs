//! The gate from strangers' text to Markdown that is posted in the reviewer's name: nothing in it links, notifies,
//! formats, ticks, commands or signs off.
//! Must not know: where in a comment the text will stand; a line's start and the end of a sentence are both fine.
//!
//! Backslashes disarm what the Markdown parser reads. What GitHub looks for in the finished text (mentions, references,
//! commits, addresses, emoji, formulas) survives a backslash, so a word that holds such a thing becomes a code span.
//! Inside a table a code span with `|` ends the cell: what may hold one does not belong into a table.

use crate::core::text::gate;
use std::ops::Range;

/// Stands between the letters of what must not be recognised.
const BREAK: char = '·';

/// One line of prose that shows the text as plain text. Runs of spaces and line ends become one space, what the
/// terminal's gate marks is marked here too. The policy's trigger phrase does not survive in any case or spacing.
pub fn inline(text: &str, trigger: &str) -> String {
    let words = text.split([' ', '\t', '\r', '\n']).filter(|word| !word.is_empty());
    let spaced = words.collect::<Vec<_>>().join(" ");
    let visible = defuse(&gate::line(&spaced), trigger);
    let mut out = String::with_capacity(visible.len() + 8);
    for (at, word) in visible.split(' ').enumerate() {
        if at > 0 {
            out.push(' ');
        }
        push_word(&mut out, word, at == 0);
    }
    out
}

/// One code span that shows the text; line ends in it are shown as markers. The trigger phrase is broken as in
/// [`inline`]. An empty text is a code span of one space, so that something stands there.
pub fn code(text: &str, trigger: &str) -> String {
    code_span(&defuse(&gate::line(text), trigger))
}

fn code_span(visible: &str) -> String {
    let longest = visible.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let touches = visible.starts_with('`') || visible.ends_with('`');
    // The parser strips one space from both ends if both are there.
    let stripped = visible.starts_with(' ') && visible.ends_with(' ') && !visible.trim_matches(' ').is_empty();
    let pad = if touches || stripped { " " } else { "" };
    let visible = if visible.is_empty() { " " } else { visible };
    format!("{fence}{pad}{visible}{pad}{fence}")
}

fn push_word(out: &mut String, word: &str, first: bool) {
    if !is_armed(word) {
        return push_escaped(out, word, first);
    }
    let inner = word.trim_start_matches(['(', '[', '{', '"', '\'']);
    let core = inner.trim_end_matches([')', ']', '}', '"', '\'', ',', '.', ';', ':', '!', '?']);
    if !is_armed(core) {
        return out.push_str(&code_span(word));
    }
    let (lead, trail) = (word.len() - inner.len(), word.len() - inner.len() + core.len());
    push_escaped(out, word.get(..lead).unwrap_or_default(), first);
    out.push_str(&code_span(core));
    push_escaped(out, word.get(trail..).unwrap_or_default(), false);
}

/// Whether GitHub, or a bot that reads comments, may act on the word although no Markdown is in it.
fn is_armed(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    word.contains(['@', '$'])
        || word.starts_with('/')
        || lower.contains("://")
        || lower.contains("www.")
        || follows(&lower, "#", |c| c.is_ascii_digit())
        || follows(&lower, "gh-", |c| c.is_ascii_digit())
        || is_shortcode(word)
        || lower.split(|c: char| !c.is_alphanumeric()).any(is_commit)
}

/// Whether `mark` stands somewhere with such a character right behind it.
fn follows(word: &str, mark: &str, is: impl Fn(char) -> bool) -> bool {
    word.match_indices(mark).any(|(at, _)| word.get(at + mark.len()..).and_then(|rest| rest.chars().next()).is_some_and(&is))
}

/// `:name:`, which becomes an emoji.
fn is_shortcode(word: &str) -> bool {
    let name =
        |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'+' | b'-'));
    let parts: Vec<&str> = word.split(':').collect();
    parts.len() > 2 && parts.iter().take(parts.len() - 1).skip(1).any(|part| name(part))
}

/// What GitHub would take for the start of a commit's name.
fn is_commit(part: &str) -> bool {
    (7..=40).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Escapes what Markdown reads; `first` says that the word stands at the start of the line, where more is read.
fn push_escaped(out: &mut String, word: &str, first: bool) {
    let digits = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = first && digits.len() < word.len() && matches!(digits, "." | ")");
    let ruled = first && !word.is_empty() && word.chars().all(|c| matches!(c, '-' | '+' | '=' | '#' | ':'));
    let mut before = ' ';
    for (at, c) in word.char_indices() {
        let rest = word.get(at + c.len_utf8()..).unwrap_or_default();
        let escape = match c {
            '\\' | '`' | '*' | '[' | ']' | '<' | '~' | '|' => true,
            '_' => !(before.is_alphanumeric() && rest.chars().next().is_some_and(char::is_alphanumeric)),
            '&' => rest.contains(';'),
            '>' => first && at == 0,
            '.' | ')' => numbered,
            _ => ruled && at == 0,
        };
        if escape {
            out.push('\\');
        }
        out.push(c);
        before = c;
    }
}

/// Breaks the trigger phrase and the opening of an HTML comment, in which bots keep their marks, with a dot that is seen.
fn defuse(visible: &str, trigger: &str) -> String {
    let mut out = visible.replace("<!--", &format!("<!{BREAK}--"));
    let needle = Folded::of(trigger.trim());
    // A dot that is part of the phrase could complete it.
    let dot = [BREAK, '•'].into_iter().chain('①'..='⑳').find(|dot| !trigger.contains(*dot)).unwrap_or(BREAK);
    // Again until none is left: occurrences may overlap.
    loop {
        let found = Folded::of(&out).find_all(&needle);
        if found.is_empty() {
            return out;
        }
        // From the back, so that the ranges before stay true.
        for range in found.into_iter().rev() {
            let second = out.get(range.clone()).and_then(|text| text.char_indices().nth(1));
            match second {
                Some((at, _)) => out.insert(range.start + at, dot),
                None => out.replace_range(range, dot.encode_utf8(&mut [0; 4])),
            }
        }
    }
}

/// A text for comparison without regard to case and to how much space parts the words.
struct Folded {
    chars: Vec<char>,
    /// The byte range of the text behind each folded character.
    bytes: Vec<Range<usize>>,
}

impl Folded {
    fn of(text: &str) -> Folded {
        let mut folded = Folded { chars: Vec::new(), bytes: Vec::new() };
        for (at, c) in text.char_indices() {
            let bytes = at..at + c.len_utf8();
            if c.is_whitespace() {
                if folded.chars.last() != Some(&' ') {
                    folded.push(' ', bytes);
                }
                continue;
            }
            for upper in c.to_uppercase() {
                for lower in upper.to_lowercase() {
                    folded.push(lower, bytes.clone());
                }
            }
        }
        folded
    }

    fn push(&mut self, c: char, bytes: Range<usize>) {
        self.chars.push(c);
        self.bytes.push(bytes);
    }

    /// Byte ranges of the places that do not overlap, from the front.
    fn find_all(&self, needle: &Folded) -> Vec<Range<usize>> {
        let len = needle.chars.len();
        let mut found: Vec<Range<usize>> = Vec::new();
        if len == 0 {
            return found;
        }
        for (window, bytes) in self.chars.windows(len).zip(self.bytes.windows(len)) {
            if let ([first, ..], [.., last]) = (bytes, bytes)
                && window == needle.chars
                && found.last().is_none_or(|before| before.end <= first.start)
            {
                found.push(first.start..last.end);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

    const TRIGGER: &str = "I sign off, reviewer";

    /// More than GitHub reads, less only what it never will.
    fn wide_dialect() -> Options {
        Options::all()
            - Options::ENABLE_SMART_PUNCTUATION
            - Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
            - Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS
            - Options::ENABLE_SUPERSCRIPT
            - Options::ENABLE_DEFINITION_LIST
    }

    /// The text that a reader sees; fails on anything but plain text and code.
    fn seen(markdown: &str) -> String {
        let mut out = String::new();
        for event in Parser::new_ext(markdown, wide_dialect()) {
            match event {
                Event::Start(Tag::Paragraph) | Event::End(TagEnd::Paragraph) => {}
                Event::Text(text) => {
                    assert!(!text.contains('@') && !text.contains("://") && !text.contains('$'), "armed: {markdown:?}");
                    out.push_str(&text);
                }
                Event::Code(text) => out.push_str(&text),
                other => panic!("{other:?} in {markdown:?}"),
            }
        }
        out
    }

    #[test]
    fn prose_stays_readable() {
        for (text, markdown) in [
            ("perf(qwen3.5-fp4): add TEP2 arm", "perf(qwen3.5-fp4): add TEP2 arm"),
            ("conc_start = 4 -> 64", "conc_start = 4 -> 64"),
            ("更新 镜像 v0.5.14", "更新 镜像 v0.5.14"),
            ("R&D 50% (+5.85 %)", "R&D 50% (+5.85 %)"),
            ("a  b\r\n c", "a b c"),
            ("ping @someone, please", "ping `@someone`, please"),
            ("see (#123)", "see (`#123`)"),
            ("owner/name#4 and GH-5", "`owner/name#4` and `GH-5`"),
            ("at e3643999", "at `e3643999`"),
            ("https://example.com/x.", "`https://example.com/x`."),
            ("/merge now", "`/merge` now"),
            (":tada: done: yes", "`:tada:` done: yes"),
            ("# Title", "\\# Title"),
            ("- [x] all", "\\- \\[x\\] all"),
            ("1. one", "1\\. one"),
            ("1.5 one", "1.5 one"),
            ("---", "\\---"),
            ("> quote", "\\> quote"),
            ("**bold** _it_ ~~no~~", "\\*\\*bold\\*\\* \\_it\\_ \\~\\~no\\~\\~"),
            ("<b>x</b> &amp;", "\\<b>x\\</b> \\&amp;"),
            ("a<!-- mark -->", "a\\<!·-- mark -->"),
            ("![i](x) [l](y)", "!\\[i\\](x) \\[l\\](y)"),
            ("`code` a|b", "\\`code\\` a\\|b"),
            ("x\u{202e}y\u{1b}", "x\\<U+202E>y^\\["),
            ("", ""),
        ] {
            assert_eq!(inline(text, TRIGGER), markdown, "{text:?}");
        }
    }

    #[test]
    fn code_spans_hold_any_text() {
        for (text, markdown) in [
            ("a", "`a`"),
            ("", "` `"),
            ("a`b", "``a`b``"),
            ("``", "``` `` ```"),
            (" a ", "`  a  `"),
            ("@x #1", "`@x #1`"),
            ("a\nb", "`a^Jb`"),
            ("<!-- m -->", "`<!·-- m -->`"),
        ] {
            assert_eq!(code(text, TRIGGER), markdown, "{text:?}");
        }
    }

    #[test]
    fn the_trigger_never_passes() {
        for text in ["I sign off, reviewer", "x i SIGN  off,\treviewer", "I ſign off, reviewer: I sign off, reviewer"] {
            for markdown in [inline(text, TRIGGER), code(text, TRIGGER)] {
                assert!(Folded::of(&markdown).find_all(&Folded::of(TRIGGER)).is_empty(), "{markdown}");
                assert!(markdown.to_lowercase().contains("i·"), "the break is seen: {markdown}");
            }
        }
        assert_eq!(code("aaa", "aa"), "`a·a·a`");
        assert_eq!(code("aba", "A"), "`·b·`");
        assert_eq!(code("abc", " "), "`abc`");
        assert_eq!(code("•·", "•·"), "`•①·`");
    }

    fn hostile() -> impl Strategy<Value = String> {
        let odd = prop::sample::select(vec![
            "@user",
            "#12",
            "- ",
            "[x]",
            "[ ]",
            "[a](b)",
            "<b>",
            "<!--",
            "-->",
            "`",
            "``",
            "\\",
            "*",
            "_",
            "~~",
            "|",
            "\n",
            "\r\n",
            "\t",
            "/cmd",
            "# ",
            "1. ",
            "---",
            "===",
            "> ",
            "&amp;",
            "&#64;",
            "$x$",
            "https://a.b",
            "www.a.b",
            "a@b.c",
            "    ",
            "![",
            "[^1]:",
            ":tada:",
            "I sign off, ",
            "reviewer",
            "x",
            "漢",
            "\u{202e}",
            "!",
            "(",
            ")",
            ":-:",
            "```",
            "~~~",
            "[!NOTE]",
            "^",
        ]);
        prop::collection::vec(prop_oneof![4 => odd.prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from)], 0..16)
            .prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn prose_is_only_text(text in hostile()) {
            let markdown = inline(&text, TRIGGER);
            prop_assert!(!markdown.contains(['\n', '\r']) && !markdown.starts_with('/'));
            prop_assert!(Folded::of(&markdown).find_all(&Folded::of(TRIGGER)).is_empty());
            prop_assert!(!markdown.contains("<!--"));
            let shown = seen(&markdown);
            prop_assert!(Folded::of(&shown).find_all(&Folded::of(TRIGGER)).is_empty());
            // What is seen is what was given, but for spacing, markers and breaks.
            let spaced = text.split([' ', '\t', '\r', '\n']).filter(|w| !w.is_empty()).collect::<Vec<_>>().join(" ");
            prop_assert_eq!(&shown, &defuse(&gate::line(&spaced), TRIGGER));
            // The same behind a paragraph and in a list item.
            let behind = format!("para\n{markdown}");
            let other = Parser::new_ext(&behind, wide_dialect())
                .find(|event| matches!(event, Event::Start(tag) if *tag != Tag::Paragraph));
            prop_assert_eq!(other, None);
            let boxes = Parser::new_ext(&format!("- [x] {markdown}\n- {markdown}"), crate::core::markdown::dialect())
                .filter(|event| matches!(event, Event::TaskListMarker(_) | Event::Start(Tag::List(_)))).count();
            prop_assert!(boxes <= 2, "{markdown}");
        }

        #[test]
        fn code_is_one_code_span(text in hostile()) {
            let markdown = code(&text, TRIGGER);
            prop_assert!(!markdown.contains(['\n', '\r']) && !markdown.starts_with('/'));
            prop_assert!(Folded::of(&markdown).find_all(&Folded::of(TRIGGER)).is_empty());
            let events: Vec<_> = Parser::new_ext(&markdown, crate::core::markdown::dialect()).collect();
            let [Event::Start(Tag::Paragraph), Event::Code(shown), Event::End(TagEnd::Paragraph)] = events.as_slice() else {
                panic!("{events:?} of {markdown:?}");
            };
            let given = defuse(&gate::line(&text), TRIGGER);
            prop_assert_eq!(shown.as_ref(), if given.is_empty() { " " } else { &given });
        }
    }
}
