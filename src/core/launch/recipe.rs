//! Recipes: YAML that states flags and environment per role, with overrides laid over a base.
//! Must not know: rules, where a recipe lies.

use super::node::{self, Data, Node};
use super::policy::{EnginePolicy, LaunchPolicy};
use super::{Command, Launch, Setting, Value, When, flag_name, spread_json};
use crate::core::yaml::Problem;

/// The variant that the others are laid over.
pub const BASE: &str = "base";
const OVERRIDE: &str = "override_";
const ZIP: &str = "zip_override_";
/// Variants of one file that are read.
const MAX_VARIANTS: usize = 500;
const MAX_DEPTH: usize = 32;

/// Reads what a selector picks from a recipe: one launch per effective recipe, its path with the variant.
///
/// Without a selector a file with variants means all of them, the base excluded. What cannot be read is one launch that
/// holds nothing but the problem.
pub fn read(path: &str, text: &str, selector: Option<&str>, policy: &LaunchPolicy) -> Vec<Launch> {
    match effective(path, text, selector) {
        Ok(recipes) => recipes.iter().map(|(name, recipe)| launch(path, name.as_deref(), recipe, policy)).collect(),
        Err(problem) => vec![Launch { path: path.to_owned(), problems: vec![problem], ..Launch::default() }],
    }
}

/// The effective recipes, each with the variant's name where the file has variants.
///
/// # Errors
/// It is no YAML, no map, or the selector picks nothing.
pub fn effective(file: &str, text: &str, selector: Option<&str>) -> Result<Vec<(Option<String>, Node)>, Problem> {
    let tree = node::parse(file, text, 1)?;
    let Data::Map(_) = tree.data else {
        return Err(Problem::new(file, tree.line, "a recipe is a map of keys, and this is none"));
    };
    let Some(base) = tree.get(BASE) else {
        return match selector {
            None => Ok(vec![(None, tree)]),
            Some(selector) => Err(Problem::new(file, 1, format!("`{selector}` is asked for, and the file has no variants"))),
        };
    };
    let mut variants = Vec::new();
    for (key, node) in tree.entries() {
        if key.starts_with(ZIP) {
            let count = zip_length(node).map_err(|what| Problem::new(file, node.line, format!("`{key}`: {what}")))?;
            if variants.len() + count > MAX_VARIANTS {
                return Err(Problem::new(file, node.line, format!("more than {MAX_VARIANTS} variants are not read")));
            }
            variants.extend((0..count).map(|index| (key.clone(), Some(index), node)));
        } else if key.starts_with(OVERRIDE) {
            variants.push((key.clone(), None, node));
        }
    }
    if selector == Some(BASE) {
        return Ok(vec![(Some(BASE.to_owned()), base.clone())]);
    }
    let picked: Vec<(Option<String>, Node)> = variants
        .iter()
        .filter_map(|(key, index, node)| {
            let name = index.map_or_else(|| key.clone(), |index| format!("{key}[{index}]"));
            let fits = selector.is_none_or(|selector| selector == name || selector == key || glob(selector, key));
            let over = || index.map_or_else(|| (*node).clone(), |index| slice(node, index, 0));
            fits.then(|| (Some(name), base.merged(&over())))
        })
        .collect();
    match (picked.is_empty(), selector) {
        (false, _) => Ok(picked),
        (true, None) => Ok(vec![(Some(BASE.to_owned()), base.clone())]),
        (true, Some(selector)) => {
            let mut known: Vec<&str> = variants.iter().map(|(key, _, _)| key.as_str()).collect();
            known.dedup();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            Err(Problem::new(file, 1, format!("no variant is called `{selector}`; there are {known}")))
        }
    }
}

/// How many variants a zip makes: the one length of its lists; a list of one stands for all.
fn zip_length(node: &Node) -> Result<usize, String> {
    fn lengths(node: &Node, depth: usize, out: &mut Vec<usize>) {
        match &node.data {
            Data::List(items) => out.push(items.len()),
            Data::Map(entries) if depth < MAX_DEPTH => entries.iter().for_each(|(_, node)| lengths(node, depth + 1, out)),
            _ => {}
        }
    }
    let mut all = Vec::new();
    lengths(node, 0, &mut all);
    match all.iter().copied().filter(|length| *length != 1).reduce(|a, b| if a == b { a } else { 0 }) {
        None if all.is_empty() => Err("nothing in it is a list, so there is nothing to zip".to_owned()),
        None => Ok(1),
        Some(0) => Err("its lists differ in length, or one is empty".to_owned()),
        Some(length) => Ok(length),
    }
}

fn slice(node: &Node, index: usize, depth: usize) -> Node {
    match &node.data {
        Data::List(items) => items.get(if items.len() == 1 { 0 } else { index }).cloned().unwrap_or_else(|| node.clone()),
        Data::Map(entries) if depth < MAX_DEPTH => {
            let entries = entries.iter().map(|(key, node)| (key.clone(), slice(node, index, depth + 1))).collect();
            Node { data: Data::Map(entries), line: node.line }
        }
        _ => node.clone(),
    }
}

