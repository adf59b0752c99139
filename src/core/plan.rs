//! What to read next, as a pure function of what is known: the screen and the headless commands open a pull request
//! by the same plan, level by level, each level in parallel.
//! Must not know: HTTP; it names things, `github::calls` knows their addresses.

mod counts;

use self::counts::count_again;
use super::evals::EvalRow;
use super::evidence::Source;
use super::facts::{DocumentKind, Facts, Side, SidePath};
use super::ids::{ArtifactId, RunId, Sha};
use super::listing::Listing;
use super::policy::Policy;
use super::pull::{Artifact, ChangedFile, Comment, Commit, Document, Job, Pull, Repository, Run, Viewer};
use super::remote::{Remote, Sourced};
use super::trouble::{Trouble, TroubleKind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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
    /// The commit where head left the base branch.
    MergeBase {
        base: Sha,
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
    /// The first of `paths` that exists on the default branch.
    Document {
        kind: DocumentKind,
        paths: Vec<String>,
    },
    /// A changed file at one side.
    SideFile {
        side: Side,
        path: String,
        commit: Sha,
    },
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
    MergeBase(Sha),
    Runs(Listing<Run>),
    Run(Run),
    Jobs(Listing<Job>),
    Artifacts(Listing<Artifact>),
    Evals(Listing<EvalRow>),
    Document(Document),
    SideFile(Document),
}

/// One answer to one read; a list may answer page by page, `last` marks the end.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    pub read: Read,
    pub answer: Result<(Answer, Source), Trouble>,
    pub last: bool,
}

/// Sweep runs whose jobs are read without being asked for, newest first.
const EAGER_RUNS: usize = 8;

/// What to read now: everything not asked for yet whose prerequisites are known.
pub fn due(facts: &Facts, policy: &Policy) -> Vec<Read> {
    let mut out = Vec::new();
    let mut want = |wanted: bool, read: Read| {
        if wanted {
            out.push(read);
        }
    };
    want(is_idle(&facts.viewer), Read::Viewer);
    want(is_idle(&facts.repository), Read::Repository);
    want(is_idle(&facts.pull), Read::Pull);
    want(is_idle(&facts.files), Read::Files);
    want(is_idle(&facts.commits), Read::Commits);
    want(is_idle(&facts.comments), Read::Comments);
    want(is_idle(&facts.reviews), Read::Reviews);
    want(is_idle(&facts.line_comments), Read::LineComments);
    for kind in DocumentKind::ALL {
        let paths = policy.documents.get(&kind).cloned().unwrap_or_default();
        want(facts.documents.get(&kind).is_none_or(is_idle), Read::Document { kind, paths });
    }
    if let Some(pull) = facts.pull.value() {
        want(is_idle(&facts.merge_base), Read::MergeBase { base: pull.base.clone(), head: pull.head.clone() });
        want(is_idle(&facts.runs), runs_of(pull));
        for (side, path) in config_sides(facts, policy) {
            let commit = match side {
                Side::Head => Some(&pull.head),
                Side::Base => facts.merge_base.settled().map(|got| &got.value),
            };
            let wanted = facts.sides.get(&(side, path.clone())).is_none_or(is_idle);
            if let Some(commit) = commit {
                want(wanted, Read::SideFile { side, path, commit: commit.clone() });
            }
        }
    }
    for run in sweep_runs(facts, policy).take(EAGER_RUNS) {
        want(facts.jobs.get(&run.id).is_none_or(is_idle), Read::Jobs(run.id));
        let name = policy.evals.artifact.clone();
        want(facts.artifacts.get(&run.id).is_none_or(is_idle), Read::Artifacts { run: run.id, name });
        let artifact =
            facts.artifacts.get(&run.id).and_then(Remote::settled).and_then(|list| newest_readable(&list.value.items));
        if let Some(artifact) = artifact {
            want(facts.evals.get(&run.id).is_none_or(is_idle), Read::Evals { run: run.id, artifact: artifact.id });
        }
    }
    out
}

