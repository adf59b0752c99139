//! Points that ran another script or recipe at the merge base than they do now.
//! Must not know: what stands in either.

use super::ArmReview;
use crate::core::configs::ChangedKeys;
use crate::core::configs::compare::What;
use crate::core::launch::LaunchPolicy;
use crate::core::policy::launches::arms::whereabouts;

/// What a config ran, where it runs something else now.
pub(super) struct Moved {
    key: String,
    /// Where what it runs now may lie.
    now: Vec<String>,
    variant: Option<String>,
    before: String,
}

/// Of every changed point; each pair once.
pub(super) fn moved(launch: &LaunchPolicy, keys: &ChangedKeys) -> Vec<Moved> {
    let mut out: Vec<Moved> = Vec::new();
    for change in &keys.changes {
        let head = keys.touched.iter().chain(&keys.entries).find(|entry| entry.key == change.key);
        let base = keys.was.iter().find(|entry| entry.key == change.key);
        let (Some(head), Some(base)) = (head, base) else { continue };
        for point in change.points.iter().filter(|point| matches!(point.what, What::Changed(_))) {
            let Some(row) = head.points.get(point.row) else { continue };
            let Some(old) = base.points.iter().find(|old| point.at.is_of(old)) else { continue };
            let (now, before) = (whereabouts(launch, head, row), whereabouts(launch, base, old));
            if now == before {
                continue;
            }
            let before = match (&old.recipe, before.candidates.last()) {
                (Some(recipe), _) => recipe.clone(),
                (None, Some(path)) => format!("a script by the name of {path}"),
                (None, None) => "something that its entry does not name".to_owned(),
            };
            let known = |one: &Moved| {
                one.key == change.key && one.before == before && one.now == now.candidates && one.variant == now.variant
            };
            if !out.iter().any(known) {
                out.push(Moved { key: change.key.clone(), now: now.candidates, variant: now.variant, before });
            }
        }
    }
    out
}

impl Moved {
    /// Says so in the rows of what is run now. A selector may pick several variants, so of those only the file counts.
    pub(super) fn tell(&self, rows: &mut [ArmReview]) {
        let is_mine = |row: &&mut ArmReview| {
            let picked = may_pick(self.variant.as_deref(), row.variant.as_deref());
            row.configs.contains(&self.key) && picked && self.now.contains(&row.path)
        };
        for row in rows.iter_mut().filter(is_mine) {
            row.doubts.push(format!("At the merge base {} ran {}: the two are not compared.", self.key, self.before));
        }
    }
}

/// Whether a selector may have picked this variant.
fn may_pick(selector: Option<&str>, variant: Option<&str>) -> bool {
    match (selector, variant) {
        (Some(selector), Some(variant)) => {
            selector.contains(['*', '?'])
                || variant.strip_prefix(selector).is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
        }
        _ => true,
    }
}
