//! Which keys the names in a changelog entry stand for: a pattern stays one thing, however many keys it matches.
//! Must not know: master files, entries.

/// A name in a changelog entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    Key(String),
    /// No master file has such a key.
    Missing(String),
    /// `gptoss*`, or `*` for a shared change.
    Pattern {
        pattern: String,
        count: usize,
    },
}

impl Named {
    /// Compares a name with the keys of all master files.
    pub fn of<'k>(name: &str, keys: impl IntoIterator<Item = &'k str>) -> Named {
        let mut keys = keys.into_iter();
        if name.contains('*') {
            return Named::Pattern { pattern: name.to_owned(), count: keys.filter(|key| matches(name, key)).count() };
        }
        if keys.any(|key| key == name) { Named::Key(name.to_owned()) } else { Named::Missing(name.to_owned()) }
    }

    /// Whether the name stands for this key.
    pub fn covers(&self, key: &str) -> bool {
        match self {
            Named::Key(name) => name == key,
            Named::Missing(_) => false,
            Named::Pattern { pattern, .. } => matches(pattern, key),
        }
    }

    /// `gptoss* (12 keys)`.
    pub fn render(&self) -> String {
        match self {
            Named::Key(name) => name.clone(),
            Named::Missing(name) => format!("{name} (no such key)"),
            Named::Pattern { pattern, count: 1 } => format!("{pattern} (1 key)"),
            Named::Pattern { pattern, count } => format!("{pattern} ({count} keys)"),
        }
    }
}

/// Whether a pattern matches the whole key. `*` stands for any characters, also none; nothing else is special.
pub fn matches(pattern: &str, key: &str) -> bool {
    let mut parts = pattern.split('*');
    let (Some(first), Some(mut rest)) = (parts.next(), key.strip_prefix(pattern.split('*').next().unwrap_or_default())) else {
        return false;
    };
    let middle: Vec<&str> = parts.collect();
    let Some((last, middle)) = middle.split_last() else { return first == key };
    for part in middle {
        // The earliest place is the best: it leaves most for what follows.
        let Some(at) = rest.find(part) else { return false };
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    rest.ends_with(last)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_pattern_matches_the_whole_key() {
        let table = [
            ("a", "a", true),
            ("a", "ab", false),
            ("*", "", true),
            ("*", "anything", true),
            ("a*", "ab", true),
            ("*b", "ab", true),
            ("*b", "ba", false),
            ("a*a", "a", false),
            ("a*a", "aa", true),
            ("a*b*c", "axbxbc", true),
            ("a*b*c", "acb", false),
            ("**", "x", true),
            ("a.c", "abc", false),
            ("a?", "ab", false),
        ];
        for (pattern, key, want) in table {
            assert_eq!(matches(pattern, key), want, "{pattern} {key}");
        }
    }

    #[test]
    fn a_pattern_is_counted_and_not_expanded() {
        let keys = ["a-1", "a-2", "b"];
        let shown = |name: &str| Named::of(name, keys).render();
        assert_eq!(
            ["*", "a*", "b*", "b", "c", "c*"].map(shown),
            ["* (3 keys)", "a* (2 keys)", "b* (1 key)", "b", "c (no such key)", "c* (0 keys)"]
        );
        assert!(Named::of("a*", keys).covers("a-9") && !Named::of("c", keys).covers("c"));
    }

    proptest! {
        #[test]
        fn a_pattern_is_what_a_regular_expression_says(pattern in "[ab*é]{0,8}", key in "[abé]{0,10}") {
            let expression = format!("^{}$", pattern.replace('*', ".*"));
            prop_assert_eq!(matches(&pattern, &key), regex::Regex::new(&expression).unwrap().is_match(&key));
        }
    }
}
