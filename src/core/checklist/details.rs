//! The details as they stand: paragraphs drafted from evidence, and what the reviewer made of them. A paragraph that was
//! left as it was drafted goes on being drafted; one that was touched is the reviewer's for good.
//! Must not know: what a paragraph says, the template, findings.

use super::detail::Paragraph;
use super::rendered::Rendered;
use crate::core::diff::words::told;
use crate::core::ids::Key;
use crate::core::markdown::fence::Fence;
use crate::core::session::DraftedParagraph;
use std::collections::BTreeSet;
use std::ops::Range;

/// How every drafted paragraph begins.
const START: &str = "- **";
/// Shorter words stand everywhere: alone they are no trace of what was drafted.
const SHORTEST: usize = 3;

/// The reviewer's text over today's draft.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Merged {
    pub rendered: Rendered,
    /// It is not just what is drafted today.
    pub edited: bool,
    pub stale: Vec<Stale>,
    /// What was drafted once, is no more, and still stands there: not to be posted before it was edited.
    pub lost: Vec<LostFact>,
    /// In order.
    pub paragraphs: Vec<Placed>,
}

/// A paragraph that the reviewer edited, and whose draft differs today from what was edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stale {
    pub topic: Key,
    pub label: String,
    pub then: String,
    /// `None`: nothing is drafted on this topic any more.
    pub now: Option<String>,
}

impl Stale {
    /// `Facts moved under your paragraph "Validation": 9 → 12.`
    pub fn sentence(&self) -> String {
        let moved = match &self.now {
            Some(now) => told(&self.then, now),
            None => "nothing is drafted on it any more".to_owned(),
        };
        format!("Facts moved under your paragraph \"{}\": {moved}.", self.label)
    }
}

/// A number or link that no evidence supports any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostFact {
    pub text: String,
    pub topic: Key,
    /// In [`Merged::rendered`].
    pub range: Range<usize>,
}

/// Where a paragraph stands in [`Merged::rendered`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    pub topic: Option<Key>,
    pub range: Range<usize>,
    pub kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// As evidence makes it today.
    Drafted,
    /// On a topic of the draft, in the reviewer's words.
    Edited,
    /// The reviewer's own.
    Own,
}

/// What is to be kept beside a text that a reviewer edited: the paragraphs as they were drafted then.
pub fn basis(paragraphs: &[Paragraph]) -> Vec<DraftedParagraph> {
    let kept = |paragraph: &Paragraph| DraftedParagraph {
        topic: paragraph.topic.clone(),
        text: paragraph.rendered.text.trim_end().to_owned(),
        facts: words(&paragraph.rendered).into_iter().map(|(word, _)| word.to_owned()).collect(),
    };
    paragraphs.iter().map(kept).collect()
}

/// What is to be kept beside a text that was edited again: today's paragraphs, but for those that the reviewer had edited
/// before and left alone this time. These still rest on what was drafted `then`, and so do their lost facts.
pub fn rebased(old: &str, then: &[DraftedParagraph], new: &str, mut today: Vec<DraftedParagraph>) -> Vec<DraftedParagraph> {
    let before: Vec<&str> = bodies(old).collect();
    for left in bodies(new).filter(|left| before.iter().any(|was| is_same(was, left))) {
        let is_edited = |known: &&DraftedParagraph| {
            let label = label_of(&known.text);
            label.is_some() && label == label_of(left) && !is_same(&known.text, left)
        };
        let Some(known) = then.iter().find(is_edited) else { continue };
        match today.iter_mut().find(|paragraph| paragraph.topic == known.topic) {
            // What today's draft says word for word is no edit any more.
            Some(paragraph) if is_same(&paragraph.text, left) => {}
            Some(paragraph) => *paragraph = known.clone(),
            None => today.push(known.clone()),
        }
    }
    today
}

/// The paragraphs of a text that are not as they were drafted `then`.
pub fn touched(own: &str, then: &[DraftedParagraph]) -> String {
    let is_left = |body: &&str| then.iter().any(|known| is_same(&known.text, body));
    bodies(own).filter(|body| !is_left(body)).collect()
}

