//! The policy that comes with the program, and a person's own in its place.
//! Must not know: what a policy says; `core::policy` reads it.

use super::problem::{Problem, Severity};
use crate::core::policy::{self, Policy};

/// The built-in policy: the rules, paths and words of the repository that this program was made for.
pub const BUILT_IN: &str = include_str!("../../assets/policies/inferencex.yaml");

/// Reads the built-in policy; `tests::the_built_in_policy_is_whole` keeps it free of problems.
pub fn built_in() -> Result<Policy, Vec<Problem>> {
    read("built-in policy", BUILT_IN)
}

/// Reads a policy file, with every problem that can be told at once.
pub fn read(file: &str, text: &str) -> Result<Policy, Vec<Problem>> {
    policy::parse(file, text).map_err(|problems| {
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
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_policy_is_whole() {
        assert!(!built_in().unwrap().items.is_empty());
    }

    #[test]
    fn a_wrong_policy_is_told_with_its_line() {
        let text = BUILT_IN.replacen("schema: 1", "schema: 99", 1);
        let problems = read("mine.yaml", &text).unwrap_err();
        assert!(problems[0].place.starts_with("mine.yaml:") && problems[0].message.contains("99"), "{problems:?}");
        assert!(!read("mine.yaml", "{").unwrap_err().is_empty());
    }
}
