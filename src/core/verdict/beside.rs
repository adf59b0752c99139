//! The bot's answer beside what was predicted: which verdict counts for this sign-off and head, and where they differ.
//! Must not know: how rules reach their findings, how either is shown.

use super::{CheckRow, CheckStatus, Grammar, Verdict, read_comment};
use crate::core::checklist::blocks::own_signoffs;
use crate::core::evidence::Source;
use crate::core::facts::Facts;
use crate::core::listing::Listing;
use crate::core::policy::{Finding, Policy, Status};
use crate::core::pull::Comment;
use crate::core::remote::Remote;
use std::cmp::Reverse;
use std::sync::Arc;

/// Every published verdict of a conversation, newest first. Taken over as long as the conversation is the same.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Said {
    from: [Option<Source>; 3],
    verdicts: Arc<Vec<Verdict>>,
}

/// The verdict that says most about the sign-off.
#[derive(Debug, Clone, PartialEq)]
pub struct Spoken {
    pub verdict: Verdict,
    /// Why it counts no more, a sentence each; none: it counts.
    pub stale: Vec<String>,
    /// It answers a sign-off of the viewer.
    pub to_us: bool,
}

/// Whether the bot said what was predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    Same,
    Differs,
    /// One of them says nothing, or nothing certain.
    Open,
}

/// One check: what was predicted, what the bot said.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair<'a> {
    pub finding: Option<&'a Finding>,
    pub row: Option<&'a CheckRow>,
    pub fit: Fit,
}

impl Said {
    pub fn reread(&self, policy: &Policy, facts: &Facts) -> Said {
        let from = lists(facts).map(|list| list.known().map(|got| got.source.clone()));
        if from == self.from {
            return self.clone();
        }
        let grammar = policy.verdicts.as_ref().and_then(|verdicts| Grammar::of(verdicts).ok());
        let mut verdicts: Vec<Verdict> = match &grammar {
            Some(grammar) => comments(facts).filter_map(|comment| read_comment(grammar, comment)).collect(),
            None => Vec::new(),
        };
        verdicts.retain(|verdict| verdict.published);
        verdicts.sort_by_key(|verdict| Reverse((verdict.at, verdict.id)));
        Said { from, verdicts: Arc::new(verdicts) }
    }

    /// The newest that counts, of those the one that answers the viewer; else the newest, with what is wrong with it.
    pub fn spoken(&self, policy: &Policy, facts: &Facts) -> Option<Spoken> {
        let own = own_signoff(policy, facts);
        let mut all: Vec<Spoken> = self.verdicts.iter().map(|verdict| judge(facts, own, verdict)).collect();
        // Stable: among equals the newest stays first.
        all.sort_by_key(|spoken| (!spoken.stale.is_empty(), !spoken.to_us && spoken.stale.is_empty()));
        all.into_iter().next()
    }
}

/// The viewer's newest sign-off in the conversation.
pub fn own_signoff<'a>(policy: &'a Policy, facts: &'a Facts) -> Option<&'a Comment> {
    own_signoffs(policy, facts).max_by_key(|comment| comment.updated_at.max(comment.created_at))
}

fn lists(facts: &Facts) -> [&Remote<Listing<Comment>>; 3] {
    [&facts.comments, &facts.reviews, &facts.line_comments]
}

fn comments(facts: &Facts) -> impl Iterator<Item = &Comment> {
    lists(facts).into_iter().filter_map(Remote::value).flat_map(|list| &list.items)
}

fn judge(facts: &Facts, own: Option<&Comment>, verdict: &Verdict) -> Spoken {
    let mut stale = Vec::new();
    match (&verdict.commit, facts.head()) {
        (Some(commit), Some(head)) if !verdict.is_about(head) => {
            stale.push(format!("It is about {}, and the head is {} now.", commit.short(), head.short()));
        }
        (None, _) if verdict.signoff.is_none() => stale.push("It does not say which commit it is about.".to_owned()),
        _ => {}
    }
    let named = verdict.signoff.and_then(|named| comments(facts).find(|comment| named.is(comment)));
    let to_us = own.is_some_and(|own| verdict.answers(own));
    match (verdict.signoff.is_some(), named.or(own.filter(|_| verdict.signoff.is_none()))) {
        (_, Some(signoff)) if !verdict.answers(signoff) => {
            stale.push(format!("The sign-off of {} was edited after it.", signoff.author.login));
        }
        (true, None) if lists(facts).iter().all(|list| list.settled().is_some_and(|got| got.value.is_complete())) => {
            stale.push("The sign-off that it answers is gone.".to_owned());
        }
        _ => {}
    }
    Spoken { verdict: verdict.clone(), stale, to_us }
}

