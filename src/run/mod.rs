//! From scene to trajectory: one loop around the steps of every method, stop
//! rules, checkpoints and resuming, interruption, progress. The only room
//! between the methods and the outside world: it owns the clock and the run file.

mod compact;
mod hand_over;
mod sink;

pub use compact::{Keep, compact_into, layout_options};
pub use sink::Recording;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use cpu_time::ProcessTime;
use sink::Sink;

use crate::energy;
use crate::problem::Result;
use crate::scene::{MethodName, Scene};
use crate::step::{Moved, Progress, Rest, Stepper, Waypoint, stepper};
use crate::trajectory::{
    Certificate, Ending, Frame, Ledger, Outcome, Report, Resumed, StepKind, Writer,
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
    /// How many steps there are.
    pub step: u64,
    /// Of the last configuration.
    pub energy: f64,
    /// Bodies that moved noticeably in the last step.
    pub moving: u32,
    /// The fall is over; what is left is polishing and proving.
    pub near_rest: bool,
}

/// Runs a scene into a new file.
pub fn run(scene: &Scene, options: Options) -> Result<()> {
    if scene.method == MethodName::Compact {
        return compact::run(scene, options);
    }
    let (model, state) = build(scene)?;
    let model = Arc::new(model);
    let stepper = stepper(&model, &state, None, seconds)?;
    let phases = stepper.phases();
    let mut writer =
        Writer::create(&options.out, options.force, &model, &scene.source.text, phases)?;
    let mut drive = Drive::new(&mut writer, model, state, 0, stepper, options);
    drive.start()?;
    drive.go_on()
}

/// Goes on with a run that was cut short, from its last checkpoint, to the
/// same end, bit for bit, that it would have reached uninterrupted.
pub fn resume(options: Options) -> Result<()> {
    let Resumed { mut writer, model, frame, memory, .. } = Writer::resume(&options.out)?;
    let model = Arc::new(model);
    let stepper = stepper(&model, &frame.state, Some(&memory), seconds)
        .map_err(|problem| problem.in_file(&options.out))?;
    Drive::new(&mut writer, model, frame.state, frame.step, stepper, options).go_on()
}

/// Runs a model in memory, for at most so many steps.
///
/// ```
/// let scene = riprap::scene::gallery::scene("box-3")?;
/// let (model, state) = riprap::world::build(&scene)?;
/// let run = riprap::run::record(model, state, None)?;
/// assert_eq!(run.ending.unwrap().outcome, riprap::trajectory::Outcome::Rest);
/// # Ok::<(), riprap::Problem>(())
/// ```
pub fn record(model: Model, state: State, max_steps: Option<usize>) -> Result<Recording> {
    let mut recording = Recording::default();
    let options = Options {
        out: PathBuf::new(),
        force: false,
        max_steps,
        interrupted: &AtomicBool::new(false),
        progress: &mut |_| (),
    };
    let model = Arc::new(model);
    let stepper = stepper(&model, &state, None, seconds)?;
    let mut drive = Drive::new(&mut recording, model, state, 0, stepper, options);
    drive.start()?;
    drive.go_on()?;
    Ok(recording)
}

/// A run under way.
struct Drive<'s, 'a> {
    sink: &'s mut dyn Sink,
    model: Arc<Model>,
    state: State,
    step: u64,
    stepper: Box<dyn Stepper>,
    options: Options<'a>,
    started: (Instant, ProcessTime),
}

impl<'s, 'a> Drive<'s, 'a> {
    fn new(
        sink: &'s mut dyn Sink,
        model: Arc<Model>,
        state: State,
        step: u64,
        stepper: Box<dyn Stepper>,
        options: Options<'a>,
    ) -> Self {
        let started = (Instant::now(), ProcessTime::now());
        Drive { sink, model, state, step, stepper, options, started }
    }

