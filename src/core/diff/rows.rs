//! The rows of the unified view: a header per hunk and its lines, addressed by index and made when asked for.
//! Must not know: how a row is drawn or which rows are on screen.

use super::parse::{Hunk, Line, LineKind, Patch};
use std::ops::Range;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RowKind {
    /// A hunk's header.
    Hunk,
    Context,
    Added,
    Removed,
    NoNewline,
}

/// One row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub kind: RowKind,
    /// Line numbers, from 1, where the line exists.
    pub old: Option<u32>,
    pub new: Option<u32>,
    /// Bytes of the patch's text: the line without its sign, or the whole header.
    pub text: Range<usize>,
    /// Index of the hunk.
    pub hunk: usize,
}

/// Neighbouring removed and added lines, as indices into [`Patch::lines`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    pub removed: Range<usize>,
    pub added: Range<usize>,
}

/// A block longer than this on one side is a rewrite: its lines are not compared one by one.
pub const BLOCK_LIMIT: usize = 256;

impl Patch {
    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.hunks.len() + self.lines.len()
    }

    /// The row at an index; `None` past the end.
    pub fn row(&self, at: usize) -> Option<Row> {
        let hunk = self.hunk_at(at)?;
        let header = self.hunks.get(hunk)?;
        let Some(line) = self.line_at(at) else {
            return Some(Row { kind: RowKind::Hunk, old: None, new: None, text: header.header.clone(), hunk });
        };
        let line = self.lines.get(line)?;
        let kind = match line.kind {
            LineKind::Context => RowKind::Context,
            LineKind::Added => RowKind::Added,
            LineKind::Removed => RowKind::Removed,
            LineKind::NoNewline => RowKind::NoNewline,
        };
        Some(Row { kind, old: line.old_number(), new: line.new_number(), text: line.text(), hunk })
    }

    /// The row of a hunk's header. One past the last row for an index that is no hunk's.
    pub fn hunk_row(&self, hunk: usize) -> usize {
        self.hunks.get(hunk).map_or(self.rows(), |found| first_row(hunk, found))
    }

    /// The row of a line of [`Patch::lines`].
    pub fn line_row(&self, line: usize) -> usize {
        line + self.hunks.partition_point(|hunk| hunk.lines.start <= line)
    }

    /// The next hunk's header below a row.
    pub fn next_hunk(&self, at: usize) -> Option<usize> {
        let next = self.hunk_at(at)? + 1;
        (next < self.hunks.len()).then(|| self.hunk_row(next))
    }

    /// The nearest hunk's header above a row: of the row's own hunk, unless the row is that header.
    pub fn previous_hunk(&self, at: usize) -> Option<usize> {
        let hunk = self.hunk_at(at.checked_sub(1)?).or(self.hunks.len().checked_sub(1))?;
        Some(self.hunk_row(hunk))
    }

    /// Which hunk a row belongs to.
    fn hunk_at(&self, at: usize) -> Option<usize> {
        if at >= self.rows() {
            return None;
        }
        // Rows of a hunk begin behind the lines and headers before it.
        let (mut low, mut high) = (0, self.hunks.len());
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.hunk_row(middle) <= at { low = middle } else { high = middle }
        }
        Some(low)
    }

    /// The line that a row shows; `None` for a header or past the end.
    pub fn line_at(&self, at: usize) -> Option<usize> {
        let hunk = self.hunk_at(at)?;
        (at > self.hunk_row(hunk)).then(|| at - hunk - 1)
    }

    /// The block of changes that a line belongs to: removed lines and the added lines right behind them. `None` for
    /// context, for blocks with one side only, and past [`BLOCK_LIMIT`].
    pub fn block(&self, line: usize) -> Option<Block> {
        let hunk = self.hunks.get(self.hunks.partition_point(|hunk| hunk.lines.end <= line))?;
        let lines = self.lines.get(hunk.lines.clone())?;
        let at = line.checked_sub(hunk.lines.start)?;
        let changed = |line: &Line| line.kind != LineKind::Context;
        if !lines.get(at).is_some_and(changed) {
            return None;
        }
        let reach = 2 * BLOCK_LIMIT + 2;
        // The removed lines before an added one, or before and around a removed one.
        let mut start = at;
        let mut seen_removed = lines.get(at)?.kind == LineKind::Removed;
        while let Some(before) = start.checked_sub(1).and_then(|before| lines.get(before)) {
            match before.kind {
                LineKind::Context => break,
                LineKind::Added if seen_removed => break,
                LineKind::Removed => seen_removed = true,
                LineKind::Added | LineKind::NoNewline => {}
            }
            start -= 1;
            if at - start > reach {
                return None;
            }
        }
        let run = |from: usize, kind: LineKind| {
            let rest = lines.get(from..).unwrap_or_default();
            let count = rest.iter().take(reach).take_while(|line| line.kind == kind).count();
            from..from + count
        };
        let removed = run(start, LineKind::Removed);
        let skip = run(removed.end, LineKind::NoNewline);
        let added = run(skip.end, LineKind::Added);
        let short = |side: &Range<usize>| !side.is_empty() && side.len() <= BLOCK_LIMIT;
        let shift = |side: Range<usize>| hunk.lines.start + side.start..hunk.lines.start + side.end;
        (short(&removed) && short(&added)).then(|| Block { removed: shift(removed), added: shift(added) })
    }
}

