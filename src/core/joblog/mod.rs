//! The log of a job: where its lines are, what they are, which are folded, what is found in it, and what it failed of.
//! Must not know: files, GitHub, the screen. The text is never here as a whole: an index, and some lines at a time.

pub mod fingerprint;
pub mod fold;
pub mod index;
pub mod line;
pub mod search;
pub mod steps;

pub use fingerprint::{Fingerprint, fingerprint};
pub use fold::Folds;
pub use index::{Group, Index};
pub use line::{Colour, LINE_BYTES, Line, Look, Mark, parse_line};
pub use search::{Found, Needle, Search};
pub use steps::StepLines;
