//! `update`: one message in, a changed model and a list of effects out.
//! Must not know: how effects are performed.

mod answer;
pub(super) mod errand;
pub(super) mod filtered;
pub(super) mod joblog;
mod limit;
mod links;
pub mod live;
mod measured;
mod motion;
pub(super) mod parts;
pub(super) mod pins;
mod posting;
mod recall;
mod signoff;
mod sweep;
mod typing;

pub use self::links::link_under_cursor;
use self::links::{follow, follow_check, follow_evidence, go_to_run};
use self::motion::{click, height_of, moved, pane_height, pane_len, scroll, scroll_of, step_file, step_hunk, wheel};
pub use self::recall::painted;
pub use self::signoff::messages;
use self::typing::{paste, type_palette};
use super::action::{ActionId, Scope, scopes};
use super::effect::{Command, Effect, Request, Slot};
use super::geometry::{Layout, layout};
use super::key::{Code, Key};
use super::keymap::Meaning;
use super::model::{DraftState, Field, Model, Overlay, Pane, Reach};
use super::msg::{Msg, Reply};
use super::screens::{Motion, checklist, checks, evals};
use crate::core::checklist::TickState;
use crate::core::checklist::compose::tick_digest;
use crate::core::checklist::details;
use crate::core::configs::{ChangedKeys, Comparison};
use crate::core::plan::{self, Read};
use crate::core::posting::{Posting, Target};
use crate::core::session::{Basis, Tick};
use crate::core::time::Time;

/// What to do first: ask for everything that needs nothing else, and look for a comment whose outcome was unclear.
pub fn start(model: &mut Model, now: Time) -> Vec<Effect> {
    model.opened = now;
    turn_to(model, now);
    if let Some(text) = model.session.greeting.take() {
        model.warn(text);
    }
    // The first change can be undone too.
    model.history.push(now, &model.draft);
    let mut effects = ask_due(model);
    effects.extend(posting::resume(model));
    effects
}

/// Takes one message.
pub fn update(model: &mut Model, now: Time, msg: Msg) -> Vec<Effect> {
    turn_to(model, now);
    // What a timer goes by must not lag behind what came.
    let mut effects = if matches!(msg, Msg::Timer(_)) { follow_up(model) } else { Vec::new() };
    effects.extend(react(model, msg));
    forget_other_question(model);
    if !model.came {
        effects.extend(live::tend(model));
    }
    effects
}

/// What follows from the answers that came: what is due now is asked for, and what waited for them goes on. Called once
/// per batch of messages: hundreds of answers must not cost hundreds of reviews.
pub fn follow_up(model: &mut Model) -> Vec<Effect> {
    if !std::mem::take(&mut model.came) {
        return Vec::new();
    }
    let mut effects = ask_due(model);
    if model.reach == Reach::Live {
        effects.extend(posting::facts_came(model));
        effects.extend(errand::facts_came(model));
        effects.extend(answer::comments_came(model));
        effects.extend(answer::waits_came(model));
    } else if effects.is_empty() {
        effects.extend(recall::all_came(model));
    }
    forget_other_question(model);
    effects.extend(live::tend(model));
    effects
}

/// Asked anew is another question, even where it says the same.
fn forget_other_question(model: &mut Model) {
    if !model.question_was_drawn() {
        model.drawn = None;
    }
}

