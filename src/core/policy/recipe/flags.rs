//! The upstream recipe's arguments beside ours, arm by arm and flag by flag: signs for a person, which never change what
//! the rule says.
//! Must not know: which links count, how texts are read.

use super::{Context, file_of};
use crate::core::configs::Entry;
use crate::core::ids::PullRef;
use crate::core::launch::{Launch, Setting, Value};
use crate::core::policy::launches::arms::{Arm, Known};
use crate::core::policy::launches::major::{self, Agreement, Compared, Stated};
use crate::core::policy::read::{settled, several};
use crate::core::text::gate;

/// Differences that are told one by one.
const MOST_NOTES: usize = 12;
/// Characters of an argument that are shown: a JSON value may be long.
const MOST_SHOWN: usize = 100;

/// What a comparison came to.
#[derive(Default)]
pub(super) struct Beside {
    pub notes: Vec<String>,
    /// Launches of ours that were compared, and arguments that read otherwise.
    compared: usize,
    different: usize,
}

impl Beside {
    /// For the rule's sentence.
    pub fn told(&self, key: &str) -> String {
        match (self.compared, self.different) {
            (0, _) => format!("whether its major arguments agree with {key} is yours to read"),
            (_, 0) => "no major argument that both state differs".to_owned(),
            (_, 1) => "1 major argument reads otherwise here, see the notes".to_owned(),
            (_, count) => format!("{count} major arguments read otherwise here, see the notes"),
        }
    }
}

/// The scripts and recipes of these configs.
pub(super) fn arms<'a>(context: &'a Context<'_>, needing: &[&Entry]) -> Vec<&'a Arm> {
    let runs = |arm: &&Arm| arm.keys.iter().any(|key| needing.iter().any(|entry| entry.key == *key));
    context.conclusions.launched.arms.iter().filter(runs).collect()
}

/// Compares what the merged pull requests state with what the configs run.
pub(super) fn beside(context: &Context<'_>, needing: &[&Entry], pulls: &[PullRef], pages: &[String]) -> Beside {
    let mut out = Beside::default();
    let (Some(launch), Some(rules)) = (&context.policy.launch, &context.policy.launch_rules) else { return out };
    let mut gaps: Vec<String> = Vec::new();
    let mut theirs: Vec<&Launch> = Vec::new();
    for url in pages {
        let Some(file) = file_of(&context.facts.web, url) else {
            gaps.push(format!("{url} is a page that the program does not read: compare its arguments yourself."));
            continue;
        };
        match (settled(context.facts.linked_files.get(&file), &file.to_string()), context.conclusions.launched.page(&file)) {
            (Ok(_), Some(stated)) if !stated.launches.is_empty() => theirs.extend(&stated.launches),
            (Ok(_), _) => gaps.push(format!("{file} states no major argument: compare what it speaks of yourself.")),
            (Err(why), _) => gaps.push(format!("{} Compare its arguments yourself.", sentence(why))),
        }
    }
    for pull in pulls {
        let Some(stated) = context.conclusions.launched.upstream(pull) else { continue };
        theirs.extend(&stated.launches);
        let unread = || format!("GitHub does not send the changed lines of {}", several(&stated.unread));
        if !stated.unread.is_empty() {
            gaps.push(format!("{pull}: {}: compare its arguments yourself.", unread()));
        } else if stated.launches.is_empty() {
            let files = if stated.files == 1 { "1 file".to_owned() } else { format!("{} files", stated.files) };
            gaps.push(format!("{pull} states no major argument in the lines that it changes ({files} looked at)."));
        }
        if stated.partial {
            gaps.push(format!("Not all files of {pull} could be read, so it may state more."));
        }
    }
    let mut lines = Vec::new();
    if !theirs.is_empty() {
        let arms = arms(context, needing);
        if arms.is_empty() {
            gaps.push("No script or recipe is known that the changed configs run, so no argument was compared.".to_owned());
        }
        for arm in arms {
            if let Some(gap) = gap(arm) {
                gaps.push(gap);
                continue;
            }
            let unfollowed = context.conclusions.launched.unfollowed.iter().filter(|one| one.path == arm.path);
            gaps.extend(unfollowed.filter_map(|one| one.gap().or_else(|| one.remark())));
            for (_, judged) in context.conclusions.launched.launches().filter(|(known, _)| *known == arm) {
                let ours = &judged.launch;
                if ours.servers.is_empty() {
                    gaps.push(format!(
                        "{} starts no server that the program can follow, so no argument was compared.",
                        ours.path
                    ));
                    continue;
                }
                let compared = major::compare(ours, &theirs, launch, &rules.major);
                out.compared += 1;
                out.different += compared.iter().filter(|one| is_difference(one)).count();
                told(ours, &compared, &mut lines);
                gaps.extend(
                    ours.problems.first().map(|problem| format!("Not all of {} could be followed: {problem}.", ours.path)),
                );
            }
        }
    }
    if !lines.is_empty() {
        lines.insert(0, "Major arguments beside upstream's, as signs and no proof:".to_owned());
    }
    let more = lines.len().saturating_sub(MOST_NOTES + 1);
    lines.truncate(MOST_NOTES + 1);
    lines.extend((more > 0).then(|| format!("{more} more like these.")));
    gaps.dedup();
    let more = gaps.len().saturating_sub(MOST_NOTES);
    gaps.truncate(MOST_NOTES);
    gaps.extend((more > 0).then(|| format!("{more} more texts were not compared.")));
    out.notes = lines.into_iter().chain(gaps).collect();
    out
}

