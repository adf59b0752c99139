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
    pub theirs: Option<Stated>,
    /// Texts of theirs that say something else than the one beside ours: a page may hold many deployments.
    pub others: usize,
}

/// An argument, and the text that states it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stated {
    pub path: String,
    pub setting: Setting,
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

/// Compares every server of ours with theirs of the same role, else with all of theirs. An argument agrees if one of
/// theirs states it so.
pub fn compare(ours: &Launch, theirs: &[&Launch], policy: &LaunchPolicy, params: &Params) -> Vec<Compared> {
    let all = || theirs.iter().flat_map(|launch| launch.servers.iter().map(|server| (launch.path.as_str(), server)));
    let mut out = Vec::new();
    for server in &ours.servers {
        let same_role = all().any(|(_, other)| other.role == server.role);
        let beside: Vec<(&str, &Command)> = all().filter(|(_, other)| !same_role || other.role == server.role).collect();
        // Under their canonical names, once for all arguments.
        let all_stated: Vec<(&str, &str, &Setting)> = beside
            .iter()
            .flat_map(|(path, other)| other.flags.iter().map(|flag| (*path, policy.canonical(&flag.name), flag)))
            .filter(|(_, _, flag)| is_set(flag))
            .collect();
        for name in &params.flags {
            let mine = server.flags.iter().rev().find(|flag| policy.canonical(&flag.name) == name).filter(|flag| is_set(flag));
            let named = all_stated.iter().filter(|(_, known, _)| known == name);
            let stated: Vec<(&str, &Setting)> = named.map(|(path, _, flag)| (*path, *flag)).collect();
            let with = |wanted: Agreement| {
                let mine = mine?;
                stated.iter().find(|(_, its)| agree(&mine.value, &its.value) == wanted).copied()
            };
            let (agreement, its) = match (mine, stated.first().copied()) {
                (None, None) => continue,
                (Some(_), None) if beside.iter().all(|(_, other)| !other.open.is_empty()) => (Agreement::Open, None),
                (Some(_), None) => (Agreement::Missing, None),
                (None, first) if !server.open.is_empty() => (Agreement::Open, first),
                (None, first) => (Agreement::Extra, first),
                (Some(_), Some(first)) => match (with(Agreement::Same), with(Agreement::Open)) {
                    (Some(same), _) => (Agreement::Same, Some(same)),
                    (None, Some(open)) => (Agreement::Open, Some(open)),
                    (None, None) => (Agreement::Different, Some(first)),
                },
            };
            let mut others: Vec<&Value> = stated.iter().map(|(_, flag)| &flag.value).collect();
            others.retain(|value| its.is_none_or(|(_, its)| agree(&its.value, value) != Agreement::Same));
            others.sort_by_key(|value| value.to_string());
            others.dedup();
            out.push(Compared {
                role: server.role.clone(),
                name: name.clone(),
                agreement,
                ours: mine.cloned(),
                theirs: its.map(|(path, setting)| Stated { path: path.to_owned(), setting: setting.clone() }),
                others: others.len(),
            });
        }
    }
    out
}

/// A flag that is off is one that is absent.
fn is_set(flag: &Setting) -> bool {
    flag.value.text().is_none_or(|text| !text.eq_ignore_ascii_case("false") && text != "null")
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
