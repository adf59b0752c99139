//! The diff pane: which file is open, its rows, the cursor, the search.
//! Must not know: colours.

use super::{Motion, Scroll};
use crate::core::diff::parse::{Patch, parse_patch};
use crate::core::facts::Facts;
use crate::core::pull::ChangedFile;
use crate::core::text::role::Spans;
use std::collections::HashMap;
use std::sync::Arc;

#[derive(Debug, Default)]
pub struct DiffScreen {
    /// Index of the open file in the list.
    pub file: usize,
    pub scroll: Scroll,
    /// Columns scrolled to the right.
    pub left: usize,
    pub open: Option<OpenFile>,
    pub search: Option<Search>,
    /// What highlighting was asked for last.
    asked: Option<(String, Arc<str>)>,
    /// Highlighting of files that were open before, by path, and the hunks that it is of.
    highlights: HashMap<String, (Arc<str>, Vec<Spans>)>,
}

/// A file whose hunks are parsed.
#[derive(Debug)]
pub struct OpenFile {
    pub path: String,
    pub patch: Arc<str>,
    pub parsed: Patch,
    /// Highlighting of the rows from the first on, as far as it has come.
    pub spans: Vec<Spans>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    pub pattern: String,
    /// Rows that hold it.
    pub hits: Vec<usize>,
}

impl DiffScreen {
    pub fn current<'a>(&self, facts: &'a Facts) -> Option<&'a ChangedFile> {
        facts.files.value()?.items.get(self.file)
    }

    /// Brings the open file in line with the facts; returns what must be highlighted, if anything new.
    pub(in crate::app) fn sync(&mut self, facts: &Facts, changed: bool) -> Option<(String, Arc<str>)> {
        let is_open = self.open.as_ref().map(|open| &open.path) == self.current(facts).map(|file| &file.path);
        if changed || !is_open {
            self.parse(facts);
        }
        let open = self.open.as_ref().filter(|open| open.spans.len() < open.parsed.rows())?;
        let is_new = self.asked.as_ref().is_none_or(|(path, patch)| *path != open.path || !Arc::ptr_eq(patch, &open.patch));
        is_new.then(|| {
            let wanted = (open.path.clone(), Arc::clone(&open.patch));
            self.asked = Some(wanted.clone());
            wanted
        })
    }

    /// Parses the file that is to be open, unless it is already.
    pub(in crate::app) fn parse(&mut self, facts: &Facts) {
        let count = facts.files.value().map_or(0, |files| files.items.len());
        self.file = self.file.min(count.saturating_sub(1));
        let Some((file, patch)) = self.current(facts).and_then(|file| Some((file, file.patch.as_ref()?))) else {
            self.close();
            return;
        };
        if self.open.as_ref().is_some_and(|open| open.path == file.path && *open.patch == **patch) {
            return;
        }
        if self.open.as_ref().is_some_and(|open| open.path == file.path) {
            // The same file with other hunks: what was highlighted is of no use.
            self.open = None;
        } else {
            self.close();
            self.scroll = Scroll::default();
            self.left = 0;
        }
        let path = file.path.as_str();
        let patch: Arc<str> = Arc::from(patch.as_str());
        let parsed = parse_patch(&patch);
        let kept = self.highlights.remove(path).filter(|(of, _)| *of == patch);
        let spans = kept.map(|(_, spans)| spans).unwrap_or_default();
        self.open = Some(OpenFile { path: path.to_owned(), patch, parsed, spans });
        self.search_again();
    }

    /// Closes the open file; its highlighting is kept.
    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            self.highlights.insert(open.path, (open.patch, open.spans));
        }
    }

    /// Takes rows from `from` on; of those that were there already, the old ones stay.
    pub(in crate::app) fn highlighted(&mut self, path: &str, from: usize, spans: Vec<Spans>) {
        let Some(open) = self.open.as_mut().filter(|open| open.path == path) else { return };
        if let Some(known) = open.spans.len().checked_sub(from) {
            open.spans.extend(spans.into_iter().skip(known));
        }
    }

    /// What is wrong with the open file's hunks, in a sentence: they may be cut or damaged.
    pub fn problem(&self) -> Option<String> {
        let problems = &self.open.as_ref()?.parsed.problems;
        let first = problems.first()?;
        Some(match problems.len() {
            1 => format!("{first}."),
            more => format!("{first}; {} more like it.", more - 1),
        })
    }

    /// What must be said above the hunks: what the list of files lacks, or what is wrong with the open file.
    pub fn remark(&self, facts: &Facts) -> Option<String> {
        let gap = facts.files.settled().and_then(|got| got.value.render_gap());
        gap.map(|gap| format!("files: {gap}")).or_else(|| self.problem())
    }

    pub fn len(&self) -> usize {
        self.open.as_ref().map_or(0, |open| open.parsed.rows())
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The row of the next (or previous) hunk in this file.
    pub(in crate::app) fn hunk_from_cursor(&self, forward: bool) -> Option<usize> {
        let parsed = &self.open.as_ref()?.parsed;
        if forward { parsed.next_hunk(self.scroll.cursor) } else { parsed.previous_hunk(self.scroll.cursor) }
    }

    pub(in crate::app) fn start_search(&mut self, pattern: String, height: usize) {
        self.search = (!pattern.is_empty()).then_some(Search { pattern, hits: Vec::new() });
        self.search_again();
        if let Some(row) =
            self.search.as_ref().and_then(|s| s.hits.iter().find(|&&at| at >= self.scroll.cursor).or(s.hits.first()))
        {
            self.scroll.apply(Motion::To(*row), self.len(), height);
        }
    }

    /// Goes to the next match round the end; `false` when there is none.
    pub(in crate::app) fn step_search(&mut self, forward: bool, height: usize) -> bool {
        let Some(search) = &self.search else { return false };
        let at = self.scroll.cursor;
        let next = match forward {
            true => search.hits.iter().find(|&&row| row > at).or(search.hits.first()),
            false => search.hits.iter().rfind(|&&row| row < at).or(search.hits.last()),
        };
        let Some(&row) = next else { return false };
        self.scroll.apply(Motion::To(row), self.len(), height);
        true
    }

    fn search_again(&mut self) {
        let (Some(search), Some(open)) = (&mut self.search, &self.open) else { return };
        // As vim's smartcase: a capital letter in the pattern makes case count.
        let exact = search.pattern.chars().any(char::is_uppercase);
        let pattern = search.pattern.to_lowercase();
        let holds = |text: &str| if exact { text.contains(&search.pattern) } else { text.to_lowercase().contains(&pattern) };
        let row_holds = |&at: &usize| open.parsed.row(at).and_then(|row| open.patch.get(row.text)).is_some_and(holds);
        search.hits = (0..open.parsed.rows()).filter(row_holds).collect();
    }
}
