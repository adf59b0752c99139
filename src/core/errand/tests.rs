//! Errands over a small pull request: what refuses each, and what each says before it is confirmed.

use super::*;
use crate::core::conclusions::Conclusions;
use crate::core::ids::{CommentId, UserId};
use crate::core::listing::Listing;
use crate::core::policy::tests::policy;
use crate::core::policy::{Pattern, parse};
use crate::core::pull::{Comment, CommentPlace, Permission};
use crate::core::remote::Remote;
use crate::core::sample::{RUN, TRIGGER, World, actor, at, comment, job, server_error};
use std::sync::OnceLock;

type Hurt = fn(&mut Facts);

fn world() -> World {
    let own = comment(101, actor("nv-owner-1", 42), "thanks");
    let mut world = World::new();
    world.comments.push(own);
    world.jobs.items.push(job(9, 1, "single-node 8k1k / / p3.750 | qwen3.5 fp4 b200 sgl TP2 c4", Some("failure")));
    world.jobs.items.push(job(10, 1, "single-node 8k1k / / p3.750 | qwen3.5 fp4 b200 sgl TP2 c8", Some("cancelled")));
    world
}

fn facts() -> Facts {
    static OPENED: OnceLock<Facts> = OnceLock::new();
    let opened = || {
        let mut facts = world().opened(&policy());
        facts.turn_to(at("2026-08-12T12:00:00Z"), None);
        facts
    };
    OPENED.get_or_init(opened).clone()
}

fn ready<T>(remote: &mut Remote<T>) -> &mut T {
    let Remote::Ready(got) = remote else { panic!("not read") };
    &mut got.value
}

fn run(facts: &mut Facts) -> &mut crate::core::pull::Run {
    &mut ready(&mut facts.runs).items[0]
}

fn pull(facts: &mut Facts) -> &mut Pull {
    ready(&mut facts.pull)
}

fn prepared(hurt: impl Fn(&mut Facts), errand: &Errand) -> Result<PreparedErrand, String> {
    of_policy(&policy(), hurt, errand)
}

fn of_policy(policy: &Policy, hurt: impl Fn(&mut Facts), errand: &Errand) -> Result<PreparedErrand, String> {
    let mut facts = facts();
    hurt(&mut facts);
    prepare(policy, &facts, &Conclusions::draw(policy, &facts), errand)
}

fn command(facts: &mut Facts, id: u64, body: &str, association: &str) {
    let command = Comment { association: association.into(), ..comment(id, actor("lead", 9), body) };
    ready(&mut facts.comments).items.push(command);
}

const PIN: Errand = Errand::Reuse { run: RUN };
const FAILED: Errand = Errand::RerunFailed { run: RUN };
const CANCEL: Errand = Errand::Cancel { run: RUN };

fn job_of(job: u64) -> Errand {
    Errand::RerunJob { run: RUN, job: JobId(job) }
}

fn on(name: &str) -> Errand {
    Errand::AddLabel(name.to_owned())
}

fn off(name: &str) -> Errand {
    Errand::RemoveLabel(name.to_owned())
}

