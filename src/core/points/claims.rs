//! Which statements of the pull request's own texts speak of which point.
//! Must not know: how claims are found or weighed (`core::claimed`).

use super::PointReview;
use crate::core::conclusions::Conclusions;
use crate::core::facts::Facts;
use crate::core::remote::Remote;

/// Gives each point the statements about the very row that is its result.
pub(super) fn attach<'p>(points: impl Iterator<Item = &'p mut PointReview>, facts: &Facts, conclusions: &Conclusions) {
    let statements: Vec<_> = conclusions.claimed.statements.iter().filter(|statement| !statement.rows.is_empty()).collect();
    // The run that they were weighed with.
    let cited = conclusions.validation().and_then(|sweep| facts.results.get(&sweep.run.id)).and_then(Remote::settled);
    let Some(rows) = cited.map(|got| &got.value.items).filter(|_| !statements.is_empty()) else { return };
    for point in points {
        let Some(result) = &point.result.found else { continue };
        let speaks_of_it = |at: &usize| rows.get(*at).is_some_and(|row| row == result);
        let about = statements.iter().filter(|statement| statement.rows.iter().any(speaks_of_it));
        point.claims = about.map(|statement| (*statement).clone()).collect();
    }
}
