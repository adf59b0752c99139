//! The sign-off in the making: what stands behind items, why some are not ticked, what its text rests on.
//! Must not know: how the comment is composed, or posted.

use super::{follow_evidence, leave, save, show, typing};
use crate::app::effect::{Command, Effect, Slot};
use crate::app::key::{Code, Key as KeyPress};
use crate::app::model::{DraftState, Field, Model, Overlay, Pane};
use crate::app::screens::checklist;
use crate::core::checklist::compose::tick_digest;
use crate::core::checklist::{Item, earlier, messages, versions};
use crate::core::ids::Key;
use crate::core::policy::Context;
use crate::core::posting::{Posting, text_digest};
use crate::core::session::{Basis, Tick};
use crate::core::verdict::SignoffRef;
use crate::core::verdict::beside::own_signoff;
use std::collections::BTreeMap;

/// What a person writes to an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slip {
    /// Why it is not ticked.
    Reason,
    /// Behind its words.
    Behind,
}

/// Opens the field for the item under the cursor, with what was written before.
pub(super) fn write(model: &mut Model, slip: Slip) {
    let Some(key) = checklist::current(model).map(|item| item.key.clone()) else { return };
    let (field, kept) = match slip {
        Slip::Reason => (Field::Reason(key.clone()), model.draft.reasons.get(&key)),
        Slip::Behind => (Field::Behind(key.clone()), model.draft.behind.get(&key)),
    };
    // What is offered is accepted by Enter, like anything else that stands in the field.
    let offered = || match slip {
        Slip::Behind => checklist::suggestions(model).into_iter().next().map(|offered| offered.url),
        Slip::Reason => None,
    };
    let kept = kept.cloned().or_else(offered).unwrap_or_default();
    typing::open(model, field, kept);
}

/// Keeps what was written; nothing written takes it away.
pub(super) fn give(model: &mut Model, key: Key, text: &str, slip: Slip) -> Vec<Effect> {
    let text = Some(text.trim()).filter(|text| !text.is_empty()).map(str::to_owned);
    if slip == Slip::Reason {
        let item = model.signed().and_then(|signoff| signoff.items.iter().find(|item| item.key == key));
        let given = text.as_ref().and(item).map(tick_digest).zip(model.facts.head().cloned());
        let given = given.map(|(text, head)| Tick { head, text, at: model.now });
        keep(&mut model.draft.reasons_at, &key, given);
    }
    match slip {
        Slip::Reason => keep(&mut model.draft.reasons, &key, text),
        Slip::Behind => keep(&mut model.draft.behind, &key, text),
    }
    save(model, false)
}

/// Keeps a value, or takes away what is kept.
fn keep<T>(map: &mut BTreeMap<Key, T>, key: &Key, value: Option<T>) {
    match value {
        Some(value) => map.insert(key.clone(), value),
        None => map.remove(key),
    };
}

/// From a fact of the text to what it was read from.
pub(super) fn follow_fact(model: &mut Model) -> Vec<Effect> {
    let found = model.signed().and_then(|signoff| model.signoff.evidence(signoff).first().map(|found| (*found).clone()));
    match found {
        Some(evidence) => follow_evidence(model, Pane::Signoff, &evidence),
        None => {
            model.tell("Nothing in this row rests on evidence.");
            Vec::new()
        }
    }
}

/// Takes the newest sign-off of ours over into the draft: it is then edited where it stands.
pub(super) fn take_over(model: &mut Model) -> Vec<Effect> {
    let own = own_signoff(&model.policy, &model.facts).cloned();
    let (Some(own), Some(signoff), Some(head)) = (own, model.signed(), model.facts.head().cloned()) else { return Vec::new() };
    let template = signoff.template.clone();
    let earlier = earlier::read(&own.body, &template, &model.policy);
    // What was ticked for another head is ticked again by whoever signs, not for them.
    let same_head = own.body.contains(head.as_str());
    let mut said = earlier::into_draft(&earlier, &template, &head, model.now, same_head, &mut model.draft);
    said.extend(versions::sentence("Your copy", &own.body, &template, &model.policy, model.facts.day));
    said.insert(
        0,
        "Your earlier sign-off was taken over, to be edited in place: m shows it beside what is posted, u takes its text back, W \
         posts a new one."
            .to_owned(),
    );
    model.signoff.taken = said;
    model.draft.edits = Some(SignoffRef { place: own.place, id: own.id });
    model.draft.edits_text = Some(text_digest(&own.body));
    model.draft.basis = Some(Basis { head, template: template.blob });
    if !model.posting.is_locked() {
        model.posting = Posting::Draft;
    }
    show(model, Pane::Signoff);
    save(model, true)
}

