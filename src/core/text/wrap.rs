//! Word wrap by display columns: where the rows of a gated text begin and end.
//! Must not know: what is drawn before or after a row.

use super::width;
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// Byte ranges of the rows, at least one, without the spaces at which they were broken. A word longer than a row is
/// broken at a grapheme's edge; wide text breaks between any two characters, except before closing and after opening
/// punctuation. Only a single grapheme wider than `cols` makes a row wider than `cols`.
pub fn wrap(text: &str, cols: usize) -> Vec<Range<usize>> {
    let mut rows = Vec::new();
    let mut start = 0;
    let mut column = 0;
    // Where the row could end, and where the next would begin.
    let mut chance: Option<(usize, usize)> = None;
    let mut before = "";
    for (at, grapheme) in text.grapheme_indices(true) {
        let next = at + grapheme.len();
        if is_space(grapheme) {
            // Spaces hang over the edge: they are dropped if the row ends here.
            let end = match chance {
                Some((end, after)) if after == at && is_space(before) => end,
                _ => at,
            };
            chance = Some((end, next));
        } else {
            if at > start && !is_space(before) && may_part(before, grapheme) {
                chance = Some((at, at));
            }
            // Twice when the chance lies so far back that what follows it fills a row.
            while column + width::of_grapheme(grapheme) > cols && at > start {
                let (end, after) = chance.filter(|(end, _)| *end > start).unwrap_or((at, at));
                // Indentation wider than a row would be a row of nothing.
                if !text.get(start..end).unwrap_or_default().trim_matches(' ').is_empty() {
                    rows.push(start..end);
                }
                start = after;
                column = width::of(text.get(start..at).unwrap_or_default());
                chance = None;
            }
        }
        column += width::of_grapheme(grapheme);
        before = grapheme;
    }
    let rest = text.get(start..).unwrap_or_default();
    let end = if column > cols { start + rest.trim_end_matches(' ').len() } else { text.len() };
    rows.push(start..end);
    rows
}

/// Byte ranges of rows filled to the edge, at least one: for code, where a break says nothing.
pub fn fill(text: &str, cols: usize) -> Vec<Range<usize>> {
    let mut rows = Vec::new();
    let (mut start, mut column) = (0, 0);
    for (at, grapheme) in text.grapheme_indices(true) {
        let wide = width::of_grapheme(grapheme);
        if column + wide > cols && at > start {
            rows.push(start..at);
            (start, column) = (at, 0);
        }
        column += wide;
    }
    rows.push(start..text.len());
    rows
}

fn is_space(grapheme: &str) -> bool {
    matches!(grapheme, " " | "\u{3000}")
}

/// Whether a row may end between two graphemes that no space parts.
fn may_part(before: &str, after: &str) -> bool {
    const OPENING: &str = "（「『【《〈［｛";
    const CLOSING: &str = "）」』】》〉］｝、。，．：；！？…ー々";
    let wide = |grapheme: &str| width::of_grapheme(grapheme) == 2;
    (wide(before) || wide(after)) && !OPENING.contains(before) && !CLOSING.contains(after) && !is_narrow_closing(after)
}

fn is_narrow_closing(grapheme: &str) -> bool {
    matches!(grapheme, ")" | "]" | "}" | "," | "." | ":" | ";" | "!" | "?" | "…")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rows(text: &str, cols: usize) -> Vec<&str> {
        wrap(text, cols).into_iter().map(|row| &text[row]).collect()
    }

    #[test]
    fn words_move_to_the_next_row() {
        for (text, cols, expected) in [
            ("", 5, vec![""]),
            ("one two three", 7, vec!["one two", "three"]),
            ("one  two", 4, vec!["one", "two"]),
            ("one two ", 7, vec!["one two"]),
            ("abcdefgh", 3, vec!["abc", "def", "gh"]),
            ("a abcdefgh", 4, vec!["a", "abcd", "efgh"]),
            ("  ab cd", 4, vec!["  ab", "cd"]),
            ("漢字漢字", 5, vec!["漢字", "漢字"]),
            ("漢字。漢", 4, vec!["漢", "字。", "漢"]),
            ("ab漢字", 4, vec!["ab漢", "字"]),
            ("x 👩‍🔬👩‍🔬", 4, vec!["x 👩‍🔬", "👩‍🔬"]),
            ("漢", 1, vec!["漢"]),
            ("ab", 0, vec!["a", "b"]),
        ] {
            assert_eq!(rows(text, cols), expected, "{text} in {cols}");
        }
        let code = "a bc漢d";
        assert_eq!(fill(code, 3).into_iter().map(|row| &code[row]).collect::<Vec<_>>(), ["a b", "c漢", "d"]);
    }

    proptest! {
        #[test]
        fn nothing_but_spaces_is_lost(text in "[ab 漢。👩e\u{301}]{0,40}", cols in 2usize..10) {
            let rows = rows(&text, cols);
            let joined: String = rows.concat();
            prop_assert_eq!(joined.replace(' ', ""), text.replace(' ', ""));
            for row in rows {
                prop_assert!(width::of(row) <= cols, "{:?}", row);
            }
        }
    }
}
