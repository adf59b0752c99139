//! The steps of a job: how each is called among the others, and which of them tells how the job went.
//! Must not know: what stands in a log, how GitHub writes a step down.

use super::sweep::Outcome;
use super::time::{Time, render_length};
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;
use std::sync::Arc;

/// One step, as GitHub lists it. There are a dozen per job, and thousands of jobs: it stays small.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// GitHub's number: they rise, and may leave some out.
    pub number: u64,
    /// As GitHub sends it; empty where it sends none.
    pub name: Box<str>,
    pub outcome: Outcome,
    pub started_at: Option<Time>,
    pub completed_at: Option<Time>,
}

/// All steps of a job in their order, shared by whoever holds the job; none where GitHub lists none.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(from = "Vec<Step>")]
pub struct Steps(Arc<[Step]>);

/// A step among those of its job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NthStep<'a> {
    pub step: &'a Step,
    /// Counted from 1. Numbers of GitHub's leave some out, so they are not counted by.
    pub nth: usize,
    pub of: usize,
}

impl From<Vec<Step>> for Steps {
    fn from(steps: Vec<Step>) -> Steps {
        Steps(steps.into())
    }
}

impl Serialize for Steps {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(out)
    }
}

impl std::ops::Deref for Steps {
    type Target = [Step];

    fn deref(&self) -> &[Step] {
        &self.0
    }
}

impl Steps {
    /// Nothing is listed: the job waits, was skipped, or was read by a version that did not ask.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The step at an index.
    pub fn at(&self, index: usize) -> Option<NthStep<'_>> {
        Some(NthStep { step: self.get(index)?, nth: index + 1, of: self.len() })
    }

    /// The step that a job which ended so, or goes so far, failed in, was ended in, or is in; `None` where GitHub does
    /// not tell, and where nothing is wrong.
    pub fn telling(&self, job: &Outcome) -> Option<NthStep<'_>> {
        let first = |is: fn(&Outcome) -> bool| self.iter().position(|step| is(&step.outcome));
        let ended = |outcome: &Outcome| matches!(outcome, Outcome::Cancelled | Outcome::Stale | Outcome::InProgress);
        self.at(match job {
            Outcome::InProgress => first(|step| *step == Outcome::InProgress),
            Outcome::Failure => first(Outcome::failed).or_else(|| first(ended)),
            // What failed before somebody ended the job is not where it was.
            job if job.is_loss() => first(ended).or_else(|| first(Outcome::failed)),
            _ => None,
        }?)
    }

    /// The steps that a filter asks of a job that ended so: of one that failed those that failed, or the one that tells where
    /// it was; of any other all.
    pub fn asked(&self, job: &Outcome) -> Vec<&Step> {
        if !job.failed() {
            return self.iter().collect();
        }
        let failed: Vec<&Step> = self.iter().filter(|step| step.outcome.failed()).collect();
        match failed.is_empty() {
            true => self.telling(job).map(|told| told.step).into_iter().collect(),
            false => failed,
        }
    }

    /// [`Steps::telling`] in words: `in step 3 of 6, Launch job script`; of a job that runs, for how long it has been there.
    pub fn told(&self, job: &Outcome, now: Time) -> Option<String> {
        let step = self.telling(job)?;
        Some(match (job, step.length(Some(now)).as_str()) {
            (Outcome::InProgress, "") => step.to_string(),
            (Outcome::InProgress, length) => format!("{step}, {length}"),
            _ => format!("in {step}"),
        })
    }
}

impl NthStep<'_> {
    /// How long it took; of one that goes on, until `now`. Empty where nobody knows.
    pub fn length(&self, now: Option<Time>) -> String {
        let end = self.step.completed_at.or(now);
        self.step.started_at.zip(end).map_or_else(String::new, |(from, to)| render_length(from, to))
    }
}

