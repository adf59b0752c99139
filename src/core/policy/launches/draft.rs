//! Rule `draft`: a draft model runs in the precision that it ships in.
//! Must not know: which settings change it.

use super::{Answer, Confidence, Launch, Place, Ruling, Status, Wanted, list};
use crate::core::launch::{LaunchPolicy, Setting, flag_name};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Never allowed.
    pub forbidden: Vec<Wanted>,
    /// A person looks at these.
    pub suspects: Vec<Wanted>,
}

/// Judges one launch.
pub fn judge(launch: &Launch, policy: &LaunchPolicy, params: &Params, stated: bool) -> Ruling {
    let path = &launch.path;
    let (mut forbidden, mut open, mut suspects) = (Vec::new(), Vec::new(), Vec::new());
    for wanted in &params.forbidden {
        for setting in found(launch, wanted) {
            match wanted.answer(setting) {
                Answer::Yes => forbidden.push((wanted.place, setting)),
                Answer::Open => open.push((wanted.place, setting)),
                Answer::No => {}
            }
        }
    }
    for wanted in &params.suspects {
        suspects
            .extend(found(launch, wanted).filter(|setting| wanted.answer(setting) != Answer::No).map(|s| (wanted.place, s)));
    }
    let lines = |all: &[(Place, &Setting)]| all.iter().map(|(_, setting)| setting.line).collect::<Vec<_>>();
    if !forbidden.is_empty() {
        let reason = format!("{path} changes the draft's precision, which is never allowed: {}.", list(&names(&forbidden)));
        return Ruling::new(Status::Fail, Confidence::Exact, reason).at(lines(&forbidden));
    }
    if !open.is_empty() {
        let reason = format!("{path} may change the draft's precision: {} is open.", list(&names(&open)));
        return Ruling::new(Status::NeedsYou, Confidence::Suspect, reason).at(lines(&open));
    }
    if !stated && !launch.servers.iter().any(|server| policy.is_speculative(server)) {
        let reason = format!("{path} does not decode speculatively.");
        return Ruling::new(Status::NotApplicable, Confidence::Exact, reason).unless_unread(launch);
    }
    if !suspects.is_empty() {
        let reason = format!("{path} says something about its draft model: {}.", list(&names(&suspects)));
        return Ruling::new(Status::NeedsYou, Confidence::Suspect, reason).at(lines(&suspects));
    }
    let reason = format!("{path} sets nothing that changes the draft model's precision.");
    Ruling::new(Status::Pass, Confidence::Derived, reason).unless_unread(launch)
}

/// Every setting of that name, of every role, and wherever else in the effective recipe it stands; the last of a role counts.
fn found<'a>(launch: &'a Launch, wanted: &'a Wanted) -> impl Iterator<Item = &'a Setting> {
    let of_roles = launch.servers.iter().filter_map(|server| match wanted.place {
        Place::Env => server.variable(&wanted.name),
        Place::Flag => server.flag(&wanted.name),
        Place::Setting => None,
    });
    // In a recipe the lines of the roles stand here again.
    let elsewhere = launch.settings.iter().filter(move |setting| {
        let last = setting.name.rsplit('.').next().unwrap_or_default();
        match wanted.place {
            Place::Env | Place::Setting => last == wanted.name,
            Place::Flag => flag_name(last) == wanted.name,
        }
    });
    let mut seen = Vec::new();
    of_roles.chain(elsewhere).filter(move |setting| {
        let new = !seen.contains(&setting.line);
        seen.push(setting.line);
        new
    })
}

fn names(settings: &[(Place, &Setting)]) -> Vec<String> {
    let mut out: Vec<String> = settings
        .iter()
        .map(|(place, setting)| match place {
            Place::Flag => setting.render_flag(),
            Place::Env | Place::Setting => {
                let name = setting.name.rsplit('.').next().unwrap_or_default();
                format!("{name}={}", setting.value)
            }
        })
        .collect();
    out.dedup();
    out
}
