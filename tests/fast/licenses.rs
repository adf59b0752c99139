//! The notices that `countersign licenses` prints are those of the packages in the lock file.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Set to write the file anew.
const BLESS: &str = "COUNTERSIGN_BLESS";

#[test]
fn the_notices_are_those_of_todays_packages() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("assets/LICENSES.txt");
    let today = notices(&metadata(root));
    if std::env::var_os(BLESS).is_some() {
        fs::write(&path, &today).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap();
    assert!(kept == today, "assets/LICENSES.txt is stale: run the tests once with {BLESS}=1");
}

/// What cargo says of the packages that are already here; it asks no registry.
fn metadata(root: &Path) -> Value {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--offline", "--locked", "--format-version", "1", "--filter-platform", "x86_64-unknown-linux-gnu"])
        .current_dir(root)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn notices(metadata: &Value) -> String {
    let packages: BTreeMap<&str, &Value> = list(&metadata["packages"]).map(|package| (text(&package["id"]), package)).collect();
    let mut shipped: Vec<&Value> = shipped(metadata).into_iter().map(|id| packages[id]).collect();
    shipped.sort_by_key(|package| (text(&package["name"]), text(&package["version"])));
    let mut out = String::from("countersign is made of these packages besides its own code.\n\n");
    // Text → the packages that carry it, in the order of their first.
    let mut texts: Vec<(String, Vec<String>)> = Vec::new();
    for package in shipped {
        let name = format!("{} {}", text(&package["name"]), text(&package["version"]));
        let license = text(&package["license"]);
        writeln!(out, "{name}: {license}").unwrap();
        for notice in files(package, license) {
            match texts.iter_mut().find(|(known, _)| same(known, &notice)) {
                Some((_, names)) => names.push(name.clone()),
                None => texts.push((notice, vec![name.clone()])),
            }
        }
    }
    for (notice, names) in texts {
        let mut names = names;
        names.dedup();
        write!(out, "\n{}\n{}:\n\n{}\n", "-".repeat(80), names.join(", "), notice.trim_end()).unwrap();
    }
    out
}

/// Ids of what is linked into the program: normal dependencies of normal dependencies.
fn shipped(metadata: &Value) -> BTreeSet<&str> {
    let nodes: BTreeMap<&str, &Value> = list(&metadata["resolve"]["nodes"]).map(|node| (text(&node["id"]), node)).collect();
    let root = text(&metadata["resolve"]["root"]);
    let (mut seen, mut next) = (BTreeSet::new(), vec![root]);
    while let Some(id) = next.pop() {
        for dependency in list(&nodes[id]["deps"]) {
            let normal = list(&dependency["dep_kinds"]).any(|kind| kind["kind"].is_null());
            let id = text(&dependency["pkg"]);
            if normal && seen.insert(id) {
                next.push(id);
            }
        }
    }
    seen.remove(root);
    seen
}

/// The licence and notice files of a package. Of a choice between MIT and others, MIT is taken.
fn files(package: &Value, license: &str) -> Vec<String> {
    let folder = Path::new(text(&package["manifest_path"])).parent().unwrap();
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let wanted = |name: &str| {
        let name = name.to_ascii_uppercase();
        ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"].iter().any(|word| name.starts_with(word))
    };
    names.retain(|name| wanted(name) && folder.join(name).is_file());
    let chosen = license.contains("MIT")
        && !license.contains(" AND ")
        && names.iter().any(|name| name.to_ascii_uppercase().contains("MIT"));
    if chosen {
        names.retain(|name| {
            let name = name.to_ascii_uppercase();
            name.contains("MIT") || name.starts_with("NOTICE") || name.starts_with("COPYRIGHT")
        });
    }
    names.iter().map(|name| String::from_utf8_lossy(&fs::read(folder.join(name)).unwrap()).replace("\r\n", "\n")).collect()
}

/// Texts that differ in line breaks only are one.
fn same(a: &str, b: &str) -> bool {
    a.split_whitespace().eq(b.split_whitespace())
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().unwrap().iter()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
