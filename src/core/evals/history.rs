//! What earlier runs of the pull request said of the same score, and whether the difference is more than noise.
//! Must not know: how bars are found, or how a history is shown.

use super::{Arm, ArmName, Judged, JudgedRow, Spot};
use crate::core::ids::{RunId, Sha};

/// An earlier run, as a history is read from it.
#[derive(Debug, Clone, Copy)]
pub struct Then<'a> {
    pub run: RunId,
    /// The commit it measured.
    pub head: &'a Sha,
    pub judged: &'a Judged,
    /// Its scores, grouped.
    pub arms: &'a [Arm],
}

/// The same score in earlier runs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct History {
    /// Newest first. A run that says the same point twice is there twice.
    pub earlier: Vec<Earlier>,
    /// Earlier runs whose scores were not read whole, so that more may be missing here.
    pub unread: Vec<RunId>,
}

/// One earlier score.
#[derive(Debug, Clone, PartialEq)]
pub struct Earlier {
    pub run: RunId,
    pub head: Sha,
    pub score: f64,
    pub stderr: Option<f64>,
    /// Now less then: positive where it became better.
    pub difference: f64,
    pub noise: Noise,
    /// How many rows of that run say the same point and task.
    pub copies: usize,
}

/// A difference beside the standard errors of both scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Noise {
    /// At most twice the combined standard error.
    Within,
    Beyond,
    /// A standard error is missing, or one of the scores rests on no sample.
    Unknown,
}

impl Noise {
    /// `None` where it is not known.
    pub fn is_within(self) -> Option<bool> {
        match self {
            Noise::Within => Some(true),
            Noise::Beyond => Some(false),
            Noise::Unknown => None,
        }
    }
}

/// Finds a score of an arm and spot in earlier runs, which come newest first.
pub fn history<'a>(row: &JudgedRow, name: &ArmName, spot: &Spot, earlier: impl IntoIterator<Item = Then<'a>>) -> History {
    let mut out = History::default();
    for then in earlier {
        if !then.judged.complete && !then.judged.holds_none {
            out.unread.push(then.run);
        }
        // Arms are sorted by their names.
        let Ok(at) = then.arms.binary_search_by(|arm| arm.name.cmp(name)) else { continue };
        for scored in then.arms.get(at).map(|arm| arm.at(spot)).unwrap_or_default() {
            for old in scored.of(then.judged).iter().filter(|old| old.metric == row.metric) {
                out.earlier.push(Earlier {
                    run: then.run,
                    head: then.head.clone(),
                    score: old.score,
                    stderr: old.stderr,
                    difference: row.score - old.score,
                    noise: noise(row, old),
                    copies: scored.copies,
                });
            }
        }
    }
    out
}

/// Twice the combined standard error of two scores.
pub fn tolerance(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    let both = 2.0 * one?.hypot(other?);
    both.is_finite().then_some(both)
}

