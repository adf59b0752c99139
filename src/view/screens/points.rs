//! What the pull request adds, changes and removes among the measured points, what covers each, and the point under the
//! cursor in full.
//! Must not know: how coverage is found.

use crate::app::Model;
use crate::app::geometry::{Area, detail_areas};
use crate::app::model::Pane;
use crate::app::screens::points::{Fate, PointLine};
use crate::core::claimed::Statement;
use crate::core::claims::Weight;
use crate::core::points::launches::{Against, Reading};
use crate::core::points::{ArmReview, Cell, Hole, PointReview};
use crate::core::results::{Measure, Power, ResultRow, Statistic};
use crate::view::marks;
use crate::view::notes::{self, Note};
use crate::view::paint::{Canvas, Row};
use crate::view::theme::Role;

/// From here on there is room for both numbers of a result.
const ROOMY: u16 = 84;
/// Columns of parallelism, method and concurrency.
const POINT: usize = 24;

pub fn draw(canvas: &mut Canvas<'_>, model: &Model, area: Area) {
    let focused = model.focus == Pane::Points;
    let (list, detail) = detail_areas(area);
    let mut said: Vec<Note> = notes::of_runs(&model.facts, model.now).into_iter().collect();
    said.extend(notes::of_list("files", &model.facts.files, model.now));
    let Some(points) = &model.points.points else {
        notes::draw_title(canvas, area, focused, "Points", "", &[]);
        notes::draw_empty(canvas, area, &said, "Nothing is known of the measured points yet.");
        return;
    };
    notes::draw_title(canvas, area, focused, "Points", &counts(model), &said);
    let role = if points.complete { Role::Text } else { Role::Warn };
    canvas.row(list, 1, &Row::new().gap(1).text(role, points.summary()));
    let body = notes::below(list, 2);
    if model.points.lines.is_empty() {
        let none = match model.points.sieve.is_open() {
            true => "No point of a config comes, changes or goes.",
            false => "No point matches the filter.",
        };
        canvas.row(body, 0, &Row::new().gap(1).text(Role::Dim, none));
        if focused {
            canvas.focus(body, 0, 0);
        }
        return;
    }
    let scroll = model.points.scroll;
    for (at, line) in model.points.lines.iter().enumerate().skip(scroll.top).take(usize::from(body.rows)) {
        let here = at == scroll.cursor;
        let head = Row::new().on(marks::ground(here, focused)).text(Role::Accent, marks::cursor(here));
        canvas.row(body, at - scroll.top, &row(model, line, head, body.cols));
        if here && focused {
            canvas.focus(body, 0, at - scroll.top);
        }
    }
    draw_point(canvas, model, detail);
}

/// `3 added · 0 changed · 1 removed`.
fn counts(model: &Model) -> String {
    let Some(points) = &model.points.points else { return String::new() };
    let parts = [(points.added.len(), "added"), (points.changed.len(), "changed"), (points.removed.len(), "removed")];
    let (kept, all) = model.points.kept();
    let parts = parts.map(|(count, word)| format!("{count} {word}")).join(" · ");
    match model.points.sieve.render(kept, all) {
        Some(filter) => format!("{parts} · {filter}"),
        None => parts,
    }
}

fn row<'t>(model: &'t Model, line: &'t PointLine, head: Row<'t>, cols: u16) -> Row<'t> {
    match line {
        PointLine::Group { config, scenario } => {
            head.text(Role::Title, config.as_str()).gap(2).text(Role::Dim, scenario.as_str())
        }
        PointLine::Launches => head.text(Role::Title, "Scripts and recipes"),
        PointLine::Launch(at) => match model.points.points.as_ref().and_then(|points| points.launches.rows.get(*at)) {
            Some(arm) => launch_row(arm, head, cols),
            None => head,
        },
        PointLine::Remark(text) => head.gap(1).text(Role::Dim, format!("· {text}")),
        PointLine::Point(fate, _) => match model.points.point(line) {
            Some(point) => point_row(*fate, point, head, cols),
            None => head,
        },
    }
}

