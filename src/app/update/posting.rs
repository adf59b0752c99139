//! Posting in the app: drives [`Posting`] with keys and replies.
//! Must not know: the wire, or why a post is blocked (`core::checklist::blocks`).

use super::{answer, ask, limit, save, touch_draft};
use crate::app::effect::{Command, Effect, Slot};
use crate::app::model::{DraftState, Model, Pane, Reach};
use crate::core::checklist::blocks::blocks;
use crate::core::plan::{self, Read};
use crate::core::posting::{Attempt, Block, LOOK_SECONDS, LOOKS, Posting, Prepared, Sent, newest_comment, search};
use crate::core::session::Basis;
use crate::core::trouble::Trouble;
use std::time::Duration;

/// After a start: a draft that records an attempt reopens in the search for its comment.
pub(super) fn resume(model: &mut Model) -> Vec<Effect> {
    let Some(attempt) = model.draft.attempt.clone() else {
        // Whether the bot has answered since is seen at the first look.
        return if model.draft.posted.is_some() { answer::await_it(model) } else { Vec::new() };
    };
    let mut why = "The program ended while a comment was being sent.".to_owned();
    if model.reach == Reach::Offline {
        why.push_str(" Offline nobody can tell whether it arrived: start without --offline.");
    }
    model.posting = Posting::Searching { attempt, looks: 0, why };
    super::show(model, Pane::Signoff);
    Vec::new()
}

/// `p` in the preview: everything that the text rests on is read again.
pub(super) fn recheck(model: &mut Model) -> Vec<Effect> {
    super::settle_derived(model);
    let Some(signoff) = model.signed() else { return Vec::new() };
    let text = signoff.rendered.text.clone();
    if let (None, Some(head)) = (&model.draft.basis, model.facts.head().cloned()) {
        model.draft.basis = Some(Basis { head, template: signoff.template.blob.clone() });
    }
    model.posting = Posting::Rechecking { text };
    let cited = model.review.conclusions.cited_runs();
    let reads = plan::recheck(&model.facts, &model.policy, &cited);
    ask(model, reads)
}

/// Facts changed: goes on when everything that was asked for is here.
pub(super) fn facts_came(model: &mut Model) -> Vec<Effect> {
    if matches!(model.posting, Posting::Searching { .. }) {
        return looked(model);
    }
    configs_came(model)
}

/// The same where no facts came, but what follows from them.
pub(super) fn configs_came(model: &mut Model) -> Vec<Effect> {
    let (text, prepared) = match &model.posting {
        Posting::Rechecking { text } => (text.clone(), None),
        Posting::Verifying(prepared) => (prepared.text.clone(), Some(prepared.clone())),
        _ => return Vec::new(),
    };
    if plan::is_loading(&model.facts) {
        return Vec::new();
    }
    super::settle_derived(model);
    if model.review.conclusions.uncompared().is_some() {
        return Vec::new();
    }
    model.posting = judge_recheck(model, text);
    // The same text at the same head in the same place, looked at twice, with the person's word in between.
    let same =
        |now: &Prepared, then: &Prepared| (&now.head, &now.template, &now.repo) == (&then.head, &then.template, &then.repo);
    match (&model.posting, prepared) {
        (Posting::Confirming(now), Some(then)) if same(now, &then) => record(model),
        _ => Vec::new(),
    }
}

fn judge_recheck(model: &Model, text: String) -> Posting {
    let Some(signoff) = model.signed() else {
        return Posting::Blocked(vec![Block::new("The template could not be read again. Press r, then try once more.")]);
    };
    let mut reasons = blocks(&model.policy, &model.facts, &model.draft, signoff, &text, true);
    if reasons.is_empty() && signoff.rendered.text != text {
        reasons.push(Block::new("What the text says changed while it was read again: read the new text, then press p again."));
    }
    let viewer = model.facts.viewer.settled().map(|got| got.value.clone());
    match (reasons.is_empty(), viewer, model.facts.head()) {
        (true, Some(viewer), Some(head)) => Posting::Confirming(Prepared {
            text,
            host: model.session.host.clone(),
            repo: model.facts.repository.value().map_or_else(|| model.facts.repo.clone(), |repository| repository.name.clone()),
            number: model.facts.number,
            head: head.clone(),
            template: signoff.template.blob.clone(),
            viewer,
            newest: newest_comment(&model.facts),
        }),
        _ => Posting::Blocked(reasons),
    }
}

/// The person's word: one more look, since the question may have stood for an hour.
pub(super) fn confirm(model: &mut Model) -> Vec<Effect> {
    let Posting::Confirming(prepared) = &model.posting else { return Vec::new() };
    model.posting = Posting::Verifying(prepared.clone());
    let reads = plan::verify(&model.facts, &model.policy);
    ask(model, reads)
}

