//! The program: hands the command line to [`countersign::runtime`] and leaves with its exit code.

use std::process::ExitCode;

#[allow(clippy::disallowed_methods)] // the command line is read here, once
fn main() -> ExitCode {
    countersign::runtime::run(std::env::args_os())
}
