//! What the launch rules say of every script and recipe, drawn from the facts and judged once per text.
//! Must not know: the sign-off, findings.

use super::arms::{self, Arm, Known};
use super::before::Before;
use super::patches::{self, Changed, Patches};
use super::siblings::{self, Compared, Sibling};
use super::sources::Unfollowed;
use super::texts::{self, Text};
use super::upstream::{self, Stated};
use super::{LaunchRules, Ruling, chat_template, draft, hacks};
use crate::core::configs::ChangedKeys;
use crate::core::facts::{Facts, FolderKind};
use crate::core::golden::{self, GoldenFile};
use crate::core::ids::{BlobId, FileRef, PullRef};
use crate::core::launch::{Launch, LaunchPolicy, Library, recipe, script};
use crate::core::plan::Read;
use crate::core::policy::Policy;
use crate::core::pull::{ChangedFile, Folder};
use crate::core::remote::{Remote, Sourced};
use crate::core::yaml::Problem;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Scripts and recipes of a pull request. What was made from a text stays as long as the text does.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Launched {
    pub arms: Vec<Arm>,
    /// The changed files that may hold a patch.
    pub suspects: Vec<Suspect>,
    /// Per changed script or recipe, what stands beside it.
    pub company: Vec<Company>,
    /// Sourced files that were not read as part of their scripts.
    pub unfollowed: Vec<Unfollowed>,
    /// Per arm whose text is read, all that it runs, and what it ran at the merge base.
    pub runs: Vec<Run>,
    /// Arm and launch, in order.
    told: Vec<(usize, Arc<Vec<Judged>>, usize)>,
    judged: BTreeMap<TextId, Arc<Vec<Judged>>>,
    patched: BTreeMap<(String, String), Arc<Patched>>,
    compared: BTreeMap<(TextId, Vec<BlobId>), Arc<Vec<Compared>>>,
    curves: BTreeMap<BlobId, Arc<Result<GoldenFile, Problem>>>,
    /// What linked pull requests state, and what it was made from.
    upstream: BTreeMap<PullRef, (Vec<String>, Arc<Stated>)>,
    pages: BTreeMap<FileRef, (BlobId, Arc<Stated>)>,
}

/// A text, and how it is read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TextId {
    path: String,
    variant: Option<String>,
    stated: bool,
    /// Its blob, then those of the files that it sources.
    pub(super) text: String,
    /// How many these are.
    pub(super) sources: usize,
}

/// An arm at both sides.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Index into `arms`.
    pub arm: usize,
    pub head: Arc<Vec<Judged>>,
    pub before: Before,
}

/// A launch, and what the rules that need no more say of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    pub launch: Launch,
    pub speculative: bool,
    pub chat_template: Ruling,
    pub draft: Ruling,
    pub hacks: Ruling,
    /// Something that later eras forbid.
    pub forbidden: Option<Ruling>,
}

