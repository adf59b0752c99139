//! Rule `template`: the sign-off is made from today's checklist, every item of it is answered, and nothing of it was left as
//! a placeholder.
//! Must not know: how the template is parsed or a sign-off composed.

use super::items::{holds, item_key, normalise};
use super::read::{document, evidence, several};
use super::{Context, Finding, Status};
use crate::core::checklist::copied::is_same;
use crate::core::checklist::template::{Item, Template};
use crate::core::checklist::versions;
use crate::core::facts::DocumentKind;
use crate::core::markdown::tasks::tasks;
use crate::core::text::gate;
use std::collections::BTreeSet;

const KEY: &str = "template";

pub(super) fn check(context: &Context<'_>) -> Finding {
    let finding = |status, reason: String| Finding::new(KEY, "", status, reason);
    let got = match document(context.facts, DocumentKind::Checklist, "The checklist of the default branch") {
        Ok(got) => got,
        Err(why) => return finding(Status::Unavailable, why).in_brief("not read"),
    };
    let path = &got.value.path;
    let short = got.value.blob.as_str().get(..9).unwrap_or(got.value.blob.as_str());
    let page = evidence(context, got, None);
    let (Some(template), Some(text)) = (context.template, context.text) else {
        return finding(Status::Unavailable, format!("{path} holds no template that opens with the sign-off phrase."))
            .with([page]);
    };
    let mut wrong: Vec<String> = Vec::new();
    let signoff = &context.policy.signoff;
    if !text.contains(&signoff.trigger) {
        wrong.push(format!("The opening phrase \"{}\" is missing: the bot would not see a sign-off.", signoff.trigger));
    }
    for placeholder in [&signoff.login_placeholder, &signoff.detail_placeholder] {
        if text.contains(placeholder.as_str()) {
            wrong.push(format!("The placeholder \"{placeholder}\" is still in the text."));
        }
    }
    let answers = answers(context, text);
    let (mut missing, mut open) = (Vec::new(), Vec::new());
    for item in &template.items {
        let own = || normalise(template.item_text(item)).into();
        match answers.iter().find(|answer| is_same(item, answer.key.as_ref(), own, &answer.words)) {
            None => missing.push(name(template, item)),
            Some(answer) if !answer.ticked => open.push(item),
            Some(_) => {}
        }
    }
    if !missing.is_empty() {
        let words = if missing.len() == 1 { "is no item of the text" } else { "are no items of the text" };
        wrong.push(format!("{} {words}{}.", several(&missing), made_from(context, template, text)));
    }
    // Wording may drift, and nothing is wrong with that; but an older version is called by its name.
    let aged = (context.finished && missing.is_empty())
        .then(|| versions::older(text, template, context.policy))
        .flatten()
        .and_then(|_| versions::sentence("The text", text, template, context.policy, context.facts.day));
    let details = context.excuses().unwrap_or_default();
    let unexplained: Vec<String> =
        open.iter().filter(|item| !is_explained(template, item, details)).map(|item| name(template, item)).collect();
    let edits =
        context.facts.files.value().is_some_and(|files| {
            files.items.iter().any(|file| &file.path == path || file.previous_path.as_ref() == Some(path))
        });
    let at = got.source.commit.as_ref().map(|commit| format!(" at {}", commit.short())).unwrap_or_default();
    let read = format!("read from the default branch{at}, blob {short}");
    if let Some(first) = wrong.first().cloned() {
        return finding(Status::Fail, first)
            .in_brief("not today's template")
            .with([page])
            .note(wrong.into_iter().skip(1).chain(aged));
    }
    let edited = finding(Status::Warn, format!("This pull request edits {path}; the bot compares with the default branch's."));
    if !unexplained.is_empty() {
        let count = unexplained.len();
        let words = if count == 1 { "is" } else { "are" };
        let reason = format!(
            "{count} of {} items {words} not ticked, and the details give no reason: {}.",
            template.items.len(),
            several(&unexplained)
        );
        if context.finished {
            return finding(Status::Fail, reason).in_brief(format!("{count} open")).with([page]).note(aged);
        }
        // A sign-off in the making waits for its author; that it is made from today's template can be said already.
        let today = format!("{path} is today's template ({read}).");
        let own = if edits { edited } else { finding(Status::Pass, today.clone()).in_brief(format!("live, blob {short}")) };
        return finding(Status::NeedsYou, format!("{count} of {} items {words} not answered yet.", template.items.len()))
            .in_brief(format!("{count} of {} open", template.items.len()))
            .with([page.clone()])
            .note([today])
            .for_items(own.with([page]));
    }
    if edits {
        return edited.with([page]).note(aged);
    }
    let explained = if open.is_empty() { String::new() } else { format!(", {} of them open with a reason", open.len()) };
    finding(Status::Pass, format!("All {} items of {path} are answered{explained} ({read}).", template.items.len()))
        .in_brief(format!("live, blob {short}"))
        .with([page])
        .note(aged)
}

