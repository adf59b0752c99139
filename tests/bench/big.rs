//! A pull request larger than any that was seen, as facts: 300 files of 100 lines, 5,000 jobs in one run, 1,000
//! comments, and config files as long as the real ones.
//! Must not know: what is measured.

use countersign::app::effect::Request;
use countersign::app::key::Key;
use countersign::app::keymap::Keymap;
use countersign::app::model::Session;
use countersign::app::msg::Reply;
use countersign::app::{Effect, Model, Msg, follow_up, settle, update};
use countersign::core::axes::{Axes, Concurrency, Parallel};
use countersign::core::evals::{EvalRow, Metric};
use countersign::core::evidence::Source;
use countersign::core::facts::{DocumentKind, Facts, Side};
use countersign::core::ids::{CommentId, JobId, PullNumber, RepoName, RunId, UserId};
use countersign::core::listing::Listing;
use countersign::core::policy::{self, Policy};
use countersign::core::pull::{
    Actor, ChangedFile, Comment, CommentPlace, Commit, Document, Job, Pull, Repository, Run, Viewer,
};
use countersign::core::remote::{Remote, Sourced};
use countersign::core::results::{Measure, Power, Reading, ResultRow, Scenario, Statistic, Throughput};
use countersign::core::session::Draft;
use countersign::core::steps::Step;
use countersign::core::sweep::Outcome;
use countersign::core::time::Time;
use countersign::core::trouble::{Trouble, TroubleKind};
use std::collections::BTreeMap;
use std::sync::Arc;

pub const HEAD: &str = "e36439990a1b2c3d4e5f60718293a4b5c6d7e8f9";
pub const RUN: RunId = RunId(31_020_193_450);
pub const JOBS: usize = 5_000;

fn time() -> Time {
    "2026-08-11T11:00:00Z".parse().unwrap()
}

/// `digest` tells answers apart, as the bodies' digests do.
pub fn source(digest: usize) -> Source {
    Source { address: "/things".into(), commit: None, read_at: time(), digest: digest.to_string() }
}

fn ready<T>(value: T) -> Remote<T> {
    Remote::Ready(Sourced { value, source: source(0) })
}

fn whole<T>(items: Vec<T>) -> Remote<Listing<T>> {
    ready(Listing::complete(items))
}

fn repo() -> RepoName {
    RepoName::parse("octo/bench").unwrap()
}

pub fn policy() -> Policy {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/policies/inferencex.yaml");
    policy::parse("policy.yaml", &std::fs::read_to_string(path).unwrap()).unwrap()
}

pub fn empty() -> Facts {
    Facts::new("https://github.com", repo(), PullNumber(7))
}

/// A hunk of so many lines: YAML, every third one changed, some of it Chinese.
pub fn patch(lines: usize) -> String {
    let mut out = format!("@@ -1,{lines} +1,{lines} @@\n");
    for n in 0..lines {
        let entry = |tp: usize| format!("  key-{n}: {{ tp: {tp}, ep: 2, conc-list: [16, 32, 64], image: repo/name:{n} }}");
        match n % 3 {
            0 => out += &format!("-{}  # 评估 before\n+{}  # 评估 after\n", entry(4), entry(8)),
            _ => out += &format!(" {}\n", entry(2)),
        }
    }
    out
}

pub fn files(count: usize, lines: usize) -> Remote<Listing<ChangedFile>> {
    whole((0..count).map(|n| file(&format!("folder/{n}/file.yaml"), patch(lines))).collect())
}

fn file(path: &str, patch: String) -> ChangedFile {
    ChangedFile {
        path: path.into(),
        previous_path: None,
        status: "modified".into(),
        additions: 15,
        deletions: 15,
        blob: None,
        patch: Some(patch),
    }
}

fn step(number: u64) -> Step {
    let name = format!("Run the script of step {number}").into();
    Step { number, name, outcome: Outcome::Success, started_at: Some(time()), completed_at: Some(time()) }
}

pub fn job(n: usize) -> Job {
    let (lane, tail) = if n.is_multiple_of(5) { ("eval", " | eval-only") } else { ("single-node 8k1k", "") };
    Job {
        id: JobId(n as u64),
        run: RUN,
        attempt: 1,
        name: format!(
            "{lane} / / p3.750 | qwen3.5 fp4 b200 sgl TP{}/EP2 mtp   c{}{tail}",
            1 << (n % 4),
            4 << (n / 4 % 40 % 10)
        ),
        status: "completed".into(),
        conclusion: Some(if n % 97 == 3 { "failure" } else { "success" }.into()),
        created_at: Some(time()),
        started_at: Some(time()),
        completed_at: Some(time()),
        runner: Some("b200-01".into()),
        url: format!("https://github.com/octo/bench/actions/runs/{RUN}/job/{n}"),
        steps: (1..=12).map(step).collect::<Vec<_>>().into(),
    }
}

