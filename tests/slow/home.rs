//! A home of its own for each test: no settings, tokens, drafts or terminal habits of the person who runs it.
//! Must not know: what is stored in it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

pub struct Home {
    root: TempDir,
}

impl Home {
    pub fn new() -> Home {
        let home = Home { root: TempDir::with_prefix("countersign-test-").unwrap() };
        for folder in ["config", "data", "state", "cache", "run", "work", "tmp"] {
            std::fs::create_dir(home.root.path().join(folder)).unwrap();
        }
        home
    }

    /// An empty folder that is no repository: where programs are started.
    pub fn work(&self) -> PathBuf {
        self.root.path().join("work")
    }

    /// `XDG_DATA_HOME`: where drafts live.
    pub fn data(&self) -> PathBuf {
        self.root.path().join("data")
    }

    /// `XDG_STATE_HOME`: where the log lives.
    pub fn state(&self) -> PathBuf {
        self.root.path().join("state")
    }

    /// Everything that a program may have left behind.
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// `XDG_CACHE_HOME`: where answers are kept.
    pub fn cache(&self) -> PathBuf {
        self.root.path().join("cache")
    }

    /// The whole environment of a program in this home. Nothing but `PATH` comes from outside.
    pub fn environment(&self) -> Vec<(OsString, OsString)> {
        let inside = |folder: &str| self.root.path().join(folder).into_os_string();
        let mut out: Vec<(OsString, OsString)> = vec![
            ("HOME".into(), self.root.path().into()),
            ("XDG_CONFIG_HOME".into(), inside("config")),
            ("XDG_DATA_HOME".into(), inside("data")),
            ("XDG_STATE_HOME".into(), inside("state")),
            ("XDG_CACHE_HOME".into(), inside("cache")),
            ("XDG_RUNTIME_DIR".into(), inside("run")),
            ("TMPDIR".into(), inside("tmp")),
            ("SHELL".into(), "/bin/sh".into()),
            ("TERM".into(), "xterm-256color".into()),
            ("LANG".into(), "C.UTF-8".into()),
            ("GIT_CONFIG_NOSYSTEM".into(), "1".into()),
        ];
        out.extend(std::env::var_os("PATH").map(|path| ("PATH".into(), path)));
        out
    }

    /// Every file below `folder`, with its content as text: what a crash left behind.
    pub fn files(folder: &Path) -> Vec<(PathBuf, String)> {
        let (mut out, mut open) = (Vec::new(), vec![folder.to_owned()]);
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                match entry.path() {
                    path if path.is_dir() => open.push(path),
                    path => {
                        let text = std::fs::read(&path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
                        out.push((path, text.unwrap_or_default()));
                    }
                }
            }
        }
        out.sort();
        out
    }
}
