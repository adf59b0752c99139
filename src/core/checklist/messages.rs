//! Messages for a person to copy: to the author, to the owner of another sign-off, to who merges, to who starts the bot.
//! Must not know: how anything is sent; the program posts none of them.
//!
//! Strangers' words pass the gate, pages are made from names and numbers that we know, and nothing that is not known is
//! said. A message that would hold the trigger phrase is none.

use super::earlier::is_only_one;
use crate::core::facts::Facts;
use crate::core::ids::{Key, Login};
use crate::core::markdown::gate;
use crate::core::policy::{Context, Finding, Policy, Status, reuse_commands};
use crate::core::posting::{may_be_said, predicted_failures};
use crate::core::pull::Comment;
use crate::core::verdict::beside::{Spoken, own_signoff};
use crate::core::verdict::{CheckStatus, Overall, SignoffRef};

/// Rules that the reviewer answers, not the author.
const REVIEWERS: [&str; 1] = ["template"];

/// What is said while the bot has said nothing that counts: where it will certainly reject, and where it may, or there is none.
const EXPECTED: &str = "a sign-off would be rejected as things stand";
const DOUBTED: &str = "something seems to stand in the way of a sign-off";

/// More notes than this are counted.
const NOTES: usize = 5;

/// What mends a finding, by rule.
#[rustfmt::skip] // a table: one row per rule
const FIXES: [(&str, &str); 14] = [
    ("codeowner",     "ask an owner of the changed files to sign"),
    ("sweep",         "let a full sweep run green on a commit that is in this pull request"),
    ("evals",         "let the evals of the changed configs run, on a commit that is in this pull request, and reach their bars"),
    ("recipe",        "name the merged upstream pull request, or the published page, that shows these settings, so that it can be linked"),
    ("images",        "use the image that the engine's own project publishes, or say why it cannot serve this"),
    ("deprecated",    "take what is deprecated out of this pull request"),
    ("hacks",         "take out what changes the model's architecture"),
    ("chat_template", "benchmark speculative decoding through the chat template, and measure again"),
    ("patches",       "run the pinned image as it ships, or file the waiver in this pull request"),
    ("golden_al",     "take the acceptance length from the committed curve, and measure again"),
    ("append_only",   "leave the earlier points as they are, or do not call the change append-only"),
    ("draft",         "serve the draft model as it ships, and measure again"),
    ("changelog",     "correct the changelog's entry"),
    ("reuse",         "have the command given in a comment of its own, with the number of the run"),
];

/// To the author, after a rejection, or where one is to be expected: what is missing, and what mends it. `None`: nothing is
/// missing that an author could mend, or the bot is content.
pub fn to_author(policy: &Policy, facts: &Facts, findings: &[Finding], spoken: Option<&Spoken>) -> Option<String> {
    let pull = facts.pull.value()?;
    let counts = spoken.filter(|spoken| spoken.stale.is_empty());
    let mut certain = predicted_failures(findings).into_iter().filter(|finding| !REVIEWERS.contains(&finding.key.as_str()));
    let expected = if policy.verdicts.is_some() && certain.next().is_some() { EXPECTED } else { DOUBTED };
    let what = match counts.map(|counts| (counts, counts.verdict.overall)) {
        Some((_, Overall::Pass | Overall::Warn)) => return None,
        Some((counts, Overall::Rejected)) => format!("the sign-off was rejected{}", about(policy, facts, counts)),
        Some((_, Overall::Unread)) | None => expected.to_owned(),
    };
    let failed = counts.into_iter().flat_map(|counts| &counts.verdict.rows).filter(|row| row.status == CheckStatus::Fail);
    let mut wrong: Vec<Wrong<'_>> = Vec::new();
    for row in failed {
        let known = findings.iter().find(|finding| Some(&finding.key) == row.key.as_ref());
        let notes = known.filter(|finding| finding.status == Status::Fail).map(|finding| finding.notes.as_slice());
        wrong.push(Wrong {
            key: row.key.as_ref().map_or("", Key::as_str),
            title: known.map_or(&row.name, |finding| &finding.title),
            reason: &row.reason,
            notes: notes.unwrap_or_default(),
        });
    }
    // Where the bot names no check, what was predicted is all that is known.
    if wrong.is_empty() {
        wrong.extend(findings.iter().filter(|finding| finding.status == Status::Fail).map(Wrong::of));
    }
    let wrong = wrong.iter().filter(|wrong| !REVIEWERS.contains(&wrong.key));
    let points: Vec<String> = wrong.map(|wrong| wrong.render(policy)).collect();
    if points.is_empty() {
        return None;
    }
    let base = gate::code(&pull.base_branch, &policy.signoff.trigger);
    let out = format!(
        "{}, {what}. What is missing:\n\n{}\n\nTo bring the branch up to date, merge {base} into it and do not rebase: a merge keeps \
         the measured commit.\n",
        person(policy, &pull.author.login),
        points.join("\n")
    );
    disarmed(policy, out)
}

