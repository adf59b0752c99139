//! The details, drafted from evidence: scope, validation, evals. Each number and link is tied to where it was read.
//! Must not know: the template, the screen.

use super::compose::Ingredients;
use super::rendered::Rendered;
use crate::core::configs::Change;
use crate::core::evals::judge::JudgedRow;
use crate::core::evals::thresholds::BarSource;
use crate::core::evidence::{Evidence, Source};
use crate::core::facts::{DocumentKind, Facts, Side};
use crate::core::listing::Listing;
use crate::core::markdown::gate;
use crate::core::remote::{Remote, Sourced};
use crate::core::sweep::{Sweep, Tally};
use crate::core::trouble::Trouble;
use std::collections::BTreeMap;

/// More files than this are counted, not named: the comment is read by people.
const NAMED_FILES: usize = 12;
/// The same for config keys.
const NAMED_KEYS: usize = 20;

/// All paragraphs, one list item each. Whatever they cannot say, because it was not read or not whole, is added to `gaps`.
pub fn draft(made_of: &Ingredients<'_>, gaps: &mut Vec<String>) -> Rendered {
    let mut out = scope(made_of, gaps);
    out.push("\n").append(&validation(made_of, gaps)).push("\n").append(&evals(made_of, gaps));
    out
}

fn scope(made_of: &Ingredients<'_>, gaps: &mut Vec<String>) -> Rendered {
    let mut out = Rendered::plain("- **Scope**: ");
    if let Some(pull) = made_of.facts.pull.known() {
        let source = Source { commit: Some(pull.value.head.clone()), ..pull.source.clone() };
        let evidence = Evidence::new("pull", "pull request", Some(pull.value.url.clone()), source);
        out.push("at head ").fact(&format!("`{}`", pull.value.head), &evidence).push(", ");
    }
    let Some(Sourced { value: files, source }) = made_of.facts.files.known() else {
        out.push("the changed files were not read.");
        gaps.push(unread("changed files", &made_of.facts.files));
        return out;
    };
    let mut source = source.clone();
    source.commit = made_of.facts.head().cloned();
    let evidence =
        Evidence::new("files", "changed files", made_of.facts.pull.value().map(|pull| format!("{}/files", pull.url)), source);
    gaps.extend(list_gap("changed files", &made_of.facts.files));
    match files.render_gap() {
        None if files.items.is_empty() => out.fact("no file changed", &evidence),
        None => out.fact(&plural(files.items.len(), "file"), &evidence),
        Some(_) => {
            out.fact(&format!("at least {} (the list was not read whole)", plural(files.items.len(), "file")), &evidence)
        }
    };
    if files.items.is_empty() {
        out.push(". ").append(&config_keys(made_of, gaps));
        return out;
    }
    out.push(" changed: ");
    for (at, file) in files.items.iter().take(NAMED_FILES).enumerate() {
        let path = gate::code(&file.path, &made_of.policy.signoff.trigger);
        let line = format!("{path} (+{} −{})", file.additions, file.deletions);
        out.push(if at == 0 { "" } else { ", " }).fact(&line, &evidence);
    }
    if files.items.len() > NAMED_FILES {
        out.push(&format!(" and {} more", files.items.len() - NAMED_FILES));
    }
    out.push(". ").append(&config_keys(made_of, gaps));
    out
}

fn config_keys(made_of: &Ingredients<'_>, gaps: &mut Vec<String>) -> Rendered {
    let mut out = Rendered::default();
    let keys = &made_of.conclusions.keys;
    gaps.extend(keys.gaps());
    // One phrase per key: how its master entry changed, and whether the changelog asks for it to be measured.
    let mut said: BTreeMap<&str, (Vec<&str>, Option<Evidence>)> = BTreeMap::new();
    for master in &keys.masters {
        let word = match master.change {
            Change::Added => "added",
            Change::Changed => "changed",
            Change::Removed => "removed",
        };
        let entry = said.entry(&master.key).or_default();
        entry.0.push(word);
        entry.1 = side_evidence(made_of, &master.path);
    }
    let changelog = made_of.policy.configs.changelog.iter().find_map(|path| side_evidence(made_of, path));
    for key in keys.named() {
        let entry = said.entry(key).or_default();
        entry.0.push("named by the changelog");
        entry.1 = entry.1.take().or_else(|| changelog.clone());
    }
    if said.is_empty() {
        out.push(if keys.complete { "No config key changes." } else { "Config keys: not read." });
        return out;
    }
    out.push("Config keys: ");
    let count = said.len();
    for (at, (key, (words, evidence))) in said.into_iter().take(NAMED_KEYS).enumerate() {
        let line = format!("{} ({})", gate::code(key, &made_of.policy.signoff.trigger), words.join(", "));
        out.push(if at == 0 { "" } else { "; " });
        match evidence {
            Some(evidence) => out.fact(&line, &evidence),
            None => out.push(&line),
        };
    }
    if count > NAMED_KEYS {
        out.push(&format!("; and {} more", count - NAMED_KEYS));
    }
    out.push(if keys.complete { "." } else { "; not every config file could be read." });
    out
}

