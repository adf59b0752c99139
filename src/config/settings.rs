//! The settings file: what a person may choose, every problem in it at once, and the defaults.
//! Must not know: where the file lies, or what the environment says.

use super::document::{Reader, Value};
use super::problem::Problem;
use crate::app::keymap::Keymap;
use crate::core::checklist::snippets::Snippet;
use crate::core::ids::RepoName;
use std::collections::BTreeMap;
use std::fmt;

/// The default settings: complete, and the documentation of every key.
pub const DEFAULTS: &str = include_str!("../../assets/settings.toml");

/// Everything that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// For arguments that do not name one.
    pub repository: Option<RepoName>,
    /// A built-in theme, or a file of the `themes` folder beside the settings.
    pub theme: String,
    /// A policy file that replaces the built-in one; relative paths start at the settings' folder.
    pub policy: Option<String>,
    /// Outranks the environment.
    pub editor: Option<String>,
    /// Instead of the system's.
    pub browser: Option<String>,
    pub mouse: bool,
    /// Megabytes of answers kept on disk; 0 keeps none.
    pub cache_megabytes: u64,
    pub keymap: Keymap,
    pub notify: Notify,
    /// A PEM file of certificate authorities besides the system's; relative paths start at the settings' folder.
    pub ca_file: Option<String>,
    /// Phrases for reasons that come again and again, by name.
    pub snippets: Vec<Snippet>,
    /// By host, as in `[hosts."ghe.example.org"]`.
    pub hosts: BTreeMap<String, Host>,
}

/// How it is told that something that was waited for has come, besides a line at the foot.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Notify {
    /// The terminal's bell.
    pub bell: bool,
    /// A notification of the terminal's, by OSC 9.
    pub osc9: bool,
    /// A program with its arguments, which gets the text as one argument more.
    pub command: Option<String>,
}

/// What is set for one host.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Host {
    pub token: Option<Token>,
    /// A file that holds the token instead; relative paths start at the settings' folder.
    pub token_file: Option<String>,
}

/// A token as written in the file. It has no `Display`, and its `Debug` shows nothing.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// For the client that is made with it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

const KEYS: &[&str] =
    &["repository", "theme", "policy", "editor", "browser", "mouse", "ca_file", "cache", "snippets", "notify", "keys", "hosts"];

impl Settings {
    /// The built-in defaults; `tests::the_default_file_is_whole` keeps them free of problems.
    pub fn built_in() -> Settings {
        let mut settings = Settings {
            repository: None,
            theme: "dark".to_owned(),
            policy: None,
            editor: None,
            browser: None,
            mouse: true,
            ca_file: None,
            cache_megabytes: 512,
            keymap: Keymap::default(),
            snippets: Vec::new(),
            notify: Notify::default(),
            hosts: BTreeMap::new(),
        };
        settings.apply("settings.toml", DEFAULTS);
        settings
    }

    /// Lays a file over these settings. What is wrong leaves the value as it was and is returned.
    pub fn apply(&mut self, file: &str, text: &str) -> Vec<Problem> {
        let mut reader = Reader::new(file, text);
        for (key, value) in &reader.parse() {
            match key.get_ref().as_ref() {
                "repository" => self.apply_repository(&mut reader, value),
                "theme" => {
                    if let Some(name) = reader.text("theme", value) {
                        if is_name(name) {
                            self.theme = name.to_owned();
                        } else {
                            reader.error(value.span(), format!("\"{name}\" is no name of a theme."), "Write theme = \"dark\".");
                        }
                    }
                }
                "policy" => set(&mut self.policy, reader.text("policy", value)),
                "editor" => set(&mut self.editor, reader.text("editor", value)),
                "browser" => set(&mut self.browser, reader.text("browser", value)),
                "mouse" => self.mouse = reader.flag("mouse", value).unwrap_or(self.mouse),
                "ca_file" => set(&mut self.ca_file, reader.text("ca_file", value)),
                "cache" => self.apply_cache(&mut reader, value),
                "notify" => self.apply_notify(&mut reader, value),
                "keys" => self.apply_keys(&mut reader, value),
                "snippets" => self.apply_snippets(&mut reader, value),
                "hosts" => self.apply_hosts(&mut reader, value),
                other => reader.unknown(key.span(), other, KEYS),
            }
        }
        reader.finish()
    }

