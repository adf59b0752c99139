//! What changes among the measured points, and what covers each: a row per point.
//! Must not know: how coverage is found.

use super::{Report, SCHEMA, json, table};
use crate::core::axes::Axes;
use crate::core::claimed::Statement;
use crate::core::facts::Facts;
use crate::core::ids::{JobId, RunId, Sha};
use crate::core::points::{EvalRef, Hole, JobRef, PointReview, Points};
use crate::core::results::{Power, Reading, ResultRow, Unit};
use crate::core::text::gate;
use serde::Serialize;
use std::collections::BTreeMap;

mod launches;

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    /// Everything that decides about the points was read whole.
    complete: bool,
    /// Why not.
    doubt: Option<&'a str>,
    head: Option<&'a Sha>,
    summary: String,
    added: Vec<Row<'a>>,
    changed: Vec<Row<'a>>,
    removed: Vec<Row<'a>>,
    /// Points of changed or named configs that stay as they are.
    untouched: usize,
    /// Of them, how many were measured again, green.
    untouched_rerun: usize,
    retired: Vec<Retired<'a>>,
    patterns: Vec<Pattern<'a>>,
    notes: &'a [String],
    /// Scripts and recipes that the points run. They decide about no point, so `complete` does not speak of them.
    launches: Vec<launches::Row<'a>>,
    /// Why there may be others, or why one of them is not known.
    launches_doubt: Option<&'a str>,
}

#[derive(Serialize)]
struct Row<'a> {
    config: &'a str,
    scenario: &'a str,
    isl_tokens: Option<u32>,
    osl_tokens: Option<u32>,
    axes: &'a Axes,
    image: Option<&'a str>,
    fields_changed: Vec<&'static str>,
    job: Option<Job<'a>>,
    result: Option<Outcome<'a>>,
    eval: Option<Eval<'a>>,
    /// The first reason in the chain from the job over the result to the eval; also why no eval is due.
    hole: Option<String>,
    holes: Holes<'a>,
    /// What the pull request's own texts say of it, each weighed against its result.
    claims: Vec<Claim<'a>>,
}

#[derive(Serialize)]
struct Claim<'a> {
    place: &'a str,
    said: &'a str,
    /// `confirmed`, `contradicted`, `wrong_unit`, `not_checkable`.
    weight: &'static str,
    /// What stands against it, or why it cannot be checked.
    reason: &'a str,
}

/// Per cell a stable word, with its sentence. `expected`: by the rules nothing was to be there.
#[derive(Serialize)]
struct Holes<'a> {
    job: Option<Reason<'a>>,
    result: Option<Reason<'a>>,
    eval: Option<Reason<'a>>,
}

#[derive(Serialize)]
struct Reason<'a> {
    kind: &'a str,
    expected: bool,
    reason: String,
}

#[derive(Serialize)]
struct Job<'a> {
    run_id: RunId,
    attempt: u32,
    id: JobId,
    name: &'a str,
    status: &'a str,
    conclusion: Option<&'a str>,
    commit: &'a Sha,
    commits_behind: Option<usize>,
    url: &'a str,
}

#[derive(Serialize)]
struct Outcome<'a> {
    run_id: RunId,
    image: Option<&'a str>,
    gpus: Option<u64>,
    total_tok_per_s_per_gpu: Option<f64>,
    output_tok_per_s_per_gpu: Option<f64>,
    input_tok_per_s_per_gpu: Option<f64>,
    /// `median_ttft_s`, `p90_intvty_tok_per_s_per_user`, …
    readings: BTreeMap<String, f64>,
    /// `null` where it was not measured, or is not valid.
    average_power_w_per_gpu: Option<f64>,
    requests_requested: Option<u32>,
    requests_completed: Option<u32>,
    /// Members of the row whose numbers are none: they are left out above.
    flaws: Vec<&'a str>,
}

#[derive(Serialize)]
struct Eval<'a> {
    #[serde(flatten)]
    job: Job<'a>,
    task: Option<&'a str>,
    metric: Option<&'a str>,
    /// Between 0 and 1: of several, the one that stands worst against its bar.
    score: Option<f64>,
    stderr: Option<f64>,
    n: Option<u64>,
    threshold: Option<f64>,
    pass: Option<bool>,
    scores: usize,
}

