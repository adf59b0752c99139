//! Rule `images`: open engines run the images that their projects publish, and a vendor's engine comes after an open one
//! for the same model and hardware.
//! Must not know: which projects and engines there are.

use super::read::{several, unavailable};
use super::{Context, Finding, Status};
use crate::core::configs::Entry;
use crate::core::configs::compare::Fate;
use crate::core::evidence::Evidence;
use crate::core::facts::Side;
use crate::core::plan::{self, Read};
use crate::core::remote::Remote;
use crate::core::yaml;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const KEY: &str = "images";

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ImagePolicy {
    /// Framework → repositories of images that its project publishes.
    pub upstream: BTreeMap<String, Vec<String>>,
    /// Hardware on which only those count.
    pub established: Vec<String>,
    /// Words of which one stands in the name of every framework that serves an open engine.
    pub open_engines: Vec<String>,
    /// Era → frameworks that come after an open engine; an era without an entry holds every framework to it that is not an
    /// open engine by itself.
    pub vendor_engines: BTreeMap<String, Vec<String>>,
}

/// Master files that this pull request does not change: an open engine may have its entry there.
pub(super) fn needs(context: &Context<'_>, reads: &mut Vec<Read>) {
    let keys = &context.conclusions.keys;
    if keys.masters.is_empty() && keys.changelog.is_empty() {
        return;
    }
    let changed = |path: &String| {
        let files = context.facts.files.value().map(|files| files.items.as_slice()).unwrap_or_default();
        files.iter().any(|file| file.path == *path || file.previous_path.as_ref() == Some(path))
    };
    for (name, paths) in context.policy.configs.masters.iter().filter(|(_, paths)| !paths.iter().any(changed)) {
        reads.push(Read::Master { name: name.clone(), paths: plan::candidates(context.facts, paths) });
    }
}

pub(super) fn check(context: &Context<'_>) -> Finding {
    judge(context).unwrap_or_else(|why| unavailable(KEY, why))
}

fn judge(context: &Context<'_>) -> Result<Finding, String> {
    let policy = &context.policy.rules.images;
    let keys = &context.conclusions.keys;
    if let Some(doubt) = keys.doubt() {
        return Err(doubt);
    }
    if keys.touched.is_empty() {
        return Ok(
            Finding::new(KEY, "", Status::NotApplicable, "No config entry is added or changed.").in_brief("no entry changed")
        );
    }
    let excuse = context.excuses().unwrap_or_default();
    let mut wrong: Vec<String> = Vec::new();
    let mut notes = Vec::new();
    for entry in &keys.touched {
        let Some(accepted) = policy.upstream.get(&entry.framework).filter(|_| is_established(policy, entry)) else { continue };
        let image = entry.image.as_deref().unwrap_or("no image");
        let repository = repository(image);
        if accepted.contains(&repository) {
            continue;
        }
        let says = format!("{} runs {image}, which is no image of {}", entry.key, several(accepted));
        match excuse.contains(&repository) {
            // Whether the reason is good is for a person, and for the bot.
            true => notes.push(format!("{says}; the details speak of it.")),
            false => wrong.push(says),
        }
    }
    let mut first = None;
    let added = |key: &str| keys.changes.iter().any(|change| change.key == key && change.fate == Fate::Added);
    for entry in keys.touched.iter().filter(|entry| added(&entry.key) && is_vendor(context, entry)) {
        match open_entry(context, entry)? {
            Some(open) => first = Some(format!("{open} serves the same model and hardware with an open engine.")),
            None => wrong.push(format!(
                "{} brings {} before any open engine serves {} on {}",
                entry.key,
                entry.framework,
                entry.model_prefix,
                sku(&entry.runner)
            )),
        }
    }
    let evidence: Vec<Evidence> = keys.touched.iter().filter_map(|entry| entry_evidence(context, entry)).collect();
    if let Some(reason) = wrong.first() {
        let more = if wrong.len() > 1 { format!(" ({} more like it)", wrong.len() - 1) } else { String::new() };
        let found =
            Finding::new(KEY, "", Status::Fail, format!("{reason}{more}. Give the reason in the details if there is one."));
        return Ok(found
            .in_brief(format!("{} of {} entries", wrong.len(), keys.touched.len()))
            .with(evidence)
            .note(wrong.into_iter().skip(1))
            .note(notes));
    }
    let count = keys.touched.len();
    let status = if notes.is_empty() { Status::Pass } else { Status::Warn };
    let reason = format!(
        "{count} changed {}: images as published upstream, open engines first.",
        if count == 1 { "entry" } else { "entries" }
    );
    Ok(Finding::new(KEY, "", status, reason).in_brief("upstream images").with(evidence).note(first).note(notes))
}

/// The repository of an image, without registry separator, tag and digest: `nvcr.io#nvidia/x:1` → `nvcr.io/nvidia/x`.
fn repository(image: &str) -> String {
    let image = image.replacen('#', "/", 1);
    let image = image.split('@').next().unwrap_or_default();
    match image.rsplit_once(':') {
        // A port of a registry is no tag.
        Some((name, tag)) if !tag.contains('/') => name.to_owned(),
        _ => image.to_owned(),
    }
}

