//! Where the lines of a log begin, which of them are groups, errors and steps: made from its bytes as they come, without
//! them. Must not know: what a line says beyond its beginning.

use super::line::{HEAD, Mark, parts};
use super::steps::{Placing, StepLines, any_within};
use crate::core::steps::{NthStep, Steps};
use std::ops::Range;

/// Lines that are told apart; what follows belongs to the last of them. So an index stays under 128 MB, whatever it is of.
pub const MOST_LINES: usize = 16_000_000;

/// `##[group]` and what follows it, to its end mark, the next group, or the end of its step or the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The line that names it.
    pub first: usize,
    /// One past its last line.
    pub end: usize,
    /// A line in it is marked as an error.
    pub error: bool,
}

/// The lines of a log, or of its end. Lines count from 0, offsets from the beginning of the whole log.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Index {
    /// Offset of the first byte.
    origin: u64,
    starts: Vec<u64>,
    /// Offset after the last byte.
    end: u64,
    groups: Vec<Group>,
    errors: Vec<usize>,
    warnings: usize,
    /// Of the job; none where they are not known.
    listed: Steps,
    placing: Placing,
    steps: Vec<StepLines>,
    cut: bool,
    state: Growing,
}

/// The line that is being read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
enum Growing {
    /// None: the next byte begins one.
    #[default]
    Between,
    /// Its first bytes, which tell its mark.
    Head(Vec<u8>),
    /// Its mark is known.
    Rest,
}

impl Index {
    /// Of what begins at this offset of a log.
    pub fn at(origin: u64) -> Index {
        Index { origin, end: origin, ..Index::default() }
    }

    /// Of a whole log, whose job has these steps.
    pub fn of(steps: Steps) -> Index {
        Index { placing: Placing::new(&steps), listed: steps, ..Index::default() }
    }

    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            if self.state == Growing::Between {
                self.begin();
            }
            let ends = rest.iter().position(|byte| *byte == b'\n');
            let (line, after) = rest.split_at(ends.map_or(rest.len(), |at| at + 1));
            self.end += line.len() as u64;
            if let Growing::Head(head) = &mut self.state {
                head.extend(line.iter().take(HEAD - head.len()));
                if ends.is_some() || head.len() == HEAD {
                    self.judge();
                }
            }
            if ends.is_some() {
                self.state = Growing::Between;
            }
            rest = after;
        }
    }

    /// The log ends here.
    pub fn finish(mut self) -> Index {
        self.judge();
        self.state = Growing::Between;
        let end = self.starts.len();
        self.close(end);
        self.steps = std::mem::take(&mut self.placing).finish(end, &self.errors);
        let bounds: Vec<usize> = self.steps.iter().flat_map(|step| [step.first, step.end]).collect();
        for group in &mut self.groups {
            let bound = bounds.get(bounds.partition_point(|bound| *bound <= group.first));
            group.end = bound.map_or(group.end, |bound| group.end.min(*bound));
            group.error = any_within(&self.errors, group.first, group.end);
        }
        self
    }

    fn begin(&mut self) {
        self.cut |= self.starts.len() >= MOST_LINES;
        self.state = if self.cut { Growing::Rest } else { Growing::Head(Vec::with_capacity(HEAD)) };
        if !self.cut {
            self.starts.push(self.end);
        }
    }

    fn judge(&mut self) {
        let Growing::Head(head) = std::mem::replace(&mut self.state, Growing::Rest) else { return };
        let line = self.starts.len().saturating_sub(1);
        let (time, mark, text) = parts(&head);
        self.placing.take(line, time, mark, text);
        match mark {
            Mark::Group => {
                self.close(line);
                // Open until something ends it.
                self.groups.push(Group { first: line, end: usize::MAX, error: false });
            }
            Mark::EndGroup => self.close(line + 1),
            Mark::Error => self.errors.push(line),
            Mark::Warning => self.warnings += 1,
            Mark::Plain | Mark::Notice | Mark::Debug | Mark::Command => {}
        }
    }

    fn close(&mut self, end: usize) {
        if let Some(group) = self.groups.last_mut().filter(|group| group.end == usize::MAX) {
            group.end = end;
        }
    }

    pub fn lines(&self) -> usize {
        self.starts.len()
    }

    /// Offsets of what is indexed.
    pub fn bytes(&self) -> Range<u64> {
        self.origin..self.end
    }

    /// Offsets of a line, its end included.
    pub fn range(&self, line: usize) -> Option<Range<u64>> {
        let start = *self.starts.get(line)?;
        Some(start..self.starts.get(line + 1).copied().unwrap_or(self.end))
    }

    /// The line that an offset is in; beyond the end, the last one.
    pub fn line_at(&self, offset: u64) -> usize {
        self.starts.partition_point(|start| *start <= offset).saturating_sub(1)
    }

    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Where in [`Index::groups`] the group is that a line is in.
    pub fn group_of(&self, line: usize) -> Option<usize> {
        let at = self.groups.partition_point(|group| group.first <= line).checked_sub(1)?;
        self.groups.get(at).filter(|group| line < group.end).map(|_| at)
    }

    /// Rising and disjoint; a group lies in one of them or outside of all.
    pub fn steps(&self) -> &[StepLines] {
        &self.steps
    }

    /// Where in [`Index::steps`] the step is that wrote a line.
    pub fn step_of(&self, line: usize) -> Option<usize> {
        let at = self.steps.partition_point(|step| step.first <= line).checked_sub(1)?;
        self.steps.get(at).filter(|step| line < step.end).map(|_| at)
    }

    /// What GitHub says of a step of [`Index::steps`].
    pub fn listed(&self, step: &StepLines) -> Option<NthStep<'_>> {
        self.listed.at(step.step)
    }

    /// Lines that are marked as errors.
    pub fn errors(&self) -> &[usize] {
        &self.errors
    }

    /// How many lines are marked as warnings.
    pub fn warnings(&self) -> usize {
        self.warnings
    }

    /// Whether there are more lines than are told apart.
    pub fn is_cut(&self) -> bool {
        self.cut
    }

    /// Bytes that the index takes.
    pub fn footprint(&self) -> usize {
        self.starts.capacity() * size_of::<u64>()
            + self.groups.capacity() * size_of::<Group>()
            + self.errors.capacity() * size_of::<usize>()
            + HEAD
    }
}

