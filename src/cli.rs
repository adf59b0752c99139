//! The command line as data: what to open, where, and what to do with it.
//! Must not know: the environment, settings, the terminal.

use crate::core::ids::{Key, PullNumber, RepoName, RunId};
use crate::error::{AppError, ErrorKind};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

/// github.com's API.
pub const GITHUB_API: &str = "https://api.github.com";

/// What the program was asked to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    pub place: Place,
    /// `--offline`: GitHub is not asked.
    pub offline: bool,
    pub command: Command,
    /// What is kept in the log.
    pub log: LogLevel,
}

/// The least that is worth a line in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum LogLevel {
    Error,
    Warn,
    #[default]
    Info,
    Debug,
    Trace,
}

/// Where to look, as far as the command line says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// The address of the API and who chose it.
    pub api: Api,
    /// From the argument itself, else from `--repo`.
    pub repo: Option<RepoName>,
    /// `--replay`: answers come from this recording, and nothing from the network.
    pub replay: Option<PathBuf>,
}

/// The API's address.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Api {
    /// Nothing was said: github.com.
    #[default]
    Default,
    /// A page's host implies it: `https://HOST/api/v3`.
    Implied(String),
    /// `--api-url`: tokens meant for github.com go there too, and only there.
    Given(String),
}

impl Api {
    /// The address without a slash at its end.
    pub fn address(&self) -> &str {
        match self {
            Api::Default => GITHUB_API,
            Api::Implied(address) | Api::Given(address) => address,
        }
    }

    pub fn is_given(&self) -> bool {
        matches!(self, Api::Given(_))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// The workstation on a pull request.
    Open(PullNumber),
    /// The workstation on the bundled recording.
    Demo,
    /// The workstation on a recording of one's own.
    Replay(PathBuf),
    /// Everything of a pull request into a file. `force`: even over a file that is no recording.
    Record {
        number: PullNumber,
        file: PathBuf,
        force: bool,
    },
    Render {
        number: PullNumber,
        ticks: Ticks,
        detail: Option<PathBuf>,
    },
    /// `file`: this text instead of the stored draft.
    Post {
        number: PullNumber,
        file: Option<PathBuf>,
        yes: bool,
    },
    Evals {
        of: Subject,
        json: bool,
    },
    Jobs {
        of: Subject,
        json: bool,
    },
    /// Who the program is at each host.
    AuthStatus {
        json: bool,
    },
    Doctor {
        number: Option<PullNumber>,
        json: bool,
    },
    /// What is kept on disk; `clear` removes it.
    Cache {
        clear: bool,
    },
    Licenses,
    /// `--help` or `--version`: text for standard output.
    Show(String),
}

/// Items to tick besides those of the stored draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ticks {
    Keys(Vec<Key>),
    All,
}

/// What jobs or scores are asked of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    Pull(PullNumber),
    Run(RunId),
}

#[derive(Parser)]
#[command(
    name = "countersign",
    version,
    about = "A reviewer's workstation in the terminal: evidence, checklist and sign-off of a benchmark pull request",
    after_help = after_help(),
    disable_help_subcommand = true
)]
struct Line {
    /// The pull request to open
    #[arg(value_name = "PR")]
    pull: Option<String>,
    #[command(flatten)]
    place: PlaceArgs,
    /// How much goes to the log, a file in the state folder: error, warn, info, debug or trace
    #[arg(
        long,
        global = true,
        value_name = "LEVEL",
        default_value = "info",
        hide_default_value = true,
        hide_possible_values = true
    )]
    log: LogLevel,
    /// Ask nobody: show what was kept of an earlier visit, with its age
    #[arg(long, global = true)]
    offline: bool,
    #[command(subcommand)]
    sub: Option<Sub>,
}

fn after_help() -> String {
    let codes: Vec<String> = ErrorKind::ALL.iter().map(|kind| format!("{} {}", kind.exit_code(), kind.meaning())).collect();
    format!(
        "A pull request is written 2550, owner/repo#2550, or as the address of its page.\nExit codes: 0 fine, {}.",
        codes.join(", ")
    )
}

#[derive(Args)]
struct PlaceArgs {
    /// The API to ask instead of github.com's: https, or http on this machine only
    #[arg(long, global = true, value_name = "URL")]
    api_url: Option<String>,
    /// The repository, where the argument does not name it
    #[arg(long, global = true, value_name = "OWNER/NAME")]
    repo: Option<String>,
    /// Answer every read from a recording: no token, no network
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "api_url")]
    replay: Option<PathBuf>,
}

