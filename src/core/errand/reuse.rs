//! Pinning a run, by a comment with the reuse command: what the merge will want of the run, the head and the person.
//! Must not know: how commands are read (`core::policy::reuse`).

use super::{Desk, Draft, Order, Trace, runs};
use crate::core::ids::RunId;
use crate::core::listing::Listing;
use crate::core::policy::reuse;
use crate::core::posting::{may_be_said, text_digest};
use crate::core::pull::Artifact;
use crate::core::remote::Remote;
use crate::core::sweep::{Standing, Sweep};
use crate::core::text::gate;
use crate::core::trouble::TroubleKind;

pub(super) fn pin(desk: &Desk<'_>, run: RunId) -> Result<Draft, String> {
    let (policy, facts) = (desk.policy(), desk.facts());
    let rules = &policy.rules.reuse;
    if rules.example.is_empty() {
        return Err("The policy names no command that pins a run: `rules.reuse.example`.".to_owned());
    }
    desk.is_open("a command there reuses nothing")?;
    let body = format!("{} {run}", rules.example);
    may_be_said(policy, &body).map_err(|block| block.reason)?;
    if reuse::pins(&desk.context, &body) != Some(run) {
        return Err(format!("`{}` is not read as pinning run {run}: see `rules.reuse` in the policy.", gate::line(&body)));
    }
    if let Some(why) = reuse::objection(&desk.context, run)? {
        return Err(format!("A merge would refuse run {run}: {why}"));
    }
    let sweep = runs::sweep(desk, run)?;
    let event = &policy.errands.pinned_event;
    if !event.is_empty() && sweep.run.event != *event {
        let event = gate::line(&sweep.run.event);
        return Err(format!("A merge would refuse run {run}: it was started by {event}, not by the pull request."));
    }
    let comments = match facts.comments.value().map(|list| (list, list.render_gap())) {
        Some((list, None)) => list,
        Some((_, Some(gap))) => {
            return Err(format!("The conversation was not read whole, and a command may stand in it: {gap}."));
        }
        None => return Err("The conversation is not read yet, and a command may stand in it.".to_owned()),
    };
    let standing = reuse::standing(&desk.context);
    if let Some(command) = standing.as_ref().filter(|command| command.run == Some(run)) {
        return Err(format!("Run {run} is pinned already, by {}.", command.comment.author.login));
    }
    let mut told = vec![
        "A rebase or force-push drops this pin; a push or a merge of the base branch keeps it.".to_owned(),
        "While any reuse command stands, later pushes run no sweep: take the sweep label off and put it on again to force one."
            .to_owned(),
    ];
    told.extend(artifacts(desk, sweep)?);
    told.extend(standing.map(|command| {
        let what = command.names();
        format!("It takes the place of the command of {}, which names {what}.", command.comment.author.login)
    }));
    let own = comments.items.iter().rev().find(|comment| comment.author.id == Some(desk.viewer.id));
    let counts = rules.associations.join(", ");
    match own {
        Some(own) if rules.associations.contains(&own.association) => {}
        Some(own) => told.push(format!(
            "Your word may not count: GitHub calls you {} here, and it takes {counts}.",
            gate::line(&own.association)
        )),
        None => {
            told.push(format!("Whether your word counts is not known, since you said nothing here yet: it takes {counts}."))
        }
    }
    told.extend(of_run(desk, sweep));
    told.extend(labels(desk));
    let newest = facts.comments.value().and_then(|list| list.items.iter().map(|comment| comment.id).max());
    let trace = Trace::Comment { author: desk.viewer.id, newest, digest: text_digest(&body) };
    Ok(Draft {
        what: format!("Comment {body}, so that the merge reuses run {run}"),
        consequences: told,
        order: Order::Comment { body },
        trace,
        page: format!("pull/{}", facts.number),
    })
}

/// Whether something is left that a merge can take over.
fn artifacts(desk: &Desk<'_>, sweep: &Sweep) -> Result<Option<String>, String> {
    let (facts, run) = (desk.facts(), sweep.run.id);
    let listed = facts.artifacts.get(&run).and_then(Remote::value);
    let left = |list: &Listing<Artifact>| list.items.iter().any(|artifact| !artifact.expired);
    let results = facts.results.get(&run);
    if listed.is_some_and(left) || results.and_then(Remote::value).is_some_and(|rows| !rows.items.is_empty()) {
        return Ok(None);
    }
    let kept_none = results.and_then(Remote::trouble).is_some_and(|why| why.kind == TroubleKind::NotFound);
    match listed.filter(|list| list.is_complete()) {
        Some(list) if !list.items.is_empty() => Err(format!("The artifacts of run {run} have expired: it cannot be reused.")),
        Some(_) if kept_none => Err(format!("Run {run} kept neither results nor scores: there is nothing to reuse.")),
        _ => Ok(Some("Whether the run still holds results that a merge can take over was not read.".to_owned())),
    }
}

/// What is weak about the run.
fn of_run(desk: &Desk<'_>, sweep: &Sweep) -> Vec<String> {
    let mut told = Vec::new();
    if sweep.executed_nothing() {
        told.push("No job of it measured anything.".to_owned());
    }
    if let Some(conclusion) = sweep.run.conclusion.as_deref().filter(|word| *word != "success") {
        told.push(format!("It ended with {}: what failed in it is not measured.", gate::line(conclusion)));
    }
    match &sweep.standing {
        Standing::Trial(label) => {
            told.push(format!("It was started under the label {}, and such a run is no evidence.", gate::line(label)));
        }
        Standing::Unread => told.push("Under which labels it was started is not read.".to_owned()),
        Standing::Counts | Standing::Doubtful(_) => {}
    }
    if !sweep.at_head {
        let (run, head) = (sweep.run.head.short(), desk.pull.head.short());
        told.push(format!("It measured {run}, and the head is {head}: see that nothing measured changed since."));
    }
    told
}

/// What a merge by reuse wants of the labels.
fn labels(desk: &Desk<'_>) -> Vec<String> {
    let policy = desk.policy();
    if !policy.rules.merge.needs_label.iter().any(|era| era == desk.context.era) {
        return Vec::new();
    }
    let mut told = Vec::new();
    let reusable = |label: &&str| !policy.rules.merge.not_reusable.iter().any(|known| known == label);
    if !desk.sweep_labels().iter().any(reusable) {
        told.push("The merge also wants a full sweep's label, and none is there.".to_owned());
    }
    let trials = desk.pull.labels.iter().filter(|label| policy.sweep.trials.contains(label));
    told.extend(
        trials.map(|label| format!("The merge refuses to reuse a run while the label {} is there.", gate::line(label))),
    );
    told
}
