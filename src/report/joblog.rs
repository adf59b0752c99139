//! The log of a job as plain text: its lines with their numbers, or what stands around its errors.
//! Must not know: where a log comes from, colours.

use crate::core::joblog::{Index, Line};
use crate::core::text::gate;
use std::ops::Range;

/// Lines shown before and after one that is marked as an error.
const AROUND: usize = 3;

/// One line and its end, safe for a terminal.
pub fn line(line: &Line, times: bool) -> String {
    let time = line.time.as_deref().filter(|_| times).map_or_else(String::new, |time| format!("{time} "));
    format!("{time}{}\n", gate::line(&line.plain()))
}

/// [`line()`] behind its number; an error is marked as one.
pub fn numbered(index: &Index, at: usize, line: &Line, times: bool) -> String {
    let mark = if index.errors().binary_search(&at).is_ok() { '>' } else { ' ' };
    let cols = index.lines().to_string().len();
    format!("{mark}{:>cols$} {}", at + 1, self::line(line, times))
}

/// What stands above the lines of a step: `── ✗ step 3 of 6, Launch job script, 14 m`.
pub fn heading(index: &Index, step: Option<usize>) -> String {
    let Some(step) = step.and_then(|at| index.listed(index.steps().get(at)?)) else {
        return "── of no step\n".to_owned();
    };
    let length = step.length(None);
    let told = format!("── {} {step}{}{length}", step.step.outcome.mark(), if length.is_empty() { "" } else { ", " });
    format!("{}\n", gate::line(&told))
}

/// Errors with what stands around them: rising, disjoint ranges of lines.
pub fn errors(index: &Index) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    for line in index.errors() {
        let near = line.saturating_sub(AROUND)..(line + AROUND + 1).min(index.lines());
        match out.last_mut().filter(|last| near.start <= last.end) {
            Some(last) => last.end = near.end,
            None => out.push(near),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::joblog::parse_line;
    use crate::core::sample::step;

    #[test]
    fn lines_are_gated_and_errors_stand_in_their_surroundings() {
        let mut text: Vec<String> = (1..=30).map(|n| format!("2026-08-11T10:11:12Z line {n}\n")).collect();
        for at in [1, 7, 29] {
            text[at] = "2026-08-11T10:11:12Z ##[error]bad \x1b[31mred\x1b[0m\x1b[2J\n".to_owned();
        }
        let mut index = Index::default();
        index.push(text.concat().as_bytes());
        let index = index.finish();
        assert_eq!(errors(&index), [0..11, 26..30]);
        let of = |at: usize| parse_line(text[at].as_bytes(), false);
        assert_eq!(numbered(&index, 1, &of(1), false), "> 2 Error: bad red^[[2J\n");
        assert_eq!(numbered(&index, 0, &of(0), true), "  1 2026-08-11T10:11:12Z line 1\n");
        assert_eq!(line(&of(0), false), "line 1\n");
        assert!(errors(&Index::default()).is_empty());
    }

    #[test]
    fn a_step_stands_above_its_lines() {
        let time = Some("2026-08-11T10:11:12Z");
        let launch = step("Launch \x1b[2J", "failure", time, Some("2026-08-11T10:25:12Z"));
        let mut index = Index::of(vec![step("Set up job", "success", None, None), launch].into());
        index.push(b"2026-08-11T10:11:12Z ##[group]Run x\n");
        let index = index.finish();
        assert_eq!(heading(&index, index.step_of(0)), "── ✗ step 2 of 2, Launch ^[[2J, 14 m\n");
        assert_eq!(heading(&index, None), "── of no step\n");
    }
}
