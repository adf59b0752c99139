//! Results as tables, one for each curve: plain text for a terminal, Markdown for a comment.
//! Must not know: how a comparison is made, JSON.

use super::{Told, point};
use crate::core::markdown::gate;
use crate::core::results::compare::{Change, Standing};
use crate::core::results::{Curve, Figure, Measure, ResultRow, Statistic, View};
use crate::core::text::gate as screen;
use crate::report::table;

/// One curve's table, not yet gated.
struct Table {
    title: String,
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

pub(super) fn text(told: Told<'_>) -> String {
    let mut blocks = vec![headline(told)];
    for table in tables(told) {
        let head: Vec<&str> = table.head.iter().map(String::as_str).collect();
        blocks.push(format!("{}\n{}", screen::line(&table.title), table::render(&head, &table.rows)));
    }
    let missing = only_reference(told).into_iter().map(|name| format!("only in the reference: {name}"));
    let notes: Vec<String> =
        told.notes().into_iter().chain(missing).map(|note| format!("note: {}\n", screen::line(&note))).collect();
    blocks.push(notes.concat());
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n")
}

pub(super) fn markdown(told: Told<'_>) -> String {
    let inline = |said: &str| gate::inline(said, told.trigger);
    // A code span with a bar would end its cell.
    let cell = |said: &String| inline(&said.replace('|', "¦"));
    let mut blocks = vec![inline(headline(told).trim_end()) + "\n"];
    for table in tables(told) {
        let line = |cells: &[String]| format!("| {} |\n", cells.iter().map(cell).collect::<Vec<_>>().join(" | "));
        // The mark, the point and the note are words, all between them numbers.
        let last = table.head.len().saturating_sub(1);
        let rule: Vec<&str> = (0..table.head.len()).map(|at| if at < 2 || at == last { "---" } else { "---:" }).collect();
        let rows: String = table.rows.iter().map(|row| line(row)).collect();
        blocks.push(format!("{}\n\n{}| {} |\n{rows}", inline(&table.title), line(&table.head), rule.join(" | ")));
    }
    let missing = only_reference(told).into_iter().map(|name| format!("Only in the reference: {name}"));
    let notes: Vec<String> = told.notes().into_iter().chain(missing).map(|note| format!("- {}\n", inline(&note))).collect();
    blocks.push(notes.concat());
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n")
}

fn headline(told: Told<'_>) -> String {
    let run = told.run.map_or_else(|| "No run".to_owned(), |run| format!("Run {run}"));
    let (rows, partial) = (told.sheet.rows.len(), if told.complete { "" } else { ", not everything was read" });
    format!(
        "{run}: {rows} point{} measured, each once unless a note says otherwise{partial}.\n",
        if rows == 1 { "" } else { "s" }
    )
}

/// A reference may hold many points that are of no concern here: the first ones stand for them.
const MOST: usize = 20;

fn only_reference(told: Told<'_>) -> Vec<String> {
    let name = |row: &ResultRow| format!("{} {} {} {}", row.axes.model, row.scenario, row.axes.runner, point(row));
    let Some(set) = &told.sheet.against else { return Vec::new() };
    let places = &set.comparison.only_theirs;
    let mut out: Vec<String> = places.iter().filter_map(|place| set.rows.get(*place)).take(MOST).map(name).collect();
    if places.len() > MOST {
        out.push(format!("{} more points", places.len() - MOST));
    }
    out
}

fn tables(told: Told<'_>) -> Vec<Table> {
    told.sheet.of_view(View::Latency).map(|curve| one_table(told, curve)).collect()
}

fn one_table(told: Told<'_>, curve: &Curve) -> Table {
    let row = |place: usize| told.sheet.rows.get(place);
    let drawn = curve.points.iter().map(|point| {
        let again = point.repeats.map(|_| "measured again".to_owned());
        (point.row, if point.frontier { "●" } else { "·" }, again)
    });
    let undrawn = curve.invalid.iter().map(|bad| (bad.row, "✗", Some(format!("not drawn: {}", bad.render()))));
    let lines: Vec<(usize, &str, Option<String>)> = drawn.chain(undrawn).collect();
    let told_by_some = |figure: &Figure| lines.iter().filter_map(|line| row(line.0)).any(|row| figure.of(row).is_some());
    let figures: Vec<Figure> = columns(curve.key.percentile).into_iter().filter(told_by_some).collect();
    let mut head = vec![String::new(), "point".to_owned()];
    head.extend(figures.iter().map(|figure| format!("{}, {}", figure.name(), figure.shown_unit())));
    head.push("note".to_owned());
    let rows = lines.into_iter().filter_map(|(place, mark, note)| {
        let row = row(place)?;
        let mut cells = vec![mark.to_owned(), point(row)];
        cells.extend(figures.iter().map(|figure| number(told, place, row, *figure)));
        cells.push(note.into_iter().chain(notes(told, place)).collect::<Vec<_>>().join(", "));
        Some(cells)
    });
    Table { title: format!("{} (● on the frontier): {}", curve.key, curve.summary()), rows: rows.collect(), head }
}

fn columns(statistic: Statistic) -> [Figure; 9] {
    let of = |measure| Figure::Request(measure, statistic);
    [
        Figure::Total,
        Figure::Output,
        Figure::Input,
        of(Measure::Intvty),
        of(Measure::Ttft),
        of(Measure::Tpot),
        of(Measure::E2el),
        Figure::AveragePower,
        Figure::JoulesPerOutputToken,
    ]
}

/// `7534.5 (+5.85 %)`, `0.912 (+3.10 % worse)`, `–` where the row tells none.
fn number(told: Told<'_>, place: usize, row: &ResultRow, figure: Figure) -> String {
    let Some(value) = figure.of(row) else { return "–".to_owned() };
    let pair = told.sheet.against.as_ref().and_then(|set| set.comparison.pair_of(place));
    let change = pair.and_then(|pair| pair.difference(figure)).map(|difference| {
        let worse = if difference.change == Change::Worse { " worse" } else { "" };
        format!(" ({}{worse})", difference.render())
    });
    figure.render(value) + &change.unwrap_or_default()
}

fn notes(told: Told<'_>, place: usize) -> Vec<String> {
    let mut out = Vec::new();
    if told.is_foreign(place) == Some(true) {
        out.push("of no config of this pull request".to_owned());
    }
    if let Some(set) = &told.sheet.against {
        out.extend(match set.comparison.standing(place) {
            Standing::OnlyOurs => Some("not in the reference".to_owned()),
            Standing::Ambiguous => Some("several points fit each other".to_owned()),
            Standing::Paired(_) | Standing::Otherwise => None,
        });
    }
    out
}
