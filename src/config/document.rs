//! A TOML text as tables and values that know their line, and the problems found on the way.
//! Must not know: which keys mean what.

use super::problem::{Problem, Severity};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Reads a TOML text; what stands behind a syntax error is still read where that is possible.
pub struct Reader<'a> {
    file: &'a str,
    text: &'a str,
    /// With their lines.
    problems: Vec<(usize, Problem)>,
}

/// A value where it stands.
pub type Value<'t, 'a> = &'t Spanned<DeValue<'a>>;

impl<'a> Reader<'a> {
    /// `file` is what problems call the text.
    pub fn new(file: &'a str, text: &'a str) -> Reader<'a> {
        Reader { file, text, problems: Vec::new() }
    }

    /// What was found, from the top of the file to its end.
    pub fn finish(mut self) -> Vec<Problem> {
        self.problems.sort_by_key(|(line, _)| *line);
        self.problems.into_iter().map(|(_, problem)| problem).collect()
    }

    pub fn parse(&mut self) -> DeTable<'a> {
        let (table, errors) = DeTable::parse_recoverable(self.text);
        for error in errors {
            let what = error.message().lines().collect::<Vec<_>>().join(", ");
            self.error(error.span().unwrap_or(0..0), format!("this is not TOML: {what}."), "");
        }
        table.into_inner()
    }

    pub fn error(&mut self, span: Range<usize>, message: impl Into<String>, hint: impl Into<String>) {
        self.push(Severity::Error, span, message.into(), hint.into());
    }

    pub fn warn(&mut self, span: Range<usize>, message: impl Into<String>, hint: impl Into<String>) {
        self.push(Severity::Warning, span, message.into(), hint.into());
    }

    fn push(&mut self, severity: Severity, span: Range<usize>, message: String, hint: String) {
        let before = self.text.as_bytes().get(..span.start).unwrap_or(self.text.as_bytes());
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        let place = format!("{}:{line}", self.file);
        self.problems.push((line, Problem { severity, place, message, hint }));
    }

    /// A text; other values are a problem and `None`.
    pub fn text<'t>(&mut self, key: &str, value: Value<'t, 'a>) -> Option<&'t str> {
        match value.get_ref() {
            DeValue::String(text) => Some(text),
            _ => {
                self.error(value.span(), format!("\"{key}\" must be a text."), format!("Write {key} = \"…\"."));
                None
            }
        }
    }

    pub fn flag(&mut self, key: &str, value: Value<'_, 'a>) -> Option<bool> {
        match value.get_ref() {
            DeValue::Boolean(flag) => Some(*flag),
            _ => {
                self.error(value.span(), format!("\"{key}\" must be true or false."), format!("Write {key} = true."));
                None
            }
        }
    }

    /// A whole number from 0 to `most`.
    pub fn number(&mut self, key: &str, value: Value<'_, 'a>, most: u64) -> Option<u64> {
        let read = match value.get_ref() {
            DeValue::Integer(number) => u64::from_str_radix(&number.as_str().replace('_', ""), number.radix()).ok(),
            _ => None,
        };
        let read = read.filter(|number| *number <= most);
        if read.is_none() {
            let hint = format!("Write {key} = 512, or another one.");
            self.error(value.span(), format!("\"{key}\" must be a whole number from 0 to {most}."), hint);
        }
        read
    }

    pub fn table<'t>(&mut self, key: &str, value: Value<'t, 'a>) -> Option<&'t DeTable<'a>> {
        match value.get_ref() {
            DeValue::Table(table) => Some(table),
            _ => {
                self.error(value.span(), format!("\"{key}\" must be a table."), format!("Write [{key}] on a line of its own."));
                None
            }
        }
    }

    /// A list of texts; one text alone is a list of one.
    pub fn texts(&mut self, key: &str, value: Value<'_, 'a>) -> Option<Vec<String>> {
        let list = match value.get_ref() {
            DeValue::String(text) => return Some(vec![text.to_string()]),
            DeValue::Array(list) => list,
            _ => {
                self.error(
                    value.span(),
                    format!("\"{key}\" must be a list of texts."),
                    format!("Write {key} = [\"…\", \"…\"]."),
                );
                return None;
            }
        };
        let mut out = Vec::new();
        for item in list.iter() {
            out.push(self.text(key, item)?.to_owned());
        }
        Some(out)
    }

    /// For a key that nobody knows: it may come from a newer version, so it does not stop the program.
    pub fn unknown(&mut self, span: Range<usize>, key: &str, known: &[&str]) {
        self.warn(span, format!("\"{key}\" is not known here and is ignored."), format!("Known are: {}.", known.join(", ")));
    }
}
