//! Rules as data: the policy file, and the findings that its rules make from the facts.
//! Must not know: any repository's names; they stand in `assets/policies/`.

mod evals;
mod file;
mod items;
#[cfg(test)]
pub(crate) mod scenario;
mod sweep;
mod template;

pub use file::{SCHEMA, parse};
pub use items::{item_finding, item_key, normalise};

use super::conclusions::Conclusions;
use super::evals::Judged;
use super::evidence::Evidence;
use super::facts::{DocumentKind, Facts};
use super::ids::{Key, RunId};
use super::sweep::Sweep;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One rule: a pure function of what is known.
pub type Rule = fn(&Context<'_>) -> Finding;

/// The rules, in the order in which findings are shown. The key is the word in the policy file.
pub const RULES: [(&str, Rule); 3] = [("template", template::check), ("sweep", sweep::check), ("evals", evals::check)];

/// What every rule sees.
pub struct Context<'a> {
    pub policy: &'a Policy,
    pub facts: &'a Facts,
    /// Newest first.
    pub sweeps: Vec<Sweep>,
    /// The scores of each, against their bars.
    pub judged: BTreeMap<RunId, Judged>,
}

/// Runs all rules over what is known.
pub fn preflight(policy: &Policy, facts: &Facts) -> Vec<Finding> {
    Conclusions::draw(policy, facts).findings
}

/// Runs all rules, sweeps and scores being read already.
pub fn findings(context: &Context<'_>) -> Vec<Finding> {
    RULES.iter().map(|(_, check)| check(context)).collect()
}

/// What a rule says. Never green unless everything it looked at was whole and read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Pass,
    Fail,
    Warn,
    NotApplicable,
    /// A person must judge: no rule knows.
    NeedsYou,
    /// Something the rule needs is not read, partial or still running.
    Unavailable,
}

/// How a finding was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// Read as stated.
    Exact,
    /// Computed by the repository's own rules from what was read.
    Derived,
    /// A sign, not a proof.
    Suspect,
}

/// What one rule found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The rule's stable word: `sweep`.
    pub key: Key,
    pub title: String,
    pub status: Status,
    pub confidence: Confidence,
    /// A few words for a narrow column: the strongest fact.
    pub brief: String,
    /// One line in the reviewer's terms.
    pub reason: String,
    pub evidence: Vec<Evidence>,
}

impl Finding {
    /// A finding read as stated, without evidence yet.
    fn new(key: &str, title: &str, status: Status, reason: impl Into<String>) -> Finding {
        let reason = reason.into();
        Finding {
            key: Key::from(key),
            title: title.to_owned(),
            status,
            confidence: Confidence::Exact,
            brief: reason.clone(),
            reason,
            evidence: Vec::new(),
        }
    }

    /// Says it in a few words too.
    fn in_brief(mut self, brief: impl Into<String>) -> Finding {
        self.brief = brief.into();
        self
    }

    fn with(mut self, evidence: impl IntoIterator<Item = Evidence>) -> Finding {
        self.evidence.extend(evidence);
        self
    }
}

/// A policy file, validated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Policy {
    pub schema: u32,
    pub name: String,
    /// Ordered path candidates, by kind of document.
    pub documents: BTreeMap<DocumentKind, Vec<String>>,
    pub signoff: SignoffPolicy,
    pub sweep: SweepPolicy,
    pub evals: EvalPolicy,
    pub configs: ConfigPolicy,
    pub items: Vec<ItemPolicy>,
}

/// The comment that is posted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignoffPolicy {
    /// A comment that holds these words is a sign-off, and no other comment may hold them.
    pub trigger: String,
    /// Heading of the section that holds the template, without `#`.
    pub section: String,
    /// Heading inside the template under which details stand, without `#`.
    pub detail: String,
    /// Placeholder that becomes the login.
    pub login_placeholder: String,
    /// Placeholder that becomes the details.
    pub detail_placeholder: String,
    /// A comment that contains one of these is a machine's reminder, never a sign-off.
    pub not_signoffs: Vec<String>,
}

/// The workflow that measures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SweepPolicy {
    /// Workflow files whose runs are sweeps.
    pub workflows: Vec<String>,
    /// Job-name alias → framework: `sgl` → `sglang`.
    pub framework_aliases: BTreeMap<String, String>,
}

