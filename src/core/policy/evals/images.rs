//! The image that a run measured with, beside those that the configs name. Score rows tell none; result rows of the same
//! run do.
//! Must not know: scores and bars, which images are accepted.

use super::super::read::{is_absent, several, whole_if_any};
use super::Context;
use crate::core::configs::{AxesFrom, Entry, resolve};
use crate::core::results::ResultRow;
use crate::core::sweep::Sweep;

/// How the images compare.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Images {
    /// No config names one.
    None,
    /// Every row that could be compared names its config's.
    Same(String),
    /// A row names another than any config that it may belong to.
    Other(String),
    /// It cannot be told, with the reason.
    Unknown(String),
}

pub(super) fn compare(context: &Context<'_>, sweep: &Sweep) -> Images {
    let keys = &context.conclusions.keys;
    let mut configs: Vec<&str> = keys.entries.iter().chain(&keys.touched).filter_map(|entry| entry.image.as_deref()).collect();
    configs.sort_unstable();
    configs.dedup();
    if configs.is_empty() {
        return Images::None;
    }
    let unknown = |why: String| Images::Unknown(format!("The configs name {}; {why}", several(&configs)));
    let remote = context.facts.results.get(&sweep.run.id);
    if is_absent(remote) {
        return unknown(format!("{} kept no result rows, and scores do not tell the image of their run.", sweep.label()));
    }
    let rows = match whole_if_any(remote, "what the run measured, which tells its image,") {
        Ok(got) => &got.value.items,
        Err(why) => return unknown(why),
    };
    let (mut same, mut other): (usize, Vec<(&str, &Entry)>) = (0, Vec::new());
    let mut used: Vec<&str> = Vec::new();
    for (row, image) in rows.iter().filter_map(|row| Some((row, row.image.as_deref()?))) {
        let Some(own) = of_row(context, row) else { continue };
        match own.iter().find(|entry| entry.image.as_deref().is_some_and(|config| is_same(config, image))) {
            Some(_) => {
                same += 1;
                used.push(image);
            }
            None => other.extend(own.first().map(|entry| (image, *entry))),
        }
    }
    let count = same + other.len();
    if let Some((image, entry)) = other.first() {
        let config = entry.image.as_deref().unwrap_or_default();
        return Images::Other(format!(
            "{} of {count} result rows of {} name another image than their config: {image}, where {} names {config}. The scores \
             are of another image: sweep the head again.",
            other.len(),
            sweep.label(),
            entry.key
        ));
    }
    if same == 0 {
        return unknown(format!("no result row of {} that is theirs tells its image.", sweep.label()));
    }
    used.sort_unstable();
    used.dedup();
    let rows = if same == 1 { "row" } else { "rows" };
    Images::Same(format!("The image is the config's by {same} result {rows} of {}: {}.", sweep.label(), several(&used)))
}

/// The configs that a row may belong to; `None` while one of them is not read, or states no image.
fn of_row<'a>(context: &Context<'a>, row: &ResultRow) -> Option<Vec<&'a Entry>> {
    let keys = &context.conclusions.keys;
    let found = resolve(&row.axes, AxesFrom::EvalRow, keys).candidates;
    let entry = |key: &String| keys.entries.iter().find(|entry| entry.key == *key && entry.image.is_some());
    let entries = found.iter().map(entry).collect::<Option<Vec<&Entry>>>()?;
    (!entries.is_empty()).then_some(entries)
}

/// Whether two names mean one image: `#` stands for the first `/`, the usual registry may be left out, and a digest behind
/// a tag says nothing more.
fn is_same(one: &str, other: &str) -> bool {
    let parts = |image: &str| {
        let image = image.trim().replacen('#', "/", 1);
        let image = image.strip_prefix("docker.io/").unwrap_or(&image);
        let (name, digest) = image.split_once('@').map_or((image, None), |(name, digest)| (name, Some(digest.to_owned())));
        (name.to_owned(), digest)
    };
    let ((name, digest), (other_name, other_digest)) = (parts(one), parts(other));
    name == other_name && (digest.is_none() || other_digest.is_none() || digest == other_digest)
}

