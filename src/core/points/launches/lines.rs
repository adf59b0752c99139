//! The lines of a launch that matter: what is started, with which flags, variables and client flags; and how those of two
//! sides differ.
//! Must not know: pull requests, where texts come from.

use crate::core::launch::{Command, Launch, Setting, Value, When};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// What a line sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// What is started: an engine, or a client.
    Program,
    /// A flag of a server; in a recipe a key of a role.
    Flag,
    /// A variable that a server sees.
    Variable,
    /// A flag of the program that puts load on the servers.
    ClientFlag,
    /// A variable that it alone sees.
    ClientVariable,
}

/// One of them. Of a recipe the value is the effective one, and the line is where it is written: in the base or in the
/// variant.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    pub kind: Kind,
    /// `server`, `prefill`, `decode`, …; a client's program.
    pub role: String,
    /// A flag without dashes, as it is written; fields of JSON dotted: `speculative-config.method`.
    pub name: String,
    pub value: Value,
    /// From 1, at the head; of what a script sources, the line that sources it.
    pub line: usize,
    pub when: When,
}

/// A flag or variable that came, changed or went.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    pub kind: Kind,
    pub role: String,
    pub name: String,
    /// As at the merge base, see [`Line::shown`]; of several, all of them. `None`: it was not there.
    pub before: Option<String>,
    /// `None`: it went.
    pub after: Option<String>,
    /// In the file at the head; `None` where it went.
    pub line: Option<usize>,
    /// In the file at the merge base; `None` where it came.
    pub line_before: Option<usize>,
}

impl Kind {
    /// A stable word.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Program => "program",
            Kind::Flag => "flag",
            Kind::Variable => "variable",
            Kind::ClientFlag => "client_flag",
            Kind::ClientVariable => "client_variable",
        }
    }

    /// The name as a reader knows it: `--tp`, `NCCL_DEBUG`.
    pub fn render(self, name: &str) -> String {
        match self {
            Kind::Flag | Kind::ClientFlag => format!("--{name}"),
            Kind::Program | Kind::Variable | Kind::ClientVariable => name.to_owned(),
        }
    }
}

impl Line {
    /// The value, with what keeps it from being certain: `8`, `8 (unless set outside)`, `8 (in some runs only)`. A flag
    /// alone is an empty text.
    pub fn shown(&self) -> String {
        let value = self.value.to_string();
        let outside = if matches!(self.value, Value::Default(_)) { " (unless set outside)" } else { "" };
        let branch = if self.when == When::Sometimes { " (in some runs only)" } else { "" };
        format!("{value}{outside}{branch}").trim_start().to_owned()
    }

    /// What makes two lines the same setting.
    fn key(&self) -> (Kind, &str, &str) {
        (self.kind, &self.role, &self.name)
    }

    fn says(&self) -> (&Value, When) {
        (&self.value, self.when)
    }
}

impl Change {
    /// `--tp 4 → 8`, `--foo came: 1`, `BAR went: 1`.
    pub fn render(&self) -> String {
        let name = self.kind.render(&self.name);
        let told = |word: &str, value: &str| match value {
            "" => format!("{name} {word}"),
            value => format!("{name} {word}: {value}"),
        };
        let alone = |value: &str| if value.is_empty() { "set".to_owned() } else { value.to_owned() };
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => format!("{name} {} → {}", alone(before), alone(after)),
            (None, Some(after)) => told("came", after),
            (Some(before), None) => told("went", before),
            (None, None) => name,
        }
    }
}

