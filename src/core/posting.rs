//! Posting as a state machine: rechecked, confirmed, sent once; an unclear outcome is resolved by looking.
//! Must not know: how comments are sent, read or drawn.

use super::checklist::Signoff;
use super::conclusions::Conclusions;
use super::evidence::digest;
use super::facts::{DocumentKind, Facts};
use super::ids::{BlobId, CommentId, Key, PullNumber, RepoName, Sha, UserId};
use super::listing::Listing;
use super::plan::{self, Read};
use super::policy::{Confidence, Context, Finding, Policy, Status, findings, normalise};
use super::pull::{Comment, CommentPlace, Posted, Viewer};
use super::remote::Remote;
use super::session::{Draft, Way};
use super::time::Time;
use super::trouble::{Trouble, TroubleKind};
use super::verdict::SignoffRef;
use serde::{Deserialize, Serialize};
use std::fmt;

/// GitHub's own limit on a comment, in characters.
pub const MAX_CHARS: usize = 65_536;

/// GitHub's word for a review that nobody but its author sees yet.
pub const PENDING: &str = "PENDING";

/// How often GitHub is searched for a comment whose outcome is unclear, and how long apart.
pub const LOOKS: u8 = 3;
/// Seconds between two looks: three looks span more than ten seconds.
pub const LOOK_SECONDS: u64 = 6;

/// What came of sending a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sent {
    Posted(Posted),
    /// GitHub said no, or the request certainly never left: nothing was written.
    Refused(Trouble),
    /// It may have been written: only looking can tell.
    Unclear(Trouble),
}

/// What a sign-off goes out as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    New(Way),
    /// A sign-off of ours gets another text in its place.
    Edit(SignoffRef),
}

impl Default for Target {
    fn default() -> Self {
        Target::New(Way::Comment)
    }
}

impl Target {
    /// What the draft wants.
    pub fn of(draft: &Draft) -> Target {
        draft.edits.map_or(Target::New(draft.way), Target::Edit)
    }

    /// Where it stands once it is there.
    pub fn place(self) -> CommentPlace {
        match self {
            Target::New(Way::Comment) => CommentPlace::Conversation,
            Target::New(Way::Review | Way::Approve) => CommentPlace::Review,
            Target::Edit(signoff) => signoff.place,
        }
    }

    /// The read that tells whether it is there.
    pub fn read(self) -> Read {
        match self.place() {
            CommentPlace::Conversation => Read::Comments,
            CommentPlace::Review => Read::Reviews,
            CommentPlace::Line => Read::LineComments,
        }
    }

    /// What that read brought.
    pub fn list(self, facts: &Facts) -> &Remote<Listing<Comment>> {
        match self.place() {
            CommentPlace::Conversation => &facts.comments,
            CommentPlace::Review => &facts.reviews,
            CommentPlace::Line => &facts.line_comments,
        }
    }

    /// The sign-off that it edits, if it was read.
    pub fn edited(self, facts: &Facts) -> Option<&Comment> {
        let Target::Edit(signoff) = self else { return None };
        self.list(facts).value()?.items.iter().find(|comment| signoff.is(comment))
    }

    /// Two words at most: `conversation comment`.
    pub fn noun(self) -> &'static str {
        match (self, self.place()) {
            (Target::New(_), CommentPlace::Conversation) => "conversation comment",
            (Target::New(Way::Approve), _) => "approving review",
            (_, CommentPlace::Conversation) => "comment",
            (_, CommentPlace::Review) => "review",
            (_, CommentPlace::Line) => "line comment",
        }
    }
}

/// What will happen, in words.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::New(Way::Comment) => f.write_str("a new comment"),
            Target::New(Way::Review) => f.write_str("a review that comments"),
            Target::New(Way::Approve) => f.write_str("a review that approves"),
            Target::Edit(signoff) => write!(f, "edits {} {} in place", self.noun(), signoff.id),
        }
    }
}

/// The one request that writes a sign-off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letter {
    /// Under the name that it had when it was read last: a write is not led on to a new one.
    pub repo: RepoName,
    pub number: PullNumber,
    pub target: Target,
    /// The commit that a review is about.
    pub head: Sha,
    pub body: String,
}

