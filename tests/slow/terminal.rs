//! A program in a pseudo-terminal, and a terminal emulator that looks at what it writes.
//! Must not know: which program it is.
//!
//! Waiting is woken by output, never by a fixed sleep; a wait in vain fails with the last screen in its text.

use portable_pty::{CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::ffi::OsString;
use std::fmt;
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// The longest that a screen may keep a test waiting.
const PATIENCE: Duration = Duration::from_secs(20);

pub struct Terminal {
    shared: Arc<Shared>,
    writer: Arc<Mutex<Box<dyn Write + Send>>>,
    master: Box<dyn MasterPty + Send>,
    process: u32,
    patience: Duration,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    emulator: vt100::Parser<Answers>,
    raw: Vec<u8>,
    /// The program and all its children have let go of the terminal.
    closed: bool,
    ending: Option<Ending>,
}

/// How the program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    Code(u32),
    /// The signal's name.
    Signal(String),
}

/// What a person would see now.
#[derive(Debug, Clone, PartialEq)]
pub struct Screen {
    pub rows: Vec<String>,
    /// Row and column, from 0.
    pub cursor: (u16, u16),
    pub cursor_hidden: bool,
    pub alternate: bool,
    pub bracketed_paste: bool,
    pub mouse: bool,
    pub title: String,
    /// What the program last put into the clipboard (OSC 52), still in base64.
    pub clipboard: String,
}

impl Screen {
    pub fn has(&self, text: &str) -> bool {
        self.rows.iter().any(|row| row.contains(text))
    }

    /// The first row that holds `text`.
    pub fn row(&self, text: &str) -> Option<&str> {
        self.rows.iter().find(|row| row.contains(text)).map(String::as_str)
    }

    pub fn text(&self) -> String {
        self.rows.join("\n")
    }
}

impl fmt::Display for Screen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last = self.rows.iter().rposition(|row| !row.is_empty()).map_or(0, |last| last + 1);
        for row in &self.rows[..last] {
            writeln!(f, "  |{row}")?;
        }
        write!(f, "  ({} more empty rows, cursor at {:?})", self.rows.len() - last, self.cursor)
    }
}

/// What a terminal says back, and what it keeps beside its cells.
#[derive(Default)]
struct Answers {
    pending: Vec<u8>,
    title: String,
    clipboard: String,
}

impl vt100::Callbacks for Answers {
    fn set_window_title(&mut self, _: &mut vt100::Screen, title: &[u8]) {
        self.title = String::from_utf8_lossy(title).into_owned();
    }

    fn copy_to_clipboard(&mut self, _: &mut vt100::Screen, _: &[u8], data: &[u8]) {
        self.clipboard = String::from_utf8_lossy(data).into_owned();
    }

    fn unhandled_csi(&mut self, screen: &mut vt100::Screen, i1: Option<u8>, _: Option<u8>, params: &[&[u16]], c: char) {
        match (i1, params, c) {
            // Device attributes: a VT220. A program that asks waits for this.
            (None, _, 'c') => self.pending.extend(b"\x1b[?62c"),
            (None, [[6]], 'n') => {
                let (row, column) = screen.cursor_position();
                self.pending.extend(format!("\x1b[{};{}R", row + 1, column + 1).bytes());
            }
            _ => {}
        }
    }

    fn unhandled_osc(&mut self, _: &mut vt100::Screen, params: &[&[u8]]) {
        if let [b"11", b"?"] = params {
            self.pending.extend(b"\x1b]11;rgb:0000/0000/0000\x1b\\");
        }
    }
}

