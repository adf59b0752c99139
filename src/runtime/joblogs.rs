//! Logs of jobs on disk: brought here once, kept within bounds, and read by lines, windows and searches.
//! Must not know: what a log says, or who looks at it.
//!
//! Only the log of a job that has ended can be had, and it never changes: what is kept is not asked for again.

#![allow(clippy::disallowed_methods)] // files belong to runtime

use super::connect::Connection;
use crate::app::screens::joblog::{Asked, Piece};
use crate::core::ids::{JobId, RepoName};
use crate::core::joblog::{Fingerprint, Index, Needle, Search, fingerprint};
use crate::core::steps::Steps;
use crate::core::trouble::{Trouble, TroubleKind};
use crate::github::{Drain, Freshness, LARGEST_LOG};
use std::fs::{self, File, Permissions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::os::unix::fs::{DirBuilderExt, FileExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::SystemTime;
use tempfile::{NamedTempFile, TempDir};

/// Under the cache folder; nothing outside of it is touched.
const FOLDER: &str = "logs";
const UNFINISHED: &str = ".new-";
/// Bytes of all kept logs together; the one that was read last stays in any case.
const ROOM: u64 = 500 << 20;
/// Bytes of a log's end that are shown before its lines are counted.
const TAIL: u64 = 256 << 10;
/// Bytes of a log that is brought here for its end alone.
const FOR_ITS_END: usize = 64 << 20;
/// Bytes that are read at once.
const BLOCK: usize = 256 << 10;
/// Bytes between two words about how far it has come.
const STRIDE: u64 = 1 << 20;

/// The kept logs of one host.
pub struct JobLogs {
    /// With the host's name at its end.
    folder: PathBuf,
    /// The folder is ours alone, and goes with us.
    _own: Option<TempDir>,
    room: u64,
}

/// How much is kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Size {
    pub logs: u64,
    pub bytes: u64,
}

impl JobLogs {
    /// Kept under the cache folder; without one, for as long as the program runs.
    pub fn of(cache: Option<&Path>, host: &str) -> JobLogs {
        let own = if cache.is_none() { tempfile::tempdir().ok() } else { None };
        let there = cache.or(own.as_ref().map(TempDir::path)).map_or_else(std::env::temp_dir, Path::to_owned);
        JobLogs { folder: there.join(FOLDER).join(host.replace('/', "_")), _own: own, room: ROOM }
    }

    fn path(&self, repo: &RepoName, job: JobId) -> PathBuf {
        self.folder.join(&repo.owner).join(&repo.name).join(format!("{job}.log"))
    }

    /// Does what was asked, and says what comes of it.
    pub async fn answer(
        self: Arc<Self>,
        connection: &Connection,
        repo: &RepoName,
        asked: Asked,
        say: impl Fn(Piece) + Clone + Send + Sync + 'static,
    ) {
        let done = match asked {
            Asked::Open { job, steps } => {
                let coming = say.clone();
                match self.fetch(connection, repo, job, LARGEST_LOG, move |got, of| coming(Piece::Coming { got, of })).await {
                    Ok(path) => show(path, steps, say.clone()).await,
                    Err(trouble) => Err(trouble),
                }
            }
            Asked::Lines { job, ranges } => {
                let path = self.path(repo, job);
                on_a_worker(move |_| lines(&path, &ranges)).await.map(|lines| say(Piece::Lines(lines)))
            }
            Asked::Search { job, needle } => {
                let path = self.path(repo, job);
                on_a_worker(move |wanted| search(&path, needle, wanted)).await.map(|found| say(Piece::Found(found.finish())))
            }
        };
        if let Err(trouble) = done {
            say(Piece::Failed(trouble));
        }
    }

    /// What a job failed of, by the end of its log.
    pub async fn reason(&self, connection: &Connection, repo: &RepoName, job: JobId) -> Result<Option<Fingerprint>, Trouble> {
        let path = self.fetch(connection, repo, job, FOR_ITS_END, |_, _| {}).await?;
        on_a_worker(move |_| Ok(fingerprint(&String::from_utf8_lossy(&tail(&path)?.1)))).await
    }

    /// The file with a job's log of at most so many bytes, from GitHub unless it is kept. `said` is told bytes so far, of how many.
    pub async fn fetch(
        &self,
        connection: &Connection,
        repo: &RepoName,
        job: JobId,
        most: usize,
        said: impl Fn(u64, Option<u64>) + Send + Sync + 'static,
    ) -> Result<PathBuf, Trouble> {
        let path = self.path(repo, job);
        if let Ok(kept) = File::options().append(true).open(&path) {
            // What is removed first is what was not looked at for longest.
            let _ = kept.set_modified(SystemTime::now());
            return Ok(path);
        }
        let folder = path.parent().unwrap_or(&self.folder);
        let unfinished =
            || tempfile::Builder::new().prefix(UNFINISHED).permissions(Permissions::from_mode(0o600)).tempfile_in(folder);
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).and_then(|()| unfinished());
        let file = made.map_err(|error| unusable(&error))?;
        let writing = Arc::new(Writing {
            file: Mutex::new(Some(file)),
            got: AtomicU64::new(0),
            of: Mutex::new(None),
            said: Box::new(said),
        });
        let freshness = if connection.is_offline() { Freshness::CacheOnly } else { Freshness::Network };
        connection.client().await?.with(freshness).job_log(repo, job, most, writing.clone()).await?;
        let file = hold(&writing.file).take().ok_or_else(|| unusable(&io::ErrorKind::NotFound.into()))?;
        file.persist(&path).map_err(|error| unusable(&error.error))?;
        self.make_room(&path);
        Ok(path)
    }

    /// Removes what was not looked at for longest until the rest fits; `newest` stays.
    fn make_room(&self, newest: &Path) {
        let Some(root) = self.folder.parent() else { return };
        let mut known: Vec<_> = files(root)
            .into_iter()
            .filter(|(path, _)| path != newest)
            .map(|(path, meta)| (meta.modified().unwrap_or(SystemTime::UNIX_EPOCH), meta.len(), path))
            .collect();
        let mut total = known.iter().map(|(_, len, _)| len).sum::<u64>() + fs::metadata(newest).map_or(0, |meta| meta.len());
        known.sort();
        for (_, len, path) in known {
            if total <= self.room {
                break;
            }
            if fs::remove_file(&path).is_ok() {
                total -= len;
            }
        }
    }

    /// Copies a log that was read into the working folder, whole or not at all; the sentence names the file.
    pub fn save(&self, repo: &RepoName, job: JobId) -> Result<String, Trouble> {
        save_into(Path::new("."), &self.path(repo, job), job)
    }
}

