//! Rule `deprecated`: no point is submitted that the models' page ends before the bot reads the sign-off. The last day is
//! allowed, the next is not, and no new sign-off repairs that.
//! Must not know: how the page is read; the clock, whose hour stands in the facts where there is one.

use super::read::{document, evidence, unavailable};
use super::sweep::{length, spoken, usual_length};
use super::{Context, Finding, Status};
use crate::core::configs::Entry;
use crate::core::configs::compare::What;
use crate::core::configs::jobs::{AGENTIC, Load};
use crate::core::facts::DocumentKind;
use crate::core::models::{Asked, Support};
use crate::core::time::Day;
use chrono::{Duration, NaiveDate};
use std::collections::BTreeSet;

const KEY: &str = "deprecated";

/// One question to the page, of all points that share it.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Question<'a> {
    prefix: &'a str,
    scenario: String,
    precision: &'a str,
    spec: Option<&'a str>,
}

pub(super) fn check(context: &Context<'_>) -> Finding {
    judge(context).unwrap_or_else(|why| unavailable(KEY, why))
}

fn judge(context: &Context<'_>) -> Result<Finding, String> {
    let keys = &context.conclusions.keys;
    if let Some(doubt) = keys.doubt() {
        return Err(doubt);
    }
    let asked = questions(context);
    if asked.is_empty() {
        return Ok(Finding::new(KEY, "", Status::NotApplicable, "No point is added or changed.").in_brief("no point changed"));
    }
    let policy = context.policy.models.as_ref().ok_or("The policy does not say how the page about models is read.")?;
    let got = document(context.facts, DocumentKind::Models, "The page about models")?;
    let day = context.day().ok_or("The day on which the bot reads the sign-off is not known.")?;
    let page = context.conclusions.documents.models().ok_or("The page about models is not read yet.")?;
    let mut ends = Vec::new();
    let (mut ended, mut unknown, mut notes, mut lines) = (Vec::new(), Vec::new(), Vec::new(), BTreeSet::new());
    for question in &asked {
        let Question { prefix, scenario, precision, spec } = question;
        match page.support(policy, Asked { prefix, scenario, precision, spec: *spec }, day) {
            Support::Allowed { line, notes: said, last } => {
                lines.insert(line);
                let said = said.into_iter().chain(last.map(|last| countdown(context, last, day)));
                notes.extend(said.map(|note| format!("{prefix} {scenario}: {note}")));
                ends.extend(last);
            }
            Support::Deprecated { why, line, .. } => {
                lines.insert(line);
                ended.push(format!("{prefix} {scenario} {precision}: {why}"));
            }
            Support::Unknown { why } => unknown.push(format!("{prefix} {scenario}: {why}")),
        }
    }
    let places = lines.into_iter().map(|line| evidence(context, got, Some(line))).collect::<Vec<_>>();
    let finding = |status, reason: String| Finding::new(KEY, "", status, reason).with(places.clone());
    Ok(if let Some(first) = ended.first() {
        let found = finding(Status::Fail, format!("On {day} {first}")).in_brief("deprecated");
        found.note(ended.into_iter().skip(1)).note(["No new sign-off repairs this: leave out what has ended.".to_owned()])
    } else if let Some(first) = unknown.first() {
        finding(Status::Warn, format!("The page does not decide it: {first}"))
            .in_brief("page does not say")
            .note(unknown.into_iter().skip(1))
            .note(notes)
    } else {
        let what = match asked.len() {
            1 => "What changes is allowed".to_owned(),
            count => format!("All {count} kinds of points that change are allowed"),
        };
        let first = ends.iter().min().copied();
        let left = first.and_then(|last| Some((last, context.facts.left_of(last)?)));
        let reason = match left {
            Some((last, left)) => format!("{what} on {day}, and ends {}.", in_hours(last, left)),
            None => format!("{what} on {day}."),
        };
        let brief = match (first, left) {
            (_, Some((_, left))) if left < Duration::hours(1) => "ends within 1 h".to_owned(),
            (_, Some((_, left))) if left <= SOON => format!("ends in {} h", left.num_hours()),
            (Some(last), _) => format!("active until {last}"),
            (None, _) => "active".to_owned(),
        };
        finding(Status::Pass, reason).in_brief(brief).note(notes)
    })
}

/// Until then the hours count, not the day.
const SOON: Duration = Duration::hours(72);

