//! The diff: the files at the left, the hunks of the open one at the right. Only rows on screen are made.
//! Must not know: how files are fetched or highlighted.

use crate::app::Model;
use crate::app::geometry::{Area, body_rows, diff_areas};
use crate::app::model::Pane;
use crate::app::screens::diff::{OpenFile, Search};
use crate::core::diff::rows::{Row as DiffRow, RowKind};
use crate::core::diff::words::emphasis;
use crate::core::pull::ChangedFile;
use crate::core::text::{start, width};
use crate::view::header::grouped;
use crate::view::marks;
use crate::view::notes;
use crate::view::paint::{BYTES_PER_COLUMN, Canvas, Row};
use crate::view::theme::Role;
use ratatui::style::Style;
use std::ops::Range;

pub fn draw(canvas: &mut Canvas<'_>, model: &Model, area: Area) {
    let notes: Vec<_> = notes::of_list("files", &model.facts.files, model.now).into_iter().collect();
    let files = model.facts.files.value().map(|list| list.items.as_slice()).unwrap_or_default();
    let focused = model.focus == Pane::Diff;
    let Some(file) = model.diff.current(&model.facts) else {
        notes::draw_title(canvas, area, focused, "Diff", "", &[]);
        notes::draw_empty(canvas, area, &notes, "This pull request changes no files.");
        return focus_if(canvas, focused, area);
    };
    let (list, hunks) = diff_areas(area);
    if let Some(list) = list {
        let counts = format!("{}/{}", model.diff.file + 1, files.len());
        notes::draw_title(canvas, list, focused, "Diff", &counts, &notes);
        draw_files(canvas, files, model.diff.file, focused, notes::below(list, 1));
        canvas.rule(hunks.x.saturating_sub(1), hunks.y, hunks.rows);
    }
    draw_file_title(canvas, model, file, files.len(), list.is_none(), hunks);
    let body = notes::below(hunks, hunks.rows - body_rows(hunks, Pane::Diff, model));
    if let Some(remark) = model.diff.remark(&model.facts) {
        canvas.row(hunks, 1, &Row::new().gap(1).text(Role::Warn, "! ").text(Role::Warn, remark));
    }
    match &model.diff.open {
        Some(open) => draw_hunks(canvas, model, open, body),
        None => {
            let why = format!(
                "GitHub supplies no text for this file: it is binary, huge or only renamed; +{} −{}. {} opens it in the browser.",
                grouped(file.additions),
                grouped(file.deletions),
                model.keymap.keys("open").first().map_or("The palette", String::as_str)
            );
            notes::draw_empty(canvas, body, &[(Role::Warn, why)], "");
            focus_if(canvas, focused, body);
        }
    }
}

fn focus_if(canvas: &mut Canvas<'_>, focused: bool, area: Area) {
    if focused {
        canvas.focus(area, 0, 0);
    }
}

/// One letter per kind of change, as git writes them.
fn status_letter(file: &ChangedFile) -> (&'static str, Role) {
    match file.status.as_str() {
        "added" => ("A", Role::AddedSign),
        "removed" => ("D", Role::RemovedSign),
        "modified" | "changed" => ("M", Role::Accent),
        "renamed" => ("R", Role::Accent),
        "copied" => ("C", Role::Accent),
        "unchanged" => ("=", Role::Dim),
        _ => ("?", Role::Warn),
    }
}

fn draw_files(canvas: &mut Canvas<'_>, files: &[ChangedFile], open: usize, focused: bool, area: Area) {
    let height = usize::from(area.rows).max(1);
    // The open file stays in the middle third, so that its neighbours can be seen.
    let top = open.saturating_sub(height / 2).min(files.len().saturating_sub(height));
    for (at, file) in files.iter().enumerate().skip(top).take(height) {
        let here = at == open;
        let (letter, role) = status_letter(file);
        let counts = format!("+{} −{}", grouped(file.additions), grouped(file.deletions));
        let fixed = 4 + width::of(&counts) + 1;
        let row = Row::new()
            .on(marks::ground(here, focused))
            .text(Role::Accent, marks::cursor(here))
            .text(role, letter)
            .gap(1)
            .path(if here { Role::Title } else { Role::Text }, file.path.as_str(), usize::from(area.cols).saturating_sub(fixed))
            .right(Role::Dim, counts);
        canvas.row(area, at - top, &row);
    }
}

