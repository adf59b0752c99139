//! The page about models, read: support matrix, scenarios and notices, with everything in it that could not be understood.
//! Must not know: which point is asked about, which day it is.

use super::table::{Block, Row, Table, blocks, code_words, plain};
use super::{ModelPolicy, Models};
use crate::core::policy::{holds, normalise};
use crate::core::yaml::Problem;
use chrono::NaiveDate;

/// A model's line in the support matrix.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Model {
    pub class: String,
    pub prefixes: Vec<String>,
    /// Prefixes that the class name implies: `A-2.5/2.6` names two.
    pub implied: Vec<String>,
    pub line: usize,
    /// No scenario runs any more; with the day, if it is told.
    pub retired: Option<Option<NaiveDate>>,
    pub active: Vec<Active>,
    /// Scenario → the day it was removed, if it is told.
    pub ended: Vec<(String, Option<NaiveDate>)>,
    /// The last day on which anything of it runs, where the cell tells one.
    pub closes: Option<NaiveDate>,
    /// The only precisions that run.
    pub precisions: Option<Vec<String>>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Active {
    pub scenario: String,
    /// Its last day, where the cell tells one.
    pub until: Option<NaiveDate>,
    /// The only speculative method that runs: `DSpark only`.
    pub only: Option<Only>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Only {
    pub method: String,
    /// The first day on which no other runs; `None`: always.
    pub from: Option<NaiveDate>,
}

/// What a problem of the page leaves open.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum About {
    Everything,
    /// Models, by prefix.
    Models(Vec<String>),
    Scenario(String),
}

/// A scenario's line, for all models.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scenario {
    pub key: String,
    pub line: usize,
    /// Since when it is deprecated; the inner `None`: the day is not told.
    pub deprecated: Option<Option<NaiveDate>>,
    pub status: String,
}

/// What ends for a model after a day.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ending {
    /// The last day on which it is allowed.
    pub last: NaiveDate,
    pub prefixes: Vec<String>,
    /// Empty: in every scenario.
    pub scenarios: Vec<String>,
    /// Empty: at every precision.
    pub precisions: Vec<String>,
    /// Only points without speculative decoding.
    pub without_spec: bool,
    /// The page says that this is not carried out yet.
    pub pending: bool,
    pub line: usize,
}

impl Model {
    pub(super) fn is(&self, prefix: &str) -> bool {
        self.prefixes.iter().chain(&self.implied).any(|own| own.eq_ignore_ascii_case(prefix))
    }
}

/// Reads the page.
pub(super) fn parse(policy: &ModelPolicy, file: &str, text: &str) -> Models {
    let mut reader = Reader { policy, file, out: Models::default() };
    let blocks = blocks(text);
    let mut noticed = false;
    let mut notices: Vec<&[Block]> = Vec::new();
    for (at, block) in blocks.iter().enumerate() {
        if let Block::Heading { level, text, .. } = block {
            let rest = &blocks[at + 1..];
            let end = rest.iter().position(|b| matches!(b, Block::Heading { level: other, .. } if other <= level));
            let section = &rest[..end.unwrap_or(rest.len())];
            let is = |name: &str| text.eq_ignore_ascii_case(name);
            if is(&policy.matrix.section) {
                reader.matrix(section);
            } else if is(&policy.scenarios.section) {
                reader.scenarios(section);
            } else if is(&policy.notices.section) {
                notices.push(section);
                noticed = true;
            }
        }
    }
    // Last, when the models that they name are known.
    notices.into_iter().for_each(|section| reader.notices(section));
    if reader.out.models.is_empty() {
        reader.say(0, format!("no table of models stands under \"{}\"", policy.matrix.section));
    }
    if reader.out.scenarios.is_empty() {
        reader.say(0, format!("no table of scenarios stands under \"{}\"", policy.scenarios.section));
    }
    // Pages that are older than notices have none; but where a notice stands, its section must be found.
    let notice = |block: &Block| match block {
        Block::Heading { text, .. } => NaiveDate::parse_from_str(text, &policy.notices.date).is_ok(),
        Block::Paragraph { text, .. } => text.contains(policy.notices.last_day.as_str()),
        Block::Table(_) => false,
    };
    if !noticed && blocks.iter().any(notice) {
        reader.say(0, format!("there is no section \"{}\"", policy.notices.section));
    }
    reader.out
}