/// What a refresh reads again: everything that can change, and everything that failed. What belongs to a commit stays as
/// long as the head does; scores stay as long as their artifact does.
pub fn refresh(facts: &Facts, policy: &Policy) -> Vec<Read> {
    let mut out =
        vec![Read::Repository, Read::Pull, Read::Files, Read::Commits, Read::Comments, Read::Reviews, Read::LineComments];
    if facts.viewer.settled().is_none() {
        out.push(Read::Viewer);
    }
    for kind in DocumentKind::ALL {
        out.push(Read::Document { kind, paths: policy.documents.get(&kind).cloned().unwrap_or_default() });
    }
    if let Some(pull) = facts.pull.value() {
        out.push(runs_of(pull));
        if facts.merge_base.settled().is_none() {
            out.push(Read::MergeBase { base: pull.base.clone(), head: pull.head.clone() });
        }
    }
    for run in sweep_runs(facts, policy).take(EAGER_RUNS) {
        out.push(Read::Jobs(run.id));
        out.push(Read::Artifacts { run: run.id, name: policy.evals.artifact.clone() });
        let artifact = facts.artifacts.get(&run.id).and_then(Remote::value).and_then(|list| newest_readable(&list.items));
        if let Some(artifact) = artifact.filter(|_| facts.evals.get(&run.id).is_some_and(is_lost)) {
            out.push(Read::Evals { run: run.id, artifact: artifact.id });
        }
    }
    for ((side, path), remote) in &facts.sides {
        let commit = match side {
            Side::Head => facts.head(),
            Side::Base => facts.merge_base.settled().map(|got| &got.value),
        };
        if let Some(commit) = commit.filter(|_| is_lost(remote)) {
            out.push(Read::SideFile { side: *side, path: path.clone(), commit: commit.clone() });
        }
    }
    out
}

/// What is read once what was kept of an earlier visit is known: everything that can have changed since, and what was not
/// kept.
pub fn renew(facts: &Facts, policy: &Policy) -> Vec<Read> {
    let mut out = refresh(facts, policy);
    let more: Vec<Read> = due(facts, policy).into_iter().filter(|read| !out.contains(read)).collect();
    out.extend(more);
    out
}

/// What a refresh reads while answers are still coming in: what hangs or has failed, and nothing that has come.
pub fn hurry(facts: &Facts, policy: &Policy) -> Vec<Read> {
    fn among<K: Ord, T>(map: &BTreeMap<K, Remote<T>>, key: &K) -> bool {
        map.get(key).is_none_or(is_lost)
    }
    let lost = |read: &Read| match read {
        Read::Viewer => is_lost(&facts.viewer),
        Read::Repository => is_lost(&facts.repository),
        Read::Pull => is_lost(&facts.pull),
        Read::Files => is_lost(&facts.files),
        Read::Commits => is_lost(&facts.commits),
        Read::Comments => is_lost(&facts.comments),
        Read::Reviews => is_lost(&facts.reviews),
        Read::LineComments => is_lost(&facts.line_comments),
        Read::MergeBase { .. } => is_lost(&facts.merge_base),
        Read::Runs { .. } | Read::Run(_) => is_lost(&facts.runs),
        Read::Jobs(run) => among(&facts.jobs, run),
        Read::Artifacts { run, .. } => among(&facts.artifacts, run),
        Read::Evals { run, .. } => among(&facts.evals, run),
        Read::Document { kind, .. } => among(&facts.documents, kind),
        Read::SideFile { side, path, .. } => among(&facts.sides, &(*side, path.clone())),
    };
    refresh(facts, policy).into_iter().filter(lost).collect()
}

/// What a post reads again: head, template, our own comments and every source the text cites.
pub fn recheck(facts: &Facts, policy: &Policy, cited: &[RunId]) -> Vec<Read> {
    let mut out = vec![Read::Viewer, Read::Repository, Read::Files, Read::Commits];
    out.extend(spoken());
    for kind in DocumentKind::ALL {
        out.push(Read::Document { kind, paths: policy.documents.get(&kind).cloned().unwrap_or_default() });
    }
    // All runs together: one answer says of every cited run whether it still stands as it did.
    out.extend(facts.pull.value().map(runs_of));
    for &run in cited {
        out.push(Read::Jobs(run));
        out.push(Read::Artifacts { run, name: policy.evals.artifact.clone() });
        if let Some(artifact) = facts.artifacts.get(&run).and_then(Remote::value).and_then(|list| newest_readable(&list.items))
        {
            out.push(Read::Evals { run, artifact: artifact.id });
        }
    }
    out
}

