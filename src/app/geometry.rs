//! Where things stand on the screen, in cells: the one answer for drawing, paging and the mouse.
//! Must not know: ratatui.

use super::model::{Model, Pane};
use crate::core::errand::PreparedErrand;
use crate::core::text::{gate, wrap};

/// Below this, only a plain message is shown.
pub const MIN_COLS: u16 = 40;
pub const MIN_ROWS: u16 = 12;
/// From this width on the checklist stands beside the active pane.
pub const WIDE_COLS: u16 = 120;
/// From this width of the diff pane on, the file list stands beside the hunks.
const DIFF_LIST_COLS: u16 = 84;

/// A rectangle of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Area {
    pub x: u16,
    pub y: u16,
    pub cols: u16,
    pub rows: u16,
}

impl Area {
    pub fn contains(&self, column: u16, row: u16) -> bool {
        (self.x..self.x + self.cols).contains(&column) && (self.y..self.y + self.rows).contains(&row)
    }

    /// Cuts `rows` off the bottom: what is left, what was cut.
    pub fn split_bottom(self, rows: u16) -> (Area, Area) {
        let rows = rows.min(self.rows);
        (Area { rows: self.rows - rows, ..self }, Area { y: self.y + self.rows - rows, rows, ..self })
    }
}

/// The areas of one frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Repository, title, head and the predicted verdict.
    pub header: Area,
    /// Names of the panes.
    pub tabs: Area,
    /// The checklist, when it stands beside another pane or is the active one.
    pub checklist: Option<Area>,
    /// The full text and reason of the item under the cursor.
    pub reason: Option<Area>,
    /// The active pane; `None` when the checklist has the whole body.
    pub pane: Option<Area>,
    pub footer: Area,
}

/// Lays out a screen of `cols` × `rows`; `None` below the minimum.
pub fn layout(cols: u16, rows: u16, focus: Pane) -> Option<Layout> {
    if cols < MIN_COLS || rows < MIN_ROWS {
        return None;
    }
    let header = Area { x: 0, y: 0, cols, rows: 2 };
    let footer = Area { x: 0, y: rows - 1, cols, rows: 1 };
    let (top, height) = (3, rows - 4);
    if cols < WIDE_COLS {
        let tabs = Area { x: 0, y: 2, cols, rows: 1 };
        let body = Area { x: 0, y: top, cols, rows: height };
        if focus == Pane::Checklist {
            let (list, reason) = body.split_bottom((height / 3).clamp(3, 8));
            return Some(Layout { header, tabs, checklist: Some(list), reason: Some(reason), pane: None, footer });
        }
        return Some(Layout { header, tabs, checklist: None, reason: None, pane: Some(body), footer });
    }
    let left = (cols / 3).clamp(50, 64);
    let (list, reason) = Area { x: 0, y: top, cols: left, rows: height }.split_bottom((height / 3).clamp(5, 10));
    let pane = Area { x: left + 1, y: top, cols: cols - left - 1, rows: height };
    let tabs = Area { x: 0, y: 2, cols, rows: 1 };
    Some(Layout { header, tabs, checklist: Some(list), reason: Some(reason), pane: Some(pane), footer })
}

/// Divides the diff pane into file list and hunks; the list is `None` when there is no room for it.
/// The first row of the pane names the file.
pub fn diff_areas(pane: Area) -> (Option<Area>, Area) {
    if pane.cols < DIFF_LIST_COLS {
        return (None, pane);
    }
    let list = (pane.cols / 4).clamp(24, 40);
    (Some(Area { cols: list, ..pane }), Area { x: pane.x + list + 1, cols: pane.cols - list - 1, ..pane })
}

/// Divides a pane into the list and, below it, what is under the cursor in full.
pub fn detail_areas(pane: Area) -> (Area, Area) {
    pane.split_bottom((pane.rows * 2 / 5).clamp(4, 16))
}

/// Divides the results pane into the plot, with what is said above it, and the points below.
pub fn results_areas(pane: Area) -> (Area, Area) {
    pane.split_bottom((pane.rows * 2 / 5).clamp(5, 14))
}

/// Where a pane's list stands within the pane; its title and what is said above it stand there too.
pub fn list_area(pane: Area, of: Pane) -> Area {
    match of {
        Pane::Diff => diff_areas(pane).1,
        Pane::Checks | Pane::Points | Pane::Evals => detail_areas(pane).0,
        Pane::Results => results_areas(pane).1,
        _ => pane,
    }
}

/// Rows of text on the help page: it leaves a row at either end of the screen, and has a border.
pub fn help_rows(rows: u16) -> u16 {
    rows.saturating_sub(4)
}

