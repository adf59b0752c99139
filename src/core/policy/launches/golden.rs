//! Rule `golden`: agentic speculative configs simulate the committed acceptance length, and no others do.
//! Must not know: the curves' files, the engines' names for their knobs.

use super::{Answer, Confidence, Launch, Place, Ruling, Status, Wanted, list};
use crate::core::launch::{Command, LaunchPolicy, Setting, Value, When};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Params {
    pub knobs: Vec<Knob>,
    /// Where the draft length stands; of several the first that is there counts.
    pub drafts: Vec<DraftLength>,
    /// How far the pinned length may be from the curve: curves have two decimals.
    pub tolerance: f64,
    /// Folders of the committed curves, on the default branch.
    pub folders: Vec<String>,
    /// The thinking mode that agentic workloads are measured in.
    pub mode: String,
    /// Words of a curve's name that tell how tokens are drafted.
    pub methods: Vec<String>,
    /// What engines call them.
    #[serde(default)]
    pub called: BTreeMap<String, Vec<String>>,
    /// Eras in which the launcher of recipes puts the length in by itself.
    #[serde(default)]
    pub injected_in: Vec<String>,
}

/// A setting that pins an acceptance length.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Knob {
    /// Only of this engine; none: of any.
    #[serde(default)]
    pub engine: Option<String>,
    pub place: Place,
    pub name: String,
    pub states: States,
    /// What must stand besides.
    #[serde(default)]
    pub with: Vec<Wanted>,
}

/// What a knob's number means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum States {
    /// The acceptance length itself.
    Length,
    /// Accepted draft tokens: the length less the token that is always accepted.
    Drafts,
    /// The accepted share of the draft tokens: (length − 1) / draft length.
    Rate,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DraftLength {
    #[serde(default)]
    pub engine: Option<String>,
    pub place: Place,
    pub name: String,
    /// Added to the number: some count the token that is always accepted.
    #[serde(default)]
    pub plus: i64,
}

/// What is known of the config besides its launch.
pub struct Workload<'a> {
    pub agentic: bool,
    /// The config says that it decodes speculatively.
    pub stated: bool,
    /// The launcher puts the length in by itself.
    pub injected: bool,
    /// Settings that the config hands to its launcher: name and value.
    pub settings: &'a [(String, String)],
    pub curve: Option<Curve<'a>>,
}

/// A committed curve.
pub struct Curve<'a> {
    /// File, model and thinking mode, for the reason.
    pub name: &'a str,
    /// Acceptance length by draft length.
    pub at: &'a dyn Fn(u32) -> Option<f64>,
}

/// Judges one launch.
pub fn judge(launch: &Launch, policy: &LaunchPolicy, params: &Params, workload: &Workload<'_>) -> Ruling {
    let handed: Vec<Setting> =
        workload.settings.iter().map(|(name, value)| Setting::new(name, Value::Text(value.clone()), 0, When::Always)).collect();
    let path = &launch.path;
    if !workload.agentic {
        let found: Vec<&Setting> = launch.servers.iter().flat_map(|server| present(server, &handed, params)).collect();
        let found = if launch.servers.is_empty() { present_in(&handed, params) } else { found };
        if found.is_empty() {
            let reason = format!("{path} is not agentic, and simulates no acceptance.");
            return Ruling::new(Status::NotApplicable, Confidence::Exact, reason).unless_unread(launch);
        }
        let exact = found.iter().all(|setting| setting.when == When::Always);
        let mut names: Vec<String> = found.iter().map(|setting| setting.name.clone()).collect();
        names.dedup();
        let reason = format!("{path} simulates acceptance ({}), and is not agentic.", list(&names));
        let confidence = if exact { Confidence::Exact } else { Confidence::Suspect };
        return Ruling::new(Status::Fail, confidence, reason).at(found.iter().map(|setting| setting.line));
    }
    let drafting: Vec<&Command> = launch.servers.iter().filter(|server| policy.is_speculative(server)).collect();
    if drafting.is_empty() && !workload.stated {
        let reason = format!("{path} does not decode speculatively.");
        return Ruling::new(Status::NotApplicable, Confidence::Exact, reason).unless_unread(launch);
    }
    let servers = if drafting.is_empty() { launch.servers.iter().collect() } else { drafting };
    let rulings: Vec<Ruling> = servers.iter().map(|server| of_server(launch, server, &handed, params, workload)).collect();
    let none = || {
        let reason = format!("{path} shows no server, so whether acceptance is simulated is open.");
        Ruling::new(Status::NeedsYou, Confidence::Suspect, reason)
    };
    Ruling::worst(rulings).unwrap_or_else(none).unless_unread(launch)
}

