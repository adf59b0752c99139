//! Finds the token of an API, and the extra certificate authorities: environment, `gh`, the settings and the files they name.
//! Must not know: what a token may do.

#![allow(clippy::disallowed_methods)] // files and programs belong to runtime

use super::clock;
use super::environment::{Environment, TokenSource, token_sources};
use crate::config::{Problem, Settings, Severity};
use crate::core::trouble::{Trouble, TroubleKind};
use crate::github::{Authorities, Base, Secret};
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// `gh` only reads a file; when it asks a keyring that asks a person, the program does not wait for ever.
const GH_PATIENCE: Duration = Duration::from_secs(5);
/// Bytes of a token's file: more is no token.
const MOST_TOKEN: u64 = 16 << 10;
/// Bytes of a file of certificates; the system's own are about 200 KiB.
const MOST_CERTIFICATES: u64 = 8 << 20;

/// The first token that [`token_sources`] finds, and where. A file that the settings name and that must not be used is a
/// trouble and not the same as none: the person believes to be known.
pub fn find(
    base: &Base,
    given: bool,
    environment: &Environment,
    settings: &Settings,
) -> Result<Option<(Secret, String)>, Trouble> {
    for source in token_sources(base, given) {
        let found = match source {
            TokenSource::Variable(name) => environment.token(name).map(|token| (token, name.to_owned())),
            TokenSource::Gh(host) => gh(&host).map(|token| (token, format!("gh auth token --hostname {host}"))),
            TokenSource::Settings(host) => match settings.hosts.get(&host) {
                None => None,
                Some(host) => match (&host.token, &host.token_file) {
                    (Some(token), _) => Some((Secret::new(token.expose()), "settings.toml".to_owned())),
                    (None, Some(file)) => {
                        let path = beside_settings(environment, file);
                        Some((read_token(&path)?, path.display().to_string()))
                    }
                    (None, None) => None,
                },
            },
        };
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// The authorities that the settings name besides the system's.
pub fn authorities(environment: &Environment, settings: &Settings) -> Result<Option<Authorities>, Trouble> {
    let Some(file) = &settings.ca_file else { return Ok(None) };
    let path = beside_settings(environment, file);
    let refuse = |why: String| {
        Trouble::new(
            TroubleKind::Network,
            format!("{}, which ca_file of the settings names, cannot be used: {why}.", path.display()),
            "Name a PEM file with your authority's certificate.",
        )
    };
    let mut pem = Vec::new();
    let read = File::open(&path).and_then(|file| file.take(MOST_CERTIFICATES + 1).read_to_end(&mut pem));
    match read {
        Err(error) => Err(refuse(error.to_string())),
        Ok(_) if pem.len() as u64 > MOST_CERTIFICATES => Err(refuse("it is too large for certificates".to_owned())),
        Ok(_) => Ok(Some(Authorities { file: path.display().to_string(), pem })),
    }
}

/// A path of the settings: relative ones start at the settings' folder.
pub fn beside_settings(environment: &Environment, file: &str) -> PathBuf {
    environment.config_dir().unwrap_or_default().join(file)
}

/// Bits of a mode that let others than the owner read or write.
const OTHERS: u32 = 0o077;

/// A warning when the settings hold a token and others may read them.
pub fn open_settings(environment: &Environment, settings: &Settings) -> Option<Problem> {
    settings.hosts.values().find(|host| host.token.is_some())?;
    let path = environment.config_dir()?.join("settings.toml");
    let mode = std::fs::metadata(&path).ok()?.permissions().mode() & 0o777;
    (mode & OTHERS != 0).then(|| Problem {
        severity: Severity::Warning,
        place: path.display().to_string(),
        message: format!("it holds a token and is open to others (mode {mode:o})."),
        hint: format!("Run chmod 600 {}, or move the token into a token_file.", path.display()),
    })
}

/// A token from a file of its own, which nobody else may read.
pub fn read_token(path: &Path) -> Result<Secret, Trouble> {
    let shown = path.display();
    let refuse = |why: &str, hint: String| Trouble::new(TroubleKind::Access, format!("The token file {shown} {why}."), hint);
    let file = File::open(path).map_err(|error| {
        refuse(&format!("cannot be read: {error}"), "Make it, or take token_file out of the settings.".to_owned())
    })?;
    // Asked of the open file, so that it is the one that is read.
    let found = file.metadata().map_err(|error| refuse(&format!("cannot be read: {error}"), String::new()))?;
    if !found.is_file() {
        return Err(refuse("is no regular file", "Name a file that holds the token and nothing else.".to_owned()));
    }
    let mode = found.permissions().mode() & 0o777;
    if mode & OTHERS != 0 {
        let hint = format!("Run chmod 600 {shown}; if others use this machine, make a new token as well.");
        return Err(refuse(&format!("is open to others (mode {mode:o})"), hint));
    }
    let mut text = String::new();
    let read = file.take(MOST_TOKEN + 1).read_to_string(&mut text);
    if read.is_err() || text.len() as u64 > MOST_TOKEN || text.trim().is_empty() {
        return Err(refuse("holds no token", "Write the token into it, on one line and alone.".to_owned()));
    }
    Ok(Secret::new(text))
}

/// What `gh auth token` prints; `None` without `gh`, without an account there, or when it does not answer.
fn gh(host: &str) -> Option<Secret> {
    let token = ask_gh(&["auth", "token", "--hostname", host])?;
    (!token.trim().is_empty()).then(|| Secret::new(token))
}

/// What `gh` prints; `None` when it is not there, fails or does not answer.
pub fn ask_gh(arguments: &[&str]) -> Option<String> {
    let mut child =
        Command::new("gh").args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    let began = clock::instant();
    while child.try_wait().ok()?.is_none() {
        if clock::instant().duration_since(began) > GH_PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().ok()?;
    output.status.success().then(|| String::from_utf8(output.stdout).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn settings(text: &str) -> Settings {
        let mut settings = Settings::built_in();
        assert_eq!(settings.apply("settings.toml", text), []);
        settings
    }

    /// What is found for a host that no other source can have a token for.
    fn found(folder: &Path, text: &str) -> Result<Option<(Secret, String)>, Trouble> {
        let environment = Environment::of(&[("COUNTERSIGN_CONFIG_DIR", folder.to_str().unwrap())]);
        find(&Base::parse("http://127.0.0.1:9").unwrap(), false, &environment, &settings(text))
    }

    #[test]
    fn a_token_file_is_read_only_if_it_is_private() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t");
        let text = "[hosts.\"127.0.0.1:9\"]\ntoken_file = 't'\n";
        assert!(found(folder.path(), text).unwrap_err().headline.contains("cannot be read"));
        fs::write(&path, "ghp_SECRET\n").unwrap();
        for (mode, fine) in [(0o600, true), (0o400, true), (0o640, false), (0o604, false), (0o622, false), (0o644, false)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            match found(folder.path(), text) {
                Ok(found) => {
                    assert!(fine, "{mode:o}");
                    assert_eq!(found, Some((Secret::new("ghp_SECRET"), path.display().to_string())));
                }
                Err(trouble) => {
                    assert!(!fine && trouble.headline.contains(&format!("mode {mode:o}")), "{trouble:?}");
                    assert!(trouble.hint.contains("chmod 600") && !trouble.sentence().contains("SECRET"), "{trouble:?}");
                }
            }
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        for content in [b" \n".to_vec(), b"\xff".to_vec(), vec![b'a'; 20_000]] {
            fs::write(&path, content).unwrap();
            assert!(found(folder.path(), text).unwrap_err().headline.contains("holds no token"));
        }
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(found(folder.path(), text).unwrap_err().headline.contains("no regular file"));
    }

    #[test]
    fn each_host_has_its_own_token() {
        let folder = tempfile::tempdir().unwrap();
        let text = "[hosts.\"127.0.0.1:9\"]\ntoken = 'a'\n[hosts.\"127.0.0.1:8\"]\ntoken = 'b'\n";
        assert_eq!(found(folder.path(), text).unwrap().unwrap(), (Secret::new("a"), "settings.toml".to_owned()));
        assert_eq!(found(folder.path(), "[hosts.\"127.0.0.1:8\"]\ntoken = 'b'\n").unwrap(), None);
        assert_eq!(found(folder.path(), "").unwrap(), None);
    }

    #[test]
    fn authorities_that_cannot_be_read_are_told_with_their_file() {
        let folder = tempfile::tempdir().unwrap();
        let environment = Environment::of(&[("COUNTERSIGN_CONFIG_DIR", folder.path().to_str().unwrap())]);
        assert!(authorities(&environment, &settings("")).unwrap().is_none());
        let trouble = authorities(&environment, &settings("ca_file = 'ca.pem'")).err().unwrap();
        assert!(trouble.headline.contains("ca.pem") && trouble.hint.contains("PEM"), "{trouble:?}");
        fs::write(folder.path().join("ca.pem"), "x").unwrap();
        assert_eq!(authorities(&environment, &settings("ca_file = 'ca.pem'")).unwrap().unwrap().pem, b"x");
    }
}
