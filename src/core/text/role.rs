//! What a piece of text is, so that highlighted and rendered lines can travel as plain data.
//! Must not know: colours (`view::theme`), or how the roles were found (`syntax`, `core::markdown`).

use std::ops::Range;

/// What a piece of source text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SyntaxRole {
    #[default]
    Plain,
    Comment,
    Keyword,
    String,
    Number,
    Type,
    Function,
    Variable,
    /// `true`, `null`, an enum member, an escape in a string.
    Constant,
    /// The key of a mapping, the name of a tag or an attribute.
    Property,
    Operator,
    Punctuation,
    Heading,
    Emphasis,
    Strong,
    Link,
    /// Code inside prose.
    Code,
    Invalid,
}

/// The roles of one line: byte ranges into the line as it was given, ascending and disjoint. What no range covers is
/// [`SyntaxRole::Plain`].
pub type Spans = Vec<(Range<u32>, SyntaxRole)>;

/// What a piece of rendered Markdown is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum TextRole {
    #[default]
    Plain,
    Heading,
    Strong,
    Emphasis,
    Strikethrough,
    /// A code span or a line of a code block.
    Code,
    /// The text of a link.
    Link,
    /// Where a link leads, shown when its text does not say it.
    Address,
    /// The bar and the text of a quote.
    Quote,
    /// A bullet, a number, a rule, a border of a table.
    Mark,
    /// An open task box.
    Open,
    /// A ticked task box.
    Ticked,
    /// Of two versions: only in the old one.
    Gone,
    /// Only in the new one.
    Came,
    /// Markup that GitHub hides or interprets: a comment, a tag.
    Hidden,
}
