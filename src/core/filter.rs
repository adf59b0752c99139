//! The filter language of lists: `is:failed hw:b200 conc:>=32 tp:2 text`; every term must hold, `-` before one negates it,
//! and a value in quotes is the whole of what the row says: `lane:"single-node 8k1k"`.
//! Must not know: which list is filtered, or how a filter is typed.

use super::axes::{Axes, Parallel};
use std::fmt;

/// A filter that can be asked. One without terms keeps everything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    terms: Vec<Term>,
}

/// What the rows of a list can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grammar {
    /// What may follow `is:`.
    pub states: &'static [&'static str],
    /// Keys of the list's own, besides those of the axes.
    pub names: &'static [&'static str],
}

/// One row of the list.
pub trait Subject {
    /// Whether it is in this one of the grammar's states.
    fn is(&self, state: &str) -> bool;
    /// What it says under one of the grammar's own keys.
    fn named(&self, name: &str) -> Option<String>;
    /// Whether it says such a thing there: for keys under which a row says several.
    fn says(&self, name: &str, fits: &dyn Fn(&str) -> bool) -> bool {
        self.named(name).is_some_and(|said| fits(&said))
    }
    fn axes(&self) -> Option<&Axes>;
    /// All that stands in the row, for words without a key.
    fn text(&self) -> String;
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Term {
    negated: bool,
    what: What,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum What {
    /// In lower case.
    Text(String),
    Is(&'static str),
    Named(&'static str, Value),
    /// Of a word of the axes.
    Word(WordAxis, Value),
    Number(NumberAxis, Vec<Span>),
}

/// What is looked for under a key, in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Value {
    Part(String),
    /// It stood in quotes.
    Whole(String),
}

impl Value {
    fn parse(text: &str) -> Value {
        match text.strip_prefix('"') {
            Some(rest) => Value::Whole(rest.strip_suffix('"').unwrap_or(rest).to_owned()),
            None => Value::Part(text.to_owned()),
        }
    }

    fn fits(&self, said: &str) -> bool {
        let said = said.to_lowercase();
        match self {
            Value::Part(part) => said.contains(part),
            Value::Whole(whole) => said == *whole,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WordAxis {
    Model,
    Precision,
    Runner,
    Framework,
    Spec,
    Kv,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NumberAxis {
    Conc,
    Tp,
    Pp,
    Ep,
    Dcp,
    Pcp,
}

/// Both ends belong to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Span {
    from: u32,
    to: u32,
}

/// The keys of every list, first the one that help shows.
const WORDS: &[(&str, WordAxis)] = &[
    ("hw", WordAxis::Runner),
    ("runner", WordAxis::Runner),
    ("model", WordAxis::Model),
    ("prec", WordAxis::Precision),
    ("precision", WordAxis::Precision),
    ("fw", WordAxis::Framework),
    ("framework", WordAxis::Framework),
    ("spec", WordAxis::Spec),
    ("kv", WordAxis::Kv),
];

const NUMBERS: &[(&str, NumberAxis)] = &[
    ("conc", NumberAxis::Conc),
    ("tp", NumberAxis::Tp),
    ("pp", NumberAxis::Pp),
    ("ep", NumberAxis::Ep),
    ("dcp", NumberAxis::Dcp),
    ("pcp", NumberAxis::Pcp),
];

impl Filter {
    /// Reads what a person typed.
    ///
    /// # Errors
    /// A sentence that names the term that is not understood, and what would be.
    pub fn parse(text: &str, grammar: Grammar) -> Result<Filter, String> {
        words(text).into_iter().map(|word| term(word, grammar)).collect::<Result<_, _>>().map(|terms| Filter { terms })
    }

    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Whether the row stays.
    pub fn keeps(&self, subject: &impl Subject) -> bool {
        // Most filters ask for no text: it is made for those that do.
        let text = self.terms.iter().any(|term| matches!(term.what, What::Text(_))).then(|| subject.text().to_lowercase());
        self.terms.iter().all(|term| term.what.holds(subject, text.as_deref().unwrap_or_default()) != term.negated)
    }
}

impl What {
    fn holds(&self, subject: &impl Subject, text: &str) -> bool {
        match self {
            What::Text(word) => text.contains(word),
            What::Is(state) => subject.is(state),
            What::Named(name, value) => subject.says(name, &|said| value.fits(said)),
            What::Word(axis, value) => subject.axes().is_some_and(|axes| value.fits(axis.of(axes))),
            What::Number(axis, spans) => subject.axes().is_some_and(|axes| axis.of(axes, spans)),
        }
    }
}

impl WordAxis {
    fn of(self, axes: &Axes) -> &str {
        match self {
            WordAxis::Model => &axes.model,
            WordAxis::Precision => &axes.precision,
            WordAxis::Runner => &axes.runner,
            WordAxis::Framework => &axes.framework,
            WordAxis::Spec => axes.spec.as_deref().unwrap_or(NOT_STATED),
            WordAxis::Kv => axes.kv.as_deref().unwrap_or(NOT_STATED),
        }
    }
}

/// What an axis is that a row does not state.
const NOT_STATED: &str = "none";

impl NumberAxis {
    /// Whether any role has such a size, or any of the concurrencies is such a one.
    fn of(self, axes: &Axes, spans: &[Span]) -> bool {
        let any = |value: u32| spans.iter().any(|span| (span.from..=span.to).contains(&value));
        let size = |parallel: &Parallel| match self {
            NumberAxis::Conc => None,
            NumberAxis::Tp => Some(parallel.tp),
            NumberAxis::Pp => Some(parallel.pp),
            NumberAxis::Ep => Some(parallel.ep),
            NumberAxis::Dcp => Some(parallel.dcp),
            NumberAxis::Pcp => Some(parallel.pcp),
        };
        let roles = [&axes.prefill, &axes.decode].into_iter().flatten().map(|role| &role.parallel);
        match self {
            NumberAxis::Conc => axes.conc.values().iter().any(|conc| any(*conc)),
            _ => std::iter::once(&axes.parallel).chain(roles).filter_map(size).any(any),
        }
    }
}

/// Split at white space outside of quotes.
fn words(text: &str) -> Vec<&str> {
    let mut quoted = false;
    let parts = text.split(|c: char| {
        quoted ^= c == '"';
        c.is_whitespace() && !quoted
    });
    parts.filter(|word| !word.is_empty()).collect()
}

fn term(word: &str, grammar: Grammar) -> Result<Term, String> {
    let (negated, rest) = match word.strip_prefix('-') {
        Some(rest) if !rest.is_empty() => (true, rest),
        _ => (false, word),
    };
    let Some((key, value)) = rest.split_once(':').filter(|_| !rest.starts_with('"')) else {
        return Ok(Term { negated, what: What::Text(rest.trim_matches('"').to_lowercase()) });
    };
    let (key, value) = (key.to_lowercase(), value.to_lowercase());
    let found = |known: &'static [&'static str]| known.iter().copied().find(|known| *known == key);
    let what = if key == "is" {
        match grammar.states.iter().find(|state| **state == value) {
            Some(state) => What::Is(state),
            None => return Err(format!("\"{rest}\": after is: may stand {}.", list(grammar.states.iter()))),
        }
    } else if let Some(name) = found(grammar.names) {
        What::Named(name, Value::parse(&value))
    } else if let Some((_, axis)) = WORDS.iter().find(|(name, _)| *name == key) {
        What::Word(*axis, Value::parse(&value))
    } else if let Some((_, axis)) = NUMBERS.iter().find(|(name, _)| *name == key) {
        let span = |part: &str| span(part).ok_or_else(|| format!("\"{rest}\": {key}: wants a number, >=32, <64 or 16..64."));
        What::Number(*axis, value.split(',').map(span).collect::<Result<_, _>>()?)
    } else {
        return Err(format!("\"{rest}\": there is no {key}: here. There is {}.", Keys(grammar)));
    };
    Ok(Term { negated, what })
}

/// `32`, `>=32`, `>32`, `<=32`, `<32`, `16..64`.
fn span(text: &str) -> Option<Span> {
    let number = |text: &str| text.parse::<u32>().ok();
    if let Some(rest) = text.strip_prefix(">=") {
        return Some(Span { from: number(rest)?, to: u32::MAX });
    }
    if let Some(rest) = text.strip_prefix("<=") {
        return Some(Span { from: 0, to: number(rest)? });
    }
    if let Some(rest) = text.strip_prefix('>') {
        return Some(Span { from: number(rest)?.checked_add(1)?, to: u32::MAX });
    }
    if let Some(rest) = text.strip_prefix('<') {
        return Some(Span { from: 0, to: number(rest)?.checked_sub(1)? });
    }
    match text.split_once("..") {
        Some((from, to)) => Some(Span { from: number(from)?, to: number(to)? }),
        None => number(text).map(|value| Span { from: value, to: value }),
    }
}

fn list<'s>(words: impl Iterator<Item = &'s &'s str>) -> String {
    words.copied().collect::<Vec<_>>().join(", ")
}

/// Every key of a list: `is:`, `config:`, `hw:`, ….
struct Keys(Grammar);

impl fmt::Display for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axes = WORDS.iter().map(|(name, _)| *name).chain(NUMBERS.iter().map(|(name, _)| *name));
        let axes = axes.filter(|name| !self.0.names.contains(name));
        let all = std::iter::once("is").chain(self.0.names.iter().copied()).chain(axes);
        f.write_str(&all.map(|name| format!("{name}:")).collect::<Vec<_>>().join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::axes::{Concurrency, Role};

    const GRAMMAR: Grammar = Grammar { states: &["failed", "green"], names: &["config"] };

    struct Row {
        axes: Option<Axes>,
        failed: bool,
    }

    impl Subject for Row {
        fn is(&self, state: &str) -> bool {
            (state == "failed") == self.failed
        }

        fn named(&self, name: &str) -> Option<String> {
            (name == "config").then(|| "Qwen-Key".to_owned())
        }

        fn axes(&self) -> Option<&Axes> {
            self.axes.as_ref()
        }

        fn text(&self) -> String {
            "Eval / qwen3.5 TP2".to_owned()
        }
    }

    fn row() -> Row {
        let parallel = Parallel { tp: 2, ep: 2, ..Parallel::default() };
        let role = |tp: u32| Some(Role { workers: 1, parallel: Parallel { tp, ..Parallel::default() } });
        let axes = Axes {
            model: "qwen3.5".into(),
            precision: "fp4".into(),
            runner: "cluster:b200-nv".into(),
            framework: "sglang".into(),
            parallel,
            spec: Some("mtp".into()),
            kv: None,
            kv_backend: None,
            conc: Concurrency::List(vec![16, 64]),
            prefill: role(2),
            decode: role(8),
        };
        Row { axes: Some(axes), failed: true }
    }

    #[test]
    fn every_term_must_hold() {
        let table = [
            ("", true),
            ("is:failed hw:b200 conc:>=32 tp:2 eval", true),
            ("is:green", false),
            ("-is:green", true),
            ("-is:failed", false),
            ("QWEN", true),
            ("qwen3.5 tp4", false),
            ("-tp4", true),
            ("config:key", true),
            ("config:other", false),
            ("conc:32", false),
            ("conc:32,64", true),
            ("conc:17..63", false),
            ("conc:>16", true),
            ("conc:>64", false),
            ("conc:<16", false),
            ("conc:<=16", true),
            ("tp:8", true),
            ("tp:4", false),
            ("kv:none spec:MTP", true),
            ("config:\"qwen-key\" hw:\"cluster:b200-nv\"", true),
            ("config:\"qwen\"", false),
            ("spec:\"none\"", false),
            ("config:\"Qwen-Key", true),
            ("\"qwen3.5 tp2\"", true),
            ("\"tp2 qwen3.5\"", false),
            ("prec:fp4 precision:fp4 fw:sgl framework:sglang model:qwen", true),
            ("-", false),
        ];
        for (text, kept) in table {
            assert_eq!(Filter::parse(text, GRAMMAR).unwrap().keeps(&row()), kept, "{text}");
        }
    }

    #[test]
    fn a_row_without_axes_is_kept_by_no_axis() {
        let row = Row { axes: None, failed: false };
        for text in ["tp:1", "conc:>=0", "hw:b200", "kv:none"] {
            let keeps = |text: &str| Filter::parse(text, GRAMMAR).unwrap().keeps(&row);
            assert!(!keeps(text) && keeps(&format!("-{text}")), "{text}");
        }
    }

    #[test]
    fn what_is_not_understood_is_said_and_never_ignored() {
        let table = [
            ("is:red", "\"is:red\": after is: may stand failed, green."),
            ("conc:many", "\"conc:many\": conc: wants a number, >=32, <64 or 16..64."),
            ("tp:", "\"tp:\": tp: wants"),
            ("conc:<0", "wants a number"),
            ("conc:99999999999", "wants a number"),
            ("lane:eval", "there is no lane: here. There is is: config: hw:"),
        ];
        for (text, said) in table {
            let error = Filter::parse(text, GRAMMAR).unwrap_err();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