fn save_into(folder: &Path, path: &Path, job: JobId) -> Result<String, Trouble> {
    let name = format!("job-{job}.log");
    let copied = || -> io::Result<()> {
        let mut file = NamedTempFile::new_in(folder)?;
        io::copy(&mut File::open(path)?, &mut file)?;
        file.persist(folder.join(&name)).map(drop).map_err(|error| error.error)
    };
    match copied() {
        Ok(()) => Ok(format!("Written here: {name}.")),
        Err(error) => {
            let headline = format!("{name} cannot be written here: {error}.");
            Err(Trouble::new(TroubleKind::Refused, headline, "Start countersign in a folder of yours."))
        }
    }
}

/// A log on its way to its file.
struct Writing {
    file: Mutex<Option<NamedTempFile>>,
    got: AtomicU64,
    of: Mutex<Option<u64>>,
    said: Box<dyn Fn(u64, Option<u64>) + Send + Sync>,
}

impl Drain for Writing {
    fn begin(&self, bytes: Option<u64>) -> io::Result<()> {
        *hold(&self.of) = bytes;
        self.got.store(0, Relaxed);
        (self.said)(0, bytes);
        self.with_file(|file| {
            file.set_len(0)?;
            file.seek(SeekFrom::Start(0)).map(drop)
        })
    }

    fn take(&self, piece: &[u8]) -> io::Result<()> {
        let before = self.got.fetch_add(piece.len() as u64, Relaxed);
        let got = before + piece.len() as u64;
        if before / STRIDE != got / STRIDE {
            (self.said)(got, *hold(&self.of));
        }
        self.with_file(|file| file.write_all(piece))
    }
}

impl Writing {
    fn with_file(&self, job: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
        let mut file = hold(&self.file);
        file.as_mut().map_or_else(|| Err(io::ErrorKind::NotFound.into()), |file| job(file.as_file_mut()))
    }
}

fn hold<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Shows the end of a log at once, then where all its lines are.
async fn show(path: PathBuf, steps: Steps, say: impl Fn(Piece) + Send + 'static) -> Result<(), Trouble> {
    let index = on_a_worker(move |wanted| {
        let (from, bytes) = tail(&path)?;
        say(Piece::Tail { from, bytes: bytes.into() });
        let index = index(&path, steps, wanted)?;
        say(Piece::Indexed(Arc::new(index)));
        Ok(())
    });
    index.await
}

