//! Starts the program that tells the person something has come.
//! Must not know: what has come.

#![allow(clippy::disallowed_methods)] // programs belong to runtime

use crate::core::trouble::{Trouble, TroubleKind};
use std::process::{Command, Stdio};

/// Starts `command` (a shell command line) with the text as one argument more, and does not wait for it.
pub fn run(command: &str, text: &str) -> Result<(), Trouble> {
    // As for the editor: the shell splits the command's own arguments, the text stays one word.
    let mut program = Command::new("sh");
    program.arg("-c").arg(format!("{command} \"$@\"")).arg("notify").arg(text);
    let started = program.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    match started {
        // Somebody has to take its exit code, or it stays behind as a zombie.
        Ok(mut child) => {
            let _ = std::thread::Builder::new().name("notify".into()).spawn(move || child.wait());
            Ok(())
        }
        Err(error) => Err(Trouble::new(
            TroubleKind::Refused,
            format!("The command of `notify` could not be started: {error}."),
            "Mend notify.command in the settings.",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_one_argument_whatever_it_holds() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("told");
        let pipe = folder.path().join("done");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let script = format!("printf '%s|%s' > {} ; : > {} ; true", file.display(), pipe.display());
        // The arguments follow the last command of the line, which takes none: the text reaches no shell.
        run(&script, "$(touch x); `y`").unwrap();
        let _ = std::fs::read_to_string(&pipe).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "|");
        let script = format!("f() {{ printf '%s|%s' \"$1\" \"$2\" > {}; : > {}; }}; f -t", file.display(), pipe.display());
        run(&script, "$(touch x); `y`").unwrap();
        let _ = std::fs::read_to_string(&pipe).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "-t|$(touch x); `y`");
    }
}
