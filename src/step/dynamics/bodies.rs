//! The bodies as the solver sees them: positions, velocities and inverse masses
//! side by side, the world itself as one more body that nothing moves. Rotations
//! are those of the principal axes.

use super::prepared::Prepared;
use super::spin;
use crate::contact::Course;
use crate::math::{DMat3, DQuat, DVec3, turned};
use crate::shape::Piece;
use crate::world::{Motion, State};

/// Below this turn per step the second-order terms of free rotation are rounding.
const SLOW: f64 = 1e-7;

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

/// Where a body is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    pub position: DVec3,
    pub turn: DMat3,
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
    pub prepared: &'a Prepared,
    pub positions: Vec<DVec3>,
    pub rotations: Vec<DQuat>,
    pub turns: Vec<DMat3>,
    pub velocities: Vec<Velocity>,
    pub inverse: Vec<Inverse>,
    /// How far what is farthest from a body's centre has gone around it since the start.
    pub swept: Vec<f64>,
    /// As they were at the start: the author's, and those of the principal axes.
    start: Vec<[DQuat; 2]>,
    /// Those that stay where they are in this step.
    is_held: Vec<bool>,
    /// Where velocities have led, before places are corrected; empty if they are not.
    unshifted: Vec<(DVec3, DQuat)>,
}

