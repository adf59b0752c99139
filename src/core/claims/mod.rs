//! What a description claims: numbers, images, configs and versions in its sentences and tables, and how each weighs
//! against what was measured.
//! Must not know: where a text or a measurement comes from, rules.

mod find;
mod names;
mod patterns;
mod place;
mod prose;
mod quantity;
mod weigh;

pub use find::parse;
pub use place::{Place, Shape};
pub use quantity::Quantity;
pub use weigh::{Evidence, Weight, subjects, weigh};

use super::results::{Measure, ResultRow, Statistic};
use std::ops::Range;

/// One statement that may be checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// Where it stands in the text, in bytes.
    pub range: Range<usize>,
    pub what: What,
    /// What the sentence, or the table's row and head, say about the point it speaks of.
    pub place: Place,
}

#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// `7534.5 tok/s/GPU`, `TTFT 0.64 s`: in the metric's unit, times in seconds.
    Level {
        value: Quantity,
        metric: Metric,
    },
    /// `+5.85 %`, `-3 %`, in percent. The metric is `None` where the text names none.
    Change {
        percent: Quantity,
        metric: Option<Metric>,
    },
    /// `1.2x`.
    Ratio {
        factor: Quantity,
        metric: Option<Metric>,
    },
    /// `GSM8K strict 0.968 to 0.971`, between 0 and 1.
    Score {
        task: String,
        metric: Option<String>,
        low: Quantity,
        high: Option<Quantity>,
    },
    /// `repository:tag`; `asserted` when the words before say that it is used.
    Image {
        repository: String,
        tag: String,
        asserted: bool,
    },
    Config {
        key: String,
    },
    /// The mean number of tokens accepted per step.
    Acceptance {
        length: Quantity,
    },
    /// Without its `v`; `image` when the words before say that images move to it.
    Version {
        version: String,
        image: bool,
    },
}

/// What a number measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// Tokens per second and GPU; `None` where the text does not say of which side.
    PerGpu(Option<Side>),
    /// Tokens per second of all GPUs.
    System,
    /// `None` where the text names no statistic.
    Request(Measure, Option<Statistic>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Output,
    Input,
}

impl Metric {
    /// The row's numbers that the metric may mean, each with the name it has there.
    pub fn values(self, row: &ResultRow) -> Vec<(String, f64)> {
        let side = |name: &str, value: Option<f64>| value.map(|value| (name.to_owned(), value));
        let (total, output, input) = (
            side("tok/s/GPU", row.throughput.total),
            side("output tok/s/GPU", row.throughput.output),
            side("input tok/s/GPU", row.throughput.input),
        );
        match self {
            Metric::PerGpu(None) => [total, output, input].into_iter().flatten().collect(),
            Metric::PerGpu(Some(Side::Output)) => output.into_iter().collect(),
            Metric::PerGpu(Some(Side::Input)) => input.into_iter().collect(),
            Metric::System => {
                let all = row.throughput.total.zip(row.gpus).map(|(per, gpus)| per * gpus.all as f64);
                side("tok/s of all GPUs", all).into_iter().collect()
            }
            Metric::Request(measure, statistic) => {
                let wanted = |said: Statistic| statistic.map_or(said != Statistic::Std, |statistic| statistic == said);
                let readings = row.readings.iter().filter(|reading| reading.measure == measure && wanted(reading.statistic));
                let name = |said: Statistic| format!("{} {} {}", said.word(), measure.word(), measure.unit().word());
                readings.map(|reading| (name(reading.statistic), reading.value)).collect()
            }
        }
    }

    /// Every metric that a change without a name may be one of.
    pub const ANY: [Metric; 6] = [
        Metric::PerGpu(None),
        Metric::Request(Measure::Intvty, None),
        Metric::Request(Measure::Ttft, None),
        Metric::Request(Measure::Tpot, None),
        Metric::Request(Measure::Itl, None),
        Metric::Request(Measure::E2el, None),
    ];
}