/// The first so many jobs, as the pages bring them.
pub fn jobs(count: usize) -> Remote<Listing<Job>> {
    let items = (0..count).map(job).collect();
    if count == JOBS {
        return Remote::Ready(Sourced { value: Listing::complete(items), source: source(count) });
    }
    let why = Trouble::new(TroubleKind::Network, "more pages are on their way", "");
    Remote::Refreshing(Sourced { value: Listing::partial(items, Some(JOBS), why), source: source(count) })
}

fn run() -> Run {
    Run {
        id: RUN,
        attempt: 1,
        name: "Run Sweep".into(),
        title: "sweep".into(),
        event: "pull_request".into(),
        path: ".github/workflows/run-sweep.yml".into(),
        head: HEAD.into(),
        head_branch: Some("tep2".into()),
        head_repo: Some(repo()),
        status: "completed".into(),
        conclusion: Some("success".into()),
        created_at: Some(time()),
        started_at: Some(time()),
        updated_at: Some(time()),
        url: format!("https://github.com/octo/bench/actions/runs/{RUN}"),
    }
}

fn actor(login: &str) -> Actor {
    Actor { login: login.into(), id: Some(UserId(9)), bot: false }
}

/// What people write: prose, a list, code, a table.
pub const BODY: &str = "Looks good to me, but for **two** things that `sglang` does not do yet.\n\n\
    - [ ] the first, at [the page](https://example.org/a/b/c)\n- [x] the second 精度评估\n\n\
    > what was said before\n\n```yaml\ntp: 2\nep: 4\n```\n\n| a | b |\n|---|---|\n| 1 | two words |\n\nThanks!\n";

pub fn comment(n: usize) -> Comment {
    Comment {
        id: CommentId(n as u64),
        place: CommentPlace::Conversation,
        author: actor("someone"),
        association: "MEMBER".into(),
        body: format!("{n}: {BODY}"),
        created_at: Some(time()),
        updated_at: None,
        url: format!("https://github.com/octo/bench/pull/7#c{n}"),
        detail: None,
    }
}

fn score(n: u32) -> EvalRow {
    EvalRow {
        axes: Axes {
            model: "qwen3.5".into(),
            precision: "fp4".into(),
            runner: "b200".into(),
            framework: "sglang".into(),
            parallel: Parallel { tp: 2, ep: 2, ..Parallel::default() },
            spec: Some("mtp".into()),
            kv: None,
            kv_backend: None,
            conc: Concurrency::One(n),
            prefill: None,
            decode: None,
        },
        model: "served/model".into(),
        isl: Some(8192),
        osl: Some(1024),
        task: "gsm8k".into(),
        metrics: vec![Metric { name: "em_strict".into(), score: 0.97, stderr: Some(0.004) }],
        n: Some(1319),
    }
}

fn document(path: &str, text: String) -> Remote<Document> {
    ready(Document { path: path.into(), blob: "b10b".into(), text })
}

/// A master file of 150 configs of 45 lines, about 300 KB; `tp` stands in the last one.
fn master(tp: usize) -> String {
    let mut out = String::new();
    for n in 0..150 {
        let tp = if n == 149 { tp } else { 4 };
        out += &format!(
            "qwen3.5-{n}-fp4-b200-sglang:\n  image: lmsysorg/sglang:v0.5.{n}\n  model: served/model\n  model-prefix: qwen3.5\n  \
             runner: b200\n  precision: fp4\n  framework: sglang\n  multinode: false\n  scenarios:\n    fixed-seq-len:\n    \
             - isl: 8192\n      osl: 1024\n      search-space:\n"
        );
        for row in 0..32 {
            out += &format!("      - {{ tp: {tp}, ep: {row}, conc-start: 4, conc-end: 64, spec-decoding: mtp }}\n");
        }
    }
    out
}

/// A changelog of so many entries, about 300 bytes each.
fn changelog(entries: usize) -> String {
    let entry = |n: usize| {
        format!(
            "- config-keys:\n    - qwen3.5-{}-fp4-b200-sglang\n  description:\n    - \"Change number {n}, told in a sentence that is as \
             long as such sentences are\"\n    - \"A second one, which says why it was done and what came of it\"\n  pr-link: \
             https://github.com/octo/bench/pull/{n}\n\n",
            n % 150
        )
    };
    (0..entries).map(entry).collect()
}

const TEMPLATE: &str = "# How we review\n\n## Template\n\n```\nAs a PR reviewer and CODEOWNER, I have reviewed this and have:\n
- [ ] Verified that this is the latest version of this checklist
- [ ] Verified the general code quality of this change
- [ ] Verified that it passed PR validation, linked behind this item
- [ ] Verified that this PR passes evals, linked behind this item

### Additional detail section:
- insert any additional info here

