//! `countersign doctor`: looks at everything that the program stands on, and changes nothing here or there.
//! Must not know: formats (`report`), which right a feature needs (`core::access`).

#![allow(clippy::disallowed_methods)] // files belong to runtime

use super::connect::make_client;
use super::environment::Environment;
use super::launch::{choose_theme, read_if_there, read_policy, read_settings};
use super::{terminal, tokens};
use crate::config::{Problem, Settings, Severity, policy, theme};
use crate::core::access::{Check, Health, Probe};
use crate::core::facts::DocumentKind;
use crate::core::ids::{PullNumber, RepoName};
use crate::core::plan::{Answer, Read};
use crate::core::trouble::{Trouble, TroubleKind};
use crate::github::{Base, Client, Secret, Target};
use futures::future::join_all;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Bits of a mode that let others write.
const OTHERS_WRITE: u32 = 0o022;
/// The repository is read without one.
const NO_PULL: PullNumber = PullNumber(0);
/// Fewer requests than this do not open a large pull request.
const FEW_REQUESTS: u64 = 100;

/// Rows in the order of looking.
#[derive(Default)]
pub struct Findings {
    checks: Vec<Check>,
}

impl Findings {
    fn say(&mut self, about: &'static str, health: Health, name: &str, told: impl Into<String>, hint: impl Into<String>) {
        self.checks.push(Check { about, health, name: name.to_owned(), told: told.into(), hint: hint.into() });
    }

    fn good(&mut self, about: &'static str, name: &str, told: impl Into<String>) {
        self.say(about, Health::Good, name, told, "");
    }

    fn trouble(&mut self, about: &'static str, health: Health, name: &str, trouble: &Trouble) {
        self.say(about, health, name, trouble.headline.as_str(), trouble.hint.as_str());
    }

    fn problems(&mut self, name: &str, problems: &[Problem]) {
        for problem in problems {
            let health = if problem.severity == Severity::Error { Health::Broken } else { Health::Doubtful };
            self.say(FILES, health, name, format!("{}: {}", problem.place, problem.message), problem.hint.as_str());
        }
    }

    pub fn into_checks(self) -> Vec<Check> {
        self.checks
    }
}

const FILES: &str = "Files";
const TERMINAL: &str = "Terminal";
const PROGRAMS: &str = "Programs";
const NETWORK: &str = "Network";
const IDENTITY: &str = "Identity";
const RIGHTS: &str = "Rights";

/// Files, folders, terminal and programs: everything on this side of the network.
pub fn examine_machine(environment: &Environment, settings: &Settings, findings: &mut Findings) {
    examine_files(environment, settings, findings);
    examine_terminal(environment, findings);
    match tokens::ask_gh(&["--version"]) {
        Some(said) => findings.good(PROGRAMS, "gh", said.lines().next().unwrap_or_default()),
        None => findings.say(
            PROGRAMS,
            Health::Doubtful,
            "gh",
            "not found",
            "Only needed where no variable and no setting gives a token.",
        ),
    }
}

fn examine_files(environment: &Environment, settings: &Settings, findings: &mut Findings) {
    let Some(folder) = environment.config_dir() else {
        findings.say(
            FILES,
            Health::Doubtful,
            "settings",
            "there is no home and so no folder for settings",
            "Name one with COUNTERSIGN_CONFIG_DIR.",
        );
        return;
    };
    let file = folder.join("settings.toml");
    let (_, problems) = read_settings(environment);
    findings.problems("settings", &problems);
    if problems.is_empty() {
        let told = if file.exists() { "" } else { ": not there, so the defaults count" };
        findings.good(FILES, "settings, keys", format!("{}{told}", file.display()));
    }
    if let Some(warning) = tokens::open_settings(environment, settings) {
        findings.problems("settings", &[warning]);
    }
    match read_policy(environment, settings) {
        Ok(_) => findings.good(FILES, "policy", settings.policy.as_deref().unwrap_or("built-in")),
        Err(problems) => findings.problems("policy", &problems),
    }
    let (_, problems) = choose_theme(environment, settings);
    findings.problems("theme", &problems);
    if problems.is_empty() {
        findings.good(FILES, "theme", if environment.no_color() { "mono" } else { settings.theme.as_str() });
    }
    let themes = folder.join("themes");
    for entry in std::fs::read_dir(&themes).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(name) = name.strip_suffix(".toml").filter(|name| **name != settings.theme) else { continue };
        let (_, problems) = theme::load_theme(name, &|name| read_if_there(&themes.join(format!("{name}.toml"))));
        findings.problems("theme", &problems);
    }
    for (host, at) in &settings.hosts {
        let Some(file) = &at.token_file else { continue };
        match tokens::read_token(&tokens::beside_settings(environment, file)) {
            Ok(_) => findings.good(FILES, "token file", format!("{file}, for {host}")),
            Err(trouble) => findings.trouble(FILES, Health::Broken, "token file", &trouble),
        }
    }
    examine_folder("configuration", &folder, "COUNTERSIGN_CONFIG_DIR", false, findings);
    match environment.data_dir() {
        Some(folder) => examine_folder("drafts", &folder, "COUNTERSIGN_DATA_DIR", true, findings),
        None => findings.say(
            FILES,
            Health::Broken,
            "drafts",
            "there is no folder for drafts, so nothing is kept",
            "Name one with COUNTERSIGN_DATA_DIR.",
        ),
    }
}

