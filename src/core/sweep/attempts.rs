//! The jobs of all attempts of one run, merged: one row per job that the run wanted, with what each attempt made of it.
//! Must not know: other runs.

use super::names::{self, JobName};
use super::outcome::Outcome;
use crate::core::ids::JobId;
use crate::core::pull::Job;
use crate::core::steps::Steps;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// What one attempt made of a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    pub attempt: u32,
    pub id: JobId,
    pub status: String,
    pub conclusion: Option<String>,
    #[serde(default, skip_serializing_if = "Steps::is_empty")]
    pub steps: Steps,
}

impl Attempt {
    pub fn outcome(&self) -> Outcome {
        Outcome::read(&self.status, self.conclusion.as_deref())
    }
}

/// One job over all attempts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergedJob {
    /// As of the last attempt that holds it.
    pub job: Job,
    pub name: JobName,
    pub outcome: Outcome,
    /// Oldest first, the final one included.
    pub attempts: Vec<Attempt>,
    /// Another job of the same attempt has the same name, so which earlier attempt belongs to which is a guess.
    pub ambiguous: bool,
}

/// Merges the jobs of one run by identity, in order of first appearance.
///
/// Two jobs of one attempt are never merged, whatever their names: with `k` such jobs the result holds `k` rows, and a
/// later attempt repeats those that were not green, first ones first, as re-running failed jobs does.
pub fn merge(jobs: &[Job], aliases: &BTreeMap<String, String>) -> Vec<MergedJob> {
    let mut newest: HashMap<JobId, usize> = HashMap::with_capacity(jobs.len());
    let mut order: Vec<&Job> = Vec::with_capacity(jobs.len());
    for job in jobs {
        match newest.get(&job.id) {
            // The same job listed again (a page that moved, an attempt that carried it over): the later word counts.
            Some(&at) => order[at] = job,
            None => {
                newest.insert(job.id, order.len());
                order.push(job);
            }
        }
    }

    let mut groups: HashMap<String, usize> = HashMap::with_capacity(order.len());
    let mut rows: Vec<(JobName, Vec<&Job>)> = Vec::new();
    for job in order {
        let name = names::parse(&job.name, aliases);
        let at = *groups.entry(name.identity.clone()).or_insert(rows.len());
        match rows.get_mut(at) {
            Some((_, same)) => same.push(job),
            None => rows.push((name, vec![job])),
        }
    }
    rows.into_iter().flat_map(|(name, same)| merge_same(name, same)).collect()
}

