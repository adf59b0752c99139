//! From a grammar's scopes to our roles.
//! Must not know: lines or languages.

use crate::core::text::role::SyntaxRole;
use syntect::parsing::Scope;

/// Scope prefixes and what they mean; of several that fit, the longest counts.
const TABLE: &[(&str, SyntaxRole)] = &[
    ("comment", SyntaxRole::Comment),
    ("punctuation.definition.comment", SyntaxRole::Comment),
    ("string", SyntaxRole::String),
    ("punctuation.definition.string", SyntaxRole::String),
    ("constant", SyntaxRole::Constant),
    ("constant.numeric", SyntaxRole::Number),
    ("support.constant", SyntaxRole::Constant),
    ("entity.name.constant", SyntaxRole::Constant),
    ("keyword", SyntaxRole::Keyword),
    ("keyword.operator", SyntaxRole::Operator),
    ("keyword.operator.word", SyntaxRole::Keyword),
    ("keyword.operator.logical.python", SyntaxRole::Keyword),
    ("storage", SyntaxRole::Keyword),
    ("variable.language", SyntaxRole::Keyword),
    ("variable", SyntaxRole::Variable),
    ("punctuation.definition.variable", SyntaxRole::Variable),
    ("variable.function", SyntaxRole::Function),
    ("entity.name.function", SyntaxRole::Function),
    ("support.function", SyntaxRole::Function),
    ("support.macro", SyntaxRole::Function),
    ("entity.name", SyntaxRole::Type),
    ("entity.other.inherited-class", SyntaxRole::Type),
    ("support.type", SyntaxRole::Type),
    ("support.class", SyntaxRole::Type),
    ("entity.name.tag", SyntaxRole::Property),
    ("entity.name.label", SyntaxRole::Property),
    ("entity.other.attribute-name", SyntaxRole::Property),
    ("support.type.property-name", SyntaxRole::Property),
    ("entity.name.section", SyntaxRole::Heading),
    ("markup.heading", SyntaxRole::Heading),
    ("markup.bold", SyntaxRole::Strong),
    ("markup.italic", SyntaxRole::Emphasis),
    ("markup.underline.link", SyntaxRole::Link),
    ("markup.raw", SyntaxRole::Code),
    ("punctuation", SyntaxRole::Punctuation),
    ("invalid", SyntaxRole::Invalid),
    // What is written inside a string but is no string.
    ("meta.interpolation", SyntaxRole::Plain),
    ("source", SyntaxRole::Plain),
];

/// Scopes that make a string the key of a mapping.
const KEYS: &[&str] = &["meta.mapping.key", "meta.structure.dictionary.key"];

pub(super) struct Roles {
    /// Longest first.
    table: Vec<(Scope, SyntaxRole)>,
    keys: Vec<Scope>,
}

impl Roles {
    pub(super) fn new() -> Roles {
        // A scope is unreadable only if it has more than eight words; ours have four at most.
        let mut table: Vec<_> = TABLE.iter().filter_map(|(name, role)| Some((Scope::new(name).ok()?, *role))).collect();
        table.sort_by_key(|(scope, _)| std::cmp::Reverse(scope.len()));
        Roles { table, keys: KEYS.iter().filter_map(|name| Scope::new(name).ok()).collect() }
    }

    /// The role under a stack of scopes: the innermost one that means something.
    pub(super) fn of(&self, stack: &[Scope]) -> SyntaxRole {
        let role = stack.iter().rev().find_map(|scope| self.of_scope(*scope)).unwrap_or_default();
        let key = || stack.iter().any(|scope| self.keys.iter().any(|key| key.is_prefix_of(*scope)));
        if role == SyntaxRole::String && key() { SyntaxRole::Property } else { role }
    }

    fn of_scope(&self, scope: Scope) -> Option<SyntaxRole> {
        self.table.iter().find(|(prefix, _)| prefix.is_prefix_of(scope)).map(|(_, role)| *role)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_and_longest_scope_counts() {
        let roles = Roles::new();
        assert_eq!(roles.table.len(), TABLE.len());
        let of = |names: &[&str]| roles.of(&names.iter().map(|name| Scope::new(name).unwrap()).collect::<Vec<_>>());
        for (stack, role) in [
            (&["source.rust"][..], SyntaxRole::Plain),
            (&["source.rust", "string.quoted", "constant.character.escape"], SyntaxRole::Constant),
            (&["source.rust", "constant.numeric.integer"], SyntaxRole::Number),
            (&["source.rust", "keyword.operator.assignment"], SyntaxRole::Operator),
            (&["source.rust", "comment.line", "meta.anything"], SyntaxRole::Comment),
            (&["source.json", "meta.mapping.key.json", "string.quoted.double.json"], SyntaxRole::Property),
            (&["source.x", "string.quoted", "meta.interpolation.x"], SyntaxRole::Plain),
            (&[], SyntaxRole::Plain),
        ] {
            assert_eq!(of(stack), role, "{stack:?}");
        }
    }
}
