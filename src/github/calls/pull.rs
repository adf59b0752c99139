//! The pull request itself: viewer, repository, description, files, commits, comments, merge base.
//! Must not know: runs.

use super::list::List;
use super::{Change, Client, Form, OnPage, Paths};
use crate::core::evidence::Source;
use crate::core::ids::{CommentId, PullNumber, PullRef, Sha};
use crate::core::listing::Listing;
use crate::core::plan::Answer;
use crate::core::trouble::{Trouble, TroubleKind};
use crate::github::wire;
use crate::github::wire::comment::{IssueComment, LineComment, PendingComment, Review};

type Outcome = Result<(Answer, Source), Trouble>;

impl Client {
    /// Refuses what GitHub would refuse without a token.
    pub(super) fn must_be_someone(&self) -> Result<(), Trouble> {
        if self.inner.asks_as_someone() {
            return Ok(());
        }
        Err(Trouble::new(
            TroubleKind::Access,
            "There is no token: this is read-only.",
            "Give one, for example in COUNTERSIGN_TOKEN or GH_TOKEN, or by `gh auth login`.",
        ))
    }

    pub(super) async fn viewer(&self) -> Outcome {
        self.must_be_someone()?;
        let got = self.get("/user", Form::Json, 1).await?;
        let viewer = got.read(wire::pull::viewer)?;
        Ok((Answer::Viewer(viewer), self.source_of(&got, None)))
    }

    pub(super) async fn repository(&self, paths: &Paths<'_>) -> Outcome {
        let got = self.get(&paths.at(""), Form::Json, 1).await?;
        let repository = got.read(wire::pull::Repository::read)?;
        Ok((Answer::Repository(repository), self.source_of(&got, None)))
    }

    pub(super) async fn pull(&self, paths: &Paths<'_>, number: PullNumber) -> Outcome {
        let got = self.get(&paths.at(&format!("/pulls/{number}")), Form::Json, 1).await?;
        let pull = got.read(wire::pull::Pull::read)?;
        let head = pull.head.clone();
        Ok((Answer::Pull(pull), self.source_of(&got, Some(head))))
    }

    pub(super) async fn files(&self, paths: &Paths<'_>, number: PullNumber, on_page: OnPage<'_>) -> Outcome {
        let list = plain(paths.at(&format!("/pulls/{number}/files")), Some((3000, "changed files")));
        let mut tell = |listing, source| on_page(Answer::Files(listing), source);
        let (listing, source) = self.list::<wire::pull::ChangedFile>(&list, &mut tell).await?;
        Ok((Answer::Files(listing), source))
    }

    pub(super) async fn commits(&self, paths: &Paths<'_>, number: PullNumber, on_page: OnPage<'_>) -> Outcome {
        let list = plain(paths.at(&format!("/pulls/{number}/commits")), Some((250, "commits")));
        let mut tell = |listing, source| on_page(Answer::Commits(listing), source);
        let (listing, source) = self.list::<wire::pull::Commit>(&list, &mut tell).await?;
        Ok((Answer::Commits(listing), source))
    }

    pub(super) async fn comments(&self, paths: &Paths<'_>, number: PullNumber, on_page: OnPage<'_>) -> Outcome {
        let list = plain(paths.at(&format!("/issues/{number}/comments")), None);
        let mut tell = |listing, source| on_page(Answer::Comments(listing), source);
        let (listing, source) = self.list::<IssueComment>(&list, &mut tell).await?;
        Ok((Answer::Comments(listing), source))
    }

    pub(super) async fn reviews(&self, paths: &Paths<'_>, number: PullNumber, on_page: OnPage<'_>) -> Outcome {
        let list = plain(paths.at(&format!("/pulls/{number}/reviews")), None);
        let mut tell = |listing, source| on_page(Answer::Reviews(listing), source);
        let (listing, source) = self.list::<Review>(&list, &mut tell).await?;
        Ok((Answer::Reviews(listing), source))
    }

    pub(super) async fn line_comments(&self, paths: &Paths<'_>, number: PullNumber, on_page: OnPage<'_>) -> Outcome {
        let list = plain(paths.at(&format!("/pulls/{number}/comments")), None);
        let mut tell = |listing, source| on_page(Answer::LineComments(listing), source);
        let (listing, source) = self.list::<LineComment>(&list, &mut tell).await?;
        Ok((Answer::LineComments(listing), source))
    }

    pub(super) async fn pending_comments(
        &self,
        paths: &Paths<'_>,
        number: PullNumber,
        review: CommentId,
        on_page: OnPage<'_>,
    ) -> Outcome {
        let list = plain(paths.at(&format!("/pulls/{number}/reviews/{review}/comments")), None);
        let mut tell = |listing, source| on_page(Answer::PendingComments(listing), source);
        let (listing, source) = self.list::<PendingComment>(&list, &mut tell).await?;
        Ok((Answer::PendingComments(listing), source))
    }

    /// A pull request elsewhere: itself and its files, both at once.
    pub(super) async fn linked(&self, linked: &PullRef) -> Outcome {
        let paths = Paths(&linked.repo);
        let address = paths.at(&format!("/pulls/{}", linked.number));
        let list = plain(format!("{address}/files"), Some((3000, "changed files")));
        let mut tell = |_, _| {};
        let files = self.list::<wire::pull::ChangedFile>(&list, &mut tell);
        let (got, files) = futures::join!(self.get(&address, Form::Json, 1), files);
        let got = got?;
        let mut pull = got.read(wire::pull::Linked::read)?;
        pull.files = match files {
            Ok((files, _)) => files,
            Err(why) => Listing::partial(Vec::new(), None, why),
        };
        Ok((Answer::Linked(pull), self.source_of(&got, None)))
    }

    pub(super) async fn merge_base(&self, paths: &Paths<'_>, base: &Sha, head: Sha) -> Outcome {
        let address = paths.at(&format!("/compare/{base}...{head}?per_page=1"));
        let got = self.get_once(&address, Form::Json, 1, Change::of(&[base, &head])).await?;
        let sha = got.read(wire::pull::Comparison::read)?;
        Ok((Answer::MergeBase(sha), self.source_of(&got, Some(head))))
    }

    /// The files stand on the first page alone, however few commits it holds; the commits are listed elsewhere.
    pub(super) async fn later(&self, paths: &Paths<'_>, measured: &Sha, head: Sha) -> Outcome {
        let address = paths.at(&format!("/compare/{measured}...{head}?per_page=1"));
        let got = self.get_once(&address, Form::Json, 1, Change::of(&[measured, &head])).await?;
        let later = got.read(wire::pull::Difference::read)?;
        Ok((Answer::Later(later), self.source_of(&got, Some(head))))
    }
}

fn plain(address: String, cap: Option<(usize, &'static str)>) -> List {
    List { address, envelope: None, cap, commit: None }
}