fn launch_row<'t>(arm: &'t ArmReview, head: Row<'t>, cols: u16) -> Row<'t> {
    let changes = arm.against.changes().len();
    let (mark, role) = match (&arm.reading, &arm.against) {
        (Reading::Unread(_), _) | (Reading::Read, Against::Unread(_)) => ("◔", Role::Running),
        (Reading::Absent(_), _) => ("!", Role::Warn),
        (Reading::External(_), _) => ("–", Role::Dim),
        (Reading::Removed(_), _) => ("−", Role::Bad),
        (Reading::Read, Against::New) => ("+", Role::Good),
        (Reading::Read, Against::Compared(_)) if changes > 0 => ("~", Role::Warn),
        (Reading::Read, _) => ("=", Role::Dim),
    };
    let path = (usize::from(cols) / 2).min(60);
    head.gap(1).text(role, mark).gap(1).path(Role::Text, arm.render(), path).gap(1).text(Role::Dim, arm.summary())
}

fn point_row<'t>(fate: Fate, point: &'t PointReview, head: Row<'t>, cols: u16) -> Row<'t> {
    let (mark, role) = self::fate(fate);
    let row = head.gap(1).text(role, mark).gap(1).column(Role::Text, place(point), POINT).gap(1);
    if fate == Fate::Removed {
        return row.text(Role::Dim, "no longer measured");
    }
    let (mark, role) = cell(&point.job, |job| (job.outcome.mark().to_string(), marks::outcome(&job.outcome)));
    let row = row.text(Role::Dim, "job ").text(role, mark).gap(1);
    let (number, role) = cell(&point.result, |result| (throughput(result), Role::Text));
    let row = row.number(role, number, 9).text(Role::Dim, " tok/s/GPU").gap(1);
    let row = match cols >= ROOMY {
        true => {
            let user =
                point.result.found.as_ref().and_then(interactivity).map_or("·".to_owned(), |value| format!("{value:.2}"));
            row.number(Role::Text, user, 7).text(Role::Dim, " tok/s/user").gap(1)
        }
        false => row,
    };
    let (score, role) = cell(&point.eval, |eval| match &eval.scores {
        Some(scores) => (scores.render(), Role::Good),
        None => (eval.job.outcome.mark().to_string(), Role::Running),
    });
    let row = row.text(Role::Dim, "eval ").text(role, score);
    let why: Vec<String> = [changes(point), point.hole().filter(|hole| !hole.is_expected()).map(|hole| hole.word().to_owned())]
        .into_iter()
        .flatten()
        .collect();
    if let Some((role, told)) = claimed(point).filter(|_| cols >= ROOMY && why.is_empty()) {
        return row.tail(role, format!(" {told} "));
    }
    let role = if point.hole().is_some_and(|hole| !hole.is_expected()) { Role::Warn } else { Role::Dim };
    row.tail(role, format!(" {} ", why.join(": ")))
}

/// How the claims about a point weigh: the worst of them, and how many there are.
fn claimed(point: &PointReview) -> Option<(Role, String)> {
    let count = |is: fn(&Weight) -> bool| point.claims.iter().filter(|claim| is(&claim.weight)).count();
    let wrong = count(Weight::is_wrong);
    let confirmed = count(|weight| matches!(weight, Weight::Confirmed { .. }));
    match (wrong, confirmed, point.claims.len()) {
        (.., 0) => None,
        (0, 0, _) => Some((Role::Dim, "claims not checkable".to_owned())),
        (0, 1, 1) => Some((Role::Good, "claim confirmed".to_owned())),
        (0, confirmed, all) => Some((Role::Good, format!("{confirmed} of {all} claims confirmed"))),
        (wrong, _, all) => Some((Role::Bad, format!("{wrong} of {all} claims wrong"))),
    }
}

/// A claim with what it weighs.
fn claim_line(claim: &Statement) -> (Role, String) {
    let (mark, role) = match claim.weight {
        Weight::Confirmed { .. } => ("✓", Role::Good),
        Weight::Contradicted { .. } | Weight::WrongUnit { .. } => ("✗", Role::Bad),
        Weight::NotCheckable { .. } => ("–", Role::Dim),
    };
    (role, format!("{mark} \"{}\" in {}: {}, {}", claim.said, claim.place, claim.weight.word(), claim.weight.reason()))
}