/// To whoever wrote a sign-off beside ours, where only one may stand: to edit or delete it. `None` where several may.
pub fn to_signer(policy: &Policy, facts: &Facts, signoff: &Comment) -> Option<String> {
    if !is_only_one(policy, facts) {
        return None;
    }
    let page = signoff_page(facts, signoff);
    let out = format!(
        "{}, [a sign-off of yours]({page}) stands on this pull request, and only one may. Please bring that one up to date by \
         editing it, or delete it so that another can be posted.\n",
        person(policy, &signoff.author.login)
    );
    disarmed(policy, out)
}

/// To those who merge. `None` while a check fails, while the bot has not passed it, or, where there is none, while a check is
/// open; and where it cannot be merged any more.
pub fn to_merger(context: &Context<'_>, findings: &[Finding], spoken: Option<&Spoken>) -> Option<String> {
    let (policy, facts) = (context.policy, context.facts);
    let pull = facts.pull.settled().map(|got| &got.value).filter(|pull| pull.state == "open" && !pull.draft)?;
    if findings.iter().any(|finding| finding.status == Status::Fail) {
        return None;
    }
    let is_open = |finding: &Finding| matches!(finding.status, Status::Unavailable | Status::NeedsYou);
    if policy.verdicts.is_none() && findings.iter().any(is_open) {
        return None;
    }
    let mut lines = Vec::new();
    if policy.verdicts.is_some() {
        let counts = spoken.filter(|spoken| spoken.stale.is_empty())?;
        let word = match counts.verdict.overall {
            Overall::Pass => "passed",
            Overall::Warn => "passed with warnings",
            Overall::Unread | Overall::Rejected => return None,
        };
        lines.push(format!("- The sign-off has {word}{}.", about(policy, facts, counts)));
        let warned = counts.verdict.rows.iter().filter(|row| row.status == CheckStatus::Warn);
        lines.extend(warned.map(|row| format!("- The bot warns: {}", inline(policy, &row.reason))));
    }
    lines.extend(pinned(context));
    let warned = findings.iter().filter(|finding| finding.status == Status::Warn);
    lines.extend(warned.map(|finding| format!("- {}: {}", inline(policy, &finding.title), inline(policy, &finding.reason))));
    let teams = policy.rules.codeowner.core_teams.iter().map(|team| gate::code(team, &policy.signoff.trigger));
    let whom = teams.collect::<Vec<_>>().join(", ");
    let ask = if whom.is_empty() { "Please merge".to_owned() } else { format!("{whom}: please merge") };
    let head = gate::code(pull.head.short(), &policy.signoff.trigger);
    disarmed(policy, format!("{ask} this pull request, whose head is {head}.\n\n{}\n", lines.join("\n")))
}

/// To somebody who may start the bot by hand: for the viewer's own sign-off. `None` while there is none, or no bot.
pub fn to_dispatcher(policy: &Policy, facts: &Facts) -> Option<String> {
    policy.verdicts.as_ref()?;
    facts.pull.value().filter(|pull| pull.state == "open")?;
    let page = signoff_page(facts, own_signoff(policy, facts)?);
    disarmed(
        policy,
        format!(
            "Could somebody with write access start the verifier for pull request {}? The sign-off is {page}\n",
            facts.number
        ),
    )
}

