//! The talk pane: comments, reviews and line comments in the order of time, rendered for a width.
//! Must not know: colours.

use super::Scroll;
use crate::core::evidence::Source;
use crate::core::facts::Facts;
use crate::core::listing::Listing;
use crate::core::markdown::blocks::{Row, render_rows};
use crate::core::pull::{Comment, CommentPlace};
use crate::core::remote::Remote;
use std::collections::HashMap;

#[derive(Debug, Default)]
pub struct TalkScreen {
    pub scroll: Scroll,
    /// Columns that `rows` were made for.
    cols: usize,
    /// The answers that `comments` were collected from.
    collected: [Option<Source>; 4],
    pub rows: Vec<TalkRow>,
    /// Comments in the order shown.
    pub comments: Vec<Comment>,
}

/// One row of the pane.
#[derive(Debug, Clone, PartialEq)]
pub enum TalkRow {
    /// Who, when, where: the comment at this index begins.
    Head(usize),
    Text(usize, Row),
    Gap,
}

impl TalkRow {
    pub fn comment(&self) -> Option<usize> {
        match self {
            TalkRow::Head(at) | TalkRow::Text(at, _) => Some(*at),
            TalkRow::Gap => None,
        }
    }
}

impl TalkScreen {
    /// Makes the rows anew when the facts or the width changed.
    pub(in crate::app) fn sync(&mut self, facts: &Facts, cols: usize, facts_changed: bool) {
        if !facts_changed && cols == self.cols {
            return;
        }
        let sources = sources(facts);
        let (same_comments, same_width) = (sources == self.collected, cols == self.cols);
        if same_comments && same_width {
            return;
        }
        let before = if same_comments { Vec::new() } else { std::mem::replace(&mut self.comments, collect(facts)) };
        (self.cols, self.collected) = (cols, sources);
        // A page more, or one comment, does not make a thousand be wrapped again.
        let mut kept: HashMap<&str, (usize, Vec<Row>)> = HashMap::new();
        for row in self.rows.drain(..) {
            if let TalkRow::Text(at, row) = row
                && let Some(comment) = before.get(at).filter(|_| same_width)
            {
                // Of those that say the same, one is enough.
                let (first, rows) = kept.entry(&comment.body).or_insert_with(|| (at, Vec::new()));
                if *first == at {
                    rows.push(row);
                }
            }
        }
        for (at, comment) in self.comments.iter().enumerate() {
            let rows = match kept.remove(comment.body.as_str()) {
                Some((_, rows)) => rows,
                None => render_rows(&comment.body, cols),
            };
            self.rows.push(TalkRow::Head(at));
            self.rows.extend(rows.into_iter().map(|row| TalkRow::Text(at, row)));
            self.rows.push(TalkRow::Gap);
        }
        self.rows.pop();
    }
}

/// What [`collect`] reads.
fn sources(facts: &Facts) -> [Option<Source>; 4] {
    let of = |list: &Remote<Listing<Comment>>| list.known().map(|got| got.source.clone());
    let pull = facts.pull.known().map(|got| got.source.clone());
    [pull, of(&facts.comments), of(&facts.reviews), of(&facts.line_comments)]
}

/// The description as the first comment, then everything said, oldest first; empty review summaries are left out.
fn collect(facts: &Facts) -> Vec<Comment> {
    let mut out: Vec<Comment> = Vec::new();
    for list in [&facts.comments, &facts.reviews, &facts.line_comments] {
        let items = list.value().map(|list| list.items.as_slice()).unwrap_or_default();
        out.extend(
            items.iter().filter(|comment| comment.place != CommentPlace::Review || !comment.body.trim().is_empty()).cloned(),
        );
    }
    out.sort_by_key(|comment| comment.created_at);
    if let Some(pull) = facts.pull.value().filter(|pull| !pull.body.trim().is_empty()) {
        let description = Comment {
            id: crate::core::ids::CommentId(0),
            place: CommentPlace::Conversation,
            author: pull.author.clone(),
            association: String::new(),
            body: pull.body.clone(),
            created_at: None,
            updated_at: None,
            url: pull.url.clone(),
            detail: Some("description".to_owned()),
        };
        out.insert(0, description);
    }
    out
}

/// The lists of the pane with their names: for what is loading, partial or missing.
pub fn lists(facts: &Facts) -> [(&'static str, &Remote<Listing<Comment>>); 3] {
    [("comments", &facts.comments), ("reviews", &facts.reviews), ("line comments", &facts.line_comments)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::plan::{Answer, Read, absorb};
    use crate::core::policy::tests::policy;
    use crate::core::sample::{World, actor, comment};

    #[test]
    fn rows_that_are_kept_are_those_that_would_be_made() {
        let mut world = World::new();
        let mut facts = world.opened(&policy());
        let mut screen = TalkScreen::default();
        let said = ["same", "a\n\nb", "same", "", "new", "same"];
        for (count, cols) in [(1, 40), (3, 40), (6, 40), (2, 40), (6, 9), (0, 9), (5, 9)] {
            let say = |(at, body): (usize, &&str)| comment(at as u64, actor("x", 1), body);
            world.comments = said.iter().take(count).enumerate().map(say).collect();
            let reply = world.reply(Read::Comments);
            assert!(matches!(&reply.answer, Ok((Answer::Comments(_), _))));
            absorb(&mut facts, reply);
            screen.sync(&facts, cols, true);
            let mut anew = TalkScreen::default();
            anew.sync(&facts, cols, true);
            assert_eq!((&screen.rows, &screen.comments), (&anew.rows, &anew.comments), "{count} {cols}");
        }
    }
}
