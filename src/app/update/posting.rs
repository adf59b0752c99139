//! Posting in the app: drives [`Posting`] with keys and replies.
//! Must not know: the wire, or why a post is blocked (`core::checklist::blocks`).

use super::{answer, ask, limit, save, touch_draft};
use crate::app::effect::{Command, Effect, Slot};
use crate::app::model::{DraftState, Model, Pane, Reach};
use crate::core::checklist::blocks::blocks;
use crate::core::pins;
use crate::core::plan::{self, Read};
use crate::core::posting::{Block, LOOK_SECONDS, LOOKS, Posting, Prepared, Sent, Target, not_read_again, refused, search};
use crate::core::session::{Basis, Way};
use crate::core::trouble::Trouble;
use std::time::Duration;

/// After a start: a draft that records an attempt reopens in the search for its comment. One that another window holds is
/// that window's to send and to look for.
pub(super) fn resume(model: &mut Model) -> Vec<Effect> {
    let held = matches!(model.draft_state, DraftState::ReadOnly(_));
    let Some(attempt) = model.draft.attempt.clone().filter(|_| !held) else {
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
    let reads = rests_on(model);
    ask(model, reads)
}

/// What the text rests on.
fn rests_on(model: &Model) -> Vec<Read> {
    let cited = pins::cited_runs(&model.draft, &model.facts, &model.review.conclusions);
    plan::recheck(&model.facts, &model.policy, &cited, &model.review.needs)
}

/// Facts came, or what was compared of them: goes on when everything that was asked for is here.
pub(super) fn facts_came(model: &mut Model) -> Vec<Effect> {
    let (text, prepared) = match &model.posting {
        Posting::Searching { .. } => return looked(model),
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
    // Looked at twice, with the person's word in between.
    match (&model.posting, prepared) {
        (Posting::Confirming(now), Some(then)) if now.is_as(&then) => record(model),
        (Posting::Confirming(_), Some(_)) => {
            model.warn("Something changed meanwhile: read once more what is asked, then say it again.");
            Vec::new()
        }
        _ => Vec::new(),
    }
}

fn judge_recheck(model: &Model, text: String) -> Posting {
    let Some(signoff) = model.signed() else {
        return Posting::Blocked(vec![Block::new("The template could not be read again. Press r, then try once more.")]);
    };
    let mut reasons = blocks(&model.policy, &model.facts, &model.draft, signoff, &text, true);
    reasons.extend(not_read_again(&model.facts, &rests_on(model)));
    if reasons.is_empty() && signoff.rendered.text != text {
        reasons.push(Block::new("What the text says changed while it was read again: read the new text, then press p again."));
    }
    let conclusions = &model.review.conclusions;
    let prepared = Prepared::draw(&model.policy, &model.facts, &model.draft, signoff, conclusions, text);
    match prepared.filter(|_| reasons.is_empty()) {
        Some(prepared) => Posting::Confirming(prepared),
        None => Posting::Blocked(reasons),
    }
}

/// How the sign-off goes out: the next way. An edit of what is gone becomes a new comment.
pub(super) fn next_way(model: &mut Model) -> Vec<Effect> {
    model.draft.way = match (model.draft.edits.take(), model.draft.way) {
        (Some(_), _) | (None, Way::Approve) => Way::Comment,
        (None, Way::Comment) => Way::Review,
        (None, Way::Review) => Way::Approve,
    };
    model.draft.edits_text = None;
    if matches!(model.posting, Posting::Blocked(_) | Posting::NotPosted { .. }) {
        model.posting = Posting::Draft;
    }
    model.tell(format!("The sign-off goes out as {}.", Target::of(&model.draft)));
    save(model, false)
}

/// The person's word: one more look, since the question may have stood for an hour. What the bot will certainly reject
/// takes a second word.
pub(super) fn confirm(model: &mut Model) -> Vec<Effect> {
    let Posting::Confirming(prepared) = &model.posting else { return Vec::new() };
    if !prepared.despite.is_empty() {
        model.posting = Posting::Warned(prepared.clone());
        return Vec::new();
    }
    verify(model)
}

/// The word that is given in spite of what fails.
pub(super) fn confirm_despite(model: &mut Model) -> Vec<Effect> {
    match model.posting {
        Posting::Warned(_) => verify(model),
        _ => Vec::new(),
    }
}

fn verify(model: &mut Model) -> Vec<Effect> {
    let Some(prepared) = model.posting.question() else { return Vec::new() };
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
            let letter = prepared.letter();
            model.posting = Posting::Sending(attempt.clone());
            vec![Effect::Do(model.ticket(Slot::Post), Command::Post(letter))]
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
            let (why, hint) = refused(attempt.target, trouble);
            let hint = match effects.is_empty() {
                true => hint,
                false => "The draft is kept; p then reads everything again and asks you once more.".to_owned(),
            };
            model.posting = Posting::NotPosted { why, hint };
            effects.extend(save(model, false));
            effects
        }
        Sent::Unclear(trouble) => {
            let read = attempt.target.read();
            model.posting = Posting::Searching { attempt, looks: 0, why: trouble.headline };
            ask(model, vec![read])
        }
    }
}

/// Something was read while searching.
fn looked(model: &mut Model) -> Vec<Effect> {
    let Posting::Searching { attempt, looks, why } = &model.posting else { return Vec::new() };
    let list = attempt.target.list(&model.facts);
    if list.is_pending() || list.value().is_none() && list.trouble().is_none() {
        return Vec::new();
    }
    let whole = list.settled().filter(|list| list.value.is_complete());
    let items = list.value().map(|list| list.items.as_slice()).unwrap_or_default();
    let miss = match search(attempt, items) {
        Ok(comment) => {
            let url = comment.url.clone();
            return done(model, url);
        }
        Err(miss) => miss,
    };
    // Each answer to a look counts once: other facts may come in between.
    let read_at = list.known().map(|got| got.source.read_at);
    if whole.is_some() && read_at == model.last_look {
        return Vec::new();
    }
    // Only a whole list can say that the comment is not there.
    let looks = if whole.is_some() { looks + 1 } else { *looks };
    let (attempt, why) = (attempt.clone(), why.clone());
    model.last_look = read_at;
    if looks >= LOOKS {
        model.draft.attempt = None;
        model.posting =
            Posting::NotPosted { why: format!("{why} {}", miss.sentence(attempt.target)), hint: miss.hint().to_owned() };
        return save(model, false);
    }
    model.posting = Posting::Searching { attempt, looks, why };
    vec![Effect::After(model.ticket(Slot::Look), Duration::from_secs(LOOK_SECONDS))]
}

/// The pause between two looks is over.
pub(super) fn look_again(model: &mut Model) -> Vec<Effect> {
    match &model.posting {
        Posting::Searching { attempt, .. } => {
            let read = attempt.target.read();
            ask(model, vec![read])
        }
        _ => Vec::new(),
    }
}

fn done(model: &mut Model, url: String) -> Vec<Effect> {
    let attempt = model.draft.attempt.take();
    let target = attempt.as_ref().map_or_else(Target::default, |attempt| attempt.target);
    if let (Target::Edit(_), Some(attempt)) = (target, attempt) {
        model.draft.edits_text = Some(attempt.digest);
    }
    model.draft.posted = Some(url.clone());
    model.posting = Posting::Posted { url };
    touch_draft(model);
    let mut effects = save(model, true);
    // GitHub now holds the sign-off: show it where it stands.
    if !target.list(&model.facts).is_pending() {
        effects.extend(ask(model, vec![target.read()]));
    }
    effects.extend(answer::await_it(model));
    effects
}
