//! Rigid bricks made ready to stand or fall: what never changes ([`Tower`],
//! [`Rigid`]) apart from what does ([`Poses`]).

use crate::math::{DMat3, DQuat, DVec3};
use crate::problem::{Problem, Result};
use crate::shape::{Aabb, Brick, Moments};

/// Rigid bodies under gravity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tower {
    /// 2 or 3: three or six unknowns per body.
    pub dimension: usize,
    pub gravity: DVec3,
    pub bricks: Vec<Rigid>,
    pub pins: Vec<Joint>,
    pub bars: Vec<Bar>,
}

/// A joint whose two points keep their distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar {
    pub joint: Joint,
    pub length: f64,
}

/// Two bodies held together: points of both, each in its body's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    pub bodies: [u32; 2],
    pub points: [DVec3; 2],
}

/// A rigid body: convex pieces in its own frame, the centre of mass at the origin.
#[derive(Clone, Debug, PartialEq)]
pub struct Rigid {
    pub pieces: Vec<Brick>,
    pub mass: f64,
    /// About the centre of mass, in the body's frame; in 2D only the entry about z counts.
    pub inertia: DMat3,
    /// A support that never moves.
    pub fixed: bool,
    /// Coefficient of Coulomb friction; a contact takes the smaller of its two.
    pub friction: f64,
    /// From 0 (no bounce) to 1; a contact takes the smaller of its two.
    pub restitution: f64,
    /// The farthest corner's distance from the centre of mass.
    pub radius: f64,
}

/// What changes: where the bodies are and how they move.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Poses {
    pub positions: Vec<DVec3>,
    pub rotations: Vec<DQuat>,
    /// Of the centre of mass.
    pub velocities: Vec<DVec3>,
    /// Angular velocity, in the frame of the world; in 2D along z.
    pub spins: Vec<DVec3>,
}

impl Tower {
    pub fn new(dimension: usize, gravity: DVec3) -> Self {
        Tower { dimension, gravity, ..Default::default() }
    }

    /// Unknowns of a body.
    pub fn width(&self) -> usize {
        if self.dimension == 2 { 3 } else { 6 }
    }

    /// Adds a body made of convex pieces, given in the frame of the world, with
    /// this mass, and its pose at rest to `poses`.
    pub fn add(&mut self, poses: &mut Poses, pieces: &[Brick], mass: f64) -> Result<&mut Rigid> {
        if pieces.is_empty() || pieces.iter().any(|p| p.is_polygon() != (self.dimension == 2)) {
            return Err(Problem::new(format!(
                "a body of a {}D tower is made of convex {}",
                self.dimension,
                if self.dimension == 2 { "polygons" } else { "polyhedra" }
            )));
        }
        if !(mass > 0.0 && mass.is_finite()) {
            let message = format!("the mass of brick {} is {mass:?}", self.bricks.len());
            return Err(Problem::new(message).help("a mass is a positive number"));
        }
        let moments = Moments::sum(&pieces.iter().map(Brick::moments).collect::<Vec<_>>());
        // Made again from their corners, so that a run file needs to keep no more than those.
        let moved = pieces.iter().map(|p| p.placed(-moments.centre, DQuat::IDENTITY).renewed());
        let pieces: Vec<Brick> = moved.collect();
        let corners = pieces.iter().flat_map(|p| p.corners());
        let radius = corners.fold(0.0_f64, |r, c| r.max(c.length()));
        let inertia = moments.inertia * (mass / moments.measure);
        self.bricks.push(Rigid {
            pieces,
            mass,
            inertia,
            fixed: false,
            friction: 0.0,
            restitution: 0.0,
            radius,
        });
        poses.push(moments.centre);
        Ok(self.bricks.last_mut().expect("just added"))
    }

    /// Holds two bodies together at a point.
    pub fn pin(&mut self, poses: &Poses, bodies: [u32; 2], at: DVec3) {
        self.pins.push(Joint { bodies, points: bodies.map(|body| poses.local(body, at)) });
    }

