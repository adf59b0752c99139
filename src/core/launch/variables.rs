//! What a script's variables hold, along every branch that it may take.
//! Must not know: words, commands.

use super::{Setting, Value, When};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    pub holds: Holds,
    /// Whether children see it.
    pub exported: Option<When>,
    /// Whether it is set on every way that leads here.
    pub when: When,
    pub line: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Holds {
    /// Taken away by `unset`.
    Nothing,
    Scalar(Value),
    Array(Vec<Item>),
}

/// A word of an array, or of a command.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    pub value: Value,
    pub line: usize,
    pub when: When,
    /// It may be any number of words: an array that is set elsewhere, or a variable without quotes.
    pub loose: bool,
}

/// The variables, with the branches that are open.
#[derive(Debug, Default)]
pub struct Variables {
    now: BTreeMap<String, Variable>,
    frames: Vec<Frame>,
}

#[derive(Debug, Default)]
struct Frame {
    /// What the names that were touched in this branch held before it.
    before: BTreeMap<String, Option<Variable>>,
}

/// What a branch leaves behind.
pub type Branch = BTreeMap<String, Option<Variable>>;

/// Values that one variable may have before it counts as unknown.
const MAX_VALUES: usize = 8;

impl Variables {
    pub fn get(&self, name: &str) -> Option<&Variable> {
        self.now.get(name)
    }

    pub fn set(&mut self, name: &str, variable: Option<Variable>) {
        let old = match variable {
            Some(variable) => self.now.insert(name.to_owned(), variable),
            None => self.now.remove(name),
        };
        if let Some(frame) = self.frames.last_mut() {
            frame.before.entry(name.to_owned()).or_insert(old);
        }
    }

    /// Begins a branch, or a subshell.
    pub fn enter(&mut self) {
        self.frames.push(Frame::default());
    }

    /// Ends it: everything is as it was before, and what the branch made of it is handed out.
    pub fn leave(&mut self) -> Branch {
        let Some(frame) = self.frames.pop() else { return Branch::new() };
        let mut out = Branch::new();
        for (name, before) in frame.before {
            let after = match before {
                Some(before) => self.now.insert(name.clone(), before),
                None => self.now.remove(&name),
            };
            out.insert(name, after);
        }
        out
    }

    /// Goes on from the ends of branches, one of which ran; if not `whole`, perhaps none.
    pub fn join(&mut self, branches: &[Branch], whole: bool) {
        let names: BTreeSet<&String> = branches.iter().flat_map(BTreeMap::keys).collect();
        for name in names {
            let before = self.now.get(name).cloned();
            let mut ends: Vec<Option<Variable>> =
                branches.iter().map(|branch| branch.get(name).cloned().unwrap_or_else(|| before.clone())).collect();
            if !whole {
                ends.push(before);
            }
            let merged = ends.into_iter().reduce(|a, b| merge(name, a, b)).flatten();
            self.set(name, merged);
        }
    }

    /// What a command sees in its environment, in the order of lines.
    pub fn environment(&self) -> Vec<Setting> {
        let mut out: Vec<Setting> = self
            .now
            .iter()
            // What a run brings along is no statement of the script.
            .filter(|(_, variable)| variable.line > 0)
            .filter_map(|(name, variable)| match (&variable.holds, variable.exported) {
                (Holds::Scalar(value), Some(exported)) => {
                    Some(Setting::new(name, value.clone(), variable.line, variable.when.max(exported)))
                }
                _ => None,
            })
            .collect();
        out.sort_by_key(|setting| setting.line);
        out
    }

    pub fn len(&self) -> usize {
        self.now.len()
    }
}

fn merge(name: &str, a: Option<Variable>, b: Option<Variable>) -> Option<Variable> {
    let (a, b) = match (a, b) {
        (None, None) => return None,
        (Some(one), None) | (None, Some(one)) => {
            let holds = match one.holds {
                Holds::Array(items) => Holds::Array(items.into_iter().map(sometimes).collect()),
                holds => holds,
            };
            let exported = one.exported.map(|_| When::Sometimes);
            return Some(Variable { holds, exported, when: When::Sometimes, line: one.line });
        }
        (Some(a), Some(b)) => (a, b),
    };
    if a == b {
        return Some(a);
    }
    let exported = match (a.exported, b.exported) {
        (Some(a), Some(b)) => Some(a.max(b)),
        (None, None) => None,
        _ => Some(When::Sometimes),
    };
    let (line, mut when) = (a.line.max(b.line), a.when.max(b.when));
    let holds = match (a.holds, b.holds) {
        (Holds::Nothing, Holds::Nothing) => Holds::Nothing,
        (Holds::Nothing, Holds::Scalar(value)) | (Holds::Scalar(value), Holds::Nothing) => {
            when = When::Sometimes;
            Holds::Scalar(value)
        }
        (Holds::Scalar(a), Holds::Scalar(b)) => Holds::Scalar(either(name, a, b)),
        (Holds::Array(a), Holds::Array(b)) => Holds::Array(both(a, b)),
        (Holds::Array(items), _) | (_, Holds::Array(items)) => Holds::Array(items.into_iter().map(sometimes).collect()),
    };
    Some(Variable { holds, exported, when, line })
}

fn either(name: &str, a: Value, b: Value) -> Value {
    if a == b {
        return a;
    }
    if a.texts().is_empty() || b.texts().is_empty() {
        return Value::Unknown(format!("${name}"));
    }
    let mut texts = a.texts().to_vec();
    for text in b.texts() {
        if !texts.contains(text) {
            texts.push(text.clone());
        }
    }
    match texts.len() {
        1 => Value::Default(texts.remove(0)),
        2..=MAX_VALUES => Value::OneOf(texts),
        _ => Value::Unknown(format!("${name}")),
    }
}

fn sometimes(item: Item) -> Item {
    Item { when: When::Sometimes, ..item }
}

/// The words that both begin with are there in any case; what follows, perhaps.
fn both(a: Vec<Item>, b: Vec<Item>) -> Vec<Item> {
    let same = a.iter().zip(&b).take_while(|(a, b)| a.value == b.value).count();
    let mut out: Vec<Item> = a
        .iter()
        .zip(&b)
        .take(same)
        .map(|(a, b)| Item { when: a.when.max(b.when), line: a.line.max(b.line), ..a.clone() })
        .collect();
    out.extend(a.into_iter().skip(same).map(sometimes));
    out.extend(b.into_iter().skip(same).map(sometimes));
    out
}