#[test]
fn what_cannot_be_done_is_a_sentence() {
    let same: Hurt = |_| {};
    let going: Hurt = |facts| (run(facts).status, run(facts).conclusion) = ("in_progress".into(), None);
    let reads_only: Hurt = |facts| {
        let may = Permission { permission: "read".into(), role: None };
        facts.permissions.insert("nv-owner-1".into(), Remote::Ready(sourced(may)));
    };
    let closed: Hurt = |facts| pull(facts).state = "closed".into();
    let other = Errand::Cancel { run: RunId(7) };
    let signoff = |id| Errand::Dispatch { signoff: SignoffRef { place: CommentPlace::Conversation, id: CommentId(id) } };
    let table: Vec<(Hurt, Errand, &str)> = vec![
        (|facts| facts.viewer = Remote::Idle, FAILED, "Who you are on GitHub is not known"),
        (|facts| facts.pull = Remote::Idle, FAILED, "not read yet"),
        // Re-runs.
        (going, FAILED, "is in_progress still"),
        (|facts| run(facts).attempt = 50, FAILED, "none more than 50 times"),
        (|facts| run(facts).created_at = Some(at("2026-07-13T11:00:00Z")), FAILED, "made 30 days ago"),
        (|facts| ready(facts.jobs.get_mut(&RUN).unwrap()).items.truncate(4), FAILED, "No job of run 31020193450 failed"),
        (reads_only, FAILED, "takes write access, and nv-owner-1 has read here"),
        (|facts| facts.runs = Remote::Idle, FAILED, "list of runs is not read yet"),
        (same, other, "Run 7 is no sweep of this pull request"),
        (same, job_of(77), "no such job"),
        (same, job_of(2), "is green"),
        (same, job_of(4), "was skipped"),
        (going, job_of(9), "is in_progress still"),
        (same, CANCEL, "over already"),
        // Labels.
        (same, on("full-sweep-enabled"), "is there already"),
        (same, on("sweep-enabled"), "The label full-sweep-enabled is there, and two sweep labels conflict"),
        (|facts| pull(facts).labels.clear(), on("all-evals"), "no sweep label is there"),
        (same, on("wontfix"), "does not say what the label wontfix does"),
        (same, off("all-evals"), "is not there"),
        (closed, on("all-evals"), "is closed: a label starts nothing"),
        (reads_only, off("full-sweep-enabled"), "takes triage or write access"),
        // The pin.
        (closed, PIN, "is closed: a command there reuses nothing"),
        (|facts| (pull(facts).state, pull(facts).merged) = ("closed".into(), true), PIN, "is merged: a command there"),
        (|facts| run(facts).event = "workflow_dispatch".into(), PIN, "started by workflow_dispatch"),
        (|facts| run(facts).path = ".github/workflows/other.yml".into(), PIN, "it is no sweep, but Run Sweep"),
        (going, PIN, "it is in_progress still"),
        (|facts| run(facts).conclusion = Some("timed_out".into()), PIN, "it ended with timed_out"),
        (|facts| run(facts).head = "0123".into(), PIN, "has left the pull request"),
        (|facts| facts.commits = Remote::Idle, PIN, "commits are not all read"),
        (|facts| expire(facts), PIN, "have expired"),
        (|facts| facts.comments = Remote::Idle, PIN, "conversation is not read yet"),
        (|facts| part(facts), PIN, "not read whole, and a command may stand in it: only"),
        (|facts| command(facts, 200, "/reuse-sweep-run 31020193450", "OWNER"), PIN, "pinned already, by lead"),
        (same, Errand::Reuse { run: RunId(3_102_019_345) }, "did you mean 31020193450"),
        // The verifier.
        (same, signoff(999), "is gone, or not read"),
        (same, signoff(100), "is no sign-off"),
        (|facts| facts.repository = Remote::Idle, signoff(100), "default branch is not read"),
    ];
    for (hurt, errand, words) in table {
        match prepared(hurt, &errand) {
            Err(why) => assert!(why.contains(words) && why.ends_with(['.', '?']), "{errand:?}: {why}"),
            Ok(prepared) => panic!("{errand:?} was prepared: {prepared:?}"),
        }
    }
}

fn sourced<T>(value: T) -> crate::core::remote::Sourced<T> {
    let source =
        crate::core::evidence::Source { address: "/".into(), commit: None, read_at: Default::default(), digest: String::new() };
    crate::core::remote::Sourced { value, source }
}

fn expire(facts: &mut Facts) {
    facts.results.clear();
    ready(facts.artifacts.get_mut(&RUN).unwrap()).items.iter_mut().for_each(|artifact| artifact.expired = true);
}

fn part(facts: &mut Facts) {
    let list = ready(&mut facts.comments);
    *list = Listing::partial(std::mem::take(&mut list.items), None, server_error());
}

