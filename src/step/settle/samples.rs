//! What the tests of this folder share.

use std::sync::Arc;

use super::PARTS;
use super::plan::{COARSE_STRETCH, Plan, Stand};
use crate::contact::Cores;
use crate::math::DVec3;
use crate::scene::Reach;
use crate::solver::Accuracy;
use crate::step::Stopwatch;
use crate::world::{Model, State};

/// A step of everybody, to the last bit.
pub(super) const PLAN: Plan = Plan {
    reach: Reach::RotatedCube,
    reach_radii: 1.0,
    proximal: 1e-3,
    conservative: 0.0,
    accuracy: Accuracy { relative: 0.0, absolute: 1e-9, max_iterations: 60 },
    lazy: true,
    forces: Stand::AsAsked,
    stretch: COARSE_STRETCH,
    momentum: 0.0,
    grade: 0,
    hold: f64::INFINITY,
};

/// Bodies at these places, as their authors turned them.
pub(super) fn at(model: Model, positions: &[DVec3]) -> (Cores, State) {
    let state = State::at_rest(positions.to_vec());
    (Cores::new(Arc::new(model), &state), state)
}

/// A watch that stands.
pub(super) fn watch() -> Stopwatch {
    Stopwatch::new(|| 0.0, PARTS.len())
}
