//! What a run measured: a curve of throughput per GPU with its frontier, the points below it, and what differs from a
//! reference.
//! Must not know: how rows are compared, how curves come about.

use crate::app::Model;
use crate::app::geometry::{Area, results_areas};
use crate::app::model::Pane;
use crate::app::screens::results::run;
use crate::core::remote::Remote;
use crate::core::results::compare::{Change, Standing};
use crate::core::results::{Curve, Figure, Sheet};
use crate::view::marks;
use crate::view::notes::{self, Note};
use crate::view::paint::{Canvas, Row};
use crate::view::plot;
use crate::view::theme::Role;

/// Columns of a point's name.
const POINT: usize = 18;
/// From here on there is room for the differences.
const ROOMY: u16 = 70;

pub fn draw(canvas: &mut Canvas<'_>, model: &Model, area: Area) {
    let focused = model.focus == Pane::Results;
    let screen = &model.results;
    let mut said: Vec<Note> = Vec::new();
    let run = run(model);
    for id in run.into_iter().chain(screen.earlier()) {
        let name = format!("results of {id}");
        match model.facts.results.get(&id) {
            Some(results) => said.extend(notes::of_list(&name, results, model.now)),
            None => said.extend(notes::of_value(&name, &Remote::<()>::Idle, model.now)),
        }
    }
    let (Some(sheet), Some(curve)) = (&screen.sheet, screen.current()) else {
        notes::draw_title(canvas, area, focused, "Results", "", &[]);
        let empty = match run {
            None => "No run of this pull request's commits is known to have measured it.",
            Some(_) if screen.is_drawing() => "The curves are being drawn.",
            Some(_) => "The run kept no result row.",
        };
        notes::draw_empty(canvas, area, &said, empty);
        if focused {
            canvas.focus(area, 0, 0);
        }
        return;
    };
    let of = screen.curves().len();
    let counts = match run {
        Some(run) => format!("run {run} · curve {} of {of}", screen.curve + 1),
        None => format!("curve {} of {of}", screen.curve + 1),
    };
    let counts = match screen.sieve.render(screen.shown.len(), curve.len()) {
        Some(filter) => format!("{counts} · {filter}"),
        None => counts,
    };
    notes::draw_title(canvas, area, focused, "Results", &counts, &said);
    let (above, list) = results_areas(area);
    let against = match &sheet.against {
        Some(set) => format!("● this run   ○ {}", set.name),
        None => String::new(),
    };
    let head = Row::new().gap(1).text(Role::Title, curve.key.to_string()).gap(2).text(Role::Dim, curve.summary());
    canvas.row(above, 1, &head.tail(Role::Dim, format!("{against} ")));
    if let Some(drawn) = &screen.plot {
        plot::draw(canvas, notes::below(above, 2), drawn, screen.spot(), model.session.braille);
    }
    draw_list(canvas, model, list, sheet, curve);
}

fn draw_list(canvas: &mut Canvas<'_>, model: &Model, area: Area, sheet: &Sheet, curve: &Curve) {
    let focused = model.focus == Pane::Results;
    let x = curve.view.x(curve.key.percentile);
    let head = format!("  {:POINT$}{:>12} {:>18}", "point", "tok/s/GPU", format!("{}, {}", short(x), x.unit()));
    canvas.line(area, 0, &head, Role::Dim);
    let body = notes::below(area, 1);
    let scroll = model.results.scroll;
    let shown = &model.results.shown;
    if shown.is_empty() {
        canvas.line(body, 0, " No point matches the filter.", Role::Dim);
        if focused {
            canvas.focus(body, 0, 0);
        }
    }
    for (at, place) in shown.iter().enumerate().skip(scroll.top).take(usize::from(body.rows)) {
        let here = at == scroll.cursor;
        let row = Row::new().on(marks::ground(here, focused)).text(Role::Accent, marks::cursor(here));
        canvas.row(body, at - scroll.top, &point_row(sheet, curve, *place, row, area.cols));
        if here && focused {
            canvas.focus(body, 0, at - scroll.top);
        }
    }
}

fn point_row<'t>(sheet: &'t Sheet, curve: &Curve, at: usize, row: Row<'t>, cols: u16) -> Row<'t> {
    let name = |place: usize| sheet.rows.get(place).map(|row| row.render_point()).unwrap_or_default();
    let Some(point) = curve.points.get(at) else {
        let Some(invalid) = curve.invalid.get(at - curve.points.len()) else { return row };
        let why = invalid.render();
        return row
            .text(Role::Warn, "!")
            .gap(1)
            .column(Role::Text, name(invalid.row), POINT)
            .text(Role::Warn, format!(" {why}"));
    };
    let (mark, role) = if point.frontier { ("●", Role::Text) } else { ("·", Role::Dim) };
    let x = curve.view.x(curve.key.percentile);
    let row = row
        .text(role, mark)
        .gap(1)
        .column(role, name(point.row), POINT)
        .number(role, Figure::Total.render(point.y), 12)
        .number(role, x.render(point.x), 19);
    let row = if point.repeats.is_some() { row.text(Role::Warn, "  measured again") } else { row };
    let Some(set) = &sheet.against else {
        return row.text(Role::Dim, if point.frontier { "  on the frontier" } else { "" });
    };
    match set.comparison.standing(point.row) {
        Standing::OnlyOurs => row.text(Role::Dim, "  not in the reference"),
        Standing::Ambiguous => row.text(Role::Dim, "  several points fit each other"),
        Standing::Otherwise => row,
        Standing::Paired(pair) => {
            let shown = [(Figure::Total, "tok/s/GPU"), (x, short(x))];
            let wanted = shown.iter().take(if cols >= ROOMY { 2 } else { 1 });
            wanted.fold(row.gap(2), |row, (figure, word)| match pair.differences.iter().find(|one| one.figure == *figure) {
                Some(one) => {
                    let role = match one.change {
                        Change::Better => Role::Good,
                        Change::Worse => Role::Bad,
                        Change::Same => Role::Dim,
                    };
                    let sign = match one.change {
                        Change::Better => "↑",
                        Change::Worse => "↓",
                        Change::Same => "=",
                    };
                    row.text(role, format!("{sign} {} ", one.render())).text(Role::Dim, format!("{word}  "))
                }
                None => row,
            })
        }
    }
}

/// What stands over a column.
fn short(figure: Figure) -> &'static str {
    match figure {
        Figure::Request(measure, _) => measure.word(),
        _ => "tok/s/GPU",
    }
}
