//! Opening a snapshot: what a review without network starts with.

use crate::big;
use countersign::core::facts::Facts;
use divan::Bencher;
use divan::counter::BytesCount;

#[divan::bench(args = [10, 300])]
fn read_snapshot(bencher: Bencher<'_, '_>, files: usize) {
    let mut facts = big::empty();
    facts.files = big::files(files, 30);
    let text = serde_json::to_string(&facts).unwrap();
    bencher.counter(BytesCount::of_str(&text)).bench(|| serde_json::from_str::<Facts>(&text).unwrap());
}
