//! The energies of a scene as accelerations, taken where the bodies are at the
//! start of every substep (symplectic Euler, like gravity).

use super::bodies::Bodies;
use super::prepared::Prepared;
use crate::energy;
use crate::math::DVec3;
use crate::world::State;

/// What pulls at the bodies besides gravity.
pub struct Forces {
    /// Positions only.
    state: State,
    /// Of each body; empty if the scene has no energies.
    accelerations: Vec<DVec3>,
}

impl Forces {
    pub fn new(prepared: &Prepared) -> Forces {
        let count = if prepared.model.forces.is_empty() { 0 } else { prepared.world() };
        Forces { state: State::default(), accelerations: vec![DVec3::ZERO; count] }
    }

    /// Where the bodies are now.
    pub fn measure(&mut self, bodies: &Bodies) {
        if self.accelerations.is_empty() {
            return;
        }
        self.state.positions.clear();
        self.state.positions.extend_from_slice(&bodies.positions[..bodies.world()]);
        self.accelerations.fill(DVec3::ZERO);
        for force in &bodies.prepared.model.forces {
            for strand in energy::strands(force, &self.state) {
                let pull = energy::pull(&force.law, &strand);
                self.accelerations[strand.a] -= pull * bodies.inverse[strand.a].mass;
                if let Some(b) = strand.b {
                    self.accelerations[b] += pull * bodies.inverse[b].mass;
                }
            }
        }
    }

    /// How fast a body gets faster if nothing holds it, as last measured.
    pub fn acceleration(&self, prepared: &Prepared, body: usize) -> f64 {
        match self.accelerations.get(body) {
            Some(own) => (prepared.model.pull(body) + *own).length(),
            None => prepared.model.pull(body).length(),
        }
    }

    /// The same of the body for which it is largest.
    pub fn largest(&self, prepared: &Prepared) -> f64 {
        prepared.model.free().map(|i| self.acceleration(prepared, i)).fold(0.0, f64::max)
    }

    /// Gravity and all energies, for a time.
    pub fn kick(&mut self, bodies: &mut Bodies, h: f64) {
        bodies.kick(h);
        self.measure(bodies);
        for (velocity, acceleration) in bodies.velocities.iter_mut().zip(&self.accelerations) {
            velocity.linear += *acceleration * h;
        }
    }
}
