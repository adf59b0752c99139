//! Versions of a draft's text, to step back and forth through. What was posted is no text, and is never undone.
//! Must not know: files; when a state is worth keeping is the caller's.

use super::{Draft, Unreadable, parse_draft};
use crate::core::time::Time;
use serde::{Deserialize, Serialize};
use std::mem;

/// The number that each line of the file bears. Within it, keys are only added.
pub const SCHEMA: u32 = 1;
/// As many states are kept; the oldest goes first.
pub const MOST: usize = 50;

/// States of a draft, oldest first, and the one that is shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct History {
    states: Vec<(Time, Draft)>,
    /// Index into `states`; 0 when there are none.
    at: usize,
}

/// A history file as it was read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Read {
    pub history: History,
    /// Lines that are no states of ours: to be set aside before the file is written again.
    pub apart: Vec<Apart>,
}

/// A line that was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Apart {
    /// From 1.
    pub line: usize,
    /// Its bytes, where they are no UTF-8 with markers instead.
    pub text: String,
    pub why: Unreadable,
}

impl Apart {
    /// For the person, a sentence.
    pub fn sentence(&self) -> String {
        match &self.why {
            Unreadable::Corrupt(why) => {
                format!("Line {} of the draft's history cannot be read and is set aside: {why}.", self.line)
            }
            Unreadable::Newer(schema) => format!(
                "Line {} of the draft's history is of version {schema}, this program writes {SCHEMA}: leave the file to the newer program.",
                self.line
            ),
        }
    }
}

impl Read {
    /// Whether a newer program wrote some of it: then the file is not to be written.
    pub fn is_newer(&self) -> bool {
        self.apart.iter().any(|apart| matches!(apart.why, Unreadable::Newer(_)))
    }
}

impl History {
    pub fn current(&self) -> Option<&Draft> {
        self.states.get(self.at).map(|(_, draft)| draft)
    }

    /// States and when they were pushed, oldest first; the second value is the index of the one that is shown.
    pub fn states(&self) -> (&[(Time, Draft)], usize) {
        (&self.states, self.at)
    }

    pub fn can_undo(&self) -> bool {
        self.at > 0
    }

    pub fn can_redo(&self) -> bool {
        self.at + 1 < self.states.len()
    }

    /// Keeps a state, and forgets those that were undone. A state whose text is the one that is shown is not another one.
    pub fn push(&mut self, now: Time, draft: &Draft) {
        if self.is_shown(draft) {
            return;
        }
        self.states.truncate(self.at + 1);
        self.states.push((now, draft.clone()));
        let over = self.states.len().saturating_sub(MOST);
        self.states.drain(..over);
        self.at = self.states.len() - 1;
    }

    /// The state before, with the posting of today's draft. What today's draft says that no state does is kept first, so
    /// that [`History::redo`] brings it back. `None`: there is none before.
    pub fn undo(&mut self, now: Time, today: &Draft) -> Option<&Draft> {
        self.push(now, today);
        self.at = self.at.checked_sub(1)?;
        self.shown_as(today)
    }

    /// The state that was undone last, with the posting of today's draft. `None`: there is none, or something else was
    /// written since.
    pub fn redo(&mut self, today: &Draft) -> Option<&Draft> {
        if !self.can_redo() || !self.is_shown(today) {
            return None;
        }
        self.at += 1;
        self.shown_as(today)
    }

    fn is_shown(&self, draft: &Draft) -> bool {
        self.current().is_some_and(|current| same_text(current, draft))
    }

    fn shown_as(&mut self, today: &Draft) -> Option<&Draft> {
        let (_, state) = self.states.get_mut(self.at)?;
        *state = posted_as(mem::replace(state, today.clone()), today);
        Some(state)
    }
}

/// Whether two drafts say the same, however they were posted.
fn same_text(one: &Draft, other: &Draft) -> bool {
    posted_as(one.clone(), other) == *other
}

