//! The one gate from untrusted text to something that may reach a terminal: what would steer it, hide or reorder text
//! becomes a visible marker. `^[` stands for the control character ESC, `<U+202E>` for any other such character.
//! Must not know: where the text came from or where it goes.
//!
//! What passes untouched: letters and signs of every script (right-to-left ones too), wide text, emoji sequences, and
//! up to [`MAX_MARKS`] combining marks on one letter. Gating twice changes nothing.

use super::{start, width};
use std::borrow::Cow;
use std::fmt::Write;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthChar;

/// Tabs end at multiples of this many display columns.
pub const TAB: usize = 4;

/// Combining marks that one letter may carry; what exceeds them is counted, not shown.
pub const MAX_MARKS: usize = 8;

/// Joiners in one emoji. The longest in use has three.
const MAX_JOINERS: usize = 6;

/// More bytes than any honest text spends on one column: a letter with all its marks, or half an emoji sequence.
const BYTES_PER_COLUMN: usize = 40;

/// One display line. A line end in it is a stranger's doing and is shown as `^M` or `^J`.
pub fn line(text: &str) -> Cow<'_, str> {
    from_column(text, 0)
}

/// The lines of a text, split at LF and CRLF, each gated.
pub fn multi(text: &str) -> impl Iterator<Item = Cow<'_, str>> {
    text.lines().map(line)
}

/// At most `cols` columns of a display line, with `…` in the last one if the line goes on. Costs by `cols`, not by the
/// length of the line.
pub fn line_capped(text: &str, cols: usize) -> Cow<'_, str> {
    let near = start(text, cols.saturating_add(1).saturating_mul(BYTES_PER_COLUMN));
    let whole = near.len() == text.len();
    match line(near) {
        Cow::Borrowed(seen) if whole => width::clip(seen, cols),
        Cow::Owned(seen) if whole => Cow::Owned(width::clip(&seen, cols).into_owned()),
        // Marks without end may fill the bytes and few columns: the line goes on, so it must say so.
        seen => Cow::Owned(width::clip(&format!("{seen}…"), cols).into_owned()),
    }
}

/// A display line that is gated piece by piece (say, one highlighted span after another), so that tab stops count from
/// the line's start.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pieces {
    column: usize,
}

impl Pieces {
    /// Pieces of a line that begins at display column `column`.
    pub fn at(column: usize) -> Pieces {
        Pieces { column }
    }

    /// The next piece.
    pub fn next<'a>(&mut self, piece: &'a str) -> Cow<'a, str> {
        let shown = from_column(piece, self.column);
        self.column += width::of(&shown);
        shown
    }

    /// Display columns so far.
    pub fn column(&self) -> usize {
        self.column
    }
}

fn from_column(text: &str, column: usize) -> Cow<'_, str> {
    if is_clean(text) {
        return Cow::Borrowed(text);
    }
    let shown = rewrite(text, column);
    // Marks and emoji take the slow way, and mostly come out as they went in.
    if shown == text { Cow::Borrowed(text) } else { Cow::Owned(shown) }
}

/// Whether nothing in the text needs a second look. Runs over every visible line of every frame.
fn is_clean(text: &str) -> bool {
    let plain = |byte: u8| matches!(byte, b' '..=b'~');
    text.bytes().all(plain) || text.chars().all(|c| matches!(Kind::of(c), Kind::Plain))
}

/// What a character may do to a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Takes its own columns and nothing else.
    Plain,
    Tab,
    /// C0 and DEL: shown with a caret.
    Control,
    /// Steers, reorders or cannot be seen: shown by its number.
    Hidden,
    /// ZWJ: belongs between two pictures, and nowhere else.
    Joiner,
    /// Picks a variant of the character before it, and cannot be seen itself.
    Selector,
    /// Sits on the character before it.
    Mark,
}

