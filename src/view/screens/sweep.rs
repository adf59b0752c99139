//! The sweep: runs, lanes with their matrix, and jobs.
//! Must not know: which job belongs where (`app::screens::sweep` made the rows).

mod about;
mod table;

use crate::app::Model;
use crate::app::geometry::Area;
use crate::app::model::Pane;
use crate::app::screens::sweep::{Mode, SweepRow};
use crate::core::listing::Completeness;
use crate::core::pins::{Pin, Subject};
use crate::core::remote::Remote;
use crate::core::sweep::names::LaneKind;
use crate::core::sweep::{LaneGroup, MergedJob, Outcome, Sweep, Whole, matrix};
use crate::core::text::counted;
use crate::core::time::{Time, render_length};
use crate::view::marks;
use crate::view::notes::{self, Note};
use crate::view::paint::{Canvas, Row};
use crate::view::theme::Role;

/// Columns of one concurrency in the matrix.
const CELL: usize = 7;
/// From here on there is room for whole words in the row of a run, and for the step that tells of a job.
const ROOMY: usize = 100;

pub fn draw(canvas: &mut Canvas<'_>, model: &Model, area: Area) {
    let focused = model.focus == Pane::Sweep;
    let rows = &model.sweep.rows;
    let mut notes: Vec<Note> = notes::of_runs(&model.facts, model.now).into_iter().collect();
    // Which runs are the pull request's own is read from its commits.
    notes.extend(notes::of_list("commits", &model.facts.commits, model.now));
    notes.extend(model.facts.runs_of_head_only().map(|why| (Role::Warn, format!("! {why}"))));
    if model.review.conclusions.sweeps.is_empty() {
        notes::draw_title(canvas, area, focused, "Sweep", "", &[]);
        notes::draw_empty(canvas, area, &notes, "No sweep of a commit of this pull request is known.");
        if focused {
            canvas.focus(area, 0, 0);
        }
        return;
    }
    notes.extend(job_notes(model));
    notes::draw_title(canvas, area, focused, "Sweep", &counts(model), &notes);
    let columns = table::Columns::of(model, usize::from(area.cols));
    if let Some(columns) = &columns {
        table::draw_head(canvas, model, columns, notes::below(area, 1));
    }
    let body = notes::below(area, 1 + model.sweep.head_rows());
    if rows.is_empty() {
        canvas.row(body, 0, &Row::new().gap(1).text(Role::Dim, "No job matches the filter: / changes it, Esc clears it."));
        if focused {
            canvas.focus(body, 0, 0);
        }
    }
    let scroll = model.sweep.scroll;
    for (at, row) in rows.iter().enumerate().skip(scroll.top).take(usize::from(body.rows)) {
        let here = at == scroll.cursor;
        let head = Row::new().on(marks::ground(here, focused)).text(Role::Accent, marks::cursor(here));
        canvas.row(
            body,
            at - scroll.top,
            &draw_row(model, row, columns.as_ref().map(|columns| (columns, here)), head, usize::from(body.cols)),
        );
        if here && focused {
            canvas.focus(body, 0, at - scroll.top);
        }
    }
}

/// All runs and jobs; where several runs measure one commit, its jobs as one sweep.
fn counts(model: &Model) -> String {
    let (screen, sweeps) = (&model.sweep, &model.review.conclusions.sweeps);
    let mut out = counted(sweeps.len(), "run");
    if screen.wholes.len() < sweeps.len() {
        out.push_str(&format!(" of {}", counted(screen.wholes.len(), "commit")));
    }
    let read = |whole: &Whole| if whole.complete { "" } else { " so far" };
    let all: usize = screen.wholes.iter().map(|whole| whole.tally.total).sum();
    let idle = sweeps.iter().filter(|sweep| model.facts.jobs.get(&sweep.run.id).is_none_or(Remote::is_idle)).count();
    out.push_str(&match unread(model) {
        Some(0) => format!(" · {}", counted(all, "job")),
        Some(unread) => format!(" · {all} of {} jobs", all + unread),
        None if idle > 0 => format!(" · {all} jobs, {} not read", counted(idle, "run")),
        None => format!(" · {} so far", counted(all, "job")),
    });
    if let Some(whole) = screen.wholes.iter().find(|whole| whole.runs.len() > 1) {
        let marks: Vec<String> = marks::tally(&whole.tally).into_iter().map(|(_, text)| text).collect();
        let (runs, jobs) = (whole.runs.len(), whole.tally.total);
        out.push_str(&format!(" · {}: {runs} runs, {jobs} jobs{}, {}", whole.head.short(), read(whole), marks.join(" ")));
    }
    match (screen.mode, screen.order_by.title()) {
        (Mode::Causes, _) => out.push_str(" · by cause"),
        (Mode::List, Some(order)) => out.push_str(&format!(" · {order}")),
        _ => {}
    }
    match screen.sieve.render(screen.kept.0, screen.kept.1) {
        Some(filter) => format!("{out} · {filter}"),
        None => out,
    }
}

