//! Markdown as rows of a terminal: what GitHub's page would show, calm, gated and wrapped.
//! Must not know: colours or the screen; a row is pieces of text with a role.
//!
//! A line end inside a paragraph breaks the row, as GitHub does in comments. What GitHub hides is not hidden: tags stay,
//! a comment leaves `<!-- … -->`, a link shows where it leads unless its text says so.

use super::dialect;
use super::table::Table;
use crate::core::text::role::TextRole;
use crate::core::text::{gate, width, wrap};
use pulldown_cmark::{BlockQuoteKind, Event, Parser, Tag, TagEnd};

/// One row. Neighbouring spans differ in role; a blank row has none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row {
    pub spans: Vec<(String, TextRole)>,
}

impl Row {
    /// Adds text, joined with the last span if the role is the same.
    pub fn push(&mut self, text: &str, role: TextRole) {
        match self.spans.last_mut() {
            _ if text.is_empty() => {}
            Some((last, same)) if *same == role => last.push_str(text),
            _ => self.spans.push((text.to_owned(), role)),
        }
    }

    /// The row without roles.
    pub fn text(&self) -> String {
        self.spans.iter().map(|(text, _)| text.as_str()).collect()
    }
}

/// What stands for an HTML comment.
const COMMENT: &str = "<!-- … -->";

/// Columns before a code block's lines.
const CODE_INDENT: &str = "  ";

/// Quotes and items that are told apart; a stranger can nest tens of thousands, and every row pays for each.
const MAX_FRAMES: usize = 64;

/// Quotes and items that one line may open. The parser's time grows with their number times the lines behind, so a text
/// with more is shown as it stands.
const MAX_NESTING: usize = 100;

/// Rows of at most `cols` columns, unless a single grapheme is wider.
pub fn render_rows(markdown: &str, cols: usize) -> Vec<Row> {
    let mut page = Page::new(cols.max(1));
    if markdown.lines().any(|line| nesting(line) > MAX_NESTING) {
        for line in markdown.lines() {
            page.push(line, TextRole::Plain);
            page.break_row();
        }
        return page.rows;
    }
    for event in Parser::new_ext(markdown, dialect()) {
        page.event(event);
    }
    page.break_row();
    page.rows
}

/// Something that indents all rows inside it.
enum Frame {
    Quote,
    Item {
        /// Bullet, number or box: shown before the first row, then used up.
        marker: Row,
        indent: usize,
    },
}

struct Page {
    cols: usize,
    rows: Vec<Row>,
    frames: Vec<Frame>,
    /// Frames around that are not kept: [`MAX_FRAMES`] are.
    deeper: usize,
    /// Number of the next item, per list around; `None` for bullets.
    lists: Vec<Option<u64>>,
    roles: Vec<TextRole>,
    /// The row being written, not wrapped yet.
    line: Row,
    /// The links around: address, and the text shown for it so far.
    links: Vec<(String, String)>,
    /// Whether a blank row parts the next row from what stands above, and inside how many frames that ended.
    gap: Option<usize>,
    /// Contents of a code or HTML block, taken whole.
    block: Option<String>,
    table: Option<Table>,
}

