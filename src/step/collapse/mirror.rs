//! Mirror symmetry about a plane of constant x. The program is strictly convex,
//! so a symmetric tower falls symmetrically; what the bits lose of that is
//! measured, and can be taken back exactly.

use serde::{Deserialize, Serialize};

use crate::math::{DQuat, DVec3};
use crate::world::{Poses, Tower};

/// Bodies match when their mirror images agree to this fraction of their radius.
const MATCH: f64 = 1e-9;

/// A plane of symmetry and who mirrors whom.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mirror {
    x: f64,
    /// Bodies that are each other's images; a body in the plane is its own.
    pairs: Vec<[u32; 2]>,
}

impl Mirror {
    /// The symmetry that a tower starts with, if it has one.
    pub fn find(tower: &Tower, poses: &Poses) -> Option<Mirror> {
        let mass: f64 = tower.moving().map(|i| tower.bricks[i].mass).sum();
        let moments = tower.moving().map(|i| tower.bricks[i].mass * poses.positions[i].x);
        let x = moments.sum::<f64>() / mass;
        let mut mirror = Mirror { x, pairs: Vec::new() };
        for i in tower.moving() {
            let image = mirror.point(poses.positions[i]);
            let near = |j: &usize| {
                let (a, b) = (&tower.bricks[i], &tower.bricks[*j]);
                let tolerance = MATCH * a.radius;
                (poses.positions[*j] - image).length() < tolerance.max(1e-14 * x.abs())
                    && (a.mass - b.mass).abs() <= MATCH * a.mass
                    && (a.radius - b.radius).abs() <= tolerance
            };
            let j = tower.moving().find(near)?;
            if i <= j {
                mirror.pairs.push([i as u32, j as u32]);
            }
        }
        (mirror.asymmetry(tower, poses) < MATCH).then_some(mirror)
    }

    fn point(&self, p: DVec3) -> DVec3 {
        DVec3::new(2.0 * self.x - p.x, p.y, p.z)
    }

    /// How far positions and turns are from symmetry, relative to the bodies' radii.
    pub fn asymmetry(&self, tower: &Tower, poses: &Poses) -> f64 {
        let off = self.pairs.iter().map(|pair| {
            let [i, j] = pair.map(|k| k as usize);
            let apart = (self.point(poses.positions[j]) - poses.positions[i]).length();
            let turned = poses.rotations[i].inverse() * reflect(poses.rotations[j]);
            let angle = 2.0 * turned.xyz().length().min(1.0).asin();
            (apart / tower.bricks[i].radius).max(angle)
        });
        off.fold(0.0, f64::max)
    }

    /// Makes the poses exactly symmetric: the mean of every body and its image.
    pub fn impose(&self, poses: &mut Poses) {
        for pair in &self.pairs {
            let [i, j] = pair.map(|k| k as usize);
            let flip = |v: DVec3| DVec3::new(-v.x, v.y, v.z);
            let flip_axial = |v: DVec3| DVec3::new(v.x, -v.y, -v.z);
            let position = 0.5 * (poses.positions[i] + self.point(poses.positions[j]));
            let velocity = 0.5 * (poses.velocities[i] + flip(poses.velocities[j]));
            let spin = 0.5 * (poses.spins[i] + flip_axial(poses.spins[j]));
            let (one, two) = (poses.rotations[i], reflect(poses.rotations[j]));
            let two = if one.dot(two) < 0.0 { -two } else { two };
            let rotation = (one + two).normalize();
            poses.positions[j] = self.point(position);
            poses.positions[i] = if i == j {
                DVec3 { x: self.x, ..position }
            } else {
                self.point(poses.positions[j])
            };
            (poses.velocities[i], poses.velocities[j]) = (velocity, flip(velocity));
            (poses.spins[i], poses.spins[j]) = (spin, flip_axial(spin));
            (poses.rotations[i], poses.rotations[j]) = (rotation, reflect(rotation));
        }
    }
}

/// A rotation seen in the mirror.
fn reflect(q: DQuat) -> DQuat {
    DQuat::from_xyzw(q.x, -q.y, -q.z, q.w)
}
