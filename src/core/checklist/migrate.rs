//! What changed between two versions of the template, item by item, and what a copy lacks of today's.
//! Must not know: where versions come from, how changes are shown.

use super::copied::{Fit, entries, matches, parts, unquoted};
use super::template::{Item, Template};
use crate::core::ids::Key;
use crate::core::policy::{Policy, normalise};
use crate::core::session::Draft;
use crate::core::text::{counted, gate};
use similar::{ChangeTag, TextDiff};
use std::collections::{BTreeMap, HashMap};

/// Items that no policy names are the same when so much of their words is.
const ALIKE: f32 = 0.6;
/// More unknown items than this are not compared with each other: a template has a dozen or two.
const COMPARED: usize = 64;
/// Texts longer than this, in bytes, are not compared word by word.
const WORDS_LIMIT: usize = 8_000;

/// What became of the items of an earlier version.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Migration {
    /// One per item of today, in today's order.
    pub items: Vec<Migrated>,
    /// Items that today's template has no more: key and words.
    pub gone: Vec<(Key, String)>,
}

/// An item of today, and what it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Migrated {
    pub key: Key,
    /// Its key then: that of an item which no policy names is made from its words.
    pub before: Option<Key>,
    pub change: Change,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Byte for byte the same.
    Kept,
    Reworded {
        before: String,
        words: Vec<Word>,
    },
    New,
}

/// A piece of a reworded item. What stayed and what is gone make the old words, what stayed and what came the new ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Word {
    Same(String),
    Gone(String),
    Came(String),
}

/// Compares two versions. Items are known by the policy's key, and those that it does not name by their words.
pub fn migrate(then: &Template, now: &Template) -> Migration {
    let mut left: BTreeMap<usize, &Item> = then.items.iter().enumerate().collect();
    let mut pairs: Vec<Option<&Item>> = Vec::new();
    for item in &now.items {
        let same = left.iter().find(|(_, old)| old.key == item.key).map(|(at, _)| *at);
        pairs.push(same.and_then(|at| left.remove(&at)));
    }
    for (at, new) in alike(then, now, &left, &pairs) {
        if let Some(pair) = pairs.get_mut(new).filter(|pair| pair.is_none()) {
            *pair = left.remove(&at);
        }
    }
    let items = now.items.iter().zip(pairs).map(|(item, old)| Migrated {
        key: item.key.clone(),
        before: old.map(|old| old.key.clone()),
        change: match old {
            None => Change::New,
            Some(old) if old.digest == item.digest => Change::Kept,
            Some(old) => {
                let before = then.item_text(old);
                Change::Reworded { before: before.to_owned(), words: words(before, now.item_text(item)) }
            }
        },
    });
    let gone = left.values().map(|old| (old.key.clone(), then.item_text(old).to_owned())).collect();
    Migration { items: items.collect(), gone }
}

/// Indices of items, then and now, that are alike, the most alike first. Two that the policy knows are never one.
fn alike(then: &Template, now: &Template, left: &BTreeMap<usize, &Item>, pairs: &[Option<&Item>]) -> Vec<(usize, usize)> {
    let open = now.items.iter().enumerate().filter(|(at, _)| pairs.get(*at).is_some_and(Option::is_none)).take(COMPARED);
    let open: Vec<(usize, &Item, String)> = open.map(|(at, item)| (at, item, normalise(now.item_text(item)))).collect();
    let mut found: Vec<(f32, usize, usize)> = Vec::new();
    for (at, old) in left.iter().take(COMPARED) {
        let before = normalise(then.item_text(old));
        let other = open.iter().filter(|(_, new, _)| old.known.is_none() || new.known.is_none());
        found.extend(other.map(|(new, _, after)| (likeness(&before, after), *at, *new)).filter(|(ratio, ..)| *ratio >= ALIKE));
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.2, a.1).cmp(&(b.2, b.1))));
    // An item stands for one only: the most alike pair has it.
    let (mut old, mut new) = (Vec::new(), Vec::new());
    found.retain(|(_, a, b)| {
        let is_free = !old.contains(a) && !new.contains(b);
        if is_free {
            old.push(*a);
            new.push(*b);
        }
        is_free
    });
    found.into_iter().map(|(_, at, new)| (at, new)).collect()
}

/// The share of the words that two texts have in common and in order, from 0 to 1.
fn likeness(before: &str, after: &str) -> f32 {
    let (a, b): (Vec<&str>, Vec<&str>) = (before.split(' ').collect(), after.split(' ').collect());
    // Words in common without regard to order are an upper bound, and found at once.
    let mut counts: HashMap<&str, usize> = HashMap::new();
    a.iter().for_each(|word| *counts.entry(word).or_default() += 1);
    let common =
        b.iter().filter(|word| counts.get_mut(**word).is_some_and(|n| n.checked_sub(1).map(|less| *n = less).is_some()));
    let bound = 2.0 * common.count() as f32 / (a.len() + b.len()) as f32;
    if bound < ALIKE || before.len() > WORDS_LIMIT || after.len() > WORDS_LIMIT {
        return 0.0;
    }
    TextDiff::from_slices(&a, &b).ratio()
}

