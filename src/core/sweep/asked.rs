//! What a job of a sweep can be asked by a filter.
//! Must not know: how a filter is typed, or where its rows stand.

use super::attempts::MergedJob;
use super::cells::{Axis, parts};
use super::matrix::row_label;
use super::names::LaneKind;
use super::outcome::Outcome;
use crate::core::axes::Axes;
use crate::core::filter::{Grammar, Subject};
use crate::core::ids::Sha;

/// What jobs can be asked: every word of GitHub's, lanes, and what the attempts say.
pub const GRAMMAR: Grammar = Grammar {
    states: &[
        "success",
        "failed",
        "failure",
        "timed_out",
        "startup_failure",
        "cancelled",
        "skipped",
        "neutral",
        "action_required",
        "stale",
        "running",
        "queued",
        "waiting",
        "pending",
        "requested",
        "unknown",
        "benchmark",
        "eval",
        "canary",
        "plumbing",
        "flaky",
        "earlier",
        "root",
    ],
    // Of the axes' own keys those that a pivot's cell asks for: there, a name that tells no point has a value too.
    names: &[
        "lane", "config", "job", "step", "runner", "head", "at", "parallel", "model", "hw", "fw", "prec", "spec", "kv",
        "part1", "part2", "part3", "part4", "part5", "part6",
    ],
};

/// One job among those of its run.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    pub job: &'a MergedJob,
    /// The newest attempt of its run.
    pub newest: u32,
    /// It failed first of its matrix ([`super::causes::Causes::roots`]).
    pub root: bool,
    /// The commit that its run measured, where that is known.
    pub head: Option<&'a Sha>,
}

