//! What must hold whatever fails: nothing partial is said to be whole, and nothing is greener than it is.
//! Must not know: what failed. Both test programs share this file.

use countersign::core::facts::Facts;
use countersign::core::listing::Listing;
use countersign::core::policy::{Finding, Status};
use countersign::core::remote::Remote;
use std::collections::BTreeMap;
use std::fmt::Debug;

/// Numbers that are the same in every run of the suite (SplitMix64).
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % sides as u64) as usize
    }
}

/// The status of each finding, by its key.
pub fn statuses(findings: &[Finding]) -> BTreeMap<String, Status> {
    findings.iter().map(|finding| (finding.key.as_str().to_owned(), finding.status)).collect()
}

/// Whatever is said to be whole is what there is.
pub fn honest(facts: &Facts, truth: &Facts) {
    fn value<T: PartialEq + Debug>(what: &str, got: &Remote<T>, truth: &Remote<T>) {
        if let Some(got) = got.settled() {
            assert_eq!(Some(&got.value), truth.value(), "{what}");
        }
    }
    fn list<T: PartialEq + Debug>(what: &str, got: &Remote<Listing<T>>, truth: &Remote<Listing<T>>) {
        let Some(got) = got.settled() else { return };
        let all = &truth.settled().unwrap().value.items;
        if got.value.is_complete() {
            assert_eq!(got.value.items, *all, "{what} is said to be whole");
        }
        assert!(got.value.items.iter().all(|item| all.contains(item)), "{what} holds what there is");
    }
    value("viewer", &facts.viewer, &truth.viewer);
    value("repository", &facts.repository, &truth.repository);
    value("pull", &facts.pull, &truth.pull);
    value("merge base", &facts.merge_base, &truth.merge_base);
    for (pair, later) in &facts.later {
        let Some(truth) = truth.later.get(pair) else { continue };
        value("what came later", later, truth);
    }
    list("files", &facts.files, &truth.files);
    list("commits", &facts.commits, &truth.commits);
    list("reviews", &facts.reviews, &truth.reviews);
    list("line comments", &facts.line_comments, &truth.line_comments);
    list("runs", &facts.runs, &truth.runs);
    facts.jobs.iter().for_each(|(run, jobs)| list("jobs", jobs, &truth.jobs[run]));
    facts.artifacts.iter().for_each(|(run, artifacts)| list("artifacts", artifacts, &truth.artifacts[run]));
    for (run, rows) in &facts.evals {
        // Which artifact counts is known only where all are.
        if facts.artifacts.get(run).and_then(Remote::settled).is_some_and(|artifacts| artifacts.value.is_complete()) {
            list("evals", rows, &truth.evals[run]);
        }
    }
    facts.documents.iter().for_each(|(kind, document)| value("document", document, &truth.documents[kind]));
    facts.sides.iter().for_each(|(side, document)| value("side", document, &truth.sides[side]));
}

/// What is green, or milder than a failure, is so without faults as well.
pub fn never_greener(findings: &BTreeMap<String, Status>, truth: &BTreeMap<String, Status>) {
    for (key, status) in findings {
        let mild = match status {
            // What the bot has no check for is passed.
            Status::Pass | Status::NotApplicable => matches!(truth[key], Status::Pass | Status::NotApplicable),
            Status::Warn => matches!(truth[key], Status::Warn | Status::Pass | Status::NotApplicable),
            Status::Fail | Status::NeedsYou | Status::Unavailable => true,
        };
        assert!(mild, "{key} is {status:?}, and in truth {:?}", truth[key]);
    }
}
