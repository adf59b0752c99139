//! Rule `draft`: what changes the precision of a draft model, in speculative configs that come or change.
//! Must not know: how a launch is read, which settings there are.

use super::chat_template::speculative;
use super::launches::told;
use super::{Context, Finding, Status};
use crate::core::plan::Read;

const KEY: &str = "draft";

pub(super) fn needs(context: &Context<'_>, reads: &mut Vec<Read>) {
    told::needs(context, reads);
}

pub(super) fn check(context: &Context<'_>) -> Finding {
    let found = speculative(context, KEY, |judged| &judged.draft);
    // What ships and what runs stands in the model's own files: the sign-off says it.
    let spoken = context.excuses().is_some_and(|details| details.to_lowercase().contains("draft"));
    match found.status {
        Status::Pass | Status::NeedsYou if !spoken => found
            .note(["The details say nothing of the draft: write its shipped and its effective precision there.".to_owned()]),
        _ => found,
    }
}
