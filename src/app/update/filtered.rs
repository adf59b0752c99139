//! Filters of the panes' lists.
//! Must not know: the filter language (`core::filter`), how a field is typed.

use super::motion::{height_of, pane_len, scroll_of};
use super::typing;
use crate::app::model::{Field, Model, Pane};
use crate::app::screens::sieve::Sieve;
use crate::app::screens::{points, results};
use crate::core::sweep;

/// The panes whose lists can be filtered.
pub fn sieve(model: &Model, pane: Pane) -> Option<&Sieve> {
    match pane {
        Pane::Points => Some(&model.points.sieve),
        Pane::Results => Some(&model.results.sieve),
        Pane::Sweep => Some(&model.sweep.sieve),
        _ => None,
    }
}

pub(super) fn open(model: &mut Model) {
    let pane = model.focus;
    let Some(before) = sieve(model, pane).map(|sieve| sieve.text.clone()) else { return };
    typing::open(model, Field::Filter { pane, before: before.clone() }, before);
}

/// Filters a pane's list anew.
///
/// # Errors
/// A sentence about the term that is not understood; the list stays as it was.
pub(super) fn sift(model: &mut Model, pane: Pane, text: &str) -> Result<(), String> {
    match pane {
        Pane::Points => model.points.sift(Sieve::parse(text, points::GRAMMAR)?),
        Pane::Results => model.results.sift(Sieve::parse(text, results::GRAMMAR)?),
        Pane::Sweep => {
            let conclusions = &model.review.conclusions;
            model.sweep.sift(Sieve::parse(text, sweep::GRAMMAR)?, &conclusions.sweeps, conclusions.cited);
        }
        _ => return Ok(()),
    }
    let (len, height) = (pane_len(model, pane), height_of(model, pane));
    if let Some(scroll) = scroll_of(model, pane) {
        scroll.keep_visible(len, height);
    }
    Ok(())
}

/// A filter was entered that keeps nothing: an empty list wants a word.
pub(super) fn told(model: &mut Model, pane: Pane) {
    if sieve(model, pane).is_some_and(|sieve| !sieve.is_open()) && pane_len(model, pane) == 0 {
        model.tell("Nothing here matches the filter: / changes it, Esc clears it.");
    }
}

/// Clears the filter of the pane in focus, if it has one.
pub(super) fn clear(model: &mut Model) -> bool {
    let pane = model.focus;
    let set = sieve(model, pane).is_some_and(|sieve| !sieve.is_open());
    set && sift(model, pane, "").is_ok()
}
