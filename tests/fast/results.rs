//! A run's measured points over the wire: which artifacts are looked for, downloaded and read, and what that costs.
//! Must not know: what rules make of them.

use crate::hub::{Hub, TOKEN};
use crate::workstation::Workstation;
use countersign::core::evidence::{Source, digest};
use countersign::core::ids::{PullNumber, RepoName, RunId};
use countersign::core::listing::Listing;
use countersign::core::plan::{Answer, Read};
use countersign::core::results::ResultRow;
use countersign::core::trouble::{Trouble, TroubleKind};
use countersign::github::{Base, Client, Clock, Secret, Settings};
use countersign::runtime::clock;
use serde_json::{Value, json};
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const NUMBER: PullNumber = PullNumber(2550);
const RUN: RunId = RunId(31_020_193_450);

fn repo() -> RepoName {
    RepoName::parse("SemiAnalysisAI/InferenceX").unwrap()
}

fn client(hub: &Hub) -> Client {
    let clock: Clock = Arc::new(clock::now);
    let base = Base::parse(hub.address()).unwrap();
    Client::network(Settings { base, token: Some(Secret::new(TOKEN)), ..Settings::new(clock) }).unwrap()
}

async fn read(client: &Client, run: RunId) -> Result<(Listing<ResultRow>, Source), Trouble> {
    let read = Read::Results { run, artifact: "results_bmk".into(), parts: Some("bmk_agentic_".into()) };
    match client.read(&repo(), NUMBER, read, &mut |_, _| {}).await? {
        (Answer::Results(rows), source) => Ok((rows, source)),
        other => panic!("{other:?}"),
    }
}

fn scenarios() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/scenarios")
}

/// The green scenario in a folder of its own, its result artifacts replaced by these: name, JSON, expired.
fn remade(artifacts: &[(&str, &str, bool)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (scenarios().join("2550-green"), folder.path());
    let mut corpus: Value = serde_json::from_slice(&std::fs::read(from.join("corpus.json")).unwrap()).unwrap();
    corpus["blobs"] = json!(scenarios().join("../blobs"));
    std::fs::write(to.join("corpus.json"), corpus.to_string()).unwrap();
    for part in ["2550", "elsewhere", "blobs"] {
        std::fs::create_dir(to.join(part)).unwrap();
        for entry in std::fs::read_dir(from.join(part)).into_iter().flatten() {
            let entry = entry.unwrap();
            std::fs::copy(entry.path(), to.join(part).join(entry.file_name())).unwrap();
        }
    }
    let list = to.join(format!("2550/artifacts-{RUN}.json"));
    let mut held: Vec<Value> = serde_json::from_slice(&std::fs::read(&list).unwrap()).unwrap();
    let model = held.iter().find(|artifact| artifact["name"] == "results_bmk").unwrap().clone();
    held.retain(|artifact| artifact["name"] != "results_bmk");
    for (at, (name, text, expired)) in artifacts.iter().enumerate() {
        let blob = format!("{at:040}");
        let zip = packed(text);
        std::fs::write(to.join("blobs").join(&blob), &zip).unwrap();
        let mut artifact = model.clone();
        artifact["digest"] = json!(format!("sha256:{}", digest(&zip)));
        artifact["id"] = json!(100 + at);
        (artifact["name"], artifact["expired"], artifact["_blob"]) = (json!(name), json!(expired), json!(blob));
        held.push(artifact);
    }
    std::fs::write(list, serde_json::to_string(&held).unwrap()).unwrap();
    folder
}

fn packed(text: &str) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("part.json", SimpleFileOptions::default()).unwrap();
    zip.write_all(text.as_bytes()).unwrap();
    zip.finish().unwrap().into_inner()
}

/// An agentic point of this concurrency.
fn point(conc: u32) -> String {
    json!({"hw": "cluster:b300-nv", "conc": conc, "model": "o/D", "infmax_model_prefix": "dsv4", "framework": "sglang",
        "precision": "fp4", "spec_decoding": "mtp", "scenario_type": "agentic-coding", "is_multinode": false, "tp": 4,
        "ep": 4, "dp_attention": "true", "request_metrics": {"latency": {"e2el": {"p90": 74.2}},
        "throughput": {"per_gpu": {"total_tput_tps": 21144.2}}}})
    .to_string()
}

fn concurrencies(rows: &Listing<ResultRow>) -> Vec<u32> {
    let mut out: Vec<u32> = rows.items.iter().flat_map(|row| row.axes.conc.values().to_vec()).collect();
    out.sort_unstable();
    out
}

#[tokio::test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
async fn an_archive_that_is_not_the_listed_one_is_no_result() {
    let folder = remade(&[("bmk_agentic_a", &point(4), false), ("bmk_agentic_b", &point(8), false)]);
    std::fs::write(folder.path().join("blobs").join(format!("{:040}", 1)), packed(&point(16))).unwrap();
    let hub = Hub::start(folder.path().to_str().unwrap(), &[]);
    let (rows, _) = read(&client(&hub), RUN).await.unwrap();
    assert_eq!(concurrencies(&rows), [4], "{rows:?}");
    assert!(rows.trouble().unwrap().headline.contains("artifact 101 is not what GitHub says"), "{rows:?}");
}

