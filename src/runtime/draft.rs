//! `countersign draft`: a draft as a file that travels, and one that came back.
//! Must not know: how a sign-off is composed or posted.

use super::clock;
use super::headless::{Desk, read_file};
use super::out::Out;
use super::post::on_disk;
use super::store::{self, Access, Opened};
use crate::core::ids::PullNumber;
use crate::core::session::history::posted_as;
use crate::core::session::{Draft, Unreadable, parse_draft, render_draft};
use crate::error::{AppError, ErrorKind};
use std::path::Path;

/// Prints the stored draft, or takes one over from a file: what was there can be brought back with undo.
pub async fn draft(desk: &Desk, number: PullNumber, import: Option<&Path>, out: &mut Out) -> Result<(), AppError> {
    let Some(data) = &desk.data else {
        return Err(AppError::usage("There is no folder for drafts.").hint("Name one with COUNTERSIGN_DATA_DIR."));
    };
    let path = store::path(data, &desk.host, &desk.repo, number);
    let fresh = Draft::new(&desk.host, desk.repo.clone(), number);
    let Some(file) = import else {
        out.data(&render_draft(&store::peek(&path, &fresh)?));
        return Ok(());
    };
    let came = parse_draft(read_file(file)?.as_bytes()).map_err(|why| unreadable(file, &why))?;
    let Opened { draft: today, mut history, access, greeting } = store::open(&path, fresh);
    if let Some(greeting) = greeting {
        out.say(greeting);
    }
    let store = match access {
        Access::Writable(store) => store,
        Access::ReadOnly(why) => return Err(AppError::new(ErrorKind::No, why).hint("Nothing was taken over.")),
    };
    let elsewhere = !is_of(&came, &today);
    let taken = taken(came, &today);
    if elsewhere {
        out.say("It was made for another pull request: its ticks count only where the same commit is the head.");
    }
    history.push(clock::now(), &today);
    history.push(clock::now(), &taken);
    on_disk(&store, &taken, Some(history)).await?;
    out.say(format!(
        "The draft of {}#{number} is the one of {} now; u in the workstation brings back what was there.",
        desk.repo,
        file.display()
    ));
    Ok(())
}

/// Whether both are of one pull request.
fn is_of(came: &Draft, today: &Draft) -> bool {
    came.host.eq_ignore_ascii_case(&today.host) && came.repo.is(&today.repo) && came.number == today.number
}

/// The text of one draft at the place of another. What was posted, or was about to be, is no text, and stays; of the same
/// pull request it goes out as it would have there.
fn taken(came: Draft, today: &Draft) -> Draft {
    let same = is_of(&came, today);
    let (host, repo, number) = (today.host.clone(), today.repo.clone(), today.number);
    let Draft { way, edits, edits_text, .. } = if same { came.clone() } else { today.clone() };
    // Runs of another pull request are no evidence here.
    let pins = if same { came.pins.clone() } else { Vec::new() };
    // What it was made from goes with the text.
    let basis = came.basis.clone();
    Draft { host, repo, number, pins, way, edits, edits_text, basis, ..posted_as(came, today) }
}

fn unreadable(file: &Path, why: &Unreadable) -> AppError {
    match why {
        Unreadable::Corrupt(why) => {
            AppError::usage(format!("{} is no draft: {why}.", file.display())).hint("countersign draft PR > FILE writes one.")
        }
        Unreadable::Newer(schema) => {
            AppError::usage(format!("{} was written by a newer countersign (schema {schema}).", file.display()))
                .hint("Use that version to import it.")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::ids::{CommentId, Key, RepoName};
    use crate::core::pull::CommentPlace;
    use crate::core::verdict::SignoffRef;

    #[test]
    fn a_text_travels_and_what_was_posted_stays() {
        let repo = || RepoName { owner: "o".into(), name: "r".into() };
        let mut today = Draft::new("h", repo(), PullNumber(7));
        today.posted = Some("https://h/1".into());
        let mut came = Draft::new("other", repo(), PullNumber(8));
        came.reasons.insert(Key::from("evals"), "so".into());
        came.posted = Some("https://h/2".into());
        came.edits = Some(SignoffRef { place: CommentPlace::Conversation, id: CommentId(5) });
        let draft = taken(came.clone(), &today);
        assert_eq!((draft.host.as_str(), draft.number, draft.posted.as_deref()), ("h", PullNumber(7), Some("https://h/1")));
        assert_eq!((draft.reasons.len(), draft.edits), (1, None), "a comment of another pull request is not edited from here");
        let pin = r#"{ "run": 1, "of": "run", "name": "n", "attempt": 1, "newest": 1, "head": "a", "conclusion": "success",
            "ended": null, "at": "2026-08-11T12:00:00Z",
            "source": { "address": "/", "commit": null, "read_at": "2026-08-11T12:00:00Z", "digest": "" } }"#;
        came.pins = vec![serde_json::from_str(pin).unwrap()];
        assert!(taken(came.clone(), &today).pins.is_empty(), "nor is its run evidence here");
        came.number = PullNumber(7);
        assert_eq!(taken(came.clone(), &today).edits, None, "nor one of another host");
        came.host = "H".into();
        came.repo = RepoName { owner: "O".into(), name: "R".into() };
        let draft = taken(came, &today);
        assert!(draft.edits.is_some() && draft.pins.len() == 1, "names are the same in any case");
    }
}
