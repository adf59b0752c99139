//! The newest lines of the log, newest last, under the name of its file.
//! Must not know: what a line means, but for its level.

use super::centred;
use crate::app::geometry::{Area, log_size};
use crate::app::screens::log::Tail;
use crate::core::trouble::Trouble;
use crate::view::paint::{Canvas, Row};
use crate::view::theme::Role;

pub fn draw(canvas: &mut Canvas<'_>, screen: Area, tail: Option<&Result<Tail, Trouble>>, top: usize) {
    let inside = canvas.popup(centred(screen, screen.cols, screen.rows), "Log");
    canvas.focus(inside, 0, 0);
    let tail = match tail {
        None => return canvas.row(inside, 0, &Row::new().text(Role::Running, "◔ being read")),
        Some(Err(trouble)) => {
            canvas.paragraph(inside, 0, Role::Bad, &trouble.sentence());
            return;
        }
        Some(Ok(tail)) => tail,
    };
    let (cols, height) = log_size(screen.cols, screen.rows);
    let rows: Vec<_> = tail.rows(cols).collect();
    let top = top.min(rows.len().saturating_sub(height));
    let shown = format!(" {}–{} of {}", top + 1, (top + height).min(rows.len()), rows.len());
    canvas.row(
        inside,
        0,
        &Row::new().path(Role::Title, tail.path.as_str(), cols.saturating_sub(shown.len())).right(Role::Dim, shown),
    );
    for (at, (line, range)) in rows.into_iter().skip(top).take(height).enumerate() {
        let Some(line) = tail.lines.get(line) else { continue };
        canvas.row(inside, at + 1, &Row::new().text(role(line), line.get(range).unwrap_or_default()));
    }
}

/// The role of a line's level, which stands third.
fn role(line: &str) -> Role {
    match line.split(' ').nth(2) {
        Some("ERROR") => Role::Bad,
        Some("WARN") => Role::Warn,
        Some("DEBUG" | "TRACE") => Role::Dim,
        _ => Role::Text,
    }
}