/// Columns and rows of text on the page of the log: it leaves a cell at either edge of the screen, has a border with one
/// column of air, and names its file in the first row.
pub fn log_size(cols: u16, rows: u16) -> (usize, usize) {
    (usize::from(cols.saturating_sub(6)), usize::from(rows.saturating_sub(5)))
}

/// Rows of lines on the page of a job's log: as [`log_size`], but two rows say what it is.
pub fn joblog_rows(rows: u16) -> usize {
    usize::from(rows.saturating_sub(6)).max(1)
}

/// Columns of the box that asks before an errand, with its border.
pub const ERRAND_COLS: u16 = 78;
/// Rows at its bottom that tell as whom and where, and the keys.
pub const ERRAND_FOOT: usize = 4;

/// A row of what an errand does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ErrandRow {
    What(String),
    /// A consequence begins.
    Told(String),
    /// It goes on.
    More(String),
}

/// The rows of what an errand does and sets off, and how many of them the box has room for on a screen of this size. A row
/// of that room says that there is more, where there is.
pub fn errand_rows(cols: u16, rows: u16, prepared: &PreparedErrand) -> (Vec<ErrandRow>, usize) {
    let text = usize::from(ERRAND_COLS.min(cols.saturating_sub(2))).saturating_sub(4);
    let wrapped = |text: &str, cols: usize| -> Vec<String> {
        let of = |line: &str| {
            wrap::wrap(line, cols.max(1)).into_iter().map(|at| line.get(at).unwrap_or_default().to_owned()).collect::<Vec<_>>()
        };
        gate::multi(text).flat_map(|line| of(&line)).collect()
    };
    let mut out: Vec<ErrandRow> = wrapped(&prepared.what, text).into_iter().map(ErrandRow::What).collect();
    for told in &prepared.consequences {
        let lines = wrapped(told, text.saturating_sub(2)).into_iter().enumerate();
        out.extend(lines.map(|(at, line)| if at == 0 { ErrandRow::Told(line) } else { ErrandRow::More(line) }));
    }
    // A row left at either end of the screen, and the border.
    let room = usize::from(rows.saturating_sub(4)).saturating_sub(ERRAND_FOOT);
    let room = if out.len() > room { room.saturating_sub(1) } else { room };
    (out, room)
}

/// Rows of a pane that its list gets: the rest is its title, and what is said above and below the list.
pub fn body_rows(area: Area, pane: Pane, model: &Model) -> u16 {
    let beside = match pane {
        Pane::Checklist => 1,
        // Title and meter; notes take at most half of the pane, so that the text is always there.
        // What the row under the cursor rests on stands below it.
        Pane::Signoff => signoff_head(area, model) + 1,
        Pane::Checks => 1 + u16::try_from(model.checks.notes.len()).unwrap_or(u16::MAX).min(area.rows / 3),
        Pane::Diff => 1 + u16::from(model.diff.remark(&model.facts).is_some()),
        // Title and summary.
        Pane::Points => 2,
        // The list stands below the plot, under what its columns are.
        Pane::Results => 1,
        // In the matrix, what its axes and columns are.
        Pane::Sweep => 1 + model.sweep.head_rows(),
        Pane::Evals | Pane::Talk => 1,
    };
    area.rows.saturating_sub(beside)
}

/// Rows above the text of the sign-off: title and meter, then notes.
pub fn signoff_head(area: Area, model: &Model) -> u16 {
    2 + u16::try_from(model.signoff.notes.len()).unwrap_or(u16::MAX).min(area.rows / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_tile_the_screen_at_every_size() {
        for cols in (MIN_COLS..220).step_by(13).chain([WIDE_COLS - 1, WIDE_COLS, 219]) {
            for rows in (MIN_ROWS..70).step_by(9).chain([13, 24, 69]) {
                for focus in Pane::ALL {
                    let layout = layout(cols, rows, focus).unwrap();
                    let mut cover = vec![0u8; usize::from(cols) * usize::from(rows)];
                    let areas = [
                        Some(layout.header),
                        Some(layout.tabs),
                        layout.checklist,
                        layout.reason,
                        layout.pane,
                        Some(layout.footer),
                    ];
                    for area in areas.into_iter().flatten() {
                        for y in area.y..area.y + area.rows {
                            for x in area.x..area.x + area.cols {
                                cover[usize::from(y) * usize::from(cols) + usize::from(x)] += 1;
                            }
                        }
                    }
                    assert!(cover.iter().all(|&n| n <= 1), "overlap at {cols}x{rows} {focus:?}");
                    // Only the one-column rule between checklist and pane may stay empty.
                    let empty = cover.iter().filter(|&&n| n == 0).count();
                    assert!(empty <= usize::from(rows), "hole at {cols}x{rows} {focus:?}");
                }
            }
        }
        assert_eq!(layout(39, 24, Pane::Diff), None);
        assert_eq!(layout(80, 11, Pane::Diff), None);
    }
}
