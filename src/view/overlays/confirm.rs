//! The one question before a sign-off is sent: as whom, where, for what commit, in which way, how much of the list is
//! ticked, and what the bot will certainly reject.
//! Must not know: how it is sent.

use super::centred;
use crate::app::Model;
use crate::app::geometry::Area;
use crate::core::checklist::TickState;
use crate::core::posting::{MAX_CHARS, Posting, Prepared, Target};
use crate::core::session::Way;
use crate::view::header::grouped;
use crate::view::paint::{Canvas, Row};
use crate::view::theme::Role;

/// Columns of the names at the left.
const NAME: usize = 8;
/// Rows of the box where there is little to say.
const ROWS: usize = 12;
/// Rows around what is said: the border, the keys, and air above them.
const FRAME: usize = 5;

/// When a row gives way on a small screen: the title says the way too, and what is too long is blocked before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gives {
    Never,
    Third,
    Second,
    First,
}

pub fn draw(canvas: &mut Canvas<'_>, model: &Model, screen: Area, prepared: &Prepared) {
    let warned = matches!(model.posting, Posting::Warned(_));
    let title = match prepared.target {
        Target::New(_) => format!("Post this {}?", prepared.target.noun()),
        Target::Edit(signoff) => format!("Edit {} {} in place?", prepared.target.noun(), signoff.id),
    };
    let mut rows =
        if warned { place(prepared) } else { Vec::from_iter(place(prepared).into_iter().chain(text(model, prepared))) };
    if model.session.recording.is_some() {
        rows.push((Gives::Never, Row::new().text(Role::Warn, "! Nothing leaves this machine.")));
    }
    let inside = canvas.popup(centred(screen, 68, u16::try_from(rows.len() + FRAME).unwrap_or(0).max(ROWS as u16)), &title);
    let last = usize::from(inside.rows.saturating_sub(1));
    while rows.len() > last {
        let Some(at) = (0..rows.len()).filter(|&at| rows[at].0 > Gives::Never).max_by_key(|&at| rows[at].0) else { break };
        rows.remove(at);
    }
    let mut at = usize::from(inside.rows > 9);
    for (_, row) in &rows {
        canvas.row(inside, at, row);
        at += 1;
    }
    let key = |name: &str| model.keymap.keys(name).into_iter().next().unwrap_or_default();
    let (word, says) =
        if warned { ("confirm_despite", " post all the same   ") } else { ("confirm_post", " post it, once   ") };
    if warned {
        let told = format!("The bot will reject this: {}. Press {} to post all the same.", prepared.failures(), key(word));
        let room = Area { rows: inside.rows.saturating_sub(1), ..inside };
        canvas.paragraph(room, at, Role::Bad, &told);
    }
    let row = Row::new()
        .text(Role::Key, key(word))
        .text(Role::Text, says)
        .text(Role::Key, key("cancel_post"))
        .text(Role::Text, " do not");
    canvas.row(inside, last, &row);
    canvas.focus(inside, 0, last);
}

fn named(name: &'static str, role: Role, value: String) -> Row<'static> {
    Row::new().column(Role::Dim, name, NAME).text(role, value)
}

/// As whom and where.
fn place(prepared: &Prepared) -> Vec<(Gives, Row<'static>)> {
    let rows = [
        ("as", prepared.viewer.login.to_string()),
        ("host", prepared.host.clone()),
        ("to", format!("{} #{}", prepared.repo, prepared.number)),
        ("head", format!("{} ({})", prepared.head.short(), prepared.head)),
    ];
    rows.into_iter().map(|(name, value)| (Gives::Never, named(name, Role::Title, value))).collect()
}

/// In which way, and what.
fn text(model: &Model, prepared: &Prepared) -> Vec<(Gives, Row<'static>)> {
    let chars = prepared.text.chars().count();
    let size = format!("{} / {}", grouped(chars as u64), grouped(MAX_CHARS as u64));
    let mut rows = vec![(Gives::First, named("way", Role::Title, prepared.target.to_string()))];
    if prepared.target == Target::New(Way::Approve) {
        rows.push((Gives::Never, auto_merge(prepared.auto_merge)));
    }
    if matches!(prepared.target, Target::New(Way::Review | Way::Approve)) {
        // With a pending review of the viewer's it would be blocked.
        rows.push((Gives::First, named("with", Role::Title, "no pending inline comments".to_owned())));
    }
    rows.push((Gives::Second, named("size", Role::Title, size)));
    rows.push((Gives::Third, ticks(model)));
    if !prepared.despite.is_empty() {
        rows.push((Gives::Never, named("fails", Role::Bad, format!("✗ {}", prepared.failures()))));
    }
    rows
}

/// What an approval may set off.
fn auto_merge(on: Option<bool>) -> Row<'static> {
    let (role, told) = match on {
        Some(false) => (Role::Title, "auto-merge is off"),
        Some(true) => (Role::Warn, "! auto-merge is on: GitHub may merge"),
        None => (Role::Warn, "! GitHub did not say if it is automatic"),
    };
    named("merge", role, told.to_owned())
}

/// How many items are ticked; those that are not are the reviewer's decision, and said.
fn ticks(model: &Model) -> Row<'static> {
    let items = model.signed().map(|signoff| signoff.items.as_slice()).unwrap_or_default();
    let ticked = items.iter().filter(|item| item.tick == TickState::Ticked).count();
    let open = items.len() - ticked;
    let row = named("items", Role::Title, format!("{ticked} ticked"));
    match open {
        0 => row.text(Role::Dim, ", none unticked"),
        open => row.text(Role::Warn, format!(", ! {open} unticked")),
    }
}
