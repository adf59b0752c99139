//! Weighs what a text names: images, configs and versions.
//! Must not know: numbers, Markdown, rules.

use super::place::Place;
use super::weigh::{Evidence, Weight};
use crate::core::configs::Entry;

pub(super) fn image(repository: &str, tag: &str, asserted: bool, evidence: &Evidence) -> Weight {
    let of = |entry: &Entry| entry.image.as_deref().and_then(split);
    let head: Vec<(String, String)> = evidence.head.iter().filter_map(of).collect();
    let base: Vec<(String, String)> = evidence.base.iter().filter_map(of).collect();
    let run: Vec<(String, String)> =
        evidence.rows.items.iter().filter_map(|row| row.image.as_deref().and_then(split)).collect();
    let repository = repository.to_lowercase();
    // A text may leave the end of a tag out.
    let same = |(repo, full): &&(String, String)| {
        *repo == repository && full.strip_prefix(tag).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '@']))
    };
    let sides = [("the head's config", &head), ("the run", &run), ("the merge base's config", &base)];
    if let Some((by, (repo, full))) = sides.iter().find_map(|(by, side)| Some((by, side.iter().find(same)?))) {
        return Weight::Confirmed { by: format!("{by}: {repo}:{full}") };
    }
    let known = head.iter().chain(&run).find(|(repo, _)| *repo == repository);
    match known {
        None => Weight::unknown("no changed config and no row uses an image of that repository"),
        Some((repo, full)) => {
            let ours = format!("{repo}:{full}");
            if !asserted {
                Weight::unknown(format!("the text does not say that it is used; it is {ours}"))
            } else if !evidence.configs_whole || evidence.head.is_empty() {
                Weight::unknown(format!("not all changed configs were read; one uses {ours}"))
            } else {
                Weight::Contradicted { ours }
            }
        }
    }
}

/// Repository, in lower case and with `/` for `#`, and tag.
fn split(image: &str) -> Option<(String, String)> {
    let image = image.replacen('#', "/", 1);
    let (repository, tag) = image.split_once(':')?;
    Some((repository.to_lowercase(), tag.to_owned()))
}

pub(super) fn config(key: &str, evidence: &Evidence) -> Weight {
    let has = |entries: &[Entry]| entries.iter().any(|entry| entry.key == key);
    if has(evidence.head) {
        return Weight::Confirmed { by: format!("{key} at the head") };
    }
    if has(evidence.base) {
        return Weight::Confirmed { by: format!("{key} at the merge base") };
    }
    Weight::unknown("no changed config has this key; it may be one that stays as it is")
}

pub(super) fn version(version: &str, image: bool, place: &Place, evidence: &Evidence) -> Weight {
    let of = |entry: &Entry| entry.image.as_deref().and_then(split);
    let has = |(_, tag): &(String, String)| {
        tag.match_indices(version).any(|(at, found)| {
            let before = tag.get(..at).and_then(|before| before.chars().next_back());
            let mut after = tag.get(at + found.len()..).unwrap_or_default().chars();
            let ends = match after.next() {
                None => true,
                Some('.') => !after.next().is_some_and(|c| c.is_ascii_digit()),
                Some(c) => !c.is_ascii_digit(),
            };
            before.is_none_or(|c| c == 'v' || !c.is_alphanumeric() && c != '.') && ends
        })
    };
    let head: Vec<(String, String)> = evidence.head.iter().filter_map(of).collect();
    if let Some((repo, tag)) = head.iter().find(|image| has(image)) {
        return Weight::Confirmed { by: format!("the head's config: {repo}:{tag}") };
    }
    if let Some((repo, tag)) = evidence.base.iter().filter_map(of).find(has) {
        return match image {
            false => Weight::Confirmed { by: format!("the merge base's config: {repo}:{tag}") },
            true => Weight::unknown(format!("the text moves images to what the merge base has already: {repo}:{tag}")),
        };
    }
    // Only where every image is named by a version can one be missing.
    let versioned = |(_, tag): &(String, String)| tag.trim_start_matches('v').starts_with(|c: char| c.is_ascii_digit());
    let named = |entry: &Entry| place.frameworks.iter().any(|name| entry.framework.contains(name.as_str()));
    let ours = place.frameworks.is_empty() || evidence.head.iter().any(named);
    match head.first() {
        Some((repo, tag)) if image && ours && evidence.configs_whole && head.iter().all(versioned) => {
            Weight::Contradicted { ours: format!("{repo}:{tag}") }
        }
        _ => Weight::unknown("no image of a changed config has this version"),
    }
}
