//! What the pull request is about: head, files, configs, points, and what it leaves alone.
//! Must not know: what was run.

use super::series::{Series, series};
use super::{Drafting, files, list_gap, listed, unread};
use crate::core::checklist::rendered::Rendered;
use crate::core::configs::Change;
use crate::core::evidence::{Evidence, Source};
use crate::core::points::PointReview;
use crate::core::pull::ChangedFile;
use crate::core::remote::Sourced;
use crate::core::text::counted;
use std::collections::BTreeMap;

/// More files than this are counted, not named: the comment is read by people.
const NAMED_FILES: usize = 12;
/// The same for config keys.
const NAMED_KEYS: usize = 20;
/// The same for groups of points of one key.
const NAMED_SERIES: usize = 8;

pub(super) fn scope(drafting: &Drafting<'_>, gaps: &mut Vec<String>) -> Rendered {
    let facts = drafting.facts();
    let mut out = Rendered::default();
    if let Some(pull) = facts.pull.known() {
        let source = Source { commit: Some(pull.value.head.clone()), ..pull.source.clone() };
        let evidence = Evidence::new("pull", "pull request", Some(pull.value.url.clone()), source);
        out.push("at head ").fact(&format!("`{}`", pull.value.head), &evidence).push(", ");
    }
    let (Some(Sourced { value: list, .. }), Some(evidence)) = (facts.files.known(), files(facts)) else {
        out.push("the changed files were not read.");
        gaps.push(unread("changed files", &facts.files));
        return out;
    };
    gaps.extend(list_gap("changed files", &facts.files));
    match list.render_gap() {
        None if list.items.is_empty() => out.fact("no file changed", &evidence),
        None => out.fact(&counted(list.items.len(), "file"), &evidence),
        Some(_) => {
            out.fact(&format!("at least {} (the list was not read whole)", counted(list.items.len(), "file")), &evidence)
        }
    };
    if !list.items.is_empty() {
        out.push(" changed: ").append(&named(drafting, &list.items, &evidence));
    }
    out.push(". ").append(&config_keys(drafting, gaps));
    out.append(&left_alone(drafting, &evidence));
    out
}

/// Folders of more files than a reader takes in are counted.
fn named(drafting: &Drafting<'_>, files: &[ChangedFile], evidence: &Evidence) -> Rendered {
    let mut out = Rendered::default();
    let lines = |file: &ChangedFile| format!("(+{} −{})", file.additions, file.deletions);
    let mut folders: BTreeMap<&str, Vec<&ChangedFile>> = BTreeMap::new();
    for file in files {
        folders.entry(file.path.rsplit_once('/').map_or("", |(folder, _)| folder)).or_default().push(file);
    }
    let crowded = |folder: &str| files.len() > NAMED_FILES / 2 && folders.get(folder).is_some_and(|of| of.len() > 3);
    let mut said: Vec<&str> = Vec::new();
    let (mut words, mut more): (Vec<String>, usize) = (Vec::new(), 0);
    let mut say = |word: &dyn Fn() -> String| if words.len() < NAMED_FILES { words.push(word()) } else { more += 1 };
    for file in files {
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        if !crowded(folder) {
            say(&|| format!("{} {}", drafting.code(&file.path), lines(file)));
        } else if !said.contains(&folder) {
            said.push(folder);
            let count = folders.get(folder).map_or(0, Vec::len);
            say(&|| format!("{count} in {}", drafting.code(&format!("{folder}/"))));
        }
    }
    for (at, word) in words.iter().enumerate() {
        out.push(if at == 0 { "" } else { ", " }).fact(word, evidence);
    }
    if more > 0 {
        out.fact(&format!(" and {more} more"), evidence);
    }
    out
}

