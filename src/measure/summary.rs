//! A run in a few numbers, all of them read back from the run file.

use serde::Serialize;

use crate::math::median;
use crate::near::deepest_overlap;
use crate::problem::{Problem, Result};
use crate::trajectory::{Frame, Outcome, Reader, StepKind};
use crate::world::State;

/// What `riprap run --json` prints, apart from the name of the file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    pub scene: String,
    pub method: &'static str,
    pub bodies: usize,
    /// All steps, those of escapes and polishing among them.
    pub steps: u64,
    pub steps_escape: u64,
    pub steps_polish: u64,
    pub outcome: Outcome,
    pub energy_start: f64,
    pub energy_end: f64,
    pub seconds: f64,
    pub cpu_seconds: f64,
    /// Median.
    pub ms_per_step: f64,
    /// Deepest overlap at any frame, relative to the smaller radius.
    pub max_overlap: f64,
    /// Largest force imbalance relative to the body's weight; none unless at rest.
    pub residual: Option<f64>,
    pub contacts: usize,
    pub neutral_modes: Option<u64>,
    pub unstable_modes: Option<u64>,
    /// In words.
    pub verdict: Option<String>,
    /// The energy can fall by at most this within the linearised cell.
    pub bound: Option<f64>,
    /// Hash of the last state.
    pub hash: String,
    /// Seconds per act, summed over the steps.
    pub acts: Vec<(String, f64)>,
}

/// Reads a run through once.
pub fn summarise(reader: &Reader) -> Result<Summary> {
    let model = reader.model();
    let mut counts = [0_u64; 2];
    let mut acts = vec![0.0; reader.acts().len()];
    let (mut times, mut max_overlap) = (Vec::new(), 0.0_f64);
    let (mut first, mut last): (Option<Frame>, Option<Frame>) = (None, None);
    for frame in reader.frames() {
        let frame = frame?;
        counts[0] += u64::from(frame.kind == StepKind::Escape);
        counts[1] += u64::from(frame.kind == StepKind::Polish);
        if frame.kind != StepKind::Start {
            times.push(1e3 * frame.report.seconds.iter().sum::<f32>() as f64);
        }
        for (sum, s) in acts.iter_mut().zip(&frame.report.seconds) {
            *sum += *s as f64;
        }
        let state = State { positions: frame.positions.clone() };
        max_overlap = max_overlap.max(deepest_overlap(model, &state));
        first.get_or_insert_with(|| frame.clone());
        last = Some(frame);
    }
    let (Some(first), Some(last)) = (first, last) else {
        return Err(Problem::new("the run has no frames").help("start it again with --force"));
    };
    let ending = reader.ending();
    let certificate = ending.and_then(|e| e.certificate.as_ref());
    Ok(Summary {
        scene: model.name.clone(),
        method: "settle",
        bodies: model.bodies.len(),
        steps: last.step,
        steps_escape: counts[0],
        steps_polish: counts[1],
        outcome: ending.map_or(Outcome::Interrupted, |e| e.outcome),
        energy_start: first.energy,
        energy_end: last.energy,
        seconds: ending.map_or(0.0, |e| e.seconds),
        cpu_seconds: ending.map_or(0.0, |e| e.cpu_seconds),
        ms_per_step: median(times),
        max_overlap,
        residual: certificate.map(|c| c.residual),
        contacts: ending.map_or(0, |e| e.contacts.len()),
        neutral_modes: certificate.map(|c| c.neutral_modes),
        unstable_modes: certificate.map(|c| c.unstable_modes),
        verdict: certificate.map(|c| c.verdict.clone()),
        bound: certificate.map(|c| c.bound),
        hash: format!("{:016x}", reader.stored_hash(reader.len() - 1)),
        acts: reader.acts().iter().cloned().zip(acts).collect(),
    })
}
