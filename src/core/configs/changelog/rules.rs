//! The rules that the changelog's text must keep: grown at its end only, and its new entries in order.
//! Must not know: where the file lies, whether the repository enforces them.

use super::{ChangelogEntry, added};
use crate::core::configs::named::Named;
use crate::core::yaml::Problem;
use std::collections::HashSet;

/// What new entries are held against.
#[derive(Debug, Clone, Copy)]
pub struct Rules<'r> {
    /// Keys of all master files at the head.
    pub keys: &'r [&'r str],
    /// The address of the repository's pull requests, up to the number: `https://host/owner/name/pull/`.
    pub pulls: &'r str,
    /// What may stand in the place of an address until there is one.
    pub placeholders: &'r [String],
}

/// Everything in the head's text that breaks a rule, in order of lines. Lines are the head's, unless the sentence says
/// that they are the base's.
pub fn check(file: &str, base: &str, head: &str, rules: &Rules<'_>) -> Vec<Problem> {
    let (old, new) = (lines(base), lines(head));
    let mut problems = Vec::new();
    let mut say = |line: usize, message: String| problems.push(Problem::new(file, line, message));
    let growth = Growth::of(&old, &new);
    for (before, now) in &growth.kept {
        let (Some(was), Some(line)) = (old.get(*before), new.get(*now)) else { continue };
        if was != line && !is_canonical(link_of(line), rules) {
            say(now + 1, "A corrected `pr-link` must be a pull request's address in full.".to_owned());
        }
    }
    let gone: Vec<usize> =
        growth.gone.iter().copied().filter(|place| old.get(*place).is_some_and(|line| !line.trim().is_empty())).collect();
    if let Some(first) = gone.first() {
        let lines = if gone.len() == 1 { "1 line".to_owned() } else { format!("{} lines", gone.len()) };
        let message =
            format!("Earlier text may not change, but {lines} of the base differ or are gone, from its line {} on.", first + 1);
        say(first + 1, message);
    }
    let end = growth.kept.last().map_or(0, |(_, now)| now + 1);
    let early =
        growth.come.iter().filter(|place| **place < end && new.get(**place).is_some_and(|line| !line.trim().is_empty()));
    // Where earlier text changed, the new words in its place are told already.
    if let (Some(place), true) = (early.min(), gone.is_empty()) {
        say(place + 1, "New text stands before earlier text; entries are added at the end only.".to_owned());
    }
    for (place, line) in growth.come.iter().filter_map(|place| Some((place, new.get(*place)?))) {
        for (byte, word) in [('\r', "a carriage return"), ('\t', "a tab"), ('\0', "a NUL")] {
            if line.contains(byte) {
                say(place + 1, format!("This line holds {word}, which no new line may."));
            }
        }
    }
    spacing(&new, end, &mut say);
    if !head.is_empty() && !head.ends_with('\n') {
        say(new.len(), "The file lacks its final line end.".to_owned());
    }
    let (entries, unread) = added(file, base, head);
    contents(&entries, rules, &mut say);
    problems.extend(unread);
    problems.sort_by_key(|problem| problem.line);
    problems
}

/// Lines without their ends; a last one without an end is a line.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').map(|line| line.strip_suffix('\n').unwrap_or(line)).collect()
}

/// How the lines of the base became those of the head, by their places.
#[derive(Debug, Default)]
struct Growth {
    /// Base and head. Two different lines are both links.
    kept: Vec<(usize, usize)>,
    gone: Vec<usize>,
    come: Vec<usize>,
}

/// Files that differ in more lines than that are not aligned: what follows the first difference is gone, and new.
const MOST_LINES: usize = 20_000;

impl Growth {
    fn of(old: &[&str], new: &[&str]) -> Growth {
        // One link is as good as another: it may be corrected.
        let same = |line: &str| if is_link(line) { "pr-link:".to_owned() } else { line.to_owned() };
        let (before, now): (Vec<String>, Vec<String>) =
            (old.iter().map(|line| same(line)).collect(), new.iter().map(|line| same(line)).collect());
        let prefix = before.iter().zip(&now).take_while(|(a, b)| a == b).count();
        let mut growth = Growth { kept: (0..prefix).map(|place| (place, place)).collect(), ..Growth::default() };
        let (rest, grown) = (before.get(prefix..).unwrap_or_default(), now.get(prefix..).unwrap_or_default());
        if rest.is_empty() || rest.len() + grown.len() > MOST_LINES {
            growth.gone.extend(prefix..before.len());
            growth.come.extend(prefix..now.len());
            return growth;
        }
        for op in similar::capture_diff_slices(similar::Algorithm::Myers, rest, grown) {
            let (tag, a, b) = op.as_tag_tuple();
            let (a, b) = (a.start + prefix..a.end + prefix, b.start + prefix..b.end + prefix);
            if tag == similar::DiffTag::Equal {
                growth.kept.extend(a.zip(b));
            } else {
                growth.gone.extend(a);
                growth.come.extend(b);
            }
        }
        growth
    }
}

