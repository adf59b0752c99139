//! A small pull request for tests: every read has an answer, told by hand, and each can be changed.
//! Must not know: the corpus.

use super::axes::{Axes, Concurrency, Parallel};
use super::evals::{EvalRow, Metric};
use super::evidence::{Source, digest};
use super::facts::{DocumentKind, Facts, Side};
use super::ids::{ArtifactId, CommentId, JobId, PullNumber, RepoName, RunId, Sha, UserId};
use super::listing::Listing;
use super::plan::{self, Answer, Read, Reply};
use super::policy::Policy;
use super::pull::*;
use super::results::{self, ResultRow};
use super::review::Review;
use super::session::Draft;
use super::steps::{Step, Steps};
use super::sweep::Outcome;
use super::time::Time;
use super::trouble::{Trouble, TroubleKind};

pub(crate) const RUN: RunId = RunId(31_020_193_450);
/// The bot of this world has every check.
const VERIFIER: &str = "## Check 0 — The author is a CODEOWNER\n## Check 1 — A passing sweep ran\n## Check 2 — Evals actually pass\n\
     ## Check 3 — Recipe linked\n## Check 4 — Reuse-sweep command posted\n## Check 5 — The latest checklist template\n\
     ## Check 6 — Upstream vLLM/SGLang images\n## Check 7 — No deprecated models or scenarios\n\
     ## Check 8 — No hacks that change the model architecture\n## Check 9 — Configs benchmark through chat templates\n\
     ## Check 10 — No engine patches\n## Check 11 — Golden simulated acceptance length\n## Check 12 — Append-only changes\n\
     ## Check 13 — Draft runs as shipped\n";
pub(crate) const TRIGGER: &str = "As a PR reviewer and CODEOWNER";

/// What GitHub would say.
#[derive(Clone)]
pub(crate) struct World {
    /// What the repository is called now, whatever it was asked for as.
    pub name: RepoName,
    pub head: Sha,
    /// Commits of the pull request before its head.
    pub before: Vec<Sha>,
    /// What the run measured, where that is not the head, in which attempt, and when it ended.
    pub measured: Option<Sha>,
    pub attempt: u32,
    pub ended: Option<Time>,
    pub artifacts_until: Option<Time>,
    /// What came after the measured commit, and how many commits each commit follows.
    pub later: Result<Later, Trouble>,
    pub parents: Option<usize>,
    pub template: String,
    pub viewer: Result<Viewer, Trouble>,
    pub comments: Vec<Comment>,
    pub labels: Vec<String>,
    pub reviews: Vec<Comment>,
    /// In a pending review of the viewer's.
    pub pending_comments: Listing<CommentId>,
    pub jobs: Listing<Job>,
    pub run_conclusion: Option<String>,
    /// Newer runs.
    pub more_runs: Vec<Run>,
    pub scores: Vec<f64>,
    pub statuses: Vec<CommitStatus>,
    pub bot_runs: Vec<Run>,
    pub now: Time,
}

pub(crate) fn at(text: &str) -> Time {
    text.parse().unwrap()
}

pub(crate) fn actor(login: &str, id: u64) -> Actor {
    Actor { login: login.into(), id: Some(UserId(id)), bot: false }
}

pub(crate) fn comment(id: u64, author: Actor, body: &str) -> Comment {
    Comment {
        id: CommentId(id),
        place: CommentPlace::Conversation,
        author,
        association: "MEMBER".into(),
        body: body.to_owned(),
        created_at: Some(at("2026-08-11T10:00:00Z")),
        updated_at: None,
        url: format!("https://github.com/o/r/pull/7#issuecomment-{id}"),
        detail: None,
    }
}

pub(crate) fn job(id: u64, attempt: u32, name: &str, conclusion: Option<&str>) -> Job {
    Job {
        id: JobId(id),
        run: RUN,
        attempt,
        name: name.to_owned(),
        status: if conclusion.is_some() { "completed" } else { "in_progress" }.to_owned(),
        conclusion: conclusion.map(str::to_owned),
        created_at: None,
        started_at: Some(at("2026-08-11T08:00:00Z")),
        completed_at: conclusion.map(|_| at("2026-08-11T08:31:00Z")),
        runner: None,
        url: format!("https://github.com/o/r/actions/runs/{RUN}/job/{id}"),
        steps: Steps::default(),
    }
}

/// A step that is in this state, by GitHub's word for it.
pub(crate) fn step(name: &str, word: &str, started: Option<&str>, completed: Option<&str>) -> Step {
    let outcome = match word {
        "queued" | "in_progress" => Outcome::read(word, None),
        _ => Outcome::read("completed", Some(word)),
    };
    Step { number: 1, name: name.into(), outcome, started_at: started.map(at), completed_at: completed.map(at) }
}

