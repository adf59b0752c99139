//! Markdown as GitHub reads it: strangers' text made harmless in it, its task items, and how it looks in a terminal.
//! Must not know: what a comment or a checklist says.

pub mod blocks;
pub mod fence;
pub mod gate;
mod table;
pub mod tasks;

use pulldown_cmark::Options;

/// GitHub's dialect, as far as the parser knows it. Mentions, references and bare addresses are not part of it: GitHub
/// finds those in the text afterwards.
pub fn dialect() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_GFM
}