/// What is read once more after the person's word: only what would make the comment wrong or double.
pub fn verify(policy: &Policy) -> Vec<Read> {
    let kind = DocumentKind::Checklist;
    let paths = policy.documents.get(&kind).cloned().unwrap_or_default();
    spoken().into_iter().chain([Read::Document { kind, paths }]).collect()
}

/// The pull request and everything said on it: where a sign-off of ours may stand.
fn spoken() -> [Read; 4] {
    [Read::Pull, Read::Comments, Read::Reviews, Read::LineComments]
}

/// Marks reads as on their way.
pub fn start(facts: &mut Facts, reads: &[Read]) {
    reads.iter().for_each(|read| slot(facts, read).start());
}

/// Takes back that a read is on its way: nobody was asked. What there was stays.
pub fn stop(facts: &mut Facts, read: &Read) {
    slot(facts, read).stop();
}

/// Where the answer to a read goes.
fn slot<'f>(facts: &'f mut Facts, read: &Read) -> &'f mut dyn Slot {
    match read {
        Read::Viewer => &mut facts.viewer,
        Read::Repository => &mut facts.repository,
        Read::Pull => &mut facts.pull,
        Read::Files => &mut facts.files,
        Read::Commits => &mut facts.commits,
        Read::Comments => &mut facts.comments,
        Read::Reviews => &mut facts.reviews,
        Read::LineComments => &mut facts.line_comments,
        Read::MergeBase { .. } => &mut facts.merge_base,
        Read::Runs { .. } | Read::Run(_) => &mut facts.runs,
        Read::Jobs(run) => facts.jobs.entry(*run).or_default(),
        Read::Artifacts { run, .. } => facts.artifacts.entry(*run).or_default(),
        Read::Evals { run, .. } => facts.evals.entry(*run).or_default(),
        Read::Document { kind, .. } => facts.documents.entry(*kind).or_default(),
        Read::SideFile { side, path, .. } => facts.sides.entry((*side, path.clone())).or_default(),
    }
}

/// Takes an answer into the facts.
pub fn absorb(facts: &mut Facts, reply: Reply) {
    let Reply { read, answer, last } = reply;
    macro_rules! take {
        ($slot:expr, $kind:ident) => {{
            let answer = match answer {
                Ok((Answer::$kind(value), source)) => Ok(Sourced { value, source }),
                Ok(_) => return,
                Err(trouble) => Err(trouble),
            };
            $slot.absorb(answer, last)
        }};
    }
    match read {
        Read::Viewer => take!(facts.viewer, Viewer),
        Read::Repository => take!(facts.repository, Repository),
        Read::Pull => {
            let before = facts.head().cloned();
            take!(facts.pull, Pull);
            if before.is_some() && before.as_ref() != facts.head() {
                head_moved(facts);
            }
        }
        Read::Files => take!(facts.files, Files),
        Read::Commits => take!(facts.commits, Commits),
        Read::Comments => take!(facts.comments, Comments),
        Read::Reviews => take!(facts.reviews, Reviews),
        Read::LineComments => take!(facts.line_comments, LineComments),
        // What comes late and speaks of another head than today's says nothing: today's is asked for by then.
        Read::MergeBase { head, .. } if Some(&head) != facts.head() => return,
        Read::SideFile { side: Side::Head, commit, .. } if Some(&commit) != facts.head() => return,
        Read::SideFile { side: Side::Base, commit, .. } if Some(&commit) != facts.merge_base.value() => return,
        Read::MergeBase { .. } => take!(facts.merge_base, MergeBase),
        Read::Runs { head, .. } => {
            take!(facts.runs, Runs);
            // Asked for when another head was known: shown until then, but asked for again.
            if facts.head().is_some_and(|now| *now != head) {
                facts.runs.forget();
            }
        }
        Read::Run(id) => absorb_run(facts, id, answer),
        Read::Jobs(run) => take!(facts.jobs.entry(run).or_default(), Jobs),
        Read::Artifacts { run, .. } => {
            let before = facts.newest_artifact(run).flatten();
            take!(facts.artifacts.entry(run).or_default(), Artifacts);
            // Rows of an artifact that a later attempt replaced, or that is gone, must be read again or be missing.
            if facts.newest_artifact(run).flatten() != before {
                facts.evals.remove(&run);
            }
        }
        // Rows of an artifact that is no longer the one to read: asked for before the list told of a newer one.
        Read::Evals { run, artifact } if facts.newest_artifact(run).is_some_and(|newest| newest != Some(artifact)) => return,
        Read::Evals { run, .. } => take!(facts.evals.entry(run).or_default(), Evals),
        Read::Document { kind, .. } => take!(facts.documents.entry(kind).or_default(), Document),
        Read::SideFile { side, path, .. } => take!(facts.sides.entry((side, path)).or_default(), SideFile),
    }
    count_again(facts);
}

