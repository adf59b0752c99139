//! A pull request that adds four points to a config of two, measured by one green run.
//! Must not know: what its points amount to.

use crate::core::axes::{Axes, Concurrency, Parallel};
use crate::core::evals::{EvalRow, Metric};
use crate::core::facts::{DocumentKind, Facts, Side};
use crate::core::ids::{BlobId, JobId, PullNumber, RepoName, RunId, Sha};
use crate::core::listing::{Completeness, Listing};
use crate::core::policy::scenario::ready;
use crate::core::pull::{ChangedFile, Commit, Document, Job, LabelEvent, Pull, Run};
use crate::core::remote::Remote;
use crate::core::results::{self, ResultRow};
use crate::core::sample::{World, actor, at};
use crate::core::trouble::{Trouble, TroubleKind};
use serde_json::{Value, json};

pub(crate) const RUN: RunId = RunId(31_020_193_450);
pub(crate) const OTHER: RunId = RunId(31_020_193_999);
pub(crate) const MASTER: &str = "configs/nvidia-master.yaml";
pub(crate) const LOG: &str = "perf-changelog.yaml";
pub(crate) const HEAD: &str = "e36439994615e02aaaf042482234dc7060a6126d";
pub(crate) const EARLIER: &str = "1111111111111111111111111111111111111111";

/// The entry `key` with these rows.
pub(crate) fn entry(key: &str, image: &str, rows: &[&str]) -> String {
    let rows: String = rows.iter().map(|row| format!("      - {row}\n")).collect();
    format!(
        "{key}:\n  image: {image}\n  model: o/M\n  model-prefix: qwen3.5\n  runner: b200\n  precision: fp4\n  framework: sglang\n\
         \x20 multinode: false\n  scenarios:\n    fixed-seq-len:\n    - isl: 8192\n      osl: 1024\n      search-space:\n{rows}"
    )
}

pub(crate) const OLD_ROW: &str = "{ tp: 4, spec-decoding: mtp, conc-list: [4, 16] }";
pub(crate) const NEW_ROW: &str = "{ tp: 2, ep: 2, spec-decoding: mtp, conc-list: [4, 16, 32, 64] }";

pub(crate) fn changelog(key: &str, more: &str) -> String {
    format!("- config-keys:\n    - \"{key}\"\n{more}  description:\n    - add an arm\n  pr-link: XXX\n")
}

/// The name of a benchmark or of an eval, as the server sends it.
pub(crate) fn name(parallel: &str, conc: u32, eval: bool) -> String {
    match eval {
        false => format!("single-node 8k1k / / p3.750 | qwen3.5 fp4 b200 sgl {parallel} mtp   c{conc}"),
        true => format!("eval / / p3.750 | qwen3.5 fp4 b200 sgl {parallel} mtp   c{conc} | eval-only"),
    }
}

pub(crate) fn job(id: u64, run: RunId, attempt: u32, name: &str, word: &str) -> Job {
    let done = !matches!(word, "queued" | "in_progress");
    Job {
        id: JobId(id),
        run,
        attempt,
        name: name.to_owned(),
        status: if done { "completed" } else { word }.to_owned(),
        conclusion: done.then(|| word.to_owned()),
        created_at: None,
        started_at: None,
        completed_at: None,
        runner: None,
        url: format!("https://github.com/o/r/actions/runs/{run}/job/{id}"),
        steps: Default::default(),
    }
}

pub(crate) fn run(id: RunId, head: &str, created: &str) -> Run {
    Run {
        id,
        attempt: 1,
        name: "Run Sweep".into(),
        title: "sweep".into(),
        event: "pull_request".into(),
        path: ".github/workflows/run-sweep.yml".into(),
        head: head.into(),
        head_branch: Some("arm".into()),
        head_repo: None,
        status: "completed".into(),
        conclusion: Some("success".into()),
        created_at: Some(at(created)),
        started_at: None,
        updated_at: None,
        url: format!("https://github.com/o/r/actions/runs/{id}"),
    }
}

pub(crate) fn result(run: RunId, tp: u32, ep: u32, conc: u32, more: Value) -> ResultRow {
    let mut row = results::rows::tests::fixed();
    for (key, value) in json!({"tp": tp, "ep": ep, "conc": conc}).as_object().unwrap().iter().chain(more.as_object().unwrap()) {
        row[key] = value.clone();
    }
    let read = results::parse("agg.json", run, row.to_string().as_bytes()).unwrap();
    assert_eq!((read.rows.len(), read.trouble), (1, None));
    read.rows.into_iter().next().unwrap()
}

pub(crate) fn score(conc: u32, score: f64) -> EvalRow {
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
            conc: Concurrency::One(conc),
            prefill: None,
            decode: None,
        },
        model: "o/M".into(),
        isl: Some(8192),
        osl: Some(1024),
        task: "gsm8k".into(),
        metrics: vec![Metric { name: "em_strict".into(), score, stderr: Some(0.0048) }],
        n: Some(1319),
    }
}

pub(crate) fn file(path: &str, status: &str, patch: Option<&str>) -> ChangedFile {
    ChangedFile {
        path: path.to_owned(),
        previous_path: None,
        status: status.to_owned(),
        additions: 1,
        deletions: 0,
        blob: None,
        patch: patch.map(str::to_owned),
    }
}

pub(crate) fn document(path: &str, text: &str) -> Remote<Document> {
    ready(path, Document { path: path.to_owned(), blob: BlobId::from("b"), text: text.to_owned() })
}

