//! Rule `evals`: every score of the cited sweep reaches its bar, and the run measured with the image of the configs.
//! Must not know: where rows and bars come from.

mod images;

use super::read::points_of_cited;
use super::sweep::{Stop, capital, due, grounds, jobs, measured, no_other_evals, perhaps_evals};
use super::{Confidence, Context, Finding, Status};
use crate::core::evals::{Judged, JudgedRow};
use crate::core::evidence::{Evidence, Source};
use crate::core::facts::DocumentKind;
use crate::core::plan::Read;
use crate::core::remote::Remote;
use crate::core::sweep::{Sweep, eval_sweep};
use images::Images;

const KEY: &str = "evals";
const TITLE: &str = "Eval scores";

/// What the cited run measured: its rows tell the image. Where it has no evals, the jobs of another run of its commit.
pub(super) fn needs(context: &Context<'_>, reads: &mut Vec<Read>) {
    let keys = &context.conclusions.keys;
    if keys.entries.iter().chain(&keys.touched).any(|entry| entry.image.is_some()) {
        reads.extend(points_of_cited(context));
    }
    let other = context.conclusions.validation().and_then(|sweep| perhaps_evals(context, sweep));
    reads.extend(other.map(|other| Read::Jobs(other.run.id)));
}

pub(super) fn check(context: &Context<'_>) -> Finding {
    let finding = |status, reason| Finding::new(KEY, TITLE, status, reason);
    let stopped = |stop: Stop| finding(stop.status, stop.reason).with(stop.about.iter().flat_map(Sweep::evidence));
    let validation = match grounds(context) {
        Ok(sweep) => sweep,
        Err(stop) => return stopped(stop),
    };
    let due = match due(context, validation) {
        Ok(due) => due,
        Err(stop) => return stopped(stop),
    };
    let Some(sweep) = eval_sweep(&context.conclusions.sweeps, validation) else {
        // Its eval lanes may still come.
        return match measured(validation) {
            Err(stop) if stop.status == Status::Unavailable => finding(stop.status, stop.reason),
            _ if due.no_eval_is_due() && validation.counts.eval.cancelled == 0 => {
                let reason = "By the rules of the day of the sweep none of the changed points is evaluated.".to_owned();
                finding(Status::NotApplicable, reason).in_brief("no eval due").derived()
            }
            _ => {
                if let Err(stop) = no_other_evals(context, validation) {
                    return stopped(stop);
                }
                let tally = validation.counts.eval;
                let lost = if tally.cancelled > 0 { format!(": {} were cancelled", tally.cancelled) } else { String::new() };
                let label = capital(&validation.label());
                finding(Status::Fail, format!("{label} executed no eval lane{lost}, so there is no score.")).note(due.notes())
            }
        }
        .with(validation.evidence());
    };
    let Some(judged) = context.conclusions.judged.get(&sweep.run.id) else {
        return finding(Status::Unavailable, format!("The scores of {} are not read yet.", sweep.label()));
    };
    let evidence = evidence(context, sweep);
    let low: Vec<&JudgedRow> = judged.rows.iter().filter(|row| row.pass == Some(false)).collect();
    let (status, reason) = if !low.is_empty() {
        (Status::Fail, below(&low))
    } else if let Err(reason) = lanes(sweep) {
        reason
    } else {
        scores(sweep, judged)
    };
    let mut out = finding(status, reason).with(evidence);
    if status == Status::Pass || !low.is_empty() {
        out.brief = brief(judged);
    }
    if status == Status::Pass && edits_thresholds(context) {
        out.status = Status::Warn;
        out.reason.push_str(" This pull request edits the thresholds; the bars are the default branch's.");
    }
    if status == Status::Pass {
        if let Some(hole) = due.eval_hole() {
            out.status = Status::Warn;
            out.reason.push_str(&format!(" But {hole}."));
            out = out.suspect().note(due.notes());
        }
        match images::compare(context, sweep) {
            Images::None => {}
            Images::Same(note) | Images::Unknown(note) => out = out.note([note]),
            Images::Other(why) => {
                out.status = Status::Fail;
                let scores = std::mem::replace(&mut out.reason, why);
                out = out.in_brief("another image").note([scores]);
            }
        }
    }
    if out.confidence == Confidence::Exact {
        out = out.derived();
    }
    out
}

