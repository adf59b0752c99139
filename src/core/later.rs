//! What the commits after the measured one change: which files of the pull request, and what a merge brought along.
//! Must not know: what a rule makes of it, the comment's Markdown.

#[cfg(test)]
mod tests;

use super::conclusions::Conclusions;
use super::evidence::{Evidence, Source};
use super::facts::Facts;
use super::ids::Sha;
use super::launch::LaunchPolicy;
use super::plan::Read;
use super::policy::Policy;
use super::policy::launches::arms::{Known, is_launch};
use super::pull::{Commit, Course, Later, TouchedFile};
use super::remote::{Remote, Sourced};
use super::sweep::Sweep;
use super::text::counted;
use super::trouble::Trouble;
use std::collections::BTreeSet;

/// Files that are named one by one; more are counted.
const NAMED: usize = 12;

/// The comparison to read: where the run that a sign-off cites measured an earlier commit of the pull request than its
/// head. While jobs are read for the first time another run may come to be cited, so nothing is asked for yet.
pub fn needed(facts: &Facts, conclusions: &Conclusions) -> Option<Read> {
    if facts.jobs.values().any(|jobs| matches!(jobs, Remote::Loading)) {
        return None;
    }
    let sweep = conclusions.validation().filter(|sweep| is_earlier(sweep))?;
    Some(Read::Later { measured: sweep.run.head.clone(), head: facts.head()?.clone() })
}

/// Whether commits came after the one that a run measured.
pub fn is_earlier(sweep: &Sweep) -> bool {
    !sweep.at_head && sweep.in_pull == Some(true) && sweep.behind.is_some_and(|behind| behind > 0)
}

/// What is known of them.
#[derive(Debug, Clone, PartialEq)]
pub enum Told<'a> {
    /// Not read, and why where that failed.
    Unread(Option<&'a Trouble>),
    /// By GitHub's word the head does not come after the measured commit: what differs is nothing that came later.
    Elsewhere(&'a Course, Evidence),
    Changes(Changes<'a>, Evidence),
}

/// The files that differ between the measured commit and the head, sorted.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Changes<'a> {
    /// Files of the pull request.
    pub own: Vec<&'a str>,
    /// Files that the head has as the merge base has them (the base branch may have moved on since): a merge brought them,
    /// or the pull request took its own change back.
    pub as_base: Vec<&'a str>,
    /// Files of which neither can be told: the list of the pull request's files is not read or not whole.
    pub unsure: Vec<&'a str>,
    /// What GitHub's list lacks; `None` when it is whole.
    pub gap: Option<String>,
    pub merges: Merges,
    kinds: Kinds,
    /// Config keys that the pull request changes in config files that were touched later. Whether those came later cannot be
    /// told by files.
    keys: Vec<&'a str>,
    /// Of all that is listed, the scripts and recipes that the points run.
    run: Vec<&'a str>,
}

/// Merges among the later commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Merges {
    #[default]
    None,
    /// So many follow two commits or more.
    Some(usize),
    /// What commits follow was not told; so many are merges by their titles.
    ByTitle(usize),
}

/// What the pull request's own files are that changed: how many of each kind, and what else may be one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Kinds {
    configs: usize,
    changelogs: usize,
    scripts: usize,
    recipes: usize,
    /// Neither script nor recipe by its place, and no document either: `requirements.txt` says what is measured.
    code: usize,
    yaml: usize,
    json: usize,
}

impl Kinds {
    fn add(&mut self, policy: &Policy, file: &TouchedFile) {
        let ends = |name: &str, endings: &[&str]| name.rsplit_once('.').is_some_and(|(_, end)| endings.contains(&end));
        let is_launch = |name: &str| policy.launch.as_ref().is_some_and(|launch: &LaunchPolicy| is_launch(name, launch));
        // A script that became a document was touched all the same, so every name counts, but a file only once.
        let any = |is: &dyn Fn(&str) -> bool| file.names().any(is);
        let is_yaml = |name: &str| ends(name, &["yaml", "yml"]);
        let place = if any(&|name| policy.configs.is_master(name)) {
            &mut self.configs
        } else if any(&|name| policy.configs.is_config(name)) {
            &mut self.changelogs
        } else if any(&|name| is_launch(name) && !is_yaml(name)) {
            &mut self.scripts
        } else if any(&is_launch) {
            &mut self.recipes
        } else if any(&|name| !ends(name, &["md", "json", "yaml", "yml"])) {
            &mut self.code
        } else if any(&is_yaml) {
            &mut self.yaml
        } else if any(&|name| ends(name, &["json"])) {
            &mut self.json
        } else {
            return;
        };
        *place += 1;
    }

