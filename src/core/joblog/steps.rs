//! Which lines of a log each step of its job wrote, by the times that lines begin with: found while they come.
//! Must not know: which lines are shown.
//!
//! A time that is missing or wrong gives a step no lines, or fewer: those of no step are never folded.

use super::line::Mark;
use crate::core::steps::{Step, Steps};
use crate::core::sweep::Outcome;
use crate::core::time::Time;

/// Lines that a step wrote, to the next step's or to when it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepLines {
    /// Where in the list of its job it stands.
    pub step: usize,
    pub first: usize,
    /// One past its last line.
    pub end: usize,
    /// A line in it is marked as an error.
    pub error: bool,
}

/// A time to the second, as GitHub tells those of steps: `2026-08-11T10:11:12`. Later ones are greater.
type Second = [u8; 19];

fn second(time: Option<Time>) -> Option<Second> {
    time?.format("%Y-%m-%dT%H:%M:%S").to_string().into_bytes().try_into().ok()
}

/// How the first line of a step reads: its mark, and how it goes on.
type Opening = (Mark, &'static [u8]);

const RUN: &[Opening] = &[(Mark::Group, b"Run ")];
const POST: &[Opening] = &[(Mark::Plain, b"Post job cleanup.")];
const COMPLETE: &[Opening] = &[(Mark::Plain, b"Evaluate and set "), (Mark::Plain, b"Cleaning up orphan processes")];

/// A step whose first line did not come yet.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Due {
    step: usize,
    from: Second,
    /// Its last second, where that is known.
    upto: Option<Second>,
    /// Any of them, where steps share a second; none for the first step, which begins with the log.
    openings: &'static [Opening],
}

impl Due {
    /// Whether nothing of it can come any more.
    fn is_over(&self, now: &Second, due: &[Due]) -> bool {
        let next = due.iter().rev().find(|next| next.from > self.from);
        self.upto.is_some_and(|upto| *now > upto) || next.is_some_and(|next| *now >= next.from)
    }

    fn opens(&self, mark: Mark, text: &[u8]) -> bool {
        self.openings.is_empty() || self.openings.iter().any(|(of, start)| *of == mark && text.starts_with(start))
    }
}

/// Steps on their way to their lines.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Placing {
    /// The next one last.
    due: Vec<Due>,
    /// The first line of the second in which the next step may begin.
    maybe: Option<(usize, Second)>,
    placed: Vec<StepLines>,
    /// The last second of the step that was placed last.
    upto: Option<Second>,
}

impl Placing {
    pub fn new(steps: &Steps) -> Placing {
        let mut due: Vec<Due> = Vec::new();
        for (at, step) in steps.iter().enumerate().filter(|(_, step)| step.outcome != Outcome::Skipped) {
            let Some(from) = second(step.started_at) else { continue };
            // No step begins before the one before it.
            let from = due.last().map_or(from, |before| before.from.max(from));
            let upto = second(step.completed_at).filter(|upto| *upto >= from);
            due.push(Due { step: at, from, upto, openings: openings(at, step) });
        }
        due.reverse();
        Placing { due, ..Placing::default() }
    }

    /// Takes the next line: its time, its mark, and what follows them as far as it is looked at.
    pub fn take(&mut self, line: usize, time: Option<&[u8]>, mark: Mark, text: &[u8]) {
        let Some(now) = time.and_then(|time| time.first_chunk::<19>()) else { return };
        self.place(line, now, mark, text);
        if let Some(last) = self.placed.last_mut().filter(|last| last.end == usize::MAX)
            && self.upto.is_some_and(|upto| *now > upto)
        {
            last.end = line;
        }
    }

    fn place(&mut self, line: usize, now: &Second, mark: Mark, text: &[u8]) {
        while let Some(due) = self.due.last() {
            match self.maybe {
                Some((at, then)) if *now > then => self.begin(at),
                None if *now < due.from => return,
                None if due.is_over(now, &self.due) => drop(self.due.pop()),
                _ if due.opens(mark, text) => return self.begin(line),
                Some(_) => return,
                None => {
                    self.maybe = Some((line, *now));
                    return;
                }
            }
        }
    }

    /// The next step begins on this line.
    fn begin(&mut self, line: usize) {
        self.maybe = None;
        let Some(due) = self.due.pop() else { return };
        if let Some(before) = self.placed.last_mut() {
            before.end = before.end.min(line);
        }
        self.upto = due.upto;
        self.placed.push(StepLines { step: due.step, first: line, end: usize::MAX, error: false });
    }

    /// The log has so many lines; these are marked as errors.
    pub fn finish(mut self, lines: usize, errors: &[usize]) -> Vec<StepLines> {
        if let Some((at, _)) = self.maybe {
            self.begin(at);
        }
        for placed in &mut self.placed {
            placed.end = placed.end.min(lines);
            placed.error = any_within(errors, placed.first, placed.end);
        }
        self.placed
    }
}

fn openings(at: usize, step: &Step) -> &'static [Opening] {
    match &*step.name {
        _ if at == 0 => &[],
        "Complete job" => COMPLETE,
        name if name.starts_with("Post ") => POST,
        _ => RUN,
    }
}

