//! The scores of a run by arm: what was measured together, its points, and every row of each.
//! Must not know: how bars are found, other runs, or how groups are shown.

use super::{Judged, JudgedRow};
use crate::core::axes::Axes;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::ops::Range;

/// Points that belong together, and their scores.
#[derive(Debug, Clone, PartialEq)]
pub struct Arm {
    pub name: ArmName,
    /// By point and task; those of the same one in the order of the artifact.
    pub results: Vec<Scored>,
}

/// What an arm is: a config where only one is possible, else all that its rows say but the concurrency.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArmName {
    pub config: Option<String>,
    /// All configs that are possible, the one included.
    pub candidates: Vec<String>,
    pub model: String,
    pub precision: String,
    pub runner: String,
    pub framework: String,
    /// What tells this arm from others of the same hardware where no config does.
    pub place: Option<Place>,
    /// Lengths of input and output in tokens; `None` where the lane has no fixed ones.
    pub isl: Option<u32>,
    pub osl: Option<u32>,
}

/// Everything of a point but its hardware and concurrency.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// `TP2/EP2`.
    pub parallel: String,
    pub spec: Option<String>,
    pub kv: Option<String>,
    pub kv_backend: Option<String>,
}

/// A point of an arm, and what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Spot {
    pub place: Place,
    pub conc: Vec<u32>,
    pub task: String,
}

/// One row of the artifact, with all its metrics: strict and flexible stand together.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    pub spot: Spot,
    /// Its scores in [`Judged::rows`].
    pub rows: Range<usize>,
    /// Which of the rows that say the same point and task it is, from 1, and how many they are. None of them is the
    /// right one, so that none is left out and nothing is averaged.
    pub copy: usize,
    pub copies: usize,
}

/// Groups the scores of a run. Every one of them is in exactly one group.
pub fn arms(judged: &Judged) -> Vec<Arm> {
    let mut groups: BTreeMap<ArmName, Vec<Scored>> = BTreeMap::new();
    let mut from = 0;
    for rows in judged.rows.chunk_by(|a, b| a.result == b.result) {
        let Some(first) = rows.first() else { continue };
        let scored = Scored { spot: Spot::of(first), rows: from..from + rows.len(), copy: 1, copies: 1 };
        groups.entry(ArmName::of(first)).or_default().push(scored);
        from += rows.len();
    }
    let arm = |(name, mut results): (ArmName, Vec<Scored>)| {
        results.sort_by(|a, b| a.spot.cmp(&b.spot));
        for same in results.chunk_by_mut(|a, b| a.spot == b.spot) {
            let copies = same.len();
            for (at, scored) in same.iter_mut().enumerate() {
                (scored.copy, scored.copies) = (at + 1, copies);
            }
        }
        Arm { name, results }
    };
    groups.into_iter().map(arm).collect()
}

impl Arm {
    /// Its results at a point and task.
    pub fn at(&self, spot: &Spot) -> &[Scored] {
        let from = self.results.partition_point(|scored| scored.spot < *spot);
        let rest = self.results.get(from..).unwrap_or_default();
        rest.get(..rest.partition_point(|scored| scored.spot == *spot)).unwrap_or_default()
    }

    /// Rows that say what another row says as well, all of them.
    pub fn duplicates(&self) -> usize {
        self.results.iter().filter(|scored| scored.copies > 1).count()
    }
}

impl Scored {
    /// Its scores among those of the run.
    pub fn of<'j>(&self, judged: &'j Judged) -> &'j [JudgedRow] {
        judged.rows.get(self.rows.clone()).unwrap_or_default()
    }
}

/// The arm and the result of each score, by its place in [`Judged::rows`].
pub fn by_row(arms: &[Arm]) -> HashMap<usize, (&Arm, &Scored)> {
    let results = arms.iter().flat_map(|arm| arm.results.iter().map(move |scored| (arm, scored)));
    results.flat_map(|(arm, scored)| scored.rows.clone().map(move |row| (row, (arm, scored)))).collect()
}

impl ArmName {
    fn of(row: &JudgedRow) -> ArmName {
        let axes = &row.axes;
        ArmName {
            config: row.config.clone(),
            candidates: row.candidates.clone(),
            model: axes.model.clone(),
            precision: axes.precision.clone(),
            runner: axes.runner.clone(),
            framework: axes.framework.clone(),
            place: row.config.is_none().then(|| Place::of(axes)),
            isl: row.isl,
            osl: row.osl,
        }
    }

    /// Several configs are possible.
    pub fn is_ambiguous(&self) -> bool {
        self.config.is_none() && self.candidates.len() > 1
    }

    /// `qwen3.5 fp4 b200 sglang`.
    pub fn render_hardware(&self) -> String {
        format!("{} {} {} {}", self.model, self.precision, self.runner, self.framework)
    }

    /// `8192/1024`; `None` where the lane has no fixed lengths.
    pub fn render_lengths(&self) -> Option<String> {
        let length = |length: Option<u32>| length.map_or_else(|| "?".to_owned(), |length| length.to_string());
        (self.isl.is_some() || self.osl.is_some()).then(|| format!("{}/{}", length(self.isl), length(self.osl)))
    }

    /// The config, or what stands in its place: `qwen3.5 fp4 b200 sglang TP2/EP2 mtp`.
    pub fn render_title(&self) -> String {
        match (&self.config, &self.place) {
            (Some(config), _) => config.clone(),
            (None, Some(place)) => format!("{} {place}", self.render_hardware()),
            (None, None) => self.render_hardware(),
        }
    }
}

/// Title and lengths.
impl fmt::Display for ArmName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render_title())?;
        self.render_lengths().map_or(Ok(()), |lengths| write!(f, " {lengths}"))
    }
}

impl Place {
    fn of(axes: &Axes) -> Place {
        Place {
            parallel: axes.render_parallel(),
            spec: axes.spec.clone(),
            kv: axes.kv.clone(),
            kv_backend: axes.kv_backend.clone(),
        }
    }
}

/// `TP2/EP2 mtp`.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.parallel)?;
        [&self.spec, &self.kv, &self.kv_backend].into_iter().flatten().try_for_each(|word| write!(f, " {word}"))
    }
}

impl Spot {
    fn of(row: &JudgedRow) -> Spot {
        Spot { place: Place::of(&row.axes), conc: row.axes.conc.values().to_vec(), task: row.task.clone() }
    }

    /// `c64`, or `c64x32x16`.
    pub fn render_conc(&self) -> String {
        let list: Vec<String> = self.conc.iter().map(u32::to_string).collect();
        format!("c{}", list.join("x"))
    }

    /// `TP2/EP2 mtp c64`.
    pub fn render_point(&self) -> String {
        format!("{} {}", self.place, self.render_conc())
    }
}

#[cfg(test)]
pub(super) mod tests;
