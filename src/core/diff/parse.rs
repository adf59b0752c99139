//! Hunks of a patch: lines as byte ranges into its text, with their numbers on both sides.
//! Must not know: files and paths, or how rows are shown.

use std::fmt;
use std::ops::Range;

/// The hunks of one file. All ranges are bytes of the text that was parsed; nothing is copied.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Patch {
    pub hunks: Vec<Hunk>,
    /// Of all hunks, in order: [`Hunk::lines`] says which are whose.
    pub lines: Vec<Line>,
    /// What could not be read as it should be; lines are kept all the same.
    pub problems: Vec<Problem>,
}

/// One `@@ -old_start,old_len +new_start,new_len @@ section`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    pub old_start: u32,
    pub old_len: u32,
    pub new_start: u32,
    pub new_len: u32,
    /// The whole header line.
    pub header: Range<usize>,
    /// What stands behind the second `@@`, trimmed: mostly the function around.
    pub section: Range<usize>,
    /// Indices into [`Patch::lines`].
    pub lines: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineKind {
    Context,
    Added,
    Removed,
    /// `\ No newline at end of file`: says something of the line before, and is no line itself.
    NoNewline,
}

/// A line of a hunk. Small, since a diff may have hundreds of thousands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    pub kind: LineKind,
    start: u32,
    end: u32,
    old: u32,
    new: u32,
}

impl Line {
    /// The bytes of the line without its `+`, `-` or space and without the line feed. A carriage return stays: it is
    /// part of the file.
    pub fn text(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Its number in the old file, if it stands there.
    pub fn old_number(&self) -> Option<u32> {
        matches!(self.kind, LineKind::Context | LineKind::Removed).then_some(self.old)
    }

    /// Its number in the new file, if it stands there.
    pub fn new_number(&self) -> Option<u32> {
        matches!(self.kind, LineKind::Context | LineKind::Added).then_some(self.new)
    }
}

/// Something that a patch should not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Line of the parsed text, from 1.
    pub line: usize,
    pub kind: ProblemKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProblemKind {
    /// A header that begins with `@@` and cannot be read.
    HunkHeader,
    /// A diff against several parents (`@@@`).
    Combined,
    /// The header promised other counts than its lines have.
    Counts { promised: (u32, u32), found: (u32, u32) },
    /// A line outside any hunk.
    Stray,
    /// The text is larger than 4 GiB; the rest is not read.
    TooLarge,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.line;
        match &self.kind {
            ProblemKind::HunkHeader => write!(f, "line {line} of the diff: this hunk header cannot be read"),
            ProblemKind::Combined => write!(f, "line {line} of the diff: a diff of a merge is not shown"),
            ProblemKind::Counts { promised, found } => write!(
                f,
                "line {line} of the diff: this hunk should have {} old and {} new lines, but has {} and {}; it may be cut",
                promised.0, promised.1, found.0, found.1
            ),
            ProblemKind::Stray => write!(f, "line {line} of the diff: this line belongs to no hunk"),
            ProblemKind::TooLarge => write!(f, "line {line} of the diff: the diff is larger than 4 GiB, the rest is left out"),
        }
    }
}

/// A submodule's move, read from the two lines that stand for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Submodule<'a> {
    /// The commit before; `None` when the submodule is new.
    pub old: Option<&'a str>,
    /// The commit after; `None` when the submodule went.
    pub new: Option<&'a str>,
}

/// Reads the `patch` field of one file: hunks only.
pub fn parse_patch(text: &str) -> Patch {
    let mut reader = Reader::default();
    for (number, line) in lines(text) {
        reader.line(text, number, line);
    }
    reader.finish()
}

