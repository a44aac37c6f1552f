//! What happened: one append-only file per run, with the scene, the model,
//! every frame (lossless), the contacts and forces of the last one, timings by
//! act, a hash of every state, and checkpoints of whatever the next step
//! depends on. The format is described in FORMAT.md.

mod reader;
mod record;
mod writer;

pub use reader::Reader;
pub use writer::{Resumed, Writer};

use serde::{Deserialize, Serialize};

use crate::math::DVec3;

/// One configuration and what is known of the step that led to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// 0 for the start, then counting steps.
    pub step: u64,
    pub kind: StepKind,
    pub energy: f64,
    pub positions: Vec<DVec3>,
    pub report: StepReport,
}

/// Why a step was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StepKind {
    /// The starting configuration: no step at all.
    Start,
    /// A step of the main loop.
    Settle,
    /// A step out of an unstable rest.
    Escape,
    /// A tight step near rest.
    Polish,
}

/// How a step was found: for the summary, the benchmarks and the curious.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Bodies that were unknowns of the program (the others slept).
    pub active: u32,
    /// Bodies that moved noticeably.
    pub moving: u32,
    pub rows: u32,
    pub iterations: u32,
    /// Seconds per act, in the order of the run's list of acts.
    pub seconds: Vec<f32>,
}

/// A touching pair with its force, in scene units.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contact {
    pub body: u32,
    pub with: With,
    pub force: f64,
}

/// The other side of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum With {
    /// Another body, seen through this periodic image offset.
    Body(u32, [i32; 3]),
    /// A face of the container's boundary.
    Face(u32),
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ending {
    pub outcome: Outcome,
    /// Empty unless the run came to rest.
    pub contacts: Vec<Contact>,
    pub certificate: Option<Certificate>,
    pub seconds: f64,
    pub cpu_seconds: f64,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    Rest,
    Duration,
    StepLimit,
    Interrupted,
    Failed,
}

/// What the method claims about the rest it found; `verify` checks it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// Largest force imbalance of a body, relative to its weight.
    pub residual: f64,
    /// The energy can fall by at most this within the linearised cell.
    pub bound: f64,
    /// Rank of the force-carrying rows, out of `unknowns`.
    pub rank: u64,
    pub unknowns: u64,
    pub unstable_modes: u64,
    pub neutral_modes: u64,
    /// Smallest singular value that is not a null mode: how far from a mechanism.
    pub margin: f64,
    /// In words: "strict minimum", "minimum up to neutral modes", ...
    pub verdict: String,
}

/// A hash of the exact bits of a configuration.
pub fn state_hash(_positions: &[DVec3]) -> u64 {
    todo!()
}