/// The run that a merge will reuse, and what would lose it.
fn pinned(context: &Context<'_>) -> Vec<String> {
    let (policy, facts) = (context.policy, context.facts);
    if policy.rules.reuse.commands.is_empty() {
        return Vec::new();
    }
    let comments = match facts.comments.settled() {
        Some(got) if got.value.is_complete() => &got.value.items,
        _ => return vec!["- Which run is to be reused was not read.".to_owned()],
    };
    let commands = reuse_commands(context, comments);
    let Some(command) = commands.iter().rev().find(|command| command.authorised) else { return Vec::new() };
    let by = person(policy, &command.comment.author.login);
    let skips = "- While any reuse command stands, later pushes run no sweep: re-add the label to force one.".to_owned();
    match command.run {
        Some(run) => vec![
            format!("- [Run {run}]({}) is pinned for reuse by {by}.", facts.page(&format!("actions/runs/{run}"))),
            "- A rebase or force-push drops this pin; a push or merge keeps it.".to_owned(),
            skips,
        ],
        None => vec![format!("- By the command of {by}, the newest successful run is reused."), skips],
    }
}

/// One thing that is missing.
struct Wrong<'a> {
    /// The rule, or nothing where the bot's check is none of ours.
    key: &'a str,
    title: &'a str,
    reason: &'a str,
    /// What else is wrong, as far as it was predicted.
    notes: &'a [String],
}

impl Wrong<'_> {
    fn of(finding: &Finding) -> Wrong<'_> {
        Wrong { key: finding.key.as_str(), title: &finding.title, reason: &finding.reason, notes: &finding.notes }
    }

    /// A list item: what is wrong, and what mends it.
    fn render(&self, policy: &Policy) -> String {
        let mut out = format!("- **{}**: {}", inline(policy, self.title), inline(policy, self.reason));
        for note in self.notes.iter().take(NOTES) {
            out.push_str(&format!("\n  - {}", inline(policy, note)));
        }
        if let Some(more) = self.notes.len().checked_sub(NOTES).filter(|more| *more > 0) {
            out.push_str(&format!("\n  - and {more} more"));
        }
        let command = policy.rules.reuse.example.as_str();
        let example = match self.key {
            "reuse" if !command.is_empty() => format!(": {}", gate::code(&format!("{command} <run>"), &policy.signoff.trigger)),
            _ => String::new(),
        };
        if let Some((_, fix)) = FIXES.iter().find(|(rule, _)| *rule == self.key) {
            out.push_str(&format!("\n\n  To mend it, {fix}{example}."));
        }
        out
    }
}

/// What a verdict is about, and where it stands.
fn about(policy: &Policy, facts: &Facts, spoken: &Spoken) -> String {
    let commit = spoken.verdict.commit.as_ref();
    let commit = commit.map(|sha| format!(", about {}", gate::code(sha.short(), &policy.signoff.trigger))).unwrap_or_default();
    let page =
        spoken.verdict.url.as_deref().and_then(|url| url.rsplit_once('#')).and_then(|(_, anchor)| SignoffRef::parse(anchor));
    let page = page.map(|at| facts.page(&format!("pull/{}#{at}", facts.number)));
    page.map(|page| format!(" ([verdict]({page}){commit})")).unwrap_or(commit)
}

/// The page of a sign-off, made from its number.
fn signoff_page(facts: &Facts, signoff: &Comment) -> String {
    facts.page(&format!("pull/{}#{}", facts.number, SignoffRef { place: signoff.place, id: signoff.id }))
}

/// A name that notifies nobody, unless the policy wants it to.
fn person(policy: &Policy, login: &Login) -> String {
    let is_name = !login.0.is_empty() && login.0.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    if policy.signoff.mentions && is_name { format!("@{login}") } else { gate::code(&login.0, &policy.signoff.trigger) }
}

fn inline(policy: &Policy, text: &str) -> String {
    gate::inline(text, &policy.signoff.trigger)
}

/// Our own words and the gated ones together could still hold what wakes the bot.
fn disarmed(policy: &Policy, text: String) -> Option<String> {
    may_be_said(policy, &text).is_ok().then_some(text)
}

#[cfg(test)]
mod tests;
