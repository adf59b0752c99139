//! The verifier's answers to sign-offs, read from its comments in every form they had.
//! Must not know: any repository's words (they are policy), what its checks look at.

pub mod beside;
mod grammar;

pub use grammar::{CheckPolicy, CheckStatus, Grammar, NumberPolicy, ProsePolicy, VerdictPolicy};

use super::ids::{CommentId, Key, Login, Sha};
use super::policy::{holds, normalise};
use super::pull::{Comment, CommentPlace};
use super::time::Time;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::fmt;

/// One verdict.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    pub overall: Overall,
    /// The form it is written in; `None` without a mark.
    pub form: Option<Form>,
    /// The commit it is about, perhaps cut short; `None` if it names none, or two.
    pub commit: Option<Sha>,
    /// The sign-off that it names as the one it answers.
    pub signoff: Option<SignoffRef>,
    pub rows: Vec<CheckRow>,
    /// What does not fit together or could not be read, a sentence each.
    pub problems: Vec<String>,
    /// Whether it bears the mark, and a publisher wrote it.
    pub published: bool,
    pub author: Option<Login>,
    /// When it was last written: newer forms update one comment.
    pub at: Option<Time>,
    pub url: Option<String>,
    #[serde(skip)]
    id: Option<CommentId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Overall {
    Pass,
    Warn,
    /// It cannot be told what it says.
    Unread,
    Rejected,
}

/// The forms of a verdict, oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Words on the first line; the mark names the commit.
    Prose,
    /// A header with signs; the mark names the commit.
    CommitInMark,
    /// The same, with the commit in a line below.
    CommitInFooter,
    /// The mark names the sign-off; rows may be folded.
    PerSignoff,
}

/// A sign-off as a verdict names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignoffRef {
    pub place: CommentPlace,
    pub id: CommentId,
}

/// What a verdict says of one check.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CheckRow {
    pub number: u32,
    /// As written in the parentheses.
    pub name: String,
    /// The check, by the policy's words; `None`: not known.
    pub key: Option<Key>,
    pub status: CheckStatus,
    pub reason: String,
    /// In the comment.
    pub line: usize,
}

/// The verdicts of a conversation, by what they are to its head.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Verdicts {
    /// The newest about the head commit.
    pub current: Option<Verdict>,
    /// About earlier commits, or none that can be told, or outdated by a newer one; newest first.
    pub stale: Vec<Verdict>,
    /// Written like verdicts, but not by a publisher, or without the mark: they count for nothing.
    pub unpublished: Vec<Verdict>,
}

impl SignoffRef {
    /// `issuecomment-N`, `pullrequestreview-N` or `discussion_rN`: the anchors of GitHub's pages.
    pub fn parse(text: &str) -> Option<SignoffRef> {
        let places = [
            ("issuecomment-", CommentPlace::Conversation),
            ("pullrequestreview-", CommentPlace::Review),
            ("discussion_r", CommentPlace::Line),
        ];
        let (number, place) = places.iter().find_map(|(prefix, place)| Some((text.strip_prefix(prefix)?, *place)))?;
        let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
        digits.then(|| number.parse().ok()).flatten().map(|id| SignoffRef { place, id: CommentId(id) })
    }

    pub fn is(&self, comment: &Comment) -> bool {
        self.place == comment.place && self.id == comment.id
    }
}

impl fmt::Display for SignoffRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            CommentPlace::Conversation => write!(f, "issuecomment-{}", self.id),
            CommentPlace::Review => write!(f, "pullrequestreview-{}", self.id),
            CommentPlace::Line => write!(f, "discussion_r{}", self.id),
        }
    }
}

impl Verdict {
    /// Whether it is about this commit; it may name its first digits only.
    pub fn is_about(&self, head: &Sha) -> bool {
        self.commit.as_ref().is_some_and(|commit| commit.as_str().len() >= 7 && head.as_str().starts_with(commit.as_str()))
    }

    /// Whether it answers this sign-off as it stands: it names it or none, and is newer than its last edit.
    pub fn answers(&self, signoff: &Comment) -> bool {
        let named = self.signoff.is_none_or(|named| named.is(signoff));
        let edited = signoff.updated_at.max(signoff.created_at);
        named && matches!((self.at, edited), (Some(at), Some(edited)) if at > edited)
    }
}

