//! Which keys mean which action where: the registry's defaults, changed by the user's key file.
//! Must not know: files.

use super::action::{ACTIONS, Action, Scope};
use super::key::{Code, Key};
use super::model::Model;

/// Keys per action, in the registry's order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keymap {
    bindings: Vec<(&'static str, Scope, Vec<Vec<Key>>)>,
}

/// A count and the beginning of a sequence, typed so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pending {
    pub count: Option<u32>,
    pub keys: Vec<Key>,
}

/// What the keys so far mean.
pub enum Meaning {
    Action(&'static Action),
    /// The beginning of a sequence.
    More,
    Nothing,
}

impl Default for Keymap {
    fn default() -> Self {
        let parse = |action: &Action| action.keys.iter().filter_map(|keys| Key::parse_sequence(keys)).collect();
        Keymap { bindings: ACTIONS.iter().map(|action| (action.name, action.scope, parse(action))).collect() }
    }
}

impl Keymap {
    /// Gives an action other keys; `Err` names what is wrong.
    pub fn bind(&mut self, name: &str, keys: &[String]) -> Result<(), String> {
        let mut sequences = Vec::new();
        for text in keys {
            sequences.push(Key::parse_sequence(text).ok_or_else(|| {
                format!(
                    "\"{text}\" is no key. Keys are written like j, G, C-d, A-x, F5, Space, Enter, or a sequence like \"g g\"."
                )
            })?);
        }
        let Some(entry) = self.bindings.iter_mut().find(|(known, _, _)| *known == name) else {
            return Err(format!("There is no action \"{name}\". The keys table in the README names them all."));
        };
        entry.2 = sequences;
        Ok(())
    }

    /// The keys of an action as text: `g g`, `Home`.
    pub fn keys(&self, name: &str) -> Vec<String> {
        let Some((_, _, sequences)) = self.bindings.iter().find(|(known, _, _)| *known == name) else { return Vec::new() };
        sequences.iter().map(|keys| keys.iter().map(Key::to_string).collect::<Vec<_>>().join(" ")).collect()
    }

    /// Looks the keys up in the scopes, innermost first.
    pub fn meaning(&self, scopes: &[Scope], keys: &[Key]) -> Meaning {
        for scope in scopes {
            let mut more = false;
            for (name, of, sequences) in &self.bindings {
                if of != scope {
                    continue;
                }
                for sequence in sequences {
                    if sequence == keys
                        && let Some(found) = ACTIONS.iter().find(|action| action.name == *name)
                    {
                        return Meaning::Action(found);
                    }
                    more |= sequence.len() > keys.len() && sequence.starts_with(keys);
                }
            }
            if more {
                return Meaning::More;
            }
        }
        Meaning::Nothing
    }
}

impl Pending {
    /// Takes a digit of a count. `0` only continues one, and a digit that is a key of its own is not taken.
    pub fn take_digit(&mut self, key: Key, model_scopes: &[Scope], keymap: &Keymap) -> bool {
        let Key { code: Code::Char(c), ctrl: false, alt: false } = key else { return false };
        let Some(digit) = c.to_digit(10) else { return false };
        // In a log every number is one of a line: no pane is a digit away.
        let is_line = model_scopes.contains(&Scope::JobLog) && digit != 0;
        let is_bound = !is_line && !matches!(keymap.meaning(model_scopes, &[key]), Meaning::Nothing);
        if !self.keys.is_empty() || (self.count.is_none() && is_bound) {
            return false;
        }
        self.count = Some(self.count.unwrap_or(0).saturating_mul(10).saturating_add(digit).min(99_999));
        true
    }

    pub fn clear(&mut self) {
        *self = Pending::default();
    }
}

/// Actions that the footer offers now: key and title, available ones only.
pub fn footer(model: &Model) -> Vec<(String, &'static str)> {
    let scopes = super::action::scopes(model);
    let mut out = Vec::new();
    for (index, scope) in scopes.iter().enumerate() {
        if scopes[..index].contains(scope) {
            continue;
        }
        for action in
            ACTIONS.iter().filter(|action| action.footer && action.scope == *scope && (action.available)(model).is_ok())
        {
            let keys = model.keymap.keys(action.name).into_iter().next();
            // One that an inner scope has does something else there.
            if let Some(keys) = keys.filter(|keys| out.iter().all(|(known, _)| known != keys)) {
                out.push((keys, action.title));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::model::Pane;

    #[test]
    fn no_two_actions_share_keys_in_one_scope() {
        let map = Keymap::default();
        for (i, (name, scope, sequences)) in map.bindings.iter().enumerate() {
            for (other, other_scope, others) in &map.bindings[i + 1..] {
                let clash = scope == other_scope
                    && sequences.iter().any(|keys| others.iter().any(|o| o.starts_with(keys) || keys.starts_with(o)));
                assert!(!clash, "{name} and {other} share a key");
            }
        }
    }

    #[test]
    fn a_pane_wins_over_everywhere_and_sequences_wait() {
        let map = Keymap::default();
        let key = |text: &str| Key::parse_sequence(text).unwrap();
        let scopes = [Scope::Pane(Pane::Sweep), Scope::Everywhere];
        assert!(matches!(map.meaning(&scopes, &key("Enter")), Meaning::Action(a) if a.name == "fold"));
        assert!(matches!(map.meaning(&scopes, &key("g")), Meaning::More));
        assert!(matches!(map.meaning(&scopes, &key("g g")), Meaning::Action(a) if a.name == "top"));
        assert!(matches!(map.meaning(&scopes, &key("}")), Meaning::Nothing));
    }

    #[test]
    fn binding_says_what_is_wrong() {
        let mut map = Keymap::default();
        assert_eq!(map.bind("post", &["X".into()]), Ok(()));
        assert_eq!(map.keys("post"), ["X"]);
        assert!(map.bind("post", &["Xx".into()]).unwrap_err().contains("\"Xx\" is no key"));
        assert!(map.bind("pst", &[]).unwrap_err().contains("no action \"pst\""));
    }
}
