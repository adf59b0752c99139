//! A Markdown page as rows of tables, headings and paragraphs, each with its line.
//! Must not know: what the page is about.

/// One block that matters.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Block {
    Heading {
        level: usize,
        text: String,
        line: usize,
    },
    Table(Table),
    /// Lines up to the next empty one.
    Paragraph {
        text: String,
        line: usize,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Table {
    /// Of its head.
    pub line: usize,
    pub head: Vec<String>,
    pub rows: Vec<Row>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    pub line: usize,
    cells: Vec<String>,
}

impl Table {
    /// The column with this head, by its words.
    pub(super) fn column(&self, name: &str) -> Option<usize> {
        self.head.iter().position(|head| plain(head).eq_ignore_ascii_case(name))
    }
}

impl Row {
    /// As written; empty where the row is too short.
    pub(super) fn cell(&self, column: usize) -> &str {
        self.cells.get(column).map_or("", String::as_str)
    }
}

/// Cuts the page. Fenced code is no text.
pub(super) fn blocks(text: &str) -> Vec<Block> {
    let mut out: Vec<Block> = Vec::new();
    let (mut fence, mut open) = (None, false);
    let lines: Vec<&str> = text.strip_prefix('\u{feff}').unwrap_or(text).lines().collect();
    for (at, full) in lines.iter().enumerate() {
        let (line, text) = (at + 1, full.trim());
        let mark = ["```", "~~~"].into_iter().find(|mark| text.starts_with(mark));
        if fence.is_some() || mark.is_some() {
            fence = match (fence, mark) {
                (None, mark) => mark,
                (Some(open), Some(mark)) if open == mark => None,
                (still, _) => still,
            };
            open = false;
        } else if text.is_empty() {
            open = false;
        } else if let Some((level, heading)) = heading(full) {
            out.push(Block::Heading { level, text: plain(heading), line });
            open = false;
        } else if let (true, Some(Block::Table(table))) = (open && text.starts_with('|'), out.last_mut()) {
            if !is_rule(text) {
                table.rows.push(Row { line, cells: cells(text) });
            }
        } else if text.starts_with('|') && lines.get(at + 1).is_some_and(|next| is_rule(next.trim())) {
            out.push(Block::Table(Table { line, head: cells(text), rows: Vec::new() }));
            open = true;
        } else if let (true, Some(Block::Paragraph { text: so_far, .. })) = (open, out.last_mut()) {
            so_far.push(' ');
            so_far.push_str(text);
        } else {
            out.push(Block::Paragraph { text: text.to_owned(), line });
            open = true;
        }
    }
    out
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    ((1..=6).contains(&level) && rest.starts_with(' ')).then(|| (level, rest.trim()))
}

/// `|---|:--:|`
fn is_rule(text: &str) -> bool {
    text.starts_with('|') && text.contains('-') && text.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}

fn cells(text: &str) -> Vec<String> {
    let inner = text.strip_prefix('|').unwrap_or(text);
    let mut out = vec![String::new()];
    let mut chars = inner.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, out.last_mut()) {
            ('\\', Some(cell)) if chars.next_if_eq(&'|').is_some() => cell.push('|'),
            ('|', _) => out.push(String::new()),
            (c, Some(cell)) => cell.push(c),
            (_, None) => {}
        }
    }
    if inner.ends_with('|') {
        out.pop();
    }
    out.iter().map(|cell| cell.trim().to_owned()).collect()
}

/// Without emphasis, code marks, footnotes and the targets of links.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let note = rest.strip_prefix("[^").and_then(|note| note.split_once(']'));
        let target = rest.strip_prefix("](").and_then(|target| target.split_once(')'));
        rest = match (note, target) {
            (Some((_, after)), _) | (_, Some((_, after))) => after,
            _ => {
                if !matches!(c, '*' | '`' | '[') {
                    out.push(c);
                }
                &rest[c.len_utf8()..]
            }
        };
    }
    out.trim().to_owned()
}

/// The words in code marks: `` `glm5`, `glm5.1` `` holds two.
pub(super) fn code_words(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).map(str::trim).filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_page_is_headings_tables_and_paragraphs_with_their_lines() {
        let text = "\u{feff}## A *b*\r\n\r\none\r\ntwo\r\n\r\n| H | `x` |\r\n|---|:-:|\r\n| a \\| b | [c](d)[^1] |\r\n| short |\r\ntail\r\n```\r\n| no | no |\r\n|---|---|\r\n```\r\n#no\r\n| no rule |\r\n";
        let blocks = blocks(text);
        assert_eq!(blocks[0], Block::Heading { level: 2, text: "A b".into(), line: 1 });
        assert_eq!(blocks[1], Block::Paragraph { text: "one two".into(), line: 3 });
        let Block::Table(table) = &blocks[2] else { panic!("{blocks:?}") };
        assert_eq!((table.line, table.column("X"), table.column("y"), table.rows.len()), (6, Some(1), None, 2));
        assert_eq!((table.rows[0].cell(0), plain(table.rows[0].cell(1)).as_str(), table.rows[0].line), ("a | b", "c", 8));
        assert_eq!((table.rows[1].cell(0), table.rows[1].cell(1)), ("short", ""));
        assert_eq!(blocks[3], Block::Paragraph { text: "tail".into(), line: 10 });
        assert_eq!(blocks[4], Block::Paragraph { text: "#no | no rule |".into(), line: 15 });
        assert_eq!(blocks.len(), 5);
        assert_eq!(code_words("(`a`, ` b`) and `c"), ["a", "b", "c"]);
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "[|a`*\\[\\]()^#~\\-: \\\\\n\u{e9}]{0,80}") {
            for block in blocks(&text) {
                if let Block::Table(table) = block {
                    prop_assert!(table.rows.iter().all(|row| row.line > table.line));
                }
            }
            let _ = (plain(&text), code_words(&text));
        }
    }
}