impl Block {
    /// The line on the other side that a line stands against, by position.
    pub fn partner(&self, line: usize) -> Option<usize> {
        let across = |from: &Range<usize>, to: &Range<usize>| {
            let other = to.start + line.checked_sub(from.start)?;
            (from.contains(&line) && to.contains(&other)).then_some(other)
        };
        across(&self.removed, &self.added).or_else(|| across(&self.added, &self.removed))
    }

    /// All pairs of removed and added lines.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        self.removed.clone().zip(self.added.clone())
    }
}

fn first_row(hunk: usize, found: &Hunk) -> usize {
    hunk + found.lines.start
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::diff::parse::parse_patch;
    use proptest::prelude::*;

    const TEXT: &str = "@@ -1,3 +1,4 @@\n a\n-b\n-c\n+d\n+e\n+f\n@@ -9,2 +10,1 @@ x\n g\n-h\n\\ No newline at end of file\n";

    #[test]
    fn rows_are_addressed_by_index() {
        let patch = parse_patch(TEXT);
        let shown: Vec<_> =
            (0..patch.rows()).filter_map(|at| patch.row(at)).map(|r| (r.kind, r.old, r.new, &TEXT[r.text], r.hunk)).collect();
        use RowKind::*;
        assert_eq!(
            shown,
            [
                (Hunk, None, None, "@@ -1,3 +1,4 @@", 0),
                (Context, Some(1), Some(1), "a", 0),
                (Removed, Some(2), None, "b", 0),
                (Removed, Some(3), None, "c", 0),
                (Added, None, Some(2), "d", 0),
                (Added, None, Some(3), "e", 0),
                (Added, None, Some(4), "f", 0),
                (Hunk, None, None, "@@ -9,2 +10,1 @@ x", 1),
                (Context, Some(9), Some(10), "g", 1),
                (Removed, Some(10), None, "h", 1),
                (NoNewline, None, None, " No newline at end of file", 1),
            ]
        );
        assert_eq!(patch.row(11), None);
        assert_eq!(parse_patch("").row(0), None);
    }

    #[test]
    fn hunks_are_reached_from_anywhere() {
        let patch = parse_patch(TEXT);
        let next: Vec<_> = (0..11).map(|at| patch.next_hunk(at)).collect();
        assert_eq!(next, [&[Some(7); 7][..], &[None; 4]].concat());
        let previous: Vec<_> = (0..11).map(|at| patch.previous_hunk(at)).collect();
        assert_eq!(previous, [&[None][..], &[Some(0); 7], &[Some(7); 3]].concat());
        assert_eq!((parse_patch("").next_hunk(0), parse_patch("").previous_hunk(5)), (None, None));
    }

    #[test]
    fn changed_lines_are_paired_by_position() {
        let patch = parse_patch(TEXT);
        for line in 1..6 {
            assert_eq!(patch.block(line), Some(Block { removed: 1..3, added: 3..6 }), "line {line}");
        }
        let block = patch.block(1).unwrap();
        assert_eq!((1..6).map(|line| block.partner(line)).collect::<Vec<_>>(), [Some(3), Some(4), Some(1), Some(2), None]);
        assert_eq!(block.pairs().collect::<Vec<_>>(), [(1, 3), (2, 4)]);
        assert_eq!((patch.block(0), patch.block(7), patch.block(8), patch.block(99)), (None, None, None, None));

        let ends = parse_patch("@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n");
        assert_eq!(ends.block(0), Some(Block { removed: 0..1, added: 2..3 }));
        assert_eq!(ends.block(2), ends.block(0));

        let twice = parse_patch("@@ -1,2 +1,2 @@\n-a\n+b\n-c\n+d\n");
        assert_eq!(twice.block(1), Some(Block { removed: 0..1, added: 1..2 }));
        assert_eq!(twice.block(2), Some(Block { removed: 2..3, added: 3..4 }));

        let many = format!("@@ -1,300 +1,300 @@\n{}{}", "-a\n".repeat(300), "+b\n".repeat(300));
        assert_eq!(parse_patch(&many).block(299), None);
    }

    proptest! {
        #[test]
        fn rows_and_lines_agree(text in "(@@ -1,9 \\+1,9 @@\n|[-+ \\\\]x\n){0,20}") {
            let patch = parse_patch(&text);
            for line in 0..patch.lines.len() {
                let row = patch.line_row(line);
                prop_assert_eq!(patch.line_at(row), Some(line));
                if let Some(block) = patch.block(line) {
                    for (removed, added) in block.pairs() {
                        prop_assert_eq!(patch.lines[removed].kind, LineKind::Removed);
                        prop_assert_eq!(patch.lines[added].kind, LineKind::Added);
                        prop_assert_eq!(block.partner(removed), Some(added));
                    }
                }
            }
            let headers = (0..patch.rows()).filter(|at| patch.line_at(*at).is_none()).count();
            prop_assert_eq!(headers, patch.hunks.len());
        }
    }
}