/// Where a config file was read: at the head, or at the merge base if the head has it no more.
fn side_evidence(made_of: &Ingredients<'_>, path: &str) -> Option<Evidence> {
    let facts = made_of.facts;
    let got = [Side::Head, Side::Base].into_iter().find_map(|side| facts.sides.get(&(side, path.to_owned()))?.known())?;
    let mut source = got.source.clone();
    source.commit = source.commit.or_else(|| facts.head().cloned());
    let link = facts.head().map(|head| facts.page(&format!("blob/{head}/{path}")));
    Some(Evidence::new("config", path, link, source))
}

fn validation(made_of: &Ingredients<'_>, gaps: &mut Vec<String>) -> Rendered {
    let mut out = Rendered::plain("- **Validation**: ");
    gaps.extend(list_gap("runs", &made_of.facts.runs));
    let Some(sweep) = made_of.conclusions.validation() else {
        match (made_of.facts.runs.settled(), made_of.conclusions.sweeps.first()) {
            (Some(runs), None) if runs.value.is_complete() => out.push(match made_of.facts.runs_of_head_only() {
                None => "no sweep run of this pull request's commits was found.",
                Some(_) => "no sweep run of the head commit was found; runs of earlier commits were not read.",
            }),
            (Some(_), Some(sweep)) if sweep.in_pull == Some(false) => out
                .fact(&run_words(made_of, sweep), &run_evidence(sweep))
                .push(" ran on a commit that is no longer in this pull request."),
            (Some(_), Some(sweep)) if sweep.complete && sweep.in_pull == Some(true) => {
                out.fact(&run_words(made_of, sweep), &run_evidence(sweep)).push(" executed no benchmark job.")
            }
            (Some(_), Some(sweep)) => {
                // An empty list of jobs that was not read says nothing of what was executed.
                gaps.push(match made_of.facts.jobs.get(&sweep.run.id) {
                    Some(jobs) => list_gap(&format!("jobs of {}", sweep.label()), jobs)
                        .unwrap_or_else(|| "The commits of the pull request were not read whole.".to_owned()),
                    None => format!("The jobs of {} were not read.", sweep.label()),
                });
                out.push("what ").fact(&run_words(made_of, sweep), &run_evidence(sweep)).push(" executed was not read.")
            }
            _ => out.push("the sweep runs were not read."),
        };
        return out;
    };
    let run = run_evidence(sweep);
    let jobs = jobs_evidence(sweep);
    out.fact(&run_words(made_of, sweep), &run);
    let place = match (sweep.at_head, sweep.behind) {
        (true, _) => "the head of this pull request".to_owned(),
        (false, Some(behind)) => format!("{} before the head", plural(behind, "commit")),
        (false, None) => "a commit of this pull request".to_owned(),
    };
    out.push(" on ").fact(&format!("`{}`", sweep.run.head), &run).push(&format!(", {place}: "));
    out.fact(&tally_words("benchmark", sweep.counts.benchmark), &jobs).push("; ");
    out.fact(&tally_words("eval", sweep.counts.eval), &jobs).push("; ");
    if sweep.counts.canary.wanted() > 0 {
        out.fact(&tally_words("canary", sweep.counts.canary), &jobs).push("; ");
    }
    let plumbing = sweep.counts.plumbing;
    out.fact(&plural(plumbing.wanted(), "plumbing job"), &jobs);
    if plumbing.failed > 0 {
        out.push(", ").fact(&format!("{} failed", plumbing.failed), &jobs);
    }
    let counts = [sweep.counts.benchmark, sweep.counts.eval, sweep.counts.canary, plumbing];
    let skipped: usize = counts.iter().map(|tally| tally.skipped).sum();
    out.push("; ").fact(&format!("{skipped} skipped"), &jobs);
    if !sweep.complete {
        out.push(" (the job list was not read whole)");
        let what = format!("jobs of {}", sweep.label());
        match made_of.facts.jobs.get(&sweep.run.id) {
            Some(jobs) => gaps.extend(list_gap(&what, jobs)),
            None => gaps.push(format!("The {what} were not read.")),
        }
    }
    out.push(".");
    out
}