    /// The first frame, and what the first step takes over.
    fn start(&mut self) -> Result<()> {
        let energy = total_energy(&self.model, &self.state);
        let ledger = self.model.method.time().map(|_| Ledger { energy, ..Default::default() });
        self.sink.frame(&Frame {
            step: 0,
            kind: StepKind::Start,
            energy,
            state: self.state.clone(),
            contacts: Vec::new(),
            report: Report { ledger, ..Default::default() },
            seconds: vec![0.0; self.stepper.phases().len()],
        })?;
        self.sink.checkpoint(&self.stepper.memory())
    }

    /// Steps to the end.
    fn go_on(mut self) -> Result<()> {
        let mut broken = None;
        let (outcome, rest) = match self.steps() {
            Ok(ended) => ended,
            Err(problem) => {
                broken = Some(problem);
                (Outcome::Failed, None)
            }
        };
        if rest.is_none() && outcome != Outcome::Duration {
            self.sink.checkpoint(&self.stepper.memory())?;
        }
        if outcome == Outcome::Duration
            && let Err(problem) = hand_over::take_apart(&mut self)
        {
            broken = Some(problem);
        }
        self.sink.end(&Ending {
            outcome: if broken.is_some() { Outcome::Failed } else { outcome },
            contacts: rest.as_ref().map_or_else(Vec::new, |rest| rest.contacts.clone()),
            certificate: rest.as_ref().map(certificate),
            seconds: self.started.0.elapsed().as_secs_f64(),
            cpu_seconds: self.started.1.elapsed().as_secs_f64(),
            phases: self.stepper.take_seconds(),
        })?;
        match broken {
            Some(problem) => Err(problem.in_file(&self.options.out)),
            None => Ok(()),
        }
    }

    /// The loop.
    fn steps(&mut self) -> Result<(Outcome, Option<Rest>)> {
        // Methods with time have a duration, the others a limit to their patience.
        let (goal, patience) = match self.model.method.time() {
            Some((_, steps)) => (steps as u64, u64::MAX),
            None => (u64::MAX, self.model.method.settle().max_steps as u64),
        };
        let limit = self.options.max_steps.map_or(patience, |steps| steps as u64);
        let mut checkpoint = self.step + CHECKPOINT_EVERY;
        loop {
            if self.options.interrupted.load(Ordering::Relaxed) {
                return Ok((Outcome::Interrupted, None));
            }
            if self.step >= goal {
                return Ok((Outcome::Duration, None));
            }
            if self.step >= limit {
                return Ok((Outcome::StepLimit, None));
            }
            match self.stepper.step(&mut self.state)? {
                Progress::Moved(moved) => self.report(moved)?,
                Progress::Rest(rest) => {
                    let proved = rest.is_proved();
                    return Ok((if proved { Outcome::Rest } else { Outcome::Failed }, Some(rest)));
                }
            }
            if self.step >= checkpoint {
                self.sink.checkpoint(&self.stepper.memory())?;
                checkpoint = self.step + CHECKPOINT_EVERY;
            }
        }
    }

    /// Keeps the frames of a step, and says so.
    fn report(&mut self, moved: Moved) -> Result<()> {
        let Moved { kind, path, mut contacts, report } = moved;
        let seconds = self.stepper.take_seconds();
        let last = path.len().saturating_sub(1);
        for (k, Waypoint { state, energy }) in path.into_iter().enumerate() {
            self.step += 1;
            self.sink.frame(&Frame {
                step: self.step,
                kind,
                energy,
                state,
                contacts: if k == last { std::mem::take(&mut contacts) } else { Vec::new() },
                report: report.clone(),
                seconds: seconds.clone(),
            })?;
            let (moving, near_rest) = (report.moving, self.stepper.near_rest());
            (self.options.progress)(&Status { step: self.step, energy, moving, near_rest });
        }
        Ok(())
    }
}

/// The energy that a method's frames carry: with motion where there is any.
fn total_energy(model: &Model, state: &State) -> f64 {
    match model.method.time() {
        None => energy::energy(model, state),
        Some(_) => model.mechanical_energy(state) + energy::of_forces(model, state),
    }
}

/// Seconds since the first call.
fn seconds() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
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
