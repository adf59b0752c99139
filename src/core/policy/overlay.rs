//! A person's policy laid over another one: maps merge by key, lists and plain values replace what was there. Whatever is
//! wrong with the whole is told by the line of the person's file that made it so.
//! Must not know: what a policy says, where files lie.

use super::{Policy, file};
use crate::core::yaml::{self, Any, Problem};
use serde_yaml::Spanned;

/// The key by which a file says what it is laid over, and the word for nothing.
const INHERITS: &str = "inherits";
const NONE: &str = "none";

/// A text and the name that problems call it by.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    pub file: &'a str,
    pub text: &'a str,
}

/// Reads a policy that is laid over `base`, unless it says `inherits: none`: then it stands alone.
///
/// # Errors
/// What is wrong in `own`, and what is wrong with the whole that comes of both, named by `own`'s file.
pub fn parse_over(base: Source<'_>, own: Source<'_>) -> Result<Policy, Vec<Problem>> {
    let of = |source: Source<'_>, is_own| -> Result<Node, Vec<Problem>> {
        let raw: Spanned<Any> = yaml::parse(source.file, source.text).map_err(|problem| vec![problem])?;
        Ok(node(raw, source.text, is_own))
    };
    let laid = of(own, true)?;
    let Data::Map(entries) = &laid.data else {
        if matches!(&laid.data, Data::Plain(text) if text == "null") {
            return file::parse(base.file, base.text);
        }
        return Err(vec![Problem::new(own.file, laid.place.line, "a policy is a map of keys, and this is none")]);
    };
    if entries.iter().any(|(key, _, node)| key == INHERITS && matches!(&node.data, Data::Text(word) if word == NONE)) {
        return file::parse(own.file, own.text);
    }
    let mut written = Written::default();
    of(base, false)?.merged(&laid).write(0, &mut written);
    file::parse(own.file, &written.text).map_err(|problems| {
        let told = problems.into_iter().map(|problem| {
            let place = problem.line.checked_sub(1).and_then(|at| written.places.get(at)).copied();
            match place {
                Some(Place { own: true, line }) => Problem { line, ..problem },
                Some(Place { own: false, line }) => {
                    let message = format!("with it, line {line} of the {} does not fit: {}", base.file, problem.message);
                    Problem { line: laid.line_named_in(&problem.message), message, ..problem }
                }
                None => Problem { line: laid.line_named_in(&problem.message), ..problem },
            }
        });
        told.collect()
    })
}

/// A line of one of the two texts, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    own: bool,
    line: usize,
}

#[derive(Debug, Clone)]
struct Node {
    data: Data,
    place: Place,
}

#[derive(Debug, Clone)]
enum Data {
    /// Written as it stands: a number, `true`, `null`.
    Plain(String),
    Text(String),
    List(Vec<Node>),
    /// Keys with their places.
    Map(Vec<(String, Place, Node)>),
}

impl Node {
    fn get(&self, key: &str) -> Option<(&Place, &Node)> {
        let Data::Map(entries) = &self.data else { return None };
        entries.iter().find(|(name, _, _)| name == key).map(|(_, place, node)| (place, node))
    }

    /// This with `over` laid on it. Its keys come first, so that a map begins where the person changed it.
    fn merged(&self, over: &Node) -> Node {
        let (Data::Map(base), Data::Map(laid)) = (&self.data, &over.data) else { return over.clone() };
        let with = |(key, place, node): &(String, Place, Node)| {
            let merged = self.get(key).map_or_else(|| node.clone(), |(_, below)| below.merged(node));
            (key.clone(), *place, merged)
        };
        let rest = base.iter().filter(|(key, _, _)| over.get(key).is_none()).cloned();
        Node { data: Data::Map(laid.iter().map(with).chain(rest).collect()), place: over.place }
    }

