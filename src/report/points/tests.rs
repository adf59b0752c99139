//! Points as JSON and as lines. Must not know: how they are drawn.
#![allow(clippy::disallowed_methods)]

use super::{Report, report};
use crate::core::conclusions::Conclusions;
use crate::core::facts::{Facts, Side};
use crate::core::ids::BlobId;
use crate::core::points::Points;
use crate::core::points::world::*;
use crate::core::policy::tests::policy;
use serde_json::{Value, json};

fn told(facts: &Facts, as_json: bool) -> Report {
    let policy = policy();
    report(facts, &Points::draw(&policy, facts, &Conclusions::draw(&policy, facts)), as_json)
}

fn read(facts: &Facts) -> Value {
    serde_json::from_str(&told(facts, true).text).unwrap()
}

#[test]
fn the_document_has_the_promised_members() {
    let document = read(&green());
    let names = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<String>>();
    for name in ["schema", "complete", "doubt", "added", "changed", "removed", "untouched"] {
        assert!(names(&document).iter().any(|key| key == name), "{name}");
    }
    assert_eq!(
        (&document["schema"], &document["complete"], &document["doubt"], &document["untouched"]),
        (&json!(1), &json!(true), &Value::Null, &json!(2))
    );
    let point = &document["added"][3];
    for name in ["config", "scenario", "axes", "fields_changed", "job", "result", "eval", "hole"] {
        assert!(names(point).iter().any(|key| key == name), "{name}");
    }
    assert_eq!((&point["config"], &point["scenario"], &point["hole"]), (&json!("k"), &json!("fixed-seq-len"), &Value::Null));
    assert_eq!((&point["axes"]["tp"], &point["axes"]["conc"], &point["isl_tokens"]), (&json!(2), &json!(64), &json!(8192)));
    assert_eq!(
        (&point["job"]["run_id"], &point["job"]["conclusion"], &point["job"]["commits_behind"]),
        (&json!(RUN.0), &json!("success"), &json!(0))
    );
    assert_eq!(
        (&point["result"]["total_tok_per_s_per_gpu"], &point["result"]["readings"]["median_ttft_s"]),
        (&json!(21865.5), &json!(0.6405))
    );
    assert_eq!(point["result"]["readings"]["p90_intvty_tok_per_s_per_user"], json!(74.63));
    assert_eq!(
        (&point["eval"]["score"], &point["eval"]["threshold"], &point["eval"]["pass"], &point["eval"]["id"]),
        (&json!(0.968), &json!(0.94), &json!(true), &json!(64))
    );
    let low = &document["added"][0];
    assert_eq!((&low["eval"], &low["holes"]["eval"]["expected"]), (&Value::Null, &json!(true)));
    assert_eq!(low["holes"]["eval"]["kind"], json!("eval_not_due_below_concurrency"));
    assert!(low["hole"].as_str().unwrap().contains("concurrency 4 is below 16"));
}

#[test]
fn what_is_not_read_is_a_gap_and_a_hole_is_none() {
    let mut facts = green();
    conclude(&mut facts, "c64", "failure");
    assert_eq!(told(&facts, true).gaps, Vec::<String>::new());
    assert_eq!(
        (&read(&facts)["complete"], &read(&facts)["added"][3]["holes"]["job"]["kind"]),
        (&json!(true), &json!("failed"))
    );
    cut(value(facts.jobs.get_mut(&RUN).unwrap()));
    let report = told(&facts, true);
    assert_eq!((report.gaps.len(), &read(&facts)["complete"]), (1, &json!(false)));
    assert!(report.gaps[0].contains("not read whole") && read(&facts)["doubt"] == json!(report.gaps[0]));
}

#[test]
fn a_line_stands_for_each_point_in_aligned_columns() {
    let mut facts = green();
    conclude(&mut facts, "TP2/EP2 mtp   c16", "failure");
    let text = told(&facts, false).text;
    let (text, launches) = text.split_once("\n\nbenchmarks/").unwrap();
    assert!(launches.ends_with("sglang_mtp.sh is not read yet.\n"), "{launches}");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "3 of 4 new points executed (1 failed), 2 of 2 due evals green, 2 untouched re-run");
    assert_eq!((lines.len(), lines[1]), (7, ""), "{text}");
    let column = |line: &str, word: &str| line.find(word).map(|at| line[..at].chars().count());
    let place = column(lines[2], "point").unwrap();
    assert!(lines[3..].iter().all(|line| column(line, "TP2/EP2 mtp c") == Some(place)), "{text}");
    assert!(lines[4].contains("✗ run 31020193450 (failed)") && lines[4].contains("see its log"), "{text}");
    assert!(lines[6].contains("✓ gsm8k 0.968 ≥ 0.94") && lines[6].contains("21865.5 tok/s/GPU"), "{text}");
}

