//! What arguments name: pull requests, runs, jobs, items, files; and the repository and host that an address tells.
//! Must not know: commands, options.

use super::{Api, Place, Subject, Ticks, VerdictOf};
use crate::core::ids::{JobId, Key, PullNumber, RepoName, RunId};
use crate::error::AppError;
use std::path::PathBuf;

/// `all`, or keys; none when the option is absent.
pub(super) fn parse_ticks(words: &[String]) -> Result<Ticks, AppError> {
    let words: Vec<&str> = words.iter().map(|word| word.trim()).filter(|word| !word.is_empty()).collect();
    match words.as_slice() {
        ["all"] => Ok(Ticks::All),
        words if words.contains(&"all") => Err(AppError::usage("--tick takes either all, or keys.")),
        words => Ok(Ticks::Keys(words.iter().map(|&word| Key::from(word)).collect())),
    }
}

pub(super) fn parse_pull(text: &str, place: &mut Place) -> Result<PullNumber, AppError> {
    match parse_subject(text, place)? {
        Subject::Pull(number) => Ok(number),
        Subject::Run(_) => Err(AppError::usage(format!("\"{text}\" is a workflow run; this command wants a pull request."))
            .hint("Write 2550, OWNER/NAME#2550, or the address of its page.")),
    }
}

/// `92263021571`, or the address of a job's page.
pub(super) fn parse_job(text: &str, place: &mut Place) -> Result<JobId, AppError> {
    let wrong = || {
        AppError::usage(format!("\"{}\" names no job.", text.escape_debug()))
            .hint("Write its number, or the address of its page: …/actions/runs/ID/job/ID.")
    };
    if !text.contains("://") {
        return parse_number(text).map(JobId).ok_or_else(wrong);
    }
    let job = text.split(['?', '#']).next().and_then(|page| parse_number(page.split_once("/job/")?.1)).ok_or_else(wrong)?;
    match parse_subject(text, place)? {
        Subject::Run(_) => Ok(JobId(job)),
        Subject::Pull(_) => Err(wrong()),
    }
}

/// A pull request, else a file; a run has no verdict.
pub(super) fn parse_verdict(text: String, place: &mut Place) -> Result<VerdictOf, AppError> {
    match parse_subject(&text, place) {
        Ok(Subject::Pull(number)) => Ok(VerdictOf::Pull(number)),
        Ok(Subject::Run(_)) => parse_pull(&text, place).map(VerdictOf::Pull),
        Err(wrong) if text.is_empty() || text.contains("://") => Err(wrong),
        Err(_) => Ok(VerdictOf::File(PathBuf::from(text))),
    }
}

/// `2550`, `#2550`, `owner/repo#2550`, `run:31020193450`, or the address of a pull request or run.
/// What the text says of the repository and the host goes into `place`.
pub(super) fn parse_subject(text: &str, place: &mut Place) -> Result<Subject, AppError> {
    let wrong = || {
        AppError::usage(format!("\"{}\" names no pull request or run.", text.escape_debug()))
            .hint("Write 2550, OWNER/NAME#2550, run:ID, or the address of its page.")
    };
    if let Some(id) = text.strip_prefix("run:") {
        return parse_number(id).map(|id| Subject::Run(RunId(id))).ok_or_else(wrong);
    }
    if let Some((scheme, rest)) = text.split_once("://") {
        if !matches!(scheme, "https" | "http") {
            return Err(wrong());
        }
        let (host, repo, subject) = parse_page(rest).ok_or_else(wrong)?;
        place.repo = Some(repo);
        let host = host.to_ascii_lowercase();
        if !matches!(host.as_str(), "github.com" | "www.github.com") {
            // Https whatever the page said: over http a token would be readable on the way.
            place.api = Api::Implied(format!("https://{host}/api/v3"));
        }
        return Ok(subject);
    }
    let (repo, number) = match text.split_once('#') {
        Some(("", number)) => (None, number),
        Some((repo, number)) => (Some(RepoName::parse(repo).ok_or_else(wrong)?), number),
        None => (None, text),
    };
    let number = parse_number(number).ok_or_else(wrong)?;
    if repo.is_some() {
        place.repo = repo;
    }
    Ok(Subject::Pull(PullNumber(number)))
}

/// `HOST/owner/repo/pull/2550/files?…`, `HOST/owner/repo/actions/runs/31020193450/job/…`.
fn parse_page(text: &str) -> Option<(&str, RepoName, Subject)> {
    let path = text.split(['?', '#']).next()?;
    let mut parts = path.split('/');
    let host = parts.next().filter(|host| is_host(host))?;
    let repo = RepoName::parse(&format!("{}/{}", parts.next()?, parts.next()?))?;
    let subject = match (parts.next()?, parts.next()?) {
        ("pull", number) => Subject::Pull(PullNumber(parse_number(number)?)),
        ("actions", "runs") => Subject::Run(RunId(parse_number(parts.next()?)?)),
        _ => return None,
    };
    Some((host, repo, subject))
}

fn parse_number(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten().filter(|&number| number > 0)
}

/// A host name with an optional port; no user, no address in brackets: pages do not live there.
fn is_host(text: &str) -> bool {
    let (name, port) = text.split_once(':').map_or((text, None), |(name, port)| (name, Some(port)));
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    !name.is_empty() && name.chars().all(word) && port.is_none_or(|port| port.parse::<u16>().is_ok())
}