#[cfg(test)]
mod tests {
    use super::super::super::scenario::{self, ready};
    use super::super::super::tests::finding;
    use super::super::super::{Confidence, Status};
    use super::*;
    use crate::core::axes::{Axes, Concurrency, Parallel};
    use crate::core::ids::RunId;
    use crate::core::listing::Listing;
    use crate::core::remote::Remote;
    use crate::core::results::{Power, Scenario, Throughput};

    #[test]
    fn one_image_has_several_names() {
        for (one, other, same) in [
            ("o/i:v1", "o/i:v1", true),
            ("nvcr.io#nvidia/x:1", "nvcr.io/nvidia/x:1", true),
            ("docker.io/o/i:v1", "o/i:v1", true),
            ("o/i:v1@sha256:a", "o/i:v1", true),
            ("o/i:v1@sha256:a", "o/i:v1@sha256:b", false),
            ("o/i:v1", "o/i:v2", false),
            ("o/i", "o/i:v1", false),
        ] {
            assert_eq!(is_same(one, other), same, "{one} {other}");
        }
    }

    fn row(run: RunId, runner: &str, image: Option<&str>) -> ResultRow {
        let axes = Axes {
            model: "qwen3.5".into(),
            precision: "fp4".into(),
            runner: runner.into(),
            framework: "sglang".into(),
            spec: Some("mtp".into()),
            kv: None,
            kv_backend: None,
            conc: Concurrency::One(64),
            parallel: Parallel { tp: 2, ep: 2, ..Parallel::default() },
            prefill: None,
            decode: None,
        };
        ResultRow {
            run,
            axes,
            model: "m".into(),
            scenario: Scenario::Fixed { isl: 8192, osl: 1024 },
            image: image.map(str::to_owned),
            fingerprint: None,
            gpus: None,
            throughput: Throughput::default(),
            readings: Vec::new(),
            cache_hit_rate: None,
            power: Power::NotMeasured,
            outcome: None,
            flaws: Vec::new(),
        }
    }

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn a_run_of_another_image_is_told() {
        const OWN: &str = "lmsysorg/sglang:v0.5.14-cu130";
        const OLD: &str = "lmsysorg/sglang:v0.5.12-cu130";
        let told = |rows: &[(&str, Option<&str>)]| {
            let change = |facts: &mut crate::core::facts::Facts| {
                let runs: Vec<RunId> = facts.jobs.keys().copied().collect();
                for run in runs {
                    let rows = rows.iter().map(|(runner, image)| row(run, runner, *image)).collect();
                    facts.results.insert(run, ready("rows", Listing::complete(rows)));
                }
            };
            let (facts, review) = scenario::review("2550-green", 2550, None, change);
            let policy = super::super::super::tests::policy();
            let context = Context::new(&policy, &facts, &review.conclusions, None, None, false);
            let found = finding(&review.findings, "evals").clone();
            (compare(&context, review.conclusions.validation().unwrap()), found)
        };
        assert!(matches!(told(&[("b200", Some(OWN)), ("b200", Some(OWN))]).0, Images::Same(_)));
        // A row of a config that is none of this pull request's is none of its business.
        assert!(matches!(told(&[("b200", Some(OWN)), ("b300", Some(OLD))]).0, Images::Same(_)));
        assert!(matches!(told(&[("b200", None)]).0, Images::Unknown(_)));
        assert!(matches!(told(&[]).0, Images::Unknown(_)));
        let (images, found) = told(&[("b200", Some(OWN)), ("b200", Some(OLD))]);
        let Images::Other(why) = images else { panic!("{images:?}") };
        assert!(why.starts_with("1 of 2 result rows of run 31020193450") && why.contains(OLD), "{why}");
        if cfg!(feature = "github") {
            assert_eq!((found.status, found.confidence), (Status::Fail, Confidence::Derived), "{}", found.reason);
        } else {
            assert_eq!(found.status, Status::Unavailable, "without scores nothing is said of images");
        }
        let (facts, review) = scenario::review("2550-green", 2550, None, |facts| {
            let runs: Vec<RunId> = facts.jobs.keys().copied().collect();
            facts.results.extend(runs.into_iter().map(|run| (run, Remote::Loading)));
        });
        let policy = super::super::super::tests::policy();
        let context = Context::new(&policy, &facts, &review.conclusions, None, None, false);
        let loading = compare(&context, review.conclusions.validation().unwrap());
        assert!(matches!(&loading, Images::Unknown(why) if why.contains("is not read yet")), "{loading:?}");
    }
}
