//! Comparisons of small lists, of arms and of files. Must not know: how rows are read.

use super::super::curves::tests::some_rows;
use super::super::rows::tests::{agentic, fixed};
use super::super::{Measure, Statistic, written};
use super::*;
use crate::core::ids::RunId;
use proptest::prelude::*;
use serde_json::{Value, json};

const TTFT: Figure = Figure::Request(Measure::Ttft, Statistic::Median);

fn row(changes: Value) -> Value {
    let mut row = fixed();
    for (key, value) in changes.as_object().unwrap() {
        row[key] = value.clone();
    }
    row
}

fn rows(list: &[Value]) -> Vec<ResultRow> {
    super::super::parse("f", RunId(7), Value::from(list.to_vec()).to_string().as_bytes()).unwrap().rows
}

fn both(ours: &[Value], theirs: &[Value]) -> Comparison {
    compare(&rows(ours), &rows(theirs))
}

#[test]
fn each_figure_knows_which_way_is_better() {
    let powered = json!({"power_valid": 1, "avg_power_w": 800.0});
    let ours = row(json!({"tput_per_gpu": 22000.0, "median_ttft": 0.5, "median_e2el": 12.0, "median_intvty": 84.67}));
    let found = both(&[ours], &[row(json!({"tput_per_gpu": 20000.0, "image": "o/i:v0"}))]);
    let table = [
        (Figure::Total, Change::Better, "+10.00 %"),
        (Figure::Output, Change::Same, "0.00 %"),
        (TTFT, Change::Better, "-21.94 %"),
        (Figure::Request(Measure::E2el, Statistic::Median), Change::Worse, "+2.54 %"),
        (Figure::Request(Measure::Intvty, Statistic::Median), Change::Same, "0.00 %"),
    ];
    for (figure, change, shown) in table {
        let found = found.pairs[0].difference(figure).unwrap();
        assert_eq!((found.change, found.render().as_str()), (change, shown), "{figure:?}");
    }
    assert_eq!(found.pairs[0].difference(Figure::Total).unwrap().absolute(), 2000.0);
    assert!(found.is_whole() && found.noise_sentence().contains("n = 1"));
    // Power counts where both rows vouch for it.
    let found = both(&[row(powered.clone())], &[row(json!({}))]);
    assert_eq!(found.pairs[0].one_sided, [(Figure::AveragePower, Side::Ours)]);
    let found = both(&[row(powered.clone())], &[row(json!({"power_valid": 1, "avg_power_w": 1000.0}))]);
    assert_eq!(found.pairs[0].difference(Figure::AveragePower).unwrap().change, Change::Better);
}

#[test]
fn what_one_side_lacks_is_named_and_a_zero_has_no_percentage() {
    let found =
        both(&[row(json!({"median_ttft": null, "tput_per_gpu": 5.0}))], &[row(json!({"tput_per_gpu": 0.0, "p99_ttft": 1.0}))]);
    let p99 = Figure::Request(Measure::Ttft, Statistic::P99);
    assert_eq!(found.pairs[0].one_sided, [(TTFT, Side::Theirs), (p99, Side::Theirs)]);
    let total = found.pairs[0].difference(Figure::Total).unwrap();
    assert_eq!((total.percent(), total.render().as_str()), (None, "+5.0 tok/s/GPU"));
    for bad in [json!("NaN"), json!(-1.0)] {
        let found = both(&[row(json!({"tput_per_gpu": bad}))], &[fixed()]);
        assert_eq!(
            (found.pairs[0].difference(Figure::Total), found.pairs[0].one_sided[0]),
            (None, (Figure::Total, Side::Theirs))
        );
    }
    assert_eq!([signed(-0.001), signed(0.0), signed(-5.0), signed(5.0)], ["0.00", "0.00", "-5.00", "+5.00"]);
}

