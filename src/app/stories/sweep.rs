//! Stories of the sweep pane: filtered, turned, opened cell by cell, and folded.
//! Must not know: terminals or wires.

use super::*;
use crate::app::screens::sweep::{Mode, SweepRow};
use crate::core::ids::JobId;
use crate::core::listing::Listing;
use crate::core::pull::Job;
use crate::core::sample::{at, job};
use crate::core::sweep::{Axis, Cause};
use crate::core::trouble::{Trouble, TroubleKind};

const POINT: &str = "single-node 8k1k / / p3.750 | qwen3.5 fp4 b200 sgl";

/// A sweep with a failure, what it cancelled, a flaky job and jobs without a point.
fn world() -> World {
    let mut world = World::new();
    let ended = |id, attempt, name: &str, word: &str, minute: u32| Job {
        completed_at: Some(at(&format!("2026-08-11T08:{minute:02}:00Z"))),
        runner: Some("node-3".to_owned()),
        ..job(id, attempt, name, Some(word))
    };
    world.run_conclusion = Some("failure".into());
    world.jobs = Listing::complete(vec![
        ended(1, 1, "setup", "success", 1),
        ended(2, 1, &format!("{POINT} TP2 c4"), "failure", 20),
        ended(3, 1, &format!("{POINT} TP2 c8"), "cancelled", 21),
        ended(4, 1, &format!("{POINT} TP4 c4"), "failure", 10),
        ended(5, 1, &format!("{POINT} TP4 c8"), "success", 30),
        ended(6, 2, &format!("{POINT} TP4 c4"), "success", 40),
        ended(7, 1, "agentic /", "skipped", 1),
    ]);
    world
}

fn stage() -> Stage {
    let mut stage = Stage::new(world()).open();
    stage.keys("2");
    stage
}

/// Ids of the jobs that are listed, in order.
fn listed(stage: &Stage) -> Vec<u64> {
    let id = |row: &SweepRow| match row {
        SweepRow::Job { sweep, job } => Some(stage.model.review.conclusions.sweeps[*sweep].jobs[*job].job.id.0),
        _ => None,
    };
    stage.model.sweep.rows.iter().filter_map(id).collect()
}

fn keyed(text: &str) -> String {
    text.chars().map(|c| if c == ' ' { "Space ".to_owned() } else { format!("{c} ") }).collect()
}

/// Puts the cursor on a row.
fn stand(stage: &mut Stage, on: impl Fn(&SweepRow) -> bool) {
    stage.model.sweep.scroll.cursor = stage.model.sweep.rows.iter().position(on).expect("there is such a row");
}

#[test]
fn jobs_are_filtered_while_the_filter_is_typed() {
    let mut stage = stage();
    let all = stage.model.sweep.rows.clone();
    assert_eq!(listed(&stage), [2, 3, 6, 5]);
    let table: [(&str, &[u64]); 8] = [
        ("is:failed", &[2]),
        ("-is:success", &[2, 3, 7]),
        ("is:root", &[2]),
        ("is:flaky", &[6]),
        ("is:earlier is:success", &[5, 1]),
        ("is:plumbing", &[1]),
        ("tp:2 conc:>=8", &[3]),
        ("lane:agentic", &[7]),
    ];
    for (text, kept) in table {
        stage.keys("/").keys(&keyed(text));
        assert_eq!(listed(&stage), kept, "{text}: before Enter");
        assert_eq!(stage.model.sweep.kept, (kept.len(), 6));
        stage.keys("Enter");
        assert_eq!((listed(&stage), stage.model.sweep.sieve.text.as_str()), (kept.to_vec(), text));
        stage.keys("Esc");
        assert_eq!((&stage.model.sweep.rows, stage.model.focus), (&all, Pane::Sweep), "{text}: Esc clears");
    }
    stage.keys("/").keys(&keyed("nowhere")).keys("Enter");
    assert!(stage.model.sweep.rows.is_empty() && stage.notice().contains("Nothing here matches"), "{}", stage.notice());
    // Whoever leads to a row of the list clears the filter.
    stage.keys("0 j j Enter");
    assert_eq!((stage.model.focus, &stage.model.sweep.rows), (Pane::Sweep, &all));
}

