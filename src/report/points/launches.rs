//! Scripts and recipes of points: members of the document, and a short block for each.
//! Must not know: how they are read or compared.

use crate::core::launch::{Value, When};
use crate::core::points::launches::{Against, ArmReview, Beside, Change, Handed, Kind, Launches, Line};
use crate::core::policy::launches::siblings::{Drift, Level};
use crate::core::policy::launches::values::Departure;
use crate::core::text::gate;
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct Row<'a> {
    configs: &'a [String],
    path: &'a str,
    variant: Option<&'a str>,
    /// `read`, `external`, `absent`, `removed`, `unread`.
    status: &'static str,
    why: Option<&'a str>,
    programs: Vec<Setting<'a>>,
    flags: Vec<Setting<'a>>,
    variables: Vec<Setting<'a>>,
    client_flags: Vec<Setting<'a>>,
    client_variables: Vec<Setting<'a>>,
    /// What the configs hand to its launcher.
    settings: Vec<Given<'a>>,
    /// Against the merge base: `same`, `compared`, `new`, `unread`. Only after the first two is an empty `changed` a fact.
    base: &'static str,
    base_why: Option<&'a str>,
    changed: Vec<Differs<'a>>,
    /// What comparable files carry and this one does not, then what it sets otherwise than most of them.
    siblings: Vec<Apart<'a>>,
    /// `null` where nothing was compared.
    siblings_compared: Option<usize>,
    siblings_why: Option<&'a str>,
    /// What could not be followed.
    doubts: &'a [String],
}

#[derive(Serialize)]
struct Setting<'a> {
    line: usize,
    role: &'a str,
    name: &'a str,
    /// Empty of a flag alone.
    value: String,
    /// `bare`, `text`, `default` (unless the environment brings another), `one_of`, `unknown`.
    kind: &'static str,
    /// In some runs only.
    sometimes: bool,
}

#[derive(Serialize)]
struct Given<'a> {
    name: &'a str,
    value: &'a str,
    configs: &'a [String],
}

#[derive(Serialize)]
struct Differs<'a> {
    name: &'a str,
    role: &'a str,
    kind: &'static str,
    before: Option<&'a str>,
    after: Option<&'a str>,
    line: Option<usize>,
    line_before: Option<usize>,
}

#[derive(Serialize)]
struct Apart<'a> {
    /// `--flag`, under the name that is compared, or `VARIABLE`.
    name: &'a str,
    /// `warning` and `notice` of what is absent here; `value`.
    kind: &'static str,
    /// Of a value.
    role: Option<&'a str>,
    /// Values are compared where both sides set it.
    here: Option<&'a str>,
    there: Option<&'a str>,
    /// So many of so many siblings; of a value, of those that set it at all.
    count: usize,
    of: usize,
    same_model_count: usize,
    same_model_of: usize,
    examples: &'a [String],
}

pub(super) fn row(arm: &ArmReview) -> Row<'_> {
    let of = |kind: Kind| arm.of_kind(kind).map(setting).collect();
    Row {
        configs: &arm.configs,
        path: &arm.path,
        variant: arm.variant.as_deref(),
        status: arm.reading.word(),
        why: arm.reading.why(),
        programs: of(Kind::Program),
        flags: of(Kind::Flag),
        variables: of(Kind::Variable),
        client_flags: of(Kind::ClientFlag),
        client_variables: of(Kind::ClientVariable),
        settings: arm.settings.iter().map(given).collect(),
        base: arm.against.word(),
        base_why: arm.against.why(),
        changed: arm.against.changes().iter().map(differs).collect(),
        siblings: arm.siblings.drifts().iter().map(lacks).chain(arm.siblings.departures().iter().map(departs)).collect(),
        siblings_compared: if let Beside::Compared { of, .. } = &arm.siblings { Some(*of) } else { None },
        siblings_why: arm.siblings.why(),
        doubts: &arm.doubts,
    }
}

