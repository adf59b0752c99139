//! Drafts on disk: one file per pull request, locked, written whole, never overwritten when it cannot be read.
//! Must not know: what a draft means; `core::session` reads and renders it.

#![allow(clippy::disallowed_methods)] // files belong to runtime

use crate::core::ids::{PullNumber, RepoName};
use crate::core::session::history::{History, parse_history, render_history};
use crate::core::session::{Draft, Unreadable, parse_draft, render_draft};
use crate::core::trouble::{Trouble, TroubleKind};
use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// A draft as it was found.
pub struct Opened {
    pub draft: Draft,
    /// Its earlier states.
    pub history: History,
    pub access: Access,
    /// What the person must be told: a file that was set aside, a folder that cannot be made.
    pub greeting: Option<String>,
}

/// Whether changes are kept.
pub enum Access {
    Writable(Store),
    /// The sentence says why: another window, or a newer program.
    ReadOnly(String),
}

/// The open draft file of one pull request. The lock is held as long as this lives.
pub struct Store {
    shared: Arc<Shared>,
    writer: Option<JoinHandle<()>>,
    /// The file of earlier states is ours to write: `false` where it could not be read, or a newer program wrote it.
    keeps_history: bool,
    /// Kept open: closing the file is what ends the lock.
    _lock: Option<File>,
}

/// What the writer is to do next; a newer draft replaces one that is still waiting.
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: Option<Waiting>,
    /// Nothing is written any more once what waits is.
    closed: bool,
}

struct Waiting {
    draft: Draft,
    /// With its earlier states; `None`: the file of those is left alone.
    history: Option<History>,
    sync: bool,
    /// Everyone whose draft this one replaced is told as well.
    done: Vec<Done>,
}

/// Whoever waits for the outcome of a write. One that is dropped unanswered says so: nobody waits for ever.
struct Done(Option<Told>);

type Told = Box<dyn FnOnce(Result<(), Trouble>) + Send>;

impl Done {
    fn tell(mut self, outcome: Result<(), Trouble>) {
        if let Some(done) = self.0.take() {
            done(outcome);
        }
    }
}

impl Drop for Done {
    fn drop(&mut self) {
        if let Some(done) = self.0.take() {
            done(Err(no_writer()));
        }
    }
}

/// The thread that writes is gone, whatever ended it.
struct Ends(Arc<Shared>);

impl Drop for Ends {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.closed = true;
        let unwritten = state.waiting.take();
        drop(state);
        drop(unwritten);
    }
}

/// Where the draft of a pull request lies. Owner and name are compared without case, as GitHub does.
pub fn path(data: &Path, host: &str, repo: &RepoName, number: PullNumber) -> PathBuf {
    let folder = [host, &repo.owner, &repo.name].map(|part| part.to_ascii_lowercase().replace(['/', '\\'], "_"));
    folder.iter().fold(data.join("drafts"), |path, part| path.join(part)).join(format!("{number}.json"))
}

/// Where its earlier states lie, beside the draft.
pub fn history_path(draft: &Path) -> PathBuf {
    draft.with_extension("history.jsonl")
}

/// Reads the draft without locking or mending anything; a fresh one when there is none.
pub fn peek(path: &Path, fresh: &Draft) -> Result<Draft, Trouble> {
    match read(path) {
        Ok(Some(draft)) => Ok(draft),
        Ok(None) => Ok(fresh.clone()),
        Err(Failure::Io(error)) => Err(trouble(path, "read", &error)),
        Err(Failure::Unreadable(Unreadable::Corrupt(why))) => Err(Trouble::new(
            TroubleKind::Malformed,
            format!("The draft {} cannot be read: {why}.", path.display()),
            "Open the pull request once: the file is then set aside and a new draft begins.",
        )),
        Err(Failure::Unreadable(Unreadable::Newer(version))) => {
            Err(Trouble::new(TroubleKind::Malformed, newer(path, version), ""))
        }
    }
}

