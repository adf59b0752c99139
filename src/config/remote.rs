//! The `origin` remote of a Git configuration: which host and repository a folder belongs to.
//! Must not know: where the configuration lies.

use crate::core::ids::RepoName;

/// A repository on a host, as a remote's address names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    /// In lower case, without a port: `github.com`.
    pub host: String,
    pub repo: RepoName,
}

/// The `origin` remote in the text of a `.git/config`.
pub fn parse_origin(text: &str) -> Option<Remote> {
    let mut inside = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            inside = line.trim_end_matches(']').trim_start_matches('[').split_whitespace().eq(["remote", "\"origin\""]);
        } else if inside
            && let Some((key, value)) = line.split_once('=')
            && key.trim().eq_ignore_ascii_case("url")
        {
            return parse_remote(value.trim().trim_matches('"'));
        }
    }
    None
}

/// `https://host/o/r.git`, `ssh://git@host:22/o/r`, `git@host:o/r.git`. A local path is none.
pub fn parse_remote(url: &str) -> Option<Remote> {
    let (authority, path) = match url.split_once("://") {
        Some(("https" | "http" | "ssh" | "git", rest)) => rest.split_once('/')?,
        Some(_) => return None,
        None => url.split_once(':').filter(|(host, _)| !host.contains('/'))?,
    };
    let host = authority.rsplit('@').next()?;
    let host = host.split(':').next().filter(|host| !host.is_empty())?;
    let path = path.trim_matches('/');
    let repo = RepoName::parse(path.strip_suffix(".git").unwrap_or(path))?;
    let host = host.to_ascii_lowercase();
    // GitHub offers ssh on port 443 under this name.
    let host = if host == "ssh.github.com" { "github.com".to_owned() } else { host };
    Some(Remote { host, repo })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn remotes_are_written_in_several_ways() {
        for url in [
            "https://github.com/o/r.git",
            "https://github.com/o/r",
            "https://github.com/o/r/",
            "https://user:word@GitHub.com/o/r",
            "ssh://git@github.com/o/r.git",
            "ssh://git@ssh.github.com:443/o/r.git",
            "git@github.com:o/r.git",
            "git@github.com:/o/r",
            "github.com:o/r",
        ] {
            let remote = parse_remote(url).unwrap_or_else(|| panic!("{url}"));
            assert_eq!((remote.host.as_str(), remote.repo.to_string().as_str()), ("github.com", "o/r"), "{url}");
        }
        for bad in [
            "",
            "/srv/git/o/r.git",
            "../r",
            "file:///o/r",
            "https://github.com",
            "https://github.com/r",
            "git@github.com:o/r/s",
            ":o/r",
        ] {
            assert_eq!(parse_remote(bad), None, "{bad}");
        }
    }

    #[test]
    fn origin_is_found_among_other_sections() {
        let text = "[core]\n\turl = https://x/a/b\n[remote \"fork\"]\n\turl = git@github.com:me/r.git\n[remote \"origin\"]\n\tfetch = +x\n\
                    \tURL = git@ghe.example.org:o/r.git\n[branch \"main\"]\n\tremote = origin\n";
        let remote = parse_origin(text).unwrap();
        assert_eq!((remote.host.as_str(), remote.repo.to_string().as_str()), ("ghe.example.org", "o/r"));
        assert_eq!(parse_origin("[remote \"origin2\"]\nurl = git@github.com:o/r\n"), None);
        assert_eq!(parse_origin(""), None);
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC*", url in "[a-z:/@.]{0,40}") {
            let _ = parse_origin(&text);
            let _ = parse_remote(&url);
        }
    }
}
