//! Posting without a screen: the same steps in the same order, with `--yes` as the person's word.
//! Must not know: why a post is blocked (`core::checklist::blocks`).

use super::clock;
use super::headless::{Desk, no_template, read_file, refuse};
use super::out::Out;
use super::store::{self, Access, Opened, Store};
use crate::cli::Order;
use crate::core::checklist::blocks::{blocks, own_signoffs};
use crate::core::checklist::details::Stale;
use crate::core::checklist::{Signoff, earlier};
use crate::core::facts::Facts;
use crate::core::ids::{Key, PullNumber};
use crate::core::pins;
use crate::core::plan;
use crate::core::policy::Policy;
use crate::core::posting::{
    Attempt, Block, LOOK_SECONDS, LOOKS, Prepared, Sent, Target, not_read_again, refused, search, text_digest,
};
use crate::core::review::Review;
use crate::core::session::Draft;
use crate::core::session::history::History;
use crate::core::trouble::Trouble;
use crate::core::verdict::SignoffRef;
use crate::error::{AppError, ErrorKind};
use crate::report::signoff;
use std::time::Duration;

/// `countersign post`: the stored draft, or a file. Prints the address of what stands there then.
pub async fn post(desk: &Desk, number: PullNumber, order: &Order, out: &mut Out) -> Result<(), AppError> {
    if !order.yes {
        return Err(AppError::usage("Posting is final, so it wants your word: add --yes.")
            .hint(format!("countersign render {}#{number} shows the comment.", desk.repo)));
    }
    let given = order.file.as_deref().map(read_file).transpose()?;
    let Some(data) = &desk.data else {
        return Err(AppError::usage("There is no folder for drafts, and an attempt must be written down before it is made.")
            .hint("Name one with COUNTERSIGN_DATA_DIR."));
    };
    let fresh = Draft::new(&desk.host, desk.repo.clone(), number);
    let Opened { mut draft, access, greeting, .. } = store::open(&store::path(data, &desk.host, &desk.repo, number), fresh);
    if let Some(greeting) = greeting {
        out.say(greeting);
    }
    let store = match access {
        Access::Writable(store) => store,
        Access::ReadOnly(why) => {
            return Err(AppError::new(ErrorKind::No, why).hint("Nothing was posted."));
        }
    };
    let mut facts = desk.load(number, |_| true).await;
    refuse(&facts.pull)?;
    if let Some(attempt) = draft.attempt.clone() {
        out.say("An earlier post was cut off: looking for its comment.");
        let why = "The earlier post did not arrive.";
        return look(desk, &mut facts, &store, &mut draft, attempt, why, out).await;
    }
    // What the command line says of the way holds for this post: the stored draft keeps its own.
    let mut directed = draft.clone();
    direct(order, &desk.policy, &facts, &mut directed)?;
    // What was just read may be minutes old on a slow line: what the text rests on is read once more.
    let rests_on = |facts: &Facts, review: &Review| {
        plan::recheck(facts, &desk.policy, &pins::cited_runs(&directed, facts, &review.conclusions), &review.needs)
    };
    let review = Review::draw(&desk.policy, &facts, &directed, given.as_deref());
    let reads = rests_on(&facts, &review);
    desk.settle_for(&mut facts, &directed, given.as_deref(), reads, |_| true).await;
    let review = review.redraw(&desk.policy, &facts, &directed, given.as_deref());
    let signed = signoff::sign(&desk.policy, &facts, &directed).map_err(no_template)?;
    let text = given.as_deref().unwrap_or(&signed.rendered.text);
    let mut reasons = blocks(&desk.policy, &facts, &directed, &signed, text, given.is_none());
    reasons.extend(not_read_again(&facts, &rests_on(&facts, &review)));
    let prepared = Prepared::draw(&desk.policy, &facts, &directed, &signed, &review.conclusions, text.to_owned());
    let (Some(prepared), []) = (prepared, reasons.as_slice()) else {
        return Err(blocked(&reasons));
    };
    warnings(&desk.policy, &facts, &signed, given.is_none()).iter().for_each(|warning| out.say(warning));
    insist(&prepared, &order.despite, out)?;
    if given.is_none() {
        out.say(&prepared.text);
    }
    let attempt = prepared.attempt(clock::now());
    draft.attempt = Some(attempt.clone());
    save(&store, &draft).await?;
    out.say(format!(
        "Posting to {}#{} on {} as {}, for head {}: {}.",
        prepared.repo, prepared.number, prepared.host, prepared.viewer.login, prepared.head, prepared.target
    ));
    match desk.connection.post(&prepared.letter()).await {
        Sent::Posted(posted) => done(&store, &mut draft, &posted.url, out).await,
        Sent::Refused(trouble) => {
            draft.attempt = None;
            save(&store, &draft).await?;
            let (headline, hint) = refused(prepared.target, trouble.clone());
            let trouble = Trouble { headline, hint, ..trouble };
            Err(AppError::from(trouble).hint("Nothing was posted; the draft is kept."))
        }
        Sent::Unclear(trouble) => {
            out.say(format!("{} Looking whether the comment arrived.", trouble.headline));
            look(desk, &mut facts, &store, &mut draft, attempt, &trouble.headline, out).await
        }
    }
}