/// Whether somebody still waits for what a worker does.
type Wanted = Weak<()>;

/// Runs what reads files. It may end early once its caller has gone; then its answer goes nowhere.
async fn on_a_worker<T: Send + 'static>(job: impl FnOnce(&Wanted) -> io::Result<T> + Send + 'static) -> Result<T, Trouble> {
    let waiting = Arc::new(());
    let wanted = Arc::downgrade(&waiting);
    let done = tokio::task::spawn_blocking(move || job(&wanted)).await;
    drop(waiting);
    done.unwrap_or_else(|_| Err(io::ErrorKind::Other.into())).map_err(|error| unusable(&error))
}

fn unusable(error: &io::Error) -> Trouble {
    let headline = match error.kind() {
        io::ErrorKind::NotFound => "The log is not on the disk any more.".to_owned(),
        _ => format!("The log cannot be kept or read on this disk: {error}."),
    };
    Trouble::new(TroubleKind::Refused, headline, "Ask for it again; COUNTERSIGN_CACHE_DIR names another folder.")
}

/// The last lines of a file and where they begin; of a line that is longer than what is read, its end.
fn tail(path: &Path) -> io::Result<(u64, Vec<u8>)> {
    let mut file = File::open(path)?;
    let from = file.metadata()?.len().saturating_sub(TAIL);
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes)?;
    let cut = if from == 0 { 0 } else { bytes.iter().position(|byte| *byte == b'\n').map_or(0, |at| at + 1) };
    bytes.drain(..cut);
    Ok((from + cut as u64, bytes))
}

/// Gives a file to `take`, block by block.
fn blocks(path: &Path, wanted: &Wanted, mut take: impl FnMut(&[u8])) -> io::Result<()> {
    let mut file = File::open(path)?;
    let mut block = vec![0; BLOCK];
    loop {
        match file.read(&mut block)? {
            0 => return Ok(()),
            _ if wanted.strong_count() == 0 => return Err(io::ErrorKind::Interrupted.into()),
            got => take(block.get(..got).unwrap_or_default()),
        }
    }
}

fn index(path: &Path, steps: Steps, wanted: &Wanted) -> io::Result<Index> {
    let mut index = Index::of(steps);
    blocks(path, wanted, |block| index.push(block))?;
    Ok(index.finish())
}

fn search(path: &Path, needle: Needle, wanted: &Wanted) -> io::Result<Search> {
    let mut search = Search::new(needle);
    blocks(path, wanted, |block| search.push(block))?;
    Ok(search)
}

/// The bytes of these ranges of a file, each with its offset.
fn lines(path: &Path, ranges: &[Range<u64>]) -> io::Result<Vec<(u64, Vec<u8>)>> {
    let file = File::open(path)?;
    let read = |range: &Range<u64>| {
        let mut bytes = vec![0; usize::try_from(range.end.saturating_sub(range.start)).unwrap_or(0)];
        file.read_exact_at(&mut bytes, range.start).map(|()| (range.start, bytes))
    };
    ranges.iter().map(read).collect()
}

/// The index of a log that was fetched, and its lines by their numbers: for who waits on this thread.
pub struct Opened {
    file: File,
    pub index: Index,
}

impl Opened {
    /// Reads a file through once.
    pub fn read(path: &Path, steps: Steps) -> Result<Opened, Trouble> {
        let wanted = Arc::new(());
        let opened =
            index(path, steps, &Arc::downgrade(&wanted)).and_then(|index| Ok(Opened { file: File::open(path)?, index }));
        opened.map_err(|error| unusable(&error))
    }

    /// Up to `most` bytes of a line, and whether it goes on; nothing beyond the last line.
    pub fn line(&self, line: usize, most: usize) -> Result<(Vec<u8>, bool), Trouble> {
        let range = self.index.range(line).unwrap_or_default();
        let len = usize::try_from(range.end - range.start).unwrap_or(usize::MAX);
        let mut bytes = vec![0; len.min(most)];
        self.file.read_exact_at(&mut bytes, range.start).map_err(|error| unusable(&error))?;
        Ok((bytes, len > most))
    }
}

/// What is kept in this cache folder.
pub fn size(cache: &Path) -> Size {
    let add = |size: Size, (_, meta): (PathBuf, fs::Metadata)| Size { logs: size.logs + 1, bytes: size.bytes + meta.len() };
    files(&cache.join(FOLDER)).into_iter().fold(Size::default(), add)
}

