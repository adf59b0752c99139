//! What the scripts and recipes of a pull request ran at the merge base, read once per text like those of the head.
//! Must not know: how the two sides differ, what is said of them.

use super::LaunchRules;
use super::arms::Arm;
use super::launched::{Judged, Launched, TextId};
use super::sources::{Unfollowed, Why};
use super::texts::{self, Text};
use crate::core::facts::Facts;
use crate::core::launch::LaunchPolicy;
use crate::core::launch::recipe::BASE;
use crate::core::listing::Listing;
use crate::core::plan::Read;
use crate::core::pull::ChangedFile;
use std::sync::Arc;

/// An arm at the merge base.
#[derive(Debug, Clone, PartialEq)]
pub enum Before {
    /// Neither the file nor anything that it sources is changed.
    Same,
    /// A recipe with all its variants.
    Read {
        path: String,
        launches: Arc<Vec<Judged>>,
        unfollowed: Vec<Unfollowed>,
    },
    /// It did not exist.
    Absent,
    Unread {
        path: String,
        why: Option<String>,
    },
}

impl Before {
    /// What is still to be read.
    pub fn reads(&self, facts: &Facts) -> Vec<Read> {
        match self {
            Before::Same | Before::Absent | Before::Unread { why: Some(_), .. } => Vec::new(),
            Before::Unread { path, why: None } => texts::read_base(facts, path).into_iter().collect(),
            Before::Read { unfollowed, .. } => {
                let wanted = unfollowed.iter().filter_map(|one| match &one.why {
                    Why::Wants(path) => texts::read_base(facts, path),
                    _ => None,
                });
                wanted.collect()
            }
        }
    }
}

impl Launched {
    /// What an arm ran before, whose text at the head is read.
    pub(super) fn before(
        &self,
        out: &mut Launched,
        (facts, files): (&Facts, &[ChangedFile]),
        arm: &Arm,
        (id, head): (&TextId, &Arc<Vec<Judged>>),
        launch: &LaunchPolicy,
        rules: &LaunchRules,
    ) -> Before {
        let renamed = files.iter().find(|file| file.path == arm.path && file.status == "renamed");
        let path = renamed.and_then(|file| file.previous_path.as_ref()).unwrap_or(&arm.path);
        let sources = head.iter().any(|one| !one.launch.sources.is_empty()) || id.sources > 0;
        // What a list of changed files leaves out may be changed.
        let listed = facts.files.value().is_some_and(Listing::is_complete);
        if listed && !arm.changed && !sources && *path == arm.path {
            return Before::Same;
        }
        let find = |path: &str| Text::at_base(facts, path);
        match find(path) {
            Text::Absent => return Before::Absent,
            Text::Unread(why) => return Before::Unread { path: path.clone(), why },
            Text::Side(_) | Text::Patch(_) => {}
        }
        // Which of its variants there were is told by the whole of them; its base alone is none of them.
        let variant = arm.variant.clone().filter(|variant| variant == BASE);
        let old = Arm { path: path.clone(), variant, ..arm.clone() };
        match self.followed(out, &find, &old, launch, rules) {
            Some((_, launches, _)) if Arc::ptr_eq(&launches, head) => Before::Same,
            Some((_, launches, unfollowed)) => Before::Read { path: path.clone(), launches, unfollowed },
            None => Before::Unread { path: path.clone(), why: None },
        }
    }
}