fn react(model: &mut Model, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::Key(key) => press(model, key),
        Msg::Paste(text) => {
            paste(model, &text);
            Vec::new()
        }
        Msg::Resize(cols, rows) => {
            evals::resize(model, (cols, rows));
            Vec::new()
        }
        Msg::Focus(gained) => live::focus(model, gained),
        Msg::Wheel { column, row, rows } => {
            wheel(model, column, row, rows);
            Vec::new()
        }
        Msg::Click { column, row } => {
            click(model, column, row);
            Vec::new()
        }
        Msg::Reply(ticket, reply) => {
            if model.is_current(&ticket) {
                reply_came(model, &ticket.slot, reply)
            } else {
                Vec::new()
            }
        }
        Msg::Timer(ticket) => match &ticket.slot {
            _ if !model.is_current(&ticket) => Vec::new(),
            Slot::Pause => limit::ticked(model),
            Slot::Answer => answer::ticked(model),
            Slot::Watch => answer::watched(model),
            Slot::Live => live::ticked(model),
            Slot::Parts => parts::ticked(model),
            Slot::ErrandLook => errand::look_again(model),
            _ => posting::look_again(model),
        },
        Msg::Stop => leave(model),
    }
}

/// Time went on. Dated rules judge by the UTC day and count down its hours, so only a new hour makes anything anew.
fn turn_to(model: &mut Model, now: Time) {
    model.now = now;
    if model.facts.turn_to(now, model.session.day) {
        touch(model);
    }
}

/// Brings everything derived in line with facts, draft and size. Called once per batch of messages, before drawing.
/// Returns what that made necessary: highlighting of a newly opened file.
pub fn settle(model: &mut Model) -> Vec<Effect> {
    let mut effects = follow_up(model);
    settle_derived(model);
    effects.extend(signoff::carry(model));
    settle_derived(model);
    let changed = std::mem::take(&mut model.unsynced);
    effects.extend(compare(model));
    effects.extend(joblog::settle(model));
    let Some(areas) = areas(model) else { return effects };
    if changed {
        let open = model.review.conclusions.cited;
        model.sweep.sync(&model.review.conclusions.sweeps, open);
    }
    effects.extend(sweep::settle(model));
    if let Some((path, patch)) = model.diff.sync(&model.facts, changed) {
        let ticket = model.ticket(Slot::Highlight(path.clone()));
        effects.push(Effect::Ask(ticket, Request::Highlight { path, patch }));
    }
    // One column of air on either side.
    let cols = areas.pane.map_or(0, |pane| usize::from(pane.cols).saturating_sub(2));
    model.talk.sync(&model.facts, cols, changed);
    let signoff = model.review.signed();
    let earlier = Target::of(&model.draft).edited(&model.facts).map(|comment| comment.body.as_str());
    model.signoff.sync(signoff, earlier, cols, changed);
    if changed {
        super::screens::signoff::sync_standing(model);
    }
    let notes = super::screens::signoff::notes(model);
    model.signoff.sync_notes(notes, cols);
    let notes = checks::notes(model);
    model.checks.sync_notes(notes, cols);
    effects.extend(measured::sync_points(model));
    effects.extend(measured::sync_results(model));
    for pane in Pane::ALL {
        let (len, height) = (pane_len(model, pane), pane_height(model, &areas, pane));
        if let Some(scroll) = scroll_of(model, pane) {
            scroll.keep_visible(len, height);
        }
    }
    effects
}

/// Makes derived values anew if facts or draft changed: keys need them as fresh as the screen does.
fn settle_derived(model: &mut Model) {
    if std::mem::take(&mut model.dirty) {
        let before = std::mem::take(&mut model.review).of(model.facts_serial);
        model.review = before.redraw_beside(&model.policy, &model.facts, &model.draft);
        model.unsynced = true;
    }
}

/// Has the changed configs compared, once per content: thousands of lines are not for the thread that draws.
fn compare(model: &mut Model) -> Option<Effect> {
    let wanted = model.review.conclusions.uncompared().filter(|from| Some(*from) != model.comparing.as_ref())?.clone();
    model.comparing = Some(wanted);
    let comparison = Comparison::of(&model.policy, &model.facts);
    Some(Effect::Ask(model.ticket(Slot::Compare), Request::Compare(comparison)))
}

/// Configs were compared: rules may want to read more now, and a post may have waited for them.
fn compared(model: &mut Model, keys: ChangedKeys) {
    let Some(from) = model.comparing.take() else { return };
    model.review.conclusions.take(from, keys);
    touch(model);
    model.came = true;
}

