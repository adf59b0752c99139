//! The newest lines of the log, in rows of the window.
//! Must not know: where the log is kept, or who reads it.

use crate::core::text::wrap;
use std::ops::Range;

/// The end of the log, as it was when it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tail {
    /// Where the whole log is.
    pub path: String,
    /// Oldest first, each gated.
    pub lines: Vec<String>,
}

impl Tail {
    /// The rows in a window of `cols` columns: which line, and what of it.
    pub fn rows(&self, cols: usize) -> impl Iterator<Item = (usize, Range<usize>)> {
        let of_line = move |(at, line): (usize, &String)| wrap::wrap(line, cols).into_iter().map(move |range| (at, range));
        self.lines.iter().enumerate().flat_map(of_line)
    }
}