/// What a text that lacks items was made from, to be read behind them.
fn made_from(context: &Context<'_>, template: &Template, text: &str) -> String {
    let day = context.facts.day;
    match versions::tell(text, template, context.policy) {
        Some(told) if versions::is_todays(&told, template, context.policy) => {
            let how = if told.is_exact() { "its words are those of" } else { "it is nearest to" };
            format!(", though {how} today's checklist, {}", told.version(day))
        }
        Some(told) => format!(": it was made from an older checklist, {}", told.likeness(day)),
        None => ": it was made from an older checklist".to_owned(),
    }
}

/// An item as the sign-off has it.
struct Answer {
    key: Option<crate::core::ids::Key>,
    words: String,
    ticked: bool,
}

/// The sign-off's items: task items, and bullets as they are copied from a rendered page, where boxes are lost.
fn answers(context: &Context<'_>, text: &str) -> Vec<Answer> {
    let item = |words: &str, ticked| Answer {
        key: item_key(context.policy, words).map(|item| item.key.clone()),
        words: normalise(words),
        ticked,
    };
    let boxed = tasks(text).into_iter().map(|task| item(text.get(task.text.clone()).unwrap_or_default(), task.ticked));
    let bullets = text.lines().filter_map(|line| line.trim_start().strip_prefix('•')).map(|words| item(words, true));
    boxed.chain(bullets).collect()
}

fn name(template: &Template, item: &Item) -> String {
    gate::line(&template.name(item)).into_owned()
}