#[test]
fn a_cell_of_the_matrix_leads_to_its_jobs_and_esc_back() {
    let mut stage = stage();
    stage.keys("v");
    let pivot = stage.model.sweep.table.pivot.clone().unwrap();
    assert_eq!((stage.model.sweep.mode, pivot.axes), (Mode::Matrix, (Axis::Parallelism, Axis::Concurrency)));
    assert_eq!(
        (pivot.rows.as_slice(), pivot.columns.as_slice()),
        (&["TP2", "TP4", "–"].map(str::to_owned)[..], &["c4", "c8", "–"].map(str::to_owned)[..])
    );
    stage.keys("Right Enter");
    assert_eq!((stage.model.sweep.mode, listed(&stage)), (Mode::List, vec![3]));
    assert_eq!(stage.model.sweep.sieve.text, "parallel:\"TP2\" at:\"c8\"");
    stage.keys("Esc");
    assert_eq!((stage.model.sweep.mode, stage.model.sweep.table.pivot.as_ref()), (Mode::Matrix, Some(&pivot)));
    // A cell without jobs stays what it is.
    stage.keys("Right Right Right Enter");
    assert_eq!((stage.model.sweep.table.column, stage.model.sweep.mode), (2, Mode::Matrix));
    assert_eq!(stage.notice(), "No job is in this cell.");
    // The other axes come one by one, and all of them.
    let mut seen = HashSet::new();
    for _ in 0..10 {
        stage.keys("[");
        seen.insert(stage.model.sweep.table.pivot.as_ref().unwrap().axes.0);
    }
    assert_eq!((seen.len(), stage.model.sweep.table.pivot.as_ref().unwrap().axes), (10, pivot.axes));
    stage.keys("] ] ] ] ] ]");
    assert_eq!(stage.model.sweep.table.pivot.as_ref().unwrap().axes.1, Axis::Hardware);
    // A filter narrows the matrix, and a cell below it narrows further.
    stage.keys("/").keys(&keyed("is:success")).keys("Enter");
    assert_eq!(stage.model.sweep.table.pivot.as_ref().unwrap().rows, ["TP4"]);
    stage.keys("Enter");
    assert_eq!(listed(&stage), [6, 5]);
    // An open quote swallows nothing of the cell.
    stage.keys("Esc Esc /").keys(&keyed("is:success \"TP4")).keys("Enter Enter");
    assert_eq!(listed(&stage), [6, 5], "{}", stage.model.sweep.sieve.text);
    stage.keys("Esc Esc v v");
    assert_eq!((stage.model.sweep.mode, listed(&stage)), (Mode::List, vec![2, 3, 6, 5]));
    stage.keys("[");
    assert!(stage.notice().contains("v turns to it"), "{}", stage.notice());
}

#[test]
fn jobs_of_a_lane_are_sorted_and_the_cursor_stays() {
    let mut world = world();
    for (job, start) in world.jobs.items.iter_mut().zip(["08:00", "08:10", "08:01", "08:09", "07:00", "08:39"]) {
        job.started_at = Some(at(&format!("2026-08-11T{start}:00Z")));
    }
    let mut stage = Stage::new(world).open();
    stage.keys("2");
    stand(&mut stage, |row| row.job() == Some(3));
    let here = stage.model.sweep.rows[stage.model.sweep.scroll.cursor].clone();
    let mut orders = vec![listed(&stage)];
    for _ in 0..4 {
        stage.keys("s");
        orders.push(listed(&stage));
        assert_eq!(stage.model.sweep.rows[stage.model.sweep.scroll.cursor], here);
    }
    // As listed; worst first; the longest first (90, 20, 10 and 1 minutes); what ended last first.
    assert_eq!(orders, [[2, 3, 6, 5], [2, 3, 6, 5], [5, 3, 2, 6], [6, 5, 3, 2], [2, 3, 6, 5]]);
    stage.keys("v s");
    assert!(stage.notice().contains("works in the list"), "{}", stage.notice());
}

#[test]
fn the_cursor_stays_in_its_column_while_a_filter_moves_it() {
    let mut stage = stage();
    stage.keys("v Right");
    let column = |stage: &Stage| {
        let table = &stage.model.sweep.table;
        (table.column, table.pivot.as_ref().unwrap().columns[table.column].clone())
    };
    assert_eq!(column(&stage), (1, "c8".to_owned()));
    stage.keys("/").keys(&keyed("-at:c4")).keys("Enter");
    assert_eq!(column(&stage), (0, "c8".to_owned()));
    stage.keys("Esc");
    assert_eq!(column(&stage), (1, "c8".to_owned()));
}

