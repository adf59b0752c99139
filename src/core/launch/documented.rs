//! Commands as documentation states them: flags in fenced blocks, in lists of quoted arguments and between words.
//! Must not know: which flags matter; where the text was read.

use super::{Command, Setting, Value, When, flag_name, spread_json};

/// What a page states is a server's, whatever runs it.
const ROLE: &str = "server";
/// Flags of one text that are read; a page of a hundred deployments has about a thousand.
const MAX_FLAGS: usize = 5_000;
const MAX_VALUE: usize = 2_000;

/// A line of the text, and its number.
pub type Line<'a> = (usize, &'a str);

/// Reads the commands of some lines of a text: lines that follow each other and hold flags are one command. A comment
/// states nothing, and a value that a reader is to fill in is open.
pub fn read<'a>(lines: impl IntoIterator<Item = Line<'a>>) -> Vec<Command> {
    let mut out: Vec<Command> = Vec::new();
    // The command that goes on, and the number of its last line.
    let mut open: Option<usize> = None;
    let mut flags = 0;
    for (number, line) in lines {
        let follows = open.is_some_and(|last| last + 1 == number);
        open = None;
        let text = line.trim();
        if text.starts_with("//") || text.starts_with('#') || flags >= MAX_FLAGS {
            continue;
        }
        let (item, is_item) = item(text);
        // `- "--kv-cache-dtype"`, and its value on the next line.
        if let Some(flag) = out.last_mut().filter(|_| follows && is_item).and_then(|command| command.flags.last_mut())
            && flag.value == Value::Bare
            && flag.line + 1 == number
            && !item.starts_with('-')
            && !item.is_empty()
        {
            flag.value = value(item);
            open = Some(number);
            continue;
        }
        let found = in_line(item, number);
        flags += found.len();
        let continued = text.ends_with('\\');
        if found.is_empty() && !continued {
            continue;
        }
        open = Some(number);
        match out.last_mut().filter(|_| follows) {
            Some(command) => command.flags.extend(found),
            None => out.push(Command {
                role: ROLE.to_owned(),
                program: String::new(),
                flags: found,
                env: Vec::new(),
                line: number,
                when: When::Always,
                open: Vec::new(),
            }),
        }
    }
    out.retain(|command| !command.flags.is_empty());
    out.iter_mut().for_each(|command| spread_json(&mut command.flags));
    out
}

/// A line without what makes it an item of a list: a dash, quotes around all of it, a comma or a backslash behind it.
fn item(line: &str) -> (&str, bool) {
    let bare = line.trim_end_matches(['\\', ',', ' ', '\t']);
    let (bare, dashed) = bare.strip_prefix("- ").map_or((bare, false), |rest| (rest.trim(), true));
    for quote in ['"', '\'', '`'] {
        if let Some(inside) = bare.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote))
            && !inside.contains(quote)
        {
            return (inside.trim(), true);
        }
    }
    (bare, dashed)
}

/// Every flag of a line with its value.
fn in_line(line: &str, number: usize) -> Vec<Setting> {
    let mut out = Vec::new();
    let mut rest = line;
    let mut before = None;
    while let Some(c) = rest.chars().next() {
        let begins = before.is_none_or(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '[' | '(' | ','));
        let name = if begins { written_name(rest) } else { "" };
        if name.is_empty() {
            before = Some(c);
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
            continue;
        }
        let after = rest.get(name.len()..).unwrap_or_default();
        let (text, left) = match after.strip_prefix('=') {
            Some(after) => taken(after, before),
            // Only a blank parts a flag from its value: a quote or a comma ends it.
            None if after.starts_with([' ', '\t']) => taken(after.trim_start(), before),
            None => ("", after),
        };
        // What follows a flag may be the next one, or no word of this command.
        let is_value = !text.is_empty() && written_name(text).is_empty() && !text.starts_with(['&', '|', ';', '>', '\\']);
        let held = if is_value { value(text) } else { Value::Bare };
        out.push(Setting::new(flag_name(name), held, number, When::Always));
        (rest, before) = if is_value { (left, Some(' ')) } else { (after, name.chars().last()) };
    }
    out
}

/// `--kv-cache-dtype`, `-tp`: the flag that a text begins with. One letter behind one dash is another program's.
fn written_name(text: &str) -> &str {
    let dashes = text.bytes().take_while(|byte| *byte == b'-').count();
    let rest = text.get(dashes..).unwrap_or_default();
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let length = rest.find(|c| !fits(c)).unwrap_or(rest.len());
    let name = rest.get(..length).unwrap_or_default().trim_end_matches(['.', '-']);
    let whole = match dashes {
        1 => name.len() >= 2 && name.bytes().all(|byte| byte.is_ascii_lowercase()),
        2 => name.starts_with(|c: char| c.is_ascii_alphabetic()),
        _ => false,
    };
    if whole { text.get(..dashes + name.len()).unwrap_or_default() } else { "" }
}