/// A folder, or the one that it would be made in.
fn examine_folder(name: &str, folder: &Path, variable: &str, written: bool, findings: &mut Findings) {
    let shown = folder.display();
    let Some(there) = folder.ancestors().find(|folder| folder.exists()) else { return };
    let way_on = || format!("Make it a folder of yours, or name another one with {variable}.");
    let mode = std::fs::metadata(there).map(|found| (found.is_dir(), found.permissions().mode() & 0o777));
    match mode {
        Ok((true, mode)) if there == folder && mode & OTHERS_WRITE != 0 => {
            let told = format!("{shown} can be written by others (mode {mode:o})");
            findings.say(FILES, Health::Doubtful, name, told, format!("Run chmod go-w {shown}."));
        }
        // Making a file is the only way to know; it is gone again at once.
        Ok((true, mode)) => match tempfile::tempfile_in(there) {
            Err(error) if written => {
                findings.say(FILES, Health::Broken, name, format!("{shown} cannot be written: {}", error.kind()), way_on());
            }
            _ if there == folder => findings.good(FILES, name, format!("{shown}, mode {mode:o}")),
            _ => findings.good(FILES, name, format!("{shown}: made when it is needed")),
        },
        Ok((false, _)) => findings.say(FILES, Health::Broken, name, format!("{} is no folder", there.display()), way_on()),
        Err(error) => findings.say(FILES, Health::Broken, name, format!("{shown} cannot be read: {error}"), way_on()),
    }
}

fn examine_terminal(environment: &Environment, findings: &mut Findings) {
    if !terminal::is_there() {
        let told = "standard output is no terminal";
        let hint = "The commands that print work; the workstation needs a terminal.";
        findings.say(TERMINAL, Health::Doubtful, "terminal", told, hint);
    } else {
        match crossterm::terminal::size() {
            Ok((columns, rows)) if columns >= 80 && rows >= 24 => {
                findings.good(TERMINAL, "size", format!("{columns}x{rows}"));
            }
            Ok((columns, rows)) => {
                findings.say(TERMINAL, Health::Doubtful, "size", format!("{columns}x{rows}"), "80x24 shows everything.");
            }
            Err(error) => findings.say(TERMINAL, Health::Doubtful, "size", format!("not told: {error}"), ""),
        }
    }
    match environment.terminal() {
        Some(name) => findings.good(TERMINAL, "TERM", name),
        None => findings.say(TERMINAL, Health::Doubtful, "TERM", "not set", "Set it to what your terminal is."),
    }
    let colours = match (environment.no_color(), crossterm::style::available_color_count()) {
        (true, _) => "none, as NO_COLOR or TERM asks for".to_owned(),
        (false, u16::MAX) => "16 million".to_owned(),
        (false, count) => count.to_string(),
    };
    findings.good(TERMINAL, "colours", colours);
}

/// The API, who the program is there, and what it may read of the repository.
pub async fn examine_github(
    base: &Base,
    given: bool,
    of: Option<(RepoName, Option<PullNumber>)>,
    environment: &Environment,
    settings: &Settings,
    findings: &mut Findings,
) {
    let proxy = environment.proxy().https;
    // What stands before an @ may be a password.
    let shown = proxy.rsplit_once('@').map_or(proxy.as_str(), |(_, host)| host);
    findings.good(NETWORK, "proxy", if shown.is_empty() { "none" } else { shown });
    if let Some(file) = &settings.ca_file {
        findings.good(NETWORK, "ca_file", file.as_str());
    }
    let (token, source) = match tokens::find(base, given, environment, settings) {
        Ok(found) => found.unzip(),
        Err(trouble) => return findings.trouble(IDENTITY, Health::Broken, "token", &trouble),
    };
    let client = match make_client(base.clone(), token.clone(), environment, settings, None, None) {
        Ok(client) => client,
        Err(trouble) => return findings.trouble(NETWORK, Health::Broken, base.authority(), &trouble),
    };
    match client.version().await {
        Ok(told) => findings.good(NETWORK, base.authority(), told),
        // It answers; what is wrong with the token is said of the token.
        Err(trouble) if trouble.kind == TroubleKind::Access => findings.good(NETWORK, base.authority(), "answers"),
        Err(trouble) => return findings.trouble(NETWORK, Health::Broken, base.authority(), &trouble),
    }
    if let Some(budget) = client.budget() {
        let health = if budget.remaining < FEW_REQUESTS { Health::Doubtful } else { Health::Good };
        let told = format!("{} of {} requests left", budget.remaining, budget.limit);
        findings.say(NETWORK, health, "budget", told, if health == Health::Good { "" } else { "A token has 5,000 an hour." });
    }
    let Some(known) = examine_identity(&client, token.as_ref(), source, findings).await else { return };
    let Some((repo, number)) = of else {
        let hint = "Add a pull request: countersign doctor OWNER/NAME#2550.";
        return findings.say(RIGHTS, Health::Doubtful, "repository", "none is named, so no right was tried", hint);
    };
    let policy = read_policy(environment, settings).or_else(|_| policy::built_in()).ok();
    let document = policy.and_then(|policy| policy.documents.get(&DocumentKind::Checklist).cloned()).unwrap_or_default();
    examine_rights(&client, &repo, number, &document, &known, findings).await;
}

