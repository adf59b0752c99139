//! Takes answers into the facts, and says which fact a read is for.
//! Must not know: what is read when.

use super::counts::count_again;
use super::{Answer, Read, Reply};
use crate::core::evidence::Source;
use crate::core::facts::{Facts, FolderKind, Side};
use crate::core::ids::RunId;
use crate::core::listing::Listing;
use crate::core::remote::{Remote, Sourced};
use crate::core::trouble::{Trouble, TroubleKind};
use std::collections::BTreeMap;

/// The place of an answer, whatever its type.
pub(super) trait Slot {
    fn start(&mut self);
    fn stop(&mut self);
    fn is_pending(&self) -> bool;
    fn is_idle(&self) -> bool;
    /// On its way for who knows how long, or failed.
    fn is_lost(&self) -> bool;
    /// It does not exist, which is an answer: at a commit for ever.
    fn is_absent(&self) -> bool;
    /// Why it could not be read again, where it was read once.
    fn lost_again(&self) -> Option<&Trouble>;
    /// Asked for again, unless its answer may still be on its way.
    fn forget(&mut self);
}

impl<T> Slot for Remote<T> {
    fn start(&mut self) {
        Remote::start(self);
    }

    fn stop(&mut self) {
        Remote::stop(self);
    }

    fn is_pending(&self) -> bool {
        Remote::is_pending(self)
    }

    fn is_idle(&self) -> bool {
        Remote::is_idle(self)
    }

    fn is_lost(&self) -> bool {
        self.settled().is_none()
    }

    fn is_absent(&self) -> bool {
        self.trouble().is_some_and(|trouble| trouble.kind == TroubleKind::NotFound)
    }

    fn lost_again(&self) -> Option<&Trouble> {
        self.trouble().filter(|_| self.known().is_some())
    }

    fn forget(&mut self) {
        if !self.is_pending() {
            *self = Remote::Idle;
        }
    }
}

/// The slot of a read; `None` where nothing was asked for yet.
pub(super) fn slot<'a>(facts: &'a Facts, read: &Read) -> Option<&'a dyn Slot> {
    fn some<T>(remote: Option<&Remote<T>>) -> Option<&dyn Slot> {
        remote.map(|remote| remote as &dyn Slot)
    }
    match read {
        Read::Viewer => Some(&facts.viewer),
        Read::Repository => Some(&facts.repository),
        Read::Pull => Some(&facts.pull),
        Read::Files => Some(&facts.files),
        Read::Commits => Some(&facts.commits),
        Read::Comments => Some(&facts.comments),
        Read::Reviews => Some(&facts.reviews),
        Read::LineComments => Some(&facts.line_comments),
        Read::PendingComments(review) => some(facts.pending_comments.get(review)),
        Read::MergeBase { .. } => Some(&facts.merge_base),
        Read::Later { measured, head } => some(facts.later.get(&(measured.clone(), head.clone()))),
        Read::Runs { .. } => Some(&facts.runs),
        Read::Run(run) => some(facts.single_runs.get(run)),
        Read::Top { .. } => Some(&facts.top),
        Read::LabelEvents => Some(&facts.label_events),
        Read::Statuses { .. } => Some(&facts.statuses),
        Read::BotRuns { .. } => Some(&facts.bot_runs),
        Read::Jobs(run) => some(facts.jobs.get(run)),
        Read::Artifacts { run, .. } => some(facts.artifacts.get(run)),
        Read::Evals { run, .. } => some(facts.evals.get(run)),
        Read::Results { run, .. } => some(facts.results.get(run)),
        Read::Document { kind, .. } => some(facts.documents.get(kind)),
        Read::Master { name, .. } => some(facts.masters.get(name)),
        Read::SideFile { side, path, .. } => some(facts.sides.get(&(*side, path.clone()))),
        Read::Folder { of, .. } => some(facts.folders.get(of)),
        Read::Blob(blob) => some(facts.blobs.get(blob)),
        Read::Permission(login) => some(facts.permissions.get(login)),
        Read::Member { team, login } => some(facts.members.get(&(team.clone(), login.clone()))),
        Read::Linked(pull) => some(facts.linked.get(pull)),
        Read::LinkedFile(file) => some(facts.linked_files.get(file)),
    }
}

