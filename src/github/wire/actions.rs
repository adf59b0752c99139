//! Workflow runs, jobs and artifacts.
//! Must not know: which runs are sweeps.

use super::{Row, time};
use crate::core::ids::{ArtifactId, JobId, RepoName, RunId, Sha};
use crate::core::pull;
use crate::core::steps;
use crate::core::sweep::Outcome;
use crate::core::time::Time;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
struct RepositoryName {
    full_name: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct Run {
    id: Option<u64>,
    run_attempt: Option<u32>,
    name: Option<String>,
    display_title: Option<String>,
    event: Option<String>,
    path: Option<String>,
    head_sha: Option<String>,
    head_branch: Option<String>,
    head_repository: Option<RepositoryName>,
    status: Option<String>,
    conclusion: Option<String>,
    #[serde(default, deserialize_with = "time")]
    created_at: Option<Time>,
    #[serde(default, deserialize_with = "time")]
    run_started_at: Option<Time>,
    #[serde(default, deserialize_with = "time")]
    updated_at: Option<Time>,
    html_url: Option<String>,
}

impl Row for Run {
    type Item = pull::Run;

    fn read(self) -> Result<pull::Run, &'static str> {
        Ok(pull::Run {
            id: RunId(self.id.ok_or("id")?),
            attempt: self.run_attempt.unwrap_or(1),
            name: self.name.unwrap_or_default(),
            title: self.display_title.unwrap_or_default(),
            event: self.event.unwrap_or_default(),
            // A reusable workflow's path may carry "@ref".
            path: self.path.map(|path| path.split('@').next().unwrap_or_default().to_owned()).unwrap_or_default(),
            head: Sha(self.head_sha.ok_or("head_sha")?),
            head_branch: self.head_branch,
            head_repo: self.head_repository.and_then(|repo| repo.full_name).as_deref().and_then(RepoName::parse),
            status: self.status.unwrap_or_else(|| "unknown".to_owned()),
            conclusion: self.conclusion,
            created_at: self.created_at,
            started_at: self.run_started_at,
            updated_at: self.updated_at,
            url: self.html_url.unwrap_or_default(),
        })
    }

    fn key(item: &pull::Run) -> String {
        item.id.to_string()
    }
}

#[derive(Debug, Deserialize)]
pub struct CommitStatus {
    id: Option<u64>,
    context: Option<String>,
    state: Option<String>,
    description: Option<String>,
    target_url: Option<String>,
    #[serde(default, deserialize_with = "time")]
    updated_at: Option<Time>,
}

impl Row for CommitStatus {
    type Item = pull::CommitStatus;

    fn read(self) -> Result<pull::CommitStatus, &'static str> {
        self.id.ok_or("id")?;
        Ok(pull::CommitStatus {
            context: self.context.ok_or("context")?,
            state: self.state.unwrap_or_else(|| "unknown".to_owned()),
            description: self.description.unwrap_or_default(),
            at: self.updated_at,
            url: self.target_url,
        })
    }

    fn key(item: &pull::CommitStatus) -> String {
        item.context.clone()
    }
}

#[derive(Debug, Deserialize)]
struct Step {
    number: Option<u64>,
    name: Option<String>,
    status: Option<String>,
    conclusion: Option<String>,
    #[serde(default, deserialize_with = "time")]
    started_at: Option<Time>,
    #[serde(default, deserialize_with = "time")]
    completed_at: Option<Time>,
}

#[derive(Debug, Deserialize)]
pub struct Job {
    id: Option<u64>,
    run_id: Option<u64>,
    run_attempt: Option<u32>,
    name: Option<String>,
    status: Option<String>,
    conclusion: Option<String>,
    #[serde(default, deserialize_with = "time")]
    created_at: Option<Time>,
    #[serde(default, deserialize_with = "time")]
    started_at: Option<Time>,
    #[serde(default, deserialize_with = "time")]
    completed_at: Option<Time>,
    runner_name: Option<String>,
    html_url: Option<String>,
    steps: Option<Vec<Option<Step>>>,
}

/// Steps in GitHub's order; one without a number has that of its place.
fn steps(listed: Option<Vec<Option<Step>>>) -> steps::Steps {
    let read = |(step, place): (Step, u64)| steps::Step {
        number: step.number.unwrap_or(place),
        name: step.name.unwrap_or_default().into(),
        outcome: Outcome::read(step.status.as_deref().unwrap_or("unknown"), step.conclusion.as_deref()),
        started_at: step.started_at,
        completed_at: step.completed_at,
    };
    listed.unwrap_or_default().into_iter().flatten().zip(1..).map(read).collect::<Vec<_>>().into()
}