#[derive(Serialize)]
struct Retired<'a> {
    config: &'a str,
    from: &'a str,
    to: &'a str,
    points: usize,
}

#[derive(Serialize)]
struct Pattern<'a> {
    pattern: &'a str,
    keys: Option<usize>,
}

/// Reports points. A gap is what makes them incomplete; a hole is none, being what was asked for.
pub fn report(facts: &Facts, points: &Points, as_json: bool) -> Report {
    let text = if as_json { json(&document(facts, points)) } else { plain(points) };
    Report { text, gaps: points.doubt.iter().cloned().collect() }
}

fn document<'a>(facts: &'a Facts, points: &'a Points) -> Document<'a> {
    Document {
        schema: SCHEMA,
        complete: points.complete,
        doubt: points.doubt.as_deref(),
        head: facts.head(),
        summary: points.summary(),
        added: points.added.iter().map(row).collect(),
        changed: points.changed.iter().map(row).collect(),
        removed: points.removed.iter().map(row).collect(),
        untouched: points.untouched.count,
        untouched_rerun: points.untouched.rerun,
        retired: points
            .retired
            .iter()
            .map(|entry| Retired { config: &entry.config, from: &entry.from, to: &entry.to, points: entry.points })
            .collect(),
        patterns: points.patterns.iter().map(|one| Pattern { pattern: &one.pattern, keys: one.keys }).collect(),
        notes: &points.notes,
        launches: points.launches.rows.iter().map(launches::row).collect(),
        launches_doubt: points.launches.doubt.as_deref(),
    }
}

fn row(point: &PointReview) -> Row<'_> {
    Row {
        config: &point.config,
        scenario: &point.scenario,
        isl_tokens: point.lengths.map(|(isl, _)| isl),
        osl_tokens: point.lengths.map(|(_, osl)| osl),
        axes: &point.axes,
        image: point.image.as_deref(),
        fields_changed: point.fields.iter().map(|field| field.word()).collect(),
        job: point.job.found.as_ref().map(job),
        result: point.result.found.as_ref().map(outcome),
        eval: point.eval.found.as_ref().map(eval),
        hole: point.hole().map(Hole::sentence),
        holes: Holes {
            job: point.job.hole.as_ref().map(reason),
            result: point.result.hole.as_ref().map(reason),
            eval: point.eval.hole.as_ref().map(reason),
        },
        claims: point.claims.iter().map(claim).collect(),
    }
}

fn claim(statement: &Statement) -> Claim<'_> {
    Claim { place: &statement.place, said: &statement.said, weight: statement.weight.key(), reason: statement.weight.reason() }
}

fn reason(hole: &Hole) -> Reason<'_> {
    Reason { kind: hole.word(), expected: hole.is_expected(), reason: hole.sentence() }
}

fn job(job: &JobRef) -> Job<'_> {
    Job {
        run_id: job.run,
        attempt: job.attempt,
        id: job.id,
        name: &job.name,
        status: &job.status,
        conclusion: job.conclusion.as_deref(),
        commit: &job.commit,
        commits_behind: job.behind,
        url: &job.url,
    }
}

fn outcome(row: &ResultRow) -> Outcome<'_> {
    let unit = |unit: Unit| if unit == Unit::Seconds { "s" } else { "tok_per_s_per_user" };
    let name = |at: &Reading| format!("{}_{}_{}", at.statistic.word(), at.measure.word(), unit(at.measure.unit()));
    let requests = row.outcome.as_ref();
    Outcome {
        run_id: row.run,
        image: row.image.as_deref(),
        gpus: row.gpus.map(|gpus| gpus.all),
        total_tok_per_s_per_gpu: row.throughput.total,
        output_tok_per_s_per_gpu: row.throughput.output,
        input_tok_per_s_per_gpu: row.throughput.input,
        readings: row.readings.iter().map(|at| (name(at), at.value)).collect(),
        average_power_w_per_gpu: match &row.power {
            Power::Valid(energy) => energy.average_w,
            Power::NotMeasured | Power::Invalid => None,
        },
        requests_requested: requests.and_then(|outcome| outcome.requested),
        requests_completed: requests.and_then(|outcome| outcome.completed),
        flaws: row.flaws.iter().map(|flaw| flaw.member.as_str()).collect(),
    }
}

