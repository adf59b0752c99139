//! The sweep pane's rows that tell of one thing: how a run came about and how long it takes, an attempt, a cause.
//! Must not know: which rows there are.

use super::pinned;
use crate::app::Model;
use crate::app::screens::sweep::told::Logs;
use crate::app::update::live;
use crate::core::sweep::causes::{Cause, CauseKind, Told};
use crate::core::sweep::origin::origin;
use crate::core::sweep::pace::is_going;
use crate::core::sweep::{Origin, Sweep, expiring, remaining};
use crate::core::text::counted;
use crate::core::time::render_span;
use crate::view::marks;
use crate::view::paint::Row;
use crate::view::theme::Role;

/// `labelled full-sweep · queued 4 m · about 25 m left (20 m to 40 m by 3 earlier runs)`.
pub fn run<'t>(model: &Model, sweep: &Sweep, head: Row<'t>) -> Row<'t> {
    let counts = |label: &str| {
        let policy = &model.policy;
        policy.errands.labels.iter().any(|known| known.name == label) || policy.sweep.trials.iter().any(|known| known == label)
    };
    let mut parts = vec![match origin(&model.facts, &sweep.run, counts) {
        Origin::Labelled(label) => format!("labelled {label}"),
        Origin::Under(labels) => format!("under {}", labels.join(", ")),
        Origin::NoLabel => "under no label of a sweep".to_owned(),
        Origin::Unread => "labels of its time not read".to_owned(),
    }];
    let course = model.sweep.courses.get(&sweep.run.id);
    if let Some(queued) = course.and_then(|course| course.queued(sweep, model.now)) {
        let seconds = queued.num_seconds();
        parts.push(if seconds < 5 { "not queued".to_owned() } else { format!("queued {}", render_span(seconds)) });
    }
    if let Some(left) = course.and_then(|course| remaining(sweep, course, model.sweep.courses.values(), model.now)) {
        parts.push(left.to_string());
    }
    // What is about to be lost stands where no width cuts it off.
    let goes = expiring(&model.facts, sweep.run.id).into_iter().map(|told| format!("! {told} · "));
    let row = head.gap(4).text(Role::Warn, goes.collect::<String>()).text(Role::Dim, parts.join(" · "));
    match live::asleep(model).filter(|_| is_going(sweep)) {
        Some(why) => row.text(Role::Warn, format!(" · {why}")),
        None => row,
    }
}

/// `attempt 1  ✗ failure in step 3 of 6, Launch job script  job 124080773804`.
pub fn attempt<'t>(model: &Model, sweep: &'t Sweep, job: usize, attempt: usize, head: Row<'t>) -> Row<'t> {
    let Some((job, attempt)) = sweep.jobs.get(job).and_then(|job| Some((job, job.attempts.get(attempt)?))) else { return head };
    let outcome = attempt.outcome();
    let role = marks::outcome(&outcome);
    let row = head
        .gap(4)
        .text(Role::Accent, marks::pin(pinned(model, |pin| pin.job() == Some(attempt.id))))
        .text(Role::Dim, format!("attempt {}  ", attempt.attempt))
        .text(role, format!("{} ", outcome.mark()));
    let row = match attempt.steps.told(&outcome, model.now) {
        Some(step) => row.text(role, outcome.word().to_owned()).text(Role::Text, format!(" {step}")),
        None => row.column(role, outcome.word().to_owned(), 14),
    };
    let row = row.text(Role::Dim, format!("  job {}", attempt.id));
    // Of earlier attempts only the outcome and the steps are kept.
    if attempt.id != job.job.id {
        return row;
    }
    let waited = job.job.created_at.zip(job.job.started_at).map(|(made, start)| (start - made).num_seconds());
    let waited = waited.filter(|seconds| *seconds >= 5).map(|seconds| format!("queued {}", render_span(seconds)));
    [waited, job.job.runner.clone()]
        .into_iter()
        .flatten()
        .fold(row, |row, text| row.text(Role::Dim, "  ").text(Role::Dim, text))
}

/// `✗ torch.OutOfMemoryError: CUDA out of memory`, over its jobs; where no log tells, `✗ failed in a step of its own`.
pub fn cause<'t>(cause: &'t Cause, logs: Logs, open: bool, head: Row<'t>) -> Row<'t> {
    let (mark, role) = match cause.kind {
        CauseKind::Cancelled | CauseKind::Stale => ("⊘", Role::Warn),
        CauseKind::NeedsApproval => ("!", Role::Warn),
        _ => ("✗", Role::Bad),
    };
    let took: usize = cause.losses.iter().map(|loss| loss.took.len()).sum();
    let mut counts = vec![counted(cause.losses.len(), "job")];
    counts.extend((took > 0).then(|| format!("{took} more with them")));
    for (logs, what) in [(logs.coming, "on the way"), (logs.failed, "not to be had"), (logs.left, "not read")] {
        counts.extend((logs > 0).then(|| format!("{} {what}", counted(logs, "log"))));
    }
    let row = head.gap(2).text(Role::Dim, marks::fold(open)).text(role, format!("{mark} "));
    let row = match cause.told() {
        Told::Log(reason) => row.text(Role::Title, reason),
        Told::Step(step) => row.text(Role::Title, cause.kind.title()).gap(2).text(Role::Text, step),
        Told::Word => row.text(Role::Title, cause.kind.title()),
    };
    row.right(Role::Dim, format!(" {} ", counts.join(", ")))
}
