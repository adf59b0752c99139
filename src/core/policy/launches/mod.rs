//! Rules about how configs are launched: pure functions over a [`Launch`], and [`launched`], which applies them to what was
//! read of a pull request.
//! Must not know: the sign-off, the names of flags and variables; those stand in the policy.

pub mod arms;
pub mod before;
pub mod chat_template;
pub mod draft;
pub mod golden;
pub mod hacks;
pub mod launched;
pub mod major;
pub mod patches;
pub mod siblings;
pub mod sources;
pub mod texts;
pub(super) mod told;
pub mod upstream;
pub mod values;

use super::{Confidence, Status};
use crate::core::launch::{Launch, Setting, Value, When};
use serde::{Deserialize, Serialize};

/// What each of them looks for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaunchRules {
    pub chat_template: chat_template::Params,
    pub golden: golden::Params,
    pub draft: draft::Params,
    pub hacks: hacks::Params,
    pub patches: patches::Params,
    pub siblings: siblings::Params,
    pub major: major::Params,
}

impl LaunchRules {
    /// Sentences about what cannot be used.
    pub fn problems(&self) -> Vec<String> {
        let mut out = Vec::new();
        let mut need = |list: &[String], name: &str| {
            if list.iter().all(|word| word.trim().is_empty()) {
                out.push(format!("`launch_rules.{name}` is empty"));
            }
        };
        need(&self.chat_template.flags, "chat_template.flags");
        need(&self.hacks.overrides, "hacks.overrides");
        need(&self.patches.engine_paths, "patches.engine_paths");
        need(&self.patches.engine_packages, "patches.engine_packages");
        need(&self.patches.not_approved, "patches.not_approved");
        need(&self.major.flags, "major.flags");
        need(&self.patches.waivers, "patches.waivers");
        need(&self.golden.folders, "golden.folders");
        need(&self.golden.methods, "golden.methods");
        if self.golden.knobs.is_empty() || self.golden.drafts.is_empty() {
            out.push("`launch_rules.golden` names no knob, or no draft length".to_owned());
        }
        if !(0.0..0.1).contains(&self.golden.tolerance) {
            out.push("`launch_rules.golden.tolerance` is not between 0 and 0.1".to_owned());
        }
        if self.draft.forbidden.is_empty() {
            out.push("`launch_rules.draft.forbidden` is empty".to_owned());
        }
        let ratios = &self.siblings;
        if !(0.0 < ratios.notice && ratios.notice <= ratios.warning && ratios.warning <= 1.0)
            || ratios.least < 2
            || ratios.most < ratios.least
        {
            out.push("`launch_rules.siblings` wants 0 < notice ≤ warning ≤ 1 and 2 ≤ least ≤ most".to_owned());
        }
        out
    }
}

/// What a rule says of one launch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ruling {
    pub status: Status,
    pub confidence: Confidence,
    /// One line in the reviewer's terms.
    pub reason: String,
    /// Lines of the script or recipe that it rests on, ascending.
    pub lines: Vec<usize>,
}

impl Ruling {
    fn new(status: Status, confidence: Confidence, reason: impl Into<String>) -> Ruling {
        Ruling { status, confidence, reason: reason.into(), lines: Vec::new() }
    }

    fn at(mut self, lines: impl IntoIterator<Item = usize>) -> Ruling {
        self.lines.extend(lines);
        self.lines.retain(|line| *line > 0);
        self.lines.sort_unstable();
        self.lines.dedup();
        self
    }

    /// Nothing is green, or off the table, while part of the launch could not be followed.
    fn unless_unread(self, launch: &Launch) -> Ruling {
        let green = matches!(self.status, Status::Pass | Status::Warn | Status::NotApplicable);
        match launch.problems.first().filter(|_| green) {
            None => self,
            Some(problem) => {
                let reason = format!("{} But not all of it could be followed: {problem}.", self.reason);
                Ruling { status: Status::NeedsYou, confidence: Confidence::Suspect, reason, ..self }
            }
        }
    }

    /// The one that decides: a failure, else what a person must judge, else a warning.
    fn worst(rulings: impl IntoIterator<Item = Ruling>) -> Option<Ruling> {
        rulings.into_iter().min_by_key(|ruling| match ruling.status {
            Status::Fail => 0,
            Status::Unavailable => 1,
            Status::NeedsYou => 2,
            Status::Warn => 3,
            Status::Pass => 4,
            Status::NotApplicable => 5,
        })
    }
}

/// Where a setting stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// A variable of the server's environment.
    Env,
    /// A flag of the server.
    Flag,
    /// A setting that the config hands to a launcher.
    Setting,
}

/// A setting that a rule looks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wanted {
    pub place: Place,
    /// A flag without dashes, with `-` for `_`.
    pub name: String,
    /// Only with one of these values; empty: with any that switches it on.
    #[serde(default)]
    pub values: Vec<String>,
    /// Beside a knob: without this the knob does nothing; else it is only usual.
    #[serde(default)]
    pub required: bool,
}

/// How a setting answers to what is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Yes,
    No,
    /// Its value, or whether it is reached, is open.
    Open,
}

impl Wanted {
    fn answer(&self, setting: &Setting) -> Answer {
        let value = match (&setting.value, self.values.as_slice()) {
            (value, []) => value.is_on(),
            (Value::Unknown(_), _) => None,
            (Value::Bare, values) => Some(values.iter().any(|value| value == "true")),
            (value, values) => {
                let fits = |text: &String| values.iter().any(|value| value.eq_ignore_ascii_case(text.trim()));
                let first = value.texts().first().map(fits);
                first.filter(|first| value.texts().iter().all(|text| fits(text) == *first))
            }
        };
        match (value, setting.when) {
            (Some(false), _) => Answer::No,
            (Some(true), When::Always) => Answer::Yes,
            _ => Answer::Open,
        }
    }
}

/// Names, the first four in full.
fn list(names: &[String]) -> String {
    let more = if names.len() > 4 { format!(" and {} more", names.len() - 4) } else { String::new() };
    format!("{}{more}", names.iter().take(4).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod beside;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod wired;