impl Row for Job {
    type Item = pull::Job;

    fn read(self) -> Result<pull::Job, &'static str> {
        Ok(pull::Job {
            id: JobId(self.id.ok_or("id")?),
            run: RunId(self.run_id.ok_or("run_id")?),
            attempt: self.run_attempt.unwrap_or(1),
            name: self.name.ok_or("name")?,
            status: self.status.unwrap_or_else(|| "unknown".to_owned()),
            conclusion: self.conclusion,
            created_at: self.created_at,
            started_at: self.started_at,
            completed_at: self.completed_at,
            runner: self.runner_name.filter(|name| !name.is_empty()),
            url: self.html_url.unwrap_or_default(),
            steps: steps(self.steps),
        })
    }

    fn key(item: &pull::Job) -> String {
        item.id.to_string()
    }
}

#[derive(Debug, Deserialize)]
struct RunNumber {
    id: Option<u64>,
}

#[derive(Debug, Deserialize)]
pub struct Artifact {
    id: Option<u64>,
    name: Option<String>,
    size_in_bytes: Option<u64>,
    expired: Option<bool>,
    #[serde(default, deserialize_with = "time")]
    created_at: Option<Time>,
    #[serde(default, deserialize_with = "time")]
    expires_at: Option<Time>,
    digest: Option<String>,
    workflow_run: Option<RunNumber>,
}

impl Row for Artifact {
    type Item = pull::Artifact;

    /// `run` is 0 where GitHub does not say; the caller knows which run it asked.
    fn read(self) -> Result<pull::Artifact, &'static str> {
        Ok(pull::Artifact {
            id: ArtifactId(self.id.ok_or("id")?),
            run: RunId(self.workflow_run.and_then(|run| run.id).unwrap_or(0)),
            name: self.name.ok_or("name")?,
            size: self.size_in_bytes.unwrap_or(0),
            expired: self.expired.ok_or("expired")?,
            created_at: self.created_at,
            expires_at: self.expires_at,
            digest: self.digest,
        })
    }

    fn key(item: &pull::Artifact) -> String {
        item.id.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::fixture;
    use super::*;

    #[test]
    fn what_github_may_leave_out_is_left_out() {
        let run = r#"{"id":1,"head_sha":"h","status":"requested","head_branch":null,"name":null,"path":"a.yml@refs/heads/x","conclusion":"stale"}"#;
        let run = fixture::<Run>("actions/runs/1", "@", run).read().unwrap();
        assert_eq!((run.attempt, run.path.as_str(), run.conclusion.as_deref()), (1, "a.yml", Some("stale")));
        let job =
            r#"{"id":2,"run_id":1,"name":"a  b","status":"waiting","html_url":null,"runner_name":"","workflow_name":null}"#;
        let job = fixture::<Job>("actions/jobs/2", "@", job).read().unwrap();
        assert_eq!((job.name.as_str(), job.runner, job.conclusion), ("a  b", None, None));
        let steps = r#"{"id":2,"run_id":1,"name":"a","steps":[{"number":1,"name":"Set up job","status":"completed","conclusion":"success","started_at":"2026-08-11T10:00:00.000Z","completed_at":null},{"status":"in_progress","conclusion":null},null,{"number":9,"name":null,"status":"completed","conclusion":"moonstruck","started_at":"soon"}]}"#;
        let job = fixture::<Job>("actions/jobs/2", "@", steps).read().unwrap();
        let told: Vec<_> = job.steps.iter().map(|step| (step.number, &*step.name, &step.outcome, step.started_at)).collect();
        let at = "2026-08-11T10:00:00Z".parse().ok();
        let unknown = Outcome::Unknown("moonstruck".into());
        assert_eq!(
            told,
            [(1, "Set up job", &Outcome::Success, at), (2, "", &Outcome::InProgress, None), (9, "", &unknown, None)]
        );
        for none in ["null", "[]"] {
            let job = format!(r#"{{"id":2,"run_id":1,"name":"a","steps":{none}}}"#);
            assert!(fixture::<Job>("actions/jobs/2", "@", &job).read().unwrap().steps.is_empty());
        }
        let artifact = r#"{"id":3,"name":"x","expired":true,"created_at":null,"expires_at":null,"workflow_run":null}"#;
        let read = |text: &str| fixture::<Artifact>("actions/runs/1/artifacts", r#"{"artifacts":[@]}"#, text).read();
        assert!(read(artifact).unwrap().expired);
        let unsaid = r#"{"id":3,"name":"x"}"#;
        assert_eq!(read(unsaid).unwrap_err(), "expired");
    }
}