#[tokio::test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
async fn the_one_artifact_is_downloaded_once_and_then_only_looked_for() {
    let hub = Hub::start("2550-green", &[]);
    let client = client(&hub);
    let (rows, source) = read(&client, RUN).await.unwrap();
    assert_eq!((rows.items.len(), rows.is_complete()), (9, true));
    assert!(rows.items.iter().all(|row| row.run == RUN));
    let zip = std::fs::read(scenarios().join("../blobs/f13d638b085709b96e81f5e6a437dd2028c8660f")).unwrap();
    assert_eq!(source.digest, digest(&zip));
    assert_eq!(read(&client, RUN).await.unwrap().0, rows);
    let statuses: Vec<_> = hub.requests().iter().map(|seen| seen.status.unwrap()).collect();
    assert_eq!(statuses, [200, 302, 200, 304], "listed, sent on, downloaded; confirmed");
    hub.assert_well_behaved();
}

#[tokio::test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
async fn without_it_the_newest_of_every_part_counts() {
    let (one, again, two) = (point(1), point(16), point(2));
    let whole = [("bmk_agentic_a", one.as_str(), false), ("bmk_agentic_a", &again, false), ("bmk_agentic_b", &two, false)];
    let others = [("bmk_other", "[]", false), ("agentic_a", "{", false)];
    let folder = remade(&[&whole[..], &others].concat());
    let hub = Hub::start(folder.path().to_str().unwrap(), &[]);
    let (rows, source) = read(&client(&hub), RUN).await.unwrap();
    assert_eq!((concurrencies(&rows), rows.is_complete()), (vec![2, 16], true));
    assert!(source.address.ends_with(&format!("/actions/runs/{RUN}/artifacts")), "{source:?}");
    assert_eq!(hub.requests_like("GET", "/zip").len(), 2);
    hub.assert_well_behaved();
}

#[tokio::test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
async fn parts_that_are_gone_broken_or_too_many_leave_the_rest_partial() {
    let (one, two) = (point(1), point(2));
    let (a, b) = (("bmk_agentic_a", one.as_str(), false), ("bmk_agentic_b", two.as_str(), true));
    let table = [
        (vec![a, b], TroubleKind::Gone, "has expired"),
        (vec![a, ("bmk_agentic_b", "{\"hw\": 1", false)], TroubleKind::Malformed, "part.json"),
    ];
    for (artifacts, kind, words) in table {
        let folder = remade(&artifacts);
        let hub = Hub::start(folder.path().to_str().unwrap(), &[]);
        let (rows, _) = read(&client(&hub), RUN).await.unwrap();
        let why = rows.trouble().unwrap();
        assert!(concurrencies(&rows) == [1] && why.kind == kind && why.headline.contains(words), "{why:?}");
    }
    let names: Vec<String> = (0..101).map(|at| format!("bmk_agentic_{at}")).collect();
    let many: Vec<(&str, &str, bool)> = names.iter().map(|name| (name.as_str(), one.as_str(), false)).collect();
    let folder = remade(&many);
    let hub = Hub::start(folder.path().to_str().unwrap(), &[]);
    let (rows, _) = read(&client(&hub), RUN).await.unwrap();
    let why = rows.trouble().unwrap();
    assert_eq!((rows.items.len(), why.kind), (100, TroubleKind::TooLarge), "{why:?}");
}

#[tokio::test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
async fn what_has_expired_is_gone_and_what_was_never_kept_is_not_there() {
    let hub = Hub::start("2550-expired", &[]);
    let trouble = read(&client(&hub), RUN).await.unwrap_err();
    assert_eq!(trouble.kind, TroubleKind::Gone);
    assert!(trouble.headline.contains("results_bmk") && trouble.hint.contains("points that it measured"), "{trouble:?}");
    assert_eq!(hub.requests_like("GET", "/zip"), []);
    let folder = remade(&[]);
    let hub = Hub::start(folder.path().to_str().unwrap(), &[]);
    let trouble = read(&client(&hub), RUN).await.unwrap_err();
    assert!(trouble.kind == TroubleKind::NotFound && trouble.headline.contains("kept no results"), "{trouble:?}");
    // A list that could not be read says nothing of what it does not show.
    let hub = Hub::start("2550-green", &["GET /actions/runs/.*/artifacts -> 500"]);
    assert_eq!(read(&client(&hub), RUN).await.unwrap_err().kind, TroubleKind::Server);
}

#[tokio::test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
async fn a_pull_request_opens_with_its_points_in_forty_requests() {
    for scenario in ["2550-green", "2550-newest"] {
        let hub = Hub::start(scenario, &[]);
        let desk = Workstation::open(client(&hub), repo(), NUMBER, Arc::new(clock::now)).await;
        let rows = desk.model.facts.results.get(&RUN).and_then(|remote| remote.value()).unwrap();
        assert_eq!((rows.items.len(), rows.is_complete()), (9, true), "{scenario}");
        let requests = hub.requests();
        assert!(requests.len() <= 40, "{scenario}: {}\n{requests:#?}", requests.len());
        hub.assert_well_behaved();
    }
}