fn areas(model: &Model) -> Option<Layout> {
    layout(model.size.0, model.size.1, model.focus)
}

/// Facts changed: what follows from them is out of date.
fn touch(model: &mut Model) {
    model.dirty = true;
    model.facts_serial += 1;
}

/// The draft changed: what follows from it is out of date.
fn touch_draft(model: &mut Model) {
    model.dirty = true;
}

// ---- reads

/// Asks for everything that is due.
fn ask_due(model: &mut Model) -> Vec<Effect> {
    settle_derived(model);
    let mut needs = model.review.needs.clone();
    needs.extend(measured::needs(model));
    let reads = plan::due(&model.facts, &model.policy, &needs);
    ask(model, reads)
}

fn ask(model: &mut Model, mut reads: Vec<Read>) -> Vec<Effect> {
    if let Reach::Recalling { missed } = &model.reach {
        reads.retain(|read| !missed.contains(read));
    }
    if reads.is_empty() {
        return Vec::new();
    }
    plan::start(&mut model.facts, &reads);
    touch(model);
    let request = if model.reach == Reach::Live { Request::Read } else { Request::Recall };
    reads.into_iter().map(|read| Effect::Ask(model.ticket(Slot::Read(read.clone())), request(read))).collect()
}

fn reply_came(model: &mut Model, slot: &Slot, reply: Reply) -> Vec<Effect> {
    match reply {
        Reply::Read(reply) if model.reach != Reach::Live => {
            recall::found(model, reply);
            Vec::new()
        }
        Reply::Read(reply) if live::holds_back(model, &reply) => Vec::new(),
        Reply::Read(reply) => {
            // Nothing becomes due by some of a run's jobs, and nothing can be judged.
            let is_part = !reply.last && reply.answer.is_ok() && matches!(reply.read, Read::Jobs(_));
            let mut effects = limit::answered(model, &reply);
            plan::absorb(&mut model.facts, reply);
            if is_part {
                effects.extend(parts::came(model));
            } else {
                touch(model);
                model.came = true;
            }
            effects
        }
        Reply::Compared(keys) => {
            compared(model, *keys);
            Vec::new()
        }
        Reply::Drawn(sheet) => {
            model.results.take(*sheet);
            Vec::new()
        }
        Reply::Referred { name, rows } => {
            measured::referred(model, name, rows);
            Vec::new()
        }
        Reply::Highlighted { path, from, spans } => {
            model.diff.highlighted(&path, from, spans);
            Vec::new()
        }
        Reply::Saved(saved) => posting::saved(model, saved),
        Reply::Sent(sent) => posting::sent(model, sent),
        Reply::Carried(outcome) => errand::carried(model, outcome),
        Reply::Edited(Ok(Some(text))) => {
            let kept = Some(text).filter(|text| !text.trim().is_empty());
            model.tell(match &kept {
                Some(_) => "Your detail text is kept; D drafts it from evidence again.",
                None => "An empty detail text: it is drafted from evidence.",
            });
            // What was left as it stood in the editor goes on being drafted, or goes on resting on what it was edited from.
            let today = std::mem::take(&mut model.edited_from);
            let old = model.draft.detail.as_deref().unwrap_or_default();
            model.draft.drafted =
                kept.as_ref().map(|new| details::rebased(old, &model.draft.drafted, new, today)).unwrap_or_default();
            model.draft.detail = kept;
            save(model, false)
        }
        Reply::Edited(Ok(None)) => {
            model.tell("The details were not changed.");
            Vec::new()
        }
        Reply::Edited(Err(trouble)) | Reply::Done(Err(trouble)) => {
            model.warn(trouble.sentence());
            Vec::new()
        }
        Reply::Done(Ok(text)) => {
            model.tell(text);
            Vec::new()
        }
        Reply::Log(tail) => {
            if let Overlay::Log { tail: shown, .. } = &mut model.overlay {
                *shown = Some(tail);
            }
            Vec::new()
        }
        Reply::JobLog(piece) => {
            joblog::came(model, slot, piece);
            Vec::new()
        }
        Reply::Reason(job, read) => {
            sweep::told(model, job, read);
            Vec::new()
        }
        Reply::Budget { remaining, limit } => {
            model.budget = Some((remaining, limit));
            Vec::new()
        }
    }
}

