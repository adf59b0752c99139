//! Errands: the writes to GitHub besides the sign-off. Each is prepared from facts, shown with what it sets off, confirmed,
//! looked at once more and sent once; an unclear outcome is resolved by looking.
//! Must not know: how requests are sent, or how any of it is drawn.

mod labels;
mod policy;
mod reuse;
mod runs;
#[cfg(test)]
mod tests;
mod trace;
mod verifier;

pub use labels::{LabelRow, label_rows};
pub use policy::{ErrandPolicy, LabelPolicy, VerifierPolicy};
pub use trace::{Sight, Stand, Trace};

use super::conclusions::Conclusions;
use super::facts::Facts;
use super::ids::{JobId, PullNumber, RepoName, RunId, Sha};
use super::plan::Read;
use super::policy::{Context, Policy};
use super::pull::{Pull, Viewer};
use super::text::gate;
use super::trouble::Trouble;
use super::verdict::SignoffRef;
use std::collections::BTreeMap;

/// What the reviewer wants done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Errand {
    /// Pin this run: a merge reuses it.
    Reuse {
        run: RunId,
    },
    AddLabel(String),
    RemoveLabel(String),
    RerunFailed {
        run: RunId,
    },
    RerunJob {
        run: RunId,
        job: JobId,
    },
    Cancel {
        run: RunId,
    },
    /// Have the verifier read this sign-off again.
    Dispatch {
        signoff: SignoffRef,
    },
}

/// The one request that it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    Comment {
        body: String,
    },
    AddLabel(String),
    RemoveLabel(String),
    RerunFailed(RunId),
    RerunJob(JobId),
    Cancel(RunId),
    Dispatch {
        /// The workflow's file name.
        workflow: String,
        branch: String,
        inputs: BTreeMap<String, String>,
    },
}

/// Exactly what the person is asked to confirm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedErrand {
    pub errand: Errand,
    /// One sentence without its stop: `Re-run the 3 failed jobs of run 31020193450 (attempt 2 → 3)`.
    pub what: String,
    /// What it sets off, and what speaks against it; a sentence each.
    pub consequences: Vec<String>,
    pub order: Order,
    /// By what it is seen to have happened.
    pub trace: Trace,
    /// Under the name that it has today.
    pub repo: RepoName,
    pub number: PullNumber,
    pub viewer: Viewer,
    pub head: Sha,
    /// A page that shows what came of it.
    pub page: String,
}

/// What came of sending it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// With the page that GitHub named, if it named one.
    Done { link: Option<String> },
    /// GitHub said no, or the request certainly never left: nothing was done.
    Refused(Trouble),
    /// It may have been done: only looking can tell.
    Unclear(Trouble),
}

/// Where an errand stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Errands {
    #[default]
    Idle,
    /// The list of labels stands open, at this row.
    Choosing {
        cursor: usize,
    },
    /// Waiting for the person's word.
    Confirming(Box<PreparedErrand>),
    /// The word is given: what it rests on is read once more.
    Checking {
        prepared: Box<PreparedErrand>,
        reads: Vec<Read>,
    },
    /// The one request is on its way.
    Sending(Box<PreparedErrand>),
    /// The outcome is unclear: `looks` looks saw nothing so far, the next waits for `reads`.
    Looking {
        prepared: Box<PreparedErrand>,
        reads: Vec<Read>,
        looks: u8,
        why: String,
    },
    Done {
        what: String,
        link: Option<String>,
    },
    /// Nothing was done.
    Refused {
        what: String,
        why: String,
        hint: String,
    },
    /// Looking did not tell, or cannot.
    Unclear {
        what: String,
        why: String,
        page: String,
    },
}

impl Errands {
    /// Whether a request is prepared that the person has given the word for, and its outcome is not known yet.
    pub fn is_under_way(&self) -> bool {
        matches!(self, Errands::Checking { .. } | Errands::Sending(_) | Errands::Looking { .. })
    }
}

impl PreparedErrand {
    /// The text of the comment, where it is one.
    pub fn body(&self) -> Option<&str> {
        match &self.order {
            Order::Comment { body } => Some(body),
            _ => None,
        }
    }

