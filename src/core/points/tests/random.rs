//! Whatever comes in, nothing panics, and nothing is covered that the facts do not say so of.
//! Must not know: how points are drawn; what covers one is told here again, the long way.

use super::world::*;
use super::*;
use crate::core::facts::Side;
use crate::core::ids::RunId;
use crate::core::listing::Listing;
use crate::core::policy::scenario::ready;
use crate::core::pull::Job;
use crate::core::remote::Remote;
use crate::core::sweep::names;
use proptest::prelude::*;

const WORDS: [&str; 9] =
    ["success", "failure", "cancelled", "skipped", "in_progress", "queued", "neutral", "vanished", "timed_out"];

/// A job of the green world under another end, name, run or attempt.
fn any_job() -> impl Strategy<Value = (usize, usize, bool, u32, bool)> {
    (0usize..6, 0usize..WORDS.len(), any::<bool>(), 1u32..4, prop::bool::weighted(0.3))
}

fn spoiled(jobs: &[(usize, usize, bool, u32, bool)], flaws: u32) -> Facts {
    let mut facts = green();
    let mut lists: [Vec<Job>; 2] = [Vec::new(), Vec::new()];
    for (at, (place, word, eval, attempt, other)) in jobs.iter().enumerate() {
        let (parallel, conc) = MEASURED[*place];
        let run = if *other { OTHER } else { RUN };
        let list = &mut lists[usize::from(*other)];
        list.push(job(2_000 + at as u64, run, *attempt, &name(parallel, conc, *eval), WORDS[*word]));
    }
    let [own, others] = lists;
    if flaws & 1 == 0 {
        // Otherwise the green jobs stay beside them.
        jobs_of(&mut facts, RUN, own);
    } else {
        super::world::jobs(&mut facts).extend(own);
    }
    again(&mut facts, if flaws & 2 == 0 { HEAD } else { "left" }, |_| ());
    jobs_of(&mut facts, OTHER, others);
    if flaws & 4 != 0 {
        cut(value(facts.jobs.get_mut(&RUN).unwrap()));
    }
    if flaws & 8 != 0 {
        cut(value(facts.jobs.get_mut(&OTHER).unwrap()));
    }
    if flaws & 16 != 0 {
        cut(value(&mut facts.commits));
        value(&mut facts.runs).items[1].head = "unlisted".into();
    }
    if flaws & 32 != 0 {
        facts.results.get_mut(&RUN).unwrap().start();
    }
    if flaws & 64 != 0 {
        cut(value(facts.evals.get_mut(&OTHER).unwrap()));
    }
    if flaws & 0x380 == 0x380 {
        cut(value(&mut facts.runs));
    }
    facts
}

fn jobs_of(facts: &mut Facts, run: RunId, jobs: Vec<Job>) {
    facts.jobs.insert(run, ready("jobs", Listing::complete(jobs)));
}

/// Says of a job that covers something what must be true of the facts; nothing else may cover.
fn proves(facts: &Facts, point: &PointReview, job: &JobRef) {
    let runs = facts.runs.settled().unwrap();
    assert!(runs.value.is_complete());
    let run = runs.value.items.iter().find(|run| run.id == job.run).unwrap();
    assert_eq!(facts.has_commit(&run.head), Some(true));
    let list = &facts.jobs[&job.run].settled().unwrap().value;
    assert!(list.is_complete());
    let aliases = &POLICY.sweep.framework_aliases;
    let same: Vec<&Job> = list.items.iter().filter(|other| is_twin(&other.name, &job.name)).collect();
    let last = same.iter().map(|job| job.attempt).max().unwrap();
    let of_last: Vec<_> = same.iter().filter(|job| job.attempt == last).collect();
    let [only] = of_last.as_slice() else { panic!("several jobs of one name cover a point: {of_last:?}") };
    assert_eq!((only.id, only.conclusion.as_deref(), only.status.as_str()), (job.id, Some("success"), "completed"));
    assert_eq!(names::parse(&job.name, aliases).axes.as_ref(), Some(&point.axes));
}

