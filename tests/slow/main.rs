//! Slow tests: whole programs in a pseudo-terminal, against a GitHub on loopback.

// A test program is test code throughout, not only inside its `#[test]` functions.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)]

mod cache;
mod campaign;
// Shared with the fast tests, which use the rest of it.
#[allow(dead_code)]
#[path = "../fast/contract.rs"]
mod contract;
mod harness;
mod home;
#[path = "../fast/honesty.rs"]
mod honesty;
mod hub;
mod log;
mod story;
mod terminal;
mod token;
