//! One module per pane: its state, its rows, its motion.
//! Must not know: each other.

pub mod checklist;
pub mod checks;
pub mod diff;
pub mod evals;
pub mod help;
pub mod joblog;
pub mod log;
pub mod palette;
pub mod points;
pub mod results;
pub mod sieve;
pub mod signoff;
pub mod sweep;
pub mod talk;

/// A cursor in a list of rows, and the first row on screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Scroll {
    pub cursor: usize,
    pub top: usize,
}

/// How far to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Motion {
    Rows(i64),
    /// Fractions of the visible height: 1 half page is 1, a page is 2; negative is up.
    HalfPages(i64),
    Top,
    Bottom,
    To(usize),
}

impl Scroll {
    /// Moves the cursor in a list of `len` rows of which `height` are visible, and scrolls as little as needed.
    pub fn apply(&mut self, motion: Motion, len: usize, height: usize) {
        let last = len.saturating_sub(1);
        let height = height.max(1);
        let half = (height / 2).max(1) as i64;
        let moved = |by: i64| usize::try_from((self.cursor as i64).saturating_add(by).max(0)).unwrap_or(last);
        self.cursor = match motion {
            Motion::Rows(by) => moved(by),
            Motion::HalfPages(by) => moved(by.saturating_mul(half)),
            Motion::Top => 0,
            Motion::Bottom => last,
            Motion::To(row) => row,
        }
        .min(last);
        if let Motion::HalfPages(by) = motion {
            // A page moves the text, not only the cursor.
            let top = (self.top as i64).saturating_add(by.saturating_mul(half)).max(0);
            self.top = usize::try_from(top).unwrap_or(last);
        }
        self.keep_visible(len, height);
    }

    /// Brings the cursor into a window of `height` rows after the list or the window changed.
    pub fn keep_visible(&mut self, len: usize, height: usize) {
        let height = height.max(1);
        self.cursor = self.cursor.min(len.saturating_sub(1));
        self.top = self.top.min(len.saturating_sub(height));
        if self.cursor < self.top {
            self.top = self.cursor;
        } else if self.cursor >= self.top + height {
            self.top = self.cursor + 1 - height;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_cursor_is_always_visible(
            moves in proptest::collection::vec((0usize..5, -40i64..40), 0..30),
            len in 0usize..100,
            height in 0usize..40,
        ) {
            let mut scroll = Scroll::default();
            for (kind, by) in moves {
                let motion = match kind {
                    0 => Motion::Rows(by),
                    1 => Motion::HalfPages(by),
                    2 => Motion::Top,
                    3 => Motion::Bottom,
                    _ => Motion::To(by.unsigned_abs() as usize),
                };
                scroll.apply(motion, len, height);
                prop_assert!(scroll.cursor <= len.saturating_sub(1));
                prop_assert!(scroll.top <= scroll.cursor && scroll.cursor < scroll.top + height.max(1));
                prop_assert!(scroll.top <= len.saturating_sub(height.max(1)));
            }
        }
    }
}