/// How long is left until the end of the last day, beside what a sweep takes. Without the time of the day, in days.
fn countdown(context: &Context<'_>, last: NaiveDate, day: Day) -> String {
    let conclusions = context.conclusions;
    // What the cited sweep took itself is nearer than what others took.
    let own = conclusions.validation().and_then(length);
    let takes = match (own, usual_length(&conclusions.sweeps)) {
        (Some(own), _) => Some((own, format!("this sweep took {}", spoken(own)))),
        (None, Some(usual)) => Some((usual, format!("a sweep of this pull request takes {}", spoken(usual)))),
        (None, None) => None,
    };
    if let Some(left) = context.facts.left_of(last) {
        let fits = match &takes {
            // An hour that has begun is not counted on.
            Some((length, takes)) if *length > Duration::hours(left.num_hours()) => {
                format!("; {takes}, so a new one does not end in time")
            }
            Some((_, takes)) => format!("; {takes}"),
            None => String::new(),
        };
        return format!("Ends {}{fits}. The bot must have read the sign-off by then.", in_hours(last, left));
    }
    let left = match (last - day).num_days() {
        0 => "today, until 24:00 UTC".to_owned(),
        1 => format!("tomorrow, {last}, until 24:00 UTC"),
        days => format!("{last}, in {days} days, until 24:00 UTC"),
    };
    let takes = takes.map(|(_, takes)| format!("; {takes}")).unwrap_or_default();
    format!("Its last day is {left}: the bot must have read the sign-off by then{takes}.")
}

/// `in 31 hours (24:00 UTC of 14 August)`.
fn in_hours(last: NaiveDate, left: Duration) -> String {
    let time = match left.num_hours() {
        0 => "less than 1 hour".to_owned(),
        1 => "1 hour".to_owned(),
        hours if left <= SOON => format!("{hours} hours"),
        hours => format!("{} days", hours / 24),
    };
    format!("in {time} (24:00 UTC of {})", last.format("%-d %B"))
}

/// What the points that came or changed are, each once. An entry that is named in the changelog is measured again whole.
fn questions<'a>(context: &Context<'a>) -> BTreeSet<Question<'a>> {
    let keys = &context.conclusions.keys;
    let entries = keys.touched.iter().chain(&keys.entries);
    let mut out = BTreeSet::new();
    for entry in entries {
        let change = keys.changes.iter().find(|change| change.key == entry.key);
        let named = keys.named().contains(&entry.key.as_str());
        for row in &entry.points {
            let differs = change
                .is_some_and(|change| change.points.iter().any(|point| point.what != What::Removed && point.at.is_of(row)));
            if !named && !differs {
                continue;
            }
            if named && !asked_for(context, entry, &row.scenario) && !differs {
                continue;
            }
            let load = match (row.scenario.as_str(), row.isl, row.osl) {
                (AGENTIC, ..) => Load::Agentic,
                (_, isl, osl) => Load::Fixed { isl: isl.unwrap_or_default(), osl: osl.unwrap_or_default() },
            };
            // Points of lanes that nobody runs any more are not submitted.
            if context.day().is_some_and(|day| context.policy.configs.is_retired(load, day)) {
                continue;
            }
            let scenario = if load == Load::Agentic { AGENTIC.to_owned() } else { load.render() };
            out.insert(Question {
                prefix: &entry.model_prefix,
                scenario,
                precision: &entry.precision,
                spec: row.spec.as_deref(),
            });
        }
    }
    out
}

/// Whether a changelog entry that names the key wants this scenario measured.
fn asked_for(context: &Context<'_>, entry: &Entry, scenario: &str) -> bool {
    context
        .conclusions
        .keys
        .changelog
        .iter()
        .filter(|changelog| changelog.config_keys.iter().any(|name| crate::core::configs::named::matches(name, &entry.key)))
        .any(|changelog| changelog.scenario_type.is_empty() || changelog.scenario_type.iter().any(|one| one == scenario))
}

#[cfg(test)]
mod tests {
    use super::super::scenario;
    use super::super::tests::finding;
    use super::*;
    use crate::core::remote::Remote;

