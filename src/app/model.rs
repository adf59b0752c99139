//! The whole state of the program.
//! Must not know: how it is drawn or where its values come from.

use super::effect::{Slot, Ticket};
use super::geometry::{errand_rows, layout};
use super::keymap::{Keymap, Pending};
use super::screens::checks::ChecksScreen;
use super::screens::diff::DiffScreen;
use super::screens::joblog::JobLog;
use super::screens::log::Tail;
use super::screens::points::PointsScreen;
use super::screens::results::ResultsScreen;
use super::screens::sweep::SweepScreen;
use super::screens::{Scroll, signoff::SignoffScreen, talk::TalkScreen};
use super::update::parts::Parts;
use crate::core::checklist::Signoff;
use crate::core::checklist::snippets::Snippet;
use crate::core::configs;
use crate::core::errand::Errands;
use crate::core::facts::Facts;
use crate::core::follow::Wait;
use crate::core::ids::{Key, RunId};
use crate::core::plan::Read;
use crate::core::policy::Policy;
use crate::core::posting::Posting;
use crate::core::review::Review;
use crate::core::session::history::History;
use crate::core::session::{Draft, DraftedParagraph};
use crate::core::sweep::pace::Eye;
use crate::core::sweep::{Pace, Sweep};
use crate::core::time::{Day, Time, render_countdown};
use crate::core::trouble::Trouble;
use chrono::TimeDelta;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The panes, in the order of their number keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Pane {
    Checklist,
    Diff,
    Sweep,
    Evals,
    Talk,
    Signoff,
    Checks,
    Points,
    Results,
}

impl Pane {
    pub const ALL: [Pane; 9] = [
        Pane::Checklist,
        Pane::Diff,
        Pane::Sweep,
        Pane::Evals,
        Pane::Talk,
        Pane::Signoff,
        Pane::Checks,
        Pane::Points,
        Pane::Results,
    ];

    pub fn title(self) -> &'static str {
        match self {
            Pane::Checklist => "Checklist",
            Pane::Diff => "Diff",
            Pane::Sweep => "Sweep",
            Pane::Evals => "Evals",
            Pane::Talk => "Talk",
            Pane::Signoff => "Sign-off",
            Pane::Checks => "Checks",
            Pane::Points => "Points",
            Pane::Results => "Results",
        }
    }

    /// The same where there is little room.
    pub fn short_title(self) -> &'static str {
        match self {
            Pane::Checklist => "List",
            Pane::Signoff => "Sign",
            pane => pane.title(),
        }
    }
}

/// What lies over the panes. The confirmation of a post is not here: it is [`Posting::Confirming`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Overlay {
    #[default]
    None,
    Help {
        /// First row on screen.
        top: usize,
    },
    /// Typing into the one-line field at the foot.
    Typing {
        field: Field,
        text: String,
        /// Why what was typed does not do.
        wrong: Option<String>,
    },
    /// Typing the name of an action.
    Palette { text: String, cursor: usize },
    /// Choosing a message to copy.
    Messages { cursor: usize },
    /// The newest lines of the log.
    Log {
        /// `None` while it is being read.
        tail: Option<Result<Tail, Trouble>>,
        /// First row on screen; beyond the end means the end.
        top: usize,
    },
    /// The log of a job: [`Model::joblog`].
    JobLog,
}

/// What a one-line field is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Field {
    /// A pattern to look for in the diff.
    Search,
    /// Words to look for in the log of a job.
    JobLogSearch,
    /// What a pane's list keeps, while it is typed; `before` comes back if it is left.
    Filter { pane: Pane, before: String },
    /// What the results are to be compared with.
    Reference,
    /// Why an item is not ticked.
    Reason(Key),
    /// What stands behind an item's words.
    Behind(Key),
}

/// GitHub asks for a pause: its budget is used up, or it was asked too much at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pause {
    /// Until then nothing is sent.
    pub until: Time,
    /// How long after that the reads are asked for again.
    pub(super) spread: TimeDelta,
    /// Reads without an answer, or with a part of one.
    pub(super) kept_back: Vec<Read>,
}

/// Looks at runs that are still going.
#[derive(Debug, Clone, Default)]
pub struct Live {
    pub(super) pace: Pace,
    /// Runs that were going when they were last seen.
    pub(super) going: Vec<RunId>,
    /// Reads of a look that have no answer yet.
    pub(super) open: Vec<Read>,
    /// When the next look is due.
    pub(super) next: Option<Time>,
    pub(super) last: Option<Time>,
    /// The terminal has lost the focus.
    pub(super) away: bool,
    pub(super) eye: Eye,
}

/// How far what an errand does was scrolled, where it does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ErrandPage {
    /// First row on screen.
    pub top: usize,
    /// Rows from the first that were on screen.
    pub(super) seen: usize,
}

/// A line for the person, until the next key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    pub text: String,
    pub bad: bool,
}