impl Page {
    fn new(cols: usize) -> Page {
        Page {
            cols,
            rows: Vec::new(),
            frames: Vec::new(),
            deeper: 0,
            lists: Vec::new(),
            roles: Vec::new(),
            line: Row::default(),
            links: Vec::new(),
            gap: None,
            block: None,
            table: None,
        }
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Html(text) => match &mut self.block {
                Some(block) => block.push_str(&text),
                None => self.push(&text, self.role()),
            },
            Event::Code(text) => self.push(&text, TextRole::Code),
            Event::InlineMath(text) | Event::DisplayMath(text) => self.push(&text, TextRole::Code),
            Event::InlineHtml(html) if html.starts_with("<!--") => self.push(COMMENT, TextRole::Hidden),
            Event::InlineHtml(html) if is_break(&html) && self.table.is_some() => self.push(" ", self.role()),
            Event::InlineHtml(html) if is_break(&html) => self.break_row(),
            Event::InlineHtml(html) => self.push(&html, TextRole::Hidden),
            Event::FootnoteReference(label) => self.push(&format!("[^{label}]"), TextRole::Mark),
            Event::SoftBreak | Event::HardBreak => self.break_row(),
            Event::Rule => {
                let cols = self.room();
                self.line.push(&"─".repeat(cols), TextRole::Mark);
                self.end_block();
            }
            Event::TaskListMarker(ticked) => self.box_of(ticked),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.break_row(),
            Tag::Heading { .. } => {
                self.break_row();
                self.part();
                self.roles.push(TextRole::Heading);
            }
            Tag::BlockQuote(kind) => {
                self.break_row();
                self.open(Frame::Quote);
                if let Some(name) = kind.map(alert) {
                    self.line.push(name, TextRole::Strong);
                    self.break_row();
                }
            }
            Tag::CodeBlock(_) | Tag::HtmlBlock => {
                self.break_row();
                self.block = Some(String::new());
            }
            Tag::List(first) => {
                self.break_row();
                self.lists.push(first);
            }
            Tag::Item => {
                self.break_row();
                let marker = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        let text = format!("{number}. ");
                        *number = number.saturating_add(1);
                        text
                    }
                    _ => "• ".to_owned(),
                };
                self.push_item(&marker);
            }
            Tag::FootnoteDefinition(label) => {
                self.break_row();
                let label = gate::line(&label).into_owned();
                self.push_item(&format!("[^{}]: ", width::clip(&label, 12)));
            }
            Tag::Table(alignments) => {
                self.break_row();
                self.table = Some(Table::new(alignments));
            }
            Tag::TableHead => self.roles.push(TextRole::Heading),
            Tag::Emphasis => self.roles.push(TextRole::Emphasis),
            Tag::Strong => self.roles.push(TextRole::Strong),
            Tag::Strikethrough => self.roles.push(TextRole::Strikethrough),
            Tag::Link { dest_url, .. } => {
                self.links.push((dest_url.into_string(), String::new()));
                self.roles.push(TextRole::Link);
            }
            Tag::Image { dest_url, .. } => {
                self.push("image: ", TextRole::Mark);
                self.links.push((dest_url.into_string(), String::new()));
                self.roles.push(TextRole::Link);
            }
            Tag::TableRow
            | Tag::TableCell
            | Tag::Superscript
            | Tag::Subscript
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::MetadataBlock(_) => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => self.end_block(),
            TagEnd::Heading(_) => {
                self.roles.pop();
                self.end_block();
            }
            TagEnd::BlockQuote(_) => {
                self.break_row();
                self.close();
                self.part();
            }
            TagEnd::CodeBlock => {
                for line in gate::multi(&self.block.take().unwrap_or_default()) {
                    for part in wrap::fill(&line, self.room().saturating_sub(CODE_INDENT.len()).max(1)) {
                        let mut row = self.prefix();
                        row.push(CODE_INDENT, TextRole::Plain);
                        row.push(line.get(part).unwrap_or_default(), TextRole::Code);
                        self.emit(row);
                    }
                }
                self.part();
            }
            TagEnd::HtmlBlock => {
                let html = self.block.take().unwrap_or_default();
                for line in without_comments(&html).lines().map(str::trim).filter(|line| !line.is_empty()) {
                    self.push(line, TextRole::Hidden);
                    self.break_row();
                }
                self.part();
            }
            TagEnd::List(_) => {
                self.break_row();
                self.lists.pop();
                if self.lists.is_empty() {
                    self.part();
                }
            }
            TagEnd::Item | TagEnd::FootnoteDefinition => {
                self.break_row();
                if let Some(Frame::Item { marker, .. }) = self.innermost()
                    && !marker.spans.is_empty()
                {
                    let row = self.prefix();
                    self.emit(row);
                }
                self.close();
            }
            TagEnd::TableHead => {
                self.roles.pop();
                self.end_table_row();
            }
            TagEnd::TableRow => self.end_table_row(),
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.line);
                if let Some(table) = &mut self.table {
                    table.cell(cell);
                }
            }
            TagEnd::Table => {
                let room = self.room();
                for line in self.table.take().map(|table| table.render(room)).unwrap_or_default() {
                    self.line = line;
                    self.break_row();
                }
                self.part();
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => _ = self.roles.pop(),
            TagEnd::Link | TagEnd::Image => {
                self.roles.pop();
                self.end_link();
            }
            TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::MetadataBlock(_) => {}
        }
    }

    fn role(&self) -> TextRole {
        let quoted = self.frames.iter().any(|frame| matches!(frame, Frame::Quote));
        self.roles.last().copied().unwrap_or(if quoted { TextRole::Quote } else { TextRole::Plain })
    }

    fn push(&mut self, text: &str, role: TextRole) {
        let text = gate::line(text);
        if let Some((_, shown)) = self.links.last_mut() {
            shown.push_str(&text);
        }
        self.line.push(&text, role);
    }

    fn push_item(&mut self, text: &str) {
        let mut marker = Row::default();
        marker.push(text, TextRole::Mark);
        self.open(Frame::Item { marker, indent: width::of(text) });
    }

    /// Puts a box in place of the bullet, or behind the number.
    fn box_of(&mut self, ticked: bool) {
        let numbered = matches!(self.lists.last(), Some(Some(_)));
        let Some(Frame::Item { marker, indent }) = self.innermost() else { return };
        if !numbered {
            *marker = Row::default();
            *indent = 0;
        }
        let (text, role) = if ticked { ("☑ ", TextRole::Ticked) } else { ("☐ ", TextRole::Open) };
        marker.push(text, role);
        *indent += 2;
    }

    fn open(&mut self, frame: Frame) {
        if self.frames.len() < MAX_FRAMES {
            self.frames.push(frame);
        } else {
            self.deeper += 1;
        }
    }

    fn close(&mut self) {
        match self.deeper.checked_sub(1) {
            Some(deeper) => self.deeper = deeper,
            None => _ = self.frames.pop(),
        }
    }

    /// The frame that was opened last, if it is kept.
    fn innermost(&mut self) -> Option<&mut Frame> {
        if self.deeper == 0 { self.frames.last_mut() } else { None }
    }

    fn end_link(&mut self) {
        let Some((address, shown)) = self.links.pop() else { return };
        let address = gate::line(&address).into_owned();
        let said = shown == address || address.strip_prefix("mailto:") == Some(shown.as_str());
        if !said && !address.is_empty() {
            self.line.push(&format!(" ({address})"), TextRole::Address);
        }
    }

    fn end_table_row(&mut self) {
        if let Some(table) = &mut self.table {
            table.end_row();
        }
    }

    /// Asks for a blank row before whatever comes next.
    fn part(&mut self) {
        self.gap = Some(self.frames.len());
    }

    fn end_block(&mut self) {
        self.break_row();
        self.part();
    }

    /// Columns that frames leave for text.
    fn room(&self) -> usize {
        let used: usize = self.visible_frames().iter().map(Frame::indent).sum();
        self.cols.saturating_sub(used).max(1)
    }

    /// The innermost frames that take no more than half of the columns: what is nested deeper than that stops moving
    /// to the right.
    fn visible_frames(&self) -> &[Frame] {
        let mut used = 0;
        let shown = self.frames.iter().rev().take_while(|frame| {
            used += frame.indent();
            used <= self.cols / 2
        });
        let first = self.frames.len() - shown.count();
        self.frames.get(first..).unwrap_or_default()
    }

    /// What stands before the next row; uses up the markers of items.
    fn prefix(&mut self) -> Row {
        let first = self.frames.len() - self.visible_frames().len();
        let mut row = Row::default();
        for (at, frame) in self.frames.iter_mut().enumerate() {
            let shown = at >= first;
            match frame {
                Frame::Quote if shown => row.push("▎ ", TextRole::Quote),
                Frame::Item { marker, indent } => {
                    let marker = std::mem::take(marker);
                    if shown && marker.spans.is_empty() {
                        row.push(&" ".repeat(*indent), TextRole::Plain);
                    } else if shown {
                        marker.spans.iter().for_each(|(text, role)| row.push(text, *role));
                    }
                }
                Frame::Quote => {}
            }
        }
        row
    }

    /// Ends the row being written: wraps it, with everything before it that the frames ask for.
    fn break_row(&mut self) {
        if self.table.is_some() || self.line.spans.is_empty() {
            return;
        }
        let line = std::mem::take(&mut self.line);
        let text = line.text();
        let mut spans = line.spans.iter().peekable();
        // Where the span begins that comes next.
        let mut at = 0;
        for range in wrap::wrap(&text, self.room()) {
            let mut row = self.prefix();
            while let Some((span, role)) = spans.peek() {
                let end = at + span.len();
                let from = range.start.clamp(at, end) - at;
                let to = range.end.clamp(at, end) - at;
                row.push(span.get(from..to).unwrap_or_default(), *role);
                if end > range.end {
                    break;
                }
                at = end;
                spans.next();
            }
            self.emit(row);
        }
    }

    fn emit(&mut self, row: Row) {
        if let Some(depth) = self.gap.take()
            && !self.rows.is_empty()
        {
            let common = self.frames.get(..depth).unwrap_or(&self.frames);
            let bars = common.iter().rposition(|frame| matches!(frame, Frame::Quote)).map_or(0, |last| last + 1);
            let hidden = self.frames.len() - self.visible_frames().len();
            let mut blank = Row::default();
            for frame in self.frames.get(hidden..bars).unwrap_or_default() {
                match frame {
                    Frame::Quote => blank.push("▎ ", TextRole::Quote),
                    Frame::Item { indent, .. } => blank.push(&" ".repeat(*indent), TextRole::Plain),
                }
            }
            self.rows.push(blank);
        }
        self.rows.push(row);
    }
}