/// Exactly what the person is asked to confirm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    pub text: String,
    pub target: Target,
    /// [`text_digest`] of what an edit replaces.
    pub before: Option<String>,
    /// Checks that certainly fail, each by its key and as the bot calls it: posted in spite of them, or not at all.
    pub despite: Vec<(Key, String)>,
    /// Whether GitHub merges by itself once all is approved; `None`: not told.
    pub auto_merge: Option<bool>,
    pub host: String,
    pub repo: RepoName,
    pub number: PullNumber,
    pub head: Sha,
    pub template: BlobId,
    pub viewer: Viewer,
    /// The newest of its kind when it was rechecked.
    pub newest: Option<CommentId>,
}

/// What is kept on disk before the comment is sent, so that a crash can be resolved by looking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// [`text_digest`] of the comment.
    pub digest: String,
    pub author: UserId,
    /// The newest of its kind before sending: a new one of ours has a higher id.
    pub newest: Option<CommentId>,
    pub head: Sha,
    pub at: Time,
    #[serde(default)]
    pub target: Target,
}

/// Where posting stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Posting {
    /// Nothing is on its way: the draft can be edited.
    #[default]
    Draft,
    /// Head, template, comments and every cited source are being read again.
    Rechecking {
        text: String,
    },
    /// Posting would be wrong, for these reasons.
    Blocked(Vec<Block>),
    /// Rechecked and waiting for the person's word.
    Confirming(Prepared),
    /// The word is given for what the bot will reject: it takes a second one, of its own.
    Warned(Prepared),
    /// The word is given: head, template and comments are read once more, since it may have taken an hour to give.
    Verifying(Prepared),
    /// The attempt is being written to disk.
    Recording(Prepared, Attempt),
    /// The one request is on its way.
    Sending(Attempt),
    /// The outcome is unclear: `looks` searches found nothing so far.
    Searching {
        attempt: Attempt,
        looks: u8,
        why: String,
    },
    Posted {
        url: String,
    },
    /// Nothing was written; the draft is kept.
    NotPosted {
        why: String,
        hint: String,
    },
}

impl Posting {
    /// One word for the log.
    pub fn name(&self) -> &'static str {
        match self {
            Posting::Draft => "draft",
            Posting::Rechecking { .. } => "rechecking",
            Posting::Blocked(_) => "blocked",
            Posting::Confirming(_) => "confirming",
            Posting::Warned(_) => "warned",
            Posting::Verifying(_) => "verifying",
            Posting::Recording(..) => "recording",
            Posting::Sending(_) => "sending",
            Posting::Searching { .. } => "searching",
            Posting::Posted { .. } => "posted",
            Posting::NotPosted { .. } => "not posted",
        }
    }

    /// What stands before the person as a question.
    pub fn question(&self) -> Option<&Prepared> {
        match self {
            Posting::Confirming(prepared) | Posting::Warned(prepared) => Some(prepared),
            _ => None,
        }
    }

    /// Whether a comment is being made ready, asked about, sent or looked for: nothing else is sent meanwhile, and nothing is
    /// read of the program's own accord.
    pub fn is_under_way(&self) -> bool {
        self.is_locked() || self.question().is_some() || matches!(self, Posting::Rechecking { .. })
    }

    /// Whether the text must not change now.
    pub fn is_locked(&self) -> bool {
        matches!(self, Posting::Verifying(_) | Posting::Recording(..) | Posting::Sending(_) | Posting::Searching { .. })
    }
}

/// A reason not to post.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// One sentence with the way on.
    pub reason: String,
    /// A page to look at.
    pub link: Option<String>,
}

impl Block {
    pub fn new(reason: impl Into<String>) -> Block {
        Block { reason: reason.into(), link: None }
    }

    pub fn linked(reason: impl Into<String>, link: &str) -> Block {
        Block { reason: reason.into(), link: Some(link.to_owned()) }
    }
}

impl Prepared {
    /// What is to be confirmed; `None` while head or viewer are not known. Whether it may be posted is
    /// [`super::checklist::blocks`]'.
    pub fn draw(
        policy: &Policy,
        facts: &Facts,
        draft: &Draft,
        signoff: &Signoff,
        conclusions: &Conclusions,
        text: String,
    ) -> Option<Prepared> {
        let target = Target::of(draft);
        // As it will be judged: what is open now stays open.
        let said = (text == signoff.rendered.text).then(|| signoff.said());
        let context = Context::new(policy, facts, conclusions, Some(&signoff.template), Some(&text), true);
        let judged = findings(&context.saying(said.as_deref()));
        let despite = predicted_failures(&judged).into_iter().map(|finding| (finding.key.clone(), called(finding))).collect();
        let newest = || target.list(facts).value()?.items.iter().map(|comment| comment.id).max();
        Some(Prepared {
            target,
            before: target.edited(facts).map(|comment| text_digest(&comment.body)),
            despite,
            auto_merge: facts.pull.value()?.auto_merge,
            host: draft.host.clone(),
            repo: facts.repository.value().map_or_else(|| facts.repo.clone(), |repository| repository.name.clone()),
            number: facts.number,
            head: facts.head()?.clone(),
            template: signoff.template.blob.clone(),
            viewer: facts.viewer.settled()?.value.clone(),
            newest: newest(),
            text,
        })
    }

