//! The loop of the method dynamics: a number of time steps, each with its ledger.

use std::sync::atomic::Ordering;
use std::time::Instant;

use cpu_time::ProcessTime;

use super::{CHECKPOINT_EVERY, Options, Status, seconds};
use crate::problem::{Problem, Result};
use crate::scene::Scene;
use crate::step::collapse::Ledger;
use crate::step::dynamics::{Dynamics, Memory};
use crate::trajectory::{BrickFrame, Ending, Frame, Outcome, StepKind, StepReport, Writer};
use crate::world::{Model, Poses, build_assembly};

/// The acts of a step, as the run file names them.
const ACTS: [&str; 1] = ["step"];

pub(super) fn run(scene: &Scene, options: Options) -> Result<()> {
    let (model, poses) = build_assembly(scene)?;
    let mut writer =
        Writer::create(&options.out, options.force, &model, &scene.source.text, &ACTS)?;
    let ledger = Ledger { energy: model.assembly.energy(&poses), ..Default::default() };
    writer.frame(&frame(0, &poses, ledger, 0.0))?;
    writer.checkpoint(&bytes(&Memory::default()))?;
    drive(&model, poses, Memory::default(), 0, writer, options)
}

pub(super) fn resume(
    model: &Model,
    frame: Frame,
    memory: &[u8],
    writer: Writer,
    options: Options,
) -> Result<()> {
    let memory: Memory = serde_json::from_slice(memory).map_err(|error| {
        Problem::new(format!("the checkpoint is not as expected: {error}")).in_file(&options.out)
    })?;
    let Some(bricks) = &frame.bricks else {
        return Err(Problem::new("the last frame has no rotations").in_file(&options.out));
    };
    let poses = bricks.poses(&frame.positions);
    drive(model, poses, memory, frame.step, writer, options)
}

fn drive(
    model: &Model,
    mut poses: Poses,
    memory: Memory,
    mut step: u64,
    mut writer: Writer,
    options: Options,
) -> Result<()> {
    let (started, cpu) = (Instant::now(), ProcessTime::now());
    let goal = model.dynamics.steps as u64;
    let limit = options.max_steps.map_or(u64::MAX, |steps| steps as u64);
    let mut dynamics = Dynamics::resume(&model.assembly, model.dynamics, memory);
    let mut broken = None;
    let outcome = loop {
        if options.interrupted.load(Ordering::Relaxed) {
            break Outcome::Interrupted;
        }
        if step >= goal {
            break Outcome::Duration;
        }
        if step >= limit {
            break Outcome::StepLimit;
        }
        let before = seconds();
        let ledger = match dynamics.step(&mut poses) {
            Ok(ledger) => ledger,
            Err(problem) => {
                broken = Some(problem);
                break Outcome::Failed;
            }
        };
        step += 1;
        let energy = ledger.energy;
        writer.frame(&frame(step, &poses, ledger, seconds() - before))?;
        let moving = model.assembly.free().count() as u32;
        (options.progress)(&Status { step, energy, moving, near_rest: false });
        if step.is_multiple_of(CHECKPOINT_EVERY) {
            writer.checkpoint(&bytes(dynamics.memory()))?;
        }
    };
    if matches!(outcome, Outcome::Interrupted | Outcome::StepLimit) {
        writer.checkpoint(&bytes(dynamics.memory()))?;
    }
    writer.end(&Ending {
        outcome,
        contacts: Vec::new(),
        certificate: None,
        seconds: started.elapsed().as_secs_f64(),
        cpu_seconds: cpu.elapsed().as_secs_f64(),
        acts: Vec::new(),
    })?;
    broken.map_or(Ok(()), |problem| Err(problem.in_file(&options.out)))
}

fn bytes(memory: &Memory) -> Vec<u8> {
    serde_json::to_vec(memory).unwrap_or_default()
}

fn frame(step: u64, poses: &Poses, ledger: Ledger, seconds: f64) -> Frame {
    Frame {
        step,
        kind: if step == 0 { StepKind::Start } else { StepKind::Dynamics },
        energy: ledger.energy,
        positions: poses.positions.clone(),
        report: StepReport {
            active: poses.positions.len() as u32,
            moving: poses.positions.len() as u32,
            rows: ledger.rows,
            iterations: ledger.iterations,
            seconds: vec![seconds as f32],
        },
        bricks: Some(Box::new(BrickFrame::new(poses, Vec::new(), ledger))),
    }
}