fn slot_mut<'a>(facts: &'a mut Facts, read: &Read) -> &'a mut dyn Slot {
    match read {
        Read::Viewer => &mut facts.viewer,
        Read::Repository => &mut facts.repository,
        Read::Pull => &mut facts.pull,
        Read::Files => &mut facts.files,
        Read::Commits => &mut facts.commits,
        Read::Comments => &mut facts.comments,
        Read::Reviews => &mut facts.reviews,
        Read::LineComments => &mut facts.line_comments,
        Read::PendingComments(review) => facts.pending_comments.entry(*review).or_default(),
        Read::MergeBase { .. } => &mut facts.merge_base,
        Read::Later { measured, head } => facts.later.entry((measured.clone(), head.clone())).or_default(),
        Read::Runs { .. } => &mut facts.runs,
        Read::Run(run) => facts.single_runs.entry(*run).or_default(),
        Read::Top { .. } => &mut facts.top,
        Read::LabelEvents => &mut facts.label_events,
        Read::Statuses { .. } => &mut facts.statuses,
        Read::BotRuns { .. } => &mut facts.bot_runs,
        Read::Jobs(run) => facts.jobs.entry(*run).or_default(),
        Read::Artifacts { run, .. } => facts.artifacts.entry(*run).or_default(),
        Read::Evals { run, .. } => facts.evals.entry(*run).or_default(),
        Read::Results { run, .. } => facts.results.entry(*run).or_default(),
        Read::Document { kind, .. } => facts.documents.entry(*kind).or_default(),
        Read::Master { name, .. } => facts.masters.entry(name.clone()).or_default(),
        Read::SideFile { side, path, .. } => facts.sides.entry((*side, path.clone())).or_default(),
        Read::Folder { of, .. } => facts.folders.entry(of.clone()).or_default(),
        Read::Blob(blob) => facts.blobs.entry(blob.clone()).or_default(),
        Read::Permission(login) => facts.permissions.entry(login.clone()).or_default(),
        Read::Member { team, login } => facts.members.entry((team.clone(), login.clone())).or_default(),
        Read::Linked(pull) => facts.linked.entry(pull.clone()).or_default(),
        Read::LinkedFile(file) => facts.linked_files.entry(file.clone()).or_default(),
    }
}

/// Marks reads as on their way.
pub fn start(facts: &mut Facts, reads: &[Read]) {
    reads.iter().for_each(|read| slot_mut(facts, read).start());
}

/// Takes back that a read is on its way: nobody was asked. What there was stays.
pub fn stop(facts: &mut Facts, read: &Read) {
    slot_mut(facts, read).stop();
}

/// Whether anything is on its way.
pub fn is_loading(facts: &Facts) -> bool {
    fn any<K, T>(map: &std::collections::BTreeMap<K, Remote<T>>) -> bool {
        map.values().any(Remote::is_pending)
    }
    // Where the bot stands is no part of what a sign-off rests on: nobody waits for it.
    let single: [&dyn Slot; 12] = [
        &facts.viewer,
        &facts.repository,
        &facts.pull,
        &facts.merge_base,
        &facts.files,
        &facts.commits,
        &facts.comments,
        &facts.reviews,
        &facts.line_comments,
        &facts.runs,
        &facts.top,
        &facts.label_events,
    ];
    single.into_iter().any(Slot::is_pending)
        || any(&facts.pending_comments)
        || any(&facts.single_runs)
        || any(&facts.later)
        || any(&facts.jobs)
        || any(&facts.artifacts)
        || any(&facts.evals)
        || any(&facts.results)
        || any(&facts.documents)
        || any(&facts.masters)
        || any(&facts.sides)
        || any(&facts.folders)
        || any(&facts.blobs)
        || any(&facts.permissions)
        || any(&facts.members)
        || any(&facts.linked)
        || any(&facts.linked_files)
}

/// Scores out of another archive than the one that GitHub listed.
fn forged(facts: &Facts, read: &Read, answer: &Result<(Answer, Source), Trouble>) -> Option<Trouble> {
    let (Read::Evals { run, artifact }, Ok((_, source))) = (read, answer) else { return None };
    let listed = facts.artifacts.get(run).and_then(Remote::value)?;
    listed.items.iter().find(|listed| listed.id == *artifact)?.forged(&source.digest)
}