    fn apply_repository<'a>(&mut self, reader: &mut Reader<'a>, value: Value<'_, 'a>) {
        let Some(text) = reader.text("repository", value) else { return };
        if text.is_empty() {
            self.repository = None;
            return;
        }
        match RepoName::parse(text) {
            Some(repo) => self.repository = Some(repo),
            None => reader.error(value.span(), format!("\"{text}\" is no repository."), "Write repository = \"OWNER/NAME\"."),
        }
    }

    fn apply_cache<'a>(&mut self, reader: &mut Reader<'a>, value: Value<'_, 'a>) {
        let Some(table) = reader.table("cache", value) else { return };
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "megabytes" => {
                    let most = 1 << 20;
                    self.cache_megabytes = reader.number("megabytes", value, most).unwrap_or(self.cache_megabytes);
                }
                other => reader.unknown(key.span(), other, &["megabytes"]),
            }
        }
    }

    fn apply_notify<'a>(&mut self, reader: &mut Reader<'a>, value: Value<'_, 'a>) {
        let Some(table) = reader.table("notify", value) else { return };
        for (key, value) in table {
            let notify = &mut self.notify;
            match key.get_ref().as_ref() {
                "bell" => notify.bell = reader.flag("bell", value).unwrap_or(notify.bell),
                "osc9" => notify.osc9 = reader.flag("osc9", value).unwrap_or(notify.osc9),
                "command" => set(&mut notify.command, reader.text("command", value)),
                other => reader.unknown(key.span(), other, &["bell", "osc9", "command"]),
            }
        }
    }

    fn apply_keys<'a>(&mut self, reader: &mut Reader<'a>, value: Value<'_, 'a>) {
        let Some(table) = reader.table("keys", value) else { return };
        for (name, keys) in table {
            let Some(sequences) = reader.texts(name.get_ref(), keys) else { continue };
            if let Err(why) = self.keymap.bind(name.get_ref(), &sequences) {
                reader.error(name.span(), why, "");
            }
        }
    }

    fn apply_snippets<'a>(&mut self, reader: &mut Reader<'a>, value: Value<'_, 'a>) {
        let Some(table) = reader.table("snippets", value) else { return };
        for (name, value) in table {
            let Some(text) = reader.text(name.get_ref(), value) else { continue };
            match Snippet::parse(name.get_ref(), text) {
                Ok(snippet) => {
                    self.snippets.retain(|known| known.name != snippet.name);
                    self.snippets.push(snippet);
                }
                Err(why) => reader.error(value.span(), why, ""),
            }
        }
    }

    fn apply_hosts<'a>(&mut self, reader: &mut Reader<'a>, value: Value<'_, 'a>) {
        let Some(hosts) = reader.table("hosts", value) else { return };
        for (name, host) in hosts {
            let key = format!("hosts.\"{}\"", name.get_ref());
            let Some(table) = reader.table(&key, host) else { continue };
            let entry = self.hosts.entry(name.get_ref().to_ascii_lowercase()).or_default();
            for (key, value) in table {
                match key.get_ref().as_ref() {
                    "token" => {
                        let token = reader.text("token", value).map(str::trim).filter(|token| !token.is_empty());
                        entry.token = token.map(|token| Token(token.to_owned()));
                    }
                    "token_file" => set(&mut entry.token_file, reader.text("token_file", value)),
                    other => reader.unknown(key.span(), other, &["token", "token_file"]),
                }
            }
            if entry.token.is_some() && entry.token_file.is_some() {
                let message = format!("\"{key}\" has both a token and a token_file.");
                reader.error(name.span(), message, "Keep one of them.");
            }
        }
    }
}

/// An empty text unsets.
fn set(slot: &mut Option<String>, text: Option<&str>) {
    if let Some(text) = text {
        *slot = Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    }
}