/// Jobs that GitHub says exist and that were not read; `None` when nobody knows, as of a run with several attempts: GitHub
/// counts every execution.
fn unread(model: &Model) -> Option<usize> {
    let of_run = |sweep: &Sweep| {
        let list = &model.facts.jobs.get(&sweep.run.id)?.settled()?.value;
        match &list.completeness {
            Completeness::Complete => Some(0),
            Completeness::Partial { of, .. } => {
                of.filter(|_| sweep.run.attempt < 2).map(|of| of.saturating_sub(list.items.len()))
            }
        }
    };
    model.review.conclusions.sweeps.iter().map(of_run).sum()
}

/// What is missing of the jobs, told once per run that misses some.
fn job_notes(model: &Model) -> Vec<Note> {
    let mut out = Vec::new();
    for sweep in &model.review.conclusions.sweeps {
        let name = format!("jobs of {}", sweep.run.id);
        match model.facts.jobs.get(&sweep.run.id) {
            Some(jobs) => out.extend(notes::of_list(&name, jobs, model.now)),
            None => out.extend(notes::of_value(&name, &Remote::<()>::Idle, model.now)),
        }
    }
    out
}

/// `table` are the columns of the matrix, and whether the cursor is on the row.
fn draw_row<'t>(
    model: &'t Model,
    row: &SweepRow,
    table: Option<(&table::Columns, bool)>,
    head: Row<'t>,
    cols: usize,
) -> Row<'t> {
    let Some(sweep) = model.review.conclusions.sweeps.get(row.sweep()) else { return head };
    let group = |lane: &usize| model.sweep.groups.get(&sweep.run.id).and_then(|groups| groups.get(*lane));
    let label_cols = (cols * 2 / 5).clamp(16, 56);
    match row {
        SweepRow::Run { open, sweep: at } => {
            run_row(model, sweep, model.review.conclusions.cited == Some(*at), *open, head, cols >= ROOMY)
        }
        SweepRow::Lane { lane, open, .. } => match group(lane) {
            Some(group) => lane_row(group, *open, head),
            None => head,
        },
        SweepRow::Scale { lane, .. } => match group(lane) {
            Some(group) => {
                let head = head.gap(4 + label_cols);
                group.columns.iter().fold(head, |row, conc| row.number(Role::Dim, conc_label(conc), CELL))
            }
            None => head,
        },
        SweepRow::Matrix { lane, row, .. } => match group(lane).and_then(|group| Some((group, group.rows.get(*row)?))) {
            Some((group, points)) => {
                let head = head.gap(4).path(Role::Text, points.label.as_str(), label_cols);
                group.columns.iter().fold(head, |row, conc| match points.cells.get(conc) {
                    Some(cell) => {
                        let count = cell.jobs.len();
                        let text = if count > 1 {
                            format!("{count}×{}", cell.outcome.mark())
                        } else {
                            cell.outcome.mark().to_string()
                        };
                        row.number(marks::outcome(&cell.outcome), text, CELL)
                    }
                    None => row.gap(CELL),
                })
            }
            None => head,
        },
        SweepRow::Job { job, .. } => match sweep.jobs.get(*job) {
            Some(job) => {
                let pinned = pinned(model, |pin| job.attempts.iter().any(|one| pin.job() == Some(one.id)));
                job_row(job, pinned, head, label_cols, model.now, cols >= ROOMY)
            }
            None => head,
        },
        SweepRow::About { .. } => about::run(model, sweep, head),
        SweepRow::Attempt { job, attempt, .. } => about::attempt(model, sweep, *job, *attempt, head),
        SweepRow::Cause { cause, open, .. } => {
            match model.sweep.causes.get(&sweep.run.id).and_then(|causes| causes.groups.get(*cause)) {
                Some(cause) => about::cause(cause, model.sweep.logs(sweep, cause), *open, head),
                None => head,
            }
        }
        SweepRow::Took { jobs, open, .. } => {
            let (jobs, verb) = (counted(*jobs, "job"), if *jobs == 1 { "was" } else { "were" });
            let said = format!("⊘ {jobs} of its matrix {verb} cancelled right after");
            head.gap(6).text(Role::Dim, marks::fold(*open)).text(Role::Warn, said)
        }
        SweepRow::Flaky { jobs, open, .. } => {
            let row = head
                .gap(2)
                .text(Role::Dim, marks::fold(*open))
                .text(Role::Warn, "~ flaky: failed, then passed in a later attempt of the same commit");
            row.right(Role::Dim, format!("{jobs} "))
        }
        SweepRow::Unharmed { .. } => head.gap(4).text(Role::Dim, unharmed(sweep)),
        SweepRow::Cells { row, .. } => match table {
            Some((columns, here)) => table::cells(model, *row, columns, here, head),
            None => head,
        },
    }
}