// ---- the draft

/// Has the draft written, with its history; `sync`: on disk for good. One that another window holds is not written.
fn save(model: &mut Model, sync: bool) -> Vec<Effect> {
    touch_draft(model);
    if let DraftState::ReadOnly(why) = &model.draft_state {
        let why = why.clone();
        model.warn(why);
        return Vec::new();
    }
    model.draft_state = DraftState::Saving;
    model.unflushed = !sync;
    model.history.push(model.now, &model.draft);
    let (draft, history) = (Box::new(model.draft.clone()), Box::new(model.history.clone()));
    vec![Effect::Do(model.ticket(Slot::Draft), Command::Save { draft, history, sync })]
}

fn tick(model: &mut Model) -> Vec<Effect> {
    let Some(item) = checklist::current(model) else { return Vec::new() };
    let (key, text, state) = (item.key.clone(), tick_digest(item), item.tick);
    let Some(head) = model.facts.head().cloned() else { return Vec::new() };
    let at = model.now;
    match state {
        TickState::Ticked => {
            model.draft.ticks.remove(&key);
        }
        TickState::Open | TickState::Stale => {
            model.draft.ticks.insert(key, Tick { head, text, at });
        }
    }
    signoff::adopt_template(model);
    // A tick speaks of what is on screen now: the basis follows it.
    if let (Some(head), Some(signoff)) = (model.facts.head().cloned(), model.signed()) {
        model.draft.basis = Some(Basis { head, template: signoff.template.blob.clone() });
    }
    if matches!(model.posting, Posting::Blocked(_) | Posting::NotPosted { .. }) {
        model.posting = Posting::Draft;
    }
    if state != TickState::Ticked {
        scroll(model, Pane::Checklist, Motion::Rows(1));
    }
    save(model, false)
}

// ---- keys

fn press(model: &mut Model, key: Key) -> Vec<Effect> {
    settle_derived(model);
    model.notice = None;
    match &model.overlay {
        Overlay::Typing { .. } => return typing::type_line(model, key),
        Overlay::Palette { .. } => return type_palette(model, key),
        Overlay::Messages { .. } => return signoff::choose_message(model, key),
        Overlay::Help { .. } | Overlay::Log { .. } | Overlay::JobLog | Overlay::None => {}
    }
    if let Some(effects) = errand::choose(model, key) {
        return effects;
    }
    let scopes = scopes(model);
    if model.pending.clone().take_digit(key, &scopes, &model.keymap) {
        let keymap = model.keymap.clone();
        model.pending.take_digit(key, &scopes, &keymap);
        return Vec::new();
    }
    model.pending.keys.push(key);
    // What an errand does may be longer than its box: it scrolls like any page.
    let reads = if scopes[0] == Scope::Errand { [Scope::Errand, Scope::Everywhere] } else { scopes };
    let meant = match model.keymap.meaning(&reads, &model.pending.keys) {
        Meaning::Action(action) if !scopes.contains(&action.scope) && !is_motion(action.id) => Meaning::Nothing,
        meant => meant,
    };
    match meant {
        Meaning::More => Vec::new(),
        Meaning::Nothing => {
            let typed: Vec<String> = model.pending.keys.iter().map(Key::to_string).collect();
            model.pending.clear();
            // Esc on its own only ever closes things: silence is its answer when nothing is open.
            if key != Key::plain(Code::Esc) {
                model.tell(format!("{} does nothing here: ? lists the keys.", typed.join(" ")));
            }
            Vec::new()
        }
        Meaning::Action(action) => {
            let count = model.pending.count;
            model.pending.clear();
            run(model, action.id, count)
        }
    }
}