    /// Whether a word given for `then` is a word for this too: the same text at the same head in the same place, and
    /// nothing that fails without the person knowing.
    pub fn is_as(&self, then: &Prepared) -> bool {
        let place = |of: &Prepared| (of.host.clone(), of.repo.clone(), of.number, of.target, of.viewer.id);
        let made = |of: &Prepared| (of.text.clone(), of.head.clone(), of.template.clone(), of.before.clone());
        place(self) == place(then)
            && made(self) == made(then)
            && (self.auto_merge == then.auto_merge || self.target != Target::New(Way::Approve))
            && self.despite.iter().all(|fails| then.despite.contains(fails))
    }

    /// The record that goes to disk before the request leaves.
    pub fn attempt(&self, now: Time) -> Attempt {
        Attempt {
            digest: text_digest(&self.text),
            author: self.viewer.id,
            newest: self.newest,
            head: self.head.clone(),
            at: now,
            target: self.target,
        }
    }

    pub fn letter(&self) -> Letter {
        Letter {
            repo: self.repo.clone(),
            number: self.number,
            target: self.target,
            head: self.head.clone(),
            body: self.text.clone(),
        }
    }

    /// The checks that certainly fail, for a sentence: `recipe (Check 3)`.
    pub fn failures(&self) -> String {
        self.despite.iter().map(|(_, called)| called.as_str()).collect::<Vec<_>>().join(", ")
    }
}

/// What the text rests on was read once, and could not be read again: nobody can say whether it still holds. What was never
/// read blocks nothing, since the text says so; what must be there for any post is `checklist::blocks`'. `again` is
/// [`plan::recheck`]'s.
pub fn not_read_again(facts: &Facts, again: &[Read]) -> Vec<Block> {
    let lost = |read: &Read| {
        let name = match read {
            Read::Later { measured, .. } => format!("comparison with {}", measured.short()),
            Read::Files => "changed files".to_owned(),
            Read::Commits => "commits".to_owned(),
            Read::Runs { .. } => "runs".to_owned(),
            Read::Document { kind: DocumentKind::Thresholds, .. } => "bars".to_owned(),
            Read::Jobs(run) => format!("jobs of run {run}"),
            Read::Artifacts { run, .. } => format!("artifacts of run {run}"),
            Read::Evals { run, .. } => format!("scores of run {run}"),
            Read::Results { run, .. } => format!("results of run {run}"),
            Read::Linked(pull) => format!("pull request {pull}"),
            Read::LinkedFile(file) => format!("file {file}"),
            Read::Master { name, .. } => format!("config file {name}"),
            Read::LabelEvents => "label events".to_owned(),
            Read::Permission(login) => format!("rights of {login}"),
            Read::Member { team, login } => format!("membership of {login} in {team}"),
            _ => return None,
        };
        let trouble = plan::lost_again(facts, read)?;
        Some(Block::new(format!("The {name} could not be read again. {}", trouble.sentence())))
    };
    again.iter().filter_map(lost).collect()
}

/// Checks that the bot will certainly fail: everything that decides them was read as stated.
pub fn predicted_failures(findings: &[Finding]) -> Vec<&Finding> {
    let certain = |finding: &&Finding| finding.status == Status::Fail && finding.confidence == Confidence::Exact;
    findings.iter().filter(certain).collect()
}

/// A check as the bot's answer names it.
fn called(finding: &Finding) -> String {
    match finding.number {
        Some(number) => format!("{} (Check {number})", finding.key),
        None => finding.key.to_string(),
    }
}

