//! Checklist.