fn draw_file_title(canvas: &mut Canvas<'_>, model: &Model, file: &ChangedFile, count: usize, alone: bool, area: Area) {
    let (letter, role) = status_letter(file);
    let mut row = Row::new();
    if alone {
        row = row.text(Role::Dim, format!(" {}/{count}", model.diff.file + 1));
    }
    row = row.gap(1).text(role, letter).gap(1);
    let mut counts = format!("+{} −{}", grouped(file.additions), grouped(file.deletions));
    if model.diff.left > 0 {
        counts.push_str(&format!("  ⇥{}", model.diff.left));
    }
    let hits = model.diff.search.as_ref().map(|search| hits(search, model.diff.scroll.cursor)).unwrap_or_default();
    let taken = row.columns() + width::of(&counts) + width::of(&hits) + 5;
    let room = usize::from(area.cols).saturating_sub(taken);
    row = match &file.previous_path {
        Some(old) if *old != file.path => {
            let half = room.saturating_sub(3) / 2;
            row.path(Role::Dim, old.as_str(), half.min(width::of(old))).text(Role::Dim, " → ").path(
                Role::Title,
                file.path.as_str(),
                (room.saturating_sub(3) - half).min(width::of(&file.path)),
            )
        }
        _ => row.path(Role::Title, file.path.as_str(), room.min(width::of(&file.path))),
    };
    row = row.gap(2).text(Role::Dim, counts);
    if alone {
        // There is no list to say it over.
        if let Some((role, text)) = notes::of_list("files", &model.facts.files, model.now) {
            row = row.text(Role::Dim, "  ").text(role, text);
        }
    }
    canvas.row(area, 0, &row.right(Role::Match, hits));
}

/// `/pattern 3/17`: which of the matches is at or above the cursor.
fn hits(search: &Search, cursor: usize) -> String {
    let at = search.hits.partition_point(|row| *row <= cursor);
    format!("/{} {at}/{}", search.pattern, search.hits.len())
}

fn draw_hunks(canvas: &mut Canvas<'_>, model: &Model, open: &OpenFile, area: Area) {
    let focused = model.focus == Pane::Diff;
    let scroll = model.diff.scroll;
    let digits = number_columns(open);
    let gutter = u16::try_from(2 * digits + 4).unwrap_or(0).min(area.cols);
    let text_area = Area { x: area.x + gutter, cols: area.cols - gutter, ..area };
    for at in scroll.top..(scroll.top + usize::from(area.rows)).min(model.diff.len()) {
        let Some(row) = open.parsed.row(at) else { break };
        let (screen_row, here) = (at - scroll.top, at == scroll.cursor);
        let ground = marks::ground(here, focused);
        if here && focused {
            canvas.focus(area, usize::from(gutter), screen_row);
        }
        let text = open.patch.get(row.text.clone()).unwrap_or_default();
        if row.kind == RowKind::Hunk {
            canvas.row(area, screen_row, &Row::new().on(ground).text(Role::Accent, marks::cursor(here)).text(Role::Hunk, text));
            continue;
        }
        let (sign, sign_role, kind) = match row.kind {
            RowKind::Added => ("+", Role::AddedSign, Some(Role::Added)),
            RowKind::Removed => ("-", Role::RemovedSign, Some(Role::Removed)),
            RowKind::NoNewline => ("\\", Role::Dim, None),
            RowKind::Context | RowKind::Hunk => (" ", Role::Dim, None),
        };
        let number = |line: Option<u32>| line.map(|line| line.to_string()).unwrap_or_default();
        let head = Row::new()
            .on(ground.or(kind))
            .text(Role::Accent, marks::cursor(here))
            .number(Role::Gutter, number(row.old), digits)
            .gap(1)
            .number(Role::Gutter, number(row.new), digits)
            .text(sign_role, sign)
            .gap(1);
        canvas.row(Area { cols: gutter, ..area }, screen_row, &head);
        let styles = styles(canvas, model, open, at, &row, text, usize::from(text_area.cols));
        canvas.code(text_area, screen_row, text, &styles, model.diff.left, ground.or(kind));
    }
}

/// Columns of the widest line number.
fn number_columns(open: &OpenFile) -> usize {
    let last = open.parsed.hunks.last();
    let most = last.map_or(0, |hunk| {
        (u64::from(hunk.old_start) + u64::from(hunk.old_len)).max(u64::from(hunk.new_start) + u64::from(hunk.new_len))
    });
    most.to_string().len().max(4)
}

/// The styles of a line: syntax, then the words that changed, then what a search found, each over the one before.
fn styles(canvas: &Canvas<'_>, model: &Model, open: &OpenFile, at: usize, row: &DiffRow, text: &str, cols: usize) -> Layer {
    let mut layers: Vec<Layer> = Vec::new();
    if row.kind == RowKind::NoNewline {
        return vec![(0..text.len(), canvas.style(Role::Dim))];
    }
    if let Some(spans) = open.spans.get(at) {
        let styled =
            |(range, role): &(Range<u32>, _)| (range.start as usize..range.end as usize, canvas.style(Role::of_syntax(*role)));
        layers.push(spans.iter().map(styled).collect());
    }
    let word = match row.kind {
        RowKind::Added => Some(Role::AddedWord),
        RowKind::Removed => Some(Role::RemovedWord),
        _ => None,
    };
    if let Some(word) = word {
        let style = canvas.style(word);
        layers.push(changed_words(open, at, row, text).into_iter().map(|range| (range, style)).collect());
    }
    if let Some(search) = &model.diff.search {
        let style = canvas.style(Role::Match);
        // A line of megabytes may hold a million matches: only those that can be seen are looked for.
        let seen = start(text, (model.diff.left + cols + search.pattern.len()).saturating_mul(BYTES_PER_COLUMN));
        layers.push(found(seen, &search.pattern).into_iter().map(|range| (range, style)).collect());
    }
    flatten(&layers, text)
}