/// Whether a text that is no sign-off may be said on GitHub: the phrase that makes a sign-off wakes the bot wherever it
/// stands, in whatever case and however it is spaced or marked up.
pub fn may_be_said(policy: &Policy, text: &str) -> Result<(), Block> {
    let phrase = normalise(&policy.signoff.trigger);
    let said = text.to_lowercase().contains(&policy.signoff.trigger.to_lowercase()) || normalise(text).contains(&phrase);
    match said && !phrase.is_empty() {
        false => Ok(()),
        true => Err(Block::new(format!(
            "The text holds the phrase \"{}\", which makes a sign-off of any comment: say it in other words.",
            policy.signoff.trigger
        ))),
    }
}

/// Digest of a comment's text after line-end normalisation: GitHub may store CRLF and drops trailing space.
pub fn text_digest(text: &str) -> String {
    digest(text.replace("\r\n", "\n").trim_end().as_bytes())
}

/// Why an attempt's comment is not among those that were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Miss {
    /// No new one of ours says it.
    Nowhere,
    /// What was to be edited says something else.
    OtherText,
    /// What was to be edited is not there any more.
    Gone,
}

/// The comment of this attempt, if it is there. New: our account, newer than the newest seen, the same text, and of a review
/// the same word on the pull request. Edited: the one with its id, of our account, says our text now.
pub fn search<'a>(attempt: &Attempt, comments: &'a [Comment]) -> Result<&'a Comment, Miss> {
    let ours = |comment: &Comment| comment.author.id == Some(attempt.author);
    let says_it = |comment: &Comment| text_digest(&comment.body) == attempt.digest;
    match attempt.target {
        Target::New(way) => {
            let newer = |comment: &Comment| attempt.newest.is_none_or(|newest| comment.id > newest);
            let found = |comment: &&Comment| ours(comment) && newer(comment) && says_it(comment) && is_way(way, comment);
            comments.iter().find(found).ok_or(Miss::Nowhere)
        }
        Target::Edit(signoff) => {
            let there = comments.iter().find(|comment| signoff.is(comment)).ok_or(Miss::Gone)?;
            if ours(there) && says_it(there) { Ok(there) } else { Err(Miss::OtherText) }
        }
    }
}

/// Whether a comment stands there in this way. An approval may have been dismissed since.
fn is_way(way: Way, comment: &Comment) -> bool {
    let states: &[&str] = match way {
        Way::Comment => return comment.place == CommentPlace::Conversation,
        Way::Review => &["COMMENTED"],
        Way::Approve => &["APPROVED", "DISMISSED"],
    };
    let state = comment.detail.as_deref().unwrap_or_default();
    comment.place == CommentPlace::Review && states.iter().any(|known| known.eq_ignore_ascii_case(state))
}

impl Miss {
    /// What it means once enough whole lists were looked at.
    pub fn sentence(self, target: Target) -> String {
        match self {
            Miss::Nowhere => {
                let place = if target.place() == CommentPlace::Review { "The list of reviews" } else { "The conversation" };
                format!("{place} was searched {LOOKS} times and the {} is not there.", target.noun())
            }
            Miss::OtherText => {
                format!("The {} was looked at {LOOKS} times and says something else: the edit is not in it.", target.noun())
            }
            Miss::Gone => DELETED.replace("comment", target.noun()),
        }
    }

    /// The way on.
    pub fn hint(self) -> &'static str {
        match self {
            Miss::Gone => "W in the sign-off makes it a new one.",
            Miss::Nowhere | Miss::OtherText => "The draft is kept: press p to try again.",
        }
    }
}

/// Said where the comment that was to be edited is gone.
const DELETED: &str = "The comment was deleted meanwhile; the draft is kept: post a new one.";