/// The draft as it is posted where no reviewer touched it.
pub fn untouched(now: &[Paragraph]) -> Merged {
    let mut out = Merged::default();
    let pieces = now.iter().map(|paragraph| Piece::drafted(paragraph, "\n"));
    pieces.for_each(|piece| out.place(piece));
    out.close()
}

/// Merges the reviewer's text with what is drafted today, paragraph by paragraph. `then` is what was drafted when the text
/// was last edited; without it the whole text is the reviewer's.
pub fn merge(own: &str, then: &[DraftedParagraph], now: &[Paragraph]) -> Merged {
    let mut out = Merged { edited: true, ..Merged::default() };
    if then.is_empty() {
        out.place(Piece::own(own, ""));
        return out.close();
    }
    let held: BTreeSet<&str> = now.iter().flat_map(|paragraph| words(&paragraph.rendered)).map(|(word, _)| word).collect();
    let mut pieces: Vec<Piece<'_>> = Vec::new();
    let mut taken: BTreeSet<&str> = BTreeSet::new();
    for range in split(own) {
        let text = own.get(range).unwrap_or_default();
        let body = text.trim_end();
        let gap = text.get(body.len()..).unwrap_or_default();
        let is_left = |known: &&DraftedParagraph| !taken.contains(known.topic.as_str()) && is_same(&known.text, body);
        if let Some(known) = then.iter().find(is_left) {
            taken.insert(known.topic.as_str());
            match now.iter().find(|paragraph| paragraph.topic == known.topic) {
                Some(paragraph) => pieces.push(Piece::drafted(paragraph, gap)),
                // What comes behind it stays apart from what stands before it.
                None => {
                    if let Some(last) = pieces.last_mut().filter(|last| last.gap.len() < gap.len()) {
                        last.gap = gap.to_owned();
                    }
                }
            }
        } else if let Some((topic, label)) = topic_of(body, then, now) {
            taken.insert(topic.as_str());
            pieces.push(out.edited_piece(topic, label, (body, gap), then, now));
        } else {
            let mut piece = Piece::own(body, gap);
            // Under another label, or none, a number is no better supported.
            then.iter().for_each(|then| lose(&mut piece.lost, &piece.rendered, then, |word| held.contains(word)));
            pieces.push(piece);
        }
    }
    let known = |topic: &Key| then.iter().any(|paragraph| paragraph.topic == *topic) || taken.contains(topic.as_str());
    for (at, paragraph) in now.iter().enumerate().filter(|(_, paragraph)| !known(&paragraph.topic)) {
        insert(&mut pieces, paragraph, now.get(..at).unwrap_or_default());
    }
    pieces.into_iter().for_each(|piece| out.place(piece));
    let mut out = out.close();
    out.edited = out.rendered.text != untouched(now).rendered.text;
    out
}

/// Puts what is drafted for the first time behind the nearest of the topics before it.
fn insert<'p>(pieces: &mut Vec<Piece<'p>>, paragraph: &'p Paragraph, before: &[Paragraph]) {
    let is_before = |piece: &Piece<'_>| before.iter().any(|other| Some(&other.topic) == piece.topic.as_ref());
    let is_own = |piece: &Piece<'_>| piece.topic.is_none();
    let at = match pieces.iter().rposition(is_before) {
        Some(at) => at + 1,
        None => pieces.iter().position(|piece| !is_own(piece)).unwrap_or(pieces.len()),
    };
    let mut piece = Piece::drafted(paragraph, "\n");
    if let Some(last) = at.checked_sub(1).and_then(|last| pieces.get_mut(last)) {
        piece.gap = std::mem::replace(&mut last.gap, "\n".to_owned());
        if is_own(last) {
            last.gap.push('\n');
        }
    }
    pieces.insert(at, piece);
}