fn eval(eval: &EvalRef) -> Eval<'_> {
    let worst = eval.scores.as_ref().map(|scores| &scores.worst);
    Eval {
        job: job(&eval.job),
        task: worst.map(|row| row.task.as_str()),
        metric: worst.map(|row| row.metric.as_str()),
        score: worst.map(|row| row.score),
        stderr: worst.and_then(|row| row.stderr),
        n: worst.and_then(|row| row.n),
        threshold: worst.and_then(|row| row.threshold),
        pass: worst.and_then(|row| row.pass),
        scores: eval.scores.as_ref().map_or(0, |scores| scores.count),
    }
}

const HEAD: [&str; 8] = ["", "config", "scenario", "point", "job", "result", "eval", "why"];

/// The line that sums up, a row per point, what else is to be known.
fn plain(points: &Points) -> String {
    let lists = [('+', &points.added), ('~', &points.changed), ('-', &points.removed)];
    let rows: Vec<Vec<String>> = lists.iter().flat_map(|(mark, list)| list.iter().map(|point| cells(*mark, point))).collect();
    let mut out = format!("{}\n", gate::line(&points.summary()));
    if !rows.is_empty() {
        out.push_str(&format!("\n{}", table::render(&HEAD, &rows)));
    }
    let notes: Vec<String> = points.retired.iter().map(|entry| entry.sentence()).chain(points.notes.iter().cloned()).collect();
    if !notes.is_empty() {
        out.push('\n');
    }
    for note in notes {
        out.push_str(&format!("· {}\n", gate::line(&note)));
    }
    out.push_str(&launches::plain(&points.launches, points.doubt.as_deref()));
    out
}

fn cells(mark: char, point: &PointReview) -> Vec<String> {
    let fields: Vec<&str> = point.fields.iter().map(|field| field.word()).collect();
    let spec = [&point.axes.spec, &point.axes.kv, &point.axes.kv_backend].into_iter().flatten();
    let place = std::iter::once(point.axes.render_parallel()).chain(spec.cloned()).chain([point.axes.render_conc()]);
    let job = point.job.found.as_ref().map(|job| match job.attempt {
        0 | 1 => format!("{} run {}", job.outcome.mark(), job.run),
        attempt => format!("{} run {} attempt {attempt}", job.outcome.mark(), job.run),
    });
    let result = point.result.found.as_ref().and_then(|row| Some(format!("{:.1} tok/s/GPU", row.throughput.total?)));
    let eval = point.eval.found.as_ref().map(|eval| match &eval.scores {
        Some(scores) => format!("{} {}", eval.job.outcome.mark(), scores.render()),
        None => eval.job.outcome.mark().to_string(),
    });
    let claims = point.claims.iter().map(|claim| format!("\"{}\" {}", claim.said, claim.weight.word()));
    let why = match (fields.is_empty(), point.hole()) {
        (true, None) => String::new(),
        (true, Some(hole)) => hole.sentence(),
        (false, None) => format!("changes {}", fields.join(", ")),
        (false, Some(hole)) => format!("changes {}: {}", fields.join(", "), hole.sentence()),
    };
    vec![
        mark.to_string(),
        point.config.clone(),
        point.render_scenario(),
        place.collect::<Vec<_>>().join(" "),
        shown(job, point.job.hole.as_ref()),
        shown(result, point.result.hole.as_ref()),
        shown(eval, point.eval.hole.as_ref()),
        std::iter::once(why).filter(|why| !why.is_empty()).chain(claims).collect::<Vec<_>>().join("; "),
    ]
}

/// What was found, with a mark where it does not count; else the word for what is missing.
fn shown(found: Option<String>, hole: Option<&Hole>) -> String {
    match (found, hole) {
        (Some(found), None) => found,
        (Some(found), Some(hole)) => format!("{found} ({})", hole.word()),
        (None, Some(hole)) => hole.word().to_owned(),
        (None, None) => String::new(),
    }
}

#[cfg(test)]
mod tests;
