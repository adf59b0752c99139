//! The launch rules on whole pull requests: those of the corpus, and scripts and recipes of our own.
//! Must not know: how texts are read.

use crate::core::evidence::{Source, digest};
use crate::core::facts::{Facts, FolderKind, Side};
use crate::core::ids::BlobId;
use crate::core::listing::Listing;
use crate::core::plan::{self, Answer, Read};
use crate::core::policy::tests::{finding, policy};
use crate::core::policy::{Policy, Status, scenario};
use crate::core::pull::{ChangedFile, Document, Folder, FolderFile, LinkedPull};
use crate::core::remote::{Remote, Sourced};
use crate::core::review::Review;
use crate::core::sample::{World, server_error};
use crate::core::session::Draft;
use crate::core::trouble::{Trouble, TroubleKind};
use Status::{Fail, NeedsYou, NotApplicable, Pass, Unavailable, Warn};
use std::sync::LazyLock;

static POLICY: LazyLock<Policy> = LazyLock::new(policy);
const RULES: [&str; 6] = ["chat_template", "hacks", "patches", "golden_al", "draft", "siblings"];
pub(super) const MASTER: &str = "configs/nvidia-master.yaml";
pub(super) const FIXED: &str = "benchmarks/single_node/fixed_seq_len/";
const AGENTIC: &str = "benchmarks/single_node/agentic/";
const RECIPES: &str = "benchmarks/multi_node/srt-slurm-recipes/";
const SERVE: &str =
    "python3 -m sglang.launch_server --model-path m --speculative-algorithm EAGLE --speculative-num-steps 3 &\n";
const CLIENT: &str = "run_benchmark_serving --model m --use-chat-template\n";

/// One entry of a master file.
pub(super) fn entry(key: &str, prefix: &str, image: &str, scenario: &str, row: &str) -> String {
    let group = if scenario == "agentic-coding" { "" } else { "isl: 8192, osl: 1024, " };
    let multinode = row.contains("worker");
    format!(
        "{key}:\n  image: {image}\n  model: o/M\n  model-prefix: {prefix}\n  runner: b200\n  precision: fp4\n  framework: sglang\n  \
         multinode: {multinode}\n  scenarios:\n    {scenario}:\n    - {{ {group}search-space: [{row}] }}\n"
    )
}

const ROW: &str = "{ tp: 2, spec-decoding: mtp, conc-list: [16] }";

/// A pull request of files: path, text before, text after.
#[derive(Clone, Default)]
pub(super) struct Story {
    files: Vec<(String, Option<String>, Option<String>)>,
    /// Files that the pull request does not change.
    others: Vec<(String, String)>,
    details: String,
    autumn: bool,
    /// Blobs and folders cannot be read.
    broken: bool,
    /// Files of the pull request that the details link, merged: paths and patches.
    linked: Vec<(String, Option<String>)>,
}

impl Story {
    /// A config of this prefix and scenario comes, and a script.
    pub(super) fn new(prefix: &str, scenario: &str, script: &str) -> Story {
        let folder = if scenario == "agentic-coding" { AGENTIC } else { FIXED };
        let master = entry("k", prefix, "i:1", scenario, ROW);
        Story::default().file(MASTER, "", &master).file(&format!("{folder}{prefix}_fp4_b200_mtp.sh"), "", script)
    }

    pub(super) fn file(mut self, path: &str, before: &str, after: &str) -> Story {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        self.files.push((path.to_owned(), some(before), some(after)));
        self
    }

    pub(super) fn other(mut self, path: &str, text: &str) -> Story {
        self.others.push((path.to_owned(), text.to_owned()));
        self
    }

    pub(super) fn details(self, details: &str) -> Story {
        Story { details: details.to_owned(), ..self }
    }

    /// The pull request that the details link changes these files: paths and patches.
    pub(super) fn linked(self, files: &[(&str, Option<&str>)]) -> Story {
        let linked = files.iter().map(|(path, patch)| ((*path).to_owned(), patch.map(str::to_owned))).collect();
        Story { linked, ..self }
    }

