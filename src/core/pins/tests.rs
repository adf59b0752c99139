//! What becomes of pins, as a table and as a property.
//! Must not know: the screen.

use super::*;
use crate::core::plan::Read;
use crate::core::policy::Policy;
use crate::core::policy::tests::policy;
use crate::core::pull::Job;
use crate::core::review::Review;
use crate::core::sample::{RUN, World, at, job, server_error};
use proptest::prelude::*;
use std::sync::LazyLock;

const NAME: &str = "single-node 8k1k / / p3.750 | qwen3.5 fp4 b200 sgl TP2/EP2 mtp   c64";

static POLICY: LazyLock<Policy> = LazyLock::new(policy);
static FACTS: LazyLock<Facts> = LazyLock::new(|| World::new().opened(&POLICY));

fn drawn(facts: &Facts) -> Conclusions {
    Conclusions::draw(&POLICY, facts)
}

/// The run, one of its jobs, and a line of that one's log.
fn pins(facts: &Facts) -> [Pin; 3] {
    let conclusions = drawn(facts);
    let (sweep, now) = (&conclusions.sweeps[0], at("2026-08-11T12:00:00Z"));
    let of_job = Pin::of_job(facts, sweep, JobId(2), now).unwrap();
    [Pin::of_run(sweep, now).unwrap(), of_job.clone(), of_job.with_line(facts, 7, "no room left")]
}

fn items<T>(remote: &mut Remote<Listing<T>>) -> &mut Vec<T> {
    let Remote::Ready(got) = remote else { panic!("not ready") };
    &mut got.value.items
}

fn cut<T>(remote: &mut Remote<Listing<T>>) {
    let Remote::Ready(got) = remote else { panic!("not ready") };
    let items = std::mem::take(&mut got.value.items);
    got.value = Listing::partial(items, Some(240), server_error());
}

fn jobs(facts: &mut Facts) -> &mut Remote<Listing<Job>> {
    facts.jobs.get_mut(&RUN).unwrap()
}

