//! The log of a job: what it is of, where in it the cursor stands, and its lines.
//! Must not know: where it comes from, or which keys there are.

use super::centred;
use crate::app::geometry::{Area, joblog_rows};
use crate::app::screens::joblog::{JobLog, Stage};
use crate::core::joblog::{Colour, Line, Look, Mark};
use crate::core::steps::NthStep;
use crate::core::text::{gate, render_size, start, width};
use crate::view::marks;
use crate::view::paint::{Canvas, Row};
use crate::view::theme::Role;
use ratatui::style::{Modifier, Style};
use std::ops::Range;

/// Columns of a time of day with milliseconds, and of what stands between it and the line.
const TIME_COLS: usize = "10:11:12.123 ".len();
/// Where it begins in a time.
const TIME_OF_DAY: usize = "2026-08-11T".len();

/// Columns of a step's name at most.
const TITLE_COLS: usize = 40;

/// What stands in front of a line.
struct Gutter<'a> {
    /// Columns of a line's number; none while the lines are being counted.
    numbers: usize,
    /// The lines that are pinned as evidence, counted from 1. Where there is one, every line has room for the mark.
    pinned: &'a [usize],
}

/// `pinned` are lines of this log, counted from 1.
pub fn draw(canvas: &mut Canvas<'_>, screen: Area, log: &JobLog, pinned: &[usize]) {
    let inside = canvas.popup(centred(screen, screen.cols, screen.rows), "Log of a job");
    let of = &log.of;
    let role = match of.outcome.as_str() {
        "success" => Role::Good,
        "failure" | "timed_out" | "startup_failure" => Role::Bad,
        _ => Role::Warn,
    };
    let place = format!(" run {} · attempt {} · ", of.run, of.attempt);
    let title = Row::new().text(Role::Title, of.name.as_str());
    canvas.row(inside, 0, &title.right(Role::Dim, place).right(role, of.outcome.as_str()));
    canvas.row(inside, 1, &standing(log));
    canvas.focus(inside, 0, 2);
    if let Stage::Failed(trouble) = &log.stage {
        canvas.paragraph(
            Area { y: inside.y + 2, rows: inside.rows.saturating_sub(2), ..inside },
            0,
            Role::Bad,
            &trouble.sentence(),
        );
        return;
    }
    let height = joblog_rows(screen.rows);
    let gutter = match log.stage {
        Stage::Whole => Gutter { numbers: log.index.lines().to_string().len() + 1, pinned },
        // Which line is which is not known yet.
        _ => Gutter { numbers: 0, pinned: &[] },
    };
    for at in 0..height.min(log.folds.rows().saturating_sub(log.scroll.top)) {
        let row = log.scroll.top + at;
        let is_cursor = row == log.scroll.cursor;
        if is_cursor {
            canvas.focus(inside, 0, at + 2);
        }
        let ground = is_cursor.then_some(Role::Cursor);
        draw_line(canvas, inside, at + 2, (log, row), &gutter, ground);
    }
}

/// How much there is, and where the cursor stands in it.
fn standing(log: &JobLog) -> Row<'_> {
    let bytes = log.index.bytes();
    match log.stage {
        Stage::Coming { got: 0, of: None } => return Row::new().text(Role::Running, "◔ being read"),
        Stage::Coming { got, of } => {
            let of = of.map_or_else(String::new, |of| format!(" of {}", render_size(of)));
            return Row::new().text(Role::Running, format!("◔ {}{of}", render_size(got)));
        }
        Stage::Failed(_) => return Row::new(),
        Stage::Tail | Stage::Whole => {}
    }
    let row = Row::new().text(Role::Dim, render_size(bytes.end));
    let row = match log.stage {
        Stage::Whole if log.index.lines() == 0 => return row.text(Role::Dim, " · the log is empty"),
        Stage::Whole => row.text(Role::Dim, format!(" · line {} of {}", log.cursor() + 1, log.index.lines())),
        _ => row.text(Role::Running, " · the end; its lines are being counted"),
    };
    let cut = if log.index.is_cut() { " · more lines stand in the last one" } else { "" };
    let row = row.text(Role::Warn, cut);
    let row = match log.index.errors() {
        // Those of the end are not all.
        _ if log.stage == Stage::Tail => row,
        [] => row.text(Role::Dim, " · no error"),
        errors => row.text(Role::Bad, counted("error", log.nth(errors), errors.len(), false)),
    };
    match &log.search {
        None => row,
        Some(search) => match &search.found {
            None => row.right(Role::Running, format!("/{} ◔", search.needle.words())),
            Some(found) => {
                let told = counted("match", log.nth(&found.lines), found.lines.len(), found.more);
                row.right(Role::Match, format!("/{}", search.needle.words())).right(Role::Dim, told)
            }
        },
    }
}

