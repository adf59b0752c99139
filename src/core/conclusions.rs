//! What follows from the facts alone: sweeps, the run to cite, changed configs, judged scores, launches. Drawn once per
//! change of facts and shared by the screen, the headless commands, the comment and the rules.
//! Must not know: the draft, findings, or how conclusions are shown.

use super::claimed::Claimed;
use super::configs::{self, Basis, ChangedKeys};
use super::documents::Documents;
use super::evals::judge::{Judged, judge};
use super::evals::{Arm, History, Scored, Then, arms, history};
use super::facts::Facts;
use super::ids::RunId;
use super::policy::Policy;
use super::policy::launches::launched::Launched;
use super::sweep::{Sweep, eval_sweep, sweeps_after, validation};
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Conclusions {
    /// Newest first.
    pub sweeps: Vec<Sweep>,
    /// Index into `sweeps` of the run that a sign-off cites.
    pub cited: Option<usize>,
    /// What the pull request changes in the files that say what is measured.
    pub keys: Arc<ChangedKeys>,
    compared: Compared,
    /// What `keys` should have been made from, where that is still to be compared.
    uncompared: Option<Basis>,
    /// Documents of the default branch, as far as they are read.
    pub documents: Documents,
    /// The scores of each sweep, against their bars.
    pub judged: BTreeMap<RunId, Judged>,
    /// The same, grouped: by arm, point and task.
    pub arms: BTreeMap<RunId, Arc<Vec<Arm>>>,
    /// What the pull request's own texts claim.
    pub claimed: Arc<Claimed>,
    /// Scripts and recipes, read once per text.
    pub launched: Launched,
}

/// Configs that were compared.
#[derive(Debug, Clone, PartialEq, Default)]
struct Compared {
    from: Basis,
    keys: Arc<ChangedKeys>,
    /// The same, not to be relied on: something newer is being read or compared.
    doubtful: Arc<ChangedKeys>,
}

impl Compared {
    fn new(from: Basis, keys: ChangedKeys) -> Compared {
        let doubtful = ChangedKeys { complete: false, known: None, ..keys.clone() };
        Compared { from, keys: Arc::new(keys), doubtful: Arc::new(doubtful) }
    }
}

impl Conclusions {
    pub fn draw(policy: &Policy, facts: &Facts) -> Conclusions {
        Conclusions::default().redraw(policy, facts)
    }

    /// Draws them anew, and takes over what was made from answers that are still the same: merged jobs and compared
    /// configs. One answer among hundreds must not cost what all of them do.
    pub fn redraw(&self, policy: &Policy, facts: &Facts) -> Conclusions {
        let from = Basis::of(policy, facts);
        let compared = match from == self.compared.from {
            true => self.compared.clone(),
            false => Compared::new(from, configs::keys(policy, facts)),
        };
        self.follow(policy, facts, Arc::clone(&compared.keys), compared)
    }

    /// The same for somebody who must not wait: configs of thousands of lines are compared elsewhere
    /// ([`configs::Comparison`]) and come by [`Conclusions::take`]. Until then the last ones stand in doubt.
    pub fn redraw_beside(&self, policy: &Policy, facts: &Facts) -> Conclusions {
        let (from, compared) = (Basis::of(policy, facts), self.compared.clone());
        let is_current = from == compared.from;
        let keys = match (is_current, from.is_beside(&compared.from)) {
            (true, _) => Arc::clone(&compared.keys),
            (false, true) => Arc::clone(&compared.doubtful),
            (false, false) => Arc::default(),
        };
        let mut out = self.follow(policy, facts, keys, compared);
        out.uncompared = Some(from).filter(|_| !is_current);
        out
    }

    /// What is to be compared: `None` when nothing is, or while a part of it is still being read.
    pub fn uncompared(&self) -> Option<&Basis> {
        self.uncompared.as_ref().filter(|from| !from.is_pending())
    }

    /// Takes configs that were compared elsewhere; the next drawing uses them if they are still the same.
    pub fn take(&mut self, from: Basis, keys: ChangedKeys) {
        self.compared = Compared::new(from, keys);
    }

    fn follow(&self, policy: &Policy, facts: &Facts, keys: Arc<ChangedKeys>, compared: Compared) -> Conclusions {
        let sweeps = sweeps_after(&self.sweeps, policy, facts);
        let documents = self.documents.redraw(policy, facts);
        let judge = |sweep: &Sweep| (sweep.run.id, judge(policy, facts, &documents, &keys, sweep.run.id));
        let judged: BTreeMap<RunId, Judged> = sweeps.iter().map(judge).collect();
        let arms = judged.iter().map(|(run, now)| {
            let same = self.judged.get(run).is_some_and(|before| before.rows == now.rows);
            let kept = self.arms.get(run).filter(|_| same).map(Arc::clone);
            (*run, kept.unwrap_or_else(|| Arc::new(arms(now))))
        });
        let arms = arms.collect();
        let id = validation(&sweeps).map(|sweep| sweep.run.id);
        let cited = sweeps.iter().position(|sweep| Some(sweep.run.id) == id);
        let launched = self.launched.redraw(policy, facts, &keys);
        let claimed = Arc::clone(&self.claimed);
        let mut out =
            Conclusions { sweeps, cited, keys, compared, uncompared: None, documents, judged, arms, claimed, launched };
        let evals = out.eval_run().map(|sweep| sweep.run.id);
        out.claimed = self.claimed.redraw(facts, &out.keys, id, evals);
        out
    }