/// Whether it moves in a page or a list.
fn is_motion(id: ActionId) -> bool {
    use ActionId as Id;
    let paged = matches!(id, Id::HalfPageDown | Id::HalfPageUp | Id::PageDown | Id::PageUp);
    paged || matches!(id, Id::Down | Id::Up | Id::Top | Id::Bottom)
}

/// Runs an action if it is available, else says why not.
pub(super) fn run(model: &mut Model, id: ActionId, count: Option<u32>) -> Vec<Effect> {
    if let Err(why) = (super::action::action(id).available)(model) {
        model.warn(why);
        return Vec::new();
    }
    let answers = matches!(id, ActionId::ConfirmPost | ActionId::ConfirmDespite | ActionId::ConfirmErrand);
    if answers && !model.question_was_drawn() {
        model.warn(match model.is_asking() {
            true => "The question was not on screen yet: read it, then say it again.",
            false => "Nothing is asked that this would answer.",
        });
        return Vec::new();
    }
    let times = i64::from(count.unwrap_or(1));
    match id {
        ActionId::Down => moved(model, Motion::Rows(times)),
        ActionId::Up => moved(model, Motion::Rows(-times)),
        ActionId::HalfPageDown => moved(model, Motion::HalfPages(times)),
        ActionId::HalfPageUp => moved(model, Motion::HalfPages(-times)),
        ActionId::PageDown => moved(model, Motion::HalfPages(2 * times)),
        ActionId::PageUp => moved(model, Motion::HalfPages(-2 * times)),
        ActionId::Top => moved(model, Motion::Top),
        ActionId::Bottom => match count {
            Some(row) => moved(model, Motion::To(row.saturating_sub(1) as usize)),
            None => moved(model, Motion::Bottom),
        },
        ActionId::NextPane => turn(model, 1),
        ActionId::PreviousPane => turn(model, Pane::ALL.len() - 1),
        ActionId::GoChecklist => go(model, Pane::Checklist),
        ActionId::GoDiff => go(model, Pane::Diff),
        ActionId::GoSweep => go(model, Pane::Sweep),
        ActionId::GoEvals => go(model, Pane::Evals),
        ActionId::GoTalk => go(model, Pane::Talk),
        ActionId::GoSignoff | ActionId::Preview => go(model, Pane::Signoff),
        ActionId::GoChecks => go(model, Pane::Checks),
        ActionId::GoPoints => go(model, Pane::Points),
        ActionId::GoResults => go(model, Pane::Results),
        ActionId::Post => {
            if model.focus != Pane::Signoff {
                go(model, Pane::Signoff);
                model.tell("This is the comment. Read it, then p again posts it.");
                return Vec::new();
            }
            return posting::recheck(model);
        }
        ActionId::Way => return posting::next_way(model),
        ActionId::ConfirmPost => return posting::confirm(model),
        ActionId::ConfirmDespite => return posting::confirm_despite(model),
        ActionId::CancelPost => {
            model.posting = Posting::Draft;
            model.tell("Nothing was posted.");
        }
        ActionId::RerunFailed
        | ActionId::RerunJob
        | ActionId::CancelRun
        | ActionId::PinRun
        | ActionId::SweepLabel
        | ActionId::VerifyAgain => errand::begin(model, id),
        ActionId::ConfirmErrand => return errand::confirm(model),
        ActionId::CancelErrand => errand::cancel(model),
        ActionId::EditDetail => {
            let Some(signoff) = model.signed() else { return Vec::new() };
            let (detail, from) = (signoff.detail.trim_end().to_owned(), details::basis(&signoff.drafted));
            model.edited_from = from;
            // Editors and tools expect a text file to end with a line end.
            let text = format!("{detail}\n");
            return vec![Effect::Do(model.ticket(Slot::Editor), Command::Edit { text })];
        }
        ActionId::ResetDetail => {
            model.draft.detail = None;
            model.draft.drafted.clear();
            model.tell("The details are drafted from evidence again.");
            return save(model, false);
        }
        ActionId::Refresh => {
            // While answers are on their way, those that hang or failed are asked for again: the newer asking ends the older.
            let again = if model.is_loading() { plan::hurry } else { plan::refresh };
            model.sweep.ask_again();
            let reads = again(&model.facts, &model.policy, &model.review.needs);
            return ask(model, reads);
        }
        ActionId::OpenBrowser => {
            if let Some(url) = link_under_cursor(model) {
                return vec![Effect::Do(model.ticket(Slot::Hand), Command::Open { url })];
            }
        }
        ActionId::CopyLink => {
            let text = match (model.focus, model.signed()) {
                (Pane::Signoff, Some(signoff)) => Some(signoff.rendered.text.clone()),
                _ => link_under_cursor(model),
            };
            if let Some(text) = text {
                return vec![Effect::Do(model.ticket(Slot::Hand), Command::Copy { text })];
            }
        }
        ActionId::Help => match model.overlay {
            Overlay::Help { .. } => model.uncover(),
            _ => model.overlay = Overlay::Help { top: 0 },
        },
        ActionId::Log => {
            model.overlay = Overlay::Log { tail: None, top: usize::MAX };
            return vec![Effect::Ask(model.ticket(Slot::Log), Request::Log)];
        }
        ActionId::Palette => model.overlay = Overlay::Palette { text: String::new(), cursor: 0 },
        ActionId::Back => {
            back(model);
        }
        ActionId::Suspend => return vec![Effect::Do(model.ticket(Slot::Hand), Command::Suspend)],
        ActionId::Quit => {
            if !back(model) {
                return leave_saved(model);
            }
        }
        ActionId::QuitNow => return leave(model),
        ActionId::Tick => return tick(model),
        ActionId::Follow => follow(model),
        ActionId::WhyNot => signoff::write(model, signoff::Slip::Reason),
        ActionId::LinkItem => signoff::write(model, signoff::Slip::Behind),
        ActionId::FollowFact => return signoff::follow_fact(model),
        ActionId::TakeOver => return signoff::take_over(model),
        ActionId::Undo => return signoff::step(model, false),
        ActionId::Redo => return signoff::step(model, true),
        ActionId::PinEvidence => return pins::pin(model),
        ActionId::Messages => model.overlay = Overlay::Messages { cursor: 0 },
        ActionId::TurnPreview => {
            model.signoff.turn(model.draft.edits.is_some());
            model.unsynced = true;
        }
        ActionId::FollowCheck => return follow_check(model),
        ActionId::GoItem => match checks::item(model) {
            Some(at) => {
                model.trail.push(Pane::Checks);
                show(model, Pane::Checklist);
                scroll(model, Pane::Checklist, Motion::To(at));
            }
            None => model.tell("No item of the checklist is answered by this check."),
        },
        ActionId::FollowPoint | ActionId::FollowResult => measured::follow(model),
        ActionId::NextCurve => measured::turn_curve(model, times),
        ActionId::PreviousCurve => measured::turn_curve(model, -times),
        ActionId::NextView => measured::turn_view(model),
        ActionId::NextReference => measured::next_reference(model),
        ActionId::Export => return measured::export(model),
        ActionId::NextEvidence | ActionId::PreviousEvidence => {
            let len = checks::current(model).and_then(|pair| pair.finding).map_or(0, |finding| finding.evidence.len());
            model.checks.choose(len, if id == ActionId::NextEvidence { times } else { -times });
        }
        ActionId::NextCheck => match checks::next_open(model) {
            Some(at) => scroll(model, Pane::Checks, Motion::To(at)),
            None => model.tell("Every check is green or does not apply."),
        },
        ActionId::NextNeedsMe => match checklist::next_open(model) {
            Some(at) => scroll(model, Pane::Checklist, Motion::To(at)),
            None => model.tell("Every item is ticked."),
        },
        ActionId::NextHunk => (0..times).for_each(|_| step_hunk(model, true)),
        ActionId::PreviousHunk => (0..times).for_each(|_| step_hunk(model, false)),
        ActionId::NextFile => step_file(model, times),
        ActionId::PreviousFile => step_file(model, -times),
        ActionId::Left => model.diff.left = model.diff.left.saturating_sub(8),
        ActionId::Right => model.diff.left = (model.diff.left + 8).min(4096),
        ActionId::Search => typing::open(model, Field::Search, String::new()),
        ActionId::Filter => filtered::open(model),
        ActionId::AskReference => typing::open(model, Field::Reference, String::new()),
        ActionId::SearchNext | ActionId::SearchPrevious => {
            let height = height_of(model, Pane::Diff);
            if !model.diff.step_search(id == ActionId::SearchNext, height) {
                model.tell("Nothing in this file matches.");
            }
        }
        ActionId::JobLog => {
            if let Some((run, job)) = errand::execution_here(model) {
                return joblog::open(model, run, job);
            }
        }
        ActionId::JobLogFold
        | ActionId::JobLogFoldAll
        | ActionId::JobLogTimes
        | ActionId::JobLogLeft
        | ActionId::JobLogRight
        | ActionId::JobLogNextError
        | ActionId::JobLogErrorBack
        | ActionId::JobLogSearch
        | ActionId::JobLogNextMatch
        | ActionId::JobLogMatchBack
        | ActionId::JobLogLater
        | ActionId::JobLogEarlier
        | ActionId::JobLogCopy
        | ActionId::JobLogSave
        | ActionId::JobLogAgain => return joblog::act(model, id, times),
        ActionId::Fold
        | ActionId::NextSweepMode
        | ActionId::SortJobs
        | ActionId::NextRowAxis
        | ActionId::NextColumnAxis
        | ActionId::CellLeft
        | ActionId::CellRight => sweep::act(model, id, times),
    }
    Vec::new()
}