/// One state of the draft back, or forth.
pub(super) fn step(model: &mut Model, forth: bool) -> Vec<Effect> {
    let (now, today) = (model.now, model.draft.clone());
    let found = if forth { model.history.redo(&today) } else { model.history.undo(now, &today) };
    let Some(draft) = found.cloned() else {
        model.tell(if forth { "Nothing was undone." } else { "There is no earlier state of the draft." });
        return Vec::new();
    };
    model.draft = draft;
    model.signoff.taken.clear();
    let (states, at) = model.history.states();
    let told = format!("The draft's text as it was: state {} of {}.", at + 1, states.len());
    model.tell(told);
    save(model, false)
}

/// Once every item that changed has an answer, the boxes stand for today's template.
pub(super) fn adopt_template(model: &mut Model) {
    let Some(signoff) = model.signed() else { return };
    let head = model.facts.head();
    let draft = &model.draft;
    let answered = |key: &Key, digest: &str| {
        let mut given = draft.ticks.get(key).into_iter().chain(draft.reasons_at.get(key));
        given.any(|answer| answer.is_fresh(head, digest))
    };
    let open = |item: &Item| signoff.change_of(&item.key).is_some() && !answered(&item.key, &item.digest);
    if !signoff.template.items.iter().any(open) {
        model.draft.template = Some(signoff.template.text.clone());
    }
}

/// Takes what was written to items along to the keys that they have in today's template.
pub(super) fn carry(model: &mut Model) -> Vec<Effect> {
    let Some(migration) = model.signed().and_then(|signoff| signoff.migration.clone()) else { return Vec::new() };
    if matches!(model.draft_state, DraftState::ReadOnly(_)) {
        return Vec::new();
    }
    let before = model.draft.clone();
    migration.carry(&mut model.draft);
    if model.draft == before { Vec::new() } else { save(model, false) }
}

/// The messages that can be made of what is known, each with whom it is for.
pub fn messages(model: &Model) -> Vec<(&'static str, String)> {
    let (policy, facts, findings) = (&model.policy, &model.facts, &model.review.findings);
    let spoken = model.review.spoken.as_ref();
    let signed = model.signed();
    let context = Context::new(
        policy,
        facts,
        &model.review.conclusions,
        signed.map(|signoff| &signoff.template),
        signed.map(|signoff| signoff.rendered.text.as_str()),
        false,
    );
    let all = [
        ("To the author: what is missing, and how to mend it", messages::to_author(policy, facts, findings, spoken)),
        (
            "To the other signer: edit or delete the sign-off",
            earlier::of_others(policy, facts).first().and_then(|foreign| messages::to_signer(policy, facts, foreign)),
        ),
        ("To who merges: please merge", messages::to_merger(&context, findings, spoken)),
        ("To who may start the bot: please read it again", messages::to_dispatcher(policy, facts)),
    ];
    all.into_iter().filter_map(|(whom, text)| Some((whom, text?))).collect()
}

pub(super) fn choose_message(model: &mut Model, key: KeyPress) -> Vec<Effect> {
    let Overlay::Messages { cursor } = model.overlay else { return Vec::new() };
    let all = messages(model);
    let last = all.len().saturating_sub(1);
    match key.code {
        Code::Char('c') if key.ctrl => return leave(model),
        Code::Down | Code::Char('j') => model.overlay = Overlay::Messages { cursor: (cursor + 1).min(last) },
        Code::Up | Code::Char('k') => model.overlay = Overlay::Messages { cursor: cursor.saturating_sub(1) },
        Code::Esc | Code::Char('q') => model.uncover(),
        Code::Enter | Code::Char('y') => {
            model.uncover();
            if let Some((_, text)) = all.into_iter().nth(cursor) {
                return vec![Effect::Do(model.ticket(Slot::Hand), Command::Copy { text })];
            }
        }
        _ => {}
    }
    Vec::new()
}

/// Puts the next of the person's phrases that can be filled into the field for a reason, behind what was typed.
pub(super) fn next_snippet(model: &mut Model) {
    let Overlay::Typing { field: Field::Reason(_), text, wrong } = &mut model.overlay else { return };
    let (facts, conclusions, trigger) = (&model.facts, &model.review.conclusions, &model.policy.signoff.trigger);
    let all = model.snippets.iter().map(|snippet| snippet.fill(facts, conclusions, trigger));
    let (filled, holes): (Vec<_>, Vec<_>) = all.partition(Result::is_ok);
    let filled: Vec<String> = filled.into_iter().flatten().collect();
    // The phrase that stands at the end gives way to the next; what was typed before it stays.
    let at = filled.iter().position(|phrase| text.ends_with(phrase.as_str()));
    let Some(next) = filled.get(at.map_or(0, |at| (at + 1) % filled.len())) else {
        let none = "There are no phrases yet: [snippets] in the settings holds them.";
        *wrong = Some(holes.into_iter().find_map(Result::err).unwrap_or_else(|| none.to_owned()));
        return;
    };
    let typed = at.and_then(|at| text.strip_suffix(filled.get(at)?.as_str())).unwrap_or(text).trim_end();
    let space = if typed.is_empty() { "" } else { " " };
    (*text, *wrong) = (format!("{typed}{space}{next}"), None);
}
