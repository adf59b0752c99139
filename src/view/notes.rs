//! What a pane says about the lists it shows: loading, n of m, unavailable, being read again.
//! Must not know: what is in the lists.

use super::paint::{Canvas, Row};
use super::theme::Role;
use crate::app::geometry::Area;
use crate::core::facts::Facts;
use crate::core::listing::Listing;
use crate::core::remote::Remote;
use crate::core::time::{Time, render_age};
use crate::core::trouble::{Trouble, TroubleKind};

/// A short remark with its role.
pub type Note = (Role, String);

/// What is to be said about a list; nothing when it is whole and fresh.
pub fn of_list<T>(name: &str, list: &Remote<Listing<T>>, now: Time) -> Option<Note> {
    let count = list.value().map_or(0, |list| list.items.len());
    let gap = list.value().and_then(Listing::render_gap);
    match (list, gap) {
        (Remote::Refreshing(_), Some(_)) => Some((Role::Running, format!("◔ {name}: reading, {count} so far"))),
        (Remote::Ready(_), Some(gap)) => Some((Role::Warn, format!("! {name}: {gap}"))),
        (Remote::Failed { trouble, last: Some(last) }, gap) => {
            let gap = gap.map_or_else(String::new, |gap| format!("; {gap}"));
            Some((Role::Bad, format!("✗ {name} as of {} ago{gap}: {}", render_age(now, last.source.read_at), trouble.headline)))
        }
        _ => of_value(name, list, now),
    }
}

/// The same about the runs, which are not asked for before the pull request tells its head.
pub fn of_runs(facts: &Facts, now: Time) -> Option<Note> {
    match (&facts.runs, facts.pull.trouble()) {
        (Remote::Idle, Some(trouble)) => {
            let why = again(trouble);
            Some((Role::Bad, format!("✗ runs: not asked for, as the pull request could not be read. {why}")))
        }
        _ => of_list("runs", &facts.runs, now),
    }
}

/// With the way on: the key that tries again, unless it is named already. What a limit keeps back comes by itself.
fn again(trouble: &Trouble) -> String {
    if trouble.kind == TroubleKind::Limited && trouble.retry_at.is_some() {
        return format!("{} Then it is read again by itself.", trouble.headline);
    }
    let sentence = trouble.sentence();
    if sentence.contains("Press r") { sentence } else { format!("{sentence} Press r to read it again.") }
}

/// What is to be said about a single thing; nothing when it is fresh.
pub fn of_value<T>(name: &str, value: &Remote<T>, now: Time) -> Option<Note> {
    match value {
        Remote::Ready(_) => None,
        Remote::Idle => Some((Role::Dim, format!("· {name}: not read yet"))),
        Remote::Loading => Some((Role::Running, format!("◔ {name}: loading"))),
        Remote::Refreshing(_) => Some((Role::Running, format!("◔ {name}: being read again"))),
        Remote::Failed { trouble, last: None } => Some((Role::Bad, format!("✗ {name}: unavailable. {}", again(trouble)))),
        Remote::Failed { trouble, last: Some(last) } => {
            Some((Role::Bad, format!("✗ {name} as of {} ago: {}", render_age(now, last.source.read_at), trouble.headline)))
        }
    }
}

/// Draws the title line of a pane: its name, what it counts, and the notes behind, clipped before the name is.
pub fn draw_title(canvas: &mut Canvas<'_>, area: Area, focused: bool, title: &str, counts: &str, notes: &[Note]) {
    let role = if focused { Role::Accent } else { Role::Title };
    let mut row = Row::new().gap(1).text(role, title).gap(2).text(Role::Text, counts);
    for (at, (role, text)) in notes.iter().enumerate() {
        row = row.tail(Role::Dim, if at == 0 { "" } else { " · " }).tail(*role, text.as_str());
    }
    canvas.row(area, 0, &row);
}

