//! CODEOWNERS as GitHub reads it: who owns a path, by which line.
//! Must not know: who signs, who belongs to a team, which branch the file was read from.

use super::ids::Login;
use super::yaml::Problem;
use serde::{Deserialize, Serialize};
use std::fmt;

/// GitHub ignores a larger file altogether.
const MOST_BYTES: usize = 3 * 1024 * 1024;

/// The file's rules, in its order, and the lines that GitHub skips.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Owners {
    pub rules: Vec<OwnerRule>,
    pub problems: Vec<Problem>,
}

/// One line. The last one that matches a path counts; owners of several lines do not add up.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnerRule {
    /// As it stands in the file.
    pub pattern: String,
    /// None: the line takes the path out of everybody's hands.
    pub owners: Vec<Owner>,
    pub line: usize,
    /// Whether it matches every path, as `*` does.
    pub catch_all: bool,
    steps: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Owner {
    Login(Login),
    Team { org: String, team: String },
    Email(String),
}

/// What a login is to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// The line that counts names it.
    Named,
    /// It may be behind a team or an address of that line: only GitHub can tell.
    PerhapsByGroup,
    /// That line names others only.
    Others,
    /// No line matches, or the one that counts names nobody.
    Unowned,
}

/// A part of a pattern between slashes.
#[derive(Debug, Clone, PartialEq)]
enum Step {
    /// Any number of folders, none included.
    Deep,
    /// A name without stars.
    Name(String),
    One(Vec<Glob>),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Glob {
    /// `*`
    Some,
    /// `?`
    Any,
    Char(char),
}

impl Owner {
    /// `@login`, `@org/team` or an address; `None` for anything else.
    fn parse(word: &str) -> Option<Owner> {
        let name =
            |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
        match word.strip_prefix('@') {
            Some(rest) => match rest.split_once('/') {
                Some((org, team)) => {
                    (name(org) && name(team)).then(|| Owner::Team { org: org.to_owned(), team: team.to_owned() })
                }
                None => name(rest).then(|| Owner::Login(Login::from(rest))),
            },
            None => {
                let (user, host) = word.split_once('@')?;
                (!user.is_empty() && name(host)).then(|| Owner::Email(word.to_owned()))
            }
        }
    }

    /// Whether both are the same: case does not count.
    pub fn is(&self, other: &Owner) -> bool {
        self.to_string().eq_ignore_ascii_case(&other.to_string())
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Owner::Login(login) => write!(f, "@{login}"),
            Owner::Team { org, team } => write!(f, "@{org}/{team}"),
            Owner::Email(address) => f.write_str(address),
        }
    }
}

/// Reads the file. A line that GitHub would skip is a problem, and no rule.
pub fn parse(file: &str, text: &str) -> Owners {
    let mut out = Owners::default();
    if text.len() > MOST_BYTES {
        out.problems.push(Problem::new(file, 0, "the file is larger than 3 MB, so GitHub does not read it"));
        return out;
    }
    for (at, line) in text.strip_prefix('\u{feff}').unwrap_or(text).lines().enumerate() {
        match parse_line(line, at + 1) {
            Ok(Some(rule)) => out.rules.push(rule),
            Ok(None) => {}
            Err(why) => out.problems.push(Problem::new(file, at + 1, format!("{why}, so GitHub skips the line"))),
        }
    }
    out
}

fn parse_line(line: &str, number: usize) -> Result<Option<OwnerRule>, String> {
    let Some((pattern, rest)) = cut_pattern(line.trim()) else { return Ok(None) };
    let steps = parse_pattern(pattern)?;
    let mut owners = Vec::new();
    for word in rest.split_whitespace().take_while(|word| !word.starts_with('#')) {
        owners.push(Owner::parse(word).ok_or_else(|| format!("`{}` is no @login, @org/team or address", word.escape_debug()))?);
    }
    let catch_all = match steps.as_slice() {
        [Step::Deep, Step::One(globs), Step::Deep] => !globs.is_empty() && globs.iter().all(|glob| *glob == Glob::Some),
        _ => false,
    };
    Ok(Some(OwnerRule { pattern: pattern.to_owned(), owners, line: number, catch_all, steps }))
}

/// The pattern, up to the first space that no backslash stands before; `None` for an empty line or a comment.
fn cut_pattern(line: &str) -> Option<(&str, &str)> {
    if line.is_empty() || line.starts_with('#') {
        return None;
    }
    let mut escaped = false;
    for (at, c) in line.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c.is_whitespace() => return Some(line.split_at(at)),
            _ => {}
        }
    }
    Some((line, ""))
}

