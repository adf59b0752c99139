//! Every form over small runs, odd rows and the recorded run. Must not know: how curves are drawn.

use super::super::svg::tests::well_formed;
use super::*;
use crate::core::ids::{PullNumber, RepoName};
use crate::core::listing::Listing;
use crate::core::markdown::blocks;
use crate::core::policy::scenario;
use crate::core::policy::tests::policy;
use crate::core::results::compare::Arm;
use crate::core::results::curves::tests::{GROUPING, some_rows};
use crate::core::results::rows::tests::{agentic, fixed};
use crate::core::results::{parse, parse_reference};
use crate::core::trouble::TroubleKind;
use proptest::prelude::*;
use serde_json::{Value, json};

fn row(changes: Value) -> Value {
    let mut row = fixed();
    for (key, value) in changes.as_object().unwrap() {
        row[key] = value.clone();
    }
    row
}

fn rows(list: Vec<Value>) -> Arc<Vec<ResultRow>> {
    Arc::new(parse("f", RunId(7), Value::from(list).to_string().as_bytes()).unwrap().rows)
}

/// Every row but the last is of one config; the last is of none.
fn write(rows: &Arc<Vec<ResultRow>>, against: Option<&Against>, form: Form) -> String {
    let sheet = Sheet::draw(Arc::clone(rows), GROUPING, against);
    let home = |place: usize| match place + 1 == rows.len() {
        true => Home { candidates: vec![], foreign: Some(true) },
        false => Home { candidates: vec!["a-key".into()], foreign: Some(false) },
    };
    let homes: Vec<Home> = (0..rows.len()).map(home).collect();
    render(Told { run: Some(RunId(7)), sheet: &sheet, homes: &homes, complete: true, trigger: "sign me off" }, form)
}

fn base() -> Against {
    let list = vec![row(json!({"tput_per_gpu": 20000.0, "median_ttft": 0.5})), row(json!({"conc": 2}))];
    Against::Rows { name: "base.json".into(), rows: rows(list), gap: None }
}

/// Fields of each record.
fn read_csv(text: &str) -> Vec<Vec<String>> {
    let (mut records, mut record, mut field, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => field.push(chars.next().unwrap()),
            '"' => quoted = !quoted,
            ',' if !quoted => record.push(std::mem::take(&mut field)),
            '\r' if !quoted && chars.peek() == Some(&'\n') => {
                chars.next();
                record.push(std::mem::take(&mut field));
                records.push(std::mem::take(&mut record));
            }
            c => field.push(c),
        }
    }
    assert!(!quoted && field.is_empty() && record.is_empty(), "the last record has its end");
    records
}

#[test]
fn text_sets_each_point_beside_its_change() {
    let ours = rows(vec![fixed(), row(json!({"conc": 1, "median_e2el": "NaN"})), row(json!({"conc": 4, "isl": 1024}))]);
    let told = write(&ours, Some(&base()), Form::Text);
    let lines: Vec<&str> = told.lines().collect();
    assert!(told.contains(
        "qwen3.5 8192/1024 b200_sglang_mtp fp4, median (● on the frontier): 1 of 2 points on the frontier, 1 cannot be drawn\n"
    ));
    let of =
        |mark: &str| lines.iter().find(|line| line.starts_with(mark)).unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(lines.iter().any(|line| line.contains("median TTFT, s") && line.contains("median TPOT, ms")));
    let last = "TP2/EP2 mtp c4 21865.5 2429.2 19436.2 84.67 0.640 11.81 11.703 of no config of this pull request, not in the reference";
    assert_eq!(of("●"), format!("● {last}"));
    let first = lines.iter().rfind(|line| line.starts_with('●')).unwrap();
    assert!(first.contains("21865.5 (+9.33 %)") && first.contains("0.640 (+28.10 % worse)"), "{first}");
    assert!(of("✗").ends_with("– not drawn: the median E2E latency is not a number, not in the reference"), "{told}");
    for note in [
        "note: 1 row is of no config of this pull request.",
        "note: 1 number of a row is none, or negative where it cannot be, and is left out.",
        "note: Against base.json: 1 point compared, 2 only here, 1 only in the reference.",
        "note: Each point was measured once on each side (n = 1), so a small difference may be noise.",
        "note: only in the reference: qwen3.5 8192/1024 b200 TP2/EP2 mtp c2",
    ] {
        assert!(lines.contains(&note), "{note}\n{told}");
    }
}

