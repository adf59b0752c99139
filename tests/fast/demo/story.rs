//! The demo's story as it is written in assets/demo: read from its files, and what follows from them.
//! Must not know: GitHub's JSON.

use chrono::{DateTime, Duration, Utc};
use serde::Deserialize;
use serde_json::{Map, Value};
use sha1::{Digest, Sha1};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub type Time = DateTime<Utc>;

/// Everything that the recording is made from.
pub struct Story {
    pub pull: Pull,
    pub runs: Vec<Run>,
    pub eval_row: Map<String, Value>,
    /// Text by path, where the branch left main. Main has not moved since.
    pub base: BTreeMap<String, String>,
    pub changes: Vec<Change>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pull {
    pub repo: String,
    pub number: u64,
    pub recorded_at: Time,
    pub viewer: String,
    pub title: String,
    pub author: String,
    pub branch: String,
    pub opened: Time,
    pub updated: Time,
    pub labels: Vec<Label>,
    pub body: String,
    pub merge_base: Commit,
    pub commits: Vec<Commit>,
    pub comments: Vec<Comment>,
    pub reviews: Vec<Review>,
    pub line_comments: Vec<LineComment>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Label {
    pub name: String,
    pub color: String,
    pub description: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Commit {
    pub word: String,
    pub at: Time,
    pub message: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comment {
    pub id: u64,
    pub by: String,
    pub association: String,
    pub at: Time,
    pub body: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Review {
    pub id: u64,
    pub by: String,
    pub association: String,
    pub at: Time,
    pub state: String,
    /// The word of a commit, as below.
    pub commit: String,
    pub body: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LineComment {
    pub id: u64,
    pub review: u64,
    pub reply_to: Option<u64>,
    pub by: String,
    pub association: String,
    pub at: Time,
    pub commit: String,
    pub path: String,
    /// At the head, from 1.
    pub line: usize,
    pub body: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sweep {
    runs: Vec<Run>,
    eval_row: Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    pub id: u64,
    pub workflow: String,
    pub path: String,
    pub commit: String,
    pub created: Time,
    pub attempts: Vec<Attempt>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attempt {
    pub began: Time,
    pub conclusion: String,
    first_job: u64,
    jobs: String,
    pub artifact: Option<Artifact>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Artifact {
    pub id: u64,
    pub evals: Vec<Score>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Score {
    pub tp: u32,
    pub ep: u32,
    pub conc: u32,
    pub strict: f64,
    pub flexible: f64,
}

pub struct Job {
    pub id: u64,
    pub name: String,
    pub conclusion: String,
    pub created: Time,
    pub started: Time,
    pub ended: Time,
    /// The machine; none for what was skipped.
    pub runner: Option<String>,
}

/// One file of change.patch.
pub struct Change {
    pub path: String,
    pub added: bool,
    pub head: String,
    pub hunks: Vec<Hunk>,
}

/// With its header, lines as they stand in the patch.
pub struct Hunk {
    pub lines: Vec<String>,
    /// Of its first line at the head.
    start: usize,
}

pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo")
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn yaml<T: for<'a> Deserialize<'a>>(name: &str) -> T {
    serde_yaml::from_str(&text(&folder().join(name))).unwrap_or_else(|error| panic!("{name}: {error}"))
}

impl Story {
    pub fn read() -> Story {
        let Sweep { runs, eval_row } = yaml("sweep.yaml");
        let mut base = BTreeMap::new();
        let tree = folder().join("tree");
        collect(&tree, &tree, &mut base);
        let changes = parse_patch(&text(&folder().join("change.patch")), &base);
        Story { pull: yaml("pull.yaml"), runs, eval_row, base, changes }
    }

    pub fn head(&self) -> &Commit {
        self.pull.commits.last().expect("a pull request has commits")
    }

    /// The id of the commit that the sources call by this word; a word that no commit has is a mistake in them.
    pub fn sha(&self, word: &str) -> String {
        let known = self.pull.commits.iter().chain([&self.pull.merge_base]).any(|commit| commit.word == word);
        assert!(known, "no commit has the word `{word}`");
        hash(word.as_bytes())
    }
}

impl Run {
    pub fn last(&self) -> &Attempt {
        self.attempts.last().expect("a run has attempts")
    }
}

impl Attempt {
    pub fn jobs(&self) -> Vec<Job> {
        self.jobs.lines().enumerate().map(|(index, line)| self.job(index, line)).collect()
    }

    pub fn ended(&self) -> Time {
        self.jobs().iter().map(|job| job.ended).max().unwrap_or(self.began)
    }

    /// `success 4+17 name`.
    fn job(&self, index: usize, line: &str) -> Job {
        let parse = || {
            let (conclusion, rest) = line.split_once(' ')?;
            let (times, name) = rest.trim_start().split_once(' ')?;
            let (start, length) = times.split_once('+')?;
            Some((conclusion, start.parse().ok()?, length.parse().ok()?, name.trim_start()))
        };
        let (conclusion, start, length, name) = parse().unwrap_or_else(|| panic!("sweep.yaml: cannot read the job `{line}`"));
        let started = self.began + Duration::minutes(start);
        let runner = match (conclusion, name.contains(" | ")) {
            ("skipped", _) => None,
            (_, true) => Some(format!("b200-node-{}", index % 8)),
            (_, false) => Some(format!("hosted-{}", index % 5)),
        };
        Job {
            id: self.first_job + index as u64,
            name: name.to_owned(),
            conclusion: conclusion.to_owned(),
            created: self.began,
            started,
            ended: started + Duration::minutes(length),
            runner,
        }
    }
}

impl Change {
    pub fn count(&self, mark: char) -> usize {
        self.hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.starts_with(mark)).count()
    }

    /// As GitHub sends it: hunks without the file's header.
    pub fn patch(&self) -> String {
        self.hunks.iter().flat_map(|hunk| &hunk.lines).map(String::as_str).collect::<Vec<_>>().join("\n")
    }

    /// The hunk up to this line of the head.
    pub fn hunk_until(&self, line: usize) -> String {
        for hunk in &self.hunks {
            let mut at = hunk.start;
            for (index, text) in hunk.lines.iter().enumerate().skip(1) {
                if !text.starts_with('-') {
                    if at == line {
                        return hunk.lines[..=index].join("\n");
                    }
                    at += 1;
                }
            }
        }
        panic!("{}: line {line} is in no hunk", self.path)
    }
}

fn collect(root: &Path, folder: &Path, out: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, out);
        } else {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
            out.insert(name, text(&path));
        }
    }
}

/// Reads a patch of git's and applies it; panics where it does not fit `base`.
fn parse_patch(patch: &str, base: &BTreeMap<String, String>) -> Vec<Change> {
    patch.split("diff --git a/").skip(1).map(|file| parse_file(file, base)).collect()
}

fn parse_file(file: &str, base: &BTreeMap<String, String>) -> Change {
    let mut lines = file.lines().peekable();
    let path = lines.next().and_then(|line| line.split_once(" b/")).expect("`diff --git a/… b/…`").0.to_owned();
    let mut added = false;
    while let Some(line) = lines.next_if(|line| !line.starts_with("@@")) {
        added |= line.starts_with("new file");
    }
    let before: Vec<&str> = match base.get(&path) {
        Some(text) => text.lines().collect(),
        None => Vec::new(),
    };
    assert_eq!(added, !base.contains_key(&path), "{path}: new in the patch, or in tree/?");
    let (mut head, mut old, mut hunks): (Vec<String>, usize, Vec<Hunk>) = (Vec::new(), 0, Vec::new());
    for line in lines {
        if line.starts_with("@@") {
            let [from, to] = ['-', '+'].map(|mark| hunk_start(line, mark));
            while old + 1 < from {
                head.push(before[old].to_owned());
                old += 1;
            }
            assert_eq!(head.len() + 1, to, "{path}: {line}");
            hunks.push(Hunk { lines: vec![line.to_owned()], start: to });
            continue;
        }
        let (mark, text) = line.split_at(1);
        if mark != "+" {
            assert_eq!(before.get(old), Some(&text), "{path}: the patch does not fit line {}", old + 1);
            old += 1;
        }
        if mark != "-" {
            head.push(text.to_owned());
        }
        hunks.last_mut().expect("a hunk has a header").lines.push(line.to_owned());
    }
    head.extend(before[old..].iter().map(|&line| line.to_owned()));
    Change { path, added, head: head.join("\n") + "\n", hunks }
}

/// `@@ -from,n +to,n @@`.
fn hunk_start(header: &str, mark: char) -> usize {
    let number = header.split(' ').find_map(|word| word.strip_prefix(mark)).and_then(|range| range.split(',').next());
    number.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("no line number after `{mark}` in {header}"))
}

/// The id that git gives to a file of this text.
pub fn blob_id(text: &str) -> String {
    hash(format!("blob {}\0{text}", text.len()).as_bytes())
}

/// SHA-1 in hexadecimal.
pub fn hash(bytes: &[u8]) -> String {
    Sha1::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn blob_ids_are_gits() {
    assert_eq!(blob_id("hello\n"), "ce013625030ba8dba906f756967f9e9ca394464a");
}
