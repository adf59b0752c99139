//! Rule `siblings`: flags and variables that comparable scripts and recipes carry, and a changed one does not.
//! Must not know: how launches are compared.

use super::launches::launched::Gap;
use super::launches::siblings::{Compared, Level};
use super::launches::{texts, told};
use super::read::unavailable;
use super::{Confidence, Context, Finding, Status};
use crate::core::plan::Read;
use crate::core::text::counted;

const KEY: &str = "siblings";

/// Drifts that are told one by one.
const MOST_NOTES: usize = 12;

pub(super) fn needs(context: &Context<'_>, reads: &mut Vec<Read>) {
    told::needs(context, reads);
    for company in &context.conclusions.launched.company {
        if let Err(Gap::Wants(wanted)) = &company.compared {
            let new: Vec<Read> = wanted.iter().filter(|read| !reads.contains(read)).cloned().collect();
            reads.extend(new);
        }
    }
}

pub(super) fn check(context: &Context<'_>) -> Finding {
    if let Err(why) = told::basis(context) {
        return unavailable(KEY, why);
    }
    let launched = &context.conclusions.launched;
    let (mut gaps, mut notes, mut lone) = (Vec::new(), Vec::new(), 0);
    let mut drifting: Vec<(&str, &Compared)> = Vec::new();
    let (mut carried, mut open): (usize, Vec<&Compared>) = (0, Vec::new());
    for arm in launched.arms.iter().filter(|arm| arm.changed) {
        if !launched.company.iter().any(|company| company.path == arm.path) {
            gaps.push(format!("{} is not read yet.", arm.path));
        }
        gaps.extend(launched.unfollowed.iter().filter(|one| one.path == arm.path).filter_map(|one| one.gap()));
    }
    for company in &launched.company {
        match &company.compared {
            Err(Gap::Failed(why)) => gaps.push(why.clone()),
            Err(Gap::Wants(_) | Gap::Pending) => gaps.push(format!("What stands beside {} is not read yet.", company.path)),
            Ok(all) => {
                if company.taken < company.of {
                    gaps.push(format!("{} was compared with {} of its {} siblings.", company.path, company.taken, company.of));
                }
                for one in all.iter() {
                    match one.ruling.status {
                        Status::Warn => drifting.push((&company.path, one)),
                        Status::NotApplicable => lone += 1,
                        Status::Pass => carried += 1,
                        _ => open.push(one),
                    }
                }
                lone += usize::from(all.is_empty());
            }
        }
    }
    let evidence = |path: &str| texts::evidence(context.facts, path, None);
    if let Some((_, first)) = drifting.first() {
        let all = || drifting.iter().flat_map(|(_, compared)| &compared.drifts);
        let count = |level| all().filter(|drift| drift.level == level).count();
        let brief = format!("{}, {}", counted(count(Level::Warning), "warning"), counted(count(Level::Notice), "notice"));
        for (path, compared) in &drifting {
            let name = path.rsplit('/').next().unwrap_or(path);
            notes.extend(compared.drifts.iter().map(|drift| {
                let word = if drift.level == Level::Warning { "warning" } else { "notice" };
                format!("{word}: {name} lacks {}.", drift.render())
            }));
        }
        let more = notes.len().saturating_sub(MOST_NOTES);
        notes.truncate(MOST_NOTES);
        notes.extend((more > 0).then(|| format!("{more} more like these.")));
        notes.extend(gaps);
        let found = Finding::new(KEY, "", Status::Warn, first.ruling.reason.clone()).in_brief(brief).note(notes);
        let found = Finding { confidence: Confidence::Suspect, ..found };
        return found.with(drifting.iter().take(4).filter_map(|(path, _)| evidence(path)));
    }
    if let Some(first) = gaps.first().cloned() {
        return unavailable(KEY, first).note(gaps.into_iter().skip(1).take(MOST_NOTES));
    }
    if let Some(first) = open.first() {
        return Finding::new(KEY, "", Status::NeedsYou, first.ruling.reason.clone()).in_brief("not comparable");
    }
    if carried == 0 {
        let reason = match lone {
            0 => "No script or recipe is added or changed.",
            _ => "Nothing that is changed has enough siblings to be compared with.",
        };
        return Finding::new(KEY, "", Status::NotApplicable, reason).in_brief("nothing to compare");
    }
    let reason = format!(
        "{} what their siblings carry.",
        if carried == 1 { "1 launch carries".to_owned() } else { format!("{carried} launches carry") }
    );
    let paths = launched.company.iter().take(4);
    Finding::new(KEY, "", Status::Pass, reason)
        .derived()
        .in_brief("as its siblings")
        .with(paths.filter_map(|company| evidence(&company.path)))
}
