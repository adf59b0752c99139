//! Which scripts and recipes the points of a pull request run, with the lines that matter, what of them differs from the
//! merge base, and what comparable files carry besides.
//! Must not know: verdicts, how a script or a recipe is read.
//!
//! What is not read, or not whole, says so in its row: a row without changes claims that nothing changed only where
//! [`Against`] says that it was compared.

mod draw;
mod lines;
mod moved;

pub use lines::{Change, Kind, Line};

use crate::core::conclusions::Conclusions;
use crate::core::facts::Facts;
use crate::core::plan::Read;
use crate::core::policy::launches::arms::Known;
use crate::core::policy::launches::launched::Gap;
use crate::core::policy::launches::siblings::Drift;
use crate::core::policy::launches::texts;
use crate::core::policy::launches::values::Departure;

/// Every script and recipe, and whether these are all.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Launches {
    pub rows: Vec<ArmReview>,
    /// Why there may be others, or why one of them is not known; `None` where all is read.
    pub doubt: Option<String>,
}

/// A script, or an effective recipe.
#[derive(Debug, Clone, PartialEq)]
pub struct ArmReview {
    /// The configs that run it; none for a changed file that no changed or named config runs.
    pub configs: Vec<String>,
    /// Where it lies; what a config calls it where it is not in the repository.
    pub path: String,
    /// `override_x`, `zip_override_x[0]`.
    pub variant: Option<String>,
    pub reading: Reading,
    /// At the head.
    pub lines: Vec<Line>,
    pub against: Against,
    /// What the configs hand to its launcher, and which of them do.
    pub settings: Vec<Handed>,
    pub siblings: Beside,
    /// What could not be followed, a sentence each: flags and variables may stand there.
    pub doubts: Vec<String>,
}

/// How far it is known at the head. Each but the first says why in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
    Read,
    /// It lies outside the repository.
    External(String),
    /// It does not exist at the head.
    Absent(String),
    /// The pull request removes it.
    Removed(String),
    Unread(String),
}

/// What it is compared with.
#[derive(Debug, Clone, PartialEq)]
pub enum Against {
    /// Neither it nor anything that it sources is changed.
    Same,
    /// With the merge base: none, if no flag or variable differs.
    Compared(Vec<Change>),
    /// It did not exist at the merge base.
    New,
    /// Nothing is compared, and why.
    Unread(String),
}

/// What its siblings say of it.
#[derive(Debug, Clone, PartialEq)]
pub enum Beside {
    /// What they carry and it does not, warnings first; what it sets otherwise than most; and how many they are.
    Compared { drifts: Vec<Drift>, departures: Vec<Departure>, of: usize },
    /// Nothing is compared, and why.
    Nothing(String),
}

/// A setting that configs hand to a launcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handed {
    pub name: String,
    pub value: String,
    pub configs: Vec<String>,
}

impl Reading {
    /// A stable word.
    pub fn word(&self) -> &'static str {
        match self {
            Reading::Read => "read",
            Reading::External(_) => "external",
            Reading::Absent(_) => "absent",
            Reading::Removed(_) => "removed",
            Reading::Unread(_) => "unread",
        }
    }

    pub fn why(&self) -> Option<&str> {
        match self {
            Reading::Read => None,
            Reading::External(why) | Reading::Absent(why) | Reading::Removed(why) | Reading::Unread(why) => Some(why),
        }
    }
}

impl Against {
    /// A stable word.
    pub fn word(&self) -> &'static str {
        match self {
            Against::Same => "same",
            Against::Compared(_) => "compared",
            Against::New => "new",
            Against::Unread(_) => "unread",
        }
    }

    pub fn changes(&self) -> &[Change] {
        match self {
            Against::Compared(changes) => changes,
            Against::Same | Against::New | Against::Unread(_) => &[],
        }
    }

    pub fn why(&self) -> Option<&str> {
        if let Against::Unread(why) = self { Some(why) } else { None }
    }
}

impl Beside {
    pub fn drifts(&self) -> &[Drift] {
        if let Beside::Compared { drifts, .. } = self { drifts } else { &[] }
    }

    pub fn departures(&self) -> &[Departure] {
        if let Beside::Compared { departures, .. } = self { departures } else { &[] }
    }

    pub fn why(&self) -> Option<&str> {
        if let Beside::Nothing(why) = self { Some(why) } else { None }
    }
}

impl ArmReview {
    /// `path.yaml:override_x`.
    pub fn render(&self) -> String {
        match &self.variant {
            Some(variant) => format!("{}:{variant}", self.path),
            None => self.path.clone(),
        }
    }

    pub fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(move |line| line.kind == kind)
    }

    /// One line: how it stands to the merge base.
    pub fn summary(&self) -> String {
        let settings = self.lines.iter().filter(|line| line.kind != Kind::Program).count();
        let settings = if settings == 1 { "1 flag or variable".to_owned() } else { format!("{settings} flags and variables") };
        if let Some(why) = self.reading.why() {
            return why.to_owned();
        }
        match &self.against {
            Against::Same => format!("{settings}, as at the base: nothing that it reads is changed."),
            Against::Compared(changes) if changes.is_empty() => format!("{settings}, as at the base."),
            Against::Compared(changes) => format!("{settings}, {} of which came, changed or went.", changes.len()),
            Against::New => format!("{settings}, all new: the base has no such file or variant."),
            Against::Unread(why) => format!("{settings}, not compared with the base: {why}"),
        }
    }
}

/// What must be read besides for whole rows: the scripts and recipes themselves, what they source, what they were at the
/// merge base, and what stands beside the changed ones.
pub fn needs(facts: &Facts, conclusions: &Conclusions) -> Vec<Read> {
    let launched = &conclusions.launched;
    let own = launched.arms.iter().filter(|arm| arm.known == Known::Unread(None));
    let own = own.filter_map(|arm| texts::read(facts, &arm.path));
    let sourced = launched.unfollowed.iter().filter_map(|one| one.read(facts));
    let before = needs_of_base(facts, conclusions);
    let beside = launched.company.iter().filter_map(|company| match &company.compared {
        Err(Gap::Wants(reads)) => Some(reads.clone()),
        _ => None,
    });
    let mut out: Vec<Read> = Vec::new();
    for read in own.chain(sourced).chain(before).chain(beside.flatten()) {
        if !out.contains(&read) {
            out.push(read);
        }
    }
    out
}

/// What changed scripts and recipes were at the merge base: the details say what of them differs.
pub fn needs_of_base(facts: &Facts, conclusions: &Conclusions) -> Vec<Read> {
    conclusions.launched.runs.iter().flat_map(|run| run.before.reads(facts)).collect()
}

#[cfg(test)]
mod tests;
