//! One line of a log: when it was written, what it is marked as, its text, and the colours in it.
//! Must not know: other lines, or what a colour looks like. The text is strangers': the gate comes after this.

use std::borrow::Cow;
use std::ops::Range;

/// Bytes of a line that are looked at; what follows is cut off, and said.
pub const LINE_BYTES: usize = 16 << 10;

/// Bytes at the start of a line that tell its mark: a byte order mark, a time, `##[endgroup]`.
pub(super) const HEAD: usize = 64;

const ESCAPE: u8 = 0x1b;
/// What a colour sequence begins with; the codes follow, at most so many bytes of them, then an `m`.
const START: &[u8] = b"\x1b[";
const MOST_CODES: usize = 40;

/// What the runner says a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    Plain,
    Group,
    EndGroup,
    Error,
    Warning,
    Notice,
    Debug,
    Command,
}

const MARKS: [(&str, Mark); 8] = [
    ("##[group]", Mark::Group),
    ("##[endgroup]", Mark::EndGroup),
    ("##[error]", Mark::Error),
    ("##[warning]", Mark::Warning),
    ("##[notice]", Mark::Notice),
    ("##[debug]", Mark::Debug),
    ("##[command]", Mark::Command),
    ("[command]", Mark::Command),
];

impl Mark {
    /// The words that stand for it before the text.
    pub fn lead(self) -> &'static str {
        match self {
            Mark::Plain | Mark::Group | Mark::EndGroup => "",
            Mark::Error => "Error: ",
            Mark::Warning => "Warning: ",
            Mark::Notice => "Notice: ",
            Mark::Debug => "Debug: ",
            Mark::Command => "$ ",
        }
    }
}

/// The eight colours of terminals; bright ones are the same, backgrounds are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    Black,
    Red,
    Green,
    Yellow,
    Blue,
    Magenta,
    Cyan,
    White,
}

const COLOURS: [Colour; 8] =
    [Colour::Black, Colour::Red, Colour::Green, Colour::Yellow, Colour::Blue, Colour::Magenta, Colour::Cyan, Colour::White];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Look {
    pub colour: Option<Colour>,
    pub bold: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// As it was written: `2026-08-11T10:11:12.1234567Z`.
    pub time: Option<String>,
    pub mark: Mark,
    /// Without time, mark, line end and colours; a byte that is no UTF-8 stands as `<0xFF>`.
    pub text: String,
    /// Where it looks otherwise than plain: rising, disjoint ranges of bytes.
    pub looks: Vec<(Range<usize>, Look)>,
    /// The line goes on.
    pub cut: bool,
}

impl Line {
    /// Everything in one text, not yet gated.
    pub fn plain(&self) -> String {
        format!("{}{}{}", self.mark.lead(), self.text, self.rest())
    }

    /// What is said at the end of a line that goes on.
    pub fn rest(&self) -> &'static str {
        if self.cut { " … (the line goes on)" } else { "" }
    }
}

/// A line's text as bytes, or a piece of it: without time and mark where it `begins` the line, with the mark's lead, and
/// without colours. What is no UTF-8 stays as it is.
pub fn bare(line: &[u8], begins: bool) -> Cow<'_, [u8]> {
    let (_, mark, mut rest) = if begins { parts(line) } else { (None, Mark::Plain, line) };
    if mark.lead().is_empty() && !rest.contains(&ESCAPE) {
        return Cow::Borrowed(rest);
    }
    let mut out = mark.lead().as_bytes().to_vec();
    while let Some(at) = rest.iter().position(|byte| *byte == ESCAPE) {
        let (before, from) = rest.split_at(at);
        out.extend(before);
        let taken = sgr(from).map_or(0, |codes| START.len() + codes.len() + 1);
        if taken == 0 {
            out.push(ESCAPE);
        }
        rest = from.get(taken.max(1)..).unwrap_or_default();
    }
    out.extend(rest);
    Cow::Owned(out)
}

/// Bytes at the end that may be the beginning of a colour sequence.
pub fn begun(bytes: &[u8]) -> usize {
    let near = bytes.get(bytes.len().saturating_sub(START.len() + MOST_CODES)..).unwrap_or_default();
    let last = near.iter().rposition(|byte| *byte == ESCAPE).and_then(|at| near.get(at..)).unwrap_or_default();
    let is_code = |(at, byte): (usize, &u8)| START.get(at).map_or(is_code(*byte), |start| start == byte);
    if last.iter().enumerate().all(is_code) { last.len() } else { 0 }
}

/// Time, mark, and what follows them.
pub(super) fn parts(line: &[u8]) -> (Option<&[u8]>, Mark, &[u8]) {
    let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
    let (time, rest) = match time_len(line).and_then(|len| line.split_at_checked(len)) {
        Some((time, rest)) => (Some(time), rest.strip_prefix(b" ").unwrap_or(rest)),
        None => (None, line),
    };
    let may = matches!(rest.first(), Some(b'#' | b'['));
    let marked = MARKS.iter().filter(|_| may).find_map(|(word, mark)| Some((*mark, rest.strip_prefix(word.as_bytes())?)));
    let (mark, rest) = marked.unwrap_or((Mark::Plain, rest));
    (time, mark, rest)
}

