//! Fast tests over the whole crate: no waiting, and no network but loopback.

// A test program is test code throughout, not only inside its `#[test]` functions.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)]

mod access;
mod cache;
mod campaign;
mod cli;
mod contract;
mod contract_proof;
mod demo;
mod docs;
mod gate;
mod github;
// Of the slow tests, which use the rest of it.
mod honesty;
#[allow(dead_code)]
#[path = "../slow/hub.rs"]
mod hub;
mod joblog;
mod licenses;
mod measured;
mod opening;
mod record;
mod recording;
mod report;
mod results;
mod screens;
mod store;
mod story;
mod tap;
mod tolerance;
mod walls;
mod workstation;