/// A paragraph on its way into the text.
struct Piece<'p> {
    topic: Option<Key>,
    kind: Kind,
    rendered: std::borrow::Cow<'p, Rendered>,
    lost: Vec<LostFact>,
    /// What parts it from the next.
    gap: String,
}

impl<'p> Piece<'p> {
    fn drafted(paragraph: &'p Paragraph, gap: &str) -> Piece<'p> {
        let rendered = std::borrow::Cow::Borrowed(&paragraph.rendered);
        Piece { topic: Some(paragraph.topic.clone()), kind: Kind::Drafted, rendered, lost: Vec::new(), gap: gap.to_owned() }
    }

    fn own(text: &str, gap: &str) -> Piece<'p> {
        let rendered = std::borrow::Cow::Owned(Rendered::plain(text));
        Piece { topic: None, kind: Kind::Own, rendered, lost: Vec::new(), gap: gap.to_owned() }
    }
}

impl Merged {
    /// A paragraph that the reviewer edited, its numbers and links tied to the evidence of today.
    fn edited_piece<'p>(
        &mut self,
        topic: &Key,
        label: &str,
        (body, gap): (&str, &str),
        then: &[DraftedParagraph],
        now: &[Paragraph],
    ) -> Piece<'p> {
        let then = then.iter().find(|paragraph| paragraph.topic == *topic);
        let now = now.iter().find(|paragraph| paragraph.topic == *topic);
        let today = now.map(|paragraph| paragraph.rendered.text.trim_end());
        if let Some(then) = then.filter(|then| today.is_none_or(|now| !is_same(&then.text, now))) {
            let (then, now) = (then.text.clone(), today.map(str::to_owned));
            self.stale.push(Stale { topic: topic.clone(), label: label.to_owned(), then, now });
        }
        let mut held = now.map(|paragraph| words(&paragraph.rendered)).unwrap_or_default();
        // The longest first: a part of a fact is not another fact.
        held.sort_by_key(|(word, _)| std::cmp::Reverse(word.len()));
        let mut rendered = Rendered::plain(body);
        if let Some(paragraph) = now {
            for (word, id) in &held {
                for range in places(body, word) {
                    if let Some(evidence) = paragraph.rendered.evidence.get(id) {
                        rendered.tie(range, evidence);
                    }
                }
            }
        }
        let mut lost = Vec::new();
        then.into_iter().for_each(|then| lose(&mut lost, &rendered, then, |word| held.iter().any(|(held, _)| *held == word)));
        let rendered = std::borrow::Cow::Owned(rendered);
        Piece { topic: Some(topic.clone()), kind: Kind::Edited, rendered, lost, gap: gap.to_owned() }
    }

    fn place(&mut self, piece: Piece<'_>) {
        let start = self.rendered.text.len();
        self.rendered.append(&piece.rendered);
        let range = start..self.rendered.text.len();
        let moved = |one: LostFact| LostFact { range: one.range.start + start..one.range.end + start, ..one };
        self.lost.extend(piece.lost.into_iter().map(moved));
        if !range.is_empty() {
            self.paragraphs.push(Placed { topic: piece.topic, range, kind: piece.kind });
        }
        self.rendered.push(&piece.gap);
    }

    /// Without space at the end.
    fn close(mut self) -> Merged {
        self.rendered.trim_end();
        let end = self.rendered.text.len();
        self.paragraphs.iter_mut().for_each(|placed| placed.range.end = placed.range.end.min(end));
        self.paragraphs.retain(|placed| !placed.range.is_empty());
        self
    }
}

/// Adds where facts stand that were drafted `then` and that nothing holds today.
fn lose(lost: &mut Vec<LostFact>, rendered: &Rendered, then: &DraftedParagraph, is_held: impl Fn(&str) -> bool) {
    let mut gone: Vec<&str> = then.facts.iter().map(String::as_str).filter(|word| !is_held(word)).collect();
    gone.sort_by_key(|word| std::cmp::Reverse(word.len()));
    for word in gone {
        for range in places(&rendered.text, word) {
            let within = |other: &Range<usize>| other.start < range.end && range.start < other.end;
            let holds = rendered.facts.iter().any(|(fact, _)| fact.start <= range.start && range.end <= fact.end);
            if !holds && !lost.iter().any(|one| within(&one.range)) {
                lost.push(LostFact { text: word.to_owned(), topic: then.topic.clone(), range });
            }
        }
    }
    lost.sort_by_key(|one| one.range.start);
}

