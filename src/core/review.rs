//! Everything that follows from facts and draft together: conclusions, the comment, the findings about exactly this
//! comment, and what the rules still want to read. Screen and headless commands draw the same review.
//! Must not know: how any of it is shown.

use super::checklist::compose::{Ingredients, compose};
use super::checklist::detail::Drafted;
use super::checklist::suggestions::{Suggestion, of_recipes};
use super::checklist::{Signoff, Template, blocks};
use super::conclusions::Conclusions;
use super::configs::ChangedKeys;
use super::facts::Facts;
use super::ids::Key;
use super::later;
use super::pins::pinned_runs;
use super::plan::Read;
use super::points::needs_of_base;
use super::policy::{Context, Finding, Overall, Policy, Status, changed, findings, needs, overall};
use super::session::Draft;
use super::trouble::Trouble;
use super::verdict::beside::{Said, Spoken};
use std::sync::Arc;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Review {
    pub conclusions: Conclusions,
    /// `None` while the template is read for the first time; `Err` says why there is no comment.
    pub signoff: Option<Result<Signoff, Trouble>>,
    /// One per check, in the bot's order.
    pub findings: Vec<Finding>,
    /// Checks whose rules changed upstream since the policy was written.
    pub changed: Vec<Key>,
    /// What the bot answered: the verdict that counts, or the newest.
    pub spoken: Option<Spoken>,
    said: Said,
    /// What the rules want to be read, asked for already or not.
    pub needs: Vec<Read>,
    /// Items that have no answer in a sign-off that is still in the making ([`Signoff::open`]).
    pub open: usize,
    base: Arc<Base>,
    /// The state of the facts, as its owner counts them.
    facts: Option<u64>,
}

/// What follows from the facts alone.
#[derive(Debug, Clone, PartialEq, Default)]
struct Base {
    facts: Option<u64>,
    keys: Arc<ChangedKeys>,
    /// What the rules say before there are details.
    findings: Vec<Finding>,
    drafted: Drafted,
    /// Links to recipes that people named.
    offered: Vec<Suggestion>,
}

impl Review {
    /// `text`: a sign-off that was handed in, instead of the one that the draft makes.
    pub fn draw(policy: &Policy, facts: &Facts, draft: &Draft, text: Option<&str>) -> Review {
        Review::default().redraw(policy, facts, draft, text)
    }

    /// Draws it anew, taking over whatever is made from answers that are still the same.
    pub fn redraw(&self, policy: &Policy, facts: &Facts, draft: &Draft, text: Option<&str>) -> Review {
        self.follow(self.conclusions.redraw(policy, facts), policy, facts, draft, text)
    }

    /// The same, leaving the comparison of configs to somebody else ([`Conclusions::redraw_beside`]).
    pub fn redraw_beside(&self, policy: &Policy, facts: &Facts, draft: &Draft) -> Review {
        self.follow(self.conclusions.redraw_beside(policy, facts), policy, facts, draft, None)
    }

    fn follow(&self, conclusions: Conclusions, policy: &Policy, facts: &Facts, draft: &Draft, text: Option<&str>) -> Review {
        let base = self.base(&conclusions, policy, facts, draft);
        let made_of = Ingredients {
            policy,
            facts,
            draft,
            conclusions: &conclusions,
            findings: &base.findings,
            drafted: Some(&base.drafted),
        };
        let mut signoff = compose(&made_of);
        let composed = signoff.as_ref().and_then(|signoff| signoff.as_ref().ok());
        let template: Option<&Template> = composed.map(|signoff| &signoff.template);
        let finished = text.is_some();
        let text = text.or_else(|| composed.map(|signoff| signoff.rendered.text.as_str()));
        // Of a text that was handed in nobody knows what was drafted.
        let said = composed.filter(|_| !finished).map(Signoff::said);
        let context = Context::new(policy, facts, &conclusions, template, text, finished).saying(said.as_deref());
        let (findings, mut needs, changed) = (findings(&context), needs(&context), changed(&context));
        // What the details say besides.
        for read in needs_of_base(facts, &conclusions) {
            if !needs.contains(&read) {
                needs.push(read);
            }
        }
        // What came after a measured commit that is not the head: rule and details say it.
        if let Some(read) = later::needed(facts, &conclusions)
            && !needs.contains(&read)
        {
            needs.push(read);
        }
        // What is pinned is told by its run's jobs, however old the run is.
        for run in pinned_runs(draft, facts) {
            if !needs.contains(&Read::Jobs(run)) {
                needs.push(Read::Jobs(run));
            }
        }
        // What would go with a review, or be in its way.
        needs.extend(blocks::pending_review(facts).map(|review| Read::PendingComments(review.id)));
        // An offered link is told from an open one before it is taken.
        let wants_link = findings.iter().any(|finding| finding.key.as_str() == "recipe" && finding.status == Status::Fail);
        let offered = base.offered.iter().filter(|_| wants_link).filter_map(|offered| offered.pull.clone());
        needs.extend(offered.map(Read::Linked));
        if let Some(Ok(signoff)) = &mut signoff {
            signoff.take_findings(&findings);
        }
        let said = self.said.reread(policy, facts);
        let spoken = said.spoken(policy, facts);
        let made = signoff.iter().flatten().find(|_| !finished);
        let open = made.map_or(0, |signoff| signoff.open(policy, draft));
        Review { conclusions, signoff, findings, changed, spoken, said, needs, open, base, facts: self.facts }
    }

    /// What details are drafted from, and the drafts: the rules then judge the comment that they stand in. Drawn once per
    /// state of the facts, where that is told ([`Review::of`]).
    fn base(&self, conclusions: &Conclusions, policy: &Policy, facts: &Facts, draft: &Draft) -> Arc<Base> {
        if self.facts.is_some() && self.facts == self.base.facts && Arc::ptr_eq(&self.base.keys, &conclusions.keys) {
            return Arc::clone(&self.base);
        }
        let findings = findings(&Context::new(policy, facts, conclusions, None, None, false));
        let made_of = Ingredients { policy, facts, draft, conclusions, findings: &findings, drafted: None };
        let drafted = Drafted::draw(&made_of);
        Arc::new(Base {
            facts: self.facts,
            keys: Arc::clone(&conclusions.keys),
            findings,
            drafted,
            offered: of_recipes(policy, facts),
        })
    }

    /// Links to recipes that people named, drawn once per state of the facts.
    pub fn offered(&self) -> &[Suggestion] {
        &self.base.offered
    }

    /// Tells which state of the facts it is drawn from next: while that is the same, only what the draft changes is drawn
    /// anew.
    pub fn of(mut self, facts: u64) -> Review {
        self.facts = Some(facts);
        self
    }

    /// The comment, where there is one.
    pub fn signed(&self) -> Option<&Signoff> {
        self.signoff.as_ref()?.as_ref().ok()
    }

    /// What the bot will answer; while items are open nobody knows what the sign-off will say.
    pub fn overall(&self) -> Overall {
        match overall(&self.findings) {
            Overall::Pass | Overall::Warn if self.open > 0 => Overall::Unknown,
            told => told,
        }
    }
}
