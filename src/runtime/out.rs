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
