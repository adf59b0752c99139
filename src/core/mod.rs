//! Facts and rules: everything countersign knows about a pull request and everything it concludes.
//! Must not know: the clock, files, the network, the terminal.

pub mod access;
pub mod axes;
pub mod checklist;
pub mod claimed;
pub mod claims;
pub mod conclusions;
pub mod configs;
pub mod diff;
pub mod documents;
pub mod errand;
pub mod evals;
pub mod evidence;
pub mod facts;
pub mod filter;
pub mod follow;
pub mod golden;
pub mod ids;
pub mod joblog;
pub mod later;
pub mod launch;
pub mod listing;
pub mod markdown;
pub mod members;
pub mod models;
pub mod owners;
pub mod pins;
pub mod plan;
pub mod points;
pub mod policy;
pub mod posting;
pub mod pull;
pub mod remote;
pub mod results;
pub mod review;
#[cfg(test)]
pub(crate) mod sample;
pub mod session;
pub mod snapshot;
pub mod steps;
pub mod sweep;
pub mod text;
pub mod time;
pub mod trouble;
pub mod verdict;
pub mod yaml;