/// `*` and `?`.
fn glob(pattern: &str, text: &str) -> bool {
    if !pattern.contains(['*', '?']) {
        return false;
    }
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut p, mut t, mut back) = (0, 0, None);
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                back = Some((p + 1, t));
                p += 1;
            }
            Some(c) if *c == '?' || *c == text[t] => (p, t) = (p + 1, t + 1),
            _ => match back {
                Some((star, from)) => {
                    back = Some((star, from + 1));
                    (p, t) = (star, from + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

/// What an effective recipe runs.
fn launch(path: &str, variant: Option<&str>, recipe: &Node, policy: &LaunchPolicy) -> Launch {
    let path = variant.map_or_else(|| path.to_owned(), |variant| format!("{path}:{variant}"));
    let mut out = Launch { path, ..Launch::default() };
    flatten(recipe, "", false, When::Always, 0, &mut out.settings);
    let engine = engine(recipe, policy);
    out.engine = engine.map(|engine| engine.name.clone());
    let program = out.engine.clone().unwrap_or_default();
    let mut role = |name: &str, flags: Option<&Node>, env: Option<&Node>, line: usize| {
        let mut command = Command {
            role: role_name(name).to_owned(),
            program: program.clone(),
            flags: flags.map(named_flags).unwrap_or_default(),
            env: env.map(variables).unwrap_or_default(),
            line,
            when: When::Always,
            open: Vec::new(),
        };
        spread_json(&mut command.flags);
        out.servers.push(command);
    };
    if let Some(backend) = recipe.get("backend") {
        let flags = engine.and_then(|engine| backend.get(&engine.recipe_config));
        let roles = flags.map(Node::entries).unwrap_or_default();
        for (name, node) in roles.iter().filter(|(_, node)| matches!(node.data, Data::Map(_))) {
            role(name, Some(node), backend.get(&format!("{name}_environment")), node.line);
        }
        // A role may have an environment and no flags.
        for (key, node) in backend.entries() {
            if let Some(name) = key.strip_suffix("_environment").filter(|name| !roles.iter().any(|(role, _)| role == name)) {
                role(name, None, Some(node), node.line);
            }
        }
    }
    for (name, node) in recipe.get("roles").map(Node::entries).unwrap_or_default() {
        role(name, node.get("args"), node.get("env"), node.line);
    }
    if out.servers.is_empty() {
        let what = "no role has flags or an environment, so it is not known what is served";
        out.problems.push(Problem::new(&out.path, recipe.line, what));
    } else if engine.is_none() {
        out.problems.push(Problem::new(&out.path, recipe.line, "which engine serves is not stated in a known way"));
    }
    out.clients.extend(recipe.get("benchmark").map(|benchmark| client(benchmark, policy)));
    out
}

fn role_name(written: &str) -> &str {
    if written == "agg" { "aggregated" } else { written }
}

fn engine<'a>(recipe: &Node, policy: &'a LaunchPolicy) -> Option<&'a EnginePolicy> {
    let stated = ["backend.type", "engine.type", "engine"].iter().find_map(|at| recipe.at(at)?.text());
    policy.engines.iter().find(|engine| match stated {
        Some(stated) => engine.recipe_types.iter().any(|name| name == stated),
        None => recipe.get("backend").and_then(|backend| backend.get(&engine.recipe_config)).is_some(),
    })
}

fn client(benchmark: &Node, policy: &LaunchPolicy) -> Command {
    let command = benchmark.get("command").and_then(Node::text).unwrap_or_default();
    let kind = benchmark.get("type").and_then(Node::text).unwrap_or_default();
    let words = || command.split_whitespace().chain([kind]).map(|word| word.rsplit('/').next().unwrap_or(word));
    let known = policy
        .clients
        .iter()
        .find(|client| client.commands.iter().any(|name| words().any(|word| word == name)))
        .map(|client| client.name.clone());
    let mut flags = named_flags(benchmark);
    flags.retain(|flag| !["command", "type"].contains(&flag.name.as_str()) && !flag.name.starts_with("env."));
    Command {
        role: "client".to_owned(),
        program: known.unwrap_or_else(|| kind.to_owned()),
        flags,
        env: benchmark.get("env").map(variables).unwrap_or_default(),
        line: benchmark.line,
        when: When::Always,
        open: Vec::new(),
    }
}

fn variables(node: &Node) -> Vec<Setting> {
    let entries = node.entries().iter();
    entries.map(|(name, node)| Setting::new(name, Value::Text(node.render()), node.line, When::Always)).collect()
}

fn named_flags(node: &Node) -> Vec<Setting> {
    let mut out = Vec::new();
    flatten(node, "", true, When::Always, 0, &mut out);
    out
}

/// Flags that stand in a file of their own, which begins at `line`.
pub fn flatten_text(file: &str, text: &str, line: usize, when: When) -> Result<Vec<Setting>, Problem> {
    let tree = node::parse(file, text, line)?;
    let mut out = Vec::new();
    flatten(&tree, "", true, when, 0, &mut out);
    Ok(out)
}

/// Every leaf with its dotted name; as a flag's name, or as written.
fn flatten(node: &Node, name: &str, as_flag: bool, when: When, depth: usize, out: &mut Vec<Setting>) {
    match &node.data {
        Data::Map(entries) if depth < MAX_DEPTH => {
            for (key, node) in entries {
                let key = if as_flag { flag_name(key) } else { key.clone() };
                let name = if name.is_empty() { key } else { format!("{name}.{key}") };
                flatten(node, &name, as_flag, when, depth + 1, out);
            }
        }
        _ => out.push(Setting::new(name, Value::Text(node.render()), node.line, when)),
    }
}

#[cfg(test)]
mod tests;
