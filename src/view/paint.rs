//! The only place where text becomes cells: every string passes the gate here, is clipped by display column, and gets
//! the style of its role.
//! Must not know: what a row says.

use super::theme::{Role, Theme};
use crate::app::geometry::Area;
use crate::core::text::{gate, start, width, wrap};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::Widget;
use std::borrow::Cow;
use std::ops::Range;

/// More bytes than one display column takes, as the gate counts.
pub const BYTES_PER_COLUMN: usize = 40;

/// One row of the screen in the making: pieces from the left, pieces at the right end.
#[derive(Debug, Default)]
pub struct Row<'t> {
    left: Vec<Piece<'t>>,
    right: Vec<Piece<'t>>,
    /// When both do not fit, which gives way.
    yields: Yields,
    ground: Option<Role>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Yields {
    /// The left part is clipped.
    #[default]
    Left,
    /// The right part is clipped, to nothing if need be.
    Right,
}

#[derive(Debug)]
struct Piece<'t> {
    text: Cow<'t, str>,
    role: Role,
    fit: Fit,
}

/// How many columns a piece takes.
#[derive(Debug, Clone, Copy)]
enum Fit {
    /// As many as it has.
    Natural,
    /// Exactly so many, filled behind.
    Start(usize),
    /// Exactly so many, filled in front.
    End(usize),
    /// Exactly so many, filled behind; clipped in the middle, so that the end of a path stays.
    Middle(usize),
}

impl<'t> Row<'t> {
    pub fn new() -> Row<'t> {
        Row::default()
    }

    /// Appends text.
    pub fn text(mut self, role: Role, text: impl Into<Cow<'t, str>>) -> Self {
        self.left.push(Piece { text: text.into(), role, fit: Fit::Natural });
        self
    }

    /// Appends exactly `cols` columns.
    pub fn column(mut self, role: Role, text: impl Into<Cow<'t, str>>, cols: usize) -> Self {
        self.left.push(Piece { text: text.into(), role, fit: Fit::Start(cols) });
        self
    }

    /// Appends exactly `cols` columns, text at their right end.
    pub fn number(mut self, role: Role, text: impl Into<Cow<'t, str>>, cols: usize) -> Self {
        self.left.push(Piece { text: text.into(), role, fit: Fit::End(cols) });
        self
    }

    /// Appends exactly `cols` columns of a path: its beginning and its end stay.
    pub fn path(mut self, role: Role, text: impl Into<Cow<'t, str>>, cols: usize) -> Self {
        self.left.push(Piece { text: text.into(), role, fit: Fit::Middle(cols) });
        self
    }

    /// Appends `columns` spaces.
    pub fn gap(self, columns: usize) -> Self {
        self.column(Role::Text, "", columns)
    }

    /// Appends to the part at the right end, which stays whole while the left part is clipped.
    pub fn right(mut self, role: Role, text: impl Into<Cow<'t, str>>) -> Self {
        self.right.push(Piece { text: text.into(), role, fit: Fit::Natural });
        self
    }

    /// Appends to the part at the right end, which is clipped while the left part stays whole.
    pub fn tail(mut self, role: Role, text: impl Into<Cow<'t, str>>) -> Self {
        self.yields = Yields::Right;
        self.right(role, text)
    }

    /// What the whole row lies on.
    pub fn on(mut self, ground: Option<Role>) -> Self {
        self.ground = ground.or(self.ground);
        self
    }

    /// Whether nothing was appended.
    pub fn is_empty(&self) -> bool {
        self.left.is_empty() && self.right.is_empty()
    }

    /// Display columns of the left part, as it will be shown.
    pub fn columns(&self) -> usize {
        self.left.iter().map(|piece| width::of(&piece.fitted(usize::from(u16::MAX)))).sum()
    }
}

