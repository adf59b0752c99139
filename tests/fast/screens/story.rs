//! A pull request in our own words, as facts: a measured head, an older run read in part, hostile names.
//! Must not know: how it is drawn.

use chrono::TimeDelta;
use countersign::app::effect::Request;
use countersign::app::keymap::Keymap;
use countersign::app::model::Session;
use countersign::app::msg::Reply;
use countersign::app::{Effect, Model, Msg, follow_up, settle, update};
use countersign::core::axes::{Axes, Concurrency, Parallel};
use countersign::core::evals::{EvalRow, Metric};
use countersign::core::evidence::Source;
use countersign::core::facts::{DocumentKind, Facts, Side};
use countersign::core::ids::{ArtifactId, CommentId, JobId, PullNumber, RepoName, RunId, UserId};
use countersign::core::listing::Listing;
use countersign::core::policy;
use countersign::core::pull::{
    Actor, Artifact, ChangedFile, Comment, CommentPlace, Commit, Document, Job, Pull, Repository, Run, Viewer,
};
use countersign::core::remote::{Remote, Sourced};
use countersign::core::session::Draft;
use countersign::core::steps::{Step, Steps};
use countersign::core::sweep::Outcome;
use countersign::core::text::role::{Spans, SyntaxRole};
use countersign::core::time::Time;
use countersign::core::trouble::{Trouble, TroubleKind};
use std::sync::Arc;

pub const HEAD: &str = "e36439990a1b2c3d4e5f60718293a4b5c6d7e8f9";
const BEFORE: &str = "1111111110a1b2c3d4e5f60718293a4b5c6d7e8f";
pub const WHOLE: RunId = RunId(31_020_193_450);
const PART: RunId = RunId(31_000_000_001);

pub fn at(text: &str) -> Time {
    text.parse().unwrap()
}

pub fn now() -> Time {
    at("2026-08-11T12:30:00Z")
}

fn got<T>(value: T) -> Sourced<T> {
    let source = Source {
        address: "/repos/octo/bench/things".into(),
        commit: Some(HEAD.into()),
        read_at: at("2026-08-11T12:28:00Z"),
        digest: "d".into(),
    };
    Sourced { value, source }
}

pub fn ready<T>(value: T) -> Remote<T> {
    Remote::Ready(got(value))
}

fn whole<T>(items: Vec<T>) -> Remote<Listing<T>> {
    ready(Listing::complete(items))
}

pub fn trouble() -> Trouble {
    Trouble::new(TroubleKind::Server, "GitHub answered 502 to page 2.", "Press r to try again.")
}

fn actor(login: &str, id: u64) -> Actor {
    Actor { login: login.into(), id: Some(UserId(id)), bot: false }
}

pub const PATCH: &str = "@@ -1246,4 +1246,5 @@ scenarios:
       - { tp: 4, ep: 1, conc-start: 4, conc-end: 4, spec-decoding: mtp }
-      - { tp: 2, ep: 1, conc-start: 4, conc-end: 64, spec-decoding: mtp }
+      - { tp: 2, ep: 2, conc-start: 4, conc-end: 64, spec-decoding: mtp }
+      - { tp: 2, ep: 2, conc-list: [16, 32, 64], spec-decoding: mtp } # 新增 \u{202e}reversed\u{202c} and a tail that runs far past the right edge of every screen in this test
 \tqwen3.5-fp8-b200-sglang-mtp:
\\ No newline at end of file";

fn file(path: &str, status: &str, patch: Option<&str>) -> ChangedFile {
    ChangedFile {
        path: path.into(),
        previous_path: (status == "renamed").then(|| "runners/launch_before.sh".into()),
        status: status.into(),
        additions: 12,
        deletions: 1,
        blob: None,
        patch: patch.map(str::to_owned),
    }
}

fn run(id: RunId, attempt: u32, head: &str, conclusion: &str, created: &str) -> Run {
    Run {
        id,
        attempt,
        name: "Run Sweep".into(),
        title: "sweep".into(),
        event: "pull_request".into(),
        path: ".github/workflows/run-sweep.yml".into(),
        head: head.into(),
        head_branch: Some("tep2".into()),
        head_repo: Some(repo()),
        status: "completed".into(),
        conclusion: Some(conclusion.into()),
        created_at: Some(at(created)),
        started_at: Some(at(created)),
        updated_at: Some(at(created) + TimeDelta::minutes(45)),
        url: format!("https://github.example/octo/bench/actions/runs/{id}"),
    }
}

