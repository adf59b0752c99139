//! Rule `patches`: what changes the engine inside the pinned image is covered by a waiver that the details link.
//! Must not know: how a patch is told, where waivers lie.

use super::launches::launched::{self, Patched};
use super::launches::patches::{Approval, Found, approval};
use super::launches::texts::{self, Text};
use super::launches::{LaunchRules, told};
use super::read::{is_absent, unavailable};
use super::{Confidence, Context, Finding, Status};
use crate::core::facts::FolderKind;
use crate::core::plan::{self, Read};
use crate::core::pull::{ChangedFile, FolderFile};
use crate::core::remote::Remote;
use std::collections::BTreeSet;

const KEY: &str = "patches";
const PR: &str = "{pr}";

/// Files of one pull request that are looked through.
const MOST_READ: usize = 200;
const MOST_NOTES: usize = 8;

pub(super) fn needs(context: &Context<'_>, reads: &mut Vec<Read>) {
    let Some(rules) = &context.policy.launch_rules else { return };
    let launched = &context.conclusions.launched;
    let unread = launched.suspects.iter().take(MOST_READ).filter(|suspect| suspect.patched == Err(None));
    let mut wanted: Vec<Read> = unread.filter_map(|suspect| texts::read(context.facts, &suspect.path)).collect();
    let (added, before) = found(context);
    if !added.is_empty()
        && let Some(waiver) = waiver(context, rules)
        && matches!(Text::of(context.facts, &waiver.path, Some(waiver)), Text::Unread(None))
    {
        wanted.extend(texts::read(context.facts, &waiver.path));
    }
    if before.iter().any(|found| found.exact) && others(context, rules).next().is_some() {
        let folders: Vec<String> =
            rules.patches.waivers.iter().filter_map(|path| Some(path.rsplit_once('/')?.0.to_owned())).collect();
        let paths = plan::candidates(context.facts, &folders);
        wanted.push(Read::Folder { of: FolderKind::Waivers, paths, commit: None });
        wanted.extend(committed(context, rules).into_iter().map(|file| Read::Blob(file.blob.clone())));
    }
    reads.extend(wanted.iter().filter(|read| !reads.contains(read)).cloned().collect::<Vec<_>>());
}

