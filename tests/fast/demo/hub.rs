//! The story as GitHub would answer it: one exchange per read that the program may make.
//! Must not know: which of them a test asks for.

use super::filler::Filler;
use super::story::{Artifact, Attempt, Change, Commit, Job, LineComment, Review, Run, Score, Story, Time, blob_id, hash};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::{Duration, SecondsFormat};
use countersign::core::facts::DocumentKind;
use countersign::core::policy::Policy;
use serde_json::{Map, Value, json};
use std::io::Write;

const API: &str = "https://api.github.com";
const WEB: &str = "https://github.com";
/// Where downloads lie: another host, as with GitHub.
const STORE: &str = "https://results.example.com";
const REPOSITORY_ID: u64 = 2_550_001;

/// The whole recording, as text.
pub fn render(story: &Story, policy: &Policy) -> String {
    let filler = Filler::load(rfc(story.pull.opened));
    let hub = Hub { story, filler, repo: &story.pull.repo };
    let header = json!({
        "schema": 1, "kind": "countersign recording", "base": API, "repo": hub.repo, "number": story.pull.number,
        "recorded_at": rfc(story.pull.recorded_at),
    });
    let mut lines = vec![header.to_string()];
    lines.extend(hub.pull_exchanges());
    lines.extend(hub.run_exchanges(policy));
    lines.extend(hub.other_exchanges());
    lines.extend(hub.file_exchanges(policy));
    lines.join("\n") + "\n"
}

/// The steps of a job, a few seconds each but for the last before the end, which is also where it failed.
fn steps(job: &Job) -> Vec<Value> {
    let Some(runner) = &job.runner else { return Vec::new() };
    let names = match runner.starts_with("hosted") {
        true => &["Set up job", "Run the script", "Complete job"][..],
        false => &["Set up job", "Checkout", "Launch job script", "Complete job"][..],
    };
    let last = names.len() - 1;
    let from = |at: usize| if at == last { job.ended } else { job.started + Duration::seconds(3 * at as i64) };
    let conclusion = |at: usize| if at + 1 == last { job.conclusion.as_str() } else { "success" };
    let step = |(at, name): (usize, &&str)| {
        json!({
            "name": name, "status": "completed", "conclusion": conclusion(at), "number": at + 1,
            "started_at": rfc(from(at)), "completed_at": rfc(from((at + 1).min(last))),
        })
    };
    names.iter().enumerate().map(step).collect()
}

struct Hub<'a> {
    story: &'a Story,
    filler: Filler,
    repo: &'a str,
}

