//! The points pane: what the pull request adds, changes and removes, a row per point, grouped by config and scenario.
//! Must not know: how coverage is found, colours.

use super::Scroll;
use crate::app::model::Model;
use crate::core::ids::{JobId, RunId};
use crate::core::plan::Read;
use crate::core::points::{ArmReview, PointReview, Points};

#[derive(Debug, Default)]
pub struct PointsScreen {
    pub scroll: Scroll,
    /// `None` until the pane is looked at.
    pub points: Option<Points>,
    pub lines: Vec<PointLine>,
    /// What its cells want to be read.
    pub(in crate::app) needs: Vec<Read>,
    /// The state of the facts that they were drawn from.
    drawn_from: Option<u64>,
}

/// What happens to a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Added,
    Changed,
    Removed,
}

/// One row of the pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PointLine {
    /// Config and scenario of the points below.
    Group {
        config: String,
        scenario: String,
    },
    Point(Fate, usize),
    /// Over the scripts and recipes that the points run.
    Launches,
    /// One of them.
    Launch(usize),
    /// Something that is not a point: a retired config, or what else is to be known.
    Remark(String),
}

impl PointsScreen {
    /// Whether what is shown was drawn from other facts.
    pub(in crate::app) fn is_behind(&self, serial: u64) -> bool {
        self.drawn_from != Some(serial)
    }

    pub(in crate::app) fn take(&mut self, points: Points, needs: Vec<Read>, serial: u64) {
        self.needs = needs;
        let before = self.current().map(|(_, point)| (point.config.clone(), point.render_scenario(), point.render_point()));
        self.lines = lines(&points);
        self.points = Some(points);
        self.drawn_from = Some(serial);
        // The cursor stays on its point, wherever that stands now.
        let same = |line: &PointLine| {
            self.point(line).map(|point| (point.config.clone(), point.render_scenario(), point.render_point())) == before
        };
        match before.is_some().then(|| self.lines.iter().position(same)).flatten() {
            Some(at) => self.scroll.cursor = at,
            None if self.scroll == Scroll::default() => {
                let first = self.lines.iter().position(|line| matches!(line, PointLine::Point(..)));
                self.scroll.cursor = first.unwrap_or(0);
            }
            None => {}
        }
    }

    /// The point of a row.
    pub fn point(&self, line: &PointLine) -> Option<&PointReview> {
        let (PointLine::Point(fate, at), Some(points)) = (line, &self.points) else { return None };
        match fate {
            Fate::Added => points.added.get(*at),
            Fate::Changed => points.changed.get(*at),
            Fate::Removed => points.removed.get(*at),
        }
    }

    /// The point under the cursor.
    pub fn current(&self) -> Option<(Fate, &PointReview)> {
        let line = self.lines.get(self.scroll.cursor)?;
        match line {
            PointLine::Point(fate, _) => Some((*fate, self.point(line)?)),
            _ => None,
        }
    }

    /// The script or recipe under the cursor.
    pub fn launch(&self) -> Option<&ArmReview> {
        let PointLine::Launch(at) = self.lines.get(self.scroll.cursor)? else { return None };
        self.points.as_ref()?.launches.rows.get(*at)
    }
}

/// The job that measured the point under the cursor, else the one that evaluated it.
pub fn job(model: &Model) -> Option<(RunId, JobId, &str)> {
    let (_, point) = model.points.current()?;
    let job = point.job.found.as_ref().or(point.eval.found.as_ref().map(|eval| &eval.job))?;
    Some((job.run, job.id, job.url.as_str()))
}

fn lines(points: &Points) -> Vec<PointLine> {
    let mut out = Vec::new();
    let all = [(Fate::Added, &points.added), (Fate::Changed, &points.changed), (Fate::Removed, &points.removed)];
    let mut rows: Vec<(&PointReview, PointLine)> = Vec::new();
    for (fate, list) in all {
        rows.extend(list.iter().enumerate().map(|(at, point)| (point, PointLine::Point(fate, at))));
    }
    // Groups in the order in which they come first; within one, what is new stands above what goes.
    let mut groups: Vec<(String, String)> = Vec::new();
    for (point, _) in &rows {
        let group = (point.config.clone(), point.render_scenario());
        if !groups.contains(&group) {
            groups.push(group);
        }
    }
    for (config, scenario) in groups {
        let of_group = |point: &PointReview| point.config == config && point.render_scenario() == scenario;
        let here: Vec<PointLine> = rows.iter().filter(|(point, _)| of_group(point)).map(|(_, line)| line.clone()).collect();
        out.push(PointLine::Group { config, scenario });
        out.extend(here);
    }
    if !points.launches.rows.is_empty() {
        out.push(PointLine::Launches);
        out.extend((0..points.launches.rows.len()).map(PointLine::Launch));
    }
    out.extend(points.launches.doubt.iter().cloned().map(PointLine::Remark));
    out.extend(points.retired.iter().map(|entry| {
        let points = if entry.points == 1 { "1 point".to_owned() } else { format!("{} points", entry.points) };
        PointLine::Remark(format!(
            "{} moved from {} to {} and is not measured any more ({points}).",
            entry.config, entry.from, entry.to
        ))
    }));
    out.extend(points.notes.iter().cloned().map(PointLine::Remark));
    out
}
