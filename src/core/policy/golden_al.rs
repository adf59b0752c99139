//! Rule `golden_al`: agentic speculative configs that come or change pin the committed acceptance length, and no others do.
//! Must not know: how a launch is read, which knobs engines have.

use super::launches::arms::{Arm, Known};
use super::launches::golden::{self, Curve, Workload};
use super::launches::launched::{self, Judged};
use super::launches::told::{self, Told};
use super::launches::{LaunchRules, Ruling};
use super::read::{is_absent, unavailable};
use super::{Confidence, Context, Finding, Status};
use crate::core::facts::FolderKind;
use crate::core::golden::GoldenFile;
use crate::core::launch::LaunchPolicy;
use crate::core::plan::{self, Read};
use crate::core::pull::FolderFile;
use std::collections::BTreeSet;

const KEY: &str = "golden_al";

pub(super) fn needs(context: &Context<'_>, reads: &mut Vec<Read>) {
    told::needs(context, reads);
    let Some(rules) = &context.policy.launch_rules else { return };
    let launched = &context.conclusions.launched;
    let drafting: Vec<&Arm> = launched.launches().filter(|(arm, judged)| pins(arm, judged)).map(|(arm, _)| arm).collect();
    if drafting.is_empty() {
        return;
    }
    let paths = plan::candidates(context.facts, &rules.golden.folders);
    reads.push(Read::Folder { of: FolderKind::Curves, paths, commit: None });
    for arm in drafting {
        for file in files(context, arm) {
            let read = Read::Blob(file.blob.clone());
            if !reads.contains(&read) {
                reads.push(read);
            }
        }
    }
}

pub(super) fn check(context: &Context<'_>) -> Finding {
    let (Ok(()), Some(launch), Some(rules)) = (told::basis(context), &context.policy.launch, &context.policy.launch_rules)
    else {
        return unavailable(KEY, told::basis(context).err().unwrap_or_default());
    };
    let launched = &context.conclusions.launched;
    let mut told = Told::default();
    let asked = |arm: &&Arm| arm.stated || arm.changed;
    // Where real acceptance is measured anyway, a recipe that lies elsewhere is none of this rule's.
    let open = |arm: &&Arm| arm.agentic || matches!(arm.known, Known::Unread(_));
    launched.arms.iter().filter(asked).filter(open).for_each(|arm| told.gap(arm));
    for (arm, judged) in launched.launches().filter(|(arm, _)| asked(arm)) {
        match of_launch(context, launch, rules, arm, judged) {
            Ok(ruling) => told.ruling(arm, ruling),
            Err(why) => told.unread(why),
        }
    }
    told.finding(context, KEY, "No agentic config that decodes speculatively is added or changed.")
}

/// Whether a launch has to pin a length.
fn pins(arm: &Arm, judged: &Judged) -> bool {
    arm.agentic && judged.speculative && (arm.stated || arm.changed)
}

fn of_launch(
    context: &Context<'_>,
    launch: &LaunchPolicy,
    rules: &LaunchRules,
    arm: &Arm,
    judged: &Judged,
) -> Result<Ruling, String> {
    let params = &rules.golden;
    let injected = !arm.path.ends_with(".sh") && params.injected_in.iter().any(|era| era == context.era);
    let judge = |curve: Option<Curve<'_>>| {
        let workload = Workload { agentic: arm.agentic, stated: arm.stated, injected, settings: &arm.settings, curve };
        golden::judge(&judged.launch, launch, params, &workload)
    };
    if !pins(arm, judged) {
        let ruling = judge(None);
        let details = context.excuses().unwrap_or_default().to_ascii_lowercase();
        let spoken = params.knobs.iter().any(|knob| details.contains(&knob.name.to_ascii_lowercase()));
        return Ok(match ruling.status {
            Status::Fail if spoken => Ruling {
                status: Status::NeedsYou,
                reason: format!(
                    "{} The details speak of it: whether that is a sanctioned exception is yours to judge.",
                    ruling.reason
                ),
                ..ruling
            },
            _ => ruling,
        });
    }
    let curves = curves(context, arm)?;
    let hints = hints(judged, arm, launch, params);
    let best = choose(&curves, arm, &hints, params);
    // A file holds one model, or several that share a prefix: then each is a curve of its own.
    let each: Vec<(bool, Ruling)> = curves
        .iter()
        .flat_map(|file| {
            let best = best.contains(&file.file.as_str());
            file.models.keys().map(move |model| (best, *file, model))
        })
        .map(|(best, file, model)| {
            let name = format!("{} ({model}, {})", file.file, params.mode);
            let at = |drafts: u32| {
                let found = file.lookup(&params.mode, drafts);
                found.iter().find(|found| found.model == model).map(|found| found.golden.length)
            };
            (best, judge(Some(Curve { name: &name, at: &at })))
        })
        .collect();
    let passing = each.iter().filter(|(_, ruling)| matches!(ruling.status, Status::Pass | Status::Warn));
    let likely: Vec<&Ruling> = each.iter().filter(|(best, _)| *best).map(|(_, ruling)| ruling).collect();
    let agree = likely.iter().all(|ruling| ruling.status == likely[0].status);
    match (likely.first(), passing.clone().next()) {
        (None, _) => Ok(judge(None)),
        (Some(first), None) if agree => Ok((*first).clone()),
        (Some(first), Some(_)) if agree && first.status != Status::Fail => Ok((*first).clone()),
        (Some(first), passing) => {
            let other = passing.map_or(*first, |(_, ruling)| ruling);
            let names: Vec<&str> = curves.iter().map(|file| file.file.as_str()).collect();
            let reason = format!("{} Which curve counts ({}) is yours to tell.", other.reason, names.join(", "));
            Ok(Ruling { status: Status::NeedsYou, confidence: Confidence::Suspect, reason, lines: other.lines.clone() })
        }
    }
}