/// The hardware of a runner: `cluster:b300-nv` → `b300`.
pub(super) fn sku(runner: &str) -> &str {
    let runner = runner.rsplit_once(':').map_or(runner, |(_, runner)| runner);
    runner.split('-').next().unwrap_or(runner)
}

fn is_established(policy: &ImagePolicy, entry: &Entry) -> bool {
    policy.established.iter().any(|known| known.eq_ignore_ascii_case(sku(&entry.runner)))
}

fn is_open(policy: &ImagePolicy, framework: &str) -> bool {
    policy.open_engines.iter().any(|engine| framework.to_ascii_lowercase().contains(engine.as_str()))
}

fn is_vendor(context: &Context<'_>, entry: &Entry) -> bool {
    let policy = &context.policy.rules.images;
    match policy.vendor_engines.get(context.era) {
        Some(vendors) => vendors.contains(&entry.framework),
        None => !policy.open_engines.contains(&entry.framework),
    }
}

/// A key with an open engine for the same model and hardware, anywhere in the master files at the head.
fn open_entry(context: &Context<'_>, entry: &Entry) -> Result<Option<String>, String> {
    let policy = &context.policy.rules.images;
    let fits = |other: &Entry| {
        other.model_prefix == entry.model_prefix
            && sku(&other.runner).eq_ignore_ascii_case(sku(&entry.runner))
            && is_open(policy, &other.framework)
    };
    // What this pull request adds itself counts too.
    if let Some(own) = context.conclusions.keys.touched.iter().find(|other| fits(other)) {
        return Ok(Some(own.key.clone()));
    }
    if context.conclusions.keys.known.is_none() {
        return Err("Not all config files are read, so whether an open engine came first cannot be told.".to_owned());
    }
    let masters = context.facts.masters.values().filter_map(Remote::settled);
    let sides =
        context.facts.sides.iter().filter(|((side, path), _)| *side == Side::Head && context.policy.configs.is_master(path));
    let texts = masters.chain(sides.filter_map(|(_, remote)| remote.settled())).map(|got| &got.value);
    for text in texts {
        for section in yaml::top_level(&text.text) {
            // Parsing every entry would cost more than all other rules together: the words must be there first.
            let words = section.text(&text.text);
            if words.contains(&entry.model_prefix)
                && let Some(Ok(other)) = crate::core::configs::masters::entry(&text.path, words, &section.key)
                && fits(&other)
            {
                return Ok(Some(other.key));
            }
        }
    }
    Ok(None)
}

/// The head's master file that holds the entry.
fn entry_evidence(context: &Context<'_>, entry: &Entry) -> Option<Evidence> {
    let change = context.conclusions.keys.changes.iter().find(|change| change.key == entry.key)?;
    let got = context.facts.sides.get(&(Side::Head, change.path.clone()))?.settled()?;
    let link = got.source.commit.as_ref().map(|commit| context.facts.page(&format!("blob/{commit}/{}", change.path)));
    Some(Evidence::new("config", format!("{} in {}", entry.key, change.path), link, got.source.clone()))
}

#[cfg(test)]
mod tests {
    use super::super::scenario;
    use super::super::tests::finding;
    use super::*;

    #[test]
    fn repositories_and_hardware() {
        for (image, name) in [
            ("lmsysorg/sglang:v0.5.14-cu130", "lmsysorg/sglang"),
            ("nvcr.io#nvidia/tensorrt-llm/release:1.3", "nvcr.io/nvidia/tensorrt-llm/release"),
            ("host:5000/a/b", "host:5000/a/b"),
            ("vllm/vllm-openai@sha256:abc", "vllm/vllm-openai"),
            ("vllm/vllm-openai:v1@sha256:abc", "vllm/vllm-openai"),
        ] {
            assert_eq!(repository(image), name);
        }
        for (runner, hardware) in [("b200", "b200"), ("cluster:b300-nv", "b300"), ("mi355x-disagg", "mi355x")] {
            assert_eq!(sku(runner), hardware);
        }
    }

    fn says(name: &str, number: u64, from: &str, to: &str) -> (Status, String) {
        let (_, review) = scenario::review(name, number, None, |facts| {
            for ((side, path), remote) in &mut facts.sides {
                if let Remote::Ready(got) = remote
                    && *side == Side::Head
                    && path.ends_with("master.yaml")
                {
                    got.value.text = got.value.text.replace(from, to);
                    got.source.digest = to.to_owned();
                }
            }
        });
        let found = finding(&review.findings, KEY);
        (found.status, found.reason.clone())
    }

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn images_and_order_of_real_entries() {
        assert_eq!(says("2313", 2313, "", "").0, Status::Pass);
        assert_eq!(says("2159", 2159, "", "").0, Status::NotApplicable);
        let (status, reason) = says("2313", 2313, "lmsysorg/sglang:", "rocm/sgl-dev:");
        assert!(status == Status::Fail && reason.contains("rocm/sgl-dev"), "{reason}");
        // A new vendor's engine: the same model has an open engine on the same hardware, until its name says otherwise.
        let (status, reason) = says("2206", 2206, "", "");
        assert_eq!(status, Status::Pass, "{reason}");
        // Without any open engine the same entry comes first.
        let (status, reason) = says("2206", 2206, "sglang", "other");
        assert!(status == Status::Fail && reason.contains("before any open engine"), "{status:?} {reason}");
    }
}