/// Which of how many: ` · error 2/7`.
fn counted(what: &str, nth: usize, of: usize, more: bool) -> String {
    format!(" · {what} {nth}/{of}{}", if more { "+" } else { "" })
}

fn draw_line(
    canvas: &mut Canvas<'_>,
    area: Area,
    at: usize,
    (log, row): (&JobLog, usize),
    gutter: &Gutter<'_>,
    ground: Option<Role>,
) {
    let number = log.folds.line(row);
    let mut head = Row::new().on(ground);
    if gutter.numbers > 0 {
        head = head.number(Role::Gutter, (number + 1).to_string(), gutter.numbers).text(Role::Gutter, " ");
    }
    if !gutter.pinned.is_empty() {
        head = head.text(Role::Accent, marks::pin(gutter.pinned.contains(&(number + 1))));
    }
    let Some(line) = log.line(row) else {
        return canvas.row(area, at, &head.text(Role::Running, "◔"));
    };
    if log.times {
        let time = line.time.as_deref().and_then(|time| time.get(TIME_OF_DAY..)).unwrap_or_default();
        head = head.column(Role::Dim, start(time, TIME_COLS - 1).trim_end_matches('Z'), TIME_COLS);
    }
    if let Some((step, folded)) = log.folds.step(&log.index, number) {
        let outcome = &step.step.outcome;
        head = head
            .text(Role::Accent, if folded { "▸ " } else { "▾ " })
            .text(marks::outcome(outcome), format!("{} ", outcome.mark()))
            .text(Role::Title, title(step))
            .text(Role::Dim, format!("  {}", step.length(None)))
            .gap(2);
    }
    let fold = match log.folds.folded(&log.index, number) {
        Some(true) => "▸ ",
        Some(false) => "▾ ",
        None if log.index.group_of(number).is_some() => "  ",
        None => "",
    };
    head = head.text(Role::Accent, fold);
    let used = u16::try_from(head.columns()).unwrap_or(u16::MAX).min(area.cols);
    canvas.row(area, at, &head);
    let text = line.plain();
    let rest = Area { x: area.x + used, cols: area.cols - used, ..area };
    let styles = styles(canvas, log, line, &text);
    canvas.code(rest, at, &text, &styles, log.left, ground);
}

/// A step's name, as far as it leaves room for the line that it begins on; without one, its place.
fn title(step: NthStep<'_>) -> String {
    let name = if step.step.name.is_empty() { step.to_string() } else { step.step.name.to_string() };
    width::clip(&gate::line_capped(&name, TITLE_COLS + 1), TITLE_COLS).into_owned()
}

/// The looks of a line's text: its mark's, its own colours over it, and over both what was searched for.
fn styles(canvas: &Canvas<'_>, log: &JobLog, line: &Line, text: &str) -> Vec<(Range<usize>, Style)> {
    let base = canvas.style(match line.mark {
        Mark::Group => Role::Title,
        Mark::EndGroup | Mark::Debug => Role::Dim,
        Mark::Error => Role::Bad,
        Mark::Warning => Role::Warn,
        Mark::Notice => Role::Accent,
        Mark::Command => Role::Code,
        Mark::Plain => Role::Text,
    });
    let lead = line.mark.lead().len();
    let end = lead + line.text.len();
    let own = line.looks.iter().map(|(range, look)| (range.start + lead..range.end + lead, look_style(canvas, base, *look)));
    let mut styles = overlaid(vec![(0..end, base)], own);
    if end < text.len() {
        styles.push((end..text.len(), canvas.style(Role::Marker)));
    }
    match &log.search {
        None => styles,
        Some(search) => {
            let found = canvas.style(Role::Match);
            overlaid(styles, search.needle.hits(text).map(|range| (range, found)))
        }
    }
}

