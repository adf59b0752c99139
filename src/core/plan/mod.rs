//! What to read next, as a pure function of what is known: the screen and the headless commands open a pull request
//! by the same plan, level by level, each level in parallel.
//! Must not know: HTTP; it names things, `github::calls` knows their addresses.

mod absorb;
mod counts;

pub use absorb::{absorb, is_loading, start, stop};

use super::evals::EvalRow;
use super::evidence::Source;
use super::facts::{DocumentKind, Facts, FolderKind, Side, SidePath};
use super::ids::{ArtifactId, BlobId, CommentId, FileRef, Login, PullRef, RunId, Sha, Team};
use super::listing::Listing;
use super::policy::Policy;
use super::pull::{
    Artifact, ChangedFile, Comment, Commit, CommitStatus, Document, Folder, Job, LabelEvent, Later, LinkedPull, Permission,
    Pull, Repository, Run, Viewer,
};
use super::remote::Remote;
use super::results::ResultRow;
use super::trouble::Trouble;
use absorb::{Slot, slot};
use serde::{Deserialize, Serialize};

/// One thing to read. Comparable, so that a test can ask what would have been read.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Read {
    Viewer,
    Repository,
    Pull,
    /// All changed files, at most 3,000.
    Files,
    /// All commits, at most 250.
    Commits,
    Comments,
    Reviews,
    LineComments,
    /// Inline comments that wait in a pending review of the viewer's.
    PendingComments(CommentId),
    /// The commit where head left the base branch.
    MergeBase {
        base: Sha,
        head: Sha,
    },
    /// What differs between a commit of the pull request that was measured and its head: at most 300 files.
    Later {
        measured: Sha,
        head: Sha,
    },
    /// Runs of the head branch and of the head commit, every workflow and event; without a branch, of the commit alone.
    Runs {
        branch: Option<String>,
        head: Sha,
    },
    /// One run anew.
    Run(RunId),
    /// All jobs of all attempts.
    Jobs(RunId),
    /// The run's artifacts of one name.
    Artifacts {
        run: RunId,
        name: String,
    },
    /// Downloads an artifact and reads the eval rows in it.
    Evals {
        run: RunId,
        artifact: ArtifactId,
    },
    /// Looks for the run's result artifacts and reads the measured points in them: the one that holds all, else those whose
    /// names begin with `parts`.
    Results {
        run: RunId,
        artifact: String,
        parts: Option<String>,
    },
    /// Names at the top of the default branch, which has this name.
    Top {
        branch: String,
    },
    /// The first of `paths` that exists on the default branch.
    Document {
        kind: DocumentKind,
        paths: Vec<String>,
    },
    /// The config file that the policy calls `name`, on the default branch.
    Master {
        name: String,
        paths: Vec<String>,
    },
    /// A file at one side.
    SideFile {
        side: Side,
        path: String,
        commit: Sha,
    },
    /// The first of `paths` that is a folder at the commit, or on the default branch.
    Folder {
        of: FolderKind,
        paths: Vec<String>,
        commit: Option<Sha>,
    },
    /// A text by its blob.
    Blob(BlobId),
    /// When labels came and went.
    LabelEvents,
    /// What apps say of a commit.
    Statuses {
        commit: Sha,
    },
    /// The newest runs of a workflow: a page of them.
    BotRuns {
        /// The name of its file.
        workflow: String,
    },
    /// What somebody may do in the repository.
    Permission(Login),
    /// Whether somebody is in a team.
    Member {
        team: Team,
        login: Login,
    },
    /// A pull request elsewhere, with its files.
    Linked(PullRef),
    /// A file elsewhere, as a [`Answer::Document`].
    LinkedFile(FileRef),
}

/// What a [`Read`] brings, of the same name.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    Viewer(Viewer),
    Repository(Repository),
    Pull(Pull),
    Files(Listing<ChangedFile>),
    Commits(Listing<Commit>),
    Comments(Listing<Comment>),
    Reviews(Listing<Comment>),
    LineComments(Listing<Comment>),
    PendingComments(Listing<CommentId>),
    MergeBase(Sha),
    Later(Later),
    Runs(Listing<Run>),
    Run(Run),
    Jobs(Listing<Job>),
    Artifacts(Listing<Artifact>),
    Evals(Listing<EvalRow>),
    Results(Listing<ResultRow>),
    Top(Vec<String>),
    Document(Document),
    Master(Document),
    SideFile(Document),
    Folder(Folder),
    Blob(String),
    LabelEvents(Listing<LabelEvent>),
    Statuses(Listing<CommitStatus>),
    BotRuns(Listing<Run>),
    Permission(Permission),
    Member(bool),
    Linked(LinkedPull),
}

