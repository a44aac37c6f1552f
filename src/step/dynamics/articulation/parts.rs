//! What the joints keep of a substep that is moved in parts: where it began, and what it cost.

use super::{Articulation, Tether};
use crate::math::{DMat3, DQuat, DVec3};
use crate::step::dynamics::bodies::{Bodies, Velocity};

/// In a part, joints may add this part of the energy of motion, or of what goes from body to body.
const GAIN: [f64; 2] = [1e-6, 1e-4];

/// Where a body was, and how it moved.
#[derive(Clone, Copy, Debug)]
pub struct Still {
    position: DVec3,
    rotation: DQuat,
    turn: DMat3,
    velocity: Velocity,
}

impl Still {
    fn new(bodies: &Bodies, i: usize) -> Still {
        Still {
            position: bodies.positions[i],
            rotation: bodies.rotations[i],
            turn: bodies.turns[i],
            velocity: bodies.velocities[i],
        }
    }

    fn restore(&self, bodies: &mut Bodies, i: usize) {
        bodies.positions[i] = self.position;
        bodies.rotations[i] = self.rotation;
        bodies.turns[i] = self.turn;
        bodies.velocities[i] = self.velocity;
    }
}

/// Where the bodies that hang on joints were before a part.
pub struct Start {
    bodies: Vec<Still>,
    /// What the joints have done by then.
    impulses: Vec<DVec3>,
    tethers: Vec<Option<Tether>>,
}

impl Articulation {
    /// The bodies that hang on joints, and the world if anything does.
    pub fn is_jointed(&self) -> &[bool] {
        &self.is_jointed
    }

    fn jointed(&self) -> impl Iterator<Item = usize> + '_ {
        // The world is the last one.
        let count = self.is_jointed.len().saturating_sub(1);
        (0..count).filter(|&i| self.is_jointed[i])
    }

    pub fn forget_taken(&mut self) {
        self.taken = 0.0;
    }

    /// The energy of motion of what hangs on joints.
    pub fn energy(&self, bodies: &Bodies) -> f64 {
        self.jointed().map(|i| 0.5 * bodies.twice_energy(i, &bodies.velocities[i])).sum()
    }

    pub fn start_part(&self, bodies: &Bodies) -> Start {
        Start {
            bodies: self.jointed().map(|i| Still::new(bodies, i)).collect(),
            impulses: self.nodes.iter().map(|node| node.impulse).collect(),
            tethers: match self.has_slack {
                true => self.nodes.iter().map(|node| node.tether).collect(),
                false => Vec::new(),
            },
        }
    }

    /// Of each of them.
    pub fn energies(&self, bodies: &Bodies) -> Vec<f64> {
        self.jointed().map(|i| 0.5 * bodies.twice_energy(i, &bodies.velocities[i])).collect()
    }

    /// Whether joints have given bodies more energy since they had these than rounding and the
    /// order of the scheme explain, what they took away before aside.
    pub fn has_gained(&self, bodies: &Bodies, energies: &[f64]) -> bool {
        let (mut all, mut gained, mut moved) = (0.0, 0.0, 0.0);
        for (i, before) in self.jointed().zip(energies) {
            let now = 0.5 * bodies.twice_energy(i, &bodies.velocities[i]);
            all += before;
            gained += now - before;
            moved += (now - before).abs();
        }
        let beyond = gained - self.taken - GAIN[0] * all - GAIN[1] * moved;
        // What is no number has gained, too.
        beyond > 0.0 || beyond.is_nan()
    }

    /// Back to the start of a part.
    pub fn restart_part(&mut self, bodies: &mut Bodies, start: &Start) {
        let places: Vec<usize> = self.jointed().collect();
        for (i, still) in places.into_iter().zip(&start.bodies) {
            still.restore(bodies, i);
        }
        for (node, impulse) in self.nodes.iter_mut().zip(&start.impulses) {
            node.impulse = *impulse;
        }
        if self.has_slack {
            for (node, tether) in self.nodes.iter_mut().zip(&start.tethers) {
                node.tether = *tether;
                if tether.is_some() {
                    node.hold();
                }
            }
            self.factor(bodies);
        }
    }

    /// Before a substep is moved in parts.
    pub fn start_parts(&mut self, bodies: &Bodies) {
        self.still.clear();
        if self.has_slack {
            let of = |(i, is): (usize, &bool)| {
                (*is && i != bodies.world()).then(|| Still::new(bodies, i))
            };
            self.still = self.is_jointed.iter().enumerate().map(of).collect();
        }
        // What ropes did may be taken back.
        for node in self.nodes.iter().filter(|node| node.impulse != DVec3::ZERO) {
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                if let Some(Some(still)) = self.still.get_mut(node.ends[side]) {
                    still.velocity.linear += node.pushed[side] * node.impulse * sign;
                    still.velocity.angular += node.turned[side] * node.impulse * sign;
                }
            }
        }
    }

    /// After that: what no joint has pushed in any part, as ropes were slack, goes its way as if
    /// there were none.
    pub fn finish_parts(&mut self, bodies: &mut Bodies, h: f64) {
        if self.still.is_empty() {
            return;
        }
        for (i, still) in std::mem::take(&mut self.still).into_iter().enumerate() {
            if let Some(still) = still {
                still.restore(bodies, i);
                bodies.drift(h, |k| k == i);
            }
        }
        bodies.renew_inertias();
    }
}

/// What is pushed does not go as if it were not.
pub fn stir(still: &mut [Option<Still>], ends: [usize; 2], impulse: DVec3) {
    if impulse != DVec3::ZERO && !still.is_empty() {
        ends.into_iter().for_each(|end| still[end] = None);
    }
}