fn evals(made_of: &Ingredients<'_>, gaps: &mut Vec<String>) -> Rendered {
    let mut out = Rendered::plain("- **Evals**: ");
    let Some(sweep) = made_of.conclusions.eval_run() else {
        match made_of.conclusions.validation() {
            Some(sweep) if sweep.complete => out.push("no eval job was executed."),
            _ => out.push("not read."),
        };
        return out;
    };
    let judged = made_of.conclusions.judged.get(&sweep.run.id);
    if let Some(judged) = judged.filter(|judged| !judged.complete) {
        let why = judged.why.as_ref().map_or("they are not read yet.".to_owned(), Trouble::sentence);
        gaps.push(format!("Scores of {}: {why}", sweep.label()));
    }
    let (Some(judged), Some(rows)) =
        (judged.filter(|judged| !judged.rows.is_empty()), made_of.facts.evals.get(&sweep.run.id).and_then(|r| r.known()))
    else {
        let why =
            made_of.facts.evals.get(&sweep.run.id).and_then(|remote| remote.trouble()).map(|trouble| trouble.headline.clone());
        out.push("the scores of ").fact(&run_words(made_of, sweep), &run_evidence(sweep)).push(" were not read");
        match why.or_else(|| judged.and_then(|judged| judged.why.as_ref().map(|why| why.headline.clone()))) {
            Some(why) => out.push(": ").push(gate::inline(&why, &made_of.policy.signoff.trigger).trim_end_matches('.')),
            None => &mut out,
        }
        .push(".");
        return out;
    };
    let mut source = rows.source.clone();
    source.commit = Some(sweep.run.head.clone());
    let scores =
        Evidence::new("evals", format!("eval scores of {}", sweep.label()), Some(run_page(made_of.facts, sweep)), source);
    let bars = made_of.facts.document(DocumentKind::Thresholds).and_then(|remote| remote.known());
    let bars = bars.map(|got| Evidence::new("thresholds", got.value.path.clone(), None, got.source.clone()));
    // One phrase per task and metric: the range of scores over all points, against the bar.
    let mut groups: BTreeMap<(&str, &str), Vec<&JudgedRow>> = BTreeMap::new();
    for row in &judged.rows {
        groups.entry((&row.task, &row.metric)).or_default().push(row);
    }
    for (at, ((task, metric), rows)) in groups.into_iter().enumerate() {
        let words = |text: &str| gate::code(text, &made_of.policy.signoff.trigger);
        out.push(if at == 0 { "" } else { "; " });
        out.fact(&format!("{} {} {}", words(task), words(metric), score_range(&rows)), &scores);
        if let Some(n) = common(rows.iter().map(|row| row.n)).flatten() {
            out.push(", ").fact(&format!("n = {n}"), &scores);
        }
        out.push(", ").fact(&plural(rows.len(), "point"), &scores);
        match (common(rows.iter().map(|row| row.threshold.map(f64::to_bits))), &bars) {
            // The document does not name this task: the bar is the policy's, and the document supports nothing.
            (Some(Some(bar)), _) if rows.iter().any(|row| row.bar_source == Some(BarSource::Fallback)) => {
                out.push(&format!(", bar {} (the default: no threshold names this task)", f64::from_bits(bar)))
            }
            (Some(Some(bar)), Some(evidence)) => out.push(", bar ").fact(&format!("{}", f64::from_bits(bar)), evidence),
            (None, _) => out.push(", several bars"),
            (Some(_), _) => out.push(", no bar read"),
        };
        let below = rows.iter().filter(|row| row.pass == Some(false)).count();
        if below > 0 {
            out.push(", ").fact(&format!("**{below} below the bar**"), &scores);
        }
    }
    out.push(" (").fact(&run_words(made_of, sweep), &run_evidence(sweep)).push(")");
    // Bars that were not read are said above, with each score.
    let whole =
        made_of.facts.evals.get(&sweep.run.id).and_then(|scores| scores.settled()).is_some_and(|got| got.value.is_complete());
    out.push(if whole { "." } else { "; not every score was read." });
    out
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
fn run_words(made_of: &Ingredients<'_>, sweep: &Sweep) -> String {
    format!("[run {}]({}) attempt {}", sweep.run.id, run_page(made_of.facts, sweep), sweep.run.attempt)
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

/// `9 benchmark jobs executed, 9 green, 0 failed`; cancelled and unfinished ones when there are any.
fn tally_words(kind: &str, tally: Tally) -> String {
    let mut out =
        format!("{} executed, {} green, {} failed", plural(tally.executed, &format!("{kind} job")), tally.green, tally.failed);
    for (count, word) in
        [(tally.cancelled, "cancelled"), (tally.unfinished(), "not finished"), (tally.other, "ended otherwise")]
    {
        if count > 0 {
            out.push_str(&format!(", {count} {word}"));
        }
    }
    out
}

fn score_range(rows: &[&JudgedRow]) -> String {
    let (low, high) = rows.iter().fold((f64::MAX, f64::MIN), |(low, high), row| (low.min(row.score), high.max(row.score)));
    let figure = |score: f64| format!("{score:.4}");
    if figure(low) == figure(high) { figure(low) } else { format!("{}–{}", figure(low), figure(high)) }
}

/// The value that all share, if they do.
fn common<T: PartialEq>(mut values: impl Iterator<Item = T>) -> Option<T> {
    let first = values.next()?;
    values.all(|value| value == first).then_some(first)
}

fn plural(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
