//! From a command line to a running command: settings, theme, policy, repository, then the screen or a report.
//! Must not know: what the commands do.

#![allow(clippy::disallowed_methods)] // files belong to runtime

use super::cache_files::{self, CacheFiles};
use super::clock;
use super::connect::Connection;
use super::effects::Hands;
use super::environment::Environment;
use super::event_loop::{self, Incoming};
use super::headless::{self, Desk, read_file};
use super::highlight::Highlighting;
use super::input::{Input, watch_signals};
use super::joblogs::{self, JobLogs};
use super::log;
use super::out::Out;
use super::store::{self, Access};
use super::tasks::Tasks;
use super::terminal::{self, Screen};
use super::{auth, check, doctor, draft, git, post, recordings, tokens};
use crate::app::Model;
use crate::app::model::{DraftState, Reach, Session};
use crate::cli::{Api, CheckOf, Command, Launch, Place, Subject, VerdictOf};
use crate::config::problem::refusal;
use crate::config::{Problem, Settings, Severity, policy, theme};
use crate::core::facts::Facts;
use crate::core::ids::{Login, PullNumber, RepoName};
use crate::core::policy::Policy;
use crate::core::session::Draft;
use crate::core::session::history::History;
use crate::core::time::{Day, render_countdown};
use crate::core::trouble::Trouble;
use crate::error::{AppError, ErrorKind};
use crate::github::{Base, Recorder, Recording, parse_recording};
use crate::report;
use crate::view::theme::Theme;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::channel;

/// The demo's pull request, as it was answered.
const DEMO: &str = include_str!("../../assets/demo/recording.jsonl");

/// Notices of the packages in this program; `tests/fast/licenses.rs` keeps it fresh.
const LICENSES: &str = include_str!("../../assets/LICENSES.txt");

/// Everything that was chosen before the command runs.
struct Choices {
    environment: Environment,
    settings: Settings,
    policy: Arc<Policy>,
    /// Things to mention that do not stop the program.
    warnings: Vec<Problem>,
    /// Why nothing is logged.
    unlogged: Option<Trouble>,
    /// `--signer` and `--date`.
    signer: Option<Login>,
    day: Option<Day>,
    /// Where answers are kept; memory alone without it.
    shelf: Option<CacheFiles>,
    /// Why that is not on disk although it should.
    no_shelf: Option<String>,
}

impl Choices {
    /// Where logs of jobs are kept besides answers; `None` where nothing is.
    fn cache_folder(&self) -> Option<PathBuf> {
        self.shelf.as_ref().and_then(|_| self.environment.cache_dir())
    }
}

/// Runs a command.
pub fn launch(launch: Launch, out: &mut Out) -> Result<(), AppError> {
    let Launch { place, offline, command, log: level } = launch;
    match &command {
        Command::Show(text) => {
            out.data(text);
            return Ok(());
        }
        Command::Licenses => {
            out.data(LICENSES);
            out.data(&two_face::acknowledgement::listing().to_md());
            return Ok(());
        }
        Command::Demo => need_terminal("countersign render, evals and jobs print without one; they need a pull request.")?,
        Command::Replay(file) => need_terminal(&format!(
            "countersign render, evals and jobs print without one: add --replay {} to them.",
            file.display()
        ))?,
        Command::Open(number) => {
            let pull = place.repo.as_ref().map_or_else(|| number.to_string(), |repo| format!("{repo}#{number}"));
            need_terminal(&format!("countersign render {pull} prints the comment without one."))?;
        }
        _ => {}
    }
    // The doctor looks at settings that stop every other command.
    if let Command::Doctor { number, json } = command {
        return examine(&place, number, json, out);
    }
    let mut choices = choose(Environment::read())?;
    choices.unlogged = log::begin(choices.environment.state_dir().as_deref(), level).err();
    tracing::info!(version = env!("CARGO_PKG_VERSION"), ?command, ?place, "begins");
    let done = perform(command, choices, &place, offline, out);
    match &done {
        Ok(()) => tracing::info!("ends"),
        // The sentence may quote strangers; what matters of it stands above.
        Err(error) => tracing::info!(because = ?error.kind, "ends"),
    }
    done
}