impl World {
    pub(crate) fn new() -> World {
        let template = format!(
            "# Checklist\n\n## Template\n```\n{TRIGGER}, I have looked and:\n\
             - [ ] This is the latest version of the checklist\n\
             - [ ] The general code quality is fine.\n\
             - [ ] It has passed PR validation.  Please link it.\n\
             - [ ] This PR passes evals.\n\
             \n### Additional detail section:\n- insert any additional info here\n\nSigned: `FILL_IN_GITHUB_USERNAME`\n```\n\n## Example\n"
        );
        World {
            name: RepoName { owner: "o".into(), name: "r".into() },
            head: "e36439994615e02aaaf042482234dc7060a6126d".into(),
            before: Vec::new(),
            measured: None,
            attempt: 1,
            ended: None,
            artifacts_until: None,
            later: Ok(Later { course: Course::Ahead, files: Listing::complete(vec![touched("run.sh")]) }),
            parents: Some(1),
            template,
            viewer: Ok(Viewer { login: "nv-owner-1".into(), id: UserId(42) }),
            comments: vec![comment(100, actor("pr-author", 1), "/reuse-sweep-run")],
            labels: vec!["full-sweep-enabled".into()],
            reviews: Vec::new(),
            pending_comments: Listing::complete(Vec::new()),
            jobs: Listing::complete(vec![
                job(1, 1, "setup", Some("success")),
                job(2, 1, "single-node 8k1k / / p3.750 | qwen3.5 fp4 b200 sgl TP2/EP2 mtp   c64", Some("success")),
                job(3, 1, "eval / / p3.750 | qwen3.5 fp4 b200 sgl TP2/EP2 mtp   c64 | eval-only", Some("success")),
                job(4, 1, "agentic /", Some("skipped")),
            ]),
            run_conclusion: Some("success".into()),
            more_runs: Vec::new(),
            scores: vec![0.968],
            statuses: Vec::new(),
            bot_runs: Vec::new(),
            now: at("2026-08-11T12:00:00Z"),
        }
    }

    pub(crate) fn facts(&self) -> Facts {
        Facts::new("https://github.com", RepoName { owner: "o".into(), name: "r".into() }, PullNumber(7))
    }

    /// Reads everything, as the program does.
    pub(crate) fn opened(&self, policy: &Policy) -> Facts {
        let mut facts = self.facts();
        loop {
            let reads = {
                let needs = Review::draw(policy, &facts, &Draft::new("h", facts.repo.clone(), facts.number), None).needs;
                plan::due(&facts, policy, &needs)
            };
            if reads.is_empty() {
                return facts;
            }
            plan::start(&mut facts, &reads);
            for read in reads {
                plan::absorb(&mut facts, self.reply(read));
            }
        }
    }

    pub(crate) fn reply(&self, read: Read) -> Reply {
        let answer = self.answer(&read).map(|answer| {
            let digest = digest(format!("{answer:?}").as_bytes());
            (answer, Source { address: format!("/{read:?}"), commit: None, read_at: self.now, digest })
        });
        Reply { read, answer, last: true }
    }