impl<'a> Bodies<'a> {
    pub fn new(prepared: &'a Prepared, state: &State) -> Bodies<'a> {
        let count = prepared.world();
        let rotation = |i: usize| prepared.to_principal(i, state.rotations[i]);
        let mut bodies = Bodies {
            prepared,
            positions: state.positions.clone(),
            rotations: (0..count).map(rotation).collect(),
            turns: vec![DMat3::IDENTITY; count + 1],
            velocities: vec![Velocity::default(); count + 1],
            inverse: vec![Inverse { mass: 0.0, inertia: DMat3::ZERO }; count + 1],
            swept: vec![0.0; count + 1],
            start: Vec::new(),
            is_held: vec![false; count],
            unshifted: Vec::new(),
        };
        bodies.start =
            state.rotations.iter().zip(&bodies.rotations).map(|(a, b)| [*a, *b]).collect();
        bodies.positions.push(DVec3::ZERO);
        bodies.rotations.push(DQuat::IDENTITY);
        for (i, body) in prepared.model.bodies.iter().enumerate() {
            bodies.velocities[i] =
                Velocity { linear: state.velocities[i], angular: state.spins[i] };
            bodies.inverse[i].mass = body.inverse_mass();
            bodies.turn(i);
        }
        bodies
    }

    /// The number of the world.
    pub fn world(&self) -> usize {
        self.prepared.world()
    }

    /// The body with this number, or the world.
    pub fn index(&self, body: Option<u32>) -> usize {
        body.map_or(self.world(), |body| body as usize)
    }

    /// Hands the state back. What did not turn keeps its rotation to the last bit.
    pub fn store(&self, state: &mut State) {
        let count = self.world();
        state.positions.copy_from_slice(&self.positions[..count]);
        for i in 0..count {
            state.velocities[i] = self.velocities[i].linear;
            state.spins[i] = self.velocities[i].angular;
            let [author, principal] = self.start[i];
            state.rotations[i] = match self.rotations[i] == principal {
                true => author,
                false => self.prepared.to_author(i, self.rotations[i]),
            };
        }
        if self.prepared.is_flat {
            flatten(state);
        }
    }

    /// From here on places are corrected and velocities stay.
    pub fn start_shifts(&mut self) {
        let places = self.positions.iter().zip(&self.rotations);
        self.unshifted = places.map(|(position, rotation)| (*position, *rotation)).collect();
    }

    /// Where velocities have led a body.
    pub fn unshifted(&self, i: usize) -> (DVec3, DQuat) {
        self.unshifted.get(i).copied().unwrap_or((self.positions[i], self.rotations[i]))
    }

    /// Whether moments turn a body.
    pub fn turns_freely(&self, i: usize) -> bool {
        i < self.world() && self.prepared.inverse_moments(i) != DVec3::ZERO
    }

    pub fn angular_momentum(&self, i: usize) -> DVec3 {
        self.prepared.inertia_turned(i, self.rotations[i]) * self.velocities[i].angular
    }

    /// Twice the energy that a motion of it has.
    pub fn twice_energy(&self, i: usize, Velocity { linear, angular }: &Velocity) -> f64 {
        let mass = if self.inverse[i].mass > 0.0 { self.inverse[i].mass.recip() } else { 0.0 };
        let own = self.turns[i].transpose() * *angular;
        mass * linear.length_squared() + own.dot(self.prepared.moments(i) * own)
    }

    fn stands(&self, i: usize) -> bool {
        self.is_held[i] || self.prepared.model.bodies[i].motion == Motion::Fixed
    }

    /// Lets a body stay where it is in this step, whatever pushes it.
    pub fn hold(&mut self, i: usize) {
        self.is_held[i] = true;
        self.velocities[i] = Velocity::default();
        self.inverse[i] = Inverse { mass: 0.0, inertia: DMat3::ZERO };
    }

    /// Renews what follows from a rotation.
    fn turn(&mut self, i: usize) {
        self.turns[i] = DMat3::from_quat(self.rotations[i]);
        self.renew_inertia(i);
    }

    /// Inverse inertia as the body is turned now.
    fn renew_inertia(&mut self, i: usize) {
        if self.is_held[i] {
            return;
        }
        let (own, turn) = (self.prepared.inverse_moments(i), &self.turns[i]);
        self.inverse[i].inertia = match self.prepared.spins_evenly(i) {
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
        for i in self.prepared.model.free().filter(|&i| !self.is_held[i]) {
            self.velocities[i].linear += self.prepared.model.pull(i) * h;
        }
    }

    /// The gyroscopic term as the paper has it: explicit [D14 3].
    pub fn gyroscopic_kick(&mut self, h: f64) {
        for i in self.prepared.model.free() {
            let spin = self.velocities[i].angular;
            let inertia = self.prepared.inertia_turned(i, self.rotations[i]);
            let change = self.inverse[i].inertia * -spin.cross(inertia * spin);
            self.velocities[i].angular += change * h;
        }
    }

    /// Moves bodies as their velocities say; a freely turning one keeps its angular momentum.
    /// Inertias are left as they were.
    pub fn drift(&mut self, h: f64, moves: impl Fn(usize) -> bool) {
        for i in (0..self.world()).filter(|&i| moves(i)) {
            let Velocity { linear, angular } = self.velocities[i];
            if self.stands(i) {
                continue;
            }
            self.positions[i] += linear * h;
            if angular == DVec3::ZERO {
                continue;
            }
            let evenly = self.prepared.spins_evenly(i) || !self.prepared.is_free(i);
            if evenly {
                self.rotate_pose(i, angular * h);
                continue;
            }
            if angular.length() * h < SLOW {
                let (own, inverse) = (self.prepared.moments(i), self.prepared.inverse_moments(i));
                let momentum = self.turns[i] * (own * (self.turns[i].transpose() * angular));
                self.rotate_pose(i, angular * h);
                let turn = &self.turns[i];
                self.velocities[i].angular = *turn * (inverse * (turn.transpose() * momentum));
                continue;
            }
            let (moments, own) = (self.prepared.moments(i), self.prepared.inverse_moments(i));
            let momentum = self.turns[i].transpose() * angular * moments;
            let (turn, kept) = spin::free(moments, momentum, h);
            self.rotations[i] = (self.rotations[i] * turn).normalize();
            self.swept[i] += self.prepared.arm(i) * momentum.length() * own.max_element() * h;
            self.turns[i] = DMat3::from_quat(self.rotations[i]);
            self.velocities[i].angular = self.turns[i] * (own * kept);
        }
    }

    /// As the paper integrates [D14 3]: symplectic Euler, `q + h/2 [0, w] q`, normalised.
    pub fn drift_plainly(&mut self, h: f64) {
        for i in 0..self.world() {
            if self.stands(i) {
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

    /// Where a body is after a time, if it moves and turns evenly.
    pub fn pose(&self, i: usize, velocity: &Velocity, time: f64) -> Pose {
        let position = self.positions[i] + velocity.linear * time;
        let turn = match time == 0.0 || velocity.angular == DVec3::ZERO {
            true => self.turns[i],
            false => DMat3::from_quat(turned(velocity.angular * time) * self.rotations[i]),
        };
        Pose { position, turn }
    }

    /// How a piece of a body moves on with a velocity.
    pub fn course<'p>(&self, i: usize, piece: &'p Piece, velocity: &Velocity) -> Course<'p> {
        Course {
            piece,
            position: self.positions[i],
            turn: self.turns[i],
            velocity: velocity.linear,
            spin: velocity.angular,
            arm: self.prepared.arm(i),
        }
    }

    /// Moves a body as if it had had a velocity for a time, which it gets rid of by that: so it
    /// goes on from where it changed its velocity. Its angular momentum stays.
    pub fn set_back(&mut self, i: usize, by: &Velocity, time: f64) {
        self.positions[i] += by.linear * time;
        self.turn_freely(i, by.angular * time);
    }

    /// Puts a body somewhere.
    pub fn place(&mut self, i: usize, position: DVec3, rotation: DQuat) {
        self.positions[i] = position;
        self.swept[i] += self.prepared.arm(i) * self.rotations[i].angle_between(rotation);
        self.rotations[i] = rotation;
        self.turn(i);
    }

    /// Turns a body by a vector in the frame of the world.
    pub fn rotate(&mut self, i: usize, by: DVec3) {
        self.rotate_pose(i, by);
        self.renew_inertia(i);
    }

    /// The same; its angular momentum stays.
    pub fn turn_freely(&mut self, i: usize, by: DVec3) {
        if by == DVec3::ZERO {
            return;
        }
        let momentum = self.angular_momentum(i);
        self.rotate(i, by);
        if !self.prepared.spins_evenly(i) && self.turns_freely(i) {
            self.velocities[i].angular = self.inverse[i].inertia * momentum;
        }
    }

    /// As [`Bodies::rotate`], its inertia left as it was.
    pub fn rotate_pose(&mut self, i: usize, by: DVec3) {
        let q = turned(by) * self.rotations[i];
        // Its length is 1 but for rounding, so one Newton step is as good as a root.
        self.rotations[i] = q * (1.5 - 0.5 * q.length_squared());
        self.swept[i] += self.prepared.arm(i) * by.length();
        self.turns[i] = DMat3::from_quat(self.rotations[i]);
    }

    /// Turns a body as a moment times a squared time does, its inertia as it was; the angular
    /// momentum, not the velocity, takes the moment over, as the body's axes have moved.
    pub fn turn_by_moment(&mut self, i: usize, moment: DVec3, h: f64) {
        let inverse = self.prepared.inverse_moments(i);
        if inverse == DVec3::ZERO {
            return;
        }
        let by = self.inverse[i].inertia * moment;
        let inertia = self.prepared.moments(i);
        let spin = self.velocities[i].angular;
        let momentum = self.turns[i] * (inertia * (self.turns[i].transpose() * spin)) + moment / h;
        self.rotate_pose(i, by);
        let turn = &self.turns[i];
        self.velocities[i].angular = *turn * (inverse * (turn.transpose() * momentum));
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
        for i in self.prepared.model.free() {
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

/// Nothing leaves the plane, not even by the sign of a zero.
fn flatten(state: &mut State) {
    state.positions.iter_mut().chain(&mut state.velocities).for_each(|v| v.z = 0.0);
    state.spins.iter_mut().for_each(|spin| (spin.x, spin.y) = (0.0, 0.0));
    state.rotations.iter_mut().for_each(|turn| (turn.x, turn.y) = (0.0, 0.0));
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
