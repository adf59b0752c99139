//! Rule `hacks`: nothing changes what the model computes, and no forbidden setting stands.
//! Must not know: which flags override a model's configuration.

use super::{Confidence, Launch, Ruling, Status, list};
use crate::core::launch::{Value, When, flag_name};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Flags that override the model's configuration.
    pub overrides: Vec<String>,
    /// Their fields that take computation away.
    #[serde(default)]
    pub reducing: Vec<String>,
    /// Settings that are forbidden with this value: the last part of a recipe's key, a flag or a variable.
    #[serde(default)]
    pub forbidden: BTreeMap<String, String>,
    /// Eras in which they are.
    #[serde(default)]
    pub forbidden_in: Vec<String>,
    /// Files that state a model's architecture, and programs that edit files.
    #[serde(default)]
    pub model_files: Vec<String>,
    #[serde(default)]
    pub editors: Vec<String>,
}

/// Line, and the setting as it is shown.
type Told = (usize, String);

/// Judges what a launch overrides. What is forbidden by name is [`forbidden`]'s.
pub fn judge(launch: &Launch, params: &Params) -> Ruling {
    let path = &launch.path;
    let (mut fails, mut asks) = (Vec::<Told>::new(), Vec::<Told>::new());
    for server in &launch.servers {
        for flag in &server.flags {
            let (name, field) = flag.name.split_once('.').unwrap_or((&flag.name, ""));
            if !params.overrides.iter().any(|known| known == name) || flag.value.is_on() == Some(false) && field.is_empty() {
                continue;
            }
            let last = field.rsplit('.').next().unwrap_or_default();
            if params.reducing.iter().any(|known| flag_name(known) == last) && flag.when == When::Always {
                fails.push((flag.line, flag.render_flag()));
            } else if field.is_empty() {
                asks.push((flag.line, flag.render_flag()));
            }
        }
    }
    for ran in &launch.ran {
        let edits = ran.words.iter().any(|word| params.editors.iter().any(|editor| editor == word));
        let target = ran.words.iter().chain(&ran.out).find(|word| {
            params
                .model_files
                .iter()
                .any(|file| word.strip_suffix(file.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('/')))
        });
        if let Some(target) = target.filter(|_| edits) {
            asks.push((ran.line, format!("{} … {target}", ran.words.first().map_or("", String::as_str))));
        }
    }
    tell(path, fails, asks).unless_unread(launch)
}

/// Looks for the settings that are forbidden; `None` where none stands.
pub fn forbidden(launch: &Launch, params: &Params) -> Option<Ruling> {
    let (mut fails, mut asks) = (Vec::<Told>::new(), Vec::<Told>::new());
    let all = launch.commands().flat_map(|command| command.flags.iter().chain(&command.env)).chain(&launch.settings);
    for setting in all {
        let last = setting.name.rsplit('.').next().unwrap_or_default();
        let Some((_, bad)) = params.forbidden.iter().find(|(name, _)| name.as_str() == last || flag_name(name) == last) else {
            continue;
        };
        let texts = setting.value.texts();
        let hit = |text: &String| text.trim().eq_ignore_ascii_case(bad);
        if !texts.is_empty() && texts.iter().all(hit) && setting.when == When::Always {
            fails.push((setting.line, format!("{last}: {}", setting.value)));
        } else if texts.is_empty() && setting.value != Value::Bare || texts.iter().any(hit) {
            asks.push((setting.line, format!("{last}: {}", setting.value)));
        }
    }
    if fails.is_empty() && !asks.is_empty() {
        let lines: Vec<usize> = asks.iter().map(|(line, _)| *line).collect();
        let reason = format!("{} may set what is forbidden: {}.", launch.path, names(&mut asks));
        return Some(Ruling::new(Status::NeedsYou, Confidence::Suspect, reason).at(lines));
    }
    (!fails.is_empty()).then(|| tell(&launch.path, fails, asks))
}

fn names(found: &mut Vec<Told>) -> String {
    found.sort();
    found.dedup();
    let mut names: Vec<String> = found.iter().map(|(_, name)| name.clone()).collect();
    names.dedup();
    list(&names)
}

fn tell(path: &str, mut fails: Vec<Told>, mut asks: Vec<Told>) -> Ruling {
    if !fails.is_empty() {
        let reason = format!("{path} sets what is forbidden: {}.", names(&mut fails));
        return Ruling::new(Status::Fail, Confidence::Exact, reason).at(fails.iter().map(|(line, _)| *line));
    }
    if !asks.is_empty() {
        let reason = format!(
            "{path} overrides the model's configuration: {}. Whether the model supports it natively is yours to judge.",
            names(&mut asks)
        );
        return Ruling::new(Status::NeedsYou, Confidence::Suspect, reason).at(asks.iter().map(|(line, _)| *line));
    }
    let reason = format!("{path} overrides nothing of the model's architecture.");
    Ruling::new(Status::Pass, Confidence::Derived, reason)
}
