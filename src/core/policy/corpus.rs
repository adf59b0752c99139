//! Every scenario of the corpus against the labels of its table, and the bot's real verdicts against the predictions.
//! Must not know: numbers of pull requests in any rule; they stand here as data.

#![allow(clippy::disallowed_methods)]

use super::tests::finding;
use super::{Finding, Status, scenario};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Agreement with the verdicts whose facts are in the corpus: it may rise and never fall.
const FLOOR: f64 = 0.95;

const MERGED: &str = "https://github.com/sgl-project/sglang/pull/36245";
const SGLANG_PAGE: &str = "https://docs.sglang.io/cookbook/autoregressive/page";
const VLLM_PAGE: &str = "https://recipes.vllm.ai/org/model";

fn shared() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus")
}

/// Today's template of the scenario with every item ticked.
fn signed(name: &str, pull: u64, details: &str) -> String {
    let facts = scenario::load(name, pull);
    let document = facts.document(crate::core::facts::DocumentKind::Checklist).unwrap().value().unwrap();
    fill(&document.text, details)
}

fn fill(document: &str, details: &str) -> String {
    let section = document.split("## Template").nth(1).unwrap();
    let template = section.split("```").nth(1).unwrap_or(section);
    template
        .replace("- [ ]", "- [x]")
        .replace("FILL_IN_GITHUB_USERNAME", "nv-owner-1")
        .replace("insert any additional info here", details)
}

fn old_checklist(name: &str) -> String {
    std::fs::read_to_string(shared().join("inferencex/checklists").join(name)).unwrap()
}

fn findings(name: &str, pull: u64, text: &str) -> Vec<Finding> {
    scenario::review(name, pull, Some(text), |_| {}).1.findings
}