/// A changed file that may hold a patch.
#[derive(Debug, Clone, PartialEq)]
pub struct Suspect {
    pub path: String,
    /// What it holds, or why it was not read.
    pub patched: Result<Arc<Patched>, Option<String>>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Patched {
    /// By lines that the pull request adds.
    pub added: Patches,
    /// By lines that were there before.
    pub before: Patches,
}

/// A changed script or recipe among its siblings.
#[derive(Debug, Clone, PartialEq)]
pub struct Company {
    pub path: String,
    /// Comparable files by name, and how many of them are compared.
    pub of: usize,
    pub taken: usize,
    pub compared: Result<Arc<Vec<Compared>>, Gap>,
}

/// Why nothing is compared.
#[derive(Debug, Clone, PartialEq)]
pub enum Gap {
    Wants(Vec<Read>),
    Failed(String),
    /// It is on its way.
    Pending,
}

impl Launched {
    /// Draws it anew, and takes over what was made from texts that are still the same.
    pub fn redraw(&self, policy: &Policy, facts: &Facts, keys: &ChangedKeys) -> Launched {
        let (Some(launch), Some(rules)) = (&policy.launch, &policy.launch_rules) else { return Launched::default() };
        let mut out = Launched { arms: arms::arms(policy, facts, keys), ..Launched::default() };
        let files = facts.files.value().map(|files| files.items.as_slice()).unwrap_or_default();
        let mut seen = BTreeSet::new();
        for (index, arm) in out.arms.clone().iter().enumerate().filter(|(_, arm)| arm.known == Known::Here) {
            let find = |path: &str| Text::of(facts, path, of(files, path));
            let Some((id, judged, missing)) = self.followed(&mut out, &find, arm, launch, rules) else { continue };
            let before = self.before(&mut out, (facts, files), arm, (&id, &judged), launch, rules);
            out.runs.push(Run { arm: index, head: Arc::clone(&judged), before });
            out.unfollowed.extend(missing.into_iter().filter(|one| !out.unfollowed.contains(one)).collect::<Vec<_>>());
            for (at, one) in judged.iter().enumerate() {
                // A variant that a config runs is not told again by its file as a whole.
                if seen.insert(one.launch.path.clone()) || !arm.keys.is_empty() {
                    out.told.push((index, Arc::clone(&judged), at));
                }
            }
        }
        for file in files.iter().filter(|file| is_suspect(file, launch, rules)) {
            out.suspects.push(self.suspect(&mut out.patched, facts, file, launch, rules));
        }
        for arm in out.arms.clone().iter().filter(|arm| arm.changed && arm.known == Known::Here) {
            // A whole file and its variants are one file among its siblings.
            if !out.company.iter().any(|known| known.path == arm.path) {
                let company = self.company(&mut out, facts, files, arm, launch, rules);
                out.company.push(company);
            }
        }
        if let Some(folder) = curves(facts) {
            for file in &folder.value.files.items {
                if let Some(got) = facts.blobs.get(&file.blob).and_then(Remote::settled) {
                    let parsed = self.curves.get(&file.blob).cloned();
                    let parsed = parsed.unwrap_or_else(|| Arc::new(golden::parse(&file.name, &got.value)));
                    out.curves.insert(file.blob.clone(), parsed);
                }
            }
        }
        for (pull, remote) in &facts.linked {
            if let Some(got) = remote.settled() {
                let (repo, recipe) = (pull.repo.to_string(), &policy.rules.recipe);
                let id = upstream::id(&got.value, &repo, recipe);
                let known = self.upstream.get(pull).filter(|(known, _)| *known == id).map(|(_, stated)| Arc::clone(stated));
                let stated =
                    known.unwrap_or_else(|| Arc::new(upstream::stated(&got.value, &repo, recipe, (launch, &rules.major))));
                out.upstream.insert(pull.clone(), (id, stated));
            }
        }
        for (file, remote) in &facts.linked_files {
            if let Some(got) = remote.settled() {
                let known = self.pages.get(file).filter(|(blob, _)| *blob == got.value.blob).map(|(_, page)| Arc::clone(page));
                let page = known.unwrap_or_else(|| Arc::new(upstream::page(&got.value, (launch, &rules.major))));
                out.pages.insert(file.clone(), (got.value.blob.clone(), page));
            }
        }
        out
    }

    /// What a linked pull request states.
    pub fn upstream(&self, pull: &PullRef) -> Option<&Stated> {
        self.upstream.get(pull).map(|(_, stated)| stated.as_ref())
    }

    /// What a linked file states.
    pub fn page(&self, file: &FileRef) -> Option<&Stated> {
        self.pages.get(file).map(|(_, stated)| stated.as_ref())
    }

    /// Every arm whose text is read, with each of its launches.
    pub fn launches(&self) -> impl Iterator<Item = (&Arm, &Judged)> {
        self.told.iter().filter_map(|(arm, judged, at)| Some((self.arms.get(*arm)?, judged.get(*at)?)))
    }

    pub fn curve(&self, blob: &BlobId) -> Option<&Result<GoldenFile, Problem>> {
        self.curves.get(blob).map(Arc::as_ref)
    }

    pub(super) fn judge<'t>(
        &self,
        out: &mut Launched,
        id: TextId,
        text: impl FnOnce() -> Option<std::borrow::Cow<'t, str>>,
        library: &Library,
        launch: &LaunchPolicy,
        rules: &LaunchRules,
    ) -> Arc<Vec<Judged>> {
        if let Some(known) = out.judged.get(&id).or_else(|| self.judged.get(&id)).cloned() {
            out.judged.insert(id, Arc::clone(&known));
            return known;
        }
        let text = text().unwrap_or_default();
        let all = read(&id.path, &text, id.variant.as_deref(), launch, library);
        let judged = all.into_iter().map(|one| Judged {
            speculative: id.stated || one.servers.iter().any(|server| launch.is_speculative(server)),
            chat_template: chat_template::judge(&one, launch, &rules.chat_template, id.stated),
            draft: draft::judge(&one, launch, &rules.draft, id.stated),
            hacks: hacks::judge(&one, &rules.hacks),
            forbidden: hacks::forbidden(&one, &rules.hacks),
            launch: one,
        });
        let judged = Arc::new(judged.collect::<Vec<_>>());
        out.judged.insert(id, Arc::clone(&judged));
        judged
    }

