//! The details, drafted from evidence: one paragraph per topic that applies. Each number and link is tied to where it was
//! read.
//! Must not know: the template, the screen, what the reviewer makes of a paragraph.
//!
//! A rule reads the details as well, and may take what they speak of for an excuse or a link. So nothing here names what
//! only the reviewer may bring in: that is a gap.

mod evals;
mod launch;
mod pins;
mod recipe;
mod results;
mod rules;
mod scope;
mod series;
mod unticked;
mod validation;

#[cfg(test)]
mod tests;

pub(super) use pins::{Objections, objections};
pub(super) use unticked::{begins_reason, one_line};

use super::compose::{Ingredients, ItemState};
use super::rendered::Rendered;
use crate::core::evidence::{Evidence, Source};
use crate::core::facts::{Facts, Side};
use crate::core::ids::{Key, RunId};
use crate::core::listing::Listing;
use crate::core::markdown::gate;
use crate::core::points::Points;
use crate::core::policy::{Finding, Status};
use crate::core::remote::Remote;
use crate::core::sweep::Sweep;
use std::borrow::Cow;

/// One topic: `- **Label**: sentences.`
#[derive(Debug, Clone, PartialEq)]
pub struct Paragraph {
    /// A stable word: `validation`.
    pub topic: Key,
    pub label: &'static str,
    pub rendered: Rendered,
}

/// The topics in their order, with their labels.
#[rustfmt::skip] // a table: one row per topic
const TOPICS: [(&str, &str); 17] = [
    ("scope",         "Scope"),
    ("validation",    "Validation"),
    ("evals",         "Evals"),
    ("image",         "Image"),
    ("speculative",   "Speculative decoding"),
    ("axes",          "Changed axes"),
    ("models",        "Models"),
    ("recipe",        "Recipe"),
    ("patches",       "Patches"),
    ("architecture",  "Architecture"),
    ("golden",        "Golden acceptance"),
    ("draft",         "Draft model"),
    ("results",       "Results"),
    ("append_only",   "Append-only"),
    ("pareto",        "Pareto"),
    ("pins",          "Pinned evidence"),
    ("unticked",      "Not ticked"),
];

/// The paragraphs that follow from facts, conclusions and findings alone: the same until one of these changes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Drafted {
    pub paragraphs: Vec<Paragraph>,
    /// What they cannot say, because it was not read or not whole.
    pub gaps: Vec<String>,
}

impl Drafted {
    pub fn draw(made_of: &Ingredients<'_>) -> Drafted {
        let mut gaps = Vec::new();
        let paragraphs = drafted(made_of, &mut gaps);
        Drafted { paragraphs, gaps }
    }
}

/// All paragraphs. Whatever they cannot say, because it was not read or not whole, is added to `gaps`.
pub fn draft(made_of: &Ingredients<'_>, items: &[ItemState], gaps: &mut Vec<String>) -> Vec<Paragraph> {
    let drafted = match made_of.drafted {
        Some(drafted) => {
            gaps.extend(drafted.gaps.iter().cloned());
            drafted.paragraphs.clone()
        }
        None => drafted(made_of, gaps),
    };
    finish(made_of, items, drafted, gaps)
}

