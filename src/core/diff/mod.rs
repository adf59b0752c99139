//! Diffs.
