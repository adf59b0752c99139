//! A list that knows whether it is whole.
//! Must not know: what the items are.

use super::trouble::Trouble;
use serde::{Deserialize, Serialize};

/// Items in GitHub's order, and whether they are all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Listing<T> {
    pub items: Vec<T>,
    pub completeness: Completeness,
}

/// Whether a list is whole. Only [`Completeness::Complete`] lets a check over it be green.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Completeness {
    Complete,
    /// `of` is the number that GitHub states, where it states one.
    Partial {
        of: Option<usize>,
        why: Trouble,
    },
}

impl<T> Listing<T> {
    pub fn complete(items: Vec<T>) -> Listing<T> {
        Listing { items, completeness: Completeness::Complete }
    }

    pub fn partial(items: Vec<T>, of: Option<usize>, why: Trouble) -> Listing<T> {
        Listing { items, completeness: Completeness::Partial { of, why } }
    }

    pub fn is_complete(&self) -> bool {
        self.completeness == Completeness::Complete
    }

    /// Why the list is not whole.
    pub fn trouble(&self) -> Option<&Trouble> {
        match &self.completeness {
            Completeness::Complete => None,
            Completeness::Partial { why, .. } => Some(why),
        }
    }

    /// `None` when whole, else how much there is and why not more: `100 of 240 read: …`.
    pub fn render_gap(&self) -> Option<String> {
        match &self.completeness {
            Completeness::Complete => None,
            Completeness::Partial { of: Some(of), why } => Some(format!("{} of {of} read: {}", self.items.len(), why.headline)),
            Completeness::Partial { of: None, why } => Some(format!("only {} read: {}", self.items.len(), why.headline)),
        }
    }
}