/// Whether the details speak of the item: by its name, one of its phrases, or two of its rarer words on one line.
fn is_explained(template: &Template, item: &Item, details: &str) -> bool {
    let known = item.known.iter().flat_map(|known| known.phrases.iter().chain([&known.short]));
    let rare: BTreeSet<String> =
        normalise(template.item_text(item)).split(' ').filter(|word| word.len() > 5).map(str::to_owned).collect();
    details.lines().map(normalise).any(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        known.clone().any(|phrase| holds(&words, phrase))
            || rare.iter().filter(|word| words.contains(&word.as_str())).count() >= 2
    })
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::super::scenario;
    use super::super::tests::finding;
    use super::*;
    use crate::core::remote::Remote;

    fn checklist(name: &str) -> String {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/corpus/inferencex/checklists/");
        let document = std::fs::read_to_string(format!("{root}{name}")).unwrap();
        let section = document.split("## Template").nth(1).unwrap();
        section.split("```").nth(1).unwrap().to_owned()
    }

    fn signed(template: &str, details: &str) -> String {
        template
            .replace("- [ ]", "- [x]")
            .replace("FILL_IN_GITHUB_USERNAME", "nv-owner-1")
            .replace("insert any additional info here", details)
    }

    fn says(name: &str, number: u64, text: &str) -> (Status, String) {
        let (_, review) = scenario::review(name, number, Some(text), |_| {});
        let found = finding(&review.findings, KEY);
        (found.status, found.reason.clone())
    }

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn a_draft_in_the_making_waits_for_its_author_and_is_no_pass() {
        let (_, review) = scenario::review("2610", 2610, None, |_| {});
        let found = finding(&review.findings, KEY);
        assert_eq!(found.status, Status::NeedsYou);
        // The details that the program drafts speak of seven of them: of some because a rule finds that they do not apply.
        assert_eq!(found.reason, "13 of 15 items are not answered yet.");
        assert_eq!(found.brief, "13 of 15 open");
        assert!(found.notes[0].contains("is today's template (read from the default branch"), "{:?}", found.notes);
        // The item that asks for today's template is answered by it, and does not wait for the others.
        let item = review.signed().unwrap().items.iter().find(|item| item.key.as_str() == "latest_version").unwrap();
        assert!(item.status == Status::Pass && item.brief.starts_with("live, blob"), "{:?} {}", item.status, item.brief);
        // The same text, handed in: the bot would refuse it.
        let text = review.signed().unwrap().rendered.text.clone();
        let (status, reason) = says("2610", 2610, &text);
        assert!(status == Status::Fail, "{status:?} {reason}");
    }

    /// Of two versions with the same items and other words, the older is no failure, and called by its name.
    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn an_older_wording_passes_and_is_named() {
        let then = checklist("2026-10-approx-160794a2a.md");
        let today = checklist("2026-10-approx-c4fe8def6.md");
        let notes = |text: &str| {
            let (_, review) = scenario::review("2610", 2610, Some(text), |facts| {
                if let Some(Remote::Ready(got)) = facts.documents.get_mut(&DocumentKind::Checklist) {
                    got.value.text = format!("## Template\n```{today}```\n");
                }
            });
            let found = finding(&review.findings, KEY);
            (found.status, found.notes.clone())
        };
        let said = "The text is one of the versions of about October; 1 item is worded otherwise: \"recipe PR merged\".";
        assert_eq!(notes(&signed(&then, "fine")), (Status::Pass, vec![said.to_owned()]));
        assert_eq!(notes(&signed(&today, "fine")), (Status::Pass, Vec::new()));
    }

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn only_today_s_template_with_every_item_passes() {
        use Status::{Fail, Pass};
        let (old, new) = (checklist("2026-08-10-f559835ae.md"), checklist("2026-08-14-35d731a9e.md"));
        let (status, reason) = says("2610", 2610, &signed(&old, "fine"));
        let older =
            "append-only is no item of the text: it was made from an older checklist, the version of 3 August or 10 August.";
        assert!(status == Fail && reason == older, "{reason}");
        let edited = signed(&old, "fine").replace("general code quality", "general quality of the code");
        let (status, reason) = says("2610", 2610, &edited);
        let words = "it was made from an older checklist, nearest to the version of 3 August or 10 August.";
        assert!(status == Fail && reason.ends_with(words), "{reason}");
        let cut: Vec<String> =
            signed(&new, "fine").lines().filter(|line| !line.contains("passes evals")).map(str::to_owned).collect();
        let (status, reason) = says("2610", 2610, &cut.join("\n"));
        let today = "passes evals is no item of the text, though it is nearest to today's checklist, the version of 14 August.";
        assert!(status == Fail && reason == today, "{reason}");
        assert_eq!(says("2610", 2610, &signed(&new, "fine")).0, Pass);
        let table: [(&str, &str, Status, &str); 6] = [
            ("nv-owner-1", "FILL_IN_GITHUB_USERNAME", Fail, "placeholder"),
            ("- fine", "- insert any additional info here", Fail, "placeholder"),
            ("As a PR reviewer and CODEOWNER", "As a reviewer", Fail, "opening phrase"),
            ("- [x]", "* [X]", Pass, ""),
            ("- [x]", "•", Pass, ""),
            ("this PR passes evals.", "this PR passes evals. [Run](https://github.com/o/r/actions/runs/1)", Pass, ""),
        ];
        for (from, to, status, words) in table {
            let text = signed(&new, "fine").replace(from, to);
            let (found, reason) = says("2610", 2610, &text);
            assert!(found == status && reason.contains(words), "{to}: {found:?} {reason}");
        }
        // One item open, without and with its reason.
        for (details, status, words) in [
            ("fine", Fail, "1 of 15 items is not ticked, and the details give no reason: passes evals"),
            ("- Passes evals: the scores are those of the run before", Pass, "1 of them open with a reason"),
        ] {
            let open: Vec<String> = signed(&new, details)
                .lines()
                .map(|line| if line.contains("passes evals") { line.replacen("[x]", "[ ]", 1) } else { line.to_owned() })
                .collect();
            let (found, reason) = says("2610", 2610, &open.join("\n"));
            assert!(found == status && reason.contains(words), "{details}: {found:?} {reason}");
        }
    }
}