/// Nothing that went wrong is known of a run: which is good news only where everything was read.
fn unharmed(sweep: &Sweep) -> &'static str {
    match (sweep.complete, sweep.outcome().finished()) {
        (true, true) => "No job went wrong.",
        (true, false) => "No job has gone wrong so far.",
        (false, _) => "Of the jobs that were read, none went wrong.",
    }
}

fn conc_label(conc: &[u32]) -> String {
    match conc {
        [one] => format!("c{one}"),
        // A multi-node job runs through all of them: the ends say which.
        [first, .., last] => format!("c{first}…{last}"),
        [] => "–".to_owned(),
    }
}

/// Whether a run speaks of this head: `this head`, `2 commits ago`, `no longer in this pull request`.
pub fn standing(sweep: &Sweep) -> (Role, String) {
    match (sweep.at_head, sweep.behind, sweep.in_pull) {
        (true, _, _) => (Role::Good, "= this head".to_owned()),
        (_, _, Some(false)) => (Role::Bad, "no longer in this pull request".to_owned()),
        (_, Some(1), _) => (Role::Stale, "~ 1 commit ago".to_owned()),
        (_, Some(behind), _) => (Role::Stale, format!("~ {behind} commits ago")),
        (_, None, Some(true)) => (Role::Stale, "~ an earlier commit".to_owned()),
        (_, None, None) => (Role::Warn, "? not known whether in this pull request".to_owned()),
    }
}

fn run_row<'t>(model: &Model, sweep: &'t Sweep, cited: bool, open: bool, head: Row<'t>, roomy: bool) -> Row<'t> {
    let (run, outcome) = (&sweep.run, sweep.outcome());
    let (role, standing) = standing(sweep);
    // GitHub calls a run green whose failed jobs were let pass: its word stays, without the mark and the colour of good news.
    let (mark, ending) = match outcome.green() && !sweep.ended_well() {
        true => ('!', Role::Warn),
        false => (outcome.mark(), marks::outcome(&outcome)),
    };
    let mut row = head
        .text(Role::Dim, marks::fold(open))
        .text(ending, mark.to_string())
        .text(Role::Title, if roomy { format!(" run {}", run.id) } else { format!(" {}", run.id) })
        .text(Role::Dim, attempt(run.attempt, roomy))
        .text(Role::Text, run.head.short())
        .gap(1)
        .text(role, standing)
        .text(Role::Accent, if cited { " · cited" } else { "" })
        .text(Role::Accent, if pinned(model, |pin| pin.of == Subject::Run && pin.run == run.id) { " ◆" } else { "" })
        .text(Role::Dim, " · ")
        .text(ending, outcome.word().to_owned())
        .text(Role::Dim, " · ")
        .text(Role::Dim, run.event.as_str());
    let ended = if outcome.finished() { run.updated_at } else { Some(model.now) };
    if let (Some(from), Some(to)) = (run.started_at.or(run.created_at), ended) {
        row = row.text(Role::Dim, format!(" · {}", render_length(from, to)));
    }
    if sweep.executed_nothing() {
        // A canary, say, may have failed all the same.
        let row = row.right(Role::Warn, " measured nothing");
        let losses = marks::losses(&sweep.counts.all).into_iter();
        return losses.fold(row, |row, (role, text)| row.right(Role::Text, " ").right(role, text)).right(Role::Text, " ");
    }
    if model.facts.jobs.get(&run.id).is_none_or(Remote::is_idle) {
        return row.right(Role::Dim, " jobs not read: Enter reads them ");
    }
    let measured = sweep.counts.measured.executed;
    row = row.right(Role::Dim, if roomy { format!("  {measured} executed") } else { format!(" {measured} ran") });
    row =
        marks::tally(&sweep.counts.all).into_iter().fold(row, |row, (role, text)| row.right(Role::Text, " ").right(role, text));
    if !sweep.complete {
        row = row.right(Role::Running, " so far");
    }
    row.right(Role::Text, " ")
}

