//! Having the verifier read a sign-off again, by starting its workflow.
//! Must not know: what it will answer.

use super::{Desk, Draft, Order, Trace};
use crate::core::checklist::blocks::is_signoff;
use crate::core::remote::Remote;
use crate::core::verdict::SignoffRef;

pub(super) fn start(desk: &Desk<'_>, signoff: SignoffRef) -> Result<Draft, String> {
    let (policy, facts) = (desk.policy(), desk.facts());
    let none = "The policy names no workflow of this time that reads a sign-off again: `errands.verifier`.";
    let verifier = policy.errands.verifier.as_ref().ok_or(none)?;
    let inputs = verifier.inputs.get(desk.context.era).ok_or(none)?;
    let branch = facts.repository.value().map(|repository| repository.default_branch.clone());
    let branch = branch.ok_or("The repository's default branch is not read yet: the verifier runs there.")?;
    let lists = [&facts.comments, &facts.reviews, &facts.line_comments];
    let mut comments = lists.into_iter().filter_map(Remote::value).flat_map(|list| &list.items);
    let comment = comments.find(|comment| signoff.is(comment));
    let comment = comment.ok_or_else(|| format!("The comment {signoff} is gone, or not read: there is nothing to verify."))?;
    if !is_signoff(policy, &comment.body) {
        return Err(format!("The comment {signoff} is no sign-off."));
    }
    desk.may(false)?;
    let address = facts.page(&format!("pull/{}#{signoff}", facts.number));
    let fill = |value: &String| value.replace("{comment}", &address).replace("{pull}", &facts.number.to_string());
    let inputs = inputs.iter().map(|(name, value)| (name.clone(), fill(value))).collect();
    let mut told = vec![
        format!("It reads {address} as it stands now, against the head {}.", desk.pull.head.short()),
        "Its answer comes in the conversation, in a new comment or in place of its last one.".to_owned(),
        "Whether it has begun is not seen here before it answers.".to_owned(),
    ];
    if comment.author.id != Some(desk.viewer.id) {
        told.push(format!("The sign-off is {}'s, not yours.", comment.author.login));
    }
    if desk.pull.state != "open" {
        told.push("The pull request is not open any more.".to_owned());
    }
    let workflow = verifier.workflow.clone();
    Ok(Draft {
        what: format!("Have the sign-off of {} verified again, by {workflow} on {branch}", comment.author.login),
        consequences: told,
        page: format!("actions/workflows/{workflow}"),
        order: Order::Dispatch { workflow, branch, inputs },
        trace: Trace::Nowhere,
    })
}
