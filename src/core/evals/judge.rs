//! Scores against bars.
//! Must not know: rules; a judgement is about scores, a finding about a pull request.

use super::thresholds::{Bar, BarSource};
use super::{EvalRow, Metric};
use crate::core::axes::Axes;
use crate::core::configs::{AxesFrom, ChangedKeys, resolve};
use crate::core::documents::Documents;
use crate::core::facts::{DocumentKind, Facts};
use crate::core::ids::RunId;
use crate::core::listing::Listing;
use crate::core::policy::Policy;
use crate::core::pull::Artifact;
use crate::core::remote::Remote;
use crate::core::trouble::{Trouble, TroubleKind};
use serde::Serialize;

/// One score of one row, compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JudgedRow {
    /// The config key, where only one is possible.
    pub config: Option<String>,
    pub candidates: Vec<String>,
    pub axes: Axes,
    /// Lengths of input and output in tokens; `None` where the lane has no fixed ones.
    pub isl: Option<u32>,
    pub osl: Option<u32>,
    /// Which row of the artifact it comes from, counted from 0: the scores of one row share it, and stand together.
    pub result: usize,
    pub task: String,
    pub metric: String,
    /// Between 0 and 1.
    pub score: f64,
    pub stderr: Option<f64>,
    /// Effective samples.
    pub n: Option<u64>,
    /// `None` while the thresholds are not read.
    pub threshold: Option<f64>,
    pub bar_source: Option<BarSource>,
    /// `None` without a threshold, and when it is diagnostic: a bar of 0 is no bar.
    pub pass: Option<bool>,
}

/// All scores of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    pub run: RunId,
    /// One per metric of a row: every one of them must reach the bar.
    pub rows: Vec<JudgedRow>,
    /// How many rows of the artifact they come from: one per eval job and task.
    pub results: usize,
    /// Rows and thresholds were read whole.
    pub complete: bool,
    /// Why not; `None` also while they are merely on their way.
    pub why: Option<Trouble>,
    /// The run has no artifact of scores, by a whole list of what it has: nothing of it is left to be read.
    pub holds_none: bool,
}

impl JudgedRow {
    /// A bar of 0 never fails: the score is shown, and is no pass.
    pub fn is_diagnostic(&self) -> bool {
        self.threshold == Some(0.0)
    }

    /// How far the score lies above its bar, negative below; `None` where there is no bar that could be missed.
    pub fn margin(&self) -> Option<f64> {
        self.threshold.filter(|_| !self.is_diagnostic()).map(|bar| self.score - bar)
    }
}

/// Compares the scores of a run with the bars of the default branch. `keys` are the configs that a row may belong to.
pub fn judge(policy: &Policy, facts: &Facts, documents: &Documents, keys: &ChangedKeys, run: RunId) -> Judged {
    let evals = facts.evals.get(&run);
    let rows: &[EvalRow] = evals.and_then(Remote::value).map(|list| list.items.as_slice()).unwrap_or_default();
    // A newer artifact may stand where the list was not read.
    let newest = facts.artifacts.get(&run).is_none_or(|list| list.settled().is_some_and(|got| got.value.is_complete()));
    let whole = newest && evals.and_then(Remote::settled).is_some_and(|got| got.value.is_complete());
    let thresholds = facts.document(DocumentKind::Thresholds);
    let (bars, unread) = match documents.bars() {
        Some(Ok(bars)) => (Some(bars), None),
        Some(Err(problem)) => (None, Some(Trouble::from(problem.clone()))),
        None => (None, thresholds.and_then(Remote::trouble).cloned()),
    };
    let judged = rows.iter().enumerate().flat_map(|(result, row)| {
        let candidates = resolve(&row.axes, AxesFrom::EvalRow, keys);
        let bar = bars.as_ref().map(|bars| bars.bar(&row.axes.model, &row.task, policy.evals.fallback));
        row.metrics.iter().map(move |metric| JudgedRow {
            config: candidates.config.clone(),
            candidates: candidates.candidates.clone(),
            axes: row.axes.clone(),
            isl: row.isl,
            osl: row.osl,
            result,
            task: row.task.clone(),
            metric: metric.name.clone(),
            score: metric.score,
            stderr: metric.stderr,
            n: row.n,
            threshold: bar.map(|bar| bar.value),
            bar_source: bar.map(|bar| bar.source),
            pass: bar.and_then(|bar| passes(bar, metric, row.n)),
        })
    });
    Judged {
        run,
        rows: judged.collect(),
        results: rows.len(),
        complete: whole && bars.is_some(),
        why: if whole { unread } else { why_not(policy, facts, run).or(unread) },
        holds_none: holds_none(policy, facts, run),
    }
}

