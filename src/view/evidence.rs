//! A piece of evidence in one row: what it is, where it was read, how long ago.
//! Must not know: what it supports.

use super::paint::Row;
use super::theme::Role;
use crate::core::evidence::Evidence;
use crate::core::time::{Time, render_age};

/// Appends it to a row that has what stands in front.
pub fn row<'t>(head: Row<'t>, evidence: &'t Evidence, now: Time) -> Row<'t> {
    let source = &evidence.source;
    let commit = source.commit.as_ref().map(|commit| format!("@{}", commit.short())).unwrap_or_default();
    head.text(Role::Dim, "↳ ")
        .text(Role::Fact, evidence.label.as_str())
        .text(Role::Dim, format!("  {}{commit}", source.address))
        .right(Role::Dim, render_age(now, source.read_at))
}