fn noise(now: &JudgedRow, then: &JudgedRow) -> Noise {
    if now.n == Some(0) || then.n == Some(0) {
        return Noise::Unknown;
    }
    match tolerance(now.stderr, then.stderr) {
        // Scores are decimal fractions: what differs by exactly so much must not fall to either side by rounding.
        Some(tolerance) if (now.score - then.score).abs() <= tolerance + 1e-9 => Noise::Within,
        Some(_) => Noise::Beyond,
        None => Noise::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::super::arms;
    use super::super::arms::tests::{judged, row};
    use super::*;

    /// Histories of the first score of the first of these runs, newest first.
    fn first(runs: &[Judged]) -> History {
        let grouped: Vec<Vec<Arm>> = runs.iter().map(arms).collect();
        let head = Sha::from("1111111112222222222222222222222222222222");
        let then = runs.iter().zip(&grouped).skip(1);
        let then = then.map(|(judged, arms)| Then { run: judged.run, head: &head, judged, arms });
        let arm = grouped[0].iter().find(|arm| arm.results.iter().any(|scored| scored.rows.contains(&0))).unwrap();
        let scored = arm.results.iter().find(|scored| scored.rows.contains(&0)).unwrap();
        history(&runs[0].rows[0], &arm.name, &scored.spot, then)
    }

    fn told(history: &History) -> Vec<(u64, f64, Noise)> {
        let round = |value: f64| (value * 1e6).round() / 1e6;
        history.earlier.iter().map(|then| (then.run.0, round(then.difference), then.noise)).collect()
    }

    #[test]
    fn the_same_arm_point_task_and_metric_of_every_earlier_run_newest_first() {
        let mut other_point = row(0, 32, "gsm8k", "em_strict", 0.5);
        let mut other_lengths = row(1, 64, "gsm8k", "em_strict", 0.5);
        other_point.config = Some("a".into());
        other_lengths.isl = Some(1024);
        let mut other_config = row(2, 64, "gsm8k", "em_strict", 0.5);
        other_config.config = Some("b".into());
        let runs = [
            judged(3, vec![row(0, 64, "gsm8k", "em_strict", 0.97)]),
            judged(2, vec![row(0, 64, "gsm8k", "em_flexible", 0.1), row(1, 64, "gsm8k", "em_strict", 0.95)]),
            judged(1, vec![other_point, other_lengths, other_config, row(3, 64, "smoke", "em_strict", 0.2)]),
            judged(0, vec![row(0, 64, "gsm8k", "em_strict", 0.98)]),
        ];
        assert_eq!(told(&first(&runs)), [(2, 0.02, Noise::Unknown), (0, -0.01, Noise::Unknown)]);
        assert_eq!(told(&first(&runs[2..])), [], "no run before says it");
        assert_eq!(first(&runs).unread, []);
    }

    #[test]
    fn a_difference_is_noise_up_to_twice_the_combined_error() {
        let table = [
            (0.97, Some(0.003), 0.96, Some(0.004), Noise::Within),
            (0.97, Some(0.003), 0.9599, Some(0.004), Noise::Beyond),
            (0.95, Some(0.003), 0.9601, Some(0.004), Noise::Beyond),
            (0.97, None, 0.97, Some(0.004), Noise::Unknown),
            (0.97, Some(0.003), 0.2, None, Noise::Unknown),
            (0.97, Some(0.0), 0.97, Some(0.0), Noise::Within),
            (0.97, Some(f64::NAN), 0.97, Some(0.0), Noise::Unknown),
            (0.97, Some(f64::INFINITY), 0.97, Some(0.0), Noise::Unknown),
        ];
        for (score, error, before, error_before, noise) in table {
            let of = |score, stderr| JudgedRow { stderr, ..row(0, 64, "gsm8k", "em_strict", score) };
            let runs = [judged(2, vec![of(score, error)]), judged(1, vec![of(before, error_before)])];
            assert_eq!(first(&runs).earlier[0].noise, noise, "{score} {error:?} {before} {error_before:?}");
        }
        let of = |n| JudgedRow { n, stderr: Some(0.1), ..row(0, 64, "gsm8k", "em_strict", 0.9) };
        let runs = [judged(2, vec![of(Some(9))]), judged(1, vec![of(Some(0))])];
        assert_eq!(first(&runs).earlier[0].noise, Noise::Unknown, "a score of no sample has no error");
    }

    #[test]
    fn rows_said_twice_are_both_there_and_what_is_not_read_is_named() {
        let twice = || vec![row(0, 64, "gsm8k", "em_strict", 0.9), row(1, 64, "gsm8k", "em_strict", 0.8)];
        let mut cut = judged(2, twice());
        cut.complete = false;
        let mut none = judged(1, Vec::new());
        (none.complete, none.holds_none) = (false, true);
        let mut unread = judged(0, Vec::new());
        unread.complete = false;
        let history = first(&[judged(3, vec![row(0, 64, "gsm8k", "em_strict", 0.9)]), cut, none, unread]);
        let copies: Vec<usize> = history.earlier.iter().map(|then| then.copies).collect();
        assert_eq!((told(&history).len(), copies), (2, vec![2, 2]));
        assert_eq!(history.unread, [RunId(2), RunId(0)]);
    }
}
