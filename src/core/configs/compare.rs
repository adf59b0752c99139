//! What a pull request does to the measured points: entry by entry, point by point, field by field.
//! Must not know: the changelog, which jobs ran.

use super::masters::{self, Entry, Point};
use crate::core::axes::{Parallel, Role};
use crate::core::yaml::{self, Problem, Section};
use std::collections::{BTreeMap, HashMap};

/// A file's text at one commit.
#[derive(Debug, Clone, Copy)]
pub struct Text<'t> {
    pub path: &'t str,
    pub text: &'t str,
}

/// What happened to an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    Added,
    Removed,
    /// Into an archive of deprecated entries.
    Archived {
        to: String,
    },
    /// From another master file, perhaps with changes.
    Moved {
        from: String,
    },
    Changed,
    /// Its text cannot be read at one side, and the problems say why.
    Unreadable,
}

/// An entry that differs between base and head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryChange {
    pub key: String,
    /// The file at the head; of an entry that went, at the base.
    pub path: String,
    pub fate: Fate,
    /// Points that came, went or changed: head order, then what went.
    pub points: Vec<PointChange>,
    /// Points that are the same at both sides.
    pub untouched: usize,
}

/// A point that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PointChange {
    pub at: Identity,
    /// Which row of the entry's search space holds it, from 0: at the head; of a point that went, at the base.
    pub row: usize,
    pub what: What,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    Added,
    Removed,
    Changed(Vec<Field>),
}

/// Where a point stands: another scenario, parallelism or concurrency is another point.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Identity {
    pub scenario: String,
    pub lengths: (Option<u32>, Option<u32>),
    pub parallel: Parallel,
    pub prefill: Option<Role>,
    pub decode: Option<Role>,
    pub conc: u32,
}

/// What of a point may change while it stays the same point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    Image,
    Model,
    Precision,
    Runner,
    Framework,
    Recipe,
    EvalRecipe,
    Spec,
    Offload,
    Settings,
    /// One node or several, split or whole.
    Deployment,
    /// Router, transfer engine, utilisation and whatever else is said.
    Other,
}

impl Identity {
    /// Whether it is one of a row's points.
    pub fn is_of(&self, row: &Point) -> bool {
        self.scenario == row.scenario
            && self.lengths == (row.isl, row.osl)
            && row.conc.contains(&self.conc)
            && (&self.parallel, &self.prefill, &self.decode) == (&row.parallel, &row.prefill, &row.decode)
    }

    /// `agentic-coding TP8/EP4 c16`, `fixed-seq-len 8192/1024 TP4 c64`.
    pub fn render(&self) -> String {
        let parallel = match (&self.prefill, &self.decode) {
            (Some(p), Some(d)) => {
                format!("{}P ({}) x {}D ({})", p.workers, p.parallel.render(), d.workers, d.parallel.render())
            }
            _ => self.parallel.render(),
        };
        let lengths = match self.lengths {
            (Some(isl), Some(osl)) => format!(" {isl}/{osl}"),
            _ => String::new(),
        };
        format!("{}{lengths} {parallel} c{}", self.scenario, self.conc)
    }
}

impl Field {
    pub fn word(self) -> &'static str {
        match self {
            Field::Image => "image",
            Field::Model => "model",
            Field::Precision => "precision",
            Field::Runner => "runner",
            Field::Framework => "framework",
            Field::Recipe => "recipe",
            Field::EvalRecipe => "eval recipe",
            Field::Spec => "speculative decoding",
            Field::Offload => "KV offloading",
            Field::Settings => "settings",
            Field::Deployment => "deployment",
            Field::Other => "other fields",
        }
    }
}

/// Settings that put another image in the place of the entry's.
const IMAGE_SETTING: &str = "_IMAGE=";

/// One point: an entry's row at one concurrency.
#[derive(Clone, Copy)]
struct At<'e> {
    entry: &'e Entry,
    row: &'e Point,
    index: usize,
}

impl<'e> At<'e> {
    /// The settings, of prefill first: those that name images, or the others.
    fn settings(&self, images: bool) -> impl Iterator<Item = (bool, &'e String)> {
        let settings = &self.row.settings;
        let prefill = settings.prefill.iter().map(|setting| (true, setting));
        let decode = settings.decode.iter().map(|setting| (false, setting));
        prefill.chain(decode).filter(move |(_, setting)| setting.contains(IMAGE_SETTING) == images)
    }

