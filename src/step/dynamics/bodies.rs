//! The bodies as the solver sees them: velocities, inverse masses and poses side
//! by side, the world itself as one more body that nothing moves.

use crate::math::{DMat3, DQuat, DVec3};
use crate::world::{Assembly, Motion, Poses};

/// Below this turn per step the second-order terms of free rotation are rounding.
const SLOW: f64 = 1e-7;

/// How many fixed-point iterations find the turn of a freely rotating body.
const TURN_ITERATIONS: usize = 8;

/// Linear and angular velocity, in the frame of the world.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Velocity {
    pub linear: DVec3,
    pub angular: DVec3,
}

impl Velocity {
    /// What an impulse and a moment make of it.
    #[inline]
    pub fn add(&mut self, inverse: &Inverse, impulse: DVec3, moment: DVec3) {
        self.linear += impulse * inverse.mass;
        self.angular += inverse.inertia * moment;
    }
}

/// How little a body resists.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inverse {
    pub mass: f64,
    /// In the frame of the world.
    pub inertia: DMat3,
}

/// All bodies; the last one is the world.
pub struct Bodies<'a> {
    pub assembly: &'a Assembly,
    pub positions: Vec<DVec3>,
    pub rotations: Vec<DQuat>,
    pub turns: Vec<DMat3>,
    pub velocities: Vec<Velocity>,
    pub inverse: Vec<Inverse>,
    /// About the body's own axes.
    own_inverse: Vec<DVec3>,
}

