//! The measured configs: changelog entries, master files, and which config a point belongs to.
//! Must not know: jobs, scores, rules.

pub mod append_only;
pub mod asked;
pub mod changelog;
pub mod compare;
pub mod evals;
pub mod jobs;
pub mod masters;
pub mod named;
pub mod resolve;

pub use asked::{Asked, asked};
pub use changelog::ChangelogEntry;
pub use evals::EvalEra;
pub use jobs::Job;
pub use masters::{Change, Entry, Point};
pub use named::Named;
pub use resolve::{AxesFrom, Candidates, resolve};

use super::facts::{Facts, Side, SidePath};
use super::ids::Sha;
use super::listing::Listing;
use super::policy::Policy;
use super::pull::{ChangedFile, Document};
use super::remote::Remote;
use super::trouble::Trouble;
use super::yaml::{self, Problem, Section};
use compare::{EntryChange, Fate, Text};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// What a pull request changes in the files that say what is measured.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChangedKeys {
    /// The pull request's own changelog entries, in file order.
    pub changelog: Vec<ChangelogEntry>,
    /// Config keys of the master files that differ between merge base and head.
    pub masters: Vec<MasterChange>,
    /// The same, point by point.
    pub changes: Vec<EntryChange>,
    /// What cannot be read in entries that came or changed.
    pub unreadable: Vec<Problem>,
    /// The head's entries of the keys that came or changed.
    pub touched: Vec<Entry>,
    /// The merge base's entries of the keys that changed, moved or went.
    pub was: Vec<Entry>,
    /// The merge base's entries of the keys that the changelog names, where it has them.
    pub before: Vec<Entry>,
    /// What breaks the rules of the changelog's text.
    pub disorder: Vec<Problem>,
    /// Keys of all master files at the head; `None` while one of them is not read.
    pub known: Option<BTreeSet<String>>,
    /// The head's entries of the keys that the changelog names, so far as a changed master file holds them.
    pub entries: Vec<Entry>,
    /// Named keys whose entry is not at hand: it stands in a file that was not changed, or the name is a pattern.
    pub unread: Vec<String>,
    /// Every changed file was read at both sides, and everything in it could be read.
    pub complete: bool,
    pub problems: Vec<Problem>,
    /// Config files that were not read at one side, and why where that is known.
    pub missing: Vec<(String, Option<Trouble>)>,
}

/// A config key that came, changed or went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MasterChange {
    pub path: String,
    pub key: String,
    pub change: Change,
}

impl ChangedKeys {
    /// The keys that the changelog names, each once, in order. A pattern (`*`) stays as it is written.
    pub fn named(&self) -> Vec<&str> {
        let mut seen = BTreeSet::new();
        let all = self.changelog.iter().flat_map(|entry| entry.config_keys.iter().map(String::as_str));
        all.filter(|key| seen.insert(*key)).collect()
    }

    /// Why it cannot be said which points change: `None` when every changed entry was read at both sides.
    pub fn doubt(&self) -> Option<String> {
        if !self.complete {
            let gap = self.gaps().into_iter().next();
            return Some(gap.unwrap_or_else(|| "The changed config files are not read yet.".to_owned()));
        }
        let problem = self.unreadable.first()?.clone();
        Some(format!("A changed config entry cannot be read: {}", Trouble::from(problem).sentence()))
    }

    /// Why not everything is known, a sentence each; what the list of changed files lacks is left to whoever shows it.
    pub fn gaps(&self) -> Vec<String> {
        let missing = self.missing.iter().map(|(path, why)| match why {
            Some(trouble) => format!("{path} was not read: {}", trouble.sentence()),
            None => format!("{path} is not read yet."),
        });
        missing.chain(self.problems.iter().map(|problem| Trouble::from(problem.clone()).sentence())).collect()
    }
}

/// What [`keys`] is made from, by content: comparing these is cheap, comparing files of thousands of lines is not, and a
/// file that was read again and is the same changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Basis {
    head: Option<Sha>,
    /// Digest of the list of files; `None` while it is read.
    files: Option<String>,
    /// The list of files is whole.
    whole: bool,
    /// Per file and side, its digest, or why it was not read.
    sides: Vec<(SidePath, Content)>,
    /// The same of the master files of the default branch, by the policy's names.
    masters: Vec<(String, Content)>,
    /// Where links of the changelog lead.
    pulls: String,
    /// Something of it is on its way.
    pending: bool,
}

