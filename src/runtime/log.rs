//! The log: a file in the state folder to which every running copy of the program appends, bounded in size and number.
//! Must not know: what is worth a line, or how lines are shown.
//!
//! Only this program's own words are kept: what libraries say may hold signed addresses. Nobody logs headers, bodies or
//! texts of strangers; should a token slip into a line all the same, `without_secrets` takes it out.

#![allow(clippy::disallowed_methods)] // files belong to runtime

use super::clock;
use crate::app::screens::log::Tail;
use crate::cli::LogLevel;
use crate::core::text::gate;
use crate::core::trouble::{Trouble, TroubleKind};
use regex::Regex;
use std::borrow::Cow;
use std::fmt;
use std::fs::{self, DirBuilder, File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::panic::PanicHookInfo;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::{FormatEvent, FormatFields, Writer};
use tracing_subscriber::fmt::{FmtContext, layer};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;

const NAME: &str = "countersign.log";
/// Bytes of one file; a full one becomes `….log.1`, and so on up to [`KEPT`].
const MOST_BYTES: u64 = 1 << 20;
/// Full files that are kept.
const KEPT: u32 = 3;
/// Bytes that are shown.
const TAIL: u64 = 64 << 10;
/// Columns of one line.
const MOST_COLS: usize = 1000;

/// The log of this process, once it is begun.
static LOG: OnceLock<Arc<Log>> = OnceLock::new();

/// Begins the log in this folder. Panics go there too from now on. A trouble says why nothing is kept: the program goes
/// on without.
pub fn begin(folder: Option<&Path>, level: LogLevel) -> Result<(), Trouble> {
    let hint = "Name a folder that can be written with COUNTERSIGN_STATE_DIR.";
    let Some(folder) = folder else {
        return Err(Trouble::new(TroubleKind::Refused, "Nothing is logged: there is no folder for it.", hint));
    };
    let log = Log::open(folder, MOST_BYTES).map_err(|error| {
        let headline = format!("Nothing is logged: {} cannot be written: {error}.", folder.join(NAME).display());
        Trouble::new(TroubleKind::Refused, headline, hint)
    })?;
    let log = Arc::new(log);
    let lines = layer().event_format(Lines).log_internal_errors(false).with_writer(Arc::clone(&log));
    let own = Targets::new().with_target(env!("CARGO_CRATE_NAME"), level_of(level));
    if LOG.set(log).is_ok() {
        // A second subscriber is refused, and there is none.
        let _ = tracing::subscriber::set_global_default(tracing_subscriber::registry().with(lines).with(own));
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            note_panic(info);
            usual(info);
        }));
    }
    Ok(())
}

fn level_of(level: LogLevel) -> Level {
    match level {
        LogLevel::Error => Level::ERROR,
        LogLevel::Warn => Level::WARN,
        LogLevel::Info => Level::INFO,
        LogLevel::Debug => Level::DEBUG,
        LogLevel::Trace => Level::TRACE,
    }
}

/// Keeps where and why a thread panicked.
pub fn note_panic(info: &PanicHookInfo<'_>) {
    let at = info.location().map_or_else(String::new, ToString::to_string);
    let thread = std::thread::current().name().unwrap_or("unnamed").to_owned();
    // Of a panic over a text, the text itself stands behind: it may be a stranger's.
    let payload = info.payload();
    let said = payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
    let said = said.unwrap_or_default().split('`').next().unwrap_or_default();
    tracing::error!(at, thread, "panicked: {said}");
}

/// The newest lines and where they are kept.
pub fn tail() -> Result<Tail, Trouble> {
    let none = || Trouble::new(TroubleKind::NotFound, "Nothing is logged: the log could not be begun.", "");
    LOG.get().ok_or_else(none)?.tail()
}

/// Why lines were lost, if any were.
pub fn lost() -> Option<String> {
    let log = LOG.get()?;
    let why = log.state.lock().unwrap_or_else(PoisonError::into_inner).lost.take()?;
    Some(format!("Not everything was logged: {} could not be written: {why}.", log.path.display()))
}

/// One line per event: time, process, level, what was said, fields. Line ends and escapes in it become marks.
struct Lines;