/// Puts rising pieces over others, which give way.
fn overlaid(
    below: Vec<(Range<usize>, Style)>,
    above: impl Iterator<Item = (Range<usize>, Style)>,
) -> Vec<(Range<usize>, Style)> {
    let above: Vec<_> = above.collect();
    let mut out = Vec::with_capacity(below.len() + 2 * above.len());
    for (range, style) in below {
        let mut from = range.start;
        for (over, _) in above.iter().filter(|(over, _)| over.start < range.end && over.end > range.start) {
            if from < over.start {
                out.push((from..over.start, style));
            }
            from = over.end.min(range.end).max(from);
        }
        if from < range.end {
            out.push((from..range.end, style));
        }
    }
    out.extend(above);
    out.sort_by_key(|(range, _)| range.start);
    out
}

/// A colour by what it mostly means in a log: themes have roles, not colours.
fn look_style(canvas: &Canvas<'_>, base: Style, look: Look) -> Style {
    let role = look.colour.map(|colour| match colour {
        Colour::Red => Role::Bad,
        Colour::Green => Role::Good,
        Colour::Yellow => Role::Warn,
        Colour::Blue | Colour::Cyan => Role::Accent,
        Colour::Magenta => Role::Needs,
        Colour::Black => Role::Dim,
        Colour::White => Role::Text,
    });
    let style = role.map_or(base, |role| base.patch(canvas.style(role)));
    if look.bold { style.add_modifier(Modifier::BOLD) } else { style }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::screens::joblog::{Execution, Piece, Searching};
    use crate::core::ids::{JobId, RunId};
    use crate::core::joblog::{Found, Index, Needle};
    use crate::core::sample::step;
    use crate::core::steps::Steps;
    use crate::core::trouble::{Trouble, TroubleKind};
    use crate::view::theme::Theme;
    use ratatui::buffer::Buffer;
    use ratatui::layout::Rect;
    use std::collections::BTreeMap;
    use std::sync::Arc;

    const TEXT: &str = "2026-08-11T10:11:12.1234567Z ##[group]Run x\n2026-08-11T10:11:13Z in it\n##[endgroup]\n\
         2026-08-11T10:11:14Z \x1b[31mred\x1b[0m and \x1b[2J漢字\n##[error]no \x1b[1mroom\x1b[m left\n";

    fn log() -> JobLog {
        let of = Execution {
            job: JobId(5),
            run: RunId(31),
            attempt: 2,
            name: "single-node 8k1k".into(),
            outcome: "failure".into(),
            ended: true,
            url: "u".into(),
            steps: Steps::default(),
        };
        JobLog::new(of, Vec::new())
    }

    fn read(log: &mut JobLog, height: usize) {
        log.take(Piece::Tail { from: 0, bytes: TEXT.as_bytes().into() }, height);
        let mut index = Index::of(log.of.steps.clone());
        index.push(TEXT.as_bytes());
        log.take(Piece::Indexed(Arc::new(index.finish())), height);
    }

    fn rows(log: &JobLog, cols: u16, rows: u16) -> Vec<String> {
        rows_with(log, cols, rows, &[])
    }

    fn rows_with(log: &JobLog, cols: u16, rows: u16, pinned: &[usize]) -> Vec<String> {
        let mut buffer = Buffer::empty(Rect::new(0, 0, cols, rows));
        let theme = Theme::from_looks(&BTreeMap::new());
        draw(&mut Canvas::new(&mut buffer, &theme), Area { x: 0, y: 0, cols, rows }, log, pinned);
        let row = |y| (0..cols).map(|x| buffer[(x, y)].symbol().to_owned()).collect::<String>();
        (0..rows).map(row).map(|row| row.trim_matches([' ', '│']).trim_end().to_owned()).collect()
    }

    #[test]
    fn lines_have_numbers_folds_and_marks() {
        let mut log = log();
        read(&mut log, 9);
        let shown = rows(&log, 70, 15);
        assert!(shown[1].contains("single-node 8k1k") && shown[1].ends_with("run 31 · attempt 2 · failure"), "{shown:#?}");
        assert!(shown[2].starts_with("162 bytes · line 5 of 5 · error 1/1"), "{}", shown[2]);
        assert_eq!(shown[3..6], ["1 ▸ Run x", "4 red and ^[[2J漢 字", "5 Error: no room left"]);
        log.times = true;
        let needle = Needle::new("o").unwrap();
        log.search = Some(Searching { needle, found: Some(Found { words: "o".into(), lines: vec![3, 4], more: false }) });
        let shown = rows(&log, 70, 15);
        assert_eq!(shown[3..5], ["1 10:11:12.123 ▸ Run x", "4 10:11:14     red and ^[[2J漢 字"]);
        assert!(shown[2].ends_with("/o · match 2/2"), "{}", shown[2]);
        log.left = 4;
        assert_eq!(rows(&log, 70, 15)[4], "4 10:11:14     and ^[[2J漢 字");
    }

    #[test]
    fn a_pinned_line_has_a_mark_and_the_others_keep_in_line_with_it() {
        let mut log = log();
        log.take(Piece::Tail { from: 0, bytes: TEXT.as_bytes().into() }, 9);
        assert_eq!(rows_with(&log, 70, 15, &[4]), rows(&log, 70, 15), "lines are not counted yet");
        read(&mut log, 9);
        let shown = rows_with(&log, 70, 15, &[4]);
        assert_eq!(shown[3..6], ["1   ▸ Run x", "4 ◆ red and ^[[2J漢 字", "5   Error: no room left"]);
        assert_eq!(rows(&log, 70, 15)[3..6], ["1 ▸ Run x", "4 red and ^[[2J漢 字", "5 Error: no room left"]);
        for cols in [3, 12, 40] {
            assert_eq!(rows_with(&log, cols, 9, &[1, 5]).len(), 9);
        }
    }

    #[test]
    fn the_line_that_heads_a_step_names_it() {
        let mut log = log();
        let listed = |name: &str, word, from, to| step(name, word, Some(from), Some(to));
        let long = format!("Run \u{1b}[2J{}", "long ".repeat(30));
        log.of.steps = vec![
            listed("Checkout", "success", "2026-08-11T10:11:12Z", "2026-08-11T10:11:13Z"),
            listed(&long, "failure", "2026-08-11T10:11:14Z", "2026-08-11T10:25:14Z"),
        ]
        .into();
        read(&mut log, 9);
        let shown = rows(&log, 70, 15);
        assert_eq!(shown[3], "1 ▸ ✓ Checkout  1 s  ▸ Run x");
        assert_eq!(shown[4], "4 ▾ ✗ Run ^[[2Jlong long long long long long …  14 m  red and …");
        assert_eq!(shown[5], "5 Error: no room left");
        for cols in [3, 12, 40] {
            assert_eq!(rows(&log, cols, 9).len(), 9);
        }
    }

    #[test]
    fn what_is_not_there_is_said_and_no_size_is_too_small() {
        let mut log = log();
        assert!(rows(&log, 70, 15)[2].contains("being read"));
        log.take(Piece::Coming { got: 3 << 20, of: Some(9 << 20) }, 9);
        assert!(rows(&log, 70, 15)[2].contains("◔ 3.0 MiB of 9.0 MiB"));
        log.take(Piece::Failed(Trouble::new(TroubleKind::Gone, "It is gone.", "Run it again.")), 9);
        assert!(rows(&log, 70, 15)[3].contains("It is gone. Run it again."));
        log.take(Piece::Indexed(Arc::default()), 9);
        assert_eq!(rows(&log, 70, 15)[2], "0 bytes · the log is empty");
        read(&mut log, 9);
        for (cols, height) in [(3, 3), (8, 5), (12, 40), (300, 4)] {
            assert_eq!(rows(&log, cols, height).len(), usize::from(height));
        }
    }

    #[test]
    fn pieces_above_win_and_everything_else_stays() {
        let style = |n: u8| Style::new().fg(ratatui::style::Color::Indexed(n));
        let below = vec![(0..4, style(1)), (4..10, style(2))];
        let over = |ranges: &[Range<usize>]| overlaid(below.clone(), ranges.iter().map(|range| (range.clone(), style(3))));
        let ranges = |styles: Vec<(Range<usize>, Style)>| styles.into_iter().map(|(range, _)| range).collect::<Vec<_>>();
        assert_eq!(ranges(over(&[])), [0..4, 4..10]);
        assert_eq!(ranges(over(&[1..2, 3..6])), [0..1, 1..2, 2..3, 3..6, 6..10]);
        assert_eq!(ranges(over(&[0..9, 9..10])), [0..9, 9..10]);
        assert_eq!(ranges(over(&[4..5, 9..10])), [0..4, 4..5, 5..9, 9..10]);
    }
}
