//! Topics on which a rule has said it already, in the rule's words.
//! Must not know: how a rule comes to what it says.

use super::{Drafting, files, listed, say_gap};
use crate::core::checklist::rendered::Rendered;
use crate::core::configs::Entry;
use crate::core::evidence::Evidence;
use crate::core::policy::launches::patches::Found;
use crate::core::policy::launches::texts;
use crate::core::policy::{Finding, Status};
use crate::core::text::counted;

/// Entries, files and finds that are told one by one.
const NAMED: usize = 6;
/// Files that were looked through and hold nothing.
const LINKED: usize = 3;

/// A finding's words, tied to its first evidence, else to what changed.
fn said(drafting: &Drafting<'_>, finding: &Finding, words: &str) -> Rendered {
    let mut out = Rendered::default();
    let fallback = files(drafting.facts());
    out.say(&drafting.prose(words), finding.evidence.first().or(fallback.as_ref()));
    out
}

/// What the rule wants and the draft cannot bring is for the reviewer.
fn left_to_you(gaps: &mut Vec<String>, label: &str, finding: &Finding) -> Option<Rendered> {
    say_gap(gaps, format!("{label}: {}", finding.reason));
    None
}

/// The images of the changed entries. One that is not upstream's is not named: naming it would be its excuse.
pub(super) fn image(drafting: &Drafting<'_>, gaps: &mut Vec<String>) -> Option<Rendered> {
    let finding = match drafting.read("images", gaps)? {
        Ok(finding) if finding.status == Status::Fail => return left_to_you(gaps, "Image", finding),
        Ok(finding) => finding,
        Err(unread) => return Some(unread),
    };
    let keys = &drafting.made_of.conclusions.keys;
    let upstream = &drafting.made_of.policy.rules.images.upstream;
    let mut phrases: Vec<(String, Vec<&Entry>)> = Vec::new();
    for entry in &keys.touched {
        let Some(image) = entry.image.as_deref() else { continue };
        let old = keys.was.iter().find(|old| old.key == entry.key).map(|old| old.image.as_deref());
        let change = match old {
            Some(Some(old)) if old == image => ", not changed".to_owned(),
            Some(Some(old)) => format!(", before {}", drafting.code(old)),
            Some(None) => ", before none".to_owned(),
            None => ", a new entry".to_owned(),
        };
        let is_of = |repository: &String| {
            image.replacen('#', "/", 1).strip_prefix(repository.as_str()).is_some_and(|rest| rest.starts_with([':', '@']))
        };
        let is_upstream = upstream.get(&entry.framework).is_some_and(|accepted| accepted.iter().any(is_of));
        let phrase = format!("{}{}{change}", drafting.code(image), if is_upstream { ", as published upstream" } else { "" });
        match phrases.iter_mut().find(|(known, _)| *known == phrase) {
            Some((_, entries)) => entries.push(entry),
            None => phrases.push((phrase, vec![entry])),
        }
    }
    let (mut out, count) = (Rendered::default(), phrases.len());
    for (phrase, entries) in phrases.iter().take(NAMED) {
        let named = match entries.as_slice() {
            [one] if keys.touched.len() > 1 => format!(" ({})", drafting.code(&one.key)),
            [_] => String::new(),
            all => format!(" ({} entries)", all.len()),
        };
        let evidence = entries.first().and_then(|entry| drafting.config(&entry.key));
        out.push(if out.is_empty() { "" } else { "; " }).say(&format!("{phrase}{named}"), evidence.as_ref());
    }
    if count > NAMED {
        out.say(&format!("; and {} more", counted(count - NAMED, "image")), files(drafting.facts()).as_ref());
    }
    out.push(if out.is_empty() { "no changed entry states one." } else { "." });
    // An entry that comes first by itself needs no other.
    let itself = |note: &&String| keys.touched.iter().any(|entry| note.starts_with(&format!("{} ", entry.key)));
    for note in finding.notes.iter().filter(|note| !itself(note)).take(NAMED) {
        out.push(" ").append(&said(drafting, finding, note));
    }
    Some(out)
}

