//! Facts of the recorded scenarios, read straight from their files: for tests of rules only.
//! Must not know: paging, HTTP, what is right for a scenario.

#![allow(clippy::disallowed_methods)]

use super::tests::policy;
use crate::core::evals::EvalRow;
use crate::core::evidence::Source;
use crate::core::facts::{Facts, Side};
use crate::core::ids::{ArtifactId, BlobId, CommentId, JobId, Login, PullNumber, RepoName, RunId, Sha, UserId};
use crate::core::listing::Listing;
use crate::core::plan::{self, Answer, Read};
use crate::core::pull::*;
use crate::core::remote::{Remote, Sourced};
use crate::core::review::Review;
use crate::core::session::Draft;
use crate::core::trouble::{Trouble, TroubleKind};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

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
            draft: value["draft"] == true,
            merged: value["merged"] == true,
            author: Actor { login: Login(text(&value["user"]["login"])), id: Some(UserId(1)), bot: false },
            labels: value["labels"].as_array().into_iter().flatten().map(|label| text(&label["name"])).collect(),
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
            mergeable: Some(true),
            auto_merge: Some(false),
            locked: Some(false),
        },
    );
    let label = |label: &String| LabelEvent { id: 0, label: label.clone(), added: true, at: None };
    facts.label_events = list("labels", facts.pull.value().unwrap().labels.iter().map(label).collect());
    facts.merge_base = ready("merge base", Sha(base.clone()));
    let files: Vec<ChangedFile> = items("files.json").iter().map(changed).collect();
    let commits = items("commits.json")
        .iter()
        .map(|commit| Commit {
            sha: Sha(text(&commit["sha"])),
            headline: text(&commit["commit"]["message"]).lines().next().unwrap_or_default().to_owned(),
            message: text(&commit["commit"]["message"]),
            author: text(&commit["author"]["login"]),
            date: commit["commit"]["committer"]["date"].as_str().and_then(|time| time.parse().ok()),
            parents: commit["parents"].as_array().map(Vec::len),
        })
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
            started_at: run["run_started_at"].as_str().and_then(|time| time.parse().ok()),
            updated_at: run["updated_at"].as_str().and_then(|time| time.parse().ok()),
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
                steps: Default::default(),
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

    facts.day = json("../corpus.json")["review_date"].as_str().and_then(|day| day.parse().ok());
    let viewer = Login(text(&json("../corpus.json")["viewer"]));
    facts.viewer = ready("viewer", Viewer { login: viewer, id: UserId(4242) });
    facts.repository = ready("repository", Repository { name: name.clone(), default_branch: "main".into(), private: false });
    for (file, place, into) in [
        ("comments.json", CommentPlace::Conversation, &mut facts.comments),
        ("reviews.json", CommentPlace::Review, &mut facts.reviews),
        ("review_comments.json", CommentPlace::Line, &mut facts.line_comments),
    ] {
        let all = items(file).iter().map(|comment| said(comment, place)).collect();
        *into = list(file, all);
    }
    let branch = files_at(&folder, "main");
    let mut top: Vec<String> = branch.keys().filter_map(|path| Some(path.split('/').next()?.to_owned())).collect();
    top.dedup();
    facts.top = ready("top", top);
    for file in &files {
        let old = file.previous_path.as_ref().unwrap_or(&file.path);
        for (side, at, path) in [(Side::Base, &base, old), (Side::Head, &head, &file.path)] {
            if let Some(found) = document(&files_at(&folder, at), path) {
                facts.sides.insert((side, path.clone()), ready(path, found));
            }
        }
    }
    facts.files = list("files", files);
    for (kind, paths) in &policy().documents {
        facts.documents.insert(*kind, first(&branch, paths));
    }
    facts
}

