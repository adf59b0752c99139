//! What an errand rests on and is seen by: what is read before it is sent and after, and whether it has happened.
//! Must not know: how reads are made.

use super::{Errand, PreparedErrand};
use crate::core::facts::Facts;
use crate::core::ids::{CommentId, RunId, UserId};
use crate::core::plan::{self, Read};
use crate::core::policy::Policy;
use crate::core::posting::text_digest;
use crate::core::remote::Remote;
use crate::core::trouble::Trouble;

/// By what an errand is seen to have happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trace {
    /// A comment of this account, newer than this one, with this text.
    Comment { author: UserId, newest: Option<CommentId>, digest: String },
    /// The label is there, or not.
    Label { name: String, on: bool },
    /// The run is at a later attempt, or not over any more.
    Attempt { run: RunId, above: u32 },
    /// The run is over.
    Over(RunId),
    /// Nothing that is read here shows it.
    Nowhere,
}

/// What a look brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sight {
    /// It has happened; with its page where it has one of its own.
    Seen {
        link: Option<String>,
    },
    NotSeen,
    /// What would show it was not read, or in part.
    Unread(String),
    /// Nothing here will ever show it.
    Hidden,
}

/// How far a read is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stand<'a> {
    Pending,
    Failed(&'a Trouble),
    Here,
}

impl Stand<'_> {
    /// Of one of the reads that [`Errand`]s ask for.
    pub fn of<'a>(facts: &'a Facts, read: &Read) -> Stand<'a> {
        fn of<T>(remote: Option<&Remote<T>>) -> Stand<'_> {
            match remote {
                Some(remote) if remote.is_pending() => Stand::Pending,
                Some(remote) => remote.trouble().map_or(Stand::Here, Stand::Failed),
                None => Stand::Here,
            }
        }
        match read {
            Read::Pull => of(Some(&facts.pull)),
            Read::Commits => of(Some(&facts.commits)),
            Read::Comments => of(Some(&facts.comments)),
            Read::Reviews => of(Some(&facts.reviews)),
            Read::LineComments => of(Some(&facts.line_comments)),
            Read::Runs { .. } => of(Some(&facts.runs)),
            Read::Run(run) => of(facts.single_runs.get(run)),
            Read::Jobs(run) => of(facts.jobs.get(run)),
            Read::Artifacts { run, .. } => of(facts.artifacts.get(run)),
            Read::Permission(login) => match of(facts.permissions.get(login)) {
                // Who may not ask is told by GitHub what it may do when it tries.
                Stand::Failed(_) => Stand::Here,
                stand => stand,
            },
            _ => Stand::Here,
        }
    }
}

impl Errand {
    fn run(&self) -> Option<RunId> {
        match self {
            Errand::Reuse { run } | Errand::RerunFailed { run } | Errand::RerunJob { run, .. } | Errand::Cancel { run } => {
                Some(*run)
            }
            Errand::AddLabel(_) | Errand::RemoveLabel(_) | Errand::Dispatch { .. } => None,
        }
    }

    /// What is read again between the person's word and the request.
    pub fn reads(&self, policy: &Policy, facts: &Facts) -> Vec<Read> {
        let mut out = vec![Read::Pull];
        // What it may start ends what is under way by then.
        let starts = !matches!(self, Errand::Reuse { .. } | Errand::Cancel { .. } | Errand::Dispatch { .. });
        out.extend(facts.pull.value().filter(|_| starts).map(plan::runs_of));
        match self {
            Errand::Reuse { run } => {
                let artifacts = Read::Artifacts { run: *run, name: policy.evals.artifact.clone() };
                out.extend([Read::Commits, Read::Comments, artifacts]);
            }
            Errand::AddLabel(_) | Errand::RemoveLabel(_) => out.push(Read::Comments),
            Errand::RerunFailed { run } | Errand::RerunJob { run, .. } => out.push(Read::Jobs(*run)),
            Errand::Cancel { .. } => {}
            Errand::Dispatch { .. } => out.extend([Read::Comments, Read::Reviews, Read::LineComments]),
        }
        out.extend(self.run().map(Read::Run));
        out.extend(facts.viewer.value().map(|viewer| Read::Permission(viewer.login.clone())));
        out
    }

    /// What may say something else afterwards.
    pub fn after(&self, facts: &Facts) -> Vec<Read> {
        match self {
            Errand::Reuse { .. } | Errand::Dispatch { .. } => vec![Read::Comments],
            Errand::AddLabel(_) | Errand::RemoveLabel(_) => {
                let runs = facts.pull.value().map(plan::runs_of);
                [Read::Pull, Read::LabelEvents].into_iter().chain(runs).collect()
            }
            Errand::RerunFailed { run } | Errand::RerunJob { run, .. } | Errand::Cancel { run } => {
                vec![Read::Run(*run), Read::Jobs(*run)]
            }
        }
    }
}

impl PreparedErrand {
    /// What shows whether it has happened.
    pub fn looks(&self) -> Vec<Read> {
        match &self.trace {
            Trace::Comment { .. } => vec![Read::Comments],
            Trace::Label { .. } => vec![Read::Pull],
            Trace::Attempt { run, .. } | Trace::Over(run) => vec![Read::Run(*run)],
            Trace::Nowhere => Vec::new(),
        }
    }

    /// Whether it has happened, by facts that were read after it was sent.
    pub fn sight(&self, facts: &Facts) -> Sight {
        let unread = |what: &str, trouble: Option<&Trouble>| {
            Sight::Unread(match trouble {
                Some(trouble) => format!("{what} cannot be read: {}", trouble.headline),
                None => format!("{what} was not read."),
            })
        };
        let seen = |seen: bool| if seen { Sight::Seen { link: None } } else { Sight::NotSeen };
        match &self.trace {
            Trace::Nowhere => Sight::Hidden,
            Trace::Label { name, on } => match facts.pull.settled() {
                Some(pull) => seen(pull.value.labels.contains(name) == *on),
                None => unread("The pull request", facts.pull.trouble()),
            },
            Trace::Comment { author, newest, digest } => {
                let comments = facts.comments.value().map(|list| list.items.as_slice()).unwrap_or_default();
                let ours = comments.iter().find(|comment| {
                    comment.author.id == Some(*author)
                        && newest.is_none_or(|newest| comment.id > newest)
                        && text_digest(&comment.body) == *digest
                });
                match (ours, facts.comments.settled()) {
                    (Some(ours), _) => Sight::Seen { link: Some(ours.url.clone()).filter(|url| !url.is_empty()) },
                    (None, Some(list)) => match list.value.render_gap() {
                        None => Sight::NotSeen,
                        Some(gap) => Sight::Unread(format!("The conversation was not read whole: {gap}")),
                    },
                    (None, None) => unread("The conversation", facts.comments.trouble()),
                }
            }
            Trace::Attempt { run, .. } | Trace::Over(run) => {
                let read = facts.single_runs.get(run);
                match (read.and_then(Remote::settled).map(|got| &got.value), &self.trace) {
                    (Some(now), Trace::Attempt { above, .. }) => seen(now.attempt > *above || now.status != "completed"),
                    (Some(now), _) => seen(now.status == "completed"),
                    (None, _) => unread(&format!("Run {run}"), read.and_then(Remote::trouble)),
                }
            }
        }
    }
}