fn sentence(why: String) -> String {
    if why.ends_with(['.', '!', '?']) { why } else { format!("{why}.") }
}

/// Why nothing of an arm can be compared.
fn gap(arm: &Arm) -> Option<String> {
    let path = arm.render();
    let why = match &arm.known {
        Known::Here => return None,
        Known::External => "lies outside this repository".to_owned(),
        Known::Absent => "does not exist at the head".to_owned(),
        Known::Unread(None) => "is not read yet".to_owned(),
        Known::Unread(Some(why)) => format!("cannot be read: {}", why.trim_end_matches('.')),
    };
    Some(format!("{path} {why}, so its arguments were not compared."))
}

fn is_difference(one: &Compared) -> bool {
    matches!(one.agreement, Agreement::Different | Agreement::Extra)
}

/// A line per difference, then one for what agrees, what upstream does not state and what a variable decides.
fn told(ours: &Launch, compared: &[Compared], lines: &mut Vec<String>) {
    let name = ours.path.rsplit('/').next().unwrap_or(&ours.path);
    let many = compared.iter().any(|one| compared.first().is_some_and(|first| first.role != one.role));
    let who = |one: &Compared| if many { format!("{name} ({})", one.role) } else { name.to_owned() };
    let here = |setting: &Option<Setting>| match setting {
        Some(setting) => format!("{} (line {})", shown(setting), setting.line),
        None => "not set".to_owned(),
    };
    for one in compared.iter().filter(|one| is_difference(one)) {
        let Some(theirs) = &one.theirs else { continue };
        let others = match one.others {
            0 => String::new(),
            1 => ", and another value elsewhere".to_owned(),
            count => format!(", and {count} other values elsewhere"),
        };
        lines.push(format!(
            "{}: upstream: {} ({}{others}), here: {}.",
            who(one),
            shown(&theirs.setting),
            place(theirs),
            here(&one.ours)
        ));
    }
    let mut group = |agreement: Agreement, says: &str, word: &dyn Fn(&Compared) -> Option<String>| {
        let words: Vec<String> = compared.iter().filter(|one| one.agreement == agreement).filter_map(word).collect();
        if !words.is_empty() {
            lines.push(format!("{name}: {says}: {}.", words.join(", ")));
        }
    };
    // Where neither says a value there is nothing to look at.
    let says = |setting: Option<&Setting>| setting.is_some_and(|setting| !matches!(setting.value, Value::Unknown(_)));
    let own = |one: &Compared| one.ours.as_ref().map(shown);
    group(Agreement::Same, "as upstream", &own);
    let stated = |one: &Compared| own(one).filter(|_| says(one.ours.as_ref()));
    group(Agreement::Missing, "not in upstream's changed lines", &stated);
    group(Agreement::Open, "a variable decides", &|one: &Compared| {
        let (ours, theirs) = (one.ours.as_ref(), one.theirs.as_ref().map(|stated| &stated.setting));
        (says(ours) || says(theirs)).then(|| {
            let word = |setting: Option<&Setting>| setting.map_or_else(|| "nothing".to_owned(), shown);
            format!("upstream {}, here {}", word(theirs), word(ours))
        })
    });
}

/// `page.mdx:14`.
fn place(stated: &Stated) -> String {
    let name = stated.path.rsplit('/').next().unwrap_or(&stated.path);
    format!("{name}:{}", stated.setting.line)
}

/// An argument on one line, however long and whoever wrote it.
fn shown(setting: &Setting) -> String {
    let whole = setting.render_flag();
    let mut text: String = whole.chars().take(MOST_SHOWN).collect();
    if text.len() < whole.len() {
        text.push('…');
    }
    format!("`{}`", gate::line(&text).replace('`', "'"))
}