/// A draft's text with the posting of another: how and where it goes out, and what became of it.
pub fn posted_as(text: Draft, posting: &Draft) -> Draft {
    let Draft { way, edits, edits_text, basis, attempt, posted, .. } = posting.clone();
    Draft { way, edits, edits_text, basis, attempt, posted, ..text }
}

/// One line of the file.
#[derive(Serialize)]
struct Line<'a> {
    schema: u32,
    at: Time,
    /// Whether it is the state that is shown.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    shown: bool,
    draft: &'a Draft,
}

/// The file's text: a line of JSON per state, oldest first.
pub fn render_history(history: &History) -> String {
    let mut out = String::new();
    for (index, (at, draft)) in history.states.iter().enumerate() {
        let line = Line { schema: SCHEMA, at: *at, shown: index == history.at, draft };
        out.push_str(&serde_json::to_string(&line).unwrap_or_default());
        out.push('\n');
    }
    out
}

/// Reads a history file. What cannot be read is told line by line and costs nothing else; where the shown state is among
/// it, or none is marked, the newest is shown.
pub fn parse_history(bytes: &[u8]) -> Read {
    let mut out = Read::default();
    let mut shown = None;
    for (index, bytes) in bytes.split(|byte| *byte == b'\n').enumerate() {
        if bytes.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match parse_line(bytes) {
            Ok((at, is_shown, draft)) => {
                if is_shown {
                    shown = Some(out.history.states.len());
                }
                out.history.states.push((at, draft));
            }
            Err(why) => {
                let text = String::from_utf8_lossy(bytes).into_owned();
                out.apart.push(Apart { line: index + 1, text, why });
            }
        }
    }
    let states = &mut out.history.states;
    let over = states.len().saturating_sub(MOST);
    states.drain(..over);
    let newest = states.len().saturating_sub(1);
    out.history.at = shown.map_or(newest, |shown| shown.saturating_sub(over).min(newest));
    out
}