impl Kind {
    fn of(c: char) -> Kind {
        match c {
            ' '..='~' => Kind::Plain,
            '\t' => Kind::Tab,
            '\0'..='\u{1F}' | '\u{7F}' => Kind::Control,
            '\u{80}'..='\u{9F}' | '\u{AD}' => Kind::Hidden,
            '\u{A0}'..='\u{2FF}' => Kind::Plain,
            // Fillers, joiners of letters, and controls of single scripts.
            '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180E}' => Kind::Hidden,
            '\u{200D}' => Kind::Joiner,
            // Zero width, directions, separators, invisible operators.
            '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' => Kind::Hidden,
            '\u{3164}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}' | '\u{FDD0}'..='\u{FDEF}' => Kind::Hidden,
            '\u{13430}'..='\u{1343F}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' => Kind::Hidden,
            '\u{180B}'..='\u{180D}' | '\u{180F}' | '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}' => Kind::Selector,
            // Tags: whole sentences can be written in them.
            '\u{E0000}'..='\u{E0FFF}' => Kind::Hidden,
            _ if u32::from(c) & 0xFFFE == 0xFFFE => Kind::Hidden,
            _ if c.width() == Some(0) && !width::is_sound_mark(c) => Kind::Mark,
            _ => Kind::Plain,
        }
    }
}

fn rewrite(text: &str, column: usize) -> String {
    let mut line = Rewriter { out: String::with_capacity(text.len() + 16), column, ..Rewriter::default() };
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        line.push(c, chars.peek().copied());
    }
    line.end_marks();
    line.out
}

/// State of the slow way: what stands before the next character.
#[derive(Default)]
struct Rewriter {
    out: String,
    /// Display columns of `out[..measured]`, counted only when a tab asks.
    column: usize,
    measured: usize,
    before: Option<char>,
    /// Whether what stands before is a picture with nothing but its own modifiers.
    picture: bool,
    joiners: usize,
    marks: usize,
}

impl Rewriter {
    /// Takes one character; `after` is the one that follows it.
    fn push(&mut self, c: char, after: Option<char>) {
        let kind = Kind::of(c);
        if kind == Kind::Mark {
            return self.mark(c);
        }
        self.end_marks();
        match kind {
            Kind::Plain | Kind::Mark => {
                let modifier = matches!(c, '\u{1F3FB}'..='\u{1F3FF}') && self.picture;
                let joined = self.before == Some('\u{200D}');
                if !modifier && !joined {
                    self.joiners = 0;
                }
                self.picture = modifier || (!c.is_ascii() && is_picture(c));
                self.keep(c);
            }
            Kind::Selector if self.may_select(c, after) => {
                self.picture &= matches!(c, '\u{FE0E}' | '\u{FE0F}');
                self.keep(c);
            }
            Kind::Joiner if self.picture && self.joiners < MAX_JOINERS && after.is_some_and(is_picture) => {
                self.joiners += 1;
                self.keep(c);
            }
            Kind::Tab => {
                self.column += width::of(self.out.get(self.measured..).unwrap_or_default());
                let stop = TAB - self.column % TAB;
                self.column += stop;
                self.out.extend(std::iter::repeat_n(' ', stop));
                self.measured = self.out.len();
                self.marker_ends(' ');
            }
            Kind::Control => {
                let caret = char::from_u32(u32::from(c) ^ 0x40).unwrap_or('?');
                self.out.push('^');
                self.out.push(caret);
                self.marker_ends(caret);
            }
            Kind::Hidden | Kind::Joiner | Kind::Selector => {
                _ = write!(self.out, "<U+{:04X}>", u32::from(c));
                self.marker_ends('>');
            }
        }
    }

    fn keep(&mut self, c: char) {
        self.out.push(c);
        self.before = Some(c);
    }

    fn marker_ends(&mut self, last: char) {
        self.before = Some(last);
        self.picture = false;
        self.joiners = 0;
    }

    fn mark(&mut self, c: char) {
        if self.before.is_none() {
            // Else it would sit on what another hand wrote before it: a border, a line number.
            self.keep('\u{25CC}');
        }
        self.marks += 1;
        self.picture = false;
        if self.marks <= MAX_MARKS {
            self.keep(c);
        }
    }

    fn end_marks(&mut self) {
        if self.marks > MAX_MARKS {
            _ = write!(self.out, "<+{} marks>", self.marks - MAX_MARKS);
            self.marker_ends('>');
        }
        self.marks = 0;
    }

    /// A selector changes what is seen only right behind a character that has variants.
    fn may_select(&self, selector: char, after: Option<char>) -> bool {
        let Some(before) = self.before else { return false };
        match selector {
            '\u{FE0E}' | '\u{FE0F}' if before.is_ascii() => {
                matches!(before, '0'..='9' | '#' | '*') && after == Some('\u{20E3}')
            }
            '\u{FE0E}' | '\u{FE0F}' => is_picture(before),
            _ => !before.is_ascii() && Kind::of(before) == Kind::Plain,
        }
    }
}

