//! Comparisons of small and real files. Must not know: how an entry is read.
#![allow(clippy::disallowed_methods)]

use super::*;
use proptest::prelude::*;

fn file(key: &str, image: &str, rows: &[&str]) -> String {
    let rows: String = rows.iter().map(|row| format!("      - {row}\n")).collect();
    format!(
        "{key}:\n  image: {image}\n  model-prefix: p\n  runner: r\n  precision: fp4\n  framework: f\n  scenarios:\n    fixed-seq-len:\n    - isl: 8192\n      osl: 1024\n      search-space:\n{rows}"
    )
}

fn told(base: &[(&str, &str)], head: &[(&str, &str)], archives: &[(&str, &str)]) -> Vec<String> {
    fn view<'t>(all: &[(&'t str, &'t str)]) -> Vec<Text<'t>> {
        all.iter().map(|(path, text)| Text { path, text }).collect()
    }
    let (changes, problems) = masters(&view(base), &view(head), &view(archives));
    let point =
        |point: &PointChange| format!(" | {} {:?}", point.at.render().replace("fixed-seq-len 8192/1024 ", ""), point.what);
    changes
        .iter()
        .map(|c| format!("{} {:?} ={}{}", c.key, c.fate, c.untouched, c.points.iter().map(point).collect::<String>()))
        .chain(problems.iter().map(ToString::to_string))
        .collect()
}

#[test]
fn points_come_go_and_change() {
    let base = file("a", "i:1", &["{ tp: 4, conc-list: [1, 2] }", "{ tp: 8, conc-list: [4] }"]);
    let one = |image: &str, rows: &[&str]| told(&[("m", &base)], &[("m", &file("a", image, rows))], &[]);
    assert_eq!(
        one("i:1", &["{ tp: 4, conc-list: [2, 8] }", "{ tp: 8, conc-list: [4] }"]),
        ["a Changed =2 | TP4 c8 Added | TP4 c1 Removed"]
    );
    assert_eq!(
        one("i:2", &["{ tp: 4, conc-list: [1, 2], spec-decoding: mtp }", "{ tp: 8, conc-list: [4] }"]),
        ["a Changed =0 | TP4 c1 Changed([Image, Spec]) | TP4 c2 Changed([Image, Spec]) | TP8 c4 Changed([Image])"]
    );
    assert_eq!(
        one("i:1", &["{ tp: 8, conc-list: [4], power: 1 }", "{ tp: 4, conc-start: 1, conc-end: 2 }"]),
        ["a Changed =2 | TP8 c4 Changed([Other])"],
        "order and spelling do not count"
    );
    assert_eq!(one("i:1 # said", &["{ tp: 4, conc-list: [1, 2] }", "{ tp: 8, conc-list: [4] }"]).len(), 0);
}

#[test]
fn several_rows_at_one_place_are_matched_by_likeness() {
    let row = |recipe: &str, spec: &str| format!("{{ tp: 4, conc-list: [1], srt-recipe: {recipe}, spec-decoding: {spec} }}");
    let (a, b, c) = (row("a", "none"), row("b", "mtp"), row("c", "none"));
    let base = file("k", "i", &[&a, &b]);
    let head = file("k", "i", &[&b, &c]);
    assert_eq!(told(&[("m", &base)], &[("m", &head)], &[]), ["k Changed =1 | TP4 c1 Changed([Recipe])"]);
}

#[test]
fn entries_come_go_and_move() {
    let (a, b) = (file("a", "i", &["{ tp: 4, conc-list: [1] }"]), file("b", "i", &["{ tp: 4, conc-list: [1] }"]));
    let both = format!("{a}{b}");
    assert_eq!(told(&[("m", &a)], &[("m", &both)], &[]), ["b Added =0 | TP4 c1 Added"]);
    assert_eq!(told(&[("m", &both)], &[("m", &a)], &[]), ["b Removed =0 | TP4 c1 Removed"]);
    let archived = told(&[("m", &both)], &[("m", &a)], &[("old/m", &b)]);
    assert_eq!(archived, ["b Archived { to: \"old/m\" } =0 | TP4 c1 Removed"]);
    let moved = told(&[("m", &both), ("n", "")], &[("m", &a), ("n", &b)], &[]);
    assert_eq!(moved, ["b Moved { from: \"m\" } =1"]);
    assert_eq!(told(&[("m", &both)], &[("new/m", &both)], &[]).len(), 0, "a renamed file");
}

