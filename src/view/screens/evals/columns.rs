//! Scores in columns: one per row, or strict and flexible side by side where there is room.
//! Must not know: where rows stand.

use crate::app::Model;
use crate::app::screens::evals::{EvalLine, Shown, lines};
use crate::core::evals::{Arm, BarSource, JudgedRow, Place, Scored, Spot};
use crate::core::text::width;
use crate::view::gauge::{self, Ink};
use crate::view::paint::Row;
use crate::view::theme::Role;

/// The mark of a score and what it means.
pub fn mark(score: &JudgedRow) -> (&'static str, Role, &'static str) {
    match (score.pass, score.is_diagnostic()) {
        (Some(true), _) => ("✓", Role::Good, "reaches its bar"),
        (Some(false), _) if score.n == Some(0) => ("✗", Role::Bad, "rests on no sample"),
        (Some(false), _) => ("✗", Role::Bad, "below its bar"),
        (None, true) => ("–", Role::Dim, "diagnostic: a bar of 0 is no bar"),
        (None, false) => ("◔", Role::Running, "not judged: the bars are not read"),
    }
}

/// The one of these scores that decides: the lowest of those that miss the bar, else the lowest.
pub fn worst<'j>(scores: &'j [JudgedRow]) -> Option<&'j JudgedRow> {
    let key = |row: &&'j JudgedRow| (row.pass != Some(false), row.score);
    scores.iter().min_by(|a, b| {
        let ((a, low), (b, other)) = (key(a), key(b));
        a.cmp(&b).then(low.total_cmp(&other))
    })
}

/// `strict` for `em_strict`: exact match goes without saying in a narrow column.
pub fn short(metric: &str) -> &str {
    metric.strip_prefix("em_").filter(|rest| !rest.is_empty()).unwrap_or(metric)
}

/// What a point is called below the title of its arm.
pub fn point(arm: &Arm, scored: &Scored) -> String {
    if arm.name.place.is_some() { scored.spot.render_conc() } else { scored.spot.render_point() }
}

/// Columns of [`point`], without making its text: all rows of the pane are asked in every frame.
fn point_columns(arm: &Arm, spot: &Spot) -> usize {
    let conc = spot.conc.iter().map(|&conc| 1 + digits(conc.into())).sum::<usize>().max(1);
    if arm.name.place.is_some() {
        return conc;
    }
    let Place { parallel, spec, kv, kv_backend } = &spot.place;
    let words = [spec, kv, kv_backend].into_iter().flatten().map(|word| 1 + columns(word)).sum::<usize>();
    columns(parallel) + words + 1 + conc
}

fn columns(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { width::of(text) }
}

fn digits(number: u64) -> usize {
    number.checked_ilog10().map_or(1, |log| log as usize + 1)
}

/// How wide each column is, for all rows of the pane alike.
pub struct Columns {
    point: usize,
    task: usize,
    /// Names of the scores that stand side by side.
    metrics: Vec<usize>,
    n: usize,
    gauge: usize,
    ink: Ink,
}

impl Columns {
    /// Columns of a score and its error, and of the bar with the margin.
    const SCORE: usize = 14;
    const BAR: usize = 15;
    /// Cursor, indent, mark, and a gap behind mark, point and task.
    const FIXED: usize = 6;

    pub fn of(model: &Model, cols: usize) -> Columns {
        let mut out = Columns { point: 0, task: 0, metrics: Vec::new(), n: 0, gauge: 0, ink: Ink::of(model.session.braille) };
        for line in lines(model) {
            let EvalLine::Score(shown) = line else { continue };
            out.metrics.resize(out.metrics.len().max(shown.scores.len()), 0);
            for (cols, score) in out.metrics.iter_mut().zip(shown.scores) {
                *cols = (*cols).max(1 + columns(short(&score.metric)).min(8));
                out.n = out.n.max(2 + score.n.map_or(1, digits));
            }
            if shown.is_first() {
                out.task = out.task.max(columns(&shown.scored.spot.task));
                out.point = out.point.max(point_columns(shown.arm, &shown.scored.spot));
            }
        }
        let apart = out.metrics.len().saturating_sub(1);
        let scores = apart + out.metrics.iter().map(|cols| cols + Self::SCORE).sum::<usize>();
        let free = cols.saturating_sub(Self::FIXED + scores + Self::BAR + out.n);
        out.task = out.task.min((free / 3).max(6));
        out.point = out.point.min(free.saturating_sub(out.task)).max(4);
        // A shorter one could not tell one score from the next; a longer one tells no more.
        out.gauge = free.saturating_sub(out.task + out.point + 2).min(25);
        if out.gauge < 8 {
            out.gauge = 0;
        }
        out
    }