/// Removes every kept log from this cache folder; says what there was.
pub fn clear(cache: &Path) -> io::Result<Size> {
    let size = size(cache);
    for (path, _) in files(&cache.join(FOLDER)) {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(size)
}

/// Our files below a folder: logs at `host/owner/name/job.log`, finished or not. Those of others are left alone.
fn files(root: &Path) -> Vec<(PathBuf, fs::Metadata)> {
    let inside = |folder: &PathBuf| fs::read_dir(folder).into_iter().flatten().flatten().collect::<Vec<_>>();
    let mut folders = vec![root.to_owned()];
    for _ in ["host", "owner", "name"] {
        // A link is not followed: what it leads to is not ours.
        let is_folder = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
        folders = folders.iter().flat_map(inside).filter(is_folder).map(|entry| entry.path()).collect();
    }
    let is_ours = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let job = name.strip_suffix(".log").is_some_and(|job| !job.is_empty() && job.bytes().all(|byte| byte.is_ascii_digit()));
        job || name.starts_with(UNFINISHED)
    };
    let files = folders.iter().flat_map(inside).filter(|entry| is_ours(&entry.path()));
    files.filter_map(|entry| Some((entry.path(), entry.metadata().ok().filter(fs::Metadata::is_file)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn repo() -> RepoName {
        RepoName { owner: "o".into(), name: "r".into() }
    }

    /// A kept log of so many bytes that was looked at so many minutes ago.
    fn keep(logs: &JobLogs, job: u64, bytes: usize, minutes: u64) -> PathBuf {
        let path = logs.path(&repo(), JobId(job));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, vec![b'x'; bytes]).unwrap();
        let file = File::options().append(true).open(&path).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(60 * minutes)).unwrap();
        path
    }

    #[test]
    fn what_was_not_looked_at_for_longest_goes_first_and_the_newest_stays() {
        let folder = tempfile::tempdir().unwrap();
        let logs = JobLogs { room: 250, ..JobLogs::of(Some(folder.path()), "h:80") };
        let of_another = JobLogs { room: 250, ..JobLogs::of(Some(folder.path()), "other") };
        let (one, two, three) = (keep(&logs, 1, 100, 3), keep(&of_another, 2, 100, 2), keep(&logs, 3, 100, 1));
        let alien = one.with_file_name("notes.txt");
        fs::write(&alien, "mine").unwrap();
        logs.make_room(&three);
        assert_eq!([&one, &two, &three, &alien].map(|path| path.exists()), [false, true, true, true]);
        let huge = keep(&logs, 4, 1000, 0);
        logs.make_room(&huge);
        assert_eq!(size(folder.path()), Size { logs: 1, bytes: 1000 });
        assert_eq!(clear(folder.path()).unwrap(), Size { logs: 1, bytes: 1000 });
        assert!(alien.exists() && !huge.exists() && size(&folder.path().join("none")) == Size::default());
    }

    #[test]
    fn the_end_of_a_file_begins_with_a_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let table: [(Vec<u8>, u64, usize); 4] = [
            (Vec::new(), 0, 0),
            (b"a\nb".to_vec(), 0, 3),
            ([vec![b'x'; 10], b"\n".to_vec(), vec![b'y'; TAIL as usize - 5]].concat(), 11, TAIL as usize - 5),
            (vec![b'x'; TAIL as usize + 7], 7, TAIL as usize),
        ];
        for (text, from, len) in table {
            fs::write(&path, &text).unwrap();
            let (at, bytes) = tail(&path).unwrap();
            assert_eq!((at, bytes.len()), (from, len));
            assert!(text.ends_with(&bytes));
        }
    }

    #[test]
    fn a_log_is_copied_whole_or_the_sentence_says_why_not() {
        let folder = tempfile::tempdir().unwrap();
        let from = folder.path().join("kept");
        fs::write(&from, b"\xff text").unwrap();
        assert_eq!(save_into(folder.path(), &from, JobId(5)).unwrap(), "Written here: job-5.log.");
        assert_eq!(fs::read(folder.path().join("job-5.log")).unwrap(), b"\xff text");
        let trouble = save_into(folder.path(), &folder.path().join("none"), JobId(6)).unwrap_err();
        assert!(trouble.headline.starts_with("job-6.log cannot be written here"), "{trouble:?}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn nobody_waits_for_a_worker_whose_answer_is_not_wanted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        fs::write(&path, "a\n").unwrap();
        assert!(index(&path, Steps::default(), &Weak::new()).is_err());
    }
}
