//! Points that differ in nothing but their concurrency: what a reader takes for one arm.
//! Must not know: what covers a point.

use crate::core::axes::Axes;
use crate::core::configs::compare::Field;
use crate::core::points::PointReview;
use std::collections::HashMap;

/// More concurrencies than this are told by their ends.
const MOST_LISTED: usize = 12;

pub(super) struct Series<'p> {
    /// At least one.
    pub points: Vec<&'p PointReview>,
}

/// Groups points, in the order of their first appearance.
pub(super) fn series<'p>(points: impl IntoIterator<Item = &'p PointReview>) -> Vec<Series<'p>> {
    let mut out: Vec<Series<'p>> = Vec::new();
    let mut at: HashMap<(&str, String, String, &[Field]), usize> = HashMap::new();
    for point in points {
        let key = (point.config.as_str(), point.render_scenario(), arm(&point.axes), point.fields.as_slice());
        let place = *at.entry(key).or_insert_with(|| {
            out.push(Series { points: Vec::new() });
            out.len() - 1
        });
        out[place].points.push(point);
    }
    out
}

/// `TP2/EP2 mtp`, `TP4 mtp, KV dram`.
pub(super) fn arm(axes: &Axes) -> String {
    let spec = axes.spec.as_deref().filter(|spec| !matches!(*spec, "" | "none"));
    let kv = axes.kv.as_deref().filter(|kv| !matches!(*kv, "" | "none"));
    let spec = spec.map(|spec| format!(" {spec}")).unwrap_or_default();
    let kv = kv.map(|kv| format!(" {kv} offload")).unwrap_or_default();
    format!("{}{spec}{kv}", axes.render_parallel())
}

impl Series<'_> {
    pub fn first(&self) -> Option<&PointReview> {
        self.points.first().copied()
    }

    /// `TP2/EP2 mtp, concurrency 16, 32, 64`.
    pub fn render(&self) -> String {
        let Some(first) = self.first() else { return String::new() };
        format!("{}, concurrency {}", arm(&first.axes), self.render_conc())
    }

    fn render_conc(&self) -> String {
        let all: Vec<u32> = self.points.iter().flat_map(|point| point.axes.conc.values()).copied().collect();
        if all.len() <= MOST_LISTED {
            return all.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        }
        let (low, high) = (all.iter().min().copied().unwrap_or(0), all.iter().max().copied().unwrap_or(0));
        format!("{low} to {high} ({} points)", all.len())
    }
}
