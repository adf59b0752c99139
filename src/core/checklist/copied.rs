//! A sign-off as somebody wrote or copied it: its parts, its items, and which of the template's each of them is.
//! Must not know: drafts, what is done with what was found.

use super::template::{Item, Template};
use crate::core::ids::{Key, Login};
use crate::core::markdown::tasks::tasks;
use crate::core::policy::history::first_sentence;
use crate::core::policy::{Policy, item_key, normalise};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::ops::Range;

/// Words by which an item that no policy names is known again.
const BEGINNING: usize = 8;
/// What stands before a line of a list. A page that was copied has the round ones.
const BULLETS: [char; 7] = ['•', '◦', '▪', '‣', '-', '*', '+'];

/// One item as a text has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry<'a> {
    /// All that stands behind box or bullet.
    pub words: &'a str,
    /// Where the words begin in the text.
    pub at: usize,
    pub mark: Mark,
}

/// What stands before an item's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// A box, as GitHub shows it.
    Box { ticked: bool },
    /// Brackets that GitHub shows as brackets.
    Brackets { ticked: bool },
    /// A bullet: boxes vanish from a page that is copied.
    Bullet,
    /// Nothing: a line of its own.
    Nothing,
}

impl Mark {
    /// `None`: it says nothing about ticks.
    pub fn ticked(self) -> Option<bool> {
        match self {
            Mark::Box { ticked } | Mark::Brackets { ticked } => Some(ticked),
            Mark::Bullet | Mark::Nothing => None,
        }
    }
}

/// How an entry's words are those of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// Word for word, whatever follows.
    Whole,
    /// Its first sentence, with a link in place of what it says further.
    Linked,
    /// The same item in other words.
    Otherwise,
}

/// An item of the template that an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Match {
    /// Index into [`Template::items`].
    pub item: usize,
    pub fit: Fit,
    /// Where the item's own words end in the entry's.
    pub end: usize,
}

/// The parts of a sign-off. Everything is a piece of the text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Parts<'a> {
    /// Before the opening phrase.
    pub above: &'a str,
    /// Between the opening phrase and the details.
    pub items: &'a str,
    /// Below the heading, without signature and white space at the end; `None`: there is no heading.
    pub details: Option<&'a str>,
    /// The login in the signature. Empty: nobody filled it in.
    pub signed: Option<&'a str>,
    /// Behind the signature.
    pub below: &'a str,
    /// Whether the opening phrase stands there.
    pub opened: bool,
}

/// The text with line ends as `\n`, and out of the quotation that it stands in; whether it stood in one.
pub fn unquoted(body: &str, trigger: &str) -> (String, bool) {
    let mut text = body.replace("\r\n", "\n").replace('\r', "\n");
    let mut was_quoted = false;
    loop {
        let lines: Vec<&str> = text.split('\n').collect();
        let quoted = |line: &&str| line.trim_start().starts_with('>');
        let opening = lines.iter().position(|line| line.contains(trigger));
        let Some(at) = opening.filter(|at| lines.get(*at).is_some_and(quoted)) else { return (text, was_quoted) };
        let (above, below) = lines.split_at(at);
        let start = at - above.iter().rev().take_while(|line| quoted(line)).count();
        let run = lines.iter().take(at + below.iter().take_while(|line| quoted(line)).count()).skip(start);
        let bare = run.map(|line| {
            let inner = line.trim_start().strip_prefix('>').unwrap_or(line);
            inner.strip_prefix(' ').unwrap_or(inner)
        });
        text = bare.collect::<Vec<_>>().join("\n");
        was_quoted = true;
    }
}

