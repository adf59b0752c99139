//! The text of a file at the head, and which of its lines the pull request brings.
//! Must not know: what stands in it.

use crate::core::diff::parse::{LineKind, parse_patch};
use crate::core::evidence::Evidence;
use crate::core::facts::{Facts, Side};
use crate::core::plan::Read;
use crate::core::pull::{ChangedFile, Document};
use crate::core::remote::{Remote, Sourced};
use crate::core::trouble::TroubleKind;
use std::borrow::Cow;

/// A file at the head, as far as it is known.
pub enum Text<'a> {
    Side(&'a Sourced<Document>),
    /// A new file: its patch holds all of it.
    Patch(&'a ChangedFile),
    /// It does not exist there.
    Absent,
    /// Not read, and why where that is known.
    Unread(Option<String>),
}

impl<'a> Text<'a> {
    pub fn of(facts: &'a Facts, path: &str, changed: Option<&'a ChangedFile>) -> Text<'a> {
        if let Some(file) = changed.filter(|file| is_whole(file)) {
            return Text::Patch(file);
        }
        Text::on(facts, Side::Head, path, changed.is_some())
    }

    /// The file that lies at this path at the merge base: the head's, where the pull request does not change it.
    pub fn at_base(facts: &'a Facts, path: &str) -> Text<'a> {
        let Some(files) = facts.files.value().filter(|files| files.is_complete()) else {
            return Text::Unread(Some("the list of changed files is not read whole".to_owned()));
        };
        match base_of(&files.items, path) {
            Base::Head => Text::of(facts, path, None),
            Base::Absent => Text::Absent,
            Base::Own => Text::on(facts, Side::Base, path, true),
        }
    }

    fn on(facts: &'a Facts, side: Side, path: &str, listed: bool) -> Text<'a> {
        let remote = facts.sides.get(&(side, path.to_owned()));
        match (remote.and_then(Remote::settled), remote.and_then(Remote::trouble)) {
            (Some(got), _) => Text::Side(got),
            // What is listed as changed and is not found contradicts itself: that says nothing.
            (_, Some(trouble)) if trouble.kind == TroubleKind::NotFound && !listed => Text::Absent,
            (_, Some(trouble)) => Text::Unread(Some(trouble.headline.clone())),
            (None, None) => Text::Unread(None),
        }
    }

    /// What the text is known by: another one has another.
    pub fn id(&self) -> Option<&str> {
        match self {
            Text::Side(got) => Some(got.value.blob.as_str()),
            Text::Patch(file) => file.blob.as_ref().map(|blob| blob.as_str()).or(file.patch.as_deref()),
            Text::Absent | Text::Unread(_) => None,
        }
    }

    pub fn text(&self) -> Option<Cow<'a, str>> {
        match self {
            Text::Side(got) => Some(Cow::Borrowed(got.value.text.as_str())),
            Text::Patch(file) => Some(Cow::Owned(from_patch(file.patch.as_deref()?))),
            Text::Absent | Text::Unread(_) => None,
        }
    }
}

/// Where the text that a path has at the merge base is read.
enum Base {
    /// Nothing changes it.
    Head,
    Own,
    Absent,
}

fn base_of(files: &[ChangedFile], path: &str) -> Base {
    let left = files.iter().any(|file| file.status == "renamed" && file.previous_path.as_deref() == Some(path));
    match files.iter().find(|file| file.path == path) {
        _ if left => Base::Own,
        None => Base::Head,
        Some(file) => match file.status.as_str() {
            "added" | "copied" | "renamed" => Base::Absent,
            "unchanged" => Base::Head,
            _ => Base::Own,
        },
    }
}

/// Whether the patch of a new file holds every line of it.
fn is_whole(file: &ChangedFile) -> bool {
    let Some(patch) = file.patch.as_deref().filter(|_| file.status == "added" && file.additions > 0) else { return false };
    let added = patch.lines().filter(|line| line.starts_with('+')).count();
    patch.starts_with("@@ -0,0 +1") && usize::try_from(file.additions).is_ok_and(|additions| additions == added)
}

fn from_patch(patch: &str) -> String {
    let mut out = String::with_capacity(patch.len());
    // Only `\n` ends a line of a patch.
    for line in patch.split('\n').filter_map(|line| line.strip_prefix('+')) {
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// Lines that the patch adds, from 1; `None` where GitHub sends no patch although lines are added.
pub fn added_lines(file: &ChangedFile) -> Option<Vec<usize>> {
    if file.additions == 0 {
        return Some(Vec::new());
    }
    let patch = parse_patch(file.patch.as_deref()?);
    let added = patch.lines.iter().filter(|line| line.kind == LineKind::Added);
    Some(added.filter_map(|line| usize::try_from(line.new_number()?).ok()).collect())
}

/// Asks for a file at the head.
pub fn read(facts: &Facts, path: &str) -> Option<Read> {
    Some(Read::SideFile { side: Side::Head, path: path.to_owned(), commit: facts.head()?.clone() })
}

/// Asks for the file that lies at this path at the merge base.
pub fn read_base(facts: &Facts, path: &str) -> Option<Read> {
    match base_of(&facts.files.value()?.items, path) {
        Base::Head => read(facts, path),
        Base::Absent => None,
        Base::Own => {
            let commit = facts.merge_base.settled()?.value.clone();
            Some(Read::SideFile { side: Side::Base, path: path.to_owned(), commit })
        }
    }
}

/// A line of a file at the head, as evidence that can be opened.
pub fn evidence(facts: &Facts, path: &str, line: Option<usize>) -> Option<Evidence> {
    let side = facts.sides.get(&(Side::Head, path.to_owned())).and_then(Remote::settled).map(|got| got.source.clone());
    let source = side.or_else(|| facts.files.settled().map(|got| got.source.clone()))?;
    let place = line.map(|line| format!(" line {line}")).unwrap_or_default();
    let anchor = line.map(|line| format!("#L{line}")).unwrap_or_default();
    let link = facts.head().map(|head| facts.page(&format!("blob/{head}/{path}{anchor}")));
    Some(Evidence::new("launch", format!("{path}{place}"), link, source))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(status: &str, additions: u64, patch: Option<&str>) -> ChangedFile {
        ChangedFile {
            path: "s.sh".into(),
            previous_path: None,
            status: status.into(),
            additions,
            deletions: 0,
            blob: None,
            patch: patch.map(str::to_owned),
        }
    }

    #[test]
    fn a_new_file_needs_no_read_where_its_patch_is_whole() {
        let whole = file("added", 2, Some("@@ -0,0 +1,2 @@\n+a\r\n+++b"));
        assert_eq!(Text::Patch(&whole).text().unwrap(), "a\r\n++b\n");
        assert!(is_whole(&whole));
        assert_eq!(added_lines(&whole).unwrap(), [1, 2]);
        for (status, additions, patch) in [
            ("added", 3, Some("@@ -0,0 +1,2 @@\n+a\n+b")),
            ("modified", 1, Some("@@ -0,0 +1 @@\n+a")),
            ("added", 1, None),
            ("added", 1, Some("@@ -1 +1 @@\n+a")),
            ("added", 0, Some("")),
        ] {
            assert!(!is_whole(&file(status, additions, patch)), "{status} {additions} {patch:?}");
        }
        assert_eq!(added_lines(&file("modified", 1, None)), None);
        assert_eq!(added_lines(&file("renamed", 0, None)).unwrap(), Vec::<usize>::new());
    }
}
