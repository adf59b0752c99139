//! Points and curves over 5,000 jobs and 5,000 result rows.

use crate::big;
use countersign::core::conclusions::Conclusions;
use countersign::core::points::Points;
use countersign::core::remote::Remote;
use countersign::core::results::{Against, Grouping, Sheet};
use divan::{Bencher, black_box};
use std::sync::Arc;

/// What each change of the facts costs while the points are looked at.
#[divan::bench]
fn points(bencher: Bencher<'_, '_>) {
    let (policy, facts) = (big::policy(), big::facts());
    let conclusions = Conclusions::draw(&policy, &facts);
    bencher.bench(|| black_box(Points::draw(&policy, &facts, &conclusions)));
}

/// On a worker: all curves in both views, alone and against as many rows.
#[divan::bench(args = [false, true])]
fn sheet(bencher: Bencher<'_, '_>, compared: bool) {
    let facts = big::facts();
    let rows = Arc::new(facts.results.get(&big::RUN).and_then(Remote::value).unwrap().items.clone());
    let against = Against::Rows { name: "before".into(), rows: Arc::clone(&rows), gap: None };
    bencher.bench(|| black_box(Sheet::draw(Arc::clone(&rows), Grouping::PLAIN, compared.then_some(&against))));
}