#[test]
fn json_names_its_units_and_is_read_again() {
    let ours = rows(vec![fixed(), agentic(), row(json!({"conc": 8, "tput_per_gpu": 0}))]);
    let text = write(&ours, Some(&base()), Form::Json);
    let value: Value = serde_json::from_str(&text).unwrap();
    let members: Vec<&String> = value.as_object().unwrap().keys().collect();
    assert_eq!(members, ["schema", "complete", "run", "curves", "points", "against", "notes"]);
    assert_eq!((&value["schema"], &value["complete"], &value["run"]), (&json!(1), &json!(true), &json!(7)));
    let point = &value["points"][0];
    assert_eq!(
        (&point["name"], &point["configs"], &point["foreign"]),
        (&json!("TP2/EP2 mtp c64"), &json!(["a-key"]), &json!(false))
    );
    assert_eq!((&point["ttft_s"]["median"], &point["intvty_tok_s_user"]["p90"]), (&json!(0.6405), &json!(74.63)));
    let curves = value["curves"].as_array().unwrap();
    let fixed = curves.iter().find(|curve| curve["hardware"] == "b200_sglang_mtp" && curve["view"] == "latency").unwrap();
    assert_eq!((&fixed["total"], &fixed["frontier"], &fixed["percentile"]), (&json!(2), &json!(1), &json!("median")));
    assert_eq!(
        fixed["points"][0],
        json!({"point": 0, "median_e2el_s": 11.7028, "total_tok_s_gpu": 21865.5, "frontier": true, "repeats": null})
    );
    assert_eq!(fixed["invalid"], json!([{"point": 2, "why": "the total throughput is zero"}]));
    let pair = &value["against"]["pairs"][0];
    let change = &pair["differences"]["total_tok_s_gpu"];
    assert_eq!(
        (&change["here"], &change["reference"], &change["absolute"], &change["change"]),
        (&json!(21865.5), &json!(20000.0), &json!(1865.5), &json!("better"))
    );
    assert_eq!((&value["against"]["only_here"], &value["against"]["noise"]), (&json!([1, 2]), &json!([])));
    assert_eq!(value["against"]["only_reference"], json!(["qwen3.5 8192/1024 fp4 b200 sglang TP2/EP2 mtp c2"]));
    // What it writes is a reference, from which nothing differs.
    let again = parse_reference("f", &text).unwrap();
    assert_eq!((again.rows.len(), again.trouble), (3, None));
    let same = Against::Rows { name: "f".into(), rows: Arc::new(again.rows), gap: None };
    let value: Value = serde_json::from_str(&write(&ours, Some(&same), Form::Json)).unwrap();
    assert_eq!((&value["against"]["whole"], value["against"]["pairs"].as_array().unwrap().len()), (&json!(true), 3));
    assert!(!value.to_string().contains("\"change\":\"better\"") && !value.to_string().contains("\"change\":\"worse\""));
    assert_eq!(serde_json::from_str::<Value>(&write(&ours, None, Form::Json)).unwrap()["against"], json!(null));
}

#[test]
fn csv_quotes_what_it_must_and_holds_no_formula() {
    let odd = json!({"model": "=HYPERLINK(\"x\",1)", "image": "a,\"b\"\r\nc", "framework": " +1", "conc": 5});
    let records = read_csv(&write(&rows(vec![fixed(), row(odd)]), Some(&base()), Form::Csv));
    let column =
        |name: &str| records[0].iter().position(|head| head == name).unwrap_or_else(|| panic!("{name}: {:?}", records[0]));
    assert!(records.iter().all(|record| record.len() == records[0].len()));
    let sides: Vec<&str> = records[1..].iter().map(|record| record[column("side")].as_str()).collect();
    assert_eq!(sides, ["here", "here", "reference"]);
    assert_eq!(records[2][column("served_model")], "'=HYPERLINK(\"x\",1)");
    assert_eq!((records[2][column("image")].as_str(), records[2][column("framework")].as_str()), ("a,\"b\"^M^Jc", "' +1"));
    assert_eq!(
        (records[1][column("median_ttft_s")].as_str(), records[1][column("total_tok_s_gpu")].as_str()),
        ("0.6405", "21865.5")
    );
    assert_eq!((records[1][column("compared")].as_str(), records[2][column("compared")].as_str()), ("compared", "only here"));
    assert_eq!(records[1][column("reference_total_tok_s_gpu")], "20000");
    assert!(records[1][column("total_tok_s_gpu_percent")].starts_with("9.3275"));
    assert_eq!((records[1][column("frontier_latency")].as_str(), records[1][column("foreign")].as_str()), ("true", "false"));
}