/// Whether anything is on its way.
pub fn is_loading(facts: &Facts) -> bool {
    facts.viewer.is_pending()
        || facts.repository.is_pending()
        || facts.pull.is_pending()
        || facts.merge_base.is_pending()
        || facts.files.is_pending()
        || facts.commits.is_pending()
        || facts.comments.is_pending()
        || facts.reviews.is_pending()
        || facts.line_comments.is_pending()
        || facts.runs.is_pending()
        || facts.jobs.values().any(Remote::is_pending)
        || facts.artifacts.values().any(Remote::is_pending)
        || facts.evals.values().any(Remote::is_pending)
        || facts.documents.values().any(Remote::is_pending)
        || facts.sides.values().any(Remote::is_pending)
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

/// The artifact to read: attempts share one list, so the newest one; an expired one only tells that it is gone.
pub fn newest_readable(artifacts: &[Artifact]) -> Option<&Artifact> {
    artifacts.iter().filter(|artifact| !artifact.expired).max_by_key(|artifact| (artifact.created_at, artifact.id))
}

/// On its way for who knows how long, or failed.
fn is_lost<T>(remote: &Remote<T>) -> bool {
    remote.settled().is_none()
}

fn is_idle<T>(remote: &Remote<T>) -> bool {
    matches!(remote, Remote::Idle)
}

/// The runs to ask for. A fork's branch that is called like the base branch would bring every run of the latter.
fn runs_of(pull: &Pull) -> Read {
    let branch = (!pull.head_branch_is_taken()).then(|| pull.head_branch.clone());
    Read::Runs { branch, head: pull.head.clone() }
}

/// Changed files that hold configs, and their sides.
fn config_sides(facts: &Facts, policy: &Policy) -> Vec<SidePath> {
    let files = facts.files.value().map(|files| files.items.as_slice()).unwrap_or_default();
    let is_config = |path: &str| policy.configs.changelog.iter().chain(&policy.configs.masters).any(|known| known == path);
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

/// What was read at the old head says nothing of the new one: read it again, and show nothing meanwhile that could mislead.
fn head_moved(facts: &mut Facts) {
    facts.merge_base = Remote::Idle;
    facts.sides.clear();
    for remote in [&mut facts.files as &mut dyn Slot, &mut facts.commits, &mut facts.runs] {
        remote.forget();
    }
}

/// A value, whatever it is of.
trait Slot {
    fn start(&mut self);
    fn stop(&mut self);
    /// Values whose answer may still be on its way stay; others are asked for again.
    fn forget(&mut self);
}

impl<T> Slot for Remote<T> {
    fn start(&mut self) {
        Remote::start(self);
    }

    fn stop(&mut self) {
        Remote::stop(self);
    }

    fn forget(&mut self) {
        if !self.is_pending() {
            *self = Remote::Idle;
        }
    }
}

/// Replaces one run in the list; the list's own source stays, as the run's address differs only in form.
fn absorb_run(facts: &mut Facts, id: RunId, answer: Result<(Answer, Source), Trouble>) {
    let known = match std::mem::take(&mut facts.runs) {
        Remote::Ready(got) | Remote::Refreshing(got) => Some(got),
        Remote::Failed { last, .. } => last,
        Remote::Idle | Remote::Loading => None,
    };
    facts.runs = match (known, answer) {
        (Some(mut got), Ok((Answer::Run(run), source))) => {
            got.source.read_at = source.read_at;
            match got.value.items.iter_mut().find(|known| known.id == id) {
                Some(slot) => *slot = run,
                None => got.value.items.insert(0, run),
            }
            Remote::Ready(got)
        }
        (None, Ok((Answer::Run(run), source))) => {
            let why = Trouble::new(TroubleKind::NotFound, "only this run was asked for", "");
            Remote::Ready(Sourced { value: Listing::partial(vec![run], None, why), source })
        }
        (Some(mut got), Err(trouble)) if trouble.kind == TroubleKind::NotFound => {
            got.value.items.retain(|run| run.id != id);
            Remote::Ready(got)
        }
        (last, Err(trouble)) => Remote::Failed { trouble, last },
        (Some(got), Ok(_)) => Remote::Ready(got),
        (None, Ok(_)) => Remote::Idle,
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::policy::tests::policy;
    use crate::core::sample::World;

    /// Levels of a full opening: what is asked for together.
    fn levels() -> Vec<Vec<Read>> {
        let (world, policy) = (World::new(), policy());
        let mut facts = world.facts();
        let mut out = Vec::new();
        loop {
            let reads = due(&facts, &policy);
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
        // Pull and lists; merge base, runs, head files; jobs, artifacts, base files; scores.
        assert_eq!(sizes, [10, 3, 3, 1]);
        let all: std::collections::HashSet<&Read> = levels.iter().flatten().collect();
        assert_eq!(all.len(), 17);
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
        let again = due(&facts, &policy);
        for read in [Read::Files, Read::Commits] {
            assert!(again.contains(&read), "{read:?}");
        }
        assert!(again.iter().any(|read| matches!(read, Read::Runs { head, .. } if *head == moved.head)));
    }

    #[test]
    fn a_hurried_refresh_asks_for_what_hangs_or_failed_alone() {
        let (world, policy) = (World::new(), policy());
        let mut facts = world.opened(&policy);
        assert_eq!(hurry(&facts, &policy), []);
        facts.viewer = Remote::Failed { trouble: Trouble::new(TroubleKind::Server, "x", ""), last: None };
        facts.comments.start();
        facts.evals.values_mut().for_each(Remote::start);
        let side = facts.sides.keys().next().unwrap().clone();
        facts.sides.insert(side.clone(), Remote::Loading);
        let again = hurry(&facts, &policy);
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
        assert!(due(&facts, &policy).contains(&Read::Runs { branch: None, head: world.head.clone() }));
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
        let calm = refresh(&facts, &policy);
        facts.evals.values_mut().for_each(|evals| evals.absorb(Err(crate::core::sample::server_error()), true));
        facts.sides.values_mut().for_each(|side| side.absorb(Err(crate::core::sample::server_error()), true));
        let more: Vec<Read> = refresh(&facts, &policy).into_iter().filter(|read| !calm.contains(read)).collect();
        assert!(matches!(more[..], [Read::Evals { .. }, Read::SideFile { .. }, Read::SideFile { .. }]), "{more:?}");
    }

    #[test]
    fn a_renewal_asks_once_for_what_can_have_changed_and_for_what_was_not_kept() {
        let (world, policy) = (World::new(), policy());
        let mut facts = world.opened(&policy);
        assert_eq!(renew(&facts, &policy), refresh(&facts, &policy));
        let lasts = |read: &Read| matches!(read, Read::MergeBase { .. } | Read::SideFile { .. } | Read::Evals { .. });
        assert!(!renew(&facts, &policy).iter().any(lasts));
        facts.evals.clear();
        facts.viewer = Remote::Idle;
        let reads = renew(&facts, &policy);
        assert!(reads.contains(&Read::Viewer) && reads.iter().any(lasts));
        let once: std::collections::HashSet<&Read> = reads.iter().collect();
        assert_eq!(once.len(), reads.len());
        // Of a pull request never seen: what opening it asks for.
        let (mut first, mut due) = (renew(&world.facts(), &policy), due(&world.facts(), &policy));
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
        let reads = refresh(&facts, &policy);
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
    fn late_scores_of_a_replaced_artifact_are_dropped() {
        let (world, policy) = (World::new(), policy());
        let mut facts = world.opened(&policy);
        let run = crate::core::sample::RUN;
        let asked = refresh(&facts, &policy);
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
        assert!(due(&facts, &policy).contains(&again));
        absorb(&mut facts, world.reply(older));
        assert!(!facts.evals.contains_key(&run), "they would stand for the newer artifact's");
        absorb(&mut facts, world.reply(again));
        assert!(facts.evals[&run].settled().is_some());
    }
}