/// Brings what the command line says of the way into the draft.
fn direct(order: &Order, policy: &Policy, facts: &Facts, draft: &mut Draft) -> Result<(), AppError> {
    if let Some(way) = order.way {
        (draft.way, draft.edits, draft.edits_text) = (way, None, None);
    }
    if order.edit {
        let lists = [&facts.comments, &facts.reviews, &facts.line_comments];
        let whole = lists.iter().all(|list| list.settled().is_some_and(|list| list.value.is_complete()));
        if !whole || facts.viewer.settled().is_none() {
            return Err(AppError::new(
                ErrorKind::Unavailable,
                "Which sign-off is yours could not be read whole, so none is edited.",
            )
            .hint(format!("countersign check {}#{} says what is missing.", facts.repo, facts.number)));
        }
        let ours: Vec<_> = own_signoffs(policy, facts).collect();
        let [one] = ours.as_slice() else {
            return Err(AppError::new(
                ErrorKind::No,
                match ours.is_empty() {
                    true => "No sign-off of yours stands there to be edited.".to_owned(),
                    false => format!(
                        "{} sign-offs of yours stand there, so it is not clear which to edit:\n       {}",
                        ours.len(),
                        ours.iter().map(|comment| comment.url.as_str()).collect::<Vec<_>>().join("\n       ")
                    ),
                },
            )
            .hint("Leave --edit away to post a new one; only one of yours may stand there."));
        };
        draft.edits = Some(SignoffRef { place: one.place, id: one.id });
        draft.edits_text = Some(text_digest(&one.body));
    }
    Ok(())
}

/// What the screen shows beside the text and blocks nothing: sign-offs of others that count for nothing and, where the text is
/// the draft's, paragraphs whose facts moved, pins that are worth a second look, and what the text lacks.
fn warnings(policy: &Policy, facts: &Facts, signed: &Signoff, own: bool) -> Vec<String> {
    let stale = signed.stale.iter().map(Stale::sentence);
    let of_draft = stale.chain(signed.objections.warnings.iter().chain(&signed.gaps).cloned());
    of_draft.filter(|_| own).chain(earlier::idle(policy, facts)).collect()
}

/// What the bot will certainly reject is posted only by somebody who names it.
fn insist(prepared: &Prepared, despite: &[Key], out: &mut Out) -> Result<(), AppError> {
    let fails = |key: &Key| prepared.despite.iter().any(|(fails, _)| fails == key);
    for key in despite.iter().filter(|key| !fails(key)) {
        out.say(format!("--despite {key}: that check is not certain to fail."));
    }
    if prepared.despite.iter().all(|(key, _)| despite.contains(key)) {
        return Ok(());
    }
    let keys: Vec<&str> = prepared.despite.iter().map(|(key, _)| key.as_str()).collect();
    Err(AppError::new(ErrorKind::No, format!("Not posted. The bot will reject this: {}.", prepared.failures()))
        .hint(format!("To post all the same: --despite {}", keys.join(","))))
}

/// Searches GitHub for the attempt's comment, as often and as far apart as `core::posting` says. Only whole
/// lists count: a comment may be among what was not read.
async fn look(
    desk: &Desk,
    facts: &mut Facts,
    store: &Store,
    draft: &mut Draft,
    attempt: Attempt,
    why: &str,
    out: &mut Out,
) -> Result<(), AppError> {
    let mut misses = 0;
    // A conversation that cannot be read is not asked for ever.
    for look in 0..LOOKS * 2 {
        if look > 0 {
            tokio::time::sleep(Duration::from_secs(LOOK_SECONDS)).await;
        }
        desk.settle(facts, vec![attempt.target.read()], |_| false).await;
        let Some(comments) = attempt.target.list(facts).settled().map(|got| &got.value) else { continue };
        let miss = match search(&attempt, &comments.items) {
            Ok(comment) => {
                let url = comment.url.clone();
                return done(store, draft, &url, out).await;
            }
            Err(miss) => miss,
        };
        misses += u8::from(comments.is_complete());
        if misses == LOOKS {
            draft.attempt = None;
            save(store, draft).await?;
            let told = format!("Not posted: {why} {}", miss.sentence(attempt.target));
            return Err(AppError::new(ErrorKind::No, told).hint("The draft is kept: run the same command to try again."));
        }
    }
    Err(AppError::new(ErrorKind::Unavailable, "Whether the comment was posted is not clear: the conversation cannot be read.")
        .hint("Nothing is sent again before it is: run the same command later."))
}

async fn done(store: &Store, draft: &mut Draft, url: &str, out: &mut Out) -> Result<(), AppError> {
    match draft.attempt.take() {
        Some(Attempt { target: Target::Edit(edited), digest, .. }) if draft.edits == Some(edited) => {
            draft.edits_text = Some(digest);
        }
        _ => {}
    }
    draft.posted = Some(url.to_owned());
    out.data(&format!("{url}\n"));
    save(store, draft).await.map_err(|error| error.hint("The comment is posted all the same; only the draft does not say so."))
}

/// On disk for good, or an error.
async fn save(store: &Store, draft: &Draft) -> Result<(), AppError> {
    on_disk(store, draft, None).await
}

/// [`save`], with the draft's earlier states.
pub(super) async fn on_disk(store: &Store, draft: &Draft, history: Option<History>) -> Result<(), AppError> {
    let (told, saved) = tokio::sync::oneshot::channel();
    store.save_with(draft.clone(), history, true, |result| {
        let _ = told.send(result);
    });
    let lost = || Err(Trouble::new(crate::core::trouble::TroubleKind::Refused, "The draft could not be written.", ""));
    Ok(saved.await.unwrap_or_else(|_| lost())?)
}

/// Every reason at once, each with its page.
fn blocked(reasons: &[Block]) -> AppError {
    let lines: Vec<String> = reasons
        .iter()
        .map(|block| match &block.link {
            Some(link) => format!("{} {link}", block.reason),
            None => block.reason.clone(),
        })
        .collect();
    AppError::new(ErrorKind::No, format!("Not posted. {}", lines.join("\n       "))).hint("Nothing was written to GitHub.")
}
