//! What a pull request does to the measured points, and what covers each of them.
//! Must not know: how it looks, verdicts.

mod places;

pub use places::Places;