impl Piece<'_> {
    /// The text as it may be shown: gated, of the asked width, and no wider than `cols` + 1.
    fn fitted(&self, cols: usize) -> Cow<'_, str> {
        match self.fit {
            Fit::Natural => gate::line_capped(&self.text, cols + 1),
            Fit::Start(cols) => Cow::Owned(width::pad(&gate::line_capped(&self.text, cols), cols)),
            Fit::End(cols) => Cow::Owned(width::pad_start(&gate::line_capped(&self.text, cols), cols)),
            Fit::Middle(cols) => Cow::Owned(width::pad(&clip_middle(&gate::line(&self.text), cols), cols)),
        }
    }
}

/// At most `cols` columns: a third from the beginning, the rest from the end.
fn clip_middle(text: &str, cols: usize) -> Cow<'_, str> {
    let whole = width::of(text);
    if whole <= cols || cols < 3 {
        return width::clip(text, cols);
    }
    let head = (cols - 1) / 3;
    let tail = cols - 1 - head;
    Cow::Owned(format!("{}…{}", width::slice(text, 0, head), width::slice(text, whole - tail, tail)))
}

/// Cells to draw into, and what the styles of roles are.
pub struct Canvas<'a> {
    buffer: &'a mut Buffer,
    theme: &'a Theme,
    /// Where the hardware cursor goes: column, row.
    cursor: Option<(u16, u16)>,
}

