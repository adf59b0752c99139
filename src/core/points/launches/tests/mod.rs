//! Scripts and recipes of small pull requests of our own. Must not know: how texts are read.
#![allow(clippy::disallowed_methods)]

mod corpus;
mod recipes;
mod scripts;

use super::*;
use crate::core::evidence::{Source, digest};
use crate::core::facts::{FolderKind, Side};
use crate::core::ids::BlobId;
use crate::core::listing::Listing;
use crate::core::points::world::{LOG, MASTER, changelog, entry, green, value};
use crate::core::policy::Policy;
use crate::core::pull::{ChangedFile, Document, Folder, FolderFile};
use crate::core::remote::{Remote, Sourced};
use crate::core::trouble::{Trouble, TroubleKind};
use std::sync::LazyLock;

static POLICY: LazyLock<Policy> = LazyLock::new(crate::core::policy::tests::policy);

const FOLDER: &str = "benchmarks/single_node/fixed_seq_len/";
const SCRIPT: &str = "benchmarks/single_node/fixed_seq_len/qwen3.5_fp4_b200_sglang_mtp.sh";
const RECIPE: &str = "benchmarks/multi_node/srt-slurm-recipes/a.yaml";
const ROW: &str = "{ tp: 2, spec-decoding: mtp, conc-list: [4] }";

/// A pull request of files: path, text before, text after. An empty text is no file.
struct Story {
    files: Vec<(String, String, String)>,
    master: (String, String),
    facts: Facts,
}

impl Story {
    /// The config `k` changes its image.
    fn new() -> Story {
        Story::of(&entry("k", "o/i:v1", &[ROW]), &entry("k", "o/i:v2", &[ROW]))
    }

    fn of(before: &str, after: &str) -> Story {
        let mut facts = green();
        facts.runs = Remote::Idle;
        Story { files: Vec::new(), master: (before.to_owned(), after.to_owned()), facts }
    }

    /// Its rows run this recipe.
    fn recipe(names: &[&str]) -> Story {
        let rows: Vec<String> = names
            .iter()
            .enumerate()
            .map(|(at, name)| {
                format!(
                    "{{ spec-decoding: mtp, conc-list: [{}], worker: {{ num-worker: 1, tp: 2, additional-settings: \
                     ['CONFIG_FILE={name}', 'DECODE_MTP_SIZE={at}'] }} }}",
                    at + 1
                )
            })
            .collect();
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        let of = |image: &str| entry("k", image, &rows).replace("multinode: false", "multinode: true");
        Story::of(&of("o/i:v1"), &of("o/i:v2"))
    }

    fn file(mut self, path: &str, before: &str, after: &str) -> Story {
        self.files.push((path.to_owned(), before.to_owned(), after.to_owned()));
        self
    }

    /// Everything of these files is read.
    fn facts(&self) -> Facts {
        let mut facts = self.facts.clone();
        let log = changelog("k", "");
        let all = [(MASTER.to_owned(), self.master.0.clone(), self.master.1.clone()), (LOG.to_owned(), String::new(), log)];
        let mut list = Vec::new();
        for (path, before, after) in all.iter().chain(&self.files) {
            let is_new = before.is_empty() && path != LOG;
            let status = match (is_new, after.is_empty()) {
                (true, _) => "added",
                (_, true) => "removed",
                _ if before == after => "unchanged",
                _ => "modified",
            };
            for (side, text) in [(Side::Base, before), (Side::Head, after)] {
                let remote = if text.is_empty() && path != LOG { absent() } else { document(path, text) };
                facts.sides.insert((side, path.clone()), remote);
            }
            if status != "unchanged" {
                list.push(changed(path, status));
            }
        }
        *value(&mut facts.files) = Listing::complete(list);
        facts
    }

    fn draw(&self) -> Launches {
        draw(&self.facts())
    }

    /// The one row that a config runs.
    fn row(&self) -> ArmReview {
        let launches = self.draw();
        let mut rows: Vec<ArmReview> = launches.rows.into_iter().filter(|row| !row.configs.is_empty()).collect();
        assert_eq!(rows.len(), 1, "{rows:#?}");
        rows.remove(0)
    }
}

fn draw(facts: &Facts) -> Launches {
    Launches::draw(&POLICY, facts, &Conclusions::draw(&POLICY, facts))
}

fn asked(facts: &Facts) -> Vec<Read> {
    needs(facts, &Conclusions::draw(&POLICY, facts))
}

fn changed(path: &str, status: &str) -> ChangedFile {
    ChangedFile {
        path: path.to_owned(),
        previous_path: None,
        status: status.to_owned(),
        additions: 1,
        deletions: 1,
        blob: None,
        patch: None,
    }
}

fn document(path: &str, text: &str) -> Remote<Document> {
    ready(Document { path: path.to_owned(), blob: blob(text), text: text.to_owned() })
}

fn blob(text: &str) -> BlobId {
    BlobId::from(digest(text.as_bytes()).as_str())
}

fn ready<T>(value: T) -> Remote<T> {
    let source = Source { address: "x".into(), commit: None, read_at: Default::default(), digest: String::new() };
    Remote::Ready(Sourced { value, source })
}

fn absent<T>() -> Remote<T> {
    Remote::Failed { trouble: Trouble::new(TroubleKind::NotFound, "There is no such file.", ""), last: None }
}

fn failed<T>() -> Remote<T> {
    Remote::Failed { trouble: Trouble::new(TroubleKind::Server, "GitHub answered 502.", ""), last: None }
}

/// `flag --tp 4 → 8 (7)`.
fn told(row: &ArmReview) -> Vec<String> {
    let line = |change: &Change| change.line.map_or_else(|| "-".to_owned(), |line| line.to_string());
    let one = |change: &Change| format!("{} {} ({})", change.kind.word(), change.render(), line(change));
    row.against.changes().iter().map(one).collect()
}

/// The files of a folder, at the head.
fn folder(facts: &mut Facts, texts: &[(&str, &str)]) {
    let of = |(name, text): &(&str, &str)| FolderFile { name: (*name).to_owned(), blob: blob(text) };
    let files = Listing::complete(texts.iter().map(of).collect());
    let folder = FOLDER.trim_end_matches('/');
    let kind = FolderKind::Siblings(folder.to_owned());
    facts.folders.insert(kind, ready(Folder { path: folder.to_owned(), files }));
    for (_, text) in texts {
        facts.blobs.insert(blob(text), ready((*text).to_owned()));
    }
}
