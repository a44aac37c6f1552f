//! Runs of the method dynamics, and the hand-over at their end.

use std::path::Path;

use super::rest_scene::rest_scene;
use super::timed::{ACTS, Drive, Stepper, recall, start};
use super::{Options, seconds};
use crate::problem::Result;
use crate::scene::{HandOver, Scene};
use crate::step::collapse::{Ledger, Push};
use crate::step::dynamics::{Dynamics, Memory};
use crate::step::hand_over::{self, separate};
use crate::trajectory::{Frame, Outcome, StepKind, Writer};
use crate::world::{Model, Poses, build_assembly};

struct Moving<'a> {
    dynamics: Dynamics<'a>,
    moving: u32,
}

impl Stepper for Moving<'_> {
    const KIND: StepKind = StepKind::Dynamics;
    type Memory = Memory;

    fn step(&mut self, poses: &mut Poses) -> Result<Ledger> {
        self.dynamics.step(poses)
    }

    fn pushes(&self) -> &[Push] {
        &[]
    }

    fn memory(&self) -> Memory {
        self.dynamics.memory().clone()
    }

    fn moving(&self) -> u32 {
        self.moving
    }
}

pub(super) fn run(scene: &Scene, options: Options) -> Result<()> {
    let (model, poses) = build_assembly(scene)?;
    let mut writer =
        Writer::create(&options.out, options.force, &model, &scene.source.text, &ACTS)?;
    start::<Moving>(&mut writer, &poses, model.assembly.energy(&poses), &Memory::default())?;
    drive(&model, poses, Memory::default(), 0, writer, options)
}

pub(super) fn resume(
    model: &Model,
    frame: Frame,
    memory: &[u8],
    writer: Writer,
    options: Options,
) -> Result<()> {
    let (poses, memory) = recall::<Moving>(&frame, memory, &options)?;
    drive(model, poses, memory, frame.step, writer, options)
}

fn drive(
    model: &Model,
    poses: Poses,
    memory: Memory,
    step: u64,
    writer: Writer,
    mut options: Options,
) -> Result<()> {
    let dynamics = Dynamics::resume(&model.assembly, model.dynamics, memory);
    let mut moving = Moving { dynamics, moving: model.assembly.free().count() as u32 };
    let out = options.out.clone();
    let mut drive = Drive::new(writer, &mut options, poses, step);
    let (outcome, mut broken) = drive.steps(&mut moving, model.dynamics.steps as u64)?;
    if outcome != Outcome::Duration || model.dynamics.hand_over == HandOver::No {
        drive.end(outcome)?;
        return broken.map_or(Ok(()), |problem| Err(problem.in_file(&out)));
    }
    if let Err(problem) = take_apart(model, &mut drive) {
        broken = Some(problem);
    }
    let poses = drive.poses.clone();
    drive.end(if broken.is_some() { Outcome::Failed } else { outcome })?;
    if let Some(problem) = broken {
        return Err(problem.in_file(&out));
    }
    match model.dynamics.hand_over {
        HandOver::Settle => settle_on(model, &poses, options),
        _ => Ok(()),
    }
}

/// The last frame: nobody overlaps any more.
fn take_apart(model: &Model, drive: &mut Drive) -> Result<()> {
    let before = seconds();
    let room = match model.dynamics.hand_over {
        HandOver::Settle => hand_over::ROOM_TO_SETTLE,
        _ => 0.0,
    };
    let done = separate(&model.assembly, &mut drive.poses, room)?;
    drive.step += 1;
    let ledger = hand_over::ledger(&model.assembly, &drive.poses, &done);
    drive.report(StepKind::HandOver, &[], ledger, seconds() - before, 0)
}

/// Settles the bodies as they stand into a file beside the run's own.
fn settle_on(model: &Model, poses: &Poses, options: Options) -> Result<()> {
    let name = format!("{}-rest", model.name);
    let text = rest_scene(model, poses, &name, hand_over::ROOM_TO_SETTLE)?;
    let scene = Scene::from_text(&text, Path::new("rest.toml"))?;
    let stem = options.out.file_stem().map_or("run".into(), |stem| stem.to_string_lossy());
    let out = options.out.with_file_name(format!("{stem}-rest.riprap"));
    super::run(&scene, Options { out, ..options })
}
