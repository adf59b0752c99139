//! How a config is launched: what a script or a recipe runs, with which flags and which environment, line by line.
//! Must not know: rules, pull requests, where the text was read.

pub mod documented;
mod expand;
mod lex;
pub mod node;
pub mod paths;
pub mod policy;
pub mod recipe;
pub mod script;
mod variables;

pub use policy::LaunchPolicy;

use super::yaml::Problem;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use std::fmt;

/// What one script or one effective recipe runs: the same shape for both, so that a rule sees one type.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Launch {
    pub path: String,
    /// The policy's word for the engine, if all servers are of one.
    pub engine: Option<String>,
    pub servers: Vec<Command>,
    /// The commands that put load on them.
    pub clients: Vec<Command>,
    /// A recipe's whole effective tree, flattened: `backend.type`. A script has none.
    pub settings: Vec<Setting>,
    /// Everything that a script runs, in order, its words resolved as far as the text says. A recipe has none.
    pub ran: Vec<Ran>,
    /// Files that a script takes over and that were not at hand, once each.
    pub sources: Vec<Sourced>,
    /// What could not be followed. Nothing that is said of the launch is whole while one stands here.
    pub problems: Vec<Problem>,
}

/// A server or a client.
#[derive(Debug, Clone, PartialEq)]
pub struct Command {
    /// `server` in a script; `prefill`, `decode`, `aggregated`, … in a recipe; a client's program.
    pub role: String,
    /// The policy's word for what runs: an engine, or a client.
    pub program: String,
    /// Without dashes, `_` as `-`; fields of JSON and of nested maps stand besides, dotted: `speculative-config.method`.
    pub flags: Vec<Setting>,
    pub env: Vec<Setting>,
    pub line: usize,
    pub when: When,
    /// Arguments that come from elsewhere (`$EXTRA_ARGS`): with them, a flag that is absent here may still be passed.
    pub open: Vec<Setting>,
}

/// A flag or a variable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    pub name: String,
    pub value: Value,
    /// From 1.
    pub line: usize,
    pub when: When,
}

/// Whether a line is reached in every run that the text allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum When {
    Always,
    /// In a branch whose condition the text does not decide.
    Sometimes,
}

/// What a flag or variable is set to, as far as the text says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Value {
    /// A flag alone.
    Bare,
    Text(String),
    /// This, unless the environment brings another.
    Default(String),
    /// One of these, by a branch.
    OneOf(Vec<String>),
    /// What is left once everything literal is put in: `$TP`.
    Unknown(String),
}

impl Value {
    /// The one text it has, also where the environment may bring another.
    pub fn text(&self) -> Option<&str> {
        match self {
            Value::Text(text) | Value::Default(text) => Some(text),
            Value::Bare | Value::OneOf(_) | Value::Unknown(_) => None,
        }
    }

    /// Every text that it may have; none where that is not known.
    pub fn texts(&self) -> &[String] {
        match self {
            Value::Text(text) | Value::Default(text) => std::slice::from_ref(text),
            Value::OneOf(texts) => texts,
            Value::Bare | Value::Unknown(_) => &[],
        }
    }

    /// Whether it switches something on: alone, or anything but `false`, `0`, `no`, `off` and nothing. `None`: not known.
    pub fn is_on(&self) -> Option<bool> {
        let on = |text: &str| !matches!(text.trim().to_ascii_lowercase().as_str(), "" | "0" | "false" | "no" | "off" | "null");
        match self {
            Value::Bare => Some(true),
            Value::Unknown(_) => None,
            _ => {
                let first = self.texts().first().map(|text| on(text));
                first.filter(|first| self.texts().iter().all(|text| on(text) == *first))
            }
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bare => Ok(()),
            Value::Text(text) | Value::Default(text) | Value::Unknown(text) => f.write_str(text),
            Value::OneOf(texts) => f.write_str(&texts.join(" or ")),
        }
    }
}

impl Setting {
    pub fn new(name: impl Into<String>, value: Value, line: usize, when: When) -> Setting {
        Setting { name: name.into(), value, line, when }
    }

    /// As it would be written: `--flag value`, or `NAME=value` for a variable.
    pub fn render_flag(&self) -> String {
        format!("--{} {}", self.name, self.value).trim_end().to_owned()
    }

    pub fn render_variable(&self) -> String {
        format!("{}={}", self.name, self.value)
    }
}

impl Command {
    /// The flag that counts: the last one of that name.
    pub fn flag(&self, name: &str) -> Option<&Setting> {
        self.flags.iter().rev().find(|flag| flag.name == name)
    }

    pub fn variable(&self, name: &str) -> Option<&Setting> {
        self.env.iter().rev().find(|variable| variable.name == name)
    }
}