    fn suspect(
        &self,
        known: &mut BTreeMap<(String, String), Arc<Patched>>,
        facts: &Facts,
        file: &ChangedFile,
        launch: &LaunchPolicy,
        rules: &LaunchRules,
    ) -> Suspect {
        let path = file.path.clone();
        let bare = patches::needs_no_text(&file.path, &rules.patches);
        let text = Text::of(facts, &path, Some(file));
        let id = match (&text, text.id()) {
            (_, Some(id)) => format!("{id} +{} -{}", file.additions, file.deletions),
            (_, None) if bare => String::new(),
            (Text::Unread(why), _) => return Suspect { path, patched: Err(why.clone()) },
            (_, None) => return Suspect { path, patched: Err(None) },
        };
        let key = (path.clone(), id);
        let patched = self.patched.get(&key).cloned().unwrap_or_else(|| {
            let text = text.text();
            // Lines that nobody tells may all be new.
            let all: Vec<usize> = (1..=text.as_deref().map_or(1, |text| text.lines().count())).collect();
            let added = texts::added_lines(file).unwrap_or_else(|| all.clone());
            let old: Vec<usize> = all.into_iter().filter(|line| added.binary_search(line).is_err()).collect();
            let find = |lines: &[usize]| {
                patches::find(&[Changed { path: &path, added: lines, text: text.as_deref() }], launch, &rules.patches)
            };
            let added = find(&added);
            let mut before = if bare { find(&[]) } else { find(&old) };
            before.found.retain(|found| !added.found.contains(found));
            Arc::new(Patched { added, before })
        });
        known.insert(key, Arc::clone(&patched));
        Suspect { path, patched: Ok(patched) }
    }

    fn company(
        &self,
        out: &mut Launched,
        facts: &Facts,
        files: &[ChangedFile],
        arm: &Arm,
        launch: &LaunchPolicy,
        rules: &LaunchRules,
    ) -> Company {
        let path = arm.path.clone();
        let company = |of, taken, compared| Company { path: path.clone(), of, taken, compared };
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
        let whole = Arm { variant: None, ..arm.clone() };
        let find = |path: &str| Text::of(facts, path, of(files, path));
        let Some((id, mine, _)) = self.followed(out, &find, &whole, launch, rules) else {
            return company(0, 0, Err(Gap::Pending));
        };
        if !mine.iter().any(|judged| judged.launch.engine.is_some()) {
            // A library of functions or a file of settings serves nothing by itself.
            return company(0, 0, Ok(Arc::new(Vec::new())));
        }
        let listed = match facts.folders.get(&FolderKind::Siblings(folder.to_owned())) {
            Some(Remote::Ready(got)) => got,
            Some(Remote::Failed { trouble, .. }) => {
                return company(0, 0, Err(Gap::Failed(format!("{folder} cannot be read: {}", trouble.headline))));
            }
            Some(_) => return company(0, 0, Err(Gap::Pending)),
            None => {
                // Files may be known before the head is: then the folder would be read at another commit.
                let Some(commit) = facts.head().cloned().map(Some) else { return company(0, 0, Err(Gap::Pending)) };
                let paths = vec![folder.to_owned()];
                let read = Read::Folder { of: FolderKind::Siblings(folder.to_owned()), paths, commit };
                return company(0, 0, Err(Gap::Wants(vec![read])));
            }
        };
        if let Some(gap) = listed.value.files.render_gap() {
            return company(0, 0, Err(Gap::Failed(format!("{folder} was not read whole: {gap}"))));
        }
        let engine = mine.iter().find_map(|judged| judged.launch.engine.clone()).unwrap_or_default();
        let near = |other: &str| prefix(other) == prefix(name);
        let mut beside: Vec<(&str, &BlobId)> = listed
            .value
            .files
            .items
            .iter()
            .filter(|file| file.name != name && is_comparable(name, &file.name, &engine, launch))
            .map(|file| (file.name.as_str(), &file.blob))
            .collect();
        beside.sort_by_key(|(other, _)| (!near(other), *other));
        let count = beside.len();
        beside.truncate(rules.siblings.most);
        let taken = beside.len();
        if taken < rules.siblings.least {
            return company(count, taken, Ok(Arc::new(Vec::new())));
        }
        let mut wants = Vec::new();
        let mut texts = Vec::new();
        for (other, blob) in &beside {
            let path = format!("{folder}/{other}");
            // A sibling that the pull request brings itself is known already.
            let own = Text::of(facts, &path, of(files, &path));
            match facts.blobs.get(*blob) {
                _ if own.id() == Some(blob.as_str()) => texts.push((path, *blob, own.text())),
                Some(Remote::Ready(got)) => texts.push((path, *blob, Some(std::borrow::Cow::Borrowed(got.value.as_str())))),
                Some(Remote::Failed { trouble, .. }) => {
                    return company(count, taken, Err(Gap::Failed(format!("{path} cannot be read: {}", trouble.headline))));
                }
                Some(_) => {}
                None => wants.push(Read::Blob((*blob).clone())),
            }
        }
        if texts.len() < taken {
            let gap = if wants.is_empty() { Gap::Pending } else { Gap::Wants(wants) };
            return company(count, taken, Err(gap));
        }
        let key = (id, beside.iter().map(|(_, blob)| (*blob).clone()).collect::<Vec<_>>());
        let compared = self.compared.get(&key).cloned().unwrap_or_else(|| {
            let others: Vec<(String, Arc<Vec<Judged>>)> = texts
                .into_iter()
                .map(|(path, blob, text)| {
                    let stated = launch.paths.is_speculative(&path);
                    let id = TextId { path: path.clone(), variant: None, stated, text: blob.as_str().to_owned(), sources: 0 };
                    (path, self.judge(out, id, || text, &Library::new(), launch, rules))
                })
                .collect();
            let all: Vec<Sibling<'_>> =
                others.iter().flat_map(|(path, judged)| judged.iter().map(|one| sibling(path, one, launch))).collect();
            let each = mine.iter().filter(|judged| judged.launch.engine.is_some());
            Arc::new(each.map(|one| siblings::compare(&sibling(&path, one, launch), &all, launch, &rules.siblings)).collect())
        });
        out.compared.insert(key, Arc::clone(&compared));
        company(count, taken, Ok(compared))
    }
}