/// `step 3 of 6, Launch job script`. The name is strangers': the gate comes after this.
impl fmt::Display for NthStep<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {} of {}", self.nth, self.of)?;
        if self.step.name.is_empty() { Ok(()) } else { write!(f, ", {}", self.step.name) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::sample::{at, step};

    #[test]
    fn the_step_that_tells_is_where_it_failed_was_ended_or_is() {
        let jobs = [Outcome::Failure, Outcome::Cancelled, Outcome::TimedOut, Outcome::InProgress, Outcome::Success];
        // Steps, and which of them tells of a job that failed, was cancelled, ran out of time, runs, or is green.
        let table: [(&[&str], [Option<usize>; 5]); 8] = [
            (&[], [None; 5]),
            (&["success", "failure", "skipped", "failure", "success"], [Some(2), Some(2), Some(2), None, None]),
            (&["success", "failure", "cancelled", "success"], [Some(2), Some(3), Some(3), None, None]),
            (&["success", "cancelled", "skipped"], [Some(2), Some(2), Some(2), None, None]),
            (&["success", "timed_out"], [Some(2), Some(2), Some(2), None, None]),
            (&["success", "in_progress", "queued"], [Some(2), Some(2), Some(2), Some(2), None]),
            (&["failure", "in_progress"], [Some(1), Some(2), Some(2), Some(2), None]),
            (&["success", "moonstruck", "skipped"], [None; 5]),
        ];
        for (words, expected) in table {
            let steps: Steps = words.iter().map(|word| step("x", word, None, None)).collect::<Vec<_>>().into();
            let got = jobs.each_ref().map(|job| steps.telling(job).map(|step| step.nth));
            assert_eq!(got, expected, "{words:?}");
        }
    }

    #[test]
    fn a_filter_asks_a_failed_job_for_what_failed_and_any_other_for_all() {
        let table: [(&[&str], Outcome, &[usize]); 6] = [
            (&["success", "failure", "skipped", "failure"], Outcome::Failure, &[1, 3]),
            (&["success", "cancelled", "skipped"], Outcome::TimedOut, &[1]),
            (&["success", "success"], Outcome::Failure, &[]),
            (&["success", "failure"], Outcome::Cancelled, &[0, 1]),
            (&["success", "in_progress", "queued"], Outcome::InProgress, &[0, 1, 2]),
            (&[], Outcome::Failure, &[]),
        ];
        for (words, job, expected) in table {
            let named = |(at, word): (usize, &&str)| step(&at.to_string(), word, None, None);
            let steps: Steps = words.iter().enumerate().map(named).collect::<Vec<_>>().into();
            let got: Vec<usize> = steps.asked(&job).into_iter().map(|step| step.name.parse().unwrap()).collect();
            assert_eq!(got, expected, "{words:?} {job:?}");
        }
    }

    #[test]
    fn a_step_is_told_with_its_place_and_a_running_one_with_its_length() {
        let (start, end) = (Some("2026-08-11T08:00:00Z"), Some("2026-08-11T08:00:12Z"));
        let now = at("2026-08-11T08:14:00Z");
        let steps: Steps = vec![step("Set up job", "success", start, end), step("Launch", "in_progress", start, None)].into();
        assert_eq!(steps.told(&Outcome::InProgress, now).unwrap(), "step 2 of 2, Launch, 14 m");
        assert_eq!(steps.told(&Outcome::Stale, now).unwrap(), "in step 2 of 2, Launch");
        assert_eq!(steps.at(0).unwrap().length(None), "12 s");
        assert_eq!(steps.at(1).unwrap().length(None), "");
        let bare: Steps = vec![step("", "in_progress", None, None)].into();
        assert_eq!(bare.told(&Outcome::InProgress, now).unwrap(), "step 1 of 1");
    }

    #[test]
    fn five_thousand_jobs_of_twelve_steps_are_a_few_megabytes_and_copies_of_a_job_share_them() {
        assert!(size_of::<Step>() <= 80 && size_of::<Steps>() <= 16, "{} {}", size_of::<Step>(), size_of::<Steps>());
        let steps: Steps = vec![step("Launch", "success", None, None)].into();
        assert!(Arc::ptr_eq(&steps.0, &steps.clone().0));
        let text = serde_json::to_string(&steps).unwrap();
        assert_eq!(serde_json::from_str::<Steps>(&text).unwrap(), steps);
    }
}