fn leave(model: &mut Model) -> Vec<Effect> {
    let mut effects = last_save(model);
    effects.push(Effect::Quit);
    effects
}

/// Leaves once the draft is on disk: a draft that cannot be written would be lost, so then the program stays.
fn leave_saved(model: &mut Model) -> Vec<Effect> {
    let effects = last_save(model);
    if effects.is_empty() {
        return vec![Effect::Quit];
    }
    model.leaving = true;
    effects
}

/// On disk for good before the program ends, also where the last write failed.
fn last_save(model: &mut Model) -> Vec<Effect> {
    let is_due = model.unflushed || matches!(model.draft_state, DraftState::Failed(_));
    if is_due { save(model, true) } else { Vec::new() }
}

/// Closes the topmost thing; `false` when there is nothing left to close.
fn back(model: &mut Model) -> bool {
    if model.overlay != Overlay::None {
        model.uncover();
    } else if model.focus == Pane::Diff && model.diff.search.is_some() {
        model.diff.search = None;
    } else if sweep::close_cell(model) {
    } else if filtered::clear(model) {
        model.tell("Everything is listed again.");
    } else if let Some(pane) = model.trail.pop() {
        show(model, pane);
    } else if model.focus != Pane::Checklist {
        show(model, Pane::Checklist);
    } else {
        return false;
    }
    true
}

fn show(model: &mut Model, pane: Pane) {
    model.focus = pane;
    if pane != Pane::Checklist {
        model.beside = pane;
    }
}

fn go(model: &mut Model, pane: Pane) {
    model.overlay = Overlay::None;
    model.trail.clear();
    show(model, pane);
}

fn turn(model: &mut Model, by: usize) {
    let at = Pane::ALL.iter().position(|&pane| pane == model.focus).unwrap_or(0);
    go(model, Pane::ALL[(at + by) % Pane::ALL.len()]);
}
