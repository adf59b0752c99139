//! The Git folder around the current one: which repository its `origin` is.
//! Must not know: Git's commands; it reads two small files.

#![allow(clippy::disallowed_methods)] // files belong to runtime

use crate::config::remote::{Remote, parse_origin};
use std::path::{Path, PathBuf};

/// The `origin` remote of the working tree that holds `folder`.
pub fn origin(folder: &Path) -> Option<Remote> {
    let config = config_of(folder)?;
    parse_origin(&read(&config)?)
}

/// The shared configuration of the working tree that holds `folder`.
fn config_of(folder: &Path) -> Option<PathBuf> {
    for folder in folder.ancestors() {
        let git = folder.join(".git");
        if git.is_dir() {
            return Some(git.join("config"));
        }
        if let Some(text) = git.is_file().then(|| read(&git)).flatten() {
            // A linked working tree or a submodule: the file names the real folder.
            let real = folder.join(text.strip_prefix("gitdir:")?.trim());
            let common = read(&real.join("commondir")).map_or(real.clone(), |common| real.join(common.trim()));
            return Some(common.join("config"));
        }
    }
    None
}

fn read(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_remote_is_found_from_below_and_from_linked_trees() {
        let root = tempfile::tempdir().unwrap();
        let at = |path: &str| root.path().join(path);
        fs::create_dir_all(at("tree/.git/worktrees/side")).unwrap();
        fs::create_dir_all(at("tree/deep/er")).unwrap();
        fs::create_dir_all(at("side/src")).unwrap();
        fs::create_dir_all(at("none")).unwrap();
        fs::write(at("tree/.git/config"), "[remote \"origin\"]\n\turl = git@github.com:o/r.git\n").unwrap();
        fs::write(at("tree/.git/worktrees/side/commondir"), "../..\n").unwrap();
        fs::write(at("side/.git"), format!("gitdir: {}\n", at("tree/.git/worktrees/side").display())).unwrap();
        for folder in ["tree", "tree/deep/er", "side/src"] {
            assert_eq!(origin(&at(folder)).map(|remote| remote.repo.to_string()).as_deref(), Some("o/r"), "{folder}");
        }
        fs::write(at("none/.git"), "nonsense").unwrap();
        assert_eq!(origin(&at("none")), None);
    }
}