fn parse_line(bytes: &[u8]) -> Result<(Time, bool, Draft), Unreadable> {
    #[derive(Deserialize)]
    struct Version {
        schema: u32,
    }
    #[derive(Deserialize)]
    struct Line<'a> {
        at: Time,
        #[serde(default)]
        shown: bool,
        #[serde(borrow)]
        draft: &'a serde_json::value::RawValue,
    }
    let corrupt = |error: serde_json::Error| Unreadable::Corrupt(error.to_string());
    let version: Version = serde_json::from_slice(bytes).map_err(corrupt)?;
    if version.schema > SCHEMA {
        return Err(Unreadable::Newer(version.schema));
    }
    let line: Line<'_> = serde_json::from_slice(bytes).map_err(corrupt)?;
    Ok((line.at, line.shown, parse_draft(line.draft.get().as_bytes())?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::ids::{PullNumber, RepoName};
    use crate::core::posting::Attempt;
    use crate::core::session::Basis;
    use proptest::prelude::*;

    fn draft(text: &str) -> Draft {
        let mut draft = Draft::new("h", RepoName { owner: "o".into(), name: "r".into() }, PullNumber(7));
        draft.detail = Some(text.to_owned());
        draft
    }

    fn at(seconds: i64) -> Time {
        Time::default() + chrono::TimeDelta::seconds(seconds)
    }

    fn text(draft: Option<&Draft>) -> Option<&str> {
        draft.and_then(|draft| draft.detail.as_deref())
    }

    #[test]
    fn steps_go_back_and_forth_and_writing_forgets_what_was_undone() {
        let mut history = History::default();
        assert_eq!(history.redo(&draft("a")), None);
        assert_eq!(history.undo(at(0), &draft("a")), None);
        for (seconds, text) in ["a", "b", "b", "c"].into_iter().enumerate() {
            history.push(at(seconds as i64), &draft(text));
        }
        assert_eq!(history.states().0.len(), 3);
        assert_eq!(text(history.undo(at(4), &draft("c"))), Some("b"));
        assert_eq!(text(history.undo(at(5), &draft("b"))), Some("a"));
        assert_eq!(text(history.undo(at(6), &draft("a"))), None);
        assert_eq!(text(history.redo(&draft("a"))), Some("b"));
        // Something else was written: nothing can be redone, and it is kept when one goes back from it.
        assert_eq!(text(history.redo(&draft("x"))), None);
        assert_eq!(text(history.undo(at(7), &draft("x"))), Some("b"));
        assert_eq!(text(history.redo(&draft("b"))), Some("x"));
        assert!(!history.can_redo() && history.can_undo());
    }

    #[test]
    fn what_was_posted_is_not_undone() {
        let mut history = History::default();
        history.push(at(0), &draft("a"));
        history.push(at(1), &draft("b"));
        let mut today = draft("b");
        today.attempt = Some(Attempt {
            digest: "d".into(),
            author: crate::core::ids::UserId(1),
            target: Default::default(),
            newest: None,
            head: "h".into(),
            at: at(2),
        });
        today.posted = Some("https://h/1".into());
        today.basis = Some(Basis { head: "h".into(), template: "t".into() });
        today.edits = crate::core::verdict::SignoffRef::parse("issuecomment-5");
        today.edits_text = Some("as it was taken over".into());
        today.way = crate::core::session::Way::Approve;
        let want = Draft { detail: Some("a".into()), ..today.clone() };
        assert_eq!(history.undo(at(3), &today), Some(&want));
        // The same text, posted or not, is one state.
        history.push(at(4), &draft("a"));
        assert_eq!(history.states(), (&[(at(0), want), (at(1), draft("b"))][..], 0));
        let plain = draft("a");
        assert_eq!(history.redo(&plain), Some(&draft("b")), "today's posting, which is none");
    }

    #[test]
    fn a_line_that_cannot_be_read_costs_nothing_else() {
        let mut history = History::default();
        ["a", "b", "c"].into_iter().for_each(|text| history.push(at(1), &draft(text)));
        history.undo(at(2), &draft("c"));
        let whole = render_history(&history);
        assert_eq!(whole.lines().count(), 3);
        assert_eq!(parse_history(whole.as_bytes()), Read { history: history.clone(), apart: Vec::new() });
        let lines: Vec<&str> = whole.lines().collect();
        // The file's text, the texts of its states, the one that is shown, and what is said of a line.
        let table: [(String, &[&str], &str, &str); 7] = [
            (format!("{}\n{{broken\n{}\n{}\n", lines[0], lines[1], lines[2]), &["a", "b", "c"], "b", "Line 2 "),
            (format!("{}\n{}", lines[0], &lines[1][..40]), &["a"], "a", "Line 2 "),
            (format!("{}\n{}\n", lines[0], lines[2]), &["a", "c"], "c", ""),
            (format!("{}\n{{\"schema\":2}}\n", lines[0]), &["a"], "a", "leave the file to the newer program"),
            (
                format!("{}\n{}\n", lines[0], lines[1].replace("\"draft\":{\"schema\":1", "\"draft\":{\"schema\":9")),
                &["a"],
                "a",
                "version 9",
            ),
            (format!("\n\r\n{}\n\n", lines[1]), &["b"], "b", ""),
            (String::new(), &[], "", ""),
        ];
        for (file, states, shown, words) in table {
            let read = parse_history(file.as_bytes());
            let texts: Vec<&str> = read.history.states().0.iter().filter_map(|(_, draft)| draft.detail.as_deref()).collect();
            assert_eq!((texts.as_slice(), text(read.history.current()).unwrap_or_default()), (states, shown), "{file}");
            assert_eq!(read.apart.len(), usize::from(!words.is_empty()), "{file}");
            assert!(read.apart.iter().all(|apart| apart.sentence().contains(words)), "{:?}", read.apart);
            assert_eq!(read.is_newer(), words.contains("newer") || words.contains("version"), "{file}");
        }
    }

    /// The form that version 1 wrote on its first day: must be readable for ever.
    #[test]
    fn the_golden_line_reads() {
        const GOLDEN_1: &str = r#"{"schema":1,"at":"2026-08-11T12:00:00Z","shown":true,"draft":{"schema":1,"host":"api.github.com","repo":{"owner":"o","name":"r"},"number":7,"ticks":{},"detail":"seen","way":"comment","basis":null,"attempt":null,"posted":null}}"#;
        let read = parse_history(GOLDEN_1.as_bytes());
        assert_eq!(read.apart, []);
        assert_eq!(text(read.history.current()), Some("seen"));
        assert_eq!(render_history(&read.history).trim_end(), GOLDEN_1);
    }

    /// What a person does, against a plain list of texts.
    #[derive(Debug, Clone)]
    enum Step {
        Write(u8),
        Undo,
        Redo,
        Reopen,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let write = (0u8..5).prop_map(Step::Write);
        prop::collection::vec(
            prop_oneof![6 => write, 2 => Just(Step::Undo), 2 => Just(Step::Redo), 1 => Just(Step::Reopen)],
            0..160,
        )
    }

    proptest! {
        #[test]
        fn a_history_is_a_list_with_a_finger(steps in steps()) {
            let mut history = History::default();
            let mut today = draft("start");
            history.push(at(0), &today);
            let (mut list, mut finger) = (vec!["start".to_owned()], 0);
            for (seconds, step) in steps.into_iter().enumerate() {
                let now = at(seconds as i64);
                match step {
                    Step::Write(n) => {
                        today.detail = Some(n.to_string());
                        today.posted = Some(seconds.to_string());
                        history.push(now, &today);
                        if list[finger] != n.to_string() {
                            list.truncate(finger + 1);
                            list.push(n.to_string());
                            let over = list.len().saturating_sub(MOST);
                            list.drain(..over);
                            finger = list.len() - 1;
                        }
                    }
                    Step::Undo => {
                        if let Some(before) = history.undo(now, &today).cloned() {
                            prop_assert_eq!(&before.posted, &today.posted);
                            today = before;
                            finger -= 1;
                        } else {
                            prop_assert_eq!(finger, 0);
                        }
                    }
                    Step::Redo => {
                        if let Some(after) = history.redo(&today).cloned() {
                            prop_assert_eq!(&after.posted, &today.posted);
                            today = after;
                            finger += 1;
                        } else {
                            prop_assert_eq!(finger + 1, list.len());
                        }
                    }
                    Step::Reopen => {
                        let read = parse_history(render_history(&history).as_bytes());
                        prop_assert_eq!(&read, &Read { history: history.clone(), apart: Vec::new() });
                        history = read.history;
                    }
                }
                let (states, shown) = history.states();
                prop_assert!(states.len() <= MOST);
                let texts: Vec<&str> = states.iter().filter_map(|(_, draft)| draft.detail.as_deref()).collect();
                prop_assert_eq!((texts, shown), (list.iter().map(String::as_str).collect::<Vec<_>>(), finger));
                prop_assert_eq!(today.detail.as_deref(), Some(list[finger].as_str()));
            }
        }

        #[test]
        fn every_byte_is_read_or_told(bytes in prop::collection::vec(any::<u8>(), 0..120), keep in any::<bool>()) {
            let mut history = History::default();
            history.push(at(0), &draft("a"));
            let mut file = if keep { render_history(&history).into_bytes() } else { Vec::new() };
            file.extend(&bytes);
            let read = parse_history(&file);
            prop_assert_eq!(read.history.states().0.len(), usize::from(keep));
            let lines = bytes.split(|b| *b == b'\n').filter(|line| !line.iter().all(u8::is_ascii_whitespace)).count();
            prop_assert_eq!(read.apart.len(), lines);
        }
    }
}