fn settings<'a>(place: Place, server: &'a Command, handed: &'a [Setting]) -> &'a [Setting] {
    match place {
        Place::Env => &server.env,
        Place::Flag => &server.flags,
        Place::Setting => handed,
    }
}

fn find<'a>(place: Place, name: &str, server: &'a Command, handed: &'a [Setting]) -> Option<&'a Setting> {
    // The last one counts, as it does for the engine.
    settings(place, server, handed).iter().rev().find(|setting| setting.name == name)
}

/// Every knob, and every setting that only goes with one.
fn present<'a>(server: &'a Command, handed: &'a [Setting], params: &Params) -> Vec<&'a Setting> {
    let mut out = Vec::new();
    for knob in &params.knobs {
        out.extend(find(knob.place, &knob.name, server, handed).filter(|setting| setting.value.text() != Some("")));
        for with in &knob.with {
            let found = find(with.place, &with.name, server, handed);
            out.extend(found.filter(|setting| with.answer(setting) != Answer::No));
        }
    }
    out.sort_by_key(|setting| setting.line);
    out.dedup();
    out
}

fn present_in<'a>(handed: &'a [Setting], params: &Params) -> Vec<&'a Setting> {
    let knobs = params.knobs.iter().filter(|knob| knob.place == Place::Setting);
    knobs.filter_map(|knob| handed.iter().rev().find(|setting| setting.name == knob.name)).collect()
}

fn of_server(launch: &Launch, server: &Command, handed: &[Setting], params: &Params, workload: &Workload<'_>) -> Ruling {
    let of_engine = |engine: &Option<String>| engine.as_ref().is_none_or(|engine| *engine == server.program);
    let path = &launch.path;
    let place = format!("{path}:{} ({})", server.line, server.role);
    let pinned: Vec<(&Knob, &Setting)> = params
        .knobs
        .iter()
        .filter(|knob| of_engine(&knob.engine))
        .filter_map(|knob| Some((knob, find(knob.place, &knob.name, server, handed)?)))
        .filter(|(_, setting)| setting.value.text() != Some(""))
        .collect();
    let (drafts, length) = draft_length(server, handed, params);
    if pinned.is_empty() {
        if workload.injected {
            let committed = length.zip(workload.curve.as_ref()).and_then(|(length, curve)| {
                Some(format!("{} has {} at draft length {length}", curve.name, (curve.at)(length)?))
            });
            let (status, what) = match committed {
                Some(committed) => (Status::Pass, format!("and {committed}.")),
                None => (Status::NeedsYou, "but no committed curve has a value for its draft length.".to_owned()),
            };
            let reason = format!("{place}: the launcher puts the acceptance length in by itself, {what}");
            return Ruling::new(status, Confidence::Derived, reason).at([server.line]);
        }
        if let Some(more) = server.open.first() {
            let reason = format!("{place}: no acceptance length is pinned, unless `{}` holds it.", more.name);
            return Ruling::new(Status::NeedsYou, Confidence::Suspect, reason).at([server.line, more.line]);
        }
        let reason = format!("{place}: agentic and speculative, but no acceptance length is pinned: it runs real acceptance.");
        return Ruling::new(Status::Fail, Confidence::Exact, reason).at([server.line]);
    }
    let lines: Vec<usize> =
        pinned.iter().map(|(_, setting)| setting.line).chain(drafts.first().map(|(_, setting)| setting.line)).collect();
    let rulings = pinned.iter().map(|(knob, setting)| {
        let ruling = of_knob(&place, server, handed, knob, setting, length, params, workload);
        ruling.at(lines.iter().copied())
    });
    Ruling::worst(rulings.collect::<Vec<_>>()).unwrap_or_else(|| Ruling::new(Status::NeedsYou, Confidence::Suspect, place))
}

