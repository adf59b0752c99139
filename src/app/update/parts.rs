//! Some of a run's jobs came, and more are on their way.
//! Must not know: how pages are read.
//!
//! Thousands of jobs come page by page, and each page changes what all rules say. The first one is shown at once; of
//! those that follow as many as come within [`PAUSE`] are shown together, so that a key finds the thread free.

use super::touch;
use crate::app::effect::{Effect, Slot};
use crate::app::model::Model;
use std::time::Duration;

/// Ten changes of a number in a second are as many as an eye can follow.
const PAUSE: Duration = Duration::from_millis(100);

/// What stands in facts and not yet on screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Parts {
    #[default]
    None,
    /// Everything is shown, and what comes now waits.
    Shown,
    Waiting,
}

pub(super) fn came(model: &mut Model) -> Vec<Effect> {
    if model.parts != Parts::None {
        model.parts = Parts::Waiting;
        // Whoever draws meanwhile draws all of it.
        model.facts_serial += 1;
        return Vec::new();
    }
    touch(model);
    model.parts = Parts::Shown;
    vec![Effect::After(model.ticket(Slot::Parts), PAUSE)]
}

/// The pause is over.
pub(super) fn ticked(model: &mut Model) -> Vec<Effect> {
    match std::mem::take(&mut model.parts) {
        Parts::Waiting => came(model),
        Parts::None | Parts::Shown => Vec::new(),
    }
}
