//! Recordings as files: found, read within bounds, and written whole, private and never over something else.
//! Must not know: what a recording tells.

#![allow(clippy::disallowed_methods)] // files belong to runtime

use crate::core::trouble::{Trouble, TroubleKind};
use crate::error::{AppError, ErrorKind};
use crate::github::cassette::bad;
use crate::github::{Beginning, Recording, parse_bytes, render_recording};
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;

/// Bytes of a recording once unpacked. A small file can unpack to any size.
const MOST_BYTES: u64 = 256 << 20;
/// Bytes of a first line, which says what a file is.
const MOST_FIRST: u64 = 64 << 10;

/// Reads a recording, packed or not; what could not be read of it comes as troubles with their lines.
pub fn open(path: &Path) -> Result<(Recording, Vec<Trouble>), AppError> {
    open_within(path, MOST_BYTES)
}

fn open_within(path: &Path, most: u64) -> Result<(Recording, Vec<Trouble>), AppError> {
    let unreadable = |error: io::Error| AppError::usage(format!("{} cannot be read: {error}.", path.display()));
    let named = |trouble: Trouble| AppError::from(trouble).hint(format!("The file is {}.", path.display()));
    let mut bytes = Vec::new();
    let (source, packed) = unpacked(path).map_err(unreadable)?;
    let read = source.take(most + 1).read_to_end(&mut bytes);
    if bytes.len() as u64 > most {
        let headline = format!("The recording is larger than {} MiB once unpacked.", most >> 20);
        return Err(named(Trouble::new(TroubleKind::TooLarge, headline, "Record one pull request per file.")));
    }
    let cut = match read {
        Ok(_) => None,
        Err(error) if !packed => return Err(unreadable(error)),
        // Packed data tells by itself that it is damaged or ends early: the lines before that place are whole.
        Err(error) => {
            bytes.truncate(bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1));
            let line = 1 + bytes.iter().filter(|&&byte| byte == b'\n').count();
            Some(bad(line, format!("the packed file is damaged or cut off there ({error})")))
        }
    };
    match (parse_bytes(&bytes), cut) {
        (Ok((recording, mut problems)), cut) => {
            problems.extend(cut);
            Ok((recording, problems))
        }
        (Err(_), Some(cut)) if bytes.is_empty() => Err(named(cut)),
        (Err(trouble), _) => Err(named(trouble)),
    }
}

/// The file's content, unpacked if it begins like gzip, whatever its name; and whether it was.
fn unpacked(path: &Path) -> io::Result<(Box<dyn Read>, bool)> {
    let mut file = BufReader::new(File::open(path)?);
    let packed = file.fill_buf()?.starts_with(&[0x1f, 0x8b]);
    Ok(if packed { (Box::new(MultiGzDecoder::new(file)), true) } else { (Box::new(file), false) })
}

/// Refuses a path that must not be written to. Asked before the first request, since an answer takes its time.
pub fn check_target(path: &Path, force: bool) -> Result<(), AppError> {
    let shown = path.display();
    let found = match fs::metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let folder = folder(path);
            return match folder.is_dir() {
                true => Ok(()),
                false => Err(AppError::usage(format!("There is no folder {}.", folder.display())).hint("Make it first.")),
            };
        }
        Err(error) => return Err(AppError::usage(format!("{shown} cannot be written: {error}."))),
    };
    if !found.is_file() {
        return Err(AppError::usage(format!("{shown} is no file.")).hint("Name a file for the recording."));
    }
    if found.len() == 0 {
        return Ok(());
    }
    match beginning(path) {
        Beginning::Recording => Ok(()),
        Beginning::Newer => {
            Err(AppError::usage(format!("{shown} was recorded by a newer countersign, and is not overwritten."))
                .hint("Name another file, or update countersign."))
        }
        Beginning::Other if force => Ok(()),
        Beginning::Other => Err(AppError::usage(format!("{shown} is there already, and is no recording."))
            .hint("Name another file, or add --force to replace it.")),
    }
}

/// What the file begins like; one that cannot be read is something else.
fn beginning(path: &Path) -> Beginning {
    let mut line = Vec::new();
    let read = unpacked(path).and_then(|(source, _)| BufReader::new(source.take(MOST_FIRST)).read_until(b'\n', &mut line));
    read.map_or(Beginning::Other, |_| Beginning::of(&line))
}

