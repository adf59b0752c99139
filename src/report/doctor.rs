//! What the doctor found, a row each, as text and JSON.
//! Must not know: how anything is examined.

use super::{Report, SCHEMA, json};
use crate::core::access::{Check, Health};
use crate::core::text::{gate, width};
use serde::Serialize;

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    /// Nothing that the program needs is broken.
    healthy: bool,
    checks: &'a [Check],
}

/// Reports checks in the order given; a broken one is a gap.
pub fn report(checks: &[Check], as_json: bool) -> Report {
    let broken: Vec<&Check> = checks.iter().filter(|check| check.health == Health::Broken).collect();
    let text = if as_json { json(&Document { schema: SCHEMA, healthy: broken.is_empty(), checks }) } else { render(checks) };
    Report { text, gaps: broken.iter().map(|check| format!("{}: {}", check.name, check.told)).collect() }
}

fn render(checks: &[Check]) -> String {
    let wide = checks.iter().map(|check| width::of(&gate::line(&check.name))).max().unwrap_or_default();
    let mut out = String::new();
    let mut about = "";
    for check in checks {
        if check.about != about {
            about = check.about;
            let gap = if out.is_empty() { "" } else { "\n" };
            out.push_str(&format!("{gap}{about}\n"));
        }
        let name = gate::line(&check.name);
        let space = " ".repeat(wide - width::of(&name) + 2);
        out.push_str(&format!("{} {name}{space}{}\n", check.health.mark(), gate::line(&check.told)));
        if !check.hint.is_empty() {
            out.push_str(&format!("  {}→ {}\n", " ".repeat(wide + 2), gate::line(&check.hint)));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_groups_and_only_what_is_broken_is_a_gap() {
        let check = |about, health, name: &str, hint: &str| Check {
            about,
            health,
            name: name.into(),
            told: "found\u{1b}".into(),
            hint: hint.into(),
        };
        let mut checks = vec![
            check("Files", Health::Good, "settings", ""),
            check("Files", Health::Doubtful, "a", "Mend it."),
            check("Rights", Health::Good, "b", ""),
        ];
        let told = report(&checks, false);
        let expected =
            "Files\n✓ settings  found^[\n! a         found^[\n            → Mend it.\n\nRights\n✓ b         found^[\n";
        assert_eq!((told.text.as_str(), told.gaps.len()), (expected, 0));
        checks.push(check("Rights", Health::Broken, "c", "Do it."));
        let told = report(&checks, true);
        assert_eq!(told.gaps.len(), 1);
        assert!(told.text.starts_with("{\n  \"schema\": 1,\n  \"healthy\": false"), "{}", told.text);
    }
}
