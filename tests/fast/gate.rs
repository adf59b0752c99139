//! The gate runs what the README promises: `.ci/run` ends with exactly its test command.
//! Must not know: what the command tests.

use std::path::Path;

fn read(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn the_gate_ends_with_the_test_command_of_the_readme() {
    let (gate, readme) = (read(".ci/run"), read("README.md"));
    let command = gate.lines().last().unwrap_or_default();
    assert!(command.starts_with("cargo "), "{command}");
    assert!(readme.lines().any(|line| line == command), "README.md lacks the line `{command}`");
}
