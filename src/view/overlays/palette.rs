//! Finding an action by its name: the field and what matches.
//! Must not know: how matches are ranked.

use super::centred;
use crate::app::Model;
use crate::app::geometry::Area;
use crate::app::screens::palette::matches;
use crate::view::marks;
use crate::view::paint::{Canvas, Row};
use crate::view::theme::Role;

pub fn draw(canvas: &mut Canvas<'_>, model: &Model, screen: Area, text: &str, cursor: usize) {
    let inside = canvas.popup(centred(screen, 84, 18), "Command");
    let field = Row::new().text(Role::Key, ": ").text(Role::Input, text);
    let column = field.columns();
    canvas.row(inside, 0, &field);
    let body = Area { y: inside.y + 1, rows: inside.rows.saturating_sub(1), ..inside };
    let found = matches(model, text);
    let height = usize::from(body.rows).max(1);
    let top = (cursor + 1).saturating_sub(height);
    for (at, action) in found.iter().enumerate().skip(top).take(height) {
        let here = at == cursor;
        let row = Row::new().on(marks::ground(here, true)).text(Role::Accent, marks::cursor(here));
        let keys = model.keymap.keys(action.name).into_iter().next().unwrap_or_default();
        let row = match (action.available)(model) {
            Ok(()) => row.column(Role::Text, action.name, 20).text(Role::Dim, action.help),
            Err(why) => row.column(Role::Dim, action.name, 20).text(Role::Warn, why),
        };
        canvas.row(body, at - top, &row.right(Role::Key, keys));
    }
    if found.is_empty() {
        canvas.row(body, 0, &Row::new().text(Role::Dim, "No action that can be run from here has these words."));
    }
    canvas.focus(inside, column, 0);
}
