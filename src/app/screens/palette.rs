//! The palette: actions whose name or title holds what was typed.
//! Must not know: how it is drawn.

use crate::app::action::{ACTIONS, Action};

/// Actions that match, those whose name begins with the text first.
pub fn matches(text: &str) -> Vec<&'static Action> {
    let needle = text.trim().to_lowercase().replace(' ', "_");
    let rank = |action: &Action| match () {
        () if action.name.starts_with(&needle) => 0,
        () if action.name.contains(&needle) => 1,
        () => 2,
    };
    let hit =
        |action: &&Action| action.name.contains(&needle) || action.help.to_lowercase().contains(&text.trim().to_lowercase());
    let mut found: Vec<&Action> = ACTIONS.iter().filter(hit).collect();
    found.sort_by_key(|action| rank(action));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_before_sentences() {
        assert_eq!(matches("next hunk").first().map(|action| action.name), Some("next_hunk"));
        assert!(matches("browser").iter().any(|action| action.name == "open"));
        assert_eq!(matches("").len(), ACTIONS.len());
        assert!(matches("zzz").is_empty());
    }
}