/// Takes a sign-off apart. `lead` is what the template has before the login, such as `Signed: `.
pub fn parts<'a>(text: &'a str, policy: &Policy, template: &Template) -> Parts<'a> {
    let lines = lines(text);
    let slice = |range: Range<usize>| text.get(range).unwrap_or_default();
    let opening = lines.iter().position(|line| slice(line.clone()).contains(&policy.signoff.trigger));
    let above = opening.and_then(|at| lines.get(at)).map_or(0, |line| line.start);
    let start = opening.and_then(|at| lines.get(at)).map_or(0, |line| line.end);
    let heading = normalise(&policy.signoff.detail);
    let own = lines.get(opening.map_or(0, |at| at + 1)..).unwrap_or_default();
    let headed = own.iter().find(|line| !heading.is_empty() && normalise(slice((*line).clone())) == heading);
    let from = headed.map_or(start, |line| line.end);
    let lead = signature_lead(policy, template);
    let signed = own.iter().rev().filter(|line| line.start >= from).find_map(|line| {
        let login = signature(slice(line.clone()), &lead)?;
        Some((line.clone(), login))
    });
    let end = signed.as_ref().map_or(text.len(), |(line, _)| line.start);
    Parts {
        above: slice(0..above),
        items: slice(start..headed.map_or(end, |line| line.start)),
        details: headed.map(|line| slice(line.end..end).trim_end()),
        signed: signed.as_ref().map(|(_, login)| *login),
        below: signed.map_or("", |(line, _)| slice(line.end..text.len())),
        opened: opening.is_some(),
    }
}

/// The normalised words before the login. A template without a place for it is signed as the program signs.
fn signature_lead(policy: &Policy, template: &Template) -> String {
    let placeholder = &policy.signoff.login_placeholder;
    let line = template.text.lines().find_map(|line| line.split_once(placeholder.as_str()));
    normalise(line.map_or("Signed:", |(lead, _)| lead))
}

/// The login of a signature; `None`: the line is none.
fn signature<'a>(line: &'a str, lead: &str) -> Option<&'a str> {
    if lead.is_empty() {
        return None;
    }
    let rest = line.get(end_of(line, &normalise(line), lead)?..)?;
    let login = rest.trim_matches(|c: char| c.is_whitespace() || matches!(c, '`' | '*' | ':' | '@' | '.'));
    let is_login = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '[' | ']');
    login.chars().all(is_login).then_some(login)
}

/// Whether nobody replaced the placeholder of the signature.
pub fn is_unsigned(policy: &Policy, login: &str) -> bool {
    login.is_empty() || Login::from(login).is(&Login::from(policy.signoff.login_placeholder.as_str()))
}

/// Every item of a text in order: boxes, bullets, what looks like a box, and other lines, which may be items as well.
pub fn entries(text: &str) -> Vec<Entry<'_>> {
    let mut out: Vec<Entry<'_>> = Vec::new();
    let tasks = tasks(text);
    for task in &tasks {
        let words = text.get(task.text.clone()).unwrap_or_default();
        out.push(Entry { words, at: task.text.start, mark: Mark::Box { ticked: task.ticked } });
    }
    // The bullet that a further line may belong to, as an index into `out`.
    let mut open: Option<usize> = None;
    let mut boxed = tasks.iter().peekable();
    for line in lines(text) {
        while boxed.next_if(|task| task.text.end < line.start).is_some() {}
        let said = text.get(line.clone()).unwrap_or_default();
        let is_boxed = boxed.peek().is_some_and(|task| task.marker.start < line.end && line.start <= task.text.end);
        if is_boxed || said.trim().is_empty() {
            open = None;
            continue;
        }
        let (words, mark) = bullet(said);
        let further = open.filter(|_| mark == Mark::Nothing && said.starts_with("  ")).and_then(|at| out.get_mut(at));
        if let Some(entry) = further {
            // What is indented below a bullet goes on with it.
            entry.words = text.get(entry.at..line.end).map_or(entry.words, str::trim_end);
            continue;
        }
        open = (mark != Mark::Nothing).then_some(out.len());
        // `words` end the line, but for white space.
        let at = line.start + said.trim_end().len() - words.len();
        out.push(Entry { words, at, mark });
    }
    out.sort_by_key(|entry| entry.at);
    out
}