    /// The line of the deepest key here of the path that a message names first: `` `rules.recipe.pulls` ``. 0: none of it.
    fn line_named_in(&self, message: &str) -> usize {
        let path = message.split('`').nth(1).unwrap_or_default();
        let (mut node, mut line) = (self, 0);
        for key in path.split('.') {
            let Some((place, below)) = node.get(key) else { break };
            (node, line) = (below, place.line);
        }
        line
    }

    /// Writes it a value a line, so that a line of the whole belongs to one of the texts.
    fn write(&self, depth: usize, out: &mut Written) {
        let indent = "  ".repeat(depth);
        match &self.data {
            Data::Map(entries) => {
                for (key, place, node) in entries {
                    out.value(format!("{indent}{}:", quoted(key)), node, *place, depth);
                }
            }
            Data::List(items) => {
                for item in items {
                    out.value(format!("{indent}-"), item, item.place, depth);
                }
            }
            Data::Plain(_) | Data::Text(_) => out.value(indent, self, self.place, depth),
        }
    }
}

/// The whole as text, and the place of each of its lines.
#[derive(Default)]
struct Written {
    text: String,
    places: Vec<Place>,
}

impl Written {
    /// A key or a dash with its value: behind it, or below where there is more than one line of it.
    fn value(&mut self, begin: String, node: &Node, place: Place, depth: usize) {
        let (behind, below) = match &node.data {
            Data::Plain(text) => (format!(" {text}"), false),
            Data::Text(text) => (format!(" {}", quoted(text)), false),
            Data::List(items) if items.is_empty() => (" []".to_owned(), false),
            Data::Map(entries) if entries.is_empty() => (" {}".to_owned(), false),
            Data::List(_) | Data::Map(_) => (String::new(), true),
        };
        self.text.push_str(&format!("{begin}{behind}\n"));
        self.places.push(place);
        if below {
            node.write(depth + 1, self);
        }
    }
}

