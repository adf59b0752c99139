//! How things look, by what they mean: a role has a style, a theme is the table of them.
//! Must not know: theme files (`config` reads them) or what is drawn.

use crate::core::text::role::{SyntaxRole, TextRole};
use ratatui::style::{Color, Modifier, Style};
use std::collections::BTreeMap;

macro_rules! roles {
    ($($(#[$doc:meta])* $role:ident = $name:literal),+ $(,)?) => {
        /// What a piece of the screen means.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Role {
            $($(#[$doc])* $role),+
        }

        impl Role {
            /// Every role, in the order of theme files.
            pub const ALL: &[Role] = &[$(Role::$role),+];

            /// Its name in a theme file.
            pub fn name(self) -> &'static str {
                match self {
                    $(Role::$role => $name),+
                }
            }
        }
    };
}

roles! {
    /// What is to be read.
    Text = "text",
    /// What is done, or beside the point.
    Dim = "dim",
    /// The one colour that says "here".
    Accent = "accent",
    /// Names of repositories, files, runs: the strongest text of a row.
    Title = "title",
    /// The rule between panes.
    Border = "border",
    /// The name of the pane that keys go to.
    Tab = "tab",
    /// The row that keys act on.
    Cursor = "cursor",
    /// The row to which keys would return: a cursor in a pane without the focus.
    Selected = "selected",
    /// Passed, green, on disk.
    Good = "good",
    /// Failed, refused, blocked.
    Bad = "bad",
    /// Worth a look; not a failure.
    Warn = "warn",
    /// Waits for a person's decision.
    Needs = "needs",
    /// Was true of another commit.
    Stale = "stale",
    /// On its way, being read.
    Running = "running",
    /// A visible stand-in for a character that would steer the terminal, and what a clipped text ends in.
    Marker = "marker",
    /// A key in the footer and in help.
    Key = "key",
    /// A text being typed.
    Input = "input",
    /// What a search found.
    Match = "match",
    /// A link that can be opened.
    Link = "link",
    /// Text that an evidence record supports.
    Fact = "fact",
    /// An added line of a diff: its sign, its ground, and the words that changed.
    AddedSign = "added_sign",
    Added = "added",
    AddedWord = "added_word",
    RemovedSign = "removed_sign",
    Removed = "removed",
    RemovedWord = "removed_word",
    /// Line numbers.
    Gutter = "gutter",
    /// The heading of a hunk.
    Hunk = "hunk",
    /// Rendered Markdown.
    Heading = "heading",
    Strong = "strong",
    Emphasis = "emphasis",
    Strikethrough = "strikethrough",
    Code = "code",
    Quote = "quote",
    /// Source text.
    Comment = "syntax_comment",
    Keyword = "syntax_keyword",
    String = "syntax_string",
    Number = "syntax_number",
    Type = "syntax_type",
    Function = "syntax_function",
    Variable = "syntax_variable",
    Constant = "syntax_constant",
    Property = "syntax_property",
    Operator = "syntax_operator",
    Punctuation = "syntax_punctuation",
    Invalid = "syntax_invalid",
}

impl Role {
    /// The role of that name in theme files.
    pub fn from_name(name: &str) -> Option<Role> {
        Role::ALL.iter().copied().find(|role| role.name() == name)
    }

    /// The role of a piece of source text.
    pub fn of_syntax(role: SyntaxRole) -> Role {
        match role {
            SyntaxRole::Plain => Role::Text,
            SyntaxRole::Comment => Role::Comment,
            SyntaxRole::Keyword => Role::Keyword,
            SyntaxRole::String => Role::String,
            SyntaxRole::Number => Role::Number,
            SyntaxRole::Type => Role::Type,
            SyntaxRole::Function => Role::Function,
            SyntaxRole::Variable => Role::Variable,
            SyntaxRole::Constant => Role::Constant,
            SyntaxRole::Property => Role::Property,
            SyntaxRole::Operator => Role::Operator,
            SyntaxRole::Punctuation => Role::Punctuation,
            SyntaxRole::Heading => Role::Heading,
            SyntaxRole::Emphasis => Role::Emphasis,
            SyntaxRole::Strong => Role::Strong,
            SyntaxRole::Link => Role::Link,
            SyntaxRole::Code => Role::Code,
            SyntaxRole::Invalid => Role::Invalid,
        }
    }

    /// The role of a piece of rendered Markdown.
    pub fn of_text(role: TextRole) -> Role {
        match role {
            TextRole::Plain => Role::Text,
            TextRole::Heading => Role::Heading,
            TextRole::Strong => Role::Strong,
            TextRole::Emphasis => Role::Emphasis,
            TextRole::Strikethrough => Role::Strikethrough,
            TextRole::Code => Role::Code,
            TextRole::Link => Role::Link,
            TextRole::Address => Role::Link,
            TextRole::Quote => Role::Quote,
            TextRole::Mark => Role::Dim,
            TextRole::Open => Role::Needs,
            TextRole::Ticked => Role::Good,
            TextRole::Gone => Role::Removed,
            TextRole::Came => Role::Added,
            TextRole::Hidden => Role::Dim,
        }
    }
}

/// A colour of a theme file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    Rgb(u8, u8, u8),
    /// One of the terminal's own 256: 0–15 are those the user chose.
    Indexed(u8),
    /// The terminal's own foreground or background.
    Terminal,
}

/// Names of the terminal's first sixteen colours.
const NAMES: [&str; 16] = [
    "black",
    "red",
    "green",
    "yellow",
    "blue",
    "magenta",
    "cyan",
    "white",
    "bright black",
    "bright red",
    "bright green",
    "bright yellow",
    "bright blue",
    "bright magenta",
    "bright cyan",
    "bright white",
];

impl Ink {
    /// Reads `#rrggbb`, `bright red`, `terminal` or a number from 0 to 255. `None` when it is none of these.
    pub fn parse(text: &str) -> Option<Ink> {
        if let Some(digits) = text.strip_prefix('#').filter(|digits| digits.len() == 6 && digits.is_ascii()) {
            let part = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
            return Some(Ink::Rgb(part(0)?, part(2)?, part(4)?));
        }
        if text == "terminal" {
            return Some(Ink::Terminal);
        }
        let named = NAMES.iter().position(|name| *name == text).and_then(|at| u8::try_from(at).ok());
        named.or_else(|| text.parse().ok()).map(Ink::Indexed)
    }

    fn color(self) -> Color {
        match self {
            Ink::Rgb(r, g, b) => Color::Rgb(r, g, b),
            Ink::Indexed(n) => Color::Indexed(n),
            Ink::Terminal => Color::Reset,
        }
    }
}

/// What a theme file says of one role; `None` leaves the colour beneath.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Look {
    pub fg: Option<Ink>,
    pub bg: Option<Ink>,
    pub bold: bool,
    pub dim: bool,
    pub italic: bool,
    pub underline: bool,
    pub reverse: bool,
    pub strikethrough: bool,
}

