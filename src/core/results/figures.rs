//! The figures of a row that are compared and drawn: what each is called, its unit, and which direction is better.
//! Must not know: which of them a screen shows, how rows are paired.

use super::{Energy, FlawKind, Measure, Power, ResultRow, Statistic, Unit};

/// One number that a row may tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Figure {
    /// Throughput per GPU of input and output together.
    Total,
    /// Throughput per decode GPU.
    Output,
    /// Throughput per prefill GPU.
    Input,
    Request(Measure, Statistic),
    /// Per GPU, like all that follows only where the row vouches for its meters.
    AveragePower,
    JoulesPerOutputToken,
    JoulesPerToken,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    Higher,
    Lower,
}

impl Figure {
    /// Every figure in the order of a table. A deviation is the noise of a figure and none itself.
    pub fn all() -> impl Iterator<Item = Figure> {
        let statistics = || Statistic::ALL.into_iter().filter(|statistic| *statistic != Statistic::Std);
        let of = move |measure| statistics().map(move |statistic| Figure::Request(measure, statistic));
        let throughput = [Figure::Total, Figure::Output, Figure::Input];
        let power = [Figure::AveragePower, Figure::JoulesPerOutputToken, Figure::JoulesPerToken];
        throughput.into_iter().chain(COMPARED.into_iter().flat_map(of)).chain(power)
    }

    /// The row's number. One that is none, or cannot be negative and is, is not told.
    pub fn of(self, row: &ResultRow) -> Option<f64> {
        let energy = || match &row.power {
            Power::Valid(energy) => *energy,
            Power::NotMeasured | Power::Invalid => Energy::default(),
        };
        let value = match self {
            Figure::Total => row.throughput.total,
            Figure::Output => row.throughput.output,
            Figure::Input => row.throughput.input,
            Figure::Request(measure, statistic) => row.reading(measure, statistic),
            Figure::AveragePower => energy().average_w,
            Figure::JoulesPerOutputToken => energy().j_per_output_token,
            Figure::JoulesPerToken => energy().j_per_token,
        };
        value.filter(|value| value.is_finite() && *value >= 0.0)
    }

    /// What the reader of the row found wrong with the number.
    pub fn flaw(self, row: &ResultRow) -> Option<FlawKind> {
        let names = self.members();
        let is = |member: &str| names.iter().any(|name| member == name || member.ends_with(&format!(".{name}")));
        row.flaws.iter().find(|flaw| is(&flaw.member)).map(|flaw| flaw.kind)
    }

    /// How rows of both kinds spell it, the plainest first.
    pub(super) fn members(self) -> Vec<String> {
        match self {
            Figure::Total => vec!["tput_per_gpu".into(), "total_tput_tps".into()],
            Figure::Output => vec!["output_tput_per_gpu".into(), "output_tput_tps".into()],
            Figure::Input => vec!["input_tput_per_gpu".into(), "input_tput_tps".into()],
            Figure::Request(measure, statistic) => {
                let (measure, word) = (measure.word(), statistic.word());
                let short = if statistic == Statistic::Median { "p50" } else { word };
                vec![format!("{word}_{measure}"), format!("{measure}.{word}"), format!("{measure}.{short}")]
            }
            Figure::AveragePower => vec!["avg_power_w".into()],
            Figure::JoulesPerOutputToken => vec!["joules_per_output_token".into()],
            Figure::JoulesPerToken => vec!["joules_per_total_token".into()],
        }
    }

    pub fn better(self) -> Better {
        match self {
            Figure::Total | Figure::Output | Figure::Input => Better::Higher,
            Figure::Request(measure, _) if measure.unit() == Unit::TokensPerSecondPerUser => Better::Higher,
            Figure::Request(..) | Figure::AveragePower | Figure::JoulesPerOutputToken | Figure::JoulesPerToken => Better::Lower,
        }
    }

    /// `total throughput`, `median TTFT`.
    pub fn name(self) -> String {
        match self {
            Figure::Total => "total throughput".into(),
            Figure::Output => "output throughput".into(),
            Figure::Input => "input throughput".into(),
            Figure::Request(measure, statistic) => format!("{} {}", statistic.word(), measure.title()),
            Figure::AveragePower => "average power".into(),
            Figure::JoulesPerOutputToken => "energy per output token".into(),
            Figure::JoulesPerToken => "energy per token".into(),
        }
    }