impl Hub<'_> {
    /// A read below the repository, answered with JSON.
    fn read(&self, path: &str, template: &str, body: Value) -> String {
        let body = self.filler.complete(&format!("/repos/{{owner}}/{{repo}}{template}"), body);
        exchange(&format!("/repos/{}{path}", self.repo), 200, &body)
    }

    fn api(&self, path: &str) -> String {
        format!("{API}/repos/{}{path}", self.repo)
    }

    fn web(&self, path: &str) -> String {
        format!("{WEB}/{}{path}", self.repo)
    }

    fn pull_exchanges(&self) -> Vec<String> {
        let pull = &self.story.pull;
        let number = pull.number;
        let at = |rest: &str| format!("/pulls/{number}{rest}");
        let each = "?per_page=100";
        let mut viewer = user(&pull.viewer);
        viewer["user_view_type"] = json!("public");
        let base = self.story.sha(&pull.merge_base.word);
        let head = self.story.sha(&self.story.head().word);
        vec![
            exchange("/user", 200, &self.filler.complete("/user", viewer)),
            self.read("", "", self.repository()),
            self.read(&at(""), "/pulls/{pull_number}", self.pull()),
            self.read(&at(&format!("/files{each}")), "/pulls/{pull_number}/files", self.files()),
            self.read(&at(&format!("/commits{each}")), "/pulls/{pull_number}/commits", self.commits()),
            self.read(
                &format!("/issues/{number}/comments{each}"),
                "/issues/{issue_number}/comments",
                pull.comments.iter().map(|comment| self.comment(comment)).collect(),
            ),
            self.read(
                &at(&format!("/reviews{each}")),
                "/pulls/{pull_number}/reviews",
                pull.reviews.iter().map(|review| self.review(review)).collect(),
            ),
            self.read(
                &at(&format!("/comments{each}")),
                "/pulls/{pull_number}/comments",
                pull.line_comments.iter().map(|comment| self.line_comment(comment)).collect(),
            ),
            self.read(&format!("/compare/{base}...{head}?per_page=1"), "/compare/{basehead}", self.comparison(&base, &head)),
        ]
    }

    fn run_exchanges(&self, policy: &Policy) -> Vec<String> {
        let head = self.story.sha(&self.story.head().word);
        let runs = |keep: &dyn Fn(&Run) -> bool| {
            let runs: Vec<Value> = self.story.runs.iter().filter(|run| keep(run)).map(|run| self.run(run)).collect();
            json!({ "total_count": runs.len(), "workflow_runs": runs })
        };
        let list = "/actions/runs";
        let mut out = vec![
            self.read(&format!("{list}?branch={}&per_page=100", self.story.pull.branch), list, runs(&|_| true)),
            self.read(&format!("{list}?head_sha={head}&per_page=100"), list, runs(&|run| self.story.sha(&run.commit) == head)),
        ];
        for run in &self.story.runs {
            let at = format!("{list}/{}", run.id);
            let jobs: Vec<Value> = (1u32..)
                .zip(&run.attempts)
                .flat_map(|(number, attempt)| attempt.jobs().into_iter().map(move |job| (number, job)))
                .map(|(number, job)| self.job(run, number, &job))
                .collect();
            let artifacts: Vec<(&Attempt, &Artifact)> =
                run.attempts.iter().filter_map(|attempt| Some((attempt, attempt.artifact.as_ref()?))).collect();
            let listed: Vec<Value> =
                artifacts.iter().map(|(attempt, artifact)| self.artifact(policy, run, attempt, artifact)).collect();
            out.push(self.read(&at, "/actions/runs/{run_id}", self.run(run)));
            out.push(self.read(
                &format!("{at}/jobs?filter=all&per_page=100"),
                "/actions/runs/{run_id}/jobs",
                json!({ "total_count": jobs.len(), "jobs": jobs }),
            ));
            out.push(self.read(
                &format!("{at}/artifacts?name={}&per_page=100", policy.evals.artifact),
                "/actions/runs/{run_id}/artifacts",
                json!({ "total_count": listed.len(), "artifacts": listed }),
            ));
            out.extend(artifacts.iter().flat_map(|(_, artifact)| self.download(artifact.id, &self.archive(artifact))));
            // What it measured lies beside the scores, one number up.
            let measured = artifacts.last().map(|(attempt, artifact)| (*attempt, artifact.id + 1));
            let name = policy.results.as_ref().unwrap().artifact.as_str();
            let results: Vec<Value> =
                measured.iter().map(|(attempt, id)| self.listed(name, *id, &self.results(), run, attempt)).collect();
            out.push(self.read(
                &format!("{at}/artifacts?name={name}&per_page=100"),
                "/actions/runs/{run_id}/artifacts",
                json!({ "total_count": results.len(), "artifacts": results }),
            ));
            out.extend(measured.iter().flat_map(|(_, id)| self.download(*id, &self.results())));
        }
        out
    }

    /// Labels, rights, and the top of the default branch.
    fn other_exchanges(&self) -> Vec<String> {
        let pull = &self.story.pull;
        // The filler does not know which kind of event it is to complete: its actor comes from where there is one kind only.
        let comments = "/repos/{owner}/{repo}/issues/{issue_number}/comments";
        let actor = self.filler.complete(comments, json!([{ "user": user(&pull.author) }]))[0]["user"].clone();
        let events: Vec<Value> = (1u64..)
            .zip(&pull.labels)
            .map(|(id, label)| {
                json!({
                    "id": 7_000_255_000 + id, "node_id": format!("LE_{id}"), "event": "labeled", "actor": actor,
                    "label": { "name": label.name, "color": label.color }, "created_at": rfc(pull.opened),
                    "commit_id": null, "commit_url": null, "performed_via_github_app": null,
                    "url": self.api(&format!("/issues/events/{}", 7_000_255_000 + id)),
                })
            })
            .collect();
        let tree = hash(b"tree of main");
        let top: std::collections::BTreeSet<&str> = self.story.base.keys().filter_map(|path| path.split('/').next()).collect();
        let entries: Vec<Value> = top
            .into_iter()
            .map(|name| {
                let (kind, mode) = if self.story.base.contains_key(name) { ("blob", "100644") } else { ("tree", "040000") };
                json!({ "path": name, "mode": mode, "type": kind, "sha": hash(format!("{kind} {name}").as_bytes()) })
            })
            .collect();
        vec![
            self.read(
                &format!("/issues/{}/events?per_page=100", pull.number),
                "/issues/{issue_number}/events",
                Value::Array(events),
            ),
            self.read(
                &format!("/collaborators/{}/permission", pull.viewer),
                "/collaborators/{username}/permission",
                json!({ "permission": "write", "role_name": "write", "user": user(&pull.viewer) }),
            ),
            self.read(
                "/git/trees/main",
                "/git/trees/{tree_sha}",
                json!({ "sha": tree, "url": self.api(&format!("/git/trees/{tree}")), "truncated": false, "tree": entries }),
            ),
        ]
    }

    fn file_exchanges(&self, policy: &Policy) -> Vec<String> {
        let mut out = Vec::new();
        let top = |path: &str| {
            let first = path.split('/').next().unwrap_or(path);
            self.story.base.keys().any(|known| known.split('/').next() == Some(first))
        };
        let documents = DocumentKind::ALL.iter().filter_map(|kind| policy.documents.get(kind));
        for candidates in documents.chain(policy.configs.masters.values()) {
            // The program tries the candidates one after the other, but for those whose folder the branch does not have.
            let candidates: Vec<&String> = candidates.iter().filter(|path| top(path)).collect();
            let known = candidates.iter().position(|path| self.story.base.contains_key(*path)).expect("a document in tree/");
            for path in &candidates[..known] {
                let body = json!({
                    "message": "Not Found", "documentation_url": "https://docs.github.com/rest", "status": "404",
                });
                out.push(exchange(&format!("/repos/{}/contents/{path}", self.repo), 404, &body));
            }
            out.push(self.content(candidates[known], "main", ""));
        }
        let base = self.story.sha(&self.story.pull.merge_base.word);
        let head = self.story.sha(&self.story.head().word);
        let folder = |path: &str| path.rsplit_once('/').map(|(folder, _)| folder.to_owned());
        let scripts = self.story.changes.iter().filter(|change| change.path.ends_with(".sh"));
        for beside in scripts.filter_map(|change| folder(&change.path)).collect::<std::collections::BTreeSet<_>>() {
            out.push(self.folder_at(&beside, &head));
        }
        for change in &self.story.changes {
            if !change.added {
                out.push(self.content_at(&change.path, &base));
            }
            out.push(self.text_at(&change.path, &change.head, &head, &format!("?ref={head}")));
        }
        out
    }

    fn repository(&self) -> Value {
        let (owner, name) = self.repo.split_once('/').unwrap();
        let mut owner = user(owner);
        owner["type"] = json!("Organization");
        json!({
            "id": REPOSITORY_ID, "node_id": "R_2550001", "name": name, "full_name": self.repo, "owner": owner,
            "private": false, "html_url": self.web(""), "url": self.api(""), "default_branch": "main",
            "description": "An invented repository of benchmarks", "language": "Python",
        })
    }

    fn pull(&self) -> Value {
        let (story, pull) = (self.story, &self.story.pull);
        let sum = |mark| story.changes.iter().map(|change| change.count(mark)).sum::<usize>();
        let end = |branch: &str, sha: String| {
            let repository = self.repository();
            let owner = repository["owner"].clone();
            let label = format!("{}:{branch}", owner["login"].as_str().unwrap());
            json!({ "label": label, "ref": branch, "sha": sha, "user": owner, "repo": repository })
        };
        let at = format!("/pulls/{}", pull.number);
        let issue = format!("/issues/{}", pull.number);
        let href = |path: String| json!({ "href": self.api(&path) });
        let head = story.sha(&story.head().word);
        json!({
            "url": self.api(&at), "id": 3_100_255_000_u64, "number": pull.number,
            "html_url": self.web(&format!("/pull/{}", pull.number)),
            "diff_url": self.web(&format!("/pull/{}.diff", pull.number)),
            "patch_url": self.web(&format!("/pull/{}.patch", pull.number)),
            "issue_url": self.api(&issue), "commits_url": self.api(&format!("{at}/commits")),
            "review_comments_url": self.api(&format!("{at}/comments")),
            "review_comment_url": self.api("/pulls/comments{/number}"),
            "comments_url": self.api(&format!("{issue}/comments")),
            "statuses_url": self.api(&format!("/statuses/{head}")),
            "_links": {
                "self": href(at.clone()), "html": { "href": self.web(&format!("/pull/{}", pull.number)) },
                "issue": href(issue.clone()), "comments": href(format!("{issue}/comments")),
                "review_comments": href(format!("{at}/comments")),
                "review_comment": href("/pulls/comments{/number}".to_owned()),
                "commits": href(format!("{at}/commits")), "statuses": href(format!("/statuses/{head}")),
            },
            "state": "open", "locked": false, "draft": false, "title": pull.title, "user": user(&pull.author),
            "body": pull.body,
            "labels": (1u64..).zip(&pull.labels).map(|(id, label)| json!({
                "id": id, "name": label.name, "color": label.color, "description": label.description, "default": false,
                "url": self.api(&format!("/labels/{}", label.name)),
            })).collect::<Vec<_>>(),
            "created_at": rfc(pull.opened), "updated_at": rfc(pull.updated),
            "requested_reviewers": [user(&pull.viewer)], "author_association": "CONTRIBUTOR",
            "head": end(&pull.branch, head), "base": end("main", story.sha(&pull.merge_base.word)),
            "merged": false, "mergeable": true, "mergeable_state": "blocked", "maintainer_can_modify": true,
            "comments": pull.comments.len(), "review_comments": pull.line_comments.len(),
            "commits": pull.commits.len(), "additions": sum('+'), "deletions": sum('-'),
            "changed_files": story.changes.len(),
        })
    }

    fn files(&self) -> Value {
        let head = self.story.sha(&self.story.head().word);
        let file = |change: &Change| {
            let (path, added, removed) = (&change.path, change.count('+'), change.count('-'));
            json!({
                "sha": blob_id(&change.head), "filename": path, "status": if change.added { "added" } else { "modified" },
                "additions": added, "deletions": removed, "changes": added + removed,
                "blob_url": self.web(&format!("/blob/{head}/{path}")), "raw_url": self.web(&format!("/raw/{head}/{path}")),
                "contents_url": self.api(&format!("/contents/{path}?ref={head}")), "patch": change.patch(),
            })
        };
        self.story.changes.iter().map(file).collect()
    }

    fn commit(&self, commit: &Commit, parent: Option<&str>) -> Value {
        let sha = self.story.sha(&commit.word);
        let tree = hash(format!("tree of {}", commit.word).as_bytes());
        let author = &self.story.pull.author;
        let signature = json!({ "name": author, "email": format!("{author}@example.com"), "date": rfc(commit.at) });
        let parents = parent.map(|sha| json!({ "sha": sha, "url": self.api(&format!("/commits/{sha}")) }));
        json!({
            "sha": sha, "node_id": format!("C_{}", &sha[..8]), "url": self.api(&format!("/commits/{sha}")),
            "html_url": self.web(&format!("/commit/{sha}")), "comments_url": self.api(&format!("/commits/{sha}/comments")),
            "commit": {
                "author": signature.clone(), "committer": signature, "message": commit.message, "comment_count": 0,
                "url": self.api(&format!("/git/commits/{sha}")),
                "tree": { "url": self.api(&format!("/git/trees/{tree}")), "sha": tree },
            },
            "author": user(author), "committer": user(author), "parents": parents.into_iter().collect::<Vec<_>>(),
        })
    }

    fn commits(&self) -> Value {
        let mut parent = self.story.sha(&self.story.pull.merge_base.word);
        let mut out = Vec::new();
        for commit in &self.story.pull.commits {
            out.push(self.commit(commit, Some(&parent)));
            parent = self.story.sha(&commit.word);
        }
        Value::Array(out)
    }

    fn comparison(&self, base: &str, head: &str) -> Value {
        let root = self.commit(&self.story.pull.merge_base, None);
        let Value::Array(commits) = self.commits() else { unreachable!() };
        let (at, page) = (format!("/compare/{base}...{head}"), self.web(&format!("/compare/{base}...{head}")));
        json!({
            "url": self.api(&at), "html_url": page, "permalink_url": page,
            "diff_url": format!("{page}.diff"), "patch_url": format!("{page}.patch"),
            "base_commit": root, "merge_base_commit": root, "status": "ahead", "ahead_by": commits.len(), "behind_by": 0,
            // A page of one, as was asked for.
            "total_commits": commits.len(), "commits": &commits[..1],
        })
    }

    fn comment(&self, comment: &super::story::Comment) -> Value {
        let number = self.story.pull.number;
        json!({
            "id": comment.id, "url": self.api(&format!("/issues/comments/{}", comment.id)),
            "html_url": self.web(&format!("/pull/{number}#issuecomment-{}", comment.id)),
            "issue_url": self.api(&format!("/issues/{number}")), "user": user(&comment.by), "body": comment.body.trim_end(),
            "created_at": rfc(comment.at), "updated_at": rfc(comment.at), "author_association": comment.association,
        })
    }

    fn review(&self, review: &Review) -> Value {
        let number = self.story.pull.number;
        let (page, pull) =
            (self.web(&format!("/pull/{number}#pullrequestreview-{}", review.id)), self.api(&format!("/pulls/{number}")));
        json!({
            "id": review.id, "user": user(&review.by), "body": review.body.trim_end(), "state": review.state,
            "html_url": page, "pull_request_url": pull,
            "_links": { "html": { "href": page }, "pull_request": { "href": pull } },
            "submitted_at": rfc(review.at), "commit_id": self.story.sha(&review.commit),
            "author_association": review.association,
        })
    }

    fn line_comment(&self, comment: &LineComment) -> Value {
        let number = self.story.pull.number;
        let change = self.story.changes.iter().find(|change| change.path == comment.path);
        let change = change.unwrap_or_else(|| panic!("{} is not changed", comment.path));
        let own = self.api(&format!("/pulls/comments/{}", comment.id));
        let (page, pull) =
            (self.web(&format!("/pull/{number}#discussion_r{}", comment.id)), self.api(&format!("/pulls/{number}")));
        let sha = self.story.sha(&comment.commit);
        let mut out = json!({
            "url": own, "id": comment.id, "pull_request_review_id": comment.review,
            "diff_hunk": change.hunk_until(comment.line), "path": comment.path, "commit_id": sha,
            "original_commit_id": sha, "user": user(&comment.by), "body": comment.body.trim_end(),
            "created_at": rfc(comment.at), "updated_at": rfc(comment.at), "html_url": page, "pull_request_url": pull,
            "author_association": comment.association, "line": comment.line, "original_line": comment.line,
            "side": "RIGHT", "subject_type": "line",
            "_links": { "self": { "href": own }, "html": { "href": page }, "pull_request": { "href": pull } },
        });
        if let Some(first) = comment.reply_to {
            out["in_reply_to_id"] = json!(first);
        }
        out
    }

    fn run(&self, run: &Run) -> Value {
        let pull = &self.story.pull;
        let commit = pull.commits.iter().find(|commit| commit.word == run.commit).expect("a run measures a commit");
        let at = |rest: &str| self.api(&format!("/actions/runs/{}{rest}", run.id));
        let author = json!({ "name": pull.author, "email": format!("{}@example.com", pull.author) });
        let sha = self.story.sha(&run.commit);
        // Not all of its members are known to the description of a run's repository.
        let mut repository = self.repository();
        repository.as_object_mut().unwrap().retain(|key, _| key != "default_branch" && key != "language");
        let earlier = run.attempts.len() - 1;
        json!({
            "id": run.id, "name": run.workflow, "head_branch": pull.branch, "head_sha": sha, "path": run.path,
            "display_title": format!("{} - {}", run.workflow, pull.title), "run_number": run.id % 10_000,
            "event": "pull_request", "status": "completed", "conclusion": run.last().conclusion,
            "workflow_id": 77 + run.workflow.len(), "url": at(""),
            "html_url": self.web(&format!("/actions/runs/{}", run.id)), "pull_requests": [],
            "created_at": rfc(run.created), "updated_at": rfc(run.last().ended()),
            "run_attempt": run.attempts.len(), "run_started_at": rfc(run.last().began),
            "actor": user(&pull.author),
            "triggering_actor": user(if earlier > 0 { &pull.viewer } else { &pull.author }),
            "jobs_url": at("/jobs"), "logs_url": at("/logs"), "artifacts_url": at("/artifacts"),
            "cancel_url": at("/cancel"), "rerun_url": at("/rerun"),
            "previous_attempt_url": (earlier > 0).then(|| at(&format!("/attempts/{earlier}"))),
            "workflow_url": self.api(&format!("/actions/workflows/{}", 77 + run.workflow.len())),
            "check_suite_url": self.api(&format!("/check-suites/{}", run.id + 7)),
            "head_commit": {
                "id": sha, "tree_id": hash(format!("tree of {}", commit.word).as_bytes()), "message": commit.message,
                "timestamp": rfc(commit.at), "author": author, "committer": author,
            },
            "repository": repository, "head_repository": repository,
        })
    }

    fn job(&self, run: &Run, attempt: u32, job: &Job) -> Value {
        let at = format!("/actions/runs/{}", run.id);
        let runner = job.runner.as_deref();
        let label = runner.map(|name| if name.starts_with("hosted") { "ubuntu-latest" } else { "b200" });
        json!({
            "id": job.id, "run_id": run.id, "run_url": self.api(&at), "run_attempt": attempt,
            "head_sha": self.story.sha(&run.commit), "head_branch": self.story.pull.branch,
            "workflow_name": run.workflow, "name": job.name, "url": self.api(&format!("/actions/jobs/{}", job.id)),
            "html_url": self.web(&format!("{at}/job/{}", job.id)), "status": "completed", "conclusion": job.conclusion,
            "created_at": rfc(job.created), "started_at": rfc(job.started), "completed_at": rfc(job.ended),
            "check_run_url": self.api(&format!("/check-runs/{}", job.id)),
            "labels": label.into_iter().collect::<Vec<_>>(), "runner_name": runner, "steps": steps(job),
        })
    }

    fn artifact(&self, policy: &Policy, run: &Run, attempt: &Attempt, artifact: &Artifact) -> Value {
        self.listed(&policy.evals.artifact, artifact.id, &self.archive(artifact), run, attempt)
    }

    fn listed(&self, name: &str, id: u64, bytes: &[u8], run: &Run, attempt: &Attempt) -> Value {
        let made = attempt.ended();
        let at = self.api(&format!("/actions/artifacts/{id}"));
        json!({
            "id": id, "name": name, "size_in_bytes": bytes.len(), "url": at,
            "archive_download_url": format!("{at}/zip"), "expired": false,
            "digest": format!("sha256:{}", countersign::core::evidence::digest(bytes)),
            "created_at": rfc(made), "updated_at": rfc(made), "expires_at": rfc(made + Duration::days(90)),
            "workflow_run": {
                "id": run.id, "repository_id": REPOSITORY_ID, "head_repository_id": REPOSITORY_ID,
                "head_branch": self.story.pull.branch, "head_sha": self.story.sha(&run.commit),
            },
        })
    }

    /// The redirect and what it leads to.
    fn download(&self, id: u64, bytes: &[u8]) -> [String; 2] {
        let place = format!("{STORE}/{}/{id}.zip", self.repo);
        let redirect = json!({
            "method": "GET", "path": format!("/repos/{}/actions/artifacts/{id}/zip", self.repo),
            "accept": ACCEPT, "status": 302, "headers": { "location": place },
        });
        let file = json!({
            "method": "GET", "path": place, "accept": ACCEPT, "status": 200,
            "headers": { "content-type": "application/zip" }, "base64": STANDARD.encode(bytes),
        });
        [redirect.to_string(), file.to_string()]
    }

    fn archive(&self, artifact: &Artifact) -> Vec<u8> {
        let rows: Vec<Value> = (0..).zip(&artifact.evals).map(|(index, score)| self.eval_row(index, score)).collect();
        zipped("agg_eval_all.json", &rows)
    }

    /// What the points measured: those that the description tells of, and the rest on the same curve.
    fn results(&self) -> Vec<u8> {
        // Tensor and expert parallelism, requests in flight, tok/s/GPU, tok/s/user.
        const POINTS: [(u32, u32, u32, f64, f64); 9] = [
            (4, 1, 4, 1811.2, 231.5),
            (2, 1, 4, 2604.7, 168.9),
            (2, 1, 8, 4466.3, 142.7),
            (2, 1, 16, 7118.1, 114.25),
            (2, 1, 32, 9472.9, 74.97),
            (2, 1, 64, 12142.1, 47.65),
            (2, 2, 16, 7534.5, 120.16),
            (2, 2, 32, 10319.8, 80.41),
            (2, 2, 64, 13290.8, 51.97),
        ];
        let row = |(tp, ep, conc, tput, intvty): (u32, u32, u32, f64, f64)| {
            let tpot = 1.0 / intvty;
            json!({
                "hw": "b200", "conc": conc, "image": "lmsysorg/sglang:v0.5.14-cu130", "model": self.story.eval_row["model"],
                "infmax_model_prefix": "qwen3.5", "framework": "sglang", "precision": "fp4", "spec_decoding": "mtp",
                "disagg": false, "recipe_fingerprint": "", "isl": 8192, "osl": 1024, "is_multinode": false, "tp": tp, "pp": 1,
                "dcp_size": 1, "pcp_size": 1, "ep": ep, "dp_attention": "false", "tput_per_gpu": tput,
                "output_tput_per_gpu": tput / 9.0, "input_tput_per_gpu": tput * 8.0 / 9.0, "median_ttft": 0.64,
                "median_tpot": tpot, "median_intvty": intvty, "median_e2el": 0.64 + tpot * 1023.0, "power_valid": 0,
            })
        };
        zipped("agg_bmk.json", &POINTS.map(row))
    }

    fn eval_row(&self, index: usize, score: &Score) -> Value {
        let mut row: Map<String, Value> = self.story.eval_row.clone();
        let error = row.remove("standard_error").expect("`standard_error` in eval_row");
        let alone = row["dp_attention"].clone();
        for side in ["", "prefill_", "decode_"] {
            row.insert(format!("{side}tp"), json!(score.tp));
            row.insert(format!("{side}ep"), json!(score.ep));
            row.insert(format!("{side}dp_attention"), alone.clone());
        }
        let own = json!({
            "prefill_num_workers": 1, "decode_num_workers": 1, "conc": score.conc,
            "em_strict": score.strict, "em_strict_se": error, "em_flexible": score.flexible, "em_flexible_se": error,
            "source": format!("eval_results/eval_{index}/results.json"),
            "score": score.strict, "score_name": "em_strict", "score_se": error,
        });
        row.extend(own.as_object().unwrap().clone());
        Value::Object(row)
    }

    /// A file of tree/ at a commit.
    fn content_at(&self, path: &str, commit: &str) -> String {
        self.content(path, commit, &format!("?ref={commit}"))
    }

    /// The files of a folder at the head.
    fn folder_at(&self, folder: &str, head: &str) -> String {
        let inside = |path: &&String| path.rsplit_once('/').is_some_and(|(parent, _)| parent == folder);
        let entries: Vec<Value> = self
            .story
            .base
            .iter()
            .filter(|(path, _)| inside(path))
            .map(|(path, text)| {
                let text = self.story.changes.iter().find(|change| change.path == *path).map_or(text, |change| &change.head);
                let (sha, own) = (blob_id(text), self.api(&format!("/contents/{path}?ref={head}")));
                let (blob, page) = (self.api(&format!("/git/blobs/{sha}")), self.web(&format!("/blob/{head}/{path}")));
                json!({
                    "type": "file", "size": text.len(), "name": path.rsplit('/').next(), "path": path, "sha": sha, "url": own,
                    "git_url": blob, "html_url": page,
                    "download_url": format!("https://raw.githubusercontent.com/{}/{head}/{path}", self.repo),
                    "_links": { "self": own, "git": blob, "html": page },
                })
            })
            .collect();
        exchange(&format!("/repos/{}/contents/{folder}?ref={head}", self.repo), 200, &Value::Array(entries))
    }

    /// A file of tree/ through the contents API.
    fn content(&self, path: &str, reference: &str, query: &str) -> String {
        self.text_at(path, &self.story.base[path], reference, query)
    }

    fn text_at(&self, path: &str, text: &str, reference: &str, query: &str) -> String {
        let sha = blob_id(text);
        let own = self.api(&format!("/contents/{path}?ref={reference}"));
        let (blob, page) = (self.api(&format!("/git/blobs/{sha}")), self.web(&format!("/blob/{reference}/{path}")));
        let body = json!({
            "type": "file", "encoding": "base64", "size": text.len(), "name": path.rsplit('/').next(), "path": path,
            "content": base64_lines(text), "sha": sha, "url": own, "git_url": blob, "html_url": page,
            "download_url": format!("https://raw.githubusercontent.com/{}/{reference}/{path}", self.repo),
            "_links": { "self": own, "git": blob, "html": page },
        });
        self.read(&format!("/contents/{path}{query}"), "/contents/{path}", body)
    }
}