impl<'a> Canvas<'a> {
    pub fn new(buffer: &'a mut Buffer, theme: &'a Theme) -> Canvas<'a> {
        Canvas { buffer, theme, cursor: None }
    }

    pub fn style(&self, role: Role) -> Style {
        self.theme.style(role)
    }

    /// Draws a widget of ratatui's; what strangers wrote never stands in one.
    pub fn widget(&mut self, area: Area, widget: impl Widget) {
        widget.render(Rect { x: area.x, y: area.y, width: area.cols, height: area.rows }, self.buffer);
    }

    /// Puts the hardware cursor on a cell of `area`; the last caller wins.
    pub fn focus(&mut self, area: Area, column: usize, row: usize) {
        let within = |offset: usize, len: u16| u16::try_from(offset).unwrap_or(u16::MAX).min(len.saturating_sub(1));
        self.cursor = Some((area.x + within(column, area.cols), area.y + within(row, area.rows)));
    }

    pub fn cursor(&self) -> Option<(u16, u16)> {
        self.cursor
    }

    /// Draws a row of `area`, counted from its top; one below its end is not drawn.
    pub fn row(&mut self, area: Area, at: usize, row: &Row<'_>) {
        let Some(y) = self.y(area, at) else { return };
        let cols = usize::from(area.cols);
        let ground = self.ground(area, y, row.ground);
        let fitted = |pieces: &[Piece<'_>]| -> (usize, usize) {
            let whole = pieces.iter().map(|piece| width::of(&piece.fitted(cols))).sum();
            (whole, usize::from(!pieces.is_empty()))
        };
        let ((left, _), (right, gap)) = (fitted(&row.left), fitted(&row.right));
        let (left_room, right_room) = match row.yields {
            _ if left + gap + right <= cols => (left, right),
            Yields::Left => (cols.saturating_sub(right.min(cols) + gap), right.min(cols)),
            Yields::Right => (left.min(cols), cols.saturating_sub(left + gap)),
        };
        self.pieces(area.x, y, &row.left, left, left_room, ground);
        let start = area.x.saturating_add(u16::try_from(cols - right_room.min(right).min(cols)).unwrap_or(0));
        self.pieces(start, y, &row.right, right, right_room, ground);
    }

    /// Draws pieces into `room` columns, with `…` in the last one if `whole`, their width, is more.
    fn pieces(&mut self, x: u16, y: u16, pieces: &[Piece<'_>], whole: usize, room: usize, ground: Style) {
        let mut left = if whole > room { room.saturating_sub(1) } else { room };
        let mut x = x;
        for piece in pieces {
            let shown = piece.fitted(room);
            let style = ground.patch(self.style(piece.role));
            let drawn = self.gated((x, y), &piece.text, &shown, 0..left, style);
            left = left.saturating_sub(drawn);
            x = x.saturating_add(u16::try_from(drawn).unwrap_or(u16::MAX));
            if left == 0 {
                break;
            }
        }
        if whole > room && room > 0 {
            // Filled up to here when a wide letter did not fit.
            x = x.saturating_add(u16::try_from(left).unwrap_or(0));
            self.buffer.set_stringn(x, y, "…", 1, ground.patch(self.style(Role::Dim)));
        }
    }

    /// Draws a window of columns of gated text; what the gate put there in place of `raw` is marked. Returns the
    /// columns drawn.
    fn gated(&mut self, (x, y): (u16, u16), raw: &str, shown: &str, window: Range<usize>, style: Style) -> usize {
        let mut put = |column: usize, text: &str, style: Style| {
            let x = x.saturating_add(u16::try_from(column).unwrap_or(u16::MAX));
            let columns = width::of(text);
            self.buffer.set_stringn(x, y, text, columns, style);
            columns
        };
        let drawn = put(0, &width::slice(shown, window.start, window.end - window.start), style);
        let marker = style.patch(self.theme.style(Role::Marker));
        for range in markers(raw, shown) {
            let start = width::of(shown.get(..range.start).unwrap_or_default());
            let end = start + width::of(shown.get(range).unwrap_or_default());
            let (start, end) = (start.max(window.start), end.min(window.end));
            if start < end {
                put(start - window.start, &width::slice(shown, start, end - start), marker);
            }
        }
        drawn
    }

    /// Draws source text from its display column `left` on. `styles` are disjoint rising byte ranges of `text`.
    /// Costs by the columns up to the right edge, not by the length of the line.
    pub fn code(
        &mut self,
        area: Area,
        at: usize,
        text: &str,
        styles: &[(Range<usize>, Style)],
        left: usize,
        ground: Option<Role>,
    ) {
        let Some(y) = self.y(area, at) else { return };
        let ground = self.ground(area, y, ground);
        let end = left + usize::from(area.cols);
        let mut pieces = gate::Pieces::default();
        let mut byte = 0;
        let mut put = |canvas: &mut Self, range: Range<usize>, style: Style| {
            let column = pieces.column();
            let Some(raw) = text.get(range).filter(|_| column <= end) else { return };
            let raw = start(raw, (end + 1 - column).saturating_mul(BYTES_PER_COLUMN));
            let shown = pieces.next(raw);
            let first = left.saturating_sub(column);
            let x = area.x.saturating_add(u16::try_from(column.saturating_sub(left)).unwrap_or(u16::MAX));
            canvas.gated((x, y), raw, &shown, first..first.max(end.saturating_sub(column)), ground.patch(style));
        };
        for (range, style) in styles {
            if byte < range.start {
                put(self, byte..range.start, Style::new());
            }
            put(self, range.start.max(byte)..range.end, *style);
            byte = range.end.max(byte);
        }
        put(self, byte..text.len(), Style::new());
        if pieces.column() > end {
            self.ellipsis(area, y, ground);
        }
    }

    /// Puts `…` into the last cell of a row, in place of the wide letter that may end there.
    fn ellipsis(&mut self, area: Area, y: u16, ground: Style) {
        let Some(x) = area.cols.checked_sub(1).map(|last| area.x + last) else { return };
        let style = ground.patch(self.style(Role::Dim));
        if area.cols > 1 && self.buffer.cell((x - 1, y)).is_some_and(|cell| width::of(cell.symbol()) > 1) {
            self.buffer.set_stringn(x - 1, y, " ", 1, style);
        }
        self.buffer.set_stringn(x, y, "…", 1, style);
    }

    /// Draws text wrapped by words from row `at` of `area` on; returns the row after it. The last row that has room
    /// ends in `…` when the text goes on.
    pub fn paragraph(&mut self, area: Area, at: usize, role: Role, text: &str) -> usize {
        let (mut at, rows) = (at, usize::from(area.rows));
        for line in gate::multi(text) {
            for range in wrap::wrap(&line, usize::from(area.cols)) {
                if at >= rows {
                    if let Some(y) = rows.checked_sub(1).and_then(|last| self.y(area, last)) {
                        self.ellipsis(area, y, Style::new());
                    }
                    return rows;
                }
                // Gated twice: the gate leaves its own output alone.
                self.row(area, at, &Row::new().text(role, line.get(range).unwrap_or_default()));
                at += 1;
            }
        }
        at
    }

    /// Draws a vertical rule, one column wide.
    pub fn rule(&mut self, x: u16, y: u16, rows: u16) {
        let style = self.style(Role::Border);
        for y in y..y.saturating_add(rows) {
            if self.buffer.area.contains((x, y).into()) {
                self.buffer.set_stringn(x, y, "│", 1, style);
            }
        }
    }

    /// Draws a horizontal rule in row `at` of `area`, with a title in it.
    pub fn line(&mut self, area: Area, at: usize, title: &str, role: Role) {
        self.row(area, at, &Row::new().text(Role::Border, "─".repeat(usize::from(area.cols))));
        if !title.is_empty() {
            self.row(
                Area { x: area.x + 1, cols: area.cols.saturating_sub(2), ..area },
                at,
                &Row::new().text(role, format!(" {title} ")),
            );
        }
    }

    /// Empties a box for an overlay, draws its border with a title, and returns what is inside.
    pub fn popup(&mut self, area: Area, title: &str) -> Area {
        let rect = Rect { x: area.x, y: area.y, width: area.cols, height: area.rows }.intersection(self.buffer.area);
        for y in rect.top()..rect.bottom() {
            // A wide letter whose second half the box takes.
            let before = rect.left().checked_sub(1).and_then(|x| self.buffer.cell_mut((x, y)));
            if let Some(cell) = before.filter(|cell| width::of(cell.symbol()) > 1) {
                cell.set_symbol(" ");
            }
            for x in rect.left()..rect.right() {
                self.buffer[(x, y)].reset();
            }
        }
        let across = "─".repeat(usize::from(area.cols.saturating_sub(2)));
        self.row(area, 0, &Row::new().text(Role::Accent, format!("┌{across}┐")));
        for at in 1..usize::from(area.rows.saturating_sub(1)) {
            self.row(area, at, &Row::new().text(Role::Accent, "│").right(Role::Accent, "│"));
        }
        self.row(area, usize::from(area.rows.saturating_sub(1)), &Row::new().text(Role::Accent, format!("└{across}┘")));
        let inside =
            Area { x: area.x + 2, y: area.y + 1, cols: area.cols.saturating_sub(4), rows: area.rows.saturating_sub(2) };
        self.row(Area { y: area.y, ..inside }, 0, &Row::new().text(Role::Title, format!(" {title} ")));
        inside
    }

    /// The row of the screen that is row `at` of `area`, if both have it.
    fn y(&self, area: Area, at: usize) -> Option<u16> {
        let y = area.y.checked_add(u16::try_from(at).ok().filter(|at| *at < area.rows)?)?;
        let inside = y < self.buffer.area.bottom() && area.x.saturating_add(area.cols) <= self.buffer.area.right();
        (inside && area.cols > 0).then_some(y)
    }

    /// Fills a row with its ground; the style that text on it begins with.
    fn ground(&mut self, area: Area, y: u16, ground: Option<Role>) -> Style {
        let Some(role) = ground else { return Style::new() };
        let style = self.style(role);
        self.buffer.set_style(Rect { x: area.x, y, width: area.cols, height: 1 }, style);
        style
    }
}