/// A value and what stands behind it. A quote that opened the flag closes it; any other belongs to the value.
fn taken(text: &str, opened: Option<char>) -> (&str, &str) {
    if let Some(quote) = text.chars().next().filter(|c| matches!(c, '\'' | '"') && Some(*c) != opened) {
        let inside = text.get(1..).unwrap_or_default();
        let end = inside.find(quote).unwrap_or(inside.len());
        return (inside.get(..end).unwrap_or_default(), inside.get(end + 1..).unwrap_or_default());
    }
    let mut depth = 0usize;
    let end = text.find(|c: char| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (c.is_whitespace() || matches!(c, '`' | '"' | '\'' | ',' | ')' | ']'))
    });
    text.split_at(end.unwrap_or(text.len()))
}

/// What a reader is to fill in has no value: `{{MODEL}}`, `$TP`, `<path>`.
fn value(text: &str) -> Value {
    let text = text.trim_end_matches(['.', ';', ':']);
    let text = if text.len() > MAX_VALUE { "…" } else { text };
    let open = text.contains("{{") || text.contains('$') || text.contains('…') || text.contains("...");
    if open || text.starts_with('<') { Value::Unknown(text.to_owned()) } else { Value::Text(text.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn told(text: &str) -> Vec<Vec<String>> {
        let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line));
        read(lines).iter().map(|command| command.flags.iter().map(Setting::render_flag).collect()).collect()
    }

    #[test]
    fn commands_are_read_in_every_form_in_which_pages_state_them() {
        let table: [(&str, &[&[&str]]); 10] = [
            // A fenced command, twice.
            (
                "```bash\nvllm serve o/M \\\n  --tensor-parallel-size 8 \\\n  -dp 2 \\\n  --enable-expert-parallel\n```\ntext\nvllm serve x --tp=4 -v\n",
                &[&["--tensor-parallel-size 8", "--dp 2", "--enable-expert-parallel"], &["--tp 4"]],
            ),
            // Cells of a page's script.
            (
                "  flags: [\n    \"--model-path {{NAME}}\",\n    \"--tp 8\",\n    \"--enable-dp-attention\",\n  ],\n}, {\n  flags: [\n    \"--tp 4\",\n",
                &[&["--model-path {{NAME}}", "--tp 8", "--enable-dp-attention"], &["--tp 4"]],
            ),
            ("{ id: \"x\", flags: [\"--moe-a2a-backend deepep\", '--ep 2'] },", &[&["--moe-a2a-backend deepep", "--ep 2"]]),
            // A list of arguments.
            (
                "extra_args:\n  - \"--kv-cache-dtype\"\n  - \"fp8\"\n  - \"--async-scheduling\"\n  - \"--quantization\"\n  - \"ascend\"\n",
                &[&["--kv-cache-dtype fp8", "--async-scheduling", "--quantization ascend"]],
            ),
            (
                "- \"--speculative-config\"\n- '{\"method\":\"mtp\",\"num_speculative_tokens\":3}'",
                &[&[
                    "--speculative-config {\"method\":\"mtp\",\"num_speculative_tokens\":3}",
                    "--speculative-config.method mtp",
                    "--speculative-config.num-speculative-tokens 3",
                ]],
            ),
            // Between words.
            (
                "Use `--attention-backend aiter`, which needs `--page-size 16`.",
                &[&["--attention-backend aiter", "--page-size 16"]],
            ),
            ("--opt='{\"a\": 1, \"b\": 2}' --next", &[&["--opt {\"a\": 1, \"b\": 2}", "--next", "--opt.a 1", "--opt.b 2"]]),
            ("--tp 2 --ep 2", &[&["--tp 2", "--ep 2"]]),
            // No flags.
            ("// --tp 8\n# --tp 8\n---\n| --- | --- |\n-x\na--b\nwell -- known\n-Wall", &[]),
            ("--tp $TP & --ep > log", &[&["--tp $TP", "--ep"]]),
        ];
        for (text, want) in table {
            assert_eq!(told(text), want, "{text}");
        }
    }

    #[test]
    fn lines_that_do_not_follow_each_other_are_not_one_command() {
        let all = read([(3, "--tp 8 \\"), (9, "--ep 2")]);
        assert_eq!(all.iter().map(|command| (command.line, command.flags.len())).collect::<Vec<_>>(), [(3, 1), (9, 1)]);
        assert_eq!(read([(1, "- \"--kv-cache-dtype\""), (5, "- \"fp8\"")])[0].flags[0].value, Value::Bare);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(?s)[ -~é…\n\t`'\"{}-]{0,200}") {
            let _ = told(&text);
        }
    }
}
