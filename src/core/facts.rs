//! All that is known about one pull request: what panes show, rules see, the comment cites and a snapshot holds.
//! Must not know: how it is fetched, what is concluded from it.

use super::evals::EvalRow;
use super::ids::{BlobId, CommentId, FileRef, JobId, Login, PullNumber, PullRef, RepoName, RunId, Sha, Team};
use super::listing::Listing;
use super::pull::{
    Artifact, ChangedFile, Comment, Commit, CommitStatus, Document, Folder, Job, LabelEvent, Later, LinkedPull, Permission,
    Pull, Repository, Run, Viewer,
};
use super::remote::Remote;
use super::results::ResultRow;
use super::time::{Day, Time};
use super::trouble::TroubleKind;
use chrono::{DurationRound, NaiveTime, TimeDelta};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Which side of the pull request a changed file was read at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// At the merge base.
    Base,
    Head,
}

/// A document that rules and texts are made from, by what it is and not by where it lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DocumentKind {
    /// The page that holds the sign-off template.
    Checklist,
    /// The bars that eval scores must reach.
    Thresholds,
    /// What the bot is told to check.
    Verifier,
    /// Who owns which paths.
    Owners,
    /// Which models and scenarios are still measured.
    Models,
}

impl DocumentKind {
    pub const ALL: [DocumentKind; 5] =
        [DocumentKind::Checklist, DocumentKind::Thresholds, DocumentKind::Verifier, DocumentKind::Owners, DocumentKind::Models];

    /// The word in the policy file.
    pub fn word(self) -> &'static str {
        match self {
            DocumentKind::Checklist => "checklist",
            DocumentKind::Thresholds => "thresholds",
            DocumentKind::Verifier => "verifier",
            DocumentKind::Owners => "owners",
            DocumentKind::Models => "models",
        }
    }
}

/// A folder whose files rules compare, by what it is for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FolderKind {
    /// Golden acceptance lengths, on the default branch.
    Curves,
    /// What lies beside a changed script or recipe, at the head.
    Siblings(String),
    /// Waivers of engine patches, on the default branch.
    Waivers,
}

/// A changed file whose content matters to rules: its path (at the head, or the old one) and the side.
pub type SidePath = (Side, String);

/// Everything known, at one head commit. Lists come whole or say what is missing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// Where people see this repository: `https://github.com`, without a slash at the end.
    pub web: String,
    pub repo: RepoName,
    pub number: PullNumber,
    /// The UTC day that dated rules compare with: the one on which the bot reads the sign-off.
    #[serde(default)]
    pub day: Option<Day>,
    /// The time by which hours are counted; it counts only while it lies on [`Facts::day`]. `None`: days are all there is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub now: Option<Time>,
    /// Who signs, where it is not the viewer.
    #[serde(default)]
    pub signer: Option<Login>,
    /// Failed with `Access` when there is no token: read-only.
    pub viewer: Remote<Viewer>,
    pub repository: Remote<Repository>,
    pub pull: Remote<Pull>,
    pub merge_base: Remote<Sha>,
    /// What came after a measured commit, by that commit and the head.
    #[serde(default, with = "pairs")]
    pub later: BTreeMap<(Sha, Sha), Remote<Later>>,
    pub files: Remote<Listing<ChangedFile>>,
    pub commits: Remote<Listing<Commit>>,
    /// Conversation comments, oldest first.
    pub comments: Remote<Listing<Comment>>,
    pub reviews: Remote<Listing<Comment>>,
    pub line_comments: Remote<Listing<Comment>>,
    /// Inline comments that wait in a pending review of the viewer's, per review: how many is all that is kept of a draft
    /// that nobody else sees.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pending_comments: BTreeMap<CommentId, Remote<Listing<CommentId>>>,
    /// Runs of the head branch and of the head commit, newest first, every workflow.
    pub runs: Remote<Listing<Run>>,
    /// Runs that were read again one by one; the list says the same of them, and is no newer or fuller for it.
    #[serde(skip)]
    pub single_runs: BTreeMap<RunId, Remote<Run>>,
    /// Jobs of all attempts, per run.
    pub jobs: BTreeMap<RunId, Remote<Listing<Job>>>,
    /// Artifacts with the names that the policy asks for, per run.
    pub artifacts: BTreeMap<RunId, Remote<Listing<Artifact>>>,
    pub evals: BTreeMap<RunId, Remote<Listing<EvalRow>>>,
    /// Measured points, of the runs that rules ask for. A run that kept none has failed with `NotFound`, which is a fact.
    #[serde(default)]
    pub results: BTreeMap<RunId, Remote<Listing<ResultRow>>>,
    /// Documents at the tip of the default branch: never from the head, which may not edit its own judge.
    #[serde(with = "pairs")]
    pub documents: BTreeMap<DocumentKind, Remote<Document>>,
    /// Names at the top of the default branch: which layout it has, told by one request.
    #[serde(default)]
    pub top: Remote<Vec<String>>,
    /// Config files of the default branch, by the policy's name for each.
    #[serde(default)]
    pub masters: BTreeMap<String, Remote<Document>>,
    /// Config files, scripts and recipes at the merge base and at the head. One that does not exist there has failed with
    /// `NotFound`, which is a fact.
    #[serde(with = "pairs")]
    pub sides: BTreeMap<SidePath, Remote<Document>>,
    #[serde(default, with = "pairs")]
    pub folders: BTreeMap<FolderKind, Remote<Folder>>,
    /// Texts by blob.
    #[serde(default)]
    pub blobs: BTreeMap<BlobId, Remote<String>>,
    /// When labels came and went, oldest first.
    #[serde(default)]
    pub label_events: Remote<Listing<LabelEvent>>,
    /// What apps say of the head commit.
    #[serde(default)]
    pub statuses: Remote<Listing<CommitStatus>>,
    /// The newest runs of the bot that reads sign-offs, of every pull request.
    #[serde(default)]
    pub bot_runs: Remote<Listing<Run>>,
    /// What people may do here.
    #[serde(default)]
    pub permissions: BTreeMap<Login, Remote<Permission>>,
    /// Whether somebody is in a team. Teams that the token may not see have failed.
    #[serde(default, with = "pairs")]
    pub members: BTreeMap<(Team, Login), Remote<bool>>,
    /// Pull requests elsewhere that the sign-off links.
    #[serde(default, with = "pairs")]
    pub linked: BTreeMap<PullRef, Remote<LinkedPull>>,
    /// Files elsewhere that the sign-off links.
    #[serde(default, with = "pairs")]
    pub linked_files: BTreeMap<FileRef, Remote<Document>>,
}