impl Patch {
    /// The submodule's commits, if that is all the patch is about.
    pub fn submodule<'a>(&self, text: &'a str) -> Option<Submodule<'a>> {
        let mut found = Submodule { old: None, new: None };
        if self.lines.is_empty() || self.lines.len() > 2 {
            return None;
        }
        for line in &self.lines {
            let commit = text.get(line.text())?.trim_end().strip_prefix("Subproject commit ")?;
            let hash = commit.strip_suffix("-dirty").unwrap_or(commit);
            if !matches!(hash.len(), 40 | 64) || !hash.bytes().all(|b| b.is_ascii_hexdigit()) {
                return None;
            }
            let side = match line.kind {
                LineKind::Removed => &mut found.old,
                LineKind::Added => &mut found.new,
                LineKind::Context | LineKind::NoNewline => return None,
            };
            if side.replace(commit).is_some() {
                return None;
            }
        }
        Some(found)
    }
}

/// Lines with their number from 1 and their bytes, without the line feed.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, Range<usize>)> + '_ {
    let mut start = 0;
    text.split_inclusive('\n').enumerate().map(move |(at, line)| {
        let from = start;
        start += line.len();
        (at + 1, from..from + line.strip_suffix('\n').unwrap_or(line).len())
    })
}

/// Takes the lines of one file's patch one by one.
#[derive(Default)]
pub(super) struct Reader {
    patch: Patch,
    /// Lines still owed by the current hunk, on both sides.
    old_left: u32,
    new_left: u32,
    /// Lines seen of it, on both sides.
    old_seen: u32,
    new_seen: u32,
    /// Line number of the current hunk's header.
    header: usize,
}

impl Reader {
    /// Whether the current hunk still owes lines.
    fn owes(&self) -> bool {
        self.old_left > 0 || self.new_left > 0
    }

    /// Whether a hunk has begun.
    pub(super) fn in_hunk(&self) -> bool {
        !self.patch.hunks.is_empty()
    }

    pub(super) fn problem(&mut self, line: usize, kind: ProblemKind) {
        self.patch.problems.push(Problem { line, kind });
    }

    /// Takes a line at `range` of `text`.
    pub(super) fn line(&mut self, text: &str, number: usize, range: Range<usize>) {
        let Some(line) = text.get(range.clone()) else { return };
        if u32::try_from(range.end).is_err() {
            if !self.patch.problems.iter().any(|problem| problem.kind == ProblemKind::TooLarge) {
                self.problem(number, ProblemKind::TooLarge);
            }
            return;
        }
        match line.as_bytes().first() {
            Some(b'@') if line.starts_with("@@@") => {
                self.end_hunk();
                self.problem(number, ProblemKind::Combined);
            }
            Some(b'@') if line.starts_with("@@") => self.hunk(number, line, range),
            Some(b'+') if self.in_hunk() => self.push(LineKind::Added, range.start + 1..range.end),
            Some(b'-') if self.in_hunk() => self.push(LineKind::Removed, range.start + 1..range.end),
            Some(b' ') if self.in_hunk() => self.push(LineKind::Context, range.start + 1..range.end),
            Some(b'\\') if self.in_hunk() => self.push(LineKind::NoNewline, range.start + 1..range.end),
            // Some tools strip the space of an empty context line.
            None | Some(b'\r') if self.owes() => self.push(LineKind::Context, range),
            None => {}
            _ => self.problem(number, ProblemKind::Stray),
        }
    }

    fn hunk(&mut self, number: usize, line: &str, range: Range<usize>) {
        self.end_hunk();
        let Some((old, new, section)) = hunk_header(line) else {
            // Its lines are kept under a hunk that counts nothing, so that nothing vanishes.
            self.problem(number, ProblemKind::HunkHeader);
            let at = self.patch.lines.len();
            let section = range.end..range.end;
            self.patch.hunks.push(Hunk {
                old_start: 0,
                old_len: 0,
                new_start: 0,
                new_len: 0,
                header: range,
                section,
                lines: at..at,
            });
            return;
        };
        (self.old_left, self.new_left) = (old.1, new.1);
        self.header = number;
        let at = self.patch.lines.len();
        self.patch.hunks.push(Hunk {
            old_start: old.0,
            old_len: old.1,
            new_start: new.0,
            new_len: new.1,
            header: range.start..range.start + line.trim_end().len(),
            section: range.start + section.start..range.start + section.end,
            lines: at..at,
        });
    }

