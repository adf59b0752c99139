//! What the reviewer pinned as evidence, a line each, and what is to be said of pins that do not stand as they did.
//! Must not know: how something is pinned, the screen.

use super::{Ingredients, say_gap, unlinked};
use crate::core::checklist::rendered::Rendered;
use crate::core::ids::Sha;
use crate::core::markdown::gate;
use crate::core::pins::{Pin, Standing, Subject};
use crate::core::policy::{Context, ways_back};
use crate::core::sweep::Outcome;
use crate::core::sweep::expiry::{Expiry, expiring};
use crate::core::text::counted;

/// What of the pins must not go out, and what is worth a second look; a sentence each.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Objections {
    pub unfit: Vec<String>,
    pub warnings: Vec<String>,
}

pub(super) fn pins(made_of: &Ingredients<'_>, gaps: &mut Vec<String>) -> Option<Rendered> {
    let mut out = Rendered::default();
    for pin in &made_of.draft.pins {
        let standing = pin.standing(made_of.facts, made_of.conclusions);
        if let Standing::Unread(why) = &standing {
            let why = why.as_deref().unwrap_or("It is still being read.");
            say_gap(gaps, format!("What has become of {}, which you pinned, is not known. {why}", pin.label()));
        }
        out.push("\n  - ").fact(&words(made_of, pin, &standing), &pin.evidence(made_of.facts)).push(".");
    }
    (!out.is_empty()).then_some(out)
}

/// `[run 1](…) attempt 1 on e36439994, success, ended 2026-08-11 08:31 UTC`, and what has become of it.
fn words(made_of: &Ingredients<'_>, pin: &Pin, standing: &Standing) -> String {
    let code = |text: &str| gate::code(&unlinked(text), &made_of.policy.signoff.trigger);
    let attempt = match pin.attempt < pin.newest {
        true => format!("attempt {} of {}", pin.attempt, pin.newest),
        false => format!("attempt {}", pin.attempt),
    };
    let page = pin.page(made_of.facts);
    let what = match &pin.of {
        Subject::Run => format!("[run {}]({page}) {attempt}", pin.run),
        Subject::Job(job) => format!("[job {job}]({page}) {}, {attempt}", code(&pin.name)),
        Subject::Line { job, number, text } => {
            format!("line {number} of the log of [job {job}]({page}) {}, {attempt}, {}", code(&pin.name), code(text))
        }
    };
    let conclusion = Outcome::read("completed", Some(&pin.conclusion));
    let conclusion = match &conclusion {
        Outcome::Unknown(word) => code(word),
        known => known.word().to_owned(),
    };
    let ended = pin.ended.map(|at| format!(", ended {}", at.format("%Y-%m-%d %H:%M UTC"))).unwrap_or_default();
    let since = match standing {
        Standing::Fresh | Standing::Unread(None) => String::new(),
        Standing::Earlier(commits) => format!("; {} before the head", counted(*commits, "commit")),
        Standing::Orphaned => "; its commit is no longer in this pull request".to_owned(),
        Standing::Changed(now) => format!("; now it is {}", gate::inline(now, &made_of.policy.signoff.trigger)),
        Standing::Gone => "; GitHub lists it no more".to_owned(),
        Standing::Unread(Some(_)) => "; what has become of it since was not read".to_owned(),
    };
    let until = made_of.facts.time().zip(logs(pin)).filter(|(now, logs)| logs.matters(*now));
    let kept = until.and_then(|(now, logs)| Some((if logs.at? > now { "keeps" } else { "kept" }, logs.at?)));
    let kept = kept.map(|(keeps, at)| format!("; GitHub {keeps} its logs until {} by default", at.format("%Y-%m-%d")));
    let kept = kept.unwrap_or_default();
    format!("{what} on `{}`, {conclusion}{ended}{since}{kept}", pin.head.short())
}

/// How long the logs behind a pin are kept.
fn logs(pin: &Pin) -> Option<Expiry> {
    Expiry::of_logs(pin.ended)
}

pub fn objections(made_of: &Ingredients<'_>) -> Objections {
    let (facts, mut out) = (made_of.facts, Objections::default());
    let cited = made_of.conclusions.cited_runs();
    for pin in &made_of.draft.pins {
        let label = pin.label();
        let say = |what: String| format!("You pinned {label}, and {what}");
        match pin.standing(facts, made_of.conclusions) {
            Standing::Fresh | Standing::Unread(_) => {}
            Standing::Earlier(commits) => {
                out.warnings.push(say(format!("it is of {} before the head.", counted(commits, "commit"))));
            }
            Standing::Orphaned => out.unfit.push(say(format!(
                "its commit {} has left the pull request: take the pin away (a on its line), or bring the commit back. {}",
                pin.head.short(),
                ways(made_of, &pin.head)
            ))),
            Standing::Changed(now) => {
                out.unfit.push(say(format!("now it is {now}: pin it again, or take the pin away (a on its line).")));
            }
            Standing::Gone => {
                out.unfit.push(say("GitHub lists it no more: take the pin away (a on its line), or pin another.".to_owned()));
            }
        }
        // What goes of a cited run is said of that one.
        let goes = facts.time().zip(logs(pin)).filter(|(now, logs)| logs.matters(*now) && !cited.contains(&pin.run));
        if let Some((now, logs)) = goes {
            out.warnings.push(say(format!("its {}.", logs.phrase(now))));
        }
    }
    for run in cited {
        let told = expiring(facts, run);
        if !told.is_empty() {
            out.warnings.push(format!("The sign-off cites run {run}, whose {}.", told.join(", and whose ")));
        }
    }
    out
}

/// How an orphan is brought back, as the rule on sweeps says it.
fn ways(made_of: &Ingredients<'_>, orphan: &Sha) -> String {
    let context = Context::new(made_of.policy, made_of.facts, made_of.conclusions, None, None, false);
    ways_back(&context, orphan).join(" ")
}