    fn head(&self) -> impl Iterator<Item = (&str, &str)> {
        let own = self.files.iter().filter_map(|(path, _, after)| Some((path.as_str(), after.as_deref()?)));
        own.chain(self.others.iter().map(|(path, text)| (path.as_str(), text.as_str())))
    }

    fn answer(&self, read: &Read) -> Result<Answer, Trouble> {
        let none = || Trouble::new(TroubleKind::NotFound, "There is no such thing.", "");
        let document = |path: &str, text: &str| Document { path: path.to_owned(), blob: blob(text), text: text.to_owned() };
        match read {
            Read::Folder { .. } | Read::Blob(_) if self.broken => Err(server_error()),
            Read::SideFile { side: Side::Base, path, .. } => {
                let found = self.files.iter().find(|(known, before, _)| known == path && before.is_some());
                let text = found.and_then(|(_, before, _)| before.as_deref()).ok_or_else(none)?;
                Ok(Answer::SideFile(document(path, text)))
            }
            Read::SideFile { side: Side::Head, path, .. } => {
                let (path, text) = self.head().find(|(known, _)| known == path).ok_or_else(none)?;
                Ok(Answer::SideFile(document(path, text)))
            }
            Read::Folder { paths, .. } => {
                let of = |folder: &String| {
                    let inside = self.head().filter_map(|(path, text)| {
                        let name = path.strip_prefix(folder.as_str())?.strip_prefix('/')?;
                        Some(FolderFile { name: name.to_owned(), blob: blob(text) })
                    });
                    let files: Vec<FolderFile> = inside.filter(|file| !file.name.contains('/')).collect();
                    (!files.is_empty()).then(|| Folder { path: folder.clone(), files: Listing::complete(files) })
                };
                paths.iter().find_map(of).map(Answer::Folder).ok_or_else(none)
            }
            Read::Blob(id) => {
                let (_, text) = self.head().find(|(_, text)| blob(text) == *id).ok_or_else(none)?;
                Ok(Answer::Blob(text.to_owned()))
            }
            Read::Linked(_) if !self.linked.is_empty() => {
                let file = |(path, patch): &(String, Option<String>)| ChangedFile {
                    path: path.clone(),
                    previous_path: None,
                    status: "modified".to_owned(),
                    additions: 1,
                    deletions: 0,
                    blob: Some(blob(patch.as_deref().unwrap_or(path))),
                    patch: patch.clone(),
                };
                Ok(Answer::Linked(LinkedPull {
                    title: String::new(),
                    state: "closed".to_owned(),
                    draft: false,
                    merged_at: Some(Default::default()),
                    files: Listing::complete(self.linked.iter().map(file).collect()),
                }))
            }
            Read::LinkedFile(file) => match self.linked.iter().find(|(path, _)| *path == file.path) {
                Some((path, Some(text))) => Ok(Answer::Document(document(path, text))),
                _ => Err(none()),
            },
            _ => Err(none()),
        }
    }

    /// Everything read, and what was asked for besides what every opening reads.
    pub(super) fn told(&self) -> (Facts, Review, Vec<Read>) {
        let mut facts = World::new().opened(&POLICY);
        facts.sides.clear();
        if let Remote::Ready(pull) = &mut facts.pull {
            pull.value.changed_files = self.files.len() as u64;
        }
        facts.top = ready(["benchmarks", "configs", "docs", "golden_al_distribution"].map(str::to_owned).to_vec());
        if let Some(Remote::Ready(got)) =
            facts.documents.get_mut(&crate::core::facts::DocumentKind::Verifier).filter(|_| self.autumn)
        {
            got.value.text.push_str("## Check 14 — Pareto coverage\n");
        }
        facts.day = (if self.autumn { "2026-10-01" } else { "2026-08-20" }).parse().ok();
        facts.files = ready(Listing::complete(self.files.iter().map(changed).collect()));
        let text = format!("words\n### Additional detail section:\n{}\n", self.details);
        let draft = Draft::new("h", facts.repo.clone(), facts.number);
        let mut review = Review::draw(&POLICY, &facts, &draft, Some(&text));
        let mut asked = Vec::new();
        loop {
            let due = plan::due(&facts, &POLICY, &review.needs);
            if due.is_empty() {
                return (facts, review, asked);
            }
            plan::start(&mut facts, &due);
            for read in due {
                let answer = self.answer(&read).map(|answer| (answer, source(&format!("{read:?}"))));
                if review.needs.contains(&read) {
                    asked.push(read.clone());
                }
                plan::absorb(&mut facts, plan::Reply { read, answer, last: true });
            }
            review = review.redraw(&POLICY, &facts, &draft, Some(&text));
        }
    }

