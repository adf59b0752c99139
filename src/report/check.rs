//! What the bot will answer, one row per check in its order and words.
//! Must not know: how findings are reached, or where facts were read from.

use super::{Report, SCHEMA, json};
use crate::core::facts::Facts;
use crate::core::ids::{Key, Sha};
use crate::core::policy::{Confidence, Finding, Overall, Policy, Status};
use crate::core::review::Review;
use crate::core::text::gate;
use crate::core::time::{Day, Time};
use serde::Serialize;

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    verdict: Overall,
    head: Option<&'a Sha>,
    date: Option<Day>,
    /// Which sign-off was judged.
    signoff: &'a str,
    checks: Vec<Check<'a>>,
}

#[derive(Serialize)]
struct Check<'a> {
    key: &'a Key,
    /// The bot's number today; `null` for the program's own checks, and for those that it does not run.
    number: Option<u32>,
    title: &'a str,
    status: &'static str,
    confidence: Confidence,
    reason: &'a str,
    notes: &'a [String],
    evidence: Vec<Support<'a>>,
    /// Keys of the checklist's items that it answers.
    items: Vec<&'a Key>,
}

#[derive(Serialize)]
struct Support<'a> {
    what: &'a str,
    url: Option<&'a str>,
    commit: Option<&'a Sha>,
    read_at: Time,
}

/// The word for a status, as the bot writes it.
pub fn word(status: Status) -> &'static str {
    match status {
        Status::Pass => "PASS",
        Status::Fail => "FAIL",
        Status::Warn => "WARN",
        Status::NotApplicable => "N/A",
        Status::NeedsYou => "NEEDS_YOU",
        Status::Unavailable => "UNAVAILABLE",
    }
}

pub fn overall_word(overall: Overall) -> &'static str {
    match overall {
        Overall::Pass => "PASS",
        Overall::Warn => "WARN",
        Overall::Unknown => "UNKNOWN",
        Overall::Rejected => "REJECTED",
    }
}

/// Reports on a review. `judged` says in a few words which sign-off it is about.
pub fn report(policy: &Policy, facts: &Facts, review: &Review, judged: &str, as_json: bool) -> Report {
    let text = match as_json {
        true => json(&Document {
            schema: SCHEMA,
            verdict: review.overall(),
            head: facts.head(),
            date: facts.day,
            signoff: judged,
            checks: review.findings.iter().map(|finding| check(policy, review, finding)).collect(),
        }),
        false => plain(facts, review, judged),
    };
    Report { text, gaps: Vec::new() }
}

fn check<'a>(policy: &'a Policy, review: &'a Review, finding: &'a Finding) -> Check<'a> {
    let held = |item: &Key| review.signed().is_none_or(|signoff| signoff.items.iter().any(|state| state.key == *item));
    let items = policy.items.iter().filter(|item| item.rules.contains(&finding.key) && held(&item.key));
    Check {
        key: &finding.key,
        number: finding.number,
        title: &finding.title,
        status: word(finding.status),
        confidence: finding.confidence,
        reason: &finding.reason,
        notes: &finding.notes,
        evidence: finding
            .evidence
            .iter()
            .map(|evidence| Support {
                what: &evidence.label,
                url: evidence.link.as_deref(),
                commit: evidence.source.commit.as_ref(),
                read_at: evidence.source.read_at,
            })
            .collect(),
        items: items.map(|item| &item.key).collect(),
    }
}

fn plain(facts: &Facts, review: &Review, judged: &str) -> String {
    let head = facts.head().map_or("an unknown head", Sha::short);
    let day = facts.day.map(|day| format!(", on {day}")).unwrap_or_default();
    let mut out = format!("{} predicted for {head}{day}: {judged}\n\n", overall_word(review.overall()));
    for finding in &review.findings {
        let number = finding.number.map(|number| format!(" {number}")).unwrap_or_default();
        let sure = if finding.confidence == Confidence::Suspect { " (a sign, no proof)" } else { "" };
        out.push_str(&format!(
            "{:<11} Check{number} ({}): {}{sure}\n",
            word(finding.status),
            finding.key,
            gate::line(&finding.reason)
        ));
        for note in &finding.notes {
            out.push_str(&format!("{:<11} · {}\n", "", gate::line(note)));
        }
    }
    out
}
