//! The two rows at the top and the row of tabs: which pull request, at which head, as whom, and what the bot will answer.
//! Must not know: what the panes show.

use super::marks;
use super::paint::{Canvas, Row};
use super::theme::Role;
use crate::app::Model;
use crate::app::geometry::Area;
use crate::app::model::{DraftState, Pane, Reach};
use crate::app::screens::checks::{Outlook, count, outlook, said};
use crate::core::checklist::TickState;
use crate::core::policy::Status;
use crate::core::pull::Pull;
use crate::core::remote::Remote;
use crate::core::time::render_age;
use crate::core::trouble::TroubleKind;
use crate::core::verdict;

/// From here on there is room for what is nice to know.
const ROOMY: u16 = 100;
/// From here on all tabs are written out.
const TAB_COLS: u16 = 78;
/// From here on the prediction is in words, also beside the bot's answer.
const WORDY: u16 = 140;

pub fn draw(canvas: &mut Canvas<'_>, model: &Model, area: Area) {
    draw_identity(canvas, model, area);
    draw_state(canvas, model, area);
}

/// Repository, number and title; who is asking, and of what.
fn draw_identity(canvas: &mut Canvas<'_>, model: &Model, area: Area) {
    let roomy = area.cols >= ROOMY;
    let facts = &model.facts;
    let repo = if roomy { facts.repo.to_string() } else { facts.repo.name.clone() };
    let mut row = Row::new().gap(1).text(Role::Dim, repo).text(Role::Accent, format!(" #{}", facts.number)).gap(2);
    row = match (&facts.pull, facts.pull.value()) {
        (_, Some(pull)) => row.text(Role::Title, pull.title.as_str()),
        (Remote::Failed { trouble, .. }, None) => row.text(Role::Bad, format!("✗ {}", trouble.headline)),
        _ => row.text(Role::Running, "◔ loading"),
    };
    if let Some(text) = kept(model, roomy) {
        row = row.right(Role::Dim, format!("{text}  "));
    }
    row = row.right(identity(model).0, identity(model).1);
    row = match (model.countdown(), model.budget) {
        (Some(left), _) if roomy => row.right(Role::Warn, format!("  ! GitHub's limit: goes on in {left}")),
        (Some(left), _) => row.right(Role::Warn, format!("  ! limit {left}")),
        // Said before it is used up, also where there is little room.
        (None, Some((left, of))) if left.saturating_mul(10) < of => {
            let of = if roomy { format!(" of {}", grouped(of)) } else { String::new() };
            row.right(Role::Warn, format!("  ! budget {}{of}", grouped(left)))
        }
        (None, Some((left, _))) if roomy => row.right(Role::Dim, format!("  budget {}", grouped(left))),
        (None, _) => row,
    };
    if is_on_its_way(model) {
        row = row.right(Role::Running, " ⟳");
    }
    canvas.row(area, 0, &row.right(Role::Text, " "));
}

/// Something is being read; what was kept is read again as soon as it stands on screen.
fn is_on_its_way(model: &Model) -> bool {
    model.is_loading() || matches!(model.reach, Reach::Recalling { .. })
}

/// That what is on screen comes from an earlier visit, and how old the oldest of it is.
fn kept(model: &Model, roomy: bool) -> Option<String> {
    let ago = |then| match render_age(model.now, then) {
        now if now == "now" => "just now".to_owned(),
        age if roomy => format!("{age} ago"),
        age => age,
    };
    match (&model.reach, model.kept_since()) {
        (Reach::Offline, Some(then)) if roomy => Some(format!("offline · read {}", ago(then))),
        (Reach::Offline, Some(then)) => Some(format!("offline {}", ago(then))),
        (Reach::Offline, None) => Some("offline".to_owned()),
        (_, Some(then)) if roomy && is_on_its_way(model) => Some(format!("cached {} · refreshing", ago(then))),
        (_, Some(then)) => Some(format!("cached {}", ago(then))),
        (_, None) => None,
    }
}

