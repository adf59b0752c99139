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
    lines.extend(hub.file_exchanges(policy));
    lines.join("\n") + "\n"
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
            out.extend(artifacts.iter().flat_map(|(_, artifact)| self.download(artifact)));
        }
        out
    }

    fn file_exchanges(&self, policy: &Policy) -> Vec<String> {
        let mut out = Vec::new();
        for candidates in DocumentKind::ALL.iter().map(|kind| &policy.documents[kind]) {
            // The program tries the candidates one after the other.
            let known = candidates.iter().position(|path| self.story.base.contains_key(path)).expect("a document in tree/");
            for path in &candidates[..known] {
                let body = json!({
                    "message": "Not Found", "documentation_url": "https://docs.github.com/rest", "status": "404",
                });
                out.push(exchange(&format!("/repos/{}/contents/{path}", self.repo), 404, &body));
            }
            let path = &candidates[known];
            out.push(self.content(path, "main", ""));
        }
        let base = self.story.sha(&self.story.pull.merge_base.word);
        let head = self.story.sha(&self.story.head().word);
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
            "labels": label.into_iter().collect::<Vec<_>>(), "runner_name": runner,
        })
    }

    fn artifact(&self, policy: &Policy, run: &Run, attempt: &Attempt, artifact: &Artifact) -> Value {
        let (bytes, made) = (self.archive(artifact), attempt.ended());
        let at = self.api(&format!("/actions/artifacts/{}", artifact.id));
        json!({
            "id": artifact.id, "name": policy.evals.artifact, "size_in_bytes": bytes.len(), "url": at,
            "archive_download_url": format!("{at}/zip"), "expired": false,
            "digest": format!("sha256:{}", countersign::core::evidence::digest(&bytes)),
            "created_at": rfc(made), "updated_at": rfc(made), "expires_at": rfc(made + Duration::days(90)),
            "workflow_run": {
                "id": run.id, "repository_id": REPOSITORY_ID, "head_repository_id": REPOSITORY_ID,
                "head_branch": self.story.pull.branch, "head_sha": self.story.sha(&run.commit),
            },
        })
    }

    /// The redirect and what it leads to.
    fn download(&self, artifact: &Artifact) -> [String; 2] {
        let place = format!("{STORE}/{}/{}.zip", self.repo, artifact.id);
        let redirect = json!({
            "method": "GET", "path": format!("/repos/{}/actions/artifacts/{}/zip", self.repo, artifact.id),
            "accept": ACCEPT, "status": 302, "headers": { "location": place },
        });
        let file = json!({
            "method": "GET", "path": place, "accept": ACCEPT, "status": 200,
            "headers": { "content-type": "application/zip" }, "base64": STANDARD.encode(self.archive(artifact)),
        });
        [redirect.to_string(), file.to_string()]
    }

    /// Stored rather than packed: the same bytes on every machine.
    fn archive(&self, artifact: &Artifact) -> Vec<u8> {
        let rows: Vec<Value> = (0..).zip(&artifact.evals).map(|(index, score)| self.eval_row(index, score)).collect();
        let options = zip::write::SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Stored)
            .last_modified_time(zip::DateTime::default());
        let mut out = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        out.start_file("agg_eval_all.json", options).unwrap();
        out.write_all(serde_json::to_string_pretty(&rows).unwrap().as_bytes()).unwrap();
        out.finish().unwrap().into_inner()
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
