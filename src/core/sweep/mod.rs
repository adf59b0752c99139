//! The runs that measure a pull request: names of jobs, what became of them, and what the whole amounts to.
//! Must not know: what a rule makes of it (`core::policy`), how it looks.

pub mod asked;
pub mod attempts;
pub mod causes;
pub mod cells;
pub mod expiry;
pub mod matrix;
pub mod names;
pub mod origin;
pub mod outcome;
pub mod pace;
pub mod remaining;
mod standing;
pub mod summary;
pub mod whole;

pub use asked::{Asked, GRAMMAR};
pub use attempts::{Attempt, MergedJob, merge};
pub use causes::{Cause, Causes, causes};
pub use cells::{Axis, Pivot};
pub use expiry::{Expiry, expiring};
pub use matrix::{LaneGroup, MatrixRow, lanes};
pub use names::{JobName, LaneKind};
pub use origin::Origin;
pub use outcome::Outcome;
pub use pace::Pace;
pub use remaining::{Course, Remaining, remaining};
pub use standing::Standing;
pub use summary::{Counts, Sweep, Tally, commits_after, eval_sweep, sweep_of, sweeps, sweeps_after, validation};
pub use whole::Whole;
