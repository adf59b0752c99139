//! Which committed version of the template a copy was made from, as far as the policy knows them.
//! Must not know: where copies come from, what is done about an old one.

use super::copied::{Entry, Mark, Parts, entries, linked, matches, parts, unquoted};
use super::migrate::{LackKind, beginning, lack_sentence, missing};
use super::template::Template;
use crate::core::ids::Key;
use crate::core::policy::history::{HistoryPolicy, Print, VersionDay, VersionItem, VersionPolicy};
use crate::core::policy::{Policy, item_key, normalise};
use crate::core::text::{counted, gate};
use crate::core::time::Day;
use std::collections::{BTreeMap, BTreeSet};

/// Lines that are looked at: a template has a dozen or two.
const LINES: usize = 400;
/// Bytes of a line that are looked at: an item has a thousand.
const LINE: usize = 8_000;
/// More days than this are told as a span.
const DAYS: usize = 3;

/// What a copy is told as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told<'a> {
    /// Oldest first. Several: they have the same items, or are equally near.
    pub versions: Vec<&'a VersionPolicy>,
    /// Whether the history has other versions of the same days.
    pub shared: bool,
    /// What the copy has otherwise than they; nothing: every item fits word for word.
    pub apart: Apart,
    /// Items of theirs that stand in the copy and not in today's template: a few words each.
    pub gone: Vec<String>,
}

/// How a copy differs from a version. Items by the policy's few words for them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Apart {
    pub missing: Vec<String>,
    pub reworded: Vec<String>,
    /// There, and without a box that others have.
    pub unboxed: Vec<String>,
    /// Items that the version does not have: how they begin.
    pub besides: Vec<String>,
    pub in_other_order: bool,
}

impl Apart {
    fn count(&self) -> usize {
        let listed = self.missing.len() + self.reworded.len() + self.unboxed.len() + self.besides.len();
        listed + usize::from(self.in_other_order)
    }

    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// `without "evals", with "chat template" in other words`. Empty: nothing.
    fn render(&self) -> String {
        let list = |before: &str, names: &[String], behind: &str| match names {
            [] => None,
            names => Some(format!("{before} {}{behind}", quoted(names))),
        };
        let parts = [
            list("without", &self.missing, ""),
            list("with", &self.reworded, " in other words"),
            list("with", &self.unboxed, " as no box"),
            list("with", &self.besides, " besides"),
            self.in_other_order.then(|| "in another order".to_owned()),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

impl Told<'_> {
    /// Whether every item fits word for word, and there are no others.
    pub fn is_exact(&self) -> bool {
        self.apart.is_empty()
    }

    /// `the version of 3 August`, `one of the versions of 22 June`, `the version of 3 or 10 August`.
    pub fn version(&self, today: Option<Day>) -> String {
        let one = if self.shared { "one of the versions" } else { "the version" };
        format!("{one} of {}", self.days(today))
    }

    /// The same behind `nearest to ` where an item differs.
    pub fn likeness(&self, today: Option<Day>) -> String {
        let near = if self.is_exact() { "" } else { "nearest to " };
        format!("{near}{}", self.version(today))
    }

    fn days(&self, today: Option<Day>) -> String {
        let days: BTreeSet<VersionDay> = self.versions.iter().map(|version| version.day).collect();
        let mut days: Vec<VersionDay> = days.into_iter().collect();
        days.sort_by_key(|day| day.of());
        let render = |day: &VersionDay| day.render(today);
        match (days.first(), days.last()) {
            (Some(first), Some(last)) if days.len() > DAYS => format!("{} to {}", render(first), render(last)),
            _ => days.iter().map(render).collect::<Vec<_>>().join(" or "),
        }
    }
}

/// An entry, and what the history knows of its words.
struct Seen<'a> {
    entry: &'a Entry<'a>,
    /// The wording that it is, whatever follows. The longest counts.
    whole: Option<Which<'a>>,
    /// Wordings of whose first sentence it is all, with a link in place of the rest.
    linked: Vec<Which<'a>>,
    /// Whose words they are, in this wording or another.
    key: Option<&'a Key>,
}

impl Seen<'_> {
    fn is_box(&self) -> bool {
        matches!(self.entry.mark, Mark::Box { .. } | Mark::Brackets { .. })
    }
}