/// Fills a pane that has no rows: each note in full, or `otherwise` when there is nothing to note.
pub fn draw_empty(canvas: &mut Canvas<'_>, area: Area, notes: &[Note], otherwise: &str) {
    let area = Area { x: area.x + 1, cols: area.cols.saturating_sub(2), ..area };
    let mut at = 1;
    for (role, text) in notes {
        at = canvas.paragraph(area, at, *role, text);
    }
    if notes.is_empty() {
        canvas.paragraph(area, at, Role::Dim, otherwise);
    }
}

/// What is left of a pane below its title and other rows above the list.
pub fn below(area: Area, rows: u16) -> Area {
    let rows = rows.min(area.rows);
    Area { y: area.y + rows, rows: area.rows - rows, ..area }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::evidence::Source;
    use crate::core::remote::Sourced;

    #[test]
    fn a_failure_names_the_key_that_tries_again() {
        let repo = crate::core::ids::RepoName { owner: "o".into(), name: "r".into() };
        let mut facts = Facts::new("https://github.com", repo, crate::core::ids::PullNumber(7));
        let said = |facts: &Facts| of_runs(facts, Default::default()).unwrap().1;
        assert_eq!(said(&facts), "· runs: not read yet");
        let trouble = Trouble::new(TroubleKind::Timeout, "h sent no answer within 20 s.", "");
        facts.pull = Remote::Failed { trouble: trouble.clone(), last: None };
        let key = "h sent no answer within 20 s. Press r to read it again.";
        assert_eq!(said(&facts), format!("✗ runs: not asked for, as the pull request could not be read. {key}"));
        let mut limited = Trouble::new(TroubleKind::Limited, "A pause until 12:00.", "Wait until then and try again.");
        limited.retry_at = Some(Time::default());
        facts.runs = Remote::Failed { trouble: limited, last: None };
        assert_eq!(said(&facts), "✗ runs: unavailable. A pause until 12:00. Then it is read again by itself.");
        facts.runs = Remote::Failed { trouble, last: None };
        assert_eq!(said(&facts), format!("✗ runs: unavailable. {key}"));
    }

    #[test]
    fn every_state_of_a_list_but_whole_and_fresh_is_said() {
        let now: Time = "2026-08-11T12:00:00Z".parse().unwrap();
        let source =
            Source { address: "/x".into(), commit: None, read_at: "2026-08-11T11:58:00Z".parse().unwrap(), digest: "".into() };
        let got = |value| Sourced { value, source: source.clone() };
        let trouble = || Trouble::new(TroubleKind::Server, "GitHub answered 502.", "Press r.");
        let whole = || Listing::complete(vec![1, 2]);
        let part = || Listing::partial(vec![1, 2], Some(5), trouble());
        let table = [
            (Remote::Ready(got(whole())), None),
            (Remote::Ready(got(part())), Some("! jobs: 2 of 5 read: GitHub answered 502.")),
            (Remote::Refreshing(got(part())), Some("◔ jobs: reading, 2 so far")),
            (Remote::Refreshing(got(whole())), Some("◔ jobs: being read again")),
            (Remote::Loading, Some("◔ jobs: loading")),
            (Remote::Idle, Some("· jobs: not read yet")),
            (Remote::Failed { trouble: trouble(), last: None }, Some("✗ jobs: unavailable. GitHub answered 502. Press r.")),
            (
                Remote::Failed { trouble: trouble(), last: Some(got(whole())) },
                Some("✗ jobs as of 2 m ago: GitHub answered 502."),
            ),
            (
                Remote::Failed { trouble: trouble(), last: Some(got(part())) },
                Some("✗ jobs as of 2 m ago; 2 of 5 read: GitHub answered 502.: GitHub answered 502."),
            ),
        ];
        for (list, said) in table {
            assert_eq!(of_list("jobs", &list, now).map(|(_, text)| text).as_deref(), said);
        }
    }
}