    fn push(&mut self, kind: LineKind, text: Range<usize>) {
        let Some(hunk) = self.patch.hunks.last_mut() else { return };
        // Ranges above 4 GiB were refused before.
        let (Ok(start), Ok(end)) = (u32::try_from(text.start), u32::try_from(text.end)) else { return };
        let line = Line {
            kind,
            start,
            end,
            old: hunk.old_start.saturating_add(self.old_seen),
            new: hunk.new_start.saturating_add(self.new_seen),
        };
        self.patch.lines.push(line);
        hunk.lines.end = self.patch.lines.len();
        if line.old_number().is_some() {
            self.old_seen = self.old_seen.saturating_add(1);
            self.old_left = self.old_left.saturating_sub(1);
        }
        if line.new_number().is_some() {
            self.new_seen = self.new_seen.saturating_add(1);
            self.new_left = self.new_left.saturating_sub(1);
        }
    }

    fn end_hunk(&mut self) {
        if let Some(hunk) = self.patch.hunks.last() {
            let promised = (hunk.old_len, hunk.new_len);
            let found = (self.old_seen, self.new_seen);
            // A hunk whose header could not be read was reported already.
            if promised != found && self.header > 0 {
                let line = self.header;
                self.problem(line, ProblemKind::Counts { promised, found });
            }
        }
        (self.old_left, self.new_left, self.old_seen, self.new_seen, self.header) = (0, 0, 0, 0, 0);
    }

    pub(super) fn finish(mut self) -> Patch {
        self.end_hunk();
        self.patch.problems.sort_by_key(|problem| problem.line);
        self.patch
    }
}

type Span = (u32, u32);

/// `@@ -1,2 +3,4 @@ section`: both spans, and where in the line the section stands.
fn hunk_header(line: &str) -> Option<(Span, Span, Range<usize>)> {
    let rest = line.strip_prefix("@@ -")?;
    let (old, rest) = rest.split_once(" +")?;
    let (new, rest) = rest.split_once(" @@")?;
    let section = rest.trim();
    let start = line.len() - rest.len() + (rest.len() - rest.trim_start().len());
    Some((span(old)?, span(new)?, start..start + section.len()))
}

