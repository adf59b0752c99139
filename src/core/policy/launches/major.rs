//! Comparison of our launch with the one that upstream documents, by the arguments that define a deployment.
//! Must not know: which arguments these are; what follows from a difference.

use crate::core::launch::{Command, Launch, LaunchPolicy, Setting, Value};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Canonical names, in the order in which they are shown.
    pub flags: Vec<String>,
}

/// How one argument of a server compares.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// The server's role in our launch.
    pub role: String,
    pub name: String,
    pub agreement: Agreement,
    pub ours: Option<Setting>,
    pub theirs: Option<Setting>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Agreement {
    Same,
    /// Ours has it, theirs has not.
    Missing,
    /// Theirs has it, ours has not.
    Extra,
    Different,
    /// One of them is not stated as a text: `$TP`.
    Open,
}

/// Compares every server of ours with theirs of the same role; where they have one server only, with that.
pub fn compare(ours: &Launch, theirs: &Launch, policy: &LaunchPolicy, params: &Params) -> Vec<Compared> {
    let mut out = Vec::new();
    for server in &ours.servers {
        let same_role = theirs.servers.iter().find(|other| other.role == server.role);
        let other = same_role.or(match theirs.servers.as_slice() {
            [one] => Some(one),
            _ => None,
        });
        for name in &params.flags {
            let mine = find(server, name, policy);
            let its = other.and_then(|other| find(other, name, policy));
            let agreement = match (mine, its) {
                (None, None) => continue,
                (Some(_), None) if other.is_none_or(|other| !other.open.is_empty()) => Agreement::Open,
                (Some(_), None) => Agreement::Missing,
                (None, Some(_)) if !server.open.is_empty() => Agreement::Open,
                (None, Some(_)) => Agreement::Extra,
                (Some(mine), Some(its)) => agree(&mine.value, &its.value),
            };
            let (ours, theirs) = (mine.cloned(), its.cloned());
            out.push(Compared { role: server.role.clone(), name: name.clone(), agreement, ours, theirs });
        }
    }
    out
}

/// A flag that is off is one that is absent.
fn find<'a>(command: &'a Command, name: &str, policy: &LaunchPolicy) -> Option<&'a Setting> {
    let found = command.flags.iter().rev().find(|flag| policy.canonical(&flag.name) == name);
    found.filter(|flag| flag.value.text().is_none_or(|text| !text.eq_ignore_ascii_case("false") && text != "null"))
}

fn agree(ours: &Value, theirs: &Value) -> Agreement {
    let text = |value: &Value| match value {
        Value::Bare => Some("true".to_owned()),
        value => value.text().map(|text| text.trim().to_ascii_lowercase()),
    };
    match (text(ours), text(theirs)) {
        (Some(ours), Some(theirs)) => {
            let numbers = ours.parse::<f64>().ok().zip(theirs.parse::<f64>().ok());
            let same = numbers.map_or(ours == theirs, |(ours, theirs)| ours == theirs);
            if same { Agreement::Same } else { Agreement::Different }
        }
        _ => Agreement::Open,
    }
}
