//! The terminal: taken and given back whole, and one frame at a time written to it.
//! Must not know: what is drawn.

use crate::app::Model;
use crate::core::text::gate;
use crate::view::theme::Theme;
use crossterm::clipboard::CopyToClipboard;
use crossterm::cursor::Show;
use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, DisableMouseCapture, EnableBracketedPaste, EnableFocusChange,
    EnableMouseCapture, KeyboardEnhancementFlags, PopKeyboardEnhancementFlags, PushKeyboardEnhancementFlags,
};
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode,
};
use crossterm::{Command, queue};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use std::cell::RefCell;
use std::io::{self, IsTerminal, Write};
use std::rc::Rc;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ThreadId};

/// Whether the terminal is ours just now.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Whether there is a terminal to draw on.
pub fn is_there() -> bool {
    io::stdout().is_terminal()
}

/// The person's terminal while the program has it. Dropping gives it back.
pub struct Screen {
    terminal: Terminal<CrosstermBackend<Frame>>,
    frame: Frame,
    /// What was written last: an unchanged frame is its end over again, and is not written.
    written: Vec<u8>,
    theme: Theme,
    mouse: bool,
}

/// The bytes of one frame, gathered so that they reach the terminal in one piece.
#[derive(Clone, Default)]
struct Frame(Rc<RefCell<Vec<u8>>>);

impl Write for Frame {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Screen {
    /// Takes the terminal. The calling thread becomes the one whose panic gives it back.
    pub fn open(theme: Theme, mouse: bool) -> io::Result<Screen> {
        restore_on_panic(thread::current().id());
        let frame = Frame::default();
        take(mouse)?;
        let terminal = Terminal::new(CrosstermBackend::new(frame.clone())).inspect_err(|_| restore())?;
        Ok(Screen { terminal, frame, written: Vec::new(), theme, mouse })
    }

    /// Columns, rows.
    pub fn size(&self) -> io::Result<(u16, u16)> {
        crossterm::terminal::size()
    }

    /// Draws the model; `false` when the screen already showed it, and nothing was written.
    pub fn draw(&mut self, model: &Model) -> io::Result<bool> {
        let theme = &self.theme;
        self.terminal.draw(|frame| crate::view::draw(frame, model, theme))?;
        let bytes = std::mem::take(&mut *self.frame.0.borrow_mut());
        if self.written.ends_with(&bytes) {
            return Ok(false);
        }
        let mut out = io::stdout().lock();
        queue!(out, BeginSynchronizedUpdate)?;
        out.write_all(&bytes)?;
        queue!(out, EndSynchronizedUpdate)?;
        out.flush()?;
        self.written = bytes;
        Ok(true)
    }

    /// Gives the terminal away, for an editor or a stop.
    pub fn leave(&mut self) {
        restore();
    }

    /// Takes it back; the next frame is drawn from nothing.
    pub fn enter(&mut self) -> io::Result<()> {
        take(self.mouse)?;
        self.terminal = Terminal::new(CrosstermBackend::new(self.frame.clone()))?;
        self.written.clear();
        Ok(())
    }

    /// Puts a text on the clipboard by OSC 52, which also works over ssh.
    pub fn copy(&mut self, text: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        queue!(out, CopyToClipboard::to_clipboard_from(text))?;
        out.flush()
    }

    /// Rings the terminal's bell, and shows a notification by OSC 9 where the terminal knows it.
    pub fn ring(&mut self, bell: bool, notification: Option<&str>) -> io::Result<()> {
        let mut out = io::stdout().lock();
        if bell {
            out.write_all(b"\x07")?;
        }
        if let Some(text) = notification {
            write!(out, "\x1b]9;{}\x1b\\", gate::line(text))?;
        }
        out.flush()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

fn take(mouse: bool) -> io::Result<()> {
    enable_raw_mode()?;
    TAKEN.store(true, Ordering::SeqCst);
    let mut out = io::stdout().lock();
    let entered = (|| {
        queue!(out, EnterAlternateScreen, Clear(ClearType::All), EnableBracketedPaste, EnableFocusChange)?;
        if mouse {
            queue!(out, EnableMouseCapture)?;
        }
        // Tells Esc from the beginning of a sequence where the terminal can; others ignore it.
        queue!(out, PushKeyboardEnhancementFlags(KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES))?;
        out.flush()
    })();
    drop(out);
    entered.inspect_err(|_| restore())
}

/// Undoes [`take`], all of it and in any state; what fails does not keep the rest from being undone.
fn restore() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    let mut out = io::stdout().lock();
    let mut undo = |command: &dyn Fn(&mut io::StdoutLock<'_>) -> io::Result<()>| {
        let _ = command(&mut out);
    };
    undo(&|out| write(out, EndSynchronizedUpdate));
    undo(&|out| write(out, PopKeyboardEnhancementFlags));
    undo(&|out| write(out, DisableMouseCapture));
    undo(&|out| write(out, DisableFocusChange));
    undo(&|out| write(out, DisableBracketedPaste));
    undo(&|out| write(out, LeaveAlternateScreen));
    undo(&|out| write(out, Show));
    undo(&|out| out.flush());
    let _ = disable_raw_mode();
}

fn write(out: &mut io::StdoutLock<'_>, command: impl Command) -> io::Result<()> {
    queue!(out, command)
}

/// A panic of the thread that draws ends the program: the terminal is given back before the message is printed.
/// A panic of any other thread is caught where that thread was started and becomes a message on the screen, so it must
/// neither touch the terminal nor print over it.
fn restore_on_panic(ui: ThreadId) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if thread::current().id() == ui {
                restore();
                usual(info);
            } else if TAKEN.load(Ordering::SeqCst) {
                super::log::note_panic(info);
            } else {
                usual(info);
            }
        }));
    });
}
