//! A shell script as what it runs: branches that cannot be taken are left out, those that may be are marked.
//! Must not know: rules. It is no shell: what it cannot follow it says.

mod commands;
mod sources;

use super::expand;
use super::lex::{self, Kind, Lexed, Part, Token, is_name, plain};
use super::policy::LaunchPolicy;
use super::variables::{Branch, Holds, Item, Variable, Variables};
use super::{Launch, Library, Ran, Setting, Value, When};
use crate::core::yaml::Problem;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// Nesting of branches, calls and `bash -c` that is followed.
const MAX_DEPTH: usize = 40;
/// Work for one script, about a unit per word; real ones take a few thousand. What is left then is told as not followed.
const FUEL: usize = 200_000;

/// Reads a script as a run with this environment would take it.
///
/// What the policy assumes and `environment` names is known; every other variable that the script does not set is not.
pub fn read(path: &str, text: &str, policy: &LaunchPolicy, environment: &BTreeMap<String, String>) -> Launch {
    read_with(path, text, policy, environment, &Library::new())
}

/// Like [`read`]; files of the library that the script sources are part of it. What comes of them stands on the line that
/// sources them.
pub fn read_with(
    path: &str,
    text: &str,
    policy: &LaunchPolicy,
    environment: &BTreeMap<String, String>,
    library: &Library,
) -> Launch {
    let mut reader = Reader { library: Some(library), ..Reader::new(path, policy, false) };
    for (name, value) in policy.assume.iter().chain(environment) {
        let holds = Holds::Scalar(Value::Text(value.clone()));
        let variable = Variable { holds, exported: Some(When::Always), when: When::Always, line: 0 };
        reader.variables.set(name, Some(variable));
    }
    reader.text(text, 1);
    reader.finish()
}

/// Reads every command of a script, also those in branches and functions that nothing reaches: for rules that ask what a
/// script could do to its machine.
pub fn read_all(path: &str, text: &str, policy: &LaunchPolicy) -> Launch {
    let mut reader = Reader::new(path, policy, true);
    reader.text(text, 1);
    reader.finish()
}

/// Whether a command succeeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Truth {
    Yes,
    No,
    /// A test whose outcome is open.
    Open,
    /// A command that is taken to succeed.
    Likely,
}

#[derive(Clone)]
struct Function {
    code: Rc<Lexed>,
    at: usize,
    /// It comes from a sourced file.
    foreign: bool,
}

struct Reader<'a> {
    policy: &'a LaunchPolicy,
    launch: Launch,
    variables: Variables,
    functions: HashMap<String, Function>,
    /// Files that a heredoc wrote.
    files: HashMap<String, (String, usize)>,
    code: Rc<Lexed>,
    at: usize,
    /// Nothing is executed here: a branch that is not taken, or after `exit`.
    dead: bool,
    when: When,
    /// `set -a`.
    export_all: bool,
    everything: bool,
    library: Option<&'a Library>,
    /// The sourced files that are being read, the innermost last.
    within: Vec<String>,
    depth: usize,
    fuel: usize,
    stopped: bool,
}

