//! The sign-off: where posting stands, what is wrong with the text, and the exact Markdown that will be posted.
//! Must not know: how the text is composed.

use crate::app::Model;
use crate::app::geometry::{Area, body_rows, signoff_head};
use crate::app::model::Pane;
use crate::app::screens::signoff::Tone;
use crate::core::checklist::{Rendered, Signoff, TickState};
use crate::core::posting::{MAX_CHARS, Target};
use crate::view::evidence;
use crate::view::header::grouped;
use crate::view::marks;
use crate::view::notes;
use crate::view::paint::{Canvas, Row};
use crate::view::theme::Role;
use ratatui::style::Style;
use std::ops::Range;

pub fn draw(canvas: &mut Canvas<'_>, model: &Model, area: Area) {
    let focused = model.focus == Pane::Signoff;
    let above = signoff_head(area, model).min(area.rows);
    let body = Area { rows: body_rows(area, Pane::Signoff, model), ..notes::below(area, above) };
    let body = Area { x: body.x + 1, cols: body.cols.saturating_sub(2), ..body };
    draw_head(canvas, model, area, focused);
    for (at, note) in model.signoff.notes.iter().enumerate().take(usize::from(above.saturating_sub(2))) {
        let (mark, role) = tone(note.tone);
        canvas.row(area, 2 + at, &Row::new().gap(1).text(role, mark).gap(1).text(role, note.text.as_str()));
    }
    let Some(signoff) = model.signed() else {
        let empty: Vec<_> = match &model.review.signoff {
            Some(Err(trouble)) => vec![(Role::Bad, format!("✗ {}", trouble.sentence()))],
            _ => vec![(Role::Running, "◔ The template is still being read.".to_owned())],
        };
        notes::draw_empty(canvas, body, &empty, "");
        if focused {
            canvas.focus(area, 0, 0);
        }
        return;
    };
    let scroll = model.signoff.scroll;
    if let Some(rows) = &model.signoff.preview {
        for (at, row) in rows.iter().enumerate().skip(scroll.top).take(usize::from(body.rows)) {
            let here = at == scroll.cursor;
            let empty = Row::new().on(marks::ground(here, focused));
            let line = row.spans.iter().fold(empty, |line, (text, role)| line.text(Role::of_text(*role), text.as_str()));
            canvas.row(body, at - scroll.top, &line);
            if here && focused {
                canvas.focus(body, 0, at - scroll.top);
            }
        }
        return;
    }
    draw_support(canvas, model, signoff, Area { y: body.y + body.rows, rows: 1, ..body });
    let lost = lost(signoff);
    for (at, range) in model.signoff.rows.iter().enumerate().skip(scroll.top).take(usize::from(body.rows)) {
        let here = at == scroll.cursor;
        let text = signoff.rendered.text.get(range.clone()).unwrap_or_default();
        let mut styles = styles(canvas, &signoff.rendered, range, text);
        for gone in lost.iter().filter(|gone| gone.start < range.end && range.start < gone.end) {
            let here = gone.start.saturating_sub(range.start)..(gone.end - range.start).min(text.len());
            styles.retain(|(fact, _)| fact.end <= here.start || here.end <= fact.start);
            styles.push((here, canvas.style(Role::Stale)));
        }
        styles.sort_by_key(|(range, _)| range.start);
        canvas.code(body, at - scroll.top, text, &styles, 0, marks::ground(here, focused));
        if here && focused {
            canvas.focus(body, 0, at - scroll.top);
        }
    }
}

/// What the row under the cursor rests on: source, commit, age.
fn draw_support(canvas: &mut Canvas<'_>, model: &Model, signoff: &Signoff, area: Area) {
    let found = model.signoff.evidence(signoff);
    let Some(first) = found.first() else { return };
    let row = evidence::row(Row::new(), first, model.now);
    canvas.row(
        area,
        0,
        &match found.len() {
            1 => row,
            more => row.right(Role::Dim, format!(" +{} more", more - 1)),
        },
    );
}