    /// `1 config, no script, no recipe`. That there is none of a kind is said only where that is certain.
    fn render(self, whole: bool, keys: &str) -> String {
        let changelog = match self.changelogs {
            0 => None,
            _ => Some("the changelog".to_owned()),
        };
        let kind = |count: usize, perhaps: usize, word: &str| match count + perhaps {
            0 if whole => Some(format!("no {word}")),
            _ if count > 0 => Some(counted(count, word)),
            _ => None,
        };
        let words = [
            changelog,
            kind(self.configs, self.yaml + self.json, "config")
                .map(|word| if keys.is_empty() { word } else { format!("{word} with {keys}") }),
            kind(self.scripts, self.code, "script"),
            kind(self.recipes, self.yaml + self.json, "recipe"),
        ];
        words.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

impl Merges {
    /// `commits`: the later ones.
    pub fn of(commits: &[Commit]) -> Merges {
        let by_title = |commit: &&Commit| commit.parents.is_none() && commit.headline.starts_with("Merge ");
        let merges = commits.iter().filter(|commit| commit.parents.is_some_and(|parents| parents > 1)).count();
        match (commits.iter().all(|commit| commit.parents.is_some()), merges) {
            (false, _) => Merges::ByTitle(merges + commits.iter().filter(by_title).count()),
            (true, 0) => Merges::None,
            (true, some) => Merges::Some(some),
        }
    }

    /// `one of them merges another branch`; `one`: there is only one commit.
    pub fn render(self, one: bool) -> Option<String> {
        let it = if one { "it" } else { "one of them" };
        match self {
            Merges::None | Merges::Some(0) | Merges::ByTitle(0) => None,
            Merges::Some(1) => Some(format!("{it} merges another branch")),
            Merges::Some(many) => Some(format!("{many} of them merge another branch")),
            Merges::ByTitle(1) => Some(format!("by its title {it} merges another branch")),
            Merges::ByTitle(many) => Some(format!("by their titles {many} of them merge another branch")),
        }
    }
}

/// The commits after the one that a run measured, oldest first; none while the list is not whole.
pub fn commits<'a>(facts: &'a Facts, sweep: &Sweep) -> &'a [Commit] {
    let all = facts.commits.settled().filter(|got| got.value.is_complete());
    let all = all.map(|got| got.value.items.as_slice()).unwrap_or_default();
    all.get(all.len().saturating_sub(sweep.behind.unwrap_or(0))..).unwrap_or_default()
}

/// What GitHub says of the commits after the one that `sweep` measured.
pub fn told<'a>(policy: &Policy, facts: &'a Facts, conclusions: &'a Conclusions, sweep: &Sweep) -> Told<'a> {
    let measured = &sweep.run.head;
    let remote = facts.head().and_then(|head| facts.later.get(&(measured.clone(), head.clone())));
    let Some(got) = remote.and_then(Remote::settled) else { return Told::Unread(remote.and_then(Remote::trouble)) };
    let evidence = evidence(facts, measured, got);
    match &got.value.course {
        Course::Ahead => Told::Changes(changes(policy, facts, conclusions, sweep, &got.value), evidence),
        course => Told::Elsewhere(course, evidence),
    }
}

/// GitHub's page of the comparison.
pub fn evidence(facts: &Facts, measured: &Sha, got: &Sourced<Later>) -> Evidence {
    let source = Source { commit: facts.head().cloned(), ..got.source.clone() };
    Evidence::new("later", format!("what came after {}", measured.short()), page(facts, measured), source)
}

/// Where people see what came after a commit.
pub fn page(facts: &Facts, measured: &Sha) -> Option<String> {
    Some(facts.page(&format!("compare/{measured}...{}", facts.head()?)))
}

fn changes<'a>(
    policy: &Policy,
    facts: &'a Facts,
    conclusions: &'a Conclusions,
    sweep: &Sweep,
    later: &'a Later,
) -> Changes<'a> {
    let files = facts.files.settled().map(|got| &got.value);
    let listed = files.map(|list| list.items.as_slice()).unwrap_or_default();
    let names = |file: &'a crate::core::pull::ChangedFile| [Some(file.path.as_str()), file.previous_path.as_deref()];
    let of_pull: BTreeSet<&str> = listed.iter().flat_map(names).flatten().collect();
    let is_whole = files.is_some_and(|list| list.is_complete());
    // Changed scripts that no config runs are among the arms, and paths that are guessed until they are read.
    let run = conclusions.launched.arms.iter().filter(|arm| !arm.keys.is_empty() && arm.known == Known::Here);
    let arms: BTreeSet<&str> = run.map(|arm| arm.path.as_str()).collect();
    let touched: BTreeSet<&str> = later.files.items.iter().flat_map(TouchedFile::names).collect();
    let mut out = Changes { gap: later.files.render_gap(), merges: Merges::of(commits(facts, sweep)), ..Changes::default() };
    for file in &later.files.items {
        if file.names().any(|name| of_pull.contains(name)) {
            out.own.push(&file.path);
            out.kinds.add(policy, file);
        } else if is_whole {
            out.as_base.push(&file.path);
        } else {
            out.unsure.push(&file.path);
        }
        out.run.extend(file.names().find(|name| arms.contains(name)));
    }
    // Keys of a list that is not whole would be told as if there were no more.
    let whole = conclusions.keys.doubt().is_none();
    let changed = conclusions.keys.masters.iter().filter(|_| whole);
    for change in changed.filter(|change| touched.contains(change.path.as_str())) {
        if !out.keys.contains(&change.key.as_str()) {
            out.keys.push(&change.key);
        }
    }
    out
}

