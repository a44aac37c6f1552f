//! The phases of a run: each has a model of its own, made of the one before it, and
//! starts where that one ended. Bodies keep their numbers through all of them.

use serde::{Deserialize, Serialize};

use super::{Method, Model, Motion, State};
use crate::math::DVec3;
use crate::scene::Until;
use crate::shape::Shape;

/// A phase that ends when all is quiet has been so for this many steps: a ball at the top of its
/// way is slow for less.
pub const QUIET_STEPS: usize = 10;

/// Where a model stands in its run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    /// From 0.
    pub number: usize,
    /// How many phases the run has.
    pub of: usize,
    /// How much time has passed when it begins: paths go on.
    pub time: f64,
    /// When it ends, if not by itself or as the options of its method say.
    pub until: Option<Until>,
}

/// The frame of another run from which a run started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The file, as the scene names it.
    pub run: String,
    /// Its number, from 0.
    pub frame: usize,
    /// Of its state.
    pub hash: u64,
}

impl Default for Phase {
    fn default() -> Self {
        Phase { number: 0, of: 1, time: 0.0, until: None }
    }
}

impl Phase {
    /// Whether none follows.
    pub fn is_last(&self) -> bool {
        self.number.saturating_add(1) >= self.of
    }
}

impl Model {
    /// The steps after which a run, or this phase of it, is done; none if it ends by itself.
    pub fn goal(&self) -> Option<u64> {
        match (self.phase.until, self.method.time()) {
            (Some(Until::Steps(steps)), _) => Some(steps),
            (Some(Until::Time(time)), Some((dt, _))) => Some((time / dt).round().max(1.0) as u64),
            (Some(_), _) => None,
            (None, None) => matches!(self.method, Method::Separate(_)).then_some(1),
            (None, Some((_, steps))) => Some(steps as u64),
        }
    }

    /// The most steps of what ends by itself, for those who lose patience.
    pub fn patience(&self) -> u64 {
        match (&self.method, self.method.time()) {
            (Method::Settle(options), _) => options.max_steps as u64,
            (_, Some((_, steps))) => steps as u64,
            _ => u64::MAX,
        }
    }

    /// The speed below which this phase is over.
    pub fn quiet(&self) -> Option<f64> {
        match self.phase.until {
            Some(Until::Quiet(speed)) => Some(speed),
            _ => None,
        }
    }

    /// Whether nobody is faster than this: the speed, and the spin times the radius.
    pub fn is_quiet(&self, state: &State, speed: f64) -> bool {
        self.free().all(|i| {
            let rim = self.bodies[i].radius * state.spins[i].length();
            state.velocities[i].length() + rim <= speed
        })
    }

    /// Whether a body has been taken out.
    pub fn is_gone(&self, body: usize) -> bool {
        self.shape(body).pieces.is_empty()
    }

    /// Takes bodies out. They keep their numbers, but are fixed and made of nothing, so that
    /// nothing can touch them, and whatever names them goes with them.
    pub fn take_out(&mut self, gone: impl Fn(usize) -> bool) {
        let nothing = self.add_shape(Shape::nothing());
        for body in (0..self.bodies.len()).filter(|&i| gone(i)) {
            let body = &mut self.bodies[body];
            (body.shape, body.motion, body.path) = (nothing, Motion::Fixed, None);
        }
        let is_here = |body: u32| !gone(body as usize);
        self.joints.retain(|joint| joint.bodies.iter().flatten().all(|body| is_here(*body)));
        for force in &mut self.forces {
            force.pairs.retain(|pair| pair.iter().all(|body| is_here(*body)));
            force.anchors.retain(|anchor| is_here(anchor.body));
        }
        self.attachments.retain(|tie| tie.to.is_none_or(is_here));
    }

    /// The state in which a phase begins that the one before left in `state`: all but what
    /// is driven is at rest if the method has no time.
    pub fn entered(&self, mut state: State) -> State {
        let has_time = self.method.time().is_some();
        for (i, body) in self.bodies.iter().enumerate() {
            if body.motion == Motion::Fixed || body.motion == Motion::Free && !has_time {
                state.velocities[i] = DVec3::ZERO;
                state.spins[i] = DVec3::ZERO;
            }
        }
        state
    }
}