/// Opens the draft at `path` for this window, or read-only when that is not possible.
pub fn open(path: &Path, fresh: Draft) -> Opened {
    let folder = path.parent().unwrap_or(Path::new("."));
    if let Err(error) = fs::create_dir_all(folder) {
        // Work goes on in memory; every save will say what is wrong.
        let greeting = Some(format!("{} Drafts are kept in memory only.", trouble(folder, "made", &error).headline));
        let access = Access::Writable(Store::start(path.to_owned(), None, true));
        return Opened { draft: fresh, history: History::default(), access, greeting };
    }
    let lock = match lock(&path.with_extension("lock")) {
        Lock::Held(file) => Ok(file),
        Lock::Impossible => Err(format!(
            "The draft {} cannot be locked here: open this pull request in no second window, or one loses what the other writes.",
            path.display()
        )),
        Lock::Elsewhere => {
            let why =
                "Another window has this pull request open: this one is read-only. Close the other, or work there.".to_owned();
            let draft = read(path).ok().flatten().unwrap_or(fresh);
            return Opened { draft, history: History::default(), access: Access::ReadOnly(why), greeting: None };
        }
    };
    let (draft, greeting) = match read(path) {
        Ok(draft) => (draft.unwrap_or(fresh), None),
        Err(Failure::Unreadable(Unreadable::Newer(version))) => {
            let access = Access::ReadOnly(newer(path, version));
            return Opened { draft: fresh, history: History::default(), access, greeting: None };
        }
        Err(Failure::Unreadable(Unreadable::Corrupt(why))) => match set_aside(path) {
            Ok(aside) => {
                let told = format!("The draft could not be read ({why}). It was set aside as {}.", aside.display());
                (fresh, Some(told))
            }
            Err(error) => {
                let why = format!("{} It cannot be read either ({why}).", trouble(path, "set aside", &error).headline);
                return Opened { draft: fresh, history: History::default(), access: Access::ReadOnly(why), greeting: None };
            }
        },
        Err(Failure::Io(error)) => {
            let access = Access::ReadOnly(trouble(path, "read", &error).headline);
            return Opened { draft: fresh, history: History::default(), access, greeting: None };
        }
    };
    let (history, is_ours, told) = read_history(&history_path(path));
    let (lock, unlocked) = match lock {
        Ok(file) => (Some(file), None),
        Err(why) => (None, Some(why)),
    };
    let said: Vec<String> = [greeting, told, unlocked].into_iter().flatten().collect();
    let greeting = Some(said.join(" ")).filter(|said| !said.is_empty());
    Opened { draft, history, access: Access::Writable(Store::start(path.to_owned(), lock, is_ours)), greeting }
}

/// The draft's earlier states, and whether their file may be written. One of which something cannot be read is set aside; the
/// states that can are kept. What a newer program wrote, or what cannot be read at all, is left alone.
fn read_history(path: &Path) -> (History, bool, Option<String>) {
    const LEFT: &str = "Steps back are kept in memory only.";
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return (History::default(), true, None),
        Err(error) => {
            let why = trouble(path, "read", &error).headline;
            return (History::default(), false, Some(format!("{why} {LEFT}")));
        }
    };
    let found = parse_history(&bytes);
    if found.is_newer() {
        let told =
            format!("The draft's history {} was written by a newer countersign: it is left alone. {LEFT}", path.display());
        return (found.history, false, Some(told));
    }
    let told = found.apart.first().map(|apart| match set_aside(path) {
        Ok(aside) => format!("{} The file was set aside as {}.", apart.sentence(), aside.display()),
        Err(error) => format!("{} {}", apart.sentence(), trouble(path, "set aside", &error).headline),
    });
    (found.history, true, told)
}

impl Store {
    fn start(path: PathBuf, lock: Option<File>, keeps_history: bool) -> Store {
        let shared = Arc::new(Shared { state: Mutex::default(), changed: Condvar::new() });
        // Where no thread can be started it ends at once.
        let end = Ends(Arc::clone(&shared));
        let writer = std::thread::Builder::new().name("drafts".into()).spawn(move || end.0.write_all(&path)).ok();
        Store { shared, writer, keeps_history, _lock: lock }
    }

    /// Writes the draft soon; `done` is told from another thread when it is on disk, or why not.
    pub fn save(&self, draft: Draft, sync: bool, done: impl FnOnce(Result<(), Trouble>) + Send + 'static) {
        self.save_with(draft, None, sync, done);
    }

