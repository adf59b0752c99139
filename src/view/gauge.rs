//! A score beside its bar, drawn: the bar's place is marked, and right of the mark is what lies above it.
//! Must not know: which score it is.

use super::paint::Row;
use super::theme::Role;

const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// What bars are drawn with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    /// Eighths of a column.
    Blocks,
    /// Whole columns of plain characters, for fonts without the others.
    Plain,
}

impl Ink {
    pub fn of(braille: bool) -> Ink {
        if braille { Ink::Blocks } else { Ink::Plain }
    }

    /// Steps of one column.
    fn steps(self) -> usize {
        match self {
            Ink::Blocks => EIGHTHS.len(),
            Ink::Plain => 1,
        }
    }

    /// What is full, the bar's place, and what is empty.
    fn marks(self) -> [&'static str; 3] {
        match self {
            Ink::Blocks => ["█", "│", "·"],
            Ink::Plain => ["#", "|", "."],
        }
    }
}

/// Where the drawing of a bar begins, so that the bar stands in the middle: what is far below matters little, and a few
/// thousandths above or below do.
pub fn low(bar: f64) -> f64 {
    if bar < 1.0 { (2.0 * bar - 1.0).max(0.0) } else { 0.0 }
}

/// Appends `cols` columns: the score, drawn from [`low`] to 1. Without a bar, or with one of 0, it is drawn from 0 and
/// nothing is marked.
pub fn append<'t>(row: Row<'t>, role: Role, score: f64, bar: Option<f64>, cols: usize, ink: Ink) -> Row<'t> {
    let Some(bar) = bar.filter(|bar| *bar > 0.0) else { return part(row, role, score, cols, ink) };
    let low = low(bar);
    let inner = cols.saturating_sub(1);
    let share = if low < 1.0 { (bar - low) / (1.0 - low) } else { 1.0 };
    // Both sides are there, unless nothing can lie above.
    let most = if bar < 1.0 { inner.saturating_sub(1) } else { inner };
    let left = ((share * inner as f64).round() as usize).clamp(1.min(most), most);
    let reached = (score - low) / (bar - low);
    // Rounding must not let a score reach a bar that it misses.
    let below = match reached {
        _ if score >= bar => 1.0,
        reached if reached >= 1.0 => 1.0 - f64::EPSILON,
        reached => reached,
    };
    let above = if score > bar { (score - bar) / (1.0 - bar) } else { 0.0 };
    let [_, mark, _] = ink.marks();
    part(part(row, role, below, left, ink).text(Role::Text, mark), role, above, inner - left, ink)
}

/// So much of `cols` columns. Less than all is never drawn as all, and something never as nothing.
fn part<'t>(row: Row<'t>, role: Role, share: f64, cols: usize, ink: Ink) -> Row<'t> {
    let (steps, [full, _, empty]) = (ink.steps(), ink.marks());
    let all = cols * steps;
    let reached = (share.clamp(0.0, 1.0) * all as f64) as usize;
    let reached = match share {
        share if share >= 1.0 => all,
        share if share > 0.0 => reached.min(all.saturating_sub(1)).max(1.min(all)),
        _ => 0,
    };
    let piece = EIGHTHS.get(reached % steps).copied().unwrap_or_default();
    let filled = reached.div_ceil(steps);
    let rest = empty.repeat(cols.saturating_sub(filled));
    row.text(role, format!("{}{piece}", full.repeat(reached / steps))).text(Role::Dim, rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::geometry::Area;
    use crate::view::paint::Canvas;
    use crate::view::theme::Theme;
    use proptest::prelude::*;
    use ratatui::buffer::Buffer;
    use ratatui::layout::Rect;
    use std::collections::BTreeMap;

    fn drawn(score: f64, bar: Option<f64>, cols: usize) -> String {
        drawn_in(Ink::Blocks, score, bar, cols)
    }

    fn drawn_in(ink: Ink, score: f64, bar: Option<f64>, cols: usize) -> String {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 60, 1));
        let theme = Theme::from_looks(&BTreeMap::new());
        let row = append(Row::new(), Role::Good, score, bar, cols, ink);
        Canvas::new(&mut buffer, &theme).row(Area { x: 0, y: 0, cols: 60, rows: 1 }, 0, &row);
        buffer.content.iter().map(|cell| cell.symbol()).collect::<String>().trim_end().to_owned()
    }

    #[test]
    fn the_bar_is_in_the_middle_and_only_what_reaches_it_fills_up_to_it() {
        let table = [
            (0.97, Some(0.94), "████│██··"),
            (0.94, Some(0.94), "████│····"),
            (0.9399999, Some(0.94), "███▉│····"),
            (0.9400001, Some(0.94), "████│▏···"),
            (1.0, Some(0.94), "████│████"),
            (0.2, Some(0.94), "····│····"),
            (0.5, Some(0.25), "██│██····"),
            (0.99, Some(1.0), "███████▉│"),
            (1.0, Some(1.0), "████████│"),
            (0.5, Some(0.0), "████▌····"),
            (0.5, None, "████▌····"),
            (f64::NAN, Some(0.94), "····│····"),
            (-1.0, Some(0.94), "····│····"),
            (7.0, Some(0.94), "████│████"),
        ];
        for (score, bar, want) in table {
            assert_eq!(drawn(score, bar, 9), want, "{score} {bar:?}");
        }
    }

    #[test]
    fn plain_characters_tell_the_same_in_whole_columns() {
        let table =
            [(0.97, "####|##.."), (0.9399999, "###.|...."), (0.9400001, "####|#..."), (1.0, "####|####"), (0.2, "....|....")];
        for (score, want) in table {
            assert_eq!(drawn_in(Ink::Plain, score, Some(0.94), 9), want, "{score}");
        }
    }

    proptest! {
        #[test]
        fn it_is_as_wide_as_asked(
            score in any::<f64>(), bar in prop::option::of(0.0..=1.0), cols in 0usize..50, plain in any::<bool>(),
        ) {
            let shown = drawn_in(Ink::of(!plain), score, bar, cols);
            prop_assert!(!plain || shown.is_ascii());
            prop_assert_eq!(shown.chars().count(), if bar.is_some_and(|bar| bar > 0.0) { cols.max(1) } else { cols });
        }
    }
}
