//! The one question before a comment is sent: as whom, where, for what commit, and how much of the list is ticked.
//! Must not know: how it is sent.

use super::centred;
use crate::app::Model;
use crate::app::geometry::Area;
use crate::core::checklist::TickState;
use crate::core::posting::{MAX_CHARS, Prepared};
use crate::view::header::grouped;
use crate::view::paint::{Canvas, Row};
use crate::view::screens::signoff::TARGET;
use crate::view::theme::Role;

/// Columns of the names at the left.
const NAME: usize = 8;

pub fn draw(canvas: &mut Canvas<'_>, model: &Model, screen: Area, prepared: &Prepared) {
    let recording = model.session.recording.is_some();
    let inside = canvas.popup(centred(screen, 68, 12), &format!("Post this {TARGET}?"));
    let chars = prepared.text.chars().count();
    // Eight rows with the question: all that the smallest screen has.
    let rows = [
        ("as", prepared.viewer.login.to_string()),
        ("host", prepared.host.clone()),
        ("to", format!("{} #{}", prepared.repo, prepared.number)),
        ("head", prepared.head.to_string()),
        ("size", format!("{} / {}", grouped(chars as u64), grouped(MAX_CHARS as u64))),
    ];
    let mut at = usize::from(inside.rows > 9);
    for (name, value) in rows {
        canvas.row(inside, at, &Row::new().column(Role::Dim, name, NAME).text(Role::Title, value));
        at += 1;
    }
    canvas.row(inside, at, &ticks(model));
    at += 1;
    if recording {
        let text = Row::new().text(Role::Warn, "! Nothing leaves this machine.");
        canvas.row(inside, at, &text);
    }
    let key = |name: &str| model.keymap.keys(name).into_iter().next().unwrap_or_default();
    let row = Row::new()
        .text(Role::Key, key("confirm_post"))
        .text(Role::Text, " post it, once   ")
        .text(Role::Key, key("cancel_post"))
        .text(Role::Text, " do not");
    let last = usize::from(inside.rows.saturating_sub(1));
    canvas.row(inside, last, &row);
    canvas.focus(inside, 0, last);
}

/// How many items are ticked; those that are not are the reviewer's decision, and said.
fn ticks(model: &Model) -> Row<'static> {
    let items = model.signed().map(|signoff| signoff.items.as_slice()).unwrap_or_default();
    let ticked = items.iter().filter(|item| item.tick == TickState::Ticked).count();
    let open = items.len() - ticked;
    let row = Row::new().column(Role::Dim, "items", NAME).text(Role::Title, format!("{ticked} ticked"));
    match open {
        0 => row.text(Role::Dim, ", none unticked"),
        open => row.text(Role::Warn, format!(", ! {open} unticked")),
    }
}
