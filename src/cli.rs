//! The command line as data: what to open, where, and what to do with it.
//! Must not know: the environment, settings, the terminal.

mod names;

use names::{parse_job, parse_pull, parse_subject, parse_ticks, parse_verdict};

use crate::core::filter::Filter;
use crate::core::ids::{JobId, Key, Login, PullNumber, RepoName, RunId};
use crate::core::results::compare::Reference;
use crate::core::session::Way;
use crate::core::sweep;
use crate::core::time::Day;
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

/// What is to be posted, and how.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Order {
    /// This text instead of the stored draft.
    pub file: Option<PathBuf>,
    /// A new one, this way; `None`: as the draft says.
    pub way: Option<Way>,
    /// The sign-off of ours that stands there gets the text.
    pub edit: bool,
    /// Checks whose certain failure is known and accepted.
    pub despite: Vec<Key>,
    /// The person's word.
    pub yes: bool,
}

/// [`Way`] on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum WayWord {
    Comment,
    Review,
    Approve,
}

impl From<WayWord> for Way {
    fn from(word: WayWord) -> Way {
        match word {
            WayWord::Comment => Way::Comment,
            WayWord::Review => Way::Review,
            WayWord::Approve => Way::Approve,
        }
    }
}

/// Where to look, as far as the command line says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// The address of the API and who chose it.
    pub api: Api,
    /// From the argument itself, else from `--repo`.
    pub repo: Option<RepoName>,
    /// `--signer`: who signs, where it is not the token's owner.
    pub signer: Option<Login>,
    /// `--date`: the UTC day that dated rules compare with.
    pub day: Option<Day>,
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
    Draft {
        number: PullNumber,
        import: Option<PathBuf>,
    },
    Post {
        number: PullNumber,
        order: Order,
    },
    Evals {
        of: Subject,
        json: bool,
    },
    Jobs {
        of: Subject,
        filter: Filter,
        json: bool,
    },
    /// The log of a job, or what stands around its errors.
    Log {
        job: JobId,
        errors: bool,
        timestamps: bool,
    },
    /// Waits until runs are over.
    Watch {
        of: Subject,
    },
    /// The measured points that a pull request adds, changes and removes.
    Points {
        number: PullNumber,
        json: bool,
    },
    /// What a run measured.
    Results {
        of: Subject,
        against: Option<Reference>,
        form: ResultForm,
    },
    /// The verifier's verdicts of a pull request, or the one in a file.
    Verdict {
        of: VerdictOf,
        json: bool,
    },
    /// What the bot will answer.
    Check {
        of: CheckOf,
        signoff: Option<PathBuf>,
        json: bool,
    },
    /// Everything that the checks see, in one file.
    Snapshot {
        number: PullNumber,
        out: Option<PathBuf>,
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

/// What is checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckOf {
    Pull(PullNumber),
    Snapshot(PathBuf),
}

/// What jobs or scores are asked of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    Pull(PullNumber),
    Run(RunId),
}

/// How results are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResultForm {
    Text,
    Json,
    Csv,
    Markdown,
    /// Throughput per GPU against end-to-end latency.
    Svg(PathBuf),
}