impl Terminal {
    /// Starts `program` in `folder` with exactly this environment.
    pub fn spawn(
        program: &str,
        arguments: &[&str],
        folder: &Path,
        environment: &[(OsString, OsString)],
        columns: u16,
        rows: u16,
    ) -> Terminal {
        let pair = native_pty_system().openpty(size(columns, rows)).expect("a pseudo-terminal");
        let mut command = CommandBuilder::new(program);
        command.args(arguments);
        command.cwd(folder);
        command.env_clear();
        for (name, value) in environment {
            command.env(name, value);
        }
        let mut child = pair.slave.spawn_command(command).unwrap_or_else(|error| panic!("{program}: {error}"));
        // Ours must be closed, or the end of the program's output is never seen.
        drop(pair.slave);
        let process = child.process_id().expect("a process id");
        let writer = Arc::new(Mutex::new(pair.master.take_writer().unwrap()));
        let emulator = vt100::Parser::new_with_callbacks(nonzero(rows), nonzero(columns), 0, Answers::default());
        let state = State { emulator, raw: Vec::new(), closed: false, ending: None };
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() });

        let mut reader = pair.master.try_clone_reader().unwrap();
        let (reading, answering) = (Arc::clone(&shared), Arc::clone(&writer));
        std::thread::spawn(move || {
            let mut chunk = [0; 16 * 1024];
            // A pseudo-terminal whose other side is gone gives an error, not an end.
            while let Ok(length @ 1..) = reader.read(&mut chunk) {
                let answers = {
                    let mut state = reading.lock();
                    state.raw.extend(&chunk[..length]);
                    state.emulator.process(&chunk[..length]);
                    std::mem::take(&mut state.emulator.callbacks_mut().pending)
                };
                if !answers.is_empty() {
                    answering.lock().unwrap().write_all(&answers).ok();
                }
                reading.changed.notify_all();
            }
            reading.lock().closed = true;
            reading.changed.notify_all();
        });
        let waiting = Arc::clone(&shared);
        std::thread::spawn(move || {
            let status = child.wait().expect("the program can be waited for");
            let ending = status.signal().map_or(Ending::Code(status.exit_code()), |signal| Ending::Signal(signal.to_owned()));
            waiting.lock().ending = Some(ending);
            waiting.changed.notify_all();
        });
        Terminal { shared, writer, master: pair.master, process, patience: PATIENCE }
    }

    /// For waits that are expected to be in vain.
    pub fn with_patience(mut self, patience: Duration) -> Terminal {
        self.patience = patience;
        self
    }

    /// Types: plain characters, and keys by name, `<cr>`, `<esc>`, `<c-c>`, `<s-tab>`, `<up>`, `<f1>`, `<lt>` for `<`.
    pub fn keys(&self, keys: &str) {
        let application = self.shared.lock().emulator.screen().application_cursor();
        self.send(&encode_keys(keys, application));
    }

    /// Pastes, bracketed when the program asked for that.
    pub fn paste(&self, text: &str) {
        let bracketed = self.shared.lock().emulator.screen().bracketed_paste();
        let bytes = if bracketed { format!("\x1b[200~{text}\x1b[201~") } else { text.replace('\n', "\r") };
        self.send(bytes.as_bytes());
    }

    fn send(&self, bytes: &[u8]) {
        let mut writer = self.writer.lock().unwrap();
        writer
            .write_all(bytes)
            .and_then(|()| writer.flush())
            .unwrap_or_else(|error| panic!("typing: {error}\n{}", self.describe()));
    }

    /// Waits until the screen fits; answers with that screen.
    pub fn wait_for(&self, fits: impl Fn(&Screen) -> bool, what: &str) -> Screen {
        self.wait_until(
            |state| Some(state.screen()).filter(|screen| fits(screen)),
            |state| state.closed && state.ending.is_some(),
            what,
        )
    }

    /// Waits until the text is on screen.
    pub fn wait_for_text(&self, text: &str) -> Screen {
        self.wait_for(|screen| screen.has(text), &format!("`{text}`"))
    }

    /// Waits until the program has ended.
    pub fn ending(&self) -> Ending {
        self.wait_until(|state| state.ending.clone().filter(|_| state.closed), |_| false, "the program's end")
    }

    /// The exit code; panics when a signal ended the program.
    pub fn exit_code(&self) -> u32 {
        match self.ending() {
            Ending::Code(code) => code,
            Ending::Signal(signal) => panic!("ended by {signal}\n{}", self.describe()),
        }
    }

    fn wait_until<T>(&self, mut get: impl FnMut(&State) -> Option<T>, hopeless: impl Fn(&State) -> bool, what: &str) -> T {
        let deadline = Instant::now() + self.patience;
        let mut state = self.shared.lock();
        loop {
            if let Some(got) = get(&state) {
                return got;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || hopeless(&state) {
                let last = state.describe();
                // A panic under the lock would poison it for the threads that still read.
                drop(state);
                panic!("waited in vain for {what}\n{last}");
            }
            state = self.shared.changed.wait_timeout(state, left).unwrap().0;
        }
    }

    pub fn screen(&self) -> Screen {
        self.shared.lock().screen()
    }

    /// Every byte that the program has written.
    pub fn raw(&self) -> Vec<u8> {
        self.shared.lock().raw.clone()
    }

    /// Whether the program wrote this, to the byte.
    pub fn wrote(&self, bytes: &[u8]) -> bool {
        self.raw().windows(bytes.len()).any(|window| window == bytes)
    }

    pub fn resize(&self, columns: u16, rows: u16) {
        self.shared.lock().emulator.set_size(nonzero(rows), nonzero(columns));
        self.master.resize(size(columns, rows)).unwrap();
    }

    /// Ends the program as a crash would: nothing is cleaned up.
    pub fn kill9(&self) {
        self.signal("KILL");
        self.ending();
    }

    /// Sends a signal, by its name without `SIG`.
    pub fn signal(&self, name: &str) {
        let status = std::process::Command::new("kill").args(["-s", name, &self.process.to_string()]).status().unwrap();
        assert!(status.success(), "kill -s {name} {}", self.process);
    }

    fn describe(&self) -> String {
        self.shared.lock().describe()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let running = self.shared.lock().ending.is_none();
        if running {
            // It may end in this moment: that it is gone is all that matters.
            let mut kill = std::process::Command::new("kill");
            kill.args(["-s", "KILL", &self.process.to_string()]).stderr(std::process::Stdio::null()).status().ok();
        }
    }
}