/// A command that needs settings and, mostly, GitHub.
fn perform(command: Command, mut choices: Choices, place: &Place, offline: bool, out: &mut Out) -> Result<(), AppError> {
    choices.signer.clone_from(&place.signer);
    choices.day = place.day;
    if let Command::Cache { clear } = command {
        return cache(&choices, clear, out);
    }
    if !matches!(command, Command::Demo | Command::Replay(_)) && place.replay.is_none() {
        match open_shelf(&choices.environment, &choices.settings) {
            Ok(shelf) => choices.shelf = shelf,
            Err(why) => choices.no_shelf = Some(why),
        }
        if offline && choices.shelf.is_none() {
            let why = choices.no_shelf.unwrap_or_else(|| "The settings keep no cache: `cache.megabytes` is 0.".to_owned());
            return Err(AppError::usage(why).hint("Without a cache there is nothing to show offline."));
        }
    }
    match &command {
        Command::Demo => return demo(choices),
        Command::Replay(file) => return replay(choices, file, None),
        Command::Open(number) => {
            return match &place.replay {
                Some(file) => replay(choices, file, Some((place.repo.as_ref(), *number))),
                None => open(choices, place, *number, offline),
            };
        }
        // Said before anything is read: the file may be in the way.
        Command::Record { file, force, .. } => recordings::check_target(file, *force)?,
        _ => {}
    }
    for problem in choices.warnings.iter().map(Problem::to_string).chain(choices.no_shelf.clone()) {
        out.say(format!("warning: {problem}"));
    }
    choices.unlogged.iter().for_each(|trouble| out.say(format!("warning: {}", trouble.sentence())));
    if let Command::Verdict { of: VerdictOf::File(path), json } = &command {
        return headless::verdict_in(&choices.policy, path, *json, out);
    }
    if let Command::Check { of: CheckOf::Snapshot(file), signoff, json } = &command {
        return check::of_snapshot(&choices.policy, file, signoff.as_deref(), place, *json, out);
    }
    let runtime = tokio_runtime()?;
    if let Command::AuthStatus { json } = command {
        let (base, _) = locate_api(&choices.settings, place)?;
        let Choices { environment, settings, .. } = &choices;
        return runtime.block_on(auth::status(&base, place.api.is_given(), environment, settings, json, out));
    }
    if let Command::Record { number, file, .. } = &command {
        let (base, repo) = locate(&choices, place)?;
        let recorder = Recorder::new(Recording::new(base.clone(), repo.clone(), *number, clock::now()));
        let desk = desk_on(choices, place, base, repo, false, Some(recorder.clone()));
        return runtime.block_on(desk.record(*number, &recorder, file, out));
    }
    let kept = choices.cache_folder();
    let desk = match &place.replay {
        Some(file) => {
            let (recording, problems) = recordings::open(file)?;
            for problem in problems {
                out.say(format!("warning: {}", problem.sentence()));
            }
            match_recording(&recording, file, place.repo.as_ref(), pull_of(&command))?;
            clock::begin_at(recording.recorded_at);
            Desk {
                host: recording.base.authority().to_owned(),
                web: web_root(&recording.base),
                repo: recording.repo.clone(),
                policy: Arc::clone(&choices.policy),
                data: drafts_over_recordings(&choices.environment),
                signer: place.signer.clone(),
                day: place.day.unwrap_or_else(|| clock::now().date_naive()),
                connection: Arc::new(Connection::replay(Arc::new(recording))),
            }
        }
        None => {
            let (base, repo) = locate(&choices, place)?;
            desk_on(choices, place, base, repo, offline, None)
        }
    };
    let done = runtime.block_on(async {
        match command {
            Command::Log { job, errors, timestamps } => {
                desk.log(&JobLogs::of(kept.as_deref(), &desk.host), job, errors, timestamps, out).await
            }
            Command::Jobs { of, filter, json } => desk.jobs(of, &filter, json, out).await,
            Command::Watch { of } => desk.watch(of, out).await,
            Command::Points { number, json } => desk.points(number, json, out).await,
            Command::Results { of, against, form } => desk.results(of, against, form, out).await,
            Command::Evals { of, json } => desk.evals(of, json, out).await,
            Command::Verdict { of: VerdictOf::Pull(number), json } => desk.verdict(number, json, out).await,
            Command::Render { number, ticks, detail } => desk.render(number, &ticks, detail.as_deref(), out).await,
            Command::Draft { number, import } => draft::draft(&desk, number, import.as_deref(), out).await,
            Command::Post { number, order } => post::post(&desk, number, &order, out).await,
            Command::Check { of: CheckOf::Pull(number), signoff, json } => {
                desk.check(number, signoff.as_deref(), json, out).await
            }
            Command::Snapshot { number, out: file } => desk.snapshot(number, file.as_deref(), out).await,
            Command::Verdict { of: VerdictOf::File(_), .. }
            | Command::Check { of: CheckOf::Snapshot(_), .. }
            | Command::Open(_)
            | Command::Demo
            | Command::Replay(_)
            | Command::Record { .. }
            | Command::Cache { .. }
            | Command::AuthStatus { .. }
            | Command::Doctor { .. }
            | Command::Licenses
            | Command::Show(_) => Ok(()),
        }
    });
    if let Some(end) = desk.connection.limited_until() {
        out.say(format!("GitHub's limit: goes on in {}.", render_countdown(clock::now(), end)));
    }
    done
}