Signed: `FILL_IN_GITHUB_USERNAME`
```
";

/// A measured point: 5,000 of them are eight curves.
pub fn row(n: usize) -> ResultRow {
    let axes = countersign::core::sweep::names::parse(&job(n).name, &BTreeMap::new()).axes.unwrap();
    let axes = Axes { model: format!("m{}", n % 8), conc: Concurrency::One(n as u32 + 1), ..axes };
    let reading = |measure, value| Reading { measure, statistic: Statistic::Median, value };
    let n = n as f64;
    ResultRow {
        run: RUN,
        axes,
        model: "o/D".into(),
        scenario: Scenario::Fixed { isl: 8192, osl: 1024 },
        image: None,
        fingerprint: None,
        gpus: None,
        throughput: Throughput { total: Some(100.0 + (n * 7.3) % 9_000.0), output: None, input: None },
        readings: vec![reading(Measure::E2el, 1.0 + n % 97.0), reading(Measure::Intvty, 5.0 + (n * 3.1) % 211.0)],
        cache_hit_rate: None,
        power: Power::NotMeasured,
        outcome: None,
        flaws: Vec::new(),
    }
}

/// Everything read.
pub fn facts() -> Facts {
    let mut facts = empty();
    facts.viewer = ready(Viewer { login: "reviewer".into(), id: UserId(7) });
    facts.repository = ready(Repository { name: repo(), default_branch: "main".into(), private: false });
    facts.pull = ready(Pull {
        number: PullNumber(7),
        title: "性能：增加 TEP2 并行 [b200]".into(),
        body: BODY.into(),
        state: "open".into(),
        draft: false,
        merged: false,
        author: actor("pr-author"),
        labels: vec!["full-sweep".into()],
        head: HEAD.into(),
        head_branch: "tep2".into(),
        head_repo: Some(repo()),
        base: "1111".into(),
        base_branch: "main".into(),
        additions: 30_000,
        deletions: 10_000,
        changed_files: 302,
        commits: 250,
        comments: 1_000,
        line_comments: 0,
        url: "https://github.com/octo/bench/pull/7".into(),
        updated_at: None,
        mergeable: Some(true),
        auto_merge: Some(false),
        locked: Some(false),
    });
    facts.merge_base = ready("1111".into());
    facts.files = files(300, 100);
    if let Remote::Ready(list) = &mut facts.files {
        list.value.items.push(file("configs/nvidia-master.yaml", patch(3)));
        list.value.items.push(file("perf-changelog.yaml", patch(3)));
    }
    for (path, base, head) in
        [("configs/nvidia-master.yaml", master(4), master(8)), ("perf-changelog.yaml", changelog(1_300), changelog(1_301))]
    {
        facts.sides.insert((Side::Base, path.into()), document(path, base));
        facts.sides.insert((Side::Head, path.into()), document(path, head));
    }
    let commit = |n: usize| Commit {
        sha: if n == 249 { HEAD.into() } else { format!("{n:040}").as_str().into() },
        headline: "x".into(),
        message: String::new(),
        author: "pr-author".into(),
        date: None,
        parents: None,
    };
    facts.commits = whole((0..250).map(commit).collect());
    facts.comments = whole((0..1_000).map(comment).collect());
    facts.reviews = whole(Vec::new());
    facts.line_comments = whole(Vec::new());
    facts.runs = whole(vec![run()]);
    facts.jobs.insert(RUN, jobs(JOBS));
    facts.artifacts.insert(RUN, whole(Vec::new()));
    facts.results.insert(RUN, whole((0..5_000).map(row).collect()));
    facts.evals.insert(RUN, whole((0..500).map(score).collect()));
    facts.documents.insert(DocumentKind::Checklist, document("docs/PR_REVIEW_CHECKLIST.md", TEMPLATE.into()));
    let bars = "default: {gsm8k: 0.9}\nmodels: {qwen3.5: {gsm8k: 0.94}}\n";
    facts.documents.insert(DocumentKind::Thresholds, document("utils/evals/thresholds.yaml", bars.into()));
    facts
}

/// The workstation over these facts, settled, after some keys.
pub fn model(facts: Facts, size: (u16, u16), keys: &str) -> Model {
    let session = Session { host: "api.github.com".into(), recording: None, greeting: None, day: None, braille: true };
    let draft = Draft::new(&session.host, facts.repo.clone(), facts.number);
    let mut model = Model::new(session, Arc::new(policy()), facts, draft, Keymap::default());
    model.size = size;
    model.now = time();
    for effect in settle(&mut model) {
        let Effect::Ask(ticket, Request::Compare(comparison)) = effect else { continue };
        // What rules want to read next stays unasked: the facts are what they are.
        let facts = model.facts.clone();
        update(&mut model, time(), Msg::Reply(ticket, Reply::Compared(Box::new(comparison.run()))));
        follow_up(&mut model);
        model.facts = facts;
    }
    for effect in press(&mut model, keys) {
        let Effect::Ask(ticket, Request::Draw(drawing)) = effect else { continue };
        update(&mut model, time(), Msg::Reply(ticket, Reply::Drawn(Box::new(drawing.run()))));
        settle(&mut model);
    }
    model
}

/// Types keys, as the loop hands them on: nothing that they ask for is answered.
pub fn press(model: &mut Model, keys: &str) -> Vec<Effect> {
    let mut effects = Vec::new();
    for key in keys.split_whitespace() {
        effects.extend(update(model, time(), Msg::Key(Key::parse(key).unwrap())));
        effects.extend(settle(model));
    }
    effects
}
