//! The policy's words for launches: what is a server, what puts load on it, where scripts and recipes lie.
//! Must not know: the names themselves; they stand in `assets/policies/`.

use super::paths::PathPolicy;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How scripts and recipes are read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaunchPolicy {
    pub paths: PathPolicy,
    pub engines: Vec<EnginePolicy>,
    /// Commands that put load on a server.
    pub clients: Vec<ClientPolicy>,
    /// Programs that run the command behind them.
    pub wrappers: Vec<String>,
    /// Ends of paths of files that scripts source and that start nothing: their functions are `clients` or of no account.
    #[serde(default)]
    pub harness: Vec<String>,
    /// Variables that a measuring run brings along, where a script only asks for them.
    pub assume: BTreeMap<String, String>,
    /// Names of one flag: the first is the one that is compared and shown.
    pub aliases: Vec<Vec<String>>,
    /// One of these flags, or a name below it, makes a launch speculative.
    pub speculative: Vec<String>,
}

/// One engine.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnginePolicy {
    pub name: String,
    /// Ways to start its server, words parted by blanks: `vllm serve`.
    pub commands: Vec<String>,
    /// The flag that a word without a flag stands for.
    #[serde(default)]
    pub positional: Option<String>,
    /// Flags that name a file of further flags.
    #[serde(default)]
    pub config_files: Vec<String>,
    /// `backend.type` of its recipes, and the key of its flags.
    pub recipe_types: Vec<String>,
    pub recipe_config: String,
}

/// One benchmark client.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientPolicy {
    pub name: String,
    pub commands: Vec<String>,
}

impl LaunchPolicy {
    /// The name that is compared and shown.
    pub fn canonical<'a>(&'a self, name: &'a str) -> &'a str {
        let group = self.aliases.iter().find(|group| group.iter().any(|alias| alias == name));
        group.and_then(|group| group.first()).map_or(name, String::as_str)
    }

    /// Whether one of a command's flags drafts tokens.
    pub fn is_speculative(&self, command: &super::Command) -> bool {
        command.flags.iter().any(|flag| {
            flag.value.is_on() != Some(false)
                && self.speculative.iter().any(|name| {
                    flag.name.strip_prefix(name.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
                })
        })
    }

    /// Sentences about what cannot be used.
    pub fn problems(&self) -> Vec<String> {
        let mut out = self.paths.problems();
        if self.engines.is_empty() {
            out.push("`launch.engines` names no engine".to_owned());
        }
        for engine in &self.engines {
            if engine.commands.iter().all(|command| command.trim().is_empty()) {
                out.push(format!("the engine `{}` has no command to be known by", engine.name));
            }
        }
        for client in &self.clients {
            if client.commands.iter().all(|command| command.trim().is_empty()) {
                out.push(format!("the client `{}` has no command to be known by", client.name));
            }
        }
        let mut seen = std::collections::HashMap::new();
        for alias in self.aliases.iter().flatten() {
            if super::flag_name(alias) != *alias {
                out.push(format!("the alias `{alias}` is written without leading dashes and with `-` for `_`"));
            }
            if seen.insert(alias, ()).is_some() {
                out.push(format!("the alias `{alias}` stands in two groups"));
            }
        }
        if self.speculative.is_empty() {
            out.push("`launch.speculative` names no flag".to_owned());
        }
        out
    }
}
