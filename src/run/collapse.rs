//! Runs of the method collapse.

use serde::{Deserialize, Serialize};

use super::Options;
use super::timed::{ACTS, Drive, Stepper, recall, start};
use crate::problem::Result;
use crate::scene::Scene;
use crate::step::collapse::{Collapse, Ledger, Memory, Mirror, Push, ready};
use crate::trajectory::{Frame, StepKind, Writer};
use crate::world::{Model, Poses};

/// What a checkpoint holds: the frame has the poses.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Checkpoint {
    memory: Memory,
    mirror: Option<Mirror>,
}

struct Falling<'a> {
    collapse: Collapse<'a>,
    mirror: Option<Mirror>,
    moving: u32,
}

impl Stepper for Falling<'_> {
    const KIND: StepKind = StepKind::Collapse;
    type Memory = Checkpoint;

    fn step(&mut self, poses: &mut Poses) -> Result<Ledger> {
        Ok(self.collapse.step(poses))
    }

    fn pushes(&self) -> &[Push] {
        self.collapse.pushes()
    }

    fn memory(&self) -> Checkpoint {
        Checkpoint { memory: self.collapse.memory().clone(), mirror: self.mirror.clone() }
    }

    fn moving(&self) -> u32 {
        self.moving
    }
}

pub(super) fn run(scene: &Scene, options: Options) -> Result<()> {
    let (model, poses) = ready(scene)?;
    let mut writer =
        Writer::create(&options.out, options.force, &model, &scene.source.text, &ACTS)?;
    let mirror = Mirror::find(&model.tower, &poses);
    let checkpoint = Checkpoint { memory: Memory::default(), mirror };
    start::<Falling>(&mut writer, &poses, model.tower.energy(&poses), &checkpoint)?;
    drive(&model, poses, checkpoint, 0, writer, options)
}

pub(super) fn resume(
    model: &Model,
    frame: Frame,
    memory: &[u8],
    writer: Writer,
    options: Options,
) -> Result<()> {
    let (poses, checkpoint) = recall::<Falling>(&frame, memory, &options)?;
    drive(model, poses, checkpoint, frame.step, writer, options)
}

fn drive(
    model: &Model,
    poses: Poses,
    checkpoint: Checkpoint,
    step: u64,
    writer: Writer,
    mut options: Options,
) -> Result<()> {
    let Checkpoint { memory, mirror } = checkpoint;
    let moving = model.tower.moving().count() as u32;
    let collapse = Collapse::resume(&model.tower, &poses, model.collapse, mirror.clone(), memory);
    let mut falling = Falling { collapse, mirror, moving };
    let mut drive = Drive::new(writer, &mut options, poses, step);
    let (outcome, _) = drive.steps(&mut falling, model.collapse.steps as u64)?;
    drive.end(outcome)
}
