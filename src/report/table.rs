//! Plain tables: columns as wide as their widest cell, by display column.
//! Must not know: what stands in them.

use crate::core::text::{gate, width};

/// Lines of `rows` under `head`; numbers of columns may differ. Cells pass the gate, since strangers wrote some.
pub fn render(head: &[&str], rows: &[Vec<String>]) -> String {
    let head: Vec<String> = head.iter().map(|&cell| cell.to_owned()).collect();
    let rows: Vec<Vec<String>> =
        std::iter::once(&head).chain(rows).map(|row| row.iter().map(|cell| gate::line(cell).into_owned()).collect()).collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let widths: Vec<usize> = (0..columns)
        .map(|at| rows.iter().filter_map(|row| row.get(at)).map(|cell| width::of(cell)).max().unwrap_or_default())
        .collect();
    let mut out = String::new();
    for row in &rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(cell);
            line.extend(std::iter::repeat_n(' ', width.saturating_sub(width::of(cell)) + 2));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stay_aligned_with_wide_and_hostile_text() {
        let rows = [vec!["世界".to_owned(), "1".to_owned()], vec!["a\u{1b}[2J".to_owned(), "2".to_owned()]];
        assert_eq!(render(&["name", "n"], &rows), "name    n\n世界    1\na^[[2J  2\n");
    }
}
