//! Rule `pareto`: every curve that the changed configs stand on has enough points on its frontier.
//! Must not know: how a frontier is drawn, how rows are read.

mod curves;

pub use curves::{Curve, CurvePoint, Verdict, curves};

use super::read::{is_absent, several, unavailable};
use super::sweep::{capital, cited, jobs, measured};
use super::{Context, Finding, Status, checks, read};
use crate::core::configs::{AxesFrom, resolve};
use crate::core::evidence::Evidence;
use crate::core::plan::Read;
use crate::core::results::curves::keys as curves_of;
use crate::core::results::{CurveKey, Grouping, Statistic};
use crate::core::sweep::Sweep;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

const KEY: &str = "pareto";

/// Parameters of the rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParetoPolicy {
    /// A frontier with fewer points warns.
    pub minimum: usize,
    /// What to do then: a sentence.
    pub below: String,
    /// Statistics of the end-to-end latency, a curve each.
    pub fixed: Vec<Statistic>,
    pub agentic: Vec<Statistic>,
    /// What a runner's name may begin with and its hardware does not: `cluster:`.
    pub runner_prefix: String,
    /// What ends the hardware key of speculative rows of fixed lengths: `_mtp`.
    pub speculative_suffix: String,
    /// An agentic point counts only if it also stands on the frontier of normalised interactivity, where rows tell that.
    pub canonical: bool,
}

impl ParetoPolicy {
    /// What of it says how rows become curves.
    pub fn grouping(&self) -> Grouping<'_> {
        Grouping {
            fixed: &self.fixed,
            agentic: &self.agentic,
            runner_prefix: &self.runner_prefix,
            speculative_suffix: &self.speculative_suffix,
            canonical: self.canonical,
        }
    }

    /// What a policy file may not say, a sentence each.
    pub fn problems(&self) -> Vec<String> {
        let mut out = Vec::new();
        if self.minimum == 0 {
            out.push("`rules.pareto.minimum` is 0, so that a curve without a point would pass".to_owned());
        }
        for (name, list) in [("fixed", &self.fixed), ("agentic", &self.agentic)] {
            if list.is_empty() {
                out.push(format!("`rules.pareto.{name}` names no statistic, so that no curve would be drawn"));
            }
        }
        out
    }
}

/// The points of the run that a sign-off cites, where the check is one that the bot has.
pub(super) fn needs(context: &Context<'_>, reads: &mut Vec<Read>) {
    let check = context.policy.checks.iter().find(|check| check.key.as_str() == KEY);
    let keys = &context.conclusions.keys;
    if check.is_some_and(|check| checks::is_asked(context, check)) && !(keys.named().is_empty() && keys.masters.is_empty()) {
        reads.extend(read::points_of_cited(context));
    }
}

pub(super) fn check(context: &Context<'_>) -> Finding {
    judge(context).unwrap_or_else(|why| unavailable(KEY, why))
}

