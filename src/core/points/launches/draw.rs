//! Draws the rows from what was read of scripts and recipes.
//! Must not know: which lines matter, how two sides differ.

use super::lines::{changes, lines};
use super::moved::moved;
use super::{Against, ArmReview, Beside, Handed, Launches, Reading};
use crate::core::conclusions::Conclusions;
use crate::core::facts::Facts;
use crate::core::launch::{Launch, LaunchPolicy};
use crate::core::policy::Policy;
use crate::core::policy::launches::arms::{self, Arm, Known};
use crate::core::policy::launches::before::Before;
use crate::core::policy::launches::launched::{Company, Gap, Judged, Launched, Run};
use crate::core::policy::launches::sources::Unfollowed;
use crate::core::pull::ChangedFile;
use std::collections::HashMap;

/// Launches of one recipe that stand in rows of their own; how many more there are is said.
const MOST_VARIANTS: usize = 40;

impl Launches {
    pub fn draw(policy: &Policy, facts: &Facts, conclusions: &Conclusions) -> Launches {
        let Some(launch) = policy.launch.as_ref().filter(|_| policy.launch_rules.is_some()) else {
            let why = "The policy does not say how scripts and recipes are read (`launch`, `launch_rules`).";
            return Launches { rows: Vec::new(), doubt: Some(why.to_owned()) };
        };
        let launched = &conclusions.launched;
        let files = facts.files.value().map(|files| files.items.as_slice()).unwrap_or_default();
        let mut rows = Rows { launched, harness: harness(files, launch), list: Vec::new(), at: HashMap::new() };
        let mut runs = launched.runs.iter().peekable();
        for (index, arm) in launched.arms.iter().enumerate() {
            match runs.next_if(|run| run.arm == index) {
                Some(run) => rows.read(arm, run),
                None => rows.unread(arm),
            }
        }
        let mut list = rows.list;
        list.extend(removed(files, launch));
        moved(launch, &conclusions.keys).iter().for_each(|one| one.tell(&mut list));
        let unread = |row: &ArmReview| match (&row.reading, &row.against) {
            (Reading::Unread(why), _) | (Reading::Read, Against::Unread(why)) => Some(why.clone()),
            _ => None,
        };
        let doubt = basis(facts, conclusions).or_else(|| list.iter().find_map(unread));
        Launches { rows: list, doubt }
    }
}

/// Why there may be scripts and recipes that are in no row.
fn basis(facts: &Facts, conclusions: &Conclusions) -> Option<String> {
    let Some(files) = facts.files.settled() else {
        return Some(match facts.files.trouble() {
            Some(trouble) => format!("The list of changed files cannot be read: {}", trouble.sentence()),
            None => "The list of changed files is not read yet.".to_owned(),
        });
    };
    let gap = files.value.render_gap().map(|gap| format!("The list of changed files is not read whole: {gap}"));
    gap.or_else(|| conclusions.keys.doubt())
}

/// The rows so far, each launch in one.
struct Rows<'a> {
    launched: &'a Launched,
    harness: Vec<String>,
    list: Vec<ArmReview>,
    /// Rows by what they are rendered as.
    at: HashMap<String, usize>,
}

