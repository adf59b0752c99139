//! Values that most siblings agree on where a launch states another. No rule rests on this: a value may well be meant.
//! Must not know: which siblings there are, how they are chosen.

use super::siblings::{Params, Share};
use crate::core::launch::{Launch, LaunchPolicy, Setting, Value, When};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A flag or variable that this launch and most of its siblings set, and set apart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Departure {
    /// `server`, `prefill`, …; a client's program. Roles are compared each with its own.
    pub role: String,
    /// `--tensor-parallel-size`, under the name that is compared; `SGLANG_ENABLE_SPEC_V2`.
    pub name: String,
    /// All values that commands of the role set: `4 and 8`.
    pub here: String,
    pub there: String,
    /// Of the siblings that set it, those that set it so.
    pub all: Share,
    /// Among those of the same model prefix.
    pub same_prefix: Share,
    /// Two that do; of the same prefix if there are such.
    pub examples: Vec<String>,
}

/// A sibling, as far as values need it.
pub(super) struct Other<'a> {
    pub name: &'a str,
    pub same_prefix: bool,
    pub launch: &'a Launch,
}

impl Departure {
    /// `decode: --mem 0.7, others 0.8 (in 8 of 9, 88 %; of the same model in 2 of 2: a.sh, b.sh)`.
    pub fn render(&self) -> String {
        let Share { have, of } = self.all;
        let near = match self.same_prefix {
            Share { of: 0, .. } => String::new(),
            Share { have, of } => format!("; of the same model in {have} of {of}"),
        };
        let (name, here, there) = (&self.name, &self.here, &self.there);
        let examples = self.examples.join(", ");
        // A script has one kind of server.
        let role = if self.role == "server" { String::new() } else { format!("{}: ", self.role) };
        format!("{role}{name} {here}, others {there} (in {have} of {of}, {} %{near}: {examples})", have * 100 / of.max(1))
    }
}