impl Changes<'_> {
    /// Whether nothing that a run measures can have changed, as far as files say that: all is listed, and all of it is
    /// documents of the pull request's own.
    pub fn leaves_measured(&self) -> bool {
        let whole = self.gap.is_none() && self.unsure.is_empty() && self.as_base.is_empty();
        whole && self.run.is_empty() && self.kinds == Kinds::default()
    }

    /// `they touch 2 files of this pull request: a and b (no config, 1 script, no recipe)`, and what else differs.
    /// `subject` with its number; `code` makes a stranger's path fit to be shown.
    pub fn render(&self, subject: &str, one: bool, code: &dyn Fn(&str) -> String) -> String {
        let named = |paths: &[&str]| {
            let mut words: Vec<String> = paths.iter().take(NAMED).map(|path| code(path)).collect();
            match (paths.len().saturating_sub(NAMED), words.pop()) {
                (_, None) => String::new(),
                (0, Some(last)) if words.is_empty() => last,
                (0, Some(last)) => format!("{} and {last}", words.join(", ")),
                (more, Some(last)) => format!("{}, {last} and {more} more", words.join(", ")),
            }
        };
        let touch = if one { "touches" } else { "touch" };
        let least = if self.gap.is_some() { "at least " } else { "" };
        let mut out = match (self.own.as_slice(), self.unsure.as_slice()) {
            ([], []) if self.as_base.is_empty() && self.gap.is_none() => {
                return format!("{subject} {} no file", if one { "changes" } else { "change" });
            }
            ([], []) if self.gap.is_none() => format!("{subject} {touch} no file of this pull request"),
            ([], []) => format!("no file of this pull request is among those that GitHub lists as changed by {}", object(one)),
            ([], unsure) => {
                format!(
                    "{subject} {touch} {least}{}: {} (which of them are the pull request's own cannot be told)",
                    counted(unsure.len(), "file"),
                    named(unsure)
                )
            }
            (own, unsure) => {
                let keys = match self.keys.as_slice() {
                    [] => String::new(),
                    [key] => format!("the pull request's changed key {}", code(key)),
                    keys => format!("the pull request's changed keys {}", named(keys)),
                };
                let kinds = self.kinds.render(self.gap.is_none() && unsure.is_empty(), &keys);
                let kinds = if kinds.is_empty() { kinds } else { format!(" ({kinds})") };
                let mut own = format!(
                    "{subject} {touch} {least}{} of this pull request: {}{kinds}",
                    counted(own.len(), "file"),
                    named(own)
                );
                if !unsure.is_empty() {
                    let these = counted(unsure.len(), "more file");
                    own.push_str(&format!("; of {these} it cannot be told whether they are its own: {}", named(unsure)));
                }
                own
            }
        };
        if !self.as_base.is_empty() {
            let (count, are) = (self.as_base.len(), if self.as_base.len() == 1 { "is" } else { "are" });
            let why = match self.merges {
                Merges::None => "what changed there was taken back",
                Merges::Some(_) | Merges::ByTitle(_) => "a merge brought that, or a change was taken back",
            };
            let more = if self.own.is_empty() { "file" } else { "more file" };
            out.push_str(&format!(
                "; {least}{} {are} now as where the pull request left the base branch: {why}",
                counted(count, more)
            ));
        }
        if !self.run.is_empty() {
            out.push_str(&format!("; of these the pull request's points run {}", named(&self.run)));
        }
        if let Some(gap) = &self.gap {
            out.push_str(&format!(" ({})", gap.trim_end_matches('.')));
        }
        out
    }
}

fn object(one: bool) -> &'static str {
    if one { "it" } else { "them" }
}

/// What GitHub says where the head does not come after the measured commit, without a full stop.
pub fn render_elsewhere(course: &Course, code: &dyn Fn(&str) -> String) -> String {
    match course {
        Course::Ahead => "GitHub says that the head builds on the measured commit".to_owned(),
        Course::Behind => "GitHub says that the head comes before the measured commit".to_owned(),
        Course::Diverged => {
            "GitHub says that the head does not build on the measured commit, so what differs is not what came after it"
                .to_owned()
        }
        Course::Identical => "GitHub says that the head is the measured commit itself".to_owned(),
        Course::Other(word) => {
            format!("GitHub says {} of the head and the measured commit, which this version does not know", code(word))
        }
    }
}