/// Title and size, target and identity.
fn draw_head(canvas: &mut Canvas<'_>, model: &Model, area: Area, focused: bool) {
    let Some(signoff) = model.signed() else {
        return notes::draw_title(canvas, area, focused, "Sign-off", "", &[]);
    };
    let chars = signoff.rendered.text.chars().count();
    let role = if chars > MAX_CHARS { Role::Bad } else { Role::Dim };
    let mut row = Row::new().gap(1).text(if focused { Role::Accent } else { Role::Title }, "Sign-off").gap(2);
    let count = |state| signoff.items.iter().filter(|item| item.tick == state).count();
    row = row.text(Role::Text, format!("{} of {} ticked", count(TickState::Ticked), signoff.items.len()));
    let stale = count(TickState::Stale);
    if stale > 0 {
        row = row.text(Role::Stale, format!(" · {stale} stale"));
    }
    row = row.text(Role::Dim, if signoff.edited { " · details: yours" } else { " · details: drafted from evidence" });
    row = row.right(role, format!("{} / {} ", grouped(chars as u64), grouped(MAX_CHARS as u64)));
    canvas.row(area, 0, &row);
    let who = match model.facts.viewer.value() {
        Some(viewer) => (Role::Text, format!("as {}", viewer.login)),
        None => (Role::Warn, "as nobody: there is no identity".to_owned()),
    };
    let target = match Target::of(&model.draft) {
        target @ Target::New(_) => target.noun().to_owned(),
        target @ Target::Edit(_) => target.to_string(),
    };
    let mut row = Row::new().gap(1).text(Role::Dim, target).text(Role::Dim, " · ").text(who.0, who.1);
    row = row.text(Role::Dim, format!(" · {}/{} #{}", model.session.host, model.facts.repo, model.facts.number));
    if let Some(head) = model.facts.head() {
        row = row.text(Role::Dim, " · head ").text(Role::Text, head.short());
    }
    canvas.row(area, 1, &row);
}

/// The mark and role of what is said above a text.
pub fn tone(tone: Tone) -> (&'static str, Role) {
    match tone {
        Tone::Calm => ("·", Role::Text),
        Tone::Good => ("✓", Role::Good),
        Tone::Warn => ("!", Role::Warn),
        Tone::Bad => ("✗", Role::Bad),
        Tone::Busy => ("◔", Role::Running),
    }
}

/// Where the comment says what nothing supports any more.
fn lost(signoff: &Signoff) -> Vec<Range<usize>> {
    if signoff.lost.is_empty() {
        return Vec::new();
    }
    let Some(details) = signoff.rendered.text.find(signoff.detail.trim_end()) else { return Vec::new() };
    signoff.lost.iter().map(|lost| details + lost.range.start..details + lost.range.end).collect()
}

/// What of a row the evidence supports.
fn styles(canvas: &Canvas<'_>, rendered: &Rendered, row: &Range<usize>, text: &str) -> Vec<(Range<usize>, Style)> {
    let style = canvas.style(Role::Fact);
    // Facts rise: those before the row are skipped by halving.
    let first = rendered.facts.partition_point(|(range, _)| range.end <= row.start);
    let here = rendered.facts.iter().skip(first).take_while(|(range, _)| range.start < row.end);
    here.map(|(range, _)| (range.start.saturating_sub(row.start)..(range.end - row.start).min(text.len()), style)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::policy::tests::policy;
    use crate::core::review::Review;
    use crate::core::sample::World;
    use crate::core::session::{Draft, DraftedParagraph};

    #[test]
    fn what_lost_its_support_is_found_in_the_comment() {
        let (policy, facts) = (policy(), World::new().opened(&policy()));
        let mut draft = Draft::new("h", facts.repo.clone(), facts.number);
        let then = "- **Validation**: 99 benchmark jobs executed";
        draft.detail = Some(format!("{then}, and I looked at each.\n"));
        draft.drafted = vec![DraftedParagraph {
            topic: "validation".into(),
            text: then.to_owned(),
            facts: vec!["99 benchmark jobs executed".to_owned()],
        }];
        let review = Review::draw(&policy, &facts, &draft, None);
        let signoff = review.signed().unwrap();
        let marked: Vec<&str> = lost(signoff).into_iter().map(|range| &signoff.rendered.text[range]).collect();
        assert_eq!(marked, ["99 benchmark jobs executed"]);
    }
}
