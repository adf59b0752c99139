//! Rule `reuse`: somebody with standing has commanded that the measured run is reused at the merge. The newest such command
//! counts, and the last in its comment; a deleted comment has withdrawn its command.
//! Must not know: how comments are read.

use super::read::{settled, unavailable, whole};
use super::{Context, Finding, Pattern, Status};
use crate::core::evidence::Evidence;
use crate::core::ids::RunId;
use crate::core::pull::{Comment, Run};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const KEY: &str = "reuse";

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReusePolicy {
    /// Era → the command's pattern; the group that matched is the pinned run.
    pub commands: BTreeMap<String, Pattern>,
    /// How it is written: in messages, and before the run's number in a comment of ours.
    pub example: String,
    /// Associations whose commands count.
    pub associations: Vec<String>,
    /// Conclusions with which a pinned run may be reused.
    pub pinned: Vec<String>,
}

impl ReusePolicy {
    /// What is wrong with it.
    pub(super) fn problems(&self) -> Vec<String> {
        let mut out = Vec::new();
        for (era, pattern) in &self.commands {
            match (pattern.problem(), pattern.regex()) {
                (Some(why), _) => out.push(format!("`rules.reuse.commands.{era}` is no pattern: {why}")),
                (None, Some(pattern)) if pattern.captures_len() < 2 => {
                    out.push(format!("`rules.reuse.commands.{era}` has no group for the run"));
                }
                (None, _) => {}
            }
        }
        out
    }
}

/// A command that stands in a comment.
pub(crate) struct Command<'a> {
    pub comment: &'a Comment,
    /// `None`: bare, which means the newest run that succeeded.
    pub run: Option<RunId>,
    pub authorised: bool,
}

impl Command<'_> {
    /// What a merge reuses by it: `run 31020193450`.
    pub fn names(&self) -> String {
        self.run.map_or_else(|| "the newest run that succeeded".to_owned(), |run| format!("run {run}"))
    }
}

/// All commands in conversation comments, oldest first; of each comment the last one.
pub(crate) fn commands<'a>(context: &Context<'a>, comments: &'a [Comment]) -> Vec<Command<'a>> {
    let policy = &context.policy.rules.reuse;
    let pattern = policy.commands.get(context.era).and_then(Pattern::regex);
    let Some(pattern) = pattern else { return Vec::new() };
    let mut out: Vec<Command<'_>> = comments
        .iter()
        .filter_map(|comment| {
            let last = pattern.captures_iter(&comment.body).last()?;
            let run = last.iter().skip(1).flatten().next().and_then(|run| run.as_str().parse().ok()).map(RunId);
            let authorised = policy.associations.iter().any(|known| known == &comment.association);
            Some(Command { comment, run, authorised })
        })
        .collect();
    out.sort_by_key(|command| (command.comment.created_at, command.comment.id));
    out
}

/// The command that a merge obeys: the newest whose author has standing.
pub(crate) fn standing<'a>(context: &Context<'a>) -> Option<Command<'a>> {
    let comments = context.facts.comments.value()?;
    commands(context, &comments.items).into_iter().rev().find(|command| command.authorised)
}

/// The run that a comment would pin, were it posted.
pub(crate) fn pins(context: &Context<'_>, body: &str) -> Option<RunId> {
    let pattern = context.policy.rules.reuse.commands.get(context.era).and_then(Pattern::regex)?;
    let last = pattern.captures_iter(body).last()?;
    last.iter().skip(1).flatten().next().and_then(|run| run.as_str().parse().ok()).map(RunId)
}

pub(super) fn check(context: &Context<'_>) -> Finding {
    judge(context).unwrap_or_else(|why| unavailable(KEY, why))
}

fn judge(context: &Context<'_>) -> Result<Finding, String> {
    let policy = &context.policy.rules.reuse;
    let comments = whole(&context.facts.comments, "The conversation")?;
    let commands = commands(context, &comments.value.items);
    let evidence = |command: &Command<'_>| {
        let label = format!("comment by {}", command.comment.author.login);
        Evidence::new("reuse", label, Some(command.comment.url.clone()), comments.source.clone())
    };
    let Some(command) = commands.iter().rev().find(|command| command.authorised) else {
        let reason = match commands.last() {
            Some(command) => format!(
                "The only {} is by {} ({}), whose word does not count: somebody with {} must give it.",
                policy.example,
                command.comment.author.login,
                command.comment.association,
                policy.associations.join(", ")
            ),
            None => format!("No authorised {} stands in the conversation: give it before the merge.", policy.example),
        };
        let brief = if commands.is_empty() { "no command" } else { "not authorised" };
        return Ok(Finding::new(KEY, "", Status::Fail, reason).in_brief(brief).with(commands.last().map(evidence)));
    };
    let by = &command.comment.author.login;
    let sticky = "While it stands, later pushes skip their sweep; deleting the comment withdraws it.".to_owned();
    let Some(pinned) = command.run else {
        let reason = format!("{by} gave the bare command: the newest successful run is reused.");
        return Ok(Finding::new(KEY, "", Status::Pass, reason)
            .in_brief("bare command")
            .with([evidence(command)])
            .note([sticky]));
    };
    let found = Finding::new(KEY, "", Status::Pass, format!("{by} pinned run {pinned}."))
        .in_brief(format!("run {pinned}"))
        .with([evidence(command)]);
    Ok(match objection(context, pinned)? {
        None => found.note([sticky]),
        Some(why) => Finding {
            status: Status::Warn,
            reason: format!("{by} pinned run {pinned}, and the merge will refuse it: {why}"),
            ..found
        },
    })
}

