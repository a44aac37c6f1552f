//! The loop of the methods that take time steps, collapse and dynamics: a
//! number of steps, each with its ledger, checkpoints on the way, and an end.

use std::sync::atomic::Ordering;
use std::time::Instant;

use cpu_time::ProcessTime;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{CHECKPOINT_EVERY, Options, Status, seconds};
use crate::problem::{Problem, Result};
use crate::step::collapse::{Ledger, Push};
use crate::trajectory::{BrickFrame, Ending, Frame, Outcome, StepKind, StepReport, Writer};
use crate::world::Poses;

/// The acts of a step, as the run file names them.
pub(super) const ACTS: [&str; 1] = ["step"];

/// What takes the steps.
pub(super) trait Stepper {
    /// Of its frames.
    const KIND: StepKind;

    /// What the next step takes over from the last one; the frame has the poses.
    type Memory: Serialize + DeserializeOwned;

    /// One time step; an error ends the run and leaves the poses as they were.
    fn step(&mut self, poses: &mut Poses) -> Result<Ledger>;

    /// The impulses of the last step.
    fn pushes(&self) -> &[Push];

    fn memory(&self) -> Self::Memory;

    /// Bodies that forces move.
    fn moving(&self) -> u32;
}

/// Poses and memory, from the last frame and the checkpoint of a run that was cut short.
pub(super) fn recall<S: Stepper>(
    frame: &Frame,
    memory: &[u8],
    options: &Options,
) -> Result<(Poses, S::Memory)> {
    let memory = serde_json::from_slice(memory).map_err(|error| {
        Problem::new(format!("the checkpoint is not as expected: {error}")).in_file(&options.out)
    })?;
    let Some(bricks) = &frame.bricks else {
        return Err(Problem::new("the last frame has no rotations").in_file(&options.out));
    };
    Ok((bricks.poses(&frame.positions), memory))
}

/// The first frame, and what the first step takes over.
pub(super) fn start<S: Stepper>(
    writer: &mut Writer,
    poses: &Poses,
    energy: f64,
    memory: &S::Memory,
) -> Result<()> {
    let ledger = Ledger { energy, ..Default::default() };
    writer.frame(&frame(StepKind::Start, 0, poses, &[], ledger, 0.0))?;
    writer.checkpoint(&bytes(memory))
}

/// A run under way.
pub(super) struct Drive<'r, 'o> {
    pub writer: Writer,
    pub options: &'r mut Options<'o>,
    pub poses: Poses,
    pub step: u64,
    started: (Instant, ProcessTime),
}

impl<'r, 'o> Drive<'r, 'o> {
    pub fn new(writer: Writer, options: &'r mut Options<'o>, poses: Poses, step: u64) -> Self {
        let started = (Instant::now(), ProcessTime::now());
        Drive { writer, options, poses, step, started }
    }

    /// Steps until there are `goal` of them, or the run is told to stop. A step that fails is
    /// the last; the problem comes back with the outcome.
    pub fn steps<S: Stepper>(
        &mut self,
        stepper: &mut S,
        goal: u64,
    ) -> Result<(Outcome, Option<Problem>)> {
        let limit = self.options.max_steps.map_or(u64::MAX, |steps| steps as u64);
        let outcome = loop {
            if self.options.interrupted.load(Ordering::Relaxed) {
                break Outcome::Interrupted;
            }
            if self.step >= goal {
                return Ok((Outcome::Duration, None));
            }
            if self.step >= limit {
                break Outcome::StepLimit;
            }
            let before = seconds();
            let ledger = match stepper.step(&mut self.poses) {
                Ok(ledger) => ledger,
                Err(problem) => return Ok((Outcome::Failed, Some(problem))),
            };
            self.step += 1;
            let taken = seconds() - before;
            self.report(S::KIND, stepper.pushes(), ledger, taken, stepper.moving())?;
            if self.step.is_multiple_of(CHECKPOINT_EVERY) {
                self.writer.checkpoint(&bytes(&stepper.memory()))?;
            }
        };
        self.writer.checkpoint(&bytes(&stepper.memory()))?;
        Ok((outcome, None))
    }

    /// Writes a frame and says so.
    pub fn report(
        &mut self,
        kind: StepKind,
        pushes: &[Push],
        ledger: Ledger,
        taken: f64,
        moving: u32,
    ) -> Result<()> {
        let energy = ledger.energy;
        self.writer.frame(&frame(kind, self.step, &self.poses, pushes, ledger, taken))?;
        (self.options.progress)(&Status { step: self.step, energy, moving, near_rest: false });
        Ok(())
    }

    /// Ends the run file.
    pub fn end(self, outcome: Outcome) -> Result<()> {
        self.writer.end(&Ending {
            outcome,
            contacts: Vec::new(),
            certificate: None,
            seconds: self.started.0.elapsed().as_secs_f64(),
            cpu_seconds: self.started.1.elapsed().as_secs_f64(),
            acts: Vec::new(),
        })
    }
}

fn bytes(memory: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(memory).unwrap_or_default()
}

fn frame(
    kind: StepKind,
    step: u64,
    poses: &Poses,
    pushes: &[Push],
    ledger: Ledger,
    seconds: f64,
) -> Frame {
    Frame {
        step,
        kind,
        energy: ledger.energy,
        positions: poses.positions.clone(),
        report: StepReport {
            active: poses.positions.len() as u32,
            moving: poses.positions.len() as u32,
            rows: ledger.rows,
            iterations: ledger.iterations,
            seconds: vec![seconds as f32],
        },
        bricks: Some(Box::new(BrickFrame::new(poses, pushes.to_vec(), ledger))),
    }
}