#[test]
fn causes_stand_above_what_they_set_off() {
    let mut stage = stage();
    stage.keys("v v");
    let shown = |stage: &Stage| -> Vec<String> {
        let conclusions = &stage.model.review.conclusions;
        let id = |sweep: usize, job: usize| conclusions.sweeps[sweep].jobs[job].job.id;
        let row = |row: &SweepRow| match row {
            SweepRow::Cause { sweep, cause, .. } => {
                stage.model.sweep.causes[&conclusions.sweeps[*sweep].run.id].groups[*cause].key.clone()
            }
            SweepRow::Job { sweep, job } => id(*sweep, *job).to_string(),
            SweepRow::Took { jobs, open, .. } => format!("took {jobs} {open}"),
            SweepRow::Flaky { jobs, .. } => format!("flaky {jobs}"),
            other => format!("{other:?}").split([' ', '{']).next().unwrap_or_default().to_owned(),
        };
        stage.model.sweep.rows.iter().map(row).collect()
    };
    assert_eq!(shown(&stage), ["Run", "About", "failure", "2", "took 1 true", "3", "flaky 1", "6"]);
    stand(&mut stage, |row| matches!(row, SweepRow::Took { .. }));
    stage.keys("Enter");
    assert_eq!(shown(&stage), ["Run", "About", "failure", "2", "took 1 false", "flaky 1", "6"]);
    // A heading folds what stands below it, and nothing of another cause.
    stand(&mut stage, |row| matches!(row, SweepRow::Flaky { .. }));
    stage.keys("Enter");
    assert_eq!(shown(&stage), ["Run", "About", "failure", "2", "took 1 false", "flaky 1"]);
    stand(&mut stage, |row| matches!(row, SweepRow::Cause { .. }));
    stage.keys("Enter");
    assert_eq!(shown(&stage), ["Run", "About", "failure", "flaky 1"]);
    assert!(matches!(stage.model.sweep.rows[stage.model.sweep.scroll.cursor], SweepRow::Cause { open: false, .. }));
    stage.keys("Enter");
    assert_eq!(shown(&stage), ["Run", "About", "failure", "2", "took 1 false", "flaky 1"]);
    stage.keys("/").keys(&keyed("is:success")).keys("Enter");
    assert_eq!(shown(&stage), ["Run", "About", "flaky 1", "6"]);
    let mut stage = Stage::new(World::new()).open();
    stage.keys("2 v v");
    assert_eq!(shown(&stage), ["Run", "About", "Unharmed"]);
}

/// What each cause is, its jobs, and how many of its logs are missing.
fn told(stage: &Stage) -> Vec<String> {
    let sweep = &stage.model.review.conclusions.sweeps[0];
    let causes = &stage.model.sweep.causes[&sweep.run.id];
    let line = |cause: &Cause| {
        let ids: Vec<String> = cause.losses.iter().map(|loss| sweep.jobs[loss.job].job.id.to_string()).collect();
        let logs = stage.model.sweep.logs(sweep, cause);
        format!("{}: {} ({}/{}/{})", cause.key, ids.join(" "), logs.coming, logs.failed, logs.left)
    };
    causes.groups.iter().map(line).collect()
}

#[test]
fn jobs_that_failed_of_the_same_stand_together() {
    const OOM: &str = "torch.OutOfMemoryError: tried 3.5 GiB\n##[error]Process completed with exit code 1.";
    let mut world = world();
    let lost = |id, name: &str, minute| {
        let end = at(&format!("2026-08-11T09:{minute:02}:00Z"));
        Job { completed_at: Some(end), runner: Some("n".to_owned()), ..job(id, 1, name, Some("failure")) }
    };
    world.jobs.items.extend((0..3).map(|id| lost(20 + id, &format!("eval / / p0.000 | m fp4 b200 sgl TP{} c1", 1 << id), 10)));
    let mut stage = Stage::new(world).open();
    stage.logs.ends = std::collections::HashMap::from([
        (JobId(2), OOM),
        (JobId(21), "torch.OutOfMemoryError: tried 12 GiB\n##[error]Process completed with exit code 1."),
        (JobId(22), "torch.OutOfMemoryError: tried 12 GiB\n##[error]Process completed with exit code 137."),
    ]);
    stage.keys("2");
    assert_eq!(stage.logs.reasons, [], "nothing is read before somebody asks why");
    stage.keys("v v");
    assert_eq!(stage.logs.reasons.len(), 4, "each once: {:?}", stage.logs.reasons);
    let alike = "torch.OutOfMemoryError: tried … GiB · exit code";
    assert_eq!(
        told(&stage),
        [format!("{alike} 1: 2 21 (0/0/0)"), "failure: 20 (0/0/0)".to_owned(), format!("{alike} 137: 22 (0/0/0)")]
    );
    // A look that finds the same asks for nothing again.
    stage.keys("r v v v");
    assert_eq!(stage.logs.reasons.len(), 4);
}

