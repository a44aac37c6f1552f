//! The stories, one folder each, each reading like its paper. A step has one
//! shape: pairs -> rows -> motion -> advance -> report.
//!
//! [`settle`] is the method of Milenkovic 1996, [`compact`] the same with a wall
//! that is pushed, [`collapse`] that of "Collapse" 2011 and [`stable`] its
//! statics, [`dynamics`] that of Deul, Charrier and Bender 2014, and
//! [`separate`] takes overlapping bodies apart by the least movement. What takes
//! steps is a [`Stepper`], made by [`stepper`] for a model's method.

pub mod collapse;
pub mod compact;
pub mod dynamics;
pub mod separate;
pub mod settle;
pub mod stable;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::math::RESIDUAL_LIMIT;
use crate::problem::{Problem, Result};
use crate::world::{Contact, Method, Model, Plane, Report, State, StepKind, Trace};

/// What takes steps: one kind for each method with a loop of its own. [`stepper`] makes the one
/// that a model's method asks for.
///
/// ```
/// use std::sync::Arc;
/// use riprap::{Scene, build, stepper};
///
/// let (model, mut state) = build(&Scene::open("newtons-cradle")?)?;
/// let model = Arc::new(model);
/// let mut first = stepper(&model, &state, None, || 0.0)?;
/// first.step(&mut state)?;
/// // Another one goes on to the same bits, from the state and the memory.
/// let mut other = state.clone();
/// let mut second = stepper(&model, &other, Some(&first.memory()), || 0.0)?;
/// first.step(&mut state)?;
/// second.step(&mut other)?;
/// assert_eq!(state, other);
/// # Ok::<(), riprap::Problem>(())
/// ```
pub trait Stepper {
    /// The named parts of a step, timed and shown.
    fn parts(&self) -> &'static [&'static str];

    /// One step. An error ends the run and leaves the state as it was.
    fn step(&mut self, state: &mut State) -> Result<Progress>;

    /// All that the next step takes over from the last one, besides the state.
    fn memory(&self) -> Vec<u8>;

    /// Seconds spent since the last call, per part.
    fn take_seconds(&mut self) -> Vec<f32>;

    /// Promises of the method that steps have broken. The run goes on, as there may be something to
    /// see, but does not call itself done at its end.
    fn broken(&self) -> Option<&Broken> {
        None
    }

    /// The fall is over; what is left is polishing and proving.
    fn near_rest(&self) -> bool {
        false
    }
}

/// What one step did.
#[derive(Clone, Debug)]
pub enum Progress {
    /// The state moved on.
    Moved(Moved),
    /// The state is at rest, and this is why.
    Rest(Rest),
}

/// A step that was made.
#[derive(Clone, Debug)]
pub struct Moved {
    /// Why it was made.
    pub kind: StepKind,
    /// The configurations to pass through, the last one being the new state.
    pub path: Vec<Waypoint>,
    /// The impulses of a time step.
    pub contacts: Vec<Contact>,
    /// What else it tells of itself.
    pub trace: Box<Trace>,
    /// How it was found.
    pub report: Report,
}

/// Promises that steps have broken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Broken {
    /// The one that was broken first.
    pub first: Breach,
    /// The one that is broken most; it may be the same.
    pub worst: Breach,
}

/// A promise that a step has broken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Breach {
    /// The number of the step since the start of the phase, from 1.
    pub step: u64,
    /// In words.
    pub what: String,
    /// What was measured in units of what is promised.
    pub times: f64,
    /// What may help.
    pub remedy: String,
}

impl Broken {
    /// In one line; the phase began with this frame.
    pub fn in_words(&self, began: u64) -> String {
        let Broken { first, worst } = self;
        let frame = |breach: &Breach| began + breach.step;
        let at_worst = match first == worst {
            true => String::new(),
            false => format!("; at worst, {} in frame {}", worst.what, frame(worst)),
        };
        let (what, when, remedy) = (&first.what, frame(first), &worst.remedy);
        format!("a step broke a promise: {what} in frame {when}{at_worst}; {remedy} may keep it")
    }
}

