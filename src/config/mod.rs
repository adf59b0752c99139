//! Texts that people write, as checked values: settings, keys, themes, the policy, a Git remote.
//! Must not know: files and folders; it is given text and the name to call it by.

pub mod document;
pub mod policy;
pub mod problem;
pub mod remote;
pub mod settings;
pub mod theme;

pub use problem::{Problem, Severity};
pub use settings::{Host, Settings, Token};
