//! Rule `merge`: nothing besides the sign-off stands in the way of a merge: conflicts, labels, the pinned run, its artifacts.
//! Must not know: how merging is done.

use super::read::{settled, unavailable, whole};
use super::{Context, Finding, Status, reuse};
use crate::core::evidence::Evidence;
use serde::{Deserialize, Serialize};

const KEY: &str = "merge";

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MergePolicy {
    /// Labels that start a sweep: exactly one may be there.
    pub sweep_labels: Vec<String>,
    /// Of these: labels whose run cannot be reused.
    pub not_reusable: Vec<String>,
    /// Eras in which a merge needs one of the reusable labels.
    pub needs_label: Vec<String>,
    /// In the head commit's message: the pull request's sweep is skipped.
    pub skip: String,
}

pub(super) fn check(context: &Context<'_>) -> Finding {
    judge(context).unwrap_or_else(|why| unavailable(KEY, why))
}

fn judge(context: &Context<'_>) -> Result<Finding, String> {
    let policy = &context.policy.rules.merge;
    let got = settled(Some(&context.facts.pull), "The pull request")?;
    let commits = whole(&context.facts.commits, "The list of commits")?;
    let comments = whole(&context.facts.comments, "The conversation")?;
    if let Some(doubt) = context.conclusions.keys.doubt() {
        return Err(doubt);
    }
    let pull = &got.value;
    let page = Evidence::new("pull", format!("pull request {}", pull.number), Some(pull.url.clone()), got.source.clone());
    let mut wrong = Vec::new();
    if pull.mergeable == Some(false) {
        wrong.push(format!("It conflicts with {}: merge the base branch into it, and do not rebase.", pull.base_branch));
    }
    let sweeping: Vec<&str> =
        pull.labels.iter().map(String::as_str).filter(|label| policy.sweep_labels.iter().any(|known| known == label)).collect();
    match sweeping.as_slice() {
        [] if policy.needs_label.iter().any(|era| era == context.era) && !context.conclusions.keys.changelog.is_empty() => {
            wrong.push("No sweep label is set, and a reused run is refused without one.".to_owned());
        }
        [one] if policy.not_reusable.iter().any(|label| label == one) => {
            wrong.push(format!("The run of label {one} cannot be reused: set a full sweep's label."));
        }
        [_, _, ..] => wrong.push(format!("The labels {} conflict: exactly one may start a sweep.", sweeping.join(", "))),
        _ => {}
    }
    let head = commits.value.items.iter().find(|commit| commit.sha == pull.head);
    if !policy.skip.is_empty() && head.is_some_and(|commit| commit.message.contains(&policy.skip)) {
        wrong.push(format!("The head commit says {}, so no sweep runs for it.", policy.skip));
    }
    let commands = reuse::commands(context, &comments.value.items);
    if let Some(run) = commands.iter().rev().find(|command| command.authorised).and_then(|command| command.run) {
        if let Some(why) = reuse::objection(context, run)? {
            wrong.push(format!("The pinned run {run} will be refused: {why}"));
        }
        let listed = context.facts.artifacts.get(&run);
        // Of a run that is not listed nobody asked for artifacts: that it is refused is said already.
        if listed.is_some() || wrong.is_empty() {
            let artifacts = &settled(listed, &format!("The artifacts of the pinned run {run}"))?.value;
            if !artifacts.items.is_empty() && artifacts.items.iter().all(|artifact| artifact.expired) {
                wrong.push(format!("The artifacts of the pinned run {run} have expired: it cannot be reused."));
            }
        }
    }
    Ok(match wrong.first().cloned() {
        None => Finding::new(KEY, "", Status::Pass, "No conflict, and the labels are in order.").in_brief("clear").with([page]),
        Some(first) => Finding::new(KEY, "", Status::Fail, first)
            .in_brief(format!("{} in the way", wrong.len()))
            .with([page])
            .note(wrong.into_iter().skip(1)),
    })
}

#[cfg(test)]
mod tests {
    use super::super::scenario;
    use super::super::tests::finding;
    use super::*;
    use crate::core::pull::Pull;
    use crate::core::remote::Remote;

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn what_stands_in_the_way_is_named() {
        type Hurt = fn(&mut Pull);
        let table: [(&str, Hurt, Status, &str); 5] = [
            ("clear", |_| {}, Status::Pass, "No conflict"),
            ("conflict", |pull| pull.mergeable = Some(false), Status::Warn, "conflicts with main"),
            ("two labels", |pull| pull.labels.push("sweep-enabled".into()), Status::Warn, "conflict: exactly one"),
            ("smoke", |pull| pull.labels = vec!["sweep-enabled".into()], Status::Warn, "cannot be reused"),
            ("none", |pull| pull.labels.clear(), Status::Warn, "No sweep label"),
        ];
        for (name, hurt, status, words) in table {
            let (_, review) = scenario::review("2550-green", 2550, None, |facts| {
                if let Remote::Ready(got) = &mut facts.pull {
                    hurt(&mut got.value);
                }
            });
            let found = finding(&review.findings, KEY);
            assert!(found.status == status && found.reason.contains(words), "{name}: {:?} {}", found.status, found.reason);
        }
    }
}
