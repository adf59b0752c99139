//! The log of a job: what of it has come, which of its lines are shown, the cursor, the search.
//! Must not know: where logs are kept, colours.

use super::{Motion, Scroll};
use crate::core::ids::{JobId, RunId};
use crate::core::joblog::index::step;
use crate::core::joblog::{Folds, Found, Index, LINE_BYTES, Line, Needle, parse_line};
use crate::core::steps::Steps;
use crate::core::trouble::Trouble;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// What is wanted of a log.
#[derive(Debug, Clone, PartialEq)]
pub enum Asked {
    /// All of it, from GitHub unless it is kept: then its end, then where its lines are.
    Open { job: JobId, steps: Steps },
    /// Some lines, by their bytes.
    Lines { job: JobId, ranges: Vec<Range<u64>> },
    /// The lines that hold these words.
    Search { job: JobId, needle: Needle },
}

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    /// Bytes so far, of how many where that is known.
    Coming {
        got: u64,
        of: Option<u64>,
    },
    /// The last lines: their offset, and their bytes.
    Tail {
        from: u64,
        bytes: Arc<[u8]>,
    },
    Indexed(Arc<Index>),
    /// The bytes of each line that was asked for, by its offset.
    Lines(Vec<(u64, Vec<u8>)>),
    Found(Found),
    Failed(Trouble),
}

/// One execution of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Execution {
    pub job: JobId,
    pub run: RunId,
    pub attempt: u32,
    pub name: String,
    /// GitHub's word for how it ended, or for where it is.
    pub outcome: String,
    /// It has ended, so there may be a log.
    pub ended: bool,
    /// Its page.
    pub url: String,
    pub steps: Steps,
}

/// How far the log has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    Coming {
        got: u64,
        of: Option<u64>,
    },
    /// Its end is here; how many lines stand before it is not known yet.
    Tail,
    /// Every line is known.
    Whole,
    Failed(Trouble),
}

/// Words that are looked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Searching {
    pub needle: Needle,
    /// `None` while it is searched.
    pub found: Option<Found>,
}

#[derive(Debug)]
pub struct JobLog {
    pub of: Execution,
    /// The other attempts of the same job with it, oldest first.
    pub executions: Vec<Execution>,
    pub stage: Stage,
    pub index: Arc<Index>,
    pub folds: Folds,
    pub scroll: Scroll,
    /// Columns scrolled to the right.
    pub left: usize,
    /// Whether each line's time is shown.
    pub times: bool,
    pub search: Option<Searching>,
    /// Lines that were asked for could not be read.
    pub lacks_lines: bool,
    /// The lines on screen and near it, by offset.
    texts: BTreeMap<u64, Line>,
    /// What was asked for last.
    asked: Vec<Range<u64>>,
}

impl JobLog {
    pub fn new(of: Execution, executions: Vec<Execution>) -> JobLog {
        JobLog {
            of,
            executions,
            stage: Stage::Coming { got: 0, of: None },
            index: Arc::default(),
            folds: Folds::default(),
            scroll: Scroll::default(),
            left: 0,
            times: false,
            search: None,
            lacks_lines: false,
            texts: BTreeMap::new(),
            asked: Vec::new(),
        }
    }

    /// The line in a row, if its text is here.
    pub fn line(&self, row: usize) -> Option<&Line> {
        self.texts.get(&self.index.range(self.folds.line(row))?.start)
    }

    /// The line under the cursor.
    pub fn cursor(&self) -> usize {
        self.folds.line(self.scroll.cursor)
    }

    /// Which of the found lines is under the cursor or next before it, counted from 1.
    pub fn nth(&self, lines: &[usize]) -> usize {
        lines.partition_point(|line| *line <= self.cursor())
    }

    /// Something came; `height` is that of the window.
    pub fn take(&mut self, piece: Piece, height: usize) {
        match piece {
            Piece::Coming { got, of } => self.stage = Stage::Coming { got, of },
            Piece::Tail { from, bytes } => {
                let mut index = Index::at(from);
                index.push(&bytes);
                self.index = Arc::new(index.finish());
                self.stage = Stage::Tail;
                self.folds = Folds::new(&self.index);
                self.texts.clear();
                self.asked.clear();
                for range in (0..self.index.lines()).filter_map(|line| self.index.range(line)) {
                    let at = |offset: u64| usize::try_from(offset - from).unwrap_or(usize::MAX);
                    let text = bytes.get(at(range.start)..at(range.end)).unwrap_or_default();
                    self.texts.insert(range.start, parse_line(text, false));
                }
                self.scroll(Motion::Bottom, height);
            }
            Piece::Indexed(index) => self.indexed(index, height),
            Piece::Lines(lines) => {
                for (from, bytes) in lines {
                    let whole = self.index.range(self.index.line_at(from)).map_or(0, |range| range.end - range.start);
                    self.texts.insert(from, parse_line(&bytes, (bytes.len() as u64) < whole));
                }
            }
            Piece::Found(found) => {
                if let Some(search) = self.search.as_mut().filter(|search| search.needle.words() == found.words) {
                    let first =
                        found.lines.get(found.lines.partition_point(|line| *line < self.folds.line(self.scroll.cursor)));
                    let line = first.or(found.lines.first()).copied();
                    search.found = Some(found);
                    line.into_iter().for_each(|line| self.go_to(line, height));
                }
            }
            Piece::Failed(trouble) => self.stage = Stage::Failed(trouble),
        }
    }

