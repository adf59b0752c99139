//! The bot's checks: which of them it runs by the verifier's text on the default branch, under which number and era, and
//! what that makes of the rules' findings.
//! Must not know: what a rule looks at.

use super::items::{holds, normalise};
use super::{Context, Finding, Policy, RULES, Status};
use crate::core::documents::Documents;
use crate::core::evidence::{Evidence, digest};
use crate::core::facts::{DocumentKind, Facts};
use crate::core::ids::Key;
use crate::core::remote::Remote;
use crate::core::time::Day;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// One check: a rule under the name and the words that the bot uses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckPolicy {
    /// The rule that answers it.
    pub key: Key,
    pub title: String,
    /// Phrases that the verifier's heading is known by. None: the bot has no such check, and this one is the program's own.
    #[serde(default)]
    pub headings: Vec<String>,
    /// Said even where the verifier has no such check.
    #[serde(default)]
    pub advice: bool,
    /// Eras in which the worst it says is a warning.
    #[serde(default)]
    pub only_warns: Vec<String>,
    /// The verifier's texts that the rule was written from: the first 16 hexadecimal digits of the SHA-256 over the
    /// section's words.
    #[serde(default)]
    pub texts: Vec<String>,
}

/// A time in which the same numbers and severities held.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EraPolicy {
    pub name: String,
    /// The day from which it counts where the verifier cannot be read.
    pub since: Day,
    /// Checks that the verifier has since then: it is known by them.
    #[serde(default)]
    pub known_by: Vec<Key>,
}

/// A check as the verifier's text has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stated {
    pub number: u32,
    /// What follows the number in the heading.
    pub title: String,
    /// The title's words, as they are compared.
    words: String,
    /// Line of the heading, from 1.
    pub line: usize,
    /// As in [`CheckPolicy::texts`].
    pub text: String,
}

impl Stated {
    fn new(number: u32, title: &str, line: usize) -> Stated {
        Stated { number, title: title.to_owned(), words: normalise(title), line, text: String::new() }
    }
}

/// What the verifier says about which checks there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verifier {
    /// Its text names these.
    Read(Arc<Vec<Stated>>),
    /// The policy names no verifier, or the default branch has none.
    Absent,
    /// Not read, or not yet.
    Unread(String),
}

impl Verifier {
    pub fn of(policy: &Policy, facts: &Facts, documents: &Documents) -> Verifier {
        use crate::core::trouble::TroubleKind::NotFound;
        if !policy.documents.contains_key(&DocumentKind::Verifier) {
            return Verifier::Absent;
        }
        let remote = facts.document(DocumentKind::Verifier);
        match (documents.verifier(), remote.and_then(Remote::trouble)) {
            (Some(stated), _) => Verifier::Read(stated),
            (_, Some(trouble)) if trouble.kind == NotFound => Verifier::Absent,
            (_, Some(trouble)) => Verifier::Unread(trouble.headline.clone()),
            (None, None) => Verifier::Unread("it is not read yet".to_owned()),
        }
    }

    /// How the verifier states this check.
    pub fn check(&self, check: &CheckPolicy) -> Option<&Stated> {
        let Verifier::Read(all) = self else { return None };
        all.iter().find(|stated| check.is_headed(stated))
    }
}

impl CheckPolicy {
    /// Whether the bot has it, at some time.
    pub fn is_bots(&self) -> bool {
        !self.headings.is_empty()
    }

    /// Whether the verifier says something else by now than what the rule was written from.
    fn is_outdated(&self, stated: &Stated) -> bool {
        !self.texts.contains(&stated.text)
    }

    fn is_headed(&self, stated: &Stated) -> bool {
        let words: Vec<&str> = stated.words.split(' ').collect();
        self.headings.iter().any(|phrase| holds(&words, phrase))
    }
}

/// Sections headed `Check N — title`, whatever dash it has.
pub fn stated(text: &str) -> Vec<Stated> {
    let mut out: Vec<(Stated, String)> = Vec::new();
    let mut fence = false;
    for (at, line) in text.lines().enumerate() {
        fence ^= line.trim_start().starts_with("```");
        let heading = line.strip_prefix("## ").filter(|_| !fence);
        match (heading, heading.and_then(numbered)) {
            (_, Some((number, title))) => {
                out.push((Stated::new(number, title, at + 1), String::new()));
            }
            // Any other section is none of the checks': what follows belongs to nobody.
            (Some(_), None) => out.push((Stated::new(u32::MAX, "", at), String::new())),
            (None, _) => {
                if let Some((_, body)) = out.last_mut() {
                    body.push_str(line);
                    body.push('\n');
                }
            }
        }
    }
    out.retain(|(stated, _)| stated.number != u32::MAX);
    let with_text = |(stated, body): (Stated, String)| Stated { text: text_id(&stated.title, &body), ..stated };
    out.into_iter().map(with_text).collect()
}

