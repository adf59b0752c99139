//! Recipes: base and variant merged, those that lie elsewhere, and those that nobody can read.
//! Must not know: how rows are drawn.

use super::*;
use proptest::prelude::*;

/// A base with two variants.
fn recipe(tp: &str, over: &str) -> String {
    format!(
        "base:\n  backend:\n    type: sglang\n    prefill_environment: {{A: 1}}\n    sglang_config:\n      prefill:\n        tp: {tp}\n        \
         mem: 0.8\n      decode:\n        tp: {tp}\n  benchmark: {{type: sa-bench, isl: 8192, env: {{C: 1}}}}\n\
         override_x:\n  backend:\n    sglang_config:\n      decode: {{{over}}}\noverride_y:\n  benchmark: {{isl: 1024}}\n"
    )
}

#[test]
fn a_variant_shows_what_base_and_override_come_to() {
    let story = Story::recipe(&["recipes/a.yaml:override_x"]);
    let row = story.file(RECIPE, &recipe("4", "tp: 16"), &recipe("8", "tp: 16")).row();
    assert_eq!((row.path.as_str(), row.variant.as_deref(), row.configs.join(" ")), (RECIPE, Some("override_x"), "k".into()));
    let lines: Vec<String> = row
        .lines
        .iter()
        .filter(|line| line.kind != Kind::Program)
        .map(|line| format!("{} {} {} {} :{}", line.kind.word(), line.role, line.name, line.shown(), line.line))
        .collect();
    assert_eq!(
        lines,
        [
            "flag prefill tp 8 :7",
            "flag prefill mem 0.8 :8",
            "variable prefill A 1 :4",
            "flag decode tp 16 :15",
            "client_flag client isl 8192 :11",
            "client_variable client C 1 :11",
        ]
    );
    // What the override lays over the base did not change.
    assert_eq!(told(&row), ["flag --tp 4 → 8 (7)"]);
    assert_eq!(row.settings, [Handed { name: "DECODE_MTP_SIZE".into(), value: "0".into(), configs: vec!["k".into()] }]);
}

#[test]
fn each_variant_is_compared_with_its_own() {
    let table: [(&str, &str, &[&str]); 5] = [
        ("tp: 8", "tp: 16", &["flag --tp 8 → 16 (15)"]),
        ("tp: 8", "tp: 8, ep: 2", &["flag --ep came: 2 (15)"]),
        ("tp: 8, ep: 2", "tp: 8", &["flag --ep went: 2 (-)"]),
        // The same value from elsewhere is the same value.
        ("ep: 4", "ep: 4, tp: 4", &[]),
        ("tp: null", "tp: 4", &["flag --tp came: 4 (15)"]),
    ];
    for (before, after, want) in table {
        let story = Story::recipe(&["recipes/a.yaml:override_x"]).file(RECIPE, &recipe("4", before), &recipe("4", after));
        assert_eq!(told(&story.row()), want, "{before} / {after}");
    }
}

#[test]
fn a_whole_file_adds_what_no_config_runs() {
    let story = Story::recipe(&["recipes/a.yaml:override_x"]).file(RECIPE, &recipe("4", "tp: 1"), &recipe("8", "tp: 1"));
    let launches = story.draw();
    let told: Vec<(Option<&str>, usize)> =
        launches.rows.iter().map(|row| (row.variant.as_deref(), row.configs.len())).collect();
    assert_eq!(told, [(Some("override_x"), 1), (Some("override_y"), 0)]);
    // Variants come and go.
    let before = recipe("4", "tp: 1").replace("override_y", "override_old");
    let story = Story::recipe(&["recipes/a.yaml:override_x"]).file(RECIPE, &before, &recipe("4", "tp: 1"));
    let launches = story.draw();
    let row = launches.rows.iter().find(|row| row.variant.as_deref() == Some("override_y")).unwrap();
    assert_eq!(row.against, Against::New);
    assert!(row.doubts.iter().any(|doubt| doubt == "The merge base has variants that went: override_old."), "{:?}", row.doubts);
}

#[test]
fn what_lies_elsewhere_is_external() {
    let mut facts = Story::recipe(&["recipes/gone/b.yaml"]).facts();
    for root in &POLICY.launch.as_ref().unwrap().paths.roots {
        let path = format!("{root}benchmarks/multi_node/srt-slurm-recipes/gone/b.yaml");
        facts.sides.insert((Side::Head, path), absent());
    }
    let launches = draw(&facts);
    let row = &launches.rows[0];
    assert_eq!((row.reading.word(), row.configs.join(" ")), ("external", "k".to_owned()));
    assert!(row.reading.why().unwrap().contains("gone/b.yaml lies outside this repository"), "{:?}", row.reading);
    assert_eq!(launches.doubt, None, "that is known");
}