/// A digest; `None` where it was not read.
type Content = Result<Option<String>, Trouble>;

impl Basis {
    pub fn of(policy: &Policy, facts: &Facts) -> Basis {
        let content = |remote: &Remote<Document>| match (remote.settled(), remote.trouble()) {
            (None, Some(trouble)) => Err(trouble.clone()),
            (got, _) => Ok(got.map(|got| got.source.digest.clone())),
        };
        Basis {
            head: facts.head().cloned(),
            files: facts.files.known().map(|got| got.source.digest.clone()),
            whole: facts.files.settled().is_some_and(|got| got.value.is_complete()),
            sides: sides(policy, facts).map(|(at, remote)| (at.clone(), content(remote))).collect(),
            masters: facts.masters.iter().map(|(name, remote)| (name.clone(), content(remote))).collect(),
            pulls: facts.page("pull/"),
            pending: facts.files.value().is_none()
                || facts.files.is_pending()
                || sides(policy, facts).map(|(_, remote)| remote).chain(facts.masters.values()).any(Remote::is_pending),
        }
    }

    /// Whether it speaks of the same commit.
    pub fn is_beside(&self, other: &Basis) -> bool {
        self.head == other.head
    }

    /// Whether something of it is on its way.
    pub fn is_pending(&self) -> bool {
        self.pending
    }
}

/// What [`keys`] needs, cut out of the facts, so that it can be compared somewhere else.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    policy: Arc<Policy>,
    facts: Box<Facts>,
}

impl Comparison {
    pub fn of(policy: &Arc<Policy>, facts: &Facts) -> Comparison {
        let mut excerpt = Facts {
            repository: facts.repository.clone(),
            pull: facts.pull.clone(),
            merge_base: facts.merge_base.clone(),
            sides: sides(policy, facts).map(|(at, remote)| (at.clone(), remote.clone())).collect(),
            masters: facts.masters.clone(),
            ..Facts::new(&facts.web, facts.repo.clone(), facts.number)
        };
        let files = |list: &Listing<ChangedFile>| Listing {
            items: files(policy, &list.items).map(|file| ChangedFile { patch: None, ..file.clone() }).collect(),
            completeness: list.completeness.clone(),
        };
        excerpt.files = facts.files.map(files);
        Comparison { policy: Arc::clone(policy), facts: Box::new(excerpt) }
    }

    /// What [`keys`] says of the facts that it was cut out of.
    pub fn run(&self) -> ChangedKeys {
        keys(&self.policy, &self.facts)
    }
}

/// The changed files that say what is measured, under either name.
fn files<'f>(policy: &Policy, all: &'f [ChangedFile]) -> impl Iterator<Item = &'f ChangedFile> {
    all.iter().filter(|file| {
        policy.configs.is_config(&file.path) || file.previous_path.as_deref().is_some_and(|path| policy.configs.is_config(path))
    })
}

/// Where those files are read.
fn sides<'f>(policy: &Policy, facts: &'f Facts) -> impl Iterator<Item = (&'f SidePath, &'f Remote<Document>)> {
    let all = facts.files.value().map_or(&[][..], |list| list.items.as_slice());
    let names = files(policy, all).flat_map(|file| [Some(file.path.as_str()), file.previous_path.as_deref()]).flatten();
    let names: BTreeSet<&str> = names.collect();
    facts.sides.iter().filter(move |((_, path), _)| names.contains(path.as_str()))
}

