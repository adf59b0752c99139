//! Everything that the checks saw, in one file: the same answer offline, for ever.
//! Must not know: files; `runtime` writes what this renders.

use super::facts::Facts;
use super::time::Time;
use super::trouble::{Trouble, TroubleKind};
use serde::{Deserialize, Serialize};

/// The number this program writes. Within it, keys are only added.
pub const SCHEMA: u32 = 1;
const KIND: &str = "countersign snapshot";

/// What was known of a pull request, and the sign-off that was judged by it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    pub schema: u32,
    pub kind: String,
    pub taken_at: Time,
    /// The policy's name.
    pub policy: String,
    /// The sign-off's text, if there was one that stands by itself.
    pub signoff: Option<String>,
    pub facts: Facts,
}

impl Snapshot {
    pub fn new(taken_at: Time, policy: &str, signoff: Option<String>, facts: Facts) -> Snapshot {
        Snapshot { schema: SCHEMA, kind: KIND.to_owned(), taken_at, policy: policy.to_owned(), signoff, facts }
    }
}

/// Renders it as JSON that a person can read.
pub fn render_snapshot(snapshot: &Snapshot) -> String {
    let mut text = serde_json::to_string_pretty(snapshot).unwrap_or_default();
    text.push('\n');
    text
}

/// Reads it.
///
/// # Errors
/// Not JSON, not a snapshot, or one of a newer program.
pub fn parse_snapshot(text: &str) -> Result<Snapshot, Trouble> {
    #[derive(Deserialize)]
    struct Head {
        schema: u32,
        kind: String,
    }
    let bad = |why: String| {
        Trouble::new(
            TroubleKind::Malformed,
            format!("This is no snapshot: {why}."),
            "Take one with `countersign snapshot PR --out FILE`.",
        )
    };
    let head: Head = serde_json::from_str(text).map_err(|error| bad(error.to_string()))?;
    if head.kind != KIND {
        return Err(bad(format!("it says it is a {}", crate::core::text::gate::line(&head.kind))));
    }
    if head.schema > SCHEMA {
        let headline = format!("The snapshot has schema {}, and this version reads up to {SCHEMA}.", head.schema);
        return Err(Trouble::new(TroubleKind::Malformed, headline, "Read it with a newer countersign."));
    }
    serde_json::from_str(text).map_err(|error| bad(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::policy::tests::policy;
    use crate::core::sample::World;
    use proptest::prelude::*;

    #[test]
    fn what_was_known_comes_back_as_it_was() {
        let world = World::new();
        let facts = world.opened(&policy());
        let snapshot = Snapshot::new(world.now, "p", Some("text".into()), facts);
        let text = render_snapshot(&snapshot);
        assert_eq!(parse_snapshot(&text).unwrap(), snapshot);
        for (from, to, words) in [
            ("\"schema\": 1", "\"schema\": 2", "schema 2"),
            ("countersign snapshot", "countersign recording", "recording"),
            ("\"facts\"", "\"fact\"", "facts"),
        ] {
            let trouble = parse_snapshot(&text.replacen(from, to, 1)).unwrap_err();
            assert!(trouble.headline.contains(words), "{}", trouble.headline);
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC*") {
            let _ = parse_snapshot(&text);
        }
    }
}
