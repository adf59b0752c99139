//! Text as it may be shown: the gate for strangers' bytes, display columns, wrapping, and what a piece of text is.
//! Must not know: terminals, colours, or Markdown.

pub mod gate;
pub mod role;
pub mod width;
pub mod wrap;

/// The start of a text: at most so many bytes, cut between characters.
pub fn start(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_start_ends_between_characters() {
        for (bytes, expected) in [(0, ""), (1, "a"), (2, "a"), (3, "a"), (4, "a漢"), (9, "a漢")] {
            assert_eq!(super::start("a漢", bytes), expected, "{bytes}");
        }
    }
}
