//! One-line fields: the one at the foot, and the palette's.
//! Must not know: how they are drawn.

use super::motion::height_of;
use super::signoff::{self, Slip};
use super::{filtered, joblog, leave, measured, run};
use crate::app::effect::Effect;
use crate::app::key::{Code, Key};
use crate::app::model::{Field, Model, Overlay, Pane};
use crate::app::screens::palette;
use crate::core::results::compare::Reference;
use crate::core::text::counted;

pub(super) fn paste(model: &mut Model, text: &str) {
    // A pasted newline never submits: only the first line goes into the field, and it is told when there are more.
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let line: String = lines.next().unwrap_or_default().chars().filter(|c| !c.is_control()).collect();
    let more = lines.count();
    match &mut model.overlay {
        Overlay::Palette { text, .. } => text.push_str(&line),
        Overlay::Typing { text, .. } => {
            text.push_str(&line);
            changed(model);
            if let (1.., Overlay::Typing { field: Field::Reason(_) | Field::Behind(_), wrong, .. }) = (more, &mut model.overlay)
            {
                *wrong = Some(format!("Only the first line was taken: {} more.", counted(more, "line")));
            }
        }
        Overlay::None | Overlay::Help { .. } | Overlay::Log { .. } | Overlay::Messages { .. } | Overlay::JobLog => {}
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

/// Opens a one-line field with `text` in it.
pub(super) fn open(model: &mut Model, field: Field, text: String) {
    model.overlay = Overlay::Typing { field, text, wrong: None };
}

pub(super) fn type_line(model: &mut Model, key: Key) -> Vec<Effect> {
    match key.code {
        Code::Char('c') if key.ctrl => return leave(model),
        Code::Esc => {
            let typing = model.overlay.clone();
            model.uncover();
            if let Overlay::Typing { field: Field::Filter { pane, before }, .. } = typing {
                // It was understood when it was set.
                let _ = filtered::sift(model, pane, &before);
            }
        }
        Code::Enter => return entered(model),
        Code::Tab => signoff::next_snippet(model),
        _ => {
            let Overlay::Typing { text, .. } = &mut model.overlay else { return Vec::new() };
            if type_key(text, key) {
                changed(model);
            }
        }
    }
    Vec::new()
}

/// The text of the field changed: a filter works while it is typed.
fn changed(model: &mut Model) {
    let Overlay::Typing { field, text, .. } = &model.overlay else { return };
    let (field, text) = (field.clone(), text.clone());
    let said = match &field {
        Field::Filter { pane, .. } => filtered::sift(model, *pane, &text).err(),
        Field::Search | Field::JobLogSearch | Field::Reference | Field::Reason(_) | Field::Behind(_) => None,
    };
    if let Overlay::Typing { wrong, .. } = &mut model.overlay {
        *wrong = said;
    }
}

fn entered(model: &mut Model) -> Vec<Effect> {
    let Overlay::Typing { field, text, wrong } = std::mem::take(&mut model.overlay) else { return Vec::new() };
    match field {
        Field::Search => {
            let height = height_of(model, Pane::Diff);
            model.diff.start_search(text, height);
            if model.diff.search.as_ref().is_some_and(|search| search.hits.is_empty()) {
                model.tell("Nothing in this file matches.");
            }
        }
        Field::JobLogSearch => return joblog::search(model, &text),
        // What is not understood stays in the field.
        Field::Filter { .. } if wrong.is_some() => model.overlay = Overlay::Typing { field, text, wrong },
        Field::Filter { pane, .. } => filtered::told(model, pane),
        Field::Reason(key) => return signoff::give(model, key, &text, Slip::Reason),
        Field::Behind(key) => return signoff::give(model, key, &text, Slip::Behind),
        Field::Reference => match Reference::parse(&text) {
            Ok(reference) => return measured::compare_with(model, reference),
            Err(trouble) => {
                model.overlay = Overlay::Typing { field: Field::Reference, text, wrong: Some(trouble.sentence()) };
            }
        },
    }
    Vec::new()
}

pub(super) fn type_palette(model: &mut Model, key: Key) -> Vec<Effect> {
    let Overlay::Palette { text, .. } = &model.overlay else { return Vec::new() };
    let found = palette::matches(model, text);
    let Overlay::Palette { text, cursor } = &mut model.overlay else { return Vec::new() };
    match key.code {
        Code::Esc => model.uncover(),
        Code::Char('c') if key.ctrl => return leave(model),
        Code::Down => *cursor += 1,
        Code::Up => *cursor = cursor.saturating_sub(1),
        Code::Enter => {
            let chosen = found.get(*cursor).or(found.last()).map(|action| action.id);
            model.uncover();
            match chosen {
                Some(id) => return run(model, id, None),
                None => model.tell("No action that can be run from here has these words."),
            }
        }
        _ => {
            if type_key(text, key) {
                *cursor = 0;
            }
        }
    }
    let Overlay::Palette { text, .. } = &model.overlay else { return Vec::new() };
    let last = palette::matches(model, text).len().saturating_sub(1);
    if let Overlay::Palette { cursor, .. } = &mut model.overlay {
        *cursor = (*cursor).min(last);
    }
    Vec::new()
}