/// Sorts the verdicts among these comments by what they are to the head commit.
pub fn newest_for<'a>(grammar: &Grammar<'_>, comments: impl IntoIterator<Item = &'a Comment>, head: &Sha) -> Verdicts {
    let mut found: Vec<Verdict> = comments.into_iter().filter_map(|comment| read_comment(grammar, comment)).collect();
    found.sort_by_key(|verdict| Reverse((verdict.at, verdict.id)));
    let mut out = Verdicts::default();
    for verdict in found {
        if !verdict.published {
            out.unpublished.push(verdict);
        } else if out.current.is_none() && verdict.is_about(head) {
            out.current = Some(verdict);
        } else {
            out.stale.push(verdict);
        }
    }
    out
}

/// Reads a comment; `None` if it is no verdict.
pub fn read_comment(grammar: &Grammar<'_>, comment: &Comment) -> Option<Verdict> {
    let mut verdict = read(grammar, &comment.body, comment.updated_at.max(comment.created_at))?;
    let publisher = grammar.policy.publishers.iter().any(|login| comment.author.login.is(&Login::from(login.as_str())));
    if !publisher {
        verdict.problems.push(format!("It was written by {}, who publishes no verdicts.", comment.author.login));
    }
    verdict.published = publisher && verdict.form.is_some();
    verdict.author = Some(comment.author.login.clone());
    verdict.url = Some(comment.url.clone());
    verdict.id = Some(comment.id);
    Some(verdict)
}

/// Reads a comment's text; `None` if it is no verdict: it has neither the mark nor a header with rows. `at` is when it was
/// last written, which tells what its numbers mean. Who wrote it is not known here, so it is not published.
pub fn read(grammar: &Grammar<'_>, body: &str, at: Option<Time>) -> Option<Verdict> {
    let marker = grammar.marker.captures(body);
    let mut problems = Vec::new();
    let headers = headers(grammar, body, &mut problems);
    let has_header = !headers.is_empty();
    let rows = rows(grammar, body, at, has_header, &mut problems);
    if marker.is_none() && (!has_header || rows.is_empty()) {
        return None;
    }
    let group = |name| marker.as_ref().and_then(|found| found.name(name)).map(|found| found.as_str());
    let signoff = group("signoff").and_then(SignoffRef::parse);
    let form = marker.as_ref().map(|_| match (group("signoff"), group("commit"), has_header) {
        (Some(_), _, _) => Form::PerSignoff,
        (None, _, false) => Form::Prose,
        (None, Some(_), true) => Form::CommitInMark,
        (None, None, true) => Form::CommitInFooter,
    });
    if marker.is_none() {
        problems.push("It does not bear the verifier's mark.".to_owned());
    }
    let commit = commit(grammar, body, group("commit"), &mut problems);
    let said = match headers.iter().max() {
        Some(worst) => *worst,
        None => prose(grammar, body, &rows),
    };
    let overall = agreed(said, &rows, &mut problems);
    Some(Verdict { overall, form, commit, signoff, rows, problems, published: false, author: None, at, url: None, id: None })
}

/// What the headers say; there should be one.
fn headers(grammar: &Grammar<'_>, body: &str, problems: &mut Vec<String>) -> Vec<Overall> {
    let mut out = Vec::new();
    for found in grammar.header.captures_iter(body) {
        let group = |name| found.name(name).map_or("", |found| found.as_str());
        let word = grammar.policy.words.get(group("word")).copied();
        let sign = group("sign").chars().next().and_then(|sign| grammar.policy.signs.get(&sign)).copied();
        if word != sign {
            problems.push(format!("The header's signs do not fit its word {}.", group("word")));
        }
        out.push(word.max(sign).map_or(Overall::Unread, overall_of));
    }
    if out.iter().any(|overall| Some(overall) != out.first()) {
        problems.push("Two headers say different things.".to_owned());
    }
    out
}

fn overall_of(status: CheckStatus) -> Overall {
    match status {
        CheckStatus::Pass => Overall::Pass,
        CheckStatus::Warn => Overall::Warn,
        CheckStatus::Fail => Overall::Rejected,
        CheckStatus::NotApplicable => Overall::Unread,
    }
}