/// A wording: whose, and which of its wordings.
type Which<'a> = (&'a Key, usize);
/// A print, and the wording that it tells.
type Known<'a> = (&'a Print, Which<'a>);

/// The prints of the history by their number of words, each with the wording that it tells.
#[derive(Default)]
struct Prints<'a> {
    whole: BTreeMap<usize, Vec<Known<'a>>>,
    first: BTreeMap<usize, Vec<Known<'a>>>,
}

impl<'a> Prints<'a> {
    fn of(history: &'a HistoryPolicy) -> Prints<'a> {
        let mut out = Prints::default();
        for (key, wordings) in &history.wordings {
            for (at, wording) in wordings.iter().enumerate() {
                out.whole.entry(wording.whole.words).or_default().push((&wording.whole, (key, at)));
                if let Some(first) = &wording.first {
                    out.first.entry(first.words).or_default().push((first, (key, at)));
                }
            }
        }
        out
    }

    fn see(&self, policy: &'a Policy, entry: &'a Entry<'a>) -> Seen<'a> {
        let words = cut(entry.words);
        let normal = normalise(words);
        let ends: Vec<usize> = normal.match_indices(' ').map(|(at, _)| at).chain([normal.len()]).collect();
        let beginning = |count: usize| ends.get(count.checked_sub(1)?).and_then(|end| normal.get(..*end));
        let told = |known: &[Known<'a>], beginning: &str| {
            let print = Print::of(beginning);
            known.iter().filter(|(known, _)| **known == print).map(|(_, told)| *told).collect::<Vec<_>>()
        };
        let whole = self.whole.iter().rev().find_map(|(count, known)| told(known, beginning(*count)?).first().copied());
        let by_first = self.first.iter().filter_map(|(count, known)| Some((known, beginning(*count)?)));
        let linked = by_first.flat_map(|(known, beginning)| {
            let found = told(known, beginning);
            if found.is_empty() || linked(words, &normal, beginning).is_none() { Vec::new() } else { found }
        });
        let linked: Vec<Which<'_>> = linked.collect();
        // A line of prose is an item only word for word.
        let like = || item_key(policy, words).filter(|_| entry.mark != Mark::Nothing).map(|item| &item.key);
        let key = whole.or(linked.first().copied()).map(|(key, _)| key).or_else(like);
        Seen { entry, whole, linked, key }
    }
}

/// The beginning of a line, if it is longer than any item.
fn cut(words: &str) -> &str {
    let end = (0..=LINE.min(words.len())).rev().find(|end| words.is_char_boundary(*end));
    end.and_then(|end| words.get(..end)).unwrap_or_default()
}

/// Versions with the same items, and how a copy fits them.
struct Fitting<'a> {
    versions: Vec<&'a VersionPolicy>,
    apart: Apart,
    /// Items of which the copy has the first sentence only.
    linked: usize,
    /// The entries that are items of theirs, as indices.
    used: Vec<usize>,
}

/// Tells which version a copy is, or which it is nearest to. `template` is today's. `None`: less than half of the items of
/// any version stand there word for word, or the policy knows no versions.
///
/// Only the items count, their words and their order: no ticks, no links behind them, no details.
pub fn tell<'a>(text: &str, template: &Template, policy: &'a Policy) -> Option<Told<'a>> {
    let history = &policy.history;
    if history.is_empty() {
        return None;
    }
    let (text, _) = unquoted(text, &policy.signoff.trigger);
    let Parts { items, details, .. } = parts(&text, policy, template);
    let mut entries = entries(items);
    entries.truncate(LINES);
    let prints = Prints::of(history);
    let mut seen: Vec<Seen<'_>> = entries.iter().map(|entry| prints.see(policy, entry)).collect();
    if details.is_none() {
        // Without a heading, what follows the last item must be the details.
        seen.truncate(seen.iter().rposition(|seen| seen.key.is_some()).map_or(0, |last| last + 1));
    }
    let all = history.alike();
    let fitting = all.iter().filter_map(|alike| fit(policy, &alike.versions, alike.items, &seen));
    let mut fitting: Vec<Fitting<'_>> = fitting.collect();
    let least = fitting.iter().map(|fitting| (fitting.apart.count(), fitting.linked)).min()?;
    fitting.retain(|fitting| (fitting.apart.count(), fitting.linked) == least);
    let newest = fitting.last()?;
    let today = matches(policy, template, &entries);
    let is_gone = |at: &&usize| today.get(**at).is_some_and(Option::is_none);
    let gone = newest.used.iter().filter(is_gone).filter_map(|at| seen.get(*at)).map(|seen| name(policy, seen.key, seen.entry));
    let versions: Vec<&VersionPolicy> = fitting.iter().flat_map(|fitting| fitting.versions.iter().copied()).collect();
    let is_among = |version: &VersionPolicy| versions.iter().any(|told| told.commit == version.commit);
    let shared = history.versions.iter().any(|other| !is_among(other) && versions.iter().any(|told| told.day == other.day));
    Some(Told { shared, apart: newest.apart.clone(), gone: gone.collect(), versions })
}

