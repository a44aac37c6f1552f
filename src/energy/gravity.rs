//! Gravity: the energy is `-m g . p`, where g may differ from body to body. Bodies that
//! are not free have none: what is fixed cannot fall, and what is driven is given all it needs.

use crate::math::DVec3;
use crate::world::{Model, State};

pub(super) fn terms<'a>(model: &'a Model, state: &'a State) -> impl Iterator<Item = f64> + 'a {
    model.free().map(|i| -model.bodies[i].mass * model.pull(i).dot(state.positions[i]))
}

pub(super) fn gradient(model: &Model, body: usize) -> DVec3 {
    -model.bodies[body].mass * model.pull(body)
}