impl Frame {
    fn indent(&self) -> usize {
        match self {
            Frame::Quote => 2,
            Frame::Item { indent, .. } => *indent,
        }
    }
}

/// Quotes and items that a line opens.
fn nesting(line: &str) -> usize {
    let mut depth = 0;
    let mut rest = line.trim_start();
    loop {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let number = if digits > 0 { rest.get(digits..).unwrap_or_default() } else { "" };
        let inner = rest
            .strip_prefix('>')
            .or_else(|| ["- ", "* ", "+ "].iter().find_map(|mark| rest.strip_prefix(mark)))
            .or_else(|| [". ", ") "].iter().find_map(|mark| number.strip_prefix(mark)));
        let Some(inner) = inner else { return depth };
        depth += 1;
        rest = inner.trim_start();
    }
}

fn is_break(html: &str) -> bool {
    let name = html.trim_start_matches('<').trim_end_matches(['>', '/', ' ']);
    name.eq_ignore_ascii_case("br")
}

fn without_comments(html: &str) -> String {
    let mut out = String::new();
    let mut rest = html;
    while let Some((before, comment)) = rest.split_once("<!--") {
        out.push_str(before);
        out.push_str(COMMENT);
        rest = comment.split_once("-->").map_or("", |(_, after)| after);
    }
    out + rest
}