    /// All lines are known: what was on screen stays there, by its offset.
    fn indexed(&mut self, index: Arc<Index>, height: usize) {
        let at = |row: usize| self.index.range(self.folds.line(row)).map(|range| range.start);
        let (cursor, top) = (at(self.scroll.cursor), at(self.scroll.top));
        let folds = Folds::new(&index);
        let row = |offset: Option<u64>| offset.map_or(0, |offset| folds.row(index.line_at(offset)));
        self.scroll = Scroll { cursor: row(cursor), top: row(top) };
        (self.folds, self.index, self.stage) = (folds, index, Stage::Whole);
        self.scroll.keep_visible(self.folds.rows(), height);
    }

    pub(in crate::app) fn scroll(&mut self, motion: Motion, height: usize) {
        self.scroll.apply(motion, self.folds.rows(), height);
    }

    /// Puts the cursor on a line, unfolding what hides it; a line from afar comes to the middle.
    pub(in crate::app) fn go_to(&mut self, line: usize, height: usize) {
        self.folds.reveal(&self.index, line);
        let row = self.folds.row(line);
        if !(self.scroll.top..self.scroll.top + height).contains(&row) {
            self.scroll.top = row.saturating_sub(height / 2);
        }
        self.scroll(Motion::To(row), height);
    }

    /// To the next (or previous) error, round the end; `false` where none is marked.
    pub(in crate::app) fn step_error(&mut self, forward: bool, height: usize) -> bool {
        let next = step(self.index.errors(), self.cursor(), forward);
        next.into_iter().for_each(|line| self.go_to(line, height));
        next.is_some()
    }

    /// To the next (or previous) line that was found, round the end; `false` where there is none.
    pub(in crate::app) fn step_search(&mut self, forward: bool, height: usize) -> bool {
        let found = self.search.as_ref().and_then(|search| search.found.as_ref());
        let next = found.and_then(|found| step(&found.lines, self.cursor(), forward));
        next.into_iter().for_each(|line| self.go_to(line, height));
        next.is_some()
    }

    /// Changes folds; the cursor stays on its line, or goes to the group or step that hides it.
    pub(in crate::app) fn fold(&mut self, all: bool, height: usize) -> bool {
        let line = self.cursor();
        let changed = match all {
            true => {
                self.folds.toggle_all(&self.index);
                !self.index.groups().is_empty() || !self.index.steps().is_empty()
            }
            false => self.folds.toggle(&self.index, line),
        };
        let row = self.folds.row(line);
        self.scroll(Motion::To(row), height);
        changed
    }

    /// The lines around the screen that are not here, by their bytes; none if they were asked for already. What is far
    /// from it is forgotten.
    pub(in crate::app) fn missing(&mut self, height: usize) -> Vec<Range<u64>> {
        self.scroll.keep_visible(self.folds.rows(), height);
        let rows = self.scroll.top.saturating_sub(height)..(self.scroll.top + 2 * height).min(self.folds.rows());
        let near: Vec<Range<u64>> = rows.filter_map(|row| self.index.range(self.folds.line(row))).collect();
        // The tail's own lines are all there is before the index is.
        if self.stage == Stage::Whole && self.texts.len() > 4 * near.len() {
            self.texts.retain(|from, _| near.binary_search_by_key(from, |range| range.start).is_ok());
        }
        let capped = |range: Range<u64>| range.start..range.end.min(range.start + LINE_BYTES as u64);
        let missing: Vec<_> = near.into_iter().filter(|range| !self.texts.contains_key(&range.start)).map(capped).collect();
        if missing == self.asked {
            return Vec::new();
        }
        self.asked.clone_from(&missing);
        missing
    }

    /// Bytes of text that are held.
    #[cfg(test)]
    pub(in crate::app) fn held(&self) -> usize {
        self.texts.values().map(|line| line.text.len()).sum()
    }
}
