//! What counts as which change, what speaks for it over several runs and attempts, and the line that sums it up.
//! Must not know: why cells are empty.

use super::world::*;
use super::*;
use crate::core::facts::Facts;

/// Each point as a line: its list, its place, the changed fields.
fn lines(points: &Points) -> Vec<String> {
    let of = |list: &str, points: &[PointReview]| -> Vec<String> {
        let line = |point: &PointReview| {
            let fields: Vec<&str> = point.fields.iter().map(|field| field.word()).collect();
            format!("{list} {} {} {}", point.config, point.render_point(), fields.join(", ")).trim_end().to_owned()
        };
        points.iter().map(line).collect()
    };
    [of("+", &points.added), of("~", &points.changed), of("-", &points.removed)].concat()
}

fn changed(base: &str, head: &str, log: &str) -> Points {
    let mut facts = green();
    configs(&mut facts, base, head, log);
    draw(&facts)
}

#[test]
fn every_kind_of_change_is_told() {
    let row = "{ tp: 4, spec-decoding: mtp, conc-list: [4] }";
    let one = |row: &str| entry("k", "o/i:v1", &[row]);
    let base = one(row);
    let table: [(&str, String, &[&str]); 10] = [
        ("image", base.replace("v1", "v2"), &["~ k TP4 c4 image"]),
        ("model", base.replace("o/M", "o/N"), &["~ k TP4 c4 model"]),
        ("runner", base.replace("runner: b200", "runner: b300"), &["~ k TP4 c4 runner"]),
        ("spec", base.replace("mtp", "eagle"), &["~ k TP4 c4 speculative decoding"]),
        ("offload", one("{ tp: 4, spec-decoding: mtp, kv-offloading: dram, conc-list: [4] }"), &["~ k TP4 c4 KV offloading"]),
        ("recipe", one("{ tp: 4, spec-decoding: mtp, srt-recipe: a/b.yaml, conc-list: [4] }"), &["~ k TP4 c4 recipe"]),
        ("parallelism", base.replace("tp: 4", "tp: 8"), &["+ k TP8 c4", "- k TP4 c4"]),
        ("concurrency", base.replace("[4]", "[4, 8]"), &["+ k TP4 c8"]),
        ("removed", String::new(), &["- k TP4 c4"]),
        ("nothing", format!("# a remark\n{base}"), &[]),
    ];
    for (name, head, want) in table {
        let points = changed(&base, &head, &changelog("k", ""));
        assert_eq!(lines(&points), want, "{name}");
        assert!(points.removed.iter().all(|point| point.job.found.is_none() && point.hole().is_none()), "{name}");
    }
    let both = changed(&base, &base.replace("v1", "v2").replace("mtp", "eagle"), "");
    assert_eq!(lines(&both), ["~ k TP4 c4 image, speculative decoding"]);
    let fresh = changed("", &base, &changelog("k", ""));
    assert_eq!((lines(&fresh), fresh.untouched.count), (vec!["+ k TP4 c4".to_owned()], 0));
}

#[test]
fn axes_tell_the_row_that_changed_among_rows_of_one_place() {
    let base = entry("k", "o/i:v1", &["{ tp: 4, conc-list: [4] }"]);
    let head = entry("k", "o/i:v1", &["{ tp: 4, conc-list: [4] }", "{ tp: 4, spec-decoding: mtp, conc-list: [4] }"]);
    let points = changed(&base, &head, &changelog("k", ""));
    assert_eq!((points.added[0].axes.spec.as_deref(), points.untouched.count), (Some("mtp"), 1));
    let back = changed(&head, &base, &changelog("k", ""));
    assert_eq!((back.removed[0].axes.spec.as_deref(), back.added.len()), (Some("mtp"), 0));
}

#[test]
fn an_entry_that_moves_to_an_archive_is_retired_and_not_removed() {
    let (base, old) = (entry("k", "o/i:v1", &[OLD_ROW]), "configs/deprecated/nvidia.yaml");
    let mut facts = green();
    configs(&mut facts, &base, "", "");
    let patch = "@@ -1 +1,3 @@\n # archive\n+k:\n+  image: o/i:v1";
    let files = &mut value(&mut facts.files).items;
    files.push(file(old, "modified", Some(patch)));
    let points = draw(&facts);
    let retired = Retired { config: "k".into(), from: MASTER.into(), to: old.into(), points: 2 };
    assert_eq!((points.retired.as_slice(), points.removed.len()), (&[retired][..], 0));
    assert_eq!(points.summary(), "1 config retired");

    // Only an added key at the first column says so.
    for (patch, notes) in [(Some("@@ -1 +1 @@\n k:\n+  k:\n-k:"), 0), (None, 1)] {
        value(&mut facts.files).items[2].patch = patch.map(str::to_owned);
        let points = draw(&facts);
        assert_eq!((points.retired.len(), points.removed.len(), points.notes.len()), (0, 2, notes), "{patch:?}");
        assert_eq!(points.summary(), "2 removed");
    }
}

