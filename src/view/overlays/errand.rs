//! The question before a write that is no sign-off: what, what it sets off, as whom and where; and the list of labels.
//! Must not know: how it is sent.

use super::centred;
use crate::app::Model;
use crate::app::geometry::{Area, ERRAND_COLS, ERRAND_FOOT, ErrandRow, errand_rows};
use crate::core::errand::{LabelRow, PreparedErrand, label_rows};
use crate::view::marks;
use crate::view::paint::{Canvas, Row};
use crate::view::theme::Role;

/// Columns of the names at the left.
const NAME: usize = 8;

pub fn draw(canvas: &mut Canvas<'_>, model: &Model, screen: Area, prepared: &PreparedErrand) {
    let key = |name: &str| model.keymap.keys(name).into_iter().next().unwrap_or_default();
    let (told, room) = errand_rows(screen.cols, screen.rows, prepared);
    // The box is as high as what it says: two rows of air, the foot, the border.
    let height = u16::try_from(told.len() + 2 + ERRAND_FOOT + 2).unwrap_or(u16::MAX);
    let inside = canvas.popup(centred(screen, ERRAND_COLS, height), "Do this?");
    let foot = usize::from(inside.rows).saturating_sub(ERRAND_FOOT);
    // Where there is little room, air goes first.
    let air = usize::from(foot > told.len());
    let top = model.errand_page.top.min(told.len().saturating_sub(room));
    for (index, row) in told.iter().enumerate().skip(top).take(room) {
        let row = match row {
            ErrandRow::What(text) => Row::new().text(Role::Title, text),
            ErrandRow::Told(text) => Row::new().text(Role::Dim, "· ").text(Role::Text, text),
            ErrandRow::More(text) => Row::new().text(Role::Text, format!("  {text}")),
        };
        let air = if matches!(told[index], ErrandRow::What(_)) { 0 } else { air };
        canvas.row(inside, index - top + air, &row);
    }
    if told.len() > room {
        let (role, says, way, then) = match top + room < told.len() {
            true => (Role::Warn, "! There is more: ", "page_down", " shows it."),
            false => (Role::Dim, "That is all: ", "page_up", " goes back."),
        };
        canvas.row(inside, room, &Row::new().text(role, says).text(Role::Key, key(way)).text(role, then));
    }
    let rows = [
        ("as", prepared.viewer.login.to_string()),
        ("host", model.session.host.clone()),
        ("on", format!("{} #{} at {}", prepared.repo, prepared.number, prepared.head.short())),
    ];
    for (index, (name, value)) in rows.into_iter().enumerate() {
        canvas.row(inside, foot + index, &Row::new().column(Role::Dim, name, NAME).text(Role::Title, value));
    }
    let row = Row::new()
        .text(Role::Key, key("confirm_errand"))
        .text(Role::Text, " do it, once   ")
        .text(Role::Key, key("cancel_errand"))
        .text(Role::Text, " do not");
    canvas.row(inside, foot + ERRAND_FOOT - 1, &row);
    canvas.focus(inside, 0, foot + ERRAND_FOOT - 1);
}

/// The policy's labels, those that are there marked; what the one under the cursor does stands below.
pub fn draw_labels(canvas: &mut Canvas<'_>, model: &Model, screen: Area, cursor: usize) {
    let rows = label_rows(&model.policy, &model.facts);
    let height = u16::try_from(rows.len()).unwrap_or(u16::MAX).saturating_add(7);
    let inside = canvas.popup(centred(screen, ERRAND_COLS, height), "Labels");
    let list = usize::from(inside.rows).saturating_sub(5);
    let top = (cursor + 1).saturating_sub(list.max(1));
    for (at, row) in rows.iter().enumerate().skip(top).take(list) {
        canvas.row(inside, at - top, &label(row, at == cursor));
    }
    if let Some(row) = rows.get(cursor) {
        let below = Area { y: inside.y + inside.rows.saturating_sub(4), rows: inside.rows.min(3), ..inside };
        canvas.paragraph(below, 0, Role::Dim, &row.label.does);
    }
    let last = usize::from(inside.rows.saturating_sub(1));
    let row = Row::new()
        .text(Role::Key, "Enter")
        .text(Role::Text, " put on or take off   ")
        .text(Role::Key, "Esc")
        .text(Role::Text, " leave");
    canvas.row(inside, last, &row);
    canvas.focus(inside, 0, cursor.saturating_sub(top));
}

fn label(row: &LabelRow<'_>, here: bool) -> Row<'static> {
    let mark = if row.on { "✓ " } else { "  " };
    let kind = if row.starts { "starts a sweep" } else { "changes it" };
    let name = if row.on { Role::Good } else { Role::Text };
    Row::new()
        .on(marks::ground(here, true))
        .text(Role::Accent, marks::cursor(here))
        .text(name, mark)
        .text(name, row.label.name.clone())
        .right(Role::Dim, kind)
}
