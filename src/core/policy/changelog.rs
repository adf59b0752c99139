//! Rule `changelog`: the changelog grew at its end, in order, and names keys that exist.
//! Must not know: how its text is compared.

use super::read::unavailable;
use super::{Context, Finding, Status};
use crate::core::evidence::Evidence;
use crate::core::facts::Side;

const KEY: &str = "changelog";

pub(super) fn check(context: &Context<'_>) -> Finding {
    let keys = &context.conclusions.keys;
    let files = context.facts.files.value().map(|files| files.items.as_slice()).unwrap_or_default();
    let is_log = |path: &str| context.policy.configs.changelog.iter().any(|known| known == path);
    let Some(file) = files.iter().find(|file| is_log(&file.path) || file.previous_path.as_deref().is_some_and(is_log)) else {
        return match context.facts.files.settled() {
            Some(got) if got.value.is_complete() => {
                Finding::new(KEY, "", Status::NotApplicable, "The changelog is not touched.").in_brief("not touched")
            }
            _ => unavailable(KEY, "The list of changed files is not read whole."),
        };
    };
    if keys.known.is_none() {
        return unavailable(
            KEY,
            keys.gaps().into_iter().next().unwrap_or_else(|| "Not all config files are read yet.".to_owned()),
        );
    }
    let got = context.facts.sides.get(&(Side::Head, file.path.clone())).and_then(|remote| remote.settled());
    let evidence = |line: usize| {
        let got = got?;
        let link = got.source.commit.as_ref().map(|commit| context.facts.page(&format!("blob/{commit}/{}#L{line}", file.path)));
        Some(Evidence::new("changelog", format!("{} line {line}", file.path), link, got.source.clone()))
    };
    let said = |problem: &crate::core::yaml::Problem| format!("Line {}: {}", problem.line, problem.message);
    match keys.disorder.as_slice() {
        [] => {
            let count = keys.changelog.len();
            let line = keys.changelog.first().map_or(1, |entry| entry.line);
            let reason = format!("{count} new {} at the end, in order.", if count == 1 { "entry" } else { "entries" });
            Finding::new(KEY, "", Status::Pass, reason).in_brief("in order").with(evidence(line))
        }
        [first, rest @ ..] => Finding::new(KEY, "", Status::Fail, said(first))
            .in_brief(format!("{} problems", keys.disorder.len()))
            .with(evidence(first.line))
            .note(rest.iter().map(said)),
    }
}