/// Compares the changed config files of the pull request at the merge base and at the head.
pub fn keys(policy: &Policy, facts: &Facts) -> ChangedKeys {
    let mut out = ChangedKeys::default();
    let Some(files) = facts.files.known() else { return out };
    out.complete = facts.files.settled().is_some() && files.value.is_complete();
    let (mut bases, mut heads): (Vec<Text<'_>>, Vec<Text<'_>>) = (Vec::new(), Vec::new());
    let mut log = None;
    for file in self::files(policy, &files.value.items) {
        let is = |test: &dyn Fn(&str) -> bool| test(&file.path) || file.previous_path.as_deref().is_some_and(test);
        let changelog = is(&|path| policy.configs.changelog.iter().any(|known| known == path));
        let (base, head) = match (side(facts, file, Side::Base), side(facts, file, Side::Head)) {
            (Ok(base), Ok(head)) => (base, head),
            (Err(why), _) | (_, Err(why)) => {
                out.complete = false;
                out.missing.push((file.path.clone(), why.cloned()));
                continue;
            }
        };
        let path = file.path.as_str();
        if changelog {
            let (entries, problems) = changelog::added(path, base, head);
            out.changelog.extend(entries);
            out.problems.extend(problems);
            log = Some((path, base, head));
        } else {
            let (changes, problems) = masters::changes(path, base, head);
            let changed = |(key, change)| MasterChange { path: file.path.clone(), key, change };
            out.masters.extend(changes.into_iter().map(changed));
            out.problems.extend(problems);
            bases.push(Text { path: file.previous_path.as_deref().unwrap_or(path), text: base });
            heads.push(Text { path, text: head });
        }
    }
    let (changes, problems) = compare::masters(&bases, &heads, &[]);
    out.changes = changes;
    out.unreadable = problems;
    // A file that is not changed is at the head what it is on the default branch, as far as anybody compares.
    let changed: Vec<&str> = bases.iter().chain(&heads).map(|text| text.path).collect();
    for (name, paths) in &policy.configs.masters {
        if paths.iter().any(|path| changed.contains(&path.as_str())) {
            continue;
        }
        if let Some(got) = facts.masters.get(name).and_then(Remote::settled) {
            heads.push(Text { path: &got.value.path, text: &got.value.text });
        }
    }
    let index = |texts: &[Text<'_>]| -> HashMap<String, (usize, Section)> {
        let sections = texts
            .iter()
            .enumerate()
            .flat_map(|(at, text)| yaml::top_level(text.text).into_iter().map(move |section| (at, section)));
        sections.map(|(at, section)| (section.key.clone(), (at, section))).collect()
    };
    let (now, past) = (index(&heads), index(&bases));
    if heads.len() == policy.configs.masters.len() && out.missing.is_empty() {
        out.known = Some(now.keys().cloned().collect());
    }
    let entry = |texts: &[Text<'_>], sections: &HashMap<String, (usize, Section)>, key: &str| {
        let (at, section) = sections.get(key)?;
        let text = texts.get(*at)?;
        Some(masters::parse_entry(text.path, section, text.text))
    };
    let named: Vec<String> = out.named().into_iter().map(str::to_owned).collect();
    for key in named {
        match entry(&heads, &now, &key) {
            Some(Ok(found)) => out.entries.push(found),
            Some(Err(problem)) => {
                out.unread.push(key.clone());
                if !out.problems.contains(&problem) {
                    out.problems.push(problem);
                }
            }
            None => out.unread.push(key.clone()),
        }
        out.before.extend(entry(&bases, &past, &key).and_then(Result::ok));
    }
    let living =
        out.changes.iter().filter(|change| !matches!(change.fate, Fate::Removed | Fate::Archived { .. } | Fate::Unreadable));
    out.touched = living.filter_map(|change| entry(&heads, &now, &change.key)?.ok()).collect();
    let old = out.changes.iter().filter(|change| !matches!(change.fate, Fate::Added | Fate::Unreadable));
    out.was = old.filter_map(|change| entry(&bases, &past, &change.key)?.ok()).collect();
    if let (Some((path, base, head)), Some(known)) = (log, &out.known) {
        let keys: Vec<&str> = known.iter().map(String::as_str).collect();
        let pulls = facts.page("pull/");
        let rules = changelog::rules::Rules { keys: &keys, pulls: &pulls, placeholders: &policy.configs.link_placeholders };
        out.disorder = changelog::rules::check(path, base, head, &rules);
    }
    out.complete &= out.problems.is_empty();
    out
}