#[derive(Subcommand)]
enum Sub {
    /// The whole workstation over a bundled recording: no token, no network
    Demo,
    /// Read everything of a pull request into a file, packed if its name ends in .gz
    Record {
        /// The pull request: 2550, owner/repo#2550, or the address of its page
        #[arg(value_name = "PR")]
        pull: String,
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Replace the file even if it is no recording
        #[arg(long)]
        force: bool,
    },
    /// The whole workstation over a recording: no token, no network
    Replay {
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Print the sign-off comment
    Render {
        /// The pull request: 2550, owner/repo#2550, or the address of its page
        #[arg(value_name = "PR")]
        pull: String,
        /// Tick these items besides the draft's; `all` warns for each item that evidence does not back
        #[arg(long, value_name = "KEY,…", value_delimiter = ',')]
        tick: Vec<String>,
        /// The detail section from a file instead of the draft's
        #[arg(long, value_name = "FILE")]
        detail: Option<PathBuf>,
    },
    /// Post the stored draft, or a file, after reading everything again
    Post {
        /// The pull request: 2550, owner/repo#2550, or the address of its page
        #[arg(value_name = "PR")]
        pull: String,
        /// Post this text instead of the stored draft
        #[arg(long, value_name = "FILE")]
        file: Option<PathBuf>,
        /// Required: posting is final
        #[arg(long)]
        yes: bool,
    },
    /// Eval scores against thresholds
    Evals {
        /// A pull request, or one run; a run alone does not tell which configs it measures, so its rows name none
        #[arg(value_name = "PR|run:ID|URL")]
        of: String,
        /// Print JSON instead of a table
        #[arg(long)]
        json: bool,
    },
    /// Sweep jobs of all attempts, merged
    Jobs {
        /// A pull request, or one run
        #[arg(value_name = "PR|run:ID|URL")]
        of: String,
        /// Print JSON instead of a table
        #[arg(long)]
        json: bool,
    },
    /// Who you are at each host
    Auth {
        #[command(subcommand)]
        what: Auth,
    },
    /// Look at everything that the program needs, from files to rights, and say what is missing
    Doctor {
        /// A pull request whose repository is tried as well
        #[arg(value_name = "PR")]
        pull: Option<String>,
        /// Print JSON instead of rows
        #[arg(long)]
        json: bool,
    },
    /// Where answers of GitHub are kept, and how much
    Cache {
        /// Remove them
        #[arg(long)]
        clear: bool,
    },
    /// Notices of the packages that this program is made of
    Licenses,
}

#[derive(Subcommand)]
enum Auth {
    /// Where each host's token comes from, whom it stands for, and what it may do
    Status {
        /// Print JSON instead of a table
        #[arg(long)]
        json: bool,
    },
}

/// Reads the command line, program name first.
pub fn parse_launch<I: IntoIterator<Item = OsString>>(args: I) -> Result<Launch, AppError> {
    let line = match Line::try_parse_from(args) {
        Ok(line) => line,
        Err(error) if error.use_stderr() => {
            // clap's text carries its own "error:" and usage.
            let text = error.to_string();
            return Err(AppError::usage(text.trim_start_matches("error: ").trim_end()));
        }
        Err(shown) => {
            let command = Command::Show(shown.to_string());
            return Ok(Launch { place: Place::default(), command, offline: false, log: LogLevel::default() });
        }
    };
    let mut place = Place::default();
    if let Some(repo) = &line.place.repo {
        place.repo = Some(
            RepoName::parse(repo)
                .ok_or_else(|| AppError::usage(format!("\"{repo}\" is no repository.")).hint("Write --repo OWNER/NAME."))?,
        );
    }
    if let (Some(pull), Some(_)) = (&line.pull, &line.sub) {
        return Err(AppError::usage(format!("\"{pull}\" stands before the command.")).hint("Write the pull request after it."));
    }
    let command = match line.sub {
        None => match line.pull {
            Some(pull) => Command::Open(parse_pull(&pull, &mut place)?),
            None => {
                return Err(AppError::usage("Which pull request?")
                    .hint("Write countersign 2550, countersign OWNER/NAME#2550, or its address.")
                    .hint("To look around without a token or a network: countersign demo."));
            }
        },
        Some(Sub::Demo) => Command::Demo,
        Some(Sub::Record { pull, file, force }) => Command::Record { number: parse_pull(&pull, &mut place)?, file, force },
        Some(Sub::Replay { file }) => Command::Replay(file),
        Some(Sub::Render { pull, tick, detail }) => {
            Command::Render { number: parse_pull(&pull, &mut place)?, ticks: parse_ticks(&tick)?, detail }
        }
        Some(Sub::Post { pull, file, yes }) => Command::Post { number: parse_pull(&pull, &mut place)?, file, yes },
        Some(Sub::Evals { of, json }) => Command::Evals { of: parse_subject(&of, &mut place)?, json },
        Some(Sub::Jobs { of, json }) => Command::Jobs { of: parse_subject(&of, &mut place)?, json },
        Some(Sub::Auth { what: Auth::Status { json } }) => Command::AuthStatus { json },
        Some(Sub::Doctor { pull, json }) => {
            Command::Doctor { number: pull.map(|pull| parse_pull(&pull, &mut place)).transpose()?, json }
        }
        Some(Sub::Cache { clear }) => Command::Cache { clear },
        Some(Sub::Licenses) => Command::Licenses,
    };
    if line.offline && matches!(command, Command::Post { .. }) {
        return Err(AppError::usage("Offline nothing is posted: a comment rests on what GitHub says at that moment.")
            .hint("Leave --offline away."));
    }
    if let Some(address) = &line.place.api_url {
        // `github::address` says what an address must be.
        place.api = Api::Given(address.trim().trim_end_matches('/').to_owned());
    }
    if line.offline && matches!(command, Command::Record { .. } | Command::AuthStatus { .. }) {
        return Err(AppError::usage("This command asks GitHub and nobody else.").hint("Leave --offline away."));
    }
    place.replay = line.place.replay;
    if place.replay.is_some() && !command.reads_a_pull() {
        return Err(AppError::usage("--replay answers reads; this command does not go with it.")
            .hint("It goes with a pull request, render, evals and jobs."));
    }
    Ok(Launch { place, offline: line.offline, command, log: line.log })
}

impl Command {
    /// Whether the command reads a pull request and does nothing else with GitHub.
    fn reads_a_pull(&self) -> bool {
        matches!(self, Command::Open(_) | Command::Render { .. } | Command::Evals { .. } | Command::Jobs { .. })
    }
}

/// `all`, or keys; none when the option is absent.
fn parse_ticks(words: &[String]) -> Result<Ticks, AppError> {
    let words: Vec<&str> = words.iter().map(|word| word.trim()).filter(|word| !word.is_empty()).collect();
    match words.as_slice() {
        ["all"] => Ok(Ticks::All),
        words if words.contains(&"all") => Err(AppError::usage("--tick takes either all, or keys.")),
        words => Ok(Ticks::Keys(words.iter().map(|&word| Key::from(word)).collect())),
    }
}

fn parse_pull(text: &str, place: &mut Place) -> Result<PullNumber, AppError> {
    match parse_subject(text, place)? {
        Subject::Pull(number) => Ok(number),
        Subject::Run(_) => Err(AppError::usage(format!("\"{text}\" is a workflow run; this command wants a pull request."))
            .hint("Write 2550, OWNER/NAME#2550, or the address of its page.")),
    }
}

/// `2550`, `#2550`, `owner/repo#2550`, `run:31020193450`, or the address of a pull request or run.
/// What the text says of the repository and the host goes into `place`.
fn parse_subject(text: &str, place: &mut Place) -> Result<Subject, AppError> {
    let wrong = || {
        AppError::usage(format!("\"{}\" names no pull request or run.", text.escape_debug()))
            .hint("Write 2550, OWNER/NAME#2550, run:ID, or the address of its page.")
    };
    if let Some(id) = text.strip_prefix("run:") {
        return parse_number(id).map(|id| Subject::Run(RunId(id))).ok_or_else(wrong);
    }
    if let Some((scheme, rest)) = text.split_once("://") {
        if !matches!(scheme, "https" | "http") {
            return Err(wrong());
        }
        let (host, repo, subject) = parse_page(rest).ok_or_else(wrong)?;
        place.repo = Some(repo);
        let host = host.to_ascii_lowercase();
        if !matches!(host.as_str(), "github.com" | "www.github.com") {
            // Https whatever the page said: over http a token would be readable on the way.
            place.api = Api::Implied(format!("https://{host}/api/v3"));
        }
        return Ok(subject);
    }
    let (repo, number) = match text.split_once('#') {
        Some(("", number)) => (None, number),
        Some((repo, number)) => (Some(RepoName::parse(repo).ok_or_else(wrong)?), number),
        None => (None, text),
    };
    let number = parse_number(number).ok_or_else(wrong)?;
    if repo.is_some() {
        place.repo = repo;
    }
    Ok(Subject::Pull(PullNumber(number)))
}

/// `HOST/owner/repo/pull/2550/files?…`, `HOST/owner/repo/actions/runs/31020193450/job/…`.
fn parse_page(text: &str) -> Option<(&str, RepoName, Subject)> {
    let path = text.split(['?', '#']).next()?;
    let mut parts = path.split('/');
    let host = parts.next().filter(|host| is_host(host))?;
    let repo = RepoName::parse(&format!("{}/{}", parts.next()?, parts.next()?))?;
    let subject = match (parts.next()?, parts.next()?) {
        ("pull", number) => Subject::Pull(PullNumber(parse_number(number)?)),
        ("actions", "runs") => Subject::Run(RunId(parse_number(parts.next()?)?)),
        _ => return None,
    };
    Some((host, repo, subject))
}

fn parse_number(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten().filter(|&number| number > 0)
}

/// A host name with an optional port; no user, no address in brackets: pages do not live there.
fn is_host(text: &str) -> bool {
    let (name, port) = text.split_once(':').map_or((text, None), |(name, port)| (name, Some(port)));
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    !name.is_empty() && name.chars().all(word) && port.is_none_or(|port| port.parse::<u16>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn launch(line: &str) -> Result<Launch, AppError> {
        parse_launch(std::iter::once("countersign").chain(line.split_whitespace()).map(OsString::from))
    }

    fn repo(text: &str) -> Option<RepoName> {
        Some(RepoName::parse(text).unwrap())
    }

    #[test]
    fn pull_requests_and_runs_are_named_in_several_ways() {
        let pull = |number| Subject::Pull(PullNumber(number));
        let run = |id| Subject::Run(RunId(id));
        let table = [
            ("2550", pull(2550), None, GITHUB_API),
            ("#2550", pull(2550), None, GITHUB_API),
            ("o/r#7", pull(7), repo("o/r"), GITHUB_API),
            ("https://github.com/o/r/pull/7", pull(7), repo("o/r"), GITHUB_API),
            ("https://github.com/o/r/pull/7/files#diff-1", pull(7), repo("o/r"), GITHUB_API),
            ("https://github.com/o/r/pull/7?x=1", pull(7), repo("o/r"), GITHUB_API),
            ("http://WWW.GitHub.com/o/r/pull/7/", pull(7), repo("o/r"), GITHUB_API),
            ("https://ghe.example.org/o/r/pull/7", pull(7), repo("o/r"), "https://ghe.example.org/api/v3"),
            ("https://ghe.example.org:8443/o/r/pull/7", pull(7), repo("o/r"), "https://ghe.example.org:8443/api/v3"),
            ("run:31020193450", run(31_020_193_450), None, GITHUB_API),
            ("https://github.com/o/r/actions/runs/31/job/9", run(31), repo("o/r"), GITHUB_API),
            ("https://github.com/o/r/actions/runs/31/attempts/2", run(31), repo("o/r"), GITHUB_API),
        ];
        for (text, subject, repo, api) in table {
            let mut place = Place::default();
            assert_eq!(parse_subject(text, &mut place), Ok(subject), "{text}");
            assert_eq!((place.repo, place.api.address()), (repo, api), "{text}");
        }
        for bad in [
            "",
            "0",
            "-1",
            "x",
            "2550x",
            "１２",
            "99999999999999999999",
            "o/r",
            "o/r#",
            "o/r#x",
            "o/#1",
            "/r#1",
            "o/r/s#1",
            "run:",
            "run:x",
            "run:0",
            "ftp://github.com/o/r/pull/1",
            "https://",
            "https:///o/r/pull/1",
            "https://h/o/r",
            "https://h/o/r/pull/",
            "https://h/o/r/pulls/1",
            "https://h/o/../pull/1",
            "https://u@h/o/r/pull/1",
            "https://h:x/o/r/pull/1",
            "https://h/o/r/issues/1",
            "https://h/o/r/actions/runs/",
        ] {
            let error = parse_subject(bad, &mut Place::default()).unwrap_err();
            assert_eq!((error.kind, error.hints.len()), (ErrorKind::Usage, 1), "{bad}");
        }
    }

    #[test]
    fn the_api_address_stands_before_or_after_the_subcommand() {
        let wanted = Api::Given("http://127.0.0.1:4020".into());
        for line in [
            "--api-url http://127.0.0.1:4020 jobs 7 --json",
            "jobs --api-url http://127.0.0.1:4020 7 --json",
            "jobs 7 --json --api-url http://127.0.0.1:4020/",
            "--api-url=http://127.0.0.1:4020 jobs 7 --json",
        ] {
            let launch = launch(line).unwrap();
            assert_eq!(launch.place.api, wanted, "{line}");
            assert_eq!(launch.command, Command::Jobs { of: Subject::Pull(PullNumber(7)), json: true }, "{line}");
        }
        let open = launch("7 --repo o/r --api-url http://[::1]:9/x").unwrap();
        assert_eq!(open.place, Place { api: Api::Given("http://[::1]:9/x".into()), repo: repo("o/r"), replay: None });
        assert_eq!(open.command, Command::Open(PullNumber(7)));
        for line in ["--log debug demo", "demo --log=debug", "7 --repo o/r --log debug"] {
            assert_eq!(launch(line).unwrap().log, LogLevel::Debug, "{line}");
        }
        assert_eq!(open.log, LogLevel::Info);
        assert!(launch("--log loud demo").unwrap_err().message.contains("loud"));
        assert!(!open.offline);
        // The option outranks the host of the page.
        let both = launch("https://ghe/o/r/pull/7 --api-url https://proxy.example/api/v3").unwrap();
        assert_eq!(both.place.api.address(), "https://proxy.example/api/v3");
    }

    #[test]
    fn a_recording_can_stand_for_the_network() {
        for line in ["jobs 7 --replay x", "--replay x jobs 7", "7 --replay x", "render 7 --replay=x", "evals run:9 --replay x"]
        {
            assert_eq!(launch(line).unwrap().place.replay, Some("x".into()), "{line}");
        }
    }

    #[test]
    fn offline_goes_with_every_command_that_reads() {
        for line in ["7 --offline", "--offline 7", "jobs 7 --offline", "--offline render 7", "evals run:9 --offline"] {
            assert!(launch(line).unwrap().offline, "{line}");
        }
    }

    #[test]
    fn subcommands_become_data() {
        let number = PullNumber(7);
        let table = [
            ("demo", Command::Demo),
            ("licenses", Command::Licenses),
            ("auth status --json", Command::AuthStatus { json: true }),
            ("doctor", Command::Doctor { number: None, json: false }),
            ("doctor o/r#7 --json", Command::Doctor { number: Some(number), json: true }),
            ("replay x.gz", Command::Replay("x.gz".into())),
            ("record o/r#7 x.gz", Command::Record { number, file: "x.gz".into(), force: false }),
            ("record 7 x --force", Command::Record { number, file: "x".into(), force: true }),
            ("cache", Command::Cache { clear: false }),
            ("cache --clear", Command::Cache { clear: true }),
            ("render 7", Command::Render { number, ticks: Ticks::Keys(vec![]), detail: None }),
            (
                "render o/r#7 --tick a,b --tick c --detail d.md",
                Command::Render {
                    number,
                    ticks: Ticks::Keys(vec!["a".into(), "b".into(), "c".into()]),
                    detail: Some("d.md".into()),
                },
            ),
            ("render 7 --tick all", Command::Render { number, ticks: Ticks::All, detail: None }),
            ("post 7 --yes", Command::Post { number, file: None, yes: true }),
            ("post 7 --file x.md", Command::Post { number, file: Some("x.md".into()), yes: false }),
            ("evals run:9", Command::Evals { of: Subject::Run(RunId(9)), json: false }),
            ("jobs https://github.com/o/r/actions/runs/9 --json", Command::Jobs { of: Subject::Run(RunId(9)), json: true }),
        ];
        for (line, command) in table {
            assert_eq!(launch(line).unwrap().command, command, "{line}");
        }
        for bad in [
            "",
            "render",
            "render run:9",
            "post",
            "7 8",
            "demo 7",
            "frobnicate 7",
            "7 --api-url",
            "7 --repo x",
            "render 7 --tick all,a",
            "jobs",
            "--nope",
            "7 jobs 8",
            "replay",
            "record 7",
            "record run:9 x",
            "post 7 --yes --replay x",
            "record 7 x --replay y",
            "demo --replay x",
            "doctor 7 --replay x",
            "auth",
            "doctor run:9",
            "jobs 7 --replay x --api-url http://127.0.0.1:1",
            "post 7 --yes --offline",
        ] {
            let error = launch(bad).unwrap_err();
            assert_eq!(error.kind.exit_code(), 2, "{bad}");
            assert!(!error.message.is_empty() && !error.message.starts_with("error"), "{bad}: {}", error.message);
        }
        for shown in ["--help", "render --help", "--version"] {
            assert!(matches!(launch(shown).unwrap().command, Command::Show(text) if text.contains("countersign")), "{shown}");
        }
    }

    proptest! {
        #[test]
        fn no_argument_panics_and_what_is_read_is_a_name(text in "\\PC*") {
            let mut place = Place::default();
            if parse_subject(&text, &mut place).is_ok()
                && let Some(repo) = place.repo
            {
                prop_assert!(RepoName::parse(&repo.to_string()).is_some());
            }
        }
    }
}