/// Whether the draft is on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DraftState {
    Saved,
    Saving,
    Failed(Trouble),
    /// Another window holds it, or a newer program wrote it: shown, not changed. The sentence says which.
    ReadOnly(String),
}

/// Whom the reads go to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Reach {
    /// GitHub.
    #[default]
    Live,
    /// At the start, what was kept of an earlier visit: it stands on screen before GitHub is asked.
    Recalling {
        /// What was not kept.
        missed: HashSet<Read>,
    },
    /// What was kept, and nobody else (`--offline`).
    Offline,
}

/// What is fixed at start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// The API host, as drafts and confirmations name it: `api.github.com`.
    pub host: String,
    /// What is being replayed instead of asking GitHub; nothing leaves this machine then.
    pub recording: Option<String>,
    /// Said once at start: a draft that was set aside, a setting that was not understood.
    pub greeting: Option<String>,
    /// The UTC day that dated rules compare with, where it is not today (`--date`).
    pub day: Option<Day>,
    /// The terminal can show braille: plots are finer then.
    pub braille: bool,
}

#[derive(Debug)]
pub struct Model {
    pub session: Session,
    pub reach: Reach,
    pub policy: Arc<Policy>,
    pub facts: Facts,
    pub draft: Draft,
    /// Its earlier states, to step back through.
    pub history: History,
    pub draft_state: DraftState,
    pub posting: Posting,
    pub errands: Errands,
    pub errand_page: ErrandPage,
    /// The question that stood in the last frame: only its answer counts.
    pub(super) drawn: Option<Box<(Posting, Errands)>>,
    /// When the last message came: ages are told against it.
    pub now: Time,
    /// Columns, rows.
    pub size: (u16, u16),
    /// The pane that keys go to.
    pub focus: Pane,
    /// The pane shown beside the checklist.
    pub beside: Pane,
    /// Panes to return to, newest last.
    pub trail: Vec<Pane>,
    pub checklist: Scroll,
    pub diff: DiffScreen,
    pub sweep: SweepScreen,
    pub evals: Scroll,
    pub talk: TalkScreen,
    pub signoff: SignoffScreen,
    pub checks: ChecksScreen,
    pub points: PointsScreen,
    pub results: ResultsScreen,
    pub live: Live,
    pub overlay: Overlay,
    /// The log of a job that is open, also under help, the palette and its search field.
    pub joblog: Option<Box<JobLog>>,
    pub notice: Option<Notice>,
    pub keymap: Keymap,
    /// The person's phrases for reasons.
    pub snippets: Vec<Snippet>,
    pub pending: Pending,
    /// Requests left of how many.
    pub budget: Option<(u64, u64)>,
    /// One of GitHub's limits is in force.
    pub pause: Option<Pause>,
    /// Pauses in a row that ended in another one.
    pub(super) pauses: u32,
    /// What follows from facts and draft; drawn anew by [`super::update::settle`] when either changed.
    pub review: Review,
    /// The paragraphs as they were drafted when the editor was opened.
    pub(super) edited_from: Vec<DraftedParagraph>,
    /// The newest draft is written, but not yet on disk for good.
    pub(super) unflushed: bool,
    /// The program ends as soon as the draft is on disk.
    pub(super) leaving: bool,
    /// Facts or draft changed since `review` was drawn.
    pub(super) dirty: bool,
    /// Answers came that nothing has followed from yet ([`super::update::follow_up`]).
    pub(super) came: bool,
    /// Of job lists that are being read.
    pub(super) parts: Parts,
    /// Counts the states of the facts.
    pub(super) facts_serial: u64,
    /// What is being compared on a worker.
    pub(super) comparing: Option<configs::Basis>,
    /// `review` changed since the screens' rows were made.
    pub(super) unsynced: bool,
    /// When the program started: what was read before comes from an earlier visit.
    pub(super) opened: Time,
    /// Looks for the bot's answer to a sign-off that was posted; `None`: nobody waits for one.
    pub(super) awaiting: Option<u32>,
    /// What the failing checks of a rejection waited for when that was looked at last.
    pub(super) watched: Vec<Wait>,
    /// When the comments were read that the search for an unclear post looked at last.
    pub(super) last_look: Option<Time>,
    pub(super) tickets: HashMap<Slot, u64>,
    pub(super) serial: u64,
}

