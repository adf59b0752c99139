//! One-line fields: the search of the diff and the palette.
//! Must not know: how they are drawn.

use super::motion::height_of;
use super::{leave, run};
use crate::app::effect::Effect;
use crate::app::key::{Code, Key};
use crate::app::model::{Model, Overlay, Pane};
use crate::app::screens::palette;

pub(super) fn paste(model: &mut Model, text: &str) {
    // A pasted newline never submits: only the first line goes into the field.
    let line: String = text.lines().next().unwrap_or_default().chars().filter(|c| !c.is_control()).collect();
    match &mut model.overlay {
        Overlay::Search(field) | Overlay::Palette { text: field, .. } => field.push_str(&line),
        Overlay::None | Overlay::Help { .. } | Overlay::Log { .. } => {}
    }
}

/// A key in a one-line field; `true` when it changed the text.
fn type_key(field: &mut String, key: Key) -> bool {
    match key {
        Key { code: Code::Char('u'), ctrl: true, .. } => field.clear(),
        Key { code: Code::Char('w'), ctrl: true, .. } => {
            let kept = field.trim_end().rfind(' ').map_or(0, |at| at + 1);
            field.truncate(kept);
        }
        Key { code: Code::Backspace, .. } => {
            let cut = unicode_segmentation::UnicodeSegmentation::grapheme_indices(field.as_str(), true)
                .next_back()
                .map_or(0, |(at, _)| at);
            field.truncate(cut);
        }
        Key { code: Code::Char(c), ctrl: false, alt: false } => field.push(c),
        _ => return false,
    }
    true
}

pub(super) fn type_search(model: &mut Model, key: Key) -> Vec<Effect> {
    let Overlay::Search(field) = &mut model.overlay else { return Vec::new() };
    match key.code {
        Code::Esc => model.overlay = Overlay::None,
        Code::Enter => {
            let pattern = std::mem::take(field);
            model.overlay = Overlay::None;
            let height = height_of(model, Pane::Diff);
            model.diff.start_search(pattern, height);
            if model.diff.search.as_ref().is_some_and(|search| search.hits.is_empty()) {
                model.tell("Nothing in this file matches.");
            }
        }
        Code::Char('c') if key.ctrl => return leave(model),
        _ => {
            type_key(field, key);
        }
    }
    Vec::new()
}

pub(super) fn type_palette(model: &mut Model, key: Key) -> Vec<Effect> {
    let Overlay::Palette { text, cursor } = &mut model.overlay else { return Vec::new() };
    match key.code {
        Code::Esc => model.overlay = Overlay::None,
        Code::Char('c') if key.ctrl => return leave(model),
        Code::Down => *cursor += 1,
        Code::Up => *cursor = cursor.saturating_sub(1),
        Code::Enter => {
            let found = palette::matches(text);
            let chosen = found.get(*cursor).or(found.last()).map(|action| action.id);
            model.overlay = Overlay::None;
            if let Some(id) = chosen {
                return run(model, id, None);
            }
        }
        _ => {
            if type_key(text, key) {
                *cursor = 0;
            }
        }
    }
    if let Overlay::Palette { text, cursor } = &mut model.overlay {
        *cursor = (*cursor).min(palette::matches(text).len().saturating_sub(1));
    }
    Vec::new()
}
