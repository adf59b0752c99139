//! One module per pane, named like its state in `app::screens`.
//! Must not know: each other.

pub mod checklist;
pub mod checks;
pub mod diff;
pub mod evals;
pub mod points;
pub mod results;
pub mod signoff;
pub mod sweep;
pub mod talk;
