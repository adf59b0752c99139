//! What the rules cost: all of them at once, again after a tick, and the comparison of the largest real config files.

use crate::big;
use countersign::core::configs::compare::{self, Text};
use countersign::core::facts::Facts;
use countersign::core::policy::preflight;
use countersign::core::review::Review;
use countersign::core::session::{Draft, Tick};
use countersign::core::snapshot::parse_snapshot;
use countersign::core::time::Time;
use divan::{Bencher, black_box};
use std::path::Path;
use std::process::Command;

/// What the demo's pull request is known by, as the program itself tells it.
fn facts() -> Facts {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("snapshot.json");
    let mut snapshot = Command::new(env!("CARGO_BIN_EXE_countersign"));
    snapshot.args(["snapshot", "2550", "--replay", "assets/demo/recording.jsonl", "--out"]).arg(&file);
    let done = snapshot.current_dir(env!("CARGO_MANIFEST_DIR")).env("HOME", folder.path()).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    parse_snapshot(&std::fs::read_to_string(file).unwrap()).unwrap().facts
}

fn draft(facts: &Facts) -> Draft {
    Draft::new("api.github.com", facts.repo.clone(), facts.number)
}

#[divan::bench]
fn from_nothing(bencher: Bencher<'_, '_>) {
    let (policy, facts) = (big::policy(), facts());
    let draft = draft(&facts);
    bencher.bench(|| black_box(preflight(&policy, &facts, &draft)));
}

/// What a tick costs besides its frame: the comment and every finding anew, over facts that are there already.
#[divan::bench]
fn after_a_tick(bencher: Bencher<'_, '_>) {
    let (policy, facts) = (big::policy(), facts());
    let mut draft = draft(&facts);
    let before = Review::draw(&policy, &facts, &draft, None);
    let item = before.signed().unwrap().items.first().unwrap().key.clone();
    let head = facts.head().unwrap().clone();
    draft.ticks.insert(item, Tick { head, text: String::new(), at: Time::default() });
    bencher.bench(|| black_box(before.redraw(&policy, &facts, &draft, None)));
}

/// Both master files at both sides: every so many-th entry differs (1: all of them).
#[divan::bench(ignore = !cfg!(shared), args = [1, 20, 1_000])]
fn both_master_files(bencher: Bencher<'_, '_>, every: usize) {
    let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/inferencex/2026-08/configs");
    let read = |name: &str| std::fs::read_to_string(configs.join(name)).unwrap();
    let names = ["nvidia-master.yaml", "amd-master.yaml"];
    let heads: Vec<String> = names.iter().map(|name| read(name)).collect();
    let bases: Vec<String> = heads.iter().map(|text| with_other_images(text, every)).collect();
    let (bases, heads) = (texts(&names, &bases), texts(&names, &heads));
    bencher.bench(|| black_box(compare::masters(&bases, &heads, &[])));
}

fn texts<'t>(paths: &[&'t str], texts: &'t [String]) -> Vec<Text<'t>> {
    paths.iter().zip(texts).map(|(path, text)| Text { path, text }).collect()
}

fn with_other_images(text: &str, every: usize) -> String {
    let mut images = 0;
    let line = |line: &str| {
        let is_image = line.trim_start().starts_with("image:");
        images += usize::from(is_image);
        if is_image && images % every == 0 { format!("{line}-before\n") } else { format!("{line}\n") }
    };
    text.lines().map(line).collect()
}
