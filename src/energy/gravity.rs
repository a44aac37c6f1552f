//! Gravity: the energy is `-m g . p`, where g may differ from body to body.

use crate::math::DVec3;
use crate::world::{Model, State};

pub(super) fn terms<'a>(model: &'a Model, state: &'a State) -> impl Iterator<Item = f64> + 'a {
    let bodies = model.bodies.iter().zip(&state.positions).enumerate();
    bodies.map(|(i, (body, p))| -body.mass * model.pull(i).dot(*p))
}

pub(super) fn gradient(model: &Model, body: usize) -> DVec3 {
    -model.bodies[body].mass * model.pull(body)
}