struct Reader<'a> {
    policy: &'a ModelPolicy,
    file: &'a str,
    out: Models,
}

impl Reader<'_> {
    /// What leaves the whole page open.
    fn say(&mut self, line: usize, message: impl Into<String>) {
        self.doubt(About::Everything, line, message);
    }

    fn doubt(&mut self, about: About, line: usize, message: impl Into<String>) {
        self.out.problems.push(Problem::new(self.file, line, message));
        self.out.abouts.push(about);
    }

    fn matrix(&mut self, section: &[Block]) {
        let names = &self.policy.matrix;
        for table in tables(section) {
            let columns = [&names.class, &names.prefix, &names.active, &names.deprecated].map(|name| table.column(name));
            let [Some(class), Some(prefix), Some(active), Some(deprecated)] = columns else {
                self.say(table.line, "a table under the support matrix lacks a column");
                continue;
            };
            for row in &table.rows {
                let class = plain(row.cell(class));
                let prefixes: Vec<String> = code_words(row.cell(prefix)).into_iter().map(str::to_owned).collect();
                if prefixes.is_empty() {
                    let about = About::Models(class_names(&class));
                    self.doubt(about, row.line, format!("the model {class} has no prefix in code marks"));
                    continue;
                }
                let cell = plain(row.cell(active));
                let mut odd = Vec::new();
                let retired = names.none.iter().any(|none| begins(&cell, none)).then(|| first_date(&cell));
                let active = if retired.is_some() { Vec::new() } else { self.active(&cell, &mut odd) };
                if retired.is_none() && active.is_empty() {
                    odd.push(format!("no known scenario stands among the active ones of {class}"));
                }
                let precisions = if retired.is_some() { None } else { self.limit(&cell, &mut odd) };
                let closes = if retired.is_some() { None } else { self.closes(&cell, &mut odd) };
                for message in odd {
                    self.doubt(About::Models(prefixes.clone()), row.line, message);
                }
                self.out.models.push(Model {
                    implied: class_names(&class),
                    line: row.line,
                    ended: self.ended(&plain(row.cell(deprecated))),
                    closes,
                    active,
                    precisions,
                    retired,
                    class,
                    prefixes,
                });
            }
        }
    }

    /// Scenarios outside parentheses, each with what its own parenthesis begins with: its last day, or a method and
    /// `only`, perhaps with the first day of that. A day in other words is odd.
    fn active(&self, cell: &str, odd: &mut Vec<String>) -> Vec<Active> {
        let names = &self.policy.matrix;
        let mut out: Vec<Active> = Vec::new();
        for (text, inside) in parentheses(cell) {
            if !inside {
                out.extend(self.named(text).into_iter().map(|scenario| Active { scenario, until: None, only: None }));
                continue;
            }
            let first = text.split([',', ';']).next().unwrap_or_default();
            let (words, day) = (normalise(first), first_date(first));
            let words: Vec<&str> = words.split(' ').collect();
            let Some(last) = out.last_mut() else { continue };
            let only = words.iter().position(|word| *word == names.only);
            match (only, day) {
                _ if names.pending.iter().any(|phrase| holds(&words, phrase)) => {}
                (None, Some(day)) if words.first().is_some_and(|word| *word == names.until) => last.until = Some(day),
                (Some(1), from)
                    if words.len() == 2 || from.is_some() && words.get(2).is_some_and(|word| *word == names.from) =>
                {
                    last.only = Some(Only { method: words.first().copied().unwrap_or_default().to_owned(), from });
                }
                (None, None) if words.first().is_none_or(|word| *word != names.until) => {}
                _ => odd.push(format!("what ({first}) says about {} is not understood", last.scenario)),
            }
        }
        out
    }

    /// The last day of the whole model, told outside parentheses.
    fn closes(&self, cell: &str, odd: &mut Vec<String>) -> Option<NaiveDate> {
        let outside = parentheses(cell).into_iter().filter(|(_, inside)| !inside).map(|(text, _)| text);
        let mut last = None;
        for piece in outside.flat_map(|text| text.split([';', '—'])) {
            let Some(day) = first_date(piece) else { continue };
            let words = normalise(piece);
            let words: Vec<&str> = words.split(' ').collect();
            if holds(&words, &self.policy.matrix.closes) {
                last = Some(day);
            } else if !words.iter().any(|word| self.is_precision(word)) {
                // A precision's day is bounded by the precisions that run.
                odd.push(format!("what \"{}\" ends is not understood", piece.trim()));
            }
        }
        last
    }

    fn is_precision(&self, word: &str) -> bool {
        self.policy.precisions.iter().any(|known| known.eq_ignore_ascii_case(word))
    }

    /// Scenarios that ended, each with the first day in the parenthesis behind it.
    fn ended(&self, cell: &str) -> Vec<(String, Option<NaiveDate>)> {
        let mut out: Vec<(String, Option<NaiveDate>)> = Vec::new();
        for (text, inside) in parentheses(cell) {
            match (inside, out.last_mut()) {
                (true, Some((_, day @ None))) => *day = first_date(text),
                (true, _) => {}
                (false, _) => out.extend(self.named(text).into_iter().map(|scenario| (scenario, None))),
            }
        }
        out
    }

    /// The precisions behind `limited to`, or before `only`.
    fn limit(&self, cell: &str, odd: &mut Vec<String>) -> Option<Vec<String>> {
        let names = &self.policy.matrix;
        let known = |word: &&str| self.is_precision(word);
        let words = normalise(cell);
        if let Some((_, rest)) = words.split_once(&normalise(&names.limit)) {
            let listed: Vec<String> = rest.split_whitespace().take_while(known).map(str::to_owned).collect();
            if listed.is_empty() {
                odd.push(format!("what follows \"{}\" is no known precision", names.limit));
            }
            return Some(listed).filter(|listed| !listed.is_empty());
        }
        let outside = parentheses(cell).into_iter().filter(|(_, inside)| !inside).map(|(text, _)| normalise(text));
        for text in outside {
            let words: Vec<&str> = text.split(' ').collect();
            let Some(at) = words.iter().position(|word| *word == names.only) else { continue };
            let mut listed: Vec<String> = words[..at].iter().rev().copied().take_while(known).map(str::to_owned).collect();
            listed.reverse();
            if listed.is_empty() {
                odd.push(format!("what stands before \"{}\" is no known precision", names.only));
                continue;
            }
            return Some(listed);
        }
        None
    }

    fn scenarios(&mut self, section: &[Block]) {
        let names = &self.policy.scenarios;
        for table in tables(section) {
            let (Some(name), Some(status)) = (table.column(&names.name), table.column(&names.status)) else {
                self.say(table.line, "a table under the scenarios lacks a column");
                continue;
            };
            for row in &table.rows {
                let (named, status) = (self.named(&plain(row.cell(name))), plain(row.cell(status)));
                let [key] = named.as_slice() else {
                    // A scenario that the table does not name is not allowed anyway.
                    let about = About::Models(Vec::new());
                    self.doubt(about, row.line, format!("the scenario {} is not known", plain(row.cell(name))));
                    continue;
                };
                let deprecated = begins(&status, &names.deprecated).then(|| first_date(&status));
                if deprecated.is_none() && !begins(&status, &names.active) {
                    let about = About::Scenario(key.clone());
                    self.doubt(about, row.line, format!("it cannot be told whether the scenario {key} is active"));
                }
                self.out.scenarios.push(Scenario { key: key.clone(), line: row.line, deprecated, status });
            }
        }
    }

    /// Each dated heading with the prose and the tables below it.
    fn notices(&mut self, section: &[Block]) {
        let mut day: Option<NaiveDate> = None;
        let mut open: Option<(usize, usize)> = None;
        for (at, block) in section.iter().enumerate() {
            match block {
                Block::Heading { text, line, .. } => {
                    self.close_notice(open.replace((*line, self.out.endings.len())));
                    day = NaiveDate::parse_from_str(text, &self.policy.notices.date).ok();
                    if day.is_none() {
                        self.say(*line, format!("the heading \"{text}\" names no day, so what ends below it is not known"));
                    }
                }
                Block::Paragraph { text, line } => {
                    if let Some(last) = day {
                        self.prose(last, text, *line);
                    }
                }
                Block::Table(table) => match day {
                    Some(last) => self.endings(last, table, self.is_pending(&section[at + 1..])),
                    None => self.say(table.line, "the table stands under no dated heading"),
                },
            }
        }
        self.close_notice(open);
    }

    /// A notice without anything that ends says it in words we do not know.
    fn close_notice(&mut self, notice: Option<(usize, usize)>) {
        if let Some((line, before)) = notice
            && before == self.out.endings.len()
        {
            self.say(line, "the notice names nothing that ends, as far as it can be read");
        }
    }

    /// Whether the text that follows a table, up to the next one, says that it is not carried out.
    fn is_pending(&self, after: &[Block]) -> bool {
        let text = after.iter().map_while(|block| match block {
            Block::Paragraph { text, .. } => Some(normalise(text)),
            _ => None,
        });
        text.into_iter().any(|text| {
            let words: Vec<&str> = text.split(' ').collect();
            self.policy.notices.pending.iter().any(|phrase| holds(&words, phrase))
        })
    }

    /// `… is the last day for the **scenario** on **model** (`prefix`).` A sentence without a prefix announces a table.
    fn prose(&mut self, last: NaiveDate, text: &str, line: usize) {
        let phrase = &self.policy.notices.last_day;
        let Some((_, rest)) = text.split_once(phrase.as_str()) else { return };
        let sentence = rest.split_once(". ").map_or(rest, |(sentence, _)| sentence);
        let prefixes: Vec<String> = code_words(sentence).into_iter().map(str::to_owned).collect();
        if !prefixes.is_empty() {
            self.ending(last, prefixes, &plain(sentence), false, false, line);
        }
    }

    fn endings(&mut self, last: NaiveDate, table: &Table, pending: bool) {
        let names = &self.policy.notices;
        let column = |names: &[String]| names.iter().find_map(|name| table.column(name));
        let Some(model) = table.column(&names.model) else {
            return self.say(table.line, "the notice's table has no column for the model");
        };
        let (ends, without_spec) = match (column(&names.ends), column(&names.arms)) {
            (Some(ends), _) => (ends, false),
            (None, Some(arm)) => (arm, true),
            (None, None) => return self.say(table.line, "the notice's table has no column for what ends"),
        };
        for row in &table.rows {
            let prefixes = self.prefixes(row, model);
            if !prefixes.is_empty() {
                self.ending(last, prefixes, &plain(row.cell(ends)), without_spec, pending, row.line);
            }
        }
    }

    fn prefixes(&mut self, row: &Row, column: usize) -> Vec<String> {
        let found: Vec<String> = code_words(row.cell(column)).into_iter().map(str::to_owned).collect();
        if found.is_empty() {
            let name = plain(row.cell(column)).to_lowercase();
            let meant = self.out.models.iter().filter(|model| name.contains(&model.class.to_lowercase()));
            let meant: Vec<String> = meant.flat_map(|model| model.prefixes.clone()).collect();
            let about = if meant.is_empty() { About::Everything } else { About::Models(meant) };
            self.doubt(about, row.line, "the notice names no prefix in code marks");
        }
        found
    }

    fn ending(&mut self, last: NaiveDate, prefixes: Vec<String>, what: &str, without_spec: bool, pending: bool, line: usize) {
        let words = normalise(what);
        let scenarios = self.named(what);
        let precisions: Vec<String> = words.split(' ').filter(|word| self.is_precision(word)).map(str::to_owned).collect();
        if scenarios.is_empty() && precisions.is_empty() {
            let message = format!("what ends for {} cannot be told", prefixes.join(", "));
            return self.doubt(About::Models(prefixes), line, message);
        }
        self.out.endings.push(Ending { last, prefixes, scenarios, precisions, without_spec, pending, line });
    }

    /// The scenarios whose phrase stands in the text, by key.
    fn named(&self, text: &str) -> Vec<String> {
        let words = normalise(text);
        let words: Vec<&str> = words.split(' ').collect();
        self.policy.phrases.iter().filter(|(_, phrase)| holds(&words, phrase)).map(|(key, _)| key.clone()).collect()
    }
}