fn alert(kind: BlockQuoteKind) -> &'static str {
    match kind {
        BlockQuoteKind::Note => "Note",
        BlockQuoteKind::Tip => "Tip",
        BlockQuoteKind::Important => "Important",
        BlockQuoteKind::Warning => "Warning",
        BlockQuoteKind::Caution => "Caution",
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rows(markdown: &str, cols: usize) -> Vec<String> {
        render_rows(markdown, cols).iter().map(Row::text).collect()
    }

    #[test]
    fn blocks_look_like_their_page() {
        for (markdown, expected) in [
            ("# Title\ntext\nmore", vec!["Title", "", "text", "more"]),
            ("a\n\nb", vec!["a", "", "b"]),
            ("- a\n- b\n  - c\n\nd", vec!["• a", "• b", "  • c", "", "d"]),
            ("9. a\n9. b", vec!["9. a", "10. b"]),
            ("- [ ] a\n- [x] b\n  - [ ] c\n1. [x] d", vec!["☐ a", "☑ b", "  ☐ c", "", "1. ☑ d"]),
            ("- a\n\n  b\n- c", vec!["• a", "", "  b", "", "• c"]),
            ("-\n- a", vec!["• ", "• a"]),
            ("> a\n>\n> - b", vec!["▎ a", "▎ ", "▎ • b"]),
            ("a\n\n> b\n\nc", vec!["a", "", "▎ b", "", "c"]),
            ("> [!NOTE]\n> a", vec!["▎ Note", "▎ a"]),
            ("```rust\nlet a;\n\tb\n```\nc", vec!["  let a;", "      b", "", "c"]),
            ("a `b` **c**", vec!["a b c"]),
            ("[a](ab:c) <ab:c>", vec!["a (ab:c) ab:c"]),
            ("![alt](i.png)", vec!["image: alt (i.png)"]),
            ("a<!-- hidden\nsecret -->b<br>c <b>d</b>", vec!["a<!-- … -->b", "c <b>d</b>"]),
            ("<!-- hidden -->\n\n<details>\n\na\n\n</details>", vec!["<!-- … -->", "", "<details>", "", "a", "", "</details>"]),
            ("<!-- open", vec!["<!-- … -->"]),
            ("|a|b|\n|-|-:|\n|1|22|\n|漢字|3|", vec!["a    │  b", "─────┼───", "1    │ 22", "漢字 │  3"]),
            ("a[^1]\n\n[^1]: note", vec!["a[^1]", "", "[^1]: note"]),
            ("a\n\n---", vec!["a", "", "────────────────────────"]),
            ("x\u{1b}[2J\u{202e}", vec!["x^[[2J<U+202E>"]),
            ("", vec![]),
        ] {
            let got = rows(markdown, 24);
            let expected: Vec<String> = expected.into_iter().map(str::to_owned).collect();
            assert_eq!(got, expected, "{markdown:?}");
        }
    }

    #[test]
    fn rows_wrap_inside_their_frames() {
        assert_eq!(rows("- one two three", 9), ["• one two", "  three"]);
        assert_eq!(rows("> one two three", 9), ["▎ one two", "▎ three"]);
        assert_eq!(rows("```\nabcdef\n```", 6), ["  abcd", "  ef"]);
        assert_eq!(rows("|aaa|bbb|\n|-|-|\n|one two|c|", 9), ["aaa │ bbb", "one two │", "c"]);
        let deep = rows(&format!("{}x", "> ".repeat(200)), 20);
        assert!(deep.iter().all(|row| width::of(row) <= 20), "{deep:?}");
    }

    #[test]
    fn pieces_have_their_role() {
        let roles = |markdown: &str| render_rows(markdown, 80).into_iter().flat_map(|row| row.spans).collect::<Vec<_>>();
        let expect = |pieces: &[(&str, TextRole)]| pieces.iter().map(|(t, r)| ((*t).to_owned(), *r)).collect::<Vec<_>>();
        use TextRole::*;
        assert_eq!(roles("## A `b`"), expect(&[("A ", Heading), ("b", Code)]));
        assert_eq!(roles("- [x] **a** ~~b~~"), expect(&[("☑ ", Ticked), ("a", Strong), (" ", Plain), ("b", Strikethrough)]));
        assert_eq!(roles("> *a* b"), expect(&[("▎ ", Quote), ("a", Emphasis), (" b", Quote)]));
        assert_eq!(roles("[a](b)"), expect(&[("a", Link), (" (b)", Address)]));
        assert_eq!(roles("<!-- a -->"), expect(&[("<!-- … -->", Hidden)]));
    }

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn real_documents_fit_any_width() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/corpus/inferencex/checklists");
        let mut read = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
            for cols in [20, 78, 200] {
                let rows = render_rows(&text, cols);
                assert!(rows.iter().all(|row| width::of(&row.text()) <= cols));
                assert!(rows.len() > 3 && rows.len() < text.len());
            }
            read += 1;
        }
        assert!(read >= 20, "only {read} documents");
    }

    #[test]
    fn absurd_nesting_is_shown_as_it_is() {
        let bomb = format!("{}a\n\n{}b **c**", "> ".repeat(20_000), "- ".repeat(101));
        let rows = rows(&bomb, 40);
        assert_eq!(rows.last().map(String::as_str), Some("- b **c**"));
        assert!(rows.iter().all(|row| width::of(row) <= 40));
    }

    proptest! {
        #[test]
        fn any_text_becomes_gated_rows(parts in prop::collection::vec(prop_oneof![4 => prop::sample::select(vec![
            "- ", "1. ", "> ", "[x] ", "# ", "```\n", "|", "|-|-|\n", "\n", "\n\n", "  ", "`", "**", "~~", "[a](b)", "<!--", "-->", "<b>",
            "漢字", "word ", "👩‍🔬", "\u{1b}", "\u{202e}", "\t", "[^1]", "[^1]: ", "![", "](", ")", "---\n", "\u{301}",
        ]).prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from)], 0..40), cols in 6usize..40) {
            let markdown = parts.concat();
            for row in render_rows(&markdown, cols) {
                let text = row.text();
                prop_assert!(width::of(&text) <= cols, "{:?} in {}", text, cols);
                let steers = |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}');
                prop_assert!(!text.contains(steers));
                for pair in row.spans.windows(2) {
                    prop_assert!(pair[0].1 != pair[1].1);
                }
            }
        }
    }
}