fn judge(context: &Context<'_>) -> Result<Finding, String> {
    let policy = context.policy.rules.pareto.as_ref().ok_or("The policy does not say how curves are counted.")?;
    let keys = &context.conclusions.keys;
    if !keys.complete {
        return Err(keys.gaps().into_iter().next().unwrap_or_else(|| "The changed config files are not read yet.".to_owned()));
    }
    if keys.named().is_empty() && keys.masters.is_empty() {
        let reason = "No config is changed or named, so no curve is affected.";
        return Ok(Finding::new(KEY, "", Status::NotApplicable, reason).in_brief("no curve affected"));
    }
    // Without a run, or without what it measured, nothing can be counted, which is a fact and no failure to read.
    let uncounted = |why: &str| {
        let reason = format!("No curve can be counted: {why} {}", policy.below);
        Finding::new(KEY, "", Status::Warn, reason).in_brief("nothing to count")
    };
    let sweep = match cited(context).and_then(|sweep| ended(sweep).map(|()| sweep)) {
        Ok(sweep) => sweep,
        Err(stop) if stop.status == Status::Unavailable => return Err(stop.reason),
        Err(stop) => return Ok(uncounted(&stop.reason).with(stop.about.iter().flat_map(Sweep::evidence))),
    };
    let label = capital(&sweep.label());
    let remote = context.facts.results.get(&sweep.run.id);
    if is_absent(remote) {
        let why = format!("{} kept no result rows.", sweep.label());
        return Ok(uncounted(&why).with(sweep.evidence()));
    }
    let got = read::whole_if_any(remote, &format!("What {} measured", sweep.label()))?;
    let rows = &got.value.items;
    let green = sweep.counts.benchmark.green;
    if rows.len() < green {
        return Err(format!("{label} has {green} green benchmark {}, but rows of {} points only.", jobs(green), rows.len()));
    }
    let affected: BTreeSet<CurveKey> = rows
        .iter()
        .filter(|row| !resolve(&row.axes, AxesFrom::EvalRow, keys).candidates.is_empty())
        .flat_map(|row| curves_of(row, policy.grouping()))
        .collect();
    let drawn: Vec<Curve> = curves(rows, policy).into_iter().filter(|curve| affected.contains(&curve.key)).collect();
    let link = Some(sweep.run.url.clone()).filter(|url| !url.is_empty());
    let measured =
        Evidence::new("results", format!("{} result rows of {}", rows.len(), sweep.label()), link, got.source.clone());
    let evidence = sweep.evidence().into_iter().chain([measured]);
    let Some(least) = drawn.iter().map(|curve| curve.kept.len()).min() else {
        let reason = format!("{label} measured no point of a changed config, so no curve is affected.");
        return Ok(Finding::new(KEY, "", Status::NotApplicable, reason).in_brief("no curve affected").with(evidence));
    };
    let low: Vec<String> = drawn.iter().filter(|curve| curve.verdict == Verdict::Warn).map(told).collect();
    let brief = match drawn.as_slice() {
        [one] => format!("{} on the frontier", points(one.kept.len())),
        all => format!("{} curves, least {}", all.len(), points(least)),
    };
    let (status, reason) = if low.is_empty() {
        let all =
            if let [one] = drawn.as_slice() { told(one) } else { format!("Each of {} curves has enough points", drawn.len()) };
        (Status::Pass, format!("{all}; {} are wanted.", policy.minimum))
    } else {
        let few = format!("{} of {} curves: {}", low.len(), drawn.len(), several(&low));
        (Status::Warn, format!("{few}; {} are wanted. {}", policy.minimum, policy.below))
    };
    let each = drawn.iter().map(|curve| format!("{}.", told(curve))).filter(|_| drawn.len() > 1);
    Ok(Finding::new(KEY, "", status, reason).in_brief(brief).derived().with(evidence).note(each))
}

/// A run that goes on may bring more points.
fn ended(sweep: &Sweep) -> Result<(), super::sweep::Stop> {
    match measured(sweep) {
        Err(stop) if stop.status == Status::Unavailable => Err(stop),
        _ => Ok(()),
    }
}

/// `qwen3.5 8192/1024 b200_sglang_mtp fp4, median: 5 of 9 points on the frontier, 1 cannot be drawn`.
fn told(curve: &Curve) -> String {
    let lost = match curve.invalid.len() {
        0 => String::new(),
        count => format!(", {count} cannot be drawn"),
    };
    format!("{}: {} of {} on the frontier{lost}", curve.key, curve.kept.len(), points(curve.points))
}