/// Rules that read zip files are judged only where those can be read.
fn can_be_judged(key: &str) -> bool {
    cfg!(feature = "github") || !matches!(key, "evals" | "pareto" | "description")
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn every_label_of_the_table_holds() {
    use Status::{Fail, NotApplicable, Pass, Unavailable, Warn};
    type Row<'a> = (&'a str, u64, &'a str, &'a [(&'a str, Status)]);
    let table: &[Row<'_>] = &[
        (
            "2550-green",
            2550,
            "no link",
            &[("recipe", Fail), ("template", Pass), ("sweep", Pass), ("evals", Pass), ("reuse", Pass)],
        ),
        (
            "2550-green",
            2550,
            MERGED,
            &[("recipe", Pass), ("description", Pass), ("draft", NotApplicable), ("pareto", NotApplicable)],
        ),
        ("2550-claims", 2550, MERGED, &[("description", Warn)]),
        ("2550-newest", 2550, "no link", &[("recipe", Fail), ("reuse", Pass)]),
        ("2550-siblings", 2550, MERGED, &[("chat_template", Fail), ("siblings", Warn)]),
        ("2550-rebased", 2550, MERGED, &[("sweep", Fail), ("evals", Fail)]),
        ("2550-noevals", 2550, MERGED, &[("evals", Fail)]),
        ("2550-lowscore", 2550, MERGED, &[("evals", Fail)]),
        ("2550-running", 2550, MERGED, &[("sweep", Unavailable)]),
        ("2550-failed", 2550, MERGED, &[("sweep", Fail)]),
        ("2550-rerun", 2550, MERGED, &[("sweep", Pass), ("evals", Pass)]),
        ("2550-expired", 2550, MERGED, &[("evals", Unavailable)]),
        ("2550-noreuse", 2550, MERGED, &[("reuse", Fail)]),
        ("2550-outsider", 2550, MERGED, &[("reuse", Fail)]),
        ("2313", 2313, "no link", &[("recipe", Fail)]),
        ("2256", 2256, "no link", &[("recipe", Fail)]),
        ("2349", 2349, "no link", &[("recipe", Fail)]),
        ("2492", 2492, "no link", &[("recipe", Fail)]),
        ("2206", 2206, "no link", &[("recipe", NotApplicable)]),
        ("2462", 2462, "no link", &[("deprecated", Fail)]),
        ("2159", 2159, "no link", &[("sweep", Fail)]),
    ];
    let mut wrong = Vec::new();
    for (name, pull, details, labels) in table {
        let found = findings(name, *pull, &signed(name, *pull, details));
        for (key, status) in labels.iter().filter(|(key, _)| can_be_judged(key)) {
            let got = finding(&found, key);
            if got.status != *status {
                wrong.push(format!("{name} {key}: {status:?} expected, {:?}: {}", got.status, got.reason));
            }
        }
    }
    // A sign-off from an older checklist lacks what was added since.
    let old = findings("2610", 2610, &fill(&old_checklist("2026-08-10-f559835ae.md"), "fine"));
    let template = finding(&old, "template");
    if template.status != Fail || !template.reason.contains("append-only") {
        wrong.push(format!("2610 template: {:?} {}", template.status, template.reason));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn pull_requests_that_passed_pass() {
    let table = [
        ("2313", 2313, SGLANG_PAGE),
        ("2256", 2256, VLLM_PAGE),
        ("2349", 2349, SGLANG_PAGE),
        ("2492", 2492, SGLANG_PAGE),
        ("2206", 2206, "no link"),
    ];
    let mut wrong = Vec::new();
    for (name, pull, details) in table {
        for found in findings(name, pull, &signed(name, pull, details)) {
            if found.number.is_some()
                && can_be_judged(found.key.as_str())
                && matches!(found.status, Status::Fail | Status::Unavailable)
            {
                wrong.push(format!("{name} {} {:?}: {}", found.key, found.status, found.reason));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The corpus's words for checks → ours; see its README.
fn key(word: &str) -> &str {
    match word {
        "checklist" => "template",
        "image_order" => "images",
        "engine_patch" => "patches",
        "arch_hacks" => "hacks",
        own => own,
    }
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn predictions_agree_with_real_verdicts() {
    // Verdicts whose facts are in the corpus, and what the sign-off linked.
    let facts: BTreeMap<(u64, &str), (&str, String)> = [
        (2159, "2026-07-10", "2159", String::new()),
        (2256, "2026-07-18", "2256", VLLM_PAGE.to_owned()),
        (2313, "2026-07-23", "2313", SGLANG_PAGE.to_owned()),
        (2349, "2026-07-27", "2349", SGLANG_PAGE.to_owned()),
        (2462, "2026-08-04", "2462", String::new()),
        (2492, "2026-08-05", "2492", SGLANG_PAGE.to_owned()),
        (2206, "2026-08-10", "2206", String::new()),
        (2550, "2026-08-13", "2550-green", MERGED.to_owned()),
        (2610, "2026-08-15", "2610", VLLM_PAGE.to_owned()),
    ]
    .into_iter()
    .map(|(pull, date, name, link)| ((pull, date), (name, link)))
    .collect();
    let text = std::fs::read_to_string(shared().join("verdicts.jsonl")).unwrap();
    let (mut same, mut all, mut differences) = (0, 0, Vec::new());
    for line in text.lines() {
        let verdict: Value = serde_json::from_str(line).unwrap();
        let known: Vec<&Value> = verdict["checks"].as_array().into_iter().flatten().collect();
        for check in &known {
            let word = key(check["key"].as_str().unwrap());
            assert!(super::RULES.iter().any(|rule| rule.key == word), "no rule is called {word}");
        }
        let (pull, date) = (verdict["pr"].as_u64().unwrap(), verdict["date"].as_str().unwrap());
        let Some((name, link)) = facts.get(&(pull, date)) else { continue };
        let found = findings(name, pull, &signed(name, pull, link));
        for check in known {
            let (word, real) = (key(check["key"].as_str().unwrap()), check["status"].as_str().unwrap());
            if !can_be_judged(word) {
                continue;
            }
            let ours = finding(&found, word);
            let predicted = match ours.status {
                Status::Pass => "PASS",
                Status::Fail => "FAIL",
                Status::Warn => "WARN",
                Status::NotApplicable => "N/A",
                Status::NeedsYou | Status::Unavailable => "?",
            };
            all += 1;
            // A check that is off the table counts as passed, by the bot's own rule.
            let passes = |word: &str| matches!(word, "PASS" | "N/A" | "WARN");
            if predicted == real || (passes(predicted) && passes(real)) {
                same += 1;
            } else {
                differences.push(format!("{pull} {date} {word}: the bot said {real}, predicted {predicted}: {}", ours.reason));
            }
            assert!(
                !(predicted == "FAIL" && real == "PASS" && ours.confidence == super::Confidence::Exact),
                "{differences:#?}"
            );
        }
    }
    assert!(all >= 30, "{all} rows");
    assert!(f64::from(same) >= FLOOR * f64::from(all), "{same} of {all}: {differences:#?}");
}