pub(crate) fn value<T>(remote: &mut Remote<T>) -> &mut T {
    match remote {
        Remote::Ready(got) => &mut got.value,
        _ => panic!("not ready"),
    }
}

pub(crate) fn jobs(facts: &mut Facts) -> &mut Vec<Job> {
    &mut value(facts.jobs.get_mut(&RUN).unwrap()).items
}

/// Gives the jobs whose names hold `part` this end.
pub(crate) fn conclude(facts: &mut Facts, part: &str, word: &str) {
    let mut hit = 0;
    for one in jobs(facts).iter_mut().filter(|job| job.name.contains(part)) {
        *one = job(one.id.0, one.run, one.attempt, &one.name.clone(), word);
        hit += 1;
    }
    assert!(hit > 0, "{part}");
}

pub(crate) fn cut<T>(list: &mut Listing<T>) {
    let why = Trouble::new(TroubleKind::Server, "GitHub answered 502.", "Press r to try again.");
    list.completeness = Completeness::Partial { of: None, why };
}

/// Config files at both sides, and a changelog.
pub(crate) fn configs(facts: &mut Facts, base: &str, head: &str, log: &str) {
    for (side, path, text) in
        [(Side::Base, MASTER, base), (Side::Head, MASTER, head), (Side::Base, LOG, ""), (Side::Head, LOG, log)]
    {
        facts.sides.insert((side, path.to_owned()), document(path, text));
    }
}

/// Everything read, everything green.
pub(crate) fn green() -> Facts {
    let mut facts = Facts::new("https://github.com", RepoName { owner: "o".into(), name: "r".into() }, PullNumber(7));
    facts.day = "2026-08-12".parse().ok();
    let mut pull = pull();
    pull.head = HEAD.into();
    facts.pull = ready("pull", pull);
    facts.merge_base = ready("merge base", Sha::from("base"));
    facts.files = ready("files", Listing::complete(vec![file(MASTER, "modified", None), file(LOG, "modified", None)]));
    let commit = |sha: &str| Commit {
        sha: sha.into(),
        headline: String::new(),
        message: String::new(),
        author: String::new(),
        date: None,
        parents: None,
    };
    facts.commits = ready("commits", Listing::complete(vec![commit(EARLIER), commit(HEAD)]));
    let (base, head) = (entry("k", "o/i:v1", &[OLD_ROW]), entry("k", "o/i:v1", &[OLD_ROW, NEW_ROW]));
    configs(&mut facts, &base, &head, &changelog("k", ""));
    facts.masters.insert("amd".into(), document("configs/amd-master.yaml", ""));
    facts.runs = ready("runs", Listing::complete(vec![run(RUN, HEAD, "2026-08-11T07:00:00Z")]));
    let mut all = vec![job(1, RUN, 1, "setup", "success"), job(2, RUN, 1, "agentic /", "skipped")];
    for (at, (parallel, conc)) in MEASURED.iter().enumerate() {
        all.push(job(10 + at as u64, RUN, 1, &name(parallel, *conc, false), "success"));
    }
    all.extend([32, 64].map(|conc| job(u64::from(conc), RUN, 1, &name("TP2/EP2", conc, true), "success")));
    facts.jobs.insert(RUN, ready("jobs", Listing::complete(all)));
    let rows = MEASURED.map(|(parallel, conc)| match parallel {
        "TP4" => result(RUN, 4, 1, conc, json!({})),
        _ => result(RUN, 2, 2, conc, json!({})),
    });
    facts.results.insert(RUN, ready("results", Listing::complete(rows.to_vec())));
    facts.evals.insert(RUN, ready("evals", Listing::complete(vec![score(32, 0.961), score(64, 0.968)])));
    facts.documents.insert(DocumentKind::Thresholds, document("t.yaml", "default: {gsm8k: 0.94}"));
    facts.label_events = ready("labels", Listing::complete(Vec::new()));
    facts
}

pub(crate) const MEASURED: [(&str, u32); 6] =
    [("TP4", 4), ("TP4", 16), ("TP2/EP2", 4), ("TP2/EP2", 16), ("TP2/EP2", 32), ("TP2/EP2", 64)];

fn pull() -> Pull {
    use crate::core::plan::Read;
    let world = World::new();
    let mut facts = world.facts();
    crate::core::plan::absorb(&mut facts, world.reply(Read::Pull));
    let mut pull = facts.pull.value().unwrap().clone();
    pull.author = actor("pr-author", 1);
    pull
}

/// A label that came at this moment.
pub(crate) fn labelled(label: &str, when: &str) -> LabelEvent {
    LabelEvent { id: 1, label: label.to_owned(), added: true, at: Some(at(when)) }
}

/// A second, newer run that is a copy of the first, with these jobs; results and scores are its own.
pub(crate) fn again(facts: &mut Facts, head: &str, change: impl Fn(&mut Job)) {
    let runs = &mut value(&mut facts.runs).items;
    runs.insert(0, run(OTHER, head, "2026-08-11T20:00:00Z"));
    let mut copy = jobs(facts).clone();
    for one in &mut copy {
        one.id = JobId(one.id.0 + 1_000);
        one.run = OTHER;
        change(one);
    }
    facts.jobs.insert(OTHER, ready("other jobs", Listing::complete(copy)));
    let rows = facts.results.get(&RUN).cloned().unwrap();
    facts.results.insert(OTHER, rows);
    let scores = facts.evals.get(&RUN).cloned().unwrap();
    facts.evals.insert(OTHER, scores);
}

pub(crate) fn earlier() -> &'static str {
    EARLIER
}
