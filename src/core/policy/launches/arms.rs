//! Which scripts and recipes a pull request is about: those that it changes, and those that its changed configs run.
//! Must not know: what is said of them.

use super::texts::Text;
use crate::core::configs::compare::{Fate, What};
use crate::core::configs::jobs::AGENTIC;
use crate::core::configs::{ChangedKeys, Entry, Point};
use crate::core::facts::Facts;
use crate::core::launch::LaunchPolicy;
use crate::core::launch::paths::{Absent, Named, Whereabouts};
use crate::core::plan;
use crate::core::policy::Policy;
use crate::core::pull::ChangedFile;
use std::collections::{BTreeMap, BTreeSet};

/// A script or recipe, and what is run by it.
#[derive(Debug, Clone, PartialEq)]
pub struct Arm {
    /// Where it lies; what a config calls it where it is not in the repository.
    pub path: String,
    pub variant: Option<String>,
    /// The pull request changes the file.
    pub changed: bool,
    /// Changed or named configs that run it.
    pub keys: Vec<String>,
    /// One of them is new; where no config runs it, the file is.
    pub new: bool,
    pub prefix: Option<String>,
    pub model: Option<String>,
    pub agentic: bool,
    /// It is said to decode speculatively: by its config or, without one, by its path.
    pub stated: bool,
    /// Settings that the config hands to its launcher.
    pub settings: Vec<(String, String)>,
    pub known: Known,
}

/// How far it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Known {
    Here,
    /// It lies outside the repository.
    External,
    /// It does not exist at the head.
    Absent,
    Unread(Option<String>),
}

impl Arm {
    /// `path.yaml:override_x`.
    pub fn render(&self) -> String {
        match &self.variant {
            Some(variant) => format!("{}:{variant}", self.path),
            None => self.path.clone(),
        }
    }
}

/// What two rows have in common whose launches are judged alike: path, variant, agentic, speculative, settings.
type Same = (String, Option<String>, bool, bool, Vec<(String, String)>);

/// The changed files that are scripts or recipes.
pub fn changed<'a>(facts: &'a Facts, policy: &LaunchPolicy) -> Vec<&'a ChangedFile> {
    let files = facts.files.value().map(|files| files.items.as_slice()).unwrap_or_default();
    let touched = |file: &&ChangedFile| file.status != "removed" && file.additions + file.deletions > 0;
    files.iter().filter(touched).filter(|file| is_launch(&file.path, policy)).collect()
}

pub fn is_launch(path: &str, policy: &LaunchPolicy) -> bool {
    path.rsplit_once('.').is_some_and(|(_, ending)| matches!(ending, "sh" | "yaml" | "yml")) && policy.paths.is_active(path)
}

/// All of them: first those that configs run, then changed files as a whole.
pub fn arms(policy: &Policy, facts: &Facts, keys: &ChangedKeys) -> Vec<Arm> {
    let Some(launch) = &policy.launch else { return Vec::new() };
    let files = changed(facts, launch);
    let root = root(policy, launch, facts, &files);
    let mut out: Vec<Arm> = Vec::new();
    let mut seen: BTreeMap<Same, usize> = BTreeMap::new();
    for (entry, row, affected, new) in rows(keys) {
        let mut at = whereabouts(launch, entry, row);
        match root {
            Some(root) => at.candidates.retain(|path| launch.paths.root_of(path) == Some(root)),
            None => at.candidates = plan::candidates(facts, &at.candidates),
        }
        let file = at.candidates.iter().find_map(|path| files.iter().find(|file| file.path == *path));
        let (path, known) = match file {
            Some(file) => (file.path.clone(), here(&Text::of(facts, &file.path, Some(file)))),
            None if affected => first(facts, &at, row),
            None => continue,
        };
        let agentic = row.scenario == AGENTIC;
        let stated = row.spec.as_deref().is_some_and(|spec| !matches!(spec, "" | "none"));
        let settings: Vec<(String, String)> = row
            .settings
            .prefill
            .iter()
            .chain(&row.settings.decode)
            .filter_map(|setting| setting.split_once('='))
            .map(own)
            .collect();
        let id = (path.clone(), at.variant.clone(), agentic, stated, settings.clone());
        let index = *seen.entry(id).or_insert_with(|| {
            out.push(Arm {
                path,
                variant: at.variant,
                changed: file.is_some(),
                keys: Vec::new(),
                new: false,
                prefix: Some(entry.model_prefix.clone()),
                model: entry.model.clone(),
                agentic,
                stated,
                settings,
                known,
            });
            out.len() - 1
        });
        if let Some(arm) = out.get_mut(index) {
            arm.new |= new;
            if !arm.keys.contains(&entry.key) {
                arm.keys.push(entry.key.clone());
            }
        }
    }
    let run: Vec<String> = out.iter().filter(|arm| arm.variant.is_none()).map(|arm| arm.path.clone()).collect();
    out.extend(files.iter().filter(|file| !run.contains(&file.path)).map(|file| Arm {
        path: file.path.clone(),
        variant: None,
        changed: true,
        keys: Vec::new(),
        new: file.status == "added",
        prefix: None,
        model: None,
        agentic: launch.paths.scenario_of(&file.path) == Some(AGENTIC),
        stated: launch.paths.is_speculative(&file.path),
        settings: Vec::new(),
        known: here(&Text::of(facts, &file.path, Some(file))),
    }));
    cap(&mut out);
    out
}

