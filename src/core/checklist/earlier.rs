//! Earlier sign-offs: a text that somebody posted or wrote, taken over into a draft; and those of others beside ours.
//! Must not know: how comments are read, how a draft is shown or kept.

use super::blocks::is_signoff;
use super::copied::{Fit, Mark, entries, is_unsigned, matches, parts, unquoted};
use super::migrate::beginning;
use super::template::Template;
use crate::core::documents::Documents;
use crate::core::facts::{DocumentKind, Facts};
use crate::core::ids::{Key, Sha};
use crate::core::policy::checks::era;
use crate::core::policy::{Policy, Verifier, stated};
use crate::core::posting::Block;
use crate::core::pull::{Comment, Permission};
use crate::core::remote::Remote;
use crate::core::session::{Draft, Tick};
use crate::core::text::gate;
use crate::core::time::Time;
use std::cmp::Reverse;
use std::sync::Arc;

/// More lines than this are counted, not named.
const NAMED: usize = 3;
/// What the program itself writes behind an item where there is no run to link.
const NO_RUN: [&str; 4] = ["(no validation run)", "(validation run: not read)", "(no eval run)", "(eval run: not read)"];

/// A sign-off that was read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Earlier {
    /// The items that today's template has, in the order of the text.
    pub items: Vec<EarlierItem>,
    /// Whatever stands among the items and is none of today's template.
    pub unmatched: Vec<String>,
    /// The detail section, byte for byte but for line ends: neither heading nor signature, nor white space at the end.
    pub details: String,
    /// The login in the signature.
    pub signed: Option<String>,
    /// What is to be known of how it was read, a sentence each.
    pub notes: Vec<String>,
}

/// One item of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierItem {
    pub key: Key,
    /// `None`: the text does not say.
    pub ticked: Option<bool>,
    /// The item's words as they stand there.
    pub words: String,
    /// What stands behind them: links, remarks.
    pub behind: String,
    pub fit: Fit,
}

/// Reads a sign-off in whatever shape: posted by the program or by hand, quoted, or copied from the page that shows it.
pub fn read(body: &str, template: &Template, policy: &Policy) -> Earlier {
    let (text, was_quoted) = unquoted(body, &policy.signoff.trigger);
    let parts = parts(&text, policy, template);
    let entries = entries(parts.items);
    let found = matches(policy, template, &entries);
    let mut out = Earlier::default();
    let mut notes = Vec::new();
    // Without a heading, what follows the last item must be the details.
    let last = entries.iter().zip(&found).rfind(|(_, found)| found.is_some());
    let end = last.map_or(parts.items.len(), |(entry, _)| entry.at + entry.words.len());
    let tail = parts.items.get(end..).unwrap_or_default().trim();
    let details = parts.details.unwrap_or(tail);
    if parts.details.is_none() {
        let said = format!("There is no heading \"{}\"", policy.signoff.detail.trim_end_matches(':'));
        notes.push(match tail.is_empty() {
            true => format!("{said}, so there are no details."),
            false => format!("{said}: what follows the last item was taken for the details."),
        });
    }
    for (entry, found) in entries.iter().zip(&found) {
        let Some((item, found)) = found.as_ref().and_then(|found| Some((template.items.get(found.item)?, found))) else {
            if parts.details.is_some() || entry.at < end {
                out.unmatched.push(entry.words.to_owned());
            }
            continue;
        };
        out.items.push(EarlierItem {
            key: item.key.clone(),
            ticked: entry.mark.ticked(),
            words: entry.words.get(..found.end).unwrap_or(entry.words).to_owned(),
            behind: entry.words.get(found.end..).unwrap_or_default().trim().to_owned(),
            fit: found.fit,
        });
    }
    let placeholder = &policy.signoff.detail_placeholder;
    let is_placeholder = details.trim().trim_start_matches(['-', '*', '•', ' ']) == placeholder;
    out.details = if is_placeholder { String::new() } else { details.to_owned() };
    let signed = parts.signed.filter(|login| !is_unsigned(policy, login));
    out.signed = signed.map(str::to_owned);

    let lost = out.items.iter().filter(|item| item.ticked.is_none()).count();
    let brackets = entries.iter().filter(|entry| matches!(entry.mark, Mark::Brackets { .. })).count();
    let told = [
        (!parts.opened).then(|| format!("The opening phrase \"{}\" is not in it.", policy.signoff.trigger)),
        was_quoted.then(|| "It stood in a quotation: only what is quoted was read.".to_owned()),
        (!parts.above.trim().is_empty()).then(|| "What stands above the opening phrase was not read.".to_owned()),
        (lost > 0).then(|| {
            let (noun, have) = if lost == 1 { ("item", "has") } else { ("items", "have") };
            format!("{lost} {noun} {have} no box, as in a copy of the page: what was ticked is not known.")
        }),
        (brackets > 0).then(|| {
            let noun = if brackets == 1 { "line looks" } else { "lines look" };
            format!("{brackets} {noun} like a box, and GitHub shows none there: they were read as boxes.")
        }),
        out.items.is_empty().then(|| "No item of today's template is in it.".to_owned()),
        is_placeholder.then(|| "The placeholder of the details was left as it was: there are none.".to_owned()),
        out.signed.is_none().then(|| "Nobody signed it.".to_owned()),
        (!parts.below.trim().is_empty()).then(|| "What stands below the signature was not read.".to_owned()),
    ];
    out.notes = told.into_iter().flatten().chain(notes).collect();
    out
}

