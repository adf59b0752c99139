//! What the bot will answer, check by check, what it did answer beside it, and the check under the cursor in full.
//! Must not know: how findings are reached, what makes a verdict stale.

use crate::app::Model;
use crate::app::geometry::{Area, body_rows, detail_areas};
use crate::app::model::Pane;
use crate::app::screens::checks::{current, pairs};
use crate::core::facts::DocumentKind;
use crate::core::policy::{Confidence, Finding, Status};
use crate::core::verdict::beside::{Fit, Pair};
use crate::view::header::counts;
use crate::view::marks;
use crate::view::notes::{self, Note};
use crate::view::paint::{Canvas, Row};
use crate::view::theme::Role;
use crate::view::{evidence, screens::signoff::tone};

pub fn draw(canvas: &mut Canvas<'_>, model: &Model, area: Area) {
    let focused = model.focus == Pane::Checks;
    let (list, detail) = detail_areas(area);
    let mut said: Vec<Note> = Vec::new();
    if let Some(verifier) = model.facts.document(DocumentKind::Verifier) {
        said.extend(notes::of_value("verifier", verifier, model.now));
    }
    said.extend(notes::of_list("comments", &model.facts.comments, model.now));
    let pairs = pairs(model);
    if pairs.is_empty() {
        notes::draw_title(canvas, area, focused, "Checks", "", &[]);
        notes::draw_empty(canvas, area, &said, "The policy has no checks.");
        if focused {
            canvas.focus(area, 0, 0);
        }
        return;
    }
    let told: Vec<String> = counts(model, true).into_iter().map(|(_, text)| text).collect();
    notes::draw_title(canvas, area, focused, "Checks", &told.join(", "), &said);
    let above = list.rows - body_rows(list, Pane::Checks, model);
    let shown = usize::from(above.saturating_sub(1));
    for (at, note) in model.checks.notes.iter().enumerate().take(shown) {
        let (mark, role) = tone(note.tone);
        let row = Row::new().gap(1).text(role, mark).gap(1).text(role, note.text.as_str());
        let more = at + 1 == shown && shown < model.checks.notes.len();
        canvas.row(list, 1 + at, &if more { row.right(Role::Dim, "… ") } else { row });
    }
    let body = notes::below(list, above);
    let columns = Columns::of(model, &pairs, usize::from(body.cols));
    let scroll = model.checks.scroll;
    for (at, pair) in pairs.iter().enumerate().skip(scroll.top).take(usize::from(body.rows)) {
        let here = at == scroll.cursor;
        let head = Row::new().on(marks::ground(here, focused)).text(Role::Accent, marks::cursor(here));
        canvas.row(body, at - scroll.top, &columns.row(pair, head));
        if here && focused {
            canvas.focus(body, 1, at - scroll.top);
        }
    }
    draw_check(canvas, model, detail);
}

/// What stands in which column.
struct Columns {
    /// Columns of the titles.
    title: usize,
    /// The bot answered: its mark stands beside ours.
    bot: bool,
    /// Its answer counts no more.
    stale: bool,
}