    fn says(&self, key: &str) -> (Status, String) {
        let (_, review, _) = self.told();
        let found = finding(&review.findings, key);
        assert!(found.reason.ends_with('.'), "{}", found.reason);
        (found.status, format!("{} {}", found.reason, found.notes.join(" ")))
    }
}

fn blob(text: &str) -> BlobId {
    BlobId::from(digest(text.as_bytes()).as_str())
}

fn source(address: &str) -> Source {
    Source { address: address.to_owned(), commit: None, read_at: Default::default(), digest: String::new() }
}

fn ready<T>(value: T) -> Remote<T> {
    Remote::Ready(Sourced { value, source: source("x") })
}

/// As GitHub tells it: lines that were there before are context.
fn changed((path, before, after): &(String, Option<String>, Option<String>)) -> ChangedFile {
    let (before_text, after_text) = (before.as_deref().unwrap_or_default(), after.as_deref().unwrap_or_default());
    let is_new = |line: &&str| !before_text.lines().any(|old| old == *line);
    let gone = before_text.lines().filter(|line| !after_text.lines().any(|new| new == *line));
    let mut patch = match before {
        None => format!("@@ -0,0 +1,{} @@", after_text.lines().count()),
        Some(_) => format!("@@ -1,{} +1,{} @@", before_text.lines().count(), after_text.lines().count()),
    };
    gone.clone().for_each(|line| patch.push_str(&format!("\n-{line}")));
    after_text.lines().for_each(|line| patch.push_str(&format!("\n{}{line}", if is_new(&line) { '+' } else { ' ' })));
    ChangedFile {
        path: path.clone(),
        previous_path: None,
        status: match (before, after) {
            (None, _) => "added",
            (_, None) => "removed",
            _ => "modified",
        }
        .to_owned(),
        additions: after_text.lines().filter(is_new).count() as u64,
        deletions: gone.count() as u64,
        blob: after.as_deref().map(blob),
        patch: Some(patch),
    }
}

fn check(story: &Story, key: &str, want: Status, word: &str) {
    let (status, said) = story.says(key);
    assert!(status == want && said.contains(word), "{key}: {status:?} {said}");
}

#[test]
fn a_new_script_is_judged_without_being_read() {
    let table = [
        (CLIENT, Pass, "goes through the chat template"),
        ("run_benchmark_serving --model m\n", Fail, "m_fp4_b200_mtp.sh:2"),
        ("# run_benchmark_serving --use-chat-template\nrun_benchmark_serving --model m\n", Fail, "without the chat template"),
        ("run_benchmark_serving --model m $EXTRA\n", NeedsYou, "`$EXTRA`"),
    ];
    for (client, want, word) in table {
        let story = Story::new("m", "fixed-seq-len", &format!("{SERVE}{client}"));
        check(&story, "chat_template", want, word);
        let (_, review, asked) = story.told();
        assert!(!asked.iter().any(|read| matches!(read, Read::SideFile { .. })), "{asked:?}");
        assert_eq!(finding(&review.findings, "golden_al").status, NotApplicable);
        assert_eq!(finding(&review.findings, "hacks").status, Pass);
        assert_eq!(finding(&review.findings, "patches").status, Pass);
        assert_eq!(finding(&review.findings, "siblings").status, NotApplicable);
    }
}