impl<'a> Bodies<'a> {
    pub fn new(assembly: &'a Assembly, poses: &Poses) -> Bodies<'a> {
        let count = assembly.parts.len();
        let mut bodies = Bodies {
            assembly,
            positions: poses.positions.clone(),
            rotations: poses.rotations.clone(),
            turns: vec![DMat3::IDENTITY; count + 1],
            velocities: vec![Velocity::default(); count + 1],
            inverse: vec![Inverse { mass: 0.0, inertia: DMat3::ZERO }; count + 1],
            own_inverse: assembly.parts.iter().map(|part| part.inverse_inertia()).collect(),
        };
        bodies.positions.push(DVec3::ZERO);
        bodies.rotations.push(DQuat::IDENTITY);
        for (i, part) in assembly.parts.iter().enumerate() {
            bodies.velocities[i] =
                Velocity { linear: poses.velocities[i], angular: poses.spins[i] };
            bodies.inverse[i].mass = part.inverse_mass();
            bodies.turn(i);
        }
        bodies
    }

    /// The number of the world.
    pub fn world(&self) -> usize {
        self.assembly.parts.len()
    }

    /// The body with this number, or the world.
    pub fn index(&self, part: Option<u32>) -> usize {
        part.map_or(self.world(), |part| part as usize)
    }

    /// Hands the state back.
    pub fn store(&self, poses: &mut Poses) {
        let count = self.world();
        poses.positions.copy_from_slice(&self.positions[..count]);
        poses.rotations.copy_from_slice(&self.rotations[..count]);
        for i in 0..count {
            poses.velocities[i] = self.velocities[i].linear;
            poses.spins[i] = self.velocities[i].angular;
        }
    }

    /// Renews what follows from a rotation.
    fn turn(&mut self, i: usize) {
        self.turns[i] = DMat3::from_quat(self.rotations[i]);
        self.renew_inertia(i);
    }

    /// Inverse inertia as the body is turned now.
    fn renew_inertia(&mut self, i: usize) {
        let (own, turn) = (self.own_inverse[i], &self.turns[i]);
        self.inverse[i].inertia = match own.x == own.y && own.y == own.z {
            true => DMat3::from_diagonal(own),
            false => rotated(own, turn),
        };
    }

    /// The same for all bodies, after [`Bodies::drift`] and [`Bodies::rotate_pose`].
    pub fn renew_inertias(&mut self) {
        for i in 0..self.world() {
            self.renew_inertia(i);
        }
    }

    /// Gravity, for a time.
    pub fn kick(&mut self, h: f64) {
        let gravity = self.assembly.gravity * h;
        for (velocity, inverse) in self.velocities.iter_mut().zip(&self.inverse) {
            if inverse.mass > 0.0 {
                velocity.linear += gravity;
            }
        }
    }

    /// The gyroscopic term as the paper has it: explicit [D14 3].
    pub fn gyroscopic_kick(&mut self, h: f64) {
        for i in self.assembly.free() {
            let spin = self.velocities[i].angular;
            let part = &self.assembly.parts[i];
            let inertia = part.world_inertia(self.rotations[i]);
            let change = self.inverse[i].inertia * -spin.cross(inertia * spin);
            self.velocities[i].angular += change * h;
        }
    }

    /// Moves every body as its velocity says; a freely turning one keeps its angular momentum.
    /// Inertias are left as they were.
    pub fn drift(&mut self, h: f64) {
        for i in 0..self.world() {
            let part = &self.assembly.parts[i];
            let Velocity { linear, angular } = self.velocities[i];
            if part.motion == Motion::Fixed {
                continue;
            }
            self.positions[i] += linear * h;
            if angular == DVec3::ZERO {
                continue;
            }
            let isotropic = part.inertia.x == part.inertia.y && part.inertia.y == part.inertia.z;
            if isotropic || !part.is_free() || angular.length() * h < SLOW {
                self.rotate_pose(i, angular * h);
                continue;
            }
            // In the body's own frame: the turn of the implicit midpoint rule.
            let own = self.own_inverse[i];
            let back = self.turns[i].transpose();
            let momentum = back * angular * part.inertia;
            let mut turn = own * momentum * h;
            for _ in 0..TURN_ITERATIONS {
                let next = own * (turned(-0.5 * turn) * momentum) * h;
                let change = (next - turn).length_squared();
                turn = next;
                if change < 1e-30 {
                    break;
                }
            }
            self.rotations[i] = (self.rotations[i] * turned(turn)).normalize();
            self.turns[i] = DMat3::from_quat(self.rotations[i]);
            let kept = turned(-turn) * momentum;
            self.velocities[i].angular = self.turns[i] * (own * kept);
        }
    }

    /// As the paper integrates [D14 3]: symplectic Euler, `q + h/2 [0, w] q`, normalised.
    pub fn drift_plainly(&mut self, h: f64) {
        for i in 0..self.world() {
            if self.assembly.parts[i].motion == Motion::Fixed {
                continue;
            }
            let Velocity { linear, angular } = self.velocities[i];
            self.positions[i] += linear * h;
            let q = self.rotations[i];
            let rate = DQuat::from_xyzw(angular.x, angular.y, angular.z, 0.0) * q;
            self.rotations[i] = (q + rate * (0.5 * h)).normalize();
            self.turn(i);
        }
    }

    /// Turns a body by a vector in the frame of the world.
    pub fn rotate(&mut self, i: usize, by: DVec3) {
        self.rotate_pose(i, by);
        self.renew_inertia(i);
    }

    /// The same, its inertia left as it was.
    pub fn rotate_pose(&mut self, i: usize, by: DVec3) {
        let q = turned(by) * self.rotations[i];
        // Its length is 1 but for rounding, so one Newton step is as good as a root.
        self.rotations[i] = q * (1.5 - 0.5 * q.length_squared());
        self.turns[i] = DMat3::from_quat(self.rotations[i]);
    }

    /// Turns a body as a moment times a squared time does, its inertia as it was; the angular
    /// momentum, not the velocity, takes the moment over, as the body's axes have moved.
    pub fn turn_by_moment(&mut self, i: usize, moment: DVec3, h: f64) {
        if self.own_inverse[i] == DVec3::ZERO {
            return;
        }
        let by = self.inverse[i].inertia * moment;
        let inertia = self.assembly.parts[i].inertia;
        let spin = self.velocities[i].angular;
        let momentum = self.turns[i] * (inertia * (self.turns[i].transpose() * spin)) + moment / h;
        self.rotate_pose(i, by);
        let turn = &self.turns[i];
        self.velocities[i].angular = *turn * (self.own_inverse[i] * (turn.transpose() * momentum));
    }

    /// An impulse at a point of a body (`arm` from its centre), and an angular one.
    pub fn push(&mut self, i: usize, impulse: DVec3, moment: DVec3) {
        self.velocities[i].add(&self.inverse[i], impulse, moment);
    }

    /// A displacement of the same kind, which the velocities take with it if there is a time.
    pub fn displace(&mut self, i: usize, shift: DVec3, moment: DVec3, per_time: f64) {
        let inverse = self.inverse[i];
        if inverse.mass == 0.0 {
            return;
        }
        let (dx, turn) = (shift * inverse.mass, inverse.inertia * moment);
        self.positions[i] += dx;
        self.velocities[i].linear += dx * per_time;
        if turn != DVec3::ZERO {
            self.velocities[i].angular += turn * per_time;
            self.rotate(i, turn);
        }
    }

    /// Takes speed away.
    pub fn damp(&mut self, kept: f64) {
        for i in self.assembly.free() {
            self.velocities[i].linear *= kept;
            self.velocities[i].angular *= kept;
        }
    }

    /// The first body whose state is no number.
    pub fn broken(&self) -> Option<usize> {
        (0..self.world()).find(|&i| {
            let Velocity { linear, angular } = self.velocities[i];
            !(self.positions[i].is_finite()
                && self.rotations[i].is_finite()
                && linear.is_finite()
                && angular.is_finite())
        })
    }
}

/// A diagonal matrix of the body's frame in that of the world.
fn rotated(own: DVec3, turn: &DMat3) -> DMat3 {
    let DMat3 { x_axis: x, y_axis: y, z_axis: z } = *turn;
    let (a, b, c) = (x * own.x, y * own.y, z * own.z);
    let (xx, yy) = (a.x * x.x + b.x * y.x + c.x * z.x, a.y * x.y + b.y * y.y + c.y * z.y);
    let (zz, xy) = (a.z * x.z + b.z * y.z + c.z * z.z, a.x * x.y + b.x * y.y + c.x * z.y);
    let (xz, yz) = (a.x * x.z + b.x * y.z + c.x * z.z, a.y * x.z + b.y * y.z + c.y * z.z);
    DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz))
}

/// The rotation by a vector; exact for small ones, too.
pub fn turned(by: DVec3) -> DQuat {
    let square = by.length_squared();
    if square > 1e-4 {
        return DQuat::from_scaled_axis(by);
    }
    // Sine and cosine of the half angle, to the last digit for angles below a hundredth.
    let s = 0.5 - square / 48.0 + square * square / 3840.0;
    let c = 1.0 - square / 8.0 + square * square / 384.0;
    DQuat::from_xyzw(by.x * s, by.y * s, by.z * s, c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_turns_are_exact() {
        for size in [1e-12, 1e-6, 1e-3, 9.9e-3] {
            let by = DVec3::new(0.6, -0.48, 0.64) * size;
            let (one, two) = (turned(by), DQuat::from_scaled_axis(by));
            assert!((one - two).length() < 1e-15, "{size}");
        }
    }
}