impl SweepPolicy {
    /// Whether runs of this workflow file measure. GitHub may add `@ref` to the path.
    pub fn is_sweep(&self, path: &str) -> bool {
        let path = path.split('@').next().unwrap_or(path);
        self.workflows.iter().any(|workflow| workflow == path)
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvalPolicy {
    /// The artifact that holds all rows of a run.
    pub artifact: String,
    /// The bar of a task that the thresholds document does not know.
    pub fallback: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfigPolicy {
    /// Path candidates of the changelog whose new entries name the measured configs.
    pub changelog: Vec<String>,
    /// Path candidates of the master files.
    pub masters: Vec<String>,
}

/// A template item that we know by its words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ItemPolicy {
    pub key: Key,
    /// A few words for narrow columns.
    pub short: String,
    /// The item is this one if its text holds the words of one of these phrases next to each other; `…` in a phrase lets
    /// other words between. Case, punctuation and link targets do not count.
    pub phrases: Vec<String>,
    /// The rules whose findings answer it; none: a person judges.
    #[serde(default)]
    pub rules: Vec<Key>,
    /// What kind of run is linked behind the text.
    #[serde(default)]
    pub link: Option<ItemLink>,
}

/// Which run an item asks to be linked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ItemLink {
    SweepRun,
    EvalRun,
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::core::listing::Listing;
    use crate::core::remote::Remote;
    use crate::core::trouble::{Trouble, TroubleKind};
    use Status::{Fail, Pass, Unavailable};

    pub(crate) const TEXT: &str = include_str!("../../../assets/policies/inferencex.yaml");

    pub(crate) fn policy() -> Policy {
        parse("policy.yaml", TEXT).unwrap()
    }

    /// Scenario, number, what `sweep` and `evals` say, and words of their reasons.
    const SCENARIOS: [(&str, u64, Status, &str, Status, &str); 19] = [
        (
            "2550-green",
            2550,
            Pass,
            "9 of 9 benchmark jobs and 4 of 4 eval jobs are green",
            Pass,
            "All 8 scores of run 31020193450",
        ),
        ("2550-newest", 2550, Pass, "4 of 4 eval jobs", Pass, "against 0.94"),
        ("2550-claims", 2550, Pass, "4 of 4 eval jobs", Pass, ""),
        ("2550-siblings", 2550, Pass, "4 of 4 eval jobs", Pass, ""),
        ("2550-noreuse", 2550, Pass, "4 of 4 eval jobs", Pass, ""),
        ("2550-outsider", 2550, Pass, "4 of 4 eval jobs", Pass, ""),
        ("2550-rebased", 2550, Fail, "has left the pull request", Fail, "has left the pull request"),
        ("2550-noevals", 2550, Fail, "executed no eval lane", Fail, "executed no eval lane"),
        ("2550-lowscore", 2550, Pass, "4 of 4 eval jobs", Fail, "0.931 against 0.94"),
        (
            "2550-running",
            2550,
            Unavailable,
            "8 of 13 jobs that measure are not finished",
            Unavailable,
            "2 of 4 eval jobs are not finished",
        ),
        (
            "2550-failed",
            2550,
            Fail,
            "of 9 benchmark jobs 1 failed, 4 cancelled; of 4 eval jobs 4 cancelled",
            Fail,
            "4 were cancelled",
        ),
        ("2550-rerun", 2550, Pass, "2 jobs after a further attempt", Pass, ""),
        ("2550-expired", 2550, Pass, "", Unavailable, "has expired"),
        ("2313", 2313, Pass, "10 of 10 benchmark jobs and 2 of 2 eval jobs", Pass, ""),
        ("2256", 2256, Pass, "15 of 15 benchmark jobs", Pass, ""),
        ("2349", 2349, Pass, "14 of 14 benchmark jobs", Pass, ""),
        ("2492", 2492, Pass, "18 of 18 benchmark jobs", Pass, ""),
        ("2206", 2206, Pass, "9 of 9 benchmark jobs and 9 of 9 eval jobs", Pass, ""),
        ("2610", 2610, Pass, "8 of 8 benchmark jobs and 1 of 1 eval job", Pass, ""),
    ];

    fn finding<'a>(findings: &'a [Finding], key: &str) -> &'a Finding {
        findings.iter().find(|finding| finding.key.as_str() == key).unwrap()
    }

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn the_scenarios_are_judged_as_they_are() {
        for (name, number, sweep, sweep_reason, evals, evals_reason) in SCENARIOS {
            let findings = preflight(&policy(), &scenario::load(name, number));
            assert_eq!(findings.iter().map(|f| f.key.as_str()).collect::<Vec<_>>(), ["template", "sweep", "evals"]);
            assert_eq!(finding(&findings, "template").status, Pass, "{name}");
            let found = finding(&findings, "sweep");
            assert_eq!(found.status, sweep, "{name}: {}", found.reason);
            assert!(found.reason.contains(sweep_reason), "{name}: {}", found.reason);
            assert!(found.reason.ends_with('.') && !found.evidence.is_empty(), "{name}: {}", found.reason);
            // Scores come out of zip files; what needs none is judged without.
            if cfg!(feature = "github")
                || !matches!(evals_reason, "" | "All 8 scores of run 31020193450" | "against 0.94" | "0.931 against 0.94")
            {
                let found = finding(&findings, "evals");
                assert_eq!(found.status, evals, "{name}: {}", found.reason);
                assert!(found.reason.contains(evals_reason), "{name}: {}", found.reason);
                assert!(found.reason.ends_with('.') && !found.evidence.is_empty(), "{name}: {}", found.reason);
            }
        }
    }

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn a_green_run_that_executed_nothing_is_no_validation() {
        let findings = preflight(&policy(), &scenario::load("2159", 2159));
        for key in ["sweep", "evals"] {
            let found = finding(&findings, key);
            assert_eq!(found.status, Fail);
            assert!(found.reason.contains("executed nothing: every benchmark and eval lane was skipped"), "{}", found.reason);
        }
    }

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn what_is_not_whole_is_never_green() {
        type Hurt = fn(&mut Facts);
        let hurt: [(&str, Hurt); 12] = [
            ("runs loading", |facts| facts.runs.start()),
            ("runs failed", |facts| facts.runs = Remote::Failed { trouble: server(), last: facts.runs.settled().cloned() }),
            ("runs partial", |facts| cut(&mut facts.runs)),
            ("jobs loading", |facts| facts.jobs.values_mut().for_each(Remote::start)),
            ("jobs failed", |facts| facts.jobs.values_mut().for_each(|jobs| jobs.absorb(Err(server()), true))),
            ("jobs partial", |facts| facts.jobs.values_mut().for_each(cut)),
            ("jobs unasked", |facts| facts.jobs.clear()),
            ("thresholds gone", |facts| drop(facts.documents.remove(&DocumentKind::Thresholds))),
            ("thresholds loading", |facts| facts.documents.values_mut().for_each(Remote::start)),
            ("evals loading", |facts| facts.evals.values_mut().for_each(Remote::start)),
            ("evals partial", |facts| facts.evals.values_mut().for_each(cut)),
            ("evals unasked", |facts| facts.evals.clear()),
        ];
        for (name, hurt) in hurt {
            let mut facts = scenario::load("2550-green", 2550);
            hurt(&mut facts);
            let findings = preflight(&policy(), &facts);
            assert_eq!(finding(&findings, "evals").status, Unavailable, "{name}");
            let touches_sweep = name.starts_with("runs") || name.starts_with("jobs");
            let want = if touches_sweep { Unavailable } else { Pass };
            let found = finding(&findings, "sweep");
            assert_eq!(found.status, want, "{name}: {}", found.reason);
        }
        let empty = Facts::new("https://github.com", scenario::load("2550-green", 2550).repo, crate::core::ids::PullNumber(1));
        assert!(preflight(&policy(), &empty).iter().all(|found| found.status == Unavailable));
    }

    fn server() -> Trouble {
        Trouble::new(TroubleKind::Server, "GitHub answered 502.", "Try again.")
    }

    /// The last item did not come.
    fn cut<T>(list: &mut Remote<Listing<T>>) {
        if let Remote::Ready(got) = list {
            let of = got.value.items.len();
            got.value.items.pop();
            got.value.completeness = crate::core::listing::Completeness::Partial { of: Some(of), why: server() };
        }
    }
}