    /// Whether this is what was confirmed: the same request at the same head in the same name, and nothing speaks against it
    /// that was not on screen.
    pub fn was_shown_as(&self, shown: &PreparedErrand) -> bool {
        let same = |errand: &PreparedErrand| (errand.what.clone(), errand.order.clone(), errand.repo.clone());
        same(self) == same(shown)
            && (&self.head, &self.viewer) == (&shown.head, &shown.viewer)
            && self.consequences.iter().all(|told| shown.consequences.contains(told))
    }
}

/// What one errand needs to be prepared.
struct Desk<'a> {
    context: Context<'a>,
    pull: &'a Pull,
    viewer: &'a Viewer,
}

/// An errand as its module prepares it.
struct Draft {
    what: String,
    consequences: Vec<String>,
    order: Order,
    trace: Trace,
    /// What follows `owner/name/` in the page's address.
    page: String,
}

/// What would be sent, and what it would set off.
///
/// # Errors
/// A sentence that says why it cannot be done.
pub fn prepare(policy: &Policy, facts: &Facts, conclusions: &Conclusions, errand: &Errand) -> Result<PreparedErrand, String> {
    let viewer = facts.viewer.value().ok_or("Who you are on GitHub is not known: nothing can be sent in your name.")?;
    let pull = facts.pull.value().ok_or("The pull request is not read yet.")?;
    let desk = Desk { context: Context::new(policy, facts, conclusions, None, None, false), pull, viewer };
    let draft = match errand {
        Errand::Reuse { run } => reuse::pin(&desk, *run),
        Errand::AddLabel(name) => labels::add(&desk, name),
        Errand::RemoveLabel(name) => labels::remove(&desk, name),
        Errand::RerunFailed { run } => runs::rerun_failed(&desk, *run),
        Errand::RerunJob { run, job } => runs::rerun_job(&desk, *run, *job),
        Errand::Cancel { run } => runs::cancel(&desk, *run),
        Errand::Dispatch { signoff } => verifier::start(&desk, *signoff),
    }?;
    Ok(PreparedErrand {
        errand: errand.clone(),
        what: draft.what,
        consequences: draft.consequences,
        order: draft.order,
        trace: draft.trace,
        repo: facts.repository.value().map_or_else(|| facts.repo.clone(), |repository| repository.name.clone()),
        number: facts.number,
        viewer: viewer.clone(),
        head: pull.head.clone(),
        page: facts.page(&draft.page),
    })
}

impl Desk<'_> {
    fn policy(&self) -> &Policy {
        self.context.policy
    }

    fn facts(&self) -> &Facts {
        self.context.facts
    }

    /// Whether the viewer may do what takes the right to write, or, where `triage` will do, to sort. What was not read is
    /// GitHub's to decide.
    fn may(&self, triage: bool) -> Result<(), String> {
        let Some(permission) = self.facts().permissions.get(&self.viewer.login).and_then(|known| known.value()) else {
            return Ok(());
        };
        if permission.can_write() || triage && permission.role.as_deref() == Some("triage") {
            return Ok(());
        }
        let needs = if triage { "triage or write" } else { "write" };
        Err(format!("It takes {needs} access, and {} has {} here: ask a maintainer.", self.viewer.login, permission.permission))
    }

    fn is_open(&self, else_says: &str) -> Result<(), String> {
        match self.pull.state.as_str() {
            "open" => Ok(()),
            _ if self.pull.merged => Err(format!("The pull request is merged: {else_says}.")),
            state => Err(format!("The pull request is {}: {else_says}.", gate::line(state))),
        }
    }

    /// `is_sweep` labels that are there.
    fn sweep_labels(&self) -> Vec<&str> {
        let known = &self.policy().rules.merge.sweep_labels;
        self.pull.labels.iter().filter(|label| known.contains(label)).map(String::as_str).collect()
    }

    /// What a sweep that starts now ends, a sentence each; `but` is the run that starts.
    fn ends(&self, but: Option<RunId>) -> Vec<String> {
        if !self.policy().errands.one_sweep {
            return Vec::new();
        }
        let under_way = self.context.conclusions.sweeps.iter();
        let under_way = under_way.filter(|sweep| !sweep.outcome().finished() && Some(sweep.run.id) != but);
        under_way.map(|sweep| format!("It ends {}, which is under way.", sweep.label())).collect()
    }
}

/// `1 job`, `3 jobs`.
fn jobs(count: usize) -> String {
    format!("{count} job{}", if count == 1 { "" } else { "s" })
}