pub(super) fn check(context: &Context<'_>) -> Finding {
    if let Err(why) = told::basis(context) {
        return unavailable(KEY, why);
    }
    let (Some(launch), Some(rules)) = (&context.policy.launch, &context.policy.launch_rules) else {
        return unavailable(KEY, "The policy does not say what a patch is.");
    };
    let launched = &context.conclusions.launched;
    let files = context.facts.files.value().map(|files| files.items.as_slice()).unwrap_or_default();
    let touches = |file: &&ChangedFile| {
        let path = file.path.as_str();
        launch.paths.is_active(path) || context.policy.configs.is_config(path) || launched::is_suspect(file, launch, rules)
    };
    let touched = files.iter().filter(touches).count();
    if touched == 0 {
        let reason = "No benchmark script, image or config is touched.";
        return Finding::new(KEY, "", Status::NotApplicable, reason).in_brief("nothing touched");
    }
    let (added, before) = found(context);
    let mut notes: Vec<String> = added.iter().skip(1).map(|found| render(found)).collect();
    let evidence = |all: &[&Found]| {
        let lines = all.iter().take(MOST_NOTES).map(|found| (found.path.clone(), found.line));
        lines.filter_map(|(path, line)| texts::evidence(context.facts, &path, Some(line))).collect::<Vec<_>>()
    };
    let finding = |status, confidence, reason: String| Finding { confidence, ..Finding::new(KEY, "", status, reason) };
    let gaps = gaps(context);
    if let Some(first) = added.iter().find(|found| found.exact).or(added.first()) {
        let says = render(first);
        notes.retain(|note| *note != says);
        notes.truncate(MOST_NOTES);
        notes.extend(gaps);
        let confidence = if first.exact { Confidence::Exact } else { Confidence::Suspect };
        let (status, why) = covered(context, rules, first.exact);
        let verb = if first.exact { "" } else { "This may patch the engine: " };
        let brief = first.path.rsplit('/').next().map(|name| format!("{name}:{}", first.line)).unwrap_or_default();
        let confidence = if status == Status::Pass { Confidence::Derived } else { confidence };
        return finding(status, confidence, format!("{verb}{says} {why}")).in_brief(brief).note(notes).with(evidence(&added));
    }
    if let Some(first) = gaps.first().cloned() {
        return unavailable(KEY, first).note(gaps.into_iter().skip(1).take(MOST_NOTES));
    }
    let partly: Vec<&String> =
        launched.suspects.iter().filter_map(|s| s.patched.as_ref().ok()).flat_map(|p| &p.added.unread).collect();
    if let Some(path) = partly.first() {
        let reason = format!("Not all of {path} could be followed: look whether it changes the engine.");
        return finding(Status::NeedsYou, Confidence::Suspect, reason).in_brief("not all followed");
    }
    let old: Vec<&Found> = before.iter().filter(|found| found.exact).copied().collect();
    let count = launched.suspects.len();
    let reason = match count {
        0 => "No script or recipe is added or changed, so the image runs as it did.".to_owned(),
        1 => "Nothing in the changed file changes the engine inside the image.".to_owned(),
        _ => format!("Nothing in {count} changed files changes the engine inside the image."),
    };
    let Some(first) = old.first() else {
        return finding(Status::Pass, Confidence::Derived, reason).in_brief("no patch");
    };
    let notes: Vec<String> = old.iter().take(MOST_NOTES).map(|found| render(found)).collect();
    let (status, why) = covered_before(context, rules);
    let reason = format!("{reason} But there was before: {} {why}", render(first));
    finding(status, Confidence::Suspect, reason).in_brief("patched before").note(notes.into_iter().skip(1)).with(evidence(&old))
}

/// `path:7: sed edits …`
fn render(found: &Found) -> String {
    format!("{}:{}: {}.", found.path, found.line, crate::core::text::gate::line(&found.what))
}

/// What the pull request brings, and what was there before.
fn found<'a>(context: &Context<'a>) -> (Vec<&'a Found>, Vec<&'a Found>) {
    let all = context.conclusions.launched.suspects.iter().filter_map(|suspect| suspect.patched.as_ref().ok());
    let all: Vec<&Patched> = all.map(std::convert::AsRef::as_ref).collect();
    let added = all.iter().flat_map(|patched| &patched.added.found).collect();
    (added, all.iter().flat_map(|patched| &patched.before.found).collect())
}

fn gaps(context: &Context<'_>) -> Vec<String> {
    let suspects = context.conclusions.launched.suspects.iter();
    let gap = suspects.enumerate().filter_map(|(at, suspect)| {
        let path = &suspect.path;
        Some(match suspect.patched.as_ref().err()? {
            Some(why) => format!("{path} cannot be read: {}.", why.trim_end_matches('.')),
            None if at >= MOST_READ => format!("{path} was not read: no more than {MOST_READ} files are looked through."),
            None => format!("{path} is not read yet."),
        })
    });
    gap.collect()
}

/// The waiver that this pull request files for itself.
fn waiver<'a>(context: &Context<'a>, rules: &LaunchRules) -> Option<&'a ChangedFile> {
    let number = context.facts.number.to_string();
    let files = context.facts.files.value().map(|files| files.items.as_slice()).unwrap_or_default();
    let paths: Vec<String> = rules.patches.waivers.iter().map(|path| path.replace(PR, &number)).collect();
    files.iter().find(|file| file.status != "removed" && paths.contains(&file.path))
}

