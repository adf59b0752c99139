//! Diffs: what a patch says, the rows that show it, and what changed inside a line.
//! Must not know: where the patch was read, or how a row is drawn.

pub mod parse;
pub mod rows;
pub mod words;