#[test]
fn logs_that_cannot_be_had_are_counted_and_asked_for_again_by_hand() {
    let mut world = world();
    let lost = |id| Job { runner: Some("n".to_owned()), ..job(id, 1, &format!("test ({id})"), Some("failure")) };
    world.jobs = Listing::complete((1..=30).map(lost).collect());
    let mut stage = Stage::new(world).open();
    stage.logs.missing = Some(Trouble::new(TroubleKind::Gone, "The log is gone.", ""));
    stage.keys("2 v v");
    assert_eq!(stage.logs.reasons.len(), 24, "a sweep of many failures is not read whole");
    assert!(told(&stage)[0].ends_with("(0/24/6)"), "{:?}", told(&stage));
    stage.logs.missing = None;
    stage.keys("r");
    assert!(told(&stage)[0].ends_with("(0/0/6)"), "{:?}", told(&stage));
}

#[test]
fn a_job_opens_its_attempts_and_the_cursor_stays_with_it() {
    let mut stage = stage();
    let on = |row: &SweepRow, stage: &Stage, id: u64| {
        row.job().is_some_and(|job| stage.model.review.conclusions.sweeps[row.sweep()].jobs[job].job.id.0 == id)
    };
    let at = stage.model.sweep.rows.iter().position(|row| on(row, &stage, 6)).unwrap();
    stage.model.sweep.scroll.cursor = at;
    stage.keys("Enter");
    let attempts: Vec<usize> = stage.model.sweep.rows[at + 1..]
        .iter()
        .map_while(|row| if let SweepRow::Attempt { attempt, .. } = row { Some(*attempt) } else { None })
        .collect();
    assert_eq!(attempts, [0, 1]);
    // Log and page are those of the attempt; what is run again is the job.
    stage.keys("j");
    let link = crate::app::update::link_under_cursor(&stage.model).unwrap();
    let first = stage.model.review.conclusions.sweeps[0].jobs.iter().find(|job| job.job.id.0 == 6).unwrap().attempts[0].id;
    assert!(first.0 != 6 && link.ends_with(&format!("/job/{first}")), "{link}");
    assert_eq!(crate::app::update::errand::job_here(&stage.model).unwrap().1, JobId(6));
    stage.keys("l");
    assert_eq!(stage.model.joblog.as_ref().unwrap().of.job, first);
    stage.keys("q");
    // From an attempt Enter closes them again.
    stage.keys("Enter");
    assert_eq!(stage.model.sweep.scroll.cursor, at);
    assert!(!stage.model.sweep.rows.iter().any(|row| matches!(row, SweepRow::Attempt { .. })));
    // Jobs that come before it move the row, not the cursor.
    stage.world.jobs.items.insert(0, job(90, 1, "canary / m fp4 b200 sgl TP1 c1", Some("success")));
    stage.keys("r");
    let here = &stage.model.sweep.rows[stage.model.sweep.scroll.cursor];
    assert!(on(here, &stage, 6) && stage.model.sweep.scroll.cursor > at, "{here:?}");
}

#[test]
fn any_matrix_of_jobs_is_laid_out() {
    let mut world = World::new();
    let named = |id, name: &str, word| job(id, 1, name, Some(word));
    world.jobs = Listing::complete(vec![
        named(1, "test (ubuntu, 1.89)", "failure"),
        named(2, "test (ubuntu, 1.95)", "success"),
        named(3, "test (mac, 1.95)", "success"),
    ]);
    let mut stage = Stage::new(world).open();
    stage.keys("2 v [ ] Right Enter");
    assert_eq!((listed(&stage), stage.model.sweep.sieve.text.as_str()), (vec![2], "part2:\"ubuntu\" part3:\"1.95\""));
}