#[test]
fn a_pin_stands_until_whole_lists_say_otherwise() {
    type Change = fn(&mut Facts);
    // What becomes of the run, and of the job and its line.
    let table: [(&str, Change, &str, &str); 17] = [
        ("nothing", |_| {}, "Fresh", "Fresh"),
        (
            "a commit came",
            |f| {
                let mut next = items(&mut f.commits)[0].clone();
                next.sha = "next".into();
                items(&mut f.commits).push(next);
                let Remote::Ready(pull) = &mut f.pull else { panic!() };
                pull.value.head = "next".into();
            },
            "Earlier(1)",
            "Earlier(1)",
        ),
        (
            "the head moved before the list of commits did",
            |f| {
                let Remote::Ready(pull) = &mut f.pull else { panic!() };
                pull.value.head = "next".into();
            },
            "Earlier(1)",
            "Earlier(1)",
        ),
        (
            "its commit left",
            |f| {
                items(&mut f.commits)[0].sha = "next".into();
                let Remote::Ready(pull) = &mut f.pull else { panic!() };
                pull.value.head = "next".into();
            },
            "Orphaned",
            "Orphaned",
        ),
        (
            "its commit may have left",
            |f| {
                items(&mut f.commits)[0].sha = "next".into();
                let Remote::Ready(pull) = &mut f.pull else { panic!() };
                pull.value.head = "next".into();
                cut(&mut f.commits);
            },
            "Unread(..)",
            "Unread(..)",
        ),
        ("the run began again", |f| items(&mut f.runs)[0].attempt = 2, "Changed(\"attempt 2, success\")", "Fresh"),
        (
            "the run goes again",
            |f| {
                let run = &mut items(&mut f.runs)[0];
                (run.attempt, run.status, run.conclusion) = (2, "in_progress".into(), None);
            },
            "Changed(\"attempt 2, running\")",
            "Fresh",
        ),
        (
            "the run ended otherwise",
            |f| items(&mut f.runs)[0].conclusion = Some("failure".into()),
            "Changed(\"attempt 1, failure\")",
            "Fresh",
        ),
        (
            "the run is of another commit",
            |f| items(&mut f.runs)[0].head = "x".into(),
            "Changed(\"attempt 1, success\")",
            "Changed(\"attempt 1, success\")",
        ),
        ("the job ran again", |f| items(jobs(f)).push(job(9, 2, NAME, None)), "Fresh", "Changed(\"attempt 2, running\")"),
        (
            "the job ended otherwise",
            |f| items(jobs(f))[1].conclusion = Some("cancelled".into()),
            "Fresh",
            "Changed(\"attempt 1, cancelled\")",
        ),
        ("the job is gone", |f| drop(items(jobs(f)).remove(1)), "Fresh", "Gone"),
        ("the run is gone", |f| items(&mut f.runs).clear(), "Gone", "Gone"),
        (
            "the run may be among the rest",
            |f| {
                items(&mut f.runs).clear();
                cut(&mut f.runs);
            },
            "Unread(..)",
            "Unread(..)",
        ),
        ("a later job may be among the rest", |f| cut(jobs(f)), "Fresh", "Unread(..)"),
        ("the runs are being read again", |f| f.runs.start(), "Unread(None)", "Unread(None)"),
        (
            "runs of earlier commits are not listed",
            |f| {
                items(&mut f.runs).clear();
                let Remote::Ready(pull) = &mut f.pull else { panic!() };
                pull.value.head_branch = pull.value.base_branch.clone();
                pull.value.head_repo = Some(crate::core::ids::RepoName { owner: "fork".into(), name: "r".into() });
            },
            "Unread(..)",
            "Unread(..)",
        ),
    ];
    let pinned = pins(&FACTS);
    for (what, change, run, job) in table {
        let mut facts = FACTS.clone();
        change(&mut facts);
        let conclusions = drawn(&facts);
        let told = |pin: &Pin| match pin.standing(&facts, &conclusions) {
            Standing::Unread(Some(_)) => "Unread(..)".to_owned(),
            standing => format!("{standing:?}"),
        };
        assert_eq!(pinned.each_ref().map(told), [run, job, job].map(str::to_owned), "{what}");
    }
}

#[test]
fn what_has_not_ended_is_not_pinned_and_an_earlier_attempt_is_on_purpose() {
    let mut world = World { run_conclusion: None, ..World::new() };
    world.jobs.items[1] = job(2, 1, NAME, Some("failure"));
    world.jobs.items.push(job(9, 2, NAME, None));
    let mut facts = world.opened(&POLICY);
    let conclusions = drawn(&facts);
    let sweep = &conclusions.sweeps[0];
    assert_eq!(
        Pin::of_run(sweep, world.now).unwrap_err(),
        format!("What has not ended is no evidence yet, and run {RUN} is running: pin it once it ends.")
    );
    assert!(Pin::of_job(&facts, sweep, JobId(9), world.now).unwrap_err().contains("job 9 is running"));
    assert!(Pin::of_job(&facts, sweep, JobId(77), world.now).unwrap_err().contains("not in the list"));
    let earlier = Pin::of_job(&facts, sweep, JobId(2), world.now).unwrap();
    assert_eq!(earlier.label(), "job 2 attempt 1 of 2");
    assert_eq!(earlier.standing(&facts, &conclusions), Standing::Fresh);
    // A third attempt is news.
    items(jobs(&mut facts)).push(job(10, 3, NAME, Some("success")));
    let conclusions = drawn(&facts);
    assert_eq!(earlier.standing(&facts, &conclusions), Standing::Changed("attempt 3, success".into()));
    let again = Pin::of_job(&facts, &conclusions.sweeps[0], JobId(10), world.now).unwrap();
    assert!(again.replaces(&earlier, &conclusions.sweeps[0]) && !earlier.replaces(&again, &conclusions.sweeps[0]));
}