fn points(count: usize) -> String {
    format!("{count} point{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
#[cfg(feature = "github")] // points lie in zip files
mod tests {
    use super::super::scenario;
    use super::super::tests::finding;
    use super::*;
    use crate::core::facts::Facts;
    use crate::core::listing::Listing;
    use crate::core::remote::Remote;
    use crate::core::results::{Measure, ResultRow};
    use crate::core::review::Review;
    use crate::core::sample::server_error;
    use crate::core::session::Draft;
    use crate::core::trouble::{Trouble, TroubleKind};

    /// The newest rules, everything read, then changed.
    fn judged(change: impl Fn(&mut Facts)) -> Finding {
        let (mut facts, _) = scenario::review("2550-newest", 2550, None, |_| {});
        change(&mut facts);
        let draft = Draft::new("h", facts.repo.clone(), facts.number);
        let review = Review::draw(&super::super::tests::policy(), &facts, &draft, None);
        finding(&review.findings, KEY).clone()
    }

    fn with_rows(facts: &mut Facts, change: impl Fn(&mut Vec<ResultRow>)) {
        let Some(got) = facts.results.values_mut().next().and_then(|remote| match remote {
            Remote::Ready(got) => Some(got),
            _ => None,
        }) else {
            panic!("no results");
        };
        change(&mut got.value.items);
    }

    /// The longer it takes, the less it delivers.
    fn slow(row: &mut ResultRow) {
        row.throughput.total = row.reading(Measure::E2el, Statistic::Median).map(|latency| 1.0 / latency);
    }

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn each_affected_curve_is_counted() {
        use Status::{NotApplicable, Pass, Unavailable, Warn};
        type Hurt = fn(&mut Facts);
        let table: [(&str, Hurt, Status, &str); 9] = [
            (
                "as it is",
                |_| {},
                Pass,
                "qwen3.5 8192/1024 b200_sglang_mtp fp4, median: 5 of 9 points on the frontier; 5 are wanted.",
            ),
            (
                "the first beats all others",
                |facts| with_rows(facts, |rows| rows.iter_mut().for_each(slow)),
                Warn,
                "median: 1 of 9 points on the frontier; 5 are wanted. Tag a core maintainer",
            ),
            ("a point without latency", |facts| with_rows(facts, |rows| rows[0].readings.clear()), Warn, "1 cannot be drawn"),
            (
                "another config's rows",
                |facts| with_rows(facts, |rows| rows.iter_mut().for_each(|row| row.axes.precision = "fp8".into())),
                NotApplicable,
                "no point of a changed config",
            ),
            (
                "fewer rows than jobs",
                |facts| with_rows(facts, |rows| rows.truncate(8)),
                Unavailable,
                "9 green benchmark jobs, but rows of 8 points only",
            ),
            (
                "cut",
                |facts| {
                    facts.results.values_mut().for_each(|remote| {
                        if let Remote::Ready(got) = remote {
                            got.value = Listing::partial(std::mem::take(&mut got.value.items), None, server_error());
                        }
                    });
                },
                Unavailable,
                "was not read whole",
            ),
            ("unasked", |facts| facts.results.clear(), Unavailable, "is not read yet"),
            (
                "gone",
                |facts| {
                    let gone = || Trouble::new(TroubleKind::Gone, "The artifact has expired.", "");
                    facts.results.values_mut().for_each(|remote| remote.absorb(Err(gone()), true));
                },
                Unavailable,
                "has expired",
            ),
            (
                "none kept",
                |facts| {
                    let none = || Trouble::new(TroubleKind::NotFound, "There is no artifact.", "");
                    facts.results.values_mut().for_each(|remote| remote.absorb(Err(none()), true));
                },
                Warn,
                "kept no result rows. Tag a core maintainer",
            ),
        ];
        for (name, hurt, status, words) in table {
            let found = judged(hurt);
            assert!(found.status == status && found.reason.contains(words), "{name}: {:?} {}", found.status, found.reason);
        }
    }

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn points_are_read_where_somebody_asks_for_them_and_only_of_the_cited_run() {
        let asked = |name: &str, words: &str| {
            let (facts, _) = scenario::review(name, 2550, None, |facts| {
                if let Remote::Ready(got) = &mut facts.pull {
                    words.clone_into(&mut got.value.body);
                }
            });
            facts.results.len()
        };
        assert_eq!(asked("2550-newest", ""), 1, "the bot counts curves");
        assert_eq!(asked("2550-green", "7534.5 tok/s/GPU at concurrency 16"), 1, "something is claimed");
        assert_eq!(asked("2550-running", "7534.5 tok/s/GPU at concurrency 16"), 0, "the run goes on");
    }
}
