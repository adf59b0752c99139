//! The panes of points and results in the app: drawn while they are looked at, followed to jobs, compared, written.
//! Must not know: how points are covered or rows compared (`core::points`, `core::results`).

use super::{ask_due, go_to_run, motion::scroll, show};
use crate::app::effect::{Command, Effect, Export, Referring, Request, Slot};
use crate::app::model::{Model, Pane};
use crate::app::screens::results::Beside;
use crate::app::screens::sweep::SweepRow;
use crate::app::screens::{Motion, points, results};
use crate::core::plan::Read;
use crate::core::points::{self as covered, Points};
use crate::core::remote::Remote;
use crate::core::results::compare::Reference;
use crate::core::results::{Against, View};
use crate::core::trouble::Trouble;
use std::sync::Arc;

/// What the panes want to be read. Wishes of other facts than today's would ask for files of a head that is gone.
pub(super) fn needs(model: &Model) -> Vec<Read> {
    let points = Some(&model.points.needs).filter(|_| !model.points.is_behind(model.facts_serial));
    let results = if model.beside == Pane::Results { results::needs(model) } else { Vec::new() };
    points.into_iter().flatten().cloned().chain(results).collect()
}

/// Draws the points anew while they are looked at, and asks for what their cells need.
pub(super) fn sync_points(model: &mut Model) -> Vec<Effect> {
    if model.beside != Pane::Points || !model.points.is_behind(model.facts_serial) {
        return Vec::new();
    }
    let (policy, facts, conclusions) = (&model.policy, &model.facts, &model.review.conclusions);
    let points = Points::draw(policy, facts, conclusions);
    let mut needs = covered::needs(policy, facts, conclusions, &points);
    needs.extend(covered::launch_needs(facts, conclusions));
    model.points.take(points, needs, model.facts_serial);
    ask_due(model)
}

/// Has the chosen run's rows drawn while they are looked at, and asks for them where they are not read.
pub(super) fn sync_results(model: &mut Model) -> Vec<Effect> {
    if model.beside != Pane::Results {
        return Vec::new();
    }
    let needs = results::needs(model);
    let mut effects = Vec::new();
    if needs != model.results.needs {
        model.results.needs = needs;
        effects.extend(ask_due(model));
    }
    let run = results::run(model);
    model.results.leave_all_but(run);
    let drawing = run.and_then(|run| model.results.draw(&model.policy, &model.facts, run));
    if let Some(drawing) = drawing {
        effects.push(Effect::Ask(model.ticket(Slot::Draw), Request::Draw(drawing)));
    }
    effects
}

/// The next earlier run to compare with; after the last one none.
pub(super) fn next_reference(model: &mut Model) {
    let all = results::references(model);
    let next = match &model.results.against {
        Some(Beside::Earlier(now)) => all.iter().position(|run| run == now).and_then(|at| all.get(at + 1)).copied(),
        None | Some(Beside::Named { .. }) => all.first().copied(),
    };
    model.results.against = next.map(Beside::Earlier);
    match next {
        Some(run) => model.tell(format!("Compared with run {run}.")),
        None => model.tell("Compared with nothing."),
    }
}

/// Something was named to compare with: an arm is at hand, all else is read first.
pub(super) fn compare_with(model: &mut Model, named: Reference) -> Vec<Effect> {
    if let Reference::Arm(arm) = named {
        referred(model, Reference::Arm(arm.clone()).to_string(), Ok(Against::Arm(arm)));
        return Vec::new();
    }
    model.tell(format!("Reading {named} to compare with."));
    let referring = Referring {
        named,
        policy: Arc::clone(&model.policy),
        host: model.session.host.clone(),
        web: model.facts.web.clone(),
        pull: model.facts.pull.value().cloned(),
    };
    vec![Effect::Ask(model.ticket(Slot::Refer), Request::Refer(Box::new(referring)))]
}

/// What was named is here, or why not.
pub(super) fn referred(model: &mut Model, name: String, rows: Result<Against, Trouble>) {
    match rows {
        Ok(rows) => {
            model.tell(format!("Compared with {name}."));
            model.results.against = Some(Beside::Named { name, rows: Arc::new(rows), at: model.serial });
        }
        Err(trouble) => model.warn(format!("{name}: {}", trouble.sentence())),
    }
}

/// Plot and tables as files.
pub(super) fn export(model: &mut Model) -> Vec<Effect> {
    let Some(sheet) = model.results.sheet.clone() else { return Vec::new() };
    let run = model.results.run();
    let rows = run.and_then(|run| model.facts.results.get(&run)).and_then(Remote::settled);
    let complete = rows.is_some_and(|got| got.value.is_complete());
    let name = match run {
        Some(run) => format!("countersign-{}-{run}", model.facts.number),
        None => format!("countersign-{}", model.facts.number),
    };
    let export = Export {
        name,
        run,
        sheet,
        keys: model.review.conclusions.keys.clone(),
        complete,
        trigger: model.policy.signoff.trigger.clone(),
        view: model.results.view,
    };
    vec![Effect::Do(model.ticket(Slot::Hand), Command::Export(Box::new(export)))]
}

/// The curve so many further on.
pub(super) fn turn_curve(model: &mut Model, by: i64) {
    let last = model.results.curves().len().saturating_sub(1) as i64;
    let next = (model.results.curve as i64).saturating_add(by).clamp(0, last);
    model.results.choose(usize::try_from(next).unwrap_or(0));
    scroll(model, Pane::Results, Motion::Top);
}

/// Latency or interactivity on the other axis.
pub(super) fn turn_view(model: &mut Model) {
    model.results.view = if model.results.view == View::Latency { View::Interactivity } else { View::Latency };
    model.results.choose(model.results.curve);
}

/// From the point under the cursor to its job among the runs.
pub(super) fn follow(model: &mut Model) {
    let found = if model.focus == Pane::Points { points::job(model) } else { results::job(model) };
    let Some((run, job)) = found.map(|(run, job, _)| (run, job)) else { return };
    model.trail.push(model.focus);
    show(model, Pane::Sweep);
    let sweeps = &model.review.conclusions.sweeps;
    model.sweep.unfold(sweeps, model.review.conclusions.cited, run, job);
    let place = sweeps.iter().position(|sweep| sweep.run.id == run);
    let is_job = |row: &SweepRow| match row {
        SweepRow::Job { sweep, job: at } => {
            Some(*sweep) == place && sweeps[*sweep].jobs.get(*at).is_some_and(|merged| merged.job.id == job)
        }
        _ => false,
    };
    match model.sweep.rows.iter().position(is_job) {
        Some(at) => scroll(model, Pane::Sweep, Motion::To(at)),
        None => go_to_run(model, Pane::Sweep, Some(run)),
    }
}