/// The settings that state a draft length, and the length.
fn draft_length<'a>(
    server: &'a Command,
    handed: &'a [Setting],
    params: &'a Params,
) -> (Vec<(&'a DraftLength, &'a Setting)>, Option<u32>) {
    let of_engine = |draft: &&DraftLength| draft.engine.as_ref().is_none_or(|engine| *engine == server.program);
    let stated = |draft: &'a DraftLength| Some((draft, find(draft.place, &draft.name, server, handed)?));
    let drafts: Vec<_> = params.drafts.iter().filter(of_engine).filter_map(stated).collect();
    let length = drafts.first().and_then(|(draft, setting)| {
        let number: i64 = setting.value.text()?.trim().parse().ok()?;
        u32::try_from(number.checked_add(draft.plus)?).ok()
    });
    (drafts, length)
}

#[allow(clippy::too_many_arguments)]
fn of_knob(
    place: &str,
    server: &Command,
    handed: &[Setting],
    knob: &Knob,
    setting: &Setting,
    length: Option<u32>,
    params: &Params,
    workload: &Workload<'_>,
) -> Ruling {
    let needs = |why: String| Ruling::new(Status::NeedsYou, Confidence::Suspect, format!("{place}: {why}"));
    let name = &setting.name;
    let mut usual = None;
    for with in &knob.with {
        let found = find(with.place, &with.name, server, handed);
        match found.map_or(Answer::No, |found| with.answer(found)) {
            Answer::Yes => {}
            Answer::No if with.required => {
                let want = with.values.join(" or ");
                let reason =
                    format!("{place}: `{name}` is set, but not `{}` to {want}: real acceptance is measured.", with.name);
                return Ruling::new(Status::Fail, Confidence::Exact, reason);
            }
            Answer::Open if with.required => return needs(format!("what `{}` is set to is open.", with.name)),
            _ => usual = usual.or(Some(with)),
        }
    }
    if setting.when == When::Sometimes {
        return needs(format!("`{name}` is set in a branch, so whether the measured run has it is open."));
    }
    let Some(length) = length else {
        return needs(format!("`{name}` is {}, but the draft length is not stated as a number.", setting.value));
    };
    let numbers: Option<Vec<f64>> = setting.value.texts().iter().map(|text| text.trim().parse().ok()).collect();
    let Some(numbers) = numbers.filter(|numbers| !numbers.is_empty() && numbers.iter().all(|number| number.is_finite())) else {
        return needs(format!("`{name}` is `{}`, which is no number that the text states.", setting.value));
    };
    let Some(curve) = &workload.curve else {
        return needs(format!("`{name}` is {}, and no curve is committed: the details must state its source.", setting.value));
    };
    let Some(want) = (curve.at)(length) else {
        let reason = format!(
            "`{name}` is {}, and {} has no value for draft length {length}: the details must state its source.",
            setting.value, curve.name
        );
        return needs(reason);
    };
    let accepted = |number: f64| match knob.states {
        States::Length => number,
        States::Drafts => number + 1.0,
        States::Rate => number.mul_add(f64::from(length), 1.0),
    };
    // Half of the last decimal, and what floating point adds.
    let near = |number: &f64| (accepted(*number) - want).abs() <= params.tolerance + 1e-9;
    let pinned = accepted(numbers[0]);
    let meaning = match knob.states {
        States::Length => format!("`{name}` pins {}", setting.value),
        States::Drafts | States::Rate => format!("`{name}` is {}, an acceptance length of {pinned:.2}", setting.value),
    };
    let against = format!("{} has {want} at draft length {length}", curve.name);
    let confidence = if matches!(setting.value, Value::Default(_)) { Confidence::Derived } else { Confidence::Exact };
    match (numbers.iter().all(near), numbers.iter().any(near), usual) {
        (true, _, None) => Ruling::new(Status::Pass, confidence, format!("{place}: {meaning}; {against}.")),
        (true, _, Some(usual)) => {
            let reason = format!("{place}: {meaning}; {against}. Usually `{}` stands besides.", usual.name);
            Ruling::new(Status::Warn, confidence, reason)
        }
        (false, true, _) => needs(format!("{meaning}, by a branch; {against}.")),
        (false, false, _) => Ruling::new(Status::Fail, confidence, format!("{place}: {meaning}, but {against}.")),
    }
}
