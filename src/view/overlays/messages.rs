//! Messages to copy: whom each is for, and the one under the cursor as it will be pasted.
//! Must not know: what a message says.

use super::centred;
use crate::app::Model;
use crate::app::geometry::Area;
use crate::app::update::messages;
use crate::view::marks;
use crate::view::paint::{Canvas, Row};
use crate::view::theme::Role;

pub fn draw(canvas: &mut Canvas<'_>, model: &Model, screen: Area, cursor: usize) {
    let all = messages(model);
    let inside = canvas.popup(centred(screen, 100, 26), "Messages to copy");
    let last = usize::from(inside.rows.saturating_sub(1));
    if all.is_empty() {
        canvas.paragraph(
            inside,
            0,
            Role::Dim,
            "Nothing is to be said to anybody: nothing fails, nobody else signed, and no verdict stands.",
        );
    }
    for (at, (whom, _)) in all.iter().enumerate() {
        let row = Row::new().on(marks::ground(at == cursor, true)).text(Role::Accent, marks::cursor(at == cursor));
        canvas.row(inside, at, &row.text(Role::Text, *whom));
    }
    if let Some((_, text)) = all.get(cursor) {
        let above = u16::try_from(all.len() + 1).unwrap_or(u16::MAX).min(inside.rows);
        let body = Area { y: inside.y + above, rows: inside.rows.saturating_sub(above + 2), ..inside };
        let mut at = 0;
        for line in text.lines() {
            at = canvas.paragraph(body, at, Role::Dim, line);
        }
    }
    let row =
        Row::new().text(Role::Key, "Enter").text(Role::Text, " copy   ").text(Role::Key, "Esc").text(Role::Text, " leave");
    canvas.row(inside, last, &row);
    canvas.focus(inside, 0, cursor.min(last));
}
