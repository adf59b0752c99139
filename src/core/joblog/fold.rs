//! Which lines of a log are shown: groups are folded, but for those that hold an error.
//! Must not know: what the lines say.

use super::index::Index;

/// Rows are the lines that are shown, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Folds {
    /// By group of the index.
    folded: Vec<bool>,
    /// Runs of hidden lines: the first, one past the last, and how many were hidden before.
    hidden: Vec<(usize, usize, usize)>,
    lines: usize,
}

impl Folds {
    pub fn new(index: &Index) -> Folds {
        let folded = index.groups().iter().map(|group| !group.error).collect();
        let mut folds = Folds { folded, hidden: Vec::new(), lines: index.lines() };
        folds.arrange(index);
        folds
    }

    fn arrange(&mut self, index: &Index) {
        self.hidden.clear();
        let mut before = 0;
        for (group, _) in index.groups().iter().zip(&self.folded).filter(|(_, folded)| **folded) {
            // The line that names the group stays.
            let (first, end) = (group.first + 1, group.end);
            if first < end {
                self.hidden.push((first, end, before));
                before += end - first;
            }
        }
    }

    /// Folds or unfolds the group that a line is in; `false` where it is in none.
    pub fn toggle(&mut self, index: &Index, line: usize) -> bool {
        let Some(folded) = index.group_of(line).and_then(|at| self.folded.get_mut(at)) else { return false };
        *folded = !*folded;
        self.arrange(index);
        true
    }

    /// Unfolds all groups, or folds all where none is folded.
    pub fn toggle_all(&mut self, index: &Index) {
        let fold = !self.folded.contains(&true);
        self.folded.fill(fold);
        self.arrange(index);
    }

    /// Unfolds what hides a line.
    pub fn reveal(&mut self, index: &Index, line: usize) {
        if self.is_hidden(line) {
            self.toggle(index, line);
        }
    }

    fn is_hidden(&self, line: usize) -> bool {
        let at = self.hidden.partition_point(|(first, ..)| *first <= line);
        at.checked_sub(1).and_then(|at| self.hidden.get(at)).is_some_and(|(_, end, _)| line < *end)
    }

    /// Whether the group that begins on a line is folded; `None` where none begins.
    pub fn folded(&self, index: &Index, line: usize) -> Option<bool> {
        let at = index.group_of(line).filter(|at| index.groups().get(*at).is_some_and(|group| group.first == line))?;
        self.folded.get(at).copied()
    }

    /// How many lines are shown.
    pub fn rows(&self) -> usize {
        self.lines - self.hidden.last().map_or(0, |(first, end, before)| before + end - first)
    }

    /// The line in a row.
    pub fn line(&self, row: usize) -> usize {
        // Lines before the first hidden one of each run are shown, but for those hidden earlier.
        let runs = self.hidden.partition_point(|(first, _, before)| first - before <= row);
        row + runs.checked_sub(1).and_then(|at| self.hidden.get(at)).map_or(0, |(first, end, before)| before + end - first)
    }

    /// The row of a line; of a hidden one, that of its group.
    pub fn row(&self, line: usize) -> usize {
        let at = self.hidden.partition_point(|(first, ..)| *first <= line);
        match at.checked_sub(1).and_then(|at| self.hidden.get(at)) {
            Some((first, end, before)) if line < *end => first - 1 - before,
            Some((first, end, before)) => line - (before + end - first),
            None => line,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn index(text: &str) -> Index {
        let mut index = Index::default();
        index.push(text.as_bytes());
        index.finish()
    }

    fn shown(folds: &Folds) -> Vec<usize> {
        (0..folds.rows()).map(|row| folds.line(row)).collect()
    }

    #[test]
    fn groups_are_folded_unless_an_error_is_in_them() {
        let index = index("a\n##[group]x\nb\n##[endgroup]\n##[group]y\n##[error]c\n##[endgroup]\nd\n");
        let mut folds = Folds::new(&index);
        assert_eq!(shown(&folds), [0, 1, 4, 5, 6, 7]);
        assert_eq!([0, 1, 4].map(|line| folds.folded(&index, line)), [None, Some(true), Some(false)]);
        assert_eq!([2, 3, 4].map(|line| folds.row(line)), [1, 1, 2]);
        assert!(folds.toggle(&index, 1) && !folds.toggle(&index, 0));
        assert_eq!(shown(&folds), [0, 1, 2, 3, 4, 5, 6, 7]);
        folds.toggle_all(&index);
        assert_eq!(shown(&folds), [0, 1, 4, 7]);
        folds.reveal(&index, 5);
        assert_eq!(shown(&folds), [0, 1, 4, 5, 6, 7]);
        folds.reveal(&index, 5);
        assert_eq!(folds.rows(), 6, "what is shown stays so");
        folds.toggle_all(&index);
        assert_eq!(folds.rows(), 8);
    }

    proptest! {
        #[test]
        fn rows_and_lines_agree(lines in prop::collection::vec(0usize..4, 0..60), toggles in prop::collection::vec(0usize..60, 0..9)) {
            let words = ["x\n", "##[group]g\n", "##[endgroup]\n", "##[error]e\n"];
            let text: String = lines.iter().map(|at| words[*at]).collect();
            let index = index(&text);
            let mut folds = Folds::new(&index);
            toggles.iter().for_each(|line| { folds.toggle(&index, *line); });
            let shown = shown(&folds);
            prop_assert!(shown.is_sorted_by(|a, b| a < b));
            prop_assert!(shown.iter().all(|line| *line < index.lines()));
            for line in 0..index.lines() {
                let row = folds.row(line);
                prop_assert!(row < folds.rows());
                prop_assert!(!shown.contains(&line) || folds.line(row) == line);
                prop_assert_eq!(shown.contains(&line), !folds.is_hidden(line));
            }
        }
    }
}
