//! The axes of a measured point: one shape for job names, eval rows, result rows and config entries.
//! Must not know: where they were read from.

use serde::{Deserialize, Serialize};

/// Parallelism of one role. Sizes are 1 when a name or row does not state them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Parallel {
    pub tp: u32,
    pub pp: u32,
    pub dcp: u32,
    pub pcp: u32,
    pub ep: u32,
    /// Data-parallel attention.
    pub dpa: bool,
}

impl Default for Parallel {
    fn default() -> Self {
        Parallel { tp: 1, pp: 1, dcp: 1, pcp: 1, ep: 1, dpa: false }
    }
}

/// One side of a disaggregated deployment.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Role {
    pub workers: u32,
    #[serde(flatten)]
    pub parallel: Parallel,
}

/// Concurrency: one number, or the whole list that a multi-node job runs through. In JSON a number or an array.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Concurrency {
    One(u32),
    List(Vec<u32>),
}

impl Concurrency {
    pub fn values(&self) -> &[u32] {
        match self {
            Concurrency::One(value) => std::slice::from_ref(value),
            Concurrency::List(values) => values,
        }
    }
}

/// Where a point stands in the sweep.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Axes {
    /// The model's prefix: `qwen3.5`.
    pub model: String,
    pub precision: String,
    /// The config's runner: `b200`, `cluster:b300-nv`.
    pub runner: String,
    /// The framework's full name: `sglang`, never the alias `sgl` of job names.
    pub framework: String,
    /// Of a disaggregated point this repeats the prefill side; `prefill` and `decode` tell both.
    #[serde(flatten)]
    pub parallel: Parallel,
    pub spec: Option<String>,
    /// KV offloading: `dram`.
    pub kv: Option<String>,
    pub kv_backend: Option<String>,
    pub conc: Concurrency,
    pub prefill: Option<Role>,
    pub decode: Option<Role>,
}

impl Parallel {
    /// `TP8/PP2/EP8/DPA`, as job names write it.
    pub fn render(&self) -> String {
        let mut out = format!("TP{}", self.tp);
        for (name, size) in [("PP", self.pp), ("DCP", self.dcp), ("PCP", self.pcp), ("EP", self.ep)] {
            if size != 1 {
                out.push_str(&format!("/{name}{size}"));
            }
        }
        if self.dpa {
            out.push_str("/DPA");
        }
        out
    }
}

impl Axes {
    /// Parallelism of all roles: `TP2/EP2`, or `2P (TP8/EP8/DPA) x 1D (TP8)`.
    pub fn render_parallel(&self) -> String {
        match (&self.prefill, &self.decode) {
            (Some(p), Some(d)) => {
                format!("{}P ({}) x {}D ({})", p.workers, p.parallel.render(), d.workers, d.parallel.render())
            }
            _ => self.parallel.render(),
        }
    }

    /// `c64`, or `c64x32x16`.
    pub fn render_conc(&self) -> String {
        let list: Vec<String> = self.conc.values().iter().map(u32::to_string).collect();
        format!("c{}", list.join("x"))
    }
}