impl Columns {
    fn of(model: &Model, pairs: &[Pair<'_>], cols: usize) -> Columns {
        let longest = pairs.iter().filter_map(|pair| pair.finding).map(|finding| finding.title.chars().count()).max();
        let spoken = model.review.spoken.as_ref();
        let bot = spoken.is_some_and(|spoken| !spoken.verdict.rows.is_empty());
        // Three fifths of what the marks and numbers leave: the strongest fact needs the rest.
        let free = cols.saturating_sub(if bot { 11 } else { 7 });
        Columns {
            title: longest.unwrap_or(0).min(free * 3 / 5),
            bot,
            stale: spoken.is_some_and(|spoken| !spoken.stale.is_empty()),
        }
    }

    fn row<'t>(&self, pair: &Pair<'t>, mut row: Row<'t>) -> Row<'t> {
        let (mark, role) = pair.finding.map_or((" ", Role::Dim), |finding| marks::status(finding.status));
        row = row.text(role, mark).gap(1);
        if self.bot {
            let (fit, fit_role) = match pair.fit {
                Fit::Differs if !self.stale => ("≠", Role::Warn),
                Fit::Differs => ("≠", Role::Dim),
                Fit::Same | Fit::Open => (" ", Role::Dim),
            };
            let (said, said_role) = pair.row.map_or((" ", Role::Dim), |row| marks::said(row.status));
            row = row.text(fit_role, fit).gap(1).text(if self.stale { Role::Stale } else { said_role }, said).gap(1);
        }
        let number = pair.finding.map_or_else(|| pair.row.map(|row| row.number), |finding| finding.number);
        row = row.number(Role::Dim, number.map(|number| number.to_string()).unwrap_or_default(), 2).gap(1);
        match (pair.finding, pair.row) {
            (Some(finding), _) => {
                let quiet = matches!(finding.status, Status::Pass | Status::NotApplicable);
                let title = if finding.status == Status::NotApplicable { Role::Dim } else { Role::Text };
                let brief = if quiet || finding.status == Status::NeedsYou { Role::Dim } else { role };
                row.column(title, finding.title.as_str(), self.title).gap(2).text(brief, finding.brief.as_str())
            }
            (None, Some(said)) => {
                row.column(Role::Text, said.name.as_str(), self.title).gap(2).text(Role::Dim, "only the bot has this check")
            }
            (None, None) => row,
        }
    }
}

/// The check under the cursor in full: reason, notes, the bot's words, and what supports it.
fn draw_check(canvas: &mut Canvas<'_>, model: &Model, area: Area) {
    let Some(pair) = current(model) else { return canvas.line(area, 0, "", Role::Dim) };
    let (title, role) = match (pair.finding, pair.row) {
        (Some(finding), _) => {
            let (mark, role) = marks::status(finding.status);
            let number = finding.number.map(|number| format!("Check {number} · ")).unwrap_or_default();
            let sure = sure(finding);
            (format!("{mark} {} · {number}{}{sure}", marks::status_word(finding.status), finding.title), role)
        }
        (None, Some(row)) => (format!("Check {} · {}", row.number, row.name), Role::Dim),
        (None, None) => (String::new(), Role::Dim),
    };
    canvas.line(area, 0, &title, role);
    let inside = Area { x: area.x + 1, y: area.y + 1, cols: area.cols.saturating_sub(2), rows: area.rows.saturating_sub(1) };
    let evidence = pair.finding.map(|finding| finding.evidence.as_slice()).unwrap_or_default();
    let kept = evidence.len().min(usize::from(inside.rows) / 2);
    let (text, foot) = inside.split_bottom(u16::try_from(kept).unwrap_or(0));
    let mut at = 0;
    if let Some(row) = pair.row {
        let stale = model.review.spoken.as_ref().is_some_and(|spoken| !spoken.stale.is_empty());
        let (mark, said) = marks::said(row.status);
        let (when, role) = if stale { ("stale: ", Role::Stale) } else { ("", said) };
        let line = format!("{mark} {when}the bot said {} — {}", marks::said_word(row.status), row.reason);
        let differs = if pair.fit == Fit::Differs { "≠ " } else { "" };
        at = canvas.paragraph(text, at, role, &format!("{differs}{line}"));
    }
    if let Some(finding) = pair.finding {
        at = canvas.paragraph(text, at, Role::Text, &finding.reason);
        for note in &finding.notes {
            at = canvas.paragraph(text, at, Role::Dim, &format!("· {note}"));
        }
    }
    let free = usize::from(text.rows).saturating_sub(at);
    // With room to spare, the evidence follows the text.
    let more = free.min(evidence.len() - kept);
    let rows = kept + more;
    let foot = Area { y: text.y + u16::try_from(at.min(usize::from(text.rows))).unwrap_or(0), rows: inside.rows, ..foot };
    let chosen = model.checks.chosen(evidence.len());
    // The chosen one is always among those that are shown.
    let first = (chosen + 1).saturating_sub(rows);
    for (row, piece) in evidence.iter().skip(first).take(rows).enumerate() {
        let here = first + row == chosen && model.focus == Pane::Checks;
        let mut line = evidence::row(Row::new().text(Role::Accent, marks::cursor(here)), piece, model.now);
        if row + 1 == rows && rows < evidence.len() {
            line = line.right(Role::Dim, format!(" {} of {}", chosen + 1, evidence.len()));
        }
        canvas.row(foot, row, &line);
    }
}

/// How a finding was reached, where it was not simply read.
fn sure(finding: &Finding) -> &'static str {
    match (finding.status, finding.confidence) {
        (Status::NeedsYou | Status::Unavailable | Status::NotApplicable, _) => "",
        (_, Confidence::Exact) => "",
        (_, Confidence::Derived) => " · derived",
        (_, Confidence::Suspect) => " · a sign, no proof",
    }
}
