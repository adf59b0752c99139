//! What a job failed of, from the end of its log, without what differs from job to job: jobs with the same are a group.
//! Must not know: jobs, or which of them are compared.

use super::line::{Mark, parse_line};
use crate::core::text::start;
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// Lines up to the last error that are looked at.
const LINES: usize = 60;
/// Bytes of a line that count.
const LONGEST: usize = 400;
/// A part of a path with a number in it that is longer than this may be made up.
const RANDOM: usize = 8;

/// Why a job failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    /// The line that tells most, with `…` for what differs from job to job. Strangers' text, not yet gated.
    pub sentence: String,
    /// How the job ended, where the sentence is another line.
    pub end: Option<String>,
}

impl Fingerprint {
    /// Equal for equal reasons: `CUDA error: out of memory · exit code 137`
    pub fn label(&self) -> String {
        match &self.end {
            Some(end) => {
                let end = end.strip_prefix("Process completed with ").unwrap_or(end);
                format!("{} · {}", self.sentence, end.trim_end_matches('.'))
            }
            None => self.sentence.clone(),
        }
    }
}

/// What a job failed of, from its log or the end of it. `None` where no line is marked as an error.
///
/// The runner's own error mostly tells nothing but an exit code: the last line before it that speaks of a failure tells
/// more. Times, numbers, addresses, ids and what is random in paths are left out; an exit code is not.
pub fn fingerprint(tail: &str) -> Option<Fingerprint> {
    let lines: Vec<_> = tail.lines().map(|line| parse_line(line.as_bytes(), false)).collect();
    let last = lines.iter().rposition(|line| line.mark == Mark::Error)?;
    let end = without_particulars(&lines.get(last)?.text);
    let near = lines.get(last.saturating_sub(LINES)..last)?;
    let failed = near.iter().rev().filter(|line| matches!(line.mark, Mark::Plain | Mark::Error));
    let told = failed.map(|line| line.text.trim()).find(|text| speaks_of_failure(text) && !is_exit(text));
    let told = told.map(without_particulars).filter(|_| is_exit(&end));
    Some(match told {
        Some(sentence) => Fingerprint { sentence, end: Some(end) },
        None => Fingerprint { sentence: end, end: None },
    })
}

/// Whether a text tells that a process ended and nothing more.
fn is_exit(text: &str) -> bool {
    static EXIT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)^(?:error: )?(?:process completed with|the process .* failed with|.*\breturned|.*\bexited with(?: a)?) exit (?:code|status):? *-?\d+\.?$|^(?:srun|slurmstepd): error: .*: task .*: exited with exit code \d+$").ok()
    });
    EXIT.as_ref().is_some_and(|exit| exit.is_match(text.trim()))
}

fn speaks_of_failure(text: &str) -> bool {
    static FAILURE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)\b\w*(?:error|exception|panic)\b|\b(?:fatal|fail(?:ed|ure)|abort(?:ed)?|killed|timed out|time-?out|out of memory|oom|no space left|cannot|can't|could not|denied|refused|not found|no such|unable|invalid|segmentation fault|core dumped|unhealthy)\b").ok()
    });
    static NONE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i)\b(?:0|no) (?:errors?|failures?|failed)\b").ok());
    let holds = |what: &LazyLock<Option<Regex>>| what.as_ref().is_some_and(|what| what.is_match(text));
    holds(&FAILURE) && !holds(&NONE)
}

