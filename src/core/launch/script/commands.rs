//! Simple commands of a script: assignments, what the shell does itself, servers and clients with their flags.
//! Must not know: branches and loops.

use super::super::recipe;
use super::super::{Command, flag_name, spread_json};
use super::*;

/// What stands in one simple command.
#[derive(Default)]
struct Simple {
    assigned: Vec<(String, bool, Value, When)>,
    arrays: Vec<(String, bool, Vec<Item>)>,
    words: Vec<Item>,
    heredoc: Option<usize>,
    out: Vec<String>,
    line: usize,
    end: usize,
}

impl Reader<'_> {
    pub(super) fn simple(&mut self) -> Truth {
        let command = self.collect();
        if self.dead {
            return Truth::Likely;
        }
        self.spend(command.words.len());
        if command.words.is_empty() {
            for (name, append, value, when) in command.assigned {
                let value = if append { self.appended(&name, value) } else { value };
                self.assign(&name, value, when, command.line, None);
            }
            for (name, append, items) in command.arrays {
                self.assign_array(&name, append, items, command.line);
            }
            return Truth::Likely;
        }
        self.record(&command);
        let first = command.words[0].value.text().unwrap_or_default().to_owned();
        let rest = &command.words[1..];
        match first.as_str() {
            "true" | ":" => Truth::Yes,
            "false" => Truth::No,
            "[" => decide(rest.split_last().filter(|(last, _)| known(last) == Some("]")).map_or(rest, |(_, rest)| rest), false),
            "test" => decide(rest, false),
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                self.declare(&first, &command);
                Truth::Likely
            }
            "unset" => {
                for word in rest.iter().filter_map(|word| word.value.text()).filter(|word| is_name(word)) {
                    let variable = Variable { holds: Holds::Nothing, exported: None, when: When::Always, line: command.line };
                    self.variables.set(word, Some(variable));
                }
                Truth::Likely
            }
            "set" => {
                let texts: Vec<&str> = rest.iter().filter_map(|word| word.value.text()).collect();
                match texts.as_slice() {
                    ["-o", "allexport"] => self.export_all = true,
                    ["+o", "allexport"] => self.export_all = false,
                    [flags, ..] if flags.starts_with('-') && !flags.starts_with("--") && flags.contains('a') => {
                        self.export_all = true;
                    }
                    [flags, ..] if flags.starts_with('+') && flags.contains('a') => self.export_all = false,
                    _ => {}
                }
                Truth::Likely
            }
            "exit" | "return" => {
                // In a branch that may not be taken, what follows may still run.
                if !self.everything {
                    self.dead = true;
                }
                Truth::Likely
            }
            "eval" => {
                let text = rest.iter().map(|word| word.value.to_string()).collect::<Vec<_>>().join(" ");
                self.text(&text, command.line);
                Truth::Likely
            }
            "source" | "." => {
                self.source(rest, command.line);
                Truth::Likely
            }
            _ => {
                // A client that the policy names is known by its flags; what a library makes of them is the library's.
                let named = || self.program(&[first.as_str()]).is_some();
                let function = self.functions.get(&first).filter(|function| !function.foreign || !named());
                if let Some(function) = function.cloned() {
                    if !self.everything {
                        let dead = self.dead;
                        self.call(&function, false);
                        self.dead = dead;
                    }
                    return Truth::Likely;
                }
                self.start(&command);
                if first == "exec" && !rest.is_empty() && !self.everything && self.when == When::Always {
                    self.dead = true;
                }
                Truth::Likely
            }
        }
    }

    /// Reads the words up to the next operator.
    fn collect(&mut self) -> Simple {
        let mut out = Simple { line: self.line(), end: self.line(), ..Simple::default() };
        while let Some(token) = self.peek() {
            if self.dead {
                match token.kind {
                    Kind::Op(op) if !is_redirection(op) => break,
                    Kind::Newline => break,
                    _ => self.at += 1,
                }
                continue;
            }
            let Token { kind, line } = token.clone();
            match kind {
                Kind::Newline => break,
                Kind::Op(op) if is_redirection(op) => {
                    self.at += 1;
                    if let Some(Token { kind: Kind::Word(parts), line }) = self.peek().cloned() {
                        self.at += 1;
                        let target = expand::one(&parts, &mut self.variables, line).0.to_string();
                        if op.contains('>') && !target.bytes().all(|byte| byte.is_ascii_digit()) {
                            out.out.push(target);
                        }
                    }
                    continue;
                }
                Kind::Op(_) => break,
                Kind::Heredoc(index) => {
                    out.heredoc = Some(index);
                    out.end = out.end.max(self.code.heredocs.get(index).map_or(0, |heredoc| heredoc.end));
                }
                Kind::Array { name, append, items } => {
                    let mut all = Vec::new();
                    for item in items {
                        let Kind::Word(parts) = item.kind else { continue };
                        all.extend(expand::words(&parts, &mut self.variables, item.line));
                    }
                    self.spend(all.len());
                    out.end = out.end.max(line);
                    out.arrays.push((name, append, all));
                }
                Kind::Word(parts) => {
                    out.end = out.end.max(line);
                    match assignment(&parts).filter(|_| out.words.is_empty()) {
                        Some((name, append, value)) => {
                            let (value, when) = expand::one(&value, &mut self.variables, line);
                            self.spend(value.to_string().len() / 16);
                            out.assigned.push((name, append, value, when));
                        }
                        None => {
                            let mut items = expand::words(&parts, &mut self.variables, line);
                            self.spend(items.len());
                            out.words.append(&mut items);
                        }
                    }
                }
            }
            self.at += 1;
        }
        out
    }

    fn appended(&mut self, name: &str, value: Value) -> Value {
        let held = match self.variables.get(name).map(|variable| (&variable.holds, variable.when)) {
            None | Some((Holds::Nothing, _)) => return value,
            Some((Holds::Scalar(held), When::Always)) => held.clone(),
            Some(_) => return Value::Unknown(format!("${name}{value}")),
        };
        match (held.text(), value.text()) {
            (Some(a), Some(b)) if a.len() + b.len() <= 64 * 1024 => {
                self.spend((a.len() + b.len()) / 16);
                Value::Text(format!("{a}{b}"))
            }
            _ => Value::Unknown(format!("${name}")),
        }
    }

    fn assign_array(&mut self, name: &str, append: bool, items: Vec<Item>, line: usize) {
        let mut all = Vec::new();
        if append {
            match self.variables.get(name).map(|variable| (variable.holds.clone(), variable.when)) {
                Some((Holds::Array(held), _)) => all = held,
                Some((Holds::Scalar(value), when)) => all.push(Item { value, line, when, loose: false }),
                _ => {}
            }
        }
        all.extend(items);
        self.spend(all.len());
        if self.stopped {
            return;
        }
        let variable = Variable { holds: Holds::Array(all), exported: None, when: When::Always, line };
        self.variables.set(name, Some(variable));
    }

    /// `export A=1 B`, `declare -x A`, `local a=b`, `declare -a ARGS=( … )`.
    fn declare(&mut self, word: &str, command: &Simple) {
        let line = command.line;
        let texts: Vec<&Value> = command.words[1..].iter().map(|word| &word.value).collect();
        let flags: Vec<&str> = texts.iter().filter_map(|text| text.text()).filter(|text| text.starts_with('-')).collect();
        let has = |flag: char| flags.iter().any(|flags| !flags.starts_with("--") && flags.contains(flag));
        let take_back = has('n') && word == "export";
        let export = (word == "export" || has('x')).then_some(When::Always).filter(|_| !take_back);
        for (name, append, items) in command.arrays.clone() {
            self.assign_array(&name, append, items, line);
        }
        for value in texts {
            let (written, known) = match value {
                Value::Text(text) | Value::Default(text) => (text.as_str(), true),
                Value::Unknown(text) => (text.as_str(), false),
                Value::OneOf(texts) => (texts[0].as_str(), texts.iter().all(|text| text.contains('='))),
                Value::Bare => continue,
            };
            if written.starts_with('-') {
                continue;
            }
            match written.split_once('=') {
                Some((name, text)) if is_name(name) => {
                    let of = |text: &String| text.split_once('=').map_or_else(String::new, |(_, text)| text.to_owned());
                    let held = match value {
                        Value::OneOf(texts) if known => Value::OneOf(texts.iter().map(of).collect()),
                        Value::Default(_) => Value::Default(text.to_owned()),
                        _ if known => Value::Text(text.to_owned()),
                        _ => Value::Unknown(text.to_owned()),
                    };
                    self.assign(name, held, When::Always, line, export);
                }
                None if is_name(written) && word != "local" => {
                    let held = self.variables.get(written).cloned();
                    let variable = match held {
                        Some(held) if take_back => Variable { exported: None, ..held },
                        Some(held) => Variable { exported: export.or(held.exported), ..held },
                        // It comes from outside, and goes on.
                        None => Variable {
                            holds: Holds::Scalar(Value::Unknown(format!("${written}"))),
                            exported: export,
                            when: When::Always,
                            line,
                        },
                    };
                    self.variables.set(written, Some(variable));
                }
                _ => {}
            }
        }
    }

    /// Keeps what ran, and files that heredocs write.
    fn record(&mut self, command: &Simple) {
        let heredoc = command.heredoc.and_then(|index| self.code.heredocs.get(index).cloned());
        let body = heredoc.as_ref().map(|heredoc| {
            let text = expand::one(&heredoc.body, &mut self.variables, heredoc.line).0.to_string();
            (text, heredoc.line)
        });
        self.spend(body.as_ref().map_or(0, |(text, _)| text.len() / 16));
        let words: Vec<String> = command.words.iter().map(|word| word.value.to_string()).collect();
        self.spend(words.iter().map(String::len).sum::<usize>() / 64);
        if let Some(body) = &body {
            let tee = words.first().is_some_and(|word| word == "tee");
            let targets = command.out.iter().chain(words.iter().skip(1).filter(|word| tee && !word.starts_with('-')));
            for target in targets {
                self.files.insert(target.clone(), body.clone());
            }
        }
        self.launch.ran.push(Ran {
            words,
            line: command.line,
            end: command.end,
            heredoc: body.map(|(text, _)| text),
            out: command.out.clone(),
            when: self.when,
        });
    }

    /// Keeps a server or a client, and follows `bash -c`.
    fn start(&mut self, command: &Simple) {
        let words: Vec<&str> = command.words.iter().map(|word| word.value.texts().first().map_or("", String::as_str)).collect();
        let wrapped = self.policy.wrappers.iter().any(|wrapper| wrapper == base_name(words[0]));
        let places = if wrapped { words.len() } else { 1 };
        for at in 0..places {
            if matches!(base_name(words[at]), "bash" | "sh") {
                let script = words[at..].iter().position(|word| matches!(*word, "-c" | "-lc" | "-ec" | "-euc" | "-xc"));
                if let Some(text) = script.and_then(|flag| command.words.get(at + flag + 1)) {
                    let (text, line) = (text.value.to_string(), text.line);
                    self.variables.enter();
                    let dead = self.dead;
                    self.prefix(command);
                    self.text(&text, line);
                    self.dead = dead;
                    self.variables.leave();
                    return;
                }
            }
            let known = self.program(&words[at..]);
            if let Some((program, server, length)) = known {
                self.keep(command, at, program, server, length);
                return;
            }
        }
        // `$SERVER_CMD`, which nothing here sets.
        let open = command.words.first().filter(|word| word.loose && word.value.texts().is_empty());
        if let Some(word) = open.filter(|_| !self.everything) {
            self.trouble(word.line, format!("`{}` runs a command that this text does not hold", word.value));
        }
    }

    fn prefix(&mut self, command: &Simple) {
        for (name, append, value, when) in command.assigned.clone() {
            let value = if append { self.appended(&name, value) } else { value };
            self.assign(&name, value, when, command.line, Some(When::Always));
        }
    }

    /// Which engine or client begins with these words, and how many words name it.
    fn program(&self, words: &[&str]) -> Option<(String, bool, usize)> {
        let matches = |pattern: &str| {
            let mut length = 0;
            for (at, want) in pattern.split_whitespace().enumerate() {
                let word = words.get(at)?;
                if *word != want && !(at == 0 && base_name(word) == want) {
                    return None;
                }
                length = at + 1;
            }
            (length > 0).then_some(length)
        };
        let engines = self.policy.engines.iter().map(|engine| (&engine.name, true, &engine.commands));
        let clients = self.policy.clients.iter().map(|client| (&client.name, false, &client.commands));
        engines.chain(clients).find_map(|(name, server, commands)| {
            let length = commands.iter().filter_map(|command| matches(command)).max()?;
            Some((name.clone(), server, length))
        })
    }

    fn keep(&mut self, command: &Simple, at: usize, program: String, server: bool, length: usize) {
        self.spend(self.variables.len());
        let mut env = self.variables.environment();
        for (name, _, value, when) in &command.assigned {
            env.push(Setting::new(name, value.clone(), command.line, *when));
        }
        // `env A=B server`.
        for word in &command.words[..at] {
            if let Some((name, value)) =
                word.value.text().and_then(|text| text.split_once('=')).filter(|(name, _)| is_name(name))
            {
                env.push(Setting::new(name, Value::Text(value.to_owned()), word.line, word.when));
            }
        }
        for variable in &mut env {
            variable.when = variable.when.max(self.when);
        }
        let engine = self.policy.engines.iter().find(|engine| server && engine.name == program);
        let positional = engine.and_then(|engine| engine.positional.as_deref());
        let (mut flags, open) = flags(&command.words[at + length..], positional, self.when);
        for name in engine.iter().flat_map(|engine| &engine.config_files) {
            let file = flags.iter().find(|flag| flag.name == *name).map(|flag| flag.value.to_string());
            if let Some((body, line)) = file.and_then(|file| self.files.get(&file).cloned()) {
                match recipe::flatten_text(&self.launch.path, &body, line, self.when) {
                    Ok(more) => flags.extend(more),
                    Err(problem) => self.launch.problems.push(problem),
                }
            }
        }
        spread_json(&mut flags);
        let role = if server { "server".to_owned() } else { program.clone() };
        let kept = Command { role, program, flags, env, line: command.line, when: self.when, open };
        if server { self.launch.servers.push(kept) } else { self.launch.clients.push(kept) }
    }
}

