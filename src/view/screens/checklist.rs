//! The checklist and, below it, the item under the cursor in full: its words, what the rules say, what supports it.
//! Must not know: how findings are reached.

use crate::app::Model;
use crate::app::geometry::Area;
use crate::app::model::Pane;
use crate::app::screens::checklist::{current, suggestions};
use crate::core::checklist::migrate::Change;
use crate::core::checklist::{ItemState, TickState};
use crate::core::diff::words;
use crate::core::facts::DocumentKind;
use crate::view::evidence;
use crate::view::marks;
use crate::view::notes::{self, Note};
use crate::view::paint::{Canvas, Row};
use crate::view::theme::Role;

/// Columns of indentation per level, and the most that is shown of it.
const INDENT: usize = 2;
const MOST_INDENT: usize = 8;

pub fn draw(canvas: &mut Canvas<'_>, model: &Model, area: Area) {
    let focused = model.focus == Pane::Checklist;
    let notes = template_notes(model);
    let Some(signoff) = model.signed() else {
        notes::draw_title(canvas, area, focused, "Checklist", "", &[]);
        notes::draw_empty(canvas, area, &notes, "The template has no items.");
        return canvas.focus(area, 0, 0);
    };
    let items = &signoff.items;
    let count = |tick| items.iter().filter(|item| item.tick == tick).count();
    let (ticked, stale) = (count(TickState::Ticked), count(TickState::Stale));
    let mut counts = format!("{ticked} of {} ticked", items.len());
    if stale > 0 {
        counts.push_str(&format!(" · {stale} stale"));
    }
    notes::draw_title(canvas, area, focused, "Checklist", &counts, &notes);
    let body = notes::below(area, 1);
    let scroll = model.checklist;
    for (at, item) in items.iter().enumerate().skip(scroll.top).take(usize::from(body.rows)) {
        let here = at == scroll.cursor;
        let reason = model.draft.reasons.contains_key(&item.key);
        canvas.row(body, at - scroll.top, &item_row(item, reason, here, focused));
        if here && focused {
            canvas.focus(body, 4, at - scroll.top);
        }
    }
}

/// Columns of an item's short name, so that the facts behind them stand in a column of their own.
const SHORT_COLS: usize = 21;

fn item_row<'t>(item: &'t ItemState, has_reason: bool, here: bool, focused: bool) -> Row<'t> {
    let (mark, mark_role) = marks::item(item);
    let (tick, tick_role) = marks::tick(item.tick);
    let done = item.tick == TickState::Ticked;
    let indent = (item.depth * INDENT).min(MOST_INDENT);
    let row = Row::new()
        .on(marks::ground(here, focused))
        .text(Role::Accent, marks::cursor(here))
        .text(mark_role, mark)
        .gap(1 + indent)
        .text(tick_role, tick)
        .gap(1)
        .column(if done { Role::Dim } else { Role::Text }, item.short.as_str(), SHORT_COLS.saturating_sub(indent));
    let reason = match item.tick {
        TickState::Stale => "ticked at another head or for other words",
        TickState::Open if item.stale_reason => "your reason is for another head or other words",
        TickState::Open if has_reason => "your reason is in the details",
        _ => item.brief.as_str(),
    };
    let role = match item.tick {
        TickState::Stale => Role::Stale,
        TickState::Open if item.stale_reason => Role::Stale,
        _ if done => Role::Dim,
        TickState::Ticked | TickState::Open => mark_role_of_reason(mark_role),
    };
    row.tail(Role::Text, " ").tail(role, reason).tail(Role::Text, " ")
}

/// What is as it should be steps back, and so does what only the mark must say: that the reviewer judges.
fn mark_role_of_reason(role: Role) -> Role {
    match role {
        Role::Good | Role::Dim | Role::Needs => Role::Dim,
        other => other,
    }
}