/// Where a verdict is read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VerdictOf {
    Pull(PullNumber),
    /// The text of one comment.
    File(PathBuf),
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
    /// Who signs, where it is not the token's owner
    #[arg(long, global = true, value_name = "LOGIN")]
    signer: Option<String>,
    /// The UTC day that dated rules compare with, instead of today
    #[arg(long, global = true, value_name = "YYYY-MM-DD")]
    date: Option<Day>,
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
    /// Print the stored draft as a file that travels, or take one over
    Draft {
        /// The pull request: 2550, owner/repo#2550, or the address of its page
        #[arg(value_name = "PR")]
        pull: String,
        /// Take the draft of this file over instead
        #[arg(long, value_name = "FILE")]
        import: Option<PathBuf>,
    },
    /// Post the stored draft, or a file, after reading everything again
    Post {
        /// The pull request: 2550, owner/repo#2550, or the address of its page
        #[arg(value_name = "PR")]
        pull: String,
        /// Post this text instead of the stored draft
        #[arg(long, value_name = "FILE")]
        file: Option<PathBuf>,
        /// Post a new one this way, whatever the draft says
        #[arg(long = "as", value_name = "WAY", conflicts_with = "edit")]
        way: Option<WayWord>,
        /// Edit your earlier sign-off in place, whatever the draft says
        #[arg(long)]
        edit: bool,
        /// Post although the bot will certainly reject these checks
        #[arg(long, value_name = "KEY,…", value_delimiter = ',')]
        despite: Vec<String>,
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
        /// Only jobs that match: words, is:failed, hw:b200, conc:>=32, tp:2, lane:"single-node 8k1k", step:launch; - negates a term
        #[arg(long, value_name = "TERMS", default_value = "", hide_default_value = true, allow_hyphen_values = true)]
        filter: String,
        /// Print JSON instead of a table
        #[arg(long)]
        json: bool,
    },
    /// The log of a job that has ended, with control sequences shown and not sent
    Log {
        /// The job's number, or the address of its page
        #[arg(value_name = "JOB")]
        job: String,
        /// Only the lines that are marked as errors, with three before and after each, and their numbers
        #[arg(long)]
        errors: bool,
        /// When each line was written
        #[arg(long)]
        timestamps: bool,
    },
    /// Wait until the sweep of the newest commit is over, or one run; the exit code is its outcome
    Watch {
        /// A pull request, or one run
        #[arg(value_name = "PR|run:ID|URL")]
        of: String,
    },
    /// The measured points that come, change or go, each with its job, its result and its eval
    Points {
        /// The pull request: 2550, owner/repo#2550, or the address of its page
        #[arg(value_name = "PR")]
        pull: String,
        /// Print JSON instead of a table
        #[arg(long)]
        json: bool,
    },
    /// What the run that counts measured: points, curves, frontier, and what differs from a reference
    Results {
        /// A pull request, or one run
        #[arg(value_name = "PR|run:ID|URL")]
        of: String,
        /// Compare with another run, the base branch's newest green sweep, an arm of the same run (arm:spec=none), or a
        /// file that --json wrote
        #[arg(long, value_name = "run:ID|base|arm:WORD=VALUE|FILE")]
        against: Option<String>,
        /// Print JSON instead of a table
        #[arg(long, group = "form")]
        json: bool,
        /// Print CSV, a row per point
        #[arg(long, group = "form")]
        csv: bool,
        /// Print a Markdown table, fit for the comment
        #[arg(long, group = "form")]
        markdown: bool,
        /// Write the plot of throughput per GPU against end-to-end latency
        #[arg(long, group = "form", value_name = "FILE")]
        svg: Option<PathBuf>,
    },
    /// What the verifier answered to the sign-offs
    Verdict {
        /// A pull request, or a file with one comment's text
        #[arg(value_name = "PR|FILE")]
        of: String,
        /// Print JSON instead of a table
        #[arg(long)]
        json: bool,
    },
    /// What the bot will answer to the sign-off, one row per check
    Check {
        /// The pull request: 2550, owner/repo#2550, or the address of its page
        #[arg(value_name = "PR", required_unless_present = "snapshot")]
        pull: Option<String>,
        /// Judge what a snapshot holds: no token, no network
        #[arg(long, value_name = "FILE", conflicts_with = "pull")]
        snapshot: Option<PathBuf>,
        /// Judge this sign-off instead of the stored draft, the one that stands in the pull request, or a fresh one
        #[arg(long, value_name = "FILE")]
        signoff: Option<PathBuf>,
        /// Print JSON instead of rows
        #[arg(long)]
        json: bool,
    },
    /// Write everything that the checks see into one file: what was known when it was signed
    Snapshot {
        /// The pull request: 2550, owner/repo#2550, or the address of its page
        #[arg(value_name = "PR")]
        pull: String,
        /// Where to; standard output without it
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
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
    /// Where answers of GitHub and logs of jobs are kept, and how much
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
        Some(Sub::Draft { pull, import }) => Command::Draft { number: parse_pull(&pull, &mut place)?, import },
        Some(Sub::Post { pull, file, way, edit, despite, yes }) => {
            let despite = despite.iter().map(|key| Key::from(key.trim())).collect();
            let order = Order { file, way: way.map(Way::from), edit, despite, yes };
            Command::Post { number: parse_pull(&pull, &mut place)?, order }
        }
        Some(Sub::Evals { of, json }) => Command::Evals { of: parse_subject(&of, &mut place)?, json },
        Some(Sub::Log { job, errors, timestamps }) => Command::Log { job: parse_job(&job, &mut place)?, errors, timestamps },
        Some(Sub::Jobs { of, filter, json }) => {
            let filter = Filter::parse(&filter, sweep::GRAMMAR)
                .map_err(|why| AppError::usage(why).hint("Quote the whole filter: --filter 'is:failed tp:2'."))?;
            Command::Jobs { of: parse_subject(&of, &mut place)?, filter, json }
        }
        Some(Sub::Watch { of }) => Command::Watch { of: parse_subject(&of, &mut place)? },
        Some(Sub::Points { pull, json }) => Command::Points { number: parse_pull(&pull, &mut place)?, json },
        Some(Sub::Results { of, against, json, csv, markdown, svg }) => Command::Results {
            of: parse_subject(&of, &mut place)?,
            against: against
                .map(|text| Reference::parse(&text))
                .transpose()
                .map_err(|trouble| AppError::usage(trouble.headline).hint(trouble.hint))?,
            form: match (json, csv, markdown, svg) {
                (true, ..) => ResultForm::Json,
                (_, true, ..) => ResultForm::Csv,
                (_, _, true, _) => ResultForm::Markdown,
                (.., Some(file)) => ResultForm::Svg(file),
                (.., None) => ResultForm::Text,
            },
        },
        Some(Sub::Verdict { of, json }) => Command::Verdict { of: parse_verdict(of, &mut place)?, json },
        Some(Sub::Check { pull, snapshot, signoff, json }) => {
            let of = match (pull, snapshot) {
                (_, Some(file)) => CheckOf::Snapshot(file),
                (pull, None) => CheckOf::Pull(parse_pull(&pull.unwrap_or_default(), &mut place)?),
            };
            Command::Check { of, signoff, json }
        }
        Some(Sub::Snapshot { pull, out }) => Command::Snapshot { number: parse_pull(&pull, &mut place)?, out },
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
    if line.offline && matches!(command, Command::Record { .. } | Command::AuthStatus { .. } | Command::Watch { .. }) {
        return Err(AppError::usage("This command asks GitHub and nobody else.").hint("Leave --offline away."));
    }
    place.signer = line.place.signer.map(|login| Login(login.trim_start_matches('@').to_owned()));
    place.day = line.place.date;
    place.replay = line.place.replay;
    if place.replay.is_some() && !command.reads_a_pull() {
        return Err(AppError::usage("--replay answers reads; this command does not go with it.")
            .hint("It goes with a pull request, render, evals, jobs, points, results, verdict, check and snapshot."));
    }
    Ok(Launch { place, offline: line.offline, command, log: line.log })
}

impl Command {
    /// Whether the command reads a pull request and does nothing else with GitHub.
    fn reads_a_pull(&self) -> bool {
        matches!(
            self,
            Command::Open(_)
                | Command::Render { .. }
                | Command::Evals { .. }
                | Command::Jobs { .. }
                | Command::Points { .. }
                | Command::Results { .. }
                | Command::Check { .. }
                | Command::Snapshot { .. }
                | Command::Verdict { of: VerdictOf::Pull(_), .. }
        )
    }
}

#[cfg(test)]
mod tests;