fn rows(grammar: &Grammar<'_>, body: &str, at: Option<Time>, has_header: bool, problems: &mut Vec<String>) -> Vec<CheckRow> {
    let pattern = if has_header { &grammar.row } else { &grammar.prose_row };
    let mut out: Vec<CheckRow> = Vec::new();
    let signs = &grammar.policy.signs;
    for (at_line, line) in body.lines().enumerate() {
        let line_number = at_line + 1;
        let Some(found) = pattern.captures(line) else {
            // What begins like a row may be one that failed.
            let start = line.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '*' | '+'));
            if start.starts_with(|c| signs.contains_key(&c)) && !grammar.header.is_match(line) {
                problems.push(format!("Line {line_number} looks like a check and cannot be read."));
            }
            continue;
        };
        let group = |name: &str| found.name(name).map_or("", |found| found.as_str()).trim();
        let (Ok(number), Some(&word)) = (group("number").parse::<u32>(), grammar.policy.words.get(group("status"))) else {
            problems.push(format!("Line {line_number} looks like a check and cannot be read."));
            continue;
        };
        let sign = group("sign").chars().next().and_then(|sign| signs.get(&sign)).copied();
        if sign.is_some_and(|sign| sign != word) {
            problems.push(format!("The sign of check {number} does not fit its word {}.", group("status")));
        }
        if out.iter().any(|row| row.number == number) {
            problems.push(format!("Check {number} stands twice."));
        }
        let name = group("name").trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
        out.push(CheckRow {
            key: grammar.key(number, &name, at),
            number,
            name,
            status: sign.map_or(word, |sign| sign.max(word)),
            reason: group("reason").to_owned(),
            line: line_number,
        });
    }
    if let Some(keys) = grammar.numbered(at).filter(|_| !out.is_empty()) {
        let missing: Vec<String> = (0u32..)
            .take(keys.len())
            .filter(|number| !out.iter().any(|row| row.number == *number))
            .map(|number| number.to_string())
            .collect();
        if !missing.is_empty() {
            problems.push(format!("It has no row for check {}.", missing.join(", ")));
        }
    }
    out
}

/// The commit of the mark and of the footers, if they agree.
fn commit(grammar: &Grammar<'_>, body: &str, marked: Option<&str>, problems: &mut Vec<String>) -> Option<Sha> {
    let footers = grammar.commit.captures_iter(body).filter_map(|found| found.name("commit"));
    let mut named: Vec<&str> = marked.into_iter().chain(footers.map(|found| found.as_str())).collect();
    named.sort_by_key(|commit| Reverse(commit.len()));
    let longest = named.first()?;
    if named.iter().any(|commit| !longest.starts_with(commit)) {
        problems.push("It names two different commits.".to_owned());
        return None;
    }
    Some(Sha::from(*longest))
}

/// What the first line says where there is no header.
fn prose(grammar: &Grammar<'_>, body: &str, rows: &[CheckRow]) -> Overall {
    let text = grammar.marker.replace_all(body, "");
    let first = text.lines().map(normalise).find(|words| !words.is_empty()).unwrap_or_default();
    let words: Vec<&str> = first.split(' ').collect();
    let says = |phrases: &[String]| phrases.iter().any(|phrase| holds(&words, phrase));
    let begins = |phrase: &String| {
        let phrase = normalise(phrase);
        first.strip_prefix(phrase.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    if says(&grammar.policy.prose.rejected) || rows.iter().any(|row| row.status == CheckStatus::Fail) {
        Overall::Rejected
    } else if grammar.policy.prose.pass.iter().any(begins) {
        Overall::Pass
    } else {
        Overall::Unread
    }
}

/// What was said, against the rows: the worse counts.
fn agreed(said: Overall, rows: &[CheckRow], problems: &mut Vec<String>) -> Overall {
    if said == Overall::Unread {
        problems.push("It cannot be told whether it passes.".to_owned());
    }
    let worst = rows.iter().max_by_key(|row| row.status);
    match worst {
        Some(row) if row.status >= CheckStatus::Warn && overall_of(row.status) > said => {
            problems.push(format!("Its header says something better than check {} does.", row.number));
            overall_of(row.status)
        }
        _ => said,
    }
}

#[cfg(test)]
mod tests;
