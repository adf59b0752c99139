//! Words of a script, with what its variables hold put in as far as the text says.
//! Must not know: commands and branches.

use super::lex::Part;
use super::variables::{Holds, Item, Variable, Variables};
use super::{Value, When};

/// Bytes of one value; what grows past that is unknown.
const MAX_TEXT: usize = 64 * 1024;
const MAX_ALTERNATIVES: usize = 8;

/// A word as it is being built.
struct Built {
    texts: Vec<String>,
    when: When,
    default: bool,
    unknown: bool,
    /// Something that may be several words stands in it without quotes.
    loose: bool,
    /// Quotes make a word even of nothing.
    quoted: bool,
}

impl Built {
    fn new() -> Built {
        Built { texts: vec![String::new()], when: When::Always, default: false, unknown: false, loose: false, quoted: false }
    }

    fn push(&mut self, text: &str) {
        for known in &mut self.texts {
            if known.len() + text.len() > MAX_TEXT {
                self.unknown = true;
                continue;
            }
            known.push_str(text);
        }
    }

    fn push_value(&mut self, value: &Value, raw: &str) {
        match value {
            Value::Bare => {}
            Value::Text(text) => self.push(text),
            Value::Default(text) => {
                self.default = true;
                self.push(text);
            }
            Value::Unknown(text) => {
                self.unknown = true;
                self.push(text);
            }
            Value::OneOf(texts) => {
                let size: usize = self.texts.iter().chain(texts).map(String::len).sum();
                if self.texts.len() * texts.len() > MAX_ALTERNATIVES || size > MAX_TEXT {
                    self.unknown = true;
                    self.push(raw);
                } else {
                    self.texts =
                        self.texts.iter().flat_map(|known| texts.iter().map(move |text| format!("{known}{text}"))).collect();
                }
            }
        }
    }

    fn value(mut self) -> Value {
        if self.unknown {
            return Value::Unknown(self.texts.swap_remove(0));
        }
        self.texts.dedup();
        match self.texts.len() {
            1 if self.default => Value::Default(self.texts.swap_remove(0)),
            1 => Value::Text(self.texts.swap_remove(0)),
            _ => Value::OneOf(self.texts),
        }
    }
}

/// The value of a word where the shell splits nothing: an assignment, a heredoc, a pattern.
pub fn one(parts: &[Part], variables: &mut Variables, line: usize) -> (Value, When) {
    let mut built = Built::new();
    for part in parts {
        add(part, variables, line, &mut built);
    }
    let when = built.when;
    (built.value(), when)
}

/// The words that one word becomes.
pub fn words(parts: &[Part], variables: &mut Variables, line: usize) -> Vec<Item> {
    if let [Part::Var(var)] = parts
        && let Some(items) = array(var, variables, line)
    {
        return items;
    }
    let mut built = Built::new();
    for part in parts {
        add(part, variables, line, &mut built);
    }
    let (when, loose, quoted) = (built.when, built.loose, built.quoted);
    let value = built.value();
    if !loose || quoted && value.texts().is_empty() {
        if !quoted && value.text() == Some("") {
            return Vec::new();
        }
        return vec![Item { value, line, when, loose: loose && !quoted }];
    }
    let item = |value, when| Item { value, line, when, loose: false };
    match value {
        Value::Text(text) => text.split_whitespace().map(|word| item(Value::Text(word.to_owned()), when)).collect(),
        Value::Default(text) => text.split_whitespace().map(|word| item(Value::Default(word.to_owned()), when)).collect(),
        Value::OneOf(texts) if texts.iter().all(|text| text.split_whitespace().count() == 1) => {
            vec![item(Value::OneOf(texts.iter().map(|text| text.trim().to_owned()).collect()), when)]
        }
        Value::OneOf(texts) => texts
            .iter()
            .flat_map(|text| text.split_whitespace())
            .map(|word| item(Value::Text(word.to_owned()), When::Sometimes))
            .collect(),
        // Several words of which some part is open: `--flag $X` held in a variable.
        Value::Unknown(text) if text.trim().contains(char::is_whitespace) && !text.contains("$(") => text
            .split_whitespace()
            .map(|word| {
                let open = word.contains('$');
                let value = if open { Value::Unknown(word.to_owned()) } else { Value::Text(word.to_owned()) };
                Item { value, line, when, loose: open }
            })
            .collect(),
        value => vec![Item { value, line, when, loose: true }],
    }
}

