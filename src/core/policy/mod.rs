//! Rules as data: the policy file, and the findings that its rules make from the facts.
//! Must not know: any repository's names; they stand in `assets/policies/`.

use super::evidence::Evidence;
use super::facts::DocumentKind;
use super::ids::Key;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a rule says. Never green unless everything it looked at was whole and read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Pass,
    Fail,
    Warn,
    NotApplicable,
    /// A person must judge: no rule knows.
    NeedsYou,
    /// Something the rule needs is not read, partial or still running.
    Unavailable,
}

/// How a finding was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// Read as stated.
    Exact,
    /// Computed by the repository's own rules from what was read.
    Derived,
    /// A sign, not a proof.
    Suspect,
}

/// What one rule found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The rule's stable word: `sweep`.
    pub key: Key,
    pub title: String,
    pub status: Status,
    pub confidence: Confidence,
    /// One line in the reviewer's terms.
    pub reason: String,
    pub evidence: Vec<Evidence>,
}

/// A policy file, validated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Policy {
    pub schema: u32,
    pub name: String,
    /// Ordered path candidates, by kind of document.
    pub documents: BTreeMap<DocumentKind, Vec<String>>,
    pub signoff: SignoffPolicy,
    pub sweep: SweepPolicy,
    pub evals: EvalPolicy,
    pub configs: ConfigPolicy,
    pub items: Vec<ItemPolicy>,
}

/// The comment that is posted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SignoffPolicy {
    /// A comment that holds these words is a sign-off, and no other comment may hold them.
    pub trigger: String,
    /// Heading of the section that holds the template, without `#`.
    pub section: String,
    /// Heading inside the template under which details stand, without `#`.
    pub detail: String,
    /// Placeholder that becomes the login.
    pub login_placeholder: String,
    /// Placeholder that becomes the details.
    pub detail_placeholder: String,
    /// A comment that contains one of these is a machine's reminder, never a sign-off.
    pub not_signoffs: Vec<String>,
}

/// The workflow that measures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SweepPolicy {
    /// Workflow files whose runs are sweeps.
    pub workflows: Vec<String>,
    /// Job-name alias → framework: `sgl` → `sglang`.
    pub framework_aliases: BTreeMap<String, String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvalPolicy {
    /// The artifact that holds all rows of a run.
    pub artifact: String,
    /// The bar of a task that the thresholds document does not know.
    pub fallback: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConfigPolicy {
    /// Path candidates of the changelog whose new entries name the measured configs.
    pub changelog: Vec<String>,
    /// Path candidates of the master files.
    pub masters: Vec<String>,
}

/// A template item that we know by its words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ItemPolicy {
    pub key: Key,
    /// A few words for narrow columns.
    pub short: String,
    /// The item is this one if its normalised text contains all words of one of these phrases, in order.
    pub phrases: Vec<String>,
    /// The rules whose findings answer it; none: a person judges.
    #[serde(default)]
    pub rules: Vec<Key>,
    /// What kind of run is linked behind the text.
    #[serde(default)]
    pub link: Option<ItemLink>,
}

/// Which run an item asks to be linked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ItemLink {
    SweepRun,
    EvalRun,
}
