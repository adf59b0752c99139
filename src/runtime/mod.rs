//! The program at work: terminal, files, clock, environment, tasks. Performs what the application decides.
//! Must not know: rules, formats, looks.

pub mod auth;
pub mod bell;
pub mod browser;
pub mod cache_files;
pub mod check;
pub mod clock;
pub mod connect;
pub mod doctor;
mod draft;
pub mod editor;
pub mod effects;
pub mod environment;
pub mod event_loop;
mod export;
pub mod git;
pub mod headless;
pub mod highlight;
pub mod input;
pub mod joblogs;
pub mod launch;
pub mod log;
mod measured;
pub mod out;
pub mod post;
mod printout;
pub mod recordings;
pub mod store;
pub mod tasks;
pub mod terminal;
pub mod tokens;
mod watch;

use crate::cli::parse_launch;
use out::Out;
use std::ffi::OsString;
use std::process::ExitCode;

/// The whole program: reads the command line, runs the command, says what went wrong, returns the exit code.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut out = Out::standard();
    let done = parse_launch(args).and_then(|launch| launch::launch(launch, &mut out));
    log::lost().iter().for_each(|why| out.say(why));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            out.say(error.to_string());
            ExitCode::from(error.kind.exit_code())
        }
    }
}
