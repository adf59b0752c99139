//! What can happen to the program, as data.
//! Must not know: who sends it.

use super::effect::Ticket;
use super::key::Key;
use super::screens::joblog::Piece;
use super::screens::log::Tail;
use crate::core::configs::ChangedKeys;
use crate::core::errand::Outcome;
use crate::core::ids::JobId;
use crate::core::joblog::Fingerprint;
use crate::core::plan;
use crate::core::posting::Sent;
use crate::core::results::{Against, Sheet};
use crate::core::text::role::Spans;
use crate::core::trouble::Trouble;

#[derive(Debug, Clone, PartialEq)]
pub enum Msg {
    Key(Key),
    /// Text pasted as a block: never read as keys.
    Paste(String),
    /// Columns, rows.
    Resize(u16, u16),
    /// The terminal gained or lost the focus.
    Focus(bool),
    /// The wheel, over a cell: rows down (negative: up).
    Wheel {
        column: u16,
        row: u16,
        rows: i32,
    },
    /// The left button, on a cell.
    Click {
        column: u16,
        row: u16,
    },
    Reply(Ticket, Reply),
    /// A timer that [`super::effect::Effect::After`] asked for.
    Timer(Ticket),
    /// SIGTERM, SIGHUP or a closed terminal: save and leave.
    Stop,
}

/// What an effect brought.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    Read(plan::Reply),
    /// What config files of the pull request change.
    Compared(Box<ChangedKeys>),
    /// The curves of a run.
    Drawn(Box<Sheet>),
    /// What results are to be compared with, as it was named.
    Referred {
        name: String,
        rows: Result<Against, Trouble>,
    },
    /// One entry per row of the file's patch, beginning at row `from`: a long file comes in pieces, its top first.
    Highlighted {
        path: String,
        from: usize,
        spans: Vec<Spans>,
    },
    /// The draft is on disk, or why not.
    Saved(Result<(), Trouble>),
    Sent(Sent),
    /// What came of an errand.
    Carried(Outcome),
    /// The text as the editor left it; `None` when it was not changed.
    Edited(Result<Option<String>, Trouble>),
    /// A page was opened or a text copied: what to tell the person.
    Done(Result<String, Trouble>),
    /// The newest lines of the log.
    Log(Result<Tail, Trouble>),
    /// Something of the log of a job.
    JobLog(Piece),
    /// What the log of a job says of its failure; `None`: no line of it is marked as an error.
    Reason(JobId, Result<Option<Fingerprint>, Trouble>),
    /// Requests left of how many, from GitHub's last answer.
    Budget {
        remaining: u64,
        limit: u64,
    },
}
