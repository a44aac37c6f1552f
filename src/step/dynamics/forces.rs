//! The energies of a scene as accelerations, taken where the bodies are at the
//! start of every substep (symplectic Euler, like gravity). What swings faster than substeps
//! can follow gains energy without bound, so it is noticed.

use super::bodies::Bodies;
use super::prepared::Prepared;
use crate::energy;
use crate::math::DVec3;
use crate::world::State;

/// Symplectic Euler is stable up to this square of the angle by which an oscillator turns in a
/// step.
const STABLE: f64 = 4.0;

/// What pulls at the bodies besides gravity.
pub struct Forces {
    /// Positions only.
    state: State,
    /// Of each body; empty if the scene has no energies.
    accelerations: Vec<DVec3>,
    /// The impulses on each body in this step.
    pub kicks: Vec<DVec3>,
    /// A body whose force was too stiff for a substep.
    lost: Option<usize>,
}

impl Forces {
    pub fn new(prepared: &Prepared) -> Forces {
        let count = if prepared.model.forces.is_empty() { 0 } else { prepared.world() };
        let (state, lost, kicks) = Default::default();
        Forces { state, accelerations: vec![DVec3::ZERO; count], kicks, lost }
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

    /// A body at which a force pulled that no substep so far could follow.
    pub fn lost(&self) -> Option<usize> {
        self.lost
    }

    /// Notes whom forces make swing faster than a substep can follow.
    fn watch(&mut self, bodies: &Bodies, h: f64) {
        for force in &bodies.prepared.model.forces {
            for strand in energy::strands(force, &self.state) {
                let give = |body: usize| bodies.inverse[body].mass;
                let gives = give(strand.a) + strand.b.map_or(0.0, give);
                let stiffness = energy::stiffness(&force.law, &strand);
                let along = strand.direction();
                let steep = along.dot(stiffness * along).abs();
                if steep * gives * h * h > STABLE {
                    self.lost.get_or_insert(strand.a);
                }
            }
        }
    }

    /// Gravity and all energies, for a time.
    pub fn kick(&mut self, bodies: &mut Bodies, h: f64) {
        bodies.kick(h);
        self.measure(bodies);
        self.watch(bodies, h);
        self.kicks.resize(self.accelerations.len(), DVec3::ZERO);
        for (i, acceleration) in self.accelerations.iter().enumerate() {
            bodies.velocities[i].linear += *acceleration * h;
            self.kicks[i] += *acceleration * (h * bodies.prepared.model.bodies[i].mass);
        }
    }
}
