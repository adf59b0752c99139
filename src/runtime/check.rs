//! `countersign check` and `countersign snapshot`: which sign-off is judged, by what was just read or by what was kept.
//! Must not know: rules, formats.

#![allow(clippy::disallowed_methods)] // files belong to runtime

use super::clock;
use super::headless::{Desk, read_file, refuse};
use super::out::Out;
use super::store;
use crate::cli::Place;
use crate::core::checklist::blocks::is_signoff;
use crate::core::facts::Facts;
use crate::core::ids::PullNumber;
use crate::core::policy::{Overall, Policy, Status};
use crate::core::review::Review;
use crate::core::session::Draft;
use crate::core::snapshot::{Snapshot, parse_snapshot, render_snapshot};
use crate::core::text::counted;
use crate::error::{AppError, ErrorKind};
use crate::report;
use std::io::Write;
use std::path::Path;

/// The sign-off that is judged.
enum Judged {
    /// Its text, and where it is from.
    Text(String, String),
    /// What the stored draft makes.
    Draft(Box<Draft>),
    /// One as it would be if every item were ticked now.
    Fresh,
}

impl Judged {
    fn told(&self) -> String {
        match self {
            Judged::Text(_, whence) => whence.clone(),
            Judged::Draft(_) => "the stored draft".to_owned(),
            Judged::Fresh => "a fresh sign-off with every item ticked".to_owned(),
        }
    }
}

impl Desk {
    /// `countersign check PR`.
    pub async fn check(&self, number: PullNumber, signoff: Option<&Path>, json: bool, out: &mut Out) -> Result<(), AppError> {
        let (facts, review, judged) = self.judge(number, signoff).await?;
        answer(&self.policy, &facts, &review, &judged.told(), json, out)
    }

    /// `countersign snapshot PR`.
    pub async fn snapshot(&self, number: PullNumber, file: Option<&Path>, out: &mut Out) -> Result<(), AppError> {
        let (facts, review, judged) = self.judge(number, None).await?;
        let text = match judged {
            Judged::Text(text, _) => Some(text),
            Judged::Draft(_) | Judged::Fresh => review.signed().map(|signoff| signoff.rendered.text.clone()),
        };
        let failed =
            if review.findings.iter().any(|found| found.status == Status::Unavailable) { facts.gaps() } else { Vec::new() };
        let snapshot = render_snapshot(&Snapshot::new(clock::now(), &self.policy.name, text, facts));
        match file {
            None => out.data(&snapshot),
            Some(path) => {
                write_private(path, &snapshot)?;
                out.say(format!(
                    "{}: {} KiB, everything that {} checks see.",
                    path.display(),
                    snapshot.len() >> 10,
                    review.findings.len()
                ));
            }
        }
        match failed.is_empty() {
            true => Ok(()),
            false => Err(AppError::new(ErrorKind::Unavailable, failed.join("\n       "))),
        }
    }

    /// Reads everything that the checks want, and judges.
    async fn judge(&self, number: PullNumber, signoff: Option<&Path>) -> Result<(Facts, Review, Judged), AppError> {
        let fresh = Draft::new(&self.host, self.repo.clone(), number);
        let given =
            signoff.map(|path| Ok::<_, AppError>(Judged::Text(read_file(path)?, path.display().to_string()))).transpose()?;
        let stored = match &self.data {
            Some(data) => store::peek(&store::path(data, &self.host, &self.repo, number), &fresh)?,
            None => fresh.clone(),
        };
        let mut facts = self.facts(number);
        let text = match &given {
            Some(Judged::Text(text, _)) => Some(text.as_str()),
            _ => None,
        };
        self.settle_for(&mut facts, &stored, text, Vec::new(), |_| true).await;
        refuse(&facts.pull)?;
        let judged = match given {
            Some(judged) => judged,
            None if !stored.ticks.is_empty() || stored.detail.is_some() => Judged::Draft(Box::new(stored)),
            None => standing(&self.policy, &facts).unwrap_or(Judged::Fresh),
        };
        let (draft, text) = parts(&self.policy, &facts, &judged, &fresh);
        // Another text may link other things.
        self.settle_for(&mut facts, &draft, text.as_deref(), Vec::new(), |_| true).await;
        let review = Review::draw(&self.policy, &facts, &draft, text.as_deref());
        Ok((facts, review, judged))
    }
}

