//! Rule `patches`: what a pull request does to the engine inside the pinned image, and what its waiver says.
//! Must not know: which paths and packages are the engine's.

use super::{Confidence, Status};
use crate::core::launch::{LaunchPolicy, Ran, node, script};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Parts of paths below which an installed engine lies.
    pub engine_paths: Vec<String>,
    /// Packages that serve; installing or removing one changes the image.
    pub engine_packages: Vec<String>,
    /// Files that a Python process reads by itself.
    pub hooks: Vec<String>,
    /// Endings of files that hold patches.
    pub patch_endings: Vec<String>,
    /// Parts of paths that are the launcher's or the harness's own.
    pub own_paths: Vec<String>,
    /// Words by which a Python text finds installed sources.
    pub finders: Vec<String>,
    /// Words by which a Python text writes.
    pub writers: Vec<String>,
    /// Keys of a recipe that name a script or files laid over the image.
    pub recipe_keys: Vec<String>,
    /// Words in a waiver that say that it is not, or not yet, approved; they outweigh the others.
    pub not_approved: Vec<String>,
    pub approved: Vec<String>,
    /// Where a waiver lies; `{pr}` stands for the number of the pull request that brought the patch.
    pub waivers: Vec<String>,
}

/// A changed file, as far as it is read.
#[derive(Debug, Clone, Copy)]
pub struct Changed<'a> {
    pub path: &'a str,
    /// Lines that the pull request adds or changes, from 1.
    pub added: &'a [usize],
    /// The whole text at the head. `None`: not read.
    pub text: Option<&'a str>,
}

/// Something that changes the engine, or may.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Found {
    pub path: String,
    pub line: usize,
    pub exact: bool,
    /// What it does, in words.
    pub what: String,
}

/// What a waiver says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Approval {
    Approved,
    NotApproved,
    /// Nothing either way.
    Silent,
}

/// What patches were found, and whether all files were looked into.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Patches {
    pub found: Vec<Found>,
    /// Files that might hold one and were not read.
    pub unread: Vec<String>,
}

impl Patches {
    /// Status and confidence without any waiver: an exact find fails, a suspect one is for a person.
    pub fn verdict(&self) -> (Status, Confidence) {
        if self.found.iter().any(|found| found.exact) {
            (Status::Fail, Confidence::Exact)
        } else if !self.found.is_empty() {
            (Status::NeedsYou, Confidence::Suspect)
        } else if !self.unread.is_empty() {
            (Status::Unavailable, Confidence::Exact)
        } else {
            (Status::Pass, Confidence::Derived)
        }
    }
}

/// Whether a file is one that is looked through.
pub fn is_read(path: &str) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
    matches!(ending.as_str(), "sh" | "bash" | "slurm" | "sbatch" | "py" | "yaml" | "yml")
}

/// Whether a file patches by what it is called alone.
pub fn needs_no_text(path: &str, params: &Params) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
    params.patch_endings.contains(&ending) || params.hooks.iter().any(|hook| hook == name)
}

