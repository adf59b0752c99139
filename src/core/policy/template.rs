//! Rule `template`: the checklist was read live from the default branch, and holds a template.
//! Must not know: how the template is parsed.

use super::{Context, Finding, Status};
use crate::core::evidence::Evidence;
use crate::core::facts::DocumentKind;
use crate::core::remote::Remote;

const KEY: &str = "template";
const TITLE: &str = "Checklist template";

pub(super) fn check(context: &Context<'_>) -> Finding {
    let finding = |status, reason: String| Finding::new(KEY, TITLE, status, reason);
    let document = context.facts.document(DocumentKind::Checklist);
    let Some(got) = document.and_then(Remote::settled) else {
        let reason = match document.and_then(Remote::trouble) {
            Some(trouble) => format!("The checklist of the default branch cannot be read: {}", trouble.headline),
            None => "The checklist of the default branch is not read yet.".to_owned(),
        };
        return finding(Status::Unavailable, reason);
    };
    let document = &got.value;
    let short = document.blob.as_str().get(..9).unwrap_or(document.blob.as_str());
    let evidence = Evidence::new("document", format!("{} blob {short}", document.path), None, got.source.clone());
    if !document.text.contains(&context.policy.signoff.trigger) {
        let reason = format!("{} holds no template that opens with the sign-off phrase.", document.path);
        return finding(Status::Unavailable, reason).with([evidence]);
    }
    let edits = context.facts.files.value().is_some_and(|files| {
        files.items.iter().any(|file| file.path == document.path || file.previous_path.as_ref() == Some(&document.path))
    });
    if edits {
        let reason = format!("This pull request edits {}; the template is the default branch's.", document.path);
        return finding(Status::Warn, reason).with([evidence]);
    }
    let at = got.source.commit.as_ref().map(|commit| format!(" at {}", commit.short())).unwrap_or_default();
    finding(Status::Pass, format!("Read from the default branch{at}: {}, blob {short}.", document.path))
        .in_brief(format!("live, blob {short}"))
        .with([evidence])
}