    /// Joins points of two bodies by a bar as long as they are apart.
    pub fn bar(&mut self, poses: &Poses, bodies: [u32; 2], ends: [DVec3; 2]) {
        let points = [0, 1].map(|side| poses.local(bodies[side], ends[side]));
        let length = (ends[0] - ends[1]).length();
        self.bars.push(Bar { joint: Joint { bodies, points }, length });
    }

    /// Whether two bodies are held together, so that they may overlap.
    pub fn pinned(&self, a: u32, b: u32) -> bool {
        self.pins.iter().any(|pin| pin.bodies == [a, b] || pin.bodies == [b, a])
    }

    /// The pieces of a body where it is.
    pub fn placed(&self, body: usize, poses: &Poses) -> Vec<Brick> {
        let (position, rotation) = (poses.positions[body], poses.rotations[body]);
        self.bricks[body].pieces.iter().map(|piece| piece.placed(position, rotation)).collect()
    }

    /// The inertia of a body in the frame of the world.
    pub fn inertia(&self, body: usize, rotation: DQuat) -> DMat3 {
        let turn = DMat3::from_quat(rotation);
        turn * self.bricks[body].inertia * turn.transpose()
    }

    /// Kinetic and potential energy of all that can move.
    pub fn energy(&self, poses: &Poses) -> f64 {
        crate::math::exact_sum(self.moving().flat_map(|i| {
            let (brick, spin) = (&self.bricks[i], poses.spins[i]);
            let inertia = self.inertia(i, poses.rotations[i]);
            [
                -brick.mass * self.gravity.dot(poses.positions[i]),
                0.5 * brick.mass * poses.velocities[i].length_squared(),
                0.5 * spin.dot(inertia * spin),
            ]
        }))
    }

    /// Total momentum, and angular momentum about the origin.
    pub fn momentum(&self, poses: &Poses) -> (DVec3, DVec3) {
        self.moving().fold((DVec3::ZERO, DVec3::ZERO), |(linear, angular), i| {
            let p = self.bricks[i].mass * poses.velocities[i];
            let spin = self.inertia(i, poses.rotations[i]) * poses.spins[i];
            (linear + p, angular + poses.positions[i].cross(p) + spin)
        })
    }

    /// The bodies that are not fixed, in order.
    pub fn moving(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.bricks.len()).filter(|&i| !self.bricks[i].fixed)
    }
}

impl Rigid {
    /// The extent along a direction, in the body's own frame turned by `rotation`.
    pub fn extent(&self, direction: DVec3, rotation: DQuat) -> f64 {
        let local = rotation.inverse() * direction;
        let along = self.pieces.iter().flat_map(|p| p.corners()).map(|c| local.dot(*c));
        let (least, most) =
            along.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
        most - least
    }
}

impl Poses {
    /// Adds a body at rest.
    pub fn push(&mut self, position: DVec3) {
        self.positions.push(position);
        self.rotations.push(DQuat::IDENTITY);
        self.velocities.push(DVec3::ZERO);
        self.spins.push(DVec3::ZERO);
    }

    /// A point of the world in the frame of a body.
    pub fn local(&self, body: u32, at: DVec3) -> DVec3 {
        let body = body as usize;
        self.rotations[body].inverse() * (at - self.positions[body])
    }

    /// Where the two points of a joint are.
    pub fn ends(&self, joint: &Joint) -> [DVec3; 2] {
        [0, 1].map(|side| {
            let body = joint.bodies[side] as usize;
            self.positions[body] + self.rotations[body] * joint.points[side]
        })
    }

    /// The box around the corners of placed pieces.
    pub fn bounds(pieces: &[Brick]) -> Aabb {
        Aabb::from_points(pieces.iter().flat_map(|p| p.corners().iter().copied()))
    }
}