impl Launch {
    /// Servers and clients.
    pub fn commands(&self) -> impl Iterator<Item = &Command> {
        self.servers.iter().chain(&self.clients)
    }
}

/// A file that a script runs as part of itself: `source lib.sh`, `. ./lib.sh`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sourced {
    /// As far as resolved.
    pub written: String,
    pub line: usize,
    /// Where it may lie in the repository, best first; none where the text does not tell, or tells a place outside.
    pub paths: Vec<String>,
}

/// Texts by their paths in the repository, for scripts that take them over.
pub type Library = std::collections::BTreeMap<String, String>;

/// A command that a script runs, whatever it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Ran {
    /// As far as resolved; what is not keeps its `$NAME`.
    pub words: Vec<String>,
    pub line: usize,
    /// Its last line, a heredoc's end included.
    pub end: usize,
    /// What a heredoc gives to it.
    pub heredoc: Option<String>,
    /// Files that its output goes to.
    pub out: Vec<String>,
    pub when: When,
}

/// A flag's name without dashes, `_` as `-`.
pub fn flag_name(written: &str) -> String {
    written.trim_start_matches('-').replace('_', "-")
}

/// Adds the fields of flags that hold JSON as flags of their own.
fn spread_json(flags: &mut Vec<Setting>) {
    let mut spread = Vec::new();
    for flag in flags.iter() {
        let written = match &flag.value {
            Value::Text(text) | Value::Default(text) | Value::Unknown(text) if text.trim_start().starts_with('{') => text,
            _ => continue,
        };
        if let Some(json) = parse_json(written) {
            flatten_json(&flag.name, &json, flag, 0, &mut spread);
        }
    }
    flags.extend(spread);
}

const MAX_DEPTH: usize = 16;

fn flatten_json(name: &str, json: &Json, flag: &Setting, depth: usize, out: &mut Vec<Setting>) {
    let Json::Object(fields) = json else {
        let text = match json {
            Json::String(text) => text.clone(),
            other => other.to_string(),
        };
        let value = match &flag.value {
            _ if text.contains('$') => Value::Unknown(text),
            Value::Default(_) => Value::Default(text),
            _ => Value::Text(text),
        };
        out.push(Setting::new(name, value, flag.line, flag.when));
        return;
    };
    if depth < MAX_DEPTH {
        for (key, value) in fields {
            flatten_json(&format!("{name}.{}", flag_name(key)), value, flag, depth + 1, out);
        }
    }
}

/// Reads JSON in which a variable may stand for a number: `{"tokens": $N}`.
fn parse_json(text: &str) -> Option<Json> {
    serde_json::from_str(text).ok().or_else(|| serde_json::from_str(&quote_variables(text)).ok())
}

fn quote_variables(text: &str) -> String {
    let (mut out, mut inside, mut chars) = (String::with_capacity(text.len() + 16), false, text.chars().peekable());
    while let Some(c) = chars.next() {
        match c {
            '\\' if inside => {
                out.push(c);
                out.extend(chars.next());
                continue;
            }
            '"' => inside = !inside,
            '$' if !inside => {
                out.push_str("\"$");
                while let Some(next) = chars.next_if(|c| c.is_alphanumeric() || matches!(c, '_' | '{' | '}' | ':' | '-')) {
                    if next == '}' || next == '{' { continue } else { out.push(next) }
                }
                out.push('"');
                continue;
            }
            _ => {}
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_switches_on() {
        let table = [
            (Value::Bare, Some(true)),
            (Value::Text("1".into()), Some(true)),
            (Value::Text("False".into()), Some(false)),
            (Value::Default("0".into()), Some(false)),
            (Value::OneOf(vec!["1".into(), "true".into()]), Some(true)),
            (Value::OneOf(vec!["1".into(), "0".into()]), None),
            (Value::Unknown("$X".into()), None),
        ];
        for (value, want) in table {
            assert_eq!(value.is_on(), want, "{value:?}");
        }
    }

    #[test]
    fn json_fields_are_flags_too() {
        let json = r#"{"method": "eagle3", "num_speculative_tokens": $N, "a": {"b_c": 2.5, "d": "${X}"}}"#;
        let mut flags = vec![Setting::new("speculative-config", Value::Unknown(json.into()), 7, When::Always)];
        spread_json(&mut flags);
        let told: Vec<_> = flags[1..].iter().map(|flag| (flag.name.as_str(), flag.value.clone())).collect();
        assert_eq!(
            told,
            [
                ("speculative-config.method", Value::Text("eagle3".into())),
                ("speculative-config.num-speculative-tokens", Value::Unknown("$N".into())),
                ("speculative-config.a.b-c", Value::Text("2.5".into())),
                ("speculative-config.a.d", Value::Unknown("${X}".into())),
            ]
        );
    }
}
