//! Rules as data: the policy file, and the findings that its rules make from the facts.
//! Must not know: any repository's names; they stand in `assets/policies/`.

mod append_only;
mod changelog;
mod chat_template;
pub mod checks;
mod codeowner;
#[cfg(test)]
mod corpus;
mod deprecated;
mod description;
mod draft;
mod evals;
mod file;
mod golden_al;
mod hacks;
pub mod history;
mod images;
mod items;
pub mod launches;
mod merge;
mod overlay;
pub mod pareto;
mod patches;
mod pattern;
mod read;
pub(crate) mod recipe;
pub(crate) mod reuse;
#[cfg(test)]
pub(crate) mod scenario;
mod siblings;
mod sweep;
mod template;

pub use checks::{CheckPolicy, EraPolicy, Overall, Stated, Verifier, changed, findings, overall, stated};
pub use file::{SCHEMA, parse};
pub(crate) use items::holds;
pub use items::{item_finding, item_key, normalise};
pub use overlay::{Source, parse_over};
pub use pattern::Pattern;
pub(crate) use reuse::commands as reuse_commands;
pub(crate) use sweep::ways_back;

use super::checklist::Template;
use super::conclusions::Conclusions;
use super::configs::EvalEra;
use super::configs::jobs::Load;
use super::errand::ErrandPolicy;
use super::evidence::Evidence;
use super::facts::{DocumentKind, Facts};
use super::ids::{Key, Login};
use super::launch::LaunchPolicy;
use super::models::ModelPolicy;
use super::plan::Read;
use super::review::Review;
use super::session::Draft;
use super::time::Day;
use super::verdict::VerdictPolicy;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One rule: what it wants to be read, and a pure function of what is known.
pub struct Rule {
    /// The word in the policy file.
    pub key: &'static str,
    pub check: fn(&Context<'_>) -> Finding,
    /// Reads besides those of every opening; the plan drops what was asked for already.
    pub needs: fn(&Context<'_>, &mut Vec<Read>),
}

/// The rules of this version.
#[rustfmt::skip] // a table: one row per rule
pub static RULES: &[Rule] = &[
    Rule { key: "codeowner",     check: codeowner::check,   needs: codeowner::needs },
    Rule { key: "sweep",         check: sweep::check,       needs: sweep::needs },
    Rule { key: "evals",         check: evals::check,       needs: evals::needs },
    Rule { key: "recipe",        check: recipe::check,      needs: recipe::needs },
    Rule { key: "reuse",         check: reuse::check,       needs: nothing },
    Rule { key: "template",      check: template::check,    needs: nothing },
    Rule { key: "images",        check: images::check,      needs: images::needs },
    Rule { key: "deprecated",    check: deprecated::check,  needs: nothing },
    Rule { key: "hacks",         check: hacks::check, needs: hacks::needs },
    Rule { key: "chat_template", check: chat_template::check, needs: chat_template::needs },
    Rule { key: "patches",       check: patches::check, needs: patches::needs },
    Rule { key: "golden_al",     check: golden_al::check, needs: golden_al::needs },
    Rule { key: "draft",         check: draft::check, needs: draft::needs },
    Rule { key: "pareto",        check: pareto::check,      needs: pareto::needs },
    Rule { key: "siblings",      check: siblings::check, needs: siblings::needs },
    Rule { key: "append_only",   check: append_only::check, needs: nothing },
    Rule { key: "description",   check: description::check, needs: description::needs },
    Rule { key: "changelog",     check: changelog::check,   needs: nothing },
    Rule { key: "merge",         check: merge::check,       needs: nothing },
];

fn nothing(_: &Context<'_>, _: &mut Vec<Read>) {}

/// What every rule sees.
pub struct Context<'a> {
    pub policy: &'a Policy,
    pub facts: &'a Facts,
    pub conclusions: &'a Conclusions,
    /// Which checks the bot has.
    pub verifier: Verifier,
    /// The name of the era whose severities and applicability count.
    pub era: &'a str,
    /// Today's template, once it is read.
    pub template: Option<&'a Template>,
    /// The sign-off as it would be posted; `None` while there is no template to make it from.
    pub text: Option<&'a str>,
    /// It was handed in, or is about to be posted: what is open now stays open.
    pub finished: bool,
    /// What of its details a person says; `None`: all of it.
    pub said: Option<&'a str>,
}

impl<'a> Context<'a> {
    pub fn new(
        policy: &'a Policy,
        facts: &'a Facts,
        conclusions: &'a Conclusions,
        template: Option<&'a Template>,
        text: Option<&'a str>,
        finished: bool,
    ) -> Context<'a> {
        let verifier = Verifier::of(policy, facts, &conclusions.documents);
        let era = checks::era(policy, &verifier, facts.day);
        Context { policy, facts, conclusions, verifier, era, template, text, finished, said: None }
    }

    /// The details are drafted but for these words.
    pub fn saying(self, said: Option<&'a str>) -> Context<'a> {
        Context { said, ..self }
    }

    /// What may excuse something: words of a person's. What was drafted is no reason for anything.
    pub fn excuses(&self) -> Option<&'a str> {
        self.said.or_else(|| self.details())
    }

    /// Who signs.
    pub fn signer(&self) -> Option<&'a Login> {
        self.facts.signer()
    }