#[test]
fn every_axis_tells_points_apart() {
    let changes = [
        json!({"conc": 1}),
        json!({"hw": "b300"}),
        json!({"framework": "vllm"}),
        json!({"precision": "fp8"}),
        json!({"tp": 4}),
        json!({"ep": 1}),
        json!({"dp_attention": "true"}),
        json!({"spec_decoding": "none"}),
        json!({"isl": 1024}),
        json!({"infmax_model_prefix": "other"}),
        json!({"kv_offloading": "dram"}),
    ];
    for change in changes {
        let found = both(&[row(change.clone())], &[fixed()]);
        assert_eq!((found.pairs.len(), found.only_ours, found.only_theirs), (0, vec![0], vec![0]), "{change}");
    }
    let found = both(&[agentic(), fixed()], &[fixed(), row(json!({"conc": 1}))]);
    assert_eq!((found.pairs[0].ours, found.pairs[0].theirs), (1, 0));
    assert_eq!(found.summary(), "1 point compared, 1 only here, 1 only in the reference");
}

#[test]
fn several_rows_of_a_point_are_told_apart_by_their_recipe_or_named() {
    let of = |recipe: &str, throughput: f64| row(json!({"recipe_fingerprint": recipe, "tput_per_gpu": throughput}));
    let found = both(&[of("a", 1.0), of("b", 2.0)], &[of("b", 3.0), of("a", 4.0)]);
    let pairs: Vec<(usize, usize)> = found.pairs.iter().map(|pair| (pair.ours, pair.theirs)).collect();
    assert_eq!((pairs, found.is_whole()), (vec![(0, 1), (1, 0)], true));
    let found = both(&[of("a", 1.0), of("b", 2.0)], &[of("a", 4.0)]);
    assert!(matches!([0, 1].map(|ours| found.standing(ours)), [Standing::Paired(_), Standing::OnlyOurs]));
    assert_eq!((found.pairs.len(), found.only_ours), (1, vec![1]));
    let found = both(&[of("a", 1.0)], &[of("a", 4.0), of("b", 2.0)]);
    assert_eq!((found.pairs.len(), found.only_theirs), (1, vec![1]));
    let found = both(&[of("a", 1.0), of("b", 2.0)], &[of("c", 4.0)]);
    let unclear = Ambiguous { ours: vec![0, 1], theirs: vec![0] };
    assert_eq!([0, 1].map(|ours| found.standing(ours)), [Standing::Ambiguous; 2], "it is in the reference");
    assert_eq!((found.pairs.len(), found.ambiguous), (0, vec![unclear]));
    assert!(found.noise.is_empty(), "two recipes are not one measurement");
}

#[test]
fn a_point_measured_again_tells_the_noise_and_the_same_row_twice_counts_once() {
    let of = |throughput: f64| row(json!({"tput_per_gpu": throughput}));
    let found = both(&[of(100.0), of(103.0), of(101.0)], &[of(90.0)]);
    assert_eq!((found.pairs.len(), found.ambiguous.len()), (0, 1));
    assert_eq!(found.noise[0], Noise { figure: Figure::Total, percent: 3.0, rows: 3 });
    let said = "Where a point was measured again (n = 3), its total throughput differs by up to 3.00 %.";
    assert_eq!(found.noise_sentence(), said);
    // Of one file the reader drops it already; two artifacts may say the same.
    let one = rows(&[fixed()]);
    let found = compare(&[one.clone(), one.clone()].concat(), &one);
    assert_eq!(found.standing(1), Standing::Otherwise);
    assert_eq!((found.pairs.len(), found.duplicates, found.noise), (1, 1, vec![]));
}

#[test]
fn an_arm_is_set_against_the_others_of_its_run() {
    let at =
        |spec: &str, conc: u32, throughput: f64| row(json!({"spec_decoding": spec, "conc": conc, "tput_per_gpu": throughput}));
    let run = rows(&[at("mtp", 1, 110.0), at("none", 1, 100.0), at("mtp", 2, 1.0), at("none", 4, 1.0)]);
    let found = compare_arms(&run, &Arm::parse("spec=none").unwrap());
    assert_eq!(found.standing(1), Standing::Otherwise, "it is of the arm");
    assert_eq!((found.pairs.len(), found.only_ours, found.only_theirs), (1, vec![2], vec![3]));
    assert_eq!((found.pairs[0].ours, found.pairs[0].theirs), (0, 1));
    assert_eq!(found.pairs[0].difference(Figure::Total).unwrap().render(), "+10.00 %");
    // Several others may share the one that they are set against.
    let run = rows(&[row(json!({"tp": 4, "ep": 1})), fixed(), row(json!({"tp": 8, "ep": 1}))]);
    let found = compare_arms(&run, &Arm::parse("parallel = tp4").unwrap());
    let pairs: Vec<(usize, usize)> = found.pairs.iter().map(|pair| (pair.ours, pair.theirs)).collect();
    assert_eq!((pairs, found.is_whole()), (vec![(1, 0), (2, 0)], true));
    for bad in ["", "spec", "spec=", "=none", "size=1", "\u{1b}=1"] {
        assert!(Arm::parse(bad).unwrap_err().hint.contains("spec, parallel"), "{bad}");
    }
}

