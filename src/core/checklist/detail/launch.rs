//! What scripts and recipes run, as far as a sign-off speaks of it: speculative decoding, and what takes a changed axis.
//! Must not know: how a script is read, verdicts of rules.

use super::{Drafting, files, listed, say_gap};
use crate::core::axes::Parallel;
use crate::core::checklist::rendered::Rendered;
use crate::core::configs::{Entry, Point};
use crate::core::evidence::Evidence;
use crate::core::launch::{Setting, Value};
use crate::core::points::launches::{Against, ArmReview};
use crate::core::policy::Status;
use crate::core::policy::launches::arms::{Arm, Known};
use crate::core::policy::launches::launched::Judged;
use crate::core::policy::launches::texts;
use crate::core::text::counted;
use std::collections::{BTreeSet, HashMap};

/// Kinds of launches, and differences of one, that are told one by one.
const NAMED: usize = 4;

/// How each launch drafts, whether it is measured through the chat template, and whether it is the base's.
pub(super) fn speculative(drafting: &Drafting<'_>, gaps: &mut Vec<String>) -> Option<Rendered> {
    let launched = &drafting.made_of.conclusions.launched;
    let rows = drafting.points.launches.rows.iter().map(|row| (row.render(), row)).collect::<HashMap<_, _>>();
    let mut out = Rendered::default();
    // What says the same is told once.
    let mut groups: Vec<(Told, Vec<(&Arm, &Judged)>)> = Vec::new();
    for (arm, judged) in launched.launches().filter(|(arm, judged)| judged.speculative && (arm.stated || arm.changed)) {
        let told = Told::of(drafting, &rows, judged, gaps);
        match groups.iter_mut().find(|(known, _)| *known == told) {
            Some((_, all)) => all.push((arm, judged)),
            None => groups.push((told, vec![(arm, judged)])),
        }
    }
    let count = groups.len();
    for (told, all) in groups.iter().take(NAMED) {
        let Some((arm, judged)) = all.first() else { continue };
        let evidence = launch(drafting, arm);
        let line = judged.launch.servers.first().map(|server| server.line).filter(|line| *line > 0);
        let more = all.len() - 1;
        let more = if more > 0 { format!(" and {more} more like it") } else { String::new() };
        out.push(if out.is_empty() { "" } else { " " });
        out.say(&format!("{}{more}", drafting.line(&arm.path, line)), evidence.as_ref());
        out.push(if more.is_empty() { " runs " } else { " run " });
        let flags: Vec<String> = told.flags.iter().map(|(flag, of)| shown(drafting, flag, of)).collect();
        let flags = if flags.is_empty() { "no flag that says how it drafts".to_owned() } else { listed(&flags) };
        out.say(&flags, evidence.as_ref()).push("; ");
        let place = judged.chat_template.lines.first().map(|line| format!(" ({})", drafting.line(&arm.path, Some(*line))));
        let place = place.unwrap_or_default();
        let client = match told.chat {
            Status::Pass => format!("measured through the chat template{place}"),
            Status::Fail => format!("load is sent without the chat template{place}"),
            _ => format!("whether the chat template is used is open{place}"),
        };
        out.say(&client, evidence.as_ref()).push("; ").say(&drafting.prose(&told.against), evidence.as_ref()).push(".");
    }
    if count > NAMED {
        out.say(&format!(" So do {} more kinds of launches, each otherwise.", count - NAMED), files(drafting.facts()).as_ref());
    }
    for arm in launched.arms.iter().filter(|arm| arm.stated && arm.known != Known::Here) {
        let keys: Vec<String> = arm.keys.iter().map(|key| drafting.code(key)).collect();
        let why = match &arm.known {
            Known::Absent => "does not exist at the head",
            Known::External => "lies outside the repository and was not read",
            Known::Here | Known::Unread(_) => "was not read",
        };
        say_gap(gaps, format!("How {} drafts is not told: {} {why}.", arm.keys.join(", "), arm.render()));
        let evidence = arm.keys.first().and_then(|key| drafting.config(key)).or_else(|| drafting.changelog());
        let verb = if keys.len() == 1 { "decodes" } else { "decode" };
        out.push(if out.is_empty() { "" } else { " " });
        out.say(
            &format!("{} {verb} speculatively by its config; {} {why}.", listed(&keys), drafting.code(&arm.render())),
            evidence.as_ref(),
        );
    }
    (!out.is_empty()).then_some(out)
}

