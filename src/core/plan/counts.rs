//! Lists held to what the pull request itself counts.
//! Must not know: how lists are read.

use crate::core::facts::Facts;
use crate::core::listing::{Completeness, Listing};
use crate::core::remote::Remote;
use crate::core::trouble::{Trouble, TroubleKind};

/// GitHub caps the lists of files and commits without a word, and counts no list that is cut short; the pull request says
/// how many there are.
pub(super) fn count_again(facts: &mut Facts) {
    let Some(pull) = facts.pull.settled() else { return };
    let (files, commits) = (pull.value.changed_files, pull.value.commits);
    let (comments, line_comments) = (pull.value.comments, pull.value.line_comments);
    short_of(&mut facts.files, files);
    short_of(&mut facts.commits, commits);
    part_of(&mut facts.files, files);
    part_of(&mut facts.commits, commits);
    part_of(&mut facts.comments, comments);
    part_of(&mut facts.line_comments, line_comments);
}

/// A list that was cut short is so many of how many.
fn part_of<T>(list: &mut Remote<Listing<T>>, count: u64) {
    let (Remote::Ready(got) | Remote::Refreshing(got)) = list else { return };
    let items = got.value.items.len();
    if let Completeness::Partial { of: of @ None, .. } = &mut got.value.completeness {
        *of = usize::try_from(count).ok().filter(|count| *count > items);
    }
}

/// A list that came to its end with fewer items than GitHub counts is not whole.
fn short_of<T>(list: &mut Remote<Listing<T>>, count: u64) {
    let Remote::Ready(got) = list else { return };
    let of = usize::try_from(count).unwrap_or(usize::MAX);
    if got.value.is_complete() && got.value.items.len() < of {
        let why =
            Trouble::new(TroubleKind::TooLarge, "GitHub lists no more than these.", "The rest can be seen in a clone only.");
        got.value.completeness = Completeness::Partial { of: Some(of), why };
    }
}
