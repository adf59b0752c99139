//! Points in one line: counts of what holds, and what is not known.
//! Must not know: where it is shown.

use super::{Hole, PointReview, Points};
use crate::core::evals::JudgedRow;
use crate::core::text::counted;

impl Points {
    /// `3 of 3 new points executed, 2 of 2 due evals green, 6 untouched re-run`.
    pub fn summary(&self) -> String {
        if !self.keys_known {
            let why = self.doubt.as_deref().unwrap_or("The changed config files are not read yet.");
            return format!("Which points change is not known: {why}");
        }
        let mut parts: Vec<String> = Vec::new();
        parts.extend(executed(&self.added, "new"));
        parts.extend(executed(&self.changed, "changed"));
        parts.extend(self.evals());
        if !self.removed.is_empty() {
            parts.push(format!("{} removed", self.removed.len()));
        }
        if !self.retired.is_empty() {
            parts.push(format!("{} retired", counted(self.retired.len(), "config")));
        }
        match (self.untouched.rerun, self.untouched.count) {
            (0, 0) => {}
            (0, all) => parts.push(format!("{all} untouched")),
            (rerun, all) if rerun == all => parts.push(format!("{rerun} untouched re-run")),
            (rerun, all) => parts.push(format!("{rerun} of {all} untouched re-run")),
        }
        let mut out = if parts.is_empty() { "no measured point changes".to_owned() } else { parts.join(", ") };
        if let Some(doubt) = &self.doubt {
            out.push_str(&format!("; not everything is known: {doubt}"));
        }
        out
    }

    /// How many of the evals that are due are green and reach their bars.
    fn evals(&self) -> Option<String> {
        // Of a point that nothing asks for no eval is due either.
        let asked = |point: &&PointReview| !matches!(point.eval.hole, Some(Hole::Unnamed { .. } | Hole::Unasked { .. }));
        let due: Vec<&PointReview> = self.living().filter(|point| point.eval_is_due()).filter(asked).collect();
        let expected = self.living().filter(asked).count();
        match (due.len(), expected) {
            (0, 0) => None,
            (0, _) if self.complete => Some("no eval due".to_owned()),
            (0, _) => None,
            (all, _) => {
                let green = due.iter().filter(|point| point.eval.holds()).count();
                Some(format!("{green} of {} green", counted(all, "due eval")))
            }
        }
    }
}

fn executed(points: &[PointReview], word: &str) -> Option<String> {
    if points.is_empty() {
        return None;
    }
    let green = points.iter().filter(|point| point.job.holds()).count();
    let failed = points.iter().filter(|point| matches!(point.job.hole, Some(Hole::Failed { .. }))).count();
    let besides = if failed > 0 { format!(" ({failed} failed)") } else { String::new() };
    Some(format!("{green} of {} executed{besides}", counted(points.len(), &format!("{word} point"))))
}

impl super::Scores {
    /// `gsm8k 0.968 ≥ 0.94`; without a bar the score alone.
    pub fn render(&self) -> String {
        let JudgedRow { task, score, threshold, pass, .. } = &self.worst;
        match (threshold, pass) {
            (Some(bar), Some(true)) => format!("{task} {score:.3} ≥ {bar}"),
            (Some(bar), Some(false)) => format!("{task} {score:.3} < {bar}"),
            _ => format!("{task} {score:.3}"),
        }
    }
}