    /// The fields in which two points differ, besides identity.
    fn differences(&self, other: &At<'_>) -> Vec<Field> {
        let (a, b) = (self.row, other.row);
        let (of, was) = (self.entry, other.entry);
        [
            (Field::Image, of.image != was.image || !self.settings(true).eq(other.settings(true))),
            (Field::Model, (&of.model, &of.model_prefix) != (&was.model, &was.model_prefix)),
            (Field::Precision, of.precision != was.precision),
            (Field::Runner, of.runner != was.runner),
            (Field::Framework, of.framework != was.framework),
            (Field::Recipe, a.recipe != b.recipe),
            (Field::EvalRecipe, a.eval_recipe != b.eval_recipe),
            (Field::Spec, a.spec != b.spec),
            (Field::Offload, (&a.kv, &a.kv_backend) != (&b.kv, &b.kv_backend)),
            (Field::Settings, !self.settings(false).eq(other.settings(false))),
            (Field::Deployment, (of.multinode, of.disagg) != (was.multinode, was.disagg)),
            (Field::Other, a.other != b.other || of.other != was.other),
        ]
        .into_iter()
        .filter_map(|(field, differs)| differs.then_some(field))
        .collect()
    }
}

fn points(entry: &Entry) -> impl Iterator<Item = (Identity, At<'_>)> {
    entry.points.iter().enumerate().flat_map(move |(index, row)| {
        row.conc.iter().map(move |conc| {
            let at = Identity {
                scenario: row.scenario.clone(),
                lengths: (row.isl, row.osl),
                parallel: row.parallel.clone(),
                prefill: row.prefill.clone(),
                decode: row.decode.clone(),
                conc: *conc,
            };
            (at, At { entry, row, index })
        })
    })
}

/// At one identity every old point is compared with every new one up to so many pairs; past it, in their order.
const MOST_PAIRS: usize = 256;

