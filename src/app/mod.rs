//! The state machine: `update` turns messages into a changed model and a list of effects.
//! Must not know: terminals, HTTP, files, the clock.

pub mod action;
pub mod effect;
pub mod geometry;
pub mod key;
pub mod keymap;
pub mod model;
pub mod msg;
pub mod screens;
#[cfg(test)]
mod stories;
pub mod update;

pub use effect::Effect;
pub use model::Model;
pub use msg::Msg;
pub use update::{follow_up, painted, settle, start, update};
