//! Eval scores against thresholds, one row per score.
//! Must not know: which run is wanted, or why.

use super::{Report, SCHEMA, json, table};
use crate::core::axes::Axes;
use crate::core::configs;
use crate::core::documents::Documents;
use crate::core::evals::arms::by_row;
use crate::core::evals::{Arm, ArmName, BarSource, Earlier, History, Judged, JudgedRow, Scored, Then, arms, history, judge};
use crate::core::facts::Facts;
use crate::core::ids::{RunId, Sha};
use crate::core::policy::Policy;
use crate::core::sweep::sweeps;
use crate::core::trouble::Trouble;
use serde::Serialize;

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    /// The scores and the thresholds were read whole.
    complete: bool,
    /// The run that the scores come from; `null` when there is none.
    run_id: Option<RunId>,
    /// The scores of every earlier run of the pull request were read whole; `false` also where no earlier run is known
    /// because only one run was asked for.
    history_complete: bool,
    rows: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    /// `null` when several keys fit: then `candidates` names them.
    config: Option<&'a str>,
    task: &'a str,
    metric: &'a str,
    score: f64,
    stderr: Option<f64>,
    n: Option<u64>,
    threshold: Option<f64>,
    pass: Option<bool>,
    candidates: &'a [String],
    bar_source: Option<BarSource>,
    axes: &'a Axes,
    /// Score less threshold; `null` where no bar is known, or it is diagnostic.
    margin: Option<f64>,
    /// The arm that the score belongs to, with its lengths.
    arm: String,
    /// How many rows of the run say the same arm, point and task, this one included.
    copies: usize,
    /// The same score in earlier runs of the pull request, newest first.
    history: Vec<Past>,
}

/// One score of an earlier run.
#[derive(Serialize)]
struct Past {
    run: RunId,
    head: Sha,
    score: f64,
    /// Now less then.
    difference: f64,
    /// At most twice the combined standard error; `null` where a standard error is missing.
    within_noise: Option<bool>,
}

/// A run with its scores, judged and grouped.
struct Measured {
    head: Option<Sha>,
    judged: Judged,
    arms: Vec<Arm>,
}

/// The run, and behind it those that came before it, newest first; the latter are `None` where they are not known.
fn measured(policy: &Policy, facts: &Facts, run: RunId) -> (Measured, Option<Vec<Measured>>) {
    let (documents, keys) = (Documents::draw(policy, facts), configs::keys(policy, facts));
    let read = |run: RunId, head: Option<Sha>| {
        let judged = judge(policy, facts, &documents, &keys, run);
        let arms = arms(&judged);
        Measured { head, judged, arms }
    };
    let sweeps = sweeps(policy, facts);
    let before = sweeps.iter().position(|sweep| sweep.run.id == run).and_then(|at| sweeps.get(at + 1..));
    let before = before.map(|all| all.iter().map(|sweep| read(sweep.run.id, Some(sweep.run.head.clone()))).collect());
    (read(run, None), before)
}

/// Reports the scores of this run. `gaps` is what the choice of the run already lacks.
pub fn report(policy: &Policy, facts: &Facts, run: Option<RunId>, mut gaps: Vec<String>, as_json: bool) -> Report {
    let measured = run.map(|run| measured(policy, facts, run));
    let judged = measured.as_ref().map(|(now, _)| &now.judged);
    if let Some(judged) = judged.filter(|judged| !judged.complete) {
        let why = judged.why.as_ref().map_or_else(|| "not everything was read.".to_owned(), Trouble::sentence);
        gaps.push(format!("Scores of run {}: {why}", judged.run));
    } else if let Some(judged) = judged.filter(|judged| judged.rows.is_empty()) {
        gaps.push(format!("Scores of run {}: its artifact holds none.", judged.run));
    }
    let rows = judged.map(|judged| judged.rows.as_slice()).unwrap_or_default();
    let text = if as_json {
        let rows = measured.as_ref().map(|(now, before)| told(now, before.as_deref().unwrap_or_default()));
        let history_complete = match &measured {
            Some((_, Some(before))) => {
                facts.runs.settled().is_some_and(|got| got.value.is_complete())
                    && before.iter().all(|then| then.judged.complete || then.judged.holds_none)
            }
            _ => false,
        };
        let complete = gaps.is_empty();
        json(&Document { schema: SCHEMA, complete, run_id: run, history_complete, rows: rows.unwrap_or_default() })
    } else {
        let cells: Vec<Vec<String>> = rows.iter().map(cells).collect();
        table::render(&["", "config", "point", "task", "metric", "score", "bar", "margin", "n"], &cells)
    };
    Report { text, gaps }
}

/// The rows of a run, each with its arm and what the runs before said of it.
fn told<'a>(now: &'a Measured, before: &'a [Measured]) -> Vec<Row<'a>> {
    let groups = by_row(&now.arms);
    let then = || {
        let known = before.iter().filter_map(|then| Some((then.head.as_ref()?, then)));
        known.map(|(head, then)| Then { run: then.judged.run, head, judged: &then.judged, arms: &then.arms })
    };
    let told = now.judged.rows.iter().enumerate().map(|(at, score)| {
        let group: Option<&(&Arm, &Scored)> = groups.get(&at);
        let past = group.map(|(arm, scored)| history(score, &arm.name, &scored.spot, then()));
        row(score, group.map(|(arm, _)| &arm.name), group.map_or(1, |(_, scored)| scored.copies), past.unwrap_or_default())
    });
    told.collect()
}

