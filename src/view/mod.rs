//! The screen as a pure function: `draw` turns the model into cells.
//! Must not know: the clock, files, the network; it never writes the model.

mod evidence;
mod footer;
mod gauge;
mod header;
mod marks;
mod notes;
mod overlays;
pub mod paint;
mod plot;
mod screens;
pub mod theme;

use crate::app::Model;
use crate::app::geometry::{Area, MIN_COLS, MIN_ROWS, layout};
use crate::app::model::Pane;
use paint::Canvas;
use ratatui::Frame;
use theme::{Role, Theme};

/// Draws the whole screen. The hardware cursor goes to the row or field that keys act on.
pub fn draw(frame: &mut Frame<'_>, model: &Model, theme: &Theme) {
    let area = frame.area();
    let screen = Area { x: area.x, y: area.y, cols: area.width, rows: area.height };
    let mut canvas = Canvas::new(frame.buffer_mut(), theme);
    draw_screen(&mut canvas, model, screen);
    if let Some(at) = canvas.cursor() {
        frame.set_cursor_position(at);
    }
}

fn draw_screen(canvas: &mut Canvas<'_>, model: &Model, screen: Area) {
    let Some(areas) = layout(screen.cols, screen.rows, model.focus) else {
        let text = format!(
            "This terminal has {} columns and {} rows: at least {MIN_COLS} and {MIN_ROWS} are needed. Nothing is lost: make it larger.",
            screen.cols, screen.rows
        );
        canvas.paragraph(screen, 0, Role::Text, &text);
        return;
    };
    header::draw(canvas, model, areas.header);
    header::draw_tabs(canvas, model, areas.tabs);
    if let Some(area) = areas.checklist {
        screens::checklist::draw(canvas, model, area);
        if let Some(pane) = areas.pane {
            canvas.rule(pane.x.saturating_sub(1), pane.y, pane.rows);
        }
    }
    if let Some(area) = areas.reason {
        screens::checklist::draw_reason(canvas, model, area);
    }
    if let Some(area) = areas.pane {
        match model.beside {
            Pane::Checklist | Pane::Diff => screens::diff::draw(canvas, model, area),
            Pane::Sweep => screens::sweep::draw(canvas, model, area),
            Pane::Evals => screens::evals::draw(canvas, model, area),
            Pane::Talk => screens::talk::draw(canvas, model, area),
            Pane::Signoff => screens::signoff::draw(canvas, model, area),
            Pane::Checks => screens::checks::draw(canvas, model, area),
            Pane::Points => screens::points::draw(canvas, model, area),
            Pane::Results => screens::results::draw(canvas, model, area),
        }
    }
    footer::draw(canvas, model, areas.footer);
    overlays::draw(canvas, model, screen);
}
