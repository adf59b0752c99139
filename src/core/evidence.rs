//! What supports a statement: where it was read, at which commit, when, and a digest of the bytes.
//! Must not know: which statement it supports.

use super::ids::{EvidenceId, Sha};
use super::time::Time;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// The address that was read, without host or signature: `/repos/o/r/actions/runs/1/jobs`.
    pub address: String,
    /// The commit it speaks of, where it speaks of one.
    pub commit: Option<Sha>,
    pub read_at: Time,
    /// Hexadecimal: the blob id of a file, else SHA-256 over the bodies in order.
    pub digest: String,
}

impl Source {
    /// Whether the same bytes were read, whenever that was.
    pub fn is_same_text(&self, other: &Source) -> bool {
        (&self.address, &self.commit, &self.digest) == (&other.address, &other.commit, &other.digest)
    }
}

/// One thing that supports text in the sign-off or a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    pub id: EvidenceId,
    /// What it is, in a few words: `run 31020193450 attempt 1`.
    pub label: String,
    /// A page that a person can open.
    pub link: Option<String>,
    pub source: Source,
}

impl Evidence {
    /// The id is made from `kind`, address and commit, so the same evidence keeps it across reads and restarts.
    pub fn new(kind: &str, label: impl Into<String>, link: Option<String>, source: Source) -> Evidence {
        let commit = source.commit.as_ref().map_or("", Sha::as_str);
        let id = EvidenceId(hex(&Sha256::digest(format!("{kind}\n{}\n{commit}", source.address)))[..16].to_owned());
        Evidence { id, label: label.into(), link, source }
    }
}

/// SHA-256 in hexadecimal.
pub fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_depends_on_kind_address_and_commit_only() {
        let at = |s: &str| s.parse::<Time>().unwrap();
        let source = |commit: &str, read: &str| Source {
            address: "/a".into(),
            commit: Some(commit.into()),
            read_at: at(read),
            digest: String::new(),
        };
        let one = Evidence::new("run", "x", None, source("c", "2026-08-11T00:00:00Z"));
        let later = Evidence::new("run", "y", None, source("c", "2026-08-12T00:00:00Z"));
        let moved = Evidence::new("run", "x", None, source("d", "2026-08-11T00:00:00Z"));
        assert_eq!(one.id, later.id);
        assert_ne!(one.id, moved.id);
        assert_eq!(one.id.as_str().len(), 16);
    }
}