#[test]
fn markdown_is_tables_and_strangers_stay_text() {
    let odd = json!({"spec_decoding": "a|b @you `x` <b>", "conc": 3, "framework": "SIGN me off"});
    let text = write(&rows(vec![fixed(), row(odd)]), Some(&base()), Form::Markdown);
    assert!(text.contains("| ● | TP2/EP2 mtp c64 | 21865.5 (+9.33 %) |"), "{text}");
    assert!(text.contains("| --- | --- | ---: |"), "{text}");
    assert!(!text.to_lowercase().contains("sign me off") && text.contains("\\<b>") && text.contains("`@you`"), "{text}");
    for table in text.split("\n\n").filter(|block| block.starts_with('|')) {
        let cells: Vec<usize> = table
            .lines()
            .filter(|line| line.starts_with('|'))
            .map(|line| line.replace("\\|", "").matches('|').count())
            .collect();
        assert!(cells.windows(2).all(|pair| pair[0] == pair[1]), "{table}");
    }
    let shown: String = blocks::render_rows(&text, 400).iter().map(|row| row.text()).collect();
    assert!(shown.contains("a¦b @you"), "{shown}");
}

#[test]
fn a_long_reference_is_told_by_its_first_points_and_their_number() {
    let long = rows((100..130).map(|conc| row(json!({"conc": conc}))).collect());
    let text = write(&rows(vec![fixed()]), Some(&Against::Rows { name: "f".into(), rows: long, gap: None }), Form::Text);
    assert_eq!(text.matches("note: only in the reference: qwen3.5").count(), 20);
    assert!(
        text.contains("30 only in the reference.") && text.contains("note: only in the reference: 10 more points\n"),
        "{text}"
    );
}

#[test]
fn svg_has_a_panel_for_each_curve_and_an_arm_is_no_list_of_its_own() {
    let ours = rows(vec![fixed(), agentic(), row(json!({"spec_decoding": "none"}))]);
    let arm = Against::Arm(Arm::parse("spec=none").unwrap());
    let texts = well_formed(&write(&ours, Some(&arm), Form::Svg(View::Interactivity))).unwrap();
    let named = |wanted: &str| texts.iter().filter(|text| text.starts_with(wanted)).count();
    assert!(named("median interactivity, tok/s/user (higher is better)") > 0 && named("spec=none") > 0, "{texts:?}");
    let records = read_csv(&write(&ours, Some(&arm), Form::Csv));
    assert_eq!(records.len(), 4, "the arm's rows stand among ours");
}

#[test]
fn what_was_not_read_is_a_gap_and_never_whole() {
    let run = RunId(7);
    let name = RepoName { owner: "o".into(), name: "r".into() };
    let gaps = |remote: Option<Remote<Listing<ResultRow>>>| {
        let mut facts = Facts::new("https://github.com", name.clone(), PullNumber(1));
        facts.results.extend(remote.map(|remote| (run, remote)));
        let told = report(&policy(), &facts, Some(run), None, Vec::new(), Form::Json);
        let value: Value = serde_json::from_str(&told.text).unwrap();
        assert_eq!(value["complete"], json!(told.gaps.is_empty()));
        told.gaps.join(" ")
    };
    let list = || rows(vec![fixed()]).to_vec();
    let gone = || Trouble::new(TroubleKind::Gone, "The artifact has expired.", "");
    assert_eq!(gaps(Some(scenario::ready("a", Listing::complete(list())))), "");
    assert_eq!(gaps(None), "Results of run 7: not read.");
    assert_eq!(gaps(Some(scenario::ready("a", Listing::complete(vec![])))), "Results of run 7: its artifacts hold none.");
    let partial = Listing::partial(list(), Some(2), gone());
    assert_eq!(gaps(Some(scenario::ready("a", partial))), "Results of run 7: 1 of 2 read: The artifact has expired.");
    let mut failed = Remote::Idle;
    failed.absorb(Err(gone()), true);
    assert_eq!(gaps(Some(failed)), "Results of run 7: The artifact has expired.");
    let facts = Facts::new("https://github.com", name.clone(), PullNumber(1));
    let told = report(&policy(), &facts, None, None, vec!["There is no run.".into()], Form::Text);
    let rows = scenario::ready("a", Listing::complete(list()));
    let mut facts = Facts::new("https://github.com", name.clone(), PullNumber(1));
    facts.results.insert(run, rows);
    let arm = Against::Arm(Arm::parse("spec=none").unwrap());
    let gaps = report(&policy(), &facts, Some(run), Some(&arm), Vec::new(), Form::Csv).gaps;
    assert_eq!(gaps, ["The run has no arm spec=none; its rows say mtp."]);
    let partial = Against::run(RunId(8), &Listing::partial(list(), None, gone()));
    let told_partly = report(&policy(), &facts, Some(run), Some(&partial), Vec::new(), Form::Json);
    let value: Value = serde_json::from_str(&told_partly.text).unwrap();
    assert_eq!((&value["complete"], &value["against"]["complete"], told_partly.gaps.len()), (&json!(false), &json!(false), 1));
    assert!(told.text.starts_with("No run: 0 points measured") && told.gaps.len() == 1);
}

