//! What a pull request's own texts claim, each claim weighed against the run that a sign-off cites and the changed configs.
//! Must not know: the draft, rules, how a claim is found or weighed.

use super::claims::{self, Claim, Evidence, Weight, What};
use super::configs::{ChangedKeys, Entry};
use super::evals::EvalRow;
use super::evidence::Source;
use super::facts::Facts;
use super::ids::RunId;
use super::listing::Listing;
use super::remote::{Remote, Sourced};
use super::results::ResultRow;
use super::text::gate;
use super::trouble::{Trouble, TroubleKind};
use std::sync::Arc;

/// Every claim of title, description and the pull request's own changelog entries, in that order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Claimed {
    pub statements: Vec<Statement>,
    texts: Arc<[Text]>,
    from: From,
}

/// One claim, weighed.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// `the description`, `the changelog at line 7`.
    pub place: Arc<str>,
    /// The words of the claim, fit for one line of a screen.
    pub said: String,
    pub about: About,
    pub weight: Weight,
    /// Places, among the rows of the run that it was weighed with, of the points that it speaks of.
    pub rows: Vec<usize>,
}

/// Where the truth about a claim stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// In the result rows of the run.
    Points,
    /// In its eval rows.
    Scores,
    /// In the changed configs, or nowhere.
    Configs,
}

impl About {
    fn of(what: &What) -> About {
        match what {
            What::Level { .. } | What::Change { .. } | What::Ratio { .. } => About::Points,
            What::Score { .. } => About::Scores,
            What::Image { .. } | What::Config { .. } | What::Acceptance { .. } | What::Version { .. } => About::Configs,
        }
    }
}

/// A text, and what it claims.
#[derive(Debug, Clone, PartialEq)]
struct Text {
    place: Arc<str>,
    words: String,
    claims: Vec<Claim>,
}

/// What the claims were weighed with.
#[derive(Debug, Clone, PartialEq, Default)]
struct From {
    keys: Arc<ChangedKeys>,
    points: Option<Source>,
    scores: Option<Source>,
}

impl Claimed {
    /// Draws them anew from these configs, the points of one run and the scores of another. Texts are parsed once, and
    /// weighed again only when what they are weighed with has changed.
    pub(super) fn redraw(
        self: &Arc<Claimed>,
        facts: &Facts,
        keys: &Arc<ChangedKeys>,
        points: Option<RunId>,
        scores: Option<RunId>,
    ) -> Arc<Claimed> {
        let points = points.and_then(|run| facts.results.get(&run)).and_then(Remote::settled);
        let scores = scores.and_then(|run| facts.evals.get(&run)).and_then(Remote::settled);
        let source_of = |got: Option<&Source>| got.cloned();
        let from = From {
            keys: Arc::clone(keys),
            points: source_of(points.map(|got| &got.source)),
            scores: source_of(scores.map(|got| &got.source)),
        };
        let texts = texts(facts, keys);
        let same_texts =
            self.texts.iter().map(|text| (&*text.place, text.words.as_str())).eq(texts.iter().map(|(p, w)| (p.as_str(), *w)));
        let same_keys = Arc::ptr_eq(&self.from.keys, keys);
        if same_texts && same_keys && (&self.from.points, &self.from.scores) == (&from.points, &from.scores) {
            return Arc::clone(self);
        }
        let texts: Arc<[Text]> = match same_texts {
            true => Arc::clone(&self.texts),
            false => texts.into_iter().map(|(place, words)| Text::read(place, words)).collect(),
        };
        let statements = weigh(&texts, keys, points, scores);
        Arc::new(Claimed { statements, texts, from })
    }
}

impl Text {
    fn read(place: String, words: &str) -> Text {
        Text { place: place.into(), words: words.to_owned(), claims: claims::parse(words) }
    }
}

/// Where each text stands, and its words.
fn texts<'a>(facts: &'a Facts, keys: &'a ChangedKeys) -> Vec<(String, &'a str)> {
    let pull = facts.pull.value();
    let own = pull.into_iter().flat_map(|pull| [("the title", &pull.title), ("the description", &pull.body)]);
    let entries = keys.changelog.iter().flat_map(|entry| {
        entry.description.iter().map(move |said| (format!("the changelog entry at line {}", entry.line), said.as_str()))
    });
    own.map(|(place, words)| (place.to_owned(), words.as_str())).chain(entries).collect()
}

fn weigh(
    texts: &[Text],
    keys: &ChangedKeys,
    points: Option<&Sourced<Listing<ResultRow>>>,
    scores: Option<&Sourced<Listing<EvalRow>>>,
) -> Vec<Statement> {
    let touched = keys.touched.iter().filter(|entry| !keys.entries.iter().any(|named| named.key == entry.key));
    let head: Vec<Entry> = keys.entries.iter().chain(touched).cloned().collect();
    let (no_points, no_scores) = (unread(), unread());
    let evidence = Evidence {
        rows: points.map_or(&no_points, |got| &got.value),
        scores: scores.map_or(&no_scores, |got| &got.value),
        head: &head,
        base: &keys.before,
        configs_whole: keys.complete && keys.unread.is_empty(),
    };
    let statement = |text: &Text, claim: &Claim| Statement {
        place: Arc::clone(&text.place),
        said: gate::line(text.words.get(claim.range.clone()).unwrap_or_default()).into_owned(),
        about: About::of(&claim.what),
        weight: claims::weigh(claim, &evidence),
        rows: claims::subjects(claim, &evidence),
    };
    texts.iter().flat_map(|text| text.claims.iter().map(move |claim| statement(text, claim))).collect()
}

/// Nothing contradicts a claim that was not looked up.
fn unread<T>() -> Listing<T> {
    Listing::partial(Vec::new(), None, Trouble::new(TroubleKind::NotFound, "It is not read.", ""))
}
