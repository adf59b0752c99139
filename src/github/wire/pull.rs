//! Viewer, repository, pull request, changed files, commits.
//! Must not know: runs and comments.

use super::{Row, User, actor, time};
use crate::core::ids::{BlobId, Login, PullNumber, RepoName, Sha, UserId};
use crate::core::listing::Listing;
use crate::core::pull;
use crate::core::time::Time;
use crate::core::trouble::{Trouble, TroubleKind};
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny};

#[derive(Debug, Deserialize)]
pub struct Repository {
    full_name: Option<String>,
    default_branch: Option<String>,
    private: Option<bool>,
}

impl Repository {
    pub fn read(self) -> Result<pull::Repository, &'static str> {
        Ok(pull::Repository {
            name: self.full_name.as_deref().and_then(RepoName::parse).ok_or("full_name")?,
            default_branch: self.default_branch.filter(|name| !name.is_empty()).ok_or("default_branch")?,
            private: self.private.unwrap_or(false),
        })
    }
}

/// The token's owner. Unlike other accounts it is never a ghost.
pub fn viewer(user: User) -> Result<pull::Viewer, &'static str> {
    let login = user.login.filter(|login| !login.is_empty()).ok_or("login")?;
    Ok(pull::Viewer { login: Login(login), id: UserId(user.id.ok_or("id")?) })
}

#[derive(Debug, Deserialize)]
struct Label {
    name: Option<String>,
}

#[derive(Debug, Deserialize)]
struct RepositoryName {
    full_name: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct End {
    sha: Option<String>,
    #[serde(rename = "ref")]
    branch: Option<String>,
    repo: Option<RepositoryName>,
}

#[derive(Debug, Deserialize)]
pub struct Pull {
    number: Option<u64>,
    title: Option<String>,
    body: Option<String>,
    state: Option<String>,
    draft: Option<bool>,
    merged: Option<bool>,
    mergeable: Option<bool>,
    #[serde(default, deserialize_with = "is_there")]
    auto_merge: Option<bool>,
    locked: Option<bool>,
    #[serde(default, deserialize_with = "time")]
    merged_at: Option<Time>,
    user: Option<User>,
    labels: Option<Vec<Label>>,
    head: Option<End>,
    base: Option<End>,
    additions: Option<u64>,
    deletions: Option<u64>,
    changed_files: Option<u64>,
    commits: Option<u64>,
    comments: Option<u64>,
    review_comments: Option<u64>,
    html_url: Option<String>,
    #[serde(default, deserialize_with = "time")]
    updated_at: Option<Time>,
}

impl Pull {
    pub fn read(self) -> Result<pull::Pull, &'static str> {
        let (head, base) = (self.head.unwrap_or_default(), self.base.unwrap_or_default());
        Ok(pull::Pull {
            number: PullNumber(self.number.ok_or("number")?),
            title: self.title.unwrap_or_default(),
            body: self.body.unwrap_or_default(),
            state: self.state.ok_or("state")?,
            draft: self.draft.unwrap_or(false),
            merged: self.merged.unwrap_or(self.merged_at.is_some()),
            author: actor(self.user),
            labels: self.labels.unwrap_or_default().into_iter().filter_map(|label| label.name).collect(),
            head: Sha(head.sha.ok_or("head.sha")?),
            head_branch: head.branch.ok_or("head.ref")?,
            head_repo: head.repo.and_then(|repo| repo.full_name).as_deref().and_then(RepoName::parse),
            base: Sha(base.sha.ok_or("base.sha")?),
            base_branch: base.branch.ok_or("base.ref")?,
            additions: self.additions.unwrap_or(0),
            deletions: self.deletions.unwrap_or(0),
            // Counts that lists are compared with: without them, "all" cannot be said.
            changed_files: self.changed_files.ok_or("changed_files")?,
            commits: self.commits.ok_or("commits")?,
            comments: self.comments.unwrap_or(0),
            line_comments: self.review_comments.unwrap_or(0),
            url: self.html_url.unwrap_or_default(),
            updated_at: self.updated_at,
            mergeable: self.mergeable,
            auto_merge: self.auto_merge,
            locked: self.locked,
        })
    }
}

/// Null says no, anything else yes; a member that is absent says nothing.
fn is_there<'de, D: Deserializer<'de>>(of: D) -> Result<Option<bool>, D::Error> {
    Ok(Some(Option::<IgnoredAny>::deserialize(of)?.is_some()))
}

/// A pull request of another repository: what a link to it is judged by.
#[derive(Debug, Deserialize)]
pub struct Linked {
    title: Option<String>,
    state: Option<String>,
    draft: Option<bool>,
    #[serde(default, deserialize_with = "time")]
    merged_at: Option<Time>,
}

