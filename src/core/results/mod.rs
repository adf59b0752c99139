//! Measured performance: rows of the result artifacts, the curves that they draw, and how two lists of them differ.
//! Must not know: where artifacts come from, rules.

pub mod compare;
pub mod curves;
pub mod figures;
pub mod frontier;
pub mod plot;
mod python;
pub mod rows;
pub mod sheet;
pub mod written;

pub use compare::{Comparison, compare, parse_reference};
pub use curves::{Curve, CurveKey, CurvePoint, Grouping, Invalid, View, Why, curves};
pub use figures::{Better, Figure};
pub use frontier::{Frontier, frontier};
pub use plot::{Plot, plot};
pub use rows::{Results, parse};
pub use sheet::{Against, Sheet};

use super::axes::Axes;
use super::ids::RunId;
use serde::{Deserialize, Serialize};
use std::fmt;

/// One measured point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResultRow {
    pub run: RunId,
    pub axes: Axes,
    /// The served model: `nvidia/Qwen3.5-397B-A17B-NVFP4-V2`.
    pub model: String,
    pub scenario: Scenario,
    /// As written; `#` may stand for the first `/`.
    pub image: Option<String>,
    /// Digest of the generated config; points of one search-space row share it.
    pub fingerprint: Option<String>,
    pub gpus: Option<Gpus>,
    pub throughput: Throughput,
    /// In the file's order, no statistic of a measure twice.
    pub readings: Vec<Reading>,
    /// Share of the prompt that a perfect cache would have held, 0 to 1; agentic rows only.
    pub cache_hit_rate: Option<f64>,
    pub power: Power,
    pub outcome: Option<Outcome>,
    /// Numbers that are none, and those that cannot be negative but are: left out above, so that nothing averages them.
    pub flaws: Vec<Flaw>,
}

/// What was asked of the server.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scenario {
    /// Input and output of fixed lengths, in tokens.
    Fixed { isl: u32, osl: u32 },
    /// A replay of recorded sessions: `agentic-coding`.
    Agentic { name: String },
}

/// How many GPUs the point occupies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gpus {
    pub all: u64,
    pub prefill: Option<u64>,
    pub decode: Option<u64>,
}

/// Tokens per second and GPU. Of a split deployment output counts decode GPUs only, input prefill GPUs only.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Throughput {
    pub total: Option<f64>,
    pub output: Option<f64>,
    pub input: Option<f64>,
}

/// One statistic of one measure, in the measure's [`Unit`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    pub measure: Measure,
    pub statistic: Statistic,
    pub value: f64,
}

/// What is measured per request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Time to first token.
    Ttft,
    /// Time per output token after the first.
    Tpot,
    /// Time between two chunks.
    Itl,
    /// End to end.
    E2el,
    /// Interactivity. Its high percentiles are the slow tail, as they are of the times it comes from.
    Intvty,
    /// Output length by end-to-end time.
    E2eNormIntvty,
    FullResponseItl,
    FullResponseIntvty,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Seconds,
    TokensPerSecondPerUser,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Statistic {
    Mean,
    Median,
    Std,
    P75,
    P90,
    P95,
    P99,
    P999,
}

/// What the power meters said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Power {
    NotMeasured,
    /// Measured, and declared unusable by the row itself.
    Invalid,
    Valid(Energy),
}

/// Watts and joules.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Energy {
    /// Per GPU.
    pub average_w: Option<f64>,
    /// All GPUs together.
    pub total_w: Option<f64>,
    pub total_j: Option<f64>,
    pub j_per_query: Option<f64>,
    pub j_per_input_token: Option<f64>,
    pub j_per_output_token: Option<f64>,
    pub j_per_token: Option<f64>,
}

/// How many requests were asked for, and how many were answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    pub requested: Option<u32>,
    pub completed: Option<u32>,
    /// Dropped for errors; other drops are warm-up.
    pub errors: Option<u32>,
    pub status: Option<String>,
}

/// A member whose number was not taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flaw {
    /// `request_metrics.latency.ttft.p90`.
    pub member: String,
    pub kind: FlawKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlawKind {
    NotANumber,
    Negative,
}

impl ResultRow {
    pub fn reading(&self, measure: Measure, statistic: Statistic) -> Option<f64> {
        let found = self.readings.iter().find(|reading| (reading.measure, reading.statistic) == (measure, statistic));
        found.map(|reading| reading.value)
    }

    /// `TP2/EP2 c16`.
    pub fn render_point(&self) -> String {
        format!("{} {}", self.axes.render_parallel(), self.axes.render_conc())
    }
}

impl Scenario {
    pub fn is_agentic(&self) -> bool {
        matches!(self, Scenario::Agentic { .. })
    }
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scenario::Fixed { isl, osl } => write!(f, "{isl}/{osl}"),
            Scenario::Agentic { name } => f.write_str(name),
        }
    }
}

impl Measure {
    pub const ALL: [Measure; 8] = [
        Measure::Ttft,
        Measure::Tpot,
        Measure::Itl,
        Measure::E2el,
        Measure::Intvty,
        Measure::E2eNormIntvty,
        Measure::FullResponseItl,
        Measure::FullResponseIntvty,
    ];

    /// As rows spell it.
    pub fn word(self) -> &'static str {
        match self {
            Measure::Ttft => "ttft",
            Measure::Tpot => "tpot",
            Measure::Itl => "itl",
            Measure::E2el => "e2el",
            Measure::Intvty => "intvty",
            Measure::E2eNormIntvty => "e2e_norm_intvty",
            Measure::FullResponseItl => "full_response_itl",
            Measure::FullResponseIntvty => "full_response_intvty",
        }
    }

    pub fn unit(self) -> Unit {
        match self {
            Measure::Ttft | Measure::Tpot | Measure::Itl | Measure::E2el | Measure::FullResponseItl => Unit::Seconds,
            Measure::Intvty | Measure::E2eNormIntvty | Measure::FullResponseIntvty => Unit::TokensPerSecondPerUser,
        }
    }

    fn parse(word: &str) -> Option<Measure> {
        Measure::ALL.into_iter().find(|measure| measure.word() == word)
    }
}

impl Unit {
    pub fn word(self) -> &'static str {
        match self {
            Unit::Seconds => "s",
            Unit::TokensPerSecondPerUser => "tok/s/user",
        }
    }
}

impl Statistic {
    pub const ALL: [Statistic; 8] = [
        Statistic::Mean,
        Statistic::Median,
        Statistic::Std,
        Statistic::P75,
        Statistic::P90,
        Statistic::P95,
        Statistic::P99,
        Statistic::P999,
    ];

    /// As rows of fixed length spell it; agentic ones say `p50` for the median.
    pub fn word(self) -> &'static str {
        match self {
            Statistic::Mean => "mean",
            Statistic::Median => "median",
            Statistic::Std => "std",
            Statistic::P75 => "p75",
            Statistic::P90 => "p90",
            Statistic::P95 => "p95",
            Statistic::P99 => "p99",
            Statistic::P999 => "p99.9",
        }
    }

    pub fn parse(word: &str) -> Option<Statistic> {
        if word == "p50" {
            return Some(Statistic::Median);
        }
        Statistic::ALL.into_iter().find(|statistic| statistic.word() == word)
    }
}