impl<'a> Reader<'a> {
    fn new(path: &str, policy: &'a LaunchPolicy, everything: bool) -> Reader<'a> {
        Reader {
            policy,
            launch: Launch { path: path.to_owned(), ..Launch::default() },
            variables: Variables::default(),
            functions: HashMap::new(),
            files: HashMap::new(),
            code: Rc::new(Lexed::default()),
            at: 0,
            dead: false,
            when: When::Always,
            export_all: false,
            everything,
            library: None,
            within: Vec::new(),
            depth: 0,
            fuel: FUEL,
            stopped: false,
        }
    }

    fn finish(mut self) -> Launch {
        let mut engines: Vec<&str> = self.launch.servers.iter().map(|server| server.program.as_str()).collect();
        engines.sort_unstable();
        engines.dedup();
        self.launch.engine = match engines.as_slice() {
            [one] => Some((*one).to_owned()),
            _ => None,
        };
        self.launch.problems.sort_by_key(|problem| problem.line);
        self.launch.problems.dedup();
        self.launch
    }

    fn trouble(&mut self, line: usize, what: impl Into<String>) {
        let what: String = what.into();
        let problem = Problem::new(&self.launch.path, line, what.lines().next().unwrap_or_default());
        self.launch.problems.push(problem);
    }

    /// Spends work; ends the reading when there is none left.
    fn spend(&mut self, amount: usize) {
        self.fuel = self.fuel.saturating_sub(amount.max(1));
        if self.fuel == 0 && !self.stopped {
            self.stopped = true;
            let line = self.line();
            self.trouble(line, "the script is too long-winded to be followed past this line");
        }
    }

    fn line(&self) -> usize {
        self.code.tokens.get(self.at).or(self.code.tokens.last()).map_or(1, |token| token.line)
    }

    /// Runs a text in place: the script itself, `eval`, `bash -c`.
    fn text(&mut self, text: &str, first_line: usize) {
        if self.depth >= MAX_DEPTH {
            return self.trouble(first_line, "nested too deeply to be followed");
        }
        self.spend(text.len() / 64);
        let lexed = lex::lex(text, first_line);
        for (line, what) in lexed.problems.clone() {
            self.trouble(line, what);
        }
        self.call(&Function { code: Rc::new(lexed), at: 0, foreign: false }, true);
    }

    /// Runs code from its place to its end, or one command of it.
    fn call(&mut self, function: &Function, whole: bool) {
        let (code, at) = (std::mem::replace(&mut self.code, function.code.clone()), self.at);
        self.at = function.at;
        self.depth += 1;
        if whole {
            while !self.done() {
                self.list(&[]);
                // What closes nothing here.
                self.at += usize::from(!self.done());
                self.spend(1);
            }
        } else {
            self.command();
        }
        self.depth -= 1;
        self.code = code;
        self.at = at;
    }

    fn done(&self) -> bool {
        self.stopped || self.at >= self.code.tokens.len()
    }

    fn peek(&self) -> Option<&Token> {
        if self.stopped { None } else { self.code.tokens.get(self.at) }
    }

    fn op(&self) -> Option<&'static str> {
        match self.peek()?.kind {
            Kind::Op(op) => Some(op),
            _ => None,
        }
    }

    fn keyword(&self) -> Option<&str> {
        match &self.peek()?.kind {
            Kind::Word(parts) => plain(parts),
            _ => None,
        }
    }

    fn eat_keyword(&mut self, word: &str) -> bool {
        let there = self.keyword() == Some(word);
        self.at += usize::from(there);
        there
    }

    fn newlines(&mut self) {
        while self.peek().is_some_and(|token| token.kind == Kind::Newline) {
            self.at += 1;
        }
    }

    /// Runs commands up to one of the words, a closing parenthesis or `;;`, which stays.
    fn list(&mut self, stop: &[&str]) -> Truth {
        let mut last = Truth::Likely;
        loop {
            while matches!(self.peek().map(|token| &token.kind), Some(Kind::Newline | Kind::Op(";" | "&"))) {
                self.at += 1;
            }
            if self.done() || matches!(self.op(), Some(")" | ";;" | ";&" | ";;&")) {
                return last;
            }
            if self.keyword().is_some_and(|word| stop.contains(&word)) {
                return last;
            }
            let at = self.at;
            last = self.and_or();
            // Whatever cannot be read is passed over, so that reading goes on.
            self.at += usize::from(self.at == at);
        }
    }

    fn and_or(&mut self) -> Truth {
        let (dead, when) = (self.dead, self.when);
        let mut truth = self.pipeline();
        // An `exit` before goes on to hold.
        let mut ended = self.dead && !dead;
        while let Some(op @ ("&&" | "||")) = self.op() {
            self.at += 1;
            self.newlines();
            let skipped = matches!((op, truth), ("&&", Truth::No) | ("||", Truth::Yes));
            let open = matches!((op, truth), (_, Truth::Open) | ("||", Truth::Likely));
            self.dead = dead || ended || skipped;
            let entered = open && !self.dead && !self.everything;
            if entered {
                self.when = When::Sometimes;
                self.variables.enter();
            }
            let before = self.dead;
            let right = self.pipeline();
            let stops = self.dead && !before;
            if entered {
                let branch = self.variables.leave();
                let branches = if stops { Vec::new() } else { vec![branch] };
                self.spend(branches.iter().map(Branch::len).sum());
                self.variables.join(&branches, false);
            }
            // `grep -q x f && exit`: a command that is taken to succeed does not end the script for that.
            ended |= stops && !open && truth != Truth::Likely;
            truth = match (op, truth, right) {
                _ if skipped => truth,
                ("&&", Truth::Yes, right) | ("||", Truth::No, right) => right,
                ("||", Truth::Likely, _) => Truth::Likely,
                ("&&", Truth::Likely, right) => right,
                ("&&", Truth::Open, Truth::No) => Truth::No,
                ("||", Truth::Open, Truth::Yes) => Truth::Yes,
                _ => Truth::Open,
            };
            self.when = when;
        }
        self.dead = dead || (ended && !self.everything);
        self.when = when;
        truth
    }