#[test]
fn what_it_does_and_sets_off_is_told_before() {
    let same: Hurt = |_| {};
    let table: Vec<(Hurt, Errand, &str, &[&str])> = vec![
        (
            same,
            FAILED,
            "Re-run the 1 failed and 1 cancelled jobs of run 31020193450 (attempt 1 → 2)",
            &["Jobs that depend on them run again too"],
        ),
        (
            |facts| {
                let list = ready(facts.jobs.get_mut(&RUN).unwrap());
                *list = Listing::partial(std::mem::take(&mut list.items), Some(240), server_error());
            },
            FAILED,
            "Re-run the failed jobs of run",
            &["How many jobs failed is not known: GitHub answered 502."],
        ),
        (|facts| run(facts).created_at = None, FAILED, "Re-run", &["How old the run is is not known"]),
        (|facts| facts.now = None, FAILED, "Re-run", &["How old the run is is not known"]),
        (
            |facts| {
                run(facts).head = "012345678901".into();
                pull(facts).head_repo = None;
            },
            FAILED,
            "Re-run",
            &["It measures 012345678, which has left the pull request"],
        ),
        (
            |facts| command(facts, 200, "/reuse-sweep-run 31020193450", "OWNER"),
            FAILED,
            "Re-run",
            &["the run that a merge reuses: until it is over again, a merge is refused"],
        ),
        (|facts| under_way(facts), FAILED, "Re-run", &["It ends run 31020193999, which is under way."]),
        (same, job_of(9), "Re-run the job single-node 8k1k / / p3.750 | qwen3.5 fp4 b200 sgl TP2 c4 of run", &["depend on it"]),
        (
            |facts| (run(facts).status, run(facts).conclusion) = ("in_progress".into(), None),
            CANCEL,
            "Cancel run 31020193450 (attempt 1)",
            &["No job of it is under way", "is no evidence until then"],
        ),
        (
            |facts| pull(facts).labels.clear(),
            on("full-sweep-fail-fast"),
            "Put the sweep label full-sweep-fail-fast on",
            &["Starts a canary, then everything; in each matrix the first failure cancels"],
        ),
        (
            |facts| {
                pull(facts).labels.clear();
                pull(facts).mergeable = Some(false);
                pull(facts).head_repo = Some(RepoName { owner: "someone".into(), name: "r".into() });
                ready(&mut facts.commits).items[0].message = "x [skip-sweep]".into();
                command(facts, 200, "/reuse-sweep-run", "OWNER");
                under_way(facts);
            },
            on("sweep-enabled"),
            "Put the sweep label sweep-enabled on",
            &[
                "Its run is no evidence, and a merge cannot reuse it.",
                "conflicts with main: GitHub starts no workflow",
                "The head commit says [skip-sweep]",
                "The head lies in a fork",
                "It ends run 31020193999",
                "The reuse command of lead stands: this sweep runs all the same, later pushes run none, and the merge reuses the \
                 newest run that succeeded.",
            ],
        ),
        (
            same,
            on("all-evals"),
            "Put the label all-evals on, beside full-sweep-enabled",
            &["Evaluates at every eligible point."],
        ),
        (
            same,
            off("full-sweep-enabled"),
            "Take the label full-sweep-enabled off",
            &["later pushes run no sweep", "A merge cannot reuse a run either", "Putting it on again starts a new sweep"],
        ),
        (
            |facts| pull(facts).labels.push("evals-only".into()),
            off("evals-only"),
            "Take the label evals-only off",
            &["goes by the labels that are left"],
        ),
        (
            same,
            PIN,
            "Comment /reuse-sweep-run 31020193450, so that the merge reuses run 31020193450",
            &["A rebase or force-push drops this pin", "later pushes run no sweep"],
        ),
        (
            |facts| {
                ready(&mut facts.comments).items.last_mut().unwrap().association = "CONTRIBUTOR".into();
                command(facts, 200, "/reuse-sweep-run", "OWNER");
                run(facts).conclusion = Some("failure".into());
                pull(facts).labels = vec!["sweep-enabled".into()];
                facts.results.clear();
                facts.artifacts.clear();
            },
            PIN,
            "Comment",
            &[
                "Whether the run still holds results that a merge can take over was not read.",
                "It takes the place of the command of lead, which names the newest run that succeeded.",
                "Your word may not count: GitHub calls you CONTRIBUTOR here",
                "It ended with failure",
                "The merge also wants a full sweep's label",
                "while the label sweep-enabled is there",
            ],
        ),
        (|facts| ready(&mut facts.comments).items.truncate(1), PIN, "Comment", &["Whether your word counts is not known"]),
    ];
    for (hurt, errand, what, told) in table {
        let prepared = prepared(hurt, &errand).unwrap_or_else(|why| panic!("{errand:?}: {why}"));
        assert!(prepared.what.starts_with(what), "{}", prepared.what);
        let all = prepared.consequences.join("\n");
        for words in told {
            assert!(all.contains(words), "{errand:?} does not say {words:?}:\n{all}");
        }
    }
}

