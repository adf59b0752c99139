//! The template: the checklist section of the base repository's document, byte for byte.
//! Must not know: ticks, evidence.

use crate::core::evidence::digest;
use crate::core::ids::{BlobId, Key};
use crate::core::markdown::fence::Fence;
use crate::core::markdown::tasks::tasks;
use crate::core::policy::{ItemPolicy, Policy, item_key, normalise};
use crate::core::pull::Document;
use crate::core::trouble::{Trouble, TroubleKind};
use std::collections::HashSet;
use std::ops::Range;

/// The text between the fences (or headings), and the boxes in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    pub blob: BlobId,
    pub text: String,
    pub items: Vec<Item>,
}

/// One box of the template. Ranges are bytes of [`Template::text`].
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// From the policy, or made from the item's words when no rule knows them.
    pub key: Key,
    /// What the policy knows of it.
    pub known: Option<ItemPolicy>,
    /// The one byte between the brackets.
    pub marker: Range<usize>,
    pub text: Range<usize>,
    pub depth: usize,
    /// Digest of the item's bytes: a tick given to other words does not count.
    pub digest: String,
}

impl Template {
    /// The template that these words are: those between the fences of a document, or those that a draft remembers.
    pub fn of(blob: BlobId, text: String, policy: &Policy) -> Template {
        let mut seen = HashSet::new();
        let items: Vec<Item> = tasks(&text)
            .into_iter()
            .map(|task| {
                let words = text.get(task.text.clone()).unwrap_or_default();
                let known = item_key(policy, words).filter(|item| !seen.contains(&item.key)).cloned();
                let mut key = known.as_ref().map_or_else(|| own_key(words), |item| item.key.clone());
                while !seen.insert(key.clone()) {
                    key.0.push('+');
                }
                Item { key, known, marker: task.marker, digest: digest(words.as_bytes()), text: task.text, depth: task.depth }
            })
            .collect();
        Template { blob, text, items }
    }

    pub fn item_text(&self, item: &Item) -> &str {
        self.text.get(item.text.clone()).unwrap_or_default()
    }

    /// A few words for an item: the policy's, or the first of its own, as they stand there.
    pub fn name(&self, item: &Item) -> String {
        let words = self.item_text(item).split_whitespace().filter(|word| !word.eq_ignore_ascii_case("verified"));
        let own = || words.take(4).collect::<Vec<_>>().join(" ");
        item.known.as_ref().map_or_else(own, |known| known.short.clone())
    }
}

/// Finds the template in the checklist document.
///
/// The section is headed by the policy's word; a fence that opens inside it holds the template, else the lines up to the
/// next heading of the same level are it.
pub fn parse_template(document: &Document, policy: &Policy) -> Result<Template, Trouble> {
    let malformed = |what: &str, hint: &str| Trouble::new(TroubleKind::Malformed, format!("{}: {what}", document.path), hint);
    let section = section(&document.text, &policy.signoff.section).ok_or_else(|| {
        malformed(
            &format!("there is no section \"{}\"", policy.signoff.section),
            "The document may have changed its shape: the policy file names the section (signoff.section).",
        )
    })?;
    let text = fenced(section).unwrap_or(section).trim_matches('\n').to_owned();
    if !text.contains(&policy.signoff.trigger) {
        return Err(malformed(
            &format!("the template does not say \"{}\"", policy.signoff.trigger),
            "The opening phrase may have changed: the policy file names it (signoff.trigger).",
        ));
    }
    let template = Template::of(document.blob.clone(), text, policy);
    if template.items.is_empty() {
        return Err(malformed("the template has no items", "A template is a list of lines that begin with \"- [ ] \"."));
    }
    Ok(template)
}

/// A key for an item that the policy does not know: stable as long as its words are.
pub(super) fn own_key(words: &str) -> Key {
    Key(format!("item-{}", &digest(normalise(words).as_bytes())[..8]))
}

/// The lines below the heading, up to the next heading of its level or above, fences respected.
fn section<'a>(text: &'a str, heading: &str) -> Option<&'a str> {
    let (mut start, mut level, mut at) = (None, 0, 0);
    let mut fence: Option<Fence> = None;
    for line in text.split_inclusive('\n') {
        let (begin, end) = (at, at + line.len());
        at = end;
        let line = line.trim_end();
        fence = Fence::after(fence, line);
        if fence.is_some() || !line.starts_with('#') {
            continue;
        }
        let depth = line.chars().take_while(|&c| c == '#').count();
        match start {
            Some(start) if depth <= level => return text.get(start..begin),
            Some(_) => {}
            None if line[depth..].trim().eq_ignore_ascii_case(heading) => (start, level) = (Some(end), depth),
            None => {}
        }
    }
    text.get(start?..)
}

