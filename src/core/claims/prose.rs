//! The prose of a description: its sentences and tables, as ranges of the text. Code blocks, quotations, struck words,
//! pictures and addresses are nobody's claims here.
//! Must not know: what a claim is.

use super::patterns::{ABBREVIATION, ADDRESS, STOP};
use crate::core::markdown::dialect;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use std::ops::Range;

/// A text with everything but its words blanked out, byte for byte, and where its parts stand.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Prose {
    /// As long as the text.
    pub words: String,
    pub blocks: Vec<Block>,
}

#[derive(Debug, PartialEq)]
pub(super) enum Block {
    Sentences(Vec<Range<usize>>),
    /// The first row is the head.
    Table(Vec<Vec<Range<usize>>>),
}

pub(super) fn read(text: &str) -> Prose {
    let mut words = vec![b' '; text.len()];
    let mut paragraphs = Vec::new();
    let mut current: Option<Range<usize>> = None;
    let mut table: Option<Vec<Vec<Range<usize>>>> = None;
    let mut hidden = 0usize;
    for (event, range) in Parser::new_ext(text, dialect()).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                hidden += usize::from(hides(&tag));
                match tag {
                    Tag::Table(_) => table = Some(Vec::new()),
                    Tag::TableHead | Tag::TableRow => table.iter_mut().for_each(|table| table.push(Vec::new())),
                    Tag::TableCell => {
                        if let Some(row) = table.as_mut().and_then(|table| table.last_mut()) {
                            row.push(range);
                        }
                    }
                    Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. } => continue,
                    _ => {}
                }
                paragraphs.extend(current.take().map(Part::Paragraph));
            }
            Event::End(tag) => {
                let inline =
                    matches!(tag, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image);
                hidden = hidden.saturating_sub(usize::from(hid(&tag)));
                if !inline {
                    paragraphs.extend(current.take().map(Part::Paragraph));
                }
                if tag == TagEnd::Table {
                    paragraphs.extend(table.take().map(Part::Table));
                }
            }
            Event::HardBreak | Event::Rule => paragraphs.extend(current.take().map(Part::Paragraph)),
            Event::Text(_) | Event::Code(_) if hidden == 0 => {
                if let (Some(to), Some(from)) = (words.get_mut(range.clone()), text.as_bytes().get(range.clone())) {
                    to.copy_from_slice(from);
                    if matches!(event, Event::Code(_)) {
                        to.iter_mut().filter(|byte| **byte == b'`').for_each(|byte| *byte = b' ');
                    }
                }
                if table.is_none() {
                    let start = current.as_ref().map_or(range.start, |current| current.start.min(range.start));
                    let end = current.as_ref().map_or(range.end, |current| current.end.max(range.end));
                    current = Some(start..end);
                }
            }
            _ => {}
        }
    }
    paragraphs.extend(current.take().map(Part::Paragraph));
    // Whole events were copied, so that no character was cut.
    let mut words = String::from_utf8(words).unwrap_or_else(|_| " ".repeat(text.len()));
    let addresses: Vec<Range<usize>> = ADDRESS.find_iter(&words).map(|found| found.range()).collect();
    for range in addresses {
        blank(&mut words, range);
    }
    let blocks = paragraphs.into_iter().map(|part| match part {
        Part::Paragraph(range) => Block::Sentences(sentences(&words, range)),
        Part::Table(rows) => Block::Table(rows),
    });
    Prose { blocks: blocks.collect(), words }
}

enum Part {
    Paragraph(Range<usize>),
    Table(Vec<Vec<Range<usize>>>),
}

/// Puts spaces over a range, which must begin and end between characters.
pub(super) fn blank(words: &mut String, range: Range<usize>) {
    if words.get(range.clone()).is_some() {
        let spaces = " ".repeat(range.len());
        words.replace_range(range, &spaces);
    }
}

fn hides(tag: &Tag) -> bool {
    matches!(
        tag,
        Tag::CodeBlock(_)
            | Tag::HtmlBlock
            | Tag::BlockQuote(_)
            | Tag::FootnoteDefinition(_)
            | Tag::Strikethrough
            | Tag::Image { .. }
            | Tag::MetadataBlock(_)
    )
}

fn hid(tag: &TagEnd) -> bool {
    matches!(
        tag,
        TagEnd::CodeBlock
            | TagEnd::HtmlBlock
            | TagEnd::BlockQuote(_)
            | TagEnd::FootnoteDefinition
            | TagEnd::Strikethrough
            | TagEnd::Image
            | TagEnd::MetadataBlock(_)
    )
}

fn sentences(words: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let Some(text) = words.get(range.clone()) else { return Vec::new() };
    let mut out = Vec::new();
    let mut start = 0;
    for stop in STOP.find_iter(text) {
        let upto = text.get(start..stop.start() + 1).unwrap_or_default();
        // Only the last word can be an abbreviation.
        let tail = upto.char_indices().rev().nth(8).map_or(upto, |(at, _)| upto.get(at..).unwrap_or(upto));
        if stop.as_str().starts_with('.') && ABBREVIATION.is_match(tail) {
            continue;
        }
        out.push(range.start + start..range.start + stop.end());
        start = stop.end();
    }
    if start < text.len() {
        out.push(range.start + start..range.end);
    }
    out.retain(|range| words.get(range.clone()).is_some_and(|text| !text.trim().is_empty()));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(text: &str) -> Vec<String> {
        let prose = read(text);
        let words = |range: &Range<usize>| prose.words[range.clone()].trim().to_owned();
        let block = |block: &Block| match block {
            Block::Sentences(list) => list.iter().map(words).collect::<Vec<_>>(),
            Block::Table(rows) => rows.iter().map(|row| row.iter().map(words).collect::<Vec<_>>().join("|")).collect(),
        };
        prose.blocks.iter().flat_map(block).collect()
    }

    #[test]
    fn sentences_and_cells_in_order() {
        let text = "Adds a. It is +5.85 % vs. before; on `o/i:v0.5.14`.\n\n| a | b |\n|---|---|\n| **1** | 2 |\n\n- one\n- two";
        let want = ["Adds a.", "It is +5.85 % vs. before;", "on  o/i:v0.5.14 .", "a|b", "1|2", "one", "two"];
        assert_eq!(shown(text), want);
        assert_eq!(shown("第一。第二"), ["第一。", "第二"]);
    }

    #[test]
    fn what_is_no_claim_is_blank() {
        let text = "> said +1 %\n\n```\n+2 %\n```\n\n~~+3 %~~ and ![+4 %](x) and [+5 %](https://a/+6%) <b>+7 %</b> https://a/v1.2.3\n\n<!-- +8 % -->";
        assert_eq!(shown(text).join(" ").split_whitespace().collect::<Vec<_>>().join(" "), "and and +5 % +7 %");
    }

    proptest! {
        #[test]
        fn ranges_are_of_the_text(text in "(\\PC|[|`>~*\n-]){0,120}") {
            let prose = read(&text);
            prop_assert_eq!(prose.words.len(), text.len());
            for block in &prose.blocks {
                let ranges: Vec<_> = match block {
                    Block::Sentences(list) => list.iter().collect(),
                    Block::Table(rows) => rows.iter().flatten().collect(),
                };
                prop_assert!(ranges.into_iter().all(|range| prose.words.get(range.clone()).is_some()));
            }
        }
    }
}