/// What is answered to a rule that wants more.
pub fn answer(scenario: &str, pull: u64, read: &Read) -> Result<Answer, Trouble> {
    let folder = root().join("scenarios").join(scenario).join(pull.to_string());
    let none = || Trouble::new(TroubleKind::NotFound, format!("{read:?} does not exist."), "");
    let commit_of = |commit: &Option<Sha>| commit.as_ref().map_or("main".to_owned(), |sha| sha.0.clone());
    Ok(match read {
        Read::Permission(_) => Answer::Permission(Permission { permission: "write".into(), role: Some("write".into()) }),
        Read::Master { paths, .. } => match first(&files_at(&folder, "main"), paths) {
            Remote::Ready(got) => Answer::Master(got.value),
            _ => return Err(none()),
        },
        Read::SideFile { path, commit, .. } => {
            Answer::SideFile(document(&files_at(&folder, commit.as_str()), path).ok_or_else(none)?)
        }
        Read::Folder { paths, commit, .. } => {
            let files = files_at(&folder, &commit_of(commit));
            let inside = |path: &String| {
                let prefix = format!("{}/", path.trim_end_matches('/'));
                let file = |(name, blob): (&String, &BlobId)| {
                    let name = name.strip_prefix(&prefix).filter(|name| !name.contains('/'))?;
                    Some(FolderFile { name: name.to_owned(), blob: blob.clone() })
                };
                let found: Vec<FolderFile> = files.iter().filter_map(file).collect();
                (!found.is_empty()).then(|| Folder { path: path.clone(), files: Listing::complete(found) })
            };
            Answer::Folder(paths.iter().find_map(inside).ok_or_else(none)?)
        }
        Read::Blob(id) => Answer::Blob(String::from_utf8(blob(id.as_str())).unwrap()),
        Read::Linked(linked) => {
            let file = format!("../elsewhere/{}+{}+{}", linked.repo.owner, linked.repo.name, linked.number);
            let json = |end: &str| -> Option<Value> {
                serde_json::from_slice(&std::fs::read(folder.join(format!("{file}{end}"))).ok()?).unwrap()
            };
            let pull = json(".json").ok_or_else(none)?;
            let files = json(".files.json").unwrap().as_array().unwrap().iter().map(changed).collect();
            Answer::Linked(LinkedPull {
                title: text(&pull["title"]),
                state: text(&pull["state"]),
                draft: pull["draft"] == true,
                merged_at: pull["merged_at"].as_str().and_then(|time| time.parse().ok()),
                files: Listing::complete(files),
            })
        }
        Read::Results { run, artifact, .. } => results(&folder, *run, artifact)?,
        _ => return Err(none()),
    })
}

/// As GitHub's artifacts answer: gone where they have expired, and a fact where there are none.
fn results(folder: &Path, run: RunId, name: &str) -> Result<Answer, Trouble> {
    let list: Vec<Value> =
        serde_json::from_slice(&std::fs::read(folder.join(format!("artifacts-{run}.json"))).unwrap()).unwrap();
    let named: Vec<&Value> = list.iter().filter(|artifact| artifact["name"] == name).collect();
    let Some(newest) = named.iter().filter(|artifact| artifact["expired"] == false).max_by_key(|found| number(&found["id"]))
    else {
        let kind = if named.is_empty() { TroubleKind::NotFound } else { TroubleKind::Gone };
        return Err(Trouble::new(kind, format!("Run {run} has no readable {name}."), ""));
    };
    points(run, &blob(&text(&newest["_blob"])))
}

/// The review of a scenario, everything read that the rules ask for. `change` may spoil the facts first; `text` is a
/// sign-off, else an empty draft makes one.
pub fn review(scenario: &str, pull: u64, text: Option<&str>, change: impl Fn(&mut Facts)) -> (Facts, Review) {
    let policy = policy();
    let mut facts = load(scenario, pull);
    change(&mut facts);
    let draft = Draft::new("api.github.com", facts.repo.clone(), facts.number);
    let mut review = Review::draw(&policy, &facts, &draft, text);
    loop {
        let due: Vec<Read> =
            plan::due(&facts, &policy, &review.needs).into_iter().filter(|read| review.needs.contains(read)).collect();
        if due.is_empty() {
            return (facts, review);
        }
        plan::start(&mut facts, &due);
        for read in due {
            let source =
                Source { address: format!("{read:?}"), commit: None, read_at: Default::default(), digest: String::new() };
            let answer = answer(scenario, pull, &read).map(|answer| (answer, source));
            plan::absorb(&mut facts, plan::Reply { read, answer, last: true });
        }
        review = review.redraw(&policy, &facts, &draft, text);
    }
}

/// Every text that some commit of some scenario has under a path with this ending, once each, with its blob.
pub fn texts(ending: &str) -> Vec<(String, String)> {
    let folders = |at: &Path| -> Vec<std::path::PathBuf> {
        std::fs::read_dir(at).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect()
    };
    let pulls = folders(&root().join("scenarios")).into_iter().flat_map(|scenario| folders(&scenario));
    let contents = pulls.filter_map(|pull| std::fs::read(pull.join("contents.json")).ok());
    let mut blobs: Vec<String> = contents
        .flat_map(|text| serde_json::from_slice::<BTreeMap<String, String>>(&text).unwrap())
        .filter(|(path, _)| path.ends_with(ending))
        .map(|(_, blob)| blob)
        .collect();
    blobs.sort();
    blobs.dedup();
    blobs.into_iter().map(|id| (id.clone(), String::from_utf8(blob(&id)).unwrap())).collect()
}

