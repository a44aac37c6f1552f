//! Two spheres: [M96 eq. 1], `(p_i - p_j) . u >= r_i + r_j` with `u` the
//! current unit vector from j to i.

use super::{Key, Other, Row};
use crate::math::{DVec3, SKIN};
use crate::near::Pair;
use crate::world::{Model, State};

/// The distance between two surfaces now.
fn gap(model: &Model, pair: &Pair, difference: DVec3) -> f64 {
    let (a, b) = (&model.bodies[pair.i as usize], &model.bodies[pair.j as usize]);
    difference.length() - a.radius - b.radius
}

fn difference(state: &State, pair: &Pair) -> DVec3 {
    state.positions[pair.i as usize] - state.positions[pair.j as usize] - pair.offset
}

fn skin(model: &Model, pair: &Pair) -> f64 {
    SKIN * model.bodies[pair.i as usize].radius.min(model.bodies[pair.j as usize].radius)
}

/// The row of a pair. Coincident centres (only possible for spheres without
/// size) are separated along x.
pub fn pair_row(model: &Model, state: &State, pair: &Pair) -> Row {
    let difference = difference(state, pair);
    Row {
        key: Key { body: pair.i, other: Other::Body(pair.j) },
        normal: difference.try_normalize().unwrap_or(DVec3::X),
        gap: (gap(model, pair, difference) - skin(model, pair)).max(0.0),
    }
}

/// Whether two spheres keep their skin along the straight segments of their
/// motions: exact, by the least distance of a point from a segment.
pub fn sweep_is_clear(model: &Model, state: &State, pair: &Pair, d_i: DVec3, d_j: DVec3) -> bool {
    let start = difference(state, pair);
    let change = d_i - d_j;
    let square = change.length_squared();
    let t = if square > 0.0 { (-start.dot(change) / square).clamp(0.0, 1.0) } else { 0.0 };
    gap(model, pair, start + t * change) >= skin(model, pair)
}