    fn pipeline(&mut self) -> Truth {
        let mut negated = false;
        loop {
            if self.eat_keyword("!") {
                negated = !negated;
            } else if !self.eat_keyword("time") {
                break;
            }
        }
        let mut truth = self.command();
        while let Some("|" | "|&") = self.op() {
            self.at += 1;
            self.newlines();
            self.command();
            truth = Truth::Likely;
        }
        match truth {
            Truth::Yes if negated => Truth::No,
            Truth::No if negated => Truth::Yes,
            Truth::Likely if negated => Truth::Open,
            truth => truth,
        }
    }

    fn command(&mut self) -> Truth {
        self.spend(1);
        if self.depth >= MAX_DEPTH {
            let line = self.line();
            self.trouble(line, "nested too deeply to be followed");
            self.stopped = true;
            return Truth::Likely;
        }
        self.depth += 1;
        let truth = match self.keyword() {
            Some("if") => self.branches(),
            Some("while" | "until") => self.looped(),
            Some("for" | "select") => self.each(),
            Some("case") => self.case(),
            Some("{") => {
                self.at += 1;
                let truth = self.list(&["}"]);
                self.close("}");
                truth
            }
            Some("function") => {
                self.at += 1;
                self.function()
            }
            Some("[[") => self.test(),
            _ if self.op() == Some("(") => {
                self.at += 1;
                self.variables.enter();
                let dead = self.dead;
                self.list(&[]);
                // An `exit` leaves the subshell only.
                self.dead = dead;
                self.variables.leave();
                self.at += usize::from(self.op() == Some(")"));
                Truth::Likely
            }
            Some(word) if is_function_name(word) && self.opens_function() => self.function(),
            _ => {
                let truth = self.simple();
                self.depth -= 1;
                return truth;
            }
        };
        self.redirections();
        self.depth -= 1;
        truth
    }

    fn opens_function(&self) -> bool {
        let kind = |ahead: usize| self.code.tokens.get(self.at + ahead).map(|token| &token.kind);
        matches!((kind(1), kind(2)), (Some(Kind::Op("(")), Some(Kind::Op(")"))))
    }

    fn close(&mut self, word: &str) {
        if !self.eat_keyword(word) && !self.stopped {
            let line = self.line();
            self.trouble(line, format!("a `{word}` is missing before the end"));
        }
    }

    /// Passes what follows a compound command: `> log`, `< file`.
    fn redirections(&mut self) {
        loop {
            match self.peek().map(|token| &token.kind) {
                Some(Kind::Heredoc(_)) => self.at += 1,
                Some(Kind::Op(op)) if is_redirection(op) => {
                    self.at += 1;
                    self.at += usize::from(matches!(self.peek().map(|token| &token.kind), Some(Kind::Word(_))));
                }
                _ => return,
            }
        }
    }

    /// Runs a block that is taken if `truth` allows, and gives back what it leaves behind unless it ends the script.
    fn block(&mut self, taken: Truth, stop: &[&str]) -> Option<Branch> {
        let (dead, when) = (self.dead, self.when);
        match taken {
            _ if self.everything => {}
            Truth::Yes => {}
            Truth::No => self.dead = true,
            Truth::Open | Truth::Likely => self.when = When::Sometimes,
        }
        let skipped = self.dead;
        self.variables.enter();
        self.list(stop);
        let branch = self.variables.leave();
        self.spend(branch.len());
        let ended = self.dead && !skipped;
        (self.dead, self.when) = (dead, when);
        (!skipped && !ended).then_some(branch)
    }

