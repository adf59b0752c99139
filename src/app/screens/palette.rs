//! The palette: actions whose name or title holds what was typed.
//! Must not know: how it is drawn.

use crate::app::action::{Action, listed};
use crate::app::model::Model;

/// Actions that can be run from here and match, those whose name begins with the text first.
pub fn matches(model: &Model, text: &str) -> Vec<&'static Action> {
    let needle = text.trim().to_lowercase().replace(' ', "_");
    let rank = |action: &Action| match () {
        () if action.name.starts_with(&needle) => 0,
        () if action.name.contains(&needle) => 1,
        () => 2,
    };
    let hit =
        |action: &&Action| action.name.contains(&needle) || action.help.to_lowercase().contains(&text.trim().to_lowercase());
    let mut found: Vec<&Action> = listed(model).filter(hit).collect();
    found.sort_by_key(|action| rank(action));
    found
}