fn tables(section: &[Block]) -> impl Iterator<Item = &Table> {
    section.iter().filter_map(|block| match block {
        Block::Table(table) => Some(table),
        _ => None,
    })
}

fn begins(text: &str, word: &str) -> bool {
    let sign = normalise(word).is_empty();
    if sign {
        return !word.is_empty() && text.trim_start().starts_with(word);
    }
    let (text, word) = (normalise(text), normalise(word));
    text.strip_prefix(word.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// The pieces outside and inside the outermost parentheses, in order.
fn parentheses(text: &str) -> Vec<(&str, bool)> {
    let mut out = Vec::new();
    let (mut depth, mut start) = (0usize, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' => {
                if depth == 0 {
                    out.push((&text[start..at], false));
                    start = at + 1;
                }
                depth += 1;
            }
            ')' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    out.push((&text[start..at], true));
                    start = at + 1;
                }
            }
            _ => {}
        }
    }
    out.push((&text[start..], depth > 0));
    out.retain(|(piece, _)| !piece.trim().is_empty());
    out
}

/// The first `2026-08-04` in a text.
pub(super) fn first_date(text: &str) -> Option<NaiveDate> {
    let words = text.split(|c: char| !(c.is_ascii_digit() || c == '-')).filter(|word| word.len() == 10);
    words.into_iter().find_map(|word| NaiveDate::parse_from_str(word, "%Y-%m-%d").ok())
}