/// Takes an earlier sign-off over into a draft, and says what was not. Its details, and what stands there behind an item,
/// replace those of the draft; where it has none, the draft's stay. The caller keeps the draft as it was ([`crate::core::session::history`]).
///
/// A tick is given only for words that are today's, and only with `rebind`: then to today's `head`, which must be the one
/// that the sign-off speaks of. Without it every box is left for the person. Links to runs are not taken behind an item whose run the program links itself.
pub fn into_draft(
    earlier: &Earlier,
    template: &Template,
    head: &Sha,
    now: Time,
    rebind: bool,
    draft: &mut Draft,
) -> Vec<String> {
    let mut out = earlier.notes.clone();
    let (mut reworded, mut left, mut runs) = (Vec::new(), 0, Vec::new());
    for item in &earlier.items {
        let Some(own) = template.items.iter().find(|own| own.key == item.key) else { continue };
        match (item.ticked, item.fit) {
            (Some(true), Fit::Otherwise) => reworded.push(quoted(&template.name(own))),
            (Some(true), _) if rebind => {
                let tick = Tick { head: head.clone(), text: own.digest.clone(), at: now };
                draft.ticks.insert(item.key.clone(), tick);
            }
            (Some(true), _) => left += 1,
            (Some(false) | None, _) => {}
        }
        let is_linked = own.known.as_ref().is_some_and(|known| known.link.is_some());
        let all = item.behind.split_whitespace().collect::<Vec<_>>().join(" ");
        let behind = if is_linked { without_runs(&all) } else { all.clone() };
        if behind != all {
            runs.push(quoted(&template.name(own)));
        }
        if !behind.is_empty() {
            draft.behind.insert(item.key.clone(), behind);
        }
    }
    if !earlier.details.is_empty() {
        draft.detail = Some(earlier.details.clone());
        draft.drafted.clear();
    }
    draft.template = Some(template.text.clone());
    if left > 0 {
        let (noun, them) = if left == 1 { ("item was", "it") } else { ("items were", "them") };
        out.push(format!("{left} {noun} ticked there: tick {them} again for today's head."));
    }
    if !reworded.is_empty() {
        out.push(format!("Ticked there for other words, so not here: {}.", some(&reworded)));
    }
    if !runs.is_empty() {
        out.push(format!("The run that was linked behind {} was left out: today's is linked there.", some(&runs)));
    }
    if !earlier.unmatched.is_empty() {
        let lines: Vec<String> = earlier.unmatched.iter().map(|line| quoted(&beginning(line))).collect();
        out.push(format!("Not of today's template, so left out: {}.", some(&lines)));
    }
    if earlier.details.contains("<!--") {
        out.push("The details hold a comment that nobody sees on the page: look at it first.".to_owned());
    }
    if earlier.details.lines().any(|line| line.trim_start().starts_with('/')) {
        out.push("A line of the details begins with a slash: posted, it may command a bot. Look at it first.".to_owned());
    }
    out
}

fn quoted(words: &str) -> String {
    format!("\"{}\"", gate::line(words))
}

/// The first few of a list, and how many more there are.
fn some(names: &[String]) -> String {
    let more = names.len().saturating_sub(NAMED);
    let named = names.get(..NAMED.min(names.len())).unwrap_or_default().join(", ");
    if more > 0 { format!("{named} and {more} more") } else { named }
}

