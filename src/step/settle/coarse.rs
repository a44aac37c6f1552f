//! Far from the origin, places are rounded: where a step of large forces ends in an overlap that no
//! verification accepts, the run says so and stops, instead of calling that a rest.

use crate::math::OVERLAP_LIMIT;
use crate::near::deepest_overlap;
use crate::problem::{Problem, Result};
use crate::world::{Model, State};

/// Steps multiply the rounding of places by a hundred or so; nearer than where a thousand times of it is the
/// limit of overlap nobody needs to look.
const STEPS_MAKE_OF_ROUNDING: f64 = 1e3;

/// Refuses a state with an overlap that rounding has made.
pub(super) fn check(model: &Model, state: &State) -> Result<()> {
    let coordinates = model.free().map(|i| state.positions[i].abs().max_element());
    let farthest = coordinates.fold(0.0, f64::max);
    let smallest = model.free().map(|i| model.bodies[i].radius).fold(f64::INFINITY, f64::min);
    if STEPS_MAKE_OF_ROUNDING * f64::EPSILON * farthest < OVERLAP_LIMIT * smallest {
        return Ok(());
    }
    match deepest_overlap(model, state) {
        overlap if overlap > OVERLAP_LIMIT => Err(Problem::new(format!(
            "bodies of radius {smallest:.3e} at coordinates of {farthest:.3e} overlap by {overlap:.1e} of a radius, as \
             places so far away are rounded"
        ))
        .help("move the scene to the origin")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::DVec3;

    #[test]
    fn overlap_is_looked_for_where_places_are_coarse() {
        let told = |far: f64, overlap: f64| {
            let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
            for x in [far, far + 2.0 - overlap] {
                model.add_particle(&mut state, DVec3::new(x, 0.0, 0.0), 1.0, 1.0);
            }
            check(&model, &state).map_err(|problem| problem.message).err()
        };
        assert_eq!(told(1e6, 0.0), None);
        let expected = "bodies of radius 1.000e0 at coordinates of 1.000e6 overlap by 1.0e-8 of a radius, as places \
                        so far away are rounded";
        assert_eq!(told(1e6, 1e-8).as_deref(), Some(expected));
        assert_eq!(told(10.0, 1e-8), None, "that is no rounding");
    }
}
