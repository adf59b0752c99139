//! Display columns of gated text, counted per grapheme as ratatui counts its cells.
//! Must not know: why a text is too long, or what is done about it.

use std::borrow::Cow;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Display columns of a text.
pub fn of(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.graphemes(true).map(of_grapheme).sum() }
}

/// Display columns of one grapheme: 0, 1 or 2, more only for conjuncts of some scripts.
pub fn of_grapheme(grapheme: &str) -> usize {
    if grapheme.len() == 1 {
        return 1;
    }
    grapheme.width() + grapheme.chars().filter(|c| is_sound_mark(*c)).count()
}

/// The half-width (semi-)voiced sound marks extend a grapheme, yet terminals give them a cell of their own.
pub(super) fn is_sound_mark(c: char) -> bool {
    matches!(c, '\u{FF9E}' | '\u{FF9F}')
}

/// At most `cols` columns, cut at a grapheme's edge; `…` in place of what was cut. Costs by `cols`.
pub fn clip(text: &str, cols: usize) -> Cow<'_, str> {
    let mut column = 0;
    // The longest start that leaves a column for the ellipsis.
    let mut keep = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        if column < cols {
            keep = at;
        }
        column += of_grapheme(grapheme);
        if column > cols {
            let kept = text.get(..keep).unwrap_or_default();
            return if cols == 0 { Cow::Borrowed("") } else { Cow::Owned(format!("{kept}…")) };
        }
    }
    Cow::Borrowed(text)
}

/// Exactly `cols` columns: clipped, or filled with spaces behind.
pub fn pad(text: &str, cols: usize) -> String {
    let clipped = clip(text, cols);
    let fill = cols.saturating_sub(of(&clipped));
    let mut out = clipped.into_owned();
    out.extend(std::iter::repeat_n(' ', fill));
    out
}

/// Exactly `cols` columns: clipped, or filled with spaces in front, for numbers.
pub fn pad_start(text: &str, cols: usize) -> String {
    let clipped = clip(text, cols);
    let fill = cols.saturating_sub(of(&clipped));
    " ".repeat(fill) + &clipped
}

/// The window of `cols` columns that begins at column `from`, for horizontal scrolling. A wide grapheme that an edge
/// cuts becomes spaces, so that columns stay where they are. Shorter than `cols` when the text ends.
pub fn slice(text: &str, from: usize, cols: usize) -> Cow<'_, str> {
    let until = from.saturating_add(cols);
    if text.is_ascii() {
        let end = until.min(text.len());
        return Cow::Borrowed(text.get(from.min(end)..end).unwrap_or_default());
    }
    let (mut column, mut start, mut end) = (0, None, 0);
    let (mut lead, mut trail) = (0, 0);
    for (at, grapheme) in text.grapheme_indices(true) {
        if column >= until {
            break;
        }
        let next = column + of_grapheme(grapheme);
        if next > until {
            trail = until - column.max(from);
            break;
        }
        if column >= from {
            start.get_or_insert(at);
            end = at + grapheme.len();
        } else if next > from {
            lead = next - from;
        }
        column = next;
    }
    let seen = start.and_then(|start| text.get(start..end)).unwrap_or_default();
    if lead == 0 && trail == 0 {
        return Cow::Borrowed(seen);
    }
    Cow::Owned(format!("{}{seen}{}", " ".repeat(lead), " ".repeat(trail)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn columns_are_those_of_the_terminal() {
        for (text, cols) in [
            ("", 0),
            ("abc", 3),
            ("漢字", 4),
            ("│", 1),
            ("👩‍🔬", 2),
            ("♻️", 2),
            ("♻", 1),
            ("e\u{301}", 1),
            ("ｶﾞ", 2),
            ("🇩🇪", 2),
            ("שלום", 4),
            ("한", 2),
            ("ｱ", 1),
        ] {
            assert_eq!(of(text), cols, "{text}");
        }
    }

    #[test]
    fn clipping_keeps_graphemes_whole() {
        for (text, cols, clipped) in [
            ("abc", 3, "abc"),
            ("abcd", 3, "ab…"),
            ("漢字", 4, "漢字"),
            ("漢字", 3, "漢…"),
            ("漢字", 2, "…"),
            ("漢", 1, "…"),
            ("a👩‍🔬b", 3, "a…"),
            ("a👩‍🔬b", 4, "a👩‍🔬b"),
            ("abc", 0, ""),
            ("", 0, ""),
            ("e\u{301}e\u{301}", 1, "…"),
        ] {
            assert_eq!(clip(text, cols), clipped, "{text} to {cols}");
        }
        assert_eq!((pad("漢", 4), pad("abcd", 3), pad_start("7", 3)), ("漢  ".into(), "ab…".into(), "  7".into()));
    }

    #[test]
    fn a_window_cuts_wide_text_into_spaces() {
        for (text, from, cols, seen) in [
            ("abcdef", 2, 3, "cde"),
            ("abc", 5, 3, ""),
            ("漢字漢", 1, 4, " 字 "),
            ("漢字漢", 2, 2, "字"),
            ("漢", 1, 1, " "),
            ("👩‍🔬x", 1, 2, " x"),
            ("漢字", 1, 1, " "),
            ("ae\u{301}漢", 1, 3, "e\u{301}漢"),
        ] {
            assert_eq!(slice(text, from, cols), seen, "{text} {from}+{cols}");
        }
    }

    proptest! {
        #[test]
        fn widths_are_kept(text in "[a漢👩é\u{301}ﾞ ]{0,20}", from in 0usize..12, cols in 0usize..12) {
            prop_assert!(of(&clip(&text, cols)) <= cols);
            prop_assert_eq!(of(&pad(&text, cols)), cols);
            let rest = of(&text).saturating_sub(from).min(cols);
            prop_assert_eq!(of(&slice(&text, from, cols)), rest);
        }
    }
}
