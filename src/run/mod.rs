//! From scene to trajectory: one loop around the steps of every method, stop
//! rules, checkpoints and resuming, interruption, progress. The only room
//! between the methods and the outside world: it owns the clock and the run file.

mod compact;
mod same;
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
use crate::problem::{Problem, Result};
use crate::scene::{MethodName, Scene};
use crate::step::{Moved, Progress, Rest, Stepper, Waypoint, stepper};
use crate::trajectory::{
    Certificate, Ending, Frame, Ledger, Outcome, Report, Resumed, StepKind, Writer, start,
};
use crate::world::{Method, Model, Phase, QUIET_STEPS, State, Trace, build_phase, check_phase};

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
pub fn run(scene: &Scene, mut options: Options) -> Result<()> {
    if scene.method == MethodName::Compact {
        return compact::run(scene, options);
    }
    let (model, state) = start(scene)?;
    let model = Arc::new(model);
    let stepper = stepper(&model, &state, None, seconds)?;
    let parts = stepper.parts();
    let mut writer =
        Writer::create(&options.out, options.force, &model, &scene.source.text, parts)?;
    let mut drive = Drive::new(&mut writer, Arc::clone(&model), state, 0, stepper, &mut options);
    drive.start()?;
    let left = drive.go_on()?;
    further(scene, &model, &mut writer, left, &mut options)
}

/// Goes on with a run of a scene that was cut short, from its last checkpoint, to the
/// same end, bit for bit, that it would have reached uninterrupted. Refuses a run of any other
/// scene.
pub fn resume(scene: &Scene, mut options: Options) -> Result<()> {
    same::check(scene, &options.out)?;
    let Resumed { mut writer, mut phases, frame, memory, quiet } = Writer::resume(&options.out)?;
    let (phase, first) = (phases.swap_remove(phases.len() - 1), phases.into_iter().next());
    let model = Arc::new(phase.model);
    let stepper = stepper(&model, &frame.state, Some(&memory), seconds)
        .map_err(|problem| problem.in_file(&options.out))?;
    let mut drive =
        Drive::new(&mut writer, Arc::clone(&model), frame.state, frame.step, stepper, &mut options);
    (drive.began, drive.quiet) = (phase.first as u64, quiet);
    let left = drive.go_on()?;
    if left.phase.is_last() {
        return Ok(());
    }
    let first = first.map_or(model, |first| Arc::new(first.model));
    further(scene, &first, &mut writer, left, &mut options)
}

/// The phases that follow one which left this, until one does not reach its goal.
fn further(
    scene: &Scene,
    first: &Model,
    writer: &mut Writer,
    mut left: Left,
    options: &mut Options,
) -> Result<()> {
    while left.ending.outcome.is_done() && !left.phase.is_last() {
        let (model, state, stepper) = match begin(scene, first, &left) {
            Ok(begun) => begun,
            Err(problem) => {
                let number = left.phase.number + 2;
                return writer.end(&Ending {
                    outcome: Outcome::Failed,
                    reason: Some(format!("phase {number} cannot begin: {}", in_words(&problem))),
                    contacts: Vec::new(),
                    certificate: None,
                    ..left.ending
                });
            }
        };
        writer.phase(&model, stepper.parts())?;
        let mut drive = Drive::new(writer, model, state, left.step + 1, stepper, options);
        drive.start()?;
        left = drive.go_on()?;
    }
    Ok(())
}

/// What the next phase needs.
fn begin(
    scene: &Scene,
    first: &Model,
    left: &Left,
) -> Result<(Arc<Model>, State, Box<dyn Stepper>)> {
    let model = build_phase(scene, first, left.phase.number + 1, left.time)?;
    let state = model.entered(left.state.clone());
    check_phase(scene, &model, &state)?;
    let model = Arc::new(model);
    let stepper = stepper(&model, &state, None, seconds)?;
    Ok((model, state, stepper))
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
    let mut options = Options {
        out: PathBuf::new(),
        force: false,
        max_steps,
        interrupted: &AtomicBool::new(false),
        progress: &mut |_| (),
    };
    let model = Arc::new(model);
    let stepper = stepper(&model, &state, None, seconds)?;
    let mut drive = Drive::new(&mut recording, model, state, 0, stepper, &mut options);
    drive.start()?;
    drive.go_on()?;
    Ok(recording)
}