impl Rows<'_> {
    /// Puts a launch into its row, which several configs may share.
    fn row(&mut self, arm: &Arm, variant: Option<String>, make: impl FnOnce(&Self) -> ArmReview) {
        let id = variant.as_ref().map_or_else(|| arm.path.clone(), |variant| format!("{}:{variant}", arm.path));
        let index = match self.at.get(&id) {
            Some(index) => *index,
            None => {
                let row = ArmReview { path: arm.path.clone(), variant, ..make(self) };
                self.list.push(row);
                self.at.insert(id, self.list.len() - 1);
                self.list.len() - 1
            }
        };
        let Some(row) = self.list.get_mut(index) else { return };
        let new = |known: &[String]| arm.keys.iter().filter(|key| !known.contains(key)).cloned().collect::<Vec<_>>();
        row.configs.extend(new(&row.configs));
        for (name, value) in &arm.settings {
            match row.settings.iter_mut().find(|handed| handed.name == *name && handed.value == *value) {
                Some(handed) => handed.configs.extend(new(&handed.configs)),
                None => row.settings.push(Handed { name: name.clone(), value: value.clone(), configs: arm.keys.clone() }),
            }
        }
    }

    fn unread(&mut self, arm: &Arm) {
        let path = arm.render();
        let reading = match &arm.known {
            Known::External => Reading::External(format!("{path} lies outside this repository: look there.")),
            Known::Absent => Reading::Absent(format!("{path} does not exist at the head.")),
            Known::Unread(Some(why)) => Reading::Unread(format!("{path} cannot be read: {}.", why.trim_end_matches('.'))),
            Known::Unread(None) | Known::Here => Reading::Unread(format!("{path} is not read yet.")),
        };
        self.row(arm, arm.variant.clone(), |_| bare(reading));
    }

    fn read(&mut self, arm: &Arm, run: &Run) {
        let known = |path: &String| arm.keys.is_empty() && self.at.contains_key(path);
        let told: Vec<&Judged> = run.head.iter().filter(|one| !known(&one.launch.path)).collect();
        for one in told.iter().take(MOST_VARIANTS) {
            let launch = &one.launch;
            if is_nothing(launch) {
                let why = launch.problems.first().map_or_else(|| "nothing stands in it".to_owned(), ToString::to_string);
                let reading = Reading::Unread(format!("{} cannot be read: {why}.", arm.render()));
                self.row(arm, arm.variant.clone(), |_| bare(reading));
                continue;
            }
            let variant = variant(launch, &arm.path).map(str::to_owned);
            self.row(arm, variant, |rows| rows.review(arm, run, launch));
        }
        if let Some(left) = told.len().checked_sub(MOST_VARIANTS).filter(|left| *left > 0) {
            let why = format!("{left} more variants of {} stand in no row: open the file.", arm.path);
            self.row(arm, Some(format!("{left} more")), |_| bare(Reading::Unread(why)));
        }
    }

    fn review(&self, arm: &Arm, run: &Run, launch: &Launch) -> ArmReview {
        let mine: Vec<&Unfollowed> = self.launched.unfollowed.iter().filter(|one| one.path == arm.path).collect();
        let mut doubts: Vec<String> = self.harness.clone();
        doubts.extend(launch.problems.iter().map(|problem| format!("Not all of it could be followed: {problem}.")));
        doubts.extend(mine.iter().filter_map(|one| one.gap().or_else(|| one.remark())));
        for open in launch.commands().flat_map(|command| &command.open) {
            let said = format!("Line {} passes {}, whose text is not known: more may stand there.", open.line, open.value);
            if !doubts.contains(&said) {
                doubts.push(said);
            }
        }
        let now = lines(launch);
        let gap = mine.iter().find_map(|one| one.gap());
        let against = match (&run.before, gap) {
            (Before::Same, None) => Against::Same,
            (Before::Absent, _) => Against::New,
            (Before::Unread { path, why: None }, _) => Against::Unread(format!("{path} at the merge base is not read yet.")),
            (Before::Unread { path, why: Some(why) }, _) => {
                Against::Unread(format!("{path} at the merge base cannot be read: {}.", why.trim_end_matches('.')))
            }
            (Before::Same | Before::Read { .. }, Some(gap)) => Against::Unread(gap),
            (Before::Read { path, launches, unfollowed }, None) => {
                let gap = unfollowed.iter().find_map(Unfollowed::gap).map(|gap| format!("At the merge base, {gap}"));
                let old = launches.iter().map(|one| &one.launch).find(|old| variant(old, path) == variant(launch, &arm.path));
                doubts
                    .extend(unfollowed.iter().filter_map(Unfollowed::remark).map(|said| format!("At the merge base, {said}")));
                match (gap, launches.first().map(|one| &one.launch), old) {
                    (Some(gap), ..) => Against::Unread(gap),
                    (None, Some(first), _) if is_nothing(first) => {
                        let why = first.problems.first().map(ToString::to_string).unwrap_or_default();
                        Against::Unread(format!("At the merge base it cannot be read: {why}."))
                    }
                    (None, _, Some(old)) => {
                        let left = old.problems.iter().map(|problem| format!("Not all was followed at the base: {problem}."));
                        doubts.extend(left);
                        Against::Compared(changes(&lines(old), &now))
                    }
                    (None, first, None) => {
                        if let Some(one) = first.map(|one| variant(one, path).unwrap_or("no variants")) {
                            doubts.push(format!("At the merge base {path} has {one}, and nothing of this name."));
                        }
                        Against::New
                    }
                }
            }
        };
        if arm.variant.is_none()
            && arm.keys.is_empty()
            && let Some(gone) = gone(run, &arm.path)
        {
            doubts.push(gone);
        }
        ArmReview { lines: now, against, siblings: self.beside(arm, launch, &mut doubts), doubts, ..bare(Reading::Read) }
    }

    fn beside(&self, arm: &Arm, launch: &Launch, doubts: &mut Vec<String>) -> Beside {
        if !arm.changed {
            return Beside::Nothing("It is not changed, so it is not compared with its siblings.".to_owned());
        }
        let unread = || format!("What stands beside {} is not read yet.", arm.path);
        let Some(Company { of, taken, compared, .. }) = self.launched.company.iter().find(|one| one.path == arm.path) else {
            return Beside::Nothing(unread());
        };
        let all = match compared {
            Ok(all) => all,
            Err(Gap::Failed(why)) => return Beside::Nothing(format!("{}.", why.trim_end_matches('.'))),
            Err(Gap::Wants(_) | Gap::Pending) => return Beside::Nothing(unread()),
        };
        match all.iter().find(|one| one.launch == launch.path) {
            Some(one) if one.is_compared => {
                if taken < of {
                    doubts.push(format!("It was compared with {taken} of its {of} siblings."));
                }
                Beside::Compared { drifts: one.drifts.clone(), departures: one.departures.clone(), of: one.siblings }
            }
            Some(one) => Beside::Nothing(one.ruling.reason.clone()),
            None if launch.engine.is_none() => {
                Beside::Nothing("It starts no server of one known engine, so it has no siblings.".to_owned())
            }
            None => Beside::Nothing(format!("{taken} comparable files stand beside it: too few to be compared with.")),
        }
    }
}