/// Where `shown`, the gated form of `raw` (perhaps clipped or filled), holds stand-ins of the gate's.
fn markers(raw: &str, shown: &str) -> Vec<Range<usize>> {
    if raw.starts_with(shown.trim_end_matches([' ', '…'])) || shown.trim_start().starts_with(raw) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut rest = shown.char_indices().peekable();
    if let Some(first) = raw.chars().next().filter(|c| *c != ' ' && *c != '\t') {
        // Filled in front.
        while rest.next_if(|(_, c)| *c == ' ' && first != ' ').is_some() {}
    }
    for c in raw.chars() {
        if c == '\t' {
            while rest.next_if(|(_, c)| *c == ' ').is_some() {}
            continue;
        }
        let Some((at, seen)) = rest.next_if(|(_, seen)| *seen != c) else {
            if rest.next().is_none() {
                break;
            }
            continue;
        };
        let end = match seen {
            '^' => rest.next().map(|(at, c)| at + c.len_utf8()),
            '<' => rest.by_ref().find(|(_, c)| *c == '>').map(|(at, c)| at + c.len_utf8()),
            '…' => break,
            // A mark that lost its letter: the circle it sits on stands before it.
            _ => rest.next().map(|_| at + seen.len_utf8()),
        };
        found.push(at..end.unwrap_or(shown.len()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::theme::Look;
    use proptest::prelude::*;
    use ratatui::style::Color;
    use std::collections::BTreeMap;

    fn theme() -> Theme {
        use crate::view::theme::Ink;
        let looks: BTreeMap<Role, Look> =
            Role::ALL.iter().map(|role| (*role, Look { fg: Some(Ink::Indexed(*role as u8)), ..Look::default() })).collect();
        Theme::from_looks(&looks)
    }

    fn area(cols: u16, rows: u16) -> Area {
        Area { x: 0, y: 0, cols, rows }
    }

    /// The rows of the buffer as text; the second cell of a wide letter is left out.
    fn shown(buffer: &Buffer) -> Vec<String> {
        (0..buffer.area.height)
            .map(|y| {
                let (mut out, mut x) = (String::new(), 0);
                while x < buffer.area.width {
                    let symbol = buffer[(x, y)].symbol();
                    out.push_str(symbol);
                    x += u16::try_from(width::of(symbol).max(1)).unwrap();
                }
                out
            })
            .collect()
    }

    fn drawn(cols: u16, row: &Row<'_>) -> String {
        let (theme, mut buffer) = (theme(), Buffer::empty(Rect::new(0, 0, cols, 1)));
        Canvas::new(&mut buffer, &theme).row(area(cols, 1), 0, row);
        shown(&buffer).remove(0)
    }

    #[test]
    fn both_ends_of_a_row_and_which_one_yields() {
        let keep = || Row::new().text(Role::Text, "abcdef").right(Role::Dim, "xyz");
        let tail = || Row::new().text(Role::Text, "abcdef").tail(Role::Dim, "xyz");
        for (cols, kept, tailed) in [
            (12, "abcdef   xyz", "abcdef   xyz"),
            (10, "abcdef xyz", "abcdef xyz"),
            (9, "abcd… xyz", "abcdef x…"),
            (8, "abc… xyz", "abcdef …"),
            (7, "ab… xyz", "abcdef "),
            (5, "… xyz", "abcd…"),
            (2, "x…", "a…"),
        ] {
            assert_eq!((drawn(cols, &keep()).as_str(), drawn(cols, &tail()).as_str()), (kept, tailed), "{cols}");
        }
    }

    #[test]
    fn columns_stay_where_they_are_under_wide_text() {
        let row = |name: &'static str| {
            Row::new().column(Role::Text, name, 6).number(Role::Dim, "7", 3).path(Role::Text, "a/bcdefgh/i.rs", 9)
        };
        assert_eq!(drawn(18, &row("漢字漢字")), "漢字…   7a/…h/i.rs");
        assert_eq!(drawn(18, &row("ab")), "ab      7a/…h/i.rs");
        assert_eq!(drawn(5, &Row::new().text(Role::Text, "漢字漢字")), "漢字…");
        assert_eq!(drawn(4, &Row::new().text(Role::Text, "漢字漢字")), "漢 …");
    }

    #[test]
    fn a_hostile_text_is_shown_marked() {
        let (theme, mut buffer) = (theme(), Buffer::empty(Rect::new(0, 0, 24, 1)));
        let row = Row::new().text(Role::Text, "a\u{1b}[2J^x\u{202e}b<U+1>");
        Canvas::new(&mut buffer, &theme).row(area(24, 1), 0, &row);
        assert_eq!(shown(&buffer), ["a^[[2J^x<U+202E>b<U+1>  "]);
        let marked: String =
            (0..24).map(|x| if buffer[(x, 0)].fg == Color::Indexed(Role::Marker as u8) { '!' } else { '.' }).collect();
        assert_eq!(marked, ".!!.....!!!!!!!!........");

        let mut buffer = Buffer::empty(Rect::new(0, 0, 6, 1));
        Canvas::new(&mut buffer, &theme).code(area(6, 1), 0, "ab\u{202e}cd", &[], 6, None);
        assert_eq!(shown(&buffer), ["02E>cd"]);
        let marked: Vec<u16> = (0..6).filter(|x| buffer[(*x, 0)].fg == Color::Indexed(Role::Marker as u8)).collect();
        assert_eq!(marked, [0, 1, 2, 3]);
    }

    #[test]
    fn code_scrolls_by_display_columns_and_says_that_it_goes_on() {
        let theme = theme();
        let draw = |left: usize| {
            let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 1));
            let style = theme.style(Role::Keyword);
            Canvas::new(&mut buffer, &theme).code(area(8, 1), 0, "\tlet 漢字 = 1;", &[(1..4, style)], left, None);
            let keyword: Vec<u16> = (0..8).filter(|x| buffer[(*x, 0)].fg == Color::Indexed(Role::Keyword as u8)).collect();
            (shown(&buffer).remove(0), keyword)
        };
        assert_eq!(draw(0), ("    let…".to_owned(), vec![4, 5, 6]));
        assert_eq!(draw(4), ("let 漢 …".to_owned(), vec![0, 1, 2]));
        assert_eq!(draw(9), (" 字 = 1;".to_owned(), vec![]));
        assert_eq!(draw(40), ("        ".to_owned(), vec![]));
    }

    proptest! {
        #[test]
        fn nothing_leaves_its_area(
            left in "\\PC{0,20}|[\u{0}-\u{20}漢é\u{202e}]{0,12}", right in "\\PC{0,10}",
            cols in 0u16..30, tail: bool, scroll in 0usize..20,
        ) {
            let (theme, mut buffer) = (theme(), Buffer::empty(Rect::new(0, 0, 34, 3)));
            let blank = buffer.clone();
            let place = Area { x: 2, y: 1, cols, rows: 1 };
            let row = Row::new().text(Role::Text, left.as_str());
            let row = if tail { row.tail(Role::Dim, right.as_str()) } else { row.right(Role::Dim, right.as_str()) };
            let mut canvas = Canvas::new(&mut buffer, &theme);
            canvas.row(place, 0, &row);
            canvas.code(place, 0, &left, &[], scroll, None);
            canvas.paragraph(place, 0, Role::Text, &left);
            for y in 0..3u16 {
                for x in 0..34u16 {
                    if y != 1 || !(2..2 + cols).contains(&x) {
                        prop_assert_eq!(&buffer[(x, y)], &blank[(x, y)], "{} {}", x, y);
                    }
                    prop_assert!(!buffer[(x, y)].symbol().contains(char::is_control));
                }
            }
        }
    }
}