/// `"${ARGS[@]}"`, also as `${ARGS[@]+"${ARGS[@]}"}`.
fn array(var: &super::lex::Var, variables: &mut Variables, line: usize) -> Option<Vec<Item>> {
    if let Some(('+', then)) = &var.otherwise {
        return match (var.all, then.as_slice()) {
            (true, [Part::Var(inner)]) if inner.all && inner.name == var.name && inner.otherwise.is_none() => {
                array(inner, variables, line)
            }
            _ => None,
        };
    }
    let held = variables.get(&var.name);
    let name = &var.name;
    match (held.map(|variable| &variable.holds), &var.otherwise) {
        // Without an index an array is its first word.
        (Some(Holds::Array(items)), _) if var.all => {
            Some(items.iter().map(|item| Item { line: item.line, ..item.clone() }).collect())
        }
        (Some(Holds::Array(items)), _) => Some(items.first().cloned().into_iter().collect()),
        (None, None) if var.all => {
            let value = Value::Unknown(format!("${{{name}[@]}}"));
            Some(vec![Item { value, line, when: When::Always, loose: true }])
        }
        _ => None,
    }
}

fn add(part: &Part, variables: &mut Variables, line: usize, built: &mut Built) {
    match part {
        Part::Text { text, quoted } => {
            built.quoted |= quoted;
            built.push(text);
        }
        Part::Opaque { text, quoted } => {
            built.unknown = true;
            built.loose |= !quoted;
            built.quoted |= quoted;
            built.push(text);
        }
        Part::Var(var) => {
            built.quoted |= var.quoted;
            built.loose |= !var.quoted;
            let raw = if var.all { format!("${{{}[@]}}", var.name) } else { format!("${}", var.name) };
            let (value, when) = held(var, variables, line, &raw);
            built.when = built.when.max(when);
            built.push_value(&value, &raw);
        }
    }
}

fn held(var: &super::lex::Var, variables: &mut Variables, line: usize, raw: &str) -> (Value, When) {
    let known = variables.get(&var.name).map(|variable| (joined(variable, raw), variable.when));
    let Some((op, then)) = &var.otherwise else {
        // What the script never sets comes from outside.
        return known.unwrap_or_else(|| (Value::Unknown(raw.to_owned()), When::Always));
    };
    match (op, known) {
        ('+', Some((value, when))) => match (value.text(), when) {
            (Some(""), When::Always) => (Value::Text(String::new()), When::Always),
            (Some(_), When::Always) => one(then, variables, line),
            _ => (one(then, variables, line).0, When::Sometimes),
        },
        ('+', None) => (one(then, variables, line).0, When::Sometimes),
        ('?', None) => (Value::Unknown(raw.to_owned()), When::Always),
        (_, Some((value, When::Always))) if value.text() != Some("") => (value, When::Always),
        (_, Some((value, When::Sometimes))) if value.text() != Some("") => {
            let (fallback, _) = one(then, variables, line);
            match (value.texts(), fallback.texts()) {
                (a, b) if !a.is_empty() && a == b => (value, When::Always),
                ([], _) | (_, []) => (Value::Unknown(raw.to_owned()), When::Always),
                (a, b) => (Value::OneOf(a.iter().chain(b).cloned().collect()), When::Always),
            }
        }
        // Set and empty, or set by the environment alone: then the word behind stands.
        (op, known) => {
            let (fallback, when) = one(then, variables, line);
            let value = match (fallback, known.is_some()) {
                (Value::Text(text), false) => Value::Default(text),
                (value, _) => value,
            };
            if *op == '=' {
                let holds = Holds::Scalar(value.clone());
                variables.set(&var.name, Some(Variable { holds, exported: None, when, line }));
            }
            (value, when)
        }
    }
}

/// A variable as one text: an array is joined by blanks.
fn joined(variable: &Variable, raw: &str) -> Value {
    match &variable.holds {
        Holds::Nothing => Value::Text(String::new()),
        Holds::Scalar(value) => value.clone(),
        Holds::Array(items) => {
            let texts: Option<Vec<&str>> =
                items.iter().map(|item| item.value.text().filter(|_| item.when == When::Always)).collect();
            match texts {
                Some(texts) => Value::Text(texts.join(" ")),
                None => Value::Unknown(raw.to_owned()),
            }
        }
    }
}
