//! The cache on disk under the whole application, against a server that we did not write.
//! Must not know: how answers are kept.

use crate::hub::{Hub, Seen, TOKEN};
use crate::screens::text;
use crate::workstation::Workstation;
use countersign::app::model::Reach;
use countersign::core::facts::Facts;
use countersign::core::ids::{PullNumber, RepoName};
use countersign::github::{Base, Client, Clock, Secret, Settings};
use countersign::runtime::cache_files::CacheFiles;
use countersign::runtime::clock;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

const NUMBER: PullNumber = PullNumber(2550);
const SECRET: &str = "ghp_a-secret-of-the-test";

fn client(address: &str, folder: &Path, token: &str) -> Client {
    let clock: Clock = Arc::new(clock::now);
    Client::network(Settings {
        base: Base::parse(address).unwrap(),
        token: Some(Secret::new(token)),
        shelf: Arc::new(CacheFiles::open(folder, 64 << 20).unwrap()),
        ..Settings::new(clock)
    })
    .unwrap()
}

async fn open(client: Client, reach: Reach) -> Workstation {
    let repo = RepoName::parse("SemiAnalysisAI/InferenceX").unwrap();
    Workstation::open_as(client, repo, NUMBER, Arc::new(clock::now), reach).await
}

fn warm() -> Reach {
    Reach::Recalling { missed: HashSet::new() }
}

/// Everything that was read, but not when.
fn values(facts: &Facts) -> String {
    fn forget(value: &mut serde_json::Value) {
        match value {
            serde_json::Value::Object(members) => {
                members.remove("read_at");
                members.values_mut().for_each(forget);
            }
            serde_json::Value::Array(items) => items.iter_mut().for_each(forget),
            _ => {}
        }
    }
    let mut json = serde_json::to_value(facts).unwrap();
    json.as_object_mut().unwrap().remove("now");
    forget(&mut json);
    json.to_string()
}

#[tokio::test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
async fn a_second_visit_costs_confirmations_only_and_a_third_nothing() {
    let (hub, folder) = (Hub::start("2550-green", &[]), tempfile::tempdir().unwrap());
    let first = open(client(hub.address(), folder.path(), TOKEN), warm()).await;
    assert_eq!(first.failed, []);
    let cold = hub.requests();
    assert!(cold.iter().any(|seen| seen.path.starts_with("/_blob/")), "scores were downloaded");

    // Another process: nothing is shared but the folder.
    let again = client(hub.address(), folder.path(), TOKEN);
    let second = open(again.clone(), warm()).await;
    assert_eq!(second.failed, []);
    assert_eq!(values(&second.model.facts), values(&first.model.facts));
    let requests = hub.requests().split_off(cold.len());
    // A file that stands at a later candidate's path: that the earlier ones are not there is not kept.
    let absent = |seen: &Seen| seen.status == Some(404) && seen.path.contains("/contents/");
    let (absent, confirmed): (Vec<_>, Vec<_>) = requests.iter().partition(|seen| absent(seen));
    let changed: Vec<_> = confirmed.iter().filter(|seen| seen.status != Some(304)).collect();
    assert!(confirmed.len() > 10 && changed.is_empty(), "{changed:#?}");
    assert_eq!(absent.len(), cold.iter().filter(|seen| seen.status == Some(404)).count());
    let lasts = |path: &str| ["/_blob/", "/zip", "/compare/"].iter().any(|part| path.contains(part));
    assert!(!confirmed.iter().any(|seen| lasts(&seen.path) || seen.query.contains("ref=")), "{confirmed:#?}");
    let counters = again.counters();
    assert_eq!((counters.sent, counters.unchanged), (requests.len() as u64, confirmed.len() as u64));
    assert!(counters.kept > counters.sent);

    hub.assert_well_behaved();
    let address = hub.address().to_owned();
    drop(hub);
    let third = client(&address, folder.path(), TOKEN);
    let mut desk = open(third.clone(), Reach::Offline).await;
    assert_eq!(values(&desk.model.facts), values(&first.model.facts));
    assert_eq!(third.counters().sent, 0);
    let screen = text(&desk.screen(160, 50).await);
    assert!(screen.contains("offline"), "{screen}");
    assert_eq!(desk.model.signed().map(|signoff| signoff.items.len()), first.model.signed().map(|signoff| signoff.items.len()));

    // Another identity has kept nothing.
    let stranger = open(client(&address, folder.path(), "another"), Reach::Offline).await;
    assert!(stranger.model.facts.pull.value().is_none());
}

#[tokio::test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
async fn no_byte_of_a_token_or_signature_is_kept() {
    let (hub, folder) = (Hub::start_open("2550-green"), tempfile::tempdir().unwrap());
    let desk = open(client(hub.address(), folder.path(), SECRET), Reach::Live).await;
    assert!(desk.model.facts.evals.values().any(|scores| scores.value().is_some()), "scores were downloaded");
    let mut answers = 0;
    for entry in std::fs::read_dir(folder.path().join("answers")).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        for secret in [SECRET, "sig=signed"] {
            let found = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            assert!(!found && !path.to_string_lossy().contains(secret), "{secret} in {}", path.display());
        }
        answers += 1;
    }
    assert!(answers > 10, "{answers}");
}
