//! A YAML document as a tree in which every value knows its line.
//! Must not know: what a document means.

use crate::core::yaml::{self, Any, Problem};
use serde_yaml::Spanned;
use std::collections::HashMap;

/// A value and the line that it stands on, from 1; what an alias brings in has the line it was written on.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    pub data: Data,
    pub line: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Data {
    Null,
    /// Numbers and booleans as text, too: recipes quote as they like.
    Scalar(String),
    List(Vec<Node>),
    /// In the order of the document.
    Map(Vec<(String, Node)>),
}

/// Reads one document that begins at `first_line`. Of a repeated key the last counts.
///
/// # Errors
/// It is no YAML, or past the limits of [`yaml`].
pub fn parse(file: &str, text: &str, first_line: usize) -> Result<Node, Problem> {
    let raw: Spanned<Any> = yaml::parse_as_run(file, text, first_line)?;
    Ok(node(raw, first_line))
}

impl Node {
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries().iter().find(|(name, _)| name == key).map(|(_, node)| node)
    }

    /// `backend.type`.
    pub fn at(&self, path: &str) -> Option<&Node> {
        path.split('.').try_fold(self, |node, key| node.get(key))
    }

    pub fn entries(&self) -> &[(String, Node)] {
        match &self.data {
            Data::Map(entries) => entries,
            _ => &[],
        }
    }

    pub fn text(&self) -> Option<&str> {
        match &self.data {
            Data::Scalar(text) => Some(text),
            _ => None,
        }
    }

    /// In one line: `[1, 2]`.
    pub fn render(&self) -> String {
        match &self.data {
            Data::Null => "null".to_owned(),
            Data::Scalar(text) => text.clone(),
            Data::List(items) => format!("[{}]", items.iter().map(Node::render).collect::<Vec<_>>().join(", ")),
            Data::Map(entries) => {
                let fields: Vec<String> = entries.iter().map(|(key, node)| format!("{key}: {}", node.render())).collect();
                format!("{{{}}}", fields.join(", "))
            }
        }
    }

    /// This with `over` laid on it: maps key by key, everything else replaced, `null` takes away.
    #[must_use]
    pub fn merged(&self, over: &Node) -> Node {
        let (Data::Map(base), Data::Map(laid)) = (&self.data, &over.data) else { return over.clone() };
        let mut entries = base.clone();
        for (key, node) in laid {
            let at = entries.iter().position(|(name, _)| name == key);
            match (&node.data, at) {
                (Data::Null, Some(at)) => _ = entries.remove(at),
                (Data::Null, None) => {}
                (_, Some(at)) => entries[at].1 = entries[at].1.merged(node),
                (_, None) => entries.push((key.clone(), node.clone())),
            }
        }
        Node { data: Data::Map(entries), line: self.line }
    }
}

fn node(raw: Spanned<Any>, first_line: usize) -> Node {
    let line = usize::try_from(raw.defined.line()).unwrap_or_default() + first_line.saturating_sub(1);
    let data = match raw.value {
        Any::Null => Data::Null,
        Any::Plain(text) | Any::Text(text) => Data::Scalar(text),
        Any::List(items) => Data::List(items.into_iter().map(|item| node(item, first_line)).collect()),
        Any::Map(entries) => {
            Data::Map(last_of_each(entries.into_iter().map(|(key, value)| (key.value, node(value, first_line)))))
        }
    };
    Node { data, line }
}

/// A key that stands twice means what it says last, where it stood first.
fn last_of_each(entries: impl Iterator<Item = (String, Node)>) -> Vec<(String, Node)> {
    let mut out: Vec<(String, Node)> = Vec::new();
    let mut places = HashMap::new();
    for (key, value) in entries {
        match places.get(&key).and_then(|at: &usize| out.get_mut(*at)) {
            Some(held) => held.1 = value,
            None => {
                places.insert(key.clone(), out.len());
                out.push((key, value));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_knows_its_line() {
        let text = "a: 1\nb: &x\n  c: '2'\n  d: [3, 4.5]\ne: *x\nf:\n  <<: *x\n  c: null\n";
        let tree = parse("f", text, 11).unwrap();
        let line = |path: &str| tree.at(path).map(|node| (node.render(), node.line));
        assert_eq!(line("a"), Some(("1".into(), 11)));
        assert_eq!(line("b.c"), Some(("2".into(), 13)));
        assert_eq!(line("e.d"), Some(("[3, 4.5]".into(), 14)));
        assert_eq!(line("f.d"), Some(("[3, 4.5]".into(), 14)));
        assert_eq!(line("f.c"), Some(("null".into(), 18)));
        assert!(parse("f", "a: [", 1).is_err());
        assert_eq!(parse("f", "a: {b: 1, c: 2, b: 3}", 1).unwrap().at("a.b").unwrap().render(), "3");
    }

    #[test]
    fn merging_replaces_lists_and_null_takes_away() {
        let base = parse("f", "a: {b: 1, c: [1, 2], d: 4}\ne: 5", 1).unwrap();
        let over = parse("f", "a: {c: [3], d: null, g: 7}\nh: {i: 8}", 1).unwrap();
        assert_eq!(base.merged(&over).render(), "{a: {b: 1, c: [3], g: 7}, e: 5, h: {i: 8}}");
    }
}