/// Everything that a launch starts and sets, servers first. What two servers share stands once.
pub fn lines(launch: &Launch) -> Vec<Line> {
    let shared: HashSet<(&str, usize)> = launch.servers.iter().flat_map(|server| &server.env).map(place).collect();
    let all = launch.servers.iter().map(|one| (one, false)).chain(launch.clients.iter().map(|one| (one, true)));
    let (mut out, mut seen): (Vec<Line>, HashMap<String, Vec<usize>>) = (Vec::new(), HashMap::new());
    for (command, client) in all {
        let (flag, variable) = if client { (Kind::ClientFlag, Kind::ClientVariable) } else { (Kind::Flag, Kind::Variable) };
        let line = |kind: Kind, setting: &Setting| Line {
            kind,
            role: command.role.clone(),
            name: setting.name.clone(),
            value: setting.value.clone(),
            line: setting.line,
            when: setting.when,
        };
        let parents = parents(command);
        let flags = command.flags.iter().filter(|one| !parents.contains(one.name.as_str())).map(|one| line(flag, one));
        // What a script exports reaches its client as well.
        let own = command.env.iter().filter(|one| !client || !shared.contains(&place(one))).map(|one| line(variable, one));
        for one in std::iter::once(program(command)).chain(flags).chain(own) {
            let known = seen.entry(one.name.clone()).or_default();
            if !known.iter().filter_map(|at| out.get(*at)).any(|other| *other == one) {
                known.push(out.len());
                out.push(one);
            }
        }
    }
    out
}

fn place(setting: &Setting) -> (&str, usize) {
    (&setting.name, setting.line)
}

fn program(command: &Command) -> Line {
    Line {
        kind: Kind::Program,
        role: command.role.clone(),
        name: command.role.clone(),
        value: Value::Text(command.program.clone()),
        line: command.line,
        when: command.when,
    }
}

/// Flags whose JSON stands field by field beside them.
fn parents(command: &Command) -> BTreeSet<&str> {
    let mut out = BTreeSet::new();
    for flag in &command.flags {
        out.extend(flag.name.match_indices('.').filter_map(|(at, _)| flag.name.get(..at)));
    }
    out
}

/// What differs. A setting that one role states several times is compared as all that it states, in order.
pub fn changes(before: &[Line], after: &[Line]) -> Vec<Change> {
    #[derive(Default)]
    struct Sides<'l> {
        old: Vec<&'l Line>,
        new: Vec<&'l Line>,
    }
    let mut both: BTreeMap<(Kind, &str, &str), Sides<'_>> = BTreeMap::new();
    for line in before {
        both.entry(line.key()).or_default().old.push(line);
    }
    for line in after {
        both.entry(line.key()).or_default().new.push(line);
    }
    let mut out: Vec<Change> = both
        .into_iter()
        .filter(|(_, Sides { old, new })| !old.iter().map(|line| line.says()).eq(new.iter().map(|line| line.says())))
        .map(|((kind, role, name), Sides { old, new })| Change {
            kind,
            role: role.to_owned(),
            name: name.to_owned(),
            before: stated(&old),
            after: stated(&new),
            line: differing(&new, &old),
            line_before: differing(&old, &new),
        })
        .collect();
    // In the order in which a reader meets them; what went, last.
    out.sort_by_key(|change| (change.kind, change.line.is_none(), change.line, change.line_before));
    out
}

/// `4 | 8`: what holds of all is said once.
fn stated(lines: &[&Line]) -> Option<String> {
    let alike = lines.len() > 1 && lines.iter().all(|line| line.when == When::Sometimes);
    let shown = lines.iter().map(|line| match alike {
        true => Line { when: When::Always, ..(*line).clone() }.shown(),
        false => line.shown(),
    });
    let branch = if alike { " (each in some runs only)" } else { "" };
    (!lines.is_empty()).then(|| format!("{}{branch}", shown.collect::<Vec<_>>().join(" | ")))
}

/// The first line of these that those do not say at the same place, else the first.
fn differing(these: &[&Line], those: &[&Line]) -> Option<usize> {
    let differs = |(at, line): &(usize, &&Line)| those.get(*at).is_none_or(|other| other.says() != line.says());
    let found = these.iter().enumerate().find(differs).map(|(_, line)| line.line);
    found.or_else(|| these.first().map(|line| line.line))
}