/// Whether a joiner may glue this character to another picture: asked of the segmentation tables, so that both agree.
fn is_picture(c: char) -> bool {
    let glued: String = [c, '\u{200D}', '\u{2695}'].iter().collect();
    glued.graphemes(true).count() == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use regex::Regex;

    const FAMILY: &str = "👩‍🔬";

    #[test]
    fn ordinary_text_is_borrowed() {
        for text in
            ["", "let x = 1;", "漢字 かな 한글", "שלום עולם", "مرحبا بالعالم", "e\u{301}", "♻️ 👩‍🔬 🇩🇪 1️⃣ 👍🏽", "ｶﾞ", "ไทย นี้"]
        {
            assert!(matches!(line(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }

    #[test]
    fn what_steers_or_hides_is_shown() {
        for (text, shown) in [
            ("\u{1b}]52;c;aGk=\u{7}", "^[]52;c;aGk=^G"),
            ("\u{1b}[2J", "^[[2J"),
            ("a\u{9b}2J", "a<U+009B>2J"),
            ("\0\u{7f}", "^@^?"),
            ("a\r\nb", "a^M^Jb"),
            ("x\u{202e}txt.exe\u{202c}", "x<U+202E>txt.exe<U+202C>"),
            ("a\u{200b}b\u{feff}", "a<U+200B>b<U+FEFF>"),
            ("a\u{200d}b", "a<U+200D>b"),
            ("می\u{200c}خواهم", "می<U+200C>خواهم"),
            ("a\u{2028}b\u{85}", "a<U+2028>b<U+0085>"),
            ("so\u{ad}ft", "so<U+00AD>ft"),
            ("a\u{fe0f}b", "a<U+FE0F>b"),
            ("1\u{fe0f}", "1<U+FE0F>"),
            ("😀\u{fe0f}\u{fe0f}", "😀\u{fe0f}<U+FE0F>"),
            ("x\u{e0041}", "x<U+E0041>"),
            ("\u{301}a", "\u{25cc}\u{301}a"),
        ] {
            assert_eq!(line(text), shown, "{text:?}");
        }
    }

    #[test]
    fn joiners_live_only_inside_emoji() {
        assert_eq!(line(FAMILY), FAMILY);
        assert_eq!(line("👩‍"), "👩<U+200D>");
        assert_eq!(line("👩\u{200d}x"), "👩<U+200D>x");
        let chain = "👩\u{200d}".repeat(9) + "👩";
        assert_eq!(line(&chain).matches('\u{200d}').count(), 8, "one joiner of nine becomes a marker");
        assert_eq!(line(&chain).matches("<U+200D>").count(), 1);
    }

    #[test]
    fn towers_of_marks_are_cut_and_counted() {
        let tower = format!("a{}b", "\u{301}".repeat(20));
        assert_eq!(line(&tower), format!("a{}<+12 marks>b", "\u{301}".repeat(8)));
    }

    #[test]
    fn tabs_stop_by_display_column() {
        for (text, shown) in [
            ("\tx", "    x"),
            ("a\tx", "a   x"),
            ("abc\tx", "abc x"),
            ("abcd\tx", "abcd    x"),
            ("漢\tx", "漢  x"),
            ("漢字\tx", "漢字    x"),
            ("e\u{301}\tx", "e\u{301}   x"),
            ("👩‍🔬\tx", "👩‍🔬  x"),
            ("a\t\tx", "a       x"),
            ("\u{1b}\tx", "^[  x"),
        ] {
            assert_eq!(line(text), shown, "{text:?}");
        }
        let mut pieces = Pieces::default();
        assert_eq!((pieces.next("ab").as_ref(), pieces.next("c\td").as_ref()), ("ab", "c d"));
        assert_eq!(pieces.column(), 5);
    }

    #[test]
    fn lines_are_split_at_both_line_ends() {
        let lines: Vec<_> = multi("a\r\nb\n\n\rc\n").collect();
        assert_eq!(lines, ["a", "b", "", "^Mc"]);
    }

    #[test]
    fn a_capped_line_says_that_it_goes_on() {
        assert_eq!(line_capped("abc", 3), "abc");
        assert_eq!(line_capped("abcd", 3), "ab…");
        assert_eq!(line_capped("a\u{1b}bc", 3), "a^…");
        assert_eq!(line_capped("漢字漢字", 4), "漢…");
        assert_eq!(line_capped("abc", 0), "");
        let marks = format!("a{}", "\u{301}".repeat(1_000_000));
        assert!(line_capped(&marks, 40).ends_with('…'));
        let huge = "x".repeat(5_000_000);
        assert_eq!(width::of(&line_capped(&huge, 80)), 80);
    }

    /// Our ranges against the regex crate's tables: everything of Unicode's that controls or is invisible by default.
    #[test]
    fn every_invisible_character_is_known() {
        let unseen = Regex::new(r"\A[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]\z").unwrap();
        // Signs that stand before numbers in Arabic and other scripts are of the format class, but seen.
        let seen = Regex::new(r"\A[\p{Prepended_Concatenation_Mark}]\z").ok();
        let is_seen = |text: &str| match &seen {
            Some(seen) => seen.is_match(text),
            None => matches!(
                text.chars().next(),
                Some(
                    '\u{600}'
                        ..='\u{605}' | '\u{6DD}' | '\u{70F}' | '\u{890}' | '\u{891}' | '\u{8E2}' | '\u{110BD}' | '\u{110CD}'
                )
            ),
        };
        for c in '\0'..=char::MAX {
            let text = c.to_string();
            if unseen.is_match(&text) && !is_seen(&text) {
                let kind = Kind::of(c);
                assert!(!matches!(kind, Kind::Plain | Kind::Mark), "U+{:04X} passes as {kind:?}", u32::from(c));
            }
        }
    }

    #[test]
    fn pictures_are_those_of_unicode() {
        let picture = Regex::new(r"\A\p{Extended_Pictographic}\z").unwrap();
        for text in ["♻", "👩", "©", "❤", "⚕", "a", "1", "漢", "\u{301}"] {
            assert_eq!(is_picture(text.chars().next().unwrap()), picture.is_match(text), "{text}");
        }
    }

    fn hostile() -> impl Strategy<Value = String> {
        let odd = prop::sample::select(vec![
            '\u{1b}',
            '\r',
            '\n',
            '\t',
            '\0',
            '\u{9b}',
            '\u{202e}',
            '\u{2066}',
            '\u{200b}',
            '\u{200d}',
            '\u{200c}',
            '\u{fe0f}',
            '\u{301}',
            '\u{20e3}',
            '1',
            '#',
            'a',
            ' ',
            '👩',
            '🔬',
            '❤',
            '🏽',
            '漢',
            'ﾞ',
            'ש',
            '\u{e0041}',
            '🇩',
            '\u{feff}',
            '\u{1160}',
            '\u{180b}',
            '\u{e0100}',
        ]);
        prop::collection::vec(prop_oneof![3 => odd, 1 => any::<char>()], 0..40).prop_map(|chars| chars.into_iter().collect())
    }

    proptest! {
        #[test]
        fn nothing_forbidden_comes_out(text in hostile()) {
            let forbidden = Regex::new(
                r"[\p{Cc}\u{202A}-\u{202E}\u{2066}-\u{2069}\u{200B}\u{200C}\u{200E}\u{200F}\u{061C}\u{2060}\u{FEFF}\p{Zl}\p{Zp}]",
            ).unwrap();
            let joined = Regex::new(r"\p{Extended_Pictographic}[\u{FE0E}\u{FE0F}\u{1F3FB}-\u{1F3FF}]*\u{200D}").unwrap();
            let shown = line(&text).into_owned();
            prop_assert!(!forbidden.is_match(&shown), "{shown:?}");
            prop_assert_eq!(joined.find_iter(&shown).count(), shown.matches('\u{200D}').count());
        }

        #[test]
        fn gating_twice_changes_nothing(text in hostile()) {
            let once = line(&text).into_owned();
            prop_assert_eq!(line(&once), once.as_str());
        }

        #[test]
        fn a_cap_is_kept(text in hostile(), cols in 0usize..30) {
            prop_assert!(width::of(&line_capped(&text, cols)) <= cols);
        }
    }
}