/// The attempt goes to disk before anything is sent.
fn record(model: &mut Model) -> Vec<Effect> {
    let Posting::Confirming(prepared) = &model.posting else { return Vec::new() };
    let (prepared, attempt) = (prepared.clone(), prepared.attempt(model.now));
    model.draft.attempt = Some(attempt.clone());
    model.posting = Posting::Recording(prepared, attempt);
    save(model, true)
}

/// The draft is on disk, or not.
pub(super) fn saved(model: &mut Model, saved: Result<(), Trouble>) -> Vec<Effect> {
    match saved {
        Ok(()) => {
            model.draft_state = DraftState::Saved;
            if std::mem::take(&mut model.leaving) {
                return vec![Effect::Quit];
            }
            let Posting::Recording(prepared, attempt) = &model.posting else { return Vec::new() };
            let (repo, body) = (prepared.repo.clone(), prepared.text.clone());
            model.posting = Posting::Sending(attempt.clone());
            vec![Effect::Do(model.ticket(Slot::Post), Command::Post { repo, body })]
        }
        Err(trouble) => {
            let why = trouble.sentence();
            let stays = std::mem::take(&mut model.leaving);
            model.draft_state = DraftState::Failed(trouble);
            if matches!(model.posting, Posting::Recording(..)) {
                model.draft.attempt = None;
                model.posting = Posting::NotPosted {
                    why: format!("The draft could not be written, so nothing was sent. {why}"),
                    hint: "Make room on the disk, then press p again.".to_owned(),
                };
            } else if stays {
                model.warn(format!("The draft is not on disk: q tries again, C-c leaves without it. {why}"));
            } else {
                model.warn(why);
            }
            Vec::new()
        }
    }
}

pub(super) fn sent(model: &mut Model, sent: Sent) -> Vec<Effect> {
    let Posting::Sending(attempt) = &model.posting else { return Vec::new() };
    let attempt = attempt.clone();
    match sent {
        Sent::Posted(posted) => done(model, posted.url),
        Sent::Refused(trouble) => {
            model.draft.attempt = None;
            let mut effects = limit::refused(model, &trouble);
            let hint = match effects.is_empty() {
                true => trouble.hint,
                false => "The draft is kept; p then reads everything again and asks you once more.".to_owned(),
            };
            model.posting = Posting::NotPosted { why: trouble.headline, hint };
            effects.extend(save(model, false));
            effects
        }
        Sent::Unclear(trouble) => {
            model.posting = Posting::Searching { attempt, looks: 0, why: trouble.headline };
            ask(model, vec![Read::Comments])
        }
    }
}

/// The comments were read while searching.
fn looked(model: &mut Model) -> Vec<Effect> {
    let Posting::Searching { attempt, looks, why } = &model.posting else { return Vec::new() };
    if model.facts.comments.is_pending() || model.facts.comments.value().is_none() && model.facts.comments.trouble().is_none() {
        return Vec::new();
    }
    let whole = model.facts.comments.settled().filter(|list| list.value.is_complete());
    let items = model.facts.comments.value().map(|list| list.items.as_slice()).unwrap_or_default();
    if let Some(comment) = search(attempt, items) {
        let url = comment.url.clone();
        return done(model, url);
    }
    // Each answer to a look counts once: other facts may come in between.
    let read_at = model.facts.comments.known().map(|got| got.source.read_at);
    if whole.is_some() && read_at == model.last_look {
        return Vec::new();
    }
    model.last_look = read_at;
    // Only a whole list can say that the comment is not there.
    let looks = if whole.is_some() { looks + 1 } else { *looks };
    let (attempt, why): (Attempt, String) = (attempt.clone(), why.clone());
    if looks >= LOOKS {
        model.draft.attempt = None;
        model.posting = Posting::NotPosted {
            why: format!("{why} The conversation was searched {LOOKS} times and the comment is not there."),
            hint: "The draft is kept: press p to try again.".to_owned(),
        };
        return save(model, false);
    }
    model.posting = Posting::Searching { attempt, looks, why };
    vec![Effect::After(model.ticket(Slot::Look), Duration::from_secs(LOOK_SECONDS))]
}

/// The pause between two looks is over.
pub(super) fn look_again(model: &mut Model) -> Vec<Effect> {
    match model.posting {
        Posting::Searching { .. } => ask(model, vec![Read::Comments]),
        _ => Vec::new(),
    }
}

fn done(model: &mut Model, url: String) -> Vec<Effect> {
    model.draft.attempt = None;
    model.draft.posted = Some(url.clone());
    model.posting = Posting::Posted { url };
    touch_draft(model);
    let mut effects = save(model, true);
    // The conversation now holds the comment: show it there.
    if !model.facts.comments.is_pending() {
        effects.extend(ask(model, vec![Read::Comments]));
    }
    effects.extend(answer::await_it(model));
    effects
}