#[test]
fn a_pattern_stays_one_thing() {
    let base: String = (0..50).map(|n| entry(&format!("key-{n}"), "o/i:v1", &[OLD_ROW])).collect();
    let head = format!("{base}{}", entry("key-new", "o/i:v1", &[NEW_ROW]));
    let points = changed(&base, &head, &changelog("key-*", ""));
    assert_eq!(points.patterns, [Pattern { pattern: "key-*".into(), keys: Some(51) }]);
    assert_eq!((points.added.len(), points.changed.len(), points.untouched.count), (4, 0, 0));
    assert!(points.notes[0].contains("key-* for 51 configs"), "{:?}", points.notes);
    let shared = changed(&base, &base, &changelog("*", ""));
    assert_eq!((shared.patterns[0].keys, shared.living().count()), (Some(50), 0));
    let none = changed(&base, &head, &changelog("nothing", ""));
    assert!(none.notes[0].contains("no master file has such a config"), "{:?}", none.notes);
}

#[test]
fn what_is_named_and_not_changed_is_untouched() {
    let base = entry("k", "o/i:v1", &[OLD_ROW]);
    let points = changed(&base, &base, &changelog("k", ""));
    assert_eq!((points.living().count(), points.untouched), (0, Untouched { count: 2, rerun: 2 }));
    assert_eq!(points.summary(), "2 untouched re-run");
    let quiet = changed(&base, &base, "");
    assert_eq!((quiet.untouched, quiet.summary()), (Untouched::default(), "no measured point changes".to_owned()));
}

#[test]
fn the_latest_attempt_and_the_latest_run_that_count_speak() {
    type Row<'a> = (&'a str, fn(&mut Facts), &'a str, (u64, u32));
    let c64 = "TP2/EP2 mtp   c64";
    assert!(name("TP2/EP2", 64, false).contains(c64));
    // What happened, the hole of the job at c64, its run and attempt.
    let table: [Row<'_>; 8] = [
        (
            "a failure is mended by a later attempt",
            |f| {
                conclude(f, "TP2/EP2 mtp   c64", "failure");
                jobs(f).push(job(90, RUN, 2, &name("TP2/EP2", 64, false), "success"));
            },
            "",
            (RUN.0, 2),
        ),
        (
            "a later attempt fails",
            |f| jobs(f).push(job(90, RUN, 2, &name("TP2/EP2", 64, false), "failure")),
            "failed",
            (RUN.0, 2),
        ),
        ("a newer run measures it again", |f| again(f, HEAD, |_| ()), "", (OTHER.0, 1)),
        (
            "a newer run fails",
            |f| {
                again(f, HEAD, |job| {
                    if job.name.contains("c64") {
                        job.conclusion = Some("failure".into());
                    }
                })
            },
            "failed",
            (OTHER.0, 1),
        ),
        (
            "a newer run is gated",
            |f| {
                again(f, HEAD, |job| {
                    if job.name.contains(" | ") {
                        job.conclusion = Some("skipped".into());
                    }
                })
            },
            "",
            (RUN.0, 1),
        ),
        (
            "a newer run goes on",
            |f| {
                again(f, HEAD, |job| {
                    if job.name.contains("c64") {
                        (job.status, job.conclusion) = ("in_progress".into(), None);
                    }
                })
            },
            "",
            (RUN.0, 1),
        ),
        ("a newer run left the pull request", |f| again(f, "left", |_| ()), "", (RUN.0, 1)),
        (
            "a newer run is not read",
            |f| {
                again(f, HEAD, |_| ());
                f.jobs.remove(&OTHER);
            },
            "not_read",
            (0, 0),
        ),
    ];
    for (what, change, hole, place) in table {
        let mut facts = green();
        change(&mut facts);
        let points = draw(&facts);
        let job = &at(&points, 64).job;
        assert_eq!(word(job), hole, "{what}");
        assert_eq!(job.found.as_ref().map_or((0, 0), |job| (job.run.0, job.attempt)), place, "{what}");
    }
    let mut facts = green();
    again(&mut facts, HEAD, |job| (job.status, job.conclusion) = ("queued".into(), None));
    let points = draw(&facts);
    assert_eq!(at(&points, 64).job.found.as_ref().unwrap().newer, Some((OTHER, "queued".to_owned())));
    assert!(
        points.notes.iter().any(|note| note.contains("the newer run 31020193999 has them too (queued)")),
        "{:?}",
        points.notes
    );
}

