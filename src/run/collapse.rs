//! The loop of the method collapse: a number of time steps, each with its ledger.

use std::sync::atomic::Ordering;
use std::time::Instant;

use cpu_time::ProcessTime;
use serde::{Deserialize, Serialize};

use super::{CHECKPOINT_EVERY, Options, Status, seconds};
use crate::problem::{Problem, Result};
use crate::scene::Scene;
use crate::step::collapse::{Collapse, Ledger, Memory, Mirror, Push, ready};
use crate::trajectory::{BrickFrame, Ending, Frame, Outcome, StepKind, StepReport, Writer};
use crate::world::{Model, Poses};

/// The acts of a step, as the run file names them.
const ACTS: [&str; 1] = ["step"];

/// What a checkpoint holds: the frame has the poses.
#[derive(Serialize, Deserialize)]
struct Checkpoint {
    memory: Memory,
    mirror: Option<Mirror>,
}

pub(super) fn run(scene: &Scene, options: Options) -> Result<()> {
    let (model, poses) = ready(scene)?;
    let mut writer =
        Writer::create(&options.out, options.force, &model, &scene.source.text, &ACTS)?;
    let mirror = Mirror::find(&model.tower, &poses);
    let ledger = Ledger { energy: model.tower.energy(&poses), ..Default::default() };
    writer.frame(&frame(0, &poses, &[], ledger, 0.0))?;
    let checkpoint = Checkpoint { memory: Memory::default(), mirror };
    writer.checkpoint(&bytes(&checkpoint))?;
    drive(&model, poses, checkpoint, 0, writer, options)
}

pub(super) fn resume(
    model: &Model,
    frame: Frame,
    memory: &[u8],
    writer: Writer,
    options: Options,
) -> Result<()> {
    let checkpoint: Checkpoint = serde_json::from_slice(memory).map_err(|error| {
        Problem::new(format!("the checkpoint is not as expected: {error}")).in_file(&options.out)
    })?;
    let Some(bricks) = &frame.bricks else {
        return Err(Problem::new("the last frame has no rotations").in_file(&options.out));
    };
    let poses = bricks.poses(&frame.positions);
    drive(model, poses, checkpoint, frame.step, writer, options)
}

fn drive(
    model: &Model,
    mut poses: Poses,
    checkpoint: Checkpoint,
    mut step: u64,
    mut writer: Writer,
    options: Options,
) -> Result<()> {
    let (started, cpu) = (Instant::now(), ProcessTime::now());
    let Checkpoint { memory, mirror } = checkpoint;
    let goal = model.collapse.steps as u64;
    let limit = options.max_steps.map_or(u64::MAX, |steps| steps as u64);
    let mut collapse =
        Collapse::resume(&model.tower, &poses, model.collapse, mirror.clone(), memory);
    let save = |writer: &mut Writer, collapse: &Collapse| {
        let checkpoint = Checkpoint { memory: collapse.memory().clone(), mirror: mirror.clone() };
        writer.checkpoint(&bytes(&checkpoint))
    };
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
        let ledger = collapse.step(&mut poses);
        step += 1;
        let energy = ledger.energy;
        let taken = seconds() - before;
        writer.frame(&frame(step, &poses, collapse.pushes(), ledger, taken))?;
        let moving = model.tower.moving().count() as u32;
        (options.progress)(&Status { step, energy, moving, near_rest: false });
        if step.is_multiple_of(CHECKPOINT_EVERY) {
            save(&mut writer, &collapse)?;
        }
    };
    if outcome != Outcome::Duration {
        save(&mut writer, &collapse)?;
    }
    writer.end(&Ending {
        outcome,
        contacts: Vec::new(),
        certificate: None,
        seconds: started.elapsed().as_secs_f64(),
        cpu_seconds: cpu.elapsed().as_secs_f64(),
        acts: Vec::new(),
    })
}

fn bytes(checkpoint: &Checkpoint) -> Vec<u8> {
    serde_json::to_vec(checkpoint).unwrap_or_default()
}

fn frame(step: u64, poses: &Poses, pushes: &[Push], ledger: Ledger, seconds: f64) -> Frame {
    Frame {
        step,
        kind: if step == 0 { StepKind::Start } else { StepKind::Collapse },
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
