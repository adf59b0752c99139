//! A covered point, spoiled in every way that leaves a cell empty.
//! Must not know: how holes are told apart.

use super::world::*;
use super::*;
use crate::core::facts::DocumentKind;
use crate::core::listing::Listing;
use crate::core::policy::scenario::ready;
use crate::core::remote::Remote;
use crate::core::trouble::{Trouble, TroubleKind};
use serde_json::json;

#[test]
fn a_green_run_covers_every_point() {
    let points = draw(&green());
    assert_eq!((points.complete, points.doubt.as_deref(), points.added.len()), (true, None, 4));
    for (conc, eval) in [(4, "eval_not_due_below_concurrency"), (16, "eval_not_chosen"), (32, ""), (64, "")] {
        let point = at(&points, conc);
        assert_eq!((word(&point.job), word(&point.result), word(&point.eval)), ("", "", eval), "c{conc}");
        assert!(point.is_measured());
        let job = point.job.found.as_ref().unwrap();
        assert_eq!((job.run, job.attempt, job.behind), (RUN, 1, Some(0)));
        assert!(job.name.contains(&format!("TP2/EP2 mtp   c{conc}")));
        assert_eq!(point.result.found.as_ref().unwrap().axes.conc.values(), [conc]);
    }
    let eval = at(&points, 64).eval.found.clone().unwrap();
    assert_eq!((eval.job.id.0, eval.scores.unwrap().render().as_str()), (64, "gsm8k 0.968 ≥ 0.94"));
    assert_eq!(points.untouched, Untouched { count: 2, rerun: 2 });
    assert_eq!(points.summary(), "4 of 4 new points executed, 2 of 2 due evals green, 2 untouched re-run");
    assert_eq!(points.notes, Vec::<String>::new());
}

type Change = fn(&mut Facts);

