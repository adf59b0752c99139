//! One story over both kinds of client, so that the demo and a live pull request differ in the leaf service only.
//! Must not know: layers, HTTP, terminals.

use crate::demo;
use crate::hub::{Hub, TOKEN};
use crate::screens::text;
use crate::workstation::Workstation;
use countersign::app::model::Pane;
use countersign::core::ids::{PullNumber, RepoName};
use countersign::core::posting::Posting;
use countersign::github::{Base, Client, Clock, Secret, Settings};
use countersign::runtime::clock;
use serde_json::json;
use std::sync::Arc;

/// Panes by their keys, with words that only their content shows.
const PANES: [(&str, Pane, &[&str]); 6] = [
    ("1", Pane::Diff, &["master.yaml", "@@ -", "+ "]),
    ("2", Pane::Sweep, &["31020193450", "TP2/EP2"]),
    ("3", Pane::Evals, &["gsm8k", ".9710±", "= this head"]),
    ("4", Pane::Talk, &["pr-author · description", "nv-owner-1"]),
    ("5", Pane::Signoff, &["As a PR reviewer and CODEOWNER", "Signed: `nv-owner-1`"]),
    ("0", Pane::Checklist, &["latest checklist", "code quality", "PR validation"]),
];

/// Looks into every pane, ticks an item, reads the comment, and gives the word. Returns the comment that was shown.
async fn sign_off(desk: &mut Workstation) -> String {
    assert_eq!(desk.failed, []);
    for (key, pane, words) in PANES {
        desk.keys(key).await;
        // Long enough for the whole comment.
        let screen = text(&desk.screen(110, 160).await);
        assert_eq!(desk.model.focus, pane);
        for word in words {
            assert!(screen.contains(word), "{pane:?} lacks {word}:\n{screen}");
        }
    }
    desk.keys("Space").await;
    assert_eq!(desk.model.draft.ticks.len(), 1);

    desk.keys("P").await;
    let shown = desk.model.signed().unwrap().rendered.text.clone();
    assert_eq!(shown.matches("- [x]").count(), 1, "{shown}");
    desk.keys("p").await;
    let Posting::Confirming(prepared) = &desk.model.posting else { panic!("{:?}", desk.model.posting) };
    assert_eq!((&prepared.text, prepared.viewer.login.as_str()), (&shown, "nv-owner-1"));
    let question = text(&desk.screen(110, 40).await);
    for word in [desk.model.session.host.clone(), desk.model.facts.repo.to_string(), "nv-owner-1".to_owned()] {
        assert!(question.contains(&word), "the question lacks {word}:\n{question}");
    }
    // One item of many is ticked: the bot will reject it, which takes a second word.
    desk.keys("y").await;
    assert!(matches!(desk.model.posting, Posting::Warned(_)), "{:?}", desk.model.posting);
    let warning = text(&desk.screen(110, 40).await);
    assert!(warning.contains("The bot will reject this: ") && warning.contains("Press Y to post all the same."), "{warning}");
    desk.keys("Y").await;
    shown
}

#[tokio::test]
async fn the_demo_tells_the_story_and_nothing_leaves_the_machine() {
    let mut desk = demo::opened().await;
    let shown = sign_off(&mut desk).await;
    let Posting::NotPosted { why, .. } = &desk.model.posting else { panic!("{:?}", desk.model.posting) };
    assert!(why.contains("nothing left this machine"), "{why}");
    let screen = text(&desk.screen(110, 160).await);
    assert!(screen.contains("nothing left this machine"), "{screen}");
    // The text is still there, and so is its tick.
    assert_eq!((&desk.model.signed().unwrap().rendered.text, desk.model.draft.ticks.len()), (&shown, 1));
}

#[tokio::test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
async fn a_live_pull_request_tells_the_same_story_and_gets_the_comment() {
    let hub = Hub::start("2550-green", &[]);
    let clock: Clock = Arc::new(clock::now);
    let settings = Settings {
        base: Base::parse(hub.address()).unwrap(),
        token: Some(Secret::new(TOKEN)),
        ..Settings::new(Arc::clone(&clock))
    };
    let repo = RepoName::parse("SemiAnalysisAI/InferenceX").unwrap();
    let mut desk = Workstation::open(Client::network(settings).unwrap(), repo, PullNumber(2550), clock).await;
    let shown = sign_off(&mut desk).await;
    assert!(matches!(desk.model.posting, Posting::Posted { .. }), "{:?}", desk.model.posting);
    let writes = hub.writes();
    assert_eq!(writes.len(), 1, "{writes:#?}");
    let only = (writes[0].method.as_str(), writes[0].path.as_str(), &writes[0].body);
    assert_eq!(only, ("POST", "/issues/2550/comments", &json!({ "body": shown })));
    hub.assert_well_behaved();
}