/// How a copy fits a version; `None`: too little of it is there.
fn fit<'a>(policy: &Policy, versions: &[&'a VersionPolicy], items: &[VersionItem], seen: &[Seen<'_>]) -> Option<Fitting<'a>> {
    let boxed = seen.iter().any(|seen| seen.key.is_some() && seen.is_box());
    // Where boxes are, a line without one is no item; in a copy of the page nobody can tell.
    let wanted: Vec<&VersionItem> = items.iter().filter(|item| !(boxed && item.bare)).collect();
    let mut at: Vec<Option<usize>> = vec![None; wanted.len()];
    let mut taken = vec![false; seen.len()];
    let (mut apart, mut linked, mut exact) = (Apart::default(), 0, 0);
    for strict in [Strict::Whole, Strict::Linked, Strict::Key] {
        for (item, at) in wanted.iter().zip(&mut at).filter(|(_, at)| at.is_none()) {
            let own = (&item.key, item.wording);
            let is_it = |seen: &Seen<'_>| match strict {
                Strict::Whole => seen.whole == Some(own),
                Strict::Linked => seen.linked.contains(&own),
                Strict::Key => seen.key == Some(&item.key),
            };
            let free = |at: usize| taken.get(at) == Some(&false);
            // A box is the item rather than a remark that has its words.
            let mut found = seen.iter().enumerate().filter(|(at, seen)| free(*at) && is_it(seen));
            let found = found.clone().find(|(_, seen)| seen.is_box()).or_else(|| found.next());
            let Some((place, one)) = found else { continue };
            if let Some(taken) = taken.get_mut(place) {
                *taken = true;
            }
            *at = Some(place);
            match strict {
                Strict::Whole => exact += 1,
                Strict::Linked => (exact, linked) = (exact + 1, linked + 1),
                Strict::Key => apart.reworded.push(short(policy, &item.key)),
            }
            if boxed && !one.is_box() {
                apart.unboxed.push(short(policy, &item.key));
            }
        }
    }
    if exact == 0 || exact * 2 < wanted.len() {
        return None;
    }
    let missing = wanted.iter().zip(&at).filter(|(_, at)| at.is_none());
    apart.missing = missing.map(|(item, _)| short(policy, &item.key)).collect();
    let found: Vec<usize> = at.iter().flatten().copied().collect();
    apart.in_other_order = !found.is_sorted();
    // A line that looks like those that are items is one.
    let looks = |mark: Mark| found.iter().any(|at| seen.get(*at).is_some_and(|seen| seen.entry.mark == mark));
    let (bullets, lines) = (!boxed && looks(Mark::Bullet), !boxed && looks(Mark::Nothing));
    let besides = seen.iter().zip(&taken).filter(|(seen, taken)| {
        let is_item = match seen.entry.mark {
            Mark::Box { .. } | Mark::Brackets { .. } => true,
            Mark::Bullet => bullets,
            Mark::Nothing => lines,
        };
        !**taken && is_item
    });
    apart.besides = besides.map(|(seen, _)| name(policy, seen.key, seen.entry)).collect();
    let used = wanted.iter().zip(&at).filter(|(item, _)| !item.bare).filter_map(|(_, at)| *at).collect();
    Some(Fitting { versions: versions.to_vec(), apart, linked, used })
}

