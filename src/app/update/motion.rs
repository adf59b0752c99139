//! Moving through lists, files and hunks, by keys and by mouse.
//! Must not know: what the rows mean.

use super::{areas, joblog, show};
use crate::app::action::scopes;
use crate::app::geometry::{Area, Layout, body_rows, errand_rows, help_rows, list_area, log_size};
use crate::app::model::{Model, Overlay, Pane};
use crate::app::screens::{Motion, Scroll, checks, evals, help};
use crate::core::errand::Errands;

pub(super) fn moved(model: &mut Model, motion: Motion) {
    if let Overlay::Help { top } = model.overlay {
        let len = help::lines(&scopes(model)).len();
        let height = usize::from(help_rows(model.size.1));
        model.overlay = Overlay::Help { top: top_after(motion, top, len, height) };
        return;
    }
    if let Overlay::Log { tail: Some(Ok(tail)), top } = &model.overlay {
        let (cols, height) = log_size(model.size.0, model.size.1);
        let len = tail.rows(cols).count();
        let top = top_after(motion, *top, len, height);
        if let Overlay::Log { top: shown, .. } = &mut model.overlay {
            *shown = top;
        }
        return;
    }
    if model.overlay == Overlay::JobLog {
        return joblog::moved(model, motion);
    }
    if let (Errands::Confirming(prepared), Overlay::None) = (&model.errands, &model.overlay) {
        let (told, room) = errand_rows(model.size.0, model.size.1, prepared);
        model.errand_page.top = top_after(motion, model.errand_page.top, told.len(), room);
        return;
    }
    scroll(model, model.focus, motion);
}

/// Where a page of text of `len` rows begins after a motion. It has no cursor: one that stands at the edge moves the
/// window at once.
fn top_after(motion: Motion, top: usize, len: usize, height: usize) -> usize {
    let top = top.min(len.saturating_sub(height));
    let cursor = if forward(motion) { (top + height).saturating_sub(1) } else { top };
    let mut window = Scroll { cursor, top };
    window.apply(motion, len, height);
    window.top
}

fn forward(motion: Motion) -> bool {
    match motion {
        Motion::Rows(by) | Motion::HalfPages(by) => by > 0,
        Motion::Top => false,
        Motion::Bottom | Motion::To(_) => true,
    }
}

pub(super) fn scroll(model: &mut Model, pane: Pane, motion: Motion) {
    let (len, height) = (pane_len(model, pane), height_of(model, pane));
    if let Some(scroll) = scroll_of(model, pane) {
        scroll.apply(motion, len, height);
    }
}

pub(super) fn scroll_of(model: &mut Model, pane: Pane) -> Option<&mut Scroll> {
    Some(match pane {
        Pane::Checklist => &mut model.checklist,
        Pane::Diff => &mut model.diff.scroll,
        Pane::Sweep => &mut model.sweep.scroll,
        Pane::Evals => &mut model.evals,
        Pane::Talk => &mut model.talk.scroll,
        Pane::Signoff => &mut model.signoff.scroll,
        Pane::Checks => &mut model.checks.scroll,
        Pane::Points => &mut model.points.scroll,
        Pane::Results => &mut model.results.scroll,
    })
}

/// Rows of a pane's list.
pub(super) fn pane_len(model: &Model, pane: Pane) -> usize {
    match pane {
        Pane::Checklist => model.signed().map_or(0, |signoff| signoff.items.len()),
        Pane::Diff => model.diff.len(),
        Pane::Sweep => model.sweep.rows.len(),
        Pane::Evals => evals::len(model),
        Pane::Talk => model.talk.rows.len(),
        Pane::Signoff => model.signoff.len(),
        Pane::Checks => checks::pairs(model).len(),
        Pane::Points => model.points.lines.len(),
        Pane::Results => model.results.rows(),
    }
}

pub(super) fn height_of(model: &Model, pane: Pane) -> usize {
    areas(model).map_or(1, |areas| pane_height(model, &areas, pane))
}

/// Visible rows of a pane's list: [`body_rows`] of its area.
pub(super) fn pane_height(model: &Model, areas: &Layout, pane: Pane) -> usize {
    let area = match pane {
        Pane::Checklist => areas.checklist,
        _ => areas.pane.map(|area| list_area(area, pane)),
    };
    area.map_or(1, |area| usize::from(body_rows(area, pane, model)))
}

pub(super) fn step_hunk(model: &mut Model, forward: bool) {
    if let Some(row) = model.diff.hunk_from_cursor(forward) {
        return scroll(model, Pane::Diff, Motion::To(row));
    }
    let files = model.facts.files.value().map_or(0, |files| files.items.len());
    let next = if forward { model.diff.file + 1 } else { model.diff.file.wrapping_sub(1) };
    if next >= files {
        return model.tell(if forward { "This is the last hunk." } else { "This is the first hunk." });
    }
    open_file(model, next);
    let end = if forward { Motion::Top } else { Motion::Bottom };
    scroll(model, Pane::Diff, end);
    if !forward && let Some(row) = model.diff.hunk_from_cursor(false) {
        scroll(model, Pane::Diff, Motion::To(row));
    }
}

pub(super) fn step_file(model: &mut Model, by: i64) {
    let files = model.facts.files.value().map_or(0, |files| files.items.len());
    let next = (model.diff.file as i64).saturating_add(by).clamp(0, files.saturating_sub(1) as i64) as usize;
    if next == model.diff.file {
        return model.tell(if by > 0 { "This is the last file." } else { "This is the first file." });
    }
    open_file(model, next);
}

/// Opens a file at once; its highlighting is asked for by the next [`settle`].
fn open_file(model: &mut Model, file: usize) {
    model.diff.file = file;
    model.diff.scroll = Default::default();
    model.diff.left = 0;
    model.diff.parse(&model.facts);
}

pub(super) fn wheel(model: &mut Model, column: u16, row: u16, rows: i32) {
    if model.overlay != Overlay::None || model.posting.question().is_some() {
        return moved(model, Motion::Rows(i64::from(rows)));
    }
    if let Some(pane) = pane_at(model, column, row) {
        scroll(model, pane, Motion::Rows(i64::from(rows)));
    }
}

fn pane_at(model: &Model, column: u16, row: u16) -> Option<Pane> {
    let areas = areas(model)?;
    let inside = |area: Option<Area>| area.is_some_and(|area| area.contains(column, row));
    if inside(areas.checklist) {
        return Some(Pane::Checklist);
    }
    inside(areas.pane).then_some(model.beside)
}

/// Focuses the pane under the pointer and puts its cursor on the row.
pub(super) fn click(model: &mut Model, column: u16, row: u16) {
    if model.overlay != Overlay::None || model.posting.question().is_some() {
        return;
    }
    let Some(pane) = pane_at(model, column, row) else { return };
    let Some(areas) = areas(model) else { return };
    show(model, pane);
    let area = match pane {
        Pane::Checklist => areas.checklist,
        _ => areas.pane.map(|area| list_area(area, pane)),
    };
    let Some(area) = area else { return };
    let height = body_rows(area, pane, model);
    let first = area.y + area.rows.saturating_sub(height);
    let top = scroll_of(model, pane).map_or(0, |scroll| scroll.top);
    if area.contains(column, row) && row >= first {
        scroll(model, pane, Motion::To(top + usize::from(row - first)));
    }
}
