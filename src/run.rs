//! From scene to trajectory: the loop around the steps, stop rules,
//! checkpoints and resuming, interruption, progress. The only room between the
//! methods and the outside world: it owns the clock and the run file.

mod collapse;
mod compact;
mod dynamics;
mod rest_scene;
mod timed;

pub use compact::{Keep, compact_into, layout_options};

use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use cpu_time::ProcessTime;

use crate::energy;
use crate::free_space::Other;
use crate::problem::Result;
use crate::scene::{Method, Scene};
use crate::step::ACTS;
use crate::step::settle::{Kind, Moved, Pressed, Progress, Rest, Settle};
use crate::trajectory::{
    Certificate, Contact, Ending, Frame, Outcome, Resumed, Seat, StepKind, StepReport, With, Writer,
};
use crate::world::{Model, State, build};

/// A killed run loses at most this many steps of work (no frame is ever lost).
const CHECKPOINT_EVERY: u64 = 50;

/// How to run a scene.
pub struct Options<'a> {
    /// The run file to write.
    pub out: PathBuf,
    /// Overwrite it if it exists.
    pub force: bool,
    /// Replaces the scene's own limit.
    pub max_steps: Option<usize>,
    /// Set from outside to end the run cleanly after the current step.
    pub interrupted: &'a AtomicBool,
    /// Told after every step.
    pub progress: &'a mut dyn FnMut(&Status),
}

/// Where a run stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Status {
    pub step: u64,
    pub energy: f64,
    /// Bodies that moved noticeably in the last step.
    pub moving: u32,
    /// The fall is over; what is left is polishing and proving.
    pub near_rest: bool,
}

/// Runs a scene into a new file.
pub fn run(scene: &Scene, options: Options) -> Result<()> {
    match scene.method {
        Method::Settle => {}
        Method::Collapse => return collapse::run(scene, options),
        Method::Compact => return compact::run(scene, options),
        Method::Dynamics => return dynamics::run(scene, options),
    }
    let (model, state) = build(scene)?;
    let mut writer =
        Writer::create(&options.out, options.force, &model, &scene.source.text, &ACTS)?;
    let first = Frame {
        step: 0,
        kind: StepKind::Start,
        energy: energy::energy(&model, &state),
        positions: state.positions.clone(),
        report: StepReport { seconds: vec![0.0; ACTS.len()], ..Default::default() },
        bricks: None,
    };
    writer.frame(&first)?;
    let settle = Settle::new(&model, seconds);
    writer.checkpoint(&settle.memory())?;
    drive(&model, state, settle, 0, writer, options)
}

/// Goes on with a run that was cut short, from its last checkpoint, to the
/// same end, bit for bit, that it would have reached uninterrupted.
pub fn resume(options: Options) -> Result<()> {
    let Resumed { writer, model, frame, memory, .. } = Writer::resume(&options.out)?;
    if model.is_dynamic() {
        return dynamics::resume(&model, frame, &memory, writer, options);
    }
    if model.is_tower() {
        return collapse::resume(&model, frame, &memory, writer, options);
    }
    let settle = Settle::resume(&model, &memory, seconds)
        .map_err(|problem| problem.in_file(&options.out))?;
    let state = State { positions: frame.positions };
    drive(&model, state, settle, frame.step, writer, options)
}

/// The loop.
fn drive(
    model: &Model,
    mut state: State,
    mut settle: Settle,
    mut step: u64,
    mut writer: Writer,
    options: Options,
) -> Result<()> {
    let (started, cpu) = (Instant::now(), ProcessTime::now());
    let limit = options.max_steps.unwrap_or(model.settle.max_steps) as u64;
    let mut checkpoint = step + CHECKPOINT_EVERY;
    let (outcome, rest) = loop {
        if options.interrupted.load(Ordering::Relaxed) {
            break (Outcome::Interrupted, None);
        }
        if step >= limit {
            break (Outcome::StepLimit, None);
        }
        let moved = match settle.step(&mut state) {
            Progress::Rest(rest) => {
                break (if rest.is_proved() { Outcome::Rest } else { Outcome::Failed }, Some(rest));
            }
            Progress::Moved(moved) => moved,
        };
        let report = report(&moved, settle.take_seconds());
        for waypoint in moved.path {
            step += 1;
            let energy = energy::energy(model, &waypoint);
            let kind = kind(moved.kind);
            let positions = waypoint.positions;
            writer.frame(&Frame {
                step,
                kind,
                energy,
                positions,
                report: report.clone(),
                bricks: None,
            })?;
            let (moving, near_rest) = (moved.moving, settle.at_first_order_rest());
            (options.progress)(&Status { step, energy, moving, near_rest });
        }
        if step >= checkpoint {
            writer.checkpoint(&settle.memory())?;
            checkpoint = step + CHECKPOINT_EVERY;
        }
    };
    if rest.is_none() {
        writer.checkpoint(&settle.memory())?;
    }
    let contacts = rest.iter().flat_map(|rest| &rest.contacts).map(contact).collect();
    writer.end(&Ending {
        outcome,
        contacts,
        certificate: rest.as_ref().map(certificate),
        seconds: started.elapsed().as_secs_f64(),
        cpu_seconds: cpu.elapsed().as_secs_f64(),
        acts: settle.take_seconds(),
    })
}

/// Seconds since the first call.
fn seconds() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

fn kind(kind: Kind) -> StepKind {
    match kind {
        Kind::Settle => StepKind::Settle,
        Kind::Polish => StepKind::Polish,
        Kind::Escape => StepKind::Escape,
    }
}

fn report(moved: &Moved, seconds: Vec<f32>) -> StepReport {
    let Moved { active, moving, rows, iterations, .. } = *moved;
    StepReport { active, moving, rows, iterations, seconds }
}

fn contact(pressed: &Pressed) -> Contact {
    let Pressed { key, normal, force, choice } = *pressed;
    let seat = |pieces: [u32; 2]| Seat { pieces, normal: normal.to_array(), choice };
    let with = match key.other {
        Other::Pieces(other, pieces) => With::Pieces(other, seat(pieces)),
        Other::FacePiece(face, own) => With::Wall(face, seat([own, 0])),
        Other::Body(other) => With::Body(other, [0; 3]),
        Other::Face(face, _) => With::Face(face),
        Other::Rope(link) => With::Rope(link),
        Other::Strut(link) => With::Strut(link),
    };
    Contact { body: key.body, with, force }
}

fn certificate(rest: &Rest) -> Certificate {
    Certificate {
        residual: rest.residual,
        bound: rest.bound,
        rank: (rest.unknowns - rest.null_modes) as u64,
        unknowns: rest.unknowns as u64,
        unstable_modes: rest.unstable_modes as u64,
        neutral_modes: (rest.null_modes - rest.unstable_modes) as u64,
        margin: if rest.margin.is_finite() { rest.margin } else { 0.0 },
        verdict: rest.verdict().to_string(),
    }
}

/// The default run file of a scene: its name in the current folder.
///
/// ```
/// assert_eq!(riprap::run::default_out("hourglass"), std::path::Path::new("hourglass.riprap"));
/// ```
pub fn default_out(scene: &str) -> PathBuf {
    PathBuf::from(format!("{scene}.riprap"))
}