/// The headless commands' desk over the network.
fn desk_on(choices: Choices, place: &Place, base: Base, repo: RepoName, offline: bool, record: Option<Recorder>) -> Desk {
    let Choices { environment, settings, policy, shelf, .. } = choices;
    Desk {
        host: base.authority().to_owned(),
        web: web_root(&base),
        repo,
        policy,
        data: environment.data_dir(),
        signer: place.signer.clone(),
        day: place.day.unwrap_or_else(|| clock::now().date_naive()),
        connection: Arc::new(
            Connection::network(base, place.api.is_given(), environment, settings, record, shelf).offline(offline),
        ),
    }
}

/// The pull request that a command names.
fn pull_of(command: &Command) -> Option<PullNumber> {
    match command {
        Command::Open(number) | Command::Render { number, .. } | Command::Points { number, .. } => Some(*number),
        Command::Snapshot { number, .. } | Command::Check { of: CheckOf::Pull(number), .. } => Some(*number),
        Command::Verdict { of: VerdictOf::Pull(number), .. } => Some(*number),
        Command::Jobs { of: Subject::Pull(number), .. } | Command::Evals { of: Subject::Pull(number), .. } => Some(*number),
        Command::Results { of: Subject::Pull(number), .. } => Some(*number),
        _ => None,
    }
}

/// Refuses a recording of something else than what was asked for.
fn match_recording(
    recording: &Recording,
    file: &Path,
    repo: Option<&RepoName>,
    number: Option<PullNumber>,
) -> Result<(), AppError> {
    let same = repo.is_none_or(|repo| repo.to_string().eq_ignore_ascii_case(&recording.repo.to_string()));
    if same && number.is_none_or(|number| number == recording.number) {
        return Ok(());
    }
    let of = format!("{}#{}", recording.repo, recording.number);
    Err(AppError::usage(format!("{} is a recording of {of}.", file.display())).hint(format!("Ask for {of}.")))
}

/// Drafts over recordings are kept apart: what was ticked over one is not ticked over GitHub.
fn drafts_over_recordings(environment: &Environment) -> Option<PathBuf> {
    environment.data_dir().map(|data| data.join("recordings"))
}