/// A newer sweep that is not over.
fn under_way(facts: &mut Facts) {
    let mut other = run(facts).clone();
    (other.id, other.status, other.conclusion) = (RunId(31_020_193_999), "in_progress".into(), None);
    ready(&mut facts.runs).items.insert(0, other);
    // The first stays the one that is asked about.
    ready(&mut facts.runs).items.swap(0, 1);
}

#[test]
fn a_pin_is_the_command_and_nothing_else() {
    let pin = prepared(|_| {}, &PIN).unwrap();
    assert_eq!(pin.body(), Some("/reuse-sweep-run 31020193450"));
    assert_eq!((pin.number, pin.viewer.id, pin.page.as_str()), (PullNumber(7), UserId(42), "https://github.com/o/r/pull/7"));
    assert!(!pin.consequences.iter().any(|told| told.contains("word")), "{:?}", pin.consequences);

    let mut other = policy();
    other.rules.reuse.example = TRIGGER.to_lowercase();
    let any = Pattern::from(r"(\d+)".to_owned());
    other.rules.reuse.commands.values_mut().for_each(|pattern| *pattern = any.clone());
    assert!(of_policy(&other, |_| {}, &PIN).unwrap_err().contains("makes a sign-off"));
    other.rules.reuse.example = "please take".into();
    assert!(of_policy(&other, |_| {}, &PIN).is_ok());
    other.rules.reuse.commands.values_mut().for_each(|pattern| *pattern = Pattern::from("take 1(7)".to_owned()));
    assert!(of_policy(&other, |_| {}, &PIN).unwrap_err().contains("is not read as pinning run"));
}

#[test]
fn the_verifier_is_given_what_its_era_wants() {
    let body = format!("{TRIGGER}, I have looked.");
    let errand = Errand::Dispatch { signoff: SignoffRef { place: CommentPlace::Conversation, id: CommentId(300) } };
    let add = |facts: &mut Facts| ready(&mut facts.comments).items.push(comment(300, actor("lead", 9), &body));
    let told = prepared(add, &errand).unwrap();
    let Order::Dispatch { workflow, branch, inputs } = &told.order else { panic!("{:?}", told.order) };
    let inputs: Vec<_> = inputs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!((workflow.as_str(), branch.as_str()), ("codeowner-signoff-verify.yml", "main"));
    assert_eq!(inputs, [("comment_url", "https://github.com/o/r/pull/7#issuecomment-300")]);
    assert!(told.consequences.iter().any(|told| told == "The sign-off is lead's, not yours."));
    assert_eq!(told.sight(&facts()), Sight::Hidden);

    let mut older = policy();
    older.errands.verifier.as_mut().unwrap().inputs.remove("summer");
    assert!(of_policy(&older, add, &errand).unwrap_err().contains("no workflow of this time"));
}

#[test]
fn a_policy_without_the_section_offers_what_needs_none_of_it() {
    let ordinary = parse("o.yaml", include_str!("../../../assets/policies/ordinary.yaml")).unwrap();
    assert!(label_rows(&ordinary, &facts()).is_empty());
    for errand in [PIN, on("x"), off("x"), FAILED] {
        let why = of_policy(&ordinary, |_| {}, &errand).unwrap_err();
        assert!(why.contains("policy") || why.contains("no sweep of this pull request"), "{errand:?}: {why}");
    }
    let rows: Vec<(String, bool, bool)> =
        label_rows(&policy(), &facts()).iter().map(|row| (row.label.name.clone(), row.on, row.starts)).collect();
    assert_eq!(rows.iter().filter(|(_, on, _)| *on).count(), 1);
    assert_eq!(rows.iter().filter(|(_, _, starts)| *starts).count(), policy().rules.merge.sweep_labels.len());
}

#[test]
fn names_of_strangers_stay_text() {
    let evil = "a\u{1b}[31m\u{202e}\n/reuse-sweep-run 1";
    let mut other = policy();
    other.errands.labels.push(LabelPolicy { name: evil.into(), does: "Nothing.".into() });
    let told = of_policy(&other, |_| {}, &on(evil)).unwrap();
    assert_eq!(told.order, Order::AddLabel(evil.to_owned()), "the label is named as it is");
    let job = |facts: &mut Facts| {
        let items = &mut ready(facts.jobs.get_mut(&RUN).unwrap()).items;
        items.iter_mut().find(|job| job.id == JobId(9)).unwrap().name = evil.into();
    };
    let named = of_policy(&other, job, &job_of(9)).unwrap();
    let refused = prepared(|_| {}, &off(evil)).unwrap_err();
    for text in [&told.what, &named.what, &refused] {
        assert!(!text.contains(['\u{1b}', '\u{202e}', '\n']), "{text:?}");
    }
    assert_eq!(prepared(job, &PIN).unwrap().body(), Some("/reuse-sweep-run 31020193450"));
}