/// The length of a time at the start: `2026-08-11T10:11:12.1234567Z`, followed by a space or nothing.
fn time_len(line: &[u8]) -> Option<usize> {
    let shape = b"0000-00-00T00:00:00";
    let fits = |(byte, shape): (&u8, &u8)| if *shape == b'0' { byte.is_ascii_digit() } else { byte == shape };
    let rest = line.get(shape.len()..)?;
    if !line.iter().zip(shape).all(fits) {
        return None;
    }
    let fraction = match rest.strip_prefix(b".") {
        Some(rest) => 1 + rest.iter().take(9).take_while(|byte| byte.is_ascii_digit()).count(),
        None => 0,
    };
    let ends = matches!(rest.get(fraction..)?, [b'Z'] | [b'Z', b' ' | b'\r' | b'\n', ..]);
    ends.then_some(shape.len() + fraction + 1)
}

/// Reads a line. More than [`LINE_BYTES`] are not looked at; `cut` says that there are more than were given.
pub fn parse_line(bytes: &[u8], cut: bool) -> Line {
    let (near, cut) = match bytes.split_at_checked(LINE_BYTES) {
        Some((near, rest)) => (near, cut || !rest.iter().all(|byte| matches!(byte, b'\r' | b'\n'))),
        None => (bytes, cut),
    };
    let near = near.strip_suffix(b"\n").unwrap_or(near);
    let near = near.strip_suffix(b"\r").unwrap_or(near);
    let (time, mark, rest) = parts(near);
    let mut line = Line { time: time.map(decode), mark, text: String::new(), looks: Vec::new(), cut };
    let decoded = decode(rest);
    let (mut rest, mut look) = (decoded.as_str(), Look::default());
    loop {
        let sequence = rest.match_indices('\u{1b}').find_map(|(at, _)| Some((at, sgr(rest.as_bytes().get(at..)?)?)));
        let upto = sequence.map_or(rest.len(), |(at, _)| at);
        let from = line.text.len();
        line.text.push_str(rest.get(..upto).unwrap_or_default());
        if look != Look::default() && line.text.len() > from {
            line.looks.push((from..line.text.len(), look));
        }
        let Some((at, codes)) = sequence else { return line };
        look = turn(look, codes);
        rest = rest.get(at + START.len() + codes.len() + 1..).unwrap_or_default();
    }
}

/// The codes of a colour sequence at the start: of `ESC [ 1;31 m` it is `1;31`. Every other sequence stays text.
fn sgr(text: &[u8]) -> Option<&str> {
    let rest = text.strip_prefix(START)?;
    let end = rest.iter().take(MOST_CODES + 1).position(|byte| !is_code(*byte))?;
    let codes = rest.get(..end)?;
    std::str::from_utf8(codes).ok().filter(|_| rest.get(end) == Some(&b'm'))
}

fn is_code(byte: u8) -> bool {
    byte.is_ascii_digit() || byte == b';'
}

fn turn(mut look: Look, codes: &str) -> Look {
    let colour = |code: usize, from: usize| code.checked_sub(from).and_then(|at| COLOURS.get(at)).copied();
    let mut codes = codes.split(';').map(|code| if code.is_empty() { Some(0) } else { code.parse::<usize>().ok() });
    while let Some(code) = codes.next() {
        match code.unwrap_or(usize::MAX) {
            0 => look = Look::default(),
            1 => look.bold = true,
            22 => look.bold = false,
            39 => look.colour = None,
            code @ 30..=37 => look.colour = colour(code, 30),
            code @ 90..=97 => look.colour = colour(code, 90),
            of @ (38 | 48) => {
                // 5 and a number of a palette, or 2 and three parts: of the palette the first sixteen have names.
                let named = match codes.next().flatten() {
                    Some(5) => codes.next().flatten().filter(|number| *number < 16).and_then(|number| colour(number % 8, 0)),
                    Some(2) => codes.by_ref().take(3).last().and(None),
                    _ => None,
                };
                if of == 38 {
                    look.colour = named;
                }
            }
            _ => {}
        }
    }
    look
}

