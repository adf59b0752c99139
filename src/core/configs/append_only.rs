//! Whether an entry only gained points: those that were there stay, with the same image and recipe.
//! Must not know: recipes' texts, the changelog.

use super::compare::{self, EntryChange, Identity, PointChange, What};
use super::jobs::AGENTIC;
use super::masters::{Entry, Point};
use serde_json::Value;

/// What became of an entry whose points were to be added to only.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AppendOnly {
    /// Points that stayed as they were.
    pub kept: usize,
    pub added: Vec<Identity>,
    /// Points that changed or went, which none may.
    pub broken: Vec<PointChange>,
    /// Why what was added may not be added, a sentence each.
    pub objections: Vec<String>,
}

impl AppendOnly {
    /// Something was added, nothing else happened, and what was added belongs to a curve that is there.
    pub fn holds(&self) -> bool {
        !self.added.is_empty() && self.broken.is_empty() && self.objections.is_empty()
    }
}

/// Compares an entry at base and head. An empty `scenarios` names all; points of others must stay as well.
pub fn compare(base: Option<&Entry>, head: &Entry, scenarios: &[String]) -> AppendOnly {
    let (changes, kept) = compare::entry(base, Some(head));
    let mut out = AppendOnly { kept, ..AppendOnly::default() };
    let Some(base) = base else {
        out.objections.push(format!("`{}` is new: there is no curve to append to.", head.key));
        return out;
    };
    for change in changes {
        let named = scenarios.is_empty() || scenarios.contains(&change.at.scenario);
        match change.what {
            What::Added if named => out.added.push(change.at),
            What::Added | What::Removed | What::Changed(_) => out.broken.push(change),
        }
    }
    if base.points.is_empty() {
        out.objections.push(format!("`{}` has no point at the base: there is no curve to append to.", head.key));
    }
    if out.added.is_empty() {
        out.objections.push(format!("`{}` gains no point.", head.key));
    }
    match (&base.image, &head.image) {
        (_, None) => out.objections.push(format!("`{}` names no image.", head.key)),
        (was, now) if was != now => out.objections.push(format!("`{}` has another image than before.", head.key)),
        _ => {}
    }
    // A row may bring added points only into a curve that the base draws.
    for row in &head.points {
        let adds = row.conc.iter().any(|conc| out.added.iter().any(|at| at.conc == *conc && same_place(at, row)));
        if adds && !base.points.iter().any(|old| same_curve((base, old), (head, row))) {
            let message = format!("`{}` at {} belongs to no curve of the base.", head.key, row.parallel.render());
            if !out.objections.contains(&message) {
                out.objections.push(message);
            }
        }
    }
    out
}

fn same_place(at: &Identity, row: &Point) -> bool {
    at.scenario == row.scenario
        && at.lengths == (row.isl, row.osl)
        && (&at.parallel, &at.prefill, &at.decode) == (&row.parallel, &row.prefill, &row.decode)
}

/// Whether two rows are drawn as one curve.
fn same_curve((base, old): (&Entry, &Point), (head, new): (&Entry, &Point)) -> bool {
    let hardware = |row: &Point| -> (Option<Value>, Option<Value>) {
        (row.other.get("prefill.hardware").cloned(), row.other.get("decode.hardware").cloned())
    };
    let fixed = |row: &Point| (row.scenario != AGENTIC).then(|| (row.isl, row.osl, row.spec.clone()));
    (&base.model, &base.model_prefix, &base.precision, &base.framework, &base.runner, base.disagg)
        == (&head.model, &head.model_prefix, &head.precision, &head.framework, &head.runner, head.disagg)
        && old.scenario == new.scenario
        && fixed(old) == fixed(new)
        && old.kv.is_some() == new.kv.is_some()
        && hardware(old) == hardware(new)
}

/// Entries that a pull request may not touch beside those that it only appends to.
pub fn foreign<'c>(changes: &'c [EntryChange], named: &[super::Named]) -> Vec<&'c str> {
    let others = changes.iter().filter(|change| !named.iter().any(|name| name.covers(&change.key)));
    others.map(|change| change.key.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::configs::masters;

    const BASE: &str = "k:\n  image: i:1\n  model-prefix: p\n  runner: r\n  precision: fp4\n  framework: f\n  scenarios:\n    agentic-coding:\n    - search-space:\n      - { tp: 4, conc-list: [1, 2], kv-offloading: none, srt-recipe: a.yaml }\n";

    fn entry(text: &str) -> Entry {
        masters::entry("m.yaml", text, "k").unwrap().unwrap()
    }

    fn told(from: &str, to: &str) -> (bool, usize, String) {
        let got = compare(Some(&entry(BASE)), &entry(&BASE.replace(from, to)), &[]);
        let added: Vec<String> = got.added.iter().map(Identity::render).collect();
        let broken: Vec<String> = got.broken.iter().map(|change| format!("{} {:?}", change.at.render(), change.what)).collect();
        (got.holds(), got.kept, [added, broken, got.objections].concat().join("; "))
    }

    #[test]
    fn points_may_only_come() {
        assert_eq!(told("[1, 2]", "[1, 2, 4]"), (true, 2, "agentic-coding TP4 c4".into()));
        assert_eq!(told("[1, 2]", "[1, 4]"), (false, 1, "agentic-coding TP4 c4; agentic-coding TP4 c2 Removed".into()));
        let row = "      - { tp: 8, conc-list: [1], kv-offloading: none, srt-recipe: b.yaml }\n";
        assert_eq!(told("a.yaml }\n", &format!("a.yaml }}\n{row}")), (true, 2, "agentic-coding TP8 c1".into()));
        let (holds, kept, why) =
            told("[1, 2], kv-offloading: none, srt-recipe: a", "[1, 2, 4], kv-offloading: none, srt-recipe: b");
        assert_eq!((holds, kept), (false, 0));
        assert!(why.contains("TP4 c1 Changed([Recipe])"), "{why}");
        assert_eq!(told("x", "x"), (false, 2, "`k` gains no point.".into()));
        let (holds, _, why) = told("i:1", "i:2");
        assert!(!holds && why.contains("Changed([Image])") && why.contains("another image"), "{why}");
        let offloaded = row.replace("none", "dram");
        let (holds, _, why) = told("a.yaml }\n", &format!("a.yaml }}\n{offloaded}"));
        assert!(!holds && why.contains("no curve of the base"), "{why}");
    }

    #[test]
    fn a_new_entry_and_other_scenarios_append_to_nothing() {
        let head = entry(BASE);
        assert!(!compare(None, &head, &[]).holds());
        let more = entry(&BASE.replace("[1, 2]", "[1, 2, 4]"));
        assert!(compare(Some(&head), &more, &["agentic-coding".into()]).holds());
        assert!(!compare(Some(&head), &more, &["fixed-seq-len".into()]).holds());
    }
}
