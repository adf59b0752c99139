//! What lies over the panes: help, the palette, the log, that of a job, messages to copy, the confirmation of a post or
//! an errand.
//! Must not know: each other.

mod confirm;
mod errand;
mod help;
mod joblog;
mod log;
mod messages;
mod palette;

use super::paint::Canvas;
use crate::app::Model;
use crate::app::geometry::Area;
use crate::app::model::{Field, Overlay};
use crate::core::errand::Errands;
use crate::core::pins::pinned_lines;

/// Draws the overlay that is open, if any. The search line is the footer's.
pub fn draw(canvas: &mut Canvas<'_>, model: &Model, screen: Area) {
    // It stays in sight while a word for its search is typed.
    let is_joblog = matches!(model.overlay, Overlay::JobLog | Overlay::Typing { field: Field::JobLogSearch, .. });
    if let Some(log) = model.joblog.as_deref().filter(|_| is_joblog) {
        return joblog::draw(canvas, screen, log, &pinned_lines(&model.draft.pins, log.of.job));
    }
    match (&model.overlay, model.posting.question()) {
        (Overlay::Help { top }, _) => help::draw(canvas, model, screen, *top),
        (Overlay::Log { tail, top }, _) => log::draw(canvas, screen, tail.as_ref(), *top),
        (Overlay::Palette { text, cursor }, _) => palette::draw(canvas, model, screen, text, *cursor),
        (Overlay::Messages { cursor }, _) => messages::draw(canvas, model, screen, *cursor),
        (Overlay::None, Some(prepared)) => confirm::draw(canvas, model, screen, prepared),
        (Overlay::None, None) => match &model.errands {
            Errands::Confirming(prepared) => errand::draw(canvas, model, screen, prepared),
            Errands::Choosing { cursor } => errand::draw_labels(canvas, model, screen, *cursor),
            _ => {}
        },
        (Overlay::Typing { .. } | Overlay::JobLog, _) => {}
    }
}

/// A box of at most `cols` × `rows` in the middle of the screen, above the footer.
fn centred(screen: Area, cols: u16, rows: u16) -> Area {
    let cols = cols.min(screen.cols.saturating_sub(2));
    let rows = rows.min(screen.rows.saturating_sub(2));
    Area { x: screen.x + (screen.cols - cols) / 2, y: screen.y + (screen.rows - 1 - rows) / 2, cols, rows }
}