/// What is said of a launch.
#[derive(PartialEq)]
struct Told {
    /// With the roles that carry it, where not all do.
    flags: Vec<(String, String)>,
    chat: Status,
    against: String,
}

impl Told {
    fn of(drafting: &Drafting<'_>, rows: &HashMap<String, &ArmReview>, judged: &Judged, gaps: &mut Vec<String>) -> Told {
        let names = drafting.made_of.policy.launch.as_ref().map(|launch| launch.speculative.as_slice()).unwrap_or_default();
        let drafts = |flag: &&Setting| {
            let of = |name: &String| {
                flag.name == *name || flag.name.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('.'))
            };
            flag.name.starts_with("speculative") || names.iter().any(of)
        };
        let servers = &judged.launch.servers;
        let mut flags: Vec<(String, Vec<&str>)> = Vec::new();
        for server in servers {
            // JSON stands field by field beside the whole.
            let inner =
                |flag: &Setting, other: &Setting| other.name.strip_prefix(&flag.name).is_some_and(|rest| rest.starts_with('.'));
            let is_whole = |flag: &&Setting| server.flags.iter().any(|other| inner(flag, other));
            for flag in server.flags.iter().filter(drafts).filter(|flag| !is_whole(flag)) {
                let shown = flag.render_flag();
                match flags.iter_mut().find(|(known, _)| *known == shown) {
                    Some((_, roles)) => roles.push(&server.role),
                    None => flags.push((shown, vec![&server.role])),
                }
            }
        }
        // What all servers share needs no role.
        let told = flags.into_iter().map(|(flag, mut roles)| {
            roles.dedup();
            let of = if roles.len() < servers.len() { roles.join(", ") } else { String::new() };
            (flag, of)
        });
        let flags = told.collect();
        let row = rows.get(&judged.launch.path).copied();
        Told { flags, chat: judged.chat_template.status, against: against(row, &judged.launch.path, gaps) }
    }
}

/// `--speculative-config.num-speculative-tokens 1` (prefill).
fn shown(drafting: &Drafting<'_>, flag: &str, of: &str) -> String {
    let of = if of.is_empty() { String::new() } else { format!(" ({})", drafting.prose(of)) };
    format!("{}{of}", drafting.code(flag))
}