pub fn job(run: RunId, id: u64, attempt: u32, name: &str, conclusion: &str) -> Job {
    let done = conclusion != "in_progress";
    let start = at("2026-08-11T11:00:00Z");
    Job {
        id: JobId(id),
        run,
        attempt,
        name: name.into(),
        status: if done { "completed" } else { conclusion }.into(),
        conclusion: done.then(|| conclusion.to_owned()),
        created_at: Some(start),
        started_at: Some(start),
        completed_at: done.then(|| at("2026-08-11T11:31:00Z")),
        runner: None,
        url: format!("https://github.example/job/{id}"),
        steps: Default::default(),
    }
}

/// A job went wrong in the third of its steps, in this way.
fn steps(word: &str) -> Steps {
    let step = |(name, word): (&str, &str)| Step {
        number: 0,
        name: name.into(),
        outcome: Outcome::read("completed", Some(word)),
        started_at: None,
        completed_at: None,
    };
    let listed =
        [("Set up job", "success"), ("Checkout", "success"), ("Launch \u{1b}[31m脚本", word), ("Complete job", "success")];
    listed.map(step).to_vec().into()
}

fn eval(conc: u32, task: &str, strict: f64) -> EvalRow {
    let metric = |name: &str, score| Metric { name: name.into(), score, stderr: Some(0.0048) };
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
        model: "served/model".into(),
        isl: Some(8192),
        osl: Some(1024),
        task: task.into(),
        metrics: vec![metric("em_strict", strict), metric("em_flexible", strict + 0.001)],
        n: Some(1319),
    }
}

fn comment(id: u64, place: CommentPlace, login: &str, detail: Option<&str>, body: &str) -> Comment {
    Comment {
        id: CommentId(id),
        place,
        author: actor(login, id),
        association: "COLLABORATOR".into(),
        body: body.into(),
        created_at: Some(at("2026-08-11T09:00:00Z") + TimeDelta::minutes(i64::try_from(id).unwrap())),
        updated_at: None,
        url: format!("https://github.example/octo/bench/pull/7#c{id}"),
        detail: detail.map(str::to_owned),
    }
}

const TEMPLATE: &str = "# How we review\n\n## Template\n\n```\nAs a PR reviewer and CODEOWNER, I have reviewed this and have:\n
- [ ] Verified that this is the latest version of this checklist
- [ ] Verified the general code quality of this change, as one who will maintain it
- [ ] Verified that it passed PR validation, linked behind this item
- [ ] Verified that this PR passes evals, linked behind this item
- [ ] Verified that before additional frameworks the first one is served
- [ ] Verified that the official vLLM recipes name it
  - [ ] Verified that the page in the vLLM recipe repo is merged
- [ ] Fed the cat, for which there is no rule 并且没有规则

### Additional detail section:
- insert any additional info here