fn setting(line: &Line) -> Setting<'_> {
    Setting {
        line: line.line,
        role: &line.role,
        name: &line.name,
        value: line.value.to_string(),
        kind: match &line.value {
            Value::Bare => "bare",
            Value::Text(_) => "text",
            Value::Default(_) => "default",
            Value::OneOf(_) => "one_of",
            Value::Unknown(_) => "unknown",
        },
        sometimes: line.when == When::Sometimes,
    }
}

fn given(handed: &Handed) -> Given<'_> {
    Given { name: &handed.name, value: &handed.value, configs: &handed.configs }
}

fn differs(change: &Change) -> Differs<'_> {
    Differs {
        name: &change.name,
        role: &change.role,
        kind: change.kind.word(),
        before: change.before.as_deref(),
        after: change.after.as_deref(),
        line: change.line,
        line_before: change.line_before,
    }
}

fn lacks(drift: &Drift) -> Apart<'_> {
    Apart {
        name: &drift.name,
        kind: if drift.level == Level::Warning { "warning" } else { "notice" },
        role: None,
        here: None,
        there: None,
        count: drift.all.have,
        of: drift.all.of,
        same_model_count: drift.same_prefix.have,
        same_model_of: drift.same_prefix.of,
        examples: &drift.examples,
    }
}

fn departs(departure: &Departure) -> Apart<'_> {
    Apart {
        name: &departure.name,
        kind: "value",
        role: Some(&departure.role),
        here: Some(&departure.here),
        there: Some(&departure.there),
        count: departure.all.have,
        of: departure.all.of,
        same_model_count: departure.same_prefix.have,
        same_model_of: departure.same_prefix.of,
        examples: &departure.examples,
    }
}

/// A block per script or recipe; the JSON holds all of its lines. `said`: a doubt that stands above already.
pub(super) fn plain(launches: &Launches, said: Option<&str>) -> String {
    let mut out = String::new();
    for arm in &launches.rows {
        let by = if arm.configs.is_empty() { "run by no config at hand".to_owned() } else { arm.configs.join(", ") };
        push(&mut out, "\n", &format!("{} ({by})", arm.render()));
        let changes = arm.against.changes();
        if changes.is_empty() {
            push(&mut out, "  ", &arm.summary());
        }
        for change in changes {
            push(&mut out, "  ", &told(change, roles(arm)));
        }
        for drift in arm.siblings.drifts() {
            push(&mut out, "  ", &format!("lacks {}", drift.render()));
        }
        for departure in arm.siblings.departures() {
            push(&mut out, "  ", &format!("sets {}", departure.render()));
        }
        if let (Against::Compared(_) | Against::New, Some(why)) = (&arm.against, arm.siblings.why()) {
            push(&mut out, "  · ", why);
        }
        for doubt in &arm.doubts {
            push(&mut out, "  · ", doubt);
        }
    }
    let told = |doubt: &&str| {
        let why = launches.rows.iter().flat_map(|arm| [arm.reading.why(), arm.against.why()]);
        why.chain([said]).flatten().any(|why| why == *doubt)
    };
    if let Some(doubt) = launches.doubt.as_deref().filter(|doubt| !told(doubt)) {
        push(&mut out, "\n· ", &format!("Not every script and recipe is known: {doubt}"));
    }
    out
}

fn push(out: &mut String, before: &str, text: &str) {
    out.push_str(&format!("{before}{}\n", gate::line(text)));
}

/// Whether several servers stand in it, so that a change needs its role.
fn roles(arm: &ArmReview) -> bool {
    let client = |role: &str| arm.of_kind(Kind::ClientFlag).any(|line| line.role == role);
    arm.of_kind(Kind::Program).filter(|line| !client(&line.role)).count() > 1
}

/// `--tp 4 → 8 (decode, line 12)`.
fn told(change: &Change, roles: bool) -> String {
    let role = if roles && change.kind != Kind::Program { format!("{}, ", change.role) } else { String::new() };
    let line = match (change.line, change.line_before) {
        (Some(line), _) => format!("line {line}"),
        (None, Some(line)) => format!("line {line} of the base"),
        (None, None) => "no line".to_owned(),
    };
    let client = if matches!(change.kind, Kind::ClientFlag | Kind::ClientVariable) { "client: " } else { "" };
    format!("{client}{} ({role}{line})", change.render())
}