#[test]
fn a_changed_config_is_judged_by_the_script_that_it_runs() {
    let script = format!("{FIXED}m_fp4_b200_mtp.sh");
    let master = |image: &str| entry("k", "m", image, "fixed-seq-len", ROW);
    let bump = Story::default().file(MASTER, &master("i:1"), &master("i:2"));
    check(&bump.clone().other(&script, &format!("{SERVE}{CLIENT}")), "chat_template", Pass, "");
    check(&bump.clone().other(&script, &format!("{SERVE}run_benchmark_serving --m x\n")), "chat_template", Fail, ":2");
    // What a config runs and the pull request does not change is asked for in order, and its absence is a fact.
    let (_, _, asked) = bump.told();
    let paths: Vec<&str> = asked
        .iter()
        .filter_map(|read| match read {
            Read::SideFile { path, .. } => Some(path.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(paths, [format!("{FIXED}m_fp4_b200_sglang_mtp.sh"), script.clone()]);
    check(&bump, "chat_template", NotApplicable, "the head does not hold");
    check(&bump, "hacks", NotApplicable, "No script or recipe");
    check(&Story::default().file(MASTER, "", &master("i:1")), "chat_template", NeedsYou, "does not exist at the head");
    // Without speculative decoding nothing is asked for.
    let plain = |image: &str| entry("k", "m", image, "fixed-seq-len", "{ tp: 2, conc-list: [16] }");
    let story = Story::default().file(MASTER, &plain("i:1"), &plain("i:2"));
    assert!(!story.told().2.iter().any(|read| matches!(read, Read::SideFile { .. })));
    check(&story, "chat_template", NotApplicable, "No config that decodes speculatively");
    check(&Story::default().file("docs/x.md", "", "x"), "patches", NotApplicable, "No benchmark script");
}

#[test]
fn what_a_script_sources_is_part_of_it_or_is_told() {
    let sourced = |from: &str| format!("source \"$(dirname \"$0\")/{from}\"\nlaunch --speculative-algorithm EAGLE\n{CLIENT}");
    let common = "launch() {\n  python3 -m sglang.launch_server --model-path m --json-model-override-args '{}' \"$@\" &\n}\n";
    let path = format!("{FIXED}common.sh");
    let story = Story::new("m", "fixed-seq-len", &sourced("common.sh"));
    // It is asked for, and its flags count, on the line that sources it.
    let with = story.clone().other(&path, common);
    let (_, review, asked) = with.told();
    assert!(asked.iter().any(|read| matches!(read, Read::SideFile { path: read, .. } if *read == path)), "{asked:?}");
    let hacks = finding(&review.findings, "hacks");
    assert!(hacks.status == NeedsYou && hacks.brief.ends_with(".sh:1"), "{:?} {}", hacks.status, hacks.reason);
    check(&with, "chat_template", Pass, "");
    // What the pull request brings itself needs no read.
    let (_, _, asked) = story.clone().file(&path, "", common).told();
    assert!(!asked.iter().any(|read| matches!(read, Read::SideFile { .. })), "{asked:?}");
    // Where it is not, that is said.
    for (script, words) in [
        (sourced("common.sh"), "common.sh (line 1), which does not exist at the head and was not read"),
        ("source \"$X/y.sh\"\n".to_owned() + SERVE + CLIENT, "sources $X/y.sh (line 1), which was not read"),
    ] {
        check(&Story::new("m", "fixed-seq-len", &script), "hacks", Pass, words);
    }
    // The harness's own library is known.
    let plain = "source \"$(dirname \"$0\")/../../benchmark_lib.sh\"\n".to_owned() + SERVE + CLIENT;
    let (status, said) = Story::new("m", "fixed-seq-len", &plain).says("chat_template");
    assert!(status == Pass && !said.contains("sources"), "{said}");
    // While it is not read, or cannot be, nothing is green.
    let (facts, _, _) = with.told();
    for trouble in [None, Some(server_error())] {
        let mut facts = facts.clone();
        match trouble {
            None => drop(facts.sides.remove(&(Side::Head, path.clone()))),
            Some(trouble) => drop(facts.sides.insert((Side::Head, path.clone()), Remote::Failed { trouble, last: None })),
        }
        let draft = Draft::new("h", facts.repo.clone(), facts.number);
        let findings = Review::draw(&POLICY, &facts, &draft, Some("x")).findings;
        for key in ["chat_template", "hacks", "siblings"] {
            let found = finding(&findings, key);
            assert!(found.status == Unavailable && found.reason.contains("sources"), "{key}: {}", found.reason);
        }
    }
}

#[test]
fn a_recipe_that_lies_elsewhere_is_for_a_person() {
    let row = "{ spec-decoding: mtp, conc-list: [16], worker: { num-worker: 1, tp: 2, additional-settings: \
               ['CONFIG_FILE=recipes/a.yaml'] } }";
    let story = Story::default().file(MASTER, "", &entry("k", "m", "i:1", "fixed-seq-len", row));
    check(&story, "chat_template", NeedsYou, "outside this repository");
    check(&story, "golden_al", NotApplicable, "No agentic config");
    let recipe =
        "backend: {type: sglang, sglang_config: {aggregated: {speculative-algorithm: EAGLE}}}\nbenchmark: {type: sa-bench}\n";
    check(&story.other(&format!("{RECIPES}a.yaml"), recipe), "chat_template", Fail, "a.yaml:2");
}

#[test]
fn what_is_not_read_is_never_green() {
    let script = format!("{SERVE}{CLIENT}");
    let path = format!("{FIXED}m_fp4_b200_mtp.sh");
    let story = Story::default().file(&path, "old\n", &script).file(MASTER, "", &entry("k", "m", "i:1", "fixed-seq-len", ROW));
    let (facts, review, asked) = story.told();
    assert!(asked.iter().any(|read| matches!(read, Read::SideFile { path: read, .. } if *read == path)));
    assert_eq!(finding(&review.findings, "chat_template").status, Pass);
    for trouble in [None, Some(server_error()), Some(Trouble::new(TroubleKind::NotFound, "404.", ""))] {
        let mut facts = facts.clone();
        let remote = trouble.map_or(Remote::Loading, |trouble| Remote::Failed { trouble, last: None });
        facts.sides.insert((Side::Head, path.clone()), remote);
        let draft = Draft::new("h", facts.repo.clone(), facts.number);
        let findings = Review::draw(&POLICY, &facts, &draft, Some("x")).findings;
        for key in RULES.into_iter().filter(|key| *key != "draft" && *key != "golden_al") {
            assert_eq!(finding(&findings, key).status, Unavailable, "{key}");
        }
    }
}

fn curve(model: &str, three: &str) -> String {
    format!("# Source x\n{model}:\n  thinking_on:\n    1: 1.80\n    3: {three}\n")
}

#[test]
fn golden_lengths_are_those_of_the_committed_curve() {
    let acc = |length: &str| {
        format!(
            "export SGLANG_SIMULATE_ACC_METHOD=match-expected SGLANG_SIMULATE_ACC_TOKEN_MODE=real-draft-token\nexport SGLANG_SIMULATE_ACC_LEN={length}\n{SERVE}run_agentic_replay_and_write_outputs x\n"
        )
    };
    let story = |text: &str| {
        Story::new("m1", "agentic-coding", text)
            .other("golden_al_distribution/m1_mtp.yaml", &curve("m-1", "2.99"))
            .other("golden_al_distribution/m1x_mtp.yaml", &curve("m-1", "3.50"))
    };
    check(&story(&acc("2.99")), "golden_al", Pass, "m1_mtp.yaml (m-1, thinking_on) has 2.99 at draft length 3");
    check(&story(&acc("3.50")), "golden_al", Fail, "2.99");
    check(&story(&format!("{SERVE}run_agentic_replay_and_write_outputs x\n")), "golden_al", Fail, "real acceptance");
    check(&story(&format!("# export SGLANG_SIMULATE_ACC_LEN=2.99\n{SERVE}")), "golden_al", Fail, "real acceptance");
    check(&story(&acc("2.99").replace("steps 3", "steps 2")), "golden_al", NeedsYou, "state its source");
    check(&Story::new("m2", "agentic-coding", &acc("2.99")), "golden_al", NeedsYou, "no curve is committed");
    check(&Story { broken: true, ..story(&acc("2.99")) }, "golden_al", Unavailable, "");
    let fixed = Story::new("m1", "fixed-seq-len", &format!("{}{CLIENT}", acc("2.99")));
    check(&fixed, "golden_al", Fail, "is not agentic");
    check(&fixed.details("SGLANG_SIMULATE_ACC_LEN is sanctioned"), "golden_al", NeedsYou, "sanctioned exception");
    // No curve is asked for where none counts.
    let (_, _, asked) = Story::new("m1", "fixed-seq-len", &format!("{SERVE}{CLIENT}")).told();
    assert!(!asked.iter().any(|read| matches!(read, Read::Folder { of: FolderKind::Curves, .. })));
}

#[test]
fn of_several_curves_the_draft_model_tells_which_counts() {
    let vllm = |draft: &str, length: &str| {
        let config = format!(
            "{{\"method\": \"eagle3\", \"model\": \"{draft}\", \"num_speculative_tokens\": 3, \"rejection_sample_method\": \
             \"synthetic\", \"synthetic_acceptance_length\": {length}}}"
        );
        let text = format!("vllm serve m --speculative-config '{config}' &\nrun_agentic_replay_and_write_outputs x\n");
        Story::new("m3", "agentic-coding", &text)
            .other("golden_al_distribution/m3_eagle3.yaml", &curve("m-3", "2.83"))
            .other("golden_al_distribution/m3_eagle3_gqa.yaml", &curve("m-3", "2.78"))
            .other("golden_al_distribution/m3-0813-dspark.yaml", &curve("m-3", "3.01"))
    };
    check(&vllm("o/M3-EAGLE3-GQA", "2.78"), "golden_al", Pass, "m3_eagle3_gqa.yaml");
    check(&vllm("o/M3-EAGLE3", "2.83"), "golden_al", Pass, "m3_eagle3.yaml");
    check(&vllm("o/M3-EAGLE3-GQA", "2.83"), "golden_al", NeedsYou, "Which curve counts");
    check(&vllm("o/M3-EAGLE3", "2.90"), "golden_al", Fail, "2.83");
}

#[test]
fn in_autumn_the_launcher_puts_the_length_in() {
    let row = "{ spec-decoding: mtp, conc-list: [16], worker: { num-worker: 1, tp: 2, additional-settings: \
               ['CONFIG_FILE=recipes/a.yaml'] } }";
    let recipe = "backend:\n  type: sglang\n  publish_events_and_metrics: false\n  sglang_config:\n    aggregated: {speculative-algorithm: EAGLE, speculative-num-steps: 3}\nbenchmark: {type: custom, command: bash srt_agentic.sh}\n";
    let story = Story::default()
        .file(MASTER, "", &entry("k", "m1", "i:1", "agentic-coding", row))
        .file(&format!("{RECIPES}a.yaml"), "", recipe)
        .other("golden_al_distribution/m1_mtp.yaml", &curve("m-1", "2.99"));
    check(&story, "golden_al", Fail, "real acceptance");
    check(&story, "hacks", Pass, "do not forbid it yet");
    let autumn = Story { autumn: true, ..story };
    check(&autumn, "golden_al", Pass, "m1_mtp.yaml (m-1, thinking_on) has 2.99");
    check(&autumn, "hacks", Fail, "publish_events_and_metrics: false");
    check(&autumn, "draft", Pass, "The details say nothing of the draft");
    let says = |words: &str| autumn.clone().details(words).says("draft").1.contains("say nothing of the draft");
    assert!(says("patches: no script is touched (drafted).") && !says("The draft ships in bf16, and runs so."));
}

#[test]
fn draft_and_hacks_look_at_the_effective_launch() {
    let with = |env: &str, flags: &str| {
        Story::new("m", "fixed-seq-len", &format!("{env}{}{CLIENT}", SERVE.replace(" &", &format!(" {flags} &"))))
    };
    check(&with("export SGLANG_NVFP4_CKPT_FP8_NEXTN_MOE=1\n", ""), "draft", Fail, "never allowed");
    check(&with("# export SGLANG_NVFP4_CKPT_FP8_NEXTN_MOE=1\n", ""), "draft", Pass, "");
    check(&with("", "--speculative-draft-model-quantization fp8"), "draft", NeedsYou, "fp8");
    check(&with("", "--json-model-override-args '{\"num_hidden_layers\": 4}'"), "hacks", Fail, "num-hidden-layers 4");
    check(&with("echo --json-model-override-args\n", ""), "hacks", Pass, "");
}

#[test]
fn a_patch_needs_a_waiver_that_is_linked_and_approved() {
    let patch = "sed -i s/a/b/ /usr/lib/python3/site-packages/vllm/x.py\n";
    let story = Story::new("m", "fixed-seq-len", &format!("{patch}{SERVE}{CLIENT}"));
    let waiver = |text: &str| story.clone().file("docs/waiver/7.md", "", text);
    let link = "see https://github.com/o/r/blob/x/docs/waiver/7.md";
    check(&story, "patches", Fail, "No waiver (docs/waiver/7.md)");
    check(&waiver("Status: approved\n"), "patches", Fail, "not linked");
    check(&waiver("Status: approved\n").details("docs/waiver/70.md"), "patches", Fail, "not linked");
    check(&waiver("Status: proposed; not approved\n").details(link), "patches", Fail, "not approved");
    check(&waiver("What is patched: x\n").details(link), "patches", NeedsYou, "nothing of an approval");
    check(&waiver("Status: approved\n").details(link), "patches", Pass, "yours to read");
    let newest = story.clone().file("inferencex-e2e/docs/waiver/7.md", "", "Status: approved\n");
    check(&newest.details(link), "patches", Pass, "");
    // What only looks like a patch.
    let path = "export LD_LIBRARY_PATH=/x/site-packages/nvidia/nccl/lib:$LD_LIBRARY_PATH\n# sed -i s/a/b/ /x/site-packages/y\n";
    check(&Story::new("m", "fixed-seq-len", &format!("{path}{SERVE}{CLIENT}")), "patches", Pass, "");
    check(&story.clone().file("benchmarks/x.patch", "", "+x\n"), "patches", Fail, "");
    let open = Story::new("m", "fixed-seq-len", &format!("sed -i s/a/b/ $TARGET\n{SERVE}{CLIENT}"));
    check(&open, "patches", NeedsYou, "This may patch the engine");
}

#[test]
fn what_was_patched_before_needs_the_waiver_of_its_time() {
    let old = format!("sed -i s/a/b/ /usr/lib/python3/site-packages/vllm/x.py\n{SERVE}{CLIENT}");
    let story = Story::default().file(&format!("{FIXED}m_fp4_b200_mtp.sh"), &old, &format!("{old}echo done\n"));
    check(&story, "patches", NeedsYou, "there was before");
    let linked = story.clone().details("docs/waiver/5.md");
    check(&linked, "patches", NeedsYou, "No waiver");
    check(&linked.clone().other("docs/waiver/6.md", "Status: approved"), "patches", NeedsYou, "does not stand");
    check(&linked.clone().other("docs/waiver/5.md", "What is patched"), "patches", Pass, "5.md");
    check(&linked.other("docs/waiver/5.md", "not approved"), "patches", NeedsYou, "not approved");
}

#[test]
fn siblings_are_read_once_and_at_most_forty() {
    let sibling =
        |index: usize| (format!("{FIXED}n{index:02}_fp4_b200_mtp.sh"), format!("export X_{index}=1 KEPT=1\n{SERVE}{CLIENT}"));
    let with = |count: usize, script: &str| {
        (0..count).map(sibling).fold(Story::new("m", "fixed-seq-len", script), |story, (path, text)| story.other(&path, &text))
    };
    let script = format!("{SERVE}{CLIENT}");
    let drift = with(5, &script)
        // Other engines, other states and other kinds are none.
        .other(&format!("{FIXED}n9_fp4_b200_vllm_mtp.sh"), "vllm serve m")
        .other(&format!("{FIXED}n9_fp4_b200.sh"), "sglang serve")
        .other(&format!("{FIXED}README.md"), "x");
    check(&drift, "siblings", Warn, "KEPT (in 5 of 5, 100 %");
    let (_, _, asked) = drift.told();
    assert_eq!(asked.iter().filter(|read| matches!(read, Read::Blob(_))).count(), 5);
    check(&with(5, &format!("export KEPT=1\n{script}")), "siblings", Pass, "");
    check(&with(3, &script), "siblings", NotApplicable, "enough siblings");
    check(&with(44, &script), "siblings", Warn, "40 of its 44 siblings");
    check(&with(44, &format!("export KEPT=1\n{script}")), "siblings", Unavailable, "40 of its 44 siblings");
    check(&Story { broken: true, ..drift }, "siblings", Unavailable, "cannot be read");
}

#[test]
fn a_text_is_parsed_once() {
    let (facts, review, _) = Story::new("m", "fixed-seq-len", &format!("{SERVE}{CLIENT}")).told();
    let again = review.conclusions.redraw(&POLICY, &facts);
    let at = |review: &crate::core::conclusions::Conclusions| {
        review.launched.launches().map(|(_, judged)| std::ptr::from_ref(judged)).collect::<Vec<_>>()
    };
    assert!(!at(&again).is_empty());
    assert_eq!(at(&review.conclusions), at(&again));
    assert_eq!(review.conclusions.launched, again.launched);
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn the_scenarios_of_the_corpus() {
    const BUMP: [Status; 6] = [NotApplicable, NotApplicable, Pass, NotApplicable, NotApplicable, NotApplicable];
    // Chat template, hacks, patches, golden lengths, draft, siblings.
    let table: [(&str, u64, [Status; 6]); 11] = [
        ("2550-siblings", 2550, [Fail, Pass, Pass, NotApplicable, NotApplicable, Warn]),
        ("2550-green", 2550, BUMP),
        ("2550-newest", 2550, BUMP),
        ("2313", 2313, BUMP),
        ("2256", 2256, BUMP),
        ("2349", 2349, BUMP),
        ("2492", 2492, BUMP),
        ("2610", 2610, BUMP),
        ("2206", 2206, [NotApplicable, Pass, Pass, NotApplicable, NotApplicable, Pass]),
        ("2462", 2462, [Pass, Pass, Pass, NotApplicable, NotApplicable, Warn]),
        ("2159", 2159, [NotApplicable; 6]),
    ];
    for (name, number, want) in table {
        let (_, review) = scenario::review(name, number, None, |_| {});
        let found = RULES.map(|key| finding(&review.findings, key));
        assert_eq!(found.map(|found| found.status), want, "{name}: {found:#?}");
        assert!(review.needs.len() <= 20, "{name}: {:?}", review.needs);
    }
    let (_, review) = scenario::review("2550-siblings", 2550, None, |_| {});
    let siblings = finding(&review.findings, "siblings");
    assert_eq!(siblings.brief, "1 warning, 1 notice");
    assert!(siblings.notes[0].contains("--use-chat-template (in 14 of 14, 100 %; of the same model in 7 of 7"));
    assert!(siblings.notes[1].contains("SGLANG_ENABLE_SPEC_V2 (in 8 of 14, 57 %; of the same model in 2 of 7"));
}
