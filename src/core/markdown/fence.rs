//! Fences of code, line by line.
//! Must not know: what stands in them, or behind their marks.

/// An open fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fence {
    mark: char,
    /// How many of them opened it: so many close it.
    length: usize,
}

impl Fence {
    /// What is open behind a line, given what was open before it.
    pub fn after(open: Option<Fence>, line: &str) -> Option<Fence> {
        let line = line.trim();
        let Some(mark) = line.chars().next().filter(|mark| matches!(mark, '`' | '~')) else { return open };
        let length = line.chars().take_while(|c| *c == mark).count();
        let rest = line.get(length..).unwrap_or_default();
        match open {
            // Behind backticks that open a fence stand no others.
            None => (length >= 3 && !(mark == '`' && rest.contains('`'))).then_some(Fence { mark, length }),
            Some(fence) if fence.mark == mark && length >= fence.length && rest.is_empty() => None,
            Some(_) => open,
        }
    }
}
