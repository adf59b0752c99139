//! What was measured, headless over the demo: points and results from the program's own standard output.
//! Must not know: how points are covered or curves drawn.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};

const DEMO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/demo/recording.jsonl");

/// Exit code, standard output, standard error.
fn run(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_countersign"));
    command.args(args).args(["--replay", DEMO]).env_clear().current_dir(folder).stdin(Stdio::null());
    for name in ["CONFIG", "DATA", "STATE", "CACHE"] {
        command.env(format!("COUNTERSIGN_{name}_DIR"), folder.join("home"));
    }
    let done = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (done.status.code().unwrap(), text(done.stdout), text(done.stderr))
}

fn json(folder: &Path, args: &[&str]) -> Value {
    let (code, out, err) = run(folder, args);
    assert_eq!(code, 0, "{err}");
    serde_json::from_str(&out).unwrap()
}

#[test]
fn every_point_that_comes_has_its_job_its_result_and_its_eval() {
    let folder = tempfile::tempdir().unwrap();
    let told = json(folder.path(), &["points", "2550", "--json"]);
    assert_eq!((&told["complete"], &told["untouched"]), (&Value::Bool(true), &Value::from(6)));
    let added = told["added"].as_array().unwrap();
    let concurrencies: Vec<_> = added.iter().map(|point| point["axes"]["conc"].as_u64().unwrap()).collect();
    assert_eq!(concurrencies, [16, 32, 64]);
    for point in added {
        assert_eq!(point["job"]["conclusion"], "success", "{point}");
        assert!(point["result"]["total_tok_per_s_per_gpu"].as_f64().unwrap() > 7_000.0, "{point}");
        // By the rules of that day the lowest of the three is not evaluated.
        let is_due = point["axes"]["conc"] != 16;
        assert_eq!((point["eval"]["pass"] == true, point["holes"]["eval"]["expected"] == true), (is_due, !is_due), "{point}");
    }
    assert_eq!((&told["changed"], &told["removed"]), (&Value::Array(vec![]), &Value::Array(vec![])));

    let (code, out, err) = run(folder.path(), &["points", "2550"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!(out.lines().next(), Some("3 of 3 new points executed, 2 of 2 due evals green, 6 untouched re-run"));
}

#[test]
fn results_are_told_in_every_form_and_against_what_was_written_before() {
    let folder = tempfile::tempdir().unwrap();
    let of = ["results", "2550"];
    let with = |more: &[&'static str]| of.iter().copied().chain(more.iter().copied()).collect::<Vec<_>>();
    let (code, written, _) = run(folder.path(), &with(&["--json"]));
    let told: Value = serde_json::from_str(&written).unwrap();
    assert_eq!((code, &told["complete"], told["points"].as_array().unwrap().len()), (0, &Value::Bool(true), 9));

    let (_, csv, _) = run(folder.path(), &with(&["--csv"]));
    assert_eq!(csv.lines().count(), 10, "a head and nine points: {csv}");
    let (_, markdown, _) = run(folder.path(), &with(&["--markdown"]));
    assert_eq!(markdown.lines().filter(|line| line.starts_with("| ● ") || line.starts_with("| · ")).count(), 9);
    let (code, out, _) = run(folder.path(), &with(&["--svg", "plot.svg"]));
    assert_eq!((code, out.as_str()), (0, "plot.svg: the plot of run 31020193450\n"));
    assert!(std::fs::read_to_string(folder.path().join("plot.svg")).unwrap().starts_with("<svg "));

    // Set against itself nothing differs; set against one arm, the other is better by what the description claims.
    std::fs::write(folder.path().join("before.json"), &written).unwrap();
    let same = json(folder.path(), &with(&["--against", "before.json", "--json"]));
    let pairs = same["against"]["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 9);
    let differences = pairs.iter().flat_map(|pair| pair["differences"].as_object().unwrap().values());
    assert!(differences.clone().count() > 9 && differences.clone().all(|one| one["change"] == "same"), "{same}");
    let (_, arms, _) = run(folder.path(), &with(&["--against", "arm:parallel=TP2"]));
    assert!(arms.contains("+5.85 %") && arms.contains("n = 1"), "{arms}");
}

#[test]
fn a_reference_that_is_none_is_refused_with_the_way_on() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("notes.json"), "{\"a\": 1}").unwrap();
    let table = [
        ("notes.json", 5, "notes.json: 1 of 1 rows cannot be read"),
        ("absent.json", 2, "absent.json"),
        ("run:x", 2, "Write run:ID"),
        ("arm:colour=red", 2, "colour"),
        ("arm:spec=eagle", 5, "no arm"),
    ];
    for (against, code, words) in table {
        let (got, _, err) = run(folder.path(), &["results", "2550", "--against", against]);
        assert!(got == code && err.contains(words), "{against}: {got} {err}");
    }
}
