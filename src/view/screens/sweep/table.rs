//! The sweep pane's matrix: axes, columns, and a row of cells.
//! Must not know: how jobs were laid out.

use crate::app::Model;
use crate::app::geometry::Area;
use crate::app::screens::sweep::Mode;
use crate::core::sweep::{Pivot, Tally};
use crate::core::text::{counted, width};
use crate::view::marks;
use crate::view::paint::{Canvas, Row};
use crate::view::theme::Role;

/// The least and the most columns of a cell.
const CELL: (usize, usize) = (9, 22);

/// What the rows and columns are, and the labels of the columns that fit.
pub fn draw_head(canvas: &mut Canvas<'_>, model: &Model, shown: &Columns, area: Area) {
    let Some(pivot) = &model.sweep.table.pivot else { return };
    let (rows, columns) = pivot.axes;
    let mut row = Row::new()
        .gap(1)
        .text(Role::Dim, "rows ")
        .text(Role::Title, rows.title())
        .text(Role::Dim, " [  columns ")
        .text(Role::Title, columns.title())
        .text(Role::Dim, " ]");
    if let Some(whole) = model.sweep.table.whole(&model.sweep.wholes) {
        row = row.text(Role::Dim, format!("  of {}, {}", whole.head.short(), counted(whole.runs.len(), "run")));
    }
    if pivot.outside > 0 {
        row = row.tail(Role::Dim, format!("  {} jobs measure nothing and stand outside ", pivot.outside));
    }
    canvas.row(area, 0, &row);
    let head = Row::new().gap(1 + shown.label).text(Role::Dim, if shown.first > 0 { "‹" } else { " " });
    let row = pivot
        .columns
        .iter()
        .skip(shown.first)
        .take(shown.count)
        .fold(head, |row, label| row.number(Role::Dim, label.as_str(), shown.cols));
    canvas.row(area, 1, &if shown.first + shown.count < pivot.columns.len() { row.text(Role::Dim, "›") } else { row });
}

/// One row of cells: each its counts with their marks, `–` jobs that were skipped included.
pub fn cells<'t>(model: &'t Model, at: usize, shown: &Columns, here: bool, head: Row<'t>) -> Row<'t> {
    let Some(pivot) = &model.sweep.table.pivot else { return head };
    let label = pivot.rows.get(at).map(String::as_str).unwrap_or_default();
    let mut row = head.path(Role::Text, label, shown.label).gap(1);
    for column in shown.first..(shown.first + shown.count).min(pivot.columns.len()) {
        let chosen = here && column == model.sweep.table.column;
        let (role, text) = pivot.cells.get(&(at, column)).map_or((Role::Dim, String::new()), cell);
        // A cell without jobs shows the cursor all the same.
        row = match chosen {
            true => row.number(Role::Accent, format!("▸{text}"), shown.cols),
            false => row.number(role, text, shown.cols),
        };
    }
    row
}

/// `3 ✓ 1 ✗`: what is good and what is not, then what is still to come; the role is that of the worst.
fn cell(tally: &Tally) -> (Role, String) {
    let parts: Vec<(Role, String)> = marks::tally(tally).into_iter().filter(|(_, text)| !text.starts_with("0 ")).collect();
    let worst = |role: &Role| match role {
        Role::Bad => 4,
        Role::Warn => 3,
        Role::Running => 2,
        Role::Good => 1,
        _ => 0,
    };
    let role = parts.iter().map(|(role, _)| *role).max_by_key(worst).unwrap_or(Role::Dim);
    (role, parts.into_iter().map(|(_, text)| text.replace(' ', "")).collect::<Vec<_>>().join(" "))
}

/// The part of the columns that fits, with the chosen one in it: measured once a frame.
pub struct Columns {
    label: usize,
    /// Of one cell, with the gap before it.
    cols: usize,
    first: usize,
    count: usize,
}

impl Columns {
    /// `None` where no matrix is on screen.
    pub fn of(model: &Model, cols: usize) -> Option<Columns> {
        let table = &model.sweep.table;
        let pivot = table.pivot.as_ref().filter(|_| model.sweep.mode == Mode::Matrix)?;
        Some(Columns::fitting(pivot, table.column, cols))
    }

    fn fitting(pivot: &Pivot, chosen: usize, cols: usize) -> Columns {
        let longest = |labels: &[String]| labels.iter().map(|label| width::of(label)).max().unwrap_or(0);
        let label = longest(&pivot.rows).clamp(8, (cols / 3).max(8));
        let cell = (longest(&pivot.columns) + 2).clamp(CELL.0, CELL.1);
        let count = (cols.saturating_sub(label + 4) / cell).max(1);
        let most = pivot.columns.len().saturating_sub(count);
        Columns { label, cols: cell, first: (chosen + 1).saturating_sub(count).min(most), count }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::sweep::{Axis, Outcome};

    fn tally(words: &[&str]) -> Tally {
        let mut out = Tally::default();
        words.iter().for_each(|word| out.add(&Outcome::read("completed", Some(word))));
        out
    }

    #[test]
    fn a_cell_tells_its_state_without_colour() {
        let table = [
            (tally(&["success", "success"]), Role::Good, "2✓"),
            (tally(&["success", "failure", "cancelled"]), Role::Bad, "1✓ 1✗ 1⊘"),
            (tally(&["skipped"]), Role::Dim, "1–"),
            (tally(&["success", "moonstruck"]), Role::Warn, "1✓ 1?"),
        ];
        for (tally, role, text) in table {
            assert_eq!(cell(&tally), (role, text.to_owned()));
        }
    }

    #[test]
    fn the_chosen_column_is_always_on_screen() {
        let labels = |count: usize| (0..count).map(|at| format!("c{at}")).collect::<Vec<_>>();
        for (columns, cols) in [(1, 20), (3, 80), (30, 80), (30, 10), (200, 160)] {
            let pivot = Pivot {
                axes: (Axis::Lane, Axis::Concurrency),
                rows: labels(3),
                columns: labels(columns),
                cells: Default::default(),
                outside: 0,
            };
            for chosen in 0..columns {
                let shown = Columns::fitting(&pivot, chosen, cols);
                assert!((shown.first..shown.first + shown.count).contains(&chosen), "{chosen} of {columns} in {cols}");
                assert!(cols < 24 || 1 + shown.label + 1 + shown.count * shown.cols < cols, "{columns} in {cols}");
            }
        }
    }
}