fn need_terminal(instead: &str) -> Result<(), AppError> {
    match terminal::is_there() {
        true => Ok(()),
        false => Err(AppError::usage("Standard output is not a terminal, so there is nothing to draw on.").hint(instead)),
    }
}

fn tokio_runtime() -> Result<tokio::runtime::Runtime, AppError> {
    let made = tokio::runtime::Builder::new_multi_thread().worker_threads(2).thread_name("github").enable_all().build();
    made.map_err(|error| AppError::new(ErrorKind::Unavailable, format!("No threads could be started: {error}.")))
}

/// `countersign doctor`. It ends well unless something that the program needs is broken.
fn examine(place: &Place, number: Option<PullNumber>, json: bool, out: &mut Out) -> Result<(), AppError> {
    let environment = Environment::read();
    let (settings, _) = read_settings(&environment);
    let mut findings = doctor::Findings::default();
    doctor::examine_machine(&environment, &settings, &mut findings);
    let (base, repo) = locate_api(&settings, place)?;
    let of = repo.map(|repo| (repo, number));
    let given = place.api.is_given();
    tokio_runtime()?.block_on(doctor::examine_github(&base, given, of, &environment, &settings, &mut findings));
    let report = report::doctor::report(&findings.into_checks(), json);
    out.data(&report.text);
    match report.gaps.as_slice() {
        [] => Ok(()),
        gaps => Err(AppError::new(ErrorKind::No, gaps.join("\n       "))),
    }
}

/// Reads settings and policy; every error in them at once.
fn choose(environment: Environment) -> Result<Choices, AppError> {
    let (settings, mut problems) = read_settings(&environment);
    problems.extend(tokens::open_settings(&environment, &settings));
    let policy = read_policy(&environment, &settings).map_err(|wrong| problems.extend(wrong));
    if let Some(error) = refusal(&problems) {
        return Err(error);
    }
    let Ok(policy) = policy else { return Err(AppError::usage("The policy cannot be read.")) };
    Ok(Choices {
        environment,
        settings,
        policy: Arc::new(policy),
        warnings: problems,
        unlogged: None,
        signer: None,
        day: None,
        shelf: None,
        no_shelf: None,
    })
}

/// The person's settings over the defaults, with everything that is wrong in them.
pub fn read_settings(environment: &Environment) -> (Settings, Vec<Problem>) {
    let mut settings = Settings::built_in();
    let found = environment.config_dir().and_then(|folder| read_if_there(&folder.join("settings.toml")));
    let problems = found.map(|(file, text)| settings.apply(&file, &text)).unwrap_or_default();
    (settings, problems)
}

/// The built-in policy, or the person's own in its place.
pub fn read_policy(environment: &Environment, settings: &Settings) -> Result<Policy, Vec<Problem>> {
    let Some(path) = &settings.policy else { return policy::built_in() };
    let path = environment.config_dir().unwrap_or_default().join(path);
    let name = path.display().to_string();
    match read_file(&path) {
        Ok(text) => policy::read(&name, &text),
        Err(error) => Err(vec![Problem {
            severity: Severity::Error,
            place: name,
            message: error.message,
            hint: "Mend `policy` in settings.toml.".to_owned(),
        }]),
    }
}

/// The folder of kept answers; `None` where none are to be kept.
fn open_shelf(environment: &Environment, settings: &Settings) -> Result<Option<CacheFiles>, String> {
    if settings.cache_megabytes == 0 {
        return Ok(None);
    }
    let way_on = "Answers are kept in memory only; name another folder with COUNTERSIGN_CACHE_DIR.";
    let folder = environment.cache_dir().ok_or_else(|| format!("There is no folder for the cache. {way_on}"))?;
    let opened = CacheFiles::open(&folder, settings.cache_megabytes << 20);
    opened.map(Some).map_err(|error| format!("The cache {} cannot be used: {error}. {way_on}", folder.display()))
}

