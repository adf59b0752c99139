//! Task items of a Markdown text with their places in it, and the one byte that ticking changes.
//! Must not know: what an item asks for.

use super::dialect;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use std::ops::Range;

/// One `- [ ] text` as GitHub sees it: not in code, not in comments. Ranges are bytes of the text it was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// The one byte between the brackets.
    pub marker: Range<usize>,
    /// The item's own text, without nested lists: continuation lines included as they stand, no line end behind.
    pub text: Range<usize>,
    /// Lists around the item's list.
    pub depth: usize,
    pub ticked: bool,
}

/// All task items, in order.
pub fn tasks(markdown: &str) -> Vec<Task> {
    let mut found: Vec<Task> = Vec::new();
    let mut lists: usize = 0;
    // Whether the last item found is still being read.
    let mut open = false;
    for (event, range) in Parser::new_ext(markdown, dialect()).into_offset_iter() {
        match event {
            Event::Start(Tag::List(_)) => {
                lists += 1;
                open = false;
            }
            Event::End(TagEnd::List(_)) => lists = lists.saturating_sub(1),
            Event::TaskListMarker(ticked) => {
                let Some(marker) = between_brackets(markdown, &range) else { continue };
                let start = range.end + spaces(markdown, range.end);
                found.push(Task { marker, text: start..start, depth: lists.saturating_sub(1), ticked });
                open = true;
            }
            Event::Start(
                Tag::Paragraph
                | Tag::Heading { .. }
                | Tag::BlockQuote(_)
                | Tag::CodeBlock(_)
                | Tag::HtmlBlock
                | Tag::Table(_)
                | Tag::FootnoteDefinition(_)
                | Tag::Item,
            )
            | Event::End(TagEnd::Item | TagEnd::Paragraph)
            | Event::Rule => open = false,
            _ if open => {
                if let Some(task) = found.last_mut() {
                    task.text.end = task.text.end.max(range.end);
                }
            }
            _ => {}
        }
    }
    for task in &mut found {
        let text = markdown.get(task.text.clone()).unwrap_or_default();
        task.text.end = task.text.start + text.trim_end().len();
    }
    found
}

/// The byte inside `[ ]`, given the range of the whole marker.
fn between_brackets(markdown: &str, range: &Range<usize>) -> Option<Range<usize>> {
    let open = range.start + markdown.get(range.clone())?.find('[')?;
    (markdown.as_bytes().get(open + 2) == Some(&b']')).then_some(open + 1..open + 2)
}

fn spaces(markdown: &str, from: usize) -> usize {
    let rest = markdown.get(from..).unwrap_or_default();
    rest.len() - rest.trim_start_matches([' ', '\t']).len()
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(markdown: &str) -> Vec<(&str, &str, usize, bool)> {
        let task = |t: Task| (&markdown[t.marker], &markdown[t.text], t.depth, t.ticked);
        tasks(markdown).into_iter().map(task).collect()
    }

    #[test]
    fn every_kind_of_item_is_found() {
        for (markdown, expected) in [
            ("- [X] a", vec![("X", "a", 0, true)]),
            ("* [x] a", vec![("x", "a", 0, true)]),
            ("+ [ ] a", vec![(" ", "a", 0, false)]),
            ("1. [ ] a", vec![(" ", "a", 0, false)]),
            ("2) [x] a", vec![("x", "a", 0, true)]),
            ("> - [ ] a", vec![(" ", "a", 0, false)]),
            ("   - [ ] a", vec![(" ", "a", 0, false)]),
            ("    - [ ] a", vec![]),
            ("```\n- [ ] a\n```\n- [x] b", vec![("x", "b", 0, true)]),
            ("~~~\n- [ ] a\n~~~\n- [x] b", vec![("x", "b", 0, true)]),
            ("<!--\n- [ ] a\n-->\n\n- [x] b", vec![("x", "b", 0, true)]),
            (
                "- [ ] a\n  - [x] b\n    - [ ] c\n- [x] d",
                vec![(" ", "a", 0, false), ("x", "b", 1, true), (" ", "c", 2, false), ("x", "d", 0, true)],
            ),
            ("- [ ] a\n      - [x] b", vec![(" ", "a\n      - [x] b", 0, false)]),
            ("- a\n  - [x] b", vec![("x", "b", 1, true)]),
            ("- [ ] a `b` [c](d) **e**\n  more  \n\n  second\n", vec![(" ", "a `b` [c](d) **e**\n  more", 0, false)]),
            ("- [ ] a\r\n- [x] b\r\n", vec![(" ", "a", 0, false), ("x", "b", 0, true)]),
            ("- [ ] a\r\n\n- [x] b\n", vec![(" ", "a", 0, false), ("x", "b", 0, true)]),
            ("- [ ] 漢 **b**\n\npara", vec![(" ", "漢 **b**", 0, false)]),
            ("- [-] a\n- [] b\n- [ ]c\n- x [ ] d", vec![]),
            ("text\n- [ ] a", vec![(" ", "a", 0, false)]),
            ("[ ] a", vec![]),
        ] {
            assert_eq!(read(markdown), expected, "{markdown:?}");
        }
    }

    /// Every line of the real documents that begins with a box is an item, once the template is out of its fence.
    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn real_checklists_keep_every_box() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/corpus/inferencex/checklists");
        let mut read = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|ext| ext != "md") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap().replace("```", "");
            let boxes: Vec<&str> = text.lines().filter(|line| line.trim_start().starts_with("- [ ]")).collect();
            let found = tasks(&text);
            assert_eq!(found.len(), boxes.len(), "{path:?}");
            for (task, line) in found.iter().zip(&boxes) {
                assert_eq!(text[task.text.clone()].lines().next(), line.trim_start().strip_prefix("- [ ] ").map(str::trim_end));
                let nested = line.len() - line.trim_start().len();
                assert_eq!(task.depth > 0, nested > 0, "{line}");
            }
            read += 1;
        }
        assert!(read >= 20, "only {read} checklists");
    }

    proptest! {
        #[test]
        fn a_box_flipped_in_place_is_the_same_item(parts in prop::collection::vec(prop::sample::select(vec![
            "- [ ] ", "* [x] ", "1. [X] ", "> ", "  ", "\n", "\r\n", "a", "漢", "```\n", "    ", "`", "<!--", "-->", "[ ]", "\t",
        ]), 0..24)) {
            let markdown = parts.concat();
            for (at, task) in tasks(&markdown).iter().enumerate() {
                prop_assert_eq!(task.marker.len(), 1);
                prop_assert!(markdown.get(task.text.clone()).is_some());
                let mut flipped = markdown.clone();
                flipped.replace_range(task.marker.clone(), if task.ticked { " " } else { "x" });
                let again = tasks(&flipped);
                prop_assert_eq!(again.get(at).map(|t| t.ticked), Some(!task.ticked), "{:?}", flipped);
            }
        }
    }
}