Signed: `FILL_IN_GITHUB_USERNAME`
```
";

fn repo() -> RepoName {
    RepoName { owner: "octo".into(), name: "bench".into() }
}

fn document(path: &str, text: &str) -> Remote<Document> {
    ready(Document { path: path.into(), blob: "b10b".into(), text: text.into() })
}

/// Everything read, but for page 2 of the older run's jobs.
pub fn facts() -> Facts {
    let mut facts = Facts::new("https://github.example", repo(), PullNumber(2550));
    facts.viewer = ready(Viewer { login: "reviewer".into(), id: UserId(7) });
    facts.repository = ready(Repository { name: repo(), default_branch: "main".into(), private: false });
    facts.pull = ready(Pull {
        number: PullNumber(2550),
        title: "性能：为 qwen3.5 增加 TEP2 并行\u{1b}]0;owned\u{7} [b200]".into(),
        body: "Adds **TEP2** for `qwen3.5`.\n\n- [x] measured\n- [ ] merged <!-- hidden words -->".into(),
        state: "open".into(),
        draft: false,
        merged: false,
        author: actor("pr-author", 8),
        labels: vec!["full-sweep".into()],
        head: HEAD.into(),
        head_branch: "tep2".into(),
        head_repo: Some(repo()),
        base: BEFORE.into(),
        base_branch: "main".into(),
        additions: 1204,
        deletions: 1,
        changed_files: 4,
        commits: 2,
        comments: 3,
        line_comments: 0,
        url: "https://github.example/octo/bench/pull/2550".into(),
        updated_at: None,
        mergeable: Some(true),
        auto_merge: Some(false),
        locked: Some(false),
    });
    facts.merge_base = ready(BEFORE.into());
    facts.files = whole(vec![
        file("configs/a/very/long/path/that/does/not/fit/into/any/column/sglang-b200-master.yaml", "modified", Some(PATCH)),
        file("perf-changelog.yaml", "modified", Some("@@ -0,0 +1 @@\n+- config-keys: []")),
        file("runners/launch_after.sh", "renamed", None),
        file("图/画.png", "added", None),
    ]);
    let commit = |sha: &str| Commit {
        sha: sha.into(),
        headline: "x".into(),
        message: "x".into(),
        author: "pr-author".into(),
        date: None,
        parents: None,
    };
    facts.commits = whole(vec![commit(BEFORE), commit(HEAD)]);
    let hostile = "Looks good.\n\n> quoted \u{1b}[2J words\n\nSee [the page](https://example.org/a) and `code`.\n\n```yaml\ntp: 2 \u{202e}\n```";
    facts.comments = whole(vec![
        comment(1, CommentPlace::Conversation, "owner-1", None, hostile),
        comment(5, CommentPlace::Conversation, "评审者", None, "看起来不错，但是需要更多的测量数据。"),
    ]);
    facts.reviews = whole(vec![comment(2, CommentPlace::Review, "owner-2", Some("APPROVED"), "Fine by me.")]);
    facts.line_comments = whole(vec![comment(3, CommentPlace::Line, "owner-2", Some("perf-changelog.yaml:3"), "Why 64?")]);
    facts.runs = whole(vec![
        run(WHOLE, 2, HEAD, "success", "2026-08-11T11:00:00Z"),
        run(PART, 1, BEFORE, "failure", "2026-08-10T11:00:00Z"),
    ]);
    let point = |conc: u32| format!("single-node 8k1k / qwen3.5 fp4 b200 sgl TP2/EP2 mtp c{conc}");
    let scored = |conc: u32| format!("eval / qwen3.5 fp4 b200 sgl TP2/EP2 mtp c{conc} | eval-only");
    facts.jobs.insert(
        WHOLE,
        whole(vec![
            job(WHOLE, 1, 1, "setup", "success"),
            job(WHOLE, 2, 1, &point(16), "success"),
            Job { steps: steps("failure"), ..job(WHOLE, 3, 1, &point(32), "failure") },
            job(WHOLE, 4, 1, &point(64), "success"),
            job(WHOLE, 5, 1, &scored(32), "success"),
            job(WHOLE, 6, 1, &scored(64), "success"),
            job(WHOLE, 7, 1, "single-node 1k1k", "skipped"),
            Job { steps: steps("cancelled"), ..job(WHOLE, 8, 1, "\u{1b}[31mevil\u{202e}名 job", "cancelled") },
            job(WHOLE, 9, 2, &point(32), "success"),
        ]),
    );
    facts.jobs.insert(
        PART,
        ready(Listing::partial(
            vec![Job { steps: steps("failure"), ..job(PART, 20, 1, &point(16), "failure") }],
            Some(240),
            trouble(),
        )),
    );
    let artifact = |run| Artifact {
        id: ArtifactId(1),
        run,
        name: "eval_results_all".into(),
        size: 4096,
        expired: run == PART,
        created_at: None,
        expires_at: None,
        digest: None,
    };
    facts.artifacts.insert(WHOLE, whole(vec![artifact(WHOLE)]));
    facts.artifacts.insert(PART, whole(vec![artifact(PART)]));
    facts.evals.insert(WHOLE, whole(vec![eval(32, "gsm8k", 0.9703), eval(64, "gsm8k", 0.931), eval(64, "smoke", 0.2)]));
    for (side, text) in [(Side::Base, ""), (Side::Head, "- config-keys: []\n  description: x\n")] {
        facts.sides.insert((side, "perf-changelog.yaml".into()), document("perf-changelog.yaml", text));
    }
    facts.documents.insert(DocumentKind::Checklist, document("docs/PR_REVIEW_CHECKLIST.md", TEMPLATE));
    let bars = "default: {gsm8k: 0.9, smoke: 0.0}\nmodels: {qwen3.5: {gsm8k: 0.94}}\n";
    facts.documents.insert(DocumentKind::Thresholds, document("utils/evals/thresholds.yaml", bars));
    facts
}

const VERIFIER: &str = "# Verify\n\n## Check 1 — PR has a passing sweep\nGreen.\n\n## Check 2 — Evals actually pass\nAbove.
\n## Check 3 — Recipe linked\nMerged.\n\n## Check 16 — Something new\nNobody knows.\n";

/// The same with what the bot is told to check, a sign-off of the viewer, and the bot's answer to it.
pub fn answered() -> Facts {
    let mut facts = facts();
    facts.documents.insert(DocumentKind::Verifier, document(".github/verify.md", VERIFIER));
    let signoff = "As a PR reviewer and CODEOWNER, I have reviewed this and have:\n- [x] Verified that it passed PR validation";
    let verdict = format!(
        "<!-- codeowner-signoff-verify signoff=issuecomment-6 -->\n## ❌❌❌ REJECTED\n\n✅ **Check 1 (sweep):** PASS — green\n\
         ✅ **Check 2 (evals):** PASS — both above their bars\n❌ **Check 3 (recipe):** FAIL — no link \u{1b}[31m\n\
         ✅ **Check 42 (cats):** PASS — fed\n\nAssessed commit: `{HEAD}`"
    );
    let Remote::Ready(comments) = &mut facts.comments else { unreachable!() };
    comments.value.items.push(comment(6, CommentPlace::Conversation, "reviewer", None, signoff));
    comments.value.items.push(comment(9, CommentPlace::Conversation, "Klaud-Cold", None, &verdict));
    facts
}

/// A model over these facts at a size, settled and with the open file highlighted.
pub fn model(facts: Facts, size: (u16, u16)) -> Model {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/policies/inferencex.yaml");
    let policy = policy::parse("policy.yaml", &std::fs::read_to_string(path).unwrap()).unwrap();
    let session = Session { host: "api.github.com".into(), recording: None, greeting: None, day: None, braille: true };
    let draft = Draft::new(&session.host, facts.repo.clone(), facts.number);
    let mut model = Model::new(session, Arc::new(policy), facts, draft, Keymap::default());
    model.size = size;
    model.now = now();
    model.facts.day = Some(now().date_naive());
    model.budget = Some((4812, 5000));
    settled(&mut model);
    model
}

/// Settles, and answers what that asks for: compared configs, and highlighting, by the first word of a line.
pub fn settled(model: &mut Model) {
    for effect in settle(model) {
        let ticket = match effect {
            Effect::Ask(ticket, Request::Compare(comparison)) => {
                // What rules want to read next stays unasked: the facts are what they are.
                let facts = model.facts.clone();
                update(model, now(), Msg::Reply(ticket, Reply::Compared(Box::new(comparison.run()))));
                follow_up(model);
                model.facts = facts;
                settle(model);
                continue;
            }
            Effect::Ask(ticket, _) => ticket,
            _ => continue,
        };
        let Some(open) = &model.diff.open else { continue };
        let rows = (0..open.parsed.rows()).filter_map(|at| open.parsed.row(at));
        let spans: Vec<Spans> = rows
            .map(|row| {
                let text = open.patch.get(row.text.clone()).unwrap_or_default();
                let key = text
                    .find("tp")
                    .map(|at| (u32::try_from(at).unwrap()..u32::try_from(at + 2).unwrap(), SyntaxRole::Property));
                let comment = text
                    .find('#')
                    .map(|at| (u32::try_from(at).unwrap()..u32::try_from(text.len()).unwrap(), SyntaxRole::Comment));
                key.into_iter().chain(comment).collect()
            })
            .collect();
        let reply = Reply::Highlighted { path: open.path.clone(), from: 0, spans };
        update(model, now(), Msg::Reply(ticket, reply));
    }
}
