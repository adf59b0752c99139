//! Kept answers on disk: one file per answer, replaced as a whole, bounded in size, dropped when it does not fit.
//! Must not know: which answers are kept, or what they say.
//!
//! A file is one line of JSON (what it answers, from when, how long its body is) and the body as it came. Its name is the
//! digest of its key. Several programs may share the folder: a file appears by renaming, and only the time of its last
//! confirmation, which has a fixed width, is ever written in place.

#![allow(clippy::disallowed_methods)] // files belong to runtime

use crate::core::time::Time;
use crate::github::shelf::{Kept, Key, Shelf, Soon};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::{self, File, Permissions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, SystemTime};

const SCHEMA: u32 = 1;
/// Under the cache folder; nothing outside of it is touched.
const FOLDER: &str = "answers";
/// Files in the making begin so; what a crash left of one goes after this long.
const UNFINISHED: &str = ".new-";
const UNFINISHED_FOR: Duration = Duration::from_secs(3600);
/// A head is some hundred bytes; longer lines are not ours.
const LONGEST_HEAD: u64 = 64 << 10;
/// Where the time stands in every head: behind this.
const BEFORE_TIME: &str = r#"{"confirmed":""#;
const TIME: &str = "%Y-%m-%dT%H:%M:%SZ";
const TIME_WIDTH: usize = 20;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    /// First, and always as long: see [`BEFORE_TIME`].
    confirmed: String,
    schema: u32,
    key: String,
    status: u16,
    headers: Vec<(String, String)>,
    length: u64,
    digest: String,
}

/// The folder of kept answers.
#[derive(Clone)]
pub struct CacheFiles(Arc<Inside>);

struct Inside {
    folder: PathBuf,
    /// Bytes of all files together.
    room: u64,
    /// Bytes written since the folder was last brought within its room.
    written: AtomicU64,
}

/// How much is kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Size {
    pub answers: u64,
    pub bytes: u64,
}

impl CacheFiles {
    /// Proves that the folder can be written, or made: the first answer makes it. `room` is in bytes.
    pub fn open(cache: &Path, room: u64) -> io::Result<CacheFiles> {
        let folder = cache.join(FOLDER);
        let there = folder.ancestors().find(|folder| folder.exists()).unwrap_or(Path::new("."));
        unfinished(there)?;
        let files = CacheFiles(Arc::new(Inside { folder, room, written: AtomicU64::new(0) }));
        let own = files.clone();
        // Nobody waits for it; without a thread the next write does it.
        let _ = std::thread::Builder::new().name("cache".into()).spawn(move || own.0.make_room());
        Ok(files)
    }

    fn on_a_thread<T: Send + 'static>(&self, job: impl FnOnce(&Inside) -> T + Send + 'static) -> Soon<Option<T>> {
        let inside = Arc::clone(&self.0);
        Box::pin(async move { tokio::task::spawn_blocking(move || job(&inside)).await.ok() })
    }
}

/// What is kept in this cache folder.
pub fn size(cache: &Path) -> io::Result<Size> {
    let mut size = Size::default();
    for (_, meta) in entries(&cache.join(FOLDER))? {
        size = Size { answers: size.answers + 1, bytes: size.bytes + meta.len() };
    }
    Ok(size)
}

/// Removes every kept answer from this cache folder; says what there was.
pub fn clear(cache: &Path) -> io::Result<Size> {
    let mut size = Size::default();
    for (path, meta) in entries(&cache.join(FOLDER))? {
        remove(&path)?;
        size = Size { answers: size.answers + 1, bytes: size.bytes + meta.len() };
    }
    Ok(size)
}

impl Shelf for CacheFiles {
    fn get(&self, key: &Key) -> Soon<Option<Kept>> {
        let key = key.clone();
        let found = self.on_a_thread(move |inside| inside.get(&key));
        Box::pin(async move { found.await.flatten() })
    }

    fn put(&self, key: Key, kept: Kept) -> Soon<()> {
        let done = self.on_a_thread(move |inside| inside.put(&key, &kept));
        Box::pin(async move {
            // What could not be written is not kept.
            let _ = done.await;
        })
    }

    fn confirm(&self, key: &Key, etag: &str, at: Time) -> Soon<()> {
        let (key, etag) = (key.clone(), etag.to_owned());
        let done = self.on_a_thread(move |inside| inside.confirm(&key, &etag, at));
        Box::pin(async move {
            let _ = done.await;
        })
    }
}

