//! An arm of a run: the rows that share one value of one dimension, `spec=none`, against which the others are set.
//! Must not know: how rows are paired.

use crate::core::axes::{Axes, Parallel};
use crate::core::results::ResultRow;
use crate::core::trouble::{Trouble, TroubleKind};

/// What two arms of a run differ in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dimension {
    /// Speculative decoding.
    Spec,
    /// Parallelism of all roles.
    Parallel,
    /// KV offloading.
    Kv,
    Framework,
    Runner,
    Precision,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arm {
    pub dimension: Dimension,
    /// As a row tells it, `none` where it tells nothing.
    pub value: String,
}

impl Dimension {
    pub const ALL: [Dimension; 6] =
        [Dimension::Spec, Dimension::Parallel, Dimension::Kv, Dimension::Framework, Dimension::Runner, Dimension::Precision];

    pub fn word(self) -> &'static str {
        match self {
            Dimension::Spec => "spec",
            Dimension::Parallel => "parallel",
            Dimension::Kv => "kv",
            Dimension::Framework => "framework",
            Dimension::Runner => "runner",
            Dimension::Precision => "precision",
        }
    }

    /// What the row says of it.
    pub fn of(self, axes: &Axes) -> String {
        let stated = |word: &Option<String>| word.clone().unwrap_or_else(|| "none".to_owned());
        match self {
            Dimension::Spec => stated(&axes.spec),
            Dimension::Parallel => axes.render_parallel(),
            Dimension::Kv => stated(&axes.kv),
            Dimension::Framework => axes.framework.clone(),
            Dimension::Runner => axes.runner.clone(),
            Dimension::Precision => axes.precision.clone(),
        }
    }

    pub(super) fn forget(self, axes: &mut Axes) {
        match self {
            Dimension::Spec => axes.spec = None,
            Dimension::Parallel => (axes.parallel, axes.prefill, axes.decode) = (Parallel::default(), None, None),
            Dimension::Kv => (axes.kv, axes.kv_backend) = (None, None),
            Dimension::Framework => axes.framework.clear(),
            Dimension::Runner => axes.runner.clear(),
            Dimension::Precision => axes.precision.clear(),
        }
    }
}

impl Arm {
    /// Reads `spec=none`, `parallel=TP4`.
    ///
    /// # Errors
    /// It is not a dimension, an equals sign and a value.
    pub fn parse(text: &str) -> Result<Arm, Trouble> {
        let split = text.split_once('=').map(|(word, value)| (word.trim(), value.trim()));
        let found = split.filter(|(_, value)| !value.is_empty()).and_then(|(word, value)| {
            let dimension = Dimension::ALL.into_iter().find(|dimension| dimension.word() == word)?;
            Some(Arm { dimension, value: value.to_owned() })
        });
        found.ok_or_else(|| {
            let words = Dimension::ALL.map(Dimension::word).join(", ");
            let headline = format!("`{text}` names no arm of a run.");
            Trouble::new(TroubleKind::Malformed, headline, format!("Write one of {words}, then = and its value: spec=none."))
        })
    }

    pub fn holds(&self, row: &ResultRow) -> bool {
        self.dimension.of(&row.axes).eq_ignore_ascii_case(&self.value)
    }
}