/// The words of a line, and what stands before them.
fn bullet(line: &str) -> (&str, Mark) {
    let line = line.trim();
    let is_bullet = |bare: &&str| !line.starts_with(['-', '*', '+']) || bare.starts_with([' ', '\t', '[']);
    let bare = line.strip_prefix(BULLETS).filter(is_bullet).map(str::trim_start);
    let words = bare.unwrap_or(line);
    let brackets = [("[x]", true), ("[X]", true), ("[ ]", false)];
    let inside = brackets.iter().find_map(|(mark, ticked)| Some((words.strip_prefix(mark)?, *ticked)));
    match (inside, bare) {
        (Some((words, ticked)), _) if !words.starts_with('(') => (words.trim_start(), Mark::Brackets { ticked }),
        (_, Some(words)) => (words, Mark::Bullet),
        (_, None) => (line, Mark::Nothing),
    }
}

/// Which item of the template each entry is. No item is two entries: what fits word for word goes first.
pub fn matches(policy: &Policy, template: &Template, entries: &[Entry<'_>]) -> Vec<Option<Match>> {
    let mut out: Vec<Option<Match>> = vec![None; entries.len()];
    let mut taken = vec![false; template.items.len()];
    let texts: Vec<Wording> = template.items.iter().map(|item| Wording::of(template.item_text(item))).collect();
    let normal: Vec<String> = entries.iter().map(|entry| normalise(entry.words)).collect();
    for strict in [true, false] {
        for ((entry, words), out) in entries.iter().zip(&normal).zip(&mut out).filter(|(_, out)| out.is_none()) {
            let free = texts.iter().enumerate().filter(|(at, _)| taken.get(*at) == Some(&false));
            let found = match strict {
                true => free
                    .filter_map(|(item, text)| text.fit(entry.words, words).map(|(fit, end)| Match { item, fit, end }))
                    .min_by_key(|found| (found.fit, Reverse(found.end))),
                // A line of prose is an item only word for word.
                false if entry.mark == Mark::Nothing => None,
                false => {
                    let key = item_key(policy, entry.words).map(|item| &item.key);
                    let mut like = free.filter(|(at, text)| {
                        template.items.get(*at).is_some_and(|item| is_same(item, key, || Cow::Borrowed(&text.words), words))
                    });
                    like.next().map(|(item, _)| Match { item, fit: Fit::Otherwise, end: before_links(entry.words) })
                }
            };
            if let Some(found) = found {
                if let Some(taken) = taken.get_mut(found.item) {
                    *taken = true;
                }
                *out = Some(found);
            }
        }
    }
    out
}

/// Whether words in another version are this item's: by its known key, else by how they begin. Wording may drift, and links
/// follow. `own`, asked for only where it counts, and `words` are normalised.
pub fn is_same<'a>(item: &Item, key: Option<&Key>, own: impl FnOnce() -> Cow<'a, str>, words: &str) -> bool {
    match (key, &item.known) {
        (Some(key), Some(known)) => *key == known.key,
        (None, None) => {
            let own = own();
            let count = BEGINNING.min(own.split(' ').count());
            own.split(' ').take(count).eq(words.split(' ').take(count))
        }
        _ => false,
    }
}

/// An item's words, ready to be looked for.
struct Wording {
    /// Normalised.
    words: String,
    /// Normalised: of an item of several sentences.
    first: Option<String>,
    /// As it stands behind the last word.
    tail: String,
}

impl Wording {
    fn of(text: &str) -> Wording {
        let words = normalise(text);
        let end = end_of(text, &words, &words).unwrap_or(text.len());
        Wording { first: first_sentence(text), tail: text.get(end..).unwrap_or_default().to_owned(), words }
    }

