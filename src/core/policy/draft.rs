//! Rule `draft`: what changes the precision of a draft model, in speculative configs that come or change.
//! Must not know: how a launch is read, which settings there are.

use super::chat_template::speculative;
use super::launches::told;
use super::{Context, Finding, Status, normalise};
use crate::core::plan::Read;

const KEY: &str = "draft";

pub(super) fn needs(context: &Context<'_>, reads: &mut Vec<Read>) {
    told::needs(context, reads);
}

pub(super) fn check(context: &Context<'_>) -> Finding {
    let found = speculative(context, KEY, |judged| &judged.draft);
    // What ships and what runs stands in the model's own files: the sign-off says it.
    // The program's own "(drafted)" says nothing of it.
    let words = context.excuses().map(normalise).unwrap_or_default();
    let spoken = words.split(' ').any(|word| word.starts_with("draft") && word != "drafted");
    match found.status {
        Status::Pass | Status::NeedsYou if !spoken => found
            .note(["The details say nothing of the draft: write its shipped and its effective precision there.".to_owned()]),
        _ => found,
    }
}