/// Whether the waiver of this pull request covers what it brings.
fn covered(context: &Context<'_>, rules: &LaunchRules, exact: bool) -> (Status, String) {
    let number = context.facts.number.0;
    let worst = if exact { Status::Fail } else { Status::NeedsYou };
    let Some(file) = waiver(context, rules) else {
        let path = rules.patches.waivers.last().map(|path| path.replace(PR, &number.to_string())).unwrap_or_default();
        return (worst, format!("No waiver ({path}) is added here."));
    };
    let text = Text::of(context.facts, &file.path, Some(file));
    let Some(text) = text.text() else { return (Status::Unavailable, format!("Its waiver {} is not read yet.", file.path)) };
    let said = approval(&text, &rules.patches);
    if said == Approval::NotApproved {
        return (worst, format!("Its waiver {} says that it is not approved.", file.path));
    }
    match context.details() {
        None => (Status::Unavailable, "There is no sign-off text yet that could link its waiver.".to_owned()),
        Some(details) if !linked(details, rules).contains(&number) => {
            (worst, format!("Its waiver {} is not linked from the details.", file.path))
        }
        Some(_) if said == Approval::Approved => (
            Status::Pass,
            format!("Its waiver {} says that it is approved; whether it covers just this is yours to read.", file.path),
        ),
        Some(_) => (
            Status::NeedsYou,
            format!(
                "Its waiver {} is linked and says nothing of an approval: whether it covers this is yours to read.",
                file.path
            ),
        ),
    }
}

/// Pull requests whose waivers the details link.
fn linked(details: &str, rules: &LaunchRules) -> BTreeSet<u64> {
    let mut out = BTreeSet::new();
    for (before, after) in rules.patches.waivers.iter().filter_map(|path| path.split_once(PR)) {
        for (at, _) in details.match_indices(before) {
            let rest = &details[at + before.len()..];
            let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            if rest[digits..].starts_with(after) {
                out.extend(rest[..digits].parse::<u64>().ok());
            }
        }
    }
    out
}

/// Linked waivers of other pull requests.
fn others(context: &Context<'_>, rules: &LaunchRules) -> impl Iterator<Item = u64> {
    let own = context.facts.number.0;
    let all = context.details().map(|details| linked(details, rules)).unwrap_or_default();
    all.into_iter().filter(move |number| *number != own)
}

/// Those of them that stand on the default branch.
fn committed<'a>(context: &Context<'a>, rules: &LaunchRules) -> Vec<&'a FolderFile> {
    let Some(folder) = context.facts.folders.get(&FolderKind::Waivers).and_then(Remote::settled) else { return Vec::new() };
    let names: Vec<String> = others(context, rules)
        .flat_map(|number| rules.patches.waivers.iter().map(move |path| (number, path)))
        .filter_map(|(number, path)| Some(path.rsplit('/').next()?.replace(PR, &number.to_string())))
        .collect();
    folder.value.files.items.iter().filter(|file| names.contains(&file.name)).collect()
}

/// Whether what was there before has a waiver on the default branch, linked from the details.
fn covered_before(context: &Context<'_>, rules: &LaunchRules) -> (Status, String) {
    let unlinked = "No waiver of the pull request that brought it is linked from the details: look for it.";
    if others(context, rules).next().is_none() || is_absent(context.facts.folders.get(&FolderKind::Waivers)) {
        return (Status::NeedsYou, unlinked.to_owned());
    }
    if context.facts.folders.get(&FolderKind::Waivers).and_then(Remote::settled).is_none() {
        return (Status::Unavailable, "The waivers of the default branch are not read yet.".to_owned());
    }
    let Some(file) = committed(context, rules).into_iter().next() else {
        return (Status::NeedsYou, "The waiver that the details link does not stand on the default branch.".to_owned());
    };
    match context.facts.blobs.get(&file.blob).and_then(Remote::settled).map(|got| approval(&got.value, &rules.patches)) {
        None => (Status::Unavailable, format!("The waiver {} is not read yet.", file.name)),
        Some(Approval::NotApproved) => (Status::NeedsYou, format!("Its waiver {} says that it is not approved.", file.name)),
        Some(_) => (Status::Pass, format!("The waiver {} is linked and stands on the default branch.", file.name)),
    }
}
