//! The last row: what was just said, what is being typed, or the keys that work here.
//! Must not know: which keys exist (`app::action`).

use super::paint::{Canvas, Row};
use super::theme::Role;
use crate::app::Model;
use crate::app::geometry::Area;
use crate::app::keymap::footer;
use crate::app::model::{Field, Overlay};
use crate::core::text::width;

pub fn draw(canvas: &mut Canvas<'_>, model: &Model, area: Area) {
    if let Overlay::Typing { field, text, wrong } = &model.overlay {
        let (lead, keys) = match field {
            Field::Search | Field::JobLogSearch => ("/", "Enter finds · Esc leaves "),
            Field::Filter { .. } => ("/", "is: hw: conc: tp: text · Enter keeps · Esc leaves "),
            Field::Reason(_) => ("why not ", "Tab phrases · Enter keeps, empty takes it away · Esc leaves "),
            Field::Behind(_) => ("behind ", "a link or a remark · Enter keeps · Esc leaves "),
            Field::Reference => ("against ", "run:ID, base, arm:spec=none or a file · Esc leaves "),
        };
        let row = Row::new().gap(1).text(Role::Key, lead).text(Role::Input, text.as_str());
        let column = row.columns();
        canvas.row(
            area,
            0,
            &match wrong {
                Some(wrong) => row.tail(Role::Warn, format!(" {wrong} ")),
                None => row.tail(Role::Dim, keys),
            },
        );
        canvas.focus(area, column, 0);
        return;
    }
    let help = model.keymap.keys("help").into_iter().next().unwrap_or_default();
    let end = |row: Row<'_>| -> usize { row.columns() + 1 };
    if let Some(notice) = &model.notice {
        let role = if notice.bad { Role::Bad } else { Role::Text };
        let row = Row::new().gap(1).text(role, if notice.bad { "! " } else { "" }).text(role, notice.text.as_str());
        canvas.row(area, 0, &row.right(Role::Key, help.as_str()).right(Role::Text, " "));
        return;
    }
    let mut row = Row::new().gap(1);
    let room = usize::from(area.cols).saturating_sub(width::of(&help) + " keys  ".len());
    for (key, title) in footer(model).into_iter().filter(|(key, _)| *key != help) {
        let next = width::of(&key) + width::of(title) + 4;
        // A key is told whole or not at all.
        if row.columns() + next > room {
            break;
        }
        row = row.text(Role::Key, key).text(Role::Dim, format!(" {title}")).gap(3);
    }
    let pending = pending(model);
    if !pending.is_empty() && end(Row::new().text(Role::Input, pending.as_str())) < room {
        row = row.right(Role::Input, pending).right(Role::Text, "  ");
    }
    canvas.row(area, 0, &row.right(Role::Key, help).right(Role::Dim, " keys "));
}

/// What was typed of a count or a sequence.
fn pending(model: &Model) -> String {
    let count = model.pending.count.map_or_else(String::new, |count| count.to_string());
    model.pending.keys.iter().fold(count, |text, key| text + &key.to_string())
}
