//! A list's filter as it was typed, and what it keeps.
//! Must not know: which lists there are.

use crate::core::filter::{Filter, Grammar, Subject};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sieve {
    /// As typed.
    pub text: String,
    filter: Filter,
}

impl Sieve {
    /// # Errors
    /// A sentence about the term that is not understood.
    pub fn parse(text: &str, grammar: Grammar) -> Result<Sieve, String> {
        Ok(Sieve { text: text.trim().to_owned(), filter: Filter::parse(text, grammar)? })
    }

    pub fn is_open(&self) -> bool {
        self.filter.is_empty()
    }

    pub fn keeps(&self, subject: &impl Subject) -> bool {
        self.filter.keeps(subject)
    }

    /// `is:failed · 3 of 40`; nothing where everything stays.
    pub fn render(&self, kept: usize, of: usize) -> Option<String> {
        (!self.is_open()).then(|| format!("/{} · {kept} of {of}", self.text))
    }
}