/// One answer to one read; a list may answer page by page, `last` marks the end.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    pub read: Read,
    pub answer: Result<(Answer, Source), Trouble>,
    pub last: bool,
}

/// Sweep runs of whatever commit whose jobs are read without being asked for, newest first.
const EAGER_RUNS: usize = 8;

/// What to read now: everything not asked for yet whose prerequisites are known. `needs` is what the rules want besides
/// ([`super::policy::needs`]).
pub fn due(facts: &Facts, policy: &Policy, needs: &[Read]) -> Vec<Read> {
    let mut out = Vec::new();
    let mut want = |read: Read| {
        if slot(facts, &read).is_none_or(Slot::is_idle) && !out.contains(&read) {
            out.push(read);
        }
    };
    [Read::Viewer, Read::Repository, Read::Pull, Read::Files, Read::Commits].into_iter().for_each(&mut want);
    [Read::Comments, Read::Reviews, Read::LineComments].into_iter().for_each(&mut want);
    // Ahead of all that nothing waits for: what a run holds is found in three steps more.
    let head = facts.head();
    let measured = sweep_runs(facts, policy).find(|run| Some(&run.head) == head && run.status == "completed");
    for run in read_runs(facts, policy) {
        want(Read::Jobs(run.id));
        want(Read::Artifacts { run: run.id, name: policy.evals.artifact.clone() });
        let artifact =
            facts.artifacts.get(&run.id).and_then(Remote::settled).and_then(|list| newest_readable(&list.value.items));
        if let Some(artifact) = artifact {
            want(Read::Evals { run: run.id, artifact: artifact.id });
        }
        if let Some(results) = policy.results.as_ref().filter(|_| measured.is_some_and(|measured| measured.id == run.id)) {
            want(Read::Results { run: run.id, artifact: results.artifact.clone(), parts: results.parts.clone() });
        }
    }
    top_of(facts).into_iter().for_each(&mut want);
    documents(facts, policy).into_iter().for_each(&mut want);
    if let Some(pull) = facts.pull.value() {
        want(Read::MergeBase { base: pull.base.clone(), head: pull.head.clone() });
        want(runs_of(pull));
        for (side, path) in config_sides(facts, policy) {
            if let Some(commit) = commit_of(facts, side) {
                want(Read::SideFile { side, path, commit: commit.clone() });
            }
        }
    }
    needs.iter().cloned().for_each(&mut want);
    out
}

/// The commit of a side, as far as it is known.
fn commit_of(facts: &Facts, side: Side) -> Option<&Sha> {
    match side {
        Side::Head => facts.head(),
        Side::Base => facts.merge_base.settled().map(|got| &got.value),
    }
}

fn top_of(facts: &Facts) -> Option<Read> {
    Some(Read::Top { branch: facts.repository.value()?.default_branch.clone() })
}

/// Documents of the default branch that the policy names. While the top of the tree is on its way nothing is asked for:
/// one answer saves every question about a layout that the branch does not have.
fn documents(facts: &Facts, policy: &Policy) -> Vec<Read> {
    let no_top = facts.top.trouble().is_some() || facts.repository.trouble().is_some();
    if facts.top.value().is_none() && !no_top {
        return Vec::new();
    }
    let named = DocumentKind::ALL.into_iter().filter_map(|kind| Some((kind, policy.documents.get(&kind)?)));
    named.map(|(kind, paths)| Read::Document { kind, paths: candidates(facts, paths) }).collect()
}

/// The paths of a policy's list that may exist on the default branch, by what lies at its top.
pub fn candidates(facts: &Facts, paths: &[String]) -> Vec<String> {
    let top = facts.top.value();
    let may_exist = |path: &&String| {
        let first = path.split('/').next().unwrap_or(path);
        top.is_none_or(|top| top.iter().any(|name| name == first))
    };
    paths.iter().filter(may_exist).cloned().collect()
}

