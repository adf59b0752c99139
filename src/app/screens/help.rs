//! The help page: all actions by scope, those in force first.
//! Must not know: how it is drawn.

use crate::app::action::{ACTIONS, Action, Scope};

/// One row of the page.
#[derive(Clone, Copy)]
pub enum Line {
    Heading(Scope),
    Entry(&'static Action),
    Gap,
}

/// Scopes in force first, innermost first; then the others in the registry's order.
pub fn lines(in_force: &[Scope]) -> Vec<Line> {
    let mut order: Vec<Scope> = Vec::new();
    for scope in in_force.iter().copied().chain(ACTIONS.iter().map(|action| action.scope)) {
        if !order.contains(&scope) {
            order.push(scope);
        }
    }
    let mut out = Vec::new();
    for scope in order {
        if !out.is_empty() {
            out.push(Line::Gap);
        }
        out.push(Line::Heading(scope));
        out.extend(ACTIONS.iter().filter(|action| action.scope == scope).map(Line::Entry));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::model::Pane;

    #[test]
    fn every_action_stands_once_and_what_works_here_comes_first() {
        let lines = lines(&[Scope::Pane(Pane::Sweep), Scope::Everywhere]);
        let entries: Vec<_> = lines
            .iter()
            .filter_map(|line| match line {
                Line::Entry(action) => Some(action.name),
                _ => None,
            })
            .collect();
        assert_eq!(entries.len(), ACTIONS.len());
        assert!(matches!(lines.first(), Some(Line::Heading(Scope::Pane(Pane::Sweep)))));
        assert_eq!(entries.first(), Some(&"fold"));
    }
}