#[test]
fn what_cannot_be_read_is_never_unchanged() {
    let a = file("a", "i", &["{ tp: 4, conc-list: [1] }"]);
    let bad = a.replace("conc-list: [1]", "conc-list: [");
    for (base, head) in [(&a, &bad), (&bad, &a)] {
        let told = told(&[("m", base)], &[("m", head)], &[]);
        assert_eq!((told.len(), told[0].as_str()), (2, "a Unreadable =0"), "{told:?}");
    }
    let twice = format!("{a}{a}");
    assert!(told(&[("m", &a)], &[("m", &twice)], &[])[0].contains("stands here again"));
}

#[test]
fn many_equal_points_cost_little() {
    let list = vec!["1"; 20_000].join(", ");
    let base = file("a", "i:1", &[&format!("{{ tp: 4, conc-list: [{list}] }}")]);
    let head = base.replace("i:1", "i:2");
    let (changes, _) = masters(&[Text { path: "m", text: &base }], &[Text { path: "m", text: &head }], &[]);
    assert_eq!(changes[0].points.len(), 20_000);
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn real_entries_are_compared_whole() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/corpus/inferencex/2026-08/configs/");
    for name in ["nvidia-master.yaml", "amd-master.yaml"] {
        let text = std::fs::read_to_string(format!("{root}{name}")).unwrap();
        let of = |text| [Text { path: name, text }];
        assert_eq!(masters(&of(&text), &of(&text), &[]), (vec![], vec![]));
        // An image bump of everything touches every point and adds none.
        let bumped = text.replace("  image: ", "  image: new/");
        let (changes, problems) = masters(&of(&text), &of(&bumped), &[]);
        assert_eq!((changes.len(), problems.len()), (yaml::top_level(&text).len(), 0));
        for change in &changes {
            assert!(change.untouched == 0 && !change.points.is_empty(), "{}", change.key);
            assert!(change.points.iter().all(|point| point.what == What::Changed(vec![Field::Image])), "{}", change.key);
        }
    }
}

proptest! {
    #[test]
    fn nothing_panics_and_a_file_equals_itself(base in "(?s)([ab]: [x{}\\[,#\n \\]-]{0,10}\n){0,5}", head in "(?s)([ab]: [x{}\\[,#\n \\]-]{0,10}\n){0,5}") {
        let _ = masters(&[Text { path: "m", text: &base }], &[Text { path: "m", text: &head }], &[]);
        let (changes, _) = masters(&[Text { path: "m", text: &base }], &[Text { path: "m", text: &base }], &[]);
        prop_assert_eq!(changes, vec![]);
    }

    #[test]
    fn every_point_is_counted_once(base in "[124 ,]{0,12}", head in "[124 ,]{0,12}") {
        let list = |text: &str| text.chars().filter(|c| c.is_ascii_digit()).map(String::from).collect::<Vec<_>>().join(",");
        let read = |text: &str| {
            let text = file("k", "i", &[&format!("{{ tp: 1, conc-list: [{}] }}", list(text))]);
            crate::core::configs::masters::entry("m", &text, "k").unwrap().unwrap()
        };
        let (old, new) = (read(&base), read(&head));
        let (changes, untouched) = entry(Some(&old), Some(&new));
        let count = |what: fn(&What) -> bool| changes.iter().filter(|change| what(&change.what)).count();
        let removed = count(|what| *what == What::Removed);
        let came = count(|what| *what == What::Added);
        prop_assert_eq!(untouched + removed, old.points[0].conc.len());
        prop_assert_eq!(untouched + came, new.points[0].conc.len());
    }
}