/// `countersign cache`: what is kept, or its removal.
fn cache(choices: &Choices, clear: bool, out: &mut Out) -> Result<(), AppError> {
    let folder = choices
        .environment
        .cache_dir()
        .ok_or_else(|| AppError::usage("There is no folder for the cache.").hint("Name one with COUNTERSIGN_CACHE_DIR."))?;
    let done = if clear { cache_files::clear(&folder) } else { cache_files::size(&folder) };
    let size = done.map_err(|error| {
        AppError::new(ErrorKind::Unavailable, format!("The cache {} cannot be used: {error}.", folder.display()))
    })?;
    let logs = if clear { joblogs::clear(&folder) } else { Ok(joblogs::size(&folder)) };
    let logs = logs.map_err(|error| {
        AppError::new(ErrorKind::Unavailable, format!("The logs in {} cannot be removed: {error}.", folder.display()))
    })?;
    let (word, megabytes) = (if clear { "removed" } else { "kept" }, size.bytes as f64 / f64::from(1 << 20));
    out.data(&format!("{}: {} answers, {megabytes:.1} MB, {word}\n", folder.display(), size.answers));
    out.data(&format!(
        "{}: {} logs of jobs, {:.1} MB, {word}\n",
        folder.display(),
        logs.logs,
        logs.bytes as f64 / f64::from(1 << 20)
    ));
    Ok(())
}

/// The API, and the repository: the argument's, else the setting's, else the current folder's.
fn locate(choices: &Choices, place: &Place) -> Result<(Base, RepoName), AppError> {
    let (base, repo) = locate_api(&choices.settings, place)?;
    let repo = repo.ok_or_else(|| {
        AppError::usage("Which repository? The argument names none, no setting does, and this folder has no origin remote.")
            .hint("Write OWNER/NAME#2550, add --repo OWNER/NAME, or set `repository` in settings.toml.")
    })?;
    Ok((base, repo))
}

/// [`locate`], for commands that can do without a repository.
fn locate_api(settings: &Settings, place: &Place) -> Result<(Base, Option<RepoName>), AppError> {
    let mut api = place.api.clone();
    let mut repo = place.repo.clone().or_else(|| settings.repository.clone());
    if repo.is_none() {
        let origin = std::env::current_dir().ok().and_then(|folder| git::origin(&folder));
        if let Some(origin) = origin {
            if api == Api::Default && origin.host != "github.com" {
                api = Api::Implied(format!("https://{}/api/v3", origin.host));
            }
            repo = Some(origin.repo);
        }
    }
    let base = Base::parse(api.address()).map_err(|trouble| AppError::usage(trouble.headline).hint(trouble.hint))?;
    Ok((base, repo))
}

/// The root of the pages that belong to an API. An address that is not one of a GitHub Enterprise Server stands in for
/// github.com, whose tokens go there too: its pages are github.com's.
fn web_root(base: &Base) -> String {
    let address = base.to_string();
    let host = base.authority();
    match (address.strip_suffix("/api/v3"), host.strip_prefix("api.").filter(|host| host.ends_with(".ghe.com"))) {
        (Some(root), _) => root.to_owned(),
        (None, Some(host)) => format!("https://{host}"),
        (None, None) => "https://github.com".to_owned(),
    }
}

/// The workstation on a live pull request.
fn open(choices: Choices, place: &Place, number: PullNumber, offline: bool) -> Result<(), AppError> {
    let (base, repo) = locate(&choices, place)?;
    let (host, web) = (base.authority().to_owned(), web_root(&base));
    let environment = choices.environment.clone();
    let shelf = choices.shelf.clone();
    let reach = match &shelf {
        _ if offline => Reach::Offline,
        Some(_) => Reach::Recalling { missed: HashSet::new() },
        None => Reach::Live,
    };
    let connection =
        Connection::network(base, place.api.is_given(), environment, choices.settings.clone(), None, shelf).offline(offline);
    let data = choices.environment.data_dir();
    work(choices, Work { connection, reach, host, web, repo, number, data, recording: None })
}