fn is_twin(a: &str, b: &str) -> bool {
    let aliases = &POLICY.sweep.framework_aliases;
    names::parse(a, aliases).identity == names::parse(b, aliases).identity
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn only_what_the_facts_prove_is_covered(jobs in prop::collection::vec(any_job(), 0..14), flaws in 0u32..1024) {
        let facts = spoiled(&jobs, flaws);
        let points = draw(&facts);
        prop_assert_eq!(points.complete, points.doubt.is_none());
        for point in points.living() {
            if point.job.holds() {
                proves(&facts, point, point.job.found.as_ref().unwrap());
            }
            if point.result.holds() {
                prop_assert!(point.job.holds());
                let rows = facts.results[&point.job.found.as_ref().unwrap().run].settled().unwrap();
                prop_assert!(rows.value.is_complete());
                prop_assert_eq!(&point.result.found.as_ref().unwrap().axes, &point.axes);
            }
            if point.eval.holds() {
                let eval = point.eval.found.as_ref().unwrap();
                proves(&facts, point, &eval.job);
                prop_assert_eq!(eval.scores.as_ref().unwrap().worst.pass, Some(true));
                prop_assert!(facts.evals[&eval.job.run].settled().unwrap().value.is_complete());
                let bench = point.job.found.as_ref().filter(|_| point.job.holds());
                prop_assert!(bench.is_none_or(|bench| bench.commit == eval.job.commit));
            }
            // A cell is never silently empty.
            prop_assert!(point.job.found.is_some() || point.job.hole.is_some());
            prop_assert!(point.result.found.is_some() || point.result.hole.is_some());
            prop_assert!(point.eval.found.is_some() || point.eval.hole.is_some());
        }
        prop_assert!(points.untouched.rerun <= points.untouched.count);
    }

    #[test]
    fn texts_that_nobody_can_read_cover_nothing(
        master in "(?s)(k:|  image: x|[ a-z{}\\[\\]:,#\n*&!'\"-]{0,12}\n?){0,8}",
        log in "(?s)(- config-keys: [\\[\\]a-z*:#\n -]{0,12}\n?){0,4}",
    ) {
        let mut facts = green();
        let head = facts.sides[&(Side::Head, MASTER.to_owned())].value().unwrap().text.clone();
        for (text, log) in [(master.clone(), changelog("k", "")), (format!("{head}{master}"), format!("{}{log}", changelog("k", "")))] {
            configs(&mut facts, &head.replace(NEW_ROW, OLD_ROW), &text, &log);
            let conclusions = Conclusions::draw(&POLICY, &facts);
            let points = Points::draw(&POLICY, &facts, &conclusions);
            if !conclusions.keys.complete {
                prop_assert!(!points.complete);
                prop_assert!(points.living().all(|point| !point.job.holds() && !point.eval.holds()));
                prop_assert_eq!(points.untouched.rerun, 0);
            }
        }
    }

    #[test]
    fn names_of_any_kind_are_no_panic(names in prop::collection::vec("\\PC{0,60}", 0..20)) {
        let mut facts = green();
        let all = names.iter().enumerate().map(|(at, name)| job(at as u64, RUN, 1, name, "success"));
        let all: Vec<Job> = all.collect();
        jobs_of(&mut facts, RUN, all);
        prop_assert!(draw(&facts).living().all(|point| !point.job.holds()));
    }
}

#[test]
fn nothing_at_all_is_known_to_be_so() {
    let facts = Facts::new("https://github.com", green().repo, green().number);
    let points = draw(&facts);
    assert_eq!((points.complete, points.living().count()), (false, 0));
    assert_eq!(points.summary(), "Which points change is not known: The changed config files are not read yet.");
    let mut late = green();
    late.pull = Remote::Loading;
    late.commits = Remote::Loading;
    assert!(draw(&late).living().all(|point| !point.job.holds()));
}
