//! Rule `siblings`: what comparable scripts or recipes carry and this one does not. Never a failure: drift may be meant.
//! Must not know: which scripts there are; how they are told apart is the caller's.

use super::values::{Departure, Other, departures};
use super::{Confidence, Launch, Ruling, Status};
use crate::core::launch::LaunchPolicy;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Fewer siblings say nothing.
    pub least: usize,
    /// No more of them are read, those of the same model first.
    pub most: usize,
    /// Absent here and in this share of them or more: a warning.
    pub warning: f64,
    /// … a notice.
    pub notice: f64,
    /// Flags and variables that say nothing about a config: ports, paths.
    #[serde(default)]
    pub ignore: Vec<String>,
}

/// One script or recipe with what it is compared by.
#[derive(Debug, Clone, Copy)]
pub struct Sibling<'a> {
    /// Shown: the file's name.
    pub name: &'a str,
    /// The model's prefix.
    pub prefix: &'a str,
    pub scenario: &'a str,
    /// The config says that it decodes speculatively.
    pub stated: bool,
    pub launch: &'a Launch,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    Warning,
    Notice,
}

/// So many of so many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    pub have: usize,
    pub of: usize,
}

/// Something that siblings carry and this one does not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Drift {
    /// As it is written: `--use-chat-template`, `SGLANG_ENABLE_SPEC_V2`.
    pub name: String,
    pub level: Level,
    /// Among all comparable ones.
    pub all: Share,
    /// Among those of the same model prefix.
    pub same_prefix: Share,
    /// Two that carry it; of the same prefix if there are such.
    pub examples: Vec<String>,
}

/// What siblings say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// The launch that was compared: its path, with the variant of a recipe.
    pub launch: String,
    /// There were enough siblings, and a command to compare; otherwise the ruling says what is missing.
    pub is_compared: bool,
    pub ruling: Ruling,
    pub siblings: usize,
    /// Warnings first, then by share.
    pub drifts: Vec<Drift>,
    /// What it sets to another value than they. The ruling does not rest on it.
    pub departures: Vec<Departure>,
}

/// Compares one launch with others; those of another scenario, engine or speculative state are left out.
pub fn compare(this: &Sibling<'_>, others: &[Sibling<'_>], policy: &LaunchPolicy, params: &Params) -> Compared {
    let speculative = |one: &Sibling<'_>| one.stated || one.launch.servers.iter().any(|server| policy.is_speculative(server));
    let here = speculative(this);
    let comparable: Vec<&Sibling<'_>> = others
        .iter()
        .filter(|other| other.scenario == this.scenario && other.name != this.name)
        .filter(|other| other.launch.engine.is_some() && other.launch.engine == this.launch.engine)
        .filter(|other| speculative(other) == here)
        .collect();
    let siblings = comparable.len();
    let path = &this.launch.path;
    let done = |status, confidence, reason: String, drifts| {
        let ruling = Ruling::new(status, confidence, reason).unless_unread(this.launch);
        let is_compared = matches!(status, Status::Pass | Status::Warn);
        let others: Vec<Other<'_>> = comparable
            .iter()
            .filter(|_| is_compared)
            .map(|one| Other { name: one.name, same_prefix: one.prefix == this.prefix, launch: one.launch })
            .collect();
        let departures = departures(this.launch, &others, policy, params);
        Compared { launch: path.clone(), is_compared, ruling, siblings, drifts, departures }
    };
    if siblings < params.least {
        let reason = format!(
            "{path} has {siblings} siblings (same scenario, engine and speculative state); {} are needed.",
            params.least
        );
        return done(Status::NotApplicable, Confidence::Exact, reason, Vec::new());
    }
    let mine = carried(this.launch, policy, params);
    let mut carriers: BTreeMap<String, Vec<&Sibling<'_>>> = BTreeMap::new();
    for sibling in &comparable {
        for name in carried(sibling.launch, policy, params) {
            carriers.entry(name).or_default().push(sibling);
        }
    }
    let same = |one: &&Sibling<'_>| one.prefix == this.prefix;
    let of = comparable.iter().filter(|one| same(one)).count();
    let mut drifts: Vec<Drift> = carriers
        .into_iter()
        .filter(|(name, _)| !mine.contains(name))
        .filter_map(|(name, carriers)| {
            let level = level(carriers.len(), siblings, params)?;
            let near = carriers.iter().filter(|one| same(one));
            let same_prefix = Share { have: near.clone().count(), of };
            let far = carriers.iter().filter(|one| !same(one));
            let examples = near.chain(far).take(2).map(|one| one.name.to_owned()).collect();
            Some(Drift { name, level, all: Share { have: carriers.len(), of: siblings }, same_prefix, examples })
        })
        .collect();
    drifts.sort_by(|a, b| (a.level, b.all.have).cmp(&(b.level, a.all.have)).then_with(|| a.name.cmp(&b.name)));
    if this.launch.commands().next().is_none() {
        let reason = format!("{path} shows no command, so it cannot be compared with its {siblings} siblings.");
        return done(Status::NeedsYou, Confidence::Suspect, reason, Vec::new());
    }
    if drifts.is_empty() {
        let reason = format!("{path} carries what its {siblings} siblings carry.");
        return done(Status::Pass, Confidence::Derived, reason, drifts);
    }
    let told: Vec<String> = drifts.iter().take(4).map(Drift::render).collect();
    let more = if drifts.len() > 4 { format!("; {} more", drifts.len() - 4) } else { String::new() };
    let reason = format!("{path} lacks what siblings carry: {}{more}.", told.join("; "));
    done(Status::Warn, Confidence::Suspect, reason, drifts)
}

impl Drift {
    /// `SGLANG_ENABLE_SPEC_V2 (in 8 of 14, 57 %; of the same model in 2 of 7: a.sh, b.sh)`.
    pub fn render(&self) -> String {
        let near = if self.same_prefix.of > 0 {
            format!("; of the same model in {} of {}", self.same_prefix.have, self.same_prefix.of)
        } else {
            String::new()
        };
        let Share { have, of } = self.all;
        format!("{} (in {have} of {of}, {} %{near}: {})", self.name, have * 100 / of.max(1), self.examples.join(", "))
    }
}

fn level(have: usize, of: usize, params: &Params) -> Option<Level> {
    let share = have as f64 / of.max(1) as f64;
    if share >= params.warning {
        Some(Level::Warning)
    } else if share >= params.notice {
        Some(Level::Notice)
    } else {
        None
    }
}

/// Names of all flags and variables that are on, or may be; fields of a flag's JSON belong to the flag.
fn carried(launch: &Launch, policy: &LaunchPolicy, params: &Params) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for command in launch.commands() {
        for flag in command.flags.iter().filter(|flag| flag.value.is_on() != Some(false)) {
            let name = policy.canonical(flag.name.split('.').next().unwrap_or_default());
            if !params.ignore.iter().any(|ignored| ignored == name) {
                out.insert(format!("--{name}"));
            }
        }
        for variable in command.env.iter().filter(|variable| variable.value.is_on() != Some(false)) {
            if !params.ignore.contains(&variable.name) && !policy.assume.contains_key(&variable.name) {
                out.insert(variable.name.clone());
            }
        }
    }
    out
}
