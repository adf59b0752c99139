//! Conversation comments, reviews and line comments: three shapes of one fact.
//! Must not know: what makes a comment a sign-off.

use super::{Row, User, actor, time};
use crate::core::ids::{CommentId, UserId};
use crate::core::pull::{self, CommentPlace};
use crate::core::time::Time;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
struct Common {
    id: Option<u64>,
    user: Option<User>,
    author_association: Option<String>,
    body: Option<String>,
    #[serde(default, deserialize_with = "time")]
    created_at: Option<Time>,
    #[serde(default, deserialize_with = "time")]
    updated_at: Option<Time>,
    html_url: Option<String>,
}

impl Common {
    fn read(self, place: CommentPlace, detail: Option<String>) -> Result<pull::Comment, &'static str> {
        Ok(pull::Comment {
            id: CommentId(self.id.ok_or("id")?),
            place,
            author: actor(self.user),
            association: self.author_association.unwrap_or_default(),
            body: self.body.unwrap_or_default(),
            created_at: self.created_at,
            updated_at: self.updated_at,
            url: self.html_url.unwrap_or_default(),
            detail,
        })
    }
}

#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub struct IssueComment(Common);

impl Row for IssueComment {
    type Item = pull::Comment;

    fn read(self) -> Result<pull::Comment, &'static str> {
        self.0.read(CommentPlace::Conversation, None)
    }

    fn key(item: &pull::Comment) -> String {
        item.id.to_string()
    }
}

impl IssueComment {
    /// What a post needs to know of the comment it made.
    pub fn posted(self) -> Result<pull::Posted, &'static str> {
        Ok(pull::Posted {
            id: CommentId(self.0.id.ok_or("id")?),
            author: self.0.user.and_then(|user| user.id).map(UserId),
            url: self.0.html_url.ok_or("html_url")?,
        })
    }
}

#[derive(Debug, Deserialize)]
pub struct Review {
    #[serde(flatten)]
    common: Common,
    state: Option<String>,
    /// Absent while the review is pending.
    #[serde(default, deserialize_with = "time")]
    submitted_at: Option<Time>,
}

impl Row for Review {
    type Item = pull::Comment;

    fn read(mut self) -> Result<pull::Comment, &'static str> {
        self.common.created_at = self.common.created_at.or(self.submitted_at);
        self.common.read(CommentPlace::Review, self.state)
    }

    fn key(item: &pull::Comment) -> String {
        item.id.to_string()
    }
}

#[derive(Debug, Deserialize)]
pub struct LineComment {
    #[serde(flatten)]
    common: Common,
    path: Option<String>,
    line: Option<u64>,
    original_line: Option<u64>,
}

impl Row for LineComment {
    type Item = pull::Comment;

    fn read(self) -> Result<pull::Comment, &'static str> {
        let detail = self.path.map(|path| match self.line.or(self.original_line) {
            Some(line) => format!("{path}:{line}"),
            None => path,
        });
        self.common.read(CommentPlace::Line, detail)
    }

    fn key(item: &pull::Comment) -> String {
        item.id.to_string()
    }
}

/// An inline comment of a pending review: that it is there is all that is read.
#[derive(Debug, Deserialize)]
pub struct PendingComment {
    id: Option<u64>,
}

impl Row for PendingComment {
    type Item = CommentId;

    fn read(self) -> Result<CommentId, &'static str> {
        self.id.map(CommentId).ok_or("id")
    }

    fn key(item: &CommentId) -> String {
        item.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::fixture;
    use super::*;

    #[test]
    fn the_three_shapes_become_one() {
        let read = |comment: Result<pull::Comment, &'static str>| {
            let comment = comment.unwrap();
            (comment.place, comment.author.login.0, comment.body, comment.detail)
        };
        let comment = r#"{"id":1,"user":null,"minimized":{"reason":null}}"#;
        let comment: IssueComment = fixture("issues/1/comments", "[@]", comment);
        assert_eq!(read(comment.read()), (CommentPlace::Conversation, "ghost".into(), String::new(), None));
        let review = r#"{"id":2,"user":{"login":"x","id":1},"body":"b","state":"NEW_WORD"}"#;
        let review: Review = fixture("pulls/1/reviews", "[@]", review);
        assert_eq!(read(review.read()), (CommentPlace::Review, "x".into(), "b".into(), Some("NEW_WORD".into())));
        let line = r#"{"id":3,"user":null,"path":"a/b","line":null,"original_line":7,"position":null}"#;
        let line: LineComment = fixture("pulls/1/comments", "[@]", line);
        assert_eq!(line.read().unwrap().detail.as_deref(), Some("a/b:7"));
    }

    #[test]
    fn a_review_has_the_time_it_was_submitted() {
        let review = r#"{"id":2,"submitted_at":"2026-08-11T12:00:00Z"}"#;
        let review = fixture::<Review>("pulls/1/reviews", "[@]", review).read().unwrap();
        assert!(review.created_at.is_some());
    }
}
