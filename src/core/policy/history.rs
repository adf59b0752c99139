//! The committed versions of the template: on which day each came, and what its items said, as digests.
//! Must not know: how a copy is compared with them.

use super::items::normalise;
use crate::core::evidence::digest;
use crate::core::ids::Key;
use crate::core::time::Day;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

/// Hexadecimal digits of a digest that are kept: one in 2⁴⁸ other texts has the same.
const DIGITS: usize = 12;
/// What stands behind an item that a version has without a box.
const BARE: &str = "bare";

/// What is known of the template's past; by default nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HistoryPolicy {
    /// Whatever an item said, oldest first, by its key.
    #[serde(default)]
    pub wordings: BTreeMap<Key, Vec<Wording>>,
    /// Oldest first.
    #[serde(default)]
    pub versions: Vec<VersionPolicy>,
}

/// One committed version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VersionPolicy {
    pub commit: String,
    pub day: VersionDay,
    /// In the order of the text. Empty: those of the version before, word for word.
    #[serde(default)]
    pub items: Vec<VersionItem>,
}

/// When a version came: `2026-08-03`, or `2026-10` where only the month is known, and that about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum VersionDay {
    Exact(Day),
    /// The first of the month that it was about.
    About(Day),
}

/// An item of a version: `evals`, `evals 2` for its second wording, `evals 2 bare` for a line without a box.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct VersionItem {
    pub key: Key,
    /// Which of the key's wordings, from 0.
    pub wording: usize,
    /// It is a line among the items, and none that is ticked.
    pub bare: bool,
}

/// What tells an item's words: `17-0123456789ab`; and where a link may stand for all but its first sentence, that sentence
/// too: `17-0123456789ab/8-ba9876543210`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Wording {
    pub whole: Print,
    pub first: Option<Print>,
}

/// How many words a text has once it is normalised, and the beginning of their digest.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Print {
    pub words: usize,
    pub digest: String,
}

impl Print {
    /// Of words that are normalised.
    pub fn of(normal: &str) -> Print {
        let digest = digest(normal.as_bytes());
        let words = normal.split(' ').filter(|word| !word.is_empty()).count();
        Print { words, digest: digest.get(..DIGITS).unwrap_or_default().to_owned() }
    }
}

impl Wording {
    pub fn of(text: &str) -> Wording {
        Wording { whole: Print::of(&normalise(text)), first: first_sentence(text).map(|first| Print::of(&first)) }
    }
}

/// The first sentence of a text that has several, normalised.
pub fn first_sentence(text: &str) -> Option<String> {
    text.split_once(". ").filter(|(_, more)| !more.trim().is_empty()).map(|(first, _)| normalise(first))
}

impl VersionDay {
    pub fn of(self) -> Day {
        match self {
            VersionDay::Exact(day) | VersionDay::About(day) => day,
        }
    }

    /// `3 August`, `about October`; with the year where that is not today's.
    pub fn render(self, today: Option<Day>) -> String {
        use chrono::Datelike;
        let year = if today.is_some_and(|today| today.year() == self.of().year()) { "" } else { " %Y" };
        match self {
            VersionDay::Exact(day) => day.format(&format!("%-d %B{year}")).to_string(),
            VersionDay::About(day) => day.format(&format!("about %B{year}")).to_string(),
        }
    }
}

/// Versions that have the same items, word for word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alike<'a> {
    pub versions: Vec<&'a VersionPolicy>,
    pub items: &'a [VersionItem],
}

impl HistoryPolicy {
    pub fn is_empty(&self) -> bool {
        self.versions.is_empty()
    }

    pub fn wording(&self, item: &VersionItem) -> Option<&Wording> {
        self.wordings.get(&item.key)?.get(item.wording)
    }

    /// The versions by their items, oldest first.
    pub fn alike(&self) -> Vec<Alike<'_>> {
        let mut out: Vec<Alike<'_>> = Vec::new();
        let mut items: &[VersionItem] = &[];
        for version in &self.versions {
            if !version.items.is_empty() {
                items = &version.items;
            }
            match out.iter_mut().find(|alike| alike.items == items) {
                Some(alike) => alike.versions.push(version),
                None => out.push(Alike { versions: vec![version], items }),
            }
        }
        out
    }

    /// What cannot be used, a sentence each.
    pub(super) fn problems(&self) -> Vec<String> {
        let mut out = Vec::new();
        let mut commits = BTreeSet::new();
        let mut before: Option<&VersionPolicy> = None;
        for version in &self.versions {
            let commit = &version.commit;
            if commit.is_empty() || !commits.insert(commit) {
                out.push(format!("`history.versions`: the commit `{commit}` is empty or stands there twice"));
            }
            if before.is_none() && version.items.is_empty() {
                out.push(format!("`history.versions`: {commit}, the first, has no items"));
            }
            if before.is_some_and(|before| before.day.of() > version.day.of()) {
                out.push(format!("`history.versions`: {commit} is out of order; the oldest comes first"));
            }
            let mut keys = BTreeSet::new();
            for item in &version.items {
                if self.wording(item).is_none() {
                    out.push(format!("`history.versions`: {commit} has `{item}`, which `history.wordings` does not have"));
                }
                if !keys.insert(&item.key) {
                    out.push(format!("`history.versions`: {commit} has the item `{}` twice", item.key));
                }
            }
            before = Some(version);
        }
        out
    }
}

