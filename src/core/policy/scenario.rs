//! Facts of the recorded scenarios, read straight from their files: for tests of rules only.
//! Must not know: paging, HTTP, what is right for a scenario.

#![allow(clippy::disallowed_methods)]

use super::tests::policy;
use crate::core::evals::EvalRow;
use crate::core::evidence::Source;
use crate::core::facts::{DocumentKind, Facts, Side};
use crate::core::ids::{ArtifactId, BlobId, JobId, Login, PullNumber, RepoName, RunId, Sha, UserId};
use crate::core::listing::Listing;
use crate::core::pull::{Actor, Artifact, ChangedFile, Commit, Document, Job, Pull, Run};
use crate::core::remote::{Remote, Sourced};
use serde_json::Value;
use std::path::PathBuf;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus")
}

fn blob(id: &str) -> Vec<u8> {
    std::fs::read(root().join("blobs").join(id)).unwrap()
}

pub fn ready<T>(address: &str, value: T) -> Remote<T> {
    let source = Source { address: address.to_owned(), commit: None, read_at: Default::default(), digest: String::new() };
    Remote::Ready(Sourced { value, source })
}

fn list<T>(name: &str, items: Vec<T>) -> Remote<Listing<T>> {
    ready(name, Listing::complete(items))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn optional(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_default()
}

/// All facts of one pull request of one scenario, everything read and whole.
pub fn load(scenario: &str, pull: u64) -> Facts {
    let folder = root().join("scenarios").join(scenario).join(pull.to_string());
    let json = |name: &str| -> Value {
        let bytes = std::fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{scenario}/{name}: {error}"));
        serde_json::from_slice(&bytes).unwrap()
    };
    let items = |name: &str| json(name).as_array().cloned().unwrap_or_default();
    let name = RepoName { owner: "o".into(), name: "r".into() };
    let mut facts = Facts::new("https://github.com", name.clone(), PullNumber(pull));

    let value = json("pull.json");
    let head = text(&value["head"]["sha"]);
    let base = text(&value["base"]["sha"]);
    let home = |value: &Value| value["full_name"].as_str().and_then(RepoName::parse);
    facts.pull = ready(
        "pull",
        Pull {
            number: PullNumber(pull),
            title: text(&value["title"]),
            body: text(&value["body"]),
            state: text(&value["state"]),
            draft: false,
            merged: false,
            author: Actor { login: Login(text(&value["user"]["login"])), id: Some(UserId(1)), bot: false },
            labels: Vec::new(),
            head: Sha(head.clone()),
            head_branch: text(&value["head"]["ref"]),
            head_repo: home(&value["head"]["repo"]),
            base: Sha(base.clone()),
            base_branch: text(&value["base"]["ref"]),
            additions: number(&value["additions"]),
            deletions: number(&value["deletions"]),
            changed_files: number(&value["changed_files"]),
            commits: number(&value["commits"]),
            comments: 0,
            line_comments: 0,
            url: text(&value["html_url"]),
            updated_at: None,
        },
    );
    facts.merge_base = ready("merge base", Sha(base.clone()));
    let files: Vec<ChangedFile> = items("files.json")
        .iter()
        .map(|file| ChangedFile {
            path: text(&file["filename"]),
            previous_path: optional(&file["previous_filename"]),
            status: text(&file["status"]),
            additions: number(&file["additions"]),
            deletions: number(&file["deletions"]),
            blob: optional(&file["sha"]).map(BlobId),
            patch: None,
        })
        .collect();
    let commits = items("commits.json")
        .iter()
        .map(|commit| Commit { sha: Sha(text(&commit["sha"])), headline: String::new(), author: String::new(), date: None })
        .collect();
    facts.commits = list("commits", commits);

    let runs: Vec<Run> = items("runs.json")
        .iter()
        .map(|run| Run {
            id: RunId(number(&run["id"])),
            attempt: number(&run["run_attempt"]) as u32,
            name: text(&run["name"]),
            title: text(&run["display_title"]),
            event: text(&run["event"]),
            path: text(&run["path"]),
            head: Sha(text(&run["head_sha"])),
            head_branch: optional(&run["head_branch"]),
            head_repo: home(&run["head_repository"]),
            status: text(&run["status"]),
            conclusion: optional(&run["conclusion"]),
            created_at: run["created_at"].as_str().and_then(|time| time.parse().ok()),
            started_at: None,
            updated_at: None,
            url: text(&run["html_url"]),
        })
        .collect();
    for run in &runs {
        let jobs = items(&format!("jobs-{}.json", run.id))
            .iter()
            .map(|job| Job {
                id: JobId(number(&job["id"])),
                run: run.id,
                attempt: number(&job["run_attempt"]) as u32,
                name: text(&job["name"]),
                status: text(&job["status"]),
                conclusion: optional(&job["conclusion"]),
                created_at: None,
                started_at: None,
                completed_at: None,
                runner: None,
                url: text(&job["html_url"]),
            })
            .collect();
        facts.jobs.insert(run.id, list(&format!("jobs of {}", run.id), jobs));
        let named: Vec<Value> = items(&format!("artifacts-{}.json", run.id))
            .into_iter()
            .filter(|artifact| artifact["name"] == policy().evals.artifact.as_str())
            .collect();
        let artifacts = named
            .iter()
            .map(|artifact| Artifact {
                id: ArtifactId(number(&artifact["id"])),
                run: run.id,
                name: text(&artifact["name"]),
                size: number(&artifact["size_in_bytes"]),
                expired: artifact["expired"] == true,
                created_at: None,
                expires_at: None,
                digest: None,
            })
            .collect();
        facts.artifacts.insert(run.id, list("artifacts", artifacts));
        if let Some(live) = named.iter().find(|artifact| artifact["expired"] == false) {
            let rows = rows(&blob(&text(&live["_blob"])));
            facts.evals.insert(run.id, list(&format!("evals of {}", run.id), rows));
        }
    }
    facts.runs = list("runs", runs);

    let contents = json("contents.json");
    let document = |at: &str, path: &str| {
        let id = contents[format!("{at}:{path}")].as_str()?;
        let text = String::from_utf8(blob(id)).unwrap();
        Some(Document { path: path.to_owned(), blob: BlobId::from(id), text })
    };
    for kind in DocumentKind::ALL {
        if let Some(found) = policy().documents[&kind].iter().find_map(|path| document("main", path)) {
            facts.documents.insert(kind, ready(kind.word(), found));
        }
    }
    for file in &files {
        let old = file.previous_path.as_ref().unwrap_or(&file.path);
        for (side, at, path) in [(Side::Base, &base, old), (Side::Head, &head, &file.path)] {
            if let Some(found) = document(at, path) {
                facts.sides.insert((side, path.clone()), ready(path, found));
            }
        }
    }
    facts.files = list("files", files);
    facts
}

/// The eval rows of an artifact. Reading zip needs the crate that the feature brings.
#[cfg(feature = "github")]
fn rows(zip: &[u8]) -> Vec<EvalRow> {
    use std::io::Read;
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(zip)).unwrap();
    let mut bytes = Vec::new();
    archive.by_name("agg_eval_all.json").unwrap().read_to_end(&mut bytes).unwrap();
    let (rows, trouble) = crate::core::evals::parse_rows("agg_eval_all.json", &bytes).unwrap();
    assert_eq!(trouble, None);
    rows
}

/// Without it there are none, and only tests that need no scores run.
#[cfg(not(feature = "github"))]
fn rows(_zip: &[u8]) -> Vec<EvalRow> {
    Vec::new()
}
