//! Energy and momentum of bodies in motion.

use super::{Model, State};
use crate::math::{DVec3, exact_sum};

impl Model {
    /// Kinetic energy, and potential energy in the field of gravity; forces between bodies have
    /// theirs in [`crate::energy`].
    pub fn mechanical_energy(&self, state: &State) -> f64 {
        exact_sum(self.free().flat_map(|i| {
            let fall = -self.bodies[i].mass * self.pull(i).dot(state.positions[i]);
            let [motion, spin] = self.kinetic_parts(state, i);
            [fall, motion, spin]
        }))
    }

    /// The part of the energy that is motion.
    pub fn kinetic_energy(&self, state: &State) -> f64 {
        exact_sum(self.free().flat_map(|i| self.kinetic_parts(state, i)))
    }

    /// The kinetic energy of a body's motion, and of its spin.
    fn kinetic_parts(&self, state: &State, i: usize) -> [f64; 2] {
        let (body, spin) = (&self.bodies[i], state.rotations[i].inverse() * state.spins[i]);
        [
            0.5 * body.mass * state.velocities[i].length_squared(),
            0.5 * spin.dot(body.inertia * spin),
        ]
    }

    /// Total momentum of the free bodies, and angular momentum about the origin.
    pub fn momentum(&self, state: &State) -> (DVec3, DVec3) {
        self.free().fold((DVec3::ZERO, DVec3::ZERO), |(linear, angular), i| {
            let body = &self.bodies[i];
            let p = body.mass * state.velocities[i];
            let spin = body.inertia_turned(state.rotations[i]) * state.spins[i];
            (linear + p, angular + state.positions[i].cross(p) + spin)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::DQuat;
    use crate::shape::Shape;
    use crate::world::Weight;

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
        assert!((model.kinetic_energy(&state) - expected).abs() < 1e-12);
    }
}