impl<S, N> FormatEvent<S, N> for Lines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, ctx: &FmtContext<'_, S, N>, mut writer: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let mut said = String::new();
        ctx.field_format().format_fields(Writer::new(&mut said), event)?;
        let said = without_secrets(&said);
        let time = clock::wall().format("%Y-%m-%dT%H:%M:%S%.3fZ");
        let (process, level) = (std::process::id(), event.metadata().level());
        writeln!(writer, "{time} {process} {level:5} {}", gate::line_capped(&said, MOST_COLS))
    }
}

/// The text without what looks like a token or a signature.
fn without_secrets(text: &str) -> Cow<'_, str> {
    static SECRETS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let tokens = r"gh[pousr]_[A-Za-z0-9_]+|github_pat_[A-Za-z0-9_]+|\b[^\s/:@]+:[^\s/@]+@";
        let named = r"(?:authorization[ =:]+)?(?:bearer|basic)[ =:]+[^\s&]+|(?:authorization|token)[=:]+ *[^\s&]+";
        let signed = r"[?&](?:sig|se|skoid|x-amz-[a-z-]+|signature|jwt|access_token)=[^\s&]+";
        Regex::new(&format!("(?i){tokens}|{named}|{signed}")).ok()
    });
    match &*SECRETS {
        Some(secrets) => secrets.replace_all(text, "…"),
        None => Cow::Borrowed("…"),
    }
}

/// The file that is appended to. Several processes may do so at once: a line is one write.
struct Log {
    path: PathBuf,
    most: u64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    file: Option<File>,
    /// Why a line could not be written.
    lost: Option<String>,
}

impl Log {
    fn open(folder: &Path, most: u64) -> io::Result<Log> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let log = Log { path: folder.join(NAME), most, state: Mutex::default() };
        log.state.lock().unwrap_or_else(PoisonError::into_inner).file = Some(log.current()?);
        Ok(log)
    }

    /// The file of this name, which another process may just have begun anew.
    fn current(&self) -> io::Result<File> {
        File::options().create(true).append(true).mode(0o600).open(&self.path)
    }

    fn older(&self, number: u32) -> PathBuf {
        self.path.with_extension(format!("log.{number}"))
    }

    fn append(&self, state: &mut State, line: &[u8]) -> io::Result<()> {
        let room = |file: &File| Ok::<_, io::Error>(file.metadata()?.len() + line.len() as u64 <= self.most);
        let mut file = match state.file.take() {
            Some(file) if room(&file)? => file,
            _ => {
                let file = self.current()?;
                if room(&file)? || !self.turn()? { file } else { self.current()? }
            }
        };
        file.write_all(line)?;
        state.file = Some(file);
        Ok(())
    }

    /// Puts the full file aside; `false` when another process is doing just that.
    fn turn(&self) -> io::Result<bool> {
        let lock = File::options().create(true).append(true).mode(0o600).open(self.path.with_extension("lock"))?;
        if let Err(TryLockError::WouldBlock) = lock.try_lock() {
            return Ok(false);
        }
        // Seen again under the lock: it may have been done already.
        if fs::metadata(&self.path)?.len() >= self.most / 2 {
            for number in (1..KEPT).rev() {
                if self.older(number).try_exists()? {
                    fs::rename(self.older(number), self.older(number + 1))?;
                }
            }
            fs::rename(&self.path, self.older(1))?;
        }
        Ok(true)
    }

    fn tail(&self) -> Result<Tail, Trouble> {
        let path = self.path.display().to_string();
        let mut bytes = last(&self.path, TAIL).map_err(|error| {
            Trouble::new(TroubleKind::Refused, format!("The log {path} cannot be read: {error}."), "Look at it from a shell.")
        })?;
        let missing = TAIL.saturating_sub(bytes.len() as u64);
        if let Ok(mut before) = last(&self.older(1), missing) {
            before.append(&mut bytes);
            bytes = before;
        }
        let text = String::from_utf8_lossy(&bytes);
        Ok(Tail { path, lines: text.lines().map(|line| gate::line(line).into_owned()).collect() })
    }
}

/// At most the last `most` bytes of a file, from the beginning of a line.
fn last(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut file = File::options().read(true).open(path)?;
    let skipped = file.metadata()?.len().saturating_sub(most);
    file.seek(SeekFrom::Start(skipped))?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    if skipped > 0 {
        let begin = bytes.iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |at| at + 1);
        bytes.drain(..begin);
    }
    Ok(bytes)
}