#[derive(Clone, Copy)]
enum Strict {
    Whole,
    Linked,
    Key,
}

/// The policy's few words for an item; else its key.
fn short(policy: &Policy, key: &Key) -> String {
    let known = policy.items.iter().find(|item| item.key == *key);
    known.map_or_else(|| key.to_string(), |item| item.short.clone())
}

/// The policy's few words for an entry; else how it begins.
fn name(policy: &Policy, key: Option<&Key>, entry: &Entry<'_>) -> String {
    let known = key.and_then(|key| policy.items.iter().find(|item| item.key == *key));
    known.map_or_else(|| beginning(cut(entry.words)), |item| item.short.clone())
}

/// `"a", "b"`.
fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("\"{}\"", gate::line(name))).collect::<Vec<_>>().join(", ")
}

/// Which version a copy is, and what today's template has otherwise, as one sentence: `Your copy is the version of 3 August;
/// today's template has 2 items more: "append-only", "Pareto count"; 1 item is gone: "x".` `None`: it lacks nothing, and has
/// nothing that is gone.
///
/// `whose` begins the sentence: `Your copy`. Years are left out where they are today's.
pub fn sentence(whose: &str, text: &str, template: &Template, policy: &Policy, today: Option<Day>) -> Option<String> {
    let lacks = missing(text, template, policy);
    let Some(told) = older(text, template, policy) else { return lack_sentence(whose, &lacks) };
    let of = |kind: LackKind| -> Vec<String> {
        lacks.iter().filter(|lack| lack.kind == kind).map(|lack| lack.name.clone()).collect()
    };
    let list = |names: &[String], before: &str, one: &str, many: &str| {
        let is = if names.len() == 1 { one } else { many };
        (!names.is_empty()).then(|| format!("{before}{} {is}: {}", counted(names.len(), "item"), quoted(names)))
    };
    let parts = [
        list(&of(LackKind::Missing), "today's template has ", "more", "more"),
        list(&of(LackKind::Reworded), "", "is worded otherwise", "are worded otherwise"),
        list(&told.gone, "", "is gone", "are gone"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        return None;
    }
    let apart = told.apart.render();
    let apart = if apart.is_empty() { apart } else { format!(" ({apart})") };
    Some(format!("{whose} is {}{apart}; {}.", told.likeness(today), parts.join("; ")))
}

/// What a copy is told as, where that is not what today's template is.
pub fn older<'a>(text: &str, template: &Template, policy: &'a Policy) -> Option<Told<'a>> {
    tell(text, template, policy).filter(|told| !is_todays(told, template, policy))
}

/// Whether what a copy was told as is what today's template is.
pub fn is_todays(told: &Told<'_>, template: &Template, policy: &Policy) -> bool {
    let today = tell(&template.text, template, policy).filter(Told::is_exact);
    today.is_some_and(|today| today.versions.iter().any(|version| told.versions.contains(version)))
}

#[cfg(test)]
mod tests;
