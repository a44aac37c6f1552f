//! Gravity: the energy is `-m g . p`.

use crate::math::DVec3;
use crate::world::{Model, State};

pub(super) fn terms<'a>(model: &'a Model, state: &'a State) -> impl Iterator<Item = f64> + 'a {
    let bodies = model.bodies.iter().zip(&state.positions);
    bodies.map(|(body, p)| -body.mass * model.gravity.dot(*p))
}

pub(super) fn gradient(model: &Model, body: usize) -> DVec3 {
    -model.bodies[body].mass * model.gravity
}