impl Facts {
    pub fn new(web: &str, repo: RepoName, number: PullNumber) -> Facts {
        Facts {
            web: web.trim_end_matches('/').to_owned(),
            repo,
            number,
            day: None,
            now: None,
            signer: None,
            viewer: Remote::Idle,
            repository: Remote::Idle,
            pull: Remote::Idle,
            merge_base: Remote::Idle,
            later: BTreeMap::new(),
            files: Remote::Idle,
            commits: Remote::Idle,
            comments: Remote::Idle,
            reviews: Remote::Idle,
            line_comments: Remote::Idle,
            pending_comments: BTreeMap::new(),
            runs: Remote::Idle,
            single_runs: BTreeMap::new(),
            jobs: BTreeMap::new(),
            artifacts: BTreeMap::new(),
            evals: BTreeMap::new(),
            results: BTreeMap::new(),
            documents: BTreeMap::new(),
            top: Remote::Idle,
            masters: BTreeMap::new(),
            sides: BTreeMap::new(),
            folders: BTreeMap::new(),
            blobs: BTreeMap::new(),
            label_events: Remote::Idle,
            statuses: Remote::Idle,
            bot_runs: Remote::Idle,
            permissions: BTreeMap::new(),
            members: BTreeMap::new(),
            linked: BTreeMap::new(),
            linked_files: BTreeMap::new(),
        }
    }

    /// Who signs: the one who was named, else whoever the token belongs to.
    pub fn signer(&self) -> Option<&Login> {
        self.signer.as_ref().or_else(|| self.viewer.value().map(|viewer| &viewer.login))
    }

    /// Takes the time, and the day where another one than today was named. Says whether a rule may now say something else:
    /// rules count in whole hours, so within one nothing changes.
    pub fn turn_to(&mut self, now: Time, named: Option<Day>) -> bool {
        let hour = |time: Time| time.duration_trunc(TimeDelta::hours(1)).ok();
        let day = Some(named.unwrap_or_else(|| now.date_naive()));
        if self.day == day && self.now.and_then(hour) == hour(now) {
            return false;
        }
        (self.day, self.now) = (day, Some(now));
        true
    }

    /// The time that counts: now, or the beginning of another day that was named.
    pub fn time(&self) -> Option<Time> {
        let day = self.day?;
        let now = self.now.filter(|now| now.date_naive() == day);
        Some(now.unwrap_or_else(|| day.and_time(NaiveTime::MIN).and_utc()))
    }

    /// What is left until the end of a day (24:00 UTC), where the time of the day that counts is known.
    pub fn left_of(&self, last: Day) -> Option<TimeDelta> {
        let now = self.now.filter(|now| Some(now.date_naive()) == self.day)?;
        let end = last.succ_opt()?.and_time(NaiveTime::MIN).and_utc();
        Some(end - now).filter(|left| *left >= TimeDelta::zero())
    }