impl Write for &Log {
    /// Never fails: a full disk stops no work. What was lost is told at the end.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = self.append(&mut state, line) {
            state.lost = Some(error.to_string());
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn files_are_bounded_and_the_persons_own() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("a/state");
        let (one, two) = (Log::open(&folder, 100).unwrap(), Log::open(&folder, 100).unwrap());
        for number in 0..200 {
            let line = format!("line {number:03}\n");
            (&one).write_all(line.as_bytes()).unwrap();
            (&two).write_all(line.replace("line", "LINE").as_bytes()).unwrap();
        }
        let mut files: Vec<String> =
            fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        files.sort();
        assert_eq!(
            files,
            ["countersign.lock", "countersign.log", "countersign.log.1", "countersign.log.2", "countersign.log.3"]
        );
        for file in &files {
            assert_eq!(mode(&folder.join(file)), 0o600, "{file}");
            assert!(fs::metadata(folder.join(file)).unwrap().len() <= 100, "{file}");
        }
        assert_eq!(mode(&folder), 0o700);
        // Nothing is lost between the files, whoever turned them.
        let tail = one.tail().unwrap();
        assert_eq!(&tail.lines[tail.lines.len() - 4..], ["line 198", "LINE 198", "line 199", "LINE 199"]);
        assert_eq!(one.state.lock().unwrap().lost, None);
    }

    #[test]
    fn a_log_that_cannot_be_written_loses_lines_and_nothing_else() {
        let home = tempfile::tempdir().unwrap();
        let blocked = home.path().join("file");
        fs::write(&blocked, "").unwrap();
        assert!(Log::open(&blocked, 100).is_err());
        let folder = home.path().join("state");
        let log = Log::open(&folder, 10).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        for _ in 0..3 {
            (&log).write_all(b"a line that does not fit\n").unwrap();
        }
        assert!(log.state.lock().unwrap().lost.is_some());
    }

    #[test]
    fn the_tail_begins_with_a_whole_line_and_is_gated() {
        let home = tempfile::tempdir().unwrap();
        let log = Log::open(home.path(), MOST_BYTES).unwrap();
        for number in 0..9000 {
            (&log).write_all(format!("{number} \u{1b}[31mred\n").as_bytes()).unwrap();
        }
        let tail = log.tail().unwrap();
        assert_eq!(tail.lines.last().map(String::as_str), Some("8999 ^[[31mred"));
        assert!(tail.lines[0].ends_with(" ^[[31mred") && tail.lines.len() < 9000, "{}", tail.lines[0]);
    }

    #[test]
    fn what_looks_like_a_secret_is_taken_out() {
        for (text, kept) in [
            ("gave ghp_abcDEF123 away", "gave … away"),
            ("x github_pat_11AA_bb y", "x … y"),
            ("Authorization: Bearer abc", "…"),
            ("authorization: abc x", "… x"),
            ("api https://me:word@ghe.example.org/api/v3", "api https://…ghe.example.org/api/v3"),
            ("The token is wrong; see 12:30:01Z at h:443", "The token is wrong; see 12:30:01Z at h:443"),
            ("GET /a?page=2&sig=abc%3D&x=1", "GET /a?page=2…&x=1"),
            ("GET /repos/o/r 200", "GET /repos/o/r 200"),
        ] {
            assert_eq!(without_secrets(text), kept, "{text}");
        }
    }

    /// A line is one line, whatever is in it, and nobody else's words are kept.
    #[test]
    fn a_line_is_one_line_of_our_own() {
        let home = tempfile::tempdir().unwrap();
        let log = Arc::new(Log::open(home.path(), MOST_BYTES).unwrap());
        let lines = layer().event_format(Lines).with_writer(Arc::clone(&log));
        let own = Targets::new().with_target(env!("CARGO_CRATE_NAME"), Level::INFO);
        tracing::subscriber::with_default(tracing_subscriber::registry().with(lines).with(own), || {
            tracing::info!(path = %"/a\nb\u{1b}[2J", token = %"ghp_secret", "asked");
            tracing::debug!("too quiet");
            tracing::error!(target: "hyper_util::client", "https://blob/?sig=1");
        });
        let tail = log.tail().unwrap();
        let [line] = &tail.lines[..] else { panic!("{:?}", tail.lines) };
        assert!(line.contains(" INFO  asked path=/a") && !line.contains("secret"), "{line}");
        assert_eq!(line.split(' ').nth(1), Some(std::process::id().to_string().as_str()));
    }
}