    /// The run that measured what the sign-off speaks of.
    pub fn validation(&self) -> Option<&Sweep> {
        self.sweeps.get(self.cited?)
    }

    /// The run whose results are told: the one that a sign-off cites, else the newest of the pull request that is over.
    pub fn measured(&self) -> Option<&Sweep> {
        let is_over = |sweep: &&Sweep| sweep.in_pull == Some(true) && sweep.outcome().finished();
        self.validation().or_else(|| self.sweeps.iter().find(is_over))
    }

    /// The run whose evals count: the same, or an evals-only run of the same commit.
    pub fn eval_run(&self) -> Option<&Sweep> {
        eval_sweep(&self.sweeps, self.validation()?)
    }

    /// What runs before this one said of a score of it, by its place in [`Judged::rows`].
    pub fn history(&self, run: RunId, arm: &Arm, scored: &Scored, row: usize) -> History {
        let Some(row) = self.judged.get(&run).and_then(|judged| judged.rows.get(row)) else { return History::default() };
        let before = self.sweeps.iter().skip_while(|sweep| sweep.run.id != run).skip(1);
        let then = before.filter_map(|sweep| {
            let (judged, arms) = (self.judged.get(&sweep.run.id)?, self.arms.get(&sweep.run.id)?);
            Some(Then { run: sweep.run.id, head: &sweep.run.head, judged, arms })
        });
        history(row, &arm.name, &scored.spot, then)
    }

    /// Every run that a sign-off speaks of.
    pub fn cited_runs(&self) -> Vec<RunId> {
        let mut out: Vec<RunId> =
            [self.validation(), self.eval_run()].into_iter().flatten().map(|sweep| sweep.run.id).collect();
        out.dedup();
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::configs::Comparison;
    use crate::core::plan::{Read, absorb};
    use crate::core::policy::tests::policy;
    use crate::core::remote::Remote;
    use crate::core::sample::{RUN, World, job};

    #[test]
    fn an_answer_costs_only_what_follows_from_it() {
        let (world, policy) = (World::new(), policy());
        let mut facts = world.opened(&policy);
        let before = Conclusions::draw(&policy, &facts);
        absorb(&mut facts, world.reply(Read::Comments));
        let after = before.redraw(&policy, &facts);
        assert!(Arc::ptr_eq(&before.sweeps[0].jobs, &after.sweeps[0].jobs));
        assert!(Arc::ptr_eq(&before.keys, &after.keys));
        assert!(Arc::ptr_eq(&before.claimed, &after.claimed));
        assert!(Arc::ptr_eq(&before.arms[&RUN], &after.arms[&RUN]));

        let mut more = world.clone();
        more.jobs.items.push(job(9, 1, "single-node 8k1k / qwen3.5 fp4 b200 sgl TP2 c4", Some("failure")));
        absorb(&mut facts, more.reply(Read::Jobs(RUN)));
        let last = after.redraw(&policy, &facts);
        assert_eq!(last, Conclusions::draw(&policy, &facts));
        assert_eq!(last.sweeps[0].jobs.len(), before.sweeps[0].jobs.len() + 1);

        let later = World { now: world.now + chrono::TimeDelta::minutes(1), ..world };
        absorb(&mut facts, later.reply(Read::Files));
        assert!(Arc::ptr_eq(&last.keys, &last.redraw(&policy, &facts).keys), "read again, and the same");
        let Remote::Ready(files) = &mut facts.files else { panic!() };
        files.source.digest = "another".to_owned();
        assert!(!Arc::ptr_eq(&last.keys, &last.redraw(&policy, &facts).keys));
    }

    #[test]
    fn configs_compared_elsewhere_are_the_same_and_in_doubt_until_they_come() {
        let (world, policy) = (World::new(), Arc::new(policy()));
        let mut facts = world.opened(&policy);
        let here = Conclusions::draw(&policy, &facts);
        let mut beside = Conclusions::default().redraw_beside(&policy, &facts);
        assert_eq!(*beside.keys, ChangedKeys::default());
        let from = beside.uncompared().unwrap().clone();
        beside.take(from.clone(), Comparison::of(&policy, &facts).run());
        beside = beside.redraw_beside(&policy, &facts);
        assert_eq!((&beside, beside.uncompared()), (&here, None));

        // Read again: the last ones stand, but nothing rests on them; and they count again when nothing changed.
        facts.files.start();
        let during = beside.redraw_beside(&policy, &facts);
        assert!(here.keys.complete && !during.keys.complete && during.keys.masters == here.keys.masters);
        facts.files.stop();
        assert_eq!(during.redraw_beside(&policy, &facts), here);

        // Another head has nothing of the old one.
        let Remote::Ready(pull) = &mut facts.pull else { panic!() };
        pull.value.head = "0123".into();
        let moved = during.redraw_beside(&policy, &facts);
        assert_eq!(*moved.keys, ChangedKeys::default());
        assert!(moved.uncompared().is_some_and(|now| *now != from));
        facts.sides.values_mut().next().unwrap().start();
        assert!(moved.redraw_beside(&policy, &facts).uncompared().is_none(), "while a file is on its way");
    }
}