/// Writes a recording, packed when the name ends in `.gz`, and tells its size. Only the person who records may read the
/// file; it appears whole or not at all.
pub fn save(path: &Path, recording: &Recording) -> Result<u64, AppError> {
    let text = render_recording(recording);
    let is_packed = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz"));
    let attempt = || -> io::Result<u64> {
        // A temporary file is made with mode 0600.
        let mut file = tempfile::NamedTempFile::new_in(folder(path))?;
        if is_packed {
            let mut packer = GzEncoder::new(&mut file, Compression::default());
            packer.write_all(text.as_bytes())?;
            packer.finish()?;
        } else {
            file.write_all(text.as_bytes())?;
        }
        file.as_file().sync_all()?;
        let size = file.as_file().metadata()?.len();
        file.persist(path).map_err(|error| error.error)?;
        Ok(size)
    };
    attempt().map_err(|error| {
        let told = error.to_string();
        let reason = told.split(" at path ").next().unwrap_or_default();
        AppError::new(ErrorKind::Unavailable, format!("{} cannot be written: {reason}.", path.display()))
            .hint("Make room, or name a file in a folder of yours; what was there before is untouched.")
    })
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::ids::{PullNumber, RepoName};
    use crate::core::time::Time;
    use crate::github::{Base, parse_recording};
    use std::os::unix::fs::PermissionsExt;

    const LINE: &str = r#"{"method":"GET","path":"/a","status":200,"body":[]}"#;

    fn recording() -> Recording {
        let head =
            render_recording(&Recording::new(Base::github(), RepoName::parse("o/r").unwrap(), PullNumber(7), Time::default()));
        let lines: Vec<String> = (0..200).map(|n| LINE.replace("/a", &format!("/a/{n}"))).collect();
        parse_recording(&format!("{head}{}\n", lines.join("\n"))).unwrap().0
    }

    fn packed(text: &[u8]) -> Vec<u8> {
        let mut packer = GzEncoder::new(Vec::new(), Compression::default());
        packer.write_all(text).unwrap();
        packer.finish().unwrap()
    }

    #[test]
    fn what_is_saved_is_opened_again_packed_or_not() {
        let folder = tempfile::tempdir().unwrap();
        let mut sizes = Vec::new();
        for name in ["a.jsonl", "a.jsonl.gz"] {
            let path = folder.path().join(name);
            sizes.push(save(&path, &recording()).unwrap());
            assert_eq!(open(&path).unwrap(), (recording(), vec![]));
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
            check_target(&path, false).unwrap();
        }
        assert!(sizes[1] < sizes[0] / 5, "{sizes:?}");
        // No temporary file is left.
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
        // Packing is told by the content, not by the name.
        fs::rename(folder.path().join("a.jsonl.gz"), folder.path().join("b")).unwrap();
        assert_eq!(open(&folder.path().join("b")).unwrap().1, []);
    }

    #[test]
    fn what_is_no_recording_is_refused_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let whole = render_recording(&recording());
        let newer = whole.replacen("\"schema\":1", "\"schema\":2", 1);
        let mut flipped = packed(whole.as_bytes());
        flipped[12] ^= 0xff;
        let table: [(&[u8], u8, &str); 7] = [
            (b"", 5, "Line 1 of the recording cannot be read: it is empty"),
            (b"{\"a\":1}", 5, "not a countersign recording"),
            (b"\x7fELF\x02", 5, "Line 1"),
            (newer.as_bytes(), 5, "newer countersign"),
            (&packed(b"no"), 5, "Line 1"),
            (b"\x1f\x8b\x08\x00", 5, "damaged or cut off"),
            (&packed(newer.as_bytes()), 5, "newer countersign"),
        ];
        for (bytes, code, words) in table {
            fs::write(&path, bytes).unwrap();
            let error = open(&path).unwrap_err();
            assert_eq!(error.kind.exit_code(), code, "{error}");
            assert!(error.message.contains(words) && error.hints.len() == 2, "{words}: {error}");
        }
        fs::write(&path, &flipped).unwrap();
        let _ = open(&path);
        assert_eq!(open(folder.path()).unwrap_err().kind, ErrorKind::Usage);
        assert_eq!(open(&folder.path().join("nowhere")).unwrap_err().kind, ErrorKind::Usage);
    }

    #[test]
    fn a_file_that_ends_early_keeps_its_whole_lines_and_tells_where() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        // Text that packing does not shrink to nothing, so that a cut leaves lines before it.
        let mut text = render_recording(&recording());
        for n in 0..2000u32 {
            let noise = crate::core::evidence::digest(&n.to_le_bytes());
            text.push_str(&LINE.replace("/a", &format!("/b/{n}/{noise}")));
            text.push('\n');
        }
        let all = parse_recording(&text).unwrap().0.len();
        for (bytes, which) in [(text.clone().into_bytes(), "plain"), (packed(text.as_bytes()), "packed")] {
            fs::write(&path, &bytes[..bytes.len() * 2 / 3]).unwrap();
            let (recording, problems) = open(&path).unwrap();
            assert!((200..all).contains(&recording.len()), "{which}: {}", recording.len());
            let [problem] = problems.as_slice() else { panic!("{which}: {problems:?}") };
            // The head is line 1, and every exchange stands on one line.
            assert!(problem.headline.starts_with(&format!("Line {} ", recording.len() + 2)), "{which}: {problem:?}");
        }
    }

    #[test]
    fn a_file_that_unpacks_without_end_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bomb.gz");
        fs::write(&path, packed(&vec![b' '; 3 << 20])).unwrap();
        let error = open_within(&path, 2 << 20).unwrap_err();
        assert!(error.message.contains("larger than 2 MiB"), "{error}");
    }

    #[test]
    fn nothing_else_is_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let newer = render_recording(&recording()).replacen("\"schema\":1", "\"schema\":9", 1);
        check_target(&path, false).unwrap();
        for (content, plain, forced) in [
            (&b""[..], true, true),
            (b"notes", false, true),
            (newer.as_bytes(), false, false),
            (&packed(b"notes"), false, true),
        ] {
            fs::write(&path, content).unwrap();
            assert_eq!(check_target(&path, false).is_ok(), plain, "{content:?}");
            assert_eq!(check_target(&path, true).is_ok(), forced, "{content:?}");
        }
        assert!(check_target(folder.path(), true).unwrap_err().message.contains("is no file"));
        assert!(check_target(&folder.path().join("a/b"), true).unwrap_err().message.contains("no folder"));
        // A write that fails leaves what was there.
        fs::write(&path, "notes").unwrap();
        assert_eq!(save(&folder.path().join("a/b"), &recording()).unwrap_err().kind, ErrorKind::Unavailable);
        assert_eq!(fs::read_to_string(&path).unwrap(), "notes");
    }
}
