//! A particle of cloth against a body or another particle, in the mode default:
//! a push and Coulomb friction on positions, solved among the threads. What the
//! particle and the other's point did against each other since the substep began
//! is one vector: along the normal it closes the gap, across it is the slip.

use super::bodies::{Bodies, Velocity};
use super::soft_contacts::{Near, meeting, near_piece};
use super::tally::within_cone;
use super::trace::{Before, Impulse};
use crate::math::DVec3;
use crate::shape::{Core, Piece};
use crate::world::{Contact, With};

/// The part of an overlap that is left after a substep: taking it away at once would throw
/// the particle out.
const LEFT: f64 = 0.9;

/// One particle against one other. Where pieces of bodies touch it is looked at in every substep;
/// two particles, and a wall, keep the direction of before the step.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// Numbers of bodies; the container is the world.
    pub ends: [u32; 2],
    /// Of the other.
    piece: u32,
    /// On the particle and, by its moments, on the other, in this step.
    impulse: Impulse,
    /// The sum of all pushes in this step and, weighted by them, their normals and where they act,
    /// from the other's centre.
    load: f64,
    normals: DVec3,
    arms: DVec3,
    /// Among the particles.
    particle: usize,
    /// Among the particles, or among the bodies.
    other: Other,
    normal: DVec3,
    friction: f64,
    /// Where the particle was at detection, in the frame of the other, and its gap there.
    local: DVec3,
    gap_at_start: f64,
    /// At the start of the substep: the gap, and from the other's centre to the particle.
    gap: f64,
    arm: DVec3,
    /// The other's point as the substep would move it, less where it was.
    drift: DVec3,
    /// The effective mass along the normal.
    mass: f64,
    push: f64,
    rub: DVec3,
}

#[derive(Clone, Copy, Debug)]
enum Other {
    Particle(usize),
    Body(usize),
    Wall,
}

/// What all touches of a substep work on.
pub struct Field<'s, 'a> {
    pub bodies: &'s Bodies<'a>,
    /// Positions of the particles now and at the start of the substep, and their inverse masses.
    pub x: &'s mut [DVec3],
    pub x_start: &'s [DVec3],
    pub w: &'s [f64],
    /// What the bodies moved besides their drift.
    pub shifts: &'s mut [Velocity],
}

impl Touch {
    pub fn new(bodies: &Bodies, first: usize, near: &Near) -> Touch {
        let (i, j) = (near.particle as usize, near.other as usize);
        Touch {
            ends: [near.particle, near.other],
            piece: near.piece,
            impulse: Impulse::default(),
            load: 0.0,
            normals: DVec3::ZERO,
            arms: DVec3::ZERO,
            particle: i - first,
            other: match j {
                j if j == bodies.world() => Other::Wall,
                j if j >= first => Other::Particle(j - first),
                j => Other::Body(j),
            },
            normal: near.normal,
            friction: bodies.prepared.materials([i, j]).friction,
            local: bodies.turns[j].transpose() * (bodies.positions[i] - bodies.positions[j]),
            gap_at_start: near.gap,
            gap: near.gap,
            arm: DVec3::ZERO,
            drift: DVec3::ZERO,
            mass: 0.0,
            push: 0.0,
            rub: DVec3::ZERO,
        }
    }

    pub fn is_among_particles(&self) -> bool {
        matches!(self.other, Other::Particle(_))
    }

    pub fn pushes(&self) -> bool {
        self.push > 0.0
    }

    /// Adds the impulse of a substep to that of the step.
    pub fn tell(&mut self, radius: f64, h: f64) {
        if self.push == 0.0 {
            return;
        }
        let force = (self.normal * self.push + self.rub) / h;
        self.impulse.add(force, [DVec3::ZERO, self.arm.cross(force)]);
        let push = self.push / h;
        self.load += push;
        self.normals += self.normal * push;
        self.arms += (self.arm - self.normal * (radius + self.gap)) * push;
    }

    /// What it did in this step; none if it was nothing.
    pub fn contact(&self, bodies: &Bodies, before: &Before) -> Option<Contact> {
        if self.load <= 0.0 {
            return None;
        }
        let [body, other] = self.ends;
        let ends = self.ends.map(|end| end as usize);
        let radius = bodies.prepared.radius(ends[0]);
        let (normal, gap) = match self.other {
            Other::Body(_) => {
                let mean = (self.normals / self.load).normalize_or_zero();
                let normal = within_cone(mean, self.impulse.force, self.friction);
                let apart = before.position(ends[0]) - before.position(ends[1]);
                (normal, normal.dot(apart - self.arms / self.load) - radius)
            }
            Other::Particle(_) | Other::Wall => (self.normal, self.gap_at_start),
        };
        let at = before.position(ends[0]) - normal * radius;
        let at = [at, at - normal * gap];
        let (with, piece) = match ends[1] == bodies.world() {
            true => (With::Face(bodies.prepared.walls.get(self.piece).face_at(at[1])), 0),
            false => (With::Body(other), self.piece),
        };
        let arms = [DVec3::ZERO, at[1] - before.position(ends[1])];
        Some(Contact {
            body,
            with,
            pieces: [0, piece],
            at,
            normal,
            force: self.impulse.force,
            couples: self.impulse.couples(arms, [false, bodies.turns_freely(ends[1])]),
            choice: false,
        })
    }

