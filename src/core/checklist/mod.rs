//! The sign-off: template, ticks, drafted details, and the comment that comes of them.
//! Must not know: how rules reach their findings, how text is drawn or posted.

pub mod blocks;
pub mod compose;
pub mod copied;
pub mod detail;
pub mod details;
pub mod earlier;
pub mod messages;
pub mod migrate;
pub mod rendered;
pub mod snippets;
pub mod suggestions;
pub mod template;
pub mod versions;

pub use compose::{ItemState, Signoff, TickState, compose};
pub use rendered::Rendered;
pub use template::{Item, Template, parse_template};