impl Subject for Asked<'_> {
    fn is(&self, state: &str) -> bool {
        let outcome = &self.job.outcome;
        match state {
            "success" => outcome.green(),
            "failed" => outcome.failed(),
            "failure" => *outcome == Outcome::Failure,
            "timed_out" => *outcome == Outcome::TimedOut,
            "startup_failure" => *outcome == Outcome::StartupFailure,
            "cancelled" => *outcome == Outcome::Cancelled,
            "skipped" => *outcome == Outcome::Skipped,
            "neutral" => *outcome == Outcome::Neutral,
            "action_required" => *outcome == Outcome::ActionRequired,
            "stale" => *outcome == Outcome::Stale,
            "running" => *outcome == Outcome::InProgress,
            "queued" => *outcome == Outcome::Queued,
            "waiting" => *outcome == Outcome::Waiting,
            "pending" => *outcome == Outcome::Pending,
            "requested" => *outcome == Outcome::Requested,
            "unknown" => matches!(outcome, Outcome::Unknown(_)),
            "benchmark" => self.job.name.kind == LaneKind::Benchmark,
            "eval" => self.job.name.kind == LaneKind::Eval || self.job.name.combined,
            "canary" => self.job.name.kind == LaneKind::Canary,
            "plumbing" => self.job.name.kind == LaneKind::Plumbing,
            "flaky" => self.job.is_flaky(),
            "earlier" => self.job.job.attempt < self.newest,
            "root" => self.root,
            _ => false,
        }
    }

    fn named(&self, name: &str) -> Option<String> {
        match name {
            "job" => Some(self.job.job.name.clone()),
            "runner" => self.job.job.runner.clone(),
            "head" => self.head.map(Sha::to_string),
            // Of the parts only as many as there are.
            _ => match name.strip_prefix("part").and_then(|at| at.parse::<usize>().ok()) {
                Some(at) => parts(&self.job.job.name).nth(at.checked_sub(1)?).map(str::to_owned),
                None => Axis::of_key(name).map(|axis| axis.value(self.job).into_owned()),
            },
        }
    }

    /// Steps are many: of a job whose steps were not listed nobody can say that it has such a one.
    fn says(&self, name: &str, fits: &dyn Fn(&str) -> bool) -> bool {
        match name {
            "step" => self.job.job.steps.asked(&self.job.outcome).into_iter().any(|step| fits(&step.name)),
            _ => self.named(name).is_some_and(|said| fits(&said)),
        }
    }

    fn axes(&self) -> Option<&Axes> {
        self.job.name.axes.as_ref()
    }

    fn text(&self) -> String {
        let job = self.job;
        let point =
            job.name.axes.as_ref().map_or_else(String::new, |axes| format!("{} {}", row_label(axes), axes.render_conc()));
        format!("{} {point} {} {}", job.job.name, job.outcome.word(), job.job.runner.as_deref().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::filter::Filter;
    use crate::core::pull::Job;
    use crate::core::sample::{job, step};
    use crate::core::sweep::merge;
    use std::collections::BTreeMap;

    #[test]
    fn jobs_answer_by_state_lane_and_name() {
        let point = "single-node 8k1k / / p3.750 | qwen3.5 fp4 b200 sgl TP2/EP2 mtp   c64";
        let aliases = BTreeMap::from([("sgl".to_owned(), "sglang".to_owned())]);
        let jobs = merge(
            &[
                job(1, 1, point, Some("failure")),
                Job {
                    steps: vec![step("Set up job", "success", None, None), step("Launch script", "timed_out", None, None)]
                        .into(),
                    ..job(2, 1, "build / test (ubuntu, 1.89)", Some("timed_out"))
                },
                Job {
                    steps: vec![step("Set up job", "success", None, None), step("Upload", "success", None, None)].into(),
                    ..job(3, 2, point, Some("success"))
                },
                job(4, 2, "agentic /", Some("skipped")),
            ],
            &aliases,
        );
        let table = [
            ("is:success is:flaky is:benchmark -is:earlier", vec![3]),
            ("is:timed_out is:failed is:plumbing is:earlier is:root", vec![2]),
            ("is:failure", vec![]),
            ("is:unknown", vec![]),
            ("lane:\"single-node 8k1k\" parallel:\"tp2/ep2\" at:\"c64\"", vec![3]),
            ("config:qwen3.5-fp4-b200-sglang-mtp", vec![3]),
            ("part1:\"build\" part3:ubuntu part4:\"1.89\"", vec![2]),
            ("part5:x", vec![]),
            ("job:ubuntu", vec![2]),
            // Of a job that failed only what failed counts, and one without steps has none.
            ("step:LAUNCH", vec![2]),
            ("step:job", vec![3]),
            ("step:\"set up job\"", vec![3]),
            ("step:\"set up\"", vec![]),
            ("step:", vec![3, 2]),
            ("-step:launch", vec![3, 4]),
            ("is:failed step:launch", vec![2]),
            ("runner:x", vec![]),
            ("sglang 8k1k", vec![3]),
            ("timed out", vec![2]),
        ];
        for (text, kept) in table {
            let filter = Filter::parse(text, GRAMMAR).unwrap();
            let got = jobs.iter().filter(|job| filter.keeps(&Asked { job, newest: 2, root: job.job.id.0 == 2, head: None }));
            assert_eq!(got.map(|job| job.job.id.0).collect::<Vec<_>>(), kept, "{text}");
        }
    }

    #[test]
    fn every_state_and_name_has_an_answer() {
        let jobs = merge(&[job(1, 1, "single-node / m fp4 b200 sgl TP2 c4", Some("success"))], &BTreeMap::new());
        let asked = Asked { job: &jobs[0], newest: 1, root: false, head: None };
        for name in GRAMMAR.names.iter().filter(|name| !["runner", "head", "step"].contains(name) && !name.starts_with("part"))
        {
            assert!(asked.named(name).is_some(), "{name}");
        }
        let words = ["queued", "waiting", "pending", "requested", "in_progress"].map(|word| Outcome::read(word, None));
        let ends = ["success", "failure", "timed_out", "startup_failure", "cancelled", "skipped", "neutral", "action_required"];
        let ends = ends.iter().chain(&["stale", "moonstruck"]).map(|word| Outcome::read("completed", Some(word)));
        for outcome in words.into_iter().chain(ends) {
            let mut job = jobs[0].clone();
            job.outcome = outcome;
            let asked = Asked { job: &job, newest: 1, root: false, head: None };
            let exact = GRAMMAR.states[..16].iter().filter(|state| **state != "failed" && asked.is(state)).count();
            assert_eq!(exact, 1, "{:?}", job.outcome);
        }
    }
}
