//! What follows from the facts alone: sweeps, the run to cite, changed configs, judged scores, launches. Drawn once per
//! change of facts and shared by the screen, the headless commands, the comment and the rules.
//! Must not know: the draft, findings, or how conclusions are shown.

use super::claimed::Claimed;
use super::configs::{self, Basis, ChangedKeys};
use super::evals::judge::{Judged, judge};
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
    keys_from: Basis,
    /// The scores of each sweep, against their bars.
    pub judged: BTreeMap<RunId, Judged>,
    /// What the pull request's own texts claim.
    pub claimed: Arc<Claimed>,
    /// Scripts and recipes, read once per text.
    pub launched: Launched,
}

impl Conclusions {
    pub fn draw(policy: &Policy, facts: &Facts) -> Conclusions {
        Conclusions::default().redraw(policy, facts)
    }

    /// Draws them anew, and takes over what was made from answers that are still the same: merged jobs and compared
    /// configs. One answer among hundreds must not cost what all of them do.
    pub fn redraw(&self, policy: &Policy, facts: &Facts) -> Conclusions {
        let sweeps = sweeps_after(&self.sweeps, policy, facts);
        let keys_from = Basis::of(facts);
        let keys = match keys_from == self.keys_from {
            true => Arc::clone(&self.keys),
            false => Arc::new(configs::keys(policy, facts)),
        };
        let judged = sweeps.iter().map(|sweep| (sweep.run.id, judge(policy, facts, &keys, sweep.run.id))).collect();
        let id = validation(&sweeps).map(|sweep| sweep.run.id);
        let cited = sweeps.iter().position(|sweep| Some(sweep.run.id) == id);
        let launched = self.launched.redraw(policy, facts, &keys);
        let mut out = Conclusions { sweeps, cited, keys, keys_from, judged, claimed: Arc::clone(&self.claimed), launched };
        let evals = out.eval_run().map(|sweep| sweep.run.id);
        out.claimed = self.claimed.redraw(facts, &out.keys, id, evals);
        out
    }

    /// The run that measured what the sign-off speaks of.
    pub fn validation(&self) -> Option<&Sweep> {
        self.sweeps.get(self.cited?)
    }

    /// The run whose evals count: the same, or an evals-only run of the same commit.
    pub fn eval_run(&self) -> Option<&Sweep> {
        eval_sweep(&self.sweeps, self.validation()?)
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
    use crate::core::plan::{Read, absorb};
    use crate::core::policy::tests::policy;
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

        let mut more = world.clone();
        more.jobs.items.push(job(9, 1, "single-node 8k1k / qwen3.5 fp4 b200 sgl TP2 c4", Some("failure")));
        absorb(&mut facts, more.reply(Read::Jobs(RUN)));
        let last = after.redraw(&policy, &facts);
        assert_eq!(last, Conclusions::draw(&policy, &facts));
        assert_eq!(last.sweeps[0].jobs.len(), before.sweeps[0].jobs.len() + 1);

        let later = World { now: world.now + chrono::TimeDelta::minutes(1), ..world };
        absorb(&mut facts, later.reply(Read::Files));
        assert!(!Arc::ptr_eq(&last.keys, &last.redraw(&policy, &facts).keys));
    }
}
