//! Files that a script of a pull request sources: read as part of it where they are known, told where they are not.
//! Must not know: how a script is read, what is said of it.

use super::launched::{Judged, Launched, TextId};
use super::texts::{self, Text};
use super::{LaunchRules, arms::Arm};
use crate::core::facts::Facts;
use crate::core::launch::{LaunchPolicy, Library, Sourced};
use crate::core::plan::Read;
use std::sync::Arc;

/// How deep files that source each other are followed.
const MAX_ROUNDS: usize = 8;

/// A file that a script sources and that was not read with it.
#[derive(Debug, Clone, PartialEq)]
pub struct Unfollowed {
    /// The script.
    pub path: String,
    pub source: Sourced,
    pub why: Why,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// This path is not read yet.
    Wants(String),
    Failed(String),
    /// The head holds none of the places.
    Absent,
    /// The script does not tell where it lies, or tells a place outside the repository.
    Untold,
}

impl Unfollowed {
    /// Asks for it.
    pub fn read(&self, facts: &Facts) -> Option<Read> {
        match &self.why {
            Why::Wants(path) => texts::read(facts, path),
            _ => None,
        }
    }

    /// Why nothing can be said yet; `None` where what there is can be said, with [`Unfollowed::remark`].
    pub fn gap(&self) -> Option<String> {
        let (path, source) = (&self.path, &self.source);
        match &self.why {
            Why::Wants(file) => Some(format!("{path} sources {file} (line {}), which is not read yet.", source.line)),
            Why::Failed(why) => {
                let why = why.trim_end_matches('.');
                Some(format!("{path} sources {} (line {}), which cannot be read: {why}.", source.written, source.line))
            }
            Why::Absent | Why::Untold => None,
        }
    }

    /// What is said besides.
    pub fn remark(&self) -> Option<String> {
        let (path, source) = (&self.path, &self.source);
        let why = match self.why {
            Why::Absent => "which does not exist at the head and was not read",
            Why::Untold => "which was not read: it lies outside the repository, or the script does not tell where",
            Why::Wants(_) | Why::Failed(_) => return None,
        };
        Some(format!("{path} sources {} (line {}), {why}. Look there for flags and variables.", source.written, source.line))
    }
}

impl Launched {
    /// The launches of a script with the files that it sources, and those that are not there. `find` gives a path's text on
    /// the side that is asked about.
    pub(super) fn followed<'t>(
        &self,
        out: &mut Launched,
        find: &dyn Fn(&str) -> Text<'t>,
        arm: &Arm,
        launch: &LaunchPolicy,
        rules: &LaunchRules,
    ) -> Option<(TextId, Arc<Vec<Judged>>, Vec<Unfollowed>)> {
        let text = find(&arm.path);
        let mut id = TextId::of(arm, &text)?;
        let mut library = Library::new();
        let mut round = 0;
        loop {
            round += 1;
            let judged = self.judge(out, id.clone(), || text.text(), &library, launch, rules);
            let (mut missing, mut more) = (Vec::new(), false);
            for source in judged.iter().flat_map(|one| &one.launch.sources) {
                let why = match held(find, source) {
                    Ok((path, text, held)) if round < MAX_ROUNDS && !library.contains_key(&path) => {
                        // With another file it is another text.
                        id.text.push_str(&format!(" {path} {text}"));
                        id.sources += 1;
                        library.insert(path, held);
                        more = true;
                        continue;
                    }
                    Ok(_) => Why::Untold,
                    Err(why) => why,
                };
                missing.push(Unfollowed { path: arm.path.clone(), source: source.clone(), why });
            }
            if !more {
                return Some((id, judged, missing));
            }
        }
    }
}

/// The first place of a sourced file that exists: its path, what its text is known by, and the text.
fn held<'t>(find: &dyn Fn(&str) -> Text<'t>, source: &Sourced) -> Result<(String, String, String), Why> {
    if source.paths.is_empty() {
        return Err(Why::Untold);
    }
    for path in &source.paths {
        let text = find(path);
        match (&text, text.id(), text.text()) {
            (Text::Absent, ..) => {}
            (Text::Unread(None), ..) => return Err(Why::Wants(path.clone())),
            (Text::Unread(Some(why)), ..) => return Err(Why::Failed(why.clone())),
            (_, Some(id), Some(held)) => return Ok((path.clone(), id.to_owned(), held.into_owned())),
            _ => return Err(Why::Failed("it holds no text".to_owned())),
        }
    }
    Err(Why::Absent)
}
