//! Posting without a screen: the same steps in the same order, with `--yes` as the person's word.
//! Must not know: why a post is blocked (`core::checklist::blocks`).

use super::clock;
use super::headless::{Desk, no_template, read_file, refuse};
use super::out::Out;
use super::store::{self, Access, Opened, Store};
use crate::core::checklist::blocks::blocks;
use crate::core::conclusions::Conclusions;
use crate::core::facts::Facts;
use crate::core::ids::PullNumber;
use crate::core::plan::{self, Read};
use crate::core::posting::{Attempt, Block, LOOK_SECONDS, LOOKS, Prepared, Sent, newest_comment, search};
use crate::core::session::Draft;
use crate::core::trouble::Trouble;
use crate::error::{AppError, ErrorKind};
use crate::report::signoff;
use std::path::Path;
use std::time::Duration;

/// `countersign post`: the stored draft, or `file`. Prints the comment's address.
pub async fn post(desk: &Desk, number: PullNumber, file: Option<&Path>, yes: bool, out: &mut Out) -> Result<(), AppError> {
    if !yes {
        return Err(AppError::usage("Posting is final, so it wants your word: add --yes.")
            .hint(format!("countersign render {}#{number} shows the comment.", desk.repo)));
    }
    let given = file.map(read_file).transpose()?;
    let Some(data) = &desk.data else {
        return Err(AppError::usage("There is no folder for drafts, and an attempt must be written down before it is made.")
            .hint("Name one with COUNTERSIGN_DATA_DIR."));
    };
    let fresh = Draft::new(&desk.host, desk.repo.clone(), number);
    let Opened { mut draft, access, greeting } = store::open(&store::path(data, &desk.host, &desk.repo, number), fresh);
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
    // What was just read may be minutes old on a slow line: what the text rests on is read once more.
    let recheck = plan::recheck(&facts, &desk.policy, &Conclusions::draw(&desk.policy, &facts).cited_runs());
    desk.settle(&mut facts, recheck, |_| true).await;
    let signed = signoff::sign(&desk.policy, &facts, &draft).map_err(no_template)?;
    let text = given.as_deref().unwrap_or(&signed.rendered.text);
    let reasons = blocks(&desk.policy, &facts, &draft, &signed, text, given.is_none());
    let viewer = facts.viewer.settled().map(|got| got.value.clone());
    let (Some(viewer), Some(head), []) = (viewer, facts.head().cloned(), reasons.as_slice()) else {
        return Err(blocked(&reasons));
    };
    let prepared = Prepared {
        text: text.to_owned(),
        host: desk.host.clone(),
        repo: facts.repository.value().map_or_else(|| desk.repo.clone(), |repository| repository.name.clone()),
        number,
        head,
        template: signed.template.blob.clone(),
        viewer,
        newest: newest_comment(&facts),
    };
    let attempt = prepared.attempt(clock::now());
    draft.attempt = Some(attempt.clone());
    save(&store, &draft).await?;
    out.say(format!(
        "Posting to {}#{} on {} as {}, for head {}.",
        prepared.repo, prepared.number, prepared.host, prepared.viewer.login, prepared.head
    ));
    match desk.connection.post(&prepared.repo, number, &prepared.text).await {
        Sent::Posted(posted) => done(&store, &mut draft, &posted.url, out).await,
        Sent::Refused(trouble) => {
            draft.attempt = None;
            save(&store, &draft).await?;
            Err(AppError::from(trouble).hint("Nothing was posted; the draft is kept."))
        }
        Sent::Unclear(trouble) => {
            out.say(format!("{} Looking whether the comment arrived.", trouble.headline));
            look(desk, &mut facts, &store, &mut draft, attempt, &trouble.headline, out).await
        }
    }
}

/// Searches the conversation for the attempt's comment, as often and as far apart as `core::posting` says. Only whole
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
        desk.settle(facts, vec![Read::Comments], |_| false).await;
        let Some(comments) = facts.comments.settled().map(|got| &got.value) else { continue };
        if let Some(comment) = search(&attempt, &comments.items) {
            let url = comment.url.clone();
            return done(store, draft, &url, out).await;
        }
        misses += u8::from(comments.is_complete());
        if misses == LOOKS {
            draft.attempt = None;
            save(store, draft).await?;
            return Err(AppError::new(
                ErrorKind::No,
                format!("Not posted: {why} The comment is not there after {LOOKS} looks."),
            )
            .hint("The draft is kept: run the same command to try again."));
        }
    }
    Err(AppError::new(ErrorKind::Unavailable, "Whether the comment was posted is not clear: the conversation cannot be read.")
        .hint("Nothing is sent again before it is: run the same command later."))
}

async fn done(store: &Store, draft: &mut Draft, url: &str, out: &mut Out) -> Result<(), AppError> {
    draft.attempt = None;
    draft.posted = Some(url.to_owned());
    out.data(&format!("{url}\n"));
    save(store, draft).await.map_err(|error| error.hint("The comment is posted all the same; only the draft does not say so."))
}

/// On disk for good, or an error.
async fn save(store: &Store, draft: &Draft) -> Result<(), AppError> {
    let (told, saved) = tokio::sync::oneshot::channel();
    store.save(draft.clone(), true, |result| {
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
