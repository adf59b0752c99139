//! Eval scores: rows of the artifacts, thresholds, how they compare, and what they are scores of.
//! Must not know: where artifacts come from.

pub mod arms;
pub mod history;
pub mod judge;
pub mod rows;
pub mod thresholds;

pub use arms::{Arm, ArmName, Place, Scored, Spot, arms};
pub use history::{Earlier, History, Noise, Then, history};
pub use judge::{Judged, JudgedRow, judge};
pub use rows::parse_rows;
pub use thresholds::{Bar, BarSource, Thresholds};

use super::axes::Axes;
use serde::{Deserialize, Serialize};

/// One eval job's result on one task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvalRow {
    /// A row states less than a job's name: no KV offloading, and often only `tp` and `ep`.
    pub axes: Axes,
    /// The served model: `nvidia/Qwen3.5-397B-A17B-NVFP4-V2`.
    pub model: String,
    pub isl: Option<u32>,
    pub osl: Option<u32>,
    pub task: String,
    pub metrics: Vec<Metric>,
    /// Effective samples.
    pub n: Option<u64>,
}

/// One score of a row, between 0 and 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Metric {
    /// `em_strict`, `em_flexible`, `accuracy`, …
    pub name: String,
    pub score: f64,
    pub stderr: Option<f64>,
}
