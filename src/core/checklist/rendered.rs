//! Text in which every number and link is tied to the evidence it comes from.
//! Must not know: what the text says.

use crate::core::evidence::Evidence;
use crate::core::ids::EvidenceId;
use std::collections::BTreeMap;
use std::ops::Range;

/// Text with its facts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rendered {
    pub text: String,
    /// Byte ranges of `text` in rising order, and what supports each.
    pub facts: Vec<(Range<usize>, EvidenceId)>,
    pub evidence: BTreeMap<EvidenceId, Evidence>,
}

impl Rendered {
    pub fn plain(text: impl Into<String>) -> Rendered {
        Rendered { text: text.into(), ..Rendered::default() }
    }

    /// Appends words that state no fact.
    pub fn push(&mut self, text: &str) -> &mut Rendered {
        self.text.push_str(text);
        self
    }

    /// Appends text that `evidence` supports.
    pub fn fact(&mut self, text: &str, evidence: &Evidence) -> &mut Rendered {
        let start = self.text.len();
        self.text.push_str(text);
        self.facts.push((start..self.text.len(), evidence.id.clone()));
        self.evidence.entry(evidence.id.clone()).or_insert_with(|| evidence.clone());
        self
    }

    /// Appends text that `evidence` supports, where there is any.
    pub fn say(&mut self, text: &str, evidence: Option<&Evidence>) -> &mut Rendered {
        match evidence {
            Some(evidence) => self.fact(text, evidence),
            None => self.push(text),
        }
    }

    /// Says that `evidence` supports what stands in a range, unless something supports a part of it already.
    pub fn tie(&mut self, range: Range<usize>, evidence: &Evidence) -> &mut Rendered {
        let at = self.facts.partition_point(|(fact, _)| fact.end <= range.start);
        let is_free = self.facts.get(at).is_none_or(|(fact, _)| range.end <= fact.start);
        if is_free && !range.is_empty() && self.text.get(range.clone()).is_some() {
            self.facts.insert(at, (range, evidence.id.clone()));
            self.evidence.entry(evidence.id.clone()).or_insert_with(|| evidence.clone());
        }
        self
    }

    /// Takes away the space at the end.
    pub fn trim_end(&mut self) -> &mut Rendered {
        let end = self.text.trim_end().len();
        self.text.truncate(end);
        self.facts.iter_mut().for_each(|(range, _)| range.end = range.end.min(end));
        self.facts.retain(|(range, _)| range.start < range.end);
        self
    }

    pub fn append(&mut self, other: &Rendered) -> &mut Rendered {
        let start = self.text.len();
        self.text.push_str(&other.text);
        self.facts.extend(other.facts.iter().map(|(range, id)| (range.start + start..range.end + start, id.clone())));
        for (id, evidence) in &other.evidence {
            self.evidence.entry(id.clone()).or_insert_with(|| evidence.clone());
        }
        self
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}
