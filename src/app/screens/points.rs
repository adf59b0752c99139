//! The points pane: what the pull request adds, changes and removes, a row per point, grouped by config and scenario.
//! Must not know: how coverage is found, colours.

use super::Scroll;
use super::sieve::Sieve;
use crate::app::model::Model;
use crate::core::axes::Axes;
use crate::core::filter::{Grammar, Subject};
use crate::core::ids::{JobId, RunId};
use crate::core::plan::Read;
use crate::core::points::{ArmReview, Hole, PointReview, Points, Retired};
use std::collections::HashMap;

#[derive(Debug, Default)]
pub struct PointsScreen {
    pub scroll: Scroll,
    /// `None` until the pane is looked at.
    pub points: Option<Points>,
    pub lines: Vec<PointLine>,
    pub sieve: Sieve,
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

/// A point, wherever it stands.
type Place = (Fate, String, String, Axes);

/// What points can be asked.
pub(in crate::app) const GRAMMAR: Grammar = Grammar {
    states: &["added", "changed", "removed", "measured", "evaluated", "hole", "failed", "claimed", "contradicted"],
    names: &["config", "scenario", "image"],
};

struct Asked<'a> {
    fate: Fate,
    point: &'a PointReview,
}

impl Subject for Asked<'_> {
    fn is(&self, state: &str) -> bool {
        let point = self.point;
        let failed = |hole: &&Hole| matches!(hole, Hole::Failed { .. } | Hole::Low { .. });
        match state {
            "added" => self.fate == Fate::Added,
            "changed" => self.fate == Fate::Changed,
            "removed" => self.fate == Fate::Removed,
            "measured" => point.is_measured(),
            "evaluated" => point.eval.holds(),
            "hole" => point.hole().is_some_and(|hole| !hole.is_expected()),
            "failed" => [&point.job.hole, &point.result.hole, &point.eval.hole].into_iter().flatten().any(|hole| failed(&hole)),
            "claimed" => !point.claims.is_empty(),
            "contradicted" => point.claims.iter().any(|claim| claim.weight.is_wrong()),
            _ => false,
        }
    }

    fn named(&self, name: &str) -> Option<String> {
        match name {
            "config" => Some(self.point.config.clone()),
            "scenario" => Some(self.point.render_scenario()),
            "image" => self.point.image.clone(),
            _ => None,
        }
    }

    fn axes(&self) -> Option<&Axes> {
        Some(&self.point.axes)
    }

    fn text(&self) -> String {
        let point = self.point;
        let words = [&point.axes.spec, &point.axes.kv].into_iter().flatten().map(String::as_str);
        let hole = point.hole().map(Hole::word);
        let words: Vec<&str> = words.chain(hole).collect();
        format!("{} {} {} {}", point.config, point.render_scenario(), point.render_point(), words.join(" "))
    }
}

impl PointsScreen {
    /// Whether what is shown was drawn from other facts.
    pub(in crate::app) fn is_behind(&self, serial: u64) -> bool {
        self.drawn_from != Some(serial)
    }

    pub(in crate::app) fn take(&mut self, points: Points, needs: Vec<Read>, serial: u64) {
        self.needs = needs;
        let before = self.place();
        let fresh = self.scroll == Scroll::default();
        self.points = Some(points);
        self.make_lines();
        self.drawn_from = Some(serial);
        if !self.stay(before) && fresh {
            self.scroll.cursor = self.first_point();
        }
    }

    /// Which point the cursor stands on.
    fn place(&self) -> Option<Place> {
        let (fate, point) = self.current()?;
        Some((fate, point.config.clone(), point.render_scenario(), point.axes.clone()))
    }

    /// Brings the cursor back to its point, wherever that stands now; whether it is still there.
    fn stay(&mut self, before: Option<Place>) -> bool {
        let Some((fate, config, scenario, axes)) = before else { return false };
        let same = |line: &&PointLine| {
            let of_fate = matches!(line, PointLine::Point(now, _) if *now == fate);
            let is_it =
                |point: &PointReview| point.axes == axes && point.config == config && point.render_scenario() == scenario;
            of_fate && self.point(line).is_some_and(is_it)
        };
        let is_there = |at: usize| self.lines.get(at).as_ref().is_some_and(same);
        // Several rows of an entry may be one point to everybody but the entry: then the cursor does not move.
        let here = self.scroll.cursor;
        let found = if is_there(here) { Some(here) } else { self.lines.iter().position(|line| same(&line)) };
        self.scroll.cursor = found.unwrap_or(self.scroll.cursor);
        found.is_some()
    }

    fn first_point(&self) -> usize {
        self.lines.iter().position(|line| matches!(line, PointLine::Point(..))).unwrap_or(0)
    }

    pub(in crate::app) fn sift(&mut self, sieve: Sieve) {
        let before = self.place();
        self.sieve = sieve;
        self.make_lines();
        if !self.stay(before) {
            self.scroll.cursor = self.first_point();
        }
    }

    fn make_lines(&mut self) {
        let Some(points) = &self.points else { return };
        self.lines = lines(points);
        if self.sieve.is_open() {
            return;
        }
        // Of a filtered list only points are left, and the groups that hold any.
        let keeps = |line: &PointLine| match line {
            PointLine::Point(fate, _) => self.point(line).is_some_and(|point| self.sieve.keeps(&Asked { fate: *fate, point })),
            _ => false,
        };
        let mut kept: Vec<PointLine> = Vec::new();
        for line in &self.lines {
            if matches!(line, PointLine::Group { .. }) || keeps(line) {
                if matches!(line, PointLine::Group { .. }) && matches!(kept.last(), Some(PointLine::Group { .. })) {
                    kept.pop();
                }
                kept.push(line.clone());
            }
        }
        if matches!(kept.last(), Some(PointLine::Group { .. })) {
            kept.pop();
        }
        self.lines = kept;
    }

    /// How many points are listed, and how many there are.
    pub fn kept(&self) -> (usize, usize) {
        let all = self.points.as_ref().map_or(0, |points| points.added.len() + points.changed.len() + points.removed.len());
        (self.lines.iter().filter(|line| matches!(line, PointLine::Point(..))).count(), all)
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
    let mut places: HashMap<(&str, String), usize> = HashMap::new();
    let mut groups: Vec<(&PointReview, Vec<PointLine>)> = Vec::new();
    for (point, line) in rows {
        let place = *places.entry((&point.config, point.render_scenario())).or_insert(groups.len());
        match groups.get_mut(place) {
            Some((_, lines)) => lines.push(line),
            None => groups.push((point, vec![line])),
        }
    }
    for (first, lines) in groups {
        out.push(PointLine::Group { config: first.config.clone(), scenario: first.render_scenario() });
        out.extend(lines);
    }
    if !points.launches.rows.is_empty() {
        out.push(PointLine::Launches);
        out.extend((0..points.launches.rows.len()).map(PointLine::Launch));
    }
    out.extend(points.launches.doubt.iter().cloned().map(PointLine::Remark));
    out.extend(points.retired.iter().map(Retired::sentence).map(PointLine::Remark));
    out.extend(points.notes.iter().cloned().map(PointLine::Remark));
    out
}