fn base_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// `NAME=…` or `NAME+=…` in front of a command.
fn assignment(parts: &[Part]) -> Option<(String, bool, Vec<Part>)> {
    let Some(Part::Text { text, quoted: false }) = parts.first() else { return None };
    let (name, value) = text.split_once('=')?;
    let (name, append) = name.strip_suffix('+').map_or((name, false), |name| (name, true));
    if !is_name(name) {
        return None;
    }
    let first = Part::Text { text: value.to_owned(), quoted: false };
    Some((name.to_owned(), append, std::iter::once(first).chain(parts[1..].iter().cloned()).collect()))
}

/// Words as flags with their values, and the words that may be anything.
fn flags(words: &[Item], positional: Option<&str>, at: When) -> (Vec<Setting>, Vec<Setting>) {
    let (mut out, mut open): (Vec<Setting>, Vec<Setting>) = (Vec::new(), Vec::new());
    // Whether the last flag still takes words.
    let mut taking = false;
    for word in words {
        let when = word.when.max(at);
        let written = word.value.texts().first().cloned().unwrap_or_else(|| word.value.to_string());
        let dashed = written.starts_with('-') && written[1..].starts_with(|c: char| c == '-' || c.is_ascii_alphabetic());
        if dashed {
            let (name, value) = match written.split_once('=') {
                Some((name, value)) if !name.contains(['{', '"', '$']) => {
                    let cut = |text: &String| text.split_once('=').map_or_else(String::new, |(_, value)| value.to_owned());
                    let value = match &word.value {
                        Value::Unknown(_) => Value::Unknown(value.to_owned()),
                        Value::Default(_) => Value::Default(value.to_owned()),
                        Value::OneOf(texts) => Value::OneOf(texts.iter().map(cut).collect()),
                        _ => Value::Text(value.to_owned()),
                    };
                    taking = false;
                    (name, value)
                }
                _ => {
                    taking = true;
                    (written.as_str(), Value::Bare)
                }
            };
            // Which of several flags it is, a branch decides.
            let when = if matches!(&word.value, Value::OneOf(_)) && taking { When::Sometimes } else { when };
            out.push(Setting::new(flag_name(name), value, word.line, when));
            continue;
        }
        match out.last_mut().filter(|_| taking) {
            Some(last) if last.value == Value::Bare => {
                last.value = word.value.clone();
                last.when = last.when.max(word.when);
            }
            Some(last) if !word.loose => {
                let joined = format!("{} {}", last.value, word.value);
                last.value = match (last.value.text(), word.value.text()) {
                    (Some(_), Some(_)) if joined.len() <= 64 * 1024 => Value::Text(joined),
                    _ => last.value.clone(),
                };
            }
            _ if word.loose => open.push(Setting::new(written, word.value.clone(), word.line, when)),
            None => {
                if let Some(name) = positional.filter(|name| !out.iter().any(|flag| flag.name == **name)) {
                    out.push(Setting::new(name, word.value.clone(), word.line, when));
                }
            }
            Some(_) => {}
        }
    }
    (out, open)
}