/// What is known of the token's rights.
struct Known {
    token: bool,
    may_comment: [Option<bool>; 2],
}

/// `None` when the token is refused: then every further question would be.
async fn examine_identity(
    client: &Client,
    token: Option<&Secret>,
    source: Option<String>,
    findings: &mut Findings,
) -> Option<Known> {
    let Some(source) = source.filter(|_| token.is_some()) else {
        let hint = "Give one, for example in COUNTERSIGN_TOKEN or GH_TOKEN, or by `gh auth login`.";
        findings.say(IDENTITY, Health::Doubtful, "token", "none: read-only, public repositories, no scores", hint);
        return Some(Known { token: false, may_comment: [Some(false); 2] });
    };
    match client.identity().await {
        Ok(who) => {
            let expires = who.expires.as_ref().map(|day| format!(", expires {day}")).unwrap_or_default();
            findings.good(IDENTITY, "token", format!("from {source}: {}, {}{expires}", who.login, who.kind.word()));
            if let Some(scopes) = who.kind.scopes() {
                findings.good(IDENTITY, "scopes", if scopes.is_empty() { "none".to_owned() } else { scopes.join(", ") });
            }
            Some(Known { token: true, may_comment: [who.kind.may_comment(false), who.kind.may_comment(true)] })
        }
        Err(trouble) => {
            let told = format!("from {source}: {}", trouble.headline);
            findings.say(IDENTITY, Health::Broken, "token", told, trouble.hint);
            None
        }
    }
}

async fn examine_rights(
    client: &Client,
    repo: &RepoName,
    number: Option<PullNumber>,
    document: &[String],
    known: &Known,
    findings: &mut Findings,
) {
    let answer = client.read(repo, NO_PULL, Read::Repository, &mut |_, _| {}).await;
    let (branch, private) = match answer {
        Ok((Answer::Repository(repository), _)) => (repository.default_branch, repository.private),
        Ok(_) => return,
        // Everything else lies below it.
        Err(trouble) => return findings.trouble(RIGHTS, Health::Broken, "repository", &trouble),
    };
    findings.good(RIGHTS, "repository", format!("{repo}, {}", if private { "private" } else { "public" }));
    let target = Target { repo, number, branch: &branch, document };
    let tried = join_all(Probe::ALL.map(|probe| async move { (probe, client.probe(target, probe).await) })).await;
    for (probe, answer) in tried {
        match answer {
            Ok(()) => findings.good(RIGHTS, probe.name(), "can be read"),
            Err(trouble) => {
                let health = if probe.is_needed() { Health::Broken } else { Health::Doubtful };
                // A refusal that names permissions knows better than the table.
                let told = trouble.hint.contains("permissions:");
                let needs = if told { String::new() } else { format!(" It needs {}.", probe.permission()) };
                findings.say(RIGHTS, health, probe.name(), trouble.headline, format!("{}{needs}", trouble.hint));
            }
        }
    }
    let needs = "A comment needs Issues or Pull requests: write; of a classic token the scope repo, or public_repo.";
    match known.may_comment[usize::from(private)] {
        Some(true) => findings.good(RIGHTS, "post a comment", "the token's scopes allow it"),
        Some(false) if !known.token => {
            findings.say(RIGHTS, Health::Doubtful, "post a comment", "not without a token", needs);
        }
        Some(false) => findings.say(RIGHTS, Health::Doubtful, "post a comment", "the token's scopes do not allow it", needs),
        None => {
            findings.say(RIGHTS, Health::Doubtful, "post a comment", "only posting tells, and nothing is posted here", needs)
        }
    }
}
