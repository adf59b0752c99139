//! A search over a log whose bytes come in pieces: in which lines the words stand.
//! Must not know: where the bytes come from.

use super::index::MOST_LINES;
use super::line::{bare, begun};
use regex::bytes::{Regex, RegexBuilder};
use std::borrow::Cow;
use std::ops::Range;

/// Lines that are counted at most.
const MOST_FOUND: usize = 1_000_000;
/// A longer line is searched in pieces of this many bytes, which overlap by the length of what is searched for.
const PIECE: usize = 1 << 20;

/// What is searched for: plain words. As vim's smartcase, a capital letter in them makes case count.
#[derive(Debug, Clone)]
pub struct Needle {
    words: String,
    finds: Regex,
}

impl PartialEq for Needle {
    fn eq(&self, other: &Needle) -> bool {
        self.words == other.words
    }
}

impl Needle {
    /// `None` for nothing, or far too much.
    pub fn new(words: &str) -> Option<Needle> {
        let exact = words.chars().any(char::is_uppercase);
        let finds = RegexBuilder::new(&regex::escape(words)).case_insensitive(!exact).build().ok()?;
        (!words.is_empty()).then(|| Needle { words: words.to_owned(), finds })
    }

    pub fn words(&self) -> &str {
        &self.words
    }

    /// Where the words stand in a text.
    pub fn hits<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
        self.finds.find_iter(text.as_bytes()).map(|found| found.range())
    }

    /// Bytes that an occurrence may take: letters of one case may be longer in the other.
    fn reach(&self) -> usize {
        self.words.len() * 3
    }
}

/// What a search brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub words: String,
    /// Lines that hold the words, from the first on.
    pub lines: Vec<usize>,
    /// There are more than are counted.
    pub more: bool,
}

/// A search under way.
#[derive(Debug)]
pub struct Search {
    needle: Needle,
    found: Found,
    line: usize,
    /// What is kept of the line that is not at its end.
    kept: Vec<u8>,
    /// The line's beginning was judged already.
    within: bool,
}

impl Search {
    pub fn new(needle: Needle) -> Search {
        let found = Found { words: needle.words.clone(), lines: Vec::new(), more: false };
        Search { needle, found, line: 0, kept: Vec::new(), within: false }
    }

    /// Takes the next bytes; what is kept of them is bounded.
    pub fn push(&mut self, bytes: &[u8]) {
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let ended = line.ends_with(b"\n");
            if ended && self.kept.is_empty() {
                self.judge(line);
            } else {
                self.kept.extend(line);
                if ended || self.kept.len() >= PIECE {
                    let mut kept = std::mem::take(&mut self.kept);
                    // A sequence that is not whole waits for the rest of it.
                    let rest = kept.split_off(kept.len() - begun(&kept));
                    let shown = self.judge(&kept);
                    self.within = true;
                    self.kept = shown.get(shown.len().saturating_sub(self.needle.reach())..).unwrap_or_default().to_vec();
                    self.kept.extend(rest);
                }
            }
            if ended {
                self.kept.clear();
                self.within = false;
                // As the index counts them.
                self.line = (self.line + 1).min(MOST_LINES - 1);
            }
        }
    }

    /// The log ends here.
    pub fn finish(mut self) -> Found {
        let kept = std::mem::take(&mut self.kept);
        self.judge(&kept);
        self.found
    }

    /// Looks into a line, or a piece of one, as it stands on screen, and gives that back.
    fn judge<'t>(&mut self, text: &'t [u8]) -> Cow<'t, [u8]> {
        let shown = bare(text, !self.within);
        if self.found.lines.last() != Some(&self.line) && self.needle.finds.is_match(&shown) {
            match self.found.lines.len() < MOST_FOUND {
                true => self.found.lines.push(self.line),
                false => self.found.more = true,
            }
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn search(words: &str, text: &[u8], size: usize) -> Vec<usize> {
        let mut search = Search::new(Needle::new(words).unwrap());
        text.chunks(size).for_each(|chunk| search.push(chunk));
        search.finish().lines
    }

    #[test]
    fn words_are_found_in_their_lines() {
        let text = "Error one\nno\nan error, an ERROR\n\u{c4}rger.*\nerror".as_bytes();
        for size in [1, 3, 1000] {
            assert_eq!(search("error", text, size), [0, 2, 4]);
            assert_eq!(search("Error", text, size), [0]);
            assert_eq!(search("\u{e4}rger", text, size), [3]);
            assert_eq!(search(".*", text, size), [3], "the words are plain");
            assert_eq!(search("one\nno", text, size), [0; 0]);
        }
        assert_eq!(Needle::new(""), None);
        assert_eq!(Vec::from_iter(Needle::new("er").unwrap().hits("Error er")), [0..2, 6..8]);
    }

    #[test]
    fn a_line_of_megabytes_is_searched_whole_and_not_kept() {
        let mut search = Search::new(Needle::new("needle").unwrap());
        let mut most = 0;
        for piece in [&[b'x'; 700_000][..], &[b'x'; 348_573], b"nee", b"dle", &[b'x'; 900_000], b"\nneedle"] {
            search.push(piece);
            most = most.max(search.kept.len());
        }
        assert!(most < 2 * PIECE, "{most}");
        assert_eq!(search.finish().lines, [0, 1]);
    }

    #[test]
    fn what_is_searched_is_what_stands_on_screen() {
        let text = b"2026-08-11T10:11:12Z ##[group]Run x\n\x1b[31mFAILED\x1b[0m tests/x\n##[error]no room\n\
            a\x1b[1;9\nb\x1b[2Jc\n##[endgroup]\n";
        let table: [(&str, &[usize]); 9] = [
            ("FAILED tests", &[1]),
            ("group", &[]),
            ("2026", &[]),
            ("Error: no", &[2]),
            ("##[", &[]),
            ("31m", &[]),
            ("[1;9", &[3]),
            ("[2J", &[4]),
            ("run x", &[0]),
        ];
        for (words, lines) in table {
            for size in [1, 7, 1000] {
                assert_eq!(search(words, text, size), lines, "{words} by {size}");
            }
        }
        // A colour that is cut where a long line is.
        let long = [&vec![b'x'; PIECE - 5][..], b"nee\x1b[31mdle\x1b[0m!\n"].concat();
        for size in [1, PIECE - 1, PIECE, PIECE + 1] {
            assert_eq!(search("needle!", &long, size), [0]);
            assert_eq!(search("31", &long, size), [0; 0]);
        }
    }

    proptest! {
        #[test]
        fn a_line_is_found_by_what_is_drawn_of_it(line in "(2026-08-11T10:11:12Z )?(##\\[(error|group|debug)\\])?([ab]|\u{1b}\\[3?m|\u{1b}){0,12}", words in "[abm\\[]{1,3}") {
            let drawn = super::super::line::parse_line(line.as_bytes(), false).plain();
            prop_assert_eq!(!search(&words, line.as_bytes(), 3).is_empty(), Needle::new(&words).unwrap().hits(&drawn).next().is_some());
        }

        #[test]
        fn how_the_bytes_come_makes_no_difference(text in "[ab\n]{0,80}", words in "[ab]{1,3}", size in 1usize..20) {
            let expected: Vec<usize> = text.split('\n').enumerate().filter(|(_, line)| line.contains(&words)).map(|(at, _)| at).collect();
            prop_assert_eq!(search(&words, text.as_bytes(), size), expected);
        }
    }
}
