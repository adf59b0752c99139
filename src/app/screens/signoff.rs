//! The sign-off pane: the exact Markdown that will be posted, wrapped for a width, with what supports each row.
//! Must not know: how it is composed (`core::checklist`).

use super::Scroll;
use crate::app::model::{DraftState, Model};
use crate::core::checklist::Signoff;
use crate::core::checklist::TickState;
use crate::core::evidence::Evidence;
use crate::core::markdown::blocks::{Row, render_rows};
use crate::core::posting::{LOOKS, Posting};
use crate::core::text::wrap;
use std::ops::Range;

#[derive(Debug, Default)]
pub struct SignoffScreen {
    pub scroll: Scroll,
    cols: usize,
    /// Ranges of the text, one per row of the screen; a long line takes several.
    pub rows: Vec<Range<usize>>,
    /// The comment as GitHub will show it, while it is looked at like that.
    pub preview: Option<Vec<Row>>,
    turned: bool,
    /// What is said above the text, one per row: the state of posting, then problems.
    pub notes: Vec<Note>,
}

/// A row above the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    pub tone: Tone,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Calm,
    Good,
    Warn,
    Bad,
    /// Something is on its way.
    Busy,
}

impl SignoffScreen {
    pub(in crate::app) fn sync(&mut self, signoff: Option<&Signoff>, cols: usize, changed: bool) {
        if !changed && cols == self.cols {
            return;
        }
        self.cols = cols;
        self.rows.clear();
        self.preview = None;
        let Some(signoff) = signoff else { return };
        let text = &signoff.rendered.text;
        self.preview = self.turned.then(|| render_rows(text, cols));
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let body = line.trim_end_matches(['\n', '\r']);
            self.rows.extend(wrap::wrap(body, cols).into_iter().map(|range| at + range.start..at + range.end));
            at += line.len();
        }
    }

    /// Shows the comment as GitHub will, or its Markdown again.
    pub(in crate::app) fn turn(&mut self) {
        self.turned = !self.turned;
        self.scroll = Scroll::default();
        // Whatever is shown is made for a width.
        self.cols = 0;
    }

    /// Rows of the text as it is shown.
    pub fn len(&self) -> usize {
        self.preview.as_ref().map_or(self.rows.len(), Vec::len)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Makes the notes anew, wrapped to `cols`.
    pub(in crate::app) fn sync_notes(&mut self, notes: Vec<Note>, cols: usize) {
        self.notes.clear();
        for note in notes {
            let ranges = wrap::wrap(&note.text, cols.saturating_sub(2));
            self.notes.extend(ranges.into_iter().map(|range| Note { tone: note.tone, text: note.text[range].to_owned() }));
        }
    }

    /// What supports the text in the row under the cursor.
    pub fn evidence<'a>(&self, signoff: &'a Signoff) -> Vec<&'a Evidence> {
        let Some(row) = self.rows.get(self.scroll.cursor).filter(|_| self.preview.is_none()) else { return Vec::new() };
        let mut out: Vec<&Evidence> = Vec::new();
        for (range, id) in &signoff.rendered.facts {
            let stands_here = range.start < row.end && row.start < range.end;
            if stands_here
                && !out.iter().any(|seen| seen.id == *id)
                && let Some(evidence) = signoff.rendered.evidence.get(id)
            {
                out.push(evidence);
            }
        }
        out
    }
}

/// What is to be said above the text: where posting stands, then what is wrong with the draft.
pub(in crate::app) fn notes(model: &Model) -> Vec<Note> {
    let mut out = posting_notes(model);
    let mut say = |tone: Tone, text: String| out.push(Note { tone, text });
    match &model.draft_state {
        DraftState::ReadOnly(why) => say(Tone::Warn, why.clone()),
        DraftState::Failed(trouble) => {
            say(Tone::Bad, format!("The draft is not on disk. {} {}", trouble.headline, trouble.hint))
        }
        DraftState::Saved | DraftState::Saving => {}
    }
    let Some(signoff) = model.signed() else { return out };
    let stale = signoff.items.iter().filter(|item| item.tick == TickState::Stale).count();
    if stale > 0 {
        say(
            Tone::Warn,
            format!("{stale} ticks are stale: the head or the wording moved since. Tick them again or clear them."),
        );
    }
    for gap in &signoff.gaps {
        say(Tone::Warn, gap.clone());
    }
    out
}

fn posting_notes(model: &Model) -> Vec<Note> {
    let one = |tone: Tone, text: String| vec![Note { tone, text }];
    match &model.posting {
        Posting::Draft => match &model.draft.posted {
            Some(url) => one(Tone::Good, format!("Posted earlier: {url}")),
            None => Vec::new(),
        },
        Posting::Rechecking { .. } => {
            one(Tone::Busy, "Rechecking: head, template, comments and every cited source are read again …".to_owned())
        }
        Posting::Blocked(blocks) => {
            let mut out = one(Tone::Bad, "Not posted, for these reasons:".to_owned());
            for block in blocks {
                let link = block.link.as_ref().map(|link| format!(" {link}")).unwrap_or_default();
                out.push(Note { tone: Tone::Bad, text: format!("• {}{link}", block.reason) });
            }
            out
        }
        Posting::Confirming(_) | Posting::Warned(_) => one(Tone::Busy, "Waiting for your word.".to_owned()),
        Posting::Verifying(_) => one(Tone::Busy, "Reading head, template and comments once more …".to_owned()),
        Posting::Recording(..) => one(Tone::Busy, "Writing down what is about to be sent …".to_owned()),
        Posting::Sending(_) => one(Tone::Busy, "Sending the comment, once …".to_owned()),
        Posting::Searching { looks, why, .. } => one(
            Tone::Busy,
            format!(
                "Outcome unclear: {why} Looking for the comment instead of sending again ({} of {LOOKS}) …",
                (looks + 1).min(LOOKS)
            ),
        ),
        Posting::Posted { url } => {
            let mut out = one(Tone::Good, format!("Posted: {url}"));
            if model.awaits_answer() {
                out.extend(one(Tone::Busy, "Waiting for the bot's answer: it appears in Checks.".to_owned()));
            }
            out
        }
        Posting::NotPosted { why, hint } => {
            let wait = model.countdown().map(|left| format!(" It can be sent in {left}.")).unwrap_or_default();
            one(Tone::Bad, format!("Not posted. {why}{wait} {hint}").trim_end().to_owned())
        }
    }
}