/// The eval jobs themselves.
fn lanes(sweep: &Sweep) -> Result<(), (Status, String)> {
    let (tally, label) = (sweep.counts.eval, capital(&sweep.label()));
    if !sweep.complete {
        let why = sweep.why.as_ref().map_or("not read yet", |trouble| trouble.headline.as_str());
        return Err((Status::Unavailable, format!("The jobs of {} are not read whole: {why}", sweep.label())));
    }
    if tally.failed > 0 {
        return Err((
            Status::Fail,
            format!("{label}: {} of {} eval {} failed.", tally.failed, tally.wanted(), jobs(tally.wanted())),
        ));
    }
    if tally.unfinished() > 0 {
        return Err((
            Status::Unavailable,
            format!("{label}: {} of {} eval {} not finished.", tally.unfinished(), tally.wanted(), verb(tally.wanted())),
        ));
    }
    if tally.green < tally.wanted() {
        let lost = tally.wanted() - tally.green;
        return Err((
            Status::Fail,
            format!("{label}: {lost} of {} eval {} ended without success.", tally.wanted(), jobs(tally.wanted())),
        ));
    }
    Ok(())
}

fn verb(count: usize) -> &'static str {
    if count == 1 { "job is" } else { "jobs are" }
}

/// The scores, none of which is below its bar.
fn scores(sweep: &Sweep, judged: &Judged) -> (Status, String) {
    let green = sweep.counts.eval.green;
    if !judged.complete {
        let reason = match &judged.why {
            Some(trouble) => trouble.headline.clone(),
            None => format!("The scores of {}, or their bars, are not read yet.", sweep.label()),
        };
        return (Status::Unavailable, reason);
    }
    if judged.results < green {
        let reason = format!(
            "{} has {green} green eval {}, but scores of {} only.",
            capital(&sweep.label()),
            jobs(green),
            judged.results
        );
        return (Status::Unavailable, reason);
    }
    let judged_rows: Vec<&JudgedRow> = judged.rows.iter().filter(|row| row.pass == Some(true)).collect();
    let Some(tightest) = judged_rows.iter().min_by(|a, b| margin(a).total_cmp(&margin(b))) else {
        return (Status::NeedsYou, "Every score is diagnostic: its bar is 0, so none was checked.".to_owned());
    };
    let diagnostic = judged.rows.len() - judged_rows.len();
    let besides = if diagnostic > 0 { format!(", {diagnostic} diagnostic besides") } else { String::new() };
    let reason = format!(
        "All {} scores of {} reach their bars{besides}; the closest is {} {} {} against {}.",
        judged_rows.len(),
        sweep.label(),
        tightest.task,
        tightest.metric,
        tightest.score,
        tightest.threshold.unwrap_or_default(),
    );
    (Status::Pass, reason)
}

/// The score that stands worst against its bar, of all points: `gsm8k 0.968 ≥ 0.94`.
fn brief(judged: &Judged) -> String {
    let rows = judged.rows.iter().filter(|row| row.pass.is_some());
    let Some(worst) = rows.min_by(|a, b| margin(a).total_cmp(&margin(b))) else { return String::new() };
    let sign = if worst.pass == Some(true) { '≥' } else { '<' };
    format!("{} {:.3} {sign} {}", worst.task, worst.score, worst.threshold.unwrap_or_default())
}

fn margin(row: &JudgedRow) -> f64 {
    row.score - row.threshold.unwrap_or_default()
}

/// Names the scores below their bars, the first three in full.
fn below(low: &[&JudgedRow]) -> String {
    let named: Vec<String> = low
        .iter()
        .take(3)
        .map(|row| {
            let at = format!("{} {} at {} {}", row.task, row.metric, row.axes.render_parallel(), row.axes.render_conc());
            match row.n {
                Some(0) => format!("{at} rests on no sample"),
                _ => format!("{at} scored {} against {}", row.score, row.threshold.unwrap_or_default()),
            }
        })
        .collect();
    let more = if low.len() > 3 { format!(", and {} more", low.len() - 3) } else { String::new() };
    format!("Below the bar: {}{more}.", named.join(", "))
}

fn edits_thresholds(context: &Context<'_>) -> bool {
    let document = context.facts.document(DocumentKind::Thresholds).and_then(Remote::value);
    let (Some(document), Some(files)) = (document, context.facts.files.value()) else { return false };
    files.items.iter().any(|file| file.path == document.path || file.previous_path.as_ref() == Some(&document.path))
}

/// The run and its jobs, the rows, the bars.
fn evidence(context: &Context<'_>, sweep: &Sweep) -> Vec<Evidence> {
    let mut out = sweep.evidence();
    if let Some(rows) = context.facts.evals.get(&sweep.run.id).and_then(Remote::known) {
        let label = format!("{} eval rows of {}", rows.value.items.len(), sweep.label());
        let source = Source { commit: Some(sweep.run.head.clone()), ..rows.source.clone() };
        out.push(Evidence::new("evals", label, Some(sweep.run.url.clone()), source));
    }
    if let Some(bars) = context.facts.document(DocumentKind::Thresholds).and_then(Remote::known) {
        out.push(Evidence::new("document", bars.value.path.clone(), None, bars.source.clone()));
    }
    out
}