    /// The UTC day on which the bot will read it.
    pub fn day(&self) -> Option<Day> {
        self.facts.day
    }

    /// The detail section of the sign-off: what follows its heading.
    pub fn details(&self) -> Option<&'a str> {
        let text = self.text?;
        let heading = normalise(&self.policy.signoff.detail);
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            at += line.len();
            if line.starts_with('#') && normalise(line) == heading {
                return Some(&text[at..]);
            }
        }
        None
    }
}

/// What the rules want to be read, besides what every opening reads.
pub fn needs(context: &Context<'_>) -> Vec<Read> {
    let mut out = Vec::new();
    let in_force = |rule: &&Rule| context.policy.checks.iter().any(|check| check.key.as_str() == rule.key);
    RULES.iter().filter(in_force).for_each(|rule| (rule.needs)(context, &mut out));
    out
}

/// What the bot will answer to this draft: one finding per check. Pure; it runs again on every change.
pub fn preflight(policy: &Policy, facts: &Facts, draft: &Draft) -> Vec<Finding> {
    Review::draw(policy, facts, draft, None).findings
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
    /// What else is worth a line each: ways back, remarks, suspects.
    #[serde(default)]
    pub notes: Vec<String>,
    /// The bot's number for it today.
    #[serde(default)]
    pub number: Option<u32>,
    pub evidence: Vec<Evidence>,
    /// What it says to the items that it answers, where that is not all of it: what is true of one item does not wait for
    /// the others.
    #[serde(skip)]
    pub for_items: Option<Box<Finding>>,
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
            notes: Vec::new(),
            number: None,
            evidence: Vec::new(),
            for_items: None,
        }
    }

    /// Says this to the items that it answers.
    fn for_items(mut self, own: Finding) -> Finding {
        self.for_items = Some(Box::new(own));
        self
    }

    /// A sign, not a proof.
    fn suspect(mut self) -> Finding {
        self.confidence = Confidence::Suspect;
        self
    }

    /// Computed from what was read.
    fn derived(mut self) -> Finding {
        self.confidence = Confidence::Derived;
        self
    }

    /// Says this as well.
    fn note(mut self, notes: impl IntoIterator<Item = String>) -> Finding {
        self.notes.extend(notes);
        self
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
    /// The template's committed versions.
    #[serde(default)]
    pub history: history::HistoryPolicy,
    /// How the bot words its answer; `None`: there is no bot.
    pub verdicts: Option<VerdictPolicy>,
    pub sweep: SweepPolicy,
    pub evals: EvalPolicy,
    /// Where measured points lie; `None`: nobody keeps any.
    pub results: Option<ResultPolicy>,
    pub configs: ConfigPolicy,
    /// Oldest first.
    #[serde(default)]
    pub eras: Vec<EraPolicy>,
    /// The bot's checks in its newest order, then the program's own.
    pub checks: Vec<CheckPolicy>,
    pub rules: RulePolicies,
    /// How launch scripts and recipes are read; `None`: there are none.
    pub launch: Option<LaunchPolicy>,
    pub launch_rules: Option<launches::LaunchRules>,
    pub items: Vec<ItemPolicy>,
    /// How the page about models is read; `None`: there is none.
    pub models: Option<ModelPolicy>,
    /// What may be written besides the sign-off.
    #[serde(default)]
    pub errands: ErrandPolicy,
}

/// Parameters of the rules, each under the rule's key. A rule whose parameters are missing says so.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RulePolicies {
    pub codeowner: codeowner::CodeownerPolicy,
    pub recipe: recipe::RecipePolicy,
    pub reuse: reuse::ReusePolicy,
    pub images: images::ImagePolicy,
    pub merge: merge::MergePolicy,
    pub pareto: Option<pareto::ParetoPolicy>,
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
    /// Eras in which one sign-off may stand on a pull request, whoever wrote it.
    #[serde(default)]
    pub only_one_in: Vec<String>,
    /// Messages to copy call people with `@`, which notifies them; else their names are code.
    #[serde(default)]
    pub mentions: bool,
}