    fn says(name: &str, number: u64, day: Option<&str>) -> (Status, String) {
        let (_, review) = scenario::review(name, number, None, |facts| {
            if let Some(day) = day {
                facts.day = day.parse().ok();
            }
        });
        let found = finding(&review.findings, KEY);
        (found.status, found.reason.clone())
    }

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn the_last_day_is_allowed_and_the_next_is_not() {
        for (day, status) in [("2026-08-03", Status::Pass), ("2026-08-04", Status::Fail), ("2026-09-01", Status::Fail)] {
            let (found, reason) = says("2462", 2462, Some(day));
            assert_eq!(found, status, "{day}: {reason}");
        }
        assert_eq!(says("2550-green", 2550, None).0, Status::Pass);
        assert_eq!(says("2206", 2206, None).0, Status::Pass);
        // Nothing that is measured changes.
        assert_eq!(says("2159", 2159, None).0, Status::NotApplicable);
    }
    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn the_last_day_is_counted_down_against_a_sweep() {
        for (day, left) in [
            ("2026-08-01", "2026-08-03, in 2 days, until 24:00 UTC"),
            ("2026-08-02", "tomorrow, 2026-08-03"),
            ("2026-08-03", "today, until 24:00 UTC: the bot must have read the sign-off by then; this sweep took 45 min."),
        ] {
            let (_, review) = scenario::review("2462", 2462, None, |facts| facts.day = day.parse().ok());
            let found = finding(&review.findings, KEY);
            assert!(found.notes.iter().any(|note| note.contains(left)), "{day}: {:?}", found.notes);
            assert_eq!(found.brief, "active until 2026-08-03");
        }
        let (_, review) = scenario::review("2462", 2462, None, |_| ());
        let found = finding(&review.findings, KEY);
        assert!(found.notes.iter().any(|note| note.contains("No new sign-off repairs this")), "{:?}", found.notes);
    }

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn hours_are_counted_where_the_time_is_known() {
        let table = [
            ("2026-08-02T17:00:00Z", None, "Ends in 31 hours (24:00 UTC of 3 August); this sweep took 45 min.", "ends in 31 h"),
            ("2026-08-03T22:30:00Z", None, "Ends in 1 hour (24:00 UTC of 3 August); this sweep took 45 min.", "ends in 1 h"),
            (
                "2026-08-03T23:30:00Z",
                None,
                "Ends in less than 1 hour (24:00 UTC of 3 August); this sweep took 45 min, so a new one does not end in time.",
                "ends within 1 h",
            ),
            ("2026-07-20T00:00:00Z", None, "Ends in 15 days (24:00 UTC of 3 August)", "active until 2026-08-03"),
            // Another day was named: it has no hours.
            ("2026-09-02T17:00:00Z", Some("2026-08-02"), "Its last day is tomorrow, 2026-08-03", "active until 2026-08-03"),
        ];
        for (now, named, note, brief) in table {
            let (_, review) = scenario::review("2462", 2462, None, |facts| {
                let now = now.parse::<crate::core::time::Time>().unwrap();
                facts.turn_to(now, named.map(|day| day.parse().unwrap()));
                facts.now = Some(now);
            });
            let found = finding(&review.findings, KEY);
            assert!(found.notes.iter().any(|said| said.contains(note)), "{now}: {:?}", found.notes);
            assert_eq!((found.status, found.brief.as_str()), (Status::Pass, brief), "{now}");
            assert_eq!(found.reason.contains("(24:00 UTC of 3 August)"), named.is_none(), "{}", found.reason);
        }
    }

    /// A page that ends what the pull request measures says so on the day after, whatever its words for it.
    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn arms_scenarios_and_precisions_end_each_in_their_own_words() {
        let cases = [
            // The page's words for qwen3.5, and what they make of its fp4 8k1k points with mtp on 2026-08-11.
            ("Single-turn 8k1k, Agentic coding", Status::Pass),
            ("Single-turn 8k1k (until 2026-08-11), Agentic coding", Status::Pass),
            ("Single-turn 8k1k (until 2026-08-10), Agentic coding", Status::Fail),
            ("Single-turn 8k1k (EAGLE3 only)", Status::Pass),
            ("Single-turn 8k1k (EAGLE3 only from 2026-08-12)", Status::Pass),
            ("Agentic coding", Status::Fail),
            ("Single-turn 8k1k; fp8 only", Status::Fail),
            ("Single-turn 8k1k — fully retired after 2026-08-10", Status::Fail),
            ("— (retired 2026-08-11)", Status::Fail),
            ("Single-turn 8k1k (ends 2026-08-10)", Status::Warn),
        ];
        const CELL: &str = "Single-turn 8k1k and Agentic coding, both limited to fp8/fp4";
        for (cell, status) in cases {
            let (_, review) = scenario::review("2550-green", 2550, None, |facts| {
                facts.day = "2026-08-11".parse().ok();
                if let Some(Remote::Ready(page)) = facts.documents.get_mut(&DocumentKind::Models) {
                    assert!(page.value.text.contains(CELL));
                    page.value.text = page.value.text.replace(CELL, cell);
                }
            });
            let found = finding(&review.findings, KEY);
            assert_eq!(found.status, status, "{cell}: {}", found.reason);
        }
    }
}
