//! Results as CSV by RFC 4180: one record a point, units in the names of the columns.
//! Must not know: curves beyond their frontier.

use super::{Told, point};
use crate::core::results::compare::Standing;
use crate::core::results::{Figure, Power, ResultRow, Sheet, View};
use crate::core::text::gate;
use std::collections::HashMap;

/// A record that is not among ours has no place.
type Place = Option<usize>;

pub(super) fn render(told: Told<'_>) -> String {
    let sheet = told.sheet;
    let set = sheet.against.as_ref();
    let mut figures = sheet.figures();
    if let Some(set) = set {
        let theirs = |figure: &Figure| set.rows.iter().any(|row| figure.of(row).is_some());
        figures = Figure::all().filter(|figure| figures.contains(figure) || theirs(figure)).collect();
    }
    let frontier = View::ALL.map(|view| frontier(sheet, view));
    let mut out = String::new();
    record(&mut out, head(&figures, set.is_some()));
    for (place, row) in sheet.rows.iter().enumerate() {
        record(&mut out, fields(told, Some(place), row, &figures, &frontier));
    }
    let theirs = set.into_iter().flat_map(|set| set.comparison.only_theirs.iter().filter_map(|place| set.rows.get(*place)));
    // Rows of an arm stand among ours already.
    for row in theirs.filter(|_| set.is_some_and(|set| !set.is_arm())) {
        record(&mut out, fields(told, None, row, &figures, &frontier));
    }
    out
}

fn head(figures: &[Figure], compared: bool) -> Vec<String> {
    let fixed = [
        "run",
        "side",
        "configs",
        "foreign",
        "model",
        "served_model",
        "scenario",
        "precision",
        "runner",
        "framework",
        "point",
        "parallel",
        "spec",
        "kv",
        "kv_backend",
        "concurrency",
        "image",
        "fingerprint",
        "gpus",
        "frontier_latency",
        "frontier_interactivity",
        "power",
        "flaws",
    ];
    let mut out: Vec<String> = fixed.map(str::to_owned).to_vec();
    out.extend(figures.iter().map(|figure| figure.key()));
    if compared {
        out.push("compared".to_owned());
        out.extend(
            figures.iter().flat_map(|figure| [format!("reference_{}", figure.key()), format!("{}_percent", figure.key())]),
        );
    }
    out
}

/// Of each row that has a place in the view whether it is on the frontier of one of its curves.
type Frontier = HashMap<usize, bool>;

fn frontier(sheet: &Sheet, view: View) -> Frontier {
    let mut out = Frontier::new();
    for point in sheet.of_view(view).flat_map(|curve| &curve.points) {
        *out.entry(point.row).or_default() |= point.frontier;
    }
    out
}

fn fields(told: Told<'_>, place: Place, row: &ResultRow, figures: &[Figure], frontier: &[Frontier; 2]) -> Vec<String> {
    let sheet = told.sheet;
    let axes = &row.axes;
    let home = place.and_then(|place| told.home(place));
    let optional = |text: &Option<String>| said(text.as_deref().unwrap_or_default());
    let flag = |flag: Option<bool>| flag.map(|flag| flag.to_string()).unwrap_or_default();
    let [latency, interactivity] = frontier.each_ref().map(|known| place.and_then(|place| known.get(&place).copied()));
    let power = match row.power {
        Power::NotMeasured => "not_measured",
        Power::Invalid => "invalid",
        Power::Valid(_) => "valid",
    };
    let mut out = vec![
        row.run.to_string(),
        if place.is_some() { "here" } else { "reference" }.to_owned(),
        said(&home.map(|home| home.candidates.join(" ")).unwrap_or_default()),
        flag(home.and_then(|home| home.foreign)),
        said(&axes.model),
        said(&row.model),
        said(&row.scenario.to_string()),
        said(&axes.precision),
        said(&axes.runner),
        said(&axes.framework),
        said(&point(row)),
        axes.render_parallel(),
        optional(&axes.spec),
        optional(&axes.kv),
        optional(&axes.kv_backend),
        axes.conc.values().iter().map(u32::to_string).collect::<Vec<_>>().join("x"),
        optional(&row.image),
        optional(&row.fingerprint),
        row.gpus.map(|gpus| gpus.all.to_string()).unwrap_or_default(),
        flag(latency),
        flag(interactivity),
        power.to_owned(),
        row.flaws.len().to_string(),
    ];
    out.extend(figures.iter().map(|figure| number(figure.of(row))));
    if let Some(set) = &sheet.against {
        let ours = place.map(|place| set.comparison.standing(place));
        out.push(state(ours).to_owned());
        let pair = if let Some(Standing::Paired(pair)) = ours { Some(pair) } else { None };
        for figure in figures {
            let difference = pair.and_then(|pair| pair.difference(*figure));
            out.push(number(difference.map(|difference| difference.theirs)));
            out.push(number(difference.and_then(|difference| difference.percent())));
        }
    }
    out
}

fn state(ours: Option<Standing<'_>>) -> &'static str {
    match ours {
        None => "only in the reference",
        Some(Standing::Paired(_)) => "compared",
        Some(Standing::OnlyOurs) => "only here",
        Some(Standing::Ambiguous) => "ambiguous",
        Some(Standing::Otherwise) => "",
    }
}

/// As many digits as it has.
fn number(value: Option<f64>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// What a stranger wrote: gated, and no formula for a program that opens the file.
fn said(text: &str) -> String {
    let shown = gate::line(text);
    let starts = shown.trim_start().starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠', '|', '%', '^']);
    if starts { format!("'{shown}") } else { shown.into_owned() }
}

fn record(out: &mut String, fields: Vec<String>) {
    for (at, field) in fields.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        if field.contains([',', '"', '\r', '\n']) || field.starts_with(' ') || field.ends_with(' ') {
            out.push('"');
            out.push_str(&field.replace('"', "\"\""));
            out.push('"');
        } else {
            out.push_str(field);
        }
    }
    out.push_str("\r\n");
}