/// A configuration on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct Waypoint {
    /// Where the bodies are.
    pub state: State,
    /// Theirs, as the method counts it.
    pub energy: f64,
    /// What separated them on the way there, if they turned while they settled.
    pub planes: Vec<Plane>,
}

impl Waypoint {
    /// Reached without turning, or by a time step.
    pub fn new(state: State, energy: f64) -> Waypoint {
        Waypoint { state, energy, planes: Vec::new() }
    }
}

/// A certified rest.
#[derive(Clone, Debug)]
pub struct Rest {
    /// Touching pairs and their forces.
    pub contacts: Vec<Contact>,
    /// Largest force imbalance of a body, relative to its weight.
    pub residual: f64,
    /// The energy can fall by at most this within the linearised cell.
    pub bound: f64,
    /// Of the program.
    pub unknowns: usize,
    /// Motions that no force-carrying contact resists.
    pub null_modes: usize,
    /// Those of them that lower the energy.
    pub unstable_modes: usize,
    /// Smallest singular value that is not a null mode.
    pub margin: f64,
}

impl Rest {
    /// Whether the forces balance as well as a certificate asks for, and no motion is known that
    /// lowers the energy.
    pub fn is_proved(&self) -> bool {
        self.is_balanced() && self.unstable_modes == 0
    }

    fn is_balanced(&self) -> bool {
        self.residual <= RESIDUAL_LIMIT
    }

    /// In words.
    pub fn verdict(&self) -> &'static str {
        match (self.null_modes, self.unstable_modes) {
            _ if !self.is_balanced() => "forces do not balance",
            (0, _) => "strict minimum",
            (_, 0) => "minimum up to neutral modes",
            _ => "degenerate: an unstable mode was found, but no way out of it",
        }
    }
}

/// Ready for the next step from a state: the first one, or, with a `memory` that
/// [`Stepper::memory`] gave, the one that would have followed. `clock` gives seconds from any
/// fixed moment; it only feeds the timing table.
pub fn stepper(
    model: &Arc<Model>,
    state: &State,
    memory: Option<&[u8]>,
    clock: fn() -> f64,
) -> Result<Box<dyn Stepper>> {
    let model = Arc::clone(model);
    Ok(match model.method {
        Method::Settle(_) if model.has_turning() => {
            Box::new(settle::turn::Turn::start(model, state, memory, clock)?)
        }
        Method::Settle(_) => Box::new(settle::Settle::start(model, state, memory, clock)?),
        Method::Collapse(_) => Box::new(collapse::Collapse::start(model, state, memory, clock)?),
        Method::Dynamics(_) => Box::new(dynamics::Dynamics::start(model, state, memory, clock)?),
        Method::Separate(_) => Box::new(separate::Separate::start(model, clock)),
        Method::Compact(_) => {
            return Err(Problem::new("a compaction is not made step by step")
                .help("`compact::compact` makes it as a whole"));
        }
    })
}

/// Seconds spent in each part of a step. The clock is handed in: this room has none.
#[derive(Clone, Debug)]
pub(crate) struct Stopwatch {
    clock: fn() -> f64,
    seconds: Vec<f64>,
}

impl Stopwatch {
    pub fn new(clock: fn() -> f64, parts: usize) -> Self {
        Stopwatch { clock, seconds: vec![0.0; parts] }
    }

    /// Runs `work` on the account of a part, by its number.
    pub fn time<T>(&mut self, part: usize, work: impl FnOnce() -> T) -> T {
        let start = (self.clock)();
        let result = work();
        self.seconds[part] += (self.clock)() - start;
        result
    }

    /// The seconds since the last call, per part.
    pub fn take(&mut self) -> Vec<f32> {
        let taken = self.seconds.iter().map(|s| *s as f32).collect();
        self.seconds.fill(0.0);
        taken
    }
}

/// What a checkpoint holds, read back.
pub(crate) fn recall<T: serde::de::DeserializeOwned>(memory: &[u8]) -> Result<T> {
    serde_json::from_slice(memory)
        .map_err(|error| Problem::new(format!("the checkpoint cannot be read: {error}")))
}