/// The text of bytes; what is no UTF-8 is shown byte by byte.
fn decode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("<0x{byte:02X}>")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::text::gate;
    use proptest::prelude::*;

    const TIME: &str = "2026-08-11T10:11:12.1234567Z";

    #[test]
    fn time_mark_and_text_are_told_apart() {
        let table: [(&[u8], bool, Mark, &str); 16] = [
            (b"", false, Mark::Plain, ""),
            (b"\xef\xbb\xbf2026-08-11T10:11:12.1234567Z a\r\n", true, Mark::Plain, "a"),
            (b"2026-08-11T10:11:12.1234567Z ##[group]Run x", true, Mark::Group, "Run x"),
            (b"2026-08-11T10:11:12.1234567Z ##[endgroup]\n", true, Mark::EndGroup, ""),
            (b"2026-08-11T10:11:12.1234567Z", true, Mark::Plain, ""),
            (b"2026-08-11T10:11:12.1234567Zulu", false, Mark::Plain, "2026-08-11T10:11:12.1234567Zulu"),
            (b"2026-08-11T10:11:12Z  two spaces", true, Mark::Plain, " two spaces"),
            (b"##[error]Process completed with exit code 1.", false, Mark::Error, "Process completed with exit code 1."),
            (b"##[warning]w", false, Mark::Warning, "w"),
            (b"##[notice]n", false, Mark::Notice, "n"),
            (b"##[debug]d", false, Mark::Debug, "d"),
            (b"##[command]/bin/x", false, Mark::Command, "/bin/x"),
            (b"[command]/usr/bin/git version", false, Mark::Command, "/usr/bin/git version"),
            (b" ##[error]", false, Mark::Plain, " ##[error]"),
            (b"a\rb\xff\xc3(", false, Mark::Plain, "a\rb<0xFF><0xC3>("),
            (b"##[unknown]x", false, Mark::Plain, "##[unknown]x"),
        ];
        for (bytes, timed, mark, text) in table {
            let line = parse_line(bytes, false);
            assert_eq!((line.time.is_some(), line.mark, line.text.as_str(), line.cut), (timed, mark, text, false), "{bytes:?}");
            assert!(line.time.is_none_or(|time| TIME.starts_with(time.trim_end_matches('Z'))));
        }
    }

    #[test]
    fn colours_become_looks_and_other_escapes_stay_for_the_gate() {
        let look = |colour, bold| Look { colour, bold };
        let red = Some(Colour::Red);
        type Row = (&'static str, &'static str, Vec<(Range<usize>, Look)>);
        let table: [Row; 11] = [
            ("a\x1b[31mb\x1b[0mc", "abc", vec![(1..2, look(red, false))]),
            ("\x1b[1;31mb\x1b[mc", "bc", vec![(0..1, look(red, true))]),
            (
                "\x1b[1mb\x1b[91mc\x1b[22md",
                "bcd",
                vec![(0..1, look(None, true)), (1..2, look(red, true)), (2..3, look(red, false))],
            ),
            ("\x1b[38;5;9mx\x1b[39my", "xy", vec![(0..1, look(red, false))]),
            ("\x1b[38;5;200mx\x1b[38;2;1;2;31my", "xy", vec![]),
            ("\x1b[48;5;1mx\x1b[4m\x1b[31;48;2;9;9;9my", "xy", vec![(1..2, look(red, false))]),
            ("\x1b[2J\x1b]52;c;aGk=\x07", "\x1b[2J\x1b]52;c;aGk=\x07", vec![]),
            ("\x1b[31", "\x1b[31", vec![]),
            ("\x1b[?25l\x1b[31mx", "\x1b[?25lx", vec![(6..7, look(red, false))]),
            ("\x1b\x1b[31m\x1b[0m", "\x1b", vec![]),
            ("漢\x1b[32m字", "漢字", vec![(3..6, look(Some(Colour::Green), false))]),
        ];
        for (bytes, text, looks) in table {
            let line = parse_line(bytes.as_bytes(), false);
            assert_eq!((line.text.as_str(), line.looks), (text, looks), "{bytes:?}");
        }
        assert_eq!(gate::line(&parse_line(b"\x1b[2Jx\x1b[1my\x9b", false).plain()), "^[[2Jxy<0x9B>");
    }

    #[test]
    fn a_line_of_megabytes_is_cut_and_says_so() {
        let line = parse_line(&vec![b'x'; 5_000_000], false);
        assert_eq!((line.text.len(), line.cut), (LINE_BYTES, true));
        assert!(line.plain().ends_with("(the line goes on)"));
        let fits = [vec![b'x'; LINE_BYTES], b"\r\n".to_vec()].concat();
        assert!(!parse_line(&fits, false).cut && parse_line(b"x", true).cut);
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_line(bytes in prop::collection::vec(prop_oneof![any::<u8>(), Just(0x1b), Just(b'['), Just(b'm'), Just(b';'), b'0'..=b'9'], 0..200)) {
            let line = parse_line(&bytes, false);
            let mut from = 0;
            for (range, look) in &line.looks {
                prop_assert!(from <= range.start && range.start < range.end && *look != Look::default());
                prop_assert!(line.text.get(range.clone()).is_some());
                from = range.end;
            }
            let shown = gate::line(&line.text).into_owned();
            prop_assert!(!shown.chars().any(char::is_control));
        }
    }
}