/// The workstation on a recording in a file. `wanted` is what the command line asked for, if it did.
fn replay(mut choices: Choices, file: &Path, wanted: Option<(Option<&RepoName>, PullNumber)>) -> Result<(), AppError> {
    let (recording, problems) = recordings::open(file)?;
    if let Some((repo, number)) = wanted {
        match_recording(&recording, file, repo, Some(number))?;
    }
    choices.warnings.extend(problems.into_iter().map(|trouble| Problem {
        severity: Severity::Warning,
        place: file.display().to_string(),
        message: trouble.headline,
        hint: trouble.hint,
    }));
    let data = drafts_over_recordings(&choices.environment);
    work_over(choices, recording, data)
}

/// The workstation on the bundled recording. Its draft lives as long as the window: nothing of it is kept.
fn demo(choices: Choices) -> Result<(), AppError> {
    let recording = parse_recording(DEMO)?.0;
    let folder = tempfile::tempdir();
    let data = folder.as_ref().ok().map(|folder| folder.path().to_owned());
    work_over(choices, recording, data)
}

fn work_over(choices: Choices, recording: Recording, data: Option<PathBuf>) -> Result<(), AppError> {
    let recording = Arc::new(recording);
    clock::begin_at(recording.recorded_at);
    let told = format!("a recording of {}", recording.recorded_at.format("%-d %B %Y"));
    let work_on = Work {
        connection: Connection::replay(recording.clone()),
        reach: Reach::Live,
        host: recording.base.authority().to_owned(),
        web: web_root(&recording.base),
        repo: recording.repo.clone(),
        number: recording.number,
        data,
        recording: Some(told),
    };
    work(choices, work_on)
}

struct Work {
    connection: Connection,
    reach: Reach,
    host: String,
    web: String,
    repo: RepoName,
    number: PullNumber,
    data: Option<PathBuf>,
    recording: Option<String>,
}

/// Puts model, hands and screen together and runs the loop. Nothing here waits for the network.
fn work(choices: Choices, on: Work) -> Result<(), AppError> {
    let logs = JobLogs::of(choices.cache_folder().as_deref(), &on.host);
    let Choices { environment, settings, policy, warnings, unlogged, no_shelf, signer, day, .. } = choices;
    let (theme, more) = choose_theme(&environment, &settings);
    let fresh = Draft::new(&on.host, on.repo.clone(), on.number);
    let (draft, history, access, greeting) = match &on.data {
        Some(data) => {
            let opened = store::open(&store::path(data, &on.host, &on.repo, on.number), fresh);
            (opened.draft, opened.history, opened.access, opened.greeting)
        }
        None => {
            let why = "There is no folder for drafts: name one with COUNTERSIGN_DATA_DIR.".to_owned();
            (fresh, History::default(), Access::ReadOnly(why), None)
        }
    };
    let (store, draft_state) = match access {
        Access::Writable(store) => (Some(store), DraftState::Saved),
        Access::ReadOnly(why) => (None, DraftState::ReadOnly(why)),
    };
    let said = greeting.into_iter().chain(warnings.iter().chain(&more).map(Problem::to_string));
    let said: Vec<String> = said.chain(unlogged.as_ref().map(Trouble::sentence)).chain(no_shelf).collect();
    let greeting = Some(said.join(" ")).filter(|said| !said.is_empty());
    let braille = environment.has_braille();
    let session = Session { host: on.host, recording: on.recording, greeting, day, braille };
    let facts = Facts { signer, ..Facts::new(&on.web, on.repo.clone(), on.number) };
    let mut model = Model::new(session, policy, facts, draft, settings.keymap.clone());
    model.history = history;
    model.snippets = settings.snippets.clone();
    model.draft_state = draft_state;
    model.reach = on.reach;

    let runtime = tokio_runtime()?;
    let (inbox, messages) = channel::<Incoming>();
    let screen = Screen::open(theme, settings.mouse).map_err(|error| lost_terminal(&error))?;
    watch_signals(runtime.handle(), inbox.clone());
    let mut hands = Hands {
        tasks: Tasks::new(runtime.handle().clone(), inbox.clone(), Arc::new(on.connection), on.repo, on.number, logs),
        highlighting: Highlighting::new(inbox.clone()),
        store,
        input: Input::start(runtime.handle(), inbox.clone()),
        editor: settings.editor.unwrap_or_else(|| environment.editor().to_owned()),
        notify: settings.notify,
        browser: settings.browser.or_else(|| environment.browser().map(str::to_owned)),
        unfinished: HashSet::new(),
        inbox,
    };
    let ended = event_loop::run(&mut model, &mut hands, screen, &messages);
    // Whatever still runs only reads: nobody waits for it.
    runtime.shutdown_background();
    ended.map_err(|error| lost_terminal(&error))?;
    match model.draft_state {
        DraftState::Failed(trouble) => Err(AppError::new(ErrorKind::Unavailable, trouble.headline)
            .hint("What changed since the draft was last written is lost.")),
        _ => Ok(()),
    }
}