    fn branches(&mut self) -> Truth {
        let mut ends = Vec::new();
        // Whether an earlier condition holds: then no later one is asked.
        let (mut held, mut open) = (false, false);
        let mut complete = false;
        let mut live = false;
        self.at += 1;
        loop {
            let dead = self.dead;
            self.dead |= held;
            let truth = self.list(&["then"]);
            self.dead = dead;
            self.close("then");
            let taken = match truth {
                _ if held => Truth::No,
                Truth::Yes if open => Truth::Open,
                Truth::Yes => Truth::Yes,
                Truth::No => Truth::No,
                _ => Truth::Open,
            };
            let end = self.block(taken, &["elif", "else", "fi"]);
            live |= taken != Truth::No && end.is_some();
            ends.extend(end);
            held |= truth == Truth::Yes;
            open |= matches!(truth, Truth::Open | Truth::Likely);
            if self.eat_keyword("elif") {
                continue;
            }
            if self.eat_keyword("else") {
                complete = true;
                let taken = if held {
                    Truth::No
                } else if open {
                    Truth::Open
                } else {
                    Truth::Yes
                };
                let end = self.block(taken, &["fi"]);
                live |= taken != Truth::No && end.is_some();
                ends.extend(end);
            }
            break;
        }
        self.close("fi");
        self.variables.join(&ends, complete || held);
        // Every branch that can be taken leaves the script.
        if (complete || held) && !live && !self.everything {
            self.dead = true;
        }
        Truth::Likely
    }

    fn looped(&mut self) -> Truth {
        let until = self.keyword() == Some("until");
        self.at += 1;
        let truth = self.list(&["do"]);
        self.close("do");
        let taken = match (truth, until) {
            (Truth::Yes, false) | (Truth::No, true) => Truth::Yes,
            (Truth::No, false) | (Truth::Yes, true) => Truth::No,
            _ => Truth::Open,
        };
        let end = self.block(taken, &["done"]);
        self.close("done");
        self.variables.join(end.as_slice(), taken == Truth::Yes);
        Truth::Likely
    }

    fn each(&mut self) -> Truth {
        self.at += 1;
        let line = self.line();
        let name = self.keyword().filter(|word| is_name(word)).map(str::to_owned);
        self.at += 1;
        let mut items = Vec::new();
        let listed = self.eat_keyword("in");
        while let Some(Token { kind: Kind::Word(parts), line }) = self.peek().cloned() {
            if !listed && plain(&parts) == Some("do") {
                break;
            }
            self.at += 1;
            items.extend(expand::words(&parts, &mut self.variables, line));
        }
        while matches!(self.peek().map(|token| &token.kind), Some(Kind::Newline | Kind::Op(";"))) {
            self.at += 1;
        }
        self.close("do");
        let sure = items.iter().any(|item| item.when == When::Always && !item.loose) || name.is_none();
        if let Some(name) = name {
            let texts: Vec<String> = items.iter().filter_map(|item| item.value.text().map(str::to_owned)).collect();
            let value = match texts.len() {
                1 if items.len() == 1 => Value::Text(texts[0].clone()),
                2..=8 if texts.len() == items.len() => Value::OneOf(texts),
                _ => Value::Unknown(format!("${name}")),
            };
            self.assign(&name, value, When::Always, line, None);
        }
        let taken = if sure { Truth::Yes } else { Truth::Open };
        let end = self.block(taken, &["done"]);
        self.close("done");
        self.variables.join(end.as_slice(), sure);
        Truth::Likely
    }

    fn case(&mut self) -> Truth {
        self.at += 1;
        let line = self.line();
        let subject = match self.peek().map(|token| token.kind.clone()) {
            Some(Kind::Word(parts)) => expand::one(&parts, &mut self.variables, line),
            _ => (Value::Unknown(String::new()), When::Always),
        };
        self.at += 1;
        self.newlines();
        self.eat_keyword("in");
        let subject = Item { value: subject.0, line, when: subject.1, loose: false };
        let known = known(&subject).map(str::to_owned);
        let (mut ends, mut held, mut open, mut any) = (Vec::new(), false, false, false);
        loop {
            while matches!(self.peek().map(|token| &token.kind), Some(Kind::Newline | Kind::Op(";;" | ";&" | ";;&" | "("))) {
                self.at += 1;
            }
            if self.done() || self.keyword() == Some("esac") {
                break;
            }
            let at = self.at;
            let (mut truth, mut rest) = (Truth::No, false);
            while !self.done() && self.op() != Some(")") {
                if let Some(Token { kind: Kind::Word(parts), line }) = self.peek().cloned() {
                    let pattern = expand::one(&parts, &mut self.variables, line).0;
                    rest |= pattern.text() == Some("*");
                    truth = match (pattern.text(), &known) {
                        (Some("*"), _) => Truth::Yes,
                        (Some(pattern), Some(subject)) if !pattern.contains(['*', '?', '[']) => {
                            if pattern == subject {
                                Truth::Yes
                            } else {
                                truth
                            }
                        }
                        _ if truth == Truth::No => Truth::Open,
                        _ => truth,
                    };
                } else if self.op() != Some("|") {
                    break;
                }
                self.at += 1;
            }
            self.at += usize::from(self.op() == Some(")"));
            let taken = match truth {
                _ if held => Truth::No,
                Truth::Yes if open => Truth::Open,
                truth => truth,
            };
            ends.extend(self.block(taken, &["esac"]));
            held |= truth == Truth::Yes;
            open |= truth == Truth::Open;
            any |= rest;
            self.at += usize::from(self.at == at);
        }
        self.close("esac");
        self.variables.join(&ends, any || held);
        Truth::Likely
    }