/// `12,3`, or `12` for one line.
fn span(text: &str) -> Option<Span> {
    let number = |digits: &str| digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok()).flatten();
    match text.split_once(',') {
        Some((start, len)) => Some((number(start)?, number(len)?)),
        None => Some((number(text)?, 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(text: &str) -> Vec<(LineKind, Option<u32>, Option<u32>, &str)> {
        parse_patch(text).lines.iter().map(|l| (l.kind, l.old_number(), l.new_number(), &text[l.text()])).collect()
    }

    #[test]
    fn lines_have_the_numbers_of_both_sides() {
        use LineKind::*;
        let text = "@@ -3,3 +3,4 @@ fn main() {\n a\n-b\n+c\n+d\n e\n@@ -10 +11,0 @@\n-x";
        let patch = parse_patch(text);
        assert_eq!(patch.problems, []);
        assert_eq!(patch.hunks.len(), 2);
        assert_eq!(&text[patch.hunks[0].section.clone()], "fn main() {");
        assert_eq!(patch.hunks[1].lines, 5..6);
        assert_eq!(
            shown(text),
            [
                (Context, Some(3), Some(3), "a"),
                (Removed, Some(4), None, "b"),
                (Added, None, Some(4), "c"),
                (Added, None, Some(5), "d"),
                (Context, Some(5), Some(6), "e"),
                (Removed, Some(10), None, "x"),
            ]
        );
    }

    #[test]
    fn the_no_newline_marker_is_no_line() {
        use LineKind::*;
        let kinds = |text: &str| shown(text).iter().map(|l| l.0).collect::<Vec<_>>();
        for (text, expected) in [
            ("@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n", vec![Removed, NoNewline, Added]),
            ("@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file", vec![Removed, Added, NoNewline]),
            (
                "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file",
                vec![Removed, NoNewline, Added, NoNewline],
            ),
        ] {
            assert_eq!(kinds(text), expected);
            assert_eq!(parse_patch(text).problems, [], "{text}");
            assert_eq!(shown(text).iter().filter_map(|l| l.2).max(), Some(1));
        }
    }

    #[test]
    fn odd_patches_keep_their_lines() {
        let promised = (2, 2);
        for (text, lines, problem) in [
            ("@@ -1,2 +1,2 @@\n a", 1, Some((1, ProblemKind::Counts { promised, found: (1, 1) }))),
            ("@@ -1,2 +1,2 @@\n a\n b\n+c", 3, Some((1, ProblemKind::Counts { promised, found: (2, 3) }))),
            ("@@ -x +1 @@\n+a", 1, Some((1, ProblemKind::HunkHeader))),
            ("@@ -99999999999 +1 @@\n+a", 1, Some((1, ProblemKind::HunkHeader))),
            ("@@@ -1 -1 +1 @@@\n", 0, Some((1, ProblemKind::Combined))),
            ("+a", 0, Some((1, ProblemKind::Stray))),
            ("@@ -1,3 +1,3 @@\n a\n\n b\n", 3, None),
            ("@@ -1,2 +1,2 @@\r\n a\r\n \r\n", 2, None),
            ("@@ -1 +1 @@\n--- a\n+++ b\n", 2, None),
            ("", 0, None),
            ("@@ -4294967295,2 +4294967295,2 @@\n a\n b", 2, None),
        ] {
            let patch = parse_patch(text);
            let problems: Vec<_> = patch.problems.iter().map(|p| (p.line, p.kind.clone())).collect();
            assert_eq!(patch.lines.len(), lines, "{text:?}");
            assert_eq!(problems, Vec::from_iter(problem), "{text:?}");
        }
        let crlf = "@@ -1 +1 @@ f()\r\n-a\r\n+b\r\n";
        assert_eq!(&crlf[parse_patch(crlf).hunks[0].section.clone()], "f()");
        assert_eq!(shown(crlf)[0].3, "a\r", "the file's own line ends are kept");
    }

    #[test]
    fn submodules_are_recognised() {
        let (a, b) = ("a".repeat(40), "b".repeat(40));
        let moved = format!("@@ -1 +1 @@\n-Subproject commit {a}\n+Subproject commit {b}");
        assert_eq!(parse_patch(&moved).submodule(&moved), Some(Submodule { old: Some(&a), new: Some(&b) }));
        let added = format!("@@ -0,0 +1 @@\n+Subproject commit {b}\n");
        assert_eq!(parse_patch(&added).submodule(&added), Some(Submodule { old: None, new: Some(&b) }));
        for other in ["@@ -0,0 +1 @@\n+Subproject commit x", "@@ -0,0 +1 @@\n+x", ""] {
            assert_eq!(parse_patch(other).submodule(other), None, "{other}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(@@ -[0-9]{1,3}(,[0-9])? \\+[0-9]{1,3} @@.?\n|[-+ \\\\].{0,6}\n|.{0,8}\r?\n|\n){0,12}") {
            let patch = parse_patch(&text);
            let mut next = 0;
            for hunk in &patch.hunks {
                prop_assert_eq!(hunk.lines.start, next);
                next = hunk.lines.end;
                prop_assert!(text.get(hunk.header.clone()).is_some() && text.get(hunk.section.clone()).is_some());
            }
            prop_assert_eq!(next, patch.lines.len());
            for line in &patch.lines {
                prop_assert!(text.get(line.text()).is_some_and(|line| !line.contains('\n')));
            }
            for problem in &patch.problems {
                prop_assert!(!problem.to_string().is_empty());
            }
        }
    }
}