/// The words of a section, so that wrapping and marks do not count.
fn text_id(title: &str, body: &str) -> String {
    digest(format!("{} {}", normalise(title), normalise(body)).as_bytes())[..16].to_owned()
}

/// `Check 3 — Recipe linked` → 3 and the title.
fn numbered(heading: &str) -> Option<(u32, &str)> {
    let rest = heading.trim().strip_prefix("Check ")?;
    let digits = rest.find(|c: char| !c.is_ascii_digit())?;
    let title = rest[digits..].trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '—' | '–' | '-' | ':'));
    Some((rest[..digits].parse().ok()?, title.trim()))
}

/// The era of the rules in force: by the verifier's checks, else by the day.
pub fn era<'a>(policy: &'a Policy, verifier: &Verifier, day: Option<Day>) -> &'a str {
    let known = |era: &&EraPolicy| match verifier {
        Verifier::Read(_) => era
            .known_by
            .iter()
            .all(|key| policy.checks.iter().any(|check| check.key == *key && verifier.check(check).is_some())),
        Verifier::Absent | Verifier::Unread(_) => day.is_some_and(|day| era.since <= day),
    };
    policy.eras.iter().rev().find(known).or(policy.eras.first()).map_or("", |era| &era.name)
}

/// All findings in the bot's order: its checks by number, then the program's own.
pub fn findings(context: &Context<'_>) -> Vec<Finding> {
    let mut out: Vec<Finding> = context.policy.checks.iter().map(|check| finding(context, check)).collect();
    if let Verifier::Read(all) = &context.verifier {
        let unknown = all.iter().filter(|stated| !context.policy.checks.iter().any(|check| check.is_headed(stated)));
        out.extend(unknown.map(|stated| new_to_us(context, stated)));
    }
    out.sort_by_key(|finding| finding.number.unwrap_or(u32::MAX));
    out
}

fn finding(context: &Context<'_>, check: &CheckPolicy) -> Finding {
    let stated = context.verifier.check(check);
    let number = stated.map(|stated| stated.number);
    if !is_asked(context, check) {
        let reason = "The bot has no such check by the verifier's text on the default branch.";
        return Finding::new(check.key.as_str(), &check.title, Status::NotApplicable, reason).in_brief("no such check");
    }
    let Some(rule) = RULES.iter().find(|rule| rule.key == check.key.as_str()) else {
        let reason = "No rule of this version answers it: judge it yourself.";
        return Finding { number, ..Finding::new(check.key.as_str(), &check.title, Status::NeedsYou, reason) };
    };
    let mut found = (rule.check)(context);
    found.key.clone_from(&check.key);
    found.number = number;
    found.title.clone_from(&check.title);
    if found.status == Status::Fail && check.only_warns.iter().any(|era| era == context.era) {
        found.status = Status::Warn;
    }
    if let Some(stated) = stated.filter(|stated| check.is_outdated(stated)) {
        found.notes.push(format!(
            "The rules changed since this policy: Check {} of the verifier reads otherwise (line {}). Read it before you sign.",
            stated.number, stated.line
        ));
        found.evidence.extend(context.verifier_evidence(stated));
    }
    found
}

/// Whether anybody wants an answer: the bot, as far as its text is known, an item of the template, or the program itself.
pub(super) fn is_asked(context: &Context<'_>, check: &CheckPolicy) -> bool {
    let has_item = || {
        let items = context.policy.items.iter().filter(|item| item.rules.contains(&check.key));
        context.template.is_some_and(|template| {
            items.clone().any(|item| template.items.iter().any(|held| held.known.as_ref() == Some(item)))
        })
    };
    let read = matches!(context.verifier, Verifier::Read(_));
    !check.is_bots() || check.advice || !read || context.verifier.check(check).is_some() || has_item()
}

/// Checks whose section of the verifier's text is not one that their rule was written from.
pub fn changed(context: &Context<'_>) -> Vec<Key> {
    let outdated = |check: &&CheckPolicy| context.verifier.check(check).is_some_and(|stated| check.is_outdated(stated));
    context.policy.checks.iter().filter(outdated).map(|check| check.key.clone()).collect()
}