impl FromStr for Print {
    type Err = String;

    fn from_str(text: &str) -> Result<Print, String> {
        let wrong = || format!("`{text}` is no number of words and {DIGITS} hexadecimal digits, such as 8-0123456789ab");
        let (words, digest) = text.split_once('-').ok_or_else(wrong)?;
        let words: usize = words.parse().ok().filter(|words| *words > 0).ok_or_else(wrong)?;
        let is_hex = digest.len() == DIGITS && digest.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f'));
        is_hex.then(|| Print { words, digest: digest.to_owned() }).ok_or_else(wrong)
    }
}

impl fmt::Display for Print {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.words, self.digest)
    }
}

impl TryFrom<String> for Wording {
    type Error = String;

    fn try_from(text: String) -> Result<Wording, String> {
        Ok(match text.split_once('/') {
            Some((whole, first)) => Wording { whole: whole.parse()?, first: Some(first.parse()?) },
            None => Wording { whole: text.parse()?, first: None },
        })
    }
}

impl fmt::Display for Wording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.whole.fmt(f)?;
        self.first.iter().try_for_each(|first| write!(f, "/{first}"))
    }
}

impl From<Wording> for String {
    fn from(wording: Wording) -> String {
        wording.to_string()
    }
}

impl TryFrom<String> for VersionItem {
    type Error = String;

    fn try_from(text: String) -> Result<VersionItem, String> {
        let wrong = || format!("`{text}` is no item of a version, such as `evals`, `evals 2` or `evals 2 bare`");
        let (words, bare) = match text.strip_suffix(BARE).and_then(|words| words.strip_suffix(' ')) {
            Some(words) => (words, true),
            None => (text.as_str(), false),
        };
        let (key, number) = words.split_once(' ').unwrap_or((words, "1"));
        let number: usize = number.parse().map_err(|_| wrong())?;
        let wording = number.checked_sub(1).filter(|_| !key.is_empty()).ok_or_else(wrong)?;
        Ok(VersionItem { key: Key::from(key), wording, bare })
    }
}

impl fmt::Display for VersionItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key.as_str())?;
        if self.wording > 0 {
            write!(f, " {}", self.wording + 1)?;
        }
        if self.bare { write!(f, " {BARE}") } else { Ok(()) }
    }
}

impl From<VersionItem> for String {
    fn from(item: VersionItem) -> String {
        item.to_string()
    }
}

impl TryFrom<String> for VersionDay {
    type Error = String;

    fn try_from(text: String) -> Result<VersionDay, String> {
        let day = Day::parse_from_str(&text, "%Y-%m-%d").map(VersionDay::Exact);
        let month = || Day::parse_from_str(&format!("{text}-01"), "%Y-%m-%d").map(VersionDay::About);
        day.or_else(|_| month()).map_err(|_| format!("`{text}` is neither a day (2026-08-03) nor a month (2026-08)"))
    }
}

impl From<VersionDay> for String {
    fn from(day: VersionDay) -> String {
        match day {
            VersionDay::Exact(day) => day.format("%Y-%m-%d").to_string(),
            VersionDay::About(day) => day.format("%Y-%m").to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_the_file_is_read_and_written_the_same() {
        for text in ["evals", "evals 2", "evals bare", "evals 12 bare"] {
            assert_eq!(VersionItem::try_from(text.to_owned()).unwrap().to_string(), text);
        }
        for text in ["", " 2", "evals 0", "evals two", "evals 1 2", "bare 1 x"] {
            assert!(VersionItem::try_from(text.to_owned()).is_err(), "{text}");
        }
        for text in ["8-0123456789ab", "17-0123456789ab/8-ba9876543210"] {
            assert_eq!(Wording::try_from(text.to_owned()).unwrap().to_string(), text);
        }
        for text in ["", "8", "0-0123456789ab", "8-0123456789a", "8-0123456789aB", "8-0123456789ab/", "x-0123456789ab"] {
            assert!(Wording::try_from(text.to_owned()).is_err(), "{text}");
        }
        for (text, this_year, other) in
            [("2026-08-03", "3 August", "3 August 2026"), ("2026-10", "about October", "about October 2026")]
        {
            let day = VersionDay::try_from(text.to_owned()).unwrap();
            assert_eq!(String::from(day), text);
            assert_eq!(day.render(Day::from_ymd_opt(2026, 12, 1)), this_year);
            assert_eq!((day.render(None), day.render(Day::from_ymd_opt(2027, 1, 1))), (other.to_owned(), other.to_owned()));
        }
        for text in ["", "2026", "2026-13", "2026-02-30", "soon"] {
            assert!(VersionDay::try_from(text.to_owned()).is_err(), "{text}");
        }
    }

    #[test]
    fn a_wording_is_told_by_words_and_first_sentence() {
        let wording = Wording::of("It **passes** [evals](https://h/a).  Please link it.");
        assert_eq!(wording.whole, Print::of("it passes evals please link it"));
        assert_eq!(wording.first, Some(Print::of("it passes evals")));
        assert_eq!((wording.whole.words, Wording::of("It passes. ").first), (6, None));
        assert_ne!(wording.whole.digest, Print::of("it passes evals please link them").digest);
    }
}