/// The text with `…` in place of what differs from job to job, and one space where there were many.
fn without_particulars(text: &str) -> String {
    static PARTICULAR: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?P<kept>(?i:exit(?:ed with)? (?:code|status):? *|signal:? )-?\d+)",
            // Times and dates, then addresses, ids, and numbers of any kind.
            r"|\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d+)?(?:Z|[+-]\d{2}:?\d{2})?)?",
            r"|\b\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?\b",
            r"|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b",
            r"|\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b",
            r"|\b0x[0-9a-fA-F]+\b",
            // What a temporary folder or file is called, and a long part of a path that has a number in it.
            r"|(?P<place>/tmp/|/var/tmp/|/_temp/)[^\s/'\x22:,;)]+",
            r"|(?P<part>/[\w+=@-]*\d[\w+=@-]*)",
            r"|(?P<id>\b[0-9a-fA-F]{7,}\b)",
            r"|\d+(?:[.,]\d+)*",
        ))
        .ok()
    });
    static DIGITS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\d+").ok());
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let Some(particular) = PARTICULAR.as_ref() else { return text };
    let replaced = particular.replace_all(start(&text, LONGEST), |found: &Captures<'_>| {
        let group = |name| found.name(name).map(|found| found.as_str());
        let digits = |text: &str| DIGITS.as_ref().map_or_else(String::new, |digits| digits.replace_all(text, "…").into_owned());
        match (group("kept"), group("place"), group("part"), group("id")) {
            (Some(kept), ..) => kept.to_owned(),
            (_, Some(place), ..) => format!("{place}…"),
            (_, _, Some(part), _) if part.len() > RANDOM => "/…".to_owned(),
            (_, _, Some(part), _) => digits(part),
            // A word of these letters alone is a word.
            (.., Some(id)) if !id.bytes().any(|byte| byte.is_ascii_digit()) => id.to_owned(),
            _ => "…".to_owned(),
        }
    });
    replaced.into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn log(lines: &[&str]) -> String {
        lines.iter().map(|line| format!("2026-08-11T10:11:12.1234567Z {line}\r\n")).collect()
    }

    const EXIT: &str = "##[error]Process completed with exit code 1.";

    fn sentence(lines: &[&str]) -> Option<String> {
        fingerprint(&log(lines)).map(|found| found.sentence)
    }

    #[test]
    fn the_line_that_tells_most_is_the_sentence() {
        let table: [(&[&str], Option<&str>); 9] = [
            (&[], None),
            (&["Error: no mark"], None),
            (&["all well", EXIT], Some("Process completed with exit code 1.")),
            (
                &["torch.OutOfMemoryError: CUDA out of memory. Tried 3.5 GiB", "  at x", EXIT, "Post job"],
                Some("torch.OutOfMemoryError: CUDA out of memory. Tried … GiB"),
            ),
            (&["\x1b[31mfatal: no such ref\x1b[0m", "0 errors", EXIT], Some("fatal: no such ref")),
            (
                &["a failed", "##[error]The runner lost its connection at 10:11:12."],
                Some("The runner lost its connection at …."),
            ),
            (&["##[error]first", EXIT, "later failed"], Some("Process completed with exit code 1.")),
            (&["##[error]Server failed", EXIT], Some("Server failed")),
            (
                &["srun: error: node-17: task 3: Exited with exit code 137", "srun: error: x not found", EXIT],
                Some("srun: error: x not found"),
            ),
        ];
        for (lines, expected) in table {
            assert_eq!(sentence(lines).as_deref(), expected, "{lines:?}");
        }
    }

    #[test]
    fn what_differs_from_job_to_job_makes_no_difference() {
        let alike = [
            ("cannot open /tmp/tmp.a8Kd/x at 12:03:04", "cannot open /tmp/tmp.Zz91/x at 13:59:59"),
            ("Error: 10.0.0.7:8000 refused, try 3 of 10", "Error: 192.168.17.4:30000 refused, try 9 of 10"),
            ("failed: job 8a7f3cde91 at 0x7ffd12", "failed: job 0b1122ccdd at 0x55aa"),
            (
                "failed 2026-08-11T10:11:12.5Z id 123e4567-e89b-12d3-a456-426614174000",
                "failed 2025-01-02 03:04:05 id 00000000-0000-0000-0000-00000000000a",
            ),
            ("cannot read /scratch/run_aB3dE9x/y.txt", "cannot read /scratch/run_Zq81kLm/y.txt"),
            ("failed: abcdef12", "failed: 99fedcba"),
            ("Error  in step   7", "Error in step 12"),
        ];
        for (one, other) in alike {
            assert_eq!(fingerprint(&log(&[one, EXIT])), fingerprint(&log(&[other, EXIT])), "{one}");
        }
        let unlike = [
            (["Error: refused", EXIT], ["Error: denied", EXIT]),
            (["failed in /a/b2/defaced.py", EXIT], ["failed in /a/b2/effaced.py", EXIT]),
            (["x", EXIT], ["x", "##[error]Process completed with exit code 137."]),
            (["CUDA error: a", EXIT], ["CUDA error: a", "##[error]Process completed with exit code 137."]),
        ];
        for (one, other) in unlike {
            assert_ne!(fingerprint(&log(&one)), fingerprint(&log(&other)), "{one:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_taken_and_numbers_never_count(text in "\\PC{0,80}", one in 10u32..99, other in 100u32..9999) {
            let of = |number: u32| fingerprint(&log(&[&format!("Error {number} in"), &text, EXIT]));
            let _ = fingerprint(&text);
            prop_assert_eq!(of(one), of(other));
        }
    }
}