/// What a refresh reads again: everything that can change, and everything that failed. What belongs to a commit stays as
/// long as the head does; scores stay as long as their artifact does.
pub fn refresh(facts: &Facts, policy: &Policy, needs: &[Read]) -> Vec<Read> {
    let mut out =
        vec![Read::Repository, Read::Pull, Read::Files, Read::Commits, Read::Comments, Read::Reviews, Read::LineComments];
    let lost = |read: &Read| slot(facts, read).is_none_or(Slot::is_lost);
    out.extend([Read::Viewer].into_iter().chain(top_of(facts)).filter(lost));
    out.extend(documents(facts, policy));
    if let Some(pull) = facts.pull.value() {
        out.push(runs_of(pull));
        out.extend(Some(Read::MergeBase { base: pull.base.clone(), head: pull.head.clone() }).filter(lost));
    }
    for run in read_runs(facts, policy) {
        out.push(Read::Jobs(run.id));
        out.push(Read::Artifacts { run: run.id, name: policy.evals.artifact.clone() });
        let artifact = facts.artifacts.get(&run.id).and_then(Remote::value).and_then(|list| newest_readable(&list.items));
        if let Some(artifact) = artifact.filter(|_| facts.evals.get(&run.id).is_some_and(Slot::is_lost)) {
            out.push(Read::Evals { run: run.id, artifact: artifact.id });
        }
    }
    for ((side, path), remote) in &facts.sides {
        if let Some(commit) = commit_of(facts, *side).filter(|_| remote.is_lost() && !remote.is_absent()) {
            out.push(Read::SideFile { side: *side, path: path.clone(), commit: commit.clone() });
        }
    }
    let there = |need: &Read| slot(facts, need).is_none_or(|slot| !slot.is_absent());
    for need in needs.iter().filter(|need| changes(need) || lost(need) && there(need)) {
        if !out.contains(need) {
            out.push(need.clone());
        }
    }
    out
}

/// Whether what a rule wanted may say something else tomorrow.
fn changes(need: &Read) -> bool {
    !matches!(need, Read::Blob(_) | Read::SideFile { .. } | Read::Folder { commit: Some(_), .. } | Read::Evals { .. })
}

/// What is read once what was kept of an earlier visit is known: everything that can have changed since, and what was not
/// kept.
pub fn renew(facts: &Facts, policy: &Policy, needs: &[Read]) -> Vec<Read> {
    let mut out = refresh(facts, policy, needs);
    let more: Vec<Read> = due(facts, policy, needs).into_iter().filter(|read| !out.contains(read)).collect();
    out.extend(more);
    out
}

/// What a refresh reads while answers are still coming in: what hangs or has failed, and nothing that has come.
pub fn hurry(facts: &Facts, policy: &Policy, needs: &[Read]) -> Vec<Read> {
    let lost = |read: &Read| slot(facts, read).is_none_or(Slot::is_lost);
    refresh(facts, policy, needs).into_iter().filter(lost).collect()
}

/// What a look at runs that are still going reads: which runs there are, and the jobs of these.
pub fn look(facts: &Facts, going: &[RunId]) -> Vec<Read> {
    let runs = facts.pull.value().map(runs_of);
    runs.into_iter().chain(going.iter().copied().map(Read::Jobs)).collect()
}

/// What a post reads again: head, template, our own comments and every source the text cites. `needs` is what its rules
/// want.
pub fn recheck(facts: &Facts, policy: &Policy, cited: &[RunId], needs: &[Read]) -> Vec<Read> {
    let mut out = vec![Read::Viewer, Read::Repository, Read::Files, Read::Commits];
    out.extend(spoken());
    out.extend(documents(facts, policy));
    // All runs together: one answer says of every cited run whether it still stands as it did.
    out.extend(facts.pull.value().map(runs_of));
    for &run in cited {
        out.push(Read::Jobs(run));
        out.push(Read::Artifacts { run, name: policy.evals.artifact.clone() });
        if let Some(artifact) = facts.artifacts.get(&run).and_then(Remote::value).and_then(|list| newest_readable(&list.items))
        {
            out.push(Read::Evals { run, artifact: artifact.id });
        }
        if let Some(results) = policy.results.as_ref().filter(|_| facts.results.get(&run).is_some_and(|rows| !rows.is_idle())) {
            out.push(Read::Results { run, artifact: results.artifact.clone(), parts: results.parts.clone() });
        }
    }
    for need in needs.iter().filter(|need| changes(need)) {
        if !out.contains(need) {
            out.push(need.clone());
        }
    }
    out
}