    /// The unit that [`Figure::of`] counts in.
    pub fn unit(self) -> &'static str {
        match self {
            Figure::Total | Figure::Output | Figure::Input => "tok/s/GPU",
            Figure::Request(measure, _) => measure.unit().word(),
            Figure::AveragePower => "W",
            Figure::JoulesPerOutputToken | Figure::JoulesPerToken => "J",
        }
    }

    /// The name of a member or column that holds it, with its unit: `total_tok_s_gpu`, `median_ttft_s`.
    pub fn key(self) -> String {
        match self {
            Figure::Total => "total_tok_s_gpu".into(),
            Figure::Output => "output_tok_s_gpu".into(),
            Figure::Input => "input_tok_s_gpu".into(),
            Figure::Request(measure, statistic) => {
                let word = statistic.word().replace('.', "_");
                format!("{word}_{}_{}", measure.word(), measure.unit().key())
            }
            Figure::AveragePower => "average_power_w".into(),
            Figure::JoulesPerOutputToken => "output_token_j".into(),
            Figure::JoulesPerToken => "token_j".into(),
        }
    }

    /// The unit of a person: times between tokens in milliseconds.
    pub fn shown_unit(self) -> &'static str {
        if self.in_milliseconds() { "ms" } else { self.unit() }
    }

    /// The number alone, in [`Figure::shown_unit`].
    pub fn render(self, value: f64) -> String {
        match self {
            Figure::Total | Figure::Output | Figure::Input | Figure::AveragePower => format!("{value:.1}"),
            Figure::Request(..) if self.in_milliseconds() => format!("{:.2}", value * 1e3),
            Figure::Request(measure, _) if measure.unit() == Unit::Seconds => format!("{value:.3}"),
            Figure::Request(..) => format!("{value:.2}"),
            Figure::JoulesPerOutputToken | Figure::JoulesPerToken => format!("{value:.4}"),
        }
    }

    fn in_milliseconds(self) -> bool {
        matches!(self, Figure::Request(Measure::Tpot | Measure::Itl | Measure::FullResponseItl, _))
    }
}

/// What is compared per request; the other measures follow from these.
const COMPARED: [Measure; 5] = [Measure::Intvty, Measure::E2eNormIntvty, Measure::Ttft, Measure::Tpot, Measure::E2el];

impl Measure {
    /// As people call it.
    pub fn title(self) -> &'static str {
        match self {
            Measure::Ttft => "TTFT",
            Measure::Tpot => "TPOT",
            Measure::Itl => "ITL",
            Measure::E2el => "E2E latency",
            Measure::Intvty => "interactivity",
            Measure::E2eNormIntvty => "normalised interactivity",
            Measure::FullResponseItl => "full-response ITL",
            Measure::FullResponseIntvty => "full-response interactivity",
        }
    }
}

impl Unit {
    /// As the name of a member ends.
    pub fn key(self) -> &'static str {
        match self {
            Unit::Seconds => "s",
            Unit::TokensPerSecondPerUser => "tok_s_user",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::tests::{agentic, fixed};
    use super::*;
    use crate::core::ids::RunId;
    use serde_json::{Value, json};
    use std::collections::HashSet;

    fn read(row: Value) -> ResultRow {
        super::super::parse("f", RunId(7), row.to_string().as_bytes()).unwrap().rows.remove(0)
    }

    #[test]
    fn figures_have_one_key_each_and_say_their_unit() {
        let keys: Vec<String> = Figure::all().map(Figure::key).collect();
        assert_eq!(keys.iter().collect::<HashSet<_>>().len(), keys.len());
        let table = [
            (Figure::Total, 21865.54, "21865.5 tok/s/GPU", "total_tok_s_gpu", Better::Higher),
            (Figure::Request(Measure::Ttft, Statistic::P999), 3.9012, "3.901 s", "p99_9_ttft_s", Better::Lower),
            (Figure::Request(Measure::Tpot, Statistic::Median), 0.01181, "11.81 ms", "median_tpot_s", Better::Lower),
            (
                Figure::Request(Measure::Intvty, Statistic::P90),
                74.634,
                "74.63 tok/s/user",
                "p90_intvty_tok_s_user",
                Better::Higher,
            ),
            (Figure::AveragePower, 801.5, "801.5 W", "average_power_w", Better::Lower),
            (Figure::JoulesPerToken, 0.12, "0.1200 J", "token_j", Better::Lower),
        ];
        for (figure, value, shown, key, better) in table {
            assert_eq!(format!("{} {}", figure.render(value), figure.shown_unit()), shown);
            assert_eq!((figure.key().as_str(), figure.better()), (key, better));
        }
    }

    #[test]
    fn a_figure_that_is_none_says_why() {
        let mut bad = fixed();
        (bad["median_e2el"], bad["tput_per_gpu"]) = (json!("NaN"), json!(-1.0));
        let row = read(bad);
        let latency = Figure::Request(Measure::E2el, Statistic::Median);
        assert_eq!((latency.of(&row), latency.flaw(&row)), (None, Some(FlawKind::NotANumber)));
        assert_eq!((Figure::Total.of(&row), Figure::Total.flaw(&row)), (None, Some(FlawKind::Negative)));
        assert_eq!(Figure::Output.flaw(&row), None);
        assert_eq!(Figure::AveragePower.of(&row), None, "the meters are declared unusable");
        let mut bad = agentic();
        bad["request_metrics"]["latency"]["e2el"]["p50"] = json!(-2);
        assert_eq!(latency.flaw(&read(bad)), Some(FlawKind::Negative), "p50 is the median");
    }
}