#[test]
fn a_measurement_of_an_earlier_commit_is_told() {
    let mut facts = green();
    value(&mut facts.runs).items[0].head = earlier().into();
    let points = draw(&facts);
    assert_eq!(at(&points, 64).job.found.as_ref().unwrap().behind, Some(1));
    assert_eq!(
        points.notes,
        ["Run 31020193450 measured 111111111; 1 commit came later: see that nothing measured changed since."]
    );
    // Of a commit that is none of the pull request's nothing came later.
    value(&mut facts.runs).items[0].head = "left".into();
    let points = draw(&facts);
    assert_eq!((at(&points, 64).job.found.as_ref().unwrap().behind, points.notes), (None, Vec::new()));
}

#[test]
fn the_line_says_only_what_holds() {
    type Row<'a> = (fn(&mut Facts), &'a str);
    let table: [Row<'_>; 5] = [
        (
            |f| conclude(f, "TP2/EP2 mtp   c64", "failure"),
            "3 of 4 new points executed (1 failed), 1 of 2 due evals green, 2 untouched re-run",
        ),
        (|f| conclude(f, "TP4 mtp", "skipped"), "4 of 4 new points executed, 2 of 2 due evals green, 2 untouched"),
        (
            |f| conclude(f, "TP4 mtp   c16", "failure"),
            "4 of 4 new points executed, 2 of 2 due evals green, 1 of 2 untouched re-run",
        ),
        (
            |f| cut(value(f.jobs.get_mut(&RUN).unwrap())),
            "0 of 4 new points executed, 0 of 2 due evals green, 2 untouched; not everything is known: The jobs of run 31020193450 are not read whole: \
             GitHub answered 502. Press r to try again.",
        ),
        (|f| f.sides.clear(), "Which points change is not known: configs/nvidia-master.yaml is not read yet."),
    ];
    for (change, want) in table {
        let mut facts = green();
        change(&mut facts);
        assert_eq!(draw(&facts).summary(), want);
    }
}

#[test]
fn what_is_needed_is_asked_for_once() {
    use crate::core::plan::Read;
    let policy: &Policy = &POLICY;
    let needs = |facts: &Facts| {
        let conclusions = Conclusions::draw(policy, facts);
        needs(policy, facts, &conclusions, &Points::draw(policy, facts, &conclusions))
    };
    let results = |reads: &[Read]| reads.iter().any(|read| matches!(read, Read::Results { run, .. } if *run == RUN));
    assert!(results(&needs(&green())));
    let mut facts = green();
    facts.jobs.clear();
    let reads = needs(&facts);
    assert!(!results(&reads) && reads.contains(&Read::Jobs(RUN)), "{reads:?}");
}

#[test]
fn an_entry_that_moves_to_another_master_file_is_told() {
    let amd = "configs/amd-master.yaml";
    let mut facts = green();
    let (k, rest) = (entry("k", "o/i:v1", &[OLD_ROW]), entry("rest", "o/i:v1", &["{ tp: 8, conc-list: [1] }"]));
    configs(&mut facts, &k, "", &changelog("k", ""));
    value(&mut facts.files).items.push(file(amd, "modified", None));
    for (side, text) in [(crate::core::facts::Side::Base, rest.clone()), (crate::core::facts::Side::Head, format!("{rest}{k}"))]
    {
        facts.sides.insert((side, amd.into()), document(amd, &text));
    }
    let points = draw(&facts);
    assert_eq!((points.living().count(), points.removed.len()), (0, 0));
    assert_eq!(points.untouched, Untouched { count: 2, rerun: 2 });
    assert_eq!(points.notes, ["k moved from configs/nvidia-master.yaml to configs/amd-master.yaml."]);
}

/// A key that its section and its entry spell differently must not vanish.
#[test]
fn points_that_cannot_be_looked_up_are_missed() {
    let mut facts = green();
    configs(&mut facts, "", &entry("\"k\\e[2J\"", "o/i:v1", &[NEW_ROW]), &changelog("k*", ""));
    let points = draw(&facts);
    assert_eq!(points.living().count(), 0);
    assert!(points.doubt.unwrap().contains("cannot be looked up") && !points.complete);
}
