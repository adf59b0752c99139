//! Stories of the palette: what it finds, and that it lists nothing that cannot be run from it.
//! Must not know: how it is drawn.

use super::joblog::{look, stage as logged};
use super::*;
use crate::app::action::{ACTIONS, Scope};
use crate::app::screens::palette::matches;

#[test]
fn names_come_before_sentences() {
    let stage = Stage::new(World::new());
    let found = |text| matches(&stage.model, text);
    assert_eq!(found("next hunk").first().map(|action| action.name), Some("next_hunk"));
    assert!(found("browser").iter().any(|action| action.name == "open"));
    assert!(found("zzz").is_empty());
}

#[test]
fn answers_are_never_listed_and_a_log_s_actions_only_while_one_is_open() {
    let mut stage = Stage::new(World::new()).open();
    let scopes = |stage: &Stage| -> Vec<Scope> { matches(&stage.model, "").iter().map(|action| action.scope).collect() };
    let of = |wanted: &[Scope]| ACTIONS.iter().filter(|action| wanted.contains(&action.scope)).count();
    let all = ACTIONS.len() - of(&[Scope::Confirm, Scope::Errand]);
    assert_eq!(scopes(&stage).len(), all - of(&[Scope::JobLog]));
    // Nor while a question stands: the palette lies over it.
    stage.keys("Space Space Space Space 5 p");
    assert!(stage.model.posting.question().is_some());
    assert!(matches(&stage.model, "confirm").is_empty() && matches(&stage.model, "cancel_post").is_empty());
    let mut stage = logged("text\n");
    look(&mut stage, 6);
    assert_eq!(scopes(&stage).len(), all);
    stage.keys(": j o b _ l o g _ t i m e s Enter");
    assert!(stage.model.joblog.as_ref().is_some_and(|log| log.times), "{}", stage.notice());
}