/// The workflow that measures.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SweepPolicy {
    /// Workflow files whose runs are sweeps.
    pub workflows: Vec<String>,
    /// Job-name alias → framework: `sgl` → `sglang`.
    pub framework_aliases: BTreeMap<String, String>,
    /// Labels under which a run measures less than all: it is no evidence.
    #[serde(default)]
    pub trials: Vec<String>,
    /// Labels under which one failure cancels the lanes beside it.
    #[serde(default)]
    pub fail_fast: Vec<String>,
    /// Phrases of the details that admit a lost lane.
    #[serde(default)]
    pub disclosed: Vec<String>,
}

impl SweepPolicy {
    /// Whether runs of this workflow file measure. GitHub may add `@ref` to the path.
    pub fn is_sweep(&self, path: &str) -> bool {
        let path = path.split('@').next().unwrap_or(path);
        self.workflows.iter().any(|workflow| workflow == path)
    }
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvalPolicy {
    /// The artifact that holds all rows of a run.
    pub artifact: String,
    /// The bar of a task that the thresholds document does not know.
    pub fallback: f64,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResultPolicy {
    /// The artifact that holds all rows of a run.
    pub artifact: String,
    /// Where a run has none: how the names of artifacts begin that hold one row each.
    #[serde(default)]
    pub parts: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfigPolicy {
    /// Path candidates of the changelog whose new entries name the measured configs.
    pub changelog: Vec<String>,
    /// Path candidates of each master file, by a name for it.
    pub masters: BTreeMap<String, Vec<String>>,
    /// Lanes that stay empty from a day on, by their lengths: `1k1k`.
    pub retired_lanes: BTreeMap<String, chrono::NaiveDate>,
    /// What a changelog entry may hold instead of its pull request's address.
    pub link_placeholders: Vec<String>,
    /// Which points are evaluated, oldest rules first.
    pub eval_eras: Vec<EvalEra>,
}

impl ConfigPolicy {
    /// Whether a path is one of the changelog's or the master files' in any layout.
    pub fn is_config(&self, path: &str) -> bool {
        self.changelog.iter().any(|known| known == path) || self.is_master(path)
    }

    pub fn is_master(&self, path: &str) -> bool {
        self.masters.values().flatten().any(|known| known == path)
    }

    /// The rules of a day by which evals are selected.
    pub fn eval_era(&self, day: chrono::NaiveDate) -> Option<&EvalEra> {
        self.eval_eras.iter().rev().find(|era| era.since.is_none_or(|since| since <= day))
    }

    /// Whether jobs of such a load are no longer run on a day.
    pub fn is_retired(&self, load: Load, day: chrono::NaiveDate) -> bool {
        self.retired_lanes.get(&load.render()).is_some_and(|since| *since <= day)
    }
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
    use std::sync::LazyLock;

    pub(crate) const TEXT: &str = include_str!("../../../assets/policies/inferencex.yaml");

    /// Read once for all tests of a process; each has its own copy to change.
    pub(crate) fn policy() -> Policy {
        static POLICY: LazyLock<Policy> = LazyLock::new(|| parse("policy.yaml", TEXT).unwrap());
        POLICY.clone()
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

    fn judged(facts: &Facts) -> Vec<Finding> {
        preflight(&policy(), facts, &Draft::new("h", facts.repo.clone(), facts.number))
    }

    pub(super) fn finding<'a>(findings: &'a [Finding], key: &str) -> &'a Finding {
        findings.iter().find(|finding| finding.key.as_str() == key).unwrap()
    }

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn the_scenarios_are_judged_as_they_are() {
        for (name, number, sweep, sweep_reason, evals, evals_reason) in SCENARIOS {
            let findings = judged(&scenario::load(name, number));
            assert_ne!(finding(&findings, "template").status, Fail, "{name}");
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
        let findings = judged(&scenario::load("2159", 2159));
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
            let findings = judged(&facts);
            assert_eq!(finding(&findings, "evals").status, Unavailable, "{name}");
            let touches_sweep = name.starts_with("runs") || name.starts_with("jobs");
            let want = if touches_sweep { Unavailable } else { Pass };
            let found = finding(&findings, "sweep");
            assert_eq!(found.status, want, "{name}: {}", found.reason);
        }
        let empty = Facts::new("https://github.com", scenario::load("2550-green", 2550).repo, crate::core::ids::PullNumber(1));
        for key in ["template", "sweep", "evals"] {
            assert_eq!(finding(&judged(&empty), key).status, Unavailable, "{key}");
        }
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