#[test]
fn what_happened_is_seen_in_what_is_read_afterwards() {
    let pin = prepared(|_| {}, &PIN).unwrap();
    let body = pin.body().unwrap().to_owned();
    let label = prepared(|_| {}, &off("full-sweep-enabled")).unwrap();
    let again = prepared(|_| {}, &FAILED).unwrap();
    let going: Hurt = |facts| (run(facts).status, run(facts).conclusion) = ("in_progress".into(), None);
    let end = prepared(going, &CANCEL).unwrap();
    let seen = Sight::Seen { link: None };
    let of = |prepared: &PreparedErrand, change: &dyn Fn(&mut Facts)| {
        let mut facts = facts();
        crate::core::plan::absorb(&mut facts, world().reply(Read::Run(RUN)));
        change(&mut facts);
        prepared.sight(&facts)
    };
    let ours = |id: u64, author: u64, body: &str| {
        let (comment, facts) = (comment(id, actor("nv-owner-1", author), body), &|facts: &mut Facts, comment| {
            ready(&mut facts.comments).items.push(comment);
        });
        move |all: &mut Facts| facts(all, comment.clone())
    };
    let link = Some("https://github.com/o/r/pull/7#issuecomment-900".to_owned());
    assert_eq!(of(&pin, &ours(900, 42, &format!("{body}\r\n"))), Sight::Seen { link });
    assert_eq!(of(&pin, &ours(900, 9, &body)), Sight::NotSeen, "another's");
    assert_eq!(of(&pin, &ours(99, 42, &body)), Sight::NotSeen, "an older one");
    assert_eq!(of(&pin, &ours(900, 42, "/reuse-sweep-run 1")), Sight::NotSeen, "another text");
    assert!(matches!(of(&pin, &part), Sight::Unread(why) if why.contains("not read whole")));
    assert_eq!(of(&label, &|_| {}), Sight::NotSeen);
    assert_eq!(of(&label, &|facts| pull(facts).labels.clear()), seen);
    assert!(matches!(of(&label, &|facts| facts.pull.start()), Sight::Unread(_)));
    assert_eq!(of(&again, &|_| {}), Sight::NotSeen);
    let again_at = |facts: &mut Facts, attempt, status: &str| {
        let run = ready(facts.single_runs.get_mut(&RUN).unwrap());
        (run.attempt, run.status) = (attempt, status.to_owned());
    };
    assert_eq!(of(&again, &|facts| again_at(facts, 2, "completed")), seen);
    assert_eq!(of(&again, &|facts| again_at(facts, 1, "queued")), seen);
    let lost = |facts: &mut Facts| drop(facts.single_runs.insert(RUN, Remote::Failed { trouble: server_error(), last: None }));
    assert_eq!(of(&again, &lost), Sight::Unread("Run 31020193450 cannot be read: GitHub answered 502.".into()));
    assert_eq!(of(&end, &|facts| again_at(facts, 1, "in_progress")), Sight::NotSeen);
    assert_eq!(of(&end, &|_| {}), seen);
}

#[test]
fn only_what_was_shown_is_sent() {
    let shown = prepared(|_| {}, &FAILED).unwrap();
    assert!(prepared(|_| {}, &FAILED).unwrap().was_shown_as(&shown));
    let warned = prepared(|facts| command(facts, 200, "/reuse-sweep-run 31020193450", "OWNER"), &FAILED).unwrap();
    assert!(!warned.was_shown_as(&shown), "a warning that was not there");
    assert!(shown.was_shown_as(&warned), "one that is gone");
    let moved: Hurt = |facts| pull(facts).head = "0123456789".into();
    assert!(!prepared(moved, &FAILED).is_ok_and(|now| now.was_shown_as(&shown)));
    assert!(!prepared(|facts| run(facts).attempt = 2, &FAILED).unwrap().was_shown_as(&shown));
}
