//! What the verifier answered: the verdict of the head commit, row by row, and those that are out of date.
//! Must not know: how verdicts are written, where comments were read from.

use super::{Report, SCHEMA, json, table};
use crate::core::checklist::blocks::is_signoff;
use crate::core::facts::Facts;
use crate::core::ids::Sha;
use crate::core::policy::Policy;
use crate::core::pull::Comment;
use crate::core::text::gate;
use crate::core::verdict::{CheckStatus, Grammar, Overall, Verdict, Verdicts, newest_for};
use serde::Serialize;

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    /// The pull request and its comments were read whole.
    complete: bool,
    head: &'a Sha,
    /// Whether `current` is newer than the last edit of the newest sign-off; `null` without either, or if that is not known.
    answers_newest_signoff: Option<bool>,
    #[serde(flatten)]
    verdicts: &'a Verdicts,
}

#[derive(Serialize)]
struct Lone<'a> {
    schema: u32,
    complete: bool,
    verdict: &'a Verdict,
}

/// What was asked for, and the verdict that it is about: none if nobody gave one about the head commit.
pub struct Answer {
    pub report: Report,
    pub verdict: Option<Verdict>,
}

/// Reports on a pull request whose head is known. `gaps` is what its lists lack.
pub fn report(policy: &Policy, grammar: &Grammar<'_>, facts: &Facts, head: &Sha, gaps: Vec<String>, as_json: bool) -> Answer {
    let lists = [&facts.comments, &facts.reviews, &facts.line_comments];
    let all: Vec<&Comment> = lists.into_iter().filter_map(|list| list.value()).flat_map(|list| &list.items).collect();
    let verdicts = newest_for(grammar, all.iter().copied(), head);
    let signoffs = all.iter().filter(|comment| is_signoff(policy, &comment.body));
    let newest = signoffs.max_by_key(|comment| comment.updated_at.max(comment.created_at));
    let answers = verdicts.current.as_ref().zip(newest).map(|(verdict, signoff)| verdict.answers(signoff));
    let answers = answers.filter(|_| gaps.is_empty());
    let text = if as_json {
        json(&Document {
            schema: SCHEMA,
            complete: gaps.is_empty(),
            head,
            answers_newest_signoff: answers,
            verdicts: &verdicts,
        })
    } else {
        plain(&verdicts, head, answers)
    };
    Answer { report: Report { text, gaps }, verdict: verdicts.current }
}

/// Reports on one comment's text.
pub fn lone(verdict: &Verdict, as_json: bool) -> Report {
    let text = if as_json { json(&Lone { schema: SCHEMA, complete: true, verdict }) } else { whole(verdict) };
    Report { text, gaps: Vec::new() }
}

fn plain(verdicts: &Verdicts, head: &Sha, answers: Option<bool>) -> String {
    let mut out = match &verdicts.current {
        Some(verdict) => whole(verdict),
        None => format!("There is no verdict about the head commit {}.\n", head.short()),
    };
    if answers == Some(false) {
        out.push_str("note: the newest sign-off is newer than this verdict, or it answers another one\n");
    }
    for (title, list) in [("out of date", &verdicts.stale), ("not the verifier's", &verdicts.unpublished)] {
        for verdict in list {
            out.push_str(&format!("{title}: {}\n", headline(verdict)));
        }
    }
    out
}

/// Headline, rows and problems.
fn whole(verdict: &Verdict) -> String {
    let rows: Vec<Vec<String>> = verdict
        .rows
        .iter()
        .map(|row| {
            let key = row.key.as_ref().map_or("?", |key| key.as_str());
            vec![mark(row.status).to_owned(), row.number.to_string(), key.to_owned(), row.name.clone(), row.reason.clone()]
        })
        .collect();
    let mut out = format!("{}\n", headline(verdict));
    if !rows.is_empty() {
        out.push_str(&table::render(&["", "n", "check", "in its words", "reason"], &rows));
    }
    for problem in &verdict.problems {
        out.push_str(&format!("note: {}\n", gate::line(problem)));
    }
    out
}

fn headline(verdict: &Verdict) -> String {
    let mut out = word(verdict.overall).to_owned();
    if let Some(commit) = &verdict.commit {
        out.push_str(&format!(" about {}", commit.short()));
    }
    if let Some(author) = &verdict.author {
        out.push_str(&format!(" by {author}"));
    }
    if let Some(at) = verdict.at {
        out.push_str(&format!(" on {}", at.format("%Y-%m-%d %H:%M")));
    }
    if let Some(url) = &verdict.url {
        out.push_str(&format!(" {url}"));
    }
    gate::line(&out).into_owned()
}

/// The verdict in one word.
pub fn word(overall: Overall) -> &'static str {
    match overall {
        Overall::Pass => "PASS",
        Overall::Warn => "WARN",
        Overall::Rejected => "REJECTED",
        Overall::Unread => "UNREADABLE",
    }
}

fn mark(status: CheckStatus) -> &'static str {
    match status {
        CheckStatus::Pass => "✓",
        CheckStatus::Fail => "✗",
        CheckStatus::Warn => "!",
        CheckStatus::NotApplicable => "–",
    }
}