impl Model {
    pub fn new(session: Session, policy: Arc<Policy>, facts: Facts, draft: Draft, keymap: Keymap) -> Model {
        Model {
            session,
            reach: Reach::Live,
            policy,
            facts,
            draft,
            history: History::default(),
            draft_state: DraftState::Saved,
            posting: Posting::Draft,
            errands: Errands::Idle,
            errand_page: ErrandPage::default(),
            drawn: None,
            now: Time::default(),
            size: (80, 24),
            focus: Pane::Checklist,
            beside: Pane::Diff,
            trail: Vec::new(),
            checklist: Scroll::default(),
            diff: DiffScreen::default(),
            sweep: SweepScreen::default(),
            evals: Scroll::default(),
            talk: TalkScreen::default(),
            signoff: SignoffScreen::default(),
            checks: ChecksScreen::default(),
            points: PointsScreen::default(),
            results: ResultsScreen::default(),
            live: Live::default(),
            overlay: Overlay::None,
            joblog: None,
            notice: None,
            keymap,
            snippets: Vec::new(),
            pending: Pending::default(),
            budget: None,
            pause: None,
            pauses: 0,
            review: Review::default(),
            edited_from: Vec::new(),
            unflushed: false,
            leaving: false,
            dirty: true,
            came: false,
            parts: Parts::default(),
            facts_serial: 0,
            comparing: None,
            unsynced: true,
            opened: Time::default(),
            awaiting: None,
            watched: Vec::new(),
            last_look: None,
            tickets: HashMap::new(),
            serial: 0,
        }
    }

    /// A new ticket; the older ones of its slot are void.
    pub(super) fn ticket(&mut self, slot: Slot) -> Ticket {
        self.serial += 1;
        self.tickets.insert(slot.clone(), self.serial);
        Ticket { slot, serial: self.serial }
    }

    /// Whether an answer with this ticket is still wanted.
    pub(super) fn is_current(&self, ticket: &Ticket) -> bool {
        self.tickets.get(&ticket.slot) == Some(&ticket.serial)
    }

    /// Whether something is still being read, or compared.
    pub fn is_loading(&self) -> bool {
        crate::core::plan::is_loading(&self.facts) || self.review.conclusions.uncompared().is_some()
    }

    /// Whether something waits for the person's word, and nothing lies over it.
    pub(super) fn is_asking(&self) -> bool {
        let asks = self.posting.question().is_some() || matches!(self.errands, Errands::Confirming(_));
        // Too small a window shows nothing of it.
        let fits = layout(self.size.0, self.size.1, self.focus).is_some();
        asks && fits && self.overlay == Overlay::None
    }

    /// Whether the question that stands now was in the last frame. A key that was pressed before is no answer to it.
    pub(super) fn question_was_drawn(&self) -> bool {
        let same = |drawn: &(Posting, Errands)| (&drawn.0, &drawn.1) == (&self.posting, &self.errands);
        self.is_asking() && self.drawn.as_deref().is_some_and(same)
    }

    /// Notes which question stands in the frame that was drawn, and how much of what it sets off.
    pub(super) fn note_question(&mut self) {
        if !self.question_was_drawn() {
            let now = || Box::new((self.posting.clone(), self.errands.clone()));
            self.drawn = self.is_asking().then(now);
        }
        if let (Errands::Confirming(prepared), Some(_)) = (&self.errands, &self.drawn) {
            let (told, room) = errand_rows(self.size.0, self.size.1, prepared);
            let top = self.errand_page.top.min(told.len().saturating_sub(room));
            // Rows between were on screen only if this page touches those before.
            if top <= self.errand_page.seen {
                self.errand_page.seen = self.errand_page.seen.max(top + room);
            }
        }
    }

    /// Whether something that the errand sets off was never on screen.
    pub(super) fn errand_hides(&self) -> bool {
        match &self.errands {
            Errands::Confirming(prepared) => errand_rows(self.size.0, self.size.1, prepared).0.len() > self.errand_page.seen,
            _ => false,
        }
    }

    /// Closes the topmost thing that lies over the panes.
    pub(super) fn uncover(&mut self) {
        self.overlay = match self.overlay {
            Overlay::Help { .. } | Overlay::Palette { .. } | Overlay::Typing { .. } | Overlay::Messages { .. }
                if self.joblog.is_some() =>
            {
                Overlay::JobLog
            }
            _ => Overlay::None,
        };
    }

    /// Whether a sign-off was posted whose answer is still looked for.
    pub fn awaits_answer(&self) -> bool {
        self.awaiting.is_some()
    }

    /// How long one of GitHub's limits is still in force: `0:42`.
    pub fn countdown(&self) -> Option<String> {
        self.pause.as_ref().map(|pause| render_countdown(self.now, pause.until))
    }

    /// When the oldest was read of what is on screen, if that was on an earlier visit.
    pub fn kept_since(&self) -> Option<Time> {
        self.facts.oldest().filter(|oldest| *oldest < self.opened)
    }

    /// The sign-off as it stands, once the template is read.
    pub fn signed(&self) -> Option<&Signoff> {
        self.review.signed()
    }

    /// The validation run with its jobs.
    pub fn validation(&self) -> Option<&Sweep> {
        self.review.conclusions.validation()
    }

    pub(super) fn tell(&mut self, text: impl Into<String>) {
        self.notice = Some(Notice { text: text.into(), bad: false });
    }

    pub(super) fn warn(&mut self, text: impl Into<String>) {
        self.notice = Some(Notice { text: text.into(), bad: true });
    }
}
