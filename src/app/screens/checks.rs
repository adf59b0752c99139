//! The checks pane: what the bot will answer, check by check in its order, and what it did answer beside it.
//! Must not know: how findings are reached, colours.

use super::Scroll;
use super::signoff::{Note, Tone};
use crate::app::model::{Model, Pane};
use crate::core::checklist::Item;
use crate::core::evidence::Evidence;
use crate::core::follow::{self, Stage};
use crate::core::ids::RunId;
use crate::core::policy::{Finding, Overall, Status};
use crate::core::text::wrap;
use crate::core::time::render_age;
use crate::core::verdict::beside::{Fit, Pair, compare, own_signoff};

#[derive(Debug, Default)]
pub struct ChecksScreen {
    pub scroll: Scroll,
    /// Which of the check's evidence keys act on, and the row that it belongs to.
    chosen: (usize, usize),
    /// What is said above the list, one per row: the bot's answer, and whether it still counts.
    pub notes: Vec<Note>,
}

impl ChecksScreen {
    /// Makes the notes anew, wrapped to `cols`.
    pub(in crate::app) fn sync_notes(&mut self, notes: Vec<Note>, cols: usize) {
        self.notes.clear();
        for note in notes {
            let ranges = wrap::wrap(&note.text, cols.saturating_sub(2));
            self.notes.extend(ranges.into_iter().map(|range| Note { tone: note.tone, text: note.text[range].to_owned() }));
        }
    }

    /// Which of `len` pieces of evidence of the row under the cursor is chosen: the first, until another is.
    pub fn chosen(&self, len: usize) -> usize {
        match self.chosen {
            (row, at) if row == self.scroll.cursor => at.min(len.saturating_sub(1)),
            _ => 0,
        }
    }

    /// Chooses another, round the end.
    pub(in crate::app) fn choose(&mut self, len: usize, by: i64) {
        let len_signed = i64::try_from(len).unwrap_or(1).max(1);
        let next = (i64::try_from(self.chosen(len)).unwrap_or(0) + by).rem_euclid(len_signed);
        self.chosen = (self.scroll.cursor, usize::try_from(next).unwrap_or(0));
    }
}

/// What the strip says of the text and head on screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outlook {
    /// Not everything that the rules want is read: a prediction would change under the reader's eyes.
    Reading,
    Predicted(Overall),
}

pub fn outlook(model: &Model) -> Outlook {
    match model.is_loading() {
        true => Outlook::Reading,
        false => Outlook::Predicted(model.review.overall()),
    }
}

/// How many findings have this status.
pub fn count(model: &Model, status: Status) -> usize {
    model.review.findings.iter().filter(|finding| finding.status == status).count()
}

/// One row per check, then those that only the bot has.
pub fn pairs(model: &Model) -> Vec<Pair<'_>> {
    compare(&model.review.findings, model.review.spoken.as_ref().map(|spoken| &spoken.verdict))
}

/// The row under the cursor.
pub fn current(model: &Model) -> Option<Pair<'_>> {
    pairs(model).into_iter().nth(model.checks.scroll.cursor)
}

/// The chosen evidence of the row under the cursor.
pub fn evidence(model: &Model) -> Option<&Evidence> {
    let finding = current(model)?.finding?;
    finding.evidence.get(model.checks.chosen(finding.evidence.len()))
}

/// The page behind the row: of its chosen evidence, else the bot's comment.
pub fn link(model: &Model) -> Option<String> {
    let of_row = evidence(model).and_then(|evidence| evidence.link.clone());
    of_row.or_else(|| current(model)?.row.and(model.review.spoken.as_ref()?.verdict.url.clone()))
}

/// The item of the checklist that the check under the cursor answers.
pub fn item(model: &Model) -> Option<usize> {
    let pair = current(model)?;
    let key = pair.finding.map(|finding| &finding.key).or(pair.row?.key.as_ref())?;
    let answers = |item: &Item| item.known.as_ref().is_some_and(|known| known.rules.contains(key));
    model.signed()?.template.items.iter().position(answers)
}

/// How many checks the bot judged otherwise.
pub fn differing(model: &Model) -> usize {
    pairs(model).iter().filter(|pair| pair.fit == Fit::Differs).count()
}

/// What needs a decision: the next row after the cursor that is neither green nor beside the point, round the end.
pub fn next_open(model: &Model) -> Option<usize> {
    let pairs = pairs(model);
    let after = (model.checks.scroll.cursor + 1).min(pairs.len());
    let green = |finding: &Finding| matches!(finding.status, Status::Pass | Status::NotApplicable);
    let open = |at: &usize| pairs[*at].fit == Fit::Differs || pairs[*at].finding.is_some_and(|finding| !green(finding));
    (after..pairs.len()).chain(0..after).find(open)
}