/// A file's name without folders or ending.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ' '))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::action::ACTIONS;
    use crate::config::problem::{Severity, refusal};
    use proptest::prelude::*;

    #[test]
    fn the_default_file_is_whole() {
        let mut settings = Settings::built_in();
        assert_eq!(settings.apply("settings.toml", DEFAULTS), []);
        assert_eq!(settings, Settings::built_in());
        // It names every key and every action, and changes nothing that the registry says.
        assert_eq!(settings.keymap, Keymap::default());
        for key in KEYS {
            assert!(DEFAULTS.contains(&format!("\n{key} = ")) || DEFAULTS.contains(&format!("[{key}")), "{key}");
        }
        for action in ACTIONS {
            assert!(DEFAULTS.contains(&format!("\n{} = [", action.name)), "{}", action.name);
        }
    }

    #[test]
    fn a_file_lies_over_the_defaults() {
        let mut settings = Settings::built_in();
        let text = "repository = \"o/r\"\ntheme = 'mono'\neditor = 'vim -f'\nmouse = false\n[keys]\nnext_hunk = ['C-n', 'g h']\n\
                    post = 'X'\n[cache]\nmegabytes = 0\n[snippets]\nmerge = 'a merge of {base}'\n[hosts.\"GHE.example.org\"]\ntoken = ' t1 '\n[hosts.other]\ntoken = ''\ntoken_file = ' t '\n";
        assert_eq!(settings.apply("s.toml", text), []);
        assert_eq!(settings.repository, RepoName::parse("o/r"));
        assert_eq!((settings.theme.as_str(), settings.editor.as_deref(), settings.mouse), ("mono", Some("vim -f"), false));
        assert_eq!(settings.cache_megabytes, 0);
        assert_eq!(settings.snippets.iter().map(|snippet| snippet.text.as_str()).collect::<Vec<_>>(), ["a merge of {base}"]);
        assert_eq!(settings.keymap.keys("next_hunk"), ["C-n", "g h"]);
        assert_eq!(settings.keymap.keys("post"), ["X"]);
        assert_eq!(settings.hosts["ghe.example.org"].token.as_ref().map(Token::expose), Some("t1"));
        assert_eq!((&settings.hosts["other"].token, settings.hosts["other"].token_file.as_deref()), (&None, Some("t")));
        assert!(!format!("{settings:?}").contains("t1"));
    }

    #[test]
    fn all_problems_come_at_once_with_their_lines() {
        let mut settings = Settings::built_in();
        let text = "repository = 'o'\nmouse = 1\ntheme = '../x'\ncolour = 'red'\n[keys]\nnext_hunk = ['Xx']\nnext_hank = []\ntick = 3\n\
                    [hosts]\na = 1\n[hosts.b]\ntokn = 'x'\n[hosts.c]\ntoken = 'x'\ntoken_file = 'y'\n[cache]\nmegabytes = -1\nx = 1\n";
        let problems = settings.apply("s.toml", text);
        let shown: Vec<String> = problems.iter().map(|p| format!("{:?} {}", p.severity, p.place)).collect();
        let expected = [
            "Error s.toml:1",
            "Error s.toml:2",
            "Error s.toml:3",
            "Warning s.toml:4",
            "Error s.toml:6",
            "Error s.toml:7",
            "Error s.toml:8",
            "Error s.toml:10",
            "Warning s.toml:12",
            "Error s.toml:13",
            "Error s.toml:17",
            "Warning s.toml:18",
        ];
        assert_eq!(shown, expected);
        assert_eq!(settings, Settings { hosts: settings.hosts.clone(), ..Settings::built_in() });
        let refusal = refusal(&problems).unwrap();
        assert_eq!(refusal.kind.exit_code(), 2);
        assert_eq!(refusal.message.lines().count(), 9);
        assert!(super::super::problem::refusal(&problems[..0]).is_none());
    }

    #[test]
    fn a_slip_in_the_syntax_does_not_hide_the_rest() {
        let mut settings = Settings::built_in();
        let problems = settings.apply("s.toml", "theme = \nmouse = false\nnonsense\n");
        assert!(problems.iter().filter(|p| p.severity == Severity::Error).count() >= 2, "{problems:?}");
        assert_eq!(problems[0].place, "s.toml:1");
        assert!(!settings.mouse);
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "(?s).{0,200}") {
            let mut settings = Settings::built_in();
            settings.apply("s.toml", &text);
        }
    }
}