impl Linked {
    /// Its files come with another answer.
    pub fn read(self) -> Result<pull::LinkedPull, &'static str> {
        Ok(pull::LinkedPull {
            title: self.title.unwrap_or_default(),
            state: self.state.ok_or("state")?,
            draft: self.draft.unwrap_or(false),
            merged_at: self.merged_at,
            files: Listing::complete(Vec::new()),
        })
    }
}

#[derive(Debug, Deserialize)]
pub struct ChangedFile {
    filename: Option<String>,
    previous_filename: Option<String>,
    status: Option<String>,
    additions: Option<u64>,
    deletions: Option<u64>,
    sha: Option<String>,
    patch: Option<String>,
}

impl Row for ChangedFile {
    type Item = pull::ChangedFile;

    fn read(self) -> Result<pull::ChangedFile, &'static str> {
        Ok(pull::ChangedFile {
            path: self.filename.ok_or("filename")?,
            previous_path: self.previous_filename,
            status: self.status.unwrap_or_else(|| "unknown".to_owned()),
            additions: self.additions.unwrap_or(0),
            deletions: self.deletions.unwrap_or(0),
            blob: self.sha.filter(|sha| !sha.is_empty()).map(BlobId),
            patch: self.patch,
        })
    }

    fn key(item: &pull::ChangedFile) -> String {
        item.path.clone()
    }
}

#[derive(Debug, Default, Deserialize)]
struct Signature {
    name: Option<String>,
    #[serde(default, deserialize_with = "time")]
    date: Option<Time>,
}

#[derive(Debug, Default, Deserialize)]
struct Message {
    message: Option<String>,
    author: Option<Signature>,
}

#[derive(Debug, Deserialize)]
pub struct Commit {
    sha: Option<String>,
    commit: Option<Message>,
    author: Option<User>,
    parents: Option<Vec<IgnoredAny>>,
}

impl Row for Commit {
    type Item = pull::Commit;

    fn read(self) -> Result<pull::Commit, &'static str> {
        let commit = self.commit.unwrap_or_default();
        let signature = commit.author.unwrap_or_default();
        let message = commit.message.unwrap_or_default();
        let login = self.author.and_then(|author| author.login).filter(|login| !login.is_empty());
        Ok(pull::Commit {
            sha: Sha(self.sha.ok_or("sha")?),
            headline: message.lines().next().unwrap_or_default().to_owned(),
            message,
            author: login.or(signature.name).unwrap_or_default(),
            date: signature.date,
            parents: self.parents.map(|parents| parents.len()),
        })
    }

    fn key(item: &pull::Commit) -> String {
        item.sha.0.clone()
    }
}

/// The answer of a comparison, where only the merge base counts.
#[derive(Debug, Deserialize)]
pub struct Comparison {
    merge_base_commit: Option<CommitId>,
}

#[derive(Debug, Deserialize)]
struct CommitId {
    sha: Option<String>,
}

impl Comparison {
    pub fn read(self) -> Result<Sha, &'static str> {
        self.merge_base_commit.and_then(|commit| commit.sha).map(Sha).ok_or("merge_base_commit.sha")
    }
}

/// Files that GitHub lists of a comparison at most: so many are perhaps not all.
const COMPARED_FILES: usize = 300;

/// The answer of a comparison, where the files count. Their numbers of lines and patches do not: both may be missing where
/// much has changed.
#[derive(Debug, Deserialize)]
pub struct Difference {
    status: Option<String>,
    files: Option<Vec<Touched>>,
}

#[derive(Debug, Deserialize)]
struct Touched {
    filename: Option<String>,
    previous_filename: Option<String>,
}

impl Difference {
    pub fn read(self) -> Result<pull::Later, &'static str> {
        let course = match self.status.ok_or("status")?.as_str() {
            "ahead" => pull::Course::Ahead,
            "behind" => pull::Course::Behind,
            "diverged" => pull::Course::Diverged,
            "identical" => pull::Course::Identical,
            other => pull::Course::Other(other.to_owned()),
        };
        // Without the list nobody can say that no file differs.
        let listed = self.files.ok_or("files")?;
        let count = listed.len();
        let named = listed
            .into_iter()
            .filter_map(|file| Some(pull::TouchedFile { path: file.filename?, previous_path: file.previous_filename }));
        let files: Vec<pull::TouchedFile> = named.collect();
        let way = "Compare the two commits in a local clone.";
        let why = if files.len() < count {
            Some(Trouble::new(TroubleKind::Malformed, "GitHub's comparison holds a file without a name.", way))
        } else if count >= COMPARED_FILES {
            let headline = format!("GitHub lists at most {COMPARED_FILES} files of a comparison.");
            Some(Trouble::new(TroubleKind::TooLarge, headline, way))
        } else {
            None
        };
        let files = match why {
            Some(why) => Listing::partial(files, None, why),
            None => Listing::complete(files),
        };
        Ok(pull::Later { course, files })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::fixture;
    use super::*;

