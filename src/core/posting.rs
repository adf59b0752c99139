//! Posting.