/// A JSON string is a YAML one.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn node(raw: Spanned<Any>, text: &str, own: bool) -> Node {
    let place = |line: u64| Place { own, line: usize::try_from(line).unwrap_or_default() };
    let span = raw.defined.span();
    let data = match raw.value {
        Any::Null => Data::Plain("null".to_owned()),
        // As it is written: a digest of digits alone is no number to whoever reads it as a text.
        Any::Plain(value) => {
            let range = span.byte_offset().zip(span.byte_len()).and_then(|(start, length)| {
                let start = usize::try_from(start).ok()?;
                text.get(start..start.checked_add(usize::try_from(length).ok()?)?)
            });
            let is_whole = |written: &&str| {
                !written.is_empty() && written.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-._~".contains(&byte))
            };
            Data::Plain(range.map(str::trim).filter(is_whole).map_or(value, str::to_owned))
        }
        Any::Text(value) => Data::Text(value),
        Any::List(items) => Data::List(items.into_iter().map(|item| node(item, text, own)).collect()),
        Any::Map(entries) => {
            let entry = |(key, value): (Spanned<String>, Spanned<Any>)| {
                (key.value, place(key.referenced.line()), node(value, text, own))
            };
            Data::Map(entries.into_iter().map(entry).collect())
        }
    };
    Node { data, place: place(raw.referenced.line()) }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{TEXT, policy};
    use super::*;
    use crate::core::facts::DocumentKind;
    use proptest::prelude::*;

    const BASE: Source<'static> = Source { file: "built-in policy", text: TEXT };

    fn over(text: &str) -> Result<Policy, Vec<Problem>> {
        parse_over(BASE, Source { file: "mine.yaml", text })
    }

    #[test]
    fn what_is_not_named_stays_as_it_is() {
        for text in ["", "# nothing\n", "schema: 1\n", "inherits: built-in\n", "rules: {}\n", "null"] {
            assert!(over(text).unwrap() == policy(), "{text:?}");
        }
        let ordinary = include_str!("../../../assets/policies/ordinary.yaml");
        let alone = over(ordinary).unwrap();
        assert!(alone == file::parse("mine.yaml", ordinary).unwrap() && alone.launch.is_none(), "it stands alone");
    }

    #[test]
    fn maps_merge_by_key_and_everything_else_is_replaced() {
        type Holds = fn(&Policy) -> bool;
        let table: [(&str, Holds); 8] = [
            ("evals: {fallback: 0.5}", |policy| policy.evals.fallback == 0.5 && policy.evals.artifact == "eval_results_all"),
            ("name: mine", |policy| policy.name == "mine" && policy.items.len() == 17),
            ("documents:\n  models: [docs/M.md]\n", |policy| {
                policy.documents[&DocumentKind::Models] == ["docs/M.md"]
                    && policy.documents[&DocumentKind::Checklist].len() == 2
            }),
            ("sweep: {framework_aliases: {x: y}}", |policy| {
                let aliases = &policy.sweep.framework_aliases;
                aliases.get("x").map(String::as_str) == Some("y") && aliases.contains_key("sgl")
            }),
            ("rules: {images: {established: [b200]}}", |policy| {
                policy.rules.images.established == ["b200"] && policy.rules.images.open_engines == ["vllm", "sglang"]
            }),
            ("configs:\n  retired_lanes: {1k8k: 2027-01-01}\n", |policy| {
                policy.configs.retired_lanes["1k8k"].to_string() == "2027-01-01" && policy.configs.retired_lanes.len() == 2
            }),
            ("launch: {assume: {EVAL_ONLY: 'true'}}", |policy| {
                policy.launch.as_ref().is_some_and(|launch| launch.assume["EVAL_ONLY"] == "true" && !launch.engines.is_empty())
            }),
            // What may be missing can be taken away.
            ("verdicts: null", |policy| policy.verdicts.is_none() && policy.models.is_some()),
        ];
        for (text, holds) in table {
            assert!(over(text).is_ok_and(|policy| holds(&policy)), "{text}");
        }
    }

    #[test]
    fn problems_name_the_line_of_the_person_s_file() {
        let table = [
            ("name: x\nevals:\n  fallback: 85\n", 3, "`evals.fallback` is not between 0 and 1"),
            ("evals:\n  # why\n  fallback: high\n", 3, ""),
            ("name: x\nsweeps:\n  workflows: [a]\n", 2, "sweeps"),
            ("sweep:\n  workflow: [a]\n", 2, "workflow"),
            ("schema: 7", 1, "schema 7 is not known"),
            ("name: a\nname: b\n", 2, "duplicate"),
            ("a: [", 1, ""),
            ("- a\n", 1, "a policy is a map of keys"),
            ("just words", 1, "a policy is a map of keys"),
            ("signoff:\n  trigger: ''\n", 2, "`signoff.trigger` is empty"),
            ("inherits: nothing", 1, "nothing"),
            ("\n\nrules:\n  recipe:\n    pages: ['(']\n", 4, "`rules.recipe` holds no pattern"),
            ("name: x\nchecks:\n  - key: swep\n    title: t\n", 3, "the rule `swep` does not exist"),
            // The list is the person's; what it breaks stands in the built-in policy.
            ("# mine\nchecks: []\n", 0, "with it, line "),
        ];
        for (text, line, words) in table {
            let problems = over(text).unwrap_err();
            let fits = |problem: &Problem| problem.line == line && problem.message.contains(words);
            assert!(
                problems.iter().any(fits) && problems.iter().all(|problem| problem.file == "mine.yaml"),
                "{text:?}: {problems:?}"
            );
        }
    }

    #[test]
    fn texts_that_look_like_numbers_stay_as_they_are_written() {
        let whole = over("rules: {images: {established: [0365200456012, 1e5, '007', 4_000]}}").unwrap();
        assert_eq!(whole.rules.images.established, ["0365200456012", "1e5", "007", "4_000"]);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(?s)[a-c:\\-#\"' \t\r\n{}\\[\\],é&*|~0-9]{0,120}") {
            let base = Source { file: "b", text: "schema: 1\nname: x\n" };
            let _ = parse_over(base, Source { file: "f", text: &text });
        }
    }
}