/// The rows of one identity.
fn merge_same(name: JobName, jobs: Vec<&Job>) -> Vec<MergedJob> {
    let mut by_attempt: BTreeMap<u32, Vec<&Job>> = BTreeMap::new();
    for job in jobs {
        by_attempt.entry(job.attempt).or_default().push(job);
    }
    let ambiguous = by_attempt.values().any(|same| same.len() > 1);
    let mut rows: Vec<MergedJob> = Vec::new();
    for jobs in by_attempt.into_values() {
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by_key(|&at| rows[at].outcome.green());
        let mut free = order.into_iter();
        for job in jobs {
            let outcome = Outcome::read(&job.status, job.conclusion.as_deref());
            let attempt = Attempt {
                attempt: job.attempt,
                id: job.id,
                status: job.status.clone(),
                conclusion: job.conclusion.clone(),
                steps: job.steps.clone(),
            };
            match free.next().and_then(|at| rows.get_mut(at)) {
                Some(row) => {
                    row.job = job.clone();
                    row.outcome = outcome;
                    row.attempts.push(attempt);
                }
                None => {
                    rows.push(MergedJob { job: job.clone(), name: name.clone(), outcome, attempts: vec![attempt], ambiguous })
                }
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::ids::RunId;
    use proptest::prelude::*;

    fn job(id: u64, attempt: u32, name: &str, word: &str) -> Job {
        let done = !matches!(word, "queued" | "in_progress");
        Job {
            id: JobId(id),
            run: RunId(1),
            attempt,
            name: name.to_owned(),
            status: if done { "completed" } else { word }.to_owned(),
            conclusion: done.then(|| word.to_owned()),
            created_at: None,
            started_at: None,
            completed_at: None,
            runner: None,
            url: String::new(),
            steps: Default::default(),
        }
    }

    fn shown(jobs: &[Job]) -> Vec<String> {
        merge(jobs, &BTreeMap::new())
            .iter()
            .map(|row| {
                let ids: Vec<String> = row.attempts.iter().map(|a| format!("{}@{}", a.id, a.attempt)).collect();
                assert_eq!(row.attempts.last().map(|a| a.id), Some(row.job.id));
                format!(
                    "{} {} {}{}",
                    row.name.identity,
                    ids.join(" "),
                    row.outcome.mark(),
                    if row.ambiguous { " ~" } else { "" }
                )
            })
            .collect()
    }

    #[test]
    fn attempts_fold_into_one_row() {
        let x = "eval / / p3.750 | m fp4 b200 sgl TP2 c64 | eval-only";
        // Its priority moved with a label between the attempts.
        let later = "eval / / p0.000 | m fp4 b200 sgl TP2   c64 | eval-only";
        let identity = "eval / m fp4 b200 sgl TP2 c64 | eval-only";
        assert_eq!(
            shown(&[job(9, 2, later, "success"), job(1, 1, "setup", "success"), job(2, 1, x, "failure")]),
            [format!("{identity} 2@1 9@2 ✓"), "setup 1@1 ✓".to_owned()]
        );
        assert_eq!(shown(&[job(2, 1, x, "success"), job(9, 2, x, "in_progress")]), [format!("{identity} 2@1 9@2 ◔")]);
    }

    #[test]
    fn a_job_listed_twice_counts_once() {
        assert_eq!(
            shown(&[job(1, 1, "a", "in_progress"), job(2, 1, "b", "success"), job(1, 1, "a", "failure")]),
            ["a 1@1 ✗", "b 2@1 ✓"]
        );
    }

    #[test]
    fn jobs_of_one_attempt_are_never_merged() {
        assert_eq!(shown(&[job(1, 1, "a", "success"), job(2, 1, "a", "failure")]), ["a 1@1 ✓ ~", "a 2@1 ✗ ~"]);
        // A later attempt repeats what was not green, so the failure is the one that was mended.
        let rerun = [job(1, 1, "a", "success"), job(2, 1, "a", "failure"), job(3, 2, "a", "success")];
        assert_eq!(shown(&rerun), ["a 1@1 ✓ ~", "a 2@1 3@2 ✓ ~"]);
        let half = [job(1, 1, "a", "failure"), job(2, 1, "a", "failure"), job(3, 2, "a", "success")];
        assert_eq!(shown(&half), ["a 1@1 3@2 ✓ ~", "a 2@1 ✗ ~"]);
        let more = [job(1, 1, "a", "failure"), job(2, 2, "a", "success"), job(3, 2, "a", "failure")];
        assert_eq!(shown(&more), ["a 1@1 2@2 ✓ ~", "a 3@2 ✗ ~"]);
    }

    proptest! {
        #[test]
        fn no_job_is_lost_and_rows_are_as_many_as_the_fullest_attempt(
            jobs in prop::collection::vec((1u32..4, 0usize..3, prop::bool::ANY), 0..40)
        ) {
            let jobs: Vec<Job> = jobs
                .iter()
                .enumerate()
                .map(|(id, (attempt, name, good))| job(id as u64, *attempt, ["a", "b", "c"][*name], if *good { "success" } else { "failure" }))
                .collect();
            let rows = merge(&jobs, &BTreeMap::new());
            prop_assert_eq!(rows.iter().map(|row| row.attempts.len()).sum::<usize>(), jobs.len());
            for row in &rows {
                prop_assert!(row.attempts.windows(2).all(|pair| pair[0].attempt < pair[1].attempt));
            }
            for name in ["a", "b", "c"] {
                let fullest = (1..4).map(|n| jobs.iter().filter(|j| j.name == name && j.attempt == n).count()).max();
                prop_assert_eq!(rows.iter().filter(|row| row.job.name == name).count(), fullest.unwrap_or(0));
            }
        }
    }
}