/// Compares the points of an entry at base and head; either may be missing. Gives the differences and how many are equal.
///
/// Several rows may measure at one identity, with different recipes: equal ones belong together, then the most similar.
pub fn entry(base: Option<&Entry>, head: Option<&Entry>) -> (Vec<PointChange>, usize) {
    let mut before: HashMap<Identity, Vec<At<'_>>> = HashMap::new();
    let mut gone = Vec::new();
    for (identity, at) in base.into_iter().flat_map(points) {
        gone.push(identity.clone());
        before.entry(identity).or_default().push(at);
    }
    let mut groups: Vec<(Identity, Vec<At<'_>>)> = Vec::new();
    let mut place: HashMap<Identity, usize> = HashMap::new();
    for (identity, at) in head.into_iter().flat_map(points) {
        let index = *place.entry(identity.clone()).or_insert_with(|| {
            groups.push((identity, Vec::new()));
            groups.len() - 1
        });
        if let Some((_, group)) = groups.get_mut(index) {
            group.push(at);
        }
    }
    let (mut out, mut untouched) = (Vec::new(), 0);
    for (identity, mut new) in groups {
        let old = before.entry(identity.clone()).or_default();
        let mut say = |row, what| out.push(PointChange { at: identity.clone(), row, what });
        let mut pairs: Vec<(usize, Vec<Field>)> = Vec::new();
        if new.len().saturating_mul(old.len()) > MOST_PAIRS {
            let both = new.len().min(old.len());
            pairs.extend(new.drain(..both).zip(old.drain(..both)).map(|(at, was)| (at.index, at.differences(&was))));
        }
        while !old.is_empty() && !new.is_empty() {
            let all = new.iter().enumerate().flat_map(|(n, at)| old.iter().enumerate().map(move |(o, was)| (n, o, at, was)));
            let closest = all.map(|(n, o, at, was)| (at.differences(was), n, o)).min_by_key(|(fields, ..)| fields.len());
            let Some((fields, n, o)) = closest else { break };
            let at = new.remove(n);
            old.remove(o);
            pairs.push((at.index, fields));
        }
        for (row, fields) in pairs {
            if fields.is_empty() {
                untouched += 1;
            } else {
                say(row, What::Changed(fields));
            }
        }
        new.iter().for_each(|at| say(at.index, What::Added));
    }
    for identity in gone {
        if let Some(at) = before.get_mut(&identity).and_then(Vec::pop) {
            out.push(PointChange { at: identity, row: at.index, what: What::Removed });
        }
    }
    (out, untouched)
}

/// The sections of several files by key; a key that stands twice counts where it stands first.
fn sections<'t>(texts: &[Text<'t>]) -> (Vec<(String, Text<'t>, Section)>, Vec<Problem>) {
    let (mut out, mut problems): (Vec<(String, Text<'t>, Section)>, _) = (Vec::new(), Vec::new());
    let mut seen: HashMap<String, (&str, usize)> = HashMap::new();
    for text in texts {
        for section in yaml::top_level(text.text) {
            if let Some((path, line)) = seen.get(&section.key) {
                let message = format!("`{}` stands here again, after {path}:{line}; only one of them can count", section.key);
                problems.push(Problem::new(text.path, section.line, message));
            } else {
                seen.insert(section.key.clone(), (text.path, section.line));
                out.push((section.key.clone(), *text, section));
            }
        }
    }
    (out, problems)
}

/// Compares the master files of base and head. `archives` are the head's files of deprecated entries.
///
/// Only entries whose text differs are parsed. One that cannot be read is a problem, and unreadable.
pub fn masters(base: &[Text<'_>], head: &[Text<'_>], archives: &[Text<'_>]) -> (Vec<EntryChange>, Vec<Problem>) {
    // What is doubled at the base is past; at the head it is this pull request's problem.
    let (before, _) = sections(base);
    let (now, mut problems) = sections(head);
    let mut before: BTreeMap<String, (Text<'_>, Section)> =
        before.into_iter().map(|(key, text, section)| (key, (text, section))).collect();
    let mut read = |text: &Text<'_>, section: &Section| {
        masters::parse_entry(text.path, section, text.text).map_err(|problem| problems.push(problem)).ok()
    };
    let mut out = Vec::new();
    for (key, text, section) in now {
        let old = before.remove(&key);
        // A file that was renamed moves all its entries, which is no news about any of them.
        let from = old.as_ref().map(|(old, _)| old.path).filter(|path| *path != text.path && has(head, path));
        let same = old.as_ref().is_some_and(|(old, was)| section.text(text.text).trim_end() == was.text(old.text).trim_end());
        if same && from.is_none() {
            continue;
        }
        let new = read(&text, &section);
        let was = old.as_ref().map(|(old, section)| read(old, section));
        let (fate, base) = match (&new, &was) {
            (None, _) | (_, Some(None)) => {
                let (points, untouched) = (Vec::new(), 0);
                out.push(EntryChange { key, path: text.path.to_owned(), fate: Fate::Unreadable, points, untouched });
                continue;
            }
            (Some(_), None) => (Fate::Added, None),
            (Some(new), Some(Some(was))) => match from {
                Some(from) => (Fate::Moved { from: from.to_owned() }, Some(was)),
                // Comments and white space do not count.
                None if new == was => continue,
                None => (Fate::Changed, Some(was)),
            },
        };
        let (points, untouched) = entry(base, new.as_ref());
        out.push(EntryChange { key, path: text.path.to_owned(), fate, points, untouched });
    }
    let archived: HashMap<String, &str> = archives
        .iter()
        .flat_map(|text| yaml::top_level(text.text).into_iter().map(|section| (section.key, text.path)))
        .collect();
    let mut gone: Vec<_> = before.into_iter().collect();
    gone.sort_by(|(_, (a, x)), (_, (b, y))| (a.path, x.line).cmp(&(b.path, y.line)));
    for (key, (text, section)) in gone {
        let was = read(&text, &section);
        let fate = match archived.get(&key) {
            Some(to) => Fate::Archived { to: (*to).to_owned() },
            None => Fate::Removed,
        };
        let (points, untouched) = entry(was.as_ref(), None);
        out.push(EntryChange { key, path: text.path.to_owned(), fate, points, untouched });
    }
    (out, problems)
}

fn has(texts: &[Text<'_>], path: &str) -> bool {
    texts.iter().any(|text| text.path == path)
}

#[cfg(test)]
mod tests;