/// The curves that may count for an arm; none where none is committed.
fn curves<'a>(context: &Context<'a>, arm: &Arm) -> Result<Vec<&'a GoldenFile>, String> {
    if is_absent(context.facts.folders.get(&FolderKind::Curves)) {
        return Ok(Vec::new());
    }
    if launched::curves(context.facts).is_none() {
        return Err("The golden curves are not read yet.".to_owned());
    }
    let mut out = Vec::new();
    for file in files(context, arm) {
        match context.conclusions.launched.curve(&file.blob) {
            Some(Ok(curve)) => out.push(curve),
            Some(Err(problem)) => return Err(format!("{} cannot be read: {}", file.name, problem.message)),
            None => return Err(format!("{} is not read yet.", file.name)),
        }
    }
    Ok(out)
}

/// Files of the curves whose name begins with the model's prefix.
fn files<'a>(context: &Context<'a>, arm: &Arm) -> Vec<&'a FolderFile> {
    let Some(folder) = launched::curves(context.facts) else { return Vec::new() };
    let all = &folder.value.files.items;
    let of = |prefix: &str| -> Vec<&'a FolderFile> {
        all.iter().filter(|file| crate::core::golden::is_of(&file.name, prefix)).collect()
    };
    if let Some(prefix) = &arm.prefix {
        return of(prefix);
    }
    // No config names it: its path may.
    let words = arm.path.split(['/', '_']).map(|word| word.replace('-', ""));
    words.map(|word| of(&word)).find(|found| !found.is_empty()).unwrap_or_default()
}

/// Words that a launch and its config have for how tokens are drafted, and for the model.
fn hints(judged: &Judged, arm: &Arm, launch: &LaunchPolicy, params: &golden::Params) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    let mut add = |text: &str| {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        out.extend(words.map(str::to_ascii_lowercase));
    };
    arm.model.iter().for_each(|model| add(model));
    for flag in judged.launch.servers.iter().flat_map(|server| &server.flags) {
        let drafts = launch.speculative.iter().any(|name| flag.name.starts_with(name.as_str()));
        if drafts || flag.name.starts_with("speculative") || flag.name == "method" {
            flag.value.texts().iter().for_each(|text| add(text));
        }
    }
    for (method, names) in &params.called {
        if names.iter().any(|name| out.contains(name)) {
            out.insert(method.clone());
        }
    }
    out
}

/// The curves that the words speak for: of the method, and then whose name is told by them most closely.
fn choose<'a>(curves: &[&'a GoldenFile], arm: &Arm, hints: &BTreeSet<String>, params: &golden::Params) -> Vec<&'a str> {
    let prefix = arm.prefix.as_deref().unwrap_or_default();
    let words = |file: &GoldenFile| -> Vec<String> {
        let stem = file.file.rsplit_once('.').map_or(file.file.as_str(), |(stem, _)| stem).to_ascii_lowercase();
        let rest = stem.strip_prefix(&prefix.to_ascii_lowercase()).unwrap_or(&stem).to_owned();
        rest.split(['_', '-']).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let said: Vec<&String> = params.methods.iter().filter(|method| hints.contains(*method)).collect();
    let of_method: Vec<&GoldenFile> =
        curves.iter().filter(|file| said.is_empty() || words(file).iter().any(|word| said.contains(&word))).copied().collect();
    let of_method = if of_method.is_empty() { curves.to_vec() } else { of_method };
    let told = |file: &&GoldenFile| words(file).iter().filter(|word| hints.contains(*word)).count();
    let whole: Vec<&GoldenFile> = of_method.iter().filter(|file| told(file) == words(file).len()).copied().collect();
    let most = whole.iter().map(&told).max();
    match most {
        Some(most) => whole.iter().filter(|file| told(file) == most).map(|file| file.file.as_str()).collect(),
        None => of_method.iter().map(|file| file.file.as_str()).collect(),
    }
}
