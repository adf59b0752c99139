//! Opens a zip of a stranger: what it may hold is bounded before it is unpacked, and nothing is written anywhere.
//! Must not know: what the files in it mean.

use super::trouble::one_line;
use crate::core::trouble::{Trouble, TroubleKind};
use std::io::{Cursor, Read};
use zip::ZipArchive;

/// What an archive may hold.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    pub entries: usize,
    /// Bytes of one unpacked entry.
    pub entry: u64,
    /// Bytes of all unpacked entries.
    pub total: u64,
    /// Unpacked bytes per packed byte, once an entry is larger than 1 MiB.
    pub ratio: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds { entries: 2000, entry: 32 << 20, total: 128 << 20, ratio: 200 }
    }
}

/// Reads the entries whose names end in `suffix`, in the archive's order.
///
/// An archive that breaks a bound, leaves its folder, repeats a name, holds another archive or a link, is encrypted
/// or fails its checksum gives a trouble naming the entry, and no entries: half of it would pass for the whole.
pub fn open_archive(bytes: &[u8], suffix: &str, bounds: Bounds) -> Result<Vec<(String, Vec<u8>)>, Trouble> {
    let bad = |kind, why: String| {
        Trouble::new(kind, format!("The archive cannot be used: {}.", one_line(&why)), "Look at it in the browser.")
    };
    let malformed = |why: String| bad(TroubleKind::Malformed, why);
    let too_large = |why: String| bad(TroubleKind::TooLarge, why);
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| malformed(format!("it is no zip ({error})")))?;
    if archive.len() > bounds.entries {
        return Err(too_large(format!("it holds {} entries, more than {}", archive.len(), bounds.entries)));
    }
    if archive.has_duplicate_names() {
        return Err(malformed("it holds a name twice".to_owned()));
    }
    let mut total = 0;
    let mut files = Vec::new();
    for at in 0..archive.len() {
        let mut entry = archive.by_index(at).map_err(|error| malformed(format!("entry {at}: {error}")))?;
        let name = entry.name().map_err(|error| malformed(format!("the name of entry {at}: {error}")))?.into_owned();
        if entry.is_dir() {
            continue;
        }
        if entry.enclosed_name().is_none() || leaves(&name) {
            return Err(malformed(format!("{name} points out of it")));
        }
        if entry.is_symlink() {
            return Err(malformed(format!("{name} is a link")));
        }
        if entry.encrypted() {
            return Err(malformed(format!("{name} is encrypted")));
        }
        if is_archive(&name) {
            return Err(malformed(format!("{name} is an archive in the archive")));
        }
        let packed = entry.compressed_size();
        if entry.size() > bounds.entry {
            return Err(too_large(format!("{name} unpacks to {} MiB", entry.size() >> 20)));
        }
        if !name.ends_with(suffix) {
            continue;
        }
        let mut unpacked = Vec::new();
        // The size that an entry states may be a lie, so it is bounded by what really comes.
        let room = bounds.entry.min(bounds.total.saturating_sub(total));
        (&mut entry).take(room + 1).read_to_end(&mut unpacked).map_err(|error| malformed(format!("{name}: {error}")))?;
        let size = unpacked.len() as u64;
        if size > room || (size > 1 << 20 && size / packed.max(1) > bounds.ratio) {
            return Err(too_large(format!("{name} unpacks to more than it may")));
        }
        if unpacked.starts_with(b"PK\x03\x04") {
            return Err(malformed(format!("{name} is an archive in the archive")));
        }
        total += size;
        files.push((name, unpacked));
    }
    Ok(files)
}

fn leaves(name: &str) -> bool {
    let windows_root = name.as_bytes().get(1) == Some(&b':');
    name.starts_with(['/', '\\']) || windows_root || name.contains('\0') || name.split(['/', '\\']).any(|part| part == "..")
}

fn is_archive(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    [".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".zst", ".7z", ".rar"].iter().any(|end| lower.ends_with(end))
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Write;
    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    fn packed(entries: &[(&str, &[u8])]) -> Vec<u8> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in entries {
            zip.start_file(*name, SimpleFileOptions::default()).unwrap();
            zip.write_all(bytes).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    const SMALL: Bounds = Bounds { entries: 3, entry: 3 << 20, total: 4 << 20, ratio: 50 };

    #[test]
    fn plain_archives_open() {
        let bytes = packed(&[("a/x.json", b"[1]"), ("a/y.txt", b"no"), ("z.json", b"[2]")]);
        let files = open_archive(&bytes, ".json", SMALL).unwrap();
        assert_eq!(files, [("a/x.json".to_owned(), b"[1]".to_vec()), ("z.json".to_owned(), b"[2]".to_vec())]);
    }

    #[test]
    fn hostile_archives_are_refused_by_name() {
        let zeros = vec![0_u8; 2 << 20];
        let mut seed = 1_u32;
        let noise: Vec<u8> = std::iter::repeat_with(|| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 24) as u8
        })
        .take(2 << 20)
        .collect();
        let inner = packed(&[("x.json", b"1")]);
        let table: Vec<(Vec<u8>, TroubleKind, &str)> = vec![
            (b"not a zip".to_vec(), TroubleKind::Malformed, "no zip"),
            (Vec::new(), TroubleKind::Malformed, "no zip"),
            (packed(&[("1", b""), ("2", b""), ("3", b""), ("4", b"")]), TroubleKind::TooLarge, "4 entries"),
            (packed(&[("../x.json", b"1")]), TroubleKind::Malformed, "points out"),
            (packed(&[("/x.json", b"1")]), TroubleKind::Malformed, "points out"),
            (packed(&[("a/../../x.json", b"1")]), TroubleKind::Malformed, "points out"),
            (packed(&[("C:x.json", b"1")]), TroubleKind::Malformed, "points out"),
            (packed(&[("x.zip", b"1")]), TroubleKind::Malformed, "archive in the archive"),
            (packed(&[("x.json", &inner)]), TroubleKind::Malformed, "archive in the archive"),
            (packed(&[("x.json", &zeros)]), TroubleKind::TooLarge, "more than it may"),
            (packed(&[("x.json", &vec![0; 4 << 20])]), TroubleKind::TooLarge, "unpacks to"),
            (packed(&[("1.json", &noise), ("2.json", &noise), ("3.json", &noise)]), TroubleKind::TooLarge, "3.json"),
        ];
        for (bytes, kind, words) in table {
            let trouble = open_archive(&bytes, ".json", SMALL).unwrap_err();
            assert_eq!(trouble.kind, kind, "{}", trouble.headline);
            assert!(trouble.headline.contains(words), "{} / {words}", trouble.headline);
        }
    }

    #[test]
    fn a_broken_checksum_is_an_error() {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        zip.start_file("x.json", stored).unwrap();
        zip.write_all(b"[12345]").unwrap();
        let mut bytes = zip.finish().unwrap().into_inner();
        let at = bytes.windows(7).position(|w| w == b"[12345]").unwrap();
        bytes[at + 1] = b'9';
        let trouble = open_archive(&bytes, ".json", SMALL).unwrap_err();
        assert!(trouble.headline.contains("x.json"), "{}", trouble.headline);
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300), at in 0_usize..400, value: u8) {
            let _ = open_archive(&bytes, "", SMALL);
            let mut zip = packed(&[("a.json", b"[1,2,3]"), ("b.json", b"{}")]);
            let at = at % zip.len();
            zip[at] = value;
            let _ = open_archive(&zip, "", SMALL);
            let _ = open_archive(&zip[..at], "", SMALL);
        }
    }
}
