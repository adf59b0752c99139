//! The upstream recipe that the reviewer links: merged when, and how its arguments stand beside ours. Only links that the
//! reviewer wrote are spoken of: nothing that the program would suggest is in the text before it was accepted.
//! Must not know: which links count.

use super::unticked::one_line;
use super::{Ingredients, say_gap};
use crate::core::checklist::details;
use crate::core::checklist::rendered::Rendered;
use crate::core::markdown::gate;
use crate::core::policy::{Context, RULES, Status};

/// Remarks of the comparison that are told.
const NAMED: usize = 6;

pub(super) fn recipe(made_of: &Ingredients<'_>, gaps: &mut Vec<String>) -> Option<Rendered> {
    if made_of.facts.files.settled().is_none() || made_of.conclusions.keys.doubt().is_some() {
        return None;
    }
    let rule = RULES.iter().find(|rule| rule.key == "recipe")?;
    let in_force = made_of.policy.checks.iter().any(|check| check.key.as_str() == rule.key);
    let draft = made_of.draft;
    // A paragraph that was drafted from a link must not hold it up once it is taken away.
    let detail = draft.detail.as_ref().map(|detail| details::touched(detail, &draft.drafted));
    let own: Vec<String> = draft.behind.values().map(|text| one_line(text)).chain(detail).collect();
    let own = own.join("\n");
    let context = Context::new(made_of.policy, made_of.facts, made_of.conclusions, None, Some(&own), false);
    let finding = in_force.then(|| (rule.check)(&context))?;
    match finding.status {
        Status::NotApplicable => return None,
        Status::Pass | Status::Warn => {}
        Status::Fail | Status::NeedsYou | Status::Unavailable => {
            say_gap(gaps, finding.reason);
            return None;
        }
    }
    let trigger = &made_of.policy.signoff.trigger;
    let mut out = Rendered::default();
    for evidence in &finding.evidence {
        let Some(link) = evidence.link.as_deref().filter(|link| own.contains(link)) else { continue };
        out.push(if out.is_empty() { "" } else { "; " });
        let merged = made_of.facts.linked.iter().find(|(pull, _)| pull.to_string() == evidence.label);
        let merged = merged.and_then(|(_, got)| got.known()?.value.merged_at);
        let label = if merged.is_some() { gate::code(&evidence.label, trigger) } else { "published page".to_owned() };
        let when = merged.map(|time| format!(" merged on {}", time.date_naive())).unwrap_or_default();
        out.fact(&format!("[{label}]({link}){when}"), evidence);
    }
    out.push(".");
    let first = finding.evidence.first()?;
    for note in finding.notes.iter().take(NAMED) {
        out.push("\n  - ").fact(&gate::inline(note, trigger), first);
    }
    if finding.notes.len() > NAMED {
        out.push("\n  - ").fact(&format!("{} more remarks", finding.notes.len() - NAMED), first);
    }
    Some(out)
}
