//! The environment: every variable that the program reads, and what each means.
//! Must not know: settings files; what they say comes in as arguments.

use crate::github::address::Base;
use crate::github::settings::{Proxy, Secret};
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The variables of the process, read once.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    variables: HashMap<String, OsString>,
    /// The user's home, where the system tells it.
    folders: Option<Folders>,
}

/// Where the system keeps an application's files.
#[derive(Debug, Clone)]
struct Folders {
    config: PathBuf,
    data: PathBuf,
    state: PathBuf,
    cache: PathBuf,
}

/// Where a token may come from, in the order they are tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenSource {
    /// A variable, by its name.
    Variable(&'static str),
    /// `gh auth token --hostname HOST`.
    Gh(String),
    /// `[hosts."HOST"]` in the settings file.
    Settings(String),
}

/// Every variable that is read besides those of the editor and of tokens.
const OTHERS: &[&str] = &[
    "NO_COLOR",
    "TERM",
    "GH_BROWSER",
    "BROWSER",
    "COUNTERSIGN_CONFIG_DIR",
    "COUNTERSIGN_DATA_DIR",
    "COUNTERSIGN_STATE_DIR",
    "COUNTERSIGN_CACHE_DIR",
    "HTTPS_PROXY",
    "https_proxy",
    "NO_PROXY",
    "no_proxy",
];
const EDITORS: [&str; 4] = ["GH_EDITOR", "GIT_EDITOR", "VISUAL", "EDITOR"];
/// Tokens meant for github.com, or for the one address that `--api-url` names.
const GITHUB_TOKENS: [&str; 3] = ["COUNTERSIGN_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"];
const ENTERPRISE_TOKEN: &str = "GH_ENTERPRISE_TOKEN";

impl Environment {
    /// Reads the process's environment.
    #[allow(clippy::disallowed_methods)] // this is the reader of the environment
    pub fn read() -> Environment {
        let names = OTHERS.iter().chain(&EDITORS).chain(&GITHUB_TOKENS).chain([&ENTERPRISE_TOKEN]);
        let variables = names.filter_map(|name| Some(((*name).to_owned(), std::env::var_os(name)?))).collect();
        let folders = directories::ProjectDirs::from("", "", "countersign").map(|dirs| Folders {
            config: dirs.config_dir().to_owned(),
            data: dirs.data_dir().to_owned(),
            // macOS has no such place of its own.
            state: dirs.state_dir().unwrap_or(dirs.data_local_dir()).to_owned(),
            cache: dirs.cache_dir().to_owned(),
        });
        Environment { variables, folders }
    }

    /// Whether the terminal's font is likely to hold braille: a console's of 256 or 512 letters does not.
    pub fn has_braille(&self) -> bool {
        self.terminal().is_none_or(|term| !matches!(term, "linux" | "dumb" | "cons25") && !term.starts_with("vt"))
    }

    /// An environment of these variables, for tests.
    pub fn of(pairs: &[(&str, &str)]) -> Environment {
        let variables = pairs.iter().map(|(name, value)| ((*name).to_owned(), OsString::from(value))).collect();
        Environment { variables, folders: None }
    }

    /// A variable's text; an empty one counts as not set, and so does one that is not UTF-8.
    fn text(&self, name: &str) -> Option<&str> {
        self.variables.get(name)?.to_str().filter(|text| !text.trim().is_empty())
    }

    /// Whether colours are unwanted: `NO_COLOR` with any value, or a terminal that has none.
    pub fn no_color(&self) -> bool {
        self.variables.get("NO_COLOR").is_some_and(|value| !value.is_empty()) || self.text("TERM") == Some("dumb")
    }

    /// What the terminal says it is.
    pub fn terminal(&self) -> Option<&str> {
        self.text("TERM")
    }

    /// The editor's command line.
    pub fn editor(&self) -> &str {
        EDITORS.iter().find_map(|name| self.text(name)).unwrap_or("vi")
    }

    pub fn browser(&self) -> Option<&str> {
        self.text("GH_BROWSER").or_else(|| self.text("BROWSER"))
    }

    /// The folder of settings, themes and policies.
    pub fn config_dir(&self) -> Option<PathBuf> {
        self.folder("COUNTERSIGN_CONFIG_DIR").or_else(|| Some(self.folders.as_ref()?.config.clone()))
    }

    /// The folder of drafts.
    pub fn data_dir(&self) -> Option<PathBuf> {
        self.folder("COUNTERSIGN_DATA_DIR").or_else(|| Some(self.folders.as_ref()?.data.clone()))
    }

    /// The folder of the log.
    pub fn state_dir(&self) -> Option<PathBuf> {
        self.folder("COUNTERSIGN_STATE_DIR").or_else(|| Some(self.folders.as_ref()?.state.clone()))
    }

    /// The folder of kept answers.
    pub fn cache_dir(&self) -> Option<PathBuf> {
        self.folder("COUNTERSIGN_CACHE_DIR").or_else(|| Some(self.folders.as_ref()?.cache.clone()))
    }

    fn folder(&self, name: &str) -> Option<PathBuf> {
        self.variables.get(name).filter(|path| !path.is_empty()).map(|path| Path::new(path).to_owned())
    }