    #[test]
    fn a_pull_of_a_deleted_fork_by_a_deleted_account_is_read() {
        let text = r#"{"number":1,"title":null,"body":null,"state":"brand_new","user":null,"labels":[{"name":null},{"name":"x"}],
            "head":{"sha":"h","ref":"b","repo":null,"user":null,"label":null},"base":{"sha":"s","ref":"main"},
            "changed_files":0,"commits":1,"merged_at":"2026-08-11T12:00:00+02:00","updated_at":"never"}"#;
        let pull = fixture::<Pull>("pulls/1", "@", text).read().unwrap();
        assert_eq!((pull.author.login.as_str(), pull.head_repo, pull.merged, pull.updated_at), ("ghost", None, true, None));
        assert_eq!((pull.labels, pull.state.as_str()), (vec!["x".to_owned()], "brand_new"));
        assert_eq!((pull.auto_merge, pull.locked), (None, None));
        for (member, on) in [("null", false), (r#"{"merge_method":"squash"}"#, true)] {
            let told = text.replacen('{', &format!(r#"{{"locked":true,"auto_merge":{member},"#), 1);
            let pull = fixture::<Pull>("pulls/1", "@", &told).read().unwrap();
            assert_eq!((pull.auto_merge, pull.locked), (Some(on), Some(true)), "{member}");
        }
        let missing = text.replace("\"sha\":\"h\",", "");
        assert_eq!(fixture::<Pull>("pulls/1", "@", &missing).read().unwrap_err(), "head.sha");
    }

    #[test]
    fn odd_files_and_commits_are_read() {
        let file = r#"{"filename":"a","sha":null,"status":"odd"}"#;
        let file = fixture::<ChangedFile>("pulls/1/files", "[@]", file).read().unwrap();
        assert_eq!((file.blob, file.patch, file.status.as_str()), (None, None, "odd"));
        let commit = r#"{"sha":"c","author":{},"commit":{"message":"one\n\ntwo","author":{"name":"N","date":"2026-08-10T14:06:04-07:00"}}}"#;
        let commit = fixture::<Commit>("pulls/1/commits", "[@]", commit).read().unwrap();
        assert_eq!((commit.headline.as_str(), commit.author.as_str()), ("one", "N"));
        assert_eq!(commit.date.unwrap().to_rfc3339(), "2026-08-10T21:06:04+00:00");
        assert!(fixture::<Commit>("pulls/1/commits", "[@]", r#"{"sha":"c","author":null,"commit":null}"#).read().is_ok());
    }

    #[test]
    fn a_comparison_tells_its_course_and_whether_its_files_are_all() {
        let read = |text: &str| fixture::<Difference>("compare/a...b", "@", text).read();
        let file = |at: usize| format!(r#"{{"filename":"f{at}","status":"modified","additions":0,"deletions":0,"changes":0}}"#);
        let files = |count: usize| (0..count).map(file).collect::<Vec<_>>().join(",");
        for (word, course) in [
            ("ahead", pull::Course::Ahead),
            ("behind", pull::Course::Behind),
            ("diverged", pull::Course::Diverged),
            ("identical", pull::Course::Identical),
            ("sideways", pull::Course::Other("sideways".into())),
        ] {
            // A file of which GitHub counts no line differs all the same.
            let later = read(&format!(r#"{{"status":"{word}","files":[{}]}}"#, file(0))).unwrap();
            assert_eq!((later.course, later.files.items.len(), later.files.is_complete()), (course, 1, true));
        }
        let status = r#"{"status":"ahead","files":["#;
        for (count, whole) in [(0, true), (299, true), (300, false)] {
            let later = read(&format!("{status}{}]}}", files(count))).unwrap();
            assert_eq!((later.files.items.len(), later.files.is_complete()), (count, whole));
        }
        let renamed = read(&format!(r#"{status}{{"filename":"b","previous_filename":"a"}}]}}"#)).unwrap();
        assert_eq!(renamed.files.items[0].names().collect::<Vec<_>>(), ["b", "a"]);
        let nameless = read(&format!(r#"{status}{{"filename":null}},{}]}}"#, file(1))).unwrap();
        assert_eq!((nameless.files.items.len(), nameless.files.is_complete()), (1, false));
        for (text, member) in [(r#"{"status":"ahead"}"#, "files"), (r#"{"files":[]}"#, "status")] {
            assert_eq!(read(text).unwrap_err(), member);
        }
    }

    #[test]
    fn a_commit_tells_how_many_it_follows_where_github_does() {
        for (parents, count) in
            [("", None), (r#","parents":[]"#, Some(0)), (r#","parents":[{"sha":"a"},{"sha":"b"}]"#, Some(2))]
        {
            let text = format!(r#"{{"sha":"c"{parents}}}"#);
            assert_eq!(fixture::<Commit>("pulls/1/commits", "[@]", &text).read().unwrap().parents, count);
        }
    }
}