impl Inside {
    fn path(&self, key: &Key) -> PathBuf {
        self.folder.join(key.name())
    }

    fn get(&self, key: &Key) -> Option<Kept> {
        let path = self.path(key);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(_) => {
                let _ = remove(&path);
                return None;
            }
        };
        let kept = parse(file, key);
        if kept.is_none() {
            let _ = remove(&path);
        }
        kept
    }

    fn put(&self, key: &Key, kept: &Kept) -> io::Result<()> {
        if kept.body.len() as u64 > self.room / 4 {
            // The older answer says nothing that is still so.
            return remove(&self.path(key));
        }
        let head = Head {
            confirmed: kept.confirmed.format(TIME).to_string(),
            schema: SCHEMA,
            key: key.as_str().to_owned(),
            status: kept.status,
            headers: kept.headers.clone(),
            length: kept.body.len() as u64,
            digest: seal(key.as_str(), kept.status, &kept.headers, &kept.body),
        };
        let mut text = serde_json::to_vec(&head)?;
        text.push(b'\n');
        let mut file = match unfinished(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
                unfinished(&self.folder)?
            }
            other => other?,
        };
        file.write_all(&text)?;
        file.write_all(&kept.body)?;
        file.persist(self.path(key)).map_err(|error| error.error)?;
        let new = text.len() as u64 + head.length;
        if self.written.fetch_add(new, Relaxed) + new > self.room / 8 {
            self.make_room();
        }
        Ok(())
    }

    /// Twenty bytes instead of the whole file: a refresh confirms much and changes little.
    fn confirm(&self, key: &Key, etag: &str, at: Time) -> io::Result<()> {
        let file = File::options().read(true).write(true).open(self.path(key))?;
        let mut reader = BufReader::new(&file);
        let is_meant = |head: &Head| {
            let known = head.headers.iter().find(|(name, _)| name == "etag");
            head.key == key.as_str() && known.is_some_and(|(_, known)| known == etag)
        };
        if parse_head(&mut reader).is_some_and(|head| is_meant(&head)) {
            file.write_all_at(at.format(TIME).to_string().as_bytes(), BEFORE_TIME.len() as u64)?;
        }
        Ok(())
    }

    /// Removes what was confirmed longest ago until the rest fits, with some room to spare.
    fn make_room(&self) {
        self.written.store(0, Relaxed);
        let Ok(entries) = entries(&self.folder) else { return };
        let now = SystemTime::now();
        let mut known = Vec::new();
        for (path, meta) in entries {
            let modified = meta.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            if !is_unfinished(&path) {
                known.push((modified, meta.len(), path));
            } else if now.duration_since(modified).is_ok_and(|age| age > UNFINISHED_FOR) {
                let _ = remove(&path);
            }
        }
        let mut total: u64 = known.iter().map(|(_, len, _)| len).sum();
        if total <= self.room {
            return;
        }
        known.sort();
        for (_, len, path) in known {
            if total <= self.room / 10 * 9 {
                break;
            }
            if remove(&path).is_ok() {
                total -= len;
            }
        }
    }
}

/// The answer in a file, if it is this one and whole.
fn parse(file: File, key: &Key) -> Option<Kept> {
    let mut reader = BufReader::new(file);
    let head = parse_head(&mut reader)?;
    let confirmed = chrono::NaiveDateTime::parse_from_str(&head.confirmed, TIME).ok()?.and_utc();
    let mut body = Vec::new();
    // One more than promised: what follows is not ours either.
    reader.take(head.length.checked_add(1)?).read_to_end(&mut body).ok()?;
    let sealed = head.digest == seal(key.as_str(), head.status, &head.headers, &body);
    let fits = sealed && head.key == key.as_str() && body.len() as u64 == head.length;
    fits.then(|| Kept { status: head.status, headers: head.headers, body: body.into(), confirmed })
}

/// Over all that an answer is, its time apart.
fn seal(key: &str, status: u16, headers: &[(String, String)], body: &[u8]) -> String {
    let mut hash = Sha256::new();
    hash.update(format!("{key}\n{status}\n{headers:?}\n"));
    hash.update(body);
    format!("{:x}", hash.finalize())
}

fn parse_head(reader: &mut impl BufRead) -> Option<Head> {
    let mut line = Vec::new();
    reader.take(LONGEST_HEAD).read_until(b'\n', &mut line).ok()?;
    if !line.starts_with(BEFORE_TIME.as_bytes()) {
        return None;
    }
    let head: Head = serde_json::from_slice(&line).ok()?;
    (head.schema == SCHEMA && head.confirmed.len() == TIME_WIDTH).then_some(head)
}