/// The member of a rising list after (or before) a line, round the end.
pub fn step(lines: &[usize], from: usize, forward: bool) -> Option<usize> {
    match forward {
        true => lines.get(lines.partition_point(|line| *line <= from)).or(lines.first()).copied(),
        false => {
            lines.partition_point(|line| *line < from).checked_sub(1).and_then(|at| lines.get(at)).or(lines.last()).copied()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::sample;
    use proptest::prelude::*;

    fn index(text: &[u8]) -> Index {
        let mut index = Index::default();
        index.push(text);
        index.finish()
    }

    fn group(first: usize, end: usize, error: bool) -> Group {
        Group { first, end, error }
    }

    #[test]
    fn groups_errors_and_warnings_are_found() {
        let time = "2026-08-11T10:11:12.1234567Z ";
        // Text, lines, groups, errors, warnings.
        type Row = (&'static str, usize, Vec<Group>, Vec<usize>, usize);
        let table: [Row; 7] = [
            ("", 0, vec![], vec![], 0),
            ("\n\n", 2, vec![], vec![], 0),
            ("a\nb", 2, vec![], vec![], 0),
            ("##[group]x\na\n##[endgroup]\n##[error]no\n", 4, vec![group(0, 3, false)], vec![3], 0),
            ("##[group]x\n##[error]no\r\n##[group]y\n##[warning]w", 4, vec![group(0, 2, true), group(2, 4, false)], vec![1], 1),
            ("##[endgroup]\n##[endgroup]\n ##[error]", 3, vec![], vec![], 0),
            ("say ##[group]\n##[group", 2, vec![], vec![], 0),
        ];
        for (text, lines, groups, errors, warnings) in table {
            // With times and a byte order mark it is the same.
            let timed =
                format!("\u{feff}{}", text.split_inclusive('\n').map(|line| format!("{time}{line}")).collect::<String>());
            let timed = if text.is_empty() { String::new() } else { timed };
            for text in [text, &timed] {
                let index = index(text.as_bytes());
                assert_eq!((index.lines(), index.groups(), index.errors()), (lines, &groups[..], &errors[..]), "{text:?}");
                assert_eq!(index.warnings(), warnings, "{text:?}");
            }
        }
    }

    #[test]
    fn a_line_is_found_by_its_offset_and_its_group_by_its_line() {
        let index = index(b"##[group]x\na\n##[endgroup]\nb\n");
        assert_eq!([0, 10, 11, 12, 13, 999].map(|offset| index.line_at(offset)), [0, 0, 1, 1, 2, 3]);
        assert_eq!([0, 1, 2, 3, 4].map(|line| index.group_of(line)), [Some(0), Some(0), Some(0), None, None]);
    }

    #[test]
    fn steps_go_round_the_end() {
        let lines = [3, 7, 9];
        assert_eq!([0, 3, 8, 9, 50].map(|from| step(&lines, from, true)), [3, 7, 9, 3, 3].map(Some));
        assert_eq!([0, 3, 8, 9, 50].map(|from| step(&lines, from, false)), [9, 9, 7, 7, 9].map(Some));
        assert_eq!((step(&[], 1, true), step(&[], 1, false)), (None, None));
    }

    #[test]
    fn what_it_holds_grows_by_lines_and_not_by_their_length() {
        let chunk = vec![b'x'; 1 << 20];
        let mut long = Index::default();
        let mut many = Index::default();
        let line = [b"2026-08-11T10:11:12.1234567Z ".as_slice(), &[b'x'; 70], b"\n"].concat();
        let lines = line.repeat((1 << 20) / line.len());
        for _ in 0..50 {
            long.push(&chunk);
            many.push(&lines);
        }
        let (long, many) = (long.finish(), many.finish());
        assert_eq!((long.lines(), long.bytes()), (1, 0..50 << 20));
        assert!(long.footprint() < 1024, "{}", long.footprint());
        assert_eq!(many.lines(), 50 * ((1 << 20) / line.len()));
        assert!(many.footprint() < many.lines() * 16 + 1024, "{} for {} lines", many.footprint(), many.lines());
    }

    fn logs() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop::sample::select(vec![
            &b"##[group]"[..],
            b"##[endgroup]",
            b"##[error]",
            b"##[warning]",
            b"\n",
            b"\r\n",
            b"\x1b[31m",
            b"\xef\xbb\xbf",
            b"2026-08-11T10:11:12.1234567Z ",
            b"\n2026-08-11T10:11:09.1234567Z ##[group]Run x",
            b"\n2026-08-11T10:11:12.1234567Z Post job cleanup.",
            b"\n2026-08-11T10:11:15.1234567Z ",
            b"text",
            b"\xff\xc3",
            b"[command]",
        ]);
        let any = prop_oneof![4 => piece.prop_map(<[u8]>::to_vec), 1 => prop::collection::vec(any::<u8>(), 0..9)];
        prop::collection::vec(any, 0..60).prop_map(|pieces| pieces.concat())
    }

    fn steps() -> impl Strategy<Value = Steps> {
        let time = prop::option::of(8u32..16).prop_map(|second| second.map(|second| format!("2026-08-11T10:11:{second:02}Z")));
        let name = prop::sample::select(vec!["Set up job", "Checkout", "Post Checkout", "Complete job"]);
        let listed = (name, time.clone(), time)
            .prop_map(|(name, from, to)| sample::step(name, "success", from.as_deref(), to.as_deref()));
        prop::collection::vec(listed, 0..6).prop_map(Steps::from)
    }

    proptest! {
        #[test]
        fn lines_cover_every_byte_and_steps_and_groups_lie_in_order(log in logs(), steps in steps()) {
            let mut index = Index::of(steps);
            index.push(&log);
            let index = index.finish();
            let joined: Vec<u8> = (0..index.lines())
                .flat_map(|line| index.range(line).unwrap())
                .map(|at| log[at as usize])
                .collect();
            prop_assert_eq!(&joined, &log);
            for line in 0..index.lines() {
                let range = index.range(line).unwrap();
                let text = &log[range.start as usize..range.end as usize];
                prop_assert_eq!(text.iter().filter(|byte| **byte == b'\n').count(), usize::from(text.ends_with(b"\n")));
                prop_assert!([range.start, range.end - 1].map(|at| index.line_at(at)) == [line, line]);
            }
            let ends: Vec<usize> = index.steps().iter().flat_map(|step| [step.first, step.end]).collect();
            prop_assert!(ends.is_sorted() && ends.iter().all(|end| *end <= index.lines()));
            for step in index.steps() {
                prop_assert!(step.first < step.end);
                prop_assert_eq!(step.error, index.errors().iter().any(|line| (step.first..step.end).contains(line)));
            }
            let ends: Vec<usize> = index.groups().iter().flat_map(|group| [group.first, group.end]).collect();
            prop_assert!(ends.is_sorted() && ends.iter().all(|end| *end <= index.lines()));
            for (at, group) in index.groups().iter().enumerate() {
                prop_assert!(group.first < group.end);
                prop_assert_eq!(index.step_of(group.first), index.step_of(group.end - 1), "it lies in one step or in none");
                let within = index.errors().iter().any(|line| index.group_of(*line) == Some(at));
                prop_assert_eq!(group.error, within);
            }
        }

        #[test]
        fn how_the_bytes_come_makes_no_difference(log in logs(), steps in steps(), size in 1usize..40) {
            let (mut index, mut at_once) = (Index::of(steps.clone()), Index::of(steps));
            log.chunks(size).for_each(|chunk| index.push(chunk));
            at_once.push(&log);
            prop_assert_eq!(index.finish(), at_once.finish());
        }
    }
}