fn identity(model: &Model) -> (Role, String) {
    if model.session.recording.is_some() {
        let short = "recording · nothing leaves this machine";
        return (Role::Warn, short.to_owned());
    }
    match &model.facts.viewer {
        Remote::Failed { trouble, last: None } if trouble.kind == TroubleKind::Access => {
            (Role::Warn, "read-only: no token".to_owned())
        }
        Remote::Failed { trouble, last: None } if trouble.kind == TroubleKind::Uncached => (Role::Dim, "nobody".to_owned()),
        Remote::Failed { .. } => (Role::Bad, "✗ who you are: not read".to_owned()),
        viewer => match viewer.value() {
            Some(viewer) => (Role::Text, format!("{}@{}", viewer.login, model.session.host.trim_start_matches("api."))),
            None => (Role::Running, "◔ who you are".to_owned()),
        },
    }
}

/// State, branches, head and size; what the bot will answer.
fn draw_state(canvas: &mut Canvas<'_>, model: &Model, area: Area) {
    let roomy = area.cols >= ROOMY;
    let mut row = Row::new().gap(1);
    if let Some(pull) = model.facts.pull.value() {
        let (word, role) = state(pull);
        row = row.text(role, word);
        // The head stands in front: what is predicted is predicted for it.
        row = row.text(Role::Dim, " · head ").text(Role::Title, pull.head.short()).text(Role::Dim, " · ");
        if roomy {
            row = row.text(Role::Text, pull.author.login.as_str()).text(Role::Dim, " → ");
            row = row.text(Role::Text, pull.base_branch.as_str()).text(Role::Dim, " · ");
        }
        if roomy {
            let files =
                if pull.changed_files == 1 { "1 file ".to_owned() } else { format!("{} files ", grouped(pull.changed_files)) };
            row = row.text(Role::Text, files);
        }
        row = row.text(Role::Text, format!("+{}", grouped(pull.additions)));
        row = row.text(Role::Text, format!(" −{}", grouped(pull.deletions)));
        if roomy && !pull.labels.is_empty() {
            row = row.text(Role::Dim, " · ").text(Role::Text, pull.labels.join(", "));
        }
    }
    canvas.row(area, 1, &predicted(model, row, area.cols).right(Role::Text, " "));
}

fn state(pull: &Pull) -> (&str, Role) {
    match (pull.merged, pull.draft, pull.state.as_str()) {
        (true, _, _) => ("merged", Role::Accent),
        (_, true, "open") => ("draft", Role::Warn),
        (_, _, "open") => ("open", Role::Good),
        (_, _, other) => (other, Role::Bad),
    }
}

/// What the bot will answer to exactly this text at this head, and what it did answer. Where there is little room, marks
/// stand for words.
fn predicted<'t>(model: &Model, row: Row<'t>, cols: u16) -> Row<'t> {
    let roomy = cols >= ROOMY;
    let overall = match outlook(model) {
        Outlook::Reading => return row.right(Role::Dim, "predicted ").right(Role::Running, "◔ reading …"),
        Outlook::Predicted(overall) => overall,
    };
    let (mark, word, role) = marks::overall(overall);
    let mut row = row.right(Role::Dim, "predicted ").right(role, format!("{mark} {word}"));
    let spoken = model.review.spoken.as_ref().filter(|spoken| spoken.stale.is_empty());
    if roomy || spoken.is_none() {
        let words = cols >= WORDY || roomy && spoken.is_none();
        let counted = counts(model, words).into_iter().filter(|(role, _)| *role != Role::Dim);
        for (at, (role, text)) in counted.enumerate() {
            let between = if words { ", " } else { " " };
            row = row.right(Role::Dim, if at == 0 { " · " } else { between }).right(role, text);
        }
    }
    if roomy && !model.review.changed.is_empty() {
        row = row.right(Role::Dim, " · ").right(Role::Warn, "rules changed");
    }
    if let Some(spoken) = spoken {
        let (mark, role) = match spoken.verdict.overall {
            verdict::Overall::Pass => ("✓", Role::Good),
            verdict::Overall::Warn => ("!", Role::Warn),
            verdict::Overall::Unread => ("?", Role::Needs),
            verdict::Overall::Rejected => ("✗", Role::Bad),
        };
        row = row.right(Role::Dim, if roomy { " · bot said " } else { " · bot " });
        row = row.right(role, format!("{mark} {}", said(spoken.verdict.overall)));
    }
    row
}