/// Takes an answer into the facts.
pub fn absorb(facts: &mut Facts, reply: Reply) {
    let Reply { read, answer, last } = reply;
    let answer = match forged(facts, &read, &answer) {
        Some(trouble) => Err(trouble),
        None => answer,
    };
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
        Read::PendingComments(review) => take!(facts.pending_comments.entry(review).or_default(), PendingComments),
        // What comes late and speaks of another head than today's says nothing: today's is asked for by then.
        Read::MergeBase { head, .. } | Read::Later { head, .. } if Some(&head) != facts.head() => return,
        Read::SideFile { side: Side::Head, commit, .. } if Some(&commit) != facts.head() => return,
        Read::SideFile { side: Side::Base, commit, .. } if Some(&commit) != facts.merge_base.value() => return,
        Read::MergeBase { .. } => take!(facts.merge_base, MergeBase),
        Read::Later { measured, head } => take!(facts.later.entry((measured, head)).or_default(), Later),
        Read::Runs { head, .. } => {
            let before = ends(facts);
            take!(facts.runs, Runs);
            went_on(facts, &before);
            // Asked for when another head was known: shown until then, but asked for again.
            if facts.head().is_some_and(|now| *now != head) {
                facts.runs.forget();
            }
        }
        Read::Run(id) => {
            let before = ends(facts);
            take!(facts.single_runs.entry(id).or_default(), Run);
            list_run(facts, id);
            went_on(facts, &before);
        }
        Read::Jobs(run) => take!(facts.jobs.entry(run).or_default(), Jobs),
        Read::Artifacts { run, .. } => {
            let before = facts.newest_artifact(run);
            take!(facts.artifacts.entry(run).or_default(), Artifacts);
            let now = facts.newest_artifact(run);
            // Rows of an artifact that a later attempt replaced, or that is gone, must be read again or be missing.
            if now.flatten() != before.flatten() {
                facts.evals.remove(&run);
            }
            // Its results lie in artifacts of other names: they are as old as these.
            if before.is_some_and(|before| now != Some(before)) {
                facts.results.remove(&run);
            }
        }
        // Rows of an artifact that is no longer the one to read: asked for before the list told of a newer one.
        Read::Evals { run, artifact } if facts.newest_artifact(run).is_some_and(|newest| newest != Some(artifact)) => return,
        Read::Evals { run, .. } => take!(facts.evals.entry(run).or_default(), Evals),
        Read::Results { run, .. } => take!(facts.results.entry(run).or_default(), Results),
        Read::Document { kind, .. } => take!(facts.documents.entry(kind).or_default(), Document),
        Read::Master { name, .. } => take!(facts.masters.entry(name).or_default(), Master),
        Read::SideFile { side, path, .. } => take!(facts.sides.entry((side, path)).or_default(), SideFile),
        Read::Folder { of: FolderKind::Siblings(_), commit, .. } if commit.as_ref() != facts.head() => return,
        Read::Folder { of, .. } => take!(facts.folders.entry(of).or_default(), Folder),
        Read::Blob(blob) => take!(facts.blobs.entry(blob).or_default(), Blob),
        Read::Top { .. } => take!(facts.top, Top),
        Read::LabelEvents => take!(facts.label_events, LabelEvents),
        // Statuses of a head that is gone say nothing of today's.
        Read::Statuses { commit } if Some(&commit) != facts.head() => return,
        Read::Statuses { .. } => take!(facts.statuses, Statuses),
        Read::BotRuns { .. } => take!(facts.bot_runs, BotRuns),
        Read::Permission(login) => take!(facts.permissions.entry(login).or_default(), Permission),
        Read::Member { team, login } => take!(facts.members.entry((team, login)).or_default(), Member),
        Read::Linked(pull) => take!(facts.linked.entry(pull).or_default(), Linked),
        Read::LinkedFile(file) => take!(facts.linked_files.entry(file).or_default(), Document),
    }
    count_again(facts);
}

/// What was read at the old head says nothing of the new one: read it again, and show nothing meanwhile that could mislead.
fn head_moved(facts: &mut Facts) {
    facts.merge_base = Remote::Idle;
    facts.later.clear();
    facts.sides.clear();
    facts.folders.retain(|of, _| !matches!(of, FolderKind::Siblings(_)));
    for remote in [&mut facts.files as &mut dyn Slot, &mut facts.commits, &mut facts.runs] {
        remote.forget();
    }
}

/// The attempt of each run, and whether that is over.
fn ends(facts: &Facts) -> BTreeMap<RunId, (u32, bool)> {
    let runs = facts.runs.value().map(|list| list.items.as_slice()).unwrap_or_default();
    runs.iter().map(|run| (run.id, (run.attempt, run.status == "completed"))).collect()
}

/// What was read of an attempt says nothing of a later one, and of one that was going nothing of its end: read again.
fn went_on(facts: &mut Facts, before: &BTreeMap<RunId, (u32, bool)>) {
    for (run, (attempt, over)) in ends(facts) {
        let Some(&(then, was_over)) = before.get(&run) else { continue };
        if let Some(jobs) = facts.jobs.get_mut(&run).filter(|_| attempt > then) {
            jobs.forget();
        }
        if attempt > then || over && !was_over {
            facts.artifacts.remove(&run);
            facts.evals.remove(&run);
            facts.results.remove(&run);
        }
    }
}

