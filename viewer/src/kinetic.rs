//! How much of the energy of bodies is motion.

use riprap::math::exact_sum;
use riprap::world::{Model, State};

/// The kinetic energy of the bodies that forces move.
pub(crate) fn kinetic_energy(model: &Model, state: &State) -> f64 {
    exact_sum(model.free().map(|i| {
        let (body, spin) = (&model.bodies[i], state.rotations[i].inverse() * state.spins[i]);
        0.5 * (body.mass * state.velocities[i].length_squared() + spin.dot(body.inertia * spin))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use riprap::math::{DQuat, DVec3};
    use riprap::shape::Shape;
    use riprap::world::Weight;

    #[test]
    fn motion_and_spin_count() {
        let (mut model, mut state) = (Model::new(3, DVec3::ZERO), State::default());
        let shape = Shape::cuboid(DVec3::new(1.0, 1.0, 2.0)).unwrap();
        let turn = DQuat::from_rotation_x(0.5 * std::f64::consts::PI);
        model.add(&mut state, shape, DVec3::ZERO, turn, Weight::Mass(3.0)).unwrap();
        state.velocities[0] = DVec3::new(0.0, 2.0, 0.0);
        // The long axis lies along y: the inertia about it is 3 (1 + 1) / 12.
        state.spins[0] = DVec3::new(0.0, 4.0, 0.0);
        let expected = 0.5 * 3.0 * 4.0 + 0.5 * 0.5 * 16.0;
        assert!((kinetic_energy(&model, &state) - expected).abs() < 1e-12);
    }
}
