//! Entries that left the master files for an archive: told by the patches, since archives are not read.
//! Must not know: where archives lie.

use crate::core::configs::ChangedKeys;
use crate::core::configs::compare::Fate;
use crate::core::facts::Facts;
use crate::core::policy::ConfigPolicy;
use crate::core::text::counted;
use std::collections::HashMap;

/// An entry that is kept and not measured any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retired {
    pub config: String,
    pub from: String,
    pub to: String,
    /// How many points it had.
    pub points: usize,
}

impl Retired {
    pub fn sentence(&self) -> String {
        let Retired { config, from, to, points } = self;
        format!("{config} moved from {from} to {to} and is not measured any more ({}).", counted(*points, "point"))
    }
}

/// The archived ones among the entries that went, and files whose patches would have to be known to find all.
pub(super) fn retired(configs: &ConfigPolicy, facts: &Facts, keys: &ChangedKeys) -> (Vec<Retired>, Vec<String>) {
    let gone: Vec<_> =
        keys.changes.iter().filter(|change| matches!(change.fate, Fate::Removed | Fate::Archived { .. })).collect();
    if gone.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let (mut added, mut unread): (HashMap<&str, &str>, Vec<String>) = (HashMap::new(), Vec::new());
    for file in facts.files.value().map(|list| list.items.as_slice()).unwrap_or_default() {
        let yaml = file.path.ends_with(".yaml") || file.path.ends_with(".yml");
        if !yaml || configs.is_config(&file.path) || file.status == "removed" {
            continue;
        }
        let Some(patch) = &file.patch else {
            unread.push(file.path.clone());
            continue;
        };
        for key in patch.lines().filter_map(top_key) {
            added.entry(key).or_insert(&file.path);
        }
    }
    let found = gone.iter().filter_map(|change| {
        let to = match &change.fate {
            Fate::Archived { to } => to.as_str(),
            _ => added.get(change.key.as_str())?,
        };
        let points = change.points.len();
        Some(Retired { config: change.key.clone(), from: change.path.clone(), to: to.to_owned(), points })
    });
    let found: Vec<Retired> = found.collect();
    let unread = if found.len() < gone.len() { unread } else { Vec::new() };
    (found, unread)
}

/// The key that an added line begins with at column 0: `+dsr1-fp8:` → `dsr1-fp8`.
fn top_key(line: &str) -> Option<&str> {
    let key = line.strip_prefix('+')?.split('#').next()?.trim_end().strip_suffix(':')?;
    let plain = key.trim_matches(['"', '\'']);
    (!plain.is_empty() && !key.starts_with([' ', '\t', '-', '+'])).then_some(plain)
}