/// Why what was read once could not be read again. That it is not there any more is an answer, except of what a pull request
/// always has, and of the documents that it is judged by.
pub fn lost_again<'a>(facts: &'a Facts, read: &Read) -> Option<&'a Trouble> {
    let slot = slot(facts, read)?;
    let is_answer = !matches!(read, Read::Files | Read::Commits | Read::Runs { .. } | Read::Document { .. });
    slot.lost_again().filter(|_| !(is_answer && slot.is_absent()))
}

/// What is read once more after the person's word: only what would make the comment wrong or double.
pub fn verify(facts: &Facts, policy: &Policy) -> Vec<Read> {
    let template = |read: &Read| matches!(read, Read::Document { kind: DocumentKind::Checklist, .. });
    spoken().into_iter().chain(documents(facts, policy).into_iter().filter(template)).collect()
}

/// The pull request and everything said on it: where a sign-off of ours may stand.
fn spoken() -> [Read; 4] {
    [Read::Pull, Read::Comments, Read::Reviews, Read::LineComments]
}

impl Facts {
    /// The artifact of a run whose scores count; `None` while its artifacts are unknown.
    fn newest_artifact(&self, run: RunId) -> Option<Option<ArtifactId>> {
        let list = self.artifacts.get(&run).and_then(Remote::value)?;
        Some(newest_readable(&list.items).map(|artifact| artifact.id))
    }
}

/// Runs of the policy's sweep workflows, newest first.
pub fn sweep_runs<'a>(facts: &'a Facts, policy: &'a Policy) -> impl Iterator<Item = &'a Run> {
    let runs = facts.runs.value().map(|list| list.items.as_slice()).unwrap_or_default();
    runs.iter().filter(|run| policy.sweep.is_sweep(&run.path))
}

/// Those whose jobs are read: all of the head, which are one sweep however many they are, the newest of any commit, and
/// what somebody asked for.
fn read_runs<'a>(facts: &'a Facts, policy: &'a Policy) -> impl Iterator<Item = &'a Run> {
    let head = facts.head();
    let asked = |run: &Run| facts.jobs.get(&run.id).is_some_and(|jobs| !jobs.is_idle());
    let runs = sweep_runs(facts, policy).enumerate();
    runs.filter(move |(at, run)| *at < EAGER_RUNS || Some(&run.head) == head || asked(run)).map(|(_, run)| run)
}

/// The artifact to read: attempts share one list, so the newest one; an expired one only tells that it is gone.
pub fn newest_readable(artifacts: &[Artifact]) -> Option<&Artifact> {
    artifacts.iter().filter(|artifact| !artifact.expired).max_by_key(|artifact| (artifact.created_at, artifact.id))
}

/// The runs to ask for. A fork's branch that is called like the base branch would bring every run of the latter.
pub fn runs_of(pull: &Pull) -> Read {
    let branch = (!pull.head_branch_is_taken()).then(|| pull.head_branch.clone());
    Read::Runs { branch, head: pull.head.clone() }
}