    /// The same with the draft's earlier states, which are worth less than the draft: that they cannot be written is a
    /// line of the log.
    pub fn save_with(
        &self,
        draft: Draft,
        history: Option<History>,
        sync: bool,
        done: impl FnOnce(Result<(), Trouble>) + Send + 'static,
    ) {
        let done = Done(Some(Box::new(done)));
        let history = history.filter(|_| self.keeps_history);
        let mut state = self.shared.lock();
        if state.closed {
            drop(state);
            return drop(done);
        }
        let (mut replaced, was_sync, older) =
            state.waiting.take().map_or((Vec::new(), false, None), |old| (old.done, old.sync, old.history));
        replaced.push(done);
        state.waiting = Some(Waiting { draft, history: history.or(older), sync: sync || was_sync, done: replaced });
        drop(state);
        self.shared.changed.notify_all();
    }
}

impl Drop for Store {
    /// What waits is written before the lock goes.
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.changed.notify_all();
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

impl Shared {
    /// A writer that panicked leaves a whole state behind: it holds no lock while it works.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The writer's life: sleeps until a draft waits, ends when the store closes.
    fn write_all(&self, path: &Path) {
        loop {
            let mut state = self.lock();
            let next = loop {
                if let Some(next) = state.waiting.take() {
                    break next;
                }
                if state.closed {
                    return;
                }
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            };
            drop(state);
            let result = write(path, render_draft(&next.draft).as_bytes(), next.sync);
            let kept = next.history.map(|history| write(&history_path(path), render_history(&history).as_bytes(), false));
            if let Some(Err(trouble)) = kept {
                tracing::warn!("{}", trouble.sentence());
            }
            for done in next.done {
                done.tell(result.clone());
            }
        }
    }
}

/// Replaces the file as a whole: after a crash either the old or the new text is there.
/// `sync`: also after the machine lost its power.
fn write(path: &Path, text: &[u8], sync: bool) -> Result<(), Trouble> {
    let attempt = || -> std::io::Result<()> {
        let folder = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(text)?;
        if sync {
            file.as_file().sync_all()?;
        }
        file.persist(path).map_err(|error| error.error)?;
        if sync {
            // The new name belongs to the folder.
            File::options().read(true).open(folder)?.sync_all()?;
        }
        Ok(())
    };
    attempt().map_err(|error| trouble(path, "written", &error))
}

enum Failure {
    Io(std::io::Error),
    Unreadable(Unreadable),
}

fn read(path: &Path) -> Result<Option<Draft>, Failure> {
    match fs::read(path) {
        Ok(bytes) => parse_draft(&bytes).map(Some).map_err(Failure::Unreadable),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::Io(error)),
    }
}

enum Lock {
    Held(File),
    Elsewhere,
    /// The file system knows no locks, or the file cannot be made.
    Impossible,
}

fn lock(path: &Path) -> Lock {
    let Ok(file) = File::options().create(true).truncate(false).write(true).open(path) else { return Lock::Impossible };
    match file.try_lock() {
        Ok(()) => Lock::Held(file),
        Err(TryLockError::WouldBlock) => Lock::Elsewhere,
        Err(TryLockError::Error(_)) => Lock::Impossible,
    }
}

/// Renames the file to `….corrupt-<n>`, with the first number that is free.
fn set_aside(path: &Path) -> std::io::Result<PathBuf> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut number = 1u32;
    loop {
        let aside = path.with_file_name(format!("{name}.corrupt-{number}"));
        if !aside.try_exists()? {
            fs::rename(path, &aside)?;
            return Ok(aside);
        }
        number += 1;
    }
}

fn no_writer() -> Trouble {
    let why = "The draft cannot be written: the thread that writes it has ended, or could not be started.";
    Trouble::new(TroubleKind::TooLarge, why, "Close other programs and start again.")
}

fn newer(path: &Path, version: u32) -> String {
    format!(
        "The draft {} was written by a newer countersign (schema {version}): it is read-only here. Use that version.",
        path.display()
    )
}

fn trouble(path: &Path, verb: &str, error: &std::io::Error) -> Trouble {
    let (kind, hint) = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            (TroubleKind::TooLarge, "Free some space; your text is still here and is written at the next change.")
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            (TroubleKind::Access, "Make it writable, or name another folder with COUNTERSIGN_DATA_DIR.")
        }
        _ => (TroubleKind::Refused, "Your text is still here; name another folder with COUNTERSIGN_DATA_DIR if this stays so."),
    };
    // The reason first: the line may be clipped. A temporary file's name helps nobody.
    let told = error.to_string();
    let reason = told.split(" at path ").next().unwrap_or_default();
    Trouble::new(kind, format!("{reason}: {} cannot be {verb}.", path.display()), hint)
}