/// The prefixes that a class name spells: `Kimi-K2.5/2.6-Code` → `kimik2.5`, `kimik2.6`.
fn class_names(class: &str) -> Vec<String> {
    let squeeze = |text: &str| -> String {
        text.chars().filter(|c| c.is_alphanumeric() || *c == '.').flat_map(char::to_lowercase).collect()
    };
    let mut out = Vec::new();
    let mut stem = String::new();
    for piece in class.split('/').map(str::trim) {
        let version: String = piece.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
        if version.is_empty() {
            let whole = squeeze(piece);
            stem = whole.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').to_owned();
            out.push(whole);
        } else if !stem.is_empty() {
            out.push(format!("{stem}{version}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_class_name_spells_its_versions() {
        let table: [(&str, &[&str]); 5] = [
            ("Kimi-K2.5/2.6/2.7-Code", &["kimik2.5", "kimik2.6", "kimik2.7"]),
            ("MiniMax-M2.5/2.7", &["minimaxm2.5", "minimaxm2.7"]),
            ("GLM-5 / GLM-5.1", &["glm5", "glm5.1"]),
            ("2.5/2.6", &[]),
            ("", &[""]),
        ];
        for (class, want) in table {
            assert_eq!(class_names(class), want, "{class}");
        }
    }

    #[test]
    fn days_and_parentheses() {
        let day = |text: &str| first_date(text).map(|day| day.to_string());
        assert_eq!(day("(removed 2026-08-04, #2493) 2026-09-01").as_deref(), Some("2026-08-04"));
        assert_eq!(day("2026-13-04, 2026-02-30, 12026-01-01"), None);
        assert_eq!(parentheses("a (b (c) d) e) f (g"), [("a ", false), ("b (c) d", true), (" e) f ", false), ("g", true)]);
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "[a(): é/0-9.]{0,30}") {
            let _ = (parentheses(&text), class_names(&text), first_date(&text));
        }
    }
}
