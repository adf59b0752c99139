//! Standard output and standard error: data to the one, messages to the other.
//! Must not know: what is said.

use crate::core::text::{gate, width};
use std::io::{self, IsTerminal, Write};

/// No terminal is narrower, and wider lines would hardly be read.
const PROGRESS_COLS: usize = 79;

/// Where the headless commands write. A closed pipe (`| head`) is no failure: whoever reads has read enough.
pub struct Out {
    data: Box<dyn Write>,
    messages: Box<dyn Write>,
    /// Messages go to a terminal, where a line can be written over.
    redraws: bool,
    /// Lines of progress that stand there now.
    standing: usize,
}

impl Out {
    pub fn standard() -> Out {
        Out {
            data: Box::new(io::stdout().lock()),
            messages: Box::new(io::stderr()),
            redraws: io::stderr().is_terminal(),
            standing: 0,
        }
    }

    pub fn to(data: impl Write + 'static, messages: impl Write + 'static) -> Out {
        Out { data: Box::new(data), messages: Box::new(messages), redraws: false, standing: 0 }
    }

    /// Data, exactly as given.
    pub fn data(&mut self, text: &str) {
        let _ = self.data.write_all(text.as_bytes()).and_then(|()| self.data.flush());
    }

    /// How something stands that takes long: written over on a terminal, else lines of their own when it `moved`.
    pub fn progress(&mut self, lines: &[String], moved: bool) {
        if !self.redraws {
            return if moved {
                lines.iter().for_each(|line| self.say(line))
            };
        }
        let mut text = String::new();
        if self.standing > 0 {
            text.push_str(&format!("\x1b[{}A", self.standing));
        }
        for line in lines {
            // A line that wraps could not be written over.
            text.push_str(&format!("\r\x1b[K{}\n", width::clip(&gate::line(line), PROGRESS_COLS)));
        }
        text.push_str("\x1b[J");
        self.standing = lines.len();
        let _ = self.messages.write_all(text.as_bytes()).and_then(|()| self.messages.flush());
    }

    /// What stands there stays.
    pub fn end_progress(&mut self) {
        self.standing = 0;
    }

    /// A message, on lines of its own. It may quote strangers, and it goes to a terminal.
    pub fn say(&mut self, text: impl AsRef<str>) {
        for line in gate::multi(text.as_ref()) {
            let _ = writeln!(self.messages, "{line}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::rc::Rc;

    #[derive(Clone, Default)]
    struct Kept(Rc<RefCell<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.borrow_mut().extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn told(redraws: bool) -> String {
        let kept = Kept::default();
        let mut out = Out { redraws, ..Out::to(io::sink(), kept.clone()) };
        let lines = |text: &str| vec![text.to_owned()];
        out.progress(&lines("1 of 3\u{1b}[2J"), true);
        out.progress(&lines("1 of 3, 2 m left"), false);
        out.progress(&lines(&"x".repeat(200)), true);
        out.end_progress();
        out.progress(&lines("3 of 3"), true);
        let bytes = kept.0.borrow().clone();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn progress_is_written_over_on_a_terminal_and_told_by_the_line_elsewhere() {
        let plain = told(false);
        assert_eq!(plain.lines().count(), 3, "{plain}");
        assert!(!plain.contains('\u{1b}') && !plain.contains("2 m left"), "{plain}");
        let drawn = told(true);
        assert_eq!(drawn.matches("\u{1b}[1A").count(), 2, "what was ended stays: {drawn}");
        assert!(drawn.matches('x').count() < PROGRESS_COLS, "a line that wraps cannot be written over: {drawn}");
        assert!(!drawn.contains("\u{1b}[2J"), "{drawn}");
    }
}
