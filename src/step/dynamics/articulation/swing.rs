//! How fast joints let bodies swing and turn. What is under tension is drawn back when it turns aside:
//! a light link between heavy ones swings so fast that a substep must be divided to follow it.
//! The fastest swing is the largest eigenvalue of what tensions do, among the motions that
//! the joints allow; it is found by powers of that.

use super::{Articulation, Node};
use crate::math::{DVec3, Random};
use crate::step::dynamics::bodies::{Bodies, Velocity};

/// A part of a substep turns the phase of the fastest swing by no more than this.
const PHASE: f64 = 0.5;

/// Nor does it turn a body by more about a joint: where joints lead what turns, steps give and
/// take energy by the square of that angle.
const TURN: f64 = 0.05;

/// A substep has at most so many parts.
const MOST_PARTS: f64 = 1000.0;

/// Powers that find the fastest swing; they leave it too slow, by about as much as is added.
const POWERS: usize = 8;
const ADDED: f64 = 1.2;

impl Articulation {
    /// Into how many parts a substep is to be divided, once velocities are known.
    pub fn parts(&mut self, bodies: &Bodies, h: f64) -> usize {
        let bound = self.bound(bodies, h);
        // Ropes that may be slack snap tight within parts, which that does not help.
        let turns = if self.has_slack { 1.0 } else { self.fastest_turn(bodies) * h / TURN };
        let swings = match bound * h * h <= PHASE * PHASE {
            true => 1.0,
            false => {
                let part = self.swing.unwrap_or_else(|| self.fastest(bodies, h) / bound);
                self.swing = Some(part);
                (part * bound).sqrt() * h / PHASE
            }
        };
        swings.max(turns).ceil().clamp(1.0, MOST_PARTS) as usize
    }

    /// How fast the joints' points are led round the centres of their bodies.
    fn fastest_turn(&self, bodies: &Bodies) -> f64 {
        let of = |node: &Node| {
            [0, 1].map(|side| {
                let (arm, spin) = (node.arms[side], bodies.velocities[node.ends[side]].angular);
                if arm == DVec3::ZERO { 0.0 } else { spin.cross(arm).length() / arm.length() }
            })
        };
        self.nodes.iter().flat_map(of).fold(0.0, f64::max)
    }

    /// The square of a swing that no body exceeds by itself.
    fn bound(&self, bodies: &Bodies, h: f64) -> f64 {
        let mut stiffness = vec![0.0; bodies.inverse.len()];
        for node in &self.nodes {
            let force = node.force(h).length();
            for side in 0..2 {
                let inverse = &bodies.inverse[node.ends[side]];
                let arm = node.arms[side].length();
                let turns =
                    inverse.inertia.x_axis.x + inverse.inertia.y_axis.y + inverse.inertia.z_axis.z;
                stiffness[node.ends[side]] += force * arm * turns;
                if let Some(length) = node.length() {
                    stiffness[node.ends[side]] +=
                        force / length * (inverse.mass + arm * arm * turns);
                }
            }
        }
        2.0 * stiffness.into_iter().fold(0.0, f64::max)
    }

    /// The square of the fastest swing.
    fn fastest(&mut self, bodies: &Bodies, h: f64) -> f64 {
        let mut random = Random::new(1);
        let mut way = vec![Velocity::default(); bodies.inverse.len()];
        for node in &self.nodes {
            for (side, end) in node.ends.into_iter().enumerate() {
                let mut any = || DVec3::new(random.unit(), random.unit(), random.unit()) - 0.5;
                let (push, moment) = (any(), any() * node.arms[side].length());
                way[end].add(&bodies.inverse[end], push, moment);
            }
        }
        self.allow(bodies, &mut way);
        let mut fastest = 0.0;
        for _ in 0..POWERS {
            let pulls = self.pulls(&way, h);
            let mut back: Vec<Velocity> = vec![Velocity::default(); way.len()];
            for (i, (push, moment)) in pulls.iter().enumerate() {
                back[i].add(&bodies.inverse[i], *push, *moment);
            }
            self.allow(bodies, &mut back);
            // Twice the energy of a motion, and of what draws it back.
            let energy = |one: &[Velocity]| -> f64 {
                (0..bodies.world()).map(|i| bodies.twice_energy(i, &one[i])).sum()
            };
            let (size, next) = (energy(&way), energy(&back));
            if size <= 0.0 || next <= 0.0 {
                return fastest;
            }
            fastest = (next / size).sqrt();
            let scale = next.sqrt().recip();
            for (way, back) in way.iter_mut().zip(&back) {
                *way = Velocity { linear: back.linear * scale, angular: back.angular * scale };
            }
        }
        ADDED * fastest
    }

    /// Takes from a motion what the joints do not allow.
    fn allow(&mut self, bodies: &Bodies, way: &mut [Velocity]) {
        for (right, node) in self.right.iter_mut().zip(&self.nodes) {
            *right = -node.rate(&way[node.ends[0]], &way[node.ends[1]]);
        }
        self.ldl.solve(&mut self.right);
        for (impulse, node) in self.right.iter().zip(&self.nodes) {
            for (side, sign) in [(0, 1.0), (1, -1.0)] {
                way[node.ends[side]].linear += node.pushed[side] * *impulse * sign;
                way[node.ends[side]].angular += node.turned[side] * *impulse * sign;
            }
        }
        way[bodies.world()] = Velocity::default();
    }

    /// What tensions do to bodies that are moved aside: forces and moments.
    fn pulls(&self, way: &[Velocity], h: f64) -> Vec<(DVec3, DVec3)> {
        let mut pulls = vec![(DVec3::ZERO, DVec3::ZERO); way.len()];
        for node in &self.nodes {
            let force = node.force(h);
            let mut moved = [DVec3::ZERO; 2];
            for (side, sign) in [(0, 1.0), (1, -1.0)] {
                let (Velocity { linear, angular }, arm) = (way[node.ends[side]], node.arms[side]);
                moved[side] = linear + angular.cross(arm);
                pulls[node.ends[side]].1 += angular.cross(arm).cross(force * sign);
            }
            let Some(length) = node.length() else { continue };
            let along = node.linear.x_axis;
            let aside = (moved[0] - moved[1]).reject_from_normalized(along);
            let pull = aside * (force.dot(along) / length);
            for (side, sign) in [(0, 1.0), (1, -1.0)] {
                let at = &mut pulls[node.ends[side]];
                at.0 += pull * sign;
                at.1 += node.arms[side].cross(pull * sign);
            }
        }
        pulls
    }
}

impl Node {
    /// On the first body, in this substep.
    fn force(&self, h: f64) -> DVec3 {
        self.linear * self.impulse / h
    }

    /// The distance that it holds.
    fn length(&self) -> Option<f64> {
        let tether = self.tether.as_ref().filter(|tether| !tether.is_slack())?;
        (tether.row.error > 0.0).then_some(tether.row.error)
    }
}