    /// How https connections are tunnelled.
    pub fn proxy(&self) -> Proxy {
        let either = |upper, lower| self.text(upper).or_else(|| self.text(lower)).unwrap_or_default().to_owned();
        Proxy { https: either("HTTPS_PROXY", "https_proxy"), no: either("NO_PROXY", "no_proxy") }
    }

    /// The value of a variable that holds a token.
    pub fn token(&self, name: &str) -> Option<Secret> {
        self.text(name).map(Secret::new)
    }
}

/// Where a token for this API may come from. `given`: the address was typed as `--api-url`, so tokens meant for
/// github.com may go to exactly this scheme, host and port; a host that merely stands in a page's address never gets them.
pub fn token_sources(base: &Base, given: bool) -> Vec<TokenSource> {
    let host = base.authority().to_ascii_lowercase();
    let variables = || GITHUB_TOKENS.into_iter().map(TokenSource::Variable);
    let mut out = Vec::new();
    if *base == Base::github() {
        out.extend(variables());
        out.push(TokenSource::Gh("github.com".to_owned()));
        out.push(TokenSource::Settings("github.com".to_owned()));
        return out;
    }
    if given {
        out.extend(variables());
    }
    // A server on this machine that is asked over http is a stand-in: no other host's token is meant for it.
    if base.is_https() {
        out.push(TokenSource::Variable(ENTERPRISE_TOKEN));
        out.push(TokenSource::Gh(host.clone()));
    }
    out.push(TokenSource::Settings(host));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(address: &str, given: bool) -> String {
        let words = token_sources(&Base::parse(address).unwrap(), given).into_iter().map(|source| match source {
            TokenSource::Variable(name) => name.to_owned(),
            TokenSource::Gh(host) => format!("gh:{host}"),
            TokenSource::Settings(host) => format!("settings:{host}"),
        });
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_token_goes_only_where_it_is_meant_to() {
        let github = "COUNTERSIGN_TOKEN GH_TOKEN GITHUB_TOKEN";
        let table = [
            ("https://api.github.com", false, format!("{github} gh:github.com settings:github.com")),
            ("https://api.github.com", true, format!("{github} gh:github.com settings:github.com")),
            (
                "https://ghe.example.org/api/v3",
                false,
                "GH_ENTERPRISE_TOKEN gh:ghe.example.org settings:ghe.example.org".to_owned(),
            ),
            (
                "https://GHE.example.org/api/v3",
                true,
                format!("{github} GH_ENTERPRISE_TOKEN gh:ghe.example.org settings:ghe.example.org"),
            ),
            ("http://127.0.0.1:4020", true, format!("{github} settings:127.0.0.1:4020")),
            // Not the API of github.com, although it looks like it.
            ("https://api.github.com.example.org", false, {
                let host = "api.github.com.example.org";
                format!("GH_ENTERPRISE_TOKEN gh:{host} settings:{host}")
            }),
            ("https://api.github.com:8443", false, {
                "GH_ENTERPRISE_TOKEN gh:api.github.com:8443 settings:api.github.com:8443".to_owned()
            }),
        ];
        for (address, given, expected) in table {
            assert_eq!(sources(address, given), expected, "{address} given: {given}");
        }
    }

    #[test]
    fn editors_browsers_and_folders_have_an_order() {
        let env = Environment::of(&[("EDITOR", "ed"), ("VISUAL", "code --wait"), ("GIT_EDITOR", " "), ("BROWSER", "w3m")]);
        assert_eq!((env.editor(), env.browser()), ("code --wait", Some("w3m")));
        let env = Environment::of(&[("GH_EDITOR", "nano"), ("VISUAL", "x"), ("GH_BROWSER", "lynx"), ("BROWSER", "w3m")]);
        assert_eq!((env.editor(), env.browser()), ("nano", Some("lynx")));
        let env = Environment::of(&[
            ("COUNTERSIGN_DATA_DIR", "/d"),
            ("COUNTERSIGN_CONFIG_DIR", ""),
            ("COUNTERSIGN_STATE_DIR", "/s"),
            ("COUNTERSIGN_CACHE_DIR", "/c"),
        ]);
        assert_eq!((env.editor(), env.browser()), ("vi", None));
        assert_eq!((env.data_dir(), env.config_dir()), (Some(PathBuf::from("/d")), None));
        assert_eq!(env.state_dir(), Some(PathBuf::from("/s")));
        assert_eq!(env.cache_dir(), Some(PathBuf::from("/c")));
    }

    #[test]
    fn consoles_have_no_braille() {
        for (term, has) in [("linux", false), ("vt220", false), ("dumb", false), ("xterm-256color", true), ("tmux", true)] {
            assert_eq!(Environment::of(&[("TERM", term)]).has_braille(), has, "{term}");
        }
    }

    #[test]
    fn no_color_counts_with_any_value() {
        for (pairs, plain) in [
            (&[("NO_COLOR", "1")][..], true),
            (&[("NO_COLOR", "0")][..], true),
            (&[("NO_COLOR", "")][..], false),
            (&[("TERM", "dumb")][..], true),
            (&[("TERM", "xterm")][..], false),
        ] {
            assert_eq!(Environment::of(pairs).no_color(), plain, "{pairs:?}");
        }
    }
}