/// In a narrow pane a first attempt goes without saying.
fn attempt(attempt: u32, roomy: bool) -> String {
    match (roomy, attempt) {
        (true, _) => format!(" · attempt {attempt} · "),
        (false, 1) => " ".to_owned(),
        (false, _) => format!(" try {attempt} "),
    }
}

fn lane_row<'t>(group: &'t LaneGroup, open: bool, head: Row<'t>) -> Row<'t> {
    let kind = match group.kind {
        LaneKind::Canary => "canary",
        LaneKind::Benchmark => "benchmark",
        LaneKind::Eval => "eval",
        LaneKind::Plumbing => "",
    };
    let mut row = head.gap(2).text(Role::Dim, marks::fold(open)).text(Role::Title, group.lane.as_str());
    if !kind.is_empty() && kind != group.lane {
        row = row.text(Role::Dim, format!("  {kind}"));
    }
    row = row.right(Role::Dim, format!("{} ", counted(group.jobs.len(), "job")));
    marks::tally(&group.tally)
        .into_iter()
        .fold(row, |row, (role, text)| row.right(Role::Text, " ").right(role, text))
        .right(Role::Text, " ")
}

/// Whether the reviewer pinned such a thing.
fn pinned(model: &Model, is_it: impl Fn(&Pin) -> bool) -> bool {
    model.draft.pins.iter().any(is_it)
}

fn job_row<'t>(job: &'t MergedJob, pinned: bool, head: Row<'t>, label_cols: usize, now: Time, roomy: bool) -> Row<'t> {
    let role = marks::outcome(&job.outcome);
    let mut row = head.gap(2).text(Role::Accent, marks::pin(pinned)).text(role, job.outcome.mark().to_string()).gap(1);
    row = match &job.name.axes {
        Some(axes) => row
            .path(Role::Text, matrix::row_label(axes), label_cols)
            .gap(1)
            .column(Role::Text, axes.render_conc(), 10)
            .column(role, job.outcome.word().to_owned(), 10),
        None => row.path(Role::Text, job.job.name.as_str(), label_cols).gap(1).column(role, job.outcome.word().to_owned(), 15),
    };
    let ended = if job.outcome.finished() { job.job.completed_at } else { Some(now) };
    let took = match (job.job.started_at, ended) {
        (Some(from), Some(to)) if job.outcome.executed() || job.outcome == Outcome::InProgress => render_length(from, to),
        _ => String::new(),
    };
    row = row.gap(1).number(Role::Dim, took, 6);
    if job.name.combined {
        row = row.text(Role::Dim, "  with eval");
    }
    if job.is_flaky() {
        row = row.text(Role::Warn, "  flaky");
    }
    if job.attempts.len() > 1 {
        let outcomes = job.attempts.iter().map(|attempt| attempt.outcome().mark().to_string());
        row = row.text(Role::Warn, format!("  {}× {}", job.attempts.len(), outcomes.collect::<Vec<_>>().join("→")));
        if job.ambiguous {
            row = row.text(Role::Dim, " (same name twice: the order is a guess)");
        }
    }
    // In a narrow pane its attempts tell it.
    match job.job.steps.told(&job.outcome, now).filter(|_| roomy) {
        Some(step) => row.text(Role::Dim, "  ").text(Role::Text, step),
        None => row,
    }
}