fn row<'a>(row: &'a JudgedRow, arm: Option<&ArmName>, copies: usize, history: History) -> Row<'a> {
    Row {
        config: row.config.as_deref(),
        task: &row.task,
        metric: &row.metric,
        score: row.score,
        stderr: row.stderr,
        n: row.n,
        threshold: row.threshold,
        pass: row.pass,
        candidates: &row.candidates,
        bar_source: row.bar_source,
        axes: &row.axes,
        margin: row.margin().map(decimal),
        arm: arm.map(ArmName::to_string).unwrap_or_default(),
        copies,
        history: history.earlier.into_iter().map(past).collect(),
    }
}

fn past(then: Earlier) -> Past {
    let Earlier { run, head, score, difference, noise, .. } = then;
    Past { run, head, score, difference: decimal(difference), within_noise: noise.is_within() }
}

/// The difference of two decimal fractions, without what their binary forms leave: 0.029, not 0.029000000000000026.
fn decimal(difference: f64) -> f64 {
    (difference * 1e12).round() / 1e12
}

fn cells(row: &JudgedRow) -> Vec<String> {
    let mark = match row.pass {
        Some(true) => "✓",
        Some(false) => "✗",
        None => "?",
    };
    let config = row.config.clone().unwrap_or_else(|| row.candidates.join(" or "));
    let stderr = row.stderr.map(|stderr| format!(" ±{stderr:.4}")).unwrap_or_default();
    vec![
        mark.to_owned(),
        config,
        format!("{} {}", row.axes.render_parallel(), row.axes.render_conc()),
        row.task.clone(),
        row.metric.clone(),
        format!("{:.4}{stderr}", row.score),
        row.threshold.map_or_else(|| "not read".to_owned(), |bar| format!("{bar}")),
        row.margin().map(|margin| format!("{margin:+.4}")).unwrap_or_default(),
        row.n.map(|n| n.to_string()).unwrap_or_default(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::policy::tests::policy;
    use crate::core::remote::Remote;
    use crate::core::sample::{RUN, World};
    use serde_json::{Value, json};

    const OLDER: RunId = RunId(2);

    /// The sample with an older run, whose scores are these.
    fn facts(older: &[(f64, Option<f64>)]) -> Facts {
        let mut facts = World::new().opened(&policy());
        let Remote::Ready(runs) = &mut facts.runs else { panic!("not ready") };
        let mut run = runs.value.items[0].clone();
        run.id = OLDER;
        run.created_at = run.created_at.map(|at| at - chrono::TimeDelta::hours(3));
        runs.value.items.push(run);
        let Remote::Ready(mut then) = facts.evals[&RUN].clone() else { panic!("not ready") };
        let row = then.value.items[0].clone();
        let of = |&(score, stderr): &(f64, Option<f64>)| {
            let mut row = row.clone();
            (row.metrics[0].score, row.metrics[0].stderr) = (score, stderr);
            row
        };
        then.value.items = older.iter().map(of).collect();
        facts.evals.insert(OLDER, Remote::Ready(then));
        let artifacts = facts.artifacts[&RUN].clone();
        facts.artifacts.insert(OLDER, artifacts);
        facts
    }

    fn told(facts: &Facts, run: RunId) -> Value {
        serde_json::from_str(&report(&policy(), facts, Some(run), Vec::new(), true).text).unwrap()
    }

    #[test]
    fn each_row_tells_its_margin_its_arm_and_what_was_before() {
        let json = told(&facts(&[(0.9, Some(0.0048)), (0.96, None)]), RUN);
        let row = &json["rows"][0];
        let (score, head) = (row["score"].as_f64().unwrap(), World::new().head.to_string());
        assert_eq!(row["margin"], json!(decimal(score - row["threshold"].as_f64().unwrap())));
        assert_eq!((&row["arm"], &row["copies"]), (&json!("qwen3.5 fp4 b200 sglang TP2/EP2 mtp 8192/1024"), &json!(1)));
        let then = |before: f64, noise: Value| json!({"run": 2, "head": head, "score": before, "difference": decimal(score - before), "within_noise": noise});
        assert_eq!(row["history"], json!([then(0.9, json!(false)), then(0.96, json!(null))]));
        assert_eq!(json["history_complete"], json!(true));
    }

    #[test]
    fn the_oldest_run_has_no_history_and_a_run_alone_does_not_know_its_own() {
        let mut facts = facts(&[(0.9, None)]);
        let json = told(&facts, OLDER);
        assert_eq!((&json["rows"][0]["history"], &json["history_complete"]), (&json!([]), &json!(true)));
        facts.evals.remove(&OLDER);
        assert_eq!(told(&facts, RUN)["history_complete"], json!(false), "the older one is not read");
        facts.runs = Remote::Idle;
        assert_eq!(told(&facts, RUN)["history_complete"], json!(false));
    }

    #[test]
    fn the_table_has_a_column_for_the_margin() {
        let text = report(&policy(), &facts(&[]), Some(RUN), Vec::new(), false).text;
        let (head, row) = text.split_once('\n').unwrap();
        assert!(head.contains("bar") && head.contains("margin") && row.contains(" +0.0"), "{text}");
    }
}
