//! What linked pull requests and files of other projects state about serving: the commands in their texts.
//! Must not know: which links count as recipes, the sign-off.

use super::major;
use crate::core::diff::parse::parse_patch;
use crate::core::launch::{Launch, LaunchPolicy, documented};
use crate::core::policy::recipe::RecipePolicy;
use crate::core::pull::{ChangedFile, Document, LinkedPull};
use crate::core::text::gate;

/// What one pull request, or one file, states.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stated {
    /// One launch per file that states a flag: all its commands are servers.
    pub launches: Vec<Launch>,
    /// Files in which commands may stand.
    pub files: usize,
    /// Of these, the ones whose changed lines GitHub does not send.
    pub unread: Vec<String>,
    /// Not all files of the pull request are known.
    pub partial: bool,
}

/// The files of a pull request that may state commands.
fn texts<'a>(pull: &'a LinkedPull, repo: &str, policy: &'a RecipePolicy) -> impl Iterator<Item = &'a ChangedFile> {
    let upstream = policy.pulls.iter().find(|upstream| upstream.repo.eq_ignore_ascii_case(repo));
    let places = upstream.map(|upstream| if upstream.texts.is_empty() { &upstream.paths } else { &upstream.texts });
    let fits = move |file: &&ChangedFile| {
        let ending = file.path.rsplit_once('.').map_or("", |(_, ending)| ending);
        file.status != "removed"
            && (policy.endings.is_empty() || policy.endings.iter().any(|known| known == ending))
            && places.is_none_or(|places| places.is_empty() || places.iter().any(|place| file.path.starts_with(place.as_str())))
    };
    pull.files.items.iter().filter(fits)
}

/// What the texts are known by: another one has another.
pub fn id(pull: &LinkedPull, repo: &str, policy: &RecipePolicy) -> Vec<String> {
    let of = |file: &ChangedFile| match (&file.blob, &file.patch) {
        (Some(blob), Some(_)) => format!("{} {blob}", file.path),
        (_, patch) => format!("{} {}", file.path, patch.as_deref().unwrap_or_default()),
    };
    texts(pull, repo, policy).map(of).chain([pull.files.is_complete().to_string()]).collect()
}

/// Reads the lines that each file has after the pull request, as far as its patch shows them.
pub fn stated(pull: &LinkedPull, repo: &str, policy: &RecipePolicy, major: (&LaunchPolicy, &major::Params)) -> Stated {
    let mut out = Stated { partial: !pull.files.is_complete(), ..Stated::default() };
    for file in texts(pull, repo, policy) {
        out.files += 1;
        let path = gate::line(&file.path).into_owned();
        let Some(text) = file.patch.as_deref() else {
            // A file that was only renamed changes no line.
            if file.additions > 0 {
                out.unread.push(path);
            }
            continue;
        };
        let patch = parse_patch(text);
        let lines =
            patch.lines.iter().filter_map(|line| Some((usize::try_from(line.new_number()?).ok()?, text.get(line.text())?)));
        out.launches.extend(launch(path, lines, major));
    }
    out
}

/// Reads a whole page.
pub fn page(document: &Document, major: (&LaunchPolicy, &major::Params)) -> Stated {
    let lines = document.text.lines().enumerate().map(|(at, line)| (at + 1, line));
    let path = gate::line(&document.path).into_owned();
    Stated { launches: launch(path, lines, major).into_iter().collect(), files: 1, ..Stated::default() }
}

/// The commands of a text with their major arguments: a page may state a thousand others.
fn launch<'a>(
    path: String,
    lines: impl IntoIterator<Item = documented::Line<'a>>,
    (policy, major): (&LaunchPolicy, &major::Params),
) -> Option<Launch> {
    let mut servers = documented::read(lines);
    for server in &mut servers {
        server.flags.retain(|flag| major.flags.iter().any(|name| *name == policy.canonical(&flag.name)));
    }
    servers.retain(|server| !server.flags.is_empty());
    (!servers.is_empty()).then(|| Launch { path, servers, ..Launch::default() })
}