/// `countersign check --snapshot FILE`: by what was known then.
pub fn of_snapshot(
    policy: &Policy,
    file: &Path,
    signoff: Option<&Path>,
    place: &Place,
    json: bool,
    out: &mut Out,
) -> Result<(), AppError> {
    let Snapshot { mut facts, signoff: kept, .. } = parse_snapshot(&read_file(file)?)
        .map_err(|trouble| AppError::from(trouble).hint(format!("The file is {}.", file.display())))?;
    facts.day = place.day.or(facts.day);
    facts.signer = place.signer.clone().or(facts.signer);
    let judged = match (signoff, kept) {
        (Some(path), _) => Judged::Text(read_file(path)?, path.display().to_string()),
        (None, Some(text)) => Judged::Text(text, "the snapshot's sign-off".to_owned()),
        (None, None) => Judged::Fresh,
    };
    let fresh = Draft::new("", facts.repo.clone(), facts.number);
    let (draft, text) = parts(policy, &facts, &judged, &fresh);
    let review = Review::draw(policy, &facts, &draft, text.as_deref());
    answer(policy, &facts, &review, &judged.told(), json, out)
}

/// The newest sign-off that stands in the pull request, by whoever signs.
fn standing(policy: &Policy, facts: &Facts) -> Option<Judged> {
    let signer = facts.signer()?;
    let lists = [&facts.comments, &facts.reviews, &facts.line_comments];
    let all = lists.into_iter().filter_map(|list| list.value()).flat_map(|list| &list.items);
    let own = all.filter(|comment| comment.author.login.is(signer) && is_signoff(policy, &comment.body));
    let newest = own.max_by_key(|comment| comment.updated_at.max(comment.created_at))?;
    Some(Judged::Text(newest.body.clone(), format!("the sign-off at {}", newest.url)))
}

/// Draft and text to judge by.
fn parts(policy: &Policy, facts: &Facts, judged: &Judged, fresh: &Draft) -> (Draft, Option<String>) {
    match judged {
        Judged::Text(text, _) => (fresh.clone(), Some(text.clone())),
        Judged::Draft(draft) => ((**draft).clone(), None),
        Judged::Fresh => {
            let mut draft = fresh.clone();
            if let Ok(signoff) = report::signoff::sign(policy, facts, &draft) {
                // It warns of items that nothing backs: here the checks say so.
                let _ = report::signoff::tick(&mut draft, &signoff, facts, None, clock::now());
            }
            (draft, None)
        }
    }
}

fn answer(policy: &Policy, facts: &Facts, review: &Review, judged: &str, json: bool, out: &mut Out) -> Result<(), AppError> {
    out.data(&report::check::report(policy, facts, review, judged, json).text);
    let count = |status| review.findings.iter().filter(|found| found.status == status).count();
    match review.overall() {
        Overall::Pass => Ok(()),
        Overall::Warn => Err(AppError::new(ErrorKind::Warnings, format!("{} checks warn.", count(Status::Warn)))),
        Overall::Rejected => Err(AppError::new(ErrorKind::No, format!("{} checks fail.", count(Status::Fail)))),
        Overall::Unknown => {
            let (unread, yours) = (count(Status::Unavailable), count(Status::NeedsYou));
            let open = match review.open {
                0 => String::new(),
                open => format!(" The sign-off has {}: tick it, or say why not.", counted(open, "open item")),
            };
            Err(AppError::new(
                ErrorKind::Unavailable,
                format!("{unread} checks cannot be answered, {yours} are yours to judge.{open}"),
            ))
        }
    }
}

/// Written whole or not at all, for its owner alone.
pub(super) fn write_private(path: &Path, text: &str) -> Result<(), AppError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let written = tempfile::NamedTempFile::new_in(folder).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.persist(path).map_err(|error| error.error)
    });
    written.map(drop).map_err(|error| AppError::usage(format!("{} cannot be written: {error}.", path.display())))
}
