//! One finding from what is said of many scripts and recipes.
//! Must not know: particular rules.

use super::arms::{Arm, Known};
use super::{Confidence, Ruling, Status, texts};
use crate::core::plan::Read;
use crate::core::policy::read::{several, whole};
use crate::core::policy::{Context, Finding};

/// Notes of one finding, so that forty recipes with one fault stay readable.
const MOST_NOTES: usize = 8;

/// What is said of the scripts and recipes of a pull request.
#[derive(Default)]
pub(in crate::core::policy) struct Told {
    rulings: Vec<(String, Ruling)>,
    /// What only a person can look at.
    asks: Vec<String>,
    unread: Vec<String>,
    remarks: Vec<String>,
}

/// Whether the changed files and configs are read, so that it is known which scripts and recipes there are.
pub(in crate::core::policy) fn basis(context: &Context<'_>) -> Result<(), String> {
    if context.policy.launch.is_none() || context.policy.launch_rules.is_none() {
        return Err("The policy does not say how scripts and recipes are read (`launch`, `launch_rules`).".to_owned());
    }
    whole(&context.facts.files, "The list of changed files")?;
    let keys = &context.conclusions.keys;
    let gap = || keys.gaps().into_iter().next().unwrap_or_else(|| "The changed config files are not read yet.".to_owned());
    if keys.complete { Ok(()) } else { Err(gap()) }
}

/// Scripts and recipes that are changed, or that a changed speculative config runs.
pub(in crate::core::policy) fn needs(context: &Context<'_>, reads: &mut Vec<Read>) {
    let arms = context.conclusions.launched.arms.iter();
    needs_of(context, arms.filter(|arm| arm.changed || arm.stated), reads);
}

/// What of these is not read yet.
pub(in crate::core::policy) fn needs_of<'a>(
    context: &Context<'_>,
    arms: impl IntoIterator<Item = &'a Arm>,
    reads: &mut Vec<Read>,
) {
    let unfollowed = &context.conclusions.launched.unfollowed;
    for arm in arms {
        let own = (arm.known == Known::Unread(None)).then(|| texts::read(context.facts, &arm.path)).flatten();
        let sourced = unfollowed.iter().filter(|one| one.path == arm.path).filter_map(|one| one.read(context.facts));
        for read in own.into_iter().chain(sourced) {
            if !reads.contains(&read) {
                reads.push(read);
            }
        }
    }
}

impl Told {
    pub fn ruling(&mut self, arm: &Arm, ruling: Ruling) {
        self.rulings.push((arm.path.clone(), ruling));
    }

    /// An arm of which nothing can be said by its text.
    pub fn gap(&mut self, arm: &Arm) {
        let who = if arm.keys.is_empty() { "It".to_owned() } else { several(&arm.keys) };
        let path = arm.render();
        match &arm.known {
            Known::Here => {}
            Known::External => self.asks.push(format!("{who} runs {path}, which lies outside this repository: look there.")),
            Known::Absent if arm.new => {
                self.asks.push(format!("{who} is new, and what it would run does not exist at the head: {path}."));
            }
            Known::Absent => {
                self.remarks
                    .push(format!("{who} runs {path}, which this pull request does not change and the head does not hold."));
            }
            Known::Unread(None) => self.unread.push(format!("{path} is not read yet.")),
            Known::Unread(Some(why)) => self.unread.push(format!("{path} cannot be read: {}.", why.trim_end_matches('.'))),
        }
    }

    pub fn unread(&mut self, why: impl Into<String>) {
        self.unread.push(why.into());
    }

    pub fn remark(&mut self, what: impl Into<String>) {
        self.remarks.push(what.into());
    }

    /// The worst decides. A suspect never fails alone. `none`: what is said where there is nothing to judge.
    pub fn finding(mut self, context: &Context<'_>, key: &str, none: &str) -> Finding {
        let unfollowed = context.conclusions.launched.unfollowed.iter();
        for one in unfollowed.filter(|one| self.rulings.iter().any(|(path, _)| *path == one.path)) {
            self.unread.extend(one.gap());
            self.remarks.extend(one.remark());
        }
        for (_, ruling) in &mut self.rulings {
            if ruling.status == Status::Fail && ruling.confidence == Confidence::Suspect {
                ruling.status = Status::NeedsYou;
            }
        }
        let of = |status: Status| self.rulings.iter().filter(move |(_, ruling)| ruling.status == status);
        let count = |status| of(status).count();
        let status = if count(Status::Fail) > 0 {
            Status::Fail
        } else if !self.unread.is_empty() {
            Status::Unavailable
        } else if !self.asks.is_empty() || count(Status::NeedsYou) > 0 {
            Status::NeedsYou
        } else if count(Status::Warn) > 0 {
            Status::Warn
        } else if count(Status::Pass) > 0 {
            Status::Pass
        } else {
            Status::NotApplicable
        };
        let worst: Vec<&(String, Ruling)> = of(status).collect();
        let first = worst.first();
        let reason = match (status, first) {
            (Status::Unavailable, _) => self.unread.first().cloned().unwrap_or_default(),
            (Status::NeedsYou, None) => self.asks.first().cloned().unwrap_or_default(),
            (Status::NotApplicable, _) | (_, None) => none.to_owned(),
            (Status::Pass, Some((_, ruling))) if worst.len() > 1 => {
                format!("{} So do {} more.", ruling.reason, worst.len() - 1)
            }
            (_, Some((_, ruling))) => ruling.reason.clone(),
        };
        let brief = match (status, worst.len()) {
            (Status::NotApplicable, _) => "nothing of that kind".to_owned(),
            (Status::Unavailable, _) => "not read".to_owned(),
            (Status::NeedsYou, 0) => "look for yourself".to_owned(),
            (_, 1) => self.place(first),
            (_, n) => format!("{n} of {} launches", self.rulings.len()),
        };
        let mut found = Finding::new(key, "", status, reason.clone());
        found.confidence = first.map_or(Confidence::Derived, |(_, ruling)| ruling.confidence);
        if matches!(status, Status::Unavailable | Status::NotApplicable) {
            found.confidence = Confidence::Exact;
        }
        let lesser = [Status::Fail, Status::NeedsYou, Status::Warn];
        let told = lesser.into_iter().flat_map(of).map(|(_, ruling)| ruling.reason.clone());
        let mut notes: Vec<String> =
            told.chain(self.unread.iter().cloned()).chain(self.asks.iter().cloned()).filter(|note| *note != reason).collect();
        notes.extend(self.remarks.iter().cloned());
        let mut unique: Vec<String> = Vec::new();
        for note in notes {
            if !unique.contains(&note) {
                unique.push(note);
            }
        }
        let more = unique.len().saturating_sub(MOST_NOTES);
        unique.truncate(MOST_NOTES);
        if more > 0 {
            unique.push(format!("{more} more like these."));
        }
        let evidence = worst.iter().take(MOST_NOTES).filter(|_| status != Status::NotApplicable);
        let evidence: Vec<_> =
            evidence.filter_map(|(path, ruling)| texts::evidence(context.facts, path, ruling.lines.first().copied())).collect();
        found.in_brief(brief).note(unique).with(evidence)
    }

    /// `qwen3.5_fp4_b200_mtp.sh:7`.
    fn place(&self, told: Option<&&(String, Ruling)>) -> String {
        let Some((path, ruling)) = told else { return String::new() };
        let name = path.rsplit('/').next().unwrap_or(path);
        ruling.lines.first().map_or_else(|| name.to_owned(), |line| format!("{name}:{line}"))
    }
}