impl TextId {
    pub(super) fn of(arm: &Arm, text: &Text<'_>) -> Option<TextId> {
        let text = text.id()?.to_owned();
        Some(TextId { path: arm.path.clone(), variant: arm.variant.clone(), stated: arm.stated, text, sources: 0 })
    }
}

fn of<'a>(files: &'a [ChangedFile], path: &str) -> Option<&'a ChangedFile> {
    files.iter().find(|file| file.path == path && file.status != "removed")
}

fn read(path: &str, text: &str, variant: Option<&str>, launch: &LaunchPolicy, library: &Library) -> Vec<Launch> {
    if path.ends_with(".sh") {
        return vec![script::read_with(path, text, launch, &BTreeMap::new(), library)];
    }
    recipe::read(path, text, variant, launch)
}

/// Changed files that a patch may stand in.
pub fn is_suspect(file: &ChangedFile, launch: &LaunchPolicy, rules: &LaunchRules) -> bool {
    let touched = file.status != "removed" && file.additions > 0;
    let read = launch.paths.is_active(&file.path) && patches::is_read(&file.path);
    touched && (read || patches::needs_no_text(&file.path, &rules.patches))
}

/// The folder of golden curves.
pub fn curves(facts: &Facts) -> Option<&Sourced<Folder>> {
    facts.folders.get(&FolderKind::Curves).and_then(Remote::settled)
}

fn sibling<'a>(path: &'a str, judged: &'a Judged, launch: &'a LaunchPolicy) -> Sibling<'a> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let shown = judged.launch.path.rsplit('/').next().unwrap_or(name);
    let scenario = launch.paths.scenario_of(path).unwrap_or_default();
    Sibling { name: shown, prefix: prefix(name), scenario, stated: judged.speculative, launch: &judged.launch }
}

/// The model's prefix, by a file's name.
fn prefix(name: &str) -> &str {
    name.split('_').next().unwrap_or(name)
}

/// Whether two files of a folder may be compared, by their names: the same kind and speculative state, and no other
/// engine's word.
fn is_comparable(name: &str, other: &str, engine: &str, launch: &LaunchPolicy) -> bool {
    let ending = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
    let words = |name: &str| name.split(['_', '-', '.']).map(str::to_owned).collect::<Vec<_>>();
    let foreign = launch.engines.iter().filter(|known| known.name != engine);
    let names_foreign = foreign
        .into_iter()
        .any(|known| words(other).iter().any(|word| *word == known.name || known.recipe_types.contains(word)));
    ending(name) == ending(other)
        && matches!(ending(name).as_str(), "sh" | "yaml" | "yml")
        && launch.paths.is_speculative(name) == launch.paths.is_speculative(other)
        && !names_foreign
}