/// All files of a commit or branch.
fn files_at(folder: &Path, at: &str) -> BTreeMap<String, BlobId> {
    let contents: BTreeMap<String, String> =
        serde_json::from_slice(&std::fs::read(folder.join("contents.json")).unwrap()).unwrap();
    let file = |(key, blob): (&String, &String)| {
        Some((key.strip_prefix(at)?.strip_prefix(':')?.to_owned(), BlobId::from(blob.as_str())))
    };
    contents.iter().filter_map(file).collect()
}

fn document(files: &BTreeMap<String, BlobId>, path: &str) -> Option<Document> {
    let id = files.get(path)?;
    Some(Document { path: path.to_owned(), blob: id.clone(), text: String::from_utf8(blob(id.as_str())).unwrap() })
}

fn first(files: &BTreeMap<String, BlobId>, paths: &[String]) -> Remote<Document> {
    match paths.iter().find_map(|path| document(files, path)) {
        Some(found) => ready(&found.path.clone(), found),
        None => Remote::Failed { trouble: Trouble::new(TroubleKind::NotFound, "It is on none of its paths.", ""), last: None },
    }
}

fn changed(file: &Value) -> ChangedFile {
    ChangedFile {
        path: text(&file["filename"]),
        previous_path: optional(&file["previous_filename"]),
        status: text(&file["status"]),
        additions: number(&file["additions"]),
        deletions: number(&file["deletions"]),
        blob: optional(&file["sha"]).map(BlobId),
        patch: optional(&file["patch"]),
    }
}

fn said(comment: &Value, place: CommentPlace) -> Comment {
    let time = |key: &str| comment[key].as_str().and_then(|time| time.parse().ok());
    Comment {
        id: CommentId(number(&comment["id"])),
        place,
        author: Actor {
            login: Login(text(&comment["user"]["login"])),
            id: comment["user"]["id"].as_u64().map(UserId),
            bot: comment["user"]["type"] == "Bot",
        },
        association: text(&comment["author_association"]),
        body: text(&comment["body"]),
        created_at: time("created_at").or(time("submitted_at")),
        updated_at: time("updated_at"),
        url: text(&comment["html_url"]),
        detail: None,
    }
}

/// A file of the newest artifact of this name. Reading zip needs the crate that the feature brings.
#[cfg(feature = "github")]
pub fn artifact(scenario: &str, pull: u64, name: &str, file: &str) -> Vec<u8> {
    let folder = root().join("scenarios").join(scenario).join(pull.to_string());
    let lists = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut found =
        lists.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with("artifacts-")).flat_map(|path| {
            let list: Vec<Value> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
            list.into_iter().filter(|artifact| artifact["name"] == name)
        });
    unzip(&blob(&text(&found.next().unwrap()["_blob"])), file)
}

#[cfg(feature = "github")]
fn unzip(zip: &[u8], file: &str) -> Vec<u8> {
    use std::io::Read;
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(zip)).unwrap();
    let mut bytes = Vec::new();
    archive.by_name(file).unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}

/// The eval rows of an artifact.
#[cfg(feature = "github")]
fn rows(zip: &[u8]) -> Vec<EvalRow> {
    let bytes = unzip(zip, "agg_eval_all.json");
    let (rows, trouble) = crate::core::evals::parse_rows("agg_eval_all.json", &bytes).unwrap();
    assert_eq!(trouble, None);
    rows
}

/// The rows of a result artifact.
#[cfg(feature = "github")]
fn points(run: RunId, zip: &[u8]) -> Result<Answer, Trouble> {
    let found = crate::core::results::parse("agg_bmk.json", run, &unzip(zip, "agg_bmk.json"))?;
    assert_eq!(found.trouble, None);
    Ok(Answer::Results(Listing::complete(found.rows)))
}

#[cfg(not(feature = "github"))]
fn points(_run: RunId, _zip: &[u8]) -> Result<Answer, Trouble> {
    Err(Trouble::new(TroubleKind::Malformed, "Zip is not read here.", ""))
}

/// Without it there are none, and only tests that need no scores run.
#[cfg(not(feature = "github"))]
fn rows(_zip: &[u8]) -> Vec<EvalRow> {
    Vec::new()
}