/// The paragraphs of a text, which together are the text, byte for byte. One begins at a line that begins as drafted ones
/// do, or behind an empty line; what is indented, and code in a fence, belongs to what stands before it.
pub fn split(text: &str) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    let (mut start, mut at, mut blank) = (0, 0, false);
    let mut fence: Option<Fence> = None;
    for line in text.split_inclusive('\n') {
        let words = line.trim();
        if fence.is_none() {
            let indented = line.starts_with([' ', '\t']);
            let begins = line.starts_with(START) || (blank && !words.is_empty() && !indented);
            if begins && at > start {
                out.push(start..at);
                start = at;
            }
        }
        fence = Fence::after(fence, line);
        blank = words.is_empty() && fence.is_none();
        at += line.len();
    }
    if at > start {
        out.push(start..at);
    }
    out
}

fn bodies(text: &str) -> impl Iterator<Item = &str> {
    split(text).into_iter().filter_map(|range| text.get(range))
}

/// Line ends and space at the end of a line say nothing.
fn is_same(one: &str, other: &str) -> bool {
    one.trim_end().lines().map(str::trim_end).eq(other.trim_end().lines().map(str::trim_end))
}

/// `Scope` of `- **Scope**: …`.
fn label_of(text: &str) -> Option<&str> {
    let rest = text.lines().next()?.strip_prefix(START)?;
    rest.split_once("**").map(|(label, _)| label).filter(|label| !label.is_empty())
}

fn topic_of<'a>(body: &'a str, then: &'a [DraftedParagraph], now: &'a [Paragraph]) -> Option<(&'a Key, &'a str)> {
    let label = label_of(body)?;
    let today = now.iter().find(|paragraph| paragraph.label == label).map(|paragraph| &paragraph.topic);
    let before = || then.iter().find(|paragraph| label_of(&paragraph.text) == Some(label)).map(|paragraph| &paragraph.topic);
    Some((today.or_else(before)?, label))
}

/// Every number and link of a paragraph, as written: whole facts, and the words in them that hold a digit.
fn words(rendered: &Rendered) -> Vec<(&str, &crate::core::ids::EvidenceId)> {
    let mut out: Vec<(&str, &crate::core::ids::EvidenceId)> = Vec::new();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for (range, id) in &rendered.facts {
        let fact = rendered.text.get(range.clone()).unwrap_or_default();
        let parts = fact.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '[' | ']' | '`' | ',' | ';' | '*'));
        let parts = parts.map(|part| part.trim_matches(['.', ':', '–']));
        let parts = parts.filter(|part| part.len() >= SHORTEST && part.contains(|c: char| c.is_ascii_digit()));
        for word in std::iter::once(fact).chain(parts).filter(|word| !word.trim().is_empty()) {
            if seen.insert(word) {
                out.push((word, id));
            }
        }
    }
    out
}

/// Where a word stands as a whole one: `0.94` is no part of `0.945`, nor `968` of `0.968`.
fn places<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
    let joins = |inner: Option<char>, near: Option<char>, beyond: Option<char>| {
        let letters = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        letters(inner) && (letters(near) || (near == Some('.') && digit(inner) && digit(beyond)))
    };
    let whole = move |(at, _): &(usize, &str)| {
        let mut before = text.get(..*at).unwrap_or_default().chars().rev();
        let mut after = text.get(at + word.len()..).unwrap_or_default().chars();
        !joins(word.chars().next(), before.next(), before.next())
            && !joins(word.chars().next_back(), after.next(), after.next())
    };
    text.match_indices(word).filter(whole).map(move |(at, _)| at..at + word.len())
}

#[cfg(test)]
mod tests;