/// No more are read than these; what is left says so.
const MOST_CHANGED: usize = 200;
const MOST_RUN: usize = 40;

fn cap(arms: &mut [Arm]) {
    let (mut changed, mut run) = (BTreeSet::new(), BTreeSet::new());
    for arm in arms.iter_mut().filter(|arm| arm.known != Known::External) {
        let (seen, most) = if arm.changed { (&mut changed, MOST_CHANGED) } else { (&mut run, MOST_RUN) };
        seen.insert(arm.path.clone());
        if seen.len() > most && matches!(arm.known, Known::Unread(None)) {
            arm.known = Known::Unread(Some(format!("no more than {most} scripts and recipes are read")));
        }
    }
}

fn own((name, value): (&str, &str)) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

/// Rows of the configs that came or changed or are named; whether the pull request touches the row, and whether the config
/// is new.
fn rows(keys: &ChangedKeys) -> Vec<(&Entry, &Point, bool, bool)> {
    let mut out = Vec::new();
    let named = keys.entries.iter().filter(|entry| !keys.touched.iter().any(|touched| touched.key == entry.key));
    for entry in keys.touched.iter().chain(named) {
        let change = keys.changes.iter().find(|change| change.key == entry.key);
        let added = change.is_some_and(|change| change.fate == Fate::Added);
        for row in &entry.points {
            let mut here = change.into_iter().flat_map(|change| &change.points).filter(|point| {
                let at = &point.at;
                at.scenario == row.scenario
                    && at.lengths == (row.isl, row.osl)
                    && at.parallel == row.parallel
                    && (&at.prefill, &at.decode) == (&row.prefill, &row.decode)
                    && row.conc.contains(&at.conc)
            });
            let affected = added || here.any(|point| point.what != What::Removed);
            out.push((entry, row, affected, added));
        }
    }
    out
}

/// Where the script or recipe of a row may lie.
pub fn whereabouts(launch: &LaunchPolicy, entry: &Entry, row: &Point) -> Whereabouts {
    match &row.recipe {
        Some(recipe) => launch.paths.recipe(recipe),
        None => launch.paths.scripts(&Named {
            scenario: &row.scenario,
            prefix: &entry.model_prefix,
            precision: &entry.precision,
            runner: &entry.runner,
            framework: &entry.framework,
            spec: row.spec.as_deref().unwrap_or_default(),
            multi_node: entry.multinode,
        }),
    }
}

/// The root of the head's layout, told by where its configs lie, else its changed scripts.
fn root<'a>(policy: &Policy, launch: &'a LaunchPolicy, facts: &Facts, files: &[&ChangedFile]) -> Option<&'a str> {
    let all = facts.files.value().map(|files| files.items.as_slice()).unwrap_or_default();
    let config = all.iter().find(|file| file.status != "removed" && policy.configs.is_config(&file.path));
    launch.paths.root_of(&config.or(files.first().copied())?.path)
}

fn here(text: &Text<'_>) -> Known {
    match text {
        Text::Side(_) | Text::Patch(_) => Known::Here,
        Text::Absent => Known::Absent,
        Text::Unread(why) => Known::Unread(why.clone()),
    }
}

/// The first candidate that exists, or the one to be read next.
fn first(facts: &Facts, at: &Whereabouts, row: &Point) -> (String, Known) {
    for path in &at.candidates {
        match here(&Text::of(facts, path, None)) {
            Known::Absent => {}
            known => return (path.clone(), known),
        }
    }
    let known = if at.otherwise == Absent::External { Known::External } else { Known::Absent };
    let shown = at.candidates.last().or(row.recipe.as_ref());
    (shown.cloned().unwrap_or_default(), known)
}
