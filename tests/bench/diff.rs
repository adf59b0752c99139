//! A patch of 100,000 lines: opened, searched, scrolled, highlighted.

use crate::big;
use countersign::app::Model;
use countersign::core::diff::parse::parse_patch;
use countersign::syntax::Highlighter;
use divan::Bencher;
use divan::counter::BytesCount;

const LINES: usize = 75_000;

fn opened() -> Model {
    let mut facts = big::facts();
    facts.files = big::files(1, LINES);
    big::model(facts, (200, 60), "1")
}

#[divan::bench]
fn parse(bencher: Bencher<'_, '_>) {
    let text = big::patch(LINES);
    bencher.counter(BytesCount::of_str(&text)).bench(|| parse_patch(&text));
}

#[divan::bench(args = ["G", "j", "PageDown"])]
fn key(bencher: Bencher<'_, '_>, key: &str) {
    let mut model = opened();
    bencher.bench_local(|| big::press(&mut model, key));
}

/// The last match of a pattern that stands once.
#[divan::bench]
fn search(bencher: Bencher<'_, '_>) {
    let mut model = opened();
    bencher.bench_local(|| big::press(&mut model, "/ n a m e : 7 4 9 9 8 Enter"));
}

/// The screen that is seen first, and a whole file.
#[divan::bench(args = [60, 4_000])]
fn highlight(bencher: Bencher<'_, '_>, rows: usize) {
    let text = big::patch(LINES);
    let (highlighter, patch) = (Highlighter::new(), parse_patch(&text));
    let language = highlighter.language("a.yaml", "");
    bencher.bench(|| highlighter.rows(language, &patch, &text).take(rows).count());
}

/// Loading the grammars, and the first line of each language that a review meets.
#[divan::bench]
fn load_grammars() -> Highlighter {
    Highlighter::new()
}