/// The words of two texts, in one row.
fn words(before: &str, after: &str) -> Vec<Word> {
    if before.len() > WORDS_LIMIT || after.len() > WORDS_LIMIT {
        return vec![Word::Gone(before.to_owned()), Word::Came(after.to_owned())];
    }
    let mut out: Vec<Word> = Vec::new();
    for change in TextDiff::from_unicode_words(before, after).iter_all_changes() {
        let value: &str = change.value();
        match (change.tag(), out.last_mut()) {
            (ChangeTag::Equal, Some(Word::Same(text)))
            | (ChangeTag::Delete, Some(Word::Gone(text)))
            | (ChangeTag::Insert, Some(Word::Came(text))) => text.push_str(value),
            (ChangeTag::Equal, _) => out.push(Word::Same(value.to_owned())),
            (ChangeTag::Delete, _) => out.push(Word::Gone(value.to_owned())),
            (ChangeTag::Insert, _) => out.push(Word::Came(value.to_owned())),
        }
    }
    out
}

impl Migration {
    /// Whether every item is as it was, and none went.
    pub fn is_empty(&self) -> bool {
        self.gone.is_empty() && self.items.iter().all(|item| item.change == Change::Kept)
    }

    /// How many items are kept, reworded, new, and gone.
    pub fn counts(&self) -> (usize, usize, usize, usize) {
        let count = |is: fn(&Change) -> bool| self.items.iter().filter(|item| is(&item.change)).count();
        let reworded = count(|change| matches!(change, Change::Reworded { .. }));
        (count(|change| *change == Change::Kept), reworded, count(|change| *change == Change::New), self.gone.len())
    }

    /// `1 item is new, 2 are reworded, 1 is gone.`
    pub fn summary(&self) -> String {
        let (_, reworded, new, gone) = self.counts();
        let told = [(new, "new"), (reworded, "reworded"), (gone, "gone")].into_iter().filter(|(count, _)| *count > 0);
        let parts: Vec<String> = told
            .enumerate()
            .map(|(at, (count, word))| {
                let noun = match (at, count) {
                    (0, 1) => " item",
                    (0, _) => " items",
                    _ => "",
                };
                format!("{count}{noun} {} {word}", if count == 1 { "is" } else { "are" })
            })
            .collect();
        if parts.is_empty() { "No item changed.".to_owned() } else { format!("{}.", parts.join(", ")) }
    }

    /// Takes a draft's ticks, reasons and remarks along to the keys that their items have today. Digests stay: a tick for
    /// other words goes on being stale. What belongs to items that are gone stays where it is.
    pub fn carry(&self, draft: &mut Draft) {
        let moved = |item: &Migrated| Some((item.before.clone().filter(|before| *before != item.key)?, item.key.clone()));
        let moves: Vec<(Key, Key)> = self.items.iter().filter_map(moved).collect();
        rename(&mut draft.ticks, &moves);
        rename(&mut draft.behind, &moves);
        rename(&mut draft.reasons, &moves);
        rename(&mut draft.reasons_at, &moves);
    }
}

/// Moves values to other keys, all at once; a key that is taken already keeps what it has.
fn rename<T>(map: &mut BTreeMap<Key, T>, moves: &[(Key, Key)]) {
    let out: Vec<(&(Key, Key), T)> = moves.iter().filter_map(|pair| Some((pair, map.remove(&pair.0)?))).collect();
    for ((from, to), value) in out {
        let key = if map.contains_key(to) { from } else { to };
        map.insert(key.clone(), value);
    }
}

/// What a copy does not have of today's template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lack {
    pub key: Key,
    /// A few words: the policy's, or the beginning of the item's own.
    pub name: String,
    pub kind: LackKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LackKind {
    Missing,
    /// There in other words.
    Reworded,
}

/// Which items of today's template a sign-off lacks, and which it has in other words.
pub fn missing(text: &str, now: &Template, policy: &Policy) -> Vec<Lack> {
    let (text, _) = unquoted(text, &policy.signoff.trigger);
    let parts = parts(&text, policy, now);
    let found = matches(policy, now, &entries(parts.items));
    let fits: HashMap<usize, Fit> = found.into_iter().flatten().map(|found| (found.item, found.fit)).collect();
    let lack = |(at, item): (usize, &Item)| {
        let kind = match fits.get(&at) {
            None => LackKind::Missing,
            Some(Fit::Otherwise) => LackKind::Reworded,
            Some(Fit::Whole | Fit::Linked) => return None,
        };
        Some(Lack { key: item.key.clone(), name: now.name(item), kind })
    };
    now.items.iter().enumerate().filter_map(lack).collect()
}

/// What a copy lacks, as a sentence that `whose` begins: `This copy is not of today's template: it lacks "append-only" and words 2 items
/// otherwise.` `None`: it lacks nothing.
pub fn lack_sentence(whose: &str, lacks: &[Lack]) -> Option<String> {
    let missing: Vec<String> = lacks
        .iter()
        .filter(|lack| lack.kind == LackKind::Missing)
        .map(|lack| format!("\"{}\"", gate::line(&lack.name)))
        .collect();
    let reworded = lacks.iter().filter(|lack| lack.kind == LackKind::Reworded).count();
    let other = counted(reworded, "item");
    let what = match (missing.is_empty(), reworded) {
        (true, 0) => return None,
        (false, 0) => format!("lacks {}", missing.join(", ")),
        (true, _) => format!("words {other} otherwise"),
        (false, _) => format!("lacks {} and words {other} otherwise", missing.join(", ")),
    };
    Some(format!("{whose} is not of today's template: it {what}."))
}

/// The first words of a text, cut where it is long.
pub(super) fn beginning(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let cut: String = line.chars().take(40).collect();
    if cut.len() < line.len() { format!("{}…", cut.trim_end()) } else { cut }
}

#[cfg(test)]
pub(super) mod tests;