/// gitignore's patterns without `!` and `[…]`, which CODEOWNERS does not have.
fn parse_pattern(pattern: &str) -> Result<Vec<Step>, String> {
    if pattern.starts_with('!') {
        return Err("a pattern cannot be negated with `!`".to_owned());
    }
    if pattern.starts_with("\\#") {
        return Err("a pattern cannot begin with `\\#`".to_owned());
    }
    let inner = pattern.strip_prefix('/').unwrap_or(pattern);
    let (inner, folder) = inner.strip_suffix('/').map_or((inner, false), |inner| (inner, true));
    let anchored = pattern.starts_with('/') || inner.contains('/');
    if inner.is_empty() {
        return Err("the pattern names nothing".to_owned());
    }
    let parts: Vec<&str> = inner.split('/').collect();
    let mut steps = if anchored { Vec::new() } else { vec![Step::Deep] };
    for (at, part) in parts.iter().enumerate() {
        let last = at + 1 == parts.len();
        match *part {
            "" => return Err("two slashes stand next to each other".to_owned()),
            // At the end it means what lies inside.
            "**" if last => steps.extend([Step::One(vec![Glob::Some]), Step::Deep]),
            "**" => steps.push(Step::Deep),
            part => steps.push(Step::of(parse_globs(part)?)),
        }
    }
    match (folder, parts.last()) {
        (true, _) => steps.extend([Step::One(vec![Glob::Some]), Step::Deep]),
        // `docs/*` owns the files of docs, and nothing that lies deeper.
        (false, Some(&"*")) if anchored => {}
        (false, _) if matches!(steps.last(), Some(Step::Deep)) => {}
        (false, _) => steps.push(Step::Deep),
    }
    Ok(steps)
}

fn parse_globs(part: &str) -> Result<Vec<Glob>, String> {
    let mut out: Vec<Glob> = Vec::new();
    let mut chars = part.chars();
    while let Some(c) = chars.next() {
        out.push(match c {
            '\\' => Glob::Char(chars.next().ok_or("the pattern ends with a backslash")?),
            '[' | ']' => return Err("a pattern cannot hold `[` or `]`".to_owned()),
            '*' if out.last() == Some(&Glob::Some) => continue,
            '*' => Glob::Some,
            '?' => Glob::Any,
            c => Glob::Char(c),
        });
    }
    Ok(out)
}

impl Step {
    /// Nearly all parts are plain names, which are compared as a whole.
    fn of(globs: Vec<Glob>) -> Step {
        let letter = |glob: &Glob| match glob {
            Glob::Char(c) => Some(*c),
            Glob::Some | Glob::Any => None,
        };
        match globs.iter().map(letter).collect() {
            Some(name) => Step::Name(name),
            None => Step::One(globs),
        }
    }

    fn is(&self, part: &str) -> bool {
        match self {
            Step::Deep => false,
            Step::Name(name) => name == part,
            Step::One(globs) => {
                let part: Vec<char> = part.chars().collect();
                fits(globs, &part, |glob| *glob == Glob::Some, |glob, c| *glob == Glob::Any || *glob == Glob::Char(*c))
            }
        }
    }
}

/// Matches `items` against `pattern`, in which `many` stands for any number of items, with one step back at most:
/// the last `many` takes more. No pattern is slow.
fn fits<P, I>(pattern: &[P], items: &[I], many: impl Fn(&P) -> bool, one: impl Fn(&P, &I) -> bool) -> bool {
    let (mut p, mut i) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while i < items.len() {
        match pattern.get(p) {
            Some(step) if many(step) => {
                back = Some((p, i));
                p += 1;
            }
            Some(step) if one(step, &items[i]) => {
                p += 1;
                i += 1;
            }
            _ => match &mut back {
                Some((star, from)) => {
                    *from += 1;
                    (p, i) = (*star + 1, *from);
                }
                None => return false,
            },
        }
    }
    pattern.get(p..).is_some_and(|rest| rest.iter().all(many))
}

fn parts(path: &str) -> Vec<&str> {
    path.trim_start_matches('/').split('/').collect()
}

impl OwnerRule {
    /// Whether the pattern matches a file's path, which is written from the repository's root.
    pub fn matches(&self, path: &str) -> bool {
        self.fits(&parts(path))
    }

    fn fits(&self, parts: &[&str]) -> bool {
        fits(&self.steps, parts, |step| matches!(step, Step::Deep), |step, part| step.is(part))
    }

    /// Whether one of the owners is this account, by name.
    pub fn names(&self, login: &Login) -> bool {
        self.owners.iter().any(|owner| matches!(owner, Owner::Login(own) if own.is(login)))
    }
}