    /// How the entry's words begin with these, and where these end in them. `normal` are the same words, normalised.
    fn fit(&self, words: &str, normal: &str) -> Option<(Fit, usize)> {
        if let Some(end) = end_of(words, normal, &self.words) {
            let rest = words.get(end..).unwrap_or_default();
            let end = if rest.starts_with(&self.tail) { end + self.tail.len() } else { end };
            // Marks that somebody set around it close behind its own.
            return Some((Fit::Whole, end + closing(words.get(end..).unwrap_or_default())));
        }
        linked(words, normal, self.first.as_deref()?).map(|end| (Fit::Linked, end))
    }
}

/// Where `first`, normalised, ends in words that begin with it and go on with a link. `normal` are the words, normalised.
pub(super) fn linked(words: &str, normal: &str, first: &str) -> Option<usize> {
    let end = end_of(words, normal, first)?;
    let end = end + closing(words.get(end..).unwrap_or_default());
    is_link(words.get(end..).unwrap_or_default().trim_start()).then_some(end)
}

/// Where the last of `wanted` ends in `text`, if the text begins with these words. `normal` is the text, normalised.
fn end_of(text: &str, normal: &str, wanted: &str) -> Option<usize> {
    if wanted.is_empty() || !normal.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')) {
        return None;
    }
    // A longer piece never has fewer words: the shortest that has enough is found by halving.
    let (mut low, mut high) = (0, text.len());
    while low < high {
        let mut middle = (low + high) / 2;
        while !text.is_char_boundary(middle) {
            middle -= 1;
        }
        if normalise(&text[..middle]).len() >= wanted.len() {
            high = middle;
        } else {
            low = middle + text[middle..].chars().next().map_or(1, char::len_utf8);
        }
    }
    Some(high)
}

/// Length of what closes a word: a link's target, marks, punctuation.
fn closing(text: &str) -> usize {
    let mut rest = text;
    loop {
        let target = rest.strip_prefix("](").and_then(|target| target.split_once(')')).map(|(_, rest)| rest);
        let mark = rest.strip_prefix(['.', ':', ';', ',', ')', '*', '_', '`', '"', '\'', '!', '?', ']', '/']);
        match target.or(mark) {
            Some(behind) => rest = behind,
            None => return text.len() - rest.len(),
        }
    }
}

fn is_link(text: &str) -> bool {
    let text = text.trim_start_matches(['(', '<']);
    let named = text.starts_with('[') && text.split_once("](").is_some_and(|(name, _)| !name.contains('\n'));
    named || text.starts_with("https://") || text.starts_with("http://")
}

/// Where the links begin that end a text.
fn before_links(text: &str) -> usize {
    let mut end = text.len();
    while let Some(start) = last_link(text.get(..end).unwrap_or_default().trim_end()) {
        end = start;
    }
    text.get(..end).unwrap_or_default().trim_end().len()
}

/// Where the link begins that ends a text; `None`: it does not end with one.
fn last_link(text: &str) -> Option<usize> {
    if let Some(name) = text.strip_suffix(')').and_then(|text| text.rfind("](")) {
        let inside = text.get(name + 2..)?;
        return text.get(..name)?.rfind('[').filter(|_| !inside.contains(char::is_whitespace));
    }
    let start = text.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    is_link(text.get(start..)?).then_some(start)
}