fn drafted(made_of: &Ingredients<'_>, gaps: &mut Vec<String>) -> Vec<Paragraph> {
    let points = Points::draw(made_of.policy, made_of.facts, made_of.conclusions);
    let drafting = Drafting { made_of: *made_of, points: &points };
    let mut out = vec![
        paragraph("scope", scope::scope(&drafting, gaps)),
        paragraph("validation", validation::validation(&drafting, gaps)),
        paragraph("evals", evals::evals(&drafting, gaps)),
    ];
    // Without them no rule knows what changes, and the scope says so.
    if made_of.facts.files.settled().is_some() && made_of.conclusions.keys.doubt().is_none() {
        type Topic = fn(&Drafting<'_>, &mut Vec<String>) -> Option<Rendered>;
        let topics: [(&str, Topic); 11] = [
            ("image", rules::image),
            ("speculative", launch::speculative),
            ("axes", launch::axes),
            ("models", rules::models),
            ("patches", rules::patches),
            ("architecture", rules::architecture),
            ("golden", rules::golden),
            ("draft", rules::draft_model),
            ("results", results::results),
            ("append_only", rules::append_only),
            ("pareto", rules::pareto),
        ];
        out.extend(topics.iter().filter_map(|(topic, say)| Some(paragraph(topic, say(&drafting, gaps)?))));
    }
    out
}

/// Adds what follows from the draft: the recipe that it links, what was pinned, and why items are not ticked.
pub fn finish(
    made_of: &Ingredients<'_>,
    items: &[ItemState],
    mut drafted: Vec<Paragraph>,
    gaps: &mut Vec<String>,
) -> Vec<Paragraph> {
    if let Some(recipe) = recipe::recipe(made_of, gaps) {
        let place = |topic: &Key| TOPICS.iter().position(|(word, _)| *word == topic.as_str());
        let own = paragraph("recipe", recipe);
        let at = drafted.partition_point(|other| place(&other.topic) < place(&own.topic));
        drafted.insert(at, own);
    }
    drafted.extend(pins::pins(made_of, gaps).map(|told| paragraph("pins", told)));
    drafted.extend(unticked::unticked(made_of, items, gaps).map(|told| paragraph("unticked", told)));
    drafted
}

/// Whether a topic is what the reviewer pinned.
pub fn is_pins(topic: &Key) -> bool {
    topic.as_str() == "pins"
}

/// Whether a topic is the reasons of items that are not ticked.
pub fn is_reasons(topic: &Key) -> bool {
    topic.as_str() == "unticked"
}

fn paragraph(topic: &str, told: Rendered) -> Paragraph {
    let label = TOPICS.iter().find(|(word, _)| *word == topic).map_or("", |(_, label)| *label);
    // A list stands below.
    let space = if told.text.starts_with('\n') { "" } else { " " };
    let mut rendered = Rendered::plain(format!("- **{label}**:{space}"));
    rendered.append(&told).trim_end();
    Paragraph { topic: Key::from(topic), label, rendered }
}

/// What paragraphs are made of. The points are drawn once.
struct Drafting<'a> {
    made_of: Ingredients<'a>,
    points: &'a Points,
}

impl<'a> Drafting<'a> {
    fn facts(&self) -> &'a Facts {
        self.made_of.facts
    }

    /// Strangers' text as a code span.
    fn code(&self, text: &str) -> String {
        gate::code(&unlinked(text), &self.made_of.policy.signoff.trigger)
    }

    /// Strangers' text as prose.
    fn prose(&self, text: &str) -> String {
        gate::inline(&unlinked(text), &self.made_of.policy.signoff.trigger)
    }

    fn finding(&self, key: &str) -> Option<&'a Finding> {
        self.made_of.findings.iter().find(|finding| finding.key.as_str() == key)
    }

    /// What a rule found, where it applies; what it could not read is a gap, and said.
    fn read(&self, key: &str, gaps: &mut Vec<String>) -> Option<Result<&'a Finding, Rendered>> {
        let finding = self.finding(key)?;
        match finding.status {
            Status::NotApplicable => None,
            Status::Unavailable => {
                say_gap(gaps, finding.reason.clone());
                Some(Err(Rendered::plain("not read.")))
            }
            _ => Some(Ok(finding)),
        }
    }

    /// A config file as evidence, by the key of an entry in it: at the head, or at the merge base if the head has it no more.
    fn config(&self, key: &str) -> Option<Evidence> {
        let masters = &self.made_of.conclusions.keys.masters;
        self.side(&masters.iter().find(|master| master.key == key)?.path)
    }

    fn changelog(&self) -> Option<Evidence> {
        self.made_of.policy.configs.changelog.iter().find_map(|path| self.side(path))
    }

    fn side(&self, path: &str) -> Option<Evidence> {
        let facts = self.facts();
        let got = [Side::Head, Side::Base].into_iter().find_map(|side| facts.sides.get(&(side, path.to_owned()))?.known())?;
        let mut source = got.source.clone();
        source.commit = source.commit.or_else(|| facts.head().cloned());
        let link = facts.head().map(|head| facts.page(&format!("blob/{head}/{path}")));
        Some(Evidence::new("config", path, link, source))
    }

    /// The rows that a run measured.
    fn rows(&self, run: RunId) -> Option<Evidence> {
        let got = self.facts().results.get(&run)?.known()?;
        let sweep = self.sweep(run)?;
        let source = Source { commit: Some(sweep.run.head.clone()), ..got.source.clone() };
        Some(Evidence::new("results", format!("results of {}", sweep.label()), Some(run_page(self.facts(), sweep)), source))
    }

    fn sweep(&self, run: RunId) -> Option<&'a Sweep> {
        self.made_of.conclusions.sweeps.iter().find(|sweep| sweep.run.id == run)
    }

    /// A line of a file at the head, as a link: `[run.sh:7](…)`.
    fn line(&self, path: &str, line: Option<usize>) -> String {
        let name = path.rsplit('/').next().unwrap_or(path);
        let (place, anchor) = line.map(|line| (format!(":{line}"), format!("#L{line}"))).unwrap_or_default();
        // A name that bends the link is none.
        let is_plain = path.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'.' | b'-' | b'_'));
        match self.facts().head().filter(|_| is_plain) {
            Some(head) => {
                format!(
                    "[{}]({})",
                    self.code(&format!("{name}{place}")),
                    self.facts().page(&format!("blob/{head}/{path}{anchor}"))
                )
            }
            None => self.code(&format!("{path}{place}")),
        }
    }
}

