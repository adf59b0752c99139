//! Golden acceptance lengths: how many tokens a step of speculative decoding must yield, per model, mode and draft length.
//! Must not know: where the files lie, which engine is told how.

use super::yaml::{self, Problem};
use serde::Deserialize;
use serde_yaml::Spanned;
use std::collections::BTreeMap;

/// One file of curves.
#[derive(Debug, Clone, PartialEq)]
pub struct GoldenFile {
    /// Its name, by which curves are chosen: `kimik3_dspark.yaml`.
    pub file: String,
    /// What its first comment says of where the numbers come from.
    pub source: Option<String>,
    /// Model → thinking mode → curve.
    pub models: BTreeMap<String, BTreeMap<String, Curve>>,
}

/// Draft length → acceptance length. Not monotone: what is not in it is not known.
pub type Curve = BTreeMap<u32, Golden>;

/// A measured acceptance length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Golden {
    /// Tokens per step, the target's own included.
    pub length: f64,
    pub line: usize,
}

/// A golden value with the curve it stands on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found<'a> {
    pub file: &'a str,
    pub model: &'a str,
    pub golden: Golden,
}

/// Reads a file; `name` is its path or name.
///
/// # Errors
/// It cannot be read, holds no curve, or a value cannot be one: a step yields at least its own token, and at most one more
/// than was drafted.
pub fn parse(name: &str, text: &str) -> Result<GoldenFile, Problem> {
    type Raw = BTreeMap<String, BTreeMap<String, BTreeMap<u32, Spanned<f64>>>>;
    #[derive(Deserialize)]
    #[serde(transparent)]
    struct Document(Raw);
    let Document(raw) = yaml::parse(name, text)?;
    let mut models: BTreeMap<String, BTreeMap<String, Curve>> = BTreeMap::new();
    for (model, modes) in raw {
        for (mode, points) in modes {
            for (drafts, value) in points {
                let (length, line) = (value.value, usize::try_from(value.referenced.line()).unwrap_or_default());
                if drafts == 0 || !(1.0..=f64::from(drafts) + 1.0).contains(&length) {
                    let message = format!("the acceptance length of {drafts} drafted tokens cannot be {length}");
                    return Err(Problem::new(name, line, message));
                }
                let modes = models.entry(model.clone()).or_default();
                modes.entry(mode.clone()).or_default().insert(drafts, Golden { length, line });
            }
        }
    }
    if models.is_empty() {
        return Err(Problem::new(name, 1, "no curve stands in the file"));
    }
    let source = text.lines().find_map(|line| line.strip_prefix('#')).map(|line| line.trim().to_owned());
    Ok(GoldenFile { file: file_name(name).to_owned(), source, models })
}

/// The files whose name begins with a model's prefix and, if a method is given, holds it as a word:
/// `minimaxm3` and `eagle3` fit both `minimaxm3_eagle3.yaml` and `minimaxm3_eagle3_gqa.yaml`. Which of several counts is
/// for the caller to tell.
pub fn candidates<'a>(files: &'a [GoldenFile], prefix: &str, method: Option<&str>) -> Vec<&'a GoldenFile> {
    let fits = |file: &&GoldenFile| {
        name_words(&file.file, prefix)
            .is_some_and(|mut words| method.is_none_or(|method| words.any(|word| word.eq_ignore_ascii_case(method))))
    };
    files.iter().filter(fits).collect()
}

/// Whether a file's name begins with a model's prefix.
pub fn is_of(name: &str, prefix: &str) -> bool {
    name_words(file_name(name), prefix).is_some()
}

/// The words of a file's name after the prefix; `None` if the name does not begin with the prefix as a whole word.
fn name_words<'a>(file: &'a str, prefix: &str) -> Option<impl Iterator<Item = &'a str>> {
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let start = stem.get(..prefix.len()).filter(|start| !start.is_empty() && start.eq_ignore_ascii_case(prefix))?;
    let rest = &stem[start.len()..];
    (rest.is_empty() || rest.starts_with(['_', '-'])).then(|| rest.split(['_', '-']).filter(|word| !word.is_empty()))
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

