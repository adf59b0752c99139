//! Putting labels on and taking them off: what each does, and what it does to a sweep that is under way.
//! Must not know: the names of labels; they are policy.

use super::{Desk, Draft, LabelPolicy, Order, Trace};
use crate::core::facts::Facts;
use crate::core::policy::{Policy, reuse};
use crate::core::text::gate;

/// One label as the list shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LabelRow<'a> {
    pub label: &'a LabelPolicy,
    /// It stands on the pull request.
    pub on: bool,
    /// It starts a sweep by itself.
    pub starts: bool,
}

/// The policy's labels, in its order.
pub fn label_rows<'a>(policy: &'a Policy, facts: &Facts) -> Vec<LabelRow<'a>> {
    let there = facts.pull.value().map(|pull| pull.labels.as_slice()).unwrap_or_default();
    let row = |label: &'a LabelPolicy| LabelRow {
        label,
        on: there.contains(&label.name),
        starts: policy.rules.merge.sweep_labels.contains(&label.name),
    };
    policy.errands.labels.iter().map(row).collect()
}

pub(super) fn add(desk: &Desk<'_>, name: &str) -> Result<Draft, String> {
    let row = known(desk, name)?;
    desk.is_open("a label starts nothing there")?;
    if row.on {
        return Err(format!("The label {} is there already.", gate::line(name)));
    }
    let there = desk.sweep_labels();
    match (row.starts, there.first()) {
        (true, Some(other)) => {
            return Err(format!("The label {} is there, and two sweep labels conflict: take it off first.", gate::line(other)));
        }
        (false, None) => {
            return Err(format!("{} only changes a sweep, and no sweep label is there: put one on first.", gate::line(name)));
        }
        _ => {}
    }
    desk.may(true)?;
    let policy = desk.policy();
    let mut told = vec![row.label.does.clone()];
    let is = |list: &[String]| list.iter().any(|known| known == name);
    if is(&policy.rules.merge.not_reusable) || is(&policy.sweep.trials) {
        told.push("Its run is no evidence, and a merge cannot reuse it.".to_owned());
    }
    told.extend(hindrances(desk));
    told.extend(desk.ends(None));
    if let Some(command) = reuse::standing(&desk.context) {
        let what = command.names();
        told.push(format!(
            "The reuse command of {} stands: this sweep runs all the same, later pushes run none, and the merge reuses {what}.",
            command.comment.author.login
        ));
    }
    let what = match row.starts {
        true => format!("Put the sweep label {} on", gate::line(name)),
        false => format!("Put the label {} on, beside {}", gate::line(name), gate::line(there.first().unwrap_or(&""))),
    };
    Ok(draft(desk, name, true, what, told))
}

pub(super) fn remove(desk: &Desk<'_>, name: &str) -> Result<Draft, String> {
    let row = known(desk, name)?;
    if !row.on {
        return Err(format!("The label {} is not there.", gate::line(name)));
    }
    desk.may(true)?;
    let mut told = Vec::new();
    match (row.starts, desk.sweep_labels().len()) {
        (true, 0 | 1) => {
            let merge = &desk.policy().rules.merge;
            told.push("No sweep label is left then: later pushes run no sweep.".to_owned());
            if merge.needs_label.iter().any(|era| era == desk.context.era) {
                told.push("A merge cannot reuse a run either while there is none.".to_owned());
            }
            told.push("Putting it on again starts a new sweep.".to_owned());
        }
        (true, _) => told.push("A sweep then goes by the sweep label that is left.".to_owned()),
        (false, _) => told.push("A sweep then goes by the labels that are left.".to_owned()),
    }
    told.extend(desk.ends(None));
    let what = format!("Take the label {} off", gate::line(name));
    Ok(draft(desk, name, false, what, told))
}

fn known<'a>(desk: &'a Desk<'_>, name: &str) -> Result<LabelRow<'a>, String> {
    let rows = label_rows(desk.policy(), desk.facts());
    if rows.is_empty() {
        return Err("The policy says of no label what it does: `errands.labels`.".to_owned());
    }
    let row = rows.into_iter().find(|row| row.label.name == name);
    row.ok_or_else(|| format!("The policy does not say what the label {} does, so it is left alone.", gate::line(name)))
}

/// Why a label may start nothing.
fn hindrances(desk: &Desk<'_>) -> Vec<String> {
    let (policy, facts, pull) = (desk.policy(), desk.facts(), desk.pull);
    let mut told = Vec::new();
    if pull.mergeable == Some(false) {
        let base = gate::line(&pull.base_branch);
        told.push(format!("The pull request conflicts with {base}: GitHub starts no workflow for it until that is solved."));
    }
    let skip = &policy.rules.merge.skip;
    let commits = facts.commits.value().map(|list| list.items.as_slice()).unwrap_or_default();
    let head = commits.iter().find(|commit| commit.sha == pull.head);
    if !skip.is_empty() && head.is_some_and(|commit| commit.message.contains(skip)) {
        told.push(format!("The head commit says {skip}, so no sweep runs for it."));
    }
    let home = facts.repository.value().map_or(&facts.repo, |repository| &repository.name);
    if !policy.errands.fork.is_empty() && pull.head_repo.as_ref().is_some_and(|from| from != home) {
        told.push(policy.errands.fork.clone());
    }
    told
}

fn draft(desk: &Desk<'_>, name: &str, on: bool, what: String, consequences: Vec<String>) -> Draft {
    let order = if on { Order::AddLabel } else { Order::RemoveLabel }(name.to_owned());
    let trace = Trace::Label { name: name.to_owned(), on };
    Draft { what, consequences, order, trace, page: format!("pull/{}", desk.facts().number) }
}