/// How a launch stands to the merge base's.
fn against(row: Option<&ArmReview>, path: &str, gaps: &mut Vec<String>) -> String {
    match row.map(|row| &row.against) {
        Some(Against::Same) => "as at the base, not changed here".to_owned(),
        Some(Against::Compared(changes)) if changes.is_empty() => "flags and variables as at the base".to_owned(),
        Some(Against::Compared(changes)) => {
            let named: Vec<String> = changes.iter().take(NAMED).map(|change| change.render()).collect();
            let more = changes.len().saturating_sub(NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("against the base {}{more}", named.join(", "))
        }
        Some(Against::New) => "new here".to_owned(),
        Some(Against::Unread(why)) => {
            say_gap(gaps, format!("{path} is not compared with the base: {why}"));
            "not compared with the base".to_owned()
        }
        None => "not compared with the base".to_owned(),
    }
}

fn launch(drafting: &Drafting<'_>, arm: &Arm) -> Option<Evidence> {
    texts::evidence(drafting.facts(), &arm.path, None)
}

/// Sizes of a parallelism, by the words that flags and variables have for them.
type Axis = (&'static str, fn(&Parallel) -> u32);
const AXES: [Axis; 5] = [("tp", |p| p.tp), ("pp", |p| p.pp), ("dcp", |p| p.dcp), ("pcp", |p| p.pcp), ("ep", |p| p.ep)];

/// Each size that an entry had not before, with the line that takes it.
pub(super) fn axes(drafting: &Drafting<'_>, gaps: &mut Vec<String>) -> Option<Rendered> {
    let keys = &drafting.made_of.conclusions.keys;
    let mut out = Rendered::default();
    for entry in &keys.touched {
        // All of a new entry is new.
        let Some(old) = keys.was.iter().find(|old| old.key == entry.key) else { continue };
        for (word, size) in AXES {
            let before = sizes(old, size);
            let new: Vec<u32> = sizes(entry, size).difference(&before).copied().collect();
            if new.is_empty() || before.is_empty() {
                continue;
            }
            let evidence = drafting.config(&entry.key);
            let numbers = |all: Vec<u32>| listed(&all.iter().map(u32::to_string).collect::<Vec<_>>());
            let name = word.to_uppercase();
            let said = format!(
                "{}: {name} {} beside {}",
                drafting.code(&entry.key),
                numbers(new.clone()),
                numbers(before.into_iter().collect())
            );
            out.push(if out.is_empty() { "" } else { " " }).say(&said, evidence.as_ref()).push("; ");
            takers(drafting, entry, word, &new, &mut out, gaps);
            out.push(".");
        }
    }
    (!out.is_empty()).then_some(out)
}

fn sizes(entry: &Entry, size: fn(&Parallel) -> u32) -> BTreeSet<u32> {
    let of = |point: &Point| match (&point.prefill, &point.decode) {
        (None, None) => vec![size(&point.parallel)],
        (prefill, decode) => prefill.iter().chain(decode).map(|role| size(&role.parallel)).collect(),
    };
    entry.points.iter().flat_map(of).collect()
}

/// The lines of the launches of an entry that take an axis.
fn takers(drafting: &Drafting<'_>, entry: &Entry, axis: &str, new: &[u32], out: &mut Rendered, gaps: &mut Vec<String>) {
    let launched = &drafting.made_of.conclusions.launched;
    let runs = |arm: &Arm| arm.keys.contains(&entry.key);
    let mut found: Vec<(&Arm, &Setting)> = Vec::new();
    let mut looked = 0;
    for (arm, judged) in launched.launches().filter(|(arm, _)| runs(arm)) {
        looked += 1;
        let flags = judged.launch.servers.iter().flat_map(|server| &server.flags);
        let takes = |flag: &&Setting| takes(flag, axis, new) && flag.line > 0;
        found.extend(flags.filter(takes).map(|flag| (arm, flag)));
    }
    let name = axis.to_uppercase();
    if found.is_empty() {
        let why = if looked == 0 { "was not read" } else { "was not found" };
        say_gap(gaps, format!("The line that takes {name} of {} {why}: look whether it is served.", entry.key));
        out.push(&format!("the line that takes it {why}"));
        return;
    }
    for (at, (arm, flag)) in found.iter().take(NAMED).enumerate() {
        let said = format!("{} passes {}", drafting.line(&arm.path, Some(flag.line)), drafting.code(&flag.render_flag()));
        out.push(if at == 0 { "" } else { ", " }).say(&said, launch(drafting, arm).as_ref());
    }
    if found.len() > NAMED {
        out.say(&format!(" and {} more", counted(found.len() - NAMED, "line")), files(drafting.facts()).as_ref());
    }
}

/// Whether a flag is an axis by its name (`tp-size`, `tensor-parallel-size`) and takes one of these sizes, or what is not
/// known.
fn takes(flag: &Setting, axis: &str, sizes: &[u32]) -> bool {
    let words: Vec<&str> = flag.name.split(['-', '_', '.']).filter(|word| !word.is_empty()).collect();
    let initials: String = words.iter().filter_map(|word| word.chars().next()).collect();
    // Any two words may begin like an axis: `enable-profiling`, `tokenizer-path`.
    let is_spelt = words.len() >= axis.len()
        && matches!(words.last(), Some(&("size" | "parallel" | "parallelism")))
        && initials.strip_prefix(axis).is_some_and(|rest| matches!(rest, "" | "s"));
    let is_size = |text: &String| sizes.iter().any(|size| *text == size.to_string());
    let fits = matches!(flag.value, Value::Unknown(_)) || flag.value.texts().iter().any(is_size);
    (words.first() == Some(&axis) || is_spelt) && fits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::launch::When;

    #[test]
    fn an_axis_is_taken_by_a_flag_that_sets_it() {
        let size = |text: &str| Value::Text(text.to_owned());
        let open = || Value::Unknown("$X".to_owned());
        let table = [
            ("tp", size("8"), "tp", true),
            ("tp-size", size("8"), "tp", true),
            ("tp-size", size("4"), "tp", false),
            ("tensor-parallel-size", open(), "tp", true),
            ("tensor_parallelism", size("8"), "tp", true),
            ("decode-context-parallel-size", Value::OneOf(vec!["1".into(), "8".into()]), "dcp", true),
            ("tokenizer-path", open(), "tp", false),
            ("enable-profiling", Value::Bare, "ep", false),
            ("ep-dispatch", Value::Bare, "ep", false),
            ("expert-parallel-size", size("8"), "tp", false),
        ];
        for (name, value, axis, want) in table {
            let flag = Setting { name: name.into(), value, line: 1, when: When::Always };
            assert_eq!(takes(&flag, axis, &[8]), want, "{name} {axis}");
        }
    }
}
