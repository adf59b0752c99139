//! Rule `chat_template`: a speculative config is measured through the model's chat template.
//! Must not know: which flags say so.

use super::{Confidence, Launch, Ruling, Status};
use crate::core::launch::{Command, LaunchPolicy, When};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Flags of a client that put the template on, or imply it.
    pub flags: Vec<String>,
    /// Flags that do so with one of these values: a chat endpoint.
    #[serde(default)]
    pub values: BTreeMap<String, Vec<String>>,
    /// Clients that speak through the template by construction.
    #[serde(default)]
    pub clients: Vec<String>,
}

enum Speaks {
    Yes,
    No,
    Perhaps(String),
}

/// Judges one launch. `stated`: the config says that it decodes speculatively, whatever the launch shows.
pub fn judge(launch: &Launch, policy: &LaunchPolicy, params: &Params, stated: bool) -> Ruling {
    let path = &launch.path;
    if !stated && !launch.servers.iter().any(|server| policy.is_speculative(server)) {
        let reason = format!("{path} does not decode speculatively.");
        return Ruling::new(Status::NotApplicable, Confidence::Exact, reason).unless_unread(launch);
    }
    let told = launch.clients.iter().map(|client| (client, speaks(client, policy, params)));
    let rulings: Vec<Ruling> = told
        .map(|(client, speaks)| {
            let ruling = match speaks {
                Speaks::Yes => Ruling::new(
                    Status::Pass,
                    Confidence::Exact,
                    format!("{path}:{}: {} goes through the chat template.", client.line, client.program),
                ),
                Speaks::No => Ruling::new(
                    Status::Fail,
                    Confidence::Exact,
                    format!("{path}:{}: {} sends load without the chat template.", client.line, client.program),
                ),
                Speaks::Perhaps(why) => Ruling::new(
                    Status::NeedsYou,
                    Confidence::Suspect,
                    format!(
                        "{path}:{}: whether {} goes through the chat template is open: {why}.",
                        client.line, client.program
                    ),
                ),
            };
            ruling.at([client.line])
        })
        .collect();
    let none = || {
        let reason = format!("{path} holds no benchmark client that is known, so how it is measured is open.");
        Ruling::new(Status::NeedsYou, Confidence::Suspect, reason)
    };
    Ruling::worst(rulings).unwrap_or_else(none).unless_unread(launch)
}

fn speaks(client: &Command, policy: &LaunchPolicy, params: &Params) -> Speaks {
    if params.clients.contains(&client.program) {
        return Speaks::Yes;
    }
    let mut open = None;
    for flag in &client.flags {
        let on = match params.values.get(&flag.name) {
            Some(values) => flag.value.text().map(|text| values.iter().any(|value| value == text)),
            None if params.flags.contains(&flag.name) => flag.value.is_on(),
            None => continue,
        };
        match (on, flag.when) {
            (Some(true), When::Always) => return Speaks::Yes,
            (Some(false), _) => {}
            // An endpoint that is open says nothing against the flag.
            (None, When::Always) if params.values.contains_key(&flag.name) => {}
            _ => open = Some(format!("`{}` stands in a branch, or its value is open (line {})", flag.render_flag(), flag.line)),
        }
    }
    match (open, client.open.first()) {
        (Some(why), _) => Speaks::Perhaps(why),
        (None, Some(more)) => Speaks::Perhaps(format!("`{}` may hold the flag", more.name)),
        (None, None) if !policy.clients.iter().any(|known| known.name == client.program) => {
            Speaks::Perhaps("it is no client that the policy knows".to_owned())
        }
        (None, None) => Speaks::No,
    }
}