impl Look {
    fn style(self) -> Style {
        let mut style = Style::new();
        style.fg = self.fg.map(Ink::color);
        style.bg = self.bg.map(Ink::color);
        let modifiers = [
            (self.bold, Modifier::BOLD),
            (self.dim, Modifier::DIM),
            (self.italic, Modifier::ITALIC),
            (self.underline, Modifier::UNDERLINED),
            (self.reverse, Modifier::REVERSED),
            (self.strikethrough, Modifier::CROSSED_OUT),
        ];
        modifiers.iter().filter(|(on, _)| *on).fold(style, |style, (_, modifier)| style.add_modifier(*modifier))
    }
}

/// A style per role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Theme {
    styles: Vec<Style>,
}

impl Theme {
    /// A theme from what a file says; a role that it does not name looks like the text beneath it.
    pub fn from_looks(looks: &BTreeMap<Role, Look>) -> Theme {
        let look = |role: &Role| looks.get(role).copied().unwrap_or_default().style();
        Theme { styles: Role::ALL.iter().map(look).collect() }
    }

    /// The style of a role.
    pub fn style(&self, role: Role) -> Style {
        self.styles.get(role as usize).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_are_unique_and_lead_back() {
        let names: HashSet<_> = Role::ALL.iter().map(|role| role.name()).collect();
        assert_eq!(names.len(), Role::ALL.len());
        for (at, role) in Role::ALL.iter().enumerate() {
            assert_eq!((*role as usize, Role::from_name(role.name())), (at, Some(*role)));
        }
        assert_eq!(Role::from_name("colour"), None);
    }

    #[test]
    fn colours_are_read_in_three_ways() {
        for (text, ink) in [
            ("#0a1BfF", Some(Ink::Rgb(10, 27, 255))),
            ("bright blue", Some(Ink::Indexed(12))),
            ("244", Some(Ink::Indexed(244))),
            ("terminal", Some(Ink::Terminal)),
            ("#12345", None),
            ("#12345é", None),
            ("256", None),
            ("mauve", None),
            ("", None),
        ] {
            assert_eq!(Ink::parse(text), ink, "{text}");
        }
    }

    #[test]
    fn a_theme_gives_every_role_its_own_look() {
        let looks = BTreeMap::from([(Role::Bad, Look { fg: Some(Ink::Indexed(1)), bold: true, ..Look::default() })]);
        let theme = Theme::from_looks(&looks);
        assert_eq!(theme.style(Role::Bad), Style::new().fg(Color::Indexed(1)).add_modifier(Modifier::BOLD));
        assert_eq!(theme.style(Role::Invalid), Style::new());
    }
}