/// What was found, dimmed where it does not count; a hole by its mark.
fn cell<T>(cell: &Cell<T>, found: impl Fn(&T) -> (String, Role)) -> (String, Role) {
    match (&cell.found, &cell.hole) {
        (Some(it), None) => found(it),
        (Some(it), Some(hole)) => (found(it).0, hole_role(hole)),
        (None, Some(hole)) if hole.is_expected() => ("–".to_owned(), Role::Dim),
        (None, Some(hole)) => ("○".to_owned(), hole_role(hole)),
        (None, None) => ("·".to_owned(), Role::Dim),
    }
}

fn hole_role(hole: &Hole) -> Role {
    match hole {
        hole if hole.is_expected() => Role::Dim,
        Hole::Failed { .. } | Hole::Low { .. } => Role::Bad,
        Hole::Pending { .. } | Hole::Unread(_) => Role::Running,
        _ => Role::Warn,
    }
}

fn fate(fate: Fate) -> (&'static str, Role) {
    match fate {
        Fate::Added => ("+", Role::Good),
        Fate::Changed => ("~", Role::Warn),
        Fate::Removed => ("−", Role::Bad),
    }
}

/// `TP2/EP2 mtp c16`.
fn place(point: &PointReview) -> String {
    let axes = &point.axes;
    let words = [&axes.spec, &axes.kv].into_iter().flatten().filter(|word| *word != "none");
    let all = std::iter::once(axes.render_parallel()).chain(words.cloned()).chain([axes.render_conc()]);
    all.collect::<Vec<_>>().join(" ")
}

fn changes(point: &PointReview) -> Option<String> {
    let words: Vec<&str> = point.fields.iter().map(|field| field.word()).collect();
    (!words.is_empty()).then(|| format!("changes {}", words.join(", ")))
}

fn throughput(row: &ResultRow) -> String {
    row.throughput.total.map_or_else(|| "·".to_owned(), thousands)
}

fn interactivity(row: &ResultRow) -> Option<f64> {
    row.reading(Measure::Intvty, Statistic::Median).or_else(|| row.reading(Measure::Intvty, Statistic::P90))
}

/// `7,534.5`.
fn thousands(value: f64) -> String {
    let text = format!("{value:.1}");
    match text.split_once('.').and_then(|(whole, rest)| Some((whole.parse::<u64>().ok()?, rest))) {
        Some((whole, rest)) => format!("{}.{rest}", crate::view::header::grouped(whole)),
        None => text,
    }
}

/// The point under the cursor: what it is, each cell with its reason, and what the result says.
fn draw_point(canvas: &mut Canvas<'_>, model: &Model, area: Area) {
    if let Some(arm) = model.points.launch() {
        return draw_launch(canvas, arm, area);
    }
    let Some((fate, point)) = model.points.current() else { return canvas.line(area, 0, "", Role::Dim) };
    let (mark, role) = self::fate(fate);
    canvas.line(area, 0, &format!("{mark} {} {} {}", point.config, point.render_scenario(), place(point)), role);
    let inside = Area { x: area.x + 1, y: area.y + 1, cols: area.cols.saturating_sub(2), rows: area.rows.saturating_sub(1) };
    let mut at = 0;
    let mut say = |canvas: &mut Canvas<'_>, role: Role, text: &str| at = canvas.paragraph(inside, at, role, text);
    if let Some(changes) = changes(point) {
        say(canvas, Role::Warn, &format!("It {changes}."));
    }
    if let Some(job) = &point.job.found {
        let role = marks::outcome(&job.outcome);
        let text = format!(
            "{} job {} · run {} attempt {} · {}",
            job.outcome.mark(),
            job.outcome.word(),
            job.run,
            job.attempt,
            job.commit.short()
        );
        say(canvas, role, &text);
    }
    if let Some(row) = &point.result.found {
        say(canvas, Role::Text, &measured(row));
    }
    if let Some(scores) = point.eval.found.as_ref().and_then(|eval| eval.scores.as_ref()) {
        let worst = &scores.worst;
        let error = worst.stderr.map(|error| format!(" ±{error:.4}")).unwrap_or_default();
        let n = worst.n.map(|n| format!(" n {n}")).unwrap_or_default();
        let others = if scores.count > 1 { format!(" · of {} the nearest to its bar", scores.count) } else { String::new() };
        say(canvas, Role::Text, &format!("{} {}{error}{n}{others}", worst.metric, scores.render()));
    }
    let holes = [("job", &point.job.hole), ("result", &point.result.hole), ("eval", &point.eval.hole)];
    let mut told: Vec<String> = Vec::new();
    for (what, hole) in holes {
        let Some(hole) = hole else { continue };
        let sentence = hole.sentence();
        if !told.contains(&sentence) {
            say(canvas, hole_role(hole), &format!("{what}: {sentence}"));
            told.push(sentence);
        }
    }
    for (role, text) in point.claims.iter().map(claim_line) {
        say(canvas, role, &text);
    }
    if let Some(image) = &point.image {
        say(canvas, Role::Dim, image);
    }
}

