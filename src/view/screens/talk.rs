//! The conversation: who said what, where and when.
//! Must not know: Markdown (`core::markdown` made the rows).

use crate::app::Model;
use crate::app::geometry::Area;
use crate::app::model::Pane;
use crate::app::screens::talk::{TalkRow, lists};
use crate::core::pull::{Comment, CommentPlace};
use crate::core::time::{Time, render_age};
use crate::view::marks;
use crate::view::notes::{self, Note};
use crate::view::paint::{Canvas, Row};
use crate::view::theme::Role;

pub fn draw(canvas: &mut Canvas<'_>, model: &Model, area: Area) {
    let focused = model.focus == Pane::Talk;
    let notes: Vec<Note> =
        lists(&model.facts).iter().filter_map(|(name, list)| notes::of_list(name, list, model.now)).collect();
    let talk = &model.talk;
    if talk.rows.is_empty() {
        notes::draw_title(canvas, area, focused, "Talk", "", &[]);
        notes::draw_empty(canvas, area, &notes, "Nobody has said anything yet.");
        if focused {
            canvas.focus(area, 0, 0);
        }
        return;
    }
    let count = talk.comments.len();
    let counts = if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") };
    notes::draw_title(canvas, area, focused, "Talk", &counts, &notes);
    let body = notes::below(area, 1);
    for (at, row) in talk.rows.iter().enumerate().skip(talk.scroll.top).take(usize::from(body.rows)) {
        let here = at == talk.scroll.cursor;
        let empty = Row::new().on(marks::ground(here, focused));
        let row = match row {
            TalkRow::Head(comment) => match talk.comments.get(*comment) {
                Some(comment) => head(comment, empty.text(Role::Accent, marks::cursor(here)), model.now),
                None => empty,
            },
            TalkRow::Text(_, text) => {
                // A rule so thin that what follows needs no gap.
                let empty = empty.text(Role::Accent, marks::cursor(here)).text(Role::Border, "▏");
                text.spans.iter().fold(empty, |row, (text, role)| row.text(Role::of_text(*role), text.as_str()))
            }
            TalkRow::Gap => empty.text(Role::Accent, marks::cursor(here)),
        };
        canvas.row(body, at - talk.scroll.top, &row);
        if here && focused {
            canvas.focus(body, 0, at - talk.scroll.top);
        }
    }
}

fn head<'t>(comment: &'t Comment, row: Row<'t>, now: Time) -> Row<'t> {
    let mut row = row.text(Role::Title, comment.author.login.as_str());
    if comment.author.bot {
        row = row.text(Role::Dim, " bot");
    }
    if !comment.association.is_empty() {
        row = row.text(Role::Dim, " · ").text(Role::Dim, comment.association.as_str());
    }
    row = row.text(Role::Dim, " · ");
    row = match (comment.place, comment.detail.as_deref()) {
        (CommentPlace::Conversation, Some(detail)) => row.text(Role::Text, detail),
        (CommentPlace::Conversation, None) => row.text(Role::Dim, "comment"),
        (CommentPlace::Review, state) => {
            let state = state.unwrap_or_default();
            let role = match state {
                "APPROVED" => Role::Good,
                "CHANGES_REQUESTED" => Role::Bad,
                _ => Role::Dim,
            };
            row.text(Role::Dim, "review ").text(role, state)
        }
        (CommentPlace::Line, place) => row.text(Role::Dim, "on ").text(Role::Text, place.unwrap_or("a line of the diff")),
    };
    let edited = matches!((comment.created_at, comment.updated_at), (Some(made), Some(changed)) if changed > made);
    if let Some(made) = comment.created_at {
        row = row.right(Role::Dim, if edited { "edited · " } else { "" }).right(Role::Dim, render_age(now, made));
    }
    row.right(Role::Text, " ")
}