#[test]
fn what_is_pinned_is_read_with_the_rest_and_a_run_that_is_gone_is_not_asked_for() {
    let mut draft = Draft::new("h", FACTS.repo.clone(), FACTS.number);
    let wants = |draft: &Draft, facts: &Facts| Review::draw(&POLICY, facts, draft, None).needs.contains(&Read::Jobs(RUN));
    assert!(!wants(&draft, &FACTS));
    draft.pins = pins(&FACTS).to_vec();
    assert!(wants(&draft, &FACTS));
    assert_eq!(cited_runs(&draft, &FACTS, &drawn(&FACTS)), [RUN], "once, cited and pinned");
    let mut facts = FACTS.clone();
    items(&mut facts.runs).clear();
    assert!(!wants(&draft, &facts) && cited_runs(&draft, &facts, &drawn(&facts)).is_empty());
}

#[test]
fn a_line_is_kept_to_a_length() {
    let [_, job, _] = pins(&FACTS);
    let Subject::Line { text, .. } = job.with_line(&FACTS, 1, &"漢".repeat(4000)).of else { panic!() };
    assert!(text.ends_with("漢 …") && text.len() <= QUOTED + " …".len());
}

proptest! {
    /// However the lists come to differ, a pin is fresh only where whole lists say just what it says.
    #[test]
    fn fresh_is_what_whole_lists_say(
        (attempt, word, run_head, head, listed) in (1u32..3, 0usize..3, 0usize..2, 0usize..2, 0usize..4),
        (job_word, later, named) in (0usize..3, prop::bool::ANY, prop::bool::ANY),
        states in prop::array::uniform3(0usize..4),
    ) {
        const WORDS: [Option<&str>; 3] = [Some("success"), Some("failure"), None];
        let pinned = pins(&FACTS);
        let shas = [pinned[0].head.clone(), Sha::from("other")];
        let mut facts = FACTS.clone();
        let run = &mut items(&mut facts.runs)[0];
        (run.attempt, run.head) = (attempt, shas[run_head].clone());
        run.conclusion = WORDS[word].map(str::to_owned);
        run.status = if WORDS[word].is_some() { "completed" } else { "in_progress" }.into();
        let list = items(jobs(&mut facts));
        list[1] = job(if named { 2 } else { 3000 }, 1, NAME, WORDS[job_word]);
        if later {
            list.push(job(9, 2, NAME, Some("success")));
        }
        let commits = items(&mut facts.commits);
        let commit = commits[0].clone();
        *commits = [0, 1].into_iter().filter(|at| listed & (1 << at) != 0).map(|at| {
            crate::core::pull::Commit { sha: shas[at].clone(), ..commit.clone() }
        }).collect();
        let Remote::Ready(pull) = &mut facts.pull else { panic!() };
        pull.value.head = shas[head].clone();
        fn spoil<T>(list: &mut Remote<Listing<T>>, how: usize) {
            match how {
                0 => {}
                1 => cut(list),
                2 => list.start(),
                _ => list.absorb(Err(server_error()), true),
            }
        }
        spoil(&mut facts.runs, states[0]);
        spoil(&mut facts.commits, states[1]);
        spoil(jobs(&mut facts), states[2]);
        let conclusions = drawn(&facts);
        for pin in &pinned {
            let standing = pin.standing(&facts, &conclusions);
            let whole = states[0] == 0 && states[1] == 0 && (pin.job().is_none() || states[2] == 0);
            let same = match pin.job() {
                None => attempt == 1 && word == 0,
                Some(_) => named && job_word == 0 && !later,
            };
            prop_assert_eq!(standing == Standing::Fresh, whole && same && run_head == 0 && head == 0, "{:?} {:?}", pin, standing);
            if !whole {
                prop_assert!(!standing.blocks() || states[0] == 0, "{:?}", standing);
            }
        }
    }
}
