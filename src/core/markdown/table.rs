//! A table's cells, set as aligned columns, or row after row where they do not fit.
//! Must not know: what indents the table.

use super::blocks::Row;
use crate::core::text::role::TextRole;
use crate::core::text::width;
use pulldown_cmark::Alignment;

const BORDER: &str = " │ ";

pub(super) struct Table {
    alignments: Vec<Alignment>,
    rows: Vec<Vec<Row>>,
    row: Vec<Row>,
}

impl Table {
    pub(super) fn new(alignments: Vec<Alignment>) -> Table {
        Table { alignments, rows: Vec::new(), row: Vec::new() }
    }

    pub(super) fn cell(&mut self, cell: Row) {
        self.row.push(cell);
    }

    pub(super) fn end_row(&mut self) {
        self.rows.push(std::mem::take(&mut self.row));
    }

    /// Lines not wrapped yet: they fit if columns do.
    pub(super) fn render(self, cols: usize) -> Vec<Row> {
        let mut widths = vec![0; self.alignments.len()];
        for row in &self.rows {
            for (cell, wide) in row.iter().zip(&mut widths) {
                *wide = width::of(&cell.text()).max(*wide);
            }
        }
        let borders = width::of(BORDER) * widths.len().saturating_sub(1);
        if widths.iter().sum::<usize>() + borders > cols {
            return self.rows.into_iter().map(plain).collect();
        }
        let mut lines = Vec::new();
        for (at, row) in self.rows.iter().enumerate() {
            lines.push(self.aligned(row, &widths));
            if at == 0 {
                let rule: Vec<String> = widths.iter().map(|wide| "─".repeat(*wide)).collect();
                let mut line = Row::default();
                line.push(&rule.join("─┼─"), TextRole::Mark);
                lines.push(line);
            }
        }
        lines
    }

    fn aligned(&self, row: &[Row], widths: &[usize]) -> Row {
        let mut line = Row::default();
        let last = widths.len().saturating_sub(1);
        for (at, ((cell, wide), alignment)) in row.iter().zip(widths).zip(&self.alignments).enumerate() {
            let spare = wide.saturating_sub(width::of(&cell.text()));
            let before = match alignment {
                Alignment::None | Alignment::Left => 0,
                Alignment::Right => spare,
                Alignment::Center => spare / 2,
            };
            line.push(&" ".repeat(before), TextRole::Plain);
            append(&mut line, cell);
            if at < last {
                line.push(&" ".repeat(spare - before), TextRole::Plain);
                line.push(BORDER, TextRole::Mark);
            }
        }
        line
    }
}

fn plain(row: Vec<Row>) -> Row {
    let mut line = Row::default();
    for (at, cell) in row.iter().enumerate() {
        if at > 0 {
            line.push(BORDER, TextRole::Mark);
        }
        append(&mut line, cell);
    }
    line
}

fn append(line: &mut Row, cell: &Row) {
    for (text, role) in &cell.spans {
        line.push(text, *role);
    }
}
