//! The highlighting thread: one file at a time, its top first, the newest wish first, nothing that is no longer wanted.
//! Must not know: syntaxes.

use super::event_loop::Incoming;
use crate::app::Msg;
use crate::app::effect::Ticket;
use crate::app::msg::Reply;
use crate::core::diff::parse::parse_patch;
use crate::core::text::role::Spans;
use crate::syntax::Highlighter;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

/// Rows of the first piece of a file: more than a screen. Each piece is twice the one before, so that a long file costs few
/// frames.
const FIRST_ROWS: usize = 128;

/// Asks the thread for work. It is started by the first wish and dies with the process: nobody waits for it.
pub struct Highlighting {
    desk: Arc<Desk>,
    inbox: Sender<Incoming>,
    started: bool,
    /// Ends the work on the newest wish: read between lines.
    cancel: Arc<AtomicBool>,
}

#[derive(Default)]
struct Desk {
    next: Mutex<Option<Job>>,
    filled: Condvar,
}

struct Job {
    cancel: Arc<AtomicBool>,
    ticket: Ticket,
    path: String,
    patch: Arc<str>,
}

impl Highlighting {
    pub fn new(inbox: Sender<Incoming>) -> Highlighting {
        Highlighting { desk: Arc::default(), inbox, started: false, cancel: Arc::default() }
    }

    /// Wishes for a file's patch; an older wish is dropped, also half done.
    pub fn ask(&mut self, ticket: Ticket, path: String, patch: Arc<str>) {
        if !self.started {
            let (desk, inbox) = (Arc::clone(&self.desk), self.inbox.clone());
            // Without the thread the diff stays plain.
            self.started = thread::Builder::new().name("highlight".into()).spawn(move || desk.work(&inbox)).is_ok();
        }
        self.cancel();
        self.cancel = Arc::default();
        self.desk.put(Some(Job { cancel: Arc::clone(&self.cancel), ticket, path, patch }));
        self.desk.filled.notify_one();
    }

    pub fn cancel(&self) {
        self.cancel.store(true, Ordering::Relaxed);
        self.desk.put(None);
    }
}

impl Desk {
    fn put(&self, job: Option<Job>) {
        *self.next.lock().unwrap_or_else(PoisonError::into_inner) = job;
    }

    fn work(&self, inbox: &Sender<Incoming>) {
        // Loading the syntaxes is part of the first job, so that no start waits for it.
        let mut highlighter = None;
        loop {
            let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
            let job = loop {
                match next.take() {
                    Some(job) => break job,
                    None => next = self.filled.wait(next).unwrap_or_else(PoisonError::into_inner),
                }
            };
            drop(next);
            let highlighter = highlighter.get_or_insert_with(Highlighter::new);
            // A grammar that fails on hostile text costs the colours of this file, not the thread.
            let _ = catch_unwind(AssertUnwindSafe(|| highlight(highlighter, &job, inbox)));
        }
    }
}

/// Sends the rows piece by piece until the end, or until they are no longer wanted.
fn highlight(highlighter: &Highlighter, job: &Job, inbox: &Sender<Incoming>) {
    let language = highlighter.language(&job.path, first_line(&job.patch));
    let patch = parse_patch(&job.patch);
    let mut rows = highlighter.rows(language, &patch, &job.patch);
    let (mut from, mut count) = (0, FIRST_ROWS);
    loop {
        let wanted = || !job.cancel.load(Ordering::Relaxed);
        let spans: Vec<Spans> = rows.by_ref().take(count).take_while(|_| wanted()).collect();
        let rows = spans.len();
        let reply = Reply::Highlighted { path: job.path.clone(), from, spans };
        if rows == 0 || !wanted() || inbox.send(Incoming::Msg(Msg::Reply(job.ticket.clone(), reply))).is_err() {
            return;
        }
        (from, count) = (from + rows, count * 2);
    }
}

/// The file's first line, where the patch holds it: it may name the interpreter.
fn first_line(patch: &str) -> &str {
    let mut lines = patch.lines();
    let header = lines.next().unwrap_or_default();
    if !(header.contains("+1,") || header.contains("+1 ")) {
        return "";
    }
    lines.find(|line| !line.starts_with('-')).and_then(|line| line.get(1..)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::effect::Slot;
    use std::sync::mpsc::channel;

    #[test]
    fn the_newest_wish_is_answered_and_a_cancelled_one_is_not() {
        let (inbox, answers) = channel();
        let mut highlighting = Highlighting::new(inbox);
        let patch: Arc<str> = Arc::from("@@ -0,0 +1,2 @@\n+# a comment\n+key: 1\n");
        for serial in 1..=3 {
            let ticket = Ticket { slot: Slot::Highlight("a.yaml".into()), serial };
            highlighting.ask(ticket, "a.yaml".into(), Arc::clone(&patch));
        }
        let newest = loop {
            let Ok(Incoming::Msg(Msg::Reply(ticket, Reply::Highlighted { path, spans, .. }))) = answers.recv() else {
                panic!()
            };
            if ticket.serial == 3 {
                break (path, spans);
            }
        };
        assert_eq!((newest.0.as_str(), newest.1.len()), ("a.yaml", 3));
        assert!(!newest.1[1].is_empty());
    }

    #[test]
    fn a_long_file_comes_in_pieces_that_fit_together() {
        let (inbox, answers) = channel();
        let mut highlighting = Highlighting::new(inbox);
        let patch: Arc<str> = Arc::from(format!("@@ -0,0 +1,999 @@\n{}", "+key: 1\n".repeat(999)));
        highlighting.ask(Ticket { slot: Slot::Highlight("a.yaml".into()), serial: 1 }, "a.yaml".into(), patch);
        let mut pieces = Vec::new();
        while pieces.iter().sum::<usize>() < 1_000 {
            let Ok(Incoming::Msg(Msg::Reply(_, Reply::Highlighted { from, spans, .. }))) = answers.recv() else { panic!() };
            assert_eq!(from, pieces.iter().sum::<usize>());
            pieces.push(spans.len());
        }
        assert_eq!(pieces, [128, 256, 512, 104]);
    }

    #[test]
    fn the_first_line_is_known_only_at_the_top_of_a_file() {
        for (patch, line) in [
            ("@@ -0,0 +1,2 @@\n+#!/bin/sh\n+x\n", "#!/bin/sh"),
            ("@@ -1 +1 @@\n-old\n+#!/bin/sh\n", "#!/bin/sh"),
            ("@@ -9 +9 @@\n+x\n", ""),
            ("", ""),
            ("@@ -0,0 +1,2 @@\n", ""),
        ] {
            assert_eq!(first_line(patch), line, "{patch}");
        }
    }
}