#[test]
fn a_reference_is_an_artifact_or_what_this_program_wrote() {
    let list = Value::from(vec![fixed(), agentic()]);
    let raw = parse_reference("f.json", &list.to_string()).unwrap();
    assert_eq!((raw.rows.len(), raw.trouble), (2, None));
    assert_eq!(parse_reference("f.json", &agentic().to_string()).unwrap().rows.len(), 1);
    let points: Vec<Value> = raw.rows.iter().map(|row| Value::Object(written::row(row))).collect();
    let document = json!({"schema": 1, "complete": true, "points": points});
    let ours = parse_reference("f.json", &document.to_string()).unwrap();
    let found = compare(&raw.rows, &ours.rows);
    assert!(found.is_whole() && found.pairs.iter().flat_map(|pair| &pair.differences).all(|d| d.change == Change::Same));
    let partial = parse_reference("f.json", &json!([fixed(), 7]).to_string()).unwrap();
    assert!(partial.trouble.unwrap().headline.contains("1 of 2 rows cannot be read"));
    for (text, words) in [
        ("", "f.json:1: "),
        ("{", "f.json:1: "),
        ("[]", "holds no result row"),
        (r#"{"message": "Not Found"}"#, "cannot be read"),
        (r#"{"schema": 9, "points": []}"#, "newer version"),
        (r#"{"schema": 1, "complete": true, "points": []}"#, "holds no result row"),
    ] {
        let headline = parse_reference("f.json", text).unwrap_err().headline;
        assert!(headline.contains(words), "{text}: {headline}");
    }
}

proptest! {
    #[test]
    fn a_list_differs_from_itself_in_nothing(rows in some_rows()) {
        let found = compare(&rows, &rows);
        prop_assert!(found.only_ours.is_empty() && found.only_theirs.is_empty());
        for difference in found.pairs.iter().flat_map(|pair| &pair.differences) {
            prop_assert_eq!((difference.change, difference.absolute()), (Change::Same, 0.0));
        }
        prop_assert!(found.pairs.iter().all(|pair| pair.one_sided.is_empty()));
        let ambiguous: usize = found.ambiguous.iter().map(|unclear| unclear.ours.len()).sum();
        prop_assert_eq!(found.pairs.len() + ambiguous + found.duplicates / 2, rows.len());
    }

    #[test]
    fn every_row_is_counted_once(ours in some_rows(), theirs in some_rows()) {
        let found = compare(&ours, &theirs);
        let mut seen: Vec<usize> = found.pairs.iter().map(|pair| pair.ours).chain(found.only_ours.iter().copied()).collect();
        seen.extend(found.ambiguous.iter().flat_map(|unclear| unclear.ours.iter().copied()));
        let mut other: Vec<usize> = found.pairs.iter().map(|pair| pair.theirs).chain(found.only_theirs.iter().copied()).collect();
        other.extend(found.ambiguous.iter().flat_map(|unclear| unclear.theirs.iter().copied()));
        prop_assert_eq!(seen.len() + other.len() + found.duplicates, ours.len() + theirs.len());
        for list in [&mut seen, &mut other] {
            list.sort_unstable();
            prop_assert!(list.is_sorted_by(|a, b| a < b));
        }
        for arm in ["spec=none", "parallel=TP4/EP4/DPA", "runner=b200", "kv=dram"] {
            let _ = compare_arms(&ours, &Arm::parse(arm).unwrap());
        }
    }

    #[test]
    fn no_text_panics(text in "\\PC{0,60}") {
        let _ = parse_reference("f", &text);
        let _ = Arm::parse(&text);
    }
}