#[test]
fn text_of_strangers_stays_text() {
    let mut facts = green();
    let head = entry("k\u{202e}x", "o/i:v1", &[NEW_ROW]);
    configs(&mut facts, "", &head, &changelog("k\u{202e}*", ""));
    let report = told(&facts, false);
    assert!(!report.text.contains('\u{202e}'), "{:?}", report.text);
    assert_eq!(report.text.lines().filter(|line| line.starts_with("+ ")).count(), 4, "{}", report.text);
    assert!(report.text.contains("for 1 config"), "{}", report.text);
}

const SCRIPT: &str = "benchmarks/single_node/fixed_seq_len/qwen3.5_fp4_b200_sglang_mtp.sh";

fn script(flags: &str) -> String {
    format!("export A=1\nsglang serve --model m {flags} &\nrun_benchmark_serving --model m\n")
}

/// The config's script is changed.
fn changed(before: &str, after: &str) -> Facts {
    let mut facts = green();
    value(&mut facts.files).items.push(file(SCRIPT, "modified", None));
    for (side, text) in [(Side::Base, before), (Side::Head, after)] {
        let mut got = document(SCRIPT, text);
        value(&mut got).blob = BlobId::from(text);
        facts.sides.insert((side, SCRIPT.to_owned()), got);
    }
    facts
}

#[test]
fn scripts_stand_with_their_lines_and_what_differs() {
    let facts = changed(&script("--tp 4 --old 1"), &script("--tp 8 --x $MORE"));
    let document = read(&facts);
    let row = &document["launches"][0];
    assert_eq!(
        (&row["configs"], &row["path"], &row["variant"], &row["status"], &row["why"], &row["base"]),
        (&json!(["k"]), &json!(SCRIPT), &Value::Null, &json!("read"), &Value::Null, &json!("compared"))
    );
    let setting = |line: u32, role: &str, name: &str, value: &str, kind: &str| json!({"line": line, "role": role, "name": name, "value": value, "kind": kind, "sometimes": false});
    let (server, client) = ("server", "run_benchmark_serving");
    assert_eq!(row["flags"][1], setting(2, server, "tp", "8", "text"));
    assert_eq!(row["flags"][2], setting(2, server, "x", "$MORE", "unknown"));
    assert_eq!(row["variables"], json!([setting(1, server, "A", "1", "text")]));
    assert_eq!(row["client_flags"], json!([setting(3, client, "model", "m", "text")]));
    let change = |name: &str, before: Value, after: Value, line: Value, old: Value| json!({"name": name, "role": "server", "kind": "flag", "before": before, "after": after, "line": line, "line_before": old});
    assert_eq!(
        row["changed"],
        json!([
            change("x", Value::Null, json!("$MORE"), json!(2), Value::Null),
            change("tp", json!("4"), json!("8"), json!(2), json!(2)),
            change("old", json!("1"), Value::Null, Value::Null, json!(2)),
        ])
    );
    assert_eq!((&row["siblings"], &row["siblings_compared"]), (&json!([]), &Value::Null));
    assert!(row["siblings_why"].as_str().unwrap().ends_with("is not read yet."));
    assert_eq!(document["launches_doubt"], Value::Null);

    let text = told(&facts, false).text;
    let (_, block) = text.split_once(SCRIPT).unwrap();
    let wanted =
        " (k)\n  --x came: $MORE (line 2)\n  --tp 4 → 8 (line 2)\n  --old went: 1 (line 2 of the base)\n  · What stands";
    assert!(block.starts_with(wanted), "{block}");
    let same = told(&changed(&script("# a"), &script("# b")), false).text;
    assert!(same.contains("(k)\n  3 flags and variables, as at the base.\n"), "{same}");
}

#[test]
fn scripts_that_are_not_read_say_so_and_hostile_ones_stay_text() {
    let mut facts = changed(&script(""), &script(""));
    facts.sides.remove(&(Side::Base, SCRIPT.to_owned()));
    let document = read(&facts);
    let why = format!("{SCRIPT} at the merge base is not read yet.");
    assert_eq!((&document["launches"][0]["base"], &document["launches"][0]["base_why"]), (&json!("unread"), &json!(why)));
    assert_eq!((&document["launches_doubt"], &document["complete"]), (&json!(why), &json!(true)));
    let text = told(&facts, false).text;
    assert_eq!(text.matches(&why).count(), 1, "{text}");
    let text = told(&changed(&script(""), &script("--x 'a\u{1b}[2J\u{202e}'")), false).text;
    assert!(text.contains("--x came") && !text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
}