/// How many checks stand how: what is green or beside the point only where there is room for words.
pub fn counts(model: &Model, words: bool) -> Vec<(Role, String)> {
    let table = [
        (Status::Fail, "fail"),
        (Status::Warn, "warn"),
        (Status::NeedsYou, "need you"),
        (Status::Unavailable, "unread"),
        (Status::Pass, "pass"),
        (Status::NotApplicable, "n/a"),
    ];
    let told = |(status, word): (Status, &str)| {
        let quiet = matches!(status, Status::Pass | Status::NotApplicable);
        let count = count(model, status);
        let (mark, role) = marks::status(status);
        let word = if status == Status::NeedsYou && count == 1 { "needs you" } else { word };
        let text = if words { format!("{count} {word}") } else { format!("{count}{mark}") };
        (count > 0 && (words || !quiet)).then_some((if quiet { Role::Dim } else { role }, text))
    };
    table.into_iter().filter_map(told).collect()
}

/// The panes by their keys; whether the draft is on disk.
pub fn draw_tabs(canvas: &mut Canvas<'_>, model: &Model, area: Area) {
    let roomy = area.cols >= TAB_COLS;
    let mut row = Row::new().gap(1);
    for pane in Pane::ALL {
        let key = model.keymap.keys(action_name(pane)).into_iter().next().unwrap_or_default();
        let active = pane == model.focus;
        let shown = pane == model.beside && model.focus == Pane::Checklist && area.cols >= crate::app::geometry::WIDE_COLS;
        row = row.text(Role::Key, format!("{key} "));
        if roomy || active {
            let role = match (active, shown) {
                (true, _) => Role::Tab,
                (_, true) => Role::Title,
                _ => Role::Dim,
            };
            row = row.text(role, if area.cols >= ROOMY { pane.title() } else { pane.short_title() });
            if pane == Pane::Checklist && area.cols >= ROOMY {
                row = row.text(Role::Dim, ticked(model));
            }
        }
        row = row.gap(if area.cols >= ROOMY { 2 } else { usize::from(pane != Pane::Results) });
    }
    let (role, text) = match &model.draft_state {
        DraftState::Saved if model.draft.is_untouched() => (Role::Dim, ""),
        DraftState::Saved if area.cols < ROOMY => (Role::Dim, "saved"),
        DraftState::Saved => (Role::Dim, "draft saved"),
        DraftState::Saving if area.cols < ROOMY => (Role::Running, "◔"),
        DraftState::Saving => (Role::Running, "◔ saving"),
        DraftState::Failed(_) => (Role::Bad, "✗ draft not saved"),
        DraftState::ReadOnly(_) => (Role::Warn, "draft read-only"),
    };
    canvas.row(area, 0, &row.right(role, text).right(Role::Text, " "));
}

fn ticked(model: &Model) -> String {
    let Some(signoff) = model.signed() else { return String::new() };
    let count = signoff.items.iter().filter(|item| item.tick == TickState::Ticked).count();
    format!(" {count}/{}", signoff.items.len())
}

fn action_name(pane: Pane) -> &'static str {
    match pane {
        Pane::Checklist => "checklist",
        Pane::Diff => "diff",
        Pane::Sweep => "sweep",
        Pane::Evals => "evals",
        Pane::Talk => "talk",
        Pane::Signoff => "signoff",
        Pane::Checks => "checks",
        Pane::Points => "points",
        Pane::Results => "results",
    }
}

/// A number with its thousands apart.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn thousands_are_apart() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (65_536, "65,536"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), text);
        }
    }
}
