//! Rule `append_only`: a changelog entry that says so only adds points to a curve that is there.
//! Must not know: how points are compared.

use super::read::unavailable;
use super::{Context, Finding, Status};
use crate::core::configs::Named;
use crate::core::configs::append_only::{self, AppendOnly};

const KEY: &str = "append_only";

pub(super) fn check(context: &Context<'_>) -> Finding {
    let keys = &context.conclusions.keys;
    if let Some(doubt) = keys.doubt() {
        return unavailable(KEY, doubt);
    }
    let claimed: Vec<_> = keys.changelog.iter().filter(|entry| entry.append_only).collect();
    if claimed.is_empty() {
        return Finding::new(KEY, "", Status::NotApplicable, "No new changelog entry is append-only.").in_brief("not claimed");
    }
    let mut wrong: Vec<String> = Vec::new();
    if claimed.len() < keys.changelog.len() {
        wrong.push("Append-only and ordinary changelog entries are mixed.".to_owned());
    }
    let (mut added, mut kept) = (0, 0);
    for entry in &claimed {
        for key in &entry.config_keys {
            let Some(head) = keys.entries.iter().find(|entry| entry.key == *key) else {
                wrong.push(format!("`{key}` is no key of its own that could be appended to."));
                continue;
            };
            let base = keys.before.iter().find(|entry| entry.key == *key);
            let AppendOnly { kept: same, added: new, broken, objections } =
                append_only::compare(base, head, &entry.scenario_type);
            kept += same;
            added += new.len();
            wrong.extend(
                broken.iter().map(|change| format!("`{key}` changes or drops an earlier point: {}.", change.at.render())),
            );
            wrong.extend(objections);
        }
    }
    let known: Vec<&str> = keys.known.iter().flatten().map(String::as_str).collect();
    let named: Vec<Named> = keys.named().iter().map(|name| Named::of(name, known.iter().copied())).collect();
    wrong.extend(
        append_only::foreign(&keys.changes, &named).iter().map(|key| format!("`{key}` changes too, and is not named.")),
    );
    if let Some(first) = wrong.first().cloned() {
        let brief = format!("{} objections", wrong.len());
        return Finding::new(KEY, "", Status::Fail, first).in_brief(brief).derived().note(wrong.into_iter().skip(1));
    }
    // Scripts and launchers may act on earlier points as well: only a person can see that they do not.
    let files = context.facts.files.value().map(|files| files.items.as_slice()).unwrap_or_default();
    let others: Vec<&str> =
        files.iter().map(|file| file.path.as_str()).filter(|path| !context.policy.configs.is_config(path)).collect();
    let reason = format!("{added} points are added and {kept} earlier ones stay as they were.");
    let found = Finding::new(KEY, "", Status::Pass, reason).in_brief(format!("{added} added, {kept} kept")).derived();
    match others.first() {
        None => found,
        Some(first) => {
            let note = format!("{first} changes too: look whether it acts on earlier points ({} such files).", others.len());
            Finding { status: Status::Warn, ..found }.note([note])
        }
    }
}