    fn function(&mut self) -> Truth {
        let name = self.keyword().unwrap_or_default().to_owned();
        self.at += 1;
        if self.op() == Some("(") {
            self.at += 1;
            self.at += usize::from(self.op() == Some(")"));
        }
        self.newlines();
        let foreign = !self.within.is_empty();
        self.functions.insert(name, Function { code: self.code.clone(), at: self.at, foreign });
        // Its body runs where it is called.
        let dead = self.dead;
        self.dead = !self.everything;
        self.variables.enter();
        self.command();
        self.variables.leave();
        self.dead = dead;
        Truth::Likely
    }

    /// `[[ … ]]`.
    fn test(&mut self) -> Truth {
        self.at += 1;
        let mut words = Vec::new();
        while let Some(Token { kind, line }) = self.peek().cloned() {
            self.at += 1;
            match kind {
                Kind::Word(parts) if plain(&parts) == Some("]]") => break,
                Kind::Word(parts) => {
                    let (value, when) = expand::one(&parts, &mut self.variables, line);
                    words.push(Item { value, line, when, loose: false });
                }
                _ => {}
            }
        }
        decide(&words, true)
    }

    fn assign(&mut self, name: &str, value: Value, when: When, line: usize, exported: Option<When>) {
        self.spend(1);
        let before = self.variables.get(name).and_then(|variable| variable.exported);
        let exported = exported.or(before).or(self.export_all.then_some(When::Always));
        self.variables.set(name, Some(Variable { holds: Holds::Scalar(value), exported, when, line }));
    }
}

fn is_function_name(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':'))
}

fn is_redirection(op: &str) -> bool {
    op.starts_with(['<', '>']) || op.starts_with("&>")
}

/// The text that a word has in every run.
fn known(word: &Item) -> Option<&str> {
    match (&word.value, word.when) {
        (Value::Text(text), When::Always) => Some(text),
        _ => None,
    }
}

/// What a test says of words that are known.
fn decide(words: &[Item], double: bool) -> Truth {
    // A default decides nothing: the environment may bring another value.
    let texts: Vec<Option<&str>> = words.iter().map(known).collect();
    let of = |holds: bool| if holds { Truth::Yes } else { Truth::No };
    match texts.as_slice() {
        [] => Truth::No,
        [Some("!"), rest @ ..] if !rest.is_empty() && rest.len() <= 3 => match decide(&words[1..], double) {
            Truth::Yes => Truth::No,
            Truth::No => Truth::Yes,
            _ => Truth::Open,
        },
        [Some(text)] => of(!text.is_empty()),
        [Some("-n"), Some(text)] => of(!text.is_empty()),
        [Some("-z"), Some(text)] => of(text.is_empty()),
        [Some(a), Some(op @ ("=" | "==" | "!=")), Some(b)] => {
            if double && b.contains(['*', '?', '[']) {
                return Truth::Open;
            }
            of((a == b) == (*op != "!="))
        }
        [Some(a), Some(op), Some(b)] => {
            let (Ok(a), Ok(b)) = (a.parse::<i64>(), b.parse::<i64>()) else { return Truth::Open };
            match *op {
                "-eq" => of(a == b),
                "-ne" => of(a != b),
                "-lt" => of(a < b),
                "-le" => of(a <= b),
                "-gt" => of(a > b),
                "-ge" => of(a >= b),
                _ => Truth::Open,
            }
        }
        _ => Truth::Open,
    }
}

#[cfg(test)]
mod tests;