    pub fn head(&self) -> Option<&Sha> {
        self.pull.value().map(|pull| &pull.head)
    }

    /// A page of the repository on the web host of this pull request: made from names and numbers that we know, so that
    /// no answer can bend a link of ours. `path` is what follows `owner/name/`.
    pub fn page(&self, path: &str) -> String {
        let repo = self.repository.value().map_or(&self.repo, |repository| &repository.name);
        format!("{}/{repo}/{path}", self.web)
    }

    /// Why runs of earlier commits are not among the runs; `None` where they were asked for.
    pub fn runs_of_head_only(&self) -> Option<String> {
        let pull = self.pull.value().filter(|pull| pull.head_branch_is_taken())?;
        Some(format!(
            "Only runs of the head commit are listed: the fork's branch is called {} like one of this repository, and GitHub \
             lists runs by that name.",
            pull.head_branch
        ))
    }

    /// What could not be read, or only in part, a sentence each. A side that a changed file does not have is no gap, nor are
    /// results that no run kept.
    pub fn gaps(&self) -> Vec<String> {
        fn one<T>(name: &str, remote: &Remote<T>) -> Option<String> {
            remote.trouble().map(|trouble| format!("{name}: {}", trouble.sentence()))
        }
        fn list<T>(name: &str, remote: &Remote<Listing<T>>) -> Option<String> {
            let partial = || Some(format!("{name}: {}", remote.value()?.render_gap()?));
            one(name, remote).or_else(partial)
        }
        let mut out = vec![
            one("Your account", &self.viewer),
            one("Repository", &self.repository),
            one("Pull request", &self.pull),
            one("Merge base", &self.merge_base),
            list("Changed files", &self.files),
            list("Commits", &self.commits),
            list("Comments", &self.comments),
            list("Reviews", &self.reviews),
            list("Line comments", &self.line_comments),
            list("Runs", &self.runs),
        ];
        out.extend(self.later.iter().map(|((measured, _), later)| {
            let name = format!("What came after {}", measured.short());
            let partial = || Some(format!("{name}: {}", later.value()?.files.render_gap()?));
            one(&name, later).or_else(partial)
        }));
        // Of a review that was submitted or discarded meanwhile there are none.
        let pending = self.pending_comments.values().filter(|comments| there(comments));
        out.extend(pending.map(|comments| list("Inline comments of your pending review", comments)));
        out.extend(self.jobs.iter().map(|(run, jobs)| list(&format!("Jobs of run {run}"), jobs)));
        out.extend(self.artifacts.iter().map(|(run, artifacts)| list(&format!("Artifacts of run {run}"), artifacts)));
        out.extend(self.evals.iter().map(|(run, rows)| list(&format!("Scores of run {run}"), rows)));
        fn there<T>(remote: &Remote<T>) -> bool {
            remote.trouble().is_none_or(|why| why.kind != TroubleKind::NotFound)
        }
        out.extend(self.sides.iter().filter(|(_, file)| there(file)).map(|((_, path), file)| one(path, file)));
        let results = self.results.iter().filter(|(_, rows)| there(rows));
        out.extend(results.map(|(run, rows)| list(&format!("Results of run {run}"), rows)));
        // Without a template there is no sign-off; any other document may be missing.
        let wanted =
            |(kind, document): &(&DocumentKind, &Remote<Document>)| **kind == DocumentKind::Checklist || there(document);
        out.extend(
            self.documents.iter().filter(wanted).map(|(kind, document)| one(&format!("Document {}", kind.word()), document)),
        );
        out.push(one("Top of the default branch", &self.top));
        out.push(list("Label events", &self.label_events));
        out.extend(
            self.masters.iter().filter(|(_, file)| there(file)).map(|(name, file)| one(&format!("Config file {name}"), file)),
        );
        out.extend(
            self.folders.iter().filter(|(_, folder)| there(folder)).map(|(of, folder)| one(&format!("Folder {of:?}"), folder)),
        );
        out.extend(self.blobs.iter().map(|(blob, text)| one(&format!("Blob {blob}"), text)));
        out.extend(self.linked.iter().map(|(pull, linked)| one(&pull.to_string(), linked)));
        let linked = self.linked_files.iter().filter(|(_, file)| there(file));
        out.extend(linked.map(|(name, file)| one(&name.to_string(), file)));
        out.into_iter().flatten().collect()
    }