/// What is set apart from the share of siblings that makes a warning. What somebody sets in some runs only, or to what the
/// text does not tell, agrees with nothing and differs from nothing.
pub(super) fn departures(this: &Launch, others: &[Other<'_>], policy: &LaunchPolicy, params: &Params) -> Vec<Departure> {
    let theirs: Vec<_> = others.iter().map(|other| (other, stated(other.launch, policy, params))).collect();
    let mut out: Vec<Departure> = Vec::new();
    for (place, here) in stated(this, policy, params) {
        let Some(here) = here else { continue };
        let carriers: Vec<_> = theirs.iter().filter_map(|(other, all)| Some((*other, all.get(&place)?.as_ref()))).collect();
        let mut votes: BTreeMap<&BTreeSet<String>, Vec<&Other<'_>>> = BTreeMap::new();
        for (other, value) in &carriers {
            if let Some(value) = value {
                votes.entry(*value).or_default().push(other);
            }
        }
        let Some((there, voters)) = votes.into_iter().max_by_key(|(_, voters)| voters.len()) else { continue };
        let all = Share { have: voters.len(), of: carriers.len() };
        if *there == here || all.of < params.least || (all.have as f64) < params.warning * all.of as f64 {
            continue;
        }
        let near = || voters.iter().filter(|other| other.same_prefix);
        let far = voters.iter().filter(|other| !other.same_prefix);
        let same_prefix = Share { have: near().count(), of: carriers.iter().filter(|(other, _)| other.same_prefix).count() };
        let examples = near().chain(far).take(2).map(|other| other.name.to_owned()).collect();
        let text = |values: &BTreeSet<String>| values.iter().map(String::as_str).collect::<Vec<_>>().join(" and ");
        let (role, name) = place;
        out.push(Departure { role, name, here: text(&here), there: text(there), all, same_prefix, examples });
    }
    out.sort_by(|a, b| b.all.have.cmp(&a.all.have).then_with(|| (&a.role, &a.name).cmp(&(&b.role, &b.name))));
    out
}

/// Role and name → every value that commands of the role set; `None` where one of them is open.
type Stated = BTreeMap<(String, String), Option<BTreeSet<String>>>;

fn stated(launch: &Launch, policy: &LaunchPolicy, params: &Params) -> Stated {
    let mut out = Stated::new();
    let mut add = |role: &str, name: String, setting: &Setting| {
        let known = out.entry((role.to_owned(), name)).or_insert_with(|| Some(BTreeSet::new()));
        match (plain(setting), known.as_mut()) {
            (Some(text), Some(values)) => _ = values.insert(text),
            _ => *known = None,
        }
    };
    for command in launch.commands() {
        let names: Vec<&str> = command.flags.iter().map(|flag| flag.name.as_str()).collect();
        // JSON that stands field by field beside its flag is compared field by field.
        let parents: BTreeSet<&str> =
            names.iter().flat_map(|name| name.match_indices('.').filter_map(|(at, _)| name.get(..at))).collect();
        for flag in command.flags.iter().filter(|flag| !parents.contains(flag.name.as_str())) {
            let name = policy.canonical(&flag.name);
            if !params.ignore.iter().any(|ignored| ignored == name) {
                add(&command.role, format!("--{name}"), flag);
            }
        }
        for variable in &command.env {
            if !params.ignore.contains(&variable.name) && !policy.assume.contains_key(&variable.name) {
                add(&command.role, variable.name.clone(), variable);
            }
        }
    }
    out
}

/// The one value of a setting, in a form in which equal ones are equal texts.
fn plain(setting: &Setting) -> Option<String> {
    let text = match &setting.value {
        _ if setting.when == When::Sometimes => return None,
        Value::Bare => return Some("true".to_owned()),
        value => value.text()?.trim(),
    };
    let lower = text.to_ascii_lowercase();
    if matches!(lower.as_str(), "true" | "false") {
        return Some(lower);
    }
    let number = text.contains('.').then(|| text.parse::<f64>().ok()).flatten().filter(|number| number.is_finite());
    Some(number.map_or_else(|| text.to_owned(), |number| number.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::launch::script;
    use crate::core::policy::tests::policy;

    /// A server with these flags.
    fn launch(flags: &str, policy: &LaunchPolicy) -> Launch {
        script::read("s.sh", &format!("vllm serve m {flags} &\n"), policy, &BTreeMap::new())
    }

    #[test]
    fn a_value_that_most_siblings_share_is_told() {
        let policy = policy();
        let (words, params) = (policy.launch.unwrap(), policy.launch_rules.unwrap().siblings);
        let table: [(&str, [&str; 5], Option<&str>); 9] = [
            (
                "--mem 0.7",
                ["--mem 0.8", "--mem 0.80", "--mem .8", "--mem 0.8", "--mem 0.7"],
                Some("--mem 0.7, others 0.8 (in 4 of 5, 80 %; of the same model in 1 of 1: 0, 1)"),
            ),
            ("--mem 0.8", ["--mem 0.80"; 5], None),
            ("--mem 0.7", ["--mem 0.8", "--mem 0.8", "--mem 0.8", "--mem 1", "--mem 2"], None),
            // Too few set it at all; what they lack is another matter.
            ("--mem 0.7", ["--mem 0.8", "--mem 0.8", "--mem 0.8", "", ""], None),
            ("--mem $MEM", ["--mem 0.8"; 5], None),
            ("--mem 0.7", ["--mem $MEM"; 5], None),
            ("--on", ["--on True"; 5], None),
            ("--on false", ["--on"; 5], Some("--on false, others true (in 5 of 5, 100 %; of the same model in 1 of 1: 0, 1)")),
            (
                "--tp 4",
                ["--tensor-parallel-size 8"; 5],
                Some("--tensor-parallel-size 4, others 8 (in 5 of 5, 100 %; of the same model in 1 of 1: 0, 1)"),
            ),
        ];
        for (mine, others, want) in table {
            let others: Vec<Launch> = others.iter().map(|flags| launch(flags, &words)).collect();
            let names = ["0", "1", "2", "3", "4"];
            let others: Vec<Other<'_>> =
                names.iter().zip(&others).map(|(name, launch)| Other { name, same_prefix: *name == "0", launch }).collect();
            let told: Vec<String> =
                departures(&launch(mine, &words), &others, &words, &params).iter().map(Departure::render).collect();
            assert_eq!(told, want.into_iter().collect::<Vec<_>>(), "{mine}");
        }
    }
}