/// Why a pinned run cannot be reused any more. A rebase or force-push takes its commit away; a push or merge does not.
pub(crate) fn objection(context: &Context<'_>, id: RunId) -> Result<Option<String>, String> {
    let runs = settled(Some(&context.facts.runs), "The list of runs")?;
    let Some(run) = runs.value.items.iter().find(|run| run.id == id) else {
        return match runs.value.render_gap() {
            Some(gap) => Err(format!("Run {id} may be among the runs that were not read: {gap}.")),
            None => Ok(Some(format!("it is none of this pull request's runs{}.", did_you_mean(id, &runs.value.items)))),
        };
    };
    let policy = context.policy;
    let conclusion = run.conclusion.as_deref().unwrap_or("none");
    Ok(if !policy.sweep.is_sweep(&run.path) {
        Some(format!("it is no sweep, but {}.", run.name))
    } else if run.status != "completed" {
        Some(format!("it is {} still.", run.status))
    } else if !policy.rules.reuse.pinned.iter().any(|known| known == conclusion) {
        Some(format!("it ended with {conclusion}."))
    } else if context.facts.has_commit(&run.head).ok_or("The pull request's commits are not all read.")? {
        None
    } else {
        Some(format!("its commit {} has left the pull request by a rebase or force-push.", run.head.short()))
    })
}

/// A run whose number is the same but for one digit that is missing, doubled or wrong.
fn did_you_mean(id: RunId, runs: &[Run]) -> String {
    let near = runs.iter().find(|run| is_near(&id.to_string(), &run.id.to_string()));
    near.map(|run| format!(", did you mean {}", run.id)).unwrap_or_default()
}

/// Whether one text becomes the other by one change of one character.
fn is_near(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() <= b.len() { (a.as_bytes(), b.as_bytes()) } else { (b.as_bytes(), a.as_bytes()) };
    let same = short.iter().zip(long).take_while(|(a, b)| a == b).count();
    match long.len() - short.len() {
        0 => short.get(same + 1..) == long.get(same + 1..),
        1 => short.get(same..) == long.get(same + 1..),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::scenario;
    use super::super::tests::finding;
    use super::*;
    use crate::core::facts::Facts;
    use crate::core::remote::Remote;

    fn says(change: impl Fn(&mut Vec<Comment>), facts: impl Fn(&mut Facts)) -> (Status, String) {
        let (_, review) = scenario::review("2550-green", 2550, None, |all| {
            if let Remote::Ready(got) = &mut all.comments {
                change(&mut got.value.items);
            }
            facts(all);
        });
        let found = finding(&review.findings, KEY);
        (found.status, found.reason.clone())
    }

    fn command(comments: &mut Vec<Comment>, body: &str, association: &str, at: &str) {
        let mut comment = comments[0].clone();
        comment.id.0 += 1000 + comments.len() as u64;
        comment.body = body.into();
        comment.association = association.into();
        comment.created_at = at.parse().ok();
        comments.push(comment);
    }

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn the_newest_authorised_command_counts() {
        use Status::{Fail, Pass, Warn};
        const LATER: &str = "2026-08-12T00:00:00Z";
        let nothing = |_: &mut Facts| {};
        assert_eq!(says(|_| {}, nothing).0, Pass);
        let (status, reason) = says(|all| all.clear(), nothing);
        assert!(status == Fail && reason.starts_with("No authorised /reuse-sweep-run"), "{reason}");
        let table = [
            ("/reuse-sweep-run", "MEMBER", Pass, "bare command"),
            ("text\n  /reuse-sweep-run  \nmore", "OWNER", Pass, "bare command"),
            ("/reuse-sweep-run\n31020193450", "OWNER", Pass, "pinned run 31020193450"),
            ("/reuse-sweep-run 1\n/reuse-sweep-run 31020193450", "OWNER", Pass, "pinned run 31020193450"),
            ("/reuse-sweep-run 3102019345", "OWNER", Warn, "did you mean 31020193450"),
            ("/reuse-sweep-run 99", "OWNER", Warn, "none of this pull request's runs."),
            // These are no commands, or nobody's: the one before them counts.
            ("please /reuse-sweep-run 99", "OWNER", Pass, "pinned run 31020193450"),
            ("/reuse-sweep-run 99", "CONTRIBUTOR", Pass, "pinned run 31020193450"),
            ("/use 99", "OWNER", Pass, "pinned run 31020193450"),
        ];
        for (body, association, status, words) in table {
            let (found, reason) = says(|all| command(all, body, association, LATER), nothing);
            assert!(found == status && reason.contains(words), "{body}: {found:?} {reason}");
        }
        let older = says(|all| command(all, "/reuse-sweep-run 99", "OWNER", "2020-01-01T00:00:00Z"), nothing);
        assert_eq!(older.0, Pass, "the newest counts");
        for unread in [|facts: &mut Facts| facts.comments.start(), |facts: &mut Facts| facts.commits = Remote::Idle] {
            assert_eq!(says(|_| {}, unread).0, Status::Unavailable);
        }
    }

    #[test]
    fn near_numbers_differ_in_one_digit() {
        for (a, b, near) in
            [("2881857315", "28818573150", true), ("123", "133", true), ("123", "1x", false), ("12", "1245", false)]
        {
            assert_eq!(is_near(a, b), near, "{a} {b}");
        }
    }
}