/// The findings in their order, each with the bot's row; then the rows that nothing was predicted for.
pub fn compare<'a>(findings: &'a [Finding], verdict: Option<&'a Verdict>) -> Vec<Pair<'a>> {
    let rows = verdict.map(|verdict| verdict.rows.as_slice()).unwrap_or_default();
    let about = |row: &CheckRow, finding: &Finding| match &row.key {
        Some(key) => *key == finding.key,
        // A check that no policy knows has its number for a name.
        None => finding.key.as_str() == format!("check_{}", row.number),
    };
    let pair = |finding: &'a Finding| {
        let row = rows.iter().filter(|row| about(row, finding)).max_by_key(|row| row.status);
        Pair { finding: Some(finding), row, fit: row.map_or(Fit::Open, |row| fit(finding.status, row.status)) }
    };
    let mut out: Vec<Pair<'a>> = findings.iter().map(pair).collect();
    let alone = rows.iter().filter(|row| !findings.iter().any(|finding| about(row, finding)));
    out.extend(alone.map(|row| Pair { finding: None, row: Some(row), fit: Fit::Open }));
    out
}

fn fit(predicted: Status, said: CheckStatus) -> Fit {
    match (predicted, said) {
        (Status::NeedsYou | Status::Unavailable, _) => Fit::Open,
        (Status::Pass, CheckStatus::Pass)
        | (Status::Warn, CheckStatus::Warn)
        | (Status::Fail, CheckStatus::Fail)
        | (Status::NotApplicable, CheckStatus::NotApplicable) => Fit::Same,
        _ => Fit::Differs,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::ids::{CommentId, Login, Sha};
    use crate::core::policy::Confidence;
    use crate::core::policy::tests::policy;
    use crate::core::sample::{World, actor, comment};
    use crate::core::time::Time;

    const OLD: &str = "1111111110a1b2c3d4e5f60718293a4b5c6d7e8f";

    fn at(minute: u32) -> Option<Time> {
        format!("2026-08-20T12:{minute:02}:00Z").parse().ok()
    }

    fn said(id: u64, by: &str, minute: u32, body: &str) -> Comment {
        Comment { created_at: at(minute), updated_at: at(minute), ..comment(id, actor(by, id), body) }
    }

    fn signoff(id: u64, by: &str, minute: u32) -> Comment {
        said(id, by, minute, "As a PR reviewer and CODEOWNER, I have reviewed this and have:\n- [x] all")
    }

    fn verdict(id: u64, minute: u32, commit: &str, answers: Option<u64>, rows: &str) -> Comment {
        let mark = answers.map_or_else(|| format!(" sha={commit}"), |id| format!(" signoff=issuecomment-{id}"));
        let word = if rows.contains("FAIL") { "❌❌❌ REJECTED" } else { "✅✅✅ PASS" };
        let body = format!("<!-- codeowner-signoff-verify{mark} -->\n## {word}\n{rows}\n\nAssessed commit: `{commit}`");
        said(id, "Klaud-Cold", minute, &body)
    }

    const GREEN: &str = "✅ **Check 1 (sweep):** PASS — green\n✅ **Check 2 (evals):** PASS — above";
    const RED: &str = "✅ **Check 1 (sweep):** PASS — green\n❌ **Check 2 (evals):** FAIL — below";

    fn spoken(comments: Vec<Comment>) -> Option<Spoken> {
        let policy = policy();
        let world = World { comments, ..World::new() };
        let facts = world.opened(&policy);
        Said::default().reread(&policy, &facts).spoken(&policy, &facts)
    }

    fn head() -> String {
        World::new().opened(&policy()).head().unwrap().to_string()
    }

    fn viewer() -> String {
        World::new().opened(&policy()).viewer.value().unwrap().login.to_string()
    }

    #[test]
    fn the_verdict_that_answers_the_viewer_counts_before_newer_ones() {
        let (head, me) = (head(), viewer());
        assert_eq!(spoken(vec![]), None);
        let got = spoken(vec![
            signoff(1, &me, 1),
            signoff(2, "other", 2),
            verdict(3, 3, &head, Some(1), GREEN),
            verdict(4, 4, &head, Some(2), RED),
        ]);
        let got = got.unwrap();
        assert_eq!((got.to_us, got.stale.len(), got.verdict.rows.len()), (true, 0, 2));
        // Before anything is posted, what the bot said to somebody else about this head is told.
        let got = spoken(vec![signoff(2, "other", 2), verdict(4, 4, &head, Some(2), RED)]).unwrap();
        assert_eq!((got.to_us, got.stale), (false, vec![]));
    }

    #[test]
    fn what_counts_no_more_says_why() {
        let (head, me) = (head(), viewer());
        let table: [(Vec<Comment>, &str); 5] = [
            (vec![verdict(3, 3, OLD, None, GREEN)], "It is about 111111111"),
            (vec![signoff(1, &me, 9), verdict(3, 3, &head, Some(1), GREEN)], "was edited after it"),
            (vec![signoff(1, &me, 9), verdict(3, 3, &head, None, GREEN)], "was edited after it"),
            (vec![verdict(3, 3, &head, Some(77), GREEN)], "is gone"),
            (
                vec![said(3, "Klaud-Cold", 3, "<!-- codeowner-signoff-verify -->\n## ✅✅✅ PASS\n")],
                "does not say which commit",
            ),
        ];
        for (comments, why) in table {
            let got = spoken(comments).unwrap();
            assert!(got.stale.iter().any(|said| said.contains(why)), "{why}: {:?}", got.stale);
        }
        // One that counts is told before a newer one that does not.
        let got = spoken(vec![verdict(3, 3, &head, None, GREEN), verdict(4, 4, OLD, None, RED)]).unwrap();
        assert_eq!((got.stale.len(), got.verdict.commit), (0, Some(Sha(head.clone()))));
        // What a stranger writes is no verdict.
        let forged = Comment { author: actor("stranger", 5), ..verdict(3, 3, &head, None, GREEN) };
        assert_eq!(spoken(vec![forged]), None);
    }

    #[test]
    fn a_conversation_is_read_again_only_when_it_changed() {
        let policy = policy();
        let world = World { comments: vec![verdict(3, 3, OLD, None, GREEN)], ..World::new() };
        let mut facts = world.opened(&policy);
        let before = Said::default().reread(&policy, &facts);
        assert!(Arc::ptr_eq(&before.verdicts, &before.reread(&policy, &facts).verdicts));
        let later = World { comments: vec![], now: world.now + chrono::TimeDelta::minutes(1), ..world };
        crate::core::plan::absorb(&mut facts, later.reply(crate::core::plan::Read::Comments));
        assert!(before.reread(&policy, &facts).verdicts.is_empty());
    }

    #[test]
    fn rows_stand_beside_their_findings_and_no_row_is_lost() {
        let finding = |key: &str, status| Finding {
            key: key.into(),
            title: key.to_owned(),
            status,
            confidence: Confidence::Exact,
            brief: String::new(),
            reason: String::new(),
            notes: Vec::new(),
            number: None,
            evidence: Vec::new(),
            for_items: None,
        };
        let row = |number: u32, key: Option<&str>, status| CheckRow {
            number,
            name: format!("check {number}"),
            key: key.map(Into::into),
            status,
            reason: String::new(),
            line: 1,
        };
        let verdict = Verdict {
            overall: super::super::Overall::Rejected,
            form: None,
            commit: None,
            signoff: None,
            rows: vec![
                row(1, Some("sweep"), CheckStatus::Pass),
                row(2, Some("evals"), CheckStatus::Pass),
                row(3, Some("evals"), CheckStatus::Fail),
                row(17, None, CheckStatus::Pass),
                row(18, None, CheckStatus::Pass),
                row(4, Some("images"), CheckStatus::NotApplicable),
            ],
            problems: Vec::new(),
            published: true,
            author: Some(Login::from("bot")),
            at: None,
            url: None,
            id: Some(CommentId(1)),
        };
        let findings = [
            finding("sweep", Status::Pass),
            finding("evals", Status::Pass),
            finding("images", Status::Pass),
            finding("merge", Status::Warn),
            finding("check_17", Status::NeedsYou),
        ];
        let got = compare(&findings, Some(&verdict));
        let told: Vec<_> =
            got.iter().map(|pair| (pair.finding.map(|f| f.key.as_str()), pair.row.map(|row| row.number), pair.fit)).collect();
        assert_eq!(
            told,
            [
                (Some("sweep"), Some(1), Fit::Same),
                (Some("evals"), Some(3), Fit::Differs),
                (Some("images"), Some(4), Fit::Differs),
                (Some("merge"), None, Fit::Open),
                (Some("check_17"), Some(17), Fit::Open),
                (None, Some(18), Fit::Open),
            ]
        );
        assert!(compare(&findings, None).iter().all(|pair| pair.row.is_none() && pair.fit == Fit::Open));
    }
}