/// A script or recipe: what of it came, changed or went, what its siblings say, then every line that matters.
fn draw_launch(canvas: &mut Canvas<'_>, arm: &ArmReview, area: Area) {
    canvas.line(area, 0, &arm.render(), Role::Title);
    let inside = Area { x: area.x + 1, y: area.y + 1, cols: area.cols.saturating_sub(2), rows: area.rows.saturating_sub(1) };
    let mut at = 0;
    let mut say = |canvas: &mut Canvas<'_>, role: Role, text: &str| at = canvas.paragraph(inside, at, role, text);
    say(canvas, Role::Text, &arm.summary());
    for change in arm.against.changes() {
        say(canvas, Role::Warn, &format!("~ {}", change.render()));
    }
    for drift in arm.siblings.drifts() {
        say(canvas, Role::Warn, &format!("! {}", drift.render()));
    }
    for departure in arm.siblings.departures() {
        say(canvas, Role::Warn, &format!("! {}", departure.render()));
    }
    if !arm.configs.is_empty() {
        say(canvas, Role::Dim, &format!("run by {}", arm.configs.join(", ")));
    }
    for doubt in &arm.doubts {
        say(canvas, Role::Warn, &format!("! {doubt}"));
    }
    let lines: Vec<String> = arm
        .lines
        .iter()
        .map(|line| format!("{} {}", line.kind.render(&line.name), line.shown()).trim_end().to_owned())
        .collect();
    say(canvas, Role::Dim, &lines.join(" · "));
}

/// Every number of a result that a reviewer compares, with units. One run measured it once.
fn measured(row: &ResultRow) -> String {
    let mut parts: Vec<String> = Vec::new();
    let rates = [(row.throughput.total, "total"), (row.throughput.output, "out"), (row.throughput.input, "in")];
    let rates: Vec<String> =
        rates.into_iter().filter_map(|(value, word)| Some(format!("{} {word}", thousands(value?)))).collect();
    if !rates.is_empty() {
        parts.push(format!("{} tok/s/GPU", rates.join(", ")));
    }
    for (measure, word, unit, scale) in [
        (Measure::Intvty, "interactivity", "tok/s/user", 1.0),
        (Measure::Ttft, "TTFT", "ms", 1000.0),
        (Measure::Tpot, "TPOT", "ms", 1000.0),
        (Measure::E2el, "E2E", "s", 1.0),
    ] {
        let at = |statistic: Statistic| Some((statistic, row.reading(measure, statistic)? * scale));
        let found: Vec<String> = [Statistic::Median, Statistic::P90, Statistic::P99]
            .into_iter()
            .filter_map(at)
            .map(|(statistic, value)| format!("{} {value:.1}", statistic.word()))
            .collect();
        if !found.is_empty() {
            parts.push(format!("{word} {} {unit}", found.join(", ")));
        }
    }
    if let Power::Valid(energy) = &row.power
        && let Some(watts) = energy.average_w
    {
        parts.push(format!("{watts:.0} W/GPU"));
    }
    if !row.flaws.is_empty() {
        parts.push(format!("! {} numbers of the row are none", row.flaws.len()));
    }
    format!("{} · measured once", parts.join(" · "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_with_one_digit_behind() {
        for (value, text) in [(7534.46, "7,534.5"), (0.04, "0.0"), (13290.8, "13,290.8"), (-3.0, "-3.0")] {
            assert_eq!(thousands(value), text);
        }
        assert_eq!(thousands(f64::NAN), "NaN");
    }
}