/// What a refusal means to the person, headline and hint: an edit of what is not there any more is told apart.
pub fn refused(target: Target, trouble: Trouble) -> (String, String) {
    match (target, trouble.kind) {
        (Target::Edit(_), TroubleKind::NotFound | TroubleKind::Gone) => {
            (Miss::Gone.sentence(target), Miss::Gone.hint().to_owned())
        }
        _ => (trouble.headline, trouble.hint),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::policy::tests::policy;
    use crate::core::sample::{RUN, World, actor, comment, server_error};

    const OURS: SignoffRef = SignoffRef { place: CommentPlace::Conversation, id: CommentId(11) };

    fn attempt(target: Target) -> Attempt {
        Attempt {
            digest: text_digest("one\ntwo\n"),
            author: UserId(7),
            newest: Some(CommentId(10)),
            head: "h".into(),
            at: Default::default(),
            target,
        }
    }

    fn said(id: u64, author: u64, body: &str) -> Comment {
        comment(id, actor("a", author), body)
    }

    fn review(id: u64, state: &str, body: &str) -> Comment {
        Comment { place: CommentPlace::Review, detail: Some(state.to_owned()), ..said(id, 7, body) }
    }

    #[test]
    fn a_search_finds_only_ours_in_its_own_way() {
        let (new, review_of) = (Target::default(), |way| Target::New(way));
        let edit = Target::Edit(OURS);
        let elsewhere = Target::Edit(SignoffRef { place: CommentPlace::Review, ..OURS });
        let text = "one\ntwo\n";
        let table: [(Target, Comment, Option<Miss>); 18] = [
            (new, said(11, 7, "one\r\ntwo"), None),
            (new, said(10, 7, text), Some(Miss::Nowhere)),
            (new, said(11, 8, text), Some(Miss::Nowhere)),
            (new, said(11, 7, "one\ntwo!"), Some(Miss::Nowhere)),
            (new, review(11, "COMMENTED", text), Some(Miss::Nowhere)),
            (review_of(Way::Review), review(11, "COMMENTED", text), None),
            (review_of(Way::Review), review(11, "PENDING", text), Some(Miss::Nowhere)),
            (review_of(Way::Review), review(11, "APPROVED", text), Some(Miss::Nowhere)),
            (review_of(Way::Review), review(9, "COMMENTED", text), Some(Miss::Nowhere)),
            (review_of(Way::Review), said(11, 7, text), Some(Miss::Nowhere)),
            (review_of(Way::Approve), review(11, "APPROVED", text), None),
            (review_of(Way::Approve), review(11, "DISMISSED", text), None),
            (review_of(Way::Approve), review(11, "COMMENTED", text), Some(Miss::Nowhere)),
            (edit, said(11, 7, "one\r\ntwo"), None),
            (edit, said(11, 7, "as it was"), Some(Miss::OtherText)),
            (edit, said(11, 8, text), Some(Miss::OtherText)),
            (edit, said(12, 7, text), Some(Miss::Gone)),
            (elsewhere, said(11, 7, text), Some(Miss::Gone)),
        ];
        for (target, comment, missed) in table {
            assert_eq!(search(&attempt(target), std::slice::from_ref(&comment)).err(), missed, "{target:?} {comment:?}");
        }
        assert_eq!(Miss::Gone.sentence(edit), DELETED);
    }

    #[test]
    fn an_attempt_of_the_first_day_was_a_new_comment() {
        let old = r#"{"digest":"d","author":42,"newest":9,"head":"abc","at":"2026-08-11T12:00:01Z"}"#;
        let attempt: Attempt = serde_json::from_str(old).unwrap();
        assert_eq!(attempt.target, Target::New(Way::Comment));
        for target in [Target::New(Way::Approve), Target::Edit(OURS)] {
            let text = serde_json::to_string(&Attempt { target, ..attempt.clone() }).unwrap();
            assert_eq!(serde_json::from_str::<Attempt>(&text).unwrap().target, target, "{text}");
        }
    }

    #[test]
    fn what_was_read_once_and_cannot_be_read_again_is_named() {
        let (world, policy) = (World::new(), policy());
        let opened = world.opened(&policy);
        let needs = [Read::LabelEvents, Read::PendingComments(CommentId(3))];
        let again = plan::recheck(&opened, &policy, &[RUN], &needs);
        assert_eq!(not_read_again(&opened, &again), []);
        let gone = Trouble::new(TroubleKind::NotFound, "It is not there.", "");
        let jobs = format!("jobs of run {RUN}");
        // What is read again, its name, and whether a 404 is an answer: that the artifacts' scores are gone is one, that the
        // pull request has no files is none.
        type Is = fn(&Read) -> bool;
        let table: [(Is, &str, bool); 7] = [
            (|read| matches!(read, Read::Files), "changed files", false),
            (|read| matches!(read, Read::Commits), "commits", false),
            (|read| matches!(read, Read::Runs { .. }), "runs", false),
            (|read| matches!(read, Read::Document { kind: DocumentKind::Thresholds, .. }), "bars", false),
            (|read| matches!(read, Read::Jobs(_)), &jobs, true),
            (|read| matches!(read, Read::LabelEvents), "label events", true),
            // It is in the way of a review alone, which says so itself.
            (|read| matches!(read, Read::PendingComments(_)), "", true),
        ];
        for (is, name, may_be_gone) in table {
            for (trouble, blocks) in [(server_error(), !name.is_empty()), (gone.clone(), !may_be_gone)] {
                let mut facts = opened.clone();
                let read = again.iter().find(|read| is(read)).unwrap().clone();
                plan::absorb(&mut facts, world.reply(read.clone()));
                plan::absorb(&mut facts, plan::Reply { read: read.clone(), answer: Err(trouble.clone()), last: true });
                let told: Vec<String> = not_read_again(&facts, &again).into_iter().map(|block| block.reason).collect();
                let expected = format!("The {name} could not be read again. {}", trouble.sentence());
                assert_eq!(told, if blocks { vec![expected] } else { Vec::new() }, "{name} {trouble:?}");
                // What was never read is said in the text itself.
                let mut never = world.facts();
                plan::absorb(&mut never, plan::Reply { read, answer: Err(trouble.clone()), last: true });
                assert_eq!(not_read_again(&never, &again), []);
            }
        }
    }

    #[test]
    fn only_a_certain_failure_is_predicted() {
        let finding = |status, confidence| Finding {
            key: "recipe".into(),
            title: String::new(),
            status,
            confidence,
            brief: String::new(),
            reason: String::new(),
            notes: Vec::new(),
            number: Some(3),
            evidence: Vec::new(),
            for_items: None,
        };
        let table = [
            (Status::Fail, Confidence::Exact, true),
            (Status::Fail, Confidence::Derived, false),
            (Status::Fail, Confidence::Suspect, false),
            (Status::Warn, Confidence::Exact, false),
            (Status::NeedsYou, Confidence::Exact, false),
        ];
        for (status, confidence, fails) in table {
            let judged = [finding(status, confidence)];
            let called: Vec<String> = predicted_failures(&judged).into_iter().map(called).collect();
            assert_eq!(
                called,
                if fails { vec!["recipe (Check 3)".to_owned()] } else { Vec::new() },
                "{status:?} {confidence:?}"
            );
        }
    }

    #[test]
    fn the_phrase_goes_out_in_nothing_else() {
        let policy = policy();
        let phrase = policy.signoff.trigger.clone();
        let (upper, spaced, marked) = (phrase.to_uppercase(), phrase.replace(' ', " \n "), phrase.replace(' ', "** "));
        for text in [&phrase, &format!("> {phrase}, I"), &upper, &spaced, &marked, &format!("<!-- {phrase} -->")] {
            assert!(may_be_said(&policy, text).unwrap_err().reason.contains("other words"), "{text}");
        }
        for text in ["", "looks good", "As a PR reviewer I say"] {
            assert_eq!(may_be_said(&policy, text), Ok(()), "{text}");
        }
    }

    #[test]
    fn a_word_holds_for_what_it_was_given_for() {
        let prepared = Prepared {
            text: "t".into(),
            target: Target::Edit(OURS),
            before: Some("d".into()),
            despite: vec![("recipe".into(), "recipe".into())],
            auto_merge: Some(false),
            host: "h".into(),
            repo: RepoName { owner: "o".into(), name: "r".into() },
            number: PullNumber(7),
            head: "abc".into(),
            template: "b".into(),
            viewer: Viewer { login: "a".into(), id: UserId(7) },
            newest: None,
        };
        type Change = fn(&mut Prepared);
        let table: [(Change, bool); 9] = [
            (|_| (), true),
            (|now| now.newest = Some(CommentId(3)), true),
            (|now| now.auto_merge = Some(true), true),
            (|now| now.despite.clear(), true),
            (|now| now.despite.push(("sweep".into(), "sweep".into())), false),
            (|now| now.before = Some("other".into()), false),
            (|now| now.target = Target::New(Way::Comment), false),
            (|now| now.head = "def".into(), false),
            (|now| now.viewer.id = UserId(8), false),
        ];
        for (at, (change, holds)) in table.into_iter().enumerate() {
            let mut now = prepared.clone();
            change(&mut now);
            assert_eq!(now.is_as(&prepared), holds, "{at}");
        }
        let approving = Prepared { target: Target::New(Way::Approve), ..prepared };
        let merging = Prepared { auto_merge: Some(true), ..approving.clone() };
        assert!(!merging.is_as(&approving), "an approval that merges is another thing");
    }
}