/// The lines of a text with their ends.
fn lines(text: &str) -> Vec<Range<usize>> {
    let mut at = 0;
    let mut line = |line: &str| {
        at += line.len();
        at - line.len()..at
    };
    text.split_inclusive('\n').map(&mut line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_kind_of_line_is_an_entry() {
        let (yes, no) = (Mark::Box { ticked: true }, Mark::Box { ticked: false });
        let bracket = |ticked| Mark::Brackets { ticked };
        let table: [(&str, &[(&str, Mark)]); 11] = [
            ("- [x] a\n* [ ] b\n", &[("a", yes), ("b", no)]),
            ("- [x] a\n  - [ ] b\n  - c\n", &[("a", yes), ("b", no), ("c", Mark::Bullet)]),
            ("• a\n  ◦ b\n", &[("a", Mark::Bullet), ("b", Mark::Bullet)]),
            ("•a\n", &[("a", Mark::Bullet)]),
            ("• a\n  more\nb\n", &[("a\n  more", Mark::Bullet), ("b", Mark::Nothing)]),
            ("a\n  b\n", &[("a", Mark::Nothing), ("b", Mark::Nothing)]),
            ("-[x] a\n- [X]b\n[ ] c\n", &[("a", bracket(true)), ("b", bracket(true)), ("c", bracket(false))]),
            ("**a** b\n-c\n[x](y) d\n", &[("**a** b", Mark::Nothing), ("-c", Mark::Nothing), ("[x](y) d", Mark::Nothing)]),
            ("```\n- [x] a\n```\n", &[("```", Mark::Nothing), ("a", bracket(true)), ("```", Mark::Nothing)]),
            ("- [x] a\n  wrapped\n\n  second\n", &[("a\n  wrapped", yes), ("second", Mark::Nothing)]),
            ("\n \n", &[]),
        ];
        for (text, want) in table {
            let entries = entries(text);
            let found: Vec<(&str, Mark)> = entries.iter().map(|entry| (entry.words, entry.mark)).collect();
            assert_eq!(found, want, "{text:?}");
            assert!(entries.iter().all(|entry| text[entry.at..].starts_with(entry.words)), "{text:?}");
        }
    }

    #[test]
    fn an_item_s_own_words_end_where_the_item_does() {
        use Fit::{Linked, Whole};
        let item = "It **passes** [evals](https://h/a).  Please link it to `x`.";
        let table: [(&str, Option<(Fit, &str)>); 9] = [
            (item, Some((Whole, ""))),
            ("it passes evals. please link it to x", Some((Whole, ""))),
            ("It passes evals. Please link it to x. https://h/1", Some((Whole, " https://h/1"))),
            ("It passes [evals](https://other/b). Please link it to `x`**: yes", Some((Whole, " yes"))),
            ("It passes evals. [run](https://h/1) yes", Some((Linked, " [run](https://h/1) yes"))),
            ("It passes [evals](https://h/a): (https://h/1)", Some((Linked, " (https://h/1)"))),
            ("It passes evals. Trust me", None),
            ("It passes evalsuite. https://h/1", None),
            ("", None),
        ];
        for (words, want) in table {
            let fit = Wording::of(item).fit(words, &normalise(words));
            assert_eq!(fit.map(|(fit, end)| (fit, &words[end..])), want, "{words}");
        }
    }

    #[test]
    fn links_at_the_end_are_told_from_words() {
        let table = [
            ("a b https://h/1", "a b"),
            ("a [b](https://h) [c d](https://h)", "a"),
            ("a [b](https://h) c", "a [b](https://h) c"),
            ("https://h/1", ""),
            ("a (b c)", "a (b c)"),
            ("a](b)", "a](b)"),
        ];
        for (text, want) in table {
            assert_eq!(&text[..before_links(text)], want, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_follows_an_item_is_found(item in "[a-c漢É*`. ]{0,12}[a-z漢]([.:) ✅]{0,3}[✅.])?", behind in "[a-z \\[\\](:/)漢.]{0,16}") {
            let words = format!("{item} {behind}");
            let fit = Wording::of(&item).fit(&words, &normalise(&words));
            prop_assert_eq!(fit, Some((Fit::Whole, item.len())));
        }

        #[test]
        fn nothing_panics(text in "[ab漢 \\[\\]()>•\\-x`#:/.\r\n]{0,60}", item in "[ab漢 \\[\\]().]{0,20}") {
            let (text, _) = unquoted(&text, "b");
            for entry in entries(&text) {
                let _ = Wording::of(&item).fit(entry.words, &normalise(entry.words));
                prop_assert!(before_links(entry.words) <= entry.words.len());
            }
        }
    }
}
