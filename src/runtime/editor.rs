//! Hands a text to the person's editor and takes it back.
//! Must not know: the screen; whoever calls has given it up.

#![allow(clippy::disallowed_methods)] // files and programs belong to runtime

use crate::core::trouble::{Trouble, TroubleKind};
use std::io::Write;
use std::process::Command;

/// Lets `command` (a shell command line, such as `code --wait`) edit `text`.
/// `Ok(None)`: it was left as it was. When anything fails, the file with the text stays and the trouble names it.
pub fn edit(command: &str, text: &str) -> Result<Option<String>, Trouble> {
    let made = tempfile::Builder::new().prefix("countersign-").suffix(".md").tempfile();
    let mut file =
        made.map_err(|error| trouble(format!("No file for the editor could be made: {error}."), "Make room on the disk."))?;
    file.write_all(text.as_bytes())
        .and_then(|()| file.flush())
        .map_err(|error| trouble(format!("The text could not be handed to the editor: {error}."), "Make room on the disk."))?;
    // Editors may replace the file rather than write into it, so only its path counts from here on.
    let path = file.into_temp_path();
    // As Git does: the shell splits the command's own arguments, the path stays one word.
    let ended = Command::new("sh").arg("-c").arg(format!("{command} \"$@\"")).arg(command).arg(&path).status();
    let after = read(&path);
    let failure = match (ended, &after) {
        (Ok(status), Ok(after)) if status.success() => {
            return Ok((after != text).then(|| after.clone()));
        }
        (Ok(status), Ok(_)) => format!("The editor `{command}` ended with {}", words(status)),
        (Err(error), _) => format!("The editor `{command}` could not be started: {error}"),
        (Ok(_), Err(error)) => format!("What the editor `{command}` left cannot be read: {error}"),
    };
    let untouched = after.as_ref().is_ok_and(|after| after == text);
    if untouched {
        return Err(trouble(format!("{failure}."), "Set `editor` in the settings, or EDITOR in the environment."));
    }
    match path.keep() {
        Ok(kept) => Err(trouble(format!("{failure}. What was typed is kept."), format!("It lies in {}.", kept.display()))),
        Err(error) => {
            Err(trouble(format!("{failure}. What was typed lies in {}.", error.path.display()), "Copy it before you leave."))
        }
    }
}

fn read(path: &std::path::Path) -> std::io::Result<String> {
    std::fs::read_to_string(path)
}

fn words(status: std::process::ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("code {code}"),
        None => "a signal".to_owned(),
    }
}

fn trouble(headline: impl Into<String>, hint: impl Into<String>) -> Trouble {
    Trouble::new(TroubleKind::Refused, headline, hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_comes_back_changed_or_not() {
        assert_eq!(edit("true", "one\n"), Ok(None));
        assert_eq!(edit("printf two >>", "one\n"), Ok(Some("one\ntwo".to_owned())));
        // An editor that writes a new file in place of the old one.
        let replace = "f() { printf new > \"$1.x\" && mv \"$1.x\" \"$1\"; }; f";
        assert_eq!(edit(replace, "old"), Ok(Some("new".to_owned())));
    }

    #[test]
    fn a_failed_editor_loses_nothing() {
        let untouched = edit("false", "one").unwrap_err();
        assert!(untouched.headline.contains("ended with code 1"), "{untouched:?}");
        assert!(edit("no-such-editor-here", "one").is_err());
        let typed = edit("f() { printf typed >> \"$1\"; exit 3; }; f", "one ").unwrap_err();
        let path = typed.hint.strip_prefix("It lies in ").and_then(|rest| rest.strip_suffix('.')).unwrap();
        assert_eq!(std::fs::read_to_string(path).unwrap(), "one typed");
        std::fs::remove_file(path).unwrap();
        let binary = edit("printf '\\377' >", "one").unwrap_err();
        assert!(binary.headline.contains("cannot be read"), "{binary:?}");
        std::fs::remove_file(binary.hint.trim_start_matches("It lies in ").trim_end_matches('.')).unwrap();
    }
}
