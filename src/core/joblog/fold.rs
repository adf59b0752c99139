//! Which lines of a log are shown: groups are folded, but for those that hold an error, and so are steps that went well.
//! Must not know: what the lines say.

use super::index::Index;
use super::steps::StepLines;
use crate::core::steps::NthStep;

/// Rows are the lines that are shown, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Folds {
    /// By group of the index.
    folded: Vec<bool>,
    /// By step of the index; its groups lie in it.
    steps: Vec<bool>,
    /// Runs of hidden lines: the first, one past the last, and how many were hidden before.
    hidden: Vec<(usize, usize, usize)>,
    lines: usize,
}

impl Folds {
    pub fn new(index: &Index) -> Folds {
        let folded = index.groups().iter().map(|group| !group.error).collect();
        let steps = index.steps().iter().map(|step| !step.error && went_well(index, step)).collect();
        let mut folds = Folds { folded, steps, hidden: Vec::new(), lines: index.lines() };
        folds.arrange(index);
        folds
    }

    fn arrange(&mut self, index: &Index) {
        let groups = index.groups().iter().zip(&self.folded).map(|(group, folded)| (group.first, group.end, *folded));
        let steps = index.steps().iter().zip(&self.steps).map(|(step, folded)| (step.first, step.end, *folded));
        // The line that names the group or step stays.
        let folded = steps.chain(groups).filter(|(.., folded)| *folded).map(|(first, end, _)| (first + 1, end));
        let mut folded: Vec<(usize, usize)> = folded.filter(|(first, end)| first < end).collect();
        folded.sort();
        let (mut before, mut upto) = (0, 0);
        self.hidden.clear();
        for (first, end) in folded {
            match self.hidden.last_mut().filter(|_| first < upto) {
                // One of them lies in the other: both begin on the same line, or the step is folded.
                Some(last) => {
                    before += end.max(upto) - upto;
                    last.1 = end.max(upto);
                }
                None => {
                    self.hidden.push((first, end, before));
                    before += end - first;
                }
            }
            upto = end.max(upto);
        }
    }

    /// Folds or unfolds the group that a line is in, or else the step; `false` where it is in neither. On a line that
    /// begins both, one after the other.
    pub fn toggle(&mut self, index: &Index, line: usize) -> bool {
        let (step, group) = (index.step_of(line), index.group_of(line));
        let begins_both = self.folded(index, line).is_some() && self.step(index, line).is_some();
        let step = step.and_then(|at| self.steps.get_mut(at));
        let group = group.and_then(|at| self.folded.get_mut(at));
        match (step, group) {
            (Some(step @ true), _) => *step = false,
            (Some(step), Some(group @ false)) if begins_both => (*step, *group) = (true, true),
            (_, Some(fold)) | (Some(fold), None) => *fold = !*fold,
            (None, None) => return false,
        }
        self.arrange(index);
        true
    }

    /// Unfolds everything, or folds all where nothing is folded.
    pub fn toggle_all(&mut self, index: &Index) {
        let fold = !self.folded.contains(&true) && !self.steps.contains(&true);
        self.folded.fill(fold);
        self.steps.fill(fold);
        self.arrange(index);
    }

    /// Unfolds what hides a line.
    pub fn reveal(&mut self, index: &Index, line: usize) {
        // The step first, then the group in it.
        for _ in 0..2 {
            if self.is_hidden(line) {
                self.toggle(index, line);
            }
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

    /// The step that begins on a line, and whether it is folded.
    pub fn step<'a>(&self, index: &'a Index, line: usize) -> Option<(NthStep<'a>, bool)> {
        let at = index.step_of(line)?;
        let lines = index.steps().get(at).filter(|step| step.first == line)?;
        Some((index.listed(lines)?, *self.steps.get(at)?))
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

/// It is known to have ended, and not in anything bad.
fn went_well(index: &Index, lines: &StepLines) -> bool {
    let ended = |step: NthStep<'_>| step.step.completed_at.is_some() && step.step.outcome.finished();
    index.listed(lines).is_some_and(|step| ended(step) && !step.step.outcome.is_loss())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::sample::step;
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
        fn rows_and_lines_agree(
            lines in prop::collection::vec((0usize..5, 0u32..9), 0..60),
            began in prop::collection::vec(0u32..9, 0..6),
            toggles in prop::collection::vec(0usize..60, 0..9),
        ) {
            let words = ["x\n", "##[group]Run g\n", "##[endgroup]\n", "##[error]e\n", "##[group]h\n"];
            let text: String = lines.iter().map(|(at, second)| format!("2026-08-11T10:00:0{second}.5Z {}", words[*at])).collect();
            let steps = began.iter().map(|second| {
                let time = format!("2026-08-11T10:00:0{second}Z");
                step("s", if second % 2 == 0 { "success" } else { "failure" }, Some(&time), None)
            });
            let mut index = Index::of(steps.collect::<Vec<_>>().into());
            index.push(text.as_bytes());
            let index = index.finish();
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
                let mut revealed = folds.clone();
                revealed.reveal(&index, line);
                prop_assert!(!revealed.is_hidden(line));
            }
        }
    }
}