    fn answer(&self, read: &Read) -> Result<Answer, Trouble> {
        let text = |path: &str, text: &str| Document {
            path: path.to_owned(),
            blob: digest(text.as_bytes())[..8].into(),
            text: text.to_owned(),
        };
        Ok(match read {
            Read::Viewer => Answer::Viewer(self.viewer.clone()?),
            Read::Repository => {
                Answer::Repository(Repository { name: self.name.clone(), default_branch: "main".into(), private: false })
            }
            Read::Pull => Answer::Pull(Pull {
                number: PullNumber(7),
                title: "perf: add an arm".into(),
                body: "why".into(),
                state: "open".into(),
                draft: false,
                merged: false,
                author: actor("pr-author", 1),
                labels: self.labels.clone(),
                head: self.head.clone(),
                head_branch: "arm".into(),
                head_repo: None,
                base: "b".repeat(40).as_str().into(),
                base_branch: "main".into(),
                additions: 4,
                deletions: 0,
                changed_files: 2,
                commits: 1 + self.before.len() as u64,
                comments: 1,
                line_comments: 0,
                url: "https://github.com/o/r/pull/7".into(),
                updated_at: None,
                mergeable: Some(true),
                auto_merge: Some(false),
                locked: Some(false),
            }),
            Read::Files => Answer::Files(Listing::complete(vec![
                file("configs/nvidia-master.yaml", "@@ -1,1 +1,2 @@\n a: 1\n+b: 2"),
                file("run.sh", "@@ -1 +1 @@\n-echo one\n+echo two\n@@ -9,0 +10,1 @@\n+echo end"),
            ])),
            Read::Commits => {
                let commit = |sha: &Sha| Commit {
                    sha: sha.clone(),
                    headline: "add".into(),
                    message: "add".into(),
                    author: "pr-author".into(),
                    date: None,
                    parents: self.parents,
                };
                Answer::Commits(Listing::complete(self.before.iter().chain([&self.head]).map(commit).collect()))
            }
            Read::Comments => Answer::Comments(Listing::complete(self.comments.clone())),
            Read::Reviews => Answer::Reviews(Listing::complete(self.reviews.clone())),
            Read::PendingComments(_) => Answer::PendingComments(self.pending_comments.clone()),
            Read::LineComments => Answer::LineComments(Listing::complete(Vec::new())),
            Read::MergeBase { base, .. } => Answer::MergeBase(base.clone()),
            Read::Later { .. } => Answer::Later(self.later.clone()?),
            Read::Runs { .. } => Answer::Runs(Listing::complete(self.more_runs.iter().cloned().chain([self.run()]).collect())),
            Read::Run(_) => Answer::Run(self.run()),
            Read::Statuses { .. } => Answer::Statuses(Listing::complete(self.statuses.clone())),
            Read::BotRuns { .. } => Answer::BotRuns(Listing::complete(self.bot_runs.clone())),
            Read::Jobs(_) => Answer::Jobs(self.jobs.clone()),
            Read::Artifacts { run, name } => Answer::Artifacts(Listing::complete(vec![Artifact {
                id: ArtifactId(5),
                run: *run,
                name: name.clone(),
                size: 100,
                expired: false,
                created_at: None,
                expires_at: self.artifacts_until,
                digest: None,
            }])),
            Read::Evals { .. } => Answer::Evals(Listing::complete(self.scores.iter().map(|&score| row(score)).collect())),
            Read::Results { run, .. } => Answer::Results(Listing::complete(measured(*run))),
            Read::Document { kind: DocumentKind::Checklist, .. } => Answer::Document(text("docs/LIST.md", &self.template)),
            Read::Document { kind: DocumentKind::Thresholds, .. } => {
                Answer::Document(text("bars.yaml", "default:\n  gsm8k: 0.90\nmodels:\n  qwen3.5:\n    gsm8k: 0.94\n"))
            }
            Read::Document { kind: DocumentKind::Verifier, .. } => Answer::Document(text("VERIFY.md", VERIFIER)),
            Read::Document { kind: DocumentKind::Owners, .. } => Answer::Document(text("OWNERS", "* @nv-owner-1\n")),
            Read::Document { kind: DocumentKind::Models, .. } => Answer::Document(text("MODELS.md", "# Models\n")),
            Read::Master { .. } => Answer::Master(text("configs/other-master.yaml", "")),
            Read::Folder { .. } | Read::Blob(_) | Read::Linked(_) | Read::LinkedFile(_) => {
                return Err(Trouble::new(TroubleKind::NotFound, "There is no such thing.", ""));
            }
            Read::Top { .. } => Answer::Top(["docs", "bars.yaml", "configs"].map(str::to_owned).to_vec()),
            Read::LabelEvents => Answer::LabelEvents(Listing::complete(Vec::new())),
            Read::Permission(_) => Answer::Permission(Permission { permission: "write".into(), role: None }),
            Read::Member { .. } => Answer::Member(true),
            Read::SideFile { side, path, .. } => match side {
                Side::Base => Answer::SideFile(text(path, "a: 1\n")),
                Side::Head => Answer::SideFile(text(path, "a: 1\nb: 2\n")),
            },
        })
    }

    pub(crate) fn run(&self) -> Run {
        Run {
            id: RUN,
            attempt: self.attempt,
            name: "Run Sweep".into(),
            title: "sweep".into(),
            event: "pull_request".into(),
            path: ".github/workflows/run-sweep.yml".into(),
            head: self.measured.as_ref().unwrap_or(&self.head).clone(),
            head_branch: Some("arm".into()),
            head_repo: None,
            status: if self.run_conclusion.is_some() { "completed" } else { "in_progress" }.into(),
            conclusion: self.run_conclusion.clone(),
            created_at: Some(at("2026-08-11T07:00:00Z")),
            started_at: None,
            updated_at: self.ended,
            url: format!("https://github.com/o/r/actions/runs/{RUN}"),
        }
    }
}

pub(crate) fn server_error() -> Trouble {
    Trouble::new(TroubleKind::Server, "GitHub answered 502.", "Press r to try again.")
}

pub(crate) fn touched(path: &str) -> TouchedFile {
    TouchedFile { path: path.to_owned(), previous_path: None }
}

fn file(path: &str, patch: &str) -> ChangedFile {
    ChangedFile {
        path: path.to_owned(),
        previous_path: None,
        status: "modified".into(),
        additions: 1,
        deletions: 0,
        blob: None,
        patch: Some(patch.to_owned()),
    }
}

/// One point, as its artifact holds it.
fn measured(run: RunId) -> Vec<ResultRow> {
    let bytes = results::rows::tests::fixed().to_string();
    results::parse("agg.json", run, bytes.as_bytes()).unwrap().rows
}

fn row(score: f64) -> EvalRow {
    let parallel = Parallel { tp: 2, ep: 2, ..Parallel::default() };
    EvalRow {
        axes: Axes {
            model: "qwen3.5".into(),
            precision: "fp4".into(),
            runner: "b200".into(),
            framework: "sglang".into(),
            parallel,
            spec: Some("mtp".into()),
            kv: None,
            kv_backend: None,
            conc: Concurrency::One(64),
            prefill: None,
            decode: None,
        },
        model: "m".into(),
        isl: Some(8192),
        osl: Some(1024),
        task: "gsm8k".into(),
        metrics: vec![Metric { name: "em_strict".into(), score, stderr: Some(0.0048) }],
        n: Some(1319),
    }
}