/// The words of a line that differ from the line that it stands against.
fn changed_words(open: &OpenFile, at: usize, row: &DiffRow, text: &str) -> Vec<Range<usize>> {
    let partner = open.parsed.line_at(at).and_then(|line| open.parsed.block(line)?.partner(line));
    let Some(other) = partner.and_then(|line| open.patch.get(open.parsed.lines.get(line)?.text())) else { return Vec::new() };
    match row.kind {
        RowKind::Removed => emphasis(text, other).0,
        _ => emphasis(other, text).1,
    }
}

/// Where the pattern stands in a line; a capital letter in it makes case count, as in the search itself.
fn found(text: &str, pattern: &str) -> Vec<Range<usize>> {
    if pattern.is_empty() {
        return Vec::new();
    }
    if pattern.chars().any(char::is_uppercase) {
        return text.match_indices(pattern).map(|(at, hit)| at..at + hit.len()).collect();
    }
    // Lower case may be longer than what it came from: each letter keeps where it stood.
    let letters: Vec<(usize, char)> =
        text.char_indices().flat_map(|(at, c)| c.to_lowercase().map(move |low| (at, low))).collect();
    let wanted: Vec<char> = pattern.to_lowercase().chars().collect();
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while let Some(window) = letters.get(at..at + wanted.len()) {
        if window.iter().map(|(_, c)| c).eq(wanted.iter()) {
            let start = window.first().map_or(0, |(byte, _)| *byte);
            let last = window.last().map_or(start, |(byte, _)| *byte);
            let end = last + text.get(last..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
            out.push(start..end);
            at += wanted.len();
        } else {
            at += 1;
        }
    }
    out
}

/// Disjoint rising ranges and their styles.
type Layer = Vec<(Range<usize>, Style)>;

/// One layer in which later ones lie over earlier ones.
fn flatten(layers: &[Layer], text: &str) -> Layer {
    let all = layers.iter().flatten();
    let mut edges: Vec<usize> =
        all.flat_map(|(range, _)| [range.start, range.end]).filter(|at| text.is_char_boundary(*at)).collect();
    edges.sort_unstable();
    edges.dedup();
    let mut rest: Vec<&[(Range<usize>, Style)]> = layers.iter().map(Vec::as_slice).collect();
    edges
        .windows(2)
        .filter_map(|edge| {
            let &[start, end] = edge else { return None };
            // Edges rise and so do the ranges: those that lie before are not looked at again.
            let over = rest.iter_mut().filter_map(|layer| {
                let before = layer.iter().take_while(|(range, _)| range.end <= start).count();
                *layer = layer.get(before..).unwrap_or_default();
                layer.first().filter(|(range, _)| range.start <= start && end <= range.end)
            });
            Some((start..end, over.fold(Style::new(), |style, (_, layer)| style.patch(*layer))))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::style::Color;

    #[test]
    #[allow(clippy::single_range_in_vec_init)] // one match is one range
    fn matches_are_found_as_the_search_finds_them() {
        let table: [(&str, &str, &[Range<usize>]); 7] = [
            ("TP2 tp2", "tp", &[0..2, 4..6]),
            ("TP2 tp2", "TP", &[0..2]),
            ("aaaa", "aa", &[0..2, 2..4]),
            ("İx", "x", &[2..3]),
            ("漢字漢", "漢", &[0..3, 6..9]),
            ("a", "abc", &[]),
            ("a", "", &[]),
        ];
        for (text, pattern, hits) in table {
            assert_eq!(found(text, pattern), hits, "{text} {pattern}");
        }
    }

    #[test]
    fn layers_become_disjoint_ranges() {
        let (red, bold) = (Style::new().fg(Color::Red), Style::new().bold());
        assert_eq!(
            flatten(&[vec![(0..4, red)], vec![(2..6, bold)]], "abcdefgh"),
            [(0..2, red), (2..4, red.bold()), (4..6, bold)]
        );
        assert_eq!(flatten(&[vec![(0..1, red)], vec![(0..3, bold)]], "漢"), [(0..3, bold)]);
        assert_eq!(flatten(&[], "x"), []);
    }
}
