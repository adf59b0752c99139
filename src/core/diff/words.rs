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

/// What changed between two texts, in words: `9 → 12, abc gone`; at most three places, then how many more.
pub fn told(old: &str, new: &str) -> String {
    const MOST: usize = 3;
    let diff = TextDiff::from_unicode_words(old, new);
    let mut places: Vec<(String, String)> = Vec::new();
    let mut open = false;
    for change in diff.iter_all_changes() {
        let word: &str = change.value();
        // Space between two changed words parts no places.
        if change.tag() == ChangeTag::Equal && !(open && word.trim().is_empty()) {
            open = false;
            continue;
        }
        if !open {
            places.push((String::new(), String::new()));
            open = true;
        }
        let Some((gone, came)) = places.last_mut() else { continue };
        if change.tag() != ChangeTag::Insert {
            gone.push_str(word);
        }
        if change.tag() != ChangeTag::Delete {
            came.push_str(word);
        }
    }
    let count = places.len();
    let shown = places.iter().take(MOST).map(|(gone, came)| match (gone.trim(), came.trim()) {
        (gone, "") => format!("{gone} gone"),
        ("", came) => format!("{came} new"),
        (gone, came) => format!("{gone} → {came}"),
    });
    let mut out = shown.collect::<Vec<_>>().join(", ");
    if count > MOST {
        out.push_str(&format!(", and {} more places", count - MOST));
    }
    out
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

    #[test]
    fn changes_are_told_in_words() {
        for (old, new, said) in [
            ("9 jobs green", "12 jobs green", "9 → 12"),
            ("a b c", "a c", "b gone"),
            ("a c", "a b c", "b new"),
            ("1 x 2 x 3 x 4 x 5", "6 x 7 x 8 x 9 x 0", "1 → 6, 2 → 7, 3 → 8, and 2 more places"),
            ("one two", "three four", "one two → three four"),
            ("same", "same", ""),
        ] {
            assert_eq!(told(old, new), said, "{old} / {new}");
        }
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