/// Spoils the green world and looks at one cell of the point at c64: what it is called, and words of its sentence.
fn table(cell: fn(&PointReview) -> (&'static str, Option<&Hole>), rows: &[(&str, Change, &str, &str)]) {
    for (name, change, want, words) in rows {
        let mut facts = green();
        change(&mut facts);
        let points = draw(&facts);
        let point = at(&points, 64);
        let (got, hole) = cell(point);
        assert_eq!(got, *want, "{name}: {hole:?}");
        let sentence = hole.map(Hole::sentence).unwrap_or_default();
        assert!(sentence.contains(words), "{name}: {sentence}");
        assert!(want.is_empty() || (sentence.len() > 20 && sentence.ends_with('.')), "{name}: {sentence}");
        assert_eq!(points.complete, points.doubt.is_none(), "{name}");
        if *want == "not_read" {
            assert!(!points.complete, "{name}");
        }
        assert_eq!(point.hole().is_none(), point.is_measured() && point.eval.holds(), "{name}");
    }
}

/// The benchmark ends so, so many minutes after the run began.
fn lose(facts: &mut Facts, conc: &str, word: &str, minute: u32) {
    let name = format!("TP2/EP2 mtp   {conc}");
    conclude(facts, &name, word);
    let ended = crate::core::sample::at(&format!("2026-08-11T07:{minute}:00Z"));
    jobs(facts).iter_mut().filter(|job| job.name.ends_with(&name)).for_each(|job| job.completed_at = Some(ended));
}

fn skip_all(facts: &mut Facts) {
    conclude(facts, " | ", "skipped");
}

#[test]
fn the_job_of_a_point_is_missing_for_a_reason() {
    let rows: [(&str, Change, &str, &str); 33] = [
        ("no entry names it", |f| configs(f, &base(), &head(), &changelog("other", "")), "not_in_changelog", "names k"),
        ("no entry at all", |f| configs(f, &base(), &head(), ""), "not_in_changelog", "add an entry"),
        (
            "another scenario is asked for",
            |f| configs(f, &base(), &head(), &changelog("k", "  scenario-type: [agentic-coding]\n")),
            "not_asked_for",
            "widen the entry",
        ),
        (
            "evals only",
            |f| configs(f, &base(), &head(), &changelog("k", "  evals-only: true\n")),
            "not_asked_for",
            "does not ask for this",
        ),
        ("no run", |f| value(&mut f.runs).items.clear(), "no_run", "start one"),
        ("a run of another commit", |f| value(&mut f.runs).items[0].head = "left".into(), "run_of_other_commit", "of left"),
        ("it was skipped", |f| conclude(f, "TP2/EP2 mtp   c64", "skipped"), "skipped", "Skipped in run 31020193450"),
        (
            "its lane was skipped",
            |f| {
                jobs(f).retain(|job| !job.name.contains("c64"));
                jobs(f).push(job(90, RUN, 1, "single-node 8k1k /", "skipped"));
            },
            "skipped",
            "which condition",
        ),
        (
            "the canary failed",
            |f| {
                skip_all(f);
                jobs(f).push(job(90, RUN, 1, "canary / / p1.0 | qwen3.5 fp4 b200 sgl TP4 mtp c4", "failure"));
            },
            "skipped",
            "canary",
        ),
        ("everything was skipped", skip_all, "reuse_gated", "reuse an earlier one"),
        (
            "cancelled by fail-fast",
            |f| {
                value(&mut f.label_events).items.push(labelled("full-sweep-fail-fast", "2026-08-11T06:59:00Z"));
                lose(f, "c64", "cancelled", 21);
                lose(f, "c32", "failure", 20);
                lose(f, "c16", "failure", 22);
            },
            "cancelled_by_fail_fast",
            "after single-node 8k1k / qwen3.5 fp4 b200 sgl TP2/EP2 mtp c32 failed",
        ),
        (
            "cancelled beside a failure",
            |f| {
                // A label that came after the run began says nothing of it.
                value(&mut f.pull).labels = vec!["full-sweep-fail-fast".into()];
                value(&mut f.label_events).items.push(labelled("full-sweep-fail-fast", "2026-08-11T09:00:00Z"));
                lose(f, "c64", "cancelled", 21);
                lose(f, "c32", "failure", 20);
            },
            "cancelled",
            "TP2/EP2 mtp c32 of the same lane failed",
        ),
        (
            "cancelled before anything failed",
            |f| {
                value(&mut f.label_events).items.push(labelled("full-sweep-fail-fast", "2026-08-11T06:59:00Z"));
                lose(f, "c64", "cancelled", 20);
                lose(f, "c32", "failure", 50);
            },
            "cancelled",
            "run it again",
        ),
        (
            "a job of its lane has a name that cannot be read",
            |f| {
                jobs(f).retain(|job| !job.name.contains("c64"));
                jobs(f).push(job(90, RUN, 1, "single-node 8k1k / / p3.750 | something else", "failure"));
            },
            "not_read",
            "`single-node 8k1k / something else`",
        ),
        (
            "such a job of another lane says nothing",
            |f| {
                jobs(f).retain(|job| !job.name.contains("c64"));
                jobs(f).push(job(90, RUN, 1, "agentic / / p3.750 | something else", "failure"));
            },
            "not_in_run",
            "no such job",
        ),
        (
            "such a job stands before the bare lane that was skipped",
            |f| {
                jobs(f).retain(|job| !job.name.contains("c64"));
                jobs(f).push(job(90, RUN, 1, "single-node 8k1k / / p3.750 | something else", "skipped"));
                jobs(f).push(job(91, RUN, 1, "single-node 8k1k /", "skipped"));
            },
            "skipped",
            "which condition",
        ),
        ("cancelled", |f| conclude(f, "TP2/EP2 mtp   c64", "cancelled"), "cancelled", "run it again"),
        ("it failed", |f| conclude(f, "TP2/EP2 mtp   c64", "failure"), "failed", "(failure): see its log"),
        ("it timed out", |f| conclude(f, "TP2/EP2 mtp   c64", "timed_out"), "failed", "timed out"),
        ("neutral is not green", |f| conclude(f, "TP2/EP2 mtp   c64", "neutral"), "failed", "neutral"),
        ("it runs", |f| conclude(f, "TP2/EP2 mtp   c64", "in_progress"), "still_running", "(running): wait"),
        ("it waits", |f| conclude(f, "TP2/EP2 mtp   c64", "queued"), "still_running", "queued"),
        (
            "the run goes on and has not listed it",
            |f| {
                value(&mut f.runs).items[0].status = "in_progress".into();
                jobs(f).retain(|job| !job.name.contains("c64"));
            },
            "still_running",
            "the run is running",
        ),
        ("a word from tomorrow", |f| conclude(f, "TP2/EP2 mtp   c64", "vanished"), "unknown_state", "`vanished`"),
        ("the run does not hold it", |f| jobs(f).retain(|job| !job.name.contains("c64")), "not_in_run", "no such job"),
        (
            "a trial",
            |f| value(&mut f.label_events).items.push(labelled("sweep-enabled", "2026-08-11T06:00:00Z")),
            "trial_run",
            "label sweep-enabled",
        ),
        (
            "two configs have the same name",
            |f| {
                let twin = entry("k2", "o/i:v2", &[NEW_ROW]);
                let log = format!("{}{}", changelog("k", ""), changelog("k2", ""));
                configs(f, &base(), &format!("{}{twin}", head()), &log);
            },
            "ambiguous",
            "stands for 2 points",
        ),
        (
            "two jobs have the same name",
            |f| jobs(f).push(job(90, RUN, 1, &name("TP2/EP2", 64, false), "success")),
            "ambiguous",
            "found 2 times",
        ),
        ("the jobs are cut", |f| cut(value(f.jobs.get_mut(&RUN).unwrap())), "not_read", "GitHub answered 502"),
        ("the jobs are not read", |f| f.jobs.clear(), "not_read", "not read yet"),
        ("a new attempt began", |f| value(&mut f.runs).items[0].attempt = 2, "not_read", "Attempt 2 of run 31020193450"),
        ("the runs are cut", |f| cut(value(&mut f.runs)), "not_read", "The runs are not read whole"),
        (
            "the labels are not read",
            |f| f.label_events = Remote::Loading,
            "not_read",
            "Under which labels run 31020193450 was started",
        ),
    ];
    table(|point| (word(&point.job), point.job.hole.as_ref()), &rows);
}

fn base() -> String {
    entry("k", "o/i:v1", &[OLD_ROW])
}

fn head() -> String {
    entry("k", "o/i:v1", &[OLD_ROW, NEW_ROW])
}

/// What is due is known from the configs and the day, whatever is read of the jobs.
#[test]
fn an_eval_that_is_not_due_stays_so_while_jobs_are_not_read() {
    let mut facts = green();
    cut(value(facts.jobs.get_mut(&RUN).unwrap()));
    let points = draw(&facts);
    assert_eq!(word(&at(&points, 4).eval), "eval_not_due_below_concurrency");
    assert_eq!((word(&at(&points, 4).job), word(&at(&points, 64).eval)), ("not_read", "not_read"));
}

/// What is not known of configs and commits covers nothing.
#[test]
fn a_point_behind_a_veil_is_not_covered() {
    let rows: [(&str, Change, &str, &str); 6] = [
        ("the runs are read again", |f| f.runs.start(), "not_read", "The runs are not read yet"),
        (
            "the runs failed",
            |f| f.runs = Remote::Failed { trouble: Trouble::new(TroubleKind::Network, "No way.", "Wait."), last: None },
            "not_read",
            "The runs cannot be read: No way. Wait.",
        ),
        (
            "the commits are cut, and the run is not of the head",
            |f| {
                value(&mut f.runs).items[0].head = "unlisted".into();
                cut(value(&mut f.commits));
            },
            "not_read",
            "its commits are not read whole",
        ),
        ("the changed files are cut", |f| cut(value(&mut f.files)), "not_read", "not read"),
        (
            "an entry beside it cannot be read",
            |f| configs(f, &base(), &format!("{}x: [\n", head()), &changelog("k", "")),
            "not_read",
            "cannot be read",
        ),
        (
            "a named entry stands in a file that was not read",
            |f| {
                let log = changelog("k", "").replace("    - \"k\"\n", "    - k\n    - far\n");
                configs(f, &base(), &head(), &log);
                f.masters.clear();
            },
            "not_read",
            "far",
        ),
    ];
    table(|point| (word(&point.job), point.job.hole.as_ref()), &rows);
}

#[test]
fn the_result_of_a_point_is_missing_for_a_reason() {
    fn rows(facts: &mut Facts) -> &mut Vec<crate::core::results::ResultRow> {
        &mut value(facts.results.get_mut(&RUN).unwrap()).items
    }
    fn failed(facts: &mut Facts, kind: TroubleKind) {
        let trouble = Trouble::new(kind, "It is gone.", "Repeat the sweep.");
        facts.results.insert(RUN, Remote::Failed { trouble, last: None });
    }
    let table_rows: [(&str, Change, &str, &str); 12] = [
        ("its job failed", |f| conclude(f, "TP2/EP2 mtp   c64", "failure"), "not_measured", "no result to look up"),
        ("not read", |f| f.results.clear(), "not_read", "are not read yet"),
        ("cut", |f| cut(value(f.results.get_mut(&RUN).unwrap())), "not_read", "were not read whole"),
        ("none kept", |f| failed(f, TroubleKind::NotFound), "no_results", "kept no results"),
        ("expired", |f| failed(f, TroubleKind::Gone), "not_read", "It is gone. Repeat the sweep."),
        ("no row", |f| rows(f).retain(|row| row.axes.conc.values() != [64]), "no_row", "None of the 5 result rows"),
        (
            "the same load at other lengths",
            |f| rows(f)[5] = result(RUN, 2, 2, 64, json!({"isl": 1024})),
            "no_row",
            "None of the 6",
        ),
        ("two rows", |f| rows(f).push(result(RUN, 2, 2, 64, json!({"tput_per_gpu": 1.0}))), "several_rows", "2 result rows"),
        ("another image", |f| rows(f)[5] = result(RUN, 2, 2, 64, json!({"image": "o/i:v0"})), "other_image", "o/i:v0"),
        ("the image with its other separator", |f| rows(f)[5] = result(RUN, 2, 2, 64, json!({"image": "o#i:v1"})), "", ""),
        ("no number", |f| rows(f)[5] = result(RUN, 2, 2, 64, json!({"tput_per_gpu": -1.0})), "no_number", "no throughput"),
        (
            "the run goes on",
            |f| value(&mut f.runs).items[0].status = "in_progress".into(),
            "still_running",
            "collected at its end",
        ),
    ];
    table(|point| (word(&point.result), point.result.hole.as_ref()), &table_rows);
}

#[test]
fn the_eval_of_a_point_is_missing_for_a_reason() {
    fn scores(facts: &mut Facts) -> &mut Vec<crate::core::evals::EvalRow> {
        &mut value(facts.evals.get_mut(&RUN).unwrap()).items
    }
    fn bars(facts: &mut Facts, text: &str) {
        facts.documents.insert(DocumentKind::Thresholds, document("t.yaml", text));
    }
    let rows: [(&str, Change, &str, &str); 16] = [
        (
            "no evals are asked for",
            |f| configs(f, &base(), &head(), &changelog("k", "  no-evals: true\n")),
            "eval_not_asked_for",
            "asks for none",
        ),
        ("no entry names it", |f| configs(f, &base(), &head(), ""), "not_in_changelog", "names k"),
        ("the lane was skipped", |f| conclude(f, "eval-only", "skipped"), "skipped", "Skipped"),
        ("it failed", |f| conclude(f, "c64 | eval-only", "failure"), "failed", "see its log"),
        ("it runs", |f| conclude(f, "c64 | eval-only", "in_progress"), "still_running", "wait"),
        ("it is not there", |f| jobs(f).retain(|job| !job.name.contains("c64 | eval")), "not_in_run", "no such job"),
        ("the scores are not read", |f| f.evals.clear(), "not_read", "The scores of run"),
        ("the bars are not read", |f| f.documents.clear(), "not_read", "or their bars"),
        ("the scores are cut", |f| cut(value(f.evals.get_mut(&RUN).unwrap())), "not_read", "502"),
        ("no score", |f| scores(f).truncate(1), "no_score", "none of this point"),
        ("below the bar", |f| scores(f)[1] = score(64, 0.931), "below_bar", "scored 0.931 against 0.94"),
        ("one of two scores below", |f| scores(f).push(score(64, 0.5)), "below_bar", "0.5 against"),
        (
            "it failed on its score",
            |f| {
                conclude(f, "c64 | eval-only", "failure");
                scores(f)[1] = score(64, 0.931);
            },
            "below_bar",
            "0.931 against 0.94",
        ),
        ("on no sample", |f| scores(f)[1].n = Some(0), "below_bar", "0.968"),
        ("the bar is nothing", |f| bars(f, "default: {gsm8k: 0.0}"), "diagnostic", "no score was checked"),
        (
            "evaluated on an earlier commit only",
            |f| {
                again(f, HEAD, |_| ());
                value(&mut f.runs).items[1].head = earlier().into();
                let newer = &mut value(f.jobs.get_mut(&OTHER).unwrap()).items;
                newer.retain(|job| !job.name.contains("eval"));
                let lane = job(3_000, OTHER, 1, "eval /", "skipped");
                newer.push(lane);
            },
            "eval_of_other_commit",
            "not the commit of the benchmark",
        ),
    ];
    table(|point| (word(&point.eval), point.eval.hole.as_ref()), &rows);
}

#[test]
fn evals_alone_may_be_asked_for_and_are_found() {
    let mut facts = green();
    configs(&mut facts, &base(), &head(), &changelog("k", "  evals-only: true\n"));
    let points = draw(&facts);
    let point = at(&points, 64);
    assert_eq!((word(&point.job), word(&point.result), word(&point.eval)), ("not_asked_for", "not_measured", ""));
    let listing: Listing<crate::core::pull::Run> = Listing::complete(Vec::new());
    facts.runs = ready("runs", listing);
    assert_eq!(word(&at(&draw(&facts), 64).eval), "no_run");
}