fn template_notes(model: &Model) -> Vec<Note> {
    let mut out = Vec::new();
    match model.facts.document(DocumentKind::Checklist) {
        Some(document) => out.extend(notes::of_value("template", document, model.now)),
        None => out.push((Role::Running, "◔ template: not asked for yet".to_owned())),
    }
    if let Some(Err(trouble)) = &model.review.signoff {
        // A template that was read and is no template; one that was not read is said above.
        if model.facts.document(DocumentKind::Checklist).is_some_and(|document| document.trouble().is_none()) {
            out.push((Role::Bad, format!("✗ {}", trouble.sentence())));
        }
    }
    out
}

/// The item under the cursor in full.
pub fn draw_reason(canvas: &mut Canvas<'_>, model: &Model, area: Area) {
    let Some(item) = current(model) else {
        return canvas.line(area, 0, "", Role::Dim);
    };
    let (mark, role) = marks::item(item);
    let word = match (item.tick, item.status) {
        (TickState::Stale, _) => "STALE TICK",
        (_, status) => marks::status_word(status),
    };
    canvas.line(area, 0, &format!("{mark} {word} · {}", item.short), role);
    let inside = Area { x: area.x + 1, y: area.y + 1, cols: area.cols.saturating_sub(2), rows: area.rows.saturating_sub(1) };
    // What supports it stands at the bottom, however long the item is.
    let kept = item.evidence.len().min(usize::from(inside.rows) / 3);
    let (text, foot) = inside.split_bottom(u16::try_from(kept).unwrap_or(0));
    let mut at = 0;
    if item.tick == TickState::Stale {
        at = canvas.paragraph(
            text,
            at,
            Role::Stale,
            "~ Ticked at another head or for other words: it does not count until you tick it again.",
        );
    }
    if item.stale_reason {
        at = canvas.paragraph(
            text,
            at,
            Role::Stale,
            "~ Your reason was given at another head or for other words: x gives it again, or takes it away.",
        );
    }
    match model.signed().and_then(|signoff| signoff.change_of(&item.key)) {
        Some(Change::New) => {
            at = canvas.paragraph(text, at, Role::Warn, "New in today's template: tick it, or say why not (x).");
        }
        Some(Change::Reworded { before, .. }) => {
            at = canvas.paragraph(
                text,
                at,
                Role::Warn,
                &format!("Reworded since you ticked: {}", words::told(before, &item.text)),
            );
        }
        Some(Change::Kept) | None => {}
    }
    let own = [("behind it", model.draft.behind.get(&item.key)), ("not ticked, since", model.draft.reasons.get(&item.key))];
    for (lead, said) in own {
        if let Some(said) = said {
            at = canvas.paragraph(text, at, Role::Accent, &format!("{lead}: {said}"));
        }
    }
    at = canvas.paragraph(text, at, Role::Text, &item.reason);
    for offered in suggestions(model) {
        at = canvas.paragraph(text, at, Role::Key, &format!("Suggested: {}. l takes it.", offered.render(&model.facts)));
    }
    for note in &item.notes {
        at = canvas.paragraph(text, at, Role::Text, &format!("· {note}"));
    }
    at = canvas.paragraph(text, at, Role::Dim, &item.text);
    let free = usize::from(text.rows).saturating_sub(at);
    // With room to spare, the evidence follows the text.
    let foot = if free > 0 && kept < item.evidence.len() {
        let more = u16::try_from(free.min(item.evidence.len() - kept)).unwrap_or(0);
        Area { y: foot.y - more, rows: foot.rows + more, ..foot }
    } else {
        foot
    };
    let shown = usize::from(foot.rows).min(item.evidence.len());
    for (row, piece) in item.evidence.iter().take(shown).enumerate() {
        let mut line = evidence::row(Row::new(), piece, model.now);
        if row + 1 == shown && shown < item.evidence.len() {
            line = line.right(Role::Dim, format!(" +{} more", item.evidence.len() - shown));
        }
        canvas.row(foot, row, &line);
    }
}
