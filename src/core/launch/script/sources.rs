//! Files that a script takes over: where they lie, and their commands in place of the line that names them.
//! Must not know: rules, where texts come from.

use super::super::Sourced;
use super::*;

/// Sourced files that are told of one script.
const MAX_SOURCES: usize = 50;

impl Reader<'_> {
    /// `source FILE`: reads it in place where it is at hand, else remembers it.
    pub(super) fn source(&mut self, words: &[Item], line: usize) {
        let Some(word) = words.first().filter(|_| !self.everything) else { return };
        let written = word.value.to_string();
        // A heredoc of the script itself wrote it.
        if let Some((body, _)) = self.files.get(&written).cloned() {
            return self.take_over(&written, &body, line);
        }
        let is_end = |path: &str, end: &str| path.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
        if self.policy.harness.iter().any(|end| is_end(&written, end)) {
            return;
        }
        let paths = places(&self.launch.path, self.within.last().unwrap_or(&self.launch.path), &written);
        if paths.iter().any(|path| self.policy.harness.iter().any(|end| is_end(path, end))) {
            return;
        }
        let library = self.library;
        let held = paths.iter().find_map(|path| Some((path, library?.get(path)?)));
        match held {
            // Whoever sources itself in a circle is read once.
            Some((path, _)) if self.within.contains(path) || *path == self.launch.path => {}
            Some((path, text)) => self.take_over(path, text, line),
            None => {
                let known = self.launch.sources.iter().any(|source| source.written == written && source.paths == paths);
                if !known && self.launch.sources.len() < MAX_SOURCES {
                    self.launch.sources.push(Sourced { written, line, paths });
                }
            }
        }
    }

    fn take_over(&mut self, path: &str, text: &str, line: usize) {
        if self.depth >= MAX_DEPTH {
            return self.trouble(line, "nested too deeply to be followed");
        }
        self.spend(text.len() / 64);
        let mut lexed = lex::lex(text, 1);
        for (number, what) in std::mem::take(&mut lexed.problems) {
            self.trouble(line, format!("{path}:{number}: {what}"));
        }
        stand_on(&mut lexed, line);
        self.within.push(path.to_owned());
        let dead = self.dead;
        self.call(&Function { code: Rc::new(lexed), at: 0, foreign: true }, true);
        // A `return` ends that file only.
        self.dead = dead;
        self.within.pop();
    }
}

/// Puts everything on one line: the one of the script that takes it over.
fn stand_on(lexed: &mut Lexed, line: usize) {
    fn all(tokens: &mut [Token], line: usize) {
        for token in tokens {
            token.line = line;
            if let Kind::Array { items, .. } = &mut token.kind {
                all(items, line);
            }
        }
    }
    all(&mut lexed.tokens, line);
    for heredoc in &mut lexed.heredocs {
        (heredoc.line, heredoc.end) = (line, line);
    }
}

/// Where a sourced file may lie in the repository. `$0` is the script, `$BASH_SOURCE` the file that the line stands in.
fn places(script: &str, file: &str, written: &str) -> Vec<String> {
    let folder = |path: &str| path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
    if let Some((of_file, up, rest)) = own_folder(written) {
        let base = folder(if of_file { file } else { script });
        return joined(&format!("{base}{up}"), rest).into_iter().collect();
    }
    if written.is_empty() || written.starts_with(['/', '~']) || written.contains(['$', '`', '*', '?', ' ']) {
        return Vec::new();
    }
    // Where the script is started from is not told: beside it, or at the top.
    let mut out: Vec<String> = [folder(file), String::new()].iter().filter_map(|base| joined(base, written)).collect();
    out.dedup();
    out
}

/// A path that begins with the folder of the script or of the file: whether it is the file's, how far up from there, and
/// the rest.
fn own_folder(written: &str) -> Option<(bool, String, &str)> {
    let of_file = |text: &str| text.contains("BASH_SOURCE");
    let names = |text: &str| of_file(text) || text.contains("$0") || text.contains("${0");
    if let Some(inner) = written.strip_prefix("${") {
        // `${BASH_SOURCE[0]%/*}`.
        let (inner, rest) = inner.split_once('}')?;
        let is_own = inner.strip_suffix("%/*").is_some_and(|name| name == "0" || name.starts_with("BASH_SOURCE"));
        return is_own.then(|| (of_file(inner), String::new(), rest));
    }
    let inner = written.strip_prefix("$(")?;
    let mut depth = 1usize;
    let end = inner.find(|c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    })?;
    let (inner, rest) = inner.split_at(end);
    let dirnames = inner.matches("dirname").count();
    if dirnames == 0 || !names(inner) {
        return None;
    }
    // `$(cd "$(dirname "$0")/.." && pwd)`: what follows the inner one climbs on.
    let tail = inner.rsplit_once(')').map_or("", |(_, tail)| tail);
    let tail = tail.split(['"', '\'', ' ', '&', ';']).next().unwrap_or_default();
    let tail = if tail.starts_with('/') { tail } else { "" };
    Some((of_file(inner), format!("{}{tail}", "/..".repeat(dirnames - 1)), rest.get(1..).unwrap_or_default()))
}

/// A path without `.` and `..`; `None` where it leaves the repository.
fn joined(base: &str, path: &str) -> Option<String> {
    let mut out: Vec<&str> = Vec::new();
    for part in base.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(out.pop()?),
            part => out.push(part),
        }
    }
    (!out.is_empty()).then(|| out.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sourced_file_is_found_beside_its_script() {
        let own = |path: &str| vec![path.to_owned()];
        let table = [
            ("$(dirname \"$0\")/common.sh", own("a/b/common.sh")),
            ("$(dirname \"$0\")/../../lib/x.sh", own("lib/x.sh")),
            ("$(dirname \"${BASH_SOURCE[0]}\")/x.sh", own("c/x.sh")),
            ("$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)/x.sh", own("c/x.sh")),
            ("$(cd \"$(dirname \"$0\")/..\" && pwd)/x.sh", own("a/x.sh")),
            ("$(dirname \"$(dirname \"$0\")\")/x.sh", own("a/x.sh")),
            ("${BASH_SOURCE[0]%/*}/x.sh", own("c/x.sh")),
            ("${0%/*}/x.sh", own("a/b/x.sh")),
            ("./lib.sh", vec!["c/lib.sh".to_owned(), "lib.sh".to_owned()]),
            ("lib.sh", vec!["c/lib.sh".to_owned(), "lib.sh".to_owned()]),
            ("../lib.sh", vec!["lib.sh".to_owned()]),
            ("../../../lib.sh", vec![]),
            ("$(dirname \"$0\")/../../../x.sh", vec![]),
            ("/opt/venv/bin/activate", vec![]),
            ("~/x", vec![]),
            ("$HOME/x.sh", vec![]),
            ("$(git rev-parse --show-toplevel)/x.sh", vec![]),
            ("$(dirname \"$X\")/x.sh", vec![]),
            ("$(", vec![]),
            ("", vec![]),
        ];
        for (written, want) in table {
            assert_eq!(places("a/b/s.sh", "c/f.sh", written), want, "{written}");
        }
    }
}
