//! The bundled demo: its recording is what its sources tell, could have come from GitHub, and answers every read.
//! Must not know: screens.
//!
//! `assets/demo/recording.jsonl` is made from the files beside it. After a change there:
//! `COUNTERSIGN_BLESS=1 cargo test --test fast demo`.

mod filler;
mod hub;
mod story;

use crate::workstation::Workstation;
use countersign::core::checklist::blocks::is_signoff;
use countersign::core::checklist::parse_template;
use countersign::core::facts::DocumentKind;
use countersign::core::listing::Listing;
use countersign::core::policy::{self, Policy, Status};
use countersign::core::posting::Posting;
use countersign::core::remote::Remote;
use countersign::core::session::Draft;
use countersign::github::{Client, Clock, Recording, Settings, parse_recording};
use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};
use story::Story;

/// The committed text; made anew first where that is asked for.
static RECORDING: LazyLock<String> = LazyLock::new(|| {
    let path = story::folder().join("recording.jsonl");
    if cfg!(shared) && std::env::var_os("COUNTERSIGN_BLESS").is_some() {
        std::fs::write(&path, hub::render(&Story::read(), &policy())).unwrap();
    }
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
});

pub fn recording() -> Recording {
    let (recording, problems) = parse_recording(&RECORDING).unwrap();
    assert_eq!(problems, []);
    recording
}

pub fn policy() -> Policy {
    let text = include_str!("../../assets/policies/inferencex.yaml");
    policy::parse("assets/policies/inferencex.yaml", text).unwrap()
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn the_recording_is_what_its_sources_tell() {
    let made = hub::render(&Story::read(), &policy());
    let same = made.lines().zip(RECORDING.lines()).take_while(|(made, kept)| made == kept).count();
    assert!(
        made == *RECORDING,
        "assets/demo/recording.jsonl is stale from line {}: renew it with `COUNTERSIGN_BLESS=1 cargo test --test fast demo`",
        same + 1
    );
}

/// The demo as its window shows it, with nothing left to read.
pub async fn opened() -> Workstation {
    let recording = recording();
    let now = recording.recorded_at;
    let clock: Clock = Arc::new(move || now);
    let (repo, number) = (recording.repo.clone(), recording.number);
    let client = Client::replay(recording, Settings::new(Arc::clone(&clock))).unwrap();
    let desk = Workstation::open(client, repo, number, clock).await;
    assert_eq!(desk.failed, [], "the recording holds every read");
    desk
}

fn whole<T>(remote: &Remote<Listing<T>>) -> &[T] {
    let list = &remote.settled().expect("it was read").value;
    assert!(list.is_complete());
    &list.items
}

#[tokio::test]
async fn every_read_of_an_opening_and_of_a_posting_is_recorded() {
    let mut desk = opened().await;
    let reads = desk.asked.len();
    let facts = &desk.model.facts;
    let pull = facts.pull.value().unwrap().clone();
    assert!(pull.title.contains("测试点"), "a wide title shows that columns hold");
    assert_eq!(whole(&facts.files).len() as u64, pull.changed_files);
    assert_eq!(whole(&facts.commits).len() as u64, pull.commits);
    assert_eq!(whole(&facts.comments).len() as u64, pull.comments);
    assert_eq!((whole(&facts.reviews).len(), whole(&facts.line_comments).len()), (2, 2));
    assert_eq!(whole(&facts.runs).len(), 3);
    // Both config files and the script at both sides; the lint run is no sweep.
    assert_eq!((facts.sides.len(), facts.jobs.len(), facts.evals.len()), (6, 2, 1));
    assert!(facts.jobs.values().all(|jobs| !whole(jobs).is_empty()));
    assert_eq!(facts.evals.values().map(|rows| whole(rows).len()).sum::<usize>(), 4);

    for keys in ["r", "Space P p"] {
        let before = desk.asked.len();
        desk.keys(keys).await;
        assert!(desk.asked.len() - before > 8 && reads > 8, "{keys} reads again");
        assert_eq!(desk.failed, [], "{keys}");
        assert_eq!(desk.model.facts.head(), Some(&pull.head));
    }
    assert!(matches!(desk.model.posting, Posting::Confirming(_)), "{:?}", desk.model.posting);
}

#[tokio::test]
async fn the_story_lacks_a_recipe_link_and_nothing_else() {
    let policy = policy();
    let facts = opened().await.model.facts;
    let findings = policy::preflight(&policy, &facts, &Draft::new("h", facts.repo.clone(), facts.number));
    let said: Vec<String> = findings.iter().map(|f| format!("{} {:?}: {}", f.key, f.status, f.reason)).collect();
    let good = |status| matches!(status, Status::Pass | Status::NotApplicable);
    let bad: Vec<&str> = findings.iter().filter(|finding| !good(finding.status)).map(|finding| finding.key.as_str()).collect();
    // Nothing is ticked yet: that is the author's to do.
    assert_eq!(bad, ["recipe", "template"], "{said:#?}");
    assert_eq!(findings.len(), policy::RULES.len());
    let cited: BTreeSet<&str> = findings.iter().flat_map(|f| &f.evidence).map(|e| e.label.as_str()).collect();
    assert!(cited.contains("run 31020193450 attempt 2"), "{cited:?}");
}

#[tokio::test]
async fn every_item_of_the_template_is_known() {
    let policy = policy();
    let facts = opened().await.model.facts;
    let document = facts.document(DocumentKind::Checklist).and_then(Remote::value).unwrap();
    let template = parse_template(document, &policy).unwrap();
    let known = template.items.iter().filter_map(|item| item.known.as_ref());
    let keys: Vec<&str> = known.map(|item| item.key.as_str()).collect();
    let expected = [
        "latest_version",
        "code_quality",
        "pr_validation",
        "evals",
        "chat_template",
        "agentic_golden_al",
        "not_deprecated",
        "no_arch_hacks",
        "upstream_images",
        "engine_first",
        "recipe_documented",
        "recipe_pr_merged",
        "no_engine_patch",
        "exceptions_reasoned",
    ];
    assert_eq!((keys.as_slice(), template.items.len()), (expected.as_slice(), expected.len()));
    for needed in [&policy.signoff.login_placeholder, &policy.signoff.detail_placeholder, &policy.signoff.trigger] {
        assert_eq!(document.text.matches(needed.as_str()).count(), 1, "{needed}");
    }
}

#[tokio::test]
async fn no_comment_is_taken_for_a_sign_off() {
    let policy = policy();
    let facts = opened().await.model.facts;
    let all = whole(&facts.comments).iter().chain(whole(&facts.reviews)).chain(whole(&facts.line_comments));
    assert!(all.clone().count() >= 8);
    assert!(!all.into_iter().any(|comment| is_signoff(&policy, &comment.body)));
}