fn is_link(line: &str) -> bool {
    line.trim_start().starts_with("pr-link:")
}

fn link_of(line: &str) -> &str {
    line.split_once(':').map_or("", |(_, link)| link.trim().trim_matches(['"', '\'']))
}

fn is_canonical(link: &str, rules: &Rules<'_>) -> bool {
    link.strip_prefix(rules.pulls).is_some_and(|number| {
        !number.is_empty() && !number.starts_with('0') && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// One empty line before each new entry, none at the end, and a final line end: `from` is the first line behind the base.
fn spacing(new: &[&str], from: usize, say: &mut impl FnMut(usize, String)) {
    let Some(tail) = new.get(from..).filter(|tail| !tail.is_empty()) else { return };
    let mut blank = 0;
    let mut any_before = from > 0;
    for (index, line) in tail.iter().enumerate() {
        let place = from + index + 1;
        if line.trim().is_empty() {
            if !line.is_empty() && *line != "\r" {
                say(place, "The line between entries must be empty; it holds spaces.".to_owned());
            }
            blank += 1;
            continue;
        }
        if line.starts_with('-') && any_before && blank != 1 {
            say(place, format!("One empty line stands before an entry, not {blank}."));
        }
        any_before = true;
        blank = 0;
    }
    if blank > 0 {
        say(new.len(), "The file ends with one line end and no empty line.".to_owned());
    }
}

/// What the pull request's own entries say.
fn contents(entries: &[ChangelogEntry], rules: &Rules<'_>, say: &mut impl FnMut(usize, String)) {
    for entry in entries {
        let mut seen = HashSet::new();
        if entry.config_keys.is_empty() {
            say(entry.line, "The entry names no config key.".to_owned());
        }
        if entry.description.iter().all(|line| line.trim().is_empty()) {
            say(entry.line, "The entry has no description.".to_owned());
        }
        for key in &entry.config_keys {
            if !seen.insert(key.as_str()) {
                say(entry.line, format!("`{key}` stands in the entry twice."));
                continue;
            }
            match Named::of(key, rules.keys.iter().copied()) {
                Named::Missing(_) => say(entry.line, format!("No master file has the key `{key}`.")),
                Named::Pattern { count: 0, .. } => say(entry.line, format!("The pattern `{key}` matches no key.")),
                Named::Pattern { .. } | Named::Key(_) => {}
            }
        }
        match &entry.pr_link {
            None => say(entry.line, "The entry has no `pr-link`.".to_owned()),
            Some(link) if is_canonical(link, rules) || rules.placeholders.contains(link) => {}
            Some(link) => {
                let pulls = rules.pulls;
                say(entry.line, format!("`{link}` is neither {pulls} with a number nor a placeholder."));
            }
        }
        if entry.append_only && (entry.evals_only || entry.all_evals) {
            say(entry.line, "An append-only entry takes no eval modifier.".to_owned());
        }
        if entry.no_evals && (entry.evals_only || entry.all_evals) {
            say(entry.line, "The entry asks for evals and for none.".to_owned());
        }
    }
    let ordinary = entries.iter().find(|entry| !entry.append_only);
    if let (Some(append), Some(_)) = (entries.iter().find(|entry| entry.append_only), ordinary) {
        say(append.line, "Append-only entries may not share a sweep with ordinary ones.".to_owned());
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::*;
    use crate::core::yaml;
    use proptest::prelude::*;

    const PULLS: &str = "https://h/o/r/pull/";
    const KEYS: [&str; 3] = ["a", "b-1", "b-2"];

    fn told(base: &str, head: &str) -> Vec<String> {
        let placeholders = ["XXX".to_owned()];
        let rules = Rules { keys: &KEYS, pulls: PULLS, placeholders: &placeholders };
        check("c.yaml", base, head, &rules).iter().map(|problem| format!("{} {}", problem.line, problem.message)).collect()
    }

    fn item(keys: &str, link: &str, more: &str) -> String {
        format!("- config-keys: [{keys}]\n  description:\n    - said\n  pr-link: {link}\n{more}")
    }

    /// The first problem holds these words, and there is no other.
    fn only(base: &str, head: &str, line: usize, words: &str) {
        let told = told(base, head);
        assert_eq!(told.len(), 1, "{told:?}\n{head}");
        assert!(told[0].starts_with(&format!("{line} ")) && told[0].contains(words), "{told:?}\n{head}");
    }

    #[test]
    fn growing_at_the_end_is_all_that_is_allowed() {
        let base = format!("{}  \n\n{}", item("a", &format!("{PULLS}1"), ""), item("b-1", "XXX", ""));
        let next = item("b-*", "XXX", "");
        let good = format!("{base}\n{next}");
        assert_eq!(told(&base, &good), Vec::<String>::new());
        assert_eq!(told(&base, &format!("{good}\n{next}")), Vec::<String>::new());
        assert_eq!(told("", &next), Vec::<String>::new());
        assert_eq!(told(&base, &base), Vec::<String>::new());
        let last = base.lines().count();
        only(&base, &format!("{base}{next}"), last + 1, "not 0");
        only(&base, &format!("{base}\n\n{next}"), last + 3, "not 2");
        only(&base, &format!("{base}  \n{next}"), last + 1, "holds spaces");
        only(&base, &format!("{good}\n"), last + 6, "no empty line");
        only(&base, good.trim_end(), last + 5, "final line end");
        only(&base, &format!("{next}\n{base}"), 1, "at the end only");
        only(&base, &good.replacen("said", "told", 1), 3, "1 line of the base");
        let cut = told(&base, &good.replacen("  description:\n    - said\n", "", 1));
        assert!(cut.iter().any(|line| line.starts_with("2 ") && line.contains("2 lines of the base")), "{cut:?}");
        assert_eq!(told(&base, &good.replacen("pull/1", "pull/2", 1)), Vec::<String>::new(), "a corrected link");
        assert_eq!(told(&base, &good.replacen("  \n\n", "\n", 1)), Vec::<String>::new(), "blank lines may go");
        only(&base, &good.replacen(&format!("{PULLS}1"), "elsewhere", 1), 4, "in full");
        for (byte, word) in [("\r", "carriage"), ("\t", "tab"), ("\0", "NUL")] {
            let told = told(&base, &format!("{base}\n{}", next.replace("said", &format!("'s{byte}d'"))));
            assert!(told.iter().any(|line| line.contains(word)), "{told:?}");
        }
    }

    #[test]
    fn an_entry_names_keys_that_exist_once_and_its_pull_request() {
        let table = [
            (item("a, a", "XXX", ""), "twice"),
            (item("c", "XXX", ""), "has the key `c`"),
            (item("c*", "XXX", ""), "matches no key"),
            (item("", "XXX", ""), "names no config key"),
            (item("a", "TBD", ""), "nor a placeholder"),
            (item("a", &format!("{PULLS}12/changes"), ""), "nor a placeholder"),
            (item("a", &format!("{PULLS}012"), ""), "nor a placeholder"),
            (item("a", "XXX", "").replace("  pr-link: XXX\n", ""), "no `pr-link`"),
            (item("a", "XXX", "").replace("- said", "- ''"), "no description"),
            (item("a", "XXX", "  append-only: true\n  evals-only: true\n"), "no eval modifier"),
            (item("a", "XXX", "  no-evals: true\n  all-evals: true\n"), "for none"),
        ];
        for (head, words) in table {
            only("", &head, 1, words);
        }
        for head in [item("'*'", &format!("{PULLS}12"), ""), item("a", "XXX", "  append-only: true\n")] {
            assert_eq!(told("", &head), Vec::<String>::new());
        }
        let mixed = format!("{}\n{}", item("a", "XXX", ""), item("b-1", "XXX", "  append-only: true\n"));
        only("", &mixed, 6, "ordinary ones");
    }

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn a_real_file_grows_by_its_own_last_entry() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/corpus/inferencex/2026-08/");
        let text = std::fs::read_to_string(format!("{root}perf-changelog.yaml")).unwrap();
        let policy = crate::core::policy::tests::policy();
        let mut keys = Vec::new();
        for name in ["nvidia", "amd"] {
            let masters = std::fs::read_to_string(format!("{root}configs/{name}-master.yaml")).unwrap();
            keys.extend(yaml::top_level(&masters).into_iter().map(|section| section.key));
        }
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let placeholders = &policy.configs.link_placeholders;
        let pulls = placeholders.iter().find_map(|one| one.strip_suffix("XXX").filter(|rest| !rest.is_empty())).unwrap();
        let rules = Rules { keys: &keys, pulls, placeholders };
        let last = yaml::items(&text).pop().unwrap();
        let base = format!("{}\n", text[..last.range.start].trim_end());
        assert_eq!(check("c", &base, &text, &rules), vec![]);
        let edited = text.replacen("description", "descriptions", 1);
        let line = text.lines().position(|line| line.contains("description")).unwrap() + 1;
        let told = check("c", &base, &edited, &rules);
        assert!(told.iter().any(|problem| problem.line == line && problem.message.contains("1 line of the base")), "{told:?}");
        // History breaks rules that came later, and is left alone.
        let all = check("c", "", &text, &rules);
        assert!(all.iter().any(|problem| problem.message.contains("nor a placeholder")), "two malformed links");
        assert!(all.iter().any(|problem| problem.message.contains("holds spaces")));
    }

    proptest! {
        #[test]
        fn nothing_panics_and_no_growth_is_no_problem(base in "(?s)[-a:\n \r\t]{0,40}", head in "(?s)[-a:\n \r\t]{0,40}") {
            let _ = told(&base, &head);
            if base.is_empty() || base.ends_with('\n') {
                let about_growth = |line: &String| line.contains("Earlier") || line.contains("at the end only");
                prop_assert!(!told(&base, &base).iter().any(about_growth));
                let grown = format!("{base}{head}");
                prop_assert!(!told(&base, &grown).iter().any(about_growth));
            }
        }
    }
}