/// Whether one of these rising lines is in a range.
pub(super) fn any_within(rising: &[usize], first: usize, end: usize) -> bool {
    rising.get(rising.partition_point(|line| *line < first)).is_some_and(|line| *line < end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::joblog::Index;
    use crate::core::sample::step;

    /// Names, `-` before that of a skipped one, with the seconds in which they began and ended.
    fn steps(listed: &[(&str, &str, &str)]) -> Steps {
        let time = |second: &str| (!second.is_empty()).then(|| format!("2026-08-11T10:00:{second}Z"));
        let made = |(name, from, to): &(&str, &str, &str)| {
            let (name, word) = name.strip_prefix('-').map_or((*name, "success"), |name| (name, "skipped"));
            step(name, word, time(from).as_deref(), time(to).as_deref())
        };
        listed.iter().map(made).collect::<Vec<_>>().into()
    }

    /// Which step each line is of: its place in the list, or `.`.
    fn shown(listed: &[(&str, &str, &str)], lines: &[(&str, &str)]) -> String {
        let time = |second: &str| if second.is_empty() { String::new() } else { format!("2026-08-11T10:00:{second}.5Z ") };
        let text: String = lines.iter().map(|(second, text)| format!("{}{text}\n", time(second))).collect();
        let mut index = Index::of(steps(listed));
        index.push(text.as_bytes());
        let index = index.finish();
        let of = |line| index.step_of(line).map_or_else(|| ".".to_owned(), |at| index.steps()[at].step.to_string());
        (0..index.lines()).map(of).collect()
    }

    #[test]
    fn each_line_is_of_the_step_in_whose_time_it_was_written() {
        let run = "##[group]Run x";
        let job = [("Set up job", "01", "02"), ("Checkout", "02", "04"), ("Launch", "04", "09"), ("Complete job", "09", "09")];
        let lines =
            [("01", "a"), ("02", "b"), ("02", run), ("03", "c"), ("04", run), ("", "d"), ("08", "e"), ("09", "f"), ("09", "g")];
        type Row<'a> = (&'a str, &'a [(&'a str, &'a str, &'a str)], &'a [(&'a str, &'a str)], &'a str);
        let table: [Row<'_>; 13] = [
            ("no steps are known", &[], &lines, "........."),
            ("the line that says Run begins a step, and without one the first of the second", &job, &lines, "001122233"),
            ("a skipped step takes no line", &[job[0], ("-Cache", "02", "02"), job[1], job[2], job[3]], &lines, "002233344"),
            (
                "steps that share a second begin where each says so",
                &[
                    ("Set up job", "01", "01"),
                    ("A", "01", "01"),
                    ("B", "01", "01"),
                    ("Post A", "01", "01"),
                    ("Complete job", "01", "01"),
                ],
                &[
                    ("01", "s"),
                    ("01", run),
                    ("01", "a"),
                    ("01", run),
                    ("01", "b"),
                    ("01", "Post job cleanup."),
                    ("01", "p"),
                    ("01", "Cleaning up orphan processes"),
                ],
                "01122334",
            ),
            (
                "a step that wrote nothing takes nothing of the next one's",
                &[("Set up job", "01", "02"), ("A", "03", "05"), ("B", "05", "07")],
                &[("01", "s"), ("05", run), ("06", "b")],
                "022",
            ),
            (
                "what was written after a step ended is of none",
                &[("Set up job", "01", "02"), ("A", "05", "06")],
                &[("01", "s"), ("02", "s"), ("03", "x"), ("05", run), ("07", "x"), ("05", "late")],
                "00.1..",
            ),
            (
                "times of another day leave all as it is",
                &[("Set up job", "01", "02"), ("A", "02", "03")],
                &[("40", "x"), ("41", run), ("42", "x")],
                "...",
            ),
            (
                "so do times that are yet to come",
                &[("Set up job", "50", "51"), ("A", "51", "52")],
                &[("40", "x"), ("41", run)],
                "..",
            ),
            (
                "a step without a time takes no line",
                &[("Set up job", "01", ""), ("A", "", ""), ("B", "04", "")],
                &[("01", "s"), ("02", run), ("04", run)],
                "002",
            ),
            (
                "an end before the beginning is none",
                &[("Set up job", "01", "00"), ("A", "02", "09")],
                &[("01", "s"), ("01", "s"), ("02", run)],
                "001",
            ),
            (
                "no step begins before the one before it",
                &[("Set up job", "05", "06"), ("A", "01", "06"), ("B", "06", "07")],
                &[("04", "x"), ("05", "s"), ("05", run), ("06", run)],
                ".012",
            ),
            (
                "lines without times are of the step that is going",
                &[("Set up job", "01", "02"), ("A", "02", "09")],
                &[("", "x"), ("01", "s"), ("", "s"), ("02", run), ("", "a")],
                ".0011",
            ),
            (
                "a step may begin on the last line",
                &[("Set up job", "01", "01"), ("A", "02", "02")],
                &[("01", "s"), ("02", "a")],
                "01",
            ),
        ];
        for (what, listed, lines, expected) in table {
            assert_eq!(shown(listed, lines), expected, "{what}");
        }
    }
}