impl GoldenFile {
    /// The values for this mode and draft length, one per model of the file. A length that was not measured has none: nothing
    /// is read between two points.
    pub fn lookup(&self, mode: &str, drafts: u32) -> Vec<Found<'_>> {
        let found = self.models.iter().filter_map(|(model, modes)| {
            let golden = *modes.get(mode)?.get(&drafts)?;
            Some(Found { file: &self.file, model, golden })
        });
        found.collect()
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn files() -> Vec<GoldenFile> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/corpus/inferencex/2026-08/golden_al_distribution");
        let mut paths: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "yaml"))
            .collect();
        paths.sort();
        paths.iter().map(|path| parse(path.to_str().unwrap(), &std::fs::read_to_string(path).unwrap()).unwrap()).collect()
    }

    /// `thinking_on`, one to eight drafted tokens.
    const ON: [(&str, [f64; 8]); 9] = [
        ("dsv4-pro-0813-dspark", [1.84, 2.51, 3.01, 3.36, 3.61, 3.77, 3.73, 3.47]),
        ("dsv4_mtp", [1.79, 2.27, 2.49, 2.54, 2.55, 2.55, 2.54, 2.58]),
        ("glm5.2_mtp", [1.84, 2.50, 2.99, 3.33, 3.61, 3.78, 3.91, 4.06]),
        ("kimik2.5_eagle3", [1.83, 2.43, 2.88, 3.24, 3.46, 3.62, 3.71, 3.77]),
        ("kimik3_dspark", [1.84, 2.45, 2.87, 3.22, 3.44, 3.54, 3.78, 3.88]),
        (
            "kimik3_dspark_probabilistic_sample_method_block_rejection_sample_method",
            [1.85, 2.51, 3.00, 3.36, 3.62, 3.75, 3.84, 4.00],
        ),
        ("minimaxm3_eagle3", [1.78, 2.38, 2.83, 3.11, 3.35, 3.45, 3.53, 3.74]),
        ("minimaxm3_eagle3_gqa", [1.79, 2.39, 2.78, 3.02, 3.21, 3.30, 3.52, 3.51]),
        ("qwen3.5_mtp", [1.93, 2.73, 3.39, 3.97, 4.41, 4.80, 5.04, 5.21]),
    ];

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn all_real_files_hold_their_curves() {
        let files = files();
        assert_eq!(files.len(), ON.len());
        for (file, (stem, curve)) in files.iter().zip(ON) {
            assert_eq!(file.file, format!("{stem}.yaml"));
            assert!(file.source.as_deref().is_some_and(|source| source.starts_with("Source ")), "{stem}");
            for (drafts, length) in (1..).zip(curve) {
                let found = file.lookup("thinking_on", drafts);
                assert_eq!(found.iter().map(|found| found.golden.length).collect::<Vec<_>>(), [length], "{stem} {drafts}");
                assert!(found[0].golden.line > 5, "{stem}");
            }
            for missing in [0, 9, u32::MAX] {
                assert_eq!(file.lookup("thinking_on", missing), [], "{stem} {missing}");
            }
            assert_eq!(file.lookup("thinking", 1), [], "{stem}");
        }
        let off: Vec<&str> =
            files.iter().filter(|file| !file.lookup("thinking_off", 1).is_empty()).map(|f| f.file.as_str()).collect();
        assert_eq!(
            off,
            ["dsv4_mtp.yaml", "kimik2.5_eagle3.yaml", "minimaxm3_eagle3.yaml", "minimaxm3_eagle3_gqa.yaml", "qwen3.5_mtp.yaml"]
        );
        assert_eq!(files[1].lookup("thinking_off", 4)[0].golden, Golden { length: 3.0, line: 23 });
    }

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn curves_are_chosen_by_the_words_of_the_name() {
        let files = files();
        let table: [(&str, Option<&str>, &[&str]); 9] = [
            ("qwen3.5", Some("mtp"), &["qwen3.5_mtp"]),
            ("QWEN3.5", Some("MTP"), &["qwen3.5_mtp"]),
            ("dsv4", None, &["dsv4-pro-0813-dspark", "dsv4_mtp"]),
            ("dsv4", Some("dspark"), &["dsv4-pro-0813-dspark"]),
            ("minimaxm3", Some("eagle3"), &["minimaxm3_eagle3", "minimaxm3_eagle3_gqa"]),
            (
                "kimik3",
                Some("dspark"),
                &["kimik3_dspark", "kimik3_dspark_probabilistic_sample_method_block_rejection_sample_method"],
            ),
            ("glm5", None, &[]),
            ("kimik2", None, &[]),
            ("", None, &[]),
        ];
        for (prefix, method, want) in table {
            let found: Vec<&str> =
                candidates(&files, prefix, method).iter().map(|file| file.file.trim_end_matches(".yaml")).collect();
            assert_eq!(found, want, "{prefix} {method:?}");
        }
    }

    #[test]
    fn what_cannot_be_a_curve_is_refused_with_its_line() {
        let table = [
            ("", 1, ""),
            ("{}", 1, "no curve"),
            ("m:\n  on: {}\n", 1, "no curve"),
            ("m:\n  on:\n    1: 2.5\n", 3, "cannot be 2.5"),
            ("m:\n  on:\n    1: 0.9\n", 3, "cannot be 0.9"),
            ("m:\n  on:\n    1: .nan\n", 3, "cannot be NaN"),
            ("m:\n  on:\n    0: 1.0\n", 3, "0 drafted"),
            ("m:\n  on:\n    1: 1.5\n    1: 1.6\n", 4, "duplicate"),
            ("m:\n  on:\n    x: 1.5\n", 3, ""),
            ("m:\n  on:\n    -1: 1.5\n", 3, ""),
            ("m:\n  on:\n    1: high\n", 3, ""),
            ("m: 1.5\n", 1, ""),
        ];
        for (text, line, word) in table {
            let problem = parse("f.yaml", text).unwrap_err();
            assert!(problem.line.abs_diff(line) <= 1 && problem.message.contains(word), "{text:?}: {problem}");
        }
    }

    proptest! {
        #[test]
        fn nothing_panics_and_every_value_is_possible(text in "(m:\n|  (on|off):\n|    [0-9]: [0-9](\\.[0-9]{1,2})?\n|[a: é]){0,12}") {
            if let Ok(file) = parse("d/f.yaml", &text) {
                prop_assert_eq!(file.file.as_str(), "f.yaml");
                for (drafts, golden) in file.models.values().flat_map(BTreeMap::values).flatten() {
                    prop_assert!(*drafts > 0 && golden.length >= 1.0 && golden.length <= f64::from(*drafts) + 1.0);
                }
            }
        }

        #[test]
        fn names_never_panic(name in "\\PC{0,12}", prefix in "\\PC{0,6}") {
            let _ = name_words(&name, &prefix).map(Iterator::count);
        }
    }
}