fn holds_none(policy: &Policy, facts: &Facts, run: RunId) -> bool {
    let list = facts.artifacts.get(&run).and_then(Remote::settled).map(|got| &got.value);
    let named = |list: &Listing<Artifact>| list.items.iter().any(|artifact| artifact.name == policy.evals.artifact);
    !facts.evals.contains_key(&run) && list.is_some_and(|list| list.is_complete() && !named(list))
}

/// Inclusive. A score that rests on no sample reaches nothing.
fn passes(bar: Bar, metric: &Metric, n: Option<u64>) -> Option<bool> {
    (!bar.is_diagnostic()).then(|| metric.score >= bar.value && n != Some(0))
}

/// Why the rows of a run are not there, or not all.
fn why_not(policy: &Policy, facts: &Facts, run: RunId) -> Option<Trouble> {
    if let Some(evals) = facts.evals.get(&run) {
        let partial = evals.value().and_then(|list| list.trouble());
        if let Some(trouble) = evals.trouble().or(partial) {
            return Some(trouble.clone());
        }
    }
    let artifacts = facts.artifacts.get(&run)?;
    if let Some(trouble) = artifacts.trouble() {
        return Some(trouble.clone());
    }
    let list = &artifacts.settled()?.value;
    if let (Some(trouble), Some(gap)) = (list.trouble(), list.render_gap()) {
        let headline = format!("artifacts: {gap}");
        return Some(Trouble { headline, ..trouble.clone() });
    }
    let name = &policy.evals.artifact;
    let mut named = list.items.iter().filter(|artifact| &artifact.name == name).peekable();
    if named.peek().is_none() {
        let headline = format!("Run {run} has no artifact `{name}`, so it holds no scores.");
        return Some(Trouble::new(TroubleKind::NotFound, headline, "Look whether its eval jobs uploaded one."));
    }
    named.all(|artifact| artifact.expired).then(|| {
        let headline = format!("The artifact `{name}` of run {run} has expired, so its scores cannot be read any more.");
        Trouble::new(TroubleKind::Gone, headline, "Repeat the sweep to get scores that can be read.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::axes::{Concurrency, Parallel};
    use crate::core::evidence::Source;
    use crate::core::ids::{ArtifactId, BlobId, PullNumber, RepoName};
    use crate::core::policy::tests::policy;
    use crate::core::pull::Document;
    use crate::core::remote::Sourced;

    const RUN: RunId = RunId(7);

    fn ready<T>(value: T) -> Remote<T> {
        let source = Source { address: "/".into(), commit: None, read_at: Default::default(), digest: String::new() };
        Remote::Ready(Sourced { value, source })
    }

    fn row(task: &str, strict: f64, flexible: f64, n: u64) -> EvalRow {
        let metric = |name: &str, score| Metric { name: name.to_owned(), score, stderr: None };
        EvalRow {
            axes: Axes {
                model: "qwen3.5".into(),
                precision: "fp4".into(),
                runner: "b200".into(),
                framework: "sglang".into(),
                parallel: Parallel::default(),
                spec: None,
                kv: None,
                kv_backend: None,
                conc: Concurrency::One(64),
                prefill: None,
                decode: None,
            },
            model: "m".into(),
            isl: None,
            osl: None,
            task: task.into(),
            metrics: vec![metric("em_strict", strict), metric("em_flexible", flexible)],
            n: Some(n),
        }
    }

    fn facts(rows: Vec<EvalRow>, thresholds: &str) -> Facts {
        let mut facts = Facts::new("https://github.com", RepoName { owner: "o".into(), name: "r".into() }, PullNumber(1));
        facts.evals.insert(RUN, ready(Listing::complete(rows)));
        let document = Document { path: "t.yaml".into(), blob: BlobId::from("b"), text: thresholds.into() };
        facts.documents.insert(DocumentKind::Thresholds, ready(document));
        facts
    }

    fn artifact(name: &str, expired: bool) -> Artifact {
        Artifact {
            id: ArtifactId(1),
            run: RUN,
            name: name.into(),
            size: 1,
            expired,
            created_at: None,
            expires_at: None,
            digest: None,
        }
    }

    #[test]
    fn every_metric_must_reach_the_bar_inclusively() {
        let text = "default: {gsm8k: 0.9, smoke: 0.0}\nmodels: {qwen3.5: {gsm8k: 0.94}}";
        let rows = vec![
            row("gsm8k", 0.94, 0.939, 9),
            row("smoke", 0.1, 0.2, 9),
            row("new", 0.85, 0.84, 9),
            row("gsm8k", 0.99, 0.99, 0),
        ];
        let (policy, facts) = (policy(), facts(rows, text));
        let judged = judge(&policy, &facts, &Documents::draw(&policy, &facts), &ChangedKeys::default(), RUN);
        let got: Vec<_> = judged.rows.iter().map(|row| (row.task.as_str(), row.threshold, row.bar_source, row.pass)).collect();
        let want = [
            ("gsm8k", Some(0.94), Some(BarSource::Model), Some(true)),
            ("gsm8k", Some(0.94), Some(BarSource::Model), Some(false)),
            ("smoke", Some(0.0), Some(BarSource::Default), None),
            ("smoke", Some(0.0), Some(BarSource::Default), None),
            ("new", Some(0.85), Some(BarSource::Fallback), Some(true)),
            ("new", Some(0.85), Some(BarSource::Fallback), Some(false)),
            ("gsm8k", Some(0.94), Some(BarSource::Model), Some(false)),
            ("gsm8k", Some(0.94), Some(BarSource::Model), Some(false)),
        ];
        assert_eq!(got, want);
        assert_eq!((judged.complete, judged.why.as_ref(), judged.results), (true, None, 4));
        let rows: Vec<usize> = judged.rows.iter().map(|row| row.result).collect();
        assert_eq!(rows, [0, 0, 1, 1, 2, 2, 3, 3]);
        assert!((judged.rows[1].margin().unwrap() + 0.001).abs() < 1e-12);
        assert!(judged.rows[2].is_diagnostic() && judged.rows[2].margin().is_none());
    }

    #[test]
    fn what_is_not_read_is_neither_pass_nor_complete() {
        let kinds = |facts: &Facts| {
            let judged = judge(&policy(), facts, &Documents::draw(&policy(), facts), &ChangedKeys::default(), RUN);
            assert!(judged.rows.iter().all(|row| row.pass.is_none() || judged.why.is_some()));
            (judged.complete, judged.why.map(|why| why.kind))
        };
        let some = || vec![row("gsm8k", 1.0, 1.0, 9)];
        assert_eq!(kinds(&facts(some(), "nothing: here")), (false, Some(TroubleKind::Malformed)));
        let mut loading = facts(some(), "");
        loading.documents.clear();
        assert_eq!(kinds(&loading), (false, None));

        let mut none = facts(some(), "default: {gsm8k: 0.9}");
        none.evals.clear();
        assert_eq!(kinds(&none), (false, None));
        let name = policy().evals.artifact;
        let table = [
            (vec![], Some(TroubleKind::NotFound)),
            (vec![artifact("other", false)], Some(TroubleKind::NotFound)),
            (vec![artifact(&name, true), artifact(&name, true)], Some(TroubleKind::Gone)),
            (vec![artifact(&name, true), artifact(&name, false)], None),
        ];
        for (artifacts, why) in table {
            let absent = why == Some(TroubleKind::NotFound);
            none.artifacts.insert(RUN, ready(Listing::complete(artifacts)));
            assert_eq!(kinds(&none), (false, why));
            assert_eq!(holds_none(&policy(), &none, RUN), absent);
        }
        let mut older = facts(some(), "default: {gsm8k: 0.9}");
        let cut = Trouble::new(TroubleKind::Server, "GitHub failed (502).", "");
        older.artifacts.insert(RUN, ready(Listing::partial(vec![artifact(&name, false)], Some(140), cut)));
        let why = judge(&policy(), &older, &Documents::draw(&policy(), &older), &ChangedKeys::default(), RUN).why.unwrap();
        assert_eq!(kinds(&older), (false, Some(TroubleKind::Server)));
        assert_eq!(why.headline, "artifacts: 1 of 140 read: GitHub failed (502).");

        let trouble = Trouble::new(TroubleKind::Malformed, "row 2", "");
        none.evals.insert(RUN, ready(Listing::partial(some(), Some(2), trouble)));
        assert_eq!(kinds(&none), (false, Some(TroubleKind::Malformed)));
    }
}