/// A check that no policy knows: nobody can say what the bot will answer.
fn new_to_us(context: &Context<'_>, stated: &Stated) -> Finding {
    let title = crate::core::text::gate::line(&stated.title).into_owned();
    let reason =
        format!("Check {} is new to the program: read it in the verifier's text and judge it yourself.", stated.number);
    let key = format!("check_{}", stated.number);
    let found = Finding::new(&key, &title, Status::NeedsYou, reason).in_brief("new to the program");
    Finding { number: Some(stated.number), ..found }.with(context.verifier_evidence(stated))
}

impl Context<'_> {
    fn verifier_evidence(&self, stated: &Stated) -> Option<Evidence> {
        let got = self.facts.document(DocumentKind::Verifier).and_then(Remote::settled)?;
        let branch = self.facts.repository.value().map_or("HEAD", |repository| repository.default_branch.as_str());
        let link = self.facts.page(&format!("blob/{branch}/{}#L{}", got.value.path, stated.line));
        Some(Evidence::new("verifier", format!("{} line {}", got.value.path, stated.line), Some(link), got.source.clone()))
    }
}

/// What the bot will answer, from all findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Overall {
    Pass,
    Warn,
    /// Something could not be read, is still running, or is a check that nobody knows.
    Unknown,
    Rejected,
}

/// Rejected by any failure; unknown while anything is; else the worst that is left.
pub fn overall(findings: &[Finding]) -> Overall {
    let any = |status| findings.iter().any(|finding| finding.status == status);
    if any(Status::Fail) {
        Overall::Rejected
    } else if any(Status::Unavailable) || any(Status::NeedsYou) || findings.is_empty() {
        Overall::Unknown
    } else if any(Status::Warn) {
        Overall::Warn
    } else {
        Overall::Pass
    }
}

/// Findings by key, for those that compare.
pub fn by_key(findings: &[Finding]) -> BTreeMap<&str, &Finding> {
    findings.iter().map(|finding| (finding.key.as_str(), finding)).collect()
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::super::tests::policy;
    use super::*;

    #[test]
    fn sections_are_read_whatever_stands_between() {
        let text = "# Top\n```\n## Check 9 — in a fence\n```\n## Check 0 — Owners\nbody one\n\n## Check 12 - Points\nbody\n## Verdict\nno check\n";
        let all = stated(text);
        let told: Vec<(u32, &str, usize)> = all.iter().map(|check| (check.number, check.title.as_str(), check.line)).collect();
        assert_eq!(told, [(0, "Owners", 5), (12, "Points", 8)]);
        let wrapped = stated(&text.replace("body one", "**body**\none"));
        assert_eq!(all[0].text, wrapped[0].text, "wrapping and marks do not count");
        assert_ne!(all[0].text, stated(&text.replace("body one", "body two"))[0].text);
        assert_eq!(stated("## Check x — no number\n## Check\n"), []);
    }

    /// Every version of the verifier that is known: what the rules were written from.
    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn the_policy_knows_every_text_that_it_was_written_from() {
        let shared = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
        let mut texts = vec![shared.join("inferencex/2026-08/.github/codeowner-signoff-verify-prompt.md")];
        for scenario in std::fs::read_dir(shared.join("scenarios")).unwrap().flatten() {
            for pull in std::fs::read_dir(scenario.path()).unwrap().flatten() {
                let Ok(contents) = std::fs::read_to_string(pull.path().join("contents.json")) else { continue };
                let contents: BTreeMap<String, String> = serde_json::from_str(&contents).unwrap();
                let verifier = contents.iter().filter(|(key, _)| key.ends_with("signoff-verify-prompt.md"));
                texts.extend(verifier.map(|(_, blob)| shared.join("blobs").join(blob)));
            }
        }
        let policy = policy();
        let mut missing: BTreeMap<String, std::collections::BTreeSet<String>> = BTreeMap::new();
        for path in texts {
            for section in stated(&std::fs::read_to_string(&path).unwrap()) {
                let check = policy.checks.iter().find(|check| check.is_headed(&section));
                let check = check.unwrap_or_else(|| panic!("no check is headed {}", section.title));
                if !check.texts.contains(&section.text) {
                    missing.entry(check.key.to_string()).or_default().insert(section.text);
                }
            }
        }
        assert!(missing.is_empty(), "{missing:#?}");
    }
}