    /// How far the two are apart as the body is turned now; negative if they overlap.
    pub fn gap(&self, bodies: &Bodies, first: usize) -> f64 {
        let i = first + self.particle;
        let (at, radius) = (bodies.positions[i], bodies.prepared.radius(i));
        match self.other {
            Other::Body(other) => {
                let ball = Piece::new(Core::Point, radius);
                let found = near_piece(bodies, (i, &ball), (other, self.piece as usize), 0.0);
                found.map_or(0.0, |found| found.least_gap())
            }
            Other::Particle(_) | Other::Wall => {
                self.gap_between(at - bodies.positions[self.ends[1] as usize])
            }
        }
    }

    /// Along the normal of before the step.
    fn gap_between(&self, apart: DVec3) -> f64 {
        self.gap_at_start + self.normal.dot(apart - self.local)
    }

    /// Before the substep moves anything; both sides still have the positions of `bodies`.
    pub fn start(&mut self, bodies: &Bodies, first: usize, h: f64) {
        let i = first + self.particle;
        let at = bodies.positions[i];
        let other = self.ends[1] as usize;
        match self.other {
            Other::Body(_) => {
                let ball = Piece::new(Core::Point, bodies.prepared.radius(i));
                let piece = (other, self.piece as usize);
                let found = meeting(bodies, (i, &ball), piece, f64::INFINITY, h);
                self.gap = found.map_or(f64::INFINITY, |found| found.least_gap());
                self.normal = found.map_or(DVec3::ZERO, |found| found.normal);
            }
            Other::Particle(_) | Other::Wall => {
                self.gap = self.gap_between(at - bodies.positions[other]);
            }
        }
        // The push acts where the particle is, on both: so no moment is left over.
        self.arm = at - bodies.positions[other];
        let (own, its) = (&bodies.inverse[i], &bodies.inverse[other]);
        let moment = self.arm.cross(self.normal);
        self.mass = (own.mass + its.mass + moment.dot(its.inertia * moment)).recip();
        (self.push, self.rub) = (0.0, DVec3::ZERO);
        // For bodies: the arm in their own frame, until they have moved.
        self.drift = bodies.turns[other].transpose() * self.arm;
    }

    /// After the bodies drifted: how far the other's point went.
    pub fn follow(&mut self, field: &mut Field) {
        let start = field.x_start[self.particle];
        self.drift = match self.other {
            Other::Particle(_) | Other::Wall => DVec3::ZERO,
            Other::Body(j) => {
                field.bodies.positions[j] + field.bodies.turns[j] * self.drift - start
            }
        };
    }

    /// How the particle moved against the other since the start of the substep.
    fn apart(&self, field: &Field) -> DVec3 {
        let moved = field.x[self.particle] - field.x_start[self.particle];
        match self.other {
            Other::Particle(j) => moved - (field.x[j] - field.x_start[j]),
            Other::Body(j) => {
                let shift = &field.shifts[j];
                moved - self.drift - shift.linear - shift.angular.cross(self.arm)
            }
            Other::Wall => moved,
        }
    }

    fn apply(&self, field: &mut Field, by: DVec3) {
        field.x[self.particle] += by * field.w[self.particle];
        match self.other {
            Other::Particle(j) => field.x[j] -= by * field.w[j],
            Other::Body(j) => {
                let inverse = &field.bodies.inverse[j];
                field.shifts[j].linear -= by * inverse.mass;
                field.shifts[j].angular -= inverse.inertia * self.arm.cross(by);
            }
            Other::Wall => {}
        }
    }

    /// The push, then the friction that it allows.
    pub fn solve(&mut self, field: &mut Field) {
        if self.gap == f64::INFINITY {
            return;
        }
        let apart = self.apart(field);
        let wanted = (LEFT * self.gap).min(0.0);
        let gap = self.gap + self.normal.dot(apart);
        let before = self.push;
        self.push = (before - (gap - wanted) * self.mass).max(0.0);
        if self.push != before {
            self.apply(field, self.normal * (self.push - before));
        }
        if self.friction == 0.0 || self.push == 0.0 && self.rub == DVec3::ZERO {
            return;
        }
        let apart = self.apart(field);
        let slip = apart - self.normal * self.normal.dot(apart);
        let distance = slip.length();
        let inverse_mass = match distance > 0.0 {
            true => self.inverse_mass(field, slip / distance),
            false => 1.0,
        };
        let rub = (self.rub - slip / inverse_mass).clamp_length_max(self.friction * self.push);
        let by = rub - self.rub;
        self.rub = rub;
        self.apply(field, by);
    }

    /// How far the two points move apart per unit of displacement times mass, along a direction.
    fn inverse_mass(&self, field: &Field, along: DVec3) -> f64 {
        field.w[self.particle]
            + match self.other {
                Other::Particle(j) => field.w[j],
                Other::Body(j) => {
                    let inverse = &field.bodies.inverse[j];
                    let moment = self.arm.cross(along);
                    inverse.mass + moment.dot(inverse.inertia * moment)
                }
                Other::Wall => 0.0,
            }
    }
}
