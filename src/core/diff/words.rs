//! What changed inside a line: the words of a removed and an added line that differ. Made for one pair when it is shown.
//! Must not know: how pairs are found ([`super::rows::Block`]) or how words are drawn.

use similar::{ChangeTag, TextDiff};
use std::ops::Range;

/// Lines longer than this are not compared: it would take longer than a frame, and say little.
pub const LINE_LIMIT: usize = 1_000;

/// Byte ranges of the words that are only in the old and only in the new line, ascending and disjoint. Empty for equal
/// lines, for lines over [`LINE_LIMIT`], and for lines that share less than a quarter of their longer side: there the
/// whole line is the change.
pub fn emphasis(old: &str, new: &str) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    if old == new || old.len() > LINE_LIMIT || new.len() > LINE_LIMIT {
        return (Vec::new(), Vec::new());
    }
    let diff = TextDiff::from_unicode_words(old, new);
    let (mut gone, mut came) = (Vec::new(), Vec::new());
    let (mut old_at, mut new_at, mut shared) = (0, 0, 0);
    for change in diff.iter_all_changes() {
        let word: &str = change.value();
        match change.tag() {
            ChangeTag::Equal => {
                shared += word.trim().len();
                old_at += word.len();
                new_at += word.len();
            }
            ChangeTag::Delete => {
                push(&mut gone, old_at..old_at + word.len(), old);
                old_at += word.len();
            }
            ChangeTag::Insert => {
                push(&mut came, new_at..new_at + word.len(), new);
                new_at += word.len();
            }
        }
    }
    let ink = |text: &str| text.chars().filter(|c| !c.is_whitespace()).map(char::len_utf8).sum::<usize>();
    if shared * 4 < ink(old).max(ink(new)) {
        return (Vec::new(), Vec::new());
    }
    (gone, came)
}

/// Adds a range, joined with the one before when only spaces part them.
fn push(ranges: &mut Vec<Range<usize>>, range: Range<usize>, text: &str) {
    match ranges.last_mut() {
        Some(last) if text.get(last.end..range.start).is_some_and(|gap| gap.trim().is_empty()) => last.end = range.end,
        _ => ranges.push(range),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words<'a>(old: &'a str, new: &'a str) -> (Vec<&'a str>, Vec<&'a str>) {
        let (gone, came) = emphasis(old, new);
        (gone.into_iter().map(|r| &old[r]).collect(), came.into_iter().map(|r| &new[r]).collect())
    }

    #[test]
    fn differing_words_are_found() {
        for (old, new, gone, came) in [
            ("conc-end: 32, ep: 1", "conc-end: 64, ep: 1", vec!["32"], vec!["64"]),
            ("image: a:v0.5.14-cu130", "image: a:v0.5.15-cu130", vec!["a:v0.5.14"], vec!["a:v0.5.15"]),
            ("let x = 1;", "let x = 1; // one", vec![], vec![" // one"]),
            ("镜像 更新 了 abcdef", "镜像 更改 了 abcdef", vec!["新"], vec!["改"]),
            ("a b c d same", "e f g h same", vec!["a b c d"], vec!["e f g h"]),
            ("same", "same", vec![], vec![]),
            ("one two three four", "five six seven eight", vec![], vec![]),
            ("", "x", vec![], vec![]),
        ] {
            assert_eq!(words(old, new), (gone, came), "{old} → {new}");
        }
        let long = "x ".repeat(600);
        assert_eq!(words(&long, &(long.clone() + "y")), (vec![], vec![]));
    }

    proptest! {
        #[test]
        fn what_is_not_marked_is_the_same(old in "[ab漢 .é]{0,24}", new in "[ab漢 .é]{0,24}") {
            let (gone, came) = emphasis(&old, &new);
            let rest = |text: &str, ranges: &[Range<usize>]| {
                let mut out = String::new();
                let mut at = 0;
                for range in ranges {
                    out.push_str(&text[at..range.start]);
                    at = range.end;
                }
                (out + &text[at..]).replace(' ', "")
            };
            if !gone.is_empty() || !came.is_empty() {
                prop_assert_eq!(rest(&old, &gone), rest(&new, &came));
            }
        }
    }
}