/// The pane that shows what a piece of evidence was read from, and the run where it is one's.
pub fn place(evidence: &Evidence) -> Option<(Pane, Option<RunId>)> {
    let address = &evidence.source.address;
    let run = || {
        let digits = address.split_once("/actions/runs/")?.1.split(['/', '?']).next()?;
        digits.parse().ok().map(RunId)
    };
    let holds = |part: &str| address.contains(part);
    if holds("/artifacts") {
        Some((Pane::Evals, run()))
    } else if holds("/actions/runs") {
        Some((Pane::Sweep, run()))
    } else if holds("/comments") || holds("/reviews") {
        Some((Pane::Talk, None))
    } else if address.ends_with("/files") {
        Some((Pane::Diff, None))
    } else {
        None
    }
}

/// What is said above the list about the bot's answer.
pub(in crate::app) fn notes(model: &Model) -> Vec<Note> {
    let mut out = Vec::new();
    let review = &model.review;
    let mut say = |tone: Tone, text: String| out.push(Note { tone, text });
    let own = own_signoff(&model.policy, &model.facts);
    if let (Some(own), false) = (own, review.spoken.as_ref().is_some_and(|spoken| spoken.to_us)) {
        let age = own.updated_at.max(own.created_at).map(|at| render_age(model.now, at));
        let since = age.filter(|age| age != "now").map(|age| format!(" of {age} ago")).unwrap_or_default();
        match follow::following(&model.policy, &model.facts, review) {
            Some(following) if following.stage != Stage::Unseen => say(Tone::Busy, following.sentence(model.now)),
            _ => say(Tone::Busy, format!("The bot has not answered your sign-off{since} yet: r reads the conversation again.")),
        }
    }
    if let Some(spoken) = &review.spoken {
        let word = said(spoken.verdict.overall);
        let age = spoken.verdict.at.map(|at| render_age(model.now, at));
        let ago = age.map_or_else(String::new, |age| if age == "now" { " just now".to_owned() } else { format!(" {age} ago") });
        if spoken.stale.is_empty() {
            let whom = if spoken.to_us { "to you" } else { "to somebody else's sign-off of this head" };
            let (tone, fit) = match differing(model) {
                0 => (Tone::Good, "nothing differs from the prediction".to_owned()),
                1 => (Tone::Warn, "1 check differs from the prediction (≠)".to_owned()),
                some => (Tone::Warn, format!("{some} checks differ from the prediction (≠)")),
            };
            say(tone, format!("The bot said {word}{ago}, {whom}: {fit}."));
        } else {
            say(Tone::Warn, format!("STALE, counts for nothing: the bot said {word}{ago}. {}", spoken.stale.join(" ")));
        }
    }
    let changed: Vec<String> = review
        .findings
        .iter()
        .filter(|finding| review.changed.contains(&finding.key))
        .filter_map(|finding| Some(finding.number?.to_string()))
        .collect();
    match changed.len() {
        0 => {}
        1 => say(Tone::Warn, format!("The rules of check {} changed since this policy was written.", changed.join(", "))),
        _ => say(Tone::Warn, format!("The rules of checks {} changed since this policy was written.", changed.join(", "))),
    }
    for problem in review.spoken.iter().flat_map(|spoken| &spoken.verdict.problems) {
        say(Tone::Warn, format!("Of the bot's comment: {problem}"));
    }
    out
}

/// The bot's word for its whole answer.
pub fn said(overall: crate::core::verdict::Overall) -> &'static str {
    use crate::core::verdict::Overall;
    match overall {
        Overall::Pass => "PASS",
        Overall::Warn => "WARN",
        Overall::Unread => "what cannot be read",
        Overall::Rejected => "REJECTED",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::evidence::Source;

    #[test]
    fn evidence_is_shown_where_it_was_read_from() {
        let of = |address: &str| {
            let source = Source { address: address.into(), commit: None, read_at: Default::default(), digest: String::new() };
            place(&Evidence::new("x", "x", None, source))
        };
        let table = [
            ("/repos/o/r/actions/runs/31/jobs", Some((Pane::Sweep, Some(RunId(31))))),
            ("/repos/o/r/actions/runs/31", Some((Pane::Sweep, Some(RunId(31))))),
            ("/repos/o/r/actions/runs/31/artifacts", Some((Pane::Evals, Some(RunId(31))))),
            ("/repos/o/r/actions/artifacts/5/zip", Some((Pane::Evals, None))),
            ("/repos/o/r/issues/7/comments", Some((Pane::Talk, None))),
            ("/repos/o/r/pulls/7/files", Some((Pane::Diff, None))),
            ("/repos/o/r/contents/MODELS.md", None),
            ("", None),
        ];
        for (address, want) in table {
            assert_eq!(of(address), want, "{address}");
        }
    }

    #[test]
    fn a_choice_belongs_to_its_row_and_goes_round() {
        let mut screen = ChecksScreen::default();
        assert_eq!(screen.chosen(0), 0);
        screen.choose(3, -1);
        assert_eq!(screen.chosen(3), 2);
        screen.choose(3, 1);
        screen.choose(3, 1);
        assert_eq!((screen.chosen(3), screen.chosen(1)), (1, 0));
        screen.scroll.cursor = 1;
        assert_eq!(screen.chosen(3), 0);
        screen.choose(0, 1);
        assert_eq!(screen.chosen(0), 0);
    }
}