#[test]
fn a_point_that_ran_another_recipe_is_told() {
    let (old, new) = (Story::recipe(&["recipes/a.yaml:override_y"]), Story::recipe(&["recipes/a.yaml:override_x"]));
    let story = Story::of(&old.master.0, &new.master.1).file(RECIPE, &recipe("4", "tp: 1"), &recipe("8", "tp: 1"));
    let row = story.row();
    assert_eq!((row.variant.as_deref(), told(&row).len()), (Some("override_x"), 1));
    assert_eq!(row.doubts, ["At the merge base k ran recipes/a.yaml:override_y: the two are not compared."]);
    let same = Story::recipe(&["recipes/a.yaml:override_x"]).file(RECIPE, "", &recipe("8", "tp: 1"));
    assert_eq!(same.row().doubts, Vec::<String>::new());
}

#[test]
fn what_nobody_can_read_says_so_on_its_side() {
    let good = recipe("4", "tp: 1");
    let table = [
        (good.as_str(), "base: [", "unread", "unread", "cannot be read: "),
        ("base: [", good.as_str(), "read", "unread", "At the merge base it cannot be read: "),
        (good.as_str(), "base: {a: 1}\noverride_z: {}\n", "unread", "unread", "no variant is called `override_x`"),
        ("base: {a: 1}\noverride_z: {}\n", good.as_str(), "read", "new", ""),
        ("", good.as_str(), "read", "new", ""),
    ];
    for (before, after, reading, against, words) in table {
        let story = Story::recipe(&["recipes/a.yaml:override_x"]).file(RECIPE, before, after);
        let launches = story.draw();
        let row = &launches.rows[0];
        assert_eq!((row.reading.word(), row.against.word()), (reading, against), "{before} / {after}");
        let why = row.against.why().unwrap_or_default();
        assert!(why.contains(words), "{why}");
    }
}

#[test]
fn more_variants_than_a_reader_can_take_are_counted() {
    let list = |from: u32| (from..from + 45).map(|at| at.to_string()).collect::<Vec<_>>().join(", ");
    let zip = |from: u32| {
        let over = format!("zip_override_x: {{backend: {{sglang_config: {{decode: {{tp: [{}]}}}}}}}}\n", list(from));
        format!("{}{over}", recipe("4", "tp: 1"))
    };
    let launches = Story::recipe(&["recipes/a.yaml:zip_override_x"]).file(RECIPE, &zip(1), &zip(2)).draw();
    let mine: Vec<&ArmReview> = launches.rows.iter().filter(|row| !row.configs.is_empty()).collect();
    assert_eq!(
        (mine.len(), mine[1].variant.as_deref(), told(mine[1])),
        (41, Some("zip_override_x[1]"), vec!["flag --tp 2 → 3 (18)".into()])
    );
    assert_eq!(mine[40].reading.why().unwrap(), format!("5 more variants of {RECIPE} stand in no row: open the file."));
    assert_eq!(launches.doubt.as_deref(), mine[40].reading.why());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn no_text_is_a_panic_and_the_same_text_has_no_changes(
        text in "(?s)(base:\n|override_x:\n|zip_override_x:\n|  backend:\n|    type: sglang\n|    sglang_config:\n|      prefill: \\{tp: [1-3], a.b: [\\[\\]x]\\}\n|  benchmark: \\{a: b\\}\n|[ -~\n]{0,6}){0,10}",
        other in "(?s)[ -~\n]{0,60}",
    ) {
        let story = |before: &str, after: &str| Story::recipe(&["recipes/a.yaml:override_x", "recipes/a.yaml"]).file(RECIPE, before, after);
        let launches = story(&format!("{text}\n"), &format!("{text}\n\n")).draw();
        prop_assert!(launches.rows.iter().all(|row| row.against.changes().is_empty()), "{:?}", launches.rows);
        for row in story(&other, &text).draw().rows {
            prop_assert_eq!(row.reading.why().is_none(), row.reading == Reading::Read);
            // Nothing is claimed of what was not read.
            prop_assert!(row.reading == Reading::Read || row.lines.is_empty() && row.against.word() == "unread");
        }
    }
}