/// A file in the making, for its owner only; gone if it does not get its name.
fn unfinished(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    tempfile::Builder::new().prefix(UNFINISHED).permissions(Permissions::from_mode(0o600)).tempfile_in(folder)
}

fn is_unfinished(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(UNFINISHED))
}

/// Our files, finished or not. Those of others are left alone; a folder that is not there has none.
fn entries(folder: &Path) -> io::Result<Vec<(PathBuf, fs::Metadata)>> {
    let listed = match fs::read_dir(folder) {
        Ok(listed) => listed,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut out = Vec::new();
    for entry in listed {
        let entry = entry?;
        let path = entry.path();
        let name = entry.file_name();
        let is_digest = name.len() == 64 && name.to_string_lossy().bytes().all(|b| b.is_ascii_hexdigit());
        // One that another program removed meanwhile has no metadata.
        if let Some(meta) = entry.metadata().ok().filter(|meta| meta.is_file() && (is_digest || is_unfinished(&path))) {
            out.push((path, meta));
        }
    }
    Ok(out)
}

/// Removes a file that may be gone already.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tempfile::TempDir;

    const ROOM: u64 = 1 << 20;

    fn at(text: &str) -> Time {
        text.parse().unwrap()
    }

    fn key(address: &str) -> Key {
        Key::new("https://api.github.com", address, "json", "someone")
    }

    fn kept(body: &[u8]) -> Kept {
        Kept {
            status: 200,
            headers: vec![("etag".into(), "\"1\"".into()), ("link".into(), "<x>; rel=\"next\"".into())],
            body: body.to_vec().into(),
            confirmed: at("2026-08-11T12:00:00Z"),
        }
    }

    /// A folder with one answer under `/a`.
    fn stocked() -> (TempDir, CacheFiles, PathBuf) {
        let folder = TempDir::new().unwrap();
        let files = CacheFiles::open(folder.path(), ROOM).unwrap();
        files.0.put(&key("/a"), &kept(b"body\nof lines")).unwrap();
        let path = files.0.path(&key("/a"));
        (folder, files, path)
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn an_answer_comes_back_as_it_was_to_its_owner_only() {
        let (folder, files, path) = stocked();
        assert_eq!(files.0.get(&key("/a")), Some(kept(b"body\nof lines")));
        assert_eq!(files.0.get(&key("/b")), None);
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        let again = CacheFiles::open(folder.path(), ROOM).unwrap();
        assert_eq!(again.0.get(&key("/a")), Some(kept(b"body\nof lines")));
        let empty = Kept { status: 404, headers: Vec::new(), ..kept(b"") };
        again.0.put(&key("/a"), &empty).unwrap();
        assert_eq!(files.0.get(&key("/a")), Some(empty));
    }

    #[test]
    fn a_confirmation_moves_the_time_of_the_answer_that_was_meant() {
        let (_folder, files, _) = stocked();
        let later = at("2026-11-30T23:59:59Z");
        files.0.confirm(&key("/a"), "\"2\"", later).unwrap();
        assert_eq!(files.0.get(&key("/a")), Some(kept(b"body\nof lines")));
        files.0.confirm(&key("/a"), "\"1\"", later).unwrap();
        assert_eq!(files.0.get(&key("/a")), Some(Kept { confirmed: later, ..kept(b"body\nof lines") }));
        assert!(files.0.confirm(&key("/b"), "\"1\"", later).is_err());
    }

    #[test]
    fn what_does_not_fit_is_dropped_and_missing() {
        type Bend = fn(&mut Vec<u8>);
        let table: [(&str, Bend); 9] = [
            ("empty", Vec::clear),
            ("no line", |bytes| bytes.retain(|byte| *byte != b'\n')),
            ("cut in the head", |bytes| bytes.truncate(40)),
            ("cut in the body", |bytes| bytes.truncate(bytes.len() - 1)),
            ("longer", |bytes| bytes.push(b'x')),
            ("another body", |bytes| *bytes.last_mut().unwrap() ^= 1),
            ("another time", |bytes| bytes[20] = b'x'),
            ("another schema", |bytes| replace(bytes, "\"schema\":1", "\"schema\":2")),
            ("another key", |bytes| replace(bytes, "/a", "/b")),
        ];
        for (name, bend) in table {
            let (_folder, files, path) = stocked();
            let mut bytes = fs::read(&path).unwrap();
            bend(&mut bytes);
            fs::write(&path, bytes).unwrap();
            assert_eq!(files.0.get(&key("/a")), None, "{name}");
            assert!(!path.exists(), "{name}");
            files.0.put(&key("/a"), &kept(b"new")).unwrap();
            assert_eq!(files.0.get(&key("/a")), Some(kept(b"new")), "{name}");
        }
    }

    fn replace(bytes: &mut Vec<u8>, from: &str, to: &str) {
        let text = String::from_utf8(std::mem::take(bytes)).unwrap();
        assert!(text.contains(from));
        *bytes = text.replacen(from, to, 1).into_bytes();
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Whatever stands in a file, it is the answer that was put there, but for its time, or none.
        #[test]
        fn no_byte_may_differ(at in 0_usize..400, flip in 1_u8..=255) {
            let (_folder, files, path) = stocked();
            let mut bytes = fs::read(&path).unwrap();
            let at = at % bytes.len();
            bytes[at] ^= flip;
            fs::write(&path, bytes).unwrap();
            if let Some(found) = files.0.get(&key("/a")) {
                prop_assert_eq!(Kept { confirmed: kept(b"").confirmed, ..found }, kept(b"body\nof lines"));
            }
        }
    }

    #[test]
    fn two_writers_leave_one_whole_answer() {
        let folder = TempDir::new().unwrap();
        let writers: Vec<_> = (0_u8..4)
            .map(|n| {
                let files = CacheFiles::open(folder.path(), 64 * ROOM).unwrap();
                std::thread::spawn(move || {
                    for _ in 0..20 {
                        files.0.put(&key("/a"), &kept(&vec![n; 50_000])).unwrap();
                        let body = files.0.get(&key("/a")).expect("there is always a whole one").body;
                        assert!(body.len() == 50_000 && body.iter().all(|byte| *byte == body[0]));
                    }
                })
            })
            .collect();
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        assert_eq!(size(folder.path()).unwrap().answers, 1);
    }

    #[test]
    fn the_longest_unconfirmed_go_when_there_is_no_room() {
        let folder = TempDir::new().unwrap();
        let files = CacheFiles::open(folder.path(), 10_000).unwrap();
        let foreign = folder.path().join(FOLDER).join("not-ours");
        files.0.put(&key("/first"), &kept(b"makes the folder")).unwrap();
        fs::write(&foreign, vec![0; 20_000]).unwrap();
        for n in 0..40_u64 {
            let key = key(&format!("/{n}"));
            files.0.put(&key, &kept(&[0; 500])).unwrap();
            if let Ok(file) = File::options().write(true).open(files.0.path(&key)) {
                file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(n)).unwrap();
            }
        }
        files.0.make_room();
        assert!(size(folder.path()).unwrap().bytes <= 10_000);
        assert_eq!((files.0.get(&key("/0")), files.0.get(&key("/39"))), (None, Some(kept(&[0; 500]))));
        files.0.put(&key("/39"), &kept(&[0; 2_600])).unwrap();
        assert_eq!(files.0.get(&key("/39")), None, "nothing takes more than a quarter");
        assert!(foreign.exists());
    }

    #[test]
    fn what_a_crash_left_goes_after_a_while() {
        let (folder, files, _) = stocked();
        let left = |name: &str, age: u64| {
            let path = folder.path().join(FOLDER).join(name);
            let file = File::create(&path).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
            path
        };
        let (old, new) = (left(".new-old", 4000), left(".new-new", 10));
        files.0.make_room();
        assert!(!old.exists() && new.exists());
    }

    #[test]
    fn a_folder_that_cannot_be_used_says_so_and_one_that_is_not_there_is_empty() {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(CacheFiles::open(&file, ROOM).is_err());
        assert_eq!(size(&folder.path().join("none")).unwrap(), Size::default());
    }

    #[test]
    fn clearing_removes_our_files_only() {
        let (folder, files, path) = stocked();
        let foreign = folder.path().join(FOLDER).join("notes");
        fs::write(&foreign, "mine").unwrap();
        let before = size(folder.path()).unwrap();
        assert_eq!((before.answers, before.bytes), (1, fs::metadata(&path).unwrap().len()));
        assert_eq!(clear(folder.path()).unwrap(), before);
        assert_eq!((size(folder.path()).unwrap(), files.0.get(&key("/a"))), (Size::default(), None));
        assert!(foreign.exists());
    }
}
