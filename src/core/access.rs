//! What a token is and what it may do, as far as GitHub tells, and which right each feature needs.
//! Must not know: addresses, headers, where a token comes from.

use serde::Serialize;

/// Whom a token stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    pub login: String,
    pub kind: TokenKind,
    /// As GitHub writes it; `None` when the token does not expire, or nothing was said.
    pub expires: Option<String>,
}

/// What kind of token it is, as the answer tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenKind {
    /// Its rights are scopes, which GitHub lists.
    Classic { scopes: Vec<String> },
    /// The same, made by an application such as `gh`.
    OfApp { scopes: Vec<String> },
    /// Its rights are permissions per repository, which GitHub lists nowhere: only asking tells.
    FineGrained,
}

impl TokenKind {
    pub fn word(&self) -> &'static str {
        match self {
            TokenKind::Classic { .. } => "classic",
            TokenKind::OfApp { .. } => "of an OAuth application",
            TokenKind::FineGrained => "fine-grained, or of a GitHub App",
        }
    }

    pub fn scopes(&self) -> Option<&[String]> {
        match self {
            TokenKind::Classic { scopes } | TokenKind::OfApp { scopes } => Some(scopes),
            TokenKind::FineGrained => None,
        }
    }

    /// Whether comments can be written; `None` when only writing one would tell.
    pub fn may_comment(&self, private: bool) -> Option<bool> {
        let fits = |scope: &String| scope == "repo" || (scope == "public_repo" && !private);
        Some(self.scopes()?.iter().any(fits))
    }
}

/// One thing that is tried by a small read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Probe {
    Pull,
    Files,
    Commits,
    Comments,
    Reviews,
    Contents,
    Runs,
    Jobs,
    Artifacts,
    Statuses,
    Checks,
    Teams,
}

impl Probe {
    pub const ALL: [Probe; 12] = [
        Probe::Pull,
        Probe::Files,
        Probe::Commits,
        Probe::Comments,
        Probe::Reviews,
        Probe::Contents,
        Probe::Runs,
        Probe::Jobs,
        Probe::Artifacts,
        Probe::Statuses,
        Probe::Checks,
        Probe::Teams,
    ];

    /// What a person would call it.
    pub fn name(self) -> &'static str {
        match self {
            Probe::Pull => "pull requests",
            Probe::Files => "changed files",
            Probe::Commits => "commits",
            Probe::Comments => "conversation",
            Probe::Reviews => "reviews",
            Probe::Contents => "checklist, thresholds, configs",
            Probe::Runs => "workflow runs",
            Probe::Jobs => "jobs",
            Probe::Artifacts => "artifacts",
            Probe::Statuses => "commit statuses",
            Probe::Checks => "checks of other apps",
            Probe::Teams => "teams of the organisation",
        }
    }

    /// The permission of a fine-grained token.
    pub fn permission(self) -> &'static str {
        match self {
            Probe::Pull | Probe::Files | Probe::Commits | Probe::Reviews => "Pull requests: read",
            Probe::Comments => "Issues or Pull requests: read",
            Probe::Contents => "Contents: read",
            Probe::Runs | Probe::Jobs | Probe::Artifacts => "Actions: read",
            Probe::Statuses => "Commit statuses: read",
            Probe::Checks => "Checks: read, which is not offered for personal tokens",
            Probe::Teams => "Members: read, of the organisation",
        }
    }

    /// Whether this program reads it; the rest is said for whoever wonders.
    pub fn is_needed(self) -> bool {
        !matches!(self, Probe::Statuses | Probe::Checks | Probe::Teams)
    }
}

/// How a check came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Health {
    Good,
    /// The program works; something is less than it could be.
    Doubtful,
    /// Something that the program needs does not work.
    Broken,
}

impl Health {
    pub fn mark(self) -> char {
        match self {
            Health::Good => '✓',
            Health::Doubtful => '!',
            Health::Broken => '✗',
        }
    }
}

/// One row of the doctor's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    pub about: &'static str,
    pub health: Health,
    pub name: String,
    /// What was found.
    pub told: String,
    /// What to do; empty when there is nothing to do.
    pub hint: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_tell_whether_comments_can_be_written() {
        let classic = |scopes: &[&str]| TokenKind::Classic { scopes: scopes.iter().map(|&scope| scope.to_owned()).collect() };
        for (kind, private, may) in [
            (classic(&["repo"]), true, Some(true)),
            (classic(&["public_repo", "read:org"]), false, Some(true)),
            (classic(&["public_repo"]), true, Some(false)),
            (classic(&["repo:status"]), false, Some(false)),
            (classic(&[]), false, Some(false)),
            (TokenKind::FineGrained, false, None),
        ] {
            assert_eq!(kind.may_comment(private), may, "{kind:?}");
        }
    }
}