fn config_keys(drafting: &Drafting<'_>, gaps: &mut Vec<String>) -> Rendered {
    let mut out = Rendered::default();
    let keys = &drafting.made_of.conclusions.keys;
    gaps.extend(keys.gaps());
    // One phrase per key: how its master entry changed, and whether the changelog asks for it to be measured.
    let mut said: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for master in &keys.masters {
        let word = match master.change {
            Change::Added => "added",
            Change::Changed => "changed",
            Change::Removed => "removed",
        };
        said.entry(&master.key).or_default().push(word);
    }
    for key in keys.named() {
        said.entry(key).or_default().push("named by the changelog");
    }
    if said.is_empty() {
        out.push(if keys.complete { "No config key changes." } else { "Config keys: not read." });
        return out;
    }
    out.push("Config keys: ");
    let count = said.len();
    let mut of_key: BTreeMap<&str, Vec<(&str, Series<'_>)>> = BTreeMap::new();
    for (verb, points) in
        [("adds", &drafting.points.added), ("changes", &drafting.points.changed), ("removes", &drafting.points.removed)]
    {
        for one in series(points) {
            if let Some(key) = one.first().map(|first| first.config.as_str()).and_then(|key| said.get_key_value(key)) {
                of_key.entry(key.0).or_default().push((verb, one));
            }
        }
    }
    for (at, (key, words)) in said.into_iter().take(NAMED_KEYS).enumerate() {
        let evidence = drafting.config(key).or_else(|| drafting.changelog());
        let line = format!("{} ({})", drafting.code(key), words.join(", "));
        out.push(if at == 0 { "" } else { "; " }).say(&line, evidence.as_ref());
        let points = of_key.remove(key).unwrap_or_default();
        if !points.is_empty() && drafting.points.keys_known {
            out.push(" ").say(&moved(drafting, &points), evidence.as_ref());
        }
    }
    if count > NAMED_KEYS {
        out.say(&format!("; and {} more", count - NAMED_KEYS), drafting.changelog().as_ref());
    }
    out.push(if keys.complete { "." } else { "; not every config file could be read." });
    let untouched = drafting.points.untouched.count;
    if drafting.points.keys_known && untouched > 0 {
        let said = match untouched {
            1 => "1 other point of these configs stays as it is.".to_owned(),
            many => format!("{many} other points of these configs stay as they are."),
        };
        let evidence = keys.masters.first().and_then(|master| drafting.side(&master.path)).or_else(|| drafting.changelog());
        out.push(" ").say(&said, evidence.as_ref());
    }
    out
}

/// `adds TP2/EP2 mtp, concurrency 16, 32, 64 (fixed-seq-len 8192/1024)`.
fn moved(drafting: &Drafting<'_>, points: &[(&str, Series<'_>)]) -> String {
    let scenario = |one: &Series<'_>| one.first().map(PointReview::render_scenario).unwrap_or_default();
    let scenarios: Vec<String> = points.iter().map(|(_, one)| scenario(one)).collect();
    let alike = super::common(scenarios.iter());
    let mut words: Vec<String> = Vec::new();
    let mut last = String::new();
    for (verb, one) in points.iter().take(NAMED_SERIES) {
        let fields: Vec<&str> =
            one.first().map(|first| first.fields.iter().map(|field| field.word()).collect()).unwrap_or_default();
        let verb = match fields.as_slice() {
            [] => (*verb).to_owned(),
            fields => format!("{verb} the {} of", listed(&fields.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())),
        };
        let place = if alike.is_some() { String::new() } else { format!(" ({})", scenario(one)) };
        let lead = if verb == last { String::new() } else { format!("{verb} ") };
        words.push(format!("{lead}{}{place}", one.render()));
        last = verb;
    }
    let more = points.len().saturating_sub(NAMED_SERIES);
    let more = if more > 0 { format!(" and {}", counted(more, "more arm")) } else { String::new() };
    let place = alike.map(|scenario| format!(" ({scenario})")).unwrap_or_default();
    // What configs call a scenario is theirs.
    let said = format!("{}{more}{place}", words.join("; "));
    drafting.prose(&said)
}

/// What is not touched: said only where everything that could touch it was read.
fn left_alone(drafting: &Drafting<'_>, evidence: &Evidence) -> Rendered {
    let mut out = Rendered::default();
    let facts = drafting.facts();
    let keys = &drafting.made_of.conclusions.keys;
    let whole = facts.files.settled().filter(|got| got.value.is_complete());
    let Some(files) = whole.filter(|_| keys.doubt().is_none()).map(|got| got.value.items.as_slice()) else { return out };
    let configs = &drafting.made_of.policy.configs;
    let names = |file: &'_ ChangedFile| [Some(file.path.clone()), file.previous_path.clone()].into_iter().flatten();
    let ends = |path: &String, endings: &[&str]| path.rsplit_once('.').is_some_and(|(_, end)| endings.contains(&end));
    let others: Vec<&ChangedFile> = files.iter().filter(|file| !configs.is_config(&file.path)).collect();
    let image = |key: &str, entries: &[crate::core::configs::Entry]| {
        entries.iter().find(|entry| entry.key == key).map(|entry| entry.image.clone())
    };
    let same_image = keys.touched.iter().all(|entry| image(&entry.key, &keys.was) == Some(entry.image.clone()));
    // A script that became a document was touched, and so was a document that became one.
    let code = others.iter().copied().flat_map(names).any(|path| !ends(&path, &["md", "yaml", "yml", "txt", "json"]));
    let mut words: Vec<&str> = Vec::new();
    if !code {
        words.push("script");
    }
    if !others.iter().copied().flat_map(names).any(|path| ends(&path, &["yaml", "yml"])) {
        words.push("recipe");
    }
    if same_image && !keys.touched.is_empty() {
        words.push("image");
    }
    if !code {
        words.push("launcher");
    }
    if let [most @ .., last] = words.as_slice() {
        let said = if most.is_empty() { (*last).to_owned() } else { format!("{} or {last}", most.join(", ")) };
        out.push(" ").fact(&format!("No {said} is touched."), evidence);
    }
    out
}