/// What stands behind an item without links to runs, and without the program's own words for a run that is missing.
fn without_runs(behind: &str) -> String {
    let mut text = behind.to_owned();
    for words in NO_RUN {
        text = text.replace(words, "");
    }
    let mut out: Vec<&str> = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        // A link with a name may hold spaces.
        let named =
            if first == '[' { rest.split_once("](").and_then(|(name, to)| Some(name.len() + 3 + to.find(')')?)) } else { None };
        let end = named.unwrap_or_else(|| rest.find(char::is_whitespace).unwrap_or(rest.len()));
        let (word, more) = rest.split_at(end);
        if !is_run(word) {
            out.push(word);
        }
        rest = more.trim_start();
    }
    let said = out.iter().any(|word| word.contains(char::is_alphanumeric));
    if said { out.join(" ") } else { String::new() }
}

/// Whether it is a link to a run's page, whatever it is called.
fn is_run(word: &str) -> bool {
    let target = word.split_once("](").map_or(word, |(_, target)| target);
    let run = target.split_once("/actions/runs/").filter(|(host, _)| host.contains("://"));
    run.is_some_and(|(_, id)| id.starts_with(|c: char| c.is_ascii_digit()))
}

/// Sign-offs by other people on this pull request, newest first. None as long as nobody knows who we are.
pub fn of_others<'a>(policy: &Policy, facts: &'a Facts) -> Vec<&'a Comment> {
    let Some(viewer) = facts.viewer.value() else { return Vec::new() };
    let lists = [&facts.comments, &facts.reviews, &facts.line_comments];
    let all = lists.into_iter().filter_map(Remote::value).flat_map(|list| &list.items);
    let is_theirs = |comment: &&Comment| {
        let author = &comment.author;
        let is_ours = author.id.map_or_else(|| author.login.is(&viewer.login), |id| id == viewer.id);
        !is_ours && !author.bot && is_signoff(policy, &comment.body)
    };
    let mut out: Vec<&Comment> = all.filter(is_theirs).collect();
    out.sort_by_key(|comment| Reverse((comment.updated_at.max(comment.created_at), comment.id)));
    out
}

/// Whether only one sign-off may stand on a pull request, by the rules in force.
pub fn is_only_one(policy: &Policy, facts: &Facts) -> bool {
    if policy.signoff.only_one_in.is_empty() {
        return false;
    }
    let verifier = match facts.document(DocumentKind::Verifier).and_then(Remote::settled) {
        Some(got) => Verifier::Read(Arc::new(stated(&got.value.text))),
        None => Verifier::of(policy, facts, &Documents::default()),
    };
    let era = era(policy, &verifier, facts.day);
    policy.signoff.only_one_in.iter().any(|name| name == era)
}

/// Associations with the repository, in GitHub's words, by which somebody may sign.
const STANDING: [&str; 3] = ["OWNER", "MEMBER", "COLLABORATOR"];

/// Whether the one sign-off that may stand can be this person's: as far as is known, nobody else's is one.
fn may_sign(policy: &Policy, facts: &Facts, comment: &Comment) -> bool {
    let login = &comment.author.login;
    let permission = facts.permissions.get(login).and_then(Remote::value);
    STANDING.contains(&comment.association.as_str())
        || permission.is_some_and(Permission::can_write)
        || Documents::draw(policy, facts).owners().is_none_or(|owners| owners.lists(login))
}

/// Sign-offs of others where only one may stand: of those who may sign, else of anybody else.
fn beside<'a>(policy: &Policy, facts: &'a Facts, eligible: bool) -> Vec<&'a Comment> {
    let mut out = of_others(policy, facts);
    if !out.is_empty() && !is_only_one(policy, facts) {
        out.clear();
    }
    out.retain(|comment| may_sign(policy, facts, comment) == eligible);
    out
}

/// What is to be known of sign-offs that count for nothing, a sentence each: anybody can write the words.
pub fn idle(policy: &Policy, facts: &Facts) -> Vec<String> {
    let told = |comment: &Comment| {
        let login = gate::line(comment.author.login.as_str()).into_owned();
        format!("{login}, who owns nothing here as far as is known, wrote a sign-off too: {}", comment.url)
    };
    beside(policy, facts, false).into_iter().map(told).collect()
}

/// Why sign-offs of others forbid ours.
pub fn foreign(policy: &Policy, facts: &Facts) -> Vec<Block> {
    let block = |comment: &Comment| {
        let login = &comment.author.login;
        let reason = format!(
            "A sign-off by {login} stands here, and only one may: ask {login} to edit or delete it, instead of posting another."
        );
        Block::linked(reason, &comment.url)
    };
    beside(policy, facts, true).into_iter().map(block).collect()
}

#[cfg(test)]
mod tests;
