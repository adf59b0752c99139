//! The runs that measure a pull request: names of jobs, what became of them, and what the whole amounts to.
//! Must not know: what a rule makes of it (`core::policy`), how it looks.

pub mod attempts;
pub mod matrix;
pub mod names;
pub mod outcome;
mod standing;
pub mod summary;

pub use attempts::{Attempt, MergedJob, merge};
pub use matrix::{LaneGroup, MatrixRow, lanes};
pub use names::{JobName, LaneKind};
pub use outcome::Outcome;
pub use standing::Standing;
pub use summary::{Counts, Sweep, Tally, commits_after, eval_sweep, sweeps, sweeps_after, validation};
