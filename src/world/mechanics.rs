//! Energy and momentum of bodies in motion.

use super::{Model, State};
use crate::math::{DVec3, exact_sum};

impl Model {
    /// Kinetic energy, and potential energy in the field of gravity; forces between bodies have
    /// theirs in [`crate::energy`].
    pub fn mechanical_energy(&self, state: &State) -> f64 {
        exact_sum(self.free().flat_map(|i| {
            let (body, spin) = (&self.bodies[i], state.rotations[i].inverse() * state.spins[i]);
            [
                -body.mass * self.pull(i).dot(state.positions[i]),
                0.5 * body.mass * state.velocities[i].length_squared(),
                0.5 * spin.dot(body.inertia * spin),
            ]
        }))
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
