//! Standard output and standard error: data to the one, messages to the other.
//! Must not know: what is said.

use crate::core::text::gate;
use std::io::{self, Write};

/// Where the headless commands write. A closed pipe (`| head`) is no failure: whoever reads has read enough.
pub struct Out {
    data: Box<dyn Write>,
    messages: Box<dyn Write>,
}

impl Out {
    pub fn standard() -> Out {
        Out { data: Box::new(io::stdout().lock()), messages: Box::new(io::stderr()) }
    }

    pub fn to(data: impl Write + 'static, messages: impl Write + 'static) -> Out {
        Out { data: Box::new(data), messages: Box::new(messages) }
    }

    /// Data, exactly as given.
    pub fn data(&mut self, text: &str) {
        let _ = self.data.write_all(text.as_bytes()).and_then(|()| self.data.flush());
    }

    /// A message, on lines of its own. It may quote strangers, and it goes to a terminal.
    pub fn say(&mut self, text: impl AsRef<str>) {
        for line in gate::multi(text.as_ref()) {
            let _ = writeln!(self.messages, "{line}");
        }
    }
}