/// Looks through changed files. Only what an added line takes part in counts.
pub fn find(files: &[Changed<'_>], policy: &LaunchPolicy, params: &Params) -> Patches {
    let (mut found, mut unread) = (Vec::new(), Vec::new());
    for file in files {
        let ending = file.path.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
        let first = file.added.first().copied().unwrap_or(1);
        let mut say = |line, exact, what: String| found.push(Found { path: file.path.to_owned(), line, exact, what });
        if file.added.is_empty() {
            // Taken away, or renamed as it was.
            continue;
        }
        if params.patch_endings.contains(&ending) {
            say(first, true, "a patch file".to_owned());
            continue;
        }
        let name = file.path.rsplit('/').next().unwrap_or_default();
        if params.hooks.iter().any(|hook| hook == name) {
            say(first, true, format!("`{name}` is run by every Python process that finds it"));
            continue;
        }
        if !is_read(file.path) {
            continue;
        }
        let Some(text) = file.text else {
            unread.push(file.path.to_owned());
            continue;
        };
        match ending.as_str() {
            "py" => in_python(text, 1, file.added, params, &mut say),
            "yaml" | "yml" => {
                if !in_recipe(file, text, params, &mut say) {
                    unread.push(file.path.to_owned());
                }
            }
            _ => {
                let read = script::read_all(file.path, text, policy);
                for ran in &read.ran {
                    if file.added.iter().any(|line| (ran.line..=ran.end).contains(line)) {
                        in_command(ran, params, &mut say);
                    }
                }
                if !read.problems.is_empty() {
                    unread.push(file.path.to_owned());
                }
            }
        }
    }
    found.sort();
    found.dedup();
    unread.dedup();
    Patches { found, unread }
}

type Say<'a> = dyn FnMut(usize, bool, String) + 'a;

fn in_command(ran: &Ran, params: &Params, say: &mut Say<'_>) {
    let words: Vec<&str> = ran.words.iter().map(String::as_str).collect();
    let Some(program) = words.first().map(|word| word.rsplit('/').next().unwrap_or(word)) else { return };
    // `sudo sed …`, `python3 -m pip …`: what runs may stand further on.
    let runs = |name: &str| {
        let bare = |word: &&str| !word.starts_with('-') && !word.contains('=');
        words.iter().take(4).filter(|word| bare(word)).any(|word| word.rsplit('/').next() == Some(name))
            && !matches!(program, "echo" | "printf" | "grep" | "rg" | "which" | "command" | "type")
    };
    let engine = |text: &str| params.engine_paths.iter().any(|part| text.contains(part.as_str()));
    let own = |text: &str| params.own_paths.iter().any(|part| text.contains(part.as_str()));
    let finds = |text: &str| engine(text) || params.finders.iter().any(|word| text.contains(word.as_str()));
    let targets = || words.iter().skip(1).filter(|word| !word.starts_with('-')).copied();
    // A target that the text does not state may lie anywhere.
    let laid = |what: &str, target: Option<&str>| match target {
        Some(target) if finds(target) => Some((true, format!("{what} `{}`", cut(target)))),
        Some(target) if own(target) || !target.contains(['$', '`']) => None,
        Some(target) => Some((false, format!("{what} `{}`, whose place the text does not state", cut(target)))),
        None => None,
    };
    if runs("sed") && words.iter().any(|word| word.starts_with("-i") || *word == "--in-place" || is_cluster(word, 'i')) {
        // The script of sed is no target.
        let files: Vec<&str> =
            targets().filter(|word| word.contains('/') || word.contains('.') || word.contains('$')).collect();
        if let Some((exact, what)) = laid("sed edits", files.last().copied()) {
            say(ran.line, exact, what);
        }
    }
    if runs("git") && words.contains(&"apply") || program == "patch" || runs("patch") && program == "sudo" {
        let place = words.windows(2).find(|pair| matches!(pair[0], "-d" | "-C" | "--directory")).map(|pair| pair[1]);
        match place {
            Some(place) if own(place) => {}
            Some(place) => {
                let exact = finds(place);
                say(ran.line, exact, format!("a patch is applied in `{}`", cut(place)));
            }
            None if targets().any(own) => {}
            None => {
                let exact = words.iter().any(|word| finds(word));
                say(ran.line, exact, "a patch is applied".to_owned());
            }
        }
    }
    let copies = matches!(program, "cp" | "mv" | "ln" | "install" | "rsync" | "tee") || runs("cp") || runs("tee") || runs("mv");
    if let Some((exact, what)) = laid("files are laid over", targets().last()).filter(|_| copies) {
        say(ran.line, exact, what);
    }
    for out in &ran.out {
        if finds(out) {
            say(ran.line, true, format!("output goes into `{}`", cut(out)));
        }
    }
    if runs("pip") || runs("pip3") || runs("uv") {
        in_pip(ran, &words, params, say);
    }
    if program.starts_with("python") {
        let code = words.iter().position(|word| *word == "-c").and_then(|at| words.get(at + 1).copied());
        for (whence, text) in [("a heredoc: ", ran.heredoc.as_deref()), ("", code)] {
            let Some(text) = text else { continue };
            let all: Vec<usize> = (1..=text.lines().count()).collect();
            in_python(text, 1, &all, params, &mut |_, exact, what| say(ran.line, exact, format!("{whence}{what}")));
        }
    }
    for word in &words {
        let Some((name, value)) = word.split_once('=') else { continue };
        // A library path that names installed packages changes no file; a module path may shadow them.
        if name.ends_with("PYTHONPATH")
            && params.hooks.iter().chain(&params.engine_packages).any(|part| value.contains(part.as_str()))
        {
            say(ran.line, false, format!("`{name}` puts modules in front of the installed ones"));
        }
    }
}

/// `-ni`: one of several short flags.
fn is_cluster(word: &str, flag: char) -> bool {
    word.len() <= 4 && word.starts_with('-') && !word.starts_with("--") && word.ends_with(flag)
}

fn in_pip(ran: &Ran, words: &[&str], params: &Params, say: &mut Say<'_>) {
    let Some(at) = words.iter().position(|word| matches!(*word, "install" | "uninstall")) else { return };
    let verb = words[at];
    let mut editable = false;
    let mut told = BTreeSet::new();
    for word in &words[at + 1..] {
        if matches!(*word, "-e" | "--editable") {
            editable = true;
            continue;
        }
        if word.starts_with('-') {
            continue;
        }
        let package = package_of(word);
        let engine = params.engine_packages.contains(&package);
        if engine && told.insert(package.clone()) {
            say(ran.line, true, format!("pip {verb}s `{package}` over the image"));
        } else if !engine && (editable || word.contains(".whl") || word.contains("git+") || *word == ".") {
            let own = params.own_paths.iter().any(|part| word.contains(part.as_str()));
            if !own && told.insert((*word).to_owned()) {
                say(ran.line, false, format!("pip {verb}s `{}`, built elsewhere", cut(word)));
            }
        }
        editable = false;
    }
}

/// `vllm==1.0`, `vllm[all]`, `git+https://x/vllm.git@y`, `./vllm-1.0-cp312.whl` → `vllm`.
fn package_of(word: &str) -> String {
    let word = word.split([';', '#', '?']).next().unwrap_or_default();
    let last = if word.contains("://") || word.contains('/') || word.contains(".whl") {
        let path = word.split("://").last().unwrap_or(word).trim_end_matches('/');
        let name = path.rsplit('/').next().unwrap_or(path);
        let name = name.split('@').next().unwrap_or(name);
        match name.strip_suffix(".git") {
            Some(name) => name,
            None if name.contains(".whl") => name.split('-').next().unwrap_or(name),
            None => name,
        }
    } else {
        word
    };
    let end = last.find(['=', '<', '>', '!', '~', '[', '@', ' ']).unwrap_or(last.len());
    last[..end].to_ascii_lowercase().replace('_', "-")
}

/// A Python text patches if it finds installed sources and writes; one that only reads does not.
fn in_python(text: &str, first: usize, added: &[usize], params: &Params, say: &mut Say<'_>) {
    let (mut place, mut write) = (None, None);
    for (index, line) in text.lines().enumerate() {
        let code = line.split_once('#').map_or(line, |(code, _)| code);
        let has = |words: &[String]| words.iter().any(|word| code.contains(word.as_str()));
        if place.is_none() && (has(&params.engine_paths) || has(&params.finders)) {
            place = Some(index);
        }
        if write.is_none() && has(&params.writers) {
            write = Some(index);
        }
    }
    let (Some(place), Some(write)) = (place, write) else { return };
    if added.is_empty() {
        return;
    }
    let line = if added.contains(&(write + 1)) { write } else { place };
    say(first + line, true, "installed engine sources are found and written".to_owned());
}

/// Whether it could be read.
fn in_recipe(file: &Changed<'_>, text: &str, params: &Params, say: &mut Say<'_>) -> bool {
    let Ok(tree) = node::parse(file.path, text, 1) else { return false };
    let mut stack = vec![("", &tree, 0)];
    while let Some((key, node, depth)) = stack.pop() {
        if params.recipe_keys.iter().any(|known| known == key) {
            let written = node.render();
            let last = last_line(node);
            if file.added.iter().any(|line| (node.line..=last).contains(line)) && !written.is_empty() && written != "null" {
                let exact = params.engine_paths.iter().any(|part| written.contains(part.as_str()));
                say(node.line, exact, format!("`{key}` brings `{}` into the image", cut(&written)));
            }
            continue;
        }
        if depth < 32 {
            match &node.data {
                node::Data::Map(entries) => stack.extend(entries.iter().map(|(key, node)| (key.as_str(), node, depth + 1))),
                node::Data::List(items) => stack.extend(items.iter().map(|item| (key, item, depth + 1))),
                _ => {}
            }
        }
    }
    true
}

fn last_line(node: &node::Node) -> usize {
    let below = match &node.data {
        node::Data::Map(entries) => entries.iter().map(|(_, node)| last_line(node)).max(),
        node::Data::List(items) => items.iter().map(last_line).max(),
        _ => None,
    };
    below.unwrap_or(node.line).max(node.line)
}

fn cut(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    if line.chars().count() <= 80 { line.to_owned() } else { format!("{}…", line.chars().take(79).collect::<String>()) }
}

/// What a waiver says of its approval. Whether it covers the patch is for a person.
pub fn approval(waiver: &str, params: &Params) -> Approval {
    let text = waiver.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    let says = |phrases: &[String]| phrases.iter().any(|phrase| has_phrase(&text, &phrase.to_lowercase()));
    if says(&params.not_approved) {
        Approval::NotApproved
    } else if says(&params.approved) {
        Approval::Approved
    } else {
        Approval::Silent
    }
}

/// Whether the phrase stands there as words of its own.
fn has_phrase(text: &str, phrase: &str) -> bool {
    !phrase.is_empty()
        && text.match_indices(phrase).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let after = text[at + phrase.len()..].chars().next();
            !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
        })
}
