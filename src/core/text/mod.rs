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

/// `1 job`, `3 jobs`.
pub fn counted(number: usize, word: &str) -> String {
    format!("{number} {word}{}", if number == 1 { "" } else { "s" })
}

/// Bytes as people say them.
pub fn render_size(bytes: u64) -> String {
    match bytes {
        0..=9_999 => format!("{bytes} bytes"),
        10_000..=1_048_575 => format!("{} KiB", bytes >> 10),
        _ => format!("{}.{} MiB", bytes >> 20, ((bytes & 0xf_ffff) * 10) >> 20),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn sizes_have_one_unit() {
        let table = [(0, "0 bytes"), (9_999, "9999 bytes"), (10_240, "10 KiB"), (1 << 20, "1.0 MiB"), (3 << 19, "1.5 MiB")];
        for (bytes, text) in table {
            assert_eq!(super::render_size(bytes), text);
        }
    }

    #[test]
    fn a_start_ends_between_characters() {
        for (bytes, expected) in [(0, ""), (1, "a"), (2, "a"), (3, "a"), (4, "a漢"), (9, "a漢")] {
            assert_eq!(super::start("a漢", bytes), expected, "{bytes}");
        }
    }
}
