//! Rule `description`: what title, description and changelog entries claim is what was configured and measured.
//! Must not know: how a claim is found or weighed.

use super::read::{is_absent, points_of_cited, settled, unavailable, whole_if_any};
use super::sweep::{cited, measured};
use super::{Context, Finding, Status};
use crate::core::claimed::{About, Statement};
use crate::core::claims::Weight;
use crate::core::evidence::Evidence;
use crate::core::plan::Read;
use crate::core::remote::Remote;
use crate::core::sweep::{Sweep, eval_sweep};

const KEY: &str = "description";
/// Claims that are named in one sentence; the rest is counted.
const NAMED: usize = 5;

/// The points of the cited run, if something is claimed about them.
pub(super) fn needs(context: &Context<'_>, reads: &mut Vec<Read>) {
    if context.conclusions.claimed.statements.iter().any(|said| said.about == About::Points) {
        reads.extend(points_of_cited(context));
    }
}

pub(super) fn check(context: &Context<'_>) -> Finding {
    judge(context).unwrap_or_else(|why| unavailable(KEY, why))
}

fn judge(context: &Context<'_>) -> Result<Finding, String> {
    let pull = settled(Some(&context.facts.pull), "The pull request")?;
    let keys = &context.conclusions.keys;
    let said = &context.conclusions.claimed.statements;
    let page =
        Evidence::new("pull", format!("pull request {}", pull.value.number), Some(pull.value.url.clone()), pull.source.clone());
    let evidence: Vec<Evidence> = std::iter::once(page).chain(measurements(context)).collect();
    let (mut wrong, mut unfit, mut confirmed, mut open) = (Vec::new(), Vec::new(), 0, Vec::new());
    for claim in said {
        match &claim.weight {
            Weight::Confirmed { .. } => confirmed += 1,
            Weight::Contradicted { ours } => {
                wrong.push((claim, format!("{} says {}, but it is {ours}.", start(claim), claim.said)))
            }
            Weight::WrongUnit { ours } => {
                unfit.push((claim, format!("{} says {}, which fits another unit: {ours}.", start(claim), claim.said)));
            }
            Weight::NotCheckable { why } => open.push((claim, why)),
        }
    }
    let unchecked = open.first().map(|(claim, why)| {
        let more = if open.len() > 1 {
            format!("{} claims cannot be checked; the first", open.len())
        } else {
            "Not to be checked".to_owned()
        };
        format!("{more} is {}: {why}.", claim.said)
    });
    if !wrong.is_empty() || !unfit.is_empty() {
        let names = |list: &[(&Statement, String)]| named(list.iter().map(|(claim, _)| claim.said.as_str()));
        let reason = match (wrong.as_slice(), unfit.as_slice()) {
            ([], unfit) => format!("The unit is wrong of {}.", names(unfit)),
            (wrong, []) => format!("What was configured and measured contradicts {}.", names(wrong)),
            (wrong, unfit) => {
                format!("What was configured and measured contradicts {}; the unit is wrong of {}.", names(wrong), names(unfit))
            }
        };
        let brief = format!("{} of {} claims wrong", wrong.len() + unfit.len(), said.len());
        let each = wrong.into_iter().chain(unfit).map(|(_, line)| line);
        let found = Finding::new(KEY, "", Status::Warn, reason).in_brief(brief).suspect();
        return Ok(found.with(evidence).note(each).note(unchecked));
    }
    if !keys.complete {
        return Err(keys.gaps().into_iter().next().unwrap_or_else(|| "The changed config files are not read yet.".to_owned()));
    }
    // What is unread may contradict what it would have been weighed with.
    for (about, unread) in
        [(About::Points, points_unread as fn(&Context<'_>) -> Option<String>), (About::Scores, scores_unread)]
    {
        let waiting = open.iter().filter(|(claim, _)| claim.about == about).count();
        if waiting > 0
            && let Some(why) = unread(context)
        {
            let claims = if waiting == 1 { "1 claim cannot".to_owned() } else { format!("{waiting} claims cannot") };
            return Err(format!("{claims} be weighed. {why}"));
        }
    }
    let (status, reason, brief) = match (confirmed, said.len()) {
        (0, 0) => (Status::NotApplicable, "Nothing is claimed that could be weighed.".to_owned(), "nothing claimed".to_owned()),
        (0, all) => {
            let all = if all == 1 { "The 1 claim cannot".to_owned() } else { format!("None of {all} claims can") };
            (
                Status::NotApplicable,
                format!("{all} be checked against what was configured and measured."),
                "not checkable".to_owned(),
            )
        }
        (some, all) => (
            Status::Pass,
            format!("{some} of {all} claims are confirmed by what was configured and measured, and none is contradicted."),
            format!("{some} of {all} confirmed"),
        ),
    };
    Ok(Finding::new(KEY, "", status, reason).in_brief(brief).derived().with(evidence).note(unchecked))
}

/// `The description`.
fn start(claim: &Statement) -> String {
    super::sweep::capital(&claim.place)
}

/// `a, b and c`; what goes beyond a line's measure is counted.
fn named<'a>(words: impl ExactSizeIterator<Item = &'a str>) -> String {
    let more = words.len().saturating_sub(NAMED);
    let mut words: Vec<String> = words.take(NAMED).map(str::to_owned).collect();
    if more > 0 {
        words.push(format!("{more} more"));
    }
    match words.pop() {
        Some(last) if !words.is_empty() => format!("{} and {last}", words.join(", ")),
        last => last.unwrap_or_default(),
    }
}

/// Why the cited run's points are not at hand; none where there are none to be had, which is a fact.
fn points_unread(context: &Context<'_>) -> Option<String> {
    context.policy.results.as_ref()?;
    let sweep = run(context)?.map_err(Some);
    match sweep {
        Err(why) => why,
        Ok(sweep) => {
            let remote = context.facts.results.get(&sweep.run.id);
            let unread = || whole_if_any(remote, &format!("What {} measured", sweep.label())).err();
            if is_absent(remote) { None } else { unread() }
        }
    }
}

/// The same of its scores.
fn scores_unread(context: &Context<'_>) -> Option<String> {
    let sweep = match run(context)? {
        Err(why) => return Some(why),
        Ok(sweep) => eval_sweep(&context.conclusions.sweeps, sweep)?,
    };
    let judged = context.conclusions.judged.get(&sweep.run.id)?;
    let why = || format!("The scores of {} are not read yet.", sweep.label());
    (!judged.complete).then(|| judged.why.as_ref().map_or_else(why, |trouble| trouble.headline.clone()))
}

/// The cited run, once it has come to its end; none where there is no run to cite.
fn run<'a>(context: &'a Context<'_>) -> Option<Result<&'a Sweep, String>> {
    match cited(context).and_then(|sweep| measured(sweep).map(|()| sweep)) {
        Ok(sweep) => Some(Ok(sweep)),
        Err(stop) if stop.status == Status::Unavailable => Some(Err(stop.reason)),
        // It went wrong, and what it measured all the same counts.
        Err(_) => cited(context).ok().map(Ok),
    }
}

/// What the claims were weighed with, so far as it was read.
fn measurements(context: &Context<'_>) -> Vec<Evidence> {
    let facts = context.facts;
    let link = |sweep: &Sweep| Some(sweep.run.url.clone()).filter(|url| !url.is_empty());
    let points = context.conclusions.validation().and_then(|sweep| {
        let got = facts.results.get(&sweep.run.id).and_then(Remote::settled)?;
        let label = format!("{} result rows of {}", got.value.items.len(), sweep.label());
        Some(Evidence::new("results", label, link(sweep), got.source.clone()))
    });
    let scores = context.conclusions.eval_run().and_then(|sweep| {
        let got = facts.evals.get(&sweep.run.id).and_then(Remote::settled)?;
        let label = format!("{} eval rows of {}", got.value.items.len(), sweep.label());
        Some(Evidence::new("evals", label, link(sweep), got.source.clone()))
    });
    points.into_iter().chain(scores).collect()
}

#[cfg(test)]
#[cfg(feature = "github")] // scores and points lie in zip files
mod tests {
    use super::super::tests::finding;
    use super::super::{Confidence, scenario};
    use super::*;
    use crate::core::facts::Facts;
    use crate::core::listing::{Completeness, Listing};
    use crate::core::trouble::{Trouble, TroubleKind};

    fn found(name: &str, change: impl Fn(&mut Facts)) -> Finding {
        let number = name.split('-').next().and_then(|number| number.parse().ok()).unwrap();
        let (_, review) = scenario::review(name, number, None, change);
        finding(&review.findings, KEY).clone()
    }

    fn retold(facts: &mut Facts, body: &str) {
        if let Remote::Ready(got) = &mut facts.pull {
            body.clone_into(&mut got.value.body);
        }
    }

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn the_scenarios_claim_what_they_may() {
        use Status::{NotApplicable, Pass, Unavailable, Warn};
        let table = [
            ("2550-claims", Warn, "contradicts +19.46 %, 0.991 and lmsysorg/sglang:v0.5.15-cu130."),
            ("2550-green", Pass, "none is contradicted"),
            ("2550-newest", Pass, "none is contradicted"),
            ("2550-expired", Unavailable, "be weighed. What run 31020193450 measured cannot be read"),
            ("2550-running", Unavailable, "be weighed. Run 31020193450: 8 of 13 jobs that measure are not finished."),
            ("2256", Pass, "none is contradicted"),
            // It kept no result rows, which is a fact: what was configured is weighed all the same.
            ("2206", Pass, "none is contradicted"),
            ("2159", NotApplicable, "Nothing is claimed"),
        ];
        for (name, status, words) in table {
            let found = found(name, |_| {});
            assert!(found.status == status && found.reason.contains(words), "{name}: {:?} {}", found.status, found.reason);
            assert!(found.reason.ends_with('.') && found.notes.iter().all(|note| note.ends_with('.')), "{name}: {found:?}");
        }
        let claims = found("2550-claims", |_| {});
        assert_eq!((claims.confidence, claims.brief.as_str()), (Confidence::Suspect, "3 of 27 claims wrong"));
        assert!(claims.notes[2].starts_with("The description says lmsysorg/sglang:v0.5.15-cu130, but it is "), "{claims:?}");
        assert!(claims.evidence.iter().any(|evidence| evidence.label == "9 result rows of run 31020193450"));
    }

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn a_wrong_unit_warns_and_what_is_unread_contradicts_nothing() {
        let unit = found("2550-green", |facts| retold(facts, "TP2/EP2 reaches 7534.5 tok/s/user at concurrency 16."));
        assert_eq!((unit.status, unit.reason.as_str()), (Status::Warn, "The unit is wrong of 7534.5 tok/s/user."));
        assert!(unit.notes[0].contains("fits another unit: TP2/EP2 c16: 7534.5 tok/s/GPU"), "{unit:?}");
        let wrong = "TP2/EP2 reaches 7900.1 tok/s/GPU at concurrency 16, GSM8K strict 0.991.";
        assert_eq!(found("2550-green", |facts| retold(facts, wrong)).status, Status::Warn);
        let cut = || Trouble::new(TroubleKind::Server, "GitHub answered 502.", "");
        let hurt: [fn(&mut Facts, Trouble); 2] = [
            |facts, why| facts.evals.values_mut().for_each(|evals| evals.absorb(Err(why.clone()), true)),
            |facts, why| {
                if let Some(Remote::Ready(got)) = facts.evals.values_mut().next() {
                    let Listing { completeness, .. } = &mut got.value;
                    *completeness = Completeness::Partial { of: None, why };
                }
            },
        ];
        for (at, hurt) in hurt.iter().enumerate() {
            let found = found("2550-green", |facts| {
                retold(facts, "GSM8K strict 0.991, measured on lmsysorg/sglang:v0.5.14-cu130.");
                hurt(facts, cut());
            });
            assert_eq!(found.status, Status::Unavailable, "{at}: {}", found.reason);
            assert!(found.reason.contains("be weighed."), "{at}: {}", found.reason);
        }
    }

    #[test]
    fn names_are_joined_and_the_rest_is_counted() {
        let table: [(&[&str], &str); 4] = [
            (&["a"], "a"),
            (&["a", "b"], "a and b"),
            (&["a", "b", "c", "d", "e"], "a, b, c, d and e"),
            (&["a", "b", "c", "d", "e", "f", "g"], "a, b, c, d, e and 2 more"),
        ];
        for (words, want) in table {
            assert_eq!(named(words.iter().copied()), want);
        }
    }
}