/// The contents of the first fence that opens in `section`; an unclosed one runs to the end.
fn fenced(section: &str) -> Option<&str> {
    let (mut start, mut at) = (None, 0);
    let mut fence: Option<Fence> = None;
    for line in section.split_inclusive('\n') {
        let begin = at;
        at += line.len();
        fence = Fence::after(fence, line);
        match (start, fence) {
            (None, Some(_)) => start = Some(at),
            (Some(start), None) => return section.get(start..begin),
            _ => {}
        }
    }
    section.get(start?..)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::*;
    use crate::core::policy::tests::policy;

    fn document(text: &str) -> Document {
        Document { path: "docs/LIST.md".into(), blob: "b".into(), text: text.into() }
    }

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn every_version_of_the_real_document_parses() {
        let policy = policy();
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/corpus/inferencex/checklists");
        let order = std::fs::read_to_string(format!("{root}/ORDER.txt")).unwrap();
        let mut boxes = Vec::new();
        for name in order.lines().filter(|line| line.ends_with(".md")) {
            let name = name.split_whitespace().last().unwrap();
            let text = std::fs::read_to_string(format!("{root}/{name}")).unwrap();
            let template = parse_template(&document(&text), &policy).unwrap();
            assert!(text.contains(&template.text), "{name}: not byte for byte");
            assert!(template.text.starts_with(&policy.signoff.trigger), "{name}");
            for item in &template.items {
                assert_eq!(&template.text[item.marker.clone()], " ", "{name}");
                assert!(item.known.is_some(), "{name}: {}", template.item_text(item));
            }
            boxes.push(template.items.len());
        }
        // DOMAIN 1.3. The version of 10 July that nested the recipe item first had that bullet without a box.
        assert_eq!(boxes, [6, 6, 6, 6, 7, 7, 8, 9, 10, 10, 10, 10, 10, 11, 12, 12, 13, 13, 14, 14, 15, 17, 17]);
    }

    #[test]
    fn a_fence_ends_where_it_is_closed() {
        let policy = policy();
        let inner = format!("{} and have:\n- [ ] one:\n```bash\n## run\n```\n- [ ] two", policy.signoff.trigger);
        for (open, close) in [("````", "````"), ("~~~", "~~~"), ("````markdown", "`````")] {
            let text = format!("## Template\n{open}\n{inner}\n{close}\n- [ ] three\n## Next\n");
            assert_eq!(parse_template(&document(&text), &policy).unwrap().text, inner, "{open}");
        }
        // What opens a fence closes none, even where it is no longer.
        let text = format!("## Template\n```\n{}\n- [ ] one\n```bash\n- [ ] two\n```\n", policy.signoff.trigger);
        let template = parse_template(&document(&text), &policy).unwrap();
        assert!(template.text.contains("- [ ] two"), "{}", template.text);
    }

    #[test]
    fn documents_without_a_template_say_what_is_missing() {
        let policy = policy();
        let phrase = format!("{} and have:", policy.signoff.trigger);
        let cases = [
            ("# Title\n\ntext\n".to_owned(), "there is no section"),
            ("## Template\n\nnothing\n".to_owned(), "does not say"),
            (format!("## Template\n```\n{phrase}\n```\n"), "no items"),
            (format!("```\n## Template\n{phrase}\n- [ ] one\n```\n"), "there is no section"),
        ];
        for (text, words) in cases {
            let trouble = parse_template(&document(&text), &policy).unwrap_err();
            assert!(trouble.headline.contains(words) && trouble.headline.starts_with("docs/LIST.md"), "{trouble:?}");
        }
    }

    #[test]
    fn an_unknown_item_keeps_a_key_made_from_its_words() {
        let policy = policy();
        let text = format!("## Template\n~~~\n{}\n- [ ] Fed the cat\n- [ ] Fed  the *cat*\n~~~\n", policy.signoff.trigger);
        let template = parse_template(&document(&text), &policy).unwrap();
        assert!(template.items[0].known.is_none() && template.items[0].key.as_str().starts_with("item-"));
        assert_ne!(template.items[0].key, template.items[1].key);
    }
}