/// What the page about models says, with its rows as links.
pub(super) fn models(drafting: &Drafting<'_>, gaps: &mut Vec<String>) -> Option<Rendered> {
    let finding = match drafting.read("deprecated", gaps)? {
        Ok(finding) => finding,
        Err(unread) => return Some(unread),
    };
    let mut out = match (finding.status, drafting.facts().day) {
        (Status::Pass, Some(day)) => {
            let until = finding.brief.strip_prefix("active ").map(|until| format!(", {until}")).unwrap_or_default();
            said(drafting, finding, &format!("what changes may be submitted on {day}{until}"))
        }
        _ => said(drafting, finding, finding.reason.trim_end_matches('.')),
    };
    let links = finding.evidence.iter().take(NAMED).filter_map(|evidence| Some((evidence, evidence.link.as_deref()?)));
    for (at, (evidence, link)) in links.enumerate() {
        out.push(if at == 0 { ": " } else { ", " }).fact(&format!("[{}]({link})", drafting.prose(&evidence.label)), evidence);
    }
    out.push(".");
    Some(out)
}

/// What was looked through for patches of the engine; what was found, with its waiver.
pub(super) fn patches(drafting: &Drafting<'_>, gaps: &mut Vec<String>) -> Option<Rendered> {
    drafting.finding("patches").filter(|finding| finding.status != Status::NotApplicable)?;
    let suspects = &drafting.made_of.conclusions.launched.suspects;
    let found: Vec<&Found> =
        suspects.iter().filter_map(|suspect| suspect.patched.as_ref().ok()).flat_map(|patched| &patched.added.found).collect();
    if found.is_empty() {
        let finding = match drafting.read("patches", gaps)? {
            Ok(finding) => finding,
            Err(unread) => return Some(unread),
        };
        let mut out = said(drafting, finding, &finding.reason);
        let names: Vec<String> = suspects.iter().take(LINKED).map(|suspect| drafting.line(&suspect.path, None)).collect();
        if !names.is_empty() {
            let more = suspects.len().saturating_sub(LINKED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            out.push(" Looked through: ")
                .say(&format!("{}{more}", names.join(", ")), files(drafting.facts()).as_ref())
                .push(".");
        }
        return Some(out);
    }
    let mut out = Rendered::default();
    for (at, one) in found.iter().take(NAMED).enumerate() {
        let doubt = if one.exact { "" } else { "perhaps " };
        let words = format!("{}: {doubt}{}", drafting.line(&one.path, Some(one.line)), drafting.prose(&one.what));
        out.push(if at == 0 { "" } else { "; " }).say(&words, texts::evidence(drafting.facts(), &one.path, None).as_ref());
    }
    if found.len() > NAMED {
        out.say(&format!("; and {} more", found.len() - NAMED), files(drafting.facts()).as_ref());
    }
    match waiver(drafting) {
        Some((path, evidence)) => out.push(". Waiver: ").say(&path, Some(&evidence)),
        None => {
            say_gap(gaps, "What is patched has no waiver in this pull request: see the rule `patches`.".to_owned());
            &mut out
        }
    }
    .push(".");
    Some(out)
}

/// The waiver that this pull request files for itself, as a link.
fn waiver(drafting: &Drafting<'_>) -> Option<(String, Evidence)> {
    let facts = drafting.facts();
    let rules = drafting.made_of.policy.launch_rules.as_ref()?;
    let number = facts.number.to_string();
    let paths: Vec<String> = rules.patches.waivers.iter().map(|path| path.replace("{pr}", &number)).collect();
    let files = &facts.files.settled()?.value.items;
    let file = files.iter().find(|file| file.status != "removed" && paths.contains(&file.path))?;
    let page = facts.page(&format!("blob/{}/{}", facts.head()?, file.path));
    Some((format!("[{}]({page})", file.path), texts::evidence(facts, &file.path, None)?))
}

/// What was looked through for overrides of the model.
pub(super) fn architecture(drafting: &Drafting<'_>, gaps: &mut Vec<String>) -> Option<Rendered> {
    let finding = match drafting.read("hacks", gaps)? {
        Ok(finding) => finding,
        Err(unread) => return Some(unread),
    };
    let launched = &drafting.made_of.conclusions.launched;
    let clean: Vec<String> = launched
        .launches()
        .filter(|(_, judged)| judged.hacks.status == Status::Pass)
        .map(|(arm, _)| drafting.line(&arm.path, None))
        .collect();
    let words = match (finding.status, clean.as_slice()) {
        (Status::Pass, [one]) => format!("{one} overrides nothing of the model's architecture."),
        (Status::Pass, [one, rest @ ..]) => {
            format!("{one} and {} more of its kind override nothing of the model's architecture.", rest.len())
        }
        _ => return Some(said(drafting, finding, &finding.reason)),
    };
    let mut out = Rendered::default();
    out.say(&words, finding.evidence.first().or(files(drafting.facts()).as_ref()));
    Some(out)
}

/// What is pinned, and against which curve. A knob is not named where it should not be: naming it would be its excuse.
pub(super) fn golden(drafting: &Drafting<'_>, gaps: &mut Vec<String>) -> Option<Rendered> {
    match drafting.read("golden_al", gaps)? {
        Ok(finding) if finding.status == Status::Fail => left_to_you(gaps, "Golden acceptance", finding),
        Ok(finding) => Some(said(drafting, finding, &finding.reason)),
        Err(unread) => Some(unread),
    }
}

/// The precision of the draft model, as far as launches tell it.
pub(super) fn draft_model(drafting: &Drafting<'_>, gaps: &mut Vec<String>) -> Option<Rendered> {
    let finding = match drafting.read("draft", gaps)? {
        Ok(finding) => finding,
        Err(unread) => return Some(unread),
    };
    let mut out = said(drafting, finding, &finding.reason);
    if finding.status == Status::Pass {
        say_gap(gaps, "The precision that the draft model ships in is not read: write it into the details.".to_owned());
        out.push(" The precision that it ships in stands in the model's own files, which were not read.");
    }
    Some(out)
}

/// What an append-only entry adds and keeps.
pub(super) fn append_only(drafting: &Drafting<'_>, gaps: &mut Vec<String>) -> Option<Rendered> {
    let finding = match drafting.read("append_only", gaps)? {
        Ok(finding) => finding,
        Err(unread) => return Some(unread),
    };
    let mut out = Rendered::default();
    let evidence = drafting.changelog().or_else(|| files(drafting.facts()));
    out.say(&drafting.prose(&finding.reason), evidence.as_ref());
    let files: Vec<String> = match finding.status {
        Status::Warn => others(drafting).into_iter().take(NAMED).collect(),
        _ => Vec::new(),
    };
    if !files.is_empty() {
        out.push(" Besides configs this changes ").say(&listed(&files), super::files(drafting.facts()).as_ref()).push(".");
    }
    Some(out)
}

/// Changed files that say nothing of what is measured.
fn others(drafting: &Drafting<'_>) -> Vec<String> {
    let configs = &drafting.made_of.policy.configs;
    let files = drafting.facts().files.value().map(|files| files.items.as_slice()).unwrap_or_default();
    files.iter().filter(|file| !configs.is_config(&file.path)).map(|file| drafting.code(&file.path)).collect()
}

/// How many points of each curve stand on its frontier.
pub(super) fn pareto(drafting: &Drafting<'_>, gaps: &mut Vec<String>) -> Option<Rendered> {
    let finding = match drafting.read("pareto", gaps)? {
        Ok(finding) => finding,
        Err(unread) => return Some(unread),
    };
    let below = drafting.made_of.policy.rules.pareto.as_ref().map(|pareto| pareto.below.as_str()).unwrap_or_default();
    if finding.status == Status::Warn && !below.is_empty() {
        say_gap(gaps, format!("Pareto: {below}"));
    }
    let reason = finding.reason.replace(below, "");
    let counted = finding.notes.iter().take(NAMED).map(|note| note.trim_end_matches('.'));
    let words = match finding.notes.len() {
        0 => reason.trim().to_owned(),
        count if count > NAMED => format!("{}; and {} more curves.", counted.collect::<Vec<_>>().join("; "), count - NAMED),
        _ => format!("{}.", counted.collect::<Vec<_>>().join("; ")),
    };
    let mut out = Rendered::default();
    out.say(&drafting.prose(&words), finding.evidence.last().or(files(drafting.facts()).as_ref()));
    Some(out)
}