/// Stored rather than packed: the same bytes on every machine.
fn zipped(name: &str, rows: &[Value]) -> Vec<u8> {
    let options = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Stored)
        .last_modified_time(zip::DateTime::default());
    let mut out = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    out.start_file(name, options).unwrap();
    out.write_all(serde_json::to_string_pretty(rows).unwrap().as_bytes()).unwrap();
    out.finish().unwrap().into_inner()
}

const ACCEPT: &str = "application/vnd.github+json";

fn exchange(path: &str, status: u16, body: &Value) -> String {
    let etag = format!("W/\"{}\"", hash(body.to_string().as_bytes()));
    let headers = json!({ "content-type": "application/json; charset=utf-8", "etag": etag });
    json!({ "method": "GET", "path": path, "accept": ACCEPT, "status": status, "headers": headers, "body": body }).to_string()
}

/// An account; its number is made from the login.
fn user(login: &str) -> Value {
    let id = u64::from_str_radix(&hash(login.as_bytes())[..7], 16).unwrap() + 1_000_000;
    let (page, kind) = match login.strip_suffix("[bot]") {
        Some(app) => (format!("{WEB}/apps/{app}"), "Bot"),
        None => (format!("{WEB}/{login}"), "User"),
    };
    let encoded = login.replace('[', "%5B").replace(']', "%5D");
    json!({
        "login": login, "id": id, "avatar_url": format!("https://avatars.githubusercontent.com/u/{id}?v=4"),
        "url": format!("{API}/users/{encoded}"), "html_url": page, "type": kind, "site_admin": false,
    })
}

fn rfc(time: Time) -> String {
    time.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// With a line break after 60 characters, as GitHub sends it.
fn base64_lines(text: &str) -> String {
    let whole = STANDARD.encode(text);
    whole.as_bytes().chunks(60).map(|line| String::from_utf8_lossy(line).into_owned() + "\n").collect()
}
