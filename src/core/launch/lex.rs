//! A shell script as words, operators and heredocs with their lines, in one pass; a cut or broken script is read as far
//! as it goes. (`shlex` splits one command into words, and drops quoting, operators and lines on the way.)
//! Must not know: what a command does, what a variable holds.

/// A token and the line that it begins on, from 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Token {
    pub kind: Kind,
    pub line: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    Word(Vec<Part>),
    /// `NAME=( … )` or `NAME+=( … )`.
    Array {
        name: String,
        append: bool,
        items: Vec<Token>,
    },
    /// Control operators and redirections.
    Op(&'static str),
    /// A heredoc or here-string, by its index in [`Lexed::heredocs`].
    Heredoc(usize),
    Newline,
}

/// A piece of a word.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    Text {
        text: String,
        quoted: bool,
    },
    Var(Var),
    /// A command substitution, arithmetic, or an expansion that is not followed; as written.
    Opaque {
        text: String,
        quoted: bool,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub struct Var {
    pub name: String,
    pub quoted: bool,
    /// `[@]` or `[*]`.
    pub all: bool,
    /// `-`, `=`, `+`, `?` and the word behind.
    pub otherwise: Option<(char, Vec<Part>)>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Heredoc {
    pub body: Vec<Part>,
    /// Line of the first line of the body.
    pub line: usize,
    /// Line of the end marker.
    pub end: usize,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lexed {
    pub tokens: Vec<Token>,
    pub heredocs: Vec<Heredoc>,
    /// Line and sentence.
    pub problems: Vec<(usize, String)>,
}

/// Nesting of `${A:-${B:-…}}` and of arrays that is followed.
const MAX_DEPTH: usize = 16;

/// Reads a script, its first line counted as `first_line`.
pub fn lex(text: &str, first_line: usize) -> Lexed {
    let mut lexer =
        Lexer { text: text.as_bytes(), at: 0, line: first_line, out: Lexed::default(), pending: Vec::new(), test: false };
    lexer.run();
    lexer.out
}

struct Pending {
    index: usize,
    delimiter: String,
    literal: bool,
    tabs: bool,
}

struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
    line: usize,
    out: Lexed,
    pending: Vec<Pending>,
    /// Inside `[[ … ]]`, where operators are words.
    test: bool,
}

/// Longest first.
const OPERATORS: [&str; 22] = [
    ";;&", "&>>", "<<<", "<<-", ";;", ";&", "&&", "||", "|&", "&>", ">>", ">&", ">|", "<<", "<&", "<>", "|", "&", ";", "(",
    ")", ">",
];

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.at + ahead).copied()
    }

    fn bump(&mut self) -> Option<u8> {
        let byte = self.peek(0)?;
        self.at += 1;
        self.line += usize::from(byte == b'\n');
        Some(byte)
    }

    fn starts(&self, with: &str) -> bool {
        self.text[self.at..].starts_with(with.as_bytes())
    }

    fn slice(&self, from: usize, to: usize) -> String {
        String::from_utf8_lossy(self.text.get(from..to).unwrap_or_default()).into_owned()
    }

    fn trouble(&mut self, line: usize, what: &str) {
        self.out.problems.push((line, what.to_owned()));
    }

    fn run(&mut self) {
        while let Some(token) = self.token(false) {
            self.out.tokens.push(token);
        }
        if !self.pending.is_empty() {
            self.bodies();
        }
        if self.test {
            self.trouble(self.line, "a `[[` is not closed");
        }
    }

    /// Skips blanks, continuations and comments.
    fn blanks(&mut self) {
        loop {
            match (self.peek(0), self.peek(1)) {
                (Some(b' ' | b'\t' | b'\r'), _) => _ = self.bump(),
                (Some(b'\\'), Some(b'\n')) => _ = (self.bump(), self.bump()),
                (Some(b'\\'), Some(b'\r')) if self.peek(2) == Some(b'\n') => _ = (self.bump(), self.bump(), self.bump()),
                (Some(b'#'), _) => {
                    while self.peek(0).is_some_and(|byte| byte != b'\n') {
                        self.bump();
                    }
                }
                _ => return,
            }
        }
    }

    fn token(&mut self, nested: bool) -> Option<Token> {
        self.blanks();
        let line = self.line;
        let made = |kind| Some(Token { kind, line });
        let byte = self.peek(0)?;
        if byte == b'\n' {
            self.bump();
            if !self.pending.is_empty() && !nested {
                self.bodies();
            }
            return made(Kind::Newline);
        }
        if self.test {
            return made(Kind::Word(self.test_word()));
        }
        if self.starts("((") && !nested {
            let from = self.at;
            self.skip_balanced(b'(', b')');
            return made(Kind::Word(vec![Part::Opaque { text: self.slice(from, self.at), quoted: true }]));
        }
        if self.starts("<(") || self.starts(">(") {
            let from = self.at;
            self.bump();
            self.skip_balanced(b'(', b')');
            return made(Kind::Word(vec![Part::Opaque { text: self.slice(from, self.at), quoted: true }]));
        }
        if let Some(op) = OPERATORS.into_iter().find(|op| self.starts(op)).or((byte == b'<').then_some("<")) {
            self.at += op.len();
            return match op {
                "<<" | "<<-" => made(self.heredoc(op == "<<-")),
                "<<<" => made(self.here_string(line)),
                _ => made(Kind::Op(op)),
            };
        }
        let parts = self.word(End::Blank, false, 0);
        if let Some(kind) = self.array(&parts, nested) {
            return made(kind);
        }
        // `2>file`: the number belongs to the redirection.
        if let [Part::Text { text, quoted: false }] = parts.as_slice() {
            if text.bytes().all(|byte| byte.is_ascii_digit()) && matches!(self.peek(0), Some(b'<' | b'>')) {
                return self.token(nested);
            }
            self.test = text == "[[";
        }
        made(Kind::Word(parts))
    }

    fn test_word(&mut self) -> Vec<Part> {
        if matches!(self.peek(0), Some(b'(' | b')' | b'<' | b'>' | b'&' | b'|' | b';')) {
            let byte = self.bump().unwrap_or_default();
            let mut text = (byte as char).to_string();
            if self.peek(0) == Some(byte) && byte != b'(' && byte != b')' {
                self.bump();
                text.push(byte as char);
            }
            return vec![Part::Text { text, quoted: false }];
        }
        let parts = self.word(End::Blank, false, 0);
        if matches!(parts.as_slice(), [Part::Text { text, quoted: false }] if text == "]]") {
            self.test = false;
        }
        parts
    }

    fn array(&mut self, parts: &[Part], nested: bool) -> Option<Kind> {
        let [Part::Text { text, quoted: false }] = parts else { return None };
        let name = text.strip_suffix('=')?;
        let (name, append) = name.strip_suffix('+').map_or((name, false), |name| (name, true));
        if self.peek(0) != Some(b'(') || nested || !is_name(name) {
            return None;
        }
        let line = self.line;
        self.bump();
        let mut items = Vec::new();
        loop {
            match self.token(true) {
                None => {
                    self.trouble(line, "the array that begins here is not closed");
                    break;
                }
                Some(Token { kind: Kind::Op(")"), .. }) => break,
                Some(token) if matches!(token.kind, Kind::Word(_)) => items.push(token),
                Some(_) => {}
            }
        }
        Some(Kind::Array { name: name.to_owned(), append, items })
    }

    fn heredoc(&mut self, tabs: bool) -> Kind {
        while matches!(self.peek(0), Some(b' ' | b'\t')) {
            self.bump();
        }
        let mut literal = false;
        let mut delimiter = String::new();
        for part in self.word(End::Blank, false, 0) {
            match part {
                Part::Text { text, quoted } => {
                    literal |= quoted;
                    delimiter.push_str(&text);
                }
                Part::Var(var) => delimiter.push_str(&format!("${}", var.name)),
                Part::Opaque { text, .. } => delimiter.push_str(&text),
            }
        }
        let index = self.out.heredocs.len();
        self.out.heredocs.push(Heredoc { body: Vec::new(), line: self.line, end: self.line });
        self.pending.push(Pending { index, delimiter, literal, tabs });
        Kind::Heredoc(index)
    }

    fn here_string(&mut self, line: usize) -> Kind {
        self.blanks();
        let body = self.word(End::Blank, false, 0);
        self.out.heredocs.push(Heredoc { body, line, end: self.line });
        Kind::Heredoc(self.out.heredocs.len() - 1)
    }

    /// Reads the bodies that the line before asked for.
    fn bodies(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            let (first, from) = (self.line, self.at);
            let mut closed = None;
            while self.at < self.text.len() {
                let start = self.at;
                let end = self.text[start..].iter().position(|byte| *byte == b'\n').map_or(self.text.len(), |end| start + end);
                let mut line = &self.text[start..end];
                line = line.strip_suffix(b"\r").unwrap_or(line);
                while pending.tabs && line.first() == Some(&b'\t') {
                    line = &line[1..];
                }
                self.at = (end + 1).min(self.text.len());
                if line == pending.delimiter.as_bytes() {
                    closed = Some(start);
                    break;
                }
                self.line += 1;
            }
            let end = self.line;
            let to = closed.unwrap_or(self.text.len());
            if closed.is_some() {
                self.line += 1;
            } else {
                self.trouble(first.saturating_sub(1), &format!("the heredoc `{}` is not closed", pending.delimiter));
            }
            let body = if pending.literal {
                vec![Part::Text { text: self.slice(from, to), quoted: true }]
            } else {
                let text = &self.text[from..to];
                let mut inner = Lexer { text, at: 0, line: first, out: Lexed::default(), pending: Vec::new(), test: false };
                inner.word(End::Text, true, 0)
            };
            self.out.heredocs[pending.index] = Heredoc { body, line: first, end };
        }
    }

    /// Reads one word, or what stands in double quotes, up to `end`.
    fn word(&mut self, end: End, quoted: bool, depth: usize) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut run: Vec<u8> = Vec::new();
        let flush = |run: &mut Vec<u8>, parts: &mut Vec<Part>, quoted: bool| {
            if !run.is_empty() {
                let text = String::from_utf8_lossy(&std::mem::take(run)).into_owned();
                parts.push(Part::Text { text, quoted });
            }
        };
        let line = self.line;
        loop {
            let Some(byte) = self.peek(0) else {
                match end {
                    End::Quote => self.trouble(line, "a double quote that opens here is not closed"),
                    End::Brace => self.trouble(line, "a `${` that opens here is not closed"),
                    End::Blank | End::Text => {}
                }
                break;
            };
            match (byte, end) {
                (b'"', End::Quote) | (b'}', End::Brace) => {
                    self.bump();
                    break;
                }
                (b' ' | b'\t' | b'\n' | b'\r' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')', End::Blank) => break,
                (b'\\', _) => {
                    self.bump();
                    match self.peek(0) {
                        Some(b'\n') => _ = self.bump(),
                        Some(next) if quoted && !matches!(next, b'"' | b'\\' | b'$' | b'`') => run.push(b'\\'),
                        Some(next) => {
                            // An escaped character is quoted text.
                            if !quoted {
                                flush(&mut run, &mut parts, false);
                            }
                            run.push(next);
                            self.bump();
                            if !quoted {
                                // The rest of a multi-byte character follows as ordinary text.
                                while self.peek(0).is_some_and(|byte| byte & 0xc0 == 0x80) {
                                    run.extend(self.bump());
                                }
                                flush(&mut run, &mut parts, true);
                            }
                        }
                        None => {}
                    }
                }
                (b'\'', End::Blank | End::Brace) if !quoted => {
                    flush(&mut run, &mut parts, quoted);
                    self.bump();
                    parts.push(Part::Text { text: self.single(line), quoted: true });
                }
                (b'"', End::Blank | End::Brace) => {
                    flush(&mut run, &mut parts, quoted);
                    self.bump();
                    let inner = if depth < MAX_DEPTH { self.word(End::Quote, true, depth + 1) } else { Vec::new() };
                    if inner.is_empty() {
                        parts.push(Part::Text { text: String::new(), quoted: true });
                    }
                    parts.extend(inner);
                }
                (b'`', _) => {
                    flush(&mut run, &mut parts, quoted);
                    let from = self.at;
                    self.bump();
                    while let Some(byte) = self.bump() {
                        match byte {
                            b'`' => break,
                            b'\\' => _ = self.bump(),
                            _ => {}
                        }
                    }
                    parts.push(Part::Opaque { text: self.slice(from, self.at), quoted });
                }
                (b'$', _) => {
                    flush(&mut run, &mut parts, quoted);
                    match self.dollar(quoted, depth) {
                        Some(part) => parts.push(part),
                        None => run.push(b'$'),
                    }
                }
                _ => run.extend(self.bump()),
            }
        }
        flush(&mut run, &mut parts, quoted);
        parts
    }

    /// Up to the closing single quote, the opening one being read.
    fn single(&mut self, line: usize) -> String {
        let from = self.at;
        while let Some(byte) = self.bump() {
            if byte == b'\'' {
                return self.slice(from, self.at - 1);
            }
        }
        self.trouble(line, "a single quote that opens here is not closed");
        self.slice(from, self.at)
    }

    /// `$…`. `None`: a lone dollar sign, which is read.
    fn dollar(&mut self, quoted: bool, depth: usize) -> Option<Part> {
        let from = self.at;
        self.bump();
        match self.peek(0) {
            Some(b'(') => {
                self.skip_balanced(b'(', b')');
                Some(Part::Opaque { text: self.slice(from, self.at), quoted })
            }
            Some(b'{') => {
                if depth >= MAX_DEPTH {
                    self.skip_balanced(b'{', b'}');
                    return Some(Part::Opaque { text: self.slice(from, self.at), quoted });
                }
                Some(self.braces(from, quoted, depth))
            }
            Some(b'\'') if !quoted => {
                self.bump();
                let line = self.line;
                let start = self.at;
                loop {
                    match self.bump() {
                        Some(b'\\') => _ = self.bump(),
                        Some(b'\'') => break,
                        Some(_) => {}
                        None => {
                            self.trouble(line, "a single quote that opens here is not closed");
                            break;
                        }
                    }
                }
                let text = self.slice(start, self.at.saturating_sub(1).max(start));
                let text = text.replace("\\n", "\n").replace("\\t", "\t").replace("\\'", "'").replace("\\\\", "\\");
                Some(Part::Text { text, quoted: true })
            }
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => {
                let start = self.at;
                while self.peek(0).is_some_and(is_name_byte) {
                    self.bump();
                }
                let name = self.slice(start, self.at);
                Some(Part::Var(Var { name, quoted, all: false, otherwise: None }))
            }
            Some(byte) if byte.is_ascii_digit() || matches!(byte, b'@' | b'*' | b'#' | b'?' | b'$' | b'!' | b'-') => {
                self.bump();
                // `"$@"` is any number of words even in quotes.
                Some(Part::Opaque { text: self.slice(from, self.at), quoted: quoted && byte != b'@' })
            }
            _ => None,
        }
    }

    /// `${…}`, at the brace.
    fn braces(&mut self, from: usize, quoted: bool, depth: usize) -> Part {
        let (at, line) = (self.at, self.line);
        self.bump();
        let start = self.at;
        while self.peek(0).is_some_and(is_name_byte) {
            self.bump();
        }
        let name = self.slice(start, self.at);
        let mut all = false;
        if self.starts("[@]") || self.starts("[*]") {
            all = true;
            self.at += 3;
        }
        let colon = usize::from(self.peek(0) == Some(b':'));
        let op = self.peek(colon);
        if is_name(&name) {
            match op {
                Some(b'}') if colon == 0 => {
                    self.bump();
                    return Part::Var(Var { name, quoted, all, otherwise: None });
                }
                Some(op @ (b'-' | b'=' | b'+' | b'?')) => {
                    self.at += colon + 1;
                    let word = self.word(End::Brace, quoted, depth + 1);
                    return Part::Var(Var { name, quoted, all, otherwise: Some((op as char, word)) });
                }
                _ => {}
            }
        }
        (self.at, self.line) = (at, line);
        self.skip_balanced(b'{', b'}');
        Part::Opaque { text: self.slice(from, self.at), quoted }
    }

    /// Skips from an opening mark to its closing one, over quotes.
    fn skip_balanced(&mut self, open: u8, close: u8) {
        let line = self.line;
        // The marks that are open; `"` among them.
        let mut stack = Vec::new();
        let mut before = b' ';
        while let Some(byte) = self.bump() {
            let inside = stack.last() == Some(&b'"');
            match byte {
                b'\\' => _ = self.bump(),
                b'"' if inside => _ = stack.pop(),
                b'"' => stack.push(b'"'),
                b'\'' if !inside => while self.bump().is_some_and(|byte| byte != b'\'') {},
                b'#' if !inside && open == b'(' && before.is_ascii_whitespace() => {
                    while self.peek(0).is_some_and(|byte| byte != b'\n') {
                        self.bump();
                    }
                }
                _ if byte == open && (!inside || before == b'$') => stack.push(open),
                _ if byte == close && !inside => {
                    stack.pop();
                    if stack.is_empty() {
                        return;
                    }
                }
                _ => {}
            }
            before = byte;
        }
        self.trouble(line, "what opens here is not closed");
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// A blank or an operator.
    Blank,
    /// `"`.
    Quote,
    /// `}`.
    Brace,
    /// The end of the text: a heredoc's body.
    Text,
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether this can name a variable.
pub fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(is_name_byte) && !text.as_bytes()[0].is_ascii_digit()
}

/// The text of a word that holds nothing but unquoted text.
pub fn plain(parts: &[Part]) -> Option<&str> {
    match parts {
        [Part::Text { text, quoted: false }] => Some(text),
        _ => None,
    }
}
