//! The two rows at the top and the row of tabs: which pull request, at which head, as whom, and where the items stand.
//! Must not know: what the panes show.

use super::marks;
use super::paint::{Canvas, Row};
use super::theme::Role;
use crate::app::Model;
use crate::app::geometry::Area;
use crate::app::model::{DraftState, Pane, Reach};
use crate::core::checklist::{ItemState, TickState};
use crate::core::policy::Status;
use crate::core::pull::Pull;
use crate::core::remote::Remote;
use crate::core::time::render_age;
use crate::core::trouble::TroubleKind;

/// From here on there is room for what is nice to know.
const ROOMY: u16 = 100;
/// From here on all tabs are written out.
const TAB_COLS: u16 = 78;

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
    if model.is_loading() {
        row = row.right(Role::Running, " ⟳");
    }
    canvas.row(area, 0, &row.right(Role::Text, " "));
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
        (_, Some(then)) if roomy && model.is_loading() => Some(format!("cached {} · refreshing", ago(then))),
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

/// State, branches, head and size; where its items stand.
fn draw_state(canvas: &mut Canvas<'_>, model: &Model, area: Area) {
    let roomy = area.cols >= ROOMY;
    let mut row = Row::new().gap(1);
    if let Some(pull) = model.facts.pull.value() {
        let (word, role) = state(pull);
        row = row.text(role, word);
        if roomy {
            row = row.text(Role::Dim, " · ").text(Role::Text, pull.author.login.as_str()).text(Role::Dim, " → ");
            row = row.text(Role::Text, pull.base_branch.as_str());
        }
        row = row.text(Role::Dim, " · head ").text(Role::Title, pull.head.short()).text(Role::Dim, " · ");
        let files =
            if pull.changed_files == 1 { "1 file".to_owned() } else { format!("{} files", grouped(pull.changed_files)) };
        row = row.text(Role::Text, files);
        row = row.text(Role::Text, format!(" +{}", grouped(pull.additions)));
        row = row.text(Role::Text, format!(" −{}", grouped(pull.deletions)));
        if roomy && !pull.labels.is_empty() {
            row = row.text(Role::Dim, " · ").text(Role::Text, pull.labels.join(", "));
        }
    }
    canvas.row(area, 1, &checked(model, row, roomy).right(Role::Text, " "));
}

fn state(pull: &Pull) -> (&str, Role) {
    match (pull.merged, pull.draft, pull.state.as_str()) {
        (true, _, _) => ("merged", Role::Accent),
        (_, true, "open") => ("draft", Role::Warn),
        (_, _, "open") => ("open", Role::Good),
        (_, _, other) => (other, Role::Bad),
    }
}

/// Where the items stand, by state; zeros are told too, so that nothing failing can be seen. An item that only a person
/// can judge counts as open until it is ticked.
fn checked<'t>(model: &Model, mut row: Row<'t>, roomy: bool) -> Row<'t> {
    let Some(signoff) = model.signed() else { return row.right(Role::Dim, "nothing checked yet") };
    if roomy {
        row = row.right(Role::Dim, "checked ");
    }
    let always = [Status::Fail, Status::Warn, Status::Pass, Status::NeedsYou];
    for status in [Status::Fail, Status::Warn, Status::Unavailable, Status::Pass, Status::NeedsYou, Status::NotApplicable] {
        let counts =
            |item: &&ItemState| item.status == status && !(status == Status::NeedsYou && item.tick == TickState::Ticked);
        let count = signoff.items.iter().filter(counts).count();
        if count == 0 && !always.contains(&status) {
            continue;
        }
        let (mark, role) = marks::status(status);
        row = row.right(if count == 0 { Role::Dim } else { role }, format!(" {count} {mark}"));
    }
    row
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
            row = row.text(role, pane.title());
            if pane == Pane::Checklist {
                row = row.text(Role::Dim, ticked(model));
            }
        }
        row = row.gap(2);
    }
    let (role, text) = match &model.draft_state {
        DraftState::Saved if model.draft.is_untouched() => (Role::Dim, ""),
        DraftState::Saved => (Role::Dim, "draft saved"),
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
