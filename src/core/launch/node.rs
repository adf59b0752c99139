//! A YAML document as a tree in which every value knows its line.
//! Must not know: what a document means.

use crate::core::yaml::{self, Problem};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_yaml::Spanned;
use std::collections::HashMap;
use std::fmt;

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
    let raw: Spanned<Raw> = yaml::parse_as_run(file, text, first_line)?;
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

fn node(raw: Spanned<Raw>, first_line: usize) -> Node {
    let line = usize::try_from(raw.defined.line()).unwrap_or_default() + first_line.saturating_sub(1);
    let data = match raw.value {
        Raw::Null => Data::Null,
        Raw::Scalar(text) => Data::Scalar(text),
        Raw::List(items) => Data::List(items.into_iter().map(|item| node(item, first_line)).collect()),
        Raw::Map(entries) => Data::Map(entries.into_iter().map(|(key, value)| (key, node(value, first_line))).collect()),
    };
    Node { data, line }
}

enum Raw {
    Null,
    Scalar(String),
    List(Vec<Spanned<Raw>>),
    Map(Vec<(String, Spanned<Raw>)>),
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Raw, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_none<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Raw, D::Error> {
        Raw::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Raw, E> {
        Ok(Raw::Scalar(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Raw, E> {
        Ok(Raw::Scalar(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Raw, E> {
        Ok(Raw::Scalar(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Raw, E> {
        Ok(Raw::Scalar(value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Raw, E> {
        Ok(Raw::Scalar(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Raw, A::Error> {
        let mut out = Vec::new();
        while let Some(item) = items.next_element()? {
            out.push(item);
        }
        Ok(Raw::List(out))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Raw, A::Error> {
        let mut out: Vec<(String, Spanned<Raw>)> = Vec::new();
        let mut places = HashMap::new();
        while let Some((key, value)) = entries.next_entry::<String, _>()? {
            match places.get(&key).and_then(|at: &usize| out.get_mut(*at)) {
                Some(held) => held.1 = value,
                None => {
                    places.insert(key.clone(), out.len());
                    out.push((key, value));
                }
            }
        }
        Ok(Raw::Map(out))
    }
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
