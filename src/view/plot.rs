//! A plot in cells: braille where the terminal can show it, else one mark a cell; axes with round ticks.
//! Must not know: where the numbers come from.

use super::paint::{Canvas, Row};
use super::theme::Role;
use crate::app::geometry::Area;
use crate::core::results::plot::{Axis, Plot, Spot};
use ratatui::style::Styled;
use ratatui::symbols::Marker;
use ratatui::widgets::canvas;

/// Columns of the labels of the upright axis.
const LABELS: u16 = 8;
/// Below this nothing can be told from a plot.
pub const MIN_ROWS: u16 = 6;

/// Draws the plot, `chosen` brighter than the rest with its name beside it.
pub fn draw(out: &mut Canvas<'_>, area: Area, plot: &Plot, chosen: Option<Spot>, braille: bool) {
    if area.rows < MIN_ROWS || area.cols < 3 * LABELS {
        return;
    }
    let inside = Area { x: area.x + LABELS + 1, y: area.y + 1, cols: area.cols - LABELS - 2, rows: area.rows - 3 };
    out.row(area, 0, &Row::new().gap(1).text(Role::Dim, format!("{} ↑", plot.y.title)));
    upright(out, area, inside, &plot.y);
    level(out, area, inside, &plot.x);
    let style = |role: Role| out.style(role);
    let (line, dim, mark, accent) = (style(Role::Border), style(Role::Dim), style(Role::Text), style(Role::Accent));
    let marker = if braille { Marker::Braille } else { Marker::Dot };
    let color = |style: ratatui::style::Style| style.fg.unwrap_or_default();
    let picture =
        canvas::Canvas::default().marker(marker).x_bounds([plot.x.low, plot.x.high]).y_bounds([plot.y.low, plot.y.high]);
    out.widget(
        inside,
        picture.paint(|context| {
            for series in &plot.series {
                let color = color(if series.reference { line } else { dim });
                let points: Vec<(f64, f64)> = series.line().collect();
                for pair in points.windows(2) {
                    if let [(x1, y1), (x2, y2)] = *pair {
                        context.draw(&canvas::Line { x1, y1, x2, y2, color });
                    }
                }
            }
            context.layer();
            for (at, series) in plot.series.iter().enumerate() {
                for (place, point) in series.marks.iter().enumerate() {
                    let here = chosen == Some(Spot { series: at, mark: place });
                    let sign = match (series.reference, point.frontier) {
                        (true, _) => "○",
                        (false, true) => "●",
                        (false, false) => "·",
                    };
                    let style = match (here, series.reference) {
                        (true, _) => accent,
                        (false, true) => dim,
                        (false, false) => mark,
                    };
                    if !here {
                        context.print(point.x, point.y, sign.set_style(style));
                    }
                }
            }
            // The chosen one lies on top.
            if let Some(point) = chosen.and_then(|spot| plot.mark(spot)) {
                context.print(point.x, point.y, "◆".set_style(accent));
            }
        }),
    );
    if let Some(point) = chosen.and_then(|spot| plot.mark(spot)) {
        name_it(out, inside, plot, point.x, point.y, &point.label);
    }
}

/// The name of the chosen point, on the side where there is room.
fn name_it(out: &mut Canvas<'_>, inside: Area, plot: &Plot, x: f64, y: f64, label: &str) {
    let cell = |share: f64, cells: u16| (share.clamp(0.0, 1.0) * f64::from(cells.saturating_sub(1))).round() as u16;
    let (column, row) = (cell(plot.x.share(x), inside.cols), cell(1.0 - plot.y.share(y), inside.rows));
    let width = u16::try_from(label.chars().count()).unwrap_or(u16::MAX).saturating_add(1);
    let after = column.saturating_add(2);
    let start = if after.saturating_add(width) <= inside.cols { after } else { column.saturating_sub(width) };
    let area = Area { x: inside.x + start, y: inside.y + row, cols: width.min(inside.cols.saturating_sub(start)), rows: 1 };
    out.row(area, 0, &Row::new().text(Role::Accent, label.to_owned()));
}

fn upright(out: &mut Canvas<'_>, area: Area, inside: Area, axis: &Axis) {
    let labels = Area { x: area.x, y: inside.y, cols: LABELS + 1, rows: inside.rows };
    let mut taken = None;
    for tick in axis.ticks.iter().rev() {
        let row = ((1.0 - axis.share(tick.at)).clamp(0.0, 1.0) * f64::from(inside.rows.saturating_sub(1))).round() as usize;
        if taken.is_none_or(|last: usize| row > last) {
            out.row(
                labels,
                row,
                &Row::new().number(Role::Dim, tick.label.as_str(), usize::from(LABELS)).text(Role::Border, "┤"),
            );
            taken = Some(row);
        }
    }
    for row in 0..usize::from(inside.rows) {
        let bar = Area { x: area.x + LABELS, y: inside.y, cols: 1, rows: inside.rows };
        let is_tick = axis.ticks.iter().any(|tick| {
            ((1.0 - axis.share(tick.at)).clamp(0.0, 1.0) * f64::from(inside.rows.saturating_sub(1))).round() as usize == row
        });
        if !is_tick {
            out.row(bar, row, &Row::new().text(Role::Border, "│"));
        }
    }
}

fn level(out: &mut Canvas<'_>, area: Area, inside: Area, axis: &Axis) {
    let below = Area { x: area.x, y: inside.y + inside.rows, cols: area.cols, rows: 2 };
    let column = |at: f64| (axis.share(at).clamp(0.0, 1.0) * f64::from(inside.cols.saturating_sub(1))).round() as usize;
    let mut rule: Vec<char> = vec!['─'; usize::from(inside.cols)];
    for tick in &axis.ticks {
        if let Some(cell) = rule.get_mut(column(tick.at)) {
            *cell = '┴';
        }
    }
    let rule: String = rule.into_iter().collect();
    out.row(below, 0, &Row::new().gap(usize::from(LABELS)).text(Role::Border, format!("└{rule}")));
    // The title stands at the right end; labels that would run into it, or into each other, are left out.
    let title = format!(" {} → ", axis.title);
    let room = usize::from(inside.cols).saturating_sub(title.chars().count());
    let mut row = Row::new().gap(usize::from(LABELS) + 1);
    let mut at = 0;
    for tick in &axis.ticks {
        let start = column(tick.at).saturating_sub(tick.label.len() / 2);
        if start >= at && start + tick.label.len() < room {
            row = row.gap(start - at).text(Role::Dim, tick.label.as_str());
            at = start + tick.label.len() + 1;
            row = row.gap(1);
        }
    }
    out.row(below, 1, &row.right(Role::Dim, title));
}
