//! Keys as people write them: `j`, `G`, `Space`, `C-d`, `Enter`.
//! Must not know: terminals' encodings.

use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    Char(char),
    Enter,
    Esc,
    Tab,
    BackTab,
    Backspace,
    Delete,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
    F(u8),
}

/// A key with its modifiers. Shift is part of the character (`G`), not a modifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    pub code: Code,
    pub ctrl: bool,
    pub alt: bool,
}

const NAMES: &[(&str, Code)] = &[
    ("Enter", Code::Enter),
    ("Esc", Code::Esc),
    ("Tab", Code::Tab),
    ("S-Tab", Code::BackTab),
    ("Backspace", Code::Backspace),
    ("Delete", Code::Delete),
    ("Up", Code::Up),
    ("Down", Code::Down),
    ("Left", Code::Left),
    ("Right", Code::Right),
    ("Home", Code::Home),
    ("End", Code::End),
    ("PageUp", Code::PageUp),
    ("PageDown", Code::PageDown),
    ("Space", Code::Char(' ')),
];

impl Key {
    pub const fn plain(code: Code) -> Key {
        Key { code, ctrl: false, alt: false }
    }

    /// Reads `C-d`, `A-x`, `F5`, `Space`, `g`. `None` when it names no key.
    pub fn parse(text: &str) -> Option<Key> {
        let (mut ctrl, mut alt, mut rest) = (false, false, text);
        loop {
            if let Some(tail) = rest.strip_prefix("C-").filter(|tail| !tail.is_empty()) {
                (ctrl, rest) = (true, tail);
            } else if let Some(tail) = rest.strip_prefix("A-").filter(|tail| !tail.is_empty()) {
                (alt, rest) = (true, tail);
            } else {
                break;
            }
        }
        let mut chars = rest.chars();
        let code = match (chars.next(), chars.next()) {
            (Some(one), None) => Code::Char(one),
            (Some('F'), Some(_)) if rest[1..].parse::<u8>().is_ok_and(|n| (1..=24).contains(&n)) => {
                Code::F(rest[1..].parse().ok()?)
            }
            _ => NAMES.iter().find(|(name, _)| *name == rest)?.1,
        };
        Some(Key { code, ctrl, alt })
    }

    /// Reads a sequence such as `g g`.
    pub fn parse_sequence(text: &str) -> Option<Vec<Key>> {
        let keys: Option<Vec<Key>> = text.split_whitespace().map(Key::parse).collect();
        keys.filter(|keys| !keys.is_empty())
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ctrl {
            f.write_str("C-")?;
        }
        if self.alt {
            f.write_str("A-")?;
        }
        match (NAMES.iter().find(|(_, code)| *code == self.code), self.code) {
            (Some((name, _)), _) => f.write_str(name),
            (None, Code::Char(c)) => write!(f, "{c}"),
            (None, Code::F(n)) => write!(f, "F{n}"),
            (None, _) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for name in ["j", "G", "Space", "C-d", "A-x", "C-A-k", "F5", "S-Tab", "PageDown", "[", "-", "?"] {
            assert_eq!(Key::parse(name).map(|key| key.to_string()).as_deref(), Some(name));
        }
        for bad in ["", "jj", "F0", "F99", "Entr"] {
            assert_eq!(Key::parse(bad), None, "{bad}");
        }
        assert_eq!(Key::parse_sequence("g g").map(|keys| keys.len()), Some(2));
        assert_eq!(Key::parse_sequence("  "), None);
    }
}
