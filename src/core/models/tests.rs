//! The two stored pages around each of their days, and pages that say less, more or something else.
//! Must not know: which rule asks.

#![allow(clippy::disallowed_methods)]

use super::*;
use proptest::prelude::*;
use std::sync::OnceLock;

fn policy() -> ModelPolicy {
    static POLICY: OnceLock<ModelPolicy> = OnceLock::new();
    POLICY.get_or_init(|| crate::core::policy::tests::policy().models.unwrap()).clone()
}

fn page(path: &str) -> String {
    std::fs::read_to_string(format!("{}/../shared/corpus/inferencex/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

const AUGUST: &str = "2026-08/MODELS.md";
const NEWEST: &str = "newest/inferencex-e2e/docs/MODELS.md";

/// `prefix scenario precision spec`.
fn asked(words: &str) -> Asked<'_> {
    let words: Vec<&str> = words.split(' ').collect();
    Asked { prefix: words[0], scenario: words[1], precision: words[2], spec: Some(words[3]) }
}

fn told(support: &Support) -> String {
    match support {
        Support::Allowed { notes, last, .. } => {
            let last = last.map(|last| format!("until {last} ")).unwrap_or_default();
            format!("allowed {last}{}", notes.join(" "))
        }
        Support::Deprecated { why, since, .. } => {
            format!("deprecated {} {why}", since.map_or("-".to_owned(), |since| since.to_string()))
        }
        Support::Unknown { why } => format!("unknown {why}"),
    }
}

fn check(models: &Models, table: &[(&str, &str, &str)]) {
    let policy = policy();
    for (point, day, want) in table {
        let support = models.support(&policy, asked(point), day.parse().unwrap());
        let told = told(&support);
        assert!(told.trim_end().starts_with(want), "{point} on {day}: {told}");
        if let Support::Deprecated { line, .. } | Support::Allowed { line, .. } = support {
            assert!(line > 5, "{point} on {day}");
        }
    }
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn the_page_of_august_is_kept_to_the_day() {
    let models = parse(&policy(), "MODELS.md", &page(AUGUST));
    assert_eq!(models.problems, []);
    assert_eq!((models.models.len(), models.scenarios.len()), (12, 4));
    check(
        &models,
        &[
            // Monday, August 3 is the last day of the first table.
            ("minimaxm3 8k1k fp4 mtp", "2026-08-02", "allowed until 2026-08-03"),
            ("minimaxm3 8k1k fp4 mtp", "2026-08-03", "allowed until 2026-08-03"),
            ("minimaxm3 8k1k fp4 mtp", "2026-08-04", "deprecated 2026-08-04 MiniMax-M3 Single-turn 8k1k had its last day"),
            ("minimaxm3 8k1k fp4 mtp", "2026-08-21", "deprecated 2026-08-04"),
            ("minimaxm3 agentic-coding fp4 mtp", "2026-08-04", "allowed"),
            ("kimik2.5 agentic-coding fp4 mtp", "2026-08-03", "allowed"),
            ("kimik2.5 agentic-coding fp4 mtp", "2026-08-04", "deprecated 2026-08-04"),
            ("qwen3.5 8k1k bf16 none", "2026-08-03", "allowed"),
            ("qwen3.5 8k1k bf16 none", "2026-08-04", "deprecated 2026-08-04"),
            ("qwen3.5 agentic-coding bf16 mtp", "2026-08-03", "allowed"),
            ("qwen3.5 agentic-coding BF16 mtp", "2026-08-04", "deprecated 2026-08-04"),
            // Thursday, August 6, told in prose.
            ("kimik2.5 8k1k fp4 mtp", "2026-08-06", "allowed until 2026-08-06"),
            ("kimik2.5 8k1k fp4 mtp", "2026-08-07", "deprecated 2026-08-07"),
            // A prefix that only the class name holds.
            ("kimik2.6 8k1k fp4 mtp", "2026-08-06", "allowed"),
            ("kimik2.7 8k1k fp4 mtp", "2026-08-07", "deprecated 2026-08-07"),
            ("kimik2.8 8k1k fp4 mtp", "2026-08-07", "unknown The support matrix does not name kimik2.8."),
            // The matrix alone.
            ("qwen3.5 8k1k fp4 mtp", "2026-08-11", "allowed"),
            ("qwen3.5 8k1k fp8 mtp", "2026-08-11", "allowed"),
            ("qwen3.5 8k1k int4 mtp", "2026-08-11", "deprecated - Qwen3.5-397B-A17B is limited to fp8/fp4"),
            ("qwen3.5 1k1k fp4 mtp", "2026-07-16", "unknown Single-turn 1k1k is deprecated since 2026-07-17"),
            ("qwen3.5 1k1k fp4 mtp", "2026-07-17", "deprecated 2026-07-17 Single-turn 1k1k is deprecated."),
            ("qwen3.5 1k8k fp4 mtp", "2026-08-11", "deprecated 2026-03-27"),
            ("dsr1 8k1k fp8 none", "2026-08-21", "allowed"),
            ("dsr1 agentic-coding fp8 none", "2026-08-21", "deprecated - Agentic coding is not among the active scenarios"),
            ("dsv4 8k1k fp4 mtp", "2026-08-21", "allowed"),
            ("glm5.1 8k1k fp8 mtp", "2026-07-17", "unknown GLM-5 / GLM-5.1 was retired on 2026-07-18"),
            ("glm5.1 8k1k fp8 mtp", "2026-07-18", "deprecated 2026-07-18 GLM-5 / GLM-5.1 is retired."),
            ("gptoss 8k1k fp4 none", "2026-07-05", "unknown"),
            ("gptoss 8k1k fp4 none", "2026-07-06", "deprecated 2026-07-06"),
            ("glm5.2 8k1k fp4 mtp", "2026-08-21", "deprecated - Single-turn 8k1k is not among"),
            // Arms without speculative decoding: not carried out yet.
            ("dsv4 agentic-coding fp4 none", "2026-08-21", "allowed The page retires its arm"),
            ("glm5.2 agentic-coding fp4 none", "2026-08-21", "allowed The page retires its arm"),
            ("glm5.2 agentic-coding fp4 mtp", "2026-08-21", "allowed"),
            ("kimik3 agentic-coding fp4 none", "2026-08-21", "deprecated - Kimi-K3 Agentic coding runs with dspark only"),
            ("kimik3 agentic-coding fp4 mtp", "2026-08-21", "allowed It runs with dspark only; the config's word mtp"),
            ("kimik3 agentic-coding fp4 DSpark", "2026-08-21", "allowed"),
            ("kimik3 agentic-coding fp4 eagle3", "2026-08-21", "deprecated -"),
            ("qwen3.8 agentic-coding fp4 mtp", "2026-08-21", "allowed"),
            ("glm5.3 agentic-coding fp4 mtp", "2026-08-21", "unknown"),
            ("dsv4 4k4k fp4 mtp", "2026-08-21", "unknown The scenario 4k4k"),
        ],
    );
    let exact = models.support(&policy(), asked("kimik3 agentic-coding fp4 DSpark"), "2026-08-21".parse().unwrap());
    assert!(matches!(exact, Support::Allowed { notes, .. } if notes.is_empty()));
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn the_newest_page_is_kept_to_the_day() {
    let models = parse(&policy(), "MODELS.md", &page(NEWEST));
    assert_eq!(models.problems, []);
    assert_eq!((models.models.len(), models.scenarios.len()), (14, 4));
    check(
        &models,
        &[
            ("dsv4 8k1k fp4 mtp", "2026-09-08", "allowed until 2026-09-08"),
            ("dsv4 8k1k fp4 mtp", "2026-09-09", "deprecated 2026-09-09 DeepSeek-V4-Pro Single-turn 8k1k had its last day"),
            ("dsv4 agentic-coding fp4 mtp", "2026-09-09", "allowed"),
            ("dsv4 agentic-coding fp4 none", "2026-10-09", "allowed The page retires its arm"),
            ("minimaxm3 8k1k fp4 mtp", "2026-08-03", "allowed"),
            ("minimaxm3 8k1k fp4 mtp", "2026-08-04", "deprecated 2026-08-04"),
            ("kimik2.5 8k1k fp4 mtp", "2026-08-07", "deprecated 2026-08-07"),
            ("qwen3.5 8k1k fp4 mtp", "2026-10-09", "allowed"),
            ("qwen3.5 8k1k bf16 mtp", "2026-10-09", "deprecated 2026-08-04"),
            ("kimik3 agentic-coding fp4 none", "2026-10-09", "allowed"),
            ("glm5.3 agentic-coding fp8 mtp", "2026-10-09", "allowed"),
            ("glm5.3 agentic-coding fp8 none", "2026-10-09", "deprecated - GLM-5.3 Agentic coding runs with mtp only"),
            ("dsv41flash agentic-coding fp4 none", "2026-10-09", "allowed"),
            ("glm5.1 1k1k fp8 mtp", "2026-09-30", "unknown"),
            ("glm5.1 1k1k fp8 mtp", "2026-10-01", "deprecated 2026-10-01 GLM-5 / GLM-5.1 is retired."),
            ("dsr1 1k1k fp8 none", "2026-10-09", "deprecated 2026-07-17"),
            ("qwen3.8 agentic-coding fp4 mtp", "2026-10-09", "unknown The support matrix does not name qwen3.8."),
            ("qwen3.8next agentic-coding fp4 mtp", "2026-10-09", "allowed"),
        ],
    );
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn every_page_of_every_scenario_is_understood() {
    let pages = crate::core::policy::scenario::texts("MODELS.md");
    assert!(pages.len() > 4, "{}", pages.len());
    for (blob, text) in &pages {
        let models = parse(&policy(), blob, text);
        assert_eq!(models.problems, [], "{blob}");
        assert!(models.models.len() > 10 && models.scenarios.len() == 4, "{blob}");
    }
    // The page of the day on which most ended, by a scenario that it has.
    let is_of_that_day = |(_, text): &&(String, String)| text.contains("EAGLE3 only from 2026-08-03");
    let (blob, text) = pages.iter().find(is_of_that_day).unwrap();
    check(
        &parse(&policy(), blob, text),
        &[
            ("minimaxm3 8k1k fp4 eagle3", "2026-08-03", "allowed until 2026-08-03"),
            ("minimaxm3 8k1k fp4 eagle3", "2026-08-04", "deprecated 2026-08-04"),
            // The matrix says from that day on, the notice that it is the last: the notice outranks it.
            ("minimaxm3 agentic-coding fp4 none", "2026-08-02", "allowed until 2026-08-03"),
            ("minimaxm3 agentic-coding fp4 none", "2026-08-03", "allowed until 2026-08-03"),
            ("minimaxm3 agentic-coding fp4 none", "2026-08-04", "deprecated 2026-08-04"),
            ("minimaxm3 agentic-coding fp4 eagle3", "2026-08-04", "allowed"),
            ("minimaxm3 agentic-coding fp4 draft_model", "2026-08-02", "allowed"),
            (
                "minimaxm3 agentic-coding fp4 draft_model",
                "2026-08-03",
                "deprecated - MiniMax-M3 Agentic coding runs with eagle3",
            ),
            ("kimik2.5 8k1k fp4 mtp", "2026-08-06", "allowed until 2026-08-06"),
            ("kimik2.5 8k1k fp4 mtp", "2026-08-07", "deprecated 2026-08-07"),
            ("kimik2.5 agentic-coding fp4 mtp", "2026-08-04", "deprecated 2026-08-04"),
            ("kimik3 agentic-coding fp4 none", "2026-08-02", "deprecated - Kimi-K3 Agentic coding runs with dspark only"),
            ("qwen3.5 8k1k bf16 mtp", "2026-08-03", "allowed until 2026-08-03"),
            ("qwen3.5 8k1k bf16 mtp", "2026-08-04", "deprecated 2026-08-04"),
            ("qwen3.5 8k1k int4 mtp", "2026-08-03", "deprecated - Qwen3.5-397B-A17B is limited to fp8/fp4"),
            ("qwen3.5 8k1k fp8 mtp", "2026-08-20", "allowed"),
            ("glm5.1 8k1k fp8 none", "2026-08-01", "deprecated 2026-07-18 GLM-5 / GLM-5.1 is retired."),
        ],
    );
}

#[test]
fn a_cell_of_the_matrix_tells_days_of_its_own() {
    let cell = "Single-turn 8k1k (until 2026-08-10, see below), Agentic coding (MTP only from 2026-08-05); fp8/fp4 only — \
                fully retired after 2026-08-12";
    let page = PAGE
        .replace("Agentic coding (Single-turn 8k1k never ran) | Single-turn 8k1k (removed 2026-08-01)", &format!("{cell} |"));
    let models = parse(&policy(), "MODELS.md", &page);
    assert_eq!(models.problems, []);
    check(
        &models,
        &[
            ("bb 8k1k fp4 none", "2026-08-10", "allowed until 2026-08-10"),
            ("bb 8k1k fp4 none", "2026-08-11", "deprecated 2026-08-11 Bb Single-turn 8k1k had its last day on 2026-08-10."),
            ("bb agentic-coding fp8 none", "2026-08-04", "allowed until 2026-08-12"),
            ("bb agentic-coding fp8 none", "2026-08-05", "deprecated - Bb Agentic coding runs with mtp only"),
            ("bb agentic-coding fp8 mtp", "2026-08-12", "allowed until 2026-08-12"),
            ("bb agentic-coding fp8 mtp", "2026-08-13", "deprecated 2026-08-13 Bb had its last day"),
            ("bb agentic-coding bf16 mtp", "2026-08-05", "deprecated - Bb is limited to fp8/fp4"),
        ],
    );
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn a_page_without_notices_is_older_than_they_are() {
    let whole = page(AUGUST);
    let (before, rest) = whole.split_once("## Deprecation Notice").unwrap();
    let (_, after) = rest.split_once("## Scenarios").unwrap();
    let models = parse(&policy(), "MODELS.md", &format!("{before}## Scenarios{after}"));
    assert_eq!(models.problems, []);
    let renamed = whole.replace("## Deprecation Notice", "## What ends");
    assert!(!parse(&policy(), "MODELS.md", &renamed).problems.is_empty());
}

/// A small page of our own.
const PAGE: &str = "\
## Deprecation Notice

### Monday, August 3, 2026

| Model | Deprecated | Remains |
|---|---|---|
| Aa (`aa`) | Single-turn 8k1k | Agentic coding |

## Scenarios

| Scenario | ISL/OSL | Status |
|---|---|---|
| Agentic coding | x | Active. |
| Single-turn 8k1k | x | Active. |
| Single-turn 1k1k | x | Deprecated since 2026-07-17. Bb keeps it. |

## Model support matrix

| Model architecture class | Prefix | Date added | Active scenarios | Deprecated scenarios |
|---|---|---|---|---|
| Aa | `aa` | x | Single-turn 8k1k, Agentic coding | |
| Bb | `bb` | x | Agentic coding (Single-turn 8k1k never ran) | Single-turn 8k1k (removed 2026-08-01) |
";

#[test]
fn a_page_that_is_not_understood_allows_nothing() {
    let whole = |text: &str| parse(&policy(), "MODELS.md", text);
    assert_eq!(whole(PAGE).problems, []);
    check(
        &whole(PAGE),
        &[
            ("aa agentic-coding fp4 mtp", "2026-08-20", "allowed"),
            // The matrix still lists it; the notice outranks it.
            ("aa 8k1k fp4 mtp", "2026-08-03", "allowed"),
            ("aa 8k1k fp4 mtp", "2026-08-04", "deprecated 2026-08-04"),
            ("bb 8k1k fp4 mtp", "2026-07-31", "unknown Single-turn 8k1k was removed on 2026-08-01"),
            ("bb 8k1k fp4 mtp", "2026-08-01", "deprecated 2026-08-01"),
            ("bb 1k1k fp4 mtp", "2026-08-20", "unknown Single-turn 1k1k is deprecated, with words about Bb"),
            ("aa 1k1k fp4 mtp", "2026-08-20", "deprecated 2026-07-17"),
        ],
    );
    let pending = PAGE.replace("\n## Scenarios", "\nThis is **not yet enacted**.\n\n## Scenarios");
    check(&whole(&pending), &[("aa 8k1k fp4 mtp", "2026-08-04", "unknown Its last day was 2026-08-03, but")]);

    // What is odd about one model, or one scenario, leaves the others as they are.
    let others = [
        ("| Single-turn 8k1k | x", "| Single-turn 9k9k | x", "Single-turn 9k9k is not known"),
        ("| Single-turn 8k1k | x | Active.", "| Single-turn 8k1k | x | Perhaps.", "whether the scenario 8k1k is active"),
        ("| `bb` |", "| bb |", "no prefix in code marks"),
        ("Agentic coding (Single-turn 8k1k never ran)", "Something", "no known scenario"),
        ("Agentic coding (Single-turn 8k1k never ran)", "Agentic coding (until soon)", "what (until soon) says"),
        ("Agentic coding (Single-turn 8k1k never ran)", "Agentic coding (ends 2026-09-01)", "what (ends 2026-09-01) says"),
        ("Agentic coding (Single-turn 8k1k never ran)", "Agentic coding (new MTP only)", "what (new MTP only) says"),
        ("Agentic coding (Single-turn 8k1k never ran)", "Agentic coding (MTP only if so)", "what (MTP only if so) says"),
        ("Agentic coding (Single-turn 8k1k never ran)", "Agentic coding; good only", "no known precision"),
        ("Agentic coding (Single-turn 8k1k never ran)", "Agentic coding, gone 2026-09-01", "gone 2026-09-01\" ends"),
    ];
    for (from, to, problem) in others {
        assert!(PAGE.contains(from), "{from}");
        let models = whole(&PAGE.replace(from, to));
        assert!(models.problems.iter().any(|told| told.to_string().contains(problem)), "{problem}: {:?}", models.problems);
        check(&models, &[("aa agentic-coding fp4 mtp", "2026-08-20", "allowed")]);
        let about_bb = problem.contains("scenario 8k1k") || problem.contains("9k9k");
        let odd = if about_bb { "aa 8k1k fp4 mtp" } else { "bb agentic-coding fp4 mtp" };
        check(&models, &[(odd, "2026-08-02", "unknown")]);
    }

    let table = [
        ("### Monday, August", "### Tuesday, August", "names no day"),
        ("### Monday, August 3, 2026", "### Soon", "stands under no dated heading"),
        ("| Model | Deprecated |", "| Model | Gone |", "no column for what ends"),
        ("| Model | Deprecated |", "| Who | Deprecated |", "no column for the model"),
        ("| Aa (`aa`) | Single", "| Aa | Single", "names no prefix"),
        ("(`aa`) | Single-turn 8k1k |", "(`aa`) | something |", "what ends for aa cannot be told"),
        ("| Aa (`aa`) | Single-turn 8k1k | Agentic coding |\n", "", "nothing that ends"),
        (
            "| Agentic coding | x | Active. |",
            "| Agentic coding | x | Perhaps. |",
            "whether the scenario agentic-coding is active",
        ),
        ("| Scenario | ISL", "| What | ISL", "lacks a column"),
        ("## Scenarios", "## Scenes", "no table of scenarios"),
        ("## Model support matrix", "## Models", "no table of models"),
        ("## Deprecation Notice", "## Notices", "no section \"Deprecation Notice\""),
        ("| Prefix |", "| Pre |", "lacks a column"),
        ("8k1k, Agentic coding | |", "8k1k, Agentic coding limited to good | |", "no known precision"),
    ];
    for (from, to, problem) in table {
        assert!(PAGE.contains(from), "{from}");
        let models = whole(&PAGE.replace(from, to));
        assert!(models.problems.iter().any(|told| told.to_string().contains(problem)), "{problem}: {:?}", models.problems);
        let support = models.support(&policy(), asked("aa agentic-coding fp4 mtp"), "2026-08-20".parse().unwrap());
        assert!(matches!(support, Support::Unknown { .. }), "{to}: {support:?}");
    }
}

#[test]
fn an_empty_word_of_the_policy_is_told() {
    let mut policy = policy();
    assert_eq!(policy.problems(), [] as [String; 0]);
    policy.matrix.none = vec![" ".to_owned()];
    policy.precisions.clear();
    policy.notices.pending.push("…".to_owned());
    assert_eq!(
        policy.problems(),
        ["`models.matrix.none` is empty", "`models.notices.pending` is empty", "`models.precisions` is empty"]
    );
}

proptest! {
    #[test]
    fn a_page_cut_anywhere_never_allows_what_the_whole_does_not(at in 0usize..=PAGE.len(), day in 0i64..40) {
        let policy = policy();
        let day = NaiveDate::from_ymd_opt(2026, 7, 20).unwrap() + chrono::Days::new(day.unsigned_abs());
        let cut = parse(&policy, "MODELS.md", &PAGE[..at]);
        let whole = parse(&policy, "MODELS.md", PAGE);
        for point in ["aa 8k1k fp4 mtp", "aa agentic-coding fp4 none", "bb 8k1k fp4 mtp", "bb 1k1k fp4 mtp"] {
            if let Support::Allowed { .. } = cut.support(&policy, asked(point), day) {
                let whole = whole.support(&policy, asked(point), day);
                let allows = matches!(whole, Support::Allowed { .. });
                prop_assert!(allows, "{}: {:?}", point, whole);
            }
        }
    }
}
