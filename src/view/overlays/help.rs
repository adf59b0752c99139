//! All actions with their keys: first those that work here, then the rest; why one is not available is said.
//! Must not know: what an action does.

use super::centred;
use crate::app::Model;
use crate::app::action::scopes;
use crate::app::geometry::Area;
use crate::app::screens::help::{Line, lines};
use crate::view::paint::{Canvas, Row};
use crate::view::theme::Role;

/// Columns of the keys.
const KEYS: usize = 18;

pub fn draw(canvas: &mut Canvas<'_>, model: &Model, screen: Area, top: usize) {
    let inside = canvas.popup(centred(screen, 104, screen.rows), "Keys");
    let lines = lines(&scopes(model));
    let height = usize::from(inside.rows);
    for (at, line) in lines.iter().enumerate().skip(top).take(height) {
        canvas.row(inside, at - top, &row(model, line));
    }
    if lines.len() > height {
        let title = Area { y: inside.y.saturating_sub(1), ..inside };
        let text = format!(" {}–{} of {} ", top + 1, (top + height).min(lines.len()), lines.len());
        canvas.row(
            Area { x: title.x + 8, cols: title.cols.saturating_sub(8), rows: 1, ..title },
            0,
            &Row::new().text(Role::Dim, text),
        );
    }
    canvas.focus(inside, 0, 0);
}

fn row(model: &Model, line: &Line) -> Row<'static> {
    match line {
        Line::Gap => Row::new(),
        Line::Heading(scope) => Row::new().text(Role::Heading, scope.title()),
        Line::Entry(action) => {
            let keys = model.keymap.keys(action.name).join(", ");
            let row = Row::new().gap(1);
            match (action.available)(model) {
                Ok(()) => row.column(Role::Key, keys, KEYS).text(Role::Text, action.help),
                Err(why) => {
                    row.column(Role::Dim, keys, KEYS).text(Role::Dim, action.help).text(Role::Dim, " – ").text(Role::Warn, why)
                }
            }
        }
    }
}
