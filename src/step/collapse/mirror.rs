//! Mirror symmetry about a plane of constant x. The program is strictly convex,
//! so what is symmetric falls symmetrically; what the bits lose of that is
//! measured, and can be taken back exactly.

use serde::{Deserialize, Serialize};

use crate::math::{DQuat, DVec3};
use crate::world::{Model, State};

/// Bodies match when their mirror images agree to this fraction of their radius.
const MATCH: f64 = 1e-9;

/// A plane of symmetry and who mirrors whom.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Mirror {
    x: f64,
    pairs: Vec<Pair>,
}

/// Bodies that are each other's images; a body in the plane is its own.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Pair {
    bodies: [u32; 2],
    /// How they were turned at the start: what mirrors is the turn from there.
    start: [DQuat; 2],
}

impl Pair {
    fn new(i: usize, j: usize, state: &State) -> Pair {
        let start = [i, j].map(|k| state.rotations[k]);
        Pair { bodies: [i as u32, j as u32], start }
    }

    /// The bodies, and how they have turned since the start.
    fn turned(&self, state: &State) -> ([usize; 2], [DQuat; 2]) {
        let bodies = self.bodies.map(|k| k as usize);
        let turn = |side: usize| state.rotations[bodies[side]] * self.start[side].inverse();
        (bodies, [turn(0), turn(1)])
    }
}

impl Mirror {
    /// The symmetry that a model starts with, if it has one.
    pub fn find(model: &Model, state: &State) -> Option<Mirror> {
        let mass: f64 = model.free().map(|i| model.bodies[i].mass).sum();
        let moments = model.free().map(|i| model.bodies[i].mass * state.positions[i].x);
        let x = moments.sum::<f64>() / mass;
        let mut mirror = Mirror { x, pairs: Vec::new() };
        for i in model.free() {
            let image = mirror.point(state.positions[i]);
            let near = |j: &usize| {
                let (a, b) = (&model.bodies[i], &model.bodies[*j]);
                let tolerance = MATCH * a.radius;
                (state.positions[*j] - image).length() < tolerance.max(1e-14 * x.abs())
                    && (a.mass - b.mass).abs() <= MATCH * a.mass
                    && (a.radius - b.radius).abs() <= tolerance
            };
            let j = model.free().find(near)?;
            if i <= j {
                mirror.pairs.push(Pair::new(i, j, state));
            }
        }
        (mirror.asymmetry(model, state) < MATCH).then_some(mirror)
    }

    fn point(&self, p: DVec3) -> DVec3 {
        DVec3::new(2.0 * self.x - p.x, p.y, p.z)
    }

    /// How far positions and turns are from symmetry, relative to the bodies' radii.
    pub fn asymmetry(&self, model: &Model, state: &State) -> f64 {
        let off = self.pairs.iter().map(|pair| {
            let ([i, j], [one, two]) = pair.turned(state);
            let apart = (self.point(state.positions[j]) - state.positions[i]).length();
            let turned = one.inverse() * reflect(two);
            let angle = 2.0 * turned.xyz().length().min(1.0).asin();
            (apart / model.bodies[i].radius).max(angle)
        });
        off.fold(0.0, f64::max)
    }

    /// Makes the state exactly symmetric: the mean of every body and its image.
    pub fn impose(&self, state: &mut State) {
        for pair in &self.pairs {
            let ([i, j], [one, two]) = pair.turned(state);
            let flip = |v: DVec3| DVec3::new(-v.x, v.y, v.z);
            let flip_axial = |v: DVec3| DVec3::new(v.x, -v.y, -v.z);
            let position = 0.5 * (state.positions[i] + self.point(state.positions[j]));
            let velocity = 0.5 * (state.velocities[i] + flip(state.velocities[j]));
            let spin = 0.5 * (state.spins[i] + flip_axial(state.spins[j]));
            let two = reflect(two);
            let two = if one.dot(two) < 0.0 { -two } else { two };
            let rotation = (one + two).normalize();
            state.positions[j] = self.point(position);
            state.positions[i] = if i == j {
                DVec3 { x: self.x, ..position }
            } else {
                self.point(state.positions[j])
            };
            (state.velocities[i], state.velocities[j]) = (velocity, flip(velocity));
            (state.spins[i], state.spins[j]) = (spin, flip_axial(spin));
            state.rotations[i] = rotation * pair.start[0];
            if i != j {
                state.rotations[j] = reflect(rotation) * pair.start[1];
            }
        }
    }
}

/// A rotation seen in the mirror.
fn reflect(q: DQuat) -> DQuat {
    DQuat::from_xyzw(q.x, -q.y, -q.z, q.w)
}
