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