/// The list of changed files.
fn files(facts: &Facts) -> Option<Evidence> {
    let source = Source { commit: facts.head().cloned(), ..facts.files.known()?.source.clone() };
    let link = facts.pull.value().map(|pull| format!("{}/files", pull.url));
    Some(Evidence::new("files", "changed files", link, source))
}

/// A stranger's address is no link of the reviewer's, not even in a code span, where rules look for them.
fn unlinked(text: &str) -> Cow<'_, str> {
    if text.contains("://") { Cow::Owned(text.replace("://", ":·//")) } else { Cow::Borrowed(text) }
}

/// Adds a sentence once.
fn say_gap(gaps: &mut Vec<String>, gap: String) {
    if !gaps.contains(&gap) {
        gaps.push(gap);
    }
}

/// What a list lacks, as a sentence for the reviewer; `None` when it is whole and fresh.
fn list_gap<T>(what: &str, list: &Remote<Listing<T>>) -> Option<String> {
    match list.settled() {
        Some(got) => got.value.render_gap().map(|gap| format!("List of {what}: {gap}")),
        None => Some(unread(what, list)),
    }
}

fn unread<T>(what: &str, remote: &Remote<T>) -> String {
    match remote.trouble() {
        Some(trouble) => format!("The {what} were not read. {}", trouble.sentence()),
        None => format!("The {what} are not read yet."),
    }
}

/// The run as a link: `[run 1](…) attempt 2`.
fn run_words(facts: &Facts, sweep: &Sweep) -> String {
    format!("[run {}]({}) attempt {}", sweep.run.id, run_page(facts, sweep), sweep.run.attempt)
}

/// The run's page, made from its id: a link that GitHub's answer cannot bend.
pub fn run_page(facts: &Facts, sweep: &Sweep) -> String {
    facts.page(&format!("actions/runs/{}", sweep.run.id))
}

/// What supports the run's id, attempt, commit and conclusion.
pub fn run_evidence(sweep: &Sweep) -> Evidence {
    let [run, ..] = &sweep.evidence()[..] else { return Evidence::new("run", sweep.label(), None, sweep.source.clone()) };
    run.clone()
}

fn jobs_evidence(sweep: &Sweep) -> Evidence {
    sweep.evidence().into_iter().nth(1).unwrap_or_else(|| run_evidence(sweep))
}

/// The value that all share, if they do.
fn common<T: PartialEq>(mut values: impl Iterator<Item = T>) -> Option<T> {
    let first = values.next()?;
    values.all(|value| value == first).then_some(first)
}

/// `a`, `a and b`, `a, b and c`.
fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}