fn lost_terminal(error: &std::io::Error) -> AppError {
    AppError::new(ErrorKind::Unavailable, format!("The terminal cannot be used: {error}.")).hint("Your draft is on disk.")
}

/// The theme of the settings, or the one without colours where they are unwanted.
pub fn choose_theme(environment: &Environment, settings: &Settings) -> (Theme, Vec<Problem>) {
    let folder = environment.config_dir().map(|folder| folder.join("themes"));
    let name = if environment.no_color() { "mono" } else { &settings.theme };
    theme::load_theme(name, &|name| read_if_there(&folder.as_ref()?.join(format!("{name}.toml"))))
}

/// The file's name for people and its text; `None` when there is none.
pub fn read_if_there(path: &Path) -> Option<(String, String)> {
    let bytes = std::fs::read(path).ok()?;
    Some((path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::GITHUB_API;
    use std::collections::BTreeMap;

    #[test]
    fn the_place_comes_from_the_argument_before_the_settings() {
        let mut settings = Settings::built_in();
        settings.repository = RepoName::parse("s/s");
        settings.hosts = BTreeMap::new();
        let policy = Arc::new(policy::built_in().unwrap());
        let choices = Choices {
            environment: Environment::of(&[]),
            settings,
            policy,
            warnings: Vec::new(),
            unlogged: None,
            signer: None,
            day: None,
            shelf: None,
            no_shelf: None,
        };
        let place = |api: Api, repo: Option<&str>| Place { api, repo: repo.and_then(RepoName::parse), ..Place::default() };
        let table = [
            (place(Api::Default, Some("a/a")), GITHUB_API, "a/a"),
            (place(Api::Default, None), GITHUB_API, "s/s"),
            (place(Api::Implied("https://ghe/api/v3".into()), Some("a/a")), "https://ghe/api/v3", "a/a"),
            (place(Api::Given("http://127.0.0.1:9".into()), None), "http://127.0.0.1:9", "s/s"),
        ];
        for (place, api, repo) in table {
            let (base, found) = locate(&choices, &place).unwrap();
            assert_eq!((base.to_string().as_str(), found.to_string().as_str()), (api, repo));
        }
        for (api, web) in [
            (GITHUB_API, "https://github.com"),
            ("https://ghe.example.org/api/v3", "https://ghe.example.org"),
            ("https://api.tenant.ghe.com", "https://tenant.ghe.com"),
            ("http://127.0.0.1:9", "https://github.com"),
        ] {
            assert_eq!(web_root(&Base::parse(api).unwrap()), web);
        }
        let wrong = locate(&choices, &place(Api::Given("http://example.org".into()), None)).unwrap_err();
        assert_eq!((wrong.kind, wrong.hints.len()), (ErrorKind::Usage, 1));
    }
}