#[test]
#[cfg(feature = "github")] // points lie in zip files
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn the_recorded_run_draws_its_curve_and_is_set_against_its_own_arm() {
    let claim = "7534.5 tok/s/GPU at concurrency 16";
    let (facts, _) = scenario::review("2550-green", 2550, None, |facts| {
        if let Remote::Ready(got) = &mut facts.pull {
            claim.clone_into(&mut got.value.body);
        }
    });
    let run = facts.results.keys().next().copied();
    let arm = Against::Arm(Arm::parse("parallel=TP2").unwrap());
    let told = |form| {
        let told = report(&policy(), &facts, run, Some(&arm), Vec::new(), form);
        assert_eq!(told.gaps, Vec::<String>::new());
        told.text
    };
    let text = told(Form::Text);
    assert!(text.contains("qwen3.5 8192/1024 b200_sglang_mtp fp4, median (● on the frontier): 5 of 9 points"), "{text}");
    let line = text.lines().find(|line| line.contains("TP2/EP2 mtp c16")).unwrap();
    assert!(line.contains("7534.5 (+5.85 %)") && line.contains("120.16 (+5.17 %)"), "{line}");
    let value: Value = serde_json::from_str(&told(Form::Json)).unwrap();
    assert_eq!((&value["complete"], value["points"].as_array().unwrap().len()), (&json!(true), 9));
    assert!(value["points"].as_array().unwrap().iter().all(|point| point["foreign"] == false), "{}", value["points"]);
    let against = &value["against"];
    assert_eq!((against["pairs"].as_array().unwrap().len(), against["only_reference"].as_array().unwrap().len()), (4, 1));
    let change =
        &against["pairs"].as_array().unwrap().iter().find(|pair| pair["name"] == "TP2/EP2 mtp c16").unwrap()["differences"];
    assert_eq!(change["median_e2el_s"]["change"], "better");
    for view in View::ALL {
        let texts = well_formed(&told(Form::Svg(view))).unwrap();
        assert!(texts.iter().any(|text| text.starts_with("parallel=TP2: ")), "{texts:?}");
    }
    assert_eq!(read_csv(&told(Form::Csv)).len(), 10);
    // Against itself, as it was written, nothing differs.
    let again = parse_reference("f", &told(Form::Json)).unwrap();
    let same = Against::Rows { name: "f".into(), rows: Arc::new(again.rows), gap: None };
    let text = report(&policy(), &facts, run, Some(&same), Vec::new(), Form::Text).text;
    assert!(text.contains("Against f: 9 points compared.") && !text.contains("worse"), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_form_holds_for_any_rows(ours in some_rows(), theirs in some_rows(), compared in any::<bool>()) {
        let ours = Arc::new(ours);
        let against = compared.then(|| Against::Rows { name: "<&\"|\u{1b}".into(), rows: Arc::new(theirs), gap: None });
        for view in View::ALL {
            let found = well_formed(&write(&ours, against.as_ref(), Form::Svg(view)));
            prop_assert!(found.is_ok(), "{:?}", found);
        }
        let records = read_csv(&write(&ours, against.as_ref(), Form::Csv));
        prop_assert!(records.iter().all(|record| record.len() == records[0].len()));
        prop_assert!(records.len() > ours.len());
        let value: Value = serde_json::from_str(&write(&ours, against.as_ref(), Form::Json)).unwrap();
        prop_assert_eq!(value["points"].as_array().unwrap().len(), ours.len());
        for form in [Form::Text, Form::Markdown] {
            let text = write(&ours, against.as_ref(), form);
            let control = text.chars().any(|c| c.is_control() && c != '\n');
            prop_assert!(!control, "{}", text);
        }
    }
}