/// A row of which only this is known.
fn bare(reading: Reading) -> ArmReview {
    let unread = reading.why().unwrap_or_default().to_owned();
    ArmReview {
        configs: Vec::new(),
        path: String::new(),
        variant: None,
        lines: Vec::new(),
        against: Against::Unread(unread.clone()),
        settings: Vec::new(),
        siblings: Beside::Nothing(unread),
        doubts: Vec::new(),
        reading,
    }
}

/// Nothing but the problem was read.
fn is_nothing(launch: &Launch) -> bool {
    let held = !launch.settings.is_empty() || !launch.ran.is_empty() || launch.commands().next().is_some();
    !held && !launch.problems.is_empty()
}

/// What comes behind the file's path.
fn variant<'l>(launch: &'l Launch, path: &str) -> Option<&'l str> {
    launch.path.strip_prefix(path)?.strip_prefix(':')
}

/// Variants of a changed recipe that the head does not have.
fn gone(run: &Run, head_path: &str) -> Option<String> {
    let Before::Read { path, launches, .. } = &run.before else { return None };
    let now: Vec<_> = run.head.iter().map(|one| variant(&one.launch, head_path)).collect();
    let left = launches.iter().filter_map(|one| variant(&one.launch, path)).filter(|name| !now.contains(&Some(name)));
    let left: Vec<&str> = left.collect();
    let (first, more) = (left.first()?, left.len() - 1);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Some(format!("The merge base has variants that went: {first}{more}."))
}

/// What scripts call and what is not read as a part of them, where it is changed.
fn harness(files: &[ChangedFile], launch: &LaunchPolicy) -> Vec<String> {
    let is = |file: &&ChangedFile| launch.harness.iter().any(|end| file.path.ends_with(end.as_str()));
    let said = |file: &ChangedFile| {
        format!("{} is changed too, and what it makes of a script's calls is not looked into: read it.", file.path)
    };
    files.iter().filter(is).map(said).collect()
}

/// Scripts and recipes that the pull request takes away.
fn removed(files: &[ChangedFile], launch: &LaunchPolicy) -> Vec<ArmReview> {
    let went = files.iter().filter(|file| file.status == "removed" && arms::is_launch(&file.path, launch));
    let row = |file: &ChangedFile| {
        let why = format!("{} is removed: what it launched is not looked into.", file.path);
        ArmReview { path: file.path.clone(), ..bare(Reading::Removed(why)) }
    };
    went.map(row).collect()
}
