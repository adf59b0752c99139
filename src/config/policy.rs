//! The policy that comes with the program, and a person's own laid over it.
//! Must not know: what a policy says; `core::policy` reads it.

use super::problem::{Problem, Severity};
use crate::core::policy::{self, Policy, Source};
use crate::core::yaml;

/// The built-in policy: the rules, paths and words of the repository that this program was made for.
pub const BUILT_IN: &str = include_str!("../../assets/policies/inferencex.yaml");

/// What problems call it.
const NAME: &str = "built-in policy";

/// Reads the built-in policy; `tests::the_built_in_policy_is_whole` keeps it free of problems.
pub fn built_in() -> Result<Policy, Vec<Problem>> {
    policy::parse(NAME, BUILT_IN).map_err(|problems| told(NAME, problems))
}

/// Reads a person's policy file, with every problem that can be told at once. It is laid over the built-in one: maps merge
/// by key, lists and plain values replace. With `inherits: none` it stands alone.
pub fn read(file: &str, text: &str) -> Result<Policy, Vec<Problem>> {
    let base = Source { file: NAME, text: BUILT_IN };
    policy::parse_over(base, Source { file, text }).map_err(|problems| told(file, problems))
}

fn told(file: &str, problems: Vec<yaml::Problem>) -> Vec<Problem> {
    let lines = problems.into_iter().map(|problem| {
        let text = problem.to_string();
        let (place, message) = text.split_once(": ").unwrap_or((file, &text));
        Problem {
            severity: Severity::Error,
            place: place.to_owned(),
            message: message.to_owned(),
            hint: "The built-in policy shows the form.".to_owned(),
        }
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_policy_is_whole() {
        assert!(!built_in().unwrap().items.is_empty());
    }

    #[test]
    fn a_person_s_policy_says_only_what_differs() {
        assert!(read("mine.yaml", "").unwrap() == built_in().unwrap());
        let mine = read("mine.yaml", "name: mine\nevals: {fallback: 0.5}\n").unwrap();
        assert_eq!((mine.name.as_str(), mine.evals.fallback, mine.items.len()), ("mine", 0.5, built_in().unwrap().items.len()));
    }

    #[test]
    fn a_wrong_policy_is_told_with_its_line() {
        let text = BUILT_IN.replacen("schema: 1", "schema: 99", 1);
        let problems = read("mine.yaml", &text).unwrap_err();
        assert!(problems[0].place.starts_with("mine.yaml:") && problems[0].message.contains("99"), "{problems:?}");
        let problems = read("mine.yaml", "# mine\nevals:\n  fallback: 9\n").unwrap_err();
        assert_eq!((problems.len(), problems[0].place.as_str()), (1, "mine.yaml:3"), "{problems:?}");
        let problems = read("mine.yaml", "inherits: none\nschema: 99\nname: x\n").unwrap_err();
        assert!(problems[0].place.starts_with("mine.yaml:"), "{problems:?}");
        assert!(!read("mine.yaml", "{").unwrap_err().is_empty());
    }
}