impl Owners {
    /// The line that counts for a path.
    pub fn rule_of(&self, path: &str) -> Option<&OwnerRule> {
        let parts = parts(path);
        self.rules.iter().rev().find(|rule| rule.fits(&parts))
    }

    /// What a login is to a path. A login may start with `@`.
    pub fn standing(&self, login: &Login, path: &str) -> Standing {
        let login = plain(login);
        match self.rule_of(path) {
            None => Standing::Unowned,
            Some(rule) if rule.owners.is_empty() => Standing::Unowned,
            Some(rule) if rule.names(&login) => Standing::Named,
            Some(rule) if rule.owners.iter().any(|owner| !matches!(owner, Owner::Login(_))) => Standing::PerhapsByGroup,
            Some(_) => Standing::Others,
        }
    }

    /// Whether any line names this account.
    pub fn lists(&self, login: &Login) -> bool {
        let login = plain(login);
        self.rules.iter().any(|rule| rule.names(&login))
    }
}

fn plain(login: &Login) -> Login {
    Login::from(login.as_str().trim_start_matches('@'))
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rule(pattern: &str) -> OwnerRule {
        let owners = parse("CODEOWNERS", &format!("{pattern} @o"));
        owners.rules.into_iter().next().unwrap_or_else(|| panic!("{pattern}: {:?}", owners.problems))
    }

    #[test]
    fn patterns_match_as_github_documents_them() {
        let table: [(&str, &[&str], &[&str]); 21] = [
            ("*", &["a", "a/b/c.rs"], &[]),
            ("**", &["a", "a/b/c.rs"], &[]),
            ("/**", &["a", "a/b"], &[]),
            ("*.js", &["a.js", "x/y/a.js", "x.js/deep"], &["a.jsx", "a.JS", "js"]),
            ("/build/logs/", &["build/logs/a", "build/logs/a/b"], &["build/logs", "x/build/logs/a"]),
            ("docs/*", &["docs/a.md"], &["docs/b/a.md", "docs", "x/docs/a.md"]),
            ("apps/", &["apps/a", "x/apps/a/b"], &["apps", "xapps/a"]),
            ("/docs/", &["docs/a", "docs/b/c"], &["x/docs/a"]),
            ("/scripts/", &["scripts/a"], &["scripts"]),
            ("**/logs", &["logs", "logs/a", "build/logs/a", "deeply/nested/logs/a"], &["logs2/a", "build/log/a"]),
            ("/apps/github", &["apps/github", "apps/github/x"], &["apps/githubx", "y/apps/github"]),
            ("a/**/z.rs", &["a/z.rs", "a/b/z.rs", "a/b/c/z.rs"], &["z.rs", "b/a/z.rs", "a/xz.rs"]),
            ("a/**", &["a/b", "a/b/c"], &["a", "x/a/b"]),
            ("file?.txt", &["file1.txt", "x/fileé.txt"], &["file.txt", "file12.txt", "file/.txt"]),
            (r"my\ file.txt", &["my file.txt", "x/my file.txt"], &["my", r"my\ file.txt"]),
            (r"a\*b", &["a*b"], &["axb"]),
            ("conf/x.yaml", &["conf/x.yaml"], &["y/conf/x.yaml", "conf/X.yaml"]),
            ("name", &["name", "a/name", "a/name/b"], &["names", "a/aname"]),
            ("/*", &["a"], &["a/b"]),
            ("a*b*c", &["abc", "axbxxbc", "d/abbc/e"], &["ab", "acb"]),
            ("foo**bar", &["foobar", "foo-x-bar"], &["foo/bar"]),
        ];
        for (pattern, yes, no) in table {
            let rule = rule(pattern);
            for path in yes {
                assert!(rule.matches(path), "{pattern} should match {path}");
            }
            for path in no {
                assert!(!rule.matches(path), "{pattern} should not match {path}");
            }
        }
        let all: Vec<&str> = ["*", "**", "/**", "/*", "a/**", "*.js"].into_iter().filter(|p| rule(p).catch_all).collect();
        assert_eq!(all, ["*", "**"]);
    }

    #[test]
    fn lines_hold_logins_teams_addresses_comments_and_nobody() {
        let text = "\u{feff}# head\r\n\r\n*   @Org/Core\t@one two@x.org # why @not\r\n/none/\r\n  a\\ b @Three  \n";
        let owners = parse("CODEOWNERS", text);
        assert_eq!(owners.problems, []);
        let told: Vec<(usize, &str, String)> = owners
            .rules
            .iter()
            .map(|rule| {
                let names: Vec<String> = rule.owners.iter().map(Owner::to_string).collect();
                (rule.line, rule.pattern.as_str(), names.join(" "))
            })
            .collect();
        assert_eq!(
            told,
            [(3, "*", "@Org/Core @one two@x.org".into()), (4, "/none/", String::new()), (5, r"a\ b", "@Three".into())]
        );
        let of = |login: &str, path: &str| owners.standing(&Login::from(login), path);
        assert_eq!(of("@ONE", "x"), Standing::Named);
        assert_eq!(of("other", "x"), Standing::PerhapsByGroup);
        assert_eq!(of("one", "none/x"), Standing::Unowned);
        assert_eq!(of("one", "a b"), Standing::Others);
        assert_eq!(of("three", "a b"), Standing::Named);
        assert_eq!(parse("f", "").standing(&Login::from("one"), "x"), Standing::Unowned);
        assert!(owners.lists(&Login::from("@three")) && !owners.lists(&Login::from("core")));
        let team = |text| Owner::parse(text).unwrap();
        assert!(team("@Org/Core").is(&team("@org/core")) && !team("@org/core").is(&team("@org")));
    }

    #[test]
    fn what_github_skips_is_told_with_its_line() {
        let table = [
            ("!a @o", "negated"),
            ("a[bc] @o", "`[`"),
            (r"\#a @o", r"`\#`"),
            ("a//b @o", "two slashes"),
            ("/ @o", "names nothing"),
            (r"a\", "backslash"),
            ("[Section]", "`[`"),
            ("a owner", "`owner` is no @login"),
            ("a @o @", "`@` is no"),
            ("a @o/", "`@o/` is no"),
            ("a @o/t/x", "is no @login"),
            ("a @o,@p", "is no @login"),
        ];
        for (line, word) in table {
            let owners = parse("CODEOWNERS", &format!("* @all\n{line}\n"));
            assert_eq!(owners.rules.len(), 1, "{line}");
            let problem = owners.problems.first().unwrap_or_else(|| panic!("{line}"));
            assert!(problem.line == 2 && problem.message.contains(word), "{line}: {problem}");
        }
        let huge = parse("CODEOWNERS", &"# \n".repeat(MOST_BYTES));
        assert!(huge.rules.is_empty() && huge.problems.len() == 1);
    }

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn the_last_match_wins_in_the_real_file() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/corpus/inferencex/2026-08/.github/CODEOWNERS");
        let owners = parse("CODEOWNERS", &std::fs::read_to_string(path).unwrap());
        assert_eq!((owners.rules.len(), owners.problems.len()), (6, 0));
        let table = [
            ("perf-changelog.yaml", 1, true, 1),
            ("configs/amd-master.yaml", 4, false, 5),
            ("configs/nvidia-master.yaml", 7, false, 3),
            ("x/configs/nvidia-master.yaml", 1, true, 1),
            ("docs/MODELS.md", 10, false, 3),
            ("experimental/operatorx/a/b.py", 14, false, 1),
            ("experimental/operatorx", 1, true, 1),
        ];
        for (path, line, catch_all, count) in table {
            let rule = owners.rule_of(path).unwrap();
            assert_eq!((rule.line, rule.catch_all, rule.owners.len()), (line, catch_all, count), "{path}");
        }
        let amd = owners.rule_of("configs/amd-master.yaml").unwrap();
        let Owner::Login(signer) = &amd.owners[0] else { panic!() };
        assert_eq!(owners.standing(signer, "configs/amd-master.yaml"), Standing::Named);
        // A team stands there too, and only GitHub knows who is in it.
        assert_eq!(owners.standing(signer, "configs/nvidia-master.yaml"), Standing::PerhapsByGroup);
        assert_eq!(owners.standing(signer, "experimental/operatorx/a"), Standing::Others);
        assert!(owners.lists(signer));
    }

    proptest! {
        #[test]
        fn nothing_panics_and_every_line_is_a_rule_a_problem_or_nothing(text in "[a-c*?/\\\\@ #\\[\\]!.\n\u{e9}]{0,80}", path in "[a-c/ ]{0,12}") {
            let owners = parse("f", &text);
            prop_assert!(owners.rules.len() + owners.problems.len() <= text.lines().count());
            if let Some(rule) = owners.rule_of(&path) {
                prop_assert!(owners.rules.iter().filter(|other| other.line > rule.line).all(|other| !other.matches(&path)));
            }
        }

        #[test]
        fn a_plain_name_matches_itself_and_what_lies_inside(name in "[a-z]{1,6}", above in "[a-z]{1,6}") {
            let rule = rule(&name);
            let (deep, inside) = (format!("{above}/{name}"), format!("{name}/{above}"));
            prop_assert!(rule.matches(&name) && rule.matches(&deep) && rule.matches(&inside));
            let other = format!("{name}0");
            prop_assert!(!rule.matches(&other));
        }
    }
}