    pub fn row<'t>(&self, shown: Shown<'t>, head: Row<'t>) -> Row<'t> {
        let Some(worst) = worst(shown.scores) else { return head };
        let (mark, role, _) = mark(worst);
        // What the row above says already steps back.
        let name = if shown.is_first() { Role::Text } else { Role::Dim };
        let mut row = head
            .gap(1)
            .text(role, mark)
            .gap(1)
            .path(name, point(shown.arm, shown.scored), self.point)
            .gap(1)
            .column(name, shown.scored.spot.task.as_str(), self.task)
            .gap(1);
        for (at, cols) in self.metrics.iter().enumerate() {
            row = row.gap(at.min(1));
            let Some(score) = shown.scores.get(at) else {
                row = row.gap(cols + Self::SCORE);
                continue;
            };
            let (_, role, _) = self::mark(score);
            // One of two that misses the bar must be told from the other, and not by its colour.
            let missed = if shown.scores.len() > 1 && score.pass == Some(false) { "✗" } else { "" };
            row = row
                .column(Role::Dim, short(&score.metric), *cols)
                .number(role, format!("{missed}{}", fraction(score.score)), 7)
                .column(Role::Dim, error(score.stderr), 7);
        }
        row = self.bar(worst, row).column(Role::Dim, samples(worst.n), self.n);
        if self.gauge > 0 && worst.threshold.is_some() {
            row = gauge::append(row.gap(2), role, worst.score, worst.threshold, self.gauge, self.ink);
        } else if self.gauge > 0 {
            row = row.gap(2 + self.gauge);
        }
        if shown.scored.copies > 1 {
            row = row.tail(Role::Warn, format!(" ! {} of {} alike", shown.scored.copy, shown.scored.copies));
        }
        row
    }

    /// The bar, and how far the score is from it.
    fn bar<'t>(&self, score: &JudgedRow, row: Row<'t>) -> Row<'t> {
        let (_, role, _) = mark(score);
        match (score.threshold, score.margin()) {
            (Some(bar), Some(margin)) => {
                let fallback = if score.bar_source == Some(BarSource::Fallback) { "!" } else { "" };
                row.column(Role::Dim, format!("≥{}{fallback}", fraction(bar)), 8).column(role, signed(margin), 7)
            }
            (Some(_), None) => row.column(Role::Dim, "diagnostic", Self::BAR),
            (None, _) => row.column(Role::Running, "bar not read", Self::BAR),
        }
    }
}

pub fn samples(n: Option<u64>) -> String {
    n.map_or_else(|| "n ?".to_owned(), |n| format!("n {n}"))
}

pub fn error(stderr: Option<f64>) -> String {
    stderr.map(|error| format!("±{}", fraction(error))).unwrap_or_default()
}

/// `.9710`, `1.0000`: four digits, as scores are told.
pub fn fraction(value: f64) -> String {
    let text = format!("{value:.4}");
    text.strip_prefix('0').map_or(text.clone(), str::to_owned)
}

pub fn signed(value: f64) -> String {
    format!("{}{}", if value < 0.0 { '−' } else { '+' }, fraction(value.abs()))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::core::evals::{Judged, arms};
    use crate::core::ids::RunId;

    #[test]
    fn fractions_have_four_digits_and_margins_a_sign() {
        for (value, text) in [(0.971, ".9710"), (1.0, "1.0000"), (0.0, ".0000"), (0.00484, ".0048")] {
            assert_eq!(fraction(value), text);
        }
        assert_eq!((signed(0.031), signed(-0.0004)), ("+.0310".to_owned(), "−.0004".to_owned()));
    }

    pub fn judged(rows: Vec<JudgedRow>) -> Judged {
        Judged { run: RunId(1), rows, results: 1, complete: true, why: None, holds_none: false }
    }

    pub fn score(metric: &str, score: f64, pass: Option<bool>) -> JudgedRow {
        JudgedRow {
            config: None,
            candidates: Vec::new(),
            axes: crate::core::axes::Axes {
                model: "m".into(),
                precision: "fp4".into(),
                runner: "b200".into(),
                framework: "f".into(),
                parallel: Default::default(),
                spec: None,
                kv: None,
                kv_backend: None,
                conc: crate::core::axes::Concurrency::One(64),
                prefill: None,
                decode: None,
            },
            isl: None,
            osl: None,
            result: 0,
            task: "t".into(),
            metric: metric.into(),
            score,
            stderr: None,
            n: Some(9),
            threshold: Some(0.9),
            bar_source: None,
            pass,
        }
    }

    #[test]
    fn a_point_is_as_wide_as_its_text() {
        let mut row = score("em_strict", 0.95, Some(true));
        let words = [None, Some("mtp"), Some("草稿")];
        let lists = [vec![], vec![0], vec![9, 10], vec![64, 1024, 7]];
        for (spec, list) in words.iter().flat_map(|word| lists.iter().map(move |list| (word, list))) {
            for config in [None, Some("a".to_owned())] {
                row.axes.spec = spec.map(str::to_owned);
                row.axes.conc = crate::core::axes::Concurrency::List(list.clone());
                row.config = config;
                let judged = judged(vec![row.clone()]);
                let arm = &arms(&judged)[0];
                let text = point(arm, &arm.results[0]);
                assert_eq!(point_columns(arm, &arm.results[0].spot), width::of(&text), "{text}");
            }
        }
        for number in [0, 1, 9, 10, 999, 1000, u64::MAX] {
            assert_eq!(digits(number), number.to_string().len());
        }
    }

    #[test]
    fn of_two_scores_the_one_that_misses_its_bar_decides_then_the_lower() {
        let of = |a, b| [score("em_strict", 0.95, a), score("em_flexible", 0.91, b)];
        for (strict, flexible, decides) in [
            (Some(true), Some(true), "em_flexible"),
            (Some(false), Some(true), "em_strict"),
            (Some(true), Some(false), "em_flexible"),
            (None, None, "em_flexible"),
        ] {
            assert_eq!(worst(&of(strict, flexible)).unwrap().metric, decides);
        }
        assert!(worst(&[]).is_none());
        assert_eq!((short("em_strict"), short("accuracy"), short("em_")), ("strict", "accuracy", "em_"));
    }
}
