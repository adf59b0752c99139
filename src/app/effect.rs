//! What the program wants done, as comparable values.
//! Must not know: how it is done (`runtime::effects`).

use super::screens::joblog::Asked;
use super::screens::results::Drawing;
use crate::core::configs::{ChangedKeys, Comparison};
use crate::core::errand::Order;
use crate::core::ids::{JobId, RepoName, RunId};
use crate::core::plan::Read;
use crate::core::policy::Policy;
use crate::core::posting::Letter;
use crate::core::pull::Pull;
use crate::core::results::compare::Reference;
use crate::core::results::{Sheet, View};
use crate::core::session::Draft;
use crate::core::session::history::History;
use std::sync::Arc;
use std::time::Duration;

#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// A read: a newer ticket in the same slot aborts the older.
    Ask(Ticket, Request),
    /// A write or a hand-over: never aborted, finished before exit.
    Do(Ticket, Command),
    After(Ticket, Duration),
    Cancel(Slot),
    Quit,
}

/// Names one asking: an answer whose ticket is no longer the newest of its slot vanishes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Ticket {
    pub slot: Slot,
    pub serial: u64,
}

/// What an answer is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Slot {
    Read(Read),
    /// Highlighting of the file at this path.
    Highlight(String),
    Draft,
    Post,
    Look,
    Errand,
    /// The next look for what an errand did.
    ErrandLook,
    /// The next look for the bot's answer.
    Answer,
    /// The next look at what failing checks wait for.
    Watch,
    Editor,
    Notice,
    Hand,
    /// The next look at runs that are going.
    Live,
    /// Pages of job lists are shown together.
    Parts,
    /// A bell, or what stands for one.
    Bell,
    /// The countdown of a limit.
    Pause,
    /// The comparison of config files.
    Compare,
    /// The curves of a run.
    Draw,
    /// What they are compared with.
    Refer,
    Log,
    /// The log of a job: the way to it, lines of it, and a search in it.
    JobLog,
    JobLogLines,
    JobLogSearch,
    /// What the log of a job says of its failure.
    Reason(JobId),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Asks GitHub.
    Read(Read),
    /// The newest lines of the log.
    Log,
    /// The log of a job, or something of it.
    JobLog(Asked),
    /// What the log of a job says of its failure.
    Reason(JobId),
    /// Looks for what was kept of an earlier visit; asks nobody.
    Recall(Read),
    /// Compares config files of thousands of lines.
    Compare(Comparison),
    /// Draws curves of thousands of rows.
    Draw(Drawing),
    /// Reads what results are to be compared with.
    Refer(Box<Referring>),
    Highlight {
        path: String,
        /// Hunks, as in [`crate::core::pull::ChangedFile::patch`].
        patch: std::sync::Arc<str>,
    },
}

/// A reference to be read, with what it takes to find it.
#[derive(Debug, Clone, PartialEq)]
pub struct Referring {
    pub named: Reference,
    pub policy: Arc<Policy>,
    pub host: String,
    /// The root of the host's pages.
    pub web: String,
    /// Whose base branch counts.
    pub pull: Option<Pull>,
}

/// Results to be written; which forms, and how, is the report's.
#[derive(Debug, Clone, PartialEq)]
pub struct Export {
    /// Of the files, without an ending.
    pub name: String,
    pub run: Option<RunId>,
    pub sheet: Arc<Sheet>,
    pub keys: Arc<ChangedKeys>,
    /// Every row was read.
    pub complete: bool,
    /// The phrase that no Markdown of ours may hold.
    pub trigger: String,
    pub view: View,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// `sync`: on disk for good before the answer.
    Save {
        draft: Box<Draft>,
        /// Its earlier states.
        history: Box<History>,
        sync: bool,
    },
    /// The one request that writes.
    Post(Letter),
    /// The one request of an errand, under the same rule.
    Errand {
        repo: RepoName,
        order: Order,
    },
    /// Hands the terminal to the person's editor.
    Edit {
        text: String,
    },
    Open {
        url: String,
    },
    Copy {
        text: String,
    },
    /// Something that was waited for has come: tells it as the person has set.
    Ring {
        text: String,
    },
    /// Writes a run's results as files into the working folder.
    Export(Box<Export>),
    /// Writes the log of a job, which was read, as a file into the working folder.
    SaveJobLog(JobId),
    /// Ctrl-Z.
    Suspend,
}
