//! The sign-off pane: the exact Markdown that will be posted, wrapped for a width, with what supports each row.
//! Must not know: how it is composed (`core::checklist`).

use super::{Scroll, checks};
use crate::app::model::{DraftState, Model};
use crate::core::checklist::{Signoff, TickState, earlier, versions};
use crate::core::evidence::Evidence;
use crate::core::follow;
use crate::core::ids::BlobId;
use crate::core::markdown::blocks::{Row, render_rows};
use crate::core::posting::{LOOKS, Posting, text_digest};
use crate::core::text::role::TextRole;
use crate::core::text::{gate, wrap};
use crate::core::time::Day;
use crate::core::verdict::Overall;
use crate::core::verdict::beside::own_signoff;
use similar::{ChangeTag, TextDiff};
use std::ops::Range;

#[derive(Debug, Default)]
pub struct SignoffScreen {
    pub scroll: Scroll,
    cols: usize,
    /// Ranges of the text, one per row of the screen; a long line takes several.
    pub rows: Vec<Range<usize>>,
    /// The comment in another look than its Markdown.
    pub preview: Option<Vec<Row>>,
    pub look: Look,
    /// What was said when an earlier sign-off was taken over.
    pub taken: Vec<String>,
    standing: Option<Standing>,
    /// What is said above the text, one per row: the state of posting, then problems.
    pub notes: Vec<Note>,
}

/// Which version of the template our sign-off that stands was made from. Told once per text and template.
#[derive(Debug)]
struct Standing {
    /// The text's digest.
    text: String,
    template: BlobId,
    day: Option<Day>,
    /// `None`: today's, or none that is known.
    said: Option<String>,
}

/// How the comment is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Look {
    /// The Markdown that is posted, byte for byte.
    #[default]
    Source,
    /// As GitHub will show it.
    Rendered,
    /// Line by line beside the sign-off that it replaces.
    Against,
}