/// A phase under way.
struct Drive<'s, 'a> {
    sink: &'s mut dyn Sink,
    model: Arc<Model>,
    state: State,
    step: u64,
    /// The step with which the phase began.
    began: u64,
    /// For how many steps all has been quiet.
    quiet: usize,
    stepper: Box<dyn Stepper>,
    options: &'s mut Options<'a>,
    started: (Instant, ProcessTime),
}

/// What a phase left behind.
struct Left {
    phase: Phase,
    ending: Ending,
    state: State,
    step: u64,
    /// How much has passed since the run began.
    time: f64,
}

impl<'s, 'a> Drive<'s, 'a> {
    fn new(
        sink: &'s mut dyn Sink,
        model: Arc<Model>,
        state: State,
        step: u64,
        stepper: Box<dyn Stepper>,
        options: &'s mut Options<'a>,
    ) -> Self {
        let started = (Instant::now(), ProcessTime::now());
        Drive { sink, model, state, step, began: step, quiet: 0, stepper, options, started }
    }

    /// The first frame, and what the first step takes over.
    fn start(&mut self) -> Result<()> {
        let energy = total_energy(&self.model, &self.state);
        let ledger = self.model.method.time().map(|_| Ledger { energy, ..Default::default() });
        self.sink.frame(&Frame {
            step: self.step,
            kind: StepKind::Start,
            energy,
            state: self.state.clone(),
            contacts: Vec::new(),
            trace: Trace::default(),
            report: Report { ledger, ..Default::default() },
            seconds: vec![0.0; self.stepper.parts().len()],
        })?;
        self.sink.checkpoint(&self.stepper.memory())
    }

    /// Steps to the end. A method that stops before its goal is an ending, too: all that was
    /// reached is kept, with the reason.
    fn go_on(mut self) -> Result<Left> {
        let Stop { outcome, rest, reason } = self.steps()?;
        if matches!(outcome, Outcome::StepLimit | Outcome::Interrupted) {
            self.sink.checkpoint(&self.stepper.memory())?;
        }
        let phase = self.model.phase;
        let ending = Ending {
            outcome,
            reason,
            contacts: rest.as_ref().map_or_else(Vec::new, |rest| rest.contacts.clone()),
            certificate: rest.as_ref().map(certificate),
            seconds: self.started.0.elapsed().as_secs_f64(),
            cpu_seconds: self.started.1.elapsed().as_secs_f64(),
            parts: self.stepper.take_seconds(),
        };
        match outcome.is_done() && !phase.is_last() {
            true => self.sink.end_phase(&ending)?,
            false => self.sink.end(&ending)?,
        }
        let dt = self.model.method.time().map_or(0.0, |(dt, _)| dt);
        let time = phase.time + (self.step - self.began) as f64 * dt;
        Ok(Left { phase, ending, state: self.state, step: self.step, time })
    }