/// Brings what was read of one run into the list, and leaves alone how whole, how new and how well read that is.
fn list_run(facts: &mut Facts, id: RunId) {
    let Some(read) = facts.single_runs.get(&id) else { return };
    match (&mut facts.runs, read) {
        (Remote::Ready(got) | Remote::Refreshing(got) | Remote::Failed { last: Some(got), .. }, read) => {
            let items = &mut got.value.items;
            match (read, items.iter_mut().find(|known| known.id == id)) {
                (Remote::Ready(run), Some(known)) => *known = run.value.clone(),
                (Remote::Ready(run), None) => items.insert(0, run.value.clone()),
                (read, _) if read.is_absent() => items.retain(|run| run.id != id),
                _ => {}
            }
        }
        (Remote::Idle, Remote::Ready(run)) => {
            let why = Trouble::new(TroubleKind::NotFound, "only this run was asked for", "");
            let list = Listing::partial(vec![run.value.clone()], None, why);
            facts.runs = Remote::Ready(Sourced { value: list, source: run.source.clone() });
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::plan::due;
    use crate::core::policy::tests::policy;
    use crate::core::sample::{RUN, World};

    #[test]
    fn what_was_read_of_an_attempt_says_nothing_of_a_later_one_nor_of_its_end() {
        let policy = policy();
        let first = World::new();
        let going = World { run_conclusion: None, ..World::new() };
        let again = World { attempt: 2, ..World::new() };
        // What was known, what is told now, and whether jobs, artifacts and what lies in these are asked for again.
        let table = [(&first, &first, false, false), (&going, &first, false, true), (&first, &again, true, true)];
        for (before, now, jobs, artifacts) in table {
            let one = Read::Run(RUN);
            let all = Read::Runs { branch: Some("arm".into()), head: first.head.clone() };
            for read in [one, all] {
                let mut facts = before.opened(&policy);
                // Of a run that is going too somebody may have asked what it measured so far.
                let results = Read::Results { run: RUN, artifact: "x".into(), parts: None };
                absorb(&mut facts, before.reply(results));
                absorb(&mut facts, now.reply(read.clone()));
                let asked = due(&facts, &policy, &[]);
                let is_asked = |is: fn(&Read) -> bool| asked.iter().any(is);
                assert_eq!(is_asked(|read| matches!(read, Read::Jobs(_))), jobs, "{read:?}");
                assert_eq!(is_asked(|read| matches!(read, Read::Artifacts { .. })), artifacts, "{read:?}");
                assert_eq!((facts.evals.is_empty(), facts.results.is_empty()), (artifacts, artifacts), "{read:?}");
            }
        }
    }

    #[test]
    fn one_run_makes_a_list_of_runs_neither_newer_nor_whole() {
        let policy = policy();
        let world = World { run_conclusion: None, ..World::new() };
        let now =
            World { run_conclusion: Some("success".into()), now: world.now + chrono::TimeDelta::hours(1), ..world.clone() };
        let opened = world.opened(&policy);
        let status = |facts: &Facts| facts.runs.value().unwrap().items[0].status.clone();
        for fails in [false, true] {
            for waits in [false, true] {
                let mut facts = opened.clone();
                if fails {
                    facts.runs.absorb(Err(crate::core::sample::server_error()), true);
                }
                if waits {
                    facts.runs.start();
                }
                let before = facts.runs.clone();
                start(&mut facts, &[Read::Run(RUN)]);
                assert_eq!((&facts.runs, is_loading(&facts)), (&before, true));
                absorb(&mut facts, now.reply(Read::Run(RUN)));
                assert_eq!((status(&facts).as_str(), facts.runs.known().unwrap().source.read_at), ("completed", world.now));
                assert_eq!(facts.runs.trouble(), before.trouble());
                assert_eq!((facts.runs.is_pending(), facts.runs.settled().is_some()), (waits, !fails && !waits));
            }
        }
        let mut facts = opened;
        let gone = Err(Trouble::new(TroubleKind::NotFound, "x", ""));
        absorb(&mut facts, Reply { read: Read::Run(RUN), answer: gone, last: true });
        assert_eq!(facts.runs.settled().unwrap().value.items, []);
    }

    #[test]
    fn results_go_with_the_artifacts_beside_them() {
        let (world, policy) = (World::new(), policy());
        let mut facts = world.opened(&policy);
        absorb(&mut facts, world.reply(Read::Results { run: RUN, artifact: "x".into(), parts: None }));
        let mut reply = world.reply(Read::Artifacts { run: RUN, name: "x".into() });
        absorb(&mut facts, reply.clone());
        assert!(facts.results.contains_key(&RUN), "the same artifacts");
        if let Ok((Answer::Artifacts(list), _)) = &mut reply.answer {
            list.items[0].id.0 += 1;
        }
        absorb(&mut facts, reply);
        assert!(facts.results.is_empty());
        // Both asked for together: the first answer takes nothing from the second.
        let mut facts = World::new().opened(&policy);
        facts.artifacts.clear();
        absorb(&mut facts, world.reply(Read::Results { run: RUN, artifact: "x".into(), parts: None }));
        absorb(&mut facts, world.reply(Read::Artifacts { run: RUN, name: "x".into() }));
        assert!(facts.results.contains_key(&RUN));
    }
}