/// The lines of two texts, those of the old one that went and those of the new one that came marked.
fn against(old: &str, new: &str, cols: usize) -> Vec<Row> {
    let old = old.replace("\r\n", "\n");
    let diff = TextDiff::from_lines(old.trim_end(), new.trim_end());
    let mut out = Vec::new();
    for change in diff.iter_all_changes() {
        let (sign, role) = match change.tag() {
            ChangeTag::Equal => ("  ", TextRole::Plain),
            ChangeTag::Delete => ("− ", TextRole::Gone),
            ChangeTag::Insert => ("+ ", TextRole::Came),
        };
        let line = gate::line(change.value().trim_end_matches('\n')).into_owned();
        for range in wrap::wrap(&line, cols.saturating_sub(2).max(1)) {
            let mut row = Row::default();
            row.push(&format!("{sign}{}", &line[range]), role);
            out.push(row);
        }
    }
    out
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
    /// `earlier`: the text of the sign-off that this one replaces.
    pub(in crate::app) fn sync(&mut self, signoff: Option<&Signoff>, earlier: Option<&str>, cols: usize, changed: bool) {
        if !changed && cols == self.cols {
            return;
        }
        self.cols = cols;
        self.rows.clear();
        self.preview = None;
        let Some(signoff) = signoff else { return };
        let text = &signoff.rendered.text;
        self.preview = match (self.look, earlier) {
            (Look::Rendered, _) => Some(render_rows(text, cols)),
            (Look::Against, Some(earlier)) => Some(against(earlier, text, cols)),
            (Look::Source | Look::Against, _) => None,
        };
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let body = line.trim_end_matches(['\n', '\r']);
            self.rows.extend(wrap::wrap(body, cols).into_iter().map(|range| at + range.start..at + range.end));
            at += line.len();
        }
    }

    /// Shows the comment as GitHub will, then beside the one that it replaces, then its Markdown again.
    pub(in crate::app) fn turn(&mut self, replaces: bool) {
        self.look = match self.look {
            Look::Source => Look::Rendered,
            Look::Rendered if replaces => Look::Against,
            Look::Rendered | Look::Against => Look::Source,
        };
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

/// Tells anew which version of the template our sign-off that stands was made from, where it, the template or the day is
/// another.
pub(in crate::app) fn sync_standing(model: &mut Model) {
    let own = own_signoff(&model.policy, &model.facts).zip(model.review.signed());
    let Some((own, signoff)) = own else {
        model.signoff.standing = None;
        return;
    };
    let (text, template, day) = (text_digest(&own.body), &signoff.template, model.facts.day);
    let is_it = |kept: &Standing| kept.text == text && kept.template == template.blob && kept.day == day;
    if model.signoff.standing.as_ref().is_some_and(is_it) {
        return;
    }
    let older = versions::older(&own.body, template, &model.policy);
    let said = older.and_then(|_| versions::sentence("Your sign-off that stands", &own.body, template, &model.policy, day));
    model.signoff.standing = Some(Standing { text, template: template.blob.clone(), day, said });
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
    for said in &model.signoff.taken {
        say(Tone::Warn, said.clone());
    }
    // What was taken over says it of itself.
    let standing = model.signoff.standing.as_ref().filter(|_| model.signoff.taken.is_empty());
    if let Some(said) = standing.and_then(|standing| standing.said.as_ref()) {
        say(Tone::Warn, said.clone());
    }
    let Some(signoff) = model.signed() else { return out };
    if let Some(migration) = &signoff.migration {
        say(Tone::Warn, format!("The template changed since you ticked: {}", migration.summary()));
        for (_, words) in &migration.gone {
            say(Tone::Calm, format!("gone: {}", gate::line(words)));
        }
    }
    let stale = signoff.items.iter().filter(|item| item.tick == TickState::Stale).count();
    if stale > 0 {
        say(
            Tone::Warn,
            format!("{stale} ticks are stale: the head or the wording moved since. Tick them again or clear them."),
        );
    }
    for stale in &signoff.stale {
        say(Tone::Warn, format!("{} e edits it, D drafts it anew.", stale.sentence()));
    }
    for lost in &signoff.lost {
        say(Tone::Bad, format!("\"{}\" in your details is supported by nothing any more: it must not be posted.", lost.text));
    }
    for why in &signoff.objections.unfit {
        say(Tone::Bad, why.clone());
    }
    let idle = earlier::idle(&model.policy, &model.facts);
    for warning in signoff.objections.warnings.iter().chain(&signoff.gaps).chain(&idle) {
        say(Tone::Warn, warning.clone());
    }
    out
}

/// What the bot makes of the sign-off that stands: what it is doing, then its answer beside ours.
fn follow_notes(model: &Model) -> Vec<Note> {
    let note = |tone: Tone, text: String| Note { tone, text };
    let review = &model.review;
    if let Some(following) = follow::following(&model.policy, &model.facts, review).filter(|_| model.awaits_answer()) {
        let tone = if following.is_overdue(model.now) { Tone::Warn } else { Tone::Busy };
        let first = note(tone, following.sentence(model.now));
        return std::iter::once(first)
            .chain(following.notes(model.now).into_iter().map(|text| note(Tone::Calm, text)))
            .collect();
    }
    let Some(spoken) = review.spoken.as_ref().filter(|spoken| spoken.to_us) else { return Vec::new() };
    let word = checks::said(spoken.verdict.overall);
    if !spoken.stale.is_empty() {
        return vec![note(Tone::Warn, format!("The bot's old verdict, {word}, counts no more. {}", spoken.stale.join(" ")))];
    }
    let tone = match spoken.verdict.overall {
        Overall::Pass => Tone::Good,
        Overall::Warn | Overall::Unread => Tone::Warn,
        Overall::Rejected => Tone::Bad,
    };
    let mut out = vec![note(tone, format!("The bot answered {word}: Checks (6) shows it beside what was predicted."))];
    let waits = follow::waits(&model.facts, review);
    out.extend(waits.iter().map(|wait| note(if wait.over { Tone::Good } else { Tone::Warn }, wait.sentence())));
    out
}

fn posting_notes(model: &Model) -> Vec<Note> {
    let one = |tone: Tone, text: String| vec![Note { tone, text }];
    match &model.posting {
        Posting::Draft => match &model.draft.posted {
            Some(url) => {
                let mut out = one(Tone::Good, format!("Posted earlier: {url}"));
                out.extend(follow_notes(model));
                out
            }
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
            out.extend(follow_notes(model));
            out
        }
        Posting::NotPosted { why, hint } => {
            let wait = model.countdown().map(|left| format!(" It can be sent in {left}.")).unwrap_or_default();
            one(Tone::Bad, format!("Not posted. {why}{wait} {hint}").trim_end().to_owned())
        }
    }
}
