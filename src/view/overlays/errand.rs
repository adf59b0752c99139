//! The question before a write that is no sign-off: what, what it sets off, as whom and where; and the list of labels.
//! Must not know: how it is sent.

use super::centred;
use crate::app::Model;
use crate::app::geometry::Area;
use crate::core::errand::{LabelRow, PreparedErrand, label_rows};
use crate::core::text::wrap;
use crate::view::marks;
use crate::view::paint::{Canvas, Row};
use crate::view::theme::Role;

/// Columns of the names at the left.
const NAME: usize = 8;
/// Columns of the box, with its border.
const COLS: u16 = 78;
/// Rows at the bottom that tell as whom and where, and the keys.
const FOOT: usize = 4;

pub fn draw(canvas: &mut Canvas<'_>, model: &Model, screen: Area, prepared: &PreparedErrand) {
    let text = usize::from(COLS.min(screen.cols.saturating_sub(2))).saturating_sub(4);
    // The box is as high as what it says; each consequence stands behind a mark.
    let lines = |what: &str, cols: usize| wrap::wrap(what, cols.max(1)).len();
    let told = prepared.consequences.iter().map(|told| lines(told, text.saturating_sub(2))).sum::<usize>();
    let wanted = lines(&prepared.what, text) + told;
    // Two rows of air, four at the bottom, the border.
    let height = u16::try_from(wanted + 2 + FOOT + 2).unwrap_or(u16::MAX);
    let inside = canvas.popup(centred(screen, COLS, height), "Do this?");
    let foot = usize::from(inside.rows).saturating_sub(FOOT);
    // Where there is little room, air goes first; what still does not fit is said to be there.
    let air = usize::from(foot > wanted);
    let room = if wanted > foot { foot.saturating_sub(1) } else { foot };
    let body = Area { rows: u16::try_from(room).unwrap_or(u16::MAX), ..inside };
    let behind = Area { x: body.x + 2, cols: body.cols.saturating_sub(2), ..body };
    let mut at = canvas.paragraph(body, 0, Role::Title, &prepared.what) + air;
    for told in &prepared.consequences {
        canvas.row(body, at, &Row::new().text(Role::Dim, "·"));
        at = canvas.paragraph(behind, at, Role::Text, told);
    }
    if wanted > foot {
        canvas.row(inside, room, &Row::new().text(Role::Warn, "! There is more: it needs a higher window."));
    }
    let rows = [
        ("as", prepared.viewer.login.to_string()),
        ("host", model.session.host.clone()),
        ("on", format!("{} #{} at {}", prepared.repo, prepared.number, prepared.head.short())),
    ];
    for (index, (name, value)) in rows.into_iter().enumerate() {
        canvas.row(inside, foot + index, &Row::new().column(Role::Dim, name, NAME).text(Role::Title, value));
    }
    let key = |name: &str| model.keymap.keys(name).into_iter().next().unwrap_or_default();
    let row = Row::new()
        .text(Role::Key, key("confirm_errand"))
        .text(Role::Text, " do it, once   ")
        .text(Role::Key, key("cancel_errand"))
        .text(Role::Text, " do not");
    canvas.row(inside, foot + FOOT - 1, &row);
    canvas.focus(inside, 0, foot + FOOT - 1);
}

/// The policy's labels, those that are there marked; what the one under the cursor does stands below.
pub fn draw_labels(canvas: &mut Canvas<'_>, model: &Model, screen: Area, cursor: usize) {
    let rows = label_rows(&model.policy, &model.facts);
    let height = u16::try_from(rows.len()).unwrap_or(u16::MAX).saturating_add(7);
    let inside = canvas.popup(centred(screen, COLS, height), "Labels");
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