    /// When the oldest was read of what can change; what belongs to a commit or an artifact is as good as new.
    pub fn oldest(&self) -> Option<Time> {
        fn of<T>(remote: &Remote<T>) -> Option<Time> {
            remote.known().map(|got| got.source.read_at)
        }
        let single = [
            of(&self.repository),
            of(&self.pull),
            of(&self.files),
            of(&self.commits),
            of(&self.comments),
            of(&self.reviews),
            of(&self.line_comments),
            of(&self.runs),
        ];
        let many = self.jobs.values().map(of).chain(self.artifacts.values().map(of)).chain(self.documents.values().map(of));
        single.into_iter().chain(many).flatten().min()
    }

    pub fn document(&self, kind: DocumentKind) -> Option<&Remote<Document>> {
        self.documents.get(&kind)
    }

    /// Whether `sha` is one of the pull request's commits: `None` while that cannot be said (a partial list may hide it).
    pub fn has_commit(&self, sha: &Sha) -> Option<bool> {
        let commits = self.commits.value()?;
        let found = commits.items.iter().any(|commit| &commit.sha == sha) || self.head() == Some(sha);
        (found || commits.is_complete()).then_some(found)
    }

    /// One execution of a job.
    pub fn job(&self, run: RunId, id: JobId) -> Option<&Job> {
        self.jobs.get(&run)?.value()?.items.iter().rfind(|job| job.id == id)
    }
}

/// Maps whose keys are not strings, as lists of pairs in JSON.
mod pairs {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::collections::BTreeMap;

    pub fn serialize<K: Serialize, V: Serialize, S: Serializer>(map: &BTreeMap<K, V>, out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(map.iter())
    }

    pub fn deserialize<'de, K: Deserialize<'de> + Ord, V: Deserialize<'de>, D: Deserializer<'de>>(
        input: D,
    ) -> Result<BTreeMap<K, V>, D::Error> {
        Ok(Vec::<(K, V)>::deserialize(input)?.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::policy::tests::policy;
    use crate::core::sample::{World, server_error};
    use crate::core::trouble::Trouble;

    #[test]
    fn hours_are_left_only_on_the_day_that_counts() {
        let mut facts = World::new().facts();
        let at = |text: &str| text.parse::<Time>().unwrap();
        let day = |text: &str| text.parse::<Day>().unwrap();
        assert_eq!(facts.left_of(day("2026-08-14")), None, "no clock");
        assert!(facts.turn_to(at("2026-08-13T17:20:00Z"), None));
        assert!(!facts.turn_to(at("2026-08-13T17:59:59Z"), None), "within an hour nothing changes");
        assert!(facts.turn_to(at("2026-08-13T18:00:00Z"), None));
        assert_eq!(facts.day, Some(day("2026-08-13")));
        assert_eq!(facts.left_of(day("2026-08-14")), Some(TimeDelta::hours(30)));
        assert_eq!(facts.time(), Some(at("2026-08-13T18:00:00Z")));
        assert!(!facts.turn_to(at("2026-08-13T18:00:01Z"), None));
        assert_eq!(facts.left_of(day("2026-08-13")), Some(TimeDelta::hours(6)));
        assert_eq!(facts.left_of(day("2026-08-12")), None, "over");
        assert!(facts.turn_to(at("2026-08-13T18:00:00Z"), Some(day("2026-09-01"))), "another day is named");
        assert_eq!(facts.left_of(day("2026-09-02")), None, "and has no hours");
        assert_eq!(facts.time(), Some(at("2026-09-01T00:00:00Z")));
    }

    #[test]
    fn what_was_not_read_whole_is_told_and_nothing_else() {
        assert_eq!(World::new().opened(&policy()).gaps(), Vec::<String>::new());
        let world = World::new();
        let jobs = Listing::partial(world.jobs.items.clone(), Some(240), server_error());
        let mut facts = World { jobs, viewer: Err(server_error()), ..world }.opened(&policy());
        let side = |trouble| Remote::Failed { trouble, last: None };
        let absent = Trouble::new(TroubleKind::NotFound, "x", "");
        let lost = |trouble| Remote::Failed { trouble, last: None };
        facts.pending_comments.insert(CommentId(1), lost(absent.clone()));
        facts.pending_comments.insert(CommentId(2), lost(server_error()));
        facts.sides.insert((Side::Base, "new.yaml".into()), side(absent));
        facts.sides.insert((Side::Head, "lost.yaml".into()), side(server_error()));
        let gaps = facts.gaps();
        let begins = ["Your account: ", "Inline comments of your pending review: ", "Jobs of run ", "lost.yaml: "];
        assert_eq!(gaps.len(), begins.len(), "{gaps:?}");
        assert!(gaps.iter().zip(begins).all(|(gap, begin)| gap.starts_with(begin)), "{gaps:?}");
    }
}