/// A changed file's text at one side: empty where it does not exist. While it is not read, why not, as far as is known.
fn side<'a>(facts: &'a Facts, file: &ChangedFile, side: Side) -> Result<&'a str, Option<&'a Trouble>> {
    let path = match (side, file.status.as_str()) {
        (Side::Base, "added" | "copied") | (Side::Head, "removed") => return Ok(""),
        (Side::Base, _) => file.previous_path.as_ref().unwrap_or(&file.path),
        (Side::Head, _) => &file.path,
    };
    match facts.sides.get(&(side, path.clone())) {
        Some(remote) => remote.settled().map(|got| got.value.text.as_str()).ok_or_else(|| remote.trouble()),
        // Without the merge base nobody knows where to look.
        None => Err(facts.merge_base.trouble().filter(|_| side == Side::Base)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::policy::scenario;
    use crate::core::policy::tests::policy;
    use crate::core::sweep::sweeps;

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn every_job_of_every_scenario_belongs_to_one_changed_config() {
        use Change::{Added, Changed};
        // Scenario, number, the keys that its patch names, what happened to them, jobs with axes.
        let table: [(&str, u64, &[&str], Change, usize); 9] = [
            ("2550-green", 2550, &["qwen3.5-fp4-b200-sglang-mtp"], Changed, 13),
            ("2550-newest", 2550, &["qwen3.5-fp4-b200-sglang-mtp"], Changed, 13),
            ("2313", 2313, &["dsr1-fp8-b300-sglang-mtp"], Changed, 12),
            ("2256", 2256, &["kimik2.5-int4-b200-vllm", "kimik2.5-int4-b300-vllm"], Changed, 21),
            ("2349", 2349, &["qwen3.5-fp8-mi355x-sglang", "qwen3.5-fp8-mi355x-sglang-mtp"], Changed, 18),
            ("2492", 2492, &["dsr1-fp4-b200-sglang", "dsr1-fp4-b200-sglang-mtp"], Changed, 24),
            ("2206", 2206, &["qwen3.5-fp4-gb300-dynamo-trt"], Added, 18),
            ("2462", 2462, &["minimaxm3-fp4-b200-dynamo-vllm-mtp"], Added, 12),
            ("2610", 2610, &["minimaxm3-fp4-b300-vllm-agentic-mtp"], Changed, 9),
        ];
        for (name, number, named, change, jobs) in table {
            let facts = scenario::load(name, number);
            let keys = keys(&policy(), &facts);
            assert!(keys.complete && keys.problems.is_empty() && keys.unread.is_empty(), "{name}: {:?}", keys.problems);
            assert_eq!(keys.named(), named, "{name}");
            assert!(
                keys.masters
                    .iter()
                    .map(|master| (master.key.as_str(), master.change))
                    .eq(named.iter().map(|key| (*key, change)))
            );
            let sweeps = sweeps(&policy(), &facts);
            let axes: Vec<_> = sweeps[0].jobs.iter().filter_map(|job| job.name.axes.as_ref()).collect();
            let found: Vec<_> = axes.iter().filter_map(|axes| resolve(axes, AxesFrom::JobName, &keys).config).collect();
            assert_eq!((found.len(), axes.len()), (jobs, jobs), "{name}");
            assert!(found.iter().all(|key| named.contains(&key.as_str())), "{name}");
            if cfg!(feature = "github") {
                let documents = crate::core::documents::Documents::draw(&policy(), &facts);
                let judged = crate::core::evals::judge(&policy(), &facts, &documents, &keys, sweeps[0].run.id);
                assert!(judged.rows.iter().all(|row| row.config.is_some()), "{name}");
                assert!(!judged.rows.is_empty() && judged.rows.iter().all(|row| !row.candidates.is_empty()), "{name}");
            }
        }
    }

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn what_was_not_read_is_said() {
        let mut facts = scenario::load("2550-green", 2550);
        facts.sides.retain(|(side, path), _| *side == Side::Base || path.contains("changelog"));
        let unread = keys(&policy(), &facts);
        assert_eq!((unread.complete, unread.unread.as_slice()), (false, &["qwen3.5-fp4-b200-sglang-mtp".to_owned()][..]));
        facts.files.start();
        assert!(!keys(&policy(), &facts).complete);
        assert_eq!(keys(&policy(), &Facts::new("https://github.com", facts.repo, facts.number)), ChangedKeys::default());
    }
}
