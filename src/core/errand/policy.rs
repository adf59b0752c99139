//! What a policy says about errands: which labels may be put on, what a pinned run must be, how the verifier is started.
//! Must not know: what is prepared from it.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ErrandPolicy {
    /// Labels that may be put on and taken off, in the order in which they are offered.
    pub labels: Vec<LabelPolicy>,
    /// A sweep of a pull request ends the one that is under way.
    pub one_sweep: bool,
    /// What a label does where the head lies in a fork, a sentence; empty: the same as elsewhere.
    pub fork: String,
    /// The event of a run that may be pinned; empty: any.
    pub pinned_event: String,
    /// The workflow that reads a sign-off again; `None`: nothing can be started.
    pub verifier: Option<VerifierPolicy>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelPolicy {
    pub name: String,
    /// What it does, a sentence.
    pub does: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VerifierPolicy {
    /// The workflow's file name, without its folder.
    pub workflow: String,
    /// Events of its runs that read a sign-off; empty: all.
    #[serde(default)]
    pub events: Vec<String>,
    /// Era → inputs; `{comment}` stands for the sign-off's address, `{pull}` for the pull request's number.
    pub inputs: BTreeMap<String, BTreeMap<String, String>>,
    /// Era → what makes it read a sign-off again, a sentence.
    #[serde(default)]
    pub again: BTreeMap<String, String>,
}

impl ErrandPolicy {
    /// What is wrong with it. `sweep` are the labels that start a sweep.
    pub(in crate::core) fn problems(&self, sweep: &[String]) -> Vec<String> {
        let mut out = Vec::new();
        for (at, label) in self.labels.iter().enumerate() {
            if label.name.trim().is_empty() || label.does.trim().is_empty() {
                out.push(format!("`errands.labels`: label {} has no name, or does nothing", at + 1));
            }
            if self.labels.iter().take(at).any(|before| before.name == label.name) {
                out.push(format!("`errands.labels`: {} stands there twice", label.name));
            }
        }
        if !self.labels.is_empty() && !self.labels.iter().any(|label| sweep.contains(&label.name)) {
            out.push("`errands.labels` has none of `rules.merge.sweep_labels`, so none of them starts a sweep".to_owned());
        }
        if let Some(verifier) = &self.verifier {
            if verifier.workflow.trim().is_empty() || verifier.workflow.contains('/') {
                out.push("`errands.verifier.workflow` is no file name".to_owned());
            }
            for (era, inputs) in &verifier.inputs {
                if !inputs.values().any(|value| value.contains("{comment}")) {
                    out.push(format!("`errands.verifier.inputs.{era}` names no sign-off: none of them holds {{comment}}"));
                }
            }
        }
        out
    }
}