impl Shared {
    /// Never call this twice in one expression: the first guard lives to its end.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }
}

impl State {
    fn screen(&self) -> Screen {
        let screen = self.emulator.screen();
        let (_, columns) = screen.size();
        Screen {
            rows: screen.rows(0, columns.get()).map(|row| row.trim_end().to_owned()).collect(),
            cursor: screen.cursor_position(),
            cursor_hidden: screen.hide_cursor(),
            alternate: screen.alternate_screen(),
            bracketed_paste: screen.bracketed_paste(),
            mouse: screen.mouse_protocol_mode() != vt100::MouseProtocolMode::None,
            title: self.emulator.callbacks().title.clone(),
            clipboard: self.emulator.callbacks().clipboard.clone(),
        }
    }

    fn describe(&self) -> String {
        let ending = match &self.ending {
            None => "the program is running".to_owned(),
            Some(ending) => format!("the program ended: {ending:?}"),
        };
        format!("{ending}; the last screen:\n{}", self.screen())
    }
}

fn size(columns: u16, rows: u16) -> PtySize {
    PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }
}

fn nonzero(n: u16) -> NonZeroU16 {
    NonZeroU16::new(n).expect("a terminal has rows and columns")
}

fn encode_keys(keys: &str, application_cursor: bool) -> Vec<u8> {
    let (mut out, mut rest) = (Vec::new(), keys);
    while let Some(c) = rest.chars().next() {
        match rest.strip_prefix('<').and_then(|inner| inner.split_once('>')) {
            Some((name, after)) => {
                out.extend(encode_key(&name.to_lowercase(), application_cursor));
                rest = after;
            }
            None => {
                out.extend(c.to_string().bytes());
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    out
}

fn encode_key(name: &str, application_cursor: bool) -> Vec<u8> {
    let arrow = |letter: char| format!("\x1b{}{letter}", if application_cursor { 'O' } else { '[' });
    let text = match name {
        "cr" => "\r".to_owned(),
        "esc" => "\x1b".to_owned(),
        "tab" => "\t".to_owned(),
        "s-tab" => "\x1b[Z".to_owned(),
        "bs" => "\x7f".to_owned(),
        "del" => "\x1b[3~".to_owned(),
        "space" => " ".to_owned(),
        "lt" => "<".to_owned(),
        "up" => arrow('A'),
        "down" => arrow('B'),
        "right" => arrow('C'),
        "left" => arrow('D'),
        "home" => arrow('H'),
        "end" => arrow('F'),
        "pgup" => "\x1b[5~".to_owned(),
        "pgdn" => "\x1b[6~".to_owned(),
        "f1" => "\x1bOP".to_owned(),
        "f5" => "\x1b[15~".to_owned(),
        _ => match name.strip_prefix("c-").and_then(|letter| letter.bytes().next()).filter(u8::is_ascii_lowercase) {
            Some(letter) if name.len() == 3 => char::from(letter - b'a' + 1).to_string(),
            _ => panic!("<{name}> is no key; a plain `<` is <lt>"),
        },
    };
    text.into_bytes()
}
