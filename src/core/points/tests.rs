//! Points of small pull requests of our own, and of recorded ones. Must not know: how a point is drawn.
#![allow(clippy::disallowed_methods)]

#[cfg(test)]
mod changes;
#[cfg(test)]
mod corpus;
#[cfg(test)]
mod holes;
#[cfg(test)]
mod lanes;
#[cfg(test)]
mod random;
#[cfg(test)]
pub(crate) mod world;

use super::*;
use crate::core::conclusions::Conclusions;
use crate::core::facts::Facts;
use crate::core::policy::Policy;
use std::sync::LazyLock;

static POLICY: LazyLock<Policy> = LazyLock::new(crate::core::policy::tests::policy);

/// The points of these facts.
fn draw(facts: &Facts) -> Points {
    Points::draw(&POLICY, facts, &Conclusions::draw(&POLICY, facts))
}

/// What a cell's hole is called; nothing where it holds.
fn word<T>(cell: &Cell<T>) -> &'static str {
    match (&cell.found, &cell.hole) {
        (_, Some(hole)) => hole.word(),
        (Some(_), None) => "",
        (None, None) => "nothing at all",
    }
}

/// The added or changed point at this concurrency.
fn at(points: &Points, conc: u32) -> &PointReview {
    points.living().find(|point| point.axes.conc.values() == [conc]).unwrap()
}