    /// The loop.
    fn steps(&mut self) -> Result<Stop> {
        // What has a goal goes there; there is a limit to the patience with all others.
        let goal = self.model.goal().map(|steps| self.began + steps);
        let patience = if goal.is_some() { u64::MAX } else { self.model.patience() };
        // The start of a phase is no step of the run.
        let limit = match self.options.max_steps {
            Some(steps) => steps as u64 + self.model.phase.number as u64,
            None => self.began.saturating_add(patience),
        };
        let reached = match self.model.method {
            Method::Separate(_) => Outcome::Apart,
            _ => Outcome::Duration,
        };
        let mut checkpoint = self.step + CHECKPOINT_EVERY;
        loop {
            if self.options.interrupted.load(Ordering::Relaxed) {
                return Ok(Stop::at(Outcome::Interrupted));
            }
            if goal.is_some_and(|goal| self.step >= goal) {
                return Ok(self.done(reached));
            }
            if self.quiet >= QUIET_STEPS {
                return Ok(self.done(Outcome::Quiet));
            }
            if self.step >= limit {
                return Ok(Stop::at(Outcome::StepLimit));
            }
            match self.stepper.step(&mut self.state) {
                Err(problem) => return Ok(Stop::failed(in_words(&problem))),
                Ok(Progress::Moved(moved)) => {
                    if let Some(reason) = self.report(moved)? {
                        return Ok(Stop::failed(reason));
                    }
                    let is_quiet = |speed| self.model.is_quiet(&self.state, speed);
                    let is_quiet = self.model.quiet().is_some_and(is_quiet);
                    self.quiet = if is_quiet { self.quiet + 1 } else { 0 };
                }
                Ok(Progress::Rest(rest)) => {
                    let stop = match rest.is_proved() {
                        true => Stop::at(Outcome::Rest),
                        false => Stop::failed(rest.verdict().into()),
                    };
                    return Ok(Stop { rest: Some(rest), ..stop });
                }
            }
            if self.step >= checkpoint {
                self.sink.checkpoint(&self.stepper.memory())?;
                checkpoint = self.step + CHECKPOINT_EVERY;
            }
        }
    }

    /// The goal is reached, but that is not all that a method promises.
    fn done(&self, outcome: Outcome) -> Stop {
        match self.stepper.broken() {
            Some(broken) => Stop::failed(broken.in_words(self.began)),
            None => Stop::at(outcome),
        }
    }

    /// Keeps the frames of a step, and says so. A frame with a number that is not finite is not
    /// kept: it is the reason to stop, which is given back.
    fn report(&mut self, moved: Moved) -> Result<Option<String>> {
        let Moved { kind, path, mut contacts, mut trace, report } = moved;
        let seconds = self.stepper.take_seconds();
        let last = path.len().saturating_sub(1);
        for (k, Waypoint { state, energy, planes }) in path.into_iter().enumerate() {
            let frame = Frame {
                step: self.step + 1,
                kind,
                energy,
                state,
                contacts: if k == last { std::mem::take(&mut contacts) } else { Vec::new() },
                trace: match k == last {
                    true => Trace { planes, ..std::mem::take(&mut *trace) },
                    false => Trace { planes, ..Trace::default() },
                },
                report: report.clone(),
                seconds: seconds.clone(),
            };
            if let Some(what) = frame.not_finite() {
                let step = frame.step;
                return Ok(Some(format!(
                    "{what} is not finite after step {step}: what moves the bodies is too strong \
                     for steps of this length"
                )));
            }
            self.step += 1;
            self.sink.frame(&frame)?;
            let (moving, near_rest) = (report.moving, self.stepper.near_rest());
            (self.options.progress)(&Status { step: self.step, energy, moving, near_rest });
        }
        Ok(None)
    }
}

/// Why a phase is over.
struct Stop {
    outcome: Outcome,
    rest: Option<Rest>,
    /// Of a failure.
    reason: Option<String>,
}

impl Stop {
    fn at(outcome: Outcome) -> Stop {
        Stop { outcome, rest: None, reason: None }
    }

    fn failed(reason: String) -> Stop {
        Stop { reason: Some(reason), ..Stop::at(Outcome::Failed) }
    }
}

/// A problem in one line: what is wrong, and what to do.
fn in_words(problem: &Problem) -> String {
    match &problem.help {
        Some(help) => format!("{}; {help}", problem.message),
        None => problem.message.clone(),
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

/// A name for the text of a run file's scene, for its messages, and for whether it is JSON.
pub(crate) fn scene_file(text: &str, name: &str) -> PathBuf {
    let is_json = text.trim_start().starts_with('{');
    PathBuf::from(format!("{name}.{}", if is_json { "json" } else { "toml" }))
}

/// The default run file of a scene: its name in the current folder.
///
/// ```
/// assert_eq!(riprap::run::default_out("hourglass"), std::path::Path::new("hourglass.riprap"));
/// ```
pub fn default_out(scene: &str) -> PathBuf {
    PathBuf::from(format!("{scene}.riprap"))
}