/// Changed files that hold configs, and their sides.
fn config_sides(facts: &Facts, policy: &Policy) -> Vec<SidePath> {
    let files = facts.files.value().map(|files| files.items.as_slice()).unwrap_or_default();
    let is_config = |path: &str| policy.configs.is_config(path);
    let mut out = Vec::new();
    for file in files {
        let before = file.previous_path.as_deref().unwrap_or(&file.path);
        if !is_config(&file.path) && !is_config(before) {
            continue;
        }
        if file.status != "removed" {
            out.push((Side::Head, file.path.clone()));
        }
        if file.status != "added" {
            out.push((Side::Base, before.to_owned()));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::policy::tests::policy;
    use crate::core::sample::World;
    use crate::core::trouble::TroubleKind;

    /// Levels of a full opening: what is asked for together.
    fn levels() -> Vec<Vec<Read>> {
        let (world, policy) = (World::new(), policy());
        let mut facts = world.facts();
        let mut out = Vec::new();
        loop {
            let reads = due(&facts, &policy, &[]);
            if reads.is_empty() {
                return out;
            }
            start(&mut facts, &reads);
            reads.iter().for_each(|read| absorb(&mut facts, world.reply(read.clone())));
            out.push(reads);
        }
    }

    #[test]
    fn a_pull_request_opens_in_four_levels_without_asking_twice() {
        let levels = levels();
        let sizes: Vec<usize> = levels.iter().map(Vec::len).collect();
        // Pull and lists; the top of the branch, merge base, runs, head files; documents, jobs, artifacts, base files; scores.
        assert_eq!(sizes, [8, 4, 9, 1]);
        let all: std::collections::HashSet<&Read> = levels.iter().flatten().collect();
        assert_eq!(all.len(), 22);
    }

    #[test]
    fn a_list_shorter_than_its_count_is_not_whole() {
        let (world, policy) = (World::new(), policy());
        let mut facts = world.opened(&policy);
        assert!(facts.files.value().unwrap().is_complete());
        let mut reply = world.reply(Read::Pull);
        if let Ok((Answer::Pull(pull), _)) = &mut reply.answer {
            pull.changed_files = 3001;
        }
        absorb(&mut facts, reply);
        assert_eq!(facts.files.value().unwrap().render_gap().unwrap(), "2 of 3001 read: GitHub lists no more than these.");
    }

    #[test]
    fn a_list_cut_short_is_so_many_of_what_the_pull_request_counts() {
        let (world, policy) = (World::new(), policy());
        let mut facts = world.opened(&policy);
        let why = || Trouble::new(TroubleKind::Server, "502.", "");
        let mut reply = world.reply(Read::Comments);
        if let Ok((Answer::Comments(list), _)) = &mut reply.answer {
            *list = Listing::partial(std::mem::take(&mut list.items), None, why());
        }
        absorb(&mut facts, reply);
        let said = |facts: &Facts| facts.comments.value().unwrap().render_gap().unwrap();
        assert_eq!(said(&facts), "only 1 read: 502.", "the pull request counts no more than that");
        let mut reply = world.reply(Read::Pull);
        if let Ok((Answer::Pull(pull), _)) = &mut reply.answer {
            pull.comments = 240;
        }
        absorb(&mut facts, reply);
        assert_eq!(said(&facts), "1 of 240 read: 502.");
    }

    #[test]
    fn a_moved_head_is_read_anew() {
        let (world, policy) = (World::new(), policy());
        let mut facts = world.opened(&policy);
        let moved = World { head: "f".repeat(40).as_str().into(), ..world };
        start(&mut facts, &[Read::Pull]);
        absorb(&mut facts, moved.reply(Read::Pull));
        let again = due(&facts, &policy, &[]);
        for read in [Read::Files, Read::Commits] {
            assert!(again.contains(&read), "{read:?}");
        }
        assert!(again.iter().any(|read| matches!(read, Read::Runs { head, .. } if *head == moved.head)));
    }

    #[test]
    fn jobs_are_read_of_all_runs_of_the_head_of_the_newest_and_of_those_asked_for() {
        let (world, policy) = (World::new(), policy());
        let mut facts = world.opened(&policy);
        let Remote::Ready(runs) = &mut facts.runs else { panic!("no runs") };
        let one = runs.value.items.remove(0);
        let run = |id: u64, head: &Sha| Run { id: RunId(id), head: head.clone(), ..one.clone() };
        // An older commit was measured again and again after the head was.
        runs.value.items.extend((100..110).map(|id| run(id, &"old".into())));
        runs.value.items.extend((200..212).map(|id| run(id, &world.head)));
        let jobs = |reads: Vec<Read>| -> Vec<u64> {
            reads.into_iter().filter_map(|read| if let Read::Jobs(run) = read { Some(run.0) } else { None }).collect()
        };
        assert_eq!(jobs(due(&facts, &policy, &[])), (100..108).chain(200..212).collect::<Vec<_>>());
        facts.jobs.insert(RunId(109), Remote::Loading);
        assert_eq!(jobs(refresh(&facts, &policy, &[])), (100..108).chain(109..110).chain(200..212).collect::<Vec<_>>());
    }

    #[test]
    fn a_post_reads_again_all_that_its_text_rests_on() {
        let (world, policy) = (World::new(), policy());
        let mut facts = world.opened(&policy);
        let run = crate::core::sample::RUN;
        let link = Read::Linked(PullRef { repo: world.name.clone(), number: crate::core::ids::PullNumber(8) });
        let blob = Read::Blob("b".into());
        let needs = [link.clone(), Read::LabelEvents, blob.clone()];
        let is_results = |read: &Read| matches!(read, Read::Results { .. });
        facts.results.clear();
        assert!(!recheck(&facts, &policy, &[run], &needs).iter().any(is_results), "nobody spoke of them");
        absorb(&mut facts, world.reply(Read::Results { run, artifact: "x".into(), parts: None }));
        let reads = recheck(&facts, &policy, &[run], &needs);
        assert!(reads.contains(&link) && reads.contains(&Read::LabelEvents) && reads.iter().any(is_results), "{reads:?}");
        assert!(!reads.contains(&blob), "a blob is what it was");
    }

    #[test]
    fn a_hurried_refresh_asks_for_what_hangs_or_failed_alone() {
        let (world, policy) = (World::new(), policy());
        let mut facts = world.opened(&policy);
        // What the repository does not have may be there the next time.
        facts.documents.retain(|_, document| document.trouble().is_none());
        let absent = hurry(&facts, &policy, &[]);
        assert!(absent.iter().all(|read| matches!(read, Read::Document { paths, .. } if paths.is_empty())), "{absent:?}");
        facts.viewer = Remote::Failed { trouble: Trouble::new(TroubleKind::Server, "x", ""), last: None };
        facts.comments.start();
        facts.evals.values_mut().for_each(Remote::start);
        let side = facts.sides.keys().next().unwrap().clone();
        facts.sides.insert(side.clone(), Remote::Loading);
        let again: Vec<Read> = hurry(&facts, &policy, &[]).into_iter().filter(|read| !absent.contains(read)).collect();
        assert_eq!(again.len(), 4, "{again:?}");
        assert!(again.contains(&Read::Viewer) && again.contains(&Read::Comments));
        assert!(again.iter().any(|read| matches!(read, Read::SideFile { path, .. } if *path == side.1)));
        assert!(again.iter().any(|read| matches!(read, Read::Evals { .. })));
    }

    #[test]
    fn a_fork_s_branch_called_like_the_base_branch_is_not_asked_for() {
        let (world, policy) = (World::new(), policy());
        let mut facts = world.opened(&policy);
        assert_eq!(facts.runs_of_head_only(), None);
        let mut reply = world.reply(Read::Pull);
        if let Ok((Answer::Pull(pull), _)) = &mut reply.answer {
            pull.head_branch = pull.base_branch.clone();
        }
        absorb(&mut facts, reply);
        facts.runs = Remote::Idle;
        assert!(due(&facts, &policy, &[]).contains(&Read::Runs { branch: None, head: world.head.clone() }));
        assert!(facts.runs_of_head_only().unwrap().contains("called main"));
    }

    #[test]
    fn what_comes_late_from_another_head_is_dropped() {
        let (world, policy) = (World::new(), policy());
        let mut facts = world.opened(&policy);
        let path = "configs/nvidia-master.yaml".to_owned();
        let late = |side| Read::SideFile { side, path: path.clone(), commit: "0".repeat(40).as_str().into() };
        let before = facts.clone();
        for read in [late(Side::Head), late(Side::Base), Read::MergeBase { base: "x".into(), head: "0".into() }] {
            absorb(&mut facts, world.reply(read));
        }
        assert_eq!(facts, before);
    }

    #[test]
    fn a_refresh_asks_again_for_what_failed() {
        let (world, policy) = (World::new(), policy());
        let mut facts = world.opened(&policy);
        let calm = refresh(&facts, &policy, &[]);
        facts.evals.values_mut().for_each(|evals| evals.absorb(Err(crate::core::sample::server_error()), true));
        facts.sides.values_mut().for_each(|side| side.absorb(Err(crate::core::sample::server_error()), true));
        let more: Vec<Read> = refresh(&facts, &policy, &[]).into_iter().filter(|read| !calm.contains(read)).collect();
        assert!(matches!(more[..], [Read::Evals { .. }, Read::SideFile { .. }, Read::SideFile { .. }]), "{more:?}");
    }

    #[test]
    fn a_renewal_asks_once_for_what_can_have_changed_and_for_what_was_not_kept() {
        let (world, policy) = (World::new(), policy());
        let mut facts = world.opened(&policy);
        assert_eq!(renew(&facts, &policy, &[]), refresh(&facts, &policy, &[]));
        let lasts = |read: &Read| matches!(read, Read::MergeBase { .. } | Read::SideFile { .. } | Read::Evals { .. });
        assert!(!renew(&facts, &policy, &[]).iter().any(lasts));
        facts.evals.clear();
        facts.viewer = Remote::Idle;
        let reads = renew(&facts, &policy, &[]);
        assert!(reads.contains(&Read::Viewer) && reads.iter().any(lasts));
        let once: std::collections::HashSet<&Read> = reads.iter().collect();
        assert_eq!(once.len(), reads.len());
        // Of a pull request never seen: what opening it asks for.
        let (mut first, mut due) = (renew(&world.facts(), &policy, &[]), due(&world.facts(), &policy, &[]));
        let order = |read: &Read| format!("{read:?}");
        first.sort_by_key(order);
        due.sort_by_key(order);
        assert_eq!(first, due);
    }

    #[test]
    fn what_was_not_asked_after_all_is_as_before() {
        let (world, policy) = (World::new(), policy());
        let (mut facts, mut none) = (world.opened(&policy), world.facts());
        let before = facts.clone();
        let reads = refresh(&facts, &policy, &[]);
        start(&mut facts, &reads);
        reads.iter().for_each(|read| stop(&mut facts, read));
        assert_eq!(facts, before);
        start(&mut none, &[Read::Pull, Read::Jobs(crate::core::sample::RUN)]);
        stop(&mut none, &Read::Pull);
        assert!(is_loading(&none) && matches!(none.pull, Remote::Idle));
    }

    #[test]
    fn a_replaced_artifact_takes_its_scores_with_it() {
        let (world, policy) = (World::new(), policy());
        let mut facts = world.opened(&policy);
        let read = Read::Artifacts { run: crate::core::sample::RUN, name: "x".into() };
        let mut reply = world.reply(read);
        if let Ok((Answer::Artifacts(list), _)) = &mut reply.answer {
            list.items[0].expired = true;
        }
        absorb(&mut facts, reply);
        assert!(facts.evals.is_empty());
    }

    #[test]
    fn scores_whose_digest_is_not_the_stated_one_are_no_scores() {
        let (world, policy, run) = (World::new(), policy(), crate::core::sample::RUN);
        let opened = world.opened(&policy);
        let artifact = opened.newest_artifact(run).flatten().unwrap();
        for (digest, is_read) in [(None, true), (Some("sha512:1"), true), (Some("sha256:0000"), false)] {
            let mut facts = opened.clone();
            let Some(Remote::Ready(list)) = facts.artifacts.get_mut(&run) else { panic!() };
            list.value.items.iter_mut().for_each(|artifact| artifact.digest = digest.map(str::to_owned));
            absorb(&mut facts, world.reply(Read::Evals { run, artifact }));
            let trouble = facts.evals[&run].trouble();
            assert_eq!(trouble.is_none(), is_read, "{digest:?}");
            assert!(trouble.is_none_or(|trouble| trouble.headline.contains("its digest differs")), "{trouble:?}");
        }
    }

    #[test]
    fn late_scores_of_a_replaced_artifact_are_dropped() {
        let (world, policy) = (World::new(), policy());
        let mut facts = world.opened(&policy);
        let run = crate::core::sample::RUN;
        let asked = refresh(&facts, &policy, &[]);
        let artifact = facts.newest_artifact(run).flatten().unwrap();
        let older = Read::Evals { run, artifact };
        start(&mut facts, &asked);
        start(&mut facts, std::slice::from_ref(&older));
        let mut reply = world.reply(Read::Artifacts { run, name: "x".into() });
        if let Ok((Answer::Artifacts(list), _)) = &mut reply.answer {
            let newer = Artifact { id: ArtifactId(artifact.0 + 1), ..list.items[0].clone() };
            list.items.push(newer);
        }
        absorb(&mut facts, reply);
        let again = Read::Evals { run, artifact: ArtifactId(artifact.0 + 1) };
        assert!(due(&facts, &policy, &[]).contains(&again));
        absorb(&mut facts, world.reply(older));
        assert!(!facts.evals.contains_key(&run), "they would stand for the newer artifact's");
        absorb(&mut facts, world.reply(again));
        assert!(facts.evals[&run].settled().is_some());
    }
}
